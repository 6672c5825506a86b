"""Cluster resolvers, and what they read from the environment."""

import json
import os
import types

from rows import raised, row, row_for

CONFIG = {
    "cluster": {"worker": ["a:1", "b:2"], "ps": ["c:3"]}, "task": {"type": "worker", "index": 1},
    "rpc_layer": "grpc+x",
}  # fmt: skip


def _with_config(config, call):
    before = os.environ.pop("TF_CONFIG", None)
    if config is not None:
        os.environ["TF_CONFIG"] = json.dumps(config)
    try:
        return call()
    finally:
        os.environ.pop("TF_CONFIG", None)
        if before is not None:
            os.environ["TF_CONFIG"] = before


def _told(resolver):
    result = [str(resolver.cluster_spec()), resolver.master(), resolver.task_type, resolver.task_id]
    result += [resolver.rpc_layer, resolver.environment, dict(resolver.num_accelerators())]
    if resolver.cluster_spec():
        result += [resolver.master("worker", 1), resolver.master("worker", 1, rpc_layer="x")]
    return result


@row
def specs(tf):
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "chief": {3: "z:1"}})
    return (
        str(spec), repr(spec), spec.jobs, spec.num_tasks("worker"), list(spec.task_indices("chief")),
        spec.task_address("worker", 1), spec.job_tasks("worker"), bool(spec), bool(tf.train.ClusterSpec({})),
        spec == tf.train.ClusterSpec(spec), spec.as_dict()["worker"], str(spec.as_dict()["chief"]),
        raised(lambda: spec.task_address("worker", 5), "No task with index 5 in job 'worker'"),
        raised(lambda: spec.num_tasks("q"), "No such job in cluster: 'q'"),
        raised(lambda: tf.train.ClusterSpec(3), "`cluster` must be a dictionary mapping one or more job names"),
        raised(lambda: tf.train.ClusterSpec({"a": 3}), "The tasks for job 'a' must be a list or a dictionary"),
    )  # fmt: skip


@row
def without_a_configuration(tf):
    return _with_config(None, lambda: _told(tf.distribute.cluster_resolver.TFConfigClusterResolver()))


@row
def with_a_configuration(tf):
    make = tf.distribute.cluster_resolver.TFConfigClusterResolver
    return (
        _with_config(CONFIG, lambda: _told(make())),
        _with_config(CONFIG, lambda: _told(make(task_type="ps", task_id=0, rpc_layer="q"))),
    )  # fmt: skip


@row
def simple_ones(tf):
    make, spec = tf.distribute.cluster_resolver.SimpleClusterResolver, tf.train.ClusterSpec({"worker": ["a:1", "b:2"]})
    return (
        _told(make(spec)), raised(lambda: make(3), "cluster_spec must be a `tf.train.ClusterSpec`."),
        _told(make(spec, master="m", task_type="worker", task_id=0, rpc_layer="grpc", environment="e",
                   num_accelerators={"GPU": 2})),
    )  # fmt: skip


@row
def unions(tf):
    resolvers, spec = tf.distribute.cluster_resolver, tf.train.ClusterSpec
    simple = resolvers.SimpleClusterResolver
    one = simple(spec({"worker": ["a:1"], "ps": ["c:3"]}), "m", "worker", 0, rpc_layer="grpc")
    other, named = simple(spec({"worker": ["b:2", "d:4"]})), simple(spec({"worker": {5: "e:5"}}))
    both = resolvers.UnionResolver(one, other)
    result = str(both.cluster_spec()), both.master(), both.master("worker", 1), both.task_type, both.task_id
    both.task_type, both.task_id = "worker", 2
    return (
        result, both.task_type, both.task_id, both.rpc_layer,
        str(resolvers.UnionResolver(one, named).cluster_spec()),
        raised(lambda: resolvers.UnionResolver(named, named).cluster_spec(), "Duplicate keys detected when merging"),
        raised(lambda: resolvers.UnionResolver(), "At least one ClusterResolver is required."),
        raised(lambda: resolvers.UnionResolver(3), "All arguments must be a sub-class of `ClusterResolver.`"),
        raised(lambda: resolvers.UnionResolver(one, a=3), "Unexpected kwargs provided"),
    )  # fmt: skip


