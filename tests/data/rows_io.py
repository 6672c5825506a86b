"""Files, records, examples, CSV, raw bytes, pictures, queues."""

import os
import struct

import numpy as np
from rows import raised, row, row_for

from ._elements import elements, plain, told


@row
def files(tf, folder):
    path = os.path.join(folder, "a", "x.txt")
    tf.io.write_file(path, "text\nmore")
    g = tf.io.gfile
    with g.GFile(os.path.join(folder, "y.txt"), "w") as file:
        file.write("one\ntwo\n")
    with g.GFile(os.path.join(folder, "y.txt")) as file:
        lines = [file.readline(), file.read(), file.size()]
    g.makedirs(os.path.join(folder, "b", "c"))
    g.copy(path, os.path.join(folder, "b", "z.txt"))
    found = [
        tf.io.read_file(path),
        lines,
        sorted(g.listdir(folder)),
        g.exists(path),
        g.isdir(folder),
        g.stat(path).length,
        [os.path.relpath(p, folder) for p in sorted(g.glob(os.path.join(folder, "*", "*.txt")))],
        [os.path.relpath(p.decode(), folder) for p in tf.io.matching_files(os.path.join(folder, "*.t?t")).numpy()],
        raised(lambda: tf.io.read_file(os.path.join(folder, "none")), "No such file or directory"),
        raised(lambda: g.copy(path, os.path.join(folder, "y.txt"))),
        raised(lambda: g.listdir(os.path.join(folder, "q"))),
        raised(lambda: g.mkdir(os.path.join(folder, "b"))),
        raised(lambda: g.remove(os.path.join(folder, "q"))),
        g.join("a", "b"),
    ]
    g.rename(path, os.path.join(folder, "w"))
    g.rmtree(os.path.join(folder, "b"))
    names = tf.data.Dataset.list_files(os.path.join(folder, "*"), shuffle=False)
    found += [sorted(g.listdir(folder)), [os.path.relpath(p.decode(), folder) for p in names.as_numpy_iterator()]]
    found += [raised(lambda: tf.data.Dataset.list_files(os.path.join(folder, "n*")), "No files matched pattern")]
    shuffled = tf.data.Dataset.list_files(os.path.join(folder, "?*"), seed=3)
    return [*found, [os.path.relpath(p.decode(), folder) for p in shuffled.as_numpy_iterator()]]


@row
def lines(tf, folder):
    names = [os.path.join(folder, name) for name in "ab"]
    tf.io.write_file(names[0], "one\r\ntwo\n\nthree")
    tf.io.write_file(names[1], "x\ny\n")
    d = tf.data.TextLineDataset(names)
    return [
        told(d),
        elements(tf.data.TextLineDataset(tf.data.Dataset.from_tensor_slices(names)).skip(1)),
        elements(tf.data.TextLineDataset(names[0]).map(lambda line: tf.strings.length(line))),
        raised(lambda: elements(tf.data.TextLineDataset(names[0] + "q")), "No such file or directory"),
        told(tf.data.FixedLengthRecordDataset(names[1], 2)),
        elements(tf.data.Dataset.from_tensor_slices(names).interleave(tf.data.TextLineDataset, cycle_length=2)),
        elements(tf.data.TextLineDataset(names, num_parallel_reads=2)),
    ]


def _example(tf, i):
    Feature = tf.train.Feature
    feature = {
        "i": Feature(int64_list=tf.train.Int64List(value=[i, -i, 1 << 40])),
        "f": Feature(float_list=tf.train.FloatList(value=[i / 2, 1e-8])),
        "v": Feature(int64_list=tf.train.Int64List(value=range(i))),
        "s": Feature(bytes_list=tf.train.BytesList(value=[b"t%d" % i, b"\x00\xff"])),
    }
    if i == 1:
        del feature["f"]  # a default stands in
    return tf.train.Example(features=tf.train.Features(feature=feature))


