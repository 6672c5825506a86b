"""What stands where TensorFlow asks for an integer: floats, True, NumPy's numbers, dimensions; sparse operands."""

from rows import raised, row, row_for

NUMBERS = {
    "2": lambda tf, np: 2, "2.0": lambda tf, np: 2.0, "2.6": lambda tf, np: 2.6, "True": lambda tf, np: True,
    "float32": lambda tf, np: np.float32(2), "float64": lambda tf, np: np.float64(2.0),
    "int64": lambda tf, np: np.int64(2), "array": lambda tf, np: np.array(2.0),
    "Dimension": lambda tf, np: tf.compat.v1.Dimension(2),
}  # fmt: skip


def picture(tf):
    return tf.reshape(tf.range(64.0), (1, 4, 4, 4))


def matrices(tf):
    return tf.reshape(tf.range(16.0), (1, 4, 4))


def filters(tf):
    return tf.ones((2, 2, 4, 3))


ATTRIBUTES = {
    "patches": lambda tf, n: tf.image.extract_patches(picture(tf), [1, n, n, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"),
    "strides": lambda tf, n: tf.nn.conv2d(picture(tf), filters(tf), [1, n, n, 1], "SAME"),
    "dilations": lambda tf, n: tf.nn.conv2d(picture(tf), filters(tf), 1, "SAME", dilations=[1, n, n, 1]),
    "padding": lambda tf, n: tf.nn.conv2d(picture(tf), filters(tf), 1, [[0, 0], [n, 1], [1, 1], [0, 0]]),
    "window": lambda tf, n: tf.nn.max_pool2d(picture(tf), [n, 2], 2, "SAME"),
    "steps of a window": lambda tf, n: tf.nn.avg_pool2d(picture(tf), 2, [n, n], "SAME"),
    "block": lambda tf, n: tf.nn.space_to_depth(picture(tf), n),
    "radius": lambda tf, n: tf.nn.local_response_normalization(picture(tf), depth_radius=n),
    "transposed": lambda tf, n: tf.nn.conv2d_transpose(picture(tf), tf.ones((2, 2, 3, 4)), (1, 8, 8, 3), [n, n]),
    "rate": lambda tf, n: tf.nn.atrous_conv2d(picture(tf), filters(tf), n, "SAME"),
    "squeezed": lambda tf, n: tf.squeeze(tf.zeros((1, 1, 1)), [n]),
    "stacked along": lambda tf, n: tf.stack([matrices(tf)] * 2, axis=n),
}  # fmt: skip
SCALARS = {
    "sum along": lambda tf, n: tf.reduce_sum(picture(tf), n),
    "joined along": lambda tf, n: tf.concat([matrices(tf)] * 2, n),
    "axis at": lambda tf, n: tf.expand_dims(matrices(tf), n),
    "cumsum": lambda tf, n: tf.cumsum(matrices(tf), n),
    "depth": lambda tf, n: tf.one_hot([1], n),
    "largest": lambda tf, n: tf.nn.top_k(matrices(tf), n)[0],
    "repeats": lambda tf, n: tf.repeat([1.0, 2.0], n),
    "steps": lambda tf, n: tf.linspace(0.0, 1.0, n),
    "bins": lambda tf, n: tf.histogram_fixed_width([1.0, 2.0], [0.0, 2.0], n),
    "band": lambda tf, n: tf.linalg.band_part(matrices(tf), n, 0),
    "diagonal": lambda tf, n: tf.linalg.diag([1.0, 2.0], k=n),
    "size": lambda tf, n: tf.zeros(n),
    "segments": lambda tf, n: tf.math.unsorted_segment_sum([1.0, 2.0], [0, 0], n),
    "cut": lambda tf, n: tf.strings.substr("abcde", 1, n),
    "sorted": lambda tf, n: tf.sort(matrices(tf), n),
}  # fmt: skip
SIZES = {
    "reshaped": lambda tf, n: tf.reshape(tf.range(4), (n, -1)),
    "tiled": lambda tf, n: tf.tile([[1, 2]], (n, 1)),
    "zeros": lambda tf, n: tf.zeros((n, 3)),
    "filled": lambda tf, n: tf.fill((n,), 1.0),
    "broadcast": lambda tf, n: tf.broadcast_to([1, 2], (n, 2)),
    "drawn": lambda tf, n: tf.random.stateless_uniform((n,), [1, 2]),
    "cut out": lambda tf, n: tf.slice(matrices(tf)[0], (0, 0), (n, 2)),
    "padded": lambda tf, n: tf.pad([1, 2], [[0, n]]),
    "split": lambda tf, n: tf.split(tf.range(3), (n, 1))[0],
    "unstacked": lambda tf, n: tf.unstack(tf.ones([2, 3]), n)[1],
    "gathered": lambda tf, n: tf.gather(tf.range(4), n),
    "range": lambda tf, n: tf.range(n),
    "mask": lambda tf, n: tf.sequence_mask([1], n),
    "power": lambda tf, n: tf.pow(n, 2),
    "larger": lambda tf, n: tf.maximum(n, 3),
    "constant": lambda tf, n: tf.constant(n),
    "list": lambda tf, n: tf.convert_to_tensor([3, n]),
    "cast": lambda tf, n: tf.cast(n, tf.float32),
    "times": lambda tf, n: n * tf.constant([1.0, 2.0]),
    "resized": lambda tf, n: tf.image.resize(picture(tf), (n, n)),
}  # fmt: skip


def answered(tf, np, function, number):
    try:
        return function(tf, NUMBERS[number](tf, np))
    except Exception as error:
        return type(error).__name__


@row_for(
    call=list(ATTRIBUTES), number=list(NUMBERS),
    differing={("stacked along", "Dimension"): "TensorFlow takes a Dimension for other attributes, not for this one."},
)
def of_attributes(tf, np, call, number):
    return answered(tf, np, ATTRIBUTES[call], number)


@row_for(call=list(ATTRIBUTES), number=["2.0", "2.6", "float32"])
def of_attributes_in_functions(tf, np, call, number):
    return tf.function(lambda: ATTRIBUTES[call](tf, NUMBERS[number](tf, np)))()


@row_for(call=list(SCALARS), number=["2", "2.0", "float32", "float64", "array", "int64"])
def of_scalars(tf, np, call, number):
    return answered(tf, np, SCALARS[call], number)


@row_for(call=[name for name in SCALARS if name != "segments"])
def of_true(tf, np, call):
    return SCALARS[call](tf, True), tf.function(lambda: SCALARS[call](tf, True))()


@row_for(call=list(SIZES))
def of_dimensions(tf, np, call):
    return answered(tf, np, SIZES[call], "Dimension")


@row
def dimensions_beside_floats(tf, np):
    return raised(lambda: tf.compat.v1.Dimension(3) * tf.constant([1.0]))


OPERANDS = {
    "tensor": lambda tf: tf.constant([[2.0, 3, 4], [5, 6, 7]]), "row": lambda tf: tf.constant([[2.0, 3, 4]]),
    "variable": lambda tf: tf.Variable([[2.0, 3, 4], [5, 6, 7]]), "number": lambda tf: 2.0,
    "sparse": lambda tf: tf.sparse.from_dense([[1.0, 0, 2], [0, 3, 0]]),
}  # fmt: skip


@row_for(other=list(OPERANDS), order=["sparse first", "sparse last"], operator=["*", "/", "divide", "multiply", "+"])
def beside_sparse_tensors(tf, np, other, order, operator):
    import operator as python

    function = {
        "*": python.mul, "/": python.truediv, "divide": tf.divide, "multiply": tf.multiply, "+": python.add
    }[operator]  # fmt: skip
    x, y = OPERANDS["sparse"](tf), OPERANDS[other](tf)
    try:
        result = function(x, y) if order == "sparse first" else function(y, x)
    except Exception as error:
        return type(error).__name__
    return tf.sparse.to_dense(result) if isinstance(result, tf.sparse.SparseTensor) else result


@row
def dense_times_sparse_in_functions(tf, np):
    @tf.function
    def f(x, values):
        with tf.GradientTape() as tape:
            tape.watch([x, values])
            y = (x * tf.sparse.SparseTensor([[0, 0], [1, 2]], values, [2, 3])).values
        return y, tape.gradient(y, [x, values])

    return f(tf.constant([[2.0, 3, 4], [5, 6, 7]]), tf.constant([1.0, 2.0]))
