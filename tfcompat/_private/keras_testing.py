"""tensorflow/python/keras/testing_utils.py, and `keras.src.testing_infra.test_utils` of Keras 2: `layer_test`."""
import inspect as _inspect

import numpy as _np

import tfcompat as _tf


def numeric_test(actual, expected):
    """Raises where numbers differ."""
    _np.testing.assert_allclose(actual, expected, rtol=1e-3, atol=1e-6)


def string_test(actual, expected):
    """Raises where texts differ."""
    _np.testing.assert_array_equal(actual, expected)


def get_test_data(train_samples, test_samples, input_shape, num_classes, random_seed=None):
    """Random data to learn from: `(x_train, y_train), (x_test, y_test)`, NumPy arrays."""
    if random_seed is not None:
        _np.random.seed(random_seed)
    count = train_samples + test_samples
    templates = 2 * num_classes * _np.random.random((num_classes, *input_shape))
    y = _np.random.randint(0, num_classes, size=(count,))
    x = _np.zeros((count, *input_shape), dtype=_np.float32)
    for i in range(count):
        x[i] = templates[y[i]] + _np.random.normal(loc=0, scale=1.0, size=input_shape)
    return (x[:train_samples], y[:train_samples]), (x[train_samples:], y[train_samples:])


def _random_data(shape, dtype):
    sizes = [_np.random.randint(1, 4) if size is None else size for size in shape]
    data = 10 * _np.random.random(sizes)
    return (data - 0.5 if dtype[:5] == "float" else data).astype(dtype)


def _assert_shape(shape, expected, about):
    if len(shape) != len(expected) or any(b is not None and a != b for a, b in zip(shape, expected, strict=True)):
        raise AssertionError(f"{about} found output_shape={tuple(shape)} but expected to find {tuple(expected)}.")


def _assert_recovered(model, data, custom_objects, output, assert_equal):
    """A model made of the configuration and the weights of another computes the same."""
    recovered = type(model).from_config(model.get_config(), custom_objects)
    if model.weights:
        recovered.set_weights(model.get_weights())
        assert_equal(recovered.predict(data), output)


def layer_test(layer_cls, kwargs=None, input_shape=None, input_dtype=None, input_data=None, expected_output=None,
               expected_output_dtype=None, expected_output_shape=None, validate_training=True, adapt_data=None,
               custom_objects=None, test_harness=None, supports_masking=None):  # fmt: skip
    """Tests a layer of one input and one output: its shapes, dtypes, configuration and weights, in models.

    Args:
      layer_cls, kwargs: the layer's class, and what its instance is made with.
      input_shape, input_dtype, input_data: the input; random where no data is given.
      expected_output, expected_output_dtype, expected_output_shape: what it should compute.
      validate_training: bool, whether a model of the layer is trained for a step.
      adapt_data: data for the layer's `adapt`.
      custom_objects: dict of classes by name, for the configuration.
      test_harness: a `tf.test.TestCase` whose assertions compare.
      supports_masking: what the layer's attribute of that name should be.

    Returns:
      What a model of the layer computes, a NumPy array.

    Raises:
      AssertionError: something is not as expected.
      ValueError: neither data nor shape.
    """
    if input_data is None:
        if input_shape is None:
            raise ValueError("input_shape is None")
        input_dtype = input_dtype or "float32"
        input_data = _random_data(input_shape, input_dtype)
    input_shape = input_data.shape if input_shape is None else input_shape
    input_dtype = input_dtype or input_data.dtype
    expected_output_dtype = expected_output_dtype or input_dtype
    is_text = _tf.as_dtype(expected_output_dtype) == _tf.string
    if test_harness:
        assert_equal = test_harness.assertAllEqual if is_text else test_harness.assertAllClose
    else:
        assert_equal = string_test if is_text else numeric_test
    kwargs = kwargs or {}
    about = f"When testing layer {layer_cls.__name__} with {kwargs},"

    layer = layer_cls(**kwargs)
    if supports_masking not in (None, layer.supports_masking):
        raise AssertionError(f"{about} `supports_masking` is {layer.supports_masking}, expected {supports_masking}.")
    if adapt_data is not None:
        layer.adapt(adapt_data)
    weights = layer.get_weights()
    layer.set_weights(weights)
    if "weights" in _inspect.signature(layer_cls.__init__).parameters:
        layer = layer_cls(**{**kwargs, "weights": weights})

    x = _tf.keras.layers.Input(shape=input_shape[1:], dtype=input_dtype)
    y = layer(x)
    if _tf.as_dtype(y.dtype) != _tf.as_dtype(expected_output_dtype):
        raise AssertionError(f"{about} found output dtype={y.dtype} but expected to find {expected_output_dtype}.")
    if expected_output_shape is not None:
        _assert_shape(y.shape, _tf.TensorShape(expected_output_shape).as_list(), about)
    model = _tf.keras.Model(x, y)
    computed_shape = _tf.TensorShape(layer.compute_output_shape(_tf.TensorShape(input_shape))).as_list()
    signature = layer.compute_output_signature(_tf.TensorSpec(shape=input_shape, dtype=input_dtype))
    output = model.predict(input_data)
    _assert_shape(output.shape, computed_shape, about)
    _assert_shape(output.shape, signature.shape.as_list(), about)
    if signature.dtype != output.dtype:
        raise AssertionError(f"{about} found output dtype={output.dtype} but expected to find {signature.dtype}.")
    if expected_output is not None:
        assert_equal(output, expected_output)
    _assert_recovered(model, input_data, custom_objects, output, assert_equal)

    layer_weights = layer.get_weights()
    if validate_training:
        model = _tf.keras.Model(x, layer(x))
        model.compile("rmsprop", "mse", weighted_metrics=["acc"])
        model.train_on_batch(input_data, output)

    layer = layer.__class__.from_config({**layer.get_config(), "batch_input_shape": input_shape})
    if adapt_data is not None:
        layer.adapt(adapt_data)
    model = _tf.keras.Sequential([_tf.keras.layers.Input(shape=input_shape[1:], dtype=input_dtype), layer])
    layer.set_weights(layer_weights)
    output = model.predict(input_data)
    _assert_shape(output.shape, computed_shape, about)
    if expected_output is not None:
        assert_equal(output, expected_output)
    _assert_recovered(model, input_data, custom_objects, output, assert_equal)
    return output