@row
def examples(tf, folder):
    one = _example(tf, 2)
    again = tf.train.Example.FromString(one.SerializeToString(deterministic=True))
    single = tf.train.Example(
        features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[3, 300, -1]))})
    )
    empty = tf.train.Example()
    empty.features.feature["x"].float_list.value.extend([1.0, 2.5])
    empty.features.feature["x"].float_list.value.append(0.1)
    return [
        again == one,
        str(single),
        single.SerializeToString().hex(),
        str(empty),
        len(one.SerializeToString()),
        list(again.features.feature["i"].int64_list.value),
        list(again.features.feature["s"].bytes_list.value) == [b"t2", b"\0\xff"],
        again.features.feature["f"].WhichOneof("kind"),
        sorted(again.features.feature),
        "q" in again.features.feature,
        raised(lambda: tf.train.Int64List(value=[1.5])),
        raised(lambda: tf.train.BytesList(value=["a"])),
        tf.train.FloatList(value=[1.5, 2]).SerializeToString().hex(),
        tf.train.BytesList(value=[b"ab", b""]).SerializeToString().hex(),
    ]


@row
def records(tf, folder):
    path = os.path.join(folder, "r")
    found = []
    for kind in ("", "GZIP", "ZLIB"):
        with tf.io.TFRecordWriter(path + kind, kind) as writer:
            for i in range(5):
                writer.write(b"record %d" % i * (i * 40))
        found.append(
            [x.decode()[:9] + str(len(x)) for x in tf.data.TFRecordDataset(path + kind, kind).as_numpy_iterator()]
        )
    with open(path, "rb") as file:
        data = file.read()
    found += [data[:60].hex(), repr(tf.data.TFRecordDataset(path))]
    with open(path, "wb") as file:
        file.write(data[:100] + b"?" + data[101:])
    found.append(raised(lambda: elements(tf.data.TFRecordDataset(path)), "corrupted record at 28"))
    with open(path, "wb") as file:
        file.write(data[:500])
    found.append(raised(lambda: elements(tf.data.TFRecordDataset(path)), "truncated record at"))
    found.append(raised(lambda: elements(tf.data.TFRecordDataset(path + "q")), "No such file"))
    return found


@row
def parsed(tf, folder):
    serialized = [_example(tf, i).SerializeToString() for i in range(1, 4)]
    io = tf.io
    features = {
        "i": io.FixedLenFeature([3], tf.int64),
        "f": io.FixedLenFeature([2], tf.float32, [7.0, 8.0]),
        "v": io.VarLenFeature(tf.int64),
        "s": io.FixedLenSequenceFeature([], tf.string, allow_missing=True),
    }

    def shown(found):
        return {k: plain(v if isinstance(v, tf.SparseTensor) else v.numpy()) for k, v in sorted(found.items())}

    d = tf.data.Dataset.from_tensor_slices(serialized)
    mapped = d.map(lambda x: io.parse_single_example(x, {"i": features["i"]}))
    return [
        shown(io.parse_example(serialized, features)),
        shown(io.parse_single_example(serialized[2], features)),
        io.parse_example(serialized, {"v": io.RaggedFeature(tf.int64)})["v"].to_tensor(),
        elements(mapped),
        [shown(x) for x in d.batch(2).map(lambda x: io.parse_example(x, features))],
        tf.sparse.to_dense(io.parse_example(serialized[:2], {"q": io.SparseFeature("v", "v", tf.int64, 5)})["q"]),
        raised(lambda: io.parse_single_example(serialized[0], {"f": io.FixedLenFeature([2], tf.float32)}), "f"),
        raised(lambda: io.parse_single_example(serialized[0], {"i": io.FixedLenFeature([2], tf.int64)}), "i"),
        raised(lambda: io.parse_single_example(serialized[0], {"i": io.FixedLenFeature([3], tf.float32)}), "i"),
        raised(
            lambda: io.parse_single_example(b"\x0a\x05a", {"i": io.FixedLenFeature([3], tf.float32)}),
            "Could not parse example",
        ),
        raised(lambda: io.parse_example(serialized, None)),
        raised(lambda: io.parse_example(serialized, {"a": 3}), "'a'"),
    ]