def _in_slurm(variables, call):
    variables = {f"SLURM_{name}": value for name, value in variables.items()}
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        return call()
    finally:
        os.environ.clear()
        os.environ.update(before)


STEP = {"PROCID": "3", "STEP_NUM_TASKS": "5", "STEP_NODELIST": "n[1-2],m5", "STEP_TASKS_PER_NODE": "2(x2),1"}


@row_for(
    nodes=["n[1-2],m5", "n[08-10]", "a,b[1,3],c", "[1-3]", "n[1-2],,m", "n[1", "n[1-2]x"], tasks=["2(x2),1", "1,x"]
)
def slurm_lists(tf, nodes, tasks):
    def told():
        resolver = tf.distribute.cluster_resolver.SlurmClusterResolver(
            {"worker": 5}, gpus_per_node=2, gpus_per_task=1, auto_set_gpu=False
        )
        return str(resolver.cluster_spec())

    step = STEP | {"STEP_NODELIST": nodes, "STEP_TASKS_PER_NODE": tasks}
    if tasks == "1,x":
        return raised(lambda: _in_slurm(step, told))
    if nodes in ("n[1-2],m5", "n[08-10]"):
        return _in_slurm(step, told)
    return raised(lambda: _in_slurm(step, told))


@row
def slurm(tf):
    make = tf.distribute.cluster_resolver.SlurmClusterResolver

    def told(**kwargs):
        resolver = make(gpus_per_node=4, **kwargs)
        before = resolver.get_task_info()
        spec = str(resolver.cluster_spec())
        return (
            before, spec, resolver.get_task_info(), resolver.master(), resolver.master("worker", 0, rpc_layer="x"),
            resolver.num_accelerators(), os.environ.get("CUDA_VISIBLE_DEVICES"),
        )  # fmt: skip

    return (
        _in_slurm(STEP, told), _in_slurm(STEP, lambda: told(jobs={"worker": 4, "chief": 1}, port_base=1)),
        _in_slurm(STEP, lambda: told(gpus_per_task=1, rpc_layer="")),
        _in_slurm(STEP | {"PROCID": "1"}, lambda: told(
            jobs={"worker": 2}, tasks_per_node={"b": 1, "a": 1}, gpus_per_task=2
        )),
        _in_slurm(STEP, lambda: told(jobs={"worker": 6}, tasks_per_node=2)),
        raised(lambda: _in_slurm(STEP, lambda: told(gpus_per_task=3)), "Requested more GPUs per node than available."),
        raised(lambda: _in_slurm(STEP, lambda: told(jobs={"worker": 2})), "Requested 2 tasks but only 5 were assigned"),
        raised(lambda: told(), "SLURM_PROCID not found in environment. Not running inside a SLURM step?"),
    )  # fmt: skip


class _Pods:
    """A client of Kubernetes."""

    def __init__(self, phase):
        self._phase = phase

    def list_pod_for_all_namespaces(self, label_selector):
        status = types.SimpleNamespace
        return types.SimpleNamespace(items=[
            types.SimpleNamespace(
                metadata=status(name=f"{label_selector}-{n}"), status=status(phase=self._phase, host_ip=f"10.0.0.{n}")
            )
            for n in (2, 1)
        ])  # fmt: skip


@row
def kubernetes(tf):
    make = tf.distribute.cluster_resolver.KubernetesClusterResolver
    resolver = make({"worker": ["a", "b"], "ps": ["c"]}, override_client=_Pods("Running"))
    before = resolver.task_type, resolver.task_id, resolver.rpc_layer, resolver.master()
    resolver.task_type, resolver.task_id = "worker", 1
    location = tf.distribute.cluster_resolver.KubernetesExecutableLocation
    return (
        before, str(resolver.cluster_spec()), resolver.master(), resolver.master("ps", 0, rpc_layer="x"),
        str(make(tf_server_port=1, override_client=_Pods("Running")).cluster_spec()),
        raised(lambda: make(override_client=_Pods("Pending")).cluster_spec(), "is not running; phase: \"Pending\""),
        raised(lambda: make(), "The Kubernetes Python client must be installed"), location.OFF_CLUSTER.value,
    )  # fmt: skip
