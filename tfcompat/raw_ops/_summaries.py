"""Raw ops of summaries: the messages of TensorFlow 1 as text, and the writers of event files."""

import time

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values
from tfcompat._core.steps import step
from tfcompat._formats.graphs import GraphDef
from tfcompat._formats.tensors import proto_of
from tfcompat.errors import DataLossError, InvalidArgumentError, NotFoundError
from tfcompat.raw_ops._registry import raw
from tfcompat.summary import _protos
from tfcompat.summary._messages import Event, Summary, SummaryMetadata, Value
from tfcompat.summary._writer import SummaryWriter as EventFile
from tfcompat.summary._writer import create_file_writer, when_known

_ADVICE = "call it outside"


def _array(x, dtype=None):
    return np.asarray(known_values(convert_to_tensor(x, dtype), _ADVICE))


def _text(x, what):
    value = _array(x, dtypes.string)
    if value.ndim:
        raise InvalidArgumentError(None, None, f"{what} must be scalar")
    return value.item().decode()


def _summary(function):
    """Decorator of a function that returns a list of Values: an op that returns them as text."""
    name = function.__name__

    @step(name, lambda new, *args, **kwargs: new([], dtypes.string))
    def serialized(*args, **kwargs):
        return host_constant(np.array(Summary(value=function(*args, **kwargs)).SerializeToString(), object))

    serialized.__name__, serialized.__doc__, serialized.__wrapped__ = name, function.__doc__, function
    return raw(ignored=("description", "labels", "display_name"))(serialized)


@_summary
def ScalarSummary(tags, values):
    """Numbers, each under a tag."""
    tags, values = _array(tags, dtypes.string), _array(values)
    if tags.shape != values.shape:
        raise InvalidArgumentError(
            None, None, f"tags and values are not the same shape: {list(tags.shape)} != {list(values.shape)}"
        )
    pairs = zip(tags.ravel(), values.ravel(), strict=True)
    return [Value(tag=tag.decode(), simple_value=float(value)) for tag, value in pairs]


@_summary
def HistogramSummary(tag, values):
    """How many values lie in each of several intervals."""
    return [_protos.histogram(_text(tag, "tags"), _array(values))]


@_summary
def ImageSummary(tag, tensor, max_images, bad_color):
    """Pictures: uint8, or floats, which are scaled to bytes."""
    color = (255, 0, 0, 255) if bad_color is None else _array(bad_color)
    return _protos.images(_text(tag, "Tags"), _array(tensor), max_images, color)


@_summary
def AudioSummaryV2(tag, tensor, sample_rate, max_outputs):
    """Sounds."""
    return _protos.sounds(_text(tag, "Tag"), _array(tensor), _array(sample_rate).item(), max_outputs)


@_summary
def TensorSummary(tensor):
    """A tensor of any dtype; its name is that of the op."""
    return [Value(node_name="TensorSummary", tensor=_proto(_array(tensor)))]


@_summary
def TensorSummaryV2(tag, tensor, serialized_summary_metadata):
    """A tensor of any dtype under a tag."""
    metadata = _array(serialized_summary_metadata, dtypes.string)
    if metadata.ndim:
        raise InvalidArgumentError(None, None, "serialized_summary_metadata must be scalar")
    return [_value(_text(tag, "tag"), _array(tensor), metadata.item())]


@_summary
def MergeSummary(inputs):
    """Several summaries as one."""
    return _protos.merged([text for part in inputs for text in _array(part).ravel()]).value


def _proto(array):
    return proto_of(array, dtypes.string if array.dtype == object else dtypes.from_numpy(array.dtype))


def _value(tag, array, metadata):
    return Value(tag=tag, tensor=_proto(array), metadata=SummaryMetadata.FromString(metadata))


# --- writers ---


class Writer:
    """The handle of an event file, which `CreateSummaryFileWriter` opens."""

    file: EventFile | None = None

    def opened(self):
        """The file."""
        if self.file is None:
            raise NotFoundError(None, None, "the summary writer does not exist: it is not created yet, or closed")
        return self.file


