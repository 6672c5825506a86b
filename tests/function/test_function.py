"""`tf.function`: what the behaviour table cannot say: retracing for sizes, memory, threads, JAX around it, prints."""

import copy
import functools
import gc
import inspect
import threading
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfcompat as tf
from tfcompat import engine


def is_clean():
    return engine.state.graph is engine.state.pending and engine.state.watchers == () and tf.executing_eagerly()


# --- when it is traced --------------------------------------------------------------------------------------------


def test_one_trace_for_unknown_sizes():
    w = tf.Variable([[1.0], [2.0]])
    seen = []

    @tf.custom_gradient
    def scaled(x):
        return x * 2.0, lambda dy: dy * 2.0 * tf.ones(tf.shape(x))

    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None])])
    def step(x, y):
        with tf.GradientTape() as tape:
            prediction = tf.squeeze(scaled(x) @ w, 1)
            loss = tf.reduce_sum((prediction - y) ** 2) / tf.cast(tf.shape(x)[0], tf.float32)
        seen.append([str(x.shape), str(prediction.shape), x.name, type(tf.shape(x)[0]) is type(x)])
        rows = tf.reshape(x, [tf.shape(x)[0] * 2])
        total = tf.zeros([])
        for i in tf.range(tf.shape(x)[0]):
            total += x[i, 0] * tf.cast(i, tf.float32)
        return loss, tape.gradient(loss, w), rows, total

    for size in (2, 5, 1):
        x = np.linspace(-1, 1, 2 * size).reshape(size, 2).astype(np.float32)
        y = np.ones(size, np.float32)
        loss, gradient, rows, total = step(x, y)
        error = 2 * x @ w.numpy()[:, 0] - y
        np.testing.assert_allclose(loss, np.mean(error**2), rtol=1e-5)
        np.testing.assert_allclose(gradient[:, 0], 4 * error @ x / size, rtol=1e-4, atol=1e-6)
        np.testing.assert_array_equal(rows, x.ravel())
        np.testing.assert_allclose(total, np.arange(size) @ x[:, 0], rtol=1e-5)
    assert seen == [["(None, 2)", "(None,)", "x:0", True]]
    assert step.experimental_get_tracing_count() == 1
    assert "shape=(None, 2)" in step.pretty_printed_concrete_signatures()


def test_sizes_that_symbols_do_not_do_for_are_traced_one_by_one():
    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
    def add(x, y):
        return x + y

    for a, b, result in ((3, 3, 3), (4, 4, 4), (1, 4, 4), (5, 1, 5), (0, 0, 0), (2, 2, 2)):
        assert add(tf.ones([a]), tf.ones([b])).shape == [result]
    assert add.experimental_get_tracing_count() == 4
    squeeze = tf.function(tf.squeeze, input_signature=[tf.TensorSpec([None, 3])])
    assert [squeeze(tf.ones([n, 3])).shape.as_list() for n in (2, 1, 4)] == [[2, 3], [3], [4, 3]]


def test_reduced_retracing():
    seen = []

    @tf.function(reduce_retracing=True)
    def f(x, n):
        seen.append((str(x.shape), n))
        return tf.reduce_sum(x)

    for shape, n in (([2, 3], 1), ([4, 3], 1), ([5, 3], 1), ([5, 4], 1), ([6, 7], 1), ([4, 3], 2)):
        assert float(f(tf.ones(shape), n)) == np.prod(shape)
    assert seen == [("(2, 3)", 1), ("(None, 3)", 1), ("(None, None)", 1), ("(4, 3)", 2)]


def test_a_concrete_function_for_unknown_sizes_serves_other_calls():
    f = tf.function(lambda x: tf.concat([x, x], 0) * tf.cast(tf.size(x), tf.float32))
    concrete = f.get_concrete_function(tf.TensorSpec([None, 3]))
    assert repr(concrete.structured_outputs) == "TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)"
    assert f(tf.ones([2, 3])).shape == [4, 3]
    assert concrete(tf.ones([5, 3])).shape == [10, 3]
    assert f.experimental_get_tracing_count() == 1


