"""Iterators over datasets in graphs: a run draws an element before it computes."""

import functools
import weakref

import numpy as np

import tfcompat as tf
from tfcompat import nest
from tfcompat._core import graphs
from tfcompat._core.graphs import GraphTensor, Inferred, Recorded, Result, record
from tfcompat._core.spec import TensorSpec
from tfcompat.errors import FailedPreconditionError, InvalidArgumentError, OutOfRangeError
from tfcompat.layers._layer.shapes import relaxed


class GraphDataset:
    """A call of a function that gives a dataset, made of tensors of a graph, or of a dataset that is.

    An iterator makes the dataset, when a session runs its initializer, of the values that the tensors have in that run.

    Args:
      function: function, or method, of `tf.data.Dataset`.
      args, kwargs: of the call.
    """

    def __init__(self, function, args, kwargs):
        self._function, self._call = function, (args, kwargs)
        self._parts = [x for x in nest.flatten(self._call) if isinstance(x, GraphTensor | GraphDataset)]

    def __getattr__(self, name):
        method = getattr(tf.data.Dataset, name)
        if not callable(method):
            raise AttributeError(f"{name!r} of a dataset that depends on tensors of a graph is not known", name=name)
        return functools.partial(method, self)

    def tensors(self):
        """The tensors that the dataset depends on."""
        return [y for x in self._parts for y in (x.tensors() if isinstance(x, GraphDataset) else [x])]

    def made_of(self, values):
        """The dataset, where the tensors have these values, a dict by `id`."""

        def valued(x):
            return x.made_of(values) if isinstance(x, GraphDataset) else values.get(id(x), x)

        args, kwargs = nest.map_structure(valued, self._call)
        with graphs.paused():
            return self._function(*args, **kwargs)

    @functools.cached_property
    def element_spec(self):
        """The spec of an element. Sizes that depend on those of the tensors are unknown: two of them are tried."""

        def spec_of(size):
            return self.made_of({id(x): _sample(x, size) for x in self.tensors()}).element_spec

        return nest.map_structure(_common, spec_of(2), spec_of(3))


def _sample(tensor, size):
    sizes = [size if n is None else n for n in tensor.shape.as_list()]
    return np.full(sizes, b"" if tensor.dtype == tf.string else 1, tensor.dtype.np)


def _common(spec, other):
    if isinstance(spec, TensorSpec) and spec.shape.rank is not None:
        return TensorSpec(relaxed(spec.shape, other.shape), spec.dtype)
    return spec


def depends_on_graph(args, kwargs):
    """Whether tensors or variables of a graph, or datasets made of them, are among the arguments of a call."""
    return any(isinstance(x, Recorded | GraphDataset) for x in nest.flatten((args, kwargs)))


class Iterator:
    """An iterator of a graph. Each session goes through the dataset by itself.

    TF: `tf.compat.v1.data.Iterator`.
    """

    def __init__(self, dataset, begins_by_itself):
        self._dataset, self._begins_by_itself = dataset, begins_by_itself
        _by_handle[f"iterator {id(self)}".encode()] = self
        self._initializer = None
        self._tensors = dataset.tensors() if isinstance(dataset, GraphDataset) else []
        if not begins_by_itself:
            self._initializer = record(
                _nothing, tuple(self._tensors), {}, "MakeIterator", "MakeIterator", Inferred(None),
                attributes={"draw": self._begin},
            )  # fmt: skip

    element_spec = property(lambda self: self._dataset.element_spec, doc="The spec of an element.")
    output_types = property(
        lambda self: nest.map_structure(lambda spec: spec.dtype, self.element_spec), doc="The dtypes of an element."
    )
    output_shapes = property(
        lambda self: nest.map_structure(lambda spec: spec.shape, self.element_spec), doc="The shapes of an element."
    )

    @property
    def initializer(self):
        """The operation that begins at the first element.

        Raises:
          ValueError: the iterator begins by itself.
        """
        if self._initializer is None:
            raise ValueError("Iterator does not have an initializer.")
        return self._initializer

    def get_next(self, name=None):
        """The tensors of an element: each run that needs one of them draws one.

        Raises:
          tf.errors.OutOfRangeError: in a run, after the last element.
        """
        known = Inferred(nest.map_structure(lambda spec: Result(spec.shape, spec.dtype), self.element_spec))
        kind = "IteratorGetNext"
        return record(_nothing, (), {}, name or kind, kind, known, attributes={"draw": self._drawn})

    def string_handle(self, name=None):
        """A text that stands for the iterator where another one is made by `from_string_handle`."""
        return tf.constant(f"iterator {id(self)}".encode(), name=name or "IteratorToStringHandle")

    @staticmethod
    def from_structure(output_types, output_shapes=None, shared_name=None, output_classes=None):
        """An iterator of such elements, which `make_initializer` gives a dataset.

        Args:
          output_types: nest of dtypes.
          output_shapes: the same nest of shapes; by default all are unknown.
          shared_name, output_classes: of no effect.
        """
        return _Structure(_specs_of(output_types, output_shapes))

    @staticmethod
    def from_string_handle(string_handle, output_types, output_shapes=None, output_classes=None):
        """An iterator of the elements of the one that `string_handle`, the value of its `string_handle()`, stands for.

        Args:
          string_handle: text tensor, as a rule a placeholder.
          output_types, output_shapes, output_classes: see `from_structure`.
        """
        return _OfHandle(tf.convert_to_tensor(string_handle, tf.string), _specs_of(output_types, output_shapes))

    def _begin(self, state, *values):
        dataset = self._dataset
        if isinstance(dataset, GraphDataset):
            dataset = dataset.made_of(dict(zip(map(id, self._tensors), values, strict=True)))
        state.kept[self] = iter(dataset)
        return []

    def _drawn(self, state):
        if self not in state.kept:
            if not self._begins_by_itself:
                raise FailedPreconditionError(
                    None, None,
                    "GetNext() failed because the iterator has not been initialized. Ensure that you have run the "
                    "initializer operation for this iterator before getting the next element.",
                )  # fmt: skip
            self._begin(state)
        try:
            return nest.flatten(next(state.kept[self]))
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence") from None


