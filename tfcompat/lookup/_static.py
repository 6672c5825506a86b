"""Tables that do not change: `StaticHashTable`, `StaticVocabularyTable`, and their initializers."""

import dataclasses

import numpy as np

from tfcompat import dtypes, engine
from tfcompat._core.constant_table import ConstantTable
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values
from tfcompat._core.host_calls import known_in_graph, recorded
from tfcompat._core.stacks import InTurn, RaggedRows
from tfcompat._core.steps import sizes_of, step
from tfcompat._core.text_hash import fingerprint
from tfcompat.errors import FailedPreconditionError, InvalidArgumentError, UnimplementedError
from tfcompat.lookup._in_graphs import size_in_graph, values_in_graph
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.sparse._tensor import SparseTensor

ADVICE = "tables live on the host: use constants, or tf.py_function"


class _Initializer:
    """Base of initializers, which fill a table. A subclass may fill it otherwise, or not at all."""

    def initialize(self, table):
        """Fills `table`, which is being made."""
        table._fill(*(array.tolist() for array in self.pairs()))

    def pairs(self):
        raise NotImplementedError


class KeyValueTensorInitializer(_Initializer):
    """Keys and values of a table.

    Args:
      keys: vector of integers or text.
      values: vector of the same size.
      key_dtype: dtype of the keys, or None for that of `keys`.
      value_dtype: dtype of the values, or None for that of `values`.
      name: ignored.

    TF: `tf.lookup.KeyValueTensorInitializer`; no known difference.
    """

    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        self.keys = convert_to_tensor(known_in_graph(keys), key_dtype)
        self.values = convert_to_tensor(known_in_graph(values), value_dtype)
        self.key_dtype, self.value_dtype = self.keys.dtype, self.values.dtype

    def pairs(self):
        """Keys and values as arrays."""
        return known_values(self.keys, ADVICE).ravel(), known_values(self.values, ADVICE)


class TextFileIndex:
    """Constants for the number of a line and for the whole line.

    TF: `tf.lookup.TextFileIndex`; no known difference.
    """

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer(_Initializer):
    """Keys and values of a table from the lines of a file.

    Args:
      filename: path of the file.
      key_dtype: dtype of the keys.
      key_index: column of the keys, or one of `TextFileIndex`.
      value_dtype: dtype of the values.
      value_index: column of the values, or one of `TextFileIndex`.
      vocab_size: how many lines to read; all if None.
      delimiter: what stands between columns.
      name: ignored.
      value_index_offset: added to line numbers.

    Raises:
      ValueError: a whole line that is neither text nor integer, or a line number that is no integer.

    TF: `tf.lookup.TextFileInitializer`; no known difference.
    """

    def __init__(self, filename, key_dtype, key_index, value_dtype, value_index, vocab_size=None, delimiter="\t",
                 name=None, value_index_offset=0):  # fmt: skip
        self.key_dtype, self.value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        for role, index, dtype in (("Key", key_index, self.key_dtype), ("Value", value_index, self.value_dtype)):
            if index == TextFileIndex.LINE_NUMBER and dtype not in (dtypes.int64, dtypes.int32):
                raise ValueError(f"{role} index is LINE_NUMBER, dtype must be an integer one, got {dtype!r}")
            if index == TextFileIndex.WHOLE_LINE and not (dtype.is_integer or dtype == dtypes.string):
                raise ValueError(f"{role} index is WHOLE_LINE, dtype must be integer or string, got {dtype!r}")
            if index < -2:
                raise ValueError(f"Invalid {role.lower()} index {index}.")
        self._filename, self._columns = filename, (key_index, value_index)
        self._size, self._delimiter, self._offset = vocab_size, delimiter.encode(), value_index_offset

    def pairs(self):
        """Keys and values as arrays."""
        with open(self._filename, "rb") as file:
            lines = file.read().split(b"\n")
        lines = [line.rstrip(b"\r") for line in (lines[:-1] if lines[-1] == b"" else lines)][: self._size]
        columns = []
        for index, dtype in zip(self._columns, (self.key_dtype, self.value_dtype), strict=True):
            if index == TextFileIndex.LINE_NUMBER:
                column = [number + self._offset for number in range(len(lines))]
            else:
                whole = index == TextFileIndex.WHOLE_LINE
                column = lines if whole else [line.split(self._delimiter)[index] for line in lines]
                column = column if dtype == dtypes.string else [self._number(item, dtype) for item in column]
            array = np.empty(len(column), dtype.np)
            array[:] = column
            columns.append(array)
        return tuple(columns)

    def _number(self, text, dtype):
        try:
            return dtype.np.type(text)
        except ValueError:
            message = f"Field {text!r} in {self._filename} is not a valid {dtype.name}"
            raise InvalidArgumentError(None, None, message) from None


