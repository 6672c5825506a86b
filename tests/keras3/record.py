"""Records what `program.py`, `as_tf_keras.py` and the calls of `activations.py` compute with TensorFlow.

    KERAS_BACKEND=tensorflow python tests/keras3/record.py
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent


def recorded(program):
    """What a program writes to the file that it is given."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}
        environment.pop("TF_USE_LEGACY_KERAS", None)
        subprocess.run([sys.executable, str(HERE / program), str(out)], check=True, env=environment)
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
    (HERE / name).write_text("{\n" + text + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    write("golden.json", recorded("program.py"))
    write("as_tf_keras.json", recorded("as_tf_keras.py"))
    import tensorflow as tf
    from activations import computed
    from keras import activations

    write("activations.json", computed(tf, activations))
