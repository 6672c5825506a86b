"""Kills processes at random moments of a save over an older one, and looks whether what is left is whole.

    python tests/formats/kill_saves.py [--moments 200] [--writers 1] [--kinds checkpoint saved_model manager ...]

With more than one writer, they save to the same path at once.
"""

import argparse
import logging
import os
import random
import signal
import sys
import tempfile
import time
import traceback

import numpy as np

import tfcompat as tf
from tfcompat import dtypes, engine
from tfcompat.saved_model import _graph_files
from tfcompat.saved_model._files import Folder
from tfcompat.train import _bundle


class Checkpoint:
    """A checkpoint of two tensors."""

    def __init__(self, folder):
        self._prefix = os.path.join(folder, "c")

    def save(self, value):
        tensors = {name: (dtypes.float32, np.full(3000, value, np.float32)) for name in ("a", "b")}
        _bundle.write(self._prefix, tensors)

    def values(self):
        reader = _bundle.Reader(self._prefix)
        return {float(x) for name in "ab" for x in np.unique(reader.read(name))}


class SavedModel:
    """The files of a saved model: a function, arrays, the manifest."""

    def __init__(self, folder):
        self._folder = folder

    def save(self, value):
        folder = Folder(self._folder)
        with folder.saving():
            function = folder.put("functions", ".stablehlo", str(value).encode() * 1000)
            arrays = folder.put_arrays({"a": np.full(3000, value, np.float32)})
            folder.finish({"value": value, "function": function, "arrays": arrays})

    def values(self):
        folder = Folder(self._folder)
        manifest = folder.manifest()
        text = str(manifest["value"]).encode() * 1000
        assert folder.get(manifest["function"]) == text
        return {float(manifest["value"]), *np.unique(folder.get_arrays(manifest["arrays"])["a"]).tolist()}


class Graph:
    """TensorFlow's files of a saved model: a graph and a checkpoint, which belong together."""

    def __init__(self, folder):
        self._folder = folder

    def save(self, value):
        tensors = {"a": (dtypes.float32, np.full(3000, value, np.float32))}
        with Folder(self._folder).saving():
            _graph_files.write(self._folder, f"{value} ".encode() * 1000, tensors, [])

    def values(self):
        _graph_files.complete(self._folder)
        with open(os.path.join(self._folder, _graph_files.FILE)) as file:
            words = file.read().split(" ")
        assert len(words) == 1001
        reader = _bundle.Reader(os.path.join(self._folder, _graph_files.CHECKPOINT))
        return {*map(float, words[:-1]), *np.unique(reader.read("a")).tolist()}


class Manager:
    """The last two of many checkpoints, and the file that says which they are."""

    def __init__(self, folder):
        self._folder, self._variables = folder, [tf.Variable(np.zeros(3000, np.float32)) for _ in range(2)]
        self._checkpoint = tf.train.Checkpoint(variables=self._variables)

    def save(self, value):
        for variable in self._variables:
            _set(variable, value)
        self._checkpoint.save_counter._node = engine.leaf(np.int64(abs(value)))
        manager = tf.train.CheckpointManager(self._checkpoint, self._folder, max_to_keep=2)
        manager.save(checkpoint_number=abs(int(value)))

    def values(self):
        manager = tf.train.CheckpointManager(self._checkpoint, self._folder, max_to_keep=2)
        self._checkpoint.restore(manager.latest_checkpoint).assert_consumed()
        return {float(x) for variable in self._variables for x in np.unique(variable.numpy())}


def _set(variable, value):
    """Gives a variable a value without computing with JAX, which a child of a process must not."""
    variable._node = engine.leaf(np.full(variable.shape, value, variable.dtype.np))


class Keras:
    """A model in a file, of the kind that `ending` says."""

    def __init__(self, folder, ending):
        self._path = os.path.join(folder, "model" + ending)
        self._model = tf.keras.Sequential([tf.keras.layers.Dense(1000, use_bias=False, input_shape=(3,))])
        self._whole = ending in (".keras", ".h5")

    def save(self, value):
        _set(self._model.weights[0], value)
        (self._model.save if self._whole else self._model.save_weights)(self._path)

    def values(self):
        model = self._model
        if self._whole:
            model = tf.keras.models.load_model(self._path)
        else:
            model.load_weights(self._path)
        return set(np.unique(model.get_weights()[0]).tolist())


