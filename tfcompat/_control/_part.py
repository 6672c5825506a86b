"""Parts: Python functions captured as branches, conditions and bodies."""

import contextlib
import functools

from tfcompat import dtypes, engine, nest
from tfcompat._control._tensor_array import TensorArray
from tfcompat._core.convert import to_node
from tfcompat._core.shape import TensorShape
from tfcompat._core.steps import check_derivatives
from tfcompat._core.tensor import Tensor, wrap
from tfcompat._core.variable import Variable
from tfcompat._tracing import assertions, waiting
from tfcompat._tracing.assertions import REPORT
from tfcompat._tracing.effects import silent_derivatives
from tfcompat.engine import function_trace


def dtype_in(spec):
    """The dtype of a spec, or of what stands in its place."""
    # The attribute `dtype` of NumPy's types is no dtype.
    return dtypes.as_dtype(spec if isinstance(spec, type) else getattr(spec, "dtype", spec))


class _Reads:
    """A watcher that notes which variables are read."""

    def __init__(self):
        self.variables = {}

    def observe(self, call, inputs, outputs):
        """Ignores operations."""

    def variable_accessed(self, variable, node):
        """Notes the variable."""
        self.variables[id(variable)] = variable


class Part:
    """A Python function captured as a branch, a condition or a body.

    Args:
      function: function of the nest `arguments`, unpacked.
      arguments: list of nests of tensors, of which only the avals matter.
      is_branch: whether the function may return None, or None among tensors.

    Attributes:
      result: the nest that the function returns; `nodes` those of its tensors.
      assigned: dict from id to the variables assigned, `current` from id to the node of a variable's value at the end.
      doubts: `Doubts` of a call of it; None if nothing is checked in it.
    """

    def __init__(self, function, arguments=(), is_branch=False):
        trace = function_trace(engine.state.graph)
        reads, outer = _Reads(), engine.state.watchers
        with engine.Capture() as self.capture, contextlib.ExitStack() as stack:
            self.current, self.assigned = {}, {}
            if trace is not None:
                self.current, self.assigned = stack.enter_context(trace.part(self.capture.graph, is_branch))
            stack.enter_context(engine.watching((*engine.looking_inside(outer, stack), reads)))
            nodes = [to_node(x) for x in nest.flatten(arguments, expand_composites=True)]
            inner = [wrap(self.capture.placeholder(_untraced(node.aval))) for node in nodes]
            self._return(function(*nest.pack_sequence_as(arguments, inner, expand_composites=True)), is_branch)
            self.doubts = None
            if trace is not None:
                checks = assertions.finish(trace, self.capture.graph, self.nodes)
                self.doubts, _ = waiting.guard(
                    trace, self.capture.graph, checks, self.nodes, reads.variables, repeats=bool(arguments)
                )
        for variable in reads.variables.values():
            variable._as_node()  # outer tapes see the part as one operation, so they are told of the variables

    def _return(self, result, is_branch):
        self.result = result
        returned = nest.flatten(result, expand_composites=True)
        self.nodes = [to_node(x) for x in returned if x is not None or not is_branch]

    def then(self, function, is_branch=False):
        """Makes `function` of the result the result."""
        with self.capture:
            self._return(function(self.result), is_branch)
        if self.doubts is not None:
            self.doubts = self.doubts._replace(results=frozenset(range(len(self.nodes))))

    def avals(self, variables):
        """The avals of the nodes and of the final values of `variables`."""
        return [node.aval for node in (*self.nodes, *map(self.final, variables))]

    def final(self, variable):
        """The node of a variable's value at the end of the part."""
        node = self.current.get(id(variable))
        return variable._current_node() if node is None else node

    def report(self):
        """The node of the report of what is checked in the part; None if that is nothing."""
        return self.current[id(REPORT)] if id(REPORT) in self.assigned else self.capture.graph.report

    def operation(self, variables):
        """(operation, captures) of the nodes and the final values of `variables`."""
        return self.capture.operation([*self.nodes, *map(self.final, variables)], "Part")


