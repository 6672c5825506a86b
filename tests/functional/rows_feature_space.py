"""Rows: FeatureSpace, its kinds of features, crosses, configurations and files; and what `adapt` leaves in layers."""

import json
import zipfile

import numpy as np
from rows import names, raised, row

from .rows_saving import in_folder

KINDS = (
    "float", "float_normalized", "float_rescaled", "float_discretized", "integer_categorical", "string_categorical",
    "integer_hashed", "string_hashed",
)  # fmt: skip
TABLE = {
    "age": np.array([20, 35, 60, 41], "int64"),
    "size": np.array([1.5, 0.5, 2.0, 4.0]),
    "sex": np.array([0, 1, 1, 0]),
    "word": np.array(["a", "b", "c", "b"]),
}


def dataset(tf, table=None, batch=2):
    data = tf.data.Dataset.from_tensor_slices(TABLE if table is None else table)
    return data.batch(batch) if batch else data


def space(tf, **options):
    """One feature of each sort, and crosses."""
    spaces = tf.keras.utils.FeatureSpace
    features = {
        "word": spaces.string_categorical(num_oov_indices=2),
        "sex": spaces.integer_categorical(num_oov_indices=0),
        "age": spaces.float_discretized(num_bins=3),
        "size": spaces.float_normalized(),
    }
    crosses = [("sex", "age"), spaces.cross(("word", "sex"), 5)]
    return spaces(**{"features": features, "crosses": crosses, "crossing_dim": 4, **options})


def adapted(tf, batch=2, **options):
    made = space(tf, **options)
    made.adapt(dataset(tf, batch=batch))
    return made


@row
def one_vector(tf):
    made = adapted(tf)
    sample = {name: column[0] for name, column in TABLE.items()}
    other = {**TABLE, "word": np.array(["a", "x", "y", "z"])}
    return made(TABLE), made(sample), made(other), made.built, sorted(made.one_hot_encoders), names(made.submodules)


@row
def a_dict(tf):
    made = adapted(tf, output_mode="dict")
    sample = {name: column[0] for name, column in TABLE.items()}
    columns = {name: column[:, None] for name, column in TABLE.items()}
    return made(TABLE), made(sample), list(made(columns)), made(columns)


@row
def adapted_to_samples(tf):
    return adapted(tf, batch=None)(TABLE), adapted(tf, batch=3)(TABLE)


@row
def kinds_by_name(tf):
    found = {}
    for kind in KINDS:
        values = np.array(["a", "b"]) if kind.startswith("string") else np.array([1, 2], "int64")
        values = values.astype("float32") if kind.startswith("float") else values
        made = tf.keras.utils.FeatureSpace({"x": kind}, "dict", hashing_dim=3, num_discretization_bins=2)
        made.adapt(dataset(tf, {"x": values}))
        feature = made.features["x"]
        found[kind] = made({"x": values}), feature.dtype, feature.output_mode, feature.preprocessor.name
    return found


@row
def kinds_with_options(tf):
    spaces = tf.keras.utils.FeatureSpace
    words = {"x": np.array(["a", "b", "a", "c"])}
    numbers = {"x": np.array([7, 7, 8, 9])}
    cases = (
        (spaces.float(name="n"), {"x": np.array([1.0, 2.0])}),
        (spaces.float_rescaled(2.0, offset=1.0), {"x": np.array([1.0, 2.0])}),
        (spaces.float_discretized(3, output_mode="int"), {"x": np.array([-1.0, 1.0, 2.0])}),
        (spaces.string_categorical(max_tokens=3, output_mode="int"), words),
        (spaces.integer_categorical(max_tokens=3, num_oov_indices=0, output_mode="one_hot"), {"x": np.array([7, 8])}),
        (spaces.integer_categorical(output_mode="int", name="mine"), numbers),
        (spaces.string_hashed(3, output_mode="int"), words),
        (spaces.integer_hashed(num_bins=3), numbers),
        (spaces.feature("string", tf.keras.layers.TextVectorization(output_mode="count"), "float"), words),
        (spaces.feature("float32", tf.keras.layers.Normalization(mean=1.0, variance=4.0), "float"), numbers),
    )
    found = []
    for feature, data in cases:
        made = spaces({"x": feature}, output_mode="dict")
        made.adapt(dataset(tf, data))
        found.append([made(data), feature.dtype, feature.output_mode, feature.preprocessor.name])
    return found


