"""`tf.strings`: functions of each text by itself. Text lives on the host."""

import functools
import math

import jax.numpy as jnp
import numpy as np

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, host_constant, is_tensor, known_values, static_value
from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import INDEX
from tfcompat._core.steps import like_first, sizes_of, step
from tfcompat._core.tensor import Tensor
from tfcompat._core.text_hash import bucket_hash, fingerprint, keyed_hash
from tfcompat._core.trial import larger
from tfcompat.array._arguments import check_dtype, invalid
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.strings._regex import Pattern

ADVICE = "text must be known: use constants, or tf.py_function"


def texts(input):
    """The array of bytes of what is or becomes a tensor of text."""
    if isinstance(input, Tensor):
        check_dtype(input, (dtypes.string,), "a string op")
    return known_values(convert_to_tensor(input, dtypes.string), ADVICE)


def mapped(function, array, dtype=object):
    """An array of `function` of each element."""
    result = np.empty(array.size, dtype)
    result[:] = [function(item) for item in array.ravel().tolist()]
    return host_constant(result.reshape(array.shape))


def of_flat_values(function):
    """Decorator of a function of `tf.strings`: a ragged first argument gives a ragged result."""

    @functools.wraps(function)
    def wrapper(input, *args, **kwargs):
        if isinstance(input, RaggedTensor):
            return input.with_flat_values(function(input.flat_values, *args, **kwargs))
        return function(input, *args, **kwargs)

    return takes_composites(f"tf.strings.{function.__name__}")(wrapper)


def encoded(value):
    """A static text as bytes. Raises TypeError for numbers, InvalidArgumentError for several texts."""
    value = static_value(value)
    if isinstance(value, tuple):
        raise invalid(f"Expected one text, got {value}")
    if isinstance(value, int | float):
        raise TypeError(f"Expected string, not {value!r}.")
    return value.encode() if isinstance(value, str) else value


def one_of(value, argument, allowed):
    """InvalidArgumentError unless the attribute is allowed."""
    if value not in allowed:
        names = ", ".join(f'"{name}"' for name in allowed)
        raise invalid(f"Value for attr '{argument}' of \"{value}\" is not in the list of allowed values: {names}")
    return value


@of_flat_values
@step("StringLower", like_first(dtypes.string), of_stack=True)
def lower(input, encoding="", name=None):
    """Lower case: of ASCII letters, or of all with `encoding="utf-8"`.

    Args:
      input: text, any shape.
      encoding: "" or "utf-8".
      name: ignored.

    Returns:
      Tensor of text of that shape.

    TF: `tf.strings.lower`; no known difference.
    """
    return mapped(bytes.lower if not _is_unicode(encoding) else lambda x: _decoded(x).lower().encode(), texts(input))


@of_flat_values
@step("StringUpper", like_first(dtypes.string), of_stack=True)
def upper(input, encoding="", name=None):
    """Upper case: of ASCII letters, or of all with `encoding="utf-8"`.

    Args:
      input: text, any shape.
      encoding: "" or "utf-8".
      name: ignored.

    Returns:
      Tensor of text of that shape.

    TF: `tf.strings.upper`; no known difference.
    """
    return mapped(bytes.upper if not _is_unicode(encoding) else lambda x: _decoded(x).upper().encode(), texts(input))


def _is_unicode(encoding):
    if encoding not in ("", "utf-8"):
        raise invalid(f"only utf-8 or '' (no encoding) are supported, received '{encoding}'")
    return bool(encoding)


def _decoded(item):
    return item.decode("utf-8", "replace")


@of_flat_values
@step("StringStrip", like_first(dtypes.string), of_stack=True)
def strip(input, name=None):
    """Text without white space at both ends.

    Args:
      input: text, any shape.
      name: ignored.

    Returns:
      Tensor of text of that shape.

    TF: `tf.strings.strip`; no known difference.
    """
    return mapped(bytes.strip, texts(input))


@of_flat_values
@step("StringLength", like_first(dtypes.int32), of_stack=True)
def length(input, unit="BYTE", name=None):
    """How long each text is.

    Args:
      input: text, any shape.
      unit: "BYTE" or "UTF8_CHAR".
      name: ignored.

    Returns:
      int32 tensor of that shape.

    Raises:
      tf.errors.InvalidArgumentError: another `unit`.

    TF: `tf.strings.length`; no known difference.
    """
    in_bytes = one_of(unit, "unit", ("BYTE", "UTF8_CHAR")) == "BYTE"
    measure = len if in_bytes else lambda item: sum(byte & 0xC0 != 0x80 for byte in item)
    return mapped(lambda item: larger(measure(item)), texts(input), np.int32)


def _broadcast_text(new, *inputs, **_):
    shapes = [sizes_of(x) for x in inputs[:3]]
    return new(jnp.broadcast_shapes(*shapes), dtypes.string)


