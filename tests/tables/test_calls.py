"""Tables of calls of all kinds: what they give, or the class of what they raise."""

import sys

import pytest
from _sampling import one_in

from tables import _table
from tfcompat import _native

TABLES = [
    "arguments", "memory", "python_functions", "ragged", "ragged_shapes", "refused_calls", "refused_ways", "seeds",
    "small_dtypes", "variables",
]  # fmt: skip

SAMPLED = {"refused_ways"}  # each row is called in many ways


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("table", TABLES)
def test_calls_give_what_they_give_in_tensorflow(table):
    if table == "memory" and _native.compiled is None and sys.version_info < (3, 12):
        pytest.skip("tensors have no buffers without the compiled parts")
    names = _table.tfcompat_names()
    rows = [_table.split(line) for line in _table.lines_of(table)]
    rows = [(expression, outcome) for expression, outcome in rows if expression is not None]
    if table in SAMPLED:
        rows = rows[:: one_in(8)]
    assert rows
    answers = [(expression, _table.outcome_of(expression, names), outcome) for expression, outcome in rows]
    assert [answer for answer in answers if answer[1] != answer[2]] == []
