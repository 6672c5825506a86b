"""Graphs in files."""

import os

from tfcompat._formats.whole import Replacing, make_folder


def write_graph(graph_or_graph_def, logdir, name, as_text=True):
    """Writes a graph to a file; returns its path.

    Args:
      graph_or_graph_def: GraphDef, or the `graph` of a concrete function.
      logdir: folder, made if it is missing.
      name: of the file.
      as_text: whether the text form is written, not the binary one.

    TF: `tf.io.write_graph`.
    """
    graph = graph_or_graph_def
    graph_def = graph.as_graph_def() if hasattr(graph, "as_graph_def") else graph
    path = os.path.join(os.fspath(logdir), name)
    make_folder(os.path.dirname(path))
    with Replacing(path) as file:
        file.write(str(graph_def).encode() if as_text else graph_def.SerializeToString())
    return path
