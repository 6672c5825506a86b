"""Cases of `tf.sparse`."""

import numpy as np

from cases._case import Case, boolean, c64, f32, f64, i32, i64, literal, made, points, using


def _sparse(values, places=((0, 2), (1, 0), (1, 3)), shape=(3, 4)):
    return made(lambda tf, values, places, shape: tf.SparseTensor(places, values, shape), values, places, shape)


_X = _sparse(f32(3))
_UNORDERED = _sparse(f32(2), ((1, 3), (0, 2)))
_TWICE = _sparse(f32(2), ((0, 2), (0, 2)))
_OTHER = _sparse(f32(2), ((0, 2), (2, 1)))
_INTS = _sparse(i32(value=[1, 2, 5]))
_TEXT = _sparse(literal(["a", "b", "c"]))
_int32 = using(lambda tf: tf.int32)
_NO_JVP = {"jvp": "TensorFlow has none"}
_MISSING = {"gradients": "TensorFlow has none", "jvp": "TensorFlow has none"}

_TENSOR = [
    Case("tf.sparse.SparseTensor", [[0, 2], [1, 0]], f32(2), [3, 4]),
    Case("tf.SparseTensor", [[0, 2]], f32(2), [3, 4]).raises(),
    Case("tf.SparseTensor", [[0, 2]], f32(1), [3]).raises(),
    Case("tf.SparseTensor", [0], f32(1), [3]).raises(),
    Case("tf.SparseTensor", i32(value=[[0, 1]]), f32(1), [3, 3]).raises(),
    Case("tf.SparseTensor.with_values", _X, f32(3)),
    Case("tf.SparseTensor.with_values", _X, f32(2)).raises(),
    Case("tf.SparseTensor.__mul__", _X, f32(3, 1)),
    Case("tf.SparseTensor.__mul__", _X, 2.0).differs(
        gradients="TensorFlow's fails for scalars", jvp="TensorFlow's fails for scalars"
    ),
    Case("tf.SparseTensor.__truediv__", _X, f32(4, low=1.0, high=2.0)),
    Case("tf.SparseTensor.__mul__", _X, _X).raises(),
    Case("tf.SparseTensor.get_shape", _X),
    Case("tf.SparseTensor.set_shape", _X, [4, 4]).raises(),
    Case("tf.convert_to_tensor", _X).raises(),
    Case("tf.add", _X, 1.0).raises(),
    Case("tf.math.square", _X),
    Case("tf.abs", _X).set(smooth=False),
    Case("tf.cast", _X, _int32),
    Case("tf.identity", _X),
    Case("tf.shape", _X),
    Case("tf.rank", _X),
    Case("tf.size", _X),
    Case("tf.is_tensor", _X),
    Case("tf.reduce_sum", _X).raises(),
]

_DENSE = [
    Case("tf.sparse.to_dense", _X),
    Case("tf.sparse.to_dense", _X, f32()),
    Case("tf.sparse.to_dense", _X, default_value=-1),
    Case("tf.sparse.to_dense", _UNORDERED).raises(),
    Case("tf.sparse.to_dense", _UNORDERED, validate_indices=False),
    Case("tf.sparse.to_dense", _TWICE).raises(),
    Case("tf.sparse.to_dense", _sparse(f32(1), [[9, 9]])).raises(),
    Case("tf.sparse.to_dense", _INTS, 1.5).raises(),
    Case("tf.sparse.to_dense", _TEXT),
    Case("tf.sparse.to_dense", _TEXT, "x"),
    Case("tf.sparse.to_dense", _sparse(boolean(3))),
    Case("tf.sparse.to_dense", [1.0]).raises(),
    Case("tf.sparse.from_dense", points(0.0, 1.5, 0.0, -2.0)),
    Case("tf.sparse.from_dense", [[0, 1], [2, 0]]),
    Case("tf.sparse.from_dense", ["", "a"]),
    Case("tf.sparse.reorder", _UNORDERED),
    Case("tf.sparse.reorder", _TWICE),
    Case("tf.sparse.reorder", 1.0).raises(),
    Case("tf.sparse.eye", 2, 3),
    Case("tf.sparse.eye", 2, dtype=_int32),
    Case("tf.sparse.to_indicator", _sparse(i64(value=[2, 0]), ((0, 0), (1, 0)), (2, 1)), 3),
    Case("tf.sparse.to_indicator", _sparse(i64(value=[2, 5]), ((0, 0), (1, 0)), (2, 1)), 3).raises(),
    Case("tf.sparse.map_values", using(lambda tf: tf.add), _X, _sparse(f32(3))),
    Case("tf.sparse.map_values", using(lambda tf: tf.add), _X, _OTHER).raises(),
    Case("tf.sparse.map_values", using(lambda tf: tf.add), 1, 2).raises(),
]

