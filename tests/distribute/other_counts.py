"""Runs the rows of this folder on other numbers of replicas than were recorded, here and in TensorFlow, and compares.

    python -m tests.distribute.other_counts --tensorflow PYTHON [--replicas 4 8] [-- PART ...]

A line tells where a row, of those with a PART in their name, gives something else; a count comes at the end. Rows that
say how many replicas they have are left out, those of meshes, and those in which tfcompat differs on purpose. In
TensorFlow collectives of several strategies get in each other's way: where rows end in an InternalError, run fewer.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tensorflow", required=True, help="a Python with TensorFlow and tf_keras")
    parser.add_argument("--replicas", type=int, nargs="+", default=[4, 8])
    parser.add_argument("--child", nargs=2, metavar=("PACKAGE", "FILE"), help=argparse.SUPPRESS)
    parser.add_argument("parts", nargs="*")
    options = parser.parse_args()
    if options.child:
        _run(*options.child, options.parts)
        return
    from rows import differences

    for count in options.replicas:
        ours, theirs = (
            _results(python, package, count, options.parts)
            for python, package in ((sys.executable, "tfcompat"), (options.tensorflow, "tensorflow"))
        )
        equal = failed = 0
        for name, want in theirs.items():
            got = ours.get(name, {"failed": "not run"})
            different = list(differences(got, want))
            failed += isinstance(want, dict) and "failed" in want and not different
            equal += not different
            for line in different:
                print(f"{count} {name}: {line}")
        print(f"{count} replicas: {equal} of {len(theirs)} rows give the same; {failed} of them fail in both")


def _results(python, package, count, parts):
    """What rows give, by name, in a process of its own: JSON, or {"failed": class of the exception}."""
    environment = os.environ | {"TFCOMPAT_TESTS_REPLICAS": str(count), "JAX_PLATFORMS": "cpu"}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "results")
        command = [python, __file__, "--tensorflow", "", "--child", package, path, *parts]
        subprocess.run(command, env=environment, cwd=TESTS.parent, check=True)
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def _run(package, path, parts):
    from recording import _reference

    from distribute._replicas import COUNT

    if package == "tensorflow":
        tf = _reference.tensorflow()
    else:
        import tfcompat as tf
    _reference.divide(tf, max(4, COUNT))
    from rows import load_rows

    results: dict = {}
    for name, row in load_rows("distribute").items():
        chosen = not parts or any(part in name for part in parts)
        if not chosen or row.differs or "replicas" in row.choices or name.startswith("dtensor."):
            continue
        if package == "tensorflow":
            _reference.forget()
        try:
            results[name] = row.run(tf)
        except Exception as error:
            results[name] = {"failed": type(error).__name__}
            traceback.print_exc()
    with open(path, "w", encoding="utf-8") as file:
        json.dump(results, file)


if __name__ == "__main__":
    main()
