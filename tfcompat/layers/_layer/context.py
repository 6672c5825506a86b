"""What layers share: Keras's settings, the numbering of names, and which layer is being called."""

import contextlib
import re
import threading
import warnings
from typing import Any

from tfcompat._core import streams as _streams
from tfcompat._core.name_scope import layer_counters

_ACRONYM_END = re.compile("(.)([A-Z][a-z]+)")
_WORD_END = re.compile("([a-z])([A-Z])")
_FLOATX = ("float16", "float32", "float64")
_DATA_FORMATS = ("channels_first", "channels_last")


class _Settings:
    """Process-wide settings, as those of `tf.keras.backend`."""

    def __init__(self):
        self.floatx = "float32"
        self.epsilon = 1e-7
        self.image_data_format = "channels_last"
        self.learning_phase: int | None = None


class _CallContext(threading.local):
    """What this thread is calling.

    Attributes:
      current: the innermost layer being called, or None, and the `training` its sublayers inherit.
      losses_added: whether any layer was ever given a loss that the next call has to clear.
      batch_size_is_unknown: whether TF would not know the size of the batch, here known while a step is traced.
      keep_seeds: whether random layers called on KerasTensors go on with the seeds that they had.
    """

    current: tuple[Any, Any] = (None, None)
    losses_added = batch_size_is_unknown = keep_seeds = False

    @contextlib.contextmanager
    def batches(self, size_is_unknown):
        """In the context a step is traced for batches whose size TF does not know."""
        outer, self.batch_size_is_unknown = self.batch_size_is_unknown, size_is_unknown
        try:
            yield
        finally:
            self.batch_size_is_unknown = outer


settings = _Settings()
call_context = _CallContext()
_name_counts: dict[str, int] = {}
_name_lock = threading.Lock()


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


def reset_uids():
    """Restarts the numbering of names. TF: `tf.keras.backend.reset_uids`."""
    with _name_lock:
        _name_counts.clear()


def get_uid(prefix=""):
    """The next number of `prefix`, from 1; each trace of a function counts for itself.
    TF: `tf.keras.backend.get_uid`."""
    with _name_lock:
        counts = layer_counters()
        counts = _name_counts if counts is None else counts
        counts[prefix] = counts.get(prefix, 0) + 1
        return counts[prefix]


def unique_name(base, zero_based=True):
    """`base`, then `base_1`, `base_2`...; from `base_1` on unless `zero_based`."""
    number = get_uid(base) - zero_based
    return f"{base}_{number}" if number else base


def snake_case(name):
    """The name of a class as Keras writes it in layer names: `LeakyReLU` becomes `leaky_re_lu`."""
    text = _WORD_END.sub(r"\1_\2", _ACRONYM_END.sub(r"\1_\2", name)).lower()
    return "private" + text if text.startswith("_") else text


def taken_seed(layer):
    """The seed for this call of a random layer, whose `_next_seed` moves on: in a function, once for each place."""

    def take():
        seed = layer._next_seed
        if seed is not None:
            layer.__dict__["_next_seed"] = seed + 1
        return seed

    frame = _streams.frame()
    return take() if frame is None else frame.at_next_place(take)
