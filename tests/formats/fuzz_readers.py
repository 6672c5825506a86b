"""Gives every reader of files damaged input: it may refuse it, but not crash, hang or take much memory.

    python tests/formats/fuzz_readers.py [--inputs 100000] [--readers table graph ...]

Inputs are good files with bytes changed, removed, repeated or put in, whose checksums are made right again where that
takes the reader further; and random bytes. `pytest` runs a few hundred of them.
"""

import argparse
import contextlib
import copy
import functools
import hashlib
import io
import itertools
import json
import logging
import multiprocessing
import os
import pathlib
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
import zipfile
import zlib

import numpy as np

import tfcompat as tf
from tfcompat._formats import crc32c
from tfcompat.saved_model._files import Folder
from tfcompat.saved_model._graph_load import load_graph
from tfcompat.saved_model._load import _operation
from tfcompat.train import _bundle, _table
from tfcompat.train._objects import GRAPH_KEY, parsed
from tfcompat.train._state import get_checkpoint_state

GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "continued"
SECONDS, MEMORY = 10, 2 << 30  # for one input; above what the process has before the first
_IN_MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
WAIT = 300  # seconds on the clock without the end of an input: the machine may be busy
ALLOWED = (ValueError, OSError, tf.errors.OpError)  # tf.errors.DataLossError and others among the last


# What layers say of arguments in a configuration that they do not take, here as in tf_keras.
ALLOWED_MORE = {name: (TypeError, NotImplementedError) for name in ("keras", "h5", "h5_config")}
ALLOWED_MORE["tensorflow_model"] = (RuntimeError,)  # there is no graph with the tags


def damaged(rng, good):
    """A copy of bytes with some of them changed."""
    data = bytearray(good)
    for _ in range(rng.choice((1, 1, 2, 5))):
        place = rng.randrange(len(data) + 1)
        kind = rng.randrange(6)
        if kind == 0 and data:
            data[place % len(data)] = rng.randrange(256)
        elif kind == 1 and data:
            data[place % len(data)] ^= 1 << rng.randrange(8)
        elif kind == 2:
            del data[place : place + rng.randrange(1, 9)]
        elif kind == 3:
            data[place:place] = data[place : place + rng.randrange(1, 33)]
        elif kind == 4:
            data[place : place + rng.randrange(3)] = rng.choice((b"\xff" * 9 + b"\x01", b"\xff\xff\xff\x7f", b"\0"))
        else:
            del data[place:]
    return bytes(data)


def of_inputs(make):
    """Decorator of a function that makes inputs: its errors are not those of a reader."""

    @functools.wraps(make)
    def made(rng, good):
        try:
            return make(rng, good)
        except Exception as error:
            raise AssertionError("no input could be made") from error

    return made


@of_inputs
def any_bytes(rng, good):
    """Damaged bytes, or random ones."""
    return rng.randbytes(rng.randrange(200)) if rng.random() < 0.1 else damaged(rng, good)


_VALUES = (None, -1, 0, 1, 2, 10**9, 2**40, 1e300, "", "x", "../../x", [], {}, [0], [[["x"]]], {"value": 1}, True,
           float("nan"))  # fmt: skip


def _changed(rng, data):
    """Data of JSON with one value changed, or one taken away."""
    if isinstance(data, dict | list) and data and rng.random() < 0.9:
        key = rng.choice(sorted(data)) if isinstance(data, dict) else rng.randrange(len(data))
        if rng.random() < 0.05:
            del data[key]
        else:
            data[key] = _changed(rng, data[key])
        return data
    return copy.deepcopy(rng.choice(_VALUES))


@of_inputs
def any_json(rng, good):
    """Damaged JSON: as data, or as bytes; or brackets that are deeper than a stack."""
    kind = rng.random()
    if kind < 0.8:
        data = json.loads(good)
        for _ in range(rng.choice((1, 1, 2, 3))):
            data = _changed(rng, data)
        return json.dumps(data).encode()
    return any_bytes(rng, good) if kind < 0.99 else b'[{"a":' * 10**5


class Repeated(Exception):
    """An input was tried before."""


