"""Bessel functions J, Y and K of orders 0 and 1.

Chebyshev series made for this file from values in 40 digits. In J and Y for `x > 8`, with c = x - pi/4 (or 3 pi/4):
J = sqrt(2 / (pi x)) (P cos c - Q sin c), Y = sqrt(2 / (pi x)) (P sin c + Q cos c).
"""
import math

import jax.numpy as jnp
from jax import lax

from tfcompat._core.op import FLOATING, op
from tfcompat.math._derivative import with_partials

# Of (x/8)**2, (8/x)**2, (x/2)**2 and 2/x, each from 0 to 1.
_SERIES = {
    # J0(x), x <= 8
    "J0": (
        0.15772797147489012, -0.008723442352852221, 0.2651786132033368, -0.37009499387264977,
        0.15806710233209725, -0.034893769411408884, 0.004819180069467605, -0.00046062616620627504,
        3.246032882100508e-05, -1.7619469077621507e-06, 7.608163592418782e-08, -2.679253530557673e-09,
        7.848696314479465e-11, -1.9438346867370164e-12, 4.125320595634374e-14, -7.588508125447546e-16,
        1.2218515873961411e-17,
    ),
    # J1(x) / x, x <= 8
    "J1": (
        0.08104484632565812, -0.1489751450676521, 0.1609992623572097, -0.08268049176681791,
        0.022213639654966037, -0.003646940600769276, 0.0004050337728354822, -3.255554866857259e-05,
        1.9858774049915165e-06, -9.521984756750436e-08, 3.687133759097148e-09, -1.178026622695885e-10,
        3.160154580348003e-12, -7.221755239651773e-14, 1.4232144003513942e-15, -2.4441972916190464e-17,
        3.6912682997929334e-19,
    ),
    # Y0(x) - 2/pi log(x) J0(x), x <= 8
    "Y0": (
        -0.03314611320328494, -0.2744743055297453, 0.17903431407718265, 0.26156734625504663,
        -0.17730201278114358, 0.04719668959576339, -0.007287962479552079, 0.0007531135932577742,
        -5.632079141056987e-05, 3.206532537654801e-06, -1.44072332740187e-07, 5.248794787330516e-09,
        -1.5837552541812015e-10, 4.02633081830612e-12, -8.747341203310769e-14, 1.6434898714919468e-15,
        -2.6977881152566837e-17,
    ),
    # (Y1(x) - 2/pi (log(x) J1(x) - 1/x)) / x, x <= 8
    "Y1": (
        0.0025380132357417816, -0.01608717304766875, -0.09591204536083074, 0.08445197259652346,
        -0.028328123944594365, 0.005289897544167113, -0.0006414551451326356, 5.505982873338744e-05,
        -3.53808001868935e-06, 1.7707804556154404e-07, -7.11055004989928e-09, 2.344337905911516e-10,
        -6.4651518414115946e-12, 1.51429151205002e-13, -3.0511859694473254e-15, 5.34668038572867e-17,
        -8.224911372021585e-19,
    ),
    # P of order 0, x > 8
    "P0": (
        0.9994603493475187, -0.0005365220468132117, 3.0751847875194745e-06, -5.1705945376060975e-08,
        1.6306464635151382e-09, -7.86409137723707e-11, 5.168262387349193e-12, -4.3045788699253914e-13,
        4.3265957431549404e-14, -5.069034095935236e-15, 6.748072215733873e-16, -1.0011513723467786e-16,
        1.6305919233744186e-17, -2.880866169482871e-18,
    ),
    # x/8 times Q of order 0
    "Q0": (
        -0.015555854605337009, 6.838519942611649e-05, -7.414498411060647e-07, 1.7972457247968992e-08,
        -7.27191593686632e-10, 4.2201219046687385e-11, -3.206747420996635e-12, 3.006145125351706e-13,
        -3.336328185322427e-14, 4.255225040245461e-15, -6.09993013164005e-16, 9.662128970303257e-17,
        -1.6686065214378146e-17, 3.1082440486738143e-18, -6.191115787358145e-19, 1.3091448717220122e-19,
    ),
    # P of order 1
    "P1": (
        1.0009030408600137, 0.0008989898330859408, -3.987284300488908e-06, 6.177633960644299e-08,
        -1.8718907491063067e-09, 8.816898659582339e-11, -5.704863640395645e-12, 4.699195515230542e-13,
        -4.6842237839904895e-14, 5.452674896044717e-15, -7.221180842274018e-16, 1.0667689114335412e-16,
        -1.7312313216116335e-17, 3.0492991197665872e-18,
    ),
    # x/8 times Q of order 1
    "Q1": (
        0.04677778706953532, -9.62772354915708e-05, 9.138615257955454e-07, -2.0959781384083424e-08,
        8.229193327650554e-10, -4.686363688176945e-11, 3.5152187949686082e-12, -3.2643156743279e-13,
        3.5967765829165294e-14, -4.5612523950772974e-15, 6.508282957783384e-16, -1.0269147531823243e-16,
        1.767635548776479e-17, -3.2834519872981614e-18, 6.524081149589261e-19, -1.3765771484849487e-19,
    ),
    # K0(x) + log(x/2) I0(x), x <= 2
    "K0": (
        -0.2676636966169514, 0.3442898999246285, 0.0359799365153615, 0.001264615411446926,
        2.286212103119452e-05, 2.5347910790261494e-07, 1.904516377220209e-09, 1.0349695257633625e-11,
        4.2598161427910826e-14, 1.3744654358807508e-16,
    ),
    # x (K1(x) - log(x/2) I1(x)), x <= 2
    "K1": (
        0.7626501136694739, -0.3531559607765449, -0.12261118082265715, -0.006975723859639864,
        -0.0001730288957513052, -2.4334061415659684e-06, -2.213387630734726e-08, -1.4114883926335278e-10,
        -6.666901694199329e-13, -2.427449850519366e-15, -7.023863479386288e-18,
    ),
    # exp(x) sqrt(x) K0(x), x > 2
    "L0": (
        1.2201515410329777, -0.0314481013119645, 0.0015698838857300533, -0.00012849549581627802,
        1.39498137188765e-05, -1.8317555227191195e-06, 2.766813639445015e-07, -4.660489897687948e-08,
        8.574034017414225e-09, -1.6975345093890614e-09, 3.5773972814003283e-10, -7.957489244477396e-11,
        1.8559491149549264e-11, -4.514597883374519e-12, 1.1403405882073441e-12, -2.9800969231481784e-13,
        8.032890775068375e-14, -2.2275133267462965e-14, 6.340076476276646e-15, -1.848593377920907e-15,
        5.5120559994043335e-16, -1.6782311257549006e-16, 5.2103917776435543e-17, -1.6475805939842632e-17,
        5.3004337711773354e-18,
    ),
    # exp(x) sqrt(x) K1(x), x > 2
    "L1": (
        1.3603130952422213, 0.10392373657681724, -0.002857816859622779, 0.00019521551847135162,
        -1.936197974166083e-05, 2.406484947837217e-06, -3.5019606030878126e-07, 5.7410841254500495e-08,
        -1.0345762465678097e-08, 2.0150497551970347e-09, -4.1903547593419254e-10, 9.218315187605315e-11,
        -2.129967838427791e-11, 5.139639673482343e-12, -1.2891739609498229e-12, 3.348419666052243e-13,
        -8.976705182010146e-14, 2.4771544242195988e-14, -7.0198370892147685e-15, 2.038703166239861e-15,
        -6.057047270643018e-16, 1.8380935752430455e-16, -5.689462849193648e-17, 1.7940510478863572e-17,
        -5.756744482073302e-18,
    ),
}


