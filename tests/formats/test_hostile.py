"""Files made to harm: the published attacks on Keras, with payloads that only leave a mark, and files that ask for
more memory than they have a right to."""

import io
import json
import os
import pathlib
import pickle
import resource
import struct
import tarfile
import zipfile
import zlib

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._formats import crc32c

REFUSED = (ValueError, TypeError, OSError, tf.errors.OpError)


class Payload:
    """What makes a folder when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("exploded",)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder in which nothing explodes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret").write_text("alpha\nbeta\n")
    yield tmp_path
    assert not (tmp_path / "exploded").exists()


# --- what a configuration names -----------------------------------------------------------------------------------


def layer(class_name, config, module="keras.layers", **more):
    return {"module": module, "class_name": class_name, "config": {"name": "bad", **config}, "registered_name": None,
            **more}  # fmt: skip


def function(module, name, class_name="function"):
    return {"module": module, "class_name": class_name, "config": name, "registered_name": class_name}


LAMBDA_CODE = ["4wEAAAA=", None, None]  # marshalled code begins so
LAYERS = {
    # CVE-2024-3660: the code of a lambda.
    "lambda": layer("Lambda", {"function": LAMBDA_CODE, "function_type": "lambda"}),
    "lambda of Keras 3": layer("Lambda", {"function": {"class_name": "__lambda__", "config": {"code": "4wEAAAA="}}}),
    "a lambda as activation": layer("Dense", {"units": 1, "activation": {"class_name": "__lambda__", "config": {}}}),
    # CVE-2025-1550: classes and functions of other modules, with arguments.
    "a class": layer("Popen", {"args": ["mkdir", "exploded"]}, module="subprocess"),
    "a function": function("os", "mkdir"),
    "a built-in": function("builtins", "eval", "builtin_function_or_method"),
    "an activation": layer("Dense", {"units": 1, "activation": function("os", "mkdir")}),
    "an initializer": layer("Dense", {"units": 1, "kernel_initializer": function("os", "mkdir")}),
    "a class as initializer": layer("Dense", {"units": 1, "kernel_initializer": layer("Popen", {}, "subprocess")}),
    "a regularizer": layer("Dense", {"units": 1, "kernel_regularizer": function("builtins", "exec")}),
    "a wrapped layer": layer("TimeDistributed", {"layer": layer("Popen", {"args": "ls"}, "subprocess")}),
    "a cell": layer("RNN", {"cell": layer("Popen", {"args": "ls"}, "subprocess")}),
    # CVE-2025-8747: functions of Keras that do more than compute.
    "get_file": layer("Lambda", {"function": function("keras.utils", "get_file"), "arguments": {"fname": "exploded"}}),
    "get_file by name": layer("Lambda", {"function": "get_file", "function_type": "function",
                                         "module": "keras.utils"}),
    "load_model": layer("Lambda", {"function": "load_model", "function_type": "function", "module": "keras.models"}),
    "an op that writes": layer("TFOpLambda", {"function": "io.write_file"}),
    "an op that calls Python": layer("TFOpLambda", {"function": "py_function"}),
    "print, into a file": layer("TFOpLambda", {"function": "print"}),
    # CVE-2025-9906: the switch of the safe mode.
    "the switch": function("keras.config", "enable_unsafe_deserialization"),
    # CVE-2026-1462: a program beside the file.
    "a saved model": layer("TFSMLayer", {"filepath": "saved"}),
    # CVE-2025-12058: another file, as a vocabulary.
    "another file": layer("StringLookup", {"vocabulary": "secret"}),
    "another file, of words": layer("TextVectorization", {"vocabulary": "secret"}),
}  # fmt: skip


VOCABULARIES = [name for name in LAYERS if name.startswith("another file")]


def _sequential(one, inputs=1):
    start = {"module": "keras.layers", "class_name": "InputLayer", "registered_name": None,
             "config": {"batch_input_shape": [None, inputs], "dtype": "float32", "name": "input"}}  # fmt: skip
    return {"module": "keras", "class_name": "Sequential", "registered_name": None,
            "config": {"name": "model", "layers": [start, one]}}  # fmt: skip


@pytest.mark.parametrize("suffix", [".keras", ".h5"])
@pytest.mark.parametrize("safe_mode", [True, False])
@pytest.mark.parametrize("name", LAYERS)
def test_a_configuration_runs_nothing(name, safe_mode, suffix, here):
    good = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
    good.save("good" + suffix)
    config = json.dumps(_sequential(LAYERS[name]))
    if suffix == ".keras":
        with zipfile.ZipFile("good.keras") as source, zipfile.ZipFile("bad.keras", "w") as bad:
            for member in source.namelist():
                bad.writestr(member, config if member == "config.json" else source.read(member))
    else:
        import h5py  # the extra that `save` has needed above

        os.rename("good.h5", "bad.h5")
        with h5py.File("bad.h5", "r+") as file:
            file.attrs["model_config"] = config
    if name in VOCABULARIES and not safe_mode:
        return
    with pytest.raises(REFUSED):
        tf.keras.models.load_model("bad" + suffix, safe_mode=safe_mode)
    if name not in VOCABULARIES:
        with pytest.raises(REFUSED):
            tf.keras.models.model_from_json(config)
        with pytest.raises(REFUSED):
            tf.keras.saving.deserialize_keras_object(LAYERS[name], safe_mode=safe_mode)


def test_a_training_configuration_runs_nothing(here):
    for key, value in {"optimizer": layer("Popen", {"args": "ls"}, "subprocess"), "loss": function("os", "mkdir"),
                       "metrics": [function("os", "mkdir")]}.items():  # fmt: skip
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
        with pytest.raises(REFUSED):
            model.compile_from_config({"optimizer": "sgd", "loss": "mse", key: value})


# --- pickles ------------------------------------------------------------------------------------------------------


def _npy(array):
    data = io.BytesIO()
    np.lib.format.write_array(data, array, allow_pickle=True)
    return data.getvalue()


def test_arrays_are_not_unpickled(here):
    array = np.array([Payload()], object)
    np.savez("a.npz", a=array)
    for read in (lambda: tf.load_arrays("a.npz"), lambda: _load_weights("a.npz")):
        with pytest.raises(REFUSED):
            read()
    tf.data.Dataset.range(3).save("saved")
    (path,) = (here / "saved").rglob("*.npz")
    path.write_bytes((here / "a.npz").read_bytes())
    (here / "c.cache.npz").write_bytes((here / "a.npz").read_bytes())
    for dataset in (tf.data.Dataset.load("saved"), tf.data.Dataset.range(3).cache("c")):
        with pytest.raises(REFUSED):
            list(dataset)
    (here / "m.h5").write_bytes(pickle.dumps(Payload()))
    (here / "m.keras").write_bytes(pickle.dumps(Payload()))
    for name in ("m.h5", "m.keras"):
        with pytest.raises(REFUSED):
            tf.keras.models.load_model(name)


def _load_weights(path):
    tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))]).load_weights(path)


# --- archives that leave their folder: CVE-2025-12638 -------------------------------------------------------------


def _tar(*members):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, kind, link in members:
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, link
            member.size = 4 if kind == tarfile.REGTYPE else 0
            archive.addfile(member, io.BytesIO(b"text") if member.size else None)
    return data.getvalue()


def _zip(name):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(name, "text")
    return data.getvalue()


FILE, LINK, HARD, DEVICE = tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE
ARCHIVES = {
    "up": _tar(("../../exploded", FILE, "")),
    "absolute": _tar(("/tmp/tfcompat-exploded", FILE, "")),
    "through a link": _tar(("in", LINK, "../.."), ("in/exploded", FILE, "")),
    "a link out": _tar(("out", LINK, "../../secret")),
    "a hard link out": _tar(("out", HARD, "../../secret")),
    "a long path of links": _tar(("a" * 200, LINK, "b/" * 20), ("out", LINK, "a" * 200 + "/../../../secret")),
    "a device": _tar(("zero", DEVICE, "")),
    "zip up": _zip("../../exploded"),
    "zip absolute": _zip("/../../exploded"),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_archives_stay_in_their_folder(name, here):
    (here / "bad").write_bytes(ARCHIVES[name])
    for untar in (False, True) if "zip" not in name else (False,):
        try:
            tf.keras.utils.get_file("data", (here / "bad").as_uri(), extract=True, untar=untar,
                                    cache_dir=here / "cache", cache_subdir="in")  # fmt: skip
        except REFUSED:
            pass
        found = {p.relative_to(here).as_posix() for p in here.rglob("*") if not p.is_dir()}
        assert found <= {"bad", "secret", "cache/in/data", "cache/in/data.tar.gz", "cache/in/tmp/tfcompat-exploded",
                         "cache/in/exploded", "cache/in/" + "a" * 200}, found  # fmt: skip
        assert not os.path.exists("/tmp/tfcompat-exploded")


def test_members_of_a_model_stay_in_it(here):
    tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))]).save("m.keras")
    with zipfile.ZipFile("m.keras", "a") as archive:
        archive.writestr("../exploded", "text")
        archive.writestr("assets/../../exploded", "text")
    tf.keras.models.load_model("m.keras")
    assert sorted(p.name for p in here.iterdir()) == ["m.keras", "secret"]


def test_links_in_hdf5_are_not_followed(here):
    h5py = pytest.importorskip("h5py")
    with h5py.File("other.h5", "w") as file:
        file["vars/0"] = np.ones([1, 1], np.float32)
    for link in (h5py.ExternalLink("other.h5", "/vars"), h5py.SoftLink("/other")):
        with h5py.File("m.weights.h5", "w") as file:
            file["other/0"] = np.ones([1, 1], np.float32)
            file["layers/dense/vars"] = link
        with pytest.raises(REFUSED, match="link"):
            _load_weights("m.weights.h5")
    with h5py.File("m.weights.h5", "w") as file:
        file.create_dataset("layers/dense/vars/0", (3,), "u1", external=[("secret", 0, 3)])
    with pytest.raises(REFUSED, match="in another file"):
        _load_weights("m.weights.h5")


def test_lists_and_references_in_hdf5_are_not_read(here):
    """HDF5 follows what stands in for their values, to anywhere in memory."""
    h5py = pytest.importorskip("h5py")
    lists = np.empty(1, object)
    lists[0] = np.int32([1, 2])
    for put in (
        lambda group: group.attrs.create("weight_names", lists, dtype=h5py.vlen_dtype(np.int32)),
        lambda group: group.attrs.create("weight_names", group.ref, dtype=h5py.ref_dtype),
        lambda group: group.create_dataset("vars/0", data=lists, dtype=h5py.vlen_dtype(np.int32)),
    ):
        with h5py.File("m.weights.h5", "w") as file:
            put(file.create_group("layers/dense"))
        with pytest.raises(REFUSED, match="lists or references"):
            _load_weights("m.weights.h5")


def test_a_damaged_heap_in_hdf5_is_not_searched_for_ever(here):
    h5py = pytest.importorskip("h5py")
    with h5py.File("m.weights.h5", "w") as file:
        file.create_group("layers/dense").attrs["weight_names"] = ["kernel", "bias"]
    good = pathlib.Path("m.weights.h5").read_bytes()
    heap = good.index(b"GCOL")
    for damage in (b"\0" * 16, b"\1" + b"\0" * 7 + b"\xff" * 8):
        pathlib.Path("m.weights.h5").write_bytes(good[: heap + 16] + damage + good[heap + 32 :])
        with pytest.raises(REFUSED, match="heap"):
            _load_weights("m.weights.h5")


def test_texts_in_hdf5_are_not_longer_than_the_file(here):
    """HDF5 takes memory for the length that is stated beside the address of a text."""
    h5py = pytest.importorskip("h5py")
    with h5py.File("m.weights.h5", "w") as file:
        file.create_group("layers/dense").attrs["weight_names"] = ["kernel", "bias"]
        file["numbers"] = np.full(100, -1)
    good = pathlib.Path("m.weights.h5").read_bytes()
    place = good.index(good.index(b"GCOL").to_bytes(8, "little"))
    assert good[place - 4 : place] == len("kernel").to_bytes(4, "little")
    pathlib.Path("m.weights.h5").write_bytes(good[: place - 4] + b"\0\0\0\x60" + good[place:])
    with pytest.raises(REFUSED, match="longer than the file"):
        _load_weights("m.weights.h5")
    numbers = good.index(b"\xff" * 800)  # what would be an address among numbers is none
    pathlib.Path("m.weights.h5").write_bytes(good[: numbers + 8] + good[place : place + 12] + good[numbers + 20 :])
    with pytest.raises(REFUSED, match="expected 2 variables"):
        _load_weights("m.weights.h5")
    _write_texts(h5py, "m.weights.h5", ["x" * 10**6] * 2000)
    with pytest.raises(REFUSED, match="unpack"):
        _load_weights("m.weights.h5")


def test_names_in_hdf5_do_not_follow_one_another_in_a_circle(here):
    """HDF5 goes from one node of the names in a group to the next, and to the nodes below, until it is out of stack."""
    h5py = pytest.importorskip("h5py")
    for before in (0, 512):
        with h5py.File("m.weights.h5", "w", userblock_size=before) as file:
            file["layers/dense/vars/0"] = np.ones([1, 1], np.float32)
        good = pathlib.Path("m.weights.h5").read_bytes()
        first, second = good.index(b"TREE"), good.index(b"TREE", good.index(b"TREE") + 1)
        for places in ({first: first}, {first: second, second: first}):
            data = bytearray(good)
            for place, following in places.items():
                data[place + 16 : place + 24] = (following - before).to_bytes(8, "little")
            pathlib.Path("m.weights.h5").write_bytes(data)
            with pytest.raises(REFUSED, match="in a circle"):
                _load_weights("m.weights.h5")
            pathlib.Path("m.h5").write_bytes(data)
            with pytest.raises(REFUSED, match="in a circle"):
                tf.load_arrays("m.h5")
        data = bytearray(good)
        data[first + 5], data[first + 32 : first + 40] = 1, (first - before).to_bytes(8, "little")
        pathlib.Path("m.h5").write_bytes(data)
        with pytest.raises(REFUSED, match="in a circle"):
            tf.load_arrays("m.h5")


def test_large_trees_in_hdf5_are_read(here):
    h5py = pytest.importorskip("h5py")
    with h5py.File("m.h5", "w") as file:
        for number in range(1000):
            file[f"group/{number}"] = number
        for rank in (1, 2, 3):
            file.create_dataset(f"chunks/{rank}", data=np.ones([300] + [2] * (rank - 1)), chunks=(1,) * rank)
    arrays = tf.load_arrays("m.h5")
    assert int(arrays["group/999"]) == 999 and arrays["chunks/3"].shape == (300, 2, 2)
    assert b"TREE\0\1" in pathlib.Path("m.h5").read_bytes() and b"TREE\1\1" in pathlib.Path("m.h5").read_bytes()


def _write_texts(h5py, path, texts):
    """Writes texts, of which all refer to the first."""
    with h5py.File(path, "w") as file:
        file["layers/dense/vars/0"] = texts[:1] + ["y"] * (len(texts) - 1)
        start = file["layers/dense/vars/0"].id.get_offset()
    data = pathlib.Path(path).read_bytes()
    data = data[:start] + data[start : start + 16] * len(texts) + data[start + 16 * len(texts) :]
    pathlib.Path(path).write_bytes(data)


# --- bombs --------------------------------------------------------------------------------------------------------


def _png(width, height):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = chunk(b"IDAT", zlib.compress(b"\0" * 99))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + pixels + chunk(b"IEND", b"")


def _gif(width, height, frames):
    start = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    frame = b"," + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00"
    return start + frame * frames + b";"


def _bmp(width, height):
    sizes = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54, 0, 0, 54) + sizes + b"\0" * 100


def _wav(size):
    form = struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16)
    return b"RIFF" + struct.pack("<I", 44) + b"WAVEfmt " + form + b"data" + struct.pack("<I", size) + b"\0" * 8


def _header_of_npy(shape):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()


def _saying_that_it_is_large(path, size):
    """Changes what an archive says of the sizes of its members."""
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        place = data.find(b"PK\1\2")
        while place >= 0:
            data[place + 24 : place + 28] = size.to_bytes(4, "little")
            place = data.find(b"PK\1\2", place + 1)
        file.seek(0)
        file.write(data)


def _read_npz(data, size=None):
    with zipfile.ZipFile("bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", data)
    if size:
        _saying_that_it_is_large("bomb.npz", size)
    return tf.load_arrays("bomb.npz")


def _read_keras():
    with zipfile.ZipFile("bomb.keras", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("config.json", "{}")
        archive.writestr("model.weights.h5", bytes(1 << 24))
    _saying_that_it_is_large("bomb.keras", 1 << 31)
    return tf.keras.models.load_model("bomb.keras")


def _read_h5():
    import h5py

    with h5py.File("bomb.h5", "w") as file:
        file.create_dataset("a", (1 << 28,), "f8", chunks=(1 << 20,), compression="gzip", fillvalue=0)
    return tf.load_arrays("bomb.h5")


def _read_records(length, compression=""):
    head = length.to_bytes(8, "little")
    with open("bomb", "wb") as file:
        file.write(head + crc32c.masked(head).to_bytes(4, "little") + bytes(100))
    return list(tf.data.TFRecordDataset("bomb", compression))


def _read_deep(name):
    deep = "[" * 10**6
    if name == "model":
        with zipfile.ZipFile("deep.keras", "w") as archive:
            archive.writestr("config.json", deep)
            archive.writestr("model.weights.h5", "")
        return tf.keras.models.load_model("deep.keras")
    os.makedirs("deep", exist_ok=True)
    with open("deep/manifest.json" if name == "saved_model" else "deep/dataset.json", "w") as file:
        file.write(deep)
    return tf.saved_model.load("deep") if name == "saved_model" else tf.data.Dataset.load("deep")


def _read_layer(units, inputs=1):
    config = _sequential(layer("Dense", {"units": units}), inputs)
    tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))]).save("good.keras")
    with zipfile.ZipFile("good.keras") as source, zipfile.ZipFile("bad.keras", "w") as bad:
        for member in source.namelist():
            bad.writestr(member, json.dumps(config) if member == "config.json" else source.read(member))
    return tf.keras.models.load_model("bad.keras")


def _read_h5_layer(units, inputs):
    h5py = pytest.importorskip("h5py")
    tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))]).save("bad.h5")
    with h5py.File("bad.h5", "r+") as file:
        file.attrs["model_config"] = json.dumps(_sequential(layer("Dense", {"units": units}), inputs))
    return tf.keras.models.load_model("bad.h5")


LARGE = 2**31 - 1
BOMBS = {
    "png": lambda: tf.io.decode_png(_png(LARGE, LARGE)),
    "png, 1.6 gigapixels": lambda: tf.io.decode_image(_png(40000, 40000)),
    "bmp": lambda: tf.io.decode_bmp(_bmp(LARGE, LARGE)),
    "gif": lambda: tf.io.decode_gif(_gif(65535, 65535, 1)),
    "gif of many frames": lambda: tf.io.decode_gif(_gif(4000, 4000, 1000)),
    "wav": lambda: tf.audio.decode_wav(_wav(2**32 - 2)),
    "npy header": lambda: _read_npz(_header_of_npy((1 << 40,))),
    "npy header, overflowing": lambda: _read_npz(_header_of_npy((1 << 62, 4))),
    "zip": lambda: _read_npz(_header_of_npy((1 << 28,)) + bytes(1 << 22), 1 << 31),
    "keras": _read_keras,
    "h5": _read_h5,
    "record": lambda: _read_records(1 << 40),
    "record, larger": lambda: _read_records((1 << 64) - 1),
    "record, as large as may be": lambda: _read_records(1 << 48),
    "tensor": lambda: tf.io.parse_tensor(b"\x08\x01\x12\x0c\x12\x0a\x08" + b"\xff" * 8 + b"\x3f", tf.float32),
    "message": lambda: tf.train.Example.FromString(b"\x0a" + b"\xff" * 8 + b"\x7f"),
    "deep model": lambda: _read_deep("model"),
    "deep saved model": lambda: _read_deep("saved_model"),
    "deep dataset": lambda: _read_deep("dataset"),
    "a layer of 2^40 units": lambda: _read_layer(2**40),
    "a layer of 10^9 units": lambda: _read_layer(10**9),
    "a layer of 10^9 inputs": lambda: _read_layer(1, 10**9),
    "a layer of 10^9 inputs, h5": lambda: _read_h5_layer(1, 10**9),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused(name, here):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(REFUSED):
        BOMBS[name]()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000  # kB
