"""Values that an op refuses, computed by the program: which exception, where, and what is left afterwards."""
from rows import raised, row


def computed(tf, numbers):
    """Integers that no op knows while it is called."""
    return tf.cast(tf.constant(numbers, tf.float32) + 0.0, tf.int32)


@row
def an_index_out_of_range(tf, np):
    x = tf.reshape(tf.range(6.0), [3, 2])

    def of(indices, text, **options):
        return raised(lambda: tf.gather(x, computed(tf, indices), **options).numpy(), text)

    return (
        of([0, 7], "indices[1] = 7 is not in [0, 3)"),
        of([-1], "indices[0] = -1 is not in [0, 3)"),
        of(3, "indices = 3 is not in [0, 3)"),
        of([[0, 1], [1, 2]], "indices[1,1] = 2 is not in [0, 2)", axis=1),
        of([[0], [1], [5]], "indices[2,0] = 5 is not in [0, 2)", batch_dims=1),
        tf.gather(x, computed(tf, [0, 2])),
        raised(lambda: tf.nn.embedding_lookup(x, computed(tf, [[0, 7]])).numpy(), "indices[0,1] = 7"),
        raised(lambda: tf.keras.layers.Embedding(3, 2)(computed(tf, [[0, 7]])).numpy(), "indices[0,1] = 7"),
    )


