"""Rows: `tf.train.experimental.PythonState` in checkpoints."""

import collections
import tempfile

from rows import row


@row
def states_in_checkpoints(tf, np):
    class Text(tf.train.experimental.PythonState):
        def __init__(self, text):
            self.text = text

        def serialize(self):
            return self.text.encode()

        def deserialize(self, string_value):
            self.text = string_value.decode()

    def matches(check):
        try:
            check()
        except AssertionError:
            return False
        return True

    saved = tf.train.Checkpoint(first=Text("one"), more=[Text("two"), tf.Variable(3.0)])
    with tempfile.TemporaryDirectory() as folder:
        path = saved.save(f"{folder}/c")
        listed = [(name, list(shape)) for name, shape in tf.train.list_variables(path)]
        saved.first.text = "other"
        status = saved.restore(path)
        found = [saved.first.text, matches(status.assert_consumed), matches(status.assert_existing_objects_matched)]
        part = tf.train.Checkpoint(first=Text("part"))
        status = part.restore(path)
        found += [part.first.text, matches(status.assert_consumed), matches(status.assert_existing_objects_matched)]
        later = tf.train.Checkpoint()
        later.restore(path)
        later.first = Text("later")
        found.append(later.first.text)
    try:
        tf.train.experimental.PythonState()
    except TypeError:
        found.append("TypeError")
    return listed, found


@row
def an_object_that_makes_what_a_checkpoint_holds(tf, folder):
    class Text(tf.train.experimental.PythonState):
        def __init__(self, text=""):
            self.text = text

        def serialize(self):
            return self.text.encode()

        def deserialize(self, string_value):
            self.text = string_value.decode()

    Reference = collections.namedtuple("Reference", ["name", "ref"])

    class Texts(tf.__internal__.tracking.Trackable):
        def __init__(self):
            if hasattr(self, "_maybe_initialize_trackable"):  # of TensorFlow
                self._maybe_initialize_trackable()

        def _lookup_dependency(self, name, cached_dependencies=None):
            found = super()._lookup_dependency(name)
            if found is None:
                found = Text()
                self._unconditional_checkpoint_dependencies.append(Reference(name, found))
                self._unconditional_dependency_names[name] = found
                setattr(self, name, found)
            return found

    texts = Texts()
    texts._lookup_dependency("a").text = "one"
    path = tf.train.Checkpoint(texts=texts).save(f"{folder}/c")
    other = Texts()
    tf.train.Checkpoint(texts=other).restore(path).assert_consumed()
    return other.a.text


@row
def variables_of_graphs_in_checkpoints(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        first, second = tf.Variable([1.0, 2.0], name="first"), tf.Variable(3, name="second")
        session.run(v1.global_variables_initializer())
        checkpoint = tf.train.Checkpoint(first=first, more=[second])
        path = checkpoint.save(f"{folder}/c")
        session.run([first.assign([5.0, 6.0]), second.assign(9)])
        changed = session.run([first, second])
        checkpoint.restore(path).assert_consumed().run_restore_ops()
        restored = session.run([first, second])
    again = tf.train.Checkpoint(first=tf.Variable([0.0, 0.0]), more=[tf.Variable(0)])
    again.restore(path)
    return changed, restored, again.first, again.more[0], sorted(name for name, _ in tf.train.list_variables(path))
