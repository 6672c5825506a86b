"""What lists, dicts and tuples become when they are assigned to attributes of modules, layers and checkpoints.

A `ListWrapper` or `_DictWrapper` shows the list or dict that was assigned, and changes it. It notices changes after
which a checkpoint could not be restored into new objects, in the order in which these are created: a save then raises.
"""

import collections
import collections.abc
import copy
import functools
import operator
from typing import Any

import jax

from tfcompat._core.dependencies import Dependent, NoDependency
from tfcompat._core.variable import Variable

_WRAPPED = frozenset({list, dict, collections.OrderedDict, NoDependency})


def wrapped(value):
    """What an attribute that is set to `value` becomes.

    Args:
      value: anything. Lists, dicts and OrderedDicts are wrapped, with what is inside them; tuples, if something in them
        is wrapped or saved by checkpoints. A `NoDependency` is the value in it, as it is.

    Returns:
      A `ListWrapper`, `_DictWrapper` or `_TupleWrapper`, or the value. Classes derived from `list` and `dict` are
      not wrapped.

    TF: `tf.__internal__.tracking.wrap`.
    """
    kind = type(value)
    if kind not in _WRAPPED and not issubclass(kind, tuple):
        return value
    if kind is list:
        return ListWrapper(value)
    if kind in (dict, collections.OrderedDict):
        return _DictWrapper(value)
    if kind is NoDependency:
        return value.value
    return value if issubclass(kind, _TupleWrapper) or not _holds_objects(value) else _wrapped_tuple(value)


def unwrapped(value) -> Any:
    """The list, dict or tuple that a wrapper shows, with what is in it as it is; any other value itself."""
    if isinstance(value, ListWrapper):
        return value._storage
    return value._without_wrapper() if isinstance(value, _TupleWrapper | _DictWrapper) else value


def _holds_objects(values):
    """Whether a tuple is to be wrapped."""
    for item in values:
        if type(item) in _WRAPPED or is_saved(item):
            return True
        if isinstance(item, tuple) and _holds_objects(item):
            return True
    return False


def is_saved(item):
    """Whether a checkpoint saves an object, or what it holds; no plain list, dict or tuple."""
    if isinstance(item, Variable | Dependent) or hasattr(type(item), "_checkpoint_children"):
        return True
    return isinstance(getattr(item, "_state_var", None), Variable)


def _same(ours, theirs):
    """Whether two sequences hold the same objects or equal ones."""
    return len(ours) == len(theirs) and (all(map(operator.is_, ours, theirs)) or all(map(_equal, ours, theirs)))


def _equal(a, b):
    return a is b or type(a) is type(b) and isinstance(a, str | int | float | bytes | tuple) and a == b


def _cannot_save(shown, kind, why, no_dependency):
    return ValueError(
        f"Unable to save the object {shown} ({kind}). {why}\n\nIf you don't need this "
        f"{'list' if kind.startswith('a list') else 'dictionary'} checkpointed, wrap it in a {no_dependency} object; "
        "it will be subsequently ignored."
    )


def _changed_outside(kind, value):
    return (
        f"The wrapped {kind} was modified outside the wrapper (its final value was {value}, its value when a "
        "checkpoint dependency was added was None), which breaks restoration on object creation."
    )


class _Wrapper:
    """What wrappers of lists and of dicts do as the list or dict that they show, `_storage`."""

    __slots__ = ()
    _storage: Any
    _note: Any  # takes a snapshot of what is shown
    _like: Any  # a wrapper of something else, of which the same has been noticed

    def copy(self):
        return copy.copy(self)

    def __copy__(self):
        return self._like(copy.copy(self._storage))

    def __deepcopy__(self, memo):
        result = memo[id(self)] = self._like(type(self._storage)())  # what is in it may refer to it
        result._storage = copy.deepcopy(self._storage, memo)
        result._note()
        return result

    def __reduce_ex__(self, protocol):
        return self.__reduce__()

    def __len__(self):
        return len(self._storage)

    def __iter__(self):
        return iter(self._storage)

    def __reversed__(self):
        return reversed(self._storage)

    def __contains__(self, item):
        return item in self._storage

    def __getitem__(self, key):
        return self._storage[key]


