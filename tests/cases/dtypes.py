"""Cases of dtypes and values at the edge of what ops take; found by giving every op every dtype."""

from cases._case import Case, c64, f16, f32, i8, i32, invertible, literal, points, posdef, probabilities, u8, using

_INF, _NAN = float("inf"), float("nan")
_CONJUGATE = "TensorFlow forgets to conjugate"
_HALF = using(lambda tf: tf.constant(3.0, tf.float16))
_TEXT = literal([["a", "b"], ["c", "d"], ["e", "f"]])


def _on_text(symbol, *args, **kwargs):
    return Case(symbol, _TEXT, *args, **kwargs)


_MOVED = [
    _on_text("tf.ensure_shape", [None, 2]),
    _on_text("tf.roll", [1, 1], [0, 1]),
    _on_text("tf.reverse_sequence", [1, 2, 2], 1, 0),
    _on_text("tf.gather_nd", [[0, 1], [2, 0]]),
    _on_text("tf.tensor_scatter_nd_update", [[0, 1]], literal(["z"])),
    Case("tf.scatter_nd", [[1], [1], [0]], literal(["y", "z", "x"]), [3]),
    Case("tf.dynamic_stitch", [[0, 2], [1]], [literal(["a", "c"]), literal(["b"])]),
    _on_text("tf.linalg.matrix_transpose"),
    _on_text("tf.pad", [[0, 1], [1, 0]]),
    _on_text("tf.pad", [[0, 1], [1, 0]], constant_values="x"),
    _on_text("tf.signal.fftshift"),
    Case("tf.signal.frame", literal(["a", "b", "c"]), 2, 1),
    Case("tf.nn.space_to_depth", literal([[[["a"], ["b"]], [["c"], ["d"]]]]), 2),
    _on_text("tf.ensure_shape", [None, 3]).raises(),
    _on_text("tf.gather_nd", [[5]]).raises(),
]

_NUMBERS = [
    Case("tf.range", _HALF),
    Case("tf.range", using(lambda tf: tf.constant(1.0, tf.bfloat16)), 4.0),
    Case("tf.linspace", i8(value=1), 4, 4),
    Case("tf.math.reduce_euclidean_norm", i8(value=[100, 100, 3])),
    Case("tf.math.reduce_euclidean_norm", u8(value=[200, 100, 3])),
    Case("tf.math.reduce_euclidean_norm", i32(value=[2**31 - 1, 5])),
    Case("tf.math.segment_max", literal([-_INF, -_INF, 1.0]), [0, 0, 1]).set(order=0),
    Case("tf.math.segment_min", literal([_INF, _INF, 1.0]), [0, 0, 1]).set(order=0),
    Case("tf.math.special.expint", literal([-1.0, 0.0, 1.0, -_INF, _INF, -0.0])).set(order=0),
    Case("tf.nn.conv1d_transpose", i32(1, 3, 2), i32(2, 1, 2), [1, 4, 1], 1, "VALID"),
    Case("tf.nn.conv2d_transpose", i32(1, 3, 3, 1), i32(2, 2, 1, 1), [1, 6, 6, 1], 2, "SAME"),
    Case("tf.nn.scale_regularization_loss", i8(3)),
    Case("tf.nn.scale_regularization_loss", i32(3)),
    Case("tf.nn.compute_average_loss", u8(3)),
    Case("tf.nn.sufficient_statistics", i8(4), [0]),
    Case("tf.SparseTensor.__truediv__", using(lambda tf: tf.SparseTensor([[1]], tf.constant([3], tf.int8), [2])), i8(
        value=2)).then(lambda tf, result, *_: result.values),
    Case("tf.nn.silu", c64(3)).differs(gradients=_CONJUGATE, second=_CONJUGATE),
    Case("tf.image.rgb_to_yiq", c64(2, 3)),
]

