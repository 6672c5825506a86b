"""Gradients registered by name for ops that have none of their own."""
import contextlib

from tfcompat import engine
from tfcompat._core.op import OPS
from tfcompat._core.tensor import dtype_of, wrap
from tfcompat.tape import _jacobian, _reverse, _walk
from tfcompat.tape._record import UnconnectedGradients, seed_of


class RegisterGradient:
    """Decorator that gives an op without a gradient one.

    Args:
      op_type: kernel name of the op, e.g. that given to `tfcompat.extend.op(kernel=...)`.

    The function gets `op`, with `inputs`, `outputs`, `type` and `get_attr(name)`, and the cotangent of each output; it
    returns one cotangent for each input.

    Raises:
      TypeError: `op_type` is not a string.
      KeyError: the op has a gradient already.

    TF: `tf.RegisterGradient`.
    """

    def __init__(self, op_type):
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f):
        _claim(self._op_type)
        _reverse.REGISTERED[self._op_type] = _as_rule(f)
        return f


def no_gradient(op_type):
    """Declares that the op `op_type` has no gradient: derivatives take its results for constants.

    Raises:
      TypeError: `op_type` is not a string.
      KeyError: the op has a gradient already.

    TF: `tf.no_gradient`.
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    _claim(op_type)
    _reverse.REGISTERED[op_type] = lambda call, inputs, outputs, cotangents: [None] * len(inputs)


def _claim(op_type):
    taken = op_type in _reverse.REGISTERED or any(
        f.operation.name == op_type and not f.spec.gradient_is_missing for f in OPS.values() if hasattr(f, "operation")
    )
    if taken:
        raise KeyError(f"Registering two gradient with name '{op_type}'! (Previous registration was in tfcompat)")
    _walk.forget()


class _Op:
    """What a registered gradient function sees of the op."""

    def __init__(self, call, inputs, outputs):
        self.type = self.name = call.operation.name
        self.inputs = [wrap(node) for node in inputs]
        self.outputs = [wrap(node) for node in outputs]
        self._attributes = dict(zip(call.operation.attribute_names, call.attributes.values, strict=True))

    def get_attr(self, name):
        """The static argument `name` of the op."""
        with contextlib.suppress(KeyError):
            return self._attributes[name]
        raise ValueError(f"Operation '{self.type}' has no attr named '{name}'.")


def _as_rule(f):
    def rule(call, inputs, outputs, cotangents):
        from tfcompat._core.convert import to_node

        filled = [
            _reverse.zeros_like(node) if g is None else g for node, g in zip(outputs, cotangents, strict=True)
        ]
        grads = f(_Op(call, inputs, outputs), *[wrap(g) for g in filled])
        grads = list(grads) if isinstance(grads, list | tuple) else [grads]
        if len(grads) != len(inputs):
            raise ValueError(
                f"Num gradients {len(grads)} generated for op {call.operation.name} do not match num inputs "
                f"{len(inputs)}"
            )
        return [None if g is None else g if type(g) is _reverse.IndexedSlices else to_node(g) for g in grads]

    return rule


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
    from tfcompat import nest
    from tfcompat._core.convert import to_node
    from tfcompat._core.variable import Variable
    from tfcompat.function import inside_function

    graph = engine.state.graph
    if not graph.symbolic:
        where = "in a tf.function that runs as plain Python" if inside_function() else "when eager execution is enabled"
        raise RuntimeError(f"tf.gradients is not supported {where}. Use tf.GradientTape instead.")
    targets = [wrap(to_node(y)) for y in nest.flatten(ys)]
    given = [None] * len(targets) if grad_ys is None else nest.flatten(grad_ys)
    if len(given) != len(targets):
        raise ValueError(f"Length mismatch. Passed {len(given)} grad_ys for {len(targets)} ys")
    seeds = []
    for target, g in zip(targets, given, strict=True):
        cotangent = None if g is None else to_node(g, hint=target.dtype)
        if cotangent is not None and dtype_of(cotangent) != target.dtype:
            raise TypeError(f"tf.gradients: grad_ys must have the dtypes of ys, {target.dtype!r}, got {g!r}")
        if (seed := seed_of(target, cotangent)) is not None:
            seeds.append((target._node, _reverse.ones_like(target._node) if cotangent is None else seed[1]))
    stopped = {to_node(x) for x in nest.flatten(stop_gradients or [])}
    sources = nest.flatten(xs)
    nodes = [x._current_node() if isinstance(x, Variable) else to_node(x) for x in sources]
    records = [r for r in _records_of(graph) if not stopped.intersection(r[2])]
    found = _reverse.backward(records, seeds, set(nodes))
    zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
    results = []
    for node in nodes:
        cotangent = found.get(node)
        if cotangent is None and zero:
            cotangent = _reverse.zeros_like(node)
        is_plain = cotangent is None or type(cotangent) is _reverse.IndexedSlices
        results.append(cotangent if is_plain else wrap(cotangent))
    return results


def rows_of(slope, x):
    """The jacobian of `slope`, a tensor of the shape of `x`, inside the function being traced."""
    from tfcompat._core.convert import to_node
    from tfcompat._core.variable import Variable

    target = slope._node
    node = x._current_node() if isinstance(x, Variable) else to_node(x)
    (rows,) = _jacobian.jacobian(_records_of(engine.state.graph), target, [[node]], None)
    if rows is None:
        shape = target.aval.shape
        return wrap(engine.apply(_reverse._ZEROS, (), engine.attributes_of(shape + shape, target.aval.dtype)))
    return wrap(rows)


def _records_of(graph):
    """What a tape would have recorded of everything in a graph."""
    parts: dict = {}
    for node in graph.nodes:
        if type(node.call) is not engine.Call:
            parts.setdefault(node.inputs[0], []).append(node)
    records = []
    for node in list(graph.nodes):
        if type(node.call) is engine.Call and node.call.differentiable:
            records.append((node.call, node.inputs, tuple(parts.get(node, (node,)))))
    return records
