"""Cases of `tf.nn` beyond layers and losses: samplers, derivatives of convolutions, morphology, fractional pooling."""

from cases._case import Case, distinct, f16, f32, f64, i8, i32, i64, literal, ties, u8, using

_TRUE = i64(value=[[1, 3], [0, 2]])
_LABELS = i64(value=[[1], [3]])
_NO_KERNEL = "TensorFlow has no kernel of it"
_FEW = (1.0, 5.0, 2.0, 0.5, 7.0, 3.0, 3.0)
_ROUNDED = {"rtol": 1e-6, "reason": "a logarithm of float32 numbers"}


def _twice(tf, result, *args):
    again = tf.random.learned_unigram_candidate_sampler(*args, seed=5)
    return result, again, tf.random.learned_unigram_candidate_sampler(*args, seed=5)


def _in_functions(tf, result, *args):
    @tf.function
    def draw():
        return (
            tf.random.uniform_candidate_sampler(*args, seed=1)[0],
            tf.random.learned_unigram_candidate_sampler(*args, seed=1)[0],
        )

    return [draw(), draw(), draw()]


_SAMPLERS = [
    Case("tf.random.uniform_candidate_sampler", _TRUE, 2, 5, True, 10).set(seed=3, **_ROUNDED),
    Case("tf.random.uniform_candidate_sampler", _TRUE, 2, 5, False, 8, seed=7).set(seed=3, **_ROUNDED),
    Case("tf.random.log_uniform_candidate_sampler", _TRUE, 2, 5, True, 8).set(seed=3, **_ROUNDED),
    Case("tf.random.log_uniform_candidate_sampler", _TRUE, 2, 6, False, 1000, seed=7).set(seed=3, **_ROUNDED),
    Case("tf.random.learned_unigram_candidate_sampler", _TRUE, 2, 4, True, 7, seed=5).set(seed=3, **_ROUNDED)
    .then(_twice),
    Case("tf.random.fixed_unigram_candidate_sampler", _TRUE, 2, 5, True, 7, unigrams=_FEW).set(seed=3, **_ROUNDED),
    Case("tf.random.fixed_unigram_candidate_sampler", _TRUE, 2, 5, False, 9, unigrams=_FEW, distortion=0.75,
         num_reserved_ids=2, seed=1).set(seed=3, **_ROUNDED),
    Case("tf.random.fixed_unigram_candidate_sampler", i64(value=[[0]]), 1, 2, True, 3, unigrams=_FEW, num_shards=2,
         shard=1, seed=1).set(seed=3, **_ROUNDED),
    Case("tf.random.all_candidate_sampler", _TRUE, 2, 4, True),
    Case("tf.nn.compute_accidental_hits", _TRUE, i64(value=[3, 5, 0]), 2),
    Case("tf.random.uniform_candidate_sampler", _TRUE, 2, 3, True, 9).set(seed=3).then(_in_functions),
    Case("tf.random.uniform_candidate_sampler", _TRUE, 2, 9, True, 8).raises(),
    Case("tf.random.uniform_candidate_sampler", _TRUE, 1, 5, True, 8).raises(),
    Case("tf.random.log_uniform_candidate_sampler", [1, 2], 2, 5, True, 8).raises(),
    Case("tf.random.learned_unigram_candidate_sampler", _TRUE, 2, 0, True, 8).raises(),
    Case("tf.random.uniform_candidate_sampler", [[8]], 1, 2, True, 8).raises(),
    Case("tf.random.fixed_unigram_candidate_sampler", _TRUE, 2, 3, True, 7).raises(),
    Case("tf.random.fixed_unigram_candidate_sampler", _TRUE, 2, 3, True, 8, unigrams=_FEW).raises(),
    Case("tf.random.fixed_unigram_candidate_sampler", _TRUE, 2, 3, True, 7, vocab_file="missing").raises(),
    Case("tf.nn.compute_accidental_hits", _TRUE, [[1]], 2).raises(),
    Case("tf.nn.compute_accidental_hits", _TRUE, [1], 1).raises(),
    Case("tf.nn.nce_loss", f32(8, 3), f32(8), _LABELS, f32(2, 3), 4, 8).set(seed=3, order=0),
    Case("tf.nn.nce_loss", f32(8, 3), f32(8), _TRUE, f32(2, 3), 4, 8, 2,
         remove_accidental_hits=True).set(seed=3, order=0),
    Case("tf.nn.nce_loss", f32(5, 2), f32(5), _LABELS, f32(2, 2), 2, 5,
         sampled_values=(i64(value=[0, 3]), literal([[0.5], [0.25]]), literal([0.5, 0.75]))).set(wrt=(0, 1, 3)),
    Case("tf.nn.nce_loss", [f32(4, 3), f32(4, 3)], f32(8), _LABELS, f32(2, 3), 4, 8).set(seed=3, order=0),
    Case("tf.nn.sampled_softmax_loss", f32(8, 3), f32(8), _LABELS, f32(2, 3), 4, 8, seed=5).set(seed=3, order=0),
    Case("tf.nn.sampled_softmax_loss", f32(6, 3), f32(6), _TRUE, f32(2, 3), 4, 6, num_true=2).set(seed=3, order=0),
    Case("tf.nn.sampled_softmax_loss", f32(6, 3), f32(6), i64(value=[[1]]), f32(1, 3), 4, 6,
         remove_accidental_hits=False)
    .set(seed=3, order=0),
    Case("tf.nn.nce_loss", f32(8, 3), f32(8), i64(value=[1, 3]), f32(2, 3), 4, 8).raises(),
    Case("tf.nn.nce_loss", f32(8, 3), f32(8), _LABELS, f32(2, 4), 4, 8).raises(),
    Case("tf.nn.sampled_softmax_loss", f32(8, 3), f32(8), _LABELS, f32(2, 3), 9, 8).raises(),
]

