"""tf.random beyond the recorded numbers in cases/random.py: streams, what compiles, distributions."""

import functools
import gc
import random
import threading

import jax
import numpy as np
import pytest
import scipy  # whose modules are imported when they are asked for

import tfcompat as tf
from tfcompat import engine
from tfcompat.random import _keras_seed, _on_host, _operations, _philox, _seed

COUNT = 20_000


# Streams


def test_the_same_seed_gives_the_same_numbers(execution):
    tf.random.set_seed(3)
    first = [tf.random.normal([4]).numpy(), tf.random.uniform([4], seed=1).numpy()]
    tf.random.set_seed(3)
    again = [tf.random.normal([4]).numpy(), tf.random.uniform([4], seed=1).numpy()]
    np.testing.assert_array_equal(first, again)


def test_without_a_seed_numbers_are_unpredictable():
    tf.random.set_seed(None)
    one, two = tf.random.uniform([8]).numpy(), tf.random.uniform([8]).numpy()
    states = [tf.random.Generator.from_non_deterministic_state().state.numpy() for _ in range(2)]
    assert not np.array_equal(one, two)
    assert not np.array_equal(*states)


def test_threads_share_one_stream():
    tf.random.set_seed(3)
    expected = [tf.random.uniform([], seed=1).numpy() for _ in range(2)]
    tf.random.set_seed(3)
    got = [tf.random.uniform([], seed=1).numpy()]
    thread = threading.Thread(target=lambda: got.append(tf.random.uniform([], seed=1).numpy()))
    thread.start()
    thread.join()
    assert got == expected


def test_unseeded_calls_leave_nothing_behind():
    tf.random.set_seed(3)
    for _ in range(5):
        tf.random.uniform([2])
    assert not _seed._context.counters
    tf.random.uniform([2], seed=1)
    assert len(_seed._context.counters) == 1
    tf.random.set_seed(3)
    assert not _seed._context.counters


def test_a_function_that_is_gone_leaves_no_state_behind():
    @tf.function
    def draw():
        return tf.random.uniform([2])

    draw()
    gc.collect()
    before = len(_seed._kernel_states)
    del draw
    gc.collect()
    assert len(_seed._kernel_states) == before - 1


def test_a_failed_call_leaves_streams_usable(execution):
    tf.random.set_seed(3)
    generator = tf.random.Generator.from_seed(3)
    for draw in (tf.random.normal, generator.normal):
        with pytest.raises(tf.errors.InvalidArgumentError):
            draw([2], tf.constant([1.0, 2.0, 3.0]))
        assert draw([2]).shape == [2]


def test_skipping_on_the_host_and_in_a_program_agree():
    states = [np.array(words, np.uint64).view(np.int64) for words in ([1, 2, 3], [2**64 - 5, 2**64 - 1, 0])]
    for state in states:
        for blocks in (0, 256, 2**40, 2**64 - 256, 2**63 + 17):
            inside = _seed.record(_seed._SKIP, (engine.leaf(state), engine.leaf(np.uint64(blocks)))).numpy()
            np.testing.assert_array_equal(inside, _seed._skipped(state, blocks))


def test_uniform_numbers_stay_exact_when_fused(execution):
    # XLA may not contract the scaling with what follows into other roundings.
    alone = tf.random.stateless_uniform([1000], [1, 2], -0.37, 0.91).numpy()
    numbers = tf.random.stateless_uniform([1000], [1, 2], -0.37, 0.91)
    total = tf.reduce_sum(numbers * 3.0 + 1.0)
    np.testing.assert_array_equal(numbers.numpy(), alone)
    np.testing.assert_allclose(total.numpy(), (alone * 3 + 1).sum(), rtol=1e-5)
    unit = tf.random.stateless_uniform([1000], [1, 2]).numpy()
    np.testing.assert_array_equal(alone, unit * (np.float32(0.91) - np.float32(-0.37)) + np.float32(-0.37))


# What compiles


def test_new_seeds_compile_nothing():
    generator = tf.random.Generator.from_seed(0)

    def draw(seed):
        tf.random.set_seed(seed)
        numbers = tf.random.normal([3]) + tf.random.uniform([3], seed=seed) + generator.normal([3])
        return (numbers + tf.random.stateless_normal([3], [seed, 0])).numpy()

    for seed in range(3):
        draw(seed)
    before = engine.stats()
    for seed in range(3, 9):
        draw(seed)
    after = engine.stats()
    assert after["programs_compiled"] == before["programs_compiled"]
    assert after["kernels_compiled"] == before["kernels_compiled"]


