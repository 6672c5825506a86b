"""Calls of layers on KerasTensors: the layer is built and traced for the shapes and dtypes of its outputs."""

import contextlib
import random
import time
from typing import Any

import numpy as np

from tfcompat import dtypes, nest
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.convert import convert_to_tensor, is_registered, value_by_constants
from tfcompat._core.name_scope import layer_counters, layer_names, name_scope
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import SymbolicTensor, Tensor, dtype_of
from tfcompat._core.trial import Trial, first_call, samples, second_call
from tfcompat._core.variable import Variable
from tfcompat._tracing.eagerly import needs_values
from tfcompat.array import identity, ones
from tfcompat.errors import UnimplementedError
from tfcompat.function import function
from tfcompat.layers._layer.call_context import call_context
from tfcompat.layers._layer.input_spec import assert_input_compatibility
from tfcompat.layers._layer.mask_propagation import mask_of
from tfcompat.layers._layer.shapes import relaxed
from tfcompat.layers._symbolic.composite_symbols import CompositeKerasTensor, symbol_of
from tfcompat.layers._symbolic.keras_tensor import KerasTensor, Node
from tfcompat.layers._symbolic.object_symbols import ObjectKerasTensor, passed_on
from tfcompat.layers._symbolic.samples import TEXTS, all_symbols, is_text, sample_of
from tfcompat.layers._symbolic.symbolic_slices import known_key, with_unknown_sizes
from tfcompat.layers._symbolic.trial_sizes import FEW, MOST_TRIALS, SIZES, between, first_tried, plain_sizes
from tfcompat.ragged._tensor import RaggedTensorSpec

# Elements of an integer tensor whose values are kept, since they may be sizes.
_LARGEST_SAMPLE = 64
_PATIENCE = 30  # seconds, after which no other sizes are tried


def call_symbolically(layer, inputs, args=(), kwargs=None):
    """The outputs of `layer(inputs, *args, **kwargs)`, as KerasTensors.

    Args:
      layer: Layer; built if it is not.
      inputs, args, kwargs: structures with KerasTensors in them.

    Keras builds its graph by calling each layer once, so random layers go on with the next seeds, unless
    `call_context.keep_seeds`.

    Raises:
      what the layer raises for such inputs.
      tf.errors.UnimplementedError: the layer returns values made of several tensors, other than sparse or ragged ones.
    """
    kwargs = dict(kwargs or {})
    layer._inbound_nodes  # noqa: B018  Those of a Sequential are made when they are asked for; they come first.
    assert_input_compatibility(layer.input_spec, inputs, layer.name)
    with layer_names():
        with name_scope(""), name_scope(layer._name_scope()):  # TF gives such calls a graph of their own
            layer._maybe_build(inputs)
        layer._prepare(inputs)
        outputs = inferred(layer, inputs, args, kwargs, call_context.keep_seeds, keep_losses=True)
    if not any(isinstance(x, KerasTensor) for x in nest.flatten(outputs)):
        raise ValueError(f'Layer "{layer.name}" returned no tensor: {outputs}')
    Node(layer, (inputs, *args), kwargs, outputs)
    return outputs


def inferred(layer, inputs, args=(), kwargs=None, keep_seeds=True, keep_losses=False):
    """The outputs of a built layer, as KerasTensors without history; for the arguments see `call_symbolically`."""
    kwargs = kwargs or {}
    symbols = _leaves(nest.flatten((inputs, args, kwargs)))
    if hasattr(layer, "_called_symbolically") and not any(isinstance(x, CompositeKerasTensor) for x in symbols):
        output = layer._called_symbolically(inputs)
        if output is not None:
            return output
    if getattr(layer, "_slices", False):
        output = _sliced(layer, inputs, args[0] if args else kwargs["slice_spec"])
        if output is not None:
            return output
    texts = TEXTS if any(is_text(x, layer) for x in symbols) else TEXTS[:1]
    tries, error, end = first_tried(symbols, texts), None, time.monotonic() + _PATIENCE
    more, usual, states = True, tries[0], (_seeds(layer), random.getstate(), np.random.get_state())
    for tried in tries:  # grows
        try:
            return _inferred(layer, inputs, args, kwargs, keep_seeds, keep_losses, symbols, tried)
        except Exception as refused:  # another text, smaller sizes or a constant may work
            _put_back(*states)
            if error is None:
                error = refused
                if len(texts) == 1 and not tried.is_named(refused):
                    break
                tries += usual.alike(symbols) + [usual._replace(sizes=few) for few in FEW]
            if time.monotonic() > end:
                break
            if more and tried.sizes is usual.sizes and tried.texts is usual.texts:
                tries += tried.narrowed(symbols, refused)
                del tries[MOST_TRIALS:]
            if more and tried is tries[-1]:
                tries += usual.ones(symbols)
                more = False
    raise _as_told(error, layer)


