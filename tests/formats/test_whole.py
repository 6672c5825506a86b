"""Files are written as wholes: killed, with a full disk, without rights, by several writers; and who raises what."""

import contextlib
import os
import pathlib
import resource
import stat
import subprocess
import sys
import tempfile
import threading

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._formats.whole import Replacing, alone

errors = tf.errors


@pytest.mark.parametrize(("moments", "writers"), [(2, 1), (1, 3)])
def test_saves_that_are_killed_leave_a_whole_one(moments, writers):
    """`kill_saves.py` kills more."""
    script = [sys.executable, str(pathlib.Path(__file__).parent / "kill_saves.py")]
    subprocess.run([*script, "--moments", str(moments), "--writers", str(writers)], check=True, timeout=600)


# --- what fails leaves what was there -----------------------------------------------------------------------------


@contextlib.contextmanager
def disk_full(folder):
    """No file can be longer than 20 kB."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
    try:
        yield folder
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@contextlib.contextmanager
def no_folder(folder):
    """There is a file in place of the folder."""
    (folder / "file").write_bytes(b"")
    yield folder / "file"


def _model():
    return tf.keras.Sequential([tf.keras.layers.Dense(1000, input_shape=(100,))])


def _module():
    module = tf.Module()
    module.v = tf.Variable(tf.zeros([100_000]))
    return module


def _records(path):
    with tf.io.TFRecordWriter(path) as writer:
        for _ in range(100):
            writer.write(b"x" * 10_000)


def _gfile(path):
    with tf.io.gfile.GFile(path, "w") as file:
        file.write("x" * 100_000)


def _events(path):
    writer = tf.summary.create_file_writer(path)
    with contextlib.closing(writer), writer.as_default():
        for step in range(100):
            tf.summary.text("t", "x" * 1000, step=step)


def _dataset():
    return tf.data.Dataset.from_tensor_slices(np.zeros([1000, 100], np.float32))


# What TensorFlow raises on a full disk, and where a folder is a file.
_OF_OS = (OSError, NotADirectoryError)
_OF_TF = (errors.OutOfRangeError, errors.FailedPreconditionError)
WRITERS = {
    "checkpoint": (lambda path: tf.train.Checkpoint(m=_module()).write(path), _OF_TF),
    "saved_model": (lambda path: tf.saved_model.save(_module(), path), _OF_TF),
    "weights": (lambda path: _model().save_weights(path), _OF_TF),
    "write_file": (lambda path: tf.io.write_file(path, b"x" * 100_000), _OF_TF),
    "gfile": (_gfile, _OF_TF),
    "records": (_records, _OF_TF),
    "events": (_events, _OF_TF),
    "dataset": (lambda path: _dataset().batch(100).save(path), _OF_TF),
    "cache": (lambda path: list(_dataset().cache(path)), _OF_TF),
    "model.keras": (lambda path: _model().save(path), _OF_OS),
    "model.h5": (lambda path: _model().save(path), _OF_OS),
    "w.weights.h5": (lambda path: _model().save_weights(path), _OF_OS),
    "a.npz": (lambda path: tf.save_arrays(path, {"a": np.zeros(10_000)}), _OF_OS),
    "a.safetensors": (lambda path: tf.save_arrays(path, {"a": np.zeros(10_000)}), _OF_OS),
    "p.bmp": (lambda path: tf.keras.utils.save_img(path, np.zeros([100, 100, 3])), _OF_OS),
}
_ONE_FILE = [name for name in WRITERS if "." in name or name == "write_file"]


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk(name, tmp_path):
    write, (kind, _) = WRITERS[name]
    if name in _ONE_FILE:
        (tmp_path / name).write_bytes(b"old")
    with disk_full(tmp_path), pytest.raises(kind):
        write(str(tmp_path / name))
    assert not list(tmp_path.rglob("*.tmp"))
    if name in _ONE_FILE:
        assert (tmp_path / name).read_bytes() == b"old"


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 24 kB, which only root can make."""
    made = os.name == "posix" and not subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24k", "tmpfs", str(tmp_path)], capture_output=True, check=False
    ).returncode
    if not made:
        pytest.skip("file systems cannot be mounted")
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


