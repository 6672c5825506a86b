"""Pooling."""

import collections
import functools
import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.in_graphs import when_run
from tfcompat._core.linear_map import transposable
from tfcompat._core.op import FLOATING, REAL, op
from tfcompat._core.symbolic_sizes import are_known
from tfcompat.array._arguments import invalid, show_shape
from tfcompat.engine._policy import KERNELS
from tfcompat.nn._along_axis import Windows
from tfcompat.nn._windows import channels_first, check_positive, fitting, pads, per_axis, refuses_in_graphs

_MAX_POOL = FLOATING | {dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16}
_MAX_POOL_3D = frozenset({dtypes.float16, dtypes.bfloat16, dtypes.float32})


class _Plan:
    """Where the windows lie: the input is padded, then slice `k` holds element `k` of every window."""

    def __init__(self, shape, windows, strides, padding, first, dilations):
        spatial = len(windows)
        at = 2 if first else 1
        check_positive(windows, "Sliding window ksize", when_run)
        check_positive(strides, "Stride")
        sizes = shape[at : at + spatial]
        reach = tuple((w - 1) * d + 1 for w, d in zip(windows, dilations, strict=True))
        self.windows, self.strides, self.dilations = windows, strides, dilations
        self.pads = pads(padding, sizes, reach, strides, first)
        self.at, self.rank = at, spatial + 2
        self.counts = tuple(
            fitting(size + sum(pad), window, stride)
            for size, pad, window, stride in zip(sizes, self.pads, reach, strides, strict=True)
        )

    def full(self, values, rest):
        """`values` for the spatial axes, `rest` for the others."""
        result = [rest] * self.rank
        result[self.at : self.at + len(values)] = values
        return tuple(result)

    def padded(self, x, value):
        return (
            x
            if not any(map(any, self.pads))
            else jnp.pad(x, self.full(self.pads, (0, 0)), constant_values=value)
        )

    def slices(self, padded):
        """Element after element of the windows, in row-major order."""
        for place in itertools.product(*map(range, self.windows)):
            starts = tuple(p * d if n else 0 for p, d, n in zip(place, self.dilations, self.counts, strict=True))
            stops = tuple(
                b + (n - 1) * s + 1 if n else 0
                for b, n, s in zip(starts, self.counts, self.strides, strict=True)
            )
            limits = [
                stop if stop is not None else size
                for stop, size in zip(self.full(stops, None), padded.shape, strict=True)
            ]
            yield lax.slice(padded, self.full(starts, 0), limits, self.full(self.strides, 1))

    @property
    def empty(self):
        return 0 in self.counts

    @property
    def dilated(self):
        return any(d > 1 for d in self.dilations)

    def few(self):
        return math.prod(self.windows) <= KERNELS.window_slices or self.dilated

    def goes_by_axis(self, shape):
        """Whether an array of `shape` is pooled along one axis after the other, slice by slice.

        That is elementwise work, which XLA fuses. Backwards it is faster on a CPU than reduce_window, and its
        derivatives exist to every order.
        """
        return not self.empty and are_known(shape) and (max(self.windows) <= KERNELS.window_slices or self.dilated)

    def one_by_one(self, shape):
        """The windows along each space axis, the last one first; for sizes that are known."""
        for i in reversed(range(len(self.windows))):
            at = self.at + i
            yield Windows(at, shape[at], self.windows[i], self.strides[i], self.dilations[i], self.pads[i])

    def reduce(self, x, start, how):
        return lax.reduce_window(
            x,
            start,
            how,
            self.full(self.windows, 1),
            self.full(self.strides, 1),
            self.full(self.pads, (0, 0)),
        )


def _lowest(dtype):
    return np.iinfo(dtype).min if np.dtype(dtype).kind in "iu" else -np.inf


def _largest(x, plan):
    lowest = np.asarray(_lowest(x.dtype), x.dtype)
    if plan.goes_by_axis(x.shape):
        # The last axis first: of equal elements the first one in row-major order has the derivative, as in TF.
        return functools.reduce(lambda x, windows: _largest_along(x, windows, lowest), plan.one_by_one(x.shape), x)
    if plan.few() or plan.empty:
        return _greater(plan.slices(plan.padded(x, lowest)))
    return plan.reduce(x, lowest, lax.max)


