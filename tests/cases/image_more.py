"""Cases of `tf.image` about boxes and crops, of `tf.quantization`, and of small names of the top level."""

from cases._case import Case, c64, f32, i32, i64, literal, using

_BOXES = literal([[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 0.0, 0.5, 0.5], [0.5, 0.5, 0.9, 0.9]])
_SCORES = literal([0.9, 0.75, 0.6, 0.95])
_BATCH = literal([[[0.1, 0.2, 0.6, 0.9], [-0.2, 0.5, 0.4, 1.3]]])
_ONE = literal([[[0.1, 0.2, 0.6, 0.9]]])
_PADDED = "tf.image.non_max_suppression_padded"
_TURNED = [[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5], [0.1, 0.1, 0.6, 0.6]]
_COMBINED = "tf.image.combined_non_max_suppression"
_DISTORTED = "tf.image.stateless_sample_distorted_bounding_box"
_ROUND = "tf.quantization.quantize_and_dequantize_v2"
_X = literal([-3.0, -1.0, 0.0, 0.3, 0.5, 2.6])


def _crops(tf, result, *args):
    args = args[:2]
    seeds = [tf.image.stateless_sample_distorted_bounding_box(*args, [n, 7]) for n in range(6)]
    return seeds, [tf.image.sample_distorted_bounding_box(*args, seed=3, area_range=(0.1, 0.6)) for _ in range(3)]


_IMAGES = [
    Case(_PADDED, _BOXES, _SCORES, 3),
    *(
        Case(
            _PADDED,
            literal(_TURNED),
            literal([0.9, 0.8, 0.7]),
            3,
            pad_to_max_output_size=True,
            canonicalized_coordinates=ordered,
        )
        for ordered in (False, True)
    ),
    Case(_PADDED, _BOXES, _SCORES, 6, score_threshold=0.7, pad_to_max_output_size=True),
    Case(_PADDED, f32(2, 5, 4), f32(2, 5), 4, pad_to_max_output_size=True),
    Case(_PADDED, f32(1, 5, 4), f32(1, 5), 4).raises(),
    Case(_COMBINED, f32(2, 4, 1, 4), f32(2, 4, 3), 2, 3).set(order=0),
    Case(_COMBINED, f32(1, 4, 2, 4), f32(1, 4, 2), 2, 9, pad_per_class=True, clip_boxes=False).set(order=0),
    Case(_COMBINED, f32(1, 4, 2, 4), f32(1, 4, 2), 2, 9, iou_threshold=2.0).raises(),
    Case(_COMBINED, f32(1, 4, 2, 4), f32(1, 5, 2), 2, 9).raises(),
    Case(_COMBINED, f32(1, 4, 3, 4), f32(1, 4, 2), 2, 9).raises(),
    Case("tf.image.draw_bounding_boxes", f32(1, 6, 8, 3), _BATCH, [[1.0, 0.0, 0.5], [2.0, 2.0, 2.0]]),
    Case("tf.image.draw_bounding_boxes", f32(1, 6, 8, 4), _BATCH, None).set(order=0),
    Case("tf.image.draw_bounding_boxes", f32(1, 6, 8, 1), _BATCH, [[7.0]]),
    Case("tf.image.draw_bounding_boxes", f32(1, 6, 8, 2), _BATCH, [[7.0, 1.0]]).raises(),
    Case("tf.image.draw_bounding_boxes", f32(2, 6, 8, 3), _BATCH, [[7.0, 1.0, 1.0]]).raises(),
    Case("tf.image.extract_glimpse", f32(1, 5, 6, 2), [3, 3], literal([[0.3, -0.2]])).set(order=0),
    Case("tf.image.extract_glimpse", f32(1, 5, 6, 1), [3, 2], literal([[1.0, 2.0]]), True, False, "zero").set(order=0),
    Case("tf.image.extract_glimpse", f32(1, 5, 6, 1), [3, 3], literal([[0.3, -0.2]]), False, True, "zero").set(order=0),
    Case("tf.image.extract_glimpse", f32(1, 5, 6, 1), [3, 3], literal([[0.3, -0.2]]), noise="foo").raises(),
    Case("tf.image.extract_glimpse", f32(5, 6, 1), [3, 3], literal([[0.3, -0.2]])).raises(),
    Case(_DISTORTED, [40, 50, 3], _ONE, [1, 2]).set(seed=1, order=0).then(_crops),
    Case(_DISTORTED, [40, 50, 3], f32(1, 0, 4), [1, 2], use_image_if_no_bounding_boxes=True).set(order=0),
    Case(_DISTORTED, [40, 50, 3], _ONE, [1, 2], 0.9, [0.5, 2.0], [0.3, 0.9], 10).set(order=0),
    Case(_DISTORTED, [40, 50, 3], f32(1, 0, 4), [1, 2]).raises(),
    Case(_DISTORTED, [40, 50], _ONE, [1, 2]).raises(),
    Case("tf.image.sample_distorted_bounding_box", [40, 50, 3], _ONE, 3).set(seed=1, order=0),
    Case("tf.image.sample_distorted_bounding_box", [40, 50, 3], f32(1, 1, 3), 3).raises(),
    Case("tf.image.random_jpeg_quality", f32(8, 8, 3), 60, 50).raises(),
    Case("tf.image.stateless_random_jpeg_quality", f32(8, 8, 3), 60, 50, [1, 2]).raises(),
    Case("tf.image.adjust_jpeg_quality", f32(8, 8, 3), 150).raises(),
    Case("tf.image.decode_webp", literal("no picture")).raises(),
    Case("tf.image.random_jpeg_quality", f32(8, 8, 3), 60, 150).raises(),
]