def test_random_numbers_of_unknown_shape():
    def drawn(**kwargs):
        tf.random.set_seed(1)
        f = tf.function(lambda x: tf.nn.dropout(x, 0.5) + tf.random.uniform(tf.shape(x)), **kwargs)
        return [f(tf.ones([3, 2])).numpy() for _ in range(2)], f

    spec = tf.TensorSpec([None, 2])
    (one, two), f = drawn(input_signature=[spec])
    np.testing.assert_array_equal([one, two], drawn()[0])
    assert f(tf.ones([4, 2])).shape == [4, 2]
    assert f.experimental_get_tracing_count() == 1


def test_python_values_of_other_types_retrace():
    @tf.function
    def f(x):
        return tf.constant(1) * x if isinstance(x, int) else tf.constant(2.0) * x

    assert [f(1).numpy(), f(1.0).numpy(), f(2).numpy()] == [1, 2.0, 2]
    assert f.experimental_get_tracing_count() == 3


def test_nan_and_signed_zero_are_values_like_others():
    @tf.function
    def f(x):
        return tf.constant(1.0) / x

    assert np.isnan(f(float("nan"))) and np.isnan(f(float("nan")))
    assert f.experimental_get_tracing_count() == 1
    assert [f(0.0).numpy(), f(-0.0).numpy()] == [np.inf, -np.inf]


def test_text_is_a_value():
    seen = []

    @tf.function
    def f(x, name):
        seen.append(name.numpy())
        return x * 2.0, name

    for name in ("a", "b", "a"):
        y, same = f(tf.constant(1.0), tf.constant(name))
        assert float(y) == 2.0 and same.numpy() == name.encode()
    assert seen == [b"a", b"b"]


def test_text_in_results():
    twice, same = tf.function(lambda a: a + a), tf.function(lambda a: a)
    a = tf.constant("a")
    assert [twice(a).numpy(), twice(a).numpy(), same(a).numpy()] == [b"aa", b"aa", b"a"]
    assert "TensorSpec(shape=(), dtype=tf.string, name=None)" in same.pretty_printed_concrete_signatures()


def test_text_variables_are_not_compiled():
    v = tf.Variable("text")
    with pytest.raises(tf.errors.UnimplementedError, match="text variable Variable:0"):
        tf.function(lambda: v.read_value()).get_concrete_function()
    assert tf.function(lambda: v.read_value())().numpy() == b"text"
    assert is_clean()


def test_arguments_must_be_hashable():
    with pytest.raises(TypeError, match="Could not generate a generic TraceType"):
        tf.function(lambda x: tf.constant(1))({1, 2})


def test_a_function_traced_for_another_trace_is_traced_again():
    """A method reads an attribute that the caller has set to a tensor of its own trace."""

    class Scaled:
        scale = None

        @tf.function
        def inner(self, y):
            return y + self.scale

        @tf.function
        def outer(self, x):
            self.scale = x * 2.0
            return self.inner(tf.constant(1.0))

    scaled = Scaled()
    assert float(scaled.outer(tf.constant(1.0))) == 3.0
    np.testing.assert_allclose(scaled.outer(tf.constant([1.0, 2.0])), [3.0, 5.0])
    assert float(scaled.outer(tf.constant(5.0))) == 11.0
    with pytest.raises(TypeError, match="is out of scope"):
        scaled.inner(tf.constant(1.0))
    assert is_clean()


def test_functools_partials_and_callable_objects():
    class Triple:
        def __call__(self, x):
            return x * 3.0

    assert float(tf.function(functools.partial(lambda a, b: a * b, tf.constant(3.0)))(tf.constant(2.0))) == 6.0
    assert float(tf.function(Triple())(tf.constant(2.0))) == 6.0
    assert float(tf.function(tf.function(lambda x: x + 1.0))(tf.constant(2.0))) == 3.0
    with pytest.raises(TypeError, match="not a callable"):
        tf.function(3)


def test_composite_arguments():
    table = tf.Variable(tf.ones([3, 2]))

    @tf.function
    def update(gradient):
        table.assign_sub(0.1 * tf.convert_to_tensor(gradient))

    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [0, 0]))
    gradient = tape.gradient(y, table)
    assert isinstance(gradient, tf.IndexedSlices)
    update(gradient)
    np.testing.assert_allclose(table, [[0.8, 0.8], [1, 1], [1, 1]], rtol=1e-6)


