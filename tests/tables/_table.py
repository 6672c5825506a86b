"""Tables of expressions and what TensorFlow makes of them.

A line of `<name>.txt` is `expression -> repr of its value` or `expression !! error type: message`; lines that
start with `#` are comments. In messages and values, `\\n` stands for a newline and `0x` for any address.
`record.py` writes what stands right of the arrow; tests evaluate the same expressions on tfcompat.
"""

import pathlib
import re

import numpy as np
from rows import with_pairs

from . import _definitions

_FOLDER = pathlib.Path(__file__).parent
_LINE = re.compile(r"(?P<expression>.*?) (?P<outcome>(->|!!) .*)")


def tfcompat_names():
    """The names that expressions may use, for tfcompat."""
    import tfcompat as tf
    from tfcompat._core.shape import Dimension
    from tfcompat._core.spec import BoundedTensorSpec

    return names(tf, Dimension=Dimension, BoundedTensorSpec=BoundedTensorSpec)


def names(tf, **others):
    """The names that expressions may use, for `tf`."""
    return {"tf": tf, "np": np, **_definitions.define(tf), **others}


def lines_of(table):
    """The lines of a table."""
    return (_FOLDER / f"{table}.txt").read_text(encoding="utf-8").splitlines()


def write(table, lines):
    """Replaces a table."""
    (_FOLDER / f"{table}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def tables():
    """The names of all tables."""
    return sorted(path.stem for path in _FOLDER.glob("*.txt"))


def split(line):
    """(expression, outcome) of a line; (None, line) for a comment; the outcome is "" if none is recorded."""
    if not line or line.startswith("#"):
        return None, line
    match = _LINE.fullmatch(line)
    return (match["expression"], match["outcome"]) if match else (line, "")


def parametrize(table):
    """Decorator that runs a test with `expression` and `outcome` of each line of a table."""
    import pytest  # only tests need it, not the recorder

    rows = [split(line) for line in lines_of(table)]
    rows = [pytest.param(*row, id=row[0]) for row in rows if row[0] is not None]
    return pytest.mark.parametrize(("expression", "outcome"), rows)


def outcome_of(expression, names):
    """What a line of a table says right of the expression."""
    try:
        text = f"-> {eval(expression, dict(names))!r}"
    except Exception as error:
        text = f"!! {type(error).__name__}: {error}"
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    text = with_pairs(text)
    return text.replace("\\", "\\\\").replace("\n", "\\n")
