"""He et al. 2016, arXiv:1603.05027."""

import functools

from tfcompat.keras.applications._models import parts, resnet
from tfcompat.keras.applications._models.imagenet import for_mode

preprocess_input = for_mode("tf")


def _variant(depth):
    build = functools.partial(resnet.resnet, f"resnet{depth}v2", resnet.COUNTS[depth])
    return parts.standard(build, f"ResNet{depth}V2")


ResNet50V2, ResNet101V2, ResNet152V2 = map(_variant, resnet.COUNTS)
