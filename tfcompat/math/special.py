"""tf.math.special."""

from tfcompat._package.missing import missing as _missing
from tfcompat.math._bessel import bessel_j0 as bessel_j0
from tfcompat.math._bessel import bessel_j1 as bessel_j1
from tfcompat.math._bessel import bessel_k0 as bessel_k0
from tfcompat.math._bessel import bessel_k0e as bessel_k0e
from tfcompat.math._bessel import bessel_k1 as bessel_k1
from tfcompat.math._bessel import bessel_k1e as bessel_k1e
from tfcompat.math._bessel import bessel_y0 as bessel_y0
from tfcompat.math._bessel import bessel_y1 as bessel_y1
from tfcompat.math._special import bessel_i0 as bessel_i0
from tfcompat.math._special import bessel_i0e as bessel_i0e
from tfcompat.math._special import bessel_i1 as bessel_i1
from tfcompat.math._special import bessel_i1e as bessel_i1e
from tfcompat.math._special import dawsn as dawsn
from tfcompat.math._special import expint as expint
from tfcompat.math._special import fresnel_cos as fresnel_cos
from tfcompat.math._special import fresnel_sin as fresnel_sin
from tfcompat.math._special import spence as spence

__getattr__ = _missing("tf.math.special")
