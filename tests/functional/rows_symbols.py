"""Rows: functional models of text, of ragged and sparse tensors, of sizes computed inside, and losses before a call."""

import numpy as np
from rows import raised, row

WORDS = ["a", "b", "c"]
ROWS = [[[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]], [[5.0, 6.0]]]


def told(x):
    """A KerasTensor as it prints, a sparse or ragged tensor as what it is made of."""
    if hasattr(x, "_keras_history"):
        return repr(x)
    if hasattr(x, "row_splits"):
        return [x.flat_values.numpy(), [splits.numpy() for splits in x.nested_row_splits]]
    if hasattr(x, "dense_shape"):
        return [x.indices.numpy(), x.values.numpy(), x.dense_shape.numpy()]
    return [[part.decode() for part in np.ravel(x)], list(x.shape)] if x.dtype.name == "string" else x


def modelled(tf, make, data, shape=(), **options):
    """What a layer or function makes of an Input, and a model of data, called and predicting."""
    inputs = tf.keras.Input(shape, **options)
    outputs = make(inputs)
    model = tf.keras.Model(inputs, outputs)
    predicted = model.predict(data, verbose=0)
    if isinstance(predicted, np.ndarray) and predicted.dtype.kind in "OS":
        predicted = [part.decode() for part in np.ravel(predicted)]
    return [told(outputs), told(model(data)), predicted if not hasattr(predicted, "row_splits") else told(predicted)]


def ones_dense(tf, units=2, **options):
    return tf.keras.layers.Dense(units, kernel_initializer="ones", **options)


def ones_embedding(tf):
    return tf.keras.layers.Embedding(9, 2, embeddings_initializer="ones")


def constant_lstm(tf, units=2, **options):
    start = tf.keras.initializers.Constant(0.1)
    return tf.keras.layers.LSTM(units, kernel_initializer=start, recurrent_initializer=start, **options)


def layer_of(tf, function):
    class Own(tf.keras.layers.Layer):
        def call(self, x):
            return function(x)

    return Own()


@row
def text_in_layers(tf):
    layers = tf.keras.layers
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(WORDS, tf.constant([0, 1, 2], tf.int64)), default_value=-1
    )
    lookup = layers.StringLookup(vocabulary=WORDS, mask_token=None, num_oov_indices=0)
    text = tf.constant(["c", "b", "a"])
    makers = [
        layer_of(tf, lambda x: tf.one_hot(lookup(x), 3)),
        layer_of(tf, lambda x: tf.cast(table.lookup(x), tf.float32)),
        layer_of(tf, lambda x: tf.zeros([tf.shape(x)[0], 4]) + tf.cast(tf.expand_dims(lookup(x), 1), tf.float32)),
        layer_of(tf, lambda x: tf.strings.length(tf.strings.lower(x))),
        layers.Lambda(lambda x: tf.strings.to_number(tf.strings.regex_replace(x, "[a-z]", "7"))),
        layers.Reshape((1,)),
    ]
    return [modelled(tf, make, text, dtype=tf.string) for make in makers]


@row
def text_in_ops(tf):
    layers = tf.keras.layers
    makers = [
        lambda x: tf.expand_dims(x, -1),
        tf.strings.lower,
        lambda x: tf.strings.to_hash_bucket_fast(x, 5),
        lambda x: tf.equal(x, "b"),
        lambda x: x == "b",
        lambda x: layers.concatenate([layers.Reshape((1,))(x), layers.Reshape((1,))(x)]),
        lambda x: tf.strings.join([x, x], "-"),
        lambda x: tf.strings.substr(x, 0, 1),
        lambda x: tf.strings.split(x).to_tensor("?"),
        lambda x: tf.strings.unicode_split(x, "UTF-8"),
        lambda x: tf.zeros([tf.shape(x)[0], 2]),
        lambda x: tf.strings.as_string(tf.strings.length(x)),
        lambda x: layers.StringLookup(vocabulary=WORDS)(tf.strings.split(x)),
        lambda x: layers.TextVectorization(vocabulary=WORDS, ragged=True)(x),
        lambda x: layers.TextVectorization(vocabulary=WORDS, output_mode=None)(x),
    ]
    return [modelled(tf, make, tf.constant(["c a", "b", "a"]), dtype=tf.string) for make in makers]


