"""`custom_gradient`: orders, results and arguments, variables, methods, captured values."""

from rows import raised, row, row_for


@row
def clipped_gradient(tf, np):
    @tf.custom_gradient
    def clip_gradients(y):
        def backward(dy):
            return tf.clip_by_norm(dy, 0.5)

        return y, backward

    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        output = clip_gradients(v * v)
    return output, tape.gradient(output, v)


@row
def stable_log1pexp(tf, np):
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)

        def grad(upstream):
            return upstream * (1 - 1 / (1 + e))

        return tf.math.log(1 + e), grad

    x = tf.constant([0.0, 1.0, 100.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = log1pexp(x)
    return tape.gradient(y, x)


@row
def rounding_straight_through(tf, np):
    @tf.custom_gradient
    def straight_through(x):
        return tf.round(x), lambda dy: dy

    x = tf.Variable([0.4, 1.6, -2.3])
    with tf.GradientTape() as tape:
        y = straight_through(x) ** 2
    return y, tape.gradient(y, x)


@row
def identity_returning_its_input(tf, np):
    @tf.custom_gradient
    def reverse_gradient(x):
        return x, lambda dy: -dy

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = reverse_gradient(x)
    return y is x, y, tape.gradient(y, x)


@row_for(order=(1, 2, 3))
def order_of_a_nested_rule(tf, np, order):
    @tf.custom_gradient
    def power3(x):
        def grad(dy):
            return dy * tripled_square(x)

        return x**3, grad

    @tf.custom_gradient
    def tripled_square(x):
        def grad(dy):
            return dy * 60.0 * x

        return 3.0 * x**2, grad

    x = tf.constant(2.0)

    def derivative(n):
        if n == 0:
            return power3(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = derivative(n - 1)
        return tape.gradient(y, x)

    return derivative(order)


@row_for(order=(1, 2, 3))
def order_of_a_plain_rule(tf, np, order):
    @tf.custom_gradient
    def cube(x):
        return x**3, lambda dy: dy * 3.0 * x**2

    x = tf.Variable(2.0)

    def derivative(n):
        if n == 0:
            return cube(x) * x
        with tf.GradientTape() as tape:
            y = derivative(n - 1)
        return tape.gradient(y, x)

    return derivative(order)


@row
def nested_functions(tf, np):
    @tf.custom_gradient
    def inner(x):
        return x * x, lambda dy: dy * 10.0

    @tf.custom_gradient
    def outer(x):
        def grad(dy):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = inner(x)
            return dy * tape.gradient(y, x) + 1.0

        return inner(x), grad

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = outer(x)
    return y, tape.gradient(y, x)


@row
def rule_inside_the_function(tf, np):
    @tf.custom_gradient
    def op_with_fused_backprop(x):
        y, x_grad = x**2, 2.0 * x

        def first_order_gradient(dy):
            @tf.custom_gradient
            def first_order_custom(unused_x):
                def second_order_and_transpose(ddy):
                    return 7.0 * ddy, x_grad * ddy

                return x_grad, second_order_and_transpose

            return dy * first_order_custom(x)

        return y, first_order_gradient

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = op_with_fused_backprop(x)
    return y, tape.gradient(y, x)


@row
def two_arguments(tf, np):
    @tf.custom_gradient
    def product(a, b):
        def grad(dy):
            return dy * b * 2.0, dy * a * 3.0

        return a * b, grad

    a, b = tf.Variable(2.0), tf.Variable(5.0)
    with tf.GradientTape() as tape:
        y = product(a, b)
    return y, tape.gradient(y, [a, b])


@row
def gradients_as_a_list(tf, np):
    @tf.custom_gradient
    def product(a, b):
        return a * b, lambda dy: [dy * b, dy * a]

    a, b = tf.Variable(2.0), tf.Variable(5.0)
    with tf.GradientTape() as tape:
        y = product(a, b)
    return tape.gradient(y, [a, b])


@row
def two_results(tf, np):
    @tf.custom_gradient
    def both(x):
        def grad(d_sin, d_square):
            return d_sin * 10.0 + d_square * 100.0

        return (tf.sin(x), x * x), grad

    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        s, q = both(x)
        total = s + 2.0 * q
    return type(both(x)).__name__, tape.gradient(total, x), tape.gradient(s, x), tape.gradient(q, x)


@row
def unused_result_gets_zeros(tf, np):
    seen = []

    @tf.custom_gradient
    def both(x):
        def grad(first, second):
            seen.append((first, second))
            return first + tf.reduce_sum(second)

        return (x * 1.0, tf.stack([x, x])), grad

    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y, _ = both(x)
    return tape.gradient(y, x), seen


@row
def structure_of_results(tf, np):
    @tf.custom_gradient
    def f(x):
        def grad(*upstream):
            return sum(upstream) * 2.0

        return {"a": x * 1.0, "b": [x * 2.0, (x * 3.0,)]}, grad

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        out = f(x)
        y = out["a"] + 10.0 * out["b"][0] + 100.0 * out["b"][1][0]
    return out, tape.gradient(y, x)


@row
def structure_of_arguments(tf, np):
    @tf.custom_gradient
    def f(pair, scale):
        def grad(dy):
            return dy * 1.0, dy * 2.0, dy * 3.0

        return pair["a"] * pair["b"] * scale, grad

    a, b, c = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = f({"a": a, "b": b}, c)
    return y, tape.gradient(y, [a, b, c])


@row
def python_number_argument(tf, np):
    @tf.custom_gradient
    def scale(x, factor):
        return x * factor, lambda dy: (dy * factor, None)

    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = scale(x, 4.0)
    return y, tape.gradient(y, x)


@row
def none_in_gradients(tf, np):
    @tf.custom_gradient
    def f(a, b):
        return a * b, lambda dy: (dy * b, None)

    a, b = tf.Variable(2.0), tf.Variable(5.0)
    with tf.GradientTape(persistent=True) as tape:
        y = f(a, b)
    return tape.gradient(y, [a, b]), tape.gradient(y, [a, b], unconnected_gradients="zero")


@row
def all_gradients_none(tf, np):
    @tf.custom_gradient
    def block(x):
        return x * 1.0, lambda dy: None

    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = block(x)
        z = y + x
    return tape.gradient(y, x), tape.gradient(z, x)


@row
def wrong_number_of_gradients(tf, np):
    @tf.custom_gradient
    def f(a, b):
        return a * b, lambda dy: dy

    a, b = tf.Variable(2.0), tf.Variable(5.0)
    with tf.GradientTape() as tape:
        y = f(a, b)
    text = "custom_gradient function expected to return 2 gradients, but returned 1 instead."
    return raised(lambda: tape.gradient(y, [a, b]), text)


@row
def does_not_return_a_pair(tf, np):
    @tf.custom_gradient
    def f(x):
        return x * x

    return raised(lambda: f(tf.constant(2.0)))


@row
def variables(tf, np):
    weight = tf.Variable(3.0, name="weight")

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            names.extend(v.name for v in variables)
            return dy * 10.0, [dy * 100.0]

        return x * weight, grad

    names = []
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, [x, weight]), names


@row
def variables_by_keyword_dict(tf, np):
    weight = tf.Variable(3.0, name="weight")

    @tf.custom_gradient
    def f(x):
        def grad(dy, **kwargs):
            seen.append(sorted(kwargs))
            return dy * 10.0, [dy * 100.0 for _ in kwargs["variables"]]

        return x * weight, grad

    seen = []
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, [x, weight]), seen


@row
def variables_missing_from_the_signature(tf, np):
    weight = tf.Variable(3.0)

    @tf.custom_gradient
    def f(x):
        return x * weight, lambda dy: dy

    text = "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables"
    with tf.GradientTape():
        under_a_tape = raised(lambda: f(tf.constant(2.0)), text)
    return under_a_tape, raised(lambda: f(tf.constant(2.0)), text)


@row
def variables_too_few_gradients(tf, np):
    a = tf.Variable(3.0)

    @tf.custom_gradient
    def f(x):
        return x * a, lambda dy, variables=None: (dy, [])

    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = f(x)
    text = "Must return gradient for each variable from @custom_gradient grad_fn."
    return raised(lambda: tape.gradient(y, x), text)


@row
def variable_as_argument_is_not_among_variables(tf, np):
    seen = []

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            seen.append(variables)
            return dy * 5.0

        return x * x, grad

    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = f(v)
    return tape.gradient(y, v), seen


@row
def frozen_variable_needs_no_gradient(tf, np):
    frozen = tf.Variable(3.0, trainable=False)

    @tf.custom_gradient
    def f(x):
        return x * frozen, lambda dy: dy * 7.0

    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = f(x)
    return tape.gradient(y, [x, frozen])


@row
def keyword_arguments(tf, np):
    @tf.custom_gradient
    def f(x, scale=1.0, shift=None):
        def grad(dy):
            return dy * scale * 10.0

        return x * scale + shift, grad

    x, s = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = f(x, shift=s)
    return y, tape.gradient(y, [x, s])


@row
def keyword_tensors_take_no_gradient(tf, np):
    @tf.custom_gradient
    def f(x, shift):
        return x + shift, lambda dy: (dy, dy)

    x, s = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = f(x, shift=s)
    return raised(lambda: tape.gradient(y, [x, s]), "expected to return 1 gradients, but returned 2 instead.")


@row
def keyword_argument_not_a_tensor(tf, np):
    @tf.custom_gradient
    def f(x, negate=False):
        def grad(dy):
            return dy * (-5.0 if negate else 5.0)

        return -x if negate else x * 1.0, grad

    x = tf.Variable(2.0)
    grads = []
    for negate in (False, True):
        with tf.GradientTape() as tape:
            y = f(x, negate=negate)
        grads.append((y, tape.gradient(y, x)))
    return grads


@row
def as_a_method(tf, np):
    class Scale:
        def __init__(self, factor):
            self.factor = factor

        @tf.custom_gradient
        def apply(self, x):
            return x * self.factor, lambda dy: dy * self.factor * 10.0

    x = tf.Variable(2.0)
    scale = Scale(3.0)
    with tf.GradientTape() as tape:
        y = scale.apply(x)
    return y, tape.gradient(y, x)


@row
def wrapping_a_bound_method(tf, np):
    class Scale:
        factor = 3.0

        def apply(self, x):
            return x * self.factor, lambda dy: dy * 30.0

    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.custom_gradient(Scale().apply)(x)
    return y, tape.gradient(y, x)


@row
def keeps_name_and_docstring(tf, np):
    @tf.custom_gradient
    def documented(x):
        """What it does."""
        return x, lambda dy: dy

    return documented.__name__, documented.__doc__


@row
def called_with_parentheses(tf, np):
    @tf.custom_gradient()
    def f(x):
        return x * x, lambda dy: dy * 5.0

    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = f(x)
    return tape.gradient(y, x)


@row
def captured_tensor_gets_no_gradient(tf, np):
    c = tf.constant(4.0)

    @tf.custom_gradient
    def f(x):
        return x * c, lambda dy: dy * c

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([x, c])
        y = f(x)
    return tape.gradient(y, [x, c])


@row
def captured_tensor_alone(tf, np):
    c, x = tf.constant(4.0), tf.constant(2.0)

    @tf.custom_gradient
    def f(x):
        return x * c, lambda dy: dy * c

    with tf.GradientTape() as tape:
        tape.watch(c)
        y = f(x)
    return tape.gradient(y, [x, c])


@row
def argument_is_given_as_it_is(tf, np):
    seen = []

    @tf.custom_gradient
    def f(x, number, array, text):
        seen.extend(type(v).__name__ for v in (x, number, array, text))
        return x * number, lambda dy: (dy, None, None, None)

    v = tf.Variable(2.0)
    y = f(v, 3.0, np.ones(2, np.float32), "text")
    return y, seen


@row
def captured_tensor_in_the_second_derivative(tf, np):
    c = tf.constant(4.0)

    @tf.custom_gradient
    def f(x):
        return x * c, lambda dy: dy * c * c

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch([x, c])
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        g = inner.gradient(y, x)
    return g, outer.gradient(g, [x, c])


@row
def second_derivative_through_a_saved_value(tf, np):
    @tf.custom_gradient
    def f(x):
        e = tf.exp(x)
        return e * 1.0, lambda dy: dy * e * x

    x = tf.constant(0.5)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        g = inner.gradient(y, x)
    return g, outer.gradient(g, x)


@row
def gradient_that_calls_the_function(tf, np):
    @tf.custom_gradient
    def logistic(x):
        y = tf.sigmoid(x)
        return y, lambda upstream: upstream * logistic(x) * (1.0 - logistic(x))

    x = tf.constant([0.3, -1.2])

    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = logistic(x)
            first = inner.gradient(y, x)
        return y, first, outer.gradient(first, x)

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(logistic)(x)
    return second(x), tf.function(second)(x), y, tape.gradient(y, x)


@row
def variables_assigned_in_a_function_with_a_gradient(tf, np):
    v, count = tf.Variable([1.0, 2.0]), tf.Variable(0)

    @tf.custom_gradient
    def energy(x):
        v.assign(x)
        count.assign_add(1)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v * v * v)
        inner = tape.gradient(y, v)

        def grad(dy, variables=None):
            return dy * inner, [None] * len(variables)

        return y, grad

    @tf.function
    def once(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = energy(x)
        return y, tape.gradient(y, x), v + 0.0

    @tf.function
    def walk(x):
        for _ in tf.range(3):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = energy(x)
            x -= 0.01 * tape.gradient(y, x)
        return x

    @tf.function
    def perhaps(x):
        return energy(x) if x[0] > 0.0 else tf.reduce_sum(x)

    seen = []
    for f in (once, walk, perhaps):
        seen.append((f(tf.constant([3.0, 4.0])), v.numpy(), count.numpy()))
    return seen, perhaps(tf.constant([-3.0, 4.0])), v.numpy(), count.numpy()
