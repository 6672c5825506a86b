"""Measures the memory of one peer running one workload, as a program: prints a line of JSON.

    python -m benchmarks.resident peak PEER WORKLOAD STEPS      megabytes
    python -m benchmarks.resident growth PEER WORKLOAD STEPS    per cent

Peak: the most that is resident during STEPS steps after warming up, less what was resident once the framework was
imported and had run one operation. Freed memory is given back to the system before either is read, so that what the
compiler used meanwhile does not count.

Growth: by how much resident memory is larger after STEPS steps than after the 500th (or after a twentieth).
"""

import ctypes
import gc
import json
import pathlib
import sys

import numpy as np

from benchmarks import peers, workloads

WARM_UP_STEPS = 10
STATUS = pathlib.Path("/proc/self/status")


def main(kind, peer, name, steps):
    if not STATUS.exists():
        return print(json.dumps({"missing": "resident memory is read from /proc, which is Linux's"}))
    workload = workloads.load(name)
    try:
        workload.check(peer)
        warm_framework(peers.PEERS[peer].framework)
        before = settled()
        step, arguments = peers.PEERS[peer].make(workload)
    except (ImportError, workloads.Missing) as error:
        return print(json.dumps({"missing": str(error)}))
    measured = {"peak": peak, "growth": growth}[kind]
    print(json.dumps(measured(step, arguments, int(steps), before)))


def peak(step, arguments, steps, before):
    results = warm_up(step, arguments)
    warm = settled()
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew from here
    for _ in range(steps):
        value = step(*arguments)
    np.asarray(value)
    highest = resident("VmHWM")
    return {"value": highest - before, "results": results, "framework": before, "idle": warm - before}


def growth(step, arguments, steps, before):
    results = warm_up(step, arguments)
    early = min(500, steps // 20 + 1)
    sizes = []
    for i in range(steps):
        value = step(*arguments)
        if i + 1 in (early, steps):
            np.asarray(value)
            sizes.append(settled())
    return {"value": 100 * (sizes[-1] / sizes[0] - 1), "results": results, "resident": sizes, "framework": before}


def warm_up(step, arguments):
    """The first results, each read; then a few steps whose results nobody reads, as in what is measured."""
    results = [float(np.asarray(step(*arguments))) for _ in range(WARM_UP_STEPS)]
    for _ in range(WARM_UP_STEPS):
        value = step(*arguments)
    np.asarray(value)
    return results


def warm_framework(framework):
    """Imports it and runs one operation, so that what it sets up once is there."""
    if framework in ("tfcompat", "jax"):
        import jax

        jax.block_until_ready(jax.jit(lambda x: x + 1)(1.0))
    if framework == "tfcompat":
        import tfcompat

        np.asarray(tfcompat.add(1.0, 1.0))
    elif framework == "tensorflow":
        import tensorflow

        np.asarray(tensorflow.add(1.0, 1.0))
    elif framework == "torch":
        import torch

        np.asarray(torch.add(torch.tensor(1.0), 1.0))


def settled():
    """Resident megabytes once garbage is collected and freed memory is back with the system."""
    gc.collect()
    if hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
        libc.malloc_trim(0)
    return resident("VmRSS")


def resident(field):
    for line in STATUS.read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024 / 1e6
    raise KeyError(field)


if __name__ == "__main__":
    main(*sys.argv[1:])
