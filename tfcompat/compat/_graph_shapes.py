"""What an operation of a graph gives, before it is computed: learned by a trial, as for layers of functional models."""

import itertools
from typing import Any

import numpy as np

from tfcompat import engine, nest
from tfcompat._core import graphs, trial
from tfcompat._core.convert import convert_to_tensor, to_node
from tfcompat._core.graph_constants import is_check, partly_known
from tfcompat._core.graphs import Graph as Graph
from tfcompat._core.graphs import GraphTensor, Inferred, Recorded, Result
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec
from tfcompat._core.streams import Frame, entered_here
from tfcompat._core.tensor import wrap
from tfcompat._core.variable import ResourceVariable
from tfcompat.compat._graph_composites import rebuilt, without_class
from tfcompat.errors import UnimplementedError
from tfcompat.layers._layer.shapes import relaxed
from tfcompat.layers._symbolic.keras_tensor import KerasTensor
from tfcompat.layers._symbolic.symbolic_call import inferred as inferred_for_sizes
from tfcompat.layers._symbolic.trial_sizes import SIZES, between

# Kernels, and functions, that make sizes of the values of integers.
_OF_SIZES = frozenset(
    "range fill tile reshape broadcastto onehot zeros ones normal uniform truncatednormal sequencemask repeat eye "
    "linspace randomnormal randomuniform".split()
)
# Kernels whose results have the dtype of their first tensor, and a rank that values of another one may decide.
_OF_FIRST_DTYPE = frozenset(
    "reshape sum mean max min prod any all transpose pad padv2 mirrorpad slice stridedslice tile broadcastto squeeze "
    "reverse cumsum cumprod".split()
)
_OF_DATA = frozenset(["concat", "concatv2", "pack", "stack"])  # kernels that take integers for no sizes or axes
_FIRST = ("input_tensor", "tensor", "input", "a", "x", "input_")  # names of that tensor
_RANKS = range(5)  # tried where a rank is not known
_FEW_RANKS, _MOST_OF_OTHER_RANKS = range(3), 3  # tried where a few tensors have not the same rank
_MOST_KEPT = 2000
_kept: dict = {}


class _StandIn(KerasTensor):
    """A KerasTensor without history."""

    @property
    def type_spec(self) -> Any:
        return TensorSpec(self.shape, self.dtype)


def stand_in_of(shape, dtype):
    """What `inferred` takes in place of a tensor of this shape that is not in the graph."""
    return _StandIn(TensorShape(shape), dtype)


class _Trial:
    """Stands for tensors and variables of the graph that functions among the arguments use, and notes them."""

    def __init__(self, graph, rank):
        self.graph, self.rank = graph, rank
        self.tensors: dict = {}
        self.used: dict = {}  # all that any trial has used, in this order
        self.variables: dict = {}
        self.draws = self.unseeded = 0

    def value_of(self, tensor):
        _mark_trace()
        if tensor not in self.tensors:
            self.tensors[tensor] = _made_up(tensor, self.rank)
        self.used[tensor] = True
        return self.tensors[tensor]

    def variable(self, variable):
        _mark_trace()
        if variable not in self.variables:
            shape = [1 if size is None else size for size in _with_rank(variable, self.rank).as_list()]
            with engine.eager_scope():
                self.variables[variable] = ResourceVariable(
                    np.zeros(shape, variable.dtype.np), trainable=variable.trainable, name=f"{variable._name}/"
                )
        return self.variables[variable]

    def has(self, variable):
        return True

    def call(self, variable, method, *args):
        return convert_to_tensor(self.variable(variable))


class _Known(_Trial):
    """Stands for tensors of known shape, in a trace that is asked for where a graph is built."""

    def __init__(self, graph):
        super().__init__(graph, None)

    def value_of(self, tensor):
        if not tensor.shape.is_fully_defined():
            raise UnimplementedError(
                None, None,
                f"get_concrete_function in a tf.Graph, of a function that uses {tensor}, whose shape is not known, is "
                "not available in tfcompat: call the function",
            )  # fmt: skip
        return super().value_of(tensor)


def _mark_trace():
    """Notes that a function that is being traced uses a stand-in."""
    trace = engine.function_trace(engine.state.graph)
    if trace is not None:
        trace.of_stand_ins = True


