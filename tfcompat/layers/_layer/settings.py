"""Keras's process-wide settings: default dtype and image layout, fuzz factor, learning phase."""

import contextlib
import warnings

from tfcompat.layers._layer.naming import reset_uids

_FLOATX = ("float16", "float32", "float64")
_DATA_FORMATS = ("channels_first", "channels_last")


class _Settings:
    """Process-wide settings, as those of `tf.keras.backend`."""

    def __init__(self):
        self.floatx = "float32"
        self.epsilon = 1e-7
        self.image_data_format = "channels_last"
        self.learning_phase: int | None = None


settings = _Settings()


def floatx():
    """The default float dtype, as a string. TF: `tf.keras.backend.floatx`."""
    return settings.floatx


def set_floatx(value):
    """Sets the default float dtype: "float16", "float32" or "float64". TF: `tf.keras.backend.set_floatx`.

    Raises:
      ValueError: any other value.
    """
    if value not in _FLOATX:
        raise ValueError(f"Unknown `floatx` value: {value}. Expected one of {_FLOATX}")
    settings.floatx = str(value)


def epsilon():
    """The fuzz factor of numeric expressions, 1e-7 by default. TF: `tf.keras.backend.epsilon`."""
    return settings.epsilon


def set_epsilon(value):
    """Sets the fuzz factor. TF: `tf.keras.backend.set_epsilon`."""
    settings.epsilon = value


def image_data_format():
    """ "channels_last" or "channels_first". TF: `tf.keras.backend.image_data_format`."""
    return settings.image_data_format


def set_image_data_format(data_format):
    """Sets the default image layout. TF: `tf.keras.backend.set_image_data_format`.

    Raises:
      ValueError: neither "channels_last" nor "channels_first".
    """
    if data_format not in _DATA_FORMATS:
        raise ValueError(f"Unknown `data_format`: {data_format}. Expected one of {_DATA_FORMATS}")
    settings.image_data_format = str(data_format)


def normalize_data_format(value):
    """A layer's `data_format` argument, or the default in its place."""
    value = (settings.image_data_format if value is None else value).lower()
    if value not in _DATA_FORMATS:
        raise ValueError(
            f'The `data_format` argument must be one of "channels_first", "channels_last". Received: {value}'
        )
    return value


def learning_phase():
    """0 or 1: whether layers called without `training` train. TF: `tf.keras.backend.learning_phase`."""
    # Layers do not train unless a program says so.
    # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/backend.py
    return 0 if settings.learning_phase is None else settings.learning_phase


def set_learning_phase(value):
    """Sets what layers called without `training` do. TF: `tf.keras.backend.set_learning_phase`.

    Raises:
      ValueError: `value` is neither 0 nor 1.
    """
    warnings.warn(
        "`tf.keras.backend.set_learning_phase` is deprecated: pass True or False as the `training` argument "
        "of the layer or model instead.",
        stacklevel=2,
    )
    settings.learning_phase = _checked_phase(value)


@contextlib.contextmanager
def learning_phase_scope(value):
    """In the context layers called without `training` train, or do not. TF: `tf.keras.backend.learning_phase_scope`.

    Raises:
      ValueError: `value` is neither 0 nor 1.
    """
    warnings.warn(
        "`tf.keras.backend.learning_phase_scope` is deprecated: pass True or False as the `training` argument of the "
        "layer or model instead.",
        stacklevel=3,
    )
    outer, settings.learning_phase = settings.learning_phase, _checked_phase(value)
    try:
        yield
    finally:
        settings.learning_phase = outer


def _checked_phase(value):
    if value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    return int(value)


def clear_session():
    """Forgets the numbering of layer names and the learning phase. TF: `tf.keras.backend.clear_session`."""
    reset_uids()
    settings.learning_phase = None