def forms_of_arrays(results):
    """What those TensorArrays that differ in form among the nests `results` have in common.

    Returns:
      list with (TensorShape of the elements, whether the arrays have as many) for each leaf that is such an array,
      None for others; None if there are none.
    """
    forms = []
    for leaves in zip(*map(nest.flatten, results), strict=False):
        arrays = [x for x in leaves if isinstance(x, TensorArray)]
        differ = len(arrays) == len(leaves) and len({(x.written, x.known_size) for x in arrays}) > 1
        shape = functools.reduce(TensorShape.merge_with, [x.element_shape for x in arrays]) if differ else None
        forms.append((shape, len({x.known_size for x in arrays}) == 1) if differ else None)
    return forms if any(forms) else None


def with_alike_arrays(forms, result):
    """`result`, in which each TensorArray with a form in `forms` is held as one tensor."""
    pairs = zip(nest.flatten(result), forms, strict=True)
    return nest.pack_sequence_as(result, [x if form is None else x.in_form(*form) for x, form in pairs])


@contextlib.contextmanager
def trial():
    """A context whose operations and assignments are forgotten. Yields a Capture."""
    trace, outer = function_trace(engine.state.graph), engine.state.watchers
    with engine.Capture() as capture, contextlib.ExitStack() as stack:
        if trace is not None:
            stack.enter_context(trace.part(capture.graph))
        stack.enter_context(engine.watching(engine.looking_inside(outer, stack)))
        yield capture


def stand_in(value):
    """A tensor like `value` for a trial. Composites are returned unchanged."""
    if not isinstance(value, Tensor | Variable):
        return value
    with engine.Capture() as capture:
        return wrap(capture.placeholder(_untraced(to_node(value).aval)))


def row_of(tensor):
    """A stand-in for one row of a tensor."""
    aval = tensor._node.aval
    with engine.Capture() as capture:
        return wrap(capture.placeholder(engine.Aval(aval.shape[1:], aval.dtype)))


def _untraced(aval):
    return engine.Aval(aval.shape, aval.dtype) if aval.traced else aval


def quietly(fn, has_effects):
    """`fn`, without its effects in derivatives."""
    if not has_effects:
        return fn
    return silent_derivatives(fn)


def recorded(operation, inputs, avals):
    """The nodes of the results of an operation of control flow, a tuple."""
    if operation.step is None:
        return engine.apply_known(operation, inputs, avals)
    check_derivatives(operation.name, inputs, avals)
    return engine.record_step(operation, inputs, engine.TupleAval(avals))


def have_effects(variables):
    """Whether a part that assigns these variables prints or calls Python."""
    return any(getattr(v, "name", None) == "effects" and not isinstance(v, Variable) for v in variables)


def assign(variables, results, first, *parts):
    """Assigns variables what a call has given.

    Args:
      variables: list.
      results: nodes, all that the call has given.
      first: index of the value of the first variable.
      parts: Parts of which one was called, or one repeatedly.
    """
    trace, end = function_trace(engine.state.graph), first + len(variables)
    in_function = trace is not None and trace.graph is engine.state.graph
    for variable, node in zip(variables, results[first:end], strict=True):
        if variable is REPORT and not in_function:  # of a derivative, or of what is mapped: it has its own
            REPORT._take(node)
        else:
            trace.assign(variable, node, is_final=True)
    doubts = [part.doubts for part in parts if part.doubts is not None]
    if doubts and in_function:
        everything = frozenset([*range(first), *range(end, len(results))])
        trace.note_call(waiting.of_branches(doubts) if len(parts) > 1 else doubts[0]._replace(results=everything))


def place_of_report(variables):
    """The place of the report among the variables of a loop; None if it has none."""
    return next((k for k, variable in enumerate(variables) if variable is REPORT), None)


def split(captures, variables):
    """Separates captures of a loop that are values of `variables`, which come from its state, from the rest.

    Returns:
      (sources, rest): for each capture its place k in the state as ~k, or its place in `rest`.
    """
    places = {variable._current_node(): k for k, variable in enumerate(variables)}
    sources, rest = [], []
    for node in captures:
        if node in places:
            sources.append(~places[node])
        else:
            sources.append(len(rest))
            rest.append(node)
    return tuple(sources), rest


def chosen(sources, rest, values):
    return [values[~s] if s < 0 else rest[s] for s in sources]