@row
def without_data(tf):
    spaces = tf.keras.utils.FeatureSpace
    made = spaces({"a": "float", "b": spaces.float_rescaled(2.0), "c": spaces.integer_hashed(3)})
    return made.built, made({"a": 1.5, "b": 2.0, "c": 3}), made.built


@row
def in_a_dataset(tf):
    made = adapted(tf)
    batches = dataset(tf).map(made)
    pairs = dataset(tf, batch=None).map(lambda x: (made(x), 1.0))
    return batches.element_spec.shape.as_list(), list(batches), [x for x, _ in pairs]


@row
def in_models(tf):
    tf.keras.utils.set_random_seed(3)
    made = adapted(tf)
    inputs, encoded = made.get_inputs(), made.get_encoded_features()
    outputs = tf.keras.layers.Dense(1, kernel_initializer="ones")(encoded)
    whole, inner = tf.keras.Model(inputs, outputs), tf.keras.Model(encoded, outputs)
    again = made(inputs)
    data = {name: tf.convert_to_tensor(column)[:, None] for name, column in TABLE.items()}
    data["size"] = tf.cast(data["size"], "float32")
    return (
        {name: (x.shape.as_list(), x.dtype.name) for name, x in inputs.items()},
        encoded.shape.as_list(), again.shape.as_list(), names(whole.layers), whole(data), inner(made(data)),
        made.get_encoded_features() is encoded,
    )  # fmt: skip


@row
def configuration(tf):
    made = adapted(tf)
    config = json.loads(json.dumps(made.get_config()))
    other = type(made).from_config(config)
    error = raised(lambda: other(TABLE), "You need to call `.adapt(dataset)` on the FeatureSpace")
    other.adapt(dataset(tf))
    new = space(tf)
    return config, list(config), made.get_build_config(), other(TABLE), error, new.get_build_config()


@row
def crosses(tf):
    cross = tf.keras.utils.FeatureSpace.cross(("a", "b"), 3, output_mode="int")
    other = type(cross).from_config(cross.get_config())
    made = tf.keras.utils.FeatureSpace(
        {"a": tf.keras.utils.FeatureSpace.integer_categorical(output_mode="int"), "b": "float_discretized"},
        crosses=[cross], output_mode="dict", num_discretization_bins=2,
    )  # fmt: skip
    data = {"a": np.array([1, 2, 3]), "b": np.array([0.0, 1.0, 2.0], "float32")}
    made.adapt(dataset(tf, data, 3))
    return other.name, other.get_config(), made(data), list(made.crossers), list(made.crosses_by_name)


@row
def file(tf):  # without `age`: TensorFlow forgets the boundaries of a Discretization that it reads
    spaces = tf.keras.utils.FeatureSpace
    features = {"word": "string_categorical", "sex": spaces.integer_categorical(num_oov_indices=0),
                "size": "float_normalized"}  # fmt: skip
    made = spaces(features, crosses=[("word", "sex")], crossing_dim=5)
    table = {name: TABLE[name] for name in features}
    made.adapt(dataset(tf, table))

    def saved(folder):
        path = folder + "space.keras"
        made.save(path)
        with zipfile.ZipFile(path) as archive:
            members = sorted(archive.namelist())
            config = json.loads(archive.read("config.json"))
        other = tf.keras.models.load_model(path)
        return members, config, other(table), other.built, list(dataset(tf, table).map(other))

    refused = raised(lambda: made.save("space.h5"), "expected a `.keras` extension")
    return in_folder(saved), refused


