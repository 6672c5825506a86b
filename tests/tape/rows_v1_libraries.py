"""Rows: what the tests of TensorFlow Probability and TF-Agents found, in graphs of TensorFlow 1 and beside them."""

import numpy
from rows import raised, row, row_for


class Deferred:
    """What becomes a tensor only where one is needed."""

    dtype, shape = "float32", ()

    def __init__(self, tf, variable):
        self.make = lambda: tf.square(variable) + 1.0


USES = {
    "an op": lambda tf, x: tf.square(x),
    "a sum": lambda tf, x: tf.add(x, 1.0),
    "a choice": lambda tf, x: tf.where(True, x, 0.0),
    "an assertion": lambda tf, x: tf.debugging.assert_positive(x) is None,
    "a conversion": lambda tf, x: tf.convert_to_tensor(x),
}


@row_for(use=list(USES))
def a_registered_class_in_a_graph(tf, use):
    class Own(Deferred):
        pass

    tf.register_tensor_conversion_function(Own, lambda value, dtype=None, name=None, as_ref=False: value.make())
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        variable = tf.Variable(2.0)
        result = USES[use](tf, Own(tf, variable))
        session.run(variable.initializer)
        return result if isinstance(result, bool) else session.run(result)


@row
def a_gradient_function_uses_sizes_of_the_graph(tf):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder_with_default(numpy.ones((2, 3), numpy.float32), [None, 3])
        sizes = tf.concat([[4], tf.shape(x)], 0)

        @tf.custom_gradient
        def spread(x):
            return x * tf.ones(sizes), lambda upstream: tf.reduce_sum(upstream, 0)

        y = spread(x)
        return str(y.shape), session.run(y), session.run(tf.gradients(y, x)[0])


OPERATORS = {
    "diagonal": lambda tf: tf.linalg.LinearOperatorDiag(numpy.float32([1, 2])),
    "full": lambda tf: tf.linalg.LinearOperatorFullMatrix(numpy.float32([[2, 1], [1, 3]])),
    "triangular": lambda tf: tf.linalg.LinearOperatorLowerTriangular(numpy.float32([[2, 0], [1, 3]])),
    "identity": lambda tf: tf.linalg.LinearOperatorIdentity(2),
    "updated": lambda tf: tf.linalg.LinearOperatorLowRankUpdate(
        tf.linalg.LinearOperatorDiag(numpy.float32([1, 2]), is_positive_definite=True), numpy.float32([[1], [2]])
    ),
}


@row_for(kind=list(OPERATORS))
def an_operator_of_arrays_in_a_graph(tf, kind):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        operator = OPERATORS[kind](tf)
        x = numpy.float32([[1], [2]])
        made = [operator.to_dense(), operator.matmul(x), operator.solve(x), operator.log_abs_determinant()]
        return session.run(made), session.run(operator.shape_tensor())


@row_for(by_xla=[None, True], outer_by_xla=[None, True])
def an_implementation_for_the_device(tf, by_xla, outer_by_xla):
    def implementation(factor, **attributes):
        def scaled(x):
            return x * factor, tf.constant(int(factor))

        attributes = {"api_implements": f"scaled_{by_xla}_{outer_by_xla}", **attributes}
        return tf.function(scaled, autograph=False, experimental_attributes=attributes)

    default, of_cpu = implementation(1.0), implementation(2.0, api_preferred_device="CPU")

    @tf.function(jit_compile=by_xla, autograph=False)
    def run(x):
        result = default(x)
        of_cpu.get_concrete_function(tf.TensorSpec(x.shape, x.dtype)).add_to_graph()
        return result

    @tf.function(jit_compile=outer_by_xla, autograph=False)
    def outer(x):
        return run(x)

    return outer(tf.constant(3.0))


@row
def a_function_of_a_function_has_options_of_its_own(tf):
    traces = []

    def plus_one(x):
        traces.append(None)
        return x + 1.0

    inner = tf.function(plus_one, input_signature=[tf.TensorSpec([None], tf.float32)])
    outer = tf.function(inner, jit_compile=True)
    results = outer(tf.constant([1.0])), outer(tf.constant([1.0, 2.0])), inner(tf.constant([3.0]))
    return results, len(traces), outer.python_function is inner, outer.input_signature, outer.__name__


@row
def a_vector_is_no_seed(tf):
    seed = tf.constant([1, 2])
    return [
        raised(lambda: tf.random.normal([2], seed=seed), "Expected int for argument 'seed2' not"),
        raised(lambda: tf.random.gamma([2], 1.0, seed=seed), "Expected int for argument 'seed2' not"),
    ]


@row
def elements_decide_sizes_that_zeros_do_not_fit(tf):
    table = tf.Variable(tf.range(5))
    count = tf.Variable(0)

    def some(_):
        with tf.control_dependencies([tf.debugging.assert_positive(count, message="nothing is there")]):
            return tf.reduce_sum(table[: count + 1])

    dataset = tf.data.Dataset.range(2).map(some)
    refused = raised(lambda: list(dataset), "nothing is there")
    count.assign(3)
    return refused, list(dataset)


