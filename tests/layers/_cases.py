"""The table of layers and inputs: one `LayerCase` a line, run on tf_keras and on tfcompat alike."""

import dataclasses
import hashlib
import re
from collections.abc import Callable

import numpy as np


@dataclasses.dataclass(frozen=True)
class LayerCase:
    """One layer on inputs of given shapes.

    Attributes:
      name: unique id.
      make: function of the `tf` module that makes the layer.
      shapes: shape of each input; a layer of several inputs is called on the list of them.
      dtype: NumPy dtype of the inputs.
      training: what is passed as `training`, or None to pass nothing.
      calls: how often the layer is called before it is looked at.
      high: integer inputs are drawn from [0, high).
      scale: factor on the inputs, so that they spread around the kinks of an activation.
      order: highest order of derivatives compared; forward mode with the second.
    """

    name: str
    make: Callable
    shapes: tuple
    dtype: str = "float32"
    training: bool | None = None
    calls: int = 1
    high: int = 5
    scale: float = 1.0
    order: int = 2

    def array(self, what, shape, dtype=None):
        """A deterministic array, the same for the same case and purpose."""
        dtype = np.dtype(dtype or self.dtype)
        digest = hashlib.sha256(f"{self.name}|{what}".encode()).digest()
        generator = np.random.default_rng(int.from_bytes(digest[:8], "little"))
        if dtype.kind in "iu":
            return generator.integers(0, self.high, shape).astype(dtype)
        return (self.scale * generator.uniform(-1.5, 1.5, shape)).astype(dtype)


def case(name, make, *shapes, **options):
    return LayerCase(name, make, shapes, **options)


def _dense(**options):
    return lambda tf: tf.keras.layers.Dense(3, **options)


def _layer(kind, *args, **options):
    return lambda tf: getattr(tf.keras.layers, kind)(*args, **options)


def _sequential(tf):
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Dense(4, activation="tanh"),
            layers.BatchNormalization(),
            layers.Dropout(0.3),
            layers.Dense(2),
        ]
    )


def _built_sequential(tf):
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [tf.keras.Input((2, 3)), layers.Flatten(), layers.Dense(4, "elu"), layers.Dense(2)]
    )


def _normalization(tf):
    layer = tf.keras.layers.Normalization()
    layer.adapt(np.arange(12.0, dtype="float32").reshape(4, 3) ** 2)
    return layer


def _model(tf):
    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.first = tf.keras.layers.Dense(4, activation="relu")
            self.norm = tf.keras.layers.BatchNormalization()
            self.last = [tf.keras.layers.Dense(2), tf.keras.layers.Dense(2, activation="sigmoid")]
            self.factor = tf.Variable(2.0, name="factor")

        def call(self, inputs, training=None):
            hidden = self.norm(self.first(inputs))
            return self.factor * self.last[0](hidden) + self.last[1](hidden)

    return Net()


def _custom(tf):
    class Scale(tf.keras.layers.Layer):
        def __init__(self, power=2.0, **kwargs):
            super().__init__(**kwargs)
            self.power = power

        def build(self, input_shape):
            self.scale = self.add_weight("scale", shape=(input_shape[-1],), initializer="ones")
            self.count = self.add_weight("count", shape=(), initializer="zeros", trainable=False)
            super().build(input_shape)

        def call(self, inputs):
            self.count.assign_add(1.0)
            self.add_loss(0.1 * tf.reduce_sum(tf.abs(inputs)))
            return self.scale * tf.abs(inputs) ** self.power

    return Scale(3.0)


_ACTIVATIONS = (
    "elu exponential gelu hard_sigmoid leaky_relu linear log_softmax mish relu relu6 selu sigmoid silu "
    "softmax softplus softsign swish tanh"
).split()

