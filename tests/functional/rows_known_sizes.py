"""Rows: functional models that mix KerasTensors with constants of known sizes, or with slices bounded by symbols."""

import numpy as np
from rows import ones, printed, raised, row


def shape(x):
    return x.shape.as_list()


def shapes(*symbols):
    return [shape(x) for x in symbols]


def modelled(tf, inputs, outputs, *data):
    """The static shape of what a model gives, and what it gives for data."""
    return shape(outputs), tf.keras.Model(inputs, outputs)(data[0] if len(data) == 1 else list(data))


def counted(*sizes):
    return np.arange(np.prod(sizes), dtype="float32").reshape(sizes) / 8


def dense(tf, units, **options):
    return tf.keras.layers.Dense(units, kernel_initializer="ones", **options)


@row
def an_autoencoder_with_a_fixed_batch(tf):
    k, layers = tf.keras.backend, tf.keras.layers
    x = tf.keras.Input((4,))
    mean, scale = dense(tf, 2)(x), dense(tf, 2)(x)
    z = mean + k.exp(scale / 2) * k.random_normal((16, 2), stddev=0.0)

    def sampling(args):
        mean, scale = args
        return mean + k.exp(scale / 2) * k.random_normal(shape=(100, 2), mean=0.0, stddev=1.0)

    drawn = layers.Lambda(sampling, output_shape=(2,))([mean, scale])
    return [
        *modelled(tf, x, z, counted(16, 4)), shapes(drawn, dense(tf, 4)(drawn)),
        tf.keras.Model(x, drawn)(ones(100, 4)).shape.as_list(),
        raised(lambda: tf.keras.Model(x, drawn)(ones(10, 4))),
    ]  # fmt: skip


@row
def losses_of_symbols_and_constants(tf):
    losses = tf.keras.losses
    x, c, classes = tf.keras.Input((4,)), tf.ones((6, 4)), tf.constant([1, 2, 3])
    decoded = dense(tf, 4, activation="sigmoid")(x)
    model = tf.keras.Model(x, decoded)
    model.add_loss(tf.reduce_mean(losses.binary_crossentropy(x, decoded) * 4))
    model.compile("sgd")
    return [
        shapes(
            losses.mse(c, x), losses.categorical_crossentropy(c, x), losses.sparse_categorical_crossentropy(classes, x),
            losses.binary_crossentropy(x, c), losses.MeanSquaredError()(c, x),
            tf.nn.softmax_cross_entropy_with_logits(c, x), tf.nn.sparse_softmax_cross_entropy_with_logits(classes, x),
            tf.nn.sigmoid_cross_entropy_with_logits(c, x),
        ),
        model.evaluate(counted(3, 4), verbose=0),
    ]  # fmt: skip


@row
def a_constant_matrix_times_symbols(tf):
    pictures, vectors, unknown = tf.keras.Input((4, 3)), tf.keras.Input((3,)), tf.keras.Input((None, 3))
    graph = tf.constant(np.tri(34, dtype="float32"))
    hidden = tf.matmul(graph, dense(tf, 5)(vectors))
    return [
        modelled(tf, pictures, tf.eye(4) @ pictures, counted(2, 4, 3)),
        modelled(tf, vectors, tf.eye(4) @ vectors, counted(4, 3)),
        shapes(tf.matmul(tf.eye(40), unknown), hidden, tf.keras.layers.Softmax()(tf.matmul(graph, hidden))),
        shapes(tf.einsum("ij,bjd->bid", tf.ones((7, 9)), unknown), tf.tensordot(tf.ones((7, 9)), unknown, [[1], [1]])),
        shapes(tf.keras.layers.Lambda(lambda t: tf.matmul(tf.eye(34), t))(vectors), pictures @ tf.ones((8, 3, 2))),
        tf.keras.Model(vectors, hidden)(ones(34, 3)),
    ]


@row
def products_of_two_inputs(tf):
    a, b, c = tf.keras.Input((5, 3)), tf.keras.Input((3, 7)), tf.keras.Input((5, 3), batch_size=4)
    u, v, w = tf.keras.Input((3,)), tf.keras.Input((7,)), tf.keras.Input((None,))
    return [
        shapes(tf.matmul(a, b), tf.matmul(c, b), tf.matmul(u, v), tf.matmul(u, u, transpose_b=True)),
        shapes(tf.matmul(w, dense(tf, 2)(v)), tf.keras.layers.Dot((2, 1))([a, b]), tf.keras.backend.batch_dot(a, b)),
        modelled(tf, [u, v], tf.matmul(u, v), counted(4, 3), counted(3, 7)),
    ]


@row
def sparse_constants(tf):
    sparse = tf.sparse.from_dense(np.eye(41, dtype="float32"))

    class Convolved(tf.keras.layers.Layer):
        def build(self, shape):
            self.w = self.add_weight("w", (shape[-1], 5), initializer="ones")

        def call(self, x):
            return tf.sparse.sparse_dense_matmul(sparse, tf.matmul(x, self.w))

    x = tf.keras.Input((3,))
    return modelled(tf, x, Convolved()(x), ones(41, 3)), raised(lambda: tf.sparse.sparse_dense_matmul(sparse, x))


