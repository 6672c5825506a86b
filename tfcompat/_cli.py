"""The command line: runs TensorFlow programs on tfcompat, and says what a port would meet."""

import importlib.util
import io
import os
import runpy
import sys
import types
import zipfile
from importlib.machinery import SourceFileLoader

from tfcompat._install import install
from tfcompat._version import __version__

USAGE = """\
usage: python -m tfcompat run SCRIPT [ARGUMENT ...]
       python -m tfcompat run -m MODULE [ARGUMENT ...]
       python -m tfcompat check PATH ... [--json] [--html FILE]
       python -m tfcompat --version | --help

run runs a program written for TensorFlow 2 on JAX: `import tensorflow` finds tfcompat. Everything else is
as under `python SCRIPT`: sys.argv, __main__, sys.path, the exit status, the traceback of an error.
check reads programs without running them, and says what they use that differs or is missing.

  TFCOMPAT_EXECUTION=immediate   run each operation as it is called (for debugging)
  TFCOMPAT_CACHE=FOLDER          keep compiled programs there; "off": nowhere
  TFCOMPAT_EXPLAIN=1             say on stderr why each program is compiled
"""


def main(arguments=None):
    """Runs the command line; returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    match arguments:
        case ["--version" | "-V"]:
            print(_versions())
            return 0
        case ["--help" | "-h"] | ["run", "--help" | "-h"]:
            print(USAGE, end="")
            return 0
        case ["check", *rest]:
            from tfcompat._tools import _check

            return _check.main(rest)
        case ["run", "-m", module, *rest]:
            return _run(_run_module, module, rest)
        case ["run", script, *rest] if not script.startswith("-"):
            return _run(_run_script, script, rest)
    if arguments:
        print(f"tfcompat: do not understand: {' '.join(arguments)}\n", file=sys.stderr)
    print(USAGE, end="", file=sys.stderr)
    return 2


def _versions():
    import jax

    python = ".".join(map(str, sys.version_info[:3]))
    return f"tfcompat {__version__} (JAX {jax.__version__}, Python {python})"


def _run(run, target, arguments):
    """Runs `target` and gives the status Python would exit with; an error shows the user's frames only."""
    install()
    try:
        return run(target, arguments) or 0
    except SystemExit:
        raise
    except BaseException as error:
        kind, value = type(error), error.with_traceback(_users_part(error.__traceback__))
        sys.excepthook(kind, value, value.__traceback__)
        return 130 if isinstance(error, KeyboardInterrupt) else 1


def _users_part(trace):
    """`trace` without the leading frames of this file and of the import machinery it called."""
    ours = (__file__, runpy.__file__, "<frozen runpy>", "<frozen importlib._bootstrap>")
    while trace is not None and trace.tb_frame.f_code.co_filename in ours:
        trace = trace.tb_next
    return trace


def _run_script(script, arguments):
    sys.argv[:] = [script, *arguments]
    path = os.path.abspath(script)
    if os.path.isdir(path) or path.endswith(".pyc") or zipfile.is_zipfile(path):
        _set_first_path(path)
        runpy.run_path(path, run_name="__main__")
        return None
    try:
        with io.open_code(path) as file:
            source = file.read()
    except OSError as error:
        print(f"{sys.executable}: can't open file {path!r}: [Errno {error.errno}] {error.strerror}",
              file=sys.stderr)
        return 2
    _set_first_path(os.path.dirname(os.path.realpath(path)))
    # A module that outlives this call: threads and exit handlers of the program may need it.
    namespace = types.ModuleType("__main__")
    namespace.__dict__.update(__file__=path, __loader__=SourceFileLoader("__main__", path))
    namespace.__dict__.update(__builtins__=__builtins__, __cached__=None)
    sys.modules["__main__"] = namespace
    exec(compile(source, path, "exec", dont_inherit=True), namespace.__dict__)
    return None


def _run_module(name, arguments):
    sys.argv[:] = [name, *arguments]
    _set_first_path(os.getcwd())
    try:
        spec = importlib.util.find_spec(name)
    except ImportError as error:
        print(f"{sys.executable}: Error while finding module specification for {name!r} "
              f"({type(error).__name__}: {error})", file=sys.stderr)
        return 1
    if spec is None:
        print(f"{sys.executable}: No module named {name}", file=sys.stderr)
        return 1
    runpy.run_module(name, run_name="__main__", alter_sys=True)
    return None


def _set_first_path(path):
    """Puts the program's folder where Python puts it, in place of the folder tfcompat was started from."""
    if sys.flags.safe_path:
        return
    sys.path[0] = path
