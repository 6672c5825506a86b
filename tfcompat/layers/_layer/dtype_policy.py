"""`Policy`: the dtypes in which a layer keeps its weights and computes."""

from tfcompat import dtypes
from tfcompat.layers._layer import settings as _settings

_MIXED = {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16"}


class Policy:
    """The dtypes of a layer's weights and computations.

    Args:
      name: the name of a dtype; or "mixed_float16" or "mixed_bfloat16", for weights of float32 and computations in 16
        bits.

    Raises:
      TypeError: `name` is not a string.
      ValueError: there is no such dtype.

    TF: `tf.keras.mixed_precision.Policy`; no known difference.
    """

    def __init__(self, name):
        if isinstance(name, dtypes.DType):
            raise TypeError(
                f"'name' must be a string, not a DType. Instead, pass DType.name. Received: name={name.name}"
            )
        if not isinstance(name, str):
            raise TypeError(f"'name' must be a string, but got: {name}")
        # Names of earlier releases.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/mixed_precision/policy.py
        if name in ("float16_with_float32_vars", "bfloat16_with_float32_vars"):
            raise ValueError(
                "Policies ending in '_with_float32_vars' have been removed from TensorFlow. Please use the "
                f"'mixed_{name.partition('_')[0]}' policy instead. Got policy name: '{name}'"
            )
        try:
            self._compute = dtypes.as_dtype(_MIXED.get(name, name))
        except TypeError:
            raise ValueError(
                f"Cannot convert value {name} to a mixed precision Policy. Valid policies include 'mixed_float16', "
                "'mixed_bfloat16', and the name of any dtype such as 'float32'."
            ) from None
        self._stored = dtypes.float32 if name in _MIXED else self._compute
        self._name = name

    name = property(lambda self: self._name, doc="The name the policy was made of.")
    compute_dtype = property(lambda self: self._compute.name, doc="Name of the dtype of computations.")
    variable_dtype = property(lambda self: self._stored.name, doc="Name of the dtype of weights.")
    is_mixed = property(lambda self: self._compute is not self._stored)

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
    def from_config(cls, config, custom_objects=None):
        """The policy that `config`, from `get_config`, describes."""
        return cls(**{key: value for key, value in config.items() if key != "loss_scale"})


_global_policy = None


def global_policy():
    """The policy of layers made without `dtype`. TF: `tf.keras.mixed_precision.global_policy`."""
    return Policy(_settings.floatx()) if _global_policy is None else _global_policy


def set_global_policy(policy):
    """Sets the policy of layers made without `dtype`.

    Args:
      policy: Policy, name of one, or None for `tf.keras.backend.floatx()`.

    Raises:
      ValueError: the policy is not of floating dtypes.

    TF: `tf.keras.mixed_precision.set_global_policy`; no known difference.
    """
    global _global_policy
    policy = policy if policy is None or isinstance(policy, Policy) else Policy(policy)
    if policy is not None and not policy._compute.is_floating:
        raise ValueError(
            "set_global_policy can only be used to set the global policy to floating-point policies, such as "
            f'"float32" and "mixed_float16", but got policy: {policy.name}'
        )
    _global_policy = policy


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


def serialize(policy):
    """What a configuration holds: the name of a policy with one dtype, a dict for a mixed one."""
    if not policy.is_mixed:
        return policy.name
    return {
        "module": "keras.mixed_precision",
        "class_name": "Policy",
        "config": policy.get_config(),
        "registered_name": None,
    }
