"""Objects that occur more than once in a configuration, and are one object again when it is read."""

import contextlib

from tfcompat._package.thread_state import ThreadState

_active = ThreadState()


class _Scope:
    def __init__(self):
        self.configs = {}  # id -> (object, its first configuration)
        self.objects = {}  # number in the file -> object


@contextlib.contextmanager
def shared_objects():
    """A context in which equal objects get one number each, and equal numbers one object."""
    outer = getattr(_active, "scope", None)
    _active.scope = _Scope() if outer is None else outer
    try:
        yield
    finally:
        _active.scope = outer


def note_written(target, config):
    """Notes the configuration of an object; gives it a number if it is the second one."""
    scope = getattr(_active, "scope", None)
    if scope is None:
        return
    _, first = scope.configs.setdefault(id(target), (target, config))
    if first is not config:
        first["shared_object_id"] = config["shared_object_id"] = id(target)


def known(config):
    """The object that was read for the number of a configuration, or None."""
    scope = getattr(_active, "scope", None)
    return None if scope is None else scope.objects.get(config.get("shared_object_id"))


def note_read(config, instance):
    """Notes the object that was read for a configuration with a number."""
    scope = getattr(_active, "scope", None)
    if scope is not None and config.get("shared_object_id") is not None:
        scope.objects[config["shared_object_id"]] = instance
