"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

Interpreter: _t.Any
class OpsSet(_enum.Enum):
    TFLITE_BUILTINS = ...
    SELECT_TF_OPS = ...
    TFLITE_BUILTINS_INT8 = ...
    EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8 = ...
    EXPERIMENTAL_STABLEHLO_OPS = ...
class Optimize(_enum.Enum):
    DEFAULT = ...
    OPTIMIZE_FOR_SIZE = ...
    OPTIMIZE_FOR_LATENCY = ...
    EXPERIMENTAL_SPARSITY = ...
class RepresentativeDataset(_builtins.object):
    input_gen: _t.Any
    def __init__(self, input_gen: _t.Callable[..., _t.Any]) -> None: ...
class TFLiteConverter(_builtins.object):
    optimizations: _t.Any
    representative_dataset: _t.Any
    target_spec: _t.Any
    inference_input_type: _t.Any
    inference_output_type: _t.Any
    allow_custom_ops: _t.Any
    exclude_conversion_metadata: _t.Any
    experimental_new_converter: _t.Any
    experimental_new_quantizer: _t.Any
    experimental_enable_resource_variables: _t.Any
    experimental_new_dynamic_range_quantizer: _t.Any
    unfold_batchmatmul: _t.Any
    legalize_custom_tensor_list_ops: _t.Any
    def __init__(self, funcs, trackable_obj=...) -> None: ...
    @classmethod
    def from_concrete_functions(cls, funcs, trackable_obj=...): ...
    @classmethod
    def from_keras_model(cls, model): ...
    @classmethod
    def from_saved_model(cls, saved_model_dir, signature_keys=..., tags=...): ...
    @classmethod
    def experimental_from_jax(cls, serving_funcs, inputs): ...
    def convert(self): ...
class TargetSpec(_builtins.object):
    supported_ops: _t.Any
    supported_types: _t.Any
    experimental_select_user_tf_ops: _t.Any
    experimental_supported_backends: _t.Any
    def __init__(self, supported_ops=..., supported_types=..., experimental_select_user_tf_ops=..., experimental_supported_backends=...) -> None: ...
from tfcompat.lite import experimental as experimental
