"""Mapping: map_fn, vectorized_map."""

import contextlib
import functools

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat import array, dtypes, engine, nest, ragged
from tfcompat._control._part import (
    Part,
    assign,
    chosen,
    dtype_in,
    have_effects,
    quietly,
    recorded,
    row_of,
    split,
)
from tfcompat._control._rows import rows_of, stacked_composites
from tfcompat._control._turns import in_python
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.extension_type import types
from tfcompat._core.extension_type.types import is_extension
from tfcompat._core.spec import TensorSpec
from tfcompat._core.streams import at_row, graphs
from tfcompat._core.structure import Structure
from tfcompat._core.tensor import Tensor, wrap
from tfcompat._core.turns import known_in_turns, numbers_of
from tfcompat._tracing.assertions import REPORT, in_rows
from tfcompat._tracing.status import converted
from tfcompat.array._arguments import invalid
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.ragged._tensor import RaggedTensor, RaggedTensorSpec
from tfcompat.sparse._tensor import SparseTensor, SparseTensorSpec
from tfcompat.tape import stop_gradient


def as_rows(elems, repeats=False):
    """Tensors of rows and how many rows they have; one row becomes many if it `repeats`."""
    flat = [convert_to_tensor(x) for x in nest.flatten(elems)]
    if not flat:
        raise ValueError("elems must be a Tensor or (possibly nested) sequence of Tensors. Got nothing.")
    for x in flat:
        if not x.shape.rank:
            raise ValueError(f"Elements in elems must be 1+ dimensional Tensors, not scalars: {x!r}")
    counts = [x._node.aval.shape[0] for x in flat]
    if repeats and 1 in counts and max(counts) > 1:
        flat = [array.repeat(x, max(counts), 0) if n == 1 else x for x, n in zip(flat, counts, strict=True)]
        counts = [max(counts) if n == 1 else n for n in counts]
    _check_counts(counts, invalid if repeats else ValueError)
    return flat, counts[0]


def _check_counts(counts, error=ValueError):
    """Raises unless all numbers of rows are equal."""
    for count in counts[1:]:
        if count != counts[0]:
            raise error(f"Dimensions {counts[0]} and {count} are not compatible: numbers of rows of elems")


def map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False, infer_shape=True,
           name=None, fn_output_signature=None):  # fmt: skip
    """Applies `fn` to each row of `elems` and stacks the results.

    Args:
      fn: function of one row (nested like `elems`) to a tensor or a nest of tensors.
      elems: tensor or nest of tensors with the same first dimension; RaggedTensors and SparseTensors among them.
      dtype: old name of `fn_output_signature`.
      parallel_iterations, swap_memory, infer_shape, name: accepted, without effect on values.
      back_prop: if False, derivatives take the results for constants.
      fn_output_signature: DType or TensorSpec, or a nest of them, where the result's structure or dtype differs
        from that of `elems`; checked.

    Returns:
      Nest like the result of `fn`, of tensors with the first dimension of `elems`.

    Raises:
      TypeError: `fn` is not callable.
      ValueError: the structure is another than that of the signature.
      tf.errors.InvalidArgumentError: a dtype is another than that of the signature.

    TF: `tf.map_fn`. Rows of a RaggedTensor or SparseTensor only outside of `tf.function`.
    """
    if not callable(fn):
        raise TypeError(f"The provided function {fn!r} is not callable.")
    fn = converted(fn)
    signature = fn_output_signature if fn_output_signature is not None else dtype
    leaves = [*nest.flatten(elems), *nest.flatten(signature)]
    if any(map(is_extension, leaves)):
        return _map_extensions(fn, elems, signature)
    if any(isinstance(x, CompositeTensor | RaggedTensorSpec | SparseTensorSpec) for x in leaves):
        return _map_composites(fn, elems, signature)
    flat, count = as_rows(elems)
    if signature is None:
        signature = nest.pack_sequence_as(elems, [x.dtype for x in flat])
    if engine.state.graph.symbolic or not count:
        first, columns = _traced_map(fn, elems, flat, signature)
    else:
        rows = [array.unstack(x) for x in flat]
        results = []
        (fn,) = graphs(fn)
        for i in range(count):
            results.append(fn(nest.pack_sequence_as(elems, [r[i] for r in rows])))
            if i == 0:
                _check_signature(results[0], signature)
        first = results[0]
        columns = [array.stack(column) for column in zip(*[nest.flatten(r) for r in results], strict=True)]
    if not back_prop:
        columns = [stop_gradient(c) for c in columns]
    return nest.pack_sequence_as(first, columns)


