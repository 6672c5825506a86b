"""Cases of `tf.raw_ops`: of rows of the table that rename arguments, and of ops without a public function."""

from cases._case import Case, f32, i32, positive, using

_R = "tf.raw_ops."

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
        ).set(order=0, reason="TF's gradient is that of the inverse map")
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
    Case(_R + "Add", f32(2), f32(2)).raises(),
    Case(_R + "Add", x=f32(2)).raises(),
    Case(_R + "Sum", input=f32(2), axis=5).raises(),
]
