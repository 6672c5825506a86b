"""Raw ops that write and read files: summaries, checkpoints of both forms and parts of tensors, messages."""

import glob
import os

from rows import raised, row


def _events(tf, folder):
    """What the one event file of a folder holds."""
    (path,) = glob.glob(os.path.join(folder, "events.out.*"))
    result = []
    for event in tf.compat.v1.train.summary_iterator(path):
        if event.file_version:
            continue
        values = []
        for value in event.summary.value:
            image, audio, histogram = value.image, value.audio, value.histo
            picture, sound = image.encoded_image_string, audio.encoded_audio_string
            values += [
                [value.tag, value.simple_value, [image.height, image.width, image.colorspace]],
                [tf.io.decode_png(picture) if picture else None, sound.hex()],
                [audio.sample_rate, audio.num_channels, audio.length_frames],
                [histogram.num, histogram.sum, list(histogram.bucket)],
                [value.HasField("metadata"), value.metadata.plugin_data.plugin_name],
                [text.decode() for text in value.tensor.string_val],
            ]
        result.append([event.step, event.graph_def.hex(), values])
    return result


@row
def a_writer_of_summaries(tf, np, folder):
    ops = tf.raw_ops
    writer = ops.SummaryWriter()
    ops.CreateSummaryFileWriter(writer=writer, logdir=folder, max_queue=1, flush_millis=1, filename_suffix=".x")
    pictures = np.linspace(0, 1, 36).reshape(2, 2, 3, 3).astype(np.float32)
    pictures[0, 0, 0, 0], pictures[1] = np.nan, pictures[1] - np.float32(0.8)
    sounds = np.linspace(-1, 1, 12).reshape(2, 3, 2).astype(np.float32)
    ops.WriteScalarSummary(writer=writer, step=1, tag="a", value=2.0)
    ops.WriteScalarSummary(writer=writer, step=1, tag="a", value=3)
    ops.WriteHistogramSummary(writer=writer, step=2, tag="h", values=[2.0, -1.0])
    color = np.uint8([255, 0, 0, 255])
    ops.WriteImageSummary(writer=writer, step=3, tag="i", tensor=pictures, bad_color=color)
    ops.WriteImageSummary(writer=writer, step=3, tag="i", tensor=pictures, bad_color=color, max_images=1)
    ops.WriteAudioSummary(writer=writer, step=4, tag="s", tensor=sounds, sample_rate=8000.0)
    ops.WriteSummary(writer=writer, step=5, tensor=["x"], tag="t", summary_metadata="")
    ops.WriteSummary(writer=writer, step=5, tensor=["x"], tag="t", summary_metadata=b"\n\x03\n\x01a")
    texts = [ops.ScalarSummary(tags=["a"], values=[1.0]), ops.ScalarSummary(tags=["b"], values=[2.0])]
    ops.WriteRawProtoSummary(writer=writer, step=6, tensor=texts)
    ops.WriteGraphSummary(writer=writer, step=7, tensor=b'"\x03\x08\xaa\x13')
    ops.ImportEvent(writer=writer, event=tf.compat.v1.Event(step=9).SerializeToString())
    wrong = [
        raised(lambda: ops.WriteHistogramSummary(writer=writer, step=1, tag="h", values=[np.nan]), "Nan in summary"),
        raised(lambda: ops.WriteGraphSummary(writer=writer, step=2, tensor=b"\xff"), "Bad tf.GraphDef"),
    ]
    ops.FlushSummaryWriter(writer=writer)
    ops.CloseSummaryWriter(writer=writer)
    wrong.append(raised(lambda: ops.WriteScalarSummary(writer=writer, step=1, tag="a", value=2.0), "does not exist"))
    return wrong, _events(tf, folder)


@row
def summaries_are_written_in_functions(tf, folder):
    ops = tf.raw_ops
    writer = ops.SummaryWriter(shared_name="in_functions")
    ops.CreateSummaryFileWriter(writer=writer, logdir=folder, max_queue=1, flush_millis=1, filename_suffix="")

    @tf.function
    def f(x, step):
        ops.WriteScalarSummary(writer=writer, step=step, tag="x", value=x)
        return x * 2

    results = [f(tf.constant(float(i)), tf.constant(i, tf.int64)) for i in range(3)]
    ops.CloseSummaryWriter(writer=writer)
    return results, _events(tf, folder)


