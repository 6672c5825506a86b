"""More of the names from inside TensorFlow that public packages import; the answers are those of TensorFlow 2.21."""

import collections
import inspect
import sys
import types
import unittest

import pytest

import tfcompat as tf
from tfcompat import _private
from tfcompat._core.spec import BoundedTensorSpec
from tfcompat._private import (
    all_util,
    data_nest,
    monitoring,
    nested_structure_coder,
    struct_pb2,
    test_util,
    tf2,
    tf_decorator,
    tf_inspect,
    trackable,
)


def test_what_packages_ask_on_import():
    assert tf2.enabled()
    assert tf.__git_version__ == tf.version.GIT_VERSION and tf.__compiler_version__ == tf.version.COMPILER_VERSION
    assert _private.module("python.eager.def_function").Function is type(tf.function(lambda: 1))
    assert isinstance(tf.Graph(), tf.Graph)
    assert isinstance(tf.compat.v1.get_default_graph(), tf.Graph) and not isinstance(1, tf.Graph)


def test_modules_that_show_what_they_document():
    module = types.ModuleType("shown", "Text.\n\n@@one\n@@absent\n")
    module.one = module.two = module.three = module._four = 1
    sys.modules["shown"] = module
    try:
        assert all_util.make_all("shown") == ["one"]
        all_util.remove_undocumented("shown", ["two"])
    finally:
        del sys.modules["shown"]
    assert [name for name in vars(module) if not name.startswith("__")] == ["one", "two", "_four"]


def test_counts_for_those_who_watch():
    gauge, counter = monitoring.BoolGauge("/a/b", "what", "label"), monitoring.Counter("/c", "what")
    assert gauge.get_cell("x").value() is False
    gauge.get_cell("x").set(True)
    assert gauge.get_cell("x").value() is True and gauge.get_cell("y").value() is False
    counter.get_cell().increase_by(2)
    assert counter.get_cell().value() == 2
    with pytest.raises(ValueError, match="expects taking 1 labels"):
        gauge.get_cell()


def test_decorators_that_say_what_they_decorate():
    def target(a, b=2, *rest, c=3, **others):
        """Text."""

    def wrapper(*args, **kwargs):
        return "wrapped"

    made = tf_decorator.make_decorator(target, wrapper)
    assert made() == "wrapped" and (made.__name__, made.__doc__) == ("target", "Text.")
    assert tf_decorator.unwrap(made) == ([made], target)
    assert tf_inspect.getargspec(made) == (["a", "b"], "rest", "others", (2,))
    spec = inspect.getfullargspec(lambda x, *, y=1: 0)
    # Beyond `inspect.getcallargs`: keywords that it does not take stay, and there are no entries for those of ** and *.
    assert tf_inspect.getcallargs(made, 1, d=4) == {"a": 1, "b": 2, "c": 3, "d": 4}
    case = unittest.TestCase()
    assert tf_inspect.getcallargs(case.assertIsNone, 1) == {"self": case, "obj": 1, "msg": None}
    other = tf_decorator.make_decorator(target, lambda *args: 0, decorator_argspec=spec)
    assert str(inspect.signature(other)) == "(x, *, y=1)"


def test_lists_are_values_in_elements_of_datasets():
    structure = {"b": (1, [2, 3]), "a": 4}
    assert data_nest.flatten(structure) == [4, 1, [2, 3]]
    assert data_nest.map_structure(lambda x: [x], structure) == {"b": ([1], [[2, 3]]), "a": [4]}
    assert data_nest.pack_sequence_as(structure, [7, 8, 9]) == {"b": (8, 9), "a": 7}
    assert data_nest.is_nested((1,)) and not data_nest.is_nested([1])