def _greater(parts):
    """The largest of arrays, element by element. Of equal elements the first one has the derivative."""
    return functools.reduce(lambda largest, part: jnp.where(part > largest, part, largest), parts)


def _largest_along(x, windows, lowest):
    """The largest elements of windows along one axis."""

    @jax.custom_jvp
    def pooled(x):
        return windows.reduced(_greater, x, lowest)

    def with_places(parts):
        largest, places = parts[0], jnp.zeros(parts[0].shape, np.min_scalar_type(windows.window))
        for place, part in enumerate(parts[1:], 1):
            greater = part > largest
            largest, places = jnp.where(greater, part, largest), jnp.where(greater, places.dtype.type(place), places)
        return largest, places

    def at_places(parts, places):
        chosen = parts[0]
        for place, part in enumerate(parts[1:], 1):
            chosen = jnp.where(places == place, part, chosen)
        return chosen

    def chosen(places, x):
        return windows.reduced(at_places, x, 0, places)

    def spread(places, cotangent):
        return windows.added([jnp.where(places == i, cotangent, 0) for i in range(windows.window)])

    @pooled.defjvp
    def _(primals, tangents):
        largest, places = windows.reduced(with_places, *primals, lowest)
        tangent = transposable(chosen, spread, [places], *tangents, largest.shape, 4 * windows.window)
        return largest, tangent

    return pooled(x)


def _total_along(x, windows):
    """The sums of windows along one axis."""

    def forward(x):
        return windows.reduced(sum, x, 0)

    def spread(cotangent):
        return windows.added([cotangent] * windows.window)

    shape = (*x.shape[: windows.axis], windows.count, *x.shape[windows.axis + 1 :])
    return transposable(forward, spread, [], x, shape, 4 * windows.window)


def _largest_all(x, plan):
    """As `_largest`; but every element equal to the largest has the derivative, as in TF's kernel for 3-D."""

    @jax.custom_jvp
    def pooled(x):
        return _largest(x, plan)

    @pooled.defjvp
    def _(primals, tangents):
        result = pooled(*primals)
        values = plan.slices(plan.padded(primals[0], np.asarray(_lowest(result.dtype), result.dtype)))
        moved = plan.slices(plan.padded(tangents[0], 0))
        zero = jnp.zeros_like(result)
        return result, sum(jnp.where(v == result, m, zero) for v, m in zip(values, moved, strict=True))

    return pooled(x)


def _mean(x, plan):
    """The mean of the elements of each window that are not padding."""
    # Multiplied by JAX: as one NumPy array the counts of large images would be a large constant.
    count = jnp.int32(1)
    for axis, (window, stride, step, size) in enumerate(
        zip(plan.windows, plan.strides, plan.dilations, x.shape[plan.at :], strict=False)
    ):
        before, _ = plan.pads[axis]
        places = np.arange(plan.counts[axis])[:, None] * stride - before + np.arange(window) * step
        inside = ((places >= 0) & (places < size)).sum(1)
        shape = [-1 if i == axis else 1 for i in range(len(plan.windows))]
        count = count * inside.astype(np.int32).reshape(plan.full(shape, 1))
    if plan.goes_by_axis(x.shape):
        total = functools.reduce(_total_along, plan.one_by_one(x.shape), x)
    elif plan.few() or plan.empty:
        total = sum(plan.slices(plan.padded(x, 0)))
    else:
        total = plan.reduce(x, np.zeros((), x.dtype), lax.add)
    return total / count.astype(x.dtype)


def plan_of(x, ksize, strides, padding, data_format, spatial, dilations=None):
    """Where the windows of a pooling of `x` lie."""
    if x.ndim != spatial + 2:
        raise invalid(f"Input must be {spatial + 2}-dimensional, got shape {show_shape(x.shape)}")
    first = channels_first(data_format, spatial)
    windows, steps = per_axis(ksize, spatial, first, "ksize"), per_axis(strides, spatial, first, "strides")
    return _Plan(x.shape, windows, steps, padding, first, dilations or (1,) * spatial)


