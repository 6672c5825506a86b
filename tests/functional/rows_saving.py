"""Rows: configurations, JSON, clones, and the files of models and weights."""

import copy
import io
import json
import os
import pickle
import tempfile
import zipfile

import numpy as np
from rows import names, ones, raised, row, row_for
from training._cases import random

from .rows_functional import X, Y


def dense(tf, units=3, name=None, **options):
    return tf.keras.layers.Dense(units, name=name, **options)


def settled(model):
    """The model with weights that are the same everywhere."""
    shapes = [weight.shape for weight in model.get_weights()]
    model.set_weights([random(f"{i} {shape}", shape, low=-0.5, high=0.5) for i, shape in enumerate(shapes)])
    return model


def network(tf):
    """A model with a shared layer, operators on tensors, and models inside; compiled."""
    layers = tf.keras.layers
    a = tf.keras.Input((4,), name="a")
    shared = dense(tf, 4, "shared", activation="tanh")
    x = layers.BatchNormalization(name="norm")(shared(shared(a)))
    stack = tf.keras.Sequential([dense(tf, 3, "in_stack"), layers.Dropout(0.5, name="drop"), dense(tf, 3, "out")],
                                name="stack")  # fmt: skip
    inputs = tf.keras.Input((4,), name="inputs")
    inner = tf.keras.Model(inputs, [dense(tf, 3, "one")(inputs), dense(tf, 4, "two")(inputs)], name="inner")
    one, two = inner(a)
    model = tf.keras.Model(a, stack(x) + one * 2.0 - two[:, 1:], name="network")
    model.compile(tf.keras.optimizers.Adam(0.01), "mse", metrics=["mae", tf.keras.metrics.MeanSquaredError()])
    return settled(model)


def tree(group, path=""):
    """What is in an HDF5 group: names, shapes, dtypes, attributes."""
    found = []
    for key in sorted(group):
        item = group[key]
        if hasattr(item, "shape"):
            found.append([f"{path}/{key}", list(item.shape), str(item.dtype)])
        else:
            attributes = {name: [text(x) for x in np.ravel(item.attrs[name])] for name in sorted(item.attrs)}
            found += [[f"{path}/{key}", attributes], *tree(item, f"{path}/{key}")]
    return found


def text(x):
    return x.decode() if isinstance(x, bytes) else str(x)


def without_numbers(config):
    """A configuration without what is another number each time."""
    if isinstance(config, dict):
        return {key: without_numbers(value) for key, value in config.items() if key != "shared_object_id"}
    return [without_numbers(value) for value in config] if isinstance(config, list) else config


def in_folder(function):
    with tempfile.TemporaryDirectory() as folder:
        return function(folder + os.sep)


@row
def configurations(tf):
    model = network(tf)
    config = model.get_config()
    again = type(model).from_config(config)
    plain = without_numbers(json.loads(json.dumps(config)))
    return plain, names(again.layers), names(again.weights), again.output_shape, again.name



@row
def clones(tf):
    model = network(tf)
    made = []

    def clone(layer):
        made.append(layer.name)
        return type(layer).from_config(layer.get_config())

    clone_model = tf.keras.models.clone_model
    other = clone_model(model)
    other.set_weights(model.get_weights())
    new = clone_model(model, input_tensors=tf.keras.Input((4,), name="new"), clone_function=clone)
    same = clone_model(model, clone_function=lambda layer: layer)
    stack = clone_model(model.get_layer("stack"))
    deferred = clone_model(tf.keras.Sequential([dense(tf, 2)]))
    return [
        other(X), names(new.layers), made, names(stack.layers), stack.input_shape, stack.built,
        deferred.built, new.name, [a is b for a, b in zip(model.layers, other.layers, strict=True)],
        same.layers[1] is model.layers[1], clone_model(dense(tf, 7)).units,
    ]  # fmt: skip