def test_attributes_of_layers_that_are_no_children():
    class Holder(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.kept = tf.Variable(1.0)
            with trackable.no_automatic_dependency_tracking_scope(self):
                self.other = {"variable": tf.Variable(2.0), "layer": tf.keras.layers.Dense(1)}
            self.after = tf.Variable(3.0)

    holder = Holder()
    assert [float(v) for v in holder.trainable_weights] == [1.0, 3.0] and len(list(holder._flatten_layers())) == 1
    assert holder.other["layer"].units == 1
    found = tf.train.TrackableView.children(holder)
    assert "other" not in found and {"kept", "after"} <= set(found)


def test_tests_that_run_in_a_graph_and_eagerly():
    modes = []

    @test_util.run_all_in_graph_and_eager_modes
    class Case(tf.test.TestCase):
        def setUp(self):
            super().setUp()
            self.layer = tf.keras.layers.Dense(1)

        def test_one(self):
            name = tf.keras.layers.Dense(1).name
            modes.append((tf.executing_eagerly(), int(self.evaluate(tf.constant(1) + 1)), name))

    result = unittest.TestResult()
    Case("test_one").run(result)
    assert result.wasSuccessful() and modes == [(False, 2, "dense"), (True, 2, "dense_1")]
    with pytest.raises(ValueError, match="only supports test methods"):
        test_util.run_in_graph_and_eager_modes(Case)


@pytest.mark.parametrize("whole", [False, True])
def test_tests_run_in_a_graph_alone(whole):
    """TensorFlow's `run_deprecated_v1`, of a test or of a class."""
    modes = []

    class Case(tf.test.TestCase):
        def setUp(self):
            super().setUp()
            modes.append(tf.executing_eagerly())

        @(lambda test: test) if whole else test_util.run_deprecated_v1
        def test_one(self):
            modes.append((tf.executing_eagerly(), int(self.evaluate(tf.constant(1) + 1))))

        test_two = test_util.enable_control_flow_v2(test_one)

    result = unittest.TestResult()
    (test_util.deprecated_graph_mode_only(Case) if whole else Case)("test_one").run(result)
    assert result.wasSuccessful() and modes == [not whole, (False, 2)]


def test_tests_of_one_version():
    """TensorFlow's `run_v1_only` skips, `run_v2_only` and `disable_xla` do not."""
    ran = []

    class Case(tf.test.TestCase):
        @test_util.run_v1_only("needs sessions")
        def test_first(self):
            ran.append("first")

        @test_util.run_v2_only
        @test_util.disable_xla("slow")
        def test_second(self):
            ran.append("second")

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    reasons = [reason for case, reason in result.skipped if not case.id().endswith("test_session")]
    assert ran == ["second"] and reasons == ["needs sessions"]
    with pytest.raises(ValueError, match="should be string"):
        test_util.run_v1_only(lambda self: None)


def test_nests_of_specifications_as_messages():
    Two = collections.namedtuple("Two", ["a", "b"])
    nest = Two(tf.TensorSpec([None, 2], tf.float32, "x"), {"k": [1, (2.5, "s", True, None)]})
    message = nested_structure_coder.encode_structure(nest)
    assert message.SerializeToString() == bytes.fromhex(  # what TensorFlow 2.21 writes
        "b2035c0a0354776f12200a0161121b8a02180a01781211120b08ffffffffffffffffff0112020802180112330a0162122eaa032b0a290a0"
        "16b12249a03210a0260020a1ba203180a095900000000000004400a036a01730a0270010a020a00"
    )
    again = struct_pb2.StructuredValue.FromString(message.SerializeToString())
    assert again == message and nested_structure_coder.decode_proto(again) == nest
    bounded = nested_structure_coder.decode_proto(nested_structure_coder.encode_structure(
        BoundedTensorSpec([2], tf.int32, 0, [1, 2], "b")
    ))  # fmt: skip
    assert (bounded.minimum.tolist(), bounded.maximum.tolist(), bounded.name) == (0, [1, 2], "b")
    assert nested_structure_coder.can_encode([1]) and not nested_structure_coder.can_encode([object()])
    with pytest.raises(nested_structure_coder.NotEncodableError, match="No encoder for object"):
        nested_structure_coder.encode_structure({1: 2})
