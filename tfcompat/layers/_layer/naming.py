"""Names of layers, as Keras makes and numbers them."""

import re
import threading

from tfcompat._core import graphs
from tfcompat._core.name_scope import layer_counters

_ACRONYM_END = re.compile("(.)([A-Z][a-z]+)")
_WORD_END = re.compile("([a-z])([A-Z])")
_name_counts: dict[str, int] = {}
_name_lock = threading.Lock()


def reset_uids():
    """Restarts the numbering of names. TF: `tf.keras.backend.reset_uids`."""
    with _name_lock:
        _name_counts.clear()


graphs.at_eager_reset.append(reset_uids)


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
    # Names of scopes must not begin with an underscore.
    # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/utils/generic_utils.py
    return "private" + text if text.startswith("_") else text
