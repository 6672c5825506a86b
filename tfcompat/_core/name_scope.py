"""`name_scope`: the prefix of the names of variables and modules made inside it."""

from tfcompat._package.thread_state import ThreadState


class _Names(ThreadState):
    """The name scope of a thread (empty or ending in `/`), and how often names are in use.

    Scopes are counted while a function is traced, layers also while one is called on symbols.
    """

    scope = ""
    counters: dict[str, int] | None = None
    layers: dict[str, int] | None = None


_names = _Names()


class name_scope:
    """Context manager that prefixes names, and gives the full prefix to `as`.

    Args:
      name: str. Appended to the scope around it; if it ends with `/`, used as it is; empty, the outermost
        scope.

    Raises:
      ValueError: `name` is not a string.

    >>> with name_scope("outer"), name_scope("inner") as scope:
    ...     print(scope)
    outer/inner/

    TF: `tf.name_scope`. Executed eagerly, equal names stay equal; while a function is traced, a scope entered
    again is called `name_1`.
    """

    def __init__(self, name):
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._name = name
        self._outer = []  # a scope object may be entered again while it is active

    @property
    def name(self):
        """The name given."""
        return self._name

    def __enter__(self):
        scope = _extended(self._name)
        self._outer.append(_names.scope)
        enter_scope(scope)
        return scope

    def __exit__(self, *exception):
        enter_scope(self._outer.pop())
        return False


def enter_scope(scope):
    """Puts a full prefix into force."""
    _names.scope = scope


def current_scope():
    """The full prefix now in force: empty, or ending in `/`."""
    return _names.scope


def unique_variable_name(name):
    """The name, without `:0`, of a variable that is created now with the name `name`.

    Raises:
      ValueError: `name` is not a string.

    TF: a variable enters a name scope of its own, as in eager code even in a function, so equal names stay equal.
    """
    if not isinstance(name, str):
        raise ValueError("name for name_scope must be a string.")
    return name.removesuffix("/") if not name or name.endswith("/") else _names.scope + name


class function_names:
    """Context manager for the trace of a function: names start anew, and no scope is entered twice."""

    def __enter__(self):
        self._outer = _names.scope, _names.counters, _names.layers
        _names.scope, _names.counters, _names.layers = "", {}, {}

    def __exit__(self, *exception):
        _names.scope, _names.counters, _names.layers = self._outer


class using_counters:
    """Context manager for a graph that is built in pieces: names are counted by `counters`, its own dict."""

    def __init__(self, counters):
        self._counters = counters

    def __enter__(self):
        self._outer = _names.scope, _names.counters
        use_counters(self._counters)

    def __exit__(self, *exception):
        _names.scope, _names.counters = self._outer


def use_counters(counters):
    """Counts names in `counters` from now on, outside of all scopes."""
    _names.scope, _names.counters = "", counters


class layer_names:
    """Context manager for a layer's call on symbols, which has a graph in TF: numbers of layers start anew.

    Args:
      counters: the counters of an earlier part of the same call; None for a new one.
    """

    def __init__(self, counters=None):
        self._counters = {} if counters is None else counters

    def __enter__(self):
        self._outer = _names.layers
        _names.layers = self._counters

    def __exit__(self, *exception):
        _names.layers = self._outer


def layer_counters():
    """How often each name was given to a layer, a dict; None outside of functions."""
    return _names.layers


def _extended(name):
    """The full prefix that scope `name` has when entered now."""
    if not name or name.endswith("/"):
        return name
    name = _names.scope + name
    return (name if _names.counters is None else uncounted(name, _names.counters)) + "/"


def uncounted(name, counters):
    """`name`, or `name_1`, `name_2`... if that is in use; letter case does not tell names apart."""
    key = name.lower()
    count = counters.get(key, 0)
    counters[key] = count + 1
    if count == 0:
        return name
    while (numbered := f"{key}_{count}") in counters:
        count += 1
    counters[key] = count + 1
    counters[numbered] = 1
    return f"{name}_{count}"
