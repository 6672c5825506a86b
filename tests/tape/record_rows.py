"""Runs every row on TensorFlow and writes `tests/golden/tape_rows.json`.

    python -m tests.tape.record_rows [--new] [part of a row's id ...]

With `--new`, only rows without a recording are run, and are added. With parts, only the rows whose id contains one
of them are run; without `--new` they are printed rather than written.
"""

import json
import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1", TF_ENABLE_ONEDNN_OPTS="0")

import numpy as np
import tensorflow as tf
from tensorflow.python.platform import tf_logging

from ._row import GOLDEN, describe, load_rows


def main(parts):
    recorded, unfair = {}, []
    rows = load_rows()
    new = "--new" in parts
    parts = [part for part in parts if part != "--new"]
    if new:
        known = json.loads(GOLDEN.read_text())["rows"]
    for name, run in rows.items():
        if parts and not any(part in name for part in parts) or new and name in known:
            continue
        # Some messages are logged only the first few times; here every row is the first.
        tf_logging._log_counter_per_token.clear()
        try:
            recorded[name] = describe(run(tf, np), tf)
        except Exception as error:
            unfair.append(f"{name}: {type(error).__name__}: {error}")
            continue
        if "says_not" in json.dumps(recorded[name]):
            unfair.append(f"{name}: TensorFlow's message does not say so: {recorded[name]}")
    if new:
        recorded = {name: (known | recorded)[name] for name in rows if name in known or name in recorded}
    lines = [f'"{name}": {json.dumps(value, ensure_ascii=False)}' for name, value in recorded.items()]
    if parts and not new:
        print("\n".join(lines))
    print("\n".join(unfair), file=sys.stderr)
    print(f"{len(recorded)} rows recorded, {len(unfair)} unfair", file=sys.stderr)
    if (new or not parts) and not unfair:
        head = f'"tensorflow": {json.dumps(tf.__version__)}, "numpy": {json.dumps(np.__version__)}'
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text("{" + head + ', "rows": {\n' + ",\n".join(lines) + "\n}}\n")
    return bool(unfair)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
