"""What keeps its inputs and is looked at later, after these have changed: results are those of the call.

Each of `KEPT` is called with `x`: arrays, lists, and a dict of arrays. It returns a function that looks at what was
made, after all of them have changed.
"""

from types import SimpleNamespace

from rows import row, row_for


def _inputs(np):
    return SimpleNamespace(
        a=np.float32([1, 2, 3, 4]), b=np.int64([0, 1, 2]), one=np.array(1, np.int64),
        square=np.float32([[2, 1], [1, 3]]), words=np.array(["a", "b", "c"], object), floats=[1.0, 2.0, 3.0],
        names=["a", "b", "c"], sizes=[2, 2], table={"k": np.float32([5, 6])},
    )  # fmt: skip


def _change(x):
    for array in (x.a, x.b, x.one, x.square, *x.table.values()):
        array[...] = 0
    x.words[:] = "z"
    x.floats[:] = [9.0, 9.0, 9.0]
    x.names[:] = ["z", "y", "x"]
    x.sizes[:] = [1, 4]
    x.table.clear()


def _elements(dataset):
    return lambda: [element for element in dataset]


def _ones(tf, n=4):
    return tf.data.Dataset.from_tensors(tf.ones([2])).repeat(n)


def _buffered(tf, x, function, **options):
    """What a Python function returned whose array changes afterwards."""
    y = getattr(tf, function)(lambda: x.a, [], tf.float32, **options)
    return lambda: y + 0


def _generated(tf, x):
    def elements(a, n):
        yield a
        yield a * n

    return tf.data.Dataset.from_generator(elements, output_signature=tf.TensorSpec([4]), args=(x.a, x.one + 1))


def _nested(tf, name, array, items, table):
    """Attributes of objects are read when the function runs, unlike in TensorFlow."""
    made = getattr(_ones(tf), name)(
        lambda y: tf.data.Dataset.from_tensor_slices(array).map(lambda z: z * y + items[0] + table["k"]))  # fmt: skip
    return _elements(made)


def _custom(tf, x):
    @tf.custom_gradient
    def f(y):
        return y * x.a, lambda cotangent: cotangent * x.a

    y = tf.Variable([1.0, 1.0, 1.0, 1.0])
    with tf.GradientTape() as tape:
        z = f(y)
    gradient = tape.gradient(z, y)
    return lambda: (z, gradient)


def _accumulated(tf, x):
    y = tf.constant([1.0, 2.0, 3.0, 4.0])
    with tf.autodiff.ForwardAccumulator(y, tf.constant(x.a)) as accumulator:
        z = y * y
    tangent = accumulator.jvp(z)
    return lambda: tangent


def _inserted(tf, x, kind, **options):
    table = kind(tf.string, tf.int64, **{"default_value": -1, **options})
    table.insert(tf.constant(x.words), x.b)
    found = table.lookup(x.words)
    return lambda: (found, table.lookup(tf.constant(["a", "b", "z"])), table.size())


def _static(tf, x, keys):
    initializer = tf.lookup.KeyValueTensorInitializer(keys, x.b, tf.string, tf.int64)
    table = tf.lookup.StaticHashTable(initializer, -1)
    return lambda: table.lookup(tf.constant(["a", "b", "z"]))


def _queued(tf, x):
    queue = tf.queue.FIFOQueue(5, [tf.float32], [[4]])
    queue.enqueue(x.a)
    return queue.dequeue


def _arrays(tf, x):
    array = tf.TensorArray(tf.float32, 2, dynamic_size=True).unstack(x.square).write(0, x.table["k"])
    return array.stack


def _generator(tf, x):
    generator = tf.random.Generator.from_state(x.b, "philox")
    return lambda: generator.state


def _metric(tf, x):
    metric = tf.keras.metrics.Mean()
    metric.update_state(x.a, sample_weight=x.floats + [4.0])
    return metric.result


def _weights(tf, x):
    layer = tf.keras.layers.Dense(2)
    layer.build([None, 2])
    layer.set_weights([x.square, x.table["k"]])
    layer.get_weights()[0][:] = 8
    return lambda: layer.weights


def _given_weights(tf, x):
    layer = tf.keras.layers.Embedding(2, 2, weights=[x.square])
    layer(tf.constant([0]))
    return lambda: layer.weights


