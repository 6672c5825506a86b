"""Fourier transforms."""

import numpy as np


def _transform(params, in_avals, out_avals):
    lengths, dtype = params["fft_lengths"], out_avals[0].dtype
    axes = tuple(range(-len(lengths), 0))
    if 0 in out_avals[0].shape or 0 in in_avals[0].shape:
        return lambda x: np.zeros(out_avals[0].shape, dtype)
    function = (np.fft.fftn, np.fft.ifftn, np.fft.rfftn, np.fft.irfftn)[int(params["fft_type"])]
    return lambda x: function(x, lengths, axes).astype(dtype, copy=False)


RULES = {"fft": _transform}