def _values_of(new, table, keys, name=None):
    if isinstance(keys, SparseTensor | RaggedTensor) or keys.dtype != table.key_dtype:
        return NotImplemented
    return new([*sizes_of(keys), *np.shape(table._default_array())], table.value_dtype)


def _values_of_stack(table, keys, name=None):
    if not table._is_fixed:
        raise InTurn
    return RaggedRows(table.lookup(keys.values), keys.lengths) if isinstance(keys, RaggedRows) else table.lookup(keys)


class Table:
    """Base of tables: keys and values of fixed dtypes, looked up on the host."""

    _is_fixed = False  # whether a key has the same value each time

    def __init__(self, key_dtype, value_dtype):
        self._key_dtype, self._value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)

    key_dtype = property(lambda self: self._key_dtype, doc="DType of the keys.")
    value_dtype = property(lambda self: self._value_dtype, doc="DType of the values.")

    @recorded("LookupTableFindV2", values_in_graph)
    @step("LookupTableFindV2", _values_of, of_stack=_values_of_stack)
    def lookup(self, keys, name=None):
        """The values of keys, a tensor, SparseTensor or RaggedTensor; that of a missing key is the default.

        Raises:
          TypeError: keys of another dtype.
        """
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, self.lookup(keys.values), keys.dense_shape)
        if isinstance(keys, RaggedTensor):
            return keys.with_flat_values(self.lookup(keys.flat_values))
        tensor = keys if hasattr(keys, "_node") else convert_to_tensor(keys, self._key_dtype)
        if tensor.dtype != self._key_dtype:
            raise TypeError(f"Dtype of argument `keys` must be {self._key_dtype!r}, received: {tensor.dtype!r}")
        array = known_values(tensor, ADVICE)
        values = [self._value(key) for key in array.ravel().tolist()]
        inner = np.shape(self._default_array())
        result = np.empty((len(values), *inner), self._value_dtype.np)
        for place, value in enumerate(values):
            result[place] = value
        return host_constant(result.reshape((*array.shape, *inner)))

    def __getitem__(self, keys):
        return self.lookup(keys)

    def _as_constant_table(self):
        """A ConstantTable of what it holds."""
        raise UnimplementedError(None, None, f"{type(self).__name__} in a function that is saved")

    def _value(self, key):
        raise NotImplementedError

    def _default_array(self):
        raise NotImplementedError