@row
def elementwise_with_constants(tf):
    x, c, layers = tf.keras.Input((4,)), tf.ones((6, 4)), tf.keras.layers
    fixed, times = tf.keras.Input((4,), batch_size=6), tf.keras.Input((None, 4))
    y = x + c
    return [
        shapes(
            y, c - x, c**x, x > c, tf.maximum(c, x), tf.where(x > 0.0, x, c), tf.math.divide_no_nan(x, c), fixed + x,
            x * tf.ones((1, 4)), times * tf.ones((30, 4)), times + tf.ones((2, 30, 4)), tf.linalg.matvec(c, x),
        ),
        shapes(
            tf.concat([x, c], -1), layers.concatenate([x, c]), tf.stack([x, c], 1), layers.Add()([c, x]),
            tf.concat([x, c], 0), layers.Add()([fixed, x]),
        ),
        shapes(y * x, dense(tf, 3)(y), tf.reshape(y, (-1, 2)), tf.shape(y), tf.broadcast_to(x, (16, 4))),
        shapes(tf.tensor_scatter_nd_update(tf.zeros((10, 4)), [[1], [2]], x), tf.ensure_shape(x, (16, 4))),
        modelled(tf, x, y, counted(6, 4)),
    ]  # fmt: skip


@row
def layers_with_constant_arguments(tf):
    layers, steps, x = tf.keras.layers, tf.keras.Input((5, 3)), tf.keras.Input((None, 8))
    state, queries = tf.keras.Input((4,)), tf.ones((3, 6, 8))
    fixed = tf.keras.Input((5, 3), batch_size=2)
    return shapes(
        layers.GRU(4)(steps, initial_state=tf.zeros((2, 4))), layers.GRU(4)(fixed, initial_state=state),
        layers.Attention()([queries, x]), layers.MultiHeadAttention(2, 4)(queries, x),
    )  # fmt: skip


@row
def constants_cut_to_the_length_of_symbols(tf):
    x = tf.keras.Input((None, 8))
    n, table, places = tf.shape(x)[1], tf.constant(counted(12, 8)), tf.Variable(counted(1, 50, 8))
    deep = tf.ones((2, 3, 50, 8))
    return [
        modelled(tf, x, table[:n], ones(2, 5, 8)), modelled(tf, x, x + places[:, :n, :], ones(2, 5, 8)),
        modelled(tf, x, table[n:], ones(2, 5, 8)), modelled(tf, x, table[n], ones(2, 5, 8)),
        modelled(tf, x, table[n - 2 : n + 2], ones(2, 5, 8)), modelled(tf, x, table[:n, :n], ones(2, 3, 8)),
        shapes(
            table[-n:], tf.constant([3, 4, 5])[:n], deep[..., :n, :], deep[0, ..., n:, tf.newaxis, :], deep[:, 1, :n],
            deep[tf.newaxis, :, 0, :n:2, ...], tf.slice(table, [0, 0], [n, 8]), x + tf.gather(table, tf.range(n)),
        ),
    ]  # fmt: skip


@row
def symbols_cut_to_the_length_of_others(tf):
    x, y, fixed = tf.keras.Input((None, 8)), tf.keras.Input((50, 8)), tf.keras.Input((5, 8))
    mask = tf.linalg.band_part(tf.ones((20, 20)), -1, 0)
    n = tf.shape(x)[1]
    return [
        shapes(y[:, :n], x[:, : n // 2], tf.ones((1, 10, 8))[:, : tf.shape(fixed)[1], :], y[:, : tf.shape(fixed)[1]]),
        modelled(tf, x, x @ tf.transpose(x, (0, 2, 1)) * mask[:n, :n], counted(2, 3, 8)),
        modelled(tf, [x, y], y[:, n:], ones(2, 48, 8), counted(2, 50, 8)),
    ]


@row
def keys_that_are_no_keys(tf):
    x, table = tf.keras.Input((None, 8)), tf.ones((3, 4))
    return [
        raised(lambda: table[: tf.reduce_sum(x)]), raised(lambda: table[: tf.shape(x)]),
        raised(lambda: [1, 2, 3][tf.shape(x)[1]]), raised(lambda: np.ones((3, 4))[: tf.shape(x)[1]]),
    ]  # fmt: skip


@row
def tokens_for_each_of_a_batch(tf):
    x, token = tf.keras.Input((None, 8)), tf.Variable(counted(1, 1, 8))
    count = tf.shape(x)[0]
    return [
        modelled(tf, x, tf.concat([each, x], 1), ones(2, 3, 8))
        for each in (tf.broadcast_to(token, [count, 1, 8]), tf.tile(token, [count, 1, 1]), tf.repeat(token, count, 0))
    ]


@row
def models_of_known_sizes_as_configurations(tf):
    x, steps = tf.keras.Input((4,)), tf.keras.Input((None, 8))
    model = tf.keras.Model(x, x + tf.ones((3, 4)))
    cut = tf.keras.Model(steps, dense(tf, 2)(steps + tf.ones((1, 12, 8))[:, : tf.shape(steps)[1], :]))
    again, cut_again = (tf.keras.Model.from_config(each.get_config()) for each in (model, cut))
    return again.output_shape, again(counted(3, 4)), cut_again.output_shape, cut_again(ones(1, 3, 8)), printed(
        model.summary
    )


@row
def sizes_that_contradict_each_other(tf):
    x, fixed = tf.keras.Input((40, 3)), tf.keras.Input((3,), batch_size=39)
    vectors = tf.keras.Input((3,))
    return [
        raised(lambda: tf.eye(39) @ x), raised(lambda: x + tf.ones((16, 39, 3))), raised(lambda: tf.eye(40) @ fixed),
        raised(lambda: tf.concat([x, tf.ones((16, 39, 3))], -1)), raised(lambda: fixed + tf.ones((16, 3))),
        raised(lambda: tf.eye(5) @ vectors @ tf.eye(4)), raised(lambda: tf.stack([x, tf.ones((2, 39, 3))])),
        raised(lambda: tf.keras.layers.Lambda(lambda t: t @ tf.ones((4, 4)))(x)),
    ]  # fmt: skip
