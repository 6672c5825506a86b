"""Clusters that a scheduler has started: Slurm, which tells of them in the environment, and Kubernetes."""

import enum
import os
import re

from tfcompat._core import device as _device
from tfcompat.distribute._cluster import ClusterResolver, ClusterSpec


class SlurmClusterResolver(ClusterResolver):
    """The tasks of a Slurm step, as the environment variables `SLURM_...` tell of them.

    Args:
      jobs: dict from names of jobs to numbers of tasks; by default all tasks are workers.
      port_base: int, the port of the first task of each node.
      gpus_per_node: int; by default as many as `CUDA_VISIBLE_DEVICES` names, or this machine has.
      gpus_per_task: int; by default those of a node are divided.
      tasks_per_node: int, or dict from names of nodes to numbers of tasks; by default what Slurm says.
      auto_set_gpu: whether `cluster_spec` sets `CUDA_VISIBLE_DEVICES` to the GPUs of this task. JAX reads it when it
        starts.
      rpc_layer: str, put before addresses.

    Raises:
      RuntimeError: a variable is not there; there are fewer GPUs or tasks than asked for.
      ValueError: a variable is malformed.

    TF: `tf.distribute.cluster_resolver.SlurmClusterResolver`.
    """

    def __init__(self, jobs=None, port_base=8888, gpus_per_node=None, gpus_per_task=None, tasks_per_node=None,
                 auto_set_gpu=True, rpc_layer="grpc"):  # fmt: skip
        self._rank = int(_slurm("PROCID"))
        self._jobs = {"worker": int(_slurm("STEP_NUM_TASKS"))} if jobs is None else jobs
        if tasks_per_node is None:
            tasks_per_node = dict(zip(
                _hosts(_slurm("STEP_NODELIST")), _numbers(_slurm("STEP_TASKS_PER_NODE")), strict=False
            ))  # fmt: skip
        elif not isinstance(tasks_per_node, dict):
            tasks_per_node = dict.fromkeys(_hosts(_slurm("STEP_NODELIST")), int(tasks_per_node))
        self._nodes, self._port, self._sets_gpus, self.rpc_layer = tasks_per_node, port_base, auto_set_gpu, rpc_layer
        gpus = _number_of_gpus() if gpus_per_node is None else gpus_per_node
        most = max(tasks_per_node.values())
        self._gpus_per_task = gpus // most if gpus_per_task is None else gpus_per_task
        if most * self._gpus_per_task > gpus:
            raise RuntimeError("Requested more GPUs per node than available.")
        asked, assigned = sum(self._jobs.values()), sum(tasks_per_node.values())
        if asked != assigned:
            raise RuntimeError(f"Requested {asked} tasks but only {assigned} were assigned.")

    def cluster_spec(self):
        """The ClusterSpec; `task_type` and `task_id` are those of this process from then on."""
        tasks = [(host, n) for host, count in sorted(self._nodes.items()) for n in range(count)]
        addresses = [f"{host}:{self._port + n}" for host, n in tasks]
        cluster, first = {}, 0
        for job, count in sorted(self._jobs.items()):
            cluster[job] = addresses[first : first + count]
            if first <= self._rank < first + count:
                self.task_type, self.task_id = job, self._rank - first
            first += count
        if self._sets_gpus and self._gpus_per_task:
            gpu = tasks[self._rank][1] * self._gpus_per_task
            os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, range(gpu, gpu + self._gpus_per_task)))
        return ClusterSpec(cluster)

    def get_task_info(self):
        """(job, number) of this process; (None, None) before `cluster_spec`."""
        return self.task_type, self.task_id

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        """Dict with the number of GPUs of each task."""
        return {"GPU": self._gpus_per_task}


def _slurm(name):
    if f"SLURM_{name}" not in os.environ:
        raise RuntimeError(f"SLURM_{name} not found in environment. Not running inside a SLURM step?")
    return os.environ[f"SLURM_{name}"]


