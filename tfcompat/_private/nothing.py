"""Modules that packages import for code that is rarely reached. Nothing in them works here."""


def register_codec(codec):
    """Takes a codec of saved structures; tfcompat's SavedModels do not use any."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"{name} is private to TensorFlow, and not available in tfcompat", name=name)
