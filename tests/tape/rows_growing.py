"""Loops of functions in which tensors and TensorArrays grow, and branches of different shapes."""

from rows import raised, row, row_for

from tape.rows_autograph import slope

# --- tensors ------------------------------------------------------------------------------------------------------


@row
def growing_in_a_while(tf):
    @tf.function
    def f(x, n):
        i = 0
        while i < n:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None, 2]))])
            x = tf.concat([x, [[tf.reduce_sum(x), tf.cast(i, tf.float32)]]], 0)
            i += 1
        return x

    x = tf.constant([[1.0, 2.0]])
    return [f(x, tf.constant(n)) for n in (3, 0, 5, 3)]


@row
def growing_in_while_loop_with_derivatives(tf):
    v = tf.Variable(2.0)

    @tf.function
    def f(x, n):
        return tf.while_loop(
            lambda i, y: i < n, lambda i, y: (i + 1, tf.concat([y, [tf.sin(tf.reduce_sum(y * v))]], 0)),
            [tf.constant(0), x], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
        )[1]

    x = tf.constant([0.3, 0.5])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(f(x, tf.constant(4)) ** 2)
        gradients = tape.gradient(y, [x, v])
    return y, gradients, outer.gradient(gradients[0], x)


@row
def growing_inside_a_tape_of_the_function(tf):
    @tf.function
    def f(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            while n > 0:
                tf.autograph.experimental.set_loop_options(shape_invariants=[(y, tf.TensorShape([None]))])
                y = tf.concat([y, [tf.sin(tf.reduce_sum(y))]], 0)
                n -= 1
            total = tf.reduce_sum(y * y)
        return tape.gradient(total, x)

    return f(tf.constant([0.3, 0.5]), tf.constant(3))


@row
def tape_in_a_loop_that_grows(tf):
    @tf.function
    def f(x, n):
        while n > 0:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(tf.sin(x) * x)
            x = tf.concat([x - 0.1 * tape.gradient(y, x), [0.5]], 0)
            n -= 1
        return x

    return f(tf.constant([0.3]), tf.constant(4))


@row
def assigning_in_a_loop_that_grows(tf):
    w = tf.Variable(0.0)

    @tf.function
    def f(x, n):
        while n > 0:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            w.assign_add(tf.reduce_sum(x))
            x = tf.concat([x, [w]], 0)
            n -= 1
        return x

    return f(tf.constant([1.0]), tf.constant(4)), w, f(tf.constant([1.0]), tf.constant(1)), w


@row
def sizes_in_a_loop_that_grows_are_none(tf):
    shapes = []

    @tf.function
    def f(x, n):
        while n > 0:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None, 2]))])
            shapes.append(x.shape.as_list())
            if x.shape[0] == 2:
                x += 100.0
            x = tf.concat([x, tf.cast([tf.shape(x)], tf.float32)], 0)
            n -= 1
        shapes.append(x.shape.as_list())
        return x

    return f(tf.constant([[1.0, 2.0]]), tf.constant(4)), shapes[-2:]


@row
def growing_from_nothing(tf):
    @tf.function
    def primes(n):
        found = tf.zeros([0], tf.int32)
        for k in tf.range(2, n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(found, tf.TensorShape([None]))])
            if tf.reduce_all(k % found > 0):
                found = tf.concat([found, [k]], 0)
        return found

    @tf.function
    def sums(n):
        x, total = tf.zeros([0]), tf.constant(0.0)
        while n > 0:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            mean = tf.reduce_mean(x)
            total += tf.reduce_sum(x) + tf.where(tf.math.is_nan(mean), 7.0, mean)
            x = tf.concat([x, [total]], 0)
            n -= 1
        return x

    return primes(tf.constant(30)), sums(tf.constant(3)), sums(tf.constant(0))


@row
def shrinking(tf):
    @tf.function
    def kept(x, n):
        while n > 0:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.boolean_mask(x, tf.cast(x, tf.int32) % 3 != n % 3)
            n -= 1
        return x

    @tf.function
    def halved(x):
        while tf.size(x) > 1:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.cond(tf.size(x) % 2 == 0, lambda x=x: x[::2] + x[1::2], lambda x=x: x[1:] + x[0])
        return x

    return kept(tf.range(20.0), tf.constant(2)), halved(tf.range(37.0))


