"""Which public functions a graph records, and how: they do so as long as a thread has entered a graph."""

import functools
import inspect
import types

import numpy as np

import tfcompat as tf
from tfcompat import nest
from tfcompat._control._order import in_graphs
from tfcompat._core import graphs
from tfcompat._core import name_scope as _name_scope
from tfcompat._core.convert import convert_to_tensor as to_tensor
from tfcompat._core.convert import type_name
from tfcompat._core.graphs import GraphTensor, Inferred, Recorded, Result, record
from tfcompat._core.shape import TensorShape
from tfcompat.compat._graph_arrays import GraphTensorArray
from tfcompat.compat._graph_queues import METHODS, recorded_method
from tfcompat.compat._graph_shapes import Graph as Graph
from tfcompat.compat._iterators import GraphDataset, depends_on_graph
from tfcompat.compat._runs import derivatives
from tfcompat.compat._scopes import in_scope, scopes_here
from tfcompat.errors import InvalidArgumentError
from tfcompat.function._function import Function
from tfcompat.saved_model._restored import RestoredConcreteFunction, RestoredFunction, Signature
from tfcompat.tape._custom import Bind

# Modules whose functions are ops, and of others the ops in them.
_MODULES = "math nn linalg image strings random signal sparse ragged sets bitwise audio".split()
_PARTS = {
    "debugging": ("assert_", "check_numerics"),
    "io": ("decode_", "encode_", "parse_", "serialize_tensor", "read_file", "write_file", "matching_files"),
    "raw_ops": ("",),
}
# What is no op, or builds graphs itself.
_NO_OPS = frozenset(
    "convert_to_tensor is_tensor get_static_value gradients hessians control_dependencies group no_op tuple name_scope "
    "function custom_gradient executing_eagerly inside_function init_scope device variable_creator_scope "
    "register_tensor_conversion_function make_ndarray make_tensor_proto get_logger is_symbolic_tensor load_library "
    "load_op_library grad_pass_through recompute_grad broadcast_static_shape get_current_name_scope print "
    "numpy_function py_function type_spec_from_value set_seed get_global_generator set_global_generator "
    "import_graph_def create_rng_state as_dtype from_jax to_jax load_arrays save_arrays no_gradient".split()
)
# TF's default names of operations that are not called as their kernels, or as our functions.
_NAMES = {
    "AddV2": "Add", "RealDiv": "truediv", "BatchMatMulV2": "MatMul", "normal": "random_normal",
    "uniform": "random_uniform", "Concat": "concat", "ConcatV2": "concat", "Pack": "stack", "Transpose": "transpose",
    "SplitV": "split", "Unpack": "unstack", "Range": "range", "OneHot": "one_hot", "Fill": "Fill",
    "clip_by_value": "clip_by_value", "constant": "Const", "call": "PartitionedCall",
}  # fmt: skip


@functools.cache
def recorded(function):
    """A function that is recorded where a graph is built, and otherwise called."""
    kind = graphs.kind_of(function)

    @functools.wraps(function)
    def call(*args, **kwargs):
        if graphs.current() is None:
            return function(*args, **kwargs)
        return record_call(function, args, kwargs, kind)

    return call


def _is_dtype(x):
    return isinstance(x, type) and issubclass(x, np.generic | int | float | complex)


def record_call(function, args, kwargs, kind):
    """A call of a public function, recorded."""
    names = _names_from_name(function)
    if names is not None and len(args) > (place := names[0]):  # a name that is given by place names it, too
        args, kwargs = args[:place], {**kwargs, **dict(zip(names[1], args[place:], strict=False))}
    if any(callable(x) and not isinstance(x, Recorded) and not _is_dtype(x) for x in nest.flatten((args, kwargs))):
        function = functools.partial(in_scope, scopes_here().scopes[-1], function)
    return record(function, args, kwargs, _NAMES.get(kind, kind), kind)


