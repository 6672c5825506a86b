"""Weights that are broadcast to values, as losses of version 1 take them."""
import tfcompat as _tf


def assert_broadcastable(weights, values):
    """Checks that `weights` is a scalar, or has the rank of `values`, with 1 or its size along each axis.

    Raises:
      ValueError: it is neither.
    """
    weights, values = _tf.convert_to_tensor(weights), _tf.convert_to_tensor(values)
    ours, theirs = weights.shape.as_list(), values.shape.as_list()
    prefix = "weights can not be broadcast to values."
    if ours and len(ours) != len(theirs):
        raise ValueError(
            f"{prefix} values.rank={len(theirs)}. weights.rank={len(ours)}. values.shape={values.shape}. "
            f"weights.shape={weights.shape}. Received weights={weights}, values={values}"
        )
    for i, (size, other) in enumerate(zip(ours, theirs, strict=False)):
        if size not in (1, other) and None not in (size, other):
            raise ValueError(
                f"{prefix} Mismatch at dim {i}. values.shape={theirs}, weights.shape={ours}. Received "
                f"weights={weights}, values={values}"
            )
    return _tf.no_op()


def broadcast_weights(weights, values):
    """`weights` in the shape of `values`, if `assert_broadcastable` allows it."""
    values = _tf.convert_to_tensor(values)
    weights = _tf.convert_to_tensor(weights, values.dtype)
    assert_broadcastable(weights, values)
    return _tf.broadcast_to(weights, _tf.shape(values))
