"""Only the main interpreter of a process can import this package.

NumPy and JAX have one state for the whole process. JAX aborts it when it is imported a second time.
"""
import importlib


def require_main():
    """Raises ImportError in a subinterpreter."""
    for name in ("_interpreters", "_xxsubinterpreters"):  # the first from Python 3.13 on
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        if module.get_current() != module.get_main():
            raise ImportError(
                "tfcompat cannot be imported in a subinterpreter: NumPy and JAX work in the main interpreter only. Use "
                "threads or processes; for mod_wsgi, set WSGIApplicationGroup to %{GLOBAL}"
            )
        return
