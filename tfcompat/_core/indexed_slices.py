"""`IndexedSlices`: a gradient of which all but some rows are zero."""
import jax.numpy as jnp
import numpy as np

from tfcompat import dtypes, engine
from tfcompat._core.convert import host_constant, static_value, to_node
from tfcompat._core.shape import TensorShape, as_shape
from tfcompat._core.spec import TensorSpec, TypeSpec
from tfcompat._core.tensor import wrap
from tfcompat._core.variable import READ
from tfcompat.dtypes import as_dtype

# Operations whose cotangent of input 0 is IndexedSlices: rule(call, inputs, cotangent) returns them, or None where the
# dense cotangent serves. Filled by the ops themselves.
SPARSE_GRADIENTS: dict = {}
# Operations whose cotangent is that of their result, IndexedSlices included.
PASSES_SLICES = {READ}


def _scatter_rows(values, indices, shape):
    return jnp.zeros(shape, values.dtype).at[indices].add(values)


_TO_DENSE = engine.Operation("UnsortedSegmentSum", _scatter_rows, ("shape",))


class IndexedSlices:
    """Rows `values` of a tensor at `indices` along axis 0; other rows are zero, repeated indices add up.

    Args:
      values: tensor of shape [n, ...].
      indices: integer tensor of shape [n].
      dense_shape: integer vector, the shape of the whole tensor; or None.

    TF: `tf.IndexedSlices`.
    """

    def __init__(self, values, indices, dense_shape=None):
        self._values, self._indices, self._dense_shape = values, indices, dense_shape

    values = property(lambda self: self._values, doc="Tensor of the rows.")
    indices = property(lambda self: self._indices, doc="Integer vector: where the rows belong.")
    dense_shape = property(lambda self: self._dense_shape, doc="Shape of the whole tensor, an integer vector; or None.")
    dtype = property(lambda self: self._values.dtype, doc="DType of the rows.")
    device = property(lambda self: self._values.device)
    name = property(lambda self: self._values.name)

    @property
    def shape(self):
        """TensorShape of the whole tensor; unknown without `dense_shape`."""
        if self._dense_shape is None:
            return TensorShape(None)
        return TensorShape(list(static_value(self._dense_shape)))

    @property
    def _type_spec(self):
        dense_shape_dtype = None if self._dense_shape is None else self._dense_shape.dtype
        return IndexedSlicesSpec(self.shape, self.dtype, self.indices.dtype, dense_shape_dtype, self.indices.shape)

    def get_shape(self):
        """The shape, as `IndexedSlices.shape`."""
        return self.shape

    def _as_node(self):
        if self._dense_shape is None:
            raise ValueError(
                f"Tensor conversion requested for IndexedSlices for argument without dense_shape: {self!r}"
            )
        shape = tuple(self.shape.as_list())
        return engine.apply(_TO_DENSE, (to_node(self._values), to_node(self._indices)), engine.attributes_of(shape))

    def _as_tensor(self):
        return wrap(self._as_node())

    def numpy(self):
        """The whole tensor as a NumPy array."""
        return self._as_tensor().numpy()

    def __neg__(self):
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __str__(self):
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape!s}"
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{shape})"

    def __repr__(self):
        return f"<tensorflow.python.framework.indexed_slices.IndexedSlices object at 0x{id(self):x}>"


class IndexedSlicesSpec(TypeSpec):
    """What is known of a `tf.IndexedSlices`.

    Args:
      shape: shape of the whole tensor.
      dtype: dtype of the values.
      indices_dtype: dtype of the indices.
      dense_shape_dtype: dtype of the dense shape; None if there is none.
      indices_shape: shape of the indices: how many slices there are.

    TF: `tf.IndexedSlicesSpec`; no known difference.
    """

    __slots__ = ("_shape", "_values_dtype", "_indices_dtype", "_dense_shape_dtype", "_indices_shape")

    def __init__(
        self,
        shape=None,
        dtype=dtypes.float32,
        indices_dtype=dtypes.int64,
        dense_shape_dtype=None,
        indices_shape=None,
    ):
        self._shape = as_shape(shape)
        self._values_dtype = as_dtype(dtype)
        self._indices_dtype = as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
        self._indices_shape = as_shape(indices_shape).with_rank(1)

    @property
    def value_type(self):
        return IndexedSlices

    @property
    def _component_specs(self):
        components = (
            TensorSpec(self._indices_shape.concatenate(self._shape[1:]), self._values_dtype),
            TensorSpec(self._indices_shape, self._indices_dtype),
        )
        if self._dense_shape_dtype is not None:
            components += (TensorSpec([self._shape.rank], self._dense_shape_dtype),)
        return components

    def _to_components(self, value):
        components = value.values, value.indices
        return components if value.dense_shape is None else (*components, value.dense_shape)

    def _from_components(self, components):
        return self.value_type(*components)

    def _serialize(self):
        return (
            self._shape,
            self._values_dtype,
            self._indices_dtype,
            self._dense_shape_dtype,
            self._indices_shape,
        )


def rows_of(values, indices, shape):
    """IndexedSlices from nodes and a static shape."""
    return IndexedSlices(wrap(values), wrap(indices), host_constant(np.array(shape, np.int32)))
