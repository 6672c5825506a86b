"""Raw ops that read and change variables: the variable itself stands for its handle."""

import numpy as np

from tfcompat import array
from tfcompat._core.convert import convert_to_tensor, host_constant
from tfcompat._core.variable import Variable
from tfcompat.array._getitem import masked_key
from tfcompat.errors import FailedPreconditionError
from tfcompat.raw_ops._registry import raw
from tfcompat.raw_ops._variables import _rows


class Unassigned:
    """A variable that a graph has made and not given a value yet."""

    def __init__(self, dtype, shape, name):
        self.dtype, self.shape, self.name, self.variable = dtype, shape, name, None


def _variable(resource):
    if isinstance(resource, Unassigned):
        if resource.variable is None:
            raise FailedPreconditionError(None, None, f"Could not find variable {resource.name}: it has no value")
        return resource.variable
    return resource


@raw(ignored=("debug_name",))
def VarHandleOp(dtype, shape, shared_name):
    """A variable without a value."""
    return Unassigned(dtype, shape, shared_name)


@raw(ignored=("dtype",))
def ReadVariableOp(resource):
    """The value of a variable."""
    return _variable(resource).read_value()


@raw(ignored=("dtype", "validate_shape"))
def AssignVariableOp(resource, value):
    """Sets a variable."""
    if isinstance(resource, Unassigned):
        if resource.variable is None:
            resource.variable = Variable(value, dtype=resource.dtype, name=resource.name or None)
            return
        resource = resource.variable
    resource.assign(value)


@raw(ignored=("dtype",))
def AssignAddVariableOp(resource, value):
    """Adds to a variable."""
    _variable(resource).assign_add(value)


@raw(ignored=("dtype",))
def AssignSubVariableOp(resource, value):
    """Subtracts from a variable."""
    _variable(resource).assign_sub(value)


@raw()
def VarIsInitializedOp(resource):
    """Whether a variable has a value."""
    return host_constant(np.bool_(not isinstance(resource, Unassigned) or resource.variable is not None))


@raw()
def VariableShape(input, out_type):
    """The shape of a variable."""
    return array.shape(_variable(input).read_value(), out_type)


@raw(ignored=("ignore_lookup_error",))
def DestroyResourceOp(resource):
    """Nothing: Python frees what is not used."""


@raw(ignored=("dtype", "validate_indices"))
def ResourceGather(resource, indices, batch_dims):
    """Rows of a variable."""
    return array.gather(_variable(resource), indices, batch_dims=batch_dims)


@raw(ignored=("dtype",))
def ResourceGatherNd(resource, indices):
    """Elements or parts of a variable."""
    return array.gather_nd(_variable(resource), indices)


def _scattering(name, method):
    def scatter(resource, indices, updates):
        variable = _variable(resource)
        getattr(variable, method)(_rows(variable, indices, updates))

    scatter.__doc__ = f"Changes rows of a variable, as `{method}`."
    raw(name)(scatter)


for _name in ("Mul", "Div", "Max", "Min"):
    _scattering(f"ResourceScatter{_name}", f"scatter_{_name.lower()}")


def _scattering_nd(name, method):
    def scatter(ref, indices, updates):
        getattr(_variable(ref), method)(convert_to_tensor(indices), updates)

    scatter.__doc__ = f"Changes parts of a variable, as `{method}`."
    raw(name)(scatter)


for _name in ("Add", "Sub", "Update", "Max", "Min"):
    _scattering_nd(f"ResourceScatterNd{_name}", f"scatter_nd_{_name.lower()}")


@raw(ignored=("Index",))
def ResourceStridedSliceAssign(ref, begin, end, strides, value, begin_mask, end_mask, ellipsis_mask, new_axis_mask,
                               shrink_axis_mask):  # fmt: skip
    """Sets a part of a variable."""
    variable = _variable(ref)
    key = masked_key(begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    variable[key].assign(value)


@raw()
def ResourceCountUpTo(resource, limit, T):
    """Adds 1 to a variable; its value before."""
    variable = _variable(resource)
    before = variable.read_value()
    variable.assign_add(array.ones([], T))
    return before
