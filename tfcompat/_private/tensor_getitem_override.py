"""tensorflow/python/ops/tensor_getitem_override.py: what `x[...]` calls."""


def _slice_helper(tensor, slice_spec, var=None):
    return tensor[slice_spec]


def _slice_helper_var(var, slice_spec):
    return var.value()[slice_spec]
