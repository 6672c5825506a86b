"""Cases of `tf.strings`, `tf.sets` and `tf.lookup`: text lives on the host."""

import os
import tempfile

from cases._case import Case, f32, i32, i64, literal, made, using

_int32, _float16 = using(lambda tf: tf.int32), using(lambda tf: tf.float16)
_RAGGED = using(lambda tf: tf.ragged.constant([["A b", "c"], []]))
_AB = using(lambda tf: tf.ragged.constant([["a", "b"], ["c"]]))
_WRONG = using(lambda tf: b"a\xff")


def _table(tf, default=-1, **kwargs):
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2], **kwargs), default)


def _unfilled(tf):
    class Nothing(tf.lookup.KeyValueTensorInitializer):
        key_dtype, value_dtype = tf.string, tf.int64

        def __init__(self):
            pass

        def initialize(self, table):
            pass

    return tf.lookup.StaticHashTable(Nothing(), -1)


def _from_lines(tf, *lines):
    with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as file:
        file.write("\n".join(lines))
    index = tf.lookup.TextFileIndex
    try:
        reading = tf.lookup.TextFileInitializer(file.name, tf.int64, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER)
        return tf.lookup.StaticHashTable(reading, -1).lookup(tf.constant([5, 7], tf.int64))
    finally:
        os.remove(file.name)


def _vocabulary(tf, *keys):
    keys, values = (keys or ["a", "b"]), tf.constant([0, 1], tf.int64)
    return tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(tf.constant(keys), values), 3)


