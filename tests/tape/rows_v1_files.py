"""Rows: what sessions of `tf.compat.v1` write and read: checkpoints and summaries."""

import os

from rows import raised, row

from tape.rows_v1_graphs import graph_and_session


@row
def a_saver_saves_and_restores(tf, np, folder):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.get_variable("x", initializer=[1.0, 2.0])
        with v.variable_scope("in"):
            n = v.get_variable("n", initializer=3)
        saver = v.train.Saver()
        part = v.train.Saver({"renamed": x})
        s.run(v.global_variables_initializer())
        path = saver.save(s, os.path.join(folder, "model"), global_step=7)
        other = part.save(s, os.path.join(folder, "part"), write_state=False)
        s.run([x.assign([0.0, 0.0]), n.assign(0)])
        saver.restore(s, path)
        seen = [s.run([x, n])]
        listed = [tf.train.list_variables(path), tf.train.list_variables(other)]
        latest = os.path.relpath(tf.train.latest_checkpoint(folder), folder)
    with graph_and_session(tf) as s:
        x = v.get_variable("x", [2])
        v.train.Saver([x]).restore(s, path)
        missing = v.get_variable("absent", [2])
        seen += [s.run(x), s.run(v.report_uninitialized_variables()).size]
        told = [
            raised(lambda: v.train.Saver([missing]).restore(s, path), "Key absent not found in checkpoint"),
            raised(lambda: v.train.Saver([x]).restore(s, path + "no"), "is not a valid checkpoint"),
            raised(lambda: v.train.Saver([x]).restore(s, None), "Can't load save_path when it is None."),
            raised(lambda: v.train.Saver([missing]).save(s, os.path.join(folder, "a", "b")), "Parent directory"),
        ]
    with tf.Graph().as_default():
        told += [raised(lambda: v.train.Saver(), "No variables to save")]
    return os.path.relpath(path, folder), seen, listed, latest, told


@row
def old_checkpoints_go(tf, folder):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.get_variable("x", initializer=0.0)
        up = x.assign_add(1.0)
        saver = v.train.Saver(max_to_keep=2)
        s.run(x.initializer)
        for step in range(4):
            s.run(up)
            saver.save(s, os.path.join(folder, "m"), global_step=step, write_meta_graph=False)
        kept = sorted(os.listdir(folder))
        state = tf.train.get_checkpoint_state(folder)
        paths = [os.path.basename(path) for path in state.all_model_checkpoint_paths]
        saver.restore(s, saver.last_checkpoints[0])
        return kept, os.path.basename(state.model_checkpoint_path), paths, s.run(x)


def shown(message):
    """The values of a summary."""
    values = []
    for value in message.value:
        number = value.simple_value if value.HasField("simple_value") else None
        histo = value.histo
        parts = [histo.min, histo.max, histo.num, histo.sum, histo.sum_squares]
        values.append([value.tag, number, parts, list(histo.bucket_limit), list(histo.bucket), value.image.width])
    return values


@row
def summaries_of_graphs(tf, np, folder):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [None], name="x")
        w = v.get_variable("w", initializer=[1.0, -2.0])
        total = v.summary.scalar("total loss", tf.reduce_sum(x))
        with v.name_scope("inner"):
            again = v.summary.scalar("total", 2.0 * w[0], family="family", collections=["mine"])
        spread = v.summary.histogram("spread", x)
        v.summary.histogram("weights", w)
        picture = v.summary.image("picture", tf.ones([2, 3, 4, 1]), max_outputs=1)
        merged = v.summary.merge_all()
        both = v.summary.merge([total, again])
        s.run(v.global_variables_initializer())
        feed = {x: [1.0, -2.0, 3.0, 0.0, 5.0, 1e-20, 7e7]}
        text, one = s.run([merged, both], feed)
        writer = v.summary.FileWriter(folder)
        writer.add_summary(text, 3)
        writer.add_summary(v.Summary(value=[v.Summary.Value(tag="by hand", simple_value=0.5)]), 4)
        writer.close()
        events = list(v.train.summary_iterator(os.path.join(folder, os.listdir(folder)[0])))
        return [
            [t.name for t in (total, again, spread, picture, merged, both)], str(merged.shape), merged.dtype.name,
            shown(v.Summary.FromString(text)), shown(v.Summary.FromString(one)), [event.step for event in events],
            shown(events[-1].summary), raised(lambda: s.run(spread, {x: [np.nan]}), "Nan in summary histogram for:"),
            v.summary.merge_all("none"), type(text).__name__,
        ]  # fmt: skip


