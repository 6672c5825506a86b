"""Layers of several inputs: Add, Subtract, Multiply, Average, Maximum, Minimum, Concatenate, Dot."""

import functools
from typing import Any

from tfcompat import math
from tfcompat._core.shape import TensorShape
from tfcompat.array import concat, expand_dims, ones_like
from tfcompat.layers._layer.call_context import call_context
from tfcompat.layers._layer.composite_inputs import joined
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.mask_propagation import check_masks, merged_mask
from tfcompat.layers._layer.shapes import as_shapes, as_tuples
from tfcompat.linalg import einsum
from tfcompat.math import l2_normalize


def _shapes_of(input_shape) -> Any:
    """The input shapes as tuples; one shape stays one tuple."""
    return as_tuples(as_shapes(input_shape))


class _Merge(Layer):
    """Elementwise combination of a list of inputs, which broadcast against one another.

    Raises:
      ValueError: the inputs are no list, or do not broadcast.
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def _merge_function(self, inputs):
        raise NotImplementedError

    def _merged_shape(self, shapes):
        if not isinstance(shapes[0], tuple):
            raise ValueError(
                "A merge layer should be called on a list of inputs. Received: "
                f"input_shape={shapes} (not a list of shapes)"
            )
        batches = {shape[0] for shape in shapes if shape} - {None}
        if len(batches) > 1 and not call_context.batch_size_is_unknown:
            raise ValueError(
                f"Cannot merge tensors with different batch sizes. Got tensors with shapes {shapes}"
            )
        rest = functools.reduce(self._compute_elemwise_op_output_shape, [shape[1:] for shape in shapes])
        return (batches.pop() if len(batches) == 1 else None, *rest)

    def _compute_elemwise_op_output_shape(self, shape1, shape2):
        return _broadcast(shape1, shape2)

    def build(self, input_shape):
        shapes = _shapes_of(input_shape)
        self._merged_shape(shapes)
        self._ranks_differ = len({len(shape) for shape in shapes}) > 1
        super().build(input_shape)

    def call(self, inputs):
        if not isinstance(inputs, list | tuple):
            raise ValueError(
                f"A merge layer should be called on a list of inputs. Received: inputs={inputs} (not a list "
                "of tensors)"
            )
        if self._ranks_differ:
            highest = max(x.shape.rank for x in inputs)
            inputs = [_with_rank(x, highest) for x in inputs]
        return self._merge_function(inputs)

    def get_config(self):
        return super().get_config()

    def compute_output_shape(self, input_shape):
        return TensorShape(self._merged_shape(_shapes_of(input_shape)))

    def compute_mask(self, inputs, mask=None):
        return merged_mask(inputs, mask)


class Add(_Merge):
    """The sum of the inputs. TF: `tf.keras.layers.Add`; no known difference."""

    def _merge_function(self, inputs):
        return functools.reduce(lambda a, b: a + b, inputs)


class Subtract(_Merge):
    """The difference of two inputs. TF: `tf.keras.layers.Subtract`; no known difference."""

    def build(self, input_shape):
        super().build(input_shape)
        if len(input_shape) != 2:
            raise ValueError(
                "A `Subtract` layer should be called on exactly 2 inputs. Received: "
                f"input_shape={_shapes_of(input_shape)}"
            )

    def _merge_function(self, inputs):
        if len(inputs) != 2:
            raise ValueError(
                f"A `Subtract` layer should be called on exactly 2 inputs. Received: inputs={inputs}"
            )
        return inputs[0] - inputs[1]


class Multiply(_Merge):
    """The product of the inputs. TF: `tf.keras.layers.Multiply`; no known difference."""

    def _merge_function(self, inputs):
        return functools.reduce(lambda a, b: a * b, inputs)


class Average(_Merge):
    """The mean of the inputs. TF: `tf.keras.layers.Average`; no known difference."""

    def _merge_function(self, inputs):
        return functools.reduce(lambda a, b: a + b, inputs) / len(inputs)


class Maximum(_Merge):
    """The elementwise maximum of the inputs. TF: `tf.keras.layers.Maximum`; no known difference."""

    def _merge_function(self, inputs):
        return functools.reduce(math.maximum, inputs)


class Minimum(_Merge):
    """The elementwise minimum of the inputs. TF: `tf.keras.layers.Minimum`; no known difference."""

    def _merge_function(self, inputs):
        return functools.reduce(math.minimum, inputs)


class Concatenate(_Merge):
    """The inputs one after another along an axis.

    Args:
      axis: int.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: the inputs are no list, or differ in another axis.

    TF: `tf.keras.layers.Concatenate`; no known difference.
    """

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def _merged_shape(self, shapes):
        if not shapes or not isinstance(shapes[0], tuple):
            raise ValueError(
                "A `Concatenate` layer should be called on a list of at least 1 input. Received: "
                f"input_shape={shapes}"
            )
        others = [list(shape) for shape in shapes]
        sizes = [shape.pop(self.axis) for shape in others]
        if len({len(shape) for shape in others}) > 1 or any(
            len(set(d) - {None}) > 1 for d in zip(*others, strict=True)
        ):
            raise ValueError(
                "A `Concatenate` layer requires inputs with matching shapes except for the concatenation "
                f"axis. Received: input_shape={shapes}"
            )
        merged = list(shapes[0])
        merged[self.axis] = None if None in sizes else sum(sizes)
        return tuple(merged)

    def _merge_function(self, inputs):
        return joined(inputs, self.axis)

    def compute_mask(self, inputs, mask=None):
        check_masks(inputs, mask)
        if mask is None or all(m is None for m in mask):
            return None
        masks = [
            ones_like(x, dtype="bool") if m is None else expand_dims(m, -1) if len(m.shape) < len(x.shape) else m
            for x, m in zip(inputs, mask, strict=True)
        ]
        return math.reduce_all(concat(masks, axis=self.axis), axis=-1)

    def get_config(self):
        return {**super().get_config(), "axis": self.axis}


class Dot(_Merge):
    """Sums of products of two inputs along an axis of each, example by example.

    Args:
      axes: int, or pair of ints, the axis of each input; not the batch axis.
      normalize: bool, whether the inputs are first scaled to norm 1 along the axes.
      **kwargs: those of `Layer`.

    Raises:
      TypeError, ValueError: `axes` is neither an int nor a pair of ints.
      ValueError: not two inputs, or of different sizes along the axes.

    TF: `tf.keras.layers.Dot`; no known difference.
    """

    def __init__(self, axes, normalize=False, **kwargs):
        super().__init__(**kwargs)
        if not isinstance(axes, int):
            if not isinstance(axes, list | tuple):
                raise TypeError(
                    f"Invalid type for argument `axes`: it should be a list or an int. Received: axes={axes}"
                )
            if len(axes) != 2:
                raise ValueError(
                    "Invalid format for argument `axes`: it should contain two elements. Received: "
                    f"axes={axes}"
                )
            if not all(isinstance(axis, int) for axis in axes):
                raise ValueError(
                    "Invalid format for argument `axes`: list elements should be integers. Received: "
                    f"axes={axes}"
                )
        self.axes = axes
        self.normalize = normalize

    def _axes_for(self, ranks):
        axes = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        axes = tuple(axis % rank for axis, rank in zip(axes, ranks, strict=True))
        if 0 in axes:
            raise ValueError(
                "Cannot perform batch_dot over axis 0. If your inputs are not batched, add a dummy batch "
                "dimension to your inputs using tf.expand_dims(x, 0)"
            )
        return axes

    def _merged_shape(self, shapes):
        if not isinstance(shapes[0], tuple) or len(shapes) != 2:
            raise ValueError(
                f"A `Dot` layer should be called on a list of 2 inputs. Received: input_shape={shapes}"
            )
        first, second = (list(shape) for shape in shapes)
        a, b = self._axes_for((len(first), len(second)))
        if first[a] != second[b]:
            raise ValueError(
                f"Incompatible input shapes: axis values {first[a]} (at axis {a}) != {second[b]} (at axis "
                f"{b}). Full input shapes: {shapes[0]}, {shapes[1]}"
            )
        del first[a], second[b]
        merged = first + second[1:]
        return tuple(merged if len(merged) > 1 else [*merged, 1])

    def build(self, input_shape):
        super().build(input_shape)
        self._ranks_differ = False

    def _merge_function(self, inputs):
        if len(inputs) != 2:
            raise ValueError(f"A `Dot` layer should be called on exactly 2 inputs. Received: inputs={inputs}")
        first, second = inputs
        ranks = first.shape.rank, second.shape.rank
        a, b = self._axes_for(ranks)
        if self.normalize:
            first, second = l2_normalize(first, axis=a), l2_normalize(second, axis=b)
        left = ["b", *(chr(ord("c") + i) for i in range(ranks[0] - 1))]
        right = ["b", *(chr(ord("n") + i) for i in range(ranks[1] - 1))]
        left[a] = right[b] = "z"
        free = [i for i in left + right[1:] if i != "z"]
        result = einsum(f"{''.join(left)},{''.join(right)}->{''.join(free)}", first, second)
        return expand_dims(result, 1) if len(free) == 1 else result

    def get_config(self):
        return {**super().get_config(), "axes": self.axes, "normalize": self.normalize}


def add(inputs, **kwargs):
    """`Add(**kwargs)(inputs)`. TF: `tf.keras.layers.add`."""
    return Add(**kwargs)(inputs)


def subtract(inputs, **kwargs):
    """`Subtract(**kwargs)(inputs)`. TF: `tf.keras.layers.subtract`."""
    return Subtract(**kwargs)(inputs)


def multiply(inputs, **kwargs):
    """`Multiply(**kwargs)(inputs)`. TF: `tf.keras.layers.multiply`."""
    return Multiply(**kwargs)(inputs)


def average(inputs, **kwargs):
    """`Average(**kwargs)(inputs)`. TF: `tf.keras.layers.average`."""
    return Average(**kwargs)(inputs)


def maximum(inputs, **kwargs):
    """`Maximum(**kwargs)(inputs)`. TF: `tf.keras.layers.maximum`."""
    return Maximum(**kwargs)(inputs)


def minimum(inputs, **kwargs):
    """`Minimum(**kwargs)(inputs)`. TF: `tf.keras.layers.minimum`."""
    return Minimum(**kwargs)(inputs)


def concatenate(inputs, axis=-1, **kwargs):
    """`Concatenate(axis, **kwargs)(inputs)`. TF: `tf.keras.layers.concatenate`."""
    return Concatenate(axis=axis, **kwargs)(inputs)


def dot(inputs, axes, normalize=False, **kwargs):
    """`Dot(axes, normalize, **kwargs)(inputs)`. TF: `tf.keras.layers.dot`."""
    return Dot(axes=axes, normalize=normalize, **kwargs)(inputs)


def _broadcast(first, second):
    """The shape two shapes without batch axis broadcast to; the shorter one is aligned at the end."""
    if len(first) < len(second):
        first, second = second, first
    head, tail = first[: len(first) - len(second)], first[len(first) - len(second) :]
    merged = []
    for a, b in zip(tail, second, strict=True):
        if a is not None and b is not None and 1 not in (a, b) and a != b:
            raise ValueError(f"Inputs have incompatible shapes. Received shapes {first} and {second}")
        merged.append(None if a is None or b is None else b if a == 1 else a)
    return (*head, *merged)


def _with_rank(x, rank):
    """`x` with axes of size 1 after the batch axis, up to `rank`."""
    for _ in range(rank - x.shape.rank):
        x = expand_dims(x, 1)
    return x
