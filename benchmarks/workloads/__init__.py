"""The programs that are timed, one module each, named as on the command line.

A workload module has a docstring whose first line says what it is, and

  make(tf)      -> step, arguments     TensorFlow code; tfcompat and TensorFlow run this same text
  make_jax()    -> step, arguments     the same computation, functional, under jax.jit: the limit

`step(*arguments)` does one step, keeps its own state and returns one number or array to compare.
"""

import importlib
import pkgutil


def names():
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def load(name):
    return importlib.import_module(f"{__name__}.{name}")


def title(name):
    return (load(name).__doc__ or name).splitlines()[0]
