"""Datasets made from data: tensors, ranges, generators, random numbers."""

from typing import Any

import numpy as np

from tfcompat import dtypes, engine, sparse
from tfcompat._control._rows import rows
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.extension_type.types import ExtensionType, outer_size
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec, TypeSpec
from tfcompat._core.tensor import SymbolicTensor
from tfcompat._tracing.captured import live
from tfcompat._tracing.effects import as_tf_error
from tfcompat._tracing.elements import needs_values
from tfcompat.data import _block
from tfcompat.data._block import Block
from tfcompat.data._dataset import INFINITE, Dataset, integer, maker
from tfcompat.data._element import (
    NoneTensorSpec,
    flatten,
    form,
    is_dense,
    map_leaves,
    normalized,
    numpy_value,
    on_host,
    pack,
    spec_of,
    tensor,
    without_leading,
)  # fmt: skip
from tfcompat.data._run import Seeds, Words
from tfcompat.errors import InvalidArgumentError
from tfcompat.sparse import SparseTensor


def _stored(element) -> Any:
    """The element with arrays in place of tensors."""
    element = normalized(element)
    if any(isinstance(leaf, SymbolicTensor) for leaf in flatten(element)):
        needs_values("a dataset of symbolic tensors")
    return map_leaves(on_host, element)


class _TensorDataset(Dataset):
    def __init__(self, element):
        self._element = _stored(element)

    @property
    def element_spec(self):
        return map_leaves(spec_of, self._element)

    def _blocks(self, run, size):
        yield _block.single(flatten(self._element))

    def _count(self):
        return 1


class _TensorSliceDataset(Dataset):
    def __init__(self, element):
        self._element = _stored(element)
        leaves = [leaf for leaf in flatten(self._element) if leaf is not None]
        if not leaves:
            raise ValueError("Invalid `element`. `element` should not be empty.")
        for leaf in leaves:
            if not isinstance(leaf, ExtensionType) and len(leaf.shape) == 0:
                raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        sizes = [outer_size(leaf) for leaf in leaves]
        if len(set(sizes)) > 1:
            wrong = next(size for size in sizes if size != sizes[0])
            raise ValueError(f"Dimensions {sizes[0]} and {wrong} are not compatible")
        self._size = int(sizes[0])
        self._columns = [_column(leaf, self._size) for leaf in flatten(self._element)]

    @property
    def element_spec(self):
        return map_leaves(lambda leaf: without_leading(spec_of(leaf)), self._element)

    def _blocks(self, run, size):
        whole = Block(self._size, self._columns)
        for start in range(0, self._size, size):
            yield whole.part(start, start + size)

    def _indexed(self):
        return self._size, Block(self._size, self._columns).picked

    def _count(self):
        return self._size


def _column(leaf, size):
    """The rows of a component."""
    if leaf is None:
        return [None] * size
    if isinstance(leaf, np.ndarray):
        return leaf
    if isinstance(leaf, ExtensionType):
        return rows(leaf)
    if isinstance(leaf, SparseTensor):
        shape = [int(n) for n in leaf.dense_shape.numpy()]
        rest = [0] * (len(shape) - 1)
        return [
            sparse.reshape(sparse.slice(leaf, [i, *rest], [1, *shape[1:]]), shape[1:]) for i in range(size)
        ]  # fmt: skip
    return [on_host(leaf[i]) for i in range(size)]


