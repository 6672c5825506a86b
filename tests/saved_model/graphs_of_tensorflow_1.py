"""Graphs of TensorFlow 1 with loops and branches, as it writes them without control flow v2, for the recorder."""

import numpy as np

GRAPHS: dict = {}


def graph(build):
    """Decorator of a function of (tf, v1, x) that returns (further placeholders by name, results by name)."""
    GRAPHS[build.__name__] = build
    return build


def inputs(batch):
    """What is fed, by name, where there is such a placeholder."""
    x = np.linspace(-1, 1, 3 * batch).astype("float32").reshape(batch, 3)
    return {"x": x, "t": np.bool_(batch == 1), "n": np.int32(batch + 1)}


@graph
def loop(tf, v1, x):
    w = v1.get_variable("w", initializer=np.eye(3, dtype="float32") * 0.5)
    i, y = v1.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, tf.tanh(tf.matmul(y, w)) + 0.1), [0, x])
    return {}, {"y": y, "i": i}


@graph
def nested_loops(tf, v1, x):
    n = v1.placeholder(tf.int32, [], name="n")

    def body(i, y):
        return i + 1, v1.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * 1.5 + x), [0, y])[1]

    return {"n": n}, {"y": v1.while_loop(lambda i, y: i < n, body, [0, x])[1]}


@graph
def branches(tf, v1, x):
    t, w = v1.placeholder(tf.bool, [], name="t"), v1.get_variable("w", initializer=2.0)
    y = v1.cond(t, lambda: tf.sin(x) * w, lambda: x * x + 1.0)
    constants = v1.cond(tf.reduce_sum(x) > 0.5, lambda: tf.constant(1.0), lambda: tf.constant(2.0))
    return {"t": t}, {"y": y, "z": constants}


@graph
def nested_branches(tf, v1, x):
    t = v1.placeholder(tf.bool, [], name="t")

    def first():
        return v1.cond(tf.reduce_sum(x) > 0, lambda: x * 2.0, lambda: x * 3.0)

    def second():
        return v1.cond(x[0, 0] > 0, lambda: tf.exp(x), lambda: x - 1.0)

    return {"t": t}, {"y": v1.cond(t, first, second)}


@graph
def branch_in_loop(tf, v1, x):
    def body(i, y):
        return i + 1, v1.cond(tf.equal(i % 2, 0), lambda: y + x, lambda: y * 2.0)

    return {}, {"y": v1.while_loop(lambda i, y: i < 5, body, [0, x])[1]}


@graph
def loop_in_branch(tf, v1, x):
    t = v1.placeholder(tf.bool, [], name="t")

    def first():
        return v1.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2.0), [0, x])[1]

    return {"t": t}, {"y": v1.cond(t, first, lambda: x)}


@graph
def loop_until(tf, v1, x):
    return {}, {"y": v1.while_loop(lambda i, y: tf.reduce_sum(y * y) < 50.0, lambda i, y: (i + 1, y * 2.0), [0, x])[1]}


def save(tf, name, folder):
    """Saves a graph; what it computes, and the gradient of `y` by `x`, as arrays by name and batch."""
    v1, results = tf.compat.v1, {}
    v1.disable_control_flow_v2()
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 3], name="x")
        others, outputs = GRAPHS[name](tf, v1, x)
        fed = {"x": x, **others}
        session.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(session, folder, fed, outputs)
        (gradient,) = tf.gradients(outputs["y"], x)
        for batch in (1, 3):
            values = {fed[key]: array for key, array in inputs(batch).items() if key in fed}
            for key, array in session.run({**outputs, "gradient": gradient}, values).items():
                results[f"{batch}/{key}"] = array
    v1.enable_control_flow_v2()
    return results
