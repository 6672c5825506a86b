"""How a model is converted."""

import enum


class Optimize(enum.Enum):
    """What a converted model is optimized for.

    DEFAULT quantizes: weights to 8 bits, and with a `representative_dataset` also what is computed; with
    `supported_types=[tf.float16]` weights become halves. OPTIMIZE_FOR_SIZE and OPTIMIZE_FOR_LATENCY are the same.

    TF: `tf.lite.Optimize`.
    """

    DEFAULT = "DEFAULT"
    OPTIMIZE_FOR_SIZE = "OPTIMIZE_FOR_SIZE"
    OPTIMIZE_FOR_LATENCY = "OPTIMIZE_FOR_LATENCY"
    EXPERIMENTAL_SPARSITY = "EXPERIMENTAL_SPARSITY"

    def __str__(self):
        return str(self.value)


class OpsSet(enum.Enum):
    """Which operations a converted model may have.

    A model made here has those of TFLITE_BUILTINS; TFLITE_BUILTINS_INT8 alone asks that all are of integers.

    TF: `tf.lite.OpsSet`.
    """

    TFLITE_BUILTINS = "TFLITE_BUILTINS"
    SELECT_TF_OPS = "SELECT_TF_OPS"
    TFLITE_BUILTINS_INT8 = "TFLITE_BUILTINS_INT8"
    EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8 = (
        "EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8"
    )
    EXPERIMENTAL_STABLEHLO_OPS = "EXPERIMENTAL_STABLEHLO_OPS"

    def __str__(self):
        return str(self.value)

    @staticmethod
    def get_options():
        """The names of all."""
        return [str(option) for option in OpsSet]


class RepresentativeDataset:
    """Inputs by which the ranges of a quantized model are found.

    Args:
      input_gen: function without arguments that gives an iterator of examples. An example is a list of arrays, a dict
        of them by the names of inputs, or a pair of the name of a signature and such a dict.

    TF: `tf.lite.RepresentativeDataset`.
    """

    def __init__(self, input_gen):
        self.input_gen = input_gen


class TargetSpec:
    """What the device can do.

    Args:
      supported_ops: set of `OpsSet`, {TFLITE_BUILTINS} if None.
      supported_types: set of dtypes of constants: tf.float16, or tf.int8.
      experimental_select_user_tf_ops, experimental_supported_backends: of TensorFlow's own operations, which models
        made here do not have.

    TF: `tf.lite.TargetSpec`.
    """

    def __init__(
        self, supported_ops=None, supported_types=None, experimental_select_user_tf_ops=None,
        experimental_supported_backends=None,
    ):  # fmt: skip
        self.supported_ops = {OpsSet.TFLITE_BUILTINS} if supported_ops is None else supported_ops
        self.supported_types = set() if supported_types is None else supported_types
        self.experimental_select_user_tf_ops = experimental_select_user_tf_ops or set()
        self.experimental_supported_backends = experimental_supported_backends
