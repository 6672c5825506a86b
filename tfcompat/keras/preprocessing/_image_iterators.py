"""Batches of pictures, from arrays, folders and tables, for `fit` and for loops."""

import os
import threading
import warnings
from typing import Any

import numpy as np

from tfcompat.keras._training.data import Sequence
from tfcompat.keras.callbacks._messages import print_message
from tfcompat.keras.utils._images import array_to_img, img_to_array, load_img
from tfcompat.layers._layer import settings as _settings


class Iterator(Sequence):
    """Base of endless batches of pictures, which can be asked for by number, too.

    Args:
      n: int, number of pictures.
      batch_size: int.
      shuffle: bool, whether their order is drawn for each epoch, from `np.random`.
      seed: int that `np.random` is seeded with, plus the number of batches so far, before each batch; or None.

    TF: `tf.keras.preprocessing.image.Iterator`; subclasses have `_get_batches_of_transformed_samples(index_array)`.
    """

    white_list_formats = ("png", "jpg", "jpeg", "bmp", "ppm", "tif", "tiff")

    def __init__(self, n, batch_size, shuffle, seed):
        self.n = n
        self.batch_size = batch_size
        self.seed = seed
        self.shuffle = shuffle
        self.batch_index = 0
        self.total_batches_seen = 0
        self.lock = threading.Lock()
        self.index_array: Any = None
        self.index_generator = self._flow_index()

    def _set_index_array(self):
        self.index_array = np.random.permutation(self.n) if self.shuffle else np.arange(self.n)

    def _begin(self):
        if self.seed is not None:
            np.random.seed(self.seed + self.total_batches_seen)

    def __getitem__(self, idx):
        if idx >= len(self):
            raise ValueError(f"Asked to retrieve element {idx}, but the Sequence has length {len(self)}")
        self._begin()
        self.total_batches_seen += 1
        if self.index_array is None:
            self._set_index_array()
        return self._get_batches_of_transformed_samples(
            self.index_array[self.batch_size * idx : self.batch_size * (idx + 1)]
        )

    def __len__(self):
        return (self.n + self.batch_size - 1) // self.batch_size

    def on_epoch_end(self):
        """Draws another order."""
        self._set_index_array()

    def reset(self):
        """Begins with the first batch again."""
        self.batch_index = 0

    def _flow_index(self):
        self.reset()
        while True:
            self._begin()
            if self.batch_index == 0:
                self._set_index_array()
            start = self.batch_index * self.batch_size % self.n if self.n else 0
            self.batch_index = self.batch_index + 1 if self.n > start + self.batch_size else 0
            self.total_batches_seen += 1
            yield self.index_array[start : start + self.batch_size]

    def __iter__(self):
        return self

    def __next__(self):
        return self.next()

    def next(self):
        """The next batch."""
        with self.lock:
            index_array = next(self.index_generator)
        return self._get_batches_of_transformed_samples(index_array)

    def _get_batches_of_transformed_samples(self, index_array):
        """The batch of the pictures of these numbers."""
        raise NotImplementedError

    # What those of arrays and of files share.
    image_data_generator: Any
    data_format: Any
    dtype: Any
    save_to_dir: Any
    save_prefix: str
    save_format: str

    def _changed(self, x):
        """A picture as the generator makes it."""
        generator = self.image_data_generator
        x = generator.apply_transform(x, generator.get_random_transform(x.shape))
        return generator.standardize(x)

    def _save(self, batch, index_array, numbers):
        """Writes the pictures of a batch, if a folder is given; names end in a number that is drawn."""
        if not self.save_to_dir:
            return
        for picture, index in zip(batch, index_array, strict=True):
            name = f"{self.save_prefix}_{index}_{np.random.randint(numbers)}.{self.save_format}"
            array_to_img(picture, self.data_format, scale=True).save(os.path.join(self.save_to_dir, name))


