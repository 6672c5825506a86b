"""What the rows of distribute/_worker_rows.py give in two processes of one replica, and in one process of four."""

import json
import os
import subprocess
import sys

from distribute import _processes, _worker
from rows import GOLDEN, TESTS

from recording.rows_of_folder import write

PROGRAM = str(TESTS / "distribute" / "_worker.py")


def record(tf, options):
    outputs = []
    for out, err, status in _processes.ended(_processes.started([PROGRAM, "tensorflow", 1])):
        if status:
            raise RuntimeError(err)
        outputs.append(json.loads(out.splitlines()[-1]))
    rows = {f"{name}, in two processes": _worker.merged([one[name] for one in outputs]) for name in outputs[0]}
    alone = subprocess.run(
        [sys.executable, PROGRAM, "tensorflow", "4"], env=os.environ, capture_output=True, text=True, check=True
    )
    of_four = json.loads(alone.stdout.splitlines()[-1])
    rows |= {f"{name}, of four replicas": _worker.merged([result]) for name, result in of_four.items()}
    write(GOLDEN / "workers.json", {"rows": rows})
