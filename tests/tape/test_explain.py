"""`tape.explain`: the reasons for a gradient of None, with and without the notes that debugging takes."""

import inspect

import numpy as np
import pytest

import tfcompat as tf
from tfcompat import engine

ROWS = {}


def row(kind, without=None):
    """A program that returns what `explain` says; `kind` with debugging on, `without` with it off, if they differ.

    The line that ends in `# here` is the one that is named.
    """

    def add(program):
        ROWS[program.__name__] = (program, kind, without or kind)
        return program

    return add


def variable():
    return tf.Variable([1.0, 2.0], name="w")


@row("connected")
def there_is_a_gradient():
    w = variable()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.nn.relu(w * w))
    return tape.explain(y, w)


@row("never-watched")
def tensor_never_watched():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x  # here
    return tape.explain(y, x)


@row("never-watched")
def tape_watches_no_variables():
    w = variable()
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = w * w  # here
    return tape.explain(y, w)


@row("not-trainable")
def variable_not_trainable():
    w = tf.Variable(1.0, trainable=False)
    with tf.GradientTape() as tape:
        y = w * w  # here
    return tape.explain(y, w)


@row("watched-late", "outside")
def watched_too_late():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        z = x * x  # here
        tape.watch(x)
        y = z + 1.0
    return tape.explain(y, x)


@row("numpy", "target-not-recorded")
def converted_to_numpy():
    w = variable()
    with tf.GradientTape() as tape:
        z = w * w
        a = np.square(z.numpy())  # here
        y = tf.reduce_sum(tf.constant(a))
    return tape.explain(y, w)


@row("numpy", "target-not-recorded")
def converted_to_a_python_number():
    w = variable()
    with tf.GradientTape() as tape:
        z = float(tf.reduce_sum(w))  # here
        y = tf.constant(1.0) * z
    return tape.explain(y, w)


@row("target-no-tensor")
def target_is_a_number():
    w = variable()
    with tf.GradientTape() as tape:
        y = float(tf.reduce_sum(w))  # here
    return tape.explain(y, w)


@row("integer")
def integers_on_the_way():
    w = variable()
    with tf.GradientTape() as tape:
        z = tf.cast(w * 2.0, tf.int32)  # here
        y = tf.reduce_sum(tf.cast(z, tf.float32))
    return tape.explain(y, w)


@row("integer-target")
def integer_target():
    w = variable()
    with tf.GradientTape() as tape:
        y = tf.argmax(w * 2.0)  # here
    return tape.explain(y + 1, w)


@row("integer-source")
def integer_source():
    w = tf.Variable([1, 2])
    with tf.GradientTape() as tape:
        y = tf.cast(w, tf.float32)
    return tape.explain(y, w)


@row("overwritten", "never-watched")
def variable_overwritten():
    w = variable()
    for turn in range(2):
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_sum(w * w)
        if turn == 0:
            w = w - 0.1 * tape.gradient(y, w)  # here
    return tape.explain(y, w)


@row("assigned")
def read_after_assignment():
    w, other = variable(), tf.Variable([0.0, 0.0])
    with tf.GradientTape() as tape:
        other.assign(w * 3.0)  # here
        y = tf.reduce_sum(other * other)
    return tape.explain(y, w)


@row("no-gradient-op")
def operation_without_gradient():
    w = variable()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.floor(w))  # here
    return tape.explain(y, w)


@row("no-gradient")
def operation_that_raises():
    w = variable()
    with tf.GradientTape() as tape:
        y = tf.bitcast(w, tf.float32)  # here
    return tape.explain(y, w)


@row("stopped")
def stopped_on_purpose():
    w = variable()
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(w * w)  # here
        y = tf.reduce_sum(y * 2.0)
    return tape.explain(y, w)


@row("outside")
def computed_after_the_tape():
    w = variable()
    with tf.GradientTape() as tape:
        z = w * w
    y = tf.reduce_sum(z)  # here
    return tape.explain(y, w)


@row("outside", "not-read")
def computed_before_the_tape():
    w = variable()
    z = w * w  # here
    _ = z.numpy()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(z)
    return tape.explain(y, w)


