"""Numerical gradient checks in float64, in both modes, of one smooth case a symbol.

The goldens compare every case with TensorFlow to second order; where TensorFlow has no second derivative or JVP,
the check here goes to second order as well. The function under test is called on JAX tracers, where every op
applies its pure body at once.
"""


import jax
import jax.numpy as jnp
import numpy as np
import pytest
from _sampling import one_in
from cases import _golden
from cases._case import build_inputs, leaves, materialize, resolve
from cases._evaluate import Failure
from jax.test_util import check_grads

import tfcompat as tf

# Take float32 alone, or do beside Python numbers in a list, or by default.
_OF_FLOAT32 = {"tf.sparse.sampled_addmm", "tf.math.polyval", "tf.raw_ops.IsotonicRegression", "tf.raw_ops.RFFT"}


def _is_smooth(case, golden):
    found = leaves(case)
    if case.expect_error or not case.options.order or not case.options.smooth or case.post:
        return False
    if case.symbol.startswith("tf.random."):  # these draw in the dtype they are asked for, not in float64
        return False
    if case.symbol in _OF_FLOAT32:
        return False
    if not all(leaf.smooth and leaf.dtype.kind in "fbiu" and not leaf.is_variable for leaf in found):
        return False
    gradients = golden.gradients if golden else None
    return isinstance(gradients, list) and any(gradient is not None for gradient in gradients)


def _order(golden):
    return 2 if isinstance(golden.second, Failure) or isinstance(golden.jvp, Failure) else 1


def _candidates():
    """The first smooth case of each symbol that has a gradient."""
    chosen = {}
    for module in _golden.modules():
        outcomes, _ = _golden.load(module)
        for case_id, case in _golden.cases_of(module).items():
            golden = outcomes.get(case_id)
            if case.symbol not in chosen and _is_smooth(case, golden):
                chosen[case.symbol] = pytest.param(case, case_id, golden, id=case_id)
    return list(chosen.values())


def _checked_by_differences():
    """Of the cases whose second derivatives the goldens compare one in three, since those compare gradients as well."""
    compared = 0
    for candidate in _candidates():
        compared += _order(candidate.values[2]) == 1
        if _order(candidate.values[2]) == 2 or compared % one_in(8) == 0:
            yield candidate


def _pure(case, case_id, golden, dtypes=(tf.float64,)):
    """`(function, arguments)`: the results of `dtypes` as a function of the connected floating inputs, in float64."""
    arrays = [
        array.astype(np.float64) if array.dtype.kind == "f" else array
        for array in build_inputs(case, case_id)
    ]
    sources = [number for number, array in enumerate(arrays) if array.dtype.kind == "f"]
    if case.options.wrt is not None:
        sources = list(case.options.wrt)
    sources = [number for number, known in zip(sources, golden.gradients, strict=True) if known is not None]

    def function(*values):
        given = list(arrays)
        for number, value in zip(sources, values, strict=True):
            given[number] = value
        args, kwargs = materialize(case, [tf.convert_to_tensor(value) for value in given], tf)
        owner, _, name = case.symbol.rpartition(".")
        if isinstance(resolve(tf, owner), type):
            result = getattr(args[0], name)(*args[1:], **kwargs)
        else:
            result = resolve(tf, case.symbol)(*args, **kwargs)
        flat = tf.nest.flatten(result, expand_composites=True)
        return [value.__jax_array__() for value in flat if value.dtype in dtypes]

    return function, [arrays[number] for number in sources]


@pytest.mark.parametrize("case, case_id, golden", list(_checked_by_differences()))
def test_derivatives_match_finite_differences(case, case_id, golden):
    with jax.enable_x64(True):
        function, arguments = _pure(case, case_id, golden)
        function = jax.jit(function)
        if not function(*arguments):
            pytest.skip("no float64 result to differentiate")
        # Where TensorFlow has the second derivative, its reverse mode is what the goldens compare with.
        order = _order(golden)
        modes = ("fwd", "rev") if order == 2 else ("fwd",)
        check_grads(function, arguments, order=order, modes=modes, atol=1e-3, rtol=1e-3, eps=1e-4)


def _transforms(real, imaginary):
    x = tf.complex(tf.reshape(real, [2, 1, 2]), tf.reshape(imaginary, [2, 1, 2]))
    fft = tf.signal
    return [fft.fft(x), fft.ifft(x), fft.fft2d(x), fft.ifft2d(x), fft.fft3d(x), fft.ifft3d(x)]


def _factors(x):
    matrix = tf.matmul(x, x, transpose_b=True) + 2.0 * tf.eye(2, dtype=tf.float64)
    return [tf.linalg.cholesky(matrix), tf.linalg.logdet(matrix)]


def _gamma(x):
    return [tf.math.igamma(tf.constant(2.5, tf.float64), x)]


