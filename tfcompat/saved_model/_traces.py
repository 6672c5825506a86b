"""Functions that are saved are traced for unknown sizes and ranks, once for all that is written of them."""

import contextlib
import itertools
import re

from tfcompat import nest
from tfcompat._core.new_sizes import sizes_of_results_may_be_new
from tfcompat._core.spec import TensorSpec, TypeSpec
from tfcompat._core.steps import all_steps
from tfcompat._core.symbolic_sizes import symbolic_shapes
from tfcompat._core.variable import ResourceVariable, variable_behind
from tfcompat._tracing.eagerly import needs_values
from tfcompat.autograph._errors import cause_of
from tfcompat.distribute._variables import as_replica
from tfcompat.errors import UnimplementedError
from tfcompat.function import Function
from tfcompat.function._arguments import Arguments
from tfcompat.function._trace import trace_for_all_values

MAX_RANK = 5  # a TensorSpec of unknown rank is saved for ranks 0 to this
MAX_TRACES = 40  # to find the sizes that a function needs; there may be as many as ways to choose axes
_ABSURD, _NEAR = 1_000_003, 1000  # a size that nothing has, and how far sizes computed from it may be from it


def identity(obj):
    """What tells objects apart. Each look-up of a method makes a new function, but its traces are kept."""
    return id(obj._traces if isinstance(obj, Function) else obj)


def variable_saved(x):
    """What is saved for `x`: as `variable_behind`, and for the part of a replica the variable of all replicas."""
    x = variable_behind(x)
    return getattr(x, "_container", x) if isinstance(x, ResourceVariable) else x


def specs_in(args, kwargs):
    """The list of TensorSpecs in the arguments of a signature."""
    return [s for s in nest.flatten((args, kwargs), expand_composites=True) if isinstance(s, TensorSpec)]


