"""tensorflow/python/util/object_identity.py: keys of dicts and sets that compare by identity."""


class _Wrapper:
    """Compares and hashes by identity."""

    __slots__ = ("_wrapped", "__weakref__")

    def __init__(self, wrapped):
        self._wrapped = wrapped

    @property
    def unwrapped(self):
        """What is wrapped."""
        return self._wrapped

    def __eq__(self, other):
        return isinstance(other, _Wrapper) and self._wrapped is other._wrapped

    def __hash__(self):
        return id(self._wrapped)

    def __repr__(self):
        return f"<{type(self).__name__} wrapping {self._wrapped!r}>"


class Reference(_Wrapper):
    """A strong reference that compares by identity; `deref` gives the object."""

    __slots__ = ()

    def deref(self):
        """What is referred to."""
        return self._wrapped
