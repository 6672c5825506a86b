"""Clipping: by value, by norm, by the norm of several tensors together."""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import constant, convert_to_tensor
from tfcompat._core.op import FLOATING, REAL, op
from tfcompat._core.variable import Variable
from tfcompat.array import cast
from tfcompat.dtypes import float32
from tfcompat.math._arguments import as_axes
from tfcompat.math._arithmetic import maximum_of, minimum_of, quotient
from tfcompat.math._elementwise import square_root


def _clipped_on_host(t, clip_value_min, clip_value_max):
    if np.ndim(clip_value_min) or np.ndim(clip_value_max):
        return NotImplemented
    return np.maximum(np.minimum(t, clip_value_max), clip_value_min)


@op("_clip_by_value", kernel="Maximum", tensors=("t", "clip_value_min", "clip_value_max"), dtypes=REAL,
    numpy=_clipped_on_host)  # fmt: skip
def _clip_by_value(t, clip_value_min, clip_value_max):
    for bound in (clip_value_max, clip_value_min):
        # ValueError where the bound is larger; the usual error where it does not broadcast at all.
        if jnp.broadcast_shapes(t.shape, bound.shape) != t.shape:
            raise ValueError(
                f"Shapes {t.shape} and {jnp.broadcast_shapes(t.shape, bound.shape)} are incompatible"
            )
    return maximum_of(minimum_of(t, clip_value_max), clip_value_min)


@takes_composites("tf.clip_by_value", op=_clip_by_value)
def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    """Limits each element to a range.

    Args:
      t: floating or integer tensor, any shape, or `tf.IndexedSlices`.
      clip_value_min: lower bound; dtype of `t`, broadcastable to its shape. It wins where the bounds cross.
      clip_value_max: upper bound, likewise.
      name: ignored.

    Returns:
      Tensor (or `tf.IndexedSlices`) with the shape and dtype of `t`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes differ, or shapes do not broadcast.
      ValueError: a bound would enlarge the shape of `t`.

    Gradient: an element equal to a bound counts as inside: all of it goes to `t`.
    TF: `tf.clip_by_value`; no known difference.
    """
    if hasattr(t, "dense_shape"):
        return type(t)(_clip_by_value(t.values, clip_value_min, clip_value_max), t.indices, t.dense_shape)
    if not isinstance(t, Variable):
        t = convert_to_tensor(t)
    return _clip_by_value(t, clip_value_min, clip_value_max)


@op("_clip_by_norm", kernel="Mul", tensors=("t", "clip_norm"), dtypes=FLOATING)
def _clip_by_norm(t, clip_norm, axes):
    clip_norm = jnp.where(clip_norm < 0, jnp.zeros((), clip_norm.dtype), clip_norm)
    square = jnp.sum(t * t, as_axes(axes, t.ndim), keepdims=True)
    positive = square > 0
    norm = jnp.where(positive, lax.sqrt(jnp.where(positive, square, jnp.ones((), t.dtype))), square)
    scaled = t * clip_norm
    if scaled.shape != t.shape:
        raise ValueError(f"Shapes {t.shape} and {scaled.shape} are incompatible")
    return quotient(scaled, maximum_of(norm, clip_norm))


@takes_composites("tf.clip_by_norm")
def clip_by_norm(t, clip_norm, axes=None, name=None):
    """Scales down to a Euclidean norm that is not to be exceeded.

    Args:
      t: floating tensor, any shape, or `tf.IndexedSlices`.
      clip_norm: largest norm, a negative one counts as 0; dtype of `t`, broadcastable to its shape.
      axes: integer or list of integers: the axes of the norm; None for all.
      name: ignored.

    Returns:
      Tensor (or `tf.IndexedSlices`) with the shape and dtype of `t`.

    Raises:
      tf.errors.InvalidArgumentError: dtypes are not real, or shapes do not broadcast.
      ValueError: `clip_norm` would enlarge the shape of `t`.

    Gradient: 1 where all elements are 0; a norm equal to `clip_norm` counts as larger.
    TF: `tf.clip_by_norm`; no known difference.
    """
    if hasattr(t, "dense_shape"):
        return type(t)(clip_by_norm(t.values, clip_norm, axes), t.indices, t.dense_shape)
    t = convert_to_tensor(t)
    clip_norm = convert_to_tensor(clip_norm, dtype_hint=t.dtype)
    if clip_norm.dtype != t.dtype and clip_norm.dtype in REAL and t.dtype in FLOATING:
        clip_norm = cast(clip_norm, t.dtype)
    return _clip_by_norm(t, clip_norm, axes)


@op("_global_norm", kernel="L2Loss", tensors=("*values",), dtypes=FLOATING)
def _global_norm(values):
    halves = [jnp.sum(value * value) / 2 for value in values]
    return square_root(sum(halves[1:], halves[0]) * 2)


@takes_composites("tf.linalg.global_norm")
def global_norm(t_list, name=None):
    """Euclidean norm of all elements of several tensors together.

    Args:
      t_list: sequence of floating tensors of one dtype, `tf.IndexedSlices` and Nones.
      name: ignored.

    Returns:
      Scalar of that dtype; 0.0 without tensors.

    Raises:
      TypeError: `t_list` is no sequence.
      tf.errors.InvalidArgumentError: dtypes differ or are not floating.

    Gradient: NaN where all elements are 0.
    TF: `tf.linalg.global_norm`; no known difference.
    """
    _check_sequence(t_list)
    values = [t.values if hasattr(t, "dense_shape") else convert_to_tensor(t) for t in t_list if t is not None]
    return _global_norm(values) if values else constant(0.0, float32)


@op("_scale_to_norm", kernel="Mul", tensors=("*values", "norm", "clip_norm"), dtypes=FLOATING)
def _scale_to_norm(values, norm, clip_norm):
    one = jnp.ones((), norm.dtype)
    scale = clip_norm * minimum_of(quotient(one, norm), quotient(one, clip_norm))
    # Infinite norms give NaN, so that they do not go unnoticed.
    scale = scale + (norm - norm)
    return tuple(value * scale for value in values)


@takes_composites("tf.clip_by_global_norm")
def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """Scales several tensors down together, to a Euclidean norm that is not to be exceeded.

    Args:
      t_list: sequence of floating tensors of one dtype, `tf.IndexedSlices` and Nones.
      clip_norm: largest norm, a positive scalar of that dtype.
      use_norm: their norm, if it is already known; scalar or None.
      name: ignored.

    Returns:
      `(list_clipped, global_norm)`: a list like `t_list`, and a scalar. All is NaN if the norm is not finite.

    Raises:
      TypeError: `t_list` is no sequence.
      tf.errors.InvalidArgumentError: dtypes differ or are not floating.

    TF: `tf.clip_by_global_norm`; no known difference.
    """
    _check_sequence(t_list)
    t_list = list(t_list)
    norm = global_norm(t_list) if use_norm is None else convert_to_tensor(use_norm)
    present = [i for i, t in enumerate(t_list) if t is not None]
    if not present:
        return t_list, norm
    clipped = list(t_list)
    values = [
        t.values if hasattr(t, "dense_shape") else convert_to_tensor(t)
        for t in map(t_list.__getitem__, present)
    ]
    for i, scaled in zip(present, _scale_to_norm(values, norm, clip_norm), strict=True):
        t = t_list[i]
        clipped[i] = type(t)(scaled, t.indices, t.dense_shape) if hasattr(t, "dense_shape") else scaled
    return clipped, norm


def _check_sequence(t_list):
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
