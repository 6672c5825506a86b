"""`tf.keras.datasets.cifar100`: small pictures of a hundred kinds."""

from tfcompat.keras.datasets import _files


def load_data(label_mode="fine", cache_dir=None):
    """50,000 small pictures to train with, 10,000 to test with.

    Args:
      label_mode: "fine" for a hundred kinds, "coarse" for twenty groups of these.
      cache_dir: path that replaces `~/.keras`.

    Returns:
      `(x_train, y_train), (x_test, y_test)`: uint8 pictures of shape [n, 32, 32, 3], int64 labels of shape [n, 1].

    Raises:
      ValueError: another `label_mode`; the archive is damaged.
      Exception: the archive is not there, and cannot be fetched.

    TF: `tf.keras.datasets.cifar100.load_data`; the archive is the one of the same pictures in which there are no
    pickles, `cifar-100-binary.tar.gz`.
    """
    if label_mode not in ("fine", "coarse"):
        raise ValueError(f'`label_mode` must be one of `"fine"`, `"coarse"`. Received: label_mode={label_mode}.')
    file_hash = "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec"
    folder = _files.cifar("cifar-100-binary", "cifar-100-binary.tar.gz", file_hash, cache_dir)
    return _part(folder, "train.bin", label_mode), _part(folder, "test.bin", label_mode)


def _part(folder, name, label_mode):
    pictures, labels = _files.records(folder, [name], 2)
    return pictures, (labels[:, 1:] if label_mode == "fine" else labels[:, :1]).astype("int64")
