"""Conditions on values inside a function being traced: what ops require, and what the program asserts.

The function carries a report (see `engine/conditions`), like the value of a variable: `REPORT`. As in TensorFlow, an
error comes when the rest of the function has been done: what does not depend on it is assigned, and what does, is not.
What depends on what is in `_tracing/waiting`.
"""

import functools

import jax
import numpy as np

from tfcompat import engine
from tfcompat._tracing.switch import Switch
from tfcompat.engine import conditions, function_trace
from tfcompat.errors import UnimplementedError

in_rows = Switch(False)  # whether the body of `tf.vectorized_map` is captured, which hands on its report


# What TensorFlow computes of a variable itself, not of its value: variables that are assigned later wait for it.
_OF_RESOURCES = frozenset(["GatherV2", "GatherNd"])


class Report:
    """The report of a thread, or of what is being captured, as one of the variables that a function assigns.

    Args:
      sites: of the conditions in a function that was loaded.
      at_once: whether a function that has assigned it waits for it, as one with assertions does.
    """

    trainable = False
    name = "report"
    _node = conditions.NO_REPORT

    def __init__(self, sites=(), at_once=False):
        conditions.sites.update(sites)
        self.at_once = at_once

    def _current_node(self):
        graph = engine.state.context.graph
        trace = _trace_of(graph) if graph.symbolic else None
        if not graph.symbolic:
            engine.meet()  # what takes a report takes that of all replicas which are before it
        return (graph.report or self._node) if trace is None else trace.read(REPORT)

    _as_node = _current_node

    def _take(self, node):
        graph = engine.state.context.graph
        trace = _trace_of(graph) if graph.symbolic else None
        if trace is not None:
            trace.asserts |= self.at_once
            trace.assign(REPORT, node)
            return
        graph.report = node
        if graph.symbolic:
            return
        if self.at_once:
            engine.value_of(node)
        else:
            conditions.look_if_ready(graph)


REPORT, AT_ONCE = Report(), Report(at_once=True)


def _trace_of(graph):
    """The function trace that `graph` belongs to; None for another graph that is captured, or of what is pending."""
    trace = function_trace(graph)
    return trace if trace is not None and trace.graph is graph else None


def _check_in_capture(call, inputs):
    """Records the check of a call that was just recorded, unless it is met by constants."""
    graph = engine.state.graph
    if _is_met(call, inputs):
        return
    k = len(graph.nodes) - 1
    while graph.nodes[k].call is not call:
        k -= 1
    _add(graph, call.check, inputs, graph.nodes[k])


def _add(graph, check, inputs, checked):
    with engine.watching(()):
        report = engine.record(check, (REPORT._current_node(), *inputs))
    trace = function_trace(graph)
    if trace is not None:
        trace.checks[report] = checked
        if checked is not None and checked.call.operation.name in _OF_RESOURCES:
            trace.touched[report] = [key for key, node in trace.current.items() if node is inputs[0]]
    REPORT._take(report)


def _is_met(call, inputs):
    """Whether a call's condition holds for all values of those inputs that are not constants."""
    if call.operation.requires_results:
        return False
    known = [node.value if type(node.value) is np.ndarray else None for node in inputs]
    if all(value is None for value in known):
        return False
    arrays = [
        jax.ShapeDtypeStruct(node.aval.shape, node.aval.dtype) if value is None else value
        for node, value in zip(inputs, known, strict=True)
    ]
    named = dict(zip(call.operation.attribute_names, call.attributes.values, strict=True))
    try:
        required = call.operation.requires(*arrays, **named)
        return all(isinstance(one.holds, np.ndarray | np.bool_) and bool(np.all(one.holds)) for one in required)
    except Exception:  # it needs the values that are not known
        return False


conditions.captured_checks_by(_check_in_capture)


def require(holds, message):
    """Makes the function being traced check that the bool scalar `holds` is true.

    Raises:
      tf.errors.UnimplementedError: values are unknown, but no function is being traced.
    """
    graph = engine.state.graph
    trace = _trace_of(graph)
    if trace is not None:
        trace.asserts = True
    elif not in_rows.value:
        raise UnimplementedError(
            None, None,
            f"values cannot be checked in a function that is mapped, recomputed or compiled as a whole: {message}",
        )  # fmt: skip
    _add(graph, *_assertion(holds, message), None)


def _assertion(holds, message):
    check = _ASSERT.bind(engine.attributes_of(message), (conditions.ABSENT, holds._node.aval))
    return check, (holds._node,)


_ASSERT = engine.Operation(
    "Assert", lambda report, holds, message: conditions.checked(report, [engine.require(holds, _escaped(message))]),
    ("message",), differentiable=False,
    infer=lambda attributes, avals: (conditions.ABSENT.shape, conditions.ABSENT.dtype),
)  # fmt: skip


def _escaped(message):
    return message.replace("{", "{{").replace("}", "}}")


# --- at the end of a trace, or of a branch or body in it ----------------------------------------------------------


def finish(trace, graph, outputs):
    """Leaves out checks of what `outputs` and assigned values do not need, as TensorFlow does not compute that.

    Returns:
      dict of the checks that are left: the node of each -> the node that is checked, or None.
    """
    checks = {node: trace.checks.pop(node) for node in graph.nodes if node in trace.checks}
    report = trace.current.get(id(REPORT))
    if not checks or report is None:
        return {}
    needed, stack = set(), [*outputs, *(each.node for each in trace.history)]
    stack += filter(None, map(functools.partial(handed_on_by, trace), graph.nodes))
    while True:
        while stack:
            node = stack.pop()
            if node.graph is graph and node not in needed and node not in checks:
                needed.add(node)
                stack.extend(node.inputs)
        # What a check needs is needed as well, if only by the checks of it.
        for check, node in checks.items():
            if check not in needed and (node is None or node in needed):
                needed.add(check)
                stack.extend(check.inputs[1:])
        if not stack:
            break
    kept = {}
    for node in graph.nodes:
        if not kept.keys().isdisjoint(node.inputs):
            node.inputs = tuple([kept.get(source, source) for source in node.inputs])
        if node in checks and node not in needed:
            kept[node] = node.inputs[0]
    trace.current[id(REPORT)] = report = kept.get(report, report)
    if report is trace.inputs[id(REPORT)][1] or report.graph is not graph:
        trace.assigned.pop(id(REPORT), None)
    return {node: checked for node, checked in checks.items() if node in needed}


def handed_on_by(trace, node):
    """The node of the call that hands on the report `node`: a branch, a loop, a function; None for other nodes."""
    if node in trace.reports and node.call is not None:
        if node.call.operation.name == "Pick":
            return node.inputs[0]
        if node.call.operation.name == "FirstBroken":
            return node.inputs[1].inputs[0]
    return None
