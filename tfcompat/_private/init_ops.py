"""tensorflow/python/ops/init_ops.py: the initializers whose defaults are the same in TensorFlow 2."""
import tfcompat as _tf

Constant = constant_initializer = _tf.constant_initializer
Ones = ones_initializer = _tf.ones_initializer
Zeros = zeros_initializer = _tf.zeros_initializer
GlorotNormal = glorot_normal_initializer = _tf.initializers.GlorotNormal
GlorotUniform = glorot_uniform_initializer = _tf.initializers.GlorotUniform
