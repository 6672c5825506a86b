"""Runs every row on TensorFlow and writes `tests/golden/data.json`.

    python tests/data/record_data.py [part of a name ...]

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

import tensorflow as tf

from data._rows import load_rows, run_row

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"


def main(parts):
    rows, unfair = {}, []
    for name, function in load_rows("data").items():
        if not parts or any(part in name for part in parts):
            try:
                rows[name] = run_row(function, tf)
            except Exception as error:
                unfair.append(f"{name}: {type(error).__name__}: {error}")
            if "says_not" in json.dumps(rows.get(name)):
                unfair.append(f"{name}: TensorFlow's message does not say so: {rows[name]}")
    print("\n".join(unfair), file=sys.stderr)
    print(f"{len(rows)} rows, {len(unfair)} unfair", file=sys.stderr)
    if parts:
        for name, value in rows.items():
            print(f"{name}: {value}")
    elif not unfair:
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(rows[name], ensure_ascii=False)}" for name in rows)
        text = f'{{"tensorflow": {json.dumps(tf.__version__)}, "rows": {{\n{lines}\n}}}}\n'
        (GOLDEN / "data.json").write_text(text, encoding="utf-8")
    return bool(unfair)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
