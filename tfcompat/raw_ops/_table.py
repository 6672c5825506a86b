"""The ops of `tf.raw_ops` that have a public function: a row each.

A row names the op, the public function, and its arguments in order: `theirs`, `theirs:ours` where the public function
calls it otherwise, `=default` where it may be left out, `theirs!` where it says what the others say already.
"""

# ruff: noqa: E501  (a row is a line)

ROWS = """
    Abs math.abs x
    Acos math.acos x
    Acosh math.acosh x
    Add math.add x y
    AddN math.add_n inputs
    AddV2 math.add x y
    All math.reduce_all input:input_tensor axis keep_dims:keepdims=False
    Angle math.angle input Tout!=None
    Any math.reduce_any input:input_tensor axis keep_dims:keepdims=False
    ArgMax math.argmax input dimension:axis output_type=None
    ArgMin math.argmin input dimension:axis output_type=None
    AsString strings.as_string input precision=-1 scientific=False shortest=False width=-1 fill=''
    Asin math.asin x
    Asinh math.asinh x
    Atan math.atan x
    Atan2 math.atan2 y x
    Atanh math.atanh x
    AvgPool nn.avg_pool2d value:input ksize strides padding data_format='NHWC'
    AvgPool3D nn.avg_pool3d input ksize strides padding data_format='NDHWC'
    BatchMatMul linalg.matmul x:a y:b adj_x:adjoint_a=False adj_y:adjoint_b=False
    BatchMatMulV2 linalg.matmul x:a y:b adj_x:adjoint_a=False adj_y:adjoint_b=False
    BatchToSpaceND batch_to_space input block_shape crops
    BesselI0 math.bessel_i0 x
    BesselI0e math.bessel_i0e x
    BesselI1 math.bessel_i1 x
    BesselI1e math.bessel_i1e x
    BesselJ0 math.special.bessel_j0 x
    BesselJ1 math.special.bessel_j1 x
    BesselK0 math.special.bessel_k0 x
    BesselK0e math.special.bessel_k0e x
    BesselK1 math.special.bessel_k1 x
    BesselK1e math.special.bessel_k1e x
    BesselY0 math.special.bessel_y0 x
    BesselY1 math.special.bessel_y1 x
    Betainc math.betainc a b x
    BiasAdd nn.bias_add value bias data_format='NHWC'
    Bitcast bitcast input type
    BitwiseAnd bitwise.bitwise_and x y
    BitwiseOr bitwise.bitwise_or x y
    BitwiseXor bitwise.bitwise_xor x y
    BroadcastTo broadcast_to input shape
    Cast cast x DstT:dtype Truncate!=False
    Ceil math.ceil x
    Cholesky linalg.cholesky input
    ClipByValue clip_by_value t clip_value_min clip_value_max
    Complex complex real imag Tout!=None
    ComplexAbs math.abs x Tout!=None
    ComputeAccidentalHits nn.compute_accidental_hits true_classes sampled_candidates num_true seed=0 seed2!=0
    ConcatV2 concat values axis
    Conj math.conj input:x
    Conv nn._backprop.conv input filter strides padding explicit_paddings=[] data_format='CHANNELS_LAST' dilations=[] batch_dims=1 groups=1
    Conv2D nn.conv2d input filter:filters strides padding data_format='NHWC' dilations=None
    Conv2DBackpropFilter nn._backprop.conv2d_to_filter input filter_sizes out_backprop strides padding use_cudnn_on_gpu!=True explicit_paddings=[] data_format='NHWC' dilations=[1,1,1,1]
    Conv2DBackpropFilterV2 nn._backprop.conv2d_backprop_filter_v2 input filter out_backprop strides padding use_cudnn_on_gpu=True explicit_paddings=[] data_format='NHWC' dilations=[1,1,1,1]
    Conv2DBackpropInput nn._backprop.conv2d_to_input input_sizes filter out_backprop strides padding use_cudnn_on_gpu!=True explicit_paddings=[] data_format='NHWC' dilations=[1,1,1,1]
    Conv2DBackpropInputV2 nn._backprop.conv2d_backprop_input_v2 input filter out_backprop strides padding use_cudnn_on_gpu=True explicit_paddings=[] data_format='NHWC' dilations=[1,1,1,1]
    Conv3D nn.conv3d input filter:filters strides padding data_format='NDHWC' dilations=None
    Cos math.cos x
    Cosh math.cosh x
    Cross linalg.cross a b
    Cumprod math.cumprod x axis exclusive=False reverse=False
    Cumsum math.cumsum x axis exclusive=False reverse=False
    CumulativeLogsumexp math.cumulative_logsumexp x axis exclusive=False reverse=False
    Dawsn math.special.dawsn x
    DepthToSpace nn.depth_to_space input block_size data_format='NHWC'
    DepthwiseConv2dNative nn.depthwise_conv2d input filter strides padding data_format='NHWC'
    DepthwiseConv2dNativeBackpropFilter nn.depthwise_conv2d_backprop_filter input filter_sizes out_backprop strides padding data_format='NHWC' dilations=[1,1,1,1]
    DepthwiseConv2dNativeBackpropInput nn.depthwise_conv2d_backprop_input input_sizes filter out_backprop strides padding data_format='NHWC' dilations=[1,1,1,1]
    Diag linalg.tensor_diag diagonal
    DiagPart linalg.tensor_diag_part input
    Digamma math.digamma x
    Dilation2D nn._morphology.dilation input filter:filters strides rates:dilations padding
    Div math.divide x y
    DivNoNan math.divide_no_nan x y
    DynamicPartition dynamic_partition data partitions num_partitions
    DynamicStitch dynamic_stitch indices data
    Elu nn.elu features
    EnsureShape ensure_shape input:x shape
    Equal math.equal x y incompatible_shape_error!=True
    Erf math.erf x
    Erfc math.erfc x
    Erfinv math.erfinv x
    EuclideanNorm math.reduce_euclidean_norm input:input_tensor axis keep_dims:keepdims=False
    Exp math.exp x
    ExpandDims expand_dims input axis
    Expint math.special.expint x
    Expm1 math.expm1 x
    ExtractImagePatches image.extract_patches images ksizes:sizes strides rates padding
    ExtractVolumePatches extract_volume_patches input ksizes strides padding
    FFT signal.fft input
    FFT2D signal.fft2d input
    FFT3D signal.fft3d input
    FakeQuantWithMinMaxArgs quantization.fake_quant_with_min_max_args inputs min=-6 max=6 num_bits=8 narrow_range=False
    FakeQuantWithMinMaxVars quantization.fake_quant_with_min_max_vars inputs min max num_bits=8 narrow_range=False
    Fill fill dims value
    Fingerprint fingerprint data method
    Floor math.floor x
    FloorDiv math.floordiv x y
    FloorMod math.floormod x y
    FresnelCos math.special.fresnel_cos x
    FresnelSin math.special.fresnel_sin x
    Gather gather params indices
    GatherNd gather_nd params indices
    GatherV2 gather params indices axis batch_dims=0
    Greater math.greater x y
    GreaterEqual math.greater_equal x y
    HSVToRGB image.hsv_to_rgb images
    HistogramFixedWidth histogram_fixed_width values value_range nbins=100 dtype=None
    IFFT signal.ifft input
    IFFT2D signal.ifft2d input
    IFFT3D signal.ifft3d input
    IRFFT signal.irfft input:input_tensor fft_length Treal!=None
    Identity identity input
    IdentityN identity_n input
    Igamma math.igamma a x
    Igammac math.igammac a x
    Imag math.imag input Tout!=None
    Inv math.reciprocal x
    Invert bitwise.invert x
    InvertPermutation math.invert_permutation x
    IsFinite math.is_finite x
    IsInf math.is_inf x
    IsNan math.is_nan x
    L2Loss nn.l2_loss t
    LRN nn.lrn input depth_radius=5 bias=1 alpha=1 beta=0.5
    LeakyRelu nn.leaky_relu features alpha=0.2
    LeftShift bitwise.left_shift x y
    Less math.less x y
    LessEqual math.less_equal x y
    Lgamma math.lgamma x
    LinSpace linspace start stop num
    Log math.log x
    Log1p math.log1p x
    LogMatrixDeterminant linalg.slogdet input
    LogSoftmax nn.log_softmax logits
    LogicalAnd math.logical_and x y
    LogicalNot math.logical_not x
    LogicalOr math.logical_or x y
    Lu linalg.lu input output_idx_type=None
    MatMul linalg.matmul a b transpose_a=False transpose_b=False
    MatrixBandPart linalg.band_part input num_lower num_upper
    MatrixDeterminant linalg.det input
    MatrixDiag linalg.diag diagonal
    MatrixDiagPart linalg.diag_part input
    MatrixDiagPartV2 linalg.diag_part input k padding_value
    MatrixDiagPartV3 linalg.diag_part input k padding_value align='RIGHT_LEFT'
    MatrixDiagV2 linalg.diag diagonal k num_rows num_cols padding_value
    MatrixDiagV3 linalg.diag diagonal k num_rows num_cols padding_value align='RIGHT_LEFT'
    MatrixExponential linalg.expm input
    MatrixInverse linalg.inv input adjoint=False
    MatrixLogarithm linalg.logm input
    MatrixSetDiag linalg.set_diag input diagonal
    MatrixSolve linalg.solve matrix rhs adjoint=False
    MatrixSquareRoot linalg.sqrtm input
    MatrixTriangularSolve linalg.triangular_solve matrix rhs lower=True adjoint=False
    Max math.reduce_max input:input_tensor axis keep_dims:keepdims=False
    MaxPool nn.max_pool2d input ksize strides padding data_format='NHWC'
    MaxPool3D nn.max_pool3d input ksize strides padding data_format='NDHWC'
    Maximum math.maximum x y
    Mean math.reduce_mean input:input_tensor axis keep_dims:keepdims=False
    Min math.reduce_min input:input_tensor axis keep_dims:keepdims=False
    Minimum math.minimum x y
    MirrorPad pad input:tensor paddings mode
    Mod math.floormod x y
    Mul math.multiply x y
    MulNoNan math.multiply_no_nan x y
    Ndtri math.ndtri x
    Neg math.negative x
    NextAfter math.nextafter x1 x2
    NoOp no_op
    NotEqual math.not_equal x y incompatible_shape_error!=True
    OneHot one_hot indices depth on_value off_value axis=-1
    OnesLike ones_like x:input
    Pack stack values axis=0
    Pad pad input:tensor paddings
    PadV2 pad input:tensor paddings constant_values
    Polygamma math.polygamma a x
    Pow math.pow x y
    Prod math.reduce_prod input:input_tensor axis keep_dims:keepdims=False
    Qr linalg.qr input full_matrices=False
    RFFT signal.rfft input:input_tensor fft_length Tcomplex!=None
    RFFT2D signal.rfft2d input:input_tensor fft_length Tcomplex!=None
    RGBToHSV image.rgb_to_hsv images
    Range range start limit delta
    Rank rank input
    Real math.real input Tout!=None
    RealDiv realdiv x y
    Reciprocal math.reciprocal x
    RegexFullMatch strings.regex_full_match input pattern
    RegexReplace strings.regex_replace input pattern rewrite replace_global=True
    Relu nn.relu features
    Relu6 nn.relu6 features
    Reshape reshape tensor shape
    ReverseSequence reverse_sequence input seq_lengths seq_dim:seq_axis batch_dim:batch_axis=0
    ReverseV2 reverse tensor axis
    RightShift bitwise.right_shift x y
    Rint math.rint x
    Roll roll input shift axis
    Round math.round x
    Rsqrt math.rsqrt x
    ScatterNd scatter_nd indices updates shape
    SegmentMax math.segment_max data segment_ids
    SegmentMean math.segment_mean data segment_ids
    SegmentMin math.segment_min data segment_ids
    SegmentProd math.segment_prod data segment_ids
    SegmentSum math.segment_sum data segment_ids
    Select where condition x y
    SelectV2 where condition t:x e:y
    Selu nn.selu features
    Shape shape input out_type=None
    Sigmoid math.sigmoid x
    Sign math.sign x
    Sin math.sin x
    Sinh math.sinh x
    Size size input out_type=None
    Slice slice input:input_ begin size
    Softmax nn.softmax logits
    Softplus nn.softplus features
    Softsign nn.softsign features
    SpaceToBatchND space_to_batch input block_shape paddings
    SpaceToDepth nn.space_to_depth input block_size data_format='NHWC'
    Spence math.special.spence x
    Sqrt math.sqrt x
    Square math.square x
    SquaredDifference math.squared_difference x y
    Squeeze squeeze input axis=None
    StopGradient stop_gradient input
    StringJoin strings.join inputs separator=''
    StringLength strings.length input unit='BYTE'
    StringLower strings.lower input encoding=''
    StringStrip strings.strip input
    StringToHashBucketFast strings.to_hash_bucket_fast input num_buckets
    StringToHashBucketStrong strings.to_hash_bucket_strong input num_buckets key
    StringToNumber strings.to_number string_tensor:input out_type=None
    StringUpper strings.upper input encoding=''
    Sub math.subtract x y
    Substr strings.substr input pos len unit='BYTE'
    Sum math.reduce_sum input:input_tensor axis keep_dims:keepdims=False
    Tan math.tan x
    Tanh math.tanh x
    TensorScatterAdd tensor_scatter_nd_add tensor indices updates
    TensorScatterMax tensor_scatter_nd_max tensor indices updates
    TensorScatterMin tensor_scatter_nd_min tensor indices updates
    TensorScatterSub tensor_scatter_nd_sub tensor indices updates
    TensorScatterUpdate tensor_scatter_nd_update tensor indices updates
    Tile tile input multiples
    Timestamp timestamp
    TopK math.top_k input k sorted=True
    TopKV2 math.top_k input k sorted=True
    Transpose transpose x:a perm
    TridiagonalSolve linalg.tridiagonal_solve diagonals rhs partial_pivoting=True
    TruncateDiv truncatediv x y
    TruncateMod truncatemod x y
    Unique unique x out_idx=None
    UniqueWithCounts unique_with_counts x out_idx=None
    Unpack unstack value num axis=0
    UnravelIndex unravel_index indices dims
    UnsortedSegmentMax math.unsorted_segment_max data segment_ids num_segments
    UnsortedSegmentMin math.unsorted_segment_min data segment_ids num_segments
    UnsortedSegmentProd math.unsorted_segment_prod data segment_ids num_segments
    UnsortedSegmentSum math.unsorted_segment_sum data segment_ids num_segments
    Where where condition
    Xdivy math.xdivy x y
    Xlog1py math.xlog1py x y
    Xlogy math.xlogy x y
    ZerosLike zeros_like x:input
    Zeta math.zeta x q
"""