def _series(name, z):
    """The Chebyshev series `name` at `z`, by Clenshaw's recurrence; as long as the dtype needs."""
    coefficients = _SERIES[name]
    smallest = float(jnp.finfo(z.dtype).eps) / 64 * max(map(abs, coefficients))
    while abs(coefficients[-1]) < smallest:
        coefficients = coefficients[:-1]
    t = 4 * z - 2
    last = before = jnp.zeros_like(z)
    for coefficient in reversed(coefficients[1:]):
        last, before = t * last - before + coefficient, last
    return t / 2 * last - before + coefficients[0]


def _oscillating(order, x, second):
    """J or, if `second`, Y of this order, for `x > 8`."""
    x = jnp.where(x > 8, x, 9)
    z = (8 / x) ** 2
    p, q = _series(f"P{order}", z), _series(f"Q{order}", z) * (8 / x)
    sine, cosine = jnp.sin(x), jnp.cos(x)
    # sqrt(2) times the cosine and sine of c, in which no digits are lost.
    c, s = (cosine + sine, sine - cosine) if order == 0 else (sine - cosine, -sine - cosine)
    return (p * s + q * c if second else p * c - q * s) / jnp.sqrt(math.pi * x)


def _in_float32(function):
    """`function`, which half precision enters as float32, as in TF."""
    return lambda x: function(x.astype(jnp.promote_types(x.dtype, jnp.float32))).astype(x.dtype)


