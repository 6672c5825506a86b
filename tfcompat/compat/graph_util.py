"""`tf.graph_util`: GraphDefs as operations."""

from tfcompat.compat._graph_import import import_graph_def as import_graph_def
