"""Rows: optimizers by name, their configurations, errors, and what is printed."""

import numpy as np
from rows import names, ones, raised, row


def _variables(tf):
    return tf.Variable(ones(2), name="w"), tf.Variable(ones(3, 2), name="k")


@row
def optimizers_by_name(tf):
    optimizers = tf.keras.optimizers
    listed = [optimizers.get(name) for name in ("adam", "ADAM", "AdamW", "rmsprop", "sgd", "Ftrl", "nadam")]
    same = optimizers.SGD()
    return (
        [type(found).__name__ for found in listed],
        optimizers.get(same) is same,
        [
            raised(lambda: optimizers.get("nope"), "Unknown optimizer: 'nope'"),
            raised(lambda: optimizers.get("lion"), "Unknown optimizer: 'lion'"),
            raised(lambda: optimizers.get(3), "Could not interpret optimizer identifier: 3"),
            raised(lambda: optimizers.get(None), "Could not interpret optimizer identifier: None"),
        ],
    )


@row
def optimizers_written_down(tf):
    optimizers = tf.keras.optimizers
    schedule = optimizers.schedules.ExponentialDecay(0.1, 10, 0.5)
    made = [optimizers.SGD(0.5, momentum=0.25), optimizers.Adam(schedule), optimizers.Lion(0.5)]
    again = [optimizers.deserialize(optimizers.serialize(optimizer)) for optimizer in made[:2]]
    return (
        [optimizers.serialize(optimizer) for optimizer in made],
        [optimizer.get_config() for optimizer in again],
        optimizers.serialize(None),
        optimizers.Adam.from_config(made[1].get_config()).learning_rate,
    )


@row
def schedules_written_down(tf):
    schedules = tf.keras.optimizers.schedules
    made = [
        schedules.ExponentialDecay(0.1, 10, 0.5, True, "rate"),
        schedules.InverseTimeDecay(0.1, 10, 0.5),
        schedules.PolynomialDecay(0.1, 10),
        schedules.CosineDecay(0.1, 10, warmup_target=0.5, warmup_steps=3),
        schedules.CosineDecayRestarts(0.1, 10),
        schedules.PiecewiseConstantDecay([1, 2], [0.3, 0.2, 0.1]),
    ]
    return [
        (s.get_config(), schedules.serialize(s), schedules.deserialize(schedules.serialize(s))(3)) for s in made
    ]


@row
def schedules_called(tf):
    schedules = tf.keras.optimizers.schedules
    wide = schedules.ExponentialDecay(tf.constant(0.1, tf.float64), 10, 0.5)
    pieces = schedules.PiecewiseConstantDecay([1.5, 3.5], [1.0, 2.0, 3.0])
    return [
        wide(3),
        wide(tf.constant(3)),
        [pieces(step) for step in (0, 1, 2, 3, 4)],
        [pieces(tf.constant(step)) for step in (1.25, 1.5, 1.75, 3.5, 4.0)],
        schedules.PolynomialDecay(1.0, 10)(5.0),
        raised(lambda: schedules.PiecewiseConstantDecay([1], [1.0]), "should be 1 less than the length of values"),
        raised(lambda: schedules.LearningRateSchedule()(1), "abstract"),
    ][:-1]


@row
def options_out_of_range(tf):
    optimizers = tf.keras.optimizers
    return [
        raised(lambda: optimizers.SGD(momentum=2.0), "`momentum` must be between [0, 1]"),
        raised(lambda: optimizers.Lion(beta_1=0.0), "must be between ]0, 1]"),
        raised(lambda: optimizers.AdamW(weight_decay=None), "Missing value of `weight_decay`"),
        raised(lambda: optimizers.SGD(clipnorm=1, global_clipnorm=1), "At most one of `clipnorm` and"),
        raised(lambda: optimizers.SGD(use_ema=True, ema_momentum=2), "must be in the range [0, 1]"),
        raised(lambda: optimizers.SGD(use_ema=True, ema_overwrite_frequency=1.5), "must be an integer > 1"),
        raised(lambda: optimizers.Adam(nope=1), "nope is not a valid argument"),
        raised(lambda: optimizers.Adam(decay=1), "decay is deprecated in the new"),
        raised(lambda: optimizers.Ftrl(learning_rate_power=1.0), "needs to be negative or zero"),
        raised(lambda: optimizers.Ftrl(l1_regularization_strength=-1.0), "needs to be positive or zero"),
        raised(lambda: optimizers.SGD(None), "initial_value"),
    ]


@row
def learning_rate(tf):
    optimizers = tf.keras.optimizers
    plain = optimizers.SGD(0.25)
    found = [plain.learning_rate, plain.lr]
    plain.learning_rate = 0.5
    found.append(plain.learning_rate)
    plain.lr = np.float64(0.125)
    found.append(plain.lr)
    plain.learning_rate.assign(2.0)  # pyright: ignore
    found.append(plain.get_config()["learning_rate"])
    scheduled = optimizers.SGD(optimizers.schedules.ExponentialDecay(1.0, 1, 0.5))
    variable = tf.Variable(ones(2))
    for _ in range(2):
        scheduled.apply_gradients([(tf.ones(2), variable)])
    found += [scheduled.learning_rate, scheduled.iterations, variable]
    return found, [
        raised(lambda: setattr(scheduled, "learning_rate", 0.1), "created with a `LearningRateSchedule`"),
        raised(lambda: optimizers.Optimizer("base").learning_rate, "Missing learning rate"),
    ]


