"""Mapping: `jax.vmap`, and a loop where an operation has no vectorized form."""

import jax


def vmapped(function, *arrays):
    """`function` applied to each row of `arrays`: to all at once if that is possible."""
    try:
        return jax.vmap(function)(*arrays)
    except NotImplementedError as error:
        # The calls of jax.export have no batching rule: https://github.com/jax-ml/jax/issues/28327.
        if "call_exported" not in str(error):
            raise
    return jax.lax.map(lambda row: function(*row), arrays)
