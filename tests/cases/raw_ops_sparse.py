"""Cases of `tf.raw_ops`: sparse tensors, sets, counts, examples, files, handles."""

from cases._case import Case, f32, i32, i64, literal, positive, using

_R = "tf.raw_ops."
_A = {"a_indices": i64(value=[[0, 1], [1, 0], [1, 2]]), "a_values": f32(3), "a_shape": i64(value=[2, 3])}
_B = {"b_indices": i64(value=[[0, 1], [1, 1]]), "b_values": f32(2), "b_shape": i64(value=[2, 3])}
_PLACES = i64(value=[[0, 1], [1, 0], [1, 2]])
_INPUT = {"input_indices": _PLACES, "input_values": f32(3), "input_shape": i64(value=[2, 3])}
_SP = {"sp_indices": _PLACES, "sp_values": f32(3), "sp_shape": i64(value=[2, 3])}
_SETS = {"set1_indices": i64(value=[[0, 0], [0, 1], [1, 0]]), "set1_values": i64(value=[5, 7, 3]),
         "set1_shape": i64(value=[2, 2])}  # fmt: skip
_TWO = {"set2_indices": i64(value=[[0, 0], [1, 0]]), "set2_values": i64(value=[7, 4]), "set2_shape": i64(value=[2, 1])}
_TEXTS = {"indices": [i64(value=[[0, 0], [0, 1], [1, 0]])], "values": [literal(["a", "b", "c"])],
          "shapes": [i64(value=[2, 2])], "dense_inputs": [literal([["x"], ["y"]])]}  # fmt: skip
_SEGMENTS = {"grad": f32(2, 3), "indices": i32(value=[3, 0, 3]), "segment_ids": i32(value=[0, 0, 1])}
_EXAMPLE = using(lambda tf: [
    tf.train.Example(features=tf.train.Features(feature={
        "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2, 3][:n])),
        "b": tf.train.Feature(float_list=tf.train.FloatList(value=[1.5 * n])),
        "c": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x"] * 2)),
    })).SerializeToString() for n in (3, 1)
])  # fmt: skip
_ONE = using(lambda tf: tf.train.Example(features=tf.train.Features(feature={
    "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2, 3])),
    "b": tf.train.Feature(float_list=tf.train.FloatList(value=[1.5])),
})).SerializeToString())  # fmt: skip


def _sequence(tf):
    """A serialized tf.train.SequenceExample."""
    def ints(*values):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))

    return tf.train.SequenceExample(
        context=tf.train.Features(feature={"a": ints(1, 2), "b": ints(7), "c": ints(3, 4)}),
        feature_lists=tf.train.FeatureLists(feature_list={
            "s": tf.train.FeatureList(feature=[ints(4), ints(5, 6)]), "t": tf.train.FeatureList(feature=[ints(8)] * 3),
            "r": tf.train.FeatureList(feature=[ints(1, 2), ints(), ints(3)]),
        }),
    ).SerializeToString()  # fmt: skip


_INT64 = using(lambda tf: tf.int64)
_NO_INT64 = using(lambda tf: tf.zeros([0], tf.int64))
_SEQUENCES = {
    "context_sparse_keys": ["a"], "context_dense_keys": ["b"], "feature_list_sparse_keys": ["s"],
    "feature_list_dense_keys": ["t"], "context_dense_defaults": [_NO_INT64], "context_sparse_types": [_INT64],
    "context_dense_shapes": [[1]], "feature_list_dense_types": [_INT64], "feature_list_sparse_types": [_INT64],
    "feature_list_dense_shapes": [[1]],
}  # fmt: skip


def _values(case):
    """A case whose values alone are compared: an op that computes a gradient, or has none."""
    return case.set(order=0)


def _matrix(tf, values=(1.0, 2.0, 3.0)):
    """A sparse matrix of shape [2, 3]."""
    return tf.raw_ops.SparseTensorToCSRSparseMatrix(
        indices=[[0, 1], [1, 0], [1, 2]], values=values, dense_shape=[2, 3]
    )


def _parts(tf, matrix):
    """The components of a sparse matrix."""
    return tf.raw_ops.CSRSparseMatrixToSparseTensor(sparse_matrix=matrix, type=tf.float32)


