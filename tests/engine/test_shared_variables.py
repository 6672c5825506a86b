"""Threads that change the same variable: an update reads, computes and assigns as one step."""

import signal
import threading

import numpy as np
import pytest

import tfcompat as tf
from tfcompat import engine

THREADS, TURNS = 6, 40
ROWS = np.arange(4, dtype=np.int32)


def in_threads(work, threads=THREADS, turns=TURNS):
    """Calls `work(turn)` in several threads at once; raises what one of them raised, and if they never end."""
    gate, errors = threading.Barrier(threads), []

    def run():
        gate.wait()
        try:
            for turn in range(turns):
                work(turn)
        except BaseException as error:
            errors.append(error)

    running = [threading.Thread(target=run, daemon=True) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(120)
    assert not any(thread.is_alive() for thread in running), "the threads wait for one another"
    if errors:
        raise errors[0]


def _slices(value=1.0):
    return tf.IndexedSlices(tf.fill([4], value), tf.constant(ROWS))


def _of_scatter(name, value=1.0):
    return lambda v: getattr(v, name)(_slices(value))


def _taped(v):
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * 1.0)
    v.assign_add(tape.gradient(y, v))


def _assigned_under_a_tape(v):
    with tf.GradientTape() as tape:
        v.assign_add(tf.ones([4]))
        y = v * 2.0
    tape.gradient(y, v)


# name -> what one turn does to a variable of zeros, which adds 1 to each element
UPDATES = {
    "assign_add": lambda v: v.assign_add(tf.ones([4])),
    "assign_sub": lambda v: v.assign_sub(-tf.ones([4])),
    "assign_add of a number": lambda v: v.assign_add([1.0] * 4),
    "assign_add without a result": lambda v: v.assign_add(tf.ones([4]), read_value=False),
    "assign_add and a look": lambda v: v.assign_add(tf.ones([4])).numpy(),
    "scatter_add": _of_scatter("scatter_add"),
    "scatter_sub": _of_scatter("scatter_sub", -1.0),
    "scatter_nd_add": lambda v: v.scatter_nd_add(ROWS[:, None], tf.ones([4])),
    "scatter_nd_sub": lambda v: v.scatter_nd_sub(ROWS[:, None], -tf.ones([4])),
    "a tape": _taped,
    "under a tape": _assigned_under_a_tape,
}


@pytest.mark.parametrize("mode", ["deferred", "immediate"])
@pytest.mark.parametrize("name", UPDATES)
def test_no_update_is_lost(name, mode):
    v = tf.Variable(tf.zeros([4]))

    def turn(_):
        with engine.execution_mode(mode):
            UPDATES[name](v)

    in_threads(turn if mode == "immediate" else lambda _: UPDATES[name](v))
    np.testing.assert_array_equal(v.numpy(), np.full(4, THREADS * TURNS))


@pytest.mark.parametrize(("name", "by", "expected"), [
    ("scatter_mul", 2.0, 2.0**60), ("scatter_div", 0.5, 2.0**60),
])  # fmt: skip
def test_no_factor_is_lost(name, by, expected):
    v = tf.Variable(tf.ones([4]))
    in_threads(lambda _: getattr(v, name)(_slices(by)), turns=10)
    np.testing.assert_array_equal(v.numpy(), np.full(4, expected))


@pytest.mark.parametrize("name", [
    "scatter_update", "scatter_max", "scatter_min", "scatter_nd_update", "scatter_nd_max", "scatter_nd_min",
    "batch_scatter_update", "slice",
])  # fmt: skip
def test_threads_write_their_own_rows(name):
    """Each thread counts in a row of its own, which it alone writes: it finds there what it has written last."""
    sign = -1.0 if name.endswith("min") else 1.0
    v, rows, own = tf.Variable(tf.zeros([THREADS])), iter(range(THREADS)), threading.local()

    def work(turn):
        if turn == 0:
            own.row = next(rows)
        value = tf.fill([1], sign * (1.0 + turn))
        if name == "slice":
            v[own.row].assign(value[0])
        elif "nd" in name:
            getattr(v, name)([[own.row]], value)
        else:
            getattr(v, name)(tf.IndexedSlices(value, tf.constant([own.row])))

    in_threads(work)
    np.testing.assert_array_equal(v.numpy(), np.full(THREADS, sign * TURNS))


def _once(v):
    v.assign_add(tf.ones_like(v))


def _of_several_operations(v):
    for _ in range(4):
        v.assign_add(tf.ones_like(v) * 0.25)
    return tf.reduce_sum(v)


def _in_a_loop(v):
    for _ in tf.range(4):
        v.assign_add(tf.ones_like(v) * 0.25)


def _random(v):
    v.assign_add(tf.ones_like(v) + 0.0 * tf.random.normal(v.shape))
    return tf.random.normal([3])


