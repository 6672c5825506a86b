"""The table of layers for sequences; see `_cases`. A layer of several arguments stands inside one of one."""

from ._cases import case


def _layer(kind, *args, **options):
    return lambda tf: getattr(tf.keras.layers, kind)(*args, **options)


def own_cell(tf):
    """A class of cells as a user writes one: a leaky integrator."""

    class Leaky(tf.keras.layers.AbstractRNNCell):
        def __init__(self, units, **kwargs):
            super().__init__(**kwargs)
            self.units = units

        @property
        def state_size(self):
            return [self.units, tf.TensorShape([])]

        @property
        def output_size(self):
            return self.units + 1

        def build(self, input_shape):
            self.kernel = self.add_weight("kernel", shape=(input_shape[-1], self.units))
            self.rate = self.add_weight("rate", shape=(), initializer="ones")
            self.built = True

        def call(self, inputs, states):
            state, time = states
            state = state + tf.nn.sigmoid(self.rate) * (tf.tanh(tf.matmul(inputs, self.kernel)) - state)
            time = time + 0.1
            return tf.concat([state, time[:, tf.newaxis]], -1), [state, time]

        def get_config(self):
            return {**super().get_config(), "units": self.units}

    tf.keras.utils.get_custom_objects()["Leaky"] = Leaky
    return Leaky


def _own(tf):
    return tf.keras.layers.RNN(own_cell(tf)(3), return_sequences=True, go_backwards=True)


def _stacked(tf):
    layers = tf.keras.layers
    return layers.RNN([layers.LSTMCell(2), layers.GRUCell(3), layers.SimpleRNNCell(2)], return_sequences=True)


def _bidirectional(mode, kind, **options):
    def make(tf):
        layers = tf.keras.layers
        return layers.Bidirectional(getattr(layers, kind)(2, **options), merge_mode=mode)

    return make


def _distributed(tf):
    class Twice(tf.keras.layers.Layer):
        def build(self, input_shape):
            self.scale = self.add_weight("scale", shape=input_shape[-1:])

        def call(self, inputs):
            return self.scale * inputs**2

    return tf.keras.layers.TimeDistributed(Twice())


def _masked(tf):
    layers = tf.keras.layers
    inner = layers.LSTM(3, return_sequences=True), layers.GRU(2, go_backwards=True)
    return tf.keras.Sequential([layers.Embedding(4, 3, mask_zero=True), layers.Dense(3), *inner])


def _attending(**options):
    def make(tf):
        class Attending(tf.keras.layers.Layer):
            def __init__(self):
                super().__init__()
                self.attention = tf.keras.layers.MultiHeadAttention(2, 3, **options)

            def call(self, inputs):
                masked = tf.keras.layers.Masking()(tf.nn.relu(inputs))
                return self.attention(masked, inputs, use_causal_mask="attention_axes" not in options)

            def compute_output_shape(self, input_shape):
                return tf.TensorShape(input_shape)

            def get_config(self):
                return {}

            @classmethod
            def from_config(cls, config):
                return cls()

        return Attending()

    return make


CASES = [
    case("SimpleRNN", _layer("SimpleRNN", 3), (2, 4, 2), order=1),
    case("LSTM", _layer("LSTM", 3), (2, 4, 2)),
    case(
        "LSTM options",
        _layer(
            "LSTM", 2, "relu", "hard_sigmoid", return_sequences=True, unit_forget_bias=False, implementation=1,
            time_major=True, kernel_regularizer="l2", recurrent_regularizer="l1",
        ),
        (4, 2, 3),
        order=1,
    ),  # fmt: skip
    case("LSTM dropout", _layer("LSTM", 2, dropout=0.4), (2, 3, 3), training=True, order=1),
    case(
        "LSTM dropout of states",
        _layer("LSTM", 2, dropout=0.4, recurrent_dropout=0.3, return_sequences=True, unroll=True),
        (2, 3, 3),
        training=True,
        order=1,
    ),
    case("GRU", _layer("GRU", 3, return_sequences=True, go_backwards=True), (2, 4, 2), order=1),
    case(
        "GRU options",
        _layer("GRU", 2, reset_after=False, use_bias=False, recurrent_dropout=0.3, activation="relu"),
        (2, 3, 2),
        training=True,
        order=1,
    ),
    case("RNN", _own, (2, 3, 2), order=1),
    case("RNN stacked", _stacked, (2, 3, 2), order=1),
    case("Bidirectional", _bidirectional("concat", "LSTM", return_sequences=True), (2, 3, 2), order=1),
    case("Bidirectional sum", _bidirectional("ave", "SimpleRNN"), (2, 3, 2), order=1),
    case("TimeDistributed", lambda tf: tf.keras.layers.TimeDistributed(tf.keras.layers.Dense(2)), (2, 3, 4), order=1),
    case("TimeDistributed own", _distributed, (2, 3, 4), order=1),
    case("Masking", _layer("Masking", 1.0), (2, 3, 2)),
    case("Masked sequence", _masked, (3, 5), dtype="int32", high=4, order=1),
    case("EinsumDense", _layer("EinsumDense", "ab...,bcd->acd...", (3, 2), "tanh", "cd"), (2, 4, 2)),
    case("EinsumDense left", _layer("EinsumDense", "...bc,cd->...bd", (None, 3), bias_axes="d"), (2, 3, 4), order=1),
    case("Attention", _layer("Attention", use_scale=True), (2, 3, 4), (2, 5, 4)),
    case("Attention concat", _layer("Attention", score_mode="concat", causal=True), (2, 3, 4), (2, 3, 4), (2, 3, 4)),
    case("AdditiveAttention", _layer("AdditiveAttention", dropout=0.3), (2, 3, 4), (2, 5, 4), training=True, order=1),
    case("MultiHeadAttention", _attending(), (2, 3, 4), order=1),
    case(
        "MultiHeadAttention axes",
        _attending(attention_axes=2, value_dim=2, dropout=0.2),
        (2, 2, 3, 4),
        training=True,
        order=1,
    ),
]
