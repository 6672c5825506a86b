"""MultiHeadAttention."""

import math
import string
from typing import Any

from tfcompat._core.shape import TensorShape
from tfcompat.array import cast, expand_dims
from tfcompat.errors import UnimplementedError
from tfcompat.layers import constraints, initializers, regularizers
from tfcompat.layers._activation import Softmax
from tfcompat.layers._attention import lower_triangle
from tfcompat.layers._einsum_dense import EinsumDense
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.mask_propagation import mask_of
from tfcompat.layers._regularization import Dropout
from tfcompat.linalg import einsum
from tfcompat.math import logical_and, multiply


class MultiHeadAttention(Layer):
    """Attention with several heads, each on projections of its own.

    Args:
      num_heads: int.
      key_dim: int, size of the projections of query and key for each head.
      value_dim: int, that of the value; `key_dim` by default.
      dropout: share of the attention weights dropped in training.
      use_bias: whether projections have a bias.
      output_shape: int or shape in place of the last axis of the query, which is the default.
      attention_axes: axis or axes along which is attended; by default all between the batch and the last.
      kernel_initializer, bias_initializer: names or functions of (shape, dtype).
      kernel_regularizer, bias_regularizer: names or functions from the weight to a loss, or None.
      activity_regularizer: name or function from the outputs of the projections to a loss, or None.
      kernel_constraint, bias_constraint: names or functions for optimizers to apply, or None.
      softmax_robust_masking: whether masks replace scores rather than adding to them.
      **kwargs: those of `Layer`.

    Called on `query` [batch, ..., n], `value` [batch, ..., m] and optionally `key`, by default the value.
      `attention_mask`: bool, [batch, places of the query, places of the value], or with an axis for the heads.
      `use_causal_mask`: whether a query sees the values up to its own place only. Masks that the inputs carry count
      as well. Outputs: [batch, ..., n]; with `return_attention_scores=True` also the weights, before dropout.
    Weights: `query`, `key`, `value`, `attention_output`, each a `kernel` and a `bias`.
    TF: `tf.keras.layers.MultiHeadAttention`; ragged inputs are not available.
    """

    # Set past `__setattr__`, or by `_build_from_signature`.
    _query_dense: Any
    _key_dense: Any
    _value_dense: Any
    _output_dense: Any
    _attention_axes: Any
    _output_shape: Any
    _query_shape: Any
    _value_shape: Any
    _key_shape: Any
    _built_from_signature: bool
    _dot_product_equation: str
    _combine_equation: str

    def __init__(
        self,
        num_heads,
        key_dim,
        value_dim=None,
        dropout=0.0,
        use_bias=True,
        output_shape=None,
        attention_axes=None,
        kernel_initializer="glorot_uniform",
        bias_initializer="zeros",
        kernel_regularizer=None,
        bias_regularizer=None,
        activity_regularizer=None,
        kernel_constraint=None,
        bias_constraint=None,
        softmax_robust_masking=False,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.supports_masking = True
        self._num_heads = num_heads
        self._key_dim = key_dim
        self._value_dim = value_dim or key_dim
        self._dropout = dropout
        self._use_bias = use_bias
        self._softmax_robust_masking = softmax_robust_masking
        self._kernel_initializer = initializers.get(kernel_initializer)
        self._bias_initializer = initializers.get(bias_initializer)
        self._kernel_regularizer = regularizers.get(kernel_regularizer)
        self._bias_regularizer = regularizers.get(bias_regularizer)
        self._activity_regularizer = regularizers.get(activity_regularizer)
        self._kernel_constraint = constraints.get(kernel_constraint)
        self._bias_constraint = constraints.get(bias_constraint)
        attributes = self.__dict__  # shapes are no containers of layers
        attributes["_output_shape"] = output_shape
        attributes["_attention_axes"] = (attention_axes,) if isinstance(attention_axes, int) else attention_axes
        attributes["_built_from_signature"] = False
        attributes["_query_shape"] = attributes["_key_shape"] = attributes["_value_shape"] = None

    def _build_from_signature(self, query, value, key=None):
        """Makes the projections for these inputs, or for inputs of these shapes."""
        attributes = self.__dict__
        attributes["_built_from_signature"] = True
        query, value = _known(query), _known(value)
        key = value if key is None else _known(key)
        attributes.update(_query_shape=query, _value_shape=value, _key_shape=key)
        heads = self._num_heads
        self._query_dense = self._projection("query", query.rank - 1, 1, [heads, self._key_dim])
        self._key_dense = self._projection("key", key.rank - 1, 1, [heads, self._key_dim])
        self._value_dense = self._projection("value", value.rank - 1, 1, [heads, self._value_dim])
        self._build_attention(value.rank + 1)
        common = self._get_common_kwargs_for_sublayer()
        self._output_dense = self._make_output_dense(query.rank - 1, common, "attention_output")

    def _make_output_dense(self, free_dims, common_kwargs, name=None):
        last = self._output_shape or [self._query_shape[-1]]
        last = [last] if isinstance(last, int) else list(last)
        return self._projection(name, free_dims, 2, last, common_kwargs)

    def _projection(self, name, free, bound, sizes, options=None):
        """The layer from `bound` axes after `free` ones to axes of some sizes."""
        letters = string.ascii_lowercase
        free_letters, summed = letters[:free], letters[free : free + bound]
        made = letters[free + bound : free + bound + len(sizes)]
        return EinsumDense(
            f"{free_letters}{summed},{summed}{made}->{free_letters}{made}",
            output_shape=[None] * (free - 1) + sizes,
            bias_axes=made if self._use_bias else None,
            name=name,
            **(self._get_common_kwargs_for_sublayer() if options is None else options),
        )

    def _get_common_kwargs_for_sublayer(self):
        def again(initializer):
            return type(initializer).from_config(initializer.get_config())

        return {
            "kernel_regularizer": self._kernel_regularizer,
            "bias_regularizer": self._bias_regularizer,
            "activity_regularizer": self._activity_regularizer,
            "kernel_constraint": self._kernel_constraint,
            "bias_constraint": self._bias_constraint,
            "dtype": self.dtype_policy,
            "kernel_initializer": again(self._kernel_initializer),
            "bias_initializer": again(self._bias_initializer),
        }

    def _build_attention(self, rank):
        """Writes down the two products for projections of a rank, heads included."""
        attributes = self.__dict__
        axes = tuple(range(1, rank - 2)) if self._attention_axes is None else tuple(self._attention_axes)
        target = string.ascii_lowercase[:rank]
        rest = iter(string.ascii_lowercase[rank:])
        batch = [i for i in range(rank - 1) if i not in [axis % rank for axis in axes]]
        source = "".join(target[i] if i in batch or i == rank - 1 else next(rest) for i in range(rank))
        scores = "".join([target[i] for i in batch] + [s[i] for s in (target, source) for i in axes])
        attributes["_attention_axes"] = axes
        attributes["_dot_product_equation"] = f"{source},{target}->{scores}"
        attributes["_combine_equation"] = f"{scores},{source}->{target}"
        last: Any = tuple(range(len(scores) - len(axes), len(scores)))
        self._softmax: Any = Softmax(
            axis=last,
            robust_masking=self._softmax_robust_masking,
            dtype=self.dtype_policy,
        )
        self._dropout_layer: Any = Dropout(rate=self._dropout, dtype=self.dtype_policy)

    def call(
        self,
        query,
        value,
        key=None,
        attention_mask=None,
        return_attention_scores=False,
        training=None,
        use_causal_mask=False,
    ):
        if hasattr(query, "row_splits") or hasattr(value, "row_splits"):
            raise UnimplementedError(
                None,
                None,
                f"{self.name}: ragged inputs are not available in tfcompat: pass to_tensor() of them and an "
                "`attention_mask`",
            )
        if not self._built_from_signature:
            self._build_from_signature(query=query, value=value, key=key)
        key = value if key is None else key
        mask = self._compute_attention_mask(
            query, value, key=key, attention_mask=attention_mask, use_causal_mask=use_causal_mask
        )
        query, key, value = self._query_dense(query), self._key_dense(key), self._value_dense(value)
        outputs, scores = self._compute_attention(query, key, value, mask, training)
        outputs = self._output_dense(outputs)
        return (outputs, scores) if return_attention_scores else outputs

    def _compute_attention(self, query, key, value, attention_mask=None, training=None):
        """(outputs, weights) of every head, for subclasses to override; the inputs are projected."""
        query = multiply(query, 1.0 / math.sqrt(self._key_dim))
        scores = self._masked_softmax(einsum(self._dot_product_equation, key, query), attention_mask)
        return einsum(self._combine_equation, self._dropout_layer(scores, training=training), value), scores

    def _masked_softmax(self, attention_scores, attention_mask=None):
        mask = attention_mask
        if mask is not None:
            for _ in range(len(attention_scores.shape) - len(mask.shape)):
                mask = expand_dims(mask, -2 * len(self._attention_axes) - 1)
        return self._softmax(attention_scores, mask)

    def _compute_attention_mask(self, query, value, key=None, attention_mask=None, use_causal_mask=False):
        """What the given mask, the causal one and those of the inputs keep; None if there is none."""
        masks = [] if attention_mask is None else [attention_mask]
        for tensor, axis in ((query, 2), (value, 1), (key, 1)):
            mask = mask_of(tensor)
            if mask is not None:
                masks.append(expand_dims(cast(mask, "bool"), axis))
        if use_causal_mask:
            masks.append(self._compute_causal_mask(query, value))
        if len(masks) < 2:
            return masks[0] if masks else None
        combined = cast(masks[0], "bool")
        for mask in masks[1:]:
            combined = logical_and(combined, mask)
        return combined

    def _compute_causal_mask(self, query, value=None):
        return lower_triangle(query.shape[1], (query if value is None else value).shape[1])

    def compute_output_shape(self, query_shape, value_shape, key_shape=None):
        """The shape of the outputs for inputs of some shapes.

        Raises:
          ValueError: shapes of value and key differ before the last axis, or those of query and value in it.
        """
        query, value = TensorShape(query_shape), TensorShape(value_shape)
        key: Any = value if key_shape is None else TensorShape(key_shape)
        if query[-1] != value[-1]:
            raise ValueError(
                "The last dimension of `query_shape` and `value_shape` must be equal, but are "
                f"{query[-1]}, {value[-1]}."
            )
        if value.as_list()[1:-1] != key.as_list()[1:-1]:
            raise ValueError(
                "All dimensions of `value` and `key`, except the last one, must be equal. Received "
                f"{value} and {key}"
            )
        if not self._output_shape:
            return query
        last = self._output_shape
        return TensorShape([*query.as_list()[:-1], *([last] if isinstance(last, int) else last)])

    def get_config(self):
        return {
            **super().get_config(),
            "num_heads": self._num_heads,
            "key_dim": self._key_dim,
            "value_dim": self._value_dim,
            "dropout": self._dropout,
            "use_bias": self._use_bias,
            "output_shape": self._output_shape,
            "attention_axes": self._attention_axes,
            "kernel_initializer": initializers.serialize(self._kernel_initializer),
            "bias_initializer": initializers.serialize(self._bias_initializer),
            "kernel_regularizer": regularizers.serialize(self._kernel_regularizer),
            "bias_regularizer": regularizers.serialize(self._bias_regularizer),
            "activity_regularizer": regularizers.serialize(self._activity_regularizer),
            "kernel_constraint": constraints.serialize(self._kernel_constraint),
            "bias_constraint": constraints.serialize(self._bias_constraint),
            "query_shape": self._query_shape,
            "key_shape": self._key_shape,
            "value_shape": self._value_shape,
            "softmax_robust_masking": self._softmax_robust_masking,
        }

    @classmethod
    def from_config(cls, config):
        """The layer that `config`, from `get_config`, describes, with new weights."""
        config = dict(config)
        query, key, value = (config.pop(f"{name}_shape") for name in ("query", "key", "value"))
        layer = cls(**config)
        if None not in (query, key, value):
            layer._build_from_signature(query, value, key)
        return layer


def _known(x) -> Any:
    return TensorShape(getattr(x, "shape", x))
