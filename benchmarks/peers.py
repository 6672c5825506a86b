"""What the workloads are timed on. A peer makes a step from a workload, and imports what it needs."""

import importlib.metadata


def _tfcompat(workload):
    import tfcompat

    return workload.make(tfcompat)


def _tfcompat_function(workload):
    import tfcompat

    step, arguments = workload.make(tfcompat)
    return tfcompat.function(step), arguments


def _tensorflow(workload):
    import tensorflow

    return workload.make(tensorflow)


def _tensorflow_function(workload):
    import tensorflow

    step, arguments = workload.make(tensorflow)
    return tensorflow.function(step), arguments


def _tensorflow_xla(workload):
    import tensorflow

    step, arguments = workload.make(tensorflow)
    return tensorflow.function(step, jit_compile=True), arguments


def _jax(workload):
    return workload.make_jax()


# By the name on the command line: title of the column, what makes the step.
PEERS = {
    "tfcompat": ("tfcompat, eager", _tfcompat),
    "tfcompat-function": ("tfcompat, tf.function", _tfcompat_function),
    "tf": ("TensorFlow, eager", _tensorflow),
    "tf-function": ("TensorFlow, tf.function", _tensorflow_function),
    "tf-xla": ("TensorFlow, tf.function(jit_compile=True)", _tensorflow_xla),
    "jax": ("hand-written jax.jit", _jax),
}
LIMIT = "jax"


def versions():
    """Of whatever is installed among the packages that matter here."""
    found = {}
    for package in ("tfcompat", "jax", "jaxlib", "numpy", "tensorflow", "tensorflow-cpu"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
