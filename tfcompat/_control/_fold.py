"""Accumulating over rows: scan, foldl, foldr."""

import functools

import jax

from tfcompat import array, engine, nest
from tfcompat._control._map import as_rows
from tfcompat._control._part import Part, assign, chosen, have_effects, quietly, row_of, split
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, to_node
from tfcompat._core.streams import graphs
from tfcompat._core.structure import Structure
from tfcompat._core.tensor import dtype_of, shape_of, wrap
from tfcompat._tracing.status import converted
from tfcompat.errors import InvalidArgumentError, OutOfRangeError
from tfcompat.tape import stop_gradient


@takes_composites("tf.scan")
def scan(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, infer_shape=True,
         reverse=False, name=None):  # fmt: skip
    """All values of an accumulator to which `fn` adds the rows of `elems`, one after another.

    Args:
      fn: function of (accumulator, row) to the next accumulator, nested alike.
      elems: tensor or nest of tensors with the same first dimension.
      initializer: the accumulator at the start, a tensor or a nest of tensors; by default the first row, which is the
        first result then.
      parallel_iterations, swap_memory, infer_shape, name: accepted, without effect on values.
      back_prop: if False, derivatives inside functions take the results for constants.
      reverse: whether to begin with the last row; results stay in the order of the rows.

    Returns:
      Nest like the accumulator, of tensors with the first dimension of `elems`.

    Raises:
      TypeError: `fn` is not callable.
      tf.errors.InvalidArgumentError: `fn` changes a dtype.
      tf.errors.OutOfRangeError: no rows and no `initializer`.

    TF: `tf.scan`.
    """
    return _accumulated(fn, elems, initializer, back_prop, reverse, collected=True)


@takes_composites("tf.foldl")
def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """The last value of an accumulator to which `fn` adds the rows of `elems`, from the first to the last.

    Args and errors as for `tf.scan`; inside a function being traced, shapes and dtypes may not change.

    Returns:
      Nest like the accumulator.

    TF: `tf.foldl`.
    """
    return _accumulated(fn, elems, initializer, back_prop, False, collected=False)


@takes_composites("tf.foldr")
def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """As `foldl`, from the last row to the first. TF: `tf.foldr`."""
    return _accumulated(fn, elems, initializer, back_prop, True, collected=False)


def _accumulated(fn, elems, initializer, back_prop, reverse, collected):
    if not callable(fn):
        raise TypeError(f"The provided function {fn!r} is not callable.")
    flat, count = as_rows(elems)
    fn, first = converted(fn), None
    if initializer is None:
        if not count:
            raise OutOfRangeError(None, None, "Tried to read from index 0 but array size is: 0 ")
        place = -1 if reverse else 0
        first = start = nest.pack_sequence_as(elems, [x[place] for x in flat])
        flat = [x[:-1] if reverse else x[1:] for x in flat]
        count -= 1
    else:
        start = nest.map_structure(convert_to_tensor, initializer)
    if engine.state.graph.symbolic or collected and not count:
        last, columns = _captured(fn, elems, flat, start, reverse, collected)
    else:
        last, columns = _in_python(fn, elems, flat, start, count, reverse, collected)
    if collected and first is not None:
        columns = [
            array.concat([c, array.expand_dims(x, 0)] if reverse else [array.expand_dims(x, 0), c], 0)
            for x, c in zip(nest.flatten(first), columns, strict=True)
        ]
    results = columns if collected else nest.flatten(last)
    if not back_prop and engine.state.graph.symbolic:
        results = [stop_gradient(x) for x in results]
    return nest.pack_sequence_as(last, results)


def _in_python(fn, elems, flat, start, count, reverse, collected):
    rows = [array.unstack(x) for x in flat]
    accumulator, states = start, []
    (fn,) = graphs(fn)
    for i in reversed(range(count)) if reverse else range(count):
        accumulator = _next(fn, accumulator, nest.pack_sequence_as(elems, [r[i] for r in rows]), collected)
        states.append(nest.flatten(accumulator))
    columns = []
    if collected:
        states = states[::-1] if reverse else states
        columns = [array.stack(column) for column in zip(*states, strict=True)] or [
            array.zeros([0, *x.shape], x.dtype) for x in nest.flatten(start)
        ]
    return accumulator, columns


def _next(fn, accumulator, row, checked):
    result = nest.map_structure(convert_to_tensor, fn(accumulator, row))
    if checked:
        nest.assert_same_structure(accumulator, result)
        for before, after in zip(nest.flatten(accumulator), nest.flatten(result), strict=True):
            if before.dtype != after.dtype:
                raise InvalidArgumentError(
                    None, None,
                    f"TensorArray dtype is {before.dtype.name} but Op is trying to write dtype {after.dtype.name} ",
                )  # fmt: skip
    return result


def _captured(fn, elems, flat, start, reverse, collected):
    row = nest.pack_sequence_as(elems, [row_of(x) for x in flat])
    part = Part(functools.partial(_next, fn, checked=collected), [start, row])
    start_nodes = [to_node(x) for x in nest.flatten(start)]
    nest.assert_same_structure(start, part.result)
    for a, b in zip(start_nodes, part.nodes, strict=True):
        if a.aval.dtype != b.aval.dtype or a.aval.shape != b.aval.shape:
            kind = TypeError if a.aval.dtype != b.aval.dtype else ValueError
            raise kind(
                f"the accumulator has shape {shape_of(a)} and dtype {dtype_of(a)!r}, but shape {shape_of(b)} and dtype "
                f"{dtype_of(b)!r} after one row"
            )
    variables = list(part.assigned.values())
    operation, captures = part.operation(variables)
    sources, rest = split(captures, variables)
    values = [v._current_node() for v in variables]
    accumulate = _accumulating(
        operation, len(start_nodes), len(flat), len(variables), sources, reverse, collected, have_effects(variables)
    )
    results = engine.apply(accumulate, (*start_nodes, *values, *[x._node for x in flat], *rest))
    end_of_state = len(start_nodes) + len(variables)
    assign(variables, results, len(start_nodes), part)
    last = nest.pack_sequence_as(start, [wrap(n) for n in results[: len(start_nodes)]])
    return last, [wrap(n) for n in results[end_of_state:]]


@engine.made_once
def _accumulating(operation, count, n_rows, n_variables, sources, reverse, collected, has_effects):
    """The operation of (accumulator..., variables..., rows..., captures...)."""

    def fn(*inputs):
        size = count + n_variables
        start, rows, rest = inputs[:size], inputs[size : size + n_rows], inputs[size + n_rows :]

        def turn(state, row):
            results = tuple(operation.fn(*state[:count], *row, *chosen(sources, rest, state[count:])))
            return results, results[:count] if collected else None

        last, columns = jax.lax.scan(turn, tuple(start), tuple(rows), reverse=reverse)
        return (*last, *(columns or ()))

    fn.structure = Structure(
        "scan", operation=operation, count=count, n_rows=n_rows, n_variables=n_variables, sources=sources,
        reverse=reverse, collected=collected,
    )  # fmt: skip
    return engine.Operation("Scan", quietly(fn, has_effects), conditional=operation.conditional)
