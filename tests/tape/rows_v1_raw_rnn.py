"""Rows: `raw_rnn` and `static_bidirectional_rnn` of `tf.compat.v1` in graphs."""

from rows import raised, row, row_for

from tape.rows_v1_graphs import graph_and_session
from tape.rows_v1_layers import cell_of, filled


def _feeding(tf, inputs, lengths, cell, emits=None, counts=False, start=None):
    """A `loop_fn` that goes through `inputs`, time-major."""
    array = tf.TensorArray(tf.float32, inputs.shape[0]).unstack(inputs)
    batch = inputs.shape[1]

    def loop_fn(time, output, state, loop_state):
        if output is None:
            state = cell.zero_state(batch, tf.float32)
            emit = emits(None) if emits else None
        else:
            emit = emits(output) if emits else output
        finished = time >= lengths
        following = tf.cond(
            tf.reduce_all(finished), lambda: tf.zeros([batch, inputs.shape[2]]), lambda: array.read(time)
        )
        counted = None
        if counts:
            counted = tf.constant(start) if loop_state is None else loop_state + tf.reduce_sum(output)
        return finished, following, state, emit, counted

    return loop_fn


RAW = {
    "plain": {},
    "a loop state": {"counts": True, "start": 1.5},
}


@row_for(kind=["rnn", "lstm"], how=["plain", "a loop state"])
def raw_rnn(tf, np, kind, how):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = tf.constant(np.sin(np.arange(24)).reshape(4, 2, 3), tf.float32)
        cell = cell_of(tf, kind)
        arrays, state, counted = v.nn.raw_rnn(cell, _feeding(tf, x, tf.constant([2, 4]), cell, **RAW[how]))
        outputs = arrays.stack()
        slope = tf.gradients(tf.reduce_sum(outputs * outputs), v.trainable_variables())
        names = filled(tf, np, s)
        seen = s.run([outputs, tf.nest.flatten(state), slope])
        return seen, None if counted is None else s.run(counted), names


@row
def raw_rnn_of_other_outputs(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = tf.constant(np.sin(np.arange(24)).reshape(4, 2, 3), tf.float32)
        cell = cell_of(tf, "rnn")
        emits = lambda out: (tf.zeros([]), tf.zeros([3])) if out is None else (tf.reduce_sum(out, 1), out * 2)  # noqa: E731
        arrays, _, _ = v.nn.raw_rnn(cell, _feeding(tf, x, tf.constant([1, 3]), cell, emits))
        filled(tf, np, s)
        return s.run([array.stack() for array in arrays])


@row
def raw_rnn_of_no_function(tf):
    with graph_and_session(tf):
        return raised(lambda: tf.compat.v1.nn.raw_rnn(cell_of(tf, "rnn"), 3), "must be a callable")


@row_for(lengths=[False, True])
def static_bidirectional_rnn(tf, np, lengths):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = tf.unstack(tf.constant(np.sin(np.arange(24)).reshape(4, 2, 3), tf.float32))
        cells = [cell_of(tf, "rnn") for _ in range(2)]
        outputs, forward, backward = v.nn.static_bidirectional_rnn(
            *cells, x, dtype=tf.float32, sequence_length=[2, 4] if lengths else None
        )
        names = filled(tf, np, s)
        return s.run([outputs, forward, backward]), names
