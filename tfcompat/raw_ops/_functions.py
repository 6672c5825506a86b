"""Raw ops that call functions: callables of tensors that return a list of tensors."""

from tfcompat import array, dtypes, math
from tfcompat._control import cond as cond_
from tfcompat._control import switch_case, while_loop
from tfcompat._control._tensor_array import TensorArray
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.shape import as_shape
from tfcompat._core.tensor import Tensor
from tfcompat.raw_ops._registry import raw


def _as_list(results):
    return list(results) if isinstance(results, list | tuple) else [] if results is None else [results]


def truth(value):
    """A scalar as a bool, as TensorFlow takes it: numbers other than 0 are true, and so is text that is not empty."""
    value = convert_to_tensor(value)
    if value.shape.rank:
        return math.greater(array.size(value), 0)
    if value.dtype is dtypes.string:
        return convert_to_tensor(bool(value.numpy()))
    return value if value.dtype is dtypes.bool else math.not_equal(value, array.zeros([], value.dtype))


@raw("PartitionedCall", "StatefulPartitionedCall", ignored=("Tout", "config", "config_proto", "executor_type"))
def _call(args, f):
    """What the function returns."""
    return _as_list(f(*args))


@raw("If", "StatelessIf", ignored=("Tout", "output_shapes"))
def _if(cond, input, then_branch, else_branch):
    """What one of two functions returns."""
    def of(branch):
        return lambda: tuple(_as_list(branch(*input)))

    return _as_list(cond_(truth(cond), of(then_branch), of(else_branch)))


@raw("Case", "StatelessCase", ignored=("Tout", "output_shapes"))
def _case(branch_index, input, branches):
    """What one of several functions returns."""
    return _as_list(switch_case(branch_index, [lambda f=f: tuple(_as_list(f(*input))) for f in branches]))


@raw("While", "StatelessWhile")
def _while(input, cond, body, output_shapes=()):
    """The state of a loop when it ends.

    What the body returns as it came, and what is no tensor (a variable, a table), is not carried.
    """
    returned = getattr(body, "returned_as_taken", frozenset())
    carried = [
        i for i, x in enumerate(input) if i not in returned and isinstance(x, Tensor | TensorArray)
    ]  # fmt: skip

    def state(values):
        values = dict(zip(carried, values, strict=True))
        return [values.get(i, x) for i, x in enumerate(input)]

    def turn(*values):
        results = _as_list(body(*state(values)))
        return tuple(results[i] for i in carried)

    shapes, invariants = [as_shape(shape) for shape in output_shapes or ()], None
    if len(shapes) == len(input) and any(shape.rank and not shape.is_fully_defined() for shape in shapes):
        invariants = [shapes[i] if shapes[i].rank is not None else getattr(input[i], "shape", None) for i in carried]
    def loop(invariants):
        start = [input[i] for i in carried]
        return while_loop(lambda *values: truth(cond(*state(values))[0]), turn, start, invariants)

    try:
        return state(loop(None))
    except ValueError:  # a shape changes
        if invariants is None:
            raise
        return state(loop(invariants))


@raw()
def For(start, limit, delta, input, body):
    """The state of a loop over numbers when it ends; the number comes first in the body."""
    start, limit, delta = (convert_to_tensor(x, dtypes.int32) for x in (start, limit, delta))
    goes_on = lambda i, *_: array.where(delta > 0, i < limit, i > limit)  # noqa: E731
    return list(while_loop(goes_on, lambda i, *state: (i + delta, *_as_list(body(i, *state))), [start, *input])[1:])


@raw(ignored=("Tout", "target"))
def RemoteCall(args, f):
    """What the function returns; all devices are one here."""
    return _as_list(f(*args))


@raw(ignored=(
    "Tout", "num_batch_threads", "max_batch_size", "batch_timeout_micros", "max_enqueued_batches",
    "allowed_batch_sizes", "batching_queue", "low_priority_max_batch_size", "low_priority_batch_timeout_micros",
    "low_priority_allowed_batch_sizes", "low_priority_max_enqueued_batches", "mixed_priority_policy",
    "batch_padding_policy", "enable_large_batch_splitting",
))  # fmt: skip
def BatchFunction(in_tensors, captured_tensors, f):
    """What the function returns of this batch; calls are not joined with others."""
    return _as_list(f(*in_tensors, *captured_tensors))


@raw(ignored=("output_types", "output_shapes", "max_intra_op_parallelism"))
def MapDefun(arguments, captured_inputs, f):
    """What the function returns of each row of the arguments, stacked."""
    columns = [array.unstack(convert_to_tensor(x)) for x in arguments]
    rows = [_as_list(f(*row, *captured_inputs)) for row in zip(*columns, strict=True)]
    return [array.stack(results) for results in zip(*rows, strict=True)]
