"""`tf.graph_util`: GraphDefs as operations. `tf.compat.v1.graph_util` has the functions on GraphDefs below, too."""

from tfcompat.compat._graph_import import import_graph_def as import_graph_def
