"""Clusters: which processes a program runs in, and how they find each other."""

import contextlib
import json
import os
import socket
import time
from typing import Any

import jax

from tfcompat import engine
from tfcompat._core import device as _device
from tfcompat.errors import DeadlineExceededError

TIMEOUT = 300  # seconds that processes wait for the others to come; TFCOMPAT_CLUSTER_TIMEOUT says otherwise


class ClusterSpec:
    """The addresses of the tasks of each job.

    Args:
      cluster: dict from names of jobs to lists of addresses, or to dicts from numbers to addresses; or a ClusterSpec.

    Raises:
      TypeError: something else.

    TF: `tf.train.ClusterSpec`, without protocol buffers.
    """

    def __init__(self, cluster):
        cluster = cluster._cluster if isinstance(cluster, ClusterSpec) else cluster
        if not isinstance(cluster, dict):
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or a "
                "`ClusterDef` protocol buffer"
            )
        self._cluster: dict = {}
        for job, tasks in cluster.items():
            if isinstance(tasks, list | tuple):
                tasks = dict(enumerate(tasks))
            if not isinstance(tasks, dict):
                raise TypeError(
                    f"The tasks for job {job!r} must be a list or a dictionary from integers to strings."
                )
            self._cluster[job] = dict(tasks)

    def as_dict(self):
        """Dict from jobs to lists of addresses, or to dicts where numbers are missing."""
        return {
            job: list(tasks.values()) if list(tasks) == list(range(len(tasks))) else dict(tasks)
            for job, tasks in self._cluster.items()
        }

    @property
    def jobs(self):
        """List of the names of the jobs."""
        return list(self._cluster)

    def _tasks(self, job):
        if job not in self._cluster:
            raise ValueError(f"No such job in cluster: {job!r}")
        return self._cluster[job]

    def num_tasks(self, job_name):
        """How many tasks a job has; ValueError for an unknown one, as from the methods below."""
        return len(self._tasks(job_name))

    def task_indices(self, job_name):
        """List of the numbers of a job's tasks."""
        return sorted(self._tasks(job_name))

    def task_address(self, job_name, task_index):
        """The address of a task."""
        tasks = self._tasks(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name):
        """List of the addresses of a job's tasks, None for missing ones."""
        tasks = self._tasks(job_name)
        return [tasks.get(n) for n in range(max(tasks, default=-1) + 1)]

    def __bool__(self):
        return bool(self._cluster)

    def __eq__(self, other):
        return isinstance(other, ClusterSpec) and self._cluster == other._cluster

    __hash__ = None  # pyright: ignore

    def __repr__(self):
        jobs = self.as_dict()
        return f"ClusterSpec({{{', '.join(f'{job!r}: {jobs[job]!r}' for job in sorted(jobs))}}})"


class ClusterResolver:
    """Says which tasks there are, and which of them this process is; to be subclassed.

    TF: `tf.distribute.cluster_resolver.ClusterResolver`.
    """

    task_type: Any = None
    task_id: Any = None
    rpc_layer: Any = None
    environment: Any = None

    def cluster_spec(self):
        """The ClusterSpec; for subclasses."""
        raise NotImplementedError

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of a task, by default of this one."""
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        if task_type is None or task_id is None:
            return ""
        return _with_layer(self.cluster_spec().task_address(task_type, task_id), rpc_layer or self.rpc_layer)

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        """How many accelerators of each kind a task has: those of this process."""
        counts: dict = {}
        for platform, _ in _device.logical_devices():
            if platform != "CPU":
                counts[platform] = counts.get(platform, 0) + 1
        return counts


def _with_layer(address, layer):
    return f"{layer}://{address}" if layer and address else address


class SimpleClusterResolver(ClusterResolver):
    """A cluster that is given.

    Args:
      cluster_spec: ClusterSpec.
      master: address that `master()` gives.
      task_type, task_id: which task this process is.
      environment: str.
      num_accelerators: dict from kinds to numbers.
      rpc_layer: str, put before addresses.

    Raises:
      TypeError: `cluster_spec` is no ClusterSpec.

    TF: `tf.distribute.cluster_resolver.SimpleClusterResolver`.
    """

    def __init__(self, cluster_spec, master="", task_type=None, task_id=None, environment="", num_accelerators=None,
                 rpc_layer=None):  # fmt: skip
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        self._spec, self._master, self._accelerators = cluster_spec, master, num_accelerators or {}
        self.task_type, self.task_id, self.environment, self.rpc_layer = task_type, task_id, environment, rpc_layer

    def cluster_spec(self):
        """The ClusterSpec."""
        return self._spec

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of a task; by default what was given."""
        if task_type is not None and task_id is not None:
            return super().master(task_type, task_id, rpc_layer)
        return _with_layer(self._master, rpc_layer or self.rpc_layer)

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        """What was given."""
        return self._accelerators


