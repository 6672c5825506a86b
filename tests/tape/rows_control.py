"""Control flow over tensors, eagerly and inside functions: cond, case, while_loop, map_fn, vectorized_map."""

import collections

from rows import raised, row, row_for, row_that_differs

Pair = collections.namedtuple("Pair", "a b")
WHERE = ("eager", "function")


def placed(tf, where, function):
    """`function` itself, or as a `tf.function`."""
    return tf.function(function) if where == "function" else function


# --- cond -----------------------------------------------------------------------------------------------------


@row_for(where=WHERE)
def cond_values_and_gradients(tf, np, where):
    w = tf.Variable(3.0)

    @lambda f: placed(tf, where, f)
    def f(p, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(p > 0.0, lambda: x * x * w, lambda: tf.sin(x))
        return y, tape.gradient(y, [x, w])

    x = tf.constant([0.5, 2.0])
    return f(tf.constant(1.0), x), f(tf.constant(-1.0), x)


@row_for(where=WHERE)
def cond_under_an_outer_tape(tf, np, where):
    w = tf.Variable(3.0)

    @lambda f: placed(tf, where, f)
    def f(p, x):
        return tf.cond(p, lambda: x * w, lambda: x + 1.0)

    results = []
    for p in (True, False):
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(tf.constant(p), x)
        results.append((y, tape.gradient(y, x)))
    return results


@row_for(where=WHERE)
def cond_structures(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(p, x):
        def yes():
            return {"a": x, "b": [x + 1.0, (x, Pair(x, x))]}

        def no():
            return {"a": -x, "b": [x - 1.0, (x, Pair(-x, x))]}

        return tf.cond(p, yes, no)

    return f(tf.constant(True), tf.constant(1.0)), f(tf.constant(False), tf.constant(1.0))


@row_for(where=WHERE)
def cond_of_python_values(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(p):
        return tf.cond(p, lambda: 1, lambda: 2), tf.cond(p, lambda: (1.5, True), lambda: (2.5, False))

    return f(tf.constant(True)), f(tf.constant(False))


@row_for(where=WHERE)
def cond_assigns(tf, np, where):
    v, w = tf.Variable(1.0), tf.Variable(10.0)

    @lambda f: placed(tf, where, f)
    def f(p, x):
        def yes():
            v.assign_add(x)
            return v * 2.0

        def no():
            w.assign(v * x)
            v.assign(w + 1.0)
            return w * 3.0

        y = tf.cond(p, yes, no)
        return y, v + 0.0, w + 0.0

    results = [f(tf.constant(p), tf.constant(5.0)) for p in (True, False, True)]
    return results, v, w


@row_for(where=WHERE)
def cond_assigns_without_result(tf, np, where):
    v = tf.Variable(1.0)

    @lambda f: placed(tf, where, f)
    def f(p):
        tf.cond(p, lambda: v.assign_add(1.0), lambda: v.assign_sub(10.0))

    f(tf.constant(True))
    f(tf.constant(False))
    f(tf.constant(True))
    return v


@row_for(where=WHERE)
def cond_assigns_under_a_tape(tf, np, where):
    v, w = tf.Variable(2.0), tf.Variable(3.0)

    @lambda f: placed(tf, where, f)
    def f(p):
        with tf.GradientTape(persistent=True) as tape:
            before = v * w
            tf.cond(p, lambda: v.assign(w * 2.0), lambda: v.assign(v))
            after = v * w
        return before, after, tape.gradient(before, [v, w]), tape.gradient(after, [v, w])

    return f(tf.constant(True)), f(tf.constant(False)), v


@row_for(where=WHERE)
def cond_nested(tf, np, where):
    v = tf.Variable(0.0)

    @lambda f: placed(tf, where, f)
    def f(p, q, x):
        def yes():
            def inner():
                v.assign_add(x)
                return x * 2.0

            return tf.cond(q, inner, lambda: x * 3.0)

        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(p, yes, lambda: x * x)
        return y, tape.gradient(y, x)

    x = tf.constant(4.0)
    results = [f(tf.constant(p), tf.constant(q), x) for p in (True, False) for q in (True, False)]
    return results, v


@row_for(where=WHERE)
def cond_second_order(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(p, x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.cond(p, lambda: x**3, lambda: tf.exp(x))
            g = inner.gradient(y, x)
        return g, outer.gradient(g, x)

    return f(tf.constant(True), tf.constant(2.0)), f(tf.constant(False), tf.constant(0.5))


@row_for(where=WHERE)
def cond_accumulator(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(p, x, t):
        with tf.autodiff.ForwardAccumulator(x, t) as accumulator:
            y = tf.cond(p, lambda: x**3, lambda: 5.0 * x)
        return accumulator.jvp(y)

    x, t = tf.constant(2.0), tf.constant(10.0)
    return f(tf.constant(True), x, t), f(tf.constant(False), x, t)


@row
def cond_errors(tf, np):
    one = tf.constant(1.0)
    dtypes = tf.function(lambda p: tf.cond(p, lambda: one, lambda: 1))
    true = tf.constant(True)
    return (
        raised(lambda: tf.cond(true, one, lambda: one), "must be callable"),
        raised(lambda: tf.cond(true, lambda: one, one), "must be callable"),
        raised(lambda: tf.cond(true, lambda: one), "'false_fn' argument required"),
        raised(lambda: dtypes(true)),
    )


@row
def cond_branch_that_is_not_taken_is_not_run(tf, np):
    ran = []

    def branch(name):
        return lambda: ran.append(name) or tf.constant(name)

    return tf.cond(tf.constant(True), branch("a"), branch("b")), tf.cond(False, branch("c"), branch("d")), ran


@row
def cond_python_bool_inside_a_function(tf, np):
    ran = []

    @tf.function
    def f(x):
        return tf.cond(tf.constant(True), lambda: ran.append("yes") or x, lambda: ran.append("no") or -x)

    return f(tf.constant(2.0)), ran[0]


# --- case and switch_case -------------------------------------------------------------------------------------


@row_for(where=WHERE)
def switch_case(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(i, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.switch_case(i, [lambda: x, lambda: x * x, lambda: tf.exp(x)])
        return y, tape.gradient(y, x)

    x = tf.constant(2.0)
    return [f(tf.constant(i), x) for i in (0, 1, 2, 3, -1)]


@row_for(where=WHERE)
def switch_case_with_default(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(i, x):
        table = {1: lambda: x, 0: lambda: x * 10.0}
        return tf.switch_case(i, table, default=lambda: -x), tf.switch_case(i, [(0, lambda: x), (1, lambda: x + 1.0)])

    x = tf.constant(2.0)
    return [f(tf.constant(i), x) for i in (0, 1, 2, 4, 7, -3)]


@row
def switch_case_errors(tf, np):
    one = tf.constant(1.0)
    return (
        raised(lambda: tf.switch_case(tf.constant(0), [])),
        raised(lambda: tf.switch_case(tf.constant(0), [one])),
        raised(lambda: tf.switch_case(tf.constant(0), {})),
        raised(lambda: tf.switch_case(tf.constant(0), {"a": lambda: one})),
        raised(lambda: tf.switch_case(tf.constant(0), [(0, lambda: one), (0, lambda: one)])),
        raised(lambda: tf.switch_case(tf.constant(0), {1: lambda: one, 4: lambda: one}), "must form contiguous range"),
        raised(lambda: tf.switch_case(0.5, [lambda: one])),
    )


@row_for(where=WHERE)
def case(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(x):
        pairs = [(x < 0.0, lambda: -x), (x < 1.0, lambda: x * 10.0), (x < 5.0, lambda: x * 100.0)]
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.case(pairs, default=lambda: tf.zeros_like(x))
        return y, tape.gradient(y, x)

    return [f(tf.constant(x)) for x in (-2.0, 0.5, 3.0, 7.0)]


@row
def case_without_default_and_exclusive(tf, np):
    x = tf.constant(3.0)
    yes, no = tf.constant(True), tf.constant(False)
    return (
        tf.case([(no, lambda: x), (yes, lambda: -x)]),
        tf.case([(no, lambda: x), (yes, lambda: -x)], exclusive=True),
        tf.case([(yes, lambda: x), (yes, lambda: -x)], exclusive=True),
        raised(lambda: tf.case([(no, lambda: x), (no, lambda: -x)])),
        raised(lambda: tf.case([])),
        raised(lambda: tf.case([yes, lambda: x])),
        tf.case([(no, lambda: x)], default=lambda: x * 2.0),
    )


# --- while_loop -----------------------------------------------------------------------------------------------


@row_for(where=WHERE)
def while_values(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(n):
        return tf.while_loop(lambda i, s: i < n, lambda i, s: [i + 1, s + i], [0, 0])

    return f(tf.constant(0)), f(tf.constant(5))


@row_for(where=WHERE)
def while_gradients_with_a_bound(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            _, y = tf.while_loop(
                lambda i, y: i < n, lambda i, y: [i + 1, y * x], [tf.constant(0), tf.ones_like(x)], maximum_iterations=6
            )
        return y, tape.gradient(y, x)

    x = tf.constant([1.5, 2.0])
    return f(x, tf.constant(3)), f(x, tf.constant(0)), f(x, tf.constant(100))


@row_for(where=WHERE)
def while_gradients(tf, np, where):
    """Reverse mode through a loop whose number of turns depends on its values."""

    @lambda f: placed(tf, where, f)
    def f(x, limit):
        with tf.GradientTape() as tape:
            tape.watch(x)
            (y,) = tf.while_loop(lambda y: y < limit, lambda y: (y * x,), [x])
        return y, tape.gradient(y, x)

    x = tf.constant(1.5)
    return f(x, tf.constant(5.0)), f(x, tf.constant(50.0)), f(x, tf.constant(0.0))


@row
def while_in_a_function_under_a_tape(tf, np):
    w = tf.Variable(1.1)

    @tf.function
    def f(x, n):
        _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.sin(y) * w), [tf.constant(0), x])
        return y

    x = tf.constant([0.5, 1.0])
    results = []
    for n in (0, 3, 10):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, tf.constant(n))
        results.append((y, tape.gradient(y, [x, w])))
    return results


@row
def while_second_order_in_a_function(tf, np):
    @tf.function
    def f(x, n):
        _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), [tf.constant(0), tf.ones_like(x)])
        return y

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x, tf.constant(3))
        g = inner.gradient(y, x)
    return y, g, outer.gradient(g, x)


@row_for(where=WHERE)
def while_accumulator(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(x, t):
        with tf.autodiff.ForwardAccumulator(x, t) as accumulator:
            (y,) = tf.while_loop(lambda y: y < 20.0, lambda y: (y * x,), [x])
        return y, accumulator.jvp(y)

    return f(tf.constant(1.5), tf.constant(1.0))


@row_for(where=WHERE)
def while_structures(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(x):
        state = {"n": tf.constant(0), "pair": Pair(x, [x])}

        def body(s):
            return ({"n": s["n"] + 1, "pair": Pair(s["pair"].a * 2.0, [s["pair"].b[0] + 1.0])},)

        (end,) = tf.while_loop(lambda s: s["n"] < 3, body, (state,))
        return end

    return f(tf.constant(1.0))


@row_for(where=WHERE)
def while_assigns(tf, np, where):
    v, total = tf.Variable(1.0), tf.Variable(0.0)

    @lambda f: placed(tf, where, f)
    def f(n):
        def body(i):
            v.assign(v * 2.0)
            total.assign_add(v)
            return (i + 1,)

        tf.while_loop(lambda i: tf.logical_and(i < n, v < 100.0), body, [tf.constant(0)])
        return v + 0.0, total + 0.0

    return f(tf.constant(3)), f(tf.constant(100)), v, total


@row_for(where=WHERE)
def while_maximum_iterations(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f():
        return (
            tf.while_loop(lambda i: True, lambda i: [i + 1], [tf.constant(0)], maximum_iterations=4),
            tf.while_loop(lambda i: i < 2, lambda i: [i + 1], [tf.constant(0)], maximum_iterations=tf.constant(4)),
            tf.while_loop(lambda i: i < 2, lambda i: [i + 1], [tf.constant(0)], maximum_iterations=0),
        )

    return f()


@row
def while_forms_of_loop_variables(tf, np):
    zero = tf.constant(0)
    return (
        tf.while_loop(lambda i: i < 3, lambda i: (i + 1,), (zero,)),
        tf.while_loop(lambda i, j: i < 3, lambda i, j: [i + 1, j], [zero, 2.5]),
        raised(lambda: tf.while_loop(lambda: True, lambda: (), [])),
        raised(lambda: tf.while_loop(None, lambda i: i, [zero])),
        raised(lambda: tf.while_loop(lambda i: i < 3, None, [zero])),
    )


@row
def while_errors_inside_functions(tf, np):
    shapes = tf.function(lambda x: tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.stack([x, x])), [0, x]))
    dtypes = tf.function(lambda x: tf.while_loop(lambda x: x < 3.0, lambda x: (tf.cast(x, tf.int32),), [x]))
    number = tf.function(lambda x: tf.while_loop(lambda x, y: x < 3.0, lambda x, y: (x,), [x, x]))
    one = tf.constant(1.0)
    return raised(lambda: shapes(one)), raised(lambda: dtypes(one)), raised(lambda: number(one))


@row
def while_loop_hands_on_numbers(tf, np):
    whole = []

    def body(i, x):
        whole.append(type(i) is int)
        return i + 1, x + i

    return (
        tf.while_loop(lambda i, x: i < 3, body, (0, tf.constant([1], tf.int64))), whole,
        raised(lambda: tf.while_loop(lambda i: i < 3, lambda i: [i + 1, i], [0])),
    )  # fmt: skip


# --- map_fn and vectorized_map --------------------------------------------------------------------------------


@row_for(where=WHERE)
def map_fn(tf, np, where):
    w = tf.Variable(2.0)

    @lambda f: placed(tf, where, f)
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.map_fn(lambda row: tf.reduce_sum(row * row) * w, x)
        return y, tape.gradient(y, [x, w])

    return f(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))


@row_for(where=WHERE)
def map_fn_structures(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(x, y):
        return (
            tf.map_fn(lambda p: p[0] + p[1], (x, y), fn_output_signature=tf.float32),
            tf.map_fn(lambda p: {"s": p["a"] * p["b"], "a": p["a"]}, {"a": x, "b": y},
                      fn_output_signature={"s": tf.float32, "a": tf.float32}),
            tf.map_fn(lambda v: tf.cast(v, tf.int32), x, fn_output_signature=tf.int32),
            tf.map_fn(lambda v: (v, v > 2.0), x, dtype=(tf.float32, tf.bool)),
        )  # fmt: skip

    return f(tf.constant([1.0, 2.0, 3.0]), tf.constant([4.0, 5.0, 6.0]))


@row
def map_fn_over_sparse_tensors(tf, np):
    values = tf.constant([1.0, 2.0, 3.0])
    dense = tf.reshape(tf.range(18.0), [3, 3, 2])
    with tf.GradientTape() as tape:
        tape.watch(dense)
        x = tf.SparseTensor([[0, 0, 1], [0, 1, 0], [2, 1, 2]], values, [3, 2, 3])
        product = tf.map_fn(lambda row: tf.sparse.sparse_dense_matmul(*row), (x, dense), fn_output_signature=tf.float32)
    doubled = tf.map_fn(lambda row: row * 2.0, x)
    made = tf.map_fn(tf.sparse.from_dense, dense[:, 0], fn_output_signature=tf.SparseTensorSpec([2], tf.float32))
    return (
        product, tape.gradient(product, dense), tf.sparse.to_dense(doubled), tf.sparse.to_dense(made),
        raised(lambda: tf.map_fn(tf.sparse.reduce_sum, x)),
    )  # fmt: skip


@row
def map_fn_errors(tf, np):
    x = tf.constant([1.0, 2.0])
    return (
        raised(lambda: tf.map_fn(lambda v: v, tf.constant(1.0))),
        raised(lambda: tf.map_fn(lambda v: tf.cast(v, tf.int32), x)),
        raised(lambda: tf.map_fn(lambda v: (v, v), x)),
        raised(lambda: tf.map_fn(lambda v: v, x, fn_output_signature=(tf.float32, tf.float32))),
    )


@row_for(where=WHERE)
def map_fn_without_rows(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(x):
        return tf.map_fn(lambda row: tf.reduce_sum(row), x, fn_output_signature=tf.TensorSpec([], tf.float32))

    return f(tf.zeros([0, 2]))


@row_for(where=WHERE)
def map_fn_side_effects(tf, np, where):
    count = tf.Variable(0.0)

    @lambda f: placed(tf, where, f)
    def f(x):
        def add(v):
            count.assign_add(v)
            return v + count

        return tf.map_fn(add, x)

    return f(tf.constant([1.0, 2.0, 3.0])), count


@row_for(where=WHERE)
def vectorized_map(tf, np, where):
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    @lambda f: placed(tf, where, f)
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.vectorized_map(lambda row: tf.linalg.matvec(w, tf.sin(row)), x)
        return y, tape.gradient(y, [x, w])

    return f(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))


@row_for(where=WHERE)
def vectorized_map_of_gradients(tf, np, where):
    """Gradients of single examples."""
    w = tf.Variable([1.0, -1.0])

    @lambda f: placed(tf, where, f)
    def f(x, y):
        def one(pair):
            with tf.GradientTape() as tape:
                loss = (tf.reduce_sum(pair[0] * w) - pair[1]) ** 2
            return tape.gradient(loss, w)

        return tf.vectorized_map(one, (x, y))

    return f(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([0.0, 1.0]))


@row_for(where=WHERE)
def vectorized_map_structures(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(x, y):
        return tf.vectorized_map(lambda p: {"s": p[0] + p[1], "c": p[0] * 0.0 + 3.0}, (x, y))

    return f(tf.constant([1.0, 2.0]), tf.constant([4.0, 5.0]))


# --- Python functions -----------------------------------------------------------------------------------------


@row
def py_function(tf, np):
    def cube(x):
        return x * x * x

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(cube, [x], tf.float32)
    return (
        y,
        tape.gradient(y, x),
        tf.py_function(lambda a, b: (a + b, a > b), [x, 3.0], [tf.float32, tf.bool]),
        tf.py_function(lambda: None, [], []),
        tf.py_function(lambda a: [a], [x], [tf.float32]),
        raised(lambda: tf.py_function(lambda a: a, [x], tf.int32)),
    )


@row
def numpy_function(tf, np):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.numpy_function(np.sinh, [x], tf.float32)
    return (
        y,
        tape.gradient(y, x),
        tf.numpy_function(lambda a, b: (a + b, a.sum()), [x, x], [tf.float32, tf.float32]),
        tf.numpy_function(lambda a: type(a).__name__ + str(a.dtype), [x], tf.string),
        raised(lambda: tf.numpy_function(lambda a: a.astype(np.float64), [x], tf.float32)),
    )


@row_for(form=("index", "gather", "gather_nd", "slice", "while_loop"))
def turns_that_an_empty_tensor_does_not_have(tf, np, form):
    @tf.function
    def f(x, n):
        total = tf.zeros([3])
        if form == "while_loop":
            return tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + x[i]), (0, total))[1]
        for i in tf.range(n):
            if form == "index":
                total += x[i, :]
            elif form == "gather":
                total += tf.gather(x, i)
            elif form == "gather_nd":
                total += tf.gather_nd(x, [i])
            else:
                total += tf.slice(x, [i, 0], [1, 3])[0]
        return total

    return f(tf.zeros([0, 3]), tf.constant(0)), f(tf.ones([2, 3]), tf.constant(2))


@row
def branches_that_an_empty_tensor_does_not_take(tf, np):
    @tf.function
    def last(x, n):
        if n > 0:
            return x[n - 1]
        return tf.constant(-1.0)

    @tf.function
    def back(n):
        array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for t in tf.range(1, n):
            array = array.write(t - 1, t * 2)
        i, total = n - 2, tf.constant(-1)
        while i >= 0:
            total = total + array.read(i)
            i -= 1
        return total

    return last(tf.zeros([0]), tf.constant(0)), last(tf.ones([2]), tf.constant(2)), back(tf.constant(1))


@row
def dtypes_given_as_those_of_numpy(tf, np):
    x = tf.constant([1.0, 2.0])

    def pair(row):
        return row * 2, tf.cast(row, tf.int32)

    def mapped(x):
        return tf.map_fn(pair, x, fn_output_signature=(np.float32, "int32"))

    def called(x):
        return tf.numpy_function(lambda a: a * 2, [x], np.float32) + 1.0

    def of_python(x):
        return tf.py_function(lambda a: (a * 2, 1), [x], [np.float32, np.int32])

    return [(f(x), tf.function(f)(x)) for f in (mapped, called, of_python)]


@row
def numpy_function_of_python_values(tf, np):
    given = [None, 1, 1.5, "a", [1, 2], tf.constant(1.5), np.float64(3), {"a": 1}, True, tf.Variable(2)]
    dtype = tf.numpy_function(lambda *values: " ".join(v.dtype.kind + str(v.shape) for v in values), given, tf.string)
    inside = tf.function(lambda x: tf.numpy_function(lambda a, b: a.dtype.str + b.dtype.str, [x, 1.5], tf.string))
    return dtype, inside(1), tf.numpy_function(lambda x: x * (1 / 3), [1.5], tf.float64)


@row_that_differs("TensorFlow checks the first row only")
def assertions_in_a_vectorized_map(tf, np):
    def doubled(x):
        tf.debugging.assert_less(x[0], 3.0)
        return 2.0 * x

    x = tf.reshape(tf.range(6.0), [3, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(lambda x: tf.vectorized_map(doubled, x))(x)
    return y, tape.gradient(y, x), tf.vectorized_map(doubled, x)


@row_for(where=["eager", "function", "bounded"])
def loop_over_the_parts_of_a_class(tf, np, where):
    """`loop_vars` of a class of the program's own, whose fields are the loop variables."""
    import types

    class State:  # as the library attrs makes one
        __attrs_attrs__ = (types.SimpleNamespace(name="turn"), types.SimpleNamespace(name="total"))

        def __init__(self, turn, total):
            self.turn, self.total = turn, total

        def __iter__(self):
            return iter((self.turn, self.total))

        def __len__(self):
            return 2

    def f(x):
        def body(turn, total):
            return State(turn + 1, total * x + tf.cast(turn, tf.float32))

        result = tf.while_loop(
            lambda turn, total: turn < 4, body, State(tf.constant(0), tf.constant(1.0)),
            maximum_iterations=3 if where == "bounded" else None,
        )  # fmt: skip
        turn, total = result
        return turn, total, type(result).__name__

    if where == "eager":
        return f(tf.constant(1.5))
    name = []

    @tf.function
    def g(x):
        turn, total, kind = f(x)
        name.append(kind)
        return turn, total

    return g(tf.constant(1.5)), name[0]


# --- tf.tuple -----------------------------------------------------------------------------------------------------

TUPLES = {
    "tensors": lambda tf: [tf.ones(2), tf.zeros(1)],
    "a tuple with None": lambda tf: (tf.ones(2), None),
    "nests whose tensors have different shapes": lambda tf: ((tf.ones(2), tf.ones(3)), (tf.ones(1),)),
    "numbers": lambda tf: [1.0, 2],
    "a variable": lambda tf: [tf.Variable([1.0])],
    "slices": lambda tf: [tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), tf.constant([3, 2]))],
    "None": lambda tf: [None],
    "nothing": lambda tf: [],
}


@row_for(what=list(TUPLES))
def a_tuple_of(tf, what):
    tensors = TUPLES[what](tf)
    result = tf.tuple(tensors)
    return result is tensors, type(result).__name__, result


@row_for(what=[what for what in TUPLES if what != "a variable"])
def a_tuple_in_a_function_of(tf, what):
    def grouped():
        tensors = TUPLES[what](tf)
        results.append([(tf.is_tensor(x), isinstance(x, tf.IndexedSlices)) for x in tf.tuple(tensors)])

    results = []
    error = raised(lambda: tf.function(grouped, autograph=False)())
    return results or error
