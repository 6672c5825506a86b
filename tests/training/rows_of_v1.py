"""Rows: the optimizers, learning rates and losses of `tf.compat.v1` in eager execution and in functions."""

import numpy as np
from rows import raised, row


def _steps(tf, make, function=lambda step: step):
    """Three steps with a dense and a sparse gradient; the variables and slots after them."""
    optimizer = make()
    x, rows = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(tf.ones([4, 2]))
    count = tf.Variable(0, dtype=tf.int64)

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x**2) + tf.reduce_sum(tf.gather(rows, [0, 2, 2]) ** 2)
        gradients = tape.gradient(loss, [x, rows])
        optimizer.apply_gradients(zip(gradients, [x, rows], strict=True), global_step=count)

    step = function(step)
    for _ in range(3):
        step()
    names = optimizer.get_slot_names()
    slots = [optimizer.get_slot(variable, name).numpy() for variable in (x, rows) for name in names]
    shapes = sorted(v.shape.as_list() for v in optimizer.variables())
    return [x, rows, count, names, slots, shapes, optimizer.get_name()]


@row
def steps_of_optimizers(tf):
    train = tf.compat.v1.train
    made = [
        lambda: train.GradientDescentOptimizer(0.1),
        lambda: train.MomentumOptimizer(0.1, 0.9),
        lambda: train.MomentumOptimizer(0.1, 0.9, use_nesterov=True, name="Mine"),
        lambda: train.AdamOptimizer(0.1),
        lambda: train.AdamOptimizer(lambda: 0.1, beta1=0.5, epsilon=0.1),
        lambda: train.AdagradOptimizer(0.1),
        lambda: train.AdadeltaOptimizer(0.1),
        lambda: train.RMSPropOptimizer(0.1),
        lambda: train.RMSPropOptimizer(0.1, momentum=0.5, centered=True),
        lambda: train.FtrlOptimizer(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.1),
        lambda: train.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=0.1),
    ]
    return [_steps(tf, make) for make in made], _steps(tf, made[3], tf.function)


@row
def calls_of_optimizers(tf):
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.25)
    v, other = tf.Variable(2.0), tf.Variable(1.0)
    (pair,) = optimizer.compute_gradients(lambda: v * v, [v])
    watched = optimizer.compute_gradients(lambda: v * other)
    return [
        pair[0], pair[1] is v, len(watched),
        optimizer.minimize(lambda: v * v, var_list=[v]), v,
        raised(lambda: optimizer.compute_gradients(v * v), "should be a function when eager execution is enabled"),
        raised(lambda: optimizer.minimize(v * v), "should be a function when eager execution is enabled"),
        raised(lambda: optimizer.apply_gradients([]), "No variables provided"),
        raised(lambda: optimizer.apply_gradients([(None, v)]), "No gradients provided for any variable"),
        optimizer.get_slot(v, "momentum"),
        raised(lambda: tf.compat.v1.train.AdagradOptimizer(0.1, 0.0), "initial_accumulator_value must be positive"),
    ]  # fmt: skip


@row
def learning_rates(tf):
    train = tf.compat.v1.train
    step = tf.Variable(3, dtype=tf.int64)
    made = [
        train.exponential_decay(0.1, step, 5, 0.5), train.exponential_decay(0.1, step, 5, 0.5, staircase=True),
        train.polynomial_decay(0.1, step, 10), train.polynomial_decay(0.1, step, 7, 0.01, 2.0, cycle=True),
        train.piecewise_constant(step, [5, 20], [1.0, 0.1, 0.01]), train.inverse_time_decay(0.1, step, 5, 0.5),
        train.natural_exp_decay(0.1, step, 5, 0.5), train.cosine_decay(0.1, step, 50, 0.25),
        train.cosine_decay_restarts(0.1, step, 10), train.linear_cosine_decay(0.1, step, 50),
    ]  # fmt: skip
    found = [rate() for rate in made]
    step.assign(23)
    optimizer = train.MomentumOptimizer(made[0], 0.5)
    x = tf.Variable(1.0)
    optimizer.apply_gradients([(tf.constant(1.0), x)])
    in_function = tf.function(lambda: train.exponential_decay(0.1, step, 5, 0.5))()
    return found, [rate() for rate in made], x, in_function


