"""That functions of text are computed for blocks of elements, not called for each."""

import pytest

import tfcompat as tf
from tfcompat import engine
from tfcompat.engine._policy import DATASETS


def _parsed(x):
    return tf.strings.to_number(tf.strings.split(x)[-1], tf.int32)


@pytest.mark.parametrize(
    "function, in_blocks",
    [
        (tf.strings.lower, True),
        (lambda x: tf.where(tf.equal(x, "a 1"), 1.0, 0.0), True),
        (lambda x: tf.reshape(tf.io.decode_raw(x, tf.uint8)[:2], [2, 1]), True),
        (_parsed, True),
        (lambda x: tf.py_function(lambda y: y, [x], tf.string), False),
        (lambda x: tf.strings.length(x) + tf.random.uniform([], 0, 9, tf.int32), True),
    ],
)
def test_how_a_function_of_text_is_computed(function, in_blocks):
    count = 20 * DATASETS.elements_of_a_shape
    dataset = tf.data.Dataset.from_tensor_slices([f"a {i % 9}" for i in range(count)]).map(function)
    assert len(list(dataset)) == count
    assert dataset._mapped.is_called != in_blocks
    assert any(traced.columns for traced in dataset._mapped._traces.values()) == in_blocks


@pytest.mark.parametrize("function", [lambda x: x / 255.0, lambda x: 1.0 - x, lambda x: tf.add(x, x)])
def test_a_function_that_is_called_runs_no_program_though_its_ops_are_known(function):
    picture = tf.io.encode_png(tf.zeros([2, 3, 1], tf.uint8)).numpy()
    dataset = tf.data.Dataset.from_tensor_slices([picture] * (4 * DATASETS.elements_of_a_shape)).map(
        lambda x: function(tf.cast(tf.io.decode_png(x), tf.float32))
    )
    function(tf.zeros([2, 3, 1])).numpy()
    before = engine.stats()["programs_run"]
    assert len([x.numpy() for x in dataset]) == 4 * DATASETS.elements_of_a_shape
    assert engine.stats()["programs_run"] == before
