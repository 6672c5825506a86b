"""`convert_variables_to_constants_v2`: a concrete function with the values of its variables as constants."""

from tfcompat.compat._graph_defs import with_constants
from tfcompat.compat._graph_import import import_graph_def
from tfcompat.compat._wrapped import wrap_function
from tfcompat.errors import UnimplementedError


def convert_variables_to_constants_v2(func, lower_control_flow=True, aggressive_inlining=False):
    """A function of the same tensors, whose graph has constants in the place of variables.

    Args:
      func: concrete function.
      lower_control_flow, aggressive_inlining: of no effect: branches and loops stay functions.

    Returns:
      Function with `inputs`, `outputs`, and a `graph` whose GraphDef is all there is of it.

    Raises:
      tf.errors.UnimplementedError: the function takes text or tensors of unknown rank, or assigns variables.

    TF: `convert_variables_to_constants_v2` of `tensorflow.python.framework.convert_to_constants`.
    """
    graph = func.graph
    try:
        values = {name: variable.numpy() for name, variable in graph.captured.items()}
        graph_def = with_constants(graph.as_graph_def(), values)
    except ValueError as error:
        raise UnimplementedError(None, None, f"convert_variables_to_constants_v2: {func.name}: {error}") from error
    held = set(values)
    inputs = [spec.name for spec in graph.inputs if spec.name.partition(":")[0] not in held]
    wrapped = wrap_function(lambda: import_graph_def(graph_def, name=""), [])
    frozen = wrapped.prune(inputs, [spec.name for spec in graph.outputs], name=func.name)
    frozen.graph.exported = None
    return frozen
