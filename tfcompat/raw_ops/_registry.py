"""`OPS`, the functions of `tf.raw_ops`: what TensorFlow's definition of an op says, and what computes it."""

import collections
import functools
import inspect
import re

from tfcompat import dtypes
from tfcompat._core.convert import type_name
from tfcompat._core.in_graphs import of_argument
from tfcompat._core.tensor import Tensor
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.raw_ops._definitions import REQUIRED, definition, letter_of


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
        result = compute(**{ours: arguments[theirs] for theirs, ours in renamed})
        if len(names_of_results) < 2 or type(result).__name__ == name:
            return result
        return _tuple_of(name, names_of_results)(*result)

    function = function_of(known, run, doc or (compute.__doc__ or "").partition("\n")[0])
    function.run = run
    return function


def function_of(known, run, doc):
    """The function of `tf.raw_ops` that gives `run` a dict of the arguments of an op."""
    signature = _signature(known)

    def function(*args, **kwargs):
        if args:
            raise TypeError(f"{known.name} only takes keyword args (possible keys: {list(signature.parameters)}).")
        arguments = signature.bind(**kwargs).arguments
        arguments.pop("name", None)
        _check(known, arguments)
        return run(arguments)

    function.__name__ = function.__qualname__ = known.name
    function.__signature__ = signature
    function.__doc__ = f"{doc} TF: `tf.raw_ops.{known.name}`.".strip()
    function.definition = known
    return function


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
    wanted: dict = {}
    for place, each in enumerate(known.inputs):
        value = arguments.get(each.parameter)
        if each.is_list and not each.number_attr or each.type in (dtypes.resource, dtypes.variant):
            continue
        for tensor in value if isinstance(value, list | tuple) and each.is_list else (value,):
            if not isinstance(tensor, Tensor):
                continue
            dtype = each.type or wanted.setdefault(each.type_attr, tensor.dtype.base_dtype)
            kinds = known.attributes[each.type_attr].kinds if each.type_attr else ""
            if kinds and letter_of(dtype) not in kinds:
                raise of_argument(InvalidArgumentError(
                    None, None, f"Value for attr '{each.type_attr}' of {type_name(dtype)} is not in the list of "
                    f"allowed values [Op:{known.name}]"
                ))  # fmt: skip
            if tensor.dtype.base_dtype == dtype:
                continue
            if each.type and _converts_in_python(known, arguments):
                raise ValueError(
                    f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype {tensor.dtype.name}: "
                    f"{tensor!r}"
                )
            raise of_argument(InvalidArgumentError(
                None, None, f"cannot compute {known.name} as input #{place}(zero-based) was expected to be a "
                f"{type_name(dtype)} tensor but is a {type_name(tensor.dtype)} tensor [Op:{known.name}] name: "
            ))  # fmt: skip


def _converts_in_python(known, arguments):
    """Whether TensorFlow's Python code converts the arguments: where an int is given for a float."""
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
