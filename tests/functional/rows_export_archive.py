"""`tf.keras.export.ExportArchive`: what is loaded from what it writes, and what it refuses."""

import re

from rows import printed, raised, row


def loaded(tf, archive, folder):
    archive.write_out(folder)
    return tf.saved_model.load(folder)


@row
def endpoints_of_a_model(tf, folder):
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(3,))])
    archive = tf.keras.export.ExportArchive()
    archive.track(model)
    archive.add_endpoint("call", model.call, [tf.TensorSpec([None, 3])])
    archive.add_endpoint("doubled", lambda x: 2.0 * model(x), [tf.TensorSpec([None, 3])])
    archive.add_variable_collection("weights", model.weights)
    result = loaded(tf, archive, folder)
    x = tf.ones([2, 3])
    return sorted(result.signatures), result.call(x), result.doubled(x), len(result.weights), [
        sorted(result.signatures[name].structured_input_signature[1]) for name in ("doubled", "serving_default")
    ]


@row
def endpoints_of_functions(tf, folder):
    module = tf.Module()
    module.w = tf.Variable([1.0, 2.0])
    called = tf.function(lambda x: x * module.w)
    called(tf.ones([2]))
    archive = tf.keras.export.ExportArchive()
    archive.track(module)
    archive.add_endpoint("scale", called)
    result = loaded(tf, archive, folder)
    return result.scale(tf.constant([3.0, 4.0]))


@row
def what_is_refused(tf, folder):
    archive = tf.keras.export.ExportArchive()
    spec = [tf.TensorSpec([])]
    empty = raised(lambda: archive.write_out(folder), "No endpoints have been set yet. Call add_endpoint()")
    archive.track(tf.Module())
    archive.add_endpoint("x", lambda x: x, spec)
    return [
        empty,
        raised(lambda: archive.add_endpoint("x", lambda x: x, spec), "Endpoint name 'x' is already taken."),
        raised(lambda: archive.add_endpoint("y", lambda x: x), "you must provide an `input_signature` argument"),
        raised(lambda: archive.add_endpoint("y", tf.function(lambda x: x)), "has never been called"),
        raised(lambda: archive.track(3), "Invalid resource type"),
        raised(lambda: archive.track(tf.keras.layers.Dense(1)), "The layer provided has not yet been built"),
        raised(lambda: archive.add_variable_collection("v", 3), "Expected `variables` to be a list/tuple/set"),
        raised(lambda: archive.add_variable_collection("v", [1]), "Expected all elements in `variables`"),
    ]


@row
def what_is_printed(tf, folder):
    """Where the model is, and what its endpoints take."""
    a, b = tf.keras.Input((2,), name="a"), tf.keras.Input((3,), name="b")
    p, q = tf.keras.layers.Dense(1)(a), tf.keras.layers.Dense(1)(b)
    archive = tf.keras.export.ExportArchive()
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    archive.track(model)
    archive.add_endpoint("serve", model.call, [tf.TensorSpec([None, 3])])
    calls = [
        lambda: model.export(folder),
        lambda: archive.write_out(folder),
        lambda: tf.keras.Model({"a": a, "b": b}, {"p": p, "q": q}).export(folder),
        lambda: tf.keras.Model([a, b], [p, q]).export(folder),
    ]
    texts = [printed(call).replace(folder, "FOLDER") for call in calls]
    return [re.sub(r"\d{10,}", "NUMBER", text) for text in texts]
