"""Turns of a loop that are gathered into one program, and functions that run when they are called."""

import threading

import numpy as np
import pytest

import tfcompat as tf
from tfcompat import engine
from tfcompat.engine import _policy, _program, _structure
from tfcompat.engine.compile import unrolling

pytestmark = pytest.mark.usefixtures("compiled_at_once")

X = np.linspace(-1.0, 1.0, 12, dtype="float32").reshape(4, 3)


@pytest.fixture
def hot(monkeypatch, steer):
    """Loops are gathered from their fifth turn on, up to 8 turns; what ran before is forgotten."""
    engine.cut()
    steer(_policy.UNROLLING, hot_iterations=5, compile_iterations=1, iterations=8)
    monkeypatch.setattr(_policy, "interpreted_runs", lambda *_: 0)
    monkeypatch.setattr(_program, "programs", set())
    monkeypatch.setattr(_structure, "_structures", {})
    monkeypatch.setattr(_structure, "_by_calls", {})
    yield
    engine.cut()
    engine.state.pending.loop = None


class Training:
    """A training loop with a tape and momentum, beside the same in NumPy."""

    def __init__(self):
        self.x, self.w = tf.constant(X), tf.Variable(np.eye(3, 2, dtype="float32"))
        self.moment = tf.Variable(np.zeros((3, 2), "float32"), trainable=False)
        self.expected = np.eye(3, 2), np.zeros((3, 2))

    def step(self):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.tanh(self.x @ self.w) - 0.5))
        self.moment.assign(0.9 * self.moment + tape.gradient(loss, self.w))
        self.w.assign_sub(0.1 * self.moment)
        w, moment = self.expected
        y = np.tanh(X.astype("float64") @ w)
        moment = 0.9 * moment + X.T @ (2 * (y - 0.5) / y.size * (1 - y**2))
        self.expected = w - 0.1 * moment, moment
        return loss, np.mean((y - 0.5) ** 2)

    def programs_of(self, turns):
        """Makes so many turns, looks at the last loss, checks it, and says how many programs have run."""
        before = engine.stats()["programs_run"]
        for _ in range(turns):
            loss, expected = self.step()
        np.testing.assert_allclose(loss.numpy(), expected, rtol=1e-4, atol=1e-6)
        used = engine.stats()["programs_run"] - before
        np.testing.assert_allclose(self.w, self.expected[0], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(self.moment, self.expected[1], rtol=1e-4, atol=1e-6)
        return used


def test_turns_of_a_hot_loop_become_one_program(hot):
    training = Training()
    assert training.programs_of(8) == 8
    assert [training.programs_of(6) for _ in range(4)] == [6, 6, 1, 1]


def test_many_turns_run_in_equal_pieces(hot):
    training = Training()
    training.programs_of(8)
    used = [training.programs_of(20) for _ in range(5)]
    assert used[0] == 20
    assert used[-1] == 3  # 8 and 8 and 4 turns


def test_values_of_turns_that_are_kept_are_all_computed(hot):
    training = Training()
    training.programs_of(8)
    for _ in range(3):
        kept = [training.step() for _ in range(6)]
        np.testing.assert_allclose([loss for loss, _ in kept], [expected for _, expected in kept], rtol=1e-5)


def test_where_other_values_are_kept_each_time_few_programs_are_compiled(hot, steer):
    steer(_policy.UNROLLING, programs=2)
    training, kept = Training(), []
    training.programs_of(8)
    compiled = engine.stats()["programs_compiled"]
    for turn in range(300):
        loss = training.step()
        if turn % 7 == 0:
            kept.append(loss)
    engine.cut()
    assert engine.stats()["programs_compiled"] - compiled <= 4
    np.testing.assert_allclose([loss for loss, _ in kept], [expected for _, expected in kept], rtol=1e-4, atol=1e-6)


def test_a_loop_that_looks_at_each_value_is_not_gathered(hot):
    training = Training()
    assert {training.programs_of(1) for _ in range(30)} == {1}
    assert engine.state.pending.loop is None


def test_programs_stay_few_where_values_are_looked_at_irregularly(hot, steer):
    steer(_policy.UNROLLING, iterations=1000, programs=3)
    training = Training()
    training.programs_of(8)
    compiled = engine.stats()["programs_compiled"]
    for turns in range(3, 23):
        training.programs_of(turns)
        training.programs_of(turns)
    assert 0 < engine.stats()["programs_compiled"] - compiled <= 3
    assert training.programs_of(30) == 30  # given up


def test_turns_of_much_work_are_not_gathered(hot, steer):
    steer(_policy.UNROLLING, max_work=20)
    training = Training()
    training.programs_of(8)
    assert [training.programs_of(6) for _ in range(3)] == [6, 6, 6]


def test_what_comes_between_turns_ends_the_gathering(hot):
    training = Training()
    training.programs_of(8)
    for _ in range(3):
        for _ in range(3):
            training.step()
        evaluated = tf.reduce_sum(tf.sin(training.x @ training.w))
        for _ in range(3):
            training.step()
        assert training.programs_of(1) <= 8
        assert np.isfinite(evaluated.numpy())


def test_a_failing_turn_takes_no_other_value_with_it(hot):
    training = Training()
    training.programs_of(8)
    for _ in range(3):
        training.step()
    with pytest.raises(tf.errors.InvalidArgumentError):
        training.x @ tf.zeros([7, 7])
    assert training.programs_of(3) >= 1


def test_gathered_turns_of_an_attack(hot):
    w = tf.constant(X.T)

    def attack(x, steps=6):
        for _ in range(steps):
            with tf.GradientTape() as tape:
                tape.watch(x)
                loss = tf.reduce_sum(tf.tanh(x @ w))
            x = tf.clip_by_value(x + 0.1 * tf.sign(tape.gradient(loss, x)), -1.0, 1.0)
        return x

    used, found = [], []
    for _ in range(5):
        before = engine.stats()["programs_run"]
        found.append(attack(tf.constant(X)).numpy())
        used.append(engine.stats()["programs_run"] - before)
    assert used[-1] == 1 and used[0] == 6
    for one in found[1:]:
        np.testing.assert_array_equal(one, found[0])


def test_threads_gather_turns_of_the_same_loop(hot):
    training, other = Training(), Training()
    training.programs_of(8)
    other.programs_of(8)
    failures = []

    def train(one):
        try:
            for turns in (6, 6, 11, 6, 3, 11) * 3:
                one.programs_of(turns)
        except AssertionError as error:
            failures.append(error)

    threads = [threading.Thread(target=train, args=[one]) for one in (training, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# --- functions that run when they are called -----------------------------------------------------------------------


def pending():
    return engine.stats()["ops_pending"]


@tf.function
def large(x):
    return tf.tanh(x) * tf.sin(x) + tf.exp(-x)


def test_a_function_runs_when_it_is_called():
    x = tf.constant(X)
    engine.cut()
    before = engine.stats()["programs_run"]
    y = large(x)
    assert pending() == 0 and engine.stats()["programs_run"] == before + 1
    np.testing.assert_allclose(y, np.tanh(X) * np.sin(X) + np.exp(-X), rtol=1e-6)


def test_a_small_function_is_recorded_and_so_is_one_under_a_tape():
    x = tf.constant(X)
    engine.cut()
    small = tf.function(lambda x: 2.0 * x)
    y = small(x)
    assert pending() > 0
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = large(x)
        assert pending() > 0
    gradient = tape.gradient(z, x)
    expected = np.sin(X) / np.cosh(X) ** 2 + np.tanh(X) * np.cos(X) - np.exp(-X)
    np.testing.assert_allclose(gradient, expected, rtol=1e-5)
    np.testing.assert_allclose(y, 2 * X)


def test_what_is_pending_before_a_function_runs_first():
    x = tf.constant(X) * 3.0
    np.testing.assert_allclose(large(x), np.tanh(3 * X) * np.sin(3 * X) + np.exp(-3 * X), rtol=1e-5)
    np.testing.assert_allclose(x, 3 * X)


def test_a_function_overwrites_only_what_the_variables_hold_that_it_assigns():
    start = np.arange(64 * 64, dtype="float32").reshape(64, 64) / 4096
    assigned, read = tf.Variable(start), tf.Variable(start)

    @tf.function
    def step():
        assigned.assign(tf.tanh(assigned) * 0.5 + read * 0.5)
        return tf.reduce_sum(assigned)

    expected = start
    for _ in range(4):
        before = assigned.read_value()
        step()
        np.testing.assert_allclose(before, expected, rtol=1e-5)
        expected = np.tanh(expected) * 0.5 + start * 0.5
        step()
        expected = np.tanh(expected) * 0.5 + start * 0.5
        np.testing.assert_allclose(assigned, expected, rtol=1e-5)
        np.testing.assert_array_equal(read, start)


def test_an_interrupted_function_loses_no_variable(monkeypatch):
    w = tf.Variable(np.ones((64, 64), "float32"))

    @tf.function
    def step():
        w.assign(w - 0.5 * tf.tanh(w * 0.0) - 0.25 * w - 0.25 * w)
        return w[0, 0]

    assert [float(step()) for _ in range(3)] == [0.5, 0.25, 0.125]
    end_run, interrupts = engine._record.end_run, iter([True])

    def interrupted(*args):
        if next(interrupts, False):
            raise KeyboardInterrupt
        return end_run(*args)

    monkeypatch.setattr(engine._record, "end_run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        step()
    assert float(w[0, 0]) == 0.0625
    assert float(step()) == 0.03125


def test_functions_run_at_once_are_in_the_report():
    x = tf.constant(X)
    large(x)
    report = engine.last_program()
    assert report.compiled and report.operations.total() == 1 and report.outputs == 1


def test_a_turn_that_starts_from_all_results_of_an_operation_is_not_judged_small(hot):
    """Its inputs cannot be told from their uses: the loop goes on as it is."""
    pick = engine._record._Pick.of(tf.constant(X)._node.aval, 0)
    program = _program.Program(None, [(pick, [-1])], (0,))
    assert program.input_avals() == [None]
    assert not unrolling._is_small(program)


def test_functions_know_their_numbers_until_they_are_traced_for_ever_others():
    x = tf.constant(X)

    @tf.function
    def scaled(x, rate):
        return 2.0 * x * rate + 2.0 * tf.tanh(x) - 0.5

    def captures(rate):
        scaled(x, rate)
        return len(scaled._traces.plain[scaled_key(rate)].captures)

    def scaled_key(rate):
        return next(key for key in scaled._traces.plain if (float, rate) in key)

    assert [captures(0.1 * (i + 1)) for i in range(6)] == [0, 0, 0, 0, 3, 3]
    np.testing.assert_allclose(scaled(x, 0.25), 2.0 * X * 0.25 + 2.0 * np.tanh(X) - 0.5, rtol=1e-6)

    def traced():  # the same structure each time, so that a program on disk is found again
        return tf.function(lambda x: 3.0 * x + 4.0 * tf.sin(x) - 5.0 / x).get_concrete_function(x)._concrete.operation

    assert traced() is traced()
