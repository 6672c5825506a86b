"""Functional models and their files are what tf_keras makes and reads."""

import tracemalloc

import pytest
from rows import check_row, load_rows, recorded_rows

import tfcompat as tf

RECORDED = recorded_rows("functional")
ROWS = load_rows("functional")


@pytest.mark.parametrize("name", ROWS)
def test_row(name):
    check_row(ROWS[name], RECORDED, tf)


def test_nothing_recorded_is_gone():
    assert RECORDED.keys() == ROWS.keys()


def test_five_unknown_sizes_are_multiplied():
    x = tf.keras.Input([None] * 4)
    assert tf.keras.layers.Lambda(lambda x: tf.boolean_mask(x, x > 0))(x).shape.as_list() == [None]


def test_trials_of_many_unknown_axes_take_little_memory():
    x = tf.keras.Input([None] * 3)
    layer = tf.keras.layers.Lambda(lambda x: tf.range(tf.reduce_sum(tf.cast(x > 0, tf.int32))))  # it needs values
    tracemalloc.start()
    try:
        assert layer(x).shape.as_list() == [None]
        assert tracemalloc.get_traced_memory()[1] < 200e6
    finally:
        tracemalloc.stop()