def _nan_at_infinity(x, value):
    return jnp.where(jnp.isfinite(x), value, jnp.nan)


def _j0_of(x):
    size = jnp.abs(x)
    small = _series("J0", (jnp.minimum(size, 8) / 8) ** 2)
    return _nan_at_infinity(x, jnp.where(size <= 8, small, _oscillating(0, size, False)))


def _j1_of(x):
    size = jnp.abs(x)
    small = x * _series("J1", (jnp.minimum(size, 8) / 8) ** 2)
    return _nan_at_infinity(x, jnp.where(size <= 8, small, lax.sign(x) * _oscillating(1, size, False)))


def _y0_of(x):
    near = jnp.where(x > 0, jnp.minimum(x, 8), 1)
    small = _series("Y0", (near / 8) ** 2) + 2 / math.pi * jnp.log(near) * _j0_of(near)
    return _for_positive(x, -jnp.inf, _nan_at_infinity(x, jnp.where(x <= 8, small, _oscillating(0, x, True))))


def _y1_of(x):
    near = jnp.where(x > 0, jnp.minimum(x, 8), 1)
    small = near * _series("Y1", (near / 8) ** 2) + 2 / math.pi * (jnp.log(near) * _j1_of(near) - 1 / near)
    return _for_positive(x, -jnp.inf, _nan_at_infinity(x, jnp.where(x <= 8, small, _oscillating(1, x, True))))


def _k_of(order, x, scaled):
    near, far = jnp.where(x > 0, jnp.minimum(x, 2), 1), jnp.maximum(x, 2)
    scale = jnp.exp(near)
    z = (near / 2) ** 2
    if order == 0:
        small = _series("K0", z) - jnp.log(near / 2) * lax.bessel_i0e(near) * scale
    else:
        small = _series("K1", z) / near + jnp.log(near / 2) * lax.bessel_i1e(near) * scale
    large = _series(f"L{order}", 2 / far) * lax.rsqrt(far)
    small, large = (small * scale, large) if scaled else (small, large * jnp.exp(-far))
    return _for_positive(x, jnp.inf, jnp.where(x <= 2, small, large))


def _for_positive(x, otherwise, value):
    return jnp.where(x <= 0, otherwise, jnp.where(jnp.isnan(x), x, value))