class NumpyArrayIterator(Iterator):
    """Batches of pictures in an array.

    Args:
      x: array of rank 4; or pair of it and an array, or list of arrays, that goes along.
      y: array of labels, or None.
      image_data_generator: ImageDataGenerator.
      batch_size, shuffle, seed: as for `Iterator`.
      sample_weight: array, or None.
      data_format: "channels_first" or "channels_last"; `tf.keras.backend.image_data_format()` by default.
      save_to_dir, save_prefix, save_format: folder to write the pictures to, and how their names begin and end.
      subset: "training" or "validation", for the generator's `validation_split`, or None.
      ignore_class_split: bool, whether labels of both parts may differ.
      dtype: NumPy dtype; `tf.keras.backend.floatx()` by default.

    Raises:
      ValueError: arrays of different lengths or another rank; an unknown subset, or one with other labels.

    TF: `tf.keras.preprocessing.image.NumpyArrayIterator`; no known difference.
    """

    def __init__(self, x, y, image_data_generator, batch_size=32, shuffle=False, sample_weight=None, seed=None,
                 data_format=None, save_to_dir=None, save_prefix="", save_format="png", subset=None,
                 ignore_class_split=False, dtype=None):  # fmt: skip
        self.dtype = dtype or _settings.floatx()
        others = []
        if isinstance(x, tuple | list):
            others = [np.asarray(other) for other in (x[1] if isinstance(x[1], list) else [x[1]])]
            x = x[0]
            for other in others:
                if len(x) != len(other):
                    raise ValueError(
                        "All of the arrays in `x` should have the same length. Found a pair with: len(x[0]) = "
                        f"{len(x)}, len(x[?]) = {len(other)}"
                    )
        for name, array in (("y", y), ("sample_weight", sample_weight)):
            if array is not None and len(x) != len(array):
                argument = "`y` (labels)" if name == "y" else "`sample_weight`"
                raise ValueError(
                    f"`x` (images tensor) and {argument} should have the same length. Found: x.shape = "
                    f"{np.asarray(x).shape}, {name}.shape = {np.asarray(array).shape}"
                )
        if subset is not None:
            if subset not in ("training", "validation"):
                raise ValueError("Invalid subset name:", subset, '; expected "training" or "validation".')
            at = int(len(x) * image_data_generator._validation_split)
            if y is not None and not ignore_class_split and not np.array_equal(np.unique(y[:at]), np.unique(y[at:])):
                raise ValueError(
                    "Training and validation subsets have different number of classes after the split. If your numpy "
                    "arrays are sorted by the label, you might want to shuffle them."
                )
            part = slice(at) if subset == "validation" else slice(at, None)
            x, others = x[part], [other[part] for other in others]
            y = y if y is None else y[part]
        self.x = np.asarray(x, dtype=self.dtype)
        self.x_misc = others
        if self.x.ndim != 4:
            raise ValueError(
                "Input data in `NumpyArrayIterator` should have rank 4. You passed an array with shape", self.x.shape
            )
        self.data_format = data_format or _settings.image_data_format()
        warn_of_channels(self.x, self.data_format, "NumpyArrayIterator is set to use")
        self.y = None if y is None else np.asarray(y)
        self.sample_weight = None if sample_weight is None else np.asarray(sample_weight)
        self.image_data_generator = image_data_generator
        self.save_to_dir, self.save_prefix, self.save_format = save_to_dir, save_prefix, save_format
        super().__init__(len(self.x), batch_size, shuffle, seed)

    def _get_batches_of_transformed_samples(self, index_array):
        batch = np.zeros((len(index_array), *self.x.shape[1:]), dtype=self.dtype)
        for i, j in enumerate(index_array):
            batch[i] = self._changed(self.x[j].astype(self.dtype))
        self._save(batch, index_array, 10_000)
        x: Any = [batch, *(other[index_array] for other in self.x_misc)] if self.x_misc else batch
        if self.y is None:
            return x
        if self.sample_weight is None:
            return x, self.y[index_array]
        return x, self.y[index_array], self.sample_weight[index_array]


