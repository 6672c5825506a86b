"""`tf.image`: resizing, cropping, colours, random changes."""

from tfcompat._package.missing import missing as _missing
from tfcompat.image._boxes import combined_non_max_suppression as combined_non_max_suppression
from tfcompat.image._boxes import crop_and_resize as crop_and_resize
from tfcompat.image._boxes import non_max_suppression as non_max_suppression
from tfcompat.image._boxes import non_max_suppression_overlaps as non_max_suppression_overlaps
from tfcompat.image._boxes import non_max_suppression_padded as non_max_suppression_padded
from tfcompat.image._boxes import non_max_suppression_with_scores as non_max_suppression_with_scores
from tfcompat.image._color import adjust_brightness as adjust_brightness
from tfcompat.image._color import adjust_contrast as adjust_contrast
from tfcompat.image._color import adjust_gamma as adjust_gamma
from tfcompat.image._color import adjust_hue as adjust_hue
from tfcompat.image._color import adjust_saturation as adjust_saturation
from tfcompat.image._color import convert_image_dtype as convert_image_dtype
from tfcompat.image._color import grayscale_to_rgb as grayscale_to_rgb
from tfcompat.image._color import hsv_to_rgb as hsv_to_rgb
from tfcompat.image._color import psnr as psnr
from tfcompat.image._color import rgb_to_grayscale as rgb_to_grayscale
from tfcompat.image._color import rgb_to_hsv as rgb_to_hsv
from tfcompat.image._color import rgb_to_yiq as rgb_to_yiq
from tfcompat.image._color import rgb_to_yuv as rgb_to_yuv
from tfcompat.image._color import yiq_to_rgb as yiq_to_rgb
from tfcompat.image._color import yuv_to_rgb as yuv_to_rgb
from tfcompat.image._crops import draw_bounding_boxes as draw_bounding_boxes
from tfcompat.image._crops import extract_glimpse as extract_glimpse
from tfcompat.image._crops import sample_distorted_bounding_box as sample_distorted_bounding_box
from tfcompat.image._crops import (
    stateless_sample_distorted_bounding_box as stateless_sample_distorted_bounding_box,
)
from tfcompat.image._filters import image_gradients as image_gradients
from tfcompat.image._filters import per_image_standardization as per_image_standardization
from tfcompat.image._filters import sobel_edges as sobel_edges
from tfcompat.image._filters import total_variation as total_variation
from tfcompat.image._geometry import central_crop as central_crop
from tfcompat.image._geometry import crop_to_bounding_box as crop_to_bounding_box
from tfcompat.image._geometry import extract_patches as extract_patches
from tfcompat.image._geometry import flip_left_right as flip_left_right
from tfcompat.image._geometry import flip_up_down as flip_up_down
from tfcompat.image._geometry import pad_to_bounding_box as pad_to_bounding_box
from tfcompat.image._geometry import resize_with_crop_or_pad as resize_with_crop_or_pad
from tfcompat.image._geometry import rot90 as rot90
from tfcompat.image._geometry import transpose_image as transpose  # noqa: F401
from tfcompat.image._jpeg import adjust_jpeg_quality as adjust_jpeg_quality
from tfcompat.image._jpeg import random_jpeg_quality as random_jpeg_quality
from tfcompat.image._jpeg import stateless_random_jpeg_quality as stateless_random_jpeg_quality
from tfcompat.image._random import random_brightness as random_brightness
from tfcompat.image._random import random_contrast as random_contrast
from tfcompat.image._random import random_crop as random_crop
from tfcompat.image._random import random_flip_left_right as random_flip_left_right
from tfcompat.image._random import random_flip_up_down as random_flip_up_down
from tfcompat.image._random import random_hue as random_hue
from tfcompat.image._random import random_saturation as random_saturation
from tfcompat.image._random import stateless_random_brightness as stateless_random_brightness
from tfcompat.image._random import stateless_random_contrast as stateless_random_contrast
from tfcompat.image._random import stateless_random_crop as stateless_random_crop
from tfcompat.image._random import stateless_random_flip_left_right as stateless_random_flip_left_right
from tfcompat.image._random import stateless_random_flip_up_down as stateless_random_flip_up_down
from tfcompat.image._random import stateless_random_hue as stateless_random_hue
from tfcompat.image._random import stateless_random_saturation as stateless_random_saturation
from tfcompat.image._resize import ResizeMethod as ResizeMethod
from tfcompat.image._resize import resize as resize
from tfcompat.image._resize import resize_with_pad as resize_with_pad
from tfcompat.image._similarity import ssim as ssim
from tfcompat.image._similarity import ssim_multiscale as ssim_multiscale
from tfcompat.io._image import decode_and_crop_jpeg as decode_and_crop_jpeg
from tfcompat.io._image import decode_bmp as decode_bmp
from tfcompat.io._image import decode_gif as decode_gif
from tfcompat.io._image import decode_image as decode_image
from tfcompat.io._image import decode_jpeg as decode_jpeg
from tfcompat.io._image import decode_png as decode_png
from tfcompat.io._image import decode_webp as decode_webp
from tfcompat.io._image import encode_jpeg as encode_jpeg
from tfcompat.io._image import encode_png as encode_png
from tfcompat.io._image import extract_jpeg_shape as extract_jpeg_shape
from tfcompat.io._image import is_jpeg as is_jpeg

__getattr__ = _missing(
    "tf.image",
    hints={
        "decode_jxl": "a library that reads JPEG XL in tf.py_function",
        "generate_bounding_box_proposals": "tf.image.non_max_suppression of the boxes with the best scores",
    },
)