@row
def clones_with_functions(tf):
    layers = tf.keras.layers
    inputs = tf.keras.Input((3,))
    x = layers.Lambda(lambda x: tf.sin(x), name="named")(inputs)
    model = tf.keras.Model(inputs, layers.Lambda(lambda x, by: x * by, arguments={"by": 2.0}, name="unnamed")(x))
    stack = tf.keras.Sequential([tf.keras.Input((1, 3)), layers.TimeDistributed(layers.Lambda(lambda x: x + 1))])
    masking = layers.Lambda(lambda x: tf.cos(x), mask=lambda inputs, mask: inputs[..., 0] > 0)
    return [
        tf.keras.models.clone_model(model)(X[:, :3]), tf.keras.models.clone_model(stack)(X[:, None, :3]),
        layers.Lambda.from_config(model.get_layer("unnamed").get_config())(X),
        layers.Lambda.from_config(masking.get_config()).compute_mask(X),
    ]  # fmt: skip


@row
def json_text(tf):
    inputs = tf.keras.Input((4,), name="x")
    layer = tf.keras.layers.Dense(3, activation="relu", name="d", kernel_regularizer="l2")
    model = tf.keras.Model(inputs, {"out": layer(inputs)[:, 0] + 1.0}, name="m")
    stack = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(4,), name="first")], name="s")
    found = []
    for each in (model, stack):
        text = each.to_json()
        again = tf.keras.models.model_from_json(text)
        found += [json.loads(text), names(again.weights), again.output_shape, again.to_json() == text]
    return found


@row
def compile_configurations(tf):
    keras = tf.keras
    model = keras.Sequential([dense(tf, 2, "d")])
    found = [model.get_compile_config()]
    model.compile("adam", "mse", metrics=["mae"])
    found.append(model.get_compile_config())
    rate = keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)
    model.compile(keras.optimizers.SGD(rate, momentum=0.9), keras.losses.Huber(0.5), loss_weights=[2.0],
                  metrics=[keras.metrics.MeanAbsoluteError(), "accuracy"])  # fmt: skip
    found.append(json.loads(json.dumps(model.get_compile_config())))
    other = keras.Sequential([dense(tf, 2)])
    other.build((None, 4))
    other.compile_from_config(json.loads(json.dumps(found[-1])))
    return found, len(other.optimizer.variables), type(other.optimizer).__name__, type(other.loss).__name__


@row
def whole_models_in_files(tf):
    import h5py

    model = network(tf)
    model.fit(X, Y, batch_size=3, epochs=1, verbose=0, shuffle=False)

    def through(folder):
        found = []
        for name in ("model.keras", "model.h5"):
            model.save(folder + name)
            again = tf.keras.models.load_model(folder + name)
            found += [
                again(X), names(again.weights), int(again.optimizer.iterations), type(again).__name__,
                float(again.optimizer.learning_rate), again.optimizer.variables[1:],
                tf.keras.models.load_model(folder + name, compile=False).optimizer,
            ]  # fmt: skip
        found += again.evaluate(X, Y, verbose=0), again.metrics_names
        with zipfile.ZipFile(folder + "model.keras") as archive:
            found.append(archive.namelist())
            config = json.loads(archive.read("config.json"))
            found.append([config["class_name"], config["registered_name"], config["module"], config["compile_config"]])
            with h5py.File(io.BytesIO(archive.read("model.weights.h5"))) as file:
                found.append(tree(file))
        with h5py.File(folder + "model.h5") as file:
            found += [tree(file), sorted(file.attrs)]
        return found

    return in_folder(through)


@row_for(ending=["", ".keras"])
def a_loaded_model_and_another_one_are_trained(tf, ending):
    """The optimizer of the first one goes on from where it is, when that of the second one is built."""
    def network():
        model = settled(tf.keras.Sequential([tf.keras.Input((4,)), dense(tf, 3, "d")]))
        model.compile("adam", "mse")
        return model

    def fit(model):
        model.fit(X, Y[:, :3], batch_size=3, verbose=0, shuffle=False)

    def through(folder):
        model, second = network(), network()
        fit(model)
        model.save(folder + "model" + ending)
        first = tf.keras.models.load_model(folder + "model" + ending)
        bare = tf.keras.models.load_model(folder + "model" + ending, compile=False)
        bare.compile("adam", "mse")
        fit(first)
        before = [v.numpy() for v in first.optimizer.variables]
        fit(second)
        fit(bare)
        after = [v.numpy() for v in first.optimizer.variables]
        return [(a == b).all() for a, b in zip(before, after, strict=True)], bare.optimizer.iterations.numpy()

    return in_folder(through)


