"""`tf.keras.applications.resnet_v2`: He et al. 2016, arXiv:1603.05027."""

from tfcompat._missing import missing as _missing
from tfcompat.keras.applications import _parts
from tfcompat.keras.applications import resnet as _resnet
from tfcompat.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from tfcompat.keras.applications.imagenet_utils import for_mode as _for_mode

preprocess_input = _for_mode("tf")


def _variant(depth):
    def model(
        include_top=True,
        weights="imagenet",
        input_tensor=None,
        input_shape=None,
        pooling=None,
        classes=1000,
        classifier_activation="softmax",
    ):
        return _resnet.resnet(
            f"resnet{depth}v2", _resnet.COUNTS[depth], include_top, weights, input_tensor, input_shape, pooling,
            classes, classifier_activation,
        )  # fmt: skip

    return _parts.public(model, f"ResNet{depth}V2", 224)


ResNet50V2, ResNet101V2, ResNet152V2 = map(_variant, _resnet.COUNTS)

__getattr__ = _missing("tf.keras.applications.resnet_v2")