_ONES = [1, 1, 1, 1]


_DOUBLE = using(lambda tf: lambda input, spatial, padding: input * 2.0)

_CONVOLUTIONS = [
    Case("tf.nn.depthwise_conv2d_backprop_input", [1, 4, 4, 2], f32(2, 2, 2, 2), f32(1, 3, 3, 4), _ONES, "VALID"),
    Case("tf.nn.depthwise_conv2d_backprop_input", [1, 4, 5, 1], f32(3, 2, 1, 2), f32(1, 2, 3, 2), [1, 2, 2, 1], "SAME"),
    Case("tf.nn.depthwise_conv2d_backprop_filter", f32(1, 4, 4, 2), [2, 2, 2, 2], f32(1, 3, 3, 4), _ONES, "VALID"),
    Case("tf.nn.depthwise_conv2d_backprop_filter", f64(2, 4, 5, 1), [3, 2, 1, 2], f64(2, 2, 3, 2),
         [1, 2, 2, 1], "SAME"),
    Case("tf.nn.depthwise_conv2d_backprop_filter", f32(1, 4, 4, 2), [2, 2, 2], f32(1, 3, 3, 4),
         _ONES, "VALID").raises(),
    Case("tf.nn.depthwise_conv2d_backprop_filter", i32(1, 4, 4, 2), [2, 2, 2, 2], i32(1, 3, 3, 4), _ONES, "VALID")
    .raises(),
    Case("tf.conv2d_backprop_input_v2", f32(1, 4, 4, 2), f32(2, 2, 2, 3), f32(1, 3, 3, 3), _ONES, "VALID").raises()
    .differs(error=_NO_KERNEL),
    Case("tf.conv2d_backprop_filter_v2", f32(1, 4, 4, 2), f32(2, 2, 2, 3), f32(1, 2, 2, 3), [1, 2, 2, 1], "SAME")
    .raises().differs(error=_NO_KERNEL),
    Case("tf.raw_ops.Conv2DBackpropInput", input_sizes=[1, 4, 4, 2], filter=f32(2, 2, 2, 1),
         out_backprop=f32(1, 5, 5, 1), strides=_ONES, padding="EXPLICIT", explicit_paddings=[0, 0, 1, 1, 1, 1, 0, 0]),
    Case("tf.raw_ops.Conv2DBackpropFilter", input=f32(1, 4, 4, 2), filter_sizes=[2, 2, 2, 1],
         out_backprop=f32(1, 4, 4, 1), strides=_ONES, padding="SAME"),
    Case("tf.conv", f32(2, 1, 4, 3, 2), f32(2, 2, 2, 1), [1, 1, 1, 1], "SAME", batch_dims=2),
    Case("tf.conv", f32(1, 4, 4, 3, 1), f32(2, 1, 2, 1, 2), [1, 2, 1, 1, 1], "VALID"),
    Case("tf.conv", f32(1, 4, 3, 2), f32(2, 2, 2, 1), _ONES, "SAME", data_format="FOO").raises(),
    Case("tf.nn.with_space_to_batch", f32(1, 4, 4, 1), [2, 2], "VALID", _DOUBLE),
    Case("tf.nn.with_space_to_batch", f32(1, 5, 4, 1), [2, 1], "SAME", _DOUBLE, [2, 1]),
    Case("tf.nn.with_space_to_batch", f32(1, 4, 1), [1], "SAME", _DOUBLE),
    Case("tf.nn.with_space_to_batch", f32(1, 4, 1), [2], "SAME", _DOUBLE).raises(),
    Case("tf.nn.with_space_to_batch", f32(1, 4, 1), [0], "VALID", _DOUBLE).raises(),
    Case("tf.nn.with_space_to_batch", f32(1, 4), [2, 2], "VALID", _DOUBLE).raises(),
]

