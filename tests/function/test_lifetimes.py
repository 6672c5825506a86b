"""What traces of `tf.function` leave behind and keep alive; and threads."""

import copy
import gc
import inspect
import threading
import weakref

import jax
import numpy as np
import pytest

import tfcompat as tf
from function._clean import is_clean


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
