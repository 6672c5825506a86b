"""What TensorFlow makes of the tables' expressions; parts are tables.

To add a row, write the expression alone on a line of the table, then record it.
"""

from tables import _table

from recording import _reference


def record(tf, options):
    bounded = _reference.inner("framework.tensor").BoundedTensorSpec
    names = _table.names(tf, Dimension=tf.compat.v1.Dimension, BoundedTensorSpec=bounded)
    for table in options.parts or _table.tables():
        lines = []
        for line in _table.lines_of(table):
            expression, rest = _table.split(line)
            lines.append(
                rest if expression is None else f"{expression} {_table.outcome_of(expression, names)}"
            )
        _table.write(table, lines)


def check(options):
    """Says which expressions have no outcome."""
    rows = [(table, *_table.split(line)) for table in _table.tables() for line in _table.lines_of(table)]
    return [f"tables: missing: {table}: {expression}" for table, expression, rest in rows if expression and not rest]