@row("outside")
def recording_suspended():
    w = variable()
    with tf.GradientTape() as tape:
        z = w * w
        with tape.stop_recording():
            z = tf.exp(z)  # here
        y = tf.reduce_sum(z)
    return tape.explain(y, w)


@row("not-read")
def variable_not_used():
    w, other = variable(), variable()
    with tf.GradientTape() as tape:
        y = other * other
    return tape.explain(y, w)


@row("no-path")
def used_for_something_else():
    w, other = variable(), variable()
    with tf.GradientTape() as tape:
        w + 1.0
        y = other * other  # here
    return tape.explain(y, w)


@row("custom-none")
def custom_gradient_of_none():
    @tf.custom_gradient
    def f(x):
        return x * 2.0, lambda dy: None

    w = variable()
    with tf.GradientTape() as tape:
        y = f(w)  # here
    return tape.explain(y, w)


@row("cut-in-function")
def stopped_in_a_function():
    @tf.function(autograph=False)
    def f(x):
        return tf.stop_gradient(x) * 2.0

    w = variable()
    with tf.GradientTape() as tape:
        y = f(w)  # here
    return tape.explain(y, w)


@row("constant")
def second_derivative_of_a_linear_function():
    w = variable()
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = 3.0 * w
        g = inner.gradient(y, w)  # here
    return outer.explain(g, w)


@row("no-tensor")
def source_is_an_array():
    w = variable()
    with tf.GradientTape() as tape:
        y = w * w
    return tape.explain(y, np.ones(2))


@row("connected", "tape-used-up")
def tape_used_up():
    w = variable()
    with tf.GradientTape() as tape:
        y = w * w
    tape.gradient(y, w)
    return tape.explain(y, w)


@pytest.fixture
def debugging():
    engine.debug()
    yield
    engine.debug(False)


def marked_line(program):
    lines, first = inspect.getsourcelines(program)
    return next((first + i for i, line in enumerate(lines) if line.endswith("# here\n")), None)


@pytest.mark.parametrize("name", ROWS)
def test_reason_is_found_from_what_the_tape_has(name):
    program, _, kind = ROWS[name]
    (reason,) = program().reasons
    assert (reason.kind, reason.place) == (kind, None)


@pytest.mark.usefixtures("debugging")
@pytest.mark.parametrize("name", ROWS)
def test_reason_and_line_are_found_while_debugging(name):
    program, kind, _ = ROWS[name]
    (reason,) = program().reasons
    assert reason.kind == kind
    line = marked_line(program)
    assert (reason.place or "").startswith(f"test_explain.py:{line}:" if line else "")


@pytest.mark.usefixtures("debugging")
def test_lines_are_found_in_immediate_execution():
    with engine.execution_mode("immediate"):
        (reason,) = stopped_on_purpose().reasons
    line = marked_line(stopped_on_purpose)
    assert (reason.kind, reason.place) == ("stopped", f"test_explain.py:{line}: y = tf.stop_gradient(w * w)  # here")


def test_explain_agrees_with_gradient():
    for name, (program, _, kind) in ROWS.items():
        assert program().reasons[0].connected == (name == "there_is_a_gradient"), kind


def test_one_reason_for_each_source_and_advice_at_the_end():
    w, x = variable(), tf.constant(1.0)
    with tf.GradientTape() as tape:
        y = w * x
    explanation = tape.explain(y, {"a": w, "b": [x]})
    assert [r.kind for r in explanation.reasons] == ["connected", "never-watched"]
    text = str(explanation)
    assert text.startswith("variable 'w:0': there is a gradient: Mul.\nsource 1, a float32 tensor of shape (): never")
    assert text.endswith("TFCOMPAT_DEBUG=1 (or call tfcompat.engine.debug() first) for the lines of your program.")
    assert tape.gradient(y, w) is not None  # explaining uses nothing up


def test_debugging_leaves_nothing_behind():
    tensor, tape = tf.Tensor._value, tf.GradientTape._end_use
    graph, read = engine.Graph.__init__, type(variable())._was_read
    engine.debug()
    assert tf.Tensor._value is not tensor and type(variable())._was_read is not read
    engine.debug(False)
    assert (tf.Tensor._value, tf.GradientTape._end_use, engine.Graph.__init__) == (tensor, tape, graph)
    assert type(engine.state.pending.nodes) is list
    assert type(variable())._was_read is read
