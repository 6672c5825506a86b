"""Takes the models of `models.py` from tfcompat to TensorFlow and back, with a TensorFlow that is installed elsewhere.

    python -m tests.saved_model.both_ways --tensorflow PYTHON [NAME ...] [--folder FOLDER]

Each step is a process of its own: TensorFlow and tfcompat save the models and what they compute; each loads what the
other saved, and compares; the loader of TensorFlow 1, `saved_model_cli`, Keras 3 and TensorFlow Lite run what tfcompat
saved; TensorFlow loads what tfcompat saved of what it had loaded. Prints a line for each model and step.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

import numpy as np

TOLERANCE = 2e-4  # relative to the largest number


def difference(found, expected):
    """The largest difference of arrays by name, relative to the largest number; infinite if they do not fit."""
    if found.keys() != expected.keys():
        return float("inf"), f"has {sorted(found)}, expected {sorted(expected)}"
    worst = 0.0
    for name, array in expected.items():
        other = found[name]
        if array.shape != other.shape or array.dtype != other.dtype:
            return float("inf"), f"{name} is {other.dtype}{other.shape}, expected {array.dtype}{array.shape}"
        if array.dtype == object:
            worst = max(worst, float((array != other).sum()))
        elif array.size:
            scale = max(float(np.abs(array.astype("float64")).max()), 1e-3)
            worst = max(worst, float(np.abs(array.astype("float64") - other.astype("float64")).max()) / scale)
    return worst, ""


def step(what, tf, row, source, target, expected):
    """One step for one model; the text of what came of it."""
    if what == "build":
        module = row.make(tf)
        os.makedirs(target, exist_ok=True)
        tf.saved_model.save(module, target, signatures=module.f if row.signature else None)
        np.savez(target + ".npz", **{
            f"{batch}/{name}": array for batch in row.batches
            for name, array in row.results(tf, module.f, batch).items()
        })  # fmt: skip
        return "saved"
    if what == "serve":
        return serve(tf, row, source)
    loaded = tf.saved_model.load(source)
    if target:  # before what changes its state
        tf.saved_model.save(loaded, target, signatures=loaded.signatures if row.signature else None)
    worst, text = 0.0, ""
    with np.load(expected + ".npz", allow_pickle=True) as file:
        stored = {name: file[name] for name in file.files}
    for batch in row.batches:
        of_batch = {k.partition("/")[2]: v for k, v in stored.items() if k.partition("/")[0] == str(batch)}
        if not row.reload and source.endswith(f"back/{row.name}"):
            of_batch = {name: x for name, x in of_batch.items() if name.startswith("y")}
        wanted = 0 if all(name.startswith("y") for name in of_batch) else row.order
        off, why = difference(row.results(tf, loaded.f, batch, wanted), of_batch)
        if off >= worst:
            worst, text = off, why
    verdict = "ok" if worst <= TOLERANCE else "DIFFERS"
    return f"{verdict} {worst:.1e} {text}"


def serve(tf, row, source):
    """Runs the signature by what serves it elsewhere, TensorFlow Lite among it; the text of what came of it."""
    arrays = dict(zip([spec.name for spec in row.specs(tf)], row.arrays(row.batches[1]), strict=True))
    signature = tf.saved_model.load(source).signatures["serving_default"]
    wanted = {name: y.numpy() for name, y in signature(**{k: tf.constant(x) for k, x in arrays.items()}).items()}
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        definition = tf.compat.v1.saved_model.load(session, ["serve"], source).signature_def["serving_default"]
        feed = {definition.inputs[name].name: x for name, x in arrays.items()}
        found = session.run({name: info.name for name, info in definition.outputs.items()}, feed)
    worst, why = difference(found, wanted)
    for run_by in (_by_command, _by_layer):
        off, reason = difference(run_by(source, arrays), wanted)
        worst, why = max(worst, off), why or reason
    text = "without TensorFlow Lite"
    if row.lite:
        converter = tf.lite.TFLiteConverter.from_saved_model(source, signature_keys=["serving_default"])
        interpreter = tf.lite.Interpreter(model_content=converter.convert())
        interpreter.allocate_tensors()
        off, lite_why = difference(interpreter.get_signature_runner("serving_default")(**arrays), wanted)
        worst, why, text = max(worst, off), why or lite_why, "also in TensorFlow Lite"
    return f"{'ok' if worst <= TOLERANCE else 'DIFFERS'} {worst:.1e} {why or text}"


def _by_command(source, arrays):
    """The outputs of `saved_model_cli run`."""
    with tempfile.TemporaryDirectory() as t:
        np.savez(f"{t}/inputs.npz", **arrays)
        given = ";".join(f"{name}={t}/inputs.npz[{name}]" for name in arrays)
        command = [sys.executable, "-m", "tensorflow.python.tools.saved_model_cli", "run", "--dir", source, "--tag_set",
                   "serve", "--signature_def", "serving_default", "--inputs", given, "--outdir", t]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True)
        os.remove(f"{t}/inputs.npz")
        return {path.stem: np.load(path, allow_pickle=True) for path in pathlib.Path(t).iterdir()}


def _by_layer(source, arrays):
    """The outputs of Keras 3's layer of a SavedModel."""
    import keras

    layer = keras.layers.TFSMLayer(source, call_endpoint="serving_default")
    # Not `layer(x)`, which would cast to Keras's float32.
    tensors = {name: keras.ops.convert_to_tensor(x) for name, x in arrays.items()}
    outputs = layer.call(*tensors.values()) if len(tensors) == 1 else layer.call_endpoint_fn(**tensors)
    return {name: y.numpy() for name, y in outputs.items()}