class _Call:
    """A call of a function, in the form of a layer that takes (args, kwargs, tensors that it captures)."""

    name = "graph"

    def __init__(self, function, run, captures):
        self._function, self._run, self._captures = function, run, captures

    def _flatten_layers(self):
        return []

    def __call__(self, inputs):
        args, kwargs, captured = inputs
        run = self._run
        frame = Frame(None, {})
        frame.seed = run.graph.seed
        run.variables.clear()
        run.tensors = dict(zip(self._captures, rebuilt(captured), strict=True))
        with graphs.computing(run), entered_here(frame):
            result = self._function(*args, **kwargs)
        run.draws, run.unseeded = frame._count, frame.unseeded
        return nest.map_structure(_as_result, result)


def _as_result(x):
    return x.read_value() if isinstance(x, ResourceVariable) else without_class(x)


def _made_up(tensor, rank):
    """A tensor in place of one of the graph: its value where that is known or follows from sizes, else zeros."""
    known = tensor.folded_value() if tensor._result.shape.is_fully_defined() else tensor.known_value()
    samples, size = tensor._result.samples, trial.current().sample_size or 1
    if tensor._result.made_up is not None:
        return tensor._result.made_up(size)
    if known is None and samples is not None:
        known = between(samples, SIZES, size)
    return zeros(_with_rank(tensor, rank), tensor.dtype, size) if known is None else convert_to_tensor(known)


def zeros(shape, dtype, size):
    """A tensor of zeros, or of empty texts, with `size` for sizes that are not known."""
    sizes = [size if n is None else n for n in shape.as_list()]
    if dtype.name == "string":
        return convert_to_tensor(np.full(sizes, b"", object))
    return wrap(to_node(np.zeros(sizes, dtype.np)))


def _with_rank(x, rank):
    """The shape of a tensor or variable; where its rank is not known, one of `rank`, or as many axes as that says."""
    if x.shape.rank is not None:
        return x.shape
    return TensorShape([None] * (rank.get(x, 1) if isinstance(rank, dict) else rank))


def _ranks_of_each(flat):
    """Dicts of ranks for a few tensors of unknown rank, that differ."""
    unknown = list(dict.fromkeys(x for x in flat if isinstance(x, Recorded) and x.shape.rank is None))
    if not 1 < len(unknown) <= _MOST_OF_OTHER_RANKS:
        return []
    ways = itertools.product(_FEW_RANKS, repeat=len(unknown))
    return [dict(zip(unknown, way, strict=True)) for way in ways if len(set(way)) > 1]


def inferred(function, args, kwargs, graph, kind):
    """What a call gives: an `Inferred`.

    Raises:
      what the function raises for such arguments.
    """
    key = _key(function, args, kwargs)
    if key is not None and key in _kept and graph.seed is None:
        return _kept[key]
    flat = nest.flatten((args, kwargs))
    has_unknown = any(isinstance(x, Recorded) and x.shape.rank is None for x in flat)
    kernel = kind.lower().replace("_", "")
    results, error, run = [], None, None
    sizes = "iuf" if kernel == "range" else "iu" if kernel in _OF_SIZES else ""  # of what kinds sizes are
    hides_rank = kernel not in _OF_DATA and any(_may_be_many_sizes(x) for x in flat)
    ranks = [*_RANKS, *_ranks_of_each(flat)] if has_unknown else [1]
    checks = is_check(kind)  # what values do not meet is raised by the run
    for rank, folds in itertools.product(ranks, (True, False)):
        if isinstance(rank, dict) and results or not folds and (run is not None and run.rank == rank):
            continue
        if not folds and not any(isinstance(x, GraphTensor) and x.folded_value() is not None for x in flat):
            continue  # else what constants decide may not be what is required: then their sizes alone are tried
        attempt: Any = _Trial(graph, rank)

        def stand_in(x, rank=rank, attempt=attempt, folds=folds):
            if checks and isinstance(x, GraphTensor):
                return _StandIn(_with_rank(x, rank), x.dtype, None)
            return _stand_in(x, rank, attempt, sizes, folds)

        stand_ins = nest.map_structure(stand_in, (args, kwargs))
        try:
            result = inferred_for_sizes(_Call(function, attempt, []), (*stand_ins, []))
            if any(_depends_on_sizes(x) or _has_unknown_values(x, sizes) for x in attempt.used):
                # Their sizes, or the values that sizes decide, are tried out, too.
                captures = list(attempt.used)
                inputs = *stand_ins, [_stand_in(x, rank, attempt, sizes, folds) for x in captures]
                result = inferred_for_sizes(_Call(function, attempt, captures), inputs)
            results.append(result)
            run = attempt
        except Exception as refused:
            error = error or refused
            if isinstance(refused, graphs.UnimplementedError) and not has_unknown:
                raise
    if run is None:
        merged, run = _by_first(kernel, args, kwargs), attempt
        if merged is None:
            raise error
    else:
        merged = results[0] if len(results) == 1 else nest.map_structure(_merged, *results)
        merged = nest.map_structure(_result, merged)
    fits_all = len(results) == len(_RANKS) and sum(isinstance(x, Recorded) for x in flat) == 1
    if hides_rank and has_unknown and not fits_all:
        # One rank was tried for all of them; that the others did not fit says nothing.
        merged = nest.map_structure(
            lambda x: Result(TensorShape(None), x.dtype) if isinstance(x, Result) else x, merged
        )
    if any(_has_unknown_values(x, sizes) for x in flat):
        # Of a range the samples of two ends give nothing.
        merged = nest.map_structure(
            lambda x: Result(TensorShape([None]) if kernel == "range" else x.shape, x.dtype)
            if isinstance(x, Result) else x, merged
        )  # fmt: skip
    if kernel in ("slice", "stridedslice"):
        merged = _with_bounds(kernel, merged, args, kwargs)
    if kind == "while_loop":
        invariants = args[3] if len(args) > 3 else kwargs.get("shape_invariants")
        if invariants is None:
            merged = _as_loop_variables(merged, args[2] if len(args) > 2 else kwargs["loop_vars"])
        else:
            merged = _as_invariants(merged, invariants)
    explicit = [x for x in flat if isinstance(x, Recorded)]
    captures = [x for x in run.used if x not in explicit]
    variables = [x for x in run.variables if x not in explicit]
    made = Inferred(merged, captures, variables, bool(run.draws), run.unseeded)
    if key is not None and not captures and not variables:
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        _kept[key] = made
    return made


