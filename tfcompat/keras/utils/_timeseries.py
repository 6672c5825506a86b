"""Datasets of windows of a series."""


import numpy as np

from tfcompat import array
from tfcompat._core.public_convert import convert_to_tensor
from tfcompat._core.spec import TensorSpec
from tfcompat.data import AUTOTUNE, Dataset
from tfcompat.data._transforms import _DescribedDataset


def timeseries_dataset_from_array(data, targets, sequence_length, sequence_stride=1, sampling_rate=1, batch_size=128,
                                  shuffle=False, seed=None, start_index=None, end_index=None):  # fmt: skip
    """A dataset of windows of a series.

    Args:
      data: array whose first axis is time.
      targets: array with the target of the window that begins at each time, or None.
      sequence_length: int, times in a window.
      sequence_stride: int between the beginnings of windows.
      sampling_rate: int between the times in a window.
      batch_size: int, or None for single windows.
      shuffle: bool.
      seed: int for the shuffle.
      start_index, end_index: ints: which part of the data is used.

    Returns:
      `tf.data.Dataset` of windows, or of (windows, targets).

    Raises:
      ValueError: a number out of range.

    TF: `tf.keras.utils.timeseries_dataset_from_array`; no known difference.
    """
    length = len(data)
    for name, index in (("start_index", start_index), ("end_index", end_index)):
        if index and (index < 0 or index >= length and name == "start_index" or index > length):
            raise ValueError(f"`{name}` must be in the range of the data, of length {length}. Received: {index}")
    if start_index and end_index and start_index >= end_index:
        raise ValueError(f"`start_index` must be below `end_index`. Received: {start_index}, {end_index}")
    for name, number in (
        ("sampling_rate", sampling_rate), ("sequence_stride", sequence_stride), ("sequence_length", sequence_length),
    ):  # fmt: skip
        if number <= 0 or name != "sequence_length" and number >= length:
            raise ValueError(
                f"`{name}` must be higher than 0 and lower than the length of the data. Received: {name}={number}, "
                f"for data of length {length}"
            )
    start, end = start_index or 0, length if end_index is None else end_index
    windows = end - start - (sequence_length - 1) * sampling_rate
    if targets is not None:
        windows = min(windows, len(targets))
    beginnings = np.arange(0, windows, sequence_stride, dtype="int64")
    if shuffle:
        if seed is None:
            seed = np.random.randint(1_000_000)
        np.random.RandomState(seed).shuffle(beginnings)
    values = convert_to_tensor(data[start:end])
    places = beginnings[:, None] + np.arange(sequence_length) * sampling_rate
    dataset = Dataset.from_tensor_slices(places).map(
        lambda place: array.gather(values, place), num_parallel_calls=AUTOTUNE
    )
    # TF computes the places in each element, so that the length of a window is not in the spec.
    # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/utils/timeseries_dataset.py
    dataset = _DescribedDataset(dataset, TensorSpec([None, *values.shape[1:]], values.dtype))
    if targets is not None:
        chosen = array.gather(convert_to_tensor(targets[start:end]), beginnings)
        dataset = Dataset.zip((dataset, Dataset.from_tensor_slices(chosen)))
    dataset = dataset.prefetch(AUTOTUNE)
    if batch_size is not None:
        return dataset.shuffle(batch_size * 8, seed=seed).batch(batch_size) if shuffle else dataset.batch(batch_size)
    return dataset.shuffle(1024, seed=seed) if shuffle else dataset
