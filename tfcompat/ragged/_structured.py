"""`tf.experimental.StructuredTensor`: a tensor of dicts with the same names, stored as one tensor for each name."""

from collections.abc import Mapping, Sequence
from typing import Union

from tfcompat import dtypes
from tfcompat._core.extension_type.types import (
    BatchableExtensionType,
    ExtensionType,
    ExtensionTypeBatchEncoder,
    encoded,
    encoding_specs,
)
from tfcompat._core.shape import TensorShape, as_shape
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor
from tfcompat.array import ones
from tfcompat.ragged._dynamic_shape import DynamicRaggedShape
from tfcompat.ragged._row_partition import RowPartition
from tfcompat.ragged._structured_python import converted, nested
from tfcompat.ragged._structured_shape import (
    checked_fields,
    divided_by,
    merged_dims,
    outer_shape,
    shape_of_fields,
    shape_spec,
    static_shape,
    with_all_partitions,
    with_merged_partitions,
    with_partitions,
)
from tfcompat.ragged._tensor import RaggedTensor


class _Encoder(ExtensionTypeBatchEncoder):
    """Encodes a StructuredTensor as its fields; one without any as ones of its shape."""

    def batch(self, spec, batch_size):
        fields = {name: field._batch(batch_size) for name, field in spec._fields.items()}
        return spec._of(fields, TensorShape([batch_size]).concatenate(spec.shape))

    def unbatch(self, spec):
        fields = {name: field._unbatch() for name, field in spec._fields.items()}
        return spec._of(fields, spec.shape[1:])

    def encode(self, spec, value, minimum_rank=0):
        if not value._fields:
            shape = value._ragged_shape
            return shape.divide(ones(shape.inner_shape, dtypes.bool))
        return tuple([encoded(value._fields[name], minimum_rank) for name in spec._fields])

    def decode(self, spec, encoded_value):
        if not spec._fields:
            return StructuredTensor.from_shape(outer_shape(encoded_value, spec.rank))
        fields = {
            name: field.__batch_encoder__.decode(field, value) if isinstance(field, StructuredTensor.Spec) else value
            for (name, field), value in zip(spec._fields.items(), encoded_value, strict=True)
        }
        return StructuredTensor.from_fields(fields, [None] * spec.rank)

    def encoding_specs(self, spec):
        if not spec._fields:
            return TensorSpec(spec.shape, dtypes.bool)
        return tuple([encoding_specs(field) for field in spec._fields.values()])


