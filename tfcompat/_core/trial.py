"""Trial runs: which sizes a function's results have, learned by calling it on values that stand for others.

`tf.data` and Keras's layers call functions that cannot be traced. Two calls tell which sizes of the results are fixed.
In the second one everything whose size depends on values has one more (the pixels of a file, the parts of a text, what
Python returns), and integers that may be sizes are others. Sizes that the program states hold: a value that no longer
fits a `set_shape`, `ensure_shape` or `reshape` is made to fit. A size that is the same in both calls is fixed.
"""

import contextlib
import dataclasses
import math

import numpy as np

from tfcompat import engine
from tfcompat._core.convert import static_value, to_node
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import wrap


@dataclasses.dataclass(frozen=True)
class Trial:
    """What holds in a trial run. It is `engine.state.context.trial` while the run lasts; elsewhere that is None.

    What is recorded asks three questions, each only where there is a trial:

    * `sized`: a value whose size depends on values is made; which size does it get?
    * `stated_shape`: the program states a shape; what fits it?
    * `assigned`: a variable is about to be assigned; is its value to be restored?

    Attributes:
      resizes: whether this is the second call, in which sizes that depend on values are others.
      python_results: what Python functions returned: filled in the first call, handed out again in the second.
      sample_size: the size that stands for each unknown one, where layers are called on made-up values; else None.
      variables: the variables that are restored after the run: id -> (variable, value as an array); or None.
    """

    resizes: bool = False
    python_results: list | None = None
    sample_size: int | None = None
    variables: dict | None = None

    def sized(self, array, fixed=()):
        """`array`, whose sizes depend on values but for those of the axes in `fixed`; resized in the second call."""
        if not self.resizes:
            return array
        if array.ndim == 0:
            return array + MORE if array.dtype.kind in "iu" else array
        return fitted(array, [n if axis in fixed else n + 1 for axis, n in enumerate(array.shape)])

    def stated_shape(self, tensor, shape, reshapes=False):
        """`tensor` made to fit a shape that the program states.

        Args:
          tensor: converts to a tensor.
          shape: TensorShape, or what `tf.reshape` takes.
          reshapes: whether `tensor` is to be reshaped to `shape`, of which one size may be -1.
        """
        node = to_node(tensor)
        if self.resizes and not engine.state.graph.symbolic and not node.aval.traced:
            array = np.asarray(engine.array_of(node))
            if reshapes:
                return wrap(engine.leaf(_reshapable(array, _sizes(shape))))
            if TensorShape(shape).rank is not None:
                return wrap(engine.leaf(fitted(array, TensorShape(shape).as_list())))
        if self.sample_size is not None and reshapes:
            return _reshapable_sample(node, shape, self.sample_size)
        return wrap(node)

    def assigned(self, variable):
        """Notes the value of a variable that is about to be assigned."""
        if self.variables is not None and id(variable) not in self.variables:
            self.variables[id(variable)] = variable, np.array(engine.array_of(variable._node))


# How much larger an integer becomes that may be a size. It is more than sizes grow, so that what remains of a longer
# array after a larger number has another size, too.
MORE = 2
_NO_TRIAL = Trial()


def current():
    """The Trial of this thread; one in which nothing is special if none is under way."""
    return engine.state.context.trial or _NO_TRIAL


@contextlib.contextmanager
def _with(**changes):
    """The trial under way, or none, with other attributes."""
    context = engine.state.context
    outer, context.trial = context.trial, dataclasses.replace(current(), **changes)
    try:
        yield context.trial
    finally:
        context.trial = outer


def samples(size):
    """Context in which values stand for others, and `size` for each size that is not known."""
    return _with(sample_size=size)


def first_call():
    """Context of the first of two calls. Its Trial collects the results of Python functions for `second_call`."""
    return _with(resizes=False, python_results=[])


def second_call(python_results):
    """Context of the second call, in which sizes that depend on values are others."""
    return _with(resizes=True, python_results=list(python_results))


@contextlib.contextmanager
def variables_restored():
    """Context after which variables have the values that they had before it."""
    variables: dict = {}
    with _with(variables=variables):
        try:
            yield
        finally:
            for variable, value in variables.values():
                variable._node = engine.leaf(value)


def python_result(call):
    """`call()`; in the second call what the first one returned.

    A loop whose size is larger in the second call asks more often than there are results: it gets the last one again.
    """
    trial = current()
    results = trial.python_results
    if trial.resizes and results:
        return results.pop(0) if len(results) > 1 else results[0]
    result = call()
    if results is not None:
        results.append(result)
    return result


def longer(items):
    """A list whose length depends on values; in the second call its middle item occurs twice."""
    if not current().resizes:
        return items
    return [*items[: len(items) // 2 + 1], *items[len(items) // 2 :]] if items else [b""]


def larger(number):
    """A number that may be a size; another one in the second call."""
    return number + MORE if current().resizes else number


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


def _sizes(shape):
    """What `tf.reshape` takes as a shape, as a list of ints."""
    return np.atleast_1d(np.asarray(static_value(shape), np.int64)).tolist()


def _reshapable(array, sizes):
    """An array that can be reshaped to `sizes`, of which one may be -1."""
    known = math.prod(n for n in sizes if n != -1)
    count = known if -1 not in sizes else known * max(-(-array.size // known), 1) if known else 0
    return array if array.size == count else fitted(array.reshape(-1), [count])


def _reshapable_sample(node, shape, sample_size):
    """A tensor that can be reshaped to `shape`, where only the size that stands for unknown ones is in the way."""
    try:
        sizes = _sizes(shape)
    except engine.SymbolicValueError:
        return wrap(node)
    count, stated = math.prod(node.aval.shape), math.prod(n for n in sizes if n != -1)
    fits = stated != 0 and count % stated == 0 if -1 in sizes else count == stated
    if fits or not stated or count % sample_size and stated % sample_size:
        return wrap(node)
    sizes = [max(count // stated, 1) if n == -1 else n for n in sizes]
    return wrap(engine.leaf(np.broadcast_to(np.zeros((), node.aval.dtype), sizes)))
