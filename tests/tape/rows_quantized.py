"""What ops do with tensors of quantized dtypes: constants, casts, moves, comparisons; and what the others raise."""

from rows import raised, row_for

DTYPES = ("qint8", "quint8", "qint16", "quint16", "qint32")
CALLS = """
    tf.constant(1, t)
    tf.constant([1, 2], t)
    tf.constant(1.5, t)
    tf.constant(True, t)
    tf.zeros([2], t)
    tf.ones([2], t)
    tf.fill([2], x[0])
    tf.cast([1, 2, 3], t)
    tf.cast([1.5, -2.5], t)
    tf.cast([300, -300], t)
    tf.cast(x, tf.int32)
    tf.cast(x, tf.float32)
    tf.cast(x, t)
    tf.bitcast(x, tf.int8)
    tf.bitcast(x, tf.uint8)
    tf.bitcast(tf.constant([1, 2], tf.int8), t)
    tf.bitcast(tf.constant([1, 2], tf.uint8), t)
    tf.bitcast(tf.constant([1, 2], tf.int32), t)
    x
    str(x)
    x.numpy()
    x.numpy().dtype
    tf.reshape(x, [3, 1])
    tf.transpose(tf.reshape(x, [1, 3]))
    tf.concat([x, x], 0)
    tf.stack([x, y])
    tf.unstack(x)
    tf.expand_dims(x, 0)
    tf.squeeze(tf.reshape(x, [1, 3]))
    tf.gather(x, [0, 2])
    tf.gather_nd(x, [[0], [2]])
    tf.reverse(x, [0])
    tf.roll(x, 1, 0)
    tf.pad(x, [[1, 1]])
    tf.slice(x, [0], [2])
    tf.broadcast_to(x, [2, 3])
    tf.identity(x)
    tf.shape(x)
    tf.size(x)
    tf.where([True, False, True], x, y)
    tf.boolean_mask(x, [True, False, True])
    tf.scatter_nd([[0], [1]], x[:2], [3])
    tf.tensor_scatter_nd_update(x, [[0]], x[:1])
    tf.unique(x)
    tf.sort(x)
    tf.argsort(x)
    tf.argmax(x)
    tf.reverse_sequence(tf.reshape(x, [1, 3]), [2], 1)
    x==y
    x!=y
    tf.equal(x, y)
    tf.not_equal(x, y)
    x<y
    x>=y
    tf.less(x, y)
    tf.maximum(x, y)
    tf.minimum(x, y)
    x+y
    x-y
    x*y
    x//y
    x%y
    -x
    abs(x)
    x+1
    x&y
    ~x
    tf.bitwise.bitwise_and(x, y)
    tf.bitwise.left_shift(x, y)
    tf.add_n([x, y])
    tf.reduce_sum(x)
    tf.reduce_max(x)
    tf.reduce_mean(x)
    tf.reduce_prod(x)
    tf.cumsum(x)
    tf.matmul(tf.reshape(x, [1, 3]), tf.reshape(x, [3, 1]))
    tf.linalg.matvec(tf.reshape(x, [1, 3]), x)
    tf.tensordot(x, y, 1)
    tf.einsum('i, i->', x, y)
    tf.exp(x)
    tf.sqrt(x)
    tf.square(x)
    tf.sign(x)
    tf.nn.relu6(x)
    tf.nn.softmax(x)
    tf.nn.bias_add(tf.reshape(x, [1, 3]), x)
    tf.nn.top_k(x, 1)
    tf.TensorArray(t, 1).write(0, x).stack()
    tf.function(lambda a:a)(x)
    tf.function(lambda a:tf.cast(a, tf.float32))(x)
    tf.cond(tf.constant(True), lambda:x, lambda:y)
    tf.map_fn(lambda a:a, x)
    tf.debugging.assert_equal(x, y)
    tf.debugging.check_numerics(x, 'a')
    tf.math.is_nan(x)
    tf.convert_to_tensor(x.numpy())
    tf.constant(x.numpy())
    np.asarray(x)
    tf.space_to_batch(tf.reshape(x[:2], [1, 2, 1]), [2], [[0, 0]])
    tf.stop_gradient(x)
    tf.ensure_shape(x, [3])
    tf.unravel_index([1], [2])
    tf.math.bincount(x)
    tf.searchsorted(x, y)
    tf.meshgrid(x, y)
    tf.linalg.diag(x)
    tf.linalg.band_part(tf.reshape(x, [1, 3]), 0, 0)
    tf.raw_ops.Pack(values=[x, y], axis=0)
"""


@row_for(call=[each.strip() for each in CALLS.strip().splitlines()])
def called(tf, np, call):
    """For each dtype `t`, what a call with tensors `x` and `y` of it gives, as text, or the exception."""

    def shown(value):
        return tuple(map(shown, value)) if isinstance(value, list | tuple) else repr(value)

    results = []
    for t in (getattr(tf, name) for name in DTYPES):
        x = y = tf.cast(tf.constant([1, 2, 3]), t)
        given = []
        refused = raised(lambda t=t, x=x, y=y, given=given: given.append(
            shown(eval(call, {"tf": tf, "np": np, "t": t, "x": x, "y": y}))
        ))  # fmt: skip
        results.append(refused if refused.error else given[0])
    return results
