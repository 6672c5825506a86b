"""Complex numbers, half precision, float64, and mixtures."""

from rows import raised, row, row_for


@row_for(dtype=("float16", "bfloat16", "float32", "float64"))
def real_dtypes(tf, np, dtype):
    x = tf.Variable([0.5, -1.5, 2.0], dtype=dtype)
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(tf.exp(x) * x)
        z = tf.reduce_mean(tf.tanh(x) ** 2)
    return y, tape.gradient(y, x), tape.gradient(z, x)


@row_for(dtype=("float16", "bfloat16", "float64"))
def second_order_dtypes(tf, np, dtype):
    x = tf.Variable([0.5, -1.5], dtype=dtype)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        g = inner.gradient(y, x)
    return g, outer.gradient(g, x)


@row
def cast_gradient_has_the_source_dtype(tf, np):
    x, y = tf.Variable([1.0, 2.0], dtype=tf.float64), tf.Variable([3.0, 4.0], dtype=tf.float16)
    with tf.GradientTape() as tape:
        z = tf.cast(x, tf.float32) * tf.cast(y, tf.float32)
    return tape.gradient(z, [x, y])


@row_for(dtype=("complex64", "complex128"))
def complex_product(tf, np, dtype):
    x = tf.constant([1 + 2j, -0.5j], dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * (2 + 1j)
    return y, tape.gradient(y, x)


@row
def complex_target_seed_is_one(tf, np):
    z = tf.constant([1 + 1j, 2 - 1j], tf.complex128)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(z)
        w = 1j * z
    return tape.gradient(w, z), tape.gradient(w, z, output_gradients=tf.constant([1j, 1.0], tf.complex128))


@row
def complex_to_real(tf, np):
    z = tf.constant([3 + 4j, -1 - 1j], tf.complex64)
    results = {}
    for name in ("abs", "real", "imag", "angle"):
        with tf.GradientTape() as tape:
            tape.watch(z)
            y = getattr(tf.math, name)(z)
        results[name] = (y, tape.gradient(y, z))
    return results


@row
def squared_modulus(tf, np):
    z = tf.Variable([1 + 2j, 3 - 1j], dtype=tf.complex128)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.math.real(z * tf.math.conj(z)))
    return loss, tape.gradient(loss, z)


@row
def complex_from_parts(tf, np):
    a, b = tf.Variable([1.0, 2.0]), tf.Variable([3.0, -1.0])
    with tf.GradientTape() as tape:
        z = tf.complex(a, b)
        y = tf.abs(z * z)
    return tape.gradient(y, [a, b])


@row
def complex_functions(tf, np):
    z = tf.constant([0.5 + 0.25j], tf.complex128)
    results = {}
    for name in ("exp", "log", "sin", "cos", "tanh", "sqrt", "square", "reciprocal", "conj"):
        with tf.GradientTape() as tape:
            tape.watch(z)
            y = getattr(tf.math, name)(z)
        results[name] = (y, tape.gradient(y, z))
    return results


@row
def complex_division_and_power(tf, np):
    a, b = tf.constant([1 + 2j], tf.complex128), tf.constant([0.5 - 1j], tf.complex128)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a, b])
        q, p = a / b, a**b
    return tape.gradient(q, [a, b]), tape.gradient(p, [a, b])


@row
def complex_matmul(tf, np):
    a = tf.constant([[1 + 1j, 2.0], [0.5j, -1.0]], tf.complex64)
    b = tf.constant([[1j, 1.0], [2.0, 3 - 1j]], tf.complex64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a, b])
        c = a @ b
        d = tf.matmul(a, b, adjoint_a=True)
    return tape.gradient(c, [a, b]), tape.gradient(d, [a, b])


@row
def complex_second_order(tf, np):
    z = tf.constant(1 + 2j, tf.complex128)
    with tf.GradientTape() as outer:
        outer.watch(z)
        with tf.GradientTape() as inner:
            inner.watch(z)
            y = z**3
        g = inner.gradient(y, z)
    return g, outer.gradient(g, z)


@row
def cast_real_to_complex(tf, np):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        z = tf.cast(x, tf.complex64) * (1 + 2j)
        y = tf.math.imag(z)
    return tape.gradient(y, x)


@row
def mixing_raises_inside_the_tape(tf, np):
    x, y = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0], dtype=tf.float64)
    with tf.GradientTape() as tape:
        error = raised(lambda: x * y, "expected to be a float tensor but is a double tensor", "[Op:Mul]")
        z = x * 2.0
    return error, tape.gradient(z, [x, y])


@row
def float64_constant_stays(tf, np):
    x = tf.constant(np.array([1.0, 2.0]))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x**2 / 3
    return x.dtype.name, y, tape.gradient(y, x)


@row
def integer_division_gives_float64(tf, np):
    n = tf.constant([7, 8])
    return n / 2, n // 2, n % 3, tf.constant([7, 8], tf.int64) / tf.constant([2, 3], tf.int64)


@row
def half_precision_overflow(tf, np):
    x = tf.Variable([300.0], dtype=tf.float16)
    with tf.GradientTape() as tape:
        y = x * x
    return y, tape.gradient(y, x)


MIXED = {
    "int_first": [1, 1j],
    "float_first": [0.5, 1j],
    "complex_first": [1j, 0.5],
    "bool_first": [True, 1j],
    "int_and_float": [0, 0.6, 0.8j],
    "pauli_y": [[0.0, -1j], [1j, 0.0]],
    "pauli_y_of_ints": [[0, -1j], [1j, 0]],
}


@row_for(kind=tuple(MIXED), dtype=("none", "complex64", "complex128"), where=("eager", "function"))
def lists_with_complex_numbers(tf, np, kind, dtype, where):
    def make():
        return tf.constant(MIXED[kind], None if dtype == "none" else dtype)

    try:
        return (tf.function(make) if where == "function" else make)()
    except ValueError as error:
        return type(error).__name__, "mixed types" in str(error)


@row_for(kind=("float_first", "pauli_y"))
def product_with_a_list_of_complex_numbers(tf, np, kind):
    return tf.constant([1j, 2.0]) * MIXED[kind]
