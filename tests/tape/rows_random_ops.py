"""Which numbers random ops in functions draw: each graph numbers its ops anew, and each op goes on by itself."""

from rows import row, row_for


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


@row
def traces_for_values_are_one_trace(tf, np):
    """What takes a size or text is traced for its value here, and once in TensorFlow."""
    tf.random.set_seed(5)
    summed = tf.function(lambda n: tf.reduce_sum(tf.random.normal([n, 2])) + tf.random.uniform([], seed=3))
    parsed = tf.function(lambda text: tf.strings.to_number(text) + tf.random.uniform([]))

    @tf.function
    def branched(n, x):
        if x > 0:
            drawn = tf.reduce_sum(tf.random.normal([n]))
        else:
            drawn = tf.reduce_sum(tf.random.uniform([n]))
        for _ in tf.range(2):
            drawn += tf.random.uniform([])
        return drawn + summed(n)

    sizes = (3, 4, 3, 5, 4)
    return (
        [summed(tf.constant(n)) for n in sizes],
        [branched(tf.constant(n), tf.constant(x)) for n, x in zip(sizes, (1.0, 1.0, -1.0, 1.0, -1.0), strict=True)],
        [parsed(tf.constant(text)) for text in "123214"],
    )


@row_for(start=["normal", "uniform", "truncated", "function", "shuffle", "variable"])
def variables_made_in_functions(tf, np, start):
    """Their first values are computed once, with the function's seeds."""
    tf.random.set_seed(3)
    other = tf.Variable(3.0)
    first = {
        "normal": lambda: tf.random.normal([]) * 2.0,
        "uniform": lambda: tf.random.uniform([], seed=3),
        "truncated": lambda: tf.random.truncated_normal([2])[1],
        "function": lambda: lambda: tf.random.uniform([]),
        "shuffle": lambda: tf.random.shuffle(tf.range(3.0))[0],
        "variable": lambda: other * 2.0,
    }[start]

    class Layer(tf.Module):
        w = None

        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable(first())
            return x * self.w + tf.random.uniform([])

    layer = Layer()
    f = tf.function(lambda x: layer(x))
    # TensorFlow starts the streams again after the first call if that read a variable.
    calls = [f(tf.constant(2.0)) for _ in range(1 if start == "variable" else 2)]
    return calls, layer.w.read_value(), tf.random.uniform([])


@row
def sizes_of_a_signature_are_one_trace(tf, np):
    """There is no trace for all sizes of a reshape to two rows; TensorFlow has one."""
    tf.random.set_seed(2)

    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def f(x):
        rows = tf.reshape(x, [2, -1])
        return tf.reduce_sum(rows) + tf.random.uniform([]) + tf.reduce_sum(tf.random.normal([3]))

    return [f(tf.ones([n, 2])) for n in (3, 4, 3, 6, 4)]


@row
def function_called_for_sizes_of_a_signature(tf, np):
    """Called at one place it goes on with its numbers there, whatever sizes it is traced for."""
    tf.random.set_seed(2)

    @tf.function
    def inner(x):
        return tf.reduce_sum(tf.reshape(x, [2, -1])) + tf.random.uniform([]) + tf.reduce_sum(tf.random.normal([3]))

    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def f(x):
        return inner(tf.reshape(x, [2, -1])), inner(x)

    return [f(tf.ones([n, 2])) for n in (3, 4, 3, 6, 4)]
