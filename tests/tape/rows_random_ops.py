"""Which numbers random ops in functions draw: each graph numbers its ops anew, and each op goes on by itself."""

from ._row import row_for


@row_for(how=["compiled", "python"])
def in_branches_loops_and_functions(tf, np, how):
    """Compiled, and as plain Python, since it calls `py_function`: two calls, then one with the seed set again."""
    inner = tf.function(lambda: tf.random.normal([]))

    @tf.function
    def f(c, n):
        drawn = [tf.random.normal([]), tf.random.normal([], seed=4)]
        if c:
            y = tf.random.normal([])
        else:
            y = tf.random.normal([]) + 100.0
        i, s = 0, tf.zeros([])
        while i < n:
            # The shape depends on the turn before, as otherwise TensorFlow draws for several turns at once.
            one = tf.cast(s * 0.0, tf.int32) + 1
            if i > 0:
                s = s * 4.0 + tf.random.normal([one])[0]
            i += 1
        called = inner(), inner()
        x = tf.random.normal([])
        return drawn, y, s, called, tf.py_function(lambda x: x, [x], tf.float32) if how == "python" else x

    tf.random.set_seed(7)
    calls = [inner()]
    calls += [f(tf.constant(True), tf.constant(3)), tf.random.normal([])]
    calls += [f(tf.constant(False), tf.constant(3)), inner()]
    tf.random.set_seed(8)
    return [*calls, f(tf.constant(True), tf.constant(2)), tf.random.normal([])]