def _changed(tf):
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, [0.0, 0.0])
    table.insert(tf.constant(["a", "b"]), tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    table.remove(tf.constant(["b", "z"]))
    return table


def _call(name, function, fails=False):
    case = Case("tf.identity", 0).set(id=name).then(function)
    return case.raises() if fails else case


_ELEMENTWISE = [
    Case("tf.strings.as_string", [1, 2]),
    Case("tf.strings.as_string", [1.5, float("nan")]),
    Case("tf.strings.as_string", [1.5], precision=2),
    Case("tf.strings.as_string", [1.5e10], scientific=True),
    Case("tf.strings.as_string", [1.5e10, 0.5], shortest=True),
    Case("tf.strings.as_string", [True, False]),
    Case("tf.strings.as_string", [5, -5], width=4, fill="0"),
    Case("tf.strings.as_string", [5], width=4),
    Case("tf.strings.as_string", [5.0], width=9, fill="-"),
    Case("tf.strings.as_string", [1 + 2j]),
    Case("tf.strings.as_string", f32(value=[0.1])),
    Case("tf.strings.as_string", [5], fill="ab").raises(),
    Case("tf.strings.as_string", [5], precision=2).raises(),
    Case("tf.strings.as_string", [1.5], scientific=True, shortest=True).raises(),
    Case("tf.as_string", 7),
    Case("tf.strings.length", ["ab", "é"]),
    Case("tf.strings.length", "é", unit="UTF8_CHAR"),
    Case("tf.strings.length", _RAGGED),
    Case("tf.strings.length", "é", unit="X").raises(),
    Case("tf.strings.lower", ["ABÉ"]),
    Case("tf.strings.lower", "ABÉ", encoding="utf-8"),
    Case("tf.strings.lower", _RAGGED),
    Case("tf.strings.lower", 5).raises(),
    Case("tf.strings.upper", "aé"),
    Case("tf.strings.upper", "aé", "utf-8"),
    Case("tf.strings.strip", [" a ", "b\n"]),
    Case("tf.strings.substr", "hello", 1, 3),
    Case("tf.strings.substr", ["hello", "ab"], [1, 0], [2, 9]),
    Case("tf.strings.substr", ["hello", "abc"], -3, 2),
    Case("tf.strings.substr", "héllo", 1, 1, unit="UTF8_CHAR"),
    Case("tf.strings.substr", "hello", 9, 2).raises(),
    Case("tf.strings.regex_full_match", ["abc", "b"], "a.*"),
    Case("tf.strings.regex_full_match", "a", "(").raises(),
    Case("tf.strings.regex_replace", "abcabc", "b", "X"),
    Case("tf.strings.regex_replace", ["abcabc"], "(b)(c)", r"<\2\1\0>", replace_global=False),
    Case("tf.strings.regex_replace", "a", "(", "").raises(),
    Case("tf.strings.to_hash_bucket", ["", "abc", "x" * 40], 1000000),
    *[Case("tf.strings.to_hash_bucket_fast", ["a" * n, "abcdefghij" * n], 2**62) for n in (0, 1, 2, 5, 9, 17, 30, 70)],
    Case("tf.strings.to_hash_bucket_fast", "a", 0).raises(),
    Case("tf.strings.to_hash_bucket_strong", ["a", "hello", "x" * 20, "y" * 8], 2**62, [1, 2**40]),
    Case("tf.strings.to_hash_bucket_strong", "a", 10, [1]).raises(),
    Case("tf.strings.to_number", ["1.5", "2e3", " 1 ", "nan"]),
    Case("tf.strings.to_number", ["1", "-2"], _int32),
    Case("tf.strings.to_number", "a").raises(),
    Case("tf.strings.to_number", "1.5", _int32).raises(),
    Case("tf.strings.to_number", "99999999999", _int32).raises(),
    Case("tf.strings.to_number", "1", _float16).raises(),
    Case("tf.strings.unicode_transcode", "aé", "UTF-8", "UTF-16-BE").then(lambda tf, x, *_: tf.strings.length(x)),
    Case("tf.strings.unicode_transcode", _WRONG, "UTF-8", "UTF-8"),
    Case("tf.strings.unicode_transcode", _WRONG, "UTF-8", "UTF-8", errors="ignore"),
    Case("tf.strings.unicode_transcode", _WRONG, "UTF-8", "UTF-8", errors="strict").raises(),
]

_PARTS = [
    Case("tf.strings.split", "a b  c "),
    Case("tf.strings.split", ["a b", "c"]),
    Case("tf.strings.split", "a,b,,c", ","),
    Case("tf.strings.split", ["a,b,c", "d"], ",", maxsplit=1),
    Case("tf.strings.split", [["a b"], ["c d e"]]),
    Case("tf.strings.split", _RAGGED),
    Case("tf.strings.split", "", "x"),
    Case("tf.strings.split", 1).raises(),
    Case("tf.strings.bytes_split", ["ab", "c"]),
    Case("tf.strings.unicode_decode", ["aé", "b"], "UTF-8"),
    Case("tf.strings.unicode_decode", _WRONG, "UTF-8"),
    Case("tf.strings.unicode_decode", _WRONG, "UTF-8", errors="ignore"),
    Case("tf.strings.unicode_decode", _WRONG, "UTF-8", errors="strict").raises(),
    Case("tf.strings.unicode_decode", "a", "FOO").raises(),
    Case("tf.strings.unicode_decode_with_offsets", "aéb", "UTF-8"),
    Case("tf.strings.unicode_encode", [[97, 233]], "UTF-8"),
    Case("tf.strings.unicode_encode", [97, -1], "UTF-8"),
    Case("tf.strings.unicode_encode", using(lambda tf: tf.ragged.constant([[97], [98, 99]])), "UTF-8"),
    Case("tf.strings.unicode_encode", [97, -1], "UTF-8", errors="strict").raises(),
    Case("tf.strings.unicode_encode", [97], "FOO").raises(),
    Case("tf.strings.unicode_split", ["aé", "b"], "UTF-8"),
    Case("tf.strings.unicode_split_with_offsets", "aéb", "UTF-8"),
    Case("tf.strings.join", ["a", ["b", "c"]], separator="-"),
    Case("tf.strings.join", [_AB, _AB]),
    Case("tf.strings.join", [["a"], ["b", "c"]]).raises(),
    Case("tf.strings.reduce_join", ["a", "b"]),
    Case("tf.strings.reduce_join", [["a", "b"], ["c", "d"]]),
    Case("tf.strings.reduce_join", [["a", "b"], ["c", "d"]], 0),
    Case("tf.strings.reduce_join", [["a", "b"], ["c", "d"]], axis=-1, separator=" ", keepdims=True),
    Case("tf.strings.reduce_join", [["a", "b"], ["c", "d"]], axis=[1, 0]),
    Case("tf.strings.reduce_join", _AB, axis=-1),
    Case("tf.strings.reduce_join", [["a"]], 5).raises(),
    Case("tf.strings.unsorted_segment_join", ["a", "b", "c"], [0, 2, 0], 3, separator=":"),
    Case("tf.strings.unsorted_segment_join", ["a", "b", "c"], [0, 3, 0], 3).raises(),
    Case("tf.strings.ngrams", ["a", "b", "c"], 2),
    Case("tf.strings.ngrams", ["a", "b", "c"], [1, 2]),
    Case("tf.strings.ngrams", ["a", "b"], 3, pad_values="x"),
    Case("tf.strings.ngrams", ["a", "b"], 3, preserve_short_sequences=True),
    Case("tf.strings.ngrams", ["a", "b"], 2, pad_values=("l", "r"), separator="|"),
    Case("tf.strings.ngrams", ["a", "b", "c"], 3, pad_values="x", padding_width=1),
    Case("tf.strings.ngrams", _AB, 2),
    Case("tf.strings.ngrams", ["a"], 0).raises(),
    Case("tf.strings.ngrams", ["a"], "b").raises(),
    Case("tf.strings.format", "a {} b {}", (i32(value=[1, 2]), 2.5)),
    Case("tf.strings.format", "{}", i32(value=list(range(10)))),
    Case("tf.strings.format", "{}", literal(["a"])),
    Case("tf.strings.format", "%s", [i32(value=list(range(10)))], placeholder="%s", summarize=-1),
    Case("tf.strings.format", "{} {}", [1]).raises(),
]

_UNORDERED = made(lambda tf, x: tf.SparseTensor([[0, 1], [0, 0]], x, [1, 2]), i32(value=[3, 1]))

_SETS = [
    Case("tf.sets.intersection", [[1, 2, 2]], [[2, 3, 2]]),
    Case("tf.sets.union", [[1, 2], [3, 4]], [[2, 3], [5, 5]]),
    Case("tf.sets.union", [["a"]], [["b"]]),
    Case("tf.sets.union", _UNORDERED, _UNORDERED).raises(),
    Case("tf.sets.union", _UNORDERED, _UNORDERED, validate_indices=False),
    Case("tf.sets.size", _UNORDERED).raises(),
    Case("tf.sets.size", _UNORDERED, False),
    Case("tf.sets.union", [[1.0]], [[2.0]]).raises(),
    Case("tf.sets.union", [[1]], [[2], [3]]).raises(),
    Case("tf.sets.difference", [[1, 2]], [[2, 3]]),
    Case("tf.sets.difference", [[1, 2]], [[2, 3]], aminusb=False),
    Case(
        "tf.sets.difference",
        made(lambda tf, x: tf.sparse.from_dense(x), i64(value=[[1, 2], [4, 0]])),
        i64(value=[[2], [3]]),
    ),
    Case("tf.sets.size", made(lambda tf, x: tf.sets.union(x, x), i32(value=[[1, 2], [4, 4]]))),
    Case("tf.sets.size", [[1]]).raises(),
]

_TABLES = [
    _call("static lookup", lambda tf, *_: _table(tf).lookup(tf.constant(["a", "z"]))),
    _call("static item", lambda tf, *_: _table(tf)[tf.constant([["b"], ["a"]])]),
    _call("static ragged", lambda tf, *_: _table(tf).lookup(tf.ragged.constant([["a"], []]))),
    _call("static size", lambda tf, *_: _table(tf).size()),
    _call("static value dtype", lambda tf, *_: _table(tf, value_dtype=tf.int64).lookup(tf.constant("b"))),
    _call("static key of another dtype", lambda tf, *_: _table(tf).lookup(tf.constant([1])), True),
    _call("static default of another dtype", lambda tf, *_: _table(tf, "x"), True),
    _call(
        "static two values",
        lambda tf, *_: tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "a"], [1, 2]), -1),
        True,
    ),
    _call("static unfilled size", lambda tf, *_: _unfilled(tf).size()),
    _call("static unfilled lookup", lambda tf, *_: _unfilled(tf).lookup(tf.constant(["a"])), True),
    _call("static of numbers in lines", lambda tf, *_: _from_lines(tf, "3", "5")),
    _call("static of other lines", lambda tf, *_: _from_lines(tf, "3", "x"), True),
    _call("vocabulary", lambda tf, *_: _vocabulary(tf).lookup(tf.constant(["a", "z", "y", "b"]))),
    _call("vocabulary size", lambda tf, *_: _vocabulary(tf).size()),
    _call(
        "vocabulary of hashes", lambda tf, *_: tf.lookup.StaticVocabularyTable(None, 3).lookup(tf.constant(["a", "z"]))
    ),
    _call("vocabulary without buckets", lambda tf, *_: tf.lookup.StaticVocabularyTable(None, 0), True),
    _call("mutable lookup", lambda tf, *_: _changed(tf).lookup(tf.constant(["a", "b"]))),
    _call("mutable size", lambda tf, *_: _changed(tf).size()),
    _call("mutable export", lambda tf, *_: _changed(tf).export()),
    _call("mutable wrong value", lambda tf, *_: _changed(tf).insert(["a"], [1.0]), True),
    _call("mutable wrong key", lambda tf, *_: _changed(tf).insert([1], [[1.0, 2.0]]), True),
]

CASES = [*_ELEMENTWISE, *_PARTS, *_SETS, *_TABLES]
