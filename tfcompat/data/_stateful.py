"""Transformations with a state or groups: scan, reduce, group_by_window, bucket_by_sequence_length."""

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.shape import TensorShape
from tfcompat._tracing.captured import as_of_now
from tfcompat.array import cast
from tfcompat.data import _block
from tfcompat.data._batches import _aligned, _as_shape, _is_shape
from tfcompat.data._dataset import UNKNOWN, Dataset, UnaryDataset, maker
from tfcompat.data._element import flatten, form, is_dense, map_leaves, pack, spec_of, tensor
from tfcompat.data._function import Mapped
from tfcompat.data._sources import _stored, _VariantDataset
from tfcompat.engine._policy import DATASETS
from tfcompat.errors import InvalidArgumentError
from tfcompat.math import reduce_sum


class _Pairs:
    """The arguments of functions of a state and an element."""

    def __init__(self, dataset, state):
        self._dataset, self._state = dataset, state

    @property
    def element_spec(self):
        return map_leaves(spec_of, self._state), self._dataset.element_spec

    def _flat_specs(self):
        return flatten(self.element_spec)

    def _spec_is_known(self):
        return self._dataset._spec_is_known()

    def _template(self):
        return self._state, self._dataset._template()

    def _new_run(self, trial=False):
        return self._dataset._new_run(trial)

    def _blocks(self, run, size):
        for block in self._dataset._blocks(run, 1):
            yield block if block.error is not None else _block.single([*flatten(self._state), *block.row(0)])


def _same_state(argument, state, new):
    """Raises TypeError unless a new state has the structure and dtypes of the first."""
    if form(state) != form(new):
        raise TypeError(f"Invalid `{argument}`. The element structure for the new state must match the initial state. "
                        f"Expected {state}; got {new}.")  # fmt: skip


def _check_types(argument, before, after):
    for a, b in zip(before, after, strict=True):
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.dtype != b.dtype:
            names = [dtypes.from_numpy(x.dtype) for x in (a, b)]
            raise TypeError(f"Invalid `{argument}`. The element types for the new state must match the initial state. "
                            f"Expected {names[0]!r}; got {names[1]!r}.")  # fmt: skip


@maker
def reduced(dataset, initial_state, function):
    """See `Dataset.reduce`."""
    state = _stored(initial_state)
    mapped = Mapped(_Pairs(dataset, state), function, "tf.data.Dataset.reduce")
    if mapped.is_learnt():
        _check_state("reduce_func", state, mapped.template(), mapped.flat_specs())
    run, leaves = dataset._new_run(), flatten(state)
    for row in dataset._rows(run, 1 if mapped.is_called else DATASETS.block):
        (result,) = mapped.blocks(run, _block.single([*leaves, *row]))
        if result.error is not None:
            raise result.error
        _same_state("reduce_func", state, mapped.template())
        after = result.row(0)
        _check_types("reduce_func", leaves, after)
        leaves = after
    return pack(state, map(tensor, leaves))


def _check_state(argument, state, template, specs):
    _same_state(argument, state, template)
    for leaf, spec in zip(flatten(state), specs, strict=True):
        if is_dense(spec) and isinstance(leaf, np.ndarray) and spec.dtype.np != leaf.dtype:
            raise TypeError(
                f"Invalid `{argument}`. The element types for the new state must match the initial state. Expected "
                f"{dtypes.from_numpy(leaf.dtype)!r}; got {spec.dtype!r}."
            )


class _ScanDataset(UnaryDataset):
    def __init__(self, dataset, initial_state, function):
        super().__init__(dataset)
        self._state = _stored(initial_state)
        self._mapped = Mapped(_Pairs(dataset, self._state), function, "tf.data.Dataset.scan")
        if self._mapped.is_learnt():
            state, _ = self._pair()
            _check_state("scan_func", self._state, state, self._mapped.flat_specs()[: len(flatten(state))])

    def _pair(self):
        template = self._mapped.template()
        if type(template) is not tuple or len(template) != 2:
            raise TypeError("Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the "
                            "output value.")  # fmt: skip
        return template

    @property
    def element_spec(self):
        state, output = self._pair()
        return pack(output, self._mapped.flat_specs()[len(flatten(state)) :])

    def _template(self):
        return self._pair()[1]

    def _spec_is_known(self):
        return self._mapped.is_learnt()

    def _blocks(self, run, size):
        leaves = flatten(self._state)
        for block in self._input._blocks(run, size):
            if block.error is not None:
                yield block
                continue
            for i in range(block.size):
                (result,) = self._mapped.blocks(run, _block.single([*leaves, *block.row(i)]))
                if result.error is not None:
                    yield result
                    continue
                state, _ = self._pair()
                _same_state("scan_func", self._state, state)
                count, after = len(leaves), result.row(0)
                _check_types("scan_func", leaves, after[:count])
                leaves = after[:count]
                yield _block.single(after[count:])


