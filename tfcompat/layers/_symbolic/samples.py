"""Stand-ins for KerasTensors while a layer is traced for the shapes and dtypes of its outputs."""

import numpy as np

from tfcompat._core.convert import convert_to_tensor
from tfcompat.layers._symbolic.keras_tensor import KerasTensor
from tfcompat.ragged._tensor import RaggedTensor, RaggedTensorSpec
from tfcompat.sparse._tensor import SparseTensor, SparseTensorSpec

# Texts for the two trials. They differ in length and in their number of words, so that sizes that depend on them
# differ, too.
# The later pairs are for functions that take only numbers, or only serialized messages.
TEXTS = (("00000001", "00000001 0000001"), ("00000001", "0000000100000001"), ("", ""))
_MOST_TEXTS = 1 << 16
_OF_SHAPES = ("compat.v1.shape", "compat.v1.size", "rank")  # ops that do not look at values


def is_text(x, layer):
    """Whether a KerasTensor stands for text that a layer looks at."""
    return x.dtype.name == "string" and getattr(layer, "symbol", None) not in _OF_SHAPES


def are_few(symbols, size):
    """Whether these KerasTensors, with `size` for each unknown size, hold few enough texts to compute with."""
    return all(np.prod(_sizes(x, size), dtype=float) <= _MOST_TEXTS for x in symbols if x.dtype.name == "string")


def elements(symbols, size):
    """How many elements the largest of these KerasTensors has, with `size` for each unknown size."""
    return max((np.prod(_sizes(x, size), dtype=float) for x in symbols if x.shape.rank is not None), default=0)


def _sizes(x, size):
    return [size if n is None else n for n in x.shape.as_list()]


def sample_of(x, sizes, trial, texts=TEXTS[0]):
    """A tensor for a KerasTensor, of these sizes: zeros, in the second trial also ones, or text."""
    if isinstance(x.type_spec, RaggedTensorSpec) and x.type_spec.ragged_rank:
        return _ragged(x, sizes, trial, texts)
    if isinstance(x.type_spec, SparseTensorSpec):
        return _sparse(x, sizes, trial, texts)
    return _dense(sizes, x.dtype, trial, texts)


def _dense(sizes, dtype, trial, texts):
    if dtype.name == "string":
        return convert_to_tensor(np.full(sizes, texts[trial].encode(), object))
    if dtype.is_integer and len(sizes) == 1 and sizes[0]:
        # They may be ids of segments, which must not decrease.
        return convert_to_tensor((np.arange(sizes[0]) * (2 if trial else 0) // sizes[0]).astype(dtype.as_numpy_dtype))
    values = np.zeros(sizes, bool)
    for axis, n in enumerate(sizes if trial else ()):  # neighbours differ along each axis
        values ^= np.reshape(np.arange(n) % 2 == 1, [-1 if other == axis else 1 for other in range(len(sizes))])
    return convert_to_tensor(values.astype(dtype.as_numpy_dtype))


def _ragged(x, sizes, trial, texts):
    """Rows of unequal lengths, which differ in the second trial."""
    rank, count = x.type_spec.ragged_rank, sizes[0]
    splits = []
    for n in x.shape.as_list()[1 : rank + 1]:
        lengths = np.arange(count) % 3 + trial + 1 if n is None else np.full(count, n)
        splits.append(np.concatenate([[0], np.cumsum(lengths)]).astype(x.type_spec.row_splits_dtype.as_numpy_dtype))
        count = int(splits[-1][-1])
    values = _dense([count, *sizes[rank + 1 :]], x.dtype, trial, texts)
    return RaggedTensor.from_nested_row_splits(values, splits, validate=False)


def _sparse(x, sizes, trial, texts):
    """A few elements, more in the second trial."""
    places = np.zeros([min(trial + 1, sizes[0]), len(sizes)], np.int64)
    places[:, 0] = np.arange(len(places))
    return SparseTensor(places, _dense([len(places)], x.dtype, trial, texts), sizes)


def all_symbols(flat):
    """The KerasTensors of a list."""
    return [x for x in flat if isinstance(x, KerasTensor)]
