"""Branches, loops and custom gradients as TensorFlow's nodes, whose parts are functions of the library.

A branch or turn that only StableHLO says makes the whole StableHLO, since gradients would have to reach into the part.
"""

import numpy as np

from tfcompat import dtypes
from tfcompat._control._part import chosen
from tfcompat.engine import program_behind
from tfcompat.saved_model._body import Body, NotNodes, Value


def control_nodes(writer, call, inputs):
    """The Values of the results of a recorded call that holds functions; None if its parts are not all nodes."""
    structure = getattr(call.fn, "structure", None)
    if structure is None:
        return None
    before = writer.written.state(), writer.body.state()
    try:
        return _KINDS[structure.kind](_Control(writer, call, inputs, structure))
    except NotNodes:
        writer.written.restore(before[0])
        writer.body.restore(before[1])
        return None


class _Control:
    """A recorded branch or loop."""

    def __init__(self, writer, call, inputs, structure):
        self.writer, self.body, self.inputs, self.structure = writer, writer.body, inputs, structure
        self.avals = call.in_avals
        self.parts = call.aval.parts
        self.has_effects = False  # whether a part of it checks something
        self.draws = False  # whether a part of it may draw random numbers

    def function(self, base, values, avals, build):
        """The name of a new function of the library.

        Args:
          base: for its name.
          values: that it takes.
          avals: of these; None for a list of tensors.
          build: function of (Writer, list of arguments) to the list of results.
        """
        written = self.writer.written
        name = written.name(base)
        body = Body()
        arguments = [Value(f"args_{i}", value.dtype) for i, value in enumerate(values)]
        known = [(aval, value) for aval, value in zip(avals, arguments, strict=True) if aval is not None]
        body.know_sizes([aval for aval, _ in known], [value for _, value in known])
        inner, foreign = self.writer.within(name, body), dict(written.foreign)
        results = build(inner, arguments)
        if written.foreign != foreign:
            raise NotNodes
        self.has_effects |= bool(body.effects)
        shapes = [None if aval is None else [n if type(n) is int else None for n in aval.shape] for aval in avals]
        outputs = [(f"output_{i}", body.op("Identity", value)) for i, value in enumerate(results)]
        described = [(v.source, v.dtype, shape) for v, shape in zip(arguments, shapes, strict=True)]
        written.add(name, described, body, outputs)
        return name

    def op(self, op, *inputs, **attributes):
        """Adds the node that runs the parts."""
        if self.has_effects:
            return self.body.effect(op, *inputs, **attributes)
        return self.body.op(op if self.draws else f"Stateless{op}", *inputs, **attributes)

    def loop(self, turns, state, invariants, goes_on, turn, columns, reverse=False):
        """The Values of the state at the end, and of what each turn gives, stacked.

        Args:
          turns: Value of the number of turns; None if `goes_on` alone tells.
          state, invariants: lists of (Value, aval).
          goes_on: function of (Writer, state, invariants) to a Value, or None.
          turn: function of (Writer, number of the row or None, state, invariants) to (state, what it gives).
          columns: avals of what each turn gives, stacked.
        """
        body, count = self.body, len(state)
        first = body.constant(0, "int32")
        bound = turns if turns is not None else body.constant(-1, "int32")
        given, given_avals = [v for v, _ in invariants], [a for _, a in invariants]
        lists = []
        for column in columns:
            shape = body.constant(_sizes(column.shape[1:]), "int32")
            kind = dtypes.from_numpy(np.dtype(column.dtype))
            lists.append(body.op("TensorListReserve", shape, bound, element_dtype=kind))
        # Gradients of TensorFlow's node need the number of the turn and the largest one in the first two places.
        taken = [first, bound, *[v for v, _ in state], *lists, *given]
        avals = [_SCALAR, _SCALAR, *[a for _, a in state], *[None] * len(lists), *given_avals]
        state_end, lists_end = 2 + count, 2 + count + len(lists)

        def holds(writer, arguments):
            parts = []
            if turns is not None:
                parts.append(writer.body.op("Less", *arguments[:2]))
            if goes_on is not None:
                parts.append(goes_on(writer, arguments[2:state_end], arguments[lists_end:]))
            return [parts[0] if len(parts) == 1 else writer.body.op("LogicalAnd", *parts)]

        def step(writer, arguments):
            op, constant = writer.body.op, writer.body.constant
            row, fixed = arguments[0], arguments[lists_end:]
            if reverse:
                row = op("Sub", op("Sub", arguments[1], row), constant(1, "int32"))
            values, gives = turn(writer, row, arguments[2:state_end], fixed)
            filled = [
                op("TensorListSetItem", handle, row, x)
                for handle, x in zip(arguments[state_end:lists_end], gives, strict=True)
            ]
            return [op("AddV2", arguments[0], constant(1, "int32")), arguments[1], *values, *filled, *fixed]

        cond = self.function("while_cond", taken, avals, holds)
        results = self.op(
            "While", taken, cond=cond, body=self.function("while_body", taken, avals, step),
            output_shapes=[None if a is None else [n if type(n) is int else None for n in a.shape] for a in avals],
        )  # fmt: skip
        stacked = []
        for handle, column in zip(results[state_end:], columns, strict=False):
            kind = dtypes.from_numpy(np.dtype(column.dtype))
            shape = body.constant(_sizes(column.shape[1:]), "int32")
            size = column.shape[0] if type(column.shape[0]) is int else -1
            stacked.append(body.op("TensorListStack", handle, shape, element_dtype=kind, num_elements=size))
        return results[2:state_end], stacked


