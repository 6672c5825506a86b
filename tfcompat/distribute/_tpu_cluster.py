"""The resolver of a TPU, which is in this machine."""

import jax


class TPUClusterResolver:
    """The TPU of this machine, of which JAX knows.

    Args:
      tpu: None, "" or "local": there is no other.
      zone, project, coordinator_name, coordinator_address, service, discovery_url: must be None, they lead elsewhere.
      job_name, credentials: unused, they belong to these.

    Raises:
      ValueError: JAX has no TPU, or another one is meant. Programs that go on without a TPU catch it.

    TF: `tf.distribute.cluster_resolver.TPUClusterResolver`.
    """

    task_type, task_id = "worker", 0

    def __init__(self, tpu=None, zone=None, project=None, job_name="worker", coordinator_name=None,
                 coordinator_address=None, credentials="default", service=None, discovery_url=None):  # fmt: skip
        elsewhere = (zone, project, coordinator_name, coordinator_address, service, discovery_url)
        if tpu not in (None, "", "local") or any(x is not None for x in elsewhere):
            raise ValueError(
                f"tf.distribute.cluster_resolver.TPUClusterResolver: expected JAX's own TPU, got tpu={tpu!r} and "
                f"{[x for x in elsewhere if x is not None]}, which are elsewhere"
            )
        if jax.default_backend() != "tpu":
            raise ValueError("Please provide a TPU Name to connect to.")

    @classmethod
    def connect(cls, tpu=None, zone=None, project=None):
        """The resolver; there is nothing to connect to, and the TPU is ready."""
        return cls(tpu, zone, project)

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of the TPU's host: "", this process."""
        return ""

    def get_master(self):
        """As `master`."""
        return ""

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        """How many TPU devices there are, as a dict."""
        return {"TPU": jax.device_count()}

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        pass
