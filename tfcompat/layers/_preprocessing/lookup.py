"""StringLookup and IntegerLookup: tokens of a vocabulary as numbers, and back."""

import collections
import os
from typing import Any

import numpy as np

from tfcompat import dtypes
from tfcompat._core import trial
from tfcompat._core.constant_table import ConstantTable
from tfcompat._core.convert import convert_to_tensor, host_constant, host_integers, known_values
from tfcompat._core.shape import TensorShape
from tfcompat._core.steps import sizes_of, step
from tfcompat._core.text_hash import fingerprint
from tfcompat._core.variable import Variable
from tfcompat.array import cast, expand_dims, gather, identity, reshape, searchsorted, shape, squeeze, where
from tfcompat.debugging import Assert
from tfcompat.errors import FailedPreconditionError, InvalidArgumentError
from tfcompat.layers._layer import settings as _settings
from tfcompat.layers._layer.own_variables import assign_checked
from tfcompat.layers._preprocessing.preprocessing import (
    PreprocessingLayer,
    check_choice,
    check_encoding,
    encode,
    encoded_shape,
    ensure_tensor,
    on_values,
    symbolic_output,
)
from tfcompat.math import equal, floormod, minimum, not_equal, reduce_all
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.sparse._tensor import SparseTensor

_MODES = ("int", "one_hot", "multi_hot", "count", "tf_idf")
_OLD_MODES = {"binary": "multi_hot", "tf-idf": "tf_idf"}
_VOCABULARY = "vocabulary.txt"
_ADVICE = "text is looked up on the host: call the layer outside of a tf.function"


