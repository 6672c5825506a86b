"""tensorflow/python/util/object_identity.py: keys of dicts and sets that compare by identity."""

import collections.abc
import weakref


class _ObjectIdentityWrapper:
    """Compares and hashes by identity."""

    __slots__ = ("_wrapped", "__weakref__")

    def __init__(self, wrapped):
        self._wrapped = wrapped

    @property
    def unwrapped(self):
        """What is wrapped."""
        return self._wrapped

    def __lt__(self, other):
        self._checked(other)
        return id(self.unwrapped) < id(other.unwrapped)

    def __gt__(self, other):
        self._checked(other)
        return id(self.unwrapped) > id(other.unwrapped)

    def __eq__(self, other):
        if other is None:
            return False
        self._checked(other)
        return self.unwrapped is other.unwrapped

    def __hash__(self):
        return id(self.unwrapped)

    def __repr__(self):
        return f"<{type(self).__name__} wrapping {self._wrapped!r}>"

    def _checked(self, other):
        if not isinstance(other, _ObjectIdentityWrapper):
            raise TypeError("Cannot compare wrapped object with unwrapped object")


class _WeakObjectIdentityWrapper(_ObjectIdentityWrapper):
    """Keeps no reference; hashes as when it was made."""

    __slots__ = ("_hash",)

    def __init__(self, wrapped):
        super().__init__(weakref.ref(wrapped))
        self._hash = id(wrapped)

    @property
    def unwrapped(self):
        """What is wrapped, or None where that is gone."""
        return self._wrapped()

    def __eq__(self, other):
        if self.unwrapped is None:
            return self is other
        return super().__eq__(other)

    def __hash__(self):
        return self._hash


class Reference(_ObjectIdentityWrapper):
    """A strong reference that compares by identity; `deref` gives the object."""

    __slots__ = ()

    def deref(self):
        """What is referred to."""
        return self._wrapped


class ObjectIdentityDictionary(collections.abc.MutableMapping):
    """A dict whose keys compare by identity."""

    _wrapper = _ObjectIdentityWrapper

    def __init__(self):
        self._storage = {}

    def __getitem__(self, key):
        return self._storage[self._wrapper(key)]

    def __setitem__(self, key, value):
        self._storage[self._wrapper(key)] = value

    def __delitem__(self, key):
        del self._storage[self._wrapper(key)]

    def __len__(self):
        return len(self._storage)

    def __iter__(self):
        for key in self._storage:
            yield key.unwrapped

    def __repr__(self):
        return f"{type(self).__name__}({self._storage!r})"


class _Weak:
    """Of a dict or a set: keys that are gone are dropped when it is counted or walked."""

    _wrapper = _WeakObjectIdentityWrapper

    def __len__(self):
        return sum(1 for _ in self)

    def __iter__(self):
        for key in list(self._storage):
            unwrapped = key.unwrapped
            if unwrapped is not None:
                yield unwrapped
            elif isinstance(self._storage, dict):
                del self._storage[key]
            else:
                self._storage.discard(key)


class ObjectIdentityWeakKeyDictionary(_Weak, ObjectIdentityDictionary):
    """A dict whose keys compare by identity and are not kept alive."""


class ObjectIdentitySet(collections.abc.MutableSet):
    """A set whose elements compare by identity.

    Args:
      items: at most one iterable of elements.
    """

    _wrapper = _ObjectIdentityWrapper

    def __init__(self, *items):
        self._storage = {self._wrapper(x) for x in list(*items)}

    def __contains__(self, key):
        return self._wrapper(key) in self._storage

    def discard(self, key):
        """Takes an element out, if it is there."""
        self._storage.discard(self._wrapper(key))

    def add(self, key):
        """Puts an element in."""
        self._storage.add(self._wrapper(key))

    def update(self, items):
        """Puts elements in."""
        self._storage.update(self._wrapper(x) for x in items)

    def clear(self):
        """Takes all elements out."""
        self._storage.clear()

    def intersection(self, items):
        """The wrapped elements that are also in `items`."""
        return self._storage.intersection({self._wrapper(x) for x in items})

    def difference(self, items):
        """The wrapped elements that are not in `items`."""
        return self._storage.difference({self._wrapper(x) for x in items})

    def __len__(self):
        return len(self._storage)

    def __iter__(self):
        for key in list(self._storage):
            yield key.unwrapped


class ObjectIdentityWeakSet(_Weak, ObjectIdentitySet):
    """A set whose elements compare by identity and are not kept alive."""
