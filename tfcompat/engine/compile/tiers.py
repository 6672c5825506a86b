"""Programs are compiled quickly at first, and fully when they recur.

On a CPU most of the time to the first result is XLA's, which spends most of it on making code fast that may run once. A
program therefore starts without fusion emitters and without LLVM's optimizations. When it has run
`policy.TIERS.hot_runs` times, another thread compiles it fully. From a certain run on the full code is used. Which run
that is depends on the structure alone, never on how long something took, so that a program of the user's gives the same
digits each time.

A program that takes more memory at a time than a thread's heap can hold is compiled once more when it has come often,
so that it takes several pieces; see `memory`. Such code gives the same digits. It cannot be kept on disk.
"""
import atexit
import collections
import contextlib
import math
import os
import sys
import threading
import warnings
from typing import NamedTuple

import jax

from tfcompat.engine import _forked
from tfcompat.engine import _policy as policy
from tfcompat.engine.compile import memory

# XLA's own choice of libraries (YNNPACK), except for convolutions: Eigen uses all threads for most, YNNPACK one.
# Others leave reductions out by this option, too: https://github.com/jax-ml/jax/issues/37465.
FULL = {"xla_cpu_experimental_ynn_fusion_type": "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT,LIBRARY_FUSION_TYPE_REDUCE"}
QUICK = {
    "xla_backend_optimization_level": 0,
    "xla_cpu_use_fusion_emitters": False,
    "xla_cpu_parallel_codegen_split_count": 1,
}
DISPENSABLE = "xla_cpu_use_fusion_emitters"  # of QUICK; the XLA of JAX 0.12 always uses them, and lacks the option
PIECES = "xla_multiheap_size_constraint_per_heap"
enabled = os.environ.get("TFCOMPAT_COMPILE") != "full"
_known = True  # whether this version of XLA has all of the options
# XLA cannot serialize a program that takes its memory in pieces; JAX warns each time.
warnings.filterwarnings("ignore", "Error writing persistent compilation cache entry.*Multiple temp buffer allocations")


def quick(replay, donated):
    """`replay` under `jax.jit`, to be compiled quickly; None if that is not possible."""
    if not enabled or not _known or jax.default_backend() != "cpu":
        return None
    return jax.jit(replay, donate_argnums=donated, compiler_options=FULL | QUICK)


def full(replay, donated):
    """`replay` under `jax.jit`, compiled into the fastest code."""
    return _with({}, replay, donated)


def _with(options, replay, donated):
    options = FULL | options if _known and jax.default_backend() == "cpu" else options
    return jax.jit(replay, donate_argnums=donated, compiler_options=options or None)


def in_pieces(size, replay, donated):
    """`replay` under `jax.jit`, compiled as by `full`, but to take the memory of intermediate values in pieces.

    Args:
      size: bytes of a piece; XLA warns of an array that is larger.
      replay, donated: as for `full`.
    """
    return _with({PIECES: size}, replay, donated)


def size_of_pieces(function, avals, largest):
    """The size in bytes of the pieces in which a function of `full` should take its memory; 0 for one piece.

    Args:
      function: of `full`.
      avals: of its inputs.
      largest: see `Facts`.
    """
    if not memory.largest_in_pieces:
        return 0
    with jax.enable_x64(True):
        facts = function.lower(*avals).compile().memory_analysis()
    if facts is None or not policy.MEMORY.largest_piece < facts.temp_size_in_bytes <= memory.largest_in_pieces:
        return 0
    size = max(policy.MEMORY.largest_piece, largest)
    return size if size < policy.MEMORY.largest_heap else 0


def _largest(jaxpr):
    """Bytes of the largest value that is computed in a jaxpr."""
    sizes = [0]
    for equation in jaxpr.eqns:
        sizes += [math.prod(v.aval.shape) * v.aval.dtype.itemsize for v in equation.outvars if hasattr(v.aval, "shape")]
        sizes += [_largest(part) for value in equation.params.values() for part in jaxprs(value)]
        if equation.primitive.name in made_of:
            sizes.append(_largest(made_of[equation.primitive.name](equation)))
    return max(sizes)


def refused(error):
    """Whether `error` says that this version of XLA lacks some of the options. Later programs do without them."""
    global _known, QUICK
    if not _known or "compile option" not in str(error):
        return False
    if DISPENSABLE in str(error) and DISPENSABLE in QUICK:
        QUICK = {name: value for name, value in QUICK.items() if name != DISPENSABLE}
    else:
        _known = False
    return True


class Facts(NamedTuple):
    """How much there is to compile and to compute in a program.

    Attributes:
      equations: of its jaxpr.
      iterations: how many equations run inside loops, in all iterations. A loop of unknown length counts as one of
        `policy.TIERS.unknown_length` iterations.
      elements: how many all of them compute.
      largest: bytes of the largest value that is computed.
    """

    equations: int
    iterations: int
    elements: int
    largest: int