_ARITHMETIC = [
    Case("tf.sparse.add", _X, _OTHER).differs(**_NO_JVP),
    Case("tf.sparse.add", _UNORDERED, _UNORDERED).differs(**_NO_JVP),
    Case(
        "tf.sparse.add", _sparse(f32(value=[1.0, 2.0, 3.0])), _sparse(f32(value=[-1.0]), [[0, 2]]), threshold=0.5
    ).differs(**_NO_JVP),
    Case("tf.sparse.add", _X, f32(3, 4)),
    Case("tf.sparse.add", f32(3, 4), _X),
    Case("tf.sparse.add", _X, f32(4)).raises(),
    Case("tf.sparse.add", _X, _INTS).raises(),
    Case("tf.sparse.add", _X, _sparse(f32(1), [[0, 0]], (4, 4))).raises(),
    Case("tf.sparse.add", f32(3, 4), f32(3, 4)).raises(),
    Case("tf.sparse.maximum", _X, _OTHER).differs(
        gradients="TensorFlow's is broken and raises TypeError, ours LookupError", jvp="as for the gradient"
    ),
    Case("tf.sparse.minimum", _INTS, _INTS),
    Case("tf.sparse.maximum", _X, _sparse(f32(1), [[0, 0]], (4, 4))).raises(),
    Case("tf.sparse.reduce_sum", _X),
    Case("tf.sparse.reduce_sum", _X, 1),
    Case("tf.sparse.reduce_sum", _X, [-1], keepdims=True),
    Case("tf.sparse.reduce_sum", _UNORDERED, 1),
    Case("tf.sparse.reduce_sum", _X, 2).raises(),
    Case("tf.sparse.reduce_sum", _X, 1.0).raises(),
    Case("tf.sparse.reduce_sum", _X, 1, output_is_sparse=True).differs(**_MISSING),
    Case("tf.sparse.reduce_sum", _X, output_is_sparse=True).then(lambda tf, total, x: tf.sparse.to_dense(total))
    .set(order=0),
    Case("tf.sparse.reduce_sum", _X, 0, True, True).differs(**_MISSING),
    Case("tf.sparse.reduce_max", _X).differs(**_MISSING),
    Case("tf.sparse.reduce_max", _X, 1, keepdims=True).differs(**_MISSING),
    Case("tf.sparse.reduce_max", _INTS, [0, 1]),
    Case("tf.sparse.reduce_max", _X, 0, output_is_sparse=True).differs(**_MISSING),
    Case("tf.sparse.reduce_max", _X, -3).raises(),
    Case("tf.sparse.sparse_dense_matmul", _X, f32(4, 2)),
    Case("tf.sparse.sparse_dense_matmul", _sparse(c64(3)), c64(3, 2), adjoint_a=True),
    Case("tf.sparse.sparse_dense_matmul", _X, f32(2, 4), adjoint_b=True),
    Case("tf.sparse.sparse_dense_matmul", f32(2, 3), _X),
    Case("tf.sparse.sparse_dense_matmul", _INTS, i32(4, 2)),
    Case("tf.sparse.sparse_dense_matmul", _X, f32(3, 2)).raises(),
    Case("tf.sparse.sparse_dense_matmul", _X, f32(4)).raises(),
    Case("tf.sparse.sparse_dense_matmul", _X, f64(4, 2)).raises(),
    Case("tf.sparse.softmax", _X),
    Case("tf.sparse.softmax", _sparse(f32(4), ((0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0)), (2, 2, 2))),
    Case("tf.sparse.softmax", _sparse(f32(1), [[0]], [2])).raises(),
    Case("tf.sparse.sampled_addmm", [[0, 0], [1, 0]], f32(2), [2, 2], f32(2, 3), f32(3, 2), beta=0.5, alpha=2.0),
    Case("tf.sparse.segment_sum", f32(3, 2), [0, 2, 1], [0, 0, 1]),
    Case("tf.sparse.segment_sum", f32(3, 2), [0, 2, 1], [0, 0, 2], num_segments=4),
    Case("tf.sparse.segment_sum", f32(3, 2), [0, 2, 2], [0, 0, 1], sparse_gradient=True).set(order=0),
    Case("tf.sparse.segment_sum", i32(3, 2), [0, 2], [1, 0]).raises(),
    Case("tf.sparse.segment_mean", f32(3, 2), [0, 2, 1], [0, 0, 2]),
    Case("tf.sparse.segment_mean", f32(3, 2), [0, 2, 1], [0, 0, 2], num_segments=4),
    Case("tf.sparse.segment_sqrt_n", f32(3, 2), [0, 2, 1], [0, 0, 2]),
]

