"""Rows: attributes that are set to `NoDependency` stay as they are, and checkpoints do not save them."""

import copy
import importlib

from rows import row, row_for


def marker(tf):
    if tf.__name__ == "tfcompat":
        structures = importlib.import_module("tfcompat._private").module("python.trackable.data_structures")
    else:
        structures = importlib.import_module("tensorflow.python.trackable.data_structures")
    return structures.NoDependency


def saved(tf, folder, value):
    path = tf.train.Checkpoint(o=value).write(f"{folder}/checkpoint")
    return [name for name, _ in tf.train.list_variables(path) if "OBJECT_GRAPH" not in name]


VALUES = {
    "variable": lambda tf: tf.Variable(1.0), "list": lambda tf: [tf.Variable(2.0)],
    "dict": lambda tf: {"k": tf.Variable(3.0)}, "tuple": lambda tf: (tf.Variable(4.0),),
    "module": lambda tf: tf.Module(),
}  # fmt: skip


@row_for(kind=list(VALUES), owner=["Module", "Layer", "Model", "Checkpoint"])
def marked_attributes(tf, folder, kind, owner):
    owners = {
        "Module": tf.Module, "Layer": tf.keras.layers.Layer, "Model": tf.keras.Model, "Checkpoint": tf.train.Checkpoint
    }  # fmt: skip
    made = owners[owner]()
    made.marked, made.plain = marker(tf)(VALUES[kind](tf)), tf.Variable(5.0)
    return saved(tf, folder, made), type(made.marked).__name__, len(getattr(made, "variables", ()))


@row
def attributes_that_are_set_again(tf, folder):
    mark, made, told = marker(tf), tf.Module(), []
    made.a = mark(tf.Variable(1.0))
    made.b = tf.Variable(2.0)
    told.append(saved(tf, folder, made))
    made.a = made.a
    told.append(saved(tf, folder, made))
    made.a = tf.Variable(3.0)
    told.append(saved(tf, folder, made))
    made.b = mark(made.b)
    told.append(saved(tf, folder, made))
    return told


@row
def marked_attributes_of_saved_models(tf, folder):
    made = tf.Module()
    made.marked, made.plain = marker(tf)(tf.Variable(1.0)), tf.Variable(2.0)
    tf.saved_model.save(made, folder)
    loaded = tf.saved_model.load(folder)
    return hasattr(loaded, "marked"), hasattr(loaded, "plain"), loaded.plain.numpy()


@row
def marked_layers_of_a_model(tf, folder):
    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.inner, self.outer = marker(tf)(tf.keras.layers.Dense(2)), tf.keras.layers.Dense(2)

        def call(self, x):
            return self.outer(self.inner(x))

    model = Model()
    model(tf.ones([1, 1]))
    return saved(tf, folder, model), len(model.variables), len(model.layers)


@row
def what_containers_leave_out(tf, folder):
    mark = marker(tf)

    class Holder(tf.Module):
        def __init__(self):
            super().__init__()
            self.items = [tf.Variable(1.0), mark(tf.Variable(2.0)), mark([tf.Variable(3.0)])]
            self.named = {"a": tf.Variable(4.0), "b": mark(tf.Variable(5.0))}
            self.pair = tf.Variable(6.0), mark(tf.Variable(7.0))

    holder = Holder()
    first = saved(tf, folder, holder), len(holder.variables), [type(x).__name__ for x in (*holder.items, *holder.pair)]
    holder.items.append(mark(tf.Variable(8.0)))
    holder.items.extend([tf.Variable(9.0)])
    holder.named["c"] = mark(tf.Variable(10.0))
    holder.named["b"] = tf.Variable(11.0)
    copied = copy.copy(holder.items)
    other = tf.Module()
    other.copied = copied
    return first, saved(tf, folder, holder), len(holder.variables), len(other.variables)
