"""Which sizes of a function's results are fixed, for functions that are called rather than traced.

`tf.data` calls such a function twice. In the second call everything whose size depends on values has one more (the
pixels of a file, the parts of a text, what Python returns), and integers that may be sizes are other ones. Sizes that
the program states hold: what does not fit `set_shape`, `ensure_shape` or `reshape` then is made to fit. A size that is
the same in both calls is fixed.
"""

import contextlib
import math
import threading

import numpy as np

from tfcompat import engine


class _State(threading.local):
    on = False  # this is the second call
    said: list | None = None  # results of Python functions: kept in the first call, given again in the second
    sample_size: int | None = None  # layers are called on values that only stand for others; for unknown sizes, this


state = _State()


def sample_size():
    """The size in place of unknown ones, where layers are called to learn what shapes they give; None elsewhere."""
    return state.sample_size


@contextlib.contextmanager
def samples(size):
    """In the context, values stand for others, and `size` for each size that is not known."""
    outer, state.sample_size = state.sample_size, size
    try:
        yield
    finally:
        state.sample_size = outer


@contextlib.contextmanager
def variables_as_before():
    """After the context variables have the values that they had before it."""
    here = engine.state.here
    outer, here.before = here.before, {}
    try:
        yield
    finally:
        for variable, value in here.before.values():
            variable._node = engine.leaf(value)
        here.before = outer


def to_be_assigned(variable):
    """Called before a variable gets another value."""
    before = engine.state.here.before
    if before is not None and id(variable) not in before:
        before[id(variable)] = variable, np.array(engine.array_of(variable._node))


@contextlib.contextmanager
def first_call():
    """Gives the list in which results of Python functions are kept for `second_call`."""
    outer, state.said = (state.on, state.said), []
    state.on = False
    try:
        yield state.said
    finally:
        state.on, state.said = outer


@contextlib.contextmanager
def second_call(said):
    """In the context sizes that depend on values are other ones."""
    outer = state.on, state.said
    state.on, state.said = True, list(said)
    try:
        yield
    finally:
        state.on, state.said = outer


def said_by_python(call):
    """`call()`, or what it gave in the first call; the last again where a loop of another size calls more often."""
    if state.on and state.said:
        return state.said.pop(0) if len(state.said) > 1 else state.said[0]
    result = call()
    if state.said is not None:
        state.said.append(result)
    return result


def longer(items):
    """A list whose length depends on values; in the second call with the middle item twice."""
    if not state.on:
        return items
    return [*items[: len(items) // 2 + 1], *items[len(items) // 2 :]] if items else [b""]


def added():
    """By how much integers are larger, which may be sizes: by more than sizes, so that what is left of a longer array
    after a larger number has another size, too."""
    return 2 if state.on else 0


def stretched(array, fixed=()):
    """An array whose sizes depend on values, but for those of the axes in `fixed`; with one more in the second call."""
    if not state.on:
        return array
    if array.ndim == 0:
        return array + added() if array.dtype.kind in "iu" else array
    return fitted(array, [n if axis in fixed else n + 1 for axis, n in enumerate(array.shape)])


def fitted(array, sizes):
    """An array of the given sizes, None for those that it has: elements are left out or repeated."""
    if array.ndim != len(sizes):
        return _filled(array, [1 if n is None else n for n in sizes])
    for axis, n in enumerate(sizes):
        if n is not None and n != array.shape[axis]:
            if not array.shape[axis]:
                return _filled(array, [m if n is None else n for n, m in zip(sizes, array.shape, strict=True)])
            array = np.take(array, np.minimum(np.arange(n), array.shape[axis] - 1), axis)
    return array


def _filled(array, sizes):
    if array.size:
        return np.resize(array, sizes)
    return np.full(sizes, b"" if array.dtype.kind == "O" else 0, array.dtype)


def reshapable(array, sizes):
    """An array that can be reshaped to `sizes`, of which one may be -1."""
    known = math.prod(n for n in sizes if n != -1)
    count = known if -1 not in sizes else known * max(-(-array.size // known), 1) if known else 0
    return array if array.size == count else fitted(array.reshape(-1), [count])


def stretched_composite(value, spec):
    """A ragged or sparse tensor with other sizes where `spec` does not tell them."""
    from tfcompat.ragged._tensor import RaggedTensor
    from tfcompat.sparse import SparseTensor

    if isinstance(value, RaggedTensor):
        return _with_longer_rows(value, spec.shape[0] is None)
    if not isinstance(value, SparseTensor) or not value.values.shape[0]:
        return value
    known = zip(value.shape.as_list(), spec.shape.as_list(), strict=True)
    sizes = np.array([n + (m is None) for n, m in known], np.int64)
    indices, values = value.indices.numpy(), value.values.numpy()
    return SparseTensor(np.concatenate([indices, sizes[None] - 1]), np.concatenate([values, values[-1:]]), sizes)


def _with_longer_rows(value, more):
    """A ragged tensor with the last element of each row twice; and, with `more`, the last row."""
    from tfcompat.array import gather
    from tfcompat.ragged._tensor import RaggedTensor

    count = value.lengths().size
    if more and count:
        value = gather(value, [*range(count), count - 1])
    if value._uniform is None:
        splits = value.splits()
        rows = [[*range(s, e), e - 1] if e > s else [] for s, e in zip(splits[:-1], splits[1:], strict=True)]
        values = gather(value.values, np.array([i for row in rows for i in row], np.int64))
        value = RaggedTensor.from_row_lengths(values, np.array([*map(len, rows)], splits.dtype))
    inner = value.values
    return value.with_values(_with_longer_rows(inner, False)) if isinstance(inner, RaggedTensor) else value
