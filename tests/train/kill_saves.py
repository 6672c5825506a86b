"""Kills processes at random moments of a save over an older one, and looks whether what is left is whole.

    python tests/train/kill_saves.py [--moments 200] [--kinds checkpoint saved_model manager]
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time

import numpy as np

import tfcompat as tf
from tfcompat import dtypes, engine
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
        function = folder.put("functions", ".stablehlo", str(value).encode() * 1000)
        arrays = folder.put_arrays({"a": np.full(3000, value, np.float32)})
        folder.finish({"value": value, "function": function, "arrays": arrays})

    def values(self):
        folder = Folder(self._folder)
        manifest = folder.manifest()
        text = str(manifest["value"]).encode() * 1000
        assert folder.get(manifest["function"]) == text
        return {float(manifest["value"]), *np.unique(folder.get_arrays(manifest["arrays"])["a"]).tolist()}


class Manager:
    """The last two of many checkpoints, and the file that says which they are."""

    def __init__(self, folder):
        self._folder, self._variables = folder, [tf.Variable(np.zeros(3000, np.float32)) for _ in range(2)]
        self._checkpoint = tf.train.Checkpoint(variables=self._variables)

    def save(self, value):
        # Leaves, as a child of a process must not compute with JAX.
        for variable in self._variables:
            variable._node = engine.leaf(np.full(3000, value, np.float32))
        self._checkpoint.save_counter._node = engine.leaf(np.int64(abs(value)))
        manager = tf.train.CheckpointManager(self._checkpoint, self._folder, max_to_keep=2)
        manager.save(checkpoint_number=abs(int(value)))

    def values(self):
        manager = tf.train.CheckpointManager(self._checkpoint, self._folder, max_to_keep=2)
        self._checkpoint.restore(manager.latest_checkpoint).assert_consumed()
        return {float(x) for variable in self._variables for x in np.unique(variable.numpy())}


KINDS = {"checkpoint": Checkpoint, "saved_model": SavedModel, "manager": Manager}
LEFT = {"checkpoint": 2, "saved_model": 4}  # files; of a manager those of saves that it has no note of may be more


def kill(kind, moments, seed=0):
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
            child = os.fork()
            if not child:
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-4, 5 * took))
                value = 1000 * turn
                while True:
                    value += 1
                    saver.save(value)
            rng.random()
            os.waitpid(child, 0)
            values = saver.values()
            assert len(values) == 1, f"{kind}: moment {turn}: parts of several saves, {values}"
            seen |= values
        saver.save(-1)
        left = sum(len(files) for _, _, files in os.walk(folder))
        assert left == LEFT.get(kind, left), f"{kind}: saves that were killed left files"
    return len(seen)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moments", type=int, default=200)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    options = parser.parse_args(argv)
    for kind in options.kinds:
        seen = kill(kind, options.moments)
        print(f"{kind}: {options.moments} processes killed, whole after each; {seen} different values", flush=True)
        assert seen > options.moments // 40, "too few saves came to their end to tell anything"
    return 0


if __name__ == "__main__":
    sys.exit(main())
