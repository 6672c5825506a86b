"""Loops that Python has run are compiled as loops, with the results of running their turns one by one."""

import numpy as np
import pytest

import tfcompat as tf
from tfcompat import engine
from tfcompat.engine import _policy, _program
from tfcompat.engine.compile import rolling
from tfcompat.tape import _walk

pytestmark = pytest.mark.usefixtures("compiled_at_once")

TURNS = 24
NUMBERS = np.random.default_rng(0)
W = tf.Variable(NUMBERS.normal(size=(4, 4)) * 0.4)
B = tf.Variable(NUMBERS.normal(size=4) * 0.1)
X = tf.constant(NUMBERS.normal(size=(3, TURNS, 4)))
START = tf.constant(NUMBERS.normal(size=(3, 4)))
PROGRAMS = {}


def program(*loops):
    """A program with so many rolled-up loops; two where forward and backward loop are."""

    def add(function):
        PROGRAMS[function.__name__] = function, loops[0]
        return function

    return add


def _cell(h):
    return tf.tanh(h @ W + B) * 0.9


@program(2)
def gradient_of_what_is_carried():
    h = START
    with tf.GradientTape() as tape:
        for _ in range(TURNS):
            h = _cell(h)
        loss = tf.reduce_sum(h)
    return [loss, *tape.gradient(loss, [W, B])]


@program(1)
def two_values_of_which_one_is_from_two_turns_back():
    a, b, c = START, START + 1.0, START * 0.1
    for _ in range(2 * TURNS):
        a, b, c = b, tf.sin(a + b * 0.5), tf.cos(c)
    return [a, b, c]


@program(2)
def indexed_and_stacked():
    h, seen = START, []
    with tf.GradientTape() as tape:
        tape.watch(X)
        for i in range(TURNS):
            h = _cell(h + X[:, i])
            seen.append(h)
        loss = tf.reduce_sum(tf.stack(seen, axis=1) ** 2)
        del seen
    return [loss, *tape.gradient(loss, [W, X])]


@program(2)
def unstacked_from_the_end():
    h = START
    with tf.GradientTape() as tape:
        tape.watch(X)
        rows = tf.unstack(X, axis=1)
        for row in reversed(rows):
            h = _cell(h + row)
        del rows, row
        loss = tf.reduce_sum(h)
    return [loss, *tape.gradient(loss, [W, X])]


@program(2)
def another_number_each_turn():
    h = START
    with tf.GradientTape() as tape:
        for i in range(TURNS):
            h = _cell(h * (0.5 + 0.01 * i))
        loss = tf.reduce_sum(h)
    return [loss, tape.gradient(loss, W)]


