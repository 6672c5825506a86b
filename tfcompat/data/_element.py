"""Structures of elements: tuples, dicts and attrs objects of tensors and other components. A list is a tensor."""

import collections.abc
from typing import Any

import numpy as np

from tfcompat import dtypes, engine
from tfcompat._control._tensor_array import TensorArray
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.extension_type.types import ExtensionTypeSpec
from tfcompat._core.spec import TensorSpec, TypeSpec, type_spec_from_value
from tfcompat._core.tensor import EagerTensor, Tensor, wrap
from tfcompat.ragged._tensor import RaggedTensorSpec
from tfcompat.sparse import to_dense
from tfcompat.sparse._tensor import SparseTensorSpec


class NoneTensorSpec(TypeSpec):
    """The spec of None as a component of an element. TF: `tf.NoneTensorSpec`."""

    __slots__ = ()

    @property
    def value_type(self):
        return type(None)

    @property
    def _component_specs(self):
        return []

    def _to_components(self, value):
        return []

    def _from_components(self, components):
        return None

    def _serialize(self):
        return ()

    def _batch(self, batch_size):
        return self

    def _unbatch(self):
        return self

    def __repr__(self):
        return "NoneTensorSpec()"


def _parts(x) -> Any:
    """(names, values) of a structure's parts; None for a leaf."""
    kind = type(x)
    if kind is EagerTensor or kind is np.ndarray:
        return None
    if kind is dict or isinstance(x, collections.abc.Mapping):
        names = sorted(x)
        return names, [x[name] for name in names]
    if isinstance(x, tuple):
        return None, list(x)
    fields = getattr(type(x), "__attrs_attrs__", None)
    if fields is not None:
        names = [field.name for field in fields]
        return names, [getattr(x, name) for name in names]
    return None


def flatten(structure) -> list:
    """The leaves of a structure; keys of dicts in sorted order."""
    if type(structure) is tuple:
        return [leaf for part in structure for leaf in flatten(part)]
    parts = _parts(structure)
    if parts is None:
        return [structure]
    return [leaf for part in parts[1] for leaf in flatten(part)]


def pack(template, leaves) -> Any:
    """A structure like `template` with other leaves."""
    return _pack(template, iter(leaves))


def _pack(template, leaves):
    if type(template) is tuple:
        return tuple([_pack(part, leaves) for part in template])
    parts = _parts(template)
    if parts is None:
        return next(leaves)
    names, values = parts
    packed = [_pack(value, leaves) for value in values]
    kind: Any = type(template)
    if isinstance(template, tuple):
        return kind(*packed)
    fields = dict(zip(names, packed, strict=True))
    if not isinstance(template, collections.abc.Mapping):
        return kind(**fields)
    items = [(name, fields[name]) for name in template]
    if isinstance(template, collections.defaultdict):
        return kind(template.default_factory, items)
    return kind(items)


def map_leaves(function, structure):
    """The structure with `function` of each leaf."""
    return pack(structure, [function(leaf) for leaf in flatten(structure)])


def form(structure):
    """The common form of two structures that differ only in their leaves."""
    parts = _parts(structure)
    if parts is None:
        return None
    names, values = parts
    return type(structure), None if names is None else tuple(names), tuple(map(form, values))


def is_whole(leaf):
    """Whether a component stays as it is, rather than being converted to a tensor."""
    return leaf is None or isinstance(leaf, CompositeTensor | TensorArray) or hasattr(leaf, "_is_data_component")


def normalized(element) -> Any:
    """The element with tensors in place of arrays, numbers, lists and variables.

    Raises:
      TypeError, ValueError: something that is no tensor.
    """
    leaves = flatten(element)
    # Lists with None in them raise in the conversion; None itself is a component.
    return pack(element, [leaf if is_whole(leaf) else convert_to_tensor(leaf, _integers_of(leaf)) for leaf in leaves])


def _integers_of(leaf) -> Any:
    """The dtype of a list of integer arrays. Only elements of datasets keep that dtype."""
    first = leaf
    while isinstance(first, list) and first:
        first = first[0]
    if first is leaf or not isinstance(first, np.ndarray) or first.dtype.kind not in "iu":
        return None
    return first.dtype if _all_arrays(leaf, first.dtype) else None


def _all_arrays(leaf, dtype):
    if isinstance(leaf, list):
        return all(_all_arrays(item, dtype) for item in leaf)
    return isinstance(leaf, np.ndarray) and leaf.dtype == dtype


def on_host(leaf) -> Any:
    """The array of a tensor; any other component itself. Symbolic tensors are refused: see `_tracing/elements`."""
    if isinstance(leaf, Tensor):
        return leaf._value() if not leaf.dtype.is_quantized else engine.array_of(leaf._node)
    return leaf


def tensor(leaf) -> Any:
    """A component as users get it, with tensors in place of arrays."""
    return wrap(engine.leaf(leaf)) if isinstance(leaf, np.ndarray) else leaf


def numpy_value(leaf) -> Any:
    """A component as `as_numpy_iterator` returns it."""
    if isinstance(leaf, np.ndarray):
        if leaf.ndim == 0:
            return leaf[()]
        leaf = leaf.copy()
        leaf.setflags(write=False)
        return leaf
    if hasattr(leaf, "as_numpy_iterator"):
        return leaf.as_numpy_iterator()
    if isinstance(leaf, CompositeTensor):
        if hasattr(leaf, "dense_shape"):
            return to_dense(leaf).numpy()
        return leaf.numpy() if hasattr(leaf, "numpy") else leaf
    return leaf


def spec_of(leaf):
    """The TypeSpec of a component: an array, a tensor, or another value."""
    if leaf is None:
        return NoneTensorSpec()
    if isinstance(leaf, np.ndarray):
        return TensorSpec(leaf.shape, dtypes.from_numpy(leaf.dtype))
    return type_spec_from_value(leaf)


def is_dense(spec):
    """Whether a spec is that of ordinary tensors."""
    return type(spec) is TensorSpec


def is_known(spec):
    """Whether a spec is that of a tensor of numbers of known size."""
    return is_dense(spec) and spec.dtype is not dtypes.string and spec.shape.is_fully_defined()


def with_leading(spec, size):
    """The spec of a batch of `size` (or None) components."""
    if not _has_batches(spec):
        raise TypeError(f"components of type {spec} cannot be batched")
    return spec._batch(size)


def without_leading(spec):
    """The spec of a row.

    Raises:
      ValueError: a scalar.
    """
    if not _has_batches(spec):
        raise TypeError(f"components of type {spec} have no rows")
    return spec._unbatch()


def _has_batches(spec):
    return is_dense(spec) or isinstance(spec, SparseTensorSpec | RaggedTensorSpec | NoneTensorSpec | ExtensionTypeSpec)


def common_spec(first, second):
    """The narrowest spec that both fit.

    Raises:
      TypeError: there is none.
    """
    common = first.most_specific_common_supertype([second])
    if common is None:
        raise TypeError(f"No common supertype of {first} and {second}.")
    return common
