"""Arrays in `.npz`, safetensors and HDF5 files, ours and those of other programs."""

import os
import zipfile

import h5py
import ml_dtypes
import numpy as np
import pytest
import safetensors.numpy

import tfcompat as tf

SUFFIXES = (".npz", ".safetensors", ".weights.h5")
ARRAYS = {
    "a": np.arange(6, dtype=np.float32).reshape(2, 3).T, "b/c": np.array(1.5), "empty": np.zeros([0, 2], np.int64),
    "flags": np.array([True, False]), "small": np.int8([-1, 2]), "complex": np.complex64([1 + 2j]),
}  # fmt: skip


class Net(tf.Module):
    def __init__(self, scale):
        super().__init__()
        self.layers = [tf.Module(), tf.Module()]
        for i, layer in enumerate(self.layers):
            layer.w = tf.Variable(np.full([2, i + 1], scale, np.float32))
        self.steps = tf.Variable(int(scale), dtype=tf.int64)


def equal(found, expected):
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert found[name].dtype == array.dtype and found[name].shape == array.shape, name
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_arrays_and_modules(tmp_path, suffix):
    path = tmp_path / f"arrays{suffix}"
    tf.save_arrays(path, ARRAYS)
    equal(tf.load_arrays(path), ARRAYS)
    tf.save_arrays(str(path), Net(2.0))
    assert os.listdir(tmp_path) == [path.name]
    net = Net(0.0)
    assert sorted(tf.load_arrays(path, into=net)) == ["layers/0/w", "layers/1/w", "steps"]
    np.testing.assert_array_equal(net.layers[1].w, np.full([2, 2], 2.0))
    assert int(net.steps) == 2


def test_files_of_other_programs(tmp_path):
    plain = {k: np.array(v, order="C") for k, v in ARRAYS.items() if k != "complex"}
    np.savez_compressed(tmp_path / "a.npz", **ARRAYS)
    equal(tf.load_arrays(tmp_path / "a.npz"), ARRAYS)
    safetensors.numpy.save_file(plain, tmp_path / "a.safetensors", {"format": "pt"})
    equal(tf.load_arrays(tmp_path / "a.safetensors"), plain)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name, array in ARRAYS.items():
            file.create_dataset(name, data=array, **({"compression": "gzip"} if array.size > 4 else {}))
    equal(tf.load_arrays(tmp_path / "a.h5"), ARRAYS)
    # ... and they read ours.
    for suffix in SUFFIXES:
        tf.save_arrays(tmp_path / f"b{suffix}", plain)
    with np.load(tmp_path / "b.npz", allow_pickle=False) as found:
        equal(dict(found), plain)
    equal(safetensors.numpy.load_file(tmp_path / "b.safetensors"), plain)
    with h5py.File(tmp_path / "b.weights.h5") as file:
        np.testing.assert_array_equal(file["b/c"][()], 1.5)


def test_dtypes(tmp_path):
    half = {"x": np.array([1.5, -2.0], ml_dtypes.bfloat16), "y": np.array([[0.5]], ml_dtypes.float8_e4m3fn)}
    tf.save_arrays(tmp_path / "a.safetensors", half)
    equal(tf.load_arrays(tmp_path / "a.safetensors"), half)
    for name, arrays in {
        "a.npz": half, "a.h5": half, "b.npz": {"t": tf.constant("text")},
        "c.safetensors": {"z": np.complex128([1j])},
    }.items():  # fmt: skip
        with pytest.raises(TypeError, match=f"'{next(iter(arrays))}'"):
            tf.save_arrays(tmp_path / name, arrays)
    with pytest.raises(ValueError, match="end in one of"):
        tf.save_arrays(tmp_path / "a.txt", half)
    assert os.listdir(tmp_path) == ["a.safetensors"]


def test_all_variables_or_none(tmp_path):
    net = Net(1.0)
    first, second = np.zeros([2, 1], np.float32), np.zeros([2, 2], np.float32)
    whole = {"layers/0/w": first, "layers/1/w": second, "steps": np.int64(9)}
    wrong = {
        "lacks": (ValueError, {"layers/0/w": first, "layers/1/w": second}),
        "besides": (ValueError, whole | {"x": 1.0}),
        "shape": (ValueError, whole | {"layers/1/w": np.zeros([2, 3], np.float32)}),
        "dtype": (TypeError, whole | {"steps": np.float32(1.0)}),
    }
    for text, (kind, arrays) in wrong.items():
        tf.save_arrays(tmp_path / "a.npz", arrays)
        with pytest.raises(kind, match=text):
            tf.load_arrays(tmp_path / "a.npz", into=net)
    assert float(net.layers[0].w[0, 0]) == 1.0 and int(net.steps) == 1


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damage(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    with pytest.raises(FileNotFoundError):
        tf.load_arrays(path)
    tf.save_arrays(path, ARRAYS)
    good = path.read_bytes()
    for data in (b"", b"foreign", good[: len(good) // 2], good[:-1]):
        path.write_bytes(data)
        with pytest.raises(tf.errors.DataLossError, match="a" + suffix.replace(".", r"\.")):
            tf.load_arrays(path)


def test_files_that_lie(tmp_path):
    """Sizes are checked before memory is taken; nothing is unpickled, and no other file is read."""
    (tmp_path / "secret").write_bytes(b"12345678")
    header = b'{"a":{"dtype":"F32","shape":[1000000000000],"data_offsets":[0,4000000000000]}}'
    (tmp_path / "a.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive, archive.open("a.npy", "w") as member:
        np.lib.format.write_array_header_1_0(
            member, {"shape": (10**12,), "fortran_order": False, "descr": "<f4"}
        )  # pyright: ignore
    np.savez(tmp_path / "pickle.npz", a=np.array([{}], object))
    with h5py.File(tmp_path / "external.h5", "w") as file:
        file.create_dataset("a", (1,), "<i8", external=[(tmp_path / "secret", 0, 8)])
    with h5py.File(tmp_path / "link.h5", "w") as file:
        file["a"] = h5py.ExternalLink("external.h5", "/a")
    with h5py.File(tmp_path / "loop.h5", "w") as file:
        file.create_group("a")["b"] = file["/"]
    with h5py.File(tmp_path / "large.h5", "w") as file:
        file.create_dataset("a", (10**12,), "f4", chunks=(1000,))
    for name in ("a.safetensors", "a.npz", "pickle.npz", "external.h5", "link.h5", "loop.h5", "large.h5"):
        with pytest.raises(tf.errors.DataLossError):
            tf.load_arrays(tmp_path / name)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
    with pytest.raises((ValueError, OSError)):
        model.load_weights(tmp_path / "external.h5")