class ListWrapper(_Wrapper, list):
    """A list in an attribute. Its items are those of the list that was assigned, which it changes.

    Args:
      items: the list.

    TF: the private class of this name; `layers`, `variables` and the like, which TF adds to lists, are those of the
    object that holds the list.
    """

    __slots__ = ("_storage", "_snapshot", "_moved", "_outside", "_untracked", "__weakref__")

    # The base class is empty: its own methods would show nothing. `isinstance` needs it.
    def __init__(self, items=()):
        self._storage = items if type(items) is list else list(items)
        self._moved = self._outside = False
        self._untracked = {i for i, item in enumerate(self._storage) if type(item) is NoDependency}
        self._storage[:] = map(wrapped, self._storage)
        self._note()

    def _note(self):
        self._snapshot = list(self._storage)

    def _look(self):
        """Notices whether the list was changed by others since the last look."""
        if not self._outside and not _same(self._storage, self._snapshot):
            self._outside = True

    def _checkpoint_children(self):
        """List of (position, item) that a checkpoint saves.

        Raises:
          ValueError: items were moved, replaced or removed, or the list was changed directly.
        """
        self._look()
        kind = "a list wrapper constructed to track trackable TensorFlow objects"
        if self._moved:
            why = (
                "A list element was replaced (__setitem__, __setslice__), deleted (__delitem__, __delslice__), or "
                "moved (sort). In order to support restoration on object creation, tracking is exclusively for "
                "append-only data structures."
            )
            raise _cannot_save(self, kind, why, "non-trackable")
        if self._outside:
            raise _cannot_save(self, kind, _changed_outside("list", self._storage), "NoDependency")
        untracked = self._untracked
        return [(str(i), item) for i, item in enumerate(self._storage) if i not in untracked and is_saved(item)]

    def __getattr__(self, name):
        if name in _OF_HOLDERS:
            raise AttributeError(
                f"'ListWrapper' object has no attribute {name!r} in tfcompat: ask the module or layer that holds the "
                f"list for its `{name}`"
            )
        raise AttributeError(f"'ListWrapper' object has no attribute {name!r}")

    def append(self, value):
        if type(value) is NoDependency:
            self._untracked.add(len(self._storage))
        value = wrapped(value)  # what others have changed shows as well when all is compared later
        self._storage.append(value)
        self._snapshot.append(value)

    def extend(self, values):
        for value in list(values):
            self.append(value)

    def __iadd__(self, values):
        self.extend(values)
        return self

    def __imul__(self, times):
        if times > 0:
            self.extend(self._storage * (times - 1))
        else:
            self.clear()
        return self

    def __setitem__(self, key, value):
        self._look()
        self._moved |= any(map(is_saved, self._storage if isinstance(key, slice) else [self._storage[key]]))
        self._storage[key] = [*map(wrapped, value)] if isinstance(key, slice) else wrapped(value)
        self._note()

    def _rearranged(self, change, *added):
        """Changes the list by a method that may move or remove items; returns its result."""
        self._look()
        self._moved |= any(map(is_saved, self._storage)) or any(map(is_saved, added))
        result = change()
        self._note()
        return result

    def __delitem__(self, key):
        self._rearranged(lambda: self._storage.__delitem__(key))

    def insert(self, index, value):
        self._rearranged(lambda: self._storage.insert(index, value), value)

    def pop(self, index=-1):
        return self._rearranged(lambda: self._storage.pop(index))

    def remove(self, value):
        self._rearranged(lambda: self._storage.remove(value))

    def reverse(self):
        if len(self._storage) > 1:
            self._rearranged(lambda: self._storage.__setitem__(slice(None), [*map(wrapped, reversed(self._storage))]))

    def sort(self, *, key=None, reverse=False):
        self._rearranged(lambda: self._storage.sort(key=key, reverse=reverse))

    def clear(self):
        self._rearranged(self._storage.clear)

    def _like(self, items):
        result = type(self)(items)
        result._moved, result._outside, result._untracked = self._moved, self._outside, set(self._untracked)
        return result

    def __reduce__(self):
        return type(self), (self._storage,)

    def index(self, *args):
        return self._storage.index(*args)

    def count(self, value):
        return self._storage.count(value)

    def __add__(self, other):
        return self._storage + unwrapped(other)

    def __radd__(self, other):
        return other + self._storage

    def __mul__(self, times):
        return self._storage * times

    __rmul__ = __mul__

    __hash__ = None

    def __repr__(self):
        return f"ListWrapper({self._storage!r})"