@row
def what_was_assigned_before_and_after(tf, np):
    x, before, after = tf.range(3.0), tf.Variable([1.0]), tf.Variable([2.0])

    def program():
        before.assign([5.0])
        tf.gather(x, computed(tf, [3]))
        after.assign([7.0])
        return after.numpy()

    def loop():
        for i in range(20):
            tf.gather(x, computed(tf, [i // 4]))
            before.assign_add([1.0])
            after.assign_sub([1.0])
        return after.numpy()

    return raised(program, "= 3 is not"), before, after, raised(loop, "= 3 is not"), before, after


@row
def what_a_function_assigns(tf, np):
    x, counter, sums = tf.range(3.0), tf.Variable(0.0), tf.Variable(0.0)

    @tf.function
    def f(indices):
        counter.assign_add(1.0)
        y = tf.gather(x, indices)
        sums.assign_add(tf.reduce_sum(y))
        return y

    first = raised(lambda: f(computed(tf, [1, 3])).numpy(), "indices[1] = 3 is not in [0, 3)")
    return first, counter, sums, f(computed(tf, [1, 2])), counter, sums


@row
def variables_of_each_kind_in_a_function(tf, np):
    table, index, apart = tf.Variable(tf.ones([4, 2])), tf.Variable([0, 1]), tf.Variable(5.0)
    small, large = [tf.Variable([1.0, 2.0]) for _ in range(3)], tf.Variable(tf.ones([60, 60]))

    @tf.function
    def step(i):
        apart.assign_add(1.0)
        total = tf.reduce_sum(tf.gather(table, i + index))
        for v in (*small, large):
            v.assign_add(total * tf.ones(v.shape))
        return total

    found = []
    for i in (0, 9, 2, 8, 8, 1):
        found.append(raised(lambda i=i: step(tf.constant(i)).numpy(), *["is not in [0, 4)"] * (i > 3)))
        found.append([float(apart), *[v.numpy() for v in small], float(large[0, 0]), float(large[59, 59])])
    return found


@row
def in_a_loop(tf, np):
    x = tf.range(3.0)

    @tf.function
    def f(n):
        i, y = tf.constant(0), tf.constant(0.0)
        while i < n:
            y += tf.gather(x, i)
            i += 1
        return y

    return f(3), raised(lambda: f(6).numpy(), "is not in [0, 3)"), f(2)


@row
def in_parts_of_functions(tf, np):
    x, good, bad, yes = tf.range(3.0), computed(tf, [0, 2]), computed(tf, [0, 3]), tf.constant(True)

    def outcomes(f):
        f = tf.function(f)
        return f(good), raised(lambda: f(bad).numpy(), "is not in [0, 3)")

    return (
        outcomes(lambda i: tf.cond(yes, lambda: tf.gather(x, i), lambda: x[:2])),
        outcomes(lambda i: tf.map_fn(lambda k: tf.gather(x, k), i, fn_output_signature=tf.float32)),
        outcomes(lambda i: tf.scan(lambda a, k: a + tf.gather(x, k), i, 0.0)),
        outcomes(lambda i: tf.foldl(lambda a, k: a + tf.gather(x, k), i, 0.0)),
        outcomes(lambda i: tf.vectorized_map(lambda k: tf.gather(x, k), i)),
        outcomes(tf.function(lambda i: tf.gather(x, i) * 2.0)),
        raised(lambda: tf.vectorized_map(lambda k: tf.gather(x, k), bad).numpy(), "is not in [0, 3)"),
    )


@row
def a_result_that_nothing_needs(tf, np):
    x = tf.range(3.0)

    @tf.function
    def f(i):
        tf.gather(x, i)
        return i * 2

    return f(computed(tf, [7]))


@row
def under_a_tape(tf, np):
    def outcomes(f):
        v = tf.Variable([1.0, 2.0, 3.0])

        def gradient(indices):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(f(v, computed(tf, indices)) ** 2)
            return tf.convert_to_tensor(tape.gradient(y, v)).numpy()

        return gradient([0, 2]), raised(lambda: gradient([0, 3]), "indices[1] = 3 is not in [0, 3)")

    return outcomes(tf.gather), outcomes(tf.function(tf.gather))


@row
def a_division_of_integers_by_zero(tf, np):
    x, zero = tf.constant([1, 2]), computed(tf, [1, 0])
    functions = [lambda x, y: x // y, lambda x, y: x % y, tf.math.floormod]
    inside = [tf.function(f) for f in functions]
    return (
        [raised(lambda f=f: f(x, zero).numpy(), "Integer division by zero") for f in functions + inside],
        raised(lambda: tf.truncatediv(x, zero).numpy(), "Unexpected error in binary operator"),
        raised(lambda: (x ** (zero - 1) ** (zero - 2)).numpy(), "Integers to negative integer powers are not allowed"),
        x // computed(tf, [3, 2]),
        tf.constant([1.0]) // tf.constant([0.0]),
    )


@row
def elements_of_a_dataset(tf, np):
    x, found = tf.range(3.0), []
    dataset = tf.data.Dataset.from_tensor_slices([0, 2, 3, 1]).map(lambda i: tf.gather(x, i))

    def elements():
        for element in dataset:
            found.append(element.numpy())

    return raised(elements, "= 3 is not in [0, 3)"), found


@row
def index_vectors_out_of_range(tf, np):
    x, v = tf.reshape(tf.range(6.0), [3, 2]), tf.Variable([1.0, 2.0])
    far, ones = computed(tf, [[7]]), tf.constant([1.0])
    flat = tf.constant([1.0, 2.0])

    def updated(how):
        return getattr(tf, f"tensor_scatter_nd_{how}")(flat, far, ones)

    return (
        raised(lambda: tf.gather_nd(x, computed(tf, [[0, 0], [7, 1]])).numpy(), "indices[1] = [7, 1] does not index"),
        raised(lambda: tf.scatter_nd(far, ones, [4]).numpy(), "indices[0] = [7] does not index into shape [4]"),
        [
            raised(lambda how=how: updated(how).numpy(), "[7] does not index")
            for how in ("add", "sub", "update", "min", "max")
        ],
        raised(lambda: v.scatter_nd_add(far, ones).numpy(), "indices[0] = [7] does not index into shape [2]"),
        v,
        raised(
            lambda: tf.gather_nd(x, computed(tf, [[0, 0], [7, 1]]), bad_indices_policy="ERROR").numpy(),
            "indices[1] = [7, 1] does not index",
        ),
        tf.gather_nd(x, computed(tf, [[7, 1], [2, 1]]), bad_indices_policy="IGNORE"),
        tf.tensor_scatter_nd_add(flat, computed(tf, [[7], [1]]), [1.0, 4.0], bad_indices_policy="IGNORE"),
    )


@row
def a_label_out_of_range(tf, np):
    logits, bad = tf.zeros([2, 3]), computed(tf, [0, 5])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits
    text = "Received a label value of 5 which is outside the valid range of [0, 3)"
    keras = tf.keras.losses.SparseCategoricalCrossentropy
    return (
        raised(lambda: loss(bad, logits).numpy(), text),
        raised(lambda: tf.function(loss)(bad, logits).numpy(), text),
        raised(lambda: keras(from_logits=True)(bad, logits).numpy(), text),
        raised(lambda: keras()(bad, tf.ones([2, 3]) / 3.0).numpy(), text),
        keras(ignore_class=5)(bad, tf.ones([2, 3]) / 3.0),
        loss(computed(tf, [0, 2]), logits),
    )
