"""`tf.compat.v1.summary`: operations that give serialized summaries, and the writer of event files."""

import os as _os
import re as _re

import numpy as _np

import tfcompat as _tf
from tfcompat._core import graphs as _graphs
from tfcompat._core.name_scope import name_scope as _name_scope
from tfcompat._formats.tensors import proto_of as _proto_of
from tfcompat._package.logging import logger as _logger
from tfcompat.summary import _protos
from tfcompat.summary._messages import Event as Event
from tfcompat.summary._messages import HistogramProto as HistogramProto
from tfcompat.summary._messages import PluginData as _PluginData
from tfcompat.summary._messages import Summary as Summary
from tfcompat.summary._messages import SummaryMetadata as _SummaryMetadata
from tfcompat.summary._messages import Value as _Value
from tfcompat.summary._writer import create_file_writer as _create_file_writer

_SUMMARIES = "summaries"  # the collection that `merge_all` merges


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
    result = _graphs.record(summary, (tensor,), {}, scope, kind, known, attributes={"tag": tag})
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


def _histogram(tag, value):
    return [_protos.histogram(tag, value)]


def image(name, tensor, max_outputs=3, collections=None, family=None):
    """As `scalar`, of pictures [batch, height, width, channels]: uint8, or floats, which are scaled to 0 to 255.

    TF: `tf.compat.v1.summary.image`.
    """

    def _image(tag, value):
        return _protos.images(tag, value, max_outputs)

    return _recorded(name, family, tensor, collections, _image)


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
        return _tf.convert_to_tensor(_protos.merged([x.numpy() for x in inputs]).SerializeToString())

    if _graphs.current() is None:
        return merged(*inputs)
    known = _graphs.Inferred(_graphs.Result([], _tf.string))
    with _name_scope(name or "Merge") as scope:
        name, kind = f"{scope}MergeSummary/", "MergeSummary"
        result = _graphs.record(merged, tuple(inputs), {}, name, kind, known, attributes={"tag": ""})
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
      graph, graph_def, session: not written, which a message says once.
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
        if isinstance(summary, bytes):
            summary = Summary.FromString(summary)
        self._writer.add(0 if global_step is None else int(global_step), summary)

    def add_event(self, event):
        """Writes the summary of an `Event`."""
        self._writer.add(event.step, event.summary)

    def add_graph(self, graph, global_step=None, graph_def=None):
        """Writes nothing, as a message says: `tf.Graph.as_graph_def` gives the graph."""
        _logger.info("tf.compat.v1.summary.FileWriter: graphs are not written in tfcompat")

    def add_session_log(self, session_log, global_step=None):
        """Writes nothing: a message for supervisors, of which there are none."""

    def add_run_metadata(self, run_metadata, tag, global_step=None):
        """Writes nothing: runs measure nothing."""

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
