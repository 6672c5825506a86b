"""Attention, AdditiveAttention."""

from typing import Any

from tfcompat import dtypes, nn
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.shape import TensorShape
from tfcompat.array import cast, expand_dims, ones
from tfcompat.layers._layer.random_layer import RandomLayer
from tfcompat.linalg import band_part, matmul
from tfcompat.math import logical_and, logical_not, reduce_sum, tanh


class _Attention(RandomLayer):
    """Attention on the scores of pairs of query and key."""

    scale: Any

    def __init__(self, dropout=0.0, **kwargs):
        causal = kwargs.pop("causal", False)
        super().__init__(**kwargs)
        self.causal = causal
        self.dropout = dropout

    def _calculate_scores(self, query, key):
        raise NotImplementedError

    def call(self, inputs, mask=None, training=None, return_attention_scores=False, use_causal_mask=False):
        self._validate_call_args(inputs=inputs, mask=mask)
        query, value = inputs[0], inputs[1]
        key = inputs[2] if len(inputs) > 2 else value
        query_mask, value_mask = mask[:2] if mask else (None, None)
        scores: Any = self._calculate_scores(query=query, key=key)
        score_mask = None if value_mask is None else expand_dims(cast(value_mask, "bool"), -2)
        if self.causal or use_causal_mask:
            earlier = lower_triangle(*scores.shape.as_list()[-2:])
            score_mask = earlier if score_mask is None else logical_and(score_mask, earlier)
        result, weights = self._apply_scores(scores=scores, value=value, scores_mask=score_mask, training=training)
        if query_mask is not None:
            result = result * cast(expand_dims(query_mask, -1), result.dtype)
        return (result, weights) if return_attention_scores else result

    def _apply_scores(self, scores, value, scores_mask=None, training=None):
        """(weighted means of the values, weights) from scores. A bool mask says which scores count."""
        if scores_mask is not None:
            # Finite, so that a row in which everything is masked gets equal weights rather than NaN. The first is the
            # largest float16.
            # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/layers/attention/base_dense_attention.py
            low: Any = 65504.0 if scores.dtype == "float16" else 1e9
            scores = scores - low * cast(logical_not(scores_mask), scores.dtype)
        weights = nn.softmax(scores)
        if self.dropout > 0:
            weights = super().call(weights, training)
        return matmul(weights, value), weights

    def _changed(self, inputs):
        return nn.dropout(inputs, rate=self.dropout, seed=self._take_seed())

    def compute_mask(self, inputs, mask=None):
        self._validate_call_args(inputs=inputs, mask=mask)
        return None if not mask or mask[0] is None else convert_to_tensor(mask[0])

    def compute_output_shape(self, input_shape):
        return TensorShape(input_shape[0])

    def _validate_call_args(self, inputs, mask):
        name = type(self).__name__
        if not isinstance(inputs, list):
            raise ValueError(
                f"{name} layer must be called on a list of inputs, namely [query, value] or [query, value, key]. "
                f"Received: {inputs}."
            )
        if not 2 <= len(inputs) <= 3:
            raise ValueError(
                f"{name} layer accepts inputs list of length 2 or 3, namely [query, value] or [query, value, key]. "
                f"Received length: {len(inputs)}."
            )
        if mask:
            if not isinstance(mask, list):
                raise ValueError(
                    f"{name} layer mask must be a list, namely [query_mask, value_mask]. Received: {mask}."
                )
            if not 2 <= len(mask) <= len(inputs):
                raise ValueError(
                    f"{name} layer mask must be a list of length 2, namely [query_mask, value_mask]. Received length: "
                    f"{len(mask)}."
                )

    def get_config(self):
        return {**super().get_config(), "dropout": self.dropout}


def lower_triangle(rows, columns):
    """A bool tensor [1, rows, columns], True on the diagonal and below."""
    return band_part(ones([1, rows, columns], dtypes.bool), -1, 0)


class Attention(_Attention):
    """Dot-product attention: means of values, weighted by the softmax of `query @ transpose(key)`.

    Args:
      use_scale: whether scores are multiplied by a weight.
      score_mode: "dot", or "concat" for a weighted sum of `tanh(query + key)`.
      **kwargs: those of `Layer`; `dropout`: share of the weights dropped in training; `seed`: int, for it; `causal`:
        whether a query sees the values up to its own place only, as `use_causal_mask` in the call.

    Raises:
      ValueError: unknown `score_mode`; inputs or mask no list of the right length.

    Inputs: list of query [batch, n, size], value [batch, m, size'], and optionally key [batch, m, size], by default
      the value. Called with `mask`: list of masks [batch, n] and [batch, m], or None. Outputs: [batch, n, size'];
      with `return_attention_scores=True` also the softmax [batch, n, m].
    Weights: `scale` [] and `concat_score_weight` [], as far as they are used.
    TF: `tf.keras.layers.Attention`; no known difference.
    """

    def __init__(self, use_scale=False, score_mode="dot", **kwargs):
        super().__init__(**kwargs)
        self.use_scale = use_scale
        self.score_mode = score_mode
        if score_mode not in ("dot", "concat"):
            raise ValueError(f'Received: score_mode={score_mode}. Acceptable values are: ["dot", "concat"]')

    def build(self, input_shape):
        self.scale = self.concat_score_weight = None
        if self.use_scale:
            self.scale = self.add_weight("scale", shape=(), initializer="ones")
        if self.score_mode == "concat":
            self.concat_score_weight = self.add_weight("concat_score_weight", shape=(), initializer="ones")
        super().build(input_shape)

    def _calculate_scores(self, query, key):
        if self.score_mode == "dot":
            scores = matmul(query, key, transpose_b=True)
            return scores if self.scale is None else scores * self.scale
        both = expand_dims(query, -2) + expand_dims(key, -3)
        if self.scale is not None:
            both = self.scale * both
        return self.concat_score_weight * reduce_sum(tanh(both), axis=-1)

    def get_config(self):
        return {**super().get_config(), "use_scale": self.use_scale, "score_mode": self.score_mode}


class AdditiveAttention(_Attention):
    """Additive attention: means of values, weighted by the softmax of the sum of `tanh(query + key)`.

    Args:
      use_scale: whether the terms of the sum are multiplied by weights.
      **kwargs: as for `Attention`.

    Raises:
      ValueError: inputs or mask no list of the right length.

    Inputs and outputs as of `Attention`.
    Weights: `scale` [size], if it is used.
    TF: `tf.keras.layers.AdditiveAttention`; no known difference.
    """

    def __init__(self, use_scale=True, **kwargs):
        super().__init__(**kwargs)
        self.use_scale = use_scale

    def build(self, input_shape):
        self.scale = None
        if self.use_scale:
            size = TensorShape(input_shape[1])[-1]
            self.scale = self.add_weight("scale", shape=[size], initializer="glorot_uniform")
        super().build(input_shape)

    def _calculate_scores(self, query, key):
        terms = tanh(expand_dims(query, -2) + expand_dims(key, -3))
        return reduce_sum(terms if self.scale is None else self.scale * terms, axis=-1)

    def get_config(self):
        return {**super().get_config(), "use_scale": self.use_scale}
