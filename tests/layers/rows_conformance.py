"""Row: what every exported layer keeps to: dtype policies, masks, and batches without elements."""

import re

import numpy as np
from rows import row

from ._cases import first_cases


def _prepared(tf):
    """(name, layer, inputs) of each layer that prepares data."""
    layers = tf.keras.layers
    words, numbers = np.array([["a", "b"], ["c", "a"]]), np.array([[0, 1], [2, 1]])
    pictures = np.arange(72, dtype="float32").reshape(2, 4, 3, 3) / 72
    yield "StringLookup", layers.StringLookup(vocabulary=["a", "b"]), words
    yield "IntegerLookup", layers.IntegerLookup(vocabulary=[1, 2]), numbers
    yield "TextVectorization", layers.TextVectorization(vocabulary=["a"], output_sequence_length=2), words[:, :1]
    yield "CategoryEncoding", layers.CategoryEncoding(3), numbers
    yield "Discretization", layers.Discretization([0.5, 1.0]), numbers.astype("float32")
    yield "Hashing", layers.Hashing(3), words
    yield "HashedCrossing", layers.HashedCrossing(5), (words[:, 0], words[:, 1])
    yield "Resizing", layers.Resizing(2, 2), pictures
    yield "CenterCrop", layers.CenterCrop(2, 2), pictures
    yield "RandomCrop", layers.RandomCrop(2, 2), pictures
    for name in ("Brightness", "Contrast", "Height", "Rotation", "Width", "Zoom"):
        yield f"Random{name}", getattr(layers, f"Random{name}")(0.1), pictures
    yield "RandomFlip", layers.RandomFlip(), pictures
    yield "RandomTranslation", layers.RandomTranslation(0.1, 0.1), pictures


def _of(x):
    return None if x is None else [x.dtype.name, [int(size) for size in x.shape]]


@row
def every_layer(tf):
    found, mixed = {}, tf.keras.mixed_precision
    for case in first_cases():
        if not hasattr(tf.keras.layers, case.name.partition(" ")[0]):
            continue  # made of others
        inputs = [np.zeros((0, *shape[1:]), case.dtype) for shape in case.shapes]
        layer = case.make(tf)
        outputs = layer(inputs[0] if len(inputs) == 1 else inputs)
        mixed.set_global_policy("mixed_bfloat16")
        try:
            half = case.make(tf)
            halves = half(inputs[0] if len(inputs) == 1 else inputs)
        finally:
            mixed.set_global_policy(None)
        found[case.name] = [
            bool(layer.supports_masking), _of(outputs), _of(halves), half.compute_dtype,
            sorted({re.sub(r"\W", "", str(w.dtype.name)) for w in half.weights}),
        ]  # fmt: skip
    return found


@row
def every_layer_that_prepares_data(tf):
    found = {}
    for name, layer, inputs in _prepared(tf):
        empty = tuple(x[:0] for x in inputs) if isinstance(inputs, tuple) else inputs[:0]
        config = layer.get_config()
        again = type(layer).from_config(config)
        given = {"training": False} if name.startswith("Random") else {}
        tensors = tf.nest.map_structure(tf.constant, inputs)
        eager, traced = layer(tensors, **given), tf.function(lambda x, f=again, given=given: f(x, **given))(tensors)
        found[name] = [
            again.get_config() == config, bool(np.all(eager.numpy() == traced.numpy())),
            _of(layer(tf.nest.map_structure(tf.constant, empty), **given)), bool(layer.supports_masking),
            layer.compute_dtype,
        ]  # fmt: skip
    return found


def prepared_names(tf):
    """The names of the layers that prepare data."""
    return {name for name, _, _ in _prepared(tf)}
