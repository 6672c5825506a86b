"""Distributions sampled by rejection: each output owns a stretch of the stream and draws from it until
accepted.

Pure functions of a Philox state. `rate`, `alpha`... are arrays of one shape, and samples are drawn for each
of their elements: the result has shape `(samples, *shape)`. Samples are numbered element by element, as in
TF. Arithmetic is float64 whatever the dtype. Sources of the facts: `random_op.cc`, `random_poisson_op.cc`,
`random_binomial_op.cc`, `stateless_random_gamma_op.cc` of TF 2.21.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat.random import _philox

# Binomial inversion reserves fewer blocks for each output than everything else does.
_INVERSION_BLOCKS = 42


def gamma(state, samples, alpha):
    """Gamma samples of scale 1, float64, by Marsaglia and Tsang; where `alpha` is 1, the logarithm of a
    uniform."""

    def sample(index, alpha):
        start = index * np.uint64(_philox.BLOCKS_PER_OUTPUT)
        below_one = alpha < 1
        d = alpha + jnp.where(below_one, 2.0 / 3, -1.0 / 3)
        c = 1.0 / 3 / jnp.sqrt(d)

        # Normal and uniform numbers come two to a block and are used up from the second; each kind asks for
        # the next block of the stretch when it has none left. Both blocks of a turn are computed together: it
        # compiles faster.
        def attempt(carry):
            drawn, normals, normals_left, uniforms, uniforms_left, _, _ = carry
            refill = normals_left == 0
            words = _philox.block(state, start + jnp.stack([drawn, drawn + refill.astype(jnp.uint64)]))
            normals = jnp.where(refill, _normals([word[0] for word in words]), normals)
            normals_left = refill.astype(jnp.int32)
            x = normals[normals_left]
            v = 1 + c * x
            inside = ~(v <= 0)
            drawn = drawn + refill.astype(jnp.uint64)
            refill = inside & (uniforms_left == 0)
            uniforms = jnp.where(refill, _uniforms([word[1] for word in words]), uniforms)
            uniforms_left = jnp.where(inside, refill.astype(jnp.int32), uniforms_left)
            u = uniforms[uniforms_left]
            v = v * v * v
            accepted = u < 1 - 0.0331 * (x * x) * (x * x)
            accepted |= jnp.log(u) < 0.5 * x * x + d * (1 - v + jnp.log(v))
            drawn = drawn + refill.astype(jnp.uint64)
            return drawn, normals, normals_left, uniforms, uniforms_left, d * v, inside & accepted

        none, empty = jnp.int32(0), jnp.zeros(2)
        first = (jnp.uint64(0), empty, none, empty, none, jnp.float64(0), jnp.array(False))
        drawn, _, _, uniforms, uniforms_left, value, _ = lax.while_loop(
            lambda carry: ~carry[-1], attempt, first
        )
        last = _uniforms(_philox.block(state, start + jnp.stack([drawn, jnp.uint64(0)])))[1]
        boost = jnp.where(uniforms_left == 0, last[0], uniforms[0])
        value = jnp.where(below_one, value * boost ** (1 / alpha), value)
        return jnp.where(alpha == 1, -jnp.log1p(-last[1]), value)

    return _for_each_output(sample, samples, alpha.astype(jnp.float64))


def poisson(state, samples, rate):
    """Poisson samples, float64: Knuth's products below rate 10, Hoermann's transformed rejection above."""

    def sample(index, rate):
        start = index * np.uint64(_philox.BLOCKS_PER_OUTPUT)
        few = rate < 10
        limit = jnp.exp(-rate)

        def multiply(carry):
            drawn, product, _ = carry
            product = product * _uniform_number(state, start, drawn)
            return drawn + np.uint64(1), product, ~few | (product <= limit)

        count, _, _ = lax.while_loop(
            lambda carry: ~carry[-1], multiply, (jnp.uint64(0), jnp.float64(1), ~few)
        )

        b = 0.931 + 2.53 * jnp.sqrt(rate)
        a = -0.059 + 0.02483 * b
        inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
        log_rate = jnp.log(rate)

        def attempt(carry):
            attempts, _, _ = carry
            v, u = _uniforms(_philox.block(state, start + attempts))
            u = u - 0.5
            edge = 0.5 - jnp.abs(u)
            k = jnp.floor((2 * a / edge + b) * u + rate + 0.43)
            inside = (edge >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
            outside = (k < 0) | ((edge < 0.013) & (v > edge))
            below = jnp.log(v * inverse_alpha / (a / (edge * edge) + b)) <= (
                -rate + k * log_rate - lax.lgamma(k + 1)
            )
            return attempts + np.uint64(1), k, inside | (~outside & below)

        unneeded = few | ~jnp.isfinite(rate)
        _, many, _ = lax.while_loop(
            lambda carry: ~carry[-1], attempt, (jnp.uint64(0), jnp.where(unneeded, rate, 0.0), unneeded)
        )
        return jnp.where(few, count.astype(jnp.float64) - 1, many)

    return _for_each_output(sample, samples, rate.astype(jnp.float64))


def binomial(state, samples, counts, probabilities):
    """Binomial samples, float64: inversion below a mean of 10, Hoermann's transformed rejection above."""

    def sample(index, count, probability, is_large):
        count, probability = count.astype(jnp.float64), probability.astype(jnp.float64)
        trivial = ~((count > 0) & (probability > 0))
        inverted = _binomial_inversion(state, index, count, probability, trivial | is_large)
        rejected = _binomial_rejection(state, index, count, probability, trivial | ~is_large)
        return jnp.where(is_large, rejected, inverted)

    above_half = probabilities > 0.5
    smaller = jnp.where(above_half, 1 - probabilities, probabilities)
    is_large = counts * smaller >= 10
    drawn = _for_each_output(sample, samples, counts, smaller, is_large)
    counts, probabilities = counts.astype(jnp.float64), probabilities.astype(jnp.float64)
    result = jnp.where(above_half, counts - drawn, drawn)
    result = jnp.where(probabilities >= 1, counts, jnp.where(jnp.isnan(probabilities), jnp.nan, result))
    return jnp.where((counts <= 0) | (probabilities <= 0), 0.0, result)


