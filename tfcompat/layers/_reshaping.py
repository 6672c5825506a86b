"""Layers that only change shapes: Flatten, Reshape, Permute, RepeatVector."""

import math

from tfcompat._core.shape import TensorShape
from tfcompat.array import expand_dims, reshape, tile, transpose
from tfcompat.layers._layer.context import normalize_data_format
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.layer import Layer


class Flatten(Layer):
    """All axes but the first made one.

    Args:
      data_format: "channels_last", or "channels_first": then the second axis becomes the last before.
      **kwargs: those of `Layer`.

    Inputs: tensor of shape [batch, ...]. Outputs: [batch, product of the rest], [batch, 1] from [batch].
    TF: `tf.keras.layers.Flatten`; no known difference.
    """

    def __init__(self, data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.data_format = normalize_data_format(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs):
        rank = inputs.shape.rank
        if self.data_format == "channels_first" and rank > 1:
            inputs = transpose(inputs, perm=[0, *range(2, rank), 1])
        batch, *rest = inputs.shape.as_list()
        return reshape(inputs, [-1 if batch is None else batch, math.prod(rest)])

    def compute_output_shape(self, input_shape):
        batch, *rest = TensorShape(input_shape).as_list()
        return TensorShape([batch, None if None in rest else math.prod(rest)])

    def get_config(self):
        return {**super().get_config(), "data_format": self.data_format}


class Reshape(Layer):
    """Another shape, batch axis apart.

    Args:
      target_shape: ints, without the batch axis; one may be -1.
      **kwargs: those of `Layer`.

    Raises:
      tf.errors.InvalidArgumentError: the inputs have another number of elements; more than one -1.

    TF: `tf.keras.layers.Reshape`; no known difference.
    """

    def __init__(self, target_shape, **kwargs):
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def call(self, inputs):
        batch = inputs.shape[0]
        return reshape(inputs, (-1 if batch is None else batch, *self.target_shape))

    def compute_output_shape(self, input_shape):
        batch, *rest = TensorShape(input_shape).as_list()
        if None in rest:
            return TensorShape([batch, *(None if size == -1 else size for size in self.target_shape)])
        return TensorShape([batch, *self._fix_unknown_dimension(rest, self.target_shape)])

    def _fix_unknown_dimension(self, input_shape, output_shape):
        sizes, wanted = list(input_shape), list(output_shape)
        if wanted.count(-1) > 1:
            raise ValueError(
                f"There must be at most one unknown dimension in output_shape. Received: output_shape={wanted}."
            )
        known, total = math.prod(size for size in wanted if size != -1), math.prod(sizes)
        if known != total if -1 not in wanted else known == 0 or total % known:
            raise ValueError(
                f"total size of new array must be unchanged, input_shape = {sizes}, output_shape = {wanted}"
            )
        return [total // known if size == -1 else size for size in wanted]

    def get_config(self):
        return {**super().get_config(), "target_shape": self.target_shape}


class Permute(Layer):
    """Axes in another order, batch axis apart.

    Args:
      dims: the order of the axes, counted from 1.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: `dims` is no permutation of 1, 2, ...; the inputs have another rank.

    TF: `tf.keras.layers.Permute`; no known difference.
    """

    def __init__(self, dims, **kwargs):
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(dims) != list(range(1, len(dims) + 1)):
            raise ValueError(
                "Invalid permutation argument `dims` for Permute Layer. The set of indices in `dims` must be "
                f"consecutive and start from 1. Received dims={dims}"
            )
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def call(self, inputs):
        return transpose(inputs, perm=(0, *self.dims))

    def compute_output_shape(self, input_shape):
        sizes = TensorShape(input_shape).as_list()
        return TensorShape([sizes[0], *(sizes[axis] for axis in self.dims)])

    def get_config(self):
        return {**super().get_config(), "dims": self.dims}


class RepeatVector(Layer):
    """Each row `n` times over.

    Args:
      n: int.
      **kwargs: those of `Layer`.

    Raises:
      TypeError: `n` is no int.

    Inputs: tensor of shape [batch, features]. Outputs: [batch, n, features].
    TF: `tf.keras.layers.RepeatVector`; no known difference.
    """

    def __init__(self, n, **kwargs):
        super().__init__(**kwargs)
        self.n = n
        if not isinstance(n, int):
            raise TypeError(f"Expected an integer value for `n`, got {type(n)}.")
        self.input_spec = InputSpec(ndim=2)

    def call(self, inputs):
        return tile(expand_dims(inputs, 1), [1, self.n, 1])

    def compute_output_shape(self, input_shape):
        batch, features = TensorShape(input_shape).as_list()
        return TensorShape([batch, self.n, features])

    def get_config(self):
        return {**super().get_config(), "n": self.n}
