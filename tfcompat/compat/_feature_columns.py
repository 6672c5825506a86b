"""`tf.compat.v1.feature_column.input_layer` and `linear_model`: columns with variables of `get_variable`."""

import tfcompat as tf
from tfcompat._core import graphs
from tfcompat._core.graphs import record
from tfcompat.compat._scopes import get_variable, variable_scope
from tfcompat.feature_column._column import CategoricalColumn, DenseColumn, Features
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