class IndexLookup(PreprocessingLayer):
    """What StringLookup and IntegerLookup share: a vocabulary, and the encodings of its numbers."""

    idf_weights: Any
    _tokens: list
    _numbers: Any
    _counts: Any
    _document_counts: Any
    _documents: Any
    _frozen_vocab_size: Any
    _has_input_vocabulary: Any
    _token_dtype: Any
    _id_dtype: Any
    input_vocabulary: Any
    input_idf_weights: Any
    encoding: Any

    def __init__(self, max_tokens, num_oov_indices, mask_token, oov_token, vocabulary_dtype, vocabulary=None,
                 idf_weights=None, invert=False, output_mode="int", sparse=False, pad_to_max_tokens=False,
                 **kwargs):  # fmt: skip
        if max_tokens is not None and max_tokens <= 1:
            raise ValueError(f"If set, `max_tokens` must be greater than 1. Received: max_tokens={max_tokens}")
        if pad_to_max_tokens and max_tokens is None:
            raise ValueError(f"If pad_to_max_tokens is True, must set `max_tokens`. Received: max_tokens={max_tokens}")
        if num_oov_indices < 0:
            raise ValueError(
                "`num_oov_indices` must be greater than or equal to 0. "
                f"Received: num_oov_indices={num_oov_indices}"
            )
        output_mode = _OLD_MODES.get(output_mode, output_mode)
        check_choice(type(self).__name__, "output_mode", output_mode, _MODES)
        frozen_size = kwargs.pop("vocabulary_size", None)
        has_vocabulary = kwargs.pop("has_input_vocabulary", vocabulary is not None)
        kwargs.pop("has_static_table", None)
        kwargs.setdefault("dtype", "int64" if output_mode == "int" else _settings.floatx())
        super().__init__(**kwargs)
        check_encoding(self, output_mode, _MODES, sparse, kwargs["dtype"])
        if invert and output_mode != "int":
            raise ValueError(
                f"`output_mode` must be `'int'` when `invert` is true. Received: output_mode={output_mode}"
            )
        if idf_weights is not None and output_mode != "tf_idf":
            raise ValueError(
                f"`idf_weights` should only be set if `output_mode` is `'tf_idf'`. Received: idf_weights={idf_weights} "
                f"and output_mode={output_mode}"
            )
        self.invert = invert
        self.max_tokens = max_tokens
        self.num_oov_indices = num_oov_indices
        self.mask_token = mask_token
        self.oov_token = oov_token
        self.output_mode = output_mode
        self.sparse = sparse
        self.pad_to_max_tokens = pad_to_max_tokens
        self.vocabulary_dtype = vocabulary_dtype
        attributes = self.__dict__  # not tracked: lists and dicts that the layer looks at as they are
        attributes["input_vocabulary"], attributes["input_idf_weights"] = _plain(vocabulary), _plain(idf_weights)
        attributes["_has_input_vocabulary"] = has_vocabulary
        attributes["_frozen_vocab_size"] = frozen_size
        attributes["_token_dtype"] = dtypes.as_dtype(vocabulary_dtype)
        attributes["_id_dtype"] = self._compute_dtype_object if output_mode == "int" else dtypes.int64
        self._set_tokens([])
        if output_mode == "tf_idf":
            self.idf_weights = Variable(
                [0] * self._token_start_index(), shape=(None,), dtype=self.compute_dtype, trainable=False
            )
        if vocabulary is not None:
            self.set_vocabulary(vocabulary, idf_weights)
        attributes["_counts"], attributes["_document_counts"] = collections.Counter(), collections.Counter()
        attributes["_documents"] = 0

    # --- the vocabulary -----------------------------------------------------------------------------------

    def _oov_start_index(self):
        return 1 if self.mask_token is not None and self.output_mode == "int" else 0

    def _token_start_index(self):
        return self._oov_start_index() + self.num_oov_indices

    def _set_tokens(self, tokens):
        attributes = self.__dict__
        start = self._token_start_index()
        attributes["_tokens"] = tokens
        attributes["_numbers"] = {token: start + place for place, token in enumerate(tokens)}

    def _token(self, value):
        """A token as tables hold it: bytes or int."""
        if self._token_dtype != dtypes.string:
            return int(value)
        return value.encode() if isinstance(value, str) else bytes(value)

    def _shown(self, tokens):
        """Tokens as `get_vocabulary` lists them."""
        raise NotImplementedError

    def get_vocabulary(self, include_special_tokens=True):
        """The tokens by their numbers.

        Args:
          include_special_tokens: bool, whether the mask and the tokens that stand for unknown ones are there.

        Returns:
          List of str, or of ints.
        """
        tokens = list(self._shown(self._tokens)) if self._tokens else []
        if not include_special_tokens:
            return tokens
        masks = [self.mask_token] * self._oov_start_index()
        return masks + [self.oov_token] * self.num_oov_indices + tokens

    def vocabulary_size(self):
        """How many tokens there are, the mask and those that stand for unknown ones included; an int."""
        return len(self._tokens) + self._token_start_index()

    def vocab_size(self):
        """The older name of `vocabulary_size`."""
        return self.vocabulary_size()

    def set_vocabulary(self, vocabulary, idf_weights=None):
        """Sets the tokens.

        Args:
          vocabulary: list, tuple, array or tensor of tokens, or path of a file with one on each line. Special tokens
            may be missing, or stand first.
          idf_weights: list, tuple, array or tensor of as many factors, for "tf_idf" and for it alone.

        Raises:
          ValueError: no tokens, repeated or reserved ones, more than `max_tokens`; no such file; `idf_weights` that
            are missing, or do not fit.
          RuntimeError: another number of tokens than before, on which the shape of the outputs depends.
        """
        if self.output_mode == "tf_idf" and idf_weights is None:
            raise ValueError("`idf_weights` must be set if output_mode is TF_IDF")
        if self.output_mode != "tf_idf" and idf_weights is not None:
            raise ValueError(
                "`idf_weights` should only be set if output_mode is `'tf_idf'`. Received: output_mode="
                f"{self.output_mode} and idf_weights={idf_weights}"
            )
        if isinstance(vocabulary, str):
            self._set_tokens(self._from_file(vocabulary))
            self._record_vocabulary_size()
            return
        tokens_given = _plain(vocabulary)
        if len(tokens_given) == 0:
            raise ValueError(f"Cannot set an empty vocabulary, you passed {vocabulary}.")
        tokens_given = [self._token(token) for token in tokens_given]
        start = self._token_start_index()
        special = [self.mask_token] * self._oov_start_index() + [self.oov_token] * self.num_oov_indices
        with_special = None not in special and tokens_given[:start] == [self._token(token) for token in special]
        tokens = tokens_given[start:] if with_special else tokens_given
        self._check_tokens(tokens, tokens_given, special)
        if self.max_tokens is not None and start + len(tokens) > self.max_tokens:
            raise ValueError(
                "Attempted to set a vocabulary larger than the maximum vocab size. Passed vocab size is "
                f"{start + len(tokens)}, max vocab size is {self.max_tokens}."
            )
        self._set_tokens(tokens)
        self._record_vocabulary_size()
        if self.output_mode == "tf_idf":
            self._set_idf_weights(np.asarray(_plain(idf_weights)), len(tokens_given), with_special)

    def _check_tokens(self, tokens, vocabulary, special):
        repeated = [token for token, count in collections.Counter(tokens).items() if count > 1]
        if repeated:
            raise ValueError(
                "The passed vocabulary has at least one repeated term. Please uniquify your dataset. The repeated "
                f"terms are {list(self._shown(repeated))}"
            )
        for kind, token in (("mask", self.mask_token), ("OOV", self.oov_token if self.invert else None)):
            if token is not None and self._token(token) in tokens:
                raise ValueError(
                    f"Found reserved {kind} token at unexpected location in `vocabulary`. Note that passed "
                    "`vocabulary` does not need to include the OOV and mask tokens. Either remove all mask and OOV "
                    "tokens, or include them only at the start of the vocabulary in precisely this order: "
                    f"{special}. Received: {kind.lower()}_token={token} at vocabulary index "
                    f"{[len(vocabulary) - 1 - vocabulary[::-1].index(self._token(token))]}"
                )

    def _from_file(self, path):
        if not os.path.exists(path):
            raise ValueError(f"Vocabulary file {path} does not exist.")
        if self.output_mode == "tf_idf":
            raise ValueError("output_mode `'tf_idf'` does not support loading a vocabulary from file.")
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
        lines = lines[:-1] if lines[-1] == b"" else lines
        tokens, places = [self._token(line.rstrip(b"\r")) for line in lines], {}
        for place, token in enumerate(tokens):
            first = places.setdefault(token, place)
            if first != place:
                raise FailedPreconditionError(
                    None, None,
                    f"HashTable has different value for same key. Key {self._shown([token])[0]} has {first} and trying "
                    f"to add value {place}: {path} has it in two lines",
                )  # fmt: skip
        return tokens

    def _set_idf_weights(self, weights, count, with_special):
        if count != len(weights):
            raise ValueError(
                f"`idf_weights` must be the same length as vocabulary. len(idf_weights) is {len(weights)}, "
                f"len(vocabulary) is {count}"
            )
        if weights.ndim != 1:
            raise ValueError(f"TF-IDF data must be a 1-index array, but received {type(weights)}")
        front = 0 if with_special else self._token_start_index()
        back = self.max_tokens - front - len(weights) if self.pad_to_max_tokens else 0
        values = (0 if with_special else np.average(weights), 0)
        weights = np.pad(weights, (front, back), "constant", constant_values=values)
        self.idf_weights.assign(convert_to_tensor(weights, self.compute_dtype))

    def _record_vocabulary_size(self):
        if self.output_mode != "int" and not self.pad_to_max_tokens:
            new = self.vocabulary_size()
            if self._frozen_vocab_size is not None and new != self._frozen_vocab_size:
                raise RuntimeError(
                    f"When using `output_mode={self.output_mode}` and `pad_to_max_tokens=False`, the vocabulary size "
                    f"cannot be changed after the layer is called. Old vocab size is {self._frozen_vocab_size}, new "
                    f"vocab size is {new}"
                )
        self.__dict__["_frozen_vocab_size"] = self.vocabulary_size()

    # --- adapt --------------------------------------------------------------------------------------------

    def update_state(self, data):
        """Counts the tokens of a batch; a vector is one document.

        Raises:
          ValueError: the vocabulary was given.
        """
        if self._has_input_vocabulary:
            raise ValueError(
                f"Cannot adapt {type(self).__name__} layer after setting a static vocabulary via init argument or "
                "`set_vocabulary`."
            )
        data = ensure_tensor(data, self._token_dtype)
        flat = data.values if isinstance(data, SparseTensor) else data
        flat = flat.flat_values if isinstance(flat, RaggedTensor) else flat
        self._counts.update(known_values(flat, _ADVICE).ravel().tolist())
        if self.output_mode == "tf_idf":
            for document in _documents(data):
                self._document_counts.update(set(document))
                self.__dict__["_documents"] += 1

    def finalize_state(self):
        """Makes the vocabulary of the tokens counted: the most frequent first, of equals the last in order first."""
        if self._has_input_vocabulary or not self._counts:
            self._record_vocabulary_size()
            return
        for token in (self.mask_token, self.oov_token):
            if token is not None:
                self._counts.pop(self._token(token), None)
        tokens = sorted(self._counts, key=lambda token: (self._counts[token], token), reverse=True)
        start = self._token_start_index()
        self._set_tokens(tokens[: self.max_tokens - start] if self.max_tokens else tokens)
        if self.output_mode == "tf_idf":
            with_token = np.array([self._document_counts[token] for token in self._tokens], np.float64)
            weights = np.log(1 + self._documents / (1 + with_token)).astype(self._compute_dtype_object.np)
            back = self.max_tokens - start - len(weights) if self.pad_to_max_tokens else 0
            mean = weights.mean(dtype=weights.dtype) if len(weights) else np.nan
            weights = np.pad(weights, (start, back), "constant", constant_values=(mean, 0))
            self.idf_weights.assign(weights)
        self.reset_state()
        self._record_vocabulary_size()

    def reset_state(self):
        """Forgets what was counted; the vocabulary stays."""
        if not self._has_input_vocabulary:
            self._counts.clear()
            self._document_counts.clear()
            self.__dict__["_documents"] = 0

    # --- files --------------------------------------------------------------------------------------------

    def save_own_variables(self, store):
        """Puts the factors for "tf_idf" into a dict of arrays."""
        if self.output_mode == "tf_idf":
            store["idf_weights"] = self.idf_weights.numpy()

    def load_own_variables(self, store):
        """Sets the factors to what `save_own_variables` put into `store`."""
        if self.output_mode == "tf_idf":
            assign_checked(self.idf_weights, store["idf_weights"])

    def _texts(self):
        """The vocabulary as a text file, unless it is in the configuration."""
        if self.input_vocabulary:
            return {}
        tokens = [str(token).encode(self._encoding()) for token in self.get_vocabulary()]
        if any(b"\n" in token for token in tokens):
            raise ValueError(
                f"{self.name}: a token with a line break has no place in a file of tokens by line: give the vocabulary "
                "as `vocabulary=layer.get_vocabulary()` to a layer that is to be saved"
            )
        return {_VOCABULARY: b"\n".join(tokens)}

    def _take_texts(self, texts):
        if self.input_vocabulary or _VOCABULARY not in texts:
            return
        lines = [self._token(line) for line in texts[_VOCABULARY].split(b"\n")]
        special = [self.mask_token] * self._oov_start_index() + [self.oov_token] * self.num_oov_indices
        tokens = lines[len(special) :]
        self._check_tokens(tokens, lines, special)
        if self.max_tokens is not None and len(lines) > self.max_tokens:
            raise ValueError(f"{len(lines)} tokens in the file, but max_tokens is {self.max_tokens}")
        self._set_tokens(tokens)
        self._record_vocabulary_size()

    def _take_table(self, keys, values):
        """Takes the vocabulary of a table that TensorFlow saved: arrays of tokens and their numbers, or the inverse."""
        tokens, numbers = (values, keys) if self.invert else (keys, values)
        rows = sorted(zip(numbers.tolist(), tokens.tolist(), strict=True))
        self._set_tokens([token for number, token in rows if number >= self._token_start_index()])
        self._record_vocabulary_size()

    def _encoding(self):
        return "utf-8"

    # --- calls --------------------------------------------------------------------------------------------

    def _depth(self):
        if self.output_mode != "int" and not self.pad_to_max_tokens and self._frozen_vocab_size is None:
            raise RuntimeError(
                f"When using `output_mode={self.output_mode}` and `pad_to_max_tokens=False`, you must set the layer's "
                "vocabulary before calling it. Either pass a `vocabulary` argument to the layer, or call `adapt` with "
                "some sample data."
            )
        return self.max_tokens if self.pad_to_max_tokens else self._frozen_vocab_size

    def call(self, inputs):
        depth = self._depth()
        if not self._tokens and trial.current().sample_size is None:
            raise FailedPreconditionError(
                None, None, f"Table not initialized: give {self.name} a vocabulary, or call `adapt` with some data."
            )
        inputs = ensure_tensor(inputs, self._id_dtype if self.invert else self._token_dtype)
        scalar = inputs.shape.rank == 0
        ids = on_values(self._lookup, expand_dims(inputs, -1) if scalar else inputs)
        if self.output_mode == "int":
            return squeeze(ids, -1) if scalar else ids
        weights = self.idf_weights.read_value() if self.output_mode == "tf_idf" else None
        return encode(ids, self.output_mode, depth, self._compute_dtype_object, self.sparse, None, weights)

    def _lookup(self, inputs):
        text = self._token_dtype == dtypes.string
        if self.invert:
            return self._tokens_of(inputs) if text else self._integers_of(inputs)
        return self._numbers_of_text(inputs) if text else self._numbers_of_integers(inputs)

    def _as_constant_table(self):
        """What the layer looks text up in, a ConstantTable."""
        text = np.empty(len(self._tokens), object)
        text[:] = self._tokens
        numbers = np.arange(len(text), dtype=np.int64) + self._token_start_index()
        if self.mask_token is not None:
            text = np.append(text, np.array([self._token(self.mask_token)], object))
            numbers = np.append(numbers, np.int64(self._mask_number()))
        if self.invert:
            default = np.array(b"" if self.oov_token is None else self._token(self.oov_token), object)
            return ConstantTable(dtypes.int64, dtypes.string, numbers, text, default)
        start, buckets = self._oov_start_index(), self.num_oov_indices
        if buckets > 1:
            return ConstantTable(dtypes.string, dtypes.int64, text, numbers, np.int64(-1), buckets, start)
        return ConstantTable(dtypes.string, dtypes.int64, text, numbers, np.int64(start if buckets else -1))

    @step("LookupTableFindV2", lambda new, self, ids: new(sizes_of(ids), dtypes.string), of_stack=True)
    def _tokens_of(self, ids):
        """Text by its number."""
        array = known_values(ids, _ADVICE)
        start = self._token_start_index()
        tokens = np.full(array.size, b"" if self.oov_token is None else self._token(self.oov_token), object)
        for place, number in enumerate(array.ravel().tolist()):
            if 0 <= number - start < len(self._tokens):
                tokens[place] = self._tokens[number - start]
            elif number == 0 and self.mask_token is not None:
                tokens[place] = self._token(self.mask_token)
        return host_constant(tokens.reshape(array.shape))

    def _integers_of(self, ids):
        """Integers by their number."""
        start, count = self._token_start_index(), len(self._tokens)
        dtype = self._token_dtype
        table = np.array([*self._tokens, self.oov_token or 0], dtype.np)
        places = where((ids >= start) & (ids < start + count), ids - start, count)
        integers = gather(table, places)
        return integers if self.mask_token is None else where(equal(ids, 0), cast(self.mask_token, dtype), integers)

    def _mask_number(self):
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/layers/preprocessing/index_lookup.py
        # Numbers that large are passed over where they are counted.
        return 0 if self.output_mode == "int" else self._id_dtype.max

    @step("LookupTableFindV2", lambda new, self, text: new(sizes_of(text), self._id_dtype), of_stack=True)
    def _numbers_of_text(self, text):
        """Numbers of text, on the host."""
        array = known_values(text, _ADVICE)
        start, buckets, unknown = self._oov_start_index(), self.num_oov_indices, set()

        def number_of(token):
            if buckets > 1:
                return start + fingerprint(token) % buckets
            unknown.add(token)
            return start

        numbers = self._numbers
        if self.mask_token is not None:
            numbers = {**numbers, self._token(self.mask_token): self._mask_number()}
        tokens = array.ravel().tolist()
        ids = [numbers[token] if token in numbers else number_of(token) for token in tokens]
        if unknown and buckets == 0 and trial.current().sample_size is None:
            raise InvalidArgumentError(None, None, _unknown(sorted(unknown)))
        return host_constant(np.array(ids, self._id_dtype.np).reshape(array.shape))

    def _numbers_of_integers(self, values):
        """Numbers of integers: with NumPy where they are on the host, or with operations."""
        tokens = np.array(self._tokens, self._token_dtype.np)
        order = np.argsort(tokens)
        if host_integers(values) is not None:
            return self._numbers_of_array(host_integers(values), tokens[order], order)
        places = minimum(reshape(searchsorted(tokens[order], reshape(values, [-1])), shape(values)), len(order) - 1)
        known = equal(gather(tokens[order], places), values)
        numbers = gather((order + self._token_start_index()).astype(self._id_dtype.np), places)
        if self.num_oov_indices > 1:
            others = cast(floormod(values, self.num_oov_indices), self._id_dtype) + self._oov_start_index()
        else:
            others = cast(self._oov_start_index() if self.num_oov_indices else -1, self._id_dtype)
        numbers = where(known, numbers, others)
        if self.mask_token is not None:
            is_mask = equal(values, cast(self.mask_token, values.dtype))
            numbers = where(is_mask, cast(self._mask_number(), self._id_dtype), numbers)
        if self.num_oov_indices == 0:
            array, integers = known_values(numbers), known_values(values)
            if array is None or integers is None:
                Assert(reduce_all(not_equal(numbers, -1)), [_unknown("some")])
            elif (array == -1).any():
                raise InvalidArgumentError(None, None, _unknown(integers[array == -1].tolist()))
        return identity(numbers)

    def _numbers_of_array(self, array, tokens, order):
        """Numbers of an array of integers, given the tokens in order and where each stood."""
        places = np.minimum(np.searchsorted(tokens, array), len(order) - 1)
        known = tokens[places] == array
        if self.num_oov_indices > 1:
            others = array % self.num_oov_indices + self._oov_start_index()
        else:
            others = self._oov_start_index()
        numbers = np.where(known, order[places] + self._token_start_index(), others)
        is_mask = False if self.mask_token is None else array == self.mask_token
        if self.num_oov_indices == 0 and not (known | is_mask).all() and trial.current().sample_size is None:
            raise InvalidArgumentError(None, None, _unknown(array[~(known | is_mask)].tolist()))
        return host_constant(np.where(is_mask, self._mask_number(), numbers).astype(self._id_dtype.np))

    # --- shapes and configuration -------------------------------------------------------------------------

    def _called_symbolically(self, inputs):
        shape = encoded_shape(inputs.shape.as_list(), self.output_mode, self._depth())
        dtype = self._token_dtype if self.invert else self._compute_dtype_object
        return symbolic_output(shape, dtype, unknown=self.sparse)

    def compute_output_shape(self, input_shape):
        if self.output_mode == "int":
            return input_shape
        return TensorShape([input_shape[0], self.max_tokens if self.pad_to_max_tokens else self._frozen_vocab_size])

    def get_config(self):
        return {
            **super().get_config(),
            "invert": self.invert,
            "max_tokens": self.max_tokens,
            "num_oov_indices": self.num_oov_indices,
            "oov_token": self.oov_token,
            "mask_token": self.mask_token,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
            "pad_to_max_tokens": self.pad_to_max_tokens,
            "vocabulary_dtype": self.vocabulary_dtype,
            "idf_weights": self.input_idf_weights,
            "vocabulary": self.input_vocabulary,
            "vocabulary_size": self._frozen_vocab_size,
        }


