"""`tf.debugging`: what assertions raise, eagerly and inside functions."""

from rows import raised, row, row_for


def placed(tf, where, function):
    """`function` itself, or as a `tf.function`."""
    return tf.function(function) if where == "function" else function


def inside_function(tf, check):
    @tf.function
    def f(*args):
        check(*args)

    return f


@row_for(name=("equal", "none_equal", "less", "less_equal", "greater", "greater_equal"))
def comparisons(tf, np, name):
    check = getattr(tf.debugging, f"assert_{name}")
    c = tf.constant
    pairs = [
        (c([1.0, 2.0]), c([1.0, 2.0])),
        (c([1, 2, 3]), c([3, 1, 2])),
        (c([[1, 2], [3, 4]]), c(2)),
        (1, 2),
        (2.0, c(1.0)),
        (c([1.0, float("nan")]), c([1.0, float("nan")])),
        (tf.zeros([0]), tf.zeros([0])),
        (tf.Variable(1.0), np.float32(1)),
    ]
    eager = [raised(lambda x=x, y=y: check(x, y)) for x, y in pairs]
    inside = [raised(lambda x=x, y=y: inside_function(tf, check)(c(x), c(y))) for x, y in pairs[:4]]
    return eager, inside


@row
def messages_of_comparisons(tf, np):
    c = tf.constant
    equal, less = tf.debugging.assert_equal, tf.debugging.assert_less
    text = (
        "said\nCondition x == y did not hold.\nIndices of first 3 different values:\n[[0]\n [1]\n [2]]\n"
        "Corresponding x values:\n[1 2 3]\nCorresponding y values:\n[3 1 2]\n"
        "First 3 elements of x:\n[1 2 3]\nFirst 3 elements of y:\n[3 1 2]"
    )
    return (
        raised(lambda: equal(c([1, 2, 3]), c([3, 1, 2]), message="said"), text),
        raised(
            lambda: equal(1, 2),
            "Condition x == y did not hold.\nFirst 1 elements of x:\n[1]\nFirst 1 elements of y:\n[2]",
        ),
        raised(
            lambda: less(tf.range(20), tf.zeros(20, tf.int32), summarize=2),
            "Indices of first 2 different values:\n[[0]\n [1]]\nCorresponding x values:\n[0 1]\n",
        ),
        raised(lambda: equal(c([1, 2]), c([1.0, 2.0]))),
        raised(lambda: equal(c([1, 2]), c([1, 2, 3]))),
    )


@row_for(name=("positive", "negative", "non_positive", "non_negative"))
def signs(tf, np, name):
    check = getattr(tf.debugging, f"assert_{name}")
    c = tf.constant
    values = [c([1.0, 2.0]), c([-1.0, -2.0]), c([0.0, 1.0]), c([0, -1]), c(0), c(float("nan"))]
    eager = [raised(lambda x=x: check(x)) for x in values]
    inside = [raised(lambda x=x: inside_function(tf, check)(x)) for x in values[:4]]
    return eager, inside


@row
def messages_of_signs(tf, np):
    d, c = tf.debugging, tf.constant
    return (
        raised(
            lambda: d.assert_positive(c([1.0, 0.0, -1.0]), message="said"),
            "said.  \nCondition x > 0 did not hold element-wise:\n"
            "x (shape=(3,) dtype=float32) = \n['1.0', '0.0', '-1.0']",
        ),
        raised(
            lambda: d.assert_non_negative(c(-1)),
            "\nCondition x >= 0 did not hold element-wise:\nx (shape=() dtype=int32) = \n-1",
        ),
    )


@row
def near(tf, np):
    check, c = tf.debugging.assert_near, tf.constant
    return (
        check(c([1.0, 2.0]), c([1.0, 2.0000001])),
        raised(lambda: check(c([1.0, 2.0]), c([1.0, 2.1])), "x and y not equal to tolerance rtol = "),
        check(1.0, 1.05, atol=0.1),
        check(c(100.0), c(101.0), rtol=0.011),
        raised(lambda: check(c(100.0), c(101.0), rtol=0.009)),
        raised(lambda: check(float("nan"), float("nan"))),
        raised(lambda: check(1, 1)),
        check(c(1.0, tf.float64), c(1.0 + 1e-15, tf.float64)),
        raised(lambda: check(c(1.0, tf.float64), c(1.0 + 1e-12, tf.float64))),
        raised(lambda: check(c(1 + 1j), c(1 + 1.1j))),
    )