def _stored(block):
    return block + b"\0" + crc32c.masked(block, b"\0").to_bytes(4, "little")


def table(folder):
    """The index of a checkpoint; a block of it with the right checksum; what is compressed."""
    good = (GOLDEN / "checkpoint" / "ckpt.index").read_bytes()
    items = sorted(_table.read(good).items())
    block = _table._Block()
    for key, value in items:
        block.add(key, value)
    block = block.finished()

    def one(rng):
        kind = rng.randrange(3)
        if kind == 0:
            _table.read(any_bytes(rng, good))
        elif kind == 1:
            body = any_bytes(rng, block)
            list(_table._entries(_table._contents(_stored(body) + bytes(_table._FOOTER), 0, len(body))))
        else:
            _table.uncompressed(any_bytes(rng, b"\x30\x0cabcd\x0d\x04\x1e\x04\x00" + b"\xa8" + bytes(43)), 1 << 20)

    return one


def checkpoint(folder):
    """A checkpoint whose entries are damaged, with right checksums; its tensors are read as well."""
    prefix = os.path.join(folder, "ckpt")
    shutil.copy(GOLDEN / "checkpoint" / "ckpt.data-00000-of-00001", prefix + ".data-00000-of-00001")
    good = _table.read((GOLDEN / "checkpoint" / "ckpt.index").read_bytes())

    def one(rng):
        items = dict(good)
        for key in rng.sample(sorted(items), 2):
            items[key] = any_bytes(rng, items[key])
        with open(prefix + ".index", "wb") as file:
            file.write(_table.written(sorted(items.items())))
        reader = _bundle.Reader(prefix)
        for key in reader.keys():
            with contextlib.suppress(*ALLOWED):
                reader.read(key)

    return one


def graph(folder):
    """The graph of objects of a checkpoint, a protocol buffer."""
    good = _bundle.Reader(GOLDEN / "checkpoint" / "ckpt").read(GRAPH_KEY)[()]
    return lambda rng: parsed(any_bytes(rng, good))


def state(folder):
    """The file that says which checkpoints there are."""
    good = b'model_checkpoint_path: "ckpt-2"\nall_model_checkpoint_paths: "ckpt-1"\nlast_preserved_timestamp: 1.5\n'
    path = os.path.join(folder, "checkpoint")

    def one(rng):
        with open(path, "wb") as file:
            file.write(any_bytes(rng, good))
        found = get_checkpoint_state(folder)
        for one in [] if found is None else [found.model_checkpoint_path, *found.all_model_checkpoint_paths]:
            assert not one or os.path.abspath(one).startswith(folder + os.sep), one

    return one


def arrays(folder):
    """The arrays of a saved model: safetensors, under the name that their contents give."""
    files = Folder(folder)
    name = files.put_arrays({
        "a": np.ones([2, 3], np.float32), "b": np.array(1 + 2j), "c": np.zeros([0, 2]), "d": np.int8([1]),
    })  # fmt: skip
    good = pathlib.Path(folder, name).read_bytes()

    def one(rng):
        data = any_bytes(rng, good)
        path = pathlib.Path(folder, "variables", hashlib.sha256(data).hexdigest()[:32] + ".safetensors")
        path.write_bytes(data)
        try:
            files.get_arrays("variables/" + path.name)
        finally:
            path.unlink()

    return one


def manifest(folder):
    """The manifest of a saved model: values and keys changed, as JSON and as bytes."""
    module = tf.Module()
    module.v, module.items = tf.Variable([1.0, 2.0]), [tf.Variable("text"), None, {"k": (tf.Variable(1),)}]
    module.f = tf.function(lambda x, n=2: x)
    tf.saved_model.save(module, folder)
    path = pathlib.Path(folder, "manifest.json")
    good = path.read_bytes()

    def one(rng):
        path.write_bytes(any_json(rng, good))
        tf.saved_model.load(folder)

    return one


