"""Loops: while_loop, and loops whose number of turns is known."""

import functools
import itertools

import jax
import jax.numpy as jnp

from tfcompat import engine, nest
from tfcompat._control import _checkpoints
from tfcompat._control._part import (
    Part,
    assign,
    chosen,
    have_effects,
    place_of_report,
    quietly,
    recorded,
    row_of,
    split,
    stand_in,
    trial,
)
from tfcompat._control._tensor_array import Grows, TensorArray
from tfcompat._control._turns import in_python, is_true, known
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.convert import convert_to_tensor, to_node
from tfcompat._core.shape import as_shape
from tfcompat._core.spec import TensorSpec
from tfcompat._core.steps import records_steps
from tfcompat._core.streams import graphs
from tfcompat._core.structure import Structure
from tfcompat._core.symbolic_sizes import new_symbols
from tfcompat._core.tensor import dtype_of, is_symbolic, shape_of, wrap
from tfcompat._tracing.assertions import REPORT
from tfcompat._tracing.status import converted
from tfcompat.engine import function_trace
from tfcompat.errors import UnimplementedError
from tfcompat.math import logical_and
from tfcompat.tape import stop_gradient


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True,
               swap_memory=False, maximum_iterations=None, name=None):  # fmt: skip
    """Repeats `body` while `cond` holds.

    Args:
      cond: function of the loop variables to a scalar bool tensor.
      body: function of the loop variables to their next values.
      loop_vars: list or tuple of nests of tensors and TensorArrays; outside of functions also of Optionals.
      shape_invariants: nest of TensorShapes, or specs, like `loop_vars`. Inside a function, sizes that they leave open
        may change, and are None in `body`; elsewhere any may.
      parallel_iterations, swap_memory, name: accepted, without effect on values.
      back_prop: if False, derivatives inside functions take the results for constants.
      maximum_iterations: bound on the number of turns.

    Returns:
      The final loop variables, structured as `loop_vars`; outside of functions as `body` returns them.

    Raises:
      TypeError: `cond` or `body` is not callable; a loop variable changes its dtype inside a function.
      ValueError: there are no loop variables; one changes its shape inside a function, not as `shape_invariants` allow.
      tf.errors.UnimplementedError: inside a function that is mapped or saved, a variable grows; or a function must be
        traced, and its body cannot be recorded for sizes that are not known.

    Gradient: outside of functions that of the operations run. Inside a function, of any order and in both modes, in
    bounded memory; second derivatives in reverse mode are nan for loops of more than 262,144 turns. Of a loop whose
    variables grow, that of the operations run.
    TF: `tf.while_loop`.
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if not loop_vars:
        raise ValueError("'loop_vars' cannot be empty.")
    if not isinstance(loop_vars, list | tuple):
        if not _has_parts(loop_vars):
            raise TypeError(f"'loop_vars' must be a list or tuple, got {loop_vars!r}")
        kind, turn = type(loop_vars), converted(body)
        result = while_loop(
            cond, lambda *parts: _listed(turn(*parts), kind), list(loop_vars), _listed(shape_invariants, kind),
            parallel_iterations, back_prop, swap_memory, maximum_iterations, name,
        )  # fmt: skip
        return nest.pack_sequence_as(loop_vars, nest.flatten(result))
    cond, body = converted(cond), converted(body)
    flat = nest.flatten(loop_vars, expand_composites=True)
    if engine.state.graph.symbolic or any(is_symbolic(to_node(x)) for x in flat if not _is_of_data(x)):
        loop_vars = nest.map_structure(_loop_variable, loop_vars)
        invariants = None if shape_invariants is None else _shapes_of(shape_invariants, loop_vars)
        result = traced_while(cond, body, loop_vars, maximum_iterations, invariants)
    else:  # numbers stay numbers, as in TF
        turns, structure = 0, list(loop_vars)
        most = None if maximum_iterations is None else int(engine.array_of(to_node(maximum_iterations)))
        fixed = not any(isinstance(x, TensorArray) for x in nest.flatten(loop_vars))  # others get elements
        cond, body = graphs(cond, body)
        while (most is None or turns < most) and cond(*loop_vars):
            loop_vars = body(*loop_vars)
            if not isinstance(loop_vars, list | tuple):
                loop_vars = (loop_vars,)
            nest.assert_same_structure(structure, list(loop_vars), expand_composites=fixed)
            turns += 1
        result = nest.map_structure(_loop_variable, loop_vars)
    if not back_prop and engine.state.graph.symbolic:
        def stopped(x):
            if isinstance(x, CompositeTensor):
                return nest.map_structure(stop_gradient, x, expand_composites=True)
            return x if isinstance(x, TensorArray) else stop_gradient(x)

        result = nest.map_structure(stopped, result)
    return result


def _has_parts(value):
    """Whether it is a nest of a class of the program's own, which gives its parts in order."""
    return nest.is_nested(value) and hasattr(value, "__iter__") and not isinstance(value, dict | CompositeTensor)


