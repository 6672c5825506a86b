"""`tf.keras.datasets.imdb`: reviews of films."""

import numpy as _np

from tfcompat.keras.datasets import _files, _words
from tfcompat.keras.datasets._object_arrays import lists as _lists


def load_data(path="imdb.npz", num_words=None, skip_top=0, maxlen=None, seed=113, start_char=1, oov_char=2,
              index_from=3, cache_dir=None, **kwargs):  # fmt: skip
    """25,000 reviews of films to train with and as many to test with, each a list of the ranks of its words.

    Args:
      path: str, the file's name in `~/.keras/datasets`, or an absolute path.
      num_words: int: numbers from this on are replaced; by default only the largest is.
      skip_top: int: numbers below this are replaced, too.
      maxlen: int: reviews with that many numbers or more are left out; all are kept by default.
      seed: int for the order.
      start_char: int, the first number of each review, or None for none.
      oov_char: int, what replaces others; None leaves those out.
      index_from: int, what is added to ranks.
      cache_dir: path that replaces `~/.keras`.
      **kwargs: `nb_words`, an older name of `num_words`.

    Returns:
      `(x_train, y_train), (x_test, y_test)`: arrays of lists of ints; labels, 1 for a review that praises.

    Raises:
      ValueError: none is shorter than `maxlen`; the file is damaged, or holds something else than lists of integers.
      TypeError: other keywords.
      Exception: the file is not there, and cannot be fetched.

    The file holds a pickle, which is read but not executed.
    TF: `tf.keras.datasets.imdb.load_data`; no known difference.
    """
    num_words = _words.renamed(num_words, kwargs, ".")
    file_hash = "69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f"
    arrays = _files.npz(path, "imdb.npz", file_hash, cache_dir, _lists)
    rng = _np.random.RandomState(seed)
    x_train, y_train = _words.shuffled(arrays["x_train"], arrays["y_train"], rng)
    x_test, y_test = _words.shuffled(arrays["x_test"], arrays["y_test"], rng)
    x_train = _words.numbered(x_train, start_char, index_from)
    x_test = _words.numbered(x_test, start_char, index_from)
    if maxlen:
        x_train, y_train = _words.shorter(x_train, y_train, maxlen)
        x_test, y_test = _words.shorter(x_test, y_test, maxlen)
        if not x_train or not x_test:
            raise ValueError(
                f"After filtering for sequences shorter than maxlen={maxlen}, no sequence was kept. Increase maxlen."
            )
    texts = _words.limited([*x_train, *x_test], num_words, skip_top, oov_char)
    labels, number = _np.concatenate([y_train, y_test]), len(x_train)
    return (_words.objects(texts[:number]), labels[:number]), (_words.objects(texts[number:]), labels[number:])


def get_word_index(path="imdb_word_index.json"):
    """The ranks of words.

    Args:
      path: str, the file's name in `~/.keras/datasets`, or an absolute path.

    Returns:
      dict from words to ranks, to which `load_data` adds `index_from`.

    Raises:
      Exception: the file is not there, and cannot be fetched.

    TF: `tf.keras.datasets.imdb.get_word_index`; no known difference.
    """
    return _files.word_index(path, "imdb_word_index.json", "bfafd718b763782e994055a2d397834f")
