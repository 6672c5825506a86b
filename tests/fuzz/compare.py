"""Results in a short form that a file can hold, and the comparison of two of them."""

import numpy as np

from .programs import program

# Numbers of float64 may come of a computation in float32.
TOLERANCE = {"float16": 2e-2, "bfloat16": 1e-1, "float32": 1e-3, "complex64": 1e-3, "float64": 1e-6, "complex128": 1e-6}


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


def agree(one, other, part=1.0):
    """Whether two short results are equal up to rounding; `part` makes that stricter."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    if one[:4] != other[:4]:
        return False
    room = part * TOLERANCE.get(one[0], 0) * (max(one[6], other[6]) + (one[0] in TOLERANCE))
    return abs(complex(*one[4:6]) - complex(*other[4:6])) <= room or one[4:6] == other[4:6]


def differences(seed, recorded, results):
    """The first step of a program that gave something else than TensorFlow; later ones may follow from it."""
    for i, (step, mine, theirs) in enumerate(zip(program(seed), results, recorded, strict=True)):
        if theirs is not None and not agree(mine, theirs):
            return [f"program {seed}, step {i}, {step}: got {mine}, want {theirs}"]
    return []
