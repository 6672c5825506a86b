"""Records what TensorFlow answers to the cases in `tests/cases/`; the one test file that imports it.

    python tests/record_golden.py              records every case that has no golden, or an outdated one
    python tests/record_golden.py math linalg  the same, for these modules of cases only
    python tests/record_golden.py --all        records everything anew
    python tests/record_golden.py --check      lists what is missing, outdated or left over (no TensorFlow)
    python tests/record_golden.py --signatures records the signatures of TensorFlow's public API
    python tests/record_golden.py --names      records the names of its namespaces of ops

Fails, naming the case, when TensorFlow rejects a call that is not marked `.raises()`, or accepts one that is.
"""

import argparse
import json
import os
import pathlib
import platform
import sys

TESTS = pathlib.Path(__file__).parent
sys.path.insert(0, str(TESTS))

from cases import _golden  # noqa: E402
from cases._evaluate import collect, evaluate  # noqa: E402
from cases._golden import cases_of, modules  # noqa: E402


def import_tensorflow():
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    import tensorflow as tf

    # One thread, so that sums come out in the same order on each recording.
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.get_logger().setLevel("ERROR")
    return tf


def record(name, everything):
    """Records one module; returns the complaints."""
    cases = cases_of(name)
    digests = {case_id: _golden.digest(case, case_id) for case_id, case in cases.items()}
    outcomes, known = _golden.load(name)
    wanted = [case_id for case_id in cases if everything or known.get(case_id) != digests[case_id]]
    leftover = set(outcomes) - set(cases)
    if not wanted and not leftover:
        return []
    tf = import_tensorflow()
    complaints = []
    for case_id in wanted:
        outcomes.pop(case_id, None)
        try:
            outcome = collect(evaluate(tf, cases[case_id], case_id))
        except Exception as error:
            complaints.append(
                f"{name}: {case_id}: {type(error).__name__}: {' '.join(str(error).split())[:300]}"
            )
            continue
        if cases[case_id].expect_error and outcome.error is None:
            complaints.append(f"{name}: {case_id}: marked .raises(), but TensorFlow accepts it")
            continue
        outcomes[case_id] = outcome
    for case_id in leftover:
        del outcomes[case_id]
    import numpy as np

    header = {
        "tensorflow": tf.__version__,
        "numpy": np.__version__,
        "platform": f"{platform.system()}-{platform.machine()}",
    }
    _golden.save(name, header, outcomes, digests)
    print(
        f"{name}: {len(wanted) - len(complaints)} recorded, {len(leftover)} dropped, {len(outcomes)} in all"
    )
    return complaints


def check(name):
    """Says which cases of a module have no golden, an outdated one, or which goldens have no case."""
    cases = cases_of(name)
    outcomes, known = _golden.load(name)
    found = [f"{name}: missing: {case_id}" for case_id in cases if case_id not in known]
    found += [
        f"{name}: outdated: {case_id}"
        for case_id, case in cases.items()
        if case_id in known and known[case_id] != _golden.digest(case, case_id)
    ]
    return found + [f"{name}: left over: {case_id}" for case_id in outcomes if case_id not in cases]


def main():
    parser = argparse.ArgumentParser(description="Records TensorFlow's answers to the golden cases.")
    parser.add_argument("modules", nargs="*", help="modules of cases; default all")
    parser.add_argument("--all", action="store_true", help="record up-to-date goldens again, too")
    parser.add_argument(
        "--check", action="store_true", help="record nothing, list what is missing or outdated"
    )
    parser.add_argument("--signatures", action="store_true", help="record golden/signatures.json")
    parser.add_argument("--names", action="store_true", help="record golden/public_names.json")
    options = parser.parse_args()
    if options.signatures:
        from _signatures import signatures

        lines = [
            f"{json.dumps(symbol)}: {json.dumps(entry)}"
            for symbol, entry in sorted(signatures(import_tensorflow()).items())
        ]
        (TESTS / "golden" / "signatures.json").write_text(
            "{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8"
        )
        return 0
    if options.names:
        from _signatures import public_names

        found = public_names(import_tensorflow())
        lines = [f"{json.dumps(space)}: {json.dumps(known)}" for space, known in found.items()]
        (TESTS / "golden" / "public_names.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        return 0
    complaints = []
    for name in options.modules or modules():
        complaints += check(name) if options.check else record(name, options.all)
    print("\n".join(complaints) or "every case has its golden")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
