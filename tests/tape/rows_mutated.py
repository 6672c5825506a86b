"""Inputs that change right after the call: results are those of the call.

TensorFlow keeps no copy of an array that an op other than `tf.constant` is called with, if the memory of the array
happens to be aligned. Rows in which that shows are not recorded: here results are always those of the call.
"""

from rows import raised, row, row_for

SIZES = (3, 5000)


def _array(np, size, dtype="float32"):
    return (np.arange(size) % 7).astype(dtype)


def _clobber(array):
    array[...] = 77


MADE = {
    "constant": lambda tf, a: tf.constant(a),
    "convert_to_tensor": lambda tf, a: tf.convert_to_tensor(a),
    "identity": lambda tf, a: tf.identity(a),
    "Variable": lambda tf, a: tf.Variable(a),
    "cast": lambda tf, a: tf.cast(a, tf.float64),
    "same_cast": lambda tf, a: tf.cast(a, a.dtype),
    "add": lambda tf, a: tf.ones_like(a) + a,
    "multiply": lambda tf, a: tf.multiply(a, 2),
    "reshape": lambda tf, a: tf.reshape(a, [-1, 1])[:, 0],
    "gather": lambda tf, a: tf.gather(a, [0, 2]),
    "gather_indices": lambda tf, a: tf.gather(tf.range(100000), tf.cast(a, tf.int32)),
    "concat": lambda tf, a: tf.concat([a, a], 0),
    "stack": lambda tf, a: tf.stack([a, a]),
    "where": lambda tf, a: tf.where(a > 1, a, a * 2),
    "sort": lambda tf, a: tf.sort(a),
    "reduce_sum": lambda tf, a: tf.reduce_sum(a, keepdims=True),
    "slice": lambda tf, a: tf.constant(a)[1:],
    "matmul": lambda tf, a: tf.matmul(a[None], a[:, None]),
    "cond": lambda tf, a: tf.cond(tf.constant(True), lambda: a * 1, lambda: a),
    "map_fn": lambda tf, a: tf.map_fn(lambda x: x + 1, a[:3]),
    "scatter": lambda tf, a: tf.tensor_scatter_nd_update(tf.zeros(9000), [[0]], a[1:2]),
    "nest": lambda tf, a: tf.nest.map_structure(tf.convert_to_tensor, {"x": [a]})["x"][0],
    "tensor_array": lambda tf, a: tf.TensorArray(tf.float32, 1).write(0, tf.constant(a, tf.float32)).stack(),
    "sparse": lambda tf, a: tf.sparse.to_dense(tf.SparseTensor([[0], [1]], a[:2], [2])),
    "ragged": lambda tf, a: tf.RaggedTensor.from_row_lengths(a, [1, len(a) - 1])[0],
    "indexed_slices": lambda tf, a: tf.convert_to_tensor(tf.IndexedSlices(a, tf.range(len(a)), tf.constant([len(a)]))),
    "initializer": lambda tf, a: tf.constant_initializer(a)([len(a)]),
    "keras_initializer": lambda tf, a: tf.keras.initializers.Constant(2.0)([2]),
    "pad": lambda tf, a: tf.pad(a, [[1, 1]]),
    "one_hot": lambda tf, a: tf.one_hot(tf.cast(a[:3], tf.int32), 3),
    "numpy_function": lambda tf, a: tf.numpy_function(lambda x: x + 1, [a], a.dtype),
    "image": lambda tf, a: tf.image.flip_left_right(a[None, :, None]),
    "experimental_numpy": lambda tf, a: tf.experimental.numpy.array(a),
    "experimental_asarray": lambda tf, a: tf.experimental.numpy.asarray(a),
}  # fmt: skip


@row_for(kind=list(MADE), size=SIZES)
def of_an_array(tf, np, kind, size):
    a = _array(np, size)
    result = MADE[kind](tf, a)
    _clobber(a)
    return tf.convert_to_tensor(result)[..., :3], tf.reduce_sum(tf.cast(result, tf.float64))


CALLS = {
    "argument": lambda tf, f, a: f(a),
    "keyword": lambda tf, f, a: f(x=a),
    "tensor": lambda tf, f, a: f(tf.constant(a)),
}


@row_for(kind=list(CALLS), signature=[False, True])
def of_a_function(tf, np, kind, signature):
    a = _array(np, 3)
    options = {"input_signature": [tf.TensorSpec([None], tf.float32)]} if signature else {}
    results = []
    f = tf.function(lambda x: x * 2, **options)
    for _ in range(3):
        results.append(CALLS[kind](tf, f, a))
        a += 1
    return results


@row
def arrays_that_a_function_captures(tf, np):
    a, items, table = _array(np, 3), [1.0, 2.0], {"x": _array(np, 2)}
    f = tf.function(lambda x: x + a + items[0] + table["x"][1])
    first = f(1.0)
    a += 5
    items[0], table["x"][1] = 10.0, 10.0
    return first, f(1.0), f(tf.constant(1.0)), f(2.0)


@row
def lists_and_dicts(tf, np):
    items, table = [1.0, 2.0], {"a": [1.0], "b": 2.0}
    made = tf.constant(items), tf.stack(items), tf.add_n([tf.constant(x) for x in items]), tf.Variable(items)
    f = tf.function(lambda t: t["a"][0] + t["b"])
    given = f(table), f({"a": [tf.constant(1.0)], "b": 2.0})
    items[0] = 9.0
    table["a"][0] = 9.0
    table["b"] = 9.0
    return made, given, f(table)


