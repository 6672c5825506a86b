"""`tf.keras.datasets.boston_housing`: prices of houses."""

import numpy as _np

from tfcompat.keras.datasets import _files


def load_data(path="boston_housing.npz", test_split=0.2, seed=113, cache_dir=None):
    """13 numbers on each of 506 places near Boston, and the median price of houses there, in thousands of dollars.

    Args:
      path: str, the file's name in `~/.keras/datasets`, or an absolute path.
      test_split: float, the share to test with.
      seed: int for the order.
      cache_dir: path that replaces `~/.keras`.

    Returns:
      `(x_train, y_train), (x_test, y_test)`: float64 arrays of shape [n, 13] and [n].

    Raises:
      AssertionError: `test_split` is not in [0, 1).
      Exception: the file is not there, and cannot be fetched.
      ValueError: the file is damaged.

    One of the columns is a count of Black inhabitants, made on a premise that prices depend on it.
    TF: `tf.keras.datasets.boston_housing.load_data`; no known difference.
    """
    if not 0 <= test_split < 1:
        raise AssertionError(f"`test_split` must be in [0, 1). Received: {test_split}")
    file_hash = "f553886a1f8d56431e820c5b82552d9d95cfcb96d1e678153f8839538947dff5"
    arrays = _files.npz(path, "boston_housing.npz", file_hash, cache_dir)
    order = _np.arange(len(arrays["x"]))
    _np.random.RandomState(seed).shuffle(order)
    x, y, number = arrays["x"][order], arrays["y"][order], int(len(order) * (1 - test_split))
    return (x[:number].copy(), y[:number].copy()), (x[number:].copy(), y[number:].copy())
