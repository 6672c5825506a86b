"""Errors of wrong arguments as they are raised while a function is traced."""

import contextlib
import re

from tfcompat import engine
from tfcompat.errors import FailedPreconditionError, InvalidArgumentError

# Messages of dtypes that do not fit, which TypeError tells in a function.
_OF_DTYPES = re.compile(
    r"of \w+ is not in the list of allowed values|was expected to be a|does not match expected type|"
    "[Mm]ust have the same d?type|int32 or int64 is needed|image must be uint8 or uint16"
)
_WHEN_RUN = "checked_when_run"
# Messages of values and sizes that TF's kernels check, not its shape inference: they are raised when a function runs.
_OF_KERNELS = re.compile("|".join([
    "segment ids are not increasing", "segment_ids should be the same size", "segment_ids must be below",
    r"Reduction axis \d+ is empty", r"\d+ is missing from {", r"axis -?\d+ is out of range", r"Expected size\[",
    "o(n|ff)_value must be a scalar", "Sliding window ksize must be", "filter must not have zero elements",
    "have every element be strictly positive", "strides in the batch and depth dimensions must be 1",
    "Need value.shape >= size", r"fft_length\[\d+\] must", "Integer division by zero",
    "Operands' shapes do not match", "Two operands have different ranks", "Invalid character found in base64",
    "num_classes should be positive", "`weights` must have the shape of `arr`",
    "params must be at least a vector", "Updates shape must have rank at least one", r"partitions\[.*\] = .* is not in",
    r"indices\[.*\] = .* is not in \[", "Could not create converter", "Key must have 2 elements",
    r"pos -?\d+ out of range", "num_bits must be between",
    "batch sizes should be the same", "height and width must be positive", "must have num_true columns",
    "Sampler's range is too small",
]))  # fmt: skip


def as_in_graph(kind, error):
    """`error` as TF raises it: while a function is traced, shape inference in Python raises `kind`.

    What depends on sizes that the function does not know in TF is checked when it runs; see `without_sizes`.
    """
    trace = engine.function_trace(engine.state.graph)
    if type(error) not in (InvalidArgumentError, FailedPreconditionError) or trace is None or hasattr(error, _WHEN_RUN):
        return error
    if kind is ValueError and (trace.forgets_sizes or _OF_KERNELS.search(str(error))):
        return error
    return kind(str(error))


@contextlib.contextmanager
def without_sizes():
    """In the context a function is traced for sizes that it does not know in TF.

    Raises:
      ValueError: for an InvalidArgumentError of a call that is wrong for all sizes: shape inference finds it in TF.
    """
    try:
        yield
    except InvalidArgumentError as error:
        if _OF_KERNELS.search(str(error)) or not engine.fails_for_other_sizes(error):
            raise
        raise ValueError(str(error)) from error


def of_kernel(error):
    """`error` as one of what TF checks when an op runs, in functions too."""
    setattr(error, _WHEN_RUN, True)
    return error


def when_run(message):
    """An InvalidArgumentError of what TF checks when an op runs, in functions too."""
    return of_kernel(InvalidArgumentError(None, None, message))


def in_function(error):
    """`error` as a function raises it that runs as plain Python: TypeError for a dtype, which TF finds in its graph."""
    is_of_dtype = not hasattr(error, _WHEN_RUN) and _OF_DTYPES.search(str(error))
    return TypeError(str(error)) if is_of_dtype else error


def of_argument(error):
    """An InvalidArgumentError of an argument as TF raises it: in a function TypeError for a dtype, else ValueError."""
    return as_in_graph(TypeError if _OF_DTYPES.search(str(error)) else ValueError, error)
