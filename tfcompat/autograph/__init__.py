"""`tf.autograph`: Python control flow over tensors becomes that of TensorFlow.

Inside `tf.function` conversion happens by itself. The source transformation is that of diastatic-malt, which is
imported with the first function that needs it.
"""

from tfcompat.autograph import experimental as experimental
from tfcompat.autograph._entry import conversion as _converter
from tfcompat.autograph._log import set_verbosity as set_verbosity


def to_graph(entity, recursive=True, experimental_optional_features=None):
    """The function or method `entity` with its control flow converted.

    Args:
      entity: Python function or method.
      recursive: whether functions that it calls are converted too.
      experimental_optional_features: `tf.autograph.experimental.Feature`, or a tuple of them.

    Returns:
      Function with the same parameters; of a method, one that takes the instance first.

    Raises:
      ValueError: `entity` is no Python function, as a `tf.function` is not: pass its `python_function`.

    TF: `tf.autograph.to_graph`.
    """
    converter = _converter()
    options = converter.options_of(experimental_optional_features, recursive, user_requested=True)
    return converter.converted_function(entity, options)


def to_code(entity, recursive=True, experimental_optional_features=None):
    """The converted source of a function, as text; see `to_graph`.

    TF: `tf.autograph.to_code`. The text differs in details.
    """
    converter = _converter()
    options = converter.options_of(experimental_optional_features, recursive, user_requested=True)
    return converter.converted_code(entity, options)


def trace(*args):
    """Prints its arguments while a function is traced. TF: `tf.autograph.trace`."""
    print(*args)
