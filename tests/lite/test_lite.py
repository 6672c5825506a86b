"""Models that `tf.lite` converts compute what TensorFlow's do."""

import sys

import numpy as np
import pytest
from rows import check_row, load_rows, recorded_rows

import tfcompat as tf
from tfcompat.lite._errors import ConverterError

for _package in ("litert_converter", "ai_edge_litert", "ai_edge_quantizer"):
    pytest.importorskip(_package, reason="pip install 'tfcompat[lite]'")

RECORDED = recorded_rows("lite")
ROWS = load_rows("lite")


@pytest.mark.parametrize("name", ROWS)
def test_row(name):
    check_row(ROWS[name], RECORDED, tf)


def test_nothing_recorded_is_gone():
    assert RECORDED.keys() == ROWS.keys()


def _converted(function, *specs):
    concrete = tf.function(function).get_concrete_function(*specs)
    return tf.lite.TFLiteConverter.from_concrete_functions([concrete])


def _called(data, *arrays):
    interpreter = tf.lite.Interpreter(model_content=data)
    details = sorted(interpreter.get_input_details(), key=lambda d: d["name"])
    for detail, array in zip(details, arrays, strict=True):
        interpreter.resize_tensor_input(detail["index"], array.shape, strict=True)
    interpreter.allocate_tensors()
    for detail, array in zip(details, arrays, strict=True):
        interpreter.set_tensor(detail["index"], array)
    interpreter.invoke()
    details = sorted(interpreter.get_output_details(), key=lambda d: d["name"])
    return [interpreter.get_tensor(detail["index"]) for detail in details]


_K = tf.keras.layers
# What TensorFlow converts for known sizes alone, or not at all.
_MORE = {
    "lstm": (lambda: [_K.LSTM(4)], (5, 3)),
    "gru": (lambda: [_K.GRU(4, return_sequences=True)], (5, 3)),
    "both ways": (lambda: [_K.Bidirectional(_K.LSTM(3, return_sequences=True)), _K.SimpleRNN(2)], (5, 3)),
    "convolutional lstm": (lambda: [_K.ConvLSTM2D(2, 3)], (3, 6, 6, 2)),
    "three axes": (lambda: [_K.Conv3D(2, 3), _K.MaxPool3D()], (6, 6, 6, 2)),
    "groups": (lambda: [_K.GroupNormalization(2), _K.UnitNormalization()], (4, 4, 4)),
}


@pytest.mark.parametrize("layers", _MORE)
def test_layers_for_any_batch(layers):
    make, shape = _MORE[layers]
    model = tf.keras.Sequential([tf.keras.Input(shape), *make()])
    data = tf.lite.TFLiteConverter.from_keras_model(model).convert()
    for batch in (1, 5):
        numbers = np.random.default_rng(0).normal(size=(batch, *shape)).astype("float32")
        np.testing.assert_allclose(_called(data, numbers)[0], model(numbers).numpy(), atol=1e-5)


def test_attention_for_any_batch():
    x = tf.keras.Input((5, 8))
    model = tf.keras.Model(x, tf.keras.layers.MultiHeadAttention(2, 4)(x, x))
    data = tf.lite.TFLiteConverter.from_keras_model(model).convert()
    numbers = np.random.default_rng(0).normal(size=(3, 5, 8)).astype("float32")
    np.testing.assert_allclose(_called(data, numbers)[0], model(numbers).numpy(), atol=1e-5)


def test_a_batch_size_that_cannot_be_open_is_one(caplog):
    converter = _converted(lambda x: tf.map_fn(tf.math.sin, x), tf.TensorSpec([None, 3]))
    data = converter.convert()
    assert "batch size of 1" in caplog.text
    numbers = np.float32([[1, 2, 3]])
    np.testing.assert_allclose(_called(data, numbers)[0], np.sin(numbers), atol=1e-6)


def test_sizes_that_a_function_needs_are_found():
    data = _converted(lambda x: tf.linalg.det(tf.reshape(x, [2, 2])), tf.TensorSpec([None])).convert()
    np.testing.assert_allclose(_called(data, np.float32([1, 2, 3, 5]))[0], -1, atol=1e-5)


def test_derivatives_are_converted():
    weights = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.tanh(x @ weights))
        return tape.gradient(y, x)

    numbers = np.float32([[0.1, 0.2], [0.3, -0.4], [0, 1]])
    data = _converted(gradient, tf.TensorSpec([None, 2])).convert()
    np.testing.assert_allclose(_called(data, numbers)[0], gradient(tf.constant(numbers)).numpy(), atol=1e-5)


def test_a_jax_function():
    arguments = [("x", np.zeros([2, 3], np.float32)), ("y", np.zeros([3], np.float32))]
    converter = tf.lite.TFLiteConverter.experimental_from_jax([lambda x, y: (x * 2 + y).sum(1)], [arguments])
    numbers = np.float32([[1, 2, 3], [4, 5, 6]])
    np.testing.assert_allclose(_called(converter.convert(), numbers, np.float32([1, 1, 1]))[0], [15, 33])


_COUNT = tf.Variable(0.0)


def _assigning(x):
    _COUNT.assign_add(1.0)
    return x + _COUNT


