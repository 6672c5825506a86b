"""Rows: whole programs in the style of TensorFlow 1."""

import os

from rows import row

from tape.rows_v1_graphs import graph_and_session


def text_of_letters():
    return "the quick brown fox jumps over the lazy dog. " * 6


@row
def a_linear_regression(tf, np):
    v = tf.compat.v1
    xs = np.linspace(-1, 1, 50).astype("float32")
    ys = 3.0 * xs + 2.0
    with graph_and_session(tf, seed=1) as s:
        x, y = v.placeholder("float"), v.placeholder("float")
        w = tf.Variable(v.random_normal([]), name="weight")
        b = tf.Variable(0.0, name="bias")
        predicted = tf.add(tf.multiply(x, w), b)
        cost = tf.reduce_sum(tf.pow(predicted - y, 2)) / (2 * len(xs))
        train = v.train.GradientDescentOptimizer(0.05).minimize(cost)
        s.run(v.global_variables_initializer())
        costs = []
        for _ in range(4):
            for one, other in zip(xs, ys):  # noqa: B905
                s.run(train, feed_dict={x: one, y: other})
            costs.append(s.run(cost, feed_dict={x: xs, y: ys}))
        return costs, s.run([w, b]), s.run(predicted, {x: [0.5, 1.5]})


@row
def a_network_that_is_saved(tf, np, folder):
    v = tf.compat.v1
    random = np.random.RandomState(0)
    images = random.rand(64, 20).astype("float32")
    labels = (images.sum(1) * 10).astype("int64") % 3

    def network(x, keep):
        with v.variable_scope("hidden"):
            w = v.get_variable("w", [20, 16], initializer=v.truncated_normal_initializer(stddev=0.1))
            b = v.get_variable("b", [16], initializer=v.constant_initializer(0.1))
            h = v.nn.dropout(tf.nn.relu(v.nn.xw_plus_b(x, w, b)), keep_prob=keep)
        with v.variable_scope("softmax"):
            w = v.get_variable("w", [16, 3])
            b = v.get_variable("b", [3], initializer=v.zeros_initializer())
            return tf.matmul(h, w) + b

    def build():
        x = v.placeholder(tf.float32, [None, 20], name="x")
        y = v.placeholder(tf.int64, [None], name="y")
        keep = v.placeholder(tf.float32, name="keep")
        logits = network(x, keep)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
        decay = 1e-3 * tf.add_n([tf.nn.l2_loss(w) for w in v.trainable_variables() if "w" in w.name])
        right = tf.equal(tf.argmax(logits, 1), y)
        accuracy = tf.reduce_mean(tf.cast(right, tf.float32), name="accuracy")
        step = v.train.get_or_create_global_step()
        rate = v.train.exponential_decay(0.01, step, 10, 0.9, staircase=True)
        optimizer = v.train.AdamOptimizer(rate)
        gradients, variables = zip(*optimizer.compute_gradients(loss + decay))  # noqa: B905
        clipped, norm = tf.clip_by_global_norm(gradients, 1.0)
        train = optimizer.apply_gradients(zip(clipped, variables), global_step=step)  # noqa: B905
        v.summary.scalar("loss", loss)
        v.summary.scalar("norm", norm)
        return train, loss, accuracy, v.summary.merge_all()

    seen = []
    with graph_and_session(tf, seed=3) as s:
        train, loss, accuracy, summaries = build()
        saver = v.train.Saver(max_to_keep=1)
        s.run(v.global_variables_initializer())
        for _ in range(5):
            for start in range(0, 64, 16):
                feed = {"x:0": images[start : start + 16], "y:0": labels[start : start + 16], "keep:0": 0.8}
                _, now, text = s.run([train, loss, summaries], feed)
            step = v.train.global_step(s, v.train.get_global_step())
            seen.append([now, len(text), step])
        path = saver.save(s, os.path.join(folder, "model"), global_step=step)
        feed = {"x:0": images, "y:0": labels, "keep:0": 1.0}
        before = s.run([loss, accuracy], feed)
    with graph_and_session(tf) as s:
        _, loss, accuracy, _ = build()
        v.train.Saver().restore(s, v.train.latest_checkpoint(folder))
        accuracy = s.graph.get_tensor_by_name("accuracy:0")
        after = s.run([loss, accuracy], feed)
        return seen, os.path.basename(path), before, after, s.run(v.train.get_global_step())


@row
def a_model_of_letters(tf, np):
    v = tf.compat.v1
    text = text_of_letters()
    letters = sorted(set(text))
    ids = np.array([letters.index(c) for c in text])
    size, batch, steps, units = len(letters), 4, 8, 12
    count = len(ids) // (batch * steps)
    xs = ids[: count * batch * steps].reshape(batch, -1)
    ys = np.roll(ids[: count * batch * steps], -1).reshape(batch, -1)

    with graph_and_session(tf, seed=2) as s:
        x = v.placeholder(tf.int32, [batch, None], name="x")
        y = v.placeholder(tf.int32, [batch, None], name="y")
        with v.variable_scope("letters", initializer=v.random_uniform_initializer(-0.1, 0.1, seed=4)):
            embedding = v.get_variable("embedding", [size, units])
            inputs = tf.nn.embedding_lookup(embedding, x)
            w = v.get_variable("softmax_w", [units, size])
            b = v.get_variable("softmax_b", [size])
            initializer = v.get_variable("cell", [2 * units, 4 * units])
            cell = v.nn.rnn_cell.BasicLSTMCell(units, state_is_tuple=True)
            start = cell.zero_state(batch, tf.float32)
            outputs, last = v.nn.dynamic_rnn(cell, inputs, initial_state=start)
        logits = tf.matmul(tf.reshape(outputs, [-1, units]), w) + b
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(y, [-1]), logits=logits)
        loss = tf.reduce_mean(losses)
        rate = tf.Variable(0.0, trainable=False)
        variables = [one for one in v.trainable_variables() if one is not initializer]
        gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 5.0)
        train = v.train.AdamOptimizer(rate).apply_gradients(zip(gradients, variables))  # noqa: B905
        s.run(tf.compat.v1.global_variables_initializer())
        s.run(cell.variables[0].assign(initializer))  # Keras draws the kernel of the cell
        seen = []
        for epoch in range(3):
            s.run(v.assign(rate, 0.05 * 0.9**epoch))
            state = s.run(start)
            for number in range(count):
                window = slice(number * steps, (number + 1) * steps)
                feed = {x: xs[:, window], y: ys[:, window]}
                for (c, h), (value_c, value_h) in zip([start], [state]):  # noqa: B905
                    feed[c], feed[h] = value_c, value_h
                now, state, _ = s.run([loss, last, train], feed)
            seen.append(now)
        probabilities = s.run(tf.nn.softmax(logits), {x: xs[:, :2]})
        return seen, probabilities[:3], state.h[0], sorted(one.name for one in v.trainable_variables())
