"""`Tensor`: the user's handle on a node."""
from __future__ import annotations

from typing import Any

import jax
import numpy as np

from tfcompat import dtypes, engine
from tfcompat._core import device as _device
from tfcompat._core.composite import NEVER_PASSED_ON
from tfcompat._core.node_names import tensor_name
from tfcompat._core.quantized import plain
from tfcompat._core.registry import OPS
from tfcompat._core.shape import TensorShape
from tfcompat._native import handed_over, twin
from tfcompat._package.thread_state import ThreadState
from tfcompat.errors import InvalidArgumentError, OperatorNotAllowedInGraphError

_new = object.__new__


@twin
def wrap(node) -> Any:
    """The tensor of a node."""
    graph = node.graph
    tensor = _new(EagerTensor if graph is None or not graph.symbolic else SymbolicTensor)  # half the time of a call
    tensor._node = node
    return tensor


def is_symbolic(node):
    """Whether Python cannot have the value of a node: a graph is captured, or the user's own jax.jit traces."""
    return node.value is None and node.graph.symbolic or node.aval.traced


def out_of_scope(node):
    """The error for a tensor of a trace that is finished, or that was left."""
    return TypeError(
        f"{wrap(node)!r} is out of scope and cannot be used here. Use return values, explicit Python locals or "
        "TensorFlow collections to access it."
    )


def dtype_of(node):
    """The DType of a node."""
    aval = node.aval
    dtype = aval.tf_dtype
    if dtype is None:
        dtype = aval.tf_dtype = dtypes.from_numpy(aval.dtype)
    return dtype


def shape_of(node):
    """The TensorShape of a node."""
    aval = node.aval
    shape = aval.tf_shape
    if shape is None:
        # A size that is not an int is a symbol: a function is traced or exported for unknown sizes.
        shape = aval.tf_shape = TensorShape([d if type(d) is int else None for d in aval.shape])
    return shape


class TensorType:
    """Base of tensors, variables, and other packages' classes that act like them: these define `__tf_tensor__`.

    TF: `tf.__internal__.types.Tensor`.
    """

    __slots__ = ()

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "__tf_tensor__" in vars(cls):
            cls._as_node = _node_of_other


# Keras 3 recognizes tensors by a base class of this name in such a module.
TensorType.__name__ = TensorType.__qualname__ = "Tensor"
TensorType.__module__ = "tensorflow.python.types.core"


def _node_of_other(self):
    """The node of the value of an object of another package."""
    tensor = self.__tf_tensor__()
    return tensor._node if isinstance(tensor, Tensor) else tensor._as_node()


