"""Cases of `tf.raw_ops`: ops that are written for it, by family."""

from cases._case import Case, distinct, f32, i32, i64, indices, posdef, positive, using

_R = "tf.raw_ops."
_INT64 = using(lambda tf: tf.int64)
_PICTURE = f32(1, 4, 5, 2)


def _values(case):
    """A case whose values alone are compared: an op that computes a gradient, or has none."""
    return case.set(order=0)


CASES = [
    # --- arrays ---
    Case(_R + "StridedSlice", input=f32(4, 5), begin=[1, 0], end=[0, 4], strides=[1, 2], end_mask=1),
    Case(_R + "StridedSlice", input=f32(4, 5), begin=[0, 2, 0], end=[0, 3, 0], strides=[1, 1, 1], ellipsis_mask=1,
         shrink_axis_mask=2, new_axis_mask=4),  # fmt: skip
    _values(Case(_R + "StridedSlice", input=f32(5), begin=i32(value=[1]), end=i32(value=[3]), strides=[1])),
    Case(_R + "Split", axis=1, value=f32(2, 4), num_split=2),
    Case(_R + "SplitV", value=f32(5, 2), size_splits=[2, 3], axis=0, num_split=2),
    Case(_R + "ConcatOffset", concat_dim=1, shape=[i32(value=[2, 3]), i32(value=[2, 4]), i32(value=[2, 1])]),
    Case(_R + "ShapeN", input=[f32(2, 3), f32(4)], out_type=_INT64),
    Case(_R + "Squeeze", input=f32(1, 3, 1), axis=[0]),
    Case(_R + "Squeeze", input=f32(1, 3, 1)),
    Case(_R + "BroadcastArgs", s0=i32(value=[2, 1]), s1=i32(value=[3])),
    Case(_R + "LowerBound", sorted_inputs=f32(value=[[1, 2, 2, 3]]), values=f32(value=[[2, 0, 5]])),
    Case(_R + "UpperBound", sorted_inputs=f32(value=[[1, 2, 2, 3]]), values=f32(value=[[2, 0, 5]]), out_type=_INT64),
    Case(_R + "Einsum", inputs=[f32(2, 3), f32(3, 4)], equation="ij,jk->ki"),
    Case(_R + "BatchMatMulV3", x=f32(2, 3), y=f32(3, 2), Tout=using(lambda tf: tf.float32)).set(order=1, smooth=False),
    Case(_R + "TensorStridedSliceUpdate", input=f32(4, 3), begin=[1, 0], end=[3, 3], strides=[1, 2],
         value=f32(2, 2)),  # fmt: skip
    Case(_R + "ListDiff", x=i32(value=[1, 2, 3, 4]), y=i32(value=[4, 2])),
    _values(Case(_R + "DenseBincount", input=i32(value=[1, 1, 3]), size=i32(value=4), weights=f32(0),
                 binary_output=True)),  # fmt: skip
    _values(Case(_R + "Bincount", arr=i32(value=[1, 1, 3]), size=i32(value=4), weights=f32(3))),
    _values(Case(_R + "Snapshot", input=f32(3))),
    Case(_R + "MatrixSetDiagV3", input=f32(3, 3), diagonal=f32(2), k=1),
    _values(Case(_R + "SelfAdjointEigV2", input=posdef(3), compute_v=False)),
    _values(Case(_R + "Svd", input=f32(3, 2), compute_uv=False).then(lambda tf, svd, **_: svd.s)),
    Case(_R + "TridiagonalMatMul", superdiag=f32(1, 3), maindiag=f32(1, 3), subdiag=f32(1, 3), rhs=f32(3, 2)).set(
        order=0
    ),
    Case(_R + "RaggedRange", starts=i32(value=[0, 5]), limits=i32(value=[3, 7]), deltas=i32(value=[1, 1])),
    # --- pictures ---
    _values(Case(_R + "ResizeBilinear", images=_PICTURE, size=[6, 3])),
    Case(_R + "ResizeBilinear", images=_PICTURE, size=[6, 3], align_corners=True).set(order=1),
    Case(_R + "ResizeBilinear", images=_PICTURE, size=[6, 3], half_pixel_centers=True).set(order=1),
    Case(_R + "ResizeNearestNeighbor", images=_PICTURE, size=[6, 3]).set(order=1),
    Case(_R + "ResizeNearestNeighbor", images=_PICTURE, size=[6, 3], align_corners=True).set(order=1),
    Case(_R + "ResizeNearestNeighbor", images=_PICTURE, size=[6, 3], half_pixel_centers=True).set(order=1),
    Case(_R + "ResizeBicubic", images=_PICTURE, size=[6, 3], half_pixel_centers=True).set(order=1),
    _values(Case(_R + "ResizeArea", images=_PICTURE, size=[2, 3])),
    # --- layers and their gradients ---
    Case(_R + "Conv2D", input=_PICTURE, filter=f32(2, 2, 2, 3), strides=[1, 1, 1, 1], padding="EXPLICIT",
         explicit_paddings=[0, 0, 1, 0, 0, 1, 0, 0]).set(order=1),  # fmt: skip
    Case(_R + "DepthwiseConv2dNative", input=_PICTURE, filter=f32(2, 2, 2, 1), strides=[1, 1, 1, 1],
         padding="SAME").set(order=1),  # fmt: skip
    Case(_R + "MaxPool", input=distinct(1, 4, 4, 1), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID").set(
        smooth=False
    ),
    _values(Case(_R + "MaxPoolV2", input=f32(1, 4, 4, 1), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")),
    _values(Case(_R + "MaxPoolGrad", orig_input=distinct(1, 4, 4, 1), orig_output=f32(1, 2, 2, 1),
                 grad=f32(1, 2, 2, 1), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")),  # fmt: skip
    _values(Case(_R + "AvgPoolGrad", orig_input_shape=[1, 4, 4, 1], grad=f32(1, 2, 2, 1), ksize=[1, 2, 2, 1],
                 strides=[1, 2, 2, 1], padding="SAME")),  # fmt: skip
    Case(_R + "FusedBatchNormV3", x=f32(2, 2, 2, 2), scale=f32(2), offset=f32(2), mean=f32(2), variance=positive(2),
         is_training=False).then(lambda tf, result, *_, **__: result.y).set(smooth=False, order=1),  # fmt: skip
    Case(_R + "FusedBatchNormV3", x=f32(2, 2, 2, 2), scale=f32(2), offset=f32(2), mean=f32(0), variance=f32(0)).then(
        lambda tf, result, *_, **__: (result.y, result.batch_mean, result.batch_variance)
    ).set(order=0),
    _values(Case(_R + "SoftmaxCrossEntropyWithLogits", features=f32(2, 3), labels=positive(2, 3))),
    _values(Case(_R + "SparseSoftmaxCrossEntropyWithLogits", features=f32(2, 3), labels=i32(value=[2, 0]))),
    _values(Case(_R + "InTopKV2", predictions=distinct(2, 4), targets=i32(value=[1, 2]), k=2)),
    _values(Case(_R + "BiasAddGrad", out_backprop=f32(2, 3, 4))),
    *[
        _values(Case(_R + name, gradients=f32(5), features=f32(5)))
        for name in ("ReluGrad", "Relu6Grad", "SoftplusGrad", "SoftsignGrad", "LeakyReluGrad")
    ],
    *[_values(Case(_R + name, gradients=f32(5), outputs=f32(5))) for name in ("EluGrad", "SeluGrad")],
    *[
        _values(Case(_R + name, y=positive(5), dy=f32(5)))
        for name in ("SigmoidGrad", "TanhGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad")
    ],
    _values(Case(_R + "StridedSliceGrad", shape=[4, 5], begin=[1, 0], end=[3, 4], strides=[1, 2], dy=f32(2, 2))),
    _values(Case(_R + "MirrorPadGrad", input=f32(5, 4), paddings=[[1, 1], [0, 1]], mode="REFLECT")),
    _values(Case(_R + "ResizeBilinearGrad", grads=f32(1, 6, 6, 1), original_image=f32(1, 3, 4, 1))),
    _values(Case(_R + "ResizeNearestNeighborGrad", grads=f32(1, 6, 6, 1), size=[3, 4])),
    _values(Case(_R + "Conv3DBackpropInputV2", input_sizes=[1, 3, 3, 3, 1], filter=f32(2, 2, 2, 1, 2),
                 out_backprop=f32(1, 2, 2, 2, 2), strides=[1, 1, 1, 1, 1], padding="VALID")),  # fmt: skip
    Case(_R + "ConjugateTranspose", x=f32(2, 3), perm=[1, 0]),
    _values(Case(_R + "InplaceAdd", x=f32(3, 2), i=i32(value=[0, 2]), v=f32(2, 2))),
    _values(Case(_R + "ApproximateEqual", x=f32(3), y=f32(3), tolerance=0.5)),
    _values(Case(_R + "AdjustHue", images=positive(2, 2, 3), delta=0.1)),
    _values(Case(_R + "AdjustSaturation", images=positive(2, 2, 3), scale=0.5)),
    _values(Case(_R + "NonMaxSuppressionV3", boxes=f32(value=[[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]]),
                 scores=f32(value=[0.9, 0.8, 0.7]), max_output_size=2, iou_threshold=0.5,
                 score_threshold=0.1)),  # fmt: skip
    _values(Case(_R + "IRFFT2D", input=using(lambda tf: tf.constant([[1 + 2j, 3], [0, 1j]], tf.complex64)),
                 fft_length=[2, 2])),  # fmt: skip
    _values(Case(_R + "EncodeBase64", input=["abc"], pad=True)),
    # --- random numbers ---
    Case(_R + "RandomUniform", shape=[3], dtype=using(lambda tf: tf.float32), seed=1, seed2=2).set(order=0, seed=1),
    Case(_R + "RandomStandardNormal", shape=[3], dtype=using(lambda tf: tf.float64), seed=3, seed2=5).set(
        order=0, seed=1
    ),
    _values(Case(_R + "StatelessRandomGetKeyCounter", seed=[3, 4])),
    _values(Case(_R + "StatelessRandomUniformV2", shape=[3], key=using(lambda tf: tf.constant([7], tf.uint64)),
                 counter=using(lambda tf: tf.constant([1, 2], tf.uint64)), alg=1)),  # fmt: skip
    _values(Case(_R + "StatelessRandomUniformInt", shape=[4], seed=[1, 2], minval=0, maxval=9)),
    # --- lists of tensors ---
    _values(Case(_R + "TensorListFromTensor", tensor=f32(3, 2), element_shape=[2]).then(
        lambda tf, handle, **_: (
            tf.raw_ops.TensorListStack(input_handle=handle, element_shape=[2], element_dtype=tf.float32),
            tf.raw_ops.TensorListGetItem(
                input_handle=handle, index=1, element_shape=[2], element_dtype=tf.float32
            ),
            tf.raw_ops.TensorListLength(input_handle=handle),
        )
    )),  # fmt: skip
    _values(Case(_R + "EmptyTensorList", element_shape=[2], max_num_elements=-1,
                 element_dtype=using(lambda tf: tf.float32)).then(
        lambda tf, handle, **_: tf.raw_ops.TensorListPopBack(
            input_handle=tf.raw_ops.TensorListPushBack(input_handle=handle, tensor=[1.0, 2.0]), element_shape=[2],
            element_dtype=tf.float32,
        ).tensor
    )),  # fmt: skip
    # --- text, ragged and sparse ---
    _values(Case(_R + "StaticRegexReplace", input=["abc", "xbx"], pattern="b+", rewrite="-")),
    _values(Case(_R + "StringSplitV2", input=["a b  c", "", "d"], sep="")),
    _values(Case(_R + "StringSplitV2", input=["a,b", "c,"], sep=",")),
    _values(Case(_R + "StringSplit", input=["a b,c", " d"], delimiter=" ,")),
    _values(Case(_R + "UnicodeDecode", input=["aé"], input_encoding="UTF-8")),
    _values(Case(_R + "StringNGrams", data=["a", "b", "c"], data_splits=i64(value=[0, 2, 3]), separator="|",
                 ngram_widths=[2], left_pad="", right_pad="", pad_width=0, preserve_short_sequences=True)),  # fmt: skip
    _values(Case(_R + "ReduceJoin", inputs=[["a", "b"], ["c", "d"]], reduction_indices=[1], separator="-")),
    _values(Case(_R + "RaggedTensorToTensor", shape=[-1, -1], values=f32(4), default_value=9.0,
                 row_partition_tensors=[i64(value=[0, 1, 4])], row_partition_types=["ROW_SPLITS"])),  # fmt: skip
    _values(Case(_R + "RaggedTensorToTensor", shape=[-1, 2], values=f32(4), default_value=9.0,
                 row_partition_tensors=[i64(value=3), i64(value=[0, 2, 2, 2])],
                 row_partition_types=["FIRST_DIM_SIZE", "VALUE_ROWIDS"])),  # fmt: skip
    _values(Case(_R + "RaggedTensorToSparse", rt_nested_splits=[i64(value=[0, 2, 3])], rt_dense_values=f32(3))),
    _values(Case(_R + "RaggedGather", params_nested_splits=[i64(value=[0, 2, 3])], params_dense_values=f32(3),
                 indices=[1, 0], OUTPUT_RAGGED_RANK=1)),  # fmt: skip
    _values(Case(_R + "SparseToDense", sparse_indices=[0, 2], output_shape=[4], sparse_values=[5.0, 6.0],
                 default_value=-1.0)),  # fmt: skip
    _values(Case(_R + "SparseTensorDenseMatMul", a_indices=i64(value=[[0, 1], [1, 0]]), a_values=f32(2),
                 a_shape=i64(value=[2, 2]), b=f32(2, 3))),  # fmt: skip
    _values(Case(_R + "SparseFillEmptyRows", indices=i64(value=[[0, 1], [2, 0]]), values=f32(2),
                 dense_shape=i64(value=[4, 2]), default_value=7.0)),  # fmt: skip
    _values(Case(_R + "SparseReshape", input_indices=i64(value=[[0, 1], [1, 0]]), input_shape=i64(value=[2, 3]),
                 new_shape=i64(value=[3, -1]))),  # fmt: skip
    _values(Case(_R + "SparseSegmentSum", data=f32(4, 2), indices=indices(3, below=4), segment_ids=[0, 0, 1])),
]
