"""Made by stubs/render.py."""
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)

class DirectoryIterator(_tf.keras.preprocessing.image.Iterator):
    image_data_generator: _t.Any
    target_size: _t.Any
    keep_aspect_ratio: _t.Any
    color_mode: _t.Any
    class_mode: _t.Any
    data_format: _t.Any
    image_shape: _t.Any
    interpolation: _t.Any
    dtype: _t.Any
    subset: _t.Any
    split: _t.Any
    save_to_dir: _t.Any
    save_prefix: _t.Any
    save_format: _t.Any
    labels: _t.Any
    sample_weight: _t.Any
    filepaths: _t.Any
    directory: _t.Any
    num_classes: _t.Any
    class_indices: _t.Any
    samples: _t.Any
    classes: _t.Any
    filenames: _t.Any
    def __init__(self, directory, image_data_generator, target_size=..., color_mode: _builtins.str = ..., classes=..., class_mode=..., batch_size=..., shuffle=..., seed=..., data_format=..., save_to_dir=..., save_prefix=..., save_format=..., follow_links: _p.Flag | None = ..., subset=..., interpolation=..., keep_aspect_ratio=..., dtype: _p.DTypeLike | None = ...) -> None: ...
class ImageDataGenerator(_builtins.object):
    featurewise_center: _t.Any
    samplewise_center: _t.Any
    featurewise_std_normalization: _t.Any
    samplewise_std_normalization: _t.Any
    zca_whitening: _t.Any
    zca_epsilon: _t.Any
    rotation_range: _t.Any
    width_shift_range: _t.Any
    height_shift_range: _t.Any
    brightness_range: _t.Any
    shear_range: _t.Any
    zoom_range: _t.Any
    channel_shift_range: _t.Any
    fill_mode: _t.Any
    cval: _t.Any
    horizontal_flip: _t.Any
    vertical_flip: _t.Any
    rescale: _t.Any
    preprocessing_function: _t.Any
    interpolation_order: _t.Any
    dtype: _t.Any
    data_format: _t.Any
    mean: _t.Any
    std: _t.Any
    zca_whitening_matrix: _t.Any
    row_axis: _t.Any
    col_axis: _t.Any
    channel_axis: _t.Any
    def __init__(self, featurewise_center=..., samplewise_center=..., featurewise_std_normalization=..., samplewise_std_normalization=..., zca_whitening: _p.Flag | None = ..., zca_epsilon=..., rotation_range=..., width_shift_range=..., height_shift_range=..., brightness_range=..., shear_range=..., zoom_range=..., channel_shift_range=..., fill_mode=..., cval=..., horizontal_flip=..., vertical_flip=..., rescale=..., preprocessing_function: _t.Callable[..., _t.Any] | None = ..., data_format=..., validation_split=..., interpolation_order=..., dtype: _p.DTypeLike | None = ...) -> None: ...
    def flow(self, x, y=..., batch_size=..., shuffle=..., sample_weight=..., seed=..., save_to_dir=..., save_prefix=..., save_format=..., ignore_class_split=..., subset=...): ...
    def flow_from_directory(self, directory, target_size=..., color_mode=..., classes=..., class_mode=..., batch_size=..., shuffle=..., seed=..., save_to_dir=..., save_prefix=..., save_format=..., follow_links=..., subset=..., interpolation=..., keep_aspect_ratio=...): ...
    def flow_from_dataframe(self, dataframe, directory=..., x_col=..., y_col=..., weight_col=..., target_size=..., color_mode=..., classes=..., class_mode=..., batch_size=..., shuffle=..., seed=..., save_to_dir=..., save_prefix=..., save_format=..., subset=..., interpolation=..., validate_filenames=..., **kwargs): ...
    def standardize(self, x): ...
    def get_random_transform(self, img_shape, seed=...): ...
    def apply_transform(self, x, transform_parameters): ...
    def random_transform(self, x, seed=...): ...
    def fit(self, x, augment=..., rounds=..., seed=...): ...
class Iterator(_tf.keras.utils.Sequence):
    n: _t.Any
    batch_size: _t.Any
    seed: _t.Any
    shuffle: _t.Any
    batch_index: _t.Any
    total_batches_seen: _t.Any
    lock: _t.Any
    index_array: _t.Any
    index_generator: _t.Any
    white_list_formats: _t.Any
    def __init__(self, n: _p.Int, batch_size: _p.Int, shuffle, seed) -> None: ...
    def __getitem__(self, idx): ...
    def __len__(self) -> _builtins.int: ...
    def on_epoch_end(self): ...
    def reset(self): ...
    def __iter__(self) -> _t.Iterator[_t.Any]: ...
    def __next__(self): ...
    def next(self): ...
class NumpyArrayIterator(_tf.keras.preprocessing.image.Iterator):
    dtype: _t.Any
    x: _t.Any
    x_misc: _t.Any
    data_format: _t.Any
    y: _t.Any
    sample_weight: _t.Any
    image_data_generator: _t.Any
    save_to_dir: _t.Any
    save_prefix: _t.Any
    save_format: _t.Any
    def __init__(self, x, y, image_data_generator, batch_size=..., shuffle=..., sample_weight=..., seed=..., data_format=..., save_to_dir=..., save_prefix=..., save_format=..., subset=..., ignore_class_split: _p.Flag | None = ..., dtype: _p.DTypeLike | None = ...) -> None: ...
def apply_affine_transform(x, theta=..., tx=..., ty=..., shear=..., zx=..., zy=..., row_axis=..., col_axis=..., channel_axis=..., fill_mode=..., cval=..., order: _p.Int = ...): ...
def apply_brightness_shift(x, brightness, scale: _p.Flag | None = ...): ...
def apply_channel_shift(x, intensity, channel_axis=...): ...
from tfcompat.keras.utils import array_to_img as array_to_img
from tfcompat.keras.utils import img_to_array as img_to_array
from tfcompat.keras.utils import load_img as load_img
def random_brightness(x, brightness_range, scale=...): ...
def random_channel_shift(x, intensity_range, channel_axis=...): ...
def random_rotation(x, rg, row_axis=..., col_axis=..., channel_axis=..., fill_mode=..., cval=..., interpolation_order=...): ...
def random_shear(x, intensity, row_axis=..., col_axis=..., channel_axis=..., fill_mode=..., cval=..., interpolation_order=...): ...
def random_shift(x, wrg, hrg, row_axis=..., col_axis=..., channel_axis=..., fill_mode=..., cval=..., interpolation_order=...): ...
def random_zoom(x, zoom_range, row_axis=..., col_axis=..., channel_axis=..., fill_mode=..., cval=..., interpolation_order=...): ...
from tfcompat.keras.utils import save_img as save_img
def smart_resize(x, size, interpolation=...) -> _tf.Tensor: ...
