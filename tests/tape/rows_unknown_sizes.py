"""Wrong calls in functions of unknown sizes: what is wrong for all sizes is said when the function is traced.

And right ones, of which some are right for few sizes only.
"""

import re

from rows import raised, row_for

# By name: the shape, dtype and spec of an argument.
ARGUMENTS = {
    "a": ([3, 4], "float32", [None, 4]),
    "b": ([3, 4], "float32", [3, None]),
    "c": ([2, 5], "float32", [None, 5]),
    "d": ([44], "float32", [None]),
    "v": ([3], "float32", [None]),
    "v3": ([3], "float32", [3]),
    "vi": ([3], "int32", [None]),
    "s": ([], "float32", []),
    "n": ([], "int32", []),
    "im": ([1, 4, 4, 3], "float32", [None, None, None, 3]),
    "ke": ([2, 2, 3, 3], "float32", [None, None, 3, 3]),
    "ke2": ([2, 2, 5, 3], "float32", [2, 2, 5, 3]),
    "u": ([3, 4], "float32", None),
    "bu": ([3], "bool", None),
    "sizes": ([2], "int32", [None]),
}
WRONG = """
    tf.matmul(a, b)
    tf.matmul(a, v)
    tf.add(a, c)
    a+c
    a+v3
    tf.concat([a, v], 0)
    tf.concat([a, c], 0)
    tf.concat([a, b], 5)
    tf.concat([s, s], 0)
    tf.stack([a, v])
    tf.stack([a, c])
    tf.stack([a, b], 5)
    tf.unstack(a, num=3, axis=1)
    tf.split(a, 3, axis=1)
    tf.split(a, [1, 1], axis=1)
    tf.split(a, [1, 5], axis=1)
    tf.reshape(v3, [2, 2])
    tf.reshape(a, [])
    tf.expand_dims(a, 5)
    tf.squeeze(a, [1])
    tf.transpose(a, [0])
    tf.tile(a, [2])
    tf.pad(a, [[1, 1]])
    tf.pad(a, [[1, 1], [1, 1], [0, 0]])
    tf.slice(a, [0], [1])
    s[0]
    tf.gather(a, [0], axis=5)
    tf.gather(s, [0])
    tf.gather(a, 1.5)
    tf.gather(a, [0], batch_dims=3)
    tf.gather_nd(a, [[0, 0, 0]])
    tf.boolean_mask(s, [True])
    tf.where(a>0, c, c)
    tf.where(a>0, v3, v3)
    tf.reduce_sum(a, 5)
    tf.reduce_mean(a, axis=1.5)
    tf.argmax(a, 5)
    tf.nn.softmax(a, 5)
    tf.nn.softmax(s)
    tf.nn.conv2d(im, ke2, 1, 'SAME')
    tf.nn.conv2d(a, ke, 1, 'SAME')
    tf.nn.conv2d(im, ke, 1, 'BAD')
    tf.nn.max_pool2d(a, 2, 1, 'SAME')
    tf.nn.bias_add(a, v3)
    tf.nn.bias_add(a, a)
    tf.nn.sparse_softmax_cross_entropy_with_logits(vi, v3)
    tf.nn.sparse_softmax_cross_entropy_with_logits(v3, a)
    tf.nn.sigmoid_cross_entropy_with_logits(a, c)
    tf.nn.embedding_lookup(a, v3)
    tf.nn.embedding_lookup(s, vi)
    tf.nn.moments(a, [5])
    tf.nn.batch_normalization(a, v3, v3, None, None, 1e-3)
    tf.nn.top_k(a, 9)
    tf.nn.top_k(s, 1)
    tf.nn.top_k(v3, 9)
    tf.one_hot(vi, -1)
    tf.one_hot(v3, 3)
    tf.linalg.det(v3)
    tf.linalg.trace(v3)
    tf.linalg.diag_part(v3)
    tf.einsum('ij, jk->ik', a, b)
    tf.einsum('ijk->i', a)
    tf.broadcast_to(a, [2])
    tf.broadcast_to(v3, [2, 2])
    tf.scatter_nd([[0]], v3, [5])
    tf.scatter_nd([[0, 0, 0]], v3, [5])
    tf.tensor_scatter_nd_update(a, [[0]], v3)
    tf.tensor_scatter_nd_update(a, [[0, 0, 0]], v3)
    tf.math.unsorted_segment_sum(a, vi, -1)
    tf.map_fn(lambda r:r, s)
    tf.while_loop(lambda q:q<3, lambda q:tf.expand_dims(q, 0), [n])
    tf.case([])
    tf.random.uniform([2], dtype=tf.int32)
    tf.reverse(a, [5])
    tf.reverse(a, [0, 0])
    tf.sort(s)
    tf.sort(a, axis=5)
    tf.argsort(a, direction='X')
    tf.clip_by_value(a, c, c)
    tf.norm(a, ord='bad')
    tf.clip_by_norm(a, v3)
    tf.linalg.normalize(a, axis=5)
    tf.signal.rfft(s)
    tf.signal.frame(s, 2, 1)
    a.shape[0]*2
    tf.reshape(a, [a.shape[0]*2])
    tf.constant(n, shape=[2])
    tf.TensorShape([n])
    tf.math.reduce_std(a, axis=7)
    tf.math.in_top_k(v3, a, 1)
    tf.nn.depthwise_conv2d(im, ke2, [1, 1, 1, 1], 'SAME')
    tf.nn.conv1d(a, ke, 1, 'SAME')
    tf.nn.lrn(a)
    tf.nn.l2_normalize(a, 7)
    tf.nn.space_to_depth(a, 2)
    tf.nn.depth_to_space(im, 2)
    tf.extract_volume_patches(a, [1, 1, 1, 1, 1], [1, 1, 1, 1, 1], 'SAME')
    tf.image.extract_patches(a, [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], 'SAME')
"""
RIGHT = """
    tf.reshape(d, [-1, 11])
    tf.reshape(a, [2, -1])
    tf.matmul(b, a, transpose_a=True)
    a + b
    tf.concat([a, b], 0)
    tf.concat([v, d], 0)
    tf.stack([v, v3])
    tf.reshape(d, [4, 11]) + 1.0
    tf.split(d, 11)
    tf.nn.conv2d(im, ke, 1, "VALID")
    tf.nn.softmax_cross_entropy_with_logits(a, a)
    tf.einsum("ij,ij->i", a, b)
    d[40:] + s
    tf.broadcast_to(v, [2, 3])
    tf.gather(a, vi)
    tf.ensure_shape(d, [44])
    tf.squeeze(im, [0])
    tf.concat([d, v3], 0) * tf.ones([47])
    tf.reshape(a, [2, 6])
    tf.reshape(im, [16, 3])
    tf.nn.max_pool2d(im, 4, 1, "VALID")
    tf.matmul(a, tf.ones([4, 2])) + tf.ones([3, 2])
    tf.ensure_shape(im, [1, 4, 4, 3])
"""


def lines(text):
    return [each.strip() for each in text.strip().splitlines()]


def function(tf, text):
    """A function of what a call names, with unknown sizes; and arguments for it."""
    names = [name for name in ARGUMENTS if re.search(rf"(?<![\w.'\"]){name}(?![\w'\"(=])", text)]
    specs = [tf.TensorSpec(spec, dtype) for _, dtype, spec in map(ARGUMENTS.get, names)]
    code = compile(text, "<a call>", "eval")
    f = tf.function(lambda *args: eval(code, {"tf": tf, **dict(zip(names, args, strict=True))}), input_signature=specs)
    return f, [tf.ones(shape, dtype) for shape, dtype, _ in map(ARGUMENTS.get, names)]


@row_for(call=lines(WRONG))
def wrong(tf, call):
    return raised(function(tf, call)[0].get_concrete_function)


@row_for(call=lines(RIGHT))
def right(tf, call):
    f, arguments = function(tf, call)
    return f.get_concrete_function()(*arguments)
