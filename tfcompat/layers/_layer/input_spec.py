"""`InputSpec`: the inputs that a layer takes, and their check."""

from tfcompat import dtypes, nest
from tfcompat._core.shape import TensorShape


class InputSpec:
    """What a layer expects of one of its inputs.

    Args:
      dtype: dtype, or None for any.
      shape: shape with None for any size, batch axis included; gives `ndim` as well.
      ndim: rank.
      max_ndim: highest rank.
      min_ndim: lowest rank.
      axes: dict from axis to the size it must have.
      allow_last_axis_squeeze: whether a last axis of size 1 is optional.
      name: key of the input where inputs come in a dict.
      optional: whether None may be passed.

    Raises:
      TypeError: the keys of `axes` are not ints.
      ValueError: an axis lies beyond `ndim` or `max_ndim`.

    TF: `tf.keras.layers.InputSpec`; no known difference.
    """

    def __init__(
        self,
        dtype=None,
        shape=None,
        ndim=None,
        max_ndim=None,
        min_ndim=None,
        axes=None,
        allow_last_axis_squeeze=False,
        name=None,
        optional=False,
    ):
        self.dtype = None if dtype is None else dtypes.as_dtype(dtype).name
        shape = TensorShape(shape)
        self.shape = None if shape.rank is None else tuple(shape.as_list())
        self.ndim = ndim if self.shape is None else len(self.shape)
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        self.name = name
        self.allow_last_axis_squeeze = allow_last_axis_squeeze
        self.optional = optional
        try:
            self.axes = {int(axis): size for axis, size in (axes or {}).items()}
        except (ValueError, TypeError, AttributeError):
            raise TypeError(
                f"Argument `axes` must be a dict with integer keys. Received: axes={axes}"
            ) from None
        highest = self.ndim or self.max_ndim
        if self.axes and highest is not None and max(self.axes) > highest - 1:
            raise ValueError(
                f"Axis {max(self.axes)} is greater than the maximum allowed value: {highest - 1}"
            )

    def __repr__(self):
        fields = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
        texts = [f"{field}={getattr(self, field)}" for field in fields if getattr(self, field)]
        return f"InputSpec({', '.join(texts)})"

    def get_config(self):
        """The arguments to make an equal spec of, as a dict."""
        return {
            field: getattr(self, field)
            for field in ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
        }

    @classmethod
    def from_config(cls, config):
        """The spec that `config`, from `get_config`, describes."""
        return cls(**config)


def assert_input_compatibility(specs, inputs, layer_name):
    """Checks the inputs of a layer.

    Args:
      specs: InputSpec, structure of these, or None to check nothing.
      inputs: structure of tensors.
      layer_name: str, for the message.

    Raises:
      TypeError: an input is no tensor.
      ValueError: number, rank, dtype or shape of the inputs do not fit.
    """
    if not specs:
        return
    specs = nest.flatten(specs)
    if isinstance(inputs, dict) and all(spec is not None and spec.name for spec in specs):
        names = [spec.name for spec in specs]
        for name in names:
            if name not in inputs:
                raise ValueError(
                    f'Missing data for input "{name}". You passed a data dictionary with keys '
                    f"{list(inputs)}. Expected the following keys: {names}"
                )
        inputs = [inputs[name] for name in names]
    inputs = nest.flatten(inputs)
    for x, spec in zip(inputs, specs, strict=False):
        if spec is not None and not (x is None and spec.optional) and not hasattr(x, "shape"):
            raise TypeError(
                f"Inputs to a layer should be tensors. Got '{x}' (of type {type(x)}) as input for layer "
                f"'{layer_name}'."
            )
    if len(inputs) != len(specs):
        raise ValueError(
            f'Layer "{layer_name}" expects {len(specs)} input(s), but it received {len(inputs)} input '
            f"tensors. Inputs received: {inputs}"
        )
    for number, (x, spec) in enumerate(zip(inputs, specs, strict=True)):
        if x is None or spec is None:
            continue
        shape = TensorShape(x.shape)
        if shape.rank is not None:
            problem = _incompatibility(spec, x, shape.as_list())
            if problem:
                raise ValueError(
                    f'Input {number} of layer "{layer_name}" is incompatible with the layer: {problem}'
                )


def _incompatibility(spec, x, shape):
    """What is wrong with an input of `shape`, or None."""
    ndim, received = len(shape), tuple(shape)
    if spec.ndim is not None and not spec.allow_last_axis_squeeze and ndim != spec.ndim:
        return f"expected ndim={spec.ndim}, found ndim={ndim}. Full shape received: {received}"
    if spec.max_ndim is not None and ndim > spec.max_ndim:
        return f"expected max_ndim={spec.max_ndim}, found ndim={ndim}"
    if spec.min_ndim is not None and ndim < spec.min_ndim:
        return f"expected min_ndim={spec.min_ndim}, found ndim={ndim}. Full shape received: {received}"
    if spec.dtype is not None and x.dtype.name != spec.dtype:
        return f"expected dtype={spec.dtype}, found dtype={x.dtype}"
    for axis, size in spec.axes.items():
        if size is not None and shape[axis] not in (size, None):
            return (
                f"expected axis {axis} of input shape to have value {size}, but received input with shape "
                f"{received}"
            )
    if spec.shape is not None:
        expected = spec.shape
        # Keras accepts (batch,) and (batch, 1) for one another.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/engine/input_spec.py
        if spec.allow_last_axis_squeeze:
            shape = shape[:-1] if shape and shape[-1] == 1 else shape
            expected = expected[:-1] if expected and expected[-1] == 1 else expected
        for want, got in zip(expected, shape, strict=False):
            if want is not None and got is not None and want != got:
                return f"expected shape={spec.shape}, found shape={received}"
    return None
