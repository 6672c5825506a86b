"""Calls with arguments that a type checker refuses. Each line that ends in `# wrong` is one."""

import tfcompat as tf

x = tf.ones([2, 3])
tf.matmul(x, None)  # wrong
tf.matmul(x, {"a": x})  # wrong
tf.matmul(x, x, transpose_b="yes")  # wrong
tf.add(x, lambda: 1)  # wrong
tf.reduce_sum(print)  # wrong
tf.reduce_sum(x, keepdims="yes")  # wrong
tf.cast(x, 1.5)  # wrong
tf.cast({1}, tf.int32)  # wrong
tf.exp(tf)  # wrong
tf.sqrt(x, name=3)  # wrong
tf.gather(x, object())  # wrong
tf.zeros([2], dtype=2.5)  # wrong
tf.nn.relu(object())  # wrong
tf.nn.softmax(x, name=1.5)  # wrong
tf.math.argmax({}, axis=0)  # wrong
tf.linalg.inv(None)  # wrong
tf.Variable(x, name=3)  # wrong
tf.keras.layers.Dense(2, use_bias="no")  # wrong
tf.keras.layers.Dense("two")  # wrong
tf.random.normal([2], seed="a")  # wrong
