"""Liu and others 2022, arXiv:2201.03545."""

from tfcompat import layers
from tfcompat.keras._convnext_layers import LayerScale
from tfcompat.keras._models.sequential import Sequential
from tfcompat.keras.applications._models import frame, parts

_ORIGIN = frame.BASE + "convnext/"
_HASHES = {
    "convnext_tiny": (
        "8ae6e78ce2933352b1ef4008e6dd2f17bc40771563877d156bc6426c7cf503ff",
        "d547c096cabd03329d7be5562c5e14798aa39ed24b474157cef5e85ab9e49ef1",
    ),
    "convnext_small": (
        "ce1277d8f1ee5a0ef0e171469089c18f5233860ceaf9b168049cb9263fd7483c",
        "6fc8009faa2f00c1c1dfce59feea9b0745eb260a7dd11bee65c8e20843da6eab",
    ),
    "convnext_base": (
        "52cbb006d3dadd03f6e095a8ca1aca47aecdd75acb4bc74bce1f5c695d0086e6",
        "40a20c5548a5e9202f69735ecc06c990e6b7c9d2de39f0361e27baeb24cb7c45",
    ),
    "convnext_large": (
        "070c5ed9ed289581e477741d3b34beffa920db8cf590899d6d2c67fba2a198a6",
        "96f02b6f0753d4f543261bc9d09bed650f24dd6bc02ddde3066135b63d23a1cd",
    ),
    "convnext_xlarge": (
        "c1f5ccab661354fc3a79a10fa99af82f0fbf10ec65cb894a3ae0815f17a889ee",
        "de3f8a54174130e0cecdc71583354753d557fcf1f4487331558e2a16ba0cfe05",
    ),
}


def _norm(name=None):
    return layers.LayerNormalization(epsilon=1e-6, name=name)


def _block(inputs, filters, name):
    """Each channel convolved, all mixed twice, weighed and added."""
    x = layers.Conv2D(filters, 7, padding="same", groups=filters, name=name + "_depthwise_conv")(inputs)
    x = _norm(name + "_layernorm")(x)
    x = layers.Dense(4 * filters, name=name + "_pointwise_conv_1")(x)
    x = layers.Activation("gelu", name=name + "_gelu")(x)
    x = layers.Dense(filters, name=name + "_pointwise_conv_2")(x)
    x = LayerScale(1e-6, filters, name=name + "_layer_scale")(x)
    return inputs + layers.Activation("linear", name=name + "_identity")(x)


def _shrinking(name, widths):
    """What comes before the blocks of each stage: convolutions that make images smaller, normalized after or before."""
    first = layers.Conv2D(widths[0], 4, strides=4, name=name + "_stem_conv")
    stages = [Sequential([first, _norm(name + "_stem_layernorm")], name=name + "_stem")]
    for i, width in enumerate(widths[1:]):
        norm = _norm(f"{name}_downsampling_layernorm_{i}")
        convolution = layers.Conv2D(width, 2, strides=2, name=f"{name}_downsampling_conv_{i}")
        stages.append(Sequential([norm, convolution], name=f"{name}_downsampling_block_{i}"))
    return stages


def _variant(kind, depths, width):
    default_name = f"convnext_{kind.lower()}"
    widths = [width * 2**i for i in range(4)]

    def model(
        model_name=default_name,
        include_top=True,
        include_preprocessing=True,
        weights="imagenet",
        input_tensor=None,
        input_shape=None,
        pooling=None,
        classes=1000,
        classifier_activation="softmax",
    ):
        frame.checked(include_top, weights, classes)
        input_shape = frame.input_shape_of(input_shape, 224, 32, include_top, weights)
        image = frame.image_of(input_tensor, input_shape)
        # As tf_keras has it: the model begins where `input_tensor` comes from, and leaves out what is between.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/applications/convnext.py
        image = x = image if input_tensor is None else frame.get_source_inputs(image)[0]
        if include_preprocessing and input_shape[frame.channel_axis() - 1] == 3:
            scaled = layers.Normalization(
                mean=[mean * 255 for mean in parts.MEAN],
                variance=[(deviation * 255) ** 2 for deviation in parts.DEVIATION],
                name=model_name + "_prestem_normalization",
            )
            x = scaled(x)
        for i, shrinking in enumerate(_shrinking(model_name, widths)):
            x = shrinking(x)
            for j in range(depths[i]):
                x = _block(x, widths[i], f"{model_name}_stage_{i}_block_{j}")
        if include_top:
            frame.check_activation(classifier_activation, weights)
            x = layers.GlobalAveragePooling2D(name=model_name + "_head_gap")(x)
            x = _norm(model_name + "_head_layernorm")(x)
            x = frame.classified(x, classes, classifier_activation, weights, model_name + "_head_dense")
        else:
            x = _norm()(frame.pooled(x, pooling))
        file_name = f"{model_name}{'' if include_top else '_notop'}.h5"
        file_hash = _HASHES[model_name][not include_top] if weights == "imagenet" else None
        return frame.finished(
            input_tensor, image, x, model_name, weights, file_name, _ORIGIN + file_name, file_hash
        )

    return parts.public(model, f"ConvNeXt{kind}", 224)


ConvNeXtTiny = _variant("Tiny", (3, 3, 9, 3), 96)
ConvNeXtSmall = _variant("Small", (3, 3, 27, 3), 96)
ConvNeXtBase = _variant("Base", (3, 3, 27, 3), 128)
ConvNeXtLarge = _variant("Large", (3, 3, 27, 3), 192)
ConvNeXtXLarge = _variant("XLarge", (3, 3, 27, 3), 256)
