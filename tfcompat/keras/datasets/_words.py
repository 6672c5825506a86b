"""What texts that are lists of ranks of words go through: `imdb` and `reuters`."""

import numpy as np

from tfcompat._package.logging import logger


def renamed(num_words, arguments, end):
    """`num_words`, which may have an older name in `arguments`.

    Raises:
      TypeError: there are other arguments.
    """
    if "nb_words" in arguments:
        logger.warning("The `nb_words` argument in `load_data` has been renamed `num_words`.")
        num_words = arguments.pop("nb_words")
    if arguments:
        raise TypeError(f"Unrecognized keyword arguments: {arguments}{end}")
    return num_words


def shuffled(texts, labels, rng):
    """Both in the same order, drawn from `rng`."""
    order = np.arange(len(texts))
    rng.shuffle(order)
    return texts[order], labels[order]


def numbered(texts, start_char, index_from):
    """Ranks that begin at `index_from`, after a number for the beginning."""
    if start_char is not None:
        return [[start_char] + [word + index_from for word in text] for text in texts]
    if index_from:
        return [[word + index_from for word in text] for text in texts]
    return texts


def shorter(texts, labels, maxlen):
    """The texts with less than `maxlen` numbers, and their labels."""
    short = [i for i, text in enumerate(texts) if len(text) < maxlen]
    return [texts[i] for i in short], [labels[i] for i in short]


def limited(texts, num_words, skip_top, oov_char):
    """Texts in which rare words, and the most frequent ones, are `oov_char`, or left out if that is None."""
    if not num_words:
        num_words = max(max(text) for text in texts)
    if oov_char is None:
        return [[word for word in text if skip_top <= word < num_words] for text in texts]
    return [[word if skip_top <= word < num_words else oov_char for word in text] for text in texts]


def objects(texts):
    """An array of lists."""
    return np.array(texts, dtype="object")
