"""TextVectorization: text as the numbers of its words."""

from typing import Any

import numpy as np

from tfcompat import strings
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.shape import TensorShape
from tfcompat.array import pad, squeeze
from tfcompat.layers._layer import settings as _settings
from tfcompat.layers._preprocessing.lookup import StringLookup
from tfcompat.layers._preprocessing.preprocessing import (
    PreprocessingLayer,
    check_choice,
    ensure_tensor,
    symbolic_output,
)
from tfcompat.ragged._tensor import RaggedTensor

_PUNCTUATION = r'[!"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']'
_STANDARDIZE = ("lower_and_strip_punctuation", "lower", "strip_punctuation")
_SPLIT = ("whitespace", "character")
_OLD_MODES = {"binary": "multi_hot", "tf-idf": "tf_idf"}


class TextVectorization(PreprocessingLayer):
    """Text as the numbers of its words in a vocabulary, or as rows of counts.

    Args:
      max_tokens: int, the largest vocabulary, or None.
      standardize: "lower_and_strip_punctuation", "lower", "strip_punctuation", function of the text, or None.
      split: "whitespace", "character", function from a vector of text to a ragged tensor, or None.
      ngrams: int, the longest sequences of words to take as one, or tuple of their lengths, or None.
      output_mode: "int", "multi_hot", "count" or "tf_idf"; None gives the words themselves.
      output_sequence_length: int, to which "int" pads and cuts; or None.
      pad_to_max_tokens: bool, whether rows have the size `max_tokens`.
      vocabulary: tokens, or path of a file with one on each line; or None for `adapt`.
      idf_weights: as many factors, for "tf_idf".
      sparse: bool, whether rows are a SparseTensor.
      ragged: bool, whether "int" gives a RaggedTensor.
      encoding: str, how `get_vocabulary` decodes tokens.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: options that contradict each other; inputs of rank 2 whose last axis is not 1.

    Inputs: text of shape [batch] or [batch, 1]; a scalar gives one sample. Outputs: int64 [batch, length], padded with
      0, or rows of `floatx`.
    TF: `tf.keras.layers.TextVectorization`; a `tf.function` that calls it on text which depends on its arguments runs
      as plain Python.
    """

    _lookup_layer: Any
    _standardize: Any
    _split: Any
    _ngrams: Any
    _ngrams_arg: Any
    _output_mode: Any
    _output_sequence_length: Any
    _ragged: Any
    _encoding: Any

    def __init__(self, max_tokens=None, standardize="lower_and_strip_punctuation", split="whitespace", ngrams=None,
                 output_mode="int", output_sequence_length=None, pad_to_max_tokens=False, vocabulary=None,
                 idf_weights=None, sparse=False, ragged=False, encoding="utf-8", **kwargs):  # fmt: skip
        if kwargs.setdefault("dtype", "string") != "string":
            raise ValueError(
                f"`TextVectorization` may only have a dtype of string. Received dtype: {kwargs['dtype']}."
            )
        output_mode = _OLD_MODES.get(output_mode, output_mode)
        check_choice("TextVectorization", "standardize", standardize, _STANDARDIZE, none=True, callables=True)
        check_choice("TextVectorization", "split", split, _SPLIT, none=True, callables=True)
        check_choice(
            "TextVectorization", "output_mode", output_mode, ("int", "count", "multi_hot", "tf_idf"), none=True
        )
        _check_options(ngrams, output_mode, output_sequence_length, ragged)
        has_vocabulary = kwargs.pop("has_input_vocabulary", vocabulary is not None)
        size = kwargs.pop("vocabulary_size", None)
        super().__init__(**kwargs)
        attributes = self.__dict__  # not tracked: functions may hold layers
        attributes["_standardize"], attributes["_split"], attributes["_ngrams_arg"] = standardize, split, ngrams
        attributes["_ngrams"] = tuple(range(1, ngrams + 1)) if isinstance(ngrams, int) else ngrams
        attributes["_output_mode"], attributes["_output_sequence_length"] = output_mode, output_sequence_length
        attributes["_ragged"], attributes["_encoding"] = ragged, encoding
        self._lookup_layer = StringLookup(
            max_tokens=max_tokens, vocabulary=vocabulary, idf_weights=idf_weights, pad_to_max_tokens=pad_to_max_tokens,
            mask_token="", output_mode=output_mode or "int", sparse=sparse, has_input_vocabulary=has_vocabulary,
            encoding=encoding, vocabulary_size=size,
        )  # fmt: skip

    def update_state(self, data):
        """Counts the words of a batch."""
        self._lookup_layer.update_state(self._preprocess(data))

    def save_own_variables(self, store):
        """Puts the factors for "tf_idf" into a dict of arrays."""
        self._lookup_layer.save_own_variables(store)

    def load_own_variables(self, store):
        """Sets the factors to what `save_own_variables` put into `store`."""
        self._lookup_layer.load_own_variables(store)

    def _texts(self):
        return self._lookup_layer._texts()

    def _take_texts(self, texts):
        self._lookup_layer._take_texts(texts)

    def finalize_state(self):
        """Makes the vocabulary of the words counted."""
        self._lookup_layer.finalize_state()

    def reset_state(self):
        """Forgets what was counted; the vocabulary stays."""
        self._lookup_layer.reset_state()

    def get_vocabulary(self, include_special_tokens=True):
        """The words by their numbers, with "" and the token for unknown words first unless told otherwise; a list of
        str."""
        return self._lookup_layer.get_vocabulary(include_special_tokens)

    def vocabulary_size(self):
        """How many words there are, "" and the token for unknown words included; an int."""
        return self._lookup_layer.vocabulary_size()

    def set_vocabulary(self, vocabulary, idf_weights=None):
        """Sets the words; as that of `StringLookup`."""
        self._lookup_layer.set_vocabulary(vocabulary, idf_weights=idf_weights)

    def _preprocess(self, inputs: Any):
        inputs = ensure_tensor(inputs, "string")
        if self._standardize in ("lower", "lower_and_strip_punctuation"):
            inputs = strings.lower(inputs)
        if self._standardize in ("strip_punctuation", "lower_and_strip_punctuation"):
            inputs = strings.regex_replace(inputs, _PUNCTUATION, "")
        if callable(self._standardize):
            inputs = self._standardize(inputs)
        if self._split is not None:
            if inputs.shape.rank > 1:
                if inputs.shape.as_list()[-1] != 1:
                    raise ValueError(
                        "When using `TextVectorization` to tokenize strings, the input rank must be 1 or the last "
                        f"shape dimension must be 1. Received: inputs.shape={inputs.shape} with "
                        f"rank={inputs.shape.rank}"
                    )
                inputs = squeeze(inputs, axis=-1)
            if self._split == "whitespace":
                inputs = strings.split(inputs)
            elif self._split == "character":
                inputs = strings.unicode_split(inputs, "UTF-8")
            else:
                inputs = self._split(inputs)
        if self._ngrams is not None:
            inputs = strings.ngrams(inputs, ngram_width=self._ngrams, separator=" ")
        return inputs

    def call(self, inputs):
        if isinstance(inputs, list | tuple | np.ndarray):
            inputs = convert_to_tensor(inputs)
        inputs = self._preprocess(inputs)
        if self._output_mode is None:
            return inputs
        ids = self._lookup_layer(inputs)
        if self._output_mode != "int" or self._ragged:
            return ids
        length = self._output_sequence_length
        if isinstance(ids, RaggedTensor):
            return ids.to_tensor(default_value=0, shape=[*ids.shape.as_list()[:-1], length])
        if length is None:
            return ids
        ids = ids[..., :length]
        missing = length - ids.shape.as_list()[-1]
        return pad(ids, [[0, 0]] * (ids.shape.rank - 1) + [[0, missing]])

    def _called_symbolically(self, inputs):
        sizes = inputs.shape.as_list()
        if self._output_mode is None:
            return None
        if self._split is not None:
            if len(sizes) > 1 and sizes[-1] != 1:
                raise ValueError(
                    "When using `TextVectorization` to tokenize strings, the input rank must be 1 or the last shape "
                    f"dimension must be 1. Received: inputs.shape={inputs.shape} with rank={len(sizes)}"
                )
            sizes = [*(sizes[:-1] if len(sizes) > 1 else sizes), None]
        lookup = self._lookup_layer
        if self._output_mode == "int":
            length = self._output_sequence_length
            return symbolic_output(sizes if length is None else [*sizes[:-1], length], "int64", self._ragged)
        return symbolic_output([*sizes[:-1], lookup._depth()], _settings.floatx(), unknown=lookup.sparse)

    def compute_output_shape(self, input_shape):
        if self._output_mode == "int":
            return TensorShape([input_shape[0], self._output_sequence_length])
        if self._split is not None:
            input_shape = (*input_shape, None)
        elif len(input_shape) <= 1:
            input_shape = (*input_shape, 1)
        return self._lookup_layer.compute_output_shape(input_shape)

    def get_config(self):
        lookup = self._lookup_layer
        return {
            **super().get_config(),
            "max_tokens": lookup.max_tokens,
            "standardize": self._standardize,
            "split": self._split,
            "ngrams": self._ngrams_arg,
            "output_mode": self._output_mode,
            "output_sequence_length": self._output_sequence_length,
            "pad_to_max_tokens": lookup.pad_to_max_tokens,
            "sparse": lookup.sparse,
            "ragged": self._ragged,
            "vocabulary": lookup.input_vocabulary,
            "idf_weights": lookup.input_idf_weights,
            "encoding": self._encoding,
            "vocabulary_size": self.vocabulary_size(),
        }


def _check_options(ngrams, output_mode, length, ragged):
    """Raises ValueError for options that contradict each other."""
    if not (
        ngrams is None or isinstance(ngrams, int)
        or isinstance(ngrams, tuple) and all(isinstance(width, int) for width in ngrams)
    ):  # fmt: skip
        raise ValueError(f"`ngrams` must be None, an integer, or a tuple of integers. Received: ngrams={ngrams}")
    if output_mode == "int" and not (length is None or isinstance(length, int)):
        raise ValueError(
            "`output_sequence_length` must be either None or an integer when `output_mode` is 'int'. Received: "
            f"output_sequence_length={length}"
        )
    if output_mode != "int" and length is not None:
        raise ValueError(
            "`output_sequence_length` must not be set if `output_mode` is not 'int'. Received "
            f"output_sequence_length={length}."
        )
    if ragged and output_mode != "int":
        raise ValueError(
            f"`ragged` must not be true if `output_mode` is `'int'`. Received: ragged={ragged} and "
            f"output_mode={output_mode}"
        )
    if ragged and length is not None:
        raise ValueError(
            f"`output_sequence_length` must not be set if ragged is True. Received: ragged={ragged} and "
            f"output_sequence_length={length}"
        )
