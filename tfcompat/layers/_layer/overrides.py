"""Methods of Keras's classes that subclasses override, and Keras calls on `self`.

Where an object does its work at once, it looks whether its class overrides such a method, and takes a plainer way that
calls it. What tfcompat never calls is listed in tables such as `layers/_unused_hooks.py`, and the first instance of a
class that overrides one of these logs a warning.
"""

from tfcompat._package.logging import logger


def overridden(instance, base, *names):
    """Whether the class of `instance` has a method of one of these names that is not that of `base`."""
    own = type(instance)
    return own is not base and any(getattr(own, name) is not getattr(base, name) for name in names)


def ignored_hooks(cls, unused):
    """The methods that a class of the user's overrides in vain.

    Args:
      cls: class, of the user's or of tfcompat's.
      unused: dict from the name of a class of ours to a frozenset of names of methods that Keras calls there, and
        tfcompat does not.

    Returns:
      Sorted tuple of their names. Methods that other code of the user's classes names are left out: it calls them.
    """
    theirs, names = [], frozenset()
    for each in cls.__mro__:
        if each.__module__.partition(".")[0] == "tfcompat":
            names = names | unused.get(each.__name__, frozenset())
        elif each is not object:
            theirs.append(each)
    found = {name: each.__dict__[name] for each in reversed(theirs) for name in names & each.__dict__.keys()}
    if not found:
        return ()
    code = {attribute: _names_in(value) for each in theirs for attribute, value in each.__dict__.items()}
    return tuple(
        sorted(
            name
            for name, value in found.items()
            if callable(getattr(value, "__func__", value))
            and not any(name in used for attribute, used in code.items() if attribute != name)
        )
    )


def _names_in(value):
    """The names of attributes in the code of a function, and in functions in it."""
    code = getattr(getattr(value, "__func__", value), "__code__", None)
    found, left = set(), [code] if code is not None else []
    while left:
        each = left.pop()
        found.update(each.co_names)
        left += [constant for constant in each.co_consts if hasattr(constant, "co_names")]
    return found


def warn_of(cls, names):
    """Logs that tfcompat calls none of these methods of a class."""
    for name in names:
        logger.warning(
            "%s.%s overrides a method that Keras calls and tfcompat does not: it has no effect. Override a method "
            "that is called.",
            cls.__qualname__,
            name,
        )
