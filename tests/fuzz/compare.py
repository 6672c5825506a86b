"""Results in a short form that a file can hold, and the comparison of two of them."""

import numpy as np

from .programs import program, values_of

# Numbers of float64 may come of a computation in float32.
TOLERANCE = {"float16": 2e-2, "bfloat16": 1e-1, "float32": 1e-3, "complex64": 1e-3, "float64": 1e-6, "complex128": 1e-6}
# What TensorFlow raises where it has no kernel for a dtype; there may be one here.
LACKING = ("UnimplementedError", "NotFoundError")


def short(result):
    """What of a result is compared: the name of an exception, or dtype, shape, kinds of numbers and a weighted sum."""
    if isinstance(result, str):
        return result
    name = str(result.dtype)
    flat = result.reshape(-1)
    numbers = flat.astype(np.complex128)
    finite = np.isfinite(numbers)
    kinds = [int(np.isnan(numbers).sum()), int(np.isinf(numbers).sum())]
    weights = 1 + np.arange(flat.size) % 7
    with np.errstate(all="ignore"):
        total = complex((numbers * weights)[finite].sum())
        size = float((np.abs(numbers) * weights)[finite].sum())
    return [name, list(result.shape), *kinds, *[float(f"{x:.12g}") for x in (total.real, total.imag, size)]]


def same(results, others):
    """Whether two lists of results are equal to the last bit, which is quickly told."""

    def of(x):
        return x if isinstance(x, str) else (x.dtype, x.shape, x.tobytes())

    return all(of(x) == of(y) for x, y in zip(results, others, strict=True))


def agree(one, other, part=1.0, rounded=0.0):
    """Whether two short results are equal up to rounding.

    Args:
      one, other: results.
      part: of the tolerance that is allowed.
      rounded: tolerance of what the results were computed from.
    """
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    if one[:4] != other[:4]:
        return False
    room = part * max(TOLERANCE.get(one[0], 0), rounded) * (max(one[6], other[6]) + (one[0] in TOLERANCE))
    return abs(complex(*one[4:6]) - complex(*other[4:6])) <= room or one[4:6] == other[4:6]


def differences(seed, recorded, results):
    """The first step of a program that gave something else than TensorFlow; later ones may follow from it."""
    rounded = _rounded(program(seed), results, recorded)
    for i, (step, mine, theirs) in enumerate(zip(program(seed), results, recorded, strict=True)):
        if theirs in LACKING and mine != theirs:
            return []  # the values of later steps have other numbers
        if theirs is None or rounded[i] == np.inf:
            continue
        if not agree(mine, theirs, rounded=rounded[i]):
            return [f"program {seed}, step {i}, {step}: got {mine}, want {theirs}"]
    return []


def _rounded(steps, results, recorded):
    """For each step the largest tolerance of the values that it comes of; infinity if one hangs on
    rounding, or is complex and infinite.
    """
    of_steps, of_values = [], []
    for step, result, theirs in zip(steps, results, recorded, strict=True):
        sources = [of_values[n % len(of_values)] for n in values_of(step) if of_values]
        of_steps.append(max(sources, default=0.0))
        if not isinstance(result, str):
            hangs = theirs is None or result[0].startswith("complex") and (result[3] or theirs[3])  # complex-edges
            own = np.inf if hangs else TOLERANCE.get(result[0], 0)
            of_values.append(max(of_steps[-1], own))
    return of_steps
