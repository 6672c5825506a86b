"""Calls that are wrong whatever the values, one line a call, of which the class of the exception is compared; and
neighbours of them that are not wrong.
"""

from rows import raised, row, row_for

F = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
WHOLE = [[1, 2, 3], [4, 5, 6]]


def _glimpses(tf, x, boxes):
    return tf.raw_ops.CropAndResizeGradImage(
        grads=tf.reshape(x, [1, 2, 3, 1]), boxes=boxes, box_ind=[0], image_size=[1, 4, 4, 1], T=tf.float32
    )


def _gradient_of_filter(tf, x, y):
    return tf.raw_ops.Conv2DBackpropInput(
        input_sizes=[1, 2, 3, 1], filter=tf.reshape(x, [1, 2, 3, 1]), out_backprop=y, strides=[1] * 4, padding="SAME"
    )


def _seen(tf, x, size):
    return tf.raw_ops.ImageProjectiveTransformV3(
        images=x, transforms=[[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]], output_shape=size, fill_value=0.0,
        interpolation="NEAREST",
    )  # fmt: skip


def _pooled(tf, x, **changed):
    arguments = {"ksize": [1] * 4, "strides": [1] * 4, "padding": "SAME", **changed}
    return tf.raw_ops.MaxPool(input=tf.reshape(x, [1, 2, 3, 1]), **arguments)


# Functions of a float32 and an int32 matrix.
RAW = {
    "axis None": lambda tf, f, i: tf.raw_ops.Max(input=f, axis=None),
    "float for int": lambda tf, f, i: tf.raw_ops.AddV2(x=i, y=1.5),
    "tensors of two dtypes": lambda tf, f, i: tf.raw_ops.AddV2(x=i, y=f),
    "padding of another dtype": lambda tf, f, i: tf.raw_ops.MatrixDiagPartV2(input=i, k=0, padding_value=0.0),
    "tensor of another dtype beside a list": lambda tf, f, i: _glimpses(tf, f, tf.zeros([1, 4], tf.int32)),
    "tensors of two dtypes beside a list": lambda tf, f, i: _gradient_of_filter(tf, f, tf.reshape(i, [1, 2, 3, 1])),
    "text for numbers": lambda tf, f, i: tf.raw_ops.Neg(x=tf.constant(["a"])),
    "bytes": lambda tf, f, i: tf.raw_ops.Bucketize(input=tf.cast(i, tf.uint8), boundaries=[1.0]),
    "indices of bytes": lambda tf, f, i: tf.raw_ops.Tile(input=f, multiples=tf.constant([1, 2], tf.uint8)),
    "text without a meaning": lambda tf, f, i: _pooled(tf, f, padding="other"),
    "too few": lambda tf, f, i: tf.raw_ops.StringToHashBucketFast(input=tf.constant(["a"]), num_buckets=0),
    "number None": lambda tf, f, i: tf.raw_ops.SplitV(value=f, size_splits=[1, 2], axis=1, num_split=None),
    "two axes": lambda tf, f, i: tf.raw_ops.UniqueV2(x=i, axis=[0, 1]),
    "shapes": lambda tf, f, i: tf.raw_ops.BroadcastGradientArgs(s0=[2, 3], s1=[4, 3]),
    "picture of rank 2": lambda tf, f, i: _seen(tf, f, [2, 2]),
    "size of a picture": lambda tf, f, i: _seen(tf, tf.reshape(f, [1, 2, 3, 1]), [0, 2]),
}
PUBLIC = {
    "range": lambda tf, f, i: tf.range(tf.constant([[3]])),
    "lengths of text": lambda tf, f, i: tf.reverse_sequence(tf.constant([["a", "b"]]), [9], 1, 0),
    "negative lengths of text": lambda tf, f, i: tf.reverse_sequence(tf.constant([["a", "b"]]), [-1], 1, 0),
    "numpy axis": lambda tf, f, i: tf.experimental.numpy.sum(f, axis=9),
    "numpy shapes": lambda tf, f, i: tf.experimental.numpy.add(f, tf.ones([4])),
    "numpy matmul": lambda tf, f, i: tf.experimental.numpy.matmul(f, f),
    "numpy text": lambda tf, f, i: tf.experimental.numpy.square(tf.constant(["a"])),
    "numpy tensordot": lambda tf, f, i: tf.experimental.numpy.tensordot(f, f, -1),
    "numpy stack": lambda tf, f, i: tf.experimental.numpy.stack([f, f], axis=5),
    "numpy tril": lambda tf, f, i: tf.experimental.numpy.tril(f[0][0]),
    "numpy argmax": lambda tf, f, i: tf.experimental.numpy.argmax(f, 7),
}


@row_for(call=list(RAW))
def raw_call(tf, call):
    return raised(lambda: RAW[call](tf, tf.constant(F), tf.constant(WHOLE)))


@row_for(call=list(PUBLIC))
def public_call(tf, call):
    return raised(lambda: PUBLIC[call](tf, tf.constant(F), tf.constant(WHOLE)))


@row
def one_hot_of_text(tf):
    of = tf.function(lambda i, on: tf.one_hot(i, 2, on, "b", axis=0))
    return tf.one_hot([1, 5], 3, "a", "b"), of(tf.constant([1]), tf.constant("a"))


@row
def none_is_the_default_of_a_raw_op(tf, np):
    x = tf.constant(F)
    return tf.raw_ops.Max(input=x, axis=1, keep_dims=None), tf.raw_ops.MatMul(a=x, b=x, transpose_b=True, grad_a=None)


@row_for(collapse=[False, True], ignore=[False, True])
def losses_of_repeated_labels(tf, np, collapse, ignore):
    logits = tf.constant(np.sin(np.arange(12, dtype=np.float32)).reshape(3, 1, 4))

    def loss(labels, time):
        losses, gradients = tf.raw_ops.CTCLoss(
            inputs=logits, labels_indices=np.array([[0, n] for n in range(len(labels))], np.int64).reshape(-1, 2),
            labels_values=np.array(labels, np.int32), sequence_length=[time],
            preprocess_collapse_repeated=collapse, ignore_longer_outputs_than_inputs=ignore,
        )  # fmt: skip
        return losses, gradients

    results = [loss(labels, time) for labels, time in (([1, 1], 2), ([1, 1], 3), ([1, 1, 1], 3), ([1, 2], 2))]
    tight = raised(lambda: loss([1, 2], 1), *([] if ignore else ["Not enough time for target transition sequence"]))
    return results, tight, raised(lambda: loss([], 2)), raised(lambda: loss([1, 3, 1], 3))


@row_for(coefficients=["fi", "if", "ffi", "ff", "f"], x=["f", "i"])
def polynomials_of_mixed_dtypes(tf, np, coefficients, x):
    kinds = {"f": tf.float32, "i": tf.int32}
    first, *others = coefficients
    wrong = [("Mul", first, x)] * (first != x) + [("AddV2", other, first) for other in others if other != first]
    coefficients = [tf.constant(2, kinds[letter]) for letter in coefficients]
    if not others or not wrong:
        return tf.math.polyval(coefficients, tf.constant(3, kinds[x]))
    op, wanted, got = wrong[0]
    names = {"f": "float", "i": "int32"}
    text = f"{op} as input #1(zero-based) was expected to be a {names[wanted]} tensor but is a {names[got]} tensor"
    return raised(lambda: tf.math.polyval(coefficients, tf.constant(3, kinds[x])), text)