@row
def early_checkpoints(tf, folder):
    ops, path = tf.raw_ops, os.path.join(folder, "early")
    ops.Save(filename=path, tensor_names=["a", "b", "c"],
             data=[tf.constant([[1.0, 2.0]]), tf.constant([1, 2, 3], tf.int64), tf.constant(["x", "yy"])])  # fmt: skip
    return [
        ops.Restore(file_pattern=path, tensor_name="a", dt=tf.float32),
        ops.Restore(file_pattern=path, tensor_name="b", dt=tf.int64),
        ops.Restore(file_pattern=path + "*", tensor_name="c", dt=tf.string),
        ops.RestoreSlice(file_pattern=path, tensor_name="a", shape_and_slice="1 2 -:1,1", dt=tf.float32),
        ops.RestoreV2(prefix=path, tensor_names=["b"], shape_and_slices=[""], dtypes=[tf.int64]),
        tf.train.list_variables(path),
        raised(lambda: ops.Restore(file_pattern=path, tensor_name="z", dt=tf.float32), "not found in checkpoint"),
        raised(lambda: ops.Restore(file_pattern=path + "z", tensor_name="a", dt=tf.float32), "Failed to find any"),
        raised(lambda: ops.Restore(file_pattern=path, tensor_name="a", dt=tf.int32)),
        raised(lambda: ops.RestoreSlice(file_pattern=path, tensor_name="a", shape_and_slice="x", dt=tf.float32)),
    ]


@row
def early_checkpoints_of_parts(tf, folder):
    ops, path = tf.raw_ops, os.path.join(folder, "early")
    ops.SaveSlices(filename=path, tensor_names=["a", "a"], shapes_and_slices=["4 2 0,2:-", "4 2 2,2:-"],
                   data=[tf.constant([[1.0, 2], [3, 4]]), tf.constant([[5.0, 6], [7, 8]])])  # fmt: skip
    return [
        ops.Restore(file_pattern=path, tensor_name="a", dt=tf.float32),
        ops.RestoreSlice(file_pattern=path, tensor_name="a", shape_and_slice="4 2 1,2:0,1", dt=tf.float32),
        raised(lambda: ops.SaveSlices(filename=path, tensor_names=["a"], shapes_and_slices=["4 2 0,2:-"],
                                      data=[tf.zeros([3, 2])])),
    ]  # fmt: skip


@row
def parts_of_tensors_and_merged_checkpoints(tf, np, folder):
    ops, prefixes = tf.raw_ops, [os.path.join(folder, name) for name in ("one", "two", "three")]
    big = np.arange(300 * 2, dtype=np.float32).reshape(300, 2)
    for prefix, names, slices, tensors in zip(
        prefixes, (["a", "s"], ["b", "w"], ["b"]), (["", ""], ["300 2 0,150:-", ""], ["300 2 150,150:-"]),
        ([np.float32([[1, 2], [3, 4], [5, 6]]), np.array(["x"])], [big[:150], np.float32([1, 2])], [big[150:]]),
        strict=True,
    ):  # fmt: skip
        ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=slices, tensors=tensors)
    merged = os.path.join(folder, "merged")
    ops.MergeV2Checkpoints(checkpoint_prefixes=prefixes, destination_prefix=merged, delete_old_dirs=False)
    matrix = {"ckpt_path": merged, "old_tensor_name": "a"}
    whole = {"col_remapping": tf.constant([], tf.int64), "num_rows": 2, "num_cols": 2}
    return [
        sorted(os.listdir(folder)),
        tf.train.list_variables(merged),
        tf.train.load_variable(merged, "b"),
        ops.RestoreV2(prefix=merged, tensor_names=["a", "b", "s"], dtypes=[tf.float32, tf.float32, tf.string],
                      shape_and_slices=["3 2 1,1:-", "300 2 149,2:1,1", ""]),
        raised(lambda: ops.RestoreV2(prefix=merged, tensor_names=["a"], shape_and_slices=["4 2 1,1:-"],
                                     dtypes=[tf.float32])),
        ops.LoadAndRemapMatrix(**matrix, row_remapping=tf.constant([2, -1, 0], tf.int64),
                               col_remapping=tf.constant([1, 0, -1], tf.int64),
                               initializing_values=[9.0, 8, 7, 6, 5], num_rows=3, num_cols=3),
        ops.LoadAndRemapMatrix(**matrix, **whole, row_remapping=tf.constant([2, 0], tf.int64), initializing_values=[]),
        raised(lambda: ops.LoadAndRemapMatrix(**matrix, **whole, row_remapping=tf.constant([2, 2], tf.int64),
                                              initializing_values=[])),
        raised(lambda: ops.LoadAndRemapMatrix(**matrix, **whole, row_remapping=tf.constant([2, -1], tf.int64),
                                              initializing_values=[])),
    ]  # fmt: skip


