"""`OPS`, the functions of `tf.raw_ops`: what TensorFlow's definition of an op says, and what computes it."""

import collections
import functools
import inspect
import re

import numpy as np

from tfcompat import dtypes, engine
from tfcompat._core.convert import convert_to_tensor, type_name
from tfcompat._core.in_graphs import as_in_graph, of_argument, traced
from tfcompat._core.tensor import EagerTensor, Tensor, dtype_of
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.raw_ops import _shapes
from tfcompat.raw_ops._definitions import REQUIRED, definition


class _Functions(collections.abc.Mapping):
    """Functions by name, each of them made when it is asked for: there are nine hundred, and a program uses few."""

    def __init__(self):
        self._makers, self._made = {}, {}

    def later(self, name, make):
        """Enters a function that `make()` gives."""
        assert name not in self._makers, f"{name} is defined twice"
        self._makers[name] = make

    def __getitem__(self, name):
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __contains__(self, name):
        return name in self._makers

    def __iter__(self):
        return iter(self._makers)

    def __len__(self):
        return len(self._makers)


OPS = _Functions()  # a function has `definition`, and `run`, which takes a dict of arguments by name

# Attributes without effect on values: where and how fast something is computed, and by which name it is shared.
WITHOUT_EFFECT = frozenset(
    "allowed_devices container parallel_iterations shared_name swap_memory use_cudnn_on_gpu use_locking "
    "use_node_name_sharing".split()
)


def raw(*names, ignored=()):
    """Decorator that makes ops of `tf.raw_ops` of a function.

    Args:
      *names: of the ops, by default that of the function. It takes the op's parameters by name, as far as it honours
        them; for others than `ignored` only the default is accepted.
      ignored: names of parameters that tell nothing, or nothing here.
    """

    def decorate(compute):
        for name in names or (compute.__name__,):
            made(name, compute, lambda: {parameter: parameter for parameter in inspect.signature(compute).parameters},
                 ignored)  # fmt: skip
        return compute

    return decorate


def made(name, compute, accepted, ignored=(), doc=None):
    """Enters the function of an op into the table.

    Args:
      name: of the op.
      compute: function of named arguments.
      accepted: dict from the op's parameters to the names that `compute` has for them; or a function that gives it.
      ignored: names of parameters that may have any value.
      doc: docstring.
    """
    OPS.later(name, lambda: _function(name, compute, accepted() if callable(accepted) else accepted, ignored, doc))


def _function(name, compute, accepted, ignored, doc):
    known = definition(name)
    unknown = accepted.keys() - known.parameters.keys() - {"name"}
    assert not unknown, f"{name} has no parameters {unknown}"
    fixed = {
        parameter: default for parameter, default in known.parameters.items()
        if parameter not in accepted and parameter not in ignored and parameter not in WITHOUT_EFFECT
    }  # fmt: skip
    required = [parameter for parameter, default in fixed.items() if default is REQUIRED]
    assert not required, f"{name}: {required} must be honoured"
    defaults = {p: d for p, d in known.parameters.items() if p in accepted and d is not REQUIRED}
    renamed = [(theirs, ours) for theirs, ours in accepted.items() if theirs != "name"]
    names_of_results = tuple(each.name for each in known.results)

    def run(arguments):
        for parameter, default in fixed.items():
            if parameter in arguments and arguments[parameter] != default:
                raise UnimplementedError(
                    None, None,
                    f"tf.raw_ops.{name}: {parameter}={arguments[parameter]!r} is not available in tfcompat, only "
                    f"{default!r}",
                )  # fmt: skip
        arguments = defaults | arguments
        try:
            result = compute(**{ours: arguments[theirs] for theirs, ours in renamed})
        except (ValueError, TypeError, IndexError, AttributeError, ZeroDivisionError) as error:
            # The arguments have been converted: TensorFlow's kernel finds what is wrong with them. While a function is
            # traced shape inference does, and errors are those of the public functions.
            if traced() or isinstance(error, engine.SymbolicValueError):
                raise
            raise InvalidArgumentError(None, None, f"{error} [Op:{name}]") from error
        if len(names_of_results) < 2 or type(result).__name__ == name:
            return result
        return _tuple_of(name, names_of_results)(*result)

    function = function_of(known, run, doc or (compute.__doc__ or "").partition("\n")[0])
    function.run = run
    return function


