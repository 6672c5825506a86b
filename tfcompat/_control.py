"""Control flow over tensors: cond, case, while_loop, map_fn, vectorized_map; and calls back to Python.

Outside of functions these are plain Python, which tapes see op by op. Inside a `tf.function` branches and bodies are
captured, and become `lax.cond`, `lax.while_loop` and `lax.map`.
"""
import contextlib
import functools

import jax
import numpy as np

from tfcompat import array, dtypes, engine, nest
from tfcompat._convert import convert_to_tensor, to_node
from tfcompat._tensor import Tensor, dtype_of, shape_of, wrap
from tfcompat._variable import Variable, function_trace
from tfcompat.errors import InvalidArgumentError, UnimplementedError


def _is_symbolic(node):
    return node.value is None and node.graph.symbolic or node.aval.traced


def cond(pred, true_fn=None, false_fn=None, name=None):
    """The result of `true_fn()` if `pred`, else of `false_fn()`.

    Args:
      pred: bool, or scalar bool tensor.
      true_fn, false_fn: functions without arguments that return nests of tensors, alike in structure and dtypes.
      name: unused.

    Returns:
      What the chosen function returns.

    Raises:
      TypeError: a branch is not callable, or the branches of a traced `cond` return different structures or dtypes.
      tf.errors.UnimplementedError: a branch of a traced `cond` assigns a variable.

    TF: `tf.cond`.
    """
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError(f"'{'true_fn' if not callable(true_fn) else 'false_fn'}' must be callable.")
    node = to_node(pred, hint=dtypes.bool) if not isinstance(pred, bool) else None
    if node is None or not _is_symbolic(node):
        chosen = pred if node is None else bool(engine.value_of(node))
        return true_fn() if chosen else false_fn()
    return switch_on(node, [false_fn, true_fn])


def switch_on(index, branches):
    """The result of one of `branches`, captured, chosen by the node `index` (bool or integer)."""
    captured = [_captured_branch(branch) for branch in branches]
    structure, first = captured[0][0], captured[0][1]
    for other, nodes, _ in captured[1:]:
        try:
            nest.assert_same_structure(structure, other, expand_composites=True)
        except (TypeError, ValueError) as error:
            raise TypeError(f"true_fn and false_fn must return the same structure: {error}") from error
        for a, b in zip(first, nodes, strict=True):
            if a.aval.dtype != b.aval.dtype:
                raise TypeError(
                    f"true_fn and false_fn must return tensors of the same dtype, got {dtype_of(a)!r} and {dtype_of(b)!r}"
                )
            if a.aval.shape != b.aval.shape:
                raise UnimplementedError(
                    None, None,
                    f"tf.cond inside tf.function: branches return shapes {shape_of(a)} and {shape_of(b)}; shapes must be "
                    "static here",
                )  # fmt: skip
    operations = tuple(capture.operation(nodes, "Branch") for _, nodes, capture in captured)
    captures = [c for _, c in operations]
    counts = tuple(len(c) for c in captures)
    operation = _branching(tuple(op for op, _ in operations), counts)
    results = engine.apply(operation, (index, *[n for c in captures for n in c]))
    return nest.pack_sequence_as(structure, [wrap(n) for n in results], expand_composites=True)


def _captured_branch(branch):
    trace = function_trace(engine.state.graph)
    before = dict(trace.current) if trace else {}
    with engine.Capture() as capture:
        result = branch()
        nodes = [to_node(x) for x in nest.flatten(result, expand_composites=True)]
    if trace is not None and any(trace.current.get(k) is not v for k, v in before.items() if k in trace.assigned):
        raise UnimplementedError(
            None, None, "tf.cond inside tf.function: a branch assigns a variable; return the value and assign it after"
        )
    return result, nodes, capture


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
        return jax.lax.switch(jax.numpy.where((index < 0) | (index > last), last, index), calls)

    return engine.Operation("If", fn)


