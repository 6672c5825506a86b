"""Rows: columns of `tf.feature_column` in `tf.keras.layers.DenseFeatures`."""

import copy

from rows import raised, row, row_for


def _features(tf):
    return {
        "price": tf.constant([[0.5], [2.0], [9.0]]), "color": tf.constant([["r"], ["zz"], ["b"]]),
        "number": tf.constant([[3], [5], [9]], tf.int64), "weight": tf.constant([[0.5], [-1.0], [2.0]]),
        "words": tf.constant([["r", "g"], ["b", ""], ["", ""]]),
        "pair": tf.constant([[-1.0, 0.5], [1.0, 2.0], [0.0, 9.0]]),
        "sparse": tf.SparseTensor([[0, 0], [2, 1]], ["r", "b"], [3, 2]),
        "twice": tf.SparseTensor([[0, 0], [0, 0], [2, 1]], ["r", "b", "b"], [3, 2]),
    }  # fmt: skip


def _columns(tf):
    """Columns by what they are for."""
    fc = tf.feature_column
    price, colors = fc.numeric_column("price"), ["r", "g", "b"]
    buckets = fc.bucketized_column(price, [1.0, 3.0])
    pair = fc.bucketized_column(fc.numeric_column("pair", shape=2), [0.0, 1.0])
    words = fc.categorical_column_with_vocabulary_list("words", colors)
    of_list = fc.categorical_column_with_vocabulary_list("color", colors)
    places = fc.categorical_column_with_vocabulary_list("number", [3, 5, 7], default_value=1)
    return {
        "number": price,
        "normalized": fc.numeric_column("pair", shape=(2,), normalizer_fn=lambda x: (x - 1) / 2),
        "buckets": buckets,
        "pairs of buckets": pair,
        "buckets as ids": fc.indicator_column(pair),
        "list": fc.indicator_column(of_list),
        "list of integers": fc.indicator_column(places),
        "list and more": fc.indicator_column(
            fc.categorical_column_with_vocabulary_list("color", ["r", "g"], num_oov_buckets=3)
        ),
        "hash": fc.indicator_column(fc.categorical_column_with_hash_bucket("color", 5)),
        "hash of integers": fc.indicator_column(fc.categorical_column_with_hash_bucket("number", 5, tf.int64)),
        "identity": fc.indicator_column(fc.categorical_column_with_identity("number", 6)),
        "identity by default": fc.indicator_column(fc.categorical_column_with_identity("number", 6, 0)),
        "crossed": fc.indicator_column(fc.crossed_column([buckets, "color"], 20)),
        "crossed by a key": fc.indicator_column(fc.crossed_column(["color", places], 10, hash_key=7)),
        "crossed with several": fc.indicator_column(fc.crossed_column([places, words], 10)),
        "several": fc.indicator_column(words),
        "sparse": fc.indicator_column(fc.categorical_column_with_vocabulary_list("sparse", colors)),
        "weighted": fc.indicator_column(fc.weighted_categorical_column(of_list, "weight")),
        "embedding": fc.embedding_column(words, 2, initializer=tf.keras.initializers.Constant(2.0)),
        "embedding of places that occur twice": fc.embedding_column(
            fc.categorical_column_with_vocabulary_list("twice", colors), 2,
            initializer=lambda shape, dtype, **_: tf.reshape(tf.range(6, dtype=dtype), shape),
        ),
        "embedding of buckets": fc.embedding_column(pair, 2, initializer=tf.keras.initializers.Constant(2.0)),
    }


_NAMES = (
    "number", "normalized", "buckets", "pairs of buckets", "buckets as ids", "list", "list of integers",
    "list and more", "hash", "hash of integers", "identity", "identity by default", "crossed", "crossed by a key",
    "crossed with several", "several", "sparse", "weighted", "embedding", "embedding of buckets",
    "embedding of places that occur twice",
)  # fmt: skip


@row_for(name=_NAMES)
def values_of_a_column(tf, name):
    column, features = _columns(tf)[name], _features(tf)
    layer = tf.keras.layers.DenseFeatures([column])
    result, shape = layer(features), list(column.variable_shape)
    inside = tf.function(layer)(features)
    return result, inside, column.name, shape, repr(column.parse_example_spec), layer.get_weights()


@row_for(combiner=["mean", "sum", "sqrtn"], max_norm=[None, 1.0], weighted=[True, False])
def vectors_of_ids(tf, combiner, max_norm, weighted):
    fc, features = tf.feature_column, _features(tf)
    column = fc.categorical_column_with_vocabulary_list("color" if weighted else "words", ["r", "g", "b"])
    column = fc.weighted_categorical_column(column, "weight") if weighted else column
    column = fc.embedding_column(column, 3, combiner, max_norm=max_norm)
    layer = tf.keras.layers.DenseFeatures(column)
    with tf.GradientTape() as tape:
        result = layer(features)
        loss = tf.reduce_sum(result**2)
    return result, tf.convert_to_tensor(tape.gradient(loss, layer.trainable_variables)[0]), layer.weights[0].name


