"""tensorflow/python/framework/smart_cond.py."""
import tfcompat as _tf


def smart_constant_value(pred):
    """The value of a condition as a bool; None where it is known only when the function runs.

    Raises:
      TypeError: `pred` is no bool, 0, 1 or tensor.
    """
    if not _tf.is_tensor(pred):
        if pred in (0, 1):
            return bool(pred)
        raise TypeError(
            "Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. "
            f"Received: pred={pred} of type {type(pred).__name__}"
        )
    value = _tf.get_static_value(pred)
    return None if value is None else bool(value)


def smart_cond(pred, true_fn=None, false_fn=None, name=None):
    """`true_fn()` or `false_fn()`; `tf.cond` where the condition is known only when the function runs."""
    for function in (true_fn, false_fn):
        if not callable(function):
            raise TypeError(f"Argument `true_fn` and `false_fn` must be callable. Received: {function}")
    value = smart_constant_value(pred)
    if value is None:
        return _tf.cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    return true_fn() if value else false_fn()