_QUANTIZED = [
    Case(_ROUND, _X, -1.0, 2.0).set(wrt=0, smooth=False),
    Case(_ROUND, _X, literal(-1.0), literal(2.0), range_given=True).set(smooth=False),
    Case(_ROUND, _X, -1.0, 2.0, False, 4, True, "HALF_UP", narrow_range=True).set(wrt=0, smooth=False),
    Case("tf.quantization.quantize_and_dequantize", _X, -1.0, 2.0, range_given=True).set(wrt=0, smooth=False),
    Case(_ROUND, _X, [-1.0, 1.0], 2.0, range_given=True).raises(),
    Case(_ROUND, i32(3), -1, 2).raises(),
    Case(_ROUND, _X, -1.0, 2.0, num_bits=0).raises(),
]


def _scopes(tf, result, *args):
    made = []

    def doubled(next_creator, **kwargs):
        made.append(kwargs["name"])
        kwargs["initial_value"] = kwargs["initial_value"] * 2.0
        return next_creator(**kwargs)

    with tf.variable_creator_scope(doubled), tf.variable_creator_scope(doubled), tf.name_scope("a"), tf.name_scope("b"):
        variable = tf.Variable(3.0, name="v")
        scope = tf.get_current_name_scope()
    parts = tf.DeviceSpec.from_string("/job:w/replica:0/task:1/device:GPU:0")
    section = tf.CriticalSection(name="c").execute(lambda: tf.constant(1))
    return variable, made, scope, parts.to_string(), parts.replace(task=2).to_string(), section, \
        tf.AggregationMethod.ADD_N, parts.make_merged_spec(tf.DeviceSpec(job="x")).to_string()


def _operator(tf):
    matrix = tf.constant([[4.0, 1.0], [1.0, 3.0]])
    return tf.linalg.LinearOperatorFullMatrix(matrix, is_self_adjoint=True, is_positive_definite=True)


_NO_KERNEL = "TensorFlow has no CPU kernel of it"
_NP = "tf.experimental.numpy."
_SMALL = [
    Case("tf.constant", 1.0).then(_scopes),
    Case("tf.linalg.experimental.conjugate_gradient", using(_operator), f32(2)).set(order=0),
    Case("tf.linalg.experimental.conjugate_gradient", using(_operator), f32(3, 2), max_iter=1).set(order=0),
    Case("tf.linalg.experimental.conjugate_gradient", using(lambda tf: tf.linalg.LinearOperatorIdentity(2)), f32(3))
    .raises(),
    Case("tf.linalg.experimental.conjugate_gradient",
         using(lambda tf: tf.linalg.LinearOperatorFullMatrix(tf.ones([2, 2]))), f32(2)).raises(),
    Case("tf.get_current_name_scope"),
    Case("tf.variable_creator_scope", using(lambda tf: tf.identity)).then(lambda tf, result, *_: 1),
    *(Case(f"tf.{name}", c64(2, 3), [2, 3], [0, 1]).raises().differs(error=_NO_KERNEL)
      for name in ("fftnd", "ifftnd", "irfftnd")),
    Case("tf.rfftnd", f32(2, 4), [4], [1]).raises().differs(error=_NO_KERNEL),
    Case("tf.ragged_fill_empty_rows", i64(value=[0, 2, 2]), f32(3), i64(value=4), -1.0).set(order=0),
    Case("tf.ragged_fill_empty_rows_grad", i64(value=[0, 2, 3]), f32(5)).set(order=0),
    Case("tf.ragged_fill_empty_rows", i64(value=[0, 5]), f32(2), i64(value=4), -1.0).raises(),
    Case("tf.approx_top_k", literal([-1.0, 3.0, 2.0]), 2).set(order=0),
    Case(_NP + "compress", [True, False, True], i32(2, 3), 1),
    Case(_NP + "compress", [True, False, True], i32(2, 3)),
    Case(_NP + "compress", [True] * 4, i32(2, 3), 1).raises(),
    Case(_NP + "diag_indices", 2, 3),
    Case(_NP + "ix_", [0, 1], [True, False, True]),
    Case(_NP + "ix_", [[1]]).raises(),
    Case(_NP + "random.poisson", literal([1.0, 2.0]), [3]).set(seed=1),
    Case(_NP + "random.poisson", 2.0).set(seed=1),
]

CASES = [*_IMAGES, *_QUANTIZED, *_SMALL]
