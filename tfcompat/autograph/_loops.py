"""What converted code calls in place of `while` and `for`."""


from malt.operators.variables import Undefined, UndefinedReturnValue

from tfcompat import array, engine, math, nest
from tfcompat._control._branches import cond as tf_cond
from tfcompat._control._loops import counted_loop, traced_while
from tfcompat._control._part import row_of, stand_in, trial
from tfcompat._control._tensor_array import Grows, TensorArray
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.convert import convert_to_tensor, known_values, to_node
from tfcompat._core.shape import TensorShape
from tfcompat._core.streams import graphs
from tfcompat._core.tensor import Tensor, is_symbolic
from tfcompat._core.turns import UnequalTurns, known_in_turns, numbers_of
from tfcompat._tracing import assertions
from tfcompat.array._creation import range_dtype
from tfcompat.autograph._operators import as_tensors, condition, is_computed, is_dataset, is_same, is_tensor
from tfcompat.errors import OperatorNotAllowedInGraphError

_UNSPECIFIED = object()
_UNROLLED = 128  # turns, where a loop variable changes its shape
_PIECES = 4  # in which a loop may be made, where slices change their sizes

_ONLY_TENSOR_LOOPS = (
    "See https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/autograph/g3doc/reference/limitations"
    ".md#consistency-of-control-flow-types for more info."
)


class RangeOfUnknownSize:
    """`tf.range` of a symbolic tensor, to loop over. It is no tensor."""

    def __init__(self, *args, **kwargs):
        self._args, self._kwargs = args, kwargs

    def _as_tensor(self):
        return array.range(*self._args, **self._kwargs)

    def _as_node(self):
        return self._as_tensor()._node

    def __getattr__(self, name):
        return getattr(self._as_tensor(), name)

    def bounds(self, start, limit=None, delta=1, dtype=None, name=None):
        """Start, limit and delta as tensors of one dtype."""
        if limit is None:
            start, limit = 0, start
        hint = dtype
        if hint is None:
            hint = next(convert_to_tensor(x).dtype for x in (limit, start, delta) if is_tensor(x))
        return [array.cast(convert_to_tensor(x, dtype_hint=hint), hint) for x in (start, limit, delta)]


def _of_tensor(name):
    return lambda self, *args: getattr(self._as_tensor(), name)(*args)


_CONVERSIONS = {"__bool__", "__float__", "__index__", "__int__", "__iter__", "__len__"}
for _name in Tensor.OVERLOADABLE_OPERATORS | _CONVERSIONS:
    setattr(RangeOfUnknownSize, _name, _of_tensor(_name))


def tf_range(*args, **kwargs):
    """`tf.range`. If its size is unknown, its numbers are made one by one."""
    if any(is_tensor(x) and is_symbolic(to_node(x)) for x in (*args, *kwargs.values())):
        sizes = [known_values(x) for x in (*args, *kwargs.values()) if is_tensor(x)]
        if any(size is None for size in sizes):
            range_dtype(*args, **kwargs)
            return RangeOfUnknownSize(*args, **kwargs)
    return array.range(*args, **kwargs)


def range_(start_or_stop, stop=_UNSPECIFIED, step=_UNSPECIFIED):
    """`range`: of tensors, `tf.range`."""
    arguments = [x for x in (start_or_stop, stop, step) if x is not _UNSPECIFIED]
    if not any(map(is_tensor, arguments)):
        return range(*arguments)
    if len(arguments) == 3:
        return tf_range(*arguments)
    if len(arguments) == 2:
        return tf_range(start_or_stop, math.maximum(start_or_stop, stop))
    return tf_range(math.maximum(start_or_stop, 0))


# --- Python loops -------------------------------------------------------------------------------------------------


def _python_for(iter_, extra_test, body):
    if extra_test is None:
        for target in iter_:
            body(target)
        return

    def goes_on():
        try:
            return bool(extra_test())
        except OperatorNotAllowedInGraphError as error:
            raise NotImplementedError(
                "break and return statements which depend on a TF condition are not supported in Python for loops. Did "
                f"you intend to make it a TF loop?\n{_ONLY_TENSOR_LOOPS}"
            ) from error

    if goes_on():
        for target in iter_:
            body(target)
            if not goes_on():
                break


def _python_while(test, body):
    while True:
        try:
            if not test():
                return
        except OperatorNotAllowedInGraphError as error:
            raise NotImplementedError(
                "The condition of while loop started as non-Tensor, then changed to Tensor. This may happen either "
                "because variables changed type, or when a break or return statement inside the loop depends on a "
                "Tensor condition. In both cases, changing to a TF loop should remove the error.\n"
                f"{_ONLY_TENSOR_LOOPS}"
            ) from error
        body()