@row
def loops_and_branches_in_a_loop_that_grows(tf):
    @tf.function
    def inner(x):
        return tf.concat([x, tf.reduce_sum(x, keepdims=True)], 0)

    @tf.function
    def f(x, n):
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            total = tf.constant(0.0)
            for j in tf.range(tf.shape(x)[0]):
                if x[j] > 4.0:
                    continue
                total += x[j]
            if total > 5.0:
                x = inner(x)
            else:
                x = tf.concat([x, [total]], 0)
            if tf.size(x) > 6:
                break
        return tf.concat([x, tf.cumsum(x), [tf.cast(tf.size(x), tf.float32)]], 0)

    x = tf.constant([1.0, 3.0])
    return f(x, tf.constant(2)), f(x, tf.constant(20)), slope(tf, f, [1.0, 3.0], tf.constant(4))


@row
def maps_in_a_loop_that_grows(tf):
    @tf.function
    def f(x, n):
        def body(i, x):
            doubled = tf.map_fn(lambda row: row * 2.0, x)
            return i + 1, tf.concat([doubled, tf.scan(lambda a, row: a + row, x)[-1:]], 0)

        return tf.while_loop(
            lambda i, x: i < n, body, [0, x], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])]
        )[1]

    return f(tf.constant([1.0, 2.0]), tf.constant(3))


@row
def growing_text(tf):
    @tf.function
    def f(n):
        x = tf.constant(["a"])
        while n > 0:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.concat([x, [tf.strings.join([x[-1], "b"])]], 0)
            n -= 1
        return tf.strings.reduce_join(x, separator=",")

    return f(tf.constant(3)), f(tf.constant(0))


@row
def growing_in_a_function_of_unknown_sizes(tf):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def f(x):
        while tf.reduce_sum(x) < 50:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.concat([x, [tf.shape(x)[0] + x[-1]]], 0)
        return x

    return f([1, 2]), f([1, 2, 3]), f([60]), f.get_concrete_function().structured_outputs.shape.as_list()


@row
def growing_in_a_loop_of_known_length(tf):
    @tf.function
    def long(x):
        for _ in tf.range(150):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.concat([x, [tf.reduce_mean(x) + 1.0]], 0)
        return x[-3:]

    @tf.function
    def ended(x):
        for _ in tf.range(20):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.concat([x, [tf.reduce_mean(x) + 1.0]], 0)
            if tf.reduce_sum(x) > 10.0:
                break
        return x

    @tf.function
    def bounded(x):
        return tf.while_loop(
            lambda x: tf.size(x) < 100, lambda x: (tf.concat([x, x], 0),), [x],
            shape_invariants=[tf.TensorShape([None])], maximum_iterations=3,
        )[0]

    x = tf.constant([1.0, 2.0])
    return long(x), ended(x), bounded(x)


@row
def growing_by_turns_of_a_loop_around(tf):
    @tf.function
    def f(n):
        total = tf.constant(0.0)
        for k in tf.range(n):
            x, i = tf.zeros([1]), 0
            while i < k:
                tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
                x = tf.concat([x, x + 1.0], 0)
                i += 1
            total += tf.reduce_sum(x)
        return total

    return f(tf.constant(5))


@row
def conditions_in_a_loop_that_grows(tf):
    @tf.function
    def f(x, n):
        while n > 0:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            tf.debugging.assert_less(tf.size(x), 4, message="too long")
            x = tf.concat([x, [2.0]], 0)
            n -= 1
        return x

    return f(tf.constant([1.0]), tf.constant(3)), raised(lambda: f(tf.constant([1.0]), tf.constant(9)), "too long")


@row
def growing_otherwise_than_stated(tf):
    @tf.function
    def f(x):
        while tf.size(x) < 20:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None, 2]))])
            x = tf.concat([x, x], 1)
        return x

    @tf.function
    def unstated(x):
        while tf.size(x) < 20:
            x = tf.concat([x, x], 0)
        return x

    x = tf.constant([[1.0, 2.0]])
    return raised(lambda: f(x), "shape"), raised(lambda: unstated(x), "shape")


@row
def stated_to_grow_without_growing(tf):
    @tf.function
    def f(x, n):
        while n > 0:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.sin(x) * 2.0
            n -= 1
        return tf.reduce_sum(x)

    return slope(tf, f, [0.3, 0.4], tf.constant(3))


@row
def branches_of_different_shapes(tf):
    @tf.function
    def f(c, x):
        y = tf.cond(c, lambda: tf.zeros([2, 3]) + x, lambda: tf.ones([4, 3]) * x)
        return tf.reduce_sum(y, 0) * 2.0, tf.shape(y), y.shape.as_list()

    return [slope(tf, lambda x, c=c: f(tf.constant(c), x)[0], 3.0) for c in (True, False)], f(tf.constant(True), 1.0)


# --- TensorArrays -------------------------------------------------------------------------------------------------


