"""Embeddings: rows of a table; those of sparse and ragged ids, combined row by row."""

import jax.numpy as jnp
import numpy as np

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, host_constant
from tfcompat._core.op import FLOATING, INDEX, REAL, op
from tfcompat.array import concat, gather, reshape, where
from tfcompat.array._arguments import check_is_allowed, invalid
from tfcompat.array._cast import cast
from tfcompat.dtypes import from_numpy
from tfcompat.math import logical_and, logical_not
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.sparse._shape import fill_empty_rows, retain
from tfcompat.sparse._shape import reshape as reshape_sparse
from tfcompat.sparse._tensor import SparseTensor
from tfcompat.sparse._unknown_sizes import saved_as

_COMBINERS = ("mean", "sqrtn", "sum")


@takes_composites("tf.nn.embedding_lookup")
def embedding_lookup(params, ids, max_norm=None, name=None):
    """Rows of a table.

    Args:
      params: tensor or variable of shape `[rows, ...]`; or a list of tensors that hold its rows one after
        another, the first ones one row more if they do not divide evenly.
      ids: integer tensor, values in [0, rows).
      max_norm: largest l2 norm of a row, to which longer ones are scaled down; or None.
      name: ignored.

    Returns:
      Tensor of shape `ids.shape + params.shape[1:]`.

    Raises:
      ValueError: `params` is an empty list, or the ids are ragged and no indices.
      tf.errors.InvalidArgumentError: as for `tf.gather`.

    Gradient: a `tf.IndexedSlices`, as for `tf.gather`.
    TF: `tf.nn.embedding_lookup`; no known difference.
    """
    if isinstance(params, list | tuple):
        if not params:
            raise ValueError("params must not be empty")
        if len(params) == 1:
            params = params[0]
        else:
            params = [convert_to_tensor(one) for one in params]
            if not len(params[0].shape):
                raise invalid("params must be at least 1 dimensional")
            params = concat(params, 0)
    if isinstance(ids, RaggedTensor) and ids.dtype not in INDEX:
        raise ValueError(f"The ids have dtype {ids.dtype.name}: they should be indices, of dtype int32 or int64")
    rows = gather(params, ids)
    if max_norm is None:
        return rows
    return _shortened(rows, max_norm, len(convert_to_tensor(ids).shape))


@op("_shortened", kernel="Mul", tensors=("rows", "max_norm"))
def _shortened(rows, max_norm, outer):
    squares = (rows * rows).sum(tuple(np.arange(outer, rows.ndim).tolist()), keepdims=True)
    positive = squares > 0
    norm = jnp.where(positive, jnp.sqrt(jnp.where(positive, squares, jnp.ones_like(squares))), squares)
    larger = jnp.where(norm >= max_norm, norm, max_norm)
    return rows * max_norm / larger


@op("_combined_rows", kernel="SparseSegmentSum", tensors=("rows", "weights", "ids"), same=("rows", "weights"),
    dtypes={"rows": REAL, "weights": REAL})  # fmt: skip
def _combined(rows, weights, ids, count, combiner):
    if combiner != "sum" and not jnp.issubdtype(rows.dtype, jnp.floating):
        check_is_allowed(from_numpy(rows.dtype), FLOATING, "SparseSegmentMean")
    column = weights.reshape(weights.shape + (1,) * (rows.ndim - 1))
    total = jnp.zeros((count, *rows.shape[1:]), rows.dtype).at[ids].add(rows * column)
    if combiner == "sum":
        return total
    power = weights if combiner == "mean" else weights * weights
    weight = jnp.zeros(count, rows.dtype).at[ids].add(power)
    weight = weight.reshape(weight.shape + (1,) * (rows.ndim - 1))
    nothing = weight == 0
    divisor = jnp.where(nothing, jnp.ones_like(weight), weight)
    divisor = jnp.sqrt(divisor) if combiner == "sqrtn" else divisor
    return jnp.where(nothing, jnp.zeros_like(total), total / divisor)


def _looked_up(new, params, sp_ids, sp_weights=None, combiner=None, max_norm=None, *args, **kwargs):
    if isinstance(params, list | tuple) or sp_weights is not None or max_norm is not None:
        return NotImplemented
    return new([None, *params.shape.as_list()[1:]], params.dtype)


