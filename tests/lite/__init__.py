"""`tf.lite`."""
