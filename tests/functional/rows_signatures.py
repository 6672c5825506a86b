"""Rows: signatures of models that were saved, and exported models."""

import os

from rows import row


def small(tf):
    model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(2, name="d", kernel_initializer="ones")])
    model(tf.ones([1, 3]))
    return model


@row
def a_loaded_model_has_signatures(tf, np, folder):
    small(tf).save(os.path.join(folder, "m"), save_format="tf")
    model = tf.keras.models.load_model(os.path.join(folder, "m"))
    signature = model.signatures["serving_default"]
    specs = [spec.shape.as_list() for spec in signature.structured_input_signature[1].values()]
    return list(model.signatures), signature(tf.ones([2, 3])), specs, model(tf.ones([1, 3])), len(model.weights)


@row
def an_exported_model(tf, np, folder):
    small(tf).export(os.path.join(folder, "m"))
    model = tf.saved_model.load(os.path.join(folder, "m"))
    served = model.signatures["serving_default"](tf.ones([1, 3]))
    return sorted(model.signatures), model.serve(tf.ones([2, 3])), list(served.values()), len(model.variables)
