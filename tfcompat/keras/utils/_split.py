"""`split_dataset`: data as two datasets."""

import random

import numpy as np

from tfcompat import data


def split_dataset(dataset, left_size=None, right_size=None, shuffle=False, seed=None):
    """The first and the last elements of data, as two datasets. All of it is read into memory.

    Args:
      dataset: `tf.data.Dataset`, array, or list or tuple of arrays of the same length, of which elements are tuples.
      left_size, right_size: ints, or floats for shares; what one leaves where only the other is given.
      shuffle: bool, whether the elements are shuffled first, by Python's `random`.
      seed: int that `random` is seeded with for it; drawn by default.

    Returns:
      Pair of `tf.data.Dataset`s, in batches where `dataset` is one of batches.

    Raises:
      TypeError: other data, or a size that is no number.
      ValueError: no data, arrays of different lengths or elements of different shapes; sizes out of range.

    TF: `tf.keras.utils.split_dataset`; no known difference.
    """
    is_dataset, is_group = isinstance(dataset, data.Dataset), isinstance(dataset, list | tuple)
    if not is_dataset and not is_group and not isinstance(dataset, np.ndarray):
        raise TypeError(
            "The `dataset` argument must be either a `tf.data.Dataset` object or a list/tuple of arrays. Received: "
            f"dataset={dataset} of type {type(dataset)}"
        )
    if right_size is None and left_size is None:
        raise ValueError(
            "At least one of the `left_size` or `right_size` must be specified. Received: left_size=None and "
            "right_size=None"
        )
    batch_size = getattr(dataset, "_batch_size", None) if is_dataset else None
    if is_group:
        _check_group(dataset)
        elements = list(zip(*dataset, strict=False))
    else:
        elements = list(dataset if batch_size is None else dataset.unbatch())
        _check_shapes(elements)
    if not elements:
        raise ValueError(
            "Received an empty Dataset. `dataset` must be a non-empty list/tuple of `numpy.ndarray` objects or "
            "`tf.data.Dataset` objects."
        )
    if shuffle:
        random.seed(random.randint(0, 1_000_000) if seed is None else seed)
        random.shuffle(elements)
    left, right = _sizes(left_size, right_size, len(elements))

    def restored(part):
        if isinstance(part[0], dict):
            columns = {key: [element[key] for element in part] for key in part[0]}
        elif is_dataset or is_group:
            columns = tuple(np.array(column) for column in zip(*part, strict=False))
        else:
            columns = part
        made = data.Dataset.from_tensor_slices(columns)
        return (made if batch_size is None else made.batch(batch_size)).prefetch(data.AUTOTUNE)

    return restored(elements[:left]), restored(elements[-right:])


def _check_group(arrays):
    if not arrays:
        raise ValueError("Received an empty list dataset. Please provide a non-empty list of arrays.")
    if not isinstance(arrays[0], np.ndarray):
        raise ValueError(f"Expected a list of `numpy.ndarray` objects,Received: {type(arrays[0])}")
    for i, array in enumerate(arrays):
        if len(np.array(array)) != len(arrays[0]):
            raise ValueError(
                f"Received a list of NumPy arrays with different lengths. Mismatch found at index {i}, Expected "
                f"shape={arrays[0].shape} Received shape={np.array(array).shape}.Please provide a list of NumPy "
                "arrays with the same length."
            )


def _check_shapes(elements):
    """That tensors and arrays are alike; structures are not looked at."""
    if not elements or isinstance(elements[0], tuple | dict):
        return
    shape = np.shape(elements[0])
    for i, element in enumerate(elements[1:]):
        if np.shape(element) != shape:
            raise ValueError(
                f"All `dataset` samples must have same shape, Expected shape: {shape} Received shape: "
                f"{np.shape(element)} at index {i}."
            )


def _sizes(left, right, total):
    """How many elements there are in each part."""
    by_side = {"left": left, "right": right}
    wrong = {side: type(size) for side, size in by_side.items() if size is not None and type(size) not in (int, float)}
    if wrong:
        raise TypeError(
            f"Invalid `left_size` or `right_size` type. Expected: int or float or None, Received: {wrong}"
        )
    if left == 0 and right == 0:
        raise ValueError(
            "Both `left_size` and `right_size` are zero. At least one of the split sizes must be non-zero."
        )
    for side, size in by_side.items():
        if size is not None and not 0 < size < (total if isinstance(size, int) else 1):
            raise ValueError(
                f"`{side}_size` should be either a positive integer smaller than {total}, or a float within the range "
                f"`[0, 1]`. Received: {side}_size={size}"
            )
    if isinstance(left, float) and isinstance(right, float) and left + right > 1:
        raise ValueError(
            "The sum of `left_size` and `right_size` is greater than 1. It must be less than or equal to 1."
        )
    left, right = (round(size * total) if isinstance(size, float) else size for size in (left, right))
    left = total - right if left is None else left
    right = total - left if right is None else right
    if left + right > total:
        raise ValueError(
            f"The sum of `left_size` and `right_size` should be smaller than the {total}. Received: left_size + "
            f"right_size = {left + right}and total_length = {total}"
        )
    for side, size in (("left", left), ("right", right)):
        if size == 0:
            raise ValueError(
                f"With `dataset` of length={total}, `left_size`={left} and `right_size`={right}.Resulting {side} side "
                "dataset split will be empty. Adjust any of the aforementioned parameters"
            )
    return left, right
