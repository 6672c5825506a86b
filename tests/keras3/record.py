"""Records what `program.py` computes with TensorFlow.

    KERAS_BACKEND=tensorflow python tests/keras3/record.py
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent

with tempfile.TemporaryDirectory() as folder:
    out = pathlib.Path(folder) / "out.json"
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    subprocess.run([sys.executable, str(HERE / "program.py"), str(out)], check=True, env=environment)
    recorded = json.loads(out.read_text(encoding="utf-8"))
rounded = {
    name: [[float(f"{x:.9g}") for x in values] if name != "shapes" else values for values in rows]
    for name, rows in recorded.items()
}
text = ",\n".join(f"{json.dumps(name)}: {json.dumps(rows)}" for name, rows in rounded.items())
(HERE / "golden.json").write_text("{\n" + text + "\n}\n", encoding="utf-8")