@row
def attributes_that_stay_as_they_are(tf):
    class Own(tf.Module):
        def __init__(self):
            super().__init__()
            self.kept = self._no_dependency({"a": tf.Variable(1.0)})
            self.wrapped = {"a": tf.Variable(1.0)}

    own = Own()
    return type(own.kept) is dict, type(own.wrapped) is dict, len(own.variables)


@row
def a_model_of_an_input_alone(tf):
    model = tf.keras.Sequential([tf.keras.Input([2], name="first")])
    again = tf.keras.Sequential.from_config(model.get_config())
    return again.built, again({"first": tf.ones([1, 2])})


@row
def a_loop_in_a_gradient_function(tf):
    @tf.custom_gradient
    def cubed(x):
        def gradient(upstream):
            def turn(i, total):
                return i + 1, total + tf.gather(x, i) * x

            _, total = tf.while_loop(lambda i, _: i < 2, turn, [0, tf.zeros_like(x)])
            return upstream * total

        return x * x * x, gradient

    @tf.function
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = cubed(x)
        return tape.gradient(y, x)

    return run(tf.constant([1.0, 2.0]))


@row
def many_incomplete_gamma_functions(tf):
    a = tf.constant(numpy.linspace(0.5, 9, 5000))
    x = tf.constant(numpy.linspace(8, 0.1, 5000))

    @tf.function
    def run(a, x):
        with tf.GradientTape() as tape:
            tape.watch([a, x])
            y = tf.math.igamma(a, x) + tf.math.betainc(a, a, x / 9)
        return y, tape.gradient(y, [a, x])

    y, (by_a, by_x) = run(a, x)
    return [each[::700] for each in (y, by_a, by_x)]


def _rows_of_square(tf, x):
    y, rows = x * x, tf.TensorArray(tf.float32, 2)
    turn = lambda j, rows: (j + 1, rows.write(j, tf.gradients(y[j], x)[0]))  # noqa: E731
    return tf.while_loop(lambda j, _: j < 2, turn, [0, rows])[1]


INSIDE = {
    "loop": lambda tf, x: _rows_of_square(tf, x).stack(),
    "branch": lambda tf, x: (lambda y: tf.cond(x[0] > 0, lambda: tf.gradients(y[0], x)[0], lambda: x))(x * x),
    "map": lambda tf, x: (lambda y: tf.map_fn(
        lambda j: tf.gradients(y[j], x)[0], tf.range(2), fn_output_signature=tf.float32
    ))(x * x),
    "loop in a loop": lambda tf, x: tf.while_loop(
        lambda j, z: j < 2, lambda j, z: (j + 1, tf.reduce_sum(_rows_of_square(tf, z).stack(), 0)), [0, x]
    )[1],
}  # fmt: skip


@row_for(place=list(INSIDE))
def gradients_of_what_is_outside(tf, place):
    return tf.function(lambda x: INSIDE[place](tf, x))(tf.constant([1.0, 2.0]))


@row_for(kind=["extension type", "indexed slices", "in a dict"])
def a_function_of_a_graph_that_gives(tf, np, kind):
    class Pair(tf.experimental.ExtensionType):
        first: tf.Tensor
        number: int

    v1 = tf.compat.v1
    made = {
        "extension type": lambda x: Pair(x * 2, 7),
        "indexed slices": lambda x: tf.IndexedSlices(x * 2, tf.range(2), tf.constant([5])),
        "in a dict": lambda x: {"pair": Pair(x * w, 3), "sum": x + w},
    }[kind]
    with tf.Graph().as_default(), v1.Session() as session:
        w = tf.Variable(3.0)
        x = v1.placeholder(tf.float32, [2])
        result = tf.function(made)(x)
        session.run(v1.global_variables_initializer())
        if kind == "indexed slices":
            return session.run([result.values, result.indices], {x: [1.0, 2.0]})
        pair = result["pair"] if kind == "in a dict" else result
        return pair.number, pair.first.shape.as_list(), session.run(pair.first, {x: [1.0, 2.0]})


@row
def product_of_sizes_of_unknown_rank(tf, np):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        sizes = v1.placeholder_with_default(np.int32([2, 3]), None)
        outer = v1.placeholder_with_default(np.int32([4]), None)
        number = tf.reduce_prod(sizes)
        shape = tf.concat([outer, [number * 2]], 0)
        return number.shape.as_list(), shape.shape.as_list(), session.run([shape, tf.shape(tf.zeros(shape))])


@row
def several_tensors_of_unknown_rank(tf, np):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        outer, number = (v1.placeholder_with_default(np.int32(x), None) for x in ([4, 2], 3))
        shape = tf.concat([outer, [number * 2]], 0)
        rows = v1.placeholder_with_default(np.float32([[1, 2], [3, 4]]), None)
        picked = tf.gather(rows, number - 2) + v1.placeholder_with_default(np.float32(1), None)
        return session.run([shape, tf.shape(tf.zeros(shape)), picked, tf.stack([number, number + 1])])
