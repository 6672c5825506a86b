"""Interrupts at random moments: the KeyboardInterrupt arrives, and what it leaves behind is consistent and usable.

    python tests/engine/interrupts.py [--moments 1000] [--seed 0] [--kinds eager function fit save compilation dataset]

Each kind repeats a step until a signal comes. Then all variables have the values of the last step or those of the one
before, in a function all of them those of the same step; the next steps give what they give without an interrupt.
"""

import argparse
import collections
import gc
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

import tfcompat as tf

LONGEST = 0.3  # s until the signal
LATEST = 30.0  # s after which it counts as lost
STEPS = 40     # of which the values are known; then everything starts again


def _close(value, known):
    """Whether a variable has a known value, as far as interpreted and compiled steps give the same."""
    return np.allclose(value, known, rtol=1e-4, atol=1e-6)


class Training:
    """A step of training; what its variables are after each of `STEPS` steps is known beforehand."""

    atomic = False  # whether a step assigns all variables or none

    def __init__(self, folder):
        self.x = tf.constant(np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4))
        self.w = tf.Variable(tf.ones([4, 2]))
        self.count = tf.Variable(0)
        self.optimizer = tf.keras.optimizers.Adam(0.1)
        self.optimizer.build([self.w])
        self.variables = [self.w, self.count, *self.optimizer.variables]
        self.start = self.values()
        self.known = [self.start]
        for _ in range(STEPS + 2):
            self.step()
            self.known.append(self.values())
        self.again()

    def values(self):
        return [v.numpy() for v in self.variables]

    def again(self):
        for variable, value in zip(self.variables, self.start, strict=True):
            variable.assign(value)
        self.done = 0

    def step(self):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.x @ self.w) ** 2)
        self.optimizer.apply_gradients([(tape.gradient(loss, self.w), self.w)])
        self.count.assign_add(1)

    def turn(self):
        if self.done == STEPS:
            self.again()
        self.step()
        self.done += 1

    def check(self):
        values = self.values()
        steps = [
            {n for n in (self.done - 1, self.done, self.done + 1) if n >= 0 and _close(value, self.known[n][i])}
            for i, value in enumerate(values)
        ]
        steps.append({0} if all(map(np.array_equal, values, self.start)) else set())  # interrupted in `again`
        if self.atomic:
            assert set.intersection(*steps[:-1]) or steps[-1] or self.done in (0, STEPS), (self.done, steps)
        else:
            assert all(steps[:-1]) or self.done in (0, STEPS), (self.done, steps)
        self.again()
        for n in range(3):
            self.step()
            for value, known in zip(self.values(), self.known[n + 1], strict=True):
                assert _close(value, known)
        self.again()


class Eager(Training):
    pass


class Function(Training):
    atomic = True

    def __init__(self, folder):
        self._step = tf.function(lambda: Training.step(self))
        super().__init__(folder)

    def step(self):
        self._step()


class Fit:
    """`fit`, one batch a step."""

    def __init__(self, folder):
        x = np.linspace(-1, 1, 80, dtype=np.float32).reshape(20, 4)
        self.data = tf.data.Dataset.from_tensor_slices((x, x[:, :1])).batch(1).prefetch(1)
        self.model = tf.keras.Sequential([tf.keras.layers.Dense(3, "tanh"), tf.keras.layers.Dense(1)])
        self.model.compile("adam", "mse")
        self.model.build([None, 4])
        self.model.optimizer.build(self.model.trainable_variables)
        self.variables = [*self.model.variables, *self.model.optimizer.variables]
        self.start = [v.numpy() for v in self.variables]
        self.known = [self.start]
        note = tf.keras.callbacks.LambdaCallback(
            on_train_batch_end=lambda batch, logs: self.known.append([v.numpy() for v in self.variables])
        )
        self.model.fit(self.data, verbose=0, callbacks=[note])
        self.again()

    def again(self):
        for variable, value in zip(self.variables, self.start, strict=True):
            variable.assign(value)

    def turn(self):
        self.again()
        self.model.fit(self.data, verbose=0)

    def check(self):
        values = [v.numpy() for v in self.variables]
        steps = [
            {n for n, known in enumerate(self.known) if _close(value, known[i])}
            for i, value in enumerate(values)
        ]
        begun = all(n & {0, len(self.known) - 1} for n in steps)  # interrupted in `again`
        assert set.intersection(*steps) or begun, steps
        self.turn()
        for variable, known in zip(self.variables, self.known[-1], strict=True):
            np.testing.assert_allclose(variable.numpy(), known, rtol=1e-4, atol=1e-5)