def _batch_norm(x, scale, offset):
    mean, variance = tf.zeros([2]), tf.ones([2])
    given = {"x": tf.reshape(x, [2, 1, 2, 2]), "scale": scale, "offset": offset, "mean": mean, "variance": variance}
    return [tf.raw_ops.FusedBatchNormV2(**given).y]


def _lstm(x, state, w):
    steps = tf.constant(2, tf.int64)
    sequence = {"seq_len_max": steps, "x": tf.reshape(x, [3, 1, 1]), "cs_prev": state, "h_prev": state}
    weights = {"w": w, **{name: w[0, i : i + 1] for i, name in enumerate(("wci", "wcf", "wco"))}, "b": w[1]}
    result = tf.raw_ops.BlockLSTMV2(use_peephole=True, **sequence, **weights)
    return [result.cs, result.h]


def _cudnn_rnn(x, params):
    state = tf.fill([1, 1, 1], tf.constant(0.3, tf.float64))
    given = {"input": tf.reshape(x, [2, 1, 1]), "input_h": state, "input_c": state, "sequence_lengths": [2]}
    return [tf.raw_ops.CudnnRNNV3(params=params, rnn_mode="gru", **given).output]


# What no case of the tables shows: complex numbers, matrices that must stay definite, some of the results alone.
@pytest.mark.parametrize(
    "function, shapes",
    [
        (_transforms, [(4,), (4,)]),
        (_factors, [(2, 2)]),
        (_gamma, [(1,)]),
        (_batch_norm, [(8,), (2,), (2,)]),
        (_lstm, [(3,), (1, 1), (2, 4)]),
        (_cudnn_rnn, [(2,), (12,)]),
    ],
)
def test_derivatives_of_what_the_tables_do_not_check(function, shapes):
    def arrays(*values):
        results = function(*map(tf.convert_to_tensor, values))
        results = [value.__jax_array__() if hasattr(value, "__jax_array__") else value for value in results]
        parts = [[value.real, value.imag] if value.dtype.kind == "c" else [value] for value in results]
        return [one for each in parts for one in each]

    with jax.enable_x64(True):
        arguments = [np.cos(np.arange(1.0, 1.0 + np.prod(shape))).reshape(shape) * 0.4 + 0.9 for shape in shapes]
        close, step = 1e-3, 1e-4
        if function in (_batch_norm, _lstm):  # TensorFlow has no kernels for float64
            arguments, close, step = [np.float32(argument) for argument in arguments], 2e-2, 1e-2
        check_grads(jax.jit(arrays), arguments, order=2, modes=("fwd", "rev"), atol=close, rtol=close, eps=step)


def test_third_derivative_of_tanh_takes_few_operations():
    # Physics-informed networks are made of it. JAX before 0.12 takes more.
    def multiplications(function):
        third = jax.grad(jax.grad(jax.grad(function)))
        return jax.jit(third).lower(0.5).as_text().count("stablehlo.multiply")

    assert multiplications(tf.tanh.raw) == 12 <= multiplications(jax.lax.tanh)


def test_gradient_penalty_takes_the_products_that_jax_takes():
    # The second derivative of leaky_relu is zeros, not None; nothing is multiplied with them.
    sizes = [(3, 4), (4, 5), (5, 1)]
    weights = [np.cos(np.arange(1.0, 1.0 + m * n, dtype="float32")).reshape(m, n) for m, n in sizes]

    def penalty(weights, x):
        with tf.GradientTape() as outer:
            outer.watch(weights)
            with tf.GradientTape() as inner:
                inner.watch(x)
                h = x
                for w in weights:
                    h = tf.nn.leaky_relu(h @ w)
            loss = tf.reduce_sum(tf.square(inner.gradient(h, x)))
        return outer.gradient(loss, weights)

    def penalty_of_jax(weights, x):
        def score(x):
            for w in weights:
                x = jax.nn.leaky_relu(x @ w, 0.2)
            return jnp.sum(x)

        return jnp.sum(jnp.square(jax.grad(score)(x)))

    def products(function, *arguments):
        return jax.jit(function).lower(*arguments).as_text().count("dot_general")

    x = np.ones((2, 3), "float32")
    ours = tf.to_jax(penalty)
    assert products(ours, ours.state(weights, x), weights, x) == products(jax.grad(penalty_of_jax), weights, x)


@pytest.mark.parametrize("case, case_id, golden", _candidates())
def test_rows_of_jacobians_are_vectorized(case, case_id, golden):
    with jax.enable_x64(True):
        inexact = (tf.float32, tf.float64, tf.complex64, tf.complex128)
        function, arguments = _pure(case, case_id, golden, inexact)

        def two_rows(*arguments):
            results, pull_back = jax.vjp(function, *arguments)
            return jax.vmap(pull_back)([jnp.ones((2, *result.shape), result.dtype) for result in results])

        rows = jax.eval_shape(two_rows, *arguments)
    assert [row.shape for row in rows] == [(2, *argument.shape) for argument in arguments]
