"""What all models of `tf.keras.applications` have in common: their arguments, their inputs, their weights."""

import os
import warnings

from tfcompat import layers
from tfcompat._core.tensor import Tensor
from tfcompat._package.logging import logger
from tfcompat.errors import UnimplementedError
from tfcompat.keras._models.model import Model
from tfcompat.keras.utils._downloads import get_file
from tfcompat.keras.utils._model_tools import get_source_inputs
from tfcompat.layers import activations
from tfcompat.layers._layer import settings
from tfcompat.layers._symbolic.keras_tensor import KerasTensor

BASE = "https://storage.googleapis.com/tensorflow/keras-applications/"


def begun(include_top, weights, classes, input_tensor, input_shape, default_size, min_size):
    """The KerasTensor that a model begins with, after its arguments were checked."""
    checked(include_top, weights, classes)
    return image_of(input_tensor, input_shape_of(input_shape, default_size, min_size, include_top, weights))


def checked_kwargs(kwargs):
    """Refuses arguments that old programs do not give either.

    Raises:
      ValueError: another than `layers`.
      tf.errors.UnimplementedError: other layers than `tf.keras.layers`.
    """
    if kwargs.pop("layers", layers) is not layers:
        raise UnimplementedError(
            None, None, "tf.keras.applications: other `layers` are not available in tfcompat: leave the argument out"
        )
    if kwargs:
        raise ValueError(f"Unknown argument(s): {kwargs}")


def checked(include_top, weights, classes):
    """Refuses `weights` that cannot be.

    Raises:
      ValueError: neither "imagenet" nor None nor a file; other than 1000 classes of ImageNet.
    """
    if weights not in ("imagenet", None) and not os.path.exists(weights):
        raise ValueError(
            "The `weights` argument should be either `None` (random initialization), `imagenet` (pre-training on "
            f"ImageNet), or the path to the weights file to be loaded.  Received: weights={weights}"
        )
    if weights == "imagenet" and include_top and classes != 1000:
        raise ValueError(
            'If using `weights` as `"imagenet"` with `include_top` as true, `classes` should be 1000.  '
            f"Received `classes={classes}`"
        )


def channel_axis():
    """The axis of channels: 3, or 1 if they come first."""
    return 1 if settings.image_data_format() == "channels_first" else 3


def input_shape_of(input_shape, default_size, min_size, require_flatten, weights):
    """The shape of a model's images without the batch, in the order of `tf.keras.backend.image_data_format()`.

    Args:
      input_shape: what was given, or None.
      default_size, min_size: height and width, by default and at least.
      require_flatten: bool, whether sizes must be known.
      weights: as given.

    Raises:
      ValueError: sizes that do not fit.
    """
    first = settings.image_data_format() == "channels_first"

    def shaped(channels, *sizes):
        return (channels, *sizes) if first else (*sizes, channels)

    channels = 3
    shape = tuple(input_shape) if input_shape is not None else None
    if weights != "imagenet" and shape and len(shape) == 3:
        channels = shape[0 if first else -1]
        if channels not in (1, 3):
            warnings.warn(
                "This model usually expects 1 or 3 input channels. However, it was passed an input_shape with "
                f"{channels} input channels.", stacklevel=4,
            )  # fmt: skip
    default = shaped(channels, default_size, default_size)
    if weights == "imagenet" and require_flatten:
        if shape is not None and shape != default:
            raise ValueError(
                f"When setting `include_top=True` and loading `imagenet` weights, `input_shape` should be {default}.  "
                f"Received: input_shape={input_shape}"
            )
        return default
    if not shape:
        return default if require_flatten else shaped(3, None, None)
    if len(shape) != 3:
        raise ValueError("`input_shape` must be a tuple of three integers.")
    if channels != shape[0 if first else -1] or weights == "imagenet" and shape[0 if first else -1] != 3:
        raise ValueError(f"The input must have 3 channels; Received `input_shape={input_shape}`")
    if any(size is not None and size < min_size for size in (shape[1:] if first else shape[:-1])):
        raise ValueError(f"Input size must be at least {min_size}x{min_size}; Received: input_shape={input_shape}")
    if require_flatten and None in shape:
        raise ValueError(
            f"If `include_top` is True, you should specify a static `input_shape`. Received: input_shape={input_shape}"
        )
    return shape


def image_of(input_tensor, input_shape):
    """The KerasTensor that a model begins with.

    Raises:
      ValueError: `input_tensor` is none.
    """
    if input_tensor is None:
        return layers.Input(shape=input_shape)
    if isinstance(input_tensor, KerasTensor):
        return input_tensor
    raise ValueError(
        "Expecting KerasTensor which is from tf.keras.Input() or output from keras layer call(). Received: "
        f"input_tensor={input_tensor}"
    )


