"""Calls that are wrong for every size that an input signature leaves unknown: found while a function is traced."""

from rows import row, row_for

CALLS = {
    "matmul": lambda tf, x: tf.matmul(x, tf.zeros([4, 5])),
    "add": lambda tf, x: x + tf.zeros([4]),
    "concat": lambda tf, x: tf.concat([x, tf.zeros([2, 4])], 0),
    "stack": lambda tf, x: tf.stack([x, tf.zeros([2, 4])]),
    "reshape": lambda tf, x: tf.reshape(x, [2, 2]),
    "squeeze": lambda tf, x: tf.squeeze(x, [1]),
    "split": lambda tf, x: tf.split(x, 2, axis=1),
    "unstack": lambda tf, x: tf.unstack(x, 4, axis=1),
    "broadcast_to": lambda tf, x: tf.broadcast_to(x, [2, 4]),
    "bias_add": lambda tf, x: tf.nn.bias_add(x, tf.zeros([4])),
    "where": lambda tf, x: tf.where(x > 0, x, tf.zeros([4])),
    "einsum": lambda tf, x: tf.einsum("ij,jk->ik", x, tf.zeros([4, 5])),
    "ensure_shape": lambda tf, x: tf.ensure_shape(x, [None, 4]),
    "gather_nd": lambda tf, x: tf.gather_nd(x, [[0, 0, 0]]),
    "update": lambda tf, x: tf.tensor_scatter_nd_update(x, [[0]], tf.zeros([1, 4])),
    "set_diag": lambda tf, x: tf.linalg.set_diag(x, tf.zeros([2, 4])),
    "matvec": lambda tf, x: tf.linalg.matvec(x, tf.zeros([4])),
    "top_k": lambda tf, x: tf.math.top_k(x, 9),
    "add_n": lambda tf, x: tf.add_n([x, tf.zeros([2, 4])]),
    "loss": lambda tf, x: tf.keras.losses.mse(x, tf.zeros([2, 4])),
    "cond": lambda tf, x: tf.cond(x[0, 0] > 0, lambda: tf.matmul(x, tf.zeros([4, 5])), lambda: tf.zeros([4, 5])),
    "sum of sizes that may fit": lambda tf, x: x + tf.zeros([7, 3]),
    "right": lambda tf, x: x + tf.zeros([2, 3]),
}
SIGNATURES = {"rows": [None, 3], "sizes": [None, None], "rank": None}
_OF_BRANCHES = "a branch is traced for the sizes of the call, also where it is not taken"
DIFFERING = {
    ("bias_add", "sizes"): "TensorFlow broadcasts where it does not know the sizes",
    ("cond", "sizes"): _OF_BRANCHES, ("cond", "rank"): _OF_BRANCHES,
}  # fmt: skip


@row_for(call=list(CALLS), signature=list(SIGNATURES), differing=DIFFERING)
def a_call_is_wrong_for_all_sizes(tf, np, call, signature):
    f = tf.function(
        lambda x: CALLS[call](tf, x), input_signature=[tf.TensorSpec(SIGNATURES[signature])], autograph=False
    )
    try:
        return f(tf.zeros([2, 3]))
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        return type(error).__name__


@row
def a_size_that_the_op_itself_asks_for(tf, np):
    spec = tf.TensorSpec([None, None])
    f = tf.function(
        lambda x, transforms: tf.raw_ops.ImageProjectiveTransformV2(
            images=x, transforms=transforms, output_shape=[2, 2], interpolation="NEAREST"
        ),
        input_signature=[tf.TensorSpec([1, 4, 4, 1]), spec],
    )
    return f(tf.reshape(tf.range(16.0), [1, 4, 4, 1]), tf.constant([[1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]]))


@row_for(sizes=[(2, 3), (2, 2)])
def sizes_of_two_inputs_that_may_be_equal(tf, np, sizes):
    spec = tf.TensorSpec([None, 3])
    f = tf.function(lambda x, y: (tf.concat([x, y], 1), tf.ones([2, 4]) @ tf.ones([4, 1])), input_signature=[spec] * 2)
    try:
        return f(*[tf.zeros([size, 3]) for size in sizes])
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        return type(error).__name__