def _sliced(layer, inputs, key):
    """What `inferred` gives for a slice with KerasTensors in its key; None without any."""
    without_symbols = known_key(key)
    if without_symbols is None:
        return None
    key, unknown = without_symbols
    output = inferred(layer, inputs, (key,))
    return KerasTensor(with_unknown_sizes(output.shape, key, unknown), output.dtype) if unknown else output


def _put_back(seeds, python_state, numpy_state):
    """Puts random states back after a failed trial."""
    for drawing, seed in seeds:
        drawing._next_seed = seed
    random.setstate(python_state)
    np.random.set_state(numpy_state)


def _inferred(layer, inputs, args, kwargs, keep_seeds, keep_losses, symbols, tried):
    """As `inferred`, with these sizes and texts."""
    seeds, first = _seeds(layer), Trial()
    losses = [(x, x.__dict__["_symbolic_losses"]) for x in layer._flatten_layers() if "_symbolic_losses" in x.__dict__]
    trace = _trace
    try:
        trials = [trace(layer, inputs, args, kwargs, 0, tried)]
    except Exception as error:
        if not needs_values(error):
            raise
        try:
            trace, tried = _plainly, tried._replace(sizes=plain_sizes(symbols))
            with first_call() as first:
                trials = [trace(layer, inputs, args, kwargs, 0, tried)]
        except Exception as refused:
            raise (refused if tried.is_named(refused) else error) from None
    if not keep_seeds:
        seeds = _seeds(layer)
    if trace is _plainly or any(_may_vary(x, layer) for x in symbols):
        # Layers may draw from these generators. Keras calls them once only.
        python_state, numpy_state = random.getstate(), np.random.get_state()
        try:
            # Sizes that depend on values are not known.
            with second_call(first.python_results) if trace is _plainly else contextlib.nullcontext():
                trials.append(trace(layer, inputs, args, kwargs, 1, tried))
        except Exception:
            if trace is not _plainly:
                raise
            # Sizes that depend on values do not fit each other if each gets one more.
            with first_call():
                trials.append(nest.map_structure(_with_other_rows, trace(layer, inputs, args, kwargs, 1, tried)))
        random.setstate(python_state)
        np.random.set_state(numpy_state)
    for drawing, seed in seeds:
        drawing._next_seed = seed
    for inner, earlier_losses in losses:
        inner.__dict__["_symbolic_losses"] = earlier_losses
    if keep_losses and trace is _trace:
        layer._keep_symbolic_losses()
    _clear_losses(layer)
    if trace is _plainly or any(_is_made(x, layer) for x in symbols):
        for each in nest.flatten(trials):
            if isinstance(each, _Seen):
                each.value = None  # values decide it, not sizes
    return nest.map_structure(lambda first, second: _merged(first, second, tried), trials[0], trials[-1])


def _clear_losses(layer):
    """Forgets the losses of a trial."""
    for inner in layer._flatten_layers():
        if inner._eager_losses_of_thread is not None:
            inner._eager_losses.clear()


def _seeds(layer):
    return [(inner, inner._next_seed) for inner in layer._flatten_layers() if "_next_seed" in inner.__dict__]


