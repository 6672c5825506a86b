"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

ASSETS_DIRECTORY: _builtins.str
ASSETS_KEY: _builtins.str
CLASSIFY_INPUTS: _builtins.str
CLASSIFY_METHOD_NAME: _builtins.str
CLASSIFY_OUTPUT_CLASSES: _builtins.str
CLASSIFY_OUTPUT_SCORES: _builtins.str
DEBUG_DIRECTORY: _builtins.str
DEBUG_INFO_FILENAME_PB: _builtins.str
DEFAULT_SERVING_SIGNATURE_DEF_KEY: _builtins.str
GPU: _builtins.str
class LoadOptions(_builtins.object):
    experimental_io_device: _t.Any
    experimental_load_function_aliases: _t.Any
    run_stablehlo: _t.Any
    def __init__(self, allow_partial_checkpoint=..., experimental_io_device=..., experimental_skip_checkpoint=..., experimental_variable_policy=..., experimental_load_function_aliases: _p.Flag | None = ...) -> None: ...
PREDICT_INPUTS: _builtins.str
PREDICT_METHOD_NAME: _builtins.str
PREDICT_OUTPUTS: _builtins.str
REGRESS_INPUTS: _builtins.str
REGRESS_METHOD_NAME: _builtins.str
REGRESS_OUTPUTS: _builtins.str
SAVED_MODEL_FILENAME_PB: _builtins.str
SAVED_MODEL_FILENAME_PBTXT: _builtins.str
SAVED_MODEL_SCHEMA_VERSION: _builtins.int
SERVING: _builtins.str
class SaveOptions(_builtins.object):
    experimental_io_device: _t.Any
    function_aliases: _t.Any
    experimental_debug_stripper: _t.Any
    experimental_custom_gradients: _t.Any
    gradient_order: _t.Any
    namespace_whitelist: _t.Any
    save_debug_info: _t.Any
    def __init__(self, namespace_whitelist=..., save_debug_info=..., function_aliases=..., experimental_debug_stripper=..., experimental_io_device=..., experimental_variable_policy=..., experimental_custom_gradients: _p.Flag | None = ..., experimental_image_format=..., experimental_skip_saver=..., experimental_sharding_callback=..., extra_tags=...) -> None: ...
TPU: _builtins.str
TRAINING: _builtins.str
VARIABLES_DIRECTORY: _builtins.str
VARIABLES_FILENAME: _builtins.str
def contains_saved_model(export_dir): ...
from tfcompat.saved_model import experimental as experimental
def load(export_dir, tags=..., options=...) -> _t.Any: ...
def save(obj, export_dir, signatures=..., options=...): ...
