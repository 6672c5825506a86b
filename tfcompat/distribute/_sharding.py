"""`shard`: a variable or tensor spread over a mesh. XLA divides the programs that use it (GSPMD)."""

from typing import Any

import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from tfcompat import engine
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.tensor import Tensor, wrap
from tfcompat._core.variable import ResourceVariable, Variable

RELAYOUT = engine.Operation(
    "Relayout", lambda x, *, sharding: jax.lax.with_sharding_constraint(x, sharding), ("sharding",),
    infer=lambda values, avals: (avals[0].shape, avals[0].dtype), known_sizes=1,
)  # fmt: skip


class SpreadVariable(ResourceVariable):
    """A variable that stays spread as it was, whatever is assigned. `shard` makes it of an ordinary one."""

    _sharding: NamedSharding

    def _own(self, node):
        super()._own(engine.apply(RELAYOUT, (node,), engine.attributes_of(self._sharding)))


def shard(value: Any, spec, mesh):
    """Spreads a variable or a tensor over the devices of a mesh. Programs that use it are divided by XLA.

    Args:
      value: Variable, of which the value is moved; or what converts to a tensor.
      spec: `jax.sharding.PartitionSpec`, or tuple: for each axis the name of an axis of the mesh, a tuple of such
        names, or None. Axes that are left out are on all devices whole.
      mesh: `jax.sharding.Mesh`.

    Returns:
      The variable, or a tensor of the same value.

    Raises:
      ValueError: the spec has more axes than the value, names an axis that the mesh lacks, or does not divide a size.
      TypeError: the variable has parts for several replicas; `mesh` is no Mesh.

    What is computed of it is divided as XLA sees fit, and a variable that is assigned stays divided. Numbers are those
    of one device, up to rounding. Not in TensorFlow; `tf.experimental.dtensor` is its counterpart.
    """
    if not isinstance(mesh, Mesh):
        raise TypeError(f"tfcompat.distribute.shard: expected a jax.sharding.Mesh, got {mesh!r}")
    if hasattr(value, "_part_here"):
        raise TypeError(f"tfcompat.distribute.shard: {value.name} has parts for several replicas")
    target = value if isinstance(value, Variable | Tensor) else convert_to_tensor(value)
    node = target._current_node() if isinstance(target, Variable) else target._node
    spec = spec if isinstance(spec, PartitionSpec) else PartitionSpec(*spec)
    _check(spec, node.aval.shape, mesh)
    plain = Mesh(mesh.devices, mesh.axis_names)  # of axes that XLA divides by itself, whatever those of `mesh` are
    array, sharding = engine.value_of(node), NamedSharding(plain, spec)
    with jax.enable_x64(True):
        moved = engine.leaf(jax.device_put(array, sharding))
    if isinstance(target, Variable):
        if type(target) is ResourceVariable:
            target.__class__ = SpreadVariable
        if isinstance(target, SpreadVariable):
            target._sharding = sharding
        target._own(moved)
        return target
    return wrap(moved)


def _check(spec, shape, mesh):
    if len(spec) > len(shape):
        raise ValueError(f"tfcompat.distribute.shard: {spec} has more axes than the shape {shape}")
    for axis, names in enumerate(spec):
        names = () if names is None else names if isinstance(names, tuple) else (names,)
        count = 1
        for name in names:
            if name not in mesh.shape:
                raise ValueError(f"tfcompat.distribute.shard: the mesh has axes {mesh.axis_names}, not {name!r}")
            count *= mesh.shape[name]
        if shape[axis] % count:
            raise ValueError(f"tfcompat.distribute.shard: {count} devices do not divide axis {axis} of shape {shape}")