@row
def sequence_examples(tf, folder):
    t = tf.train
    feature = t.Feature(int64_list=t.Int64List(value=[1, 2]))
    lists = t.FeatureLists(feature_list={"x": t.FeatureList(feature=[feature, feature, feature])})
    one = t.SequenceExample(context=t.Features(feature={"c": feature}), feature_lists=lists)
    data = one.SerializeToString()
    context, sequence = tf.io.parse_single_sequence_example(
        data, {"c": tf.io.FixedLenFeature([2], tf.int64)}, {"x": tf.io.FixedLenSequenceFeature([2], tf.int64)}
    )
    batch = tf.io.parse_sequence_example([data, data], None, {"x": tf.io.FixedLenSequenceFeature([2], tf.int64)})
    return [context, sequence, batch[1], batch[2], str(one)]


@row
def csv(tf, folder):
    records = ["1,2.5,a", '4,,"b ""q"", c"', ",7,"]
    path = os.path.join(folder, "t.csv")
    tf.io.write_file(path, "n,x,s\n1,2.5,a\n4,1,b\n7,0,c\n")
    c = tf.data.experimental.CsvDataset(path, [tf.int32, tf.float32, tf.string], header=True)
    kwargs = {"batch_size": 2, "num_epochs": 1, "shuffle": False}
    made = tf.data.experimental.make_csv_dataset(path, label_name="x", **kwargs)
    return [
        tf.io.decode_csv(records, [[0], [-1.0], [""]]),
        tf.io.decode_csv(records[0], [[0], [0.0]], select_cols=[0, 1]),
        tf.io.decode_csv(["1;-", "-;2"], [[9], [8]], field_delim=";", na_value="-"),
        raised(lambda: tf.io.decode_csv(["1,2"], [[0]]), "Expect 1 fields but have 2 in record 0"),
        raised(lambda: tf.io.decode_csv(["a"], [[0]]), "Field 0 in record 0 is not a valid int32: a"),
        raised(
            lambda: tf.io.decode_csv([",1"], [tf.constant([], tf.int32), [1]]),
            "Field 0 is required but missing in record 0!",
        ),
        told(c),
        elements(tf.data.experimental.CsvDataset(path, [tf.int32], header=True, select_cols=[0])),
        [[(sorted(a), a["n"], a["s"], b) for a, b in made], str(made.element_spec)],
    ]


@row_for(seed=[1, 7], reads=[None, 1, 2])
def shuffled_csv(tf, folder, seed, reads):
    for name in "abc":
        lines = "".join(f"{name}{i},{i}\n" for i in range(7))
        tf.io.write_file(os.path.join(folder, f"{name}.csv"), "name,number\n" + lines)
    made = tf.data.experimental.make_csv_dataset(
        os.path.join(folder, "*.csv"), 4, label_name="number", num_epochs=2, shuffle_buffer_size=9, shuffle_seed=seed,
        num_parallel_reads=reads,
    )  # fmt: skip
    unshuffled = tf.data.experimental.make_csv_dataset(
        os.path.join(folder, "*.csv"), 5, num_epochs=1, shuffle=False, num_parallel_reads=reads
    )
    return elements(made), elements(unshuffled)


@row
def bytes_and_tensors(tf, folder):
    x = tf.constant([[1.5, -2.0], [0.0, 3.25]])
    io = tf.io
    return [
        io.decode_raw([b"\x01\x00\x02\x00", b"\xff\xff\x00\x01"], tf.int16),
        io.decode_raw(b"\x00\x01", tf.uint16, little_endian=False),
        io.decode_raw([b"abc", b"d"], tf.uint8, fixed_length=4),
        raised(lambda: io.decode_raw(b"abc", tf.int16), "multiple of"),
        io.encode_base64(["ab?>", "x"]),
        io.encode_base64("a", pad=True),
        io.decode_base64("YWI_Pg"),
        raised(lambda: io.decode_base64("?")),
        io.serialize_tensor(x).numpy().hex(),
        io.parse_tensor(io.serialize_tensor(x), tf.float32),
        io.parse_tensor(io.serialize_tensor(["a", "bc"]), tf.string),
        io.serialize_tensor(["a", "bc"]).numpy().hex(),
        io.parse_tensor(io.serialize_tensor(tf.constant([1, 2], tf.int64)), tf.int64),
        raised(lambda: io.parse_tensor(io.serialize_tensor(x), tf.int32)),
        io.decode_compressed(b"x\x9cKLJ\x06\x00\x02M\x01'", "ZLIB"),
    ]