def _listed(value, kind):
    return list(value) if isinstance(value, kind) else value


def _shapes_of(invariants, loop_vars):
    """The TensorShape that each leaf of the loop variables keeps, as `shape_invariants` have it; None for others."""
    leaves = zip(nest.flatten(loop_vars), nest.flatten(invariants), strict=True)
    return [
        None if isinstance(x, TensorArray | CompositeTensor)
        else as_shape(shape.shape if isinstance(shape, TensorSpec) else shape) for x, shape in leaves
    ]  # fmt: skip


def _of_components(loop_vars, invariants):
    """The TensorShape that each tensor of the loop variables keeps, None for some; None if there are none to keep.

    Args:
      loop_vars: list of nests, in which arrays that grow are open.
      invariants: TensorShapes or None for their leaves; or None.
    """
    leaves = nest.flatten(loop_vars)
    is_open = any(isinstance(x, TensorArray) and x.open_shape is not None for x in leaves)
    if invariants is None and not is_open:
        return None
    shapes = []
    for x, shape in zip(leaves, invariants or [None] * len(leaves), strict=True):
        if isinstance(x, TensorArray):
            shapes.append(x.open_shape)
        else:
            shapes += [shape] * len(nest.flatten(x, expand_composites=True))
    return shapes


def traced_while(cond, body, loop_vars, maximum_iterations=None, invariants=None):
    """`while_loop` of checked arguments, captured.

    Args:
      invariants: TensorShape that each leaf of the loop variables keeps, None for those that keep their own; None if
        all do.
    """
    if maximum_iterations is None:
        return _traced_while(cond, body, loop_vars, None, invariants)
    return _bounded_while(cond, body, loop_vars, convert_to_tensor(maximum_iterations), invariants)


def _loop_variable(x):
    return x if isinstance(x, TensorArray | CompositeTensor) or _is_of_data(x) else convert_to_tensor(x)


def _is_of_data(x):
    """Whether `x` is an Optional of an iterator, or another value of `tf.data`: eager loops hand these on."""
    return hasattr(type(x), "_is_data_component")


def _bounded_while(cond, body, loop_vars, bound, invariants):
    """The loop with the number of remaining turns as one more loop variable."""

    def counted_cond(turns_left, *rest):
        return logical_and(turns_left > 0, cond(*rest))

    def counted_body(turns_left, *rest):
        result = body(*rest)
        return (turns_left - 1, *(result if isinstance(result, list | tuple) else (result,)))

    most = None if is_symbolic(bound._node) else max(int(engine.array_of(bound._node)), 0)
    invariants = invariants and [None, *invariants]
    result = _traced_while(counted_cond, counted_body, [bound, *loop_vars], most, invariants)[1:]
    return nest.pack_sequence_as(loop_vars, nest.flatten(result))


