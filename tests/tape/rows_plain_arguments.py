"""Arguments that are no tensors, NumPy's arrays and lists: which dtype they get, and what raises."""

from rows import raised, row, row_for

VALUES = {
    "float64": lambda np: np.ones((2, 4)),
    "int64": lambda np: np.ones((2, 4), np.int64),
    "uint8": lambda np: np.ones((2, 4), np.uint8),
    "bool": lambda np: np.ones((2, 4), bool),
    "list": lambda np: [[1, 0, 1, 1], [1, 0, 1, 1]],
}
PICTURES = [[[[0.5], [0.25]], [[1.0], [0.0]]]] * 2
CALLS = {
    "boxes of crops": lambda tf, np, v: tf.image.crop_and_resize(np.float32(PICTURES), v, [0, 1], [2, 2]),
    "numbers of crops": lambda tf, np, v: tf.image.crop_and_resize(
        np.float32(PICTURES), np.ones((2, 4), np.float32), np.ravel(v)[:2], [1, 1]
    ),
    "boxes drawn": lambda tf, np, v: tf.image.draw_bounding_boxes(
        np.float32(PICTURES), np.reshape(v, (2, 1, 4)), [[1.0]]
    ),
    "pictures drawn on": lambda tf, np, v: tf.image.draw_bounding_boxes(
        np.reshape(v, (1, 2, 4, 1)), [[[0, 0, 1, 1]]], [[2.0]]
    ),
    "colours": lambda tf, np, v: tf.image.rgb_to_hsv(np.asarray(v)[:, :3]),
    "Fourier": lambda tf, np, v: tf.signal.fft(v),
    "fake quantization": lambda tf, np, v: tf.quantization.fake_quant_with_min_max_args(v),
    "negation": lambda tf, np, v: tf.logical_not(v),
    "any": lambda tf, np, v: tf.reduce_any(v),
    "one_hot": lambda tf, np, v: tf.one_hot(v, 2),
    "assigned": lambda tf, np, v: tf.Variable(tf.zeros([2, 4])).assign(v) + 0.0,
    "beside a tensor": lambda tf, np, v: tf.ones([2, 4]) + v,
    "stacked": lambda tf, np, v: tf.stack([tf.ones([2, 4]), v]),
    "product": lambda tf, np, v: tf.matmul(v, tf.ones([4, 1])),
    "product with": lambda tf, np, v: tf.matmul(tf.ones([1, 2]), v),
    "vector": lambda tf, np, v: tf.linalg.matvec(v, tf.ones([4])),
    "convolution": lambda tf, np, v: tf.nn.conv1d(np.reshape(v, (1, 2, 4)), tf.ones([1, 4, 1]), 1, "SAME"),
}  # fmt: skip


NO_KERNEL = "The dtypes differ, and the first has no kernel: TensorFlow tells the second before the first."


@row_for(
    call=list(CALLS), value=list(VALUES),
    differing={("product", "uint8"): NO_KERNEL, ("vector", "uint8"): NO_KERNEL},
)
def of_plain_values(tf, np, call, value):
    try:
        return CALLS[call](tf, np, VALUES[value](np))
    except Exception:
        return raised(lambda: CALLS[call](tf, np, VALUES[value](np)))


@row
def numpy_functions_take_any_dtype_eagerly(tf, np):
    return [
        tf.numpy_function(lambda x: x, [1.0], tf.float32), tf.numpy_function(lambda x: (x, x + 1), [2], [tf.int32] * 2),
        tf.numpy_function(lambda x: x, [tf.constant(1.0)], tf.float32),
    ]  # fmt: skip


@row
def numpy_functions_of_elements_take_scalars(tf, np):
    seen = []

    def upper(text, number):
        seen.append([type(text).__name__, type(number).__name__])
        return text.decode().upper()

    elements = tf.data.Dataset.from_tensor_slices((["a", "b"], [1, 2]))
    elements = elements.map(lambda text, number: tf.numpy_function(upper, [text, number], tf.string))
    return [text.decode() for text in elements.as_numpy_iterator()], seen


@row
def sizes_are_stated_while_a_function_is_traced(tf, np):
    seen = []

    @tf.function
    def f(x):
        y = x + 1.0
        y.set_shape([None, 3])
        seen.append(y.shape.as_list())
        z = tf.ensure_shape(y, [2, None])
        seen.append(z.shape.as_list())
        return z * 2.0

    concrete = f.get_concrete_function(tf.TensorSpec([None, None]))
    traced = list(seen)
    return traced, concrete(tf.ones([2, 3])), raised(lambda: concrete(tf.ones([3, 3])))