def sizes_of(shape):
    """Height and width of an image, or of a batch of them: what is left of `shape` without the channels."""
    return tuple(shape[-3:][1:] if channel_axis() == 1 else shape[-3:-1])


def size_among(sizes, shape):
    """The size of square images if it is one of `sizes`, else 224."""
    rows, *columns = sizes_of(shape)
    return rows if columns == [rows] and rows in sizes else 224


def size_of_weights(sizes, shape, weights):
    """The height of images by which a model and its file are named; says so if there is no file for these images."""
    rows = sizes_of(shape)[0]
    if weights != "imagenet" or rows == sizes_of(shape)[1] and rows in sizes:
        return rows
    logger.warning(
        "`input_shape` is undefined or non-square, or `rows` is not in %s. Weights for input shape (224, 224) will be "
        "loaded as the default.", list(sizes),
    )  # fmt: skip
    return 224


def checked_tensor(input_tensor, input_shape):
    """Refuses what cannot be the input of a model, or has other sizes than `input_shape`.

    Raises:
      ValueError: no tensor; with `input_shape`: no KerasTensor, or another width.
    """
    if input_tensor is None:
        return
    if not isinstance(input_tensor, Tensor | KerasTensor):
        raise ValueError(
            f"input_tensor must be a valid Keras tensor type; Received {input_tensor} of type {type(input_tensor)}"
        )
    if input_shape is None:
        return
    if not isinstance(input_tensor, KerasTensor):
        raise ValueError(f"input_tensor is not a Keras tensor; Received `input_tensor={input_tensor}`")
    axis = 1 if channel_axis() == 1 else 2
    if input_tensor.shape[axis] != input_shape[1]:
        raise ValueError(
            f"input_shape[1] must equal shape(input_tensor)[{axis}]; Received "
            f"`input_tensor.shape={input_tensor.shape}`, `input_shape={input_shape}`"
        )


def divisible(value, divisor=8):
    """The multiple of `divisor` next to a number of channels: at least `divisor`, not below 0.9 times the number."""
    rounded = max(divisor, int(value + divisor / 2) // divisor * divisor)
    return rounded + divisor if rounded < 0.9 * value else rounded


def pooled(x, pooling, named=False):
    """The result of a model without top; `named` says whether the layer is "avg_pool" or "max_pool"."""
    if pooling not in ("avg", "max"):
        return x
    kind = layers.GlobalAveragePooling2D if pooling == "avg" else layers.GlobalMaxPooling2D
    return kind(name=f"{pooling}_pool" if named else None)(x)


def check_activation(classifier_activation, weights):
    """Refuses activations that weights of others were not made for.

    Raises:
      ValueError: another than "softmax" or None, with weights.
    """
    if weights is None:
        return
    classifier_activation = activations.get(classifier_activation)
    if classifier_activation not in (activations.get("softmax"), activations.get(None)):
        raise ValueError(
            "Only `None` and `softmax` activations are allowed for the `classifier_activation` argument when using "
            f"pretrained weights, with `include_top=True`; Received: classifier_activation={classifier_activation}"
        )


def classified(x, classes, classifier_activation, weights, name="predictions", **settings):
    """The Dense layer at the top of a model, called."""
    check_activation(classifier_activation, weights)
    return layers.Dense(classes, activation=classifier_activation, name=name, **settings)(x)


def padding_before_stride(x, kernel_size):
    """Padding by which a strided convolution without padding sees what TF's "same" had it see when models were trained.

    Args:
      x: KerasTensor of images.
      kernel_size: int.

    Returns:
      ((top, bottom), (left, right)).
    """
    half = kernel_size // 2
    sizes = sizes_of(x.shape)
    return tuple((half - (1 if None in sizes else 1 - size % 2), half) for size in sizes)


def finished(input_tensor, image, x, name, weights, file_name=None, origin=None, file_hash=None):
    """The model from its input to `x`, with its weights.

    Args:
      input_tensor: as given.
      image: KerasTensor that the model begins with.
      x: KerasTensor, its result.
      name: of the model.
      weights: as given.
      file_name, origin, file_hash: of the file of ImageNet's weights; see `tf.keras.utils.get_file`.
    """
    inputs = image if input_tensor is None else get_source_inputs(image)
    inputs = inputs[0] if isinstance(inputs, list) and len(inputs) == 1 else inputs
    model = Model(inputs, x, name=name)
    if weights == "imagenet":
        model.load_weights(get_file(file_name, origin, cache_subdir="models", file_hash=file_hash))
    elif weights is not None:
        model.load_weights(weights)
    return model
