"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

class HardwareFeature(_builtins.object):
    EmbeddingFeature: _t.Any
    def __init__(self, tpu_hardware_feature_proto) -> None: ...
embedding: _t.Any
def initialize_tpu_system(cluster_resolver=...): ...
def shutdown_tpu_system(cluster_resolver=...): ...
