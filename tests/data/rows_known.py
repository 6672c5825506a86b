"""`tf.keras.datasets`, of small files in place of those that are fetched."""

import gzip
import importlib
import json
import os
import pickle
import struct

import numpy as np
from rows import raised, row

from ._elements import plain


class Served:
    """Replaces `get_file` where data sets ask for it: files are taken from `folder`.

    Attributes:
      asked: what each call asked for.
    """

    def __init__(self, tf, folder, name):
        self.folder, self.asked = folder, []
        ours = tf.__name__ == "tfcompat"
        self.owner = importlib.import_module(
            "tfcompat.keras.datasets._files" if ours else f"tf_keras.src.datasets.{name}"
        )

    def __call__(self, fname, **keywords):
        self.asked.append((fname, {k: v for k, v in sorted(keywords.items()) if v is not None}))
        return os.path.join(self.folder, fname)

    def __enter__(self):
        self.kept, self.owner.get_file = self.owner.get_file, self
        return self

    def __exit__(self, *exc):
        self.owner.get_file = self.kept


def texts(rng, count):
    """An array of lists of ranks of words."""
    found = np.empty(count, object)
    for i in range(count):
        found[i] = [int(x) for x in np.minimum(rng.zipf(1.3, rng.randint(1, 9)), 80_000)]
    return found


def listed(parts):
    """Texts and labels of both parts."""
    return [[x.dtype.name, x.tolist(), y.dtype.name, y.tolist()] for x, y in parts]


@row
def digits(tf, folder):
    rng = np.random.RandomState(0)
    arrays = {
        f"{name}_{part}": rng.randint(0, 256, shape).astype("uint8")
        for part, n in (("train", 3), ("test", 2))
        for name, shape in (("x", [n, 2, 2]), ("y", [n]))
    }
    np.savez(os.path.join(folder, "mnist.npz"), **arrays)
    with Served(tf, folder, "mnist") as served:
        found = [plain(tf.keras.datasets.mnist.load_data())]
        os.rename(os.path.join(folder, "mnist.npz"), os.path.join(folder, "other.npz"))
        found.append(plain(tf.keras.datasets.mnist.load_data("other.npz", cache_dir=folder))[0])
    return found, [(name, sorted(keywords)) for name, keywords in served.asked], served.asked[0]


@row
def clothes(tf, folder):
    rng = np.random.RandomState(1)
    for name, n in (("train", 3), ("t10k", 2)):
        with gzip.open(os.path.join(folder, f"{name}-labels-idx1-ubyte.gz"), "wb") as file:
            file.write(struct.pack(">ii", 2049, n) + bytes(range(n)))
        with gzip.open(os.path.join(folder, f"{name}-images-idx3-ubyte.gz"), "wb") as file:
            file.write(struct.pack(">iiii", 2051, n, 28, 28) + rng.bytes(784 * n))
    with Served(tf, folder, "fashion_mnist") as served:
        (x, y), (x_test, y_test) = tf.keras.datasets.fashion_mnist.load_data()
    sums = [int(a.astype(int).sum()) for a in (x, x_test)]
    return sorted(served.asked), x.shape, x.dtype.name, plain(y), x_test.shape, plain(y_test), sums


@row
def houses(tf, folder):
    np.savez(os.path.join(folder, "boston_housing.npz"), x=np.arange(22.0).reshape(11, 2), y=np.arange(11.0))
    with Served(tf, folder, "boston_housing") as served:
        load = tf.keras.datasets.boston_housing.load_data
        return [
            plain(load()),
            plain(load(test_split=0.5, seed=1)),
            plain(load(test_split=0)),
            raised(lambda: load(test_split=1)),
            served.asked[0],
        ]


@row
def pictures_of_a_hundred_kinds(tf, folder):
    """TensorFlow reads pickles, tfcompat binary files of the same pictures."""
    rng = np.random.RandomState(2)
    for name in ("cifar-100-python", "cifar-100-binary"):
        os.mkdir(os.path.join(folder, name))
    for part, n in (("train", 4), ("test", 2)):
        data, fine, coarse = rng.randint(0, 256, [n, 3072], "uint8"), rng.randint(0, 100, n), rng.randint(0, 20, n)
        with open(os.path.join(folder, "cifar-100-python", part), "wb") as file:
            content = {b"data": data, b"fine_labels": fine.tolist(), b"coarse_labels": coarse.tolist()}
            file.write(pickle.dumps(content, 2))
        with open(os.path.join(folder, "cifar-100-binary", part + ".bin"), "wb") as file:
            file.write(np.concatenate([coarse[:, None], fine[:, None], data], 1).astype("uint8").tobytes())
    load, found = tf.keras.datasets.cifar100.load_data, []
    with Served(tf, folder, "cifar100"):
        for data_format, label_mode in (("channels_last", "fine"), ("channels_first", "coarse")):
            tf.keras.backend.set_image_data_format(data_format)
            try:
                for x, y in load(label_mode):
                    found.append([x.shape, x.dtype.name, x[-1, 1, :2, :].tolist(), int(x.astype(int).sum()), plain(y)])
            finally:
                tf.keras.backend.set_image_data_format("channels_last")
    return found, raised(lambda: load("rough"), "`label_mode` must be one of")


@row
def reviews(tf, folder):
    rng = np.random.RandomState(3)
    y = [np.arange(n) % 2 for n in (6, 5)]
    path = os.path.join(folder, "imdb.npz")
    np.savez(path, x_train=texts(rng, 6), y_train=y[0], x_test=texts(rng, 5), y_test=y[1])
    with open(os.path.join(folder, "imdb_word_index.json"), "w") as file:
        json.dump({"a": 1, "the": 2}, file)
    load = tf.keras.datasets.imdb.load_data
    options = [
        {}, {"num_words": 20}, {"skip_top": 5, "num_words": 50, "oov_char": None}, {"maxlen": 6, "seed": 7},
        {"start_char": None, "index_from": 0, "maxlen": 9},
        {"start_char": None, "index_from": 10, "oov_char": 0, "num_words": 30},
        {"nb_words": 9},
    ]  # fmt: skip
    with Served(tf, folder, "imdb") as served:
        return [
            [listed(load(**chosen)) for chosen in options],
            raised(lambda: load(maxlen=1), "no sequence was kept. Increase maxlen."),
            raised(lambda: load(words=1), "Unrecognized keyword arguments: {'words': 1}."),
            tf.keras.datasets.imdb.get_word_index(),
            served.asked[0],
            served.asked[-1],
        ]


@row
def news(tf, folder):
    rng = np.random.RandomState(4)
    np.savez(os.path.join(folder, "reuters.npz"), x=texts(rng, 9), y=rng.randint(0, 46, 9))
    with open(os.path.join(folder, "reuters_word_index.json"), "w") as file:
        json.dump({"a": 1}, file)
    load = tf.keras.datasets.reuters.load_data
    options = [
        {}, {"num_words": 20, "test_split": 0.5}, {"skip_top": 5, "oov_char": None, "num_words": 40},
        {"maxlen": 6, "seed": 7}, {"start_char": None}, {"start_char": None, "index_from": None, "maxlen": 5},
        {"nb_words": 9},
    ]  # fmt: skip
    with Served(tf, folder, "reuters") as served:
        return [
            [listed(load(**chosen)) for chosen in options],
            raised(lambda: load(words=1), "Unrecognized keyword arguments: {'words': 1}"),
            tf.keras.datasets.reuters.get_word_index(),
            list(tf.keras.datasets.reuters.get_label_names()),
            served.asked[0],
            served.asked[-1],
        ]