CASES = [
    case("Dense", _dense(), (4, 5)),
    case("Dense no bias", _dense(use_bias=False), (4, 5)),
    case("Dense rank 3", _dense(activation="tanh"), (2, 4, 5)),
    case("Dense rank 4", _dense(), (2, 2, 4, 5)),
    case("Dense empty batch", _dense(), (0, 5)),
    case("Dense float64", _dense(dtype="float64"), (4, 5)),
    case("Dense of float64 input", _dense(), (4, 5), dtype="float64"),
    case("Dense of int input", _dense(), (4, 5), dtype="int32"),
    case("Dense bfloat16", _dense(dtype="bfloat16"), (4, 5)),
    case(
        "Dense regularized",
        _dense(kernel_regularizer="l2", bias_regularizer="l1", activity_regularizer="l2"),
        (4, 5),
    ),
    case("Dense constrained", _dense(kernel_constraint="non_neg", bias_constraint="max_norm"), (4, 5)),
    *[
        case(f"Dense {name}", _dense(activation=name), (4, 5), scale=2.0)
        for name in ("relu", "gelu", "softmax")
    ],
    *[case(f"Activation {name}", _layer("Activation", name), (3, 6), scale=3.0) for name in _ACTIVATIONS],
    case("ReLU", _layer("ReLU"), (3, 6)),
    case("ReLU options", _layer("ReLU", max_value=3.0, negative_slope=0.2, threshold=0.5), (3, 6), scale=3.0),
    case("ReLU 6", _layer("ReLU", 6.0), (3, 6), scale=6.0),
    case("ReLU slope", _layer("ReLU", negative_slope=0.1), (3, 6)),
    case("ReLU threshold", _layer("ReLU", threshold=0.5), (3, 6)),
    case("LeakyReLU", _layer("LeakyReLU"), (3, 6)),
    case("ELU", _layer("ELU", alpha=0.5), (3, 6)),
    case("ThresholdedReLU", _layer("ThresholdedReLU", theta=0.4), (3, 6)),
    case("PReLU", _layer("PReLU", alpha_initializer="ones"), (3, 6)),
    case("PReLU shared", _layer("PReLU", shared_axes=[1]), (2, 3, 4)),
    case("Softmax", _layer("Softmax"), (3, 6)),
    case("Softmax axis", _layer("Softmax", axis=1), (2, 3, 4)),
    case("Softmax axes", _layer("Softmax", axis=[1, 2]), (2, 3, 4)),
    case("Dropout inference", _layer("Dropout", 0.4), (3, 6)),
    case("Dropout training", _layer("Dropout", 0.4), (3, 6), training=True),
    case("Dropout seeded", _layer("Dropout", 0.4, seed=3), (3, 6), training=True, calls=2),
    case(
        "Dropout noise shape", _layer("Dropout", 0.4, noise_shape=(None, 1, None)), (3, 4, 2), training=True
    ),
    case("Dropout 0", _layer("Dropout", 0), (3, 6), training=True),
    case("Flatten", _layer("Flatten"), (2, 3, 4)),
    case("Flatten rank 1", _layer("Flatten"), (3,)),
    case("Flatten channels first", _layer("Flatten", data_format="channels_first"), (2, 3, 4, 2)),
    case("Flatten empty batch", _layer("Flatten"), (0, 3, 4)),
    case("Reshape", _layer("Reshape", (4, 3)), (2, 3, 4)),
    case("Reshape inferred", _layer("Reshape", (-1, 2)), (2, 3, 4)),
    case("Permute", _layer("Permute", (2, 1)), (2, 3, 4)),
    case("RepeatVector", _layer("RepeatVector", 3), (2, 4)),
    case("Embedding", _layer("Embedding", 5, 3), (2, 4), dtype="int32"),
    case("Embedding int64", _layer("Embedding", 5, 3, embeddings_initializer="ones"), (4,), dtype="int64"),
    case(
        "Lambda", lambda tf: tf.keras.layers.Lambda(lambda x, k: tf.sin(k * x), arguments={"k": 2.0}), (3, 4)
    ),
    case("Add", _layer("Add"), (2, 3), (2, 3), (2, 3)),
    case("Add broadcast", _layer("Add"), (2, 1, 3), (2, 4, 1)),
    case("Add ranks", _layer("Add"), (2, 4, 3), (2, 3)),
    case("Subtract", _layer("Subtract"), (2, 3), (2, 3)),
    case("Multiply", _layer("Multiply"), (2, 3), (2, 3), (2, 3)),
    case("Average", _layer("Average"), (2, 3), (2, 3), (2, 3)),
    case("Maximum", _layer("Maximum"), (2, 3), (2, 3)),
    case("Minimum", _layer("Minimum"), (2, 3), (2, 3), (2, 3)),
    case("Concatenate", _layer("Concatenate"), (2, 3), (2, 4)),
    case("Concatenate axis", _layer("Concatenate", axis=1), (2, 3, 2), (2, 1, 2)),
    case("Dot", _layer("Dot", axes=1), (2, 3), (2, 3)),
    case("Dot normalized", _layer("Dot", axes=-1, normalize=True), (2, 3), (2, 3)),
    case("Dot rank 3", _layer("Dot", axes=(2, 1)), (2, 3, 4), (2, 4, 5)),
    case("Dot rank 4", _layer("Dot", axes=(3, 1)), (2, 3, 2, 4), (2, 4, 5)),
    case("LayerNormalization", _layer("LayerNormalization"), (4, 5)),
    case("LayerNormalization rank 3", _layer("LayerNormalization"), (2, 4, 5)),
    case("LayerNormalization axes", _layer("LayerNormalization", axis=[1, 2]), (2, 4, 5)),
    case("LayerNormalization axis 1", _layer("LayerNormalization", axis=1), (2, 4, 5)),
    case("LayerNormalization epsilon", _layer("LayerNormalization", epsilon=1e-6), (4, 5)),
    case("LayerNormalization plain", _layer("LayerNormalization", center=False, scale=False), (4, 5)),
    case("LayerNormalization float64", _layer("LayerNormalization", dtype="float64"), (4, 5)),
    *[
        case(
            f"BatchNormalization{name} {mode}",
            _layer("BatchNormalization", **options),
            shape,
            training=training,
            calls=n,
        )
        for mode, training, n in (("training", True, 2), ("inference", False, 1), ("default", None, 1))
        for name, shape, options in (
            ("", (6, 3), {}),
            (" rank 3", (4, 5, 3), {}),
            (" fused", (3, 2, 2, 3), {}),
            (" options", (6, 3), {"momentum": 0.7, "epsilon": 1e-2, "scale": False}),
            (" fused options", (3, 2, 2, 3), {"momentum": 0.7, "epsilon": 1e-2, "center": False}),
        )
    ],
    *[
        case(f"BatchNormalization {name}", _layer("BatchNormalization", **options), shape, training=True)
        for name, shape, options in (
            ("fused channels first", (3, 3, 2, 2), {"axis": 1}),
            ("fused rank 5", (3, 2, 2, 2, 3), {}),
            ("not fused", (3, 2, 2, 3), {"fused": False}),
            ("rank 4 axis 2", (3, 2, 4, 3), {"axis": 2}),
            ("axes", (4, 3, 2), {"axis": [1, 2]}),
            ("axis 1", (4, 3, 2), {"axis": 1}),
            ("float64", (6, 3), {"dtype": "float64"}),
            ("float16 fused", (3, 2, 2, 3), {"dtype": "float16"}),
            ("frozen", (6, 3), {"trainable": False}),
            ("plain", (6, 3), {"center": False, "scale": False}),
            ("of one", (1, 1, 1, 3), {}),
        )
    ],
    case("Conv1D", _layer("Conv1D", 4, 3), (2, 7, 3)),
    case(
        "Conv1D causal",
        _layer("Conv1D", 4, 3, padding="causal", dilation_rate=2, activation="tanh"),
        (2, 7, 3),
    ),
    case("Conv2D", _layer("Conv2D", 4, 3, activation="relu"), (2, 6, 5, 3)),
    case("Conv2D options", _layer("Conv2D", 4, (2, 3), (2, 1), "same", use_bias=False), (2, 6, 5, 3)),
    case("Conv2D groups", _layer("Conv2D", 4, 3, groups=2, dilation_rate=2), (2, 6, 7, 4)),
    case(
        "Conv2D regularized",
        _layer("Conv2D", 2, 1, kernel_regularizer="l2", activity_regularizer="l1"),
        (2, 3, 3, 2),
    ),
    case("Conv3D", _layer("Conv3D", 2, 2, padding="same", strides=2), (1, 4, 3, 4, 2)),
    case("Conv1DTranspose", _layer("Conv1DTranspose", 3, 3, 2, output_padding=1), (2, 4, 2)),
    case("Conv2DTranspose", _layer("Conv2DTranspose", 3, 3, 2, "same"), (2, 4, 3, 2)),
    case(
        "Conv2DTranspose valid", _layer("Conv2DTranspose", 3, (2, 3), (1, 2), activation="tanh"), (2, 4, 3, 2)
    ),
    case(
        "Conv2DTranspose dilated",
        _layer("Conv2DTranspose", 2, 2, dilation_rate=2, use_bias=False),
        (1, 4, 3, 2),
    ),
    case("Conv3DTranspose", _layer("Conv3DTranspose", 2, 2, 2), (1, 2, 3, 2, 2)),
    case("DepthwiseConv1D", _layer("DepthwiseConv1D", 3, depth_multiplier=2), (2, 6, 3)),
    case("DepthwiseConv2D", _layer("DepthwiseConv2D", 3, 2, "same", 2, activation="relu"), (2, 6, 5, 3)),
    case("SeparableConv1D", _layer("SeparableConv1D", 4, 3, padding="causal"), (2, 6, 3)),
    case(
        "SeparableConv2D", _layer("SeparableConv2D", 4, 3, depth_multiplier=2, padding="same"), (2, 5, 6, 3)
    ),
    *[
        case(f"{kind}Pooling{n}D{name}", _layer(f"{kind}Pooling{n}D", **options), (2, *(5, 4, 4)[:n], 3))
        for kind in ("Max", "Average")
        for n in (1, 2, 3)
        for name, options in (("", {}), (" options", {"pool_size": 3, "strides": 1, "padding": "same"}))
        if not options or n == 2
    ],
    *[
        case(f"Global{kind}Pooling{n}D", _layer(f"Global{kind}Pooling{n}D"), (2, *(5, 4, 4)[:n], 3))
        for kind in ("Max", "Average")
        for n in (1, 2, 3)
    ],
    case("GlobalAveragePooling2D kept", _layer("GlobalAveragePooling2D", keepdims=True), (2, 5, 4, 3)),
    case("ZeroPadding1D", _layer("ZeroPadding1D", (1, 2)), (2, 3, 2)),
    case("ZeroPadding2D", _layer("ZeroPadding2D", ((1, 0), (2, 1))), (2, 3, 2, 2)),
    case(
        "ZeroPadding2D channels first",
        _layer("ZeroPadding2D", (1, 2), data_format="channels_first"),
        (2, 3, 2, 2),
    ),
    case("ZeroPadding3D", _layer("ZeroPadding3D", (1, 0, 2)), (1, 2, 3, 2, 2)),
    case("Cropping1D", _layer("Cropping1D"), (2, 5, 2)),
    case("Cropping2D", _layer("Cropping2D", ((1, 0), (2, 1))), (2, 3, 5, 2)),
    case("Cropping3D", _layer("Cropping3D", 1), (1, 3, 4, 3, 2)),
    case("UpSampling1D", _layer("UpSampling1D", 3), (2, 3, 2)),
    case("UpSampling2D", _layer("UpSampling2D", (2, 3)), (2, 3, 2, 2)),
    case("UpSampling3D", _layer("UpSampling3D"), (1, 2, 1, 2, 2)),
    *[
        case(
            f"SpatialDropout{n}D",
            _layer(f"SpatialDropout{n}D", 0.5, seed=3),
            (2, *(3, 2, 2)[:n], 6),
            training=True,
        )
        for n in (1, 2, 3)
    ],
    case("GaussianNoise", _layer("GaussianNoise", 0.3, seed=3), (3, 4), training=True, calls=2),
    case("GaussianDropout", _layer("GaussianDropout", 0.3), (3, 4), training=True),
    case("AlphaDropout", _layer("AlphaDropout", 0.3), (3, 4), training=True),
    case("AlphaDropout inference", _layer("AlphaDropout", 0.3), (3, 4)),
    case("ActivityRegularization", _layer("ActivityRegularization", 0.1, 0.2), (3, 4)),
    case("Identity", _layer("Identity"), (3, 4)),
    case("Rescaling", _layer("Rescaling", 2.0, -1.0), (3, 4)),
    case("Rescaling of int input", _layer("Rescaling", 0.5), (3, 4), dtype="int32"),
    case("UnitNormalization", _layer("UnitNormalization"), (3, 4)),
    case("UnitNormalization axes", _layer("UnitNormalization", [1, 2]), (3, 4, 2)),
    case("GroupNormalization", _layer("GroupNormalization", 2), (3, 5, 4)),
    case("GroupNormalization axis", _layer("GroupNormalization", -1, 1, center=False), (3, 4, 2)),
    case("Normalization", _layer("Normalization", mean=[1.0, 2.0, 3.0], variance=2.0), (4, 3)),
    case("Normalization invert", _layer("Normalization", None, 1.0, 2.0, invert=True), (4, 3)),
    case("Normalization adapted", _normalization, (4, 3)),
    case("Sequential training", _sequential, (6, 3), training=True, calls=2),
    case("Sequential", _sequential, (6, 3)),
    case("Sequential built", _built_sequential, (6, 2, 3)),
    case("Model", _model, (6, 3)),
    case("Model training", _model, (6, 3), training=True),
    case("custom layer", _custom, (6, 3), calls=2),
]


def _sequences():
    from ._sequence_cases import CASES

    return CASES


# Tables by the name of their golden files: functions that list the cases.
def _windows():
    from . import _window_cases

    return _window_cases.CASES


TABLES = {
    "layers": lambda: CASES,
    "layers_of_sequences": _sequences,
    "layers_of_windows": _windows,
    "layers_of_preprocessing": list,
    "layers_of_conformance": list,
    "layers_of_hooks": list,
}


def table_of(row):
    """The table that the golden of a row belongs to."""
    table = "layers_of_" + row.partition(".")[0]
    return table if table in TABLES else "layers"


def every_case():
    """The cases of all tables."""
    return [case for table in TABLES.values() for case in table()]


def first_cases():
    """The first case of each layer, named by its first word; layers that differ in rank alone count as one."""
    first = {re.sub("[123]D", "", case.name.partition(" ")[0]): case for case in reversed(every_case())}
    return [first[name] for name in sorted(first)]
