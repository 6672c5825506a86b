"""tensorflow/python/eager/monitoring.py: counts and values that a program keeps for those who watch it."""


class _Cell:
    """One value, for a combination of labels."""

    def __init__(self, first):
        self._value = first

    def value(self):
        return self._value

    def set(self, value):
        self._value = value

    def increase_by(self, value):
        self._value += value


class _Metric:
    """Cells by labels, as many as `labels` has names."""

    first: object = None

    def __init__(self, name, description, *labels):
        self._name, self._labels, self._cells = name, labels, {}

    def get_cell(self, *labels):
        """The cell of these labels; ValueError if there are more or fewer than the metric has."""
        if len(labels) != len(self._labels):
            raise ValueError(f"The {self._name} expects taking {len(self._labels)} labels")
        return self._cells.setdefault(labels, _Cell(self.first))


class Counter(_Metric):
    """Counts up."""

    first = 0


class IntGauge(_Metric):
    """Holds an integer."""

    first = 0


class StringGauge(_Metric):
    """Holds text."""

    first = ""


class BoolGauge(_Metric):
    """Holds True or False."""

    first = False
