"""`tf.summary`: what TensorBoard shows, written to its event files."""
from tfcompat._package.missing import missing as _missing
from tfcompat.summary import experimental as experimental
from tfcompat.summary._ops import audio as audio
from tfcompat.summary._ops import histogram as histogram
from tfcompat.summary._ops import image as image
from tfcompat.summary._ops import scalar as scalar
from tfcompat.summary._ops import text as text
from tfcompat.summary._ops import write as write
from tfcompat.summary._trace import trace_export as trace_export
from tfcompat.summary._trace import trace_off as trace_off
from tfcompat.summary._trace import trace_on as trace_on
from tfcompat.summary._writer import SummaryWriter as SummaryWriter
from tfcompat.summary._writer import create_file_writer as create_file_writer
from tfcompat.summary._writer import create_noop_writer as create_noop_writer
from tfcompat.summary._writer import flush as flush
from tfcompat.summary._writer import record_if as record_if
from tfcompat.summary._writer import should_record_summaries as should_record_summaries

__getattr__ = _missing(
    "tf.summary",
    {
        "graph": "jax.make_jaxpr for the program",
    },
)