def _fitted(tf, x):
    model = tf.keras.Sequential([tf.keras.Input([2]), tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", "mse")
    model.fit(x.square, x.a[:2], epochs=2, verbose=0, class_weight={0: 3.0, 1: 1.0, 2: 2.0})
    predicted = model.predict(x.square, verbose=0)
    model.train_on_batch(x.square, x.a[:2], sample_weight=x.a[2:])
    return lambda: (model.weights, predicted)


def _optimized(tf, x):
    v = tf.Variable([1.0, 1.0, 1.0, 1.0])
    rate = tf.keras.optimizers.schedules.PiecewiseConstantDecay([1, 2], x.floats)
    optimizer = tf.keras.optimizers.SGD(rate, momentum=0.5)
    optimizer.apply_gradients([(tf.constant(x.a), v)])
    return lambda: (v, optimizer.variables())


def _adapted(tf, x):
    layer = tf.keras.layers.Normalization(axis=-1)
    layer.adapt(x.square)
    return lambda: layer(tf.constant([[1.0, 2.0]]))


def _saved(tf, x):
    v = tf.Variable(x.a)
    text = tf.io.serialize_tensor(x.a)
    return lambda: (v, tf.io.parse_tensor(text, tf.float32))


def _session(tf, x):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        fed = v1.placeholder(tf.float32, [4])
        default = v1.placeholder_with_default(tf.constant(x.a), [4])
        held = v1.get_variable("held", initializer=x.a)
        constant = tf.constant(x.a)
        feeds = {fed: x.a}
        first = session.run(fed * 2, feeds)
        _change(x)
        session.run(held.initializer)
        read = session.run([held, constant, default])
        for array in read:
            array[:] = 7
        again = session.run([held, constant, default])
    return lambda: (first, again)


def _called(tf, x):
    seen = tf.function(lambda a, items, table: (a * 2, items[0], table["k"] + 1))(x.a, x.floats, x.table)
    return lambda: seen


KEPT = {
    "Dataset.from_tensor_slices": lambda tf, x: _elements(tf.data.Dataset.from_tensor_slices((x.a, x.floats + [0.0]))),
    "Dataset.from_tensor_slices of a dict": lambda tf, x: _elements(tf.data.Dataset.from_tensor_slices(x.table)),
    "Dataset.from_tensor_slices of text": lambda tf, x: _elements(tf.data.Dataset.from_tensor_slices(x.words)),
    "Dataset.from_tensor_slices of a list": lambda tf, x: _elements(tf.data.Dataset.from_tensor_slices(x.names)),
    "Dataset.from_tensors": lambda tf, x: _elements(tf.data.Dataset.from_tensors((x.a, x.table, x.words))),
    "Dataset.from_generator": lambda tf, x: _elements(_generated(tf, x)),
    "Dataset.range": lambda tf, x: _elements(tf.data.Dataset.range(x.one, x.b[2] + 2)),
    "Dataset.map": lambda tf, x: _elements(_ones(tf).map(lambda y: y + x.a[:2] + x.floats[1])),
    "Dataset.map in parallel": lambda tf, x: _elements(_ones(tf).map(lambda y: y + x.a[:2], num_parallel_calls=2)),
    "Dataset.filter": lambda tf, x: _elements(_ones(tf).filter(lambda y: x.a[0] > 0)),
    "Dataset.flat_map": lambda tf, x: _nested(tf, "flat_map", x.a, x.floats, x.table),
    "Dataset.interleave": lambda tf, x: _nested(tf, "interleave", x.a, x.floats, x.table),
    "Dataset.scan": lambda tf, x: _elements(_ones(tf).scan(x.a[:2], lambda s, y: (s + y, s * x.a[1]))),
    "Dataset.batch": lambda tf, x: _elements(_ones(tf).batch(x.one + 1)),
    "Dataset.take and skip": lambda tf, x: _elements(_ones(tf).enumerate(x.one).skip(x.one).take(x.b[2])),
    "Dataset.padded_batch": lambda tf, x: _elements(_ones(tf).padded_batch(2, [3], x.a[1])),
    "Dataset.padded_batch of sizes": lambda tf, x: _elements(_ones(tf).padded_batch(2, x.b[2:] + 1)),
    "Dataset.shuffle": lambda tf, x: _elements(tf.data.Dataset.range(5).shuffle(5, seed=x.one)),
    "Dataset.repeat": lambda tf, x: _elements(tf.data.Dataset.range(2).repeat(x.one + 1)),
    "Dataset.shard": lambda tf, x: _elements(tf.data.Dataset.range(6).shard(x.b[2], x.one)),
    "Dataset.window": lambda tf, x: _elements(tf.data.Dataset.range(4).window(x.b[2]).flat_map(lambda w: w.batch(2))),
    "Dataset.reduce": lambda tf, x: (lambda y: lambda: y)(_ones(tf).reduce(x.a[:2], lambda s, y: s + y * x.a[1])),
    "Dataset.concatenate": lambda tf, x: _elements(tf.data.Dataset.from_tensors(x.a).concatenate(
        tf.data.Dataset.from_tensors(x.a * 2))),
    "Dataset.zip": lambda tf, x: _elements(tf.data.Dataset.zip((tf.data.Dataset.from_tensors(x.a), _ones(tf)))),
    "Dataset.sample_from_datasets": lambda tf, x: _elements(tf.data.Dataset.sample_from_datasets(
        [_ones(tf), _ones(tf)], [0.5, 0.5], seed=1)),
    "Dataset.py_function": lambda tf, x: _elements(_ones(tf).map(
        lambda y: tf.py_function(lambda z: z + x.floats[0] * 0, [y], tf.float32))),
    "numpy_function": lambda tf, x: _buffered(tf, x, "numpy_function"),
    "py_function": lambda tf, x: _buffered(tf, x, "py_function"),
    "custom_gradient": _custom, "ForwardAccumulator": _accumulated,
    "output_gradients": lambda tf, x: _output_gradients(tf, x),
    "MutableHashTable": lambda tf, x: _inserted(tf, x, tf.lookup.experimental.MutableHashTable),
    "DenseHashTable": lambda tf, x: _inserted(tf, x, tf.lookup.experimental.DenseHashTable, empty_key="",
                                              deleted_key="-"),
    "StaticHashTable": lambda tf, x: _static(tf, x, x.words),
    "StaticHashTable of a list": lambda tf, x: _static(tf, x, x.names),
    "FIFOQueue": _queued, "TensorArray": _arrays, "Generator": _generator, "Variable and serialize_tensor": _saved,
    "function": _called, "session": _session,
    "Mean": _metric, "set_weights": _weights, "Embedding weights": _given_weights, "fit": _fitted,
    "PiecewiseConstantDecay": _optimized, "adapt": _adapted,
    "StringLookup": lambda tf, x: _applied(tf, tf.keras.layers.StringLookup(vocabulary=x.names), ["a", "z"]),
    "StringLookup of an array": lambda tf, x: _applied(tf, tf.keras.layers.StringLookup(vocabulary=x.words),
                                                       ["a", "z"]),
    "Normalization": lambda tf, x: _applied(tf, tf.keras.layers.Normalization(mean=x.a[:2], variance=x.table["k"]),
                                            [[1.0, 2.0]]),
    "constant_initializer": lambda tf, x: (lambda make: lambda: make([2, 2]))(tf.constant_initializer(x.square)),
    "Constant": lambda tf, x: (lambda make: lambda: make([2, 2]))(tf.keras.initializers.Constant(x.square)),
    "LinearOperatorFullMatrix": lambda tf, x: tf.linalg.LinearOperatorFullMatrix(tf.constant(x.square)).to_dense,
    "LinearOperatorDiag": lambda tf, x: tf.linalg.LinearOperatorDiag(tf.constant(x.a)).to_dense,
    "SparseTensor": lambda tf, x: (lambda s: lambda: tf.sparse.to_dense(s))(
        tf.SparseTensor([[i] for i in x.sizes[:1]], x.floats[:1], [4])),
    "ragged.constant": lambda tf, x: (lambda r: lambda: r.to_tensor())(tf.ragged.constant([x.floats, x.floats[:1]])),
    "constant of lists": lambda tf, x: (lambda y: lambda: y)(tf.constant([x.floats, x.floats])),
    "constant of text": lambda tf, x: (lambda y: lambda: y)(tf.constant(x.words)),
    "Example": lambda tf, x: _example(tf, x),
    "strings.join": lambda tf, x: (lambda y: lambda: y)(tf.strings.join([x.names, x.words])),
}  # fmt: skip


def _applied(tf, layer, values):
    return lambda: layer(tf.constant(values))


def _output_gradients(tf, x):
    y = tf.Variable([1.0, 1.0, 1.0, 1.0])
    with tf.GradientTape() as tape:
        z = y * y
    gradient = tape.gradient(z, y, output_gradients=x.a)
    return lambda: gradient


def _example(tf, x):
    feature = tf.train.Feature(float_list=tf.train.FloatList(value=x.floats))
    example = tf.train.Example(features=tf.train.Features(feature={"a": feature}))
    return lambda: tf.io.decode_raw(example.SerializeToString(), tf.uint8)


@row_for(kind=list(KEPT))
def kept(tf, np, kind):
    tf.random.set_seed(1)
    x = _inputs(np)
    look = KEPT[kind](tf, x)
    _change(x)
    return look()


@row
def options_of_a_dataset(tf, np):
    options = tf.data.Options()
    options.deterministic = True
    dataset = tf.data.Dataset.range(3).with_options(options)
    options.deterministic = False
    return dataset.options().deterministic, list(dataset)
