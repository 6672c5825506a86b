"""Variables of layers that compute in one dtype and store another: mixed precision."""

import contextlib

from tfcompat import engine
from tfcompat._core.tensor import text_of, wrap
from tfcompat._core.variable import ResourceVariable
from tfcompat.array import cast, gather
from tfcompat.engine import function_trace
from tfcompat.layers._layer.call_context import call_context


class AutoCastVariable(ResourceVariable):
    """A floating variable that is read in the compute dtype of the layer being called.

    Outside of calls it is an ordinary variable: optimizers, regularizers and files see the dtype it is stored in,
    and gradients have that dtype.

    TF: what `Layer.add_weight` makes under a mixed-precision policy.
    """

    def _dtype_read(self):
        layer = call_context.current[0]
        if layer is None:
            return self._dtype
        dtype = layer._compute_dtype_object
        return dtype if dtype.is_floating else self._dtype

    dtype = property(lambda self: self._dtype_read(), doc="DType of the values as they are read here.")  # pyright: ignore
    true_dtype = property(lambda self: self._dtype, doc="DType of the values as they are stored.")

    def _as_node(self):
        node = super()._as_node()
        dtype = self._dtype_read()
        if dtype is self._dtype:
            return node
        return cast(wrap(node), dtype)._node

    def sparse_read(self, indices, name=None):
        """The rows at `indices`, in the dtype of the layer being called."""
        dtype = self._dtype_read()
        with stored():
            rows = gather(self, indices)
        return rows if dtype is self._dtype else cast(rows, dtype)

    def numpy(self):
        """The stored value as a NumPy array."""
        return wrap(ResourceVariable._as_node(self)).numpy()

    def __repr__(self):
        start = f"<AutoCastVariable '{self.name}' shape={self.shape} dtype={self._dtype.name} "
        start += f"dtype_to_cast_to={self.dtype.name}"
        if function_trace(engine.state.graph) is not None:
            return start + ">"
        return f"{start}, numpy={text_of(wrap(self._as_node()), repr_=True)}>"


@contextlib.contextmanager
def stored():
    """A context in which variables are read in the dtype that they are stored in."""
    outer = call_context.current
    call_context.current = (None, outer[1])
    try:
        yield
    finally:
        call_context.current = outer
