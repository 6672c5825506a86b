"""Control flow over tensors: cond, case, while_loop, map_fn, vectorized_map; and calls back to Python.

Outside of functions these are plain Python, which tapes see op by op. Inside a `tf.function` branches and bodies are
captured, and become `lax.cond`, `lax.while_loop` and `lax.scan`. Variables that they assign are results of these.
"""

import contextlib
import functools

import jax
import jax.numpy as jnp

from tfcompat import array, dtypes, engine, nest
from tfcompat._convert import convert_to_tensor, to_node
from tfcompat._tensor import dtype_of, shape_of, wrap
from tfcompat._tensor_array import TensorArray
from tfcompat._variable import Variable, function_trace
from tfcompat.errors import InvalidArgumentError, UnimplementedError


def _is_symbolic(node):
    return node.value is None and node.graph.symbolic or node.aval.traced


class _Reads:
    """A watcher that notes which variables are read."""

    def __init__(self):
        self.variables = {}

    def observe(self, call, inputs, outputs):
        """Operations do not matter here."""

    def variable_accessed(self, variable, node):
        """Notes the variable."""
        self.variables[id(variable)] = variable


class _Part:
    """A Python function captured as a branch, a condition or a body.

    Args:
      function: function of the nest `arguments`, unpacked.
      arguments: list of nests of tensors, of which only the avals matter.

    Attributes:
      result: the nest that the function returns; `nodes` those of its tensors.
      assigned: dict from id to the variables assigned, `current` from id to the node of a variable's value at the end.
    """

    def __init__(self, function, arguments=()):
        trace = function_trace(engine.state.graph)
        reads = _Reads()
        with engine.Capture() as self.capture, contextlib.ExitStack() as stack:
            self.current, self.assigned = {}, {}
            if trace is not None:
                self.current, self.assigned = stack.enter_context(trace.part(self.capture.graph))
            stack.enter_context(engine.watching((reads,)))
            nodes = [to_node(x) for x in nest.flatten(arguments, expand_composites=True)]
            inner = [wrap(self.capture.placeholder(_untraced(node.aval))) for node in nodes]
            self.result = function(*nest.pack_sequence_as(arguments, inner, expand_composites=True))
            self.nodes = [to_node(x) for x in nest.flatten(self.result, expand_composites=True)]
        for variable in reads.variables.values():
            variable._as_node()  # tapes around learn of it: the part itself they see as one operation

    def final(self, variable):
        """The node of a variable's value at the end of the part."""
        node = self.current.get(id(variable))
        return variable._current_node() if node is None else node

    def operation(self, variables):
        """(operation, captures) of the nodes and the final values of `variables`."""
        return self.capture.operation([*self.nodes, *map(self.final, variables)], "Part")


def _untraced(aval):
    return engine.Aval(aval.shape, aval.dtype) if aval.traced else aval


def _assign(variables, nodes):
    for variable, node in zip(variables, nodes, strict=True):
        function_trace(engine.state.graph).assign(variable, node)


def _split(captures, variables):
    """Captures that are values of `variables`, before a loop, come from its state.

    Returns:
      (sources, rest): for each capture its place k in the state as ~k, or its place in `rest`.
    """
    places = {variable._current_node(): k for k, variable in enumerate(variables)}
    sources, rest = [], []
    for node in captures:
        if node in places:
            sources.append(~places[node])
        else:
            sources.append(len(rest))
            rest.append(node)
    return tuple(sources), rest


def _chosen(sources, rest, values):
    return [values[~s] if s < 0 else rest[s] for s in sources]


# --- branches -----------------------------------------------------------------------------------------------------