def truncated_normal_between(state, samples, mean, stddev, low, high):
    """Samples of normal distributions cut off at `low` and `high`, float64; NaN where the parameters are
    invalid.

    TF's three proposals (normal, uniform, exponential), but each output has a stretch of the stream to
    itself; TF's kernel hands the rest of one output's draw to the next one, in an order that depends on its
    threads.
    """

    def sample(index, low, high):
        start = index * np.uint64(_philox.BLOCKS_PER_OUTPUT)
        root = jnp.sqrt(low * low + 4)
        cutoff = 2 * jnp.exp(0.5 + low * (low - root) / 4) / (low + root)
        rate = (low + root) / 2
        by_normal = ((low < -1.3) & (high >= 0)) | ((high > 1.3) & (low <= 0))
        by_uniform = high - low < cutoff
        valid = low < high

        def attempt(carry):
            attempts, _, _ = carry
            words = _philox.block(state, start + attempts)
            first, second = _uniforms(words)
            normal = _philox.normal_64(words, jnp.array(False))
            flat = first * (high - low) + low
            flat_accepted = second <= jnp.exp((jnp.where(low < 0, 0.0, low * low) - flat * flat) / 2)
            tail = -jnp.log(first) / rate + low
            gap = jnp.where(low < rate, rate - tail, low - rate)
            tail_accepted = (second <= jnp.exp(-gap * gap / 2)) & (tail < high)
            value = jnp.where(by_normal, normal, jnp.where(by_uniform, flat, tail))
            accepted = jnp.where(
                by_normal,
                (normal >= low) & (normal <= high),
                jnp.where(by_uniform, flat_accepted, tail_accepted),
            )
            return attempts + np.uint64(1), value, accepted

        _, value, _ = lax.while_loop(
            lambda carry: ~carry[-1], attempt, (jnp.uint64(0), jnp.float64(jnp.nan), ~valid)
        )
        return value

    mean, stddev, low, high = (x.astype(jnp.float64) for x in (mean, stddev, low, high))
    valid = (stddev > 0) & (low < high) & (jnp.isfinite(low) | jnp.isfinite(high))
    # Turned round where that makes the lower bound the finite one, or both bounds positive.
    flipped = (jnp.isinf(low) & (low < 0)) | (high < mean)
    scale = jnp.where(flipped, -stddev, stddev)
    low, high = jnp.where(flipped, high, low), jnp.where(flipped, low, high)
    low, high = (jnp.where(valid, (bound - mean) / scale, jnp.nan) for bound in (low, high))
    return _for_each_output(sample, samples, low, high) * scale + mean


