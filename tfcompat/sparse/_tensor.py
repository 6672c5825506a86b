"""`SparseTensor`: the elements of a tensor that are not zero, and where they stand."""

import collections

import jax.numpy as jnp
import numpy as np

from tfcompat import dtypes, engine
from tfcompat._core import graphs
from tfcompat._core.composite import CompositeTensor, handles
from tfcompat._core.convert import convert_to_tensor, host_constant, is_tensor, known_values, static_value
from tfcompat._core.op import NUMERIC, op
from tfcompat._core.shape import TensorShape, as_shape
from tfcompat._core.spec import TensorSpec, TypeSpec
from tfcompat._core.tensor import dtype_of
from tfcompat.array import cast
from tfcompat.array._arguments import is_known
from tfcompat.dtypes import as_dtype, float32, float64, int64
from tfcompat.math import reduce_prod

SparseTensorValue = collections.namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"])


def _unpickled(state):
    tensor = object.__new__(SparseTensor)
    vars(tensor).update(state)
    return tensor


class SparseTensor(CompositeTensor):
    """Elements of a tensor by their places; the others are zero.

    Args:
      indices: int64 tensor of shape `[n, rank]`, the places. Most functions want them in row-major order, see
        `tf.sparse.reorder`.
      values: tensor of shape `[n]`, any dtype.
      dense_shape: int64 tensor of shape `[rank]`.

    Raises:
      ValueError: shapes do not fit, or a tensor of another integer dtype.

    TF: `tf.sparse.SparseTensor`.
    """

    __module__ = "tensorflow.python.framework.sparse_tensor"  # by which Keras 3 knows it

    def __reduce__(self):
        return _unpickled, (vars(self),)

    def __new__(cls, *args, **kwargs):
        in_graph = graphs.process.entered and cls is SparseTensor and graphs.current() is not None
        return object.__new__(graphs.upstairs.sparse_tensor if in_graph else cls)

    def __init__(self, indices, values, dense_shape):
        try:
            self._indices = convert_to_tensor(indices, int64)
        except ValueError as error:
            raise ValueError(f"indices: {error}") from None
        self._values = convert_to_tensor(values)
        self._dense_shape = convert_to_tensor(dense_shape, int64)
        places = self._indices.shape.with_rank(2)
        count = self._values.shape.with_rank(1)
        rank = self._dense_shape.shape.with_rank(1)
        for mine, other in ((places[0], count[0]), (places[1], rank[0])):
            if mine != other:
                raise ValueError(f"Dimensions {mine} and {other} are not compatible")
        try:
            self._shape = TensorShape(list(static_value(self._dense_shape)))
        except engine.SymbolicValueError:
            self._shape = TensorShape([None] * rank[0])

    @classmethod
    def from_value(cls, sparse_tensor_value):
        """A SparseTensor of a `tf.compat.v1.SparseTensorValue`, or of another SparseTensor."""
        value = sparse_tensor_value
        if not isinstance(value, SparseTensor | SparseTensorValue):
            raise TypeError(f"{value!r} is not a SparseTensor or SparseTensorValue.")
        return cls(value.indices, value.values, value.dense_shape)

    indices = property(lambda self: self._indices, doc="int64 tensor of shape [n, rank]: the places.")
    values = property(lambda self: self._values, doc="Tensor of shape [n]: the elements.")
    dense_shape = property(lambda self: self._dense_shape, doc="int64 tensor of shape [rank].")
    shape = property(lambda self: self._shape, doc="TensorShape of the whole tensor.")
    dtype = property(lambda self: self._values.dtype, doc="DType of the elements.")
    rank = property(lambda self: self._shape.rank, doc="How many axes the whole tensor has.")

    @property
    def _type_spec(self):
        return SparseTensorSpec(self._shape, self.dtype)

    def get_shape(self):
        """The shape, as `SparseTensor.shape`."""
        return self._shape

    def set_shape(self, shape):
        """Adds what `shape` knows; ValueError where it contradicts."""
        merged = self._shape.merge_with(as_shape(shape))
        self._shape = merged

    def with_values(self, new_values):
        """The same places with other elements, a tensor of shape `[n]`."""
        return _like(self, convert_to_tensor(new_values))

    def consumers(self):
        """Operations that use this tensor: none are known, as in TF's eager mode."""
        raise AttributeError("SparseTensor.consumers is undefined when eager execution is enabled.")

    def __mul__(self, y):
        return _like(
            self, _times(self._values, convert_to_tensor(y, dtype_hint=self.dtype), self._indices, self.sizes())
        )

    def __rmul__(self, x):
        return self * x if is_tensor(x) else NotImplemented

    def __truediv__(self, y):
        other, values = convert_to_tensor(y, dtype_hint=self.dtype), self._values
        if self.dtype.is_integer:
            other = convert_to_tensor(other, self.dtype)  # a ValueError for another dtype, as in TF
            wide = float32 if self.dtype.size < 4 else float64
            values, other = cast(values, wide), cast(other, wide)
        return _like(self, _over(values, other, self._indices, self.sizes()))

    def _differentiable_part(self):
        return self._values

    def _with_differentiable_part(self, tensor):
        return _like(self, tensor)

    def sizes(self):
        """The sizes as a tuple of ints.

        Raises:
          tf.errors.UnimplementedError: they are not known while a function is traced.
        """
        if self._shape.is_fully_defined():
            return tuple(self._shape.as_list())
        return tuple(known_values(self._dense_shape, "give the dense_shape as a constant").tolist())

    def places(self):
        """The indices as a NumPy array.

        Raises:
          tf.errors.UnimplementedError: they are not known while a function is traced.
        """
        return known_values(self._indices, "call it outside, or with constant indices")

    def has_known_places(self):
        """Whether looking at the indices computes nothing."""
        return is_known(self._indices)

    def __str__(self):
        parts = {"indices": self._indices, "values": self._values, "dense_shape": self._dense_shape}
        return f"SparseTensor({', '.join(f'{name}={part!s}' for name, part in parts.items())})"

    __repr__ = __str__


