"""Rows: sparse and ragged tensors in graphs of `tf.compat.v1`: placeholders, feeds, fetches, derivatives."""

from rows import raised, row

from tape.rows_v1_graphs import graph_and_session


def value(tf, np):
    return tf.compat.v1.SparseTensorValue(
        np.array([[0, 1], [1, 2]]), np.array([1.0, 2.0], "float32"), np.array([2, 4])
    )


@row
def sparse_placeholders(tf, np):
    v, fed = tf.compat.v1, value(tf, np)
    with graph_and_session(tf) as s:
        x = v.sparse_placeholder(tf.float32, [None, 4], name="x")
        free = v.sparse_placeholder(tf.float32)
        w = v.get_variable("w", initializer=np.arange(8, dtype="float32").reshape(4, 2))
        dense, product = tf.sparse.to_dense(x), tf.sparse.sparse_dense_matmul(x, w)
        (slope,) = tf.gradients(tf.reduce_sum(product * product), [w])
        by_values = tf.gradients(tf.reduce_sum(product), x.values)
        s.run(w.initializer)
        feed = {x: fed}
        return [
            s.run([dense, product, slope, by_values], feed), s.run(dense, {x: tuple(fed)}), list(s.run(x, feed)),
            type(s.run(x, feed)).__name__, s.run({"a": x.values, "b": dense}, feed),
            s.run(tf.sparse.to_dense(free), {free: fed}), str(x.shape), str(product.shape),
            [x.indices.name, x.values.name, x.dense_shape.name], str(x.indices.shape), str(free.shape),
            list(s.run(x * 3.0, feed)), s.run(tf.sparse.reduce_sum(x, 1), feed),
            list(s.run(tf.sparse.transpose(x), feed)),
            raised(lambda: s.run(dense), "You must feed a value for placeholder tensor"),
        ]  # fmt: skip


@row
def sparse_tensors(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        scale = v.placeholder(tf.float32, [])
        x = tf.sparse.SparseTensor([[0, 0], [1, 2]], [1.0, 2.0] * scale, [2, 3])
        y = tf.sparse.add(x, tf.sparse.from_dense([[0.0, 5.0, 0.0], [0.0, 0.0, 1.0]]))
        ids = tf.sparse.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 2, 3], [2, 2])
        table = tf.reshape(tf.range(15.0), [5, 3])
        feed = {scale: 10.0}
        split = v.string_split(["a b", "c"])
        return [
            list(s.run(x, feed)), list(s.run(y, feed)), s.run(tf.sparse.to_dense(y), feed), str(y.shape),
            s.run(v.nn.embedding_lookup_sparse(table, ids, None, combiner="sum")), s.run([y.values, scale], feed),
            list(s.run(split)), isinstance(y, tf.SparseTensor), s.run(tf.sparse.to_dense(split, default_value="")),
            list(s.run(tf.sparse.concat(1, [x, y]), feed)),
        ]  # fmt: skip


@row
def ragged_tensors(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        constant = tf.ragged.constant([[1, 2], [3]])
        x = v.ragged.placeholder(tf.float32, 1, [])
        deep = v.ragged.placeholder(tf.float32, 2, [2])
        fed = v.ragged.constant_value([[1.0, 2.0], [], [3.0]], dtype="float32")
        inner = v.ragged.constant_value([[[[1.0, 2.0]], []], [[[3.0, 4.0], [5.0, 6.0]]]], "float32", ragged_rank=2)
        total = tf.reduce_sum(x * 2.0, axis=1)
        return [
            s.run(constant).to_list(), s.run(constant + 1).to_list(), s.run(tf.reduce_sum(constant, 1)),
            s.run(total, {x: fed}), s.run(x, {x: fed}).to_list(), type(s.run(x, {x: fed})).__name__,
            s.run(x.flat_values, {x: fed}), s.run(x.row_splits, {x: fed}), s.run(deep, {deep: inner}).to_list(),
            s.run(tf.gradients(total, x.flat_values), {x: fed}), str(deep.shape), deep.ragged_rank, str(fed),
            fed.shape, inner.shape, inner.ragged_rank, str(s.run(tf.strings.split(["a b", "c"])).to_list()),
            raised(lambda: s.run(total), "You must feed a value for placeholder tensor"),
        ]  # fmt: skip
