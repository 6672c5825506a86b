"""Gives every reader of files damaged input: it may refuse it, but not crash, hang or take much memory.

    python tests/formats/fuzz_readers.py [--inputs 100000] [--readers table graph ...]

Inputs are good files with bytes changed, removed, repeated or put in, whose checksums are made right again where that
takes the reader further; and random bytes. `pytest` runs a few hundred of them.
"""

import argparse
import contextlib
import hashlib
import json
import logging
import os
import pathlib
import random
import resource
import shutil
import signal
import sys
import tempfile
import time

import numpy as np

import tfcompat as tf
from tfcompat._formats import crc32c
from tfcompat.saved_model._files import Folder
from tfcompat.saved_model._load import _operation
from tfcompat.train import _bundle, _table
from tfcompat.train._objects import GRAPH_KEY, parsed
from tfcompat.train._state import get_checkpoint_state

GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "continued"
SECONDS, MEMORY = 10, 1 << 30  # for one input; above what the process has before the first
ALLOWED = (ValueError, OSError, tf.errors.OpError)  # tf.errors.DataLossError and others among the last


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


def any_bytes(rng, good):
    """Damaged bytes, or random ones."""
    return rng.randbytes(rng.randrange(200)) if rng.random() < 0.1 else damaged(rng, good)


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
    values = (None, -1, 0, 1, 2, 10**9, 1e300, "", "x", "../../x", [], {}, [0], [[["x"]]], {"value": 1}, True)

    def changed(rng, data):
        if isinstance(data, dict | list) and data and rng.random() < 0.9:
            key = rng.choice(sorted(data)) if isinstance(data, dict) else rng.randrange(len(data))
            if rng.random() < 0.05:
                del data[key]
            else:
                data[key] = changed(rng, data[key])
            return data
        return rng.choice(values)

    def one(rng):
        path.write_bytes(json.dumps(changed(rng, json.loads(good))).encode() if rng.random() < 0.8 else
                         any_bytes(rng, good))  # fmt: skip
        tf.saved_model.load(folder)

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
    module.f = tf.function(lambda x: tf.sin(x), input_signature=[tf.TensorSpec([None])])
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


READERS = {f.__name__: f for f in (table, checkpoint, graph, state, arrays, manifest, program)}
READERS |= {name: _array_file("." + name) for name in ("npz", "safetensors", "h5")}


def fuzz(name, inputs, seed=0):
    """Gives a reader so many inputs; returns how many of them it refused.

    Raises:
      AssertionError: it hung, took too much memory, or raised what no user can expect.
    """
    def too_long(*_):
        raise AssertionError(f"{name}: an input takes more than {SECONDS} seconds")

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outer = signal.signal(signal.SIGPROF, too_long)  # of processor time: others may use the machine
    refused = 0
    try:
        with tempfile.TemporaryDirectory() as folder:
            one = READERS[name](folder)
            for number in range(seed, seed + inputs):
                rng = random.Random(number)
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
                try:
                    one(rng)
                except ALLOWED:
                    refused += 1
                except BaseException as error:
                    error.add_note(f"{name}: input {number}")
                    raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, outer)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert grown < MEMORY, f"{name}: {grown} bytes of memory"
    return refused


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--readers", nargs="+", choices=READERS, default=list(READERS))
    options = parser.parse_args(argv)
    logging.getLogger("tensorflow").setLevel("CRITICAL")
    for name in options.readers:
        start = time.perf_counter()
        refused = fuzz(name, options.inputs, options.seed)
        print(f"{name}: {options.inputs} inputs, {refused} refused, {time.perf_counter() - start:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