class _RangeDataset(Dataset):
    def __init__(self, args, kwargs):
        kwargs = dict(kwargs)
        self._dtype = dtypes.as_dtype(kwargs.pop("output_type", dtypes.int64))
        kwargs.pop("name", None)
        if kwargs:
            raise TypeError(f"range() got an unexpected keyword argument {next(iter(kwargs))!r}")
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
        numbers = [integer(x, "range") for x in args]
        start, stop, step = (0, *numbers, 1) if len(args) == 1 else (*numbers, 1)[:3]
        if step == 0:
            raise InvalidArgumentError(None, None, "step must be a non-zero integer. [Op:RangeDataset] name: ")
        self._range = range(start, stop, step)

    element_spec = property(lambda self: TensorSpec([], self._dtype))

    def _blocks(self, run, size):
        numbers, step = self._range, self._range.step
        for start in range(0, self._count(), size):
            part = numbers[start : start + size]
            yield Block(len(part), [np.arange(part.start, part.stop, step, dtype=np.int64).astype(self._dtype.np)])

    def _indexed(self):
        start, step = self._range.start, self._range.step
        return self._count(), lambda i: Block(len(i), [(np.asarray(i, np.int64) * step + start).astype(self._dtype.np)])

    def _count(self):
        return len(self._range)


class _CounterDataset(Dataset):
    def __init__(self, start, step, dtype):
        self._dtype = dtypes.as_dtype(dtype)
        self._first, self._step = convert_to_tensor(start, self._dtype), convert_to_tensor(step, self._dtype)

    element_spec = property(lambda self: TensorSpec([], self._dtype))

    def _blocks(self, run, size):
        first, step, place = self._first._value(), self._step._value(), 0
        while True:
            numbers = np.arange(place, place + size).astype(self._dtype.np)
            yield Block(size, [(first + step * numbers).astype(self._dtype.np)])
            place += size

    def _count(self):
        return INFINITE


class _RandomDataset(Dataset):
    def __init__(self, seed, rerandomize):
        self._seeds = Seeds(seed, bool(rerandomize))

    element_spec = property(lambda self: TensorSpec([], dtypes.int64))

    def _blocks(self, run, size):
        words = Words(*self._seeds.draw(run))
        while True:
            yield Block(size, [words.take(size).astype(np.int64)])

    def _count(self):
        return INFINITE


# --- generators ---------------------------------------------------------------------------------------------------


@maker
def generator_spec(output_types, output_shapes, output_signature):
    """The structure of the specs of the elements that a generator yields.

    Raises:
      TypeError: both or none of the descriptions are given, or something else than specs.
    """
    if output_signature is not None:
        for name, value in (("output_types", output_types), ("output_shapes", output_shapes)):
            if value is not None:
                raise TypeError(
                    f"The `{name}` argument can not be used together with the `output_signature` argument."
                )
        for spec in flatten(output_signature):
            if not isinstance(spec, TypeSpec):
                raise TypeError(f"`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found "
                                f"{type(spec)} which is not.")  # fmt: skip
        return output_signature
    if output_types is None:
        raise TypeError(
            "To specify the output signature you need to provide either the `output_signature` argument or the "
            "`output_types` argument."
        )
    types = [dtypes.as_dtype(t) for t in flatten(output_types)]
    if output_shapes is None:
        shapes = [TensorShape(None)] * len(types)
    else:
        shapes = _shapes(output_types, output_shapes)
    return pack(output_types, [TensorSpec(shape, dtype) for shape, dtype in zip(shapes, types, strict=True)])


def _shapes(types, shapes):
    """The shapes in a structure like `types`, flattened. A list or tuple of sizes is one shape."""
    if isinstance(types, dict):
        return [shape for name in sorted(types) for shape in _shapes(types[name], shapes[name])]
    if isinstance(types, tuple):
        return [shape for t, s in zip(types, shapes, strict=True) for shape in _shapes(t, s)]
    return [TensorShape(shapes)]