# --- the state of a loop ------------------------------------------------------------------------------------------


class _State:
    """The variables that a captured loop carries.

    Args:
      get_state, set_state: functions that return and set the tuple of values.
      names: of the variables.
      options: of `set_loop_options`.
    """

    def __init__(self, get_state, set_state, names, options):
        self.get, self.set, self.names = get_state, set_state, names
        self.before = self.given = get_state()
        self.nulls = [_is_null(x) for x in self.before]
        invariants = options.get("shape_invariants", ())
        by_identity = {id(value): shape for value, shape in invariants}
        self.invariants = [by_identity.get(id(value)) for value in self.before]
        self.may_grow = bool(invariants)

    def define(self, run):
        """Gives values to what is undefined before the loop, by a trial turn: `run()` runs the body."""
        if not any(self.nulls):
            return
        first, failure = None, None
        try:
            with trial():
                self.set(nest.map_structure(_trial_value, self.before))
                run()
                first = self.get()
            values = tuple(
                _placeholder(after, before) if null else before
                for before, after, null in zip(self.before, first, self.nulls, strict=True)
            )
        except UnequalTurns:
            raise
        except (UnboundLocalError, TypeError, ValueError, KeyError) as error:
            values = self.before
            failure = (
                f"Note: AutoGraph tried to define it automatically, but ran into a {type(error).__name__}: {error}"
            )
        self.set(values)
        self._check_defined(values, first or [None] * len(values), failure)
        self.before = values

    def _check_defined(self, values, first, failure):
        for name, value, after in zip(self.names, values, first, strict=True):
            if isinstance(value, UndefinedReturnValue):
                if after is not None and not isinstance(after, UndefinedReturnValue):
                    raise ValueError(
                        "the return value from a TensorFlow loop may only be a Tensor, int, float, bool or a list, "
                        f"tuple or dict thereof; got {type(after)}"
                    )
                raise NotImplementedError(
                    "a return statement cannot be placed inside this TensorFlow loop; this may happen if a return "
                    "statement depends on a static Python condition such as a hyperparameter"
                )
            if value is None:
                message = f"'{name}' is not allowed to be None before the loop"
            elif isinstance(value, Undefined):
                message = f"'{name}' must be defined before the loop"
            else:
                continue
            raise ValueError(f"{message}\n{failure}" if failure else message)

    def split(self):
        """The loop variables: tensors and numbers. All else stays outside."""
        self.structure = self.before
        flat = _flatten(self.before)
        self.is_carried = [is_computed(x) or isinstance(x, TensorArray | str | bytes) for x in flat]
        self.fixed = [None if carried else x for x, carried in zip(flat, self.is_carried, strict=True)]
        return [
            x if isinstance(x, TensorArray) else convert_to_tensor(x)
            for x, carried in zip(flat, self.is_carried, strict=True) if carried
        ]  # fmt: skip

    def shapes(self):
        """The invariants of what `split` gave, with one more variable before; None if there are none."""
        if not self.may_grow:
            return None
        shapes = [None]
        for value, invariant in zip(self.structure, self.invariants, strict=True):
            is_one = invariant is not None and is_computed(value) and not isinstance(value, CompositeTensor)
            leaves = [x for x in _flatten(value) if is_computed(x) or isinstance(x, TensorArray | str | bytes)]
            shapes += [TensorShape(invariant) if is_one else None] * len(leaves)
        return shapes

    def enter(self, carried):
        """Sets the variables at the start of a turn, or after the loop."""
        carried = iter(carried)
        flat = [next(carried) if c else x for x, c in zip(self.fixed, self.is_carried, strict=True)]
        self.entry = _packed(self.structure, flat)
        self.set(self.entry)

    def leave(self):
        """The loop variables at the end of a turn, checked."""
        after = self.get()
        for name, a, b, invariant in zip(self.names, self.entry, after, self.invariants, strict=True):
            if isinstance(b, Undefined | UndefinedReturnValue):
                raise ValueError(f"'{name}' must be defined at the end of the iteration")
            b = _whole_arrays(a, b)
            try:
                nest.assert_same_structure(a, b)
                for x, y in zip(nest.flatten(a), nest.flatten(b), strict=True):
                    if isinstance(x, CompositeTensor) or isinstance(y, CompositeTensor):
                        nest.assert_same_structure(x, y, expand_composites=True)
            except (TypeError, ValueError) as error:
                raise TypeError(
                    f"'{name}' does not have the same nested structure after one iteration.\n\n{error}"
                ) from error
            for x, y in zip(_flatten(a), _flatten(b), strict=True):
                _check_leaf(name, x, y, invariant)
        return [x for x, carried in zip(_flatten(after), self.is_carried, strict=True) if carried]


