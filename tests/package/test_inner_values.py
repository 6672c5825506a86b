"""Modules inside TensorFlow and Keras 2 that packages import, by what they compute; numbers are TensorFlow's."""

import sys

import numpy as np
import pytest

import tfcompat as tf
from tfcompat import _private


@pytest.fixture
def installed():
    tf.install()
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in ("tensorflow", "keras", "tf_keras"):
            del sys.modules[name]
    tf.uninstall()


# (name, arguments, seed, the first number of the first call and of the second)
V1_INITIALIZERS = [
    ("glorot_normal_initializer", {}, None, (0.48099, -1.33379)),
    ("truncated_normal_initializer", {"stddev": 0.3}, None, (0.1795, -0.49776)),
    ("random_uniform_initializer", {}, None, (0.83445, 0.01905)),
    ("variance_scaling_initializer", {"scale": 2.0}, None, (0.68023, -1.88627)),
    ("orthogonal_initializer", {}, None, (0.97138, -0.99336)),
    ("uniform_unit_scaling_initializer", {}, None, (0.81924, -1.17807)),
    ("initializers.he_normal", {}, None, (0.68023, -1.88627)),
    ("glorot_normal_initializer", {}, 3, (0.75942, -0.51848)),
    ("truncated_normal_initializer", {"stddev": 0.3}, 3, (0.28341, -0.19349)),
    ("random_uniform_initializer", {}, 3, (0.40109, 0.56339)),
    ("variance_scaling_initializer", {"scale": 2.0}, 3, (1.07398, -0.73324)),
    ("orthogonal_initializer", {}, 3, (0.76107, -0.74647)),
    ("uniform_unit_scaling_initializer", {}, 3, (-0.24228, 0.15528)),
    ("initializers.he_normal", {}, 3, (1.07398, -0.73324)),
]


@pytest.mark.parametrize(("name", "arguments", "seed", "expected"), V1_INITIALIZERS)
def test_initializers_of_v1_draw_anew_each_time(name, arguments, seed, expected):
    tf.random.set_seed(7)
    found = tf.compat.v1
    for part in name.split("."):
        found = getattr(found, part)
    initializer = found(seed=seed, **arguments)
    values = [initializer([2, 2]).numpy()[0, 0] for _ in range(2)]
    np.testing.assert_allclose(values, expected, atol=1e-5)
    assert initializer.get_config()["dtype"] == "float32" and initializer.get_config()["seed"] == seed


def test_initializers_of_tensorflow_2_that_are_not_public():
    ops = _private.module("python.ops.init_ops_v2")
    expected = {
        "TruncatedNormal": (-0.03197, -0.00937), "glorot_normal": (-0.51402, -0.15058),
        "glorot_uniform": (0.73725, 0.52568), "he_normal": (-0.72693, -0.21296), "lecun_uniform": (0.73725, 0.52568),
    }  # fmt: skip
    for name, (first, last) in expected.items():
        values = getattr(ops, name)(seed=2)([2, 2]).numpy()
        np.testing.assert_allclose([values[0, 0], values[1, 1]], [first, last], atol=1e-5)
    with pytest.raises(ValueError, match="Argument `mode` should be one of"):
        ops.VarianceScaling(mode="fan")
    with pytest.raises(TypeError, match="Expected Tensor's shape"):
        tf.compat.v1.constant_initializer([1.0, 2.0], verify_shape=True)([3])


def test_first_centres_of_clusters():
    first = _private.module("python.ops.clustering_ops").kmeans_plus_plus_initialization
    points = (np.arange(40, dtype="float32") * 7 % 11 + np.arange(40) / 64).astype("float32").reshape(20, 2)
    assert first(points, 4, 9, -1).numpy()[:, 0].tolist() == [7.1875, 2.25, 9.4375, 4.15625]
    assert first(points, 4, 0, 0).numpy()[:, 0].tolist() == [5.28125, 6.40625, 0.0, 10.5625]
    assert first(points, 4, 4, 3).numpy()[:, 0].tolist() == [2.59375, 6.40625, 9.09375, 1.125]
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_to_sample"):
        first(points, 21, 0, 0)


