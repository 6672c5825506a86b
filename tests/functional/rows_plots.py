"""Rows: models as graphs of pydot's."""

import re

from rows import raised, row


def shown(tf, model, **options):
    """The text of the graph, with nodes numbered as they come."""
    numbers = {}
    text = tf.keras.utils.model_to_dot(model, **options).to_string()
    return re.sub(r"\b\d{9,}\b", lambda found: f"node{numbers.setdefault(found[0], len(numbers))}", text)


def everything():
    return {f"show_{what}": True for what in ("shapes", "dtype", "layer_activations", "trainable")}


def nested(tf):
    """A model of models: Sequential, functional, and in a wrapper."""
    layers = tf.keras.layers
    inner = tf.keras.Sequential([layers.Dense(3, "relu", input_shape=(4,)), layers.Dropout(0.1)], name="inner")
    a = tf.keras.Input((4,), name="a")
    middle = tf.keras.Model(a, layers.Dense(3, name="d")(inner(a)), name="middle")
    b, c = tf.keras.Input((4,), name="b"), tf.keras.Input((5, 4), name="c")
    times = layers.Flatten(name="flat")(layers.TimeDistributed(inner, name="times")(c))
    sum_of = layers.Dense(3, name="sum")(layers.Concatenate(name="all")([middle(b), inner(b), times]))
    return tf.keras.Model([b, c], sum_of, name="outer")


@row
def models_of_layers(tf):
    layers = tf.keras.layers
    a, b = tf.keras.Input((4,), name="a"), tf.keras.Input((4,), name="b", dtype="float64")
    shared = layers.Dense(4, "tanh", name="shared", trainable=False)
    outputs = layers.LeakyReLU(name="leaky")(layers.Concatenate(name="both")([shared(a), shared(b)])) * 2.0
    model = tf.keras.Model([a, b], outputs, name="m")
    stack = tf.keras.Sequential([layers.Embedding(10, 4), layers.Bidirectional(layers.LSTM(3)), layers.Dense(1)])
    unknown = raised(lambda: tf.keras.utils.model_to_dot(stack))
    stack(tf.zeros((2, 5)))
    return [
        shown(tf, model), shown(tf, model, rankdir="LR", dpi=64, show_layer_names=False, **everything()), unknown,
        shown(tf, stack), shown(tf, stack, **everything()), shown(tf, stack, subgraph=True),
    ]  # fmt: skip


@row
def models_inside_models(tf):
    model = nested(tf)
    choices = {}, {"expand_nested": True}, {"expand_nested": True, **everything()}
    return [shown(tf, model, **options) for options in choices]


@row
def a_range_of_layers(tf):
    layers = tf.keras.layers
    stack = tf.keras.Sequential([layers.Dense(2, name=f"dense{i}") for i in range(5)])
    stack.build((None, 3))
    return [
        shown(tf, stack, layer_range=["dense1", "dense3"]), shown(tf, stack, layer_range=("dense[34]", "dense[01]")),
        *[raised(lambda r=r: tf.keras.utils.model_to_dot(stack, layer_range=r)) for r in (["x", "dense"], ["dense"])],
    ]  # fmt: skip


@row
def a_model_of_unknown_connections(tf):
    class Own(tf.keras.Model):
        def call(self, x):
            return x

    model = Own(name="own")
    model(tf.zeros((1, 3)))
    return shown(tf, model, show_shapes=True)
