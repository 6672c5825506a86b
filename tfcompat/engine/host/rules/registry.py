"""The table of rules, and what all kinds of them share."""

import functools

import jax
import ml_dtypes
import numpy as np


class Unknown(Exception):
    """There is no NumPy version of a primitive, or not for these parameters or dtypes."""


rules = {}  # name of a primitive -> its rule
same_as = {}  # name of a primitive -> function of (parameters, avals) to name and parameters of one that is the same
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
_NARROW = {BFLOAT16, np.dtype(np.float16)}


class _Planner:
    make = None


def plans_are_made_by(make):
    """Tells rules of primitives that hold jaxprs how to compute these.

    Args:
      make: function of a jaxpr and its constants that gives a function of arrays, which returns a list of arrays.
    """
    _Planner.make = make


def named(equation):
    """Name and parameters of an equation's primitive, or of the one in `same_as` that computes the same."""
    name, params = equation.primitive.name, equation.params
    return same_as[name](params, [atom.aval for atom in equation.invars]) if name in same_as else (name, params)


def function_of(jaxpr, consts):
    """A jaxpr as a function of arrays, which returns a list of arrays."""
    assert _Planner.make is not None
    return _Planner.make(jaxpr, consts)


def by_tracing(function, several=False):
    """The rule of a primitive that is a JAX function of its arrays and parameters, which is traced for each equation.

    Args:
      function: called with arrays and, by name, parameters.
      several: whether it gives a list of arrays.
    """

    def closed(params, in_avals):
        shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in in_avals]
        with jax.enable_x64(True):
            return jax.make_jaxpr(functools.partial(function, **params))(*shapes)

    def rule(params, in_avals, out_avals):
        jaxpr = closed(params, in_avals)
        computed = function_of(jaxpr.jaxpr, jaxpr.consts)
        return computed if several else lambda *arrays: computed(*arrays)[0]

    rule.closed = closed
    return rule


twins = {}  # name of a function under `jax.jit` -> function of its avals and those of its results: has it a twin


def twin(name, accepts, rule):
    """Has NumPy compute the calls of a function under `jax.jit` by a rule of its own, not step by step.

    Args:
      name: of the function, which no primitive has.
      accepts: function of the avals of arguments and of results, whose sizes may be symbols: whether the rule is for
        them. The function may have been mapped or differentiated.
      rule: as those of primitives. Its results are those of the function to the last bit.
    """
    twins[name], rules[name] = accepts, rule


def plain(function):
    """The rule of a primitive that is one function of its arrays, whatever its parameters."""

    def rule(params, in_avals, out_avals):
        return function

    rule.function = function
    return rule


def is_narrow(dtype):
    """Whether XLA computes sums and functions of this dtype in float32 and rounds the result."""
    return dtype in _NARROW


def is_floating(dtype):
    return dtype.kind == "f" or dtype == BFLOAT16


def widened(function, dtype):
    """A function of floating arrays that computes in float32 what is narrower, and gives `dtype`."""

    def computed(*arrays):
        return function(*[x.astype(np.float32) for x in arrays]).astype(dtype)

    return computed if is_narrow(dtype) else function
