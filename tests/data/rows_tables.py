"""Rows: tables that change, in functions and checkpoints; lists of tensors in tables, datasets and functions."""

import importlib

from rows import raised, row, row_for


def _list_ops(tf):
    if tf.__name__ == "tfcompat":
        return importlib.import_module("tfcompat._private").module("python.ops.list_ops")
    return importlib.import_module("tensorflow.python.ops.list_ops")


def _table(tf, of_text, dense=False, **more):
    key, value, default = (tf.string, tf.int64, -1) if of_text else (tf.int64, tf.float32, [0.0, 0.0])
    if not dense:
        return tf.lookup.experimental.MutableHashTable(key, value, default, **more)
    reserved = ("", "~") if of_text else (-1, -2)
    return tf.lookup.experimental.DenseHashTable(key, value, default, *reserved, **more)


def _filled(tf, of_text, dense=False):
    table = _table(tf, of_text, dense)
    table.insert(*((["a", "b"], [1, 2]) if of_text else ([5, 6], [[1.0, 2.0], [3.0, 4.0]])))
    return table


@row_for(of_text=[True, False], dense=[True, False])
def a_table_in_a_checkpoint(tf, folder, of_text, dense):
    path = tf.train.Checkpoint(table=_filled(tf, of_text, dense), v=tf.Variable(1.0)).save(f"{folder}/c")
    names = [name for name, _ in tf.train.list_variables(path)]
    other = _table(tf, of_text, dense)
    other.insert(["z"] if of_text else [9], [7] if of_text else [[9.0, 9.0]])
    tf.train.Checkpoint(table=other, v=tf.Variable(0.0)).restore(path).assert_consumed()
    return names, other.size(), other.lookup(["a", "b", "z"] if of_text else [5, 6, 9])


@row
def a_table_with_checkpoint_false(tf, folder):
    table = _table(tf, True, checkpoint=False)
    path = tf.train.Checkpoint(table=table, v=tf.Variable(1.0)).save(f"{folder}/c")
    return [name for name, _ in tf.train.list_variables(path)]


@row
def a_table_is_restored_when_it_is_made_later(tf, folder):
    path = tf.train.Checkpoint(table=_filled(tf, True)).save(f"{folder}/c")
    later = tf.train.Checkpoint()
    later.restore(path)
    later.table = _table(tf, True)
    return later.table.lookup(["a", "b"])


@row
def a_table_misses_in_a_checkpoint(tf, folder):
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(f"{folder}/c")
    status = tf.train.Checkpoint(v=tf.Variable(0.0), table=_filled(tf, True)).restore(path)
    return raised(status.assert_existing_objects_matched, "1 Python objects that were not bound")


@row_for(dense=[True, False])
def a_function_that_changes_a_table(tf, np, dense):
    table = _table(tf, True, dense)

    @tf.function
    def count(words):
        table.insert(words, table.lookup(words) + 2)
        return table.size(), table.lookup(words)

    first = count(tf.constant(["a", "b"]))
    second = count(tf.constant(["b", "c"]))
    return first, second, table.lookup(tf.constant(["a", "b", "c", "d"]))


@row
def a_function_that_removes_keys(tf):
    table = _filled(tf, True)

    @tf.function
    def remove(words):
        before = table.size()
        table.remove(words)
        return before, table.size()

    return remove(tf.constant(["a"])), remove(tf.constant(["a"])), table.lookup(tf.constant(["a", "b"]))


@row
def lists_as_elements_of_tensors(tf, np):
    ops = _list_ops(tf)
    empty = ops.empty_tensor_list([3], tf.float32)
    one = ops.tensor_list_push_back(empty, [1.0, 2.0, 3.0])
    both = tf.stack([empty, one])
    moved = {
        "stack": both, "fill": tf.fill([3], one), "item": both[1], "gather": tf.gather(both, [1, 0, 1]),
        "reshape": tf.reshape(both, [2, 1]), "identity": tf.identity(both), "tile": tf.tile(both, [2]),
        "mask": tf.boolean_mask(both, [True, False]),
    }  # fmt: skip
    texts = {name: (str(x), x.dtype.name, x.shape.as_list()) for name, x in moved.items()}
    lengths = [ops.tensor_list_length(x) for x in (empty, one, both[1], moved["gather"][0], tf.unstack(both)[1])]
    return texts, repr(one), lengths, tf.size(both), tf.shape(both), tf.variant.is_numpy_compatible


