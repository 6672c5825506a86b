"""Regular expressions: those of RE2, which TF has, by Python's `re`.

Both match characters of UTF-8. Bytes that are none are characters of their own here, which no pattern names.
"""

import re

from tfcompat.array._arguments import invalid

_ERRORS = "surrogateescape"
_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": "\x00-\x7f", "blank": "\t ", "cntrl": "\x00-\x1f\x7f",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~", "space": "\t-\r ",
    "upper": "A-Z", "word": "0-9A-Z_a-z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_NAMED = re.compile(rf"\[:(\^?)({'|'.join(_CLASSES)}):\]")
_IGNORES_CASE = re.compile(r"\(\?[a-zA-Z]*i")


class Pattern:
    """A compiled regular expression of bytes.

    Raises:
      tf.errors.InvalidArgumentError: it is none.
    """

    def __init__(self, pattern):
        text = _decoded(pattern)
        # \d, \w, \s and \b mean ASCII characters in RE2; ignoring case is not limited to these.
        flags = re.NOFLAG if _IGNORES_CASE.search(text) and not text.isascii() else re.ASCII
        try:
            self._compiled = re.compile(_translated(text), flags)
        except re.error as error:
            raise invalid(f"Invalid pattern: {text}, error: {error}") from None

    def matches(self, item):
        """Whether the bytes as a whole match."""
        return self._compiled.fullmatch(_decoded(item)) is not None

    def replacing(self, rewrite, at_most):
        """A function of bytes that replaces `at_most` so many matches (0: all) by `rewrite`, where `\\1` is a group."""
        parts = re.split(r"\\([0-9\\])", _decoded(rewrite))

        def replacement(match):
            return "".join([part if n % 2 == 0 else _group(match, part) for n, part in enumerate(parts)])

        return lambda item: _encoded(self._compiled.sub(replacement, _decoded(item), at_most))


def _group(match, number):
    return number if number == "\\" else match.group(int(number)) or ""


def _translated(text):
    return _NAMED.sub(_of_class, text.replace(r"\pN", r"\d").replace(r"\z", r"\Z"))


def _of_class(match):
    """The characters of a named class, for a set in brackets."""
    negated, name = match.groups()
    ranges = _CLASSES[name]
    if negated:
        inside = re.compile(f"[{ranges}]")
        outside = [chr(code) for code in range(128) if not inside.match(chr(code))]
        return "".join(map(_escaped, outside)) + "\x80-\U0010ffff"
    return ranges


def _escaped(character):
    return "\\" + character if character in r"\]^-[" else character


def _decoded(item):
    return item.decode("utf-8", _ERRORS)


def _encoded(text):
    return text.encode("utf-8", _ERRORS)
