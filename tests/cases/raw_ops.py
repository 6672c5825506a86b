"""Cases of `tf.raw_ops`: of rows of the table that rename arguments, and of ops without a public function."""

from cases._case import Case, f16, f32, i32, i64, positive, using

_R = "tf.raw_ops."

_PICTURES = {"x": f32(2, 2, 2, 2), "scale": f32(2), "offset": f32(2)}
_SEQUENCE = {
    "seq_len_max": i64(value=2), "x": f32(2, 1, 2), "cs_prev": f32(1, 2),
    "h_prev": f32(1, 2), "w": f32(4, 8), "wci": f32(2), "wcf": f32(2), "wco": f32(2), "b": f32(8),
}  # fmt: skip

CASES = [
    Case(_R + "AddV2", x=f32(2), y=f32(2)),
    Case(_R + "Sum", input=f32(2, 3), axis=[0], keep_dims=True),
    Case(_R + "Max", input=f32(2, 3), axis=1).set(smooth=False),
    Case(_R + "MatMul", a=f32(2, 3), b=f32(2, 3), transpose_b=True),
    Case(_R + "BatchMatMulV2", x=f32(2, 2, 3), y=f32(2, 3, 1)),
    Case(_R + "GatherV2", params=f32(3, 2), indices=[2, 0], axis=1 - 1).set(order=0),
    Case(_R + "Pack", values=[f32(2), f32(2)], axis=1),
    Case(_R + "ConcatV2", values=[f32(1), f32(2)], axis=0),
    Case(_R + "Transpose", x=f32(2, 3), perm=[1, 0]),
    Case(_R + "SelectV2", condition=[True, False], t=f32(2), e=f32(2)),
    Case(_R + "Cast", x=f32(2), DstT=using(lambda tf: tf.int32)),
    Case(_R + "RFFT", input=f32(4), fft_length=[4]).set(order=1),
    Case(_R + "MatrixDiagPartV2", input=f32(3, 3), k=1, padding_value=0.0).set(wrt=0),
    Case(_R + "Softplus", features=f32(3)),
    Case(_R + "LeakyRelu", features=f32(3), alpha=0.1).set(smooth=False),
    Case(_R + "Bucketize", input=f32(2, 3), boundaries=[-1.0, 0.0, 1.0]),
    Case(_R + "Bucketize", input=i32(value=[0, 5]), boundaries=[0.0, 2.0]),
    *[
        Case(
            _R + "ImageProjectiveTransformV3", images=f32(2, 3, 4, 1), output_shape=[4, 5], fill_value=0.5,
            transforms=[[1.2, 0.3, -2.0, -0.4, 0.9, 1.0, 0.02, 0.01]], interpolation=how, fill_mode=mode,
        )
        for how, mode in (("BILINEAR", "CONSTANT"), ("NEAREST", "REFLECT"), ("BILINEAR", "WRAP"))
    ],
    Case(_R + "UniqueV2", x=i32(value=[3, 1, 3, 2]), axis=[0]),
    Case(_R + "UniqueV2", x=i32(value=[[1, 2, 1], [3, 4, 3]]), axis=[1]),
    Case(_R + "UniqueWithCountsV2", x=i32(value=[3, 1, 3]), axis=[0]),
    Case(_R + "BroadcastGradientArgs", s0=[2, 1, 3], s1=[4, 3]),
    Case(_R + "BroadcastGradientArgs", s0=[1, 3], s1=[2, 1, 1]),
    Case(_R + "IgammaGradA", a=positive(3), x=positive(3)).set(order=0, rtol=1e-4, reason="a series in float32"),
    Case(_R + "RandomGammaGrad", alpha=positive(3), sample=positive(3)).set(
        order=0, rtol=1e-4, reason="a series in float32"
    ),
    Case(_R + "FusedBatchNormV2", mean=f32(0), variance=f32(0), **_PICTURES).set(smooth=False),
    Case(
        _R + "FusedBatchNormV2", mean=f32(2), variance=positive(2), is_training=False, epsilon=0.01, **_PICTURES
    ).set(smooth=False),
    Case(
        _R + "FusedBatchNormV2", mean=f32(2), variance=positive(2), exponential_avg_factor=0.3, data_format="NCHW",
        **_PICTURES,
    ).set(order=1, smooth=False),
    Case(_R + "FusedBatchNormV2", **_PICTURES | {"x": f16(1, 2, 2, 2)}, mean=f32(0), variance=f32(0)).set(order=0),
    Case(_R + "FusedBatchNormV2", **_PICTURES | {"x": f32(0, 2, 2, 2)}, mean=f32(2), variance=f32(2)).set(order=0),
    *[
        Case(_R + "FusedBatchNormV2", **_PICTURES | {"mean": f32(0), "variance": f32(0)} | wrong).raises()
        for wrong in (
            {"x": f32(2, 2, 2)}, {"scale": f32(3)}, {"is_training": False}, {"exponential_avg_factor": 0.5},
            {"data_format": "X"}, {"offset": i32(2)},
        )
    ],
    # Numerical derivatives would see the results whose gradient is left out; tests/ops/test_grads.py checks the others.
    Case(_R + "BlockLSTM", use_peephole=True, cell_clip=0.3, **_SEQUENCE).set(order=1, smooth=False),
    Case(_R + "BlockLSTM", **_SEQUENCE).set(order=0),
    Case(_R + "BlockLSTMV2", use_peephole=True, cell_clip=0.3, **_SEQUENCE).set(
        order=0, reason="TF's gradient differs from finite differences; that of BlockLSTM does not"
    ),
    Case(_R + "BlockLSTMV2", **_SEQUENCE | {"seq_len_max": i64(value=1)}).then(
        lambda tf, result, *_, **__: (result.cs, result.h)
    ).set(order=0, reason="as above"),
    *[
        Case(_R + "BlockLSTMV2", **_SEQUENCE | wrong).raises()
        for wrong in (
            {"seq_len_max": i64(value=[2])}, {"seq_len_max": i32(value=2)},
            {"x": f32(2, 3)}, {"w": f32(4, 7)}, {"w": f32(5, 8)}, {"b": f32(7)}, {"cs_prev": f32(2, 2)},
            {"wci": f32(1)}, {"h_prev": f16(1, 2)},
        )
    ],
    Case(_R + "Add", f32(2), f32(2)).raises(),
    Case(_R + "Add", x=f32(2)).raises(),
    Case(_R + "Sum", input=f32(2), axis=5).raises(),
]
