"""One peer running one workload in a process of its own, on orders from the parent.

Orders and answers are lines of JSON. `{"steps": n}` runs n steps and answers with the seconds they
took, up to the moment the last value could be read.
"""

import json
import os
import sys
import time

import numpy as np

from benchmarks import workloads
from benchmarks.peers import PEERS

COMPARED_STEPS = 10
WARM_UP_SECONDS = 1.0


def main(peer, name):
    # Libraries may print; the answers go where nothing else does.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)

    def answer(**fields):
        print(json.dumps(fields), file=answers, flush=True)

    try:
        step, arguments = PEERS[peer][1](workloads.load(name))
    except ImportError as error:
        return answer(missing=str(error))

    begin = time.perf_counter()
    results = [np.asarray(step(*arguments), "float64").tolist() for _ in range(COMPARED_STEPS)]
    answer(results=results, first_seconds=time.perf_counter() - begin)

    timed(step, arguments, 3)
    steps, end = 4, time.perf_counter() + WARM_UP_SECONDS
    while time.perf_counter() < end:
        seconds = timed(step, arguments, steps)
        if seconds < 0.1:
            steps *= 2
    answer(seconds_per_step=seconds / steps)

    for line in sys.stdin:
        answer(seconds=timed(step, arguments, json.loads(line)["steps"]))


def timed(step, arguments, steps):
    begin = time.perf_counter()
    for _ in range(steps):
        value = step(*arguments)
    np.asarray(value)
    return time.perf_counter() - begin


if __name__ == "__main__":
    main(*sys.argv[1:])
