"""`tf.keras.applications.resnet_v2`: He et al. 2016, arXiv:1603.05027."""

import functools

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.applications import _parts
from tfcompat.keras.applications import resnet as _resnet
from tfcompat.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from tfcompat.keras.applications.imagenet_utils import for_mode as _for_mode

preprocess_input = _for_mode("tf")


def _variant(depth):
    build = functools.partial(_resnet.resnet, f"resnet{depth}v2", _resnet.COUNTS[depth])
    return _parts.standard(build, f"ResNet{depth}V2")


ResNet50V2, ResNet101V2, ResNet152V2 = map(_variant, _resnet.COUNTS)

__getattr__ = _missing("tf.keras.applications.resnet_v2")