@refuses_in_graphs
@op("_max_pool", kernel="MaxPool", tensors=("input",), dtypes=_MAX_POOL, zero_second=True)
def _max_pool(input, ksize, strides, padding, data_format, spatial, dilations=None):
    if input.ndim == 5 and np.dtype(input.dtype) not in [one.np for one in _MAX_POOL_3D]:
        raise invalid(f"Value for attr 'T' of {input.dtype.name} is not in the list of allowed values")
    plan = plan_of(input, ksize, strides, padding, data_format, spatial, dilations)
    return _largest_all(input, plan) if spatial == 3 else _largest(input, plan)


@refuses_in_graphs
@op("_avg_pool", kernel="AvgPool", tensors=("input",), dtypes=FLOATING)
def _avg_pool(input, ksize, strides, padding, data_format, spatial, dilations=None):
    if not isinstance(padding, str):
        raise TypeError(f"Expected string for argument 'padding' not {padding}.")
    return _mean(input, plan_of(input, ksize, strides, padding, data_format, spatial, dilations))


def _spatial_rank(input):
    rank = len(input.shape)
    if rank not in (3, 4, 5):
        raise ValueError(
            f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={input.shape} of rank {rank}."
        )
    return rank - 2


@takes_composites("tf.nn.max_pool")
def max_pool(input, ksize, strides, padding, data_format=None, name=None):
    """Largest element of each window.

    Args:
      input: real tensor of shape `[batch, *space, channels]` with 1, 2 or 3 space axes, or channels second.
      ksize: size of the window: an integer, or a list of 1, one for each space axis, or one for each axis.
      strides: how far it moves, likewise.
      padding: "VALID", "SAME", or a pair of numbers for each axis.
      data_format: "NWC", "NHWC", "NDHWC" (default) or "NCW", "NCHW", "NCDHW".
      name: ignored.

    Returns:
      Tensor of the rank and dtype of `input`.

    Raises:
      ValueError: another rank, or numbers that do not fit it.
      tf.errors.InvalidArgumentError: windows that do not fit, unknown padding, other dtypes.

    Gradient: of equal largest elements the first one has it all; with 3 space axes each of them has.
    TF: `tf.nn.max_pool`; a window with a NaN is not always ignored; every `data_format` works on a CPU.
    """
    input = convert_to_tensor(input)
    return _max_pool(input, ksize, strides, padding, data_format, _spatial_rank(input))


@takes_composites("tf.nn.max_pool1d")
def max_pool1d(input, ksize, strides, padding, data_format="NWC", name=None):
    """Largest element of each window; see `max_pool`.

    Args:
      input: real tensor of shape `[batch, width, channels]`.
      ksize: size of the window.
      strides: how far it moves.
      padding: "VALID", "SAME", or a pair of numbers for each axis.
      data_format: "NWC" or "NCW".
      name: ignored.

    Returns:
      Tensor of the rank and dtype of `input`.

    TF: `tf.nn.max_pool1d`; as `max_pool`.
    """
    return _max_pool(input, ksize, strides, padding, data_format, 1)


@takes_composites("tf.nn.max_pool2d")
def max_pool2d(input, ksize, strides, padding, data_format="NHWC", name=None):
    """Largest element of each window; see `max_pool`.

    Args:
      input: real tensor of shape `[batch, height, width, channels]`.
      ksize: size of the window.
      strides: how far it moves.
      padding: "VALID", "SAME", or a pair of numbers for each axis.
      data_format: "NHWC" or "NCHW".
      name: ignored.

    Returns:
      Tensor of the rank and dtype of `input`.

    TF: `tf.nn.max_pool2d`; as `max_pool`.
    """
    return _max_pool(input, ksize, strides, padding, data_format, 2)


