"""LiteRT's interpreter of flatbuffers."""

from tfcompat.lite._errors import needed


def interpreter_class():
    """The class `Interpreter`.

    TF: `tf.lite.Interpreter`, which has moved to LiteRT.

    Raises:
      tf.errors.UnimplementedError: `ai-edge-litert` is not installed.
    """
    return runtime().Interpreter


def runtime():
    """The module of the interpreter."""
    with needed("ai_edge_litert"):
        from ai_edge_litert import interpreter
    return interpreter
