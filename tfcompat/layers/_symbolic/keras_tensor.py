"""`KerasTensor`, the output of a layer where there are no values yet, and `Node`, which records the call."""

import collections
from typing import Any

from tfcompat import nest
from tfcompat._core.composite import CompositeTensor, PassedOn
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Reference, Tensor
from tfcompat._core.variable import Variable
from tfcompat.layers._layer.mask_propagation import mask_of

KerasHistory = collections.namedtuple("KerasHistory", ["layer", "node_index", "tensor_index"])

_NO_VALUE = (
    "{} is a KerasTensor, which has no value: a model maps it to one when the model is called. Python and NumPy, "
    "tf.cond, tf.while_loop, tf.map_fn, tf.function and tf.GradientTape need values: put such code into the `call` of "
    "a tf.keras.layers.Layer of your own, or into a tf.keras.layers.Lambda"
)


class _CallRecorder:
    """What turns calls on KerasTensors into layers.

    The layers stand above KerasTensors: `op_layers` and `attribute_layers` set these functions where they define them.
    """

    op: Any = None  # (names, function, args, kwargs): a public function called on KerasTensors among others
    symbol: Any = None  # (symbol, args, kwargs): the same for TF's name of an op
    slice: Any = None  # (tensor, key): `tensor[key]`
    instance_property: Any = None  # (name, x): a property of a ragged or sparse KerasTensor
    instance_method: Any = None  # (name, x, args, kwargs): a method of one


call_recorder = _CallRecorder()


