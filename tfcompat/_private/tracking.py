"""`tf.__internal__.tracking`: objects that checkpoints find by the attributes assigned to them."""

import contextlib
import functools
import inspect

from tfcompat._core import restoring as _restoring
from tfcompat._core.containers import ListWrapper, _DictWrapper, wrapped
from tfcompat._core.dependencies import NoDependency, Trackable
from tfcompat._core.module import Module
from tfcompat._core.variable import Variable
from tfcompat.function import ConcreteFunction, Function


class AutoTrackable(Trackable):
    """A Trackable whose attributes are its children; in a SavedModel also its functions."""

    def _trackable_children(self, save_type="checkpoint", **kwargs):
        children = super()._trackable_children(save_type, **kwargs)
        if save_type == "savedmodel":
            for name, value in vars(self).items():
                if isinstance(value, Function | ConcreteFunction):
                    children[name] = value
            for name in {name for cls in type(self).__mro__ for name in vars(cls)}:
                if isinstance(inspect.getattr_static(self, name), Function):
                    children[name] = getattr(self, name)
        return children

    def __setattr__(self, name, value):
        if getattr(self, "_self_setattr_tracking", True) and name != "_self_children":
            is_child, value = type(value) is not NoDependency, wrapped(value)
            if is_child and isinstance(value, Trackable | Variable | Module | ListWrapper | _DictWrapper | tuple):
                self._track_trackable(value, name, overwrite=True)
            else:
                self.__dict__.get("_self_children", {}).pop(name, None)
        super().__setattr__(name, value)
        _restoring.any_attribute(self)

    def __delattr__(self, name):
        self.__dict__.get("_self_children", {}).pop(name, None)
        super().__delattr__(name)


@contextlib.contextmanager
def no_automatic_dependency_tracking_scope(obj):
    """A block in which objects assigned to attributes of `obj` do not become its children."""
    outer = getattr(obj, "_self_setattr_tracking", True)
    obj._self_setattr_tracking = False
    try:
        yield
    finally:
        obj._self_setattr_tracking = outer


def no_automatic_dependency_tracking(method):
    """Decorator of a method: what it assigns to attributes is no child."""

    @functools.wraps(method)
    def untracked(self, *args, **kwargs):
        with no_automatic_dependency_tracking_scope(self):
            return method(self, *args, **kwargs)

    return untracked
