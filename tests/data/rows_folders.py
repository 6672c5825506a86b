"""`tf.keras.utils.image_dataset_from_directory` and its like."""

import contextlib
import io
import os
import pathlib
import wave

import numpy as np
from rows import raised, row

from ._elements import plain


def folder_of_pictures(folder):
    """Pictures of several sizes and formats in folders of two classes, and files that are none."""
    from PIL import Image

    draw = np.random.RandomState(5)
    names = {
        "cat": ["b.png", "a.PNG", "d.bmp", "more/c.gif", "z.jpeg"],
        "dog": ["10.png", "9.bmp", "x.txt", "grey.png", "a.png", "clear.png"],
        ".hidden": ["a.png"],
    }
    for kind, files in names.items():
        for i, name in enumerate(files):
            path = os.path.join(folder, kind, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if name.endswith(("jpeg", "gif")):  # what is in a file says what it is
                Image.new("RGB", (7, 5), (250, 20 * i, 70)).save(path, "GIF" if name.endswith("gif") else "PNG")
            elif name.endswith("txt"):
                pathlib.Path(path).write_text("no picture")
            else:
                shape = [4 + i, 6, 4] if name == "clear.png" else [5, 7 + i] if name == "grey.png" else [5 + i, 8, 3]
                Image.fromarray(draw.randint(0, 256, shape).astype("uint8")).save(path)
    Image.new("L", (3, 3)).save(os.path.join(folder, "beside.png"))


def folder_of_texts(folder):
    for i, name in enumerate(["neg/2.txt", "neg/10.txt", "pos/a.TXT", "pos/b/c.txt", "pos/z.txt", "neg/x.md"]):
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"text {name} " * (i % 3))
    os.symlink(pathlib.Path(folder, "pos"), pathlib.Path(folder, "neg", "linked"))


def folder_of_sounds(folder):
    for i, name in enumerate(["high/1.wav", "low/2.wav", "low/3.wav", "high/4.wav", "low/5.WAV"]):
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(8000)
            file.writeframes((np.arange(2 + i, dtype="<i2") * 1000 - 2000).tobytes())


