"""Mapping: `jax.vmap`, and a loop where an operation has no vectorized form."""

import jax


def vmapped(function, *arrays):
    """`function` applied to each row of `arrays`: to all at once if that is possible."""
    try:
        return jax.vmap(function)(*arrays)
    except NotImplementedError as error:
        # jax.export's calls have no batching rule (jax 0.10).
        if "call_exported" not in str(error):
            raise
    return jax.lax.map(lambda row: function(*row), arrays)