_writers: dict = {}


@raw()
def SummaryWriter(shared_name, container):
    """A writer that is not created yet; the same for one name."""
    return _writers.setdefault((container, shared_name), Writer()) if shared_name else Writer()


@raw(ignored=("max_queue", "flush_millis"))
def CreateSummaryFileWriter(writer, logdir, filename_suffix):
    """Begins an event file, unless the writer has one."""
    if writer.file is None:
        writer.file = create_file_writer(_text(logdir, "logdir"), filename_suffix=_text(filename_suffix, "suffix"))


@raw()
def FlushSummaryWriter(writer):
    """Writes what is buffered."""
    if writer.file is not None:
        writer.file.flush()


@raw()
def CloseSummaryWriter(writer):
    """Writes what is buffered, and closes the file."""
    if writer.file is not None:
        writer.file.close()
        writer.file = None


def _write(writer, step, parts, values_of):
    """Writes the Values of the arrays of tensors: now, or each time that the function being traced has run."""

    def emit(number, *parts):
        writer.opened().add(number, Summary(value=values_of(*map(np.asarray, parts))))

    when_known(emit, [convert_to_tensor(step, dtypes.int64), *map(convert_to_tensor, parts)])


@raw()
def WriteSummary(writer, step, tensor, tag, summary_metadata):
    """Writes a tensor."""

    def values_of(tensor, tag, metadata):
        value = _value(tag.item().decode(), tensor, metadata.item())
        if not metadata.item():
            value.ClearField("metadata")
        return [value]

    _write(writer, step, (tensor, tag, summary_metadata), values_of)


@raw()
def WriteScalarSummary(writer, step, tag, value):
    """Writes a number, the first one if there are several."""

    def values_of(tag, value):
        return [Value(tag=tag.item().decode(), simple_value=float(value.flat[0]))]

    _write(writer, step, (tag, value), values_of)


@raw()
def WriteHistogramSummary(writer, step, tag, values):
    """Writes how many values lie in each of several intervals."""
    _write(writer, step, (tag, values), lambda tag, values: [_protos.histogram(tag.item().decode(), values)])


@raw()
def WriteImageSummary(writer, step, tag, tensor, bad_color, max_images):
    """Writes pictures."""

    def values_of(tag, tensor, bad_color):
        return _protos.images(tag.item().decode(), tensor, max_images, bad_color)

    _write(writer, step, (tag, tensor, bad_color), values_of)


@raw()
def WriteAudioSummary(writer, step, tag, tensor, sample_rate, max_outputs):
    """Writes sounds."""

    def values_of(tag, tensor, rate):
        return _protos.sounds(tag.item().decode(), tensor, rate.item(), max_outputs)

    _write(writer, step, (tag, tensor, sample_rate), values_of)


def _parsed(message, text, what):
    try:
        return message.FromString(text)
    except ValueError:
        raise DataLossError(None, None, f"Bad {what} binary proto tensor string") from None


@raw()
def WriteRawProtoSummary(writer, step, tensor):
    """Writes summaries that are text."""

    def values_of(texts):
        return [value for text in texts.ravel() for value in _parsed(Summary, text, "tf.Summary").value]

    _write(writer, step, (tensor,), values_of)


@raw()
def WriteGraphSummary(writer, step, tensor):
    """Writes a GraphDef that is text."""

    def emit(number, text):
        text = np.asarray(text).item()
        _parsed(GraphDef, text, "tf.GraphDef")
        writer.opened().add_event(Event(wall_time=time.time(), step=int(number), graph_def=text))

    when_known(emit, [convert_to_tensor(step, dtypes.int64), convert_to_tensor(tensor)])


@raw()
def ImportEvent(writer, event):
    """Writes an Event that is text."""

    def emit(text):
        writer.opened().add_event(_parsed(Event, np.asarray(text).item(), "tf.Event"))

    when_known(emit, [convert_to_tensor(event)])
