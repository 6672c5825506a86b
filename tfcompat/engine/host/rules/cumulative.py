"""Running sums and the like."""

import numpy as np

from tfcompat.engine.host.rules.registry import is_narrow


def _cumulative(ufunc):
    def rule(params, in_avals, out_avals):
        axis, dtype = params["axis"], out_avals[0].dtype
        back = (slice(None),) * axis + (slice(None, None, -1),)
        within = np.dtype(np.float32) if is_narrow(dtype) else dtype
        reverse = params["reverse"]

        def accumulate(x):
            if reverse:
                x = x[back]
            if within is not dtype:
                x = x.astype(within)
            result = ufunc.accumulate(x, axis, within)
            if within is not dtype:
                result = result.astype(dtype)
            return result[back] if reverse else result

        return accumulate

    return rule


RULES = {
    "cumlogsumexp": _cumulative(np.logaddexp),
    "cummax": _cumulative(np.maximum),
    "cummin": _cumulative(np.minimum),
    "cumprod": _cumulative(np.multiply),
    "cumsum": _cumulative(np.add),
}
