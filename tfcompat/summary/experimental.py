"""`tf.summary.experimental`: the step that summaries take by default, and their names."""

from tfcompat._package.missing import missing as _missing
from tfcompat.summary._experimental import get_step as get_step
from tfcompat.summary._experimental import set_step as set_step
from tfcompat.summary._experimental import summary_scope as summary_scope
from tfcompat.summary._experimental import write_raw_pb as write_raw_pb

__getattr__ = _missing("tf.summary.experimental")