@row
def pictures(tf, folder):
    rng = np.random.default_rng(0)
    image = rng.integers(0, 256, (4, 6, 3)).astype(np.uint8)
    grey = image[..., :1]
    io = tf.io
    png, smooth = io.encode_png(image), np.full((16, 8, 3), 77, np.uint8)
    jpeg = io.encode_jpeg(smooth)
    path = os.path.join(folder, "p.png")
    io.write_file(path, png)
    loaded = tf.data.Dataset.list_files(path).map(lambda p: io.decode_png(io.read_file(p), channels=3))
    return [
        io.decode_png(png),
        io.decode_png(io.encode_png(grey)),
        io.decode_png(io.encode_png(image.astype("uint16")[..., :1] * 200), dtype=tf.uint16),
        io.decode_image(png, dtype=tf.float32),
        io.decode_png(io.encode_png(grey), channels=3),
        io.decode_jpeg(jpeg),
        io.decode_jpeg(jpeg, channels=1).shape.as_list(),
        io.decode_jpeg(jpeg, ratio=2).shape.as_list(),
        io.is_jpeg(jpeg),
        io.is_jpeg(png),
        io.extract_jpeg_shape(jpeg),
        elements(loaded),
        io.decode_png(io.encode_png(np.concatenate([image, grey], -1))),
        raised(lambda: io.decode_image(b"abc"), "Unknown image file format"),
        raised(lambda: io.decode_png(b"abc")),
        raised(lambda: io.encode_png(image.astype(np.float32))),
        io.decode_and_crop_jpeg(jpeg, [1, 2, 3, 4]).shape.as_list(),
    ]


def _wav(coding=1, channels=1, bits=16, size=16, per_second=0, frame=0, start=b"RIFF", after=b"", first=b"",
         data=b"data\4\0\0\0\1\0\0\x80", end=b""):  # fmt: skip
    frame = frame or channels * bits // 8
    numbers = struct.pack("<IHHIIHH", size, coding, channels, 8000, per_second or 8000 * frame, frame, bits)
    return start + bytes(4) + b"WAVE" + first + b"fmt " + numbers + after + data + end


@row
def wav_files(tf, folder):
    samples = [[0.0, 0.5], [1.0, -1.0], [9.0, -9.0], [2**-16, -(2**-16)], [0.3, -0.3], [np.nan, np.inf]]
    audio = tf.audio
    contents = audio.encode_wav(samples, 8000)
    chunk = b"LIST\3\0\0\0abc"
    malformed = [
        *[b"", b"RIFF", contents.numpy()[:30], contents.numpy()[:36], contents.numpy()[:50], [_wav(), _wav()]],
        *[_wav(start=b"RIFX"), _wav(coding=3), _wav(size=17, after=b"\0"), _wav(bits=8), _wav(channels=0, frame=2)],
        *[_wav(frame=4), _wav(per_second=7), _wav(data=b""), _wav(end=b"LI"), _wav(end=b"data\0\0\0\0")],
        *[_wav(after=chunk + b"\0"), _wav(first=chunk), _wav(data=b"data\3\0\0\0abc")],
    ]
    return [
        contents.numpy().hex(),
        *audio.decode_wav(contents),
        *[audio.decode_wav(contents, c, s).audio for c, s in ((1, 3), (3, 8), (0, 0))],
        *[raised(lambda c=c, s=s: audio.decode_wav(contents, c, s)) for c, s in ((-2, -1), (-1, -2))],
        *audio.decode_wav(_wav(first=b"JUNK\1\0\0\0abext\0\0\0\0", size=18, after=b"\0\0" + chunk, end=chunk)),
        audio.decode_wav(_wav(data=b"data\0\0\0\0")).audio,
        audio.decode_wav(_wav(end=b"LIST\xff\0\0\0")).audio,
        *[raised(lambda w=w: audio.decode_wav(w)) for w in malformed],
        audio.encode_wav(np.zeros((0, 1), np.float32), 44100).numpy().hex(),
        *[raised(lambda a=a: audio.encode_wav(a, 8000)) for a in ([1.0], np.zeros((1, 0)), np.zeros((1, 65536)))],
        *[raised(lambda r=r: audio.encode_wav([[1.0]], r)) for r in (0, -1, [8000])],
    ]


