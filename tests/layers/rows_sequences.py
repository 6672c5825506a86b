"""Rows: states, masks and options of recurrent layers and of attention, and the masks that all layers pass on."""

import copy

import numpy as np
from rows import names, ones, raised, row

from ._sequence_cases import own_cell

_X = (np.arange(24, dtype=np.float32).reshape(2, 4, 3) % 7 - 3) / 4
_MASK = np.array([[True, True, False, True], [False, True, True, False]])
_IDS = np.array([[1, 2, 0, 3], [0, 3, 1, 0]])


def _filled(layer, x=_X):
    """The layer, built for `x`, with weights that do not depend on initializers."""
    layer.build(x.shape)
    return _set(layer)


def _set(layer):
    layer.set_weights(
        [np.cos(np.arange(w.size, dtype=np.float32) + i).reshape(w.shape) for i, w in enumerate(layer.get_weights())]
    )
    return layer


def _every(tf, *args, **options):
    layers = tf.keras.layers
    options["recurrent_initializer"] = "ones"  # orthogonal ones take long to compile
    return [getattr(layers, kind)(2, *args, **options) for kind in ("SimpleRNN", "LSTM", "GRU")]


def _plain(config):
    """A configuration with lists in place of TensorFlow's wrappers and of tuples."""
    if isinstance(config, dict):
        return {key: _plain(value) for key, value in config.items()}
    return [_plain(value) for value in config] if isinstance(config, list | tuple) else config


@row
def first_weights(tf):
    tf.keras.utils.set_random_seed(3)
    layer = tf.keras.layers.LSTM(2)
    layer.build((None, 4, 3))
    return [(w.name, w) for w in layer.weights]


@row
def configurations(tf):
    layers = tf.keras.layers
    made = [
        layers.SimpleRNN(2, dropout=0.5, go_backwards=True),
        layers.LSTM(2, recurrent_dropout=0.5, return_state=True, zero_output_for_mask=True),
        layers.GRU(2, reset_after=False, stateful=True),
        layers.LSTMCell(3, name="c", bias_constraint="non_neg"),
        layers.RNN([layers.GRUCell(2), layers.SimpleRNNCell(1)], time_major=True),
        layers.Bidirectional(layers.GRU(2), merge_mode="mul", backward_layer=layers.LSTM(2, go_backwards=True)),
        layers.TimeDistributed(layers.Dense(2)),
        layers.Masking(2.0),
        layers.Attention(True, "concat", dropout=0.1),
        layers.AdditiveAttention(False),
        layers.MultiHeadAttention(2, 3, attention_axes=1, output_shape=5),
        layers.EinsumDense("ab,bc->ac", 3, bias_axes="c"),
    ]
    configs = [_plain(layer.get_config()) for layer in made]
    again = [type(layer).from_config(copy.deepcopy(config)) for layer, config in zip(made, configs, strict=True)]
    return configs, [_plain(a.get_config()) == c for a, c in zip(again, configs, strict=True)]


@row
def outputs_and_states_with_masks(tf):
    found = []
    for layer in _every(tf, return_state=True):
        found.append(_filled(layer)(_X, mask=tf.constant(_MASK)))
    last = _every(tf, return_sequences=True, go_backwards=True)[2]
    zero = _every(tf, return_sequences=True, zero_output_for_mask=True)[1]
    unrolled = _every(tf, return_sequences=True, unroll=True)[0]
    return found, [_filled(layer)(_X, mask=_MASK) for layer in (last, zero, unrolled)]


@row
def first_states(tf):
    states = [tf.constant([[0.5, -0.5], [1.0, 2.0]]), tf.constant([[0.25, 1.0], [-1.0, 0.5]])]
    found = []
    for layer, number in zip(_every(tf, return_state=True), (1, 2, 1), strict=True):
        layer = _filled(layer)
        found.append(layer(_X, initial_state=states[:number]))
        found.append(layer([_X, *states[:number]])[0])
    one = _every(tf)[2]
    return found, tuple(one(_X, initial_state=states[0]).shape), raised(lambda: one(_X, initial_state=states), "")


@row
def kept_states(tf):
    layer = _filled(_every(tf, stateful=True)[1])
    layer.reset_states()
    found = [layer(_X), layer(_X), names(layer.states), layer.stateful, names(layer.weights)]
    layer.reset_states([ones(2, 2), 2 * ones(2, 2)])
    found += [layer(_X), list(layer.states)]
    both = _filled(tf.keras.layers.Bidirectional(_every(tf, stateful=True)[0]))
    both.reset_states()
    both(_X)
    found += [both(_X)]
    return found, [
        raised(lambda: layer.reset_states([ones(2, 2)]), "expects 2 states, but it received 1 state values"),
        raised(lambda: layer.reset_states([ones(2, 3), ones(2, 2)]), "State 0 is incompatible with layer lstm"),
        raised(lambda: tf.keras.layers.GRU(2).reset_states(), "Layer must be stateful"),
        raised(lambda: layer(_X[:1]), "expected shape=(2, None, 3), found shape=(1, 4, 3)"),
    ]