class Tensor(TensorType):
    """A multi-dimensional array of elements of one type.

    Its value is computed when a program looks at it: by `numpy()`, `print`, `bool`, `float` or Python control flow. The
    modules of the ops bind its operators. As in TF 2, `hash()` raises, `ref()` is hashable and `==` is elementwise.

    TF: `tf.Tensor`.
    """

    __module__ = "tensorflow.python.framework.tensor"  # libraries recognize a framework's tensors by such names
    # Keras notes on an output the logits of a sigmoid or softmax, and the mask. Programs set attributes of their own.
    __slots__ = ("_node", "__weakref__", "_keras_logits", "_keras_mask", "__dict__")
    __array_priority__ = 100
    OVERLOADABLE_OPERATORS = frozenset(
        f"__{name}__"
        for name in (
            "abs add and div eq floordiv ge getitem gt invert le lt matmul mod mul ne neg or pow radd rand rdiv "
            "rfloordiv rmatmul rmod rmul ror rpow rsub rtruediv rxor sub truediv xor"
        ).split()
    )

    def __init__(self, node):
        self._node = node

    @property
    def dtype(self) -> dtypes.DType:
        """DType of the elements."""
        return dtype_of(self._node)

    @property
    def shape(self) -> TensorShape:
        """TensorShape."""
        return shape_of(self._node)

    def get_shape(self) -> TensorShape:
        """The shape, as `Tensor.shape`."""
        return shape_of(self._node)

    def set_shape(self, shape) -> None:
        """Checks that `shape` is compatible with the tensor's; ValueError otherwise."""
        trial = engine.state.context.trial
        if trial is not None:
            self._node = trial.stated_shape(self, shape)._node
        if not self.shape.is_compatible_with(shape):
            raise engine.wrong_for_all_sizes(
                ValueError(f"Tensor's shape {self.shape} is not compatible with supplied shape {TensorShape(shape)}.")
            )
        if engine.state.graph.symbolic and not self.shape.is_fully_defined():
            self._node = OPS["tf.ensure_shape"](self, shape)._node  # states sizes that are unknown

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self._node.aval.shape)

    def _rank(self):
        return len(self._node.aval.shape)

    @property
    def device(self) -> str:
        """TF's name of the device that holds the tensor, e.g. `/job:localhost/replica:0/task:0/device:CPU:0`."""
        value = self._node.value
        # In immediate mode what a replica computes lies on the default device, which is not its own.
        elsewhere = engine.immediate() and _device.of_replica() is not None
        if not elsewhere and not isinstance(value, np.ndarray) and hasattr(value, "devices"):
            devices = value.devices()
            return _device.SPREAD if len(devices) > 1 else _device.named(next(iter(devices)))
        name = _device.of_replica()
        if name is not None:
            return name
        if value is None:
            return _device.named(engine.replicas.device_of(self._node) or _device.default())
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    backing_device = device

    @property
    def name(self) -> str:
        if engine.state.graph.symbolic:  # a constant in a function
            return "Const:0"
        raise _undefined("name")

    @property
    def op(self) -> Any:
        raise _undefined("op")

    @property
    def graph(self) -> Any:
        if engine.state.graph.symbolic:  # a constant in a function belongs to the function's graph in TF
            return engine.state.graph
        raise _undefined("graph")

    def ref(self):
        """A hashable reference to this tensor object; `ref().deref()` is the tensor."""
        return Reference(self)

    experimental_ref = ref

    def _value(self):
        """The NumPy array of the tensor, not to be written to; computes what is pending."""
        try:
            node = self._node
            value = engine.array_of(node)
            return value if node.aval.host is not None else plain(value)
        except engine.SymbolicValueError:
            if isinstance(self, EagerTensor):  # computed from a tensor that leaked from a trace
                raise
            raise NotImplementedError(
                f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may indicate that "
                "you're trying to pass a Tensor to a NumPy call, which is not supported."
            ) from None

    def __array__(self, dtype=None, copy=None):
        if _unseen.tensor is self:
            error = _unseen.error
            _unseen.tensor = _unseen.error = None
            raise error
        value = self._value()
        array = np.array(value, dtype, copy=copy)
        return _read_only(array) if array is value else array

    def __jax_array__(self):
        return engine.value_of(self._node)

    def __dlpack__(self, **kwargs):
        return self._device_array().__dlpack__(**kwargs)

    def __dlpack_device__(self):
        kind, number = self._device_array().__dlpack_device__()
        return int(kind), number

    def _device_array(self):
        value = engine.value_of(self._node)
        if isinstance(value, np.ndarray):
            with jax.enable_x64(True):
                value = self._node.value = jax.device_put(value)
        return value

    def __hash__(self):
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __len__(self):
        shape = self._node.aval.shape
        if not shape:
            raise TypeError("Scalar tensor has no `len()`")
        return shape[0]

    def __iter__(self):
        shape = self._node.aval.shape
        if not shape:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return iter(OPS["tf.unstack"](self))

    def __bool__(self):
        # EagerTensor and SymbolicTensor have their own; other packages' classes use this one.
        raise OperatorNotAllowedInGraphError("Using a symbolic `tf.Tensor` as a Python `bool` is not allowed.")

    __nonzero__ = __bool__

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


@handed_over
class EagerTensor(Tensor):
    """A tensor whose value can be looked at."""

    __module__ = "tensorflow.python.framework.ops"
    __slots__ = ()

    def numpy(self) -> Any:
        """The value as a new NumPy array; a NumPy scalar (bytes for strings) if the tensor is one."""
        value = self._value()
        if value.dtype.names is not None:
            raise InvalidArgumentError(
                None, None, f"Cannot convert a Tensor of dtype {self.dtype.name} to a NumPy array."
            )
        if value.ndim == 0:
            return value[()]
        return value.copy()

    def _numpy(self):
        return self.numpy()

    def __copy__(self):
        return self

    def __bool__(self):
        value = self._value()
        return bool(value) if value.size else False

    def __int__(self):
        return int(self.numpy())

    def __float__(self):
        return float(self.numpy())

    def __complex__(self):
        return complex(self.numpy())

    def __index__(self):
        return self.numpy().__index__()

    def __buffer__(self, flags):
        """The memory of the value, for `memoryview`. `_native/module.c` asks for it, or Python from 3.12 on."""
        try:
            value = self._value()
        except BaseException as error:
            _unseen.tensor, _unseen.error = self, error
            raise
        return memoryview(_read_only(value))  # pyright: ignore[reportArgumentType]

    def __format__(self, spec):
        value = self._value()
        return (value[()] if value.ndim == 0 else value).__format__(spec)

    def __round__(self, digits=None):
        value: Any = self._value()[()]
        return round(value, *(() if digits is None else (digits,)))

    def __str__(self):
        return f"tf.Tensor({text_of(self, repr_=False)}, shape={self.shape}, dtype={self.dtype.name})"

    def __repr__(self):
        kind = "value" if self.dtype is dtypes.variant else "numpy"
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, {kind}={text_of(self, repr_=True)}>"

    def __reduce__(self):
        return _unpickled, (self.numpy(), self.dtype)

    is_packed = False
    _id = property(id)

    def _shape_tuple(self):
        return self._node.aval.shape

    def _num_elements(self):
        return self.shape.num_elements()

    def _datatype_enum(self):
        return self.dtype.as_datatype_enum

    def consumers(self):
        """Raises NotImplementedError, as in TF outside of graphs."""
        raise NotImplementedError("Tensor.consumers is undefined when eager execution is enabled.")

    def eval(self, feed_dict=None, session=None):
        """Raises NotImplementedError, as in TF outside of graphs. Use `numpy`."""
        raise NotImplementedError("eval is not supported when eager execution is enabled, is .numpy() what you mean?")

    def cpu(self):
        """The tensor itself: JAX moves arrays between devices as programs need them."""
        return self

    def gpu(self, gpu_index=0):
        """The tensor itself, as `cpu`."""
        return self


