"""Cluster resolvers, and what they read from the environment."""

import json
import os

from rows import raised, row

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
