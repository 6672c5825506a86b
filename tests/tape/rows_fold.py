"""`tf.scan`, `tf.foldl`, `tf.foldr`, inside functions and outside of them."""

from rows import raised, row, row_for

from .rows_control import placed

WHERE = {"where": ("eager", "function")}


def slope(tf, f, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, x)


@row_for(**WHERE)
def scan(tf, np, where):
    f = placed(tf, where, lambda x: tf.scan(lambda a, v: a * v + 1.0, x))
    g = placed(tf, where, lambda x: tf.scan(lambda a, v: a * v, x, initializer=2.0, reverse=True))
    x = [1.0, 2.0, 3.0]
    return slope(tf, f, x), slope(tf, g, x)


@row_for(**WHERE)
def scan_structures(tf, np, where):
    def step(a, v):
        return {"sum": a["sum"] + v[0], "product": a["product"] * v[1]}

    def f(x):
        y = tf.stack([x, x * 2.0], 1)
        return tf.scan(step, (x, y), initializer={"sum": 0.0, "product": tf.ones([2])})

    x = tf.constant([1.0, 2.0, 3.0])
    run = placed(tf, where, f)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(x)
        loss = tf.reduce_sum(y["product"]) + tf.reduce_sum(y["sum"] ** 2)
    return y, tape.gradient(loss, x)


@row_for(**WHERE)
def scan_fibonacci(tf, np, where):
    f = placed(
        tf, where,
        lambda x: tf.scan(lambda a, _: (a[1], a[0] + a[1]), x, initializer=(tf.constant(0), tf.constant(1))),
    )  # fmt: skip
    return f(tf.range(6))


@row_for(**WHERE)
def folds(tf, np, where):
    x = [1.0, 2.0, 3.0]
    functions = (
        lambda x: tf.foldl(lambda a, v: a * 0.5 + v, x),
        lambda x: tf.foldr(lambda a, v: a * 0.5 + v, x),
        lambda x: tf.foldl(lambda a, v: a + v[0] * v[1], (x, x * 2.0), initializer=0.0),
        lambda x: tf.foldr(lambda a, v: a * v, x, initializer=tf.constant([1.0, 2.0])),
    )
    return [slope(tf, placed(tf, where, f), x) for f in functions]


@row_for(**WHERE)
def fold_without_rows(tf, np, where):
    x = tf.zeros([0])
    run = placed(tf, where, lambda x: tf.foldl(lambda a, v: a + v, x, initializer=5.0))
    scanned = placed(tf, where, lambda x: tf.scan(lambda a, v: a + v, x, initializer=5.0))
    return run(x), scanned(x)


@row_for(**WHERE)
def scan_assigns(tf, np, where):
    v = tf.Variable(1.0)

    def step(a, x):
        v.assign_add(x)
        return a + v

    f = placed(tf, where, lambda x: tf.scan(step, x, initializer=0.0))
    return f(tf.constant([1.0, 2.0, 3.0])), v.numpy()


@row_for(**WHERE)
def scan_second_order_and_back_prop(tf, np, where):
    f = placed(tf, where, lambda x: tf.foldl(lambda a, v: a * v * x[0], x))
    g = placed(tf, where, lambda x: tf.scan(lambda a, v: a * v, x, back_prop=False))
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
        second = tf.reduce_sum(first)
    return first, outer.gradient(second, x), slope(tf, g, [2.0, 3.0])


@row
def scan_errors(tf, np):
    return (
        raised(lambda: tf.scan(lambda a, v: tf.cast(a, tf.float32), tf.constant([1, 2]), initializer=0),
               "TensorArray dtype is int32 but Op is trying to write dtype float32"),
        raised(lambda: tf.scan(lambda a, v: a + v, tf.zeros([0])), "Tried to read from index 0 but array size is: 0"),
        raised(lambda: tf.foldl(lambda a, v: a + v, tf.zeros([0]))),
        raised(lambda: tf.scan(lambda a, v: (a, v), tf.constant([1, 2]), initializer=0)),
    )  # fmt: skip


@row
def converted_functions(tf, np):
    @tf.function
    def f(x):
        def step(a, v):
            if v > 0.0:
                a = a + v
            return a

        return tf.scan(step, x, initializer=0.0)

    return slope(tf, f, [1.0, -2.0, 3.0])
