"""Calls of ops that were made before, with tensors, variables and Python numbers: they take no detour.

An op's function looks here first, since binding and converting arguments costs more than all the rest. What is not
known goes the general way, which remembers it. This runs for every operation of a program, so the lines are written
out for one and for two tensors.
"""
import functools

from numpy import ndarray

from tfcompat import engine
from tfcompat._core.tensor import EagerTensor, SymbolicTensor, wrap
from tfcompat._core.variable import ResourceVariable
from tfcompat.dtypes import DType
from tfcompat.engine import native
from tfcompat.engine._policy import RECORDING

_PLAIN_TYPES = frozenset({int, float, bool, str, type(None), DType})
_record = engine.record


class KnownCalls:
    """What is known of the calls of one op.

    Args:
      arity: how many leading arguments are tensors; 0 if that varies.
      names: tuple of the names of these arguments.
      calls: the operation's calls, by attributes and avals.
      plain: attributes of a call with tensors alone, or None.
      on_host: whether small integers and text that are known are computed on the host, which is the general way.
      of_list: whether the only tensor argument is a list of tensors.
      general: called with (args, kwargs) where nothing is known.
    """

    def __init__(self, arity, names, calls, plain, on_host, of_list, general):
        self.arity, self.names, self.calls, self.plain, self.general = arity, names, calls, plain, general
        self.on_host, self.of_list = on_host, of_list
        self.attributes = {}  # static arguments as given -> attributes
        self.numbers = {}     # attributes, avals of tensors, types and values of numbers -> call, nodes of the numbers

    def function(self):
        """The function for users of the op."""
        if self.of_list:
            function = self._of_list()
        else:
            function = {1: self._of_one, 2: self._of_two}.get(self.arity, self._of_several)()
        return self.before(function)

    def before(self, function):
        """A function that makes known calls itself, where that is compiled, and leaves all others to `function`."""
        if native is None or not (self.of_list or 0 < self.arity <= native.MOST_TENSORS):
            return function
        known = native.KnownCall(
            self.arity, self.names, self.calls, self.plain, self.attributes, self.numbers, self.on_host, self.of_list,
            function,
        )  # fmt: skip

        @functools.wraps(function)
        def compiled(*args, **kwargs):
            return known(args, kwargs)

        return compiled

    def remember(self, args, kwargs, attributes, nodes):
        """Makes a call with these arguments, which was made of `nodes`, a known one."""
        arity = 1 if self.of_list else self.arity
        if 0 < len(args) < arity and all([name in kwargs for name in self.names[len(args):arity]]):
            kwargs = dict(kwargs)
            args = (*args, *[kwargs.pop(name) for name in self.names[len(args):arity]])
        key = static_key(args[arity:], kwargs) if 0 < arity <= len(args) else None
        if key is None:
            return
        if len(self.attributes) >= RECORDING.max_known_calls:
            self.attributes.clear()
        if self.of_list:
            self.attributes[len(nodes), key] = attributes
            return
        self.attributes[key] = attributes
        numbers = [type(x) is float or type(x) is int for x in args[:arity]]
        if any(numbers) and not all(numbers):
            call = self.calls.get((attributes, *[node.aval for node in nodes]))
            if call is not None:
                if len(self.numbers) >= RECORDING.max_known_calls:
                    self.numbers.clear()
                key, fill = [attributes], []
                for x, is_number, node in zip(args[:arity], numbers, nodes, strict=True):
                    key += (type(x), x or str(x)) if is_number else (node.aval,)
                    fill.append(node if is_number else None)
                self.numbers[tuple(key)] = call, fill

    def _of_one(self):
        calls, plain, known, on_host, general = self.calls, self.plain, self.attributes, self.on_host, self.general

        def function(*args, **kwargs):
            if len(args) == 1 and not kwargs:
                attributes = plain
            else:
                attributes = known.get(static_key(args[1:], kwargs)) if args else None
            if attributes is None:
                return general(args, kwargs)
            x = args[0]
            kind = type(x)
            if kind is EagerTensor or kind is SymbolicTensor:
                x = x._node
            elif kind is ResourceVariable:
                x = x._as_node()
            else:
                return general(args, kwargs)
            call = calls.get((attributes, x.aval))
            if call is None or on_host and call.host and type(x.value) is ndarray:
                return general(args, kwargs)
            result = _record(call, (x,))
            return [wrap(node) for node in result] if type(result) is tuple else wrap(result)

        return function

    def _of_two(self):
        calls, plain, known, on_host, general = self.calls, self.plain, self.attributes, self.on_host, self.general
        numbers = self.numbers

        def function(*args, **kwargs):
            if len(args) == 2 and not kwargs:
                attributes = plain
            else:
                attributes = known.get(static_key(args[2:], kwargs)) if len(args) >= 2 else None
            if attributes is None:
                return general(args, kwargs)
            x, y = args if len(args) == 2 else args[:2]
            kind = type(x)
            if kind is EagerTensor or kind is SymbolicTensor:
                x = x._node
            elif kind is ResourceVariable:
                x = x._as_node()
            elif kind is not float and kind is not int:
                return general(args, kwargs)
            other = type(y)
            if other is EagerTensor or other is SymbolicTensor:
                y = y._node
            elif other is ResourceVariable:
                y = y._as_node()
            elif (other is float or other is int) and kind is not float and kind is not int:
                call, fill = numbers.get((attributes, x.aval, other, y or str(y)), _UNKNOWN)
                y = fill[1]
            else:
                return general(args, kwargs)
            if kind is float or kind is int:
                call, fill = numbers.get((attributes, kind, x or str(x), y.aval), _UNKNOWN)
                x = fill[0]
            elif other is not float and other is not int:
                call = calls.get((attributes, x.aval, y.aval))
            if call is None or on_host and call.host and type(x.value) is ndarray:
                return general(args, kwargs)
            result = _record(call, (x, y))
            return [wrap(node) for node in result] if type(result) is tuple else wrap(result)

        return function

    def _of_several(self):
        calls, plain, known, on_host, general = self.calls, self.plain, self.attributes, self.on_host, self.general
        arity, numbers = self.arity, self.numbers

        def function(*args, **kwargs):
            if len(args) == arity and not kwargs:
                attributes = plain
            else:
                attributes = known.get(static_key(args[arity:], kwargs)) if 0 < arity <= len(args) else None
            if attributes is None:
                return general(args, kwargs)
            nodes, key = [], [attributes]
            for x in args[:arity]:
                kind = type(x)
                if kind is EagerTensor or kind is SymbolicTensor:
                    node = x._node
                elif kind is ResourceVariable:
                    node = x._as_node()
                elif kind is float or kind is int:
                    nodes.append(None)
                    key.append(kind)
                    key.append(x or str(x))
                    continue
                else:
                    return general(args, kwargs)
                nodes.append(node)
                key.append(node.aval)
            if None in nodes:
                call, fill = numbers.get(tuple(key), _UNKNOWN)
                if call is not None:
                    nodes = [given if node is None else node for node, given in zip(nodes, fill, strict=True)]
            else:
                call = calls.get(tuple(key))
            if call is None or on_host and call.host and type(nodes[0].value) is ndarray:
                return general(args, kwargs)
            result = _record(call, tuple(nodes))
            return [wrap(node) for node in result] if type(result) is tuple else wrap(result)

        return function

    def _of_list(self):
        calls, known, on_host, general = self.calls, self.attributes, self.on_host, self.general

        def function(*args, **kwargs):
            values = args[0] if args else None
            if type(values) is list or type(values) is tuple:
                attributes = known.get((len(values), static_key(args[1:], kwargs)))
                if attributes is not None and all([type(x) is EagerTensor for x in values]):
                    nodes = tuple([x._node for x in values])
                    call = calls.get((attributes, *[node.aval for node in nodes]))
                    if call is not None and not (on_host and call.host and type(nodes[0].value) is ndarray):
                        result = _record(call, nodes)
                        return [wrap(node) for node in result] if type(result) is tuple else wrap(result)
            return general(args, kwargs)

        return function


_UNKNOWN = None, (None, None)
if native is not None:
    native.register(DType=DType)


def static_key(args, kwargs):
    """Static arguments as given, as a key that says their types too; None if that is not quickly done."""
    key = []
    for value in args:
        kind = type(value)
        if kind not in _PLAIN_TYPES:
            if kind is not list and kind is not tuple or not all([type(x) is int for x in value]):
                return None
            value = tuple(value)
        key.append(kind)
        key.append(value)
    for name, value in kwargs.items():
        kind = type(value)
        if kind not in _PLAIN_TYPES:
            if kind is not list and kind is not tuple or not all([type(x) is int for x in value]):
                return None
            value = tuple(value)
        key.append(name)
        key.append(kind)
        key.append(value)
    return tuple(key)