def _is_null(x):
    return x is None or isinstance(x, Undefined | UndefinedReturnValue)


def _flatten(structure):
    """The leaves, with composite tensors taken apart. TensorArrays are leaves."""
    leaves = []
    for x in nest.flatten(structure):
        leaves += nest.flatten(x, expand_composites=True) if isinstance(x, CompositeTensor) else [x]
    return leaves


def _packed(structure, flat):
    """The inverse of `_flatten`."""
    remaining = iter(flat)

    def packed(x):
        if isinstance(x, CompositeTensor):
            return nest.map_structure(lambda _: next(remaining), x, expand_composites=True)
        return next(remaining)

    return nest.map_structure(packed, structure)


def _trial_value(x):
    if isinstance(x, CompositeTensor):
        return nest.map_structure(_trial_value, x, expand_composites=True)
    return stand_in(convert_to_tensor(x)) if is_computed(x) or isinstance(x, str | bytes) else x


def _placeholder(after, original):
    """Zeros like the value `after` that a turn of the loop leaves; `original` if there is none."""
    if _is_null(after):
        return original
    if isinstance(after, bool | int | float):
        return type(after)(0)
    if is_tensor(after) and not isinstance(after, CompositeTensor):
        return array.zeros(after.shape, after.dtype)
    if isinstance(after, list | tuple | dict):
        return nest.map_structure(lambda x: _placeholder(x, original), after)
    raise TypeError(
        f"Found an unsupported type '{type(after).__name__}' while creating placeholder for {after}. Supported types "
        "include Tensor, int, float, bool, list, tuple or dict."
    )


def _whole_arrays(before, after):
    if not any(isinstance(x, TensorArray) for x in nest.flatten(before)):
        return after
    return nest.map_structure(lambda x: x.as_one_tensor() if isinstance(x, TensorArray) else x, after)


def _check_leaf(name, before, after, invariant):
    if after is None:
        raise ValueError(f"'{name}' is None at the end of the iteration.")
    if isinstance(before, TensorArray):
        return
    if not is_computed(before) or not (is_computed(after) or isinstance(after, str | bytes)):
        if not is_same(before, after):
            raise TypeError(
                f"'{name}' is {before!r} before the loop, and {after!r} after one iteration: only tensors and numbers "
                "may change in a loop over tensors"
            )
        return
    a, b = convert_to_tensor(before), convert_to_tensor(after)
    if a.dtype != b.dtype:
        raise TypeError(
            f"'{name}' has dtype {a.dtype.name} before the loop, but dtype {b.dtype.name} after one iteration"
        )
    if a._node.aval.shape == b._node.aval.shape:
        return
    if invariant is None:
        raise ValueError(
            f"'{name}' has shape {a.shape} before the loop, but shape {b.shape} after one iteration. Use "
            "tf.autograph.experimental.set_loop_options to set shape invariants."
        )
    for shape, when in ((a.shape, "before the loop"), (b.shape, "after one iteration")):
        if not _is_subshape(shape, TensorShape(invariant)):
            raise ValueError(
                f"'{name}' has shape {shape} {when}, which does not conform with the shape invariant "
                f"{TensorShape(invariant)}."
            )


def _is_subshape(shape, invariant):
    if invariant.rank is None:
        return True
    pairs = zip(shape.as_list(), invariant.as_list(), strict=False)
    return shape.rank == invariant.rank and all(wanted in (None, size) for size, wanted in pairs)


def _require_a_turn(ran, state):
    names = [
        "the function return value" if isinstance(value, UndefinedReturnValue) else name
        for name, value, null in zip(state.names, state.given, state.nulls, strict=True) if null
    ]  # fmt: skip
    assertions.require(
        array.reshape(convert_to_tensor(ran), []), f"loop must iterate at least once to initialize {', '.join(names)}"
    )


# --- while --------------------------------------------------------------------------------------------------------


def while_stmt(test, body, get_state, set_state, symbol_names, opts):
    """`while test(): body()`; see `if_stmt`."""
    if not engine.state.graph.symbolic:
        first = test()
        if is_tensor(first):
            set_state(as_tensors(get_state()))
            test, body = graphs(test, body)
        _python_while(test, body)
        return
    with trial():
        first = test()
    if is_tensor(first):
        _captured_while(test, body, _State(get_state, set_state, symbol_names, opts), opts)
    elif first:
        # The test has been made, so the first turn needs no second one, as in TF.
        body()
        _python_while(test, body)