@row
def shapes_given_as_lists(tf, np):
    shape, axis, sizes = [2, 3], [0], [1, 2]
    x = tf.reshape(tf.range(6), shape)
    results = [tf.zeros(shape), x, tf.fill(shape, 1), tf.reduce_sum(x, axis), *tf.split(x, sizes, 1),
               tf.broadcast_to([1], shape), tf.TensorShape(shape), tf.TensorSpec(shape), tf.tile(x, sizes),
               tf.random.stateless_uniform(shape, [1, 2]) * 0, tf.ensure_shape(x, shape)]  # fmt: skip
    shape[0], axis[0], sizes[0] = 6, 1, 2
    return [x if hasattr(x, "numpy") else str(x) for x in results]


@row
def arrays_assigned_to_a_variable(tf, np):
    a, results = _array(np, 3), []
    v = tf.Variable(a)
    for change in (v.assign, v.assign_add, v.assign_sub):
        results.append(change(a).read_value())
        a += 1
    v.scatter_update(tf.IndexedSlices(a[:1], np.array([1])))
    indices = np.array([2])
    v.scatter_add(tf.IndexedSlices(a[:1], indices))
    indices[0], a[0] = 0, 50
    v[1:].assign(a[1:])
    a += 3
    return results, v


@row
def the_array_of_a_tensor(tf, np):
    x, v = tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0])
    y = x * 2
    seen = v.numpy()
    seen[0] = 9.0
    copied = np.array(x)
    copied[0] = 9.0
    before = v.numpy()
    v.assign([5.0, 6.0])
    return x, y, v, before, seen, copied


@row
def a_gradient_with_arrays(tf, np):
    a, b = _array(np, 3), _array(np, 3) + 1
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * tf.constant(a) + x * x * tf.constant(b)
    a[:] = 50
    first = tape.gradient(y, x, output_gradients=tf.constant(b))
    b[:] = 60
    return first, tape.gradient(y, x), y


@row
def a_loop_with_arrays(tf, np):
    a = _array(np, 3)

    @tf.function
    def f(n):
        y = tf.zeros(3)
        for _ in range(n):
            y += a
        return y

    first = f(tf.constant(2))
    a[:] = 50
    return first, f(tf.constant(2)), tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y + a), (0, tf.zeros(3)))[1]


@row
def seeds_between_the_call_and_the_look(tf, np):
    tf.random.set_seed(1)
    a = tf.random.normal([2])
    tf.random.set_seed(2)
    b = tf.random.normal([2])
    tf.random.set_seed(1)
    c = tf.random.normal([2])
    g = tf.random.Generator.from_seed(3)
    d = g.normal([2])
    g.reset_from_seed(3)
    e = g.normal([2])
    return a, b, c, d, e


@row
def seeds_of_functions(tf, np):
    f = tf.function(lambda: tf.random.uniform([2]))
    tf.random.set_seed(1)
    first = f(), f()
    tf.random.set_seed(1)
    g = tf.function(lambda: tf.random.uniform([2]))
    second = g(), g()
    seed = np.array([1, 2])
    third = tf.random.stateless_uniform([2], seed)
    seed[0] = 5
    return first, second, third


@row
def side_effects_of_python(tf, np):
    seen = []

    @tf.function
    def f(x):
        seen.append(len(seen))
        return x + len(seen)

    results = [f(tf.constant(1)), f(tf.constant(2)), f(tf.constant(1.0)), f(3), f(4), f(3)]
    return results, seen


@row
def properties_read_at_the_call(tf, np):
    class Settings:
        rate = 2.0

    settings = Settings()
    y = tf.constant(1.0) * settings.rate
    f = tf.function(lambda x: x * settings.rate)
    first = f(tf.constant(1.0))
    settings.rate = 3.0
    return y, first, f(tf.constant(1.0)), f(tf.constant([1.0]))


@row
def a_function_that_is_replaced(tf, np):
    def scale(x):
        return x * 2

    holder = {"f": scale}
    mapped = tf.map_fn(lambda x: holder["f"](x), tf.constant([1.0, 2.0]))
    held = tf.function(lambda x: holder["f"](x))
    first = held(tf.constant(1.0))
    holder["f"] = lambda x: x * 3
    return mapped, first, held(tf.constant(1.0))


@row
def arrays_of_other_layouts(tf, np):
    a = np.arange(12.0).reshape(3, 4)
    views = [a.T, a[::2], a[:, ::-1], np.broadcast_to(a[0], (2, 4)), np.asfortranarray(a)]
    made = [tf.constant(v) for v in views] + [tf.convert_to_tensor(v) + 0 for v in views]
    a[:] = 0
    return made


@row
def arrays_that_may_not_be_written(tf, np):
    x = tf.constant([1.0, 2.0])

    def write():
        x.numpy()[0] = 5.0

    outcome = raised(write)
    return type(outcome.error).__name__, x


@row
def memoryviews_and_bytes(tf, np):
    data = bytearray(b"abc")
    x = tf.constant(bytes(data))
    view = np.frombuffer(data, np.uint8)
    y, z = tf.constant(view), tf.io.decode_raw(bytes(data), tf.uint8)
    data[0] = 0
    return x, y, z