def _with_bounds(kernel, result, args, kwargs):
    """The Result of a slice, where sizes are not known that unknown bounds decide."""
    if not isinstance(result, Result) or result.shape.rank is None:
        return result
    sizes = result.shape.as_list()

    def given(place, name):
        value = args[place] if len(args) > place else kwargs[name]
        return value if isinstance(value, list | tuple) else [value] * len(sizes)

    if kernel == "slice":
        known = [not _is_open(x) for x in given(2, "size")]
    elif len(args) > 2 or "end" in kwargs:  # tf.strided_slice itself
        known = [not any(map(_is_open, [*given(1, "begin"), *given(2, "end")]))] * len(sizes)
    else:  # entries of a key, as `graphs._sliced` has them; what is no number and no slice is left to the trial
        key = [x for x in args[1] if isinstance(x, dict) or x is Ellipsis or x is None]
        unknown = [  # one that is not known hides the others, as they are one tensor
            end for end in ("start", "stop") if any(isinstance(x, dict) and _is_open(x[end]) for x in key)
        ]
        known = [not isinstance(x, dict) or all(x[end] is None for end in unknown) for x in key]
        at = next((i for i, x in enumerate(key) if x is Ellipsis), None)
        if at is not None:
            known[at : at + 1] = [True] * (len(sizes) - len(key) + 1)
    known += [True] * (len(sizes) - len(known))
    return Result(
        [n if is_known else None for n, is_known in zip(sizes, known, strict=False)], result.dtype, result.samples
    )


def _is_open(x):
    """Whether it is a tensor of the graph whose values neither sizes nor constants decide."""
    return isinstance(x, GraphTensor) and x._result.samples is None and x.folded_value() is None


def _as_loop_variables(results, loop_vars):
    """The results of a loop, where no size is known that was unknown before it."""
    flat, variables = nest.flatten(results), nest.flatten(loop_vars)
    if len(flat) != len(variables):
        return results
    pairs = zip(flat, variables, strict=True)
    return nest.pack_sequence_as(results, [_as_unknown(result, x) for result, x in pairs])


def _as_invariants(results, invariants):
    """The results of a loop, with the shapes that the program says they keep."""
    flat, shapes = nest.flatten(results), nest.flatten(invariants)
    if len(flat) != len(shapes):
        return results
    pairs = zip(flat, shapes, strict=True)
    return nest.pack_sequence_as(
        results, [Result(x, r.dtype) if isinstance(r, Result) and isinstance(x, TensorShape) else r for r, x in pairs]
    )


def _as_unknown(result, x):
    if not isinstance(result, Result) or not isinstance(x, GraphTensor):
        return result
    if x.shape.rank is None or result.shape.rank != x.shape.rank:
        return Result(TensorShape(None), result.dtype, result.samples)
    sizes = zip(result.shape.as_list(), x._result.shape.as_list(), strict=True)
    return Result([None if old is None else new for new, old in sizes], result.dtype, result.samples)


