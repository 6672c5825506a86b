"""LayerNormalization."""

from typing import Any

from tfcompat._core.op import FLOATING, op
from tfcompat._core.shape import TensorShape
from tfcompat.array import cast
from tfcompat.layers._normalization.affine import (
    AffineNormalization,
    SettledOp,
    checked_axis,
    moments,
    normalized,
    spread,
)


@op("_layer_norm", kernel="FusedBatchNormV3", tensors=("x", "gamma", "beta"), same=("gamma", "beta"), dtypes=FLOATING)
def _layer_norm(x, gamma=None, beta=None, axis=(-1,), epsilon=1e-3, wide: Any = None, fused=False):
    """Normalizes along `axis`; in the DType `wide`, unless it is None."""
    gamma, beta = spread(gamma, x, axis), spread(beta, x, axis)
    if wide is not None:
        h = x.astype(wide.np)
        if not fused:
            return normalized(h, *moments(h, axis, False), gamma, beta, epsilon, False).astype(x.dtype)
        result = normalized(h, *moments(h, axis, True), None, None, epsilon, True).astype(x.dtype)
        result = result if gamma is None else result * gamma.astype(x.dtype)
        return result if beta is None else result + beta.astype(x.dtype)
    if fused:
        result = normalized(x, *moments(x, axis, True), None, None, epsilon, True)
        result = result if gamma is None else result * gamma
        return result if beta is None else result + beta
    return normalized(x, *moments(x, axis, False), gamma, beta, epsilon, False)


class LayerNormalization(AffineNormalization):
    """Normalizes each example by its own mean and variance.

    Args:
      axis: int or list of ints, along which moments are taken; `gamma` and `beta` have these axes.
      epsilon: float added to the variance.
      center: bool, whether `beta` is added.
      scale: bool, whether the result is multiplied by `gamma`.
      beta_initializer, gamma_initializer: names or functions of (shape, dtype).
      beta_regularizer, gamma_regularizer: names or functions from the weight to a loss, or None.
      beta_constraint, gamma_constraint: names or functions for optimizers to apply, or None.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: an axis is out of range or given twice.

    Inputs: floating tensor of any rank. Outputs: the same shape and dtype.
    Weights: `gamma`, `beta`, of the sizes of `axis`.
    Gradient: second derivatives are exact where TF uses its fused kernel: float32, `axis` the last axes,
      `epsilon` from 1.001e-5 on. Otherwise they lack a part, since `tf.nn.moments` stops a gradient.
    TF: `tf.keras.layers.LayerNormalization`; no known difference.
    """

    def __init__(
        self,
        axis=-1,
        epsilon=1e-3,
        center=True,
        scale=True,
        beta_initializer="zeros",
        gamma_initializer="ones",
        beta_regularizer=None,
        gamma_regularizer=None,
        beta_constraint=None,
        gamma_constraint=None,
        **kwargs,
    ):
        super().__init__(
            axis,
            epsilon,
            center,
            scale,
            (beta_initializer, gamma_initializer),
            (beta_regularizer, gamma_regularizer),
            (beta_constraint, gamma_constraint),
            **kwargs,
        )

    def build(self, input_shape):
        input_shape = TensorShape(input_shape)
        rank = len(input_shape.as_list())
        self.axis = checked_axis(self.axis, rank)
        self._add_scale_and_offset([input_shape[axis] for axis in self.axis], None)
        fused = bool(self._fused_can_be_used(rank))
        options = {"axis": tuple(self.axis), "epsilon": float(self.epsilon), "fused": fused}
        options["wide"] = self._dtype_policy._stored if self._dtype_policy.is_mixed else None
        self._normalize = SettledOp(_layer_norm, True, self.scale, self.center, **options)
        super().build(input_shape)

    def call(self, inputs):
        if inputs.dtype is not self._compute_dtype_object:
            inputs = cast(inputs, self._compute_dtype_object)
        return self._normalize(inputs, self.gamma, self.beta)

    def _fused_can_be_used(self, ndims):
        # The fused kernel raises a smaller epsilon to 1.001e-5, and takes float32 variables only.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/layers/normalization/layer_normalization.py
        axis = sorted(self.axis)
        together_at_end = axis == list(range(ndims - len(axis), ndims))
        return together_at_end and self.epsilon >= 1.001e-5 and self.dtype == "float32"
