"""Errors of calls that fail for every size that the symbols in their inputs may stand for.

JAX decides comparisons of symbols as if they were of different numbers, so a call that fails for symbols may be right
for sizes. It is tried with some: if all fail, the call is wrong, and its error need not wait for the sizes.
"""

import functools
import itertools
import math

import jax

from tfcompat._package.causes import causes_of
from tfcompat.engine import _sizes
from tfcompat.engine._aval import Aval, attributes_of
from tfcompat.engine._policy import FUNCTIONS

_MARK = "fails_for_all_sizes"


def mark(error, bound, attributes, avals):
    """Notes in `error` how to try the call, `bound(attributes, avals)`, that failed with it. Few errors are asked."""
    setattr(error, _MARK, functools.partial(_fails, bound, attributes, avals))


def fails_for_other_sizes(error):
    """Whether an exception, or one that it was raised because of, is that of a call that is wrong for all sizes.

    The sizes of its inputs count as unknown, those that are equal as one.
    """
    for cause in causes_of(error):
        fails = getattr(cause, _MARK, None)
        if fails is _always:
            return True
        if fails is not None:
            bound, attributes, avals = fails.args
            sizes = sorted({size for aval in avals for size in getattr(aval, "shape", ())})
            if not sizes or not all(type(size) is int for size in sizes):
                return bool(avals) and not sizes
            symbols = dict(zip(sizes, jax.export.symbolic_shape(",".join(f"n{size}" for size in sizes)), strict=True))
            avals = [Aval(tuple([symbols[size] for size in aval.shape]), aval.dtype) for aval in avals]
            return _fails(bound, attributes, avals)
    return False


def _fails(bound, attributes, avals):
    """Whether the call, which failed for symbols, fails for all sizes tried.

    Every expression of symbols counts as a size of its own, and calls with many of them as right.
    """
    values = [*(getattr(aval, "shape", ()) for aval in avals), *attributes.values]
    unknown = list(dict.fromkeys(str(leaf) for leaf in _leaves(values) if jax.export.is_symbolic_dim(leaf)))
    if not 0 < len(unknown) <= FUNCTIONS.unfit_unknown or any(aval.traced for aval in avals):
        return False
    for sizes in dict.fromkeys(_trials(values, len(unknown))):
        try:
            with _sizes.sizes_known(dict(zip(unknown, sizes, strict=True))):
                shapes = [_sizes.with_sizes(tuple(aval.shape)) for aval in avals]
                statics = [_sizes.with_sizes(value) for value in attributes.values]
            bound(attributes_of(*statics), [Aval(shape, x.dtype) for shape, x in zip(shapes, avals, strict=True)])
        except Exception:
            continue
        return False
    return True


def _trials(values, count):
    """Yields sizes for `count` unknown ones: those that the numbers in `values` ask for, with others that fit in."""
    given, made = _numbers(values)
    for size in (*made, *FUNCTIONS.unfit_small) if count == 1 else made:
        for other in FUNCTIONS.unfit_free:
            yield from itertools.product(dict.fromkeys((size, other)), repeat=count)
    yield from itertools.product((*FUNCTIONS.unfit_free, 2), repeat=count)
    for size in FUNCTIONS.unfit_hidden:
        yield from itertools.product((size, FUNCTIONS.unfit_free[-1]), repeat=count)
    yield from itertools.permutations(given[:6], count)


def wrong_for_all_sizes(error):
    """The exception, marked as that of a call that is wrong whatever sizes its symbols stand for."""
    setattr(error, _MARK, _always)
    return error


def _always():
    return True


def fails_for_all_sizes(error):
    """Whether an exception, or one that it was raised because of, is that of a call that is wrong for all sizes."""
    return any(hasattr(cause, _MARK) and getattr(cause, _MARK)() for cause in causes_of(error))


def is_of_symbols(error):
    """Whether an exception, or one that it was raised because of, is that of a call that may be right for sizes."""
    return any(hasattr(cause, _MARK) for cause in causes_of(error)) and not fails_for_all_sizes(error)


def _numbers(values):
    """The numbers in nested tuples, and what sizes may be for their sake: products, quotients and differences."""
    tuples = [value if type(value) is tuple else (value,) for value in values]
    tuples += [inner for value in tuples for inner in value if type(inner) is tuple]
    known = [[item for item in value if type(item) is int and item > 1] for value in tuples]
    given = list(dict.fromkeys(item for items in known for item in items))
    found = dict.fromkeys([*given, *map(math.prod, known)])
    for p, q in itertools.permutations(list(found)[:8], 2):
        found |= {p - q: None, p // q if p % q == 0 else p: None}
    return given, [size for size in found if 0 < size <= FUNCTIONS.unfit_largest][:16]


def _leaves(values):
    for value in values:
        if type(value) is tuple:
            yield from _leaves(value)
        else:
            yield value
