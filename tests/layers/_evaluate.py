"""What is looked at in one layer case, on tf_keras and on tfcompat alike."""

import numpy as np


def evaluate(case, tf):
    """Runs a case.

    Returns:
      (facts, arrays): facts is a dict of names, shapes and dtypes; arrays a dict of float64, float32 or
        integer
      NumPy arrays: the outputs, losses, weights after the calls, and derivatives with respect to the inputs
        and the
      trainable weights, of first and second order and in forward mode.
    """
    tf.keras.backend.clear_session()
    tf.random.set_seed(7)
    layer = case.make(tf)
    inputs = [tf.constant(case.array(f"input {i}", shape)) for i, shape in enumerate(case.shapes)]
    keywords = {} if case.training is None else {"training": case.training}

    def run():
        return layer(inputs[0] if len(inputs) == 1 else inputs, **keywords)

    run()
    layer.set_weights([_weight(case, w.name, w.shape) for w in layer.weights])
    tf.random.set_seed(7)
    for _ in range(case.calls - 1):
        run()
    facts = _facts(case, layer)
    outputs, arrays = _derivatives(case, layer, inputs, run, facts, tf)
    facts["output"] = f"{outputs.dtype.name}{outputs.shape.as_list()}"
    facts["losses"] = len(layer.losses)
    for i, loss in enumerate(layer.losses):
        arrays[f"loss {i}"] = loss.numpy()
    for i, weight in enumerate(layer.get_weights()):
        arrays[f"weight {i}"] = weight
    return facts, {name: _plain(array) for name, array in arrays.items()}


def _weight(case, name, shape):
    value = case.array(f"weight {name.rpartition('/')[2]} {shape}", shape, "float64") / case.scale
    return np.abs(value) + 0.1 if "variance" in name else value


def _facts(case, layer):
    batch_free = [(None, *shape[1:]) for shape in case.shapes]
    shape = layer.compute_output_shape(batch_free[0] if len(batch_free) == 1 else batch_free)
    return {
        "name": layer.name,
        "dtypes": [layer.dtype, layer.compute_dtype],
        "built": layer.built,
        "weights": [f"{w.name} {w.dtype.name}{w.shape.as_list()}" for w in layer.weights],
        "trainable": [w.name for w in layer.trainable_weights],
        "non_trainable": [w.name for w in layer.non_trainable_variables],
        "parameters": layer.count_params(),
        "compute_output_shape": [None if s is None else int(s) for s in tuple(shape)],
    }


def _derivatives(case, layer, inputs, run, facts, tf):
    """The outputs, and arrays of them and of derivatives."""
    inexact = [x for x in inputs if x.dtype.is_floating]
    state = layer.get_weights()
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(inexact)
        with tf.GradientTape() as tape:
            tape.watch(inexact)
            outputs = run()
        if not outputs.dtype.is_floating:
            return outputs, {"output": outputs.numpy()}
        cotangent = tf.constant(case.array("cotangent", outputs.shape.as_list(), "float64"))
        sources = [*inexact, *layer.trainable_weights]
        first = tape.gradient(outputs, sources, output_gradients=tf.cast(cotangent, outputs.dtype))
        first = [g if g is None else tf.convert_to_tensor(g) for g in first]
        total = case.order > 1 and sum(
            tf.reduce_sum(
                g * tf.cast(tf.constant(case.array(f"direction {i}", g.shape.as_list(), "float64")), g.dtype)
            )
            for i, g in enumerate(first)
            if g is not None and g.dtype == outputs.dtype
        )
    arrays = {"output": outputs.numpy()}
    try:
        second = outer.gradient(total, sources) if sources and tf.is_tensor(total) else []
    except LookupError as error:
        facts["second"], second = _reason(error), []
    for order, gradients in (("first", first), ("second", second)):
        for i, gradient in enumerate(gradients):
            if gradient is not None:
                arrays[f"{order} {i}"] = tf.convert_to_tensor(gradient).numpy()
    after = layer.get_weights()
    layer.set_weights(state)
    tf.random.set_seed(7)
    if case.order > 1 and inexact and not _draws_on(layer):
        tangents = [
            tf.cast(tf.constant(case.array(f"tangent {i}", x.shape.as_list(), "float64")), x.dtype)
            for i, x in enumerate(inexact)
        ]
        try:
            with tf.autodiff.ForwardAccumulator(inexact, tangents) as accumulator:
                again = run()
            jvp = accumulator.jvp(again)
            if jvp is not None:
                arrays["jvp"] = jvp.numpy()
        except LookupError as error:
            facts["jvp"] = _reason(error)
    layer.set_weights(after)
    return outputs, arrays


def _reason(error):
    """The line of a message that says which gradient is missing."""
    return next(line for line in str(error).splitlines() if "gradient registry" in line)


def _draws_on(layer):
    """Whether the layer draws other numbers at its next call."""
    return any(getattr(each, "seed", None) is not None for each in layer._flatten_layers())


def _plain(array):
    """An array of a dtype that .npz files hold."""
    array = np.asarray(array)
    return array.astype(np.float32) if array.dtype.name in ("bfloat16", "float16") else array