@of_flat_values
@step("Substr", _broadcast_text, of_stack=True)
def substr(input, pos, len, unit="BYTE", name=None):
    """A part of each text.

    Args:
      input: text, any shape.
      pos: where the part begins; counted from the end if negative.
      len: how long it is at most; broadcasts with `input`, as `pos` does. A negative one takes all bytes, or no
        characters.
      unit: "BYTE" or "UTF8_CHAR".
      name: ignored.

    Returns:
      Tensor of text.

    Raises:
      tf.errors.InvalidArgumentError: `pos` out of range, or another `unit`.

    TF: `tf.strings.substr`; no known difference.
    """
    one_of(unit, "unit", ("BYTE", "UTF8_CHAR"))
    pos = convert_to_tensor(pos, len.dtype if is_tensor(len) and not is_tensor(pos) else None)
    len = len if is_tensor(len) else convert_to_tensor(len, pos.dtype)
    if pos.dtype not in INDEX or pos.dtype != len.dtype:
        raise invalid(f"Value for attr 'T' of {pos.dtype.name} is not in the list of allowed values: int32, int64")
    if pos.shape != len.shape:
        raise invalid(f"pos and len should have the same shape, got: {pos.shape} vs. {len.shape}")
    try:
        items, starts, sizes = np.broadcast_arrays(texts(input), *(known_values(x, ADVICE) for x in (pos, len)))
    except ValueError as error:
        raise invalid(f"Substr: {error}") from None
    result = np.empty(items.shape, object)
    for place in np.ndindex(items.shape):
        item = items[place] if unit == "BYTE" else _decoded(items[place])
        start, size = int(starts[place]), int(sizes[place])
        count = item.__len__()
        if not -count <= start <= count or start < 0 > size and unit != "BYTE":
            raise when_run(f"pos {start} out of range for string {items[place]!r} at index {place}")
        start = start + count if start < 0 else start
        if size < 0:  # TF takes it for an unsigned number of bytes
            size = count if unit == "BYTE" else 0
        part = item[start : start + size]
        result[place] = part if unit == "BYTE" else part.encode()
    return host_constant(result)


@of_flat_values
@step("RegexFullMatch", like_first(dtypes.bool), of_stack=True)
def regex_full_match(input, pattern, name=None):
    """Whether each text as a whole matches a regular expression.

    Args:
      input: text, any shape.
      pattern: regular expression.
      name: ignored.

    Returns:
      bool tensor of that shape.

    Raises:
      tf.errors.InvalidArgumentError: the pattern is none.

    TF: `tf.strings.regex_full_match`; patterns are Python's, not RE2's.
    """
    return mapped(Pattern(encoded(pattern)).matches, texts(input), bool)


@of_flat_values
@step("RegexReplace", like_first(dtypes.string), of_stack=True)
def regex_replace(input, pattern, rewrite, replace_global=True, name=None):
    """Replaces what matches a regular expression.

    Args:
      input: text, any shape.
      pattern: regular expression.
      rewrite: the replacement, in which `\\1` to `\\9` are groups and `\\0` is all that matched.
      replace_global: whether all matches are replaced, or the first only.
      name: ignored.

    Returns:
      Tensor of text of that shape.

    Raises:
      tf.errors.InvalidArgumentError: the pattern is none.

    TF: `tf.strings.regex_replace`; patterns are Python's, not RE2's.
    """
    replaced = Pattern(encoded(pattern)).replacing(encoded(rewrite), 0 if replace_global else 1)
    return mapped(replaced, texts(input))


def _buckets(num_buckets, kernel):
    count = static_value(num_buckets)
    if count < 1:
        raise invalid(f"Value for attr 'num_buckets' of {count} must be at least minimum 1 [Op:{kernel}]")
    return count


@of_flat_values
@step("StringToHashBucket", like_first(dtypes.int64), of_stack=True)
def to_hash_bucket(input, num_buckets, name=None):
    """A number below `num_buckets` for each text, by a hash function.

    Args:
      input: text, any shape.
      num_buckets: positive integer.
      name: ignored.

    Returns:
      int64 tensor of that shape.

    Raises:
      tf.errors.InvalidArgumentError: `num_buckets` is not positive.

    TF: `tf.strings.to_hash_bucket`; no known difference.
    """
    count = _buckets(num_buckets, "StringToHashBucket")
    return mapped(lambda item: bucket_hash(item) % count, texts(input), np.int64)


@of_flat_values
@step("StringToHashBucketFast", like_first(dtypes.int64), of_stack=True)
def to_hash_bucket_fast(input, num_buckets, name=None):
    """A number below `num_buckets` for each text, by FarmHash.

    Args:
      input: text, any shape.
      num_buckets: positive integer.
      name: ignored.

    Returns:
      int64 tensor of that shape.

    Raises:
      tf.errors.InvalidArgumentError: `num_buckets` is not positive.

    TF: `tf.strings.to_hash_bucket_fast`; no known difference.
    """
    count = _buckets(num_buckets, "StringToHashBucketFast")
    return mapped(lambda item: fingerprint(item) % count, texts(input), np.int64)


