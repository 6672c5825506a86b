"""Rows: layers and recurrent cells of `tf.compat.v1` in graphs."""

from rows import raised, row, row_for

from tape.rows_v1_graphs import graph_and_session


def filled(tf, np, session):
    """Gives all variables values that follow from their sizes; returns their names and shapes."""
    session.run(tf.compat.v1.global_variables_initializer())
    variables = tf.compat.v1.global_variables()
    for number, variable in enumerate(variables):
        size = int(np.prod(variable.shape.as_list()))
        values = np.linspace(0.1, 0.9, size) if "variance" in variable.name else np.linspace(-0.5, 0.6, size)
        variable.load(values.reshape(variable.shape.as_list()).astype("float32") + 0.01 * number, session)
    return [[variable.name, variable.shape.as_list()] for variable in variables]


def pictures(np, *sizes):
    return np.sin(np.arange(np.prod(sizes), dtype=np.float32)).reshape(sizes)


@row
def dense_layers(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [None, 4])
        deep = v.placeholder(tf.float32, [None, 2, 4])
        a = v.layers.dense(x, 3, activation=tf.nn.relu, name="fc", kernel_initializer=v.zeros_initializer())
        b = v.layers.dense(a, 2)
        c = v.layers.dense(x, 3, name="fc", reuse=True)
        d = v.layers.dense(deep, 2, use_bias=False, kernel_regularizer=tf.nn.l2_loss)
        e = v.layers.flatten(d)
        told = raised(lambda: v.layers.dense(x, 3, name="fc"), "Variable fc/kernel already exists, disallowed.")
        names = filled(tf, np, s)
        losses = v.losses.get_regularization_losses()
        values = s.run([a, b, c, d, e, losses], {x: pictures(np, 2, 4), deep: pictures(np, 3, 2, 4)})
        return names, [str(t.shape) for t in (a, b, c, d, e)], values, told


@row_for(rank=[1, 2, 3])
def convolutions_and_pools(tf, np, rank):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [None, *[6] * rank, 2])
        conv = getattr(v.layers, f"conv{rank}d")
        a = conv(x, 3, 3, padding="same", activation=tf.nn.relu)
        b = conv(x, 2, [2] * rank, strides=2, use_bias=False, name="second")
        c = getattr(v.layers, f"max_pooling{rank}d")(a, 2, 2)
        d = getattr(v.layers, f"average_pooling{rank}d")(a, 3, 2, padding="same")
        made = [a, b, c, d]
        if rank == 2:
            made += [v.layers.conv2d_transpose(x, 2, 3, strides=2), v.layers.conv2d_transpose(x, 2, 3, 2, "same")]
        names = filled(tf, np, s)
        return names, [str(t.shape) for t in made], s.run(made, {x: pictures(np, 2, *[6] * rank, 2)})


@row_for(rank=[2, 4], training=[True, False, "fed"])
def batch_normalization(tf, np, rank, training):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [None, 3] if rank == 2 else [None, 2, 2, 3])
        on = v.placeholder_with_default(True, []) if training == "fed" else training
        y = v.layers.batch_normalization(x, training=on, momentum=0.9)
        loss = tf.reduce_sum(y**3)
        slopes = tf.gradients(loss, [x, *v.trainable_variables()])
        updates = v.get_collection(v.GraphKeys.UPDATE_OPS)
        names = filled(tf, np, s)
        feed = {x: pictures(np, *([5, 3] if rank == 2 else [2, 2, 2, 3]))}
        seen = [s.run([y, slopes, *updates], feed), s.run(v.global_variables())]
        if training == "fed":
            seen += [s.run([y, *updates], {**feed, on: False}), s.run(v.global_variables())]
        return names, len(updates), str(y.shape), seen


@row
def dropout_by_a_tensor(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf, seed=5) as s:
        x = v.placeholder(tf.float32, [None, 8])
        on = v.placeholder(tf.bool, [])
        y = v.layers.dropout(x, 0.5, training=on, seed=2)
        feed = {x: np.ones([2, 8])}
        return str(y.shape), s.run(y, {**feed, on: False}), [np.unique(s.run(y, {**feed, on: True})).tolist()]