class _Scalar:
    """The aval of a number of turns."""

    shape = ()


_SCALAR = _Scalar()


def _sizes(shape):
    return np.array([n if type(n) is int else -1 for n in shape], np.int32)


def _run(writer, operation, values, wanted=None):
    program = program_behind(operation)
    if program is None:
        raise NotNodes
    return writer.program(program, values, wanted)


def _row(writer, rows, number):
    return writer.body.op("GatherV2", rows, number, writer.body.constant(0, "int32"))


def _branches(control):
    structure, index = control.structure, control.inputs[0]
    # Gradients of TensorFlow's node need each tensor to be passed once.
    given, places = list(zip(control.inputs[1:], control.avals[1:], strict=True)), {}
    for value, aval in given:
        if not hasattr(value, "in_function"):  # the state of a random op, which each branch has for itself
            places.setdefault(value.source, (len(places), value, aval))
    values, avals = [v for _, v, _ in places.values()], [a for *_, a in places.values()]
    control.draws = any(hasattr(value, "in_function") for value, _ in given)
    names, begin = [], 0
    for number, (operation, count) in enumerate(zip(structure.operations, structure.counts, strict=True)):
        def build(writer, arguments, operation=operation, begin=begin, count=count):
            taken = [
                v.in_function(writer.body) if hasattr(v, "in_function") else arguments[places[v.source][0]]
                for v, _ in given[begin : begin + count]
            ]
            return _run(writer, operation, taken)

        names.append(control.function(f"branch_{number}", values, avals, build))
        begin += count
    kinds = [dtypes.from_numpy(np.dtype(part.dtype)) for part in control.parts]
    shapes = [[n if type(n) is int else None for n in part.shape] for part in control.parts]
    if index.dtype is dtypes.bool:
        return control.op("If", index, values, Tout=kinds, then_branch=names[1], else_branch=names[0],
                               output_shapes=shapes)  # fmt: skip
    index = control.body.cast(index, dtypes.int32)
    return control.op("Case", index, values, Tout=kinds, branches=names, output_shapes=shapes)


def _while(control):
    s, size = control.structure, control.structure.count + control.structure.n_variables
    pairs = list(zip(control.inputs, control.avals, strict=True))

    def goes_on(writer, state, rest):
        values = [*state[: s.count], *chosen(s.holds_sources, rest[: s.n_rest], state[s.count :])]
        return writer.body.op("Reshape", _run(writer, s.holds, values, [0])[0], writer.body.sizes(()))

    def turn(writer, row, state, rest):
        values = [*state[: s.count], *chosen(s.advance_sources, rest[s.n_rest :], state[s.count :])]
        return _advanced(writer, s, values, state), []

    return control.loop(None, _with_ends(pairs[:size], control), pairs[size:], goes_on, turn, [])[0]


def _with_ends(state, control):
    """The state, with avals that have the unknown sizes of the results where a loop changes a size."""
    return [
        (value, end if len(aval.shape) == len(end.shape) and aval.shape != end.shape else aval)
        for (value, aval), end in zip(state, control.parts, strict=False)
    ] + state[len(control.parts) :]


def _advanced(writer, structure, values, state):
    """The state after a turn."""
    return _run(writer, structure.advance, values, range(len(state)))