def told(folder, make):
    """What is printed, the spec, what a dataset prints, names, and two epochs; of each dataset that is made."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        made = make()
    found = []
    for dataset in made if isinstance(made, list | tuple) else [made]:
        found.append([
            repr(dataset),
            list(dataset.class_names),
            [os.path.relpath(path, folder) for path in getattr(dataset, "file_paths", [])],
            int(dataset.cardinality()),
            [shortened(element) for _ in range(2) for element in dataset.as_numpy_iterator()],
        ])  # fmt: skip
    return [out.getvalue().splitlines(), type(made).__name__ if isinstance(made, list | tuple) else "", found]


def shortened(element):
    if isinstance(element, tuple):
        return tuple(shortened(part) for part in element)
    if isinstance(element, np.ndarray) and element.ndim > 2 and element.shape[-2] > 3:
        return [element.shape, *(round(float(x), 1) for x in element.mean((-2, -3)).reshape(-1))]
    if hasattr(element, "to_list"):
        return str(element.to_list())
    return plain(element)


@row
def pictures(tf, folder):
    folder_of_pictures(folder)
    load = tf.keras.utils.image_dataset_from_directory
    options = [
        {"shuffle": False},
        {"seed": 3, "batch_size": 4},
        {"seed": 3, "batch_size": None, "label_mode": "categorical"},
        {"label_mode": "binary", "seed": 4, "interpolation": "nearest"},
        {"class_names": ["dog", "cat"], "shuffle": False},
        {"crop_to_aspect_ratio": True, "shuffle": False},
        {"smart_resize": True, "shuffle": False, "interpolation": "nearest"},
        {"interpolation": "AREA", "shuffle": False, "batch_size": 3},
        {"validation_split": 0.3, "subset": "training", "seed": 5, "batch_size": 4},
        {"validation_split": 0.3, "subset": "validation", "seed": 5, "batch_size": 4},
        {"validation_split": 0.3, "subset": "both", "seed": 5, "batch_size": 4},
        {"validation_split": 0.3, "subset": "both", "shuffle": False, "batch_size": None, "label_mode": None},
    ]
    return [told(folder, lambda chosen=chosen: load(folder, image_size=(4, 6), **chosen)) for chosen in options]


@row
def pictures_of_other_colors(tf, folder):
    folder_of_pictures(folder)
    load = tf.keras.utils.image_dataset_from_directory

    def made(mode):
        return told(folder, lambda: load(folder, color_mode=mode, image_size=(4, 6), shuffle=False, label_mode=None))

    found = []
    for name, text in (("cat/more/c.gif", "channels must be 0 or 3 "), ("cat/d.bmp", "`channels` must be 0, 3 ")):
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        found.append(raised(lambda data=data: tf.io.decode_image(data, channels=1), text))
    for name in ("cat/more/c.gif", "cat/d.bmp", "dog/9.bmp"):
        os.remove(os.path.join(folder, name))
    return found, made("grayscale"), made("rgba")


@row
def pictures_with_given_labels(tf, folder):
    folder_of_pictures(folder)
    load = tf.keras.preprocessing.image_dataset_from_directory
    labels = [3, 1, 1, 3, 7, 7, 1, 3, 3, 1, 7, 1]
    return [
        told(folder, lambda: load(folder, list(labels), image_size=(4, 6), shuffle=False)),
        told(folder, lambda: load(folder, list(labels), image_size=(4, 6), seed=8, label_mode="int", batch_size=5)),
        told(folder, lambda: load(folder, None, image_size=(4, 6), shuffle=False, batch_size=12)),
        told(folder, lambda: load(pathlib.Path(folder), list(labels), image_size=(4, 6), shuffle=False)),
    ]


@row
def pictures_in_pipelines(tf, folder):
    folder_of_pictures(folder)
    dataset = tf.keras.utils.image_dataset_from_directory(folder, image_size=(8, 8), seed=2, batch_size=4)
    rescaled = dataset.map(lambda x, y: (x / 255.0, y)).cache().prefetch(tf.data.AUTOTUNE)
    found = [[x.shape, x.dtype.name, round(float(x.mean()), 4), plain(y)] for x, y in rescaled.as_numpy_iterator()]
    model = tf.keras.Sequential([
        tf.keras.layers.Rescaling(1 / 255, input_shape=(8, 8, 3)),
        tf.keras.layers.Conv2D(2, 3, kernel_initializer="ones"),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(2, kernel_initializer="zeros"),
    ])  # fmt: skip
    model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    history = model.fit(dataset, epochs=1, verbose=0).history
    return found, hasattr(rescaled, "class_names"), sorted(history)


@row
def pictures_refused(tf, folder):
    folder_of_pictures(folder)
    load = tf.keras.utils.image_dataset_from_directory
    empty = os.path.join(folder, "empty")
    os.makedirs(os.path.join(empty, "a"))

    def refused(text, *args, **keywords):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            error = raised(lambda: load(*args, **keywords), text)
        return error, out.getvalue()

    return [
        refused("should be a list/tuple of integer labels", folder, 3),
        refused("You can only pass `class_names` if", folder, [1], class_names=["a"]),
        refused("`label_mode` argument must be one of", folder, label_mode="float"),
        refused("`color_mode` must be one of", folder, color_mode="hsv"),
        refused("Value not recognized for `interpolation`", folder, interpolation="cubic"),
        refused("`validation_split` must be between 0 and 1, received: 2", folder, validation_split=2, subset="both"),
        refused("If `subset` is set, `validation_split` must be set", folder, subset="both"),
        refused("If `subset` is set, `validation_split` must be set", folder, validation_split=0.2),
        refused("`subset` must be either", folder, validation_split=0.2, subset="test"),
        refused("you must provide a `seed` argument", folder, validation_split=0.2, subset="training"),
        refused("did not match the names of the subdirectories", folder, class_names=["cat", "cow"]),
        refused("Expected the lengths of `labels` to match", folder, [1, 2], shuffle=False),
        refused("there must be exactly 2", folder, [1] * 12, "binary"),
        refused("No images found in directory", empty),
        refused("No training images found in directory", empty, seed=1, validation_split=0.5, subset="both"),
        refused("Unknown keywords argument(s): ('size',)", folder, size=3),
        refused("", os.path.join(folder, "none")),
    ]


@row
def texts(tf, folder):
    folder_of_texts(folder)
    load = tf.keras.utils.text_dataset_from_directory
    options = [
        {"shuffle": False},
        {"seed": 3, "batch_size": 2},
        {"seed": 3, "batch_size": None, "label_mode": "binary"},
        {"max_length": 7, "shuffle": False, "label_mode": "categorical"},
        {"labels": None, "shuffle": False, "follow_links": True},
        {"labels": None, "shuffle": False},
        {"follow_links": True, "shuffle": False},
        {"validation_split": 0.4, "subset": "training", "seed": 5},
        {"validation_split": 0.4, "subset": "both", "seed": 5, "batch_size": 2},
    ]
    return [
        *(told(folder, lambda chosen=chosen: load(folder, **chosen)) for chosen in options),
        raised(lambda: load(os.path.join(folder, "pos", "b")), "No text files found in directory"),
        raised(lambda: load(folder, "none"), "should be a list/tuple of integer labels"),
        tf.keras.preprocessing.text_dataset_from_directory is load,
    ]


@row
def sounds(tf, folder):
    folder_of_sounds(folder)
    load = tf.keras.utils.audio_dataset_from_directory
    options = [
        {"shuffle": False},
        {"seed": 3, "batch_size": 2},
        {"seed": 3, "batch_size": None, "label_mode": "binary"},
        {"output_sequence_length": 3, "shuffle": False, "label_mode": "categorical"},
        {"ragged": True, "shuffle": False, "batch_size": 2},
        {"labels": None, "shuffle": False, "output_sequence_length": 2},
        {"validation_split": 0.4, "subset": "both", "seed": 5, "batch_size": 2},
    ]
    return [
        *(told(folder, lambda chosen=chosen: load(folder, **chosen)) for chosen in options),
        raised(lambda: load(folder, ragged=True, output_sequence_length=3), "Cannot set both `ragged` and"),
        raised(lambda: load(folder, sampling_rate=2.5), "`sampling_rate` should have an integer value."),
        raised(lambda: load(folder, sampling_rate=0), "`sampling_rate` should be higher than 0."),
        raised(lambda: load(os.path.join(folder, "low")), "No audio files found in directory"),
    ]


@row
def smart_resize(tf, folder):
    resize = tf.keras.preprocessing.image.smart_resize
    x = np.arange(5 * 7 * 2, dtype="uint8").reshape(5, 7, 2)
    return [
        plain(resize(x, (2, 2))),
        plain(resize(tf.constant(x, tf.float32), (3, 6), "nearest").numpy()),
        plain(resize(np.stack([x, x + 1]).astype("float32"), (4, 2), interpolation="bicubic")),
        raised(lambda: resize(x, (2, 2, 2)), "Expected `size` to be a tuple of 2 integers"),
        raised(lambda: resize(x[0], (2, 2)), "incorrect rank"),
    ]
