"""Cases of `tf.raw_ops`: summaries, messages, hashes, clusters, windows, dataflow of TensorFlow 1."""

from cases._case import Case, f32, i32, i64, literal, using

_R = "tf.raw_ops."
_F32 = using(lambda tf: tf.float32)


def _values(case):
    """A case whose values alone are compared: an op of text or numbers without a gradient."""
    return case.set(order=0)


def _crossed(**arguments):
    """Crossed features of two columns of one row."""
    return _values(Case(_R + "SparseCrossHashed", indices=[i64(value=[[0, 0], [0, 1]])], shapes=[i64(value=[1, 2])],
                        **arguments))  # fmt: skip


_SUMMARY = literal(b"\n\x08\n\x01a\x15\x00\x00\x80?")
_POINTS = f32(value=[[i * i, (i + 1) ** 2] for i in range(7)])
_WINDOWS = {"input": f32(2, 6, 5, 1), "noise": "zero", "uniform_noise": False}

CASES = [
    # --- summaries ---
    _values(Case(_R + "ScalarSummary", tags=["a", "b"], values=f32(value=[1, 2]))),
    Case(_R + "ScalarSummary", tags=["a"], values=f32(2)).raises(),
    Case(_R + "ScalarSummary", tags=["a"], values=f32(1, 1)).raises(),
    *[
        _values(Case(_R + "HistogramSummary", tag="a", values=f32(value=value)))
        for value in ([1, 2, -3, 0], [[0.5, 0.5], [1e-3, 7]], [])
    ],
    Case(_R + "HistogramSummary", tag="a", values=f32(value=[1, float("nan")])).raises(),
    Case(_R + "HistogramSummary", tag=["a"], values=f32(2)).raises(),
    _values(Case(_R + "AudioSummaryV2", tag="a", tensor=f32(value=[[-1, 0.5, 2]]), sample_rate=8000.0)),
    _values(Case(_R + "AudioSummaryV2", tag="a", tensor=f32(2, 3, 2), sample_rate=8.0, max_outputs=1)),
    Case(_R + "AudioSummaryV2", tag="a", tensor=f32(3), sample_rate=8.0).raises(),
    _values(Case(_R + "TensorSummary", tensor=f32(value=[1, 2]), description="d", labels=["x"], display_name="n")),
    _values(Case(_R + "TensorSummaryV2", tag="t", tensor=literal(["a", "b"]), serialized_summary_metadata="")),
    _values(Case(_R + "TensorSummaryV2", tag="t", tensor=i32(value=[3]),
                 serialized_summary_metadata=literal(b"\n\x03\n\x01a"))),  # fmt: skip
    _values(Case(_R + "MergeSummary", inputs=[_SUMMARY, literal(b"\n\x08\n\x01b\x15\x00\x00\x00@")])),
    Case(_R + "MergeSummary", inputs=[_SUMMARY, _SUMMARY]).raises(),
    Case(_R + "MergeSummary", inputs=["zz"]).raises(),
    # --- text and messages ---
    _values(Case(_R + "UnicodeScript", input=i32(value=[97, 0x4E00, -1, 0x110000, 0x3B1, 0x660, 0x1F600, 0x378]))),
    _values(Case("tf.strings.unicode_script", i32(value=[[97, 0x20], [0x5D0, 0x41F]]))),
    _values(Case("tf.strings.unicode_script", using(lambda tf: tf.ragged.constant([[97], [], [0x5D0, 0x41F]])))),
    _values(Case(_R + "DecodeProtoV2", bytes=literal([b"\n\x01a\n\x01b", b""]), message_type="tensorflow.BytesList",
                 field_names=["value"], output_types=[using(lambda tf: tf.string)])),  # fmt: skip
    _values(Case("tf.io.decode_proto", literal([[b"\n\x08\x00\x00\x80?\x00\x00\x00@"]]), "tensorflow.FloatList",
                 ["value"], [_F32], sanitize=True)),  # fmt: skip
    _values(Case("tf.io.decode_proto", ["value: 3 value: [4, 5]  # numbers"], "tensorflow.Int64List", ["value"],
                 [using(lambda tf: tf.int64)], message_format="text")),  # fmt: skip
    Case("tf.io.decode_proto", ["\x08"], "tensorflow.Int64List", ["value"], [using(lambda tf: tf.int64)]).raises(),
    Case("tf.io.decode_proto", [""], "tensorflow.Int64List", ["value"], [_F32]).raises(),
    Case("tf.io.decode_proto", [""], "tensorflow.Int64List", ["none"], [_F32]).raises(),
    Case("tf.io.decode_proto", [""], "no.such.message", ["value"], [_F32]).raises(),
    Case("tf.io.decode_proto", [""], "tensorflow.Int64List", [], [], message_format="json").raises(),
    _values(Case("tf.io.encode_proto", [[2]], [literal([["a", "b"]])], ["value"], "tensorflow.BytesList")),
    _values(Case("tf.io.encode_proto", [[1], [2]], [f32(2, 2)], ["value"], "tensorflow.FloatList")),
    Case("tf.io.encode_proto", [[3]], [f32(1, 2)], ["value"], "tensorflow.FloatList").raises(),
    Case("tf.io.encode_proto", [1], [f32(1, 2)], ["value"], "tensorflow.FloatList").raises(),
    Case("tf.io.encode_proto", [[1]], [i32(1, 2)], ["value"], "tensorflow.FloatList").raises(),
    _values(Case(_R + "EncodeProto", sizes=[[1]], values=[i64(value=[[7, 8]])], field_names=["value"],
                 message_type="tensorflow.Int64List")),  # fmt: skip
    _values(Case("tf.io.decode_json_example", [['{"features": {}}', "{}"]])),
    _values(Case(_R + "DecodeJSONExample", json_examples='{"features": {"feature": {"a": {"bytesList": {"value": '
                 '["YQ=="]}}}}}')),  # fmt: skip
    *[
        Case("tf.io.decode_json_example", [text]).raises()
        for text in ('{"no": 1}', "text", '{"features": {"feature": {"a": {"int64List": {"value": ["1.5"]}}}}}')
    ],
    # --- hashes ---
    *[
        _crossed(values=[values], dense_inputs=dense, num_buckets=buckets, strong_hash=strong, salt=[1, 2])
        for values in (literal(["a", "b"]), i64(value=[7, -8]))
        for dense, buckets, strong in (
            ([], 0, False), ([], 0, True), ([literal([["c"]])], 1000, False), ([literal([["c"]])], 1000, True),
            # TensorFlow crashes on dense numbers with a strong hash.
            ([i64(value=[[3]])], 0, False),
        )
    ],  # fmt: skip
    # --- clusters ---
    _values(Case(_R + "NearestNeighbors", points=f32(4, 2), centers=f32(3, 2), k=2)),
    _values(Case(_R + "NearestNeighbors", points=f32(4, 2), centers=f32(3, 2), k=5)),
    Case(_R + "NearestNeighbors", points=f32(4, 2), centers=f32(3, 3), k=2).raises(),
    _values(Case(_R + "NearestNeighbors", points=f32(4, 2), centers=f32(3, 2), k=0)),
    *[
        _values(Case(_R + "KMC2ChainInitialization", distances=f32(value=[9, 2, 3, 0.5, 7, 1, 5]), seed=seed))
        for seed in (1, 2, 3)
    ],
    *[
        _values(Case(_R + "KmeansPlusPlusInitialization", points=_POINTS, num_to_sample=count, seed=seed,
                     num_retries_per_sample=retries))
        for count, retries in ((1, 3), (2, 0), (4, -1)) for seed in (5, 6)
    ],  # fmt: skip
    Case(_R + "KmeansPlusPlusInitialization", points=_POINTS, num_to_sample=8, seed=1,
         num_retries_per_sample=1).raises(),  # fmt: skip
    # --- windows ---
    *[
        _values(Case(_R + "ExtractGlimpse", **_WINDOWS, size=size, offsets=f32(value=offsets), centered=centered,
                     normalized=normalized))
        for size, offsets, centered, normalized in (
            ([2, 3], [[0, 0], [0.5, -0.5]], True, True), ([3, 4], [[0, 0], [0.3, 0.2]], True, False),
            ([2, 2], [[1, 2], [0, 1]], False, False), ([2, 2], [[0.1, 0.2], [0.5, 0.8]], False, True),
        )
    ],  # fmt: skip
    Case(_R + "ExtractGlimpse", **_WINDOWS, size=[2], offsets=f32(2, 2)).raises(),
    # --- dataflow of TensorFlow 1, batches of calls ---
    _values(Case(_R + "Switch", data=f32(2), pred=True)),
    _values(Case(_R + "Switch", data=f32(2), pred=False)),
    Case(_R + "Switch", data=f32(2), pred=[True]).raises(),
    _values(Case(_R + "Merge", inputs=[f32(2), f32(2)])),
    *[_values(Case(_R + name, data=f32(2))) for name in ("Exit", "NextIteration")],
    _values(Case(_R + "Enter", data=f32(2), frame_name="a")),
    _values(Case(_R + "LoopCond", input=True)),
    _values(Case(_R + "DeviceIndex", device_names=["TPU", "CPU"])),
    _values(Case(_R + "DeviceIndex", device_names=["TPU"])),
]
