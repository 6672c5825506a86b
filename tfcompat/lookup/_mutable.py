"""Tables that change: `MutableHashTable` and `DenseHashTable`."""

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values
from tfcompat._core.dependencies import SavesTensors
from tfcompat._core.host_calls import known_in_graph, recorded
from tfcompat._tracing.elements import needs_values
from tfcompat.array._arguments import invalid, show_shape
from tfcompat.errors import UnimplementedError
from tfcompat.lookup._in_graphs import nothing, pairs_in_graph, size_in_graph, values_in_graph
from tfcompat.lookup._static import ADVICE, Table


class MutableHashTable(Table, SavesTensors):
    """A table to which keys can be added.

    Args:
      key_dtype: dtype of the keys.
      value_dtype: dtype of the values.
      default_value: the value of a missing key, a scalar or vector.
      name: ignored.
      checkpoint: for savers of TensorFlow 1; a `tf.train.Checkpoint` holds the table in any case.
      experimental_is_anonymous: tables are not shared by name in any case.

    Raises:
      TypeError: `default_value` of another dtype.

    TF: `tf.lookup.experimental.MutableHashTable`; keys are looked up on the host, and a `tf.function` that changes a
      table, or asks for its size, runs as plain Python.
    """

    _saved_as, _saved_endings = "table", ("-keys", "-values")

    def __init__(self, key_dtype, value_dtype, default_value, name="MutableHashTable", checkpoint=True,
                 experimental_is_anonymous=False):  # fmt: skip
        super().__init__(key_dtype, value_dtype)
        self._default = known_values(
            convert_to_tensor(known_in_graph(default_value), self._value_dtype), ADVICE
        )
        self._items = {}

    def _saved_tensors(self):
        if self._value_dtype is dtypes.variant:
            raise UnimplementedError(None, None, "a checkpoint of a table of variants: save what the lists hold")
        keys, values = self._arrays()
        return (self._key_dtype, keys), (self._value_dtype, values)

    def _restore_tensors(self, keys, values):
        self._items = {}
        self._put(keys.reshape(len(keys)), values.reshape((len(keys), *self._default.shape)))

    def _value(self, key):
        return self._items.get(key, self._default)

    def _default_array(self):
        return self._default

    @recorded("LookupTableFindV2", values_in_graph)
    def lookup(self, keys, dynamic_default_values=None, name=None):
        """The values of keys; those of missing keys are the default, or `dynamic_default_values` one by one."""
        result = super().lookup(keys)
        if dynamic_default_values is None:
            return result
        array, values = known_values(convert_to_tensor(keys), ADVICE), known_values(result, ADVICE).copy()
        others = np.broadcast_to(
            known_values(convert_to_tensor(dynamic_default_values, self._value_dtype), ADVICE), values.shape
        )
        for place in np.ndindex(array.shape):
            if array[place] not in self._items:
                values[place] = others[place]
        return host_constant(values)

    @recorded("LookupTableInsertV2", nothing, always=True)
    def insert(self, keys, values, name=None):
        """Adds keys, or changes their values.

        Raises:
          TypeError: keys of another dtype.
          tf.errors.InvalidArgumentError: values of another shape.
        """
        needs_values("a table that changes")
        keys = known_values(convert_to_tensor(keys, self._key_dtype), ADVICE)
        values = known_values(convert_to_tensor(values, self._value_dtype), ADVICE)
        expected = (*keys.shape, *self._default.shape)
        if values.shape != expected:
            raise invalid(f"Expected shape {show_shape(expected)} for value, got {show_shape(values.shape)}")
        self._put(keys, values)

    def _put(self, keys, values):
        for place in np.ndindex(keys.shape):
            self._items[keys[place].item() if hasattr(keys[place], "item") else keys[place]] = values[place]

    @recorded("LookupTableRemoveV2", nothing, always=True)
    def remove(self, keys, name=None):
        """Removes keys. Missing keys are ignored.

        Raises:
          TypeError: keys of another dtype.
          tf.errors.InvalidArgumentError: a reserved key of a `DenseHashTable`.
        """
        needs_values("a table that changes")
        tensor = convert_to_tensor(keys, self._key_dtype)
        removed = known_values(tensor, ADVICE).ravel().tolist()
        self._check(removed)
        for key in removed:
            self._items.pop(key, None)

    @recorded("LookupTableSizeV2", size_in_graph, always=True)
    def size(self, name=None):
        """How many keys there are, an int64 scalar."""
        needs_values("a table that changes")
        return host_constant(np.int64(len(self._items)))

    @recorded("LookupTableExportV2", pairs_in_graph, always=True)
    def export(self, name=None):
        """All keys and values, two tensors."""
        needs_values("a table that changes")
        keys, values = self._arrays()
        return host_constant(keys), host_constant(values)

    def _check(self, keys):
        """Raises for a key that a table may not have; `keys` is a list."""

    def _arrays(self):
        keys = np.empty(len(self._items), self._key_dtype.np)
        keys[:] = list(self._items)
        values = np.empty((len(self._items), *self._default.shape), self._value_dtype.np)
        for place, value in enumerate(self._items.values()):
            values[place] = value
        return keys, values


class DenseHashTable(MutableHashTable):
    """A table to which keys can be added. Two keys are reserved.

    Args:
      key_dtype: dtype of the keys.
      value_dtype: dtype of the values.
      default_value: the value of a missing key, a scalar or vector.
      empty_key: a key that must not be used.
      deleted_key: another.
      initial_num_buckets: a hint that is not needed.
      name: ignored.
      checkpoint: for savers of TensorFlow 1; a `tf.train.Checkpoint` holds the table in any case.
      experimental_is_anonymous: tables are not shared by name in any case.

    Raises:
      TypeError: a value of another dtype.
      tf.errors.InvalidArgumentError: both reserved keys are equal.

    TF: `tf.lookup.experimental.DenseHashTable`; as for `MutableHashTable`.
    """

    def __init__(self, key_dtype, value_dtype, default_value, empty_key, deleted_key, initial_num_buckets=None,
                 name="MutableDenseHashTable", checkpoint=True, experimental_is_anonymous=False):  # fmt: skip
        super().__init__(key_dtype, value_dtype, default_value)
        reserved = [known_values(convert_to_tensor(key, self._key_dtype), ADVICE) for key in (empty_key, deleted_key)]
        if reserved[0] == reserved[1]:
            raise invalid("Empty and deleted keys cannot be equal")
        self._reserved = dict(zip(("empty_key", "deleted_key"), [key.tolist() for key in reserved], strict=True))

    def _check(self, keys):
        for name, key in self._reserved.items():
            if key in keys:
                raise invalid(f"Using the {name} as a table key is not allowed")

    def _value(self, key):
        self._check([key])
        return super()._value(key)

    @recorded("LookupTableInsertV2", nothing, always=True)
    def insert(self, keys, values, name=None):
        """Adds keys, or changes their values.

        Raises:
          TypeError: keys of another dtype.
          tf.errors.InvalidArgumentError: values of another shape, or a reserved key.
        """
        needs_values("a table that changes")
        self._check(known_values(convert_to_tensor(keys, self._key_dtype), ADVICE).ravel().tolist())
        super().insert(keys, values)

    insert_or_assign = insert

    def _put(self, keys, values):
        # TensorFlow's checkpoints hold all buckets, those without a key, too.
        used = [place for place, key in enumerate(keys.ravel().tolist()) if key not in self._reserved.values()]
        super()._put(keys.ravel()[used], values.reshape((keys.size, *self._default.shape))[used])

    def erase(self, keys, name=None):
        """Removes keys, as `remove`."""
        return self.remove(keys)