def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    """The result of `branch_fns[branch_index]()`.

    Args:
      branch_index: int32 scalar; out of range it chooses `default`, or the last function.
      branch_fns: list of functions, or dict or list of pairs from int to function.
      default: function for other indices.
      name: unused.

    TF: `tf.switch_case`.
    """
    items = branch_fns.items() if isinstance(branch_fns, dict) else branch_fns
    if not isinstance(branch_fns, dict) and all(callable(f) for f in branch_fns):
        items = enumerate(branch_fns)
    table = dict(items)
    otherwise = default or table[max(table)]
    node = to_node(branch_index, hint=dtypes.int32)
    if not _is_symbolic(node):
        return table.get(int(engine.value_of(node)), otherwise)()
    functions = [table.get(i, otherwise) for i in range(max(table) + 1)] + [otherwise]
    return switch_on(node, functions)


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """The result of the first function whose predicate is true.

    Args:
      pred_fn_pairs: list of (scalar bool tensor, function).
      default: function if no predicate is true.
      exclusive: whether more than one true predicate is an error (checked outside of functions).
      strict, name: unused.

    Raises:
      tf.errors.InvalidArgumentError: no predicate is true and there is no default; several are, and `exclusive`.

    TF: `tf.case`.
    """
    pairs = list(pred_fn_pairs)
    if exclusive and not any(_is_symbolic(to_node(p)) for p, _ in pairs) and sum(bool(p) for p, _ in pairs) > 1:
        raise InvalidArgumentError(None, None, "Input error: exclusive=True: more than 1 conditions evaluated as True")

    def nothing():
        raise InvalidArgumentError(None, None, "tf.case: none of the conditions is True and there is no default")

    chosen = default or (pairs[-1][1] if any(_is_symbolic(to_node(p)) for p, _ in pairs) else nothing)
    for pred, function in reversed(pairs):
        chosen = functools.partial(cond, pred, function, chosen)
    return chosen()


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, swap_memory=False,
               maximum_iterations=None, name=None):  # fmt: skip
    """Repeats `body` while `cond` holds.

    Args:
      cond: function of the loop variables to a scalar bool tensor.
      body: function of the loop variables to their next values.
      loop_vars: list, tuple or nest of tensors.
      shape_invariants: accepted outside of functions, where shapes may change freely.
      parallel_iterations, swap_memory, name: accepted, without effect on values.
      back_prop: must be True; use tf.stop_gradient for constants.
      maximum_iterations: bound on the number of turns.

    Returns:
      The final loop variables, structured as `loop_vars`.

    Raises:
      tf.errors.UnimplementedError: inside a function with `shape_invariants`.

    Gradient: outside of functions that of the operations run. Inside a function reverse mode needs
    `maximum_iterations`, forward mode does not.
    TF: `tf.while_loop`.
    """
    if not back_prop:
        raise UnimplementedError(None, None, "tf.while_loop: back_prop=False is not available; use tf.stop_gradient")
    loop_vars = nest.map_structure(lambda x: x if isinstance(x, Tensor) else convert_to_tensor(x), loop_vars)
    single = not isinstance(loop_vars, list | tuple)
    arguments = [loop_vars] if single else loop_vars
    inside = engine.state.graph.symbolic or any(
        _is_symbolic(to_node(x)) for x in nest.flatten(loop_vars, expand_composites=True)
    )
    if inside:
        if shape_invariants is not None:
            raise UnimplementedError(None, None, "tf.while_loop: shape_invariants are not available inside tf.function")
        return _traced_while(cond, body, arguments, loop_vars, maximum_iterations)
    turns = 0
    while (maximum_iterations is None or turns < int(maximum_iterations)) and cond(*arguments):
        result = body(*arguments)
        arguments = [result] if single or not isinstance(result, list | tuple) else list(result)
        turns += 1
    if single:
        return arguments[0]
    return nest.pack_sequence_as(loop_vars, nest.flatten(list(arguments)))


def _traced_while(cond, body, arguments, structure, maximum_iterations):
    flat = [to_node(x) for x in nest.flatten(structure, expand_composites=True)]

    def captured(function):
        with engine.Capture() as capture:
            inner = [wrap(capture.placeholder(node.aval)) for node in flat]
            packed = nest.pack_sequence_as(arguments, inner, expand_composites=True)
            result = function(*packed)
            nodes = [to_node(x) for x in nest.flatten(result, expand_composites=True)]
        return nodes, *capture.operation(nodes, "LoopPart")

    _, condition, condition_captures = captured(cond)
    nodes, step, step_captures = captured(body)
    for before, after in zip(flat, nodes, strict=True):
        if before.aval.shape != after.aval.shape or before.aval.dtype != after.aval.dtype:
            raise ValueError(
                f"tf.while_loop: a loop variable of shape {shape_of(before)} and dtype {dtype_of(before)!r} enters the "
                f"loop, but has shape {shape_of(after)} and dtype {dtype_of(after)!r} after one iteration"
            )
    bound = None if maximum_iterations is None else int(np.asarray(maximum_iterations))
    operation = _looping(condition, step, len(flat), len(condition_captures), bound)
    results = engine.apply(operation, (*flat, *condition_captures, *step_captures))
    return nest.pack_sequence_as(structure, [wrap(n) for n in results], expand_composites=True)


