"""CategoryEncoding, Discretization, Hashing, HashedCrossing: numbers and text as categories."""

from typing import Any

import numpy as np

from tfcompat import dtypes, strings
from tfcompat._core.convert import known_values
from tfcompat._core.shape import TensorShape
from tfcompat._core.variable import Variable
from tfcompat.array import cast, ones_like, reshape, searchsorted, shape, where, zeros_like
from tfcompat.debugging import Assert
from tfcompat.layers._layer import settings as _settings
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._preprocessing.preprocessing import (
    PreprocessingLayer,
    check_choice,
    check_encoding,
    encode,
    encoded_shape,
    ensure_tensor,
    on_values,
    symbolic_output,
)
from tfcompat.math import add, equal, logical_and, reduce_max, reduce_min
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.sparse import cross_hashed, to_dense
from tfcompat.sparse._tensor import SparseTensor

_MODES = ("int", "one_hot", "multi_hot", "count")


class CategoryEncoding(Layer):
    """Numbers of categories as rows.

    Args:
      num_tokens: int, how many categories there are.
      output_mode: "one_hot": a row for each element; "multi_hot" or "count": a row for each sample.
      sparse: bool, whether rows are a SparseTensor.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: no `num_tokens`, or an unknown `output_mode`.
      tf.errors.InvalidArgumentError: a number outside of [0, num_tokens).

    Inputs: integers, dense, sparse or ragged, of rank 2 at most; `count_weights` in the call says what each counts, for
      "count". Outputs: rows of `floatx` unless `dtype` says otherwise.
    TF: `tf.keras.layers.CategoryEncoding`; no known difference.
    """

    def __init__(self, num_tokens=None, output_mode="multi_hot", sparse=False, **kwargs):
        num_tokens = kwargs.pop("max_tokens", num_tokens)
        super().__init__(**kwargs)
        output_mode = "multi_hot" if output_mode == "binary" else output_mode
        check_choice("CategoryEncoding", "output_mode", output_mode, ("count", "one_hot", "multi_hot"))
        if num_tokens is None:
            raise ValueError(
                "num_tokens must be set to use this layer. If the number of tokens is not known beforehand, use the "
                "IntegerLookup layer instead."
            )
        if num_tokens < 1:
            raise ValueError(f"`num_tokens` must be >= 1. Received: num_tokens={num_tokens}.")
        self.num_tokens = num_tokens
        self.output_mode = output_mode
        self.sparse = sparse

    def call(self, inputs: Any, count_weights=None):
        inputs = ensure_tensor(inputs)
        if count_weights is not None:
            if self.output_mode != "count":
                raise ValueError(
                    "`count_weights` is not used when `output_mode` is not `'count'`. Received "
                    f"`count_weights={count_weights}`."
                )
            count_weights = ensure_tensor(count_weights, self._compute_dtype_object)
        values = inputs.values if isinstance(inputs, SparseTensor) else inputs
        values = values.flat_values if isinstance(values, RaggedTensor) else values
        largest, least = reduce_max(values), reduce_min(values)
        Assert(
            logical_and(cast(self.num_tokens, largest.dtype) > largest, least >= cast(0, least.dtype)),
            [f"Input values must be in the range 0 <= values < num_tokens with num_tokens={self.num_tokens}"],
        )
        return encode(
            inputs, self.output_mode, self.num_tokens, self._compute_dtype_object, self.sparse, count_weights
        )

    def compute_output_shape(self, input_shape):
        return encoded_shape(TensorShape(input_shape).as_list(), self.output_mode, self.num_tokens)

    def get_config(self):
        return {
            **super().get_config(),
            "num_tokens": self.num_tokens,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
        }


