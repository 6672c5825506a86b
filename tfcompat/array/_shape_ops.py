"""Ops that move, repeat, join and split without looking at values."""

import math

import jax.numpy as jnp
import numpy as np

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, host_constant, static_value, to_node
from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import ANY, CHECKED_BY_STEPS, op
from tfcompat._core.registry import OPS
from tfcompat._core.shape import TensorShape
from tfcompat._core.stacks import RaggedRows
from tfcompat._core.steps import is_unknown, step
from tfcompat._core.symbolic_sizes import NeedsValues, are_known, is_symbol, shape_node
from tfcompat._core.tensor import Tensor, wrap
from tfcompat.array._arguments import as_int, as_ints, as_sizes, invalid, show_shape

_SHAPE_DTYPES = (dtypes.int32, dtypes.int64)


# Shapes as tensors ------------------------------------------------------------------------------------------


@takes_composites("tf.shape")
def shape(input, out_type=None, name=None):
    """The shape of `input` as a tensor; it stays on the host, so it can be used as a shape in turn.

    Args:
      input: tensor of any shape and dtype.
      out_type: int32 (default) or int64.
      name: ignored.

    Returns:
      1-D tensor of dtype `out_type`.

    Gradient: None.
    TF: `tf.shape`; no known difference.
    """
    sizes, dtype = _sizes_of(input), _shape_dtype(out_type).np
    if not are_known(sizes):
        return wrap(shape_node(to_node(input), dtype))
    return host_constant(np.array(sizes, dtype))


@takes_composites("tf.shape_n")
def shape_n(input, out_type=dtypes.int32, name=None):
    """The shapes of several tensors; see `shape`.

    Args:
      input: list of tensors.
      out_type: int32 or int64.
      name: ignored.

    Returns:
      List of 1-D tensors of dtype `out_type`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ.

    TF: `tf.shape_n`; no known difference.
    """
    input = [convert_to_tensor(item) for item in input]
    for i, item in enumerate(input):
        if item.dtype != input[0].dtype:
            raise invalid(
                f"cannot compute ShapeN as input #{i}(zero-based) was expected to be a {input[0].dtype.name} tensor "
                f"but is a {item.dtype.name} tensor [Op:ShapeN]"
            )
    return [shape(item, out_type) for item in input]


@takes_composites("tf.size")
def size(input, out_type=None, name=None):
    """The number of elements of `input`, as a host constant.

    Args:
      input: tensor of any shape and dtype.
      out_type: a numeric dtype, int32 by default; int32 or int64 where the shape is not known.
      name: ignored.

    Returns:
      Scalar tensor of dtype `out_type`.

    Gradient: None.
    TF: `tf.size`; no known difference.
    """
    sizes = _sizes_of(input)
    if not are_known(sizes):
        return OPS["tf.math.reduce_prod"](shape(input, out_type))
    dtype = dtypes.as_dtype(dtypes.int32 if out_type is None else out_type)
    if not (dtype.is_bool or dtype.is_integer or dtype.is_floating or dtype.is_complex):
        raise TypeError(f"Cannot convert {math.prod(sizes)} to EagerTensor of dtype {dtype.name}")
    return host_constant(np.array(math.prod(sizes), dtype.np))


@takes_composites("tf.rank")
def rank(input, name=None):
    """The number of axes of `input`, as a host constant.

    Args:
      input: tensor of any shape and dtype.
      name: ignored.

    Returns:
      Scalar int32 tensor.

    Gradient: None.
    TF: `tf.rank`; no known difference.
    """
    return host_constant(np.array(len(_sizes_of(input)), np.int32))


def _sizes_of(value):
    if isinstance(value, Tensor):
        return value._node.aval.shape
    # Variables have a shape too, and asking for it is no read.
    shape = getattr(value, "shape", None)
    if not isinstance(shape, TensorShape) or not shape.is_fully_defined():
        shape = convert_to_tensor(value).shape
    return tuple(shape)


def _shape_dtype(out_type):
    out_type = dtypes.int32 if out_type is None else dtypes.as_dtype(out_type)
    if out_type not in _SHAPE_DTYPES:
        raise invalid(f"`out_type` must be int32 or int64, got {out_type.name}")
    return out_type


