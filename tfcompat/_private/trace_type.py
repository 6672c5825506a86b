"""tensorflow/core/function/trace_type: how functions see their arguments."""


class Serializable:
    """Base of types that can be written to a file; nothing here asks them to."""


def register_serializable(cls):
    """Nothing to be done: functions are not written with types of the user's."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"{name} is private to TensorFlow, and not available in tfcompat", name=name)
