"""The rows of a folder, and the cases that stand beside them in layers/ and training/.

With parts, or `--print`, what was run is printed rather than written, but for `--new`.
"""

import importlib
import json

import numpy as np
from rows import GOLDEN, load_rows

from recording import _reference


def record(tf, options):
    complaints = []
    for golden, kind, cases, rows in _tables(options.name):
        complaints += _record_table(tf, golden, kind, cases, rows, options)
    if options.name == "functional" and not (complaints or options.parts or options.new or options.print):
        importlib.import_module("recording._model_files").write(tf)
    return complaints


def check(options):
    """Says what has no recording, and which recordings have no row."""
    complaints = []
    for golden, kind, cases, rows in _tables(options.name):
        held = json.loads((GOLDEN / f"{golden}.json").read_text(encoding="utf-8"))
        for part, wanted in ((kind, cases), ("rows", rows)):
            known = held.get(part, {})
            complaints += [f"{golden}: missing: {name}" for name in wanted if name not in known]
            complaints += [f"{golden}: left over: {name}" for name in known if name not in wanted]
    return complaints


def _tables(folder):
    """(golden, kind of the cases, {name: function of tf that gives (facts, arrays)}, {name: Row})."""
    rows = load_rows(folder)
    if folder == "layers":
        cases = importlib.import_module("layers._cases")
        evaluate = importlib.import_module("layers._evaluate").evaluate
        for table, of_table in cases.TABLES.items():
            own = {case.name: lambda tf, case=case: evaluate(case, tf) for case in of_table()}
            yield table, "layers", own, {name: row for name, row in rows.items() if cases.table_of(name) == table}
    elif folder == "training":
        cases = importlib.import_module("training._cases").CASES
        yield "training", "cases", {case.name: _fresh(case.evaluate) for case in cases}, rows
    else:
        yield {"tape": "tape_rows"}.get(folder, folder), None, {}, rows


def _fresh(evaluate):
    def evaluated(tf):
        tf.keras.backend.clear_session()
        return evaluate(tf)

    return evaluated


def _record_table(tf, golden, kind, cases, rows, options):
    facts, arrays, results, complaints = {}, {}, {}, []
    path = GOLDEN / f"{golden}.json"
    held = json.loads(path.read_text(encoding="utf-8")) if options.new else {}
    if options.new and path.with_suffix(".npz").exists():
        with np.load(path.with_suffix(".npz")) as stored:
            arrays = {key: stored[key] for key in stored.files}

    def chosen(name, part):
        known = held.get(part, {})
        return name not in known and (not options.parts or any(each in name for each in options.parts))

    for name, evaluate in cases.items():
        if chosen(name, kind):
            facts[name], evaluated = evaluate(tf)
            arrays |= {f"{name}|{what}": array for what, array in evaluated.items()}
    for name, row in rows.items():
        if chosen(name, "rows"):
            _reference.forget()
            try:
                results[name] = row.run(tf)
            except Exception as error:
                complaints.append(f"{name}: {type(error).__name__}: {error}")
            if "says_not" in json.dumps(results.get(name)):
                complaints.append(f"{name}: TensorFlow's message does not say so: {results[name]}")
    print(f"{golden}: {len(facts)} cases and {len(results)} rows recorded, {len(complaints)} unfair")
    if options.print or options.parts and not options.new:
        for name, value in {**facts, **results, **arrays}.items():
            print(f"{name}: {value}")
    elif not complaints:
        facts = {name: value for name, value in (held.get(kind, {}) | facts).items() if name in cases}
        merged = held.get("rows", {}) | results
        parts = {"rows": {name: merged[name] for name in rows if name in merged}}
        write(path, {kind: facts, **parts} if kind else parts)
        if kind:
            np.savez_compressed(path.with_suffix(".npz"), **arrays)
    return complaints


def write(path, parts):
    """Writes a golden: the versions, and in each part one line for each entry."""
    texts = []
    for part, entries in parts.items():
        lines = [f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in entries.items()]
        texts.append(f'"{part}": {{\n' + ",\n".join(lines) + "\n}")
    head = json.dumps(_reference.versions())[:-1]
    path.write_text(f"{head},\n" + ",\n".join(texts) + "\n}\n", encoding="utf-8")
