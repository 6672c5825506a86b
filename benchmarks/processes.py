"""Measurements in processes of their own."""

import json
import pathlib
import subprocess

from benchmarks.workloads import Failed, Missing

ROOT = pathlib.Path(__file__).resolve().parent.parent


def ended(command, variables, limit):
    """The `subprocess.CompletedProcess` of a command, run at the root with these environment variables.

    Raises:
      Failed: it did not end within `limit` seconds.
    """
    try:
        return subprocess.run(command, env=variables, cwd=ROOT, text=True, capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        raise Failed(f"did not end within {limit:.0f} seconds") from None


def check(done):
    """Raises Failed if a process of `ended` did not succeed."""
    if done.returncode:
        raise Failed(f"stopped:\n{done.stderr[-3000:]}")


def answer(command, variables, limit):
    """The dict that a command prints as its last line, in JSON.

    Raises:
      Failed: it did not end in time, or not well.
      Missing: it says that something is "missing".
    """
    done = ended(command, variables, limit)
    check(done)
    printed = json.loads(done.stdout.splitlines()[-1])
    if "missing" in printed:
        raise Missing(printed["missing"])
    return printed
