"""Ragged arguments: of gather_nd, matmul and bitcast, and their text; numbers of generators in replicas."""

import os
import tempfile

from rows import raised, row


def _lists(x):
    return x.to_list() if hasattr(x, "to_list") else x


def _both(tf):
    pairs = tf.ragged.constant([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]], ragged_rank=1)
    return tf.ragged.constant([[1, 2], [3], []]), pairs, tf.ragged.constant([[[1], [2, 3]], [[4]]])


@row
def gather_nd_of_ragged_tensors(tf, np):
    r, pairs, deep = _both(tf)
    places = tf.ragged.constant([[[0, 0]], []], ragged_rank=1, inner_shape=(2,))
    return [_lists(x) for x in (
        tf.gather_nd(r, [[0, 1], [1, 0]]), tf.gather_nd(r, [[0], [2]]), tf.gather_nd(deep, [[0, 1], [1, 0]]),
        tf.gather_nd(deep, [[[0, 1, 1]], [[1, 0, 0]]]), tf.gather_nd(pairs, [[0, 1], [1, 0]]),
        tf.gather_nd(pairs, [[0, 1, 1], [1, 0, 0]]), tf.gather_nd(r, places), tf.gather_nd(r, [0, 1]),
        tf.gather_nd([[1, 2], [3, 4]], places), tf.gather_nd(r, np.zeros([2, 0], int)),
    )] + [raised(lambda x=x, k=k: tf.gather_nd(r, x, **k)) for x, k in (
        ([[0, 5]], {}), ([[3]], {}), ([[0, 0, 0]], {}), ([[0, 0]], {"batch_dims": 1}),
    )]  # fmt: skip


@row
def matmul_of_ragged_tensors(tf, np):
    _, pairs, deep = _both(tf)
    ones, square = tf.ones([2, 2, 3]), tf.ragged.constant([[1.0, 2.0], [3.0, 4.0]])
    made = [
        tf.matmul(pairs, ones), tf.matmul(pairs, pairs, transpose_b=True), tf.matmul(pairs, pairs, transpose_a=True),
        tf.matmul(pairs, tf.ones([2, 3, 2]), transpose_b=True), tf.matmul(tf.ones([2, 3, 2]), pairs, transpose_b=True),
        tf.matmul(tf.cast(pairs, tf.int32), tf.ones([2, 2, 2], tf.int32)), tf.matmul(square, square),
        tf.matmul(tf.expand_dims(pairs, 1), tf.ones([2, 1, 2, 2])),
    ]  # fmt: skip
    return [(_lists(x), getattr(x, "ragged_rank", 0)) for x in made] + [
        raised(lambda a=a, b=b: tf.matmul(a, b)) for a, b in (
            (pairs, tf.ones([2, 3])), (pairs, tf.ones([3, 2, 2])), (pairs, tf.ones([2, 2, 2], tf.int32)),
            (tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.ones([2, 2])),
        )
    ]  # fmt: skip


@row
def derivatives_of_ragged_products(tf, np):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        r = tf.RaggedTensor.from_row_lengths(x, [2, 1])
        y = tf.reduce_sum(tf.matmul(r, tf.ones([2, 2, 2])) ** 2)
        y += tf.reduce_sum(tf.matmul(r, r, transpose_b=True).flat_values ** 2)
        y += tf.reduce_sum(tf.gather_nd(r, [[0, 1], [1, 0]]) ** 3)
    return tape.gradient(y, x)


@row
def bitcast_of_ragged_tensors(tf, np):
    r, pairs, _ = _both(tf)
    return [
        tf.bitcast(r, tf.uint32).to_list(), tf.bitcast(r, tf.uint8).to_list(), tf.bitcast(pairs, tf.int64).to_list(),
        raised(lambda: tf.bitcast(tf.ragged.constant([[1.0, 2.0]]), tf.float64)),
    ]  # fmt: skip


@row
def specs_and_shapes_of_ragged_tensors(tf, np):
    r, pairs, deep = _both(tf)
    uniform = tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1], [2, 3]]), 1)
    short = tf.ragged.constant([[1]], row_splits_dtype=tf.int32)
    return [(str(tf.RaggedTensorSpec.from_value(x)), repr(tf.shape(x))) for x in (r, pairs, deep, uniform, short)]


@row
def text_of_ragged_tensors(tf, np):
    r, pairs, deep = _both(tf)
    values = [
        r, pairs, deep, tf.ragged.constant([["a", "b"], ["it's\n"]]), tf.ragged.constant([[1.5, 1e20, np.nan], []]),
        tf.ragged.constant([[True]]), tf.ragged.constant([[*range(9)]] * 9), tf.cast(r, tf.complex64),
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "text")
        for value in values:
            tf.print(value, 1, output_stream="file://" + path)
        tf.print({"a": [r, 2]}, output_stream="file://" + path, summarize=1)
        with open(path, encoding="utf-8") as file:
            printed = file.read()
    return printed, [str(tf.strings.format("{} {}", [x, 1], summarize=n).numpy()) for x in values for n in (1, 3, -1)]


@row
def generators_in_replicas(tf, np):
    made = []
    for strategy in (tf.distribute.MirroredStrategy(devices=["cpu:0"]), tf.distribute.OneDeviceStrategy("cpu:0")):
        outside = tf.random.Generator.from_seed(1)
        with strategy.scope():
            inside = tf.random.Generator.from_seed(1)
        for generator in (inside, outside):
            drawn = strategy.run(lambda g=generator: (
                g.normal([]), g.uniform([2]), g.uniform_full_int([1]), g.make_seeds(1), g.key,
                tf.identity(g.split(2)[0].state),
            ))  # fmt: skip
            made += [*drawn, generator.state.numpy()]
        with strategy.scope():
            made.append(inside.normal([2]))
        made.append(inside.normal([2]))
    return made
