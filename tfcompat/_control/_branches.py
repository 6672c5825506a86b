"""Branches: cond, switch_case, case."""

import functools

import jax
import jax.numpy as jnp

from tfcompat import dtypes, engine, nest
from tfcompat._control._part import (
    Part,
    assign,
    forms_of_arrays,
    have_effects,
    quietly,
    recorded,
    with_alike_arrays,
)
from tfcompat._control._turns import in_python, known
from tfcompat._core.convert import to_node
from tfcompat._core.steps import records_steps
from tfcompat._core.streams import graphs
from tfcompat._core.structure import Structure
from tfcompat._core.symbolic_sizes import NeedsValues, new_symbols
from tfcompat._core.tensor import dtype_of, is_symbolic, shape_of, wrap
from tfcompat._tracing.status import converted
from tfcompat.array import cast, stack
from tfcompat.debugging import Assert
from tfcompat.engine import function_trace
from tfcompat.errors import InvalidArgumentError
from tfcompat.math import reduce_sum


def cond(pred, true_fn=None, false_fn=None, name=None):
    """The result of `true_fn()` if `pred`, else of `false_fn()`.

    Args:
      pred: bool, or scalar bool tensor.
      true_fn, false_fn: functions without arguments that return nests of tensors, alike in structure and dtypes. Where
        sizes differ, they are not known while a function is traced, and the branch is chosen between programs; where
        ranks differ, the function runs as plain Python.
      name: unused.

    Returns:
      What the chosen function returns.

    Raises:
      TypeError: a branch is not callable, or the branches of a traced `cond` return different structures or dtypes.
      tf.errors.UnimplementedError: the branches return different ranks, where a function must be traced; or different
        shapes in a function that is mapped.

    TF: `tf.cond`.
    """
    for argument, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if function is None:
            raise TypeError(f"cond(): '{argument}' argument required")
        if not callable(function):
            raise TypeError(f"'{argument}' must be callable.")
    node = to_node(pred, hint=dtypes.bool) if not isinstance(pred, bool) else None
    if node is None or not is_symbolic(node):
        if node is None:
            return converted(true_fn if pred else false_fn)()
        false_fn, true_fn = graphs(converted(false_fn), converted(true_fn))
        return (true_fn if engine.value_of(node) else false_fn)()
    if dtype_of(node) is not dtypes.bool:
        raise InvalidArgumentError(None, None, f"Input 'pred' passed {dtype_of(node).name} expected bool")
    if node.aval.shape:
        raise InvalidArgumentError(
            None, None, f"The first input to cond must be a scalar, but it has shape {shape_of(node)}"
        )
    parts = [Part(converted(true_fn), is_branch=True), Part(converted(false_fn), is_branch=True)]
    return switch_parts(node, parts[::-1])


def switch_on(index, branches):
    """The result of the captured one of `branches` that the node `index`, a bool or integer, chooses."""
    return switch_parts(index, [Part(branch, is_branch=True) for branch in branches])


def switch_parts(index, parts):
    """The result of one of the captured `parts`; see `switch_on`."""
    forms = forms_of_arrays([part.result for part in parts])
    if forms is not None:
        for part in parts:
            part.then(functools.partial(with_alike_arrays, forms), is_branch=True)
    first = parts[0]
    for other in parts[1:]:
        try:
            nest.assert_same_structure(first.result, other.result, expand_composites=True)
        except (TypeError, ValueError) as error:
            raise TypeError(f"true_fn and false_fn must return the same structure: {error}") from error
        if _places_of_none(first) != _places_of_none(other):
            raise ValueError(
                "Lengths of branch outputs of cond must match: one branch returns None where another returns a tensor"
            )
        for a, b in zip(first.nodes, other.nodes, strict=True):
            if a.aval.dtype != b.aval.dtype:
                raise TypeError(
                    "true_fn and false_fn must return tensors of the same dtype, got "
                    f"{dtype_of(a)!r} and {dtype_of(b)!r}"
                )
            if a.aval.shape != b.aval.shape and (len(a.aval.shape) != len(b.aval.shape) or not records_steps()):
                raise NeedsValues(
                    None, None,
                    f"tf.cond inside tf.function: branches return shapes {shape_of(a)} and {shape_of(b)}; shapes "
                    "must be static here",
                )  # fmt: skip
    variables = list({key: v for part in parts for key, v in part.assigned.items()}.values())
    if not variables and not first.nodes:
        return first.result
    operations = [part.operation(variables) for part in parts]
    captures = [c for _, c in operations]
    shapes = [{node.aval.shape for node in nodes} for nodes in zip(*[part.nodes for part in parts], strict=True)]
    differ = any([len(several) > 1 for several in shapes])
    operation = _branching(
        tuple(op for op, _ in operations), tuple(map(len, captures)), len(first.nodes), have_effects(variables), differ
    )
    avals = first.avals(variables)
    if differ:
        made = new_symbols([_names(*several, number=i) for i, several in enumerate(shapes)])
        dtypes_of_results = [node.aval.dtype for node in first.nodes]
        avals[: len(made)] = map(engine.Aval, made, dtypes_of_results)
        function_trace(engine.state.graph).sizes_by_values = True
    results = recorded(operation, (index, *[n for c in captures for n in c]), avals)
    assign(variables, results, len(first.nodes), *parts)
    tensors = iter([wrap(n) for n in results[: len(first.nodes)]])
    returned = nest.flatten(first.result, expand_composites=True)
    packed = [None if x is None else next(tensors) for x in returned]
    return nest.pack_sequence_as(first.result, packed, expand_composites=True)


