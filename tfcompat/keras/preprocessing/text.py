"""`tf.keras.preprocessing.text`: words as numbers."""

import collections as _collections
import hashlib as _hashlib
import json as _json

import numpy as _np

from tfcompat._package.missing import missing as _missing

_FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'


def text_to_word_sequence(input_text, filters=_FILTERS, lower=True, split=" "):
    """The words of a text.

    Args:
      input_text: str.
      filters: str of characters that end words.
      lower: bool, whether to write them in lower case.
      split: str that ends words.

    Returns:
      List of str.

    TF: `tf.keras.preprocessing.text.text_to_word_sequence`.
    """
    text = input_text.lower() if lower else input_text
    return [word for word in text.translate(str.maketrans(dict.fromkeys(filters, split))).split(split) if word]


def hashing_trick(text, n, hash_function=None, filters=_FILTERS, lower=True, split=" ", analyzer=None):
    """The words of a text as numbers from 1 to `n - 1`, of which different words may have the same.

    Args:
      text: str, or what `analyzer` takes.
      n: int, one more than the largest number.
      hash_function: function of a word to an int; "md5"; or None for Python's `hash`, which differs from process to
        process.
      filters, lower, split: as for `text_to_word_sequence`.
      analyzer: function from a text to a list of words, or None.

    Returns:
      List of ints.

    TF: `tf.keras.preprocessing.text.hashing_trick`; no known difference.
    """
    if hash_function == "md5":
        hash_function = _md5
    function = hash if hash_function is None else hash_function
    words = text_to_word_sequence(text, filters, lower, split) if analyzer is None else analyzer(text)
    return [function(word) % (n - 1) + 1 for word in words]


def _md5(word):
    return int(_hashlib.md5(word.encode()).hexdigest(), 16)


def one_hot(input_text, n, filters=_FILTERS, lower=True, split=" ", analyzer=None):
    """`hashing_trick` with Python's `hash`. TF: `tf.keras.preprocessing.text.one_hot`; no known difference."""
    return hashing_trick(input_text, n, hash, filters, lower, split, analyzer)