@row_for(where=("eager", "function"))
def check_numerics(tf, np, where):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.debugging.check_numerics(tf.math.log(x), "said") * 2.0
        return y, tape.gradient(y, x)

    f = placed(tf, where, f)
    good = f(tf.constant([1.0, 2.0]))
    return (
        good,
        raised(lambda: f(tf.constant([-1.0, 2.0])), "said : Tensor had"),
        raised(lambda: f(tf.constant([0.0, 2.0]))),
        raised(lambda: tf.debugging.check_numerics(tf.constant([1]), "said")),
        tf.debugging.assert_all_finite(tf.constant([1.0]), "said"),
        raised(lambda: tf.debugging.assert_all_finite(tf.constant(np.inf), "said"), "said : Tensor had Inf values"),
    )


@row_for(where=("eager", "function"))
def ranks_and_shapes(tf, np, where):
    d = tf.debugging
    found = []

    @lambda f: placed(tf, where, f)
    def f(x, y):
        def attempt(call):
            found.append(raised(call))

        attempt(lambda: d.assert_rank(x, 2))
        attempt(lambda: d.assert_rank(x, 1, message="said"))
        attempt(lambda: d.assert_rank_at_least(x, 2))
        attempt(lambda: d.assert_rank_at_least(x, 3))
        attempt(lambda: d.assert_rank_in(x, (1, 2)))
        attempt(lambda: d.assert_rank_in(x, [0, 3]))
        attempt(lambda: d.assert_scalar(tf.reduce_sum(x)))
        attempt(lambda: d.assert_scalar(x))
        attempt(lambda: d.assert_type(x, tf.float32))
        attempt(lambda: d.assert_type(x, tf.int32))
        attempt(lambda: d.assert_integer(tf.cast(x, tf.int32)))
        attempt(lambda: d.assert_integer(x))
        for shapes in (
            [(x, ("N", "D")), (y, ("D",))],
            [(x, ("N", "D")), (y, ("N",))],
            [(x, (4, None)), (y, "D")],
            [(x, "ND"), (y, "Q")],
            [(x, (4, 2))],
            [(x, ("N",))],
            [(x, (Ellipsis, 3))],
            [(x, (Ellipsis, 5))],
            [(x, ("N", "N"))],
            [(x, (".", 3))],
            [(x, "*D"), (y, "D")],
            [(x, "4D")],
            [(x, None)],
            [(tf.reduce_sum(x), ())],
            [(x, ())],
        ):
            attempt(lambda shapes=shapes: d.assert_shapes(shapes))
        return x

    f(tf.ones([4, 3]), tf.ones([3]))
    return found


@row
def messages_of_ranks_and_shapes(tf, np):
    d, x, y = tf.debugging, tf.ones([4, 3]), tf.ones([3])
    return (
        raised(
            lambda: d.assert_rank(x, 1, message="said"),
            "said.  Tensor",
            "must have rank 1.  Received rank 2, shape (4, 3)",
        ),
        raised(lambda: d.assert_rank(x, [1]), "Rank must be a scalar."),
        raised(lambda: d.assert_rank(x, 1.5)),
        raised(lambda: d.assert_rank_at_least(x, 3), "must have rank at least 3.  Received rank 2, shape (4, 3)"),
        raised(lambda: d.assert_rank_in(x, (1, 3)), "must have rank in (1, 3).  Received rank 2, shape (4, 3)"),
        raised(lambda: d.assert_scalar(y, message="said"), "said.  Expected scalar shape, saw shape: (3,)."),
        raised(
            lambda: d.assert_type(x, tf.int32, message="said"), "said.  tensor must be of type tf.int32; got tf.float32"
        ),
        raised(lambda: d.assert_integer(x), "Found: tensor of dtype <dtype: 'float32'>"),
        raised(
            lambda: d.assert_shapes([(x, ("N", "D")), (y, ("N",))], message="said"),
            "said.  Specified by tensor shape=(4, 3) dtype=float32 dimension 0.  Tensor shape=(3,) dtype=float32 "
            "dimension 0 must have size 4.  Received size 3, shape (3,)",
        ),
        raised(
            lambda: d.assert_shapes([(x, (4, 2))]),
            "Specified explicitly.  Tensor shape=(4, 3) dtype=float32 dimension 1 must have size 2.  Received size 3, "
            "shape (4, 3)",
        ),
    )


