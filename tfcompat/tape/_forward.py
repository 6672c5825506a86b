"""`ForwardAccumulator`: forward-mode automatic differentiation."""
import contextlib

from tfcompat import engine, nest
from tfcompat._core.convert import to_node
from tfcompat._core.tensor import EagerTensor, Tensor, dtype_of, shape_of, wrap
from tfcompat._core.variable import ResourceVariable, Variable, variable_read
from tfcompat._package.logging import warn_first
from tfcompat.tape import _reverse
from tfcompat.tape._gradient_tape import UnconnectedGradients


class ForwardAccumulator:
    """Computes Jacobian-vector products as operations run.

    Args:
      primals: Tensor or Variable, or a nest of them, to be watched.
      tangents: nest like `primals` of the vectors; shapes and dtypes must match.

    Raises:
      ValueError: structures, shapes or dtypes do not match; a primal occurs twice.

    An accumulator entered inside another sees only the primal operations; the outer one also sees the inner one's
    JVPs. JVPs that nobody asks for are not computed.
    TF: `tf.autodiff.ForwardAccumulator`.
    """

    def __init__(self, primals, tangents):
        self._tangents = {}           # node -> tangent node
        self._variable_tangents = {}  # id of variable -> (variable, tangent node)
        self._recording = False
        self._around = None  # the watchers among which this was the last time,
        self._seeing = ()    # and those of them that see what it records
        nest.assert_same_structure(primals, tangents)
        seen = set()
        for primal, tangent in zip(nest.flatten(primals), nest.flatten(tangents), strict=True):
            if id(primal) in seen:
                raise ValueError(
                    f"Tensor {primal} was specified as a primal multiple times. This may indicate an error. If it was "
                    "intended, please sum the corresponding tangents."
                )
            seen.add(id(primal))
            self._watch(primal, tangent)

    def _watch(self, primal, tangent):
        if type(primal) is ResourceVariable and type(tangent) is EagerTensor:  # as a rule they fit
            moving, node = primal._current_node(), tangent._node
            if node.aval is moving.aval and primal.dtype.is_floating:
                self._variable_tangents[id(primal)] = (primal, node)
                self._tangents[moving] = node
                return
        primal = variable_read(primal)
        if not isinstance(primal, Tensor | Variable):
            primal = wrap(to_node(primal))
        if not primal.dtype.is_floating:
            warn_first(5, "The dtype of the watched primal must be floating (e.g. tf.float32), got %r", primal.dtype)
        of_variable = isinstance(primal, Variable)
        moving = primal._current_node() if of_variable else primal._node
        node = to_node(tangent, hint=primal.dtype)
        if node.aval is not moving.aval:
            if dtype_of(node) != primal.dtype:
                raise ValueError(
                    f"Tensor conversion requested dtype {primal.dtype.name} for Tensor with dtype "
                    f"{dtype_of(node).name}: {tangent!r}"
                )
            if not primal.shape.is_compatible_with(shape_of(node)):
                raise ValueError(f"Shapes {primal.shape} and {shape_of(node)} are incompatible")
        if of_variable:
            self._variable_tangents[id(primal)] = (primal, node)
        self._tangents[moving] = node

    def __enter__(self):
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        context = engine.state.context
        if not context.watchers:
            engine.next_iteration()
        context.watchers = (*context.watchers, self)
        self._recording = True
        return self

    def __exit__(self, typ, value, traceback):
        if not self._recording:
            raise ValueError("Accumulator is not recording.")
        context = engine.state.context
        context.watchers = tuple([w for w in context.watchers if w is not self])
        self._around, self._seeing = None, ()
        self._recording = False

    def observe(self, call, inputs, outputs):
        """Records the JVP of an operation with a moving input, seen by tapes and by accumulators around this one."""
        tangents = self._tangents
        if tangents.keys().isdisjoint(inputs):
            return
        moving = tuple([i for i, node in enumerate(inputs) if node in tangents and node.aval.inexact])
        if not moving:
            return
        connected = outputs
        if call.depends is not None:
            connected = _reverse.connected(call, inputs, outputs, {inputs[i] for i in moving})
            if not connected:
                return
        if type(call) is not engine.Call and all(node in tangents for node in outputs if node.aval.inexact):
            return  # a custom gradient, whose function's own operations have led here
        context = engine.state.context
        watchers = context.watchers
        if watchers is not self._around:
            mine = watchers.index(self)
            self._around = watchers
            self._seeing = tuple(
                [w for i, w in enumerate(watchers) if i < mine or not isinstance(w, ForwardAccumulator)]
            )
        context.watchers = self._seeing
        try:
            moved = [tangents[inputs[i]] for i in moving]
            if type(call) is engine.Call:
                result = engine.record(call.jvp(moving), (*inputs, *moved))
                result = result if type(result) is tuple else (result,)
            else:
                result = call.push_forward(inputs, outputs, moving, moved)
        finally:
            context.watchers = watchers
        for node, tangent in zip(outputs, result, strict=True):
            if node.aval.inexact and tangent is not None and node in connected:
                tangents[node] = tangent

    def moves(self, nodes):
        """Whether one of the nodes has a tangent."""
        return not self._tangents.keys().isdisjoint(nodes)

    def variable_accessed(self, variable, node):
        """A variable was read: its value moves as the variable does."""
        entry = self._variable_tangents.get(id(variable))
        if entry is not None:
            self._tangents[node] = entry[1]

    @contextlib.contextmanager
    def inside_a_part(self):
        """In the context a function, a loop's body or a branch is captured, where `jvp` may be called.

        The tangents of what is computed there are forgotten: to the code around it is one operation.
        """
        outer, self._tangents = self._tangents, dict(self._tangents)
        try:
            yield
        finally:
            self._tangents = outer

    def jvp(self, primals, unconnected_gradients=UnconnectedGradients.NONE):
        """The tangents of `primals`: Jacobian-vector products.

        Args:
          primals: Tensor or Variable, or a nest of them, computed while the accumulator was active.
          unconnected_gradients: UnconnectedGradients, for those that do not depend on the watched primals.

        Returns:
          Nest like `primals` of tensors of the same shapes, or None.
        """
        unconnected_gradients = UnconnectedGradients(unconnected_gradients)

        def tangent_of(primal):
            primal = variable_read(primal)
            if isinstance(primal, Variable):
                node = primal._current_node()
                entry = self._variable_tangents.get(id(primal))
                tangent = entry[1] if entry is not None else self._tangents.get(node)
            else:
                node = to_node(primal)
                tangent = self._tangents.get(node)
            if tangent is None and unconnected_gradients is UnconnectedGradients.ZERO:
                return wrap(_reverse.zeros_like(node))
            return None if tangent is None else wrap(tangent)

        return nest.map_structure(tangent_of, primals)

    @classmethod
    def _batch_accumulator(cls, primals, tangents):
        raise NotImplementedError("ForwardAccumulator._batch_accumulator is private in TF and not available here")
