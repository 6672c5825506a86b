"""Conditions on values: when a broken one is told of, where it says that it was recorded, and what it costs."""

import inspect
import subprocess
import sys

import numpy as np
import pytest

import tfcompat as tf
from tfcompat import engine
from tfcompat.engine import conditions
from tfcompat.errors import InvalidArgumentError


def _run(program, **environment):
    done = subprocess.run(
        [sys.executable, "-c", inspect.cleandoc(program)], capture_output=True, text=True,
        env={"PYTHONPATH": ":".join(sys.path), "TFCOMPAT_CACHE": "off", "JAX_PLATFORMS": "cpu", **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done


_UNSEEN = """
    import tfcompat as tf
    x = tf.range(3.0)
    y = tf.gather(x, tf.cast(x + 1.0, tf.int32))
    print("over")
"""


def test_an_error_that_nobody_has_looked_at_is_told_of_at_exit():
    done = _run(_UNSEEN)
    assert done.stdout == "over\n"
    assert "InvalidArgumentError: indices[2] = 3 is not in [0, 3)" in done.stderr


def test_nothing_is_told_of_where_nothing_is_checked():
    assert _run(_UNSEEN, TFCOMPAT_CHECKS="off").stderr == ""


@pytest.mark.parametrize("native", ["on", "off"])
@pytest.mark.parametrize("tiers", ["", "compiled"])
def test_results_are_looked_at_like_inputs(native, tiers):
    done = _run(
        """
        import tfcompat as tf
        inverse = tf.function(lambda m: tf.linalg.inv(m))
        for how in tf.linalg.inv, inverse, lambda m: tf.linalg.lu(m)[0]:
            for scale in 1.0, 0.0:
                try:
                    print(how(scale * tf.eye(2)).numpy().tolist())
                except tf.errors.InvalidArgumentError as error:
                    print(error.message)
        """,
        TFCOMPAT_NATIVE=native, TFCOMPAT_TIERS=tiers,
    )  # fmt: skip
    good, bad = "[[1.0, 0.0], [0.0, 1.0]]", "Input is not invertible."
    lines = done.stdout.splitlines()
    assert lines[::2] == [good] * 3 and all(line.startswith(bad) for line in lines[1::2])


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("look", ["each step", "at the end"])
@pytest.mark.parametrize("broken", [None, 0, 3, 7])
def test_what_a_broken_step_and_later_ones_assign_is_undone(broken, look, compiled, request):
    """A large variable's memory is overwritten by each step, a small one's is not."""
    if compiled:
        request.getfixturevalue("compiled_at_once")
    table, count = tf.Variable(np.ones((600, 4), "float32")), tf.Variable(np.zeros(3, "float32"))
    other, others, tables = tf.Variable(np.zeros((50, 50), "float32")), [0.0], []
    values = np.ones((600, 4), "float32")

    def step(number):
        rows = tf.cast(tf.constant([1.0, 700.0 if number == broken else 2.0]) + float(number), tf.int32)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, rows) ** 2)
        gradient = tape.gradient(loss, table)
        table.scatter_sub(tf.IndexedSlices(0.25 * gradient.values, gradient.indices))
        count.assign_add(tf.fill([3], 1.0))
        other.assign(other + tf.reduce_mean(gradient.values))
        if look == "each step":
            float(loss)

    for number in range(8):
        tables.append(values.copy())
        others.append(others[-1] + 2 * values[[number + 1, number + 2]].mean())
        values[[number + 1, number + 2]] *= 0.5
    tables.append(values)
    raised = None
    try:
        for number in range(8):
            step(number)
        table.numpy()
    except InvalidArgumentError as error:
        raised = error
    done = 8 if broken is None else broken
    assert (raised is None) == (broken is None)
    np.testing.assert_array_equal(table, tables[done])
    np.testing.assert_array_equal(count, [done] * 3)
    np.testing.assert_allclose(other, np.full([50, 50], others[done]))
    step(10)  # goes on
    assert float(count[0]) == done + 1


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("size", [3, 3000])
def test_a_variable_keeps_the_last_value_that_does_not_wait_for_what_is_broken(size, compiled, request):
    """A large variable's memory is overwritten, a small one's is not."""
    if compiled:
        request.getfixturevalue("compiled_at_once")
    v, w, counter = tf.Variable(tf.ones([size])), tf.Variable(tf.zeros([size])), tf.Variable(0)

    @tf.function
    def step(first, second):
        counter.assign_add(1)
        v.assign_add(tf.gather(v, first) * tf.ones([size]))  # doubles it
        w.assign(v)
        v.assign_add(tf.gather(v, second) * tf.ones([size]))
        w.assign_add(v)
        return tf.reduce_sum(v)

    expected = np.float32([1, 0, 0])
    for first, second in [(0, 1), (0, size), (size, 0), (2, 0)]:
        expected[2] += 1
        if max(first, second) == size:
            with pytest.raises(InvalidArgumentError, match="is not in"):
                step(tf.constant(first) + 0, tf.constant(second) + 0).numpy()
        else:
            step(tf.constant(first) + 0, tf.constant(second) + 0)
        if first < size:
            expected[0] *= 2
            expected[1] = expected[0]
            if second < size:
                expected[0] *= 2
                expected[1] += expected[0]
        np.testing.assert_array_equal([v[0], w[0], counter], expected)
        np.testing.assert_array_equal(v, np.full(size, expected[0]))