@row
def losses(tf):
    losses = tf.compat.v1.losses
    of = losses.Reduction
    a, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.5, 1.0], [0.0, 4.0]])
    classes = tf.constant([[0.0, 1.0]])
    found = [
        losses.mean_squared_error(a, b), losses.mean_squared_error(a, b, weights=[[1.0], [0.0]]),
        losses.mean_squared_error(a, b, reduction=of.NONE), losses.huber_loss(a, b),
        losses.huber_loss(a, b, delta=0.3, reduction=of.SUM), losses.absolute_difference(a, b, weights=2.0),
        losses.log_loss(classes, tf.constant([[0.2, 0.7]])), losses.hinge_loss(classes, b[:1]),
        losses.cosine_distance(a, b, axis=1), losses.sigmoid_cross_entropy(classes, a[:1], label_smoothing=0.1),
        losses.softmax_cross_entropy(classes, a[:1], label_smoothing=0.1),
        losses.sparse_softmax_cross_entropy(tf.constant([0, 1]), a, weights=tf.constant([0.5, 2.0])),
        losses.sparse_softmax_cross_entropy(tf.constant([[0], [1]]), a, weights=tf.constant([[0.5], [2.0]])),
        losses.mean_pairwise_squared_error(a, b), losses.mean_pairwise_squared_error(a, b, weights=[[1.0], [3.0]]),
        losses.get_regularization_loss(), losses.get_losses(),
    ]  # fmt: skip
    weights = [[1.0, 0.0], [1.0, 1.0]]
    found += [losses.compute_weighted_loss(a, weights, reduction=how) for how in of.all()]
    found += [losses.compute_weighted_loss(tf.cast(a, tf.float64), 2.0, reduction=of.MEAN)]
    return found, of.all(), [
        raised(lambda: losses.mean_squared_error(a, b[0]), "Shapes (2,) and (2, 2) are incompatible"),
        raised(lambda: losses.mean_squared_error(a, b, weights=[1.0, 2.0, 3.0]), "weights can not be broadcast"),
        raised(lambda: losses.mean_squared_error(a, b, reduction="x"), "Invalid Reduction Key x."),
        raised(lambda: losses.mean_squared_error(a, b, weights=None)),
        raised(lambda: losses.mean_squared_error(None, b)),
        raised(lambda: losses.cosine_distance(a, b)),
    ]


@row
def gradients_of_losses(tf):
    losses = tf.compat.v1.losses
    labels, given = np.array([[1.0, 2.0], [3.0, 4.0]], "float32"), tf.Variable([[1.5, 1.0], [0.0, 4.0]])
    found = []
    for loss in (losses.mean_squared_error, losses.huber_loss, losses.softmax_cross_entropy, losses.hinge_loss):
        with tf.GradientTape() as tape:
            value = loss(labels, given, weights=[[1.0], [0.5]]) if loss is not losses.softmax_cross_entropy else loss(
                labels, given, weights=[1.0, 0.5]
            )
        found.append(tape.gradient(value, given))
    return found


@row
def what_datasets_give(tf):
    data = tf.compat.v1.data
    made = tf.data.Dataset.range(3).batch(2)
    return [
        data.get_output_shapes(made).as_list(), data.get_output_types(made).name,
        data.make_one_shot_iterator(made).get_next(), next(data.make_one_shot_iterator(made)),
        raised(lambda: data.make_initializable_iterator(made), "is not supported in eager mode"),
    ]  # fmt: skip


