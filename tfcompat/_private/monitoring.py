"""tensorflow/python/eager/monitoring.py: counts and states that a program keeps of itself. Nothing collects them."""


class _Cell:
    def __init__(self, value):
        self._value = value

    def set(self, value):
        """Replaces the value."""
        self._value = value

    def increase_by(self, value):
        """Adds to the value."""
        self._value += value

    def value(self):
        """The value."""
        return self._value


class _Metric:
    _first = 0

    def __init__(self, name, description, *labels):
        self._name, self._labels, self._cells = name, labels, {}

    def get_cell(self, *labels):
        """What is kept for these values of the labels.

        Raises:
          ValueError: another number of them than of labels.
        """
        if len(labels) != len(self._labels):
            raise ValueError(f"The {self._name} expects taking {len(self._labels)} labels, but got {len(labels)}.")
        return self._cells.setdefault(labels, _Cell(self._first))


class Counter(_Metric):
    """Counts by label."""


class IntGauge(_Metric):
    """Ints by label."""


class StringGauge(_Metric):
    """Texts by label."""

    _first = ""


class BoolGauge(_Metric):
    """Bools by label."""

    _first = False
