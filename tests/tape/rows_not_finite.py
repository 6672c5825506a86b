"""What is not finite stays so in products with masks, and in gradients of units that are not active."""

from rows import row, row_for

PLACES = ("eager", "function")


@row_for(where=PLACES)
def products_with_masks(tf, np, where):
    def f(x, probabilities, labels):
        mask = tf.cast(x > 0.0, tf.float32)
        return (
            tf.math.log(x) * mask, x / x * mask, tf.cast(x > 0.0, tf.complex64) * tf.cast(1.0 / x, tf.complex64),
            tf.reduce_sum(tf.one_hot(labels, 3) * tf.math.log(probabilities), 1),
            tf.sequence_mask(labels, 3, tf.float32) / probabilities,
        )  # fmt: skip

    f = tf.function(f) if where == "function" else f
    return f(tf.constant([0.0, 2.0]), tf.constant([[0.0, 0.5, 1.0]]), tf.constant([1, 2]))


@row_for(name=("relu", "relu6", "crelu", "leaky_relu", "elu", "selu", "keras relu", "keras max", "layer"))
def gradients_of_units_that_are_not_active(tf, np, name):
    functions = {
        "keras relu": tf.keras.activations.relu,
        "keras max": lambda x: tf.keras.activations.relu(x, max_value=3.0),
        "layer": tf.keras.layers.ReLU(),
    }
    unit = functions[name] if name in functions else getattr(tf.nn, name)
    x = tf.constant([-1.0, 0.0, 2.0, 7.0, float("nan")])
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = unit(x)
            root = tf.sqrt(y)
        first = tape.gradient(root, x)
    infinite = tape.gradient(y, x, output_gradients=tf.fill(tf.shape(y), float("inf")))
    return y, first, infinite, outer.gradient(first, x), tape.gradient(y, x)


@row
def nearest_crops(tf, np):
    image = tf.reshape(tf.range(16.0), [1, 4, 4, 1]) ** 2
    boxes = tf.constant([[0.1, 0.2, 0.7, 0.9]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([image, boxes])
        y = tf.reduce_sum(tf.image.crop_and_resize(image, boxes, [0], [2, 2], method="nearest"))
    return y, tape.gradient(y, boxes), tape.gradient(y, image)


@row
def signs_of_zeros(tf, np):
    x = tf.constant([-0.0, 0.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        size = tf.abs(x)
    return 1.0 / tf.sign(x), 1.0 / tape.gradient(size, x), 1.0 / tf.function(tf.sign)(x)


@row_for(name=("zeta", "polygamma", "igamma", "igammac"))
def edges_of_special_functions(tf, np, name):
    edges, is_gamma = [0.0, -1.0, 1.0, 2.0, 3.0, 0.5, 3.5, 1e30, float("inf"), float("nan")], "gamma" in name[:6]
    pairs = [(a, b) for a in edges for b in edges if a < 1e10 or b > 1.0 and not is_gamma]
    x, y = tf.constant([a for a, _ in pairs]), tf.constant([b for _, b in pairs])
    return getattr(tf.math, name)(x if name != "polygamma" else tf.minimum(x, 5.0), y)
