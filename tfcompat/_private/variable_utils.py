"""tensorflow/python/util/variable_utils.py."""
import tfcompat as _tf


def convert_variables_to_tensors(values):
    """A structure with the variables in it read."""
    return _tf.nest.map_structure(lambda x: _tf.convert_to_tensor(x) if isinstance(x, _tf.Variable) else x, values)
