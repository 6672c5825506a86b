"""AutoGraph: Python control flow over tensors inside `tf.function`."""

from rows import raised, row, row_for


def slope(tf, f, x, *args):
    """`f(x, *args)` and its gradient."""
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, *args)
    return y, tape.gradient(y, x)


# --- if -----------------------------------------------------------------------------------------------------------


@row_for(value=(-2.0, 0.5, 3.0))
def if_elif_else(tf, np, value):
    @tf.function
    def f(x):
        if x < 0.0:
            y = -x * x
        elif x < 1.0:
            y = x
        else:
            y = tf.math.log(x)
        return y

    return slope(tf, f, value)


@row
def if_without_else(tf, np):
    @tf.function
    def f(x):
        y = 1.0
        if x > 0.0:
            y = x * 3.0
        return y

    return slope(tf, f, 2.0), slope(tf, f, -2.0)


@row
def if_changes_several_variables_and_types(tf, np):
    @tf.function
    def f(x):
        n, name, pair = 0, "same", (x, x)
        if x > 0.0:
            n = 1
            pair = (x * 2.0, x + 1.0)
        else:
            n = tf.constant(2)
        return n, name, pair

    return f(tf.constant(1.0)), f(tf.constant(-1.0))


@row
def if_of_a_python_value_is_python(tf, np):
    traced = []

    @tf.function
    def f(x, double):
        if double:
            traced.append("double")
            return x * 2.0
        traced.append("not")
        return x

    return f(tf.constant(1.0), True), f(tf.constant(1.0), False), traced


@row
def if_of_a_variable(tf, np):
    v, on = tf.Variable(3.0), tf.Variable(True)

    @tf.function
    def f(x):
        if on:
            x = x * v
        if v > 5.0:
            x = x + 100.0
        return x

    results = [f(tf.constant(2.0))]
    on.assign(False)
    v.assign(6.0)
    return results, f(tf.constant(2.0))


@row
def if_assigns_variables(tf, np):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        if x > 0.0:
            v.assign_add(x)
        else:
            v.assign(0.0)
        return v * 2.0

    return f(tf.constant(3.0)), v.numpy(), f(tf.constant(-3.0)), v.numpy()


@row
def if_nested(tf, np):
    @tf.function
    def f(x, y):
        if x > 0.0:
            if y > 0.0:
                z = x * y
            else:
                z = x - y
        else:
            z = y
        return z

    pairs = [(2.0, 3.0), (2.0, -3.0), (-2.0, 3.0)]
    return [slope(tf, f, a, tf.constant(b)) for a, b in pairs]


@row
def early_returns(tf, np):
    @tf.function
    def f(x):
        if x < 0.0:
            return x
        if x < 1.0:
            return x * x
        x = x * 10.0
        return x + 1.0

    return [slope(tf, f, value) for value in (-1.0, 0.5, 2.0)]


@row
def if_in_a_tape_in_a_function(tf, np):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            if x > 0.0:
                y = x**3
            else:
                y = -x
        return tape.gradient(y, x)

    return slope(tf, f, 2.0), f(tf.constant(-2.0))


@row
def if_with_attributes_and_items(tf, np):
    class Box:
        pass

    @tf.function
    def f(x):
        box, table = Box(), {"a": x, "b": x}
        box.value = x
        if x > 0.0:
            box.value = x * 2.0
            table["a"] = x + 1.0
        else:
            table["a"] = x - 1.0
        return box.value, table

    return f(tf.constant(1.0)), f(tf.constant(-1.0))


@row
def ternary(tf, np):
    @tf.function
    def f(x):
        return (x if x > 0.0 else 0.1 * x) + (1.0 if x > 5.0 else 2.0)

    return slope(tf, f, 2.0), slope(tf, f, -2.0), slope(tf, f, 7.0)


@row
def and_or_not(tf, np):
    @tf.function
    def f(x):
        return (
            x > 0.0 and x < 2.0,
            x < 0.0 or x > 2.0,
            not x > 0.0,
            not (x > 0.0 and not x > 1.0),
            x > 0.0 and True,
            False or x > 0.0,
        )

    return f(tf.constant(1.0)), f(tf.constant(-1.0)), f(tf.constant(3.0))


@row
def comparison_chains(tf, np):
    @tf.function
    def f(x):
        y = 0
        if 0.0 < x <= 2.0 != x:
            y = 1
        return 0.0 < x < 2.0, y

    return f(tf.constant(1.0)), f(tf.constant(2.0)), f(tf.constant(-1.0))


@row
def and_is_lazy(tf, np):
    v = tf.Variable(0)

    @tf.function
    def f(x):
        return x > 0.0 and v.assign_add(1) > 1

    return f(tf.constant(-1.0)), v.numpy(), f(tf.constant(1.0)), v.numpy(), f(tf.constant(1.0)), v.numpy()