@takes_composites("tf.nn.embedding_lookup_sparse")
@saved_as("EmbeddingLookupSparse", _looked_up)
def embedding_lookup_sparse(params, sp_ids, sp_weights, combiner=None, max_norm=None, name=None,
                            allow_fast_lookup=False):  # fmt: skip
    """Rows of a table, those of each row of ids combined.

    Args:
      params: tensor or variable of shape `[rows, ...]`, or a list of them, as for `tf.nn.embedding_lookup`.
      sp_ids: SparseTensor or RaggedTensor of integers, rank 2.
      sp_weights: floating SparseTensor or RaggedTensor with the places of `sp_ids`; ones if None.
      combiner: "mean" (default), "sum" or "sqrtn": what the sum is divided by.
      max_norm: largest l2 norm of a row, to which longer ones are scaled down; or None.
      name: ignored.
      allow_fast_lookup: changes nothing.

    Returns:
      Tensor of shape `[n] + params.shape[1:]`, n the number of rows up to the last that has an id.

    Raises:
      TypeError: `sp_ids` is neither.
      ValueError: another `combiner`.

    TF: `tf.nn.embedding_lookup_sparse`; no known difference.
    """
    combiner = "mean" if combiner is None else combiner
    if combiner not in _COMBINERS:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    if isinstance(sp_ids, RaggedTensor):
        ids, rows = sp_ids.flat_values, sp_ids.rowids()
        weights = None if sp_weights is None else sp_weights.flat_values
    elif isinstance(sp_ids, SparseTensor):
        if sp_weights is not None and not isinstance(sp_weights, SparseTensor):
            raise TypeError(f"sp_weights must be either None or SparseTensor, got {type(sp_weights)}")
        ids, rows = sp_ids.values, sp_ids.places()[:, 0]
        weights = None if sp_weights is None else sp_weights.values
    else:
        raise TypeError(f"sp_ids must be SparseTensor, got {type(sp_ids)}")
    embeddings = embedding_lookup(params, ids, max_norm=max_norm)
    count = int(rows.max()) + 1 if len(rows) else 0
    if isinstance(sp_ids, RaggedTensor):
        count = max(count, sp_ids.row_splits.shape[0] - 1)
    if weights is None:
        weights = convert_to_tensor(np.ones(len(rows), embeddings.dtype.np))
    elif weights.dtype != embeddings.dtype:
        weights = cast(weights, embeddings.dtype)
    return _combined(embeddings, weights, host_constant(rows), count, combiner)


@takes_composites("tf.nn.safe_embedding_lookup_sparse")
def safe_embedding_lookup_sparse(embedding_weights, sparse_ids, sparse_weights=None, combiner="mean", default_id=None,
                                 max_norm=None, name=None, allow_fast_lookup=False):  # fmt: skip
    """As `embedding_lookup_sparse`, but negative ids, and weights that are not positive, count as missing.

    Args:
      embedding_weights: tensor or variable of shape `[rows, ...]`, or a list of them.
      sparse_ids: SparseTensor of integers, rank at least 2.
      sparse_weights: floating SparseTensor with the places of `sparse_ids`; ones if None.
      combiner: "mean", "sum" or "sqrtn".
      default_id: the id of rows that have none; their result is zero if None.
      max_norm: as for `tf.nn.embedding_lookup`.
      name: ignored.
      allow_fast_lookup: changes nothing.

    Returns:
      Tensor of shape `sparse_ids.shape[:-1] + embedding_weights.shape[1:]`.

    Raises:
      ValueError: no weights, weights of different dtypes, or another `combiner`.

    TF: `tf.nn.safe_embedding_lookup_sparse`; no known difference.
    """
    if embedding_weights is None:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    if hasattr(sparse_ids, "to_sparse"):  # a RaggedTensor
        sparse_ids = sparse_ids.to_sparse()
        sparse_weights = sparse_weights if sparse_weights is None else sparse_weights.to_sparse()
    if not isinstance(sparse_ids, SparseTensor):
        raise TypeError(f"sparse_ids must be a SparseTensor or RaggedTensor, got {type(sparse_ids)}")
    sizes = sparse_ids.sizes()
    outer, flat = sizes[:-1], (int(np.prod(sizes[:-1])), sizes[-1])
    ids = reshape_sparse(sparse_ids, flat)
    weights = None if sparse_weights is None else reshape_sparse(sparse_weights, flat)
    valid = ids.values >= 0
    if weights is not None:
        weights_dtype = getattr(embedding_weights, "dtype", None)
        if weights_dtype is not None and weights.dtype != weights_dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {weights.dtype.name} for `embedding_weights` of dtype "
                f"{weights_dtype.name}"
            )
        valid = logical_and(valid, weights.values > 0) if combiner != "sum" else valid
        weights = retain(weights, valid)
    ids = retain(ids, valid)
    ids, empty = fill_empty_rows(ids, convert_to_tensor(default_id or 0, ids.dtype))
    if weights is not None:
        weights, _ = fill_empty_rows(weights, convert_to_tensor(1.0, weights.dtype))
    result = embedding_lookup_sparse(embedding_weights, ids, weights, combiner=combiner, max_norm=max_norm)
    if default_id is None:
        present = logical_not(reshape(empty, [-1] + [1] * (len(result.shape) - 1)))
        result = where(present, result, cast(host_constant(np.zeros(())), result.dtype))
    return reshape(result, [*outer, *result.shape.as_list()[1:]])
