"""`tf.gradients` and `tf.hessians`: derivatives of what the function being traced has recorded, without a tape."""

from tfcompat import engine, nest
from tfcompat._core import graphs
from tfcompat._core.convert import convert_to_tensor, to_node
from tfcompat._core.tensor import dtype_of, wrap
from tfcompat._core.variable import Variable
from tfcompat._tracing.eagerly import inside_function
from tfcompat.tape import UnconnectedGradients, _jacobian, _reverse
from tfcompat.tape._gradient_tape import seed_of


def gradients(ys, xs, grad_ys=None, name="gradients", gate_gradients=False, aggregation_method=None,
              stop_gradients=None, unconnected_gradients=UnconnectedGradients.NONE):  # fmt: skip
    """Derivatives of the sum of `ys` with respect to `xs`, inside a function being traced.

    Args:
      ys: tensor or list of tensors.
      xs: tensor or list of tensors.
      grad_ys: cotangents of `ys`, one for each; ones by default, and for None.
      name, gate_gradients, aggregation_method: accepted; XLA decides.
      stop_gradients: tensors taken for constants.
      unconnected_gradients: tf.UnconnectedGradients.

    Returns:
      List with a tensor or None for each of `xs`.

    Raises:
      RuntimeError: called eagerly; use tf.GradientTape.
      ValueError: `grad_ys` are not as many as `ys`, or of other shapes.
      TypeError: they are of other dtypes.

    TF: `tf.gradients`.
    """
    if graphs.current() is not None:
        return graphs.upstairs.gradients(ys, xs, grad_ys, stop_gradients, unconnected_gradients, name)
    graph = engine.state.graph
    if not graph.symbolic:
        where = "in a tf.function that runs as plain Python" if inside_function() else "when eager execution is enabled"
        raise RuntimeError(f"tf.gradients is not supported {where}. Use tf.GradientTape instead.")
    targets = [wrap(to_node(y)) for y in nest.flatten(ys)]
    cotangents_of_targets = [None] * len(targets) if grad_ys is None else nest.flatten(grad_ys)
    if len(cotangents_of_targets) != len(targets):
        raise ValueError(f"Length mismatch. Passed {len(cotangents_of_targets)} grad_ys for {len(targets)} ys")
    seeds = []
    for target, g in zip(targets, cotangents_of_targets, strict=True):
        cotangent = None if g is None else to_node(g, hint=target.dtype)
        if cotangent is not None and dtype_of(cotangent) != target.dtype:
            raise TypeError(f"tf.gradients: grad_ys must have the dtypes of ys, {target.dtype!r}, got {g!r}")
        if (seed := seed_of(target, cotangent)) is not None:
            seeds.append((target._node, _reverse.ones_like(target._node) if cotangent is None else seed[1]))
    stopped = {to_node(x) for x in nest.flatten(stop_gradients or [])}
    sources = nest.flatten(xs)
    nodes = [x._current_node() if isinstance(x, Variable) else to_node(x) for x in sources]
    records = [r for r in _records_of(graph) if not stopped.intersection(r[2])]
    cotangents = _reverse.backward(records, seeds, set(nodes))
    zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
    results = []
    for node in nodes:
        cotangent = cotangents.get(node)
        if cotangent is None and zero:
            cotangent = _reverse.zeros_like(node)
        is_plain = cotangent is None or type(cotangent) is _reverse.IndexedSlices
        results.append(cotangent if is_plain else wrap(cotangent))
    return results


def hessians(ys, xs, gate_gradients=False, aggregation_method=None, name="hessians"):
    """Second derivatives of the sum of `ys`, inside a function being traced.

    Args:
      ys: tensor or list of tensors.
      xs: tensor or list of tensors.
      gate_gradients, aggregation_method, name: accepted; XLA decides.

    Returns:
      List of tensors of shape `x.shape + x.shape`.

    Raises:
      RuntimeError: called eagerly; use tf.GradientTape.

    TF: `tf.hessians`; no known difference.
    """
    result = []
    for x in xs if isinstance(xs, list | tuple) else [xs]:
        (slope,) = gradients(ys, [x], unconnected_gradients="zero")
        result.append(_rows_of(convert_to_tensor(slope), x))
    return result


def _rows_of(slope, x):
    """The jacobian of `slope`, a tensor of the shape of `x`, inside the function being traced."""
    target = slope._node
    node = x._current_node() if isinstance(x, Variable) else to_node(x)
    (rows,) = _jacobian.jacobian(_records_of(engine.state.graph), target, [[node]], None)
    if rows is None:
        shape = target.aval.shape
        return wrap(engine.apply(_reverse._ZEROS, (), engine.attributes_of(shape + shape, target.aval.dtype)))
    return wrap(rows)


def _records_of(graph):
    """What a tape would have recorded of everything in a graph, and in those around it, whose nodes a body may use."""
    nodes: list = []
    while graph is not None and graph.symbolic:
        nodes[:0] = graph.nodes
        graph = graph.parent
    parts: dict = {}
    for node in nodes:
        if type(node.call) is not engine.Call:
            parts.setdefault(node.inputs[0], []).append(node)
    return [
        (node.call, node.inputs, tuple(parts.get(node, (node,))))
        for node in nodes if type(node.call) is engine.Call and node.call.differentiable
    ]  # fmt: skip
