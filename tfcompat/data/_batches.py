"""Batches, windows, and rows of batches."""

import math
from typing import Any

import numpy as np

from tfcompat import dtypes, ragged
from tfcompat._control._rows import stacked
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.extension_type.types import ExtensionType, ExtensionTypeSpec, outer_size
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec
from tfcompat.data import _block
from tfcompat.data._block import Block, shown
from tfcompat.data._dataset import UNKNOWN, UnaryDataset
from tfcompat.data._dataset_spec import DatasetSpec
from tfcompat.data._element import flatten, is_dense, map_leaves, pack, tensor, with_leading, without_leading
from tfcompat.data._sources import _column, _VariantDataset
from tfcompat.engine._policy import DATASETS
from tfcompat.errors import DataLossError, InvalidArgumentError
from tfcompat.ragged._tensor import RaggedTensorSpec
from tfcompat.sparse._tensor import SparseTensor, SparseTensorSpec


class _Batching(UnaryDataset):
    """Blocks of the batch size, each as one element."""

    def __init__(self, dataset, size, drop_remainder):
        super().__init__(dataset)
        if size < 1:
            raise InvalidArgumentError(None, None, "Batch size must be greater than zero.")
        self._size, self._drop = size, drop_remainder

    @property
    def _batch_size(self):
        """The size as an int64 tensor. It is private in TF, but other packages read it."""
        return convert_to_tensor(self._size, dtypes.int64)

    def _leading(self):
        return self._size if self._drop else None

    @property
    def element_spec(self):
        return map_leaves(lambda spec: with_leading(spec, self._leading()), self._input.element_spec)

    def _count(self):
        count = self._input._count()
        if count < 0:
            return count
        return count // self._size if self._drop else math.ceil(count / self._size)

    def _batches(self, run):
        """Yields blocks of the batch size, perhaps a smaller last one, and errors, which end a batch."""
        parts, count = [], 0
        for block in self._input._blocks(run, self._size):
            if block.error is not None:
                parts, count = [], 0
                yield block
                continue
            while block is not None:
                taken = block.part(0, self._size - count)
                parts.append(taken)
                count += taken.size
                block = block.part(taken.size, block.size) if taken.size < block.size else None
                if count == self._size:
                    yield _block.joined(parts)
                    parts, count = [], 0
        if parts and not self._drop:
            yield _block.joined(parts)

    def _made(self, block):
        """The components of a batch."""
        if any(type(column) is not np.ndarray for column in block.columns):
            return _of_composites(block.columns, self)
        return _block.stacked(block.columns)

    def _blocks(self, run, size):
        for block in self._batches(run):
            if block.error is not None:
                yield block
                continue
            try:
                made = _block.single(self._made(block))
            except Exception as error:
                made = _block.failed(error)
            yield made


def _of_composites(columns, batches):
    """A batch of each column as the spec of `batches` says: rows of what was a ragged tensor become one again."""
    dataset = batches._input
    is_needed = any(isinstance(column[0], ExtensionType) for column in columns)
    specs = dataset._flat_specs() if is_needed or dataset._spec_is_known() else [None] * len(columns)
    return [_of_spec(column, spec, batches._leading()) for column, spec in zip(columns, specs, strict=True)]


def _of_spec(column, spec, leading):
    if isinstance(spec, RaggedTensorSpec):
        rows = ragged.stack([tensor(row) for row in column])
        return rows.with_row_splits_dtype(spec.row_splits_dtype)
    if isinstance(spec, ExtensionTypeSpec):
        return stacked(column, with_leading(spec, leading))
    return _block.stacked([column])[0]


class _BatchDataset(_Batching):
    def __init__(self, dataset, size, drop_remainder):
        super().__init__(dataset, size, drop_remainder)
        if dataset._spec_is_known():
            self.element_spec  # noqa: B018 - its errors


class _ParallelBatchDataset(_BatchDataset):
    pass


