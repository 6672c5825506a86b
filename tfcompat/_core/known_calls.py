"""Calls of ops that were made before, with tensors, variables and Python numbers: they take no detour.

An op's function looks here first, since binding and converting arguments costs more than all the rest. What is not
known goes the general way, which remembers it.
"""
from numpy import ndarray

from tfcompat import engine
from tfcompat._core.tensor import EagerTensor, SymbolicTensor, wrap
from tfcompat._core.variable import ResourceVariable
from tfcompat._native import hand_over, twin_function_with
from tfcompat.dtypes import DType
from tfcompat.engine._policy import RECORDING

_PLAIN_TYPES = frozenset({int, float, bool, str, type(None), DType})
_UNKNOWN = None, ()
hand_over(DType=DType)


class KnownCalls:
    """What is known of the calls of one op.

    Args:
      arity: how many leading arguments are tensors; 0 if that varies.
      names: tuple of the names of these arguments.
      calls: the operation's calls, by attributes and avals.
      plain: attributes of a call with tensors alone, or None.
      on_host: whether small integers and text that are known are computed on the host, which is the general way.
      of_list: whether the only tensor argument is a list of tensors.
    """

    def __init__(self, arity, names, calls, plain, on_host, of_list):
        self.arity, self.names, self.calls, self.plain = arity, names, calls, plain
        self.on_host, self.of_list = on_host, of_list
        self.attributes = {}  # static arguments as given -> attributes
        self.numbers = {}     # attributes, avals of tensors, types and values of numbers -> call, nodes of the numbers

    def function(self, general):
        """A function that makes known calls itself, and `general(args, kwargs)` of all others.

        It is a Python function, since libraries ask whether ops are.
        """
        arity, names, calls, plain, numbers = self.arity, self.names, self.calls, self.plain, self.numbers
        on_host, of_list, known_attributes = self.on_host, self.of_list, self.attributes
        record, state = engine.record, engine.state

        @twin_function_with(arity, names, calls, plain, known_attributes, numbers, on_host, of_list)
        def known(*args, **kwargs):
            if len(args) == arity and not kwargs:
                tensors, attributes = args, plain
            elif not of_list:
                if len(args) < arity:
                    args, kwargs = _in_place(args, kwargs, names)
                tensors, attributes = args[:arity], known_attributes.get(static_key(args[arity:], kwargs))
            else:
                tensors = args[0] if args else None
                if type(tensors) is not list and type(tensors) is not tuple or not tensors:
                    return general(args, kwargs)
                attributes = known_attributes.get((len(tensors), static_key(args[1:], kwargs)))
            if attributes is None:
                return general(args, kwargs)
            nodes, key, variables = [], [attributes], False
            for x in tensors:
                kind = type(x)
                if kind is EagerTensor or kind is SymbolicTensor:
                    x = x._node
                elif kind is ResourceVariable:
                    x = x._current_node()
                    if x is None:  # not initialized
                        return general(args, kwargs)
                    variables = True
                elif kind is float or kind is int:
                    nodes.append(None)
                    key += (kind, x or str(x))  # a zero has a sign
                    continue
                else:
                    return general(args, kwargs)
                nodes.append(x)
                key.append(x.aval)
            call = calls.get(tuple(key))
            if call is None:
                call, fill = numbers.get(tuple(key), _UNKNOWN)
                if call is None:
                    return general(args, kwargs)
                nodes = [number if node is None else node for node, number in zip(nodes, fill, strict=True)]
            if state.graph.on_host or on_host and call.host and type(nodes[0].value) is ndarray:
                return general(args, kwargs)
            if variables:
                for x, node in zip(tensors, nodes, strict=True):
                    if type(x) is ResourceVariable:
                        x._was_read(node)
            result = record(call, tuple(nodes))
            return [wrap(node) for node in result] if type(result) is tuple else wrap(result)

        return known

    def remember(self, args, kwargs, attributes, nodes):
        """Makes a call with these arguments, which was made of `nodes`, a known one."""
        arity = 1 if self.of_list else self.arity
        args, kwargs = _in_place(args, kwargs, self.names[:arity])
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


def _in_place(args, kwargs, names):
    """(args, kwargs) with the leading arguments in their places, also those that were passed by `names`."""
    missing = names[len(args):]
    if not missing or not all([name in kwargs for name in missing]):
        return args, kwargs
    kwargs = dict(kwargs)
    return (*args, *[kwargs.pop(name) for name in missing]), kwargs


def static_key(args, kwargs):
    """Static arguments as given, as a key that says their types too; None if that is not quickly done."""
    key = [*kwargs]
    for value in [*args, *kwargs.values()]:
        kind = type(value)
        if kind not in _PLAIN_TYPES:
            if kind is not list and kind is not tuple or not all([type(x) is int for x in value]):
                return None
            value = tuple(value)
        key += kind, value
    return tuple(key)