def _like(sparse, values):
    return SparseTensor(sparse.indices, values, sparse.dense_shape)


def made(places, values, sizes):
    """A SparseTensor of NumPy indices, a tensor of values and sizes."""
    places = np.asarray(places, np.int64).reshape(len(places), len(sizes))
    return SparseTensor(host_constant(places), values, host_constant(np.array(sizes, np.int64)))


def as_sparse(value):
    """`value`, which must be a SparseTensor or its value; TypeError otherwise."""
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return value


def _dense_elements(dense, indices, sizes):
    return jnp.broadcast_to(dense, sizes)[tuple(jnp.moveaxis(indices, -1, 0))]


def _places_exist(kernel):
    def requires(values, dense, indices, sizes):
        holds = (indices >= 0) & (indices < np.asarray(sizes, np.int64))
        text = "Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape"
        return [engine.require(holds, f"{text} [Op:{kernel}] name: ")]

    return requires


@op("_sparse_dense_mul", kernel="SparseDenseCwiseMul", tensors=("values", "dense", "indices"), same=("values", "dense"),
    dtypes={"values": NUMERIC, "dense": NUMERIC}, requires=_places_exist("SparseDenseCwiseMul"))  # fmt: skip
def _times(values, dense, indices, sizes):
    return values * _dense_elements(dense, indices, sizes)


@op("_sparse_dense_div", kernel="SparseDenseCwiseDiv", tensors=("values", "dense", "indices"), same=("values", "dense"),
    dtypes={"values": NUMERIC, "dense": NUMERIC}, requires=_places_exist("SparseDenseCwiseDiv"))  # fmt: skip
def _over(values, dense, indices, sizes):
    divisor = _dense_elements(dense, indices, sizes)
    whole = jnp.issubdtype(values.dtype, jnp.integer)
    return values // divisor if whole else values / divisor


class SparseTensorSpec(TypeSpec):
    """What is known of a `tf.sparse.SparseTensor`.

    Args:
      shape: shape of the whole tensor, unknown if None.
      dtype: dtype of the values.

    TF: `tf.SparseTensorSpec`; no known difference.
    """

    __slots__ = ("_shape", "_dtype")

    def __init__(self, shape=None, dtype=float32):
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)

    shape = property(lambda self: self._shape, doc="TensorShape of the whole tensor.")
    dtype = property(lambda self: self._dtype, doc="DType of the values.")

    @property
    def value_type(self):
        return SparseTensor

    @property
    def _component_specs(self):
        rank = self._shape.rank
        return [TensorSpec([None, rank], int64), TensorSpec([None], self._dtype), TensorSpec([rank], int64)]

    def _to_components(self, value):
        if isinstance(value, SparseTensorValue):
            value = SparseTensor.from_value(value)
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, components):
        if all(isinstance(part, np.ndarray) for part in components):
            return SparseTensorValue(*components)
        if all(hasattr(part, "_node") or hasattr(part, "_as_node") for part in components):
            result = SparseTensor(*components)
            result._shape = result._shape.merge_with(self._shape)
            return result
        result = SparseTensor.__new__(SparseTensor)  # what stands for tensors, as specs in a signature
        result._indices, result._values, result._dense_shape = components
        result._shape = self._shape
        return result

    def _serialize(self):
        return self._shape, self._dtype

    def _batch(self, batch_size):
        return SparseTensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self):
        return SparseTensorSpec(self._shape[1:], self._dtype)

    def __repr__(self):
        return f"SparseTensorSpec({self._shape!r}, {self._dtype!r})"


_ELEMENTWISE = """
    abs negative sign square sqrt erf tanh sin asin sinh asinh tan atan atanh expm1 log1p
""".split()


@handles(
    *(f"tf.math.{name}" for name in _ELEMENTWISE), *(f"tf.{name}" for name in _ELEMENTWISE), "tf.identity", "tf.cast"
)
def _of_values(function, args, kwargs):
    """Functions that keep zeros: of the values only."""
    if not args or not isinstance(args[0], SparseTensor):
        return NotImplemented
    return _like(args[0], function(args[0].values, *args[1:], **kwargs))


@handles("tf.shape")
def _shape_of(function, args, kwargs, dtype=None):
    if len(args) != 1 or not isinstance(args[0], SparseTensor):
        return NotImplemented
    return cast(args[0].dense_shape, kwargs.get("out_type", dtypes.int32))


@handles("tf.rank")
def _rank_of(function, args, kwargs):
    if not isinstance(args[0], SparseTensor):
        return NotImplemented
    return convert_to_tensor(args[0].rank)


@handles("tf.size")
def _size_of(function, args, kwargs):
    if not isinstance(args[0], SparseTensor):
        return NotImplemented
    return cast(reduce_prod(args[0].dense_shape), kwargs.get("out_type", dtypes.int32))


def element_dtype(tensor):
    """The DType of a tensor or SparseTensor."""
    return tensor.dtype if isinstance(tensor, SparseTensor) else dtype_of(tensor._node)
