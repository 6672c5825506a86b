"""The table of layers that move kernels over times or places in ways of their own, and of what normalizes kernels."""

from ._cases import case


def _layer(kind, *args, **options):
    return lambda tf: getattr(tf.keras.layers, kind)(*args, **options)


def _recurrent(kind, *args, **options):
    return _layer(kind, *args, recurrent_initializer="ones", **options)  # orthogonal ones take long to compile


def _spectral(tf):
    return tf.keras.layers.SpectralNormalization(tf.keras.layers.Dense(3), power_iterations=2)


CASES = [
    case("ConvLSTM1D", _recurrent("ConvLSTM1D", 2, 2, strides=2), (2, 3, 5, 2)),
    case(
        "ConvLSTM1D dropout",
        _recurrent(
            "ConvLSTM1D", 2, 2, dropout=0.4, recurrent_dropout=0.3, dilation_rate=2, data_format="channels_first"
        ),
        (2, 2, 2, 4),
        training=True,
        order=1,
    ),
    case(
        "ConvLSTM2D",
        _recurrent("ConvLSTM2D", 2, (2, 3), padding="same", go_backwards=True, return_sequences=True, use_bias=False),
        (1, 3, 3, 3, 2),
        order=1,
    ),
    case("ConvLSTM3D", _recurrent("ConvLSTM3D", 1, 2, unit_forget_bias=False), (1, 2, 3, 2, 3, 1), order=1),
    case("LocallyConnected1D", _layer("LocallyConnected1D", 2, 3, strides=2, activation="tanh"), (2, 7, 2)),
    case(
        "LocallyConnected1D sparse",
        _layer("LocallyConnected1D", 2, 3, padding="same", implementation=3, kernel_regularizer="l2"),
        (2, 4, 2),
        order=1,
    ),
    case(
        "LocallyConnected2D",
        _layer("LocallyConnected2D", 2, (2, 3), data_format="channels_first", use_bias=False),
        (2, 2, 3, 4),
        order=1,
    ),
    case(
        "LocallyConnected2D dense",
        _layer("LocallyConnected2D", 2, (2, 3), (2, 1), padding="same", implementation=2),
        (2, 3, 4, 2),
        order=1,
    ),
    case("SpectralNormalization", _spectral, (2, 4), training=True, calls=2, order=1),
]
