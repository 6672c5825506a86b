"""`tf.keras.optimizers.legacy`: the base class, for `isinstance` and for packages that import it."""
from tfcompat._missing import missing as _missing
from tfcompat.errors import UnimplementedError as _UnimplementedError


class Optimizer:
    """Base of Keras's older optimizers, of which there are none here: making one is refused.

    TF: `tf.keras.optimizers.legacy.Optimizer`.
    """

    def __init__(self, name=None, gradient_aggregator=None, gradient_transformers=None, **kwargs):
        raise _UnimplementedError(
            None, None, "tf.keras.optimizers.legacy.Optimizer: subclass tf.keras.optimizers.Optimizer with `build` and "
            "`update_step`"
        )  # fmt: skip


__getattr__ = _missing(
    "tf.keras.optimizers.legacy", otherwise="the optimizer of the same name in tf.keras.optimizers"
)
