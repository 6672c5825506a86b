"""What both Inception models are made of: branches of convolutions that are joined."""

from tfcompat import layers
from tfcompat.keras.applications._models import frame

AVERAGE, MAX = "average", "max"


def convolved(x, filters, rows, columns, stride=1, padding="same", name=None):
    """`x` convolved without bias, normalized and activated; `name` is that of the convolution."""
    x = layers.Conv2D(
        filters, (rows, columns), strides=(stride, stride), padding=padding, use_bias=False, name=name
    )(x)  # fmt: skip
    x = layers.BatchNormalization(axis=frame.channel_axis(), scale=False, name=name and f"{name}_bn")(x)
    return layers.Activation("relu", name=name and f"{name}_ac")(x)


def stem(x):
    """The convolutions before the first branches."""
    x = convolved(x, 32, 3, 3, 2, "valid")
    x = convolved(x, 32, 3, 3, 1, "valid")
    x = convolved(x, 64, 3, 3)
    x = layers.MaxPooling2D((3, 3), strides=(2, 2))(x)
    x = convolved(x, 80, 1, 1, 1, "valid")
    x = convolved(x, 192, 3, 3, 1, "valid")
    return layers.MaxPooling2D((3, 3), strides=(2, 2))(x)


def joined(x, name, *branches):
    """The channels of all branches from `x`.

    Args:
      x: KerasTensor.
      name: of the layer that joins them, or None.
      *branches: lists of steps, each (filters, rows, columns) of a convolution, (filters, rows, columns, 2) of one that
        halves the picture, AVERAGE or MAX for pooling, the latter of which halves it, or a tuple that begins with a
        name and goes on with branches, which are joined in turn.
    """
    ends = []
    for branch in branches:
        y = x
        for step in branch:
            if step == AVERAGE:
                y = layers.AveragePooling2D((3, 3), strides=(1, 1), padding="same")(y)
            elif step == MAX:
                y = layers.MaxPooling2D((3, 3), strides=(2, 2))(y)
            elif isinstance(step[-1], list):
                y = joined(y, *step)
            else:
                y = convolved(y, *step, *(["valid"] if len(step) == 4 else []))
        ends.append(y)
    return layers.Concatenate(axis=frame.channel_axis(), name=name)(ends)
