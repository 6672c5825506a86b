"""Methods of Keras's classes that subclasses override, and Keras calls on `self`.

An object that does several of these steps at once first checks whether its class overrides one, and then takes them
one by one. `uncalled_methods` lists the methods that tfcompat never calls; the first instance of a class that overrides
one of them logs a warning.
"""

from tfcompat._package.logging import logger


def overridden(instance, base, *names):
    """Whether the class of `instance` has a method of one of these names that is not that of `base`."""
    cls = type(instance)
    return cls is not base and any(getattr(cls, name) is not getattr(base, name) for name in names)


def ignored_hooks(cls, unused):
    """The methods that a user's class overrides without effect.

    Args:
      cls: class, the user's or tfcompat's.
      unused: dict from the name of a class of tfcompat's to a frozenset: the names of methods that Keras calls there
        and tfcompat does not.

    Returns:
      Sorted tuple of their names. Methods that the user's own classes call are left out.
    """
    theirs, names = [], frozenset()
    for each in cls.__mro__:
        if each.__module__.partition(".")[0] == "tfcompat":
            names = names | unused.get(each.__name__, frozenset())
        elif each is not object:
            theirs.append(each)
    overriding = {name: each.__dict__[name] for each in reversed(theirs) for name in names & each.__dict__.keys()}
    if not overriding:
        return ()
    code = {attribute: _names_in(value) for each in theirs for attribute, value in each.__dict__.items()}
    return tuple(
        sorted(
            name
            for name, value in overriding.items()
            if callable(getattr(value, "__func__", value))
            and not any(name in used for attribute, used in code.items() if attribute != name)
        )
    )


def _names_in(value):
    """The names of attributes in the code of a function, and in functions in it."""
    code = getattr(getattr(value, "__func__", value), "__code__", None)
    names, codes = set(), [code] if code is not None else []
    while codes:
        each = codes.pop()
        names.update(each.co_names)
        codes += [constant for constant in each.co_consts if hasattr(constant, "co_names")]
    return names


def warn_of(cls, names):
    """Logs that tfcompat calls none of these methods of a class."""
    for name in names:
        logger.warning(
            "%s.%s overrides a method that Keras calls and tfcompat does not: it has no effect. Override a method "
            "that is called.",
            cls.__qualname__,
            name,
        )