@pytest.mark.parametrize("size", [4, 5000])  # the memory of the second is overwritten
@pytest.mark.parametrize("body", [_once, _of_several_operations, _in_a_loop, _random])
def test_no_update_of_a_function_is_lost(body, size):
    v = tf.Variable(tf.zeros([size]))
    function = tf.function(lambda: body(v))
    function()
    in_threads(lambda turn: function() if turn % 3 else v.assign_add(tf.ones_like(v)).numpy())
    np.testing.assert_array_equal(v.numpy(), np.full(size, 1 + THREADS * TURNS))


def _scattered(v, row):
    v.scatter_nd_add([[row]], [1.0])


def _of_a_slice(v, row):
    v[row].assign(v[row] + 1.0)


def _asserted(v, row):
    tf.debugging.assert_less(row, 100)
    v.assign_add(tf.one_hot(row, v.shape[0]))


@pytest.mark.parametrize("size", [THREADS, 5000])
@pytest.mark.parametrize("body", [_scattered, _of_a_slice, _asserted])
def test_no_update_of_a_function_with_a_check_is_lost(body, size):
    """A function that checks values, such as indices, assigns its variables as one step as well."""
    v, rows, own = tf.Variable(tf.zeros([size])), iter(range(THREADS)), threading.local()
    function = tf.function(lambda row: body(v, row))

    def work(turn):
        if turn == 0:
            own.row = tf.constant(next(rows))
        function(own.row)

    in_threads(work)
    np.testing.assert_array_equal(v.numpy()[:THREADS], np.full(THREADS, TURNS))


def test_two_functions_count_in_two_variables():
    first, second = (tf.Variable(tf.zeros([3000])) for _ in range(2))

    @tf.function
    def one():
        first.assign_add(tf.ones_like(first))
        return tf.reduce_sum(tf.tanh(second) * tf.exp(-second))

    @tf.function
    def both():
        second.assign_add(tf.ones_like(second))
        first.assign_add(tf.ones_like(first))
        return tf.reduce_sum(tf.tanh(first) * tf.exp(-second))

    in_threads(lambda turn: (one if turn % 2 else both)())
    half = THREADS * TURNS // 2
    assert first.numpy().tolist() == [2 * half] * 3000 and second.numpy().tolist() == [half] * 3000


@pytest.mark.parametrize("name", ["SGD", "legacy.SGD"])
@pytest.mark.parametrize("kind", ["dense", "sparse", "function"])
def test_no_step_of_an_optimizer_is_lost(name, kind):
    optimizer, v = tf.keras.optimizers, tf.Variable(tf.zeros([4]))
    for part in name.split("."):
        optimizer = getattr(optimizer, part)
    optimizer = optimizer(1.0)
    optimizer.apply_gradients([(tf.zeros([4]), v)])

    def step():
        optimizer.apply_gradients([(_slices(-1.0) if kind == "sparse" else -tf.ones([4]), v)])

    run = tf.function(step) if kind == "function" else step
    in_threads(lambda _: run())
    np.testing.assert_array_equal(v.numpy(), np.full(4, THREADS * TURNS))
    assert int(optimizer.iterations) == 1 + THREADS * TURNS


def test_no_state_of_a_metric_is_lost():
    total, mean = tf.keras.metrics.Sum(), tf.keras.metrics.Mean()
    in_threads(lambda turn: (total.update_state(1.0), mean.update_state([1.0, 3.0])))
    assert float(total.result()) == THREADS * TURNS
    assert float(mean.count) == 2 * THREADS * TURNS and float(mean.result()) == 2.0


def test_counters_count_on():
    counter, limit = tf.Variable(0), tf.Variable(0)
    counted = []
    in_threads(lambda _: (counter.assign_add(1), counted.append(int(limit.count_up_to(10**6)))))
    assert int(counter) == THREADS * TURNS
    assert sorted(counted) == list(range(THREADS * TURNS))


def test_a_saved_function_loses_no_update(tmp_path):
    module = tf.Module()
    module.v = tf.Variable(tf.zeros([4]))
    module.add = tf.function(lambda: module.v.assign_add(tf.ones([4])) + 0.0, input_signature=[])
    tf.saved_model.save(module, tmp_path / "module")
    loaded = tf.saved_model.load(tmp_path / "module")
    in_threads(lambda _: loaded.add())
    np.testing.assert_array_equal(loaded.v.numpy(), np.full(4, THREADS * TURNS))


def test_readers_see_whole_values():
    """Another thread reads a variable whose memory a function overwrites: some value that it has had, all of it."""
    v = tf.Variable(tf.zeros([20000]))

    @tf.function
    def step():
        for _ in range(3):
            v.assign_add(tf.ones_like(v))
        return tf.reduce_sum(v)

    step()
    seen, done = [], threading.Event()

    def read():
        while not done.is_set():
            value = v.numpy()
            assert value.min() == value.max()
            seen.append(value[0])

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(200):
        step()
    done.set()
    reader.join()
    assert seen == sorted(seen) and float(v[0]) == 603.0


