"""The graph between inputs and outputs of a functional model: nodes by depth, layers in Keras's order."""

import collections

from tfcompat import nest
from tfcompat.layers._input import Input
from tfcompat.layers._symbolic.keras_tensor import KerasTensor, Node


def map_network(inputs, outputs):
    """The nodes and layers that lead from inputs to outputs.

    Args:
      inputs: list of KerasTensors of InputLayers.
      outputs: list of KerasTensors.

    Returns:
      (nodes by depth, a dict of lists, the outputs' depth being 0; list of layers, from the inputs on).

    Raises:
      ValueError: an output depends on an input that is not among `inputs`; two layers have one name.
    """
    # The depth of a layer is that of its deepest call, which decides the order of the layers and of their weights.
    # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/engine/functional.py
    nodes, order = _sorted(outputs)
    depth_of, layer_depth = {}, {}  # by id
    by_id = {}
    for node in reversed(nodes):
        by_id[id(node)] = node
        depth = max(depth_of.setdefault(id(node), 0), layer_depth.get(id(node.layer), 0))
        depth_of[id(node)] = layer_depth[id(node.layer)] = depth
        for parent in node.parent_nodes:
            by_id[id(parent)] = parent
            depth_of[id(parent)] = max(depth + 1, depth_of.get(id(parent), 0))
    layers = {id(node.layer): node.layer for node in nodes}
    # Inputs that no output depends on are part of the model all the same.
    for x in inputs:
        layer = x._keras_history.layer
        if id(layer) not in layer_depth:
            layers[id(layer)], layer_depth[id(layer)], order[id(layer)] = layer, 0, -1
            by_id[id(x.node)], depth_of[id(x.node)] = x.node, 0
    by_depth = collections.defaultdict(list)
    for key, depth in depth_of.items():
        by_depth[depth].append(by_id[key])
    in_order = sorted(layer_depth, key=lambda key: (-layer_depth[key], order[key]))
    in_order = [layers[key] for key in in_order]
    _check_connected(by_depth, inputs)
    counts = collections.Counter(layer.name for layer in in_order)
    for name, count in counts.items():
        if count > 1:
            raise ValueError(
                f'The name "{name}" is used {count} times in the model. All layer names should be unique.'
            )
    return dict(by_depth), in_order


def _sorted(outputs):
    """(nodes, each after those that it depends on; place of each layer, by id, in a walk from the outputs)."""
    nodes, done, order = [], set(), {}
    # A walk in depth without recursion: models may be deeper than Python's stack.
    for output in outputs:
        stack = [(output.node, None)]
        while stack:
            node, pending = stack.pop()
            if pending is None:
                if id(node) in done:
                    continue
                done.add(id(node))
                order.setdefault(id(node.layer), len(order))
                pending = iter([] if node.is_input else node.keras_inputs)
            following = next(pending, None)
            if following is None:
                nodes.append(node)
            else:
                stack += [(node, pending), (following.node, None)]
    return nodes, order


def _check_connected(by_depth, inputs):
    known = {id(x) for x in inputs}
    passed = []
    for depth in sorted(by_depth, reverse=True):
        for node in by_depth[depth]:
            if node.is_input:
                continue
            for x in node.keras_inputs:
                if id(x) not in known:
                    raise ValueError(
                        f'Graph disconnected: cannot obtain value for tensor {x} at layer "{node.layer.name}". '
                        f"The following previous layers were accessed without issue: {passed}"
                    )
            known.update(map(id, nest.flatten(node.outputs)))
            passed.append(node.layer.name)


def from_new_inputs(inputs, outputs):
    """Inputs and outputs of a copy of the nodes between them, with an `Input` for each that comes from another layer.

    The layers are the same; each gets the copy as one more call.

    Raises:
      ValueError: something is no KerasTensor; inputs and outputs are not connected.
    """
    nodes = _between(nest.flatten(inputs), nest.flatten(outputs))
    copies = {}

    def copied(x):
        if not isinstance(x, KerasTensor):
            return x
        if id(x) not in copies:
            copies[id(x)] = x.like()
            copies[id(x)]._keras_history = x._keras_history
        return copies[id(x)]

    def as_input(x):
        new = x if x.node.is_input else Input(batch_shape=tuple(x.shape.as_list()), dtype=x.dtype.name)
        copies[id(x)] = new
        return new

    new_inputs = nest.map_structure(as_input, inputs)
    new_outputs = nest.map_structure(copied, outputs)
    for node in nodes:
        Node(
            node.layer,
            nest.map_structure(copied, node.call_args),
            {key: nest.map_structure(copied, value) for key, value in node.call_kwargs.items()},
            nest.map_structure(copied, node.outputs),
        )
    return new_inputs, new_outputs


def _between(inputs, outputs):
    input_ids, reached = {id(x) for x in inputs}, set()
    waiting, nodes, seen = collections.deque(x.node for x in outputs), [], set()
    while waiting:
        node = waiting.popleft()
        if id(node) in seen:
            continue
        seen.add(id(node))
        nodes.append(node)
        for x in node.keras_inputs:
            if id(x) in input_ids:
                reached.add(id(x))
            elif x.node.is_input:
                raise ValueError(
                    "Found input tensor cannot be reached given provided output tensors. Please make sure the tensor "
                    f"{x} is included in the model inputs when building functional model."
                )
            else:
                waiting.append(x.node)
    if input_ids != reached:
        lost = [x for x in inputs if id(x) not in reached]
        raise ValueError(
            f"Found unvisited input tensors that are disconnected from the outputs: {lost}"
        )
    return nodes
