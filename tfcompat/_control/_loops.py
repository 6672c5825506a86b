"""Loops: while_loop."""

import functools

import jax
import jax.numpy as jnp

from tfcompat import engine, nest
from tfcompat._control._part import Part, assign, chosen, is_symbolic, split
from tfcompat._convert import convert_to_tensor, to_node
from tfcompat._tensor import dtype_of, shape_of, wrap
from tfcompat._tensor_array import TensorArray
from tfcompat.errors import UnimplementedError

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
    if engine.state.graph.symbolic or any(is_symbolic(to_node(x)) for x in flat):
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
    if not is_symbolic(bound._node):
        while levels > 1 and _TURNS ** (levels - 1) >= int(bound):
            levels -= 1
    result = _traced_while(counted_cond, counted_body, [bound, *loop_vars], levels)[1:]
    return nest.pack_sequence_as(loop_vars, nest.flatten(result))


def _traced_while(cond, body, loop_vars, levels):
    loop_vars = _with_fixed_arrays(body, loop_vars)
    flat = [to_node(x) for x in nest.flatten(loop_vars, expand_composites=True)]
    condition = Part(cond, loop_vars)
    if condition.assigned:
        raise UnimplementedError(None, None, "tf.while_loop inside tf.function: `cond` assigns a variable")
    step = Part(functools.partial(_body_result, body, loop_vars), loop_vars)
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
    holds_sources, rest = split(holds_captures, variables)
    advance_sources, more = split(advance_captures, variables)
    operation = _looping(
        holds, advance, len(flat), len(variables), len(rest), holds_sources, advance_sources, levels
    )
    start = [v._current_node() for v in variables]
    results = engine.apply(operation, (*flat, *start, *rest, *more))
    assign(variables, results[len(flat) :])
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
            return holds.fn(*state[:count], *chosen(holds_sources, for_holds, state[count:]))[0].reshape(())

        def turn(state):
            return tuple(advance.fn(*state[:count], *chosen(advance_sources, for_advance, state[count:])))

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
