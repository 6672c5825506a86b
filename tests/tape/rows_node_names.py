"""Names of tensors in a function that is traced: what `print` shows there."""

from rows import row, row_for


def traced_names(tf, compute, *shapes):
    """The names of the tensors that `compute` gives for arguments of these shapes."""
    seen = []

    @tf.function
    def traced(*xs):
        seen[:] = [x.name for x in compute(*xs)]
        return xs[0]

    traced.get_concrete_function(*[tf.TensorSpec(shape) for shape in shapes])
    return seen


@row
def operators_are_counted(tf):
    def compute(x, y):
        return x + y, x - y, x * y, x / y, -x, x**2.0, x // y, x % y, x + x, 1.0 - x

    return traced_names(tf, compute, [], [])


@row
def scopes_stand_before(tf):
    def compute(x):
        with tf.name_scope("outer"):
            a = x + 1.0
            with tf.name_scope("inner"):
                b = tf.nn.relu(a)
            c = tf.exp(b)
        with tf.name_scope("outer"):
            d = x + 1.0
        return a, b, c, d, x * 2.0

    return traced_names(tf, compute, [2])


@row_for(
    name=["exp", "reduce_sum", "reduce_mean", "transpose", "square", "sqrt", "tanh", "identity", "stop_gradient", "abs",
          "sigmoid", "reduce_max", "squeeze", "argmax", "cumsum", "unstack"]
)  # fmt: skip
def ops_are_named_as_their_kernels(tf, name):
    function = getattr(tf, name, None) or getattr(tf.math, name)

    def compute(x):
        first, second = function(x), function(x)
        return [first[1], second[0]] if name == "unstack" else [first, second]

    return traced_names(tf, compute, [2, 2])


@row
def results_of_several_have_places(tf):
    return traced_names(tf, lambda x: [*tf.split(x, 2), *tf.split(x, 2), *tf.math.top_k(x)], [4])


@row
def pieces_are_put_together(tf):
    return traced_names(
        tf, lambda x: [tf.concat([x, x], 0), tf.stack([x, x]), x[0], x[:, 1], tf.reshape(x, [4]), tf.cast(x, "int32")],
        [2, 2],
    )  # fmt: skip


@row
def tensors_print_their_names(tf):
    seen = []

    @tf.function
    def traced(x):
        seen[:] = [str(x), repr(x), str(x + 1.0), repr(tf.matmul(x, x))]
        return x

    traced(tf.ones([2, 2]))
    return seen


