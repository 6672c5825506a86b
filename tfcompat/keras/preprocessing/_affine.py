"""Random changes of pictures, as arrays, with SciPy and Pillow: the functions of `tf.keras.preprocessing.image`."""

from typing import Any

import numpy as np

from tfcompat.keras.utils._images import array_to_img, img_to_array


def _ndimage() -> Any:
    try:
        from scipy import ndimage  # optional; only these functions use it
    except ImportError as error:
        raise ImportError("Image transformations require SciPy. Install SciPy.") from error
    return ndimage


def apply_affine_transform(x, theta=0, tx=0, ty=0, shear=0, zx=1, zy=1, row_axis=1, col_axis=2, channel_axis=0,
                           fill_mode="nearest", cval=0.0, order=1):  # fmt: skip
    """A picture rotated, shifted, sheared and zoomed about its middle, in this order.

    Args:
      x: array of rank 3.
      theta: degrees to rotate by.
      tx, ty: pixels to shift by, along rows and columns.
      shear: degrees to shear by.
      zx, zy: what sizes are divided by.
      row_axis, col_axis, channel_axis: ints; channels are the first or last axis.
      fill_mode: "constant", "nearest", "reflect" or "wrap": what there is outside of the picture.
      cval: float, for "constant".
      order: int, degree of the splines that interpolate.

    Returns:
      NumPy array.

    Raises:
      ValueError: another rank, or axes that are not these three.
      ImportError: SciPy is not installed.

    TF: `tf.keras.preprocessing.image.apply_affine_transform`; no known difference.
    """
    ndimage = _ndimage()
    axes = [row_axis, col_axis, channel_axis]
    if len(set(axes)) != 3:
        raise ValueError("'row_axis', 'col_axis', and 'channel_axis' must be distinct")
    if set(axes) != {0, 1, 2}:
        raise ValueError(f"Invalid axis' indices: {set(axes) - {0, 1, 2}}")
    if x.ndim != 3:
        raise ValueError("Input arrays must be multi-channel 2D images.")
    if channel_axis == 1:
        raise ValueError("Channels are allowed and the first and last dimensions.")
    steps = []
    if theta != 0:
        theta = np.deg2rad(theta)
        steps.append([[np.cos(theta), -np.sin(theta), 0], [np.sin(theta), np.cos(theta), 0], [0, 0, 1]])
    if tx != 0 or ty != 0:
        steps.append([[1, 0, tx], [0, 1, ty], [0, 0, 1]])
    if shear != 0:
        shear = np.deg2rad(shear)
        steps.append([[1, -np.sin(shear), 0], [0, np.cos(shear), 0], [0, 0, 1]])
    if zx != 1 or zy != 1:
        steps.append([[zx, 0, 0], [0, zy, 0], [0, 0, 1]])
    if not steps:
        return x
    matrix = np.array(steps[0])
    for step in steps[1:]:
        matrix = matrix @ np.array(step)
    middle = [float(x.shape[axis]) / 2 - 0.5 for axis in (row_axis, col_axis)]
    there, back = np.eye(3), np.eye(3)
    there[:2, 2], back[:2, 2] = middle, np.negative(middle)
    matrix = there @ matrix @ back
    if col_axis > row_axis:
        matrix = matrix[[1, 0, 2]][:, [1, 0, 2]]

    def moved(plane):
        return ndimage.affine_transform(
            plane, matrix[:2, :2], matrix[:2, 2], order=order, mode=fill_mode, cval=cval
        )

    return _by_channel(moved, x, channel_axis)


def _by_channel(function, x, axis):
    """`function` of each channel. The result lies in memory as TF's, on which the last digits of its mean depend."""
    return np.moveaxis(np.stack([function(plane) for plane in np.moveaxis(x, axis, 0)]), 0, axis)


def random_rotation(x, rg, row_axis=1, col_axis=2, channel_axis=0, fill_mode="nearest", cval=0.0,
                    interpolation_order=1):  # fmt: skip
    """A picture rotated by up to `rg` degrees either way; see `apply_affine_transform`.

    TF: `tf.keras.preprocessing.image.random_rotation`; draws from `np.random`, as there.
    """
    theta = np.random.uniform(-rg, rg)
    return apply_affine_transform(x, theta, 0, 0, 0, 1, 1, row_axis, col_axis, channel_axis, fill_mode, cval,
                                  interpolation_order)  # fmt: skip


