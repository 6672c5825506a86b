"""`tf.ragged`: tensors with rows of different lengths."""

from tfcompat._package.missing import missing as _missing
from tfcompat.ragged import _dispatch as _dispatch
from tfcompat.ragged import _gather as _gather
from tfcompat.ragged import _operators as _operators
from tfcompat.ragged import _products as _products
from tfcompat.ragged import _reductions as _reductions
from tfcompat.ragged._ops import boolean_mask as boolean_mask
from tfcompat.ragged._ops import constant as constant
from tfcompat.ragged._ops import cross as cross
from tfcompat.ragged._ops import cross_hashed as cross_hashed
from tfcompat.ragged._ops import map_flat_values as map_flat_values
from tfcompat.ragged._ops import range_ as range  # noqa: F401
from tfcompat.ragged._ops import row_splits_to_segment_ids as row_splits_to_segment_ids
from tfcompat.ragged._ops import segment_ids_to_row_splits as segment_ids_to_row_splits
from tfcompat.ragged._ops import stack as stack
from tfcompat.ragged._ops import stack_dynamic_partitions as stack_dynamic_partitions

__getattr__ = _missing("tf.ragged")
