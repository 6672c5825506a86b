"""Programs in several processes, which find each other over loopback."""

import contextlib
import json
import os
import socket
import subprocess
import sys


def started(command, numbers=(0, 1), dies=None, count=2, **environment):
    """Processes of a cluster of some workers, those of these numbers; DIES is set in the one that `dies`.

    Args:
      command: list of the program and its arguments.
      count: how many workers the cluster has.
      **environment: more variables.
    """
    with contextlib.ExitStack() as stack:
        ports = [stack.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1] for _ in range(count)]
    workers = [f"127.0.0.1:{port}" for port in ports]
    processes = []
    for number in numbers:
        config = {"cluster": {"worker": workers}, "task": {"type": "worker", "index": number}}
        own = os.environ | environment | {"JAX_PLATFORMS": "cpu", "TF_CONFIG": json.dumps(config)}
        own |= {"DIES": "1"} if number == dies else {}
        processes.append(subprocess.Popen(
            [sys.executable, *map(str, command)], env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ))  # fmt: skip
    return processes


def ended(processes):
    """(what was printed, errors, exit status) of each process; none takes more than three minutes."""
    try:
        return [(*process.communicate(timeout=180), process.returncode) for process in processes]
    finally:
        for process in processes:
            process.kill()
