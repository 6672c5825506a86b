"""Where a model's input comes from: `Input` and `InputLayer`."""

from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec
from tfcompat.errors import UnimplementedError
from tfcompat.layers._layer import naming as _naming
from tfcompat.layers._layer import settings as _settings
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._symbolic.composite_symbols import symbol_of
from tfcompat.layers._symbolic.keras_tensor import KerasTensor, Node
from tfcompat.ragged._tensor import RaggedTensorSpec
from tfcompat.sparse._tensor import SparseTensorSpec


class InputLayer(Layer):
    """Shape and dtype of an input of a model, as its first layer.

    Args:
      input_shape: shape without batch axis, or None.
      batch_size: int, or None for any.
      dtype: dtype that inputs are cast to; `tf.keras.backend.floatx()` by default.
      name: str; `input_1`, `input_2`... by default.
      type_spec: `tf.TensorSpec`, `tf.RaggedTensorSpec` or `tf.SparseTensorSpec`, in place of shape and dtype.
      sparse, ragged: bools, whether inputs are sparse or ragged tensors.
      input_tensor, optional: refused.
      **kwargs: `batch_input_shape`, in place of `input_shape` and `batch_size`.

    TF: `tf.keras.layers.InputLayer`.
    """

    def __init__(
        self,
        input_shape=None,
        batch_size=None,
        dtype=None,
        input_tensor=None,
        sparse=None,
        name=None,
        ragged=None,
        type_spec=None,
        optional=False,
        **kwargs,
    ):
        if input_tensor is not None or optional:
            raise UnimplementedError(
                None,
                None,
                "Input: input_tensor and optional are not available in tfcompat: give `shape` and `dtype`",
            )
        if sparse and ragged:
            raise ValueError("Cannot set both `sparse` and `ragged` to `True` in a Keras `Input`.")
        batch_input_shape = kwargs.pop("batch_input_shape", None)
        if type_spec is not None:
            if not isinstance(type_spec, TensorSpec) and symbol_of(type_spec) is None:
                raise UnimplementedError(
                    None,
                    None,
                    f"Input: {type_spec} is not available in tfcompat: use a spec of a dense, ragged or sparse tensor",
                )
            if any(argument is not None for argument in (input_shape, batch_size, dtype, batch_input_shape)):
                raise ValueError("`type_spec` says the shape and dtype: give it alone, with `name`")
            batch_input_shape, dtype = tuple(type_spec.shape.as_list()), type_spec.dtype.name
            sparse, ragged = isinstance(type_spec, SparseTensorSpec), isinstance(type_spec, RaggedTensorSpec)
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments: {list(kwargs.keys())}")
        if batch_input_shape is None:
            batch_input_shape = (
                None if input_shape is None else (batch_size, *TensorShape(input_shape).as_list())
            )
        elif input_shape is not None:
            raise ValueError(
                "Only provide the input_shape OR batch_input_shape argument to InputLayer, not both."
            )
        if name is None:
            name = _naming.unique_name("input", zero_based=False)
        super().__init__(dtype=dtype or _settings.floatx(), name=name)
        self._batch_input_shape = None if batch_input_shape is None else tuple(TensorShape(batch_input_shape).as_list())
        self.sparse, self.ragged = bool(sparse), bool(ragged)
        self.__dict__["_given_spec"] = type_spec if sparse or ragged else None
        self.built = True

    @property
    def _inbound_nodes(self):
        """The one node, which has no inputs."""
        attributes = self.__dict__
        if "_nodes_in" not in attributes:
            Node(self, outputs=self._symbol())
        return attributes["_nodes_in"]

    def _symbol(self):
        shape, dtype = TensorShape(self._batch_input_shape), self._compute_dtype_object
        if self.ragged:
            sizes = shape.as_list()
            rank = max((axis for axis, size in enumerate(sizes) if size is None and axis), default=0)
            return symbol_of(self._given_spec or RaggedTensorSpec(shape, dtype, rank))
        return symbol_of(SparseTensorSpec(shape, dtype)) if self.sparse else KerasTensor(shape, dtype)

    @property
    def input_shape(self):
        """List of the one shape, as a tuple."""
        return [self._batch_input_shape]

    output_shape = input_shape

    def get_config(self):
        return {
            "batch_input_shape": self._batch_input_shape,
            "dtype": self.dtype,
            "sparse": self.sparse,
            "ragged": self.ragged,
            "name": self.name,
            "optional": False,
        }


def Input(
    shape=None,
    batch_size=None,
    name=None,
    dtype=None,
    sparse=None,
    tensor=None,
    ragged=None,
    type_spec=None,
    optional=False,
    **kwargs,
):
    """The input of a model: layers are called on it, or a `tf.keras.Sequential` takes it as its first layer.

    Args:
      shape: shape without batch axis.
      batch_size: int, or None for any.
      name: str; `input_1`, `input_2`... by default.
      dtype: dtype that inputs are cast to; `tf.keras.backend.floatx()` by default.
      type_spec: `tf.TensorSpec`, `tf.RaggedTensorSpec` or `tf.SparseTensorSpec`, in place of shape and dtype.
      tensor: KerasTensor, which is returned: models may start from it as it is.
      sparse, ragged: bools, whether inputs are sparse or ragged tensors. The last axis of unknown size is the
        last ragged one.
      optional: refused.
      **kwargs: `batch_shape`, in place of `shape` and `batch_size`.

    Returns:
      KerasTensor.

    Raises:
      ValueError: neither `shape` nor `batch_shape` nor `type_spec`; both `sparse` and `ragged`.

    TF: `tf.keras.Input`. There other models that `tensor` is part of start from it, too.
    """
    if isinstance(tensor, KerasTensor) and shape is None and not (sparse or ragged or type_spec or kwargs):
        return tensor
    batch_shape = kwargs.pop("batch_input_shape", kwargs.pop("batch_shape", None))
    if batch_shape is None and shape is None and tensor is None and type_spec is None:
        raise ValueError(
            "Please provide to Input a `shape` or a `tensor` or a `type_spec` argument. Note that `shape` "
            "does not include the batch dimension."
        )
    if shape is not None and batch_shape is not None:
        raise ValueError(
            "Only provide the `shape` OR `batch_input_shape` argument to Input, not both at the same time."
        )
    shapes = (
        {"input_shape": shape, "batch_size": batch_size}
        if batch_shape is None
        else {"batch_input_shape": batch_shape}
    )
    layer = InputLayer(
        **shapes,
        name=name,
        dtype=dtype,
        sparse=sparse,
        input_tensor=tensor,
        ragged=ragged,
        type_spec=type_spec,
        optional=optional,
        **kwargs,
    )
    return layer._inbound_nodes[0].outputs
