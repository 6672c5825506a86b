"""The ops of `tf.raw_ops` that a public function computes: a row each.

A row names the op, the public function, and the parameters that differ: `theirs:ours` where the public function calls
it otherwise, `theirs!` where it says what the others say already. What TensorFlow calls them, their order and defaults
are in `definitions.txt`. A parameter that the public function does not have must keep its default.
"""

ROWS = """
    Abs math.abs
    AccumulateNV2 math.accumulate_n shape:shape
    Acos math.acos
    Acosh math.acosh
    Add math.add
    AddN math.add_n
    AddV2 math.add
    AdjustHue image.adjust_hue images:image
    AdjustSaturation image.adjust_saturation images:image scale:saturation_factor
    All math.reduce_all input:input_tensor keep_dims:keepdims
    Angle math.angle Tout!
    Any math.reduce_any input:input_tensor keep_dims:keepdims
    ArgMax math.argmax dimension:axis
    ArgMin math.argmin dimension:axis
    AsString strings.as_string
    Asin math.asin
    Asinh math.asinh
    Atan math.atan
    Atan2 math.atan2
    Atanh math.atanh
    AvgPool nn.avg_pool2d value:input
    AvgPool3D nn.avg_pool3d
    BatchNormWithGlobalNormalization nn.batch_norm_with_global_normalization t:input m:mean v:variance
    BatchMatMul linalg.matmul x:a y:b adj_x:adjoint_a adj_y:adjoint_b
    BatchMatMulV2 linalg.matmul x:a y:b adj_x:adjoint_a adj_y:adjoint_b
    BatchToSpaceND batch_to_space
    BesselI0 math.bessel_i0
    BesselI0e math.bessel_i0e
    BesselI1 math.bessel_i1
    BesselI1e math.bessel_i1e
    BesselJ0 math.special.bessel_j0
    BesselJ1 math.special.bessel_j1
    BesselK0 math.special.bessel_k0
    BesselK0e math.special.bessel_k0e
    BesselK1 math.special.bessel_k1
    BesselK1e math.special.bessel_k1e
    BesselY0 math.special.bessel_y0
    BesselY1 math.special.bessel_y1
    Betainc math.betainc
    BiasAdd nn.bias_add
    Bitcast bitcast
    BitwiseAnd bitwise.bitwise_and
    BitwiseOr bitwise.bitwise_or
    BitwiseXor bitwise.bitwise_xor
    BroadcastTo broadcast_to
    Cast cast DstT:dtype Truncate!
    Ceil math.ceil
    Cholesky linalg.cholesky
    ClipByValue clip_by_value
    CombinedNonMaxSuppression image.combined_non_max_suppression
    Complex complex Tout!
    ComplexAbs math.abs Tout!
    ComputeAccidentalHits nn.compute_accidental_hits seed2!
    ConcatV2 concat
    Conj math.conj input:x
    Conv nn._backprop.conv
    Conv2DBackpropFilter nn._backprop.conv2d_to_filter use_cudnn_on_gpu!
    Conv2DBackpropFilterV2 nn._backprop.conv2d_backprop_filter_v2
    Conv2DBackpropInput nn._backprop.conv2d_to_input use_cudnn_on_gpu!
    Conv2DBackpropInputV2 nn._backprop.conv2d_backprop_input_v2
    Conv3D nn.conv3d filter:filters
    Cos math.cos
    Cosh math.cosh
    Cross linalg.cross
    Cumprod math.cumprod
    Cumsum math.cumsum
    CumulativeLogsumexp math.cumulative_logsumexp
    Dawsn math.special.dawsn
    DecodeAndCropJpeg image.decode_and_crop_jpeg
    DecodeBase64 io.decode_base64
    DecodeBmp io.decode_bmp
    DecodeCompressed io.decode_compressed
    DecodeGif io.decode_gif
    DecodeImage io.decode_image
    DecodeJpeg io.decode_jpeg
    DecodeJSONExample io.decode_json_example
    DecodePaddedRaw io.decode_raw
    DecodePng io.decode_png
    DecodeProtoV2 io.decode_proto
    DecodeRaw io.decode_raw bytes:input_bytes
    DecodeWav audio.decode_wav
    DecodeWebP image.decode_webp
    DepthToSpace nn.depth_to_space
    DepthwiseConv2dNativeBackpropFilter nn.depthwise_conv2d_backprop_filter
    DepthwiseConv2dNativeBackpropInput nn.depthwise_conv2d_backprop_input
    Diag linalg.tensor_diag
    DiagPart linalg.tensor_diag_part
    Digamma math.digamma
    Dilation2D nn._morphology.dilation filter:filters rates:dilations
    Div math.divide
    DivNoNan math.divide_no_nan
    DrawBoundingBoxesV2 image.draw_bounding_boxes
    DynamicPartition dynamic_partition
    DynamicStitch dynamic_stitch
    Elu nn.elu
    EncodeBase64 io.encode_base64
    EncodeJpeg io.encode_jpeg
    EncodePng io.encode_png
    EncodeProto io.encode_proto
    EncodeWav audio.encode_wav
    EnsureShape ensure_shape input:x
    Equal math.equal incompatible_shape_error!
    Erf math.erf
    Erfc math.erfc
    Erfinv math.erfinv
    EuclideanNorm math.reduce_euclidean_norm input:input_tensor keep_dims:keepdims
    Exp math.exp
    ExpandDims expand_dims
    Expint math.special.expint
    Expm1 math.expm1
    ExtractImagePatches image.extract_patches ksizes:sizes
    ExtractJpegShape io.extract_jpeg_shape
    ExtractVolumePatches extract_volume_patches
    FFT signal.fft
    FFT2D signal.fft2d
    FFT3D signal.fft3d
    FFTND fftnd
    FakeQuantWithMinMaxArgs quantization.fake_quant_with_min_max_args
    FakeQuantWithMinMaxArgsGradient quantization.fake_quant_with_min_max_args_gradient
    FakeQuantWithMinMaxVars quantization.fake_quant_with_min_max_vars
    FakeQuantWithMinMaxVarsGradient quantization.fake_quant_with_min_max_vars_gradient
    FakeQuantWithMinMaxVarsPerChannel quantization.fake_quant_with_min_max_vars_per_channel
    FakeQuantWithMinMaxVarsPerChannelGradient quantization.fake_quant_with_min_max_vars_per_channel_gradient
    Fill fill
    Fingerprint fingerprint
    Floor math.floor
    FloorDiv math.floordiv
    FloorMod math.floormod
    FresnelCos math.special.fresnel_cos
    FresnelSin math.special.fresnel_sin
    Gather gather
    GatherNd gather_nd
    GatherV2 gather
    Greater math.greater
    GreaterEqual math.greater_equal
    GuaranteeConst guarantee_const
    HSVToRGB image.hsv_to_rgb
    HistogramFixedWidth histogram_fixed_width
    IFFT signal.ifft
    IFFT2D signal.ifft2d
    IFFT3D signal.ifft3d
    IFFTND ifftnd
    IRFFTND irfftnd
    Igamma math.igamma
    Igammac math.igammac
    Imag math.imag Tout!
    Inv math.reciprocal
    Invert bitwise.invert
    InvertPermutation math.invert_permutation
    IsFinite math.is_finite
    IsInf math.is_inf
    IsNan math.is_nan
    IsotonicRegression nn._isotonic.isotonic output_dtype:dtype
    L2Loss nn.l2_loss
    LRN nn.lrn
    LeakyRelu nn.leaky_relu
    LeftShift bitwise.left_shift
    Less math.less
    LessEqual math.less_equal
    Lgamma math.lgamma
    LinSpace linspace
    Log math.log
    Log1p math.log1p
    LogMatrixDeterminant linalg.slogdet
    LogSoftmax nn.log_softmax
    LogicalAnd math.logical_and
    LogicalNot math.logical_not
    LogicalOr math.logical_or
    Lu linalg.lu
    MatMul linalg.matmul
    MatchingFiles io.matching_files
    MatrixBandPart linalg.band_part
    MatrixDeterminant linalg.det
    MatrixDiag linalg.diag
    MatrixDiagPart linalg.diag_part
    MatrixDiagPartV2 linalg.diag_part
    MatrixDiagPartV3 linalg.diag_part
    MatrixDiagV2 linalg.diag
    MatrixDiagV3 linalg.diag
    MatrixExponential linalg.expm
    MatrixInverse linalg.inv
    MatrixLogarithm linalg.logm
    MatrixSetDiag linalg.set_diag
    MatrixSolve linalg.solve
    MatrixSquareRoot linalg.sqrtm
    MatrixTriangularSolve linalg.triangular_solve
    Max math.reduce_max input:input_tensor keep_dims:keepdims
    MaxPool3D nn.max_pool3d
    Maximum math.maximum
    Mean math.reduce_mean input:input_tensor keep_dims:keepdims
    Min math.reduce_min input:input_tensor keep_dims:keepdims
    Minimum math.minimum
    MirrorPad pad input:tensor
    Mod math.floormod
    Mul math.multiply
    MulNoNan math.multiply_no_nan
    Ndtri math.ndtri
    Neg math.negative
    NextAfter math.nextafter
    NoOp no_op
    NonMaxSuppression image.non_max_suppression
    NonMaxSuppressionV2 image.non_max_suppression
    NonMaxSuppressionV3 image.non_max_suppression
    NonMaxSuppressionWithOverlaps image.non_max_suppression_overlaps
    NotEqual math.not_equal incompatible_shape_error!
    OneHot one_hot
    OnesLike ones_like x:input
    Pack stack
    Pad pad input:tensor
    PadV2 pad input:tensor
    ParseTensor io.parse_tensor
    Polygamma math.polygamma
    Pow math.pow
    Prod math.reduce_prod input:input_tensor keep_dims:keepdims
    Qr linalg.qr
    QuantizeAndDequantizeV2 quantization.quantize_and_dequantize
    QuantizeAndDequantizeV4 quantization.quantize_and_dequantize_v2
    RFFTND rfftnd
    RGBToHSV image.rgb_to_hsv
    RaggedFillEmptyRows ragged_fill_empty_rows
    RaggedFillEmptyRowsGrad ragged_fill_empty_rows_grad
    RandomIndexShuffle random_index_shuffle
    Range range
    Rank rank
    ReadFile io.read_file
    Real math.real Tout!
    RealDiv realdiv
    Reciprocal math.reciprocal
    RegexFullMatch strings.regex_full_match
    RegexReplace strings.regex_replace
    Relu nn.relu
    Relu6 nn.relu6
    Reshape reshape
    ReverseSequence reverse_sequence seq_dim:seq_axis batch_dim:batch_axis
    ReverseV2 reverse
    RightShift bitwise.right_shift
    Rint math.rint
    Roll roll
    Round math.round
    Rsqrt math.rsqrt
    ScatterNd scatter_nd
    ScatterNdNonAliasingAdd tensor_scatter_nd_add input:tensor
    SegmentMax math.segment_max
    SegmentMaxV2 math.unsorted_segment_max
    SegmentMean math.segment_mean
    SegmentMin math.segment_min
    SegmentMinV2 math.unsorted_segment_min
    SegmentProd math.segment_prod
    SegmentProdV2 math.unsorted_segment_prod
    SegmentSum math.segment_sum
    SegmentSumV2 math.unsorted_segment_sum
    Select where
    SelectV2 where t:x e:y
    Selu nn.selu
    SerializeTensor io.serialize_tensor
    Shape shape
    Sigmoid math.sigmoid
    Sign math.sign
    Sin math.sin
    Sinh math.sinh
    Size size
    Slice slice input:input_
    SobolSample math.sobol_sample
    Softmax nn.softmax
    Softplus nn.softplus
    Softsign nn.softsign
    SpaceToBatchND space_to_batch
    SpaceToDepth nn.space_to_depth
    Spence math.special.spence
    Sqrt math.sqrt
    Square math.square
    SquaredDifference math.squared_difference
    StatelessParameterizedTruncatedNormal random.stateless_parameterized_truncated_normal
    StatelessRandomBinomial random.stateless_binomial dtype:output_dtype
    StatelessRandomPoisson random.stateless_poisson
    StatelessSampleDistortedBoundingBox image.stateless_sample_distorted_bounding_box
    StopGradient stop_gradient
    StridedSlice strided_slice input:input_
    StringJoin strings.join
    StringLength strings.length
    StringLower strings.lower
    StringStrip strings.strip
    StringToHashBucketFast strings.to_hash_bucket_fast
    StringToHashBucketStrong strings.to_hash_bucket_strong
    StringToNumber strings.to_number string_tensor:input
    StringUpper strings.upper
    Sub math.subtract
    Substr strings.substr
    Sum math.reduce_sum input:input_tensor keep_dims:keepdims
    Tan math.tan
    Tanh math.tanh
    TensorScatterAdd tensor_scatter_nd_add
    TensorScatterMax tensor_scatter_nd_max
    TensorScatterMin tensor_scatter_nd_min
    TensorScatterSub tensor_scatter_nd_sub
    TensorScatterUpdate tensor_scatter_nd_update
    Tile tile
    Timestamp timestamp
    TopK math.top_k
    TopKV2 math.top_k
    Transpose transpose x:a
    TridiagonalSolve linalg.tridiagonal_solve
    TruncateDiv truncatediv
    TruncateMod truncatemod
    Unique unique
    UniqueWithCounts unique_with_counts
    Unpack unstack
    UnicodeScript strings.unicode_script
    UnravelIndex unravel_index
    UnsortedSegmentMax math.unsorted_segment_max
    UnsortedSegmentMin math.unsorted_segment_min
    UnsortedSegmentProd math.unsorted_segment_prod
    UnsortedSegmentSum math.unsorted_segment_sum
    Where where
    WriteFile io.write_file
    Xdivy math.xdivy
    Xlog1py math.xlog1py
    Xlogy math.xlogy
    ZerosLike zeros_like x:input
    Zeta math.zeta
"""


# Ops that compute what another one does, of the same parameters: most are old names.
SAME = """
    BatchCholesky Cholesky
    BatchCholeskyGrad CholeskyGrad
    BatchFFT FFT
    BatchFFT2D FFT2D
    BatchFFT3D FFT3D
    BatchIFFT IFFT
    BatchIFFT2D IFFT2D
    BatchIFFT3D IFFT3D
    BatchMatrixBandPart MatrixBandPart
    BatchMatrixDeterminant MatrixDeterminant
    BatchMatrixDiag MatrixDiag
    BatchMatrixDiagPart MatrixDiagPart
    BatchMatrixInverse MatrixInverse
    BatchMatrixSetDiag MatrixSetDiag
    BatchMatrixSolve MatrixSolve
    BatchMatrixSolveLs MatrixSolveLs
    BatchMatrixTriangularSolve MatrixTriangularSolve
    BatchSelfAdjointEig SelfAdjointEig
    BatchSelfAdjointEigV2 SelfAdjointEigV2
    BatchSvd Svd
    SparseFillEmptyRowsGrad RaggedFillEmptyRowsGrad
"""
