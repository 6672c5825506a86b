"""Rows: graphs and sessions of `tf.compat.v1`."""

import contextlib

import numpy
from rows import raised, row, row_for, row_that_differs

X = numpy.float32([[1, 2, 3], [4, 5, 6]])


@contextlib.contextmanager
def graph_and_session(tf, seed=None):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        if seed is not None:
            tf.compat.v1.set_random_seed(seed)
        yield session


@row
def fetches_are_nests(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [None, 3], name="x")
        y = x * 2.0
        z = tf.reduce_sum(y, name="z")
        feed = {x: X}
        return [
            s.run(z, feed), s.run([y, z], feed), s.run({"a": z, "b": (y, [z, z])}, feed), s.run("z:0", {"x:0": X}),
            s.run([z.op, "z", z], feed), s.run(x, feed), s.run([], feed), s.run((y,), feed),
            type(s.run(z, feed)).__name__,
        ]  # fmt: skip


@row
def any_tensor_can_be_fed(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        a = tf.constant(2.0)
        b = a * 3.0
        c = b + 1.0
        d = v.placeholder_with_default(c, [])
        variable = v.get_variable("v", initializer=5.0)
        s.run(v.global_variables_initializer())
        return [
            s.run(c), s.run(c, {b: 10.0}), s.run([b, c, d], {c: 0.5}), s.run(d, {d: 7}), s.run(c, {a: 1.0, b: 2.0}),
            s.run(variable * 2.0), s.run([b, b], {b: [1.0, 2.0][0]}),
        ]  # fmt: skip


@row
def what_a_session_refuses(tf, np):
    v = tf.compat.v1
    with tf.Graph().as_default() as other:
        foreign = tf.constant(1.0)
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [None, 3], name="x")
        n = v.placeholder(tf.int32, [], name="n")
        w = v.get_variable("w", [3, 1])
        y = tf.matmul(x, w)
        tensor = tf.ones([1, 3])
        told = [
            raised(lambda: s.run(x * 1.0), "You must feed a value for placeholder tensor 'x' with dtype float"),
            raised(lambda: s.run(y, {x: X}), "Could not find variable w"),
            raised(lambda: s.run(x, {x: np.ones([1, 4])}), "Cannot feed value of shape (1, 4) for Tensor x:0"),
            raised(lambda: s.run(3), "has invalid type \"int\" must be a string or Tensor"),
            raised(lambda: s.run(None), "has invalid type \"NoneType\""),
            raised(lambda: s.run("no:0"), "cannot be interpreted as a Tensor"),
            raised(lambda: s.run(foreign), "is not an element of this graph"),
            raised(lambda: s.run(x, {3: 1}), "Cannot interpret feed_dict key as Tensor"),
            raised(lambda: s.run(x, {x: tensor}), "The value of a feed cannot be a tf.Tensor object"),
            raised(lambda: s.run(n, {n: 2**40}), "is not compatible with Tensor type"),
            raised(lambda: foreign + x, "must be from the same graph as"),
            raised(lambda: bool(x), "as a Python `bool` is not allowed"),
            raised(lambda: list(x), "Iterating over a symbolic `tf.Tensor` is not allowed"),
            raised(lambda: float(x)),
            raised(lambda: np.array(x), "Cannot convert a symbolic tf.Tensor"),
            raised(lambda: v.get_variable("w", [3, 1]), "Variable w already exists, disallowed."),
            raised(lambda: tf.gradients(y, [w], grad_ys=[None, None])),
        ]
    closed = v.Session(graph=other)
    closed.close()
    return [
        *told, raised(lambda: closed.run(foreign), "Attempted to use a closed Session."),
        raised(lambda: foreign.eval(), "Cannot evaluate tensor using `eval()`: No default session is registered"),
        raised(lambda: foreign.op.run(), "No default session is registered"),
        raised(lambda: v.Session(graph=tf.Graph()).run(foreign), "The Session graph is empty"),
    ]  # fmt: skip


