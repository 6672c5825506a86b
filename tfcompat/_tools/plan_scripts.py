"""Short programs of the kinds that people write first: `plans` keeps what the traces of their operations tell.

Sizes are such that those are equal which are equal in most programs, widths of hidden layers above all.
"""

import functools
import itertools

import numpy as np

import tfcompat as tf

EXAMPLES, INPUTS, WIDTH, OTHER, OUTPUTS = 11, 5, 8, 13, 3
DTYPES = (tf.float32, tf.float64)
ACTIVATIONS = ["relu", "tanh", "sigmoid", "gelu", "elu", "selu", "swish", "softplus", tf.nn.leaky_relu, tf.sin]
WIDTHS = [(1,), (OUTPUTS,), (WIDTH, 1), (WIDTH, OUTPUTS), (WIDTH, WIDTH, 1), (WIDTH, WIDTH, OUTPUTS),
          (WIDTH, OTHER, 1), (WIDTH, OTHER, OUTPUTS)]  # fmt: skip
OPTIMIZERS = [
    *["SGD", "Adam", "RMSprop", "Adagrad", "Adadelta", "Adamax", "Nadam", "Ftrl", "AdamW"],
    lambda: tf.keras.optimizers.SGD(0.1, momentum=0.9), lambda: tf.keras.optimizers.Adam(1e-3, beta_1=0.5),
    lambda: tf.keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    *[getattr(tf.keras.optimizers.legacy, name) for name in ("SGD", "Adam", "RMSprop")],
]
REGRESSION = ["mse", "mae", "huber", "logcosh"]


def scripts():
    """Functions without arguments."""
    for dtype in DTYPES:
        for widths, activation in itertools.product(WIDTHS, ACTIVATIONS):
            yield functools.partial(_steps, dtype, widths, activation, "Adam")
        for optimizer in OPTIMIZERS:
            yield functools.partial(_steps, dtype, (WIDTH, 1), "relu", optimizer)
        for loss in REGRESSION:
            yield functools.partial(_steps, dtype, (WIDTH, 1), "relu", "Adam", loss)
            yield functools.partial(_steps, dtype, (WIDTH, OUTPUTS), "relu", "Adam", loss)
        for inputs, activation in itertools.product((1, 2, 3), ("tanh", "sigmoid", tf.sin)):
            yield functools.partial(_equation, dtype, inputs, activation)
        for activation in ("tanh", "relu"):
            yield functools.partial(_by_hand, dtype, activation)
            yield functools.partial(_products_with_vectors, dtype, activation)
            yield functools.partial(_all_jacobians, dtype, activation)
        yield functools.partial(_newton, dtype)
        yield functools.partial(_gaussian_process, dtype)
        yield functools.partial(_counters, dtype)
    for optimizer in OPTIMIZERS:
        yield functools.partial(_fit, optimizer, [tf.keras.layers.Dense(1)], "mse", ["mae"], (1,), None)
    for layers, loss, metrics, shape, classes in _MODELS:
        for extra in (), (tf.keras.layers.Dropout(0.5),), (tf.keras.layers.BatchNormalization(),), (
            tf.keras.layers.LayerNormalization(),
        ):
            yield functools.partial(_fit, "Adam", [*extra, *layers], loss, metrics, shape, classes)
    for classes in (1, OUTPUTS):
        yield functools.partial(_penalized, classes)
        yield functools.partial(_attack, classes)


_SPARSE = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
_LOGITS = tf.keras.losses.BinaryCrossentropy(from_logits=True)
_MODELS = [
    ([tf.keras.layers.Dense(1)], "mse", ["mae"], (1,), None),
    ([tf.keras.layers.Dense(OUTPUTS, "softmax")], "sparse_categorical_crossentropy", ["accuracy"], (), OUTPUTS),
    ([tf.keras.layers.Dense(OUTPUTS)], _SPARSE, ["accuracy"], (), OUTPUTS),
    ([tf.keras.layers.Dense(OUTPUTS, "softmax")], "categorical_crossentropy", ["accuracy"], (OUTPUTS,), 2),
    ([tf.keras.layers.Dense(1, "sigmoid")], "binary_crossentropy", ["accuracy"], (), 2),
    ([tf.keras.layers.Dense(1)], _LOGITS, ["accuracy"], (1,), 2),
]  # fmt: skip


def _numbers(*shape, dtype=tf.float32, seed=0):
    return tf.constant(np.random.default_rng(seed).normal(size=shape), dtype)


def _network(widths, activation, dtype, inputs):
    layers = [tf.keras.layers.Dense(width, activation, dtype=dtype) for width in widths[:-1]]
    network = tf.keras.Sequential([*layers, tf.keras.layers.Dense(widths[-1], dtype=dtype)])
    network.build((None, inputs))
    return network


def _optimizer(which):
    return which() if callable(which) else getattr(tf.keras.optimizers, which)()


