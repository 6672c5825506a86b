"""`tf.sparse`: tensors given by their elements that are not zero."""

from tfcompat._package.missing import missing as _missing
from tfcompat.sparse._ops import add as add
from tfcompat.sparse._ops import eye as eye
from tfcompat.sparse._ops import from_dense as from_dense
from tfcompat.sparse._ops import map_values as map_values
from tfcompat.sparse._ops import mask as mask
from tfcompat.sparse._ops import maximum as maximum
from tfcompat.sparse._ops import minimum as minimum
from tfcompat.sparse._ops import reduce_max as reduce_max
from tfcompat.sparse._ops import reduce_sum as reduce_sum
from tfcompat.sparse._ops import reorder as reorder
from tfcompat.sparse._ops import sampled_addmm as sampled_addmm
from tfcompat.sparse._ops import segment_mean as segment_mean
from tfcompat.sparse._ops import segment_sqrt_n as segment_sqrt_n
from tfcompat.sparse._ops import segment_sum as segment_sum
from tfcompat.sparse._ops import softmax as softmax
from tfcompat.sparse._ops import sparse_dense_matmul as sparse_dense_matmul
from tfcompat.sparse._ops import to_dense as to_dense
from tfcompat.sparse._ops import to_indicator as to_indicator
from tfcompat.sparse._shape import bincount as bincount
from tfcompat.sparse._shape import concat as concat
from tfcompat.sparse._shape import cross as cross
from tfcompat.sparse._shape import cross_hashed as cross_hashed
from tfcompat.sparse._shape import expand_dims as expand_dims
from tfcompat.sparse._shape import fill_empty_rows as fill_empty_rows
from tfcompat.sparse._shape import reset_shape as reset_shape
from tfcompat.sparse._shape import reshape as reshape
from tfcompat.sparse._shape import retain as retain
from tfcompat.sparse._shape import slice_ as slice  # noqa: F401
from tfcompat.sparse._shape import split as split
from tfcompat.sparse._shape import transpose as transpose
from tfcompat.sparse._tensor import SparseTensor as SparseTensor

__getattr__ = _missing("tf.sparse")