def test_values_go_to_and_fro_between_threads():
    """Each thread uses what the other has recorded: the chain is computed without a deep recursion."""
    there, back = [], []
    ready, answered = threading.Semaphore(0), threading.Semaphore(0)

    def answer():
        for _ in range(1500):
            ready.acquire()
            back.append(there[-1] + 1.0)
            answered.release()

    thread = threading.Thread(target=answer)
    thread.start()
    x = tf.constant(0.0)
    for _ in range(1500):
        there.append(x * 1.0)
        ready.release()
        answered.acquire()
        x = back[-1]
    thread.join()
    assert float(x) == 1500.0


def test_python_that_is_called_back_may_read_what_the_function_assigns():
    v = tf.Variable(np.zeros(2000, np.float32))
    seen = []

    def look(x):
        seen.append(float(v[0]))
        return x

    @tf.function
    def step(x):
        v.assign_add(tf.ones_like(v))
        return tf.py_function(look, [x], tf.TensorSpec([2], tf.float32))

    for watched in (False, True):
        with tf.GradientTape() if watched else engine.eager_scope():
            step(tf.ones([2]))
    assert len(seen) == 2 and float(v[0]) == 2.0


def _beside(v, call):
    v.assign_add(tf.ones_like(v))
    return call(v[0])


def _by_its_result(v, call):
    v.assign_add(tf.ones_like(v) * (1.0 + 0.0 * call(v[0])))


def _in_turns(v, call):
    for _ in tf.range(4):
        v.assign_add(tf.ones_like(v) * 0.25 + 0.0 * call(v[0]))


def _with_text(v, call):
    text = tf.py_function(lambda x: str(float(x)), [call(v[0])], tf.TensorSpec([], tf.string))
    v.assign_add(tf.ones_like(v) * tf.cast(tf.strings.length(text) > 0, tf.float32))


@pytest.mark.parametrize("size", [4, 5000])
@pytest.mark.parametrize("call", ["py_function", "numpy_function"])
@pytest.mark.parametrize("body", [_beside, _by_its_result, _in_turns, _with_text])
def test_no_update_of_a_function_that_calls_python_is_lost(body, call, size):
    v, calls, lock = tf.Variable(tf.zeros([size])), [], threading.Lock()

    def look(x):
        with lock:
            calls.append(float(x))
        return x

    def call_python(x):
        return getattr(tf, call)(look, [x], tf.TensorSpec([], tf.float32))

    function = tf.function(lambda: body(v, call_python))
    function()
    before = len(calls)
    in_threads(lambda turn: function() if turn % 3 else v.assign_add(tf.ones_like(v)).numpy(), turns=15)
    np.testing.assert_array_equal(v.numpy(), np.full(size, 1 + THREADS * 15))
    assert len(calls) - before == THREADS * 10 * (4 if body is _in_turns else 1)  # once for each call


def test_what_python_assigns_is_kept_with_what_the_function_assigns():
    v = tf.Variable(0.0)

    def ten(x):
        v.assign_add(10.0)
        return x

    @tf.function
    def step(x):
        v.assign_add(1.0)
        return tf.py_function(ten, [x], tf.TensorSpec([], tf.float32))

    for watched in (False, True):
        with tf.GradientTape() if watched else engine.eager_scope():
            step(tf.constant(2.0))
    assert float(v) == 22.0


@pytest.mark.parametrize("size", [4, 5000])
def test_a_function_that_fails_leaves_variables_as_they_were(monkeypatch, size):
    from tfcompat.engine import _program

    v = tf.Variable(tf.zeros([size]))

    @tf.function
    def step():
        for _ in range(4):
            v.assign_add(tf.ones_like(v) * 0.25)
        return tf.reduce_sum(v)

    step()
    for error in (MemoryError, KeyboardInterrupt):
        with monkeypatch.context() as patch:
            patch.setattr(_program.Program, "run", lambda *args, error=error: _raise(error))
            with pytest.raises(error):
                step()
        assert v.numpy().tolist() == [1.0] * size
    assert float(step()) == 2.0 * size


def _raise(error):
    raise error


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer")
def test_a_signal_handler_that_reads_a_variable_never_waits_for_itself():
    v = tf.Variable(tf.zeros([300, 300]))

    @tf.function
    def step():
        for _ in range(4):
            v.assign(tf.tanh(v @ v) + 1.0)

    step()
    outcomes = []

    def handler(*_):
        try:
            outcomes.append(v.numpy().shape)
        except RuntimeError as error:
            outcomes.append(str(error))

    outer = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
        for _ in range(50):
            step()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, outer)
    assert outcomes and all(o == (300, 300) or "signal handler" in o for o in outcomes)
