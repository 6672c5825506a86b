"""Cases of `tf.nn` and `tf` about label sequences, ids and text: CTC, sparse embeddings, edit distance."""

from cases._case import Case, f32, f64, i8, i32, i64, integers, literal, made, using

_LABELS, _LOGITS = [[1, 2, 2], [3, 0, 0]], f32(6, 2, 4)
_SPARSE_LABELS = made(lambda tf, x: tf.sparse.from_dense(x), i32(value=[[1, 2], [2, 0]]))
_NAN, _NONE = "TensorFlow's is nan", "TensorFlow has none"


def _sparse(values, places=((0, 0), (0, 1), (2, 0)), shape=(4, 2)):
    return made(lambda tf, values, places, shape: tf.SparseTensor(places, values, shape), values, places, shape)


_IDS = _sparse(i64(value=[1, 3, 0]))
_NEGATIVE = _sparse(i64(value=[1, -3, 0]))
_WEIGHTS = _sparse(f32(3, low=0.5, high=2.0))

CASES = [
    Case("tf.nn.ctc_loss", i32(value=_LABELS), _LOGITS, [3, 1], [6, 4]).differs(second=_NAN),
    Case("tf.nn.ctc_loss", i32(value=_LABELS), f32(2, 6, 4), [3, 0], [6, 4], logits_time_major=False).set(order=1),
    Case("tf.nn.ctc_loss", i32(value=[[1, 2], [2, 0]]), _LOGITS, [2, 1], [5, 4], blank_index=-1).set(order=1),
    Case(
        "tf.nn.ctc_loss",
        i32(value=_LABELS),
        _LOGITS,
        [3, 1],
        [6, 4],
        unique=using(lambda tf: tf.nn.ctc_unique_labels(tf.constant([[1, 2, 2], [3, 0, 0]]))),
    ).set(order=1),
    Case("tf.nn.ctc_loss", integers("uint8", value=_LABELS), _LOGITS, i8(value=[3, 1]), f32(value=[6, 4])).set(order=1),
    Case("tf.nn.ctc_loss", f32(value=_LABELS), _LOGITS, [3, 1], [6, 4]).raises(),
    Case("tf.nn.ctc_loss", _SPARSE_LABELS, _LOGITS, None, [6, 4], blank_index=-1).set(order=1),
    Case("tf.nn.ctc_loss", _SPARSE_LABELS, _LOGITS, None, [6, 4], blank_index=0).set(order=1),
    Case("tf.nn.ctc_loss", _SPARSE_LABELS, _LOGITS, None, [6, 4]).raises(),
    Case("tf.nn.ctc_unique_labels", i32(value=_LABELS)),
    Case("tf.nn.ctc_greedy_decoder", _LOGITS, [6, 4]).set(order=0),
    Case("tf.nn.ctc_greedy_decoder", _LOGITS, [5, 4], merge_repeated=False, blank_index=0).set(order=0),
    Case("tf.nn.ctc_greedy_decoder", _LOGITS, [9, 4]).raises(),
    Case("tf.nn.ctc_beam_search_decoder", _LOGITS, [6, 4], beam_width=4, top_paths=3).set(order=0),
    Case("tf.nn.ctc_beam_search_decoder", _LOGITS, [6, 4]).set(order=0),
    Case("tf.nn.ctc_beam_search_decoder", f32(9, 4, 5), [9, 5, 9, 2], beam_width=3, top_paths=2).set(order=0),
    Case("tf.nn.ctc_beam_search_decoder", f32(7, 6, 4), [7] * 6, beam_width=6, top_paths=3).set(order=0),
    Case("tf.nn.ctc_beam_search_decoder", _LOGITS, [6, 4], beam_width=2, top_paths=3).raises(),
    Case("tf.nn.collapse_repeated", [[1, 1, 2], [3, 3, 3]], [3, 2]),
    Case("tf.nn.embedding_lookup_sparse", f32(4, 2), _IDS, None).set(order=0),
    Case("tf.nn.embedding_lookup_sparse", f32(4, 2), _IDS, None, combiner="sum").set(order=0),
    Case("tf.nn.embedding_lookup_sparse", f32(4, 2), _IDS, _WEIGHTS, combiner="mean"),
    Case("tf.nn.embedding_lookup_sparse", f32(4, 2), _IDS, _WEIGHTS, combiner="sqrtn").differs(jvp=_NAN),
    Case("tf.nn.embedding_lookup_sparse", f32(4, 2), _IDS, _WEIGHTS, combiner="sum", max_norm=1.0).set(order=1),
    Case("tf.nn.embedding_lookup_sparse", f32(4, 2), using(lambda tf: tf.ragged.constant([[1, 2], [], [0]])), None).set(
        order=0
    ),
    Case("tf.nn.embedding_lookup_sparse", f32(4, 2), _IDS, None, combiner="foo").raises(),
    Case("tf.nn.embedding_lookup_sparse", f32(4, 2), [1], None).raises(),
    Case("tf.nn.safe_embedding_lookup_sparse", f32(4, 2), _NEGATIVE).set(order=0),
    Case("tf.nn.safe_embedding_lookup_sparse", f32(4, 2), _NEGATIVE, _WEIGHTS, default_id=2).set(order=0),
    Case("tf.nn.safe_embedding_lookup_sparse", f32(4, 2), _NEGATIVE, combiner="sum").set(order=0),
    Case("tf.nn.safe_embedding_lookup_sparse", None, _NEGATIVE).raises(),
    Case("tf.edit_distance", _sparse(i32(value=[1, 2, 3])), _sparse(i32(value=[1, 3]), ((0, 0), (2, 1)))),
    Case("tf.edit_distance", _sparse(i32(value=[1, 2, 3])), _sparse(i32(value=[1, 3]), ((0, 0), (2, 1))), False),
    Case("tf.edit_distance", _sparse(literal(["a", "b", "c"])), _sparse(literal(["a", "d"]), ((0, 0), (2, 1)))),
    Case("tf.edit_distance", [1], [2]).raises(),
    Case("tf.unravel_index", [3, 5], [2, 3]),
    Case("tf.unravel_index", 5, [2, 3]),
    Case("tf.unravel_index", [9], [2, 3]).raises(),
    Case("tf.unravel_index", [[9]], [2, 3]).raises(),
    Case("tf.fingerprint", [["a", "b"], ["c", "d"]]),
    Case("tf.fingerprint", ["abc", "d"]),
    Case("tf.fingerprint", [[1.0, 2.0]]),
    Case("tf.fingerprint", [1], method="x").raises(),
    Case("tf.fingerprint", 1).raises(),
    Case("tf.get_static_value", i32(3)),
    Case("tf.get_static_value", 5),
    Case("tf.timestamp").then(lambda tf, seconds: seconds > 1e9),
    Case("tf.is_symbolic_tensor", f32(1)),
    Case("tf.parallel_stack", [f32(2), f32(2)]).raises(),
    Case("tf.hessians", f32(), f32()).raises(),
    Case("tf.extract_volume_patches", f32(1, 2, 3, 4, 2), [1, 2, 2, 2, 1], [1, 1, 1, 2, 1], "VALID").set(order=1),
    Case("tf.extract_volume_patches", f32(1, 2, 3, 3, 1), [1, 2, 2, 2, 1], [1, 1, 2, 1, 1], "SAME").set(order=1),
    Case("tf.extract_volume_patches", f32(1, 2, 2, 1), [1, 1, 1, 1], [1, 1, 1, 1], "SAME").raises(),
    Case("tf.quantization.fake_quant_with_min_max_vars", f32(3, 4, low=-9.0, high=9.0), -6.0, 6.0)
    .set(smooth=False, order=1)
    .differs(jvp=_NONE),
    Case(
        "tf.quantization.fake_quant_with_min_max_vars",
        f32(6, low=-1.0, high=9.0),
        f32(value=0.1),
        f32(value=6.0),
        num_bits=4,
        narrow_range=True,
    )
    .set(smooth=False, order=1)
    .differs(jvp=_NONE),
    Case("tf.quantization.fake_quant_with_min_max_vars", f32(2), 0.0, 0.0)
    .set(order=1, smooth=False)
    .differs(jvp=_NONE),
    Case("tf.quantization.fake_quant_with_min_max_vars", f32(2), 0.0, 1.0, num_bits=1).raises(),
    Case("tf.quantization.fake_quant_with_min_max_vars", f64(2), 0.0, 1.0).raises(),
    Case(
        "tf.quantization.fake_quant_with_min_max_vars_per_channel",
        f32(3, 2),
        f32(value=[-0.5, -2.0]),
        f32(value=[1.0, 0.5]),
    )
    .set(smooth=False, order=1)
    .differs(jvp=_NONE),
    Case("tf.quantization.fake_quant_with_min_max_vars_per_channel", f32(1, 2), [0.0], [1.0]).raises(),
    Case("tf.quantization.fake_quant_with_min_max_args", f32(4, low=-9.0, high=9.0))
    .set(smooth=False, order=1)
    .differs(jvp=_NONE),
    Case("tf.quantization.fake_quant_with_min_max_args", f32(2), min=1, max=0).raises(),
    Case("tf.quantization.fake_quant_with_min_max_vars_gradient", f32(5), f32(5, low=-9.0, high=9.0), -6.0, 6.0).set(
        order=0
    ),
    Case(
        "tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient",
        f32(3, 2),
        f32(3, 2),
        [-0.5, -1.0],
        [1.0, 0.5],
    ).set(order=0),
    Case("tf.quantization.fake_quant_with_min_max_args_gradient", f32(5), f32(5, low=-9.0, high=9.0)).set(order=0),
]