def _steps(dtype, widths, activation, optimizer, loss=None):
    """Steps of training, the loss by hand or one of Keras."""
    network, optimizer = _network(widths, activation, dtype.name, INPUTS), _optimizer(optimizer)
    x, y = _numbers(EXAMPLES, INPUTS, dtype=dtype), _numbers(EXAMPLES, widths[-1], dtype=dtype, seed=1)
    loss = (lambda y, z: tf.reduce_mean((y - z) ** 2)) if loss is None else tf.keras.losses.get(loss)
    for _ in range(2):
        with tf.GradientTape() as tape:
            value = tf.reduce_mean(loss(y, network(x, training=True)))
        weights = network.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(value, weights), weights, strict=True))
        float(value)


def _equation(dtype, inputs, activation):
    """A network that solves a differential equation."""
    network, optimizer = _network((WIDTH, WIDTH, 1), activation, dtype.name, inputs), tf.keras.optimizers.Adam()
    columns = tf.split(_numbers(EXAMPLES, inputs, dtype=dtype), inputs, axis=1)
    weights = network.trainable_variables
    for separately in (False, True):
        with tf.GradientTape() as tape:
            with tf.GradientTape(persistent=True) as outer:
                outer.watch(columns)
                with tf.GradientTape(persistent=True) as inner:
                    inner.watch(columns)
                    u = network(tf.concat(columns, axis=1) if inputs > 1 else columns[0])
                if separately:
                    slopes = [inner.gradient(u, column) for column in columns]
                else:
                    slopes = inner.gradient(u, columns)
            bends = [outer.gradient(slope, column) for slope, column in zip(slopes, columns, strict=True)]
            residual = tf.add_n(bends) - slopes[-1] + u * slopes[0] - tf.sin(columns[0])
            loss = tf.reduce_mean(tf.square(residual)) + tf.reduce_mean(u**2)
        gradients = tape.gradient(loss, weights, unconnected_gradients="zero")
        optimizer.apply_gradients(zip(gradients, weights, strict=True))
        float(loss)


def _by_hand(dtype, activation):
    """Products and sums of one's own variables."""
    act = getattr(tf.nn, activation)
    for hidden in (WIDTH, INPUTS):
        w1, b1 = tf.Variable(_numbers(INPUTS, hidden, dtype=dtype)), tf.Variable(tf.zeros([hidden], dtype))
        w2, b2 = tf.Variable(_numbers(hidden, 1, dtype=dtype)), tf.Variable(tf.zeros([1], dtype))
        x, y = _numbers(EXAMPLES, INPUTS, dtype=dtype), _numbers(EXAMPLES, 1, dtype=dtype)
        for _ in range(2):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(act(x @ w1 + b1) @ w2 + b2 - y))
            for variable, gradient in zip([w1, b1, w2, b2], tape.gradient(loss, [w1, b1, w2, b2]), strict=True):
                variable.assign_sub(0.1 * gradient)
            float(loss)


def _products_with_vectors(dtype, activation):
    """Of the Hessian: reverse over reverse, forward over reverse, reverse over forward."""
    network, x = _network((WIDTH, 1), activation, dtype.name, INPUTS), _numbers(EXAMPLES, INPUTS, dtype=dtype)
    weights = network.trainable_variables
    vectors = [tf.ones_like(w) for w in weights]
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = tf.reduce_mean(network(x) ** 2)
        gradients = inner.gradient(loss, weights)
        product = tf.add_n([tf.reduce_sum(g * v) for g, v in zip(gradients, vectors, strict=True)])
    [g.numpy() for g in outer.gradient(product, weights, unconnected_gradients="zero")]
    with tf.autodiff.ForwardAccumulator(weights, vectors) as accumulator:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(network(x) ** 2)
        gradients = tape.gradient(loss, weights)
    [accumulator.jvp(g, unconnected_gradients="zero").numpy() for g in gradients]
    with tf.GradientTape() as tape:
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as outer:
            with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as inner:
                u = network(x)
            slope = inner.jvp(u)
        loss = tf.reduce_mean((outer.jvp(slope, unconnected_gradients="zero") + slope) ** 2)
    [g.numpy() for g in tape.gradient(loss, weights, unconnected_gradients="zero")]


def _all_jacobians(dtype, activation):
    for outputs in (1, OUTPUTS):
        network, x = _network((WIDTH, outputs), activation, dtype.name, INPUTS), _numbers(EXAMPLES, INPUTS, dtype=dtype)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = network(x)
        tape.batch_jacobian(y, x).numpy()
        tape.jacobian(y, x).numpy()
        [jacobian.numpy() for jacobian in tape.jacobian(y, network.trainable_variables)]


def _newton(dtype):
    x, y = _numbers(EXAMPLES, INPUTS, dtype=dtype), _numbers(EXAMPLES, 1, dtype=dtype)
    w = tf.Variable(tf.zeros([INPUTS, 1], dtype))
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.sigmoid(y), logits=x @ w))
        gradient = inner.gradient(loss, w)
    hessian = tf.reshape(outer.jacobian(gradient, w), [INPUTS, INPUTS])
    w.assign_sub(tf.linalg.solve(hessian + 1e-3 * tf.eye(INPUTS, dtype=dtype), gradient))
    w.numpy()


