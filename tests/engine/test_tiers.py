"""Programs are compiled quickly first, and fully when they come again: at the same run each time."""

import os
import subprocess
import sys
import textwrap

import jax
import numpy as np
import pytest

import tfcompat as tf
from tfcompat import engine
from tfcompat.engine import _policy, _program, _structure
from tfcompat.engine.compile import memory
from tfcompat.engine.compile import tiers as _tiers

X = np.linspace(0.1, 1.0, 7, dtype=np.float32)


@pytest.fixture
def tiers(monkeypatch):
    """Two tiers, as in users' processes. Returns a function that gives the tier of each program compiled."""
    engine.cut()  # what other tests have left is no program of this one
    kinds = {}

    def spy(name, original):
        def made(*arguments):
            function = original(*arguments)
            kinds[function] = name
            return function

        monkeypatch.setattr(_tiers, original.__name__, made)

    spy("quick", _tiers.quick)
    spy("full", _tiers.full)
    spy("in pieces", _tiers.in_pieces)
    monkeypatch.setattr(_tiers, "enabled", True)
    monkeypatch.setattr(_policy, "interpreted_runs", lambda *_: 0)
    monkeypatch.setattr(_program, "programs", set())
    monkeypatch.setattr(_structure, "_structures", {})
    monkeypatch.setattr(_structure, "_by_calls", {})
    if jax.default_backend() != "cpu":
        pytest.skip("there are two tiers on CPUs only")
    return lambda: [kinds[program.executable] for program in _program.programs]


def _step(x):
    return tf.reduce_sum(tf.sin(tf.constant(x)) * tf.exp(tf.constant(x))).numpy()


def test_full_code_is_used_from_a_run_that_the_structure_determines(tiers, monkeypatch):
    monkeypatch.setattr(_policy, "full_from", lambda *cost: 6)
    compiled = engine.stats()["programs_compiled"]
    values, used = [], []
    for _ in range(8):
        values.append(_step(X))
        used += tiers()
    assert used == 5 * ["quick"] + 3 * ["full"]
    np.testing.assert_allclose(values, np.sum(np.sin(X) * np.exp(X)), rtol=1e-6)
    assert engine.stats()["programs_compiled"] == compiled + 1


def test_a_program_is_compiled_once_in_each_tier(tiers, monkeypatch):
    monkeypatch.setattr(_policy, "full_from", lambda *cost: 6)
    events = []

    def listen(name, seconds, **_):
        if seconds > 0 and tiers():
            events.append(name.rpartition("/")[2])

    w = tf.Variable(X)
    step = tf.function(lambda: w.assign(tf.tanh(w * 0.3) + 0.7 * X))
    for _ in range(2):  # in the second arrays are moved to the device, by small programs
        step()
        engine.cut()
    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        for _ in range(9):
            step()
            engine.cut()
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)
    assert tiers()[-1] == "full"
    assert events.count("backend_compile_duration") == 1


def test_long_computations_are_compiled_fully_at_once(tiers):
    _step(np.zeros(8_000_000, np.float32))
    assert tiers() == ["full"]


@pytest.mark.parametrize(
    ("cost", "run"),
    [
        ((1, 0, 1), 64),
        ((95, 0, 283_973), 64),
        ((1559, 0, 335_800_000), 15),  # Burgers' equation
        ((375, 15_000, 9_875_399), 9),  # a GRU over 50 steps
        ((20, 20_000, 20_000_000), 0),
        ((0, 0, 0), 64),
    ],
)
def test_the_run_from_which_code_is_full(cost, run):
    assert _policy.full_from(*cost) == run
    assert run == 0 or _policy.TIERS.hot_runs <= _policy.hot_from(run) < run


def test_costs_count_turns():
    def loops(x):
        x, _ = jax.lax.scan(lambda c, _: (c * 2 + 1, None), x, length=10)
        return jax.lax.while_loop(lambda c: c.sum() < 5, lambda c: c + 1, x)

    equations, turns, elements, _ = _tiers.facts(jax.make_jaxpr(loops)(np.zeros(4, np.float32)).jaxpr)
    assert equations == 5
    assert turns == 2 * 10 + 3 * _policy.TIERS.unknown_length
    assert elements == 2 * 10 * 4 + _policy.TIERS.unknown_length * (1 + 1 + 4)


