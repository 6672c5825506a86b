"""Cases of `tf.RaggedTensor`, `tf.ragged`, and of functions with ragged arguments."""

import numpy as np

from cases._case import Case, boolean, f32, i32, i64, literal, made, using

_int32, _int64 = using(lambda tf: tf.int32), using(lambda tf: tf.int64)


def _of_lengths(tf, values, *lengths):
    if values.dtype.is_floating:
        values = values * 1.0  # so that a gradient that TensorFlow keeps as IndexedSlices arrives as a tensor
    return tf.RaggedTensor.from_nested_row_lengths(values, lengths)


def _ragged(values, *lengths):
    return made(_of_lengths, values, *lengths)


_X = _ragged(f32(3), [2, 0, 1])
_DEEP = _ragged(f32(4), [2, 0, 1], [2, 1, 1])
_WIDE = _ragged(f32(3, 2), [2, 1])
_INTS = _ragged(i32(value=[1, 2, 3]), [2, 0, 1])
_BOOLS = _ragged(boolean(value=[False, True, True]), [2, 0, 1])
_TEXT = _ragged(literal(["a", "b", "c"]), [2, 0, 1])
_ROWS = using(lambda tf: tf.RaggedTensor.from_uniform_row_length(tf.range(4), 2))


_FACTORIES = [
    (lambda tf, *_: tf.RaggedTensor.from_row_splits([1, 2], [0, 1]), True),
    (lambda tf, *_: tf.RaggedTensor.from_row_splits([1, 2], [1, 2]), True),
    (lambda tf, *_: tf.RaggedTensor.from_row_splits([1, 2], [0, 2, 1, 2]), True),
    (lambda tf, *_: tf.RaggedTensor.from_row_splits([1, 2], []), True),
    (lambda tf, *_: tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1]), False),
    (lambda tf, *_: tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0]), True),
    (lambda tf, *_: tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=5), False),
    (lambda tf, *_: tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 2, 0]), True),
    (lambda tf, *_: tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 1, 2], nrows=2), True),
    (lambda tf, *_: tf.RaggedTensor.from_row_starts([1, 2, 3], [0, 2]), False),
    (lambda tf, *_: tf.RaggedTensor.from_row_limits([1, 2, 3], [2, 3]), False),
    (lambda tf, *_: tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2).shape, False),
    (lambda tf, *_: tf.RaggedTensor.from_uniform_row_length([1, 2, 3], 2), True),
    (lambda tf, *_: tf.RaggedTensor.from_nested_row_splits([1, 2, 3], [[0, 1], [0, 3]]), False),
    (lambda tf, *_: tf.RaggedTensor.from_nested_value_rowids([1, 2, 3], [[0, 0], [0, 1, 1]]), False),
    (lambda tf, *_: tf.RaggedTensor.from_tensor([[1, 2], [3, 0]], padding=0), False),
    (lambda tf, *_: tf.RaggedTensor.from_tensor([[1, 2], [3, 0]], lengths=[1, 0]), False),
    (lambda tf, *_: tf.RaggedTensor.from_tensor([[[1, 2], [3, 0]]], ragged_rank=2), False),
    (lambda tf, *_: tf.RaggedTensor.from_tensor([1]), True),
    (lambda tf, *_: tf.RaggedTensor.from_tensor([[1, 2], [3, 0]], lengths=[1, 0], padding=1), True),
    (lambda tf, *_: tf.RaggedTensor.from_tensor([[1, 2]], ragged_rank=0), True),
    (lambda tf, *_: tf.RaggedTensor.from_sparse(tf.sparse.from_dense([[1, 2, 0], [0, 0, 0], [3, 0, 0]])), False),
    (lambda tf, *_: tf.RaggedTensor.from_sparse(tf.sparse.from_dense([[0, 2]])), True),
    (lambda tf, *_: str(tf.ragged.constant([[1.0, 2.5], [], [3.0]])), False),
    (lambda tf, *_: str(tf.ragged.constant([[[1, 2], [3]], [], [[4]]])), False),
    (lambda tf, *_: str(tf.ragged.constant([["a", "b"], ["c"]])), False),
    (lambda tf, *_: str(tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2)), False),
    (lambda tf, *_: repr(tf.ragged.constant([[1], []])._type_spec), False),
    (
        lambda tf, *_: tf.RaggedTensorSpec([None, None], tf.int32).is_compatible_with(tf.ragged.constant([[1], []])),
        False,
    ),
    (lambda tf, *_: str(tf.ragged.constant([[1], []]).to_list()), False),
    (lambda tf, *_: bool(tf.ragged.constant([[1], []])), True),
    (lambda tf, *_: tf.RaggedTensor([1], [1]), True),
]


