"""The operations behind the random functions: one for each distribution, whatever its generator state comes
from.

`source` is an int64[3] generator state, or the seed of shape [2] of a stateless op.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import engine
from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import without_gradient
from tfcompat._core.symbolic_sizes import are_known
from tfcompat.math._blocks import in_blocks
from tfcompat.random import _distributions, _philox, _rejection
from tfcompat.random._arguments import invalid, show


def _state_of(source):
    return _philox.scramble(source) if source.shape == (2,) else source


def _scaled(values, scale, offset, state):
    """`values * scale + offset` with TF's rounding; scale and offset may be absent."""
    return values if scale is None else _philox.affine(values, scale, offset, state)


def _check_broadcast(*steps):
    """Raises TF's error if shapes do not broadcast one after the other; steps are (shape, kernel)."""
    result = ()
    for shape, kernel in steps:
        if not (are_known(result) and are_known(shape)):
            result = jnp.broadcast_shapes(result, shape)
            continue
        try:
            result = np.broadcast_shapes(result, shape)
        except ValueError:
            raise invalid(f"Incompatible shapes: {show(result)} vs. {show(shape)}", kernel) from None
    return result


def _normal(source, scale=None, offset=None, *, shape, dtype):
    if scale is not None:
        _check_broadcast((shape, ""), (scale.shape, "Mul"), (offset.shape, "AddV2"))
    state = _state_of(source)
    return _scaled(_distributions.normal(state, shape, dtype), scale, offset, state)


def _truncated_normal(source, scale=None, offset=None, *, shape, dtype):
    if scale is not None:
        _check_broadcast((shape, ""), (scale.shape, "Mul"), (offset.shape, "AddV2"))
    state = _state_of(source)
    return _scaled(_distributions.truncated_normal(state, shape, dtype), scale, offset, state)


def _uniform(source, low=None, high=None, *, shape, dtype):
    state = _state_of(source)
    values = _distributions.uniform(state, shape, dtype)
    if low is None:
        return values
    span = _check_broadcast((high.shape, ""), (low.shape, "Sub"))
    _check_broadcast((shape, ""), (span, "Mul"), (low.shape, "AddV2"))
    return _scaled(values, high - low, low, state)


def _integers(source, low, high, *, shape):
    return _distributions.integers(_state_of(source), shape, low, high)


def _full_range_integers(source, *, shape, dtype):
    return _distributions.full_range_integers(_state_of(source), shape, dtype)


def _categorical(source, logits, *, count, dtype):
    return _distributions.categorical(_state_of(source), logits, count, dtype)


def _permutation(source, *, size):
    return _distributions.permutation(_state_of(source), size)


def _shuffle(source, value):
    if value.ndim == 0 or value.size <= 1 or value.shape[0] <= 1:
        return value
    return jnp.take(value, _distributions.permutation(_state_of(source), value.shape[0]), axis=0)


def _gamma(source, alpha, beta, *, samples):
    """Gamma samples of shape (*samples, *shape of alpha and beta)."""
    try:
        shape = np.broadcast_shapes(alpha.shape, beta.shape)
    except ValueError:
        message = f"Incompatible shapes: {show(alpha.shape)} vs. {show(beta.shape)} [Op:BroadcastArgs]"
        raise when_run(message) from None
    alpha = jnp.broadcast_to(alpha, shape)
    count = int(np.prod(samples, dtype=np.int64))
    drawn = _gamma_samples(_state_of(source), count, alpha).reshape(*samples, *shape)
    scaled = drawn / beta
    tiny = jnp.finfo(alpha.dtype).tiny
    return jnp.where(scaled <= tiny, tiny.astype(alpha.dtype), scaled)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _gamma_samples(state, count, alpha):
    return _rejection.gamma(state, count, alpha).astype(alpha.dtype)


@_gamma_samples.defjvp
def _gamma_samples_jvp(count, primals, tangents):
    state, alpha = primals
    samples = _gamma_samples(state, count, alpha)
    return samples, _gamma_derivative(jnp.broadcast_to(alpha, samples.shape), samples) * tangents[1]


@jax.custom_jvp
def _gamma_derivative(alpha, sample):
    wide = jnp.float64 if alpha.dtype.itemsize == 8 else jnp.float32
    return in_blocks(lax.random_gamma_grad)(alpha.astype(wide), sample.astype(wide)).astype(alpha.dtype)


@_gamma_derivative.defjvp
def _gamma_derivative_jvp(primals, tangents):
    raise LookupError("gradient registry has no entry for: RandomGammaGrad")


def _poisson(source, rate, *, samples, dtype):
    count = int(np.prod(samples, dtype=np.int64))
    return _rejection.poisson(_state_of(source), count, rate).astype(dtype).reshape(*samples, *rate.shape)


def _binomial(source, counts, probabilities, *, samples, dtype):
    shape = np.broadcast_shapes(counts.shape, probabilities.shape)
    counts, probabilities = jnp.broadcast_to(counts, shape), jnp.broadcast_to(probabilities, shape)
    count = int(np.prod(samples, dtype=np.int64))
    return (
        _rejection.binomial(_state_of(source), count, counts, probabilities)
        .astype(dtype)
        .reshape(*samples, *shape)
    )


