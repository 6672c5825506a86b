"""`tf.raw_ops.CudnnRNN`, which TensorFlow has for GPUs only, against layers with the same weights."""

import numpy as np
import pytest

import tfcompat as tf

UNITS, INPUTS, LAYERS = 3, 2, 2
RNG = np.random.default_rng(0)
KINDS = {"lstm": (4, [0, 1, 2, 3]), "gru": (3, [1, 0, 2]), "rnn_tanh": (1, [0]), "rnn_relu": (1, [0])}


def _layer(kind, weights):
    """The layer of a kind and its weights, its recurrent biases left apart, in the order of the layer's gates."""
    kernel, recurrent, bias, recurrent_bias = weights
    make = {"lstm": tf.keras.layers.LSTM, "gru": tf.keras.layers.GRU}.get(kind, tf.keras.layers.SimpleRNN)
    options = {} if kind in ("lstm", "gru") else {"activation": kind.partition("_")[2]}
    layer = make(UNITS, return_sequences=True, return_state=True, **options)
    layer.build((None, None, kernel.shape[0]))
    biases = np.stack([bias, recurrent_bias]) if kind == "gru" else bias + recurrent_bias
    layer.set_weights([kernel, recurrent, biases])
    return layer


def _weights(kind, directions):
    """Weights of each layer and direction as Keras has them, and all of them in one vector."""
    gates, order = KINDS[kind]
    found, matrices, biases = [], [], []
    for layer in range(LAYERS):
        for _ in range(directions):
            size = UNITS * directions if layer else INPUTS
            shapes = [(size, gates * UNITS), (UNITS, gates * UNITS), (gates * UNITS,), (gates * UNITS,)]
            arrays = [RNG.normal(0, 0.5, shape).astype(np.float32) for shape in shapes]
            found.append(arrays)
            parts = [np.split(array, gates, -1) for array in arrays]
            matrices += [part[gate].T.ravel() for part in parts[:2] for gate in order]
            biases += [part[gate] for part in parts[2:] for gate in order]
    return found, np.concatenate(matrices + biases)


@pytest.mark.parametrize("kind, directions", [("lstm", 2), ("gru", 1), ("rnn_tanh", 1), ("rnn_relu", 1)])
def test_it_computes_what_layers_do(kind, directions):
    weights, params = _weights(kind, directions)
    x = RNG.normal(size=(2, 4, INPUTS)).astype(np.float32)
    lengths = [4, 2] if directions == 1 else [4, 4]
    values, states = tf.constant(x), []
    mask = tf.sequence_mask(lengths, 4)
    for number in range(LAYERS):
        outputs = []
        for backward in range(directions):
            layer = _layer(kind, weights[number * directions + backward])
            flipped = tf.reverse(values, [1]) if backward else values
            # A layer holds its last output where the mask is False.
            output, *state = layer(flipped, mask=mask if directions == 1 else None)
            outputs.append(tf.reverse(output, [1]) if backward else output)
            states.append(state)
        values = tf.concat(outputs, -1)
    values = tf.where(mask[..., None], values, 0.0)
    zeros = tf.zeros([2, LAYERS * directions, UNITS])
    direction = "bidirectional" if directions == 2 else "unidirectional"
    given = {"input_h": zeros, "input_c": zeros, "sequence_lengths": lengths, "rnn_mode": kind, "direction": direction}
    result = tf.raw_ops.CudnnRNNV3(input=x, params=params, time_major=False, **given)
    np.testing.assert_allclose(result.output, values, atol=1e-5)
    for number, name in enumerate(("output_h", "output_c") if kind == "lstm" else ("output_h",)):
        expected = np.stack([state[number] for state in states], 1)
        np.testing.assert_allclose(getattr(result, name), expected, atol=1e-5)


def test_lengths_of_both_directions_are_those_of_sequences_cut_off():
    _, params = _weights("lstm", 2)
    x, state = tf.constant(RNG.normal(size=(4, 1, INPUTS)), tf.float32), tf.zeros([LAYERS * 2, 1, UNITS])
    given = {"input_h": state, "input_c": state, "params": params, "direction": "bidirectional"}
    result = tf.raw_ops.CudnnRNNV3(input=x, sequence_lengths=[2], **given)
    cut = tf.raw_ops.CudnnRNN(input=x[:2], is_training=False, dropout=0.5, **given)
    np.testing.assert_allclose(result.output, tf.pad(cut.output, [[0, 2], [0, 0], [0, 0]]), atol=1e-6)
    np.testing.assert_allclose(result.output_h, cut.output_h, atol=1e-6)
    np.testing.assert_allclose(result.output_c, cut.output_c, atol=1e-6)


def test_what_is_not_there_is_refused():
    given = {"input": tf.zeros([1, 1, 2]), "input_h": tf.zeros([1, 1, 3]), "input_c": tf.zeros([1, 1, 3])}
    given["params"] = tf.zeros([84])
    assert tf.raw_ops.CudnnRNN(**given).output.shape == [1, 1, 3]
    for wrong in ({"dropout": 0.5}, {"input_mode": "skip_input"}):
        with pytest.raises(tf.errors.UnimplementedError, match="is not available; use"):
            tf.raw_ops.CudnnRNN(**given | wrong)
    for wrong in ({"params": tf.zeros([83])}, {"rnn_mode": "rnn"}, {"input_c": tf.zeros([1, 2, 3])}):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.raw_ops.CudnnRNN(**given | wrong)
