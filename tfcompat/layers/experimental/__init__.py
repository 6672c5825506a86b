"""`tf.keras.layers.experimental`: layers under the names that they had before TensorFlow 2.6."""

from tfcompat._package.missing import missing as _missing
from tfcompat.layers._einsum_dense import EinsumDense as EinsumDense
from tfcompat.layers._normalization.batch_normalization import BatchNormalization as _BatchNormalization
from tfcompat.layers.experimental import preprocessing as preprocessing


class SyncBatchNormalization(_BatchNormalization):
    """`BatchNormalization` over the batches of all replicas: there is one. TF:
    `tf.keras.layers.experimental.SyncBatchNormalization`."""


__getattr__ = _missing(
    "tf.keras.layers.experimental",
    {
        "RandomFourierFeatures": "a tf.keras.layers.Lambda of tf.cos",
        "DynamicEmbedding": "tf.keras.layers.StringLookup and Embedding",
        "DynamicLookup": "tf.keras.layers.StringLookup",
    },
)
