"""Rows: what `tf.keras.backend` has of layers: the loop of recurrent ones, kernels for each place."""

from rows import raised, row
from training._cases import random

X, W = random("times", (3, 4, 2)), random("weights", (2, 2))
MASK = [[1, 1, 0, 1], [0, 1, 1, 0], [1, 0, 0, 0]]


def step(tf):
    def one(x, states):
        output = tf.tanh(tf.matmul(x, tf.constant(W)) + states[0] + sum(states[2:]))
        return output, [output, states[1] + 1]

    return one


def states(tf):
    return [tf.zeros((3, 2)), tf.zeros((3, 1))]


@row
def a_function_over_times(tf):
    rnn, mask = tf.keras.backend.rnn, tf.constant(MASK)
    options = [
        {}, {"go_backwards": True}, {"mask": mask}, {"mask": mask, "zero_output_for_mask": True}, {"unroll": True},
        {"mask": mask, "go_backwards": True}, {"unroll": True, "mask": mask}, {"return_all_outputs": False},
        {"return_all_outputs": False, "mask": mask}, {"constants": [tf.ones((3, 2))]}, {"input_length": 3},
        {"input_length": tf.constant([4, 2, 1])}, {"input_length": tf.constant([3, 2, 1]), "go_backwards": True},
    ]  # fmt: skip
    found = [rnn(step(tf), tf.constant(X), states(tf), **o) for o in options]
    swapped = tf.transpose(tf.constant(X), (1, 0, 2))
    return [
        [(type(result[2]).__name__, result) for result in found],
        rnn(step(tf), swapped, states(tf), time_major=True, mask=tf.transpose(mask)),
        rnn(lambda x, s: ({"sum": x["a"] + x["b"] + s[0]}, [s[0] + 1]), {"a": X * tf.ones(2), "b": tf.constant(X)},
            [tf.zeros((3, 2))]),
        raised(lambda: rnn(step(tf), tf.constant(X[0]), states(tf)), "must have rank at least 3"),
    ]  # fmt: skip


@row
def a_function_over_times_in_a_layer(tf):
    class Loop(tf.keras.layers.Layer):
        def call(self, x):
            first = [tf.zeros_like(x[:, 0]), tf.zeros_like(x[:, 0, :1])]
            return tf.keras.backend.rnn(step(tf), x, first)[1]

    inputs = tf.keras.Input((4, 2))
    model, x = tf.keras.Model(inputs, Loop()(inputs)), tf.Variable(X)
    with tf.GradientTape() as tape:
        outputs = model(x)
    return model.output_shape, outputs, tape.gradient(outputs, x)


@row
def kernels_for_each_place(tf):
    backend, x, images = tf.keras.backend, tf.constant(X), tf.constant(random("images", (2, 5, 4, 2)))
    first, second = tf.constant(random("k1", (3, 4, 5))), tf.constant(random("k2", (4, 12, 3)))
    options = (3, 2), (2, 2), (2, 2)
    return [
        backend.local_conv1d(x, first, (2,), (1,)),
        backend.local_conv1d(tf.transpose(x, (0, 2, 1)), first, (2,), (1,), "channels_first"),
        backend.local_conv2d(images, second, *options),
        backend.local_conv2d(tf.transpose(images, (0, 3, 1, 2)), second, *options, "channels_first"),
        raised(lambda: backend.local_conv1d(x, first, (2,), (1,), "x")), backend.manual_variable_initialization(True),
    ]  # fmt: skip


@row
def transposed_convolutions_and_larger_volumes(tf, np):
    k = tf.keras.backend
    x, kernel = np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2) / 10, np.arange(24, dtype=np.float32) / 10
    kernel, volume = kernel.reshape(2, 2, 3, 2), tf.constant(np.arange(16, dtype=np.float32).reshape(1, 2, 2, 2, 2))
    first = x.transpose(0, 3, 1, 2)
    return [
        k.conv2d_transpose(x, kernel, (1, 5, 5, 3)),
        k.conv2d_transpose(x, kernel, tf.constant([1, 8, 8, 3]), strides=(2, 2), padding="same"),
        k.conv2d_transpose(x, kernel, (1, 6, 6, 3), dilation_rate=(2, 2)),
        k.conv2d_transpose(first, kernel, (1, 3, 5, 5), data_format="channels_first"),
        k.resize_volumes(volume, 2, 1, 3, "channels_last"), k.resize_volumes(volume, 1, 2, 1, "channels_first"),
        raised(lambda: k.conv2d_transpose(x, kernel, (1, 5, 5, 3), data_format="x"), "Unknown data_format: x"),
        raised(lambda: k.conv2d_transpose(x, kernel, (1, 5, 5, 3), padding="x"), "Invalid padding: x"),
        raised(lambda: k.resize_volumes(volume, 2, 1, 2, "x"), "Invalid data_format: x"),
    ]  # fmt: skip


@row
def focal_losses(tf, np):
    k = tf.keras.backend
    p, y = np.float32([[0.1, 0.6, 0.3], [0.8, 0.1, 0.1]]), np.float32([[0, 1, 0], [1, 0, 0]])
    return [
        k.binary_focal_crossentropy(y, p), k.binary_focal_crossentropy(y, p, True, 0.4, 1.5),
        k.binary_focal_crossentropy(y, p, from_logits=True), k.categorical_focal_crossentropy(y, p),
        k.categorical_focal_crossentropy(y, p, [0.1, 0.2, 0.3], 1.0, True),
        k.categorical_focal_crossentropy(y.T, p.T, axis=0),
        tf.keras.losses.CategoricalFocalCrossentropy(alpha=[0.1, 0.2, 0.3])(y, p),
    ]  # fmt: skip


@row
def labels_of_some_length_and_moments_of_batches(tf, np):
    k = tf.keras.backend
    x = tf.constant(np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2) / 10)
    labels = k.ctc_label_dense_to_sparse(tf.constant([[1, 0, 3], [4, 5, 6]]), tf.constant([3, 1]))
    return [
        labels.indices, labels.values, labels.dense_shape, k.normalize_batch_in_training(x, None, None, [0, 1, 2]),
        k.normalize_batch_in_training(x, tf.constant([1.0, 2.0]), tf.constant([0.0, 1.0]), [0, 1, 2]),
        k.normalize_batch_in_training(x, tf.range(1.0, 5.0), tf.zeros(4), [0, 2, 3], 0.1),
    ]  # fmt: skip
