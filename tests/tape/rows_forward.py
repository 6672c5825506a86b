"""`tf.autodiff.ForwardAccumulator`: structures, variables, nesting, mixing with tapes, errors."""

from rows import logged, raised, row, row_for


@row
def scalar(tf, np):
    x = tf.constant(1.1)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = x**3.5
    return y, acc.jvp(y)


@row
def vector(tf, np):
    x = tf.constant([[2.0, 3.0], [1.0, 4.0]])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([[1.0, 0.0], [0.5, -1.0]])) as acc:
        y = tf.reduce_sum(x**2, axis=1)
    return acc.jvp(y)


@row
def variable_as_primal(tf, np):
    x = tf.constant([[2.0, 3.0], [1.0, 4.0]])
    targets = tf.constant([[1.0], [-1.0]])
    kernel, bias = tf.Variable([[0.5], [0.25]]), tf.Variable([0.1])
    with tf.autodiff.ForwardAccumulator(primals=kernel, tangents=tf.constant([[1.0], [0.0]])) as acc:
        loss = tf.reduce_sum((x @ kernel + bias - targets) ** 2.0)
    return acc.jvp(loss)


@row
def columns_equal_the_gradient(tf, np):
    x = tf.constant([[2.0, 3.0], [1.0, 4.0]])
    kernel = tf.Variable([[0.5], [0.25]])
    columns = []
    for tangent in ([[1.0], [0.0]], [[0.0], [1.0]]):
        with tf.autodiff.ForwardAccumulator(kernel, tf.constant(tangent)) as acc:
            columns.append(acc.jvp(tf.reduce_sum((x @ kernel) ** 2.0)))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((x @ kernel) ** 2.0)
    return tf.stack(columns)[:, tf.newaxis], tape.gradient(loss, kernel)


@row
def list_of_primals(tf, np):
    x, y = tf.constant(2.0), tf.constant([3.0, 4.0])
    with tf.autodiff.ForwardAccumulator([x, y], [tf.constant(1.0), tf.constant([0.0, 10.0])]) as acc:
        z = x * x * y
    return acc.jvp(z), acc.jvp([z, x]), acc.jvp({"z": z, "y": (y,)})


@row
def dict_of_primals(tf, np):
    primals = {"w": tf.Variable([1.0, 2.0]), "b": (tf.constant(3.0),)}
    tangents = {"w": tf.constant([1.0, 1.0]), "b": (tf.constant(-1.0),)}
    with tf.autodiff.ForwardAccumulator(primals, tangents) as acc:
        y = primals["w"] ** 2 + primals["b"][0]
    return acc.jvp(y)


@row
def tangents_from_python_numbers(tf, np):
    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, np.array([1.0, 3.0], np.float32)) as acc:
        y = x * x
    z = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(z, 3.0) as acc2:
        w = z * z
    return acc.jvp(y), acc2.jvp(w)


@row
def jvp_of_the_primal(tf, np):
    x, v = tf.constant([1.0, 2.0]), tf.Variable(3.0)
    with tf.autodiff.ForwardAccumulator([x, v], [tf.constant([5.0, 6.0]), tf.constant(7.0)]) as acc:
        pass
    return acc.jvp(x), acc.jvp(v)


@row
def jvp_inside_and_outside(tf, np):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = x * x
        inside = acc.jvp(y)
    return inside, acc.jvp(y), acc.jvp(y)


@row
def ops_outside_are_not_followed(tf, np):
    x = tf.constant(2.0)
    before = x * 2.0
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = x * before
    after = y * x
    return acc.jvp(before), acc.jvp(y), acc.jvp(after)


@row
def unconnected(tf, np):
    x, c = tf.constant(2.0), tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = c * 2.0
    return acc.jvp(y), acc.jvp(y, unconnected_gradients=tf.UnconnectedGradients.ZERO), acc.jvp(c, "zero")


@row
def unconnected_in_a_structure(tf, np):
    x, c = tf.constant(2.0), tf.Variable([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y, z = x * x, c * 2.0
    return acc.jvp([y, (z, c)]), acc.jvp({"y": y, "z": z}, unconnected_gradients="zero")


@row
def bad_unconnected_gradients(tf, np):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = x * x
    return raised(lambda: acc.jvp(y, unconnected_gradients="nonsense"), "nonsense")


@row
def stop_gradient(tf, np):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = tf.stop_gradient(x * x)
        z = y * x
    return acc.jvp(y), acc.jvp(z)


@row
def nested_second_derivative(tf, np):
    primal = tf.constant(1.1)
    with tf.autodiff.ForwardAccumulator(primal, tf.constant(1.0)) as outer:
        with tf.autodiff.ForwardAccumulator(primal, tf.constant(1.0)) as inner:
            primal_out = primal ** tf.constant(3.5)
    inner_jvp = inner.jvp(primal_out)
    return inner_jvp, outer.jvp(inner_jvp), inner.jvp(outer.jvp(primal_out)), outer.jvp(primal_out)


@row
def nested_jvp_taken_inside_both(tf, np):
    x = tf.constant([0.5, 1.5], tf.float64)
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0], tf.float64)) as outer:
        with tf.autodiff.ForwardAccumulator(x, tf.constant([0.0, 1.0], tf.float64)) as inner:
            y = tf.reduce_prod(tf.sin(x))
            first = inner.jvp(y)
        mixed = outer.jvp(first)
    return first, mixed


