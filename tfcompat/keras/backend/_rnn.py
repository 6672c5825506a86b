"""`tf.keras.backend.rnn`."""

from typing import Any

from tfcompat import array, dtypes, math, nest
from tfcompat._core.convert import Tensor
from tfcompat.layers._rnn.steps import run_steps


def rnn(step_function, inputs, initial_states, go_backwards=False, mask=None, constants=None, unroll=False,
        input_length: Any = None, time_major=False, zero_output_for_mask=False, return_all_outputs=True):  # fmt: skip
    """Runs a function over the times of sequences.

    Args:
      step_function: function of (input of one time, list of states and constants) to (output, next states).
      inputs: tensor [batch, time, ...], or structure of these.
      initial_states: list of tensors.
      go_backwards: whether to begin with the last time; outputs are in the order in which they are computed.
      mask: tensor [batch, time]; where False, states stay as they were.
      constants: list of tensors, given to each step.
      unroll: whether to record every step, rather than a loop.
      input_length: tensor of the lengths of the sequences, in place of a mask; not with `unroll`.
      time_major: whether time is the first axis of inputs, mask and outputs, before that of the batch.
      zero_output_for_mask: whether masked outputs are zero; else they are those of the time before.
      return_all_outputs: whether outputs of all times are returned, or only the last, as those of one time.

    Returns:
      (last output, outputs, states after).

    Raises:
      ValueError: inputs of rank 2 or less; nothing to unroll.

    TF: `tf.keras.backend.rnn`; with `unroll`, `go_backwards` and `zero_output_for_mask` together it puts zeros where
    the mask is False forwards.
    """
    for x in nest.flatten(inputs):
        x.shape.with_rank_at_least(3)
    constants = tuple(constants or ())
    if mask is None and not unroll and isinstance(input_length, Tensor):
        mask = _mask_of_lengths(input_length, nest.flatten(inputs)[0], go_backwards, time_major)
    last_states = tuple(initial_states)

    def step(x, states):
        nonlocal last_states
        output, new = step_function(x, (*states, *constants))
        # Unrolled, the states are those that the last step returned.
        last_states = new if unroll and mask is None else last_states
        return output, new

    last, outputs, states = run_steps(
        step, inputs, last_states, mask, go_backwards, unroll, time_major, zero_output_for_mask, return_all_outputs
    )
    states = nest.pack_sequence_as(last_states, nest.flatten(states))
    if not return_all_outputs:
        outputs = nest.map_structure(lambda x: array.expand_dims(x, 0 if time_major else 1), last)
    return last, outputs, states


def _mask_of_lengths(lengths, inputs, go_backwards, time_major):
    """Which times lie within sequences; backwards, sequences count from the end of the longest."""
    steps = array.shape(inputs)[0 if time_major else 1]
    times = array.range(steps)
    batch = array.shape(inputs)[1 if time_major else 0]
    lengths = array.broadcast_to(array.cast(lengths, dtypes.int32), [batch])[:, None]
    mask = math.reduce_max(lengths) - 1 - lengths < steps - 1 - times if go_backwards else times < lengths
    return array.transpose(mask) if time_major else mask
