"""Cases of `tf.image`."""

import numpy as np

from cases._case import Case, c64, f16, f32, f64, i32, points, ties, u8, using

_float32, _float64 = using(lambda tf: tf.float32), using(lambda tf: tf.float64)
_float16 = using(lambda tf: tf.float16)
_uint8, _int32, _int8 = using(lambda tf: tf.uint8), using(lambda tf: tf.int32), using(lambda tf: tf.int8)
_uint16 = using(lambda tf: tf.uint16)


def _unit(*shape):
    return f32(*shape, low=0, high=1)


def _bytes(*shape):
    return u8(*shape, low=0, high=256)


_COLORS = [
    Case("tf.image.adjust_contrast", _unit(2, 3, 4, 2), 2.0),
    Case("tf.image.adjust_contrast", _bytes(3, 4, 3), 0.5),
    Case("tf.image.adjust_contrast", f64(2, 2, 1, low=0, high=1), 1.5),
    Case("tf.image.adjust_contrast", _unit(3, 4), 2.0).raises(),
    Case("tf.image.adjust_contrast", _unit(3, 4, 1), [2.0]).raises(),
    Case("tf.image.adjust_brightness", _unit(2, 3, 1), 0.2).set(smooth=False),
    Case("tf.image.adjust_brightness", _bytes(2, 3, 1), 0.2),
    Case("tf.image.adjust_brightness", f64(2, 3, 1), -0.2),
    Case("tf.image.adjust_gamma", _unit(2, 3, 1), 2.0, 0.5).set(smooth=False),
    Case("tf.image.adjust_gamma", _bytes(2, 3, 1), 0.5),
    Case("tf.image.adjust_gamma", _unit(2, 3, 1), -1.0).raises(),
    Case("tf.image.adjust_saturation", _unit(2, 3, 3), 0.5),
    Case("tf.image.adjust_saturation", _bytes(2, 3, 3), 2.0),
    Case("tf.image.adjust_hue", _unit(2, 3, 3), 0.3),
    Case("tf.image.adjust_hue", _unit(2, 3, 3), -0.7),
    Case("tf.image.adjust_hue", _unit(2, 3, 3), 2.0).raises(),
    Case("tf.image.rgb_to_hsv", f32(2, 4, 3, low=0.05, high=1)),
    Case("tf.image.rgb_to_hsv", points((0.0, 0.0, 0.0), (0.5, 0.5, 0.5), (1.0, 0.0, 0.0), (0.2, 0.7, 0.7))).set(
        order=0
    ),
    Case("tf.image.rgb_to_hsv", _unit(2, 4)).raises(),
    Case("tf.image.hsv_to_rgb", _unit(2, 4, 3)),
    Case("tf.image.hsv_to_rgb", points((0.0, 0.0, 0.0), (0.5, 1.0, 0.5), (1.0, 0.5, 1.0))),
    Case("tf.image.rgb_to_grayscale", _unit(2, 2, 3)).set(smooth=False),
    Case("tf.image.rgb_to_grayscale", _bytes(2, 2, 3)),
    Case("tf.image.grayscale_to_rgb", _unit(2, 2, 1)),
    Case("tf.image.grayscale_to_rgb", _unit(2, 2, 2)).raises(),
    Case("tf.image.rgb_to_yiq", _unit(2, 2, 3)),
    Case("tf.image.yiq_to_rgb", _unit(2, 2, 3)),
    Case("tf.image.rgb_to_yuv", _unit(2, 2, 3)),
    Case("tf.image.yuv_to_rgb", _unit(2, 2, 3)),
    Case("tf.image.psnr", _unit(2, 3, 3, 1), _unit(2, 3, 3, 1), 1.0).set(smooth=False),
    Case("tf.image.psnr", _bytes(3, 3, 1), _bytes(3, 3, 1), 255),
    Case("tf.image.convert_image_dtype", _bytes(2, 3), _float32),
    Case("tf.image.convert_image_dtype", _unit(2, 3), _uint8),
    Case("tf.image.convert_image_dtype", points(-0.5, 0.0, 0.5, 1.0, 2.0), _uint8, saturate=True),
    Case("tf.image.convert_image_dtype", _unit(2, 3), _float64),
    Case("tf.image.convert_image_dtype", _unit(2, 3), _float32),
    Case("tf.image.convert_image_dtype", _bytes(4), _int32),
    Case("tf.image.convert_image_dtype", _bytes(4), _uint16),
    Case("tf.image.convert_image_dtype", i32(4, low=0, high=2**31 - 1), _uint8),
    Case("tf.image.convert_image_dtype", _bytes(4), _int8, saturate=True),
    Case("tf.image.convert_image_dtype", _bytes(4), _float16),
    Case("tf.image.convert_image_dtype", _unit(2), using(lambda tf: tf.bool)).raises(),
    Case("tf.image.convert_image_dtype", c64(2), _float32).raises(),
]