_OF_HOLDERS = frozenset({
    "layers", "losses", "trainable", "updates", "variables", "trainable_variables", "non_trainable_variables",
    "weights", "trainable_weights", "non_trainable_weights",
})  # fmt: skip


def _compared(name):
    """The comparison `name` of the list, dict or tuple that a wrapper shows."""
    compare = getattr(operator, name)

    def method(self, other):
        mine, other = unwrapped(self), unwrapped(other)
        return compare(mine, other) if isinstance(other, type(mine)) else NotImplemented

    return method


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(ListWrapper, f"__{_name}__", _compared(_name))


_ABSENT = object()


class _DictWrapper(_Wrapper):
    """A dict in an attribute. It passes for the dict that was assigned, which it changes.

    Args:
      items: the dict, or what `dict` takes.

    It is no dict for C code, as in TF: `json.dumps` refuses it, `dict(x)` makes it one.
    TF: the private class of this name.
    """

    __slots__ = ("_storage", "_snapshot", "_outside", "_deleted", "_untracked", "__weakref__")

    def __init__(self, items=()):
        storage = items if isinstance(items, dict) else dict(items)
        self._storage = unwrapped(storage)
        self._outside, self._deleted = False, {}
        self._untracked = {key for key, value in self._storage.items() if type(value) is NoDependency}
        self._storage.update({key: wrapped(value) for key, value in self._storage.items()})
        self._note()

    def _storage_class(self):
        return type(self._storage)

    __class__: Any = property(_storage_class)  # `isinstance` takes it for what `type` does not say

    def _without_wrapper(self):
        return self._storage

    def _note(self):
        self._snapshot = dict(self._storage)

    def _look(self):
        """Notices whether the dict was changed by others since the last look."""
        if self._storage.keys() != self._snapshot.keys() or not _same(
            [self._storage[key] for key in self._snapshot], list(self._snapshot.values())
        ):
            self._outside = True

    def _checkpoint_children(self):
        """List of (key, value) that a checkpoint saves. A value that `del` removed is among them, as in TensorFlow.

        Raises:
          ValueError: a saved value has a key that is no str, or the dict was changed directly or by `pop`,
            `popitem`, `setdefault` or `clear`.
        """
        self._look()
        kind = "a dictionary wrapper constructed automatically on attribute assignment"
        untracked = self._untracked
        saved = {key: value for key, value in self._storage.items() if key not in untracked and is_saved(value)}
        if not all(isinstance(key, str) for key in saved):
            why = (
                "The wrapped dictionary contains a non-string key which maps to a trackable object or mutable data "
                "structure."
            )
            raise _cannot_save(self._storage, kind, why, "non-trackable")
        if self._outside:
            raise _cannot_save(self._storage, kind, _changed_outside("dictionary", self._storage), "non-trackable")
        return list({**self._deleted, **saved}.items())

    def __getattr__(self, name):
        return getattr(self._storage, name)

    def _look_at(self, key):
        """Notices whether others have changed the value of a key."""
        if not _equal(self._storage.get(key, _ABSENT), self._snapshot.get(key, _ABSENT)):
            self._outside = True

    def __setitem__(self, key, value):
        self._look_at(key)
        (self._untracked.add if type(value) is NoDependency else self._untracked.discard)(key)
        self._storage[key] = self._snapshot[key] = wrapped(value)

    def __delitem__(self, key):
        self._look_at(key)
        value = self._storage.pop(key)
        self._snapshot.pop(key, None)
        if isinstance(key, str) and is_saved(value):
            self._deleted[key] = value

    def update(self, *args, **kwargs):
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __ior__(self, other):
        self.update(other)
        return self

    def __or__(self, other):
        return self._storage | unwrapped(other)

    def __ror__(self, other):
        return other | self._storage

    def _like(self, items):
        result = type(self)(items)
        result._outside, result._untracked = self._outside, set(self._untracked)
        return result

    def __reduce__(self):
        return copy.copy, (self._storage,)

    def __hash__(self):
        raise TypeError("unhashable type: 'DictWrapper'")

    def __dir__(self):
        return dir(self._storage)

    def __str__(self):
        return str(self._storage)

    def __format__(self, spec):
        return format(self._storage, spec)

    def __repr__(self):
        return f"DictWrapper({self._storage!r})"


