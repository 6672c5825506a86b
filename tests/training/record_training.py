"""Runs every case and row on tf_keras and writes `tests/golden/training.json` and `training.npz`.

    python tests/training/record_training.py [part of a name ...]

With arguments, only what has one of them in its name is run, and is printed rather than written.
"""

import json
import os
import pathlib
import sys

os.environ.update(
    TF_CPP_MIN_LOG_LEVEL="3", TF_USE_LEGACY_KERAS="1", CUDA_VISIBLE_DEVICES="-1", TF_ENABLE_ONEDNN_OPTS="0"
)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import numpy as np
import tensorflow as tf
import tf_keras
from _row_table import load_rows, run_row

from training._cases import CASES

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"


def main(parts):
    facts, arrays, rows, unfair = {}, {}, {}, []
    for case in CASES:
        if not parts or any(part in case.name for part in parts):
            tf.keras.backend.clear_session()
            facts[case.name], found = case.evaluate(tf)
            arrays |= {f"{case.name}|{what}": array for what, array in found.items()}
    for name, function in load_rows("training").items():
        if not parts or any(part in name for part in parts):
            try:
                rows[name] = run_row(function, tf)
            except Exception as error:
                unfair.append(f"{name}: {type(error).__name__}: {error}")
            if "says_not" in json.dumps(rows.get(name)):
                unfair.append(f"{name}: tf_keras's message does not say so: {rows[name]}")
    print("\n".join(unfair), file=sys.stderr)
    print(f"{len(facts)} cases, {len(rows)} rows, {len(unfair)} unfair", file=sys.stderr)
    if parts:
        for name, value in {**facts, **rows, **arrays}.items():
            print(f"{name}: {value}")
    elif not unfair:
        head = {"tensorflow": tf.__version__, "tf_keras": tf_keras.__version__, "numpy": np.__version__}
        parts = [f'"{name}": {{\n{_lines(value)}\n}}' for name, value in (("cases", facts), ("rows", rows))]
        text = f"{json.dumps(head)[:-1]},\n" + ",\n".join(parts) + "\n}\n"
        (GOLDEN / "training.json").write_text(text, encoding="utf-8")
        np.savez_compressed(GOLDEN / "training.npz", **arrays)
    return bool(unfair)


def _lines(entries):
    return ",\n".join(
        f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in entries.items()
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