class StaticHashTable(Table):
    """A table that does not change once it is made.

    Args:
      initializer: `tf.lookup.KeyValueTensorInitializer` or `tf.lookup.TextFileInitializer`.
      default_value: the value of a missing key.
      name: ignored.
      experimental_is_anonymous: tables are not shared by name in any case.

    Raises:
      TypeError: `default_value` of another dtype.
      tf.errors.FailedPreconditionError: a key with two values.

    TF: `tf.lookup.StaticHashTable`; keys are looked up on the host.
    """

    _is_fixed = True

    def __init__(self, initializer, default_value, name=None, experimental_is_anonymous=False):
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        self._default = convert_to_tensor(known_in_graph(default_value), self._value_dtype)
        self._filled = None
        initializer.initialize(self)

    @property
    def _items(self):
        if self._filled is None:
            raise FailedPreconditionError(None, None, "Table not initialized.")
        return self._filled

    def _fill(self, keys, values):
        self._filled = {}
        for key, value in zip(keys, values, strict=True):
            if self._items.setdefault(key, value) != value:
                raise FailedPreconditionError(
                    None, None, f"HashTable has different value for same key. Key {key!r} has {self._items[key]!r} "
                    f"and trying to add value {value!r}"
                )  # fmt: skip

    default_value = property(lambda self: self._default, doc="The value of a missing key.")

    def _as_constant_table(self):
        keys, values = (engine.array_of(x._node) for x in self.export())
        return ConstantTable(self._key_dtype, self._value_dtype, keys, values, self._default_array())

    def _value(self, key):
        return self._items.get(key, self._default_array())

    def _default_array(self):
        return known_values(self._default, ADVICE)[()]

    @recorded("LookupTableSizeV2", size_in_graph, always=True)
    def size(self, name=None):
        """How many keys there are, an int64 scalar."""
        return host_constant(np.int64(len(self._filled or ())))

    def export(self, name=None):
        """All keys and values, two tensors."""
        keys = np.empty(len(self._items), self._key_dtype.np)
        keys[:] = list(self._items)
        values = np.empty(len(self._items), self._value_dtype.np)
        values[:] = list(self._items.values())
        return host_constant(keys), host_constant(values)


class StaticVocabularyTable(Table):
    """A table of ids. Other keys get higher ids, by their hash.

    Args:
      initializer: initializer of keys, integers or text, and int64 values; or None for hashes only.
      num_oov_buckets: how many ids for keys outside of the table.
      lookup_key_dtype: dtype of the keys, if that of `initializer` is int64 for text or there is none.
      name: ignored.
      experimental_is_anonymous: tables are not shared by name in any case.

    Raises:
      ValueError: `num_oov_buckets` is not positive.
      TypeError: values of another dtype than int64.

    TF: `tf.lookup.StaticVocabularyTable`; keys are looked up on the host.
    """

    _is_fixed = True

    def __init__(self, initializer, num_oov_buckets, lookup_key_dtype=None, name=None,
                 experimental_is_anonymous=False):  # fmt: skip
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        self._buckets, self._table = num_oov_buckets, None
        key_dtype = dtypes.string
        if initializer is not None:
            if initializer.value_dtype != dtypes.int64:
                raise TypeError(
                    f"Invalid `value_dtype`, expected {dtypes.int64!r} but got {initializer.value_dtype!r}."
                )
            self._table = StaticHashTable(initializer, -1)
            key_dtype = initializer.key_dtype
        super().__init__(key_dtype if lookup_key_dtype is None else lookup_key_dtype, dtypes.int64)

    def _as_constant_table(self):
        if self._table is None:
            keys, values = np.empty(0, object), np.empty(0, np.int64)
            return ConstantTable(dtypes.string, dtypes.int64, keys, values, np.int64(-1), self._buckets)
        table = self._table._as_constant_table()
        return dataclasses.replace(table, buckets=self._buckets, first_bucket=self._count())

    def _count(self):
        return len(self._table._items) if self._table is not None else 0

    def _value(self, key):
        if self._table is not None and key in self._table._items:
            return self._table._items[key]
        text = key if isinstance(key, bytes) else str(key).encode()
        return self._count() + fingerprint(text) % self._buckets

    def _default_array(self):
        return np.int64(0)

    @recorded("LookupTableSizeV2", size_in_graph, always=True)
    def size(self, name=None):
        """How many ids there are, an int64 scalar."""
        return host_constant(np.int64(self._count() + self._buckets))
