"""Rows: `tf.train.experimental.PythonState` in checkpoints."""

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
