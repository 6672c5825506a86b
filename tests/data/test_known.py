"""What `tf.keras.datasets` reads: pickles of arrays of lists of integers and nothing else, and damaged files."""

import gzip
import io
import os
import pickle
import pickletools
import random

import numpy as np
import pytest

import tfcompat as tf
from tfcompat.keras.datasets import _files
from tfcompat.keras.datasets._object_arrays import lists

VALUES = [[1, 255, 256, 65535, 65536, 2**31 - 1, -1, -(2**31), 2**31, -(2**40), 2**70], [], [7] * 2500, [0]]


def array(values):
    found = np.empty(len(values), object)
    for i, value in enumerate(values):
        found[i] = value
    return found


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("optimized", [False, True])
def test_reads_arrays_of_lists(protocol, optimized):
    data = pickle.dumps(array(VALUES), protocol)
    data = pickletools.optimize(data) if optimized else data
    found = lists(data, (len(VALUES),))
    assert found.dtype == object and found.tolist() == VALUES
    old = data.replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
    if protocol < 4:
        assert lists(old, (len(VALUES),)).tolist() == VALUES
    shared = lists(pickle.dumps(array([VALUES[0]] * 3), protocol), (3,))
    assert shared.tolist() == [VALUES[0]] * 3


def test_reads_what_python_2_wrote():
    data = (
        b"\x80\x02cnumpy.core.multiarray\n_reconstruct\nq\x01cnumpy\nndarray\nq\x02K\x00\x85U\x01b\x87Rq\x03(K\x01K\x02"
        b"\x85cnumpy\ndtype\nq\x04U\x02O8K\x00K\x01\x87Rq\x05(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89]q"
        b"\x06(]q\x07(K\x01M\xe8\x03\x8a\x03\x70\x11\x01e]q\x08K\x05aetb."
    )
    assert lists(data, (2,)).tolist() == [[1, 1000, 70000], [5]]


class Calls:
    """Its pickle calls a function."""

    def __init__(self, function, *arguments):
        self.of = function, arguments

    def __reduce__(self):
        return self.of


def hostile():
    yield array([[1], Calls(os.system, "false")])
    yield array([[1], Calls(eval, "1")])
    yield array([[1], Calls(np.ndarray, (2,))])
    yield array([[1], Calls(np.dtype, "f4")])
    yield array([[1], [True]])
    yield array([[1], (2,)])
    yield array([[1], [[2]]])
    yield array([[1], [2.0]])
    yield array([[1], [np.int64(2)]])
    yield array([[1], None])
    yield np.array([[1, 2], [3, 4]], object)
    yield np.arange(3)
    yield [[1], [2]]
    yield Calls(os.getcwd)


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
def test_refuses_everything_else(protocol, monkeypatch):
    monkeypatch.setattr(pickle, "loads", None)
    for value in hostile():
        with pytest.raises(ValueError, match="pickle|a file (refers|calls)"):
            lists(pickle.dumps(value, protocol), (2,))
    with pytest.raises(ValueError, match="is expected"):
        lists(pickle.dumps(array(VALUES), 4), (3,))


def test_of_damaged_pickles_comes_a_value_error():
    draw = random.Random(0)
    for protocol in (2, 3, 4, 5):
        data = pickle.dumps(array([[1, 1000, 100_000], [2, 3]]), protocol)
        for end in range(len(data)):
            with pytest.raises(ValueError):
                lists(data[:end], (2,))
        for _ in range(3000):
            changed = bytearray(data)
            for _ in range(draw.randint(1, 3)):
                changed[draw.randrange(len(data))] = draw.randrange(256)
            try:
                found = lists(bytes(changed), (2,))
            except ValueError:
                continue
            assert all(type(x) is int for part in found for x in part)


def served(monkeypatch, path):
    monkeypatch.setattr(_files, "get_file", lambda *args, **keywords: str(path))


def test_damaged_files(monkeypatch, tmp_path):
    path = tmp_path / "x"
    served(monkeypatch, path)
    buffer = io.BytesIO()
    np.savez(buffer, x=array(VALUES), y=np.arange(4), x_train=np.arange(3), y_train=array([[1]]))
    whole = buffer.getvalue()
    datasets = tf.keras.datasets
    for data in (whole[:-30], whole[:100], b"", b"text", whole.replace(b"_reconstruct", b"_reconstruc0")):
        path.write_bytes(data)
        with pytest.raises(ValueError, match="x is damaged, or is not read"):
            datasets.reuters.load_data()
    path.write_bytes(whole)
    with pytest.raises(ValueError, match="is no number"):
        datasets.mnist.load_data()
    for data in (gzip.compress(b"0123456789" * 50)[:-9], b"text", b""):
        path.write_bytes(data)
        with pytest.raises(ValueError):
            datasets.fashion_mnist.load_data()
    path.write_bytes(b"text")
    with pytest.raises(ValueError, match="no file of pictures"):
        _files.records(str(tmp_path), ["x", "x"], 5)


def test_pictures_of_ten_kinds(monkeypatch, tmp_path):
    served(monkeypatch, tmp_path)
    rows = np.random.RandomState(0).randint(0, 256, [6, 2, 3073], "uint8")
    for i, name in enumerate(["test_batch", *(f"data_batch_{i}" for i in range(1, 6))]):
        (tmp_path / f"{name}.bin").write_bytes(rows[i].tobytes())
    (x, y), (x_test, y_test) = tf.keras.datasets.cifar10.load_data()
    assert x.shape == (10, 32, 32, 3) and x.dtype == y.dtype == y_test.dtype == np.uint8
    np.testing.assert_array_equal(y, rows[1:].reshape(10, 3073)[:, :1])
    np.testing.assert_array_equal(y_test[:, 0], rows[0, :, 0])
    np.testing.assert_array_equal(x_test[1, 3, 5], rows[0, 1, 1:].reshape(3, 32, 32)[:, 3, 5])
    np.testing.assert_array_equal(x[-1, 31, 31], rows[5, 1, 1:].reshape(3, 32, 32)[:, 31, 31])


def test_archives_of_pictures_are_those_without_pickles(monkeypatch):
    asked = []

    def get_file(*args, **keywords):
        asked.append((args, keywords))
        raise FileNotFoundError

    monkeypatch.setattr(_files, "get_file", get_file)
    for dataset in (tf.keras.datasets.cifar10, tf.keras.datasets.cifar100):
        with pytest.raises(FileNotFoundError):
            dataset.load_data(cache_dir="there")
    assert [args[0] for args, _ in asked] == ["cifar-10-batches-bin", "cifar-100-binary"]
    for _, keywords in asked:
        assert keywords["origin"].startswith("https://www.cs.toronto.edu/~kriz/cifar-10")
        assert keywords["origin"].endswith("-binary.tar.gz") and keywords["untar"] and keywords["cache_dir"] == "there"
