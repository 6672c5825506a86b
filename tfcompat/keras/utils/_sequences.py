"""Sequences of one length, and windows of a series."""

import json
import random
from typing import Any

import numpy as np

from tfcompat.keras._training.data import Sequence


def pad_sequences(sequences, maxlen=None, dtype="int32", padding="pre", truncating="pre", value=0.0):
    """Sequences as rows of one array.

    Args:
      sequences: list of lists.
      maxlen: int, the length of rows; that of the longest by default.
      dtype: NumPy dtype of the result.
      padding, truncating: "pre" or "post": where what is missing is filled in, and what is too much left out.
      value: what is filled in.

    Returns:
      NumPy array of shape [number, maxlen, ...].

    Raises:
      ValueError: entries without length, of different shapes, or text for a dtype of numbers; an unknown choice.

    TF: `tf.keras.utils.pad_sequences`; no known difference.
    """
    if not hasattr(sequences, "__len__"):
        raise ValueError("`sequences` must be iterable.")
    for sequence in sequences:
        if not hasattr(sequence, "__len__"):
            raise ValueError(f"`sequences` must be a list of iterables. Found non-iterable: {sequence}")
    shape: Any = next((np.asarray(sequence).shape[1:] for sequence in sequences if len(sequence)), ())
    if maxlen is None:
        maxlen = max((len(sequence) for sequence in sequences), default=0)
    is_text = np.issubdtype(dtype, np.str_)
    if isinstance(value, str) and dtype is not object and not is_text:
        raise ValueError(
            f"`dtype` {dtype} is not compatible with `value`'s type: {type(value)}\nYou should set `dtype=object` for "
            "variable length strings."
        )
    for choice, name in ((truncating, "Truncating"), (padding, "Padding")):
        if choice not in ("pre", "post"):
            raise ValueError(f'{name} type "{choice}" not understood')
    rows = np.full((len(sequences), maxlen, *shape), value, dtype=dtype)
    for row, sequence in zip(rows, sequences, strict=True):
        if not len(sequence) or not maxlen:
            continue
        cut = np.asarray(sequence[-maxlen:] if truncating == "pre" else sequence[:maxlen], dtype=dtype)
        if cut.shape[1:] != shape:
            raise ValueError(
                f"Shape of sample {cut.shape[1:]} of sequence is different from expected shape {shape}"
            )
        if padding == "post":
            row[: len(cut)] = cut
        else:
            row[-len(cut) :] = cut
    return rows


def make_sampling_table(size, sampling_factor=1e-5):
    """How likely the word of each rank is to be kept, as in word2vec, for frequencies that follow Zipf's law.

    Args:
      size: int, number of words.
      sampling_factor: float, as in word2vec.

    Returns:
      NumPy array of shape [size].

    TF: `tf.keras.preprocessing.sequence.make_sampling_table`; no known difference.
    """
    rank = np.arange(size)
    rank[0] = 1
    ratio = sampling_factor * (rank * (np.log(rank) + 0.577) + 0.5 - 1.0 / (12.0 * rank))
    return np.minimum(1.0, ratio / np.sqrt(ratio))


def skipgrams(sequence, vocabulary_size, window_size=4, negative_samples=1.0, shuffle=True, categorical=False,
              sampling_table=None, seed=None):  # fmt: skip
    """Pairs of words, those near to each other in a sequence and random ones.

    Args:
      sequence: list of ints; 0 is no word.
      vocabulary_size: int, one more than the largest word.
      window_size: int, how far words of a pair are apart at most.
      negative_samples: float, how many random pairs there are for each other.
      shuffle: bool.
      categorical: whether labels are [0, 1] and [1, 0], not 1 and 0.
      sampling_table: array of how likely each word is to be kept; all are by default.
      seed: int for the shuffle.

    Returns:
      (couples, labels): lists.

    TF: `tf.keras.preprocessing.sequence.skipgrams`; draws from Python's `random`, as there.
    """
    near, far = ([0, 1], [1, 0]) if categorical else (1, 0)
    couples = []
    for i, word in enumerate(sequence):
        if not word or sampling_table is not None and sampling_table[word] < random.random():
            continue
        window = range(max(0, i - window_size), min(len(sequence), i + window_size + 1))
        couples += [[word, sequence[j]] for j in window if j != i and sequence[j]]
    labels = [near] * len(couples)
    if negative_samples > 0:
        words = [word for word, _ in couples]
        random.shuffle(words)
        drawn = range(int(len(labels) * negative_samples))
        couples += [[words[i % len(words)], random.randint(1, vocabulary_size - 1)] for i in drawn]
        labels += [far] * len(drawn)
    if shuffle:
        seed = random.randint(0, 10_000_000) if seed is None else seed
        for each in (couples, labels):
            random.seed(seed)
            random.shuffle(each)
    return couples, labels


class TimeseriesGenerator(Sequence):
    """Batches of windows of a series, each with the target of the time after it, for `fit`.

    Args:
      data: array or list whose first axis is time.
      targets: array or list of the same length.
      length: int, times that a window covers.
      sampling_rate: int between the times in a window.
      stride: int between the windows.
      start_index, end_index: ints: which part of the data is used; all by default.
      shuffle: bool, whether the windows of each batch are drawn from `np.random`.
      reverse: bool, whether times in windows are backwards.
      batch_size: int.

    Raises:
      ValueError: data and targets of different lengths, or none left.

    TF: `tf.keras.preprocessing.sequence.TimeseriesGenerator`; no known difference.
    """

    def __init__(self, data, targets, length, sampling_rate=1, stride=1, start_index=0, end_index=None, shuffle=False,
                 reverse=False, batch_size=128):  # fmt: skip
        if len(data) != len(targets):
            raise ValueError(
                f"Data and targets have to be of same length. Data length is {len(data)} while target length is "
                f"{len(targets)}"
            )
        self.data = data
        self.targets = targets
        self.length = length
        self.sampling_rate = sampling_rate
        self.stride = stride
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        self.shuffle = shuffle
        self.reverse = reverse
        self.batch_size = batch_size
        if self.start_index > self.end_index:
            raise ValueError(
                f"`start_index+length={self.start_index} > end_index={self.end_index}` is disallowed, as no part of "
                "the sequence would be left to be used as current step."
            )

    def __len__(self):
        step = self.batch_size * self.stride
        return (self.end_index - self.start_index + step) // step

    def __getitem__(self, index):
        end = self.end_index + 1
        if self.shuffle:
            times = np.random.randint(self.start_index, end, size=self.batch_size)
        else:
            first = self.start_index + self.batch_size * self.stride * index
            times = np.arange(first, min(first + self.batch_size * self.stride, end), self.stride)
        samples = np.array([self.data[time - self.length : time : self.sampling_rate] for time in times])
        return samples[:, ::-1] if self.reverse else samples, np.array([self.targets[time] for time in times])

    def get_config(self):
        """The arguments as a dict, data and targets as JSON.

        Raises:
          TypeError: they cannot be written as JSON.
        """
        written = {}
        for name in ("data", "targets"):
            value = getattr(self, name)
            value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
            try:
                written[name] = json.dumps(value)
            except TypeError as error:
                raise TypeError(f"{name.title()} not JSON Serializable:", value) from error
        names = ("length", "sampling_rate", "stride", "start_index", "end_index", "shuffle", "reverse", "batch_size")
        return {**written, **{name: getattr(self, name) for name in names}}

    def to_json(self, **kwargs):
        """The configuration as JSON text."""
        return json.dumps({"class_name": type(self).__name__, "config": self.get_config()}, **kwargs)