class StringLookup(IndexLookup):
    """Text as the numbers of a vocabulary, or numbers as its text.

    Args:
      max_tokens: int, the largest vocabulary, or None.
      num_oov_indices: int, how many numbers there are for unknown text, by its hash if more than one; with 0, unknown
        text is an error.
      mask_token: str that stands for what is masked and has number 0; other modes than "int" pass it over. Or None.
      oov_token: str that stands for unknown text with `invert`.
      vocabulary: tokens, or path of a file with one on each line; or None for `adapt`.
      idf_weights: as many factors, for "tf_idf".
      encoding: str, how `get_vocabulary` decodes tokens.
      invert: bool, whether inputs are numbers.
      output_mode: "int"; "one_hot": a row for each element; "multi_hot", "count", "tf_idf": a row for each sample.
      sparse: bool, whether rows are a SparseTensor.
      pad_to_max_tokens: bool, whether rows have the size `max_tokens`.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: options that contradict each other; see also `set_vocabulary`.
      RuntimeError: a call without vocabulary, for another mode than "int".
      tf.errors.InvalidArgumentError: unknown text, and `num_oov_indices` is 0.

    Inputs: text, dense, sparse or ragged; with `invert`, integers. Outputs: int64 unless `dtype` says otherwise, of the
      shape of the inputs; or rows of `floatx`.
    TF: `tf.keras.layers.StringLookup`; a `tf.function` in which text is looked up that depends on its arguments runs as
      plain Python.
    """

    def __init__(self, max_tokens=None, num_oov_indices=1, mask_token=None, oov_token="[UNK]", vocabulary=None,
                 idf_weights=None, encoding="utf-8", invert=False, output_mode="int", sparse=False,
                 pad_to_max_tokens=False, **kwargs):  # fmt: skip
        if kwargs.get("dtype") in ("string", dtypes.string):
            del kwargs["dtype"]
        self.__dict__["encoding"] = encoding
        super().__init__(
            max_tokens=max_tokens, num_oov_indices=num_oov_indices, mask_token=mask_token, oov_token=oov_token,
            vocabulary=vocabulary, vocabulary_dtype="string", idf_weights=idf_weights, invert=invert,
            output_mode=output_mode, sparse=sparse, pad_to_max_tokens=pad_to_max_tokens, **kwargs,
        )  # fmt: skip

    def _shown(self, tokens):
        return np.array([token.decode(self.encoding) for token in tokens])

    def _encoding(self):
        return self.encoding

    def get_config(self):
        config = super().get_config()
        del config["vocabulary_dtype"]
        return {**config, "encoding": self.encoding}


