"""Memory: peak of a step above what the framework itself takes, and growth of resident memory in a long loop.

Each figure is of a process of its own; `benchmarks/resident.py` says how it is measured. Linux only.
"""

import sys

from benchmarks import peers, processes

SIZES = {
    "memory_mlp_step_wide": {"of": "mlp_step_wide", "steps": 20},
    "memory_resnet": {"of": "resnet", "steps": 10},
    "memory_growth": {"of": "mlp_step", "steps": 10_000},
}
TITLES = {
    "memory_mlp_step_wide": "Peak memory of mlp_step_wide, above that of the imported framework",
    "memory_resnet": "Peak memory of resnet, above that of the imported framework",
    "memory_growth": "Growth of resident memory from step 500 of mlp_step to step 10,000",
}
UNIT = {"memory_mlp_step_wide": "MB", "memory_resnet": "MB", "memory_growth": "%"}
SMALL = {"steps": 5}
MOST_ROUNDS = 3


def measure(peer, limit, of, steps):
    kind = "growth" if of == "mlp_step" else "peak"
    command = [sys.executable, "-m", "benchmarks.resident", kind, peer, of, str(steps)]
    # Every large buffer is mapped by itself and given back when freed: what is resident is what is alive.
    variables = peers.environment() | {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
    return processes.answer(command, variables, limit)
