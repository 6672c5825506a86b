"""Profiles taken with JAX's profiler."""

import collections

import jax

from tfcompat.errors import AlreadyExistsError, UnavailableError, UnimplementedError


class ProfilerOptions(
    collections.namedtuple(
        "ProfilerOptions", ["host_tracer_level", "python_tracer_level", "device_tracer_level", "delay_ms"],
        defaults=(2, 0, 1, None),
    )
):  # fmt: skip
    """How much is traced: levels of the host, Python and the device. TF: `tf.profiler.experimental.ProfilerOptions`.

    `delay_ms` must be None: profiling starts at once.
    """


def start(logdir, options=None):
    """Starts profiling.

    Args:
      logdir: str, the folder for the trace.
      options: ProfilerOptions.

    Raises:
      tf.errors.AlreadyExistsError: it is on.
      tf.errors.UnimplementedError: `delay_ms`.

    TF: `tf.profiler.experimental.start`.
    """
    global _is_on
    if _is_on:
        raise AlreadyExistsError(None, None, "Another profiler is running.")
    jax.profiler.start_trace(str(logdir), profiler_options=_as_jax(options or ProfilerOptions()))
    _is_on = True


def stop(save=True):
    """Ends profiling and writes the trace.

    Args:
      save: bool; False is refused, since JAX writes every trace.

    Raises:
      tf.errors.UnavailableError: it is not on.
      tf.errors.UnimplementedError: `save=False`.

    TF: `tf.profiler.experimental.stop`.
    """
    global _is_on
    if not _is_on:
        raise UnavailableError(None, None, "Cannot export profiling results. No profiler is running.")
    if not save:
        raise _refused("stop(save=False)", "delete the folder afterwards")
    _is_on = False
    jax.profiler.stop_trace()


class Profile:
    """Profiles what runs in the context; arguments as for `start`. TF: `tf.profiler.experimental.Profile`."""

    def __init__(self, logdir, options=None):
        self._logdir, self._options = logdir, options

    def __enter__(self):
        start(self._logdir, self._options)

    def __exit__(self, kind, error, traceback):
        stop()


class Trace:
    """Names what runs in the context in a trace.

    Args:
      name: str.
      **kwargs: numbers or text shown beside it; with `_r=1` and `step_num` it is a training step.

    TF: `tf.profiler.experimental.Trace`.
    """

    def __init__(self, name, **kwargs):
        kind = jax.profiler.StepTraceAnnotation if kwargs.pop("_r", None) else jax.profiler.TraceAnnotation
        self._annotation = kind(name, **kwargs)

    def __enter__(self):
        self._annotation.__enter__()
        return self

    def set_metadata(self, **kwargs):
        """Shows more beside it. TF: `tf.profiler.experimental.Trace.set_metadata`."""
        self._annotation.set_metadata(**kwargs)

    def __exit__(self, kind, error, traceback):
        self._annotation.__exit__(kind, error, traceback)


def _as_jax(options):
    if options.delay_ms is not None:
        raise _refused("ProfilerOptions(delay_ms=...)", "time.sleep")
    jax_options = jax.profiler.ProfileOptions()
    jax_options.host_tracer_level = options.host_tracer_level
    jax_options.python_tracer_level = options.python_tracer_level
    if hasattr(jax_options, "device_tracer_level"):
        jax_options.device_tracer_level = options.device_tracer_level
    elif not options.device_tracer_level:  # JAX 0.12 leaves it to the device
        raise _refused("ProfilerOptions(device_tracer_level=0)", "JAX before 0.12")
    return jax_options


def _refused(option, instead):
    message = f"tf.profiler.experimental.{option} is not available in tfcompat: use {instead}"
    return UnimplementedError(None, None, message)


_is_on = False
