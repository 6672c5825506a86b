"""The models of `tf.keras.applications`, one file for each family, and what they share."""