def _truncated_normal_between(source, mean, stddev, low, high, *, samples):
    shape = np.broadcast_shapes(mean.shape, stddev.shape, low.shape, high.shape)
    parameters = [jnp.broadcast_to(x, shape) for x in (mean, stddev, low, high)]
    count = int(np.prod(samples, dtype=np.int64))
    return _between(_state_of(source), count, *parameters).reshape(*samples, *shape)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _between(state, count, mean, stddev, low, high):
    return _rejection.truncated_normal_between(state, count, mean, stddev, low, high).astype(mean.dtype)


@_between.defjvp
def _between_jvp(count, primals, tangents):
    """Implicit reparametrization: what keeps the sample's place in the cumulative distribution."""
    state, mean, stddev, low, high = primals
    samples = _between(*(state, count), mean, stddev, low, high)
    z, a, b = ((x.astype(jnp.float64) - mean) / stddev for x in (samples, low, high))
    side = jnp.where(a + b > 0, -1.0, 1.0)  # the tail in which differences keep their precision
    cumulative = jax.scipy.special.ndtr
    share = (cumulative(side * z) - cumulative(side * a)) / (cumulative(side * b) - cumulative(side * a))
    by_high = share * jnp.exp((z * z - b * b) / 2)
    by_low = (1 - share) * jnp.exp((z * z - a * a) / 2)
    by_stddev = z - _product_of_bound(b, by_high) - _product_of_bound(a, by_low)
    factors = 1 - by_high - by_low, by_stddev, by_low, by_high
    return samples, sum(f.astype(samples.dtype) * t for f, t in zip(factors, tangents[1:], strict=True))


def _product_of_bound(bound, factor):
    """Their product; zero for an infinite bound."""
    return jnp.where(jnp.isinf(bound), 0.0, jnp.where(jnp.isinf(bound), 0.0, bound) * factor)


_SHAPE, _SHAPE_DTYPE = ("shape",), ("shape", "dtype")
_operation = functools.partial(engine.Operation, known_sizes=1)  # of the source: a seed or a state


# Shapes and dtypes of results. Tracing a generator takes 50 ms, and a sampler that rejects 200.


def _of_attributes(attributes, avals):
    """Of a distribution with scalar parameters."""
    return attributes if all(aval.shape == () for aval in avals[1:]) else None


def _of_source(attributes, avals):
    """Of what rearranges its input."""
    return avals[1].shape, avals[1].dtype


def _of_samples(attributes, avals):
    """Of samples for each element of the parameters, which broadcast; in the dtype that is asked for, or in theirs."""
    samples, *dtype = attributes
    shapes = [aval.shape for aval in avals[1:]]
    if not all(map(are_known, (samples, *shapes))):
        return None
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:  # the sampler says so
        return None
    return (*samples, *shape), *(dtype or (avals[1].dtype,))


SCRAMBLE = _operation("StatelessRandomGetKeyCounter", _philox.scramble, differentiable=False)
NORMAL = _operation("RandomStandardNormal", _normal, _SHAPE_DTYPE, infer=_of_attributes)
TRUNCATED_NORMAL = _operation("TruncatedNormal", _truncated_normal, _SHAPE_DTYPE, infer=_of_attributes)
UNIFORM = _operation("RandomUniform", _uniform, _SHAPE_DTYPE, infer=_of_attributes)
INTEGER = _operation("RandomUniformInt", _integers, _SHAPE)
INTEGER_BETWEEN_COMPUTED = _operation(
    "RandomUniformInt", _integers, _SHAPE,
    requires=lambda state, low, high, shape: [
        engine.require(low < high, "Need minval < maxval, got {0} >= {1} [Op:RandomUniformInt] name: ", low, high)
    ],
    requires_of=lambda attributes, avals: 0 not in attributes[0],
)  # fmt: skip
FULL_RANGE_INTEGER = _operation("RandomUniformFullInt", _full_range_integers, _SHAPE_DTYPE)
CATEGORICAL = _operation("Multinomial", _categorical, ("count", "dtype"), differentiable=False)
PERMUTATION = _operation("RandomPermutation", _permutation, ("size",), differentiable=False)
SHUFFLE = _operation("RandomShuffle", _shuffle, differentiable=False, infer=_of_source)
STATELESS_SHUFFLE = _operation(
    "StatelessShuffle", without_gradient(_shuffle, "StatelessShuffle"), refuses=True, infer=_of_source
)
GAMMA = _operation("RandomGamma", _gamma, ("samples",), infer=_of_samples)
POISSON = _operation(
    "RandomPoissonV2", without_gradient(_poisson, "RandomPoissonV2"), ("samples", "dtype"), refuses=True,
    infer=_of_samples,
)
STATELESS_POISSON = _operation(
    "StatelessRandomPoisson", _poisson, ("samples", "dtype"), differentiable=False, infer=_of_samples
)
BINOMIAL = _operation(
    "StatefulRandomBinomial", without_gradient(_binomial, "StatefulRandomBinomial"), ("samples", "dtype"),
    refuses=True, infer=_of_samples,
)
STATELESS_BINOMIAL = _operation(
    "StatelessRandomBinomial", _binomial, ("samples", "dtype"), differentiable=False, infer=_of_samples
)
TRUNCATED_NORMAL_BETWEEN = _operation(
    "StatelessParameterizedTruncatedNormal", _truncated_normal_between, ("samples",), infer=_of_samples
)
