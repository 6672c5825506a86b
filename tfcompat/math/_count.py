"""Counting: bincount, confusion_matrix, histograms; and Sobol points."""

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat import dtypes as _dtypes
from tfcompat import engine
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, host_constant, host_integers, known_values, static_value
from tfcompat._core.in_graphs import of_argument, when_run
from tfcompat._core.op import ANY, FLOATING, INDEX, op
from tfcompat._core.steps import is_unknown, sizes_of, step
from tfcompat._core.tensor import wrap
from tfcompat.array import cast, reshape, squeeze
from tfcompat.array._arguments import as_int32, check_is_allowed, invalid

_WEIGHTS = frozenset({_dtypes.int32, _dtypes.int64, _dtypes.float32, _dtypes.float64})


def _has_no_negative(arr, weights=None, size=None, rows=None, dtype=None, binary_output=None):
    return [engine.require(arr >= 0, "Input arr must be non-negative! [Op:DenseBincount] name: ")]


@op(
    "_bincount",
    kernel="DenseBincount",
    tensors=("arr", "weights"),
    same=("arr",),
    dtypes={"arr": INDEX, "weights": _WEIGHTS},
    gradient="missing",
    requires=_has_no_negative,
)
def _bincount(arr, weights=None, size=None, rows=None, dtype=None, binary_output=None):
    dtype = weights.dtype if weights is not None else dtype.np

    def count(values, weights):
        bins = jnp.zeros(size, dtype)
        values = jnp.where(values < 0, size, values)  # not counted from the end
        if binary_output:
            return bins.at[values].set(1, mode="drop")
        return bins.at[values].add(1 if weights is None else weights, mode="drop")

    if rows and arr.ndim == 2:
        if weights is None:
            return jax.vmap(lambda values: count(values, None))(arr)
        return jax.vmap(count)(arr, weights)
    return count(arr.reshape(-1), None if weights is None else weights.reshape(-1))


def _counts(new, arr, weights=None, minlength=None, maxlength=None, dtype=_dtypes.int32, name=None, axis=None,
            binary_output=False):  # fmt: skip
    if not any(map(is_unknown, (minlength, maxlength))):
        if not is_unknown(arr) or maxlength is not None and _length(minlength, 0) == _length(maxlength, None):
            return NotImplemented
    rows = sizes_of(arr)[:1] if axis == -1 and len(sizes_of(arr)) == 2 else ()
    return new([*rows, None], _dtypes.as_dtype(dtype) if weights is None else convert_to_tensor(weights).dtype)


