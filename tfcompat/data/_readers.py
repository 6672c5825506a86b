"""Datasets that read files: lines, records, CSV."""

import collections

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.spec import TensorSpec
from tfcompat._formats.whole import in_tf_terms
from tfcompat.data import _block
from tfcompat.data._block import Block
from tfcompat.data._dataset import Dataset, UnaryDataset, integer
from tfcompat.data._element import flatten, pack
from tfcompat.errors import InvalidArgumentError, OpError, UnimplementedError
from tfcompat.io._decode import csv_defaults, csv_row, split_csv
from tfcompat.io._files import as_path, matching
from tfcompat.io._records import check_compression, opened, records


class _Files(Dataset):
    """A dataset of the parts of files."""

    def __init__(self, filenames, compression_type, num_parallel_reads=None):
        if not isinstance(filenames, Dataset):
            names = convert_to_tensor(filenames, dtypes.string)._value()
            if names.ndim > 1:
                raise InvalidArgumentError(None, None, "`filenames` must be a scalar or a vector.")
            self._names = np.atleast_1d(names).tolist()
        else:
            spec = filenames.element_spec
            if getattr(spec, "dtype", None) is not dtypes.string or spec.shape.rank not in (0, None):
                raise TypeError("The `filenames` argument must contain `tf.string` elements. Got a dataset of "
                                f"{spec}.")  # fmt: skip
            self._inputs = (filenames,)
        compression = convert_to_tensor("" if compression_type is None else compression_type)._value().item().decode()
        try:
            self._compression = check_compression(compression)
        except ValueError:
            raise InvalidArgumentError(None, None, "Unsupported compression_type.") from None
        self._at_once = 1 if num_parallel_reads is None else max(integer(num_parallel_reads, "num_parallel_reads"), 1)

    element_spec = property(lambda self: TensorSpec([], dtypes.string))

    def _spec_is_known(self):
        return True

    def _paths(self, run):
        if self._inputs:
            for row in self._inputs[0]._rows(run, 1):
                yield row[0].item()
        else:
            yield from self._names

    def _parts(self, path):
        """Yields lists of the parts of a file."""
        raise NotImplementedError

    def _of_file(self, path, size):
        try:
            for items in self._parts(path):
                for start in range(0, len(items), size):
                    some = items[start : start + size]
                    column = np.empty(len(some), object)
                    column[:] = some
                    yield Block(len(some), [column])
        except OpError as error:
            yield _block.failed(error)

    def _blocks(self, run, size):
        if self._at_once == 1:
            for path in self._paths(run):
                yield from self._of_file(path, size)
            return
        # As an interleaving of files, element by element.
        paths, active = self._paths(run), []
        while True:
            while paths is not None and len(active) < self._at_once:
                path = next(paths, None)
                if path is None:
                    paths = None
                else:
                    active.append(self._of_file(path, 1))
            if not active:
                return
            for source in list(active):
                block = next(source, None)
                if block is not None:
                    yield block
                    continue
                place = active.index(source)
                path = None if paths is None else next(paths, None)
                if path is None:
                    active.remove(source)
                else:
                    active[place] = self._of_file(path, 1)


class TextLineDataset(_Files):
    """The lines of text files, without their ends.

    Args:
      filenames: text scalar or vector, or a dataset of such.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: accepted; files are read in pieces.
      num_parallel_reads: int, how many files are read in turn.
      name: ignored.

    Raises:
      tf.errors.NotFoundError: while iterating: there is no such file.

    TF: `tf.data.TextLineDataset`.
    """

    _shown = "TextLineDatasetV2"

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
        super().__init__(filenames, compression_type, num_parallel_reads)

    def _parts(self, path):
        file, rest = opened(path, self._compression), b""
        try:
            while data := _read(file, path):
                lines = (rest + data).split(b"\n")
                rest = lines.pop()
                if lines:
                    yield [line.removesuffix(b"\r") for line in lines]
            if rest:
                yield [rest.removesuffix(b"\r")]
        finally:
            file.close()


def _read(file, path):
    with in_tf_terms(as_path(path)):
        return file.read(1 << 18)


class TFRecordDataset(_Files):
    """The records of files in TensorFlow's format.

    Args:
      filenames: text scalar or vector, or a dataset of such.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: accepted; files are read in pieces.
      num_parallel_reads: int, how many files are read in turn.
      name: ignored.

    Raises:
      tf.errors.NotFoundError, DataLossError: while iterating: there is no such file; it is damaged.

    TF: `tf.data.TFRecordDataset`.
    """

    _shown = "TFRecordDatasetV2"

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None, name=None):
        super().__init__(filenames, compression_type, num_parallel_reads)

    def _parts(self, path):
        return records(path, self._compression)


