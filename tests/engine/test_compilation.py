"""What is compiled: kept on disk, explained, watched; loops recognised; backward walks as one operation."""

import collections
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import tfcompat as tf
from tfcompat import engine
from tfcompat.engine import _policy
from tfcompat.engine.compile import cache
from tfcompat.engine.report import explain
from tfcompat.tape import _walk

pytestmark = pytest.mark.usefixtures("compiled_at_once")

PROGRAM = "import tfcompat as tf; print(tf.reduce_sum(tf.sin(tf.ones([3])) * 2.0).numpy())"


def _run(program, **environment):
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done


def _files(folder):
    return {path.name for path in folder.rglob("*") if path.is_file() and not path.name.endswith("-atime")}


def test_programs_are_kept_on_disk_and_found_again(tmp_path):
    first = _run(PROGRAM, TFCOMPAT_CACHE=str(tmp_path), TFCOMPAT_TIERS="compiled")
    before = _files(tmp_path)
    assert before
    again = _run(PROGRAM, TFCOMPAT_CACHE=str(tmp_path), TFCOMPAT_TIERS="compiled")
    assert again.stdout == first.stdout
    assert _files(tmp_path) == before


def test_default_place_and_off_switch(tmp_path):
    where = "import tfcompat, jax; print(jax.config.jax_compilation_cache_dir)"
    environment = {"XDG_CACHE_HOME": str(tmp_path), "TFCOMPAT_CACHE": ""}
    assert _run(where, **environment).stdout.startswith(str(tmp_path / "tfcompat"))
    assert _run(where, **environment | {"TFCOMPAT_CACHE": "off"}).stdout.strip() == "None"
    own = {"JAX_COMPILATION_CACHE_DIR": str(tmp_path / "own")}
    assert _run(where, **environment, **own).stdout.strip() == str(tmp_path / "own")


def test_a_place_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    assert _run(PROGRAM, TFCOMPAT_CACHE=str(tmp_path / "file")).stdout


def test_the_oldest_files_go_first(tmp_path):
    for age, name in enumerate("abcd"):
        (tmp_path / name).write_bytes(bytes(10))
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    cache.shrink(tmp_path, 25)
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]
    cache.shrink(tmp_path / "missing", 0)


def test_explanations_name_the_operation_and_the_line(capfd, monkeypatch):
    engine.flush(engine.state.pending)
    monkeypatch.setattr(explain, "enabled", True)
    monkeypatch.setattr(explain, "_recent", [])
    monkeypatch.setattr(_policy, "interpreted_runs", lambda *_: 0)
    for size in (3, 5):
        tf.cos(tf.sin(tf.constant(np.zeros(size, "float32")))).numpy()
    tf.reduce_sum(tf.sin(tf.constant(np.zeros(5, "float32"))), axis=0).numpy()
    first, second, third = capfd.readouterr().err.splitlines()
    assert "2 operations at test_compilation.py" in first and "the first program" in first
    assert "operation 1, Sin, gets (float32[5],), in an earlier one (float32[3],)" in second
    assert "operation 2 is Sum, in an earlier one it was Cos" in third


@pytest.mark.parametrize(
    "compute",
    [lambda x: tf.math.xlogy(x, x), lambda x: tf.linalg.qr(x).q, lambda x: tf.unstack(x)[1]],
)
def test_an_operation_by_itself_is_compiled_once(compute, capfd, monkeypatch):
    monkeypatch.setattr(explain, "enabled", True)
    x = tf.constant(np.cos(np.arange(1.0, 31.0)).reshape(6, 5) + 2.0)
    engine.cut()  # what another test left pending would run with it
    before = engine.stats()
    values = [compute(x).numpy() for _ in range(4)]
    after = engine.stats()
    assert {name: after[name] - before[name] for name in ("programs_compiled", "kernels_compiled")} == {
        "programs_compiled": 1, "kernels_compiled": 0,
    }  # fmt: skip
    assert capfd.readouterr().err.count(" operations at test_compilation.py") == 1
    assert all(np.array_equal(value, values[0]) for value in values)


