"""Pictures of models, by pydot."""

import importlib
import os
import sys
from typing import Any

from tfcompat import nest
from tfcompat.keras._models.functional import Functional
from tfcompat.keras._models.graph_network import map_network
from tfcompat.keras._models.sequential import Sequential
from tfcompat.keras._models.summary import places_in_range
from tfcompat.keras.callbacks._messages import print_message
from tfcompat.layers._layer.wrapper import Wrapper


def _pydot() -> Any:
    """The package that makes graphs, or None."""
    for name in ("pydot_ng", "pydotplus", "pydot"):
        try:
            return importlib.import_module(name)
        except ImportError:
            pass
    return None


def _can_draw():
    pydot = _pydot()
    if pydot is None:
        return False
    try:
        pydot.Dot().create()
    except (OSError, getattr(pydot, "InvocationException", OSError)):
        return False
    return True


def _check_built(model):
    if not model.built:
        raise ValueError(
            "This model has not yet been built. Build the model first by calling `build()` or by calling the model on "
            "a batch of data."
        )


def model_to_dot(model, show_shapes=False, show_dtype=False, show_layer_names=True, rankdir="TB", expand_nested=False,
                 dpi=96, subgraph=False, layer_range=None, show_layer_activations=False,
                 show_trainable=False):  # fmt: skip
    """The layers of a model and how they are connected, as a graph of pydot's.

    Args:
      model: a model that is built; one that is neither Sequential nor functional is a single node.
      show_shapes, show_dtype, show_layer_names, show_layer_activations, show_trainable: bools, what is written of each
        layer besides its class. "T" is a layer that is trainable, "NT" one that is not.
      rankdir: "TB" for a graph from top to bottom, "LR" from left to right.
      expand_nested: bool, whether the layers of models inside the model are shown, framed.
      dpi: dots per inch.
      subgraph: bool, whether the result is to be part of another graph.
      layer_range: two regular expressions, for the first and last layer that are shown; all by default. The layers
        between them must not depend on others.

    Returns:
      `pydot.Dot`, or `pydot.Cluster` with `subgraph`.

    Raises:
      ValueError: the model is not built, or no layer matches `layer_range`.
      ImportError: pydot is not installed.
      AssertionError: a layer shown depends on one that is not.

    TF: `tf.keras.utils.model_to_dot`. Where one of two nested models that follow each other is in a wrapper, TensorFlow
    leaves out an edge or draws it to nowhere.
    """
    _check_built(model)
    pydot = _pydot()
    if pydot is None:
        raise ImportError("You must install pydot (`pip install pydot`) for model_to_dot to work.")
    if subgraph:
        dot = pydot.Cluster(style="dashed", graph_name=model.name)
        dot.set("label", model.name)
        dot.set("labeljust", "l")
    else:
        dot = pydot.Dot()
        dot.set("rankdir", rankdir)
        dot.set("concentrate", True)
        dot.set("dpi", dpi)
        dot.set_node_defaults(shape="record")
    shown = {
        "show_shapes": show_shapes, "show_dtype": show_dtype, "show_layer_names": show_layer_names,
        "show_layer_activations": show_layer_activations, "show_trainable": show_trainable,
    }  # fmt: skip
    start, end = places_in_range(model.layers, layer_range)
    network = _network(model)
    if network is None:
        dot.add_node(pydot.Node(str(id(model)), label=model.name))
        return dot
    layers, nodes = network
    if not layer_range:
        end = len(layers)
    ends: Any = {}  # by the id of a layer: the nodes that edges lead to, and the one that they come from
    for layer in layers[start:end]:
        name, inner = str(id(layer)), None
        nested = layer.layer if isinstance(layer, Wrapper) else layer
        if expand_nested and isinstance(nested, Functional | Sequential):
            inner = model_to_dot(
                nested, rankdir=rankdir, expand_nested=True, subgraph=True, **shown
            )  # fmt: skip
            dot.add_subgraph(inner)
        if inner is None or nested is not layer:
            dot.add_node(pydot.Node(name, label=_label(layer, inner is not None, **shown)))
        ends[id(layer)] = [name], name
        if inner is not None:
            names = [node.get_name() for node in inner.get_nodes()]
            ends[id(layer)] = [*([name] if nested is not layer else []), names[0]], names[-1]

    def connect(source, target):
        if not dot.get_edge(source, target):
            dot.add_edge(pydot.Edge(source, target))

    for layer in layers[start + 1 if layer_range else 0 : end]:
        for node in layer._inbound_nodes:
            if id(node) not in nodes:
                continue
            for before in nest.flatten(node.inbound_layers):
                assert id(before) in ends, f"layer_range: {layer.name} depends on {before.name}, which is not in it"
                source = ends[id(before)][1]
                for target in ends[id(layer)][0]:
                    connect(source, target)
                    source = target
    return dot


