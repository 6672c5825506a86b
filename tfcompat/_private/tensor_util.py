"""tensorflow/python/framework/tensor_util.py."""
import tfcompat as _tf
from tfcompat._core.graphs import GraphTensor as _GraphTensor

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
    samples = tensor._result.samples if isinstance(tensor, _GraphTensor) else None
    if samples is not None:  # for two choices of the sizes that are not known
        return _tf.TensorShape([int(a) if a == b else None for a, b in zip(*samples, strict=True)])
    return _tf.TensorShape(None if tensor.shape[0] is None else [None] * tensor.shape[0])