@program(2)
def a_sum_over_all_turns():
    h, loss = START, tf.constant(0.0, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(h)
        first = h
        for i in range(TURNS):
            h = _cell(h)
            loss += tf.reduce_mean(tf.square(h - X[:, i]))
    return [loss, h, *tape.gradient(loss, [first, W])]


@program(2)
def operations_with_several_results():
    h = START
    with tf.GradientTape() as tape:
        for _ in range(TURNS):
            left, right = tf.split(h @ W, 2, axis=1)
            h = tf.concat([tf.tanh(left) * right, tf.sin(left)], axis=1)
        loss = tf.reduce_sum(h)
    return [loss, tape.gradient(loss, W)]


@program(2)
def every_third_turn_is_different():
    h = START
    with tf.GradientTape() as tape:
        for i in range(3 * TURNS):
            h = _cell(h)
            if i % 3 == 0:
                h = tf.sin(h)
        loss = tf.reduce_sum(h)
    return [loss, tape.gradient(loss, W)]


@program(2)
def gradient_of_a_gradient():
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            h = START
            for _ in range(TURNS):
                h = _cell(h)
            loss = tf.reduce_sum(h)
        (gradient,) = inner.gradient(loss, [B])
        norm = tf.reduce_sum(gradient**2)
    return [gradient, *outer.gradient(norm, [W, B])]


@program(1)
def forward_mode():
    with tf.autodiff.ForwardAccumulator(W, tf.ones_like(W)) as accumulator:
        h = START
        for _ in range(TURNS):
            h = _cell(h)
    return [h, accumulator.jvp(h)]


@program(1)
def jacobian():
    with tf.GradientTape() as tape:
        h = START[0]
        for _ in range(TURNS):
            h = tf.tanh(tf.linalg.matvec(W, h) + B) * 0.9
    return [tape.jacobian(h, B)]


@program(2)
def what_does_not_meet_in_the_loop():
    with tf.GradientTape(persistent=True) as tape:
        a, b = tf.identity(W), tf.identity(B)
        for _ in range(2 * TURNS):
            a, b = tf.sin(a) * 0.9, tf.cos(b) * 0.8
        loss = tf.reduce_sum(a)
    return [loss, b, *tape.gradient(loss, [W, B]), tape.gradient(b, W)]


@program(1)
def inside_a_function():
    @tf.function
    def run(h):
        for i in range(TURNS):
            h = _cell(h + X[:, i])
        return tf.reduce_sum(h)

    with tf.GradientTape() as tape:
        loss = run(START)
    return [loss, *tape.gradient(loss, [W, B])]


def _forget():
    engine.flush(engine.state.pending)
    _program.programs.clear()
    _walk.forget()


@pytest.fixture
def loops_run(monkeypatch):
    """The loops that were compiled as such; every structure is compiled at once."""
    run, found = rolling.Loop.run, []

    def counted(self, *args):
        found.append(self)
        return run(self, *args)

    monkeypatch.setattr(rolling.Loop, "run", counted)
    monkeypatch.setattr(_policy, "interpreted_runs", lambda *_: 0)
    _forget()
    yield found
    _forget()


@pytest.mark.parametrize("name", PROGRAMS)
def test_turns_compiled_as_one_give_what_each_by_itself_gives(name, loops_run):
    function, loops = PROGRAMS[name]
    with engine.execution_mode("immediate"):
        expected = [None if x is None else x.numpy() for x in function()]
    loops_run.clear()
    results = function()
    engine.flush(engine.state.pending)
    assert len(set(loops_run)) >= loops
    for result, value in zip(results, expected, strict=True):
        assert (result is None) == (value is None)
        if value is not None:
            np.testing.assert_allclose(result.numpy(), value, rtol=1e-9, atol=1e-12)


def test_values_that_are_kept_of_all_turns_are_computed_turn_by_turn(loops_run):
    h, kept = START, []
    for _ in range(2 * TURNS):
        h = tf.sin(h) + 1.0
        kept.append(h)
    value = START.numpy()
    for each in kept:
        value = np.sin(value) + 1.0
        np.testing.assert_allclose(each.numpy(), value, rtol=1e-12)
    assert not loops_run


def test_a_long_loop_under_a_tape_is_one_program(loops_run):
    turns = 3 * _policy.RECORDING.max_pending

    def run():
        x = tf.constant(1.0, tf.float64)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(turns):
                y = y + 1e-4 * tf.sin(y)
        return y, tape.gradient(y, x)

    for _ in range(2):
        before = engine.stats()["programs_run"]
        y, slope = run()
        # d y(t) / d y(0) of the flow is sin(y(t)) / sin(y(0)); Euler's steps follow it.
        assert float(slope) == pytest.approx(np.sin(float(y)) / np.sin(1.0), rel=1e-3)
        assert engine.stats()["programs_run"] == before + 1


def test_a_long_loop_looked_at_before_its_gradient_is_cut(loops_run, steer):
    steer(_policy.RECORDING, max_pending=400, loop_check=100)
    x = tf.constant(1.0, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(300):
            y = y + 1e-4 * tf.sin(y)
    before = engine.stats()["programs_run"]
    value = float(y)
    assert engine.stats()["programs_run"] >= before + 5
    assert float(tape.gradient(y, x)) == pytest.approx(np.sin(value) / np.sin(1.0), rel=1e-3)


def test_many_places_of_one_tensor_are_one_structure(loops_run):
    values = np.arange(60.0).reshape(20, 3)
    x = tf.constant(values)
    for i in range(5):  # few places are compiled in
        assert x[i].numpy().tolist() == values[i].tolist()
    before = engine.stats()["programs_compiled"]
    for i in range(-20, 20):
        assert x[i].numpy().tolist() == values[i].tolist()
    assert engine.stats()["programs_compiled"] <= before + 1
    for i in range(18):
        assert x[i : i + 2, 1].numpy().tolist() == values[i : i + 2, 1].tolist()
    assert engine.stats()["programs_compiled"] <= before + 7
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        x[20]
