"""Monitored sessions: they initialize or restore variables, call hooks at each run, and end by themselves."""

from tfcompat.compat import _graph_functions, _hooks, _summaries
from tfcompat.compat._hooks import ENDS, SessionRunArgs, SessionRunContext, SessionRunValues
from tfcompat.compat._queues import Coordinator, start_queue_runners
from tfcompat.compat._saver import Saver
from tfcompat.compat._scopes import get_default_graph
from tfcompat.compat._sessions import Session
from tfcompat.errors import UnimplementedError
from tfcompat.train import latest_checkpoint

_NOT_SET = object()


class Scaffold:
    """What a monitored session begins with; `finalize` makes what is not given.

    Args:
      init_op, init_feed_dict: initialize variables where there is no checkpoint.
      init_fn: function of (scaffold, session), called after it.
      local_init_op, local_init_feed_dict: run each time.
      summary_op: the summaries, `merge_all` by default.
      saver: Saver.
      ready_op, ready_for_local_init_op, copy_from_scaffold: must be None.

    TF: `tf.compat.v1.train.Scaffold`.
    """

    def __init__(self, init_op=None, init_feed_dict=None, init_fn=None, ready_op=None, ready_for_local_init_op=None,
                 local_init_op=None, summary_op=None, saver=None, copy_from_scaffold=None,
                 local_init_feed_dict=None):  # fmt: skip
        for name, value in (("ready_op", ready_op), ("ready_for_local_init_op", ready_for_local_init_op),
                            ("copy_from_scaffold", copy_from_scaffold)):  # fmt: skip
            if value is not None:
                raise UnimplementedError(
                    None, None, f"tf.compat.v1.train.Scaffold: {name} is not available in tfcompat: leave it out"
                )
        self._init_op, self._local_init_op, self._summary_op, self._saver = init_op, local_init_op, summary_op, saver
        self._init_fn, self._feeds = init_fn, (init_feed_dict, local_init_feed_dict)

    init_op = property(lambda self: self._init_op, doc="Initializes variables.")
    local_init_op = property(lambda self: self._local_init_op, doc="Initializes local variables.")
    summary_op = property(lambda self: self._summary_op, doc="The summaries, or None.")
    saver = property(lambda self: self._saver, doc="Saver.")

    def finalize(self):
        """Makes what was not given, and ends the building of the graph."""
        graph = get_default_graph()
        if not graph.finalized:
            if self._init_op is None:
                self._init_op = _graph_functions.global_variables_initializer()
            if self._local_init_op is None:
                self._local_init_op = self.default_local_init_op()
            if self._summary_op is None:
                self._summary_op = _summaries.merge_all()
            if self._saver is None and _graph_functions.global_variables():
                self._saver = Saver()
            graph.finalize()
        return self

    @staticmethod
    def default_local_init_op():
        """Initializes local variables; tables are filled when they are made."""
        return _graph_functions.local_variables_initializer()

    def begin_session(self, session, checkpoint):
        """Restores a checkpoint, or initializes variables if it is None; and what is local."""
        if checkpoint is not None:
            self._saver.restore(session, checkpoint)
        else:
            session.run(self._init_op, self._feeds[0])
            if self._init_fn is not None:
                self._init_fn(self, session)
        session.run(self._local_init_op, self._feeds[1])


class SessionCreator:
    """Base of what makes the session of a MonitoredSession. TF: `tf.compat.v1.train.SessionCreator`."""

    def create_session(self):
        """The session."""
        raise NotImplementedError(f"create_session is not implemented for {self}.")


class ChiefSessionCreator(SessionCreator):
    """Makes a session and initializes it, or restores the last checkpoint of a folder, or a given one.

    TF: `tf.compat.v1.train.ChiefSessionCreator`.
    """

    def __init__(self, scaffold=None, master="", config=None, checkpoint_dir=None, checkpoint_filename_with_path=None):
        self._scaffold, self._master, self._config = scaffold or Scaffold(), master, config
        self._folder, self._file = checkpoint_dir, checkpoint_filename_with_path

    def create_session(self):
        self._scaffold.finalize()
        session = Session(self._master, config=self._config)
        self._scaffold.begin_session(session, self._file or (self._folder and latest_checkpoint(self._folder)) or None)
        return session