def _made(number, entry):
    function, fails = entry
    case = Case("tf.identity", 0).set(id=f"made {number}").then(function)
    return case.raises() if fails else case


_TENSOR = [
    *[_made(*entry) for entry in enumerate(_FACTORIES)],
    Case("tf.RaggedTensor.to_tensor", _X),
    Case("tf.RaggedTensor.to_tensor", _X, f32()),
    Case("tf.RaggedTensor.to_tensor", _X, shape=[None, 1]),
    Case("tf.RaggedTensor.to_tensor", _X, shape=[5, 4]),
    Case("tf.RaggedTensor.to_tensor", _DEEP),
    Case("tf.RaggedTensor.to_tensor", _WIDE),
    Case("tf.RaggedTensor.to_tensor", _TEXT, "x"),
    Case("tf.RaggedTensor.to_tensor", _X, "a").raises(),
    Case("tf.RaggedTensor.to_sparse", _DEEP),
    Case("tf.RaggedTensor.bounding_shape", _DEEP),
    Case("tf.RaggedTensor.bounding_shape", _DEEP, axis=[0, 2]),
    Case("tf.RaggedTensor.row_lengths", _X),
    Case("tf.RaggedTensor.row_lengths", _DEEP, axis=2),
    Case("tf.RaggedTensor.row_lengths", _DEEP, axis=3).raises(),
    Case("tf.RaggedTensor.value_rowids", _X),
    Case("tf.RaggedTensor.nested_value_rowids", _DEEP),
    Case("tf.RaggedTensor.nested_row_lengths", _DEEP),
    Case("tf.RaggedTensor.nrows", _X),
    Case("tf.RaggedTensor.row_starts", _X),
    Case("tf.RaggedTensor.row_limits", _X),
    Case("tf.RaggedTensor.merge_dims", _DEEP, 0, 1),
    Case("tf.RaggedTensor.merge_dims", _DEEP, 1, 2),
    Case("tf.RaggedTensor.merge_dims", _DEEP, 0, -1),
    Case("tf.RaggedTensor.merge_dims", _WIDE, 1, 2),
    Case("tf.RaggedTensor.with_values", _X, f32(3)),
    Case("tf.RaggedTensor.with_values", _X, f32(2)).raises(),
    Case("tf.RaggedTensor.with_flat_values", _DEEP, f32(4)),
    Case("tf.RaggedTensor.with_row_splits_dtype", _DEEP, _int32),
    Case("tf.RaggedTensor.get_shape", _WIDE),
]

_ITEMS = [
    *[
        Case("tf.RaggedTensor.__getitem__", _X, key).set(order=0)
        for key in (
            0,
            -1,
            slice(1, None),
            slice(None, None, 2),
            (slice(None), slice(None, 1)),
            (..., slice(-1, None)),
            (0, 1),
            None,
            (slice(None), None),
            slice(None, None, -1),
            (slice(None), slice(None, None, -1)),
        )
    ],
    Case("tf.RaggedTensor.__getitem__", _DEEP, 0).set(order=0),
    Case("tf.RaggedTensor.__getitem__", _DEEP, 1).set(order=0),
    Case("tf.RaggedTensor.__getitem__", _DEEP, (0, 1)).set(order=0),
    Case("tf.RaggedTensor.__getitem__", _DEEP, (slice(None), slice(1, None))).set(order=0),
    Case("tf.RaggedTensor.__getitem__", _DEEP, (slice(None), slice(None), slice(None, 1))).set(order=0),
    Case("tf.RaggedTensor.__getitem__", _WIDE, (slice(None), slice(None), 0)).set(order=0),
    Case("tf.RaggedTensor.__getitem__", _WIDE, (0, 1, 1)).set(order=0),
    Case("tf.RaggedTensor.__getitem__", _X, (slice(None), slice(1, None))).set(order=0),
    Case("tf.RaggedTensor.__getitem__", _X, 5).raises(),
    Case("tf.RaggedTensor.__getitem__", _X, (slice(None), 0)).raises(),
]