@row
def names_and_scopes(tf):
    v = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = v.placeholder(tf.float32, [None, 3], name="x")
        w = tf.Variable(tf.zeros([3, 2]), name="W")
        b = tf.Variable(tf.zeros([2]))
        y = tf.matmul(x, w) + b
        made = [x, y, tf.reduce_mean(y), tf.nn.relu(y), tf.add(y, 1.0), y * 2.0, -y, y - 1.0, y[0]]
        with v.variable_scope("a"):
            u = v.get_variable("u", [2])
            made += [tf.constant(1)]
            with v.name_scope("n"):
                made += [tf.constant(1), v.get_variable("q", [1]), tf.Variable(1.0)]
            with v.variable_scope("inner"):
                made += [v.get_variable("u", [2])]
        with v.variable_scope("a", reuse=True):
            made += [v.get_variable("u", [2]), tf.constant(1)]
        with v.variable_scope(None, "layer"):
            made += [v.get_variable("k", [1])]
        with v.variable_scope(None, "layer"):
            made += [v.get_variable("k", [1])]
        with v.name_scope("n"), v.name_scope(None, "m", [x]) as scope:
            made += [tf.identity(x, name="id"), tf.identity(x, name="id")]
        return [
            [m.name for m in made], scope, w.op.name, u.op.name, w.initializer.name, str(y), repr(x), repr(w),
            str(v.placeholder("float")), graph.get_tensor_by_name("x:0") is x, x.op.type, y.op.name,
            graph.get_operation_by_name("x") is x.op, x.graph is graph, v.get_default_graph() is graph,
            graph.unique_name("x"), graph.unique_name("x", False), graph.unique_name("new"),
            raised(lambda: graph.get_tensor_by_name("x"), "Tensor names must be of the form"),
            raised(lambda: graph.get_tensor_by_name("absent:0"), "The operation, 'absent', does not exist"),
            raised(lambda: graph.get_tensor_by_name("x:1"), "only has 1 outputs"),
            raised(lambda: graph.get_operation_by_name("absent"), "refers to an Operation not in the graph"),
        ]  # fmt: skip


@row
def variables_of_scopes(tf):
    v = tf.compat.v1
    with tf.Graph().as_default():
        with v.variable_scope("s") as scope:
            first = v.get_variable("x", [2], initializer=v.constant_initializer(1.0))
            scope.reuse_variables()
            same = v.get_variable("x", [2]) is first
            told = [raised(lambda: v.get_variable("y", [2]), "Variable s/y does not exist")]
            told += [raised(lambda: v.get_variable("x", [3]), "specified shape (3,) and found shape (2,)")]
            told += [raised(lambda: v.get_variable("x", [2], tf.int32), "specified dtype int32 and found dtype")]
        with v.variable_scope("s", reuse=v.AUTO_REUSE):
            again, new = v.get_variable("x", [2]), v.get_variable("new", [2], trainable=False)
        with v.variable_scope(scope, reuse=True):
            entered = v.get_variable("x", [2])
        told += [raised(lambda: v.get_variable("unshaped"))]
        local = v.get_local_variable("local", [1])
        listed = v.get_variable("listed", [1], collections=["mine"])
        return [
            same, again is first, entered is first, new.name, told, [x.name for x in v.trainable_variables()],
            [x.name for x in v.global_variables()], [x.name for x in v.local_variables()], local.trainable,
            [x.name for x in v.get_collection("mine")], [x.name for x in v.get_collection("variables", scope="s/n")],
            listed.name, v.get_variable_scope().name, scope.name, scope.original_name_scope,
        ]  # fmt: skip


@row
def regularized_variables(tf):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        def penalty(w):
            return 0.5 * tf.reduce_sum(w * w)

        with v.variable_scope("r", regularizer=penalty):
            v.get_variable("x", initializer=[1.0, 2.0])
        v.get_variable("y", initializer=[3.0], regularizer=penalty)
        s.run(v.global_variables_initializer())
        losses = v.get_collection(v.GraphKeys.REGULARIZATION_LOSSES)
        return len(losses), s.run(losses), s.run(tf.add_n(losses))