# --- what is left behind ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["error", "recursion"])
def test_a_trace_that_fails_leaves_nothing_behind(how):
    v = tf.Variable(1.0)

    @tf.function
    def fail(x):
        v.assign_add(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.autodiff.ForwardAccumulator(x, x):
                y = x * v
                if how == "error":
                    raise KeyError("the user's own")
                return fail(y)

    with pytest.raises(KeyError if how == "error" else RecursionError):
        fail(tf.constant(2.0))
    assert is_clean()
    assert float(v) == 1.0


def test_a_leaked_tensor_harms_only_what_is_computed_from_it(execution):
    leaked = []

    @tf.function
    def f(x):
        leaked.append(x * 2.0)
        return x

    f(tf.constant(1.0))
    good = tf.constant(3.0) * 1.5
    with pytest.raises(TypeError, match="out of scope"):
        (good + leaked[0]).numpy()
    with pytest.raises(TypeError, match="out of scope"):
        tf.function(lambda y: y + leaked[0])(tf.constant(1.0))
    with pytest.raises(AttributeError, match="no attribute 'numpy'"):
        leaked[0].numpy()
    assert float(good) == 4.5
    assert is_clean()


def test_the_signature_of_a_method_is_without_self():
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([])])
        def call(self, inputs):
            return inputs

    assert list(inspect.signature(Model().call).parameters) == ["inputs"]
    assert list(inspect.signature(Model.call).parameters) == ["self", "inputs"]