@of_flat_values
@step("StringToHashBucketStrong", like_first(dtypes.int64), of_stack=True)
def to_hash_bucket_strong(input, num_buckets, key, name=None):
    """A number below `num_buckets` for each text, by SipHash with a secret key.

    Args:
      input: text, any shape.
      num_buckets: positive integer.
      key: two integers.
      name: ignored.

    Returns:
      int64 tensor of that shape.

    Raises:
      tf.errors.InvalidArgumentError: `num_buckets` is not positive, or a key of other length.

    TF: `tf.strings.to_hash_bucket_strong`; no known difference.
    """
    count, key = _buckets(num_buckets, "StringToHashBucketStrong"), static_value(key)
    if len(key) != 2:
        raise when_run("Key must have 2 elements")
    return mapped(lambda item: keyed_hash(item, key) % count, texts(input), np.int64)


_NUMBERS = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64)


def _floating(item):
    """The number that a text is in C: in decimal or hexadecimal digits."""
    sign, digits = (item.strip()[:1], item.strip()[1:]) if item.strip()[:1] in (b"+", b"-") else (b"", item.strip())
    return float.fromhex((sign + digits).decode()) if digits[:2].lower() == b"0x" else float(item)



def _numbers(new, input, out_type=dtypes.float32, name=None):
    return new(sizes_of(input), dtypes.as_dtype(out_type))


@of_flat_values
@step("StringToNumber", _numbers, of_stack=True)
def to_number(input, out_type=dtypes.float32, name=None):
    """The number that each text spells.

    Args:
      input: text, any shape.
      out_type: float32, float64, int32, int64, uint32 or uint64.
      name: ignored.

    Returns:
      Tensor of `out_type` of that shape.

    Raises:
      tf.errors.InvalidArgumentError: a text is no such number, or another dtype.

    TF: `tf.strings.to_number`; no known difference.
    """
    dtype = dtypes.as_dtype(out_type)
    if dtype not in _NUMBERS:
        names = ", ".join(d.name for d in _NUMBERS)
        raise invalid(f"Value for attr 'out_type' of {dtype.name} is not in the list of allowed values: {names}")

    def number(item):
        try:
            if b"_" in item:
                raise ValueError(item)
            value = _floating(item) if dtype.is_floating else int(item, 10)
            return dtype.np.type(value if dtype.is_floating else larger(value))
        except (ValueError, OverflowError):
            raise invalid(f"StringToNumberOp could not correctly convert string: {_decoded(item)}") from None

    return mapped(number, texts(input), dtype.np)


@of_flat_values
@step("AsString", like_first(dtypes.string), of_stack=True)
def as_string(input, precision=-1, scientific=False, shortest=False, width=-1, fill="", name=None):
    """Text of numbers.

    Args:
      input: numeric, bool or text tensor.
      precision: digits after the point; 6 if negative.
      scientific: whether to write an exponent.
      shortest: whether to take the shorter of both ways.
      width: least number of characters; -1 for none.
      fill: what fills up to `width`: "" or " " (blanks), "0", "-" (blanks behind) or "+" (a sign).
      name: ignored.

    Returns:
      Tensor of text of that shape.

    Raises:
      tf.errors.InvalidArgumentError: arguments that exclude each other, or a longer `fill`.
      tf.errors.UnimplementedError: the values are not known while a function is traced.

    TF: `tf.strings.as_string`; no known difference.
    """
    tensor = convert_to_tensor(input)
    dtype = tensor.dtype
    floating = dtype.is_floating or dtype.is_complex
    if scientific and shortest:
        raise invalid("Cannot select both scientific and shortest notation")
    if len(fill) > 1:
        raise invalid(f"Fill string must be one or fewer characters, got {fill!r}")
    if not floating:
        for option, is_set in (("scientific", scientific), ("shortest", shortest), ("precision", precision >= 0)):
            if is_set:
                raise invalid(f"{option} and format not supported for datatype {dtype.name}")
    kind = ("e" if scientific else "g" if shortest else "f") if floating else "d"
    digits = f".{precision}" if precision >= 0 else ""
    size = str(width) if width >= 0 else ""
    flag = "" if fill in ("+", " ") and dtype.is_unsigned else fill  # as printf has it
    template = f"%{flag}{size}{digits}{kind}"
    infinite = template.replace("%0", "%", 1)

    def shown(value):
        return (template if math.isfinite(value) else infinite) % value

    def text(value):
        if dtype == dtypes.string:
            return value
        if dtype.is_bool:
            return b"true" if value else b"false"
        if dtype.is_complex:
            return f"({shown(value.real)},{shown(value.imag)})".encode()
        return (shown(value) if floating else template % value).encode()

    return mapped(text, known_values(tensor, ADVICE))