def test_modules_of_keras_2(installed):
    from keras.src.engine import base_layer, keras_tensor
    from keras.src.layers.convolutional.base_conv import Conv
    from tensorflow.python.keras import layers
    from tensorflow.python.keras.layers.core import TFOpLambda
    from tf_keras.src import backend
    from tf_keras.src.utils import conv_utils, tf_utils

    x = tf.keras.Input((3,))
    assert isinstance(x, keras_tensor.KerasTensor) and tf_utils.is_symbolic_tensor(x)
    assert not tf_utils.is_symbolic_tensor(tf.constant(1)) and x.experimental_ref().deref() is x
    assert base_layer.Layer is layers.Layer is tf.keras.layers.Layer
    assert issubclass(tf.keras.layers.Conv2D, Conv) and not issubclass(tf.keras.layers.Dense, Conv)
    assert isinstance((x + 1.0)._keras_history.layer, TFOpLambda) and backend.floatx() == "float32"
    # TF: tf_keras.src.utils.conv_utils
    assert [conv_utils.conv_output_length(9, 3, p, 2) for p in ("same", "valid", "full", "causal")] == [5, 4, 6, 5]
    assert [conv_utils.deconv_output_length(9, 4, p, None, 2) for p in ("same", "valid", "full")] == [18, 20, 14]
    assert conv_utils.deconv_output_length(9, 4, "full", 1, 2) == 15
    assert tf.keras.backend.__name__ == "tfcompat.keras.backend"  # not what answered for `backend`


def test_small_inner_functions():
    broadcast = _private.module("python.ops.weights_broadcast_ops").broadcast_weights
    assert broadcast([[1.0], [2.0]], tf.zeros([2, 3])).numpy().tolist() == [[1.0] * 3, [2.0] * 3]
    with pytest.raises(ValueError, match="weights can not be broadcast to values. Mismatch at dim 0"):
        broadcast([[1.0], [2.0]], tf.zeros([3, 3]))
    reordered = _private.module("python.ops.gen_sparse_ops").sparse_reorder([[1, 0], [0, 1]], [1.0, 2.0], [2, 2])
    assert reordered.output_indices.numpy().tolist() == [[0, 1], [1, 0]]
    sparse = _private.module("python.ops.linalg.sparse.sparse")
    a = sparse.CSRSparseMatrix([[1.0, 0.0], [0.0, 2.0]])
    assert sparse.matmul(a, tf.ones([2, 1])).numpy().tolist() == [[1.0], [2.0]]
    assert tf.sparse.to_dense(sparse.matmul(a, a).to_sparse_tensor()).numpy().tolist() == [[1.0, 0.0], [0.0, 4.0]]
    gauge = _private.module("python.eager.monitoring").BoolGauge("/name", "text", "label")
    gauge.get_cell("a").set(True)
    assert gauge.get_cell("a").value() is True and gauge.get_cell("b").value() is False
    average = _private.module("python.training.moving_averages").assign_moving_average
    variable = tf.Variable([1.0, 3.0])
    average(variable, [2.0, 2.0], 0.75, zero_debias=False)
    assert variable.numpy().tolist() == [1.25, 2.75]
    with pytest.raises(tf.errors.UnimplementedError, match="zero_debias"):
        tf.__internal__.train.assign_moving_average(variable, [2.0, 2.0], 0.75)
    context = _private.module("python.eager.context").context()
    assert context.device_spec.device_type is None
    cell = _private.module("python.ops.rnn_cell").RNNCell()
    with pytest.raises(NotImplementedError):
        cell.zero_state(2, tf.float32)


def test_functions_are_decorated_in_place():
    @tf.function
    def twice(x):
        return 2 * x

    twice._decorate(lambda function: lambda x: function(x) + 1)
    assert twice(3).numpy() == 7
    with pytest.raises(ValueError, match="Functions cannot be decorated after they have been traced."):
        twice._decorate(lambda function: function)


def test_names_for_packages():
    with pytest.raises(tf.errors.NotFoundError, match="cannot be loaded in tfcompat"):
        tf.load_op_library("ops.so")
    tf.compat.v2.enable_v2_behavior()
    with tf.compat.v1.get_default_graph().as_default() as graph:
        assert graph is tf.compat.v1.get_default_graph()
    convert = tf.compat.v1.convert_to_tensor_or_sparse_tensor
    sparse = tf.sparse.from_dense([0.0, 1.0])
    assert convert(sparse) is sparse and convert([1]).numpy() == [1]
    with pytest.raises(RuntimeError, match="Sparse dtype mismatch. Requested: int32,  Actual: float32"):
        convert(sparse, tf.int32)
    size = tf.size([[1, 2]], tf.float32)
    assert size.dtype == tf.float32 and size.numpy() == 2.0


