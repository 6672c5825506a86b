"""What gives a tensor a layout, and says which it has."""

import contextlib

import jax
import numpy as np

from tfcompat import engine, nest
from tfcompat._core import device as _device
from tfcompat._core.convert import convert_to_tensor, to_node
from tfcompat._core.tensor import Tensor, wrap
from tfcompat._core.variable import Variable
from tfcompat._package.thread_state import ThreadState
from tfcompat.distribute._sharding import RELAYOUT
from tfcompat.errors import InvalidArgumentError, UnimplementedError, UnknownError
from tfcompat.experimental.dtensor._layout import MATCH, Layout
from tfcompat.experimental.dtensor._mesh import Mesh


class _Current(ThreadState):
    mesh = None


_current = _Current()


@contextlib.contextmanager
def default_mesh(mesh):
    """A context in which `get_default_mesh` gives `mesh`. What is computed of regular tensors stays regular.

    Raises:
      ValueError: `mesh` is no Mesh.

    TF: `tf.experimental.dtensor.default_mesh`, where operations on regular tensors give tensors that are whole on each
    device of the mesh; their values are the same.
    """
    if not isinstance(mesh, Mesh):
        raise ValueError(f"Expect `mesh` to be `Mesh`, got {type(mesh)}")
    outer, _current.mesh = _current.mesh, mesh
    try:
        yield
    finally:
        _current.mesh = outer


run_on = default_mesh


def get_default_mesh():
    """The Mesh of the innermost `default_mesh`; None outside. TF: `tf.experimental.dtensor.get_default_mesh`."""
    return _current.mesh


def device_name():
    """What `device` of a tensor says that is spread over a mesh. TF: `tf.experimental.dtensor.device_name`."""
    return _device.SPREAD


def call_with_layout(fn, layout, *args, **kwargs):
    """`fn(*args, **kwargs)`, its results spread as a layout says. Each device computes its part.

    Args:
      fn: function that returns a nest of tensors.
      layout: Layout; None leaves the results as they are.

    Raises:
      tf.errors.UnknownError: as `relayout`.

    TF: `tf.experimental.dtensor.call_with_layout`.
    """
    if layout is None:
        return fn(*args, **kwargs)
    with default_mesh(layout.mesh):
        return nest.map_structure(lambda x: relayout(x, layout), fn(*args, **kwargs))


def relayout(tensor, layout, name=None):
    """A tensor of the same value, spread as a layout says.

    Args:
      tensor: what converts to a tensor, but no text.
      layout: Layout; an axis with MATCH stays as it is.

    Raises:
      tf.errors.UnknownError: the layout has another rank, or does not divide a size.
      tf.errors.UnimplementedError: text.

    Gradient: the identity.
    TF: `tf.experimental.dtensor.relayout`.
    """
    node = to_node(tensor)
    shape = node.aval.shape
    if len(shape) != layout.rank:
        raise UnknownError(
            None, None,
            f"tf.experimental.dtensor.relayout: expected a layout of rank {len(shape)} for the shape {shape}, got "
            f"{layout}",
        )  # fmt: skip
    if node.aval.dtype.hasobject:
        raise UnimplementedError(None, None, "tf.experimental.dtensor.relayout: text stays on the host in tfcompat")
    for axis, size in enumerate(shape):
        if type(size) is int and size % layout.num_shards(axis):
            raise UnknownError(
                None, None,
                f"tf.experimental.dtensor.relayout: expected a size that {layout.num_shards(axis)} devices divide for "
                f"axis {axis} of the shape {shape}, with the layout {layout}",
            )  # fmt: skip
    if MATCH in layout.sharding_specs and not engine.state.graph.symbolic:
        own = _layout_of(node) or Layout.replicated(layout.mesh, layout.rank)
        both = zip(layout.sharding_specs, own.sharding_specs, strict=True)
        layout = Layout([mine if name == MATCH else name for name, mine in both], layout.mesh)
    return wrap(engine.apply(RELAYOUT, (node,), engine.attributes_of(layout.sharding)))


def copy_to_mesh(tensor, layout, source_layout=None):
    """As `relayout`; `source_layout` is of no effect, as in TF. TF: `tf.experimental.dtensor.copy_to_mesh`."""
    return relayout(tensor, layout)


def relayout_like(tensor, layout_tensor, name=None):
    """A tensor of the same value, spread as another one.

    Args:
      tensor: as of `relayout`.
      layout_tensor: tensor that is spread over a mesh, of the same rank.

    Raises:
      RuntimeError: in a tf.function, where the layout is not known: use `relayout`.
      tf.errors.InvalidArgumentError: `layout_tensor` is not spread.
      tf.errors.UnknownError: as `relayout`.

    TF: `tf.experimental.dtensor.relayout_like`.
    """
    return relayout(tensor, fetch_layout(layout_tensor), name)