class _PaddedBatchDataset(_Batching):
    def __init__(self, dataset, size, shapes, values, drop_remainder):
        super().__init__(dataset, size, drop_remainder)
        self._given_shapes, self._given_values = shapes, values
        self._shapes: Any = None
        self._values: Any = None
        if dataset._spec_is_known():
            self._settle()

    def _settle(self):
        """The padded shape and the padding value of each component.

        Raises:
          ValueError: they do not fit.
          TypeError: a component is no tensor; a value has another dtype.
        """
        if self._shapes is not None:
            return
        structure = self._input.element_spec
        specs = flatten(structure)
        for spec in specs:
            if not is_dense(spec):
                raise TypeError(f"`padded_batch` is only supported for datasets that produce tensor elements but the "
                                f"input dataset produces elements of unsupported type {type(spec)}.")  # fmt: skip
        if self._given_shapes is None:
            shapes = [spec.shape for spec in specs]
            if any(shape.rank is None for shape in shapes):
                raise ValueError("You must provide `padded_shapes` argument because component 0 has unknown rank.")
        else:
            shapes = [_as_shape(x) for x in _aligned(structure, self._given_shapes, _is_shape)]
        for shape, spec in zip(shapes, specs, strict=True):
            if spec.shape.rank is not None and shape.rank != spec.shape.rank:
                raise ValueError(
                    f"The padded shape {tuple(shape.as_list())} is not compatible with the shape "
                    f"{tuple(spec.shape.as_list())} of the corresponding input component."
                )
            sizes = spec.shape.as_list() if spec.shape.rank else ()
            for padded_size, size in zip(shape.as_list(), sizes, strict=False):
                if padded_size is not None and size is not None and size > padded_size:
                    raise ValueError(
                        f"The padded shape {tuple(shape.as_list())} is not compatible with the shape "
                        f"{tuple(spec.shape.as_list())} of the corresponding input component."
                    )
        values = self._given_values
        if values is None:
            values = [None] * len(specs)
        elif len(specs) > 1 and len(flatten(values)) == 1 and not isinstance(values, tuple | dict):
            values = [values] * len(specs)
        else:
            values = _aligned(structure, values, lambda x: not isinstance(x, tuple | dict))
        self._values = [_padding(value, spec) for value, spec in zip(values, specs, strict=True)]
        self._shapes = shapes

    @property
    def element_spec(self):
        self._settle()
        structure = self._input.element_spec
        return pack(structure, [
            TensorSpec(TensorShape([self._leading()]).concatenate(shape), spec.dtype)
            for shape, spec in zip(self._shapes, flatten(structure), strict=True)
        ])  # fmt: skip

    def _made(self, block):
        self._settle()
        return [
            _padded(column, shape.as_list(), value, number)
            for number, (column, shape, value) in enumerate(zip(block.columns, self._shapes, self._values, strict=True))
        ]


def _is_shape(x):
    return isinstance(x, TensorShape | list | int) or hasattr(x, "dtype") or isinstance(x, tuple) and all(
        n is None or isinstance(n, int | np.integer) for n in x
    )


def _as_shape(x):
    if isinstance(x, TensorShape):
        return x
    sizes = np.asarray(x).tolist() if hasattr(x, "dtype") else [x] if isinstance(x, int) else list(x)
    return TensorShape([None if n is None or n == -1 else int(n) for n in sizes])


def _aligned(structure, components, is_leaf):
    """The leaves of `components`, a structure like `structure` whose leaves may be lists and tuples."""
    if isinstance(structure, dict):
        return [leaf for name in sorted(structure) for leaf in _aligned(structure[name], components[name], is_leaf)]
    if isinstance(structure, tuple):
        if not isinstance(components, tuple | list) or len(components) != len(structure):
            raise ValueError(f"The two structures don't have the same sequence length: {components} and {structure}")
        return [leaf for s, g in zip(structure, components, strict=True) for leaf in _aligned(s, g, is_leaf)]
    if not is_leaf(components):
        raise TypeError(f"{components!r} does not fit a component of {structure}")
    return [components]