@row
def shuffled_queues(tf, folder):
    found = []
    for _ in range(2):  # of one name, and yet two
        tf.random.set_seed(5)
        q = tf.queue.RandomShuffleQueue(20, 2, tf.int32, shapes=[()], seed=1, shared_name="shuffled")
        q.enqueue_many([list(range(12))])
        found.append(q.dequeue_many(7))
        q.close()
        found.append(q.dequeue_up_to(9))
    return found


@row
def queues(tf, folder):
    q = tf.queue.FIFOQueue(5, [tf.int32, tf.float32], shapes=[[], [2]], names=["a", "b"])
    q.enqueue({"a": 1, "b": [1.0, 2.0]})
    q.enqueue_many({"a": [2, 3], "b": [[3.0, 4.0], [5.0, 6.0]]})
    found = [q.size(), q.dequeue(), q.dequeue_many(2), q.is_closed()]
    q.close()
    found += [q.is_closed(), raised(q.dequeue, "is closed and has insufficient elements")]
    found += [raised(lambda: q.enqueue({"a": 1, "b": [1.0, 2.0]}), "is closed"), raised(lambda: q.enqueue({"a": 1}))]
    p = tf.queue.PriorityQueue(9, tf.string, shapes=[[]])
    p.enqueue_many([np.array([5, 1, 3]), ["five", "one", "three"]])
    found += [p.dequeue(), p.dequeue_many(2)]
    f = tf.queue.PaddingFIFOQueue(9, tf.int32, shapes=[[None]])
    f.enqueue([[1, 2]])
    f.enqueue([[3]])
    f.close()
    found += [f.dequeue_up_to(5)]
    r = tf.queue.RandomShuffleQueue(9, 0, tf.int32, shapes=[[]])
    r.enqueue_many([[1, 2, 3]])
    return [*found, sorted(plain(x) for x in r.dequeue_many(3).numpy()), raised(lambda: q.enqueue([1]))]


@row
def text_in_files_of_bytes_and_bytes_in_files_of_text(tf, folder):
    read = []
    for mode, content in (("wb", "text \u00e9"), ("w", b"bytes")):
        with tf.io.gfile.GFile(f"{folder}/{mode}", mode) as file:
            file.write(content)
        with tf.io.gfile.GFile(f"{folder}/{mode}", "rb") as file:
            read.append(list(file.read()))
    return read


@row
def paths_with_what_does_not_count(tf, folder):
    g = tf.io.gfile
    with tf.io.TFRecordWriter(f"{folder}/records/") as writer:
        writer.write(b"abc")
    with g.GFile(f"{folder}/./none/../a.txt", "w") as file:
        file.write("text")
    found = [
        list(tf.data.TFRecordDataset(f"{folder}/./records/")),
        list(tf.data.TextLineDataset(f"{folder}//a.txt")),
        tf.io.read_file(f"{folder}/none/../a.txt/"),
        g.exists(f"{folder}/a.txt/"),
        g.isdir(f"{folder}/a.txt/"),
        g.stat(f"{folder}/a.txt/").length,
        sorted(g.listdir(f"{folder}//")),
        len(g.glob(f"{folder}/a.txt/")),
        [os.path.basename(path) for path in sorted(g.glob(f"{folder}/*/"))],
        g.exists(""),
    ]
    g.copy(f"{folder}/a.txt/", f"{folder}/b/../c.txt")
    g.rename(f"{folder}/c.txt/", f"{folder}/d.txt")
    g.remove(f"{folder}/a.txt/")
    return found, sorted(g.listdir(folder))