def _hosts(text):
    """The names in a list of Slurm's: `a[1-2,07],b` is a1, a2, a07 and b."""
    if not re.fullmatch(r"([^\[\],]*(\[[\d,-]+\])?)(,[^\[\],]+(\[[\d,-]+\])?|,\[[\d,-]+\])*", text):
        raise ValueError(f'Invalid hostlist format "{text}": expected names such as a[1-2,07],b')
    hosts = []
    for prefix, ranges in re.findall(r"([^\[\],]*)(?:\[([\d,-]+)\])?", text):
        for part in ranges.split(",") if ranges else ():
            first, _, last = part.partition("-")
            numbers = range(int(first), int(last or first) + 1)
            hosts += [f"{prefix}{n:0{len(first)}}" for n in numbers]
        hosts += [prefix] if prefix and not ranges else []
    return hosts


def _numbers(text):
    """The numbers in a list of Slurm's: `3(x2),1` is 3, 3 and 1."""
    if not re.fullmatch(r"\d+(\(x\d+\))?(,\d+(\(x\d+\))?)*", text):
        raise ValueError(f'Invalid tasks-per-node list format "{text}": expected numbers such as 3(x2),1')
    return [int(n) for n, times in re.findall(r"(\d+)(?:\(x(\d+)\))?", text) for _ in range(int(times or 1))]


def _number_of_gpus():
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    if named is not None:
        return len(named.split(","))
    return sum(platform == "GPU" for platform, _ in _device.logical_devices())


class KubernetesExecutableLocation(enum.Enum):
    """Whether the program runs in the cluster. TF: `tf.distribute.cluster_resolver.KubernetesExecutableLocation`."""

    WITHIN_CLUSTER = 0
    OFF_CLUSTER = 1


class KubernetesClusterResolver(ClusterResolver):
    """The pods that have certain labels. Set `task_type` and `task_id`, which Kubernetes does not tell.

    Args:
      job_to_label_mapping: dict from names of jobs to lists of label selectors; by default `job-name=tensorflow` for
        the workers.
      tf_server_port: int.
      rpc_layer: str, put before addresses.
      override_client: client of the package `kubernetes`, in place of its own.
      executable_location: KubernetesExecutableLocation, by which the package finds its configuration.

    Raises:
      ImportError: there is no client, and the package `kubernetes` is not installed.
      ValueError: no such location.

    TF: `tf.distribute.cluster_resolver.KubernetesClusterResolver`.
    """

    def __init__(self, job_to_label_mapping=None, tf_server_port=8470, rpc_layer="grpc", override_client=None,
                 executable_location=KubernetesExecutableLocation.WITHIN_CLUSTER):  # fmt: skip
        self._labels = job_to_label_mapping or {"worker": ["job-name=tensorflow"]}
        self._port, self.rpc_layer = tf_server_port, rpc_layer
        self._client = override_client or _kubernetes_client(KubernetesExecutableLocation(executable_location))

    def cluster_spec(self):
        """The ClusterSpec, asked for anew. Raises RuntimeError if a pod does not run."""
        return ClusterSpec({
            job: [f"{pod.status.host_ip}:{self._port}" for label in labels for pod in self._pods(label)]
            for job, labels in self._labels.items()
        })  # fmt: skip

    def _pods(self, label):
        pods = self._client.list_pod_for_all_namespaces(label_selector=label).items
        for pod in pods:
            if pod.status.phase != "Running":
                raise RuntimeError(f'Pod "{pod.metadata.name}" is not running; phase: "{pod.status.phase}"')
        return sorted(pods, key=lambda pod: pod.metadata.name)


def _kubernetes_client(location):
    try:
        from kubernetes import client, config  # pyright: ignore  # optional
    except ImportError:
        raise ImportError(
            "The Kubernetes Python client must be installed before using the Kubernetes Cluster Resolver. To install "
            "the Kubernetes Python client, run `pip install kubernetes` on your command line."
        ) from None
    if location is KubernetesExecutableLocation.OFF_CLUSTER:
        config.load_kube_config()
    else:
        config.load_incluster_config()
    return client.CoreV1Api()
