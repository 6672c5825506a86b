"""A checkpoint of two replicas, golden/replicas_checkpoint, by TensorFlow, which also reads one of eight of ours."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from distribute import _checkpoints

FOLDER = pathlib.Path(__file__).parents[1] / "golden" / "replicas_checkpoint"
PROGRAM = _checkpoints.__file__


def printed(module, replicas, way, path):
    """What the program prints."""
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONPATH": str(FOLDER.parents[2])}
    done = subprocess.run(
        [sys.executable, PROGRAM, module, str(replicas), way, str(path)], env=environment, capture_output=True,
        text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def record(tf, options):
    held = printed("tensorflow", 2, "write", FOLDER / "ckpt")
    (FOLDER / "held.json").write_text(json.dumps(held) + "\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        ours = printed("tfcompat", 8, "write", f"{folder}/ckpt")
        for replicas in (1, 2):
            assert printed("tensorflow", replicas, "read", f"{folder}/ckpt") == ours
    print(f"{FOLDER.name}: written; TensorFlow {tf.__version__} reads ours")
