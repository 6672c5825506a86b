"""tensorflow/python/ops/control_flow_ops.py, with what it had before TensorFlow 2.13."""
import tfcompat as _tf

Assert = _tf.Assert
case = _tf.case
cond = _tf.cond
switch_case = _tf.switch_case
tuple = _tf.tuple  # noqa: A001


def with_dependencies(dependencies, output_tensor, name=None):
    """`output_tensor`, after what `dependencies` do."""
    with _tf.control_dependencies(dependencies):
        return _tf.identity(output_tensor, name=name)
