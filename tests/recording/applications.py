"""What is told of every model of `tf.keras.applications`: a digest of its structure, and some of its results.

With parts, the models that have one in their name. `--compare` builds the models on tfcompat and compares;
`--print` prints what the digests are made of, with `--compare` on tfcompat.
"""

import json

import numpy as np
from applications import models
from rows import GOLDEN

_FILE = GOLDEN / "applications.json"


def record(tf, options):
    if options.print:
        return _lines(tf, options)
    recorded = json.loads(_FILE.read_text(encoding="utf-8"))
    for row, name, arguments in _chosen(options):
        lines, results = models.told(tf, name, arguments)
        recorded[row] = [models.digest(lines), results]
    rows = ",\n".join(f"{json.dumps(row)}: {json.dumps(recorded[row])}" for row in models.ROWS if row in recorded)
    _FILE.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")


def check(options):
    """Says which models have no recording."""
    recorded = json.loads(_FILE.read_text(encoding="utf-8"))
    return [f"applications: missing: {row}" for row, _, _ in _chosen(options) if row not in recorded]


def compare(tf, options):
    """Says which models have another structure or other results on tfcompat; the test looks at a few."""
    if options.print:
        return _lines(tf, options)
    recorded, complaints = json.loads(_FILE.read_text(encoding="utf-8")), []
    for row, name, arguments in _chosen(options):
        lines, results = models.told(tf, name, arguments)
        digest, numbers = recorded[row]
        complaints += [f"{row}: another structure"] if digest != models.digest(lines) else []
        complaints += [] if np.allclose(results, numbers, 1e-3, 1e-4) else [f"{row}: other results"]
    return complaints


def _lines(tf, options):
    """Prints what the digests are made of, to be compared; complains of nothing."""
    for row, name, arguments in _chosen(options):
        lines, results = models.told(tf, name, arguments)
        print("\n".join([row, *lines, str(results)]))
    return []


def _chosen(options):
    for row, (name, arguments) in models.ROWS.items():
        if not options.parts or any(part in row for part in options.parts):
            yield row, name, arguments
