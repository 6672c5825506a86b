"""What the layers that prepare data share: `adapt`, and ids as one-hot rows or counts."""

from typing import Any

import numpy as np

from tfcompat import dtypes, nest
from tfcompat._core.convert import convert_to_tensor, known_values
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor
from tfcompat.array import cast, expand_dims, gather, identity, one_hot, reshape
from tfcompat.errors import OutOfRangeError
from tfcompat.function import inside_function
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.overrides import overridden
from tfcompat.layers._layer.shapes import Placeholder
from tfcompat.layers._symbolic.keras_tensor import KerasTensor
from tfcompat.math import bincount, minimum, multiply, reduce_max, reduce_sum
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.sparse import expand_dims as sparse_expand_dims
from tfcompat.sparse import to_dense
from tfcompat.sparse._tensor import SparseTensor

_HOST = "text and sparse outputs live on the host: call the layer outside of a tf.function"


# One of these overridden, `adapt` runs by them.
STEPS = ("make_adapt_function", "_adapt_maybe_build", "compile", "_configure_steps_per_execution")


class PreprocessingLayer(Layer):
    """A layer whose state comes from data, by `adapt`.

    A subclass overrides `update_state(data)`, `reset_state()` and `finalize_state()`.
    TF: `tf.keras.layers.experimental.preprocessing.PreprocessingLayer`; `adapt` is never compiled.
    """

    _is_adapted = _is_compiled = False
    _adapt_function: Any = None
    _steps_per_execution: Any

    @property
    def is_adapted(self):
        """Whether `adapt` was called."""
        return self._is_adapted

    def adapt(self, data, batch_size=None, steps=None):
        """Takes the state from data, in place of that before.

        Args:
          data: array, tensor or ragged tensor, or a dataset or other iterable of batches.
          batch_size: int, how much of an array counts as a batch; 32 by default.
          steps: int, how many batches to take; all of them by default.

        Raises:
          RuntimeError: inside a `tf.function`.
          ValueError: the state was given to the constructor.
        """
        if inside_function():
            raise RuntimeError(
                f"Detected a call to `PreprocessingLayer.adapt` inside a `tf.function`: call {self.name}.adapt outside "
                "of all enclosing `tf.function`s."
            )
        if not self._is_compiled and overridden(self, PreprocessingLayer, *STEPS):
            self.compile()
        if self.built:
            self.reset_state()
        if overridden(self, PreprocessingLayer, *STEPS):
            self._adapt_by_function(adapted_batches(data, batch_size or 32, steps), steps)
            return
        for number, batch in enumerate(adapted_batches(data, batch_size or 32, steps)):
            if steps is not None and number >= steps:
                break
            build_for(self, batch, data)
            self.update_state(batch)
        self.finalize_state()
        self.__dict__["_is_adapted"] = True

    def _adapt_by_function(self, batches, steps):
        function = self.make_adapt_function()
        self.__dict__["_adapt_function"] = function
        iterator = (convert_to_tensor(b) if isinstance(b, np.ndarray) else b for b in batches)
        at_once, number = int(self._steps_per_execution), 0
        try:
            while steps is None or number < steps:
                function(iterator)
                number += at_once
        except (StopIteration, OutOfRangeError):
            pass
        self.finalize_state()
        self.__dict__["_is_adapted"] = True

    def compile(self, run_eagerly=None, steps_per_execution=None):
        """Says how `adapt` runs, which is always as plain Python.

        Args:
          run_eagerly: bool, of no effect.
          steps_per_execution: int, how many batches a call of the function of `make_adapt_function` takes.
        """
        self._configure_steps_per_execution(1 if steps_per_execution is None else steps_per_execution)
        self.__dict__["_run_eagerly"] = self.dynamic if run_eagerly is None else run_eagerly
        self.__dict__["_is_compiled"] = True

    def _configure_steps_per_execution(self, steps_per_execution):
        self.__dict__["_steps_per_execution"] = convert_to_tensor(steps_per_execution, dtypes.int64)

    def make_adapt_function(self):
        """For subclasses: a function that takes batches from an iterator, and the state from these."""
        if self._adapt_function is None:

            def adapt_function(iterator):
                for _ in range(int(self._steps_per_execution)):
                    batch = next(iterator)
                    self._adapt_maybe_build(batch)
                    self.update_state(batch)

            self.__dict__["_adapt_function"] = adapt_function
        return self._adapt_function

    def _adapt_maybe_build(self, data):
        build_for(self, data, data)

    def update_state(self, data):
        """Takes a batch in."""
        raise NotImplementedError

    def reset_state(self):
        """Forgets the data."""
        raise NotImplementedError

    def finalize_state(self):
        """Makes what `call` uses of the data seen."""


def adapted_batches(data, size, steps):
    """What `adapt` iterates over: the data in batches of `size`, or the dataset or iterable itself."""
    if isinstance(data, list | tuple):
        data = np.asarray(data)
    if isinstance(data, np.ndarray | Tensor | RaggedTensor):
        length = data.nrows() if isinstance(data, RaggedTensor) else data.shape[0]
        return (data[start : start + size] for start in range(0, int(length), size))
    if hasattr(data, "_pass_over") and steps in (None, int(data.cardinality())):
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/engine/data_adapter.py
        data._pass_over()  # TF: DataHandler.enumerate_epochs makes an iterator, and another one for the first epoch
    return data


def build_for(layer, batch, data):
    """Builds a layer for batches like the one given, unless it is built. Other batches may be smaller."""
    if layer.built:
        return
    shape = getattr(batch, "shape", None)
    if shape is not None and len(shape):
        if not hasattr(layer, "_batch_input_shape"):
            layer.__dict__["_batch_input_shape"] = (None,) * len(shape)
        known = getattr(getattr(data, "element_spec", None), "shape", None)
        batch = Placeholder([known[0] if known else None, *shape[1:]], batch.dtype)
    layer._maybe_build(batch)