class StructuredTensor(BatchableExtensionType):
    """A tensor of dicts that have the same names, stored as one value of all dicts for each name.

    Made by the class methods `from_...`. The value of a field has the axes of the StructuredTensor, then its own. It is
    a tensor, a RaggedTensor, a StructuredTensor or another extension type.

    >>> people = StructuredTensor.from_pyval([{"age": 12, "names": ["Al"]}, {"age": 82, "names": []}])
    >>> people.shape
    TensorShape([2])
    >>> people[1].to_pyval()["names"]
    []

    TF: `tf.experimental.StructuredTensor`. Fields stand in the order in which they were given; `merge_dims` of one axis
    gives the same value.
    """

    __name__ = "tf.StructuredTensor"
    __module__ = "tensorflow.python.ops.structured.structured_tensor"
    __batch_encoder__ = _Encoder()

    _fields: Mapping[str, Union[Tensor, RaggedTensor, ExtensionType]]  # noqa: UP007
    _ragged_shape: DynamicRaggedShape

    FieldName = Union[str, Sequence[str]]  # noqa: UP007

    def __init__(self, fields, ragged_shape):
        self._fields = checked_fields(fields) if isinstance(fields, Mapping) else fields
        self._ragged_shape = ragged_shape

    class Spec:
        """What is known of a StructuredTensor: the specs of its fields, and its shape."""

        @classmethod
        def _of(cls, fields, shape, dtype=dtypes.int64):
            return cls(fields, shape_spec(as_shape(shape), dtype))

        @classmethod
        def _from_shape(cls, shape):
            return cls({}, shape)

        @classmethod
        def _from_fields_and_rank(cls, fields, rank):
            if rank and not fields:
                raise ValueError("Must provide at least one field")
            shape = TensorShape([None] * rank)
            for field in fields.values():
                shape = shape.merge_with(field.shape[:rank])
            kinds = {getattr(f, "row_splits_dtype", None) or getattr(f, "_shape_dtype", None) for f in fields.values()}
            return cls._of(fields, shape, dtypes.int32 if kinds - {None} == {dtypes.int32} else dtypes.int64)

        @property
        def _shape_dtype(self):
            return self._ragged_shape.dtype

        @property
        def shape(self):
            """The TensorShape, of known rank."""
            return static_shape(self._ragged_shape._row_partitions, self._ragged_shape._static_inner_shape)

        @property
        def rank(self):
            """How many axes there are, an int."""
            return self.shape.rank

    # --- construction ---------------------------------------------------------------------------------------------

    @classmethod
    def from_fields(cls, fields, shape=(), nrows=None, row_partitions=None, validate=False):
        """A StructuredTensor of the values of its fields.

        Args:
          fields: dict from names to tensors, RaggedTensors and StructuredTensors, all of `shape` in their first axes.
          shape: what is known of the shape, of known rank.
          nrows: how many rows there are, an integer scalar; by default that of the fields.
          row_partitions: sequence of RowPartition, one for each axis but the first; by default those of the fields.
          validate: whether to compare the rows of ragged fields.

        Raises:
          TypeError: `fields` is no dict, a name no text or a value none of these.
          ValueError: `shape` is of unknown rank, the fields do not fit it or each other, a name is no identifier, or
            there are no fields and the shape is not known.
        """
        shape = as_shape(shape)
        if shape.rank is None:
            raise ValueError("StructuredTensor's shape must have known rank.")
        if not isinstance(fields, Mapping):
            raise TypeError(f"fields must be a dictionary, got {type(fields).__name__}")
        if shape.rank < 2 and row_partitions:
            raise ValueError("row_partitions must be None or [] if shape.rank<2")
        if shape.rank == 0 and nrows is not None:
            raise ValueError("nrows must be None if shape.rank==0")
        if shape.rank > 1 and row_partitions is not None and len(row_partitions) != shape.rank - 1:
            raise ValueError("len(row_partitions) must be shape.rank-1")
        fields = checked_fields(fields)
        return cls(fields, shape_of_fields(fields, shape, nrows, row_partitions, None, validate))

    @classmethod
    def from_fields_and_rank(cls, fields, rank, validate=False, dtype=None):
        """A StructuredTensor of at least one field, with the first `rank` axes of its fields.

        Args:
          fields: dict, as in `from_fields`.
          rank: how many axes it has.
          validate: as in `from_fields`.
          dtype: int32 or int64, that of the numbers of its shape; by default that of the fields.

        Raises:
          ValueError: no fields, a `rank` that is no int, is negative or above that of a field, or other shapes.
        """
        if not fields:
            raise ValueError("Must provide at least one field")
        if not isinstance(rank, int):
            raise ValueError("rank must be an integer")
        if rank < 0:
            raise ValueError("rank must be nonnegative")
        fields = checked_fields(fields)
        dtype = None if dtype is None else dtypes.as_dtype(dtype)
        shape = shape_of_fields(fields, TensorShape([None] * rank), None, None, dtype, validate)
        return cls({name: with_partitions(value, shape.row_partitions) for name, value in fields.items()}, shape)

    @classmethod
    def from_shape(cls, ragged_shape):
        """A StructuredTensor of a `tf.experimental.DynamicRaggedShape`, without fields."""
        return cls({}, ragged_shape)

    @classmethod
    def from_pyval(cls, pyval, typespec=None):
        """A StructuredTensor of nested lists of dicts; a tensor or RaggedTensor of nested lists without any.

        Args:
          pyval: dict, or nested lists of dicts. Values are the same, or scalars, or nested lists of scalars.
          typespec: `StructuredTensor.Spec` that it shall have; found by the values if None.

        Raises:
          KeyError: a dict lacks a name that another one has.
          ValueError: dicts stand next to something else, or values do not fit each other or `typespec`.
        """
        return converted(cls, pyval, typespec, ())

    # --- what it is made of ---------------------------------------------------------------------------------------

    @property
    def shape(self):
        """The TensorShape, of known rank; None for ragged and unknown axes."""
        return static_shape([p._type_spec for p in self._ragged_shape.row_partitions], self._ragged_shape._static)

    @property
    def rank(self):
        """How many axes there are, an int."""
        return self._ragged_shape.rank

    @property
    def row_partitions(self):
        """Tuple of RowPartition, the outermost first: one for each axis but the first."""
        return with_all_partitions(self._ragged_shape).row_partitions

    def nrows(self):
        """How many rows there are, an integer scalar; None if it is a scalar."""
        return self._ragged_shape[0] if self.rank else None

    def field_names(self):
        """Tuple of the names of the fields."""
        return tuple(self._fields)

    def field_value(self, field_name):
        """The value of a field.

        Args:
          field_name: its name; a tuple or list of names for a field of a field.

        Raises:
          KeyError: there is no such field.
        """
        if not isinstance(field_name, list | tuple):
            return self._fields[field_name]
        value = self
        for name in field_name:
            if not isinstance(value, StructuredTensor):
                raise KeyError(f"Field path {field_name} not found in {self}")
            value = value.field_value(name)
        return value

    def to_pyval(self):
        """A dict, or nested lists of dicts.

        Raises:
          ValueError: while a function is traced.
        """
        return nested(self)

    def __getitem__(self, key):
        keys = list(key) if isinstance(key, list | tuple) else [key]
        rank = self.rank
        if not keys:
            return self
        if not rank and isinstance(keys[0], slice) and keys[0] == slice(None):
            return self[keys[1:]]
        if len(keys) > rank:
            if not isinstance(keys[rank], str):
                allowed = "a string" if rank else "a string or a full slice (':')"
                raise ValueError(f"Key for indexing a StructuredTensor must be {allowed}")
            value, rest = self._fields[keys.pop(rank)], keys
            return value[tuple(rest)] if rest else value
        fields = {name: value[tuple(keys)] for name, value in self._fields.items()}
        sizes = list(self.shape)
        for axis, one in enumerate(keys):
            if one is None or one is Ellipsis:
                raise ValueError(f"Slicing not supported for {'tf.newaxis' if one is None else 'Ellipsis'}")
            if not isinstance(one, slice):
                sizes[axis] = ...
            elif one != slice(None):
                sizes[axis] = None
        return StructuredTensor.from_fields(fields, [size for size in sizes if size is not ...])

    # --- other forms ----------------------------------------------------------------------------------------------

    def with_updates(self, updates, validate=False):
        """The same dicts with other fields.

        Args:
          updates: dict from names, or paths of names, to new values; to a function of the old value; or to None, which
            removes the field.
          validate: as in `from_fields`.

        Raises:
          ValueError: a path leads through what is no StructuredTensor, both a field and a field of it are updated, a
            field is removed or changed that is not there, or a new value does not fit.
        """
        paths = {(name,) if isinstance(name, str) else name: value for name, value in updates.items()}
        for path in paths:
            if not isinstance(path, list | tuple):
                raise AssertionError(f"Field names are text or sequences of text, got {path!r}")
        paths = {tuple(path): value for path, value in paths.items()}
        if () in paths:
            raise ValueError(f"`StructuredTensor.with_updates` does not allow empty names {tuple(updates)}.")
        for path in paths:
            for size in range(1, len(path)):
                if path[:size] in paths:
                    raise ValueError(
                        "`StructuredTensor.with_updates` does not allow both parent and child nodes to be updated: "
                        f"parent={path[:size]}, child={path}. If needed you can update child nodes in the parent "
                        "update value."
                    )
        return self._updated(paths, (), validate)

    def _updated(self, updates, above, validate):
        """As `with_updates`; `above` is the path of this value."""
        fields, inner = dict(self._fields), {}
        for path, value in updates.items():
            name, whole = path[0], above + path
            known = fields.get(name)
            if len(path) > 1:
                start = f"`StructuredTensor.with_updates` cannot create new sub-field {whole} if parent"
                if known is None:
                    raise ValueError(f"{start} field {whole[:-1]} is not set.")
                if not isinstance(known, StructuredTensor):
                    raise ValueError(
                        f"{start} structure {whole[:-1]} is not a `StructuredTensor` that can contain sub-structures "
                        f"-- it is a `{type(known)}`."
                    )
                inner.setdefault(name, {})[path[1:]] = value
            elif value is None:
                if known is None:
                    raise ValueError(
                        f"`StructuredTensor.with_updates` cannot delete field {whole} because it is not present."
                    )
                del fields[name]
            elif callable(value):
                if known is None:
                    raise ValueError(
                        f"`StructuredTensor.with_updates` cannot update the field {whole} because a transforming "
                        "function was given, but that field does not already exist."
                    )
                fields[name] = value(known)
            else:
                fields[name] = value
        for name, parts in inner.items():
            fields[name] = fields[name]._updated(parts, (*above, name), validate)
        try:
            return StructuredTensor.from_fields(fields, self.shape, self.nrows(), self.row_partitions, validate)
        except (TypeError, ValueError) as error:
            raise ValueError("`StructuredTensor.with_updates` failed") from error

    def promote(self, source_path, new_name):
        """The same dicts, with all that a field holds in the dicts of another field as a field beside that one.

        Args:
          source_path: sequence of at least two names, the path of the field.
          new_name: the name of the new field.

        Raises:
          ValueError: `source_path` is no sequence or too short, or `new_name` no text.
          KeyError: there is no such field.
        """
        if not isinstance(source_path, list | tuple):
            raise ValueError("source_path must be a list or tuple")
        if len(source_path) < 2:
            raise ValueError("source_path must have length at least two")
        if not isinstance(new_name, str):
            raise ValueError("new_name is not a string")
        path = tuple(source_path)
        outer, inner = self.field_value(path[:-2]).rank, self.field_value(path[:-1]).rank
        value = self.field_value(path)
        last = min(inner, value.shape.rank - 1)
        value = merged_dims(value, outer, last) if outer < last else value
        return self.with_updates({(*path[:-2], new_name): value})

    def with_shape_dtype(self, dtype):
        """The same dicts, the numbers of all shapes and row partitions of `dtype`, int32 or int64."""

        def change(value):
            if isinstance(value, RaggedTensor):
                return value.with_row_splits_dtype(dtype)
            return value.with_shape_dtype(dtype) if isinstance(value, StructuredTensor) else value

        fields = {name: change(value) for name, value in self._fields.items()}
        return StructuredTensor(fields, self._ragged_shape.with_dtype(dtypes.as_dtype(dtype)))

    def partition_outer_dimension(self, row_partition):
        """The same dicts with the first axis divided into rows by a RowPartition.

        Raises:
          TypeError: it is none.
          ValueError: this is a scalar.
          tf.errors.InvalidArgumentError: the rows hold another number of dicts than there are.
        """
        if not isinstance(row_partition, RowPartition):
            raise TypeError("row_partition must be a RowPartition.")
        if not self.rank:
            raise ValueError("Shape () must have rank at least 1")
        fields = {name: divided_by(value, row_partition) for name, value in self._fields.items()}
        shape = with_all_partitions(self._ragged_shape)
        return StructuredTensor(fields, DynamicRaggedShape((row_partition, *shape.row_partitions), shape.inner_shape))

    def merge_dims(self, outer_axis, inner_axis):
        """Several axes as one.

        Args:
          outer_axis, inner_axis: the first and the last of them; a negative one counts from the last axis.

        Raises:
          ValueError: axes out of range, or in the wrong order.
        """
        rank = self.rank
        first, last = (axis + rank if axis < 0 else axis for axis in (outer_axis, inner_axis))
        for name, axis, given in (("outer_axis", first, outer_axis), ("inner_axis", last, inner_axis)):
            if not 0 <= axis < rank:
                lowest = -rank if rank else 0
                raise ValueError(f"{name}={given} out of bounds: expected {lowest}<={name}<{rank}")
        if first > last:
            raise ValueError(f"Expected outer_axis ({first}) to be less than or equal to inner_axis ({last})")
        if first == last:
            return self
        fields = {name: merged_dims(value, first, last) for name, value in self._fields.items()}
        return StructuredTensor(fields, with_merged_partitions(with_all_partitions(self._ragged_shape), first, last))

    def __repr__(self):
        shown = []
        for name, value in sorted(self._fields.items()):
            text = str(value) if isinstance(value, Tensor) else repr(value)
            shown.append(f'\n        "{name}": ' + text.replace("\n", "\n            "))
        fields = ",".join(shown) if shown else "\n        "
        return f"<StructuredTensor(\n    fields={{{fields}}},\n    shape={self.shape})>"
