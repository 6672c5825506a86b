"""tensorflow/python/ops/array_ops.py."""
import tfcompat as _tf


def prevent_gradient(input, message="", name=None):
    """`input`. Its derivative raises LookupError."""

    @_tf.custom_gradient
    def identity(x):
        def gradient(upstream):
            raise LookupError(f"Gradient explicitly disabled. Reason: {message}")

        return _tf.identity(x), gradient

    return identity(input)
