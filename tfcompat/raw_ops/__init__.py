"""`tf.raw_ops`: ops under TensorFlow's own names; keyword arguments only.

One table holds them, `_registry.OPS`: what TensorFlow's definition of an op says, and the function that computes it.
Reading and writing TensorFlow's graphs follow the same table. `_refused.FAMILIES` says why the others are not here.
"""

from tfcompat._package.missing import missing as _missing
from tfcompat.raw_ops import _arrays as _arrays
from tfcompat.raw_ops import _clusters as _clusters
from tfcompat.raw_ops import _dataflow as _dataflow
from tfcompat.raw_ops import _files as _files
from tfcompat.raw_ops import _from_table as _from_table
from tfcompat.raw_ops import _functions as _functions
from tfcompat.raw_ops import _gradients as _gradients
from tfcompat.raw_ops import _handles as _handles
from tfcompat.raw_ops import _images as _images
from tfcompat.raw_ops import _layers as _layers
from tfcompat.raw_ops import _lists as _lists
from tfcompat.raw_ops import _numbers as _numbers
from tfcompat.raw_ops import _parsing as _parsing
from tfcompat.raw_ops import _sparse as _sparse
from tfcompat.raw_ops import _sparse_matrices as _sparse_matrices
from tfcompat.raw_ops import _spectra as _spectra
from tfcompat.raw_ops import _stablehlo as _stablehlo
from tfcompat.raw_ops import _state as _state
from tfcompat.raw_ops import _steps as _steps
from tfcompat.raw_ops import _summaries as _summaries
from tfcompat.raw_ops import _tables as _tables
from tfcompat.raw_ops import _text as _text
from tfcompat.raw_ops import _variants as _variants
from tfcompat.raw_ops import _written as _written
from tfcompat.raw_ops._definitions import definition as _definition
from tfcompat.raw_ops._refused import refused_by_tensorflow as _refused_by_tensorflow
from tfcompat.raw_ops._refused import way_round as _way_round
from tfcompat.raw_ops._registry import OPS as _OPS
from tfcompat.raw_ops._registry import same as _same
from tfcompat.raw_ops._table import SAME as _SAME

_same(dict(row.split() for row in _SAME.strip().splitlines()))


def _made(name):
    if name in _OPS and _definition(name).is_public:
        return _OPS[name]
    return None if name.startswith("_") else _refused_by_tensorflow().get(name)


def __dir__():
    public = [name for name in _OPS if _definition(name).is_public]
    return sorted([*globals(), *public, *_refused_by_tensorflow()])


__getattr__ = _missing("tf.raw_ops", otherwise=_way_round, made=_made)
