"""`tf.keras.layers.experimental`: layers under the names that they had before TensorFlow 2.6."""

from tfcompat._package.missing import missing as _missing
from tfcompat.layers._einsum_dense import EinsumDense as EinsumDense
from tfcompat.layers._normalization.batch_normalization import BatchNormalization as _BatchNormalization
from tfcompat.layers.experimental import preprocessing as preprocessing


class SyncBatchNormalization(_BatchNormalization):
    """`BatchNormalization` over the batches of all replicas: that with `synchronized=True`, its former name.

    TF: `tf.keras.layers.experimental.SyncBatchNormalization`.
    """

    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer="zeros",
                 gamma_initializer="ones", moving_mean_initializer="zeros", moving_variance_initializer="ones",
                 beta_regularizer=None, gamma_regularizer=None, beta_constraint=None, gamma_constraint=None,
                 **kwargs):  # fmt: skip
        kwargs["synchronized"] = True
        super().__init__(
            axis, momentum, epsilon, center, scale, beta_initializer, gamma_initializer, moving_mean_initializer,
            moving_variance_initializer, beta_regularizer, gamma_regularizer, beta_constraint, gamma_constraint,
            **kwargs,
        )  # fmt: skip


__getattr__ = _missing(
    "tf.keras.layers.experimental",
    {
        "RandomFourierFeatures": "a tf.keras.layers.Lambda of tf.cos",
        "DynamicEmbedding": "tf.keras.layers.StringLookup and Embedding",
        "DynamicLookup": "tf.keras.layers.StringLookup",
    },
)