def _count(control):
    s, size = control.structure, control.structure.count + control.structure.n_variables
    pairs = list(zip(control.inputs, control.avals, strict=True))
    turns = control.body.size(control.avals[size].shape[0])

    def goes_on(writer, state, rest):
        values = [*state[: s.count], *chosen(s.holds_sources, rest[1 : 1 + s.n_rest], state[s.count :])]
        return writer.body.op("Reshape", _run(writer, s.holds, values, [0])[0], writer.body.sizes(()))

    def turn(writer, row, state, rest):
        for_advance = chosen(s.advance_sources, rest[1 + s.n_rest :], state[s.count :])
        values = [*state[: s.count], _row(writer, rest[0], row), *for_advance]
        return _advanced(writer, s, values, state), []

    state, goes_on = _with_ends(pairs[:size], control), None if s.holds is None else goes_on
    return control.loop(turns, state, pairs[size:], goes_on, turn, [])[0]


def _over_rows(control, size, count, gives, columns, reverse):
    """A loop over rows: `gives` takes the results of a turn apart into state and what it gives."""
    s = control.structure
    pairs = list(zip(control.inputs, control.avals, strict=True))
    if s.kind == "map":
        rows, state, rest = pairs[: s.n_rows], pairs[s.n_rows : s.n_rows + size], pairs[s.n_rows + size :]
    else:
        state, rows, rest = pairs[:size], pairs[size : size + s.n_rows], pairs[size + s.n_rows :]
    turns = control.body.size(rows[0][1].shape[0])

    def turn(writer, row, state, fixed):
        current = [_row(writer, x, row) for x in fixed[: s.n_rows]]
        values = [*state[:count], *current, *chosen(s.sources, fixed[s.n_rows :], state[count:])]
        return gives(_run(writer, s.operation, values))

    return control.loop(turns, state, [*rows, *rest], None, turn, columns, reverse)


def _recur(control):
    s, size = control.structure, control.structure.count + control.structure.n_variables
    last, columns = _over_rows(
        control, size, s.count, lambda results: (results[s.outputs :], results[: s.outputs]), control.parts[size:],
        s.reverse,
    )  # fmt: skip
    return [*last, *columns]


def _scan(control):
    s, size = control.structure, control.structure.count + control.structure.n_variables
    last, columns = _over_rows(
        control, size, s.count, lambda results: (results, results[: s.count] if s.collected else []),
        control.parts[size:], s.reverse,
    )  # fmt: skip
    return [*last, *columns]


def _map(control):
    s = control.structure
    n_columns = len(control.parts) - s.n_variables
    last, columns = _over_rows(
        control, s.n_variables, 0, lambda results: (results[n_columns:], results[:n_columns]),
        control.parts[:n_columns], False,
    )  # fmt: skip
    return [*columns, *last]


def _custom_gradient(control):
    """The function itself, whose results pass a node with a gradient of its own."""
    s, writer = control.structure, control.writer
    # What it assigns has no cotangent, and a part of a loop or branch no gradient functions.
    if s.n_outputs > s.n_results or writer.is_part:
        raise NotNodes
    begin = s.n_arguments + s.n_variables
    moving, moving_avals = control.inputs[:begin], control.avals[:begin]
    outside = control.inputs[begin + s.n_captures :]
    values = _run(writer, s.ahead, [*moving[: s.n_arguments], *control.inputs[begin : begin + s.n_captures]])
    results, residuals = values[: s.n_results], values[s.n_results :]

    def pull(inner, cotangents, captured):
        seeds = [
            inner.body.op("ZerosLike", captured(result)) if cotangent is None else cotangent
            for cotangent, result in zip(cotangents, results, strict=True)
        ]
        inside, others = iter(residuals), iter(outside)
        taken = [captured(next(inside if residual else others)) for residual in s.from_residuals]
        pulled = iter(_run(inner, s.back, [*seeds, *taken]))
        by_kind: dict = {"argument": [], "variable": []}
        for kind, present in zip(s.order, s.has_grad, strict=True):
            by_kind[kind].append(next(pulled) if present else None)
        return [*by_kind["argument"], *by_kind["variable"]]

    return writer.with_gradient(results, control.parts[: s.n_results], moving, moving_avals, pull)


def _recomputed(control):
    """The function itself: what is kept for gradients is for those who run it to decide."""
    return _run(control.writer, control.structure.operation, control.inputs)


_KINDS = {
    "branches": _branches, "while": _while, "count": _count, "recur": _recur, "scan": _scan, "map": _map,
    "custom gradient": _custom_gradient, "recomputed": _recomputed,
}  # fmt: skip
