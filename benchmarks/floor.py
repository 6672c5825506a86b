"""How near to `jax.jit` a step can come whose operations are called from Python, one by one.

    python -m benchmarks.floor [--workloads mlp_adam pgd ...] [--rounds 60]

For each step of many small operations: how many operations and tapes tfcompat has in a step, and three loops in turns:
of hand-written `jax.jit`; of the same and as many of the least operations and tapes that Python can have; of tfcompat.
The least operation looks at two inputs, looks its call up by their types, makes a node and a tensor, and puts the node
on a list; the least tape notes the operations on what it watches, and compares them with those of last time; at the end
of a step its operations are compared with those of last time, and forgotten. No check, no variable, no shape, no array
of a program: whatever is added to it lifts the floor. Results are read at each step where the benchmark reads them.
Times are medians.
"""

import argparse
import statistics
import time

import numpy as np

from benchmarks import peers, workloads

SMALL_STEPS = (
    "mlp_step", "mlp_adam", "input_gradient_regularization", "fgsm_step", "pgd", "jacobian", "jacobian_of_layer", "hvp",
    "gru_loop",
)  # fmt: skip
WARM_TURNS = 16_000  # of the innermost loop: by then all is compiled that will be
SECONDS = 0.05       # of each loop in a round


class _Node:
    __slots__ = ("call", "inputs", "aval", "value")


class _Tensor:
    __slots__ = ("node", "__weakref__")


class _Tape:
    __slots__ = ("records", "watched")

    def __init__(self):
        self.records, self.watched = [], set()


class LeastEngine:
    """What records operations in Python must do at least."""

    def __init__(self):
        self.pending, self.tapes = [], ()
        self.last_step, self.last_walk = None, None
        self.start = _Tensor()
        self.start.node = _Node()
        self.start.node.aval = object()
        self.calls = {(self.start.node.aval, self.start.node.aval): object()}

    def operation(self, x, y):
        x, y = x.node, y.node
        inputs = (x, y)
        call = self.calls.get((x.aval, y.aval))
        node = _Node()
        node.call, node.inputs, node.aval, node.value = call, inputs, x.aval, None
        self.pending.append(node)
        for tape in self.tapes:
            if not tape.watched.isdisjoint(inputs):
                tape.records.append((call, inputs, node))
                tape.watched.add(node)
        tensor = _Tensor()
        tensor.node = node
        return tensor

    def walk(self, tape):
        """A gradient: recognised by the calls and nodes on the tape, and one operation."""
        calls, nodes = [], []
        for call, inputs, node in tape.records:
            calls.append(call)
            nodes += inputs
            nodes.append(node)
        if calls != self.last_walk:
            self.last_walk = calls
        tape.records.clear()
        tape.watched.clear()
        return self.operation(self.start, self.start)

    def run(self):
        """The end of a step: recognised by its calls and their inputs."""
        calls, sources = [], []
        for node in self.pending:
            calls.append(node.call)
            sources += node.inputs
        if calls != self.last_step:
            self.last_step = calls
        for node in self.pending:
            node.inputs = ()
        self.pending.clear()

    def step(self, operations, observed, tapes):
        """A step of so many operations, of which so many are noted on so many tapes, one after another."""
        tensor = self.start
        for _ in range(tapes):
            tape = _Tape()
            tape.watched.add(tensor.node)
            self.tapes = (tape,)
            for _ in range(observed // tapes):
                tensor = self.operation(tensor, self.start)
            self.tapes = ()
            tensor = self.walk(tape)
        for _ in range(operations - observed - tapes):
            tensor = self.operation(tensor, self.start)
        self.run()


def counted(step, arguments):
    """(operations recorded, operations noted by tapes, tapes) of a step."""
    import tfcompat
    from tfcompat import engine

    counts = {"noted": 0, "tapes": 0}

    class Tape(tfcompat.GradientTape):
        def __enter__(self):
            counts["tapes"] += 1
            return super().__enter__()

        def observe(self, *entry):
            counts["noted"] += 1
            super().observe(*entry)

    original, tfcompat.GradientTape = tfcompat.GradientTape, Tape
    try:
        before = engine.stats()["ops_recorded"]
        np.asarray(step(*arguments))
        return engine.stats()["ops_recorded"] - before, counts["noted"], counts["tapes"]
    finally:
        tfcompat.GradientTape = original


def loop(step, read, turns):
    """Seconds of each of so many turns."""
    begin = time.perf_counter()
    for _ in range(turns):
        value = step()
        if read:
            np.asarray(value)
    np.asarray(value)
    return (time.perf_counter() - begin) / turns


def measure(name, rounds):
    """Medians: seconds of jax.jit, counts of a step, and the ratios of the least and of tfcompat to jax.jit."""
    workload = workloads.load(name)
    read = workload.read_every_step
    jitted, jitted_arguments = peers.PEERS["jax"].make(workload)
    step, arguments = peers.PEERS["tfcompat"].make(workload)
    least = LeastEngine()

    def by_hand():
        return jitted(*jitted_arguments)

    def least_and_by_hand():
        least.step(operations, observed, tapes)
        return jitted(*jitted_arguments)

    def ours():
        return step(*arguments)

    np.asarray(step(*arguments))
    tapes = counted(step, arguments)[2]
    loop(ours, read, max(300, WARM_TURNS // max(tapes, 1)))
    operations, observed, tapes = counts = counted(step, arguments)
    turns = max(3, int(SECONDS / loop(by_hand, read, 300)))
    times = [[loop(each, read, turns) for each in (by_hand, least_and_by_hand, ours)] for _ in range(rounds)]
    jit = statistics.median(t[0] for t in times)
    return jit, counts, *(statistics.median(t[k] / t[0] for t in times) for k in (1, 2))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workloads", nargs="+", default=SMALL_STEPS)
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    print("| step | jax.jit | operations, on tapes, tapes | floor | tfcompat |")
    print("|---|---|---|---|---|")
    for name in options.workloads:
        jit, counts, least, ours = measure(name, options.rounds)
        print(f"| {name} | {1e6 * jit:.0f} µs | {counts} | {least:.2f} | {ours:.2f} |", flush=True)


if __name__ == "__main__":
    main()