@row
def errors_of_if(tf, np):
    @tf.function
    def no_else(x):
        if x > 0.0:
            y = x
        return y

    @tf.function
    def no_main(x):
        if x > 0.0:
            pass
        else:
            y = x
        return y

    @tf.function
    def dtypes(x):
        if x > 0.0:
            y = 1
        else:
            y = 1.0
        return y

    @tf.function
    def structures(x):
        if x > 0.0:
            y = (x, x)
        else:
            y = x
        return y

    @tf.function
    def none(x):
        if x > 0.0:
            y = None
        else:
            y = x
        return y

    @tf.function
    def none_else(x):
        y = None
        if x > 0.0:
            y = x
        return y

    @tf.function
    def no_return(x):
        if x > 0.0:
            return x

    @tf.function
    def ternary(x):
        return 1 if x > 0.0 else 2.0

    x = tf.constant(1.0)
    return (
        raised(lambda: no_else(x), "'y' must also be initialized in the else branch"),
        raised(lambda: no_main(x), "'y' must also be initialized in the main branch"),
        raised(lambda: dtypes(x), "'y' has dtype int32 in the main branch, but dtype float32 in the else branch"),
        raised(lambda: structures(x), "'y' must have the same nested structure in the main and else branches"),
        raised(lambda: none(x), "'y' is None at the end of the main branch."),
        raised(lambda: none_else(x), "'y' is None at the end of the else branch."),
        raised(lambda: no_return(x), "the else branch must also have a return statement."),
        raised(lambda: ternary(x), "'x > 0.0' has dtype int32 in the main branch, but dtype float32 in the else"),
    )


@row
def errors_of_conditions(tf, np):
    @tf.function
    def f(x):
        if x:
            y = 1
        else:
            y = 2
        return y

    @tf.function
    def g(x):
        while x:
            x = x - 1
        return x

    return (
        raised(lambda: f(tf.constant(1)), "condition of if statement expected to be `tf.bool` scalar, got Tensor",
               "to use as boolean Tensor, use `tf.cast`; to check for None, use `is not None`"),
        raised(lambda: f(tf.constant([True, False])), "condition of if statement expected to be `tf.bool` scalar"),
        raised(lambda: g(tf.constant(1)), "condition of while loop expected to be `tf.bool` scalar, got Tensor"),
        f(tf.constant([[True]])),
        raised(lambda: tf.function(lambda x: not x)(tf.constant(1.0))),
    )  # fmt: skip


@row
def errors_show_the_line_of_the_user(tf, np):
    def helper(x):
        if x > 0.0:
            raise ValueError("the helper's own")
        return x

    @tf.function
    def f(x):
        return helper(x)

    @tf.function
    def g(x):
        for _ in tf.range(3):
            x = f(x)
        return x

    parts = ("in user code:", "rows_autograph.py", "in helper", 'raise ValueError("the helper\'s own")',
             "ValueError: the helper's own")  # fmt: skip
    x = tf.constant(1.0)
    return raised(lambda: f(x), *parts, "in f  *"), raised(lambda: g(x), *parts, "in g  *", "x = f(x)")


@row
def exceptions_keep_their_class(tf, np):
    class Own(Exception):
        pass

    def attempt(error):
        @tf.function
        def f(x):
            if tf.executing_eagerly():
                return x
            raise error

        return raised(lambda: f(tf.constant(1.0)))

    return [
        attempt(error)
        for error in (
            ValueError("text"), TypeError("text"), KeyError("text"), RuntimeError("text"), NotImplementedError("text"),
            AttributeError("text"), AssertionError("text"), NameError("text"), Own("text"),
            tf.errors.InvalidArgumentError(None, None, "text"), tf.errors.OutOfRangeError(None, None, "text"),
        )
    ]  # fmt: skip


# --- try ----------------------------------------------------------------------------------------------------------


@row_for(fails=(False, True))
def exceptions_with_names(tf, np, fails):
    said = []

    @tf.function
    def f(x):
        for _ in tf.range(2):
            try:
                if fails:
                    raise KeyError("key")
                x += 1.0
            except (KeyError, TypeError) as error:
                said.append(repr(error))
                if tf.reduce_sum(x) > 100.0:
                    x = x * 2.0
                else:
                    x = x * x
            finally:
                x = x * 3.0
        try:
            int("a")
        except ValueError as wrong:
            x = x + float(len(str(wrong)))
        return x

    return slope(tf, f, 2.0), said


@row
def exceptions_inside_of_exceptions(tf, np):
    @tf.function
    def f(x):
        try:
            try:
                raise ValueError("inner")
            except ValueError as inner:
                raise RuntimeError("outer") from inner
        except RuntimeError as outer:
            return x * float(len(str(outer))), str(outer.__cause__)

    result, cause = f(tf.constant(2.0))
    return result, str(cause)
