"""`python -m tfcompat info`: the facts that a bug report needs."""

import importlib.metadata
import os
import pathlib
import platform
import sys

import jax

from tfcompat import _native, config, version
from tfcompat._tools import _install
from tfcompat._tools._verdict import differences

# Every environment variable that is looked at, and what it does.
VARIABLES = {
    "TFCOMPAT_EXECUTION": "`immediate` runs each operation as it is called; `deferred` is the default",
    "TFCOMPAT_CACHE": "a folder for compiled programs, or `off`; by default ~/.cache/tfcompat",
    "TFCOMPAT_CHECKS": (
        "`off` checks no values (indices, labels, divisors, matrices); `on` also where TensorFlow does not: GPU, TPU"
    ),
    "TFCOMPAT_TIERS": "`compiled` compiles each program before its first run; by default NumPy interprets what is new",
    "TFCOMPAT_COMPILE": "`full` lets XLA optimize each program from its first run on, not only those that recur",
    "TFCOMPAT_MALLOC": "`system` returns memory after each program, `large` also keeps arrays above 64 MB",
    "TFCOMPAT_NATIVE": "`off` records operations in Python, as if the C parts were not built",
    "TFCOMPAT_EXPLAIN": "`1` prints on stderr why each program is compiled",
    "TFCOMPAT_CLUSTER_TIMEOUT": "seconds that the processes of a cluster wait for each other, 300 by default",
    "TFCOMPAT_DEBUG": "`1` keeps the line of each operation, for `tape.explain` and `tape.draw`",
    "TFCOMPAT_X32": "`1` lets `run` compute float64 in float32 (`run --x32`)",
    "TFCOMPAT_TRACEBACK": "`full` shows the frames of tfcompat and JAX in the tracebacks of `run`",
}
_OTHERS = ("JAX_", "XLA_", "KERAS_BACKEND", "TF_USE_LEGACY_KERAS")
_PACKAGES = ("jax", "jaxlib", "numpy", "ml_dtypes", "diastatic-malt", "safetensors", "flatbuffers", "nbclient")


def main(arguments):
    """Runs the command; returns the exit status."""
    if arguments:
        print(f"usage: python -m tfcompat info\n\n{__doc__}", file=sys.stdout if "-h" in arguments[0] else sys.stderr)
        return 0 if arguments[0] in ("-h", "--help") else 2
    for name, value in facts():
        print(f"{name + ':':<22}{value}")
    return 0


def facts():
    """list of (name, text)."""
    found = [("tfcompat", version.TFCOMPAT_VERSION), ("as TensorFlow", version.VERSION)]
    found += [("Python", f"{platform.python_version()} ({platform.python_implementation()})")]
    found += [("system", f"{platform.platform()}, {os.cpu_count()} processors")]
    for package in _PACKAGES:
        try:
            found.append((package, importlib.metadata.version(package)))
        except importlib.metadata.PackageNotFoundError:
            found.append((package, "not installed"))
    found.append(("devices", ", ".join(f"{d.platform} {d.id} ({d.device_kind})" for d in jax.devices())))
    found.append(("execution", config.get_execution()))
    found.append(("compiled recorder", _native.missing or "yes"))
    found.append(("compiled programs", _cache(jax.config.jax_compilation_cache_dir)))
    found.append(("known differences", str(len(differences()))))
    found += [(name, os.environ[name]) for name in VARIABLES if name in os.environ]
    found += [(name, value) for name, value in sorted(os.environ.items()) if name.startswith(_OTHERS)]
    found.append(("tf.keras", _keras()))
    found.append(("real TensorFlow", _installed("tensorflow", ", not used")))
    return found


def _cache(folder):
    if not folder:
        return "kept in memory only"
    files = [path for path in pathlib.Path(folder).glob("*") if path.is_file()] if os.path.isdir(folder) else []
    size = sum(path.stat().st_size for path in files)
    return f"{folder}: {len(files)} files, {size / 2**20:.0f} MiB"


def _keras():
    """Which Keras `tf.keras` is, and what becomes of Keras 3."""
    keras_3 = _installed("keras")
    if _install.wants_keras_3():
        return f"Keras 3, by TF_USE_LEGACY_KERAS=0: {keras_3}"
    return f"Keras 2, of tfcompat; Keras 3: {keras_3}"


def _installed(package, otherwise=""):
    for name in (package, f"{package}-cpu"):
        try:
            return f"{importlib.metadata.version(name)} installed{otherwise}"
        except importlib.metadata.PackageNotFoundError:
            continue
    return "not installed"
