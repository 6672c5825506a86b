"""Values of several replicas: one for each, or the same on all."""

import functools
import operator

from tfcompat import engine, nest
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.convert import to_node
from tfcompat._core.spec import TypeSpec, type_spec_from_value
from tfcompat._core.tensor import Tensor
from tfcompat._native import handed_over, twin


class DistributedValues:
    """A value for each of several replicas.

    Args:
      values: sequence of the values, in the order of the replicas.

    TF: `tf.distribute.DistributedValues`.
    """

    __module__ = "tfcompat.distribute"

    def __init__(self, values):
        self._values = tuple(values)

    @property
    def values(self):
        """Tuple of the values, in the order of the replicas."""
        return self._values

    def _get(self):
        """The value of the replica whose function is running; elsewhere the first."""
        replica = engine.state.context.replica
        return self._values[replica or 0]

    _primary = property(lambda self: self._values[0])

    def __repr__(self):
        return self._text(repr)

    def __str__(self):
        return self._text(str)

    def _text(self, show):
        lines = ",\n".join(f"  {i}: {show(value)}" for i, value in enumerate(self.values))
        return f"{type(self).__name__}:{{\n{lines}\n}}"


@handed_over
class PerReplica(DistributedValues, CompositeTensor):
    """A value for each replica. TF: what `tf.distribute.Strategy.run` returns."""

    __module__ = "tfcompat.types.experimental.distributed"

    def _as_node(self):
        raise ValueError(
            "It looks like you are using a PerReplica object while not inside a replica context, which is not "
            "supported. Try running your op or function inside a replica context by using `strategy.run`"
        )

    @functools.cached_property
    def _type_spec(self):
        return PerReplicaSpec(*map(_spec_of, self._values))


class Uneven(PerReplica):
    """A value for each replica of this process, where replicas of some process differ in size, which all know.

    Args:
      values: as of PerReplica.
      rows: tuple of the number of rows of the batch of each replica, of all processes.
    """

    __module__ = "tfcompat.types.experimental.distributed"

    def __init__(self, values, rows):
        super().__init__(values)
        self.rows = rows

    def _as_node(self):
        return to_node(self._values[0]) if len(self._values) == 1 else super()._as_node()

    @functools.cached_property
    def _type_spec(self):
        return UnevenSpec(self.rows, *map(_spec_of, self._values))


class Mirrored(PerReplica):
    """The same value on each replica; it counts as the one of the replica that is running, or the first."""

    __module__ = "tfcompat.types.experimental.distributed"

    def _as_node(self):
        return to_node(self._get())

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._get(), name)

    def __array__(self, dtype=None, copy=None):
        return self._get().__array__(dtype)

    def __bool__(self):
        return bool(self._get())

    def __int__(self):
        return int(self._get())

    def __float__(self):
        return float(self._get())

    def __getitem__(self, key):
        return self._get()[key]


def _delegated(name):
    function = getattr(operator, name)

    def forward(self, other):
        return function(self._get(), other)

    def reverse(self, other):
        return function(other, self._get())

    plain = name.strip("_")
    setattr(Mirrored, f"__{plain}__", forward)
    setattr(Mirrored, f"__r{plain}__", reverse)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
    _delegated(_name)


def _spec_of(value):
    """The TypeSpec of a replica's value; None for None."""
    if isinstance(value, tuple):
        raise TypeError(f"Could not build a TypeSpec for {value!r} of unsupported type {type(value)}.")
    return value if value is None or isinstance(value, TypeSpec) else type_spec_from_value(value)


class PerReplicaSpec(TypeSpec):
    """What a PerReplica is made of. TF: what `element_spec` of a distributed dataset has.

    Args:
      *value_specs: of each replica's value the TypeSpec, or None for None.
    """

    __module__ = "tensorflow.python.distribute.values"

    def __init__(self, *value_specs):
        self._value_specs = value_specs

    value_type = property(lambda self: PerReplica)
    _component_specs = property(lambda self: tuple(spec for spec in self._value_specs if spec is not None))

    def _to_components(self, value):
        return [x for x in value._values if x is not None]

    def _from_components(self, components):
        return PerReplica(self._completed(components))

    def _completed(self, components):
        """The values of all replicas, from those that are not None."""
        remaining = iter(components)
        return [None if spec is None else next(remaining) for spec in self._value_specs]

    def _serialize(self):
        return self._value_specs

    def __repr__(self):
        return f"PerReplicaSpec({', '.join(map(repr, self._value_specs))})"


class UnevenSpec(PerReplicaSpec):
    """What an Uneven is made of: a function is traced for each division of rows, in all processes at a time."""

    def __init__(self, rows, *value_specs):
        super().__init__(*value_specs)
        self._rows = rows

    value_type = property(lambda self: Uneven)

    def _from_components(self, components):
        return Uneven(self._completed(components), self._rows)

    def _serialize(self):
        return self._rows, *self._value_specs


def rows_of(structure):
    """The `rows` of the first Uneven in a nest; None if there is none."""
    return next((x.rows for x in nest.flatten(structure) if isinstance(x, Uneven)), None)


def regroup(values, kind=PerReplica):
    """One nest of DistributedValues, made of a nest from each replica; objects that all have in common stay.

    Args:
      values: tuple of the nests.
      kind: class of the leaves.

    Raises:
      AssertionError: the nests differ.
    """
    first = values[0]
    if isinstance(first, Tensor):
        return first if values[-1] is first and all([value is first for value in values]) else kind(values)
    if isinstance(first, list | tuple):
        for value in values:
            if not isinstance(value, list | tuple) or isinstance(value, list) != isinstance(first, list):
                raise AssertionError(f"replicas return other structures: {value} and {first}")
            if len(value) != len(first):
                what = "Values to regroup had different lengths: " if isinstance(first, tuple) else ""
                raise AssertionError(
                    f"{what}len(v) == {len(value)}, len(v0) == {len(first)}, v: {value}, v0: {first}"
                )
        items = [regroup(each, kind) for each in zip(*values, strict=True)]
        return type(first)(*items) if hasattr(first, "_fields") else type(first)(items)
    if isinstance(first, dict):
        for value in values:
            if not isinstance(value, dict):
                raise AssertionError(f"v[0]: {first}  v[i]: {value}")
            if value.keys() != first.keys():
                raise AssertionError(f"v[0].keys: {set(first)}  v[i].keys: {set(value)}")
        return type(first)({key: regroup(tuple(value[key] for value in values), kind) for key in first})
    if all(value is first for value in values) or type(first) is str and all(value == first for value in values):
        return first
    return kind(values)


@twin
def select_replica(replica, structure):
    """The nest with the value of one replica in place of each PerReplica; variables of all replicas stay."""
    kind = type(structure)
    if kind is tuple or kind is list:
        return kind([select_replica(replica, x) for x in structure])
    if kind is dict:
        return {key: select_replica(replica, x) for key, x in structure.items()}
    if isinstance(structure, PerReplica):
        return structure._values[replica]
    if isinstance(structure, Tensor):
        return structure
    return nest.map_structure(
        lambda x: x._values[replica] if isinstance(x, PerReplica) else x, structure
    )
