"""`tf.raw_ops`: the ops that have a public function, under their own names; keyword arguments only."""

import collections
import inspect

import numpy as np

from tfcompat import dtypes as _dtypes
from tfcompat._convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat._missing import missing as _missing
from tfcompat._op import FLOATING, REAL, op
from tfcompat._raw_table import ROWS as _ROWS
from tfcompat.errors import UnimplementedError

_UniqueV2 = collections.namedtuple("UniqueV2", ["y", "idx"])
_UniqueWithCountsV2 = collections.namedtuple("UniqueWithCountsV2", ["y", "idx", "count"])
_BroadcastGradientArgs = collections.namedtuple("BroadcastGradientArgs", ["r0", "r1"])


def _make(row):
    """The op of a row of the table."""
    name, path, *texts = row.split()
    parameters, renamed, dropped = [], {}, set()
    for text in texts:
        left, has_default, default = text.partition("=")
        theirs, _, ours = left.rstrip("!").partition(":")
        if left.endswith("!"):
            dropped.add(theirs)
        renamed[theirs] = ours or theirs
        value = eval(default, {}) if has_default else inspect.Parameter.empty
        parameters.append(inspect.Parameter(theirs, inspect.Parameter.KEYWORD_ONLY, default=value))
    parameters.append(inspect.Parameter("name", inspect.Parameter.KEYWORD_ONLY, default=None))
    signature = inspect.Signature(parameters)

    def function(*args, **kwargs):
        if args:
            raise TypeError(f"{name} only takes keyword args (possible keys: {list(signature.parameters)}).")
        given = signature.bind(**kwargs).arguments
        given = {renamed[key]: value for key, value in given.items() if key != "name" and key not in dropped}
        return _public(path)(**given)

    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature
    function.__doc__ = f"The op behind `tf.{path}`. TF: `tf.raw_ops.{name}`."
    return function


def _public(path):
    import tfcompat

    target = tfcompat
    for part in path.split("."):
        target = getattr(target, part)
    return target


@op("_bucketize", kernel="Bucketize", tensors=("input",), dtypes=REAL, gradient="none")
def _bucketize(input, boundaries):
    import jax.numpy as jnp

    return jnp.searchsorted(jnp.array(boundaries, np.float64), input.astype(np.float64), side="right").astype(np.int32)


def Bucketize(*, input, boundaries, name=None):
    """The number of boundaries at or below each element, int32. TF: `tf.raw_ops.Bucketize`."""
    return _bucketize(input, tuple(map(float, static_value(boundaries))))


def ImageProjectiveTransformV3(*, images, transforms, output_shape, fill_value, interpolation, fill_mode="CONSTANT",
                               name=None):  # fmt: skip
    """Pictures seen through projective maps.

    Args:
      images: tensor of shape [batch, height, width, channels], floating, uint8, int32 or int64.
      transforms: float32 tensor of shape [batch or 1, 8]: the place (x, y) of the result shows what is at
        ((a0 x + a1 y + a2) / k, (a3 x + a4 y + a5) / k), where k = a6 x + a7 y + 1.
      output_shape: two ints, height and width of the result; known while a function is traced.
      fill_value: float32 scalar, seen where k is 0 and, for the mode "CONSTANT", outside of the picture.
      interpolation: "NEAREST" or "BILINEAR".
      fill_mode: "CONSTANT", "REFLECT", "WRAP" or "NEAREST": what is seen outside of the picture.

    Returns:
      Tensor of shape [batch, *output_shape, channels], dtype of `images`.

    Raises:
      ValueError: `interpolation` or `fill_mode` is unknown.

    Gradient: to `images` alone, and exact.
    TF: `tf.raw_ops.ImageProjectiveTransformV3`, whose gradient maps back by the inverse of the transform.
    """
    from tfcompat.image._projective import projective_transform

    if interpolation.upper() not in ("NEAREST", "BILINEAR"):
        raise ValueError(f"interpolation must be NEAREST or BILINEAR, got {interpolation!r}")
    if fill_mode.upper() not in ("CONSTANT", "REFLECT", "WRAP", "NEAREST"):
        raise ValueError(f"fill_mode must be CONSTANT, REFLECT, WRAP or NEAREST, got {fill_mode!r}")
    return projective_transform(
        images, transforms, fill_value, static_value(output_shape), interpolation.upper(), fill_mode.upper()
    )