class Discretization(PreprocessingLayer):
    """Numbers as those of the bins that they fall into.

    Args:
      bin_boundaries: list of floats, or None for `adapt`; n boundaries make n + 1 bins.
      num_bins: int, how many bins `adapt` makes.
      epsilon: float, how exact the quantiles that `adapt` finds are.
      output_mode: "int"; "one_hot": a row for each element; "multi_hot" or "count": a row for each sample.
      sparse: bool, whether rows are a SparseTensor.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: both or wrong boundaries and numbers of bins, or an unknown `output_mode`.

    Inputs: numbers, dense, sparse or ragged. Outputs: int64, or rows of `floatx`, unless `dtype` says otherwise.
    Weights: `summary` [2, n], unless the boundaries are given.
    TF: `tf.keras.layers.Discretization`; no known difference.
    """

    summary: Any
    bin_boundaries: Any
    input_bin_boundaries: Any

    def __init__(self, bin_boundaries=None, num_bins=None, epsilon=0.01, output_mode="int", sparse=False, **kwargs):
        bins = kwargs.pop("bins", None)
        if isinstance(bins, int) and num_bins is None:
            num_bins = bins
        elif bins is not None and bin_boundaries is None:
            bin_boundaries = bins
        _set_dtype(kwargs, output_mode, always_integer=True)
        super().__init__(**kwargs)
        check_encoding(self, output_mode, _MODES, sparse, kwargs["dtype"])
        if num_bins is not None and num_bins < 0:
            raise ValueError(
                f"`num_bins` must be greater than or equal to 0. You passed `num_bins={num_bins}`"
            )
        if num_bins is not None and bin_boundaries is not None:
            raise ValueError(
                f"Both `num_bins` and `bin_boundaries` should not be set. You passed `num_bins={num_bins}` and "
                f"`bin_boundaries={bin_boundaries}`"
            )
        attributes = self.__dict__
        boundaries = bin_boundaries if bin_boundaries is None else np.asarray(bin_boundaries).tolist()
        attributes["input_bin_boundaries"], attributes["bin_boundaries"] = boundaries, boundaries or []
        self.num_bins = num_bins
        self.epsilon = epsilon
        self.output_mode = output_mode
        self.sparse = sparse

    def build(self, input_shape):
        super().build(input_shape)
        if self.input_bin_boundaries is None:
            self.summary = Variable([[], []], trainable=False, name="summary", dtype="float32", shape=(2, None))

    def update_state(self, data):
        """Takes the quantiles of a batch in."""
        if self.input_bin_boundaries is not None:
            raise ValueError(
                "Cannot adapt a Discretization layer that has been initialized with `bin_boundaries`, use `num_bins` "
                f"instead. You passed `bin_boundaries={self.input_bin_boundaries}`."
            )
        if not self.built:
            raise RuntimeError("`build` must be called before `update_state`.")
        values = known_values(ensure_tensor(data, "float32"), "adapt works on the host").ravel()
        merged = np.concatenate([_summary(values, self.epsilon), self.summary.numpy()], axis=1)
        merged = merged[:, np.argsort(merged[0], kind="stable")]
        self.summary.assign(_compressed(merged, self.epsilon))

    def load_own_variables(self, store):
        """Sets the state to what `save_own_variables` put into `store`."""
        super().load_own_variables(store)
        self.finalize_state()

    def finalize_state(self):
        """Makes the boundaries of the data seen."""
        if self.input_bin_boundaries is None and self.built:
            boundaries = _compressed(self.summary.numpy(), 1.0 / self.num_bins)[0, :-1]
            self.__dict__["bin_boundaries"] = boundaries.tolist()

    def reset_state(self):
        """Forgets the data."""
        if self.input_bin_boundaries is None and self.built:
            self.summary.assign([[], []])

    def call(self, inputs):
        if not isinstance(inputs, SparseTensor | RaggedTensor):
            inputs = ensure_tensor(inputs)
        places = on_values(self._places, inputs)
        return encode(places, self.output_mode, self._depth(), self._compute_dtype_object, self.sparse)

    def _depth(self):
        return len(self.bin_boundaries) + 1 if self.bin_boundaries else self.num_bins or 1

    def _called_symbolically(self, inputs):
        shape = encoded_shape(inputs.shape.as_list(), self.output_mode, self._depth())
        return symbolic_output(shape, self._compute_dtype_object, unknown=self.sparse)

    def _places(self, values):
        # TF's kernel compares in float32 boundaries with values of their own dtype.
        bounds = np.array(self.bin_boundaries, np.float32)
        if not len(bounds):
            return zeros_like(values, dtype="int32")
        dtype = "float64" if values.dtype.name in ("int64", "int32", "float64") else "float32"
        flat = reshape(cast(values, dtype), [-1])
        bins = searchsorted(bounds.astype(dtype), flat, side="right")
        return reshape(bins, shape(values))

    def compute_output_shape(self, input_shape):
        # tf_keras returns `input_shape` here, and asks a trace where it builds models.
        return encoded_shape(TensorShape(input_shape).as_list(), self.output_mode, self._depth())

    def get_config(self):
        return {
            **super().get_config(),
            "bin_boundaries": self.input_bin_boundaries,
            "num_bins": self.num_bins,
            "epsilon": self.epsilon,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
        }


