"""Datasets: elements, specs, cardinality, order."""

import numpy as np
from rows import raised, row

from ._elements import elements, plain, told


@row
def sources(tf, folder):
    D = tf.data.Dataset
    return [
        told(D.from_tensor_slices([[1, 2], [3, 4]])),
        told(D.from_tensor_slices({"b": ([1, 2], ["x", "y"]), "a": np.ones((2, 2, 1), "float32")})),
        told(D.from_tensors((1, [2.0, 3.0]))),
        told(D.range(2, 12, 3)),
        told(D.range(5, 1, -2, output_type=tf.int32)),
        told(D.range(3, 3)),
        told(D.counter(5, 2).take(3)),
        told(D.zip((D.range(3), {"x": D.range(5).batch(2)}))),
        told(D.zip(D.range(2), D.range(9))),
        told(D.range(3).enumerate(5)),
        told(D.random(seed=3).take(3)),
        told(tf.data.experimental.from_list([(1, "a"), (2, "b")])),
        plain(np.array([bool(D.range(0)), len(D.range(7))])),
    ]


@row
def what_sources_refuse(tf, folder):
    D = tf.data.Dataset
    return [
        raised(lambda: D.from_tensor_slices(3), "Unbatching a tensor is only supported for rank >= 1"),
        raised(lambda: D.from_tensor_slices(([1, 2], [1, 2, 3])), "Dimensions 2 and 3 are not compatible"),
        raised(lambda: D.from_tensor_slices([]).map(1), "callable"),
        raised(lambda: len(D.range(3).repeat()), "infinite"),
        raised(lambda: len(D.range(3).filter(lambda x: x > 1)), "unknown"),
        raised(lambda: D.zip([D.range(3)]), "Python `list` is not supported"),
        raised(lambda: D.zip(), "Must pass at least one dataset"),
        raised(lambda: D.from_generator(3, tf.int32), "`generator` must be"),
        raised(lambda: D.from_generator(lambda: [], None), "need to provide either"),
        raised(lambda: D.range(3).batch(0), "must be greater than zero"),
        raised(lambda: D.range(3).shuffle(0), "buffer_size"),
        raised(lambda: D.range(3).shard(2, 2), "ndex must be between 0 and 1"),
        raised(lambda: D.range(3).concatenate(D.from_tensors("a"))),
        raised(lambda: D.range(3).filter(lambda x: x), "must return a"),
        raised(lambda: D.range(3).unbatch(), "Cannot unbatch an input with scalar components."),
        raised(lambda: D.range(3).apply(lambda d: 3), "must return a `tf.data.Dataset`"),
        raised(lambda: D.range(3).reduce(0, lambda s, x: x), "element types for the new state must match"),
        raised(lambda: D.range(3).take_while(lambda x: 1), "must return a"),
    ]


@row
def order_and_number(tf, folder):
    D = tf.data.Dataset
    d = D.range(7)
    return [
        told(d.take(3)),
        told(d.take(-1)),
        told(d.take(0)),
        told(d.skip(5)),
        told(d.skip(-1)),
        told(d.skip(9)),
        told(d.shard(3, 1)),
        told(d.repeat(2)),
        told(d.repeat(0)),
        told(d.repeat().take(9)),
        int(d.repeat().cardinality()),
        told(d.take(2).concatenate(D.range(10, 12))),
        told(d.prefetch(2)),
        told(d.cache()),
        told(d.map(lambda x: x % 3).unique()),
        told(d.apply(tf.data.experimental.assert_cardinality(7))),
        int(d.repeat().batch(3).cardinality()),
        int(D.range(0).repeat().cardinality()),
        told(d.take_while(lambda x: x < 4)),
        told(d.filter(lambda x: x % 3 == 0)),
        raised(lambda: elements(d.apply(tf.data.experimental.assert_cardinality(5))), "contained at least 6"),
        raised(lambda: elements(d.apply(tf.data.experimental.assert_cardinality(9))), "contained only 7"),
    ]