def test_programs_with_long_loops_are_compiled_fully_at_once(tiers):
    @tf.function
    def turned(x, n):
        while n > 0:
            x, n = tf.sin(x), n - 1
        return x

    assert float(turned(tf.constant(0.5), tf.constant(3))) == pytest.approx(float(np.sin(np.sin(np.sin(0.5)))))
    assert tiers()[-1] == "full"


@pytest.mark.parametrize(("first", "limit", "later"), [(6, 1 << 30, "in pieces"), (0, 1 << 30, "in pieces"),
                                                       (6, 0, "full"), (0, 0, "full")])  # fmt: skip
def test_a_program_that_takes_much_memory_takes_it_in_pieces(tiers, monkeypatch, steer, first, limit, later):
    monkeypatch.setattr(_policy, "full_from", lambda *cost: first)
    steer(_policy.TIERS, in_pieces_from=12)
    steer(_policy.MEMORY, largest_piece=1000)
    monkeypatch.setattr(memory, "largest_in_pieces", limit)
    w = tf.constant(np.eye(40, dtype=np.float32))
    values, used = [], []
    for _ in range(14):
        values.append(tf.reduce_sum(tf.tanh(w @ tf.tanh(w @ tf.sin(w @ w)))).numpy())
        used += tiers()
    assert used == (first - 1) * ["quick"] + (12 - max(first, 1)) * ["full"] + 3 * [later]
    assert len(set(values[max(first, 1):])) == 1


def test_the_size_of_pieces(monkeypatch, steer):
    def of(rows):
        def function(x):
            turned = jax.lax.fori_loop(0, 3, lambda _, x: x @ x.T @ x, x * 2.0)
            return turned @ (x.T @ jax.numpy.sin(x))

        avals = [jax.ShapeDtypeStruct((rows, 8), np.float32)]
        largest = _tiers.facts(jax.make_jaxpr(function)(*avals).jaxpr).largest
        return _tiers.size_of_pieces(jax.jit(function), avals, largest)

    steer(_policy.MEMORY, largest_piece=2000, largest_heap=4001)
    monkeypatch.setattr(memory, "largest_in_pieces", 20_000)
    assert of(8) == 0             # no more than a piece in all
    assert of(22) == 2000
    assert of(31) == 4 * 31 * 31  # of the product in the loop
    assert of(32) == 0            # a value that a heap cannot hold
    monkeypatch.setattr(memory, "largest_in_pieces", 2001)
    assert of(22) == 0            # more than is to be kept


def test_without_the_option_full_code_stays(tiers, monkeypatch, steer):
    monkeypatch.setattr(_tiers, "PIECES", "xla_no_such_option")
    test_a_program_that_takes_much_memory_takes_it_in_pieces(tiers, monkeypatch, steer, 6, 1 << 30, "full")


def test_a_variable_gives_its_buffer_in_both_tiers(tiers, monkeypatch):
    monkeypatch.setattr(_policy, "full_from", lambda *cost: 4)
    v = tf.Variable(tf.zeros([64, 64]))
    donated = []
    for _ in range(6):
        v.assign(tf.tanh(v * 0.5 + 1.0))
        engine.cut()
        donated.append(engine.last_program()._program.donated)
    expected = 0.0
    for _ in range(6):
        expected = np.tanh(expected * 0.5 + 1.0)
    np.testing.assert_allclose(v.numpy(), np.full([64, 64], expected), rtol=1e-6)
    assert donated[-1] and "full" in tiers()


def test_a_waiting_compilation_is_done_by_who_needs_it(monkeypatch):
    monkeypatch.setattr(_tiers, "_wake", lambda: None)  # the thread is busy with others
    upgrade = _tiers.Upgrade(jax.jit(lambda x: x + 1), [jax.ShapeDtypeStruct((), np.float32)])
    assert upgrade in _tiers._waiting
    assert upgrade.result()(np.float32(1)) == 2
    assert not _tiers._waiting


def test_a_compilation_that_fails_in_the_background_fails_where_it_is_used():
    def broken(x):
        raise ZeroDivisionError

    upgrade = _tiers.Upgrade(jax.jit(broken), [jax.ShapeDtypeStruct((), np.float32)])
    function = upgrade.result()
    with pytest.raises(ZeroDivisionError):
        function(np.float32(1))