def _require_eager(name):
    if engine.state.graph.symbolic:
        raise RuntimeError(f"`{name}` must be called eagerly.")


def _layout_of(node):
    """The Layout of a node's value; None of a value that is not spread."""
    return Layout.of(getattr(engine.value_of(node), "sharding", None), len(node.aval.shape))


def _node_of(tensor):
    return tensor._current_node() if isinstance(tensor, Variable) else tensor._node


def fetch_layout(tensor):
    """The Layout of a tensor or variable that is spread over a mesh.

    Raises:
      RuntimeError: in a tf.function.
      tf.errors.InvalidArgumentError: it is not spread.

    TF: `tf.experimental.dtensor.fetch_layout`. XLA says how results of operations are spread.
    """
    _require_eager("fetch_layout")
    layout = _layout_of(_node_of(tensor))
    if layout is None:
        raise InvalidArgumentError(None, None, "FetchLayout expects a tensor placed on the layout device.")
    return layout


def is_dtensor(tensor):
    """Whether something is a tensor or variable that is spread over a mesh. Raises RuntimeError in a tf.function.

    TF: `tf.experimental.dtensor.is_dtensor`.
    """
    _require_eager("is_dtensor")
    return isinstance(tensor, Tensor | Variable) and _layout_of(_node_of(tensor)) is not None


def check_layout(tensor, layout):
    """Raises ValueError unless a tensor is spread as a layout says. TF: `tf.experimental.dtensor.check_layout`."""
    own = fetch_layout(tensor)
    if own != layout:
        raise ValueError(f"Layout of tensor: {own}, did not match expected layout: {layout}")


def pack(tensors, layout):
    """The tensor whose parts are on the devices of a mesh.

    Args:
      tensors: list of what converts to tensors, all of one shape and dtype: the part of each device of this process,
        in the order of the mesh.
      layout: Layout.

    Raises:
      RuntimeError: in a tf.function.
      tf.errors.InvalidArgumentError: there are more or fewer parts than devices; the ranks differ.
      tf.errors.UnimplementedError: the shapes of the parts differ; SparseTensors.

    TF: `tf.experimental.dtensor.pack`.
    """
    _require_eager("pack")
    mesh = layout.mesh
    if len(tensors) != mesh.num_local_devices():
        raise InvalidArgumentError(
            None, None,
            f"The dtensor device {_device.SPREAD} expected {mesh.num_local_devices()} inputs to DTensorPack, but got "
            f"{len(tensors)}",
        )  # fmt: skip
    if any(hasattr(x, "dense_shape") for x in tensors):
        raise UnimplementedError(
            None, None, "tf.experimental.dtensor.pack: SparseTensors are not available in tfcompat: pack dense parts"
        )
    first = convert_to_tensor(tensors[0])
    parts = [first, *(convert_to_tensor(x, first.dtype) for x in tensors[1:])]
    if len({part._node.aval.shape for part in parts}) > 1:
        raise UnimplementedError(None, None, "Components of a PackedTensor must currently all have the same shape")
    shape = first._node.aval.shape
    if len(shape) != layout.rank:
        raise InvalidArgumentError(
            None, None,
            "Packed layout should have the same rank as the rank for each component. The rank of each component is: "
            f"{len(shape)}, while layout has rank: {layout.rank}",
        )  # fmt: skip
    sharding, devices = layout.sharding, _own_devices(mesh)
    arrays = [engine.value_of(part._node) for part in parts]
    with jax.enable_x64(True):
        arrays = jax.device_put(arrays, devices)
        whole = jax.make_array_from_single_device_arrays(
            layout.global_shape_from_local_shape(shape), sharding, arrays
        )
    return wrap(engine.leaf(whole))


def unpack(tensor):
    """List of the parts of a tensor on the devices of this process, in the order of the mesh.

    Raises:
      RuntimeError: in a tf.function.
      tf.errors.InvalidArgumentError: the tensor is not spread.

    TF: `tf.experimental.dtensor.unpack`.
    """
    _require_eager("unpack")
    node = _node_of(tensor)
    layout = _layout_of(node)
    if layout is None:
        raise InvalidArgumentError(
            None, None,
            f"DTensorUnpack expects a tensor placed on the DTensor device: {_device.SPREAD}, but input was placed on "
            f"device: {tensor.device}",
        )  # fmt: skip
    parts = {shard.device: shard.data for shard in engine.value_of(node).addressable_shards}
    return [wrap(engine.leaf(parts[device])) for device in _own_devices(layout.mesh)]


def _own_devices(mesh):
    return [d for d in np.ravel(mesh.jax_mesh.devices) if d.process_index == jax.process_index()]