def test_a_generator_does_not_cut_a_program():
    generator = tf.random.Generator.from_seed(0)
    with engine.execution_mode("deferred"):
        generator.normal([2]).numpy()
        before = engine.stats()["programs_run"]
        sum(generator.normal([2]) for _ in range(4)).numpy()
        assert engine.stats()["programs_run"] == before + 1


# Functions


def test_each_call_of_a_function_draws_new_numbers():
    @tf.function
    def draw():
        return tf.random.normal([3])

    tf.random.set_seed(None)
    values = [draw().numpy() for _ in range(3)]
    assert not np.array_equal(values[0], values[1])
    assert not np.array_equal(values[1], values[2])
    assert draw.experimental_get_tracing_count() == 1


def test_seed_set_while_tracing_is_the_functions_own():
    @tf.function
    def draw():
        tf.random.set_seed(5)
        return tf.random.uniform([3])

    tf.random.set_seed(1)
    first = draw().numpy()
    tf.random.set_seed(2)
    np.testing.assert_array_equal(draw().numpy(), first)


def test_shape_from_an_argument_is_known_while_tracing():
    def draw(size):
        return tf.random.normal([size])

    for size in (3, 4):
        assert tf.function(draw)(tf.constant(size)).shape == [size]
        assert tf.function(draw, jit_compile=True)(tf.constant(size)).shape == [size]
        assert tf.function(draw, jit_compile=True)(size).shape == [size]


def test_generator_made_and_reset_around_a_function():
    generator = tf.random.Generator.from_seed(1)

    @tf.function
    def draw(delta):
        generator.skip(delta)
        return generator.normal([2])

    first = draw(tf.constant(3)).numpy()
    generator.reset_from_seed(1)
    generator.skip(3)
    np.testing.assert_allclose(generator.normal([2]).numpy(), first, rtol=1e-6)


def test_global_generator_can_be_replaced():
    generator = tf.random.Generator.from_seed(1)
    assert isinstance(tf.random.get_global_generator(), tf.random.Generator)
    tf.random.set_global_generator(generator)
    assert tf.random.get_global_generator() is generator
    tf.random.set_global_generator(None)


def test_threefry_draws_nothing():
    with pytest.raises(tf.errors.UnimplementedError, match="philox"):
        tf.random.Generator.from_seed(1, alg="threefry").normal([2])


# Gradients