def _traced_while(cond, body, loop_vars, bound, invariants):
    original_vars, loop_vars = loop_vars, _with_fixed_arrays(body, loop_vars)
    flat = [to_node(x) for x in nest.flatten(loop_vars, expand_composites=True)]
    invariants = _of_components(loop_vars, invariants)
    grows = invariants is not None and any(map(_may_grow, flat, invariants)) and records_steps()
    stand_ins, shapes = loop_vars, [node.aval.shape for node in flat]
    if grows:
        shapes = new_symbols(map(_names, shapes, invariants, itertools.count()))
        with engine.Capture() as scratch:
            placeholders = [
                wrap(scratch.placeholder(engine.Aval(shape, node.aval.dtype)))
                for shape, node in zip(shapes, flat, strict=True)
            ]
        stand_ins = nest.pack_sequence_as(loop_vars, placeholders, expand_composites=True)
    try:
        condition = Part(cond, stand_ins)
        if condition.assigned:
            return _asking_after_each_turn(cond, body, loop_vars, bound, invariants)
        step = Part(functools.partial(_body_result, body, loop_vars), stand_ins)
    except Exception as error:
        if grows and engine.is_of_symbols(error):
            raise Grows(None, None, f"tf.while_loop: {error}") from error
        raise
    if grows and shapes == [node.aval.shape for node in step.nodes]:  # it may, but does not
        return _traced_while(cond, body, original_vars, bound, None)
    _check_turn(flat, step.nodes, invariants if grows else None, invariants is not None)
    variables = list(step.assigned.values())
    holds, holds_captures = condition.operation(())
    advance, advance_captures = step.operation(variables)
    holds_sources, rest = split(holds_captures, variables)
    advance_sources, more = split(advance_captures, variables)
    operation = _looping(
        holds, advance, len(flat), len(variables), len(rest), holds_sources, advance_sources, bound,
        have_effects(variables), place_of_report(variables), grows,
    )  # fmt: skip
    start = [v._current_node() for v in variables]
    avals = step.avals(variables)
    if grows:
        results = new_symbols(map(_names, [node.aval.shape for node in flat], invariants, itertools.count()))
        avals[: len(flat)] = [engine.Aval(shape, node.aval.dtype) for shape, node in zip(results, flat, strict=True)]
        function_trace(engine.state.graph).sizes_by_values = True
    results = recorded(operation, (*flat, *start, *rest, *more), avals)
    assign(variables, results, len(flat), step)
    return _packed(original_vars, loop_vars, results[: len(flat)])


def _may_grow(node, invariant):
    """Whether a loop variable may change its shape."""
    rank = len(node.aval.shape)
    return invariant is not None and invariant.rank in (None, rank) and not invariant.is_fully_defined()


def _names(shape, invariant, number):
    """A shape for `new_symbols`, with a name for each size that may change."""
    if invariant is None or invariant.rank not in (None, len(shape)):
        return shape
    sizes = [None] * len(shape) if invariant.rank is None else invariant.as_list()
    pairs = enumerate(zip(shape, sizes, strict=True))
    return tuple([f"{number} {axis}" if wanted is None else size for axis, (size, wanted) in pairs])


def _asking_after_each_turn(cond, body, loop_vars, bound, invariants):
    """The loop with its condition as one more loop variable, computed in the body, which may assign variables."""

    def turn(_, *rest):
        result = body(*rest)
        result = result if isinstance(result, list | tuple) else (result,)
        return (cond(*result), *result)

    first = convert_to_tensor(cond(*loop_vars))
    invariants = invariants and [None, *invariants]
    result = _traced_while(lambda goes_on, *_: goes_on, turn, [first, *loop_vars], bound, invariants)[1:]
    return nest.pack_sequence_as(loop_vars, nest.flatten(result))


def _packed(original_vars, loop_vars, nodes):
    """The final loop variables. TensorArrays that had fixed sizes in the loop may grow again."""
    result = nest.pack_sequence_as(loop_vars, [wrap(n) for n in nodes], expand_composites=True)
    return nest.map_structure(lambda a, b: b.like(a) if isinstance(b, TensorArray) else b, original_vars, result)


def _check_turn(before, after, invariants=None, may_grow=False):
    for a, b, invariant in zip(before, after, invariants or [None] * len(before), strict=True):
        if a.aval.dtype == b.aval.dtype and (
            a.aval.shape == b.aval.shape or invariant is not None and invariant.is_compatible_with(shape_of(b))
        ):
            continue
        if a.aval.dtype == b.aval.dtype and may_grow and invariant is None:
            raise Grows(
                None, None,
                f"tf.while_loop inside tf.function: a loop variable has shape {shape_of(a)} before the loop, and "
                f"{shape_of(b)} after one iteration; shapes must be static here",
            )  # fmt: skip
        kind = TypeError if a.aval.dtype != b.aval.dtype else ValueError
        raise kind(
            f"tf.while_loop: a loop variable of shape {shape_of(a)} and dtype {dtype_of(a)!r} enters "
            f"the loop, but has shape {shape_of(b)} and dtype {dtype_of(b)!r} after one iteration"
        )


def _body_result(body, loop_vars, *arguments):
    result = body(*arguments)
    if not isinstance(result, list | tuple):
        result = (result,)
    result = nest.map_structure(_loop_variable, result)
    try:
        nest.assert_same_structure(list(loop_vars), list(result), expand_composites=True)
    except (TypeError, ValueError) as error:
        raise ValueError(f"The body of tf.while_loop must return the loop variables that it takes: {error}") from error
    return result


