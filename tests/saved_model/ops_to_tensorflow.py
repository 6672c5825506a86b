"""Saves functions of the golden cases, one at least for each symbol, and loads them here and in TensorFlow.

    python -m tests.saved_model.ops_to_tensorflow --tensorflow PYTHON [--unknown] [--every N] [--folder FOLDER]

With `--unknown` all sizes are None in their signatures. Of the cases after the first of a symbol one in N is taken. A
line tells what cannot be saved or loaded, or gives other numbers than the call in TensorFlow; a count comes at the end.
"""

import argparse
import logging
import pickle
import subprocess
import sys
import tempfile
import warnings
import zlib

import numpy as np

ROUNDING = 2e-3  # between two computations in the shortest of the dtypes that cases have, but for bfloat16


def chosen(every):
    """Yields (text, id, case) of cases that raise nothing, take tensors and give tensors."""
    from cases import _golden
    from cases._case import leaves
    from cases._evaluate import Plain

    seen = set()
    for module in [module for module in _golden.modules() if not module.startswith("raw_ops")]:
        for case_id, case in _golden.cases_of(module).items():
            first = case.symbol not in seen
            seen.add(case.symbol)
            inputs, outcome = leaves(case), _golden.load(module)[0].get(case_id)
            if not outcome or not outcome.structure or "ndarray" in outcome.structure:
                continue
            if any(isinstance(value, Plain) for value in outcome.values):
                continue
            if case.expect_error or case.post or not inputs or any(leaf.is_variable for leaf in inputs):
                continue
            if first or zlib.crc32(case_id.encode()) % every == 0:
                yield f"{module}:{case_id}", case_id, case


def tensors(tf, case, case_id):
    """The inputs of a case."""
    from cases._case import build_inputs

    arrays = build_inputs(case, case_id)
    return [tf.constant(array.tolist() if array.dtype == object else array) for array in arrays]


def results(tf, case, inputs):
    """The tensors that a case gives for its inputs, by the names that they have in a saved function."""
    from cases._evaluate import _call, _flatten

    values = _flatten(tf, _call(tf, case, inputs))
    return {f"r{i}": x for i, x in enumerate(values) if hasattr(x, "dtype") and hasattr(x, "shape")}


def saved(tf, case, case_id, folder, unknown):
    """Saves the case as the function `f` of a module."""
    specs = [tf.TensorSpec([None] * x.shape.rank if unknown else x.shape, x.dtype) for x in tensors(tf, case, case_id)]
    module = tf.Module()
    module.f = tf.function(lambda *inputs: results(tf, case, list(inputs)), specs, autograph=False)
    tf.saved_model.save(module, folder)


def loaded(tf, case, case_id, folder):
    """What the function gives that a folder holds: arrays by name."""
    found = tf.saved_model.load(folder).f(*tensors(tf, case, case_id))
    return {name: x.numpy() for name, x in found.items()}


def difference(found, expected, drawn):
    """What is unlike, as text; empty if nothing is. Of numbers that are drawn only dtypes and shapes are compared."""
    if found.keys() != expected.keys():
        return f"has {sorted(found)}, expected {sorted(expected)}"
    for name, wanted in expected.items():
        one, other = np.asarray(found[name]), np.asarray(wanted)
        if (one.dtype, one.shape) != (other.dtype, other.shape):
            return f"{name} is {one.dtype}{list(one.shape)}, expected {other.dtype}{list(other.shape)}"
        if drawn:
            continue
        if one.dtype.kind not in "fcV":
            same = np.array_equal(one, other)
        else:
            one, other = (x.astype(np.complex128 if x.dtype.kind == "c" else np.float64) for x in (one, other))
            scale = np.max(np.abs(other), initial=1.0, where=np.isfinite(other))
            same = np.allclose(one, other, ROUNDING, ROUNDING / 10 * scale, equal_nan=True)
        if not same:
            return f"{name} is {one.ravel()[:4]}, expected {other.ravel()[:4]}"
    return ""


def is_drawn(case):
    """Whether a case gives random numbers."""
    return case.options.seed is not None or "random" in case.symbol


def _save(folder, every, unknown):
    import tfcompat as tf

    logging.getLogger("tensorflow").setLevel("CRITICAL")
    written = {}
    for number, (text, case_id, case) in enumerate(chosen(every)):
        target = f"{folder}/{number}"
        try:
            saved(tf, case, case_id, target, unknown)
            written[text] = target, loaded(tf, case, case_id, target)
        except Exception as error:
            written[text] = target, f"{type(error).__name__}: {error}"
    with open(f"{folder}/saved", "wb") as file:
        pickle.dump(written, file)


def _compare(folder, every):
    from recording import _reference

    tf = _reference.tensorflow()
    tf.get_logger().setLevel("ERROR")
    with open(f"{folder}/saved", "rb") as file:
        written = pickle.load(file)
    count = bad = 0
    for text, case_id, case in chosen(every):
        target, here = written[text]
        expected = {k: x.numpy() for k, x in results(tf, case, tensors(tf, case, case_id)).items()}
        lines = [("not saved or loaded here", here)] if isinstance(here, str) else []
        if not lines:
            lines.append(("here", difference(here, expected, is_drawn(case))))
            try:
                there = difference(loaded(tf, case, case_id, target), expected, is_drawn(case))
            except Exception as error:
                there = f"{type(error).__name__}: {error}"
            lines.append(("in TensorFlow", there))
        for where, line in lines:
            if line:
                print(f"{text[:110]} | {where}: {' '.join(line.split())[-300:]}", flush=True)
        count, bad = count + 1, bad + any(line for _, line in lines)
    print(f"{count} functions, {bad} with a line")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tensorflow", required=True)
    parser.add_argument("--unknown", action="store_true")
    parser.add_argument("--every", type=int, default=8)
    parser.add_argument("--folder")
    parser.add_argument("--step", choices=("save", "compare"))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sys.path[:0] = ["tests"]
    if options.step == "save":
        _save(options.folder, options.every, options.unknown)
    elif options.step == "compare":
        _compare(options.folder, options.every)
    else:
        with tempfile.TemporaryDirectory() as scratch:
            folder = options.folder or scratch
            given = ["--tensorflow", options.tensorflow, "--folder", folder, "--every", str(options.every)]
            given += ["--unknown"] * options.unknown
            for python, step in ((sys.executable, "save"), (options.tensorflow, "compare")):
                command = [python, "-m", "tests.saved_model.ops_to_tensorflow", *given, "--step", step]
                subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