@row
def rows_chosen_by_a_vector(tf):
    where = tf.compat.v1.where
    return [
        where([True, False], tf.ones([2, 3]), tf.zeros([2, 3])), where([True, False]),
        where([[True], [False]], [[1], [2]], [[3], [4]]), where(True, 1.0, 2.0),
    ]  # fmt: skip


@row
def initializers_of_keras(tf):
    found = {}
    initializers = tf.compat.v1.keras.initializers
    for name in """Constant Identity Ones Orthogonal RandomNormal RandomUniform TruncatedNormal VarianceScaling Zeros
                   constant glorot_normal glorot_uniform he_normal he_uniform identity lecun_normal lecun_uniform
                   normal ones orthogonal random_normal random_uniform truncated_normal uniform zeros""".split():
        tf.random.set_seed(0)
        initializer = getattr(initializers, name)()
        layer = tf.keras.layers.Dense(3, kernel_initializer=initializer)
        layer.build([None, 3])
        seeded = getattr(initializers, name)(seed=3) if "seed" in initializer.get_config() else initializer
        found[name] = [initializer([3, 3]), layer.kernel, seeded([3, 3]), seeded.get_config(), type(seeded).__name__]
    return found


@row
def optimizers_of_keras(tf):
    optimizers = tf.compat.v1.keras.optimizers
    made = [optimizers.Adam(), optimizers.SGD(0.1), optimizers.RMSprop(0.1)]
    return [[isinstance(o, tf.keras.optimizers.legacy.Optimizer), o.get_config()] for o in made]


@row
def recurrent_layers_of_keras(tf):
    layers, found = tf.compat.v1.keras.layers, []
    x = np.sin(np.arange(24.0, dtype="float32")).reshape(2, 3, 4)
    for name in ("LSTM", "GRU"):
        cell = getattr(layers, f"{name}Cell")(2, kernel_initializer="ones", recurrent_initializer="ones")
        layer = getattr(layers, name)(2, kernel_initializer="ones", recurrent_initializer="ones", return_sequences=True)
        again = type(layer).from_config(layer.get_config())
        found.append([
            layer(x), layers.RNN(cell)(x), layer.name, layer.implementation, layer.get_config()["recurrent_activation"],
            [w.shape.as_list() for w in layer.weights], again.get_config() == layer.get_config(),
        ])  # fmt: skip
    return found


@row
def older_optimizers_of_newer_ones(tf):
    convert = tf.keras.__internal__.optimizers.convert_to_legacy_optimizer
    optimizers = tf.keras.optimizers
    schedule = optimizers.schedules.ExponentialDecay(0.5, 10, 0.5)
    found = []
    for newer in (
        optimizers.Adam(0.25, amsgrad=True), optimizers.SGD(schedule, momentum=0.5), optimizers.RMSprop(0.5),
    ):  # fmt: skip
        older, v = convert(newer), tf.Variable([1.0, 2.0])
        older.apply_gradients([(tf.constant([1.0, 0.5]), v)])
        found.append([isinstance(older, optimizers.legacy.Optimizer), type(older).__name__, v])
    return found, raised(lambda: convert(optimizers.legacy.Adam())), raised(lambda: convert("adam"))


@row
def weighted_losses_of_keras(tf):
    weighted = tf.keras.__internal__.losses.compute_weighted_loss
    losses = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    return [
        weighted(losses), weighted(losses, [[1.0], [2.0]]), weighted([1.0, 2.0], reduction="none"),
        weighted(losses, [1.0, 0.0], "sum"), raised(lambda: weighted(losses, reduction="most")),
    ]  # fmt: skip


@row
def learning_rates_under_their_inner_names(tf):
    train = tf.compat.v1.train
    v, adam, descent = tf.Variable(1.0), train.AdamOptimizer(0.25), train.GradientDescentOptimizer(0.5)
    given = adam._lr, descent._learning_rate, train.AdadeltaOptimizer(lambda: 2.0)._lr()
    adam._lr = 0.125
    adam.apply_gradients([(tf.constant(1.0), v)])
    return given, v
