"""Which tensors and variables a tape watches, and what `watch` accepts and logs."""

from rows import logged, raised, row, row_for


@row
def constant_is_not_watched(tf, np):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x)


@row
def trainable_variable_is_watched(tf, np):
    x0 = tf.Variable(3.0, name="x0")
    x1 = tf.Variable(3.0, name="x1", trainable=False)
    x2 = tf.Variable(2.0, name="x2") + 1.0
    x3 = tf.constant(3.0, name="x3")
    with tf.GradientTape() as tape:
        y = (x0**2) + (x1**2) + (x2**2)
    return tape.gradient(y, [x0, x1, x2, x3]), [v.name for v in tape.watched_variables()]


@row
def watch_accessed_variables_false(tf, np):
    x0, x1 = tf.Variable(0.0), tf.Variable(10.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x1)
        ys = tf.reduce_sum(tf.math.sin(x0) + tf.nn.softplus(x1))
    return tape.gradient(ys, {"x0": x0, "x1": x1})


@row
def watched_variables_in_order_of_construction(tf, np):
    a, b, c = (tf.Variable(1.0, name=name) for name in "abc")
    with tf.GradientTape() as tape:
        c * a
        b * a
    return [v.name for v in tape.watched_variables()], type(tape.watched_variables()).__name__


@row
def watched_variables_once_each(tf, np):
    a = tf.Variable(1.0, name="a")
    with tf.GradientTape() as tape:
        for _ in range(3):
            a * a
    return len(tape.watched_variables()), tape.watched_variables()[0] is a


@row
def watched_variables_after_gradient(tf, np):
    a, b = tf.Variable(1.0, name="a"), tf.Variable(1.0, name="b")
    with tf.GradientTape() as tape:
        y = a * 2.0 + b
    tape.gradient(y, a)
    return [v.name for v in tape.watched_variables()]


@row
def watched_variables_before_and_during(tf, np):
    a = tf.Variable(1.0, name="a")
    tape = tf.GradientTape()
    before = len(tape.watched_variables())
    with tape:
        at_start = len(tape.watched_variables())
        a + 1.0
        during = len(tape.watched_variables())
    return before, at_start, during


@row
def watched_variables_without_automatic_watching(tf, np):
    a, b = tf.Variable(1.0, name="a"), tf.Variable(1.0, name="b")
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(b)
        a * b
    return [v.name for v in tape.watched_variables()]


@row
def frozen_variable_watched_by_hand(tf, np):
    x = tf.Variable(3.0, trainable=False, name="frozen")
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x), [v.name for v in tape.watched_variables()]


@row
def variable_watched_after_its_first_read(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = x * x
        tape.watch(x)
        z = y * x
    return tape.gradient(z, x)


@row
def tensor_watched_after_use(tf, np):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        tape.watch(x)
        z = y * x
    return tape.gradient(z, x)


@row
def intermediate_watched(tf, np):
    x = tf.constant(3.0)
    y = x * x
    with tf.GradientTape() as tape:
        tape.watch(y)
        z = y * x
    return tape.gradient(z, [x, y])


@row
def watching_an_intermediate_does_not_cut_it(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        tape.watch(y)
        z = y * y
    return tape.gradient(z, [x, y])


@row
def list_and_dict_watched(tf, np):
    x, y, z = tf.constant(1.0), tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, {"y": y, "deep": (z,)}])
        out = x * y * z
    return tape.gradient(out, [x, y, z])


@row
def variables_watched_in_a_list(tf, np):
    x, y = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch([x, y])
        out = x * y
    return tape.gradient(out, [x, y])


@row
def watched_twice_counts_once(tf, np):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        tape.watch([x, x])
        y = x * x
    return tape.gradient(y, x)


@row
def copies_are_other_tensors(tf, np):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, [x, tf.constant(3.0), tf.identity(x)])


@row
def identity_inside_is_connected(tf, np):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        same = tf.identity(x)
        y = same * same
    return tape.gradient(y, [x, same]), same is x


@row
def converting_a_tensor_keeps_it(tf, np):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        same = tf.convert_to_tensor(x)
        y = same * same
    return tape.gradient(y, [x, same]), same is x


@row
def python_numbers_cannot_be_watched(tf, np):
    with tf.GradientTape() as tape:
        return (
            raised(
                lambda: tape.watch(1.0),
                "Passed in object 1.0 of type 'float'",
                "not tf.Tensor or tf.Variable",
            ),
            raised(lambda: tape.watch(3), "Passed in object 3 of type 'int'"),
            raised(lambda: tape.watch("x"), "Passed in object x of type 'str'"),
            raised(lambda: tape.watch(None), "of type 'NoneType'"),
        )


@row
def numpy_arrays_cannot_be_watched(tf, np):
    with tf.GradientTape() as tape:
        return raised(lambda: tape.watch(np.ones(2)), "of type 'ndarray'")