def test_methods_do_not_keep_their_instance_alive():
    class Layer(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(tf.ones([100]))

        @tf.function
        def __call__(self, x):
            return self.w * x

    layer = Layer()
    layer(tf.constant(2.0))
    method, reference = layer.__call__, weakref.ref(layer)
    del layer
    assert float(method(tf.constant(2.0))[0]) == 2.0
    del method
    assert reference() is None


def test_arguments_are_not_kept_alive():
    class Options:
        scale = 2.0

    options, variable = Options(), tf.Variable(3.0)

    @tf.function
    def f(x, options, variable):
        return x * options.scale * variable

    assert float(f(tf.constant(1.0), options, variable)) == 6.0
    references = [weakref.ref(options), weakref.ref(variable)]
    del options, variable
    gc.collect()
    assert [reference() for reference in references] == [None, None]
    assert float(f(tf.constant(1.0), Options(), tf.Variable(4.0))) == 8.0


def test_functions_made_in_a_loop_release_what_they_captured():
    def one(i):
        captured = tf.constant(np.full(2000, i, "float32"))
        return float(tf.reduce_sum(tf.function(lambda x: x * captured)(tf.ones([2000]))))

    one(0)
    gc.collect()
    live = len(jax.live_arrays())
    assert [one(i) for i in range(10)] == [2000.0 * i for i in range(10)]
    gc.collect()
    assert len(jax.live_arrays()) <= live + 1


def test_copies_have_variables_of_their_own():
    class Layer(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(2.0)
            self.scaled = tf.function(self._scaled)

        def _scaled(self, x):
            return self.w * x

        @tf.function
        def __call__(self, x):
            return self.w * x

    layer = Layer()
    x = tf.constant(1.0)
    assert [float(layer(x)), float(layer.scaled(x))] == [2.0, 2.0]
    other = copy.deepcopy(layer)
    other.w.assign(5.0)
    assert [float(other(x)), float(other.scaled(x))] == [5.0, 5.0]
    assert [float(layer(x)), float(layer.scaled(x))] == [2.0, 2.0]


# --- threads ------------------------------------------------------------------------------------------------------


def in_threads(count, work):
    results, errors = [None] * count, []

    def run(i):
        try:
            results[i] = work(i)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not errors
    return results


def test_threads_share_one_trace():
    traces, created = [], []

    @tf.function
    def f(x):
        traces.append("trace")
        if not created:
            created.append(tf.Variable(2.0))
        return tf.reduce_sum(x * created[0])

    assert in_threads(4, lambda i: float(f(tf.constant([1.0, float(i)])))) == [2.0, 4.0, 6.0, 8.0]
    assert len(created) == 1
    assert len(traces) == 2  # as in TensorFlow, the second one tells that nothing is created again


def test_a_thread_traces_while_another_runs_eagerly():
    def work(i):
        if i % 2:
            return [tf.executing_eagerly() and float(tf.constant(1.0) + k) for k in range(50)]
        return [float(tf.function(lambda x, k=k: x + k)(tf.constant(1.0))) for k in range(5)]

    results = in_threads(4, work)
    assert results[0] == results[2] == [1.0 + k for k in range(5)]
    assert results[1] == results[3] == [1.0 + k for k in range(50)]


# --- JAX around it ------------------------------------------------------------------------------------------------

W = np.float32([[1.0, 2.0], [3.0, 4.0]])


@tf.function
def loss(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.sin(x @ W) ** 2)
    return y + tf.reduce_sum(tape.gradient(y, x) ** 2)


def reference(x):
    def y(x):
        return jnp.sum(jnp.sin(x @ W) ** 2)

    return y(x) + jnp.sum(jax.grad(y)(x) ** 2)


@pytest.mark.parametrize("transformation", ["jit", "grad", "jacfwd", "vmap", "hessian"])
def test_jax_transforms_functions(transformation):
    transform = getattr(jax, transformation)
    x = np.float32([[0.1, 0.2], [0.3, -0.4]])
    x = x[None] if transformation == "vmap" else x
    got = transform(lambda x: loss(x).__jax_array__())(x)
    np.testing.assert_allclose(got, transform(reference)(x), rtol=2e-4, atol=1e-4)


def test_control_flow_on_tracers():
    def f(x):
        y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: x)
        return tf.while_loop(lambda y: tf.reduce_sum(y) < 10.0, lambda y: [y * 2.0], [y])[0]

    np.testing.assert_allclose(jax.jit(f)(jnp.float32(3.0)).numpy(), 12.0)
    np.testing.assert_allclose(jax.grad(lambda x: f(x).__jax_array__())(jnp.float32(3.0)), 4.0)


def test_tensors_are_trees_of_one_array():
    x = tf.constant([1.0, 2.0])
    np.testing.assert_allclose(jnp.sin(x), np.sin([1.0, 2.0]), rtol=1e-6)
    result = jax.jit(lambda x: {"y": tf.sin(x) * 2.0})(x)
    assert isinstance(result["y"], tf.Tensor)
    assert isinstance(jax.vmap(tf.reduce_sum)(tf.ones([2, 3])), tf.Tensor)
    doubled = jax.tree.map(lambda leaf: leaf * 2, {"x": x, "y": [x]})
    np.testing.assert_allclose(doubled["y"][0], [2.0, 4.0])


# --- prints and assertions ----------------------------------------------------------------------------------------


def test_prints_when_it_is_called(capsys):
    @tf.function
    def inner(x):
        tf.print("inner", x)
        return x + 1.0

    @tf.function
    def outer(x):
        tf.print("start")
        y = inner(x)
        tf.print("y", y, {"text": "a", "twice": y * 2.0})
        return y

    for value in (1.0, 2.0):
        outer(tf.constant(value))
    expected = "start\ninner 1\ny 2 {'text': 'a', 'twice': 4}\nstart\ninner 2\ny 3 {'text': 'a', 'twice': 6}\n"
    assert capsys.readouterr().err == expected


def test_prints_in_branches_and_loops_come_in_order(capsys):
    @tf.function
    def count(n):
        tf.print("start")
        for i in tf.range(n):
            if i % 2 == 0:
                tf.print("even", i)
            else:
                tf.print("odd", i)
            twice(i)
        tf.print("end")
        return n + 1

    @tf.function
    def twice(i):
        tf.print("twice", 2 * i)
        return tf.cond(i > 1, lambda: (tf.print("large"), i)[1], lambda: i)

    @tf.function
    def both(n):
        n = count(n)
        tf.print("between")
        count(n)

    both(tf.constant(2))
    once = ["even 0", "twice 0", "odd 1", "twice 2"]
    expected = ["start", *once, "end", "between", "start", *once, "even 2", "twice 4", "large", "end"]
    assert capsys.readouterr().err.split("\n")[:-1] == expected


def test_derivatives_do_not_print_again(capsys):
    @tf.function
    def f(x, n):
        for i in tf.range(n):
            tf.print("turn", i)
            x = x * x
        return x

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(2))
    assert float(tape.gradient(y, x)) == 32.0
    assert capsys.readouterr().err == "turn 0\nturn 1\n"


