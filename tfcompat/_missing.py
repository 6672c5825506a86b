"""What a namespace module answers when asked for a name it does not have."""


def missing(namespace, hints=None, otherwise=None):
    """A module `__getattr__` that names what is missing, and the way round it.

        __getattr__ = missing("tf.keras.optimizers", hints={"Adam": "a tf.Module with slots of its own"})

    Args:
      namespace: str, the module's public TF name.
      hints: dict from missing names to what to use in their place.
      otherwise: what to use in place of every other name, or None to say nothing of it.

    Returns:
      Function of a name, which raises AttributeError:
      `tf.foo.bar is not available in tfcompat: use <hint>`.
    """
    hints = dict(hints or {})

    def __getattr__(name):
        if name.startswith("__"):
            raise AttributeError(f"module {namespace!r} has no attribute {name!r}")
        instead = hints.get(name, otherwise)
        advice = f": use {instead}" if instead else ""
        raise AttributeError(f"{namespace}.{name} is not available in tfcompat{advice}", name=name)

    return __getattr__
