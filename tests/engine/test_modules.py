"""Modules: programs that one process lowers, and later ones compile as they are."""

import functools
import os
import subprocess
import sys

import jax
import numpy as np
import pytest

import tfcompat as tf
from tfcompat import engine, extend
from tfcompat.engine import _policy, _program
from tfcompat.engine.compile import modules, tiers

pytestmark = pytest.mark.usefixtures("compiled_at_once")
X = np.linspace(-1, 1, 24).reshape(4, 6)


@pytest.fixture
def program_of(tmp_path, monkeypatch, steer):
    """A function that gives the `Program` which computes a tensor, and arrays for it; modules are kept in a folder."""
    engine.cut()  # what an earlier test has recorded and nobody has read is no part of these programs
    monkeypatch.setattr(modules, "_folder", tmp_path)
    steer(_policy.KEEPING, module_equations=1)
    ran = []

    def noting(self, arrays, rescued, original=_program.Program._compile_in_tiers):
        ran.append((self, [np.asarray(array) for array in arrays]))
        return original(self, arrays, rescued)

    monkeypatch.setattr(_program.Program, "_compile_in_tiers", noting)

    def make(compute):
        for tensor in tf.nest.flatten(compute()):
            tensor.numpy()
        return max(ran, key=lambda found: len(found[0].steps))

    return make


def _gradients(function, *values):
    values = list(map(tf.Variable, values))
    with tf.GradientTape() as tape:
        result = function(*values)
    return tape.gradient(result, values)


@tf.function
def _halved(x, n):
    while n > 0:
        x, n = x / 2, n - 1
    return x


def _trained():
    optimizer, w = tf.keras.optimizers.Adam(0.1), tf.Variable(X.astype("f4"))
    optimizer.apply_gradients([(tf.sin(w), w)])
    return w.read_value()


CASES = {
    "dense": lambda: _gradients(lambda w: tf.reduce_sum(tf.tanh(tf.tanh(X @ w) @ w)), X.T @ X),
    "float32": lambda: tf.nn.softmax(tf.constant(X.astype("f4"))) @ tf.ones([6, 2]),
    "complex": lambda: tf.signal.fft(tf.cast(tf.constant(X), tf.complex128)) * 1j,
    "integers": lambda: tf.math.floormod(tf.cast(tf.constant(X * 100), tf.int64), 7) // 2,
    "several results": lambda: list(tf.math.top_k(tf.constant(X), 2)) + list(tf.unique([3, 1, 3])),
    "one result of several": lambda: tf.split(tf.sin(tf.constant(X)), 3, 1)[1],
    "images": lambda: _gradients(lambda x, w: tf.reduce_sum(tf.nn.conv2d(x, w, 1, "SAME") ** 2),
                                  X.reshape(1, 4, 3, 2), X[:2].reshape(2, 1, 2, 3)),
    "a loop": lambda: _halved(tf.constant(X), tf.constant(3)),
    "a gradient through a loop": lambda: _gradients(lambda x: tf.reduce_sum(_halved(x, tf.constant(3)) ** 2), X),
    "random numbers": lambda: tf.random.stateless_normal([3, 4], [1, 2]) * 2,
    "an optimizer": _trained,
    "bfloat16": lambda: tf.cast(tf.constant(X), tf.bfloat16) * 3 + 1,
    "no elements": lambda: tf.concat([tf.sin(tf.zeros([0, 3])), tf.cos(tf.ones([2, 3]))], 0),
}  # fmt: skip


def _results(module, arrays):
    with jax.enable_x64(True):
        return jax.tree.map(np.asarray, tiers.full(module, ())(*arrays))


def _fails(*_):
    raise AssertionError("the program is traced")


@pytest.mark.parametrize("case", CASES)
def test_a_module_gives_what_its_program_gives(case, program_of, tmp_path):
    program, arrays = program_of(CASES[case])
    expected = _results(program.replay, arrays)
    found = modules.Module(program)
    assert list(tmp_path.glob(f"*{modules.SUFFIX}")) and found._bytecode
    found.__wrapped__ = _fails
    results = _results(found, arrays)
    assert jax.tree.structure(results) == jax.tree.structure(expected)
    for result, value in zip(jax.tree.leaves(results), jax.tree.leaves(expected), strict=True):
        assert result.dtype == value.dtype
        np.testing.assert_allclose(result, value, rtol=1e-6, atol=1e-12)
    facts = tiers.facts(modules.Module(program).jaxpr([jax.ShapeDtypeStruct(x.shape, x.dtype) for x in arrays]))
    assert found.facts(arrays) == facts


def test_on_another_platform_the_program_itself_is_lowered(program_of, monkeypatch):
    program, arrays = program_of(lambda: list(tf.math.top_k(tf.sin(tf.constant(X)), 2)))
    module = modules.Module(program)
    assert module._bytecode
    monkeypatch.setattr(modules, "_platforms", lambda: {"cuda"})
    module._bytecode = b"of another platform"
    for result, value in zip(*[jax.tree.leaves(_results(f, arrays)) for f in (module, program.replay)], strict=True):
        np.testing.assert_array_equal(result, value)


def _of_users():
    @extend.op("my.spread", kernel="Spread", tensors=("x",), dtypes=extend.FLOATING)
    def spread(x):
        return x - jax.numpy.mean(x)

    return spread(tf.cos(tf.constant(X))) * 2