_OPERATORS = [
    Case("tf.RaggedTensor.__add__", _X, 1),
    Case("tf.RaggedTensor.__rsub__", _X, 1),
    Case("tf.RaggedTensor.__mul__", _X, _ragged(f32(3), [2, 0, 1])),
    Case("tf.RaggedTensor.__mul__", _X, f32(3, 1)),
    Case("tf.RaggedTensor.__add__", _X, f32(2)).raises(),
    Case("tf.RaggedTensor.__add__", _X, _INTS).raises(),
    Case("tf.RaggedTensor.__add__", _X, _ragged(f32(2), [1, 1])).raises(),
    Case("tf.RaggedTensor.__gt__", _X, 0.0),
    Case("tf.RaggedTensor.__eq__", _INTS, 2),
    Case("tf.RaggedTensor.__floordiv__", _INTS, 2),
    Case("tf.RaggedTensor.__and__", _BOOLS, _BOOLS),
    Case("tf.RaggedTensor.__invert__", _BOOLS),
    Case("tf.RaggedTensor.__neg__", _DEEP),
    Case("tf.RaggedTensor.__pow__", _X, 2.0),
    Case("tf.add", _X, f32()),
    Case("tf.math.multiply", f32(3, 1), _X),
    Case("tf.math.truediv", _X, 2.0),
    Case("tf.math.exp", _DEEP),
    Case("tf.maximum", _X, 0.5).set(smooth=False),
    Case("tf.cast", _X, _int32),
    Case("tf.clip_by_value", _X, -1.0, 1.0).set(smooth=False),
    Case("tf.nn.relu", _X).set(smooth=False),
    Case("tf.nn.softmax", _X),
    Case("tf.zeros_like", _X),
    Case("tf.ones_like", _INTS),
    Case("tf.equal", _INTS, 2),
    Case("tf.where", _BOOLS),
    Case("tf.where", _BOOLS, _X, _ragged(f32(3), [2, 0, 1])).set(smooth=False),
    Case("tf.identity", _X),
]

_REDUCTIONS = [
    *[Case("tf.reduce_sum", _X, axis) for axis in (None, 0, 1, -1)],
    *[Case("tf.reduce_sum", _DEEP, axis) for axis in (0, 1, 2, [0, 1], [1, 2])],
    Case("tf.reduce_sum", _X, 1, keepdims=True),
    Case("tf.reduce_sum", _X, 0, keepdims=True),
    Case("tf.reduce_sum", _WIDE, 2),
    Case("tf.reduce_sum", _X, 5).raises(),
    Case("tf.reduce_mean", _X, 1).set(smooth=False),
    Case("tf.reduce_mean", _X),
    Case("tf.reduce_mean", _DEEP, [1, 2]).set(smooth=False),
    Case("tf.reduce_max", _X, 1).set(smooth=False).differs(jvp="TensorFlow gives nan for an empty row"),
    Case("tf.reduce_min", _X, 0).set(smooth=False),
    Case("tf.reduce_prod", _X, 1),
    Case("tf.reduce_any", _BOOLS, 1),
    Case("tf.reduce_all", _BOOLS, 1),
    Case("tf.math.reduce_variance", _ragged(f32(3), [2, 1]), 1).set(smooth=False),
    Case("tf.math.reduce_std", _ragged(f32(4), [2, 2]), 1).set(smooth=False),
    Case("tf.math.cumsum", _X, 1).set(order=0),
]

