"""`tf.matmul` of ragged tensors."""

import numpy as np

from tfcompat._core.composite import handles
from tfcompat._core.convert import host_constant
from tfcompat.array import expand_dims, repeat, squeeze
from tfcompat.array._arguments import invalid
from tfcompat.ragged._join import stacked
from tfcompat.ragged._tensor import RaggedTensor, values_of

_NAMES = ["a", "b", "transpose_a", "transpose_b", "adjoint_a", "adjoint_b", "a_is_sparse", "b_is_sparse",
          "output_type", "grad_a", "grad_b", "name"]  # fmt: skip


@handles("tf.linalg.matmul")
def _matmul(function, args, kwargs):
    arguments = {**dict(zip(_NAMES, args, strict=False)), **kwargs}
    a, b = values_of(arguments.pop("a")), values_of(arguments.pop("b"))
    if not any(isinstance(x, RaggedTensor) for x in (a, b)):
        return NotImplemented
    return _product(function, a, b, arguments)


def _product(function, a, b, options):
    if a.dtype != b.dtype:
        raise ValueError("`a` and `b` must have the same dtype.")
    rank = a.shape.rank
    if rank != b.shape.rank:
        raise ValueError("`a` and `b` must have the same rank.")
    if rank == 2:
        return function(_matrix(a), _matrix(b), **options)
    if rank > 3:
        a, b = (x if isinstance(x, RaggedTensor) else RaggedTensor.from_tensor(x) for x in (a, b))
        if not np.array_equal(a.splits(), b.splits()):
            raise invalid("Batch dimensions of `a` and `b` do not have the same size.")
        return a.with_values(_product(function, a.values, b.values, options))
    flipped_a, flipped_b = (options.get(f"transpose_{x}") or options.get(f"adjoint_{x}") for x in "ab")
    if a.shape[0] != b.shape[0]:
        raise ValueError(f"Dimensions {b.shape[0]} and {a.shape[0]} are not compatible")
    if not (isinstance(b, RaggedTensor) or flipped_a) and a.ragged_rank == 1:
        rows = function(expand_dims(a.values, 1), repeat(b, host_constant(a.lengths()), axis=0), **options)
        return a.with_values(squeeze(rows, axis=1))
    inner = isinstance(b, RaggedTensor) and (b.ragged_rank == 2 or flipped_b)
    products = [_product(function, a[i], b[i], options) for i in range(a.shape[0])]
    return stacked([RaggedTensor.from_tensor(x) for x in products] if inner else products, 0)


def _matrix(value):
    """A ragged tensor whose rows are of one length as a matrix."""
    if not isinstance(value, RaggedTensor):
        return value
    if len(set(value.lengths().tolist())) > 1:
        raise invalid("The matrices in `a` and `b` may not be ragged in their innermost dimension.")
    return value.to_tensor()
