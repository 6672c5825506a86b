"""The table of `tf.raw_ops`, and the definitions of ops that it follows."""

import inspect

import numpy as np
import pytest

import tfcompat as tf
from tfcompat.raw_ops import _definitions as definitions
from tfcompat.raw_ops._refused import families, refused_by_tensorflow
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


def test_every_op_is_there_or_refused_with_a_way_round():
    refused = [name for *_, fitting in families() for name in fitting]
    public = {name for name in definitions.names() if definitions.definition(name).is_public}
    assert sorted([*refused, *public & OPS.keys()]) == sorted(public)
    assert all(fitting and reason and way for _, reason, way, fitting in families())
    assert refused_by_tensorflow().keys() <= set(refused)
    with pytest.raises(AttributeError, match=r"tf.raw_ops.QueueSizeV2 is not available in tfcompat: use tf.queue.*obj"):
        tf.raw_ops.QueueSizeV2  # noqa: B018
    with pytest.raises(AttributeError, match=r"tf.raw_ops.NoSuchOp is not available in tfcompat$"):
        tf.raw_ops.NoSuchOp  # noqa: B018


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


def test_texts_are_printed(capsys):
    tf.raw_ops.PrintV2(input="a text", output_stream="stdout", end=".")
    x = tf.raw_ops.Print(input=[1.0, 2.0], data=[[3.0, 4.0], "x"], message="said: ")
    captured = capsys.readouterr()
    assert captured.out == "a text." and captured.err == "said: [3 4][x]\n"
    assert x.numpy().tolist() == [1, 2]


def test_ops_that_tensorflow_has_on_gpus_alone():
    """Compared with the dense or public computation."""
    r, dense = tf.raw_ops, np.array([[0, 1, 0], [2, 0, 3]], np.float32)
    places = [[0, 1], [1, 0], [1, 2]]

    def matrix(values):
        return r.SparseTensorToCSRSparseMatrix(indices=places, values=values, dense_shape=[2, 3])

    def whole(matrix):
        return r.CSRSparseMatrixToDense(sparse_input=matrix, type=tf.float32).numpy()

    a, b = matrix([1.0, 2.0, 3.0]), matrix([4.0, 5.0, 6.0])
    assert np.allclose(whole(r.SparseMatrixAdd(a=a, b=b, alpha=0.5, beta=2.0)), 0.5 * dense + 2 * whole(b))
    assert np.allclose(whole(r.SparseMatrixMul(a=a, b=3.0)), 3 * dense)
    assert not whole(r.SparseMatrixZeros(dense_shape=[2, 3], type=tf.float32)).any()
    values = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(values)
        softmax = r.SparseMatrixSoftmax(logits=matrix(values), type=tf.float32)
        weighted = tf.reduce_sum(softmax.values * [7.0, 8.0, 9.0])
    grad = r.SparseMatrixSoftmaxGrad(softmax=softmax, grad_softmax=matrix([7.0, 8.0, 9.0]), type=tf.float32)
    assert np.allclose(grad.values, tape.gradient(weighted, values), atol=1e-6)
    network = {"input": tf.ones([2, 1, 3]), "input_h": tf.zeros([1, 1, 2]), "input_c": tf.zeros([1, 1, 2]),
               "params": tf.random.stateless_normal([56], [1, 2])}  # fmt: skip
    *results, host_reserved = r.CudnnRNNV2(**network)
    assert all(map(np.array_equal, results, r.CudnnRNN(**network))) and host_reserved.dtype == tf.int8
    x = tf.random.stateless_normal([3, 4], [1, 2])
    assert np.allclose(r.AccumulateNV2(inputs=[x, x], shape=[3, 4]), 2 * x)
    spectrum = r.RFFTND(input=x, fft_length=[3, 4], axes=[0, 1])
    assert np.allclose(spectrum, tf.signal.rfft2d(x), atol=1e-5)
    assert np.allclose(r.IRFFTND(input=spectrum, fft_length=[3, 4], axes=[0, 1]), x, atol=1e-5)
    assert np.allclose(r.IFFTND(input=r.FFTND(input=tf.cast(x, tf.complex64), fft_length=[3, 4], axes=[0, 1]),
                                fft_length=[3, 4], axes=[0, 1]), x, atol=1e-5)  # fmt: skip
    pictures = tf.random.stateless_normal([2, 2, 4, 1], [3, 4])
    windows = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    pooled = r.MaxPoolWithArgmax(input=pictures, **windows)
    grad, tangent = tf.ones_like(pooled.output) * 3, tf.random.stateless_normal(pictures.shape, [5, 6])
    alike = {"orig_input": pictures, "orig_output": pooled.output, **windows}
    of_argmax = {"input": pictures, "argmax": pooled.argmax, **windows}
    assert np.allclose(r.MaxPoolGradWithArgmax(grad=grad, **of_argmax), r.MaxPoolGrad(grad=grad, **alike))
    assert np.allclose(r.MaxPoolGradGradWithArgmax(grad=tangent, **of_argmax), r.MaxPoolGradGrad(grad=tangent, **alike))


def test_a_wrong_call_after_right_ones_is_refused():
    r, x = tf.raw_ops, tf.ones([2, 3])
    right = [(r.AddV2, {"x": x, "y": x}), (r.Sum, {"input": x, "axis": [0]}), (r.SqrtGrad, {"y": x, "dy": x}),
             (r.SpaceToDepth, {"input": tf.ones([1, 2, 2, 1]), "block_size": 2})]  # fmt: skip
    for op, arguments in right * 2:
        op(**arguments)
    for (op, arguments), wrong in zip(
        right, ({"y": tf.ones([2, 3], tf.float64)}, {"axis": [0.5]}, {"dy": tf.ones([3])}, {"block_size": 1}),
        strict=True,
    ):  # fmt: skip
        with pytest.raises((tf.errors.InvalidArgumentError, TypeError)):
            op(**arguments | wrong)
    with pytest.raises(TypeError, match="missing a required argument: 'y'"):
        r.AddV2(x=x)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        r.AddV2(x=x, y=x, z=x)
