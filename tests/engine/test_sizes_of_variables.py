"""Variables that may change their shape, in functions: each shape is traced for."""

import tfcompat as tf


def test_a_function_follows_the_shape_of_a_variable():
    variable = tf.Variable([1.0, 2.0], shape=[None])

    @tf.function
    def mean():
        return tf.reduce_sum(variable) / tf.cast(tf.shape(variable)[0], tf.float32), tf.ones(tf.shape(variable))

    outer = tf.function(lambda: mean()[0] * 2.0)
    for values in ([1.0, 2.0], [3.0, 4.0, 5.0], [1.0], [1.0, 4.0]):
        variable.assign(values)
        value, ones = mean()
        assert value.numpy() == sum(values) / len(values) and ones.numpy().tolist() == [1.0] * len(values)
        assert outer().numpy() == 2 * sum(values) / len(values)


def test_a_gradient_follows_the_shape_of_a_variable():
    variable = tf.Variable([[1.0]], shape=[None, 1])

    @tf.function
    def slope():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(variable**2)
        return tape.gradient(loss, variable)

    for rows in (1, 3):
        variable.assign(tf.ones([rows, 1]))
        assert slope().numpy().tolist() == [[2.0]] * rows
