"""Which malformed calls TensorFlow refuses, and how; see `ops/_malformed.py`. Parts are modules of cases.

For every symbol three calls are kept, less those in the cases themselves. TensorFlow ends the process at some
malformed calls, so each module is recorded in a process of its own, which is started anew behind such a call.
What tfcompat answers otherwise is left out, and printed; `--all` keeps it, so that the test shows it.

A second file, `malformed_whole.json.gz`, has TensorFlow's answer to every call that can be made of the cases, and that
of tfcompat where it differs. No others may differ; `--known` writes anew which do, and does not ask TensorFlow.
"""

import gzip
import json
import multiprocessing
import os
import tempfile

from cases._case import build_inputs
from cases._golden import cases_of, modules
from ops._malformed import GOLDEN, WHOLE, changes, good_calls, recorded_errors, refused, whole

from recording import _reference

WANTED = 3
TYPES = {"InvalidArgumentError", "ValueError", "TypeError", "NotFoundError", "UnimplementedError", "OutOfRangeError"}


def questions(tf, name):
    """`(case id, case, change)`, in an order in which kinds of changes alternate."""
    for case_id, case in good_calls(name):
        for change in changes(tf, case, build_inputs(case, case_id)):
            yield case_id, case, change


def ask(name, skipped, path):
    """Writes what TensorFlow raises to a file, line by line."""
    tf = _reference.tensorflow()
    with open(path, "a", encoding="utf-8") as file:
        for case_id, case, change in questions(tf, name):
            if (case_id, change) not in skipped:
                print(json.dumps([case_id, change]), file=file, flush=True)
                print(json.dumps([case_id, change, refused(tf, case, case_id, change)]), file=file, flush=True)


def answers(name):
    """`{(case id, change): type of the exception or None}` of TensorFlow."""
    asked = set()
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/answers"
        while True:
            process = multiprocessing.get_context("spawn").Process(target=ask, args=(name, asked, path))
            process.start()
            process.join()
            lines = []
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    lines = [json.loads(line) for line in file if line.endswith("\n")]
            asked_before, asked = asked, {tuple(line[:2]) for line in lines}
            answered = {tuple(line[:2]): line[2] for line in lines if len(line) == 3}
            if process.exitcode == 0:
                return answered
            if asked == asked_before:
                raise RuntimeError(f"{name}: the process that asks TensorFlow fails before it asks anything")
            print(f"{name}: TensorFlow ended at {asked - asked_before - set(answered)}")


def kind(change):
    """Rank, dtype or value."""
    return "value" if "=" in change else "rank" if " a " in change or " with" in change or " tw" in change else "dtype"


def _record_module(name, answered, everything):
    """The rows of a module: for each symbol the first of each kind of change, then others."""
    import tfcompat

    left = {symbol: WANTED - count for symbol, count in recorded_errors(name).items()}
    found = []
    for case_id, case in good_calls(name):
        names = [change for change in changes(tfcompat, case, build_inputs(case, case_id))]
        names = [change for change in names if answered.get((case_id, change)) in TYPES]
        firsts = {kind(change): change for change in reversed(names)}.values()
        for change in [*firsts, *(change for change in names if change not in firsts)]:
            if left[case.symbol] <= 0:
                break
            theirs, ours = answered[case_id, change], refused(tfcompat, case, case_id, change)
            if ours == theirs or everything:
                found.append([case_id, change, theirs])
                left[case.symbol] -= 1
            else:
                print(f"{case_id}, {change}: {theirs} in TensorFlow, here {ours}")
    return found


def _compared(name, answered):
    """Rows of `malformed_whole.json.gz`: TensorFlow's answers, with those of tfcompat that differ."""
    import tfcompat

    rows = []
    with tfcompat.engine.execution_mode("deferred"):
        for case_id, case, change in questions(tfcompat, name):
            if (case_id, change) in answered:  # TensorFlow ends the process at others
                theirs, ours = answered[case_id, change], refused(tfcompat, case, case_id, change)
                rows.append([case_id, change, theirs] if ours == theirs else [case_id, change, theirs, ours])
    return rows


def record(tf, options):
    table = json.loads(GOLDEN.read_text(encoding="utf-8")) if GOLDEN.exists() else {}
    everything = whole() if WHOLE.exists() else {}
    for name in options.parts or modules():
        if options.known:
            answered = {tuple(row[:2]): row[2] for row in everything[name]}
        else:
            answered = answers(name)
        table[name] = _record_module(name, answered, options.all)
        everything[name] = _compared(name, answered)
        text = json.dumps(everything, sort_keys=True).encode()
        WHOLE.write_bytes(gzip.compress(text, mtime=0))
        lines = [f'"{key}": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]" for key, rows in sorted(table.items())]
        GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def check(options):
    """Says which rows have no case any more."""
    table = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return [
        f"malformed: left over: {case_id}: {change}"
        for name in options.parts or modules()
        for case_id, change, _ in table.get(name, ())
        if case_id not in cases_of(name)
    ]