class IntegerLookup(IndexLookup):
    """Integers as the numbers of a vocabulary, or numbers as its integers.

    Args:
      max_tokens: int, the largest vocabulary, or None.
      num_oov_indices: int, how many numbers there are for unknown integers, by their remainder if more than one; with
        0, unknown integers are an error.
      mask_token: int that stands for what is masked and has number 0; other modes than "int" pass it over. Or None.
      oov_token: int that stands for unknown integers with `invert`.
      vocabulary: tokens, or path of a file with one on each line; or None for `adapt`.
      vocabulary_dtype: dtype of the tokens.
      idf_weights: as many factors, for "tf_idf".
      invert: bool, whether inputs are numbers.
      output_mode: "int"; "one_hot": a row for each element; "multi_hot", "count", "tf_idf": a row for each sample.
      sparse: bool, whether rows are a SparseTensor.
      pad_to_max_tokens: bool, whether rows have the size `max_tokens`.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: options that contradict each other; see also `set_vocabulary`.
      RuntimeError: a call without vocabulary, for another mode than "int".
      tf.errors.InvalidArgumentError: unknown integers, and `num_oov_indices` is 0.

    Inputs: integers, dense, sparse or ragged. Outputs: int64 unless `dtype` says otherwise, of the shape of the inputs;
      or rows of `floatx`.
    TF: `tf.keras.layers.IntegerLookup`; no known difference.
    """

    def __init__(self, max_tokens=None, num_oov_indices=1, mask_token=None, oov_token=-1, vocabulary=None,
                 vocabulary_dtype="int64", idf_weights=None, invert=False, output_mode="int", sparse=False,
                 pad_to_max_tokens=False, **kwargs):  # fmt: skip
        if not dtypes.as_dtype(vocabulary_dtype).is_integer:
            raise ValueError(f"`vocabulary_dtype` must be an integer dtype. Received: {vocabulary_dtype}")
        if output_mode != "int" and kwargs.get("dtype") in ("int64", dtypes.int64):
            del kwargs["dtype"]
        max_tokens = kwargs.pop("max_values", max_tokens)
        mask_token = kwargs.pop("mask_value", mask_token)
        oov_token = kwargs.pop("oov_value", oov_token)
        if max_tokens is not None and max_tokens <= 1:
            raise ValueError(
                "If `max_tokens` is set for `IntegerLookup`, it must be greater than 1. Received: "
                f"max_tokens={max_tokens}."
            )
        if num_oov_indices < 0:
            raise ValueError(
                "The value of `num_oov_indices` argument for `IntegerLookup` must >= 0. Received num_oov_indices="
                f"{num_oov_indices}."
            )
        super().__init__(
            max_tokens=max_tokens, num_oov_indices=num_oov_indices,
            mask_token=None if mask_token is None else np.int64(mask_token),
            oov_token=None if oov_token is None else np.int64(oov_token),
            vocabulary=vocabulary, vocabulary_dtype=vocabulary_dtype, idf_weights=idf_weights, invert=invert,
            output_mode=output_mode, sparse=sparse, pad_to_max_tokens=pad_to_max_tokens, **kwargs,
        )  # fmt: skip

    def _shown(self, tokens):
        return np.array(tokens, self._token_dtype.np)


def _plain(values):
    """A list in place of an array or tensor."""
    if hasattr(values, "numpy"):
        values = values.numpy()
    if isinstance(values, np.ndarray):
        return values.tolist()
    return list(values) if isinstance(values, tuple) else values


def _documents(data):
    """The tokens of each sample."""
    if isinstance(data, SparseTensor):
        rows = collections.defaultdict(list)
        for row, token in zip(data.indices.numpy()[:, 0].tolist(), data.values.numpy().tolist(), strict=True):
            rows[row].append(token)
        return [rows[row] for row in range(int(data.dense_shape[0]))]
    if isinstance(data, RaggedTensor):
        return data.to_list()
    array = known_values(data, _ADVICE)
    return array.reshape(-1, array.shape[-1] if array.ndim else 1).tolist()


def _unknown(values):
    return (
        f"When `num_oov_indices=0` all inputs should be in vocabulary, found OOV values {values}, consider setting "
        "`num_oov_indices=1`."
    )
