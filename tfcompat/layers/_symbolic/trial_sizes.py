"""The sizes that stand for unknown ones while a layer is traced for the shapes of its outputs."""

import re
from typing import Any, NamedTuple

from tfcompat.layers._symbolic.samples import are_few, elements

# Outputs that differ between the two trials depend on unknown sizes. They have many divisors, so that
# reshapes find whole numbers, and occur nowhere else, so that messages can say None in their place.
SIZES = (20160, 10080)
PLAIN_SIZES = (60, 84)  # where a layer must be computed
FEW = ((504, 480), (60, 48), (12, 8), (4, 2))  # where others clash with known ones: `positions[: tf.shape(x)[1]]`
_MOST_ELEMENTS = 1 << 21  # of a tensor in place of a KerasTensor, where a layer must be computed
# A bound on the search, which grows with every unknown axis.
MOST_TRIALS = 48
# Sizes in the arguments of a message are no reason for an error, so what follows this is not searched.
_ARGUMENTS = "\n\nCall arguments received by"


class Tried(NamedTuple):
    """The stand-ins for unknown sizes and texts in each of two trials.

    Args:
      sizes: for unknown sizes, one for each trial.
      texts: for texts, one for each trial.
      known: by (id of a KerasTensor, axis), unknown sizes that can have only one value: `x + tf.ones([16, 2])`.
    """

    sizes: Any
    texts: Any
    known: Any = {}

    def shape(self, x, shape, trial):
        """A shape of a KerasTensor, or of its mask, as a list of ints."""
        size = self.sizes[trial]
        return [self.known.get((id(x), axis), size) if n is None else n for axis, n in enumerate(shape.as_list())]

    def sample(self, x, trial):
        """The value of a KerasTensor that sizes determine; between the trial sizes it is interpolated."""
        if self.sizes is SIZES:
            return x._samples[trial]
        return between(x._samples, SIZES, self.sizes[trial])

    def is_named(self, error):
        """Whether a size that was tried, or a multiple, is in the text of an error."""
        return _names(error, self.sizes) or _names(error, PLAIN_SIZES)

    def narrowed(self, symbols, error):
        """What else to try after `error`: one more unknown size, or all at one axis, is one that the error names."""
        if not self.is_named(error):
            return []
        sizes = SIZES if _names(error, SIZES) else PLAIN_SIZES
        others = [n for n in dict.fromkeys(_numbers(error)) if n > 1 and all(n % size for size in sizes)]
        return [
            self._replace(known={**self.known, **dict.fromkeys(group, n)})
            for group in self._groups(symbols) for n in others
        ]

    def alike(self, symbols):
        """What else to try first: unknown sizes are those that another KerasTensor of that rank has at the axis."""
        shapes = [(x, x.shape.as_list()) for x in symbols if x._samples is None]
        known = {
            (id(x), axis): other[axis]
            for x, shape in shapes for axis, n in enumerate(shape) if n is None
            for _, other in shapes if len(other) == len(shape) and other[axis] is not None
        }  # fmt: skip
        return [self._replace(known=known)] if known else []

    def ones(self, symbols):
        """What else to try where nothing else does: one unknown size, or all at one axis, is 1 (`tf.squeeze(x, 0)`)."""
        return [self._replace(known=dict.fromkeys(group, 1)) for group in self._groups(symbols)]

    def _groups(self, symbols):
        """The places of sizes that are not known yet: each by itself, then all of an axis, then all."""
        free = [
            (id(x), axis)
            for x in {id(x): x for x in symbols if x._samples is None}.values()
            for axis, n in enumerate(x.shape.as_list())
            if n is None and (id(x), axis) not in self.known
        ]
        together = [[place for place in free if place[1] == axis] for axis in {axis: 0 for _, axis in free}]
        if len(together) > 1:
            together.append(free)
        return [[place] for place in free] + [places for places in together if len(places) > 1]


def _names(error, sizes):
    return any(n and n % size == 0 for n in _numbers(error) for size in sizes)


def _numbers(error):
    return [int(n) for n in re.findall(r"(?<![\w.])\d+(?!\w|\.\d)", str(error).partition(_ARGUMENTS)[0])]


def first_tried(symbols, texts):
    """What to try first, a list: the usual sizes, with each pair of texts."""
    usual = are_few(symbols, SIZES[0]) and elements(symbols, SIZES[0]) < 1 << 62  # their product is a size, too
    sizes = SIZES if usual else PLAIN_SIZES
    return [Tried(sizes, pair) for pair in texts]


def plain_sizes(symbols):
    """The sizes for a layer that must be computed: smaller ones where there are many unknown axes."""
    pairs = (PLAIN_SIZES, *FEW)
    return next((pair for pair in pairs if elements(symbols, max(pair)) <= _MOST_ELEMENTS), PLAIN_SIZES)


def between(samples, sizes, size):
    """Integers for `size`, interpolated between the two `samples` for two `sizes`."""
    first, second = samples
    return (first + (size - sizes[0]) * (second - first) // (sizes[1] - sizes[0])).astype(first.dtype)