@row_for(order=(1, 2, 3))
def nested_order(tf, np, order):
    x = tf.constant(0.75, tf.float64)
    one = tf.constant(1.0, tf.float64)

    def derivative(n):
        if n == 0:
            return tf.exp(2.0 * x) * x
        with tf.autodiff.ForwardAccumulator(x, one) as acc:
            y = derivative(n - 1)
        return acc.jvp(y)

    return derivative(order)


@row
def nested_different_primals(tf, np):
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator(y, tf.constant(1.0)) as outer:
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as inner:
            z = x * x * y
        dz_dx = inner.jvp(z)
    return dz_dx, outer.jvp(dz_dx), outer.jvp(z), inner.jvp(outer.jvp(z))


@row
def side_by_side(tf, np):
    x, y = tf.constant(2.0), tf.constant(3.0)
    one = tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator(x, one) as a, tf.autodiff.ForwardAccumulator(y, one) as b:
        z = x * x * y
    return a.jvp(z), b.jvp(z), a.jvp(b.jvp(z)), b.jvp(a.jvp(z))


@row
def forward_over_reverse(tf, np):
    v = tf.Variable([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(v, tf.constant([1.0, 0.0])) as acc:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v**3.0)
        backward = tape.gradient(y, v)
    return backward, acc.jvp(backward), acc.jvp(y)


@row
def forward_over_reverse_hessian_vector_product(tf, np):
    x = tf.constant([[1.0, 2.0], [3.0, -1.0]])
    w, b = tf.Variable([[0.5], [-0.25]]), tf.Variable([0.1])
    with tf.autodiff.ForwardAccumulator([w, b], [tf.constant([[1.0], [2.0]]), tf.constant([3.0])]) as acc:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.tanh(x @ w + b) ** 2)
        grads = tape.gradient(loss, [w, b])
    return grads, acc.jvp(grads)


@row
def reverse_over_forward(tf, np):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.5])) as acc:
            y = tf.reduce_sum(x**3)
        jvp = acc.jvp(y)
    return jvp, tape.gradient(jvp, x)


@row
def reverse_over_forward_wrt_the_tangent(tf, np):
    x, v = tf.constant([1.0, 2.0]), tf.constant([1.0, 0.5])
    with tf.GradientTape() as tape:
        tape.watch([x, v])
        with tf.autodiff.ForwardAccumulator(x, v) as acc:
            y = tf.sin(x) * x[0]
        jvp = acc.jvp(y)
    return jvp, tape.gradient(jvp, [x, v])


@row
def reverse_over_forward_with_variables(tf, np):
    w = tf.Variable([0.5, -1.5])
    with tf.GradientTape() as tape:
        with tf.autodiff.ForwardAccumulator(w, tf.constant([1.0, 2.0])) as acc:
            y = tf.exp(w) * w
        jvp = tf.reduce_sum(acc.jvp(y))
    return jvp, tape.gradient(jvp, w)


@row
def tape_inside_and_around(tf, np):
    x = tf.constant(0.75)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.sin(x) * x
            g = inner.gradient(y, x)
        h = acc.jvp(g)
    return g, h, outer.gradient(h, x)


@row
def gradient_taken_after_the_accumulator_is_not_followed(tf, np):
    v = tf.Variable([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(v, tf.constant([1.0, 0.0])) as acc:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v**3.0)
    backward = tape.gradient(y, v)
    return backward, acc.jvp(backward)


@row
def accumulator_inside_a_tape_left_before(tf, np):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
            y = x**3
    jvp = acc.jvp(y)
    return jvp, tape.gradient(jvp, x)


@row
def variable_assigned_inside(tf, np):
    v = tf.Variable(2.0)
    with tf.autodiff.ForwardAccumulator(v, tf.constant(1.0)) as acc:
        a = v * v
        v.assign(5.0)
        b = v * v
    return acc.jvp(a), acc.jvp(b)


@row
def variable_not_trainable(tf, np):
    v = tf.Variable(2.0, trainable=False)
    with tf.autodiff.ForwardAccumulator(v, tf.constant(1.0)) as acc:
        y = v * v
    return acc.jvp(y)


@row
def same_primal_twice(tf, np):
    x, v = tf.constant(2.0), tf.Variable(2.0)
    one = tf.constant(1.0)
    return (
        raised(
            lambda: tf.autodiff.ForwardAccumulator([x, x], [one, one]),
            "was specified as a primal multiple times",
        ),
        raised(
            lambda: tf.autodiff.ForwardAccumulator({"a": v, "b": (v,)}, {"a": one, "b": (one,)}),
            "multiple times",
        ),
    )


@row
def structures_differ(tf, np):
    x, one = tf.constant(2.0), tf.constant(1.0)
    return (
        raised(lambda: tf.autodiff.ForwardAccumulator([x], one)),
        raised(lambda: tf.autodiff.ForwardAccumulator([x], [one, one])),
        raised(lambda: tf.autodiff.ForwardAccumulator({"a": x}, {"b": one})),
        raised(lambda: tf.autodiff.ForwardAccumulator(x, [one])),
    )


@row
def tangent_of_another_dtype(tf, np):
    x = tf.constant([2.0, 3.0])
    return (
        raised(
            lambda: tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 2.0], tf.float64)),
            "float32",
            "float64",
        ),
        raised(lambda: tf.autodiff.ForwardAccumulator(x, tf.constant([1, 2])), "float32", "int32"),
    )


