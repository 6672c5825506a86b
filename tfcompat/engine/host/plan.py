"""Plans: how NumPy computes a call, equation by equation of its jaxpr.

XLA compiles an operation for each shape, which costs as much as thousands of runs of NumPy on small arrays. A plan
belongs to a family of calls: sizes in it may be symbols. It is data, and can be stored. For sizes that are known it
becomes a function of arrays.
"""
import math
from typing import Any

import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

from tfcompat.engine import _sizes
from tfcompat.engine._policy import HOST
from tfcompat.engine.host.rules import Unknown, control_flow, named, rules, twins
from tfcompat.engine.host.rules.elementwise import unchanged
from tfcompat.engine.host.rules.registry import plans_are_made_by


class Size(str):
    """An expression of symbols, in place of a size."""

    __slots__ = ()


class Plan:
    """A jaxpr as data.

    Attributes:
      avals: (shape, dtype) of each variable: inputs first, then constants, then what the steps compute.
      arity: the number of inputs.
      constants: arrays, of the variables after the inputs.
      steps: (name of the primitive, parameters, arguments, variables of the results, whether these are a list).
      outputs: arguments. An argument is the number of a variable, or the array of a literal.
      size: how many steps there are, with those of branches and of the bodies of loops, and of what has a twin.
      has_loops: whether there are loops among them.
    """

    __slots__ = ("arity", "avals", "constants", "outputs", "size", "steps", "has_loops", "_fixed")

    def __init__(self, arity, avals, constants, steps, outputs):
        self.arity, self.avals, self.constants, self.steps, self.outputs = arity, avals, constants, steps, outputs
        self._fixed = frozenset(k for k, step in enumerate(steps) if not _has_sizes(step[1].values()))
        inner = [plan for step in steps for plan in _plans_of(step[1].values())]
        self.size = sum([step[1].get("equations", 1) for step in steps]) + sum([plan.size for plan in inner])
        self.has_loops = any([step[0] in ("scan", "while") for step in steps]) or any([p.has_loops for p in inner])

    @property
    def takes_nothing(self):
        """Whether NumPy computes as XLA does where arrays have no elements. XLA's 0 / 0 is not NumPy's."""
        return _OF_NOTHING.issuperset([step[0] for step in self.steps])

    @classmethod
    def of(cls, closed):
        """The plan of a closed jaxpr.

        Raises:
          Unknown: there is no rule for one of its primitives.
        """
        jaxpr, making = closed.jaxpr, _Making()
        inputs = [making.variable(variable.aval) for variable in jaxpr.invars]
        constants = [making.variable(variable.aval) for variable in jaxpr.constvars]
        outputs = tuple(making.results_of(jaxpr, constants, inputs))
        constants = list(map(np.asarray, closed.consts))
        return cls(len(inputs), making.avals, constants, _needed(making.steps, outputs), outputs)

    def sized(self, sizes):
        """The plan as a function of arrays that returns a list of arrays, with `sizes` of symbols, by name.

        Raises:
          Unknown: there is no rule for one of the steps with these parameters.
        """
        known: dict = {}  # most shapes recur
        for aval in self.avals:
            if aval not in known:
                shape, dtype = aval
                known[aval] = _Known(tuple([n if type(n) is int else _sizes.evaluated(n, sizes) for n in shape]), dtype)
        avals = [known[aval] for aval in self.avals]
        values: list = [None] * len(avals)
        values[self.arity : self.arity + len(self.constants)] = self.constants
        steps, elements, same = [], 0.0, {}  # `same`: variables that are another one

        def place(argument):
            if type(argument) is int:
                return same.get(argument, argument)
            values.append(argument)
            avals.append(_Known(argument.shape, argument.dtype))
            return len(values) - 1

        for k, (name, params, arguments, results, is_list) in enumerate(self.steps):
            places, rule = tuple(map(place, arguments)), rules[name]
            function = getattr(rule, "function", None)  # for whatever parameters and sizes
            if function is None:
                known_params = params if k in self._fixed else with_sizes(params, sizes)
                in_avals, of_results = [avals[i] for i in places], [avals[i] for i in results]
                function = rule(known_params, in_avals, of_results)
                elements += _work(name, known_params, in_avals, of_results)
                elements += HOST.twin / HOST.element if name in twins else 0.0
            elif function is not unchanged:
                elements += avals[results[0]].size * _COST.get(name, 1)
            if function is unchanged:
                same[results[0]] = places[0]
                continue
            if is_list:
                steps.append((function, places, results))
            elif len(places) == 2:
                steps.append((function, *places, results[0]))
            else:
                steps.append((function, places, results[0]))
        outputs = tuple(map(place, self.outputs))
        out_avals = [avals[i] for i in outputs]
        return Sized(avals[: self.arity], values, steps, outputs, elements, out_avals, self.size, self.has_loops)