@row
def names_of_metrics_of_several_outputs(tf):
    a = tf.keras.Input((4,), name="a")
    model = settled(tf.keras.Model(a, [dense(tf, 1, "y")(a), dense(tf, 2, "z")(a)]))
    model.compile("sgd", {"y": "mae", "z": "mse"}, metrics={"y": ["mse"], "z": [tf.keras.metrics.MeanSquaredError()]})
    targets = [Y[:, :1], Y[:, :2]]

    def through(folder):
        before = model.evaluate(X, targets, verbose=0)
        model.save(folder + "model.h5")
        again = tf.keras.models.load_model(folder + "model.h5")
        return before, model.metrics_names, again.evaluate(X, targets, verbose=0), again.metrics_names

    return in_folder(through)


@row
def weights_in_files(tf):
    import h5py

    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.one = dense(tf, 2)
            self.many = [dense(tf, 2), dense(tf, 3), tf.keras.layers.ReLU()]
            self.by_name = {"z": dense(tf, 1), "y": tf.keras.layers.LayerNormalization()}
            self.scale = tf.Variable(2.0, name="scale")

        def call(self, x):
            x = self.one(x)
            for layer in self.many:
                x = layer(x)
            return self.by_name["z"](self.by_name["y"](x)) * self.scale

    def through(folder):
        found = []
        tf.keras.utils.set_random_seed(1)
        stack = tf.keras.Sequential([dense(tf, 3, "a"), tf.keras.layers.ReLU(name="r"), dense(tf, 2, "b")])
        for model in (Own(), stack):
            model(X)
            before = model.get_weights()
            for name in ("w.weights.h5", "w.h5"):
                model.save_weights(folder + name)
                with h5py.File(folder + name) as file:
                    found.append(tree(file))
                model.set_weights([0 * w for w in before])
                model.load_weights(folder + name)
                found.append(all((a == b).all() for a, b in zip(before, model.get_weights(), strict=True)))
        other = tf.keras.Sequential([dense(tf, 2, "b"), dense(tf, 3, "other")])
        other(ones(2, 3))
        stack.save_weights(folder + "w.h5")
        before = stack.get_weights()
        other.load_weights(folder + "w.h5", by_name=True)
        wider = tf.keras.Sequential([dense(tf, 4, "a"), dense(tf, 2, "b")])
        wider(X)
        fresh, short = Own(), tf.keras.Sequential([dense(tf, 3, "a")])
        short(X)
        return [
            found,
            (other.layers[0].kernel.numpy() == stack.layers[2].kernel.numpy()).all(),
            raised(lambda: wider.load_weights(folder + "w.h5"), "a", "(4, 4)"),
            raised(lambda: wider.load_weights(folder + "w.h5", by_name=True), "Shape mismatch in layer #0 (named a)"),
            raised(lambda: other.load_weights(folder + "x.h5")),
            raised(lambda: tf.keras.Sequential([dense(tf)]).save_weights(folder + "n.h5"), "have not yet been created"),
            raised(lambda: fresh.load_weights(folder + "w.h5"), "has not created its variables"),
            raised(lambda: stack.load_weights(folder + "w.h5", skip_mismatch=True), "when by_name is True"),
            raised(lambda: short.load_weights(folder + "w.h5"), "Layer count mismatch"),
            raised(lambda: stack.save_weights(folder + "w", save_format="what"), "Unknown format"),
        ]

    return in_folder(through)


@row
def own_classes_in_files(tf):
    keras = tf.keras

    @keras.utils.register_keras_serializable("tests")
    class Scale(keras.layers.Layer):
        def __init__(self, factor, **options):
            super().__init__(**options)
            self.factor = factor

        def build(self, shape):
            self.w = self.add_weight(name="w", shape=shape[-1:], initializer="ones")

        def call(self, x, extra=0.0):
            return x * self.w * self.factor + extra

        def get_config(self):
            return {**super().get_config(), "factor": self.factor}

    class Twice(keras.layers.Layer):
        def call(self, x):
            return 2.0 * x

    def difference(y, found):
        return tf.reduce_mean(tf.abs(y - found), axis=-1)

    inputs = keras.Input((4,), name="x")
    model = keras.Model(inputs, Twice(name="twice")(Scale(3.0, name="scale")(inputs, extra=1.0)))
    model.compile("sgd", difference)
    model.layers[1].w.assign([1.0, 2.0, 3.0, 4.0])

    def through(folder):
        model.save(folder + "m.keras")
        known = {"Twice": Twice, "difference": difference}
        again = keras.models.load_model(folder + "m.keras", custom_objects=known)
        with keras.utils.custom_object_scope(known):
            other = keras.models.load_model(folder + "m.keras")
        return [
            again(X), other(X), again.evaluate(X, X, verbose=0), type(again.layers[1]).__name__,
            keras.models.model_from_json(model.to_json(), known).layers[1].factor,
        ]  # fmt: skip

    return in_folder(through)