class Hashing(Layer):
    """Integers and text as the numbers of bins, by their hash.

    Args:
      num_bins: int, how many bins there are, that of masked values included.
      mask_value: value that bin 0 is kept for, or None.
      salt: int or pair of ints, the key of the hash; None for a hash without key.
      output_mode: "int"; "one_hot": a row for each element; "multi_hot" or "count": a row for each sample.
      sparse: bool, whether rows are a SparseTensor.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: `num_bins` not positive, a wrong `salt`, or an unknown `output_mode`.

    Inputs: integers or text, dense, sparse or ragged. Outputs: int64, or rows of `floatx`, unless `dtype` says
      otherwise.
    TF: `tf.keras.layers.Hashing`; a `tf.function` that calls it on what depends on its arguments runs as plain Python.
    """

    def __init__(self, num_bins, mask_value=None, salt=None, output_mode="int", sparse=False, **kwargs):
        if num_bins is None or num_bins <= 0:
            raise ValueError(
                f"The `num_bins` for `Hashing` cannot be `None` or non-positive values. Received: num_bins={num_bins}."
            )
        _set_dtype(kwargs, output_mode, always_integer=True)
        super().__init__(**kwargs)
        check_encoding(self, output_mode, _MODES, sparse, kwargs["dtype"])
        if not (salt is None or isinstance(salt, int) or isinstance(salt, tuple | list) and len(salt) == 2):
            raise ValueError(
                "The `salt` argument for `Hashing` can only be a tuple of size 2 integers, or a single integer. "
                f"Received: salt={salt}."
            )
        self.num_bins = num_bins
        self.mask_value = mask_value
        self.__dict__["salt"] = [salt, salt] if isinstance(salt, int) else salt
        self.output_mode = output_mode
        self.sparse = sparse

    def call(self, inputs):
        bins = on_values(self._hash_values_to_bins, ensure_tensor(inputs))
        return encode(bins, self.output_mode, self.num_bins, self._compute_dtype_object, self.sparse)

    def _hash_values_to_bins(self, values: Any):
        masked = self.mask_value is not None and self.num_bins > 1
        mask = equal(values, self.mask_value) if masked else None
        count = self.num_bins - masked
        text = strings.as_string(values) if values.dtype.is_integer else values
        if self.salt is None:
            bins = strings.to_hash_bucket_fast(text, count)
        else:
            bins = strings.to_hash_bucket_strong(text, count, key=self.salt)
        return bins if mask is None else where(mask, zeros_like(bins), add(bins, ones_like(bins)))

    def _called_symbolically(self, inputs):
        shape = encoded_shape(inputs.shape.as_list(), self.output_mode, self.num_bins)
        return symbolic_output(shape, self._compute_dtype_object, unknown=self.sparse)

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        return {
            **super().get_config(),
            "num_bins": self.num_bins,
            "salt": self.salt,
            "mask_value": self.mask_value,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
        }