def function_of(known, run, doc):
    """The function of `tf.raw_ops` that gives `run` a dict of the arguments of an op."""
    signature, rules = _signature(known), _shapes.of(known.name)
    required = {key for key, default in known.parameters.items() if default is REQUIRED}
    names, right = signature.parameters.keys(), set()

    def function(*args, **kwargs):
        if args:
            raise TypeError(f"{known.name} only takes keyword args (possible keys: {list(signature.parameters)}).")
        if not required <= kwargs.keys() <= names:
            signature.bind(**kwargs)  # which raises
        kwargs.pop("name", None)
        # None is the default, where there is one.
        arguments = {key: x for key, x in kwargs.items() if x is not None or key in required}
        kinds = _kinds(arguments)
        if kinds is None or kinds not in right:
            _check(known, arguments)
            if rules:
                _shapes.check(known.name, rules, arguments)
            if kinds is not None and len(right) < _REMEMBERED:
                right.add(kinds)
        return run(arguments)

    function.__name__ = function.__qualname__ = known.name
    function.__signature__ = signature
    function.__doc__ = f"{doc} TF: `tf.raw_ops.{known.name}`.".strip()
    function.definition = known
    return function


def _kinds(arguments):
    """What the checks of a call look at, to be hashed; None where it takes more than tensors, values, short lists."""
    kinds: list = [traced(), *arguments]
    for x in arguments.values():
        kind = type(x)
        if (kind is list or kind is tuple) and len(x) <= _SHORT:
            kinds.append((kind, len(x)))
            values = x
        else:
            values = (x,)
        for value in values:
            kind = type(value)
            if kind is EagerTensor:
                node = value._node
                kinds += dtype_of(node), node.aval.shape
            elif kind in _SINGLE:
                kinds += kind, value
            else:
                return None
    return tuple(kinds)


_SINGLE = frozenset({bool, int, float, str, dtypes.DType})
_REMEMBERED, _SHORT = 256, 16  # kinds of right calls of an op, and the length of lists in them


def same(names):
    """Makes ops that compute what another op computes, of the same parameters: the old names of ops.

    Args:
      names: dict from names to those of the other ops.
    """
    for name, other in names.items():
        OPS.later(name, functools.partial(_same, name, other))


def _same(name, other):
    function = OPS[other]
    accepted = {parameter: parameter for parameter in definition(name).parameters}
    unknown = accepted.keys() - function.definition.parameters.keys()
    assert not unknown, f"{name} and {other} differ in {unknown}"
    return _function(name, _of_arguments(function.run), accepted, (), f"As `{other}`.")


def _of_arguments(run):
    return lambda **arguments: run(arguments)


def _check(known, arguments):
    """Raises what TensorFlow raises for references, removed ops, and tensors of other dtypes than defined."""
    for each in (*known.results, *known.inputs):
        if each.is_ref:
            name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", known.name).lower()
            raise RuntimeError(f"{name} op does not support eager execution. Arg '{each.name}' is a ref.")
    if known.removed is not None:
        raise UnimplementedError(
            None, None, f"Op {known.name} is not available: it has been removed in version {known.removed} of graphs, "
            "and runs in older ones alone; use the public function"
        )  # fmt: skip
    if not traced():
        _convert(known, arguments, _converts_in_python(known, arguments))
    _check_attributes(known, arguments)
    wanted: dict = {}
    for place, each in enumerate(known.inputs):
        value = arguments.get(each.parameter)
        if each.is_list and not each.number_attr or each.type in (dtypes.resource, dtypes.variant):
            continue
        if type(value) in (list, tuple) and not (value or each.is_list or each.type):
            attribute = known.attributes[each.type_attr]  # an empty list is float32 where nothing else tells
            if attribute.default is REQUIRED and each.type_attr not in wanted and not attribute.takes(dtypes.float32):
                raise of_argument(InvalidArgumentError(
                    None, None, f"Value for attr '{each.type_attr}' of float is not in the list of allowed values "
                    f"[Op:{known.name}]"
                ))  # fmt: skip
        for tensor in value if isinstance(value, list | tuple) and each.is_list else (value,):
            if not isinstance(tensor, Tensor):
                continue
            dtype = each.type or wanted.setdefault(each.type_attr, tensor.dtype.base_dtype)
            if each.type_attr and not known.attributes[each.type_attr].takes(dtype):
                raise of_argument(InvalidArgumentError(
                    None, None, f"Value for attr '{each.type_attr}' of {type_name(dtype)} is not in the list of "
                    f"allowed values [Op:{known.name}]"
                ))  # fmt: skip
            if tensor.dtype.base_dtype == dtype:
                continue
            raise of_argument(InvalidArgumentError(
                None, None, f"cannot compute {known.name} as input #{place}(zero-based) was expected to be a "
                f"{type_name(dtype)} tensor but is a {type_name(tensor.dtype)} tensor [Op:{known.name}] name: "
            ))  # fmt: skip


