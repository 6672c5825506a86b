"""`tf.keras.datasets`: well-known small data sets, fetched once and kept in `~/.keras/datasets`."""

from tfcompat.keras.datasets import boston_housing as boston_housing
from tfcompat.keras.datasets import cifar10 as cifar10
from tfcompat.keras.datasets import cifar100 as cifar100
from tfcompat.keras.datasets import fashion_mnist as fashion_mnist
from tfcompat.keras.datasets import imdb as imdb
from tfcompat.keras.datasets import mnist as mnist
from tfcompat.keras.datasets import reuters as reuters
