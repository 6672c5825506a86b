"""Hooks of monitored sessions: what is fetched besides at each run, and done with it."""

import time
from typing import Any, NamedTuple

import numpy as np

import tfcompat as tf
from tfcompat._package.logging import logger
from tfcompat.compat import _summaries
from tfcompat.compat._saver import Saver
from tfcompat.compat._scopes import get_default_graph
from tfcompat.compat._train import get_global_step


class SessionRunArgs(NamedTuple):
    """What a hook adds to a run. TF: `tf.compat.v1.train.SessionRunArgs`."""

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """What came of what a hook added to a run. TF: `tf.compat.v1.train.SessionRunValues`."""

    results: Any
    options: Any
    run_metadata: Any


class SessionRunContext:
    """A run that hooks take part in. TF: `tf.compat.v1.train.SessionRunContext`."""

    def __init__(self, original_args, session):
        self._original_args, self._session, self._stop_requested = original_args, session, False

    original_args = property(lambda self: self._original_args, doc="The `SessionRunArgs` of the call of `run`.")
    session = property(lambda self: self._session, doc="The session.")
    stop_requested = property(lambda self: self._stop_requested, doc="Whether a hook asked to stop.")

    def request_stop(self):
        """Makes `should_stop` of the monitored session true."""
        self._stop_requested = True


class SessionRunHook:
    """Base of hooks. TF: `tf.compat.v1.train.SessionRunHook`."""

    def begin(self):
        """Called before the session is made; may add to the graph."""

    def after_create_session(self, session, coord):
        """Called after the session was made. `coord` is None: there are no queues."""

    def before_run(self, run_context):
        """Called before each run; returns `SessionRunArgs` or None."""

    def after_run(self, run_context, run_values):
        """Called after each run with `SessionRunValues`."""

    def end(self, session):
        """Called at the end, if nothing was raised."""


class SecondOrStepTimer:
    """Tells when something is due: after so many seconds, or so many steps.

    Raises:
      ValueError: both are given, or none.

    TF: `tf.compat.v1.train.SecondOrStepTimer`.
    """

    def __init__(self, every_secs=None, every_steps=None):
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self):
        """Forgets what has triggered."""
        self._step = self._time = None

    def should_trigger_for_step(self, step):
        """Whether it is due at a step."""
        if self._step is None:
            return True
        if step == self._step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._time + self._every_secs
        return step >= self._step + self._every_steps

    def update_last_triggered_step(self, step):
        """Notes that it triggered; returns (seconds, steps) since the time before, or (None, None)."""
        now = time.time()
        since = (None, None) if self._step is None else (now - self._time, step - self._step)
        self._time, self._step = now, step
        return since

    def last_triggered_step(self):
        """The step at which it triggered last, or None."""
        return self._step


def _global_step(name):
    step = get_global_step()
    if step is None:
        raise RuntimeError(f"Global step should be created to use {name}.")
    return step


class StopAtStepHook(SessionRunHook):
    """Stops after `num_steps` more steps, or at `last_step`. TF: `tf.compat.v1.train.StopAtStepHook`."""

    def __init__(self, num_steps=None, last_step=None):
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self):
        self._step = _global_step("StopAtStepHook")

    def after_create_session(self, session, coord):
        if self._last_step is None:
            self._last_step = session.run(self._step) + self._num_steps

    def before_run(self, run_context):
        return SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        # What was fetched may be the step before the run.
        if run_values.results + 1 >= self._last_step and run_context.session.run(self._step) >= self._last_step:
            run_context.request_stop()


