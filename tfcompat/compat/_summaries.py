"""`tf.compat.v1.summary`: operations that give serialized summaries, and the writer of event files."""

import functools as _functools
import os as _os
import re as _re

import numpy as _np

import tfcompat as _tf
from tfcompat._core import graphs as _graphs
from tfcompat._core.name_scope import name_scope as _name_scope
from tfcompat._formats.protobuf import Message as _Message
from tfcompat._formats.tensors import TensorProto as _TensorProto
from tfcompat._formats.tensors import proto_of as _proto_of
from tfcompat._package.logging import logger as _logger
from tfcompat.errors import InvalidArgumentError as _InvalidArgumentError
from tfcompat.io import _png
from tfcompat.summary._messages import PluginData as _PluginData
from tfcompat.summary._messages import SummaryMetadata as _SummaryMetadata
from tfcompat.summary._writer import create_file_writer as _create_file_writer

_SUMMARIES = "summaries"  # the collection that `merge_all` merges


class HistogramProto(_Message):
    """How many values lie in each of several intervals."""

    NAME = "tensorflow.HistogramProto"
    FIELDS = (
        (1, "min", "double"), (2, "max", "double"), (3, "num", "double"), (4, "sum", "double"),
        (5, "sum_squares", "double"), (6, "bucket_limit", ["double"]), (7, "bucket", ["double"]),
    )  # fmt: skip


class _Image(_Message):
    NAME = "tensorflow.Summary.Image"
    FIELDS = (
        (1, "height", "int32"), (2, "width", "int32"), (3, "colorspace", "int32"),
        (4, "encoded_image_string", "bytes"),
    )  # fmt: skip


class _Value(_Message):
    NAME = "tensorflow.Summary.Value"
    FIELDS = (
        (1, "tag", "string"), (2, "simple_value", "float", "value"), (4, "image", _Image, "value"),
        (5, "histo", HistogramProto, "value"), (7, "node_name", "string"), (8, "tensor", _TensorProto, "value"),
        (9, "metadata", _SummaryMetadata),
    )  # fmt: skip


class Summary(_Message):
    """Summaries that are written at once. TF: `tf.compat.v1.Summary`."""

    NAME = "tensorflow.Summary"
    FIELDS = ((1, "value", [_Value]),)
    Value, Image = _Value, _Image


class Event(_Message):
    """A record of an event file. TF: `tf.compat.v1.Event`."""

    NAME = "tensorflow.Event"
    FIELDS = (
        (1, "wall_time", "double"), (2, "step", "int64"), (3, "file_version", "string", "what"),
        (4, "graph_def", "bytes", "what"), (5, "summary", Summary, "what"),
    )  # fmt: skip


def _recorded(name, family, tensor, collections, values_of):
    """An operation that gives a summary of `tensor`.

    Args:
      values_of: function of (tag, array) to the list of values.
    """
    cleaned = _re.sub(r"[^-/\w\.]", "_", name).lstrip("/")
    with _name_scope(f"{family}/{cleaned}" if family else cleaned) as scope:
        tag = scope.rstrip("/")
    if family:
        tag = f"{family}/{tag}"
    tensor = _tf.convert_to_tensor(tensor)

    def summary(tensor):
        values = values_of(tag, tensor.numpy())
        return _tf.convert_to_tensor(Summary(value=values).SerializeToString())

    if _graphs.current() is None:
        return summary(tensor)
    known = _graphs.Inferred(_graphs.Result([], _tf.string))
    kind = f"{values_of.__name__.strip('_').title()}Summary"
    result = _graphs.record(summary, (tensor,), {}, scope, kind, known)
    for key in [_SUMMARIES] if collections is None else collections:
        _graphs.current().add_to_collection(key, result)
    return result


