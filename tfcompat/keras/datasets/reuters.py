"""`tf.keras.datasets.reuters`: news from a wire service."""

import numpy as _np

from tfcompat.keras.datasets import _files, _words
from tfcompat.keras.datasets._object_arrays import lists as _lists


def load_data(path="reuters.npz", num_words=None, skip_top=0, maxlen=None, test_split=0.2, seed=113, start_char=1,
              oov_char=2, index_from=3, cache_dir=None, **kwargs):  # fmt: skip
    """11,228 news on 46 topics, each a list of the ranks of its words.

    Args:
      path: str, the file's name in `~/.keras/datasets`, or an absolute path.
      num_words: int: numbers from this on are replaced; by default only the largest is.
      skip_top: int: numbers below this are replaced, too.
      maxlen: int: news with that many numbers or more are left out; all are kept by default.
      test_split: float, the share to test with.
      seed: int for the order.
      start_char: int, the first number of each, or None for none.
      oov_char: int, what replaces others; None leaves those out.
      index_from: int, what is added to ranks.
      cache_dir: path that replaces `~/.keras`.
      **kwargs: `nb_words`, an older name of `num_words`.

    Returns:
      `(x_train, y_train), (x_test, y_test)`: arrays of lists of ints; topics, see `get_label_names`.

    Raises:
      ValueError: none is shorter than `maxlen`; the file is damaged, or holds something else than lists of integers.
      TypeError: other keywords.
      Exception: the file is not there, and cannot be fetched.

    The file holds a pickle, which is read but not executed.
    TF: `tf.keras.datasets.reuters.load_data`; no known difference.
    """
    num_words = _words.renamed(num_words, kwargs, "")
    file_hash = "d6586e694ee56d7a4e65172e12b3e987c03096cb01eab99753921ef915959916"
    arrays = _files.npz(path, "reuters.npz", file_hash, cache_dir, _lists)
    x, y = _words.shuffled(arrays["x"], arrays["y"], _np.random.RandomState(seed))
    x = _words.numbered(x, start_char, index_from)
    if maxlen:
        x, y = _words.shorter(x, y, maxlen)
    x, number = _words.limited(x, num_words, skip_top, oov_char), int(len(x) * (1 - test_split))
    return (
        (_words.objects(x[:number]), _np.array(y[:number])), (_words.objects(x[number:]), _np.array(y[number:])),
    )  # fmt: skip


def get_word_index(path="reuters_word_index.json"):
    """The ranks of words.

    Args:
      path: str, the file's name in `~/.keras/datasets`, or an absolute path.

    Returns:
      dict from words to ranks, to which `load_data` adds `index_from`.

    Raises:
      Exception: the file is not there, and cannot be fetched.

    TF: `tf.keras.datasets.reuters.get_word_index`; no known difference.
    """
    return _files.word_index(path, "reuters_word_index.json", "4d44cc38712099c9e383dc6e5f11a921")


def get_label_names():
    """The names of the topics, a tuple. TF: `tf.keras.datasets.reuters.get_label_names`."""
    return (
        "cocoa", "grain", "veg-oil", "earn", "acq", "wheat", "copper", "housing", "money-supply", "coffee", "sugar",
        "trade", "reserves", "ship", "cotton", "carcass", "crude", "nat-gas", "cpi", "money-fx", "interest", "gnp",
        "meal-feed", "alum", "oilseed", "gold", "tin", "strategic-metal", "livestock", "retail", "ipi", "iron-steel",
        "rubber", "heat", "jobs", "lei", "bop", "zinc", "orange", "pet-chem", "dlr", "gas", "silver", "wpi", "hog",
        "lead",
    )  # fmt: skip
