"""`tf.data`, `tf.io` and `tf.queue`, compared with TensorFlow."""
