"""`tf.summary.trace_on` and its like: JAX's profiler. There are no graphs to show."""

import jax

from tfcompat._package.logging import logger

_tracing = None  # whether JAX's profiler is on; None where nothing is


def trace_on(graph=True, profiler=False, profiler_outdir=None):
    """Starts tracing.

    Args:
      graph: bool; says in a warning that no graph will be written.
      profiler: bool, whether JAX's profiler is started.
      profiler_outdir: str, the folder for what it finds, which TensorBoard shows.

    Raises:
      ValueError: a profiler without a folder.

    TF: `tf.summary.trace_on`; see `graph`.
    """
    global _tracing
    if _tracing is not None:
        logger.warning("Must use tf.summary.trace_off or trace_export before a new trace is started")
        return
    if profiler and profiler_outdir is None:
        raise ValueError("tf.summary.trace_on: give `profiler_outdir`, the folder for what the profiler finds")
    if graph:
        logger.warning("tf.summary.trace_on: there are no graphs in tfcompat, none will be written")
    if profiler:
        jax.profiler.start_trace(profiler_outdir)
    _tracing = profiler


def trace_export(name, step=None, profiler_outdir=None):
    """Ends tracing; what a profiler found is in its folder.

    Args:
      name, step, profiler_outdir: unused; the first two are those of a graph's summary.

    Raises:
      ValueError: nothing is being traced.

    TF: `tf.summary.trace_export`; no graph is written.
    """
    if _tracing is None:
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    trace_off()


def trace_off():
    """Ends tracing. TF: `tf.summary.trace_off`."""
    global _tracing
    if _tracing:
        jax.profiler.stop_trace()
    _tracing = None