@row
def cells_by_themselves(tf):
    layers, x = tf.keras.layers, tf.constant(_X[:, 0])
    found = []
    plain = {"recurrent_initializer": "ones"}
    cells = [layers.SimpleRNNCell(2, **plain), layers.LSTMCell(2, **plain), layers.GRUCell(2, **plain)]
    for cell in [*cells, layers.StackedRNNCells([layers.GRUCell(2, **plain)])]:
        states = cell.get_initial_state(batch_size=2, dtype="float32")
        found.append((str(list(np.ravel(cell.state_size))), cell.output_size, states))
        found.append(_filled(cell, x)(x, states))
    return found


@row
def own_cells(tf):
    layers, found = tf.keras.layers, []

    class Drawing(own_cell(tf)):
        def call(self, inputs, states, training=None):
            inputs = inputs + tf.random.normal(tf.shape(inputs))
            self.add_loss(tf.reduce_sum(inputs))
            return super().call(inputs, states)

    class Counting(own_cell(tf)):
        def build(self, input_shape):
            super().build(input_shape)
            self.count = self.add_weight("count", shape=(), initializer="zeros", trainable=False)

        def call(self, inputs, states):
            self.count.assign_add(1.0)
            return super().call(inputs * self.count, states)

    class Looking(own_cell(tf)):
        def call(self, inputs, states):
            return super().call(inputs * float(np.sum(inputs.numpy() > 0)), states)

    for kind in (Drawing, Counting, Looking):
        layer = _filled(layers.RNN(kind(2), return_state=True))
        tf.random.set_seed(5)
        found.append(layer(_X))
        found.append((len(layer.losses), layer.get_weights()[-1]))

    class Plain:
        state_size = 3

        def call(self, inputs, states, constants):
            state = states[0] * constants[0] + inputs
            return state, [state]

    layer = layers.RNN(Plain())
    return found, layer(_X, constants=tf.constant(0.5)), [
        raised(lambda: layers.RNN(layers.Dense(2)), "The RNN cell should have a `state_size`"),
        raised(lambda: layers.RNN(3), "should have a `call` method"),
    ]


@row
def both_directions(tf):
    layers, mask = tf.keras.layers, tf.constant(_MASK)
    plain = {"recurrent_initializer": "ones"}
    layer = _filled(layers.Bidirectional(layers.GRU(2, return_sequences=True, return_state=True, **plain)))
    found = [layer(_X, mask=mask), layer(_X, initial_state=[tf.ones((2, 2)), -tf.ones((2, 2))])]
    for mode in ("mul", None):
        layer = _filled(layers.Bidirectional(layers.SimpleRNN(2, **plain), merge_mode=mode))
        found += [layer(_X), str(layer.compute_output_shape((None, 4, 3))), names(layer.weights)]
    cells = layers.Bidirectional(layers.RNN([layers.GRUCell(2), layers.GRUCell(2)], name="r"))
    cells.build((2, 4, 3))
    return found, names(cells.weights), [
        raised(lambda: layers.Bidirectional(layers.LSTM(2), "cat"), "Invalid merge mode. Received: cat"),
        raised(
            lambda: layers.Bidirectional(layers.LSTM(2), backward_layer=layers.LSTM(2)),
            "should have different `go_backwards` value",
        ),
        raised(lambda: layers.Bidirectional(3), "Please initialize `Bidirectional` layer with a"),
        raised(lambda: layers.TimeDistributed(layers.Dense(2))(ones(2, 3)), "with at least 3 dimensions"),
    ]


