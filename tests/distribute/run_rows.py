"""Runs the rows of this folder on tfcompat, on four devices: the CPU, divided. Prints as JSON how each differs.

    python tests/distribute/run_rows.py [PART ...]

A program of its own, since devices are divided before anything runs.
"""

import json
import pathlib
import sys
import traceback

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent)]


def main(parts):
    import tfcompat as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 4)
    import _collecting
    import _compiling
    from rows import differences, load_rows, recorded_rows

    _compiling.compile_quickly()
    recorded, rows, results = recorded_rows("distribute"), load_rows("distribute"), {}
    _collecting.collect_seldom()
    for name, row in rows.items():
        if parts and not any(part in name for part in parts):
            continue
        if name not in recorded:
            results[name] = ["not recorded: python tests/record.py distribute --new"]
            continue
        try:
            results[name] = list(differences(row.run(tf), recorded[name]))
        except Exception:
            results[name] = [traceback.format_exc()]
    print(json.dumps(results))


if __name__ == "__main__":
    main(sys.argv[1:])
