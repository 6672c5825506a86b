"""`tf.keras.datasets.fashion_mnist`: pictures of clothes."""

from tfcompat.keras.datasets import _files


def load_data(cache_dir=None):
    """60,000 pictures of clothes to train with, 10,000 to test with.

    Args:
      cache_dir: path that replaces `~/.keras`.

    Returns:
      `(x_train, y_train), (x_test, y_test)`: uint8 arrays, pictures of shape [n, 28, 28], labels of shape [n]: T-shirt
      or top, trouser, pullover, dress, coat, sandal, shirt, sneaker, bag, ankle boot.

    Raises:
      Exception: a file is not there, and cannot be fetched.
      ValueError: a file is damaged.

    TF: `tf.keras.datasets.fashion_mnist.load_data`; no known difference.
    """
    return _part("train", cache_dir), _part("t10k", cache_dir)


def _part(name, cache_dir):
    labels = _files.gzipped(f"{name}-labels-idx1-ubyte.gz", 8, cache_dir)
    pictures = _files.gzipped(f"{name}-images-idx3-ubyte.gz", 16, cache_dir)
    return pictures.reshape(len(labels), 28, 28), labels