@functools.lru_cache(maxsize=1024)
def _looping(condition, step, count, n_condition, bound):
    def fn(*inputs):
        state, rest = tuple(inputs[:count]), inputs[count:]
        for_condition, for_step = rest[:n_condition], rest[n_condition:]

        def holds(state):
            return condition.fn(*state, *for_condition)[0].reshape(())

        def advance(state):
            return tuple(step.fn(*state, *for_step))

        if bound is None:
            return jax.lax.while_loop(holds, advance, state)

        def turn(state, _):
            return jax.lax.cond(holds(state), advance, lambda s: s, state), None

        return jax.lax.scan(turn, state, None, length=bound)[0]

    return engine.Operation("While", fn)


# --- mapping ----------------------------------------------------------------------------------------------------------


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

    TF: `tf.map_fn`. Rows may differ in shape only through RaggedTensor, which is not available.
    """
    flat, count = _rows(elems)
    rows = [array.unstack(x) for x in flat]
    results = [fn(nest.pack_sequence_as(elems, [r[i] for r in rows])) for i in range(count)]
    signature = fn_output_signature if fn_output_signature is not None else dtype
    if not results:
        raise UnimplementedError(None, None, "tf.map_fn: elems without rows; the result's shape is not known")
    if signature is not None:
        _check_signature(results[0], signature)
    columns = [array.stack(column) for column in zip(*[nest.flatten(r) for r in results], strict=True)]
    if not back_prop:
        from tfcompat.tape import stop_gradient

        columns = [stop_gradient(c) for c in columns]
    return nest.pack_sequence_as(results[0], columns)


def _check_signature(result, signature):
    values, specs = nest.flatten(result), nest.flatten(signature)
    if len(values) != len(specs):
        raise ValueError(f"fn's result {result} does not have the structure of fn_output_signature {signature}")
    for value, spec in zip(values, specs, strict=True):
        wanted = dtypes.as_dtype(getattr(spec, "dtype", spec))
        if convert_to_tensor(value).dtype != wanted:
            raise InvalidArgumentError(
                None, None, f"TensorArray dtype is {wanted.name} but fn returned {convert_to_tensor(value).dtype.name}"
            )


def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """Applies `fn` to all rows of `elems` at once, under `jax.vmap`.

    Args:
      fn: function of one row (nested like `elems`) to a tensor or a nest of tensors; captured once.
      elems: tensor or nest of tensors with the same first dimension.
      fallback_to_while_loop, warn: accepted; every operation has a vectorized form.

    Returns:
      Nest like the result of `fn`, of tensors with the first dimension of `elems`.

    TF: `tf.vectorized_map`.
    """
    flat, _ = _rows(elems)
    with engine.Capture() as capture:
        inner = [wrap(capture.placeholder(engine.Aval(x._node.aval.shape[1:], x._node.aval.dtype))) for x in flat]
        result = fn(nest.pack_sequence_as(elems, inner))
        nodes = [to_node(x) for x in nest.flatten(result)]
    operation, captures = capture.operation(nodes, "VectorizedMap")
    results = engine.apply(_vectorized(operation, len(flat)), (*[x._node for x in flat], *captures))
    return nest.pack_sequence_as(result, [wrap(n) for n in results])


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
    return _results_as(func(*arguments), Tout)


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
    return _results_as(func(*[x.numpy() for x in arguments]), Tout)


def _eager_arguments(name, inp):
    arguments = [x if isinstance(x, Variable) else convert_to_tensor(x) for x in inp or []]
    if engine.state.graph.symbolic or any(_is_symbolic(to_node(x)) for x in arguments):
        raise UnimplementedError(None, None, f"{name} is not available inside tf.function: call it outside")
    return arguments


def _results_as(result, Tout):
    if isinstance(Tout, list | tuple):
        results = result if isinstance(result, list | tuple) else [result]
        return [convert_to_tensor(r, _dtype(t)) for r, t in zip(results, Tout, strict=True)]
    return None if result is None and Tout is None else convert_to_tensor(result, _dtype(Tout))


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