def test_prints_under_jit(capsys):
    @tf.function
    def f(x):
        for i in tf.range(2):
            tf.print("turn", i)
            x = x + 1.0
        return x

    assert float(jax.jit(lambda x: f(x).__jax_array__())(jnp.float32(1.0))) == 3.0
    jax.effects_barrier()
    assert capsys.readouterr().err == "turn 0\nturn 1\n"


def test_prints_in_mapped_functions_are_refused():
    @tf.function
    def f(x):
        return tf.vectorized_map(lambda v: (tf.print(v), v)[1], x)

    with pytest.raises(tf.errors.UnimplementedError, match="prints"):
        f(tf.ones([2]))
    assert is_clean()


# --- calls back to Python -----------------------------------------------------------------------------------------


def test_python_is_called_once_each_time():
    seen = []

    def cube(x):
        seen.append(float(x))
        return x**3

    @tf.function
    def f(x):
        return tf.py_function(cube, [x], tf.TensorSpec([], tf.float32)) * x

    for value in (2.0, 3.0):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert float(tape.gradient(y, x)) == 4 * value**3
        assert seen.count(value) == 2  # forward, and under the tape that differentiates
        seen.clear()
        f(x)
        assert seen == [value]
        seen.clear()


def test_shapes_of_called_functions():
    @tf.function
    def f(x):
        given = tf.numpy_function(lambda v: np.repeat(v, 2), [x], tf.TensorSpec([4], tf.float32))
        tried = tf.numpy_function(lambda v: np.repeat(v, 2), [x], tf.float32)
        return given, tried

    a, b = f(tf.constant([1.0, 2.0]))
    assert a.numpy().tolist() == b.numpy().tolist() == [1.0, 1.0, 2.0, 2.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="has shape"):
        tf.function(lambda x: tf.numpy_function(np.sin, [x], tf.TensorSpec([3], tf.float32)))(tf.ones([2]))
    with pytest.raises(tf.errors.UnimplementedError, match="give Tout as tf.TensorSpec"):
        tf.function(lambda x: tf.numpy_function(np.sin, [x], tf.float32)).get_concrete_function(tf.ones([2]))


def test_called_functions_whose_shapes_are_unknown_are_called_no_more_often():
    calls = []

    @tf.py_function(Tout=[tf.float32, tf.int32])
    def counted(x):
        calls.append(float(x))
        return x / x, len(calls)

    @tf.function
    def f(x):
        return counted(x)

    assert [[float(y) for y in f(tf.constant(x))] for x in (3.0, 5.0)] == [[1.0, 1.0], [1.0, 2.0]]
    assert calls == [3.0, 5.0]
    with pytest.raises(TypeError, match="Don't set the `inp` argument"):
        tf.py_function(inp=[1.0], Tout=tf.float32)
    with pytest.raises(TypeError, match="as a decorator, set `Tout`"):
        tf.numpy_function(inp=[1.0])
    assert is_clean()


