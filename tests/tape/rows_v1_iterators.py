"""Iterators over datasets that are made of what a session is fed."""

from rows import raised, row

from tape.rows_v1_graphs import graph_and_session


def elements(tf, session, tensors):
    """What runs give until the iterator ends."""
    seen = []
    try:
        while True:
            seen.append(session.run(tensors))
    except tf.errors.OutOfRangeError:
        return seen


@row
def slices_of_placeholders(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        xs, ys = v.placeholder(tf.float32, [None, 2]), v.placeholder(tf.int64, [None])
        data = tf.data.Dataset.from_tensor_slices((xs / 2.0, {"y": ys})).map(lambda x, y: (x + 1.0, y["y"])).batch(2)
        iterator = v.data.make_initializable_iterator(data)
        x, y = iterator.get_next()
        total = tf.reduce_sum(x, 1)
        seen = [x.shape.as_list(), y.shape.as_list(), [str(t) for t in iterator.output_types]]
        for size in (3, 4):
            s.run(iterator.initializer, {xs: np.ones([size, 2]), ys: np.arange(size)})
            seen.append(elements(tf, s, [x, y, total]))
        return seen


@row
def sizes_that_are_fed(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        count, size = v.placeholder(tf.int64, []), v.placeholder_with_default(np.int64(2), [])
        iterator = v.data.make_initializable_iterator(tf.data.Dataset.range(count).batch(size).repeat(2))
        element = iterator.get_next()
        seen = [element.shape.as_list()]
        for feed in ({count: 3}, {count: 4, size: 3}):
            s.run(iterator.initializer, feed)
            seen.append(elements(tf, s, element))
        return seen


@row
def text_that_is_fed(tf):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        words = v.placeholder(tf.string, [None])
        iterator = v.data.make_initializable_iterator(tf.data.Dataset.from_tensor_slices(words))
        element = iterator.get_next()
        s.run(iterator.initializer, {words: ["a", "bc"]})
        return [element.dtype.name, element.shape.as_list(), *map(bytes.decode, elements(tf, s, element))]


@row
def an_initializer_needs_what_it_is_made_of(tf):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        count = v.placeholder(tf.int64, [], name="count")
        data = tf.data.Dataset.range(count)
        iterator = v.data.make_initializable_iterator(data)
        return [
            raised(lambda: s.run(iterator.initializer), "You must feed a value for placeholder tensor 'count'"),
            raised(lambda: v.data.make_one_shot_iterator(data), "Cannot capture a placeholder (name:count"),
        ]
