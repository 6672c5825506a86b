"""The table of `tf.raw_ops`, and the definitions of ops that it follows."""

import inspect

import pytest

import tfcompat as tf
from tfcompat.raw_ops import _definitions as definitions
from tfcompat.raw_ops._registry import OPS


@pytest.mark.parametrize("name", OPS)
def test_op_takes_what_tensorflow_takes(name):
    function = OPS[name]
    assert getattr(tf.raw_ops, name, None) is function or not definitions.definition(name).is_public
    assert list(inspect.signature(function).parameters) == [*definitions.definition(name).parameters, "name"]
    assert function.__doc__.endswith(f"TF: `tf.raw_ops.{name}`.")


def test_definitions():
    conv, split = definitions.definition("Conv2D"), definitions.definition("Split")
    assert list(conv.parameters)[:4] == ["input", "filter", "strides", "padding"]
    assert conv.parameters["data_format"] == "NHWC" and conv.parameters["dilations"] == [1, 1, 1, 1]
    assert [each.parameter for each in split.inputs] == ["axis", "value"]
    assert split.results[0].count({"num_split": 3}) == 3
    assert definitions.definition("ArgMax").parameters["output_type"] is tf.int64
    assert definitions.definition("NoSuchOp") is None
    assert all(definitions.definition(name).name == name for name in definitions.names())


def test_attribute_that_is_not_honoured_is_refused():
    x = tf.zeros([2, 2])
    with pytest.raises(tf.errors.UnimplementedError, match="tf.raw_ops.BatchMatMulV2: grad_x=True"):
        tf.raw_ops.BatchMatMulV2(x=x, y=x, grad_x=True)


def test_steps_of_optimizers_are_those_of_keras():
    """The optimizers themselves are compared with TensorFlow's."""
    grad = tf.constant([0.5, -2.0])
    for name, optimizer in (
        ("Adam", tf.keras.optimizers.legacy.Adam(0.1)),
        ("RMSprop", tf.keras.optimizers.legacy.RMSprop(0.1, momentum=0.5)),
    ):  # fmt: skip
        theirs, ours, first, second = (tf.Variable([1.0, 2.0] if i < 2 else [0.0, 0.0]) for i in range(4))
        for step in (1, 2):
            optimizer.apply_gradients([(grad, theirs)])
            if name == "Adam":
                tf.raw_ops.ResourceApplyAdam(
                    var=ours.handle, m=first.handle, v=second.handle, beta1_power=0.9**step, beta2_power=0.999**step,
                    lr=0.1, beta1=0.9, beta2=0.999, epsilon=1e-7, grad=grad,
                )  # fmt: skip
            else:
                tf.raw_ops.ResourceApplyRMSProp(
                    var=ours.handle, ms=first.handle, mom=second.handle, lr=0.1, rho=0.9, momentum=0.5, epsilon=1e-7,
                    grad=grad,
                )  # fmt: skip
            assert abs(ours.numpy() - theirs.numpy()).max() < 1e-5, name
