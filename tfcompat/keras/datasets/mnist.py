"""`tf.keras.datasets.mnist`: handwritten digits."""

from tfcompat.keras.datasets import _files


def load_data(path="mnist.npz", cache_dir=None):
    """60,000 pictures of handwritten digits to train with, 10,000 to test with.

    Args:
      path: str, the file's name in `~/.keras/datasets`, or an absolute path.
      cache_dir: path that replaces `~/.keras`.

    Returns:
      `(x_train, y_train), (x_test, y_test)`: uint8 arrays, pictures of shape [n, 28, 28], digits of shape [n].

    Raises:
      Exception: the file is not there, and cannot be fetched.
      ValueError: the file is damaged.

    TF: `tf.keras.datasets.mnist.load_data`; no known difference.
    """
    file_hash = "731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1"
    arrays = _files.npz(path, "mnist.npz", file_hash, cache_dir)
    return (arrays["x_train"], arrays["y_train"]), (arrays["x_test"], arrays["y_test"])
