"""Everything that JAX traces and lowers for tfcompat is traced and lowered in 64-bit mode, in whatever thread."""

import traceback

import jax
import numpy as np
import pytest
from jax._src.interpreters import mlir, partial_eval

import tfcompat as tf
from tfcompat.engine import _policy
from tfcompat.engine.compile import memory, tiers

RUNS = 6  # quick code, full code, in pieces


@pytest.fixture(scope="module")
def watched():
    """A list of where something was traced or lowered outside of 64-bit mode, while the tests of this file run."""
    places = []

    def watching(original):
        def wrapped(*arguments, **options):
            if not jax.config.jax_enable_x64:
                frames = [f for f in traceback.extract_stack() if "tfcompat" in f.filename]
                places.append("".join(traceback.format_list(frames[-3:])))
            return original(*arguments, **options)

        return wrapped

    trace = partial_eval.DynamicJaxprTrace
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trace, "__init__", watching(trace.__init__))
        patch.setattr(mlir, "lower_jaxpr_to_module", watching(mlir.lower_jaxpr_to_module))
        jax.clear_caches()  # what is known already would not be traced
        yield places


@pytest.fixture
def escaped(watched):
    """The same list, empty. What an earlier test has traced was looked at then."""
    watched.clear()
    return watched


@pytest.fixture
def all_tiers(monkeypatch, steer):
    """Programs soon go through all tiers."""
    monkeypatch.setattr(tiers, "enabled", True)
    monkeypatch.setattr(_policy, "interpreted_runs", lambda *_: 0)
    monkeypatch.setattr(_policy, "full_from", lambda *cost: 2)
    steer(_policy.TIERS, in_pieces_from=4)
    steer(_policy.MEMORY, largest_piece=1)
    monkeypatch.setattr(memory, "largest_in_pieces", 1 << 30)


X = np.linspace(-1, 1, 2 * 6 * 6 * 3).reshape(2, 6, 6, 3)
WINDOW = np.linspace(-0.5, 0.5, 3 * 3 * 3 * 3).reshape(3, 3, 3, 3)


@tf.custom_gradient
def _doubled(x):
    return tf.sin(x), lambda upstream: 2 * upstream * tf.cos(x)


OPS = {
    "convolution": lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"),
    "transposed": lambda x, w: tf.nn.conv2d_transpose(x, w, x.shape, 1),
    "depthwise": lambda x, w: tf.nn.depthwise_conv2d(x, w[..., :1], [1, 1, 1, 1], "SAME"),
    "largest": lambda x, w: tf.nn.max_pool2d(x, 2, 1, "SAME") * w[0, 0, 0],
    "average": lambda x, w: tf.nn.avg_pool2d(x, 2, 1, "SAME") * w[0, 0, 0],
    "resized": lambda x, w: tf.cast(tf.image.resize(x * w[0, 0, 0], [6, 6], "bicubic"), x.dtype),
    "sine": lambda x, w: tf.sin(x) * tf.cos(w[0, 0, 0]),
    "sorted": lambda x, w: tf.sort(x * w[0, 0, 0]),
    "solved": lambda x, w: tf.linalg.solve(9 * tf.eye(6, dtype=x.dtype) + x @ tf.transpose(x, [0, 1, 3, 2]), x)
    * w[0, 0, 0],
    "custom": lambda x, w: _doubled(x * w[0, 0, 0]),
    "recomputed": lambda x, w: tf.recompute_grad(lambda x: tf.nn.conv2d(x, w, 1, "SAME"))(x),
    "drawn": lambda x, w: x * w[0, 0, 0] + tf.random.stateless_normal(x.shape, [1, 2], dtype=x.dtype),
}  # fmt: skip


def _eager(op, x, w):
    return op(op(x, w), w)


def _loop(op, x, w):
    def repeated(count):
        return tf.while_loop(lambda i, y: i < count, lambda i, y: (i + 1, op(y, w) * 0.5), [0, x])[1]

    return tf.function(repeated, autograph=False)(tf.constant(2))


def _vectorized(op, x, w):
    return tf.vectorized_map(lambda x: op(x[None], w), x)


def _mapped(op, x, w):
    return tf.map_fn(lambda x: op(x[None], w), x)


PLACES = [*[(name, place) for name in OPS for place in (_eager, _loop)],
          *[(name, place) for name in ("convolution", "largest") for place in (_vectorized, _mapped)]]  # fmt: skip


@pytest.mark.parametrize("name, place", PLACES)
def test_gradients(name, place, escaped):
    def op(x, w):
        return OPS[name](tf.reshape(x, [-1, 6, 6, 3]), w)

    x, w = tf.constant(X), tf.Variable(WINDOW)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(place(op, x, w) ** 2)
        gradient = tape.gradient(y, w)
        norm = tf.reduce_sum(gradient**2)
    second = None if name == "recomputed" else outer.gradient(norm, w)
    assert gradient.dtype == tf.float64 and np.isfinite(gradient.numpy()).all()
    assert second is None or np.isfinite(second.numpy()).all()
    assert not escaped, escaped[0]


@pytest.mark.parametrize("name", ["convolution", "transposed", "average"])
def test_all_tiers(name, all_tiers, escaped):
    x, w = tf.constant(X), tf.Variable(WINDOW)
    results = []
    for _ in range(RUNS):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(_loop(OPS[name], x, w) ** 2)
        results.append(tape.gradient(y, w).numpy())
    assert len(results) == RUNS and np.isfinite(results).all()
    np.testing.assert_allclose(results[-1], results[0], rtol=1e-12, atol=1e-12)
    assert not escaped, escaped[0]


def test_a_function_of_a_dataset(escaped):
    w = tf.constant(WINDOW)
    dataset = tf.data.Dataset.from_tensor_slices(np.repeat(X, 20, 0)).map(lambda x: tf.nn.conv2d(x[None], w, 1, "SAME"))
    (batch,) = dataset.batch(40)
    assert batch.dtype == tf.float64 and np.isfinite(batch.numpy()).all()
    assert not escaped, escaped[0]


def test_a_model(escaped, tmp_path):
    model = tf.keras.Sequential([
        tf.keras.layers.Conv2D(2, 3, dtype="float64"),
        tf.keras.layers.Reshape([16, 2], dtype="float64"),
        tf.keras.layers.LSTM(2, dtype="float64"),
        tf.keras.layers.Dense(1, dtype="float64"),
    ])
    model.compile("adam", "mse")
    model.fit(X, np.ones([2, 1]), epochs=3, verbose=0)
    assert model.predict(X, verbose=0).dtype == np.float64
    tf.saved_model.save(tf.Module(), str(tmp_path))
    assert not escaped, escaped[0]