_GEOMETRY = [
    Case("tf.image.flip_left_right", f32(2, 3, 1)),
    Case("tf.image.flip_left_right", f32(2, 2, 3, 1)),
    Case("tf.image.flip_left_right", f32(2, 3)).raises(),
    Case("tf.image.flip_up_down", f32(2, 3, 1)),
    Case("tf.image.flip_up_down", u8(2, 2, 3, 1)),
    Case("tf.image.transpose", f32(2, 3, 1)),
    Case("tf.image.transpose", f32(2, 2, 3, 1)),
    Case("tf.image.rot90", f32(2, 3, 1)),
    Case("tf.image.rot90", f32(2, 3, 1), 2),
    Case("tf.image.rot90", f32(1, 2, 3, 1), k=-1),
    Case("tf.image.rot90", f32(2, 3, 1), 4),
    Case("tf.image.central_crop", f32(5, 6, 1), 0.5),
    Case("tf.image.central_crop", f32(1, 5, 6, 1), 0.7),
    Case("tf.image.central_crop", f32(5, 6, 1), 1.0),
    Case("tf.image.central_crop", f32(5, 6, 1), 0.0).raises(),
    Case("tf.image.crop_to_bounding_box", f32(4, 5, 1), 1, 2, 2, 3),
    Case("tf.image.crop_to_bounding_box", f32(4, 5, 1), 1, 2, 2, 4).raises(),
    Case("tf.image.pad_to_bounding_box", f32(2, 3, 1), 1, 2, 4, 6),
    Case("tf.image.pad_to_bounding_box", f32(2, 3, 1), 1, 2, 2, 6).raises(),
    Case("tf.image.resize_with_crop_or_pad", f32(4, 5, 1), 6, 3),
    Case("tf.image.resize_with_crop_or_pad", f32(1, 4, 5, 1), 3, 8),
    Case("tf.image.resize_with_crop_or_pad", f32(4, 5, 1), 0, 3).raises(),
    Case("tf.image.extract_patches", f32(1, 5, 6, 2), [1, 3, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"),
    Case("tf.image.extract_patches", f32(1, 5, 6, 1), [1, 2, 2, 1], [1, 2, 2, 1], [1, 2, 1, 1], "SAME"),
    Case("tf.image.extract_patches", f32(5, 6, 1), [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "SAME").raises(),
]

_FILTERS = [
    Case("tf.image.total_variation", f32(3, 4, 2)),
    Case("tf.image.total_variation", ties(2, 3, 3, 1)),
    Case("tf.image.total_variation", i32(3, 3, 1)),
    Case("tf.image.total_variation", f32(3, 4)).raises(),
    Case("tf.image.image_gradients", f32(1, 3, 4, 2)),
    Case("tf.image.image_gradients", f32(3, 4, 2)).raises(),
    Case("tf.image.sobel_edges", f32(2, 3, 4, 2)),
    Case("tf.image.sobel_edges", f64(1, 2, 2, 1)),
    Case("tf.image.per_image_standardization", f32(2, 3, 4, 1)).set(smooth=False),
    Case("tf.image.per_image_standardization", _bytes(3, 4, 1)),
    Case("tf.image.per_image_standardization", f32(value=[[[0.5], [0.5]]])).set(order=0),
    Case("tf.image.per_image_standardization", f32(3, 4)).raises(),
]

_NO_JVP = "TF has no second derivative of bilinear resizing, nor a forward derivative, which needs it"


def _bilinear(*args, **kwargs):
    return Case("tf.image.resize", *args, **kwargs).set(smooth=False).differs(jvp=_NO_JVP)


_METHODS = ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")

_RESIZING = [
    *[Case("tf.image.resize", f32(1, 5, 4, 2), [8, 3], method=method).set(smooth=False) for method in _METHODS[1:]],
    _bilinear(f32(1, 5, 4, 2), [8, 3]),
    *[Case("tf.image.resize", f32(7, 9, 1), [3, 4], method, antialias=True).set(smooth=False) for method in _METHODS],
    *[Case("tf.image.resize", f32(1, 4, 4, 1), [4, 4], method=method).set(smooth=False) for method in _METHODS[1:]],
    _bilinear(f32(1, 4, 4, 1), [4, 4]),
    Case("tf.image.resize", _bytes(4, 4, 3), [2, 6]),
    Case("tf.image.resize", _bytes(4, 4, 3), [2, 6], "nearest"),
    _bilinear(f64(4, 4, 1), (7, 2)).set(rtol=1e-6, atol=1e-6, reason="the result is float32"),
    _bilinear(f16(4, 4, 1), (7, 2)),
    _bilinear(f32(6, 4, 1), [3, 10], preserve_aspect_ratio=True),
    _bilinear(f32(6, 4, 1), i32(value=[3, 3])),
    Case("tf.image.resize", f32(6, 4, 1), [3, 3], using(lambda tf: tf.image.ResizeMethod.NEAREST_NEIGHBOR)).set(
        smooth=False
    ),
    Case("tf.image.resize", f32(6, 4), [3, 3]).raises(),
    Case("tf.image.resize", f32(6, 4, 1), [3]).raises(),
    Case("tf.image.resize", f32(6, 4, 1), [3, 3], "foo").raises(),
    Case("tf.image.resize", f32(6, 4, 1), [0, 3]).raises(),
    Case("tf.image.resize", f32(6, 4, 1), [3.5, 3]).raises(),
    Case("tf.image.resize_with_pad", f32(4, 6, 1), 5, 5).set(smooth=False).differs(jvp=_NO_JVP),
    Case("tf.image.resize_with_pad", f32(1, 6, 4, 2), 3, 8, antialias=True).set(smooth=False),
    Case("tf.image.resize_with_pad", f32(4, 6, 1), 8, 8, method="nearest").set(smooth=False),
    Case("tf.image.resize_with_pad", f32(4, 6, 1), 0, 5).raises(),
]

_RANDOM = [
    Case("tf.image.random_flip_left_right", f32(2, 3, 1), seed=1).set(seed=4),
    Case("tf.image.random_flip_left_right", f32(2, 3, 1), seed=3).set(seed=5),
    Case("tf.image.random_flip_left_right", f32(5, 2, 3, 1), seed=1).set(seed=4),
    Case("tf.image.random_flip_up_down", f32(2, 3, 1)).set(seed=4),
    Case("tf.image.random_crop", f32(5, 6, 1), [2, 3, 1], seed=2).set(seed=4),
    Case("tf.image.random_crop", f32(5, 6, 1), [2, 7, 1], seed=2).raises(),
    Case("tf.image.random_brightness", _unit(2, 3, 1), 0.3, seed=2).set(seed=4),
    Case("tf.image.random_brightness", _unit(2, 3, 1), -0.3).raises(),
    Case("tf.image.random_contrast", _unit(2, 3, 1), 0.3, 0.9, seed=2).set(seed=4),
    Case("tf.image.random_contrast", _unit(2, 3, 1), 0.9, 0.3).raises(),
    Case("tf.image.random_saturation", _unit(2, 3, 3), 0.3, 0.9, seed=2).set(seed=4),
    Case("tf.image.random_hue", _unit(2, 3, 3), 0.3, seed=2).set(seed=4),
    Case("tf.image.random_hue", _unit(2, 3, 3), 0.7).raises(),
    Case("tf.image.stateless_random_flip_left_right", f32(5, 2, 3, 1), [1, 2]),
    Case("tf.image.stateless_random_flip_up_down", f32(2, 3, 1), [1, 2]),
    Case("tf.image.stateless_random_crop", f32(5, 6, 1), [2, 3, 1], [1, 2]),
    Case("tf.image.stateless_random_brightness", _unit(2, 3, 1), 0.3, [1, 2]),
    Case("tf.image.stateless_random_contrast", _unit(2, 3, 1), 0.3, 0.9, [1, 2]),
    Case("tf.image.stateless_random_saturation", _unit(2, 3, 3), 0.3, 0.9, [1, 2]),
    Case("tf.image.stateless_random_hue", _unit(2, 3, 3), 0.3, [1, 2]),
]

_WAVES = np.arange(156).reshape(1, 13, 12, 1) % 17 / 17

_BOXES = [
    Case(
        "tf.image.crop_and_resize",
        f32(2, 4, 5, 2),
        f32(value=[[0.1, 0.2, 0.8, 0.7], [0.9, 0.1, 0.2, 0.6]]),
        [0, 1],
        [3, 2],
    ).set(smooth=False),
    Case(
        "tf.image.crop_and_resize",
        f32(1, 4, 4, 1),
        f32(value=[[-0.5, 0.1, 1.3, 0.8]]),
        [0],
        [3, 3],
        extrapolation_value=9.0,
    ).set(smooth=False),
    Case("tf.image.crop_and_resize", f32(1, 4, 4, 1), f32(value=[[0.1, 0.1, 0.9, 0.8]]), [0], [1, 1]).set(smooth=False),
    Case("tf.image.crop_and_resize", f32(1, 4, 4, 1), [[0.1, 0.2, 0.8, 0.8]], [0], [3, 3], "nearest").set(smooth=False),
    Case("tf.image.crop_and_resize", u8(1, 4, 4, 1), [[0.0, 0.0, 1.0, 1.0]], [0], [2, 2]),
    Case("tf.image.crop_and_resize", f32(4, 4, 1), [[0.0, 0.0, 1.0, 1.0]], [0], [2, 2]).raises(),
    Case("tf.image.crop_and_resize", f32(1, 4, 4, 1), [[0.0, 0.0, 1.0]], [0], [2, 2]).raises(),
    Case("tf.image.crop_and_resize", f32(1, 4, 4, 1), [[0.0, 0.0, 1.0, 1.0]], [0], [2, 0]).raises(),
    Case("tf.image.crop_and_resize", f32(1, 4, 4, 1), [[0.0, 0.0, 1.0, 1.0]], [0], [2, 2], "foo").raises(),
    Case("tf.image.non_max_suppression", f32(8, 4, low=0, high=1), f32(8), 5, 0.2),
    Case("tf.image.non_max_suppression", f32(8, 4, low=0, high=1), f32(8), 8, 0.9, score_threshold=0.0),
    Case("tf.image.non_max_suppression", f32(8, 3), f32(8), 5).raises(),
    Case("tf.image.non_max_suppression", f32(8, 4), f32(7), 5).raises(),
    Case("tf.image.non_max_suppression", f32(8, 4), f32(8), 5, 2.0).raises(),
    Case(
        "tf.image.non_max_suppression_with_scores", f32(8, 4, low=0, high=1), f32(8, low=0, high=1), 6, 0.6, 0.1, 0.5
    ).set(order=0),
    Case("tf.image.non_max_suppression_overlaps", f32(6, 6, low=0, high=1), f32(6), 4, 0.3),
    Case("tf.image.ssim", _unit(2, 8, 9, 2), _unit(2, 8, 9, 2), 1.0, filter_size=5),
    Case("tf.image.ssim", _bytes(12, 12, 1), _bytes(12, 12, 1), 255),
    Case("tf.image.ssim", _unit(8, 8, 1), _unit(8, 8, 1), 1.0, filter_size=3, return_index_map=True).set(order=1),
    Case("tf.image.ssim", _unit(8, 8), _unit(8, 8), 1.0).raises(),
    Case("tf.image.ssim", _unit(8, 8, 1), _unit(9, 8, 1), 1.0).raises(),
    Case("tf.image.ssim", _unit(8, 8, 1), _unit(8, 8, 1), 1.0).raises(),
    Case("tf.image.ssim_multiscale", f32(value=_WAVES), f32(value=_WAVES**2), 1.0, (0.3, 0.7), 3).set(order=1),
    Case("tf.image.ssim_multiscale", _unit(12, 12, 1), _unit(12, 12, 1), 1.0).raises(),
]

CASES = [*_BOXES, *_COLORS, *_GEOMETRY, *_FILTERS, *_RESIZING, *_RANDOM]
