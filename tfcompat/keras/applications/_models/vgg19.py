"""Simonyan and Zisserman 2014, arXiv:1409.1556, with 19 layers of weights."""

from tfcompat.keras.applications._models import vgg16
from tfcompat.keras.applications._models.imagenet import for_mode

preprocess_input = for_mode("caffe")


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
    return vgg16.vgg(
        "vgg19", (2, 2, 4, 4, 4), include_top, weights, input_tensor, input_shape, pooling, classes,
        classifier_activation, ("cbe5617147190e668d6c5d5026f83318", "253f8cb515780f3b799900260a226db6"),
    )  # fmt: skip