class LoggingTensorHook(SessionRunHook):
    """Logs the values of tensors every so many runs or seconds, or at the end.

    Args:
      tensors: dict of tensors or their names by what they are called, or list of these.
      every_n_iter, every_n_secs: one of them.
      at_end: whether to log at the end.
      formatter: function of a dict of values, to the text.

    TF: `tf.compat.v1.train.LoggingTensorHook`.
    """

    def __init__(self, tensors, every_n_iter=None, every_n_secs=None, at_end=False, formatter=None):
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.")
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        self._tensors = dict(tensors) if isinstance(tensors, dict) else {item: item for item in tensors}
        self._timer = None if only_at_end else SecondOrStepTimer(every_n_secs, every_n_iter)
        self._at_end, self._formatter = at_end, formatter

    def begin(self):
        self._runs, graph = 0, get_default_graph()
        self._elements = {tag: graph.as_graph_element(x) for tag, x in self._tensors.items()}
        if self._timer is not None:
            self._timer.reset()

    def before_run(self, run_context):
        self._due = self._timer is not None and self._timer.should_trigger_for_step(self._runs)
        return SessionRunArgs(self._elements) if self._due else None

    def after_run(self, run_context, run_values):
        if self._due:
            self._log(run_values.results)
        self._runs += 1

    def end(self, session):
        if self._at_end:
            self._log(session.run(self._elements))

    def _log(self, values):
        seconds = None if self._timer is None else self._timer.update_last_triggered_step(self._runs)[0]
        if self._formatter is not None:
            logger.info(self._formatter(values))
            return
        with np.printoptions(suppress=True):
            text = ", ".join(f"{getattr(tag, 'name', tag)} = {value}" for tag, value in values.items())
        logger.info("%s%s", text, "" if seconds is None else f" ({seconds:.3f} sec)")


