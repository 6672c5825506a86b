"""Which functions belong to libraries. They are neither converted nor copied."""

import sysconfig

# What tfcompat builds on. The standard library is recognized by its folder.
_BELOW = frozenset("tfcompat jax jaxlib malt numpy scipy".split())
_OF_TENSORFLOW = frozenset("mock matplotlib pandas PIL tensorflow tensorflow_probability keras tf_keras".split())
_STANDARD_LIBRARY = sysconfig.get_path("stdlib")


def is_of_a_library(function, asked_for=False):
    """Whether a Python function is none of the user's.

    Args:
      function: the Python function.
      asked_for: whether it is the function that a `tf.function` was made of, as libraries above TensorFlow make some.
    """
    module = function.__globals__.get("__name__") or ""
    package = module.partition(".")[0]
    if package in _BELOW or not asked_for and (package in _OF_TENSORFLOW or module.startswith("absl.logging")):
        return True
    file = function.__code__.co_filename
    return file.startswith(_STANDARD_LIBRARY) and "site-packages" not in file or file.startswith("<frozen ")
