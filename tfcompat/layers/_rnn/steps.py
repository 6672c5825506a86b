"""The loop of a recurrent layer over a sequence, with masks."""

from typing import Any

from tfcompat import engine, nest
from tfcompat._control._recurrence import recurrence
from tfcompat._core import graphs
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.shape import TensorShape
from tfcompat.array import cast, expand_dims, reverse, stack, transpose, unstack, where, zeros, zeros_like
from tfcompat.layers._layer.call_context import call_context
from tfcompat.random import _seed


def is_multiple(state_size):
    """Whether a cell's `state_size` lists the sizes of several states."""
    return hasattr(state_size, "__len__") and not isinstance(state_size, TensorShape)


def zero_state(batch_size, state_size, dtype) -> Any:
    """Zeros for each state of a cell.

    Args:
      batch_size: int.
      state_size: int, shape, or structure of these.
      dtype: dtype.

    Raises:
      ValueError: `batch_size` or `dtype` is None.
    """
    if batch_size is None or dtype is None:
        raise ValueError(
            "batch_size and dtype cannot be None while constructing initial state. Received: "
            f"batch_size={batch_size}, dtype={dtype}"
        )

    def made(size):
        return zeros([batch_size, *TensorShape(size).as_list()], dtype)

    return nest.map_structure(made, state_size) if nest.is_nested(state_size) else made(state_size)


def swapped(tensor):
    """`tensor` with its first two axes swapped."""
    return transpose(tensor, [1, 0, *range(2, len(tensor.shape))])


def row_mask(mask, time_major):
    """A mask as bools with time first and at least one axis after that of the batch."""
    mask = convert_to_tensor(mask)
    if mask.dtype != "bool":
        mask = cast(mask, "bool")
    if len(mask.shape) == 2:
        mask = expand_dims(mask, -1)
    return mask if time_major else swapped(mask)


def masked(keep, new, old):
    """`new` where `keep`, which may lack axes at the end, holds; `old` elsewhere."""
    for _ in range(len(new.shape) - len(keep.shape)):
        keep = expand_dims(keep, -1)
    return where(keep, new, old)


def run_steps(
    step,
    inputs,
    states,
    mask=None,
    go_backwards=False,
    unroll=False,
    time_major=False,
    zero_output=False,
    collected=True,
    output: Any = None,
) -> Any:
    """Runs a function over the steps of a sequence.

    Args:
      step: function of (input of one time, states) to (output, next states).
      inputs: tensor [batch, time, ...], or structure of these.
      states: structure of tensors, the states before.
      mask: tensor [batch, time] or with further axes; where False, states stay as they were.
      go_backwards: whether to begin with the last time; outputs are in the order in which they are computed.
      unroll: whether to record the operations of every step, rather than a loop.
      time_major: whether time is the first axis of inputs, mask and outputs, before that of the batch.
      zero_output: whether masked outputs are zero; otherwise they are those of the time before, zero at first.
      collected: whether outputs of all times are wanted.
      output: tensor like the output of a step that is known to do nothing but compute; None if it is not.

    Returns:
      (last output, outputs of all times or None, states after).

    Raises:
      ValueError: nothing to unroll.

    A step that draws random numbers, adds losses, assigns variables or looks at values is called time by time
    outside of functions. Any other is called twice: for the first time, and for all times.
    """
    if graphs.current() is not None:
        given = step, inputs, states, mask, go_backwards, unroll, time_major, zero_output, collected, output
        return graphs.record(run_steps, given, {}, kind="While")
    flat: list[Any] = [convert_to_tensor(x) for x in nest.flatten(inputs)]
    if not time_major:
        flat = [swapped(x) for x in flat]
    rows = flat if mask is None else [*flat, row_mask(mask, time_major)]
    turn = _Turn(step, inputs, states, mask is not None, zero_output, collected)
    result = None
    if unroll:
        if not flat[0].shape[0]:
            raise ValueError("Unrolling requires a fixed number of timesteps.")
    elif output is not None:
        result = turn.looped(output, rows, go_backwards)
    else:
        probe = _Probe()
        with probe:
            output = step(nest.pack_sequence_as(inputs, [x[0] for x in flat]), states)[0]
        if probe.symbolic:
            result = turn.looped(output, rows, go_backwards)
        elif not probe.found:
            try:
                result = turn.looped(output, rows, go_backwards)
            except Exception:  # the step has run before: it is only that it cannot be traced
                result = None
    output, last, columns, states = result or turn.unrolled(rows, go_backwards)
    if columns is not None:
        columns = nest.pack_sequence_as(output, columns if time_major else [swapped(c) for c in columns])
    return nest.pack_sequence_as(output, last), columns, states


