"""`tf.keras.applications.vgg19`: Simonyan and Zisserman 2014, arXiv:1409.1556, with 19 layers of weights."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications import vgg16 as _vgg16
from tfcompat.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from tfcompat.keras.applications.imagenet_utils import for_mode as _for_mode

preprocess_input = _for_mode("caffe")


def VGG19(
    include_top=True,
    weights="imagenet",
    input_tensor=None,
    input_shape=None,
    pooling=None,
    classes=1000,
    classifier_activation="softmax",
):
    """The model VGG19; arguments, result and errors as of `VGG16`.

    TF: `tf.keras.applications.VGG19`; no known difference.
    """
    return _vgg16.vgg(
        "vgg19", (2, 2, 4, 4, 4), include_top, weights, input_tensor, input_shape, pooling, classes,
        classifier_activation, ("cbe5617147190e668d6c5d5026f83318", "253f8cb515780f3b799900260a226db6"),
    )  # fmt: skip


__getattr__ = _missing("tf.keras.applications.vgg19")