@row
def assignments_and_their_order(tf):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.get_variable("x", initializer=1.0)
        up = v.assign_add(x, 1.0)
        with tf.control_dependencies([up]):
            after = x.read_value() * 10.0
            then = tf.identity(x)
        chain = after + 1.0
        reset = x.assign(0.0)
        with tf.control_dependencies([reset]):
            with tf.control_dependencies(None):
                free = tf.constant(3.0)
            both = tf.group(v.assign_add(x, 5.0), tf.no_op())
        counter = tf.Variable(0, name="n")
        step = counter.assign_add(1)
        seen = [s.run(v.global_variables_initializer())]
        seen += [s.run(x), s.run(up), s.run(x), s.run([after, then]), s.run(chain), s.run(x)]
        seen += [s.run(both), s.run(x), s.run(free), s.run(x), s.run(reset.op), s.run(x)]
        seen += [[s.run(step) for _ in range(3)], s.run(counter), v.assign(x, 9.0).eval(), x.eval()]
        x.load(4.0, s)
        seen += [s.run(x), s.run(x.assign_sub(1.0)), x.initial_value.eval()]
        return seen


@row
def rows_of_variables(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.get_variable("x", initializer=np.zeros([4, 2], np.float32))
        i = v.placeholder(tf.int32, [None])
        update = v.scatter_update(x, i, tf.ones([2, 2]))
        add = v.scatter_add(x, [1], [[5.0, 6.0]])
        gathered = tf.gather(x, i)
        s.run(x.initializer)
        return [s.run(update, {i: [0, 3]}), s.run(add), s.run(gathered, {i: [1, 1]}), s.run(x)]


@row
def what_is_not_initialized(tf):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        a = v.get_variable("a", initializer=1.0)
        b = v.get_variable("b", initializer=a.initial_value * 2.0)
        local = tf.compat.v1.Variable(3.0, collections=[v.GraphKeys.LOCAL_VARIABLES], name="c")
        names = v.report_uninitialized_variables()
        known = v.is_variable_initialized(b)
        seen = [s.run([names, known])]
        s.run(a.initializer)
        seen += [s.run([names, known])]
        s.run(v.variables_initializer([b]))
        seen += [s.run([names, known, b])]
        s.run(v.local_variables_initializer())
        return [*seen, s.run([names, known, local])]


@row
def two_sessions_of_one_graph(tf):
    v = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = v.get_variable("x", initializer=1.0)
        up = x.assign_add(1.0)
        init = v.global_variables_initializer()
    first, second = v.Session(graph=graph), v.Session(graph=graph)
    first.run(init), second.run(init)
    first.run(up), first.run(up)
    with graph.as_default(), first.as_default():
        inside = [v.get_default_session() is first, x.eval(), up.eval(session=second)]
    return [*inside, first.run(x), second.run(x), v.get_default_session() is None, first.graph is graph]


@row
def an_interactive_session(tf):
    v = tf.compat.v1
    with tf.Graph().as_default():
        s = v.InteractiveSession()
        x = tf.Variable(2.0)
        x.initializer.run()
        y = x * 3.0
        seen = [y.eval(), v.get_default_session() is s, x.assign(5.0).eval(), y.eval({x.value(): 0.0})]
        seen += [y.eval({y: 1.0})]
        s.close()
        return [*seen, v.get_default_session() is None]


@row_for(order=[1, 2])
def gradients_in_graphs(tf, np, order):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [3], name="x")
        w = v.get_variable("w", initializer=[1.0, -2.0, 3.0])
        unused = v.get_variable("unused", initializer=1.0)
        h = x * w
        y = tf.reduce_sum(h**3)
        d = tf.gradients(y, [w, x, h, unused, tf.stop_gradient(w)])
        if order == 2:
            d = tf.gradients(d[0], [w, x, unused])
        found = [g is None for g in d]
        s.run(v.global_variables_initializer())
        scaled = tf.gradients([y, h], x, grad_ys=[2.0, tf.ones([3])])
        cut = tf.gradients(y, [w, h], stop_gradients=[h])
        zero = tf.gradients(y, unused, unconnected_gradients="zero")
        return [found, s.run([g for g in d if g is not None], {x: [1, 2, 3]}), s.run(scaled, {x: [1, 2, 3]}),
                [g is None for g in cut], s.run(cut[1], {x: [1, 2, 3]}), s.run(zero)]  # fmt: skip


