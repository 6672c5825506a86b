"""Namespaces that are imported when they are asked for."""

import functools
import importlib

from tfcompat._package.import_pause import paused

_ROOT = f"{__name__.partition('.')[0]}."
ELSEWHERE: dict = {}  # from full names of submodules to functions that give another module in their place


def lazy(namespace, modules, names, absent, unlisted=None, inner=()):
    """A package's `__getattr__` and `__dir__`, for submodules and names that come when they are asked for.

    Args:
      namespace: dict, the package's `globals()`, where they are kept.
      modules: names of submodules.
      names: dict from other names to the submodule that has them, or to the full name of another module;
        `"=submodule"` for that submodule itself.
      absent: function of any other name, which raises AttributeError.
      unlisted: as `names`, of those that `__dir__` does not give.
      inner: names of submodules that `__dir__` does not give: attributes only because Python makes them so.

    Returns:
      (__getattr__, __dir__).
    """
    package = namespace["__name__"]
    modules, module_of = frozenset(modules), {**names, **(unlisted or {})}

    def __getattr__(name):
        full = f"{package}.{name}"
        if full in ELSEWHERE:
            value = ELSEWHERE[full]()
        elif name in modules:
            value = _imported(full)
        elif name in module_of:
            place = module_of[name].removeprefix("=")
            module = _imported(place if place.startswith(_ROOT) else f"{package}.{place}")
            value = module if module_of[name].startswith("=") else getattr(module, name)
        else:
            return absent(name)
        if name not in (unlisted or ()):
            namespace[name] = value
        return value

    def __dir__():
        return sorted({*namespace, *modules, *names} - {*inner})

    return __getattr__, __dir__


def _imported(module):
    with paused():
        return importlib.import_module(module)


def importing(module):
    """A function that imports a module: for a lower storey that needs, when first used, what an upper one registers."""
    return functools.partial(_imported, module)
