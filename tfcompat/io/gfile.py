"""`tf.io.gfile`: files and folders of this machine."""

from tfcompat._package.missing import missing as _missing
from tfcompat.io._gfile import GFile as GFile
from tfcompat.io._gfile import copy as copy
from tfcompat.io._gfile import exists as exists
from tfcompat.io._gfile import get_registered_schemes as get_registered_schemes
from tfcompat.io._gfile import glob as glob
from tfcompat.io._gfile import isdir as isdir
from tfcompat.io._gfile import join as join
from tfcompat.io._gfile import listdir as listdir
from tfcompat.io._gfile import makedirs as makedirs
from tfcompat.io._gfile import mkdir as mkdir
from tfcompat.io._gfile import remove as remove
from tfcompat.io._gfile import rename as rename
from tfcompat.io._gfile import rmtree as rmtree
from tfcompat.io._gfile import stat as stat
from tfcompat.io._gfile import walk as walk

__getattr__ = _missing("tf.io.gfile")