@row
def layers_are_scopes(tf):
    class Scaled(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__(name="scaled")
            self.inner = tf.keras.layers.ReLU(name="inner")

        def call(self, x):
            return self.inner(x * 2.0) + 1.0

    layer, model = Scaled(), tf.keras.layers.ReLU(name="last")
    layer(tf.ones([2])), model(tf.ones([2]))
    return traced_names(tf, lambda x: [layer(x), model(x)], [2])


@row_for(
    op="add subtract multiply cast reshape reduce_mean norm matmul einsum concat stack clip_by_value boolean_mask "
       "one_hot pad tile where gather split sort tensordot nn.softmax nn.log_softmax nn.moments nn.l2_normalize "
       "nn.dropout nn.conv2d nn.softmax_cross_entropy_with_logits math.top_k math.reduce_variance math.reduce_std "
       "linalg.normalize random.normal".split()
)  # fmt: skip
def ops_are_named_by_their_functions_or_as_the_program_says(tf, op):
    arguments = {
        "add": lambda x: [x, x], "subtract": lambda x: [x, x], "multiply": lambda x: [x, x],
        "cast": lambda x: [x, tf.int32], "reshape": lambda x: [x, [-1]], "matmul": lambda x: [x, x],
        "einsum": lambda x: ["ij,jk", x, x], "concat": lambda x: [[x, x], 0], "stack": lambda x: [[x, x]],
        "clip_by_value": lambda x: [x, 0.0, 1.0], "boolean_mask": lambda x: [x, [True, False, True]],
        "one_hot": lambda x: [tf.cast(x, tf.int32), 3], "pad": lambda x: [x, [[1, 1], [0, 0]]],
        "tile": lambda x: [x, [1, 2]], "where": lambda x: [x > 0.0, x, x], "gather": lambda x: [x, [0]],
        "split": lambda x: [x, 3], "tensordot": lambda x: [x, x, 1], "nn.moments": lambda x: [x, [0]],
        "nn.dropout": lambda x: [x, 0.5], "nn.softmax_cross_entropy_with_logits": lambda x: [x, x],
        "nn.conv2d": lambda x: [x[None, :, :, None], x[:, :, None, None], 1, "SAME"],
        "random.normal": lambda x: [[2]],
    }.get(op, lambda x: [x])  # fmt: skip
    function = tf
    for part in op.split("."):
        function = getattr(function, part)

    def compute(x):
        results = [function(*arguments(x)), function(*arguments(x)), function(*arguments(x), name="mine")]
        with tf.name_scope("scope"):
            results.append(function(*arguments(x), name="mine"))
        return tf.nest.flatten(results)

    return traced_names(tf, compute, [3, 3])


@row
def operators_and_functions_are_named_apart(tf):
    def compute(x):
        results = [tf.add(x, x), x + x, tf.matmul(x, x), x @ x, tf.logical_and(x > 0.0, x > 0.0), (x > 0.0) & (x > 1.0)]
        return [*results, x == x, x < x, -x, abs(x), x**2, x[0], x[..., None]]

    return traced_names(tf, compute, [2, 2])


@row
def a_name_that_ends_with_a_slash_is_used_as_it_is(tf):
    def compute(x):
        with tf.name_scope("a") as scope:
            found = [tf.identity(x, name=scope), tf.exp(x, name="exp"), tf.exp(x)]
        with tf.name_scope("a/"):
            found += [tf.exp(x), tf.exp(x, name="x")]
        return [*found, tf.identity(x, name="x"), tf.identity(x, name="out")]

    return traced_names(tf, compute, [2])


@row
def branches_and_loops_are_scopes(tf):
    found = []

    @tf.function
    def branched(x):
        if tf.reduce_sum(x) > 1.0:
            y = x + 1.0
            found.append(y.name)
        else:
            y = x - 1.0
            found.append(y.name)
        found.append(y.name)
        z = tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: x + 1.0, name="mine")
        found.append(z.name)
        return y + z

    @tf.function
    def looped(x):
        def body(i, y):
            found.append((y * 3.0).name)
            return i + 1, y * 2.0

        found.extend([y.name for y in tf.while_loop(lambda i, y: i < 3, body, [0, x])])
        found.append(tf.map_fn(lambda y: y * 2.0, x).name)
        found.append(tf.scan(lambda a, y: a + y, x).name)
        return x

    branched(tf.ones([2])), looped(tf.ones([2]))
    return found


@row
def functions_in_functions_are_calls(tf):
    found = []
    v = tf.Variable(1.0)

    @tf.function
    def inner(x):
        found.append((x + 1.0).name)
        return x * 2.0

    @tf.function
    def reads(x):
        return x * v

    @tf.function
    def outer(x):
        found.extend([inner(x).name, inner(x).name, reads(x).name, (x + 1.0).name])
        return x

    outer(tf.ones([2]))
    return found


@row
def layers_of_keras_are_scopes_with_operations(tf):
    layers = tf.keras.layers
    dense, head = layers.Dense(3, name="dense"), layers.Dense(2, activation="relu", name="head")
    several = [
        layers.Conv2D(2, 2, name="conv"), layers.BatchNormalization(name="normal"), layers.MaxPool2D(2, name="largest"),
        layers.Flatten(name="flat"), layers.Activation("tanh", name="bent"), layers.Softmax(name="shares"),
        layers.EinsumDense("ab,bc->ac", output_shape=3, bias_axes="c", name="einsum"),
    ]  # fmt: skip
    x = tf.ones([1, 4, 4, 1])
    for layer in several:
        x = layer(x)
    dense(tf.ones([2, 2])), head(tf.ones([2, 2]))

    def compute(x, y):
        found = [dense(x), head(x), dense(x)]
        for layer in several:
            found.append(y := layer(y))
        return found

    return traced_names(tf, compute, [2, 2], [1, 4, 4, 1])


@row
def losses_are_scopes(tf):
    losses = tf.keras.losses

    def compute(x, y):
        return [losses.MeanSquaredError()(x, y), losses.CategoricalCrossentropy(from_logits=True, name="mine")(x, y)]

    return traced_names(tf, compute, [2, 2], [2, 2])


@row
def operations_tell_of_themselves(tf):
    found = []

    @tf.function
    def traced(x):
        total = tf.add(x, x, name="total")
        for y in (total, tf.norm(x), tf.split(x, 2)[1], tf.matmul(x, x), tf.nn.relu(x), x):
            found.append([y.op.name, y.op.type])
        found.append([y.name for y in total.op.inputs] + [y.name for y in total.op.outputs])
        found.append([total.op == total.op, isinstance(total.op, tf.Operation), len(x.op.inputs)])
        return x

    traced(tf.ones([2, 2]))
    return found
