"""Scopes and small classes of the top level: creators of variables, critical sections, names of devices."""

import contextlib
import threading

from tfcompat._core.name_scope import current_scope
from tfcompat._core.variable_context import creators
from tfcompat.errors import NotFoundError


@contextlib.contextmanager
def variable_creator_scope(variable_creator):
    """Context in which a function creates the variables.

    Args:
      variable_creator: function `(next_creator, **kwargs)` that returns a variable: it is given the arguments of
        `tf.Variable` by name, and may change them before it calls `next_creator(**kwargs)`. Scopes nest; the innermost
        is asked first.

    Returns:
      Context manager.

    TF: `tf.variable_creator_scope`; also variables of layers are made so, those of the library's own state are not.
    """
    active = creators()
    active.append(variable_creator)
    try:
        yield
    finally:
        active.remove(variable_creator)


def get_current_name_scope():
    """The current name scope in full, without the `/` at its end. TF: `tf.get_current_name_scope`."""
    return current_scope().rstrip("/")


class AggregationMethod:
    """How gradients of one tensor are summed. All ways are the same in tfcompat. TF: `tf.AggregationMethod`."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class CriticalSection:
    """A section that only one thread is in at a time.

    Args:
      name: str, or None.
      shared_name: str: sections with this name are one; or None.
      critical_section_def, import_scope: must be None.

    TF: `tf.CriticalSection`. A function that is compiled as one program runs in order by itself.
    """

    _shared: dict = {}
    _lock = threading.Lock()

    def __init__(self, name=None, shared_name=None, critical_section_def=None, import_scope=None):
        if critical_section_def is not None or import_scope is not None:
            raise ValueError("critical_section_def is not supported.")
        self._name = name or "critical_section"
        with CriticalSection._lock:
            shared = CriticalSection._shared
            self._inside = threading.Lock() if shared_name is None else shared.setdefault(shared_name, threading.Lock())

    @property
    def name(self):
        """The name given."""
        return self._name

    def execute(self, fn, exclusive_resource_access=True, name=None):
        """Calls `fn` while no other thread is in the section.

        Args:
          fn: function without arguments.
          exclusive_resource_access: ignored: two sections never wait for the same variables here.
          name: ignored.

        Returns:
          What `fn` returns.

        TF: `tf.CriticalSection.execute`.
        """
        if not self._inside.acquire(timeout=60):
            raise ValueError(f"Attempting to lock a CriticalSection in which it is executing: {self._name}")
        try:
            return fn()
        finally:
            self._inside.release()


class DeviceSpec:
    """The parts of a device's name: `/job:worker/replica:0/task:1/device:GPU:0`.

    Args:
      job: str, or None.
      replica: int, or None.
      task: int, or None.
      device_type: str, or None.
      device_index: int, or None.

    TF: `tf.DeviceSpec`.
    """

    def __init__(self, job=None, replica=None, task=None, device_type=None, device_index=None):
        self.job = None if job is None else str(job)
        self.replica = None if replica is None else int(replica)
        self.task = None if task is None else int(task)
        self.device_type = None if device_type is None else str(device_type).upper()
        self.device_index = None if device_index is None else int(device_index)

    def _parts(self):
        return {"job": self.job, "replica": self.replica, "task": self.task, "device_type": self.device_type,
                "device_index": self.device_index}  # fmt: skip

    @classmethod
    def from_string(cls, spec):
        """The parts of a name.

        Args:
          spec: str.

        Raises:
          ValueError: an unknown part, or two devices.

        TF: `tf.DeviceSpec.from_string`.
        """
        parts: dict = {}
        for key, *values in (text.split(":") for text in (spec or "").split("/")):
            if key in ("job", "replica", "task") and len(values) == 1:
                parts[key] = values[0]
            elif key.upper() in ("CPU", "GPU", "TPU") and len(values) <= 1 or key == "device" and len(values) == 2:
                if "device_type" in parts:
                    raise ValueError(f"Multiple device types are not allowed while parsing the device spec: {spec}.")
                kind, *number = values if key == "device" else (key, *values)
                parts["device_type"] = kind
                if number and number[0] != "*":
                    parts["device_index"] = number[0]
            elif key:  # TensorFlow passes over what has no name
                raise ValueError(f"Unknown attribute '{key}' is encountered while parsing the device spec: '{spec}'.")
        return cls(**parts)

    def parse_from_string(self, spec):
        """As `from_string`."""
        return type(self).from_string(spec)

    def to_string(self):
        """The name. TF: `tf.DeviceSpec.to_string`."""
        text = "".join(f"/{key}:{value}" for key, value in self._parts().items()
                       if value is not None and not key.startswith("device"))  # fmt: skip
        if self.device_type is not None:
            text += f"/device:{self.device_type}:{'*' if self.device_index is None else self.device_index}"
        return text

    def replace(self, **kwargs):
        """The same with other parts. TF: `tf.DeviceSpec.replace`."""
        return type(self)(**{**self._parts(), **kwargs})

    def make_merged_spec(self, dev):
        """The same with the parts that `dev` has. TF: `tf.DeviceSpec.make_merged_spec`."""
        return self.replace(**{key: value for key, value in dev._parts().items() if value is not None})

    def __eq__(self, other):
        return isinstance(other, DeviceSpec) and self._parts() == other._parts()

    def __hash__(self):
        return hash(tuple(self._parts().values()))

    def __repr__(self):
        return f"<DeviceSpec({', '.join(f'{key}={value}' for key, value in self._parts().items())})>"


def load_op_library(library_filename):
    """Raises NotFoundError: operations compiled for TensorFlow cannot be loaded. Packages catch it and do without them.

    Raises:
      tf.errors.NotFoundError: always.

    TF: `tf.load_op_library`; use a JAX function with tfcompat.from_jax, or jax.ffi.
    """
    raise NotFoundError(
        None, None,
        f"{library_filename}: operations compiled for TensorFlow cannot be loaded in tfcompat; use a JAX function "
        "with tfcompat.from_jax, or jax.ffi",
    )  # fmt: skip
