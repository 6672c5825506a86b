"""`tf.keras.utils.*_dataset_from_directory`: datasets of the files in a folder, with the names of folders as labels."""

import os

import numpy as np

from tfcompat import array, audio, data, image, io, strings
from tfcompat.errors import UnimplementedError
from tfcompat.io import gfile
from tfcompat.keras.callbacks._messages import print_message
from tfcompat.layers._preprocessing.image_sizes import resize_method, smart_resize
from tfcompat.ragged._tensor import RaggedTensor

_CHANNELS = {"rgb": 3, "rgba": 4, "grayscale": 1}
_PICTURES = (".bmp", ".gif", ".jpeg", ".jpg", ".png")
_SOUNDS = (".wav",)


def image_dataset_from_directory(directory, labels="inferred", label_mode="int", class_names=None, color_mode="rgb",
                                 batch_size=32, image_size=(256, 256), shuffle=True, seed=None, validation_split=None,
                                 subset=None, interpolation="bilinear", follow_links=False, crop_to_aspect_ratio=False,
                                 **kwargs):  # fmt: skip
    """A dataset of the pictures in a folder.

    Args:
      directory: path of a folder with a folder for each class.
      labels: "inferred" from the folders; None for no labels; or a list or tuple of an int for each file, in the order
        of sorted paths.
      label_mode: "int", "categorical" for one-hot rows, "binary" for 0.0 or 1.0, None for no labels.
      class_names: list of the names of all folders, in the order of their labels; by default they are sorted.
      color_mode: "rgb", "rgba" or "grayscale".
      batch_size: int, or None for single pictures.
      image_size: (height, width).
      shuffle: bool, whether the order is drawn, anew for each epoch; without it paths are sorted.
      seed: int for the order.
      validation_split: float, the share of the last files, which are to validate with.
      subset: "training", "validation" or, for a list of both datasets, "both"; needs a `validation_split`.
      interpolation: a method of `tf.image.resize`.
      follow_links: ignored, as on local files in TF: links to folders are followed.
      crop_to_aspect_ratio: bool, whether proportions are kept, and what sticks out is cut off.
      **kwargs: `smart_resize`, an older name of `crop_to_aspect_ratio`.

    Returns:
      `tf.data.Dataset` of float32 pictures [batch, height, width, channels], or of (pictures, labels); it has
      attributes `class_names` and `file_paths`.

    Raises:
      ValueError: an argument is none of these; there is no file; labels are not as many as files.
      NotImplementedError: an unknown `interpolation`.
      TypeError: other keywords.
      tf.errors.NotFoundError: there is no such folder.

    Pillow decodes pictures, of a GIF the first.
    TF: `tf.keras.utils.image_dataset_from_directory`; a list of `labels` is not shuffled in place.
    """
    crop_to_aspect_ratio = kwargs.pop("smart_resize", crop_to_aspect_ratio)
    if kwargs:
        raise TypeError(f"Unknown keywords argument(s): {tuple(kwargs)}")
    files = _Files(directory, labels, label_mode, class_names, shuffle, seed, validation_split, subset, "image")
    if color_mode not in _CHANNELS:
        raise ValueError(
            f'`color_mode` must be one of {{"rgb", "rgba", "grayscale"}}. Received: color_mode={color_mode}'
        )
    channels, method = _CHANNELS[color_mode], resize_method(interpolation)

    def load(path):
        picture = io.decode_image(io.read_file(path), channels=channels, expand_animations=False)
        if crop_to_aspect_ratio:
            picture = smart_resize(picture, image_size, interpolation=method)
        else:
            picture = image.resize(picture, image_size, method=method)
        picture.set_shape((image_size[0], image_size[1], channels))
        return picture

    def prepared(part):
        dataset = _batched(part.dataset(load), batch_size, part.shuffle, files.seed).prefetch(data.AUTOTUNE)
        dataset.file_paths = part.paths
        return dataset

    return files.datasets(prepared, _PICTURES, f"images found in directory {directory}. Allowed formats: "
                          f"{_PICTURES}")  # fmt: skip


def text_dataset_from_directory(directory, labels="inferred", label_mode="int", class_names=None, batch_size=32,
                                max_length=None, shuffle=True, seed=None, validation_split=None, subset=None,
                                follow_links=False):  # fmt: skip
    """A dataset of the `.txt` files in a folder.

    Args:
      directory, labels, label_mode, class_names: as for `image_dataset_from_directory`.
      batch_size: int, or None for single texts.
      max_length: int, the number of bytes at most, or None.
      shuffle, seed, validation_split, subset, follow_links: as for `image_dataset_from_directory`.

    Returns:
      `tf.data.Dataset` of texts [batch], or of (texts, labels); it has an attribute `class_names`.

    Raises:
      ValueError: an argument is none of these; there is no file; labels are not as many as files.
      tf.errors.NotFoundError: there is no such folder.

    TF: `tf.keras.utils.text_dataset_from_directory`; a list of `labels` is not shuffled in place.
    """
    files = _Files(directory, labels, label_mode, class_names, shuffle, seed, validation_split, subset, "text")

    def load(path):
        text = io.read_file(path)
        return text if max_length is None else strings.substr(text, 0, max_length)

    def prepared(part):
        return _batched(part.dataset(load).prefetch(data.AUTOTUNE), batch_size, part.shuffle, files.seed)

    return files.datasets(prepared, (".txt",), f"text files found in directory {directory}. Allowed "
                          "format: .txt")  # fmt: skip