def scalar(name, tensor, collections=None, family=None):
    """An operation that gives a summary of a number, as text that `FileWriter.add_summary` takes.

    Args:
      name: of the operation, and with its scopes the tag.
      tensor: real scalar.
      collections: names of those that the result is added to, by default "summaries".
      family: prefix of the tag.

    TF: `tf.compat.v1.summary.scalar`.
    """
    return _recorded(name, family, tensor, collections, _scalar)


def _scalar(tag, value):
    return [_Value(tag=tag, simple_value=float(value))]


def histogram(name, values, collections=None, family=None):
    """As `scalar`, of how often values lie in intervals. TF: `tf.compat.v1.summary.histogram`."""
    return _recorded(name, family, values, collections, _histogram)


@_functools.cache
def _limits():
    """Upper ends of the intervals, as `lib/histogram/histogram.cc` has them."""
    limits, value = [], 1.0e-12
    while value < 1.0e20:
        limits.append(value)
        value *= 1.1
    limits.append(_np.finfo(_np.float64).max)
    return _np.array([-limit for limit in reversed(limits)] + [0.0] + limits)


def _histogram(tag, value):
    values = value.astype(_np.float64).ravel()
    if not _np.isfinite(values).all():
        what = "Nan" if _np.isnan(values).any() else "Infinity"
        raise _InvalidArgumentError(None, None, f"{what} in summary histogram for: {tag}")
    limits = _limits()
    counts = _np.bincount(_np.searchsorted(limits, values, side="right"), minlength=len(limits)).tolist()
    shown = []  # (limit, count): intervals without values that follow each other become one
    for limit, count in zip(limits.tolist(), counts, strict=True):
        if shown and not count and not shown[-1][1]:
            shown.pop()
        shown.append((limit, count))
    low, high = (values.min(), values.max()) if values.size else (limits[-1], -limits[-1])
    histo = HistogramProto(
        min=low, max=high, num=values.size, sum=values.sum(), sum_squares=(values * values).sum(),
        bucket_limit=[limit for limit, _ in shown], bucket=[count for _, count in shown],
    )  # fmt: skip
    return [_Value(tag=tag, histo=histo)]


def image(name, tensor, max_outputs=3, collections=None, family=None):
    """As `scalar`, of pictures [batch, height, width, channels]: uint8, or floats, which are scaled to 0 to 255.

    TF: `tf.compat.v1.summary.image`.
    """

    def _image(tag, value):
        shown = value[:max_outputs]
        pictures = [each if each.dtype == _np.uint8 else _scaled(each) for each in shown]
        tags = [f"{tag}/image/{i}" for i in range(len(shown))] if max_outputs > 1 else [f"{tag}/image"]
        return [
            _Value(tag=each, image=_Image(height=picture.shape[0], width=picture.shape[1],
                   colorspace=picture.shape[2], encoded_image_string=_png.encode(picture)))
            for each, picture in zip(tags, pictures, strict=True)
        ]  # fmt: skip

    return _recorded(name, family, tensor, collections, _image)


def _scaled(picture):
    """A picture of floats as bytes: from 0 on to 255, or, if some are negative, from -127 to 127 around 128."""
    picture = _np.where(_np.isfinite(picture), picture, 0).astype(_np.float32)
    low, high = picture.min(), picture.max()
    if low < 0:
        most = max(abs(low), abs(high))
        return (picture * (127 / most if most >= 1e-5 else 0) + 128).astype(_np.uint8)
    return (picture * (255 / high if high >= 1e-5 else 0)).astype(_np.uint8)


def text(name, tensor, collections=None):
    """As `scalar`, of text. TF: `tf.compat.v1.summary.text`."""
    metadata = _SummaryMetadata(plugin_data=_PluginData(plugin_name="text"))

    def _tensor(tag, value):
        array = _np.asarray(value, object if isinstance(value, bytes) else None)
        return [_Value(tag=tag, tensor=_proto_of(array, _tf.string), metadata=metadata)]

    return _recorded(name, None, tensor, collections, _tensor)