def facts(jaxpr):
    """The Facts of a jaxpr."""
    with jax.enable_x64(True):  # what an equation becomes on a CPU may be traced
        return Facts(*_cost(jaxpr), _largest(jaxpr))


def _cost(jaxpr):
    equations = iterations = elements = 0
    for equation in jaxpr.eqns:
        inner = [_cost(part) for value in equation.params.values() for part in jaxprs(value)]
        if not inner:
            equations += 1
            elements += _elements(equation)
            continue
        known = equation.params.get("length", 1)
        length = policy.TIERS.unknown_length if equation.primitive.name == "while" else known
        of_each = [sum(parts) for parts in zip(*inner, strict=True)]
        equations += of_each[0]
        iterations += length * (of_each[1] or of_each[0]) if length > 1 else of_each[1]
        elements += length * of_each[2]
    return equations, iterations, elements


# What quick code loses at an element of these primitives, as a multiple of what it loses at a sum: measured.
_LOSS = {
    **dict.fromkeys(["broadcast_in_dim", "copy", "expand_dims", "iota", "reshape", "squeeze", "stop_gradient"], 0),
    "pad": 4,
    **dict.fromkeys(["gather", "scatter", "scatter-add", "select_and_scatter_add"], 4),
    **dict.fromkeys(["exp", "log", "tanh", "erf", "erfc", "logistic"], 7),
    **dict.fromkeys(["log1p", "expm1"], 12),
    **dict.fromkeys(["lgamma", "digamma", "erf_inv"], 40),
    **dict.fromkeys(["cumsum", "cumprod", "cummax", "cummin"], 65),
    **dict.fromkeys(["sort", "threefry2x32", "random_bits"], 160),
}


# Registries that the modules of ops fill, by the name of a primitive: functions of an equation.
counts = {}   # (elements that no library computes, numbers multiplied)
made_of = {}  # the jaxpr of what the equation becomes on a CPU


def _elements(equation):
    """How many elements an equation computes, those of windows counted one by one."""
    name, parameters = equation.primitive.name, equation.params
    if name in counts:
        return counts[name](equation)[0]
    elements = sum(math.prod(out.aval.shape) for out in equation.outvars if hasattr(out.aval, "shape"))
    elements *= _LOSS.get(name, 1) * math.prod(parameters.get("window_dimensions", ()))
    if name == "transpose":
        elements *= 2 if parameters["permutation"][-1] == len(parameters["permutation"]) - 1 else 12
    return elements


def jaxprs(value):
    """The jaxprs in a parameter of an equation."""
    values = value if isinstance(value, tuple | list) else (value,)
    return [part for part in (getattr(v, "jaxpr", v) for v in values) if hasattr(part, "eqns")]


class Upgrade:
    """The compilation of a function, done by another thread.

    Args:
      function: of `full` or `in_pieces`.
      avals: of its inputs, a list of `jax.ShapeDtypeStruct`.
      otherwise: what is used if it cannot be compiled; by default the function, whose error will show.
    """

    def __init__(self, function, avals, otherwise=None):
        self._function, self._avals = function, avals
        self._otherwise = function if otherwise is None else otherwise
        self._done = threading.Event()
        _waiting.append(self)
        _wake()

    def result(self):
        """The compiled function. Waits if it is being compiled; if that has not begun, the caller's thread does it."""
        try:
            _waiting.remove(self)
        except ValueError:
            while not self._done.wait(1.0) and _thread is not None and _thread.is_alive():
                pass  # the thread is gone in a forked process
        else:
            self.run()
        return self._function

    def run(self):
        """Compiles the function."""
        try:
            with jax.enable_x64(True):
                self._function.lower(*self._avals).compile()
        except Exception:
            self._function = self._otherwise
        finally:
            self._done.set()


_waiting: collections.deque = collections.deque()
_lock = threading.RLock()
_thread = None
_leaving = False


@_forked.when_forked
def _forget_thread():
    global _lock, _thread
    _lock, _thread = threading.RLock(), None
    _waiting.clear()


def _wake():
    global _thread
    with _lock:
        if _thread is None:
            _thread = threading.Thread(target=_work, name="tfcompat-compiler", daemon=True)
            _thread.start()


def _work():
    global _thread
    while True:
        with _lock:
            if not _waiting:
                _thread = None
                return
            upgrade = _waiting.popleft()
        upgrade.run()


@atexit.register
def _stop():
    """Ends the thread before the process ends: XLA must not be compiling while it is torn down."""
    _waiting.clear()
    thread = _thread
    if thread is not None and not _leaving:
        thread.join()


def is_compiling():
    """Whether the background thread is compiling."""
    return _thread is not None


def leave(status):
    """Ends the process as Python does, but waits for no compilation, and tears nothing down.

    Only for the caller that runs the whole program, and so knows its exit status.
    """
    global _leaving
    _leaving = True
    threading._shutdown()  # pyright: ignore[reportAttributeAccessIssue]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):
            stream.flush()
    os._exit(status)
