"""Of `tf.keras.utils`: where messages go, inputs of models, embeddings of new vocabularies."""

import contextlib
import io
import logging
import os

import numpy as np
from rows import raised, row

from ._elements import plain


@row
def messages_in_the_log(tf, folder):
    """Lines of progress hold times; their first words do not."""
    utils = tf.keras.utils
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))], name="m")
    model.compile("sgd", "mse")
    x = np.ones([4, 2], "float32")
    written, logged, log = io.StringIO(), [], logging.getLogger("absl")
    handler, level = logging.Handler(), log.level
    handler.emit = lambda record: logged.append(record.getMessage())
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    found = [utils.is_interactive_logging_enabled()]
    utils.disable_interactive_logging()
    try:
        with contextlib.redirect_stdout(written):
            model.fit(x, x[:, :1], epochs=2)
            model.summary()
        found.append(utils.is_interactive_logging_enabled())
    finally:
        utils.enable_interactive_logging()
        log.removeHandler(handler)
        log.setLevel(level)
    told = [line[:6] for message in logged for line in message.split("\n") if "==" not in line and "__" not in line]
    return found, utils.is_interactive_logging_enabled(), written.getvalue(), told


@row
def inputs_of_models(tf, folder):
    a, b, c = (tf.keras.Input((2,), name=name) for name in "abc")
    layer = tf.keras.layers.Dense(2)
    x = layer(b)
    for _ in range(3):
        x = tf.keras.layers.add([x, x])
    y = tf.keras.layers.concatenate([tf.keras.layers.ReLU()(c), x, a, layer(a)])
    inputs = tf.keras.utils.get_source_inputs
    return [
        [t.name for t in inputs(y)],
        [t.name for t in inputs(layer(a) * 2.0 + 1.0)],
        [t.name for t in inputs(x)],
        inputs(a)[0] is a,
        [t.name for t in inputs(y, layer, 1)],
        inputs(3),
    ]


@row
def embeddings_of_a_new_vocabulary(tf, folder):
    warm = tf.keras.utils.warmstart_embedding_matrix
    path = os.path.join(folder, "words.txt")
    with open(path, "w") as file:
        file.write("a\nnew\nb\n")
    with open(os.path.join(folder, "empty.txt"), "w"):
        pass
    old, ones = np.arange(8, dtype="float32").reshape(4, 2), tf.keras.initializers.Constant(9.0)
    return [
        plain(warm(["unk", "a", "b", "c"], ["unk", "unk", "a", "c", "d"], old, ones).numpy()),
        plain(warm(tf.constant(["x", "b", "a", "y"]), tf.constant(["a", "b"]), tf.constant(old), ones).numpy()),
        plain(warm(np.array(["x", "b", "a", "y"]), path, old, "zeros").numpy()),
        plain(warm(("p", "q", "r", "s"), ("t",), old, "ones").numpy()),
        warm(("p", "q", "r", "s"), ("t", "u"), old).shape.as_list(),
        raised(lambda: warm([], ["a"], old), "at least one token"),
        raised(lambda: warm(["a"], os.path.join(folder, "empty.txt"), old), "at least one token"),
        raised(lambda: warm(["a"], os.path.join(folder, "none"), old), "does not exist."),
        raised(lambda: warm(["a"], 3, old), "Vocabulary is expected to be either a NumPy array, list"),
    ]