def tensorflow_model(folder):
    """A `saved_model.pb` of TensorFlow's: objects, functions, tables, custom gradients. Functions are not called."""
    good = []
    with zipfile.ZipFile(GOLDEN.parent / "saved_models.zip") as archive:
        for name in ("mlp", "table", "custom_gradient", "switch", "counter", "two_inputs"):
            members = [member for member in archive.namelist() if member.startswith(f"{name}/")]
            archive.extractall(folder, members)
            path = pathlib.Path(folder, name, "saved_model.pb")
            good.append((path, path.read_bytes()))

    def one(rng):
        path, data = good[rng.randrange(len(good))]
        path.write_bytes(any_bytes(rng, data))
        loaded = load_graph(str(path.parent))
        for value in vars(loaded).values():
            for concrete in getattr(value, "_concrete", ()):
                concrete._library.prepared(concrete.name)

    return one


def _array_file(suffix):
    def reader(folder):
        path = os.path.join(folder, "arrays" + suffix)
        good = {"a": np.ones([2, 3], np.float32), "b/c": np.array(1.5), "d": np.zeros([0, 2]), "e": np.int8([1, 2, 3])}
        tf.save_arrays(path, good)
        good = pathlib.Path(path).read_bytes()

        def one(rng):
            with open(path, "wb") as file:
                file.write(any_bytes(rng, good))
            tf.load_arrays(path)

        return one

    reader.__doc__ = f"Arrays in a {suffix} file."
    return reader


def program(folder):
    """The StableHLO of a function of a saved model, under the name that its contents give; it is not run."""
    module = tf.Module()
    module.f = tf.function(
        lambda x: tf.sin(x) * tf.random.stateless_normal([2], [1, 2]), input_signature=[tf.TensorSpec([2])]
    )
    tf.saved_model.save(module, folder)
    (good,) = pathlib.Path(folder, "functions").iterdir()
    good = good.read_bytes()
    files = Folder(folder)

    def one(rng):
        data = any_bytes(rng, good)
        path = pathlib.Path(folder, "functions", hashlib.sha256(data).hexdigest()[:32] + ".stablehlo")
        path.write_bytes(data)
        try:
            _operation(files.get("functions/" + path.name), "f", True)
        finally:
            path.unlink()

    return one


def _small_model():
    layers = tf.keras.layers
    inputs = tf.keras.Input((4,))
    x = layers.BatchNormalization()(layers.Dense(4, "relu", kernel_regularizer="l2")(inputs))
    x = tf.concat([tf.reshape(layers.Reshape((2, 2))(x), [-1, 4]), layers.Dropout(0.5)(x)], -1)
    model = tf.keras.Model(inputs, [layers.Dense(2)(x), x[:, 0]])
    model.compile("adam", "mse", metrics=["mae"])
    model.train_on_batch(np.ones([2, 4], np.float32), [np.ones([2, 2], np.float32), np.ones([2], np.float32)])
    return model


def _smallest_model():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse")
    return model


_MODELS = (_small_model, *[_smallest_model] * 7)  # to make a model again takes most of the time


