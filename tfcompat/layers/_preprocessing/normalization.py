"""Normalization: inputs shifted and scaled to the moments of data."""

from typing import Any

import numpy as np

from tfcompat import nn
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.shape import TensorShape
from tfcompat._core.variable import Variable
from tfcompat.array import cast, reshape
from tfcompat.layers._layer import settings as _settings
from tfcompat.layers._layer.overrides import overridden
from tfcompat.layers._preprocessing.preprocessing import (
    STEPS,
    PreprocessingLayer,
    adapted_batches,
    build_for,
    symbolic_output,
)
from tfcompat.math import maximum, sqrt


class Normalization(PreprocessingLayer):
    """Subtracts a mean and divides by a standard deviation, given, or of data seen by `adapt`.

    Args:
      axis: int, ints or None: the axes whose elements have moments of their own.
      mean, variance: numbers or arrays, both or neither.
      invert: bool, whether to undo the normalization.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: one of `mean` and `variance`; an axis out of range or of unknown size.

    Weights: `mean`, `variance`, `count`, unless the moments are given.
    TF: `tf.keras.layers.Normalization`; no known difference.
    """

    mean: Any
    variance: Any
    _broadcast_shape: Any
    input_mean: Any
    input_variance: Any
    adapt_mean: Any
    adapt_variance: Any
    count: Any

    def __init__(self, axis=-1, mean=None, variance=None, invert=False, **kwargs):
        super().__init__(**kwargs)
        self.axis = () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        for name, value in (("mean", mean), ("variance", variance)):
            if isinstance(value, Variable):
                raise ValueError(
                    f"Normalization does not support passing a Variable for the `{name}` init arg."
                )
        if (mean is None) != (variance is None):
            raise ValueError(
                "When setting values directly, both `mean` and `variance` must be set. Got mean: "
                f"{mean} and variance: {variance}"
            )
        self.input_mean = mean
        self.input_variance = variance
        self.invert = invert

    def build(self, input_shape):
        super().build(input_shape)
        if isinstance(input_shape, list | tuple) and any(isinstance(size, TensorShape) for size in input_shape):
            raise ValueError(
                "Normalization only accepts a single input. If you are passing a python list or tuple as a single "
                "input, please convert to a numpy array or `tf.Tensor`."
            )
        sizes = TensorShape(input_shape).as_list()
        rank = len(sizes)
        if any(axis < -rank or axis >= rank for axis in self.axis):
            raise ValueError(
                f"All `axis` values must be in the range [-ndim, ndim). Found ndim: `{rank}`, axis: {self.axis}"
            )
        kept_axes = sorted(axis % rank for axis in self.axis)
        for axis in kept_axes:
            if sizes[axis] is None:
                raise ValueError(
                    f"All `axis` values to be kept must have known shape. Got axis: {self.axis}, input shape: "
                    f"{sizes}, with unknown axis at index: {axis}"
                )
        self._reduce_axis = [axis for axis in range(rank) if axis not in kept_axes]
        self._broadcast_shape = [sizes[axis] if axis in kept_axes else 1 for axis in range(rank)]
        shape = tuple(sizes[axis] for axis in kept_axes)
        if self.input_mean is None:
            dtype = self.compute_dtype
            self.adapt_mean = self.add_weight("mean", shape, dtype, "zeros", trainable=False)
            self.adapt_variance = self.add_weight("variance", shape, dtype, "ones", trainable=False)
            self.count = self.add_weight("count", (), "int64", "zeros", trainable=False)
            self.finalize_state()
        else:
            self._set_moments(self.input_mean * np.ones(shape), self.input_variance * np.ones(shape))

    def _set_moments(self, mean, variance):
        attributes = self.__dict__
        attributes["mean"], attributes["variance"] = (
            cast(reshape(x, self._broadcast_shape), self._compute_dtype_object) for x in (mean, variance)
        )

    def adapt(self, data, batch_size=None, steps=None):
        """Takes the moments of data in place of those before.

        Args:
          data: array or tensor, or iterable of batches.
          batch_size: int, 32 by default.
          steps: int, how many batches of an iterable.
        """
        if overridden(self, PreprocessingLayer, *STEPS):
            super().adapt(data, batch_size, steps)
            return
        batches = adapted_batches(data, batch_size or 32, steps)
        self.reset_state()
        for number, batch in enumerate(batches):
            if steps is not None and number >= steps:
                break
            batch = _standardized(batch, self.compute_dtype)
            build_for(self, batch, data)
            self.update_state(batch)
        self.finalize_state()
        self.__dict__["_is_adapted"] = True

    def update_state(self, data):
        """Takes the moments of a batch in; RuntimeError before the layer is built."""
        if self.input_mean is not None:
            raise ValueError(
                "Cannot `adapt` a Normalization layer that is initialized with static `mean` and `variance`, you "
                f"passed mean {self.input_mean} and variance {self.input_variance}."
            )
        if not self.built:
            raise RuntimeError("`build` must be called before `update_state`.")
        data = cast(self._standardize_inputs(data), self.adapt_mean.dtype)
        mean, variance = nn.moments(data, self._reduce_axis)
        sizes = data.shape.as_list()
        count = int(np.prod([sizes[axis] for axis in self._reduce_axis], dtype=np.int64))
        total = count + int(self.count)
        share = count / total
        before = 1.0 - share
        new = self.adapt_mean * before + mean * share
        spread = (self.adapt_variance + (self.adapt_mean - new) ** 2) * before
        self.adapt_variance.assign(spread + (variance + (mean - new) ** 2) * share)
        self.adapt_mean.assign(new)
        self.count.assign(total)

    def reset_state(self):
        """Forgets the data."""
        if self.input_mean is None and self.built:
            self.adapt_mean.assign(np.zeros(self.adapt_mean.shape))
            self.adapt_variance.assign(np.ones(self.adapt_variance.shape))
            self.count.assign(0)

    def finalize_state(self):
        """Makes `mean` and `variance` those of the data."""
        if self.input_mean is None and self.built:
            self._set_moments(self.adapt_mean, self.adapt_variance)

    def load_own_variables(self, store):
        """Sets the state to what `save_own_variables` put into `store`."""
        super().load_own_variables(store)
        self.finalize_state()

    def _standardize_inputs(self, inputs: Any):
        return _standardized(inputs, self.compute_dtype)

    def call(self, inputs: Any):
        inputs = self._standardize_inputs(inputs)
        size = maximum(sqrt(self.variance), _settings.epsilon())
        return self.mean + inputs * size if self.invert else (inputs - self.mean) / size

    def compute_output_shape(self, input_shape):
        shape = TensorShape(input_shape)
        if not self.built or shape.rank != len(self._broadcast_shape):
            return input_shape
        pairs = zip(shape.as_list(), self._broadcast_shape, strict=True)
        sizes = [known if size is None and known != 1 else size for size, known in pairs]
        return input_shape if sizes == shape.as_list() else TensorShape(sizes)

    def _called_symbolically(self, inputs):
        """The output where the moments know sizes that the inputs do not tell, as they do not after `adapt`."""
        shape = TensorShape(self.compute_output_shape(inputs.shape))
        known = shape.rank is not None and shape.as_list() != inputs.shape.as_list()
        return symbolic_output(shape, self._compute_dtype_object, unknown=not known)

    def get_config(self):
        mean, variance = (
            np.asarray(x).tolist() if hasattr(x, "shape") else x
            for x in (self.input_mean, self.input_variance)
        )
        return {
            **super().get_config(),
            "axis": self.axis,
            "invert": self.invert,
            "mean": mean,
            "variance": variance,
        }


def _standardized(inputs, dtype) -> Any:
    inputs = convert_to_tensor(inputs)
    return inputs if inputs.dtype == dtype else cast(inputs, dtype)