@row
def functions(tf, folder):
    D = tf.data.Dataset
    pairs = D.from_tensor_slices(([1.0, 2.0, 3.0], [[1, 2], [3, 4], [5, 6]]))
    captured = tf.constant([10.0])

    def branches(x):
        if x > 2:
            return x * 2
        return -x

    return [
        told(pairs.map(lambda a, b: a + captured)),
        told(pairs.map(lambda a, b: {"s": tf.reduce_sum(b), "t": (a, b)})),
        told(pairs.map(lambda a, b: [a, b])),
        told(D.range(5).map(branches)),
        told(D.range(5).map(lambda x: (x, 1.5, "c"))),
        told(D.range(3).batch(2).map(lambda x: x * 2)),
        told(D.from_tensor_slices(["a,b", "c,d"]).map(lambda s: tf.strings.split(s, ",")[0])),
        elements(D.range(4).map(lambda x: tf.numpy_function(lambda v: v * 3, [x], tf.int64), num_parallel_calls=2)),
        told(D.range(4).map(lambda x: tf.cast(x, tf.float32) / 2, num_parallel_calls=tf.data.AUTOTUNE)),
        elements(D.range(2, 5).map(lambda x: tf.range(x)).map(lambda r: tf.reduce_sum(r))),
        told(D.from_tensors({"a": 1}).map(lambda e: e["a"] + 1)),
        told(pairs.filter(lambda a, b: a > 1.5)),
        elements(D.range(6).batch(4).filter(lambda b: tf.shape(b)[0] > 2)),
    ]


@row
def nested_datasets(tf, folder):
    D = tf.data.Dataset
    return [
        told(D.range(1, 4).flat_map(lambda x: D.range(x))),
        told(D.from_tensor_slices([[1, 2], [3, 4]]).flat_map(lambda x: D.from_tensor_slices(x))),
        told(D.range(1, 5).interleave(lambda x: D.from_tensors(x).repeat(5), cycle_length=2, block_length=3)),
        elements(D.range(6).interleave(lambda x: D.range(x), cycle_length=3)),
        elements(D.range(6).interleave(lambda x: D.range(x), cycle_length=3, num_parallel_calls=2)),
        [
            [elements(w) for w in d]
            for d in (D.range(7).window(3), D.range(7).window(3, 1, 2, True), D.range(9).window(2, 4))
        ],
        raised(lambda: elements(D.range(7).window(3)), "is not supported for datasets that produce"),
        int(D.range(9).window(2, 4).cardinality()),
        int(D.range(7).window(3, 1, 2, True).cardinality()),
        told(D.range(7).window(3, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(3))),
        [[elements(w["b"]) for w in D.from_tensor_slices({"a": [1, 2, 3], "b": [4, 5, 6]}).window(2)]],
        repr(D.zip((D.range(3), D.range(3))).window(2)),
        told(D.range(10).group_by_window(lambda x: x % 2, lambda k, d: d.batch(3), 3)),
        told(
            D.from_generator(lambda: iter([[1], [1, 2, 3], [4, 5], [6]]), tf.int32, [None]).bucket_by_sequence_length(
                tf.size, [2, 3], [2, 2, 1]
            )
        ),
        told(
            D.choose_from_datasets([D.range(3), D.range(10, 15)], D.from_tensor_slices(np.array([0, 1, 1, 0, 0, 0, 1])))
        ),
        elements(D.sample_from_datasets([D.range(10), D.range(100, 105)], [0.2, 0.8], seed=4)),
        elements(D.sample_from_datasets([D.range(5), D.range(100, 103)], seed=4, stop_on_empty_dataset=True)),
    ]


@row
def batches(tf, folder):
    D = tf.data.Dataset
    sizes = D.range(1, 5).map(lambda x: tf.fill([x], x))
    d = D.range(7)
    return [
        told(d.batch(3)),
        told(d.batch(3, drop_remainder=True)),
        told(d.batch(3, num_parallel_calls=2)),
        told(D.from_tensor_slices(([1, 2, 3], ["a", "b", "c"])).batch(2, True).batch(2)),
        told(sizes.padded_batch(3)),
        elements(sizes.padded_batch(2, [6], np.int64(-1))),
        elements(
            D.zip((sizes, sizes.map(lambda x: tf.as_string(x)))).padded_batch(4, ([None], [5]), (np.int64(9), "z"))
        ),
        raised(lambda: elements(sizes.padded_batch(4, [2])), "pad to a smaller size"),
        raised(lambda: elements(sizes.batch(2)), "Cannot"),
        told(d.batch(3).unbatch()),
        told(D.from_tensor_slices(([[1, 2]], [["a", "b"]])).unbatch()),
        told(d.batch(2).rebatch(3)),
        elements(d.batch(4).rebatch([1, 2])),
        told(d.batch(3, True).unbatch()),
        elements(sizes.ragged_batch(2).map(lambda r: r.to_tensor())),
    ]