class FixedLengthRecordDataset(_Files):
    """Pieces of files, all of one length.

    Args:
      filenames: text scalar or vector, or a dataset of such.
      record_bytes: int, their length.
      header_bytes, footer_bytes: ints, what is left out at both ends of a file.
      buffer_size: accepted.
      compression_type: "", "ZLIB" or "GZIP".
      num_parallel_reads: int, how many files are read in turn.
      name: ignored.

    Raises:
      tf.errors.InvalidArgumentError: while iterating: a file of another length.

    TF: `tf.data.FixedLengthRecordDataset`.
    """

    _shown = "FixedLengthRecordDatasetV2"

    def __init__(self, filenames, record_bytes, header_bytes=None, footer_bytes=None, buffer_size=None,
                 compression_type=None, num_parallel_reads=None, name=None):  # fmt: skip
        super().__init__(filenames, compression_type, num_parallel_reads)
        self._length = integer(record_bytes, "record_bytes")
        self._head = 0 if header_bytes is None else integer(header_bytes, "header_bytes")
        self._foot = 0 if footer_bytes is None else integer(footer_bytes, "footer_bytes")
        if self._length <= 0:
            raise InvalidArgumentError(None, None, "`record_bytes` must be > 0")

    def _parts(self, path):
        file, data = opened(path, self._compression), []
        try:
            while piece := _read(file, path):
                data.append(piece)
        finally:
            file.close()
        data = b"".join(data)
        body = data[self._head : len(data) - self._foot]
        if len(body) % self._length:
            raise InvalidArgumentError(
                None, None, f"Excess bytes in file {path.decode()}: {len(body)} bytes of records of {self._length}"
            )
        yield [body[i : i + self._length] for i in range(0, len(body), self._length)]


class CsvDataset(TextLineDataset):
    """The lines of CSV files, as tuples of scalars.

    Args:
      filenames: text scalar or vector, or a dataset of such.
      record_defaults: as of `tf.io.decode_csv`; a dtype stands for a column that must not be empty.
      compression_type: "", "ZLIB" or "GZIP".
      buffer_size: accepted.
      header: whether the first line of each file is left out.
      field_delim, use_quote_delim, na_value, select_cols: as of `tf.io.decode_csv`.
      exclude_cols: numbers of the columns left out, in place of `select_cols`.

    TF: `tf.data.experimental.CsvDataset`; a field may not go over several lines.
    """

    _shown = "CsvDatasetV2"

    def __init__(self, filenames, record_defaults, compression_type=None, buffer_size=None, header=False,
                 field_delim=",", use_quote_delim=True, na_value="", select_cols=None, exclude_cols=None):  # fmt: skip
        super().__init__(filenames, compression_type)
        if select_cols is not None and exclude_cols is not None:
            raise InvalidArgumentError(None, None, "Either select_cols or exclude_cols should be empty")
        self._columns, self._header = csv_defaults(record_defaults), header
        self._how = field_delim, use_quote_delim, na_value
        self._select, self._exclude = select_cols, exclude_cols

    element_spec = property(lambda self: tuple(TensorSpec([], dtype) for dtype, _ in self._columns))

    def _of_file(self, path, size):
        first, row = self._header, 0
        try:
            for lines in self._parts(path):
                lines, first = lines[1:] if first else lines, False
                for start in range(0, len(lines), size):
                    yield from self._block_of(lines[start : start + size], row)
                    row += size
        except OpError as error:
            yield _block.failed(error)

    def _block_of(self, lines, row):
        rows = []
        for number, line in enumerate(lines):
            try:
                rows.append(self._values(line, row + number))
            except OpError as error:
                if rows:
                    yield self._as_block(rows)
                rows = []
                yield _block.failed(error)
        if rows:
            yield self._as_block(rows)

    def _values(self, line, row):
        select = self._select
        if self._exclude is not None:
            count = len(self._columns) + len(self._exclude)
            select = [i for i in range(count) if i not in self._exclude]
        return csv_row(line, self._columns, *self._how, select, row)

    def _as_block(self, rows):
        columns = []
        for values, (dtype, _) in zip(zip(*rows, strict=True), self._columns, strict=True):
            column = np.empty(len(rows), dtype.np or object)
            column[:] = values
            columns.append(column)
        return Block(len(rows), columns)