class Traces:
    """Traces of functions."""

    def __init__(self):
        self._signatures: dict = {}  # function -> (the function, which stays alive, list of its signatures)
        self._known: dict = {}       # function, signature, shapes -> (Arguments, trace), or the error of tracing
        self._left = 0               # how often a function may still be traced to find sizes

    def signatures(self, function):
        """List of (args, kwargs), the same objects at each call."""
        return self._signatures.setdefault(identity(function), (function, list(function._signatures())))[1]

    def by_rank(self, function, args, kwargs, *uses):
        """Dict from ranks, for specs of unknown rank, to what one of `uses` makes; from None if all ranks are known.

        Args:
          function: Function, concrete or restored function.
          args, kwargs: one of its `signatures`.
          *uses: functions of (shapes, Arguments, trace), of which the first is taken that raises nothing.

        Raises:
          tf.errors.UnimplementedError: there is no such trace, or a use raises it.
        """
        specs = specs_in(args, kwargs)
        ranks = range(MAX_RANK + 1) if any(s.shape.rank is None for s in specs) else (None,)
        made, errors = {}, []
        self._left = MAX_TRACES
        for rank in ranks:
            shapes = [[None] * rank if s.shape.rank is None else s.shape.as_list() for s in specs]
            try:
                made[rank] = self._for_shapes(function, args, kwargs, shapes, uses)
            except Exception as error:
                errors.append(error)  # a function need not take every rank
        if not made:
            raise errors[0]
        return made

    def _for_shapes(self, function, args, kwargs, shapes, uses):
        """What the first of `uses` makes for shapes; with as few sizes more as the function seems to need."""
        try:
            return self._for_these(function, args, kwargs, shapes, uses)
        except _NoTrace as e:
            error = e.__cause__
        waiting = [shapes]
        while waiting:
            some = waiting.pop(0)
            for known in self._with_a_size(function, args, kwargs, some):
                try:
                    made = self._for_these(function, args, kwargs, known, uses)
                except Exception:  # it was another size, or there is one more
                    waiting.append(known)
                    continue
                if self._are_needed(function, args, kwargs, shapes, known):
                    return made
        raise UnimplementedError(
            None, None,
            f"tf.saved_model.save: {function.name} cannot be exported for the unknown sizes in {shapes}: "
            f"{cause_of(error).splitlines()[0]}. Give sizes in the input_signature.",
        ) from error  # fmt: skip

    def _for_these(self, function, args, kwargs, shapes, uses):
        error = None
        # If different names fail, sizes get one name: those of the batch, then all.
        for use, shared in itertools.product(uses, _sharings(shapes)):
            try:
                return use(shapes, *self.trace(function, args, kwargs, shapes, shared))
            except Exception as e:  # JAX raises various errors for sizes that it cannot compare
                error = error or e
                if not any(d is None for s in shapes for d in s) and not needs_values(e):
                    raise
                if isinstance(e, UnimplementedError):
                    break
        for use in uses:
            with contextlib.suppress(Exception), sizes_of_results_may_be_new():
                return use(shapes, *self.trace(function, args, kwargs, shapes, (), "new sizes"))
        if isinstance(error, UnimplementedError):
            raise error
        raise _NoTrace from error

    def trace(self, function, args, kwargs, shapes, shared=(), way=None):
        """(Arguments, trace), of this `way` of tracing, in whose context it is called; raises what tracing raises.

        Args:
          function, args, kwargs: as for `by_rank`.
          shapes: a list for each spec, of sizes or None.
          shared: axes whose unknown sizes are one symbol.
          way: name of the context.
        """
        key = identity(function), id(args), id(kwargs), repr(shapes), shared, way
        if key not in self._known:
            try:
                arguments = Arguments(args, kwargs, symbolic_shapes(shapes, shared))
                with all_steps():
                    trace = trace_for_all_values(function, arguments)
                    if any(variable_saved(v) is not v for v in trace.variables):
                        with as_replica(0):  # what is saved has one part of a variable: it is read and assigned once
                            trace = trace_for_all_values(function, arguments)
                self._known[key] = arguments, trace
            except Exception as error:
                self._known[key] = error
        known = self._known[key]
        if isinstance(known, Exception):
            raise known
        return known

    def _with_a_size(self, function, args, kwargs, shapes):
        """Yields `shapes` with one more known size, if that seems to be needed because the size must fit a weight.

        The error that an absurd size causes tells the size that the function needs.
        """
        for i, shape in enumerate(shapes):
            for axis in [axis for axis, size in enumerate(shape) if size is None][::-1]:

                if self._left <= 0:
                    return

                def having(size, i=i, axis=axis):
                    return [*shapes[:i], [*shapes[i][:axis], size, *shapes[i][axis + 1 :]], *shapes[i + 1 :]]

                complaint = self._complaint(function, args, kwargs, having(_ABSURD))
                numbers = [int(n) for n in re.findall(r"\b\d+\b", complaint)]
                differences = {n - _ABSURD for n in numbers if abs(n - _ABSURD) < _NEAR}
                wanted = {n - d: None for d in differences for n in numbers if abs(n - _ABSURD) >= _NEAR and n > d}
                for size in sorted(wanted, key=lambda n: n == 1):  # size 1 fits by broadcasting, but is hardly meant
                    # It need not only divide the size, or be the largest.
                    if all(self._complaint(function, args, kwargs, having(n)) for n in {2 * size, size - 1} - {0, 1}):
                        yield having(size)

    def _are_needed(self, function, args, kwargs, shapes, known):
        """Whether the function takes no other sizes where `known` has some and `shapes` has none: one, or all of them.
        """
        pairs = zip(shapes, known, strict=True)
        added = [(i, j) for i, (before, after) in enumerate(pairs) for j, n in enumerate(before) if n != after[j]]
        for places in [[place] for place in added] + [added] * (len(added) > 1):
            rest = known[places[0][0]][places[0][1]]
            other = [[rest if n is None else n for n in shape] for shape in known]
            for i, j in places:
                other[i][j] += 1
            if not self._complaint(function, args, kwargs, other):
                return False
        return True

    def _complaint(self, function, args, kwargs, shapes):
        """The error of tracing the function for such shapes, without lines of code; empty if there is none."""
        self._left -= 1
        try:
            self.trace(function, args, kwargs, shapes)
        except Exception as error:
            return cause_of(error)
        return ""


class _NoTrace(Exception):
    """A function cannot be traced for such sizes, or what is traced cannot be used."""


def _sharings(shapes):
    """Sets of axes whose unknown sizes may be one symbol for all shapes; each makes other symbols than those before."""
    ranks = range(max(map(len, shapes), default=0))
    shared = [axis for axis in ranks if sum(s[axis : axis + 1] == [None] for s in shapes) > 1]
    return dict.fromkeys([(), tuple(axis for axis in shared if axis == 0), tuple(shared)])


def of_all_ranks(results):
    """The results of a function for several ranks as one nest, in which specs say what is common to them."""
    return nest.map_structure(_common, *results)


def _common(*specs):
    first, *others = specs
    if isinstance(first, TensorSpec):
        return TensorSpec(first.shape.most_specific_common_supertype([x.shape for x in others]), first.dtype)
    return first.most_specific_common_supertype(others) if isinstance(first, TypeSpec) and others else first
