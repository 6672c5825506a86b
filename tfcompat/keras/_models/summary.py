"""The table that `Model.summary` prints."""

import re

from tfcompat.keras.callbacks._messages import print_message
from tfcompat.layers._layer import tracking as _tracking
from tfcompat.layers._layer.tracking import number_of_parameters

_UNITS = ("Byte", "KB", "MB", "GB", "TB", "PB")
_BREAKS = ("),", "},", "],", "',")


def print_summary(model, line_length, positions, print_fn, expand_nested, show_trainable, layer_range):
    """Prints the table; the arguments are those of `Model.summary`."""
    print_fn = print_fn or print_message
    relevant = None if _is_chain(model) else [node for nodes in model._nodes_by_depth.values() for node in nodes]
    line_length = line_length or (65 if relevant is None else 98)
    ends = list(positions or ((0.45, 0.85, 1.0) if relevant is None else (0.3, 0.6, 0.7, 1.0)))
    if ends[-1] <= 1:
        ends = [int(line_length * end) for end in ends]
    header = ["Layer (type)", "Output Shape", "Param #"]
    if relevant is not None:
        header.append("Connected to")
    if show_trainable:
        line_length += 11
        ends.append(line_length)
        header.append("Trainable")

    def print_row(fields, level=0):
        for line in _lines(fields, ends, level):
            print_fn(line)

    def print_rule(character, edges, width):
        print_fn("|" * edges + character * width + "|" * edges)

    def print_layer(layer, level, last):
        fields = [f"{layer.name} ({type(layer).__name__})", _output_shape(layer), _parameters(layer)]
        if relevant is not None:
            fields.append(_connections(layer, relevant))
        if show_trainable:
            fields.append("Y" if layer.trainable else "N")
        print_row(fields, level)
        inner = getattr(layer, "layers", None) if expand_nested else None
        if inner:
            print_rule("¯", level + 1, line_length - 2 * level - 2)
            for number, each in enumerate(inner, start=1):
                print_layer(each, level + 1, number == len(inner))
            print_rule("¯", level, line_length - 2 * level)
        elif not last:
            print_rule(" ", level, line_length - 2 * level)

    print_fn(f'Model: "{model.name}"')
    print_fn("_" * line_length)
    print_row(header)
    print_fn("=" * line_length)
    for layer in model.layers[slice(*places_in_range(model.layers, layer_range))]:
        print_layer(layer, 0, False)
    print_fn("=" * line_length)
    trainable, others = model.trainable_weights, model.non_trainable_weights
    for title, variables in (
        ("Total", trainable + others),
        ("Trainable", trainable),
        ("Non-trainable", others),
    ):
        print_fn(
            f"{title} params: {number_of_parameters(variables)} ({_readable(_size_in_bytes(variables))})"
        )
    print_fn("_" * line_length)


def _is_chain(model):
    """Whether each layer is called once, on the output of the one before; true of all but functional models."""
    by_depth = getattr(model, "_nodes_by_depth", None)
    if by_depth is None:
        return True
    if any(len(nodes) > 1 or len(nodes[0].keras_inputs) > 1 for nodes in by_depth.values()):
        return False
    return len({id(nodes[0].layer) for nodes in by_depth.values()}) == len(by_depth)


def _connections(layer, relevant):
    """Where the inputs of a layer come from: name, call and output."""
    return [
        "{}[{}][{}]".format(x._keras_history.layer.name, *x._keras_history[1:])
        for node in layer._inbound_nodes
        if any(node is each for each in relevant)
        for x in node.keras_inputs
    ]


def _size_in_bytes(variables):
    return sum((v.shape.num_elements() or 0) * v.dtype.size for v in _tracking.unique(variables))


def _readable(size):
    for unit in _UNITS[:-1]:
        if size < 1024:
            return f"{size:.2f} {unit}"
        size /= 1024
    return f"{size:.2f} {_UNITS[-1]}"


def _output_shape(layer):
    try:
        return layer.output_shape
    except AttributeError:
        return "multiple"


def _parameters(layer):
    return layer.count_params() if layer.built else "0 (unused)"


def _lines(fields, ends, level):
    """A row of the table as lines: fields too long for their column continue in the next line."""
    remaining = [str(field) for field in fields]
    last = len(ends) - 1
    while any(remaining):
        line = ""
        for column, end in enumerate(ends):
            start = ends[column - 1] if column else 0
            room = end - start - (0 if column == last else 3) - (level if column == 0 else 0)
            part = remaining[column][:room]
            breaks = [part.find(stop) + len(stop) for stop in _BREAKS if stop in part]
            if breaks:
                room = min(breaks)
                part = part[:room]
            if column == 0:
                line += "|" * level + " "
            line += part + ("" if column == last else "  ")
            remaining[column] = remaining[column][room:]
            line += " " * (end - len(line) - (level if column == last else 0))
        yield line + "|" * level


def places_in_range(layers, layer_range):
    """The places of the first layer that matches one pattern and after the last that matches the other; of all
    without patterns."""
    if not layer_range:
        return 0, len(layers)
    if len(layer_range) != 2 or not all(isinstance(pattern, str) for pattern in layer_range):
        raise ValueError(
            f"layer_range must be a list or tuple of length 2 with strings. Received: {layer_range}"
        )
    lower, upper = ([i for i, layer in enumerate(layers) if re.match(p, layer.name)] for p in layer_range)
    if not lower or not upper:
        raise ValueError(
            f"Passed layer_names do not match the layer names in the model. Received: {layer_range}"
        )
    return (min(upper), max(lower) + 1) if min(lower) > max(upper) else (min(lower), max(upper) + 1)