def warn_of_channels(x, data_format, who):
    """Warns where an array of pictures has another number of channels than pictures have."""
    axis = 3 if data_format == "channels_last" else 1
    if x.shape[axis] not in (1, 3, 4):
        warnings.warn(
            f'{who} the data format convention "{data_format}" (channels on axis {axis}), i.e. expected either 1, 3 or '
            f"4 channels on axis {axis}. However, it was passed an array with shape {x.shape} ({x.shape[axis]} "
            "channels).", stacklevel=3,
        )  # fmt: skip


class _FileIterator(Iterator):
    """What those of folders and tables share. `classes` has the number of each file's class, or list of numbers."""

    _CLASS_MODES: tuple = ()
    class_mode: Any
    class_indices: Any
    classes: Any
    filenames: list
    labels: Any = None
    sample_weight: Any = None

    def _prepare(self, generator, target_size, color_mode, data_format, class_mode, save_to_dir, save_prefix,
                 save_format, subset, interpolation, keep_aspect_ratio, dtype):  # fmt: skip
        self.image_data_generator = generator
        self.target_size = tuple(target_size)
        self.keep_aspect_ratio = keep_aspect_ratio
        channels = {"rgb": 3, "rgba": 4, "grayscale": 1}
        if color_mode not in channels:
            raise ValueError(
                "Invalid color mode:", color_mode, '; expected "rgb", "rgba", or "grayscale".'
            )
        if class_mode not in self._CLASS_MODES:
            raise ValueError(f"Invalid class_mode: {class_mode}; expected one of: {set(self._CLASS_MODES)}")
        self.color_mode = color_mode
        self.class_mode = class_mode
        self.data_format = data_format or _settings.image_data_format()
        depth = (channels[color_mode],)
        self.image_shape = self.target_size + depth if self.data_format == "channels_last" else depth + self.target_size
        self.save_to_dir, self.save_prefix, self.save_format = save_to_dir, save_prefix, save_format
        self.interpolation = interpolation
        self.dtype = dtype or _settings.floatx()
        if subset not in ("validation", "training", None):
            raise ValueError(f'Invalid subset name: {subset};expected "training" or "validation"')
        self.subset = subset
        self.split = None
        if subset is not None:
            at = generator._validation_split
            self.split = (0, at) if subset == "validation" else (at, 1)

    def _part(self, items):
        """Those of a list that are in the subset."""
        if self.split is None:
            return items
        start, stop = (int(share * len(items)) for share in self.split)
        return items[start:stop]

    @property
    def filepaths(self):
        """The paths of all files."""
        return self._filepaths

    def _get_batches_of_transformed_samples(self, index_array):
        batch = np.zeros((len(index_array), *self.image_shape), dtype=self.dtype)
        for i, j in enumerate(index_array):
            picture = load_img(
                self.filepaths[j], color_mode=self.color_mode, target_size=self.target_size,
                interpolation=self.interpolation, keep_aspect_ratio=self.keep_aspect_ratio,
            )  # fmt: skip
            x = img_to_array(picture, data_format=self.data_format)
            picture.close()
            batch[i] = self._changed(x) if self.image_data_generator else x
        self._save(batch, index_array, 10_000_000)
        if self.class_mode is None:
            return batch
        targets = self._targets(batch, index_array)
        if self.sample_weight is None:
            return batch, targets
        return batch, targets, self.sample_weight[index_array]

    def _targets(self, batch, index_array):
        if self.class_mode == "input":
            return batch.copy()
        if self.class_mode in ("binary", "sparse"):
            return np.array([self.classes[j] for j in index_array], dtype=self.dtype)
        if self.class_mode == "categorical":
            rows = np.zeros((len(batch), len(self.class_indices)), dtype=self.dtype)
            for row, j in zip(rows, index_array, strict=True):
                row[self.classes[j]] = 1
            return rows
        if self.class_mode == "multi_output":
            return [output[index_array] for output in self.labels]
        return self.labels[index_array]


