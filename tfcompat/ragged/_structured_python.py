"""StructuredTensors of nested Python lists and dicts, and back."""

import numpy as np

from tfcompat._core.convert import constant as dense_constant
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor
from tfcompat.ragged._dynamic_shape import DynamicRaggedShape
from tfcompat.ragged._ops import constant
from tfcompat.ragged._tensor import RaggedTensor, RaggedTensorSpec


def converted(cls, value, spec, path):
    """The StructuredTensor, RaggedTensor or tensor of a Python value.

    Args:
      cls: the class of StructuredTensors.
      value: dict, nested lists of dicts, scalar or nested lists of scalars.
      spec: the spec of the result, or None.
      path: tuple of the names that led to the value.
    """
    is_structured = isinstance(spec, cls.Spec)
    if isinstance(value, dict):
        if spec is not None and (not is_structured or spec.rank):
            raise _mismatch(path, value, spec)
        return _of_dicts(cls, value, 0, spec, path)
    if isinstance(value, list | tuple):
        depth = spec.rank if is_structured else _depth_of_dicts(value)
        if depth:
            if spec is not None and not is_structured:
                raise _mismatch(path, value, spec)
            _check_dicts(value, depth)
            return _of_dicts(cls, value, depth, spec, path)
    if is_structured:
        raise _mismatch(path, value, spec)
    return _of_scalars(value, spec, path)


def _mismatch(path, value, spec):
    return ValueError(f"Value at {path} does not match typespec: {value} vs {spec}")


def _depth_of_dicts(value):
    """How deep the first dict lies in nested lists; 0 if there is none."""
    if isinstance(value, dict):
        return 0
    for each in value:
        if isinstance(each, dict):
            return 1
        if isinstance(each, list | tuple):
            depth = _depth_of_dicts(each)
            if depth:
                return depth + 1
    return 0


def _check_dicts(value, depth):
    """Raises ValueError unless nested lists of this depth hold dicts."""
    if not isinstance(value, list | tuple if depth else dict):
        raise ValueError("Expected dict or nested list/tuple of dict")
    for each in value if depth else ():
        _check_dicts(each, depth - 1)


def _flat(value, depth):
    return [value] if not depth else [each for row in value for each in _flat(row, depth - 1)]


def _mapped(function, value, depth):
    return [_mapped(function, each, depth - 1) for each in value] if depth else function(value)


def _of_dicts(cls, value, depth, spec, path):
    """The StructuredTensor of nested lists of dicts of this depth."""
    specs = {} if spec is None else dict(spec._fields)
    names = dict.fromkeys(specs)
    for each in _flat(value, depth):
        names.update(dict.fromkeys(each))
    if spec is not None and names.keys() - specs.keys():
        raise _mismatch(path, value, spec)
    if not names:
        return cls.from_shape(_shape_of(value, depth))
    fields = {}
    for name in names:
        here = (*path, name)
        try:
            column = _mapped(lambda each, name=name: each[name], value, depth)
        except KeyError as error:
            if spec is None:
                raise
            raise ValueError(f"Error parsing path {here}") from error
        fields[name] = converted(cls, column, specs.get(name), here)
    return cls.from_fields(fields, [None] * depth)


def _shape_of(value, depth):
    """The DynamicRaggedShape of nested lists."""
    if not depth:
        return DynamicRaggedShape([], [])
    ones = _mapped(lambda each: 1, value, depth)
    return DynamicRaggedShape.from_tensor(constant(ones, ragged_rank=depth - 1))


def _of_scalars(value, spec, path):
    """The tensor, or RaggedTensor, of nested lists of scalars."""
    if not isinstance(value, list | tuple) and not isinstance(spec, RaggedTensorSpec):
        result = convert_to_tensor(value, None if spec is None else spec.dtype) if value is not None else None
        if result is None:
            raise ValueError(f"Error parsing path {path}")
    else:
        result = _of_lists(value, spec, path)
    if spec is not None and not _has_spec(result, spec):
        raise ValueError(f"Value at {path} does not match typespec: {spec} vs {value}")
    return result


def _of_lists(value, spec, path):
    try:
        if spec is None:
            return constant(value)
        if isinstance(spec, TensorSpec):
            empty = not np.size(value) and spec.shape.is_fully_defined()
            return dense_constant(value, spec.dtype, spec.shape if empty else None)
        rank = spec.ragged_rank
        inner = None if spec.shape.rank is None else tuple(spec.shape[rank + 1 :])
        if inner is None or None in inner:
            return constant(value, spec.dtype, rank, row_splits_dtype=spec.row_splits_dtype)
        return constant(value, spec.dtype, rank, inner, row_splits_dtype=spec.row_splits_dtype)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Error parsing path {path}") from error


def _has_spec(value, spec):
    """Whether a value has the dtype and the shape of a spec; of a RaggedTensor only the number of axes is compared."""
    if isinstance(value, RaggedTensor):
        return value.dtype == spec.dtype and spec.shape.rank in (None, value.shape.rank)
    return value.dtype == spec.dtype and value.shape.is_compatible_with(spec.shape)


def nested(value):
    """The dict, or nested lists of dicts, of a StructuredTensor."""
    names = value.field_names()
    columns = [_as_python(value.field_value(name)) for name in names]
    partitions = value.row_partitions
    if not value.rank:
        return dict(zip(names, columns, strict=True))
    for _ in partitions:
        columns = [[each for row in column for each in row] for column in columns]
    if names:
        rows = [dict(zip(names, each, strict=True)) for each in zip(*columns, strict=True)]
    else:
        rows = [{} for _ in range(int(partitions[-1].nvals() if partitions else value.nrows()))]
    for partition in partitions[::-1]:
        splits = partition.splits().tolist()
        rows = [rows[begin:end] for begin, end in zip(splits[:-1], splits[1:], strict=True)]
    return rows


def _as_python(value):
    if isinstance(value, RaggedTensor):
        return value.to_list()
    if not isinstance(value, Tensor):
        return value.to_pyval()
    if not hasattr(value, "numpy"):
        raise ValueError("StructuredTensor.to_pyval() is only supported in eager mode.")
    array = value.numpy()
    return array.tolist() if isinstance(array, np.ndarray) else array
