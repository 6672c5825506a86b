"""`tf.compat.v1.feature_column`: `input_layer`, `linear_model` and shared embeddings, with the variables of a graph."""

import collections
import math

import tfcompat as tf
from tfcompat._core import graphs
from tfcompat._core.graphs import record
from tfcompat.compat._initializers import TruncatedNormal
from tfcompat.compat._scopes import get_variable, variable_scope
from tfcompat.feature_column._column import CategoricalColumn, DenseColumn, Features
from tfcompat.feature_column._dense import EmbeddingColumn
from tfcompat.layers._dense_features import in_order

_COLLECTIONS = ["variables", "model_variables"]


class _Weights:
    """Makes variables where columns ask a layer for weights."""

    def __init__(self, trainable, collections):
        self.trainable, self._collections = trainable, [*_COLLECTIONS, *(collections or ())]
        self.made: list = []

    def add_weight(self, name, shape, initializer=None, trainable=True):
        """A variable of the scope that is entered."""
        collections = list(dict.fromkeys(self._collections))
        made = get_variable(name, shape, tf.float32, initializer, trainable=trainable, collections=collections)
        self.made.append(made)
        return made


def _computed(function, features, *weights):
    """What a function of features and weights gives: one operation of the graph."""
    if graphs.current() is None:
        return function(features, *weights)
    return record(function, (dict(features), *weights), {}, "Reshape")


def input_layer(features, feature_columns, weight_collections=None, trainable=True, cols_to_vars=None,
                cols_to_output_tensors=None):  # fmt: skip
    """The values of columns, side by side, in the order of their names.

    Args:
      features: dict from names to tensors of shape `[batch, ...]`, or sparse ones.
      feature_columns: list of columns of numbers, or one.
      weight_collections: names of collections that the variables of embeddings are in, besides "variables" and
        "model_variables".
      trainable: whether these are trained.
      cols_to_vars, cols_to_output_tensors: dicts that are filled: column -> list of its variables, and -> its values.

    Returns:
      float32 `[batch, size of all columns]`.

    Raises:
      ValueError: no columns, one twice, or a column of ids; a feature is missing.

    TF: `tf.compat.v1.feature_column.input_layer`. Names of operations differ.
    """
    columns, results = in_order(feature_columns), []
    with variable_scope(None, default_name="input_layer"):
        for column in columns:
            weights = _Weights(trainable, weight_collections)
            own = column.make_weights(weights)
            size = column.variable_shape.num_elements()

            def dense(features, *own, column=column, size=size):
                made = column.dense(Features(features), *(own or (None,)))
                return tf.reshape(made, [tf.shape(made)[0], size])

            results.append(_computed(dense, features, *([] if own is None else [own])))
            if cols_to_vars is not None:
                cols_to_vars[column] = weights.made
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = results[-1]
        return tf.concat(results, 1)


def linear_model(features, feature_columns, units=1, sparse_combiner="sum", weight_collections=None, trainable=True,
                 cols_to_vars=None):  # fmt: skip
    """The sum of all columns times their weights, plus a bias.

    Args:
      units: size of the result.
      sparse_combiner: "sum", "mean" or "sqrtn": how the ids of an example are put together.

    For the other arguments see `input_layer`; columns may be of ids, too. The bias is in `cols_to_vars` as "bias".

    Returns:
      float32 `[batch, units]`.

    Raises:
      ValueError: no columns, one twice, or another combiner.

    TF: `tf.compat.v1.feature_column.linear_model`. Names of operations differ.
    """
    if sparse_combiner not in ("sum", "mean", "sqrtn"):
        raise ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum'")
    columns, results = in_order(feature_columns, DenseColumn | CategoricalColumn), []
    with variable_scope(None, default_name="linear_model"):
        for column in columns:
            weights, is_dense = _Weights(trainable, weight_collections), isinstance(column, DenseColumn)
            own = column.make_weights(weights) if is_dense else None
            rows = column.variable_shape.num_elements() if is_dense else column.num_buckets
            weights.add_weight(f"{column.name}/weights", [rows, units], tf.zeros_initializer(), trainable)

            def summed(features, *weights, column=column, rows=rows, is_dense=is_dense):
                *own, factors = weights
                if not is_dense:
                    return _sum_of_ids(Features(features).get(column), factors, sparse_combiner)
                made = column.dense(Features(features), *(own or (None,)))
                return tf.matmul(tf.reshape(made, [tf.shape(made)[0], rows]), factors)

            results.append(_computed(summed, features, *([] if own is None else [own]), weights.made[-1]))
            if cols_to_vars is not None:
                cols_to_vars[column] = weights.made
        bias = _Weights(trainable, weight_collections).add_weight(
            "bias_weights", [units], tf.zeros_initializer(), trainable
        )  # fmt: skip
        if cols_to_vars is not None:
            cols_to_vars["bias"] = [bias]
        return tf.nn.bias_add(tf.add_n(results), bias, name="weighted_sum")


