"""`IndexedSlices` as gradients, and gradients through gather, slicing and other views."""

from rows import printed, raised, row, row_for


@row
def gather_from_a_variable(tf, np):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [2, 0, 2]) ** 2)
    return tape.gradient(y, table)


@row
def gather_from_a_tensor(tf, np):
    table = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        tape.watch(table)
        y = tf.reduce_sum(tf.gather(table, [2, 0, 2]) ** 2)
    return tape.gradient(y, table)


@row
def gather_from_an_intermediate(tf, np):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        h = table * 2.0
        y = tf.gather(h, [1, 1])
    return tape.gradient(y, h), tape.gradient(y, table)


@row
def embedding_lookup(tf, np):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    ids = tf.constant([[1, 2], [1, 0]], tf.int64)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.nn.embedding_lookup(table, ids) * [1.0, 10.0])
    return tape.gradient(y, table)


@row
def attributes(tf, np):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.gather(table, [2, 0])
    g = tape.gradient(y, table)
    return (
        type(g).__name__,
        isinstance(g, tf.IndexedSlices),
        g.values,
        g.indices,
        g.dense_shape,
        g.dtype.name,
        str(g.shape),
    )


@row
def converted_to_dense(tf, np):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.gather(table, [2, 0, 2])
    g = tape.gradient(y, table)
    return tf.convert_to_tensor(g), g + tf.zeros([3, 2]), tf.reduce_sum(g), tf.square(g)


@row
def used_in_arithmetic(tf, np):
    table = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.gather(table, [2, 0, 2])
    g = tape.gradient(y, table)
    return -g, raised(lambda: g * 2.0), tf.multiply(g, 2.0)


@row
def string_forms(tf, np):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.gather(table, [2, 0])
    g = tape.gradient(y, table)
    return (
        str(g),
        printed(lambda: print(g)),
        repr(g).startswith("<tensorflow.python.framework.indexed_slices"),
    )


@row
def made_by_hand(tf, np):
    s = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([0, 2]), tf.constant([3, 2]))
    t = tf.IndexedSlices(values=tf.constant([1.0]), indices=tf.constant([1], tf.int64))
    return s, tf.convert_to_tensor(s), t, str(s.shape), raised(lambda: tf.convert_to_tensor(t), "dense_shape")


@row
def two_gathers_are_concatenated(tf, np):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [2, 0])) + tf.reduce_sum(tf.gather(table, [2]) * 10.0)
    g = tape.gradient(y, table)
    return type(g).__name__, tf.convert_to_tensor(g)


@row
def gather_and_dense_use(tf, np):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [1])) + tf.reduce_sum(table * 10.0)
    g = tape.gradient(y, table)
    return type(g).__name__, tf.convert_to_tensor(g)


@row
def inner_axis_is_dense(tf, np):
    table = tf.Variable([[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]])
    with tf.GradientTape() as tape:
        y = tf.gather(table, [2, 2, 0], axis=1)
    return tape.gradient(y, table)


@row
def batch_dims_is_dense(tf, np):
    table = tf.Variable([[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]])
    with tf.GradientTape() as tape:
        y = tf.gather(table, [[2, 2], [0, 1]], batch_dims=1)
    return y, tape.gradient(y, table)


@row
def gather_nd_gradient(tf, np):
    v, t = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(t)
        y = tf.gather_nd(v, [[0, 1], [1, 1]])
        z = tf.gather_nd(t, [[1], [1]])
    return tape.gradient(y, v), tape.gradient(z, t)


@row
def gather_a_scalar_row(tf, np):
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.gather(v, 1) * 5.0
    return y, tape.gradient(y, v)


@row
def applied_to_a_variable(tf, np):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.gather(v, [2, 0, 2])
    g = tape.gradient(y, v)
    v.scatter_sub(g)
    first = tf.identity(v)
    v.assign_sub(0.5 * tf.convert_to_tensor(g))
    return first, v


@row
def variable_sparse_read(tf, np):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = v.sparse_read([2, 0])
    return y, tape.gradient(y, v)


@row
def slices_as_output_gradients(tf, np):
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    s = tf.IndexedSlices(tf.constant([[1.0, 1.0]]), tf.constant([1]), tf.constant([2, 2]))
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x, output_gradients=tf.convert_to_tensor(s))


@row
def second_order_through_gather(tf, np):
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.gather(v, [2, 0, 2]) ** 3)
        g = tf.convert_to_tensor(inner.gradient(y, v))
    return g, outer.gradient(g, v)


@row
def norm_and_clip(tf, np):
    v = tf.Variable([3.0, 4.0, 5.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [0, 1]) ** 2)
    g = tape.gradient(y, v)
    clipped, norm = tf.clip_by_global_norm([g], 1.0)
    return type(clipped[0]).__name__, tf.convert_to_tensor(clipped[0]), norm


INDICES = {
    "integer": lambda x: x[1],
    "negative": lambda x: x[-1, -2],
    "slice": lambda x: x[1:, :2],
    "strides": lambda x: x[::2, ::-1],
    "ellipsis": lambda x: x[..., 0],
    "newaxis": lambda x: x[:, None, 1],
    "empty": lambda x: x[3:],
    "step": lambda x: x[::-2],
}


@row_for(index=tuple(INDICES))
def getitem(tf, np, index):
    x = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
    with tf.GradientTape() as tape:
        part = INDICES[index](x)
        y = part * part
    return part, tape.gradient(y, x)


@row
def getitem_with_a_tensor(tf, np):
    x, i = tf.constant([1.0, 2.0, 3.0]), tf.constant(2)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x[i] * x[i - 2] * x[: i - 1][0]
    return y, tape.gradient(y, x)


