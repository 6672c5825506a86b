"""Which names inside TensorFlow's own modules are public ones, for `tfcompat/_private`.

Writes tfcompat/_private/public_names.json: for each module, for each public namespace, the names; `inner:public` where
they differ. Two names are of the same object, so nothing of TensorFlow 1 is among them.
"""

import json
import pathlib
import types

from recording import _reference

TARGET = pathlib.Path(__file__).resolve().parents[2] / "tfcompat" / "_private" / "public_names.json"
NOT_FOLLOWED = {"compat", "core", "estimator", "keras", "python", "raw_ops", "tools", "tsl", "compiler"}
MODULES = {
    "autograph.impl": "api",
    "checkpoint": "checkpoint checkpoint_management",
    "data.ops": "dataset_ops options",
    "distribute": "distribute_lib mirrored_strategy",
    "eager": "backprop context def_function forwardprop",
    "framework": "config constant_op device dtypes errors errors_impl indexed_slices ops random_seed sparse_tensor "
    "tensor tensor_shape tensor_spec",
    "lib.io": "file_io tf_record",
    "module": "module",
    "ops": "array_ops array_ops_stack bitwise_ops check_ops clip_ops cond confusion_matrix control_flow_case "
    "control_flow_ops control_flow_switch_case ctc_ops custom_gradient data_flow_ops embedding_ops functional_ops "
    "gradients gradients_impl histogram_ops image_ops image_ops_impl init_ops_v2 io_ops linalg_ops linalg_ops_impl "
    "logging_ops lookup_ops manip_ops map_fn math_ops nn nn_impl nn_ops numerics parsing_ops random_ops script_ops "
    "sets sort_ops sparse_ops special_math_ops stateless_random_ops string_ops tensor_array_ops variable_scope "
    "variables while_loop",
    "ops.linalg": "linalg linalg_impl",
    "ops.ragged": "ragged_factory_ops ragged_string_ops ragged_tensor",
    "ops.signal": "fft_ops mel_ops signal spectral_ops window_ops",
    "platform": "test",
    "saved_model": "load save",
    "training": "moving_averages",
    "util": "nest",
}


def public_names(tf):
    """Dict from the id of each public function and class to its names."""
    found, seen, waiting = {}, set(), [("tf", tf)]
    while waiting:
        path, module = waiting.pop(0)
        if id(module) in seen:
            continue
        seen.add(id(module))
        for name in sorted(dir(module)):
            if name.startswith("_") or name in NOT_FOLLOWED:
                continue
            value = getattr(module, name, None)
            if isinstance(value, types.ModuleType):
                waiting += [(f"{path}.{name}", value)] if "tensorflow" in value.__name__ else []
            elif callable(value):
                found.setdefault(id(value), []).append(f"{path}.{name}")
    return found


def record(tf, options):
    public, entries = public_names(tf), {}
    for package, modules in MODULES.items():
        for module in modules.split():
            names = {}
            inner = vars(_reference.inner(f"{package}.{module}"))
            for name, value in sorted(inner.items()):
                if name.startswith("_") or id(value) not in public or isinstance(value, types.ModuleType):
                    continue
                paths = [path for path in public[id(value)] if path.endswith(f".{name}")] or public[id(value)]
                namespace, _, other = min(paths, key=lambda path: (path.count("."), path)).rpartition(".")
                names.setdefault(namespace, []).append(name if name == other else f"{name}:{other}")
            if names:
                entries[f"python.{package}.{module}"] = {key: " ".join(value) for key, value in sorted(names.items())}
    text = ",\n".join(f"{json.dumps(name)}: {json.dumps(names)}" for name, names in sorted(entries.items()))
    TARGET.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")