def merge(inputs, collections=None, name=None):
    """An operation that gives one summary of several. TF: `tf.compat.v1.summary.merge`."""

    def merged(*inputs):
        tags = [value.tag for x in inputs for value in Summary.FromString(x.numpy()).value]
        again = next((tag for i, tag in enumerate(tags) if tag in tags[:i]), None)
        if again is not None:
            raise _InvalidArgumentError(None, None, f"Duplicate tag {again} found in summary inputs")
        return _tf.convert_to_tensor(b"".join(x.numpy() for x in inputs))

    if _graphs.current() is None:
        return merged(*inputs)
    known = _graphs.Inferred(_graphs.Result([], _tf.string))
    with _name_scope(name or "Merge") as scope:
        result = _graphs.record(merged, tuple(inputs), {}, f"{scope}MergeSummary/", "MergeSummary", known)
    for key in collections or ():
        _graphs.current().add_to_collection(key, result)
    return result


def merge_all(key=_SUMMARIES, scope=None, name=None):
    """`merge` of all in a collection; None if there are none. TF: `tf.compat.v1.summary.merge_all`."""
    if _graphs.current() is None:
        raise RuntimeError("Merging tf.summary.* ops is not compatible with eager execution.")
    found = _graphs.current().get_collection(key, scope)
    return merge(found, name=name) if found else None


class FileWriter:
    """Writes event files.

    Args:
      logdir: folder, created if it does not exist.
      graph, graph_def, session: not written, which a message says once: there are no GraphDefs.
      max_queue, flush_secs: of no effect; the operating system buffers until `flush`.
      filename_suffix: str at the end of the file's name.

    TF: `tf.compat.v1.summary.FileWriter`.
    """

    def __init__(self, logdir, graph=None, max_queue=10, flush_secs=120, graph_def=None, filename_suffix=None,
                 session=None):  # fmt: skip
        self._folder = _os.fspath(logdir)
        self._suffix = filename_suffix or ""
        self._writer = _create_file_writer(self._folder, filename_suffix=self._suffix)
        if graph is not None or graph_def is not None:
            self.add_graph(graph)

    def get_logdir(self):
        """The folder."""
        return self._folder

    def add_summary(self, summary, global_step=None):
        """Writes a summary: a `Summary`, or its bytes."""
        if not isinstance(summary, bytes):
            summary = summary.SerializeToString()
        self._writer.add(0 if global_step is None else int(global_step), summary)

    def add_event(self, event):
        """Writes the summary of an `Event`."""
        self._writer.add(event.step, event.summary.SerializeToString())

    def add_graph(self, graph, global_step=None, graph_def=None):
        """Writes nothing: there are no GraphDefs. A message says so."""
        _logger.info("tf.compat.v1.summary.FileWriter: graphs are not written in tfcompat")

    def add_session_log(self, session_log, global_step=None):
        """Writes nothing: a message for supervisors, of which there are none."""

    def flush(self):
        """Writes what is buffered."""
        self._writer.flush()

    def close(self):
        """Writes what is buffered, and closes the file."""
        self._writer.close()

    def reopen(self):
        """Begins another file after `close`."""
        self._writer.close()
        self._writer = _create_file_writer(self._folder, filename_suffix=self._suffix)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


class FileWriterCache:
    """Writers by folder. TF: `tf.compat.v1.summary.FileWriterCache`."""

    _known: dict = {}

    @classmethod
    def get(cls, logdir):
        """The writer of a folder."""
        return cls._known.setdefault(logdir, FileWriter(logdir))

    @classmethod
    def clear(cls):
        """Forgets all."""
        cls._known.clear()


def summary_iterator(path):
    """Yields the `Event`s of a file. TF: `tf.compat.v1.train.summary_iterator`."""
    for record in _tf.data.TFRecordDataset(path):
        yield Event.FromString(record.numpy())