@pytest.mark.parametrize(
    "compute",
    [
        lambda: tf.linalg.cholesky(tf.constant(X @ X.T + np.eye(4))) * 2,  # LAPACK has to be loaded
        _of_users,
    ],
    ids=["LAPACK", "an operation of the user's"],
)
def test_what_another_process_could_not_run_or_tell_is_not_kept(compute, program_of, tmp_path):
    program, arrays = program_of(compute)
    module = modules.Module(program)
    results, expected = _results(module, arrays), _results(program.replay, arrays)
    assert module._bytecode is None
    for result, value in zip(jax.tree.leaves(results), jax.tree.leaves(expected), strict=True):
        np.testing.assert_array_equal(result, value)


def test_small_programs_are_not_kept(program_of, steer, tmp_path):
    steer(_policy.KEEPING, module_equations=4)
    program_of(lambda: tf.sin(tf.cos(tf.constant(X))))
    assert not list(tmp_path.iterdir())
    program_of(lambda: tf.tan(tf.sin(tf.cos(tf.sin(tf.constant(X))))))
    assert list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "damaged",
    [lambda text: b"", lambda text: text[:-9], lambda text: text.replace(b"ML", b"LM", 1), lambda text: b"[1]\n",
     lambda text: text[text.index(b"\n") :], lambda text: b"\xff" * len(text)],
)  # fmt: skip
def test_a_damaged_module_is_replaced(damaged, program_of, tmp_path):
    program, arrays = program_of(lambda: tf.tan(tf.sin(tf.constant(X))))
    (file,) = tmp_path.iterdir()
    text = file.read_bytes()
    file.write_bytes(damaged(text))
    module = modules.Module(program)
    assert module._bytecode is None
    np.testing.assert_array_equal(_results(module, arrays)[0], _results(program.replay, arrays)[0])
    assert file.read_bytes() == text


def test_settings_of_jax_tell_modules_apart(program_of):
    program, _ = program_of(lambda: tf.constant(X) @ tf.constant(X.T) + 1)
    known = modules.Module(program)._file
    with jax.default_matmul_precision("float32"):
        assert modules.Module(program)._file != known
    assert modules.Module(program)._file == known


@tf.function
def _checked(x, i):
    for _ in tf.range(2):
        x = tf.gather(x, i) + tf.cast(tf.constant(6) // i[0], tf.float64)
    return x


def test_conditions_are_known_of_a_module(program_of, monkeypatch):
    program, arrays = program_of(lambda: _checked(tf.constant(X), tf.constant([2, 1, 0, 3])))
    monkeypatch.setattr(tf.engine.conditions, "sites", {})
    found = modules.Module(program)
    assert found._bytecode
    messages = sorted(site.text for site in tf.engine.conditions.sites.values())
    assert len(messages) == 2 and "is not in" in "".join(messages) and "by zero" in "".join(messages)


@pytest.mark.parametrize("transform", [jax.jit, jax.vmap, jax.grad], ids=lambda transform: transform.__name__)
def test_transforms_of_the_users(transform, program_of):
    def compute(x):
        return tf.reduce_sum(tf.tanh(tf.sin(x) * 2.0))

    program_of(lambda: compute(tf.constant(np.float32(0.5))))
    x = np.float32([0.5, 0.25]) if transform is jax.vmap else np.float32(0.5)
    result = transform(lambda x: compute(tf.convert_to_tensor(x)).__jax_array__())(x)
    expected = transform(lambda x: jax.numpy.tanh(jax.numpy.sin(x) * 2.0).sum())(x)
    np.testing.assert_allclose(result, expected, rtol=1e-6)


@pytest.mark.parametrize("transform", [jax.vmap, jax.grad], ids=lambda transform: transform.__name__)
def test_a_module_is_replayed_where_jax_transforms_it(transform, program_of):
    program, arrays = program_of(lambda: tf.tan(tf.sin(tf.constant(X.astype("f4")))))
    function = jax.jit(modules.Module(program))

    def total(*arrays):
        return _program.execute(function, arrays)[0].sum()

    arrays = [jax.numpy.asarray(array) for array in arrays]
    expected = transform(lambda *arrays: program.replay(*arrays)[0].sum())(*arrays)
    np.testing.assert_allclose(transform(total)(*arrays), expected, rtol=1e-6)


def test_a_second_process_neither_traces_nor_lowers(tmp_path):
    program = """
import sys
import numpy as np
import tfcompat as tf
from tfcompat.engine import _program
from tfcompat.engine.compile import modules
if sys.argv[1] == "again":
    def fails(*_):
        raise AssertionError("the program is traced")
    _program.Program._replay = modules.Module._lower = fails
w = tf.Variable(np.linspace(-1, 1, 36).reshape(6, 6))
for step in range(5):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.tanh(tf.tanh(w @ w) @ w))
        slope = inner.gradient(y, w)
        loss = tf.reduce_mean(slope**2) + y
    w.assign_sub(0.1 * outer.gradient(loss, w))
    print(loss.numpy())
print(w.numpy())
try:
    tf.gather(tf.sin(w), tf.cast(tf.cos(w[0]) * 0 + 7, tf.int32)).numpy()
except tf.errors.InvalidArgumentError as error:
    print(error)
"""
    environment = os.environ | {"TFCOMPAT_CACHE": str(tmp_path), "TFCOMPAT_TIERS": "compiled"}
    run = functools.partial(subprocess.run, env=environment, capture_output=True, text=True)
    first, again = [run([sys.executable, "-c", program, word]) for word in ("first", "again")]
    assert not first.returncode, first.stderr
    assert not again.returncode, again.stderr
    assert first.stdout == again.stdout
    assert first.stdout.count("\n") > 5 and "= 7 is not in [0, 6)" in first.stdout
