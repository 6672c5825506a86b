"""Calls that compute on the host, such as those of tables, in graphs of TensorFlow 1: a run repeats them."""

import functools

from tfcompat import nest
from tfcompat._core import graphs
from tfcompat.errors import UnimplementedError


def recorded(kind, result, always=False):
    """Decorator of a function that computes on the host: while a graph is built, its calls are recorded.

    Args:
      kind: TF's name of the kernel.
      result: function of the same arguments that gives the structure of the results, with a `Result` for each tensor;
        None where there are none, and a run of the operation changes something.
      always: whether a call without tensors of the graph is recorded, too.
    """

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            if graphs.current() is None:
                return function(*args, **kwargs)
            if not always and not any(isinstance(x, graphs.Recorded) for x in nest.flatten((args, kwargs))):
                return function(*args, **kwargs)
            made = result(*args, **kwargs)
            return graphs.record(
                function, args, kwargs, kind, kind, graphs.Inferred(made), effect=made is None,
                attributes={"on_host": True},
            )  # fmt: skip

        return wrapper

    return decorate


def known_in_graph(x):
    """`x` itself; the array of a constant of a graph.

    Raises:
      tf.errors.UnimplementedError: a tensor of a graph that only a run computes.
    """
    if not isinstance(x, graphs.GraphTensor) or graphs.state.run is not None:
        return x
    known = x.known_value()
    if known is None:
        raise UnimplementedError(None, None, f"{x} must be a constant here: it is needed while the graph is built")
    return known
