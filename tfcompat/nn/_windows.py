"""Windows sliding over the spatial axes of images, shared by convolution and pooling."""

from tfcompat import engine
from tfcompat._core.in_graphs import when_run
from tfcompat.array._arguments import as_int, as_ints, invalid

_LAYOUTS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


def channels_first(data_format, spatial, argument="data_format"):
    """Whether the channels come before the `spatial` axes in this format; the last place is the default."""
    if data_format is None:
        return False
    last, first = _LAYOUTS[spatial]
    if data_format not in (last, first):
        raise invalid(
            f'Value for attr "{argument}" of "{data_format}" is not in the list of allowed values: '
            f'"{last}", "{first}"'
        )
    return data_format == first


def per_axis(value, spatial, first, argument, error=ValueError):
    """One number for each spatial axis, of an int or of a list of 1, `spatial` or `spatial` + 2 numbers.

    `error` makes the exception for another length.
    """
    numbers = as_ints(1 if value is None else value, argument)
    if len(numbers) == 1:
        return numbers * spatial
    if len(numbers) == spatial:
        return numbers
    if len(numbers) != spatial + 2:
        raise error(
            f"{argument} should be of length 1, {spatial} or {spatial + 2}. Received: {argument}={value}"
        )
    channel = 1 if first else spatial + 1
    if numbers[0] != 1 or numbers[channel] != 1:
        error = when_run if argument == "strides" and min(numbers) > 0 else invalid
        raise error(f"{argument} in the batch and depth dimensions must be 1, got {numbers}")
    return numbers[2:] if first else numbers[1:-1]


def check_positive(numbers, argument, error=invalid):
    """Raises unless all numbers are positive. `error` makes the exception of a message."""
    for one in numbers:
        if one <= 0:
            raise error(f"{argument} must be > 0, but got {one}")
    return numbers


def pads(padding, sizes, windows, strides, first):
    """(before, after) for each spatial axis.

    Args:
      padding: "SAME", "VALID", or a pair of numbers for each axis, batch and channels included.
      sizes: spatial sizes of the input.
      windows: sizes of the window, with its dilation.
      strides: how far it moves.
      first: whether the channels come first.
    """
    if isinstance(padding, str) and padding.upper() in ("SAME", "VALID"):
        if padding.upper() == "VALID":
            result = ((0, 0),) * len(sizes)
        else:
            result = tuple(_same(*each) for each in zip(sizes, windows, strides, strict=True))
    elif isinstance(padding, tuple):
        result = _explicit(padding, len(sizes), first)
    else:
        raise invalid(
            f'Value for attr "padding" of "{padding}" is not in the list of allowed values: "SAME", "VALID"'
        )
    for size, window, stride, (before, after) in zip(sizes, windows, strides, result, strict=True):
        room = size + before + after - window + stride
        if room <= -stride:  # TF divides as C does, towards zero
            raise invalid(
                f"Computed output size would be negative: {-(-room // stride)} "
                f"[input_size: {size}, effective_filter_size: {window}, stride: {stride}]"
            )
    return result


def fitting(size, window, stride):
    """How many places a window has along an axis of this size, which includes padding; none if it is too large."""
    return (size - window) // stride + 1 if size >= window else 0


def refuses_in_graphs(op):
    """Makes an op of windows refuse those larger than the padded image in a function, as TF's shape inference does.

    Called eagerly, and where the function knows no sizes, it gives a result without elements.
    """
    op.operation.keeps_empty, op.spec.when_empty = False, _check_in_graph
    return op


def _check_in_graph(spec, args, kwargs, result):
    """Raises where a window is larger than the padded image.

    Args:
      spec: of the op.
      args, kwargs: of the call.
      result: node, or a tuple of nodes.

    Raises:
      ValueError: in a function that knows the sizes.
    """
    shape = (result[0] if type(result) is tuple else result).aval.shape
    if 0 not in shape:
        return
    arguments = spec.bound(args, kwargs)
    trace = engine.function_trace(engine.state.graph)
    if trace is None or trace.forgets_sizes or str(arguments["padding"]).upper() == "SAME":
        return
    spatial = arguments.get("spatial", 2)
    first = channels_first(arguments.get("data_format"), spatial)
    end = len(shape) if first else len(shape) - 1
    if 0 in shape[end - spatial : end]:
        raise ValueError(
            "Negative dimension size caused by subtracting a window from the smaller padded input of shape "
            f"{arguments['input'].shape} for {spec.kernel}"
        )


def _same(size, window, stride):
    total = max((-(-size // stride) - 1) * stride + window - size, 0)
    return total // 2, total - total // 2


def _explicit(padding, spatial, first):
    if len(padding) != spatial + 2:
        raise ValueError(
            f"When padding is a list, it must be of size {spatial + 2}. "
            f"Received: padding={padding} of size {len(padding)}"
        )
    rows = []
    for row in padding:
        if not isinstance(row, tuple) or len(row) != 2:
            raise ValueError(
                f"When padding is a list, each element must be a list/tuple of size 2, got {row}"
            )
        rows.append(tuple(as_int(one, "padding") for one in row))
    channel = 1 if first else spatial + 1
    if rows[0] != (0, 0) or rows[channel] != (0, 0):
        raise ValueError("When padding is a list, it must be zero for the batch and channel axes")
    if any(one < 0 for row in rows for one in row):
        raise invalid(f"All elements of explicit_paddings must be nonnegative, got {rows}")
    return tuple(rows[2:] if first else rows[1:-1])