@row
def dtypes_and_iterables(tf, np):
    d, c = tf.debugging, tf.constant
    single, double = c(1.0), c(1.0, tf.float64)
    return (
        d.assert_same_float_dtype([single, single]).name,
        d.assert_same_float_dtype([double]).name,
        d.assert_same_float_dtype().name,
        d.assert_same_float_dtype([], tf.float64).name,
        raised(lambda: d.assert_same_float_dtype([single, double]), "must be of the same type (<dtype: 'float32'>)"),
        raised(lambda: d.assert_same_float_dtype([single], tf.float64)),
        raised(lambda: d.assert_same_float_dtype([c(1)]), "Expected floating point type, got <dtype: 'int32'>."),
        [d.is_numeric_tensor(x) for x in (single, c(1), c("a"), c(True), c(1j), 1, tf.Variable(1.0))],
        raised(lambda: d.assert_proper_iterable([single])),
        raised(lambda: d.assert_proper_iterable(single)),
        raised(lambda: d.assert_proper_iterable("a")),
        raised(lambda: d.assert_proper_iterable(3), "to be iterable"),
    )


@row
def assert_op(tf, np):
    c, no = tf.constant, tf.constant(False)
    return (
        tf.Assert(True, [1]),
        raised(
            lambda: tf.Assert(no, [c([1, 2, 3, 4, 5]), "text"]), "to be true. Summarized data: 1, 2, 3, ...\nb'text'"
        ),
        raised(lambda: tf.Assert(no, [c([1, 2, 3, 4, 5])], summarize=2), "Summarized data: 1, 2, ..."),
        raised(lambda: tf.Assert(False, []), "Expected 'False' to be true."),
        raised(lambda: tf.debugging.Assert(c([1]) == c([2]), ["x"])),
    )


@row
def what_happens_when_one_fails_in_a_function(tf, np):
    v = tf.Variable(0.0)

    @tf.function
    def f(x):
        v.assign_add(1.0)
        tf.debugging.assert_positive(x, message="first")
        tf.debugging.assert_less(x, 10.0, message="second")
        return x * 2.0

    @tf.function
    def outer(x):
        return f(x) + 1.0

    c = tf.constant
    return (
        f(c(1.0)),
        raised(lambda: f(c(-1.0)), "first"),
        f(c(2.0)),
        raised(lambda: f(c(20.0)), "second"),
        outer(c(3.0)),
        raised(lambda: outer(c(-1.0)), "first"),
        outer(c(4.0)),
    )


@row
def in_branches_and_loops(tf, np):
    @tf.function
    def f(p, x):
        def yes():
            tf.debugging.assert_positive(x)
            return x

        return tf.cond(p, yes, lambda: -x)

    @tf.function
    def g(n):
        def body(i):
            tf.debugging.assert_less(i, 3)
            return (i + 1,)

        return tf.while_loop(lambda i: i < n, body, [tf.constant(0)])

    yes, no, c = tf.constant(True), tf.constant(False), tf.constant
    return (
        f(yes, c(1.0)),
        raised(lambda: f(yes, c(-1.0))),
        f(no, c(-1.0)),
        g(c(3)),
        raised(lambda: g(c(5))),
        g(c(2)),
    )


@row
def an_assertion_that_never_holds_is_an_error_of_the_run(tf):
    @tf.function
    def f(x):
        if tf.reduce_sum(x) > 0.0:
            tf.debugging.Assert(False, ["positive"])
        return x + 1.0

    concrete = f.get_concrete_function(tf.TensorSpec([2]))
    return concrete(tf.constant([-1.0, 0.0])), raised(lambda: concrete(tf.constant([1.0, 2.0])), "positive")


@row_for(what=["Assert", "positive", "near", "scalar"])
def elements_in_messages(tf, np, what):
    x = tf.constant([0.1, 0.7, 0.0, 2.0])
    return raised(
        {
            "Assert": lambda: tf.debugging.Assert(tf.reduce_all(x > 0.5), [x, "text", 3, [[1, 2], [3, 4]]]),
            "positive": lambda: tf.debugging.assert_positive(x - 1.0),
            "near": lambda: tf.debugging.assert_near(x, x + 1.0),
            "scalar": lambda: tf.debugging.Assert(x[0] > 0.5, [x[1], np.float64(0.7)]),
        }[what]
    )  # fmt: skip