class _Making:
    """The steps and variables of a plan as it is made of a jaxpr, with the jaxprs that this one calls.

    Equations that are the same as one before take its results.
    """

    def __init__(self):
        self.avals: list = []
        self.steps: list = []
        self._results: dict = {}  # by what identifies a step

    def variable(self, aval):
        """The number of a new variable."""
        self.avals.append((stated(aval.shape), np.dtype(aval.dtype)))
        return len(self.avals) - 1

    def results_of(self, jaxpr, constants, inputs):
        """The arguments that stand for the results of a jaxpr whose inputs and constants are these arguments."""
        known = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*constants, *inputs), strict=True))

        def argument(atom):
            if isinstance(atom, Literal):
                aval: Any = atom.aval
                return np.asarray(atom.val, aval.dtype)
            return known[atom]

        for equation in jaxpr.eqns:
            results = self._computed(equation, list(map(argument, equation.invars)))
            known.update(zip(equation.outvars, results, strict=True))
        return list(map(argument, jaxpr.outvars))

    def _computed(self, equation, arguments):
        """The arguments that stand for the results of an equation."""
        name, params = named(equation)
        if name not in rules and name not in control_flow.INLINED:
            raise Unknown(name)
        if name == "platform_index":
            return [control_flow.platform(params)]
        if name in control_flow.CALLS and _has_twin(equation):
            name, params = params["name"], {"equations": _equations_of(params["jaxpr"].jaxpr)}
        called = _traced(equation, arguments) or control_flow.called(name, params, arguments)
        if called is not None:
            closed, arguments = called
            return self.results_of(closed.jaxpr, list(map(np.asarray, closed.consts)), arguments)
        params = _told(name, params)
        key = None if equation.effects else _key_of(name, params, arguments)
        results = self._results.get(key)
        if results is None:
            results = tuple([self.variable(variable.aval) for variable in equation.outvars])
            self.steps.append((name, params, tuple(arguments), results, equation.primitive.multiple_results))
            if key is not None:
                self._results[key] = results
        return results


def _has_twin(equation):
    """Whether an equation calls a function that NumPy has a rule for."""
    accepts = twins.get(equation.params.get("name"))
    return accepts is not None and accepts(*[[x.aval for x in xs] for xs in (equation.invars, equation.outvars)])


def _equations_of(jaxpr):
    """How many equations there are in a jaxpr and in those that it holds."""
    inner = [getattr(x, "jaxpr", x) for equation in jaxpr.eqns for value in equation.params.values()
             for x in (value if type(value) is tuple else (value,)) if type(x) in (Jaxpr, ClosedJaxpr)]  # fmt: skip
    return len(jaxpr.eqns) + sum(map(_equations_of, inner))


def _traced(equation, arguments):
    """The closed jaxpr of an equation whose rule is traced, and its arguments; None if sizes or the rule forbid."""
    trace = getattr(rules.get(equation.primitive.name), "closed", None)
    avals = [atom.aval for atom in equation.invars]
    if trace is None or not all([type(size) is int for aval in avals for size in aval.shape]):
        return None
    return trace(equation.params, avals), arguments


def _key_of(name, params, arguments):
    """What identifies a step; None if it is not to be compared."""
    told = [k if type(k) is int else (k.dtype.str, k.shape, k.tobytes()) for k in arguments]
    key = name, tuple(sorted(params.items())), tuple(told)
    try:
        hash(key)
    except TypeError:
        return None
    return key


def _needed(steps, outputs):
    """The steps that the outputs depend on."""
    used = {argument for argument in outputs if type(argument) is int}
    kept = []
    for step in reversed(steps):
        _, _, arguments, results, _ = step
        if not used.isdisjoint(results):
            used.update([argument for argument in arguments if type(argument) is int])
            kept.append(step)
    return kept[::-1]


class Sized:
    """A plan with sizes that are known: a function of arrays.

    `in_avals` and `out_avals` have the shapes and dtypes of its arrays and results. `steps` is how many steps there
    are, `elements` what they compute, in elements of a sum, `size` and `has_loops` those of the plan.
    """

    __slots__ = ("elements", "has_loops", "in_avals", "out_avals", "size", "steps", "_outputs", "_steps", "_values")

    def __init__(self, in_avals, values, steps, outputs, elements, out_avals, size, has_loops=False):
        self._values, self._steps, self._outputs = values, steps, outputs
        self.in_avals, self.out_avals, self.size, self.has_loops = in_avals, out_avals, size, has_loops
        inner = [step[0] for step in steps if type(step[0]) is Sized]
        self.steps = len(steps) + sum([each.steps for each in inner])
        self.elements = elements + sum([each.elements for each in inner])

    @property
    def milliseconds(self):
        """What a run is estimated to take, with no turn of its loops."""
        return HOST.step * (self.steps + 1) + HOST.element * self.elements

    @property
    def needed(self):
        """The indices of the inputs that steps or results use."""
        used = set(self._outputs)
        for step in self._steps:
            used.update(step[1:3] if len(step) == 4 else step[1])
        return [i for i in range(len(self.in_avals)) if i in used]

    def __call__(self, *arrays):
        values = self._values.copy()
        values[: len(arrays)] = arrays
        for step in self._steps:
            if len(step) == 4:
                function, first, second, result = step
                values[result] = function(values[first], values[second])
                continue
            function, places, results = step
            if type(results) is int:
                values[results] = function(*[values[i] for i in places])
            else:
                for i, value in zip(results, function(*[values[i] for i in places]), strict=True):
                    values[i] = value
        return [values[i] for i in self._outputs]


