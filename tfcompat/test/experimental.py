"""`tf.test.experimental`."""

import contextlib as _contextlib

import jax as _jax

from tfcompat import engine as _engine
from tfcompat._package.missing import missing as _missing


def sync_devices():
    """Waits until all that was called so far is computed.

    TF: `tf.test.experimental.sync_devices`; no known difference.
    """
    _engine.cut()
    for array in _jax.live_arrays():
        with _contextlib.suppress(Exception):  # deleted, or failed: whoever reads it is told
            array.block_until_ready()


__getattr__ = _missing("tf.test.experimental")
