"""tensorflow/python/ops/distributions/util.py."""
import hashlib


def gen_new_seed(seed, salt):
    """Another seed that `seed` and the text `salt` determine; None for None."""
    if seed is None:
        return None
    return int(hashlib.md5(f"{seed}{salt}".encode(), usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"{name} is private to TensorFlow, and not available in tfcompat", name=name)
