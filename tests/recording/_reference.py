"""Real TensorFlow. Nothing else in the tests imports it."""

import importlib
import os

ENVIRONMENT = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", "TF_ENABLE_ONEDNN_OPTS": "0"}


def tensorflow(**environment):
    """TensorFlow on one thread of the CPU, with Keras 2 as `tf.keras`, and with more variables of the environment."""
    os.environ.update({**ENVIRONMENT, "TF_USE_LEGACY_KERAS": "1", **environment})
    import tensorflow as tf

    # One thread, so that sums come out in the same order on each recording.
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.get_logger().setLevel("ERROR")
    return tf


def divide(tf, count):
    """Divides the CPU into several devices."""
    if count > 1:
        part = tf.config.LogicalDeviceConfiguration()
        tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [part] * count)


def inner(name):
    """The module `tensorflow.python.<name>`."""
    return importlib.import_module(f"tensorflow.python.{name}")


def forget():
    """Makes the next row the first: of messages that are logged a few times, and of scopes that rows of TF 1 leave."""
    inner("platform.tf_logging")._log_counter_per_token.clear()
    inner("framework.ops").reset_default_graph()


def versions():
    """What the recording was made with."""
    import numpy as np
    import tensorflow as tf
    import tf_keras

    return {"tensorflow": tf.__version__, "tf_keras": tf_keras.__version__, "numpy": np.__version__}