def _with_fixed_arrays(body, loop_vars, rows=None):
    """The loop variables with TensorArrays as single tensors. A trial turn of the body tells their shapes.

    Args:
      body: function of the loop variables, and of one of the `rows` if these are given.
      loop_vars: list of nests.
      rows: tensor of the number of the turn, or of what else the loop is over; an array that each turn writes to at
        its row gets the size for all of them.

    Raises:
      Grows: an array is extended in another way.
    """
    arrays = [x for x in nest.flatten(loop_vars) if isinstance(x, TensorArray)]
    growing = [x for x in arrays if x.dynamic_size]
    if growing or any(not x.element_shape.is_fully_defined() for x in arrays):
        if growing and rows is None and not records_steps():
            raise Grows(
                None, None,
                "a tf.TensorArray with dynamic_size=True cannot be a loop variable inside tf.function, unless a loop "
                "over a tf.range of known size writes at its own index: give the array a size",
            )  # fmt: skip
        row = None if rows is None else row_of(rows)
        with trial() as capture:
            measured = [x.measured(capture.graph, rows is None) if isinstance(x, TensorArray) else stand_in(x)
                        for x in nest.flatten(loop_vars)]
            result = body(*nest.pack_sequence_as(loop_vars, measured), *(() if row is None else (row,)))
        result = result if isinstance(result, list | tuple) else (result,)
        try:
            pairs = list(zip(nest.flatten(loop_vars), nest.flatten(result), strict=True))
        except ValueError:
            pairs = []  # a different structure is reported below
        sizes = {}
        for before, after in pairs:
            if isinstance(before, TensorArray) and isinstance(after, TensorArray):
                before.set_element_shape(after.measured_shape(), after.measured_sizes())
                sizes[id(before)] = None if rows is None else after.size_for(before, row, rows)
        if growing and rows is None:
            if any(x.element_sizes is None for x in growing):
                raise Grows(
                    None, None,
                    "a tf.TensorArray with dynamic_size=True in a loop inside tf.function has elements of unknown "
                    "shape: give it an element_shape",
                )  # fmt: skip
            may_grow = set(map(id, growing))
            loop_vars = nest.map_structure(lambda x: x.opened() if id(x) in may_grow else x, loop_vars)
        return nest.map_structure(
            lambda x: x.as_one_tensor(sizes.get(id(x))) if isinstance(x, TensorArray) else x, loop_vars
        )
    return nest.map_structure(lambda x: x.as_one_tensor() if isinstance(x, TensorArray) else x, loop_vars)


def counted_loop(body, loop_vars, rows, goes_on=None, may_grow=False):
    """A captured loop over the rows of a tensor.

    Args:
      body: function of the loop variables and of a row, to the next loop variables.
      loop_vars: list of nests of tensors and TensorArrays.
      rows: tensor with a known first dimension.
      goes_on: function of the loop variables, without which all turns are made.
      may_grow: whether a variable may change its shape, so that `Grows` is raised rather than ValueError.

    Returns:
      The final loop variables, structured as `loop_vars`.

    Gradient: the values of all turns are kept.
    """
    original_vars, loop_vars = loop_vars, _with_fixed_arrays(body, loop_vars, rows)
    flat = [to_node(x) for x in nest.flatten(loop_vars, expand_composites=True)]
    holds, holds_captures = None, []
    if goes_on is not None:
        condition = Part(goes_on, loop_vars)
        if any(variable is not REPORT for variable in condition.assigned.values()):
            raise UnimplementedError(None, None, "a loop inside tf.function: what ends it assigns a variable")
        holds, holds_captures = condition.operation(())
    step = Part(functools.partial(_body_result, body, loop_vars), [*loop_vars, row_of(rows)])
    _check_turn(flat, step.nodes, None, may_grow)
    variables = list(step.assigned.values())
    advance, advance_captures = step.operation(variables)
    holds_sources, rest = split(holds_captures, variables)
    advance_sources, more = split(advance_captures, variables)
    operation = _counting(
        holds, advance, len(flat), len(variables), len(rest), holds_sources, advance_sources, have_effects(variables),
        place_of_report(variables),
    )  # fmt: skip
    start = [v._current_node() for v in variables]
    results = recorded(operation, (*flat, *start, rows._node, *rest, *more), step.avals(variables))
    assign(variables, results, len(flat), step)
    return _packed(original_vars, loop_vars, results[: len(flat)])