def ensure_tensor(inputs, dtype=None):
    """`inputs` as a tensor, sparse or ragged where they are, of a dtype if one is given."""
    if not isinstance(inputs, Tensor | RaggedTensor | SparseTensor):
        has_tensors = any(isinstance(x, Tensor) for x in nest.flatten(inputs))
        inputs = convert_to_tensor(inputs, None if has_tensors else dtype)
    return inputs if dtype is None or inputs.dtype == dtype else cast(inputs, dtype)


def on_values(function, inputs):
    """`function` of a tensor, or of the values of a sparse or ragged one."""
    if isinstance(inputs, SparseTensor):
        return SparseTensor(inputs.indices, function(inputs.values), inputs.dense_shape)
    if isinstance(inputs, RaggedTensor):
        return inputs.with_flat_values(function(inputs.flat_values))
    return function(inputs)


def check_choice(layer, argument, value, choices, none=False, callables=False):
    """Raises ValueError for an option that is not one of `choices`."""
    if (none and value is None) or (callables and callable(value)) or (isinstance(value, str) and value in choices):
        return
    others = "`None`, " * none + "a `Callable`, " * callables
    raise ValueError(
        f"Unkown value for `{argument}` argument of layer {layer}. Allowed values are: {others}or one of the following "
        f"values: {choices}. Received: {value}"
    )


def check_encoding(layer, output_mode, choices, sparse, dtype):
    """Raises ValueError for an `output_mode` outside of `choices`, or one that the other options do not go with."""
    if output_mode == "int" and not layer._compute_dtype_object.is_integer:
        raise ValueError(f"When `output_mode='int'`, `dtype` should be an integer type. Received: dtype={dtype}")
    check_choice(type(layer).__name__, "output_mode", output_mode, choices)
    if sparse and output_mode == "int":
        others = ", ".join(f"`'{choice}'`" for choice in choices if choice != "int")
        raise ValueError(
            f"`sparse` may only be true if `output_mode` is one of {others}. Received: sparse={sparse} and "
            f"output_mode={output_mode}"
        )


def encode(ids, output_mode, depth, dtype, sparse=False, count_weights=None, idf_weights=None):
    """Ids as they are, or as rows of `depth` numbers.

    Args:
      ids: integer tensor, sparse or ragged tensor; of rank 2 at most unless `output_mode` is "int". Those of `depth`
        and more are passed over.
      output_mode: "int", "one_hot", "multi_hot", "count" or "tf_idf".
      depth: int, size of the last axis.
      dtype: DType of the result.
      sparse: bool, whether the result is a SparseTensor.
      count_weights: what each id counts, a tensor of the kind of `ids`, or None.
      idf_weights: vector of factors, for "tf_idf".

    Raises:
      ValueError: the result would have a rank above 2.
    """
    if output_mode == "int":
        return identity(cast(ids, dtype)) if isinstance(ids, Tensor) else cast(ids, dtype)
    shape = ids.shape
    if shape.rank == 0:
        ids = expand_dims(ids, -1)
    if output_mode == "one_hot" and ids.shape.as_list()[-1] != 1:
        ids = sparse_expand_dims(ids, -1) if isinstance(ids, SparseTensor) else expand_dims(ids, -1)
    if ids.shape.rank > 2:
        raise ValueError(
            "When output_mode is not `'int'`, maximum supported output rank is 2. Received output_mode "
            f"{output_mode} and input shape {shape}, which would result in output rank {ids.shape.rank}."
        )
    binary = output_mode in ("one_hot", "multi_hot")
    ids, count_weights = _dense(ids, depth), None if count_weights is None else _dense(count_weights, 0)
    sizes = {"minlength": depth, "maxlength": depth, "axis": -1}
    if known_values(ids) is None:
        rows = one_hot(cast(minimum(ids, depth), "int32"), depth, dtype=dtype)
        rows = rows if count_weights is None else rows * expand_dims(cast(count_weights, dtype), -1)
        counts = reduce_max(rows, -2) if binary else reduce_sum(rows, -2)
    else:
        counts = bincount(ids, weights=count_weights, dtype=dtype, binary_output=binary, **sizes)
    if output_mode == "tf_idf":
        counts = multiply(counts, idf_weights)
    return cast(counts, dtype) if not sparse else _sparse(cast(counts, dtype), bincount(ids, **sizes))


def _dense(ids, filler):
    if isinstance(ids, RaggedTensor):
        return ids.to_tensor(default_value=filler)
    return to_dense(ids, default_value=filler) if isinstance(ids, SparseTensor) else ids


def _sparse(values, counts):
    """The values of places whose ids occur, whatever they are."""
    places = np.argwhere(known_values(counts, _HOST) > 0)
    flat = np.ravel_multi_index(tuple(places.T), tuple(values.shape.as_list()))
    return SparseTensor(places.astype(np.int64), gather(reshape(values, [-1]), flat), values.shape.as_list())


def encoded_shape(shape, output_mode, depth):
    """The shape of `encode` for ids of a shape, a list."""
    if output_mode == "int":
        return TensorShape(shape)
    if not shape or (output_mode == "one_hot" and shape[-1] != 1):
        return TensorShape([*shape, depth])
    return TensorShape([*shape[:-1], depth])


def symbolic_output(shape, dtype, unknown=False):
    """The KerasTensor for a layer whose output is known without a trace; None if it is not (`unknown`)."""
    return None if unknown else KerasTensor(TensorShape(shape), dtypes.as_dtype(dtype))