@row
def ragged_inputs(tf):
    layers = tf.keras.layers
    data = tf.ragged.constant([[1, 2], [3]], dtype=tf.int64)
    makers = [
        lambda x: x,
        lambda x: x.to_tensor(),
        lambda x: x.to_tensor(7),
        lambda x: x.row_lengths(),
        lambda x: x.flat_values,
        lambda x: x.row_splits,
        layers.Lambda(lambda x: x.to_tensor()),
        lambda x: tf.reduce_sum(x, axis=1),
        lambda x: tf.cast(x, tf.float32) * 2.0,
        lambda x: x[:, :1],
        lambda x: tf.concat([x, x], 1),
        lambda x: layers.Add()([x, x]),
    ]
    shapes = [(None,), (None, 3), (4, None), (4,)]
    return [
        [modelled(tf, make, data, (None,), ragged=True, dtype=tf.int64) for make in makers],
        [repr(tf.keras.Input(shape, ragged=True)) for shape in shapes],
        repr(tf.keras.Input(type_spec=tf.RaggedTensorSpec([None, None, 2], ragged_rank=1))),
    ]


@row
def layers_of_ragged_inputs(tf):
    layers = tf.keras.layers
    data = tf.ragged.constant([[1, 2], [3]], dtype=tf.int64)
    makers = [
        lambda x: ones_embedding(tf)(x),
        lambda x: layers.GlobalAveragePooling1D()(ones_embedding(tf)(x)),
        lambda x: ones_dense(tf)(ones_embedding(tf)(x)),
        lambda x: layers.TimeDistributed(ones_dense(tf))(ones_embedding(tf)(x)),
        lambda x: constant_lstm(tf)(ones_embedding(tf)(x)),
        lambda x: constant_lstm(tf, return_sequences=True)(ones_embedding(tf)(x)),
        lambda x: layers.Bidirectional(constant_lstm(tf))(ones_embedding(tf)(x)),
    ]
    return [modelled(tf, make, data, (None,), ragged=True, dtype=tf.int64) for make in makers]


@row
def sparse_inputs(tf):
    layers = tf.keras.layers
    data = tf.sparse.from_dense([[0, 1.0, 0, 0, 2], [3.0, 0, 0, 0, 0]])
    makers = [
        lambda x: ones_dense(tf, bias_initializer="ones", activation="tanh")(x),
        lambda x: layers.Concatenate()([ones_dense(tf)(x), ones_dense(tf)(x)]),
        lambda x: x.values,
        lambda x: x.indices,
    ]
    joined = layers.Concatenate()([data, data])
    return [
        [modelled(tf, make, data, (5,), sparse=True) for make in makers],
        repr(tf.keras.Input(type_spec=tf.SparseTensorSpec([None, 3]))),
        [told(joined), layers.Concatenate(axis=1)([data, tf.ones([2, 1])])],
        modelled(
            tf, lambda x: ones_dense(tf)(layers.CategoryEncoding(4, sparse=True)(x)), np.array([[1, 2]]), (2,),
            dtype=tf.int64,
        ),
        raised(lambda: tf.keras.Input((3,), sparse=True, ragged=True), "Cannot set both"),
    ]  # fmt: skip


@row
def models_of_ragged_and_sparse_inputs_learn(tf):
    layers = tf.keras.layers
    rows = tf.ragged.constant([[1, 2], [3]], dtype=tf.int64)
    sparse = tf.sparse.from_dense([[0, 1.0, 0, 0, 2], [3.0, 0, 0, 0, 0]])
    found = []
    for data, options in ((rows, {"ragged": True, "dtype": "int64"}), (sparse, {"sparse": True})):
        inputs = tf.keras.Input((5,) if data is sparse else (None,), name="x", **options)
        hidden = layers.GlobalAveragePooling1D()(ones_embedding(tf)(inputs)) if data is rows else inputs
        model = tf.keras.Model(inputs, ones_dense(tf, 1, name="d")(hidden))
        model.compile("sgd", "mse")
        losses = model.fit(data, np.ones((2, 1), "float32"), epochs=2, verbose=0).history["loss"]
        pairs = tf.data.Dataset.from_tensor_slices((data, np.ones((2, 1), "float32"))).batch(2)
        losses += model.fit(pairs, verbose=0).history["loss"]
        config = model.get_config()
        again = tf.keras.Model.from_config(config)
        found.append([losses, model.evaluate(pairs, verbose=0), config["layers"][0]["config"], model.input_shape])
        found.append([list(again(data).shape), list(model.predict(pairs, verbose=0).shape)])
    return found


