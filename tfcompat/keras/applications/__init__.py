"""`tf.keras.applications`: models of ImageNet, written out anew; their weights are fetched where they are asked for."""

from tfcompat._lazy import lazy as _lazy
from tfcompat._missing import missing as _missing

_MODELS = {
    "efficientnet": tuple([f"EfficientNetB{i}" for i in range(8)]),
    "efficientnet_v2": tuple([f"EfficientNetV2{kind}" for kind in ("B0", "B1", "B2", "B3", "S", "M", "L")]),
    "vgg16": ("VGG16",),
    "vgg19": ("VGG19",),
}
_absent = _missing("tf.keras.applications", otherwise="tf.keras.applications.ResNet50, or another model")
_modules = {name: module for module, names in _MODELS.items() for name in names}
__getattr__, __dir__ = _lazy(globals(), ["imagenet_utils", *_MODELS], _modules, _absent)