def _names(*shapes, number):
    """A shape for `new_symbols`, with a name for each size in which the shapes of a result differ."""
    return tuple([
        sizes[0] if len(set(sizes)) == 1 else f"{number} {axis}" for axis, sizes in enumerate(zip(*shapes, strict=True))
    ])  # fmt: skip


def _places_of_none(part):
    return [x is None for x in nest.flatten(part.result, expand_composites=True)]


@engine.made_once
def _branching(operations, counts, results, has_effects, differ=False):
    def fn(index, *captures):
        groups, rest = [], list(captures)
        for count in counts:
            groups.append(rest[:count])
            rest = rest[count:]
        calls = [lambda op=op, xs=xs: tuple(op.fn(*xs)) for op, xs in zip(operations, groups, strict=True)]
        if index.dtype == bool:
            return jax.lax.cond(index, calls[1], calls[0])
        # An index out of range takes the last branch, as in TF.
        # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/control_flow_switch_case.py
        last = len(calls) - 1
        return jax.lax.switch(jnp.where((index < 0) | (index > last), last, index), calls)

    fn.structure = Structure("branches", operations=operations, counts=counts)
    # To TF it is one op: the gradient of any result is connected to what the results of any branch depend on.
    depends = functools.partial(engine.of_branches, operations, counts, results)
    operation = engine.Operation(
        "If", quietly(fn, has_effects), composed=depends, conditional=any(op.conditional for op in operations)
    )
    operation.turns = functools.partial(_taken, operations, counts)
    if differ or any(branch.step for branch in operations):
        operation.step = in_python(operation.turns)
    return operation


def _taken(operations, counts, called, index, *captures):
    """What the branch at `index` returns, called in Python."""
    chosen, last = int(known(index)), len(operations) - 1
    chosen = chosen if 0 <= chosen <= last else last
    start = sum(counts[:chosen])
    return called(operations[chosen], captures[start : start + counts[chosen]])


def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    """The result of `branch_fns[branch_index]()`.

    Args:
      branch_index: int32 scalar; out of range it chooses `default`, or the last function.
      branch_fns: list of functions, or dict or list of pairs from the ints 0 to n - 1 to functions.
      default: function for other indices.
      name: unused.

    Raises:
      TypeError: something is not callable, or an index is no integer.
      ValueError: there are no functions, or indices are missing.

    TF: `tf.switch_case`.
    """
    if not isinstance(branch_fns, list | tuple | dict):
        raise TypeError(f"branch_fns must be a list, tuple, or dict of functions, got {branch_fns!r}")
    items = list(branch_fns.items() if isinstance(branch_fns, dict) else branch_fns)
    if not items:
        raise ValueError("branch_fns must not be empty")
    if all(callable(f) for f in items):
        items = list(enumerate(items))
    for item in items:
        if not isinstance(item, tuple) or len(item) != 2 or type(item[0]) is not int or not callable(item[1]):
            raise TypeError(f"Each entry in branch_fns must be a function or a pair of int and function, got {item!r}")
    table = dict(items)
    if len(table) != len(items) or table.keys() != set(range(len(table))):
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(items)}) but found "
            f"{sorted(k for k, _ in items)}"
        )
    otherwise = default or table[max(table)]
    node = to_node(branch_index, hint=dtypes.int32)
    if dtype_of(node) not in (dtypes.int32, dtypes.int64):
        raise TypeError(f"branch_index must be an integer, got {dtype_of(node)!r}")
    if not is_symbolic(node):
        *branches, otherwise = graphs(*(converted(table[i]) for i in sorted(table)), converted(otherwise))
        index = int(engine.value_of(node))
        return (branches[index] if index in table else otherwise)()
    return switch_on(node, [*(converted(table[i]) for i in sorted(table)), converted(otherwise)])


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """The result of the first function whose predicate is true.

    Args:
      pred_fn_pairs: list of (scalar bool tensor, function).
      default: function if no predicate is true; inside a function being traced without it, the last one.
      exclusive: whether two true predicates are an error.
      strict, name: unused, as in eager TF.

    Raises:
      ValueError: there are no pairs.
      TypeError: they are not pairs of a predicate and a function.
      tf.errors.InvalidArgumentError: no predicate is true and there is no default; or, with `exclusive`, two are true.

    TF: `tf.case`.
    """
    pairs = list(pred_fn_pairs)
    if not pairs:
        raise ValueError("At least one pair of predicate and function must be given to tf.case.")
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2 or not callable(pair[1]):
            raise TypeError(f"Each entry in pred_fn_pairs must be a tuple of a predicate and a function, got {pair!r}")

    counted = [p for p, _ in pairs[: len(pairs) - (default is None)]]  # the last may be the default
    if exclusive and len(counted) > 1:
        count = reduce_sum(cast(stack(counted), dtypes.int32))
        shown = ", ".join("?" for _ in counted)
        text = f"Input error: exclusive=True: more than 1 conditions ({shown}) evaluated as True:"
        Assert(count <= 1, [text, *counted], len(counted))

    def nothing():
        raise InvalidArgumentError(None, None, "tf.case: none of the conditions is True and there is no default")

    if default is None and any(is_symbolic(to_node(p)) for p, _ in pairs):
        chosen = pairs.pop()[1]
    else:
        chosen = default or nothing
    for pred, function in reversed(pairs):
        chosen = functools.partial(cond, pred, function, chosen)
    return converted(chosen)()