class HashedCrossing(Layer):
    """The combination of several categories as the number of a bin, by its hash.

    Args:
      num_bins: int, how many bins there are.
      output_mode: "int", or "one_hot" for rows.
      sparse: bool, whether rows are a SparseTensor.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: an unknown `output_mode`; in calls, fewer than two inputs, or such of wrong kind or shape.

    Inputs: list of integers and text, all of shape [], [batch] or [batch, 1]. Outputs: int64 of that shape, or rows of
      `floatx`, unless `dtype` says otherwise.
    TF: `tf.keras.layers.HashedCrossing`; a `tf.function` that calls it on what depends on its arguments runs as plain
      Python.
    """

    def __init__(self, num_bins, output_mode="int", sparse=False, **kwargs):
        _set_dtype(kwargs, output_mode)
        super().__init__(**kwargs)
        check_encoding(self, output_mode, ("int", "one_hot"), sparse and output_mode != "int", kwargs["dtype"])
        self.num_bins = num_bins
        self.output_mode = output_mode
        self.sparse = sparse

    def call(self, inputs: Any):
        _check_several(inputs)
        inputs = [ensure_tensor(x) for x in inputs]
        _check_categories(inputs)
        shape = inputs[0].shape.as_list()
        crossed = to_dense(cross_hashed([reshape(x, [-1, 1]) for x in inputs], self.num_bins))
        bins = reshape(crossed, [-1] if len(shape) == 1 else [-1, 1] if shape else [])
        return encode(bins, self.output_mode, self.num_bins, self._compute_dtype_object, self.sparse)

    def _called_symbolically(self, inputs):
        _check_several(inputs)
        _check_categories(inputs)
        shape = encoded_shape(inputs[0].shape.as_list(), self.output_mode, self.num_bins)
        return symbolic_output(shape, self._compute_dtype_object, unknown=self.sparse)

    def compute_output_shape(self, input_shapes):
        _check_several(input_shapes)
        return encoded_shape(TensorShape(input_shapes[0]).as_list(), self.output_mode, self.num_bins)

    def get_config(self):
        return {
            **super().get_config(),
            "num_bins": self.num_bins,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
        }


def _set_dtype(kwargs, output_mode, always_integer=False):
    """Makes int64 or `floatx` the dtype of a layer that was given none."""
    if kwargs.get("dtype") is None:
        kwargs["dtype"] = "int64" if output_mode == "int" else _settings.floatx()
    elif always_integer and output_mode == "int" and not dtypes.as_dtype(kwargs["dtype"]).is_integer:
        kwargs["dtype"] = "int64"


def _check_several(inputs):
    if not isinstance(inputs, list | tuple):
        raise ValueError(f"`HashedCrossing` should be called on a list or tuple of inputs. Received: inputs={inputs}")
    if len(inputs) < 2:
        raise ValueError(f"`HashedCrossing` should be called on at least two inputs. Received: inputs={inputs}")


def _check_categories(inputs):
    first = inputs[0].shape.as_list()
    if len(first) > 2 or (len(first) == 2 and first[-1] != 1):
        problem = "have shape `[]`, `[batch_size]` or `[batch_size, 1]`"
    elif any(x.shape.as_list() != first for x in inputs):
        problem = "have equal shape"
    elif any(isinstance(x, RaggedTensor | SparseTensor) for x in inputs):
        problem = "be dense tensors"
    elif not all(x.dtype.is_integer or x.dtype.name == "string" for x in inputs):
        problem = "have an integer or string dtype"
    else:
        return
    raise ValueError(f"All `HashedCrossing` inputs should {problem}. Received: inputs={inputs}")


def _summary(values, epsilon):
    """Quantiles of values, and how many values each stands for."""
    # Computed in float32, as in Keras, which decides the rounding.
    # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/layers/preprocessing/discretization.py
    increment = int(np.float32(values.size) / np.float32(1.0 / epsilon))
    step = max(increment, 1)
    bounds = np.sort(values)[increment::step]
    return np.stack([bounds, np.full_like(bounds, step)])


def _compressed(summary, epsilon):
    """A summary with 1 / epsilon quantiles at most."""
    if summary.shape[1] * epsilon < 1:
        return summary
    percents = epsilon + np.arange(0.0, 1.0, epsilon)
    weights = summary[1].cumsum()
    shares = weights / weights[-1]
    bounds = np.interp(percents, shares, summary[0])
    weights = np.interp(percents, shares, weights)
    return np.stack((bounds, weights - np.concatenate([[0], weights[:-1]]))).astype(np.float32)
