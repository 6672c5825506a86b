"""Rows: tensors as messages, and other names that programs and their annotations mention."""

import inspect

import numpy as np
from rows import raised, row

VALUES = (
    5, 1.5, 0.1, "a", True, [True, False], ["a", "b"], [1.0], [1, 2], [1j], [0.1, -2.5], np.float64(2.0), np.int64(3),
    np.uint8([1]), np.float16([1.5, 2.0]), np.float16(1.5), np.int16([3]), np.uint64([1, 2]), np.complex64([1, 2]),
    np.zeros((0, 2)), np.zeros(0, np.float32), np.ones((2, 2), np.float32), [b"\x00\"\n'\\"], [-1],
    [-1, 2], 0.1 + 2j,
)  # fmt: skip


@row
def values_as_messages(tf, np):
    found = []
    for value in VALUES:
        proto = tf.make_tensor_proto(value)
        again = type(proto).FromString(proto.SerializeToString())
        array = tf.make_ndarray(again)
        found.append([
            str(proto), proto.SerializeToString().hex(), again == proto, str(array.dtype), array.shape,
            array.tolist() if array.dtype.kind not in "OcSV" else str(array.tolist()),
        ])  # fmt: skip
    return found


@row
def messages_of_other_shapes_and_dtypes(tf, np):
    make = tf.make_tensor_proto
    wide = make([[1, 2], [3, 4]], dtype=tf.int64, shape=[4])
    return [
        str(wide), tf.make_ndarray(wide), str(make(5, shape=[2, 2])), tf.make_ndarray(make(5, shape=[2, 2])),
        str(make([1, 2], shape=[3])), str(make(tf.constant([1.5], tf.bfloat16))),
        str(make(7, shape=[3], allow_broadcast=True)), make([1.0, 2.0]).dtype, list(make(1.5).float_val),
        [dim.size for dim in make([[1, 2, 3]]).tensor_shape.dim], make([1, 2]) == make([1, 2]),
    ]  # fmt: skip


@row
def what_is_no_message(tf, np):
    make = tf.make_tensor_proto
    return [
        raised(lambda: make([[1, 2], [3]])), raised(lambda: make(None)), raised(lambda: make([1.5], dtype=tf.int32)),
        raised(lambda: make([1], shape=[2], verify_shape=True), "Expected Tensor's shape: (2,), but got (1,)."),
        raised(lambda: make([1, 2, 3], shape=[2]), "Too many elements provided. Takes at most 2, but got 3."),
        raised(lambda: make([1, 2, 3], shape=[2], allow_broadcast=True), "Expected Tensor's shape: (2,)"),
        raised(lambda: tf.make_ndarray(5), "'int' object has no attribute 'tensor_shape'"),
    ]  # fmt: skip


@row
def names_in_annotations(tf, np):
    options, mode = tf.distribute.InputOptions, tf.distribute.InputReplicationMode
    return [
        repr(options()), repr(options(False, mode.PER_REPLICA)), options() == options(), isinstance(options(), tuple),
        options(experimental_per_replica_buffer_size=2).experimental_per_replica_buffer_size,
        isinstance(tf.constant(1), tf.Operation), tf.Operation.__name__,
        list(tf.distribute.get_strategy().experimental_distribute_dataset(tf.data.Dataset.range(2), options())),
    ]  # fmt: skip


@row
def decorators(tf, np):
    made = tf.__internal__.decorator

    def function(a, b):
        """Adds."""
        return a + b

    decorated = made.make_decorator(function, lambda *args: 2 * function(*args))
    around, inner = made.unwrap(decorated)
    return [
        decorated.__name__, decorated.__doc__, str(inspect.signature(decorated)), decorated(1, 2), len(around),
        inner is function, made.unwrap(len)[1] is len,
    ]  # fmt: skip
