"""`tf.function` in its forms."""

from typing import reveal_type

import tfcompat as tf


@tf.function
def double(x: tf.Tensor, times: int = 1) -> tf.Tensor:
    for _ in tf.range(times):
        x = x * 2
    return x


@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, name="x")], jit_compile=True)
def total(x):
    return tf.reduce_sum(x)


class Counter(tf.Module):
    def __init__(self):
        super().__init__(name="counter")
        self.count = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def advance(self, by: tf.Tensor) -> tf.Tensor:
        self.count.assign_add(tf.cast(by, tf.int64))
        return self.count.read_value()


counter = Counter()
concrete = total.get_concrete_function()
print(double(tf.ones([2]), times=3), total(tf.ones([2, 3])), concrete(tf.ones([1, 3])), counter.advance(tf.constant(1)))
print(double.experimental_get_tracing_count(), tf.function(lambda x: x + 1)(tf.ones([])), counter.variables)
chosen = tf.cond(tf.constant(True), lambda: tf.ones([]), lambda: tf.zeros([]))
looped = tf.while_loop(lambda i: i < 3, lambda i: (i + 1,), (tf.constant(0),))
mapped = tf.map_fn(lambda x: x * 2, tf.ones([3]), fn_output_signature=tf.float32)
print(chosen, looped, mapped)
reveal_type(double(tf.ones([2])))  # Tensor
reveal_type(total(tf.ones([2, 3])))  # Tensor
reveal_type(counter.advance(tf.constant(1)))  # Tensor
