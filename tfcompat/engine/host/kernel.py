"""Kernels of NumPy: single calls, computed by their plans until they are worth compiling."""
import functools
import math
import os

import jax

from tfcompat.engine import _policy as policy
from tfcompat.engine._aval import TupleAval
from tfcompat.engine.host.own_texts import Told
from tfcompat.engine.host.plan import nothing
from tfcompat.engine.host.rules import Unknown
from tfcompat.engine.host.rules.control_flow import within

enabled = os.environ.get("TFCOMPAT_TIERS") != "compiled"
_is_patient = False  # whether loops may take however long


class Kernel:
    """Computes one call by NumPy, in the place of its program.

    `estimate` is how many milliseconds a run takes without its loops, and as how many operations it counts where it is
    compiled; `runs` how often it is run before the call is compiled, `needed` the indices of the inputs that are looked
    at, `function` of arrays gives a list of arrays.
    """

    __slots__ = ("estimate", "function", "needed", "runs", "sightings", "_for_loops", "_is_tuple")

    def __init__(self, call, function):
        self.sightings = 0
        milliseconds = function.milliseconds
        self.estimate = milliseconds, max(function.size / policy.COMPILING.plan_steps, call.weight)
        compilation = policy.COMPILING.kernel + policy.COMPILING.operation * (call.weight - 1)
        self.runs = int(compilation / milliseconds)
        # Milliseconds that all runs together may take for their loops.
        self._for_loops = policy.COMPILING.kernel + policy.COMPILING.step * function.size
        self._is_tuple = type(call.aval) is TupleAval
        self.function = function
        self.needed = function.needed

    def __call__(self, arrays):
        """The result, or the tuple of results.

        Raises:
          TooLong: loops have taken as long as compiling them takes.
        """
        milliseconds = math.inf if _is_patient else self._for_loops
        results, self._for_loops = within(milliseconds, self.function, arrays)
        return tuple(results) if self._is_tuple else results[0]


def is_short(function):
    """Whether a run of a `Sized` takes no longer than to call compiled code, so that it is never worth compiling."""
    return not function.has_loops and function.milliseconds <= policy.HOST.short


def always():
    """Has NumPy compute what it can, whatever the environment says and however long it takes."""
    global enabled, _is_patient
    enabled = _is_patient = True


@functools.cache
def _is_one_cpu():
    """Whether all arrays are in the memory that NumPy computes in."""
    return jax.default_backend() == "cpu" and jax.device_count() == 1


def computes():
    """Whether NumPy may compute anything."""
    return enabled and _is_one_cpu()


def _results(call):
    return call.aval.parts if type(call.aval) is TupleAval else (call.aval,)


def _is_empty(call):
    """Whether no result has an element, so that nothing is computed. Functions of others may do more than compute."""
    is_ours = call.operation.identity is not None or call.member is not None
    return is_ours and all([0 in aval.shape for aval in _results(call)])


def takes(call):
    """Whether NumPy may compute `call`, if there are rules for all that it does."""
    avals = (*call.in_avals, *_results(call))
    return (
        enabled
        and _is_one_cpu()
        and not any([aval.traced or aval.dtype.hasobject for aval in avals])
        and all([type(size) is int for aval in avals for size in aval.shape])
    )


def preparation(call):
    """Milliseconds until `call`, which has no kernel, can be run by itself."""
    if not takes(call):
        return policy.COMPILING.kernel
    if _is_empty(call):
        return 0.0
    if call.member is not None and call.member.family.is_planned:
        return policy.HOST.plan if call.member.family.plan() else policy.COMPILING.kernel
    return policy.HOST.trace * call.weight


def kernel_of(call):
    """A Kernel; None where NumPy is not to compute `call`, or cannot."""
    if not takes(call):
        return None
    if _is_empty(call):
        return Kernel(call, nothing(call.in_avals, _results(call)))
    for function in _functions(call):
        if function is not None:
            return Kernel(call, function)
    return None


def _functions(call):
    """Ways to compute a call: by the plan of its family, by a plan of its own. None for one that fails."""
    of_nothing = any([0 in aval.shape for aval in call.in_avals])
    if call.member is not None:
        plan = call.member.family.plan()
        yield plan and _sized(plan, call.member.sizes, of_nothing)
    if of_nothing and call.member is not None:
        return
    try:
        plan = Told(call).plan(call)
    except Unknown:
        return
    yield _sized(plan, {}, of_nothing)


def _sized(plan, sizes, of_nothing):
    try:
        return None if of_nothing and not plan.takes_nothing else plan.sized(sizes)
    except Unknown:
        return None