class DirectoryIterator(_FileIterator):
    """Batches of the picture files in a folder, one folder in it for each class.

    Args:
      directory: path.
      image_data_generator: ImageDataGenerator, or None.
      target_size: (height, width).
      color_mode: "rgb", "rgba" or "grayscale".
      classes: list of names of the folders; all, in order, by default.
      class_mode: "categorical", "binary", "sparse", "input" (the pictures themselves), or None for no labels.
      follow_links: bool, whether links to folders are followed.
      interpolation, keep_aspect_ratio: as for `tf.keras.utils.load_img`.
      batch_size, shuffle, seed, data_format, save_to_dir, save_prefix, save_format, subset, dtype: as for
        `NumpyArrayIterator`.

    Raises:
      ValueError: an unknown color mode, class mode or subset.

    Attributes: `samples`, `num_classes`, `class_indices`, `classes`, `filenames`, `filepaths`.
    TF: `tf.keras.preprocessing.image.DirectoryIterator`; no known difference.
    """

    _CLASS_MODES = ("categorical", "binary", "sparse", "input", None)

    def __init__(self, directory, image_data_generator, target_size=(256, 256), color_mode="rgb", classes=None,
                 class_mode="categorical", batch_size=32, shuffle=True, seed=None, data_format=None, save_to_dir=None,
                 save_prefix="", save_format="png", follow_links=False, subset=None, interpolation="nearest",
                 keep_aspect_ratio=False, dtype=None):  # fmt: skip
        self._prepare(image_data_generator, target_size, color_mode, data_format, class_mode, save_to_dir, save_prefix,
                      save_format, subset, interpolation, keep_aspect_ratio, dtype)  # fmt: skip
        self.directory = directory
        if not classes:
            classes = [name for name in sorted(os.listdir(directory)) if os.path.isdir(os.path.join(directory, name))]
        self.num_classes = len(classes)
        self.class_indices = dict(zip(classes, range(len(classes)), strict=True))
        self.filenames, class_numbers = [], []
        for name in classes:
            files = self._part(list(self._files(os.path.join(directory, name), follow_links)))
            self.filenames += [os.path.join(os.path.basename(name), file) for file in files]
            class_numbers += [self.class_indices[os.path.basename(name)]] * len(files)
        self.samples = len(self.filenames)
        self.classes = self.labels = np.array(class_numbers, dtype="int32")
        print_message(f"Found {self.samples} images belonging to {self.num_classes} classes.")
        self._filepaths = [os.path.join(directory, name) for name in self.filenames]
        super().__init__(self.samples, batch_size, shuffle, seed)

    def _files(self, folder, follow_links):
        """Yields the paths of pictures below a folder, in order."""
        for root, _, names in sorted(os.walk(folder, followlinks=follow_links), key=lambda entry: entry[0]):
            for name in sorted(names):
                if name.lower().endswith(".tiff"):
                    warnings.warn(
                        'Using ".tiff" files with multiple bands will cause distortion. Please verify your output.',
                        stacklevel=4,
                    )
                if name.lower().endswith(self.white_list_formats):
                    yield os.path.relpath(os.path.join(root, name), folder)


