"""EinsumDense."""

import re
from typing import Any

from tfcompat._core.shape import TensorShape
from tfcompat.layers import activations, constraints, initializers, regularizers
from tfcompat.layers._layer.layer import Layer
from tfcompat.linalg import einsum

# The three forms of equations that Keras takes.
# https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/layers/core/einsum_dense.py
_FORMS = (
    r"(?P<x>[a-zA-Z]+),(?P<w>[a-zA-Z]+)->(?P<y>[a-zA-Z]+)",
    r"(?P<left>\.\.\.)(?P<x>[a-zA-Z]+),(?P<w>[a-zA-Z]+)->\.\.\.(?P<y>[a-zA-Z]+)",
    r"(?P<x>[a-zA-Z]{2,})\.\.\.,(?P<w>[a-zA-Z]+)->(?P<y>[a-zA-Z]+)\.\.\.",
)


class EinsumDense(Layer):
    """`activation(einsum(equation, inputs, kernel) + bias)`.

    Args:
      equation: str, as "ab,bc->ac", "...x,xy->...y" or "ab...,bc->ac...".
      output_shape: int or shape of the outputs without the batch axis and without what `...` stands for.
      activation: name, function, or None for none.
      bias_axes: str, the axes of the output that the bias has; None for no bias.
      kernel_initializer, bias_initializer: names or functions of (shape, dtype).
      kernel_regularizer, bias_regularizer: names or functions from the weight to a loss, or None.
      activity_regularizer: name or function from the outputs to a loss, or None.
      kernel_constraint, bias_constraint: names or functions for optimizers to apply, or None.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: the equation is of another form, or names an axis whose size cannot be known; sizes of inputs and
        outputs differ in an axis they share.

    Weights: `kernel`, with the axes of the second operand; `bias`.
    TF: `tf.keras.layers.EinsumDense`; no known difference.
    """

    def __init__(
        self,
        equation,
        output_shape,
        activation=None,
        bias_axes=None,
        kernel_initializer="glorot_uniform",
        bias_initializer="zeros",
        kernel_regularizer=None,
        bias_regularizer=None,
        activity_regularizer=None,
        kernel_constraint=None,
        bias_constraint=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.equation = equation
        self.partial_output_shape = [output_shape] if isinstance(output_shape, int) else list(output_shape)
        self.bias_axes = bias_axes
        self.activation = activations.get(activation)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)

    def build(self, input_shape):
        sizes = TensorShape(input_shape).as_list()
        kernel_shape, bias_shape, self.full_output_shape = _shapes(
            self.equation, self.bias_axes, sizes, self.partial_output_shape
        )
        self.kernel = self.add_weight(
            "kernel",
            shape=kernel_shape,
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.bias = None
        if bias_shape is not None:
            self.bias = self.add_weight(
                "bias",
                shape=bias_shape,
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        super().build(input_shape)

    def call(self, inputs):
        outputs = einsum(self.equation, inputs, self.kernel)
        if self.bias is not None:
            outputs = outputs + self.bias
        return self.activation(outputs)

    def compute_output_shape(self, input_shape):
        if not self.built:
            sizes = TensorShape(input_shape).as_list()
            return TensorShape(_shapes(self.equation, None, sizes, self.partial_output_shape)[2])
        return TensorShape(self.full_output_shape)

    def get_config(self):
        return {
            **super().get_config(),
            "output_shape": self.partial_output_shape,
            "equation": self.equation,
            "activation": activations.serialize(self.activation),
            "bias_axes": self.bias_axes,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
            "kernel_regularizer": regularizers.serialize(self.kernel_regularizer),
            "bias_regularizer": regularizers.serialize(self.bias_regularizer),
            "activity_regularizer": regularizers.serialize(self.activity_regularizer),
            "kernel_constraint": constraints.serialize(self.kernel_constraint),
            "bias_constraint": constraints.serialize(self.bias_constraint),
        }


def _shapes(equation, bias_axes, sizes, output_sizes) -> Any:
    """(shape of the kernel, shape of the bias or None, shape of the outputs) for inputs of some sizes."""
    form = next((m for m in (re.fullmatch(form, equation) for form in _FORMS) if m), None)
    if form is None:
        raise ValueError(
            f"Invalid einsum equation '{equation}'. Equations must be in the form [X],[Y]->[Z], ...[X],[Y]->...[Z], "
            "or [X]...,[Y]->[Z]...."
        )
    x, w, y = form["x"], form["w"], form["y"]
    ellipsis_first = form.groupdict().get("left") is not None
    hidden = len(sizes) - len(x)
    if ellipsis_first:
        of_input = dict(zip(x, sizes[hidden:], strict=True))
        outputs = [sizes[0], *sizes[1:hidden], *output_sizes]
        of_output = dict(zip(y, outputs[hidden:], strict=False))
    else:
        of_input = dict(zip(x, sizes, strict=False))
        outputs = [sizes[0], *output_sizes, *(sizes[len(x) :] if hidden > 0 else ())]
        of_output = dict(zip(y, outputs, strict=False))
    for axis, size in of_input.items():
        if of_output.get(axis) not in (None, size):
            raise ValueError(
                f"Input shape and output shape do not match at shared dimension '{axis}'. Input shape is {size}, and "
                f"output shape is {of_output[axis]}."
            )
    for axis in y:
        if axis not in x + w:
            raise ValueError(
                f"Dimension '{axis}' was specified in the output '{y}' but has no corresponding dim in the input spec "
                f"'{x}' or weight spec '{w}'"
            )
    for axis in w:
        if axis not in of_input and axis not in of_output:
            raise ValueError(
                f"Weight dimension '{axis}' did not have a match in either the input spec '{x}' or the output spec "
                f"'{y}'. For this layer, the weight must be fully specified."
            )
    kernel = [of_input[axis] if axis in of_input else of_output[axis] for axis in w]
    bias = None
    if bias_axes is not None:
        for axis in bias_axes:
            if axis not in y:
                raise ValueError(
                    f"Bias dimension '{axis}' was requested, but is not part of the output spec '{y}'"
                )
        first = min(y.find(axis) for axis in bias_axes)
        bias = [of_output[axis] if axis in bias_axes else 1 for axis in y[first:]]
        if not ellipsis_first:
            bias += [1] * max(hidden, 0)
    return kernel, bias, outputs
