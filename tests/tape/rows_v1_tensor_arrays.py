"""Rows: TensorArrays in graphs of `tf.compat.v1`: sizes and elements that a session knows, loops, derivatives."""

from rows import raised, row, row_for

from tape.rows_v1_graphs import graph_and_session


@row
def arrays_of_a_size_that_is_fed(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        n, x = v.placeholder(tf.int32, []), v.placeholder(tf.float32, [None, 2])
        array = tf.TensorArray(tf.float32, n, element_shape=[2])
        array = array.unstack(x)
        more = array.write(n - 1, [7.0, 8.0])
        feed = {n: 3, x: np.arange(6.0).reshape(3, 2)}
        fetches = [
            array.stack(), more.stack(), more.read(n - 1), array.size(), more.gather([0, 2]), more.concat(),
            array.scatter([1], [[9.0, 9.0]]).stack(), tf.TensorArray(tf.float32, n, element_shape=[]).stack(),
        ]  # fmt: skip
        return [
            s.run(fetches, feed), [str(y.shape) for y in fetches], s.run(fetches[:3], {n: 1, x: [[1.0, 2.0]]}),
            array.dtype.name, str(array.element_shape), array.dynamic_size, isinstance(array, tf.TensorArray),
            array.handle, array.flow.dtype.name,
        ]  # fmt: skip


@row
def loops_that_fill_arrays(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [None, 3])
        n = tf.shape(x)[0]

        def turn(i, total, rows):
            return i + 1, total + tf.reduce_sum(x[i]), rows.write(i, x[i] * tf.cast(i, tf.float32) + total)

        i, total, rows = tf.while_loop(
            lambda i, *_: i < n, turn, (tf.constant(0), tf.constant(0.0), tf.TensorArray(tf.float32, size=n))
        )
        y = rows.stack()
        slope = tf.gradients(tf.reduce_sum(y * y), x)[0]
        fetches = [y, total, i, slope, rows.size(), tf.reduce_sum(rows.read(n - 1))]
        return [
            [s.run(fetches, {x: np.arange(3.0 * size).reshape(size, 3)}) for size in (1, 4)],
            [str(z.shape) for z in fetches], str(rows.element_shape),
        ]  # fmt: skip


@row
def loops_in_the_names_of_tensorflow_1(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [None])
        n = tf.size(x)
        rows = v.TensorArray(tf.float32, n, dynamic_size=False, clear_after_read=False, infer_shape=False)
        source = v.TensorArray(tf.float32, n).unstack(x)
        w = v.get_variable("w", initializer=2.0)
        _, rows = v.while_loop(
            lambda i, rows: tf.less(i, n), lambda i, rows: (i + 1, rows.write(i, w * source.read(i))), [0, rows],
            parallel_iterations=1,
        )
        y = rows.stack()
        by_w = tf.gradients(y, w)[0]
        s.run(v.global_variables_initializer())
        return s.run([y, by_w], {x: [1.0, 5.0]}), s.run([y, by_w], {x: [2.0, 3.0, 4.0]})


@row
def arrays_that_grow(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        n = v.placeholder(tf.int32, [])
        start = tf.TensorArray(tf.int32, size=0, dynamic_size=True, element_shape=[])
        plain = start.write(0, 5).write(1, n)
        _, rows = tf.while_loop(lambda i, _: i * i < n, lambda i, rows: (i + 1, rows.write(i, i * i)), (0, start))
        fetches = [plain.stack(), rows.stack(), rows.size(), plain.size()]
        return [s.run(fetches, {n: size}) for size in (1, 30)], [str(y.shape) for y in fetches]


@row
def arrays_of_known_sizes(tf, np):
    with graph_and_session(tf) as s:
        array = tf.TensorArray(tf.float32, size=3)
        written = array.write(0, [1.0, 2.0]).write(1, tf.constant([3.0, 4.0])).write(2, [5.0, 6.0])
        parts = tf.TensorArray(tf.float32, size=2, infer_shape=False).split(tf.range(5.0), [2, 3])
        return [
            s.run([written.stack(), written.read(1), written.concat(), parts.read(1), parts.concat()]),
            [str(y.shape) for y in (written.stack(), written.read(1), written.concat(), parts.read(1))],
            s.run(written.identity().stack()), str(written.element_shape), str(array.element_shape),
        ]  # fmt: skip


@row
def branches_with_arrays(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x, n = v.placeholder(tf.float32, [None]), v.placeholder(tf.int32, [])
        array = tf.TensorArray(tf.float32, n, element_shape=[]).unstack(x)
        one = tf.cond(n > 2, lambda: array.read(2), lambda: array.read(0) * 10.0)
        whole = tf.cond(n > 2, lambda: array.write(0, 7.0).stack(), lambda: array.stack())
        return [s.run([one, whole], {x: range(size), n: size}) for size in (2, 4)], str(one.shape), str(whole.shape)


@row
def mapped_over_a_size_that_is_fed(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [None, 2])
        mapped = tf.map_fn(lambda row: tf.reduce_sum(row) + row, x)
        scanned = tf.scan(lambda total, row: total + row, x)
        fetches = [mapped, scanned, tf.gradients(mapped, x)[0]]
        return s.run(fetches, {x: np.arange(6.0).reshape(3, 2)}), str(mapped.shape)


@row
def arrays_in_two_loops(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        n = v.placeholder(tf.int32, [])

        def row(i, rows):
            of_row = tf.TensorArray(tf.int32, size=n)
            of_row = tf.while_loop(lambda j, _: j < n, lambda j, a: (j + 1, a.write(j, i * j)), (0, of_row))[1]
            return i + 1, rows.write(i, of_row.stack())

        rows = tf.while_loop(lambda i, _: i < n, row, (0, tf.TensorArray(tf.int32, size=n)))[1]
        return [s.run(rows.stack(), {n: size}) for size in (1, 3)], str(rows.stack().shape)


@row
def a_loop_sees_variables_as_they_were(tf):
    with graph_and_session(tf) as s:
        results = []
        for scale in (1, 10):
            n = tf.constant(scale // 5 + 1)
            scaled = lambda i: i * scale  # noqa: B023, E731
            rows = tf.while_loop(
                lambda i, _: i < n, lambda i, rows: (i + 1, rows.write(i, scaled(i))),  # noqa: B023
                (0, tf.TensorArray(tf.int32, n)),
            )[1]  # fmt: skip
            results += [rows.stack(), tf.cond(n > 1, lambda: n * 7, lambda: -n)]  # noqa: B023
        return s.run(results)


WRONG = {
    "shape": (lambda tf, a: a.write(0, [1.0, 2.0, 3.0]), "Inconsistent shapes: saw (3,) but expected (2,)"),
    "scalar": (lambda tf, a: a.unstack(tf.constant(1.0)), "Inconsistent shapes: saw () but expected (2,)"),
    "int64 index": (lambda tf, a: a.write(tf.constant(0, tf.int64), [1.0, 2.0]), "int64"),
    "no size": (lambda tf, a: tf.TensorArray(tf.float32), "size"),
    "float size": (lambda tf, a: tf.TensorArray(tf.float32, tf.constant(1.0)), "float"),
}


@row_for(kind=list(WRONG))
def wrong_uses(tf, kind):
    use, message = WRONG[kind]
    with graph_and_session(tf):
        array = tf.TensorArray(tf.float32, tf.compat.v1.placeholder(tf.int32, []), element_shape=[2])
        return raised(lambda: use(tf, array), message)


BROKEN = {
    "write behind the end": lambda a: a.write(5, [1.0, 2.0]).stack(),
    "read behind the end": lambda a: a.read(5),
    "negative index": lambda a: a.write(-1, [1.0, 2.0]).stack(),
    "gather behind the end": lambda a: a.gather([7]),
}


@row_for(kind=list(BROKEN))
def broken_when_run(tf, kind):
    with graph_and_session(tf) as s:
        n = tf.compat.v1.placeholder(tf.int32, [])
        y = BROKEN[kind](tf.TensorArray(tf.float32, n, element_shape=[2]))
        return str(y.shape), raised(lambda: s.run(y, {n: 2}))