def audio_dataset_from_directory(directory, labels="inferred", label_mode="int", class_names=None, batch_size=32,
                                 sampling_rate=None, output_sequence_length=None, ragged=False, shuffle=True, seed=None,
                                 validation_split=None, subset=None, follow_links=False):  # fmt: skip
    """A dataset of the `.wav` files in a folder.

    Args:
      directory, labels, label_mode, class_names: as for `image_dataset_from_directory`.
      batch_size: int, or None for single sounds.
      sampling_rate: None: sounds keep their rates.
      output_sequence_length: int, to which sounds are cut or filled with zeros; by default they are as long as the
        longest of their batch.
      ragged: bool, whether batches are ragged, each sound as long as it is.
      shuffle, seed, validation_split, subset, follow_links: as for `image_dataset_from_directory`.

    Returns:
      `tf.data.Dataset` of float32 samples [batch, length, channels], or of (samples, labels); it has an attribute
      `class_names`.

    Raises:
      ValueError: an argument is none of these; there is no file; labels are not as many as files.
      tf.errors.NotFoundError: there is no such folder.
      tf.errors.UnimplementedError: a `sampling_rate`.

    TF: `tf.keras.utils.audio_dataset_from_directory`; a list of `labels` is not shuffled in place, padded batches may
    have labels of any `label_mode`, and `sampling_rate`, for which TF needs another package, is refused.
    """
    files = _Files(directory, labels, label_mode, class_names, shuffle, seed, validation_split, subset, "audio")
    if ragged and output_sequence_length is not None:
        raise ValueError("Cannot set both `ragged` and `output_sequence_length`")
    if sampling_rate is not None:
        if not isinstance(sampling_rate, int):
            raise ValueError(
                f"`sampling_rate` should have an integer value. Received: sampling_rate={sampling_rate}"
            )
        if sampling_rate <= 0:
            raise ValueError(f"`sampling_rate` should be higher than 0. Received: sampling_rate={sampling_rate}")
        raise UnimplementedError(
            None, None, "audio_dataset_from_directory(sampling_rate=...) is not available in tfcompat: resample in a "
            "`map` of the dataset, e.g. by scipy.signal.resample_poly in a tf.numpy_function",
        )  # fmt: skip
    length = -1 if output_sequence_length is None else output_sequence_length

    def load(path):
        samples, _ = audio.decode_wav(io.read_file(path), desired_samples=length)
        return RaggedTensor.from_tensor(samples) if ragged else samples

    def prepared(part):
        dataset = part.dataset(load).prefetch(data.AUTOTUNE)
        return _batched(dataset, batch_size, part.shuffle, files.seed, padded=length == -1 and not ragged)

    made = files.datasets(prepared, _SOUNDS, f"audio files found in directory {directory}. Allowed "
                          f"format(s): {_SOUNDS}")  # fmt: skip
    return tuple(made) if subset == "both" else made


def _batched(dataset, batch_size, shuffle, seed, padded=False):
    if shuffle:
        dataset = dataset.shuffle(1024 if batch_size is None else batch_size * 8, seed=seed)
    if batch_size is None:
        return dataset
    return dataset.padded_batch(batch_size) if padded else dataset.batch(batch_size)


class _Part:
    """Some of the files, with their labels.

    Attributes:
      shuffle: bool, whether each epoch has an order of its own.
    """

    def __init__(self, files, paths, labels, shuffle):
        self.files, self.paths, self.labels, self.shuffle = files, paths, labels, shuffle

    def dataset(self, load):
        """A dataset of what `load` makes of each path, or of that and the label."""
        mode, count = self.files.label_mode, len(self.files.class_names)
        dataset = data.Dataset.from_tensor_slices(self.paths).map(load, num_parallel_calls=data.AUTOTUNE)
        if not mode:
            return dataset
        labels = data.Dataset.from_tensor_slices(self.labels)
        if mode == "binary":
            labels = labels.map(lambda x: array.expand_dims(array.cast(x, "float32"), -1))
        elif mode == "categorical":
            labels = labels.map(lambda x: array.one_hot(x, count))
        return data.Dataset.zip((dataset, labels))