def test_called_functions_compute_with_tensors():
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    @tf.function
    def f(x):
        y = tf.py_function(lambda v: tf.linalg.matvec(w, v), [x], tf.TensorSpec([2], tf.float32))
        return tf.reduce_sum(y * y)

    x = tf.constant([1.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        pending = tf.ones([200, 200]) @ tf.ones([200, 200])
        y = f(x)
    assert float(y) == 58.0 and float(pending[0, 0]) == 200.0
    np.testing.assert_allclose(tape.gradient(y, x), [48.0, 68.0])


def test_prints_come_before_the_assertion_that_fails(capsys):
    @tf.function
    def f(x):
        tf.print("seen", x)
        tf.debugging.assert_positive(x)
        return x

    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x > 0"):
        f(tf.constant(-1.0))
    assert capsys.readouterr().err == "seen -1\n"


# --- what must be known while tracing -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "function"),
    [
        (tf.errors.UnimplementedError, lambda n: tf.cond(n > 0, lambda: tf.ones([1]), lambda: tf.ones([2]))),
        (TypeError, lambda n: tf.zeros([n])),
        (TypeError, lambda n: tf.reshape(tf.ones([4]), [n, -1])),
        (TypeError, lambda n: tf.reduce_sum(tf.ones([2, 2]), n)),
        (TypeError, lambda n: tf.ones([4])[:n]),
        (tf.errors.UnimplementedError, lambda n: tf.range(n)),
        (tf.errors.UnimplementedError, lambda n: tf.where(tf.constant([1, 2]) > n)),
        (tf.errors.UnimplementedError, lambda n: tf.boolean_mask(tf.ones([2]), tf.constant([1, 2]) > n)),
        (tf.errors.UnimplementedError, lambda n: tf.unique(tf.stack([n, n]))),
    ],
)
def test_sizes_that_depend_on_values_are_not_compiled(error, function, caplog):
    n, of_integer = tf.constant(1.0), function
    function = lambda n: of_integer(tf.cast(n, tf.int32))  # noqa: E731
    with pytest.raises(error, match="known|symbolic|static"):
        tf.function(function).get_concrete_function(n)
    inner = tf.function(function, jit_compile=True)
    outer = tf.function(lambda n: inner(n))
    for result, expected in zip(tf.nest.flatten(outer(n)), tf.nest.flatten(function(n)), strict=True):
        np.testing.assert_array_equal(result, expected)
    outer(n)
    assert sum("tf.function <lambda> runs as plain Python" in message for message in caplog.messages) == 2
    assert is_clean()


def test_what_is_not_compiled_differentiates_and_keeps_state():
    calls, v = tf.Variable(0), tf.Variable(2.0)

    @tf.function
    def f(x):
        calls.assign_add(1)
        kept = tf.boolean_mask(x, x > 0.0)
        if tf.size(kept) > 1:
            kept = kept * v
        return tf.reduce_sum(kept**2)

    for x, gradient, by in (([1.0, -1.0, 3.0], [8.0, 0.0, 24.0], 40.0), ([-1.0, 5.0, -2.0], [0.0, 10.0, 0.0], None)):
        x = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        found = tape.gradient(y, [x, v])
        np.testing.assert_array_equal(found[0], gradient)
        assert (found[1] if by is None else float(found[1])) == by
    assert int(calls) == 2
    with pytest.raises(tf.errors.UnimplementedError, match="known while a function is traced"):
        jax.jit(lambda x: jnp.asarray(f(x)))(jnp.ones(3))


def test_assignments_where_they_cannot_be_kept_are_refused():
    v = tf.Variable(1.0)
    with pytest.raises(tf.errors.UnimplementedError, match="assign"):
        tf.vectorized_map(v.assign_add, tf.ones([3]))
    with pytest.raises(tf.errors.UnimplementedError, match="assign"):
        tf.function(lambda x: tf.vectorized_map(v.assign_add, x))(tf.ones([3]))
    with pytest.raises(tf.errors.UnimplementedError, match="assign"):
        tf.recompute_grad(lambda x: tf.vectorized_map(v.assign_add, x))(tf.ones([3]))
    assert float(v) == 1.0
    assert is_clean()


@pytest.mark.parametrize("decorator", [lambda f: f, tf.function])
def test_what_is_recomputed_assigns_once(decorator):
    v, calls = tf.Variable(1.0), tf.Variable(0, trainable=False)

    def count(x):
        calls.assign_add(1)
        return x * tf.cast(calls, tf.float32)

    @decorator
    def f(x):
        with tf.GradientTape() as tape:
            y = tf.recompute_grad(lambda x: count(tf.recompute_grad(count)(x * v)))(x)
            v.assign(y)
        return y, v * 1.0, tape.gradient(y, v)

    assert [float(x) for x in f(tf.constant(3.0))] == [6.0, 6.0, 6.0]
    assert [float(x) for x in f(tf.constant(1.0))] == [72.0, 72.0, 12.0]
    assert int(calls) == 4
    assert is_clean()


def test_a_tape_used_up_in_captured_code_sees_no_more():
    def vectorized(tape, y, x):
        return tf.vectorized_map(lambda k: tape.gradient(y, x) * k, tf.constant([1.0]))[0]

    def function(tape, y, x):
        return tf.function(lambda: tape.gradient(y, x))()

    for gradient in (vectorized, function):
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            np.testing.assert_array_equal(gradient(tape, x * x, x), [2.0, 4.0])
        assert is_clean()


# --- long loops ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turns", [0, 1, 63, 64, 65, 5000])
def test_gradients_of_loops_of_any_length(turns):
    @tf.function
    def f(x, n):
        return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), [0, tf.ones_like(x)])[1]

    x = tf.constant(1.0 + 1e-4, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(turns))
    np.testing.assert_allclose(y, 1.0001**turns, rtol=1e-10)
    np.testing.assert_allclose(tape.gradient(y, x), turns * 1.0001 ** (turns - 1), rtol=1e-8)


