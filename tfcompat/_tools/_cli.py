"""The command line: runs TensorFlow programs on tfcompat, and says what a port would meet."""

import os
import sys

import jax

from tfcompat._tools import _check, _info, _run, _translate
from tfcompat._version import __version__

USAGE = """\
usage: python -m tfcompat run [OPTION ...] SCRIPT [ARGUMENT ...]
       python -m tfcompat run [OPTION ...] -m MODULE [ARGUMENT ...]
       python -m tfcompat run [OPTION ...] NOTEBOOK.ipynb [ARGUMENT ...]
       python -m tfcompat explain SCRIPT [ARGUMENT ...]
       python -m tfcompat check PATH ... [--json] [--html FILE]
       python -m tfcompat translate PATH ... [--write | --to FOLDER]
       python -m tfcompat info
       python -m tfcompat --version | --help

run        runs a program written for TensorFlow 2 on JAX: `import tensorflow` finds tfcompat
explain    runs a program likewise, and says which functions are traced and compiled again, and why
check      reads programs without running them, and lists the names that differ or are missing
translate  rewrites `import tensorflow` to `import tfcompat`, and shows the changes
info       prints what is installed, for bug reports

`python -m tfcompat COMMAND --help` describes a command.

  TFCOMPAT_EXECUTION=immediate   run each operation as it is called (for debugging)
  TFCOMPAT_CACHE=FOLDER          keep compiled programs there; "off": nowhere
  TFCOMPAT_TIERS=compiled        compile programs before their first run; by default NumPy interprets what is new
  TFCOMPAT_COMPILE=full          optimize programs from their first run on, not only those that recur
  TFCOMPAT_EXPLAIN=1             print on stderr why each program is compiled, each function traced
  TFCOMPAT_CLUSTER_TIMEOUT=300   how many seconds processes of a cluster wait for each other
  TFCOMPAT_DEBUG=1               keep the line of each operation, for tape.explain and tape.draw
"""


def main(arguments=None):
    """Runs the command line; returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    try:
        return _called(arguments)
    except BrokenPipeError:
        if arguments[:1] == ["run"]:
            raise
        # What is printed goes to a program that has read enough: `check ... | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _called(arguments):
    match arguments:
        case ["--version" | "-V"]:
            print(_versions())
            return 0
        case ["--help" | "-h"]:
            print(USAGE, end="")
            return 0
        case ["run", *rest]:
            return _run.main(rest)
        case ["explain", *rest]:
            return _run.explain(rest)
        case ["check", *rest]:
            return _check.main(rest)
        case ["translate", *rest]:
            return _translate.main(rest)
        case ["info", *rest]:
            return _info.main(rest)
    if arguments:
        print(f"tfcompat: cannot understand: {' '.join(arguments)}\n", file=sys.stderr)
    print(USAGE, end="", file=sys.stderr)
    return 2


def _versions():
    python = ".".join(map(str, sys.version_info[:3]))
    return f"tfcompat {__version__} (JAX {jax.__version__}, Python {python})"
