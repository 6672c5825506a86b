"""AutoGraph: what the behaviour table cannot say: what is imported and kept, tracebacks, JAX around it, long loops."""

import subprocess
import sys
import tempfile
import traceback

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfcompat as tf
from tfcompat.autograph import _conversion, _plain


def magnitude(x):
    if x > 0.0:
        return x
    return -x


def test_nothing_is_converted_before_it_must_be():
    program = """
import sys
import tfcompat as tf
w = tf.Variable(2.0)

def plain(x):
    with tf.GradientTape() as tape:
        y = tf.sin(x) * w + x[..., 0]
    return y, tape.gradient(y, w)

tf.function(plain)(tf.ones([2]))
assert "malt" not in sys.modules
tf.function(lambda x: x if x > 0.0 else -x)(tf.constant(1.0))
assert "malt" in sys.modules
"""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(program)
        file.flush()
        subprocess.run([sys.executable, file.name], check=True, timeout=300)


def _calls(f, x):
    return f(x)


@pytest.mark.parametrize(
    ("function", "plain"),
    [
        (lambda x: tf.sin(x) * 2.0, True),
        (lambda x: x.shape, True),
        (lambda x: x > 0.0 and x, False),
        (lambda x: not x, False),
        (lambda x: magnitude(x), False),
        (lambda x: len(x), False),
        (lambda x: [y for y in x], False),
        (lambda x: tf.map_fn(lambda y: y, x), False),
        (_calls, True),
        (magnitude, False),
    ],
)
def test_which_functions_are_converted(function, plain):
    assert _plain.is_plain(function, (tf.constant(1.0),), {}) == plain
    assert not _plain.is_plain(function, (magnitude,), {})


def test_conversion_is_kept_for_all_closures(monkeypatch):
    made = []
    factory = _conversion._Factory
    monkeypatch.setattr(_conversion, "_Factory", lambda *args: made.append(args) or factory(*args))

    def scaled(factor):
        @tf.function
        def f(x):
            return x * factor if x > 0.0 else x

        return f

    assert [float(scaled(k)(tf.constant(1.0))) for k in (1.0, 2.0, 3.0)] == [1.0, 2.0, 3.0]
    assert len(made) == 1


def test_traceback_shows_the_users_lines():
    def fail(x):
        for _ in tf.range(3):
            if x > 0.0:
                tf.matmul(x, x)
        return x

    with pytest.raises(ValueError, match="in user code:") as caught:
        tf.function(fail)(tf.constant(1.0))
    lines = [frame.line for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert "for _ in tf.range(3):" in lines
    assert "tf.matmul(x, x)" in lines
    assert str(caught.value).count("in user code:") == 1


def test_own_exceptions_are_the_same_object_with_a_note():
    class Own(Exception):
        def __init__(self, code, text):
            super().__init__(code, text)
            self.code = code

    error = Own(7, "text")

    @tf.function
    def inner(x):
        if x.shape.rank == 0:
            raise error
        return x

    with pytest.raises(Own) as caught:
        tf.function(lambda x: inner(x))(tf.constant(1.0))
    assert caught.value is error and error.code == 7
    assert len(error.__notes__) == 1 and "in inner" in error.__notes__[0]


def test_lists_of_tensors_are_refused():
    @tf.function(experimental_autograph_options=tf.autograph.experimental.Feature.LISTS)
    def f(x):
        return [x]

    with pytest.raises(tf.errors.UnimplementedError, match="LISTS"):
        f(tf.constant(1.0))


def test_objects_that_depend_on_a_tensor_are_refused():
    @tf.function
    def f(x):
        name = np.sin if x > 0.0 else np.cos
        return x, name

    with pytest.raises(TypeError, match="only tensors and numbers may depend"):
        f(tf.constant(1.0))


@tf.function
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@tf.function
def horner(x, coefficients):
    y = 0.0
    for c in coefficients:
        y = y * x + c
        if y > 1e6:
            break
    return y


def test_jax_transforms_converted_functions():
    np.testing.assert_array_equal(
        jax.jit(jax.vmap(lambda n: collatz(n).__jax_array__()))(jnp.int32([1, 6, 27])), [0, 8, 111]
    )
    c = jnp.float32([1.0, 2.0, 3.0])
    value, slope = jax.value_and_grad(lambda x: horner(x, c).__jax_array__())(jnp.float32(2.0))
    assert (value, slope) == (11.0, 6.0)


def test_long_loops_over_rows_have_gradients():
    @tf.function
    def f(x, n):
        y = tf.ones_like(x[0])
        for row in x:
            y = y * row
            if y > n:
                break
        return y

    x = tf.constant(np.full(3000, 1.001))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(2.0, tf.float64))
    gradient = tape.gradient(y, x).numpy()
    turns = int(np.ceil(np.log(2.0) / np.log(1.001)))
    np.testing.assert_allclose(y, 1.001**turns, rtol=1e-10)
    np.testing.assert_allclose(gradient[:turns], 1.001 ** (turns - 1), rtol=1e-8)
    assert not gradient[turns:].any()