def test_a_line_that_keeps_compiling_is_warned_of_once(monkeypatch):
    monkeypatch.setattr(explain, "_warned", False)
    monkeypatch.setattr(explain, "enabled", False)
    monkeypatch.setattr(explain, "_places", collections.Counter())

    def compile_at_one_line(times):
        for _ in range(times):
            explain.compiling([], at_once=True)

    compile_at_one_line(_policy.REPORTING.programs_at_a_line - 1)
    with pytest.warns(UserWarning, match="programs at test_compilation.py.* TFCOMPAT_EXPLAIN=1"):
        compile_at_one_line(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        explain.compiling([], at_once=True)


def test_a_long_compilation_says_so(capfd, steer):
    steer(_policy.REPORTING, patience=0.0)
    with explain.progress(7):
        import time

        time.sleep(0.2)
    assert "compiling 7 operations takes longer" in capfd.readouterr().err


@pytest.mark.parametrize(
    "turn, before, after", [("a", "", ""), ("abc", "xyz", "z"), ("aab", "xa", ""), ("abcabd", "a", "bcd")]
)
def test_period_of_a_loop(turn, before, after):
    calls = [*before, *turn * 12, *after]
    assert _policy.period(calls) == len(turn)


def test_no_period_where_nothing_repeats():
    assert _policy.period(list(range(400))) == 0
    assert _policy.period(["a", "b"]) == 0


def _network(steps):
    """Values and gradients of a small network, by a tape of about `5 * steps` records, with fan-out and two targets."""
    x = tf.constant(np.linspace(-1.0, 1.0, 4, dtype="float32"))
    w, unused = tf.Variable([0.5, -0.25, 0.125, 1.0]), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        h, kept = x, []
        for i in range(steps):
            h = tf.sin(h * w) + h * 0.5
            if i % 7 == 0:
                kept.append(tf.reduce_sum(h))
        middle = h
        h = tf.tanh(middle + w)
    sources = {"x": x, "w": w, "unused": unused, "middle": middle, "target": h}
    return tape.gradient([h, kept], sources, output_gradients=[tf.ones_like(h) * 2.0, [tf.constant(1.0)] * len(kept)])


@pytest.mark.parametrize("steps", [3, 20, 150])
def test_walks_in_one_piece_and_in_segments_agree_with_the_plain_walk(steps, steer):
    steer(_policy.TAPE, max_records=60, segment=25)
    with engine.execution_mode("immediate"):
        plain = _network(steps)
    for _ in range(2):
        found = _network(steps)
        assert found["unused"] is None and plain["unused"] is None
        for name in ("x", "w", "middle", "target"):
            np.testing.assert_allclose(found[name].numpy(), plain[name].numpy(), rtol=2e-5, atol=1e-6, err_msg=name)


def test_a_walk_is_one_operation(monkeypatch):
    def recorded():
        before = engine.stats()["ops_recorded"]
        _network(10)["w"].numpy()
        return engine.stats()["ops_recorded"] - before

    counts = [recorded() for _ in range(3)]
    monkeypatch.setattr(_walk, "is_derived", lambda records: False)
    _walk.forget()
    plain = recorded()
    _walk.forget()
    assert counts[1] == counts[2] < plain - 30


@pytest.mark.parametrize("activation", [tf.nn.relu, tf.tanh, lambda x: x * 3.0, lambda x: x**1])
def test_walks_seen_by_outer_watchers_are_differentiated_as_plain_ones(activation):
    """Gradients of gradients, to third order, and forward over reverse: values, and what is None."""

    def derivatives():
        x = tf.constant([0.5, -1.5, 2.0])
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.5, 0.25])) as accumulator:
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape() as middle:
                    middle.watch(x)
                    with tf.GradientTape() as inner:
                        inner.watch(x)
                        y = tf.reduce_sum(activation(x) * activation(x))
                    first = inner.gradient(y, x)
                second = middle.gradient(first, x)
            third = None if second is None else outer.gradient(second, x)
        return [first, second, third, accumulator.jvp(first), accumulator.jvp(second)]

    with engine.execution_mode("immediate"):
        plain = derivatives()
    for _ in range(2):
        for found, expected in zip(derivatives(), plain, strict=True):
            assert (found is None) == (expected is None)
            if found is not None:
                np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)


