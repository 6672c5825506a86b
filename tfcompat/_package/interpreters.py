"""Where this package can be imported: in the main interpreter of a process, and with a JAX that is new enough.

NumPy and JAX have one state for the whole process. JAX aborts it when it is imported a second time.
"""
import importlib

OLDEST_JAX = "0.10"  # as in pyproject.toml


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


def require_jax():
    """Raises ImportError where JAX is older than `OLDEST_JAX`."""
    import jax  # only after `require_main`

    if jax.__version_info__ < tuple(map(int, OLDEST_JAX.split("."))):
        raise ImportError(
            f"tfcompat needs JAX {OLDEST_JAX} or newer, and this process has imported JAX {jax.__version__}. Where a "
            "newer one is installed by now, restart the process (in a notebook: the runtime)"
        )