@takes_composites("tf.math.bincount")
@step("DenseBincount", _counts, underived=True)
def bincount(
    arr,
    weights=None,
    minlength=None,
    maxlength=None,
    dtype=_dtypes.int32,
    name=None,
    axis=None,
    binary_output=False,
):
    """How often each number occurs.

    Args:
      arr: tensor, SparseTensor or RaggedTensor of non-negative integers (other numbers in a tensor are cast to
        int32); its values are looked at.
      weights: int32, int64, float32 or float64 tensor of the same shape, added up in place of ones; or None.
      minlength: smallest size of the result, or None.
      maxlength: largest size of the result, or None; larger numbers are not counted.
      dtype: int32, int64, float32 or float64, of the result where there are no weights.
      name: ignored.
      axis: None or 0 counts all elements, -1 those of each row of a matrix.
      binary_output: whether to give 1 for each number that occurs.

    Returns:
      Vector with one count for each number up to the largest; for `axis=-1` and a matrix one such row for
      each row.

    Raises:
      tf.errors.InvalidArgumentError: a number is negative, or shapes differ.
      ValueError: the axis is another one; both `weights` and `binary_output` are given.

    TF: `tf.math.bincount`; compiled in a `tf.function` where `minlength` and `maxlength` are the same number.
    """
    if binary_output and weights is not None:
        raise ValueError(
            "Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one."
        )
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported."
        )
    arr = convert_to_tensor(arr, dtype_hint=_dtypes.int32)
    if not arr.dtype.is_integer:
        arr = cast(arr, _dtypes.int32)
    weights = None if weights is None else convert_to_tensor(weights)
    check_is_allowed(_dtypes.as_dtype(dtype) if weights is None else weights.dtype, _WEIGHTS, "DenseBincount")
    if weights is not None and weights.shape.num_elements() == 0:  # TF's word for ones of this dtype
        dtype, weights = weights.dtype, None
    if weights is not None and axis is None and weights.shape.num_elements() == arr.shape.num_elements():
        arr, weights = reshape(arr, [-1]), reshape(weights, [-1])
    if weights is not None and weights.shape != arr.shape:
        raise when_run(
            f"`weights` must have the shape of `arr`, got {weights.shape} and {arr.shape} [Op:DenseBincount]"
        )
    if axis == -1 and (arr.shape.rank or 0) > 2:
        raise invalid(f"Shape must be at most rank 2 but is rank {arr.shape.rank} [Op:DenseBincount]")
    size = None if maxlength is None else _length(maxlength, None)
    size_is_given = size is not None and _length(minlength, 0) == size
    values = known_values(arr, None if size_is_given else "give `minlength` and `maxlength` the same number")
    if values is not None:
        if values.size and values.min() < 0:
            raise invalid("Input arr must be non-negative! [Op:DenseBincount]")
        size = int(values.max()) + 1 if values.size else 0
        if size >= 2**31 and maxlength is None:
            raise invalid(f"size ({size - 2**32}) must be non-negative [Op:DenseBincount]")
        size = max(size, _length(minlength, 0))
        size = min(size, _length(maxlength, size))
        if weights is None and arr.dtype in INDEX and host_integers(arr) is not None:
            counts = _counted(values, size, axis == -1, bool(binary_output))
            return host_constant(counts.astype(_dtypes.as_dtype(dtype).np))
    return _bincount(arr, weights, size, axis == -1, _dtypes.as_dtype(dtype), bool(binary_output))


def _counted(values, size, rows, binary_output):
    """`_bincount` of an array."""
    rows = rows and values.ndim == 2
    shape = (len(values), size) if rows else (size,)
    values = values if rows else values.reshape(1, -1)
    is_counted = values < size
    places = np.nonzero(is_counted)[0] * size + values[is_counted]
    counts = np.bincount(places, minlength=len(values) * size).reshape(shape)
    return np.minimum(counts, 1) if binary_output else counts


def _length(value, otherwise):
    return otherwise if value is None else int(static_value(value))


def _are_classes(labels, predictions, weights=None, num_classes=None, dtype=None):
    """What TF asserts of class numbers."""
    required = []
    for name, numbers in (("labels", labels), ("predictions", predictions)):
        negative = f"assertion failed: [`{name}` contains negative values.  ] [Condition x >= 0 did not hold "
        required.append(engine.require(numbers >= 0, negative + "element-wise:]"))
        beyond = f"assertion failed: [`{name}` out of bound] [Condition x < y did not hold element-wise:]"
        required.append(engine.require(numbers < num_classes, beyond))
    return required


@op(
    "_confusion_matrix",
    kernel="ScatterNd",
    tensors=("labels", "predictions", "weights"),
    same=("labels", "predictions"),
    dtypes={"labels": INDEX, "predictions": INDEX, "weights": ANY},
    requires=_are_classes,
)
def _confusion_matrix(labels, predictions, weights=None, num_classes=None, dtype=None):
    shape = jnp.broadcast_shapes(labels.shape, predictions.shape)
    values = (
        jnp.ones(shape, dtype.np) if weights is None else jnp.broadcast_to(weights, shape).astype(dtype.np)
    )
    labels, predictions = (jnp.where(x < 0, num_classes, x) for x in (labels, predictions))  # not from the end
    return jnp.zeros((num_classes, num_classes), dtype.np).at[labels, predictions].add(values, mode="drop")


