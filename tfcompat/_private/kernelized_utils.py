"""tensorflow/python/keras/utils/kernelized_utils.py: kernels of pairs of rows."""
import tfcompat as _tf


def _to_matrix(u):
    if u.shape.rank not in (1, 2):
        raise ValueError(f"The input tensor should have rank 1 or 2. Given rank: {u.shape.rank}")
    return _tf.expand_dims(u, 0) if u.shape.rank == 1 else u


def _differences(x, y):
    x, y = _to_matrix(x), _to_matrix(y)
    if x.shape[1] != y.shape[1]:
        raise ValueError(
            "The outermost dimensions of the input tensors should match. "
            f"Given: {y.shape[1]} vs {x.shape[1]}."
        )
    return _tf.expand_dims(x, 1) - _tf.expand_dims(y, 0)


def inner_product(u, v):
    """The products of the rows of `u` with the rows of `v`."""
    return _tf.matmul(_to_matrix(u), _to_matrix(v), transpose_b=True)


def exact_gaussian_kernel(x, y, stddev):
    """`exp(-|u - v|**2 / (2 * stddev**2))` of each row of `x` and each of `y`, with the Euclidean norm."""
    return _tf.exp(-_tf.reduce_sum(_tf.square(_differences(x, y)), 2) / (2 * stddev * stddev))


def exact_laplacian_kernel(x, y, stddev):
    """`exp(-|u - v| / stddev)` of each row of `x` and each of `y`, with the sum of absolute values as norm."""
    return _tf.exp(-_tf.reduce_sum(_tf.abs(_differences(x, y)), 2) / stddev)
