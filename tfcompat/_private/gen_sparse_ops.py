"""tensorflow/python/ops/gen_sparse_ops.py."""
import collections

import tfcompat as _tf

_SparseReorder = collections.namedtuple("SparseReorder", ["output_indices", "output_values"])


def sparse_reorder(input_indices, input_values, input_shape, name=None):
    """Places in the order of rows and columns, and the values at them."""
    ordered = _tf.sparse.reorder(_tf.SparseTensor(input_indices, input_values, input_shape))
    return _SparseReorder(ordered.indices, ordered.values)
