"""What functions of sparse tensors of unknown sizes return, where they are recorded as steps."""

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.steps import step
from tfcompat.math._arguments import as_axes
from tfcompat.sparse._tensor import SparseTensor


def saved_as(kernel, result, of_stack=None):
    """Decorator of a function: where a function is traced in which nothing is derived, a call of it is a step.

    Args:
      kernel: TF's name of the op.
      result: function of (new, *args, **kwargs), see `step`, for calls with a sparse tensor of unknown sizes.
      of_stack: see `step`.
    """

    def of_unknown_sizes(new, *args, **kwargs):
        flat = [x for arg in (*args, *kwargs.values()) for x in (arg if isinstance(arg, list | tuple) else [arg])]
        sparse = [x for x in flat if isinstance(x, SparseTensor)]
        if all(map(_are_sizes_known, sparse)) or any(x.shape.rank is None for x in sparse):
            return NotImplemented
        return result(new, *args, **kwargs)

    return step(kernel, of_unknown_sizes, underived=True, of_stack=of_stack)


def _are_sizes_known(sparse):
    return sparse.shape.is_fully_defined() and sparse.values.shape.is_fully_defined()


def sparse_like(new, dtype, sizes):
    """A SparseTensor of unknown places, with None for unknown sizes."""
    return SparseTensor(
        new([None, len(sizes)], dtypes.int64), new([None], dtype), new([len(sizes)], dtypes.int64)
    )  # fmt: skip


def whole(new, sp_input, *args, **kwargs):
    """The dense tensor."""
    return new(sp_input.shape.as_list(), sp_input.dtype)


def same(new, sp_input, *args, **kwargs):
    """A SparseTensor of that rank."""
    return sparse_like(new, sp_input.dtype, sp_input.shape.as_list())


def reduced(new, sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    """The dense tensor without some axes."""
    if output_is_sparse:
        return NotImplemented
    sizes, axes = sp_input.shape.as_list(), static_value(axis)
    axes = as_axes(axes if axes is None or isinstance(axes, tuple) else (axes,), len(sizes))
    kept = [(1 if a in axes else size) for a, size in enumerate(sizes) if keepdims or a not in axes]
    return new(kept, sp_input.dtype)


def product(new, sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    """The matrix product of a sparse matrix and a dense one."""
    if not isinstance(sp_a, SparseTensor):
        return NotImplemented
    b = convert_to_tensor(b)
    return new([sp_a.shape.as_list()[1 if adjoint_a else 0], b.shape.as_list()[0 if adjoint_b else 1]], sp_a.dtype)


def total(new, a, b, threshold=0):
    """The sum of two sparse tensors, or of a sparse and a dense one."""
    if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
        return same(new, a)
    dense = convert_to_tensor(b if isinstance(a, SparseTensor) else a)
    return new(dense.shape.as_list(), dense.dtype)


def joined(new, axis, sp_inputs, expand_nonconcat_dims=False, name=None):
    """Sparse tensors joined."""
    return NotImplemented if expand_nonconcat_dims or len(sp_inputs) < 2 else same(new, sp_inputs[0])


def filled(new, sp_input, default_value, name=None):
    """A sparse tensor, and which rows were empty."""
    return same(new, sp_input), new(sp_input.shape.as_list()[:1], dtypes.bool)


def reshaped(new, sp_input, shape, name=None):
    """A sparse tensor of another rank."""
    sizes = static_value(shape)
    return sparse_like(new, sp_input.dtype, sizes) if isinstance(sizes, tuple) else NotImplemented