# The derivatives are TF's.
# https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/math_grad.py
_j0 = with_partials(lambda y, x: -_j1(x))(_in_float32(_j0_of))
_j1 = with_partials(
    lambda y, x: jnp.where(x == 0, jnp.full((), 0.5, x.dtype), _j0(x) - y / jnp.where(x == 0, jnp.ones_like(x), x))
)(_in_float32(_j1_of))
_y0 = with_partials(lambda y, x: -_y1(x))(_in_float32(_y0_of))
_y1 = with_partials(lambda y, x: _y0(x) - y / x)(_in_float32(_y1_of))
_k0 = with_partials(lambda y, x: -_k1(x))(_in_float32(lambda x: _k_of(0, x, False)))
_k1 = with_partials(lambda y, x: -_k0(x) - y / x)(_in_float32(lambda x: _k_of(1, x, False)))
_k0e = with_partials(lambda y, x: y - _k1e(x))(_in_float32(lambda x: _k_of(0, x, True)))
_k1e = with_partials(lambda y, x: y * (1 - 1 / x) - _k0e(x))(_in_float32(lambda x: _k_of(1, x, True)))


@op("tf.math.special.bessel_j0", kernel="BesselJ0", tensors=("x",), dtypes=FLOATING)
def bessel_j0(x):
    """Bessel function of the first kind, of order 0.

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`. NaN at infinity.

    TF: `tf.math.special.bessel_j0`; also takes bfloat16, for which TF has no CPU kernel.
    """
    return _j0(x)


@op("tf.math.special.bessel_j1", kernel="BesselJ1", tensors=("x",), dtypes=FLOATING)
def bessel_j1(x):
    """Bessel function of the first kind, of order 1.

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`. NaN at infinity.

    TF: `tf.math.special.bessel_j1`; also takes bfloat16, for which TF has no CPU kernel.
    """
    return _j1(x)


@op("tf.math.special.bessel_y0", kernel="BesselY0", tensors=("x",), dtypes=FLOATING)
def bessel_y0(x):
    """Bessel function of the second kind, of order 0.

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`. -inf where `x <= 0`, NaN at infinity.

    TF: `tf.math.special.bessel_y0`; also takes bfloat16, for which TF has no CPU kernel.
    """
    return _y0(x)


@op("tf.math.special.bessel_y1", kernel="BesselY1", tensors=("x",), dtypes=FLOATING)
def bessel_y1(x):
    """Bessel function of the second kind, of order 1.

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`. -inf where `x <= 0`, NaN at infinity.

    TF: `tf.math.special.bessel_y1`; also takes bfloat16, for which TF has no CPU kernel.
    """
    return _y1(x)


@op("tf.math.special.bessel_k0", kernel="BesselK0", tensors=("x",), dtypes=FLOATING)
def bessel_k0(x):
    """Modified Bessel function of the second kind, of order 0.

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`. inf where `x <= 0`.

    TF: `tf.math.special.bessel_k0`; also takes bfloat16, for which TF has no CPU kernel.
    """
    return _k0(x)


@op("tf.math.special.bessel_k0e", kernel="BesselK0e", tensors=("x",), dtypes=FLOATING)
def bessel_k0e(x):
    """Modified Bessel function of the second kind, of order 0, times `exp(x)`.

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`. inf where `x <= 0`.

    TF: `tf.math.special.bessel_k0e`; also takes bfloat16, for which TF has no CPU kernel.
    """
    return _k0e(x)


@op("tf.math.special.bessel_k1", kernel="BesselK1", tensors=("x",), dtypes=FLOATING)
def bessel_k1(x):
    """Modified Bessel function of the second kind, of order 1.

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`. inf where `x <= 0`.

    TF: `tf.math.special.bessel_k1`; also takes bfloat16, for which TF has no CPU kernel.
    """
    return _k1(x)


@op("tf.math.special.bessel_k1e", kernel="BesselK1e", tensors=("x",), dtypes=FLOATING)
def bessel_k1e(x):
    """Modified Bessel function of the second kind, of order 1, times `exp(x)`.

    Args:
      x: floating tensor, any shape.

    Returns:
      Tensor with the shape and dtype of `x`. inf where `x <= 0`.

    TF: `tf.math.special.bessel_k1e`; also takes bfloat16, for which TF has no CPU kernel.
    """
    return _k1e(x)