def test_growing_in_a_loop_of_unknown_length_is_traced_once(caplog):
    traces = []

    @tf.function
    def array(n):
        traces.append("array")
        cells = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            cells = cells.write(i, i)
        return cells.stack()

    @tf.function
    def shape(n):
        traces.append("shape")
        x = tf.ones([1])
        while n > 0:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.concat([x, x], 0)
            n -= 1
        return x

    for n in (3, 5, 3, 0):
        np.testing.assert_array_equal(array(tf.constant(n)), np.arange(n))
        np.testing.assert_array_equal(shape(tf.constant(n)), np.ones(2**n))
    assert sorted(traces) == ["array", "shape"]
    assert not any("plain Python" in message for message in caplog.messages)
    assert shape.get_concrete_function(tf.constant(1)).structured_outputs.shape.as_list() == [None]


def test_a_loop_that_grows_is_interpreted_as_it_is_recorded():
    @tf.function
    def f(x, n):
        while n > 0:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            if tf.reduce_sum(x) > 2.0:
                x = tf.concat([x, [tf.sin(tf.reduce_mean(x))]], 0)
            else:
                x = tf.concat([x, x + 0.1], 0)
            n -= 1
        return x

    x, n = tf.constant([0.3, 0.4]), tf.constant(6)
    with tf.GradientTape() as tape:  # records each call
        tape.watch(x)
        recorded = f(x, n)
    np.testing.assert_allclose(f(x, n), recorded, rtol=1e-6)


def test_verbosity(caplog, capsys):
    tf.autograph.set_verbosity(1, alsologtostdout=True)
    try:
        with caplog.at_level("INFO", logger="tensorflow"):
            tf.function(lambda x: x if x > 2.0 else -x)(tf.constant(1.0))
    finally:
        tf.autograph.set_verbosity(0)
    assert "Converted <function" in caplog.text
    assert "ag__.if_exp" in capsys.readouterr().out


def test_saved_and_loaded(tmp_path):
    class Module(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)])
        def f(self, x, n):
            total = tf.zeros([])
            for v in x:
                total += v if v > 0.0 else 0.0
            while n > 0:
                total *= 2.0
                n -= 1
            return total

    module = Module()
    x, n = tf.constant([1.0, -2.0, 3.0]), tf.constant(2)
    assert float(module.f(x, n)) == 16.0
    tf.saved_model.save(module, str(tmp_path / "saved"))
    assert float(tf.saved_model.load(str(tmp_path / "saved")).f(x, n)) == 16.0


def test_a_file_that_has_changed_since_is_not_taken_for_the_source(tmp_path, caplog):
    path = tmp_path / "changing.py"
    path.write_text("def f(x):\n    return x + 1.0 if x is not None else None\n")
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    path.write_text("def other(x):\n    return x + 2.0\n")
    assert float(tf.function(lambda x: scope["f"](x))(tf.constant(1.0))) == 2.0
    assert "the file has changed since it was imported" in caplog.text


def test_names_that_end_in_a_number():
    def halved_0_1(x):
        if tf.reduce_sum(x) > 1.0:
            x = x / 2.0
        return x

    @tf.function
    def step_2(x):
        return halved_0_1(halved_0_1(x))

    assert [float(step_2(tf.constant(x))) for x in (8.0, 1.5, 0.5)] == [2.0, 0.75, 0.5]