for _name in ("eq", "ne"):
    setattr(_DictWrapper, f"__{_name}__", _compared(_name))
_mappings: Any = collections.abc.MutableMapping
_mappings.register(_DictWrapper)


@functools.cache
def _leaving_out(cls, places):
    """A class like the wrapper `cls`, of tuples in which checkpoints leave some places out."""
    made = type(cls.__name__, (cls,), {"__slots__": (), "__module__": cls.__module__, "_untracked": places})
    _register(made)
    return made


class _TupleWrapper(tuple):
    """A tuple in an attribute, with something in it that is wrapped or saved.

    Args:
      items: the tuple, or what `tuple` takes.

    TF: the private class of this name. That of a named tuple is also derived from its class, and has its fields.
    """

    __slots__ = ()  # classes of named tuples may have a `__dict__`: two such classes have no common subclass
    _wrapped_class: type = tuple
    _untracked = frozenset()  # places of what checkpoints leave out

    def __new__(cls, items=()):
        return cls._of(items)

    @classmethod
    def _of(cls, items):
        items = list(items)
        untracked = frozenset(i for i, item in enumerate(items) if type(item) is NoDependency)
        return tuple.__new__(_leaving_out(cls, untracked) if untracked else cls, map(wrapped, items))

    def _without_wrapper(self):
        return tuple(self) if self._wrapped_class is tuple else tuple.__new__(self._wrapped_class, self)

    def _checkpoint_children(self):
        """List of (position or name of the field, item) that a checkpoint saves."""
        names = getattr(self, "_fields", None) or [str(i) for i in range(len(self))]
        return [(names[i], item) for i, item in enumerate(self) if i not in self._untracked and is_saved(item)]

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self._of(copy.deepcopy(list(self), memo))

    def __reduce__(self):
        return copy.copy, (self._without_wrapper(),)

    def __reduce_ex__(self, protocol):
        return self.__reduce__()

    def __hash__(self):
        return tuple.__hash__(self)

    def __eq__(self, other):
        return tuple.__eq__(self, other)

    def __str__(self):
        return str(self._without_wrapper())

    def __repr__(self):
        return f"_TupleWrapper({self._without_wrapper()!r})"


_WRAPPERS = (ListWrapper, _DictWrapper, _TupleWrapper)


def _wrapped_tuple(value):
    return (_TupleWrapper if type(value) is tuple else _tuple_wrapper_of(type(value)))._of(value)


@functools.lru_cache
def _tuple_wrapper_of(kind):
    """The class of the wrappers of a class derived from `tuple`."""
    body = {"_wrapped_class": kind, "__module__": __name__}
    if hasattr(kind, "_fields"):
        body["__new__"] = lambda cls, *items: kind(*items)  # `tf.nest` makes named tuples of the same class, as in TF
    cls = type("_TupleWrapper", (_TupleWrapper, kind), body)
    _register(cls)
    return cls


def _register(cls):
    """Makes JAX see through a class of wrappers."""

    def flatten(value):
        if isinstance(value, _DictWrapper):
            keys = sorted(value)
            return [value[key] for key in keys], tuple(keys)
        return list(value), None

    def unflatten(keys, children):
        if keys is not None:
            return cls(zip(keys, children, strict=True))
        return cls._of(children) if issubclass(cls, _TupleWrapper) else cls(list(children))

    jax.tree_util.register_pytree_node(cls, flatten, unflatten)


for _cls in _WRAPPERS:
    _register(_cls)
