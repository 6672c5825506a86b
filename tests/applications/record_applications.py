"""Builds every model on tf_keras, and writes what is told of it to `tests/golden/applications.json`.

    python tests/applications/record_applications.py [part of a row ...]     # on TensorFlow; all, or those that have it
    python tests/applications/record_applications.py --check [part ...]      # on tfcompat, against what was recorded
    python tests/applications/record_applications.py --lines part ...        # prints the lines, to be compared
    python tests/applications/record_applications.py --check --lines part    # prints tfcompat's
"""

import json
import os
import pathlib
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", TF_USE_LEGACY_KERAS="1", CUDA_VISIBLE_DEVICES="-1")
TESTS = pathlib.Path(__file__).resolve().parents[1]
GOLDEN = TESTS / "golden" / "applications.json"
sys.path.insert(0, str(TESTS))
sys.path.insert(0, str(TESTS.parent))

import numpy as np  # noqa: E402

from applications import models  # noqa: E402

flags = [argument for argument in sys.argv[1:] if argument.startswith("--")]
parts = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
recorded = json.loads(GOLDEN.read_text(encoding="utf-8")) if GOLDEN.exists() else {}
if "--check" in flags:
    import tfcompat as tf
else:
    import tensorflow as tf

bad = 0
for row, (name, arguments) in models.ROWS.items():
    if parts and not any(part in row for part in parts):
        continue
    lines, results = models.told(tf, name, arguments)
    if "--lines" in flags:
        print("\n".join([row, *lines, str(results)]))
    elif "--check" in flags:
        wanted, numbers = recorded[row]
        same = wanted == models.digest(lines)
        close = np.allclose(results, numbers, 1e-3, 1e-4)
        bad += not (same and close)
        print(f"{row}: structure {'same' if same else 'DIFFERS'}, results {'same' if close else 'DIFFER'}", flush=True)
    else:
        recorded[row] = [models.digest(lines), results]
if not flags:
    rows = ",\n".join(f"{json.dumps(row)}: {json.dumps(recorded[row])}" for row in models.ROWS if row in recorded)
    GOLDEN.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")
sys.exit(bool(bad))
