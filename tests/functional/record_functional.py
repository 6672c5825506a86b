"""Runs every row on tf_keras and writes `tests/golden/functional.json`, and model files into `golden/models`.

    python tests/functional/record_functional.py [part of a name ...]

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

from functional._adapted import adapted

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"


def main(parts):
    rows, unfair = {}, []
    for name, function in load_rows("functional").items():
        if not parts or any(part in name for part in parts):
            try:
                rows[name] = run_row(function, tf)
            except Exception as error:
                unfair.append(f"{name}: {type(error).__name__}: {error}")
            if "says_not" in json.dumps(rows.get(name)):
                unfair.append(f"{name}: tf_keras's message does not say so: {rows[name]}")
    print("\n".join(unfair), file=sys.stderr)
    print(f"{len(rows)} rows, {len(unfair)} unfair", file=sys.stderr)
    if parts:
        for name, value in rows.items():
            print(f"{name}: {value}")
    elif not unfair:
        head = {"tensorflow": tf.__version__, "tf_keras": tf_keras.__version__, "numpy": np.__version__}
        text = f"{json.dumps(head)[:-1]},\n\"rows\": {{\n{_lines(rows)}\n}}\n}}\n"
        (GOLDEN / "functional.json").write_text(text, encoding="utf-8")
        models()
        adapted_models()
    return bool(unfair)


def models():
    """Writes the files of a trained model, and its outputs, into `golden/models`."""
    tf.keras.backend.clear_session()
    tf.keras.utils.set_random_seed(5)
    layers = tf.keras.layers
    inputs = tf.keras.Input((4,), name="x")
    x = layers.BatchNormalization()(layers.Dense(3, activation="relu")(inputs))
    stack = tf.keras.Sequential([layers.Dense(3), layers.Dropout(0.5), layers.Dense(2)])
    model = tf.keras.Model(inputs, layers.Add()([stack(x), layers.Dense(2)(inputs) * x[:, 1:]]))
    model.compile(tf.keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
    data = np.linspace(-1, 1, 24, dtype="float32").reshape(6, 4)
    model.fit(data, data[:, :2], batch_size=3, epochs=2, verbose=0)
    (GOLDEN / "models").mkdir(exist_ok=True)
    for name in ("model.keras", "model.h5"):
        model.save(GOLDEN / "models" / name)
    model.save_weights(GOLDEN / "models" / "model.weights.h5")
    np.save(GOLDEN / "models" / "outputs.npy", model.predict(data, verbose=0))


def adapted_models():
    """Writes the files of models with adapted layers, into `golden/models`."""
    folder = GOLDEN / "models"
    for name, model, inputs in adapted(tf):
        model(inputs)
        model.save(folder / f"{name}.keras")


def _lines(entries):
    return ",\n".join(
        f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in entries.items()
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