def test_shapes_given_as_tensors():
    """Small integer tensors whose values are known are taken for Python values where the trace needs them."""
    count = 0

    @tf.function
    def filled(shape, value):
        nonlocal count
        count += 1
        return tf.fill(shape, value) * tf.ones(shape)

    @tf.function
    def outer(value):
        return tf.reduce_sum(filled(tf.constant([2, 3]), value))

    assert filled(tf.constant([2, 3]), tf.constant(1.5)).shape == (2, 3)
    before = count
    assert filled(tf.constant([2, 3]), tf.constant(2.5)).numpy()[0, 0] == 2.5
    assert count == before
    assert filled(tf.constant([4]), tf.constant(1.5)).shape == (4,)
    assert float(outer(tf.constant(2.0))) == 12.0
    concrete = filled.get_concrete_function(tf.constant([3]), tf.TensorSpec([]))
    assert concrete.structured_outputs == tf.TensorSpec([3])
    np.testing.assert_array_equal(concrete(tf.constant([3]), tf.constant(1.0)), np.ones(3))


def test_concrete_functions_of_text():
    @tf.function
    def double(a):
        return a + a

    concrete = double.get_concrete_function(tf.constant("a"))
    assert [concrete(tf.constant(x)).numpy() for x in ("a", "b")] == [b"aa", b"bb"]
    assert concrete(a=tf.constant("c")).numpy() == b"cc"
    assert concrete.structured_input_signature == ((tf.TensorSpec([], tf.string, name="a"),), {})
    assert double.get_concrete_function(tf.TensorSpec([], tf.string))(tf.constant("d")).numpy() == b"dd"
    with pytest.raises(tf.errors.InvalidArgumentError):
        concrete(tf.constant(1))


def test_arguments_that_are_found_at_once_are_told_apart():
    traces = []

    @tf.function
    def f(x, scale=1, negative=False, *, shift=None):
        traces.append((scale, negative))
        x = tf.cast(x, tf.float32) * float(scale)
        x = x if shift is None else x + shift
        return -x if negative else x

    array = np.arange(3, dtype="float32")
    for _ in range(3):
        for x in (array, tf.constant(array)):  # an array is traced as the tensor is
            np.testing.assert_array_equal(f(x), array)
            np.testing.assert_array_equal(f(x, 2), 2 * array)
            np.testing.assert_array_equal(f(x, 1, True), -array)
            np.testing.assert_array_equal(f(x, negative=1), -array)
            np.testing.assert_array_equal(f(x, shift=tf.constant(5.0), scale=2), 2 * array + 5)
            np.testing.assert_array_equal(f(x, 2, shift=tf.constant(7.0)), 2 * array + 7)
            np.testing.assert_array_equal(np.signbit(f(x, 0.0)), [False] * 3)
            np.testing.assert_array_equal(np.signbit(f(x, -0.0)), [True] * 3)
        np.testing.assert_array_equal(f(array.astype("int64")), array)
        np.testing.assert_array_equal(f(tf.Variable(array), 3), 3 * array)
    assert len(traces) == 9


def test_tensors_given_by_name_keep_their_places():
    @tf.function
    def f(x, y):
        return x - y

    one, two = tf.constant(1.0), tf.constant(2.0)
    for _ in range(3):
        assert float(f(x=one, y=two)) == -1.0
        assert float(f(y=one, x=two)) == 1.0
        assert float(f(two, y=one)) == 1.0
        assert float(f(one, two)) == -1.0
