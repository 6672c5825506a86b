"""Monitored sessions of TensorFlow 1, and their hooks."""

import os

from rows import raised, row, row_for

from tape.rows_v1_graphs import graph_and_session


def training(tf):
    """(global step, variable, train operation) in the default graph."""
    v = tf.compat.v1
    step = v.train.get_or_create_global_step()
    w = v.get_variable("w", initializer=4.0)
    return step, w, v.train.GradientDescentOptimizer(0.25).minimize(w * w, global_step=step)


def logging_hook(tf, seen):
    class Hook(tf.compat.v1.train.SessionRunHook):
        def __init__(self, fetched=None, stops_at=None):
            self.fetched, self.stops_at = fetched, stops_at

        def begin(self):
            seen.append("begin")

        def after_create_session(self, session, coord):
            seen.append("created")

        def before_run(self, run_context):
            seen.append(run_context.original_args.fetches is not None)
            return None if self.fetched is None else tf.compat.v1.train.SessionRunArgs(self.fetched)

        def after_run(self, run_context, run_values):
            seen.append(run_values.results)
            if self.stops_at is not None and run_values.results >= self.stops_at:
                run_context.request_stop()

        def end(self, session):
            seen.append("end")

    return Hook


@row_for(end=["last_step", "num_steps", "hook", "error"])
def runs_until(tf, end):
    v, seen = tf.compat.v1, []
    hook = logging_hook(tf, seen)
    with tf.Graph().as_default():
        step, w, train = training(tf)
        hooks = {
            "last_step": [v.train.StopAtStepHook(last_step=3), hook()],
            "num_steps": [v.train.StopAtStepHook(num_steps=2), hook(step)],
            "hook": [hook(step, 2)],
            "error": [hook({"w": w})],
        }[end]

        def run():
            with v.train.MonitoredTrainingSession(hooks=hooks) as session:
                while not session.should_stop():
                    session.run(train)
                    if end == "error":
                        raise KeyError("stop")
                seen.append(session.should_stop())

        if end == "error":
            seen.append(raised(run))
        else:
            run()
        return [float(x["w"]) if isinstance(x, dict) else x for x in seen]


@row
def ends_with_a_dataset(tf):
    v, seen = tf.compat.v1, []
    with tf.Graph().as_default():
        element = v.data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next()
        with v.train.MonitoredSession(hooks=[logging_hook(tf, seen)()]) as session:
            while not session.should_stop():
                seen.append(int(session.run(element)))
        seen.append(session.should_stop())
        return seen


@row
def checkpoints_are_saved_and_restored(tf, folder):
    v, seen = tf.compat.v1, []
    for last in (3, 5):
        with tf.Graph().as_default():
            step, w, train = training(tf)
            with v.train.MonitoredTrainingSession(
                checkpoint_dir=folder, save_checkpoint_steps=2, hooks=[v.train.StopAtStepHook(last_step=last)],
                log_step_count_steps=None,
            ) as session:  # fmt: skip
                seen.append([session.run(w), session.run(step)])
                while not session.should_stop():
                    session.run(train)
        seen.append(sorted(x for x in os.listdir(folder) if x.endswith(".index")))
        seen.append(os.path.basename(tf.train.latest_checkpoint(folder)))
    return seen


@row
def what_is_logged(tf):
    v, seen = tf.compat.v1, []
    with tf.Graph().as_default():
        step, w, train = training(tf)
        hook = v.train.LoggingTensorHook(
            {"weight": w}, every_n_iter=2, at_end=True, formatter=lambda values: seen.append(dict(values)) or ""
        )
        final = v.train.FinalOpsHook([w, step])
        with v.train.SingularMonitoredSession(hooks=[hook, final, v.train.StopAtStepHook(last_step=5)]) as session:
            while not session.should_stop():
                session.run(train)
                seen.append(session.raw_session().run(step))
        return seen, final.final_ops_values


@row_for(fails=[True, False])
def losses_that_are_nan(tf, fails):
    v = tf.compat.v1
    with tf.Graph().as_default():
        x = v.placeholder(tf.float32, [])
        loss = tf.math.log(x)
        hook, runs = v.train.NanTensorHook(loss, fail_on_nan_loss=fails), []

        def run():
            with v.train.MonitoredSession(hooks=[hook]) as session:
                for value in (1.0, -1.0):
                    runs.append(session.run(loss, {x: value}))
                    runs.append(session.should_stop())

        return [raised(run, "NaN loss during training") if fails else run(), runs]


@row
def scaffolds_say_how_to_begin(tf):
    v = tf.compat.v1
    with tf.Graph().as_default() as graph:
        w = v.get_variable("w", initializer=1.0)
        local = v.get_local_variable("counted", initializer=7.0)
        x = v.placeholder(tf.float32, [])
        scaffold = v.train.Scaffold(
            init_op=w.assign(x), init_feed_dict={x: 5.0}, init_fn=lambda scaffold, session: session.run(double)
        )
        double = w.assign(w * 2.0)
        with v.train.MonitoredSession(v.train.ChiefSessionCreator(scaffold)) as session:
            return session.run([w, local]), graph.finalized, session.graph is graph


@row
def arguments_are_checked(tf):
    v = tf.compat.v1
    with graph_and_session(tf):
        return [
            raised(lambda: v.train.StopAtStepHook(), "One of num_steps or last_step must be specified"),
            raised(lambda: v.train.StopAtStepHook(1, 2), "Only one of num_steps or last_step"),
            raised(lambda: v.train.LoggingTensorHook(["a"])),
            raised(lambda: v.train.LoggingTensorHook(["a"], every_n_iter=0), "invalid every_n_iter=0"),
            raised(lambda: v.train.SecondOrStepTimer(), "Either every_secs or every_steps should be provided"),
            raised(lambda: v.train.SecondOrStepTimer(1, 2), "Can not provide both"),
            raised(lambda: v.train.CheckpointSaverHook("folder")),
            raised(lambda: v.train.MonitoredSession(hooks=[v.train.StopAtStepHook(1)]), "Global step should be"),
        ]


@row
def summaries_are_written(tf, folder):
    v = tf.compat.v1
    with tf.Graph().as_default():
        step, w, train = training(tf)
        v.summary.scalar("weight", w)
        with v.train.MonitoredTrainingSession(
            summary_dir=folder, save_summaries_steps=2, log_step_count_steps=2,
            hooks=[v.train.StopAtStepHook(last_step=5)],
        ) as session:  # fmt: skip
            while not session.should_stop():
                session.run(train)
    files = [os.path.join(folder, name) for name in os.listdir(folder)]
    events = [event for file in files for event in v.train.summary_iterator(file)]
    return sorted((event.step, value.tag) for event in events for value in event.summary.value)
