"""Windows along one axis: their elements, and the sums of what they give back.

XLA computes what it fuses with a padded array by asking for each element whether it is padding, which takes 3 to 8
times as long on a CPU. So what windows at the edges see is computed by itself, and joined to the rest.
"""

import functools

import jax
import jax.numpy as jnp
from jax import lax


class Windows:
    """Where windows lie along axis `axis`, of `size` elements: `count` of them.

    Args:
      axis, size: the axis, and its elements.
      window, stride, dilation: elements of a window, from one window to the next, and from one element to the next.
      pad: pair of numbers: elements before and after the axis.
    """

    def __init__(self, axis, size, window, stride, dilation, pad):
        self.axis, self.size, self.window, self.stride, self.dilation = axis, size, window, stride, dilation
        self.before, after = pad
        self.padded = size + self.before + after
        self.count = max((self.padded - (window - 1) * dilation - 1) // stride + 1, 0)

    def reduced(self, fn, x, outside, *of_windows):
        """Joins `fn(elements, *of_windows)` of windows that have the same neighbours.

        Args:
          fn: function of a list of arrays, element after element of the windows, and of arrays with a number for
            each window, that returns such arrays.
          x: the array.
          outside: the number around it.
          *of_windows: arrays with a number for each window.
        """
        first = min(-(-self.before // self.stride), self.count)  # that does not begin in the padding
        reach = (self.window - 1) * self.dilation + 1
        last = min(max((self.size + self.before - reach) // self.stride + 1, first), self.count)

        def piece(start, stop):
            begin = start * self.stride - self.before
            places = [begin + place * self.dilation for place in range(self.window)]
            elements = [self._taken(x, place, stop - start, self.stride, outside) for place in places]
            return fn(elements, *(lax.slice_in_dim(y, start, stop, 1, self.axis) for y in of_windows))

        return self._joined([0, first, last, self.count], piece)

    def added(self, parts):
        """The transpose of taking the elements: each element of the axis gets what windows have for it.

        Args:
          parts: list of arrays, for element after element of the windows.
        """
        length = -(-self.padded // self.stride)
        phases = []  # elements of the axis at the same distance from the begin of a window
        for phase in range(self.stride):
            moved = []  # what they get, and from how many windows before
            for place, part in enumerate(parts):
                if place * self.dilation % self.stride == phase:
                    moved.append((place * self.dilation // self.stride, part))
            phases.append(self._sum(moved, length, parts[0]))
        total = phases[0]
        if self.stride > 1:
            total = lax.collapse(jnp.stack(phases, self.axis + 1), self.axis, self.axis + 2)
        return lax.slice_in_dim(total, self.before, self.before + self.size, 1, self.axis)

    def _sum(self, moved, length, like):
        furthest = max([by for by, _ in moved], default=0)

        def piece(start, stop):
            terms = [
                self._taken(part, start - by, stop - start, 1, 0)
                for by, part in moved
                if start - by < self.count and stop - by > 0
            ]
            shape = [stop - start if i == self.axis else n for i, n in enumerate(like.shape)]
            return functools.reduce(jnp.add, terms) if terms else jnp.zeros(shape, like.dtype)

        return self._joined([0, min(furthest, length), min(self.count, length), length], piece)

    def _taken(self, x, start, count, step, outside):
        """`count` elements of the axis, from `start` on, and what is outside of it."""
        size, last = x.shape[self.axis], start + (count - 1) * step
        before, after = max(-start, 0), max(last + 1 - size, 0)
        if before or after:
            x = lax.slice_in_dim(x, min(max(start, 0), size), max(min(last + 1, size), 0), 1, self.axis)
            pads = [(before, after, 0) if i == self.axis else (0, 0, 0) for i in range(x.ndim)]
            x = lax.pad(x, jnp.asarray(outside, x.dtype), pads)
            start, last = 0, last - start
        return lax.slice_in_dim(x, start, last + 1, step, self.axis)

    def _joined(self, cuts, piece):
        cuts = sorted(set(cuts))
        pieces = [piece(start, stop) for start, stop in zip(cuts, cuts[1:], strict=False)]
        return jax.tree.map(lambda *parts: parts[0] if len(parts) == 1 else lax.concatenate(parts, self.axis), *pieces)
