"""Variables that are spread over a mesh, and their checkpoints."""

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.tensor import wrap
from tfcompat._core.variable import ResourceVariable
from tfcompat.engine import state
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.experimental.dtensor._api import default_mesh, fetch_layout, is_dtensor, relayout
from tfcompat.train import Checkpoint


class DVariable(ResourceVariable):
    """A variable that stays spread as its first value is.

    Args:
      initial_value: tensor, or a function that gives it.
      *args: as of `tf.Variable`.
      dtype: DType.
      **kwargs: as of `tf.Variable`; `layout`: Layout of a first value that is not spread yet.

    Raises:
      tf.errors.InvalidArgumentError: there is no layout, or one that contradicts that of the first value.

    TF: `tf.experimental.dtensor.DVariable`.
    """

    layout = None

    def __init__(self, initial_value, *args, dtype=None, **kwargs):
        layout = kwargs.pop("layout", None)
        initial_value = initial_value() if callable(initial_value) else initial_value
        value = convert_to_tensor(getattr(initial_value, "wrapped_value", initial_value), dtype)
        if not state.graph.symbolic and is_dtensor(value):
            own = fetch_layout(value)
            if layout is not None and layout != own:
                raise InvalidArgumentError(
                    None, None,
                    f"Conflicting layout are provided for initial value layout ({own}) and variable ({layout}).",
                )  # fmt: skip
            layout = own
        if layout is None:
            raise InvalidArgumentError(None, None, "Neither layout nor DTensor initial value are provided.")
        super().__init__(value, *args, dtype=dtype, **kwargs)
        self.layout = layout
        self._own(self._node)

    def _own(self, node):
        with default_mesh(self.layout.mesh):
            super()._own(relayout(wrap(node), self.layout)._node)

    def __deepcopy__(self, memo):
        memo[id(self)] = copy = type(self)(
            self.numpy(), self._trainable, name=self._name, dtype=self._dtype, constraint=self._constraint,
            synchronization=self._synchronization, aggregation=self._aggregation, shape=self._shape, layout=self.layout,
        )  # fmt: skip
        return copy

    @property
    def save_as_bf16(self):
        """False: checkpoints have the variable's dtype. To set it raises tf.errors.UnimplementedError."""
        return False

    @save_as_bf16.setter
    def save_as_bf16(self, save_as_bf16):
        if save_as_bf16:
            raise UnimplementedError(
                None, None, "tf.experimental.dtensor.DVariable.save_as_bf16 is not available in tfcompat: use tf.cast "
                "on the value before it is saved"
            )  # fmt: skip


class DTensorCheckpoint(Checkpoint):
    """A `tf.train.Checkpoint` of DVariables, which stay spread as they are.

    Args:
      mesh: Mesh of the variables.
      root, **kwargs: as of `tf.train.Checkpoint`.

    TF: `tf.experimental.dtensor.DTensorCheckpoint`.
    """

    def __init__(self, mesh, root=None, **kwargs):
        super().__init__(root, **kwargs)
        self._mesh = mesh