_MORPHOLOGY = [
    Case("tf.nn.dilation2d", f32(2, 4, 5, 2), f32(2, 3, 2), _ONES, "SAME", "NHWC", _ONES),
    Case("tf.nn.dilation2d", f64(1, 5, 5, 1), f64(2, 2, 1), [1, 2, 1, 1], "VALID", "NHWC", [1, 2, 2, 1]),
    Case("tf.nn.dilation2d", ties(1, 3, 3, 1), ties(2, 2, 1), _ONES, "SAME", "NHWC", _ONES),
    Case("tf.nn.dilation2d", i8(1, 3, 3, 1, low=-128, high=-100), i8(2, 2, 1), _ONES, "SAME", "NHWC", _ONES),
    Case("tf.nn.dilation2d", u8(1, 3, 3, 1), u8(2, 2, 1), _ONES, "SAME", "NHWC", _ONES),
    Case("tf.nn.erosion2d", f32(2, 4, 5, 2), f32(2, 3, 2), _ONES, "SAME", "NHWC", _ONES),
    Case("tf.nn.erosion2d", ties(1, 3, 3, 1), ties(2, 2, 1), _ONES, "VALID", "NHWC", _ONES),
    Case("tf.nn.dilation2d", f32(1, 4, 4, 1), f32(2, 2), _ONES, "SAME", "NHWC", _ONES).raises(),
    Case("tf.nn.dilation2d", f32(1, 4, 4, 1), f32(2, 2, 2), _ONES, "SAME", "NHWC", _ONES).raises(),
    Case("tf.nn.dilation2d", f32(1, 4, 4, 1), f32(2, 2, 1), _ONES, "SAME", "NCHW", _ONES).raises(),
    Case("tf.nn.dilation2d", f32(1, 4, 4, 1), f32(2, 2, 1), [1, 0, 1, 1], "SAME", "NHWC", _ONES).raises(),
    Case("tf.nn.dilation2d", f32(1, 4, 4, 1), f32(2, 2, 1), [2, 1, 1, 1], "SAME", "NHWC", _ONES).raises(),
    Case("tf.nn.dilation2d", f32(1, 4, 4, 1), f32(2, 2, 1), [1, 1], "SAME", "NHWC", _ONES).raises(),
    Case("tf.nn.dilation2d", f32(1, 4, 4, 1), f32(2, 2, 1), _ONES, "FOO", "NHWC", _ONES).raises(),
    Case("tf.nn.dilation2d", f32(1, 4, 4, 1), f32(2, 2, 1), _ONES, "VALID", "NHWC", [1, 9, 1, 1]).raises(),
    Case("tf.nn.erosion2d", u8(1, 4, 4, 1), u8(2, 2, 1), _ONES, "SAME", "NHWC", _ONES).raises(),
    Case("tf.nn.isotonic_regression", f32(2, 6)),
    Case("tf.nn.isotonic_regression", f32(2, 6), decreasing=False).set(order=0),
    Case("tf.nn.isotonic_regression", f64(4, 3), axis=0).set(order=0),
    Case("tf.nn.isotonic_regression", f32(2, 4, 2), False, -2).set(order=0),
    Case("tf.nn.isotonic_regression", ties(2, 6)).set(order=0),
    Case("tf.nn.isotonic_regression", literal([1.0, float("nan"), 2.0])).set(order=0),
    Case("tf.nn.isotonic_regression", literal([float("inf"), 1.0, 2.0])).set(order=0),
    Case("tf.nn.isotonic_regression", f32(0)).set(order=0),
    Case("tf.nn.isotonic_regression", f32()).set(order=0),
    Case("tf.nn.isotonic_regression", f16(5)).set(order=0),
    Case("tf.nn.isotonic_regression", i32(5)),
    Case("tf.nn.isotonic_regression", i8(5)),
    Case("tf.nn.isotonic_regression", literal([True, False])).raises(),
    Case("tf.nn.isotonic_regression", f32(2), axis=1).raises(),
    Case("tf.nn.isotonic_regression", literal("a")).raises(),
    Case("tf.nn.fractional_max_pool", distinct(2, 6, 7, 2), [1.0, 1.44, 1.73, 1.0], seed=5).set(seed=1),
    Case("tf.nn.fractional_max_pool", ties(1, 6, 7, 1), 1.44, overlapping=True, seed=5).set(seed=1),
    Case("tf.nn.fractional_max_pool", distinct(1, 7, 7, 1), 1.5, True, True, seed=4).set(seed=1),
    Case("tf.nn.fractional_max_pool", i32(1, 6, 7, 1), [1, 2, 1.4, 1], seed=3).set(seed=1),
    Case("tf.nn.fractional_avg_pool", f32(2, 6, 7, 2), [1.0, 1.44, 1.73, 1.0], seed=5).set(seed=1),
    Case("tf.nn.fractional_avg_pool", f64(1, 7, 7, 1), [1.0, 1.44, 1.73, 1.0], True, True, seed=4).set(seed=1),
    Case("tf.nn.fractional_avg_pool", i32(1, 6, 7, 1), [1.0, 2.0, 1.4, 1.0], seed=3).set(seed=1),
    Case("tf.nn.fractional_max_pool", f32(1, 6, 7, 1), [2.0, 1.4, 1.4, 1.0]).raises(),
    Case("tf.nn.fractional_max_pool", f32(1, 6, 7, 1), 0.5).raises(),
    Case("tf.nn.fractional_max_pool", f32(1, 6, 7, 1), [1.0, 20.0, 1.4, 1.0]).raises(),
    Case("tf.nn.fractional_max_pool", f32(6, 7, 1), 1.5).raises(),
    Case("tf.nn.fractional_max_pool", f16(1, 6, 7, 1), 1.5).raises(),
    Case("tf.nn.fractional_avg_pool", f32(1, 6, 7, 1), 1.5).raises(),
]

CASES = [*_SAMPLERS, *_CONVOLUTIONS, *_MORPHOLOGY]
