"""What functions over rows refuse: results that their signature does not tell, and unequal numbers of rows."""

from rows import row, row_for

WHERE = ("eager", "function")


def outcome(tf, where, call):
    """What `call()` gives, itself or as a `tf.function`, ragged tensors as lists; "raises" if it raises."""
    try:
        found = (tf.function(call) if where == "function" else call)()
        return found.to_list() if isinstance(found, tf.RaggedTensor) else found
    except (ValueError, TypeError, IndexError, tf.errors.OpError):
        return "raises"


@row_for(
    result=["as given", "scalars", "floats", "a pair", "another rank"],
    signature=["none", "ragged", "longer", "of rank 2", "tensor"],
)
def ragged_rows_are_checked(tf, np, result, signature):
    spec = {
        "none": None, "ragged": tf.RaggedTensorSpec([None], tf.int32), "longer": tf.RaggedTensorSpec([2], tf.int32),
        "of rank 2": tf.RaggedTensorSpec([None, None], tf.int32), "tensor": tf.TensorSpec([], tf.int32),
    }[signature]  # fmt: skip
    f = {
        "as given": lambda row: row, "scalars": tf.reduce_sum, "floats": lambda row: tf.cast(row, tf.float32),
        "a pair": lambda row: (row, row), "another rank": lambda row: tf.RaggedTensor.from_tensor([row]),
    }[result]  # fmt: skip
    x = tf.ragged.constant([[1, 2], [], [3]])
    return outcome(tf, "eager", lambda: tf.map_fn(f, x, fn_output_signature=spec))


@row_for(size=[1, 2], dtype=["int32", "int64"], result=["sparse", "dense"])
def sparse_rows_are_checked(tf, np, size, dtype, result):
    f = {"sparse": lambda row: tf.sparse.from_dense([row]), "dense": lambda row: row}[result]
    x, spec = tf.constant([1, 2]), tf.SparseTensorSpec([size], dtype)
    found = outcome(tf, "eager", lambda: tf.map_fn(f, x, fn_output_signature=spec))
    return found if isinstance(found, str) else tf.sparse.to_dense(found)


@row
def rows_of_ragged_tensors_are_ragged(tf, np):
    x = tf.ragged.constant([[[1, 2], []], [], [[3]]])
    spec = tf.RaggedTensorSpec([None, None], tf.int32)
    doubled, same = tf.map_fn(lambda row: row * 2, x, fn_output_signature=spec), tf.map_fn(lambda row: row, x)
    return doubled.to_list(), same.to_list()


@row_for(where=WHERE, function=["map_fn", "scan", "vectorized_map"], counts=[(2, 3), (3, 2), (1, 3), (3, 1)])
def numbers_of_rows_are_equal(tf, np, where, function, counts):
    x = tuple(tf.ones([count]) for count in counts)
    call = {
        "map_fn": lambda: tf.map_fn(sum, x, fn_output_signature=tf.float32),
        "scan": lambda: tf.scan(lambda state, row: state + sum(row), x, initializer=0.0),
        "vectorized_map": lambda: tf.vectorized_map(sum, x),  # which repeats a single row
    }[function]
    return outcome(tf, where, call)


@row_for(where=WHERE, made=["pair", "dict", "tensor"], signature=["list", "pair", "dict", "longer"])
def the_signature_tells_structure_and_shape(tf, np, where, made, signature):
    f = {"pair": lambda row: (row, row), "dict": lambda row: {"a": row}, "tensor": lambda row: row}[made]
    spec = {
        "list": [tf.float32, tf.float32], "pair": (tf.float32, tf.float32), "dict": {"b": tf.float32},
        "longer": tf.TensorSpec([2], tf.float32),
    }[signature]  # fmt: skip
    return outcome(tf, where, lambda: tf.map_fn(f, tf.ones([2]), fn_output_signature=spec))


@row_for(result=["as given", "longer", "lower", "higher"])
def rows_without_a_signature_are_of_any_shape(tf, np, result):
    x = tf.RaggedTensor.from_row_splits(tf.reshape(tf.range(6), [3, 2]), [0, 2, 3])
    sparse = tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]])
    f, of_sparse = {
        "as given": (lambda row: row, lambda row: row),
        "longer": (lambda row: tf.concat([row, row], 1), lambda row: tf.sparse.concat(0, [row, row])),
        "lower": (lambda row: tf.reduce_sum(row, 1), tf.sparse.reduce_sum),
        "higher": (lambda row: row[:, None], lambda row: tf.sparse.expand_dims(row, 0)),
    }[result]
    found = outcome(tf, "eager", lambda: tf.map_fn(of_sparse, sparse))
    return outcome(tf, "eager", lambda: tf.map_fn(f, x)), found if result == "lower" else tf.sparse.to_dense(found)
