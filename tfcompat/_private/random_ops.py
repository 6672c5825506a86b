"""tensorflow/python/ops/random_ops.py."""
from tfcompat.errors import UnimplementedError
from tfcompat.random import normal as random_normal  # noqa: F401
from tfcompat.random import shuffle as random_shuffle  # noqa: F401
from tfcompat.random import uniform as random_uniform  # noqa: F401


def parameterized_truncated_normal(*args, **kwargs):
    """Refused: use `tf.random.stateless_parameterized_truncated_normal`."""
    raise UnimplementedError(
        None, None, "parameterized_truncated_normal: use tf.random.stateless_parameterized_truncated_normal"
    )
