"""`python -m tfcompat run`: a program as it stands, on tfcompat."""

import importlib.util
import io
import os
import runpy
import sys
import types
import zipfile
from importlib.machinery import SourceFileLoader

from tfcompat import engine
from tfcompat._tools import _hosts, _modes, _notebook, _statistics, _traceback
from tfcompat._tools._install import install
from tfcompat.function._retracing import summary

USAGE = """\
usage: python -m tfcompat run [OPTION ...] SCRIPT [ARGUMENT ...]
       python -m tfcompat run [OPTION ...] -m MODULE [ARGUMENT ...]
       python -m tfcompat run [OPTION ...] NOTEBOOK.ipynb [ARGUMENT ...]

Runs a program written for TensorFlow 2 on JAX: `import tensorflow` finds tfcompat. Everything else is as
under `python SCRIPT`: sys.argv, __main__, sys.path, the exit status, the traceback of an error.
A notebook is executed from top to bottom and saved with its outputs as NOTEBOOK-tfcompat.ipynb; it needs
`pip install 'tfcompat[notebook]'`.

  --devices N     divide the CPU into N devices, to try out programs for several
  --hosts N       run N processes of the program, each as the worker of a cluster that TF_CONFIG names
  --immediate     run each operation as it is called, for debugging
  --x32           compute in 32 bits: float64 means float32, complex128 complex64
  --stats         print at the end, on stderr, what was compiled and where the time went
  --debug         keep the line of each operation, for tape.explain and tape.draw
  --output FILE   where the executed notebook goes
"""
EXPLAIN_USAGE = """\
usage: python -m tfcompat explain [OPTION ...] SCRIPT [ARGUMENT ...]
       python -m tfcompat explain [OPTION ...] -m MODULE [ARGUMENT ...]

Runs a program as `python -m tfcompat run` does, with its options, and says on stderr, as it happens, which
tf.function is traced again, for which argument, and which program is compiled. At the end come the functions that were
traced again, how often, for what, and what helps.
"""
_FLAGS = frozenset({"immediate", "x32", "stats", "debug"})


def main(arguments, explained=False):
    """Runs the command, or the command `explain`; returns the exit status."""
    options, rest = {}, list(arguments)
    output = hosts = None
    while rest and rest[0].startswith("-") and rest[0] != "-m":
        flag = rest.pop(0)
        if flag in ("--help", "-h"):
            print(USAGE, end="")
            return 0
        if flag == "--output" and rest:
            output = rest.pop(0)
        elif flag in ("--devices", "--hosts") and rest:
            count = rest.pop(0)
            if not count.isdecimal() or not int(count):
                return _misused(f"{flag} takes how many there are to be, not {count!r}")
            if flag == "--hosts":
                hosts = int(count), [*arguments[: len(arguments) - len(rest) - 2], *rest]
            else:
                options["devices"] = int(count)
        elif flag.removeprefix("--") in _FLAGS:
            options[flag.removeprefix("--")] = True
        else:
            return _misused(f"cannot understand: run {flag}")
    if not rest or rest == ["-m"]:
        return _misused(None)
    notebook = rest[0].endswith(".ipynb")
    if output is not None and not notebook:
        return _misused("--output is only for notebooks")
    if hosts and (explained or notebook or "TF_CONFIG" in os.environ):
        one = "a notebook" if notebook else "`explain`" if explained else "a process that has a TF_CONFIG"
        return _misused(f"--hosts is not for {one}")
    if hosts:
        return _hosts.run(*hosts)
    if notebook:
        return _notebook.run(rest[0], rest[1:], output, options)
    stats = options.pop("stats", False)
    _modes.apply(**options)
    if stats:
        _statistics.start()
    try:
        if rest[0] == "-m":
            return _run(_run_module, rest[1], rest[2:])
        return _run(_run_script, rest[0], rest[1:])
    finally:
        if stats:
            sys.stdout.flush()
            print(_statistics.text(), file=sys.stderr)


def explain(arguments):
    """Runs the command `explain`; returns the exit status."""
    if arguments[:1] in (["--help"], ["-h"]):
        print(EXPLAIN_USAGE, end="")
        return 0
    if not arguments:
        return _misused(None, EXPLAIN_USAGE)
    engine.explain()
    try:
        return main(arguments, explained=True)
    finally:
        sys.stdout.flush()
        print("\n".join(summary() or ["tfcompat: no tf.function was traced again"]), file=sys.stderr)


def _misused(message, usage=USAGE):
    if message:
        print(f"tfcompat: {message}\n", file=sys.stderr)
    print(usage, end="", file=sys.stderr)
    return 2


def _run(run, target, arguments):
    """Runs `target` and gives the status Python would exit with; an error shows the user's frames only."""
    install()
    try:
        return run(target, arguments) or 0
    except SystemExit:
        raise
    except BaseException as error:
        trimmed = _traceback.trim(error)
        sys.excepthook(type(error), error, error.__traceback__)
        if trimmed:
            print(f"({_traceback.HINT})", file=sys.stderr)
        return 130 if isinstance(error, KeyboardInterrupt) else 1


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