@row
def records_one_after_another(tf, folder):
    found = []
    for kind in ("", "GZIP", "ZLIB"):
        path = f"{folder}/records{kind}"
        with tf.io.TFRecordWriter(path, kind) as writer:
            for text in (b"one", b"", b"three"):
                writer.write(text)
        options = tf.io.TFRecordOptions(compression_type=kind) if kind else None
        found.append([x.decode() for x in tf.compat.v1.io.tf_record_iterator(path, options)])
        found.append(next(tf.compat.v1.python_io.tf_record_iterator(path, options)).decode())
    return found, raised(lambda: list(tf.compat.v1.io.tf_record_iterator(f"{folder}/absent")))


class _Scaled:
    """Makes a module with a function, a signature, and random numbers."""

    def __new__(cls, tf):
        class Scaled(tf.Module):
            def __init__(self):
                self.v = tf.Variable([3.0, 4.0])

            @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
            def scaled(self, x):
                return {"y": x * self.v, "z": tf.reduce_sum(x, 1)}

            @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
            def add(self, x):
                return self.v.assign_add(x)

        return Scaled()


@row
def loaded_functions_are_called_in_a_graph(tf, folder):
    v, module = tf.compat.v1, _Scaled(tf)
    tf.saved_model.save(module, folder, signatures={"act": module.scaled.get_concrete_function()})
    with tf.Graph().as_default(), v.Session() as s:
        loaded = tf.saved_model.load(folder)
        x = v.placeholder(tf.float32, [None, 2])
        made = [loaded.scaled(x), loaded.signatures["act"](x=x)]
        slopes = tf.gradients(made[0]["y"], [x, loaded.v])
        s.run(v.initializers.variables([loaded.v]))
        feed = {x: [[1.0, 2.0], [3.0, 4.0]]}
        first = s.run([made, slopes], feed)
        added = s.run(loaded.add([1.0, 1.0]))
        return first, added, s.run(made[0], feed), {name: str(y.shape) for name, y in made[0].items()}


@row
def objects_are_initialized_or_restored(tf, folder):
    v, told = tf.compat.v1, []
    for _ in range(2):
        with tf.Graph().as_default():
            step, w = v.train.get_or_create_global_step(), tf.Variable([1.0, 2.0])
            checkpoint = tf.train.Checkpoint(step=step, w=w)
            manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
            with v.Session() as s:
                status = checkpoint.restore(manager.latest_checkpoint)
                status.initialize_or_restore(s)
                told += s.run([step, w])
                s.run([w.assign([5.0, 6.0]), step.assign(7)])
                told.append(os.path.basename(manager.save(checkpoint_number=step)))
    return told


@row
def values_wait_for_a_session(tf, folder):
    v = tf.compat.v1
    module = tf.Module()
    module.w = tf.Variable([5.0, 6.0])
    path = tf.train.Checkpoint(m=module).write(f"{folder}/checkpoint")
    with tf.Graph().as_default():
        made = tf.Module()
        made.w = tf.Variable([0.0, 0.0])
        status = tf.train.Checkpoint(m=made).read(path)
        status.assert_consumed()
        with v.Session() as s:
            status.initialize_or_restore(s)
            return s.run(made.w)


@row
def what_is_missing_in_the_program_is_told_first(tf, folder):
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).write(f"{folder}/checkpoint")
    told = []
    for made in ({"a": 1.0}, {"a": 1.0, "b": 2.0, "c": 3.0}, {"a": 1.0, "c": 3.0}):
        checkpoint = tf.train.Checkpoint(**{name: tf.Variable(value) for name, value in made.items()})
        status = checkpoint.read(path)
        fragment = "not bound to checkpointed values" if "c" in made else "Unresolved object in checkpoint (root).b"
        told.append(raised(status.assert_consumed, fragment))
    return told
