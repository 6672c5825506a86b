"""Rows: pictures changed at random, and batches of them from arrays, folders and tables."""

import os

import numpy as np
from rows import raised, row

from ._elements import plain

PICTURES = np.random.RandomState(7).uniform(0, 255, (5, 4, 3, 3)).astype("float32")
LABELS = np.array([0, 1, 1, 0, 1])


def generator(tf, **options):
    return tf.keras.preprocessing.image.ImageDataGenerator(**options)


def batches(iterator, count=2):
    return [plain(next(iterator)) for _ in range(count)]


@row
def single_changes(tf, folder):
    image, x, last = tf.keras.preprocessing.image, PICTURES[0], (0, 1, 2)
    np.random.seed(5)
    return [
        image.random_rotation(x, 40, *last), image.random_shift(x, 0.2, 0.4, *last), image.random_shear(x, 30, *last),
        image.random_zoom(x, (0.5, 1.2), *last, "constant", 7.0, 0), image.random_zoom(x, (1, 1), *last),
        image.random_channel_shift(x, 30.0, 2), image.random_brightness(x, (0.3, 0.7)),
        image.random_brightness(x * 2 - 100, (0.3, 0.7), scale=False), image.apply_brightness_shift(x, 0.5),
        image.apply_affine_transform(x, 10, 1, 2, 3, 0.9, 1.1, *last, fill_mode="wrap", order=3),
        image.apply_affine_transform(x.transpose(2, 0, 1), 10, zx=2),
        image.apply_affine_transform(x, 10, row_axis=1, col_axis=0, channel_axis=2),
        raised(lambda: image.random_zoom(x, (1,)), "should be a tuple or list of two floats"),
        raised(lambda: image.random_brightness(x, (1,))),
        *[raised(lambda a=axes: image.apply_affine_transform(x, 1, 0, 0, 0, 1, 1, *a))
          for axes in ((0, 0, 2), (0, 3, 1), (0, 2, 1))],
        raised(lambda: image.apply_affine_transform(PICTURES, 1)),
    ]  # fmt: skip


CHOICES = [
    {"rotation_range": 40, "width_shift_range": 0.2, "height_shift_range": 0.3, "shear_range": 20, "zoom_range": 0.3,
     "horizontal_flip": True, "fill_mode": "reflect"},
    {"width_shift_range": 2, "height_shift_range": [-2, 1, 2], "vertical_flip": True, "rescale": 1 / 255, "cval": 7.0,
     "fill_mode": "constant", "interpolation_order": 3},
    {"width_shift_range": 1.5, "brightness_range": (0.5, 1.5), "channel_shift_range": 30, "dtype": "float64"},
    {"samplewise_center": True, "samplewise_std_normalization": True, "zoom_range": (0.5, 0.9)},
    {"featurewise_center": True, "featurewise_std_normalization": True},
    {"featurewise_center": True, "zca_whitening": True, "zca_epsilon": 1e-2, "preprocessing_function": lambda x: x / 9},
]  # fmt: skip


@row
def batches_of_arrays(tf, folder):
    found = []
    for number, options in enumerate(CHOICES):
        np.random.seed(number)
        made = generator(tf, **options)
        made.fit(PICTURES, augment=number % 2 == 0, rounds=2, seed=None if number == 1 else number)
        iterator = made.flow(PICTURES, LABELS, batch_size=2, seed=number if number % 2 else None)
        found += [batches(iterator, 3), plain(iterator[1]), len(iterator), made.get_random_transform((4, 3, 3), seed=1),
                  made.random_transform(PICTURES[1], seed=3)]  # fmt: skip
    first = generator(tf, data_format="channels_first", rotation_range=30)
    weighted = first.flow(PICTURES.transpose(0, 3, 1, 2), LABELS, 2, sample_weight=np.arange(5.0))
    pairs = generator(tf).flow((PICTURES, [LABELS, LABELS * 2.0]), LABELS, 2, shuffle=False)
    return [found, batches(weighted), batches(pairs), batches(generator(tf).flow(PICTURES, batch_size=2))]


@row
def parts_of_arrays(tf, folder):
    made = generator(tf, validation_split=0.4)
    parts = [made.flow(PICTURES, LABELS, subset=name).x.shape for name in ("training", "validation")]
    saved = generator(tf).flow(PICTURES, LABELS, 2, save_to_dir=folder, save_prefix="p", seed=2)
    next(saved)
    return [
        parts, sorted(os.listdir(folder)), raised(lambda: made.flow(PICTURES, np.sort(LABELS), subset="training")),
        *[raised(lambda o=options: made.flow(PICTURES, LABELS, **o)) for options in
          ({"subset": "x"}, {"sample_weight": [1]})],
        raised(lambda: made.flow(PICTURES, LABELS[1:])), raised(lambda: made.flow(PICTURES[0])),
        raised(lambda: made.fit(PICTURES[0])), raised(lambda: made.flow(PICTURES)[1]),
        *[raised(lambda o=options: generator(tf, **o)) for options in
          ({"data_format": "x"}, {"validation_split": 2}, {"zoom_range": (1, 2, 3)}, {"brightness_range": 3})],
    ]  # fmt: skip


