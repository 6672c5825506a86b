"""`tf.keras.applications`: models of ImageNet, written out anew; their weights are fetched where they are asked for."""

from tfcompat._package.lazy import lazy as _lazy
from tfcompat._package.missing import missing as _missing

_REGNETS = ("002", "004", "006", "008", "016", "032", "040", "064", "080", "120", "160", "320")
_MODELS = {
    "convnext": ("ConvNeXtTiny", "ConvNeXtSmall", "ConvNeXtBase", "ConvNeXtLarge", "ConvNeXtXLarge"),
    "efficientnet": tuple([f"EfficientNetB{i}" for i in range(8)]),
    "efficientnet_v2": tuple([f"EfficientNetV2{kind}" for kind in ("B0", "B1", "B2", "B3", "S", "M", "L")]),
    "regnet": tuple([f"RegNet{kind}{size}" for kind in "XY" for size in _REGNETS]),
    "resnet_rs": tuple([f"ResNetRS{depth}" for depth in (50, 101, 152, 200, 270, 350, 420)]),
    "densenet": ("DenseNet121", "DenseNet169", "DenseNet201"),
    "inception_resnet_v2": ("InceptionResNetV2",),
    "inception_v3": ("InceptionV3",),
    "mobilenet": ("MobileNet",),
    "mobilenet_v2": ("MobileNetV2",),
    "mobilenet_v3": ("MobileNetV3Small", "MobileNetV3Large"),
    "nasnet": ("NASNetMobile", "NASNetLarge"),
    "resnet": ("ResNet50", "ResNet101", "ResNet152"),
    "resnet50": (),
    "resnet_v2": ("ResNet50V2", "ResNet101V2", "ResNet152V2"),
    "xception": ("Xception",),
    "vgg16": ("VGG16",),
    "vgg19": ("VGG19",),
}
_absent = _missing("tf.keras.applications", otherwise="tf.keras.applications.ResNet50, or another model")
_modules = {name: f"_models.{module}" for module, names in _MODELS.items() for name in names}
__getattr__, __dir__ = _lazy(globals(), ["imagenet_utils", *_MODELS], _modules, _absent)