@row
def masks_passed_on(tf):
    layers = tf.keras.layers
    x = layers.Embedding(4, 4, mask_zero=True)(_IDS)
    found = {"embedding": x._keras_mask, "masking": layers.Masking(0.25)(_X)._keras_mask}
    made = [
        layers.Dense(2), layers.Activation("relu"), layers.Dropout(0.5), layers.LayerNormalization(),
        layers.BatchNormalization(), layers.TimeDistributed(layers.Dense(2)), layers.LSTM(2), layers.Conv1D(2, 2),
        layers.GRU(2, return_sequences=True), layers.Bidirectional(layers.LSTM(2, return_sequences=True)),
        layers.GlobalAveragePooling1D(), layers.Flatten(), layers.Lambda(lambda v: v), layers.Rescaling(2.0),
        layers.Lambda(lambda v: v * 2, mask=lambda v, m: tf.logical_not(m)), layers.Reshape((2, 8)),
        tf.keras.Sequential([layers.Dense(2)]), layers.GaussianNoise(0.1), layers.Identity(),
        layers.UnitNormalization(),
    ]  # fmt: skip
    for layer in made:
        found[layer.name] = getattr(layer(x), "_keras_mask", None)
    other = layers.Embedding(4, 4, mask_zero=True)(_IDS[::-1])
    bare = tf.identity(other)
    for layer in (layers.Add(), layers.Maximum(), layers.Attention()):
        found[layer.name] = [getattr(layer([x, y]), "_keras_mask", None) for y in (other, bare)]
    for layer in (layers.Concatenate(), layers.Concatenate(axis=1)):
        found[layer.name] = getattr(layer([x, other]), "_keras_mask", None)
    return found


@row
def masks_in_own_layers(tf):
    layers, found = tf.keras.layers, []

    class Takes(layers.Layer):
        def call(self, inputs, mask=None):
            found.append(mask)
            return tf.convert_to_tensor(inputs) * 1.0

    class Passes(Takes):
        def compute_mask(self, inputs, mask=None):
            return None if mask is None else mask[:, ::-1]

    x = layers.Embedding(4, 2, mask_zero=True)(_IDS)
    for layer in (Takes(), Passes()):
        found += [layer.supports_masking, getattr(layer(x), "_keras_mask", None)]
        found += [getattr(layer(x, mask=tf.constant(_MASK)), "_keras_mask", None)]
        found += [getattr(layer([x, x]), "_keras_mask", None)] if layer.name == "takes" else []
    return found, raised(lambda: Takes().compute_mask(x, _MASK), "does not support masking")


@row
def moments_of_what_masks_keep(tf):
    layers, mask = tf.keras.layers, tf.constant(_MASK)
    layer = layers.BatchNormalization(momentum=0.5)
    group = layers.GroupNormalization(1)
    return layer(_X, training=True, mask=mask), layer.weights, group(_X, mask=tf.constant(_X > -0.6))


@row
def attention_with_masks(tf):
    layers, x, y = tf.keras.layers, tf.constant(_X), tf.constant(_X[:, ::-1] * 2)
    masks, found = [tf.constant(_MASK), tf.constant(~_MASK)], []
    for layer in (layers.Attention(), layers.AdditiveAttention(use_scale=False)):
        found += [layer([x, y], mask=masks), layer([x, y, x], use_causal_mask=True, return_attention_scores=True)]
    layer = layers.MultiHeadAttention(2, 2, output_shape=(2, 1))
    layer(x, y)
    _set(layer)
    mask = tf.constant(_MASK[:, :, None] | _MASK[:, None, :])
    found += [layer(x, y, attention_mask=mask), layer(x, y, x, return_attention_scores=True)[1], names(layer.weights)]
    found += [str(layer.compute_output_shape((None, 4, 3), (None, 4, 3)))]
    return found, [
        raised(lambda: layers.Attention()(x), "must be called on a list of inputs"),
        raised(lambda: layers.Attention()([x]), "accepts inputs list of length 2 or 3"),
        raised(lambda: layers.Attention(score_mode="x"), "Acceptable values are"),
        raised(lambda: layers.EinsumDense("ab->ab", 2)(x[0]), "Invalid einsum equation 'ab->ab'"),
        raised(lambda: layers.LSTM(2)(x[0]), "expected ndim=3, found ndim=2"),
        raised(lambda: layers.LSTM(0), "expected a positive integer, got 0"),
    ]


@row
def training(tf):
    layers = tf.keras.layers
    inner = layers.Bidirectional(layers.GRU(2, recurrent_initializer="ones", activation="relu"))
    model = tf.keras.Sequential([layers.Embedding(4, 2, mask_zero=True), inner, layers.Dense(1)])
    model.build((None, 4))
    _set(model)
    optimizer, losses = tf.keras.optimizers.Adam(0.1), []
    for _ in range(20):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(_IDS) - [[0.5], [-1.0]]) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        losses.append(float(loss))
    return losses


@row
def kept_states_in_models(tf):
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.SimpleRNN(2, "relu", stateful=True, batch_input_shape=(2, None, 3))])
    _set(model)
    found = [model.predict(_X, batch_size=2, verbose=0), model(_X)]
    model.reset_states()
    return found, model(_X), raised(
        lambda: tf.keras.Sequential([layers.LSTM(2, stateful=True, input_shape=(4, 3))]), "it needs to know its batch"
    )