def test_a_jacobian_seen_before_is_not_captured_again(monkeypatch):
    captured = []

    class Counted(engine.Capture):
        def __init__(self, owner=None):
            captured.append(self)
            super().__init__(owner)

    monkeypatch.setattr(engine, "Capture", Counted)
    w = tf.Variable(np.eye(3, dtype=np.float32))

    def jacobians(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.sin(x @ w)
        return tape.jacobian(y, [x, w, tf.constant(1.0)]), tape.batch_jacobian(y, x), tape.jacobian(y, x)

    for turn in range(3):
        x = np.full([2, 3], turn, np.float32)
        (by_x, by_w, nothing), rows, again = jacobians(tf.constant(x))
        expected = np.einsum("bi,ij,bc->bicj", np.cos(x), np.eye(3), np.eye(2))
        np.testing.assert_allclose(by_x, expected, rtol=1e-6)
        np.testing.assert_allclose(again, by_x)
        np.testing.assert_allclose(rows, np.einsum("bibj->bij", expected), rtol=1e-6)
        np.testing.assert_allclose(by_w, np.einsum("bi,bk,ij->bikj", np.cos(x), x, np.eye(3)), rtol=1e-6)
        assert nothing is None
    assert len(captured) == 3


# Text of other lengths


_WORDS = [f"w{number}" for number in range(100)]
_LOOKUPS = [
    {"output_sequence_length": 6}, {}, {"output_mode": "multi_hot"}, {"output_mode": "count", "ngrams": 2},
    {"output_mode": "tf_idf"},
]  # fmt: skip


def _text_batches(count):
    random = np.random.default_rng(0)
    # Each batch has another number of words, and another longest sentence.
    return [[" ".join(random.choice(_WORDS, 7 + 3 * turn + 11 * row)) for row in range(4)] for turn in range(count)]


def _compiled(function, batches):
    """What is compiled for all batches but the first."""
    for _ in range(3):  # the first sets the factors of words, too; what then runs one by one is fused the next time
        function(batches[0])
    before = engine.stats()
    for batch in batches[1:]:
        function(batch)
    after = engine.stats()
    return sum(after[name] - before[name] for name in ("programs_compiled", "kernels_compiled"))


@pytest.mark.parametrize("options", _LOOKUPS)
def test_text_of_other_lengths_compiles_nothing(options):
    layer = tf.keras.layers.TextVectorization(max_tokens=50, **options)
    layer.adapt(_WORDS)
    batches = _text_batches(11)
    assert _compiled(lambda batch: layer(tf.constant(batch)).numpy(), batches) == 0
    data = tf.data.Dataset.from_tensor_slices(sum(batches, [])).batch(4)
    assert _compiled(next, [iter(data.map(layer))] * 9) == 0


@pytest.mark.parametrize("mode", ["multi_hot", "count", "tf_idf"])
@pytest.mark.parametrize("text", [True, False])
def test_ragged_lookups_of_other_lengths_compile_nothing(mode, text):
    tokens = _WORDS if text else list(range(100))
    kind = tf.keras.layers.StringLookup if text else tf.keras.layers.IntegerLookup
    dtype = tf.string if text else tf.int64
    layer = kind(vocabulary=tokens[:50], output_mode=mode, idf_weights=[2.0] * 50 if mode == "tf_idf" else None)
    batches = [tf.ragged.constant([tokens[turn:60], tokens[: 2 * turn]], dtype) for turn in range(20, 30)]
    assert _compiled(lambda batch: layer(batch).numpy(), batches) == 0


def test_lookups_on_the_host_agree_with_those_of_a_function():
    numbers = np.random.default_rng(1).integers(0, 90, [6, 40])
    for options in (
        {}, {"mask_token": 3}, {"num_oov_indices": 3}, {"mask_token": 3, "output_mode": "multi_hot"},
        {"mask_token": 3, "output_mode": "count"},
    ):  # fmt: skip
        layer = tf.keras.layers.IntegerLookup(vocabulary=list(range(70, 5, -1)), **options)
        compiled = tf.function(layer)(tf.constant(numbers))
        found = layer(tf.constant(numbers))
        assert found.dtype == compiled.dtype
        np.testing.assert_array_equal(found, compiled)
    layer = tf.keras.layers.IntegerLookup(vocabulary=[5, 1], num_oov_indices=0)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"OOV values \[7, 9\]"):
        layer(tf.constant([5, 7, 1, 9], tf.int64))


@pytest.mark.parametrize("options", [
    {"axis": -1}, {"axis": -1, "binary_output": True, "dtype": tf.float32}, {}, {"binary_output": True},
])  # fmt: skip
@pytest.mark.parametrize("size", [30, 5])
@pytest.mark.parametrize("shape", [[3, 7], [3, 0], [0, 7], [4]])
def test_counts_on_the_host_agree_with_those_of_a_function(options, size, shape):
    options = {"minlength": size, "maxlength": size, **options}
    numbers = tf.constant(np.random.default_rng(2).integers(0, 20, shape, np.int32))
    compiled = tf.function(lambda x: tf.math.bincount(x, **options))(numbers)
    found = tf.math.bincount(numbers, **options)
    assert (found.dtype, found.shape) == (compiled.dtype, compiled.shape)
    np.testing.assert_array_equal(found, compiled)


@pytest.mark.parametrize("shape", [None, [None, 3], [2, 9], [6, None]])
def test_ragged_integers_fill_up_as_ragged_numbers_do(shape):
    rows = [[1, 2, 3, 4], [], [5], [6, 7]]
    for values in (rows, [[[x, -x] for x in row] for row in rows]):
        integers = tf.ragged.constant(values, ragged_rank=1, inner_shape=np.shape(values[0][0]))
        shape_of = shape if shape is None or values is rows else [*shape, None]
        floats = tf.cast(integers, tf.float32).to_tensor(9.0, shape=shape_of)
        found = integers.to_tensor(9, shape=shape_of)
        assert found.dtype == tf.int32
        np.testing.assert_array_equal(found, floats)