class KerasTensor(PassedOn):
    """The shape and dtype of what a layer makes of a `tf.keras.Input`.

    Layers and ops called on it, and Python's operators and slices, give further ones; `tf.keras.Model` makes a model
    of what lies between some of them. `_keras_history` tells the layer, which of its calls, and which of its outputs.

    TF: `tf.keras.__internal__.KerasTensor`; `name` is that of the layer, without the op.
    """

    # Tensors and NumPy arrays defer their operators to this class.
    _tf_operators_first = True
    __array_priority__ = 200
    __array_ufunc__ = None
    _keras_history: Any

    def __init__(self, shape, dtype, samples=None, mask_shape=None):
        self.shape, self.dtype = TensorShape(shape), dtype
        # If sizes alone determine the value: the value for each of the trial sizes that stand for unknown ones.
        self._samples = samples
        self._mask_shape, self._mask = mask_shape, None  # shape of its mask, None where it has none

    @property
    def name(self):
        """The name of the layer that made it."""
        return self._keras_history.layer.name

    @property
    def _keras_mask(self):
        """The mask of the value, as a KerasTensor; AttributeError if it has none."""
        if self._mask_shape is None:
            raise AttributeError("'KerasTensor' object has no attribute '_keras_mask'")
        if self._mask is None:
            self._mask = call_recorder.op((), mask_of, (self,), {})
        return self._mask

    @property
    def node(self):
        """The call that made it."""
        history = self._keras_history
        return history.layer._inbound_nodes[history.node_index]

    @property
    def _node(self):
        raise TypeError(_NO_VALUE.format(self))

    @property
    def type_spec(self) -> Any:
        """The spec of the value."""
        is_input = hasattr(self, "_keras_history") and self.node.is_input  # one for trials has no history
        return TensorSpec(self.shape, self.dtype, self.name if is_input else None)

    def like(self) -> Any:
        """A KerasTensor of the same value without history."""
        return KerasTensor(self.shape, self.dtype, self._samples, self._mask_shape)

    def leaves(self):
        """The KerasTensors that a stand-in for this one is made from: itself."""
        return [self]

    def get_shape(self):
        """The shape, as the attribute."""
        return self.shape

    def set_shape(self, shape):
        """Refines the shape; ValueError if it contradicts what is known."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Tensor's shape {self.shape} is not compatible with supplied shape {TensorShape(shape)}.")
        self.shape = self.shape.merge_with(shape)

    def _record_call(self, names, function, args, kwargs):
        return call_recorder.op(names, function, args, kwargs)

    def _record_slice(self, tensor, key):
        return call_recorder.slice(tensor, key)

    def _inferred(self):
        """The value as far as it is known, a list or number with None for what depends on unknown sizes; or None."""
        if self._samples is None:
            return None
        first, second = (sample.reshape(-1).tolist() for sample in self._samples)
        return [a if a == b else None for a, b in zip(first, second, strict=True)]

    def __repr__(self):
        return f"<KerasTensor: {self._described()} (created by layer '{self.name}')>"

    def _described(self):
        inferred = self._inferred()
        value = "" if inferred is None else f" inferred_value={inferred}"
        return f"shape={tuple(self.shape)} dtype={self.dtype.name}{value}"

    def __str__(self):
        return (
            f"KerasTensor(type_spec={self.type_spec!r}, name='{self.name}', "
            f"description=\"created by layer '{self.name}'\")"
        )

    def __len__(self):
        raise TypeError(_NO_VALUE.format(self))

    def __bool__(self):
        raise TypeError(_NO_VALUE.format(self))

    def __iter__(self):
        size: Any = self.shape[0] if self.shape.rank else None
        if size is None:
            raise TypeError("Cannot iterate over a Tensor with unknown first dimension.")
        return iter([self[i] for i in range(size)])

    def __array__(self, dtype=None, copy=None):
        raise TypeError(_NO_VALUE.format(self))

    def __hash__(self):
        raise TypeError(f"Tensors are unhashable (this tensor: {self}). Instead, use tensor.ref() as the key.")

    def ref(self):
        """A hashable reference; its `deref()` is this object."""
        return Reference(self)

    experimental_ref = ref

    def __deepcopy__(self, memo):
        return self

    def __getitem__(self, key):
        return call_recorder.slice(self, key)


def _operator(name, symbol, by_keyword=False, name_argument=True):
    """Binds `x op y`, and `y op x`, to the layer of a symbol, called as TF calls it."""

    def call(*operands):
        keywords = {"name": None} if name_argument else {}
        if by_keyword and len(operands) == 2:
            return call_recorder.symbol(symbol, (operands[0],), {"y": operands[1], **keywords})
        return call_recorder.symbol(symbol, operands, keywords)

    def forward(self, *others):
        return call(self, *others)

    def reflected(self, other):
        if not isinstance(other, KerasTensor):
            other = convert_to_tensor(other, dtype_hint=self.dtype)
        return call(other, self)

    forward.__name__, reflected.__name__ = f"__{name}__", f"__r{name}__"
    setattr(KerasTensor, f"__{name}__", forward)
    if name not in ("neg", "abs", "invert", "eq", "ne", "lt", "le", "gt", "ge"):
        setattr(KerasTensor, f"__r{name}__", reflected)


for _name, _symbol in {
    "add": "__operators__.add", "sub": "math.subtract", "mul": "math.multiply", "truediv": "math.truediv",
    "pow": "math.pow", "matmul": "linalg.matmul", "neg": "math.negative", "abs": "math.abs",
}.items():  # fmt: skip
    # The symbols that tf_keras records for operators; configurations name them.
    # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/layers/core/tf_op_layer.py
    _operator(_name, _symbol)
for _name, _symbol in {
    "floordiv": "compat.v1.floor_div", "mod": "math.floormod", "lt": "math.less", "le": "math.less_equal",
    "gt": "math.greater", "ge": "math.greater_equal", "invert": "math.logical_not",
}.items():  # fmt: skip
    _operator(_name, _symbol, by_keyword=True)
for _name, _symbol in {"and": "math.logical_and", "or": "math.logical_or", "xor": "math.logical_xor"}.items():
    _operator(_name, _symbol, by_keyword=True)
_operator("eq", "__operators__.eq", name_argument=False)
_operator("ne", "__operators__.ne", name_argument=False)


class Node:
    """One call of a layer on KerasTensors.

    Args:
      layer: the layer; the node is entered among its `inbound_nodes`.
      args, kwargs: of the call, the inputs first; none for the input of a model.
      outputs: KerasTensor, or structure of these and of what is no tensor; KerasTensors get their history here.
    """

    def __init__(self, layer, args=(), kwargs=None, outputs: Any = None):
        self.layer = self.outbound_layer = layer
        self.is_input = not args and not kwargs
        self.call_args = nest.map_structure(lambda x: x, tuple(args))
        self.call_kwargs = {key: nest.map_structure(lambda x: x, value) for key, value in (kwargs or {}).items()}
        self.outputs = nest.map_structure(lambda x: x, outputs)
        flat = nest.flatten((self.call_args, list(self.call_kwargs.values())))
        self.keras_inputs = [x for x in flat if isinstance(x, KerasTensor)]
        nodes = layer.__dict__.setdefault("_nodes_in", [])
        nodes.append(self)
        for x in self.keras_inputs:
            x._keras_history.layer.__dict__.setdefault("_nodes_out", []).append(self)
        for i, x in enumerate(nest.flatten(outputs)):
            if isinstance(x, KerasTensor):
                x._keras_history = KerasHistory(layer, len(nodes) - 1, i)

    @property
    def input_tensors(self) -> Any:
        """The first argument; a list of the outputs for the input of a model."""
        return [self.outputs] if self.is_input else self.call_args[0]

    @property
    def output_tensors(self) -> Any:
        """The outputs; a list of them for the input of a model."""
        return [self.outputs] if self.is_input else self.outputs

    @property
    def parent_nodes(self):
        """The calls that the inputs come from."""
        return [x.node for x in self.keras_inputs]

    @property
    def inbound_layers(self) -> Any:
        """The layers that the inputs come from, as a list; one alone as itself."""
        layers = [x._keras_history.layer for x in self.keras_inputs]
        return layers[0] if len(layers) == 1 else layers

    @property
    def input_shapes(self) -> Any:
        """The shapes of `input_tensors`, as tuples."""
        shapes: Any = nest.map_structure(int_shape, self.input_tensors)
        alone = isinstance(shapes, list) and len(shapes) == 1 and not self.is_input
        return shapes[0] if alone else shapes  # pyright: ignore

    @property
    def output_shapes(self) -> Any:
        """The shapes of `output_tensors`, as tuples."""
        return nest.map_structure(int_shape, self.output_tensors)

    def remove(self):
        """Forgets the call. Only the last one of a layer may go."""
        self.layer.__dict__["_nodes_in"].remove(self)
        for x in self.keras_inputs:
            nodes = x._keras_history.layer.__dict__["_nodes_out"]
            if self in nodes:
                nodes.remove(self)


def int_shape(x):
    """The shape as a tuple, None where it varies; None if the rank is not known."""
    shape = getattr(x, "shape", None)
    if shape is None or TensorShape(shape).rank is None:
        return None
    return tuple(TensorShape(shape).as_list())


def is_keras_tensor(x):
    """Whether `x` is a KerasTensor that a layer made.

    Raises:
      ValueError: `x` is no tensor.

    TF: `tf.keras.backend.is_keras_tensor`.
    """
    if not isinstance(x, KerasTensor | Tensor | Variable | CompositeTensor):
        raise ValueError(
            f"Unexpectedly found an instance of type `{type(x)}`. Expected a symbolic tensor instance."
        )
    return isinstance(x, KerasTensor)


def holds_symbols(values):
    """Whether there is a KerasTensor among values, or in lists, tuples and dicts among them."""
    for value in values:
        if isinstance(value, KerasTensor):
            return True
        if isinstance(value, list | tuple | dict) and holds_symbols(
            value.values() if isinstance(value, dict) else value
        ):
            return True
    return False
