"""Rows: `tf.keras.backend`, `utils` and `preprocessing`; means that layers add; dropout with a smaller last batch."""

import os
import random as random_numbers
import tempfile

import numpy as np
from rows import ones, raised, row

from ._cases import random
from .rows_fit import X, Y, dense, model_of

A, M, IMAGES = random("A", (2, 3, 4)), random("M", (4, 3)), random("I", (2, 4, 4, 3))
ALONE = """abs square exp round sign sin cos softplus softsign sigmoid hard_sigmoid tanh sqrt softmax relu elu max min
sum prod mean var std cumsum cumprod argmax argmin transpose flatten batch_flatten l2_normalize shape""".split()


@row
def backend_ops_of_one_tensor(tf):
    return {name: getattr(tf.keras.backend, name)(tf.constant(A)) for name in ALONE}


@row
def backend_products_and_layers(tf):
    backend, x, images = tf.keras.backend, tf.constant(A), tf.constant(IMAGES)
    other = tf.constant(np.transpose(A, (0, 2, 1)))
    kernel = tf.constant(random("kernel", (2, 2, 3, 2)))
    return [
        backend.dot(x, tf.constant(M)), backend.dot(x, other), backend.batch_dot(x, other), backend.batch_dot(x, x, 1),
        backend.batch_dot(x, x[:, 0], (2, 1)), backend.batch_dot(x[:, 0], x[:, 1], 1),
        backend.bias_add(images, tf.constant(M[0])), backend.clip(x, -0.5, 0.5), backend.repeat_elements(x, 2, 1),
        backend.conv2d(images, kernel, (2, 2), "same"), backend.depthwise_conv2d(images, kernel),
        backend.pool2d(images, (2, 2), pool_mode="avg"), backend.temporal_padding(x),
        backend.switch(tf.constant(True), x, lambda: -x), backend.one_hot(tf.constant([0, 2]), 3),
        backend.binary_crossentropy(tf.ones_like(x), tf.sigmoid(x)), backend.variable(M), backend.arange(2, 6, 2),
    ]  # fmt: skip


@row
def sequences_of_one_length(tf):
    pad = tf.keras.utils.pad_sequences
    return [
        pad([[1, 2, 3], [1], []], 2), pad([[1, 2, 3], [1]], padding="post", truncating="post", value=-1),
        pad([[[1.0], [2.0]], []], 3, "float32"), tf.keras.utils.to_ordinal([0, 2, 1]),
        raised(lambda: pad([[1], 3])), raised(lambda: pad([[1]], padding="left")),
    ]  # fmt: skip


@row
def skip_grams(tf):
    sequence = tf.keras.preprocessing.sequence
    random_numbers.seed(3)
    return [
        sequence.make_sampling_table(6), *sequence.skipgrams([1, 2, 3, 0, 4], 5, window_size=2, seed=1),
        *sequence.skipgrams([1, 2, 3, 0, 4], 5, 1, 0.5, categorical=True, sampling_table=[0.5] * 5),
        *sequence.skipgrams([1, 2, 3], 5, negative_samples=0, shuffle=False),
    ]  # fmt: skip


@row
def costs_of_labels_without_places(tf):
    backend, labels = tf.keras.backend, tf.constant([[1, 0], [0, 0]])
    scores, lengths = tf.Variable(np.sin(np.arange(24, dtype="float32")).reshape(2, 4, 3)), tf.constant([[4], [3]])
    with tf.GradientTape() as tape:
        costs = backend.ctc_batch_cost(labels, tf.nn.softmax(scores), lengths, tf.constant([[2], [1]]))
    best, of_best = backend.ctc_decode(tf.nn.softmax(scores), [4, 3])
    beams, of_beams = backend.ctc_decode(tf.nn.softmax(scores), np.array([4, 3]), False, beam_width=5, top_paths=2)
    waves = tf.reshape(tf.sin(tf.range(63.0) ** 1.5), [3, 7, 3])
    more, of_more = backend.ctc_decode(tf.nn.softmax(waves), np.array([7, 7, 5]), False, beam_width=3, top_paths=3)
    return [costs, tape.gradient(costs, scores), *best, of_best, *beams, of_beams, *more, of_more]


@row
def windows_of_a_series(tf):
    make, series = tf.keras.utils.timeseries_dataset_from_array, np.arange(20.0)
    datasets = [
        make(series, None, 3), make(series, series, 3, 2, 2), make(series, None, 3, shuffle=True, seed=3, batch_size=4),
        make(series, series, 3, start_index=3, end_index=15),
    ]  # fmt: skip
    return [list(dataset) for dataset in datasets], raised(lambda: make(series, None, 3, sampling_rate=0))


@row
def words_as_numbers(tf):
    text = tf.keras.preprocessing.text
    tokenizer = text.Tokenizer(6, oov_token="?")
    tokenizer.fit_on_texts(["a cat, a dog", "The cat!"])
    again = text.tokenizer_from_json(tokenizer.to_json())
    matrices = [tokenizer.texts_to_matrix(["a a cat"], mode) for mode in ("binary", "count", "freq", "tfidf")]
    return tokenizer.word_index, tokenizer.texts_to_sequences(["the bird and a cat"]), matrices, [
        tokenizer.sequences_to_texts([[2, 3, 9]]), again.word_index == tokenizer.word_index, again.index_word,
        text.text_to_word_sequence("One, two! three"),
    ]  # fmt: skip


