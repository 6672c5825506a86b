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