def _padding(value, spec):
    """The array of a padding value."""
    if value is None:
        if spec.dtype is dtypes.string:
            return convert_to_tensor(b"")._value()
        return np.zeros((), spec.dtype.np)
    pad = convert_to_tensor(value, dtype_hint=spec.dtype)
    if pad.shape.rank != 0:
        raise ValueError(f"Invalid `padding_values`. `padding_values` values should be scalars, but got {pad.shape}.")
    if pad.dtype != spec.dtype:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` value type {pad.dtype!r} does not match type {spec.dtype!r} "
            "of the corresponding input component."
        )
    return pad._value()


def _padded(column, sizes, value, number):
    rows = [column[i, ...] for i in range(len(column))] if type(column) is np.ndarray else column
    largest = [max(row.shape[axis] for row in rows) for axis in range(rows[0].ndim)]
    padded_sizes = [big if size is None else size for big, size in zip(largest, sizes, strict=True)]
    for i, row in enumerate(rows):
        if any(n > w for n, w in zip(row.shape, padded_sizes, strict=True)):
            raise DataLossError(
                None, None,
                f"Attempted to pad to a smaller size than the input element. Component {number}, element {i}: "
                f"{shown(row.shape)} in {shown(padded_sizes)}",
            )  # fmt: skip
    if type(column) is np.ndarray and list(column.shape[1:]) == padded_sizes:
        return column
    result = np.full([len(rows), *padded_sizes], value, rows[0].dtype)
    for i, row in enumerate(rows):
        result[(i, *map(slice, row.shape))] = row
    return result


class _RaggedBatchDataset(_Batching):
    def __init__(self, dataset, size, drop_remainder, splits_dtype):
        super().__init__(dataset, size, drop_remainder)
        self._splits = splits_dtype

    def _spec(self, spec):
        if not is_dense(spec) or spec.shape.is_fully_defined():
            return with_leading(spec, self._leading())
        shape = TensorShape([self._leading()]).concatenate(spec.shape)
        return RaggedTensorSpec(shape, spec.dtype, _ragged_rank(spec), self._splits)

    @property
    def element_spec(self):
        return map_leaves(self._spec, self._input.element_spec)

    def _made(self, block):
        made = []
        for column, spec in zip(block.columns, self._input._flat_specs(), strict=True):
            if not is_dense(spec) or spec.shape.is_fully_defined():
                made.append(_of_spec(column, spec, self._leading()))
            else:
                rows = [column[i, ...].tolist() for i in range(len(column))] if type(column) is np.ndarray else [
                    row.tolist() for row in column
                ]
                made.append(ragged.constant(rows, spec.dtype, _ragged_rank(spec), row_splits_dtype=self._splits))
        return made


class _SparseBatchDataset(_Batching):
    """Batches as sparse tensors, which hold every element of their rows, zeros too."""

    def __init__(self, dataset, size, row_shape):
        super().__init__(dataset, size, False)
        self._row_shape = TensorShape(row_shape)
        if dataset._spec_is_known():
            self.element_spec  # noqa: B018 - its errors

    def _spec(self, spec):
        if not is_dense(spec):
            raise TypeError(f"sparse_batch takes dense tensors, got {spec}")
        return SparseTensorSpec(TensorShape([None]).concatenate(self._row_shape), spec.dtype)

    @property
    def element_spec(self):
        return map_leaves(self._spec, self._input.element_spec)

    def _made(self, block):
        made = []
        for column in block.columns:
            rows = [np.asarray(column[i]) for i in range(len(column))]
            largest = [max(sizes) for sizes in zip(*[row.shape for row in rows], strict=True)]
            shape = [n if size is None else size for n, size in zip(largest, self._row_shape.as_list(), strict=True)]
            if any(n > size for n, size in zip(largest, shape, strict=True)):
                raise DataLossError(None, None, f"sparse_batch: a row has shape {largest}, which is beyond {shape}")
            places = [
                np.insert(np.indices(row.shape).reshape(row.ndim, -1).T, 0, number, axis=1)
                for number, row in enumerate(rows)
            ]
            values = np.concatenate([row.reshape(-1) for row in rows])
            made.append(SparseTensor(np.concatenate(places).astype(np.int64), values, [len(rows), *shape]))
        return made


def _ragged_rank(spec):
    return max(axis for axis, size in enumerate(spec.shape.as_list(), 1) if size is None)


class _UnbatchDataset(UnaryDataset):
    def __init__(self, dataset):
        super().__init__(dataset)
        if dataset._spec_is_known():
            self.element_spec  # noqa: B018 - its errors

    @property
    def element_spec(self):
        return map_leaves(without_leading, self._input.element_spec)

    def _blocks(self, run, size):
        for block in self._input._blocks(run, 1):
            yield from rows_of(block, size)

    def _count(self):
        count = self._input._count()
        if count <= 0:
            return count
        specs = self._input._flat_specs() if self._input._spec_is_known() else []
        sizes = [spec.shape[0] for spec in specs if is_dense(spec) and spec.shape.rank]
        size = next((n for n in sizes if n is not None), None)
        return UNKNOWN if size is None else count * size


def rows_of(block, size):
    """Yields the rows of elements as blocks."""
    if block.error is not None:
        yield block
        return
    for i in range(block.size):
        leaves = block.row(i)
        sizes = {int(outer_size(leaf)) for leaf in leaves if leaf is not None}
        if len(sizes) != 1:
            yield _block.failed(InvalidArgumentError(
                None, None, "Input element must have the same batch size in each component."
            ))  # fmt: skip
            continue
        count = sizes.pop()
        rows = Block(count, [_column(leaf, count) for leaf in leaves])
        for start in range(0, count, size):
            yield rows.part(start, start + size)


class _RebatchDataset(UnaryDataset):
    def __init__(self, dataset, sizes, drop_remainder):
        super().__init__(dataset)
        if not sizes or min(sizes) < 0 or not max(sizes):
            raise InvalidArgumentError(None, None, "Batch sizes must be greater than zero.")
        self._sizes, self._drop = sizes, drop_remainder

    @property
    def element_spec(self):
        size = self._sizes[0] if self._drop and len(set(self._sizes)) == 1 else None
        return map_leaves(lambda spec: with_leading(without_leading(spec), size), self._input.element_spec)

    def _blocks(self, run, size):
        parts, count, turn = [], 0, 0
        for element in self._input._blocks(run, 1):
            for block in rows_of(element, DATASETS.block):
                while block is not None:
                    if block.error is not None:
                        yield block
                        break
                    taken = block.part(0, self._size_at(turn) - count)
                    parts.append(taken)
                    count += taken.size
                    block = block.part(taken.size, block.size) if taken.size < block.size else None
                    while count == self._size_at(turn):  # a batch of no rows comes even if no rows follow
                        yield _block.single(_block.stacked(_block.joined(parts).columns))
                        parts, count, turn = [taken.part(0, 0)], 0, turn + 1
        if count and not self._drop:
            yield _block.single(_block.stacked(_block.joined(parts).columns))

    def _size_at(self, turn):
        return self._sizes[turn % len(self._sizes)]

    def _count(self):
        count = self._input._count()
        return count if count <= 0 else UNKNOWN


class _WindowDataset(UnaryDataset):
    def __init__(self, dataset, size, shift, stride, drop_remainder):
        super().__init__(dataset)
        for value, name in ((size, "size"), (shift, "shift"), (stride, "stride")):
            if value < 1:
                raise InvalidArgumentError(None, None, f"Window {name} must be greater than zero.")
        self._size, self._shift, self._stride, self._drop = size, shift, stride, drop_remainder

    @property
    def element_spec(self):
        return map_leaves(DatasetSpec, self._input.element_spec)

    def _blocks(self, run, size):
        span = (self._size - 1) * self._stride + 1
        window, skipped, ended = [], 0, False  # rows from the start of the window on; rows to drop first
        source = self._rows_of_input(run)
        while True:
            while not ended and len(window) < span:
                row = next(source, None)
                if row is None:
                    ended = True
                elif isinstance(row, Block):
                    yield row
                elif skipped:
                    skipped -= 1
                else:
                    window.append(row)
            rows = window[:span:self._stride]
            if not rows or self._drop and len(rows) < self._size:
                return
            specs = self._input._flat_specs()
            yield Block(1, [
                [_VariantDataset(spec, [_block.joined([_block.single([row[i]]) for row in rows])])]
                for i, spec in enumerate(specs)
            ])  # fmt: skip
            skipped = max(self._shift - len(window), 0)
            window = window[self._shift :]

    def _rows_of_input(self, run):
        for block in self._input._blocks(run, DATASETS.block):
            if block.error is not None:
                yield block
            else:
                yield from map(block.row, range(block.size))

    def _count(self):
        count = self._input._count()
        if count < 0:
            return count
        if not self._drop:
            return math.ceil(count / self._shift)
        span = (self._size - 1) * self._stride + 1
        return 0 if count < span else (count - span) // self._shift + 1