@row
def array_that_grows_in_a_loop_of_unknown_length(tf):
    @tf.function
    def f(n):
        cells = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            cells = cells.write(cells.size(), i * i)
        return cells.stack(), cells.size()

    return f(tf.constant(5)), f(tf.constant(2))


@row
def array_that_grows_read_in_the_loop(tf):
    @tf.function
    def f(n):
        cells = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False, element_shape=[2])
        cells = cells.write(0, [0.0, 1.0])
        i = 1
        while i < n:
            cells = cells.write(i, cells.read(i - 1) + [1.0, 2.0])
            i += 1
        return cells.stack(), cells.size(), cells.concat(), cells.read(i - 2), cells.gather([0, 1])

    return f(tf.constant(5)), f(tf.constant(3))


@row
def array_that_grows_with_derivatives(tf):
    @tf.function
    def f(x, n):
        cells = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        i = 0
        while i < n:
            x = tf.sin(x) * 2.0
            cells = cells.write(i, x)
            i += 1
        return tf.reduce_sum(cells.stack() ** 2)

    return slope(tf, f, [0.3, 0.4], tf.constant(4))


@row
def array_that_grows_on_a_condition(tf):
    @tf.function
    def f(x):
        cells = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        place = 0
        for value in x:
            if value > 0.0:
                cells = cells.write(place, value)
                place += 1
        return cells.stack()

    @tf.function
    def long(n):
        cells = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        place = 0
        for i in tf.range(n):
            if i % 3 == 0:
                cells = cells.write(place, i)
                place += 1
        return cells.stack()

    return f(tf.constant([1.0, -1.0, 2.0, -5.0, 7.0])), long(tf.constant(20))


@row
def array_that_grows_by_leaps(tf):
    @tf.function
    def f(n):
        cells = tf.TensorArray(tf.float32, size=2, dynamic_size=True)
        i = 0
        while i < n:
            cells = cells.write(i * 2, tf.cast(i, tf.float32) + 1.0)
            i += 1
        return cells.stack()

    return f(tf.constant(3)), f(tf.constant(1))


@row
def array_that_grows_in_while_loop(tf):
    @tf.function
    def f(n):
        cells = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        return tf.while_loop(
            lambda i, cells: i < n,
            lambda i, cells: (i + 1, cells.write(i, tf.ones([2]) * tf.cast(i, tf.float32))), [tf.constant(0), cells],
        )[1].stack()

    return f(tf.constant(3))


@row
def arrays_of_different_shapes_in_a_loop(tf):
    @tf.function
    def f(n):
        cells = tf.TensorArray(tf.float32, size=0, dynamic_size=True, infer_shape=False)
        i = 0
        while i < n:
            cells = cells.write(i, tf.range(tf.cast(i + 1, tf.float32)))
            i += 1
        return cells.concat()

    return f(tf.constant(3))


# --- TensorArrays in branches -------------------------------------------------------------------------------------


def rows_that_are_enough(tf, n, x):
    cells = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    for i in tf.range(n):
        if i == 3:
            continue
        x = x * 0.5 + tf.cast(i, tf.float32)
        cells = cells.write(cells.size(), x)
        if tf.reduce_sum(x) > 20.0:
            break
    return cells.stack()


def rows_of_some_numbers(tf, n, x):
    cells = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    i = 0
    while i < n:
        if i % 2 == 0:
            cells = cells.write(cells.size(), tf.reduce_sum(x) * tf.cast(i, tf.float32))
        elif i % 3 == 0:
            cells = cells.write(cells.size(), x[0])
            cells = cells.write(cells.size(), x[1])
        i += 1
    return cells.stack()


def rows_behind_the_end(tf, n, x):
    cells = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    if n > 3:
        cells = cells.write(0, x)
    cells = cells.write(cells.size(), x * 2.0)
    if n > 4:
        cells = cells.write(4, x * 3.0)
    return cells.stack()


def rows_after_others(tf, n, x):
    cells = tf.TensorArray(tf.float32, 1, dynamic_size=True).write(0, x)
    for _ in tf.range(n):
        if tf.reduce_sum(x) > 4.0:
            x = x / 2.0
            continue
        x = x + 1.0
        cells = cells.write(cells.size(), x)
    return cells.concat()


_LOOPS = {f.__name__: f for f in (rows_that_are_enough, rows_of_some_numbers, rows_behind_the_end, rows_after_others)}


@row_for(name=tuple(_LOOPS))
def arrays_that_grow_in_a_branch(tf, name):
    f = tf.function(lambda n, x: _LOOPS[name](tf, n, x))
    results = []
    for n in (6, tf.constant(6), tf.constant(3)):
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(n, x)
        results += [y, tape.gradient(y, x)]
    return results