@row
def images_and_arrays(tf):
    utils = tf.keras.utils
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "image.png")
        utils.save_img(path, IMAGES[0])
        loaded = [utils.img_to_array(utils.load_img(path, color_mode=mode, target_size=(2, 3))) for mode in
                  ("rgb", "grayscale")]  # fmt: skip
    return loaded, utils.img_to_array(utils.array_to_img(IMAGES[0])), raised(lambda: utils.array_to_img(M))


@row
def layers_add_metrics(tf):
    class Told(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.largest = tf.keras.metrics.Mean(name="largest")

        def call(self, x):
            self.add_metric(tf.reduce_mean(x), name="mean")
            self.add_metric(self.largest(tf.reduce_max(x)))
            return x

    layer = Told()
    layer(tf.constant(M))
    layer(tf.constant(M) + 1.0)
    model = model_of(tf, dense(tf), Told())
    history = model.fit(X, Y, batch_size=20, epochs=2, verbose=0, shuffle=False).history
    return [(metric.name, metric.result()) for metric in layer.metrics], history, raised(
        lambda: layer.add_metric(tf.constant(1.0))
    )


@row
def dropout_goes_on_after_a_smaller_batch(tf):
    tf.keras.utils.set_random_seed(1)
    model = model_of(tf, dense(tf, 8), tf.keras.layers.Dropout(0.5), dense(tf))
    return model.fit(X, Y, batch_size=16, epochs=4, verbose=0).history


@row
def what_is_restored_waits_for_layers_without_the_checkpoint(tf):
    def made():
        return tf.keras.Sequential([dense(tf, 3), dense(tf)])

    model = made()
    model(ones(1, 4))
    model.set_weights([w + 1.0 for w in model.get_weights()])
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "weights")
        model.save_weights(prefix)
        again = made()
        again.load_weights(prefix)
        return again(ones(1, 4)), model(ones(1, 4))


@row
def cells_without_an_output_size(tf):
    class Cell(tf.keras.layers.AbstractRNNCell):
        def __init__(self, units):
            super().__init__()
            self.units = units

        @property
        def state_size(self):
            return self.units

        def build(self, shape):
            self.dense = dense(tf, self.units)
            self.built = True

        def call(self, inputs, states):
            h = self.dense(tf.concat([inputs, states[0]], -1))
            return h, [h]

    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.InputLayer((None, 4)), layers.RNN(Cell(3), return_sequences=True), dense(tf)])
    return str(model.output_shape), model(tf.reshape(tf.range(24.0), [2, 3, 4]) * 0.1)


@row
def what_layers_draw_from_numpy(tf):
    class Noise(tf.keras.layers.Layer):
        def call(self, x):
            return x + tf.keras.backend.random_uniform(tf.shape(x))

    np.random.seed(0)
    inputs = tf.keras.Input((2,))
    model = tf.keras.Model(inputs, Noise()(inputs))
    tf.random.set_seed(3)
    return int(np.random.randint(1000)), model(ones(2, 2)), model.predict(ones(2, 2), verbose=0)


@row
def weights_made_by_build_from_random_ops(tf):
    class Layer(tf.keras.layers.Layer):
        def build(self, shape):
            self.w = tf.Variable(tf.random.normal([shape[-1], 2]))

        def call(self, x):
            return x @ self.w

    tf.random.set_seed(4)
    model = tf.keras.Sequential([Layer()])
    model.compile("sgd", "mse")
    history = model.fit(ones(4, 3), ones(4, 2), verbose=0).history
    return history, tf.random.uniform([])


@row
def layers_whose_sizes_depend_on_values(tf):
    class Repeated(tf.keras.layers.Layer):
        def call(self, inputs):
            x, edges = inputs
            return tf.repeat(tf.reduce_sum(x, 1), tf.math.bincount(tf.cast(edges[:, 0], "int32")))

    class Graph(tf.keras.Model):
        def __init__(self, edges):
            super().__init__()
            self.edges, self.repeated, self.dense = edges, Repeated(), dense(tf, 1)

        def call(self, inputs):
            x, edges = inputs
            return self.repeated([self.dense(x), edges])[:, tf.newaxis]

        def train_step(self, data):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(self([data[0], self.edges]) ** 2)
            weights = self.trainable_weights
            self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
            return {"loss": loss}

        def test_step(self, data):
            return {"loss": tf.reduce_sum(self([data[0], self.edges]))}

        def predict_step(self, x):
            return self([x, self.edges])

    model = Graph(tf.constant([[0, 1], [0, 2], [1, 0]], tf.int64))
    model.compile(tf.keras.optimizers.SGD(0.01))
    x, y = ones(2, 2), ones(2, 1)
    history = model.fit(x, y, epochs=2, verbose=0).history
    return history, model.evaluate(x, y, verbose=0), model.predict(x, verbose=0)


@row
def dropout_goes_on_where_sizes_are_traced_apart(tf):
    class Halves(tf.keras.layers.Layer):
        def call(self, x):
            return tf.reshape(tf.reshape(x, [2, -1]), tf.shape(x))

    tf.keras.utils.set_random_seed(1)
    model = model_of(tf, dense(tf, 8), Halves(), tf.keras.layers.Dropout(0.5), dense(tf))
    return model.fit(X, Y, batch_size=4, epochs=3, verbose=0).history