@takes_composites("tf.math.confusion_matrix")
def confusion_matrix(labels, predictions, num_classes=None, weights=None, dtype=_dtypes.int32, name=None):
    """Counts of each pair of label (row) and prediction (column).

    Args:
      labels: vector of class numbers.
      predictions: vector of class numbers of the same length.
      num_classes: integer, or None for one more than the largest number.
      weights: tensor of the same shape, added up in place of ones; or None.
      dtype: numeric dtype of the result.
      name: ignored.

    Returns:
      Tensor of shape `[num_classes, num_classes]` and dtype `dtype`.

    Raises:
      tf.errors.InvalidArgumentError: a number is negative or no class, or shapes do not fit.
      ValueError: shapes of `predictions` and `weights` do not fit.

    TF: `tf.math.confusion_matrix`; compiled in a `tf.function` where `num_classes` is given.
    """
    labels, predictions = (_vector_of_classes(x) for x in (labels, predictions))
    labels, predictions = _squeezed_to_match(labels, predictions)
    if not labels.shape.is_compatible_with(predictions.shape):
        raise of_argument(invalid(
            f"Shapes of all inputs must match: values[0].shape = {labels.shape} != values[1].shape = "
            f"{predictions.shape} [Op:Pack]"
        ))  # fmt: skip
    dtype = _dtypes.as_dtype(dtype)
    highest = -1
    for name_, x in (("labels", labels), ("predictions", predictions)):
        values = known_values(x, "give `num_classes`" if num_classes is None else None)
        if values is None:
            continue
        if values.size and values.min() < 0:
            raise invalid(f"`{name_}` contains negative values.")
        if num_classes is not None and values.size and values.max() >= int(static_value(num_classes)):
            raise invalid(f"`{name_}` out of bound: {values.max()} with {static_value(num_classes)} classes")
        highest = max(highest, int(np.max(values, initial=-1)))
    if num_classes is None:
        num_classes = 1 + highest
    if weights is not None:
        weights = convert_to_tensor(weights)
        if not predictions.shape.is_compatible_with(weights.shape):
            raise ValueError(f"Shapes {predictions.shape} and {weights.shape} are incompatible")
    return _confusion_matrix(labels, predictions, weights, int(static_value(num_classes)), dtype)


def _vector_of_classes(x):
    return cast(convert_to_tensor(x), _dtypes.int64)


def _squeezed_to_match(labels, predictions):
    """Drops a last axis of size 1 that only one of both has."""
    difference = predictions.shape.rank - labels.shape.rank
    if difference == 1 and predictions.shape[-1] == 1:
        predictions = squeeze(predictions, [-1])
    elif difference == -1 and labels.shape[-1] == 1:
        labels = squeeze(labels, [-1])
    return labels, predictions


def _bins(values, value_range, nbins):
    nbins = as_int32(nbins, "nbins")
    if nbins <= 0:
        raise invalid(f"nbins should be a positive number, but got {nbins!r} [Op:HistogramFixedWidth]")
    low, high = value_range
    if not jnp.issubdtype(values.dtype, jnp.floating):
        values, low, high = (x.astype(np.float64) for x in (values, low, high))
    return jnp.clip(jnp.floor((values - low) / (high - low) * nbins), 0, nbins - 1).astype(np.int32)


def _range_increases(values, value_range, nbins, dtype):
    text = "value_range should satisfy value_range[0] < value_range[1] [Op:HistogramFixedWidth] name: "
    return [engine.require(value_range[0] < value_range[1], text)]


def _countable(values, value_range, nbins, dtype):
    if not jnp.issubdtype(values.dtype, jnp.floating):
        return _range_increases(values, value_range, nbins, dtype)
    text = "Histogram values must not contain NaN [Op:HistogramFixedWidth] name: "
    return [*_range_increases(values, value_range, nbins, dtype), engine.require(~jnp.isnan(values), text)]


_HISTOGRAM = {
    "tensors": ("values", "value_range"), "dtypes": _WEIGHTS, "gradient": "none", "requires": _range_increases,
}  # fmt: skip


@op("tf.histogram_fixed_width_bins", kernel="HistogramFixedWidth", hinted=("value_range",),
    **_HISTOGRAM | {"dtypes": FLOATING})  # fmt: skip