def test_known_indices_are_checked_at_once_though_a_gradient_reshapes_them():
    table = tf.Variable(np.ones((600, 4), "float32"))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(table, tf.constant([[1, 2], [3, 4]])))
    gradient = tape.gradient(loss, table)
    table.scatter_sub(tf.IndexedSlices(gradient.values, gradient.indices))
    assert engine.state.pending.report is None
    known = tf.constant([[1, 600]])
    with pytest.raises(InvalidArgumentError, match="= 600 is not in"):
        table.scatter_sub(tf.IndexedSlices(tf.ones([2, 4]), tf.reshape(known, [-1])))
    np.testing.assert_array_equal(table[:6, 0], [1, 0, 0, 0, 0, 1])


def test_a_constant_is_checked_once(monkeypatch):
    takes, taken = conditions.KnownCheck.takes, []
    monkeypatch.setattr(conditions.KnownCheck, "takes", lambda *args: taken.append(args) or takes(*args))
    table, rows = tf.Variable(np.ones((600, 4), "float32")), tf.constant(np.arange(100)[None])
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, rows))
        table.scatter_sub(tape.gradient(loss, table))
    assert len(taken) == 2
    assert engine.state.pending.report is None


def test_whether_a_value_is_there_yet_decides_nothing():
    rows = tf.cast(tf.linspace(0.0, 599.0, 100), tf.int32)
    assert rows.numpy()[99] == 599
    tf.gather(tf.zeros([600]), rows)
    assert engine.state.pending.report is not None


def test_a_broken_report_is_looked_at_before_the_next_program_but_one():
    table, reached = tf.Variable(np.ones((600, 4), "float32")), []
    with pytest.raises(InvalidArgumentError, match="= 700 is not in"):
        for number in range(6):
            rows = tf.cast(tf.constant([700.0 if number == 1 else 2.0]) + 0.0 * table[0, 0], tf.int32)
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.gather(table, rows))
            table.assign_sub(0.5 * tf.convert_to_tensor(tape.gradient(loss, table)))  # nothing but a large variable
            reached.append(number)
    assert reached[-1] <= 3
    np.testing.assert_array_equal(table[2], np.full(4, 0.5))


@pytest.mark.parametrize("turns", [[0, 2, 3], [0, 0, 0], [1, 1, 1], [3, 0, 1]])
def test_derivatives_of_loops_side_by_side_are_checked_row_by_row(turns):
    """In TensorFlow the loops have to end together."""
    matrices = np.float32([[[1, 2], [2, 4]], [[1, 0], [0, 1]], [[3, 1], [1, 3]]])

    def gradient(row):
        matrix, count = row
        with tf.GradientTape() as tape:
            tape.watch(matrix)
            _, total = tf.while_loop(lambda i, _: i < count, lambda i, t: (i + 1, t + tf.linalg.det(matrix)), (0, 0.0))
        return tape.gradient(total, matrix)

    def gradients():
        return tf.vectorized_map(gradient, (tf.constant(matrices), tf.constant(turns))).numpy()

    if turns[0]:  # the first matrix has no inverse
        with pytest.raises(InvalidArgumentError, match="Input is not invertible"):
            gradients()
    else:
        cofactors = np.float32([[[4, -2], [-2, 1]], [[1, 0], [0, 1]], [[3, -1], [-1, 3]]])
        np.testing.assert_allclose(gradients(), np.reshape(turns, [3, 1, 1]) * cofactors, rtol=1e-5)


@pytest.fixture
def debugging():
    engine.debug(True)
    yield
    engine.debug(False)


def _line_of(text):
    lines, _ = inspect.getsourcelines(sys.modules[__name__])
    return next(k for k, line in enumerate(lines, 1) if text in line and "_line_of" not in line)


def test_while_debugging_the_message_shows_the_line(debugging):
    x = tf.range(3.0)
    good, bad = tf.cast(x, tf.int32), tf.cast(x + 1.0, tf.int32)
    y = tf.gather(x, good)
    z = tf.gather(x, bad)  # here it breaks
    with pytest.raises(InvalidArgumentError) as caught:
        (y + z).numpy()
    assert f"recorded at test_conditions.py:{_line_of('# here it breaks')}: z = tf.gather" in str(caught.value)
    assert str(caught.value).count("recorded at") == 1


def test_while_debugging_the_message_shows_the_line_in_a_function_and_that_of_the_call(debugging):
    @tf.function
    def f(x, i):
        return x[i] * 2.0  # in the function

    x = tf.range(3.0)
    with pytest.raises(InvalidArgumentError) as caught:
        f(x, tf.cast(x[0] + 3.0, tf.int32)).numpy()  # the call
    for text in "# in the function", "# the call":
        assert f"test_conditions.py:{_line_of(text)}:" in str(caught.value)


def test_no_check_is_recorded_for_known_indices():
    x, log = tf.Variable(np.float32([1, 2, 3])), []
    before = engine.state.context.pending.report
    for i in range(20):
        log.append(x[i % 3] + x[::2][0] + tf.range(4)[1:3][0].numpy())
    assert engine.state.context.pending.report is before is None


def test_requirements_of_arrays_are_enforced_at_once():
    indices = np.array([[0, 5], [1, 0]])
    with pytest.raises(InvalidArgumentError, match=r"indices\[0,1\] = 5 is not in \[0, 3\) \[Op:GatherV2\]"):
        conditions.enforce(conditions.in_range(indices, 3, "GatherV2"))
    conditions.enforce(conditions.in_range(indices, 6, "GatherV2"))
