"""Runs the rows of `_worker_rows.py` in one of several processes, and prints what they give, as JSON.

    python tests/distribute/_worker.py MODULE DEVICES

MODULE is tensorflow or tfcompat. TF_CONFIG says which processes there are; without it this one has all replicas. The
CPU is divided into DEVICES.
"""

import importlib
import json
import os
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent)]


def main(module, devices):
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    tf = importlib.import_module(module)
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * devices)
    several = "TF_CONFIG" in os.environ
    if several:
        strategy = tf.distribute.MultiWorkerMirroredStrategy()
    else:
        strategy = tf.distribute.MirroredStrategy([f"/cpu:{n}" for n in range(devices)])
    if module == "tfcompat":
        importlib.import_module("_compiling").compile_quickly()
    from rows import Raised, describe

    from distribute._worker_rows import ROWS

    results = {}
    for name, function in ROWS.items():
        try:
            result = function(tf, strategy)
        except Exception as error:
            result = Raised(error, ())
        results[name] = json.loads(json.dumps(describe(result, tf)))
    print(json.dumps(results))


def merged(results, path=""):
    """What a row gave in all processes: the values of their replicas in a row; everything else must be the same."""
    first = results[0]
    if isinstance(first, dict):
        if "replicas" in first:
            return {"replicas": [value for one in results for value in one["replicas"]["list"]]}
        return {key: merged([one[key] for one in results], f"{path}.{key}") for key in first}
    if isinstance(first, list) and all(len(one) == len(first) for one in results):
        return [merged(list(each), f"{path}[{i}]") for i, each in enumerate(zip(*results, strict=True))]
    assert all(one == first for one in results), f"the processes differ: {path}: {results}"
    return first


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