_SHAPES = [
    Case("tf.searchsorted", f32(0, 3), f32(0, 2)),
    Case("tf.searchsorted", f32(2, 0), f32(2, 2)),
    Case("tf.bitcast", f32(0, 2), using(lambda tf: tf.uint8)),
    Case("tf.sequence_mask", i32(2, 0)),
    Case("tf.reverse", f32(), [0]),
    Case("tf.range", i32(value=[3])),
    Case("tf.nn.softmax_cross_entropy_with_logits", probabilities(1, 2, 3), f32(2, 3)),
    Case("tf.nn.softmax_cross_entropy_with_logits", probabilities(2, 3), f32(1, 2, 3)).set(order=0),
    Case("tf.nn.softmax_cross_entropy_with_logits", probabilities(2, 1, 3), f32(2, 4, 3)).raises(),
    Case("tf.nn.conv2d", f32(1, 4, 4, 2), f32(0, 2, 2, 2), 1, "SAME").raises(),
    Case("tf.nn.weighted_moments", f32(), [0], literal([1.0, 2.0])).set(wrt=0),
    Case("tf.math.bincount", i32(0)),
]

_RAGGED = using(lambda tf: tf.ragged.constant([[3, 1, 4], [], [5]]))
_ROWS = using(lambda tf: tf.RaggedTensorSpec([None], tf.int32))
_COMPOSITES = [
    Case("tf.map_fn", using(lambda tf: tf.math.square), _RAGGED),
    Case("tf.map_fn", using(lambda tf: tf.reduce_sum), _RAGGED, fn_output_signature=using(lambda tf: tf.int32)),
    Case("tf.map_fn", using(lambda tf: lambda row: row[0] * row[1]), (_RAGGED, i32(value=[1, 2, 3])),
         fn_output_signature=_ROWS),
    Case("tf.map_fn", using(lambda tf: tf.reduce_sum), _RAGGED).raises(),
    Case("tf.sparse.from_dense", i32(value=[[1, 0], [0, 8]])).then(lambda tf, result, *_: str(result)),
]

_REFUSED = [
    Case("tf.cumsum", i32(value=[1]), 2).raises(),
    Case("tf.math.in_top_k", [1], literal([[1, 2]]), 1).raises(),
    Case("tf.math.bincount", i32(value=[2**31 - 1, 3])).raises(),
    Case("tf.math.ndtri", f16(2)).raises(),
    Case("tf.math.reciprocal", i32(2)).raises(),
    Case("tf.math.round", c64(2)).raises(),
    Case("tf.truncatediv", c64(2), c64(2)).raises(),
    Case("tf.linalg.cholesky", f16(2, 2)).raises(),
    Case("tf.linalg.matmul", u8(2, 2), u8(2, 2)).raises(),
    Case("tf.linalg.matmul", points([[[1, 2], [3, 4]]], dtype="int16"), points([[[2, 3], [4, 5]]], dtype="int16")),
    Case("tf.cast", points(0.0, 1.5, 300.0, -2.0, dtype="float16"), using(lambda tf: tf.uint64)),
    Case("tf.math.special.dawsn", f16(2)).raises(),
]

_COMPLEX = [
    Case("tf.realdiv", c64(3), c64(3)),
    Case("tf.math.reciprocal_no_nan", c64(3)),
    Case("tf.math.unsorted_segment_prod", c64(4), [0, 0, 1, 1], 2).set(order=1),
    Case("tf.linalg.diag", c64(2)),
    Case("tf.linalg.diag_part", c64(2, 2)),
    Case("tf.linalg.set_diag", c64(2, 2), c64(2)),
    Case("tf.linalg.trace", c64(2, 2)),
    Case("tf.linalg.tensor_diag", c64(2)),
    Case("tf.linalg.tensor_diag_part", c64(2, 2)),
    Case("tf.linalg.cholesky_solve", posdef(2, dtype="complex64"), c64(2, 1)).set(order=1),
    Case("tf.linalg.lu_reconstruct", invertible(2, dtype="complex64"), i32(value=[1, 0])).set(order=1),
    Case("tf.linalg.lu_solve", invertible(2, dtype="complex64"), i32(value=[1, 0]), c64(2, 1)).set(order=1),
    Case("tf.linalg.lu_matrix_inverse", invertible(2, dtype="complex64"), i32(value=[1, 0])).set(order=1),
    Case("tf.linalg.banded_triangular_solve", invertible(2, dtype="complex64"), c64(2, 1)).set(order=1),
    Case("tf.image.extract_patches", c64(1, 3, 3, 1), [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"),
]

CASES = [*_COMPLEX, *_COMPOSITES, *_MOVED, *_NUMBERS, *_SHAPES, *_REFUSED]