def cond(pred, true_fn=None, false_fn=None, name=None):
    """The result of `true_fn()` if `pred`, else of `false_fn()`.

    Args:
      pred: bool, or scalar bool tensor.
      true_fn, false_fn: functions without arguments that return nests of tensors, alike in structure and dtypes;
        inside a function being traced, in shapes too.
      name: unused.

    Returns:
      What the chosen function returns.

    Raises:
      TypeError: a branch is not callable, or the branches of a traced `cond` return different structures or dtypes.
      tf.errors.UnimplementedError: the branches of a traced `cond` return different shapes.

    TF: `tf.cond`.
    """
    for argument, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if function is None:
            raise TypeError(f"cond(): '{argument}' argument required")
        if not callable(function):
            raise TypeError(f"'{argument}' must be callable.")
    node = to_node(pred, hint=dtypes.bool) if not isinstance(pred, bool) else None
    if node is None or not _is_symbolic(node):
        chosen = pred if node is None else bool(engine.value_of(node))
        return true_fn() if chosen else false_fn()
    return switch_on(node, [false_fn, true_fn])


def switch_on(index, branches):
    """The result of one of `branches`, captured, chosen by the node `index` (bool or integer)."""
    parts = [_Part(branch) for branch in branches]
    first = parts[0]
    for other in parts[1:]:
        try:
            nest.assert_same_structure(first.result, other.result, expand_composites=True)
        except (TypeError, ValueError) as error:
            raise TypeError(f"true_fn and false_fn must return the same structure: {error}") from error
        for a, b in zip(first.nodes, other.nodes, strict=True):
            if a.aval.dtype != b.aval.dtype:
                raise TypeError(
                    "true_fn and false_fn must return tensors of the same dtype, got "
                    f"{dtype_of(a)!r} and {dtype_of(b)!r}"
                )
            if a.aval.shape != b.aval.shape:
                raise UnimplementedError(
                    None, None,
                    f"tf.cond inside tf.function: branches return shapes {shape_of(a)} and {shape_of(b)}; shapes "
                    "must be static here",
                )  # fmt: skip
    variables = list({key: v for part in parts for key, v in part.assigned.items()}.values())
    operations = [part.operation(variables) for part in parts]
    captures = [c for _, c in operations]
    operation = _branching(tuple(op for op, _ in operations), tuple(map(len, captures)))
    results = engine.apply(operation, (index, *[n for c in captures for n in c]))
    _assign(variables, results[len(first.nodes) :])
    tensors = [wrap(n) for n in results[: len(first.nodes)]]
    return nest.pack_sequence_as(first.result, tensors, expand_composites=True)


@functools.lru_cache(maxsize=1024)
def _branching(operations, counts):
    def fn(index, *captures):
        groups, rest = [], list(captures)
        for count in counts:
            groups.append(rest[:count])
            rest = rest[count:]
        calls = [lambda op=op, xs=xs: tuple(op.fn(*xs)) for op, xs in zip(operations, groups, strict=True)]
        if index.dtype == bool:
            return jax.lax.cond(index, calls[1], calls[0])
        # As TF, an index out of range takes the last branch.
        last = len(calls) - 1
        return jax.lax.switch(jnp.where((index < 0) | (index > last), last, index), calls)

    return engine.Operation("If", fn)


