"""`install()`: makes `import tensorflow` mean tfcompat, for programs that stay as they are."""

import functools
import importlib
import importlib.util
import os
import sys
import threading
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from tfcompat._package.lazy import ELSEWHERE
from tfcompat._package.missing import absent_module, is_in_tensorflow
from tfcompat._tools._distribution import distributions

_PACKAGE = __name__.partition(".")[0]
_ALIAS = "tensorflow"
_KERAS = f"{_PACKAGE}.keras"
# `tf_keras` is Keras 2, as `tf.keras` is here. Keras 2 was called `keras`, too; what is called so today is Keras 3,
# which is found where the environment names its backend.
_ALIASES = {_ALIAS: _PACKAGE, "tf_keras": _KERAS, "keras": _KERAS}
_KERAS_3 = "keras._tf_keras.keras"  # Keras 3 as TensorFlow has it, with some names of Keras 2
OF_KERAS = ("losses", "metrics", "optimizers", "initializers")  # `tf.losses` is `tf.keras.losses`
_PRIVATE = ("python", "core", "compiler", "_api")
_PRIVATE_ANSWERED = ("python", "core", "compiler", "tools")  # in part, see `_private`
_lock = threading.RLock()
_prepared = False  # whether no part of the light Keras looks for another below `tf` any more
_taking = False  # whether Keras 3 is being imported


def install():
    """Makes `import tensorflow`, and any module below it, resolve to tfcompat.

    Afterwards `tensorflow` and `tensorflow.keras.layers` are the modules `tfcompat` and
    `tfcompat.keras.layers` themselves, whichever import statement names them. Only tfcompat's user
    calls this, or `python -m tfcompat run`: importing tfcompat does not. A second call does nothing.
    `tf_keras`, which is Keras 2, means `tfcompat.keras`. So does `keras`, unless the environment variable
    KERAS_BACKEND is set, or `keras` is already imported: then it is the installed package, Keras 3, and with
    KERAS_BACKEND=tensorflow that runs on tfcompat. With TF_USE_LEGACY_KERAS=0 `keras` and `tf.keras` are Keras 3, as in
    TensorFlow from 2.16 on; that is looked at when `tf.keras` is first asked for.

    Raises:
      RuntimeError: the real TensorFlow is already imported in this process.
    """
    with _lock:
        foreign = _imported_tensorflow()
        if foreign is not None:
            raise RuntimeError(
                f"tfcompat.install(): TensorFlow itself is already imported in this process, from "
                f"{foreign}. Call install() before the first `import tensorflow` (in a notebook: "
                "restart the kernel first), or write `import tfcompat as tf` instead."
            )
        if _finder not in sys.meta_path:
            sys.meta_path.insert(0, _finder)
        sys.modules[_ALIAS] = sys.modules[_PACKAGE]
        for name in ("keras", *OF_KERAS):
            ELSEWHERE[f"{_PACKAGE}.{name}"] = functools.partial(_namespace_of_keras, name)
        if wants_keras_3():
            _forget_keras()


def wants_keras_3():
    """Whether the environment says that `tf.keras` is Keras 3."""
    return os.environ.get("TF_USE_LEGACY_KERAS") in ("0", "false", "False")


def has_keras_3():
    """Whether `tf.keras` is Keras 3."""
    keras = sys.modules[_PACKAGE].keras if wants_keras_3() and _finder in sys.meta_path else None
    return getattr(keras, "__name__", "") == _KERAS_3


def _forget_keras():
    """Lets `tf.keras` be asked for again. The light Keras, which finds its parts below `tf`, is there by then."""
    global _prepared
    importlib.import_module(_KERAS)
    _prepared = True
    for name in ("keras", *OF_KERAS):
        vars(sys.modules[_PACKAGE]).pop(name, None)


def _namespace_of_keras(name):
    """`tf.keras`, or `tf.losses` and the like, of the Keras that is in use."""
    global _taking
    with _lock:
        if _taking or not wants_keras_3() or name != "keras" and not _prepared:
            return _of_keras_2(name)
        _taking = True
        try:
            importlib.import_module(_KERAS)  # Python sets the attribute of the package now, and not later
            if importlib.util.find_spec("keras") is None:
                raise ModuleNotFoundError(
                    "TF_USE_LEGACY_KERAS=0: Keras 3 is not installed. Use: pip install 'tfcompat[keras]'", name="keras"
                )
            keras = importlib.import_module(_KERAS_3)
        except BaseException:
            _forget_keras()
            raise
        finally:
            _taking = False
        vars(sys.modules[_PACKAGE]).update({each: getattr(keras, each) for each in OF_KERAS}, keras=keras)
        return keras if name == "keras" else getattr(keras, name)


def _of_keras_2(name):
    """`tf.keras`, or `tf.losses` and the like, of the Keras that is written here."""
    return importlib.import_module(_KERAS if name == "keras" else f"{_KERAS}.{name}")


