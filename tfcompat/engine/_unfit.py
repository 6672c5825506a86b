"""Errors of calls that fail for every size that the symbols in their inputs may stand for.

JAX decides comparisons of symbols as if they were of different numbers, so a call that fails for symbols may be right
for sizes. It is tried with some: if all fail, the call is wrong, and its error need not wait for the sizes.
"""

import itertools
import math
import re

from tfcompat.engine import _sizes
from tfcompat.engine._aval import Aval, attributes_of

# Small sizes, that fit by broadcasting or by chance, and one that many numbers divide.
_SIZES = (*range(1, 33), 5040)
_FEW_SIZES = (1, 2, 3, 5040)
_MOST_TRIALS = 200
_LARGEST = 10**7
_MARK = "fails_for_all_sizes"


def mark(error, bound, attributes, avals):
    """Marks `error`, with which `bound(attributes, avals)` failed for symbols, if it fails for all sizes."""
    texts = [str(size) for size in _leaves((*(getattr(aval, "shape", ()) for aval in avals), *attributes.values))]
    names = sorted({name for text in texts for name in re.findall(r"\bs\d+\b", text)})
    if not names or any(aval.traced for aval in avals):
        return
    numbers = _numbers([*(getattr(aval, "shape", ()) for aval in avals), *attributes.values])
    if len(names) == 1:
        trials = ([size] for size in sorted({*_SIZES, *numbers}))
    elif len(few := sorted({*_FEW_SIZES, *list(numbers)[:8]})) ** len(names) <= _MOST_TRIALS:
        trials = itertools.product(few, repeat=len(names))
    else:
        trials = ([size] * len(names) for size in sorted({*_SIZES, *numbers}))
    for sizes in trials:
        known = dict(zip(names, sizes, strict=True))
        try:
            with _sizes.sizes_known(known):
                shapes = [_sizes.with_sizes(tuple(aval.shape)) for aval in avals]
                values = [_sizes.with_sizes(value) for value in attributes.values]
            bound(attributes_of(*values), [Aval(shape, aval.dtype) for shape, aval in zip(shapes, avals, strict=True)])
        except Exception:
            continue
        return
    setattr(error, _MARK, True)


def fails_for_all_sizes(error):
    """Whether an exception, or one that it was raised because of, was marked."""
    while error is not None:
        if hasattr(error, _MARK):
            return True
        error = error.__cause__ or error.__context__
    return False


def _numbers(values):
    """Sizes that may fit: the numbers in some nested tuples, their products, and quotients and differences of these."""
    tuples = [value if type(value) is tuple else (value,) for value in values]
    tuples += [inner for value in tuples for inner in value if type(inner) is tuple]
    known = [[item for item in value if type(item) is int and item > 1] for value in tuples]
    found = {item: None for items in known for item in items} | {math.prod(items): None for items in known}
    for p, q in itertools.permutations(list(found)[:12], 2):
        found |= {p - q: None, p // q if p % q == 0 else p: None}
    return {size: None for size in found if 0 < size <= _LARGEST}


def _leaves(values):
    for value in values:
        if type(value) is tuple:
            yield from _leaves(value)
        else:
            yield value