@row
def states(tf, folder):
    D = tf.data.Dataset
    return [
        D.range(5).reduce(np.int64(0), lambda s, x: s + x),
        D.from_tensor_slices(([1.0, 2.0], [3.0, 4.0])).reduce((0.0, 1), lambda s, e: (s[0] + e[0] * e[1], s[1] + 1)),
        told(D.range(5).scan(np.int64(1), lambda s, x: (s * 2, (s, x)))),
        D.from_tensors((1, 2)).get_single_element(),
        raised(lambda: D.range(3).get_single_element(), "more than one element"),
        raised(lambda: D.range(0).get_single_element(), "empty"),
        int(tf.data.experimental.cardinality(D.range(4))),
    ]


@row
def shuffled(tf, folder):
    D = tf.data.Dataset
    found = []
    for seed in (1, None):
        d = D.range(10).shuffle(4, seed=seed)
        found += [elements(d), elements(d)]
        d = D.range(10).shuffle(20, seed=seed, reshuffle_each_iteration=False)
        found += [elements(d), elements(d)]
        d = D.range(6).shuffle(4, seed=seed).repeat(3)
        found += [elements(d), elements(d)]
        d = D.range(6).repeat(3).shuffle(5, seed=seed).map(lambda x: x).batch(4).prefetch(1)
        found += [elements(d), elements(d)]
    d = D.from_tensor_slices((np.arange(200), np.arange(200).astype(str))).shuffle(50, seed=7).batch(200)
    d = D.zip((d, D.range(200).filter(lambda x: x % 2 == 0).shuffle(30, seed=2).batch(100)))
    return [*found, elements(d), elements(D.random(seed=4, rerandomize_each_iteration=True).take(2))]


@row
def random_numbers_in_functions(tf, folder):
    D = tf.data.Dataset
    first = D.range(4).map(lambda x: tf.random.uniform([]))
    second = D.range(3).map(lambda x: tf.random.normal([2], seed=3)).repeat(2)
    third = D.range(3).map(lambda x: tf.random.stateless_uniform([1], [1, x]))
    fourth = D.range(70).map(lambda x: tf.random.uniform([], 0, 100, tf.int32, seed=9)).batch(70)
    return [elements(d) for d in (first, first, second, second, third, fourth)]


@row
def generators(tf, folder):
    D = tf.data.Dataset

    def pairs():
        for i in range(3):
            yield i, [float(i)] * i

    def broken():
        yield 1
        raise ValueError("broken off")

    signature = (tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.float32))
    return [
        told(D.from_generator(pairs, output_signature=signature)),
        told(D.from_generator(pairs, (tf.int64, tf.float32))),
        told(D.from_generator(pairs, (tf.int64, tf.float32), ([], [None])).padded_batch(2)),
        told(D.from_generator(lambda n: range(n), tf.int32, args=[3])),
        told(D.from_generator(lambda: [{"a": "x"}, {"a": "y"}], output_signature={"a": tf.TensorSpec([], tf.string)})),
        raised(lambda: elements(D.from_generator(broken, tf.int32)), "ValueError: broken off"),
        raised(lambda: elements(D.from_generator(lambda: ["a"], tf.int32)), "`generator` yielded an element that"),
        raised(lambda: elements(D.from_generator(lambda: [[1, 2]], tf.int32, [3])), "element of shape (2,) where"),
        raised(lambda: elements(D.from_generator(lambda: [(1, 2)], (tf.int32, tf.int32, tf.int32)))),
    ]


@row
def iterators(tf, folder):
    D = tf.data.Dataset
    iterator = iter(D.range(3).batch(2))
    found = [
        next(iterator),
        iterator.get_next(),
        iterator.element_spec == iterator.element_spec,
        str(iterator.element_spec),
    ]
    found += [raised(iterator.get_next, "End of sequence"), bool(iterator.get_next_as_optional().has_value())]
    iterator = iter(D.from_tensors((1, "a")))
    optional = iterator.get_next_as_optional()
    found += [optional.has_value(), optional.get_value(), str(optional.element_spec)]
    optional = iterator.get_next_as_optional()
    found += [optional.has_value(), str(optional.element_spec), raised(optional.get_value, "does not have a value")]
    optional = tf.experimental.Optional.from_value({"a": 2.0})
    found += [optional.get_value(), tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32)).has_value()]
    found += [isinstance(iter(D.range(2)), tf.data.Iterator), isinstance(D.range(2), tf.data.Dataset)]
    found += [str(tf.data.experimental.get_structure(D.range(2))), str(tf.type_spec_from_value(D.range(2)))]
    return found


@row
def errors_in_their_place(tf, folder):
    D = tf.data.Dataset

    def fails(x):
        with tf.control_dependencies([tf.debugging.assert_less(x, np.int64(2))]):
            return tf.identity(x)

    broken = D.range(4).map(lambda x: tf.numpy_function(_not_two, [x], tf.int64))
    iterator = iter(broken)
    found = [
        int(next(iterator)),
        int(next(iterator)),
        raised(lambda: next(iterator), "ValueError: two"),
        int(next(iterator)),
    ]
    return [*found, elements(broken.ignore_errors()), raised(lambda: elements(D.range(4).map(fails)))]