@row
def what_lists_hold(tf, np):
    ops = _list_ops(tf)
    made = ops.tensor_list_from_tensor(tf.reshape(tf.range(6.0), [2, 3]), [3])
    longer = ops.tensor_list_push_back(made, tf.ones([3]))
    shorter, last = ops.tensor_list_pop_back(longer, tf.float32)
    batch = ops.tensor_list_push_back_batch(tf.stack([made, longer]), tf.reshape(tf.range(6.0), [2, 3]))
    joined = ops.tensor_list_concat_lists(batch, batch, tf.float32)
    return {
        "stack": ops.tensor_list_stack(longer, tf.float32),
        "pop": (ops.tensor_list_length(shorter), last),
        "batch": [ops.tensor_list_stack(each, tf.float32) for each in tf.unstack(batch)],
        "joined": [ops.tensor_list_length(each) for each in tf.unstack(joined)],
        "item": ops.tensor_list_get_item(longer, 1, tf.float32),
        "set": ops.tensor_list_stack(ops.tensor_list_set_item(made, 0, tf.zeros([3])), tf.float32),
        "gather": ops.tensor_list_gather(longer, [2, 0], tf.float32),
        "none": ops.tensor_list_gather(longer, [], tf.float32),
        "empty": ops.tensor_list_stack(ops.empty_tensor_list([2], tf.int32), tf.int32),
        "shape": ops.tensor_list_element_shape(made, tf.int32),
    }


@row
def wrong_uses_of_lists(tf, np):
    ops = _list_ops(tf)
    made = ops.tensor_list_from_tensor(tf.ones([1, 3]), [3])
    return [
        raised(lambda: ops.tensor_list_push_back(made, tf.ones([2])), "incompatible shape", "list shape"),
        raised(lambda: ops.tensor_list_stack(made, tf.int32), "Invalid data types"),
        raised(lambda: ops.tensor_list_gather(made, [1], tf.float32), "Index 1 out o range"),
        raised(lambda: ops.tensor_list_push_back_batch(made, tf.ones([3])), "to be a vector"),
        raised(made.numpy, "Cannot convert a Tensor of dtype variant to a NumPy array"),
    ]


@row
def a_table_of_lists(tf, np):
    ops = _list_ops(tf)
    empty = ops.empty_tensor_list([2], tf.float32)
    table = tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.variant, default_value=empty, empty_key=-1, deleted_key=-2
    )

    @tf.function
    def append(row, value):
        table.insert(row, ops.tensor_list_push_back(table.lookup(row), value))

    row = tf.constant(5, tf.int64)
    for _ in range(3):
        append(row, tf.ones([2]))
    elements = tf.data.Dataset.from_tensor_slices(tf.constant([5, 7], tf.int64)).map(
        lambda key: (table.lookup(key), ops.tensor_list_length(table.lookup(key)))
    )
    kept = elements.filter(lambda list_, length: length > 0)
    return (
        ops.tensor_list_stack(table.lookup(row), tf.float32),
        [length for _, length in elements],
        [ops.tensor_list_stack(list_, tf.float32) for list_, _ in kept],
    )


@row
def a_list_in_a_function(tf, np):
    ops = _list_ops(tf)

    @tf.function
    def grown(x, more):
        list_ = ops.tensor_list_push_back(ops.tensor_list_from_tensor(x, [3]), more)
        return ops.tensor_list_stack(list_, tf.float32), ops.tensor_list_length(list_)

    return grown(tf.ones([2, 3]), tf.zeros([3])), grown(tf.ones([4, 3]), tf.zeros([3]))
