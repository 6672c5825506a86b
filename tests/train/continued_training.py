"""Two models that are trained, saved, and trained on; the same text runs on TensorFlow and on tfcompat."""

import numpy as np


def batches(count):
    """(x, y) of a regression."""
    rng = np.random.RandomState(0)
    for _ in range(count):
        x = rng.randn(16, 3).astype(np.float32)
        yield x, np.sin(x.sum(1, keepdims=True)).astype(np.float32)


def _set(variables):
    """Gives each variable values of its own, the same everywhere."""
    for i, v in enumerate(variables):
        v.assign(0.3 * np.cos(np.arange(np.prod(v.shape)) + i).reshape(v.shape).astype(np.float32) + 0.05)


def keras_trainer(tf):
    """(checkpoint, step): a model of layers with Adam and moving averages."""
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Dense(8, "tanh"), layers.BatchNormalization(), layers.Dense(1)])
    model(tf.zeros([1, 3]))
    _set(model.trainable_variables)
    optimizer = tf.keras.optimizers.Adam(tf.keras.optimizers.schedules.ExponentialDecay(0.05, 4, 0.9))
    optimizer.build(model.trainable_variables)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))  # noqa: B905
        return loss

    return tf.train.Checkpoint(model=model, optimizer=optimizer), step


def module_trainer(tf):
    """A `tf.Module` that trains itself, with momentum."""

    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = [tf.Variable(tf.zeros([3, 8])), tf.Variable(tf.zeros([8, 1]))]
            self.b = {"first": tf.Variable(tf.zeros([8])), "second": tf.Variable(tf.zeros([1]))}
            _set(self.trainable_variables)
            self.velocity = [tf.Variable(tf.zeros(v.shape), trainable=False) for v in self.trainable_variables]

        @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None, 1])])
        def step(self, x, y):
            with tf.GradientTape() as tape:
                hidden = tf.nn.softplus(x @ self.w[0] + self.b["first"])
                loss = tf.reduce_mean((hidden @ self.w[1] + self.b["second"] - y) ** 2)
            variables = self.trainable_variables
            for v, m, g in zip(variables, self.velocity, tape.gradient(loss, variables)):  # noqa: B905
                m.assign(0.9 * m + g)
                v.assign_sub(0.02 * m)
            return loss

    return Net()


def train(tf, step, first, last):
    """The losses of some steps."""
    pairs = list(batches(last))[first:]
    return [float(step(tf.constant(x), tf.constant(y))) for x, y in pairs]
