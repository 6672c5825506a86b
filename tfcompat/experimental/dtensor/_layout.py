"""`Layout`: along which axes of a mesh the axes of a tensor are divided; one to one a `NamedSharding` of JAX's."""

import math

from jax.sharding import NamedSharding, PartitionSpec

from tfcompat.errors import UnimplementedError
from tfcompat.experimental.dtensor._mesh import Mesh

UNSHARDED = "unsharded"
MATCH = "match"


class Layout:
    """How a tensor is spread over a mesh.

    Args:
      sharding_specs: list, for each axis of the tensor: the name of the axis of the mesh along which it is divided, or
        UNSHARDED, or (for `relayout`) MATCH, which leaves it as it is.
      mesh: Mesh.

    Raises:
      ValueError: `mesh` is none; an axis is there twice, or is none of the mesh.

    TF: `tf.experimental.dtensor.Layout`, without protocol buffers.
    """

    def __init__(self, sharding_specs, mesh):
        if not isinstance(mesh, Mesh):
            raise ValueError("mesh is not a valid Mesh object.")
        for name in sharding_specs:
            if name in (UNSHARDED, MATCH):
                continue
            if list(sharding_specs).count(name) > 1:
                raise ValueError(
                    f"Mesh dimension {name} was repeated in sharding specification {sharding_specs}. Mesh dimensions "
                    "must be unique in a layout."
                )
            if name not in mesh:
                raise ValueError(f"{name}: A dimension sharding must either be a valid mesh dimension or UNSHARDED.")
        self._specs, self._mesh = list(sharding_specs), mesh

    @classmethod
    def replicated(cls, mesh, rank):
        """Whole on each device."""
        return cls([UNSHARDED] * rank, mesh)

    @classmethod
    def batch_sharded(cls, mesh, batch_dim, rank, axis=0):
        """Divided along one axis. Raises RuntimeError if the mesh lacks `batch_dim`."""
        if batch_dim not in mesh:
            raise RuntimeError(
                f"Bad StatusOr access: INVALID_ARGUMENT: sharding spec ({batch_dim}) refers to mesh dimension not "
                f"contained in mesh {mesh.to_string()}"
            )
        return cls([batch_dim if n == axis else UNSHARDED for n in range(rank)], mesh)

    @classmethod
    def inner_sharded(cls, mesh, inner_dim, rank):
        """Divided along the last axis."""
        return cls.batch_sharded(mesh, inner_dim, rank, rank - 1)

    @classmethod
    def from_single_device_mesh(cls, mesh):
        """On the device of a mesh without axes."""
        return cls([], mesh)

    @classmethod
    def from_device(cls, device):
        """On a device."""
        return cls.from_single_device_mesh(Mesh.from_device(device))

    @classmethod
    def from_string(cls, layout_str):
        """The layout of which `layout_str` is the `to_string()`; ValueError for what is none."""
        specs, separator, mesh = layout_str.partition(" mesh:")
        if not separator or not specs.startswith(("sharding_specs:", "maximal:true")):
            raise ValueError(f"Input string is invalid: {layout_str}")
        names = specs.removeprefix("sharding_specs:").split(",")
        return cls([name for name in names if name and name != "maximal:true"], Mesh.from_string(mesh))

    @classmethod
    def of(cls, sharding, rank):
        """The Layout of a sharding of JAX's; None for that of a single device.

        Raises:
          tf.errors.UnimplementedError: an axis is divided along several of the mesh.
        """
        if not isinstance(sharding, NamedSharding):
            return None
        names = [*sharding.spec, *[None] * (rank - len(sharding.spec))]
        names = [name[0] if type(name) is tuple and len(name) == 1 else name or UNSHARDED for name in names]
        if any(type(name) is tuple for name in names):
            raise UnimplementedError(
                None, None, f"tf.experimental.dtensor: XLA divides an axis along several of the mesh, {sharding.spec}, "
                "which no Layout says: relayout the tensor"
            )  # fmt: skip
        return cls(names, Mesh.of(sharding.mesh))

    @property
    def sharding(self):
        """The NamedSharding; XLA chooses where the layout says MATCH."""
        free = {UNSHARDED: None, MATCH: PartitionSpec.UNCONSTRAINED}
        return NamedSharding(self._mesh.jax_mesh, PartitionSpec(*[free.get(name, name) for name in self._specs]))

    sharding_specs = property(lambda self: list(self._specs), doc="List of the names, one for each axis.")
    mesh = property(lambda self: self._mesh, doc="The Mesh.")
    rank = property(lambda self: len(self._specs), doc="How many axes there are.")
    shape = property(lambda self: self._mesh.shape(), doc="List of the sizes of the mesh.")

    def num_shards(self, idx):
        """Into how many parts an axis is divided."""
        name = self._specs[idx]
        return 1 if name in (UNSHARDED, MATCH) else self._mesh.dim_size(name)

    def _shards(self):
        return [self.num_shards(axis) for axis in range(self.rank)]

    def global_shape_from_local_shape(self, local_shape):
        """Tuple: the shape of the tensor of which a device has a part of this shape."""
        return tuple(size * count for size, count in zip(local_shape, self._shards(), strict=True))

    def local_shape_from_global_shape(self, global_shape):
        """Tuple: the shape of the part that a device has of a tensor of this shape."""
        return tuple(size // count for size, count in zip(global_shape, self._shards(), strict=True))

    def is_fully_replicated(self):
        """Whether no axis is divided."""
        return math.prod(self._shards()) == 1

    def is_batch_parallel(self):
        """Whether the first axis is divided, and no other one."""
        return self._shards()[:1] > [1] and math.prod(self._shards()[1:]) == 1

    def is_single_device(self):
        """Whether it is on a device without a mesh."""
        return self._mesh.is_single_device()

    def delete(self, dims):
        """The layout without some axes, a number or a list of numbers."""
        dims = dims if isinstance(dims, list) else [dims]
        return Layout([name for axis, name in enumerate(self._specs) if axis not in dims], self._mesh)

    def offset_to_shard(self):
        """List of the numbers, along each axis, of the part that each device has."""
        return [
            tuple(0 if name == UNSHARDED else place[name] for name in self._specs)
            for place in self._mesh.unravel_index().values()
        ]

    def offset_tuple_to_global_index(self, offset_tuple):
        """The number of a part among all, of its numbers along each axis."""
        return sum(n * math.prod(self._shards()[axis + 1 :]) for axis, n in enumerate(offset_tuple))

    def to_string(self):
        """The layout as text, for `from_string`."""
        if self.is_single_device():
            return f"maximal:true, mesh:{self._mesh.to_string()}"
        specs = "".join(f"{name}," for name in self._specs)
        return f"sharding_specs:{specs} mesh:{self._mesh.to_string()}"

    as_proto = Mesh.as_proto
    from_proto = classmethod(Mesh.as_proto)

    def to_parted(self):
        """Not available: raises tf.errors.UnimplementedError."""
        raise UnimplementedError(
            None, None, "tf.experimental.dtensor.Layout.to_parted is not available in tfcompat: XLA divides programs"
        )

    def __eq__(self, other):
        if not isinstance(other, Layout):
            raise TypeError(f"tf.experimental.dtensor.Layout: expected a Layout to compare with, got {other!r}")
        return self.to_string() == other.to_string()

    def __hash__(self):
        return hash(self.to_string())

    def __repr__(self):
        return f"Layout.from_string({self.to_string()})"

    def __reduce__(self):
        return Layout.from_string, (self.to_string(),)
