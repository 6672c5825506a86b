"""Runs one program on one peer: `python -m benchmarks.first_runs.child PEER PROGRAM`; prints a line of JSON.

What is measured begins once the framework and its Keras are imported, and ends when the program has all its numbers:
`seconds` on the clock, `processor` seconds of all threads. `report` is what the program has computed.
"""

import importlib
import json
import os
import pathlib
import runpy
import sys
import time

PROGRAMS = pathlib.Path(__file__).parent / "programs"


def main(peer, program):
    # Programs and libraries may print; the answer goes where nothing else does.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    path = PROGRAMS / f"{program}.py"
    if peer == "tfcompat":
        from tfcompat._tools._install import install

        install()
    try:
        tf = importlib.import_module("tensorflow")
        assert tf.keras.layers.Dense  # imported here, not when a program first asks for it
        if "tensorflow_probability" in path.read_text(encoding="utf-8"):
            importlib.import_module("tensorflow_probability").distributions  # noqa: B018, so is this
    except ImportError as error:
        answer = {"missing": str(error)}
    else:
        begin, processor = time.perf_counter(), time.process_time()
        report = runpy.run_path(str(path), run_name="__main__")["report"]
        seconds, processor = time.perf_counter() - begin, time.process_time() - processor
        answer = {"seconds": seconds, "processor": processor, "report": report}
    print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