@row
def several_columns_and_configurations(tf):
    columns, features = _columns(tf), _features(tf)
    layer = tf.keras.layers.DenseFeatures([columns[name] for name in ("list", "number", "embedding", "crossed")])
    each: dict = {}
    result = layer(features, cols_to_output_tensors=each)
    again = tf.keras.layers.DenseFeatures.from_config(layer.get_config())
    described = [(type(c).__name__, c.name, c._fields) for c in columns.values()]
    return result, again(features), {column.name: value for column, value in each.items()}, described


@row
def columns_in_a_model(tf, np):
    fc = tf.feature_column
    color = fc.categorical_column_with_vocabulary_list("color", ["r", "g", "b"])
    price = fc.numeric_column("price")
    inputs = {"price": tf.keras.Input([1], name="price"), "color": tf.keras.Input([1], name="color", dtype=tf.string)}
    columns = [price, fc.bucketized_column(price, [1.0]), fc.indicator_column(color)]
    hidden = tf.keras.layers.DenseFeatures(columns)(inputs)
    features = {name: _features(tf)[name] for name in inputs}
    of_functional = tf.keras.Model(inputs, tf.keras.layers.Dense(1, kernel_initializer="ones")(hidden))(features)
    ones = tf.keras.initializers.Constant(1.0)
    model = tf.keras.Sequential([
        tf.keras.layers.DenseFeatures([price, fc.embedding_column(color, 2, initializer=ones),
                                       fc.indicator_column(fc.crossed_column(["color", "price_text"], 4))]),
        tf.keras.layers.Dense(1, kernel_initializer="ones"),
    ])  # fmt: skip
    model.compile("sgd", "mse")
    features["price_text"] = tf.constant([["1"], ["2"], ["3"]])
    dataset = tf.data.Dataset.from_tensor_slices((features, tf.constant([1.0, 2.0, 3.0]))).batch(2)
    history = model.fit(dataset, epochs=2, verbose=0)
    return hidden.shape.as_list(), of_functional, history.history["loss"], model.get_weights()


@row
def examples_are_parsed_for_columns(tf):
    fc = tf.feature_column
    columns = [fc.numeric_column("price"), fc.indicator_column(
        fc.categorical_column_with_vocabulary_list("color", ["r", "g", "b"])
    )]  # fmt: skip
    feature = {
        "price": tf.train.Feature(float_list=tf.train.FloatList(value=[2.0])),
        "color": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"g", b"b"])),
    }
    example = tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()
    parsed = tf.io.parse_example([example], fc.make_parse_example_spec(columns))
    return tf.keras.layers.DenseFeatures(columns)(parsed)


@row
def a_vocabulary_in_a_file(tf, folder):
    path, fc = f"{folder}/words.txt", tf.feature_column
    with open(path, "w") as file:
        file.write("r\ng\nb\n")
    found = []
    for options in ({}, {"vocabulary_size": 2}, {"num_oov_buckets": 2}, {"default_value": 1}):
        column = fc.categorical_column_with_vocabulary_file("color", path, **options)
        found += [column.num_buckets, tf.keras.layers.DenseFeatures(fc.indicator_column(column))(_features(tf))]
    return found


@row
def wrong_columns(tf):
    fc = tf.feature_column
    number = fc.numeric_column("price")
    words = fc.categorical_column_with_vocabulary_list("color", ["r"])
    of_list = fc.categorical_column_with_vocabulary_list
    return [
        raised(lambda: fc.bucketized_column(words, [1]), "numeric_column"),
        raised(lambda: fc.bucketized_column(number, [3, 1]), "boundaries must be a sorted list"),
        raised(lambda: fc.crossed_column(["a"], 3), "keys must be a list with length > 1"),
        raised(lambda: fc.crossed_column([number, "a"], 3), "Unsupported key type"),
        raised(lambda: fc.crossed_column(["b", "a"], 0), "hash_bucket_size must be > 1"),
        raised(lambda: fc.embedding_column(words, 0), "Invalid dimension 0"),
        raised(lambda: fc.embedding_column(words, 2, initializer="ones"), "initializer must be callable"),
        raised(lambda: fc.categorical_column_with_hash_bucket("a", 0), "hash_bucket_size must be at least 1"),
        raised(lambda: fc.categorical_column_with_hash_bucket("a", 3, tf.float32), "dtype must be string or integer"),
        raised(lambda: fc.categorical_column_with_identity("a", 3, 5), "not in range"),
        raised(lambda: of_list("a", ["x", "x"]), "Duplicate keys"),
        raised(lambda: of_list("a", []), "must be non-empty"),
        raised(lambda: of_list("a", ["x"], default_value=0, num_oov_buckets=2), "Can't specify both"),
        raised(lambda: fc.numeric_column("a", shape=0), "greater than 0"),
        raised(lambda: fc.numeric_column("a", dtype=tf.string), "convertible to float"),
        raised(lambda: fc.numeric_column(1), "key must be a string"),
        raised(lambda: fc.numeric_column("a", normalizer_fn=3), "must be a callable"),
        raised(lambda: fc.shared_embeddings([words], 2), "not supported when eager execution is enabled"),
        raised(lambda: fc.indicator_column(number), "Unsupported input type"),
        raised(lambda: fc.make_parse_example_spec(["a"]), "must be FeatureColumn instances"),
    ]