def _for_each_output(sample, samples, *parameters):
    """`sample(index, *elements)` for each output; index counts the samples of one element, then of the
    next."""
    shape = parameters[0].shape
    size = parameters[0].size
    index = (
        jnp.arange(size, dtype=jnp.uint64) * np.uint64(samples)
        + jnp.arange(samples, dtype=jnp.uint64)[:, None]
    )
    flat = [jnp.broadcast_to(p.reshape(1, size), (samples, size)).reshape(-1) for p in parameters]
    if samples * size == 0:
        return jnp.zeros((samples, *shape))
    return jax.vmap(sample)(index.reshape(-1), *flat).reshape(samples, *shape)


def _uniforms(words):
    """Both uniform numbers of a block, stacked."""
    return jnp.stack([_philox.uniform_64(words[0], words[1]), _philox.uniform_64(words[2], words[3])])


def _normals(words):
    """Both normal numbers of a block, stacked."""
    return jnp.stack([_philox.normal_64(words, jnp.array(is_cosine)) for is_cosine in (False, True)])


def _uniform_number(state, start, number):
    """The uniform number `number` of a stretch, of each block the second first."""
    first, second = _uniforms(_philox.block(state, start + (number >> np.uint64(1))))
    return jnp.where(number & np.uint64(1) == 0, second, first)


def _binomial_inversion(state, index, count, probability, unneeded):
    """Number of geometric variables that fit into `count`."""
    start = index * np.uint64(_INVERSION_BLOCKS)
    scale = jnp.log1p(-probability)

    def add(carry):
        drawn, total, _ = carry
        total = total + jnp.ceil(jnp.log(_uniform_number(state, start, drawn)) / scale)
        return drawn + np.uint64(1), total, total > count

    drawn, _, _ = lax.while_loop(lambda carry: ~carry[-1], add, (jnp.uint64(0), jnp.float64(0), unneeded))
    return drawn.astype(jnp.float64) - 1


def _binomial_rejection(state, index, count, probability, unneeded):
    start = index * np.uint64(_philox.BLOCKS_PER_OUTPUT)
    stddev = jnp.sqrt(count * probability * (1 - probability))
    b = 1.15 + 2.53 * stddev
    a = -0.0873 + 0.0248 * b + 0.01 * probability
    c = count * probability + 0.5
    odds = probability / (1 - probability)
    alpha = (2.83 + 5.1 / b) * stddev
    mode = jnp.floor((count + 1) * probability)

    def attempt(carry):
        attempts, _, _ = carry
        v, u = _uniforms(_philox.block(state, start + attempts))
        u = u - 0.5
        edge = 0.5 - jnp.abs(u)
        k = jnp.floor((2 * a / edge + b) * u + c)
        inside = (edge >= 0.07) & (v <= 0.92 - 4.2 / b)
        outside = (k < 0) | (k > count)
        bound = (
            (mode + 0.5) * jnp.log((mode + 1) / (odds * (count - mode + 1)))
            + (count + 1) * jnp.log((count - mode + 1) / (count - k + 1))
            + (k + 0.5) * jnp.log(odds * (count - k + 1) / (k + 1))
            + _stirling_tail(mode)
            + _stirling_tail(count - mode)
            - _stirling_tail(k)
            - _stirling_tail(count - k)
        )
        below = jnp.log(v * alpha / (a / (edge * edge) + b)) <= bound
        return attempts + np.uint64(1), k, inside | (~outside & below)

    _, value, _ = lax.while_loop(lambda carry: ~carry[-1], attempt, (jnp.uint64(0), jnp.float64(0), unneeded))
    return value


# log(k!) less Stirling's approximation of it, for k below 10.
_SMALL_TAILS = np.array(
    [math.lgamma(k + 1) - math.log(2 * math.pi) / 2 - (k + 0.5) * math.log(k + 1) + k + 1 for k in range(10)]
)


def _stirling_tail(k):
    """log(k!) less Stirling's approximation of it."""
    square = (k + 1) * (k + 1)
    series = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    return jnp.where(k <= 9, jnp.asarray(_SMALL_TAILS)[jnp.clip(k, 0, 9).astype(jnp.int32)], series)