def _check_attributes(known, arguments):
    """Raises what TensorFlow raises for None, texts that have no meaning, and numbers that are too small."""
    for each in known.given:
        value = arguments.get(each.parameter, _UNSET)
        if each.is_list and type(value) is int:
            raise TypeError(f"Expected list for '{each.parameter}' argument to '{known.name}' Op, not {value}.")
        if value is _UNSET or each.is_list:
            continue
        if value is None and each.kind in ("int", "float", "bool", "string"):
            raise TypeError(f"Expected {each.kind} for argument '{each.parameter}' not None.")
        if each.kind == "string" and each.choices and value not in each.choices:
            raise as_in_graph(ValueError, InvalidArgumentError(
                None, None, f"Value for attr '{each.name}' of {value!r} is not in the list of allowed values: "
                f"{', '.join(each.choices)} [Op:{known.name}]"
            ))  # fmt: skip
        if each.minimum is not None and isinstance(value, int) and value < each.minimum:
            raise as_in_graph(ValueError, InvalidArgumentError(
                None, None, f"Value for attr '{each.name}' of {value} must be at least minimum {each.minimum} "
                f"[Op:{known.name}]"
            ))  # fmt: skip


def _is_tensor(value):
    """Whether something is a tensor or variable, or a handle of what is none in Python."""
    return hasattr(value, "_as_node") or isinstance(value, Tensor) or not isinstance(value, _PLAIN)


_PLAIN = (type(None), bool, int, float, complex, str, bytes, list, tuple, np.ndarray, np.generic)


def _convert(known, arguments, in_python):
    """Converts plain arguments to the dtype of tensors, as TensorFlow does before it looks at dtypes.

    Raises:
      ValueError: `in_python`, a tensor of another dtype, or None.
      TypeError: something that the dtype does not hold.
    """
    wanted, plain = {}, set()
    groups = [
        (each, value if each.is_list else [value]) for each in known.inputs
        if (value := arguments.get(each.parameter, _UNSET)) is not _UNSET
        and (not each.is_list or isinstance(value, list | tuple))
        and each.type not in (dtypes.resource, dtypes.variant) and (not each.is_list or each.number_attr)
    ]  # fmt: skip
    for each, values in groups:
        tensors = [value for value in values if isinstance(value, Tensor)]
        if tensors and not each.type:
            wanted.setdefault(each.type_attr, tensors[0].dtype.base_dtype)
        if not all(map(_is_tensor, values)):
            plain.add(each.type_attr)  # tensors alone are left to the kernel
    for each, values in groups:
        dtype = each.type or wanted.get(each.type_attr)
        for value in values:
            if value is None and in_python:
                raise ValueError("Attempt to convert a value (None) with an unsupported type to a Tensor.")
            if (
                in_python and (each.type or each.type_attr in plain) and isinstance(value, Tensor)
                and value.dtype.base_dtype != dtype
            ):  # fmt: skip
                raise ValueError(
                    f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype {value.dtype.name}: "
                    f"{value!r}"
                )
            if each.type_attr in wanted and not _is_tensor(value):
                convert_to_tensor(value, dtype)


_UNSET = object()


def _converts_in_python(known, arguments):
    """Whether TensorFlow's Python code converts the arguments, not C: one is a list or text, or an int for a float."""
    for each in known.inputs:
        value = arguments.get(each.parameter, _UNSET)
        for one in value if each.is_list and isinstance(value, list | tuple) else (value,):
            if one is None or isinstance(one, list | tuple | str | bytes):
                return True
    for each in known.given:
        if each.kind == "float" and not each.is_list:
            value = arguments.get(each.parameter, each.default)
            if type(value) is int or each.parameter not in arguments and value == int(value):
                return True
    return False


def _signature(known):
    kind = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter(name, kind, default=inspect.Parameter.empty if default is REQUIRED else default)
        for name, default in known.parameters.items()
    ]
    return inspect.Signature([*parameters, inspect.Parameter("name", kind, default=None)])


@functools.cache
def _tuple_of(name, results):
    return collections.namedtuple(name, results)
