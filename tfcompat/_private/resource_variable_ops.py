"""tensorflow/python/ops/resource_variable_ops.py."""
from tfcompat._core.spec import VariableSpec as VariableSpec
from tfcompat._core.variable import ResourceVariable as ResourceVariable

BaseResourceVariable = ResourceVariable


def is_resource_variable(var):
    """Whether `var` is a variable."""
    return isinstance(var, ResourceVariable)