def write_pictures(tf, folder):
    for i, name in enumerate(("cats/0.png", "cats/sub/1.png", "dogs/0.png", "dogs/1.png", "dogs/2.png")):
        os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
        tf.keras.utils.save_img(f"{folder}/{name}", PICTURES[i])
    open(f"{folder}/cats/note.txt", "w").close()


@row
def batches_of_folders(tf, folder):
    write_pictures(tf, folder)
    found = []
    for mode, options in {
        "categorical": {"interpolation": "bilinear"}, "binary": {"color_mode": "grayscale"},
        "sparse": {"color_mode": "rgba"}, "input": {"subset": "training"}, None: {"keep_aspect_ratio": True},
    }.items():  # fmt: skip
        np.random.seed(3)
        made = generator(tf, rotation_range=10, validation_split=0.5)
        it = made.flow_from_directory(folder, (2, 2), batch_size=3, class_mode=mode, **options)
        found += [it.samples, it.num_classes, it.class_indices, it.classes, it.filenames, it.image_shape, len(it),
                  [path.replace(folder, "") for path in it.filepaths], batches(it), plain(it[0])]  # fmt: skip
    chosen = generator(tf).flow_from_directory(folder, (2, 2), classes=["dogs"], shuffle=False)
    flow = generator(tf).flow_from_directory
    return [
        found, chosen.class_indices, chosen.filenames, batches(chosen, 1),
        *[raised(lambda o=options: flow(folder, **o)) for options in
          ({"class_mode": "x"}, {"color_mode": "x"}, {"subset": "x"})], raised(lambda: flow(f"{folder}/none")),
    ]  # fmt: skip


@row
def training_on_batches_of_pictures(tf, folder):
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Flatten(input_shape=(4, 3, 3)), layers.Dense(1, kernel_initializer="zeros")])
    model.compile(tf.keras.optimizers.SGD(1e-3), "mse")
    np.random.seed(8)
    made = generator(tf, horizontal_flip=True, zoom_range=0.2, rescale=1 / 255)
    history = model.fit(
        made.flow(PICTURES, LABELS, 2), epochs=3, verbose=0, shuffle=False,
        validation_data=generator(tf, rescale=1 / 255).flow(PICTURES, LABELS, 3),
    )  # fmt: skip
    return [history.history, np.random.random(), model.predict(made.flow(PICTURES, batch_size=2), verbose=0)]


@row
def a_sequence_is_asked_in_order(tf, folder):
    calls = []

    class Numbers(tf.keras.utils.Sequence):
        def __init__(self, name):
            self.name = name

        def __len__(self):
            return 2

        def __getitem__(self, index):
            calls.append(f"{self.name}{index}")
            return np.ones((2, 3), "float32"), np.ones((2, 1), "float32")

        def on_epoch_end(self):
            calls.append(f"{self.name} end")

    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
    model.compile("sgd", "mse")
    done = tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: calls.append("epoch"))
    model.fit(Numbers("x"), epochs=2, validation_data=Numbers("v"), callbacks=[done], shuffle=False, verbose=0)
    model.evaluate(Numbers("e"), verbose=0)
    model.predict(Numbers("p"), verbose=0)
    return calls, raised(lambda: model.fit(Numbers("x"), np.ones(3)), "keras.utils.Sequence")


@row
def parts_whose_sizes_are_values(tf, folder):
    sizes = tf.data.Dataset.from_tensor_slices((PICTURES, np.array([1, 2, 3, 1, 2], "int32")))

    def boxed(x, n):
        part = tf.image.crop_to_bounding_box(x, 4 - n, 0, n, n)
        inside = tf.image.pad_to_bounding_box(part, n, 1, 6, 4)
        hole = tf.pad(tf.zeros((n, 1, 1)), [[4 - n, 0], [0, 2], [0, 0]], constant_values=0.5)
        return inside, x * hole, tf.cast(n * n, tf.float32) / 12

    def joined(x, n):
        two = tf.concat([x[:n, :1], tf.reverse(x, [0])[:n, 1:]], 1)
        whole = tf.concat([two, tf.maximum(x[n:], 100.0)], 0)
        return tf.where(whole > 128, tf.clip_by_value(whole, 0, 200), -whole), tf.reduce_max(whole[: n + 1])

    def scaled(x, n):
        part = x[: n + 1]
        kinds = ("bilinear", "nearest", "bicubic", "area")
        larger = [tf.round(tf.image.resize(part, (5, 4), kind)) for kind in kinds]
        return *larger, tf.round(tf.image.resize(x, (n + 1, 2)))

    return [plain(sizes.map(f)) for f in (boxed, joined, scaled)]
