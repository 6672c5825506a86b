"""The few names from inside TensorFlow that other public packages import.

`tensorflow.python` and its like are no API, and tfcompat has nothing of the kind. Some widely used packages
(TensorFlow Probability, GPflow, Keras 3) import helpers from there all the same, mostly functions that mean something
without TensorFlow. `TABLE` says which module answers for which. Programs import public functions by their inner names:
public_names.json says which these are, in modules of the table, too. Everything else stays missing.
"""
import functools
import importlib
import importlib.resources
import json
import operator
from types import ModuleType

import tfcompat

_HERE = __name__
_MADE = {}

# Name below `tensorflow.` -> module of this folder, or another package that has all modules of that name.
TABLE = {
    "compiler.tf2xla.python.xla": "xla",
    "core.framework.attr_value_pb2": "graph_messages",
    "core.framework.graph_pb2": "graph_messages",
    "core.framework.node_def_pb2": "graph_messages",
    "core.framework.summary_pb2": "event_pb2",
    "core.framework.tensor_shape_pb2": "nothing",
    "core.function.trace_type": "trace_type",
    "core.protobuf.config_pb2": "config_pb2",
    "core.protobuf.meta_graph_pb2": "graph_messages",
    "core.protobuf.saved_model_pb2": "graph_messages",
    "core.protobuf.saver_pb2": "graph_messages",
    "core.protobuf.rewriter_config_pb2": "config_pb2",
    "core.protobuf.struct_pb2": "struct_pb2",
    "core.util.event_pb2": "event_pb2",
    "python.autograph": "=malt",
    "python.keras": "=tfcompat.keras",
    "python.keras.backend": "keras_backend",
    "python.keras.engine.base_layer": "keras_layers",
    "python.keras.engine.data_adapter": "data_adapter",
    "python.keras.engine.keras_tensor": "keras_layers",
    "python.keras.layers.convolutional": "keras_layers",
    "python.keras.layers.convolutional.base_conv": "keras_layers",
    "python.keras.layers.core": "keras_layers",
    "python.keras.testing_utils": "keras_testing",
    "python.keras.utils.conv_utils": "keras_utils",
    "python.keras.utils.kernelized_utils": "kernelized_utils",
    "python.keras.utils.tf_utils": "keras_utils",
    "python.client.device_lib": "device_lib",
    "python.client.session": "session",
    "python.data.util.nest": "data_nest",
    "python.data.ops.iterator_ops": "iterator_ops",
    "python.distribute.ps_values": "distribute_values",
    "python.distribute.values": "distribute_values",
    "python.eager.backprop": "backprop",
    "python.eager.context": "context",
    "python.eager.def_function": "def_function",
    "python.eager.forwardprop": "backprop",
    "python.eager.monitoring": "monitoring",
    "python.eager.record": "record",
    "python.eager.tape": "nothing",
    "python.feature_column.feature_column_lib": "feature_columns",
    "python.feature_column.feature_column_v2": "feature_columns",
    "python.feature_column.serialization": "feature_columns",
    "python.framework.composite_tensor": "composite_tensor",
    "python.framework.config": "config",
    "python.framework.convert_to_constants": "convert_to_constants",
    "python.framework.dtypes": "dtypes",
    "python.framework.graph_io": "graph_util",
    "python.framework.graph_util": "graph_util",
    "python.framework.graph_util_impl": "graph_util",
    "python.framework.importer": "graph_util",
    "python.framework.ops": "ops",
    "python.framework.smart_cond": "smart_cond",
    "python.framework.tensor": "tensor",
    "python.framework.tensor_conversion": "ops",
    "python.framework.tensor_shape": "tensor_shape",
    "python.framework.tensor_spec": "tensor",
    "python.framework.tensor_util": "tensor_util",
    "python.framework.test_util": "test_util",
    "python.framework.type_spec": "type_spec",
    "python.framework.type_spec_registry": "type_spec",
    "python.layers.utils": "keras_utils",
    "python.lib.io.tf_record": "tf_record",
    "python.ops.array_ops": "array_ops",
    "python.ops.clustering_ops": "clustering_ops",
    "python.ops.control_flow_case": "control_flow",
    "python.ops.control_flow_ops": "control_flow_ops",
    "python.ops.control_flow_util": "control_flow",
    "python.ops.distributions.util": "distributions_util",
    "python.ops.gen_sparse_ops": "gen_sparse_ops",
    "python.ops.init_ops": "init_ops",
    "python.ops.init_ops_v2": "init_ops_v2",
    "python.ops.linalg.linear_operator": "linear_operator",
    "python.ops.linalg.linear_operator_addition": "linear_operator",
    "python.ops.linalg.sparse.sparse": "sparse_matrices",
    "python.ops.linalg.sparse.sparse_csr_matrix_ops": "sparse_csr_matrix_ops",
    "python.ops.list_ops": "list_ops",
    "python.ops.math_ops": "math_ops",
    "python.ops.nn_ops": "nn_ops",
    "python.ops.numpy_ops.np_config": "np_config",
    "python.ops.parallel_for.control_flow_ops": "control_flow",
    "python.ops.random_ops": "random_ops",
    "python.ops.resource_variable_ops": "resource_variable_ops",
    "python.ops.rnn_cell": "rnn_cell",
    "python.ops.rnn_cell_impl": "rnn_cell",
    "python.ops.state_ops": "state_ops",
    "python.ops.stateless_random_ops": "stateless_random_ops",
    "python.ops.tensor_getitem_override": "tensor_getitem_override",
    "python.ops.weights_broadcast_ops": "weights_broadcast_ops",
    "python.platform.tf_logging": "tf_logging",
    "python.saved_model.nested_structure_coder": "nested_structure_coder",
    "python.trackable.base": "trackable",
    "python.trackable.data_structures": "data_structures",
    "python.tf2": "tf2",
    "python.training.moving_averages": "moving_averages",
    "python.types.core": "types",
    "python.types.trace": "types",
    "python.util.all_util": "all_util",
    "python.util.deprecation": "deprecation",
    "python.util.function_utils": "function_utils",
    "python.util.nest": "nest",
    "python.util.object_identity": "object_identity",
    "python.util.tf_decorator": "tf_decorator",
    "python.util.tf_export": "tf_export",
    "python.util.tf_inspect": "tf_inspect",
    "python.util.variable_utils": "variable_utils",
    "tools.docs.doc_controls": "doc_controls",
}


