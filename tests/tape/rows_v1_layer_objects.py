"""Layers of `tf.compat.v1.layers` as objects."""

from rows import raised, row, row_for

_LAYERS = {
    "dense": lambda v1: (v1.layers.Dense(3, activation=v1.nn.relu), [2, 4]),
    "dense_by_position": lambda v1: (v1.layers.Dense(3, None, False), [2, 4]),
    "convolution": lambda v1: (v1.layers.Conv2D(4, 3, padding="same", name="c"), [2, 6, 6, 3]),
    "convolution_of_lines": lambda v1: (v1.layers.Conv1D(4, 3, strides=2), [2, 7, 3]),
    "transposed": lambda v1: (v1.layers.Conv2DTranspose(4, 3, strides=2), [2, 5, 5, 3]),
    "normalization": lambda v1: (v1.layers.BatchNormalization(momentum=0.9), [4, 3]),
    "normalization_of_pictures": lambda v1: (v1.layers.BatchNormalization(-1, 0.9), [2, 3, 3, 2]),
    "pooling": lambda v1: (v1.layers.MaxPooling2D(2, 2), [2, 4, 4, 1]),
    "average": lambda v1: (v1.layers.AveragePooling1D(2, 1, "same"), [2, 4, 1]),
    "flat": lambda v1: (v1.layers.Flatten(), [2, 3, 4]),
    "dropout": lambda v1: (v1.layers.Dropout(0.5), [2, 3]),
}


def _ones(v1):
    return v1.ones_initializer()


@row_for(name=[*_LAYERS])
def layers_as_objects(tf, np, name):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        with v1.variable_scope("net", initializer=_ones(v1)):
            layer, shape = _LAYERS[name](v1)
            inputs = v1.constant(np.linspace(-1, 1, int(np.prod(shape))).reshape(shape), tf.float32)
            first, second = layer(inputs), layer.apply(inputs)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            values = session.run([first, second])
        names = [v.name for v in layer.variables], [v.name for v in layer.trainable_variables], layer.name
        return values, names, first.shape.as_list(), [v.name for v in v1.global_variables()], layer.built


@row
def layers_in_training(tf, np):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        layer = v1.layers.BatchNormalization(momentum=0.5)
        values = layer(v1.constant(np.float32([[1, 2], [3, 6]])), training=True)
        updates = v1.get_collection(v1.GraphKeys.UPDATE_OPS)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(updates)
            moved = session.run([layer.moving_mean, layer.moving_variance])
            return session.run(values), moved, len(updates), len(layer.updates)


@row
def names_of_layers(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        x = v1.ones([2, 3])
        layers = [v1.layers.Dense(2), v1.layers.Dense(2), v1.layers.Dense(2, name="a"), v1.layers.Dense(2, name="a")]
        names = [layer(x).name for layer in layers]
        with v1.variable_scope("s"):
            names += [v1.layers.Dense(2, name="a")(x).name, v1.layers.dense(x, 2).name]
        shared = v1.layers.Dense(2, name="shared")
        again = [shared(x).name, shared(x).name]
        return names, again, [v.name for v in v1.trainable_variables()], shared.kernel.name, shared.scope_name


@row
def a_network_of_layers_is_trained(tf, np):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 3])
        hidden = v1.layers.Dense(4, tf.nn.tanh, kernel_initializer=v1.constant_initializer(0.1),
                                 kernel_regularizer=lambda w: 0.5 * tf.reduce_sum(w * w))  # fmt: skip
        y = v1.layers.Dense(1, kernel_initializer=_ones(v1))(hidden(x))
        loss = tf.reduce_mean(y**2) + v1.losses.get_regularization_loss()
        step = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            losses = [session.run([loss, step], {x: np.ones([2, 3])})[0] for _ in range(3)]
            return losses, session.run(hidden.kernel), hidden.count_params()


@row
def wrong_arguments_of_layers(tf):
    return raised(lambda: tf.compat.v1.layers.Dense(2, unknown=1), "unknown")
