"""`tf.keras.datasets.cifar10`: small pictures of ten kinds."""

from tfcompat.keras.datasets import _files


def load_data(cache_dir=None):
    """50,000 small pictures to train with, 10,000 to test with.

    Args:
      cache_dir: path that replaces `~/.keras`.

    Returns:
      `(x_train, y_train), (x_test, y_test)`: uint8 arrays, pictures of shape [n, 32, 32, 3], labels of shape [n, 1]:
      airplane, automobile, bird, cat, deer, dog, frog, horse, ship, truck.

    Raises:
      Exception: the archive is not there, and cannot be fetched.
      ValueError: it is damaged.

    TF: `tf.keras.datasets.cifar10.load_data`; the archive is the one of the same pictures in which there are no
    pickles, `cifar-10-binary.tar.gz`.
    """
    file_hash = "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"
    folder = _files.cifar("cifar-10-batches-bin", "cifar-10-binary.tar.gz", file_hash, cache_dir)
    train = _files.records(folder, [f"data_batch_{i}.bin" for i in range(1, 6)], 1)
    return train, _files.records(folder, ["test_batch.bin"], 1)
