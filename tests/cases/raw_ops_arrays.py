"""Cases of `tf.raw_ops`: arrays, matrices, numbers, pictures, layers and their gradients."""

from cases._case import Case, distinct, f32, f64, i32, i64, literal, positive, u8, using

_R = "tf.raw_ops."
_PICTURE = f32(1, 4, 5, 2)
_BOXES = f32(value=[[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]])
_SCORES = f32(value=[0.9, 0.8, 0.7])
_CELL = {
    "x": f32(2, 3), "cs_prev": f32(2, 2), "h_prev": f32(2, 2), "w": f32(5, 8), "wci": f32(2), "wcf": f32(2),
    "wco": f32(2), "b": f32(8),
}  # fmt: skip
_OF_CELL = {name: f32(2, 2, low=0.1, high=0.9) for name in ("i", "cs", "f", "o", "ci", "co")}
_BLOCK = {**_CELL, "x": f32(3, 2, 3)}
_OF_BLOCK = {name: f32(3, 2, 2, low=0.1, high=0.9) for name in ("i", "cs", "f", "o", "ci", "co", "h")}
_GRU = {"x": f32(2, 3), "h_prev": f32(2, 2), "w_ru": f32(5, 4), "w_c": f32(5, 2), "b_ru": f32(4), "b_c": f32(2)}
_PIXELS = u8(value=[[[9, 200, 31], [7, 0, 255]], [[10, 20, 30], [40, 50, 60]]])
_CLASSES = i64(value=[[1, 3], [2, 0]])
_WINDOWS = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}


def _values(case):
    """A case whose values alone are compared: an op that computes a gradient, or has none."""
    return case.set(order=0)


def _drawn(name, **arguments):
    """A case of an op that draws numbers."""
    return Case(_R + name, **arguments).set(order=0, seed=1)


def _of_shape(case):
    """A case of an op that draws other numbers than TensorFlow: their shape and dtype are compared."""
    return _values(case).then(lambda tf, x, **_: (tf.shape(x), tf.zeros_like(x)))