@pytest.mark.parametrize("options", ["QUICK", "FULL"])
def test_without_the_options_programs_are_compiled_fully(tiers, monkeypatch, options):
    monkeypatch.setattr(_tiers, options, {"xla_no_such_option": True})
    monkeypatch.setattr(_tiers, "_known", True)
    np.testing.assert_allclose(_step(X), np.sum(np.sin(X) * np.exp(X)), rtol=1e-6)
    assert not _tiers._known
    _step(X[:2])
    assert tiers() == ["full", "full"]
    _step(X[:2])
    assert tiers() == ["full", "full"]


def test_without_a_dispensable_option_programs_are_still_compiled_quickly(monkeypatch):
    monkeypatch.setattr(_tiers, "QUICK", _tiers.QUICK | {_tiers.DISPENSABLE: False})
    monkeypatch.setattr(_tiers, "_known", True)
    assert _tiers.refused(ValueError(f"No such compile option: '{_tiers.DISPENSABLE}'"))
    assert _tiers._known and _tiers.QUICK and _tiers.DISPENSABLE not in _tiers.QUICK
    assert not _tiers.refused(ValueError("something else"))


def test_convolutions_use_all_threads():
    if jax.default_backend() != "cpu":
        pytest.skip("a choice of libraries for CPUs")
    image, window = np.ones((4, 16, 16, 8), np.float32), np.ones((3, 3, 8, 16), np.float32)
    function = _tiers.full(lambda *arrays: tf.nn.conv2d(*arrays, 1, "SAME").__jax_array__(), ())
    text = function.lower(image, window).compile().as_text()
    assert "convolution(" in text and "ynn_fusion" not in text


def test_programs_run_while_jax_traces(tiers, monkeypatch):
    monkeypatch.setattr(_policy, "full_from", lambda *cost: 4)

    def function(x):
        return x * _step(X) + _step(X[:3])

    expected = 2 * np.sum(np.sin(X) * np.exp(X)) + np.sum(np.sin(X[:3]) * np.exp(X[:3]))
    _step(X)  # one of the programs was compiled before
    for _ in range(4):
        assert float(jax.jit(lambda x: function(x))(np.float32(2))) == pytest.approx(expected, rel=1e-6)
    assert tiers() == ["full", "full"]


LOOP = """
import tfcompat as tf
tf.random.set_seed(1)
w = tf.Variable(tf.random.normal([16, 16]))
x = tf.random.normal([8, 16])
for step in range({steps}):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.tanh(tf.tanh(x @ w) @ w) ** 2)
    w.assign_sub(0.1 * tape.gradient(loss, w))
    last = loss.numpy()
print(last.tobytes().hex())
"""


def _run(steps, **environment):
    done = subprocess.run(
        [sys.executable, "-c", LOOP.format(steps=steps)],
        env=os.environ | environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_runs_of_a_program_agree_to_the_last_digit(tmp_path):
    first = _run(80, TFCOMPAT_CACHE=str(tmp_path))  # 64 steps of quick code, 16 of full
    assert _run(80, TFCOMPAT_CACHE=str(tmp_path)) == first  # from disk


def test_a_process_ends_while_programs_are_being_compiled():
    assert _run(_policy.TIERS.hot_runs, TFCOMPAT_CACHE="off")


@pytest.mark.parametrize(
    ("end", "status", "said"),
    [("", 0, ""), ("sys.exit(3)", 3, ""), ("raise SystemExit('why')", 1, "why\n"), ("raise OSError", 1, "OSError\n")],
)
def test_a_program_that_is_run_does_not_wait_for_what_is_being_compiled(tmp_path, end, status, said):
    program = f"""
        import atexit, sys, threading
        from tfcompat.engine.compile import tiers
        never = threading.Event()
        tiers.Upgrade.run = lambda upgrade: never.wait()
        tiers.Upgrade(None, [])
        atexit.register(lambda: print("printed last"))
        {end}
    """
    (tmp_path / "program.py").write_text(textwrap.dedent(program))
    done = subprocess.run(
        [sys.executable, "-m", "tfcompat", "run", str(tmp_path / "program.py")], capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (status, "printed last\n")
    assert done.stderr.endswith(said)