def test_second_derivative_of_gamma_is_missing_as_in_tensorflow():
    alpha = tf.constant([2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(alpha)
        with tf.GradientTape() as inner:
            inner.watch(alpha)
            samples = tf.random.stateless_gamma([4, 2], [1, 2], alpha)
        gradient = inner.gradient(samples, alpha)
    with pytest.raises(LookupError, match="RandomGammaGrad"):
        outer.gradient(gradient, alpha)


def test_gradient_through_scaled_noise(execution):
    mean, stddev = tf.Variable([0.5, -1.0]), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        samples = tf.random.stateless_normal([3, 2], [1, 2], mean, stddev)
    by_mean, by_stddev = tape.gradient(samples, [mean, stddev])
    noise = tf.random.stateless_normal([3, 2], [1, 2]).numpy()
    np.testing.assert_allclose(by_mean.numpy(), [3.0, 3.0])
    np.testing.assert_allclose(by_stddev.numpy(), noise.sum(), rtol=1e-5)


PARAMETERS = [
    (0.0, 1.0, -2.0, 2.0),
    (1.0, 2.0, 0.5, 1.5),
    (0.0, 1.0, 3.0, np.inf),
    (0.0, 1.0, -np.inf, -3.0),
    (-1.0, 0.5, 0.0, 0.25),
    (0.0, 1.0, -0.5, 9.0),
]


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_gradient_of_truncated_normal_follows_the_quantile(parameters):
    values = [tf.constant(p, tf.float64) for p in parameters]
    draw = tf.random.stateless_parameterized_truncated_normal
    with tf.GradientTape() as tape:
        tape.watch(values)
        sample = draw([], [1, 2], *values)
    gradients = tape.gradient(sample, values)

    def quantile(mean, stddev, low, high):
        return scipy.stats.truncnorm.ppf(share, (low - mean) / stddev, (high - mean) / stddev, mean, stddev)

    mean, stddev, low, high = parameters
    share = scipy.stats.truncnorm.cdf(sample.numpy(), (low - mean) / stddev, (high - mean) / stddev, mean, stddev)
    for place, gradient in enumerate(gradients):
        if np.isinf(parameters[place]):
            assert gradient.numpy() == 0
            continue
        steps = [np.array(parameters), np.array(parameters)]
        steps[0][place] -= 1e-5
        steps[1][place] += 1e-5
        expected = (quantile(*steps[1]) - quantile(*steps[0])) / 2e-5
        np.testing.assert_allclose(gradient.numpy(), expected, rtol=1e-3, atol=1e-4)


# Distributions


def _is_from(samples, distribution, p=1e-4):
    assert scipy.stats.kstest(samples, distribution.cdf).pvalue > p


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_parameterized_truncated_normal_is_distributed_so(parameters):
    mean, stddev, low, high = parameters
    draw = tf.random.stateless_parameterized_truncated_normal
    samples = draw([COUNT], [3, 4], *(tf.constant(p, tf.float64) for p in parameters)).numpy()
    _is_from(samples, scipy.stats.truncnorm((low - mean) / stddev, (high - mean) / stddev, mean, stddev))


def test_parameterized_truncated_normal_of_pending_invalid_parameters_is_nan():
    low = tf.Variable(2.0) * 1.0
    samples = tf.random.stateless_parameterized_truncated_normal([3], [1, 2], 0.0, 1.0, low, 1.0)
    assert np.isnan(samples.numpy()).all()


def test_large_numbers_of_samples_are_distributed_so():
    tf.random.set_seed(11)
    _is_from(tf.random.normal([COUNT], 1.0, 2.0).numpy(), scipy.stats.norm(1, 2))
    _is_from(tf.random.truncated_normal([COUNT]).numpy(), scipy.stats.truncnorm(-2, 2))
    _is_from(tf.random.uniform([COUNT], -1.0, 3.0).numpy(), scipy.stats.uniform(-1, 4))
    _is_from(tf.random.gamma([COUNT], 0.3, 2.0).numpy(), scipy.stats.gamma(0.3, scale=0.5))
    counts = np.bincount(tf.random.categorical([[0.0, 1.0, 2.0]], COUNT).numpy()[0], minlength=3)
    weights = np.exp([0.0, 1.0, 2.0])
    assert scipy.stats.chisquare(counts, COUNT * weights / weights.sum()).pvalue > 1e-4


def test_blocks_carry_into_the_upper_words_of_the_counter():
    near = _philox.make_state(7, 2**128 - 2)
    with_carry = tf.random.Generator.from_state(near, "philox").uniform_full_int([8]).numpy()
    from_zero = tf.random.Generator.from_state([0, 0, 7], "philox").uniform_full_int([4]).numpy()
    np.testing.assert_array_equal(with_carry[4:], from_zero)


# Initializers


def test_unseeded_keras_initializers_follow_pythons_generator_until_seeded(monkeypatch):
    monkeypatch.setattr(_keras_seed, "_own", threading.local())  # as if `set_random_seed` had never been called
    code = tf.keras.initializers.HeNormal
    random.seed(4)
    first = code()([3]).numpy()
    random.seed(4)
    np.testing.assert_array_equal(code()([3]).numpy(), first)
    tf.random.set_seed(4)
    assert not np.array_equal(code()([3]).numpy(), first)


def test_reuse_of_an_unseeded_initializer_warns_and_repeats():
    initializer = tf.keras.initializers.GlorotUniform()
    first = initializer([2, 2])
    with pytest.warns(UserWarning, match="unseeded"):
        again = initializer([2, 2])
    np.testing.assert_array_equal(first.numpy(), again.numpy())


GENERATOR = tf.random.Generator.from_seed(3)


@pytest.mark.parametrize(
    "draw",
    [
        lambda row: tf.random.uniform([], seed=7),
        lambda row: tf.random.normal([3], mean=row),
        lambda row: tf.random.gamma([2], row + 1.0, seed=2),
        lambda row: tf.random.shuffle(tf.range(20)),
        lambda row: tf.vectorized_map(lambda x: tf.random.uniform([2]) + x, tf.zeros([2])),
        lambda row: GENERATOR.normal([2]),
    ],
)
def test_rows_of_a_vectorized_map_draw_numbers_of_their_own(draw):
    def rows():
        return [tf.vectorized_map(draw, tf.zeros([5])).numpy() for _ in range(2)]

    tf.random.set_seed(1)
    first, second = rows()
    drawn = np.concatenate([first, second]).reshape(10, -1)
    if drawn.dtype.kind == "f":
        assert len(np.unique(drawn)) == drawn.size
    assert len(np.unique(drawn, axis=0)) == 10
    if draw.__code__.co_names[0] != "GENERATOR":
        tf.random.set_seed(1)
        np.testing.assert_array_equal(rows(), [first, second])


def test_random_numbers_in_vectorized_map_are_refused_in_functions():
    @tf.function
    def mapped(x):
        return tf.vectorized_map(lambda row: tf.random.uniform([]) + row, x)

    with pytest.raises(tf.errors.UnimplementedError, match="draws random numbers"):
        mapped(tf.zeros([3]))


@pytest.mark.parametrize("parameters", [(), (0.3, 0.1)], ids=str)
@pytest.mark.parametrize("source", [np.array([5, -7]), _philox.make_state(2**64 - 1, 77 << 64 | 2**64 - 3)], ids=len)
@pytest.mark.parametrize(
    ("on_host", "operation"),
    [(_on_host.uniform, _operations.UNIFORM), (_on_host.normal, _operations.NORMAL),
     (_on_host.truncated_normal, _operations.TRUNCATED_NORMAL)], ids=["uniform", "normal", "truncated_normal"],
)  # fmt: skip
def test_first_values_on_the_host_have_the_same_bits(on_host, operation, source, parameters):
    parameters = [np.asarray(x, np.float32) for x in parameters]
    for shape in ((), (7,), (3, 3, 5, 7), (300, 301)):
        attributes = shape, np.dtype(np.float32)
        with jax.enable_x64(True):
            wanted = jax.jit(functools.partial(operation.fn, shape=shape, dtype=attributes[1]))(source, *parameters)
        np.testing.assert_array_equal(on_host(attributes, source, *parameters), wanted)


def test_variables_that_start_with_random_numbers_compile_nothing():
    shapes = [(n, 3) for n in range(40, 60)]
    before = engine.stats()
    variables = [tf.Variable(tf.random.truncated_normal(shape, stddev=0.1)) for shape in shapes]
    layers = [tf.keras.layers.Dense(shape[0], kernel_initializer="he_normal") for shape in shapes]
    for layer in layers:
        layer.build((None, 3))
    assert all(np.std(variable) > 0.05 for variable in variables)
    after = engine.stats()
    assert {name: after[name] - before[name] for name in ("programs_compiled", "kernels_compiled")} == {
        "programs_compiled": 0, "kernels_compiled": 0,
    }  # fmt: skip


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="elsewhere XLA decides")
@pytest.mark.parametrize("draw", [tf.random.uniform, tf.random.normal])
def test_numbers_are_drawn_once_for_all_that_use_them(draw):
    """In each kernel that used them XLA would compute them anew."""
    weights = tf.Variable(tf.ones([64, 64]))

    @tf.function
    def step(uses):
        noise = draw([32, 64], seed=1)
        x = tf.ones([32, 64])
        for _ in range(uses):
            x = tf.tanh((x * noise) @ weights)
        return x

    counts = []
    for uses in (1, 4):
        step(uses)
        counts.append(engine.last_program().hlo.count(" xor("))
    assert counts[0] == counts[1] > 0


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.keras.layers.Dropout(0.3, seed=4),
        lambda: tf.keras.layers.GaussianNoise(1.0, seed=4),
        lambda: tf.keras.layers.Attention(dropout=0.4, seed=4),
        lambda: tf.keras.layers.AlphaDropout(0.3, seed=4),
    ],
)
def test_layers_with_a_seed_draw_alike_where_functions_run_as_plain_python(make):
    x = tf.ones([1, 5, 8])

    def drawn(before):
        tf.random.set_seed(0)
        layer = make()
        call = (lambda x: layer([x, x], training=True)) if "Attention" in type(layer).__name__ else None
        call = call or (lambda x: layer(x, training=True))
        call(x)  # builds it
        functions = [tf.function(lambda x: call(before(x))) for _ in range(2)]
        return [function(x) for function in functions for _ in range(3)]

    def of_unknown_size(x):
        return tf.reshape(tf.boolean_mask(x, x > -1.0), [1, 5, 8])

    np.testing.assert_allclose(drawn(of_unknown_size), drawn(tf.identity), rtol=1e-5)
