"""`tf.test`. What its assertions take and refuse are TensorFlow 2.21's answers."""

import os
import unittest

import numpy as np
import pytest

import tfcompat as tf


class _Case(tf.test.TestCase):
    __test__ = False

    def runTest(self):
        pass


@pytest.fixture
def case():
    case = _Case()
    case.setUp()
    yield case
    case.doCleanups()


NAN = float("nan")
HOLDS = [
    ("assertAllClose", tf.constant([1.0, 2.0]), [1.0, 2.0000001]),
    ("assertAllClose", {"a": [tf.constant(1.0), [2.0, NAN]]}, {"a": [1.0, np.array([2.0, NAN])]}),
    ("assertAllClose", (tf.Variable(1), tf.ones([2])), (1.0, [1.0, 1.0])),
    ("assertAllClose", tf.ragged.constant([[1.0], [2.0, NAN]]), tf.ragged.constant([[1.0], [2.0000001, NAN]])),
    ("assertAllClose", [[1.0], [2.0, 3.0]], tf.ragged.constant([[1.0], [2.0, 3.0]])),
    ("assertAllEqual", tf.ragged.constant([[[1], []], [[2, 3]]]), [[[1], []], [[2, 3]]]),
    ("assertAllEqual", tf.ragged.constant([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]], inner_shape=(2,)),
     [[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]]),
    ("assertNotAllClose", tf.constant([1.0, 2.0]), [1.0, 2.1]),
    ("assertNotAllClose", [1.0], [1.0, 1.0]),
    ("assertAllCloseAccordingToType", tf.constant([1.0], tf.float16), [1.0005]),
    ("assertAllEqual", tf.constant([[1, 2]]), [[1, 2]]),
    ("assertAllEqual", tf.constant(["a", "b"]), [b"a", b"b"]),
    ("assertAllEqual", [NAN], tf.constant([NAN])),
    ("assertNotAllEqual", tf.constant([1, 2]), [1, 3]),
    ("assertAllGreater", tf.constant([1, 2]), 0),
    ("assertAllLessEqual", tf.constant([1, 2]), 2),
    ("assertAllInRange", tf.constant([1, 2]), 1, 2),
    ("assertAllInSet", tf.constant([1, 2]), [1, 2, 3]),
    ("assertNear", tf.constant(1.0), 1.5, 0.6),
    ("assertShapeEqual", tf.ones([2, 1]), np.zeros([2, 1])),
    ("assertDTypeEqual", tf.ones([2]), np.float32),
]
FAILS = [
    ("assertAllClose", tf.constant([1.0, 2.0]), [1.0, 2.1]),
    ("assertAllClose", tf.ragged.constant([[1.0], [2.0, 3.0]]), [[1.0], [2.0, 3.1]]),
    ("assertAllClose", tf.ragged.constant([[1.0], [2.0, 3.0]]), [[1.0, 2.0], [3.0]]),
    ("assertAllEqual", tf.ragged.constant([[1], [2, 3]]), [[1], [2, 4]]),
    ("assertAllClose", [1.0], [1.0, 1.0]),
    ("assertAllClose", {"a": 1.0}, {"b": 1.0}),
    ("assertNotAllClose", tf.constant([1.0]), [1.0]),
    ("assertAllEqual", tf.constant([1, 2]), [1, 3]),
    ("assertAllEqual", tf.constant([1, 1]), 1),
    ("assertNotAllEqual", tf.constant([1, 2]), [1, 2]),
    ("assertAllGreater", tf.constant([1, 2]), 1),
    ("assertAllInRange", tf.constant([1, 2]), 1, 2, True),
    ("assertAllInSet", tf.constant([1, 4]), [1, 2, 3]),
    ("assertDTypeEqual", tf.ones([2]), tf.int32),
]


def test_assertions(case):
    for name, *arguments in HOLDS:
        getattr(case, name)(*arguments)
    for name, *arguments in FAILS:
        with pytest.raises(AssertionError):
            getattr(case, name)(*arguments)


