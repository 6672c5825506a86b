"""One peer running one workload in a process of its own, on orders from the parent.

Orders and answers are lines of JSON. `{"steps": n}` runs n steps and answers with the seconds they
took, up to the moment the last value could be read.
"""

import json
import os
import sys
import time
import traceback

import numpy as np

from benchmarks import peers, workloads

WARM_UP_SECONDS = 1.0        # at least; tfcompat takes longer:
GATHERED = 16_000            # steps, by which turns of small ones are gathered (`engine/compile/unrolling`),
LONG_WARM_UP = 10.0          # but no longer than so many seconds, if there were
FULLY_COMPILED = 150         # steps, by which programs are fully compiled, and take their memory in pieces,
LONGEST_WARM_UP = 30.0       # or so many seconds
SHORT_TURN = 0.1  # seconds; warming up doubles the number of steps until a turn takes so long
LISTED = 64       # results with more elements are compared by some of them and by sums


def main(peer, name, small):
    # Libraries may print; the answers go where nothing else does.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)

    def answer(**fields):
        print(json.dumps(fields), file=answers, flush=True)

    workload = workloads.load(name, small == "small")
    try:
        workload.check(peer)
        step, arguments = peers.PEERS[peer].make(workload)
    except (ImportError, workloads.Missing) as error:
        return answer(missing=str(error))
    try:
        serve(peer, workload, step, arguments, answer)
    except Exception as error:
        traceback.print_exc()
        answer(failed="".join(traceback.format_exception_only(error)).strip()[:500])


def serve(peer, workload, step, arguments, answer):
    begin = time.perf_counter()
    results = [listed(step(*arguments))]
    first = time.perf_counter() - begin
    results += [listed(step(*arguments)) for _ in range(workload.compared_steps - 1)]
    answer(results=results, first_step_seconds=first, device=peers.device(peer))

    read = workload.read_every_step
    steps, done, begin = 1, 0, time.perf_counter()
    while True:
        seconds = timed(step, arguments, steps, read)
        done, passed = done + steps, time.perf_counter() - begin
        if is_warm(peer.startswith("tfcompat"), done, passed):
            break
        if seconds < SHORT_TURN:
            steps *= 2
    answer(seconds_per_step=seconds / steps, compiled=peers.programs_compiled(peer))

    for line in sys.stdin:
        seconds = timed(step, arguments, json.loads(line)["steps"], read)
        answer(seconds=seconds, compiled=peers.programs_compiled(peer))


def is_warm(ours, steps, seconds):
    """Whether a peer has warmed up enough after so many steps, which took so many seconds."""
    if not ours or seconds <= WARM_UP_SECONDS:
        return seconds > WARM_UP_SECONDS
    if seconds > LONG_WARM_UP:
        return steps >= FULLY_COMPILED or seconds > LONGEST_WARM_UP
    return steps >= GATHERED


def timed(step, arguments, steps, read):
    begin = time.perf_counter()
    for _ in range(steps):
        value = step(*arguments)
        if read:
            np.asarray(value)
    np.asarray(value)
    return time.perf_counter() - begin


def listed(value):
    """The numbers by which a result is compared."""
    flat = np.asarray(value, "float64").ravel()
    if flat.size <= LISTED:
        return flat.tolist()
    some = flat[:: flat.size // LISTED + 1]
    norm = np.sqrt(np.mean(flat**2))
    return [*some.tolist(), norm, float(flat.mean())]


if __name__ == "__main__":
    main(*sys.argv[1:])