def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    """The result of `branch_fns[branch_index]()`.

    Args:
      branch_index: int32 scalar; out of range it chooses `default`, or the last function.
      branch_fns: list of functions, or dict or list of pairs from the ints 0 to n - 1 to functions.
      default: function for other indices.
      name: unused.

    Raises:
      TypeError: something is not callable, or an index is no integer.
      ValueError: there are no functions, or indices are missing.

    TF: `tf.switch_case`.
    """
    if not isinstance(branch_fns, list | tuple | dict):
        raise TypeError(f"branch_fns must be a list, tuple, or dict of functions, got {branch_fns!r}")
    items = list(branch_fns.items() if isinstance(branch_fns, dict) else branch_fns)
    if not items:
        raise ValueError("branch_fns must not be empty")
    if all(callable(f) for f in items):
        items = list(enumerate(items))
    for item in items:
        if not isinstance(item, tuple) or len(item) != 2 or type(item[0]) is not int or not callable(item[1]):
            raise TypeError(f"Each entry in branch_fns must be a function or a pair of int and function, got {item!r}")
    table = dict(items)
    if len(table) != len(items) or table.keys() != set(range(len(table))):
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(items)}) but found "
            f"{sorted(k for k, _ in items)}"
        )
    otherwise = default or table[max(table)]
    node = to_node(branch_index, hint=dtypes.int32)
    if dtype_of(node) not in (dtypes.int32, dtypes.int64):
        raise TypeError(f"branch_index must be an integer, got {dtype_of(node)!r}")
    if not _is_symbolic(node):
        return table.get(int(engine.value_of(node)), otherwise)()
    return switch_on(node, [*(table[i] for i in sorted(table)), otherwise])


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """The result of the first function whose predicate is true.

    Args:
      pred_fn_pairs: list of (scalar bool tensor, function).
      default: function if no predicate is true; inside a function being traced without it, the last one.
      exclusive, strict, name: unused, as in eager TF.

    Raises:
      ValueError: there are no pairs.
      TypeError: they are not pairs of a predicate and a function.
      tf.errors.InvalidArgumentError: no predicate is true and there is no default.

    TF: `tf.case`.
    """
    pairs = list(pred_fn_pairs)
    if not pairs:
        raise ValueError("At least one pair of predicate and function must be given to tf.case.")
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2 or not callable(pair[1]):
            raise TypeError(f"Each entry in pred_fn_pairs must be a tuple of a predicate and a function, got {pair!r}")

    def nothing():
        raise InvalidArgumentError(None, None, "tf.case: none of the conditions is True and there is no default")

    if default is None and any(_is_symbolic(to_node(p)) for p, _ in pairs):
        chosen = pairs.pop()[1]
    else:
        chosen = default or nothing
    for pred, function in reversed(pairs):
        chosen = functools.partial(cond, pred, function, chosen)
    return chosen()


# --- loops --------------------------------------------------------------------------------------------------------