@takes_composites("tf.nn.max_pool3d")
def max_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):
    """Largest element of each window; see `max_pool`.

    Args:
      input: float16, bfloat16 or float32 tensor of shape `[batch, depth, height, width, channels]`.
      ksize: size of the window.
      strides: how far it moves.
      padding: "VALID" or "SAME".
      data_format: "NDHWC" or "NCDHW".
      name: ignored.

    Returns:
      Tensor of the rank and dtype of `input`.

    Gradient: each element equal to the largest one has it all.
    TF: `tf.nn.max_pool3d`; as `max_pool`.
    """
    return _max_pool(input, ksize, strides, padding, data_format, 3)


@takes_composites("tf.nn.avg_pool")
def avg_pool(input, ksize, strides, padding, data_format=None, name=None):
    """Mean of each window, in which padding does not count.

    Args:
      input: floating tensor of shape `[batch, *space, channels]` with 1, 2 or 3 space axes, or channels
        second.
      ksize: size of the window: an integer, or a list of 1, one for each space axis, or one for each axis.
      strides: how far it moves, likewise.
      padding: "VALID" or "SAME".
      data_format: "NWC", "NHWC", "NDHWC" (default) or "NCW", "NCHW", "NCDHW".
      name: ignored.

    Returns:
      Tensor of the rank and dtype of `input`.

    Raises:
      ValueError: another rank, or numbers that do not fit it.
      tf.errors.InvalidArgumentError: windows that do not fit, unknown padding, other dtypes.

    TF: `tf.nn.avg_pool`; every `data_format` works on a CPU.
    """
    input = convert_to_tensor(input)
    return _avg_pool(input, ksize, strides, padding, data_format, _spatial_rank(input))


@takes_composites("tf.nn.avg_pool1d")
def avg_pool1d(input, ksize, strides, padding, data_format="NWC", name=None):
    """Mean of each window; see `avg_pool`.

    Args:
      input: floating tensor of shape `[batch, width, channels]`.
      ksize: size of the window.
      strides: how far it moves.
      padding: "VALID" or "SAME".
      data_format: "NWC" or "NCW".
      name: ignored.

    Returns:
      Tensor of the rank and dtype of `input`.

    TF: `tf.nn.avg_pool1d`; as `avg_pool`.
    """
    return _avg_pool(input, ksize, strides, padding, data_format, 1)


@takes_composites("tf.nn.avg_pool2d")
def avg_pool2d(input, ksize, strides, padding, data_format="NHWC", name=None):
    """Mean of each window; see `avg_pool`.

    Args:
      input: floating tensor of shape `[batch, height, width, channels]`.
      ksize: size of the window.
      strides: how far it moves.
      padding: "VALID" or "SAME".
      data_format: "NHWC" or "NCHW".
      name: ignored.

    Returns:
      Tensor of the rank and dtype of `input`.

    TF: `tf.nn.avg_pool2d`; as `avg_pool`.
    """
    return _avg_pool(input, ksize, strides, padding, data_format, 2)


@takes_composites("tf.nn.avg_pool3d")
def avg_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):
    """Mean of each window; see `avg_pool`.

    Args:
      input: floating tensor of shape `[batch, depth, height, width, channels]`.
      ksize: size of the window.
      strides: how far it moves.
      padding: "VALID" or "SAME".
      data_format: "NDHWC" or "NCDHW".
      name: ignored.

    Returns:
      Tensor of the rank and dtype of `input`.

    TF: `tf.nn.avg_pool3d`; as `avg_pool`.
    """
    return _avg_pool(input, ksize, strides, padding, data_format, 3)