@row
def what_is_no_model_file(tf):
    def through(folder):
        path = folder + "bad"
        for ending in (".keras", ".h5"):
            with open(path + ending, "w", encoding="utf-8") as file:
                file.write("neither")
        model = network(tf)
        load, save = tf.keras.models.load_model, tf.keras.models.save_model
        return [
            raised(lambda: load(folder + "nothing.keras"), "No file or directory found at"),
            raised(lambda: load(folder + "nothing.h5"), "No file or directory found at"),
            raised(lambda: load(path + ".keras")),
            raised(lambda: load(path + ".h5")),
            raised(lambda: model.load_weights(path + ".h5")),
            raised(lambda: save(model, folder + "m.h5", save_format="keras"), "expected a `.keras` extension"),
            raised(lambda: save(model, folder + "m", save_format="what"), "Unknown `save_format` argument."),
            raised(lambda: tf.keras.models.model_from_config([]), "expects a dictionary, not a list."),
        ]

    return in_folder(through)


@row
def order_in_configurations(tf):
    layers = tf.keras.layers
    made = (
        layers.RandomFlip(), layers.RandomRotation(0.1), layers.RandomTranslation(0.1, 0.2), layers.RandomZoom(0.1),
        layers.RandomContrast(0.1), layers.RandomBrightness(0.1), layers.RandomCrop(2, 3), layers.RandomHeight(0.1),
        layers.RandomWidth(0.1),
    )  # fmt: skip
    return [[list(layer.get_config()), json.loads(json.dumps(layer.get_config()))] for layer in made]


@row
def model_without_call(tf):
    class Empty(tf.keras.Model):
        pass

    message = (
        "Unimplemented `tf.keras.Model.call()`: if you intend to create a `Model` with the Functional API, please "
        "provide `inputs` and `outputs` arguments. Otherwise, subclass `Model` with an overridden `call()` method."
    )
    return raised(lambda: Empty()(ones(2, 2)), message), raised(lambda: Empty().predict(ones(2, 2), verbose=0), message)


@row
def layer_that_forgets_it_is_built(tf):
    """A layer whose `build` is run twice makes its weights twice: how often it is run, and what is in the file."""
    import h5py

    shapes = []

    class Scale(tf.keras.layers.Layer):
        def build(self, input_shape):
            shapes.append(list(input_shape))
            self.scale = self.add_weight(name="scale", shape=(input_shape[-1],))

        def call(self, inputs):
            return inputs * self.scale

    def through(folder):
        found = {}
        inputs = tf.keras.Input((3,), name="x")
        stack = tf.keras.Sequential([Scale(input_shape=(3,), name="s"), dense(tf, 2, "d")], name="stack")
        for model in (stack, tf.keras.Model(inputs, stack(Scale(name="s")(inputs)), name="net")):
            config = model.get_config()
            shapes.clear()
            built = type(model).from_config(config, {"Scale": Scale})
            found[model.name] = [len(built.weights), list(shapes)]
            for ending in ("keras", "h5"):
                model.save(f"{folder}m.{ending}")
                shapes.clear()
                built = tf.keras.models.load_model(f"{folder}m.{ending}", {"Scale": Scale})
                found[f"{model.name} {ending}"] = [len(built.weights), list(shapes)]
            with h5py.File(folder + "m.h5") as file:
                found[f"{model.name} config"] = json.loads(text(file.attrs["model_config"]))
        return found

    return in_folder(through)


