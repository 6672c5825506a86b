"""What a namespace module answers when asked for a name it does not have."""

import dis
import functools
import importlib.resources
import json
import sys
from types import ModuleType
from typing import Any

from tfcompat._package.logging import logger
from tfcompat.errors import UnimplementedError

_KERAS_3 = "Keras 3 as tf.keras, by setting TF_USE_LEGACY_KERAS=0 (otherwise it is Keras 2)"
_IMPORT_FROM = dis.opmap["IMPORT_FROM"]


def missing(namespace, hints=None, otherwise=None, made=None) -> Any:
    """A module `__getattr__` that names what is missing, and the way round it.

        __getattr__ = missing("tf.keras.optimizers", hints={"Adam": "a tf.Module with slots of its own"})

    Args:
      namespace: str, the module's public TF name.
      hints: dict from missing names to what to use in their place.
      otherwise: what to use in place of every other name, or None to say nothing of it; or a function that tells of
        each.
      made: function that makes the value of a name that the module gets on request; None for other names.

    Returns:
      Function of a name, which raises AttributeError, except for `__all__`: `import *` brings TensorFlow's names alone.
      The message is
      `tf.foo.bar is not available in tfcompat: use <hint>`. For `from tf.foo import bar` it returns an `Absent` in
      place of a name that TensorFlow has.
    """
    hints = dict(hints or {})

    def __getattr__(name):
        if name == "__all__" and is_in_tensorflow(namespace):
            return _names_there(namespace)
        value = made(name) if made is not None else None
        if value is not None:
            return value
        if name.startswith("__"):
            raise AttributeError(f"module {namespace!r} has no attribute {name!r}")
        instead = hints.get(name, otherwise)
        instead = instead(name) if callable(instead) else instead
        if name not in hints and _is_in_keras_3(namespace, name):
            instead = _KERAS_3
        advice = f": use {instead}" if instead else ""
        message = f"{namespace}.{name} is not available in tfcompat{advice}"
        if _imports_from(sys._getframe(1)) and is_in_tensorflow(namespace, name):
            _say(message)
            return Absent(f"{namespace}.{name}", message)
        raise AttributeError(message, name=name)

    return __getattr__


class Absent:
    """Stands for a name of TensorFlow's that a program imports: programs import more than they use.

    Raises:
      tf.errors.UnimplementedError: it is called, or a base of a class.
      AttributeError: it is asked for an attribute.
    """

    def __init__(self, name, message):
        self._name, self._message = name, message

    def __call__(self, *args, **kwargs):
        raise UnimplementedError(None, None, self._message)

    def __mro_entries__(self, bases):
        self()

    def __getattr__(self, name):
        raise AttributeError(self._message if not name.startswith("__") else name, name=name)

    def __repr__(self):
        return f"<{self._name}, not available in tfcompat>"


def absent_module(name, fullname, message):
    """A module in place of one that TensorFlow has.

    Args:
      name: its public TF name.
      fullname: by which it is imported.
      message: what is said of all that is in it.
    """
    _say(message)
    module = ModuleType(fullname, message)
    module.__path__ = []
    module.__tfcompat__ = True

    def __getattr__(attribute):
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        if _imports_from(sys._getframe(1)) and is_in_tensorflow(name, attribute):
            return Absent(f"{name}.{attribute}", message)
        raise AttributeError(message, name=attribute)

    module.__getattr__ = __getattr__
    return module


def module_of_absent(namespace, names, advice):
    """A module in place of one of TensorFlow's whose names libraries put into tables: each is an `Absent`.

    Args:
      namespace: its public TF name.
      names: those in it.
      advice: what to use instead.
    """
    module = ModuleType(namespace, f"{namespace} is not available in tfcompat: use {advice}")
    module.__path__ = []
    for name in names:
        message = f"{namespace}.{name} is not available in tfcompat: use {advice}"
        setattr(module, name, Absent(f"{namespace}.{name}", message))
    return module


def _names_there(namespace):
    """TensorFlow's names in a module, as far as they are in ours."""
    module = sys.modules["tfcompat"]
    for part in namespace.split(".")[1:]:
        module = getattr(module, part)
    recorded = tensorflow_names()
    names = recorded["modules"][recorded["aliases"].get(namespace, namespace)]
    if namespace == "tf":
        names = [*names, "__version__"]
    return [name for name in names if hasattr(module, name)]


def is_in_tensorflow(namespace, name=None):
    """Whether TensorFlow has a module, or a name in it; with one Keras or the other."""
    recorded = tensorflow_names()
    names = recorded["modules"].get(recorded["aliases"].get(namespace, namespace))
    return _is_in_keras_3(namespace, name) or (names is not None if name is None else name in (names or ()))


def _is_in_keras_3(namespace, name=None):
    """Whether Keras 3, which `tf.keras` is in TensorFlow from 2.16 on, has a module or a name that Keras 2 has not."""
    if not namespace.startswith("tf.keras"):
        return False  # the table need not be read
    names = tensorflow_names()["only_in_keras_3"].get(namespace)
    return names is not None and (name is None or name in names)


def _imports_from(frame):
    """Whether what the frame does is `from ... import ...`."""
    if frame.f_globals.get("__name__") == "tfcompat._package.lazy":
        frame = frame.f_back
    return frame.f_code.co_code[frame.f_lasti] == _IMPORT_FROM


@functools.cache
def tensorflow_names():
    """TensorFlow's public names, a dict; tests/recording/names.py says what is in it."""
    file = importlib.resources.files("tfcompat") / "_package" / "tensorflow_names.json"
    return json.loads(file.read_text(encoding="utf-8"))


@functools.cache
def _say(message):
    """Says it when a name is imported, since it may be used hours later."""
    logger.warning("%s. It was imported, and will raise if it is used.", message)
