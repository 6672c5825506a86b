"""Files of records. The format is described in
https://github.com/tensorflow/tensorflow/blob/v2.21.0/third_party/xla/xla/tsl/lib/io/record_writer.h
"""

import gzip
import os
import zlib

from tfcompat._formats.records import Damaged, framed, read
from tfcompat._formats.whole import in_tf_terms, translated
from tfcompat.errors import DataLossError, FailedPreconditionError, UnimplementedError
from tfcompat.io._files import as_path

_KINDS = ("", "ZLIB", "GZIP")
_TOGETHER = 1 << 18  # bytes read at once


class TFRecordOptions:
    """How a file of records is written.

    Args:
      compression_type: "", "ZLIB", "GZIP" or None.
      compression_level: 0 to 9, or None.
      The others: must be None.

    TF: `tf.io.TFRecordOptions`.
    """

    def __init__(self, compression_type=None, flush_mode=None, input_buffer_size=None, output_buffer_size=None,
                 window_bits=None, compression_level=None, compression_method=None, mem_level=None,
                 compression_strategy=None):  # fmt: skip
        self.compression_type = check_compression("" if compression_type is None else compression_type)
        self.compression_level = compression_level
        others = (flush_mode, window_bits, compression_method, mem_level, compression_strategy)
        if any(value is not None for value in others):
            raise UnimplementedError(None, None, "tf.io.TFRecordOptions: only compression_type and compression_level")
        self.input_buffer_size, self.output_buffer_size = input_buffer_size, output_buffer_size


def check_compression(kind):
    """The kind of compression; ValueError if there is no such."""
    if kind not in _KINDS:
        raise ValueError(f"Not a valid compression_type: {kind!r}; it is one of '', 'ZLIB', 'GZIP'")
    return kind


class TFRecordWriter:
    """Writes a file of records.

    Args:
      path: of the file, which is written anew.
      options: "ZLIB", "GZIP", `TFRecordOptions` or None.

    Raises:
      tf.errors.OpError: the file cannot be written.

    TF: `tf.io.TFRecordWriter`.
    """

    def __init__(self, path, options=None):
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(options)
        level = -1 if options.compression_level is None else options.compression_level
        self._path = as_path(path)
        with in_tf_terms(self._path):
            file = open(self._path, "wb")  # noqa: SIM115
        self._raw = self._file = file
        if options.compression_type == "GZIP":
            self._file = gzip.GzipFile(fileobj=file, mode="wb", compresslevel=6 if level < 0 else level, mtime=0)
        elif options.compression_type == "ZLIB":
            self._file = _Deflated(file, level)

    def write(self, record):
        """Adds a record, bytes or text."""
        record = record.numpy() if hasattr(record, "numpy") else record
        record = record.encode() if isinstance(record, str) else bytes(record)
        if self._file is None:
            raise FailedPreconditionError(None, None, "Writer is closed")
        with in_tf_terms(self._path):
            self._file.write(framed(record))

    def flush(self):
        """Passes buffered data to the operating system."""
        if self._file is not None:
            with in_tf_terms(self._path):
                self._file.flush()
                self._raw.flush()

    def close(self):
        """Closes the file."""
        if self._file is not None:
            file, self._file = self._file, None
            with in_tf_terms(self._path), self._raw:
                if file is not self._raw:
                    file.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def __del__(self):
        if getattr(self, "_file", None) is not None:
            self.close()


class _Deflated:
    """A file that is compressed by zlib while it is written."""

    def __init__(self, file, level):
        self._file, self._stream = file, zlib.compressobj(level)

    def write(self, data):
        self._file.write(self._stream.compress(data))

    def flush(self):
        self._file.write(self._stream.flush(zlib.Z_SYNC_FLUSH))

    def close(self):
        self._file.write(self._stream.flush())


def opened(path, compression):
    """A file to read bytes from, decompressed. Raises tf.errors.OpError if it cannot be opened."""
    path = as_path(path)
    with in_tf_terms(path):
        file = gzip.open(path) if compression == "GZIP" else open(path, "rb")  # noqa: SIM115
    return _Inflated(file) if compression == "ZLIB" else file


class _Inflated:
    """A file that is decompressed by zlib while it is read."""

    def __init__(self, file):
        self._file, self._stream, self._ready = file, zlib.decompressobj(), b""

    def read(self, size):
        parts, count = [self._ready], len(self._ready)
        while count < size:
            data = self._file.read(1 << 16)
            if not data:
                break
            parts.append(self._stream.decompress(data))
            count += len(parts[-1])
        data = b"".join(parts)
        self._ready = data[size:]
        return data[:size]

    def close(self):
        self._file.close()


def records(path, compression=""):
    """Yields lists of the records of a file, some at a time.

    Raises:
      tf.errors.DataLossError: the file is damaged; after the records before the damage.
    """
    if not os.path.exists(as_path(path)):
        raise translated(FileNotFoundError(2, "No such file or directory"), as_path(path))
    file = opened(path, compression)
    place, data, ended = 0, b"", False  # place: in the file, of the first byte of `data`
    try:
        while True:
            complete, at, damage = [], 0, None
            try:
                record, end = read(data, at)
                while record is not None:
                    complete.append(record)
                    at = end
                    record, end = read(data, at)
            except Damaged as error:
                damage = place + error.place
            if complete:
                yield complete
            if damage is not None:
                raise DataLossError(None, None, f"corrupted record at {damage}")
            needed = end - len(data)
            place, data = place + at, data[at:]
            if ended:
                if data:
                    raise DataLossError(None, None, f"truncated record at {place}")
                return
            try:
                # No more at once than what is there already: the length of a record may be any number.
                more = file.read(max(_TOGETHER, min(needed, len(data))))
            except (OSError, EOFError, zlib.error) as error:
                raise DataLossError(None, None, f"{as_path(path)}: {error}") from None
            ended = not more
            data += more
    finally:
        file.close()