class _Unseen(ThreadState):
    """What `__buffer__` raised last. NumPy asks for it first, drops the error, and goes on to ask for `__array__`."""

    tensor: Any = None
    error: Any = None


_unseen = _Unseen()


def _read_only(array):
    """The array, or a view of it, that cannot be written to."""
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


def _unpickled(value, dtype):
    return wrap(engine.leaf(np.array(value, dtype.np)))


def _undefined(name):
    return AttributeError(f"Tensor.{name} is undefined when eager execution is enabled.")


def _unflatten(_, children):
    array = children[0]
    tensor = object.__new__(EagerTensor)
    # JAX also unflattens trees of placeholders: https://docs.jax.dev/en/latest/custom_pytrees.html
    tensor._node = engine.leaf(array) if hasattr(array, "shape") and hasattr(array, "dtype") else array
    return tensor


# So that JAX's functions take tensors, and JAX can transform functions that return them.
jax.tree_util.register_pytree_node(EagerTensor, lambda tensor: ((engine.value_of(tensor._node),), None), _unflatten)


def _only_of_arrays(name):
    """A property that raises, in place of a method that NumPy's arrays have.

    (`np.asarray` would call a `__getattr__` for each protocol that it tries.)
    """

    def missing(self):
        raise AttributeError(
            f"{type(self).__name__} object has no attribute '{name}'. \n        "
            "If you are looking for numpy-related "
            "methods, please run the following:\n        "
            "tf.experimental.numpy.experimental_enable_numpy_behavior()\n      "
        )

    return property(missing)


for _name in ("T", "astype", "ravel", "transpose", "reshape", "clip", "size", "tolist", "data"):
    setattr(Tensor, _name, _only_of_arrays(_name))


def text_of(tensor, repr_):
    """The value as `print` shows it, or as `repr` does."""
    node = tensor._node
    if node.aval.traced:  # by JAX
        return str(engine.value_of(node))
    if tensor.dtype is dtypes.variant:
        objects = plain(engine.array_of(node))
        first = " ".join(map(str, objects.ravel()[:3]))
        return f"[{first}{'...' * (objects.size > 3)}]" if objects.ndim else first
    array = tensor.numpy()
    if repr_:
        text = repr(array.item()) if isinstance(array, np.generic) else repr(array)
    else:
        text = str(array)
    return "\n" + text if "\n" in text else text


@handed_over
class SymbolicTensor(Tensor):
    """A tensor inside a function being traced: its value is known only when the function runs."""

    __module__ = "tensorflow.python.framework.ops"
    __slots__ = ()

    def _not_allowed(self, task):
        raise OperatorNotAllowedInGraphError(
            f"Using a symbolic `tf.Tensor` as a Python `{task}` is not allowed. You can attempt the following "
            "resolutions to the problem: If you are running in Graph mode, use Eager execution mode or decorate this "
            "function with @tf.function. If you are using AutoGraph, you can try decorating this function with "
            "@tf.function. If that does not work, then you may be using an unsupported feature or your source code may "
            "not be visible to AutoGraph."
        )

    def __bool__(self):
        self._not_allowed("bool")

    def __int__(self):
        raise TypeError(f"int() argument must be a string, a bytes-like object or a real number, not {self!r}")

    def __float__(self):
        raise TypeError(f"float() argument must be a string or a real number, not {self!r}")

    def __index__(self):
        raise TypeError(f"{self!r} is symbolic: its value is not known while the function is traced")

    def __len__(self):
        if engine.function_trace(engine.state.graph) is not None:
            raise TypeError(
                f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` rather than "
                "`len(x)` for shape information."
            )
        return super().__len__()

    @property
    def name(self):
        """The name in the function that is traced."""
        return tensor_name(self._node)

    def __repr__(self):
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    def __str__(self):
        return f'Tensor("{self.name}", shape={self.shape}, dtype={self.dtype.name})'


NEVER_PASSED_ON.add(EagerTensor)


class Reference:
    """A hashable reference to a tensor or variable; equal to another reference to the same object.

    TF: what `tf.Tensor.ref` returns.
    """

    __slots__ = ("__weakref__", "_target")

    def __init__(self, target):
        self._target = target

    def deref(self):
        """The object referred to."""
        return self._target

    def __hash__(self):
        return id(self._target)

    def __eq__(self, other):
        return isinstance(other, Reference) and self._target is other._target

    def __reduce__(self):
        return Reference, (self._target,)

    def __repr__(self):
        return f"<Reference wrapping {self._target!r}>"
