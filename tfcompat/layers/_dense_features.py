"""DenseFeatures, a name for programs that ask whether a layer is one."""

from tfcompat.errors import UnimplementedError
from tfcompat.layers._layer.layer import Layer


class DenseFeatures(Layer):
    """Refused, since there is no `tf.feature_column`; only for `isinstance`. TF: `tf.keras.layers.DenseFeatures`.

    Raises:
      tf.errors.UnimplementedError: always.
    """

    def __init__(self, feature_columns, trainable=True, name=None, **kwargs):
        raise UnimplementedError(
            None, None,
            "tf.keras.layers.DenseFeatures is not available in tfcompat: use tf.keras.layers.Embedding, StringLookup "
            "and Concatenate on the columns",
        )  # fmt: skip
