"""What an object names for checkpoints beside its attributes."""

import collections
from collections.abc import Callable
from types import SimpleNamespace

TrackableReference = collections.namedtuple("TrackableReference", ["name", "ref"])


class _ObjectGraph(SimpleNamespace):
    """How a checkpoint sees objects. `train`, which knows all kinds of objects, fills it.

    Attributes:
      children: lists the pairs (name, object) that an object holds and a checkpoint of it saves.
      is_trackable: whether a checkpoint saves an object, or what it holds.
    """

    children: Callable
    is_trackable: Callable


object_graph = _ObjectGraph()


class Dependent:
    """An object that says by `_track_trackable` what checkpoints save with it."""

    # Attributes that checkpoints and files pass over, since their content is reached otherwise; subclasses add to it.
    _unsaved_attributes = frozenset({"_dependencies"})

    def _track_trackable(self, trackable, name, overwrite=False):
        """Makes checkpoints of the object save another, under a name, that is in no attribute of it."""
        known = self.__dict__.setdefault("_dependencies", {})
        if known.get(name, trackable) is not trackable and not overwrite:
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with this name is already "
                "declared as a dependency. Names must be unique (or overwrite=True)."
            )
        known[name] = trackable
        return trackable

    def _no_dependency(self, value):
        """`value` itself: checkpoints find what they save by walking attributes, so nothing is noted."""
        return value

    @property
    def _unconditional_checkpoint_dependencies(self):
        """List of (name, object): what a checkpoint of the object saves."""
        return [TrackableReference(*each) for each in object_graph.children(self)]


class Trackable:
    """An object that a checkpoint saves."""

    # Keras 3 saves what the attributes of a layer hold, except those that a bare layer has, too: this is one.
    _self_children: dict | None = None

    def _track_trackable(self, trackable, name, overwrite=False):
        """Makes `trackable` a child of this object; ValueError if there is one of this name, unless `overwrite`."""
        children = self.__dict__.setdefault("_self_children", {})
        if not overwrite and children.get(name, trackable) is not trackable:
            raise ValueError(f"Called Trackable._track_trackable() with name='{name}', but it was already used.")
        children[name] = trackable
        return trackable

    def _trackable_children(self, save_type="checkpoint", **kwargs):
        """Dict of the children by name."""
        return dict(self.__dict__.get("_self_children", ()))

    def _no_dependency(self, value):
        """`value` itself: it is assigned as it is, and is no child."""
        return value

    def _lookup_dependency(self, name, cached_dependencies=None):
        """The child of this name, or None. A subclass may make one that a checkpoint has."""
        return self._trackable_children().get(name)

    @property
    def _unconditional_dependency_names(self):
        """Dict of the children by name, to which a subclass may add."""
        return self.__dict__.setdefault("_self_children", {})

    @property
    def _unconditional_checkpoint_dependencies(self):
        """List of (name, object): the children."""
        return [TrackableReference(*each) for each in self._trackable_children().items()]

    def _checkpoint_children(self):
        return [(name, child) for name, child in self._trackable_children().items() if object_graph.is_trackable(child)]


class SavesTensors(Trackable):
    """An object of which a checkpoint saves tensors, under one name with several endings.

    Attributes:
      _saved_as: the name.
      _saved_endings: what tells the tensors apart.
    """

    _saved_as: str
    _saved_endings: tuple = ("",)

    def _saved_tensors(self):
        """Pairs of a DType and an array, one for each ending."""
        raise NotImplementedError

    def _restore_tensors(self, *arrays):
        """Takes the arrays of a checkpoint."""
        raise NotImplementedError


class NoDependency:
    """Marks a value that is to stay as it is, and that checkpoints do not save.

    An attribute of a module, layer or checkpoint that is set to it is the value.
    """

    def __init__(self, value):
        self.value = value


def note_dependency(obj, name, value):
    """Notes whether checkpoints save an attribute that is about to be set; what is set to itself stays as it is."""
    names, held = obj.__dict__.get("_untracked_names"), obj.__dict__.get(name)
    if type(value) is NoDependency:
        if held is not value.value:
            obj.__dict__.setdefault("_untracked_names", set()).add(name)
    elif names and held is not value:
        names.discard(name)
