"""`tf.compat.v1.keras`: `tf.keras` with sessions, and the initializers, optimizers and layers of TensorFlow 1."""

from types import ModuleType

from tfcompat import layers
from tfcompat.compat import _initializers
from tfcompat.compat._sessions import get_session, set_session


class RandomNormal(_initializers.RandomNormal):
    """TF: `tf.compat.v1.keras.initializers.RandomNormal`; the same numbers, up to rounding."""

    def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype="float32"):
        super().__init__(mean, stddev, seed, dtype)


class TruncatedNormal(_initializers.TruncatedNormal):
    """TF: `tf.compat.v1.keras.initializers.TruncatedNormal`; the same numbers, up to rounding."""

    def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype="float32"):
        super().__init__(mean, stddev, seed, dtype)


class RandomUniform(_initializers.RandomUniform):
    """TF: `tf.compat.v1.keras.initializers.RandomUniform`; the same numbers."""

    def __init__(self, minval=-0.05, maxval=0.05, seed=None, dtype="float32"):
        super().__init__(minval, maxval, seed, dtype)


class _ByInputs(_initializers.VarianceScaling):
    _scale, _kind = 1.0, "truncated_normal"

    def __init__(self, seed=None):
        super().__init__(self._scale, "fan_in", self._kind, seed)

    def get_config(self):
        return {"seed": self.seed}


class LecunNormal(_ByInputs):
    """TF: `tf.compat.v1.keras.initializers.lecun_normal`; the same numbers, up to rounding."""


class LecunUniform(_ByInputs):
    """TF: `tf.compat.v1.keras.initializers.lecun_uniform`; the same numbers."""

    _kind = "uniform"


class HeNormal(_ByInputs):
    """TF: `tf.compat.v1.keras.initializers.he_normal`; the same numbers, up to rounding."""

    _scale = 2.0


class HeUniform(_ByInputs):
    """TF: `tf.compat.v1.keras.initializers.he_uniform`; the same numbers."""

    _scale, _kind = 2.0, "uniform"


_INITIALIZERS = {
    "Constant": _initializers.Constant, "constant": _initializers.Constant,
    "Identity": _initializers.Identity, "identity": _initializers.Identity,
    "Ones": _initializers.Ones, "ones": _initializers.Ones,
    "Orthogonal": _initializers.Orthogonal, "orthogonal": _initializers.Orthogonal,
    "RandomNormal": RandomNormal, "random_normal": RandomNormal, "normal": RandomNormal,
    "RandomUniform": RandomUniform, "random_uniform": RandomUniform, "uniform": RandomUniform,
    "TruncatedNormal": TruncatedNormal, "truncated_normal": TruncatedNormal,
    "VarianceScaling": _initializers.VarianceScaling,
    "Zeros": _initializers.Zeros, "zeros": _initializers.Zeros,
    "glorot_normal": _initializers.GlorotNormal, "glorot_uniform": _initializers.GlorotUniform,
    "he_normal": HeNormal, "he_uniform": HeUniform, "lecun_normal": LecunNormal, "lecun_uniform": LecunUniform,
}  # fmt: skip


class _LSTMArguments:
    def __init__(
        self, units, activation="tanh", recurrent_activation="hard_sigmoid", *args, implementation=1, **kwargs
    ):
        super().__init__(units, activation, recurrent_activation, *args, implementation=implementation, **kwargs)


class LSTM(_LSTMArguments, layers.LSTM):
    """TF: `tf.compat.v1.keras.layers.LSTM`: gates by `hard_sigmoid`."""


class LSTMCell(_LSTMArguments, layers.LSTMCell):
    """TF: `tf.compat.v1.keras.layers.LSTMCell`: gates by `hard_sigmoid`."""


class _GRUArguments:
    def __init__(
        self, units, activation="tanh", recurrent_activation="hard_sigmoid", *args, reset_after=False,
        implementation=1, **kwargs,
    ):  # fmt: skip
        kwargs.update(reset_after=reset_after, implementation=implementation)
        super().__init__(units, activation, recurrent_activation, *args, **kwargs)


class GRU(_GRUArguments, layers.GRU):
    """TF: `tf.compat.v1.keras.layers.GRU`: gates by `hard_sigmoid`, the reset gate before the product."""


class GRUCell(_GRUArguments, layers.GRUCell):
    """TF: `tf.compat.v1.keras.layers.GRUCell`: gates by `hard_sigmoid`, the reset gate before the product."""


class DenseFeatures(layers.DenseFeatures):
    """TF: `tf.compat.v1.keras.layers.DenseFeatures`: as in TensorFlow 2, but another class."""

    _initializes_as_tf1 = True


_LAYERS = {each.__name__: each for each in (DenseFeatures, GRU, GRUCell, LSTM, LSTMCell)}

# Names of `tf.keras` that `tf.compat.v1.keras` has not. They can be read, and `dir` does not give them.
_ONLY_IN_2 = {
    "": "DTypePolicy Initializer InputSpec Layer Loss Metric Optimizer Regularizer config",
    "initializers": """
        GlorotNormal GlorotUniform HeNormal HeUniform LecunNormal LecunUniform variance_scaling
    """,
    "layers": """
        GroupNormalization HashedCrossing IntegerLookup RandomBrightness RandomContrast RandomCrop RandomFlip
        RandomHeight RandomRotation RandomTranslation RandomWidth RandomZoom SpectralNormalization StringLookup
        TextVectorization UnitNormalization
    """,
    "optimizers": "Adafactor AdamW Lion experimental",
}


def _like(namespace, part, names):
    """A module with all that is in a module of `tf.keras`, and more.

    Args:
      namespace: the module.
      part: its name in `tf.keras`, "" for itself.
      names: dict of what else is in it.
    """
    module = ModuleType(f"tfcompat.compat.v1.keras.{part}".rstrip("."), namespace.__doc__)
    # Its `__getattr__` is called by Python itself, so that it sees which statement asks.
    inherited = {key: value for key, value in vars(namespace).items() if key[:2] != "__" or key == "__getattr__"}
    listed = {*dir(namespace), *names} - {*_ONLY_IN_2.get(part, "").split()}
    vars(module).update(inherited | names | {"__dir__": lambda: sorted(listed)})
    return module


def keras_of_v1(keras):
    """`tf.compat.v1.keras`, made of `tf.keras`."""
    older = vars(keras.optimizers.legacy)
    parts = {
        "backend": {"set_session": set_session, "get_session": get_session},
        "initializers": _INITIALIZERS,
        "layers": _LAYERS,
        "optimizers": {key: value for key, value in older.items() if isinstance(value, type)},
    }
    return _like(keras, "", {part: _like(getattr(keras, part), part, names) for part, names in parts.items()})