class Tokenizer:
    """Numbers words by how often they occur.

    Args:
      num_words: int: only the `num_words - 1` most frequent words count; None for all.
      filters, lower, split: as for `text_to_word_sequence`.
      char_level: bool, whether characters count in place of words.
      oov_token: str that stands for unknown words, or None, and they are left out.
      analyzer: function from a text to a list of words, or None.
      **kwargs: `document_count`.

    Attributes: `word_index`, `index_word`, `word_counts`, `word_docs`, `index_docs`, `document_count`.
    TF: `tf.keras.preprocessing.text.Tokenizer`; no known difference.
    """

    def __init__(self, num_words=None, filters=_FILTERS, lower=True, split=" ", char_level=False, oov_token=None,
                 analyzer=None, **kwargs):  # fmt: skip
        self.document_count = kwargs.pop("document_count", 0)
        if kwargs:
            raise TypeError("Unrecognized keyword arguments: " + str(kwargs))
        self.word_counts = _collections.OrderedDict()
        self.word_docs = _collections.defaultdict(int)
        self.filters = filters
        self.split = split
        self.lower = lower
        self.num_words = num_words
        self.char_level = char_level
        self.oov_token = oov_token
        self.analyzer = analyzer
        self.index_docs = _collections.defaultdict(int)
        self.word_index = {}
        self.index_word = {}

    def _words(self, text):
        if self.char_level or isinstance(text, list):
            if not self.lower:
                return text
            return [part.lower() for part in text] if isinstance(text, list) else text.lower()
        if self.analyzer is None:
            return text_to_word_sequence(text, self.filters, self.lower, self.split)
        return self.analyzer(text)

    def fit_on_texts(self, texts):
        """Counts the words of texts, and numbers them anew."""
        for text in texts:
            self.document_count += 1
            words = self._words(text)
            for word in words:
                self.word_counts[word] = self.word_counts.get(word, 0) + 1
            for word in set(words):
                self.word_docs[word] += 1
        ordered = sorted(self.word_counts.items(), key=lambda item: item[1], reverse=True)
        vocabulary = [] if self.oov_token is None else [self.oov_token]
        vocabulary += [word for word, _ in ordered]
        self.word_index = {word: i for i, word in enumerate(vocabulary, 1)}
        self.index_word = {i: word for word, i in self.word_index.items()}
        for word, count in self.word_docs.items():
            self.index_docs[self.word_index[word]] = count

    def fit_on_sequences(self, sequences):
        """Counts the numbers in sequences."""
        self.document_count += len(sequences)
        for sequence in sequences:
            for number in set(sequence):
                self.index_docs[number] += 1

    def texts_to_sequences(self, texts):
        """The words of texts as a list of lists of numbers."""
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts):
        """As `texts_to_sequences`, one by one."""
        unknown = self.word_index.get(self.oov_token)
        for text in texts:
            numbers = []
            for word in self._words(text):
                number = self.word_index.get(word)
                if number is None or self.num_words and number >= self.num_words:
                    number = unknown
                if number is not None:
                    numbers.append(number)
            yield numbers

    def sequences_to_texts(self, sequences):
        """The words of numbers, joined by spaces."""
        return list(self.sequences_to_texts_generator(sequences))

    def sequences_to_texts_generator(self, sequences):
        """As `sequences_to_texts`, one by one."""
        unknown = self.index_word.get(self.word_index.get(self.oov_token))
        for sequence in sequences:
            words = []
            for number in sequence:
                word = self.index_word.get(number)
                if word is None or self.num_words and number >= self.num_words:
                    word = unknown
                if word is not None:
                    words.append(word)
            yield " ".join(words)

    def texts_to_matrix(self, texts, mode="binary"):
        """A row for each text; see `sequences_to_matrix`."""
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode=mode)

    def sequences_to_matrix(self, sequences, mode="binary"):
        """A row of numbers for each sequence, one for each word.

        Args:
          sequences: list of lists of numbers.
          mode: "binary": whether it is there; "count": how often; "freq": its share; "tfidf".

        Raises:
          ValueError: an unknown mode, or nothing known of the words.
        """
        if not self.num_words and not self.word_index:
            raise ValueError("Specify a dimension (`num_words` argument), or fit on some text data first.")
        if mode == "tfidf" and not self.document_count:
            raise ValueError("Fit the Tokenizer on some data before using tfidf mode.")
        width = self.num_words or len(self.word_index) + 1
        x = _np.zeros((len(sequences), width))
        for i, sequence in enumerate(sequences):
            counts = _collections.Counter(number for number in sequence if number < width)
            for number, count in counts.items():
                if mode == "count":
                    x[i, number] = count
                elif mode == "freq":
                    x[i, number] = count / len(sequence)
                elif mode == "binary":
                    x[i, number] = 1
                elif mode == "tfidf":
                    rarity = _np.log(1 + self.document_count / (1 + self.index_docs.get(number, 0)))
                    x[i, number] = (1 + _np.log(count)) * rarity
                else:
                    raise ValueError("Unknown vectorization mode:", mode)
        return x

    def get_config(self):
        """What the tokenizer knows, as a dict; dicts in it are JSON."""
        return {
            "num_words": self.num_words,
            "filters": self.filters,
            "lower": self.lower,
            "split": self.split,
            "char_level": self.char_level,
            "oov_token": self.oov_token,
            "document_count": self.document_count,
            "word_counts": _json.dumps(self.word_counts),
            "word_docs": _json.dumps(self.word_docs),
            "index_docs": _json.dumps(self.index_docs),
            "index_word": _json.dumps(self.index_word),
            "word_index": _json.dumps(self.word_index),
        }

    def to_json(self, **kwargs):
        """The configuration as JSON text, for `tokenizer_from_json`."""
        return _json.dumps({"class_name": type(self).__name__, "config": self.get_config()}, **kwargs)


def tokenizer_from_json(json_string):
    """The tokenizer that `Tokenizer.to_json` describes. TF: `tf.keras.preprocessing.text.tokenizer_from_json`."""
    config = _json.loads(json_string)["config"]
    known = {
        name: _json.loads(config.pop(name))
        for name in ("word_counts", "word_docs", "index_docs", "index_word", "word_index")
    }
    tokenizer = Tokenizer(**config)
    for name, value in known.items():
        by_number = name in ("index_docs", "index_word")
        setattr(tokenizer, name, {int(key): item for key, item in value.items()} if by_number else value)
    return tokenizer


__getattr__ = _missing("tf.keras.preprocessing.text", otherwise="tf.keras.preprocessing.text.Tokenizer")
