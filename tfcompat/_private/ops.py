"""tensorflow/python/framework/ops.py and tensor_conversion.py."""
import tfcompat as _tf
from tfcompat._core.tensor import EagerTensor as EagerTensor
from tfcompat._core.tensor import SymbolicTensor as SymbolicTensor
from tfcompat._private.composite_tensor import CompositeTensor as _CompositeTensor

Tensor = _tf.Tensor
name_scope = _tf.name_scope
init_scope = _tf.init_scope
control_dependencies = _tf.control_dependencies
executing_eagerly_outside_functions = _tf.compat.v1.executing_eagerly_outside_functions
register_tensor_conversion_function = _tf.register_tensor_conversion_function
convert_to_tensor = convert_to_tensor_v2 = convert_to_tensor_v2_with_dispatch = _tf.convert_to_tensor


def convert_to_tensor_or_composite(value, dtype=None, name=None):
    """`value` itself if it is a composite tensor, else a tensor of it."""
    if isinstance(value, _CompositeTensor | _tf.SparseTensor | _tf.RaggedTensor | _tf.IndexedSlices):
        return value
    return _tf.convert_to_tensor(value, dtype, name=name)


def get_default_graph():
    """None: there are no graphs."""
    return None