def make_csv_dataset(file_pattern, batch_size, column_names=None, column_defaults=None, label_name=None,
                     select_columns=None, field_delim=",", use_quote_delim=True, na_value="", header=True,
                     num_epochs=None, shuffle=True, shuffle_buffer_size=10000, shuffle_seed=None,
                     prefetch_buffer_size=None, num_parallel_reads=None, sloppy=False, num_rows_for_inference=100,
                     compression_type=None, ignore_errors=False, encoding="utf-8"):  # fmt: skip
    """Batches of the columns of CSV files, by name.

    Args:
      file_pattern: pattern of file names, or several.
      batch_size: int.
      column_names: names; by default those in the first line of the files.
      column_defaults: as of `tf.io.decode_csv`; by default from the first `num_rows_for_inference` lines.
      label_name: name of the column that is the second component of an element, or None.
      select_columns: names or numbers of the columns wanted.
      field_delim, use_quote_delim, na_value: as of `tf.io.decode_csv`.
      header: whether the first line of each file is one of names.
      num_epochs: int; None for no end.
      shuffle, shuffle_buffer_size, shuffle_seed: whether and how lines are shuffled.
      prefetch_buffer_size: int; 1 by default.
      num_parallel_reads: how many files are read in turn; 1 by default, -1 for the number of processors.
      sloppy: ignored: the order is always the same.
      compression_type: "", "ZLIB" or "GZIP".
      ignore_errors: whether lines that raise errors are left out.
      encoding: must be "utf-8".

    Returns:
      Dataset of dicts from names to vectors; of pairs of such a dict and a vector if there is a `label_name`.

    Raises:
      ValueError: unfit names.

    TF: `tf.data.experimental.make_csv_dataset`.
    """
    if encoding.lower() not in ("utf-8", "utf8"):
        raise UnimplementedError(None, None, "make_csv_dataset: files of another encoding than utf-8")
    patterns = np.atleast_1d(convert_to_tensor(file_pattern, dtypes.string)._value()).tolist()
    names = matching(patterns)
    if not names:
        shown = ", ".join(pattern.decode() for pattern in patterns)
        raise ValueError(f"No files match pattern: {shown}")
    how = field_delim, use_quote_delim
    lines = _first_lines(names[0], compression_type, num_rows_for_inference + 1)
    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header=True`.")
        if not lines:
            raise ValueError(f"Received StopIteration when reading the header line of {names[0]}. Empty file?")
        column_names = [item.decode() for item in _split(lines[0], *how)]
    if len(set(column_names)) != len(column_names):
        raise ValueError("Cannot have duplicate column names.")
    select = None
    if select_columns is not None:
        select = sorted(column_names.index(c) if isinstance(c, str) else int(c) for c in select_columns)
        if column_defaults is not None and len(column_defaults) != len(select):
            raise ValueError("If specified, `column_defaults` and `select_columns` must have same length.")
    columns_read = column_names if select is None else [column_names[i] for i in select]
    if label_name is not None and label_name not in columns_read:
        raise ValueError("`label_name` provided must be one of the columns.")
    if column_defaults is None:
        body = [_split(line, *how) for line in (lines[1:] if header else lines)[:num_rows_for_inference]]
        numbers = range(len(column_names)) if select is None else select
        column_defaults = [_inferred([row[i] for row in body if i < len(row)], na_value) for i in numbers]

    def lines_of(name):
        lines = CsvDataset(name, column_defaults, compression_type, None, header, *how, na_value, select)
        return lines.ignore_errors() if ignore_errors else lines

    files = Dataset.from_tensor_slices(names)
    if shuffle:
        files = files.shuffle(len(names), shuffle_seed)
    at_once = num_parallel_reads or 1
    if at_once == 1:
        dataset = files.flat_map(lines_of)
    elif at_once == -1:
        dataset = files.interleave(lines_of, num_parallel_calls=-1)
    else:
        dataset = files.interleave(lines_of, at_once, 1)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    dataset = dataset.repeat(num_epochs).batch(batch_size, num_epochs is None)

    def named(*columns):
        features = collections.OrderedDict(zip(columns_read, columns, strict=True))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    return _Named(dataset, named).prefetch(1 if prefetch_buffer_size is None else prefetch_buffer_size)


class _Named(UnaryDataset):
    """Elements with their components rearranged."""

    _shown = "_MapDataset"

    def __init__(self, dataset, arrange):
        super().__init__(dataset)
        specs = dataset._flat_specs()
        arranged = arrange(*range(len(specs)))
        self._order = flatten(arranged)
        self._spec = pack(arranged, [specs[i] for i in self._order])

    element_spec = property(lambda self: self._spec)

    def _template(self):
        return self._spec

    def _blocks(self, run, size):
        for block in self._input._blocks(run, size):
            if block.error is None:
                block = Block(block.size, [block.columns[i] for i in self._order])
            yield block


def _split(line, delimiter, quotes):
    return split_csv(line, delimiter, quotes)


def _first_lines(path, compression, count):
    lines = []
    for part in TextLineDataset(path, compression)._parts(path):
        lines += part
        if len(lines) >= count:
            break
    return lines[:count]


def _inferred(items, na_value):
    """The default of a column: of the narrowest of int32, int64, float32, float64 and text that fits all fields."""
    missing = na_value.encode()
    values = [item for item in items if item and item != missing]
    for dtype in (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64):
        if values and all(_is(value, dtype) for value in values):
            return convert_to_tensor([0], dtype)
    return convert_to_tensor([""])


def _is(value, dtype):
    try:
        if dtype.is_integer:
            info = np.iinfo(dtype.np)
            return info.min <= int(value) <= info.max
        number = dtype.np.type(float(value))
        return bool(np.isfinite(number) or dtype is dtypes.float64)
    except ValueError:
        return False