@row
def wrong_sizes_are_not_stated(tf, np):
    f = tf.function(lambda x: x.set_shape([None, 3]))
    return raised(lambda: f.get_concrete_function(tf.TensorSpec([None, 4])))


@row
def a_file_is_found_by_its_address(tf, np, folder):
    address = f"file://{folder}/a.txt"
    with tf.io.gfile.GFile(address, "w") as file:
        file.write("one\ntwo\n")
    tf.io.write_file(f"file://{folder}/b.txt", "three")
    return [
        tf.io.gfile.exists(address), tf.io.read_file(address), tf.io.gfile.stat(address).length,
        sorted(tf.io.gfile.listdir(f"file://{folder}")), len(tf.io.gfile.glob(f"file://{folder}/*.txt")),
        [path[:7] for path in tf.io.gfile.glob(f"file://{folder}/*.txt")],
        [line.decode() for line in tf.data.TextLineDataset(address).as_numpy_iterator()],
    ]  # fmt: skip


@row
def what_updates_of_metrics_and_optimizers_return(tf, np):
    optimizer = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD())
    results = [
        tf.keras.metrics.Mean().update_state([1.0, 2.0]), tf.keras.metrics.Sum().update_state([1.0]),
        tf.keras.metrics.BinaryAccuracy().update_state([1.0], [0.0]), tf.keras.metrics.AUC().update_state([1.0], [0.5]),
        optimizer.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))]),
    ]  # fmt: skip
    legacy = tf.keras.optimizers.serialize(tf.keras.optimizers.legacy.SGD())
    return [repr(result) for result in results], legacy["module"]


@row
def sparse_rows_of_other_sizes_are_stacked(tf, np):
    spec = tf.SparseTensorSpec(None, tf.float32)
    return tf.sparse.to_dense(tf.map_fn(tf.sparse.eye, tf.constant([2, 3]), fn_output_signature=spec))


@row
def products_at_places_of_batches(tf, np):
    indices = tf.constant([[[0, 1], [1, 0]], [[0, 0], [1, 0]]])
    values, shape = tf.constant([[3.0, 5.0], [2.0, 7.0]]), tf.constant([2, 2])
    first = tf.reshape(tf.range(1.0, 13.0), [2, 2, 3])
    second = tf.reshape(tf.range(13.0, 25.0), [2, 3, 2])
    return tf.sparse.sampled_addmm(indices, values, shape, first, second, alpha=0.75, beta=0.25)


@row
def names_that_programs_meet(tf, np):
    ragged = tf.RaggedTensor.from_tensor(tf.reshape(tf.range(18), [3, 3, 2]), lengths=([2, 0, 3], [1, 1, 2, 0, 1]))
    pairs = tf.data.Dataset.range(3).map(lambda i: (i, tf.strings.as_string(i * 2)))
    table = tf.lookup.StaticHashTable(tf.data.experimental.DatasetInitializer(pairs), "")
    v1 = tf.compat.v1.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
    padded = tf.data.Dataset.range(1, 3).map(lambda i: tf.fill([i], i)).padded_batch(2, 4, np.int64(-1))
    tf.test.experimental.sync_devices()
    tf.debugging.assert_type(tf.sparse.from_dense([1]), tf.int32)
    return [
        ragged.to_list(), table.lookup(tf.constant([2, 5], tf.int64)), v1.lookup(tf.constant(["a", "b"])),
        list(padded.as_numpy_iterator()), repr(tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3))),
        tf.keras.backend.arange(0, 4, 1.5), raised(lambda: tf.keras.backend.is_keras_tensor(np.zeros(2))),
    ]  # fmt: skip


RANGES = {
    "step": lambda tf, np: tf.range(0.0, tf.constant(0.3, tf.float64), 0.1),
    "start": lambda tf, np: tf.range(0.1, tf.constant(1.0, tf.float64), tf.constant(0.3, tf.float64)),
    "limit": lambda tf, np: tf.range(tf.constant(0.0, tf.float64), 0.3, 0.1),
    "NumPy's": lambda tf, np: tf.range(np.float64(0.1), 1, np.float64(0.3)),
    "of both": lambda tf, np: tf.range(np.float64(0.1), 1, 0.3),
    "of a dtype": lambda tf, np: tf.range(0.0, tf.constant(0.3, tf.float64), 0.1, dtype=tf.float64),
    "of a tensor": lambda tf, np: tf.range(0.0, tf.constant(0.3, tf.float64), tf.constant(0.1), dtype=tf.float64),
}  # fmt: skip


@row_for(of=list(RANGES), where=["eager", "function"])
def plain_numbers_of_a_range(tf, np, of, where):
    """Each becomes a tensor by itself, and is cast then."""
    f = RANGES[of]
    return (tf.function(f) if where == "function" else f)(tf, np)
