"""`tf.keras.datasets`: nothing is downloaded, so each `load_data` says what to use in its place."""

from tfcompat.errors import UnimplementedError as _UnimplementedError

_INSTEAD = {
    "boston_housing": "sklearn.datasets.fetch_california_housing",
    "cifar10": "arrays of your own, as from numpy.load",
    "cifar100": "arrays of your own, as from numpy.load",
    "fashion_mnist": "sklearn.datasets.fetch_openml('Fashion-MNIST')",
    "imdb": "sklearn.datasets.fetch_20newsgroups, or text of your own",
    "mnist": "sklearn.datasets.load_digits(), which needs no download, or numpy.load of a file mnist.npz",
    "reuters": "sklearn.datasets.fetch_rcv1",
}


class _Absent:
    """A module of one of Keras's datasets."""

    def __init__(self, name):
        self.__name__ = f"tf.keras.datasets.{name}"
        self._instead = _INSTEAD[name]

    def load_data(self, *args, **kwargs):
        """Refused.

        Raises:
          tf.errors.UnimplementedError: always.
        """
        raise self._refusal("load_data")

    def _refusal(self, function):
        return _UnimplementedError(
            None, None, f"{self.__name__}.{function} is not available in tfcompat: use {self._instead}"
        )

    def __getattr__(self, name):
        if name in ("get_word_index", "get_label_names"):
            raise self._refusal(name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


boston_housing = _Absent("boston_housing")
cifar10 = _Absent("cifar10")
cifar100 = _Absent("cifar100")
fashion_mnist = _Absent("fashion_mnist")
imdb = _Absent("imdb")
mnist = _Absent("mnist")
reuters = _Absent("reuters")