class _Seen:
    """What is known of an output: shape, dtype, and its value if sizes determine it."""

    def __init__(self, x):
        self.shape, self.dtype = x.shape, dtype_of(x._node)
        value = x._node.value
        small = self.dtype.is_integer and x.shape.num_elements() is not None
        small = small and x.shape.num_elements() <= _LARGEST_SAMPLE
        if small and value is None and isinstance(x, SymbolicTensor):
            value = value_by_constants(x)
        self.value = value if small and isinstance(value, np.ndarray) else None
        mask = mask_of(x)
        self.mask_shape = None if mask is None else mask.shape
        self.kind = KerasTensor


def _with_other_rows(seen):
    """A `_Seen` with another number of rows: how many there are may depend on values."""
    if isinstance(seen, _Seen) and seen.shape.rank:
        rows, *sizes = seen.shape.as_list()
        seen.shape = TensorShape([rows + 1, *sizes])
    return seen


def _trace(layer, inputs, args, kwargs, trial, tried):
    """The structure of outputs, a `_Seen` for each tensor, where unknown sizes are those of a trial."""
    flat = nest.flatten((inputs, args, kwargs))
    size = tried.sizes[trial]
    seen: list[Any] = []
    counters = layer_counters()

    def run(*tensors):
        traced = iter(tensors)

        def unknown(x):
            return _sample(x, trial, tried) if _is_made(x, layer) else next(traced)

        filled = [_stand_in(x, trial, tried, unknown) for x in flat]
        with layer_names(counters):
            seen.append(_outputs(layer, nest.pack_sequence_as((inputs, args, kwargs), filled), size))

    specs = [_specified(x, trial, tried) for x in _leaves(flat) if x._samples is None and not _is_made(x, layer)]
    function(run, autograph=False).get_concrete_function(*specs)
    _forget_sizes(layer, tried.sizes)
    return seen[0]


def _may_vary(x, layer):
    """Whether sizes may depend on a KerasTensor: its own, or those of what is made of text."""
    return x._samples is not None or None in x.shape.as_list() or is_text(x, layer)


def _leaves(values):
    """The KerasTensors among values, or those that their stand-ins are made from."""
    return [leaf for x in all_symbols(values) for leaf in x.leaves()]


def _is_made(x, layer):
    """Whether the stand-in for a KerasTensor has values in a trace, since text and row partitions are on the host."""
    return isinstance(x, CompositeKerasTensor) or is_text(x, layer)


def _plainly(layer, inputs, args, kwargs, trial, tried):
    """As `_trace`, for a layer that needs values to know the sizes of its outputs: zeros, then also ones."""

    def sample(x):
        return _stand_in(x, trial, tried, lambda x: _sample(x, trial, tried))

    for x in _leaves(nest.flatten((inputs, args, kwargs))):
        _check_rank(x)
    outputs = _outputs(layer, nest.map_structure(sample, (inputs, args, kwargs)), tried.sizes[trial])
    _forget_sizes(layer, tried.sizes)
    return outputs


def _stand_in(x, trial, tried, unknown):
    """What stands for a KerasTensor in a trial: `unknown(x)` where sizes do not decide its value; others themselves."""
    if not isinstance(x, KerasTensor):
        return x
    if isinstance(x, ObjectKerasTensor):
        return x.made_of(lambda part: _stand_in(part, trial, tried, unknown))
    tensor = unknown(x) if x._samples is None else convert_to_tensor(tried.sample(x, trial))
    return _masked(tensor, x, trial, tried)


def _sample(x, trial, tried):
    return sample_of(x, tried.shape(x, x.shape, trial), trial, tried.texts)


def _masked(tensor, symbol, trial, tried):
    """`tensor` with a mask if the KerasTensor that it stands for has one."""
    if symbol._mask_shape is not None:
        tensor = identity(tensor)
        tensor._keras_mask = ones(tried.shape(symbol, symbol._mask_shape, trial), dtypes.bool)
    return tensor