def _network(model):
    """(layers, ids of their calls in the model), or None if it is not known how they are connected."""
    if isinstance(model, Sequential) and model._tensors() is not None:
        symbols = model._tensors()
        by_depth, _ = map_network([symbols[0]], [symbols[-1]])
        layers = [model._source, *model.layers]
    elif isinstance(model, Functional):
        by_depth, layers = model._nodes_by_depth, model.layers
    else:
        return None
    return layers, {id(node) for nodes in by_depth.values() for node in nodes}


def _label(layer, expanded, show_shapes, show_dtype, show_layer_names, show_layer_activations, show_trainable):
    """What is written of a layer: fields of a record of Graphviz's."""
    name, label = layer.name, type(layer).__name__
    if isinstance(layer, Wrapper) and not expanded:
        name, label = f"{name}({layer.layer.name})", f"{label}({type(layer.layer).__name__})"
    activation = getattr(layer, "activation", None)
    if show_layer_activations and activation is not None:
        named = getattr(activation, "name", None) or getattr(activation, "__name__", None) or activation
        label = f"{{{label}|{named}}}"
    if show_layer_names:
        label = f"{name}|{label}"
    if show_dtype:
        label = f"{label}|{'?' if layer.dtype is None else layer.dtype}"
    if show_shapes:
        before, after = (_shape(getattr(layer, which, "?")) for which in ("input_shape", "output_shape"))
        label = f"{{{label}}}|{{input:|output:}}|{{{{{before}}}|{{{after}}}}}"
    return f"{'T' if layer.trainable else 'NT'}|{label}" if show_trainable else label


def _shape(shape):
    return str(shape).replace("{", r"\{").replace("}", r"\}")


def plot_model(model, to_file="model.png", show_shapes=False, show_dtype=False, show_layer_names=True, rankdir="TB",
               expand_nested=False, dpi=96, layer_range=None, show_layer_activations=False,
               show_trainable=False):  # fmt: skip
    """Writes a picture of a model to a file.

    Args:
      model, show_shapes, show_dtype, show_layer_names, rankdir, expand_nested, dpi, layer_range,
        show_layer_activations, show_trainable: as for `model_to_dot`.
      to_file: path; its ending says the format, "png" by default.

    Returns:
      The picture, for IPython to show, where IPython is installed; else None.

    Raises:
      ValueError: the model is not built, or no layer matches `layer_range`.
      ImportError: pydot or Graphviz is not installed. In a notebook this is printed instead.

    TF: `tf.keras.utils.plot_model`; as `model_to_dot`.
    """
    _check_built(model)
    if not _can_draw():
        message = (
            "You must install pydot (`pip install pydot`) and install graphviz (see instructions at "
            "https://graphviz.gitlab.io/download/) for plot_model to work."
        )
        if "IPython.core.magics.namespace" not in sys.modules:
            raise ImportError(message)
        print_message(message)
        return None
    dot = model_to_dot(
        model, show_shapes, show_dtype, show_layer_names, rankdir, expand_nested, dpi, False, layer_range,
        show_layer_activations, show_trainable,
    )  # fmt: skip
    to_file = os.fspath(to_file)
    extension = os.path.splitext(to_file)[1][1:] or "png"
    dot.write(to_file, format=extension)
    if extension == "pdf":
        return None
    try:
        from IPython import display  # only notebooks have it
    except ImportError:
        return None
    return display.Image(filename=to_file)
