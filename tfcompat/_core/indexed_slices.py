"""`IndexedSlices`: a gradient that is zero but for some rows."""
import jax.numpy as jnp

from tfcompat import engine
from tfcompat._core.tensor import wrap

# Operations whose gradient with respect to input 0 is IndexedSlices: rule(call, inputs, cotangent) -> IndexedSlices,
# or None where the dense gradient serves. Filled by the ops themselves.
SPARSE_GRADIENTS: dict = {}
# Operations that hand IndexedSlices through unchanged.
PASSES_SLICES: set = set()


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
        from tfcompat._core.convert import static_value
        from tfcompat._core.shape import TensorShape

        if self._dense_shape is None:
            return TensorShape(None)
        return TensorShape(list(static_value(self._dense_shape)))

    @property
    def _type_spec(self):
        from tfcompat._core.spec import IndexedSlicesSpec

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
        from tfcompat._core.convert import to_node

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


def rows_of(values, indices, shape):
    """IndexedSlices from nodes and a static shape."""
    import numpy as np

    from tfcompat._core.convert import host_constant

    return IndexedSlices(wrap(values), wrap(indices), host_constant(np.array(shape, np.int32)))