def _outputs(layer, arguments: Any, size):
    """What is seen of the outputs of a layer, called by itself with (inputs, args, kwargs), and `size` for what is
    unknown."""
    inputs, args, kwargs = arguments
    outer, call_context.current = call_context.current, (None, None)
    try:
        with samples(size):
            return nest.map_structure(_seen, _call_of(layer)(layer, inputs, *args, **kwargs))
    except Exception:
        _clear_losses(layer)
        raise
    finally:
        call_context.current = outer


def _call_of(layer):
    """`__call__` of a layer's class in tfcompat, since that of the program's class has led here."""
    for base in type(layer).__mro__:
        if "__call__" in base.__dict__ and base.__module__.startswith("tfcompat."):
            return base.__call__
    return type(layer).__call__


def _forget_sizes(layer, tried):
    """Replaces trial sizes by None in the shapes that layers have noted."""
    for inner in layer._flatten_layers():
        for attribute in ("_build_input_shape", "_known_shape"):
            shape = inner.__dict__.get(attribute)
            if isinstance(shape, TensorShape) and shape.rank and any(size in tried for size in shape.as_list()):
                unknown = [None if size in tried else size for size in shape.as_list()]
                inner.__dict__[attribute] = TensorShape(unknown)


def _specified(x, trial, tried):
    _check_rank(x)
    dtype = dtypes.float32 if x.dtype.name == "string" else x.dtype  # a trace sees only the shape of text
    return TensorSpec(tried.shape(x, x.shape, trial), dtype)


def _check_rank(x):
    if x.shape.rank is None:
        raise UnimplementedError(
            None, None, f"{x} has no known rank: that is not available in tfcompat; give `tf.keras.Input` a shape"
        )


def _seen(output):
    if isinstance(output, Variable):
        output = output.read_value()
    if isinstance(output, CompositeTensor):
        spec = output._type_spec  # pyright: ignore
        if symbol_of(spec) is not None:
            return _SeenComposite(spec)
        raise UnimplementedError(
            None, None,
            f"a {type(output).__name__} between the layers of a functional model is not available in tfcompat: use a "
            "subclass of tf.keras.Model",
        )  # fmt: skip
    if isinstance(output, Tensor) or not is_registered(output):
        return _Seen(output) if isinstance(output, Tensor) else output
    seen = _Seen(convert_to_tensor(output))
    if isinstance(output, tuple(passed_on)):
        seen.kind = ObjectKerasTensor
    return seen


class _SeenComposite:
    """What is known of a ragged or sparse output: its spec."""

    def __init__(self, spec):
        self.spec = spec

    def merged(self, other):
        """The KerasTensor for what was seen in both trials."""
        shape = relaxed(self.spec.shape, other.spec.shape)
        if isinstance(self.spec, RaggedTensorSpec):
            return symbol_of(
                RaggedTensorSpec(shape, self.spec.dtype, self.spec.ragged_rank, self.spec.row_splits_dtype)
            )
        return symbol_of(type(self.spec)(shape, self.spec.dtype))


def _merged(first, second, tried):
    if isinstance(first, _SeenComposite):
        return first.merged(second)
    if not isinstance(first, _Seen):
        return first
    samples = None
    if first.value is not None and second.value is not None and first.value.shape == second.value.shape:
        samples = first.value, second.value
        if tried.sizes is not SIZES:
            samples = [between(samples, tried.sizes, size) for size in SIZES]
    mask_shape = first.mask_shape and relaxed(first.mask_shape, second.mask_shape)
    return first.kind(relaxed(first.shape, second.shape), first.dtype, samples, mask_shape)


def _as_told(error, layer):
    """`error` with None in place of trial sizes in its message, and the layer named as Keras does here."""
    text = error.message if hasattr(error, "message") else error.args[0] if error.args else None
    if not isinstance(text, str):
        return error
    text = text.replace(f"layer '{layer.name}' (type ", f'layer "{layer.name}" (type ')
    for size in SIZES:
        text = text.replace(str(size), "None")
    if hasattr(error, "_message"):
        error._message = text
    error.args = (text, *error.args[1:])
    return error