class _Turn:
    """One turn of the loop over a sequence, and the two ways to run it.

    Args:
      step: function of (input, states) to (output, next states).
      inputs, states: structures of an input and of the states.
      has_mask: whether the last of the rows is a mask.
      zero_output, collected: see `run_steps`.
    """

    def __init__(self, step, inputs, states, has_mask, zero_output, collected):
        self.step, self.inputs, self.states = step, inputs, states
        self.has_mask, self.zero_output, self.collected = has_mask, zero_output, collected

    def advance(self, before, states, rows):
        """(output, flat output, flat next states) after those before."""
        x = nest.pack_sequence_as(self.inputs, rows[: len(rows) - self.has_mask])
        output, new = self.step(x, nest.pack_sequence_as(self.states, states))
        flat, new = nest.flatten(output), nest.flatten(new)
        if self.has_mask:
            if self.zero_output or before is None:
                before = [zeros_like(o) for o in flat]
            flat = [masked(rows[-1], o, p) for o, p in zip(flat, before, strict=True)]
            new = [masked(rows[-1], s, p) for s, p in zip(new, states, strict=True)]
        return output, flat, new

    def unrolled(self, rows, go_backwards):
        """(output, last output, outputs of all times or None, states), recorded step by step."""
        rows, states, outputs = [unstack(x) for x in rows], nest.flatten(self.states), []
        output = last = None
        for time in reversed(range(len(rows[0]))) if go_backwards else range(len(rows[0])):
            output, last, states = self.advance(last, states, [x[time] for x in rows])
            outputs.append(last)
        columns = [stack(c) for c in zip(*outputs, strict=True)] if self.collected else None
        return output, last, columns, nest.pack_sequence_as(self.states, states)

    def looped(self, output, rows, go_backwards):
        """The same as one operation, for a step whose output is like `output`."""
        # The output before is a part of the loop's state where somebody asks for it.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/backend.py
        keeps = not self.collected or self.has_mask and not self.zero_output
        before = [zeros_like(x) for x in nest.flatten(output)] if keeps else []

        def turn(state, row):
            _, flat, new = self.advance(state[: len(before)] if keeps else None, state[len(before) :], row)
            return (flat if self.collected else []), [*(flat if keeps else []), *new]

        columns: Any
        end, columns = recurrence(turn, [*before, *nest.flatten(self.states)], rows, go_backwards)
        if self.collected:
            last = [c[0 if go_backwards else -1] for c in columns]
            columns = [reverse(c, [0]) for c in columns] if go_backwards else columns
        else:
            last, columns = end[: len(before)], None
        return output, last, columns, nest.pack_sequence_as(self.states, end[len(before) :])


class _Probe:
    """Finds out whether the code in the context does more than compute.

    Attributes:
      symbolic: whether a function is being traced anyway.
      found: whether random numbers were drawn or losses added.
    """

    def __enter__(self):
        self.symbolic = engine.state.graph.symbolic
        self._draws, self._losses = _seed.draws(), call_context.losses_added
        call_context.losses_added = False
        return self

    def __exit__(self, *exception):
        self.found = call_context.losses_added or _seed.draws() != self._draws
        call_context.losses_added = call_context.losses_added or self._losses