def _by_first(kernel, args, kwargs):
    """A Result of unknown sizes where values decide how a kernel computes; None if its dtype is not known either."""
    if kernel == "scatternd" and len(args) > 2:
        sizes = args[2] if isinstance(args[2], list | tuple) else [None] * args[2].shape[0]
        return Result(TensorShape([x if isinstance(x, int) else None for x in sizes]), _dtype(args[1]))
    first, *others = [*args, *(kwargs[name] for name in _FIRST if name in kwargs), *kwargs.values()] or [None]
    if kernel not in _OF_FIRST_DTYPE or not isinstance(first, Recorded):
        return None
    by_values = [x for x in nest.flatten(others) if isinstance(x, GraphTensor) and x._result.samples is None]
    if not any(x.dtype.is_integer and x is not first for x in by_values):
        return None
    rank = by_values[0].shape[0] if kernel == "transpose" and by_values[0].shape.rank == 1 else None
    return Result(TensorShape(None if rank is None else [None] * rank), first.dtype)


def _dtype(x):
    return x.dtype if isinstance(x, GraphTensor) else convert_to_tensor(x).dtype


def _may_be_many_sizes(x):
    """Whether it is an integer tensor of an unknown number of elements: a shape, a permutation, axes."""
    return isinstance(x, GraphTensor) and x.dtype.is_integer and _is_open(x) and (
        x._result.shape.rank is None or x._result.shape.rank <= 2 and None in x._result.shape.as_list()
    )  # fmt: skip


def _has_unknown_values(x, kinds):
    """Whether it is a tensor of numbers of these kinds with at most one axis, whose values are open."""
    if not isinstance(x, GraphTensor) or x.dtype.np.kind not in kinds or not _is_open(x):
        return False
    shape = x._result.shape  # whose sizes are ints or None, whatever those of `x.shape` are
    return shape.rank == 0 or shape.rank == 1 and shape[0] is not None


def _depends_on_sizes(x):
    if x._result.stand_in is not None or x.shape.rank is not None and None in x.shape.as_list():
        return True
    return x._result.samples is not None and x.folded_value() is None


def _stand_in(x, rank, run, sizes, folds):
    if isinstance(x, GraphTensor):
        if x._result.stand_in is not None:
            return x._result.stand_in()
        samples = x._result.samples
        counts = x.dtype.np.kind in "iu" + sizes
        # A size that is not known stays so, as in TF, though constants decide it.
        folded = x.folded_value() if folds and counts and x._result.shape.is_fully_defined() else None
        if folded is not None:
            return _StandIn(x._result.shape, x.dtype, [folded] * 2)
        if _has_unknown_values(x, sizes):
            entries = partly_known(x)
            samples = [
                np.array([size if n is None else n for n in entries], x.dtype.np).reshape(x.shape.as_list())
                for size in SIZES
            ]
        return _StandIn(_with_rank(x, rank), x.dtype, samples)
    return run.variable(x) if isinstance(x, Recorded) else x


def _merged(*results):
    first = results[0]
    if not isinstance(first, KerasTensor):
        return first
    shape = first.shape
    for other in results[1:]:
        same = shape.rank is not None and shape.rank == other.shape.rank
        shape = relaxed(shape, other.shape) if same else TensorShape(None)
    return KerasTensor(shape, first.dtype)


def _result(x):
    if type(x) is KerasTensor:
        return Result(x.shape, x.dtype, x._samples)
    if isinstance(x, KerasTensor):
        raise graphs.CompositeResult(
            None, None,
            "such composite tensors in a tf.Graph are not available in tfcompat: pass their parts, or use "
            "tf.function",
        )  # fmt: skip
    return x


def _key(function, args, kwargs):
    """What calls with equal results have in common; None if that is not known."""
    if getattr(function, "__closure__", None) and not hasattr(function, "spec"):
        return None
    leaves = []
    flat = nest.flatten((args, kwargs))
    for x in flat:
        if isinstance(x, GraphTensor):
            if x._result.samples is not None or x.shape.rank is None:
                return None
            if x.dtype.is_integer and x.folded_value() is not None:  # the values decide, too
                return None
            leaves.append((tuple(x.shape.as_list()), x.dtype))
        elif isinstance(x, bool | int | float | str | bytes | None) or type(x).__name__ == "DType":
            leaves.append((type(x), x))
        else:
            return None
    structure = nest.map_structure(lambda x: None, (args, kwargs))
    return function, repr(structure), tuple(leaves)


graphs.upstairs.inferred, graphs.upstairs.stand_ins = inferred, _Known