def _gaussian_process(dtype):
    x, y = _numbers(EXAMPLES, 1, dtype=dtype), _numbers(EXAMPLES, 1, dtype=dtype, seed=1)
    logs = [tf.Variable(tf.constant(value, dtype)) for value in (0.1, 0.2, -1.0)]
    with tf.GradientTape() as tape:
        distance = tf.reduce_sum((x[:, None] - x[None]) ** 2, -1)
        kernel = tf.exp(logs[0]) * tf.exp(-distance / (2 * tf.exp(2 * logs[1])))
        lower = tf.linalg.cholesky(kernel + tf.exp(2 * logs[2]) * tf.eye(EXAMPLES, dtype=dtype))
        part = tf.linalg.triangular_solve(lower, y)
        loss = 0.5 * tf.reduce_sum(part**2) + tf.reduce_sum(tf.math.log(tf.linalg.diag_part(lower)))
    [g.numpy() for g in tape.gradient(loss, logs)]


def _counters(dtype):
    for kind in (tf.int32, tf.int64):
        number, vector = tf.Variable(0, dtype=kind), tf.range(EXAMPLES, dtype=kind)
        number.assign_add(1)
        for whole in number, vector:
            for value in whole + 1, whole * 2, whole * whole, whole // 2, whole % 3:
                tf.cast(value, dtype).numpy()
        tf.cast(vector > 2, dtype).numpy()
        tf.one_hot(vector, EXAMPLES, dtype=dtype).numpy()
    for count in range(1, 9):
        for shape in ((), (INPUTS,), (INPUTS, WIDTH)):
            parts = [tf.zeros(shape, dtype)] * count
            tf.stack(parts).numpy()
            tf.add_n(parts).numpy()
    for shape in ((), (INPUTS,), (INPUTS, WIDTH), (EXAMPLES, INPUTS, WIDTH)):
        variable = tf.Variable(tf.zeros(shape, dtype))
        for change in (variable.assign, variable.assign_add, variable.assign_sub):
            change(tf.ones(shape, dtype)).numpy()
        tf.identity(variable).numpy()
        tf.clip_by_norm(variable, 1.0).numpy()
        [part.numpy() for part in tf.clip_by_global_norm([variable, variable], 1.0)[0]]


def _fit(optimizer, layers, loss, metrics, shape, classes):
    layers = [layer.__class__.from_config(layer.get_config()) for layer in layers]
    model = tf.keras.Sequential([tf.keras.layers.Dense(WIDTH, "relu", input_shape=(INPUTS,)), *layers])
    x = np.random.default_rng(0).normal(size=(2 * EXAMPLES, INPUTS)).astype(np.float32)
    y = np.zeros((2 * EXAMPLES, *shape), np.float32 if classes is None or shape == (OUTPUTS,) else np.int64)
    model.compile(_optimizer(optimizer), loss, metrics=metrics)
    model.fit(x, y, batch_size=EXAMPLES, epochs=2, verbose=0)
    model.evaluate(x, y, batch_size=EXAMPLES, verbose=0)
    model.predict(x, batch_size=EXAMPLES, verbose=0)


def _penalized(classes):
    """A gradient's norm in the loss, as Wasserstein critics have it."""
    network, x = _network((WIDTH, WIDTH, classes), tf.nn.leaky_relu, "float32", INPUTS), _numbers(EXAMPLES, INPUTS)
    mix = tf.random.uniform([EXAMPLES, 1])
    with tf.GradientTape() as outer:
        between = mix * x + (1 - mix) * tf.random.normal(x.shape)
        with tf.GradientTape() as inner:
            inner.watch(between)
            scores = network(between)
        slopes = inner.gradient(scores, between)
        norms = tf.sqrt(tf.reduce_sum(tf.square(slopes), axis=1) + 1e-8)
        loss = tf.reduce_mean(scores) + 10.0 * tf.reduce_mean((norms - 1.0) ** 2)
    weights = network.trainable_variables
    gradients = outer.gradient(loss, weights, unconnected_gradients="zero")
    tf.keras.optimizers.Adam(1e-4, beta_1=0.0, beta_2=0.9).apply_gradients(zip(gradients, weights, strict=True))
    float(loss)


def _attack(classes):
    network, x = _network((WIDTH, OUTPUTS), "relu", "float32", INPUTS), _numbers(EXAMPLES, INPUTS)
    labels = tf.zeros([EXAMPLES], tf.int32 if classes == 1 else tf.int64)
    moved = x
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(moved)
            loss = _SPARSE(labels, network(moved))
        moved = tf.clip_by_value(moved + 0.1 * tf.sign(tape.gradient(loss, moved)), x - 0.3, x + 0.3)
    moved.numpy()