def module(name):
    """The module that answers for `tensorflow.<name>`, or None."""
    if name in TABLE and not TABLE[name].startswith("="):
        found = importlib.import_module(f"{_HERE}.{TABLE[name]}")
        if name in _public() and "__getattr__" not in vars(found):
            found.__getattr__ = functools.partial(_public_name, name)  # pyright: ignore
        return found
    public = _public_module(name)
    if name not in _packages() and name not in _public():
        return public
    if name not in _MADE:
        # Python imports `from tensorflow.python import util` by the name the package gives itself.
        package = ModuleType(f"tensorflow.{name}", f"What tfcompat answers for tensorflow.{name}.")
        package.__path__ = []
        package.__tfcompat__ = True
        if public is not None:
            package.__all__ = [each for each in dir(public) if not each.startswith("_")]
        package.__getattr__ = functools.partial(_public_name if name in _public() else _inside, name)
        _MADE[name] = package
    return _MADE[name]


def _public_module(name):
    """The public module, or that of another package, that answers for `tensorflow.<name>`, or None."""
    for prefix, package in TABLE.items():
        if package.startswith("=") and f"{name}.".startswith(f"{prefix}."):
            try:
                return importlib.import_module(package[1:] + name[len(prefix):])
            except ModuleNotFoundError:
                return None
    return None


@functools.cache
def _packages():
    return {name.rsplit(".", i)[0] for name in (*TABLE, *_public()) for i in range(1, name.count(".") + 1)}


@functools.cache
def _public():
    """Dict from names of modules to dicts from names in them to public names."""
    recorded = json.loads((importlib.resources.files(_HERE) / "public_names.json").read_text())
    found = {}
    for name, spaces in recorded.items():
        pairs = [(space, *entry.partition(":")[::2]) for space, entries in spaces.items() for entry in entries.split()]
        found[name] = {inner: f"{space}.{public or inner}" for space, inner, public in pairs}
    return found


def _public_name(package, name):
    public = _public()[package].get(name)
    if public is None:
        raise AttributeError(
            f"tensorflow.{package}.{name} is private to TensorFlow, and not available in tfcompat", name=name
        )
    return operator.attrgetter(public.removeprefix("tf."))(tfcompat)


def _inside(package, name):
    found = None if name.startswith("__") else module(f"{package}.{name}")
    if found is None and not name.startswith("_"):
        found = getattr(_public_module(package), name, None)
    if found is None:
        raise AttributeError(f"module 'tensorflow.{package}' has no attribute {name!r}", name=name)
    return found