def run(what, names, source, target, expected):
    """One step for all models, in this process."""
    sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
    if os.environ.get("BOTH_WAYS") == "tensorflow":
        import tensorflow as tf
    else:
        import tfcompat as tf

        tf.keras  # noqa: B018  (as a program's import does)
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    from models import MODELS

    failed = 0
    for name in names or MODELS:
        try:
            text = step(
                what, tf, MODELS[name], source and f"{source}/{name}", target and f"{target}/{name}",
                expected and f"{expected}/{name}",
            )  # fmt: skip
        except Exception as error:
            if os.environ.get("BOTH_WAYS_TRACE"):
                traceback.print_exc()
            text = f"FAILED {type(error).__name__}: {' '.join(str(error).split())[:300]}"
        failed += not text.startswith(("ok", "saved"))
        print(f"  {name:24}{text}", flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--tensorflow", help="the Python that has TensorFlow and tf_keras")
    parser.add_argument("--folder", default="both_ways", help="where models are written")
    parser.add_argument("--step", nargs=4, metavar=("WHAT", "SOURCE", "TARGET", "EXPECTED"), help="for itself")
    options = parser.parse_args()
    if options.step:
        return run(options.step[0], options.names, *(x if x != "-" else "" for x in options.step[1:]))
    folder = os.path.abspath(options.folder)
    theirs = [options.tensorflow, str(pathlib.Path(__file__))]
    ours = [sys.executable, str(pathlib.Path(__file__))]
    environment = os.environ | {"TF_USE_LEGACY_KERAS": "1", "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    steps = (
        ("TensorFlow saves", theirs, "build", "-", "tf", "-"), ("tfcompat saves", ours, "build", "-", "ours", "-"),
        ("TensorFlow loads what tfcompat saved", theirs, "load", "ours", "-", "ours"),
        ("What serves models elsewhere runs what tfcompat saved", theirs, "serve", "ours", "-", "-"),
        ("tfcompat loads what TensorFlow saved", ours, "load", "tf", "back", "tf"),
        ("TensorFlow loads what tfcompat saved of it", theirs, "load", "back", "-", "tf"),
    )  # fmt: skip
    failed = 0
    for title, command, what, *folders in steps:
        print(title, flush=True)
        environment["BOTH_WAYS"] = "tensorflow" if command is theirs else "tfcompat"
        arguments = [f"{folder}/{name}" if name != "-" else "-" for name in folders]
        done = subprocess.run([*command, *options.names, "--step", what, *arguments], env=environment)
        failed += done.returncode
    return failed


if __name__ == "__main__":
    sys.exit(main())