def uninstall():
    """Undoes `install()`: the next `import tensorflow` finds what is installed under that name."""
    with _lock:
        if _finder not in sys.meta_path:
            return
        sys.meta_path.remove(_finder)
        for name in [name for name in sys.modules if _is_alias(name)]:
            del sys.modules[name]
        for name in ("keras", *OF_KERAS):
            ELSEWHERE.pop(f"{_PACKAGE}.{name}", None)
            if _KERAS in sys.modules:
                setattr(sys.modules[_PACKAGE], name, _of_keras_2(name))


def load_ipython_extension(ipython):
    """`%load_ext tfcompat` in a notebook: the same as `tfcompat.install()`."""
    install()


def unload_ipython_extension(ipython):
    """`%unload_ext tfcompat` in a notebook: the same as `tfcompat.uninstall()`."""
    uninstall()


class _Finder(MetaPathFinder, Loader):
    """Finds `tensorflow.a.b` as `tfcompat.a.b`, a module of ours or one that an attribute names."""

    def find_spec(self, fullname, path=None, target=None):
        if not _is_alias(fullname):
            return None
        top, *parts = fullname.split(".")
        if top != _ALIAS and parts[:1] == ["src"]:  # Keras 2 from the inside, as `tensorflow.python.keras` is
            module = _private(".".join(["python", "keras", *parts[1:]]))
        else:
            module = _private(".".join(parts)) if top == _ALIAS else None
        if module is not None:
            return ModuleSpec(fullname, self, loader_state=module)
        if top == _ALIAS and parts and parts[0] in _PRIVATE:
            raise ModuleNotFoundError(
                f"{fullname!r} is private to TensorFlow's own implementation, and tensorflow is tfcompat "
                "here. Use the public name, as TensorFlow's API documentation gives it: tf.math.add, "
                "tf.keras.layers.Dense.",
                name=fullname,
            )
        place = [*_ALIASES[top].split(".")[1:], *parts]
        module = _resolve(_ALIASES[top], parts) or _absent(fullname, place)
        if module is None:
            # Not None: the real TensorFlow must never be loaded in part beneath our name.
            raise ModuleNotFoundError(
                f"No module named {fullname!r} ({top} is tfcompat here, which has no "
                f"'{'.'.join([_PACKAGE, *place])}'){_advice(place)}",
                name=fullname,
            )
        return ModuleSpec(fullname, self, loader_state=module)

    def find_distributions(self, context):
        """`importlib.metadata.version("tensorflow")` is the version that `tf.__version__` gives."""
        return distributions(context, _is_alias)

    def exec_module(self, module):
        # An import ends with what `sys.modules` holds. Handing our module over here, not from
        # `create_module`, leaves its `__spec__` as its own import made it.
        spec = module.__spec__
        assert spec is not None
        ours = spec.loader_state
        if not hasattr(ours, "__path__"):
            # Python asks finders only for what lies beneath a package, and `tf.a` may be a plain
            # module that has other modules as attributes.
            ours.__path__ = []
        sys.modules[spec.name] = ours


_finder = _Finder()


def _resolve(root, parts):
    """The module that `<root>.<parts>` names, through attributes or an import, or None."""
    module = importlib.import_module(root)
    for part in parts:
        child = getattr(module, part, None)
        if not isinstance(child, ModuleType):
            if hasattr(module, "__tfcompat__"):
                return None  # it stands for one that is absent
            name = f"{module.__name__}.{part}"
            try:
                child = importlib.import_module(name)
            except ModuleNotFoundError as err:
                if err.name not in (name, module.__name__):
                    raise
                return None
        module = child
    return module


def _absent(fullname, parts):
    """What takes the place of a module that TensorFlow has and tfcompat has not; None if TensorFlow has none."""
    name = ".".join(["tf", *parts])
    if not is_in_tensorflow(name):
        return None
    advice = _advice(parts) or f": {name} is not available in tfcompat"
    return absent_module(name, fullname, advice.removeprefix(": "))


def _advice(parts):
    """What the last module there is says of the first of `parts` that is missing."""
    module = sys.modules[_PACKAGE]
    for part in parts:
        try:
            module = getattr(module, part)
        except AttributeError as error:
            return f": {error}"
    return ""


def _private(name):
    """The module that answers for `tensorflow.<name>`, a private one, or None."""
    if name.partition(".")[0] not in _PRIVATE_ANSWERED:
        return None
    return importlib.import_module(f"{_PACKAGE}._private").module(name)


def _is_alias(name):
    top = name.partition(".")[0]
    return top in _ALIASES and (top != "keras" or _keras_is_ours())


def _keras_is_ours():
    present = sys.modules.get("keras")
    if present is not None:
        return _is_ours(present)
    return not (os.environ.get("KERAS_BACKEND") or wants_keras_3())


def _is_ours(module):
    name = getattr(module, "__name__", "")
    ours = name.startswith(_KERAS_3) or name.partition(".")[0] not in _ALIASES
    return bool(name) and ours or hasattr(module, "__tfcompat__")


def _imported_tensorflow():
    """Where the real TensorFlow was imported from, or None when it was not."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == _ALIAS and module is not None and not _is_ours(module):
            return getattr(module, "__file__", None) or name
    return None
