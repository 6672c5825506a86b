"""Writes what TensorFlow makes of the tables' expressions.

    python -m tests.tables.record [table ...]

By default all tables. To add a row, write the expression alone on a line, then run this.
"""

import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1", TF_ENABLE_ONEDNN_OPTS="0")

import tensorflow as tf
from tensorflow.python.framework.tensor import BoundedTensorSpec

from . import _table


def main(tables):
    names = _table.names(tf, Dimension=tf.compat.v1.Dimension, BoundedTensorSpec=BoundedTensorSpec)
    for table in tables or _table.tables():
        lines = []
        for line in _table.lines_of(table):
            expression, rest = _table.split(line)
            lines.append(
                rest if expression is None else f"{expression} {_table.outcome_of(expression, names)}"
            )
        _table.write(table, lines)


if __name__ == "__main__":
    main(sys.argv[1:])