class DataFrameIterator(_FileIterator):
    """Batches of the picture files that a table of pandas's names; see `ImageDataGenerator.flow_from_dataframe`."""

    _CLASS_MODES = ("binary", "categorical", "input", "multi_output", "raw", "sparse", None)

    def __init__(self, dataframe, directory=None, image_data_generator=None, x_col="filename", y_col="class",
                 weight_col=None, target_size=(256, 256), color_mode="rgb", classes=None, class_mode="categorical",
                 batch_size=32, shuffle=True, seed=None, data_format="channels_last", save_to_dir=None, save_prefix="",
                 save_format="png", subset=None, interpolation="nearest", keep_aspect_ratio=False, dtype="float32",
                 validate_filenames=True):  # fmt: skip
        self._prepare(image_data_generator, target_size, color_mode, data_format, class_mode, save_to_dir, save_prefix,
                      save_format, subset, interpolation, keep_aspect_ratio, dtype)  # fmt: skip
        self.directory = directory or ""
        has_classes = class_mode not in ("input", "multi_output", "raw", None)
        self._check(dataframe, x_col, y_col, weight_col, classes, has_classes)
        paths = [os.path.join(self.directory, name) for name in dataframe[x_col]]
        places = list(range(len(paths)))
        if validate_filenames:
            places = [
                i for i in places if paths[i].lower().endswith(self.white_list_formats) and os.path.isfile(paths[i])
            ]
            if len(places) < len(paths):
                warnings.warn(
                    f'Found {len(paths) - len(places)} invalid image filename(s) in x_col="{x_col}". These filename(s) '
                    "will be ignored.", stacklevel=3,
                )  # fmt: skip
        told = ""
        if has_classes:
            places, labels, classes = self._labeled(places, list(dataframe[y_col]), classes)
            self.class_indices = dict(zip(classes, range(len(classes)), strict=True))
            told = f" belonging to {len(classes)} classes"
        places = self._part(places)
        table = dataframe.iloc[places]
        if has_classes:
            numbers = self.class_indices
            self.classes = self.labels = [
                [numbers[name] for name in labels[i]] if isinstance(labels[i], list | tuple) else numbers[labels[i]]
                for i in places
            ]
        elif class_mode == "multi_output":
            self.labels = [np.array(list(table[column])) for column in y_col]
        elif class_mode == "raw":
            self.labels = table[y_col].values
        self.filenames = list(table[x_col])
        self.sample_weight = table[weight_col].values if weight_col else None
        self.samples = len(places)
        validated = "validated" if validate_filenames else "non-validated"
        print_message(f"Found {self.samples} {validated} image filenames{told}.")
        self._filepaths = [paths[i] for i in places]
        super().__init__(self.samples, batch_size, shuffle, seed)

    def _check(self, table, x_col, y_col, weight_col, classes, has_classes):
        mode = self.class_mode
        if mode == "multi_output" and not isinstance(y_col, list):
            raise TypeError(f'If class_mode="{mode}", y_col must be a list. Received {type(y_col).__name__}.')
        if not all(isinstance(name, str) for name in table[x_col]):
            raise TypeError(f"All values in column x_col={x_col} must be strings.")
        if mode in ("binary", "sparse") and not all(isinstance(label, str) for label in table[y_col]):
            raise TypeError(f'If class_mode="{mode}", y_col="{y_col}" column values must be strings.')
        if mode == "binary":
            count = len(set(classes or table[y_col]))
            if count != 2:
                told = f"{count} class/es were given" if classes else f"Found {count} classes"
                raise ValueError(f'If class_mode="binary" there must be 2 classes. {told}.')
        if mode == "categorical" and not all(isinstance(label, str | list | tuple) for label in table[y_col]):
            raise TypeError(
                f'If class_mode="{mode}", y_col="{y_col}" column values must be type string, list or tuple.'
            )
        if classes and not has_classes:
            warnings.warn(f'`classes` will be ignored given the class_mode="{mode}"', stacklevel=4)
        if weight_col and not issubclass(table[weight_col].dtype.type, np.number):
            raise TypeError(f"Column weight_col={weight_col} must be numeric.")

    @staticmethod
    def _labeled(rows, labels, classes):
        """(rows with a label among `classes`, labels by row, classes); all classes there are, in order, by default."""
        if not classes:
            labels_seen = set()
            for i in rows:
                labels_seen.update(labels[i] if isinstance(labels[i], list | tuple) else [labels[i]])
            return rows, labels, sorted(labels_seen)
        classes = list(dict.fromkeys(classes))
        chosen = dict.fromkeys(rows)
        for i in rows:
            label = labels[i]
            if isinstance(label, list | tuple):
                chosen[i] = [name for name in label if name in classes] or None
            else:
                chosen[i] = label if label in classes else None
        return [i for i in rows if chosen[i] is not None], chosen, classes
