"""`tf.summary`: the records of an event file, as TensorFlow writes them with TensorBoard installed."""

import struct
import zlib

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._formats import crc32c
from tfcompat.summary._messages import Event


def events(folder):
    """(step, tag, plugin, dtype number, contents) of the summaries in the one event file of a folder."""
    (path,) = folder.iterdir()
    data, found = path.read_bytes(), []
    while data:
        (size,) = struct.unpack("<Q", data[:8])
        event = data[12 : 12 + size]
        for part, sum_ in ((data[:8], data[8:12]), (event, data[12 + size : 16 + size])):
            assert crc32c.masked(part) == int.from_bytes(sum_, "little")
        data = data[16 + size :]
        event = Event.FromString(event)
        if event.file_version:
            assert event.file_version == "brain.Event:2"
            continue
        (value,) = event.summary.value
        plugin = value.metadata.plugin_data.plugin_name
        contents = value.tensor.tensor_content or value.tensor.string_val
        found.append((event.step, value.tag, plugin, value.tensor.dtype, contents))
    return found


def test_records_are_those_of_tensorboard(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        assert tf.summary.scalar("loss", 0.5, step=3)
        assert tf.summary.histogram("h", [1.0, 2.0, 3.0, 4.0], step=tf.constant(4), buckets=3)
        tf.summary.histogram("one", [2.0, 2.0], step=4, buckets=2)
        with tf.name_scope("a"):
            tf.summary.text("t b", "hello", step=0)
        tf.summary.image("i", np.arange(12).reshape([1, 2, 2, 3]) / 12, step=5)
        tf.summary.write("raw", tf.constant([1, 2]), step=6)
        with tf.summary.record_if(lambda: False):
            assert not tf.summary.scalar("loss", 0.5, step=4)
        with pytest.raises(ValueError, match="No step set"):
            tf.summary.scalar("loss", 0.5)
        with pytest.raises(ValueError, match="scalar shape"):
            tf.summary.scalar("loss", [0.5], step=1)
    writer.close()
    with pytest.raises(RuntimeError, match="already closed"):
        writer.set_as_default()
    scalar, histogram, one, text, image, raw = events(tmp_path)
    assert scalar == (3, "loss", "scalars", 1, np.float32(0.5).tobytes())
    expected = [[1.0, 2.0, 1.0], [2.0, 3.0, 1.0], [3.0, 4.0, 2.0]]
    assert histogram == (4, "h", "histograms", 2, np.array(expected).tobytes())
    assert one[4] == np.array([[2.0, 2.0, 0.0], [2.0, 2.0, 2.0]]).tobytes()
    assert text == (0, "a/t b", "text", 7, [b"hello"])
    assert image[:4] == (5, "i", "images", 7) and image[4][:2] == [b"2", b"2"]
    place = image[4][2].index(b"IDAT")
    (size,) = struct.unpack(">I", image[4][2][place - 4 : place])
    lines = zlib.decompress(image[4][2][place + 4 : place + 4 + size])
    assert list(lines) == [0, 0, 21, 42, 63, 85, 106, 0, 127, 149, 170, 191, 212, 234]
    assert raw == (6, "raw", "", 3, np.array([1, 2], np.int32).tobytes())


def test_sounds_are_those_of_tensorboard(tmp_path):
    sounds = (np.arange(10).reshape(2, 5, 1) / 10).astype("float32")
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        assert bool(tf.summary.audio("a", sounds, 8000, step=1))
        tf.summary.audio("b", sounds, tf.constant(8000), step=2, max_outputs=1, encoding="wav")
        for wrong in ({"data": sounds[0]}, {"encoding": "mp3"}):
            with pytest.raises(ValueError):
                tf.summary.audio("c", **{"data": sounds, "sample_rate": 8000, "step": 3, **wrong})
        for wrong in ({"data": sounds.astype("float64")}, {"max_outputs": -1}):
            with pytest.raises(tf.errors.InvalidArgumentError):
                tf.summary.audio("c", **{"data": sounds, "sample_rate": 8000, "step": 3, **wrong})
    writer.close()
    first, second = events(tmp_path)
    assert first[:4] == (1, "a", "audio", 7) and len(first[4]) == 4 and first[4][1] == first[4][3] == b""
    assert second[4] == first[4][:2]
    recorded = (
        "524946462e00000057415645666d74201000000001000100401f0000803e000002001000646174610a0000000000cd0c9a1966263333"
    )
    assert first[4][0].hex() == recorded
    assert not bool(tf.summary.audio("a", sounds, 8000, step=1))


def test_in_a_function_each_run_writes(tmp_path):
    @tf.function
    def f(x, step):
        tf.summary.scalar("inside", 2 * x, step=step)
        return x

    with tf.summary.create_file_writer(tmp_path) as writer:
        for step in range(3):
            f(tf.constant(float(step)), tf.constant(step, tf.int64))
        writer.flush()
    assert [(event[0] or 0, np.frombuffer(event[4], np.float32)[0]) for event in events(tmp_path)] == [
        (0, 0.0), (1, 2.0), (2, 4.0)
    ]  # fmt: skip


def test_without_a_writer_nothing_is_written_and_no_step_needed():
    assert not tf.summary.scalar("loss", 0.5) and not tf.summary.should_record_summaries()
    with tf.summary.create_noop_writer().as_default(step=2):
        assert tf.summary.experimental.get_step() == 2
        tf.summary.scalar("loss", 0.5)
    assert tf.summary.experimental.get_step() is None


def test_traces(tmp_path, caplog):
    with pytest.raises(ValueError, match="Must enable trace before export"):
        tf.summary.trace_export("graph", step=0)
    with pytest.raises(ValueError, match="profiler_outdir"):
        tf.summary.trace_on(profiler=True)
    tf.summary.trace_on()
    assert "no graphs" in caplog.text
    tf.summary.trace_export("graph", step=0)
    tf.summary.trace_on(graph=False, profiler=True, profiler_outdir=str(tmp_path))
    tf.tanh(tf.ones([3])).numpy()
    tf.summary.trace_export("profile", step=0)
    assert list(tmp_path.glob("plugins/profile/*/*"))
    tf.summary.trace_off()


def test_messages_as_they_are(tmp_path):
    write = tf.summary.experimental.write_raw_pb
    one, two = (b"\n\x08\n\x01%c\x15\0\0\x80?" % tag for tag in b"ab")
    assert not write(one)
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        assert write(one + two, step=1) and write(tf.constant([one, two]), step=2)
        assert tf.function(write)(tf.constant([[one]]), step=3)
        with tf.summary.record_if(False):
            assert not write(one, step=4)
        with pytest.raises(ValueError, match="No step set"):
            write(one)
        with pytest.raises(tf.errors.InvalidArgumentError):
            write(3, step=1)
        for bad in (b"\x0b\xff", b"\n\x07abc"):
            with pytest.raises(tf.errors.DataLossError, match="Bad tf.compat.v1.Summary binary proto"):
                write(bad, step=1)
    writer.close()
    data = next(tmp_path.iterdir()).read_bytes()
    assert [data.count(text) for text in (b"\x14" + one + two, one, two)] == [2, 3, 2]
