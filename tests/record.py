"""Records what TensorFlow answers, for the tests to compare with. The only way in the tests to TensorFlow.

    python tests/record.py NAME [PART ...]        records what is called so; of rows with these parts in their name
    python tests/record.py NAME --new             adds what has no recording yet
    python tests/record.py NAME --all             records up-to-date goldens again, too
    python tests/record.py NAME PART ... --print  prints the results instead
    python tests/record.py NAME --check           says what is missing or left over; needs no TensorFlow
    python tests/record.py applications --compare compares all models on tfcompat, which takes long
    python tests/record.py                        lists the names
    python tests/record.py --check                checks all that can be checked

Needs `pip install -e '.[reference]'`, but for `--check`. Fails, naming the row, where TensorFlow rejects a call that is
not marked so, or accepts one that is.
"""

import argparse
import importlib
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS), str(TESTS.parent)]

# Name -> (module of `recording`, what is recorded).
RECORDERS = {
    "golden": ("golden", "the cases of single calls, cases/<namespace>.py"),
    "malformed": ("malformed", "what malformed calls of the same cases raise"),
    "tape": ("rows_of_folder", "the rows of tape/"),
    "data": ("rows_of_folder", "the rows of data/"),
    "functional": ("rows_of_folder", "the rows of functional/, and the model files of golden/models"),
    "layers": ("rows_of_folder", "the cases and rows of layers/"),
    "lite": ("rows_of_folder", "the rows of lite/"),
    "training": ("rows_of_folder", "the cases and rows of training/"),
    "distribute": ("rows_of_folder", "the rows of distribute/, on four CPUs"),
    "workers": ("workers", "the rows of distribute/_worker_rows.py, in two processes, and of four replicas"),
    "fuzz": ("fuzz", "random programs, fuzz/programs.py"),
    "tables": ("tables", "the tables of expressions, tables/<name>.txt"),
    "applications": ("applications", "the models of tf.keras.applications"),
    "hooks": ("hooks", "what layers of tf_keras call on themselves"),
    "keras3": ("keras3", "programs of Keras 3 on TensorFlow"),
    "checkpoint": ("checkpoint", "a checkpoint of TensorFlow, and that it reads ours"),
    "replicas_checkpoint": ("replicas_checkpoint", "a checkpoint of two replicas, and that TensorFlow reads ours"),
    "continued": ("continued", "training that TensorFlow begins and tfcompat continues, and back"),
    "gradient_penalty": ("gradient_penalty", "a step of the example program"),
    "numpy_behavior": ("numpy_behavior", "expressions after experimental_enable_numpy_behavior"),
    "signatures": ("signatures", "signatures of the public API, and the names of the namespaces of ops"),
    "op_definitions": ("op_definitions", "names and arguments of all ops, tfcompat/raw_ops/definitions.txt"),
    "scripts": ("scripts", "the script of each character, tfcompat/strings/scripts.txt"),
    "saved_models": ("saved_models", "the models of saved_model/models.py as TensorFlow saves them"),
    "names": ("names", "the public names, tfcompat/_package/tensorflow_names.json"),
    "private_names": ("private_names", "public names inside TensorFlow's own modules"),
}
# oneDNN rounds otherwise; these were recorded with it.
ENVIRONMENTS = dict.fromkeys(("golden", "gradient_penalty", "malformed"), {"TF_ENABLE_ONEDNN_OPTS": "1"})
DEVICES = {"distribute": 4}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", choices=RECORDERS)
    parser.add_argument("parts", nargs="*", help="record what has one of these in its name")
    parser.add_argument("--new", action="store_true", help="add what has no recording yet")
    parser.add_argument("--all", action="store_true", help="record up-to-date goldens again, too")
    parser.add_argument("--print", action="store_true", help="write nothing, print the results")
    parser.add_argument("--check", action="store_true", help="record nothing, say what is missing or left over")
    parser.add_argument("--known", action="store_true", help="of malformed calls: write what tfcompat raises anew")
    parser.add_argument("--compare", action="store_true", help="compare on tfcompat what takes too long for tests")
    options = parser.parse_args()
    if options.name is None and not options.check:
        print("\n".join(f"{name:18}{what}" for name, (_, what) in RECORDERS.items()))
        return 0
    complaints = []
    for name in [options.name] if options.name else RECORDERS:
        module = importlib.import_module(f"recording.{RECORDERS[name][0]}")
        options.name = name
        if options.compare:
            import tfcompat

            complaints += module.compare(tfcompat, options)
        elif options.check:
            complaints += module.check(options) if hasattr(module, "check") else []
        elif options.known:
            complaints += module.record(None, options) or []
        else:
            from recording import _reference

            tf = _reference.tensorflow(**ENVIRONMENTS.get(name, {}))
            _reference.divide(tf, DEVICES.get(name, 1))
            complaints += module.record(tf, options) or []
    print("\n".join(complaints) or ("nothing is missing" if options.check else "done"))
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