class MonitoredSession:
    """A session that calls hooks at each run, and ends when one of them asks for it or an iterator is at its end.

    Args:
      session_creator: SessionCreator; a ChiefSessionCreator if None.
      hooks: list of SessionRunHook.
      stop_grace_period_secs: how long threads of queues may live on at the end.

    In its context OutOfRangeError and StopIteration end the block without being raised.

    TF: `tf.compat.v1.train.MonitoredSession`; a session that fails is not made again.
    """

    def __init__(self, session_creator=None, hooks=None, stop_grace_period_secs=120):
        self._graph, self._hooks = get_default_graph(), list(hooks or ())
        for hook in self._hooks:
            hook.begin()
        self._session = (session_creator or ChiefSessionCreator()).create_session()
        self._stops, self._coordinator, self._patience = False, Coordinator(), stop_grace_period_secs
        self._threads = start_queue_runners(self._session, self._coordinator)
        for hook in self._hooks:
            hook.after_create_session(self._session, self._coordinator)

    graph = property(lambda self: self._graph, doc="The graph that is run.")

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """As `Session.run`; hooks add to the run.

        Raises:
          RuntimeError: the session is at its end; two feed the same tensor.
        """
        if self._session is None:
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict, options), self._session)
        added = [hook.before_run(context) for hook in self._hooks]
        added = [SessionRunArgs(None) if args is None else args for args in added]
        feed = dict(feed_dict or {})
        for hook, args in zip(self._hooks, added, strict=True):
            for tensor, value in (args.feed_dict or {}).items():
                if tensor in feed:
                    raise RuntimeError(f"Same tensor is fed by two hooks, or by the user and {hook}: {tensor}")
                feed[tensor] = value
        wanted = [[] if args.fetches is None else args.fetches for args in added]
        result, *results = self._session.run([fetches, *wanted], feed, options, run_metadata)
        for hook, args, values in zip(self._hooks, added, results, strict=True):
            hook.after_run(context, SessionRunValues(None if args.fetches is None else values, options, run_metadata))
        self._stops = self._stops or context.stop_requested
        return result

    def run_step_fn(self, step_fn):
        """Calls a function of a context, whose `session.run` calls no hooks, `run_with_hooks` all.

        TF: `tf.compat.v1.train.MonitoredSession.run_step_fn`.
        """
        return step_fn(_StepContext(self))

    def should_stop(self):
        """Whether a hook asked to stop, or the session is closed."""
        return self._session is None or self._stops or self._coordinator.should_stop()

    def close(self):
        """Ends the hooks and the session."""
        self._close(None)

    def _close(self, error):
        session, self._session = self._session, None
        if session is not None:
            try:
                if error is None:
                    for hook in self._hooks:
                        hook.end(session)
            finally:
                self._coordinator.request_stop(error)
                try:
                    self._coordinator.join(self._threads, self._patience, ignore_live_threads=True)
                finally:
                    session.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        is_end = kind is None or issubclass(kind, ENDS)
        self._close(None if is_end else value)
        return is_end


class _StepContext:
    def __init__(self, session):
        self.session, self._monitored = session._session, session

    def run_with_hooks(self, *args, **kwargs):
        return self._monitored.run(*args, **kwargs)

    def request_stop(self):
        raise StopIteration("step_fn has requested the iterations to stop.")


class SingularMonitoredSession(MonitoredSession):
    """A MonitoredSession whose session is public. TF: `tf.compat.v1.train.SingularMonitoredSession`."""

    def __init__(self, hooks=None, scaffold=None, master="", config=None, checkpoint_dir=None,
                 stop_grace_period_secs=120, checkpoint_filename_with_path=None):  # fmt: skip
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path)
        super().__init__(creator, hooks, stop_grace_period_secs)

    def raw_session(self):
        """The session."""
        return self._session


def MonitoredTrainingSession(
    master="", is_chief=True, checkpoint_dir=None, scaffold=None, hooks=None, chief_only_hooks=None,
    save_checkpoint_secs=_NOT_SET, save_summaries_steps=_NOT_SET, save_summaries_secs=_NOT_SET, config=None,
    stop_grace_period_secs=120, log_step_count_steps=100, max_wait_secs=7200, save_checkpoint_steps=_NOT_SET,
    summary_dir=None, save_graph_def=True,
):  # fmt: skip
    """A MonitoredSession with the hooks that training needs: checkpoints, summaries, steps a second.

    Args:
      master: must be "".
      is_chief: must be True.
      checkpoint_dir: where checkpoints and summaries are written, and restored from; None for neither.
      scaffold, hooks, chief_only_hooks, config: of the session.
      save_checkpoint_secs, save_checkpoint_steps: every 600 s, if neither is given; None for never.
      save_summaries_steps, save_summaries_secs: every 100 steps, if neither is given; None for never.
      stop_grace_period_secs: as of `MonitoredSession`.
      max_wait_secs, save_graph_def: of no effect.
      log_step_count_steps: how often steps a second are logged; None for never.
      summary_dir: where summaries are written, if not to `checkpoint_dir`.

    Raises:
      tf.errors.UnimplementedError: another process is the chief.

    TF: `tf.compat.v1.train.MonitoredTrainingSession`.
    """
    if not is_chief:
        raise UnimplementedError(
            None, None, "tf.compat.v1.train.MonitoredTrainingSession: is_chief=False is not available in tfcompat: "
            "use tf.distribute.MultiWorkerMirroredStrategy",
        )  # fmt: skip
    scaffold = scaffold or Scaffold()
    every_secs, every_steps = _defaults(save_checkpoint_secs, save_checkpoint_steps, 600, None)
    summary_secs, summary_steps = _defaults(save_summaries_secs, save_summaries_steps, None, 100)
    chosen, summary_dir = [], summary_dir or checkpoint_dir
    if summary_dir:
        if log_step_count_steps and log_step_count_steps > 0:
            chosen.append(_hooks.StepCounterHook(log_step_count_steps, output_dir=summary_dir))
        if (summary_steps and summary_steps > 0) or (summary_secs and summary_secs > 0):
            chosen.append(
                _hooks.SummarySaverHook(summary_steps, summary_secs, summary_dir, scaffold=scaffold)
            )
    if checkpoint_dir and ((every_secs and every_secs > 0) or (every_steps and every_steps > 0)):
        chosen.append(_hooks.CheckpointSaverHook(checkpoint_dir, every_secs, every_steps, scaffold=scaffold))
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(creator, [*(hooks or ()), *chosen, *(chief_only_hooks or ())], stop_grace_period_secs)


def _defaults(seconds, steps, usual_seconds, usual_steps):
    if seconds is _NOT_SET and steps is _NOT_SET:
        return usual_seconds, usual_steps
    return (None if seconds is _NOT_SET else seconds), (None if steps is _NOT_SET else steps)