class Arrays:
    """`tfcompat.save_arrays`, of the kind that `ending` says."""

    def __init__(self, folder, ending):
        self._path = os.path.join(folder, "arrays" + ending)

    def save(self, value):
        tf.save_arrays(self._path, {name: np.full(3000, value, np.float32) for name in "ab"})

    def values(self):
        return {float(x) for array in tf.load_arrays(self._path).values() for x in np.unique(array)}


class Dataset:
    """`tf.data.Dataset.save` over an older one."""

    def __init__(self, folder):
        self._folder = os.path.join(folder, "saved")

    def save(self, value):
        elements = np.full(3000, value, np.float32)
        tf.data.Dataset.from_tensor_slices(elements).batch(100).save(self._folder)

    def values(self):
        dataset = tf.data.Dataset.load(self._folder)
        found = np.concatenate(list(dataset.as_numpy_iterator()))
        assert found.shape == (3000,)
        return set(np.unique(found).tolist())


class File:
    """`tf.io.write_file`, and what writes as it does."""

    def __init__(self, folder):
        self._path = os.path.join(folder, "file")

    def save(self, value):
        tf.io.write_file(self._path, f"{value} " * 3000)

    def values(self):
        with open(self._path) as file:
            words = file.read().split(" ")
        assert len(words) == 3001
        return set(map(float, words[:-1]))


class Picture:
    """`tf.keras.utils.save_img`."""

    def __init__(self, folder):
        self._path = os.path.join(folder, "picture.png")

    def save(self, value):
        tf.keras.utils.save_img(self._path, np.full([100, 100, 3], value % 256, np.uint8), scale=False)

    def values(self):
        return set(np.unique(np.asarray(tf.keras.utils.load_img(self._path))).tolist())


def _with(kind, ending):
    return lambda folder: kind(folder, ending)


KINDS = {
    "checkpoint": Checkpoint, "saved_model": SavedModel, "graph": Graph, "manager": Manager, "dataset": Dataset,
    "file": File, "picture": Picture, "keras": _with(Keras, ".keras"), "h5": _with(Keras, ".h5"),
    "weights": _with(Keras, ".weights.h5"), "npz": _with(Arrays, ".npz"), "safetensors": _with(Arrays, ".safetensors"),
}  # fmt: skip
# Files after a save in peace. Saves of datasets that were killed leave theirs, as in TensorFlow, and so does a manager
# of those that it has no note of.
LEFT = {kind: 1 for kind in KINDS} | {"checkpoint": 2, "saved_model": 3, "graph": 4}
LEFT |= dict.fromkeys(("dataset", "manager"))


def kill(kind, moments, writers=1, seed=0):
    """Kills so many savers; returns how many different values were found after.

    Raises:
      AssertionError: what is left is not whole.
    """
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        saver = KINDS[kind](folder)
        start = time.perf_counter()
        for _ in range(3):
            saver.save(0)
        took = (time.perf_counter() - start) / 3
        seen = set()
        for turn in range(moments):
            children = [_child(saver, rng.uniform(1e-4, 5 * took * writers), 1000 * turn + 500 * writer)
                        for writer in range(writers)]  # fmt: skip
            for child in children:
                _, status = os.waitpid(child, 0)
                assert os.WIFSIGNALED(status), f"{kind}: moment {turn}: a save has failed"
            values = saver.values()
            assert len(values) == 1, f"{kind}: moment {turn}: parts of several saves, {values}"
            seen |= values
        saver.save(-1)
        left = sum(len(files) for _, _, files in os.walk(folder))
        # As many unfinished files as there were writers at once may wait to be taken over.
        wanted = LEFT[kind]
        assert wanted is None or wanted <= left <= wanted + writers - 1, f"{kind}: killed saves left {left} files"
    return len(seen)


def _child(saver, seconds, value):
    """A process that saves again and again, and is killed after a time."""
    child = os.fork()
    if child:
        return child
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        while True:
            value += 1
            saver.save(value)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moments", type=int, default=200)
    parser.add_argument("--writers", type=int, default=1)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    options = parser.parse_args(argv)
    logging.getLogger("tensorflow").setLevel("ERROR")
    for kind in options.kinds:
        seen = kill(kind, options.moments, options.writers)
        print(f"{kind}: {options.moments} times {options.writers} processes killed, whole after each; {seen} different "
              "values", flush=True)  # fmt: skip
        assert seen > options.moments // 40, "too few saves came to their end to tell anything"
    return 0


if __name__ == "__main__":
    sys.exit(main())