def _captured_while(test, body, state, opts):
    state.define(body)

    def captured_test(ran, *carried):
        state.enter(carried)
        return condition(test(), "while loop")

    def captured_body(ran, *carried):
        state.enter(carried)
        body()
        return [convert_to_tensor(True), *state.leave()]

    start = [convert_to_tensor(False), *state.split()]
    ran, *result = traced_while(captured_test, captured_body, start, opts.get("maximum_iterations"), state.shapes())
    if any(state.nulls):
        _require_a_turn(ran, state)
    state.enter(result)


# --- for ----------------------------------------------------------------------------------------------------------


def for_stmt(iter_, extra_test, body, get_state, set_state, symbol_names, opts):
    """`for target in iter_: body(target)`, as long as `extra_test()` holds; see `if_stmt`."""
    if isinstance(iter_, RangeOfUnknownSize):
        _for_unknown_range(iter_, extra_test, body, get_state, set_state, symbol_names, opts)
    elif not is_tensor(iter_):
        if hasattr(type(iter_), "element_spec"):  # to TF the body is a graph, and a new one for each dataset
            extra_test, body = graphs(extra_test, body, begin_anew=is_dataset(iter_))
        _python_for(iter_, extra_test, body)
    elif not engine.state.graph.symbolic:
        set_state(as_tensors(get_state()))
        _python_for(convert_to_tensor(iter_), *graphs(extra_test, body))
    else:
        _for_rows(convert_to_tensor(iter_), extra_test, body, get_state, set_state, symbol_names, opts)


def _for_rows(rows, extra_test, body, get_state, set_state, names, opts, pieces=1):
    if not rows.shape.rank:
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {array.shape(rows)}")
    state = _State(get_state, set_state, names, opts)
    count = rows._node.aval.shape[0]
    most = opts.get("maximum_iterations")
    if type(count) is not int or most is not None and known_values(convert_to_tensor(most)) is None:
        _for_indices(rows, extra_test, body, get_state, set_state, names, opts)
        return
    if most is not None:
        count = min(count, max(int(most), 0))
        rows = rows[:count]
    numbers = numbers_of(rows)

    def turn(row):
        with known_in_turns(row, numbers):
            body(row)

    def captured_body(*carried_and_row):
        *carried, row = carried_and_row
        state.enter(carried)
        turn(row)
        return state.leave() or [convert_to_tensor(False)]

    def goes_on(*carried):
        state.enter(carried[: sum(state.is_carried)])
        return condition(extra_test(), "while loop")

    try:
        state.define(lambda: turn(row_of(rows)))
        start = state.split()
        result = counted_loop(
            captured_body, start or [convert_to_tensor(False)], rows, extra_test and goes_on, state.may_grow
        )
    except UnequalTurns as error:
        if error.numbers is not numbers or pieces == _PIECES:
            raise
        state.set(state.given)
        for piece in (rows[: error.turn], rows[error.turn :]):
            _for_rows(piece, extra_test, body, get_state, set_state, names, opts, pieces + 1)
        return
    except Grows:
        if extra_test is not None or count > _UNROLLED:
            state.set(state.given)
            _for_indices(rows, extra_test, body, get_state, set_state, names, opts)
            return
        state.enter(start)
        for row in array.unstack(rows) if count else ():
            body(row)
        set_state(as_tensors(get_state()))
        return
    if any(state.nulls) and not count:
        _require_a_turn(convert_to_tensor(False), state)
    state.enter(result[: len(start)])


def _for_indices(rows, extra_test, body, get_state, set_state, names, opts):
    """A loop over an unknown number of rows, by index."""
    _for_unknown_range(
        RangeOfUnknownSize(array.shape(rows)[0]), extra_test, lambda i: body(array.gather(rows, i)),
        get_state, set_state, names, {**opts, "iterate_names": None},
    )  # fmt: skip


def _for_unknown_range(iter_, extra_test, body, get_state, set_state, names, opts):
    start, limit, delta = iter_.bounds(*iter_._args, **iter_._kwargs)
    iterate = start

    def get():
        values = [
            iterate if isinstance(value, Undefined) and name == opts.get("iterate_names") else value
            for name, value in zip(names, get_state(), strict=True)
        ]
        return (iterate, *values)

    def set_(values):
        nonlocal iterate
        iterate, *rest = values
        set_state(tuple(rest))

    def turn():
        nonlocal iterate
        body(iterate)
        iterate = iterate + delta

    def test():
        known = known_values(delta)
        if known is None:
            forward = math.logical_and(delta >= 0, iterate < limit)
            more = math.logical_or(forward, math.logical_and(delta < 0, iterate > limit))
        else:
            more = iterate < limit if known >= 0 else iterate > limit
        return more if extra_test is None else tf_cond(more, extra_test, lambda: False)

    _captured_while(test, turn, _State(get, set_, ("<internal iterate>", *names), opts), opts)


