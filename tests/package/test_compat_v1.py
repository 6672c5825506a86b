"""`tf.compat.v1`: what means the same in eager TensorFlow 2, and clear refusals of the rest."""

import logging
import os

import numpy as np
import pytest

import tfcompat as tf
from tfcompat.compat import _sessions


def test_assignments_are_those_of_the_variable():
    v1, table = tf.compat.v1, tf.Variable([[1.0], [2.0], [3.0]])
    v1.scatter_update(table, [0], [[9.0]])
    v1.scatter_add(table, [2], [[1.0]])
    np.testing.assert_array_equal(table.numpy(), [[9.0], [2.0], [4.0]])
    number = tf.Variable(1.0)
    v1.assign(number, 2.0)
    v1.assign_add(number, 3.0)
    assert number.numpy() == 5.0


def test_names_that_mean_the_same():
    v1 = tf.compat.v1
    np.testing.assert_array_equal(v1.where([True, False], [1, 2], [3, 4]).numpy(), [1, 4])
    assert v1.executing_eagerly() and v1.resource_variables_enabled()
    assert v1.trainable_variables() == v1.get_collection(v1.GraphKeys.UPDATE_OPS) == []
    v1.enable_eager_execution()
    v1.assert_greater(2, 1)
    with pytest.raises(tf.errors.InvalidArgumentError):
        v1.assert_less(2, 1)
    loss = v1.nn.softmax_cross_entropy_with_logits_v2(labels=[[0.0, 1.0]], logits=[[0.0, 0.0]])
    np.testing.assert_allclose(loss.numpy(), np.log(2), rtol=1e-6)
    places = v1.SparseTensorValue(np.array([[0, 1]]), np.array([2.0], np.float32), np.array([1, 2]))
    np.testing.assert_array_equal(tf.sparse.to_dense(tf.SparseTensor.from_value(places)).numpy(), [[0.0, 2.0]])


def test_graphs_in_eager_code_are_refused():
    with pytest.raises(RuntimeError, match="function arguments"):
        tf.compat.v1.placeholder(tf.float32, [None])
    with pytest.raises(RuntimeError, match="The Session graph is empty"):
        tf.compat.v1.Session().run(tf.constant(1))


def test_hessians_inside_a_function():
    @tf.function
    def second(x):
        return tf.hessians(tf.reduce_sum(x**3), x)[0]

    np.testing.assert_allclose(second(tf.constant([1.0, 2.0])).numpy(), [[6.0, 0.0], [0.0, 12.0]], rtol=1e-6)


def test_static_values_inside_a_function():
    found = []

    @tf.function
    def function(x):
        found.append(tf.get_static_value(x))
        found.append(tf.get_static_value(tf.shape(x)))
        return x

    function(tf.constant([1.0, 2.0]))
    assert found[0] is None and found[1].tolist() == [2]


# As TensorFlow 2.21 prints it.
PRINTED = """device_count {
  key: "CPU"
  value: 2
}
device_count {
  key: "GPU"
  value: 1
}
gpu_options {
  per_process_gpu_memory_fraction: 0.3
  allow_growth: true
  visible_device_list: "0"
}
allow_soft_placement: true
graph_options {
  optimizer_options {
    global_jit_level: ON_1
  }
  rewrite_options {
    disable_meta_optimizer: true
    auto_mixed_precision: ON
  }
}
"""


def options():
    v1 = tf.compat.v1
    config = v1.ConfigProto(allow_soft_placement=True, device_count={"GPU": 1, "CPU": 2},
                            gpu_options=v1.GPUOptions(allow_growth=True))  # fmt: skip
    config.gpu_options.per_process_gpu_memory_fraction = 0.3
    config.gpu_options.visible_device_list = "0"
    config.graph_options.optimizer_options.global_jit_level = v1.OptimizerOptions.ON_1
    config.graph_options.rewrite_options.auto_mixed_precision = 1
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return config