def histogram_fixed_width_bins(values, value_range, nbins=100, dtype=_dtypes.int32):
    """The number of the bin of each element, in bins of equal width.

    Args:
      values: floating tensor, any shape.
      value_range: tensor of two elements of the same dtype: lowest and highest value. Elements beyond fall
        into the first and last bin.
      nbins: integer, number of bins.
      dtype: int32 or int64.

    Returns:
      Tensor of `dtype` with the shape of `values`.

    Raises:
      tf.errors.InvalidArgumentError: `nbins` is not positive, the range does not increase, or dtypes differ.

    TF: `tf.histogram_fixed_width_bins`; no known difference.
    """
    return _bins(values, value_range, nbins).astype(_dtypes.as_dtype(dtype).np)


@op("tf.histogram_fixed_width", kernel="HistogramFixedWidth", **_HISTOGRAM | {"requires": _countable})
def histogram_fixed_width(values, value_range, nbins=100, dtype=_dtypes.int32):
    """The number of elements in each of bins of equal width.

    Args:
      values: int32, int64, float32 or float64 tensor, any shape.
      value_range: tensor of two elements of the same dtype: lowest and highest value. Elements beyond fall
        into the first and last bin.
      nbins: integer, number of bins.
      dtype: int32 or int64.

    Returns:
      Vector of `nbins` counts of `dtype`.

    Raises:
      tf.errors.InvalidArgumentError: `nbins` is not positive, the range does not increase, dtypes differ, or a value is
        NaN.

    TF: `tf.histogram_fixed_width`; no known difference.
    """
    dtype, places = _dtypes.as_dtype(dtype).np, _bins(values, value_range, nbins)
    return jnp.zeros(int(nbins), dtype).at[places.reshape(-1)].add(jnp.ones((), dtype))


def sobol_sample(dim, num_results, skip=0, dtype=_dtypes.float32, name=None):
    """Points of the Sobol sequence, which fills the unit cube evenly.

    Args:
      dim: integer, the dimension.
      num_results: integer, how many points.
      skip: integer, how many points to leave out at the beginning.
      dtype: float32 or float64.
      name: ignored.

    Returns:
      Tensor of shape `[num_results, dim]` and dtype `dtype`.

    Raises:
      tf.errors.InvalidArgumentError: a number is out of range.

    TF: `tf.math.sobol_sample`; no known difference.
    """
    from scipy.stats import qmc  # half a second to import, and needed by nothing else

    dim, num_results, skip = (
        as_int32(static_value(value), argument)
        for value, argument in ((dim, "dim"), (num_results, "num_results"), (skip, "skip"))
    )
    dtype = _dtypes.as_dtype(dtype)
    if dtype not in (_dtypes.float32, _dtypes.float64):
        raise invalid(
            f"Value for attr 'dtype' of {dtype.name} is not in the list of allowed values: float, double"
        )
    if dim < 1 or dim > qmc.Sobol.MAXDIM:
        raise invalid(f"dim must be between 1 and {qmc.Sobol.MAXDIM}, got {dim} [Op:SobolSample]")
    if num_results < 1 or skip < 0:
        raise invalid(
            f"num_results must be positive, skip not negative, got {num_results} and {skip} [Op:SobolSample]"
        )
    # SciPy's sequence has the origin in front.
    points = qmc.Sobol(dim, scramble=False).fast_forward(skip + 1).random(num_results)
    return wrap(engine.leaf(points.astype(dtype.np)))


@op(
    "tf.math.zero_fraction",
    "tf.nn.zero_fraction",
    kernel="CountNonzero",
    tensors=("value",),
    dtypes=ANY,
    gradient="none",
)
def zero_fraction(value):
    """How much of a tensor is zero.

    Args:
      value: numeric or bool tensor.

    Returns:
      float32 scalar in [0, 1]; NaN if `value` is empty.

    Gradient: None.
    TF: `tf.math.zero_fraction`; no known difference.
    """
    zeros = (value == 0).sum(dtype=np.int64).astype(np.float32)
    return zeros / jnp.asarray(value.size, np.float32)