class _GroupByWindowDataset(UnaryDataset):
    def __init__(self, dataset, key_func, reduce_func, size_func):
        super().__init__(dataset)
        self._key = Mapped(dataset, key_func, "tf.data.Dataset.group_by_window")
        if self._key.is_learnt():
            (spec,) = self._key.flat_specs()
            if spec.dtype is not dtypes.int64 or spec.shape.rank not in (0, None):
                raise ValueError("Invalid `key_func`. `key_func` must return a single `tf.int64` scalar tensor but its "
                                 f"return type is {spec}.")  # fmt: skip
        self._reduce, self._size_of = as_of_now(reduce_func), as_of_now(size_func)
        self._last = None

    def _dataset(self, key, blocks):
        reduced = self._reduce(convert_to_tensor(np.int64(key)), _VariantDataset(self._input.element_spec, blocks))
        if not isinstance(reduced, Dataset):
            raise TypeError("Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object.")
        self._last = reduced
        return reduced

    @property
    def element_spec(self):
        return (self._last or self._dataset(0, [])).element_spec

    def _template(self):
        return (self._last or self._dataset(0, []))._template()

    def _spec_is_known(self):
        return self._input._spec_is_known()

    def _count(self):
        return UNKNOWN

    def _blocks(self, run, size):
        groups, sizes = {}, {}
        for block in self._input._blocks(run, 1):
            if block.error is not None:
                yield block
                continue
            for i in range(block.size):
                row = block.part(i, i + 1)
                (key_block,) = self._key.blocks(run, row)
                if key_block.error is not None:
                    yield key_block
                    continue
                key = int(key_block.row(0)[0])
                if key not in groups:
                    sizes[key] = int(convert_to_tensor(self._size_of(convert_to_tensor(np.int64(key))))._value())
                    if sizes[key] <= 0:
                        yield _block.failed(InvalidArgumentError(
                            None, None, f"Window size must be greater than zero, but got {sizes[key]}."
                        ))  # fmt: skip
                        continue
                groups.setdefault(key, []).append(row)
                if len(groups[key]) == sizes[key]:
                    yield from self._dataset(key, [_block.joined(groups.pop(key))])._blocks(run, size)
        for key in sorted(groups):
            yield from self._dataset(key, [_block.joined(groups[key])])._blocks(run, size)


@maker
def bucketed(dataset, length_func, boundaries, sizes, padded_shapes, padding_values, pad_to_boundary, no_padding,
             drop_remainder):  # fmt: skip
    """See `Dataset.bucket_by_sequence_length`."""
    boundaries, sizes = [int(n) for n in boundaries], [int(n) for n in sizes]
    if len(sizes) != len(boundaries) + 1:
        raise ValueError(
            "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
            f"`len(bucket_batch_sizes)={len(sizes)}` and `len(bucket_boundaries)={len(boundaries)}`."
        )
    ends = np.array(boundaries, np.int64)
    length_func = as_of_now(length_func)

    def key_of(*element):
        length = convert_to_tensor(length_func(*element))
        return reduce_sum(cast(cast(length, dtypes.int64) >= ends, dtypes.int64))

    def shapes_of(bucket):
        structure = dataset.element_spec
        shapes = [TensorShape(s.shape) for s in flatten(structure)] if padded_shapes is None else None
        if shapes is None:
            shapes = [_as_shape(x) for x in _aligned(structure, padded_shapes, _is_shape)]
        if pad_to_boundary:
            if bucket >= len(boundaries):
                raise InvalidArgumentError(
                    None, None, "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
                )
            end = boundaries[bucket] - 1
            shapes = [TensorShape([end if n is None else n for n in s.as_list()]) for s in shapes]
        return pack(structure, shapes)

    def reduce(key, group):
        bucket = int(key._value())
        if no_padding:
            return group.batch(sizes[bucket], drop_remainder)
        return group.padded_batch(sizes[bucket], shapes_of(bucket), padding_values, drop_remainder)

    return dataset.group_by_window(key_of, reduce, window_size_func=lambda key: sizes[int(key._value())])