@row
def getitem_with_a_mask(tf, np):
    x = tf.constant([1.0, -2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x[x > 0.0] ** 2
    return y, tape.gradient(y, x)


@row
def boolean_mask(tf, np):
    x = tf.Variable([[1.0, -2.0], [3.0, -4.0]])
    with tf.GradientTape() as tape:
        y = tf.boolean_mask(x, [[True, False], [True, True]]) ** 2
    return y, tf.convert_to_tensor(tape.gradient(y, x))


@row
def stack_and_unstack(tf, np):
    a, b = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        s = tf.stack([a, b, a], axis=1)
        first, second = tf.unstack(s)
        y = tf.reduce_sum(s * s)
        z = first * second
    return s, tape.gradient(y, [a, b]), tape.gradient(z, [a, b, s])


@row
def stack_with_numbers(tf, np):
    a = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.convert_to_tensor([a, 3.0, a * a])
        z = tf.reduce_sum(y * [[1.0], [2.0], [3.0]])
    return y, tape.gradient(z, a)


@row
def concat(tf, np):
    a, b = tf.Variable([[1.0, 2.0]]), tf.Variable([[3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.concat([a, b, a], axis=0) ** 2
    return y, tape.gradient(y, [a, b])


@row
def split_one_part_used(tf, np):
    x = tf.Variable([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        left, right = tf.split(x, [1, 3])
        y = right * right
    return tape.gradient(y, x), tape.gradient(left, x), tape.gradient(y, [left, right])


@row
def top_k(tf, np):
    x = tf.Variable([1.0, 5.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        values, indices = tf.math.top_k(x, k=2)
        y = tf.reduce_sum(values * values)
    return values, indices, tape.gradient(y, x), type(tf.math.top_k(x, k=1)).__name__


@row
def sort(tf, np):
    x = tf.Variable([3.0, 1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.sort(x) * [1.0, 10.0, 100.0]
    return y, tape.gradient(y, x)


@row
def reshape_transpose_and_friends(tf, np):
    x = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    results = {}
    views = {
        "reshape": lambda: tf.reshape(x, [3, -1]),
        "transpose": lambda: tf.transpose(x),
        "expand_dims": lambda: tf.expand_dims(x, 1),
        "squeeze": lambda: tf.squeeze(x[:1]),
        "reverse": lambda: tf.reverse(x, [1]),
        "tile": lambda: tf.tile(x, [2, 1]),
        "pad": lambda: tf.pad(x, [[0, 1], [1, 0]]),
        "roll": lambda: tf.roll(x, 1, axis=1),
        "broadcast_to": lambda: tf.broadcast_to(x[0], [2, 3]),
        "repeat": lambda: tf.repeat(x, 2, axis=0),
    }
    for name, view in views.items():
        with tf.GradientTape() as tape:
            y = view()
            z = y * y
        results[name] = (y, tape.gradient(z, x))
    return results


@row
def scatter_ops(tf, np):
    x, u = tf.Variable([1.0, 2.0, 3.0]), tf.Variable([10.0, 20.0])
    with tf.GradientTape(persistent=True) as tape:
        a = tf.tensor_scatter_nd_update(x, [[0], [2]], u) ** 2
        b = tf.tensor_scatter_nd_add(x, [[0], [0]], u) ** 2
        c = tf.scatter_nd([[1], [1]], u, [3]) ** 2
    return [tape.gradient(y, [x, u]) for y in (a, b, c)]


@row
def segments(tf, np):
    x = tf.Variable([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        a = tf.math.segment_sum(x, [0, 0, 1, 1]) ** 2
        b = tf.math.unsorted_segment_max(x, [1, 0, 1, 0], 2) ** 2
    return tape.gradient(a, x), tape.gradient(b, x)


@row
def identity_shares_and_values_do_not_change(tf, np):
    x = tf.Variable([1.0, 2.0])
    before, view = tf.identity(x), x[:1]
    x.assign([5.0, 6.0])
    return before, view, x


@row
def slices_of_variables_assigned_in_functions(tf, np):
    v, w = tf.Variable(tf.zeros([4, 2])), tf.Variable([[1.0, 2.0]])

    @tf.function
    def assign(x, i):
        v[1].assign(x)
        v[i, 1].assign(7.0)
        v[:, 0].assign([1.0, 2.0, 3.0, 4.0])
        v[2:4].assign(tf.ones([2, 2]))
        v[..., 1].assign(v[:, 1] * 2.0)
        return v + 0.0

    @tf.function
    def in_a_loop(n):
        for i in tf.range(n):
            v[i].assign(tf.fill([2], tf.cast(i, tf.float32)))
        return v.read_value()

    @tf.function
    def in_a_branch(condition):
        if condition:
            w[0, 1].assign(9.0)
        return w[0] + w[0, 1]

    first = assign(tf.ones(2), tf.constant(3))
    return first, in_a_loop(tf.constant(3)), in_a_branch(tf.constant(False)), in_a_branch(tf.constant(True))


@row
def module_of_the_class(tf, np):
    variable = tf.Variable([1.0, 2.0])
    return [(type(x).__module__, type(x).__name__) for x in (variable, variable[0], variable.read_value())]


@row_for(batch_dims=[-1, -2, 1, 2], axis=[None, -1, 1, 2], indices=[(2, 2), (2, 2, 2)])
def gathered_in_batches(tf, np, batch_dims, axis, indices):
    params = tf.reshape(tf.range(12.0), (2, 2, 3))
    places = tf.reshape(tf.range(int(np.prod(indices))) % 2, indices)
    try:
        return tf.gather(params, places, axis=axis, batch_dims=batch_dims)
    except tf.errors.InvalidArgumentError as error:
        return type(error).__name__
