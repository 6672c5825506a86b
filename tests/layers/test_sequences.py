"""The loops of recurrent layers: one operation, found again, with derivatives in both modes; and calls that fail."""

import numpy as np
import pytest

import tfcompat as tf
from tfcompat import engine

X = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 4, 3)


def recorded(call):
    """How many operations a call records."""
    call()
    engine.cut()
    result = call()
    return len(engine.state.graph.nodes), result


@pytest.mark.parametrize("kind", ["SimpleRNN", "LSTM", "GRU"])
def test_a_call_records_few_operations_whatever_the_length(kind):
    layer = getattr(tf.keras.layers, kind)(2, recurrent_initializer="ones", return_sequences=True)
    short, long = (tf.constant(np.tile(X, (1, n, 1))) for n in (1, 5))
    with engine.execution_mode("deferred"):
        counts = [recorded(lambda x=x: layer(x))[0] for x in (short, long)]
    assert counts[0] == counts[1] <= 8


def test_a_loop_is_captured_once():
    layer = tf.keras.layers.GRU(2, recurrent_initializer="ones")
    layer(X)
    calls = []
    advance = type(layer.cell)._advance
    layer.cell.__dict__["_advance"] = lambda *args: calls.append(1) or advance(layer.cell, *args)
    layer(X)
    assert not calls
    layer(X[:, :3])
    assert len(calls) == 1


def test_an_activation_with_variables_sees_their_values():
    scale = tf.Variable(1.0)
    layer = tf.keras.layers.SimpleRNN(2, activation=lambda x: scale * x, recurrent_initializer="ones")
    with tf.GradientTape() as tape:
        once = tf.reduce_sum(layer(X[:, :1]))
    np.testing.assert_allclose(tape.gradient(once, scale), once, rtol=1e-5)
    scale.assign(2.0)
    np.testing.assert_allclose(tf.reduce_sum(layer(X[:, :1])), 2 * once, rtol=1e-5)


def test_a_cell_that_cannot_be_traced_is_called_time_by_time():
    class Looks:
        state_size = 3
        values = []

        def call(self, inputs, states):
            self.values.append(float(tf.reduce_sum(inputs)))
            return inputs + states[0], [inputs + states[0]]

    np.testing.assert_allclose(tf.keras.layers.RNN(Looks())(X), X.sum(1), rtol=1e-5)
    assert len(Looks.values) >= 1 + 4


def test_a_state_that_changes_its_shape():
    class Grows:
        state_size = 3

        def call(self, inputs, states):
            return inputs, [tf.concat([states[0], inputs], 1)]

    with pytest.raises(ValueError, match="has shape .2, 3. .* but shape .2, 6. .* after one step"):
        tf.function(tf.keras.layers.RNN(Grows()))(X)


def test_no_times():
    with pytest.raises(ValueError, match="Unrolling requires a fixed number of timesteps"):
        tf.keras.layers.GRU(2, unroll=True)(X[:, :0])
    with pytest.raises(ValueError, match="Cannot unroll a RNN if the time dimension is undefined"):
        tf.keras.layers.GRU(2, unroll=True)(tf.keras.Input((None, 3)))


def test_on_symbols():
    layers = tf.keras.layers
    inputs, state = tf.keras.Input((None, 3)), tf.keras.Input((2,))
    gru = layers.GRU(2, recurrent_initializer="ones", return_state=True)
    outputs = gru(inputs, initial_state=state)
    model = tf.keras.Model([inputs, state], outputs)
    start = np.ones((2, 2), np.float32)
    for got, want in zip(model([X, start]), gru(X, initial_state=tf.constant(start)), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6)
    assert [tuple(x.shape) for x in outputs] == [(None, 2), (None, 2)]