def test_options_are_those_of_the_message():
    v1, config = tf.compat.v1, options()
    assert str(config) == repr(config) == PRINTED
    other = v1.ConfigProto()
    other.CopyFrom(config)
    assert other == config != v1.ConfigProto() and other.HasField("gpu_options")
    other.gpu_options.allow_growth = False
    assert other != config and v1.ConfigProto().device_count["GPU"] == 0
    other.Clear()
    assert other == v1.ConfigProto(gpu_options=None) and not other.HasField("gpu_options")
    assert v1.ConfigProto(gpu_options={"allow_growth": True}).gpu_options.allow_growth is True


@pytest.mark.parametrize("error, wrong", [
    (AttributeError, lambda c: setattr(c, "foo", 1)),
    (AttributeError, lambda c: c.foo),
    (AttributeError, lambda c: setattr(c.gpu_options, "allow_grow", True)),
    (AttributeError, lambda c: setattr(c, "gpu_options", tf.compat.v1.GPUOptions())),
    (AttributeError, lambda c: setattr(c, "device_count", {})),
    (ValueError, lambda c: type(c)(foo=1)),
    (ValueError, lambda c: c.HasField("allow_soft_placement")),
    (ValueError, lambda c: setattr(c, "inter_op_parallelism_threads", 2**70)),
    (TypeError, lambda c: setattr(c, "allow_soft_placement", "x")),
    (TypeError, lambda c: setattr(c, "inter_op_parallelism_threads", 1.5)),
    (TypeError, lambda c: setattr(c, "inter_op_parallelism_threads", True)),
    (TypeError, lambda c: setattr(c.gpu_options, "per_process_gpu_memory_fraction", "a")),
    (TypeError, lambda c: setattr(c.gpu_options, "visible_device_list", 0)),
    (TypeError, lambda c: c.device_count.update({"GPU": "x"})),
    (TypeError, lambda c: type(c)(gpu_options=3)),
    (TypeError, hash),
    (TypeError, lambda c: tf.compat.v1.Session(config=3)),
    (TypeError, lambda c: tf.compat.v1.Session(3)),
    (tf.errors.UnimplementedError, lambda c: tf.compat.v1.Session("grpc://host:1")),
    (tf.errors.UnimplementedError, lambda c: c.cluster_def),
])  # fmt: skip
def test_wrong_options(error, wrong):
    with pytest.raises(error):
        wrong(options())


def test_a_session_takes_options(monkeypatch, caplog):
    v1 = tf.compat.v1
    monkeypatch.setattr(_sessions, "_said", set())
    monkeypatch.setattr(_sessions, "_devices_are_in_use", lambda: False)
    for key in ("XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_PYTHON_CLIENT_MEM_FRACTION"):
        monkeypatch.setenv(key, "")
        monkeypatch.delenv(key)
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        session = v1.InteractiveSession(config=options())
        assert "visible_device_list has no effect in tfcompat: set CUDA_VISIBLE_DEVICES" in caplog.text
        said = len(caplog.records)
        assert v1.get_default_session() is session and (tf.constant(1) + 1).numpy() == 2
        session.close()
        assert v1.get_default_session() is None
        with v1.Session(graph=v1.get_default_graph(), config=options()) as session:
            assert v1.get_default_session() is session and not tf.executing_eagerly()
        assert len(caplog.records) == said and "allow_growth" not in caplog.text
    assert os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] == "false"
    assert os.environ["XLA_PYTHON_CLIENT_MEM_FRACTION"] == "0.3"
    with pytest.raises(tf.errors.CancelledError):
        session.list_devices()
    with pytest.raises(tf.errors.UnimplementedError, match="Session.run"):
        _ = session.partial_run


def test_the_session_of_keras():
    backend = tf.compat.v1.keras.backend
    session = tf.compat.v1.Session()
    backend.set_session(session)
    assert backend.get_session() is session and not hasattr(tf.keras.backend, "set_session")
    assert tf.compat.v1.keras.layers.Dense is tf.keras.layers.Dense
    assert backend.mean(tf.constant([1.0, 2.0])).numpy() == 1.5


def test_the_last_operation_of_a_function_as_a_control_dependency():
    v = tf.Variable(1.0)

    @tf.function
    def step():
        v.assign_add(1.0)
        with tf.control_dependencies([tf.compat.v1.get_default_graph().get_operations()[-1]]):
            return v + 0.0

    assert step().numpy() == 2.0 and tf.compat.v1.get_default_graph().get_operations() == []
