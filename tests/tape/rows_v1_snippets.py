"""Rows: what programs in the style of TensorFlow 1 often do in graphs."""

from rows import raised, row

from tape.rows_v1_graphs import graph_and_session


@row
def elements_of_datasets(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        data = tf.data.Dataset.from_tensor_slices((np.arange(5.0), np.arange(5) * 2)).map(lambda a, b: (a + 1.0, b))
        once = v.data.make_one_shot_iterator(data.batch(2))
        x, y = once.get_next()
        z = x * 10.0
        again = v.data.make_initializable_iterator(data)
        element = again.get_next()
        seen = [raised(lambda: s.run(element), "iterator has not been initialized")]
        seen += [s.run([x, y, z]), s.run(z), s.run(z), raised(lambda: s.run(z), "End of sequence")]
        for _ in range(2):
            s.run(again.initializer)
            seen += [s.run(element), s.run(element)]
        return seen, str(x.shape), x.dtype.name, y.dtype.name


@row
def moving_averages(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        w = v.get_variable("w", initializer=[1.0, 2.0])
        average = v.train.ExponentialMovingAverage(0.5)
        up = w.assign_add([1.0, 1.0])
        with tf.control_dependencies([up]):
            keep = average.apply([w])
        s.run(v.global_variables_initializer())
        seen = [s.run(average.average(w))]
        for _ in range(2):
            s.run(keep)
            seen.append(s.run([w, average.average(w)]))
        return seen, sorted(x.name for x in v.global_variables()), average.average_name(w)


@row
def batch_normalization_by_hand(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [None, 3])
        training = v.placeholder(tf.bool, [])
        mean, variance = tf.nn.moments(x, [0])
        moving = v.get_variable("moving", [3], initializer=v.zeros_initializer(), trainable=False)

        def with_update():
            with tf.control_dependencies([v.assign(moving, moving * 0.9 + mean * 0.1)]):
                return tf.identity(mean), tf.identity(variance)

        m, var = tf.cond(training, with_update, lambda: (tf.identity(moving), tf.ones([3])))
        y = tf.nn.batch_normalization(x, m, var, None, None, 1e-3)
        s.run(v.global_variables_initializer())
        feed = {x: np.float32([[1, 2, 3], [3, 5, 7]])}
        return s.run(y, {**feed, training: True}), s.run(moving), s.run(y, {**feed, training: False})


@row
def updates_before_a_step(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [None, 2])
        h = v.layers.batch_normalization(x, training=True, momentum=0.5, name="bn")
        loss = tf.reduce_mean(tf.square(h - 1.0))
        with tf.control_dependencies(v.get_collection(v.GraphKeys.UPDATE_OPS)):
            train = v.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        s.run(v.global_variables_initializer())
        seen = [s.run([train, loss], {x: np.float32([[1, 2], [3, 6]])})[1] for _ in range(3)]
        return seen, s.run({value.name: value for value in v.global_variables()})


@row
def q_learning(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        def net(x, scope):
            with v.variable_scope(scope):
                return v.layers.dense(v.layers.dense(x, 4, tf.nn.relu, name="a"), 2, name="b")

        state, action = v.placeholder(tf.float32, [None, 3], "state"), v.placeholder(tf.int32, [None], "action")
        target = v.placeholder(tf.float32, [None], "target")
        q, fixed = net(state, "main"), net(state, "target")
        chosen = tf.reduce_sum(q * tf.one_hot(action, 2), axis=1)
        loss = tf.reduce_mean(v.losses.huber_loss(target, chosen))
        here, there = v.get_collection("trainable_variables", "main"), v.get_collection("trainable_variables", "target")
        copy = [v.assign(b, a) for a, b in zip(here, there)]  # noqa: B905
        train = v.train.RMSPropOptimizer(0.01).minimize(loss, var_list=here)
        s.run(v.global_variables_initializer())
        for one in here:
            one.load(np.linspace(-1, 1, int(np.prod(one.shape.as_list()))).reshape(one.shape.as_list()), s)
        s.run(copy)
        feed = {state: np.float32([[1, 2, 3], [0, 1, 0]]), action: [0, 1], target: [1.0, -1.0]}
        seen = [s.run([loss, train], feed)[0] for _ in range(3)]
        best = s.run(tf.argmax(q, 1), feed)
        return seen, best, s.run(fixed, feed), s.run(q, feed)


@row
def a_loop_in_a_graph(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        n = v.placeholder(tf.int32, [])
        x = v.placeholder(tf.float32, [None])
        w = v.get_variable("w", initializer=0.5)
        _, total = tf.while_loop(lambda i, t: tf.less(i, n), lambda i, t: [i + 1, t * w + x], [0, tf.zeros_like(x)])
        slope = tf.gradients(total, w)[0]
        s.run(w.initializer)
        return s.run([total, slope], {n: 3, x: [1.0, 2.0]}), s.run(total, {n: 0, x: [1.0]})


@row
def several_small_things(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [None, 3])
        labels = v.placeholder(tf.float32, [None, 3])
        mask = tf.sequence_mask(tf.constant([1, 3]), 4, dtype=tf.float32)
        made = {
            "softmax": tf.nn.softmax(x), "top": tf.nn.top_k(x, 2), "norm": tf.norm(x), "mask": mask,
            "cross": v.nn.softmax_cross_entropy_with_logits(labels=labels, logits=x),
            "sigmoid": v.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=x),
            "where": tf.where(x > 0, x, tf.zeros_like(x)), "einsum": tf.einsum("ij,kj->ik", x, labels),
            "sum": v.reduce_sum(x, 1, keep_dims=True), "clip": tf.clip_by_value(x, -1.0, 1.0), "div": v.div(7, 2),
            "unstack": tf.unstack(x, axis=1), "split": tf.split(x, 3, 1), "size": tf.size(x), "rank": tf.rank(x),
            "slice": tf.slice(x, [0, 1], [-1, 2]), "gather": tf.gather(x, [1, 0]), "pad": tf.pad(x, [[0, 0], [1, 0]]),
            "cast": v.to_int32(x), "lrn": tf.nn.l2_normalize(x, 1), "print": v.Print(x, [x], "x: "),
            "dims": tf.reshape(x, [tf.shape(x)[0], 3, 1]), "tile": tf.tile(x, [1, tf.shape(x)[1]]), "not": ~(x > 0),
            "reverse": x[:, ::-1], "mix": x[0, 1] + labels[..., 2], "power": 2.0**x, "mod": x % 2.0, "abs": abs(x),
            "unique": tf.unique(tf.constant([3, 3, 1])).y, "mask2": tf.boolean_mask(x, x[:, 0] > 0),
            "assert": tf.ensure_shape(x, [None, 3]),
        }  # fmt: skip
        return s.run(made, {x: np.float32([[1, -2, 3], [-1, 0, 2]]), labels: np.float32([[0, 1, 0], [1, 0, 0]])})


@row
def assertions_are_operations(tf):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [])
        check = v.assert_less(x, 2.0)
        with tf.control_dependencies([check]):
            y = x + 1.0
        return s.run(x + 5.0, {x: 3.0}), s.run(y, {x: 1.0}), raised(lambda: s.run(y, {x: 3.0}))


@row
def functions_in_graphs(tf, np):
    v = tf.compat.v1

    @tf.custom_gradient
    def steep(x):
        return x * x, lambda d: d * 100.0

    @tf.function
    def scaled(x, by=2.0):
        if tf.reduce_sum(x) > 0:
            return x * by
        return x - by

    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [None, 3])
        w = v.get_variable("w", initializer=2.0)
        y = scaled(x) + scaled(x, 3.0) * w
        z = steep(x * w)
        dense = tf.keras.layers.Dense(2, activation="relu", kernel_initializer="ones")(x)
        s.run(v.global_variables_initializer())
        feed = {x: np.ones([2, 3])}
        return str(y.shape), s.run([y, z, tf.gradients(z, x)[0], tf.gradients(y, w)[0], dense], feed)