def nothing(in_avals, out_avals):
    """The `Sized` of a call whose results have no elements."""
    values = [None] * len(in_avals) + [np.empty(aval.shape, aval.dtype) for aval in out_avals]
    return Sized(in_avals, values, [], range(len(in_avals), len(values)), 0.0, out_avals, 0)


class _Known:
    """Shape and dtype of a variable, for rules."""

    __slots__ = ("dtype", "shape", "size")

    def __init__(self, shape, dtype):
        self.shape, self.dtype, self.size = shape, dtype, math.prod(shape)

    @property
    def ndim(self):
        return len(self.shape)


# What an element of a primitive takes NumPy, as a multiple of an element of a sum.
_COST = {
    **dict.fromkeys("cos erf erfc exp expm1 log log1p logistic pow sin tan tanh".split(), 8),
    **dict.fromkeys("digamma erf_inv igamma igammac lgamma polygamma zeta".split(), 60),
    **dict.fromkeys("gather dynamic_slice select_n".split(), 4),
    **dict.fromkeys("scatter scatter-add scatter-max scatter-min scatter-mul sort top_k".split(), 60),
}


# Primitives that do the same as in XLA where an array has no elements.
_OF_NOTHING = frozenset(
    "add and broadcast_in_dim concatenate convert_element_type copy eq expand_dims ge gt iota le lt max min mul ne neg"
    " not or pad reduce_and reduce_or reduce_sum reshape rev select_n slice squeeze stop_gradient sub transpose xor"
    "".split()
)


def _work(name, params, in_avals, out_avals):
    """What a step computes, in elements of a sum."""
    if name == "dot_general":
        (axes, _), _ = params["dimension_numbers"]
        return out_avals[0].size * math.prod([in_avals[0].shape[i] for i in axes]) / 8
    if name == "conv_general_dilated":
        kernel = in_avals[1]
        return out_avals[0].size * kernel.size / max(kernel.shape[params["dimension_numbers"].rhs_spec[0]], 1) / 2
    largest = max([aval.size for aval in (*in_avals, *out_avals)], default=1)
    return largest * _COST.get(name, 1)


def _told(name, params):
    """The parameters of an equation that say what is computed, as data."""
    if name == "scan":
        return {key: stated(params[key]) for key in ("jaxpr", "length", "reverse")}
    if name.startswith("scatter"):
        jaxpr = params.get("update_jaxpr")
        is_plain = name != "scatter" or jaxpr is None or not jaxpr.eqns and jaxpr.outvars[0] is jaxpr.invars[-1]
        if is_plain:
            params = {**params, "update_jaxpr": None, "update_consts": ()}
    holds_jaxprs = name in control_flow.RULES
    return {
        key: stated(value) if holds_jaxprs or type(value) not in (Jaxpr, ClosedJaxpr) else value
        for key, value in params.items()
        if "sharding" not in key and key != "memory_space" and (holds_jaxprs or not callable(value))
    }  # fmt: skip


def stated(value) -> Any:
    """A parameter as data: expressions of sizes as `Size`, jaxprs as plans."""
    kind = type(value)
    if kind is int or kind is str or kind is bool or value is None:
        return value
    if kind is ClosedJaxpr:
        return Plan.of(value)
    if kind is Jaxpr:
        return Plan.of(ClosedJaxpr(value, ()))
    if isinstance(value, tuple | list):
        parts = [stated(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return Size(value) if _sizes.has_symbols(value) else value


def _plans_of(values):
    """The plans among parameters."""
    return [part for value in values for part in (value if type(value) is tuple else (value,)) if type(part) is Plan]


def _has_sizes(values):
    for value in values:
        kind = type(value)
        if kind is Size or kind is Plan or isinstance(value, tuple) and _has_sizes(value):
            return True
    return False


def with_sizes(value, sizes) -> Any:
    """A shape or a parameter of a plan, with sizes that are known."""
    kind = type(value)
    if kind is int or kind is str or kind is bool or value is None:
        return value
    if kind is Size:
        return _sizes.evaluated(value, sizes)
    if kind is tuple:
        return tuple([with_sizes(part, sizes) for part in value])
    if kind is dict:
        return {name: with_sizes(part, sizes) for name, part in value.items()}
    if kind is Plan:
        return value.sized(sizes)
    if hasattr(value, "_fields"):
        return kind(*[with_sizes(part, sizes) for part in value])
    return value


plans_are_made_by(lambda jaxpr, consts: Plan.of(ClosedJaxpr(jaxpr, consts)).sized({}))
