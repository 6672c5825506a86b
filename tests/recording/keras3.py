"""What `program.py`, `as_tf_keras.py` and the calls of `activations.py` in keras3/ compute with TensorFlow."""

import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from keras3.activations import computed

FOLDER = pathlib.Path(__file__).parents[1] / "keras3"


def recorded(program):
    """What a program writes to the file that it is given."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        environment = {**os.environ, "KERAS_BACKEND": "tensorflow"}
        environment.pop("TF_USE_LEGACY_KERAS", None)
        environment.pop("TF_ENABLE_ONEDNN_OPTS", None)
        subprocess.run([sys.executable, str(FOLDER / program), str(out)], check=True, env=environment)
        return json.loads(out.read_text(encoding="utf-8"))


def rounded(values):
    """Numbers in a nest with nine digits."""
    if isinstance(values, dict):
        return {name: rounded(each) for name, each in values.items()}
    if isinstance(values, list):
        return [rounded(each) for each in values]
    return float(f"{values:.9g}") if isinstance(values, float) else values


def write(name, results):
    text = ",\n".join(f"{json.dumps(key)}: {json.dumps(rounded(rows))}" for key, rows in results.items())
    (FOLDER / name).write_text("{\n" + text + "\n}\n", encoding="utf-8")


def record(tf, options):
    write("golden.json", recorded("program.py"))
    write("as_tf_keras.json", recorded("as_tf_keras.py"))
    write("activations.json", computed(tf, importlib.import_module("keras.activations")))