def test_segments_in_a_functional_model():
    x, ids = tf.keras.Input((3,)), tf.keras.Input((), dtype=tf.int64)
    model = tf.keras.Model([x, ids], tf.math.segment_sum(x, ids))
    assert model.output_shape == (None, 3)
    assert model([np.ones([3, 3]), np.array([0, 0, 2])]).numpy()[:, 0].tolist() == [2.0, 0.0, 1.0]


def test_sequential_models_are_networks():
    layers = tf.keras.layers
    model = tf.keras.Sequential([tf.keras.Input((2,), name="feature"), layers.Dense(1, kernel_initializer="ones")])
    assert model._is_graph_network and not tf.keras.Sequential([layers.Dense(1)])._is_graph_network
    assert [node.outbound_layer for node in model._input_layers[0]._outbound_nodes] == model.layers
    with pytest.warns(UserWarning, match="Input dict contained keys"):
        assert model({"feature": np.ones([1, 2]), "other": np.ones([1, 5])}).numpy() == [[2.0]]
    assert layers.BatchNormalization(dtype="float16")._param_dtype == tf.float32

    class Late(layers.Layer):
        def call(self, inputs):
            self.seen = (None, inputs.shape[1])
            return inputs

        def compute_output_shape(self, input_shape):
            return self.seen

    assert tf.keras.Sequential([Late(input_shape=(3,)), layers.Dense(2)]).output_shape == (None, 2)


def test_weights_are_in_checkpoints_by_the_names_of_add_weight(tmp_path):
    class Named(tf.keras.layers.Layer):
        def build(self, shape):
            self.a = self.add_weight(name="b", shape=[2])
            self.add_weight(name="without", shape=[1])
            self.kernel = self.add_weight("kernel", shape=[1])
            self.several = [self.add_weight("c", shape=[1])]
            self.z = tf.Variable(1.0)

        def call(self, inputs):
            return inputs * self.a[0]

    model = tf.keras.Sequential([Named(input_shape=(2,))])
    path = tf.train.Checkpoint(m=model).write(str(tmp_path / "c"))
    names = [name.split("/")[2] for name, _ in tf.train.list_variables(path) if name.startswith("m/")]
    assert names == ["b", "c", "kernel", "without", "z"]  # TF's
    copy = tf.keras.Sequential([Named(input_shape=(2,))])
    tf.train.Checkpoint(m=copy).restore(path).expect_partial()
    for ours, theirs in zip(copy.weights, model.weights, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_legacy_optimizers_in_hdf5(tmp_path):
    class Around(tf.keras.optimizers.legacy.Optimizer):
        def __init__(self, inner, name="Around"):
            super().__init__(name)
            self.inner = inner
            self._track_trackable(inner, "inside")

    held = Around(tf.keras.optimizers.legacy.Adam())
    assert [name for name, _ in held._checkpoint_children()] == ["iter", "inside"]
    with pytest.raises(ValueError, match="already declared as a dependency"):
        held._track_trackable(tf.Module(), "inside")

    @tf.keras.utils.register_keras_serializable("Tests")
    class Own(tf.keras.optimizers.legacy.SGD):
        pass

    for optimizer in (tf.keras.optimizers.legacy.Adam(0.1), Own(0.1, momentum=0.9)):
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
        model.compile(optimizer, "mse")
        model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
        model.save(tmp_path / "m.h5")
        loaded = tf.keras.models.load_model(tmp_path / "m.h5")
        assert type(loaded.optimizer) is type(optimizer)
        for ours, theirs in zip(loaded.optimizer.get_weights(), optimizer.get_weights(), strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_an_object_with_children_has_the_attributes_of_a_bare_one():
    """Keras 3 saves what the attributes of a layer hold, except those that a bare layer has, too."""
    tracking = tf.__internal__.tracking
    bare, parent = tracking.Trackable(), tracking.Trackable()
    parent._track_trackable(tf.Variable(1.0), "child")
    assert dir(parent) == dir(bare)
