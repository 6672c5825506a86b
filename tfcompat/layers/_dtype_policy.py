"""`Policy`: the dtypes in which a layer keeps its weights and computes."""

from tfcompat import dtypes
from tfcompat.errors import UnimplementedError
from tfcompat.layers import _context

_MIXED = ("mixed_float16", "mixed_bfloat16")


class Policy:
    """The dtype of a layer's weights and computations.

    Args:
      name: the name of a dtype.

    Raises:
      TypeError: `name` is not a string.
      ValueError: there is no such dtype.
      tf.errors.UnimplementedError: a mixed-precision policy.

    TF: `tf.keras.mixed_precision.Policy`; the mixed policies are refused.
    """

    def __init__(self, name):
        if isinstance(name, dtypes.DType):
            raise TypeError(
                f"'name' must be a string, not a DType. Instead, pass DType.name. Received: name={name.name}"
            )
        if not isinstance(name, str):
            raise TypeError(f"'name' must be a string, but got: {name}")
        if name in _MIXED:
            raise UnimplementedError(
                None,
                None,
                f"The policy '{name}' is not available in tfcompat: give the layer one dtype, as "
                "dtype='float32' or dtype='bfloat16', and cast its inputs and outputs where they differ",
            )
        try:
            self._dtype = dtypes.as_dtype(name)
        except TypeError:
            raise ValueError(
                f"Cannot convert value {name} to a mixed precision Policy. Valid policies are the names of "
                "dtypes, such as 'float32'."
            ) from None
        self._name = name

    name = property(lambda self: self._name, doc="The name the policy was made of.")
    compute_dtype = property(lambda self: self._dtype.name, doc="Name of the dtype of computations.")
    variable_dtype = property(lambda self: self._dtype.name, doc="Name of the dtype of weights.")

    @property
    def dtype(self):
        """The DType of weights and computations."""
        return self._dtype

    def __repr__(self):
        return f'<Policy "{self._name}">'

    def __eq__(self, other):
        return isinstance(other, Policy) and other._name == self._name

    def __hash__(self):
        return hash(self._name)

    def get_config(self):
        """The arguments to make an equal policy of, as a dict."""
        return {"name": self._name}

    @classmethod
    def from_config(cls, config):
        """The policy that `config`, from `get_config`, describes."""
        return cls(**config)


_global_policy = None


def global_policy():
    """The policy of layers made without `dtype`. TF: `tf.keras.mixed_precision.global_policy`."""
    return Policy(_context.floatx()) if _global_policy is None else _global_policy


def set_global_policy(policy):
    """Sets the policy of layers made without `dtype`.

    Args:
      policy: Policy, name of one, or None for `tf.keras.backend.floatx()`.

    TF: `tf.keras.mixed_precision.set_global_policy`; mixed policies are refused.
    """
    global _global_policy
    _global_policy = policy if policy is None or isinstance(policy, Policy) else Policy(policy)


def policy_of(dtype):
    """The policy that a layer's `dtype` argument stands for."""
    if dtype is None:
        return global_policy()
    if isinstance(dtype, Policy):
        return dtype
    if isinstance(dtype, dict):
        return Policy.from_config(dtype["config"])
    if isinstance(dtype, str) and dtype in _MIXED:
        return Policy(dtype)
    return Policy(dtypes.as_dtype(dtype).name)
