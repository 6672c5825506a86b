"""What converted code calls in place of `if`, ternaries, `and`, `or`, `not`, `assert` and some builtins."""

import builtins
import functools

import numpy as np
from malt.operators.variables import Undefined, UndefinedReturnValue

from tfcompat import array, dtypes, engine, math, nest
from tfcompat._control._branches import cond as tf_cond
from tfcompat._control._branches import switch_parts
from tfcompat._control._part import Part, forms_of_arrays, with_alike_arrays
from tfcompat._control._tensor_array import TensorArray
from tfcompat._core.convert import convert_to_tensor, to_node
from tfcompat._core.streams import graphs
from tfcompat._core.tensor import Tensor, is_symbolic
from tfcompat._core.variable import Variable
from tfcompat.debugging import Assert
from tfcompat.engine import function_trace

_UNSPECIFIED = object()
NUMBERS = (bool, int, float, np.ndarray, np.generic)


def is_tensor(x):
    """Whether control flow over `x` is control flow over tensors."""
    return isinstance(x, Tensor | Variable)


def condition(value, tag):
    """The scalar bool tensor of a condition.

    Raises:
      ValueError: it is neither.
    """
    value = convert_to_tensor(value)
    hint = "to check for None, use `is not None`"
    if value.dtype != dtypes.bool:
        raise ValueError(
            f"condition of {tag} expected to be `tf.bool` scalar, got {value}; to use as boolean Tensor, use "
            f"`tf.cast`; {hint}"
        )
    if value.shape.rank:
        if np.prod(value.shape.as_list()) > 1:
            raise ValueError(f"condition of {tag} expected to be `tf.bool` scalar, got {value}; {hint}")
        value = array.reshape(value, [])
    return value


def as_tensors(state):
    """A nest with tensors in place of Python numbers, as control flow over tensors leaves it."""
    return nest.map_structure(lambda x: convert_to_tensor(x) if isinstance(x, NUMBERS + (Variable,)) else x, state)


# --- if -----------------------------------------------------------------------------------------------------------


def if_stmt(cond, body, orelse, get_state, set_state, symbol_names, nouts):
    """`if cond: body() else: orelse()`.

    Args:
      cond: the condition.
      body, orelse: functions without arguments, which assign to the variables of the function around.
      get_state: function that returns the tuple of the values of those variables.
      set_state: function that sets them.
      symbol_names: their names.
      nouts: how many of them, the first ones, are used afterwards.
    """
    if not is_tensor(cond):
        (body if cond else orelse)()
        return
    cond = condition(cond, "if statement")
    if not is_symbolic(cond._node):
        orelse, body = graphs(orelse, body)
        (body if cond else orelse)()
        if engine.state.graph.symbolic:
            state = get_state()
            set_state(as_tensors(state[:nouts]) + state[nouts:])
        return
    before = get_state()
    outcomes = {}

    def branch(run, name):
        set_state(before)
        run()
        after = get_state()[:nouts]
        _check_defined(after, symbol_names, name)
        outcomes[name] = after
        return after

    after = branched(cond, lambda: branch(body, "main"), lambda: branch(orelse, "else"), symbol_names[:nouts])
    set_state(after + before[nouts:])


def _check_defined(state, names, branch):
    for name, value in zip(names, state, strict=False):
        if isinstance(value, Undefined):
            raise ValueError(f"'{name}' must also be initialized in the {branch} branch")
        if isinstance(value, UndefinedReturnValue):
            raise ValueError(f"the {branch} branch must also have a return statement.")


def branched(cond, true_fn, false_fn, names):
    """The tuple that `true_fn()` or `false_fn()` returns, depending on a symbolic condition.

    Args:
      cond: bool scalar tensor.
      true_fn, false_fn: functions without arguments that return a tuple of nests, captured both.
      names: of the members, for messages.

    Raises:
      TypeError: structures or dtypes differ.
      ValueError: a member is None in one branch.
    """
    results = []

    def part(function):
        results.append(function())
        return computed_of(results[-1])

    def with_alike_arrays_of(k, _):
        results[k] = with_alike_arrays(forms, results[k])
        return computed_of(results[k])

    def with_tensors_of(k, _):
        flat = nest.flatten(results[k], expand_composites=True)
        flat = [convert_to_tensor(x) if i in texts else x for i, x in enumerate(flat)]
        results[k] = nest.pack_sequence_as(results[k], flat, expand_composites=True)
        return computed_of(results[k])

    def computed_of(result):
        return [x for x in nest.flatten(result, expand_composites=True) if is_computed(x)]

    parts = [Part(functools.partial(part, function), is_branch=True) for function in (true_fn, false_fn)]
    texts = _texts_that_differ(results)
    if texts:
        for k, each in enumerate(parts):
            each.then(functools.partial(with_tensors_of, k))
    forms = forms_of_arrays(results)
    if forms is not None:
        for k, each in enumerate(parts):
            each.then(functools.partial(with_alike_arrays_of, k))
    for name, main, other in zip(names, *results, strict=True):
        _check_alike(name, main, other)
    computed = iter(switch_parts(cond._node, parts[::-1]))
    main = results[0]
    flat = [next(computed) if is_computed(x) else x for x in nest.flatten(main, expand_composites=True)]
    return tuple(nest.pack_sequence_as(main, flat, expand_composites=True))


def _texts_that_differ(results):
    """Places of the leaves, among those of the results of branches, that are Python text in one and differ."""
    leaves = [nest.flatten(result, expand_composites=True) for result in results]
    if len(set(map(len, leaves))) > 1:
        return set()
    return {
        i for i, values in enumerate(zip(*leaves, strict=True))
        if any(isinstance(x, str | bytes) for x in values) and not is_same(*values)
        and all(isinstance(x, str | bytes) or is_tensor(x) for x in values)
    }  # fmt: skip


