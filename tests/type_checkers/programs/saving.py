"""Saved models."""

from typing import reveal_type

import tfcompat as tf


class Adder(tf.Module):
    def __init__(self):
        self.offset = tf.Variable(1.0)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def __call__(self, x):
        return x + self.offset


adder = Adder()
tf.saved_model.save(adder, "folder", signatures={"serving_default": adder.__call__})
loaded = tf.saved_model.load("folder")
print(loaded.signatures["serving_default"](tf.ones([2])), loaded.offset)
options = tf.saved_model.SaveOptions(namespace_whitelist=[])
tf.io.write_file("text", tf.io.serialize_tensor(tf.ones([2])))
print(tf.io.parse_tensor(tf.io.read_file("text"), tf.float32), tf.io.gfile.exists("text"), options)
example = tf.train.Example(
    features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1]))})
)
print(tf.io.parse_single_example(example.SerializeToString(), {"a": tf.io.FixedLenFeature([], tf.int64)}))
reveal_type(tf.io.parse_tensor(tf.io.read_file("text"), tf.float32))  # Tensor
reveal_type(adder.offset)  # Variable
