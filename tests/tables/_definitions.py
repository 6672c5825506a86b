"""Classes and functions that the expressions of the tables use, for TensorFlow and for tfcompat alike."""

import collections.abc
import copy
import dataclasses
import functools
import gc
import pathlib
import pickle
import tempfile
import types
import weakref

import numpy as np
from rows import public_name

MODULES = {module.__name__: module for module in (collections, copy, gc, pickle, types, weakref)}
Pair = collections.namedtuple("Pair", "x y")
OtherPair = collections.namedtuple("OtherPair", "x y")


class ListSubclass(list):
    pass


class TupleSubclass(tuple):
    pass


class DictSubclass(dict):
    def __repr__(self):
        return f"DictSubclass({super().__repr__()})"


class ReadOnlyMapping(collections.abc.Mapping):
    def __init__(self, items):
        self.items_ = dict(items)

    def __getitem__(self, key):
        return self.items_[key]

    def __iter__(self):
        return iter(self.items_)

    def __len__(self):
        return len(self.items_)

    def __repr__(self):
        return f"ReadOnlyMapping({self.items_})"


@dataclasses.dataclass
class PlainData:
    x: object


@dataclasses.dataclass
class NestedData:
    """A data class that takes part in `tf.nest`."""

    mask: bool
    value: object

    def __tf_flatten__(self):
        return (self.mask,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(metadata[0], components[0])


class Printable:
    def __str__(self):
        return "str"

    def __repr__(self):
        return "repr"


def define(tf):
    """The names of this module, and those that need TensorFlow's."""

    def same_named_pair():
        return collections.namedtuple("Pair", "x y")

    def printed(*inputs, **kwargs):
        """What `tf.print` writes."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "printed")
            kwargs.setdefault("output_stream", f"file://{path}")
            tf.print(*inputs, **kwargs)
            return path.read_text(encoding="utf-8")

    def scopes(*scopes):
        """The full names of scopes entered one inside the other, and the name of a variable made there."""
        if not scopes:
            return [tf.Variable(1.0, name="v").name]
        with tf.name_scope(scopes[0]) as scope:
            return [scope, *define(tf)["scopes"](*scopes[1:])]

    def variable_name(scope, *args, **kwargs):
        with tf.name_scope(scope):
            return tf.Variable(1.0, *args, **kwargs).name

    def re_entered():
        again = tf.name_scope("again")
        with again as first, again as second:
            pass
        with again as third:
            return first, second, third

    def error(call):
        """The class of the exception that a call raises."""
        try:
            return call()
        except Exception as raised:
            return public_name(raised, tf)

    def ways(call, *arrays):
        """What a call gives eagerly, in a function, in one of unknown sizes, and as a gradient: shapes or an error."""

        def gradient(*tensors):
            with tf.GradientTape() as tape:
                tape.watch(tensors)
                result = call(*tensors)
            return tape.gradient(result, tensors)

        def shapes(function):
            try:
                found = tf.nest.flatten(function(*tensors))
                return [None if x is None else np.shape(x.numpy()) for x in found]
            except Exception as raised:
                return public_name(raised, tf)

        tensors = [tf.constant(array) for array in arrays]
        specs = [tf.TensorSpec([None] * x.shape.rank, x.dtype) for x in tensors]
        traced = functools.partial(tf.function, autograph=False)
        result = {"eager": shapes(call), "function": shapes(traced(call))}
        if any(x.shape.rank for x in tensors):
            result["unknown sizes"] = shapes(traced(call, input_signature=specs))
        if any(x.dtype.is_floating for x in tensors):
            result |= {"gradient": shapes(gradient), "gradient in a function": shapes(traced(gradient))}
        return result

    def f32(*shape):
        """Numbers from -1 to 1 in this shape."""
        return np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)

    def i32(*numbers):
        """An int32 array of these numbers; one number or list stands for itself."""
        return np.array(numbers if len(numbers) > 1 else numbers[0], np.int32)

    def ran(text):
        """The value of the last of some statements, which "; " divides."""
        *statements, last = text.split("; ")
        known = {"tf": tf, "np": np, **MODULES}
        exec("\n".join(statements), known)
        return eval(last, known)

    def variable(name, trainable=True):
        return tf.Variable(1.0, name=name, trainable=trainable)

    def names(objects):
        return [each.name for each in objects]

    def paths(module, **kwargs):
        leaves = module._flatten(
            predicate=lambda leaf: isinstance(leaf, tf.Variable | tf.Module), with_path=True, **kwargs
        )
        return [(path, leaf.name) for path, leaf in leaves]

    return {
        **{name: value for name, value in globals().items() if isinstance(value, type)},
        **MODULES,
        "Shape": tf.experimental.DynamicRaggedShape,
        "Partition": tf.experimental.RowPartition,
        "same_named_pair": same_named_pair,
        "printed": printed,
        "error": error,
        "ran": ran,
        "ways": ways,
        "f32": f32,
        "i32": i32,
        "scopes": scopes,
        "variable_name": variable_name,
        "re_entered": re_entered,
        "variable": variable,
        "names": names,
        "paths": paths,
        **_modules(tf, variable),
    }


def _modules(tf, variable):
    class Leaf(tf.Module):
        def __init__(self, name=None):
            super().__init__(name)
            self.z = variable("z")
            self.a = variable("a", trainable=False)
            self.mapping = {"y": variable("y"), "x": [variable("x")]}
            self._private = variable("p")
            self.same = self.z

    class Tree(tf.Module):
        def __init__(self):
            super().__init__()
            self.sub = Leaf()
            self.several = [Leaf("q"), (Leaf("r"),)]
            self.v = variable("v")
            self.function = abs
            self.numbered = {2: Leaf("second"), 1: Leaf("first")}
            self.itself = self
            self.nothing = None

    class MyModule2(tf.Module):
        pass

    class HTTPServer(tf.Module):
        pass

    class Scoped(tf.Module):
        def __init__(self, name=None):
            super().__init__(name=name)
            with self.name_scope:
                self.w = variable("w")
            self.lazy = None

        @tf.Module.with_name_scope
        def __call__(self):
            """Documented."""
            if self.lazy is None:
                self.lazy = variable("lazy")
                self.inner = MyModule2(name="inner")
            with self.inner.name_scope, tf.name_scope("part") as scope:
                return scope

        @classmethod
        def inside(cls, scope):
            with tf.name_scope(scope):
                module = cls()
            module()
            return module

    class NotInitialized(tf.Module):
        def __init__(self):
            self.x = variable("x")

    class WithProperty(tf.Module):
        def __init__(self):
            super().__init__()
            self.x = variable("x")

        @property
        def a(self):
            return variable("of_property")

    class UnsortableKeys(tf.Module):
        def __init__(self):
            super().__init__()
            self.mapping = {1: 1, "a": 2}

    class Containers(tf.Module):
        def __init__(self):
            super().__init__()
            self.ordered = collections.OrderedDict([("b", variable("b")), ("a", variable("a"))])
            self.pair = Pair(variable("first"), variable("second"))
            self.plain = PlainData(variable("in_data_class"))
            self.set = {variable("in_set").ref()}

    def circle():
        """Two modules that hold each other, and one that holds both twice."""
        x, y, top = (MyModule2(name) for name in ("x", "y", "top"))
        y.v, x.v = variable("yv"), variable("xv")
        x.y, y.back = y, top
        top.a = top.b = x
        top.c = y
        return top

    def shown(result):
        """A result as lists of dtypes, shapes and rounded values."""
        if isinstance(result, list | tuple):
            return [shown(each) for each in result]
        if isinstance(result, dict):
            return {key: shown(each) for key, each in result.items()}
        if isinstance(result, tf.RaggedTensor):
            return [result.row_splits.dtype.name, result.to_list()]
        if isinstance(result, tf.SparseTensor):
            return ["sparse", shown(result.indices), shown(result.values), shown(result.dense_shape)]
        if not hasattr(result, "numpy") or not hasattr(result, "dtype"):
            return result if isinstance(result, int | float | str | bool | type(None)) else type(result).__name__
        array = np.asarray(result.numpy())
        values = np.round(array, 3) + 0 if array.dtype.kind in "fc" else array
        return [result.dtype.name, list(result.shape), values.tolist()]

    def called(call):
        """What a call gives, of a matrix, integers, a variable and a sparse tensor; or the class of what it raises."""
        x, i = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), tf.constant([[1, 2], [3, 4]])
        try:
            return shown(call(x, i, tf.Variable([1.0, 2.0]), tf.sparse.from_dense(i)))
        except Exception as error:
            return public_name(error, tf)

    return {name: value for name, value in locals().items() if name not in ("tf", "variable")}
