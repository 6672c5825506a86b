"""`tf.__internal__`, of which packages use the classes."""
from types import SimpleNamespace as _Namespace

from tfcompat._private.composite_tensor import CompositeTensor as CompositeTensor
from tfcompat._private.type_spec import register as _register

type_spec_register = _register


def _as_it_is(*args, **kwargs):
    """Does nothing: there is nothing to register."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "SymbolicTensor":
        from tfcompat._tensor import SymbolicTensor

        return SymbolicTensor
    raise AttributeError(f"tf.__internal__.{name} is private to TensorFlow, and not available in tfcompat", name=name)


keras = _Namespace(utils=_Namespace(register_symbolic_tensor_type=_as_it_is))