def is_computed(x):
    """Whether a leaf of the state is a tensor or becomes one. Other leaves must not depend on computed values."""
    return isinstance(x, NUMBERS) or is_tensor(x)


def _check_alike(name, main, other):
    try:
        nest.assert_same_structure(main, other, expand_composites=True)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"'{name}' must have the same nested structure in the main and else branches:\n\n{error}"
        ) from error
    pairs = zip(
        nest.flatten(main, expand_composites=True), nest.flatten(other, expand_composites=True), strict=True
    )
    for a, b in pairs:
        check_leaf_of_branches(name, a, b)


def check_leaf_of_branches(name, main, other):
    """Raises if the two branches cannot leave these two values."""
    for value, branch in ((main, "main"), (other, "else")):
        if value is None:
            raise ValueError(f"'{name}' is None at the end of the {branch} branch.")
    if is_computed(main) and is_computed(other):
        a, b = convert_to_tensor(main).dtype, convert_to_tensor(other).dtype
        if a != b:
            raise TypeError(
                f"'{name}' has dtype {a.name} in the main branch, but dtype {b.name} in the else branch"
            )
    elif not is_same(main, other):
        raise TypeError(
            f"'{name}' is {main!r} in the main branch, but {other!r} in the else branch: only tensors and numbers may "
            "depend on a tensor inside tf.function"
        )


def is_same(a, b):
    """Whether two Python values are the same."""
    if a is b:
        return True
    if is_tensor(a) and is_tensor(b):  # of text
        return to_node(a).value is not None and np.array_equal(to_node(a).value, to_node(b).value)
    return type(a) is type(b) and not is_tensor(a) and bool(a == b)


def if_exp(cond, if_true, if_false, expr_repr):
    """`if_true() if cond else if_false()`."""
    if not is_tensor(cond):
        return if_true() if cond else if_false()
    cond = convert_to_tensor(cond)
    if cond.shape.rank == 0 and cond.dtype == dtypes.bool and is_symbolic(cond._node):
        return branched(cond, lambda: (if_true(),), lambda: (if_false(),), (expr_repr,))[0]
    return tf_cond(cond, if_true, if_false)


# --- and, or, not -------------------------------------------------------------------------------------------------


def and_(a, b):
    """`a() and b()`."""
    first = a()
    return tf_cond(first, b, lambda: first) if is_tensor(first) else first and b()


def or_(a, b):
    """`a() or b()`."""
    first = a()
    return tf_cond(first, lambda: first, b) if is_tensor(first) else first or b()


def not_(a):
    """`not a`."""
    return math.logical_not(a) if is_tensor(a) else not a


def eq(a, b):
    """`a == b`."""
    return math.equal(a, b) if is_tensor(a) or is_tensor(b) else a == b


def not_eq(a, b):
    """`a != b`."""
    return not_(eq(a, b))


def assert_stmt(expression1, expression2):
    """`assert expression1, expression2()`."""
    if not is_tensor(expression1):
        assert expression1, expression2()
        return
    data = expression2()
    Assert(expression1, data if isinstance(data, list) else [data])


# --- builtins -----------------------------------------------------------------------------------------------------


def abs_(x):
    """`abs(x)`."""
    return math.abs(x) if is_tensor(x) else builtins.abs(x)


def float_(x=0):
    """`float(x)`: of a tensor, a float32 tensor."""
    return array.cast(x, dtypes.float32) if is_tensor(x) else float(x)


def int_(x=0, base=_UNSPECIFIED):
    """`int(x)`: of a tensor, an int32 tensor."""
    if not is_tensor(x):
        return int(x) if base is _UNSPECIFIED else int(x, base)
    if base not in (10, _UNSPECIFIED):
        raise NotImplementedError(f"base {base} not supported for int")
    return array.cast(x, dtypes.int32)


def len_(s):
    """`len(s)`: of a tensor or TensorArray, its first size."""
    if isinstance(s, TensorArray):
        return s.size()
    if not is_tensor(s):
        return len(s)
    if not s.shape.rank:
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {array.shape(s)}")
    return s.shape[0] if s.shape[0] is not None else array.shape(s)[0]


def is_dataset(x):
    """Whether `x` is a dataset, of one replica or of all."""
    return hasattr(type(x), "element_spec") and not hasattr(x, "__next__")


def enumerate_(iterable, start=0):
    """`enumerate(iterable)`: of a dataset, a dataset."""
    return iterable.enumerate(start) if is_dataset(iterable) else enumerate(iterable, start)


def zip_(*iterables, **kwargs):
    """`zip(*iterables)`: of datasets, a dataset."""
    if not kwargs and iterables and all(map(is_dataset, iterables)):
        return iterables[0].zip(*iterables)
    return zip(*iterables, **kwargs)  # noqa: B905  `strict` is among the keywords


def print_(*objects, **kwargs):
    """`print(*objects)`: inside a function being traced, tensors are printed when it runs."""
    trace = function_trace(engine.state.graph)
    if trace is None or not any(map(is_tensor, objects)):
        print(*objects, **kwargs)
        return
    places = [i for i, x in enumerate(objects) if is_tensor(x)]

    def emit(*arrays):
        shown = list(objects)
        for i, value in zip(places, arrays, strict=True):
            shown[i] = value
        print(*shown, **kwargs)

    trace.defer(emit, [to_node(objects[i]) for i in places], "print of a tensor")