# Derivatives of a loop run it as scans in scans: what ends early skips the rest of each, so turns cost what they
# cost; only the innermost keeps the values of all its turns, the others keep the state and compute again.
_TURNS = 64
_LEVELS = 3


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True,
               swap_memory=False, maximum_iterations=None, name=None):  # fmt: skip
    """Repeats `body` while `cond` holds.

    Args:
      cond: function of the loop variables to a scalar bool tensor.
      body: function of the loop variables to their next values.
      loop_vars: list or tuple of nests of tensors and TensorArrays.
      shape_invariants: accepted outside of functions, where shapes may change freely.
      parallel_iterations, swap_memory, name: accepted, without effect on values.
      back_prop: must be True; use tf.stop_gradient for constants.
      maximum_iterations: bound on the number of turns.

    Returns:
      The final loop variables, structured as `loop_vars`; outside of functions as `body` returns them.

    Raises:
      TypeError: `cond` or `body` is not callable; a loop variable changes its dtype inside a function.
      ValueError: there are no loop variables; one changes its shape inside a function.
      tf.errors.UnimplementedError: inside a function with `shape_invariants`, or with a growing TensorArray.

    Gradient: outside of functions that of the operations run. Inside a function, derivatives of loops of more than
    262,144 turns are nan.
    TF: `tf.while_loop`.
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if not back_prop:
        raise UnimplementedError(None, None, "tf.while_loop: back_prop=False is not available; use tf.stop_gradient")
    if not loop_vars:
        raise ValueError("'loop_vars' cannot be empty.")
    loop_vars = nest.map_structure(_loop_variable, loop_vars)
    if not isinstance(loop_vars, list | tuple):
        raise TypeError(f"'loop_vars' must be a list or tuple, got {loop_vars!r}")
    flat = nest.flatten(loop_vars, expand_composites=True)
    if engine.state.graph.symbolic or any(_is_symbolic(to_node(x)) for x in flat):
        if shape_invariants is not None:
            raise UnimplementedError(
                None, None, "tf.while_loop: shape_invariants are not available inside tf.function"
            )
        if maximum_iterations is None:
            return _traced_while(cond, body, loop_vars, _LEVELS)
        return _bounded_while(cond, body, loop_vars, convert_to_tensor(maximum_iterations))
    turns = 0
    while (maximum_iterations is None or turns < int(maximum_iterations)) and cond(*loop_vars):
        loop_vars = body(*loop_vars)
        if not isinstance(loop_vars, list | tuple):
            loop_vars = (loop_vars,)
        turns += 1
    return nest.map_structure(_loop_variable, loop_vars)


def _loop_variable(x):
    return x if isinstance(x, TensorArray) else convert_to_tensor(x)


def _bounded_while(cond, body, loop_vars, bound):
    """A loop with the number of turns left as one more loop variable."""

    def counted_cond(left, *rest):
        return logical_and(left > 0, cond(*rest))

    def counted_body(left, *rest):
        result = body(*rest)
        return (left - 1, *(result if isinstance(result, list | tuple) else (result,)))

    from tfcompat.math import logical_and

    levels = _LEVELS
    if not _is_symbolic(bound._node):
        while levels > 1 and _TURNS ** (levels - 1) >= int(bound):
            levels -= 1
    result = _traced_while(counted_cond, counted_body, [bound, *loop_vars], levels)[1:]
    return nest.pack_sequence_as(loop_vars, nest.flatten(result))


def _traced_while(cond, body, loop_vars, levels):
    loop_vars = _with_fixed_arrays(body, loop_vars)
    flat = [to_node(x) for x in nest.flatten(loop_vars, expand_composites=True)]
    condition = _Part(cond, loop_vars)
    if condition.assigned:
        raise UnimplementedError(None, None, "tf.while_loop inside tf.function: `cond` assigns a variable")
    step = _Part(functools.partial(_body_result, body, loop_vars), loop_vars)
    for before, after in zip(flat, step.nodes, strict=True):
        if before.aval.dtype != after.aval.dtype or before.aval.shape != after.aval.shape:
            kind = TypeError if before.aval.dtype != after.aval.dtype else ValueError
            raise kind(
                f"tf.while_loop: a loop variable of shape {shape_of(before)} and dtype {dtype_of(before)!r} enters "
                f"the loop, but has shape {shape_of(after)} and dtype {dtype_of(after)!r} after one iteration"
            )
    variables = list(step.assigned.values())
    holds, holds_captures = condition.operation(())
    advance, advance_captures = step.operation(variables)
    holds_sources, rest = _split(holds_captures, variables)
    advance_sources, more = _split(advance_captures, variables)
    operation = _looping(
        holds, advance, len(flat), len(variables), len(rest), holds_sources, advance_sources, levels
    )
    start = [v._current_node() for v in variables]
    results = engine.apply(operation, (*flat, *start, *rest, *more))
    _assign(variables, results[len(flat) :])
    return nest.pack_sequence_as(loop_vars, [wrap(n) for n in results[: len(flat)]], expand_composites=True)


def _body_result(body, loop_vars, *arguments):
    result = body(*arguments)
    if not isinstance(result, list | tuple):
        result = (result,)
    result = nest.map_structure(_loop_variable, result)
    try:
        nest.assert_same_structure(list(loop_vars), list(result), expand_composites=True)
    except (TypeError, ValueError) as error:
        raise ValueError(f"The body of tf.while_loop must return the loop variables that it takes: {error}") from error
    return result


def _with_fixed_arrays(body, loop_vars):
    """The loop variables with TensorArrays as single tensors, of shapes that one turn of the body tells."""

    def fixed(x):
        return x.as_one_tensor() if isinstance(x, TensorArray) else x

    arrays = [x for x in nest.flatten(loop_vars) if isinstance(x, TensorArray)]
    if any(x.dynamic_size for x in arrays):
        raise UnimplementedError(
            None, None, "a tf.TensorArray with dynamic_size=True is no loop variable inside tf.function: give its size"
        )
    if any(not x.element_shape.is_fully_defined() for x in arrays):
        with engine.Capture() as capture:
            trial = nest.map_structure(
                lambda x: x if isinstance(x, TensorArray) else wrap(capture.placeholder(to_node(x).aval)), loop_vars
            )
            result = body(*trial)
        result = result if isinstance(result, list | tuple) else (result,)
        for before, after in zip(nest.flatten(loop_vars), nest.flatten(result), strict=True):
            if isinstance(before, TensorArray):
                before.set_element_shape(after.element_shape)
    return nest.map_structure(fixed, loop_vars)


@functools.lru_cache(maxsize=1024)
def _looping(holds, advance, count, n_variables, n_rest, holds_sources, advance_sources, levels):
    """The While operation of (loop variables..., variables..., captures of the condition..., of the body...)."""

    def fn(*inputs):
        start, for_holds = inputs[: count + n_variables], inputs[count + n_variables :][:n_rest]
        for_advance = inputs[count + n_variables + n_rest :]
        return _loop(start, for_holds, for_advance)

    def as_functions(for_holds, for_advance):
        def goes_on(state):
            return holds.fn(*state[:count], *_chosen(holds_sources, for_holds, state[count:]))[0].reshape(())

        def turn(state):
            return tuple(advance.fn(*state[:count], *_chosen(advance_sources, for_advance, state[count:])))

        return goes_on, turn

    @jax.custom_jvp
    def _loop(start, for_holds, for_advance):
        return jax.lax.while_loop(*as_functions(for_holds, for_advance), start)

    @_loop.defjvp
    def _loop_jvp(primals, tangents):
        # While loops have no reverse mode: lax.while_loop keeps no values of its turns.
        return jax.jvp(lambda start, *captures: _scanned(*as_functions(*captures), start, levels), primals, tangents)

    return engine.Operation("While", fn)


def _scanned(goes_on, turn, state, levels):
    """The loop as scans in scans, which have derivatives in both modes; nan if it is longer than these."""

    def repeated(run):
        def all_turns(state):
            return jax.lax.scan(lambda s, _: (run(s), None), state, None, length=_TURNS)[0]

        return lambda state: jax.lax.cond(goes_on(state), all_turns, lambda s: s, state)

    run = repeated(lambda state: jax.lax.cond(goes_on(state), turn, lambda s: s, state))
    for _ in range(levels - 1):
        run = repeated(jax.checkpoint(run, prevent_cse=False))
    state = run(state)
    too_long = goes_on(state)
    return tuple(
        jnp.where(too_long, jnp.nan, x).astype(x.dtype) if jnp.issubdtype(x.dtype, jnp.inexact) else x for x in state
    )


# --- mapping ------------------------------------------------------------------------------------------------------


def _rows(elems):
    flat = [convert_to_tensor(x) for x in nest.flatten(elems)]
    if not flat:
        raise ValueError("elems must be a Tensor or (possibly nested) sequence of Tensors. Got nothing.")
    for x in flat:
        if not x.shape.rank:
            raise ValueError(f"Elements in elems must be 1+ dimensional Tensors, not scalars: {x!r}")
    return flat, flat[0].shape[0]


def map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False, infer_shape=True,
           name=None, fn_output_signature=None):  # fmt: skip
    """Applies `fn` to each row of `elems` and stacks the results.

    Args:
      fn: function of one row (nested like `elems`) to a tensor or a nest of tensors.
      elems: tensor or nest of tensors with the same first dimension.
      dtype: old name of `fn_output_signature`.
      parallel_iterations, swap_memory, infer_shape, name: accepted, without effect on values.
      back_prop: if False, derivatives take the results for constants.
      fn_output_signature: DType or TensorSpec, or a nest of them, where the result's structure or dtype differs
        from that of `elems`; checked.

    Returns:
      Nest like the result of `fn`, of tensors with the first dimension of `elems`.

    Raises:
      TypeError: `fn` is not callable.
      ValueError: the structure is another than that of the signature.
      tf.errors.InvalidArgumentError: a dtype is another than that of the signature.

    TF: `tf.map_fn`. Rows may differ in shape only through RaggedTensor, which is not available.
    """
    if not callable(fn):
        raise TypeError(f"The provided function {fn!r} is not callable.")
    flat, count = _rows(elems)
    signature = fn_output_signature if fn_output_signature is not None else dtype
    if signature is None:
        signature = nest.pack_sequence_as(elems, [x.dtype for x in flat])
    if engine.state.graph.symbolic or not count:
        first, columns = _traced_map(fn, elems, flat, signature)
    else:
        rows = [array.unstack(x) for x in flat]
        results = []
        for i in range(count):
            results.append(fn(nest.pack_sequence_as(elems, [r[i] for r in rows])))
            if i == 0:
                _check_signature(results[0], signature)
        first = results[0]
        columns = [array.stack(column) for column in zip(*[nest.flatten(r) for r in results], strict=True)]
    if not back_prop:
        from tfcompat.tape import stop_gradient

        columns = [stop_gradient(c) for c in columns]
    return nest.pack_sequence_as(first, columns)


def _check_signature(result, signature):
    values, specs = nest.flatten(result), nest.flatten(signature)
    if len(values) != len(specs):
        raise ValueError(f"fn's result {result} does not have the structure of fn_output_signature {signature}")
    for value, spec in zip(values, specs, strict=True):
        wanted, got = dtypes.as_dtype(getattr(spec, "dtype", spec)), convert_to_tensor(value).dtype
        if got != wanted:
            raise InvalidArgumentError(
                None, None, f"TensorArray dtype is {wanted.name} but Op is trying to write dtype {got.name} "
            )


def _one_row(elems, flat):
    """`elems` with stand-ins for the tensors of one row."""
    with engine.Capture() as capture:
        inner = [
            wrap(capture.placeholder(engine.Aval(x._node.aval.shape[1:], x._node.aval.dtype))) for x in flat
        ]
    return nest.pack_sequence_as(elems, inner)


def _traced_map(fn, elems, flat, signature):
    part = _Part(fn, [_one_row(elems, flat)])
    _check_signature(part.result, signature)
    variables = list(part.assigned.values())
    operation, captures = part.operation(variables)
    sources, rest = _split(captures, variables)
    start = [v._current_node() for v in variables]
    results = engine.apply(
        _mapping(operation, len(flat), len(variables), sources), (*[x._node for x in flat], *start, *rest)
    )
    _assign(variables, results[len(part.nodes) :])
    return part.result, [wrap(n) for n in results[: len(part.nodes)]]


@functools.lru_cache(maxsize=1024)
def _mapping(operation, count, n_variables, sources):
    def fn(*inputs):
        rows, start, rest = inputs[:count], inputs[count : count + n_variables], inputs[count + n_variables :]

        def turn(state, row):
            results = operation.fn(*row, *_chosen(sources, rest, state))
            kept = len(results) - n_variables
            return tuple(results[kept:]), tuple(results[:kept])

        state, columns = jax.lax.scan(turn, tuple(start), tuple(rows))
        return (*columns, *state)

    return engine.Operation("Map", fn)


def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """Applies `fn` to all rows of `elems` at once, under `jax.vmap`.

    Args:
      fn: function of one row (nested like `elems`) to a tensor or a nest of tensors; captured once.
      elems: tensor or nest of tensors with the same first dimension.
      fallback_to_while_loop, warn: accepted; every operation has a vectorized form.

    Returns:
      Nest like the result of `fn`, of tensors with the first dimension of `elems`.

    Raises:
      tf.errors.UnimplementedError: `fn` assigns a variable.

    TF: `tf.vectorized_map`.
    """
    flat, _ = _rows(elems)
    part = _Part(fn, [_one_row(elems, flat)])
    if part.assigned:
        raise UnimplementedError(None, None, "tf.vectorized_map: `fn` assigns a variable; use tf.map_fn")
    operation, captures = part.operation(())
    results = engine.apply(_vectorized(operation, len(flat)), (*[x._node for x in flat], *captures))
    return nest.pack_sequence_as(part.result, [wrap(n) for n in results])


@functools.lru_cache(maxsize=1024)
def _vectorized(operation, count):
    def fn(*inputs):
        rows, captures = inputs[:count], inputs[count:]
        return jax.vmap(lambda *row: tuple(operation.fn(*row, *captures)))(*rows)

    return engine.Operation(operation.name, fn)


# --- calls back to Python ---------------------------------------------------------------------------------------------


def py_function(func=None, inp=None, Tout=None, name=None):
    """Calls a Python function on tensors.

    Args:
      func: function of tensors that returns a tensor, a list of tensors, or None.
      inp: list of tensors.
      Tout: DType or list of DTypes of the results.
      name: unused.

    Returns:
      Tensor or list of tensors.

    Raises:
      tf.errors.UnimplementedError: inside a function being traced.

    Gradient: that of the operations that `func` calls.
    TF: `tf.py_function`.
    """
    arguments = _eager_arguments("tf.py_function", inp)
    return _results_as("tf.py_function", func(*arguments), Tout)


def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):
    """Calls a function of NumPy arrays.

    Args:
      func: function of arrays that returns an array or a list of arrays.
      inp: list of tensors.
      Tout: DType or list of DTypes of the results.
      stateful, name: unused.

    Returns:
      Tensor or list of tensors; derivatives do not flow through.

    Raises:
      tf.errors.UnimplementedError: inside a function being traced.

    TF: `tf.numpy_function`.
    """
    arguments = _eager_arguments("tf.numpy_function", inp)
    return _results_as("tf.numpy_function", func(*[x.numpy() for x in arguments]), Tout)


def _eager_arguments(name, inp):
    arguments = [x if isinstance(x, Variable) else convert_to_tensor(x) for x in inp or []]
    if engine.state.graph.symbolic or any(_is_symbolic(to_node(x)) for x in arguments):
        raise UnimplementedError(None, None, f"{name} is not available inside tf.function: call it outside")
    return arguments


def _results_as(name, result, Tout):
    if not isinstance(Tout, list | tuple):
        return None if result is None and Tout is None else _result_as(name, result, Tout)
    results = [] if result is None else result if isinstance(result, list | tuple) else [result]
    if len(results) != len(Tout):
        raise ValueError(f"{name}: the function returned {len(results)} results, Tout has {len(Tout)}")
    return [_result_as(name, r, t) for r, t in zip(results, Tout, strict=True)]


def _result_as(name, result, spec):
    wanted = _dtype(spec)
    tensor = convert_to_tensor(result, dtype_hint=wanted)
    if tensor.dtype != wanted:
        raise InvalidArgumentError(
            None, None, f"{name}: Tout is {wanted.name}, the function returned {tensor.dtype.name}"
        )
    return tensor


def _dtype(spec):
    return dtypes.as_dtype(getattr(spec, "dtype", spec))


# --- ordering ---------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def control_dependencies(control_inputs):
    """Operations run in the order in which they are called; nothing to do. TF: `tf.control_dependencies`."""
    yield


def group(*inputs, **kwargs):
    """Nothing: operations have run in order. TF: `tf.group`."""


def no_op(name=None):
    """Nothing. TF: `tf.no_op`."""


def tuple_(tensors, control_inputs=None, name=None):
    """The tensors, as a list. TF: `tf.tuple`."""
    return [x if x is None else convert_to_tensor(x) for x in tensors]
