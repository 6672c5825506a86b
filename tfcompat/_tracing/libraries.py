"""Which functions belong to libraries. They are neither converted nor copied."""

import sysconfig

_LIBRARIES = frozenset(
    # TensorFlow's, and those that tfcompat builds on. The standard library is recognized by its folder.
    "tfcompat jax jaxlib malt numpy scipy mock matplotlib pandas PIL".split()
    + "tensorflow tensorflow_probability keras tf_keras".split()
)
_STANDARD_LIBRARY = sysconfig.get_path("stdlib")


def is_of_a_library(function):
    """Whether a Python function is none of the user's."""
    module = function.__globals__.get("__name__") or ""
    if module.partition(".")[0] in _LIBRARIES or module.startswith("absl.logging"):
        return True
    file = function.__code__.co_filename
    return file.startswith(_STANDARD_LIBRARY) and "site-packages" not in file or file.startswith("<frozen ")
