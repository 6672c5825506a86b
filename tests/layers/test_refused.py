"""What of Keras is not there says so, and names the way round."""

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._package.missing import missing

layers = tf.keras.layers
ONES = np.ones((2, 3), np.float32)

REFUSED = {
    "tensor as an input": (lambda: tf.keras.Input(tensor=ONES), "give `shape` and `dtype`"),
    "batch renormalization": (lambda: layers.BatchNormalization(renorm=True), "tf.nn.moments"),
    "virtual batches": (lambda: layers.BatchNormalization(virtual_batch_size=2), "tf.nn.moments"),
    "random generators": (lambda: layers.Dropout(0.5, rng_type="stateless"), "use `seed`"),
    "runtime": (lambda: layers.GRU(2, return_runtime=True), "use a layer without it"),
    "metrics": (lambda: layers.Dense(1).add_metric(tf.keras.Input((1,)), name="m"), "in `call` of a layer"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_way_round(name):
    call, instead = REFUSED[name]
    with pytest.raises(tf.errors.UnimplementedError, match="not available in tfcompat") as error:
        call()
    assert instead in str(error.value)


@pytest.mark.parametrize(
    ("module", "name", "instead"),
    [
        (tf.keras.optimizers, "Nope", "a subclass of tf.keras.optimizers.Optimizer"),
        (tf.keras.losses, "Nope", "a loss of tf.nn"),
        (tf.keras.metrics, "Nope", "a subclass of tf.keras.metrics.Metric"),
        (layers, "RandomFourierFeatures", "a subclass of tf.keras.layers.Layer"),
        (tf.keras.backend, "nope", "the op of `tf`"),
        (tf.keras.models, "model_from_yaml", "model_from_json"),
        (tf.keras.regularizers, "nope", "a function from the weight to its loss"),
        (tf.keras.utils, "SidecarEvaluator", "model.evaluate"),
        (tf.keras, "estimator", "tf.keras.Model.fit"),
    ],
)
def test_missing_name(module, name, instead):
    with pytest.raises(AttributeError, match="is not available in tfcompat: use") as error:
        getattr(module, name)
    assert instead in str(error.value)
    assert not hasattr(module, name)


def test_missing_without_a_hint():
    find = missing("tf.foo", {"bar": "tf.baz"})
    with pytest.raises(AttributeError, match=r"^tf\.foo\.bar is not available in tfcompat: use tf\.baz$"):
        find("bar")
    with pytest.raises(AttributeError, match=r"^tf\.foo\.other is not available in tfcompat$"):
        find("other")
    with pytest.raises(AttributeError, match="has no attribute '__path__'"):
        find("__path__")


def test_a_failed_call_leaves_the_layer_usable():
    layer = layers.Dense(2, kernel_initializer="ones")
    layer(ONES)
    before = layer.get_weights()
    with pytest.raises(ValueError, match="expected axis -1"):
        layer(np.ones((2, 4), np.float32))
    with pytest.raises(TypeError):
        layer(ONES, nonsense=1)
    np.testing.assert_array_equal(layer(ONES).numpy(), 3 * np.ones((2, 2)))
    np.testing.assert_array_equal(layer.get_weights()[0], before[0])
    assert tf.Variable(1.0, name="v").name == "v:0"


def test_modules_are_importable():
    from tfcompat.keras.layers import Dense
    from tfcompat.keras.regularizers import L2

    assert Dense is layers.Dense
    assert L2 is tf.keras.regularizers.L2
