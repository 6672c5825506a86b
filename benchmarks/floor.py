"""How near to `jax.jit` a step can come whose operations are called from Python, one by one.

    python -m benchmarks.floor [--workloads mlp_adam pgd ...] [--rounds 300]

For each step of many small operations: the time of hand-written `jax.jit`, how many operations tfcompat records, and
what as many calls of the least that can be called an operation take right after the jitted step, as they come in a
program: two inputs are looked at, a call is looked up by their types, a node and a tensor are made, the node is put on
a list. The floor is the sum of both, in units of `jax.jit`; beside it what tfcompat takes in the same rounds. No tape,
no variable, no program to be found: whatever is added to it lifts the floor. Times are medians, in microseconds.
"""

import argparse
import statistics
import time

import numpy as np

from benchmarks import peers, workloads

SMALL_STEPS = ("mlp_step", "mlp_adam", "input_gradient_regularization", "fgsm_step", "pgd", "jacobian", "gru_loop")


class _Node:
    __slots__ = ("call", "inputs", "aval", "value")


class _Tensor:
    __slots__ = ("node", "__weakref__")


def _least_operation(nodes):
    """A function of two tensors that does no more than record that it was called."""
    calls = {}

    def operation(x, y):
        x, y = x.node, y.node
        call = calls.get((x.aval, y.aval))
        node = _Node()
        node.call, node.inputs, node.aval, node.value = call, (x, y), x.aval, None
        nodes.append(node)
        tensor = _Tensor()
        tensor.node = node
        return tensor

    start = _Tensor()
    start.node = _Node()
    start.node.aval = object()
    calls[start.node.aval, start.node.aval] = object()
    return operation, start


def _timed(step, *arguments):
    start = time.perf_counter()
    np.asarray(step(*arguments))
    return 1e6 * (time.perf_counter() - start)


def measure(name, rounds):
    """(microseconds of jax.jit, operations, microseconds of as many of the least, microseconds of tfcompat)."""
    from tfcompat import engine

    workload = workloads.load(name)
    jitted, jitted_arguments = peers.PEERS["jax"].make(workload)
    step, arguments = peers.PEERS["tfcompat"].make(workload)
    for _ in range(100):
        _timed(jitted, *jitted_arguments)
        _timed(step, *arguments)
    before = engine.stats()["ops_recorded"]
    _timed(step, *arguments)
    count = engine.stats()["ops_recorded"] - before
    nodes = []
    operation, start = _least_operation(nodes)
    times = []
    for _ in range(rounds):
        of_jit = _timed(jitted, *jitted_arguments)
        nodes.clear()
        begin = time.perf_counter()
        tensor = start
        for _ in range(count):
            tensor = operation(tensor, start)
        of_least = 1e6 * (time.perf_counter() - begin)
        times.append((of_jit, of_least, _timed(step, *arguments)))
    of_jit, of_least, ours = map(statistics.median, zip(*times, strict=True))
    return of_jit, count, of_least, ours


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workloads", nargs="+", default=SMALL_STEPS)
    parser.add_argument("--rounds", type=int, default=300)
    options = parser.parse_args()
    print("| step | jax.jit | operations | the least in Python | floor | tfcompat |")
    print("|---|---|---|---|---|---|")
    for name in options.workloads:
        of_jit, count, of_least, ours = measure(name, options.rounds)
        print(
            f"| {name} | {of_jit:.0f} µs | {count} | {of_least:.0f} µs | {1 + of_least / of_jit:.2f} "
            f"| {ours / of_jit:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