@row
def refused(tf):
    spaces = tf.keras.utils.FeatureSpace
    layers = tf.keras.layers
    whole, data = adapted(tf), {"x": np.array([1, 2])}

    def called(feature, data, **options):
        made = spaces({"x": feature}, **options)
        made.adapt(dataset(tf, data))

    return (
        raised(lambda: spaces({}), "The `features` argument cannot be None or empty."),
        raised(lambda: spaces({"x": "flot"}), "Invalid feature type: flot"),
        raised(lambda: spaces({"x": "float"}, "list"), "Expected one of {'dict', 'concat'}"),
        raised(lambda: spaces.cross(("a", "b"), 3, "float"), "Expected one of {'int', 'one_hot'}"),
        raised(lambda: spaces.float_discretized(2, [0.0]), "Both `num_bins` and `bin_boundaries` should not be set."),
        raised(lambda: called(spaces.float_discretized(None, [0.0]), data), "Cannot adapt a Discretization layer"),
        raised(lambda: spaces.string_hashed(3, output_mode="x"), "{'int', 'one_hot', 'float'}"),
        raised(lambda: spaces({"x": "float"}, crosses=[("x", "y")]), "unknown features: ('x', 'y')"),
        raised(lambda: spaces({"x": "float"}, crosses=[("x",)], crossing_dim=None), "`crossing_dim`"),
        raised(lambda: space(tf).get_inputs(), "You need to call `.adapt(dataset)`"),
        raised(lambda: space(tf).get_encoded_features(), "You need to call `.adapt(dataset)`"),
        raised(lambda: space(tf).adapt(TABLE), "can only be called on a tf.data.Dataset."),
        raised(lambda: whole([1.0]), "A FeatureSpace can only be called with a dict. Received: data="),
        raised(lambda: whole({**TABLE, "other": 1}), "other"),
        raised(lambda: whole({"age": 1.0}), "sex"),
        raised(lambda: called(spaces.integer_hashed(3, "int"), data), "it has dtype int64"),
        raised(lambda: called(spaces.feature("float32", layers.Identity(), "one_hot"), data),
               "Instead it returns a float32 dtype."),
        raised(lambda: called(spaces.feature("int64", layers.Identity(dtype="int64"), "one_hot"), data),
               "it isn't a standard feature"),
    )  # fmt: skip


@row
def shapes_after_adapt(tf):
    layers = tf.keras.layers
    data = np.arange(12, dtype="float32").reshape(6, 2)
    batches = tf.data.Dataset.from_tensor_slices(data)
    found = []
    for cls, options in ((layers.Normalization, {}), (layers.Discretization, {"num_bins": 2})):
        for given in (data, batches.batch(4), batches.batch(2, drop_remainder=True), data[:, None], tf.constant(data)):
            layer = cls(**options)
            layer.adapt(given)
            config = json.loads(json.dumps([layer.get_config(), layer.get_build_config()]))
            found.append([config, list(layer.get_config())])
    return found


@row
def adapted_layer_begins_a_sequential(tf):
    layers = tf.keras.layers
    normalization = layers.Normalization()
    normalization.adapt(np.arange(27, dtype="float32").reshape(3, 9))
    model = tf.keras.Sequential([normalization, layers.Dense(1, kernel_initializer="ones")])
    pictures = layers.Normalization()
    pictures.adapt(np.arange(48, dtype="float32").reshape(2, 2, 4, 3))
    other = tf.keras.Sequential([pictures, layers.Conv2D(2, 2)])
    whole = layers.Normalization(axis=None)
    whole.adapt(np.arange(6, dtype="float32").reshape(3, 2))
    unknown = lambda: tf.keras.Sequential([whole, layers.Dense(1)])  # noqa: E731
    return (
        model.built, model.output_shape, normalization.output_shape, model(np.ones((2, 9))), other.output_shape,
        pictures.output_shape, raised(unknown, "The last dimension of the inputs"),
    )  # fmt: skip
