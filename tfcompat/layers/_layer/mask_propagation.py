"""Masks: bool tensors, kept on other tensors, that say which of their entries count."""

from tfcompat import nest
from tfcompat._core.tensor import Tensor
from tfcompat.array import concat, expand_dims
from tfcompat.math import reduce_all

_read_mask = Tensor.__dict__["_keras_mask"].__get__


def mask_of(value):
    """The mask that a layer has put on a tensor, or None."""
    if not isinstance(value, Tensor):
        return getattr(value, "_keras_mask", None)
    try:
        return _read_mask(value)
    except AttributeError:
        return None


def masks_of(inputs):
    """The masks of a structure of inputs, structured alike; None if none of them has one."""
    if isinstance(inputs, Tensor):
        return mask_of(inputs)
    masks = [mask_of(x) for x in nest.flatten(inputs)]
    return None if all(mask is None for mask in masks) else nest.pack_sequence_as(inputs, masks)


def taken_masks(signature, inputs, args, kwargs):
    """The masks for a call: those passed, or those of the inputs, which are then entered in `kwargs`."""
    if signature.takes_mask:
        index = signature.mask_index
        if "mask" in kwargs:
            return kwargs["mask"]
        if index is not None and index < len(args):
            return args[index]
    masks = masks_of(inputs)
    if masks is not None and signature.takes_mask:
        kwargs["mask"] = masks
    return masks


def put_masks(layer, inputs, outputs, masks):
    """Puts masks on a layer's outputs, which it computes from those of its inputs."""
    flat = nest.flatten(outputs)
    # Outputs that have masks keep them.
    # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/engine/base_layer.py
    if all(mask_of(x) is not None for x in flat):
        return
    computed = layer.compute_mask(inputs, masks)
    if computed is None:
        return
    for x, mask in zip(flat, nest.flatten(computed), strict=False):
        try:
            x._keras_mask = mask
        except AttributeError:
            pass  # a composite tensor


def merged_mask(inputs, mask):
    """The mask of inputs merged elementwise: the conjunction of their masks."""
    check_masks(inputs, mask)
    if mask is None or all(m is None for m in mask):
        return None
    return reduce_all(concat([expand_dims(m, 0) for m in mask if m is not None], axis=0), axis=0)


def check_masks(inputs, mask):
    """Raises ValueError unless there is one mask, or None, for each of a list of inputs; or none at all."""
    if mask is None:
        return
    if not isinstance(mask, tuple | list):
        raise ValueError(f"`mask` should be a list. Received: mask={mask}")
    if not isinstance(inputs, tuple | list):
        raise ValueError(f"`inputs` should be a list. Received: inputs={inputs}")
    if len(mask) != len(inputs):
        raise ValueError(
            f"The lists `inputs` and `mask` should have the same length. Received: {len(inputs)} inputs and "
            f"{len(mask)} masks"
        )
