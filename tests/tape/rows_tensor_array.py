"""`tf.TensorArray`: lists of tensors, eagerly and inside functions."""

from rows import raised, row, row_for

WHERE = ("eager", "function")


def placed(tf, where, function):
    """`function` itself, or as a `tf.function`."""
    return tf.function(function) if where == "function" else function


@row_for(where=WHERE)
def write_read_stack(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            array = tf.TensorArray(tf.float32, 3, clear_after_read=False)
            array = array.write(0, x).write(1, x * x)
            array = array.write(2, array.read(1) * 3.0)
            y = array.stack()
        return y, tape.gradient(y, x), array.size(), array.read(2), array.dtype == tf.float32, array.gather([2, 0])

    return f(tf.constant([1.0, 2.0]))


@row_for(where=WHERE)
def unstack_split_scatter_concat(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(x):
        rows = tf.TensorArray(tf.float32, 3).unstack(x)
        pieces = tf.TensorArray(tf.float32, 2, infer_shape=False, clear_after_read=False).split(x, [1, 2])
        scattered = tf.TensorArray(tf.float32, 4, element_shape=[2]).scatter([3, 0, 1], x)
        return pieces.concat(), pieces.read(1), rows.concat(), rows.read(1), scattered.read(3)

    return f(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))


@row_for(where=WHERE)
def unwritten_elements_are_zeros(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(x):
        array = tf.TensorArray(tf.float32, 3, element_shape=[2]).write(1, x)
        return array.stack(), tf.TensorArray(tf.float32, 2, element_shape=[]).read(0)

    return f(tf.constant([1.0, 2.0]))


@row
def growing(tf, np):
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    for i in range(3):
        array = array.write(i, float(i))
    return array.stack(), array.size(), array.write(5, 9.0).size()


@row
def errors(tf, np):
    def array(*args, **kwargs):
        return tf.TensorArray(tf.float32, *args, **kwargs)

    def twice():
        a = array(1).write(0, 1.0)
        a.read(0)
        a.read(0)

    return (
        raised(lambda: array(2).write(2, 1.0)),
        raised(lambda: array(2).write(-1, 1.0)),
        raised(lambda: array(2).read(5)),
        raised(lambda: array(2).write(0, 1.0).read(-1)),
        raised(twice),
        raised(lambda: array(2).write(0, tf.constant(1))),
        raised(lambda: array(2).write(0, [1.0]).write(1, [1.0, 2.0])),
        raised(lambda: array(2, element_shape=[3]).write(0, [1.0, 2.0])),
        raised(lambda: array(2).unstack(tf.ones([3]))),
        raised(lambda: array(2, dynamic_size=True).unstack(tf.ones([3]))),
        raised(lambda: array(2).grad("source")),
    )


@row
def properties(tf, np):
    array = tf.TensorArray(tf.float64, 2, dynamic_size=True, element_shape=[None, 3])
    written = array.write(0, np.zeros([2, 3]))
    return (
        array.dtype.name,
        str(array.element_shape),
        array.dynamic_size,
        array.size(),
        written.size(),
        array.identity().size(),
    )


@row_for(where=WHERE)
def in_a_while_loop(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            array = tf.TensorArray(tf.float32, 4)

            def body(i, y, array):
                return [i + 1, y * x, array.write(i, y)]

            _, _, array = tf.while_loop(
                lambda i, y, array: i < n, body, [tf.constant(0), x, array], maximum_iterations=4
            )
            stacked = array.stack()
        return stacked, tape.gradient(stacked, x)

    return f(tf.constant([1.0, 2.0]), tf.constant(4))


@row_for(where=WHERE)
def read_in_a_while_loop(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(x):
        array = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x)
        _, total = tf.while_loop(
            lambda i, total: i < 3, lambda i, total: (i + 1, total + array.read(i)), [tf.constant(0), tf.zeros([2])]
        )
        return total

    return f(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))


@row_for(where=WHERE)
def in_a_cond(tf, np, where):
    @lambda f: placed(tf, where, f)
    def f(p, x):
        array = tf.TensorArray(tf.float32, 2, clear_after_read=False).write(0, x)
        array = tf.cond(p, lambda: array.write(1, x * 2.0), lambda: array.write(1, -x))
        return array.stack()

    return f(tf.constant(True), tf.constant(1.0)), f(tf.constant(False), tf.constant(1.0))


@row
def as_an_argument_of_a_function(tf, np):
    @tf.function
    def total(array, x):
        return array.stack() * x

    def filled(a, b):
        return tf.TensorArray(tf.float32, 2).write(0, a).write(1, b)

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = total(filled(x, 2.0), tf.constant(10.0))
    return y, tape.gradient(y, x), total(filled(5.0, 6.0), tf.constant(10.0))


@row
def of_nothing(tf, np):
    """Of an element that was never written only a known shape tells what it is; of no elements all is known."""
    empty, unknown, known = (
        tf.TensorArray(tf.float32, 0), tf.TensorArray(tf.float32, 2), tf.TensorArray(tf.float32, 2, element_shape=[2]),
    )  # fmt: skip
    reads = [lambda: unknown.stack(), lambda: unknown.read(1), lambda: unknown.gather([0]), lambda: unknown.concat()]
    errors = [raised(read) for read in reads]
    return errors, empty.stack(), unknown.gather([]), known.stack(), known.concat(), known.read(1)


# --- arrays that only some branches write to -----------------------------------------------------------------------


@row_for(n=(3, "tensor"), form=("if", "continue", "break", "while", "cond", "both"))
def written_in_a_branch(tf, np, n, form):
    def array_of(x, n):
        array = tf.TensorArray(tf.float32, size=n)
        if form == "while":
            i = 0
            while i < n:
                if tf.reduce_max(x) > 100.0:
                    break
                array = array.write(i, x)
                i += 1
            return array
        for i in tf.range(n):
            if form == "if" and tf.reduce_max(x) < 100.0:
                array = array.write(i, x * tf.cast(i, tf.float32))
            elif form == "continue":
                if tf.equal(i, 5):
                    continue
                array = array.write(i, x + 1.0)
            elif form == "break":
                if tf.reduce_max(x) > 100.0:
                    break
                array = array.write(i, x)
            elif form == "cond":
                array = tf.cond(x[0] < 100.0, lambda a=array, i=i: a.write(i, x * x), lambda a=array: a)
            elif form == "both":
                if x[0] < x[1]:
                    array = array.write(i, x)
                else:
                    array = array.write(i, -x)
        return array

    @tf.function
    def f(x, n):
        return array_of(x, n).stack()

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(3) if n == "tensor" or form == "while" else n)
    return y, tape.gradient(y, x)


@row
def written_in_a_branch_without_a_loop(tf, np):
    @tf.function
    def f(x):
        array = tf.TensorArray(tf.float32, size=3)
        if tf.reduce_max(x) < 100.0:
            array = array.write(0, x)
        array = array.write(1, 2.0 * x)
        return array.write(2, x).stack()

    return f(tf.constant([1.0, 2.0])), f(tf.constant([1.0, 200.0]))


@row_for(element_shape=(None, (None, 2)))
def elements_of_a_loop_whose_shape_is_not_inferred(tf, np, element_shape):
    @tf.function
    def f(x):
        array = tf.TensorArray(tf.float32, size=3, infer_shape=False, element_shape=element_shape)
        for i in tf.range(3):
            array = array.write(i, x)
        return array.stack()

    return f(tf.constant([[1.0, 2.0]]))