@row
def shapes_of_graphs(tf):
    v = tf.compat.v1
    with tf.Graph().as_default():
        x = v.placeholder(tf.float32, [None, 8, 8, 3])
        n = v.placeholder(tf.int32, [None, None])
        free = v.placeholder(tf.float32)
        w = v.get_variable("w", [3, 3, 3, 4])
        conv = tf.nn.conv2d(x, w, strides=[1, 2, 2, 1], padding="SAME")
        made = [
            conv, v.nn.max_pool(conv, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"), tf.reshape(conv, [-1, 64]),
            tf.reshape(conv, [tf.shape(x)[0], 64]), tf.nn.embedding_lookup(tf.zeros([10, 5]), n), tf.one_hot(n, 7),
            tf.argmax(conv, 1), tf.shape(x), tf.reduce_mean(free), free * 2.0, tf.concat([x, x], 3), tf.transpose(n),
            tf.expand_dims(n, 1), x[:, 0], x[0], x[..., 0], tf.cast(n, tf.float32), tf.stack([n, n]), n > 1,
            tf.zeros_like(x), tf.range(n[0, 0]), tf.where(n > 1), tf.boolean_mask(n, n > 1),
            tf.tile(x, [2, 1, 1, 1]), tf.split(x, 3, 3)[0], tf.nn.softmax(free), tf.reduce_sum(x, [1, 2]),
        ]  # fmt: skip
        free.set_shape([None, 2])
        return [str(m.shape) for m in made], [m.dtype.name for m in made], str(free.shape), str(x.get_shape())


@row
def a_placeholder_of_unknown_shape(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder("float")
        keep = v.placeholder(tf.float32)
        y = tf.reduce_mean(tf.square(x * 2.0 - 1.0))
        dropped = v.nn.dropout(tf.ones([4, 4]), keep_prob=keep)
        values = [s.run(y, {x: value}) for value in (3, [1.0, 2.0], np.ones([2, 2]))]
        return [*values, s.run(dropped, {keep: 1.0})]


@row
def branches_and_loops(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [], name="x")
        training = v.placeholder(tf.bool, [])
        w = v.get_variable("w", initializer=2.0)
        chosen = tf.cond(training, lambda: x * w, lambda: x - w)
        moved = tf.cond(x > 0, lambda: v.assign_add(w, x), lambda: tf.identity(w))
        total = v.while_loop(lambda i, t: i < 5, lambda i, t: (i + 1, t + x * w), (tf.constant(0), tf.constant(0.0)))
        slope = tf.gradients(total[1], [x, w])
        rows = tf.map_fn(lambda e: e * x, tf.constant([1.0, 2.0, 3.0]))
        scanned = tf.scan(lambda a, e: a + e * x, tf.constant([1.0, 2.0, 3.0]), initializer=0.0)
        case = v.case([(x > 2.0, lambda: x * 100.0), (x > 1.0, lambda: x * 10.0)], default=lambda: x)
        s.run(v.global_variables_initializer())
        seen = [s.run(chosen, {x: 3.0, training: on}) for on in (True, False)]
        seen += [s.run(total, {x: 2.0}), s.run(slope, {x: 2.0}), s.run(rows, {x: 2.0}), s.run(scanned, {x: 2.0})]
        seen += [s.run(case, {x: value}) for value in (3.0, 1.5, 0.5)]
        seen += [s.run(moved, {x: -1.0}), s.run(w), s.run(moved, {x: 1.0}), s.run(w)]
        return seen


@row_for(seeded=["graph", "op", "both"])
def random_ops_go_on_from_run_to_run(tf, seeded):
    v = tf.compat.v1
    with graph_and_session(tf, None if seeded == "op" else 7) as s:
        seed = None if seeded == "graph" else 3
        a = v.random_normal([2], seed=seed)
        b = v.random_uniform([2], seed=seed)
        c = v.get_variable("c", [2, 2], initializer=v.truncated_normal_initializer(stddev=0.1, seed=seed))
        d = v.get_variable("d", [2, 2]) if seed is None else c
        drop = v.nn.dropout(tf.ones([8]), keep_prob=0.5, seed=seed)
        shuffled = v.random_shuffle(tf.range(6), seed=seed)
        s.run(v.global_variables_initializer())
        seen = [s.run(a), s.run([a, b]), s.run(a), s.run([c, d]), s.run(drop), s.run([drop, shuffled])]
        again = v.Session()
        return [*seen, again.run(a), again.run(b)]


@row
def text_in_graphs(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        t = v.placeholder(tf.string, [None])
        n = v.placeholder(tf.float32, [None])
        joined = tf.strings.join([t, t], "-")
        numbers = v.string_to_number(t) * 2.0
        x = tf.constant("x")
        texts = s.run(joined, {t: ["a", "b"]}).tolist() + s.run(v.as_string(n + 1), {n: [1]}).tolist() + [s.run(x)]
        return [[text.decode() for text in texts], s.run(numbers, {t: ["1", "2.5"]})]


@row
def python_in_graphs(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [None])
        y = v.py_func(lambda a: (a * 2).astype(np.float32), [x], tf.float32)
        many = v.py_func(lambda a: [a, np.int64(len(a))], [x], [tf.float32, tf.int64])
        y.set_shape([None])
        return [s.run(y + 1.0, {x: [1, 2]}), s.run(many, {x: [1, 2, 3]}), str(y.shape), str(many[0].shape)]


@row
def collections_of_graphs(tf):
    v = tf.compat.v1
    with tf.Graph().as_default() as graph:
        v.add_to_collection("c", 1)
        v.add_to_collections(["c", "d"], 2)
        graph.add_to_collection("d", 3)
        loss = v.losses.mean_squared_error(tf.ones([2]), tf.zeros([2]))
        held = [v.get_collection("c"), v.get_collection("d"), graph.get_collection("none")]
        held += [v.losses.get_losses()[0] is loss]
        graph.finalize()
        refused = raised(lambda: tf.constant(1.0), "Graph is finalized and cannot be modified.")
    with tf.Graph().as_default():
        return [*held, refused, v.get_collection("c")]


@row
def steps_of_a_graph(tf):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        before = v.train.get_global_step()
        step = v.train.get_or_create_global_step()
        same = v.train.get_or_create_global_step() is step and v.train.get_global_step() is step
        rate = v.train.exponential_decay(0.1, step, 2, 0.5, staircase=True)
        x = v.get_variable("x", initializer=[1.0, 2.0])
        loss = tf.reduce_sum(x**2)
        train = v.train.GradientDescentOptimizer(rate).minimize(loss, global_step=step)
        s.run(v.global_variables_initializer())
        seen = [s.run([train, loss, step, rate]) for _ in range(4)]
        return [before, same, step.name, step.dtype.name, seen, s.run(step), v.train.global_step(s, step)]


@row_for(kind=["GradientDescent", "Momentum", "Adam", "Adagrad", "RMSProp", "Adadelta", "Ftrl"])
def optimizers_in_graphs(tf, np, kind):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        more = {"momentum": 0.9} if kind == "Momentum" else {}
        rate = v.placeholder(tf.float32, [])
        optimizer = getattr(v.train, f"{kind}Optimizer")(learning_rate=rate, **more)
        w = v.get_variable("w", initializer=np.float32([[1, 2], [3, 4], [5, 6]]))
        b = v.get_variable("b", initializer=np.float32([0.5, -0.5]))
        ids = v.placeholder(tf.int32, [None])
        rows = tf.nn.embedding_lookup(w, ids)
        loss = tf.reduce_sum(tf.square(rows + b))
        pairs = optimizer.compute_gradients(loss)
        train = optimizer.apply_gradients([(g if x is w else tf.clip_by_norm(g, 1.0), x) for g, x in pairs])
        s.run(v.global_variables_initializer())
        for _ in range(3):
            s.run(train, {ids: [0, 2, 2], rate: 0.1})
        slots = optimizer.get_slot_names()
        values = [s.run(optimizer.get_slot(w, slot)) for slot in slots]
        return train.name, sorted(x.name for x in v.global_variables()), slots, s.run([w, b]), values


@row
def tapes_see_what_is_recorded(tf, np):
    with graph_and_session(tf) as s:
        x, v = tf.constant([1.0, -2.0]), tf.Variable([3.0, 4.0])
        s.run(tf.compat.v1.global_variables_initializer())
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x * v
            z = tf.reduce_sum(y)
        unwatched = tf.constant([1.0, 1.0])
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                cubes = x * x * x
            first = inner.gradient(cubes, x)
        return s.run([
            tape.gradient(y, x), tape.gradient(z, v), tape.gradient([y, z], {"v": v, "x": x}), tape.gradient(x, x),
            tape.gradient(y, x, output_gradients=tf.constant([1.0, 2.0])), outer.gradient(first, x),
            tape.gradient(z, unwatched, unconnected_gradients="zero"), tape.jacobian(y, x), tape.jacobian(z, v),
        ]), tape.gradient(z, unwatched)  # fmt: skip


@row
def tapes_watch_nothing_that_they_are_not_told_to(tf, np):
    with graph_and_session(tf):
        x, v = tf.constant(2.0), tf.Variable(3.0)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            y = x * v
        return tape.gradient(y, [x, v])


@row
def jacobians_of_rows(tf, np):
    with graph_and_session(tf) as s:
        x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.stack([tf.reduce_sum(x, 1), tf.reduce_prod(x, 1)], 1)
        return s.run(tape.batch_jacobian(y, x), {x: X})


@row_for(name=["positive", "negative", "non_positive", "non_negative"])
def signs_are_asserted(tf, np, name):
    with graph_and_session(tf) as s:
        x = tf.compat.v1.placeholder(tf.float32, [None])
        with tf.control_dependencies([getattr(tf.debugging, f"assert_{name}")(x, message="here")]):
            y = tf.identity(x)
        s.run(y, {x: [-1.0] if name in ("negative", "non_positive") else [1.0]})
        wrong = [1.0] if name in ("negative", "non_positive") else [-1.0]
        return raised(lambda: s.run(y, {x: wrong}), "here")


@row
def ranks_and_dtypes_are_asserted(tf, np):
    debugging = tf.debugging
    with graph_and_session(tf) as s:
        x = tf.compat.v1.placeholder(tf.float32, [None])
        debugging.assert_rank(x, 1)
        debugging.assert_rank_at_least(x, 1)
        debugging.assert_rank_in(x, [0, 1])
        debugging.assert_type(x, tf.float32)
        return (
            raised(lambda: debugging.assert_rank(x, 2), "rank"),
            raised(lambda: debugging.assert_rank_at_least(x, 2), "rank"),
            raised(lambda: debugging.assert_rank_in(x, [0, 2]), "rank"),
            raised(lambda: debugging.assert_scalar(x), "scalar"),
            raised(lambda: debugging.assert_type(x, tf.int32), "float32"),
            raised(lambda: debugging.assert_integer(x), "integer"),
            s.run(x + 1, {x: [1.0]}),
        )


@row
def the_rank_of_a_variable_of_any_shape_is_that_of_its_value(tf, np):
    v = tf.Variable(np.int32(3), shape=tf.TensorShape(None))
    tf.debugging.assert_rank(v, 0)
    refused = raised(lambda: tf.debugging.assert_rank(v, 1), "rank")
    with graph_and_session(tf) as s:
        w = tf.Variable(np.int32(3), shape=tf.TensorShape(None))
        doubled = w * 2
        s.run(tf.compat.v1.global_variables_initializer())
        return refused, s.run(doubled)


@row
def a_test_case_evaluates_in_one_session(tf, np):
    class Case(tf.test.TestCase):
        def runTest(self):  # noqa: N802
            with tf.Graph().as_default():
                v = tf.Variable(1.0)
                self.evaluate(v.initializer)
                self.evaluate(v.assign_add(2.0))
                with self.cached_session() as session:
                    self.values = self.evaluate([v, {"twice": v * 2}]), session.run(v), self.evaluate(v.read_value())

    case = Case()
    case.setUp()
    case.runTest()
    case.doCleanups()
    return case.values


@row
def functions_capture_tensors_and_variables_of_the_graph(tf, np):
    with graph_and_session(tf) as s:
        x, v = tf.constant([0.0, 1.0, -1.0]), tf.Variable(3.0)
        p = tf.compat.v1.placeholder(tf.float32, [None])
        s.run(v.initializer)
        shifted = tf.function(lambda: x * 2 + v)
        nested = tf.function(lambda y: tf.function(lambda z: z + x)(y))
        summed = tf.function(lambda y: y + tf.reduce_sum(p))
        return s.run([shifted(), shifted(), nested(x), summed(1.0), summed(2.0)], {p: [1.0, 2.0]})


@row
def ranges_between_values(tf, np):
    with graph_and_session(tf) as s:
        n = tf.compat.v1.placeholder(tf.int32, [])
        down, up = tf.range(n, 5), tf.range(5, n)
        return str(down.shape), s.run(down, {n: 2}), s.run(up, {n: 7}), raised(lambda: s.run(up, {n: 2}), "start")


@row
def what_is_known_before_a_run(tf, np):
    with tf.Graph().as_default():
        n = tf.constant([3, 4])
        known = tf.compat.v1.placeholder(tf.float32, [2, 3])
        unknown = tf.compat.v1.placeholder(tf.float32, [2, None])
        tensors = {
            "constant": n, "array": tf.convert_to_tensor(np.int32([2, 1])), "shape": tf.shape(known),
            "unknown shape": tf.shape(unknown), "size": tf.size(known), "unknown size": tf.size(unknown),
            "rank": tf.rank(unknown), "range": tf.range(3), "range to a value": tf.range(n[0]),
            "cast": tf.cast(tf.shape(known), tf.int64), "concat": tf.concat([n, tf.shape(known)], 0),
            "stack": tf.stack([1, 2]), "stack of slices": tf.stack([tf.shape(known)[0], 3]),
            "unstack": tf.unstack(n)[1],
            "split": tf.split(n, 2)[0], "fill": tf.fill([2], 3), "zeros": tf.zeros([2]),
            "zeros like": tf.zeros_like(known), "equal": tf.equal(n, 3), "not equal": tf.not_equal(n, 3),
            "less": tf.less(n, 3), "stopped": tf.stop_gradient(n), "identity": tf.identity(n), "slice": n[0],
            "sum": n + 1, "product": tf.reduce_prod(n), "reshaped": tf.reshape(n, [1, 2]), "maximum": tf.maximum(n, 1),
            "variable": tf.Variable([1.0]), "placeholder": known, "empty": tf.constant([], tf.int32),
        }  # fmt: skip
        return {name: tf.get_static_value(x) for name, x in tensors.items()}


@row_for(name=["equal", "less", "less_equal", "greater", "greater_equal"])
def known_values_are_compared_at_once(tf, np, name):
    with tf.Graph().as_default():
        x = tf.constant([1.0, -2.0])
        return raised(lambda: getattr(tf.debugging, f"assert_{name}")(x, [0.0, 0.0]), "did not hold")


@row_for(name=["positive", "negative", "non_positive", "non_negative"])
def signs_of_known_values_are_asserted_at_once(tf, np, name):
    with tf.Graph().as_default():
        return raised(lambda: getattr(tf.debugging, f"assert_{name}")(tf.constant([1.0, -2.0])), "did not hold")


@row
def where_chooses_rows(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [2, 3])
        rows, elements = v.where(x[:, 0] > 2, x, -x), v.where(x > 2, x, -x)
        return s.run([rows, elements, v.where([True, False], [1, 2], [3, 4])], {x: X})


@row
def concrete_functions_capture_tensors_of_the_graph(tf, np):
    with graph_and_session(tf) as s:
        x = tf.exp(tf.constant([0.0, 1.0]))
        function = tf.function(lambda y: {"a": y - x, "b": tf.reduce_sum(y * x)})
        concrete = function.get_concrete_function(tf.TensorSpec([2]))
        outputs = concrete.structured_outputs
        shapes = {name: str(output.shape) for name, output in outputs.items()}
        return shapes, s.run([concrete(tf.constant([1.0, 2.0])), function(x)])


@row_that_differs("a session gives eager tensors among its fetches: parts of graphs may be such here")
def eager_tensors_are_fetched(tf):
    eager = tf.constant([1.0, 2.0])
    with graph_and_session(tf) as s:
        x = tf.constant(3.0)
        return [raised(lambda: s.run(eager)), raised(lambda: s.run([x, eager]))]