@row
def ragged_sequences(tf):
    layers = tf.keras.layers
    data = tf.ragged.constant(ROWS, ragged_rank=1)
    start = tf.keras.initializers.Constant(0.1)
    options = {"kernel_initializer": start, "recurrent_initializer": start}
    found = []
    for kind in (layers.LSTM, layers.GRU, layers.SimpleRNN):
        for sequences in (False, True):
            for backwards in (False, True):
                made = kind(2, return_sequences=sequences, go_backwards=backwards, return_state=True, **options)(data)
                found.append([told(x) for x in made])
    both = layers.Bidirectional(constant_lstm(tf, 1, return_sequences=True), merge_mode="sum")
    return [
        found,
        told(both(data)),
        told(layers.RNN(layers.GRUCell(1, **options), return_sequences=True)(data)),
        told(ones_dense(tf)(data)),
        told(layers.TimeDistributed(layers.Flatten())(tf.expand_dims(data, -1))),
        raised(lambda: layers.LSTM(1)(data, mask=np.ones((2, 3), bool)), "The mask that was passed in"),
        raised(lambda: layers.LSTM(1, unroll=True)(data), "does not support unrolling"),
        raised(lambda: layers.Dense(2)(tf.ragged.constant([[1.0, 2.0], [3.0]])), "last dimension of the inputs"),
    ]


@row
def sizes_computed_through_floats(tf):
    def sizes(x):
        return tf.cast(tf.shape(x), tf.float32)

    functions = [
        lambda x: x + tf.reduce_sum(tf.range(tf.math.ceil(sizes(x)[1] / 2), dtype=tf.float32)),
        lambda x: tf.zeros([tf.shape(x)[0], tf.cast(tf.math.ceil(sizes(x)[1] / 3), tf.int32)]),
        lambda x: tf.reshape(x, [-1, tf.cast(tf.sqrt(sizes(x)[1]), tf.int32), 2, 3]),
        lambda x: x[:, : tf.cast(sizes(x)[1] * 0.5, tf.int32)],
        lambda x: tf.math.top_k(tf.transpose(x, [0, 2, 1]), tf.cast(tf.math.ceil(sizes(x)[1] * 0.5), tf.int32))[0],
        lambda x: tf.tile(x, [1, 1, tf.cast(tf.math.log(sizes(x)[1]) / tf.math.log(2.0), tf.int32)]),
        lambda x: tf.pad(
            x, [[0, 0], [0, tf.cast(tf.math.ceil(sizes(x)[1] / 3) * 3, tf.int32) - tf.shape(x)[1]], [0, 0]]
        ),
    ]
    data = np.arange(24, dtype="float32").reshape(2, 4, 3)
    half = tf.function(
        lambda x: tf.range(tf.math.ceil(tf.cast(tf.shape(x)[1], tf.float32) / 2)),
        input_signature=[tf.TensorSpec([None, None])],
    )
    return [
        [modelled(tf, layer_of(tf, function), data, (None, 3)) for function in functions],
        [half(np.ones((2, n), "float32")) for n in (5, 8)],
    ]


@row
def a_batch_reshaped_to_a_stated_shape(tf):
    def call(x):
        rows = tf.reshape(x, [32, 3])
        return tf.reshape(rows * 2.0, [tf.shape(x)[0], 4, 3])

    inputs = tf.keras.Input((4, 3))
    model = tf.keras.Model(inputs, layer_of(tf, call)(inputs))
    data = np.arange(96, dtype="float32").reshape(8, 4, 3)
    flat = tf.keras.Model(inputs, layer_of(tf, lambda x: tf.reshape(x, [32, 3]))(inputs))
    return [
        model.predict(data, batch_size=8, verbose=0),
        list(flat.output_shape),
        raised(lambda: layer_of(tf, lambda x: tf.reshape(x, [5, 3]))(tf.keras.Input((4, 3), batch_size=8)), "reshape"),
    ]