def _sum_of_ids(of, factors, combiner):
    """The rows of `factors` for `Ids`, put together for each example."""
    counts = of.present & (of.ids >= 0)
    share = tf.cast(counts, tf.float32)
    if of.weights is not None:
        share = share * tf.where(counts, of.weights, tf.zeros_like(of.weights))
    rows = tf.gather(factors, tf.where(counts, of.ids, tf.zeros_like(of.ids)))
    total = tf.reduce_sum(rows * share[..., None], 1)
    if combiner == "sum":
        return total
    whole = tf.reduce_sum(share, 1) if combiner == "mean" else tf.sqrt(tf.reduce_sum(share * share, 1))
    return tf.math.divide_no_nan(total, whole[:, None])


class SharedEmbeddingColumn(DenseColumn, collections.namedtuple("SharedEmbeddingColumn", (
    "categorical_column", "dimension", "combiner", "initializer", "shared_embedding_collection_name",
    "ckpt_to_load_from", "tensor_name_in_ckpt", "max_norm", "trainable", "use_safe_embedding_lookup",
))):  # fmt: skip
    """Vectors for ids, which columns of one collection of the graph share."""

    __slots__ = ()
    name = property(lambda self: f"{self.categorical_column.name}_shared_embedding", doc="A name.")
    parents, parse_example_spec = EmbeddingColumn.parents, EmbeddingColumn.parse_example_spec
    variable_shape = EmbeddingColumn.variable_shape
    transform, dense = EmbeddingColumn.transform, EmbeddingColumn.dense

    def make_weights(self, layer):
        name, graph = self.shared_embedding_collection_name, graphs.current()
        shared = graph.get_collection(name)
        if len(shared) > 1:
            raise ValueError(
                f"Collection {shared} can only contain one variable. Suggested fix A: Choose a unique name for this "
                "collection. Suggested fix B: Do not add any variables to this collection."
            )
        shape = self.categorical_column.num_buckets, self.dimension
        if not shared:
            made = layer.add_weight(
                name=f"{name}/embedding_weights", shape=shape, initializer=self.initializer,
                trainable=self.trainable and layer.trainable,
            )  # fmt: skip
            graph.add_to_collection(name, made)
            return made
        if not shared[0].shape.is_compatible_with(shape):
            raise ValueError(
                f"Shared embedding collection {name} already exists, and has a variable of shape {shared[0].shape}, "
                f"where {list(shape)} was expected."
            )
        return shared[0]


def shared_embedding_columns(categorical_columns, dimension, combiner="mean", initializer=None,
                             shared_embedding_collection_name=None, ckpt_to_load_from=None, tensor_name_in_ckpt=None,
                             max_norm=None, trainable=True, use_safe_embedding_lookup=True):  # fmt: skip
    """Columns of vectors for the ids of several columns, which have the same vectors.

    Args:
      categorical_columns: columns of ids of the same kind and number of ids.
      shared_embedding_collection_name: name of the collection of the graph that holds the vectors; by default made of
        the names of the columns.
      Others: as of `tf.feature_column.embedding_column`.

    Returns:
      List of columns in the order of `categorical_columns`, for `input_layer`.

    Raises:
      RuntimeError: code runs eagerly.
      ValueError: the columns do not fit each other; `dimension` is less than 1; the initializer cannot be called.
      tf.errors.UnimplementedError: a checkpoint is given.

    TF: `tf.compat.v1.feature_column.shared_embedding_columns`.
    """
    if graphs.current() is None:
        raise RuntimeError("shared_embedding_columns are not supported when eager execution is enabled.")
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
    if ckpt_to_load_from is not None:
        raise tf.errors.UnimplementedError(
            None, None, "shared_embedding_columns with ckpt_to_load_from: restore the variable by a Saver"
        )
    if initializer is not None and not callable(initializer):
        raise ValueError("initializer must be callable if specified.")
    initializer = TruncatedNormal(0.0, 1 / math.sqrt(dimension)) if initializer is None else initializer
    ordered = sorted(categorical_columns, key=lambda column: column.name)
    first = ordered[0]
    for column in ordered[1:]:
        if not isinstance(column, CategoricalColumn) or _kind(column) is not _kind(first):
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same type, or be "
                f"weighted_categorical_column or sequence column of the same type. Given column: {first} of type: "
                f"{type(first)} does not match given column: {column} of type: {type(column)}"
            )
        if column.num_buckets != first.num_buckets:
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same number of buckets. ven "
                f"column: {first} with buckets: {first.num_buckets} does  not match column: {column} with buckets: "
                f"{column.num_buckets}"
            )
    name = shared_embedding_collection_name
    if not name:
        name = "_".join(column.name for column in ordered) + "_shared_embedding"
    return [
        SharedEmbeddingColumn(
            column, dimension, combiner, initializer, name, ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable,
            use_safe_embedding_lookup,
        ) for column in categorical_columns
    ]  # fmt: skip


def _kind(column):
    """The class of a column of ids; of a weighted one that of the column that is weighted."""
    inner = getattr(column, "categorical_column", None)
    return type(column if inner is None else inner)
