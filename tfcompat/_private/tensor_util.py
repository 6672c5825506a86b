"""tensorflow/python/framework/tensor_util.py."""
import tfcompat as _tf

is_tensor = is_tf_type = _tf.is_tensor


def constant_value(tensor, partial=False):
    """The value of a tensor that is known now, as an array, else None."""
    return _tf.get_static_value(tensor, partial)


try_evaluate_constant = constant_value


def constant_value_as_shape(tensor):
    """The TensorShape that an integer vector names, with None for what is not known now."""
    if isinstance(tensor, _tf.TensorShape):
        return tensor
    value = _tf.get_static_value(tensor)
    if value is not None:
        return _tf.TensorShape([None if size == -1 else int(size) for size in value])
    return _tf.TensorShape([None] * tensor.shape[0])