@row
def a_layer_twice_in_a_sequential(tf):
    layers = tf.keras.layers
    found = []
    for shape in (None, (3,)):
        more = layers.Lambda(lambda x: x + 1.0, name="more")
        stack = tf.keras.Sequential([tf.keras.Input(shape)] if shape else [])
        for layer in (more, ones_dense(tf, 3, name="d"), more, ones_dense(tf, 3, name="e")):
            stack.add(layer)
        found.append([stack(np.ones((1, 3), "float32")), len(stack.layers), len(stack.weights)])
        stack.add(more)
        found.append([stack(np.ones((1, 3), "float32")), [layer.name for layer in stack.layers]])
        found.append([layer["class_name"] for layer in stack.get_config()["layers"]])
    norm = layers.BatchNormalization(name="bn")
    stack = tf.keras.Sequential([norm, layers.Dense(6), layers.Dropout(0.1), norm, layers.Dense(3)])
    inputs = tf.keras.Input((3,))
    model = tf.keras.Model(inputs, stack(inputs))
    return [found, model.output_shape, [list(w.shape) for w in stack.weights], len(stack.layers)]


@row
def losses_before_the_first_call(tf):
    layers = tf.keras.layers

    class Adds(layers.Layer):
        def call(self, x):
            self.add_loss(tf.reduce_sum(x) * 0.1)
            return x * 2.0

    found = []
    for make in (
        lambda x: ones_dense(tf, kernel_regularizer="l2")(x),
        lambda x: ones_dense(tf, activity_regularizer="l2")(x),
        lambda x: layers.ActivityRegularization(l1=0.1)(x),
        lambda x: Adds()(x),
        lambda x: ones_dense(tf, kernel_regularizer="l1", activity_regularizer="l1")(Adds()(x)),
    ):
        inputs = tf.keras.Input((3,))
        model = tf.keras.Model(inputs, make(inputs))
        before = [len(model.losses), [len(layer.losses) for layer in model.layers]]
        model(np.ones((2, 3), "float32"))
        after = [float(loss) for loss in model.losses]
        model.compile("sgd", "mse")
        fitted = model.fit(np.ones((2, 3), "float32"), np.ones((2, model.output_shape[-1])), verbose=0).history
        found.append([before, after, fitted["loss"]])
    return found


@row
def positions_by_length(tf):
    """A table of positions is cut to the length of the input, which is not known."""
    layers = tf.keras.layers

    class Added(layers.Layer):
        def build(self, shape):
            self.table = self.add_weight("table", [12, 8], initializer="ones")

        def call(self, x):
            return x + self.table[tf.newaxis, : tf.shape(x)[1], :]

    class Cut(Added):
        def call(self, x):
            return x + tf.slice(self.table, (0, 0), (tf.shape(x)[1], 8))

    data = np.ones([2, 5, 8], "float32")
    return [modelled(tf, layer, data, (None, 8)) for layer in (Added(), Cut())]


@row
def layers_that_draw(tf):
    base = tf.keras.__internal__.layers.BaseRandomLayer

    class Noise(base):
        def call(self, x, training=None):
            return x + self._random_generator.random_normal(tf.shape(x)) if training else x

    inputs = tf.keras.Input((3,))
    model = tf.keras.Model(inputs, Noise(seed=2)(inputs))
    tf.random.set_seed(4)
    generator, seedless = base(seed=1)._random_generator, base()._random_generator
    return [
        model(np.zeros((1, 3)), training=True), model(np.zeros((1, 3)), training=True), model(np.zeros((1, 3))),
        generator.random_normal([2]), generator.random_uniform([2], 1.0, 2.0), generator.dropout(tf.ones(4), 0.5),
        generator.truncated_normal([2]), seedless.random_uniform([2]), base(seed=4, name="a").get_config(),
        raised(lambda: base(rng_type="any")),
    ]  # fmt: skip


@row
def python_called_for_each_element(tf):
    class Ruled(tf.keras.layers.Layer):
        def build(self, shape):
            self.scale = self.add_weight("scale", (2,), initializer="ones")

        def call(self, x):
            double = tf.map_fn(lambda row: tf.numpy_function(lambda v: v * 2, [row], tf.float32), x * self.scale)
            return tf.ensure_shape(double, [None, 2])

    inputs = tf.keras.Input((2,))
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, kernel_initializer="ones")(Ruled()(inputs)))
    return [list(model.output_shape), model(tf.ones((3, 2)))]
