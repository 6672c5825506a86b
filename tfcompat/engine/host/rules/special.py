"""Special functions, by SciPy."""

import importlib
import math

import numpy as np

from tfcompat.engine import _policy as policy
from tfcompat.engine.host.rules.registry import is_narrow


def _log_of_gamma(x):
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):  # zero, a negative integer; a number beyond 1e305
        return math.inf


# `scipy.special` takes a fifth of a second to import, and JAX does not need it: small arrays do without it.
_OF_NUMBERS = {
    name: np.frompyfunc(function, 1, 1)
    for name, function in {"erf": math.erf, "erfc": math.erfc, "gammaln": _log_of_gamma}.items()
}


def _by_scipy(name):
    def rule(params, in_avals, out_avals):
        dtype = out_avals[0].dtype
        if name in _OF_NUMBERS and in_avals[0].size <= policy.HOST.few:
            of_numbers = _OF_NUMBERS[name]
            return lambda x: np.asarray(of_numbers(x.astype(np.float64)), dtype)
        special = importlib.import_module("scipy.special")
        function = getattr(special, name, None) or globals()[name]
        if is_narrow(dtype):
            return lambda *arrays: function(*[x.astype(np.float32) for x in arrays]).astype(dtype)
        return function

    return rule


def _polygamma(n, x):
    special = importlib.import_module("scipy.special")
    sign = np.where(n % 2 == 1, x.dtype.type(1), x.dtype.type(-1))
    return np.where(n == 0, special.psi(x), sign * np.exp(special.gammaln(n + 1)) * special.zeta(n + 1, x))


RULES = {name: _by_scipy(function) for name, function in {
    "bessel_i0e": "i0e", "bessel_i1e": "i1e", "digamma": "psi", "erf": "erf", "erf_inv": "erfinv", "erfc": "erfc",
    "igamma": "gammainc", "igammac": "gammaincc", "lgamma": "gammaln", "polygamma": "_polygamma",
    "regularized_incomplete_beta": "betainc", "zeta": "zeta",
}.items()}  # fmt: skip
