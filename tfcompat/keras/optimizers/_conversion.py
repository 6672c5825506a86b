"""Newer optimizers as older ones."""


from tfcompat.keras.optimizers._base import Optimizer
from tfcompat.keras.optimizers._loss_scale import LossScaleOptimizerV3
from tfcompat.keras.optimizers._registry import deserialize
from tfcompat.keras.optimizers.schedules import LearningRateSchedule

# Options that the older optimizers lack.
_NEWER = ("weight_decay", "use_ema", "ema_momentum", "ema_overwrite_frequency", "jit_compile", "is_legacy_optimizer")


def convert_to_legacy_optimizer(optimizer):
    """The older optimizer with the hyperparameters of a newer one.

    Raises:
      ValueError: `optimizer` is no newer one, or there is no older one of its class.

    TF: `tf.keras.__internal__.optimizers.convert_to_legacy_optimizer`.
    """
    if not isinstance(optimizer, Optimizer):
        raise ValueError(
            "`convert_to_legacy_optimizer` should only be called on instances of `tf.keras.optimizers.Optimizer`, but "
            f"received {optimizer} of type {type(optimizer)}."
        )
    config = {key: value for key, value in optimizer.get_config().items() if key not in _NEWER}
    name = type(optimizer).__name__.lower().removesuffix("v3")
    if isinstance(optimizer, LossScaleOptimizerV3):
        config["inner_optimizer"] = convert_to_legacy_optimizer(optimizer.inner_optimizer)
    if isinstance(getattr(optimizer, "_learning_rate", None), LearningRateSchedule):
        config["learning_rate"] = optimizer._learning_rate
    return deserialize({"class_name": name, "config": config}, use_legacy_optimizer=True)