def _map_extensions(fn, elems, signature):
    """`map_fn` from or to values of extension types, over the tensors that encode them."""
    flat = nest.flatten(elems)
    single = [types.row_spec(x) for x in flat]
    if signature is None:
        signature = nest.pack_sequence_as(elems, single)
    results = []

    def of_rows(*rows):
        values = [types.decoded(spec, row) for spec, row in zip(single, rows[0], strict=True)]
        result = fn(nest.pack_sequence_as(elems, values))
        results.append(result)
        return [types.encoded(x) for x in nest.flatten(result)]

    columns = map_fn(
        of_rows, [types.encoded(x, 1) for x in flat],
        fn_output_signature=[types.encoding_specs(spec) for spec in nest.flatten(signature)],
    )  # fmt: skip
    specs = [types.batch_spec(x, types.outer_size(flat[0])) for x in nest.flatten(results[0])]
    whole = [types.decoded(spec, column) for spec, column in zip(specs, columns, strict=True)]
    return nest.pack_sequence_as(results[0], whole)


def _map_composites(fn, elems, signature):
    """`map_fn` over the rows of ragged or sparse tensors, one call after another."""
    if engine.state.graph.symbolic:
        raise UnimplementedError(
            None, None, "tf.map_fn over a RaggedTensor or SparseTensor inside tf.function: use tf.ragged."
            "map_flat_values, or a mask"
        )  # fmt: skip
    flat = nest.flatten(elems)
    rows = [rows_of(x) for x in flat]
    _check_counts([len(column) for column in rows])
    if not rows[0]:
        raise InvalidArgumentError(None, None, "tf.map_fn: elems must have rows where they are ragged or sparse")
    if signature is None:
        signature = nest.pack_sequence_as(elems, [_row_spec(x) for x in flat])
    (fn,) = graphs(fn)
    specs, results = nest.flatten(signature), []
    for parts in zip(*rows, strict=True):
        result = fn(nest.pack_sequence_as(elems, list(parts)))
        nest.assert_same_structure(signature, result)
        results.append([_as_specified(*pair) for pair in zip(specs, nest.flatten(result), strict=True)])
    columns = []
    for spec, column in zip(specs, zip(*results, strict=True), strict=True):
        whole = stacked_composites(column) if isinstance(column[0], SparseTensor) else None
        if isinstance(spec, RaggedTensorSpec):
            whole = ragged.stack(list(column)).with_row_splits_dtype(spec.row_splits_dtype)
        columns.append(array.stack(list(column)) if whole is None else whole)
    return nest.pack_sequence_as(signature, columns)


def _row_spec(value):
    """The spec of what `fn` must return where no signature tells: of any shape."""
    if isinstance(value, RaggedTensor):
        return RaggedTensorSpec(None, value.dtype, value.ragged_rank - 1, value.row_splits.dtype)
    return SparseTensorSpec(None, value.dtype) if isinstance(value, SparseTensor) else value.dtype


def _as_specified(spec, value):
    """What `fn` returns for a row, as a tensor if it is no ragged or sparse one; checked."""
    value = value if isinstance(value, CompositeTensor) else convert_to_tensor(value)
    is_composite = isinstance(spec, RaggedTensorSpec | SparseTensorSpec)
    if is_composite or isinstance(value, CompositeTensor):
        of_rows = TensorSpec(spec.shape, spec.dtype) if is_composite and spec.value_type is Tensor else spec
        if not is_composite or not of_rows.is_compatible_with(value):
            raise ValueError(f"Error in map_fn: expected `fn` to return a {spec}, but it returned {value!r}; give "
                             "`fn_output_signature`")  # fmt: skip
        if isinstance(spec, RaggedTensorSpec) and value.shape.rank == 0:
            raise InvalidArgumentError(None, None, "tf.map_fn: `fn` returns scalars; give `fn_output_signature`")
        return value
    _check_tensor(value, spec)
    return value


def _check_signature(result, signature):
    nest.assert_same_structure(signature, result)
    for value, spec in zip(nest.flatten(result), nest.flatten(signature), strict=True):
        _check_tensor(convert_to_tensor(value), spec)


def _check_tensor(value, spec):
    expected = dtype_in(spec)
    if value.dtype != expected:
        raise InvalidArgumentError(
            None, None, f"TensorArray dtype is {expected.name} but Op is trying to write dtype {value.dtype.name} "
        )
    if isinstance(spec, TensorSpec) and not spec.shape.is_compatible_with(value.shape):
        raise ValueError(f"Incompatible shape for value ({value.shape}), expected ({spec.shape})")


def _one_row(elems, flat):
    """`elems` with stand-ins for the tensors of one row."""
    return nest.pack_sequence_as(elems, [row_of(x) for x in flat])


def _traced_map(fn, elems, flat, signature):
    numbers = numbers_of(flat[0]) if len(flat) == 1 else None

    def of_row(row):
        with known_in_turns(nest.flatten(row)[0], numbers):
            return fn(row)

    part = Part(of_row, [_one_row(elems, flat)])
    _check_signature(part.result, signature)
    variables = list(part.assigned.values())
    operation, captures = part.operation(variables)
    sources, rest = split(captures, variables)
    start = [v._current_node() for v in variables]
    mapped = _mapping(operation, len(flat), len(variables), sources, have_effects(variables))
    avals, columns = part.avals(variables), len(part.nodes)
    size = flat[0]._node.aval.shape[0]
    avals[:columns] = [engine.Aval((size, *aval.shape), aval.dtype) for aval in avals[:columns]]
    results = recorded(mapped, (*[x._node for x in flat], *start, *rest), avals)
    assign(variables, results, len(part.nodes), part)
    return part.result, [wrap(n) for n in results[: len(part.nodes)]]


