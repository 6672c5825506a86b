"""tensorflow/core/util/event_pb2.py, tensorflow/core/framework/summary_pb2.py: messages of event files."""
from tfcompat.summary._messages import Event as Event
from tfcompat.summary._messages import Summary as Summary
from tfcompat.summary._messages import SummaryMetadata as SummaryMetadata
