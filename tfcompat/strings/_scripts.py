"""`tf.strings.unicode_script`: which script characters belong to, by a table that ships with the package."""

import functools
import importlib.resources

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values
from tfcompat._core.steps import like_first, step
from tfcompat.errors import InvalidArgumentError
from tfcompat.strings._elementwise import ADVICE, of_flat_values


@functools.cache
def _ranges():
    """Arrays: the first characters of ranges of one script, and the script of each."""
    text = importlib.resources.files("tfcompat.strings").joinpath("scripts.txt").read_text(encoding="utf-8")
    rows = [line.split() for line in text.splitlines()]
    return np.array([int(first, 16) for first, _ in rows]), np.array([script for _, script in rows], np.int32)


@of_flat_values
@step("UnicodeScript", like_first(dtypes.int32))
def unicode_script(input, name=None):
    """The script of each character.

    Args:
      input: int32 tensor or ragged tensor of the numbers of characters.
      name: unused.

    Returns:
      int32 tensor of that shape: ICU's numbers of scripts; -1 where there is no such character.

    Raises:
      tf.errors.InvalidArgumentError: a tensor of another dtype.

    TF: `tf.strings.unicode_script`; the table is that of TensorFlow 2.21.
    """
    input = convert_to_tensor(input)
    if input.dtype is not dtypes.int32:
        raise InvalidArgumentError(None, None, f"`input` must be an int32 tensor, got {input.dtype.name}")
    points = known_values(input, ADVICE)
    first, scripts = _ranges()
    known = scripts[np.searchsorted(first, points.clip(0), side="right") - 1]
    return host_constant(np.where((points < 0) | (points > 0x10FFFF), np.int32(-1), known))