@functools.cache
def _names_from_name(function):
    """The place of the parameter `name`, and the names of the parameters from there on; None if it has no place."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    fixed = any(p.kind in (p.VAR_POSITIONAL, p.POSITIONAL_ONLY) for p in parameters)
    return (names.index("name"), names[names.index("name") :]) if "name" in names and not fixed else None


_replaced: list = []  # (object, name, its attribute) while the public ops are replaced


def begin():
    """Replaces the public ops by functions that are recorded where a graph is built."""
    v1 = tf.compat.v1
    for module, path in v1._modules_of_ops():
        _replace(module, lambda name, path=path: _is_op(v1._same_as(f"{path}{name}")))
    _replace(tf, _is_op)
    for path in (*_MODULES, *_PARTS):
        _replace(getattr(tf, path), lambda name, path=path: _is_op(f"{path}.{name}"))
    for name, function in (
        ("convert_to_tensor", convert_to_tensor), ("numpy_function", numpy_function), ("py_function", py_function),
        ("print", print_),
    ):  # fmt: skip
        _set(tf, name, function)
    for kind in (Function, Bind, RestoredFunction, RestoredConcreteFunction, Signature):
        _set(kind, "__call__", recorded(kind.__call__))
    for kind in (tf.queue.FIFOQueue, *tf.queue.FIFOQueue.__mro__[1:-1], tf.queue.RandomShuffleQueue,
                 tf.queue.PriorityQueue, tf.queue.PaddingFIFOQueue):  # fmt: skip
        for name in METHODS:
            if type(vars(kind).get(name)) is types.FunctionType:
                _set(kind, name, recorded_method(name, vars(kind)[name]))
    for name, member in inspect.getmembers_static(tf.data.Dataset):
        if name.startswith("_") and name != "__iter__":
            continue
        if type(member) is staticmethod:
            _set(tf.data.Dataset, name, staticmethod(_unrecorded(member.__func__)))
        elif type(member) is types.FunctionType:
            _set(tf.data.Dataset, name, _unrecorded(member))


def end():
    """Puts the public ops back."""
    while _replaced:
        setattr(*_replaced.pop())


def _is_op(path):
    """Whether a path in TensorFlow 2 is that of an op; None is no path."""
    if path is None:
        return False
    module, _, name = path.rpartition(".")
    return module in ("", *_MODULES) or name.startswith(_PARTS.get(module, ()))


def _replace(module, chosen):
    for name, value in list(vars(module).items()):
        if type(value) is types.FunctionType and not name.startswith("_") and name not in _NO_OPS and chosen(name):
            _set(module, name, recorded(value))


def _set(owner, name, value):
    _replaced.append((owner, name, inspect.getattr_static(owner, name)))
    setattr(owner, name, value)


@functools.cache
def _unrecorded(function):
    """A function of datasets, in which nothing is recorded. Of tensors of a graph it gives a `GraphDataset`."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        if graphs.current() is None:
            return function(*args, **kwargs)
        if depends_on_graph(args, kwargs):
            return GraphDataset(function, args, kwargs)
        with graphs.paused():
            return function(*args, **kwargs)

    return call


graphs.upstairs.begin, graphs.upstairs.end = begin, end

_convert, _numpy_function, _py_function, _print = tf.convert_to_tensor, tf.numpy_function, tf.py_function, tf.print


@functools.wraps(_convert)
def convert_to_tensor(value, dtype=None, dtype_hint=None, name=None):
    if graphs.current() is None:
        return _convert(value, dtype, dtype_hint, name)
    if isinstance(value, GraphTensor):
        if dtype is not None and tf.as_dtype(dtype) != value.dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {tf.as_dtype(dtype).name} for Tensor with dtype "
                f"{value.dtype.name}: {value!r}"
            )
        return value
    if isinstance(value, Recorded):
        return value.value()
    return record(_convert, (value, dtype, dtype_hint), {"name": name} if name else {}, "Const", "Const")


