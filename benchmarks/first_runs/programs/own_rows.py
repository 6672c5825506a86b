"""Three hundred rows of tfcompat's own tests: small programs, each of them another, run as the tests run them."""

import pathlib
import sys

import tensorflow as tf

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests"))
from rows import differences, load_rows, recorded_rows  # noqa: E402

RECORDED = {"tape": "tape_rows", "data": "data", "functional": "functional"}  # by folder
ROWS = 300
pairs = []
for folder, golden in RECORDED.items():
    recorded = recorded_rows(golden)
    # What TensorFlow makes of arrays that change later depends on how NumPy aligned them.
    rows = [row for row in load_rows(folder).values() if row.differs is None and not row.name.startswith("mutated.")]
    pairs += [(row, recorded[row.name]) for row in rows]
pairs = pairs[:: len(pairs) // ROWS][:ROWS]
wrong = []
for row, recorded in pairs:
    tf.compat.v1.reset_default_graph()  # rows of TensorFlow 1 leave scopes
    wrong += [row.name] * bool(list(differences(row.run(tf), recorded)))
report = {"rows": len(pairs), "wrong": wrong}