_by_handle: dict = weakref.WeakValueDictionary()  # text -> Iterator


def _specs_of(types, shapes):
    if shapes is None:
        return nest.map_structure(lambda dtype: TensorSpec(None, dtype), types)
    if isinstance(types, dict):
        return {key: _specs_of(types[key], shapes[key]) for key in types}
    if isinstance(types, list | tuple):
        specs = [_specs_of(*pair) for pair in zip(types, shapes, strict=True)]
        return type(types)(*specs) if hasattr(types, "_fields") else tuple(specs)
    return TensorSpec(shapes, types)


class _Elements:
    """In the place of a dataset that is not known yet: the spec of its elements."""

    def __init__(self, element_spec):
        self.element_spec = element_spec


class _Structure(Iterator):
    """An iterator that is given datasets."""

    def __init__(self, element_spec):
        super().__init__(_Elements(element_spec), True)
        self._begins_by_itself = False

    def make_initializer(self, dataset, name=None):
        """The operation that begins at the first element of a dataset.

        Raises:
          TypeError: its elements have other dtypes, or shapes that do not fit.
        """
        for mine, other in zip(*map(nest.flatten, (self.element_spec, dataset.element_spec)), strict=True):
            if mine.dtype != other.dtype:
                raise TypeError(
                    f"Expected output types {self.output_types!r} but got dataset with output types "
                    f"{get_output_types(dataset)!r}."
                )
            if not mine.shape.is_compatible_with(other.shape):
                raise TypeError(
                    f"Expected output shapes compatible with {self.output_shapes!r} but got dataset with output shapes "
                    f"{get_output_shapes(dataset)!r}."
                )
        tensors = dataset.tensors() if isinstance(dataset, GraphDataset) else []

        def begin(state, *values):
            made = dataset
            if isinstance(dataset, GraphDataset):
                made = dataset.made_of(dict(zip(map(id, tensors), values, strict=True)))
            state.kept[self] = iter(made)
            return []

        return record(_nothing, tuple(tensors), {}, name or "MakeIterator", "MakeIterator", Inferred(None),
                      attributes={"draw": begin})  # fmt: skip


class _OfHandle(Iterator):
    """An iterator of the elements of another one, which a text stands for."""

    def __init__(self, handle, element_spec):
        super().__init__(_Elements(element_spec), True)
        self._handle = handle

    def get_next(self, name=None):
        """The tensors of an element of the other iterator."""
        known = Inferred(nest.map_structure(lambda spec: Result(spec.shape, spec.dtype), self.element_spec))
        kind = "IteratorGetNext"
        return record(_nothing, (self._handle,), {}, name or kind, kind, known, attributes={"draw": self._drawn})

    def _drawn(self, state, handle):
        text = handle.numpy() if hasattr(handle, "numpy") else handle
        text = text.item() if hasattr(text, "item") else text
        found = _by_handle.get(text.encode() if isinstance(text, str) else text)
        if found is None:
            raise InvalidArgumentError(None, None, f"There is no iterator for the handle {text!r}")
        return found._drawn(state)


def _nothing(*tensors):
    return None


def make_one_shot_iterator(dataset):
    """An iterator that needs no initializer; eagerly `iter(dataset)`.

    Raises:
      ValueError: the dataset depends on tensors of the graph.

    TF: `tf.compat.v1.data.make_one_shot_iterator`.
    """
    if isinstance(dataset, GraphDataset):
        op = dataset.tensors()[0].op
        raise ValueError(f"Cannot capture a placeholder (name:{op.name}, type:{op.type}) by value.")
    return iter(dataset) if graphs.current() is None else Iterator(dataset, True)


def make_initializable_iterator(dataset, shared_name=None):
    """An iterator that begins when a session runs its `initializer`.

    Raises:
      RuntimeError: eagerly.

    TF: `tf.compat.v1.data.make_initializable_iterator`.
    """
    if graphs.current() is None:
        raise RuntimeError(
            "`make_initializable_iterator()` is not supported in eager mode. Use Python-style iteration instead."
        )
    return Iterator(dataset, False)


def get_output_types(x):
    """The dtype of each component of an element. TF: `tf.compat.v1.data.get_output_types`."""
    return nest.map_structure(lambda spec: spec.dtype, x.element_spec)


def get_output_shapes(x):
    """The shape of each component of an element. TF: `tf.compat.v1.data.get_output_shapes`."""
    return nest.map_structure(lambda spec: spec.shape, x.element_spec)


def get_output_classes(x):
    """The class of each component of an element. TF: `tf.compat.v1.data.get_output_classes`."""
    return tf.nest.map_structure(lambda spec: spec.value_type, x.element_spec)