@row
def a_list_with_a_number_cannot_be_watched(tf, np):
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        error = raised(lambda: tape.watch([x, 2.0]), "of type 'float'")
    return error


@row_for(dtype=("int32", "int64", "uint8", "bool"))
def integers_are_logged(tf, np, dtype):
    x = tf.constant(1, getattr(tf, dtype)) if dtype != "bool" else tf.constant(True)

    def call():
        with tf.GradientTape() as tape:
            tape.watch(x)

    return logged(call)


@row
def strings_are_logged(tf, np):
    x = tf.constant("text")

    def call():
        with tf.GradientTape() as tape:
            tape.watch(x)

    return logged(call)


@row
def logged_five_times_at_most(tf, np):
    x = tf.constant(1)

    def call():
        with tf.GradientTape() as tape:
            for _ in range(7):
                tape.watch(x)

    return logged(call)


@row_for(dtype=("float16", "bfloat16", "float32", "float64", "complex64", "complex128"))
def differentiable_dtypes_are_not_logged(tf, np, dtype):
    x = tf.cast(2.0, getattr(tf, dtype))

    def call():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)

    return logged(call)


@row
def integer_gradient_logs(tf, np):
    x = tf.constant(10)

    def call():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)

    return logged(call)


@row
def integer_variable(tf, np):
    x = tf.Variable(10, name="n")

    def call():
        with tf.GradientTape() as tape:
            y = tf.cast(x, tf.float32) * 2.0
        return tape.gradient(y, x), [v.name for v in tape.watched_variables()]

    return logged(call)


@row
def replaced_variable_becomes_a_tensor(tf, np):
    x = tf.Variable(2.0)
    seen = []
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x + 1
        seen.append((type(x).__name__, tape.gradient(y, x)))
        x = x + 1
    return seen


@row
def reading_methods_all_watch(tf, np):
    x = tf.Variable([1.0, 2.0])
    readings = {
        "read_value": lambda: x.read_value(),
        "value": lambda: x.value(),
        "convert": lambda: tf.convert_to_tensor(x),
        "identity": lambda: tf.identity(x),
        "index": lambda: x[0] * x,
        "operator": lambda: -x,
        "matmul": lambda: tf.linalg.matvec(tf.ones([2, 2]), x),
        "stack": lambda: tf.stack([x, x]),
        "sparse_read": lambda: tf.gather(x, [0, 0, 1]) * 1.0,
        "iterate": lambda: next(iter(x)),
    }
    results = {}
    for name, read in readings.items():
        with tf.GradientTape() as tape:
            y = read()
        results[name] = tf.convert_to_tensor(tape.gradient(y, x))
    return results


@row
def looking_at_a_variable_watches_it(tf, np):
    x = tf.Variable(2.0, name="x")
    looks = {
        "numpy": lambda: x.numpy(),
        "repr": lambda: repr(x),
        "float": lambda: float(x),
        "shape": lambda: x.shape,
        "name": lambda: x.name,
        "assign": lambda: x.assign(2.0),
    }
    results = {}
    for name, look in looks.items():
        with tf.GradientTape() as tape:
            look()
        results[name] = [v.name for v in tape.watched_variables()]
    return results


@row
def pushed_and_popped(tf, np):
    x, said = tf.Variable(3.0), []
    tape = tf.GradientTape(persistent=True)
    said.append(raised(tape._pop_tape, "not recording"))
    tape._push_tape()
    said.append(raised(tape._push_tape, "still recording"))
    y = x * x
    tape._pop_tape()
    recording = tape._recording
    tape._push_tape()
    z = y * 2.0
    first = tape.gradient(y, x)
    tape._pop_tape()
    return said, recording, first, tape.gradient(z, x)


EQUAL = {
    "convert_to_tensor": lambda tf: tf.convert_to_tensor(1.0),
    "convert_to_tensor with a hint": lambda tf: tf.convert_to_tensor(1.0, dtype_hint=tf.float32),
    "convert_to_tensor of an integer": lambda tf: tf.convert_to_tensor(1, dtype=tf.float32),
    "constant": lambda tf: tf.constant(1.0),
    "ones": lambda tf: tf.ones([]),
    "identity": lambda tf: tf.identity(1.0),
    "cast": lambda tf: tf.cast(1, tf.float32),
}


@row_for(make=list(EQUAL), in_function=[False, True])
def equal_numbers_are_different_sources(tf, make, in_function):
    def derivatives():
        with tf.GradientTape() as tape:
            x, y = EQUAL[make](tf), EQUAL[make](tf)
            tape.watch([x, y])
            z = 2.0 * x + 3.0 * y
        return tape.gradient(z, [x, y])

    return (tf.function(derivatives) if in_function else derivatives)()