class NanLossDuringTrainingError(RuntimeError):
    """A loss is nan. TF: `tf.compat.v1.train.NanLossDuringTrainingError`."""

    def __str__(self):
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Stops, or raises, when a loss is nan. TF: `tf.compat.v1.train.NanTensorHook`."""

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        self._loss, self._fails = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context):
        return SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        if not np.isnan(run_values.results):
            return
        if self._fails:
            logger.error("Model diverged with loss = NaN.")
            raise NanLossDuringTrainingError
        logger.warning("Model diverged with loss = NaN.")
        run_context.request_stop()


class FinalOpsHook(SessionRunHook):
    """Runs tensors at the end; `final_ops_values` holds what they give. TF: `tf.compat.v1.train.FinalOpsHook`."""

    def __init__(self, final_ops, final_ops_feed_dict=None):
        self._final_ops, self._feed_dict, self._values = final_ops, final_ops_feed_dict, None

    final_ops_values = property(lambda self: self._values, doc="What the tensors gave.")

    def end(self, session):
        if self._final_ops is not None:
            self._values = session.run(self._final_ops, self._feed_dict)


class CheckpointSaverListener:
    """Base of what is told when checkpoints are saved. TF: `tf.compat.v1.train.CheckpointSaverListener`."""

    def begin(self):
        """Called before the session is made."""

    def before_save(self, session, global_step_value):
        """Called before a checkpoint is saved."""

    def after_save(self, session, global_step_value):
        """Called after a checkpoint was saved; True asks to stop."""

    def end(self, session, global_step_value):
        """Called at the end."""


class CheckpointSaverHook(SessionRunHook):
    """Saves checkpoints at the beginning, every so many seconds or steps, and at the end.

    Args:
      checkpoint_dir: folder.
      save_secs, save_steps: one of them.
      saver: Saver; that of the scaffold, or one of all variables, if None.
      checkpoint_basename: the beginning of the names of files.
      scaffold: Scaffold.
      listeners: list of CheckpointSaverListener.
      save_graph_def: of no effect: there are no files of graphs.

    TF: `tf.compat.v1.train.CheckpointSaverHook`.
    """

    def __init__(self, checkpoint_dir, save_secs=None, save_steps=None, saver=None, checkpoint_basename="model.ckpt",
                 scaffold=None, listeners=None, save_graph_def=True):  # fmt: skip
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._path = f"{checkpoint_dir}/{checkpoint_basename}"
        self._saver, self._scaffold, self._listeners = saver, scaffold, list(listeners or ())
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    def begin(self):
        self._step = _global_step("CheckpointSaverHook")
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session, coord):
        step = session.run(self._step)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context):
        return SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        if not self._timer.should_trigger_for_step(run_values.results + 1):
            return
        step = run_context.session.run(self._step)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session):
        step = session.run(self._step)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session, step):
        for listener in self._listeners:
            listener.before_save(session, step)
        saver = self._saver or (self._scaffold and self._scaffold.saver)
        if saver is None:
            saver = self._saver = Saver()
        saver.save(session, self._path, global_step=step)
        return any([listener.after_save(session, step) for listener in self._listeners])


class _Writer:
    """Writes summaries to a FileWriter, or else to a file of its own in a folder, or nowhere if both are None."""

    def __init__(self, folder, writer):
        self._folder, self._writer, self._is_own = folder, writer, False

    def add_summary(self, summary, step):
        if self._writer is None and self._folder:
            self._writer, self._is_own = _summaries.FileWriter(self._folder), True
        if self._writer is not None:
            self._writer.add_summary(summary, step)

    def end(self):
        if self._is_own:
            self._writer.close()
            self._writer = None
        elif self._writer is not None:
            self._writer.flush()


class StepCounterHook(SessionRunHook):
    """Logs how many steps a second there are. TF: `tf.compat.v1.train.StepCounterHook`."""

    def __init__(self, every_n_steps=100, every_n_secs=None, output_dir=None, summary_writer=None):
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)
        self._writer = _Writer(output_dir, summary_writer)

    def begin(self):
        self._step = _global_step("StepCounterHook")

    def before_run(self, run_context):
        return SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        if not self._timer.should_trigger_for_step(run_values.results + 1):
            return
        step = run_context.session.run(self._step)
        seconds, steps = self._timer.update_last_triggered_step(step)
        if seconds:
            rate = steps / seconds
            logger.info("%s/sec: %g", self._step.op.name, rate)
            value = _summaries.Summary.Value(tag=f"{self._step.op.name}/sec", simple_value=rate)
            self._writer.add_summary(_summaries.Summary(value=[value]), step)

    def end(self, session):
        self._writer.end()


class SummarySaverHook(SessionRunHook):
    """Writes summaries every so many steps or seconds.

    Args:
      save_steps, save_secs: one of them.
      output_dir: folder, if there is no `summary_writer`.
      summary_writer: FileWriter.
      scaffold: Scaffold that has the summaries, or
      summary_op: a tensor, or list of tensors, of serialized summaries.

    TF: `tf.compat.v1.train.SummarySaverHook`.
    """

    def __init__(self, save_steps=None, save_secs=None, output_dir=None, summary_writer=None, scaffold=None,
                 summary_op=None):  # fmt: skip
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op, self._scaffold = summary_op, scaffold
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._writer = _Writer(output_dir, summary_writer)

    def begin(self):
        self._step, self._next = _global_step("SummarySaverHook"), None

    def before_run(self, run_context):
        self._due = self._next is None or self._timer.should_trigger_for_step(self._next)
        op = self._summary_op if self._scaffold is None else self._scaffold.summary_op
        fetched = {"step": self._step}
        if self._due and op is not None:
            fetched["summary"] = op
        return SessionRunArgs(fetched)

    def after_run(self, run_context, run_values):
        step = run_values.results["step"] + 1  # it was read before the run
        if self._next is None or self._due:
            step = run_context.session.run(self._step)
        if self._due:
            self._timer.update_last_triggered_step(step)
            if "summary" in run_values.results:
                for summary in np.ravel(run_values.results["summary"]):
                    self._writer.add_summary(summary, step)
        self._next = step + 1

    def end(self, session):
        self._writer.end()


ENDS = (tf.errors.OutOfRangeError, StopIteration)