@row
def iterations(tf):
    optimizer = tf.keras.optimizers.SGD(1.0)
    optimizer.iterations = tf.Variable(5, dtype=tf.int64)
    w, _ = _variables(tf)
    result = optimizer.apply_gradients([(tf.ones(2), w)])
    error = raised(lambda: setattr(optimizer, "iterations", tf.Variable(0)), "Cannot set `iterations`")
    return int(result), int(optimizer.iterations), error


@row
def gradients_that_do_not_fit(tf):
    w, k = _variables(tf)
    optimizer = tf.keras.optimizers.Adam(0.1)
    optimizer.apply_gradients([(tf.ones(2), w), (None, k)])
    return [
        names(optimizer.variables),
        names(optimizer.variables()),
        raised(lambda: optimizer.apply_gradients([(tf.ones(3), w)]), "Incompatible shapes: [3] vs. [2]"),
        raised(lambda: optimizer.apply_gradients([(tf.ones(2, tf.float64), w)]), "cannot compute Sub as input"),
        raised(lambda: optimizer.apply_gradients([(None, w)]), "No gradients provided for any variable"),
        raised(
            lambda: optimizer.apply_gradients([(1.0, tf.Variable(1.0))]), "cannot recognize variable Variable:0"
        ),
        optimizer.apply_gradients([]),
        optimizer.apply_gradients([(tf.ones(()), w)]),
        optimizer.apply_gradients([(ones(2), w)]),
        w,
    ]


@row
def minimize(tf):
    w, k = _variables(tf)
    optimizer = tf.keras.optimizers.SGD(0.5)
    result = optimizer.minimize(lambda: tf.reduce_sum(w * w) + tf.reduce_sum(k), [w, k])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * 3.0)
    optimizer.minimize(loss, [w], tape=tape)
    optimizer.minimize(lambda: tf.reduce_sum(k), lambda: [k])
    pairs = optimizer.compute_gradients(lambda: tf.reduce_sum(w * w), [w])
    error = raised(lambda: optimizer.minimize(loss, [w]), "`tape` is required when a `Tensor` loss is passed")
    return result, w, k, [(gradient, variable.name) for gradient, variable in pairs], error


@row
def weights(tf):
    w, k = _variables(tf)
    optimizer = tf.keras.optimizers.Adam(0.1)
    early = raised(lambda: optimizer.set_weights([]), "has not yet been built")
    optimizer.build([w, k])
    optimizer.build([w])
    optimizer.set_weights([np.asarray(3 + i * 0, v.dtype.as_numpy_dtype) * np.ones(v.shape, v.dtype.as_numpy_dtype)
                           for i, v in enumerate(optimizer.variables)])  # fmt: skip
    optimizer.apply_gradients([(tf.ones(2), w)])
    store = {}
    optimizer.save_own_variables(store)
    other = tf.keras.optimizers.Adam(0.1)
    other.build([w, k])
    other.load_own_variables(store)
    wrong = [np.zeros(7) for _ in optimizer.variables]
    return (
        early,
        w,
        [v.numpy() for v in other.variables],
        raised(lambda: optimizer.set_weights(wrong), "not compatible with provided weight shape"),
    )


@row
def options_set_later(tf):
    w, _ = _variables(tf)
    optimizer = tf.keras.optimizers.Adam(0.1, beta_1=tf.Variable(0.5))
    optimizer.apply_gradients([(tf.ones(2), w)])
    optimizer.beta_1.assign(0.25)
    optimizer.apply_gradients([(tf.ones(2), w)])
    optimizer.beta_2 = 0.5
    optimizer.clipvalue = 0.5
    optimizer.apply_gradients([(tf.ones(2), w)])
    return w, optimizer.variables[1:]


@row
def inside_a_function(tf):
    w, k = _variables(tf)
    optimizer = tf.keras.optimizers.Adam(0.1)

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * x) + tf.reduce_sum(k * k)
        optimizer.apply_gradients(zip(tape.gradient(loss, [w, k]), [w, k], strict=True))
        return loss

    losses = [step(tf.constant(float(i))) for i in range(3)]
    optimizer.learning_rate = 0.0
    before = w.numpy()
    step(tf.constant(1.0))
    return losses, w, k, names(optimizer.variables), optimizer.iterations, bool((before == w.numpy()).all())


@row
def overridden_update_step(tf):
    class Loud(tf.keras.optimizers.SGD):
        seen = 0

        def update_step(self, gradient, variable):
            type(self).seen += 1
            super().update_step(gradient * 2.0, variable)

    w, k = _variables(tf)
    optimizer = Loud(0.25)
    optimizer.apply_gradients([(tf.ones(2), w), (tf.ones((3, 2)), k)])
    return Loud.seen, w, k


@row
def variables_of_a_model(tf):
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, kernel_initializer="ones")])
    optimizer = tf.keras.optimizers.SGD(0.5)
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(ones(1, 3)))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return model.get_weights(), names(optimizer.variables)


@row
def a_subclass_that_takes_no_state(tf):
    class Descent(tf.keras.optimizers.legacy.Optimizer):
        def __init__(self):
            super().__init__("Descent")
            self._set_hyper("learning_rate", 0.1)

        def _resource_apply_dense(self, grad, var):
            return var.assign_sub(self._get_hyper("learning_rate") * grad)

        def _resource_apply_sparse(self, grad, var, indices):
            return var.scatter_sub(tf.IndexedSlices(0.1 * grad, indices))

        def get_config(self):
            return {}

    v, optimizer = tf.Variable([1.0, 2.0]), Descent()
    optimizer.apply_gradients([(tf.constant([1.0, 1.0]), v)])
    optimizer.apply_gradients([(tf.IndexedSlices(tf.constant([1.0]), tf.constant([1])), v)])
    return v
