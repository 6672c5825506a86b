"""Control flow that is carried out in Python, on nodes or on arrays, where it is not part of a program."""

import numpy as np

from tfcompat import array, engine
from tfcompat._core.steps import check_derivatives
from tfcompat._core.symbolic_sizes import NeedsValues, new_symbols
from tfcompat._core.tensor import wrap
from tfcompat.engine import function_trace
from tfcompat.errors import InvalidArgumentError


def in_python(turns):
    """The step of an operation of control flow: computes nodes from nodes. While they are unknown, it waits.

    Args:
      turns: see `engine.Operation`.
    """

    def played(call, nodes):
        if engine.state.graph.symbolic and any(node.value is None and node.graph.symbolic for node in nodes):
            return engine.recorded_again(call, nodes)
        if engine.plays(nodes):
            return engine.played_on_host(turns, nodes)
        return tuple(turns(engine.called, *nodes))

    return played


def known(value):
    """The array of what `turns` computes with: a node, or an array."""
    return engine.array_of(value) if isinstance(value, engine.Node) else value


def is_true(value):
    """Whether the value of a node, or an array, is true."""
    return bool(known(value).reshape(()))


def with_row(rows, index, value):
    """`rows` with `value` as the row at `index`, which may be behind the last one; rows between are zeros.

    It is recorded where a function is traced in which sizes may depend on values.
    """
    nodes = rows._node, index._node, value._node
    (shape,) = new_symbols([("size", *value._node.aval.shape)])
    aval = engine.Aval(shape, rows._node.aval.dtype)
    check_derivatives("TensorListSetItem", nodes, [aval])
    function_trace(engine.state.graph).sizes_by_values = True
    (node,) = engine.record_step(_WITH_ROW, nodes, aval)
    return wrap(node)


def _with_row(called, rows, index, value):
    place = int(known(index))
    if place < 0:
        raise InvalidArgumentError(None, None, f"Trying to modify element {place} in a list [Op:TensorListSetItem]")
    if isinstance(rows, engine.Node):
        table = wrap(rows)
        missing = place + 1 - table.shape[0]
        if missing > 0:
            table = array.concat([table, array.zeros([missing, *table.shape[1:]], table.dtype)], 0)
        return [array.tensor_scatter_nd_update(table, [[place]], array.expand_dims(wrap(value), 0))._node]
    result = np.zeros((max(len(rows), place + 1), *rows.shape[1:]), rows.dtype)
    result[: len(rows)] = rows
    result[place] = value
    return [result]


def _not_compiled(*arrays):
    raise NeedsValues(None, None, "a tf.TensorArray that grows cannot be part of a program of XLA")


_WITH_ROW = engine.Operation("TensorListSetItem", _not_compiled, step=in_python(_with_row), turns=_with_row)