_REFUSED = {
    "assigns variables": _assigning,
    "draws random numbers": lambda x: x + tf.random.normal([3]),
    "has text": lambda x: tf.strings.as_string(x),
    "calls Python": lambda x: tf.numpy_function(np.sin, [x], tf.TensorSpec([3])),
    "it has no ": lambda x: tf.linalg.inv(tf.linalg.diag(x)),
}


@pytest.mark.parametrize("reason", _REFUSED)
def test_what_cannot_be_converted_says_why(reason):
    with pytest.raises(ConverterError, match=reason):
        _converted(_REFUSED[reason], tf.TensorSpec([3])).convert()


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"optimizations": [tf.lite.Optimize.EXPERIMENTAL_SPARSITY]}, "use DEFAULT"),
        ({"target_spec": tf.lite.TargetSpec({tf.lite.OpsSet.EXPERIMENTAL_STABLEHLO_OPS})}, "use TFLITE_BUILTINS"),
        ({"unfold_batchmatmul": True}, "leave it False"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(attributes, message):
    converter = _converted(lambda x: x * 2, tf.TensorSpec([3]))
    for name, value in attributes.items():
        setattr(converter, name, value)
    with pytest.raises(ConverterError, match=message):
        converter.convert()


def test_activations_of_16_bits():
    converter = _converted(lambda x: tf.nn.relu(tf.matmul(x, tf.eye(64)[:, :8] * 0.5)), tf.TensorSpec([None, 64]))
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([np.ones([1, 64], np.float32) * k] for k in range(3))
    converter.target_spec.supported_ops = [
        tf.lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8
    ]
    converter.inference_input_type = converter.inference_output_type = tf.int16
    interpreter = tf.lite.Interpreter(model_content=converter.convert())
    assert interpreter.get_input_details()[0]["dtype"] is interpreter.get_output_details()[0]["dtype"] is np.int16


def test_sums_by_places():
    numbers = np.float32([[1, 2], [3, 4], [5, 6]])
    data = _converted(lambda x: tf.math.unsorted_segment_sum(x, [0, 1, 0], 2), tf.TensorSpec([3, 2])).convert()
    np.testing.assert_array_equal(_called(data, numbers)[0], [[6, 8], [3, 4]])
    data = _converted(lambda x: tf.tensor_scatter_nd_max(tf.zeros([4, 2]), [[1], [3], [1]], x), tf.TensorSpec([3, 2]))
    np.testing.assert_array_equal(_called(data.convert(), numbers)[0], [[0, 0], [5, 6], [0, 0], [3, 4]])


def test_an_unknown_rank_is_refused():
    with pytest.raises(ConverterError, match="rank of an argument is unknown"):
        _converted(lambda x: x * 2, tf.TensorSpec(None)).convert()


def test_integers_alone_are_refused_where_something_is_floating():
    converter = _converted(lambda x: tf.cumsum(tf.matmul(x, tf.eye(64)), 1), tf.TensorSpec([None, 64]))
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([np.ones([1, 64], np.float32)] for _ in range(2))
    converter.convert()
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    with pytest.raises(ConverterError, match="CUMSUM cannot be computed with integers"):
        converter.convert()


@pytest.mark.parametrize(
    ("package", "how"),
    [
        ("litert_converter", "--no-deps litert-converter"),
        ("ai_edge_quantizer", r"'tfcompat\[lite\]'"),
        ("ai_edge_litert", r"'tfcompat\[lite\]'"),
    ],
)
def test_a_package_that_is_missing_is_named(package, how, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    converter = _converted(lambda x: x * 2, tf.TensorSpec([3]))
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    message = f"{package.replace('_', '-')}: pip install {how}"
    with pytest.raises(tf.errors.UnimplementedError, match=message):
        tf.lite.Interpreter(model_content=converter.convert())


def test_first_sizes_that_need_not_be_equal():
    specs = [tf.TensorSpec([None, 3], name=name) for name in ("x", "y")]
    x, y = np.float32([[1, 2, 3]] * 4), np.float32([[4, 5, 6]] * 2)
    data = _converted(lambda x, y: tf.reshape(tf.matmul(x, y, transpose_b=True), [-1]), *specs).convert()
    np.testing.assert_allclose(_called(data, x, y)[0], [32.0] * 8)
    data = _converted(lambda x, y: x[:, :1] + y[:, :1] + tf.zeros([tf.shape(y)[0], 2]), *specs).convert()
    np.testing.assert_allclose(_called(data, y, y)[0], [[8.0, 8.0]] * 2)


def _operations(data):
    names = [op["op_name"] for op in tf.lite.Interpreter(model_content=data)._get_ops_details()]
    return [name for name in names if name != "DELEGATE"]


def test_slices_of_a_batch_need_no_shapes():
    numbers = np.arange(30, dtype=np.float32).reshape(2, 5, 3)
    for function in (lambda x: x[:, :2], lambda x: x[:, -1], lambda x: x[:, None, 1:], lambda x: x[..., 1]):
        data = _converted(function, tf.TensorSpec([None, 5, 3])).convert()
        np.testing.assert_array_equal(_called(data, numbers)[0], function(numbers))
        assert set(_operations(data)) <= {"SLICE", "RESHAPE"}


def test_slices_beside_other_unknown_sizes():
    numbers = np.arange(30, dtype=np.float32).reshape(2, 5, 3)
    data = _converted(lambda x: x[:, :, 1:], tf.TensorSpec([None, None, 3])).convert()
    np.testing.assert_array_equal(_called(data, numbers)[0], numbers[:, :, 1:])
