"""TF's exception tree: `OpError` and one subclass for each status code."""

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """Base of every error an op raises.

    Args:
      node_def: description of the node that failed, or None.
      op: the graph operation that failed, or None, as always outside a function.
      message: str.
      error_code: one of this module's codes.
      *args: optionally one dict of payloads.

    TF: `tf.errors.OpError`. `args` is empty and `repr` shows no message, as in TF; `str` is the
    message, without the graph node's stack that TF appends when `op` is given.
    """

    def __init__(self, node_def, op, message, error_code, *args):
        super().__init__()  # leaves `args` empty
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code
        self._experimental_payloads = args[0] if args else {}

    @property
    def message(self):
        """What went wrong."""
        return self._message

    @property
    def op(self):
        """The graph operation that failed, or None."""
        return self._op

    @property
    def error_code(self):
        """The number of the status, e.g. `INVALID_ARGUMENT`."""
        return self._error_code

    @property
    def node_def(self):
        """Description of the node that failed, or None."""
        return self._node_def

    @property
    def experimental_payloads(self):
        """Dict of further details."""
        return self._experimental_payloads

    def __reduce__(self):
        # Rebuilds from what the constructor takes: `args` is empty.
        arguments = (self._node_def, self._op, self._message)
        if type(self) is OpError:
            arguments += (self._error_code,)
        return type(self), arguments

    def __str__(self):
        return str(self._message)


class _CodedError(OpError):
    """An error whose class fixes its code."""

    _CODE: int

    def __init__(self, node_def, op, message, *args):
        super().__init__(node_def, op, message, self._CODE, *args)


class CancelledError(_CodedError):
    """The operation was cancelled."""

    _CODE = CANCELLED


class UnknownError(_CodedError):
    """A failure without a better class."""

    _CODE = UNKNOWN


class InvalidArgumentError(_CodedError):
    """An op got an argument it cannot take: shapes that do not fit, mixed dtypes, a bad axis..."""

    _CODE = INVALID_ARGUMENT


class DeadlineExceededError(_CodedError):
    """The operation took too long."""

    _CODE = DEADLINE_EXCEEDED


class NotFoundError(_CodedError):
    """Something asked for, a file for example, is not there."""

    _CODE = NOT_FOUND


class AlreadyExistsError(_CodedError):
    """Something to be made is there already."""

    _CODE = ALREADY_EXISTS


class PermissionDeniedError(_CodedError):
    """The caller may not do this."""

    _CODE = PERMISSION_DENIED


class UnauthenticatedError(_CodedError):
    """The caller is not known."""

    _CODE = UNAUTHENTICATED


class ResourceExhaustedError(_CodedError):
    """Memory or another resource ran out."""

    _CODE = RESOURCE_EXHAUSTED


class FailedPreconditionError(_CodedError):
    """The state does not permit this: reading an uninitialized variable, for example."""

    _CODE = FAILED_PRECONDITION


class AbortedError(_CodedError):
    """The operation was aborted."""

    _CODE = ABORTED


class OutOfRangeError(_CodedError):
    """Iteration went past the end."""

    _CODE = OUT_OF_RANGE


class UnimplementedError(_CodedError):
    """The operation, or this form of it, does not exist."""

    _CODE = UNIMPLEMENTED


class InternalError(_CodedError):
    """An invariant of the implementation broke."""

    _CODE = INTERNAL


class UnavailableError(_CodedError):
    """The runtime cannot be reached now."""

    _CODE = UNAVAILABLE


class DataLossError(_CodedError):
    """Data was lost or is corrupt."""

    _CODE = DATA_LOSS


class OperatorNotAllowedInGraphError(TypeError):
    """A Python operation needs the value of a tensor that has none while a function is traced."""


_CLASS_OF_CODE = {error._CODE: error for error in _CodedError.__subclasses__()}


def exception_type_from_error_code(error_code):
    """The class whose errors carry `error_code`; KeyError for `OK` and unknown numbers."""
    return _CLASS_OF_CODE[error_code]
