"""tensorflow/python/ops/stateless_random_ops.py."""
from tfcompat.random import stateless_binomial as stateless_random_binomial  # noqa: F401
from tfcompat.random import stateless_categorical as stateless_categorical
from tfcompat.random import stateless_gamma as stateless_random_gamma  # noqa: F401
from tfcompat.random import stateless_normal as stateless_random_normal  # noqa: F401
from tfcompat.random import stateless_poisson as stateless_random_poisson  # noqa: F401
from tfcompat.random import stateless_truncated_normal as stateless_truncated_normal
from tfcompat.random import stateless_uniform as stateless_random_uniform  # noqa: F401