@row
def configurations_changed(tf):
    """Layers of other sizes, and layers put in between: Keras's own layers forget what shape they were built for."""
    model = tf.keras.Sequential([dense(tf, 4, "a", input_shape=(3,)), dense(tf, 2, "b")])
    between, wider = model.get_config(), model.get_config()
    reshape = {"target_shape": (3, 1), "name": "r"}
    between["layers"].insert(1, {"module": "keras.layers", "class_name": "Reshape", "config": reshape,
                                 "registered_name": None})  # fmt: skip
    wider["layers"].insert(2, {"class_name": "Dense", "config": {"units": 7, "name": "r"}})
    found = []
    for config in (between, wider):
        changed = tf.keras.Sequential.from_config(config)
        found.append([list(changed.output_shape), [list(weight.shape) for weight in changed.get_weights()]])
    found.append(tf.keras.layers.serialize(model.layers[0], use_legacy_format=True)["class_name"])
    config = tf.keras.layers.serialize(model.layers[0])
    found += [tf.keras.layers.deserialize(config).built, tf.keras.utils.deserialize_keras_object(config).built]
    return found


@row
def names_in_hdf5_files(tf):
    """They are text, as h5py reads them."""
    import h5py

    model = tf.keras.Sequential([dense(tf, 2, "d", input_shape=(3,))])
    model.compile("adam", "mse")
    model.fit(X[:, :3], X[:, :2], verbose=0)

    def through(folder):
        model.save(folder + "m.h5")
        with h5py.File(folder + "m.h5") as file:
            groups = file["optimizer_weights"], file["model_weights/d"]
            return [[[type(name).__name__, name] for name in group.attrs["weight_names"]] for group in groups]

    return in_folder(through)


@row
def arguments_that_are_not_understood(tf):
    found = []
    for make in (tf.keras.layers.Dense, tf.keras.layers.InputLayer):
        try:
            make(2, foo=1)
        except (TypeError, ValueError) as error:
            found.append([type(error).__name__, list(error.args) if len(error.args) > 1 else 1])
    return found


@row_for(how=["copy", "deepcopy", "pickle"])
def copied(tf, np, how):
    copies = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda x: pickle.loads(pickle.dumps(x))}
    model = tf.keras.Sequential([dense(tf, 2, "one"), dense(tf, 1, "two")])
    model.compile(tf.keras.optimizers.Adam(0.1), "mse", metrics=["mae"])
    x, y = np.float32([[1, 2, 3], [2, 1, 0]]), np.float32([[1], [0]])
    model(x)
    settled(model)
    model.fit(x, y, verbose=0)
    other = copies[how](model)
    before = other(x)
    model.fit(x, y, verbose=0)
    shared = [a is b for a, b in zip(model.weights, other.weights, strict=True)]
    several = network(tf)
    again = copies[how](several)
    inputs = [np.ones([1, *x.shape[1:]], np.float32) for x in several.inputs]
    return type(other).__name__, other.name, before, other(x), model(x), shared, several(inputs), again(inputs)


@row_for(kind=["subclass", "own layer in a functional model"])
def a_model_of_own_classes_in_a_folder(tf, folder, kind):
    class Double(tf.keras.layers.Layer):
        def build(self, shape):
            self.w = self.add_weight("w", shape[-1:], initializer="ones")

        def call(self, inputs):
            return inputs * self.w * 2.0

    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__(name="own")
            self.double, self.out = Double(), dense(tf, 2)

        def call(self, inputs, training=False):
            return self.out(self.double(inputs)) + (1.0 if training else 0.0)

    inputs = tf.keras.Input((4,))
    model = Own() if kind == "subclass" else tf.keras.Model(inputs, dense(tf, 2)(Double()(inputs)), name="own")
    model(X)
    settled(model).save(folder, save_format="tf")
    loaded = tf.keras.models.load_model(folder)
    other = Own() if kind == "subclass" else tf.keras.Model(inputs, dense(tf, 2)(Double()(inputs)))
    other(X)
    other.load_weights(folder)
    loaded.compile(tf.keras.optimizers.legacy.SGD(0.1), "mse")
    loss = loaded.train_on_batch(X, np.ones((len(X), 2), np.float32))
    return isinstance(loaded, tf.keras.Model), loss, loaded(X), other(X)


@row
def weights_are_read_by_what_is_in_the_file(tf, folder):
    model = settled(tf.keras.Sequential([tf.keras.Input((4,)), dense(tf, 2)]))
    path = os.path.join(folder, "weights")
    model.save_weights(path, save_format="h5")
    other = tf.keras.Sequential([tf.keras.Input((4,)), dense(tf, 2)])
    other.load_weights(path)
    return other(X)


