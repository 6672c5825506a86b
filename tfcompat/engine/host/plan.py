"""Operations that NumPy computes, for small arrays whose shapes keep changing.

XLA compiles each operation for each shape, which costs as much as thousands of runs. Once an operation has been
compiled for several shapes, NumPy computes small arrays of a new shape (episodes, sentences of other lengths), equation
by equation of the jaxpr, until that shape has come often.
"""

import collections
import functools
import math
import threading
from typing import Any

import numpy as np
from jax.core import ShapedArray
from jax.extend.core import Literal

from tfcompat.engine import _policy as policy
from tfcompat.engine._aval import TupleAval
from tfcompat.engine._bind import general_jaxpr, jaxpr_of
from tfcompat.engine._sizes import sizes_known, with_sizes
from tfcompat.engine.host.rules import Unknown, rules
from tfcompat.engine.host.rules.registry import plans_are_made_by

_DTYPES = frozenset(map(np.dtype, "bool int32 int64 uint32 uint64 float32 float64".split()))
_compiled_shapes: collections.Counter = collections.Counter()  # name of an operation -> shapes it was compiled for
_lock = threading.Lock()


def shape_was_compiled(call):
    """`call` was compiled by itself, or with others where structures keep changing."""
    with _lock:
        _compiled_shapes[call.operation.name] += 1


def takes(call):
    """Whether `call` is to be computed on the host, if it can be: of small arrays, in one shape of many."""
    if _compiled_shapes[call.operation.name] < policy.HOST.compiled_shapes:
        return False
    avals = _avals(call)
    return (
        not any(aval.traced or aval.dtype not in _DTYPES or 0 in aval.shape for aval in avals)
        and _elements(avals) <= policy.HOST.max_elements
    )


def _avals(call):
    return (*call.in_avals, *(call.aval.parts if type(call.aval) is TupleAval else (call.aval,)))


def _elements(avals):
    return sum([math.prod(aval.shape) for aval in avals])


class Kernel:
    """Computes one call on the host; in the place of its program."""

    __slots__ = ("sightings", "runs", "_function", "_is_tuple")

    def __init__(self, call):
        self.sightings = 0
        # How often it runs before the call is compiled.
        self.runs = policy.HOST.runs // (1 + _elements(_avals(call)) // policy.HOST.elements_a_run)
        self._is_tuple = type(call.aval) is TupleAval
        self._function = _plan_of(call)

    def run_compiled(self, arrays):
        """As of a program with one result."""
        with np.errstate(all="ignore"):
            results = self._function(*map(np.asarray, arrays))
        # No views: a program may overwrite what they look at.
        results = [x if x.flags.owndata else x.copy() for x in results]
        return (tuple(results) if self._is_tuple else results[0],)


def kernel_of(call):
    """A Kernel, or None where the host is not to compute `call`, or cannot."""
    if not takes(call):
        return None
    try:
        return Kernel(call)
    except Unknown:
        return None


def _plan_of(call):
    """The Plan of a call, from the jaxpr of its family if it is of one."""
    closed = call.member and general_jaxpr(call.member.general)
    if closed:
        try:
            with sizes_known(call.member.sizes):
                return Plan(closed.jaxpr, closed.consts)
        except Unknown:  # perhaps only with symbols
            pass
    closed = jaxpr_of(call)
    return Plan(closed.jaxpr, closed.consts)


class Plan:
    """A jaxpr as functions of arrays, one after the other, with the sizes that its symbols stand for now.

    Raises:
      Unknown: there is no such function for one of its equations.
    """

    __slots__ = ("_known", "_inputs", "_outputs", "_steps")

    def __init__(self, jaxpr, consts):
        self._known = dict(zip(jaxpr.constvars, map(np.asarray, consts), strict=True))
        self._inputs, self._outputs = jaxpr.invars, [_atom(atom) for atom in jaxpr.outvars]
        self._steps = [_step(equation) for equation in jaxpr.eqns]

    def __call__(self, *arrays):
        """The results as a list of arrays."""
        values = self._known | dict(zip(self._inputs, arrays, strict=True))
        for function, atoms, outputs in self._steps:
            results = function(*[x if type(x) is np.ndarray else values[x] for x in atoms])
            for (variable, shape, dtype), result in zip(outputs, results, strict=True):
                values[variable] = np.asarray(result, dtype).reshape(shape)
        return [x if type(x) is np.ndarray else values[x] for x in self._outputs]


def _atom(atom):
    """A literal as an array; variables stay."""
    if not isinstance(atom, Literal):
        return atom
    aval: Any = atom.aval
    return np.asarray(atom.val, aval.dtype)


def _step(equation):
    """(function that returns a list, atoms it takes, (variable, shape, dtype) of each result) of an equation."""
    name = equation.primitive.name
    outputs = [(v, with_sizes(v.aval.shape), v.aval.dtype) for v in equation.outvars]
    avals = [v.aval for v in (*equation.invars, *equation.outvars)]
    if any(aval.dtype not in _DTYPES or 0 in with_sizes(aval.shape) for aval in avals):
        raise Unknown(name)
    rule, params = rules.get(name), {key: with_sizes(value) for key, value in equation.params.items()}
    if rule is None:
        raise Unknown(name)
    function = rule(params, _sized(equation.invars), _sized(equation.outvars))
    if not equation.primitive.multiple_results:
        function = functools.partial(_in_list, function)
    return function, [_atom(atom) for atom in equation.invars], outputs


def _sized(atoms):
    return [ShapedArray(with_sizes(atom.aval.shape), atom.aval.dtype) for atom in atoms]


def _in_list(function, *arrays):
    return [function(*arrays)]


plans_are_made_by(Plan)