CASES = [
    # --- arithmetic ---
    Case(_R + "SparseAdd", **_A, **_B, thresh=0.0).set(order=1).differs(jvp="TensorFlow has no second derivative"),
    _values(Case(_R + "SparseAdd", **_A, **{**_B, "b_values": f32(value=[0.1, 0.1])}, thresh=0.5)),
    Case(_R + "SparseTensorDenseAdd", **_A, b=f32(2, 3)).set(order=1),
    _values(Case(_R + "SparseAddGrad", backprop_val_grad=f32(3), a_indices=i64(value=[[0, 1], [1, 0]]),
                 b_indices=i64(value=[[0, 0], [1, 0]]), sum_indices=i64(value=[[0, 0], [0, 1], [1, 0]]))),  # fmt: skip
    _values(Case(_R + "SparseSliceGrad", backprop_val_grad=f32(2), input_indices=_PLACES,
                 input_start=i64(value=[1, 0]), output_indices=i64(value=[[0, 0], [0, 2]]))),  # fmt: skip
    _values(Case(_R + "SparseFillEmptyRowsGrad", reverse_index_map=i64(value=[0, 2]), grad_values=f32(3))),
    _values(Case(_R + "RaggedFillEmptyRowsGrad", reverse_index_map=i64(value=[0, 2]), grad_values=f32(3))),
    Case(_R + "RaggedFillEmptyRows", value_rowids=i64(value=[0, 2, 2]), values=f32(3), nrows=4, default_value=5.0).set(
        order=1
    ),
    _values(Case(_R + "SparseDenseCwiseAdd", **_SP, dense=f32(3))),
    Case(_R + "SparseDenseCwiseMul", **_SP, dense=f32(2, 3)).set(order=1),
    Case(_R + "SparseDenseCwiseDiv", **_SP, dense=positive(2, 3)).set(order=1),
    _values(Case(_R + "SparseReduceSumSparse", **_INPUT, reduction_axes=[1])),
    _values(Case(_R + "SparseReduceMaxSparse", **_INPUT, reduction_axes=[0], keep_dims=True)),
    _values(Case(_R + "SparseSparseMaximum", **_A, **_B)),
    _values(Case(_R + "SparseSparseMinimum", **_A, **_B)),
    _values(Case(_R + "SparseSplit", split_dim=1, indices=_PLACES, values=f32(3), shape=i64(value=[2, 3]),
                 num_split=2)),  # fmt: skip
    _values(Case(_R + "EditDistance", hypothesis_indices=i64(value=[[0, 0], [0, 1]]),
                 hypothesis_values=i64(value=[1, 2]), hypothesis_shape=i64(value=[1, 2]),
                 truth_indices=i64(value=[[0, 0], [0, 1]]), truth_values=i64(value=[1, 3]),
                 truth_shape=i64(value=[1, 2]))),  # fmt: skip
    *[
        _values(Case(_R + f"SparseSegment{kind}Grad", **_SEGMENTS, output_dim0=5)) for kind in ("Sum", "Mean", "SqrtN")
    ],
    *[
        _values(Case(_R + f"SparseSegment{kind}GradV2", **_SEGMENTS, dense_output_dim0=5))
        for kind in ("Sum", "Mean", "SqrtN")
    ],
    # --- sets, counts, crosses ---
    *[
        _values(Case(_R + "SparseToSparseSetOperation", **_SETS, **_TWO, set_operation=kind))
        for kind in ("a-b", "b-a", "intersection", "union")
    ],
    _values(Case(_R + "DenseToDenseSetOperation", set1=i32(value=[[1, 2], [3, 3]]), set2=i32(value=[[2, 5], [3, 4]]),
                 set_operation="union")),  # fmt: skip
    _values(Case(_R + "DenseToSparseSetOperation", set1=i64(value=[[7, 2], [3, 3]]), **_TWO,
                 set_operation="intersection")),  # fmt: skip
    _values(Case(_R + "SetSize", set_indices=i64(value=[[0, 0], [0, 1], [1, 0]]), set_values=i64(value=[5, 5, 3]),
                 set_shape=i64(value=[2, 2]))),  # fmt: skip
    _values(Case(_R + "DenseCountSparseOutput", values=i32(value=[[1, 1], [3, 0]]), weights=f32(0),
                 binary_output=False)),  # fmt: skip
    _values(Case(_R + "DenseCountSparseOutput", values=i64(value=[1, 1, 4]), weights=f32(3), minlength=3, maxlength=4,
                 binary_output=False)),  # fmt: skip
    _values(Case(_R + "SparseCountSparseOutput", indices=_PLACES, values=i64(value=[2, 1, 1]),
                 dense_shape=i64(value=[2, 3]), weights=f32(3), binary_output=False)),  # fmt: skip
    _values(Case(_R + "RaggedCountSparseOutput", splits=i64(value=[0, 2, 3]), values=i32(value=[2, 2, 1]),
                 weights=i64(0), binary_output=True)),  # fmt: skip
    _values(Case(_R + "SparseBincount", indices=_PLACES, values=i32(value=[2, 1, 1]), dense_shape=i64(value=[2, 3]),
                 size=4, weights=f32(3))),  # fmt: skip
    _values(Case(_R + "SparseBincount", indices=_PLACES, values=i32(value=[2, 1, 1]), dense_shape=i64(value=[2, 3]),
                 size=2, weights=f32(0), binary_output=True)),  # fmt: skip
    _values(Case(_R + "RaggedBincount", splits=i64(value=[0, 2, 3]), values=i32(value=[2, 2, 1]), size=4,
                 weights=f32(3))),  # fmt: skip
    _values(Case(_R + "SparseCross", **_TEXTS, hashed_output=True, num_buckets=100, hash_key=956888297470,
                 out_type=_INT64, internal_type=_INT64)),  # fmt: skip
    _values(Case(_R + "SparseCross", **_TEXTS, hashed_output=False, num_buckets=0, hash_key=1,
                 out_type=using(lambda tf: tf.string), internal_type=using(lambda tf: tf.string))),  # fmt: skip
    _values(Case(_R + "SparseCrossV2", **_TEXTS, sep="|")),
    _values(Case(_R + "RaggedCross", ragged_values=[literal(["a", "b", "c"])], ragged_row_splits=[i64(value=[0, 2, 3])],
                 sparse_indices=[], sparse_values=[], sparse_shape=[], dense_inputs=[literal([["x"], ["y"]])],
                 input_order="DR", hashed_output=False, num_buckets=0, hash_key=1,
                 out_values_type=using(lambda tf: tf.string), out_row_splits_type=_INT64)),  # fmt: skip
    # --- sparse matrices ---
    _values(Case(_R + "CSRSparseMatrixToDense", sparse_input=using(_matrix), type=using(lambda tf: tf.float32))),
    _values(Case(_R + "CSRSparseMatrixComponents", csr_sparse_matrix=using(_matrix), index=0,
                 type=using(lambda tf: tf.float32))),  # fmt: skip
    _values(Case(_R + "DenseToCSRSparseMatrix", dense_input=f32(2, 3), indices=_PLACES)).then(
        lambda tf, x, **_: _parts(tf, x)
    ),
    _values(Case(_R + "SparseMatrixNNZ", sparse_matrix=using(_matrix))),
    _values(Case(_R + "SparseMatrixTranspose", input=using(_matrix), type=using(lambda tf: tf.float32))).then(
        lambda tf, x, **_: _parts(tf, x)
    ),
    _values(Case(_R + "SparseMatrixMatMul", a=using(_matrix), b=f32(3, 2))),
    _values(Case(_R + "SparseMatrixMatMul", a=using(_matrix), b=f32(4, 2), transpose_a=True, transpose_b=True,
                 transpose_output=True)),  # fmt: skip
    _values(Case(_R + "SparseMatrixSparseMatMul", a=using(_matrix), b=using(_matrix), transpose_b=True,
                 type=using(lambda tf: tf.float32))).then(lambda tf, x, **_: _parts(tf, x)),  # fmt: skip
    # --- examples and text ---
    _values(Case(_R + "ParseExample", serialized=_EXAMPLE, names=[], sparse_keys=["a"], dense_keys=["b", "d", "c"],
                 dense_defaults=[using(lambda tf: tf.zeros([0])), f32(2), literal([""])],
                 sparse_types=[_INT64], dense_shapes=[[1], [2], [None]])),  # fmt: skip
    _values(Case(_R + "ParseExampleV2", serialized=_EXAMPLE, names=[], sparse_keys=["a"], dense_keys=["b"],
                 ragged_keys=["c"], dense_defaults=[using(lambda tf: tf.zeros([0]))], num_sparse=1,
                 sparse_types=[_INT64], ragged_value_types=[using(lambda tf: tf.string)],
                 ragged_split_types=[using(lambda tf: tf.int32)], dense_shapes=[[1]])),  # fmt: skip
    _values(Case(_R + "ParseExampleV2", serialized=_ONE, names=[], sparse_keys=["a"], dense_keys=["b"],
                 ragged_keys=[], dense_defaults=[using(lambda tf: tf.zeros([0]))], num_sparse=1,
                 sparse_types=[_INT64], ragged_value_types=[], ragged_split_types=[], dense_shapes=[[1]])),  # fmt: skip
    _values(Case(_R + "ParseSingleExample", serialized=_ONE, dense_defaults=[using(lambda tf: tf.zeros([0]))],
                 num_sparse=1, sparse_keys=["a"], dense_keys=["b"], sparse_types=[_INT64],
                 dense_shapes=[[1]])),  # fmt: skip
    Case(_R + "ParseSingleExample", serialized=_ONE, dense_defaults=[using(lambda tf: tf.zeros([0]))],
         num_sparse=1, sparse_keys=["a"], dense_keys=["z"], sparse_types=[_INT64], dense_shapes=[[1]]).raises(),
    Case(_R + "ParseExample", serialized="damaged", names=[], sparse_keys=["a"], dense_keys=[], dense_defaults=[],
         sparse_types=[_INT64], dense_shapes=[]).raises(),  # fmt: skip
    _values(Case(_R + "ParseSequenceExample", serialized=using(lambda tf: [_sequence(tf)] * 2), debug_name=[],
                 feature_list_dense_missing_assumed_empty=[], **_SEQUENCES, Ncontext_sparse=1, Ncontext_dense=1,
                 Nfeature_list_sparse=1, Nfeature_list_dense=1)),  # fmt: skip
    _values(Case(_R + "ParseSequenceExampleV2", serialized=using(lambda tf: [_sequence(tf)] * 2), debug_name=[],
                 feature_list_dense_missing_assumed_empty=[False], **_SEQUENCES, context_ragged_keys=["c"],
                 feature_list_ragged_keys=["r"], Ncontext_sparse=1, context_ragged_value_types=[_INT64],
                 context_ragged_split_types=[_INT64], Nfeature_list_sparse=1, Nfeature_list_dense=1,
                 feature_list_ragged_value_types=[_INT64], feature_list_ragged_split_types=[_INT64])),  # fmt: skip
    _values(Case(_R + "ParseSingleSequenceExample", serialized=using(_sequence), debug_name="",
                 feature_list_dense_missing_assumed_empty=[], **_SEQUENCES)),  # fmt: skip
    _values(Case(_R + "SerializeSparse", sparse_indices=_PLACES, sparse_values=f32(3), sparse_shape=i64(value=[2, 3]))),
    _values(Case(_R + "SerializeManySparse", sparse_indices=_PLACES, sparse_values=f32(3),
                 sparse_shape=i64(value=[2, 3]))),  # fmt: skip
    *[
        _values(Case(_R + name, serialized_sparse=using(lambda tf: tf.io.serialize_many_sparse(
            tf.SparseTensor([[0, 1], [1, 0], [1, 2]], [1.0, 2.0, 3.0], [2, 3]))), dtype=using(lambda tf: tf.float32)))
        for name in ("DeserializeSparse", "DeserializeManySparse")
    ],  # fmt: skip
    _values(Case(_R + "DeserializeSparse", serialized_sparse=using(lambda tf: tf.io.serialize_sparse(
        tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 3]))), dtype=using(lambda tf: tf.float32))),  # fmt: skip
    _values(Case(_R + "DecodeCSV", records=["1,a", "2,b"], record_defaults=[i32(value=[0]), literal([""])])),
    _values(Case(_R + "DecodeRaw", bytes=["abcd"], out_type=using(lambda tf: tf.uint8))),
    _values(Case(_R + "DecodePaddedRaw", input_bytes=["ab", "cde"], fixed_length=4,
                 out_type=using(lambda tf: tf.uint8))),  # fmt: skip
    _values(Case(_R + "DecodeCompressed", bytes=["abc"])),
    _values(Case(_R + "ShardedFilename", basename="a/b", shard=1, num_shards=12)),
    _values(Case(_R + "ShardedFilespec", basename="a/b", num_shards=12)),
]