@row_for(kind=["functional", "sequential", "subclass", "not called"])
def a_keras_model_of_tf_saved_model(tf, folder, kind):
    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.out = dense(tf, 2)

        def call(self, inputs, training=False):
            return self.out(inputs) + (1.0 if training else 0.0)

        @tf.function(input_signature=[tf.TensorSpec([None, 4])])
        def twice(self, x):
            return 2.0 * self(x)

    inputs = tf.keras.Input((4,), name="given")
    model = {
        "functional": lambda: tf.keras.Model(inputs, dense(tf, 2, "taken")(inputs)),
        "sequential": lambda: tf.keras.Sequential([inputs, dense(tf, 2, "last")]),
    }.get(kind, Own)()
    if kind != "not called":
        model(X)
        settled(model)
    tf.saved_model.save(model, folder)
    loaded = tf.saved_model.load(folder)
    if kind == "not called":
        return list(loaded.signatures)
    signature = loaded.signatures["serving_default"]
    own = loaded.twice(X) if kind == "subclass" else ()
    named = signature(**dict.fromkeys(signature.structured_input_signature[1], tf.constant(X)))
    return named, loaded(X), loaded(X, training=True), len(loaded.trainable_variables), own


@row
def files_of_weights_with_other_layers(tf, folder):
    path = os.path.join(folder, "a.keras")
    model = settled(tf.keras.Sequential([tf.keras.Input((4,)), dense(tf, 3), dense(tf, 2)]))
    model.save(path)
    other = tf.keras.Sequential([tf.keras.Input((4,)), dense(tf, 3), dense(tf, 1, kernel_initializer="ones")])
    refused = raised(lambda: other.load_weights(path))
    other.load_weights(path, skip_mismatch=True)
    return refused, other(X)


@row
def moments_of_a_normalization_are_loaded(tf, folder):
    layers = [tf.keras.layers.Normalization() for _ in range(2)]
    layers[0].adapt(X)
    first, second = (tf.keras.Sequential([tf.keras.Input((4,)), layer]) for layer in layers)
    first.save_weights(os.path.join(folder, "weights"), save_format="tf")
    second.load_weights(os.path.join(folder, "weights"))
    return second(X)


@row
def lists_and_files_that_preprocessing_layers_refuse(tf, folder):
    path = os.path.join(folder, "words")
    with open(path, "w") as file:
        file.write("earth\nwind\nearth\n")
    return (
        raised(lambda: tf.keras.layers.StringLookup(vocabulary=path), "HashTable has different value for same key"),
        raised(lambda: tf.keras.layers.Normalization()([1, 2, 3]), "Normalization only accepts a single input"),
    )


@row
def a_model_whose_class_is_not_known_has_its_weights_and_functions(tf, folder):
    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__(name="own")
            self._scale = self.add_weight("scale", [4], initializer="ones")
            self.parts, self.by_name = [tf.Variable(2.0)], {"a": tf.Variable(3.0)}
            self.other_scale = self._scale

        @tf.function(input_signature=[tf.TensorSpec([])])
        def scaled(self, x):
            return self._scale * x

        def call(self, inputs):
            return inputs * self._scale * self.parts[0] * self.by_name["a"]

    model = Own()
    model(X)
    model.save(folder + "/model", save_format="tf")
    loaded = tf.keras.models.load_model(folder + "/model")
    model.save_weights(folder + "/weights")
    stored = tf.train.list_variables(folder + "/weights")
    weights = [tf.convert_to_tensor(x) for x in (loaded._scale, loaded.parts[0], loaded.by_name["a"])]
    return loaded(X), loaded.scaled(2.0), weights, stored


@row
def folders_with_losses_of_the_program(tf, folder):
    class Own(tf.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return tf.reduce_mean(y_pred, -1)

    model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2, kernel_initializer="ones")])
    model.compile("sgd", Own())
    model.fit(X, np.ones((len(X), 2)), verbose=0)
    model.save(folder, save_format="tf")
    loaded = tf.keras.models.load_model(folder, custom_objects={"Own": Own})
    return loaded.evaluate(X, np.ones((len(X), 2)), verbose=0), type(loaded.loss).__name__
