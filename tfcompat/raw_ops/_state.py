"""Raw ops that read and change variables: the variable itself stands for its handle."""

import numpy as np

from tfcompat import array
from tfcompat._core.convert import convert_to_tensor, host_constant, static_value
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat._core.variable import Variable
from tfcompat.array._getitem import masked_key
from tfcompat.errors import FailedPreconditionError, OutOfRangeError, UnimplementedError
from tfcompat.raw_ops._definitions import definition
from tfcompat.raw_ops._registry import made, raw


class Unassigned:
    """A variable that a graph has made and not given a value yet."""

    def __init__(self, dtype, shape, name):
        self.dtype, self.shape, self.name, self.variable = dtype, shape, name, None


def variable_of(resource, op="a raw op", parameter="resource"):
    """The variable that an argument stands for."""
    if isinstance(resource, Unassigned):
        if resource.variable is None:
            raise FailedPreconditionError(None, None, f"Could not find variable {resource.name}: it has no value")
        return resource.variable
    if not hasattr(resource, "assign_sub"):
        raise UnimplementedError(
            None, None, f"tf.raw_ops.{op}: `{parameter}` must be a tf.Variable, or its handle; use its methods"
        )
    return resource


@raw(ignored=("debug_name",))
def VarHandleOp(dtype, shape, shared_name):
    """A variable without a value."""
    return Unassigned(dtype, shape, shared_name)


@raw(ignored=("dtype",))
def ReadVariableOp(resource):
    """The value of a variable."""
    return variable_of(resource).read_value()


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
    variable_of(resource).assign_add(value)


@raw(ignored=("dtype",))
def AssignSubVariableOp(resource, value):
    """Subtracts from a variable."""
    variable_of(resource).assign_sub(value)


@raw()
def VarIsInitializedOp(resource):
    """Whether a variable has a value."""
    return host_constant(np.bool_(not isinstance(resource, Unassigned) or resource.variable is not None))


@raw()
def VariableShape(input, out_type):
    """The shape of a variable."""
    return array.shape(variable_of(input).read_value(), out_type)


@raw(ignored=("ignore_lookup_error",))
def DestroyResourceOp(resource):
    """Nothing: Python frees what is not used."""


@raw(ignored=("dtype", "validate_indices"))
def ResourceGather(resource, indices, batch_dims):
    """Rows of a variable."""
    return array.gather(variable_of(resource), indices, batch_dims=batch_dims)


@raw(ignored=("dtype",))
def ResourceGatherNd(resource, indices):
    """Elements or parts of a variable."""
    return array.gather_nd(variable_of(resource), indices)


def _rows(variable, indices, updates):
    """IndexedSlices of any number of indices; a scalar stands for all elements."""
    indices, updates = convert_to_tensor(indices), convert_to_tensor(updates, variable.dtype)
    row = variable.shape.as_list()[1:]
    if updates.shape.rank == 0:
        updates = array.broadcast_to(updates, [*indices.shape.as_list(), *row])
    return IndexedSlices(array.reshape(updates, [-1, *row]), array.reshape(indices, [-1]))


def _changing(name, method, parameter, of_rows):
    """Makes an op that changes parts of a variable by a method; a reference is returned."""
    returned = bool(definition(name).results)

    def scatter(indices, updates, **handle):
        variable = variable_of(handle[parameter], name, parameter)
        if of_rows:
            getattr(variable, method)(_rows(variable, indices, updates))
        else:
            getattr(variable, method)(convert_to_tensor(indices), updates)
        return variable if returned else None

    accepted = {p: p for p in (parameter, "indices", "updates")}
    made(name, scatter, accepted, doc=f"Changes parts of a variable, as `{method}`.")


for _name in ("Add", "Sub", "Mul", "Div", "Update", "Max", "Min"):
    _changing(f"ResourceScatter{_name}", f"scatter_{_name.lower()}", "resource", True)
    _changing(f"Scatter{_name}", f"scatter_{_name.lower()}", "ref", True)
for _name in ("Add", "Sub", "Update", "Max", "Min"):
    _changing(f"ResourceScatterNd{_name}", f"scatter_nd_{_name.lower()}", "ref", False)
    _changing(f"ScatterNd{_name}", f"scatter_nd_{_name.lower()}", "ref", False)


@raw(ignored=("Index",))
def ResourceStridedSliceAssign(ref, begin, end, strides, value, begin_mask, end_mask, ellipsis_mask, new_axis_mask,
                               shrink_axis_mask):  # fmt: skip
    """Sets a part of a variable."""
    variable = variable_of(ref)
    key = masked_key(begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    variable[key].assign(value)


@raw(ignored=("Index",))
def StridedSliceAssign(ref, begin, end, strides, value, begin_mask, end_mask, ellipsis_mask, new_axis_mask,
                       shrink_axis_mask):  # fmt: skip
    """Sets a part of a variable."""
    ResourceStridedSliceAssign(
        ref, begin, end, strides, value, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    )
    return variable_of(ref)


@raw()
def ResourceCountUpTo(resource, limit, T):
    """Adds 1 to a variable below a limit; its value before."""
    variable = variable_of(resource)
    before = variable.read_value()
    if int(static_value(before)) >= limit:
        raise OutOfRangeError(None, None, f"Reached limit of {limit}")
    variable.assign_add(array.ones([], T))
    return before


@raw()
def CountUpTo(ref, limit):
    """Adds 1 to a variable below a limit; its value before."""
    return ResourceCountUpTo(ref, limit, variable_of(ref).dtype)


# References of TensorFlow 1: a variable stands for its reference.


@raw("Variable", "VariableV2")
def _variable_v2(shape, dtype):
    """A variable without a value."""
    return Unassigned(dtype, shape, "")


@raw(ignored=("validate_shape",))
def Assign(ref, value):
    """Sets a variable."""
    AssignVariableOp(ref, value)
    return variable_of(ref)


@raw()
def AssignAdd(ref, value):
    """Adds to a variable."""
    variable_of(ref).assign_add(value)
    return variable_of(ref)


@raw()
def AssignSub(ref, value):
    """Subtracts from a variable."""
    variable_of(ref).assign_sub(value)
    return variable_of(ref)


@raw()
def IsVariableInitialized(ref):
    """Whether a variable has a value."""
    return VarIsInitializedOp(ref)