class TFConfigClusterResolver(ClusterResolver):
    """The cluster in the environment variable `TF_CONFIG`.

    Args:
      task_type, task_id, rpc_layer, environment: in place of what `TF_CONFIG` says.

    TF: `tf.distribute.cluster_resolver.TFConfigClusterResolver`.
    """

    def __init__(self, task_type=None, task_id=None, rpc_layer=None, environment=None):
        task = _tf_config().get("task", {})
        self.task_type = task_type or task.get("type")
        index = task.get("index") if task_id is None else task_id
        self.task_id = None if index is None else int(index)
        self.rpc_layer = rpc_layer or _tf_config().get("rpc_layer")
        self.environment = environment

    def cluster_spec(self):
        """The ClusterSpec; an empty one without `TF_CONFIG`."""
        return ClusterSpec(_tf_config().get("cluster", {}))


class UnionResolver(ClusterResolver):
    """Several clusters as one; the first says which task this process is, unless its attributes are set.

    Args:
      *args: ClusterResolvers.

    Raises:
      ValueError: there is none; a keyword argument.
      TypeError: something else.

    TF: `tf.distribute.cluster_resolver.UnionResolver`.
    """

    def __init__(self, *args, **kwargs):
        if kwargs:
            raise ValueError(f"Unexpected kwargs provided {kwargs!r}")
        if not args:
            raise ValueError("At least one ClusterResolver is required.")
        if not all(isinstance(resolver, ClusterResolver) for resolver in args):
            raise TypeError("All arguments must be a sub-class of `ClusterResolver.`")
        self._resolvers = args
        first = args[0]
        self.task_type, self.task_id, self.rpc_layer = first.task_type, first.task_id, first.rpc_layer
        self.environment = first.environment

    def cluster_spec(self):
        """The ClusterSpec of the tasks of all: lists are joined. Raises KeyError if two tasks have one number."""
        specs = [resolver.cluster_spec().as_dict() for resolver in self._resolvers]
        merged: dict = {}
        for job in dict.fromkeys(job for spec in specs for job in spec):
            parts = [spec[job] for spec in specs if job in spec]
            if all(isinstance(part, list) for part in parts):
                merged[job] = [task for part in parts for task in part]
                continue
            tasks: dict = {}
            for part in parts:
                part = dict(enumerate(part)) if isinstance(part, list) else part
                if tasks.keys() & part.keys():
                    raise KeyError(
                        f"Duplicate keys detected when merging two ClusterSpecs: {tasks.keys() & part.keys()!r}"
                    )
                tasks |= part
            merged[job] = tasks
        return ClusterSpec(merged)

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of a task; by default what the first one says."""
        first = self._resolvers[0]
        if task_type is None or task_id is None:
            return first.master(rpc_layer=rpc_layer)
        own = None if self.rpc_layer == first.rpc_layer else self.rpc_layer  # in TF, too, that of the first is not used
        return _with_layer(self.cluster_spec().task_address(task_type, task_id), rpc_layer or own)

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        """What the first one says."""
        return self._resolvers[0].num_accelerators(task_type, task_id, config_proto)


def _tf_config():
    return json.loads(os.environ.get("TF_CONFIG") or "{}")


def processes(resolver):
    """The addresses of the processes that have replicas, the chief first, and the number of this one.

    Raises:
      ValueError: this process is none of them.
    """
    jobs = resolver.cluster_spec().as_dict()
    tasks = [(job, n, address) for job in ("chief", "worker") for n, address in enumerate(jobs.get(job, ()))]
    if len(tasks) < 2:
        return [address for _, _, address in tasks], 0
    own = [n for n, (job, index, _) in enumerate(tasks) if (job, index) == (resolver.task_type, resolver.task_id)]
    if not own:
        raise ValueError(
            f"MultiWorkerMirroredStrategy: the task ({resolver.task_type!r}, {resolver.task_id!r}) of this process is "
            f"neither the chief nor a worker of the cluster {jobs}"
        )
    return [address for _, _, address in tasks], own[0]


def connect(addresses, number):
    """Starts JAX's distributed runtime: returns when all processes have come.

    A process that dies later ends the others: in at most as many seconds JAX terminates them, with a message.

    Args:
      addresses: of the processes; the first one's host and port are those of the coordinator.
      number: of this process.

    Raises:
      RuntimeError: operations have run.
      tf.errors.DeadlineExceededError: others have not come in time.
    """
    if jax.distributed.is_initialized():
        return
    if _device.has_started():
        raise RuntimeError("Collective ops must be configured at program startup")
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    timeout = engine.processes.timeout = int(os.environ.get("TFCOMPAT_CLUSTER_TIMEOUT") or TIMEOUT)
    missing = _meet(addresses, number, time.monotonic() + timeout)
    if missing:
        raise DeadlineExceededError(
            None, None,
            f"MultiWorkerMirroredStrategy: process {number} of {len(addresses)} has waited {timeout} s "
            f"(TFCOMPAT_CLUSTER_TIMEOUT) for {', '.join(missing)}. Is it running, with the same TF_CONFIG, and can it "
            f"reach {addresses[0]}?",
        )  # fmt: skip
    jax.distributed.initialize(
        addresses[0], len(addresses), number, initialization_timeout=timeout, heartbeat_timeout_seconds=timeout
    )


# JAX ends the process where one does not come, so the processes meet before it starts: each tells the first one its
# number, and is told when all have come, or which have not.


def _meet(addresses, number, deadline):
    """The addresses of processes that have not come before the deadline; [] if all have."""
    host, _, port = addresses[0].rpartition(":")
    if number:
        return _report(host, int(port), number, deadline, addresses)
    come: dict = {}
    with socket.create_server(("", int(port))) as server:
        try:
            while len(come) < len(addresses) - 1:
                server.settimeout(max(deadline - time.monotonic(), 0.01))
                connection, _ = server.accept()
                connection.settimeout(5)
                with contextlib.suppress(OSError, ValueError):
                    come[int(connection.recv(16))] = connection
        except TimeoutError:
            pass
    missing = [address for n, address in enumerate(addresses) if n and n not in come]
    for connection in come.values():
        with connection, contextlib.suppress(OSError):
            connection.sendall((",".join(missing) or "all").encode())
            connection.recv(1)  # the other side closes first, so the port is free
    return missing


def _report(host, port, number, deadline, addresses):
    while True:
        try:
            with socket.create_connection((host, port), timeout=5) as connection:
                connection.sendall(str(number).encode())
                connection.settimeout(max(deadline + 5 - time.monotonic(), 1))
                answer = connection.recv(4096).decode()
            if answer:
                return [] if answer == "all" else answer.split(",")
        except OSError:
            pass
        if time.monotonic() > deadline:
            return [addresses[0]]
        time.sleep(0.2)