def cell_of(tf, kind):
    cells = tf.compat.v1.nn.rnn_cell
    return {
        "rnn": lambda: cells.BasicRNNCell(3), "basic": lambda: cells.BasicLSTMCell(3, forget_bias=0.5),
        "gru": lambda: cells.GRUCell(3), "lstm": lambda: cells.LSTMCell(3, activation=tf.nn.relu),
        "peepholes": lambda: cells.LSTMCell(3, use_peepholes=True, cell_clip=0.5, num_proj=2),
        "multi": lambda: cells.MultiRNNCell([cells.BasicLSTMCell(3), cells.GRUCell(2)]),
        "residual": lambda: cells.ResidualWrapper(cells.GRUCell(4)),
        "dropout": lambda: cells.DropoutWrapper(cells.BasicRNNCell(3), output_keep_prob=1.0),
    }[kind]()  # fmt: skip


@row_for(kind=["rnn", "basic", "gru", "lstm", "peepholes", "multi", "residual", "dropout"])
def sequences(tf, np, kind):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [None, 5, 4])
        lengths = v.placeholder(tf.int32, [None])
        cell = cell_of(tf, kind)
        outputs, state = v.nn.dynamic_rnn(cell, x, dtype=tf.float32)
        short, short_state = v.nn.dynamic_rnn(cell_of(tf, kind), x, lengths, dtype=tf.float32, scope="short")
        loss = tf.reduce_sum(outputs**2) + tf.reduce_sum(tf.nest.flatten(state)[-1])
        slopes = tf.gradients(loss, v.trainable_variables("rnn"))
        names = filled(tf, np, s)
        feed = {x: pictures(np, 2, 5, 4), lengths: [2, 5]}
        sizes = cell.state_size, cell.output_size
        return names, str(outputs.shape), s.run([outputs, state, short, short_state, slopes], feed), str(sizes)


@row
def sequences_step_by_step(tf, np):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [2, 3, 4])
        cell = v.nn.rnn_cell.BasicLSTMCell(3)
        zero = cell.zero_state(2, tf.float32)
        state = zero
        with v.variable_scope("steps"):
            for time in range(3):
                if time:
                    v.get_variable_scope().reuse_variables()
                output, state = cell(x[:, time], state)
        outputs, last = v.nn.static_rnn(v.nn.rnn_cell.GRUCell(3), tf.unstack(x, axis=1), dtype=tf.float32)
        cells = v.nn.rnn_cell.GRUCell(2), v.nn.rnn_cell.GRUCell(2)
        both, ends = v.nn.bidirectional_dynamic_rnn(*cells, x, [1, 3], dtype=tf.float32)
        names = filled(tf, np, s)
        return names, s.run([output, state, outputs, last, both, ends, zero], {x: pictures(np, 2, 3, 4)})


@row
def first_states_of_cells(tf):
    v = tf.compat.v1
    with tf.Graph().as_default(), v.Session() as session:
        cell = v.nn.rnn_cell.LSTMCell(2)
        x = v.placeholder(tf.float32, [None, 4])
        states = cell.get_initial_state(x), cell.get_initial_state(batch_size=3, dtype=tf.float64)
        output, _ = cell(x, states[0], training=True)
        session.run([v.initializers.global_variables(), v.initializers.tables_initializer()])
        found = session.run([states, tf.shape(output)], {x: [[1.0] * 4]})
        return found, [
            raised(lambda: cell.get_initial_state(dtype=tf.float32), "batch_size and dtype cannot be None"),
            raised(lambda: cell.get_initial_state(tf.ones([2, 3]), 3), "batch size from input tensor is different"),
            raised(lambda: cell.get_initial_state(x, dtype=tf.float64), "dtype from input tensor is different"),
        ]