def keras(folder):
    """A model in a `.keras` file: the archive, its configuration, its weights."""
    path, models = os.path.join(folder, "model.keras"), []
    for make in dict.fromkeys(_MODELS):
        make().save(path)
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        models.append((pathlib.Path(path).read_bytes(), members))

    def one(rng):
        good, members = models[rng.choice(_MODELS) is _smallest_model]
        kind = rng.randrange(4)
        if kind == 0:
            pathlib.Path(path).write_bytes(any_bytes(rng, good))
        else:
            name = "model.weights.h5" if kind == 1 else "config.json"
            found = any_bytes(rng, members[name]) if kind == 1 else any_json(rng, members[name])
            with zipfile.ZipFile(path, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
                for member, data in members.items():
                    archive.writestr(member, found if member == name else data)
        tf.keras.models.load_model(path)

    return one


def h5(folder):
    """A model in HDF5, and its weights alone."""
    paths, models = [os.path.join(folder, name) for name in ("model.h5", "w.weights.h5", "w.h5")], []
    for make in dict.fromkeys(_MODELS):
        model = make()
        model.save(paths[0])
        for path in paths[1:]:
            model.save_weights(path)
        models.append((model, [pathlib.Path(path).read_bytes() for path in paths]))

    def one(rng):
        model, good = models[rng.choice(_MODELS) is _smallest_model]
        number = rng.randrange(3)
        pathlib.Path(paths[number]).write_bytes(any_bytes(rng, good[number]))
        if number:
            model.load_weights(paths[number])
        else:
            tf.keras.models.load_model(paths[0])

    return one


def h5_config(folder):
    """The configuration in a model in HDF5."""
    import h5py

    models = []
    for make in dict.fromkeys(_MODELS):
        path = os.path.join(folder, f"{make.__name__}.h5")
        make().save(path)
        with h5py.File(path) as file:
            texts = {name: file.attrs[name].encode() for name in ("model_config", "training_config")}
        models.append((path, pathlib.Path(path).read_bytes(), texts))
    tried = set()

    def one(rng):
        path, good, texts = models[rng.choice(_MODELS) is _smallest_model]
        name = rng.choice(sorted(texts))
        text = any_json(rng, texts[name])[:50000]
        if (path, name, text) in tried:
            raise Repeated
        tried.add((path, name, text))
        pathlib.Path(path).write_bytes(good)  # each time anew: HDF5 does not free what it replaces
        with h5py.File(path, "r+") as file:
            file.attrs[name] = text
        tf.keras.models.load_model(path)

    return one


def records(folder):
    """Records, some of them compressed, and messages with tensors and examples in them."""
    path = os.path.join(folder, "records")
    feature = tf.train.Feature
    features = {"a": feature(int64_list=tf.train.Int64List(value=[1, 2, -3])),
                "b": feature(bytes_list=tf.train.BytesList(value=[b"text", b""])),
                "c": feature(float_list=tf.train.FloatList(value=[1.5, 2.5]))}  # fmt: skip
    example = tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()
    sequence = tf.train.SequenceExample(
        context=tf.train.Features(feature=features),
        feature_lists=tf.train.FeatureLists(feature_list={"a": tf.train.FeatureList(feature=[features["a"]] * 2)}),
    ).SerializeToString()
    tensor = tf.io.serialize_tensor(np.ones([2, 3], np.float32)).numpy()
    specs = {"a": tf.io.VarLenFeature(tf.int64), "b": tf.io.FixedLenFeature([2], tf.string),
             "c": tf.io.RaggedFeature(tf.float32)}  # fmt: skip
    good = {}
    for kind in ("", "GZIP", "ZLIB"):
        with tf.io.TFRecordWriter(path, kind) as writer:
            for record in (b"", example, b"x" * 1000):
                writer.write(record)
        good[kind] = pathlib.Path(path).read_bytes()

    def one(rng):
        kind = rng.randrange(5)
        if kind == 0:
            compression = rng.choice(sorted(good))
            data = any_bytes(rng, good[compression])
            if not compression and rng.random() < 0.5:  # a length that fits its checksum
                head = rng.choice((2**31, 2**40, 2**63 - 1, 2**64 - 1, rng.randrange(2000))).to_bytes(8, "little")
                data = head + crc32c.masked(head).to_bytes(4, "little") + data[12:]
            pathlib.Path(path).write_bytes(data)
            list(tf.data.TFRecordDataset(path, compression))
        elif kind == 1:
            tf.io.parse_single_example(any_bytes(rng, example), specs)["b"].numpy()
        elif kind == 2:
            tf.io.parse_single_sequence_example(
                any_bytes(rng, sequence), {"a": specs["a"]}, {"a": tf.io.FixedLenSequenceFeature([3], tf.int64)}
            )
        elif kind == 3:
            tf.io.parse_tensor(any_bytes(rng, tensor), tf.float32).numpy()
        else:
            tf.train.Example.FromString(any_bytes(rng, example))

    return one


def saved_dataset(folder):
    """A saved dataset, and the file of a cache."""
    elements = {"a": np.arange(6, dtype=np.float32).reshape(3, 2), "b": np.array([b"x", b"", b"yz"])}
    dataset = tf.data.Dataset.from_tensor_slices(elements)
    dataset.save(os.path.join(folder, "saved"))
    list(dataset.cache(os.path.join(folder, "cache")))
    told, cache = pathlib.Path(folder, "saved", "dataset.json"), pathlib.Path(folder, "cache.cache.npz")
    (elements,) = pathlib.Path(folder, "saved").rglob("*.npz")
    good = {path: path.read_bytes() for path in (told, elements, cache)}

    def one(rng):
        path = rng.choice(list(good))
        path.write_bytes(any_json(rng, good[path]) if path is told else any_bytes(rng, good[path]))
        try:
            if path is cache:
                found = dataset.cache(os.path.join(folder, "cache"))
            else:
                found = tf.data.Dataset.load(os.path.join(folder, "saved"))
            for _ in found:  # `list` takes the memory that a dataset's length asks for
                pass
        finally:
            path.write_bytes(good[path])

    return one


def csv(folder):
    """Rows of a CSV file."""
    good = b'a,b,c\n1,2.5,"x, ""y"""\n-3,1e3,\n,,z\n'
    path = os.path.join(folder, "table.csv")
    kinds = [tf.constant([], tf.int64), tf.constant([0.5]), tf.constant([""])]

    def one(rng):
        data = any_bytes(rng, good)
        kind = rng.randrange(3)
        if kind == 0:
            tf.io.decode_csv(data.split(b"\n"), [[0], [0.5], [""]])
            return
        pathlib.Path(path).write_bytes(data)
        if kind == 1:
            list(tf.data.experimental.CsvDataset(path, kinds, header=True))
        else:
            list(tf.data.experimental.make_csv_dataset(path, 2, num_epochs=1, shuffle=False))

    return one


def wav(folder):
    """Sound."""
    good = tf.audio.encode_wav(np.linspace(-1, 1, 20, dtype=np.float32).reshape(10, 2), 8000).numpy()
    return lambda rng: tf.audio.decode_wav(any_bytes(rng, good))


def archive(folder):
    """What `get_file` unpacks."""
    source, target = os.path.join(folder, "source"), os.path.join(folder, "target")
    os.makedirs(source)
    pathlib.Path(source, "file").write_text("text" * 100)
    good = [pathlib.Path(shutil.make_archive(os.path.join(folder, "made"), kind, source)).read_bytes()
            for kind in ("tar", "gztar", "zip")]  # fmt: skip
    path = pathlib.Path(folder, "archive")

    def one(rng):
        path.write_bytes(any_bytes(rng, rng.choice(good)))
        shutil.rmtree(target, ignore_errors=True)
        try:
            tf.keras.utils.get_file("archive", path.as_uri(), extract=True, cache_dir=target, cache_subdir="in")
        finally:
            outside = {p.name for p in pathlib.Path(target).iterdir()} - {"in"}
            assert not outside, outside

    return one


def _picture(suffix):
    def reader(folder):
        from PIL import Image

        pixels = np.random.default_rng(0).integers(0, 256, [13, 9, 3], dtype=np.uint8)
        buffers = []
        for mode in ("RGB", "L", "P"):
            buffer = io.BytesIO()
            if (mode, suffix) != ("P", "jpeg"):
                picture = Image.fromarray(pixels).convert(mode)
                more = {"save_all": True, "append_images": [picture.rotate(90)]} if suffix == "gif" else {}
                picture.save(buffer, suffix, **more)
                buffers.append(buffer.getvalue())
        decode = getattr(tf.io, "decode_" + suffix, tf.io.decode_image)

        def one(rng):
            data = any_bytes(rng, rng.choice(buffers))
            if suffix == "png":
                data = _with_checksums(data)
            kind = rng.randrange(5)
            if kind < 3:
                decode(data)
            elif kind == 3:
                tf.io.decode_image(data)
            elif suffix == "jpeg":
                tf.io.extract_jpeg_shape(data)
                tf.io.decode_jpeg(data, ratio=rng.choice((2, 8)), try_recover_truncated=True)

        return one

    reader.__doc__ = f"Pictures of the kind {suffix}."
    return reader


def _with_checksums(data):
    """The bytes of a PNG file whose checksums are right again, as far as its chunks can be told apart."""
    place, out = 8, bytearray(data)
    while place + 12 <= len(out):
        end = place + 8 + int.from_bytes(out[place : place + 4], "big")
        if end + 4 > len(out):
            break
        out[end : end + 4] = zlib.crc32(out[place + 4 : end]).to_bytes(4, "big")
        place = end + 4
    return bytes(out)


READERS = {
    f.__name__: f
    for f in (table, checkpoint, graph, state, arrays, manifest, program, tensorflow_model, keras, h5, h5_config,
              records, saved_dataset, csv, wav, archive)
}  # fmt: skip
READERS |= {name: _array_file("." + name) for name in ("npz", "safetensors", "hdf5")}
READERS |= {name: _picture(name) for name in ("png", "jpeg", "gif", "bmp", "webp")}


def fuzz(name, inputs, seed=0, place=None):
    """Gives a reader so many inputs, no two alike where it tells; returns how many of them it refused.

    Args:
      place: what holds the number of the input that is tried, as a list.

    Raises:
      AssertionError: it hung, took too much memory, or raised what no user can expect.
    """
    def too_long(*_):
        raise AssertionError(f"{name}: an input takes more than {SECONDS} seconds")

    outer = signal.signal(signal.SIGPROF, too_long)  # of processor time: others may use the machine
    refused = 0
    try:
        with tempfile.TemporaryDirectory(dir=_IN_MEMORY) as folder:
            one = READERS[name](folder)
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            for number in itertools.count(seed):
                if not inputs:
                    break
                inputs -= 1
                rng = random.Random(number)
                if place is not None:
                    place[0] = number
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
                try:
                    one(rng)
                except (*ALLOWED, *ALLOWED_MORE.get(name, ())):
                    refused += 1
                except Repeated:
                    inputs += 1
                except BaseException as error:
                    error.add_note(f"{name}: input {number}")
                    raise
                grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
                assert grown < MEMORY, f"{name}: {grown} bytes of memory up to input {number}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, outer)
    return refused


def _fuzz_apart(name, inputs, seed, place, refused):
    logging.getLogger("tensorflow").setLevel("CRITICAL")
    warnings.simplefilter("ignore")
    sys.stdout = open(os.devnull, "w")  # `get_file` tells of each download
    refused.value = fuzz(name, inputs, seed, place)


def _ending(process, place):
    """Waits for a process; returns how it ended, "" if well.

    A process that sleeps for ever, or stays in C, does not end by itself: it is killed when no input ends for a while.
    """
    while process.is_alive():
        number = place[0]
        process.join(WAIT)
        if process.is_alive() and place[0] == number:
            process.kill()
            process.join()
            return f"takes more than {WAIT} seconds"
    if process.exitcode < 0:
        return f"is killed by {signal.Signals(-process.exitcode).name}"
    return f"ends with the code {process.exitcode}" if process.exitcode else ""


def _stopped(number, _):
    raise SystemExit(f"stopped by {signal.Signals(number).name}")


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--readers", nargs="+", choices=READERS, default=list(READERS))
    options = parser.parse_args(argv)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stopped)
    apart, failed = multiprocessing.get_context("spawn"), 0
    for name in options.readers:
        start = time.perf_counter()
        place, refused = apart.Array("q", 1), apart.Value("q", -1)
        process = apart.Process(target=_fuzz_apart, args=(name, options.inputs, options.seed, place, refused))
        process.start()
        try:
            ending = _ending(process, place)
        except BaseException:
            process.kill()
            print(f"{name}: stopped at input {place[0]}", flush=True)
            raise
        if not ending and refused.value < 0:
            ending = "ends the process without a result"
        failed += bool(ending)
        if ending:
            print(f"{name}: input {place[0]} {ending}", flush=True)
        else:
            seconds = time.perf_counter() - start
            print(f"{name}: {options.inputs} inputs, {refused.value} refused, {seconds:.0f} s", flush=True)
    print(f"{len(options.readers)} readers, {failed} failed", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