class Save:
    """A checkpoint and a file of weights, written again and again."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.v = tf.Variable(tf.zeros([1000]))
        self.model = tf.keras.Sequential([tf.keras.layers.Dense(100, input_shape=(10,))])
        self.number = 0
        self.turn()

    def turn(self):
        self.number += 1
        self.v.assign(tf.fill([1000], float(self.number)))
        self.model.set_weights([np.full([10, 100], self.number), np.full([100], self.number)])
        tf.train.Checkpoint(v=self.v).write(str(self.folder / "checkpoint"))
        self.model.save_weights(str(self.folder / "w.weights.h5"))

    def check(self):
        numbers = {self.number - 1, self.number}
        v = tf.Variable(tf.zeros([1000]))
        tf.train.Checkpoint(v=v).read(str(self.folder / "checkpoint")).assert_consumed()
        assert {*v.numpy().tolist()} in [{n} for n in numbers], (v, numbers)
        other = tf.keras.Sequential([tf.keras.layers.Dense(100, input_shape=(10,))])
        other.load_weights(str(self.folder / "w.weights.h5"))
        assert {*np.concatenate([w.ravel() for w in other.get_weights()])} in [{n} for n in numbers]
        self.turn()
        assert self.v.numpy()[0] == self.number


class Compilation:
    """Structures that are new each time: traced, interpreted or compiled."""

    def __init__(self, folder):
        self.v = tf.Variable(0.0)
        self.number = self.added = 0

    def turn(self):
        self.number += 1
        x = tf.ones([2 + self.number % 50, 1 + self.number % 7, 1 + self.number % 3])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sin(x) + tf.cos(x) * tf.reduce_mean(x, axis=self.number % 3, keepdims=True))
        tape.gradient(y, x).numpy()
        self.v.assign_add(1.0)
        self.added += 1

    def check(self):
        assert self.v.numpy() in (self.added, self.added + 1), (self.v, self.added)
        self.added = int(self.v.numpy())
        self.turn()
        assert self.v.numpy() == self.added


class Dataset:
    """An iterator that computes elements ahead; none is lost but the one that was asked for."""

    def __init__(self, folder):
        self.data = tf.data.Dataset.range(10**9).map(lambda x: x * 2).batch(3).prefetch(2)
        self.begin()

    def begin(self):
        self.iterator, self.next = iter(self.data), 0

    def turn(self):
        if self.next >= 3000:  # after an interrupt all elements so far are computed again
            self.begin()
        value = next(self.iterator).numpy()
        assert value.tolist() == [2 * (self.next + k) for k in range(3)], (value, self.next)
        self.next += 3

    def check(self):
        first = int(next(self.iterator).numpy()[0]) // 2
        assert first in (self.next, self.next + 3), (first, self.next)
        self.next = first + 3
        self.turn()


KINDS = {kind.__name__.lower(): kind for kind in (Eager, Function, Fit, Save, Compilation, Dataset)}


INTERRUPTER = "import os, sys, time\nfor line in sys.stdin: time.sleep(float(line)); os.kill(os.getppid(), 2)"


def interrupted(kind, delay, interrupter):
    """Repeats the turns of `kind` until an interrupt comes, and checks what it has left."""
    deadline = time.monotonic() + LATEST
    try:
        print(delay, file=interrupter.stdin, flush=True)
        while time.monotonic() < deadline:
            kind.turn()
        raise AssertionError(f"an interrupt of {type(kind).__name__} is lost")
    except KeyboardInterrupt:
        pass
    kind.check()


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moments", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    options = parser.parse_args(argv)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    interrupter = subprocess.Popen([sys.executable, "-c", INTERRUPTER], stdin=subprocess.PIPE, text=True)
    gc.set_threshold(50)  # collections are moments of their own
    random, counts = np.random.default_rng(options.seed), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        kinds = {name: KINDS[name](folder) for name in options.kinds}
        for number in range(options.moments):
            name = options.kinds[number % len(options.kinds)]
            interrupted(kinds[name], random.uniform(1e-4, LONGEST), interrupter)
            counts[name] += 1
    interrupter.kill()
    print(", ".join(f"{name} {count}" for name, count in counts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
