"""Reductions along axes."""

import numpy as np


def _reduced(function):
    def rule(params, in_avals, out_avals):
        axes = tuple(params["axes"])
        return lambda x: function(x, axis=axes)

    return rule


def _place(function):
    def rule(params, in_avals, out_avals):
        axis, dtype = params["axes"][0], params["index_dtype"]
        return lambda x: function(x, axis=axis).astype(dtype)

    return rule


RULES = {
    **{name: _reduced(function) for name, function in {
        "reduce_and": np.all, "reduce_max": np.max, "reduce_min": np.min, "reduce_or": np.any, "reduce_prod": np.prod,
        "reduce_sum": np.sum,
    }.items()},
    "argmax": _place(np.argmax),
    "argmin": _place(np.argmin),
}  # fmt: skip
