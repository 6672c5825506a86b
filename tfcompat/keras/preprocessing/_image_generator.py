"""`ImageDataGenerator`: pictures changed at random, batch by batch."""

import warnings
from typing import Any

import numpy as np

from tfcompat.keras.preprocessing._affine import (
    apply_affine_transform,
    apply_brightness_shift,
    apply_channel_shift,
    drawn_zoom,
)
from tfcompat.keras.preprocessing._image_iterators import (
    DataFrameIterator,
    DirectoryIterator,
    NumpyArrayIterator,
    warn_of_channels,
)
from tfcompat.layers._layer import settings as _settings


class ImageDataGenerator:
    """Batches of pictures that are changed at random, and standardized.

    Args:
      featurewise_center, featurewise_std_normalization: bools, whether the mean of all pictures that `fit` was called
        with is subtracted, and it is divided by their deviation; for each channel.
      samplewise_center, samplewise_std_normalization: bools, the same for each picture alone.
      zca_whitening, zca_epsilon: bool, whether ZCA whitening is applied, and what is added to singular values.
      rotation_range: float, degrees.
      width_shift_range, height_shift_range: float, a share if below 1, else pixels; or int or array of pixels.
      brightness_range: pair of floats, or None.
      shear_range: float, degrees.
      zoom_range: float or pair of floats.
      channel_shift_range: float.
      fill_mode, cval, interpolation_order: as for `apply_affine_transform`.
      horizontal_flip, vertical_flip: bools.
      rescale: float that values are multiplied with, or None.
      preprocessing_function: function of an array to one of the same shape, called first; or None.
      data_format: "channels_first" or "channels_last"; `tf.keras.backend.image_data_format()` by default.
      validation_split: float, the share of the subset "validation".
      dtype: NumPy dtype; `tf.keras.backend.floatx()` by default.

    Raises:
      ValueError: an unknown data format; ranges that are none.

    SciPy rotates, shifts, shears and zooms; Pillow changes brightness and reads files.
    TF: `tf.keras.preprocessing.image.ImageDataGenerator`; draws the same from `np.random`. No known difference.
    """

    def __init__(self, featurewise_center=False, samplewise_center=False, featurewise_std_normalization=False,
                 samplewise_std_normalization=False, zca_whitening=False, zca_epsilon=1e-6, rotation_range=0,
                 width_shift_range=0.0, height_shift_range=0.0, brightness_range=None, shear_range=0.0, zoom_range=0.0,
                 channel_shift_range=0.0, fill_mode="nearest", cval=0.0, horizontal_flip=False, vertical_flip=False,
                 rescale=None, preprocessing_function=None, data_format=None, validation_split=0.0,
                 interpolation_order=1, dtype=None):  # fmt: skip
        data_format = data_format or _settings.image_data_format()
        if data_format not in ("channels_last", "channels_first"):
            raise ValueError(
                '`data_format` should be `"channels_last"` (channel after row and column) or `"channels_first"` '
                f"(channel before row and column). Received: {data_format}"
            )
        if validation_split and not 0 < validation_split < 1:
            raise ValueError(
                f"`validation_split` must be strictly between 0 and 1.  Received: {validation_split}"
            )
        if isinstance(zoom_range, float | int):
            zoom_range = [1 - zoom_range, 1 + zoom_range]
        elif len(zoom_range) != 2 or not all(isinstance(x, float | int) for x in zoom_range):
            raise ValueError(
                f"`zoom_range` should be a float or a tuple or list of two floats. Received: {zoom_range}"
            )
        if brightness_range is not None and (
            not isinstance(brightness_range, tuple | list) or len(brightness_range) != 2
        ):
            raise ValueError(
                f"`brightness_range should be tuple or list of two floats. Received: {brightness_range}"
            )
        self.featurewise_center = featurewise_center
        self.samplewise_center = samplewise_center
        self.featurewise_std_normalization = featurewise_std_normalization
        self.samplewise_std_normalization = samplewise_std_normalization
        self.zca_whitening = zca_whitening
        self.zca_epsilon = zca_epsilon
        self.rotation_range = rotation_range
        self.width_shift_range = width_shift_range
        self.height_shift_range = height_shift_range
        self.brightness_range = brightness_range
        self.shear_range = shear_range
        self.zoom_range = list(zoom_range)
        self.channel_shift_range = channel_shift_range
        self.fill_mode = fill_mode
        self.cval = cval
        self.horizontal_flip = horizontal_flip
        self.vertical_flip = vertical_flip
        self.rescale = rescale
        self.preprocessing_function = preprocessing_function
        self.interpolation_order = interpolation_order
        self.dtype = dtype or _settings.floatx()
        self.data_format = data_format
        last = data_format == "channels_last"
        self.row_axis, self.col_axis, self.channel_axis = (1, 2, 3) if last else (2, 3, 1)
        self._validation_split = validation_split
        self.mean: Any = None
        self.std: Any = None
        self.zca_whitening_matrix: Any = None
        if zca_whitening:
            self._override("zca_whitening", "featurewise_center", True)
            self._override("zca_whitening", "featurewise_std_normalization", False)
        if featurewise_std_normalization:
            self._override("featurewise_std_normalization", "featurewise_center", True)
        if samplewise_std_normalization:
            self._override("samplewise_std_normalization", "samplewise_center", True)

    def _override(self, name, other, value):
        if getattr(self, other) != value:
            setattr(self, other, value)
            warnings.warn(
                f"This ImageDataGenerator specifies `{name}`, which overrides setting of `{other}`.", stacklevel=3
            )

    # --- batches -------------------------------------------------------------------------------------------

    def flow(self, x, y=None, batch_size=32, shuffle=True, sample_weight=None, seed=None, save_to_dir=None,
             save_prefix="", save_format="png", ignore_class_split=False, subset=None):  # fmt: skip
        """Batches of pictures in an array; see `NumpyArrayIterator`."""
        return NumpyArrayIterator(
            x, y, self, batch_size, shuffle, sample_weight, seed, self.data_format, save_to_dir, save_prefix,
            save_format, subset, ignore_class_split, self.dtype,
        )  # fmt: skip

    def flow_from_directory(self, directory, target_size=(256, 256), color_mode="rgb", classes=None,
                            class_mode="categorical", batch_size=32, shuffle=True, seed=None, save_to_dir=None,
                            save_prefix="", save_format="png", follow_links=False, subset=None,
                            interpolation="nearest", keep_aspect_ratio=False):  # fmt: skip
        """Batches of the picture files in a folder; see `DirectoryIterator`."""
        return DirectoryIterator(
            directory, self, target_size, color_mode, classes, class_mode, batch_size, shuffle, seed, self.data_format,
            save_to_dir, save_prefix, save_format, follow_links, subset, interpolation, keep_aspect_ratio, self.dtype,
        )  # fmt: skip

    def flow_from_dataframe(self, dataframe, directory=None, x_col="filename", y_col="class", weight_col=None,
                            target_size=(256, 256), color_mode="rgb", classes=None, class_mode="categorical",
                            batch_size=32, shuffle=True, seed=None, save_to_dir=None, save_prefix="",
                            save_format="png", subset=None, interpolation="nearest", validate_filenames=True,
                            **kwargs):  # fmt: skip
        """Batches of the picture files that a table of pandas's names.

        Args:
          dataframe: table of pandas's.
          directory: path that the paths in it begin from.
          x_col: column of paths.
          y_col: column of labels; list of columns for "multi_output" and "raw".
          weight_col: column of weights, or None.
          classes: list of labels; rows with others are left out.
          class_mode: "binary", "categorical", "sparse", "input", "multi_output" (a list of arrays), "raw" (the
            numbers in the columns), or None for no labels.
          validate_filenames: bool, whether rows whose file is not there, or no picture, are left out.
          **kwargs: `has_ext`, `sort` and `drop_duplicates`, which have no effect but a warning, as in TensorFlow.
          target_size, color_mode, batch_size, shuffle, seed, save_to_dir, save_prefix, save_format, subset,
            interpolation: as for `DirectoryIterator`.

        Raises:
          TypeError, ValueError: columns do not hold what is needed.
        """
        for name in ("has_ext", "sort", "drop_duplicates"):
            if name in kwargs:
                warnings.warn(f"{name} is deprecated, and has no effect.", DeprecationWarning, stacklevel=2)
        if class_mode == "other":
            warnings.warn(
                '`class_mode` "other" is deprecated, please use `class_mode` "raw".', DeprecationWarning, stacklevel=2
            )
            class_mode = "raw"
        return DataFrameIterator(
            dataframe, directory, self, x_col, y_col, weight_col, target_size, color_mode, classes, class_mode,
            batch_size, shuffle, seed, self.data_format, save_to_dir, save_prefix, save_format, subset, interpolation,
            dtype=self.dtype, validate_filenames=validate_filenames,
        )  # fmt: skip

    # --- single pictures -----------------------------------------------------------------------------------

    def standardize(self, x):
        """A picture, or array of pictures, standardized; it may be changed in place."""
        if self.preprocessing_function:
            x = self.preprocessing_function(x)
        if self.rescale:
            x *= self.rescale
        if self.samplewise_center:
            x -= np.mean(x, keepdims=True)
        if self.samplewise_std_normalization:
            x /= np.std(x, keepdims=True) + 1e-6
        if self.featurewise_center and self._is_fit(self.mean, "featurewise_center"):
            x -= self.mean
        if self.featurewise_std_normalization and self._is_fit(self.std, "featurewise_std_normalization"):
            x /= self.std + 1e-6
        if self.zca_whitening and self._is_fit(self.zca_whitening_matrix, "zca_whitening"):
            x = np.reshape(x.reshape(-1, np.prod(x.shape[-3:])) @ self.zca_whitening_matrix, x.shape)
        return x

    @staticmethod
    def _is_fit(value, name):
        if value is None:
            warnings.warn(
                f"This ImageDataGenerator specifies `{name}`, but it hasn't been fit on any training data. Fit it "
                "first by calling `.fit(numpy_data)`.", stacklevel=3,
            )  # fmt: skip
        return value is not None

    def get_random_transform(self, img_shape, seed=None):
        """What `apply_transform` is to do, drawn at random.

        Args:
          img_shape: shape of a picture.
          seed: int that `np.random` is seeded with, or None.

        Returns:
          Dict with "theta", "tx", "ty", "shear", "zx", "zy", "flip_horizontal", "flip_vertical",
          "channel_shift_intensity" and "brightness".
        """
        if seed is not None:
            np.random.seed(seed)
        theta = np.random.uniform(-self.rotation_range, self.rotation_range) if self.rotation_range else 0
        tx = _drawn_shift(self.height_shift_range, img_shape[self.row_axis - 1])
        ty = _drawn_shift(self.width_shift_range, img_shape[self.col_axis - 1])
        shear = np.random.uniform(-self.shear_range, self.shear_range) if self.shear_range else 0
        zx, zy = drawn_zoom(self.zoom_range)
        flip_horizontal = (np.random.random() < 0.5) * self.horizontal_flip
        flip_vertical = (np.random.random() < 0.5) * self.vertical_flip
        shift = brightness = None
        if self.channel_shift_range != 0:
            shift = np.random.uniform(-self.channel_shift_range, self.channel_shift_range)
        if self.brightness_range is not None:
            brightness = np.random.uniform(*self.brightness_range)
        return {
            "theta": theta, "tx": tx, "ty": ty, "shear": shear, "zx": zx, "zy": zy, "flip_horizontal": flip_horizontal,
            "flip_vertical": flip_vertical, "channel_shift_intensity": shift, "brightness": brightness,
        }  # fmt: skip

    def apply_transform(self, x, transform_parameters):
        """A picture changed as a dict of `get_random_transform` says; what is not in it is left out."""
        get = transform_parameters.get
        row, column, channel = self.row_axis - 1, self.col_axis - 1, self.channel_axis - 1
        x = apply_affine_transform(
            x, get("theta", 0), get("tx", 0), get("ty", 0), get("shear", 0), get("zx", 1), get("zy", 1), row, column,
            channel, self.fill_mode, self.cval, self.interpolation_order,
        )  # fmt: skip
        if get("channel_shift_intensity") is not None:
            x = apply_channel_shift(x, get("channel_shift_intensity"), channel)
        if get("flip_horizontal", False):
            x = np.flip(x, column)
        if get("flip_vertical", False):
            x = np.flip(x, row)
        if get("brightness") is not None:
            x = apply_brightness_shift(x, get("brightness"), False)
        return x

    def random_transform(self, x, seed=None):
        """A picture changed at random; `np.random` is seeded with `seed` first, unless it is None."""
        return self.apply_transform(x, self.get_random_transform(x.shape, seed))

    def fit(self, x, augment=False, rounds=1, seed=None):
        """Computes what featurewise options and whitening need.

        Args:
          x: array of rank 4.
          augment: bool, whether the pictures are changed at random first.
          rounds: int, how often each then counts.
          seed: int that `np.random` is seeded with, or None.

        Raises:
          ValueError: another rank.
        """
        x = np.array(x, dtype=self.dtype)
        if x.ndim != 4:
            raise ValueError(f"Input to `.fit()` should have rank 4. Got array with shape: {x.shape}")
        warn_of_channels(x, self.data_format, "Expected input to be images (as Numpy array) following")
        if seed is not None:
            np.random.seed(seed)
        if self.rescale:
            x *= self.rescale
        if augment:
            x = np.array([self.random_transform(picture) for _ in range(rounds) for picture in x], dtype=self.dtype)
        axes = (0, self.row_axis, self.col_axis)
        if self.featurewise_center:
            self.mean = np.mean(x, axis=axes, keepdims=True)[0]
            x -= self.mean
        if self.featurewise_std_normalization:
            self.std = np.std(x, axis=axes, keepdims=True)[0]
            x /= self.std + 1e-6
        if self.zca_whitening:
            u, s, _ = np.linalg.svd(np.reshape(x, (len(x), -1)).T, full_matrices=False)
            self.zca_whitening_matrix = (u * (np.sqrt(len(x)) / (s + self.zca_epsilon))).dot(u.T)


def _drawn_shift(shift, size):
    """Pixels to shift by: one of the numbers given (an int gives those below it), or one of a range."""
    if not shift:
        return 0
    try:
        drawn = np.random.choice(shift)
        drawn *= np.random.choice([-1, 1])
    except ValueError:
        drawn = np.random.uniform(-shift, shift)
    return drawn * size if np.max(shift) < 1 else drawn