@pytest.mark.parametrize("name", WRITERS)
def test_a_disk_without_room(name, small_disk):
    write, (kind, _) = WRITERS[name]
    if name in _ONE_FILE:
        (small_disk / name).write_bytes(b"old")
    with pytest.raises(OSError if issubclass(kind, OSError) else errors.ResourceExhaustedError):
        write(str(small_disk / name))
    assert not list(small_disk.rglob("*.tmp"))
    if name in _ONE_FILE:
        assert (small_disk / name).read_bytes() == b"old"


def test_a_cache_without_room(small_disk):
    (small_disk / "file").write_bytes(b"x" * 20_000)
    program = "import tfcompat as tf; print(tf.reduce_sum(tf.sin(tf.zeros([3])) + tf.linalg.det(tf.eye(3))).numpy())"
    for tiers in ("all", "compiled"):
        environment = os.environ | {"TFCOMPAT_CACHE": str(small_disk), "TFCOMPAT_TIERS": tiers}
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, "3.0\n"), done.stderr


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_in_place_of_the_folder(name, tmp_path):
    write, (_, kind) = WRITERS[name]
    with no_folder(tmp_path) as folder, pytest.raises(kind):
        write(str(folder / name))
    assert [path.name for path in tmp_path.iterdir()] == ["file"] and (tmp_path / "file").read_bytes() == b""


@pytest.mark.skipif(os.name == "nt", reason="folders have other rights there")
@pytest.mark.parametrize("name", WRITERS)
def test_a_folder_without_rights(name):
    write, (kind, _) = WRITERS[name]
    kind = PermissionError if issubclass(kind, OSError) else errors.PermissionDeniedError
    root, nobody = os.geteuid() == 0, 65534
    with tempfile.TemporaryDirectory() as folder:  # open to others, which those of pytest are not
        os.chmod(folder, 0o555)
        if root:
            os.seteuid(nobody)
        try:
            with pytest.raises(kind):
                write(os.path.join(folder, name))
        finally:
            if root:
                os.seteuid(0)
        assert not os.listdir(folder)


# --- the mechanism ------------------------------------------------------------------------------------------------


def test_a_file_appears_when_it_is_complete(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o640)
    with Replacing(path) as file:
        file.write(b"ne")
        file.flush()
        assert path.read_text() == "old"
        file.write(b"w")
    assert path.read_text() == "new" and stat.S_IMODE(path.stat().st_mode) == 0o640
    with pytest.raises(KeyError), Replacing(path) as file:
        file.write(b"other")
        raise KeyError
    assert path.read_text() == "new" and [p.name for p in tmp_path.iterdir()] == ["file"]


def test_links_are_followed_and_devices_written(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "file")
    tf.io.write_file(str(tmp_path / "link"), "text")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "there" / "file").read_text() == "text"
    tf.io.write_file(os.devnull, "text")
    with pytest.raises(errors.FailedPreconditionError):
        tf.io.write_file(str(tmp_path), "text")
    tf.io.write_file(str(tmp_path / ("x" * 255)), "a name as long as they may be")
    with pytest.raises(errors.InvalidArgumentError, match="File name too long"):
        tf.io.write_file(str(tmp_path / ("x" * 256)), "")


def test_what_a_dead_writer_left_is_taken_over(tmp_path):
    path = tmp_path / "file"
    (tmp_path / ".file.0.tmp").write_text("a longer text of a writer that was killed")
    (tmp_path / ".file.1.tmp").symlink_to(tmp_path / "not this")
    for text in (b"one", b"two"):
        with Replacing(path) as outer, Replacing(path) as inner:
            inner.write(text)
            outer.write(text)
    assert path.read_bytes() == b"two" and not (tmp_path / "not this").exists()
    assert {p.name for p in tmp_path.iterdir()} == {"file", ".file.1.tmp"}


def test_one_at_a_time(tmp_path):
    inside, most = [], []

    def work():
        for _ in range(20):
            with alone(tmp_path):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(most) == {1} and not list(tmp_path.iterdir())