@row
def random_numbers_around_errors(tf, folder):
    def fails(x):
        tf.debugging.assert_less(x % 10, np.int64(8))
        return tf.random.uniform([]) * tf.cast(x, tf.float32)

    def divides(x):
        return tf.random.uniform([]) + tf.cast(6 // (x % 5 - 1), tf.float32)

    tf.random.set_seed(3)
    return [[*tf.data.Dataset.range(100).map(function).ignore_errors()] for function in (fails, divides)]


def _not_two(x):
    if x == 2:
        raise ValueError("two")
    return x


@row
def options(tf, folder):
    options = tf.data.Options()
    options.deterministic = False
    options.threading.private_threadpool_size = 3
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    d = tf.data.Dataset.range(3).with_options(options).batch(2)
    other = tf.data.Options()
    other.experimental_optimization.map_fusion = True
    d = d.with_options(other)
    found = d.options()
    return [
        told(d),
        found.deterministic,
        found.threading.private_threadpool_size,
        found.experimental_optimization.map_fusion,
        str(found.experimental_distribute.auto_shard_policy),
        raised(lambda: setattr(options, "nothing", 1)),
    ]


@row
def sparse_and_ragged(tf, folder):
    D = tf.data.Dataset
    sparse = tf.sparse.from_dense([[0, 1], [2, 0], [0, 0]])
    ragged = tf.ragged.constant([[1, 2], [3], []])
    d = D.from_tensor_slices(sparse)
    r = D.from_tensor_slices({"r": ragged, "x": [1, 2, 3]})
    return [
        [tf.sparse.to_dense(x) for x in d],
        [tf.sparse.to_dense(x) for x in d.batch(2)],
        str(d.element_spec),
        str(r.element_spec["r"]),
        [x["r"].to_tensor() for x in r.batch(2)],
        str(r.batch(2).element_spec["r"]),
        [tf.sparse.to_dense(x) for x in D.range(3).map(lambda i: tf.sparse.from_dense([i, i * 0]))],
    ]


@row
def random_numbers_in_functions_of_elements(tf, folder):
    """Each iteration draws them anew, whether the function is compiled or, as with text, called."""
    D = tf.data.Dataset
    text = D.from_tensor_slices(["1", "2", "3", "4"])
    inner = tf.function(lambda t: tf.strings.to_number(t) + tf.random.uniform([]))

    def drawn(t):
        return tf.strings.to_number(t) + tf.random.uniform(()), tf.random.normal([])

    def numbers(i):
        return tf.cast(i, tf.float32) + tf.random.uniform(()) + 100.0 * tf.random.normal(())

    tf.random.set_seed(1)
    inner(tf.constant("3"))
    made = [
        text.map(drawn), text.map(inner), text.map(lambda t: inner(t) + tf.random.uniform([])), D.range(4).map(numbers),
        text.shuffle(4).map(lambda t: tf.strings.to_number(t) + 1.0),
    ]  # fmt: skip
    return [list(d) for d in made for _ in range(3)] + [tf.random.uniform([])]


@row
def unused_iterators(tf, folder):
    """An iterator draws seeds as it is made; a shuffle begins what is below it with its first element."""
    D, found = tf.data.Dataset, []
    for make in (
        lambda d: d.shuffle(8),
        lambda d: D.zip((d, d.shuffle(8))).shuffle(8).batch(4),
        lambda d: D.zip((d.shuffle(8), d.shuffle(8))),
        lambda d: d.shuffle(8).shuffle(8),
        lambda d: d.shuffle(8).repeat(2).shuffle(4).batch(4),
        lambda d: d.shuffle(8).repeat(2),
        lambda d: d.concatenate(d.shuffle(4)),
        lambda d: d.shuffle(8).concatenate(d),
        lambda d: d.take(2).flat_map(lambda _: D.range(8).shuffle(8)),
        lambda d: D.sample_from_datasets([d.shuffle(8), d.shuffle(8)], seed=1),
        lambda d: d.shuffle(8).filter(lambda x: x > 2).window(2).flat_map(lambda w: w).prefetch(2),
    ):
        tf.random.set_seed(3)
        dataset = make(D.range(8))
        first = iter(dataset)
        found.append(elements(dataset))
        found.append([plain(part.numpy()) for part in tf.nest.flatten(next(first))])
    return found