def _unique(x, axis, out_idx):
    axis = static_value(axis)
    axis = axis[0] if isinstance(axis, tuple) and axis else 0 if isinstance(axis, tuple) else axis
    array = known_values(convert_to_tensor(x), "call it outside")
    _, first, inverse, counts = np.unique(array, True, True, True, axis=axis)
    order = np.argsort(first)
    rank = np.argsort(order)
    dtype = _dtypes.as_dtype(out_idx).np
    from tfcompat.array import gather

    values = gather(convert_to_tensor(x), host_constant(np.sort(first)), axis=axis)
    return values, host_constant(rank[inverse.reshape(-1)].astype(dtype)), host_constant(counts[order].astype(dtype))


def UniqueV2(*, x, axis, out_idx=_dtypes.int32, name=None):
    """Different elements in the order of appearance, and which each is. TF: `tf.raw_ops.UniqueV2`."""
    return _UniqueV2(*_unique(x, axis, out_idx)[:2])


def UniqueWithCountsV2(*, x, axis, out_idx=_dtypes.int32, name=None):
    """As `UniqueV2`, and how often each occurs. TF: `tf.raw_ops.UniqueWithCountsV2`."""
    return _UniqueWithCountsV2(*_unique(x, axis, out_idx))


def BroadcastGradientArgs(*, s0, s1, name=None):
    """The axes over which gradients of a broadcast are summed. TF: `tf.raw_ops.BroadcastGradientArgs`."""
    first, second = (list(static_value(s)) for s in (s0, s1))
    dtype = convert_to_tensor(s0).dtype.np
    rank = max(len(first), len(second))
    first, second = ([1] * (rank - len(s)) + s for s in (first, second))
    both = [a for a in range(rank) if first[a] == 1 and second[a] == 1]
    r0 = sorted(both + [a for a in range(rank) if first[a] == 1 and second[a] != 1])
    r1 = sorted(both + [a for a in range(rank) if second[a] == 1 and first[a] != 1])
    return _BroadcastGradientArgs(*(host_constant(np.array(r, dtype)) for r in (r0, r1)))


@op("_igamma_grad_a", kernel="IgammaGradA", tensors=("a", "x"), dtypes=FLOATING)
def _igamma_grad_a(a, x):
    from jax import lax
    from jax.numpy import broadcast_arrays

    return lax.igamma_grad_a(*broadcast_arrays(a, x))


def IgammaGradA(*, a, x, name=None):
    """Derivative of `tf.math.igamma` by its first argument. TF: `tf.raw_ops.IgammaGradA`."""
    return _igamma_grad_a(a, x)


@op("_random_gamma_grad", kernel="RandomGammaGrad", tensors=("alpha", "sample"), dtypes=FLOATING)
def _random_gamma_grad(alpha, sample):
    from jax import lax
    from jax.numpy import broadcast_arrays

    return lax.random_gamma_grad(*broadcast_arrays(alpha, sample))


def RandomGammaGrad(*, alpha, sample, name=None):
    """Derivative of a gamma random number by its parameter. TF: `tf.raw_ops.RandomGammaGrad`."""
    return _random_gamma_grad(alpha, sample)


def ResourceApplyGradientDescent(*, var, alpha, delta, use_locking=False, name=None):
    """Takes `alpha * delta` off a variable. TF: `tf.raw_ops.ResourceApplyGradientDescent`, of variables themselves."""
    if not hasattr(var, "assign_sub"):
        raise UnimplementedError(None, None, "`var` must be a tf.Variable: there are no handles; use var.assign_sub")
    var.assign_sub(convert_to_tensor(alpha) * convert_to_tensor(delta))


_functions = {row.split()[0]: _make(row) for row in _ROWS.strip().splitlines()}
globals().update(_functions)

__getattr__ = _missing("tf.raw_ops", otherwise="the public function of this op")
