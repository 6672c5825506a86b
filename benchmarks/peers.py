"""What the workloads are timed on. A peer makes a step from a workload, and imports what it needs."""

import dataclasses
import importlib.metadata
import os
from collections.abc import Callable


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


def _torch(workload):
    import torch  # noqa: F401, not installed is a better reason than not written

    return workload.make_torch()


@dataclasses.dataclass(frozen=True)
class Peer:
    title: str
    framework: str
    make: Callable


# By the name on the command line.
PEERS = {
    "tfcompat": Peer("tfcompat, eager", "tfcompat", _tfcompat),
    "tfcompat-function": Peer("tfcompat, tf.function", "tfcompat", _tfcompat_function),
    "tf": Peer("TensorFlow, eager", "tensorflow", _tensorflow),
    "tf-function": Peer("TensorFlow, tf.function", "tensorflow", _tensorflow_function),
    "tf-xla": Peer("TensorFlow, tf.function(jit_compile=True)", "tensorflow", _tensorflow_xla),
    "torch": Peer("PyTorch, eager", "torch", _torch),
    "jax": Peer("hand-written jax.jit", "jax", _jax),
}
LIMIT = "jax"


def programs_compiled(peer):
    """How many programs and kernels tfcompat has compiled in this process; None for other peers."""
    if PEERS[peer].framework != "tfcompat":
        return None
    from tfcompat import engine

    counters = engine.stats()
    return counters["programs_compiled"] + counters["kernels_compiled"]


def device(peer):
    """What the peer computes on, in words."""
    framework = PEERS[peer].framework
    if framework == "tensorflow":
        import tensorflow

        found = tensorflow.config.list_physical_devices("GPU")
        return tensorflow.config.experimental.get_device_details(found[0])["device_name"] if found else "cpu"
    if framework == "torch":
        return "cpu"
    import jax

    return jax.devices()[0].device_kind


def environment():
    """Variables of every process that is measured: TensorFlow without chatter and with Keras 2, modules compiled."""
    given = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_USE_LEGACY_KERAS": "1", **given}


def versions():
    """Of whatever is installed among the packages that matter here."""
    found = {}
    for package in ("tfcompat", "jax", "jaxlib", "numpy", "tensorflow", "tensorflow-cpu", "torch"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
