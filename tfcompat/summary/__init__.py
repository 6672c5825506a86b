"""`tf.summary`: what TensorBoard shows, written to its event files."""
from tfcompat._missing import missing as _missing
from tfcompat.summary import experimental as experimental
from tfcompat.summary._ops import histogram as histogram
from tfcompat.summary._ops import image as image
from tfcompat.summary._ops import scalar as scalar
from tfcompat.summary._ops import text as text
from tfcompat.summary._ops import write as write
from tfcompat.summary._writer import SummaryWriter as SummaryWriter
from tfcompat.summary._writer import create_file_writer as create_file_writer
from tfcompat.summary._writer import create_noop_writer as create_noop_writer
from tfcompat.summary._writer import flush as flush
from tfcompat.summary._writer import record_if as record_if
from tfcompat.summary._writer import should_record_summaries as should_record_summaries

__getattr__ = _missing(
    "tf.summary",
    {
        "audio": "tf.summary.write with the encoded sound",
        "trace_on": "jax.profiler.start_trace",
        "trace_off": "jax.profiler.stop_trace",
        "trace_export": "jax.profiler.stop_trace",
        "graph": "jax.make_jaxpr for the program",
    },
)
