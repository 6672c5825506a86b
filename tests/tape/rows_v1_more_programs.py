"""Rows: more programs in the style of TensorFlow 1: word vectors, iterators of any dataset, queues, optimizers."""

import numpy
from rows import raised, row, row_for

from tape.rows_v1_graphs import graph_and_session


@row_for(loss=["nce_loss", "sampled_softmax_loss"])
def word_vectors(tf, np, loss):
    v, random = tf.compat.v1, np.random.RandomState(0)
    with graph_and_session(tf, seed=1) as s:
        inputs, labels = v.placeholder(tf.int32, [8]), v.placeholder(tf.int32, [8, 1])
        vectors = tf.Variable(v.random_uniform([50, 16], -1.0, 1.0, seed=2))
        weights = tf.Variable(v.truncated_normal([50, 16], stddev=0.25, seed=3))
        biases = tf.Variable(tf.zeros([50]))
        embedded = v.nn.embedding_lookup(vectors, inputs)
        sampled = tf.random.log_uniform_candidate_sampler(tf.cast(labels, tf.int64), 1, 5, True, 50, seed=4)
        cost = tf.reduce_mean(getattr(v.nn, loss)(
            weights=weights, biases=biases, labels=labels, inputs=embedded, num_sampled=5, num_classes=50,
            sampled_values=sampled, partition_strategy="mod",
        ))  # fmt: skip
        train = v.train.GradientDescentOptimizer(1.0).minimize(cost)
        norm = tf.sqrt(v.reduce_sum(tf.square(vectors), 1, keep_dims=True))
        near = tf.matmul(v.nn.embedding_lookup(vectors / norm, [1, 5]), vectors / norm, transpose_b=True)
        s.run(v.global_variables_initializer())
        costs = []
        for _ in range(3):
            feed = {inputs: random.randint(0, 50, 8), labels: random.randint(0, 50, (8, 1))}
            costs.append(s.run([train, cost], feed)[1])
        return costs, s.run(near)[:, :5], s.run(vectors)[:2, :4]