def broadcast_static_shape(shape_x, shape_y):
    """The shape that two shapes broadcast to.

    Args:
      shape_x: `TensorShape`.
      shape_y: `TensorShape`.

    Returns:
      `TensorShape`; unknown sizes stay unknown unless the other shape decides.

    Raises:
      ValueError: the shapes do not broadcast.

    TF: `tf.broadcast_static_shape`; no known difference.
    """
    shape_x, shape_y = TensorShape(shape_x), TensorShape(shape_y)
    if shape_x.rank is None or shape_y.rank is None:
        return TensorShape(None)
    rank = max(shape_x.rank, shape_y.rank)
    x, y = ([1] * (rank - one.rank) + one.as_list() for one in (shape_x, shape_y))
    sizes = []
    for a, b in zip(x, y, strict=True):
        if a == 1 or b == 1:
            sizes.append(b if a == 1 else a)
        elif a is None or b is None:
            sizes.append(b if a is None else a)
        elif a == b:
            sizes.append(a)
        else:
            raise ValueError(
                "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension pair "
                f"they are either equal or one of them is 1. Received: {shape_x} and {shape_y}."
            )
    return TensorShape(sizes)


@takes_composites("tf.broadcast_dynamic_shape")
def broadcast_dynamic_shape(shape_x, shape_y):
    """The shape that two shapes, given as tensors, broadcast to.

    Args:
      shape_x: 1-D int32 or int64 tensor.
      shape_y: 1-D tensor of the same dtype.

    Returns:
      1-D tensor of that dtype.

    Raises:
      tf.errors.InvalidArgumentError: the shapes do not broadcast.

    TF: `tf.broadcast_dynamic_shape`; no known difference.
    """
    x = convert_to_tensor(shape_x, dtype_hint=dtypes.int32)
    y = convert_to_tensor(shape_y, dtype_hint=x.dtype)
    if x.dtype not in _SHAPE_DTYPES or y.dtype != x.dtype:
        raise invalid(f"cannot compute BroadcastArgs of {x.dtype.name} and {y.dtype.name}: int32 or int64 is needed")
    if x.shape.rank != 1 or y.shape.rank != 1:
        raise invalid(f"In[{int(x.shape.rank == 1)}] must be a vector, got shapes {x.shape} and {y.shape}")
    sizes = [as_sizes(static_value(one)) for one in (x, y)]
    try:
        sizes_of_both = jnp.broadcast_shapes(*sizes)
    except ValueError as err:
        raise invalid(f"Incompatible shapes: {show_shape(sizes[0])} vs. {show_shape(sizes[1])}") from err
    if are_known(sizes_of_both):
        return host_constant(np.array(sizes_of_both, x.dtype.np))
    return shape(broadcast_to(False, sizes_of_both), x.dtype)


# Same elements, other shape ---------------------------------------------------------------------------------