class _Files:
    """The files of a folder, with their labels.

    Raises:
      ValueError: arguments that `image_dataset_from_directory` does not take.
    """

    def __init__(self, directory, labels, label_mode, class_names, shuffle, seed, validation_split, subset, kind):
        if labels not in ("inferred", None):
            if not isinstance(labels, list | tuple):
                raise ValueError(
                    f"The `labels` argument should be a list/tuple of integer labels, of the same size as the number "
                    f'of {kind} files in the target directory, "inferred" to take the names of its folders, or None '
                    f"for no labels. Received: labels={labels}"
                )
            if class_names:
                raise ValueError(
                    f'You can only pass `class_names` if `labels="inferred"`. Received: labels={labels}, and '
                    f"class_names={class_names}"
                )
        if label_mode not in ("int", "categorical", "binary", None):
            raise ValueError(
                '`label_mode` argument must be one of "int", "categorical", "binary", or None. Received: '
                f"label_mode={label_mode}"
            )
        if validation_split and not 0 < validation_split < 1:
            raise ValueError(f"`validation_split` must be between 0 and 1, received: {validation_split}")
        if bool(validation_split) != bool(subset):
            raise ValueError("If `subset` is set, `validation_split` must be set, and inversely.")
        if subset not in ("training", "validation", "both", None):
            raise ValueError(f'`subset` must be either "training", "validation" or "both", received: {subset}')
        if validation_split and shuffle and seed is None:
            raise ValueError(
                "If using `validation_split` and shuffling the data, you must provide a `seed` argument, to make sure "
                "that there is no overlap between the training and validation subset."
            )
        self.directory, self.class_names, self.shuffle = directory, class_names, shuffle
        self.labels, self.label_mode = (None, None) if labels is None or label_mode is None else (labels, label_mode)
        self.seed = np.random.randint(1e6) if seed is None else seed
        self.split, self.subset = validation_split, subset

    def datasets(self, prepared, formats, absent):
        """What `prepared` makes of the part that is asked for; a list of two for both.

        Args:
          prepared: function of a `_Part`.
          formats: tuple of the endings of names.
          absent: str, of which files there are none.
        """
        paths, labels = self._found(formats)
        if self.label_mode == "binary" and len(self.class_names) != 2:
            raise ValueError(
                'When passing `label_mode="binary"`, there must be exactly 2 class_names. Received: class_names='
                f"{self.class_names}"
            )
        parts = []
        for subset in ("training", "validation") if self.subset == "both" else (self.subset,):
            chosen = self._part(subset, len(paths))
            shuffle = self.shuffle and not (self.subset == "both" and subset == "validation")
            parts.append(_Part(self, paths[chosen], labels[chosen], shuffle))
        for part, subset in zip(parts, ("training ", "validation "), strict=False):
            if not part.paths:
                raise ValueError(f"No {subset if self.subset == 'both' else ''}{absent}")
        made = [prepared(part) for part in parts]
        for dataset in made:
            dataset.class_names = self.class_names
        return made if self.subset == "both" else made[0]

    def _part(self, subset, count):
        """Which of so many files are in a subset."""
        if subset is None:
            return slice(None)
        held = int(self.split * count)
        number = held if subset == "validation" else count - held
        print_message(f"Using {number} files for {subset}.")
        return slice(-held, None) if subset == "validation" else slice(-held)

    def _found(self, formats):
        """(paths, labels) of all files."""
        folders = [""]
        if self.labels == "inferred":
            folders = [
                name
                for name in sorted(gfile.listdir(self.directory))
                if not name.startswith(".") and gfile.isdir(gfile.join(self.directory, name))
            ]
            if self.class_names and set(self.class_names) != set(folders):
                raise ValueError(
                    "The `class_names` passed did not match the names of the subdirectories of the target directory. "
                    f"Expected: {folders}, but received: {self.class_names}"
                )
            self.class_names = self.class_names or folders
        else:
            self.class_names = [""]
        paths, labels = [], []
        for folder in folders:
            top = gfile.join(self.directory, folder)
            entries = sorted(gfile.walk(top), key=lambda entry: entry[0])
            inside = [os.path.relpath(os.path.join(root, name), top) for root, _, names in entries
                      for name in sorted(names) if name.lower().endswith(formats)]  # fmt: skip
            paths += [os.path.join(self.directory, folder, name) for name in inside]
            labels += [self.class_names.index(folder)] * len(inside)
        if self.labels in ("inferred", None):
            labels = np.array(labels, "int32")
        elif len(self.labels) != len(paths):
            raise ValueError(
                f"Expected the lengths of `labels` to match the number of files in the target directory. len(labels) "
                f"is {len(self.labels)} while we found {len(paths)} files in directory {self.directory}."
            )
        else:
            labels, self.class_names = list(self.labels), sorted(set(self.labels))
        print_message(f"Found {len(paths)} files belonging to {len(self.class_names)} classes.")
        if self.shuffle:
            for values in (paths, labels):
                np.random.RandomState(self.seed).shuffle(values)
        return paths, labels