def _of_python(function, results):
    """A recorder of a function that calls Python: it is not tried out, and its results have unknown shapes."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        if graphs.current() is None:
            return function(*args, **kwargs)
        bound = inspect.signature(function).bind(*args, **kwargs).arguments
        name = bound.pop("name", None)
        inferred = Inferred(nest.map_structure(results, bound.get("Tout")))
        return record(function, (), bound, name or "PyFunc", "PyFunc", inferred)

    return call


def _of_dtype(dtype):
    if isinstance(dtype, tf.TensorSpec):
        return Result(dtype.shape, dtype.dtype)
    return None if dtype is None else Result(None, tf.as_dtype(dtype))


numpy_function = _of_python(_numpy_function, _of_dtype)
py_function = _of_python(_py_function, _of_dtype)


@functools.wraps(_print)
def print_(*inputs, **kwargs):
    if graphs.current() is None:
        return _print(*inputs, **kwargs)
    name = kwargs.pop("name", None)
    return record(_print, inputs, kwargs, name or "PrintV2", "PrintV2", Inferred(None))


def placeholder(dtype, shape=None, name=None):
    """A tensor whose value each run is given: `feed_dict` of `Session.run`.

    Args:
      dtype: of the values.
      shape: sizes may be None; None for an unknown rank.
      name: of the operation, by default "Placeholder".

    Raises:
      RuntimeError: outside of a graph.
    """
    dtype, shape = tf.as_dtype(dtype), TensorShape(shape)

    def unfed():
        sizes = "<unknown>" if shape.rank is None else f"[{','.join('?' if n is None else str(n) for n in shape)}]"
        raise InvalidArgumentError(
            None, None,
            f"You must feed a value for placeholder tensor '{op.name}' with dtype {type_name(dtype)}"
            + (f" and shape {sizes}" if shape.rank is not None else ""),
        )  # fmt: skip

    tensor = record(unfed, (), {}, name or "Placeholder", "Placeholder", Inferred(Result(shape, dtype)),
                    attributes={"dtype": dtype, "shape": shape})  # fmt: skip
    op = tensor.op
    return tensor


def placeholder_with_default(input, shape, name=None):
    """A tensor that each run may be given another value for. TF: `tf.compat.v1.placeholder_with_default`."""
    if graphs.current() is None:
        return to_tensor(input)
    tensor = convert_to_tensor(input)
    result = Inferred(Result(shape, tensor.dtype))
    kind = "PlaceholderWithDefault"
    return record(tf.identity, (tensor,), {}, name or kind, kind, result)


def gradients(ys, xs, grad_ys, stop_gradients, unconnected, name=None):
    """What `tf.gradients` gives where a graph is built; for the arguments see there."""
    targets = [convert_to_tensor(y) for y in nest.flatten(ys)]
    sources = [x if isinstance(x, Recorded) else convert_to_tensor(x) for x in nest.flatten(xs)]
    cotangents = None if grad_ys is None else nest.flatten(grad_ys)
    if cotangents is not None and len(cotangents) != len(targets):
        raise ValueError(f"Length mismatch. Passed {len(cotangents)} grad_ys for {len(targets)} ys")
    stopped = nest.flatten(stop_gradients or [])
    reached = _reaching(targets, stopped)
    connected = [x for x in sources if x in reached]
    with _name_scope.name_scope(name or "gradients"):
        results = []
        if connected:
            known = Inferred([Result(x.shape, x.dtype) for x in connected])
            args = targets, connected, cotangents, stopped
            results = record(derivatives, args, {}, "grad", "Gradients", known)
        zero = tf.UnconnectedGradients(unconnected) is tf.UnconnectedGradients.ZERO
        rest = iter(results)
        return [next(rest) if x in reached else tf.zeros_like(x) if zero else None for x in sources]


def jacobian(y, xs, stop_gradients, unconnected, of_rows=False):
    """The derivatives of each element of `y` with respect to `xs`, or of each row with respect to the same row.

    Raises:
      tf.errors.UnimplementedError: the shape of `y` is not known.
    """
    shape = y.shape[1:] if of_rows else y.shape
    if not shape.is_fully_defined():
        raise tf.errors.UnimplementedError(
            None, None,
            "a jacobian in a tf.Graph of a target of unknown shape is not available in tfcompat: give it a static "
            "shape, or use tf.function",
        )  # fmt: skip
    size = shape.num_elements()
    elements = tf.reshape(y, [-1, size] if of_rows else [size])
    columns = [gradients(elements[..., i], xs, None, stop_gradients, unconnected) for i in range(size)]
    return [_jacobian_of(x, parts, shape.as_list(), of_rows) for x, *parts in zip(xs, *columns, strict=True)]


def _jacobian_of(x, parts, shape, of_rows):
    """The gradients of single elements of a target of this shape with respect to one source, as one tensor."""
    if None in parts:
        return None
    axis = 1 if of_rows else 0
    sizes = tf.shape(x)
    return tf.reshape(tf.stack(parts, axis), tf.concat([sizes[:axis], shape, sizes[axis:]], 0))


_CUTS = ("StopGradient", "stop_gradient", "ZerosLike", "OnesLike", "Shape", "Size", "Rank")


def _reaching(targets, stopped):
    """The tensors and variables that derivatives of `targets` are taken through."""
    reached: set = set()
    waiting = [x for x in targets if x.dtype.is_floating or x.dtype.is_complex]
    while waiting:
        x = waiting.pop()
        if x in reached:
            continue
        reached.add(x)
        if not isinstance(x, GraphTensor) or x in stopped or x.op.type in _CUTS:
            continue
        sources = [*x.op.inputs, *x.op.captures, *x.op.variables]
        waiting += [y for y in sources if y.dtype.is_floating or y.dtype.is_complex or y.dtype == tf.variant]
    return reached


def no_op(name=None):
    """An operation that does nothing."""
    return record(_nothing, (), {}, name or "NoOp", "NoOp", Inferred(None))


def group(*inputs, name=None):
    """An operation that comes after others."""
    with graphs.current().control_dependencies(inputs):
        return no_op(name or "group_deps")


def _nothing():
    return None


def tuple_(tensors, control_inputs, name):
    """The tensors, each of which comes after all of them."""
    waits = [x for x in tensors if x is not None] + list(control_inputs or ())
    with graphs.current().control_dependencies(waits), _name_scope.name_scope(name or "tuple"):
        return [x if x is None else tf.identity(x) for x in tensors]




def _graph_def(graph):
    from tfcompat.compat._graph_export import graph_def_of  # few programs ask for it

    return graph_def_of(graph)


graphs.upstairs.graph_def = _graph_def
in_graphs.group, in_graphs.no_op, in_graphs.tuple = group, no_op, tuple_
graphs.upstairs.gradients, graphs.upstairs.jacobian = gradients, jacobian
graphs.upstairs.tensor_array = GraphTensorArray