@row
def a_constant_of_a_file(tf, np, folder):
    path = os.path.join(folder, "numbers")
    np.float32([1, 2, 3, 4]).tofile(path)
    return [
        tf.raw_ops.ImmutableConst(dtype=tf.float32, shape=[2, 2], memory_region_name=path),
        raised(lambda: tf.raw_ops.ImmutableConst(dtype=tf.float32, shape=[2], memory_region_name=path + "z")),
        raised(lambda: tf.raw_ops.ImmutableConst(dtype=tf.float32, shape=[9], memory_region_name=path)),
    ]


def _field(number, *payload):
    """A field of bytes of a message, as it is encoded."""
    data = b"".join(part.encode() if isinstance(part, str) else part for part in payload)
    return bytes([number << 3 | 2, len(data)]) + data


def _described():
    """A FileDescriptorSet: message p.M with a field of each type, some of them repeated, in proto3."""
    fields = b""
    for number, kind in enumerate([1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 15, 16, 17, 18, 11], 1):
        label = 3 if kind in (5, 9, 11) else 1
        kind_of_message = _field(6, ".p.M") if kind == 11 else b""
        fields += _field(2, _field(1, f"f{kind}"), bytes([0x18, number, 0x20, label, 0x28, kind]), kind_of_message)
    body = _field(1, "M") + fields
    message = b"\x22" + bytes([len(body) & 0x7F | 0x80, len(body) >> 7]) + body
    file = _field(1, "a.proto") + _field(2, "p") + message + _field(12, "proto3")
    return b"\n" + bytes([len(file) & 0x7F | 0x80, len(file) >> 7]) + file


@row
def messages_of_descriptors(tf, np, folder):
    source, path = b"bytes://" + _described(), os.path.join(folder, "described")
    with open(path, "wb") as file:
        file.write(_described())
    kinds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 15, 16, 17, 18, 11]
    types = [tf.float64, tf.float32, tf.int64, tf.uint64, tf.int32, tf.uint64, tf.uint32, tf.bool, tf.string, tf.string,
             tf.uint32, tf.int32, tf.int64, tf.int32, tf.int64, tf.string]  # fmt: skip
    names = [f"f{kind}" for kind in kinds]
    rows = [1.5, 2.5, -3, 2**63 + 1, -2, 7, 2**31 + 5, True, b"a", b"zz", 2**32 - 1, -4, -5, -6, -7, b"\x18\x05"]
    values = [np.array([[x, x], [x, x]], t.as_numpy_dtype) for x, t in zip(rows, types, strict=True)]
    sizes = np.array([[2 if kind in (5, 9, 11) else 1 for kind in kinds], [0] * len(kinds)], np.int32)
    sizes[1, 0] = 1
    told = {"message_type": "p.M", "descriptor_source": source}
    texts = tf.io.encode_proto(sizes, values, names, **told)
    again = tf.io.decode_proto(texts, field_names=names, output_types=types, **told)

    def wrong(name, dtype):
        return raised(lambda: tf.io.decode_proto(texts, field_names=[name], output_types=[dtype], **told))

    def shown(values):
        return [list(map(bytes.hex, x.numpy().ravel())) if x.dtype == tf.string else x for x in values]

    return [
        shown([texts]), again.sizes, shown(again.values),
        tf.io.decode_proto(texts, "p.M", ["f5", "f17"], [tf.int64, tf.int64], path).values,
        shown(tf.io.decode_proto(["f5: 1 f5: 2 f11 { f3: 4 } f1: 1e3 f9: 'a\\n'"], "p.M", ["f5", "f11", "f1", "f9"],
                                 [tf.int32, tf.string, tf.float64, tf.string], source, "text").values),
        wrong("f1", tf.float32), wrong("f13", tf.int64), wrong("f3", tf.int32), wrong("f9", tf.int32),
        raised(lambda: tf.io.decode_proto(texts, "p.M", [], [], path + "z"), "serialized file descriptor set"),
    ]  # fmt: skip


@row
def examples_as_json(tf):
    text = ('{"features": {"feature": {"a": {"float_list": {"value": ["NaN", 1e3, 2]}}, "b": {"int64List": {"value": '
            '["3", -4]}}, "c": {"bytesList": {"value": ["YWI="]}}}}}')  # fmt: skip
    features = {"a": tf.io.VarLenFeature(tf.float32), "b": tf.io.VarLenFeature(tf.int64),
                "c": tf.io.VarLenFeature(tf.string)}  # fmt: skip
    read = tf.io.parse_single_example(tf.io.decode_json_example(text), features)
    return [read[name].values for name in "abc"]