@row
def wrong_features(tf):
    fc, dense = tf.feature_column, tf.keras.layers.DenseFeatures
    number = fc.numeric_column("price")
    words = fc.categorical_column_with_vocabulary_list("color", ["r"])

    def called(features, columns=(number,)):
        return raised(lambda: dense(columns)(features))

    return [
        called({"price": tf.SparseTensor([[0, 0]], [1.0], [2, 1])}),
        called({"price": tf.constant(1.0)}),
        called({"other": tf.constant([1.0])}),
        called({"color": tf.constant([1.0])}, [fc.indicator_column(words)]),
        called({}, [number, number]),
        called({}, [words]),
        called({}, ["price"]),
        called({}, []),
    ]


@row
def crossed_inputs_of_both_kinds(tf):
    dense, other = tf.constant([["r", "q"], ["zz", ""]]), tf.constant([["u"], ["v"]])
    sparse = tf.SparseTensor([[0, 0], [1, 0]], tf.constant([3, 4], tf.int64), [2, 1])
    found = [tf.sparse.cross(inputs) for inputs in ([dense, sparse], [sparse, dense], [dense, sparse, other])]
    found += [tf.sparse.cross_hashed(inputs, 100) for inputs in ([dense, sparse], [other, dense])]
    inside = tf.function(lambda a, b: tf.sparse.to_dense(tf.sparse.cross([a, b])))
    return [(each.indices, each.values) for each in found], inside(dense, other), inside(other, other)


@row
def configurations_that_name_functions(tf):
    def double(x):
        return 2 * x

    def threes(shape, dtype=None):
        return tf.fill(shape, tf.cast(3, dtype))

    fc = tf.feature_column
    layer = tf.keras.layers.DenseFeatures([
        fc.numeric_column("price", normalizer_fn=double),
        fc.embedding_column(fc.categorical_column_with_identity("number", 10), 2, initializer=threes),
    ])  # fmt: skip
    features = {"price": tf.constant([[0.5]]), "number": tf.constant([[3]], tf.int64)}
    config = layer.get_config()
    numbers = config["feature_columns"][1]
    again = tf.keras.layers.DenseFeatures.from_config(
        copy.deepcopy({**config, "feature_columns": [numbers]}), custom_objects={"double": double}
    )
    return numbers, layer(features), again(features)


@row
def initializers_as_tensorflow_1_calls_them(tf):
    def required(shape, dtype, partition_info):
        return tf.ones(shape, dtype)

    def with_default(shape, dtype=None, partition_info=3):
        return tf.fill(shape, tf.cast(5 if partition_info is None else partition_info, dtype))

    def without(shape, dtype):
        return tf.ones(shape, dtype)

    fc, v1 = tf.feature_column, tf.compat.v1
    ids = {"number": tf.constant([[0], [1]]), "steps": tf.sparse.from_dense([[1, 2]])}
    number = fc.categorical_column_with_identity("number", 3)
    steps = fc.sequence_categorical_column_with_identity("steps", 3)
    layers = [(tf.keras.layers.DenseFeatures, number), (v1.keras.layers.DenseFeatures, number)]
    layers.append((tf.keras.experimental.SequenceFeatures, steps))
    found: list = []
    for initializer in (required, with_default, without):
        for layer, column in layers:
            columns = [fc.embedding_column(column, 2, initializer=initializer)]
            if initializer is required and layer is tf.keras.layers.DenseFeatures:
                found.append(raised(lambda: layer(columns)(ids), "partition_info"))  # noqa: B023
            else:
                found.append(layer(columns)(ids))
        found.append(v1.get_variable("x", [2], initializer=initializer))
        with tf.Graph().as_default(), v1.Session() as session:
            variable = v1.get_variable("x", [2], initializer=initializer)
            session.run(v1.global_variables_initializer())
            found.append(session.run(variable))
    return found
