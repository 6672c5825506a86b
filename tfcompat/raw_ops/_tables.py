"""Raw ops of tables, which live on the host; the table itself stands for its handle."""

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values
from tfcompat._core.shape import as_shape
from tfcompat._core.stacks import InTurn
from tfcompat._core.steps import sizes_of, step
from tfcompat.errors import FailedPreconditionError, InvalidArgumentError
from tfcompat.lookup._static import TextFileInitializer
from tfcompat.raw_ops._registry import raw

_ADVICE = "tables live on the host: call the function outside of a tf.function"


def _known(x, dtype=None):
    return known_values(convert_to_tensor(x, dtype), _ADVICE)


class HashTable:
    """A table of keys and values. A static one is filled once."""

    def __init__(self, key_dtype, value_dtype, shape=(), static=False):
        self.key_dtype, self.value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        self.shape, self.static = tuple(shape), static
        self.items = None if static else {}

    def _filled(self):
        if self.items is None:
            raise FailedPreconditionError(None, None, "Table not initialized.")
        return self.items

    def find(self, keys, default):
        """The values of keys; `default`, one or one for each key, for others."""
        items = self._filled()
        result = np.empty((*keys.shape, *self.shape), self.value_dtype.np)
        default = np.broadcast_to(default, result.shape)
        for place in np.ndindex(keys.shape):
            value = items.get(_item(keys[place]))
            result[place] = default[place] if value is None else value
        return result

    def insert(self, keys, values):
        """Sets the values of keys."""
        items = {} if self.items is None else self.items
        for place in np.ndindex(keys.shape):
            key, value = _item(keys[place]), values[place]
            if self.static and key in items and np.any(items[key] != value):
                raise FailedPreconditionError(
                    None, None, f"HashTable has different value for same key. Key {key!r} has {items[key]!r} and "
                    f"trying to add value {value!r}"
                )  # fmt: skip
            items[key] = value
        self.items = items

    def arrays(self):
        """All keys and values."""
        items = self.items or {}
        keys = np.empty(len(items), self.key_dtype.np)
        values = np.empty((len(items), *self.shape), self.value_dtype.np)
        for place, (key, value) in enumerate(items.items()):
            keys[place], values[place] = key, value
        return keys, values


def _item(key):
    return key.item() if hasattr(key, "item") else key


@raw("HashTable", "HashTableV2")
def _hash_table(key_dtype, value_dtype):
    """A table that is filled once."""
    return HashTable(key_dtype, value_dtype, static=True)


@raw("MutableHashTable", "MutableHashTableV2")
def _mutable_hash_table(key_dtype, value_dtype):
    """A table to which keys can be added."""
    return HashTable(key_dtype, value_dtype)


@raw("AnonymousHashTable")
def _anonymous_hash_table(key_dtype, value_dtype):
    """A table that is filled once."""
    return HashTable(key_dtype, value_dtype, static=True)


@raw("AnonymousMutableHashTable")
def _anonymous_mutable_hash_table(key_dtype, value_dtype):
    """A table to which keys can be added."""
    return HashTable(key_dtype, value_dtype)


@raw("MutableHashTableOfTensors", "MutableHashTableOfTensorsV2")
def _table_of_tensors(key_dtype, value_dtype, value_shape):
    """A table of tensors to which keys can be added."""
    return HashTable(key_dtype, value_dtype, as_shape(value_shape).as_list())


@raw("AnonymousMutableHashTableOfTensors")
def _anonymous_table_of_tensors(key_dtype, value_dtype, value_shape):
    """A table of tensors to which keys can be added."""
    return HashTable(key_dtype, value_dtype, as_shape(value_shape).as_list())


@raw(
    "MutableDenseHashTable", "MutableDenseHashTableV2",
    ignored=("deleted_key", "initial_num_buckets",
             "max_load_factor"),
)  # fmt: skip
def _dense_hash_table(value_dtype, value_shape, empty_key):
    """A table to which keys can be added."""
    return HashTable(convert_to_tensor(empty_key).dtype, value_dtype, as_shape(value_shape).as_list())


@raw(
    "AnonymousMutableDenseHashTable",
    ignored=("deleted_key", "initial_num_buckets", "max_load_factor"),
)
def _anonymous_dense_hash_table(value_dtype, value_shape, empty_key):
    """A table to which keys can be added."""
    return HashTable(convert_to_tensor(empty_key).dtype, value_dtype, as_shape(value_shape).as_list())


def _values(new, table_handle, keys, default_value):
    return new([*sizes_of(keys), *table_handle.shape], table_handle.value_dtype)


def _in_turn(*args):
    raise InTurn


@raw("LookupTableFind", "LookupTableFindV2")
@step("LookupTableFindV2", _values, of_stack=_in_turn)
def _find(table_handle, keys, default_value):
    """The values of keys."""
    return host_constant(table_handle.find(_known(keys), _known(default_value)))


@raw("LookupTableInsert", "LookupTableInsertV2")
def _insert(table_handle, keys, values):
    """Adds keys to a table."""
    table_handle.insert(_known(keys), _known(values))


@raw("LookupTableImport", "LookupTableImportV2")
def _import(table_handle, keys, values):
    """Replaces what a table holds."""
    if not table_handle.static:
        table_handle.items = None
    table_handle.insert(_known(keys), _known(values))


@raw("InitializeTable", "InitializeTableV2")
def _initialize(table_handle, keys, values):
    """Fills a table."""
    table_handle.insert(_known(keys), _known(values))


@raw()
def LookupTableRemoveV2(table_handle, keys):
    """Removes keys from a table."""
    for key in _known(keys).ravel().tolist():
        table_handle.items.pop(key, None)


@raw("LookupTableSize", "LookupTableSizeV2")
def _size(table_handle):
    """How many keys a table has."""
    return host_constant(np.int64(len(table_handle.items or ())))


@raw("LookupTableExport", "LookupTableExportV2", ignored=("Tkeys", "Tvalues"))
def _export(table_handle):
    """All keys and values of a table."""
    return tuple(map(host_constant, table_handle.arrays()))


@raw("InitializeTableFromTextFile", "InitializeTableFromTextFileV2")
def _initialize_from_file(table_handle, filename, key_index, value_index, vocab_size, delimiter, offset):
    """Fills a table with the lines of a file."""
    (name,) = _known(filename).ravel().tolist()
    if not isinstance(table_handle, HashTable):
        raise InvalidArgumentError(None, None, f"InitializeTableFromTextFile: no table, but {table_handle!r}")
    lines = TextFileInitializer(
        name.decode(), table_handle.key_dtype, key_index, table_handle.value_dtype, value_index,
        None if vocab_size < 0 else vocab_size, delimiter, value_index_offset=offset,
    )  # fmt: skip
    table_handle.insert(*lines.pairs())