def _reshape(tensor, shape):
    """Works on NumPy and JAX arrays alike, as do the other helpers given to `host=` below."""
    if any(type(item) is float for item in (shape if isinstance(shape, tuple) else (shape,))):
        raise invalid(f"`shape` must be int32 or int64, got {shape}")
    sizes = as_ints(shape, "sizes")
    unknown = [i for i, one in enumerate(sizes) if one == -1]
    if len(unknown) > 1:
        raise invalid(f"Only one input size may be -1, not both {unknown[0]} and {unknown[1]}")
    for i, one in enumerate(sizes):
        if one < -1:
            raise invalid(f"Size {i} must be non-negative, not {one}")
    known = math.prod(one for one in sizes if one != -1)
    text = f"Input to reshape is a tensor with {tensor.size} values, but the requested shape"
    if not unknown:
        if known != tensor.size:
            raise invalid(f"{text} has {known}")
        return tensor.reshape(sizes)
    if known == 0:
        if tensor.size:
            raise invalid(f"{text} requires a multiple of 0")
        # TF's kernel takes the sizes of equal position as given before it infers the rest.
        rest = 0 if unknown[0] >= tensor.ndim else _inferred_empty(tensor.shape, sizes)
        return tensor.reshape([rest if one == -1 else one for one in sizes])
    if tensor.size % known:
        raise invalid(f"{text} requires a multiple of {known}")
    return tensor.reshape([tensor.size // known if one == -1 else one for one in sizes])


def _inferred_empty(before, after):
    """The size -1 stands for when both shapes hold zeros: by the sizes that are not zero."""
    numerator = math.prod(one for one in before if one)
    denominator = math.prod(one for one in after if one > 0)
    return numerator // denominator if denominator and numerator % denominator == 0 else 0


@op("tf.reshape", kernel="Reshape", tensors=("tensor",), host=_reshape, numpy=True)
def reshape(tensor, shape):
    """The same elements in the same order, in another shape.

    Args:
      tensor: tensor of any dtype.
      shape: integers; one of them may be -1, which stands for what is left.

    Returns:
      Tensor of shape `shape` and the dtype of `tensor`.

    Raises:
      tf.errors.InvalidArgumentError: the number of elements does not fit; sizes below -1, or more than one
        -1.

    TF: `tf.reshape`; no known difference.
    """
    return _reshape(tensor, shape)


def _known_shape(new, tensor, shape):
    if isinstance(shape, Tensor) and is_unknown(shape) or not are_known(static_value(shape)):
        raise NeedsValues(None, None, "whether the sizes fit a shape that is not known")
    return new([None if size == -1 else size for size in static_value(shape)], tensor.dtype)


def _reshaped_rows(tensor, shape):
    sizes = static_value(shape)
    if not isinstance(tensor, RaggedRows):
        return reshape(tensor, [tensor.shape[0], *sizes])
    inner, each = math.prod(tensor.values.shape[1:]), math.prod(sizes[1:])
    if sizes[:1] != (-1,) or -1 in sizes[1:] or not each or (tensor.lengths * inner % each).any():
        return NotImplemented
    return RaggedRows(reshape(tensor.values, sizes), tensor.lengths * inner // each)


@step("Reshape", _known_shape, of_stack=_reshaped_rows)
def _reshape_by_values(tensor, shape):
    return reshape(tensor, shape)


CHECKED_BY_STEPS["Reshape"] = lambda tensor, shape, name=None: _reshape_by_values(tensor, shape)


def _expand_dims(input, axis):
    if isinstance(axis, tuple):
        if len(axis) != 1:
            raise invalid("'dim' must be a tensor with a single value")
        axis = axis[0]
    if axis is None:
        raise ValueError(
            "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor."
        )
    axis = as_int(axis, "axis")
    if not -input.ndim - 1 <= axis <= input.ndim:
        raise invalid(f"Tried to expand dim index {axis} for tensor with {input.ndim} dimensions.")
    axis %= input.ndim + 1
    return input.reshape(input.shape[:axis] + (1,) + input.shape[axis:])


@op("tf.expand_dims", kernel="ExpandDims", tensors=("input",), host=_expand_dims, numpy=True)
def expand_dims(input, axis):
    """Inserts an axis of size 1.

    Args:
      input: tensor of any shape and dtype.
      axis: where the new axis goes, in [-rank - 1, rank].

    Returns:
      Tensor of rank one more than `input`.

    Raises:
      tf.errors.InvalidArgumentError: `axis` out of range.

    TF: `tf.expand_dims`; no known difference.
    """
    return _expand_dims(input, axis)


def _squeeze(input, axis):
    rank = input.ndim
    listed = axis if isinstance(axis, tuple) else () if axis is None else (axis,)
    axes = tuple([as_int(one, "axis", attribute=True) for one in listed])
    for one in axes:
        if not -rank <= one < rank:
            raise invalid(f"Tried to squeeze dim index {one} for tensor with {rank} dimensions.")
        if input.shape[one] != 1:
            raise invalid(
                f"Can not squeeze dim[{one % rank}], expected a dimension of 1, got {input.shape[one]}"
            )
    if not axes and not are_known(input.shape):
        raise invalid("which sizes are 1 is not known while the function is traced: give the axis")
    gone = {one % rank for one in axes} if axes else {i for i, one in enumerate(input.shape) if one == 1}
    return input.reshape([one for i, one in enumerate(input.shape) if i not in gone])


@op("tf.squeeze", kernel="Squeeze", tensors=("input",), host=_squeeze, numpy=True)
def squeeze(input, axis=None):
    """Removes axes of size 1.

    Args:
      input: tensor of any shape and dtype.
      axis: the axes to remove, one integer or several, in [-rank, rank); all of size 1 if None or empty.

    Returns:
      Tensor with the same elements.

    Raises:
      tf.errors.InvalidArgumentError: an axis is out of range or not of size 1.

    TF: `tf.squeeze`; no known difference.
    """
    return _squeeze(input, axis)


def _transpose(a, perm, conjugate):
    if perm is None:
        order = tuple(reversed(np.arange(a.ndim).tolist()))
    else:
        order = _permutation(perm, a.ndim)
    result = a.transpose(order)
    return result.conj() if conjugate and result.dtype.kind == "c" else result


def _permutation(perm, rank):
    if not isinstance(perm, tuple):
        raise invalid("perm must be rank 1, got shape []")
    if any(type(item) is float for item in perm):
        raise invalid(f"`perm` must be int32 or int64, got {perm}")
    perm = as_ints(perm, "perm")
    if len(perm) != rank:
        raise invalid(
            f"transpose expects a vector of size {rank}. But input(1) is a vector of size {len(perm)}"
        )
    for one in perm:
        if not -rank <= one < rank:
            raise invalid(f"{one} is out of range [0 .. {rank})")
    order = tuple(one % rank for one in perm)
    for i in np.arange(rank).tolist():
        if i not in order:
            raise when_run(f"{i} is missing from {{{','.join(str(one) for one in perm)}}}.")
    return order


def _transpose_on_host(a, perm, conjugate, name=None):
    return _transpose(a, perm, conjugate)


@op("tf.transpose", kernel="Transpose", tensors=("a",), host=_transpose_on_host, numpy=True)
def transpose(a, perm=None, conjugate=False, name="transpose"):
    """Reorders the axes.

    Args:
      a: tensor of any dtype.
      perm: for each axis of the result, the axis of `a` it comes from; reversed order if None.
      conjugate: whether to take the complex conjugate too.
      name: ignored.

    Returns:
      Tensor of the dtype of `a`.

    Raises:
      tf.errors.InvalidArgumentError: `perm` is not a permutation of the axes.

    TF: `tf.transpose`; no known difference.
    """
    return _transpose(a, perm, conjugate)


@op("tf.identity", kernel="Identity", tensors=("input",), host=lambda input: input, numpy=True)
def identity(input):
    """A tensor with the values of `input`.

    Args:
      input: tensor of any shape and dtype.

    Returns:
      A new tensor object.

    TF: `tf.identity`; no known difference.
    """
    return input


@op("_detached", kernel="Identity", tensors=("x",), dtypes=ANY, gradient="none")
def detached(x):
    """`x`, from which TF's gradient is None: an argument that an op is not differentiable by."""
    return jnp.asarray(x)


@takes_composites("tf.identity_n")
def identity_n(input, name=None):
    """A list of tensors with the values of those given.

    Args:
      input: list of tensors, of any dtypes.
      name: ignored.

    Returns:
      List of new tensor objects.

    TF: `tf.identity_n`; no known difference.
    """
    return [identity(item) for item in input]


@op("tf.guarantee_const", kernel="GuaranteeConst", tensors=("input",), gradient="missing",
    host="moves")  # fmt: skip
def guarantee_const(input):
    """A tensor with the values of `input`, promised not to change.

    Args:
      input: tensor of any shape and dtype.

    Returns:
      A new tensor object.

    Gradient: none is registered, as in TF.
    TF: `tf.guarantee_const`; no known difference.
    """
    return input


def _of_stated_shape(new, x, shape, name=None):
    """A tensor some of whose unknown sizes are stated."""
    expected, x = TensorShape(shape), convert_to_tensor(x)
    if expected.rank != x.shape.rank:
        return NotImplemented
    sizes = [have if size is None else size for size, have in zip(expected.as_list(), x._node.aval.shape, strict=True)]
    states = [type(have) is not int and size is not have for size, have in zip(sizes, x._node.aval.shape, strict=True)]
    return new(sizes, x.dtype) if any(states) else NotImplemented


@step("EnsureShape", _of_stated_shape)
@op("tf.ensure_shape", kernel="EnsureShape", tensors=("x",), host="moves")
def ensure_shape(x, shape):
    """`x`, after a check of its shape.

    Args:
      x: tensor of any dtype.
      shape: the expected shape; None leaves a size, or the whole shape, open.

    Returns:
      Tensor equal to `x`.

    Raises:
      tf.errors.InvalidArgumentError: the shape differs.

    TF: `tf.ensure_shape`; no known difference.
    """
    expected = TensorShape(shape)
    known = [None if is_symbol(size) else size for size in x.shape]
    if not expected.is_compatible_with(known):
        raise invalid(
            f"Shape of tensor x {show_shape(x.shape)} is not compatible with expected shape {expected}."
        )
    if expected.rank is not None:
        for size, wanted in zip(known, expected, strict=True):
            if size is None and wanted is not None:
                raise TypeError(f"tf.ensure_shape: a size of {show_shape(x.shape)} that must be {wanted} is not known")
    return x


OPS["tf.ensure_shape"] = ensure_shape  # which may be a step


# Repetition -------------------------------------------------------------------------------------------------


def _broadcast_to(xp, input, shape):
    if not isinstance(shape, tuple):
        raise invalid(f"shape must be a vector of {{int32,int64}}, got {shape}")
    sizes = as_sizes(shape, "shape")
    if input.ndim > len(sizes):
        raise invalid(
            f"Rank of input ({input.ndim}) must be no greater than rank of output shape ({len(sizes)})."
        )
    for have, want in zip(reversed(input.shape), reversed(sizes), strict=False):
        if have not in (1, want):
            raise invalid(f"Incompatible shapes: {show_shape(input.shape)} vs. {show_shape(sizes)}")
    return xp.broadcast_to(input, sizes)


@op(
    "tf.broadcast_to",
    kernel="BroadcastTo",
    tensors=("input",),
    host=lambda input, shape: _broadcast_to(np, input, shape),
    numpy=True,
)
def broadcast_to(input, shape):
    """Repeats axes of size 1, and adds leading axes, until the shape is `shape`.

    Args:
      input: tensor of any dtype.
      shape: non-negative integers.

    Returns:
      Tensor of shape `shape`.

    Raises:
      tf.errors.InvalidArgumentError: `input` does not broadcast to `shape`.

    TF: `tf.broadcast_to`; no known difference.
    """
    return _broadcast_to(jnp, input, shape)


def _tile(xp, input, multiples):
    if not isinstance(multiples, tuple):
        raise invalid("Expected multiples to be 1-D, but got shape []")
    times = as_ints(multiples, "multiples")
    if len(times) != input.ndim:
        raise invalid(
            f"Expected multiples argument to be a vector of length {input.ndim} but got length {len(times)}"
        )
    for i, one in enumerate(times):
        if one < 0:
            raise invalid(f"Expected multiples[{i}] >= 0, but got {one}")
    if not any(map(is_symbol, times)):
        return xp.tile(input, times)
    if xp is np:
        return NotImplemented
    pairs = list(zip(times, input.shape, strict=True))  # jnp.tile takes no symbols
    apart = jnp.reshape(input, [n for _, size in pairs for n in (1, size)])
    return jnp.reshape(jnp.broadcast_to(apart, [n for pair in pairs for n in pair]), [n * size for n, size in pairs])


@op("tf.tile", kernel="Tile", tensors=("input",), host=lambda input, multiples: _tile(np, input, multiples),
    numpy=True)  # fmt: skip
def tile(input, multiples):
    """Repeats the whole tensor along each axis.

    Args:
      input: tensor of any dtype.
      multiples: for each axis, how often; not negative.

    Returns:
      Tensor with axis `i` of size `input.shape[i] * multiples[i]`.

    Raises:
      tf.errors.InvalidArgumentError: as many `multiples` as axes are needed, none of them negative.

    TF: `tf.tile`; no known difference.
    """
    return _tile(jnp, input, multiples)


def _pad_widths(paddings, rank):
    if not isinstance(paddings, tuple) or any(
        not isinstance(row, tuple) or len(row) != 2 for row in paddings
    ):
        raise invalid(f"paddings must be a matrix with 2 columns: {show_shape(np.shape(paddings))}")
    if len(paddings) != rank:
        raise invalid(
            "The first dimension of paddings must be the rank of inputs"
            f"{show_shape(np.shape(paddings))} {show_shape((rank,))}"
        )
    widths = tuple(as_ints(row, "paddings") for row in paddings)
    for before, after in widths:
        if before < 0 or after < 0:
            raise invalid(f"Paddings must be non-negative: {before} {after}")
    return widths


@takes_composites("tf.pad")
def pad(tensor, paddings, mode="CONSTANT", constant_values=0, name=None):
    """Adds elements before and after, along each axis.

    Args:
      tensor: tensor of any dtype.
      paddings: for each axis, how many elements before and after.
      mode: "CONSTANT"; "REFLECT" to mirror without the edge, at most size - 1; "SYMMETRIC" to mirror with the
        edge, at most size. Upper or lower case.
      constant_values: scalar of the dtype of `tensor`, used in "CONSTANT" mode.
      name: ignored.

    Returns:
      Larger tensor of the same dtype.

    Raises:
      ValueError: another mode.
      tf.errors.InvalidArgumentError: `paddings` of the wrong shape, negative, or too large for the mode.

    TF: `tf.pad`; no known difference.
    """
    kind = mode.upper()
    if paddings is None:
        raise ValueError("Attempt to convert a value (None) with an unsupported type to a Tensor: `paddings`")
    if isinstance(paddings, list | tuple) and not paddings:
        raise invalid("paddings must be a matrix with 2 columns: [0] [Op:Pad]")
    if kind == "CONSTANT":
        if isinstance(constant_values, int | float) and constant_values == 0:
            return _pad(tensor, paddings)
        # TF's gradient by the constant is None.
        tensor = convert_to_tensor(tensor)
        fill = convert_to_tensor(constant_values, tensor.dtype)
        if fill.shape.rank:
            raise invalid(f"constant_values must be a scalar. Found: {list(fill.shape)} [Op:PadV2]")
        return _pad(tensor, paddings, fill if tensor.dtype == dtypes.string else detached(fill))
    if kind not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
            f"Received `mode` = {mode}"
        )
    return _mirror_pad(tensor, paddings, kind.lower())


def _pad_on_host(tensor, paddings, constant_values=None):
    widths = _pad_widths(paddings, tensor.ndim)
    if tensor.dtype == object:
        fill = b"" if constant_values is None else constant_values.item()
        result = np.full([a + n + b for (a, b), n in zip(widths, tensor.shape, strict=True)], fill, object)
        result[tuple(slice(a, a + n) for (a, _), n in zip(widths, tensor.shape, strict=True))] = tensor
        return result
    fill = 0 if constant_values is None else constant_values
    return np.pad(tensor, widths, constant_values=fill) if widths else tensor


@op("_pad", kernel="PadV2", tensors=("tensor", "constant_values"), host=_pad_on_host, numpy=True)
def _pad(tensor, paddings, constant_values=None):
    widths = _pad_widths(paddings, tensor.ndim)
    fill = 0 if constant_values is None else constant_values
    return jnp.pad(tensor, widths, constant_values=fill) if widths else tensor


@op("_mirror_pad", kernel="MirrorPad", tensors=("tensor",),
    numpy=lambda tensor, paddings, mode: _mirrored(np, tensor, paddings, mode))  # fmt: skip
def _mirror_pad(tensor, paddings, mode):
    return _mirrored(jnp, tensor, paddings, mode)


def _mirrored(xp, tensor, paddings, mode):
    widths = _pad_widths(paddings, tensor.ndim)
    for length, (before, after) in zip(tensor.shape, widths, strict=True):
        limit, relation = (length - 1, "less than") if mode == "reflect" else (length, "no greater than")
        if (before or after) and max(before, after) > limit:
            raise invalid(
                f"paddings must be {relation} the dimension size: {before}, {after} against {length}"
            )
    return xp.pad(tensor, widths, mode=mode) if widths else tensor