@engine.made_once
def _counting(holds, advance, count, n_variables, n_rest, holds_sources, advance_sources, has_effects, report):
    """The operation of (loop variables..., variables..., rows, captures of the condition..., of the body...)."""

    def fn(*inputs):
        size = count + n_variables
        start, rows, captures = inputs[:size], inputs[size], inputs[size + 1 :]
        loop = all_turns
        if holds is not None:
            loop = jax.custom_jvp(until_it_ends)
            loop.defjvp(engine.keeping_sizes(derivative))
        return loop(start, rows, captures[:n_rest], captures[n_rest:])

    def goes_on(state, for_holds):
        return holds.fn(*state[:count], *chosen(holds_sources, for_holds, state[count:]))[0].reshape(())

    def turn(state, row, for_advance):
        return tuple(advance.fn(*state[:count], row, *chosen(advance_sources, for_advance, state[count:])))

    def all_turns(start, rows, for_holds, for_advance):
        def one(state, row):
            if holds is None:
                return turn(state, row, for_advance), None
            return jax.lax.cond(
                goes_on(state, for_holds), lambda state: turn(state, row, for_advance), lambda state: state, state
            ), None

        return jax.lax.scan(one, tuple(start), rows)[0]

    def until_it_ends(start, rows, for_holds, for_advance):
        def more(carry):
            return (carry[0] < rows.shape[0]) & goes_on(carry[1], for_holds)

        def one(carry):
            row = jax.lax.dynamic_index_in_dim(rows, carry[0], keepdims=False)
            return carry[0] + 1, turn(carry[1], row, for_advance)

        if not rows.shape[0]:
            return tuple(start)
        return jax.lax.while_loop(more, one, (jnp.int32(0), tuple(start)))[1]

    def derivative(primals, tangents):
        return jax.jvp(all_turns, primals, tangents)

    def turn_by_turn(called, *nodes):
        size = count + n_variables
        state, rows, captures = nodes[:size], nodes[size], nodes[size + 1 :]
        if isinstance(rows, engine.Node):
            table = wrap(rows)
            rows = (table[number]._node for number in range(table.shape[0]))
        elif rows.dtype.hasobject:  # of which a single one is no array
            table = rows
            rows = (table[number, ...] for number in range(len(table)))
        for_holds, for_advance = captures[:n_rest], captures[n_rest:]
        for row in rows:
            if holds is not None:
                taken = chosen(holds_sources, for_holds, state[count:])
                if not is_true(called(holds, (*state[:count], *taken))[0]):
                    break
            taken = chosen(advance_sources, for_advance, state[count:])
            state = called(advance, (*state[:count], row, *taken))
        return state

    fn.structure = Structure(
        "count", holds=holds, advance=advance, count=count, n_variables=n_variables, n_rest=n_rest,
        holds_sources=holds_sources, advance_sources=advance_sources,
    )  # fmt: skip
    operation = engine.Operation(
        "While", quietly(fn, has_effects), conditional=advance.conditional, turns=turn_by_turn
    )
    if advance.step or holds is not None and holds.step:
        operation.step = in_python(turn_by_turn)
    return operation


@engine.made_once
def _looping(
    holds, advance, count, n_variables, n_rest, holds_sources, advance_sources, bound, has_effects, report,
    grows=False,
):  # fmt: skip
    """The While operation of (loop variables..., variables..., captures of the condition..., of the body...)."""

    def goes_on(state, captures):
        more = holds.fn(*state[:count], *chosen(holds_sources, captures[:n_rest], state[count:]))[0].reshape(())
        return more if report is None else more & (state[count + report][0] == 0)

    def turn(state, captures):
        return advance.fn(*state[:count], *chosen(advance_sources, captures[n_rest:], state[count:]))

    def fn(*inputs):
        size = count + n_variables
        return _checkpoints.while_loop(goes_on, turn, inputs[:size], inputs[size:], bound)

    def turn_by_turn(called, *nodes):
        state, captures = nodes[: count + n_variables], nodes[count + n_variables :]
        while report is None or not known(state[count + report])[0]:
            taken = chosen(holds_sources, captures[:n_rest], state[count:])
            if not is_true(called(holds, (*state[:count], *taken))[0]):
                break
            taken = chosen(advance_sources, captures[n_rest:], state[count:])
            state = called(advance, (*state[:count], *taken))
        return state

    fn.structure = Structure(
        "while", holds=holds, advance=advance, count=count, n_variables=n_variables, n_rest=n_rest,
        holds_sources=holds_sources, advance_sources=advance_sources,
    )  # fmt: skip
    operation = engine.Operation(
        "While", quietly(fn, has_effects), conditional=advance.conditional, turns=turn_by_turn
    )
    if grows or advance.step or holds.step:
        operation.step = in_python(turn_by_turn)
    return operation