@row
def iterators_that_are_given_datasets(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        first = tf.data.Dataset.range(3).map(lambda i: {"a": i, "b": tf.cast(i, tf.float32) * 2.0}).batch(2)
        x = v.placeholder(tf.int64, [None])
        second = tf.data.Dataset.from_tensor_slices(x).map(lambda i: {"a": i, "b": -tf.cast(i, tf.float32)}).batch(2)
        it = v.data.Iterator.from_structure(v.data.get_output_types(first), v.data.get_output_shapes(first))
        element = it.get_next()
        begin, other = it.make_initializer(first), it.make_initializer(second)
        told = [raised(lambda: s.run(element), "iterator has not been initialized")]
        seen = []
        s.run(begin)
        seen += [s.run(element), s.run(element["b"])]
        told.append(raised(lambda: s.run(element)))
        s.run(other, {x: [7, 8, 9]})
        seen.append(s.run(element))
        handle = v.placeholder(tf.string, [])
        numbers = v.data.make_one_shot_iterator(tf.data.Dataset.range(5))
        letters = v.data.make_initializable_iterator(tf.data.Dataset.range(10, 15))
        chosen = v.data.Iterator.from_string_handle(handle, tf.int64, []).get_next() * 2
        texts = s.run([numbers.string_handle(), letters.string_handle()])
        s.run(letters.initializer)
        seen += [s.run(chosen, {handle: text}) for text in (texts[0], texts[1], texts[1], texts[0])]
        told.append(raised(lambda: it.make_initializer(tf.data.Dataset.range(3)) if False else it.make_initializer(
            first.map(lambda e: {"a": tf.cast(e["a"], tf.int32), "b": e["b"]})), "Expected output types"))  # fmt: skip
        return seen, told, str(it.output_types["b"])


@row
def queues_that_threads_fill(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        queue = v.FIFOQueue(10, [tf.float32, tf.int32], [[], [2]])
        many, put = queue.enqueue_many([[1.0, 2.0, 3.0], [[1, 1], [2, 2], [3, 3]]]), queue.enqueue([9.0, [4, 4]])
        x, y = queue.dequeue()
        total = x * 10.0
        several, size = queue.dequeue_many(2), queue.size()
        s.run(many)
        s.run(put)
        seen = [s.run(size), s.run([total, x, y]), s.run(several), s.run([size, queue.is_closed()])]
        runner = v.train.QueueRunner(queue, [put] * 2)
        v.train.add_queue_runner(runner)
        coordinator = v.train.Coordinator()
        threads = v.train.start_queue_runners(s, coord=coordinator)
        seen += [s.run(several)[1], s.run(several)[0], len(threads), coordinator.should_stop()]
        coordinator.request_stop()
        coordinator.join(threads)
        seen += [coordinator.should_stop(), coordinator.joined]
        names = v.FIFOQueue(3, [tf.float32], names=["n"])
        s.run(names.enqueue({"n": 5.0}))
        s.run(names.close())
        seen += [s.run(names.dequeue())]
        other = v.train.Coordinator()
        with other.stop_on_exception():
            raise ValueError("lost")
        return seen, raised(lambda: s.run(names.dequeue()), "is closed and has insufficient elements"), raised(
            lambda: other.join(), "lost"
        )


@row_for(penalties=[(0.0, 0.0), (0.05, 0.0), (0.0, 0.1), (0.05, 0.1)], kind=["GradientDescent", "Adagrad"])
def proximal_optimizers(tf, np, penalties, kind):
    v, random = tf.compat.v1, np.random.RandomState(1)
    with graph_and_session(tf) as s:
        w = v.get_variable("w", initializer=np.float32([1, -2, 0.01]))
        x = v.placeholder(tf.float32, [None, 3])
        loss = tf.reduce_mean(tf.square(tf.tensordot(x, w, 1) - 1.0))
        optimizer = getattr(v.train, f"Proximal{kind}Optimizer")(
            0.1, l1_regularization_strength=penalties[0], l2_regularization_strength=penalties[1]
        )
        train = optimizer.minimize(loss)
        s.run(v.global_variables_initializer())
        for _ in range(3):
            s.run(train, {x: random.rand(4, 3)})
        return s.run(w), [x.name for x in optimizer.variables()], optimizer.get_slot_names()


@row
def names_of_slots(tf):
    v = tf.compat.v1
    with tf.Graph().as_default() as graph:
        with v.variable_scope("a"):
            w = v.get_variable("w", [2])
            loss = tf.reduce_sum(w * w)
            with v.name_scope("ns"):
                v.train.AdamOptimizer().minimize(loss)
            v.train.MomentumOptimizer(0.1, 0.9, name="Mo").minimize(loss)
        with v.name_scope("b"):
            v.train.AdamOptimizer().minimize(loss)
        train = v.train.AdamOptimizer().minimize(loss)
        return [x.name for x in v.global_variables()], train.name, len(graph.get_collection("train_op"))


@row
def names_of_the_module(tf, np):
    v = tf.compat.v1
    options = v.RunOptions(trace_level=v.RunOptions.FULL_TRACE, timeout_in_ms=10)
    with graph_and_session(tf) as s:
        rows = v.decode_csv(["1,2.5,a", "3,,b"], [[0], [9.0], [""]], field_delim=",")
        counts = v.bincount([1, 1, 3], minlength=5)
        patches = v.extract_image_patches(
            tf.reshape(tf.range(16.0), [1, 4, 4, 1]), ksizes=[1, 2, 2, 1], strides=[1, 2, 2, 1], rates=[1, 1, 1, 1],
            padding="VALID",
        )  # fmt: skip
        return [
            s.run(rows, options=options, run_metadata=v.RunMetadata()), s.run(counts), s.run(patches),
            s.run(v.sparse_matmul([[1.0, 2.0]], [[3.0, 4.0]], transpose_b=True, b_is_sparse=True)),
            options.trace_level, v.compat.as_str(b"a"), callable(v.flags.DEFINE_integer),
            v.app.flags.FLAGS is v.flags.FLAGS,
        ]  # fmt: skip


@row
def a_rank_that_is_unknown(tf, np):
    with graph_and_session(tf) as s:
        n = tf.compat.v1.placeholder(tf.int32, [None])
        hot = tf.one_hot(n, 3)
        return s.run(tf.reduce_sum(hot, axis=0), {n: numpy.int32([0, 2, 2])}), str(hot.shape)