@row
def reentered_while_active(tf, np):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        error = raised(acc.__enter__, "Accumulator is already recording.")
        y = x * x
    return error, acc.jvp(y)


@row
def reentered_after_exit(tf, np):
    x = tf.constant(2.0)
    acc = tf.autodiff.ForwardAccumulator(x, tf.constant(1.0))
    with acc:
        y = x * x
    between = y * x
    with acc:
        z = y * x + between
    return acc.jvp(y), acc.jvp(between), acc.jvp(z)


@row
def jvp_before_entering(tf, np):
    x = tf.constant(2.0)
    acc = tf.autodiff.ForwardAccumulator(x, tf.constant(3.0))
    return acc.jvp(x), acc.jvp(tf.constant(1.0))


@row
def integer_primal_is_logged(tf, np):
    n = tf.constant(3)

    def call():
        with tf.autodiff.ForwardAccumulator(n, tf.constant(1)) as acc:
            y = n * n
        return acc.jvp(y)

    return logged(call)


@row
def through_integer_ops(tf, np):
    x = tf.constant([1.5, 2.5])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 1.0])) as acc:
        y = tf.cast(tf.cast(x, tf.int32), tf.float32)
        z = y * x
        k = tf.argmax(x)
        w = x > 2.0
    return acc.jvp(y), acc.jvp(z), acc.jvp(k), acc.jvp(w)


@row
def exception_inside(tf, np):
    x = tf.constant([1.0, 2.0])
    acc = tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 1.0]))

    def body():
        with acc:
            kept.append(x * x)
            x + tf.ones([3])

    kept = []
    error = raised(body, "Incompatible shapes")
    return error, acc.jvp(kept[0]), acc.jvp(x * 2.0)


@row
def complex_primal(tf, np):
    z = tf.constant([1 + 2j], tf.complex128)

    def call():
        with tf.autodiff.ForwardAccumulator(z, tf.constant([1j], tf.complex128)) as acc:
            y = z * z
        return acc.jvp(y)

    return logged(call)


@row
def matrix_functions(tf, np):
    a = tf.constant([[2.0, 0.5], [0.5, 1.0]], tf.float64)
    da = tf.constant([[1.0, 0.0], [0.0, -1.0]], tf.float64)
    with tf.autodiff.ForwardAccumulator(a, da) as acc:
        inverse, det, chol = tf.linalg.inv(a), tf.linalg.det(a), tf.linalg.cholesky(a)
    return acc.jvp([inverse, det, chol])


@row
def views(tf, np):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([[1.0, 0.0], [0.0, 2.0]])) as acc:
        outs = [
            x[0],
            tf.transpose(x),
            tf.stack([x, x]),
            tf.concat([x, x * x], 1),
            tf.gather(x, [1, 1]),
            tf.reshape(x, [4]),
        ]
        left, right = tf.split(x, 2, axis=1)
    return acc.jvp(outs), acc.jvp(left), acc.jvp(right)


@row
def control_flow(tf, np):
    x = tf.constant(1.5)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = x
        while y < 10.0:
            y = y * x
        z = tf.cond(y > 5.0, lambda: x * y, lambda: x)
    return y, acc.jvp(y), acc.jvp(z)


@row
def in_a_tf_function(tf, np):
    x = tf.constant([1.0, 2.0])

    @tf.function
    def hvp(point, direction):
        with tf.autodiff.ForwardAccumulator(point, direction) as acc:
            with tf.GradientTape() as tape:
                tape.watch(point)
                y = tf.reduce_sum(point**3) * point[0]
            g = tape.gradient(y, point)
        return acc.jvp(g)

    return hvp(x, tf.constant([1.0, 0.0])), hvp(x, tf.constant([0.0, 1.0]))


@row
def over_a_tf_function(tf, np):
    @tf.function
    def f(a, b):
        return a * tf.sin(b), b * b

    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator([x, y], [tf.constant(1.0), tf.constant(10.0)]) as acc:
        out = f(x, y)
    return acc.jvp(out)


@row
def identity_and_variable_reads(tf, np):
    v = tf.Variable([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(v, tf.constant([3.0, 4.0])) as acc:
        reads = [
            tf.identity(v),
            tf.convert_to_tensor(v),
            v.read_value(),
            v.value(),
            v[1],
            tf.gather(v, [1, 0]),
        ]
    return acc.jvp(reads)


@row
def jvp_prints_as_a_tensor(tf, np):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = x * x
    return str(acc.jvp(y)), repr(acc.jvp(y)), type(acc).__name__