@engine.made_once
def _mapping(operation, count, n_variables, sources, has_effects):
    def fn(*inputs):
        rows, start, rest = inputs[:count], inputs[count : count + n_variables], inputs[count + n_variables :]

        def turn(state, row):
            results = operation.fn(*row, *chosen(sources, rest, state))
            n_columns = len(results) - n_variables
            return tuple(results[n_columns:]), tuple(results[:n_columns])

        state, columns = jax.lax.scan(turn, tuple(start), tuple(rows))
        return (*columns, *state)

    def row_by_row(called, *nodes):
        if not isinstance(nodes[0], engine.Node):
            return [engine.array_of(node) for node in row_by_row(engine.called, *map(engine.leaf, nodes))]
        elems = [array.unstack(wrap(node)) for node in nodes[:count]]
        state, rest = nodes[count : count + n_variables], nodes[count + n_variables :]
        turns = []
        for row in zip(*elems, strict=True):
            results = called(operation, (*[x._node for x in row], *chosen(sources, rest, state)))
            n_columns = len(results) - n_variables
            turns.append(map(wrap, results[:n_columns]))
            state = results[n_columns:]
        return (*[array.stack(column)._node for column in zip(*turns, strict=True)], *state)

    fn.structure = Structure(
        "map", operation=operation, n_rows=count, n_variables=n_variables, sources=sources
    )
    operation_of_all = engine.Operation("Map", quietly(fn, has_effects), conditional=operation.conditional)
    if operation.step is not None:
        operation_of_all.step = in_python(row_by_row)
    return operation_of_all


def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """Applies `fn` to all rows of `elems` at once, under `jax.vmap`.

    Args:
      fn: function of one row (nested like `elems`) to a tensor or a nest of tensors; captured once.
      elems: tensor or nest of tensors with the same first dimension.
      fallback_to_while_loop, warn: accepted; every operation has a vectorized form.

    Returns:
      Nest like the result of `fn`, of tensors with the first dimension of `elems`.

    Raises:
      tf.errors.UnimplementedError: `fn` assigns a variable; it draws random numbers in a traced function, but for
        `tf.random.stateless_*`.

    Each row draws random numbers of its own. What `fn` asserts must hold for each.
    TF: `tf.vectorized_map`; other random numbers, but for a single one of each row. It checks the first row only.
    """
    fn = converted(fn)
    flat, count = as_rows(elems, repeats=True)
    if any(x.dtype is dtypes.string for x in flat) and not engine.state.graph.symbolic:
        first = fn(nest.pack_sequence_as(elems, [x[0] for x in flat]))
        return map_fn(fn, elems, fn_output_signature=nest.map_structure(lambda x: x.dtype, first))
    indices = [_numbers(count)] if isinstance(count, int) else []  # unknown: while tracing

    def of_row(row, *index):
        with at_row(*index, count) if index else contextlib.nullcontext():
            return fn(row)

    with in_rows.set_to(True):
        part = Part(of_row, [_one_row(elems, flat), *map(row_of, indices)])
    flat += indices
    if any(variable is not REPORT for variable in part.assigned.values()):
        raise UnimplementedError(
            None, None,
            "tf.vectorized_map: `fn` assigns a variable, prints, or draws random numbers in a tf.function; use "
            "tf.map_fn, or tf.random.stateless_*",
        )  # fmt: skip
    report = part.report()
    operation, captures = part.capture.operation([*part.nodes, *([] if report is None else [report])], "Part")
    if operation.step is not None:  # text is not vectorized, nor is it in TF
        return map_fn(fn, elems, fn_output_signature=nest.map_structure(lambda x: x.dtype, part.result))
    results = engine.apply(_vectorized(operation, len(flat)), (*[x._node for x in flat], *captures))
    if report is not None:
        with engine.watching(()):
            REPORT._take(engine.apply(_FIRST_BROKEN, (REPORT._current_node(), results[-1])))
    return nest.pack_sequence_as(part.result, [wrap(n) for n in results[: len(part.nodes)]])


@functools.lru_cache(maxsize=64)
def _numbers(count):
    """The numbers of `count` rows: one tensor, which stays on the device."""
    return wrap(engine.leaf(np.arange(count)))


_FIRST_BROKEN = engine.Operation(
    "FirstBroken", lambda report, rows: engine.conditions.first_broken(jnp.concatenate([report[None], rows])),
    differentiable=False,
)  # fmt: skip


@engine.made_once
def _vectorized(operation, count):
    def fn(*inputs):
        rows, captures = inputs[:count], inputs[count:]
        return engine.vmapped(lambda *row: tuple(operation.fn(*row, *captures)), *rows)

    return engine.Operation(operation.name, fn, conditional=operation.conditional)