@takes_composites("tf.nn.pool")
def pool(
    input,
    window_shape,
    pooling_type,
    strides=None,
    padding="VALID",
    data_format=None,
    dilations=None,
    name=None,
):
    """Pooling over any number of space axes.

    Args:
      input: tensor of shape `[batch, *space, channels]` with 1, 2 or 3 space axes, or channels second.
      window_shape: list with the size of the window along each space axis.
      pooling_type: "MAX" or "AVG".
      strides: list with how far it moves; ones if None.
      padding: "VALID" or "SAME".
      data_format: "NWC", "NHWC", "NDHWC" (default) or "NCW", "NCHW", "NCDHW".
      dilations: list with the distance between elements of a window; ones if None.
      name: ignored.

    Returns:
      Tensor of the rank and dtype of `input`.

    Raises:
      ValueError: another `pooling_type`; dilations with strides or "SAME" padding.

    TF: `tf.nn.pool`; as `max_pool` and `avg_pool`.
    """
    input = convert_to_tensor(input)
    spatial = len(window_shape)
    dilations, strides = static_value(dilations) or (1,) * spatial, static_value(strides) or (1,) * spatial
    if pooling_type not in ("MAX", "AVG"):
        raise ValueError(f"{spatial}-D {pooling_type} pooling is not supported.")
    if any(one > 1 for one in dilations):
        if any(one > 1 for one in strides):
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. "
                f"Received: strides={strides} and dilation_rate={dilations}"
            )
        if padding == "SAME":
            raise ValueError("pooling with 'SAME' padding is not implemented for `dilation_rate` > 1.")
    function = _max_pool if pooling_type == "MAX" else _avg_pool
    return function(input, window_shape, strides, padding, data_format, spatial, dilations)


MaxPoolWithArgmax = collections.namedtuple("MaxPoolWithArgmax", ["output", "argmax"])


@refuses_in_graphs
@op("_max_pool_with_argmax", kernel="MaxPoolWithArgmax", tensors=("input",), dtypes=REAL)
def _max_pool_with_argmax(input, ksize, strides, padding, output_dtype, include_batch_in_index):
    if 0 in input.shape:
        raise (when_run if 0 in input.shape[:3] else invalid)("tensor_in must not be empty [Op:MaxPoolWithArgmax]")
    plan = plan_of(input, ksize, strides, padding, "NHWC", 2)
    places = np.arange(math.prod(input.shape[1:]), dtype=output_dtype.np).reshape((1,) + input.shape[1:])
    if include_batch_in_index:
        places = np.arange(input.size, dtype=output_dtype.np).reshape(input.shape)
    largest = where = None
    values = plan.slices(plan.padded(input, np.asarray(_lowest(input.dtype), input.dtype)))
    positions = plan.slices(plan.padded(jnp.asarray(places), -1))
    for value, position in zip(values, positions, strict=True):
        if largest is None:
            largest, where = value, jnp.broadcast_to(position, value.shape)
        else:
            # Padding has no place of its own, so whatever comes first takes over from it.
            better = (value > largest) | ((where < 0) & (position >= 0))
            largest, where = jnp.where(better, value, largest), jnp.where(better, position, where)
    return largest, where


@takes_composites("tf.nn.max_pool_with_argmax")
def max_pool_with_argmax(
    input,
    ksize,
    strides,
    padding,
    data_format="NHWC",
    output_dtype=dtypes.int64,
    include_batch_in_index=False,
    name=None,
):
    """Largest element of each window, and where it is.

    Args:
      input: real tensor of shape `[batch, height, width, channels]`.
      ksize: size of the window: an integer, or a list of 1, 2 or 4.
      strides: how far it moves, likewise.
      padding: "VALID" or "SAME".
      data_format: must be "NHWC".
      output_dtype: dtype of the places, int32 or int64.
      include_batch_in_index: whether the batch counts in the places.
      name: ignored.

    Returns:
      Named tuple `(output, argmax)`; a place is an index into the flattened image, or batch of images.

    Raises:
      ValueError: another `data_format`.
      tf.errors.InvalidArgumentError: windows that do not fit.

    TF: `tf.nn.max_pool_with_argmax`; second derivatives exist here.
    """
    if data_format != "NHWC":
        raise ValueError(f"`data_format` values other than 'NHWC' are not supported. Received: {data_format}")
    largest, where = _max_pool_with_argmax(
        input, ksize, strides, padding, dtypes.as_dtype(output_dtype), include_batch_in_index
    )
    return MaxPoolWithArgmax(largest, where)
