"""The loop of recurrent layers as one operation: it hands a state from row to row and collects outputs."""

from typing import Any

import jax

from tfcompat import engine
from tfcompat._control._part import Part, assign, chosen, have_effects, quietly, row_of, split
from tfcompat._core.convert import to_node
from tfcompat._core.structure import Structure
from tfcompat._core.tensor import dtype_of, shape_of, wrap


def recurrence(step, state, rows, reverse=False):
    """Captures a loop over the rows of tensors.

    Args:
      step: function of (list of state tensors, list of rows) to (list of outputs, list of next state tensors).
      state: list of tensors, the state at the start.
      rows: list of tensors with the same first dimension.
      reverse: whether to begin with the last row.

    Returns:
      (list of state tensors at the end, list of the outputs of all turns: one row for each of `rows`, in their order).

    Raises:
      TypeError, ValueError: a state tensor changes its dtype or shape.

    Gradient: of any order and in both modes; the values of all turns are kept.
    """
    part = Part(step, [state, [row_of(x) for x in rows]])
    outputs = len(part.nodes) - len(state)
    start_nodes = [to_node(x) for x in state]
    for a, b in zip(start_nodes, part.nodes[outputs:], strict=True):
        if a.aval.dtype != b.aval.dtype or a.aval.shape != b.aval.shape:
            kind = TypeError if a.aval.dtype != b.aval.dtype else ValueError
            raise kind(
                f"a state of the loop has shape {shape_of(a)} and dtype {dtype_of(a)!r}, but shape {shape_of(b)} and "
                f"dtype {dtype_of(b)!r} after one step"
            )
    variables = list(part.assigned.values())
    operation, captures = part.operation(variables)
    sources, rest = split(captures, variables)
    values = [v._current_node() for v in variables]
    loop = _recurring(
        operation, outputs, len(start_nodes), len(rows), len(variables), sources, reverse, have_effects(variables)
    )
    results: Any = engine.apply(loop, (*start_nodes, *values, *[x._node for x in rows], *rest))
    end_of_state = len(start_nodes) + len(variables)
    assign(variables, results, len(start_nodes), part)
    return [wrap(n) for n in results[: len(start_nodes)]], [wrap(n) for n in results[end_of_state:]]


@engine.made_once
def _recurring(operation, outputs, count, n_rows, n_variables, sources, reverse, has_effects):
    """The operation of (state..., variables..., rows..., captures...) to (state..., variables..., outputs...)."""

    def fn(*inputs):
        size = count + n_variables
        start, rows, rest = inputs[:size], inputs[size : size + n_rows], inputs[size + n_rows :]

        def turn(state, row):
            results = tuple(operation.fn(*state[:count], *row, *chosen(sources, rest, state[count:])))
            return results[outputs:], results[:outputs]

        last, columns = jax.lax.scan(turn, tuple(start), tuple(rows), reverse=reverse)
        return (*last, *columns)

    fn.structure = Structure(
        "recur", operation=operation, outputs=outputs, count=count, n_rows=n_rows, n_variables=n_variables,
        sources=sources, reverse=reverse,
    )  # fmt: skip
    return engine.Operation("While", quietly(fn, has_effects), conditional=operation.conditional)