def test_cases_begin_alike_and_evaluate(case):
    first = tf.random.normal([]).numpy(), np.random.rand()
    case.setUp()
    assert (tf.random.normal([]).numpy(), np.random.rand()) == first
    with case.cached_session() as session:
        assert session.run([tf.constant(1), {"a": tf.Variable(2)}]) == [1, {"a": 2}]
    assert case.evaluate(tf.constant([1])).tolist() == [1]
    assert case.evaluate([lambda: (tf.constant(1), lambda: None), None]) == [(1, None), None]
    case.assertAllEqual([[[2]], [[2], [3]]], [[[2]], [[2], [3]]])
    with pytest.raises(AssertionError):
        case.assertAllEqual([[[2]], [[2], [3]]], [[[2]], [[2], [4]]])
    assert os.path.isdir(case.get_temp_dir()) and case.get_temp_dir() == case.get_temp_dir()
    with case.assertRaisesOpError("ndims must be >= 2"):
        tf.matmul(tf.ones([2]), tf.ones([2]))
    with pytest.raises(AssertionError), case.assertRaisesOpError("no such text"):
        tf.matmul(tf.ones([2]), tf.ones([2]))


def test_each_test_begins_with_another_default_graph(case):
    for _ in range(2):  # as in TensorFlow, names of layers and the global step begin anew
        case.setUp()
        step = tf.compat.v1.train.get_or_create_global_step()
        assert (tf.keras.layers.Dense(1).name, int(step)) == ("dense", 0)
        step.assign_add(1)


def test_gradients_by_differences():
    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    exact, estimated = tf.test.compute_gradient(lambda x, y: x * x * y, [x, y])
    np.testing.assert_array_equal(exact[0], [[6.0, 0.0], [0.0, 16.0]])
    np.testing.assert_array_equal(exact[1], [[1.0, 0.0], [0.0, 4.0]])
    for one, other in zip(exact, estimated, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-2)


def test_what_the_machine_has():
    there = bool(tf.config.list_physical_devices("GPU"))
    assert tf.test.is_gpu_available() == there and bool(tf.test.gpu_device_name()) == there
    assert tf.test.is_built_with_cuda() <= there and tf.test.is_built_with_xla()
    assert not tf.test.is_gpu_available(min_cuda_compute_capability=(99, 0))


def test_assertions_on_tensors_of_a_graph():
    """They are computed by a session, in nests and in tolerances, too."""

    class Case(tf.test.TestCase):
        def test_all(self):
            with tf.Graph().as_default():
                x = tf.constant([1.0, 2.0]) * 2.0
                self.assertAllEqual([2.0, 4.0], x)
                self.assertAllClose({"x": [x, 1.0]}, {"x": [np.float32([2.0, 4.0]), 1.0]})
                self.assertAllCloseAccordingToType(x, [2.0, 4.0])
                self.assertAllLess(x, tf.constant(2.0) * 3.0)
                self.assertAllGreaterEqual(x, tf.constant(2.0))
                self.assertNear(tf.reduce_sum(x), 6.0, 1e-6)
                self.assertShapeEqual(np.zeros(2), x)
                with self.assertRaises(AssertionError):
                    self.assertAllEqual(x, [2.0, 5.0])

        def test_tolerances_of_each_element(self):
            self.assertAllClose([1.0, 10.0], tf.constant([1.1, 12.0]), atol=np.array([0.2, 3.0]))
            with self.assertRaisesRegex(AssertionError, "differ"):
                self.assertAllClose([1.0, 10.0], [1.1, 12.0], atol=np.array([0.2, 1.0]))

    result = unittest.TestResult()
    for name in ("test_all", "test_tolerances_of_each_element"):
        Case(name).run(result)
    assert result.wasSuccessful(), [text for _, text in (*result.errors, *result.failures)]


def test_dicts_are_compared_by_key():
    case = tf.test.TestCase()
    case.assertAllClose({"a": 1.0, "b": [2.0]}, {"b": tf.constant([2.0]), "a": 1.0})
    case.assertAllEqual({"a": 1, 3: 2}, {3: 2, "a": 1})
    with pytest.raises(AssertionError):
        case.assertAllClose({"a": 1.0, "b": 2.0}, {"b": 1.0, "a": 2.0})
