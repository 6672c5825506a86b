"""The table of `tf.raw_ops`, and the definitions of ops that it follows."""

import inspect

import pytest

import tfcompat as tf
from tfcompat.raw_ops import _definitions as definitions
from tfcompat.raw_ops._registry import OPS


@pytest.mark.parametrize("name", OPS)
def test_op_takes_what_tensorflow_takes(name):
    function = getattr(tf.raw_ops, name)
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