def random_shift(x, wrg, hrg, row_axis=1, col_axis=2, channel_axis=0, fill_mode="nearest", cval=0.0,
                 interpolation_order=1):  # fmt: skip
    """A picture shifted by up to shares `wrg` of its width and `hrg` of its height; see `apply_affine_transform`.

    TF: `tf.keras.preprocessing.image.random_shift`; draws from `np.random`, as there.
    """
    tx = np.random.uniform(-hrg, hrg) * x.shape[row_axis]
    ty = np.random.uniform(-wrg, wrg) * x.shape[col_axis]
    return apply_affine_transform(x, 0, tx, ty, 0, 1, 1, row_axis, col_axis, channel_axis, fill_mode, cval,
                                  interpolation_order)  # fmt: skip


def random_shear(x, intensity, row_axis=1, col_axis=2, channel_axis=0, fill_mode="nearest", cval=0.0,
                 interpolation_order=1):  # fmt: skip
    """A picture sheared by up to `intensity` degrees either way; see `apply_affine_transform`.

    TF: `tf.keras.preprocessing.image.random_shear`; draws from `np.random`, as there.
    """
    shear = np.random.uniform(-intensity, intensity)
    return apply_affine_transform(x, 0, 0, 0, shear, 1, 1, row_axis, col_axis, channel_axis, fill_mode, cval,
                                  interpolation_order)  # fmt: skip


def random_zoom(x, zoom_range, row_axis=1, col_axis=2, channel_axis=0, fill_mode="nearest", cval=0.0,
                interpolation_order=1):  # fmt: skip
    """A picture zoomed along each axis by a number from a range; see `apply_affine_transform`.

    TF: `tf.keras.preprocessing.image.random_zoom`; draws from `np.random`, as there.
    """
    if len(zoom_range) != 2:
        raise ValueError(f"`zoom_range` should be a tuple or list of two floats. Received: {zoom_range}")
    zx, zy = drawn_zoom(zoom_range)
    return apply_affine_transform(x, 0, 0, 0, 0, zx, zy, row_axis, col_axis, channel_axis, fill_mode, cval,
                                  interpolation_order)  # fmt: skip


def drawn_zoom(zoom_range):
    """Two numbers of a range; ones, and nothing is drawn, for ones."""
    if zoom_range[0] == 1 and zoom_range[1] == 1:
        return 1, 1
    return np.random.uniform(zoom_range[0], zoom_range[1], 2)


def apply_channel_shift(x, intensity, channel_axis=0):
    """A picture with a number added, within the range of its values.

    TF: `tf.keras.preprocessing.image.apply_channel_shift`; no known difference.
    """
    least, most = np.min(x), np.max(x)
    return _by_channel(lambda plane: np.clip(plane + intensity, least, most), x, channel_axis)


def random_channel_shift(x, intensity_range, channel_axis=0):
    """A picture with a number of up to `intensity_range` added or subtracted, within the range of its values.

    TF: `tf.keras.preprocessing.image.random_channel_shift`; draws from `np.random`, as there.
    """
    return apply_channel_shift(x, np.random.uniform(-intensity_range, intensity_range), channel_axis)


def apply_brightness_shift(x, brightness, scale=True):
    """A picture with its brightness multiplied.

    Args:
      x: array of rank 3.
      brightness: float.
      scale: bool, whether its values are spread from 0 to 255 first. It is done anyway if they are not within
        that range, and undone after.

    Raises:
      ImportError: Pillow is not installed.

    TF: `tf.keras.preprocessing.image.apply_brightness_shift`; no known difference.
    """
    try:
        from PIL import ImageEnhance  # optional
    except ImportError as error:
        raise ImportError("Using brightness shifts requires PIL. Install PIL or Pillow.") from error
    least, most = np.min(x), np.max(x)
    beyond = least < 0 or most > 255
    picture = ImageEnhance.Brightness(array_to_img(x, scale=bool(beyond or scale))).enhance(brightness)
    x = img_to_array(picture)
    return x / 255 * (most - least) + least if beyond and not scale else x


def random_brightness(x, brightness_range, scale=True):
    """A picture with its brightness multiplied by a number of a range; see `apply_brightness_shift`.

    TF: `tf.keras.preprocessing.image.random_brightness`; draws from `np.random`, as there.
    """
    if len(brightness_range) != 2:
        raise ValueError(f"`brightness_range should be tuple or list of two floats. Received: {brightness_range}")
    return apply_brightness_shift(x, np.random.uniform(*brightness_range), scale)
