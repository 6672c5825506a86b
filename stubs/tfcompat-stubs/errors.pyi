"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

ABORTED: _builtins.int
ALREADY_EXISTS: _builtins.int
class AbortedError(_tf.errors.OpError):
    def __init__(self, node_def, op, message, *args) -> None: ...
class AlreadyExistsError(_tf.errors.OpError):
    def __init__(self, node_def, op, message, *args) -> None: ...
CANCELLED: _builtins.int
class CancelledError(_tf.errors.OpError):
    def __init__(self, node_def, op, message, *args) -> None: ...
DATA_LOSS: _builtins.int
DEADLINE_EXCEEDED: _builtins.int
class DataLossError(_tf.errors.OpError):
    def __init__(self, node_def, op, message, *args) -> None: ...
class DeadlineExceededError(_tf.errors.OpError):
    def __init__(self, node_def, op, message, *args) -> None: ...
FAILED_PRECONDITION: _builtins.int
class FailedPreconditionError(_tf.errors.OpError):
    def __init__(self, node_def, op, message, *args) -> None: ...
INTERNAL: _builtins.int
INVALID_ARGUMENT: _builtins.int
class InternalError(_tf.errors.OpError):
    def __init__(self, node_def, op, message, *args) -> None: ...
class InvalidArgumentError(_tf.errors.OpError):
    def __init__(self, node_def, op, message, *args) -> None: ...
NOT_FOUND: _builtins.int
class NotFoundError(_tf.errors.OpError):
    def __init__(self, node_def, op, message, *args) -> None: ...
OK: _builtins.int
OUT_OF_RANGE: _builtins.int
class OpError(_builtins.Exception):
    def __init__(self, node_def, op, message: _builtins.str, error_code, *args) -> None: ...
    message: _t.Any
    op: _t.Any
    error_code: _t.Any
    node_def: _t.Any
    experimental_payloads: _t.Any
class OperatorNotAllowedInGraphError(_builtins.TypeError):
    ...
class OutOfRangeError(_tf.errors.OpError):
    def __init__(self, node_def, op, message, *args) -> None: ...
PERMISSION_DENIED: _builtins.int
class PermissionDeniedError(_tf.errors.OpError):
    def __init__(self, node_def, op, message, *args) -> None: ...
RESOURCE_EXHAUSTED: _builtins.int
class ResourceExhaustedError(_tf.errors.OpError):
    def __init__(self, node_def, op, message, *args) -> None: ...
UNAUTHENTICATED: _builtins.int
UNAVAILABLE: _builtins.int
UNIMPLEMENTED: _builtins.int
UNKNOWN: _builtins.int
class UnauthenticatedError(_tf.errors.OpError):
    def __init__(self, node_def, op, message, *args) -> None: ...
class UnavailableError(_tf.errors.OpError):
    def __init__(self, node_def, op, message, *args) -> None: ...
class UnimplementedError(_tf.errors.OpError):
    def __init__(self, node_def, op, message, *args) -> None: ...
class UnknownError(_tf.errors.OpError):
    def __init__(self, node_def, op, message, *args) -> None: ...
def exception_type_from_error_code(error_code): ...