_STRUCTURE = [
    Case("tf.concat", [_X, _X], 0).set(order=0),
    Case("tf.concat", [_X, _ragged(f32(4), [1, 2, 1])], 1).set(order=0),
    Case("tf.concat", [_X, f32(3, 2)], 1).set(order=0),
    Case("tf.concat", [_DEEP, _DEEP], 2).set(order=0),
    Case("tf.concat", [_TEXT, _TEXT], 1),
    Case("tf.concat", [_X, _X], 2).raises(),
    Case("tf.concat", [_X, _ragged(f32(1), [1])], 1).raises(),
    *[Case("tf.stack", [_X, _X], axis).set(order=0) for axis in (0, 1, 2)],
    *[Case("tf.expand_dims", _X, axis) for axis in (0, 1, 2, -1)],
    Case("tf.expand_dims", _X, 5).raises(),
    Case("tf.tile", _X, [2, 1]).set(order=0),
    Case("tf.tile", _X, [1, 2]).set(order=0),
    Case("tf.size", _X),
    Case("tf.rank", _DEEP),
    Case("tf.gather", _X, [2, 0]).set(order=0),
    Case("tf.gather", f32(4), _INTS),
    Case("tf.gather", _X, _ragged(i32(value=[0, 1, 2]), [1, 2])).set(order=0),
    Case("tf.gather", f32(2, 4, 3), _INTS, axis=1).set(order=1),
    Case("tf.gather", f32(2, 3, 4), _INTS, axis=-1).set(order=0),
    Case("tf.gather", f32(3, 2, 4), _INTS, axis=2, batch_dims=1).set(order=0),
    Case("tf.gather", f32(3, 4), _INTS, axis=1).then(lambda tf, rows, *_: rows.shape),
    Case("tf.gather", _DEEP, [0, 0], axis=2).set(order=0),
    Case("tf.gather", _ragged(f32(4), [2, 2], [1, 0, 2, 1]), [[1], [0]], batch_dims=1).set(order=0),
    Case("tf.gather", _WIDE, _ragged(i32(value=[1, 0, 0]), [1, 2]), batch_dims=1).set(order=0),
    Case("tf.gather", _WIDE, [[0], [0], [0]], batch_dims=1).raises(),
    Case("tf.gather", f32(3, 2), _INTS, axis=1).raises(),
    Case("tf.math.bincount", _INTS, axis=-1),
    Case("tf.math.bincount", _INTS, weights=_X, minlength=5).set(order=0),
    Case("tf.math.bincount", _INTS, weights=[1.0, 2.0, 3.0]).raises(),
    Case("tf.sparse.bincount", _INTS, axis=-1, maxlength=3),
    Case("tf.reverse", _X, [0]).set(order=0),
    Case("tf.reverse", _X, [1]).set(order=0),
    Case("tf.split", _X, 3).set(order=0),
    Case("tf.one_hot", _INTS, 4),
    Case("tf.nn.embedding_lookup", f32(5, 2), _INTS),
    Case("tf.repeat", _X, 2).set(order=0),
    Case("tf.squeeze", using(lambda tf: tf.expand_dims(tf.ragged.constant([[1], []]), 1)), [1]),
    Case("tf.math.bincount", _INTS),
    Case("tf.ragged.constant", [[1, 2], [3]]),
    Case("tf.ragged.constant", [[1, 2], [3]], dtype=using(lambda tf: tf.float64), row_splits_dtype=_int32),
    Case("tf.ragged.constant", [["a", "b"], []]),
    Case("tf.ragged.constant", [[[1], [2, 3]], []]),
    Case("tf.ragged.constant", [[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1),
    Case("tf.ragged.constant", [[[1, 2]], [[3, 4], [5, 6]]], inner_shape=(2,)),
    Case("tf.ragged.constant", [[], []]),
    Case("tf.ragged.constant", []),
    Case("tf.ragged.constant", [1, 2]),
    Case("tf.ragged.constant", 5),
    Case("tf.ragged.constant", [[1], [[2]]]).raises(),
    Case("tf.ragged.constant", [[1]], ragged_rank=2).raises(),
    Case("tf.ragged.constant", [[1, "a"]]).raises(),
    Case("tf.ragged.range", [3, 5, 2]),
    Case("tf.ragged.range", [0, 5], [3, 9], 2, row_splits_dtype=_int32),
    Case("tf.ragged.range", 3),
    Case("tf.ragged.range", [1.0, 2.0], [2.0, 1.0], 0.5),
    Case("tf.ragged.range", [3], [0], -1),
    Case("tf.ragged.range", [0], [1], 0).raises(),
    Case("tf.ragged.range", [0, 1], [1, 2, 3]).raises(),
    Case("tf.ragged.map_flat_values", using(lambda tf: tf.multiply), _DEEP, f32()),
    Case("tf.ragged.map_flat_values", using(lambda tf: tf.add), _X, _INTS).raises(),
    Case("tf.ragged.map_flat_values", using(lambda tf: tf.reduce_sum), _X).raises(),
    Case("tf.ragged.map_flat_values", using(lambda tf: tf.add), 1, 2),
    Case("tf.ragged.boolean_mask", [[1, 2], [3, 4]], [[True, False], [True, True]]),
    Case("tf.ragged.boolean_mask", [1, 2], [True, False]),
    Case("tf.ragged.boolean_mask", _X, [True, False, True]).set(order=0),
    Case("tf.ragged.boolean_mask", _X, _BOOLS).set(order=0),
    Case("tf.ragged.boolean_mask", [1, 2], True).raises(),
    Case("tf.ragged.row_splits_to_segment_ids", [0, 2, 2, 3]),
    Case("tf.ragged.row_splits_to_segment_ids", i32(value=[0, 2, 2, 3]), out_type=_int64),
    Case("tf.ragged.row_splits_to_segment_ids", [0.0, 2.0]).raises(),
    Case("tf.ragged.segment_ids_to_row_splits", [0, 0, 2]),
    Case("tf.ragged.segment_ids_to_row_splits", i64(value=[0, 0, 2]), 5, _int32),
    Case("tf.ragged.stack", [[1, 2], [3]]),
    Case("tf.ragged.stack", [_X, _X], 1).set(order=0),
    Case("tf.ragged.stack_dynamic_partitions", [1, 2, 3], [0, 2, 0], 3),
    Case("tf.ragged.stack_dynamic_partitions", [1, 2, 3], [0, 5, 0], 3).raises(),
    Case("tf.ragged.cross", [_TEXT, _TEXT]),
    Case("tf.ragged.cross", [_TEXT, np.array([[1], [2], [3]])]),
    Case("tf.ragged.cross_hashed", [_TEXT, _TEXT], num_buckets=100),
    Case("tf.is_tensor", _X),
]

CASES = [*_TENSOR, *_ITEMS, *_OPERATORS, *_REDUCTIONS, *_STRUCTURE]