class _GeneratorDataset(Dataset):
    _shown = "_FlatMapDataset"

    def __init__(self, generator, spec, args):
        self._generator, self._spec = live(generator), spec
        self._args = tuple(convert_to_tensor(arg) for arg in args) if args is not None else ()

    element_spec = property(lambda self: self._spec)

    def _blocks(self, run, size):
        specs = flatten(self._spec)
        arguments = [numpy_value(arg._value()) for arg in self._args]
        try:
            iterator = iter(self._generator(*arguments))
        except Exception as error:
            yield _block.failed(as_tf_error(error))
            return
        try:
            while True:
                try:
                    leaves = self._leaves(next(iterator), specs)
                except StopIteration:
                    return
                except Exception as error:
                    yield _block.failed(as_tf_error(error))
                    continue
                yield _block.single(leaves)
        finally:
            close = getattr(iterator, "close", None)
            if close is not None:
                close()

    def _leaves(self, values, specs):
        template = self._spec
        if len(specs) == 1 and not isinstance(template, tuple | dict):
            leaves = [values]
        else:
            values = _tuples(values, template)
            if form(values) != form(template):
                raise TypeError(
                    "`generator` yielded an element that did not match the expected structure. The expected structure "
                    f"was {map_leaves(lambda spec: spec.dtype if is_dense(spec) else spec, template)}, but the yielded "
                    f"element was {values}."
                )
            leaves = flatten(values)
        return [_fitting(value, spec) for value, spec in zip(leaves, specs, strict=True)]


def _tuples(value, template):
    """`value` with tuples in place of lists where the template has tuples."""
    if type(template) is tuple and isinstance(value, list | tuple) and len(value) == len(template):
        return tuple([_tuples(v, t) for v, t in zip(value, template, strict=True)])
    if isinstance(template, dict) and isinstance(value, dict) and sorted(value) == sorted(template):
        return type(template)((name, _tuples(value[name], template[name])) for name in template)
    return value


def _fitting(value, spec):
    """The array of a yielded component.

    Raises:
      TypeError: it has another dtype or shape.
    """
    if isinstance(spec, NoneTensorSpec):
        return None
    if not is_dense(spec):
        if not spec.is_compatible_with(value):
            raise TypeError(f"`generator` yielded {value}, which is not compatible with {spec}")
        return value
    dtype = spec.dtype
    if type(value) is np.ndarray and value.dtype == dtype.np and dtype is not dtypes.string:
        array = value.copy()  # the generator may write to it later
    else:
        try:
            with engine.eager_scope():
                array = _converted(value, dtype)
        except (TypeError, ValueError) as error:
            raise TypeError(
                "`generator` yielded an element that could not be converted to the expected type. The expected type "
                f"was {dtype.name}, but the yielded element was {value}."
            ) from error
    if not spec.shape.is_compatible_with(array.shape):
        raise TypeError(
            f"`generator` yielded an element of shape {array.shape} where an element of shape {spec.shape} was "
            "expected."
        )
    return array


def _converted(value, dtype):
    """As TF's `FuncRegistry._convert`: NumPy's conversion, of text to bytes."""
    if hasattr(value, "_value") or hasattr(value, "_as_node"):
        value = convert_to_tensor(value)._value()
    if dtype is dtypes.string:
        return convert_to_tensor(value, dtype)._value()
    array = np.asarray(value)
    if value is None or array.dtype.kind in "US":
        raise ValueError(f"text or None in place of {dtype.name}")
    return array.astype(dtype.np)


class _VariantDataset(Dataset):
    """A dataset inside an element: a window or a group."""

    def __init__(self, spec, blocks):
        self._spec, self._parts = spec, blocks

    element_spec = property(lambda self: self._spec)

    def _blocks(self, run, size):
        for block in self._parts:
            for start in range(0, block.size, size):
                yield block.part(start, start + size)

    def _count(self):
        return sum(block.size for block in self._parts)


class _ListDataset(Dataset):
    def __init__(self, elements):
        if not isinstance(elements, list | tuple) or not elements:
            raise ValueError("Invalid `elements`. `elements` should not be empty. If you want an empty dataset, use "
                             "`tf.data.Dataset.range(0)`.")  # fmt: skip
        self._elements = [_stored(element) for element in elements]

    @property
    def element_spec(self):
        return map_leaves(spec_of, self._elements[0])

    def _blocks(self, run, size):
        for element in self._elements:
            yield _block.single([*map(on_host, map(tensor, flatten(element)))])

    def _count(self):
        return len(self._elements)