_SHAPES = [
    Case("tf.sparse.expand_dims", _X, 1),
    Case("tf.sparse.expand_dims", _X),
    Case("tf.sparse.expand_dims", _X, 5).raises(),
    Case("tf.sparse.transpose", _X),
    Case("tf.sparse.transpose", _X, [1, 0]),
    Case("tf.sparse.transpose", _X, [0]).raises(),
    Case("tf.sparse.reshape", _X, [4, 3]),
    Case("tf.sparse.reshape", _X, [-1, 6]),
    Case("tf.sparse.reshape", _X, [2, 3, 2]),
    Case("tf.sparse.reshape", _X, [5, 3]).raises(),
    Case("tf.sparse.reshape", _X, [-1, -1]).raises(),
    Case("tf.sparse.reset_shape", _X),
    Case("tf.sparse.reset_shape", _X, [4, 5]),
    Case("tf.sparse.reset_shape", _X, [2, 2]).raises(),
    Case("tf.sparse.reset_shape", _X, [2]).raises(),
    Case("tf.sparse.retain", _X, [True, False, True]),
    Case("tf.sparse.retain", _X, [True, False]).raises(),
    Case("tf.sparse.slice", _X, [0, 1], [2, 3]),
    Case("tf.sparse.slice", _X, [1, 0], [9, 9]),
    Case("tf.sparse.slice", _X, [0], [1]).raises(),
    Case("tf.sparse.split", _X, 2, 1).differs(**_MISSING),
    Case("tf.sparse.split", sp_input=_X, num_split=3, axis=-1).differs(**_MISSING),
    Case("tf.sparse.split", _X, 2, 5).raises(),
    Case("tf.sparse.split", _X, 9, 1).raises(),
    Case("tf.sparse.concat", 0, [_X, _OTHER]).differs(**_MISSING),
    Case("tf.sparse.concat", -1, [_X, _OTHER]).differs(**_MISSING),
    Case("tf.sparse.concat", 0, [_X, _sparse(f32(1), [[0, 4]], (2, 5))], expand_nonconcat_dims=True).differs(
        **_MISSING
    ),
    Case("tf.sparse.concat", 0, [_X, _sparse(f32(1), [[0, 4]], (2, 5))]).raises(),
    Case("tf.sparse.concat", 2, [_X, _OTHER]).raises(),
    Case("tf.sparse.fill_empty_rows", _X, 9.0),
    Case("tf.sparse.fill_empty_rows", _UNORDERED, f32()),
    Case("tf.sparse.fill_empty_rows", _TEXT, "x"),
    Case("tf.sparse.fill_empty_rows", f32(3), 9.0).raises(),
    Case("tf.sparse.bincount", [1, 1, 3]),
    Case("tf.sparse.bincount", [[1, 1, 3], [0, 2, 2]], axis=-1),
    Case("tf.sparse.bincount", [1, 1, 3], weights=[0.5, 1.0, 2.0]),
    Case("tf.sparse.bincount", [1, 1, 3], minlength=7),
    Case("tf.sparse.bincount", [1, 1, 3], maxlength=2),
    Case("tf.sparse.bincount", i64(value=[1, 1, 3]), binary_output=True),
    Case("tf.sparse.bincount", _INTS, axis=-1),
    Case("tf.sparse.bincount", [1, 1, 3], axis=2).raises(),
    Case("tf.sparse.cross", [literal([["a", "b"], ["c", "d"]]), literal([["e"], ["f"]]), i32(value=[[1, 2], [3, 4]])]),
    Case("tf.sparse.cross", [_TEXT, literal([["e"], ["f"], ["g"]])], separator="-"),
    Case("tf.sparse.cross", [np.array([["a"]])]).raises(),
    Case("tf.sparse.cross_hashed", [literal([["a", "b"], ["c", "d"]]), literal([["e"], ["f"]])], num_buckets=100),
    Case("tf.sparse.cross_hashed", [_TEXT, i64(value=[[1], [2], [3]])], hash_key=12345),
    Case("tf.sparse.mask", made(lambda tf, x: tf.IndexedSlices(x, tf.constant([0, 3, 4])), f32(3, 2)), [3, 9]).then(
        lambda tf, result, *rest: (result.values, result.indices)
    ),
]

CASES = [*_TENSOR, *_DENSE, *_ARITHMETIC, *_SHAPES]
