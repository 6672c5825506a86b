"""Rows: states, masks, configurations and errors of layers with windows of their own."""

import numpy as np
from rows import names, raised, row, row_for

_X = (np.arange(48, dtype=np.float32).reshape(1, 3, 4, 4) % 7 - 3) / 4


def _plain(config):
    if isinstance(config, dict):
        return {key: _plain(value) for key, value in config.items()}
    return [_plain(value) for value in config] if isinstance(config, list | tuple) else config


def _set(layer):
    layer.set_weights(
        [np.cos(np.arange(w.size, dtype=np.float32) + i).reshape(w.shape) for i, w in enumerate(layer.get_weights())]
    )
    return layer


@row
def convolutional_states(tf):
    layers = tf.keras.layers
    options = {"recurrent_initializer": "ones", "return_state": True}
    layer = layers.ConvLSTM1D(2, 3, padding="same", stateful=True, **options)
    layer(_X)
    _set(layer).reset_states()
    first, second = layer(_X), layer(_X, mask=np.array([[True, False, True]]))
    layer.reset_states([np.ones((1, 4, 2), np.float32)] * 2)
    third = layer(_X)
    inputs = tf.keras.Input((None, 4, 4))
    model = tf.keras.Model(inputs, layers.ConvLSTM1D(2, 2, strides=2, return_sequences=True, **options)(inputs)[:2])
    _set(model)
    again = layers.ConvLSTM1D.from_config(layer.get_config())
    return (
        first, second, third, [list(x.shape) for x in model.outputs], model(_X), names(model.weights),
        type(again).__name__, [list(s) for s in layer.compute_output_shape((2, 3, 4, 4))],
        layer(_X, initial_state=[tf.ones((1, 4, 2))] * 2)[0],
    )  # fmt: skip


@row
def configurations_of_windows(tf):
    layers = tf.keras.layers
    made = [
        layers.ConvLSTM2D(2, 3, dropout=0.5, go_backwards=True, kernel_regularizer="l2"),
        layers.LocallyConnected1D(2, 3, bias_constraint="non_neg", implementation=2),
        layers.LocallyConnected2D(2, (3, 2), padding="SAME", activation="relu", implementation=3),
        layers.SpectralNormalization(layers.Dense(2, name="d"), 3),
    ]
    return [_plain(layer.get_config()) for layer in made]


@row
def errors_of_windows(tf):
    layers = tf.keras.layers
    picture = np.ones((1, 4, 4, 1), np.float32)
    return [
        raised(lambda: layers.ConvLSTM1D(2, 3, unroll=True), "Unrolling is not possible"),
        raised(lambda: layers.ConvLSTM2D(2, 3)(picture), "expected ndim=5, found ndim=4"),
        raised(lambda: layers.LocallyConnected1D(2, 3, padding="same"), 'only "valid" is supported'),
        raised(lambda: layers.LocallyConnected2D(2, 5)(picture), "output is <= 0 due to downsampling"),
        raised(lambda: layers.LocallyConnected2D(2, 2, implementation=4)(picture), "implementation mode: 4"),
        raised(lambda: layers.LocallyConnected2D(2, 2)(tf.keras.Input((None, 4, 1))), "fully-defined"),
        raised(lambda: layers.SpectralNormalization(layers.Dense(1), 0), "greater than zero"),
        raised(lambda: layers.SpectralNormalization(layers.ReLU())(picture), "no attribute 'kernel'"),
    ]


@row
def spectral_training(tf):
    layer = tf.keras.layers.SpectralNormalization(tf.keras.layers.Embedding(3, 2), power_iterations=4)
    layer(np.array([0]))
    _set(layer)
    largest = [tf.linalg.svd(layer.layer.embeddings, compute_uv=False)[0]]
    for _ in range(2):
        layer(np.array([1]), training=True)
        largest.append(tf.linalg.svd(layer.layer.embeddings, compute_uv=False)[0])
    layer.layer.embeddings.assign(tf.zeros((3, 2)))
    return largest, layer(np.array([1]), training=True), layer.vector_u, names(layer.weights)


# --- built by hand, for a shape that does not have all axes -----------------------------------------------------------

BUILT = {
    "Conv1D": lambda layers: layers.Conv1D(4, 3),
    "Conv2D": lambda layers: layers.Conv2D(4, 3, strides=2, padding="same"),
    "Conv2D, channels first": lambda layers: layers.Conv2D(4, 3, data_format="channels_first"),
    "Conv3D": lambda layers: layers.Conv3D(4, 2),
    "DepthwiseConv2D": lambda layers: layers.DepthwiseConv2D(3),
    "SeparableConv1D": lambda layers: layers.SeparableConv1D(4, 3),
    "Conv2DTranspose": lambda layers: layers.Conv2DTranspose(4, 3),
    "Dense": lambda layers: layers.Dense(4),
    "BatchNormalization": lambda layers: layers.BatchNormalization(),
    "SimpleRNNCell": lambda layers: layers.SimpleRNNCell(2),
    "LSTMCell": lambda layers: layers.LSTMCell(2),
    "GRUCell": lambda layers: layers.GRUCell(2),
}
SHAPES = {"6": 6, "(6,)": (6,), "(None, 6)": (None, 6), "[None, 3, 6]": [None, 3, 6], "()": (), "all": (None, 8, 8, 6)}


@row_for(kind=list(BUILT), shape=list(SHAPES))
def weights_of_a_layer_built_by_hand(tf, kind, shape):
    layer = BUILT[kind](tf.keras.layers)
    error = raised(lambda: layer.build(SHAPES[shape]))
    return error, [tuple(weight.shape) for weight in layer.weights]