CASES = [
    # --- arrays ---
    _values(Case(_R + "ParallelConcat", values=[f32(1, 2), f32(1, 2)], shape=[2, 2])),
    _values(Case(_R + "DeepCopy", x=f32(3))),
    _values(Case(_R + "ControlTrigger")),
    _of_shape(Case(_R + "FakeParam", dtype=using(lambda tf: tf.int32), shape=[2])),
    *[_values(Case(_R + "ToBool", input=x)) for x in (f32(2), f32(0), i32(value=0), i32(value=3), literal(""))],
    Case(_R + "Reverse", tensor=f32(2, 3), dims=[False, True]).set(order=1),
    Case(_R + "SpaceToBatch", input=f32(1, 4, 2, 1), paddings=[[0, 0], [1, 1]], block_size=2).set(order=1),
    Case(_R + "BatchToSpace", input=f32(4, 2, 2, 1), crops=[[0, 1], [0, 0]], block_size=2).set(order=1),
    Case(_R + "NthElement", input=distinct(2, 5), n=1).set(order=1),
    Case(_R + "NthElement", input=distinct(2, 5), n=1, reverse=True).set(order=1),
    Case(_R + "DataFormatDimMap", x=i32(value=[0, 1, -1, 3])).set(order=0),
    Case(_R + "DataFormatDimMap", x=i64(value=[0, 4]), src_format="NDHWC", dst_format="NCDHW").set(order=0),
    Case(_R + "DataFormatVecPermute", x=i32(4)).set(order=0),
    Case(_R + "DataFormatVecPermute", x=i64(4, 2), src_format="NCHW", dst_format="NHWC").set(order=0),
    Case(_R + "DataFormatVecPermute", x=i32(2), src_format="NHWC", dst_format="NCWH").set(order=0),
    Case(_R + "PopulationCount", x=i32(value=[0, 7, -1])).set(order=0),
    Case(_R + "PopulationCount", x=u8(value=[255, 5])).set(order=0),
    _values(Case(_R + "ScatterNdNonAliasingAdd", input=f32(4), indices=[[1], [3]], updates=f32(2))),
    _values(Case(_R + "StridedSlice", input=f32(4, 4), begin=i32(value=[1, 2]), end=i32(value=[3, 0]),
                 strides=i32(value=[1, -1]), shrink_axis_mask=1)),  # fmt: skip
    Case(_R + "StridedSlice", input=f32(4, 4), begin=[1, 2], end=[2, 0], strides=[-1, 1], shrink_axis_mask=1).raises(),
    # --- matrices ---
    _values(Case(_R + "CholeskyGrad", l=f32(value=[[1.5, 0], [0.5, 2]]), grad=f32(2, 2))),
    _values(Case(_R + "CholeskyGrad", l=f64(value=[[[1.5, 0, 0], [0.5, 2, 0], [1, 2, 3]]]), grad=f64(1, 3, 3))),
    # --- numbers ---
    _drawn("RandomGamma", shape=[3], alpha=positive(2), seed=3, seed2=4),
    _drawn("RandomPoissonV2", shape=[3], rate=positive(2), seed=3, seed2=4),
    _drawn("RandomPoissonV2", shape=[3], rate=positive(2), seed=0, seed2=4, dtype=using(lambda tf: tf.float32)),
    _drawn("Multinomial", logits=f32(2, 3), num_samples=4, seed=5, seed2=6),
    _drawn("RandomShuffle", value=f32(5), seed=5, seed2=6),
    _drawn("TruncatedNormal", shape=[4], dtype=using(lambda tf: tf.float32), seed=5, seed2=6),
    _of_shape(_drawn("ParameterizedTruncatedNormal", shape=[2, 3], means=f32(2), stdevs=positive(2), minvals=-9.0,
                     maxvals=[9.0, 8.0], seed=1)),  # fmt: skip
    _values(Case(_R + "StatelessRandomGammaV2", shape=[3, 2], seed=[1, 2], alpha=positive(2))),
    _values(Case(_R + "StatelessRandomGammaV3", shape=[3, 2], key=using(lambda tf: tf.constant([7], tf.uint64)),
                 counter=using(lambda tf: tf.constant([1, 2], tf.uint64)), alg=1, alpha=positive(2))),  # fmt: skip
    _values(Case(_R + "StatelessRandomPoisson", shape=[3, 2], seed=[1, 2], lam=positive(2),
                 dtype=using(lambda tf: tf.int32))),  # fmt: skip
    _values(Case(_R + "StatelessRandomBinomial", shape=[3, 2], seed=[1, 2], counts=f32(value=[5, 7]),
                 probs=[0.3, 0.6])),  # fmt: skip
    _of_shape(Case(_R + "StatelessParameterizedTruncatedNormal", shape=[3, 2], seed=[1, 2], means=f32(2),
                   stddevs=positive(2), minvals=-9.0, maxvals=9.0)),  # fmt: skip
    _values(Case(_R + "RandomIndexShuffle", index=i32(value=[0, 3]), seed=[1, 2, 3], max_index=9)),
    *[
        _drawn(name, true_classes=_CLASSES, num_true=2, num_sampled=3, unique=True, range_max=9, seed=3, seed2=7)
        for name in ("UniformCandidateSampler", "LogUniformCandidateSampler", "LearnedUnigramCandidateSampler",
                     "ThreadUnsafeUnigramCandidateSampler")
    ],  # fmt: skip
    _drawn("FixedUnigramCandidateSampler", true_classes=_CLASSES, num_true=2, num_sampled=3, unique=False, range_max=4,
           unigrams=[1.0, 2.0, 3.0, 4.0], seed=3, seed2=7),  # fmt: skip
    _drawn("AllCandidateSampler", true_classes=_CLASSES, num_true=2, num_sampled=4, unique=True, seed=3),
    _of_shape(Case(_R + "NonDeterministicInts", shape=[2, 3])),
    # --- quantization ---
    _values(Case(_R + "FakeQuantWithMinMaxVarsGradient", gradients=f32(5), inputs=f32(5), min=-1.0, max=1.0)),
    _values(Case(_R + "FakeQuantWithMinMaxVarsPerChannelGradient", gradients=f32(5, 2), inputs=f32(5, 2),
                 min=[-1.0, -0.5], max=[1.0, 0.5])),  # fmt: skip
    *[
        Case(_R + name, input=f32(6), input_min=-1.0, input_max=1.5, range_given=True).set(order=1, smooth=False)
        for name in ("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4")
    ],
    Case(_R + "QuantizeAndDequantizeV3", input=f32(6), input_min=-1.0, input_max=1.5, num_bits=4).set(
        order=1, smooth=False
    ),
    _values(Case(_R + "QuantizeAndDequantizeV4Grad", gradients=f32(6), input=f32(6), input_min=-1.0, input_max=1.5)),
    # --- pictures and sounds ---
    _values(Case(_R + "CropAndResizeGradImage", grads=f32(1, 3, 3, 2), boxes=f32(value=[[0.1, 0.2, 0.8, 0.9]]),
                 box_ind=[0], image_size=[1, 4, 5, 2], T=using(lambda tf: tf.float32))),  # fmt: skip
    _values(Case(_R + "CropAndResizeGradBoxes", grads=f32(1, 3, 3, 2), image=_PICTURE,
                 boxes=f32(value=[[0.1, 0.2, 0.8, 0.9]]), box_ind=[0])),  # fmt: skip
    _values(Case(_R + "ScaleAndTranslateGrad", grads=f32(1, 6, 3, 2), original_image=_PICTURE, scale=[1.5, 0.6],
                 translation=[0.0, 0.0], kernel_type="triangle")),  # fmt: skip
    *[
        Case(_R + "ResizeBicubic", images=_PICTURE, size=[6, 3], align_corners=align).set(order=1)
        for align in (False, True)
    ],
    _values(Case(_R + "ResizeBicubic", images=f32(1, 3, 4, 1), size=[7, 9])),
    Case(_R + "ResizeBicubic", images=_PICTURE, size=[6, 3], align_corners=True, half_pixel_centers=True).raises(),
    _values(Case(_R + "ResizeArea", images=f32(1, 6, 7, 2), size=[3, 4], align_corners=True)),
    *[
        Case(_R + "ScaleAndTranslate", images=_PICTURE, size=[6, 3], scale=[1.3, 0.7], translation=[0.5, -0.4],
             kernel_type=kernel, antialias=antialias).set(order=1)
        for kernel, antialias in (("lanczos3", True), ("triangle", False), ("box", True), ("keyscubic", True),
                                  ("gaussian", False), ("mitchellcubic", True), ("lanczos1", True))
    ],  # fmt: skip
    _values(Case(_R + "DrawBoundingBoxes", images=f32(1, 6, 7, 3), boxes=f32(value=[[[0.1, 0.2, 0.8, 0.9]]]))),
    _values(Case(_R + "ImageProjectiveTransformV2", images=_PICTURE,
                 transforms=f32(value=[[0.9, 0.1, 0.2, -0.1, 1.1, 0.3, 0, 0.01]]), output_shape=[3, 4],
                 interpolation="BILINEAR")),  # fmt: skip
    _values(Case(_R + "NonMaxSuppression", boxes=_BOXES, scores=_SCORES, max_output_size=2)),
    _values(Case(_R + "NonMaxSuppressionV2", boxes=_BOXES, scores=_SCORES, max_output_size=2, iou_threshold=0.95)),
    _values(Case(_R + "NonMaxSuppressionV4", boxes=_BOXES, scores=_SCORES, max_output_size=3, iou_threshold=0.5,
                 score_threshold=0.1, pad_to_max_output_size=True)),  # fmt: skip
    _values(Case(_R + "NonMaxSuppressionV4", boxes=_BOXES, scores=_SCORES, max_output_size=3, iou_threshold=0.5,
                 score_threshold=0.1)),  # fmt: skip
    _values(Case(_R + "NonMaxSuppressionV5", boxes=_BOXES, scores=_SCORES, max_output_size=4, iou_threshold=0.5,
                 score_threshold=0.1, soft_nms_sigma=0.5, pad_to_max_output_size=True)),  # fmt: skip
    _values(Case(_R + "NonMaxSuppressionWithOverlaps", overlaps=f32(value=[[1, 0.8, 0], [0.8, 1, 0], [0, 0, 1]]),
                 scores=_SCORES, max_output_size=3, overlap_threshold=0.5, score_threshold=0.1)),  # fmt: skip
    _drawn("SampleDistortedBoundingBox", image_size=[20, 30, 3], bounding_boxes=f32(value=[[[0.1, 0.2, 0.8, 0.9]]]),
           seed=3, seed2=4),  # fmt: skip
    _drawn("SampleDistortedBoundingBoxV2", image_size=[20, 30, 3], bounding_boxes=f32(value=[[[0.1, 0.2, 0.8, 0.9]]]),
           min_object_covered=0.5, seed=3, seed2=4),  # fmt: skip
    _values(Case(_R + "StatelessSampleDistortedBoundingBox", image_size=[20, 30, 3],
                 bounding_boxes=f32(value=[[[0.1, 0.2, 0.8, 0.9]]]), min_object_covered=0.5, seed=[3, 4])),  # fmt: skip
    _values(Case(_R + "ExtractGlimpseV2", input=f32(1, 5, 5, 1), size=[3, 4], offsets=f32(value=[[0.2, -0.9]]),
                 uniform_noise=False, noise="zero")),  # fmt: skip
    Case(_R + "FusedPadConv2D", input=_PICTURE, paddings=[[0, 0], [1, 1], [1, 0], [0, 0]], filter=f32(2, 2, 2, 3),
         mode="REFLECT", strides=[1, 1, 1, 1], padding="VALID").set(order=0),  # fmt: skip
    Case(_R + "FusedResizeAndPadConv2D", input=_PICTURE, size=[6, 6], paddings=[[0, 0], [1, 1], [1, 0], [0, 0]],
         filter=f32(2, 2, 2, 3), mode="SYMMETRIC", strides=[1, 1, 1, 1], padding="VALID").set(order=0),  # fmt: skip
    _values(Case(_R + "EncodePng", image=_PIXELS)).then(lambda tf, x, *_, **__: tf.io.decode_png(x)),
    _values(Case(_R + "EncodeJpeg", image=_PIXELS)).then(lambda tf, x, *_, **__: tf.io.extract_jpeg_shape(x)),
    _values(Case(_R + "EncodeJpegVariableQuality", images=_PIXELS, quality=80)).then(
        lambda tf, x, *_, **__: tf.raw_ops.ExtractJpegShape(contents=x)
    ),
    _values(Case(_R + "EncodeWav", audio=f32(6, 2, low=-1, high=1), sample_rate=8000)),
    _values(Case(_R + "DecodeWav", contents=using(lambda tf: tf.audio.encode_wav([[0.5], [-0.25], [1.0]], 8000)))),
    _values(Case(_R + "DecodeImage", contents=using(
        lambda tf: tf.io.encode_png(tf.constant([[[9, 200, 31], [7, 0, 255]]], tf.uint8))))),
    _values(Case(_R + "AudioSpectrogram", input=f32(40, 2), window_size=12, stride=5)),
    _values(Case(_R + "AudioSpectrogram", input=f32(40, 1), window_size=16, stride=8, magnitude_squared=True)),
    _values(Case(_R + "Mfcc", spectrogram=positive(1, 3, 65), sample_rate=16000)).set(
        rtol=1e-4, atol=1e-4, reason="TensorFlow computes in float64"
    ),
    # --- layers and their gradients ---
    _values(Case(_R + "MaxPoolGradV2", orig_input=distinct(1, 4, 4, 1), orig_output=f32(1, 2, 2, 1),
                 grad=f32(1, 2, 2, 1), **_WINDOWS)),  # fmt: skip
    *[
        Case(_R + name, orig_input=f32(value=[[[[1], [5], [3], [2]], [[4], [2], [6], [0]]]]),
             orig_output=f32(value=[[[[5], [6]]]]), grad=f32(1, 2, 4, 1), **_WINDOWS).set(order=0)
        for name in ("MaxPoolGradGrad", "MaxPoolGradGradV2")
    ],  # fmt: skip
    Case(_R + "MaxPool3DGradGrad", orig_input=f32(value=[[[[[1], [5]], [[4], [2]]], [[[3], [0]], [[7], [6]]]]]),
         orig_output=f32(value=[[[[[7]]]]]), grad=f32(1, 2, 2, 2, 1), ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1],
         padding="VALID").set(order=0),  # fmt: skip
    Case(_R + "FractionalMaxPool", value=distinct(1, 5, 7, 1), pooling_ratio=[1.0, 1.5, 1.8, 1.0], deterministic=True,
         seed=3, seed2=4).set(order=1, smooth=False),  # fmt: skip
    Case(_R + "FractionalAvgPool", value=f32(1, 5, 7, 1), pooling_ratio=[1.0, 1.5, 1.8, 1.0], pseudo_random=True,
         deterministic=True, overlapping=True, seed=3, seed2=4).set(order=1, smooth=False),  # fmt: skip
    _values(Case(_R + "FractionalMaxPoolGrad", orig_input=f32(value=[[[[1], [5], [3]], [[4], [2], [6]]]]),
                 orig_output=f32(value=[[[[5], [6]]]]), out_backprop=f32(1, 1, 2, 1),
                 row_pooling_sequence=i64(value=[0, 2]), col_pooling_sequence=i64(value=[0, 2, 3]))),  # fmt: skip
    _values(Case(_R + "FractionalAvgPoolGrad", orig_input_tensor_shape=i64(value=[1, 4, 5, 1]),
                 out_backprop=f32(1, 2, 3, 1), row_pooling_sequence=i64(value=[0, 1, 4]),
                 col_pooling_sequence=i64(value=[0, 2, 3, 5]), overlapping=True)),  # fmt: skip
    _values(Case(_R + "Dilation2DBackpropInput", input=distinct(1, 4, 4, 1), filter=f32(2, 2, 1),
                 out_backprop=f32(1, 3, 3, 1), strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="VALID")),  # fmt: skip
    _values(Case(_R + "Dilation2DBackpropFilter", input=distinct(1, 4, 4, 1), filter=f32(2, 2, 1),
                 out_backprop=f32(1, 3, 3, 1), strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="VALID")),  # fmt: skip
    _values(Case(_R + "FusedBatchNormGrad", y_backprop=f32(2, 2, 2, 2), x=f32(2, 2, 2, 2), scale=f32(2),
                 reserve_space_1=f32(2), reserve_space_2=positive(2), is_training=False)).then(
        lambda tf, result, **_: result[:3]),  # fmt: skip
    _values(Case(_R + "FusedBatchNormGradV2", y_backprop=f32(2, 2, 2, 2), x=f32(2, 2, 2, 2), scale=f32(2),
                 reserve_space_1=f32(2), reserve_space_2=positive(2), is_training=False)).then(
        lambda tf, result, **_: result[:3]),  # fmt: skip
    _values(Case(_R + "LSTMBlockCell", **_CELL, use_peephole=True, cell_clip=0.5)),
    _values(Case(_R + "LSTMBlockCell", **_CELL)),
    *[
        _values(Case(_R + "LSTMBlockCellGrad", **_CELL, **_OF_CELL, cs_grad=f32(2, 2), h_grad=f32(2, 2),
                     use_peephole=peephole))
        for peephole in (False, True)
    ],  # fmt: skip
    *[
        _values(Case(_R + name, seq_len_max=i64(value=2), **_BLOCK, **_OF_BLOCK, cs_grad=f32(3, 2, 2),
                     h_grad=f32(3, 2, 2), use_peephole=peephole))
        for name, peephole in (("BlockLSTMGrad", False), ("BlockLSTMGradV2", True))
    ],  # fmt: skip
    _values(Case(_R + "GRUBlockCell", **_GRU)),
    _values(Case(_R + "GRUBlockCellGrad", **_GRU, r=f32(2, 2), u=f32(2, 2), c=f32(2, 2), d_h=f32(2, 2))),
    Case(_R + "IsotonicRegression", input=f32(2, 5)).set(order=1),
    Case(_R + "ApproxTopK", input=distinct(2, 6), k=3).set(order=0),
    _values(Case(_R + "CTCGreedyDecoder", inputs=f32(5, 2, 3), sequence_length=[5, 3])),
    _values(Case(_R + "CTCGreedyDecoder", inputs=f32(5, 2, 3), sequence_length=[5, 3], merge_repeated=True,
                 blank_index=0)),  # fmt: skip
    _values(Case(_R + "CTCBeamSearchDecoder", inputs=f32(5, 2, 3), sequence_length=[5, 3], beam_width=8, top_paths=2)),
    _values(Case(_R + "CTCBeamSearchDecoder", inputs=f32(5, 2, 3), sequence_length=[5, 3], beam_width=8, top_paths=1,
                 merge_repeated=False)),  # fmt: skip
    Case(_R + "CTCLoss", inputs=f32(5, 2, 3), labels_indices=i64(value=[[0, 0], [0, 1], [1, 0]]),
         labels_values=i32(value=[1, 0, 1]), sequence_length=[5, 3]).set(order=1, smooth=False),  # fmt: skip
    _values(Case(_R + "CTCLoss", inputs=f32(5, 2, 3), labels_indices=i64(value=[[0, 0], [0, 1], [1, 0]]),
                 labels_values=i32(value=[1, 1, 1]), sequence_length=[1, 3], ignore_longer_outputs_than_inputs=True,
                 preprocess_collapse_repeated=False)),  # fmt: skip
]
