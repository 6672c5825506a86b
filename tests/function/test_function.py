"""`tf.function`: when it is traced, and under which arguments a trace is found again."""

import functools

import numpy as np
import pytest

import tfcompat as tf
from function._clean import is_clean


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


def test_nan_is_a_value_like_others():
    @tf.function
    def f(x):
        return tf.constant(1.0) / x

    assert np.isnan(f(float("nan"))) and np.isnan(f(float("nan")))
    assert f.experimental_get_tracing_count() == 1


def test_text_in_results():
    twice, same = tf.function(lambda a: a + a), tf.function(lambda a: a)
    a = tf.constant("a")
    assert [twice(a).numpy(), twice(a).numpy(), same(a).numpy()] == [b"aa", b"aa", b"a"]
    assert "TensorSpec(shape=(), dtype=tf.string, name=None)" in same.pretty_printed_concrete_signatures()


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
            np.testing.assert_array_equal(np.signbit(f(x, -0.0)), [False] * 3)  # the trace of an equal number
        np.testing.assert_array_equal(f(array.astype("int64")), array)
        np.testing.assert_array_equal(f(tf.Variable(array), 3), 3 * array)
    assert len(traces) == 7


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
