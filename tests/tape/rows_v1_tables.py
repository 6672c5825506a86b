"""Rows: tables in graphs of TensorFlow 1."""

import importlib

from rows import row


@row
def tables_that_do_not_change(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        pairs = tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64))
        table, vocabulary = tf.lookup.StaticHashTable(pairs, -1), tf.lookup.StaticVocabularyTable(pairs, 2)
        words = v1.placeholder(tf.string, [None])
        numbers, ids = table.lookup(words), vocabulary.lookup(words)
        session.run(v1.tables_initializer())
        fed = {words: ["b", "c"]}
        return numbers.shape.as_list(), session.run([numbers, numbers + 1, ids], fed), session.run(table.size())


@row
def tables_that_change(tf):
    v1, found = tf.compat.v1, []
    with tf.Graph().as_default(), v1.Session() as session:
        table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        words = v1.placeholder(tf.string, [None])
        values, size = table.lookup(words), table.size()
        insertion = table.insert(words, tf.ones([tf.size(words)], tf.int64) * 7)
        removal = table.remove(tf.constant(["a"]))
        found.append(session.run(values, {words: ["a", "c"]}))
        found.append(session.run(insertion, {words: ["a", "c"]}))
        found.append(session.run([values, size], {words: ["a", "d"]}))
        session.run(removal)
        found.append(session.run([size, *table.export()]))
        dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, tf.constant(-1, tf.int64), -2, -3)
        key = tf.constant([1], tf.int64)
        insertion, erasure, looked_up = dense.insert(key, key + 4), dense.erase(key), dense.lookup(key)
        for operation in (insertion, erasure):
            session.run(operation)
            found.append(session.run(looked_up))
        found.append(isinstance(insertion, tf.Operation))
    return found


@row
def lists_of_tensors_in_graphs(tf):
    if tf.__name__ == "tfcompat":
        ops = importlib.import_module("tfcompat._private").module("python.ops.list_ops")
    else:
        ops = importlib.import_module("tensorflow.python.ops.list_ops")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [2, 3])
        lists = tf.stack([ops.empty_tensor_list(tf.constant([3], tf.int64), tf.float32)] * 2)
        longer = ops.tensor_list_push_back_batch(lists, x)
        stacked = ops.tensor_list_stack(longer[1], tf.float32)
        length = ops.tensor_list_length(tf.gather(longer, 0))
        return longer.shape.as_list(), longer.dtype.name, session.run([stacked, length], {x: [[1, 2, 3], [4, 5, 6]]})
