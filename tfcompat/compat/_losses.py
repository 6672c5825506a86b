"""`tf.compat.v1.losses`: losses as scalars, with weights; collections of graphs keep them."""

import tfcompat as _tf
from tfcompat.compat._weights import assert_broadcastable as _assert_broadcastable
from tfcompat.keras.losses._base import remove_squeezable_dimensions as _remove_squeezable_dimensions

_LOSSES, _REGULARIZATION = "losses", "regularization_losses"


class Reduction:
    """How losses become one number. TF: `tf.compat.v1.losses.Reduction`."""

    NONE = "none"
    SUM = "weighted_sum"
    MEAN = "weighted_mean"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    SUM_BY_NONZERO_WEIGHTS = SUM_OVER_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"

    @classmethod
    def all(cls):
        """All of them."""
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_OVER_NONZERO_WEIGHTS,
                cls.SUM_BY_NONZERO_WEIGHTS)  # fmt: skip

    @classmethod
    def validate(cls, key):
        """ValueError if `key` is none."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


def _counted(values, weights, axes=None, keepdims=False):
    """How many values have a weight other than 0."""
    present = _tf.cast(_tf.not_equal(weights, 0.0), _tf.float32)
    return _tf.reduce_sum(present * _tf.ones_like(values, _tf.float32), axes, keepdims)


def compute_weighted_loss(losses, weights=1.0, scope=None, loss_collection=_LOSSES,
                          reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):  # fmt: skip
    """Losses times weights, reduced.

    Args:
      losses: tensor.
      weights: tensor of rank 0, or of the rank of `losses` with sizes of 1 or theirs.
      scope: of no effect.
      loss_collection: the collection of the graph that the loss is added to; of no effect eagerly.
      reduction: of `Reduction`: SUM_BY_NONZERO_WEIGHTS divides by the number of losses that have a weight, MEAN by the
        sum of weights.

    Returns:
      Scalar of the dtype of `losses`; for NONE a tensor of their shape.

    Raises:
      ValueError: `weights` is None or does not fit; another `reduction`.

    TF: `tf.compat.v1.losses.compute_weighted_loss`.
    """
    Reduction.validate(reduction)
    losses = _tf.convert_to_tensor(losses)
    weights = _tf.cast(_tf.convert_to_tensor(weights), _tf.float32)
    _assert_broadcastable(weights, losses)
    values = _tf.cast(losses, _tf.float32)
    weighted = values * weights
    result = weighted if reduction == Reduction.NONE else _tf.reduce_sum(weighted)
    if reduction == Reduction.MEAN:
        result = _tf.math.divide_no_nan(result, _tf.reduce_sum(_tf.ones_like(values) * weights))
    elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
        result = _tf.math.divide_no_nan(result, _counted(values, weights))
    elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
        result = _tf.math.divide_no_nan(result, _tf.cast(_tf.size(values), _tf.float32))
    result = _tf.cast(result, losses.dtype)
    add_loss(result, loss_collection)
    return result


def _pair(labels, predictions):
    if labels is None or predictions is None:
        raise ValueError("Argument `labels` and `predictions` must not be None.")
    predictions, labels = _tf.cast(predictions, _tf.float32), _tf.cast(labels, _tf.float32)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return labels, predictions


def _of_pairs(name, formula, doc):
    def loss(labels, predictions, weights=1.0, scope=None, loss_collection=_LOSSES,
             reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):  # fmt: skip
        return compute_weighted_loss(formula(*_pair(labels, predictions)), weights, scope, loss_collection, reduction)

    loss.__name__ = loss.__qualname__ = name
    loss.__doc__ = (
        f"{doc} For the other arguments see `compute_weighted_loss`. TF: `tf.compat.v1.losses.{name}`.\n\n"
        "    Raises:\n      ValueError: shapes that differ.\n    "
    )
    return loss


absolute_difference = _of_pairs(
    "absolute_difference", lambda labels, predictions: _tf.abs(predictions - labels), "`|predictions - labels|`."
)
mean_squared_error = _of_pairs(
    "mean_squared_error", lambda labels, predictions: _tf.math.squared_difference(predictions, labels),
    "`(predictions - labels) ** 2`.",
)  # fmt: skip


def cosine_distance(labels, predictions, axis=None, weights=1.0, scope=None, loss_collection=_LOSSES,
                    reduction=Reduction.SUM_BY_NONZERO_WEIGHTS, dim=None):  # fmt: skip
    """`1 - sum(labels * predictions)` over an axis of unit vectors. TF: `tf.compat.v1.losses.cosine_distance`."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify argument `axis`.")
    labels, predictions = _pair(labels, predictions)
    losses = 1.0 - _tf.reduce_sum(predictions * labels, axis=axis, keepdims=True)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def hinge_loss(labels, logits, weights=1.0, scope=None, loss_collection=_LOSSES,
               reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):  # fmt: skip
    """`max(1 - (2 * labels - 1) * logits, 0)`. TF: `tf.compat.v1.losses.hinge_loss`."""
    labels, logits = _pair(labels, logits)
    losses = _tf.nn.relu(1.0 - (2.0 * labels - 1.0) * logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def huber_loss(labels, predictions, weights=1.0, delta=1.0, scope=None, loss_collection=_LOSSES,
               reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):  # fmt: skip
    """Half the square of errors up to `delta`, linear beyond. TF: `tf.compat.v1.losses.huber_loss`."""
    labels, predictions = _pair(labels, predictions)
    size = _tf.abs(predictions - labels)
    small = _tf.minimum(size, delta)
    return compute_weighted_loss(
        0.5 * small * small + delta * (size - small), weights, scope, loss_collection, reduction
    )


def log_loss(labels, predictions, weights=1.0, epsilon=1e-7, scope=None, loss_collection=_LOSSES,
             reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):  # fmt: skip
    """Cross entropy of probabilities. TF: `tf.compat.v1.losses.log_loss`."""
    labels, predictions = _pair(labels, predictions)
    losses = -labels * _tf.math.log(predictions + epsilon) - (1 - labels) * _tf.math.log(1 - predictions + epsilon)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def mean_pairwise_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection=_LOSSES):
    """The mean square of differences between pairs of errors in each example.

    TF: `tf.compat.v1.losses.mean_pairwise_squared_error`; for the arguments see `compute_weighted_loss`.
    """
    labels, predictions = _pair(labels, predictions)
    weights = _tf.cast(weights, _tf.float32)
    errors = predictions - labels
    _assert_broadcastable(weights, errors)
    axes = list(range(1, errors.shape.rank))
    # As in TF, one weight for all counts the elements of all examples.
    count = _counted(errors, weights) if weights.shape.rank == 0 else _counted(errors, weights, axes, keepdims=True)
    squares = _tf.reduce_sum(_tf.square(errors), axes, keepdims=True)
    total = _tf.reduce_sum(errors, axes, keepdims=True)
    of_squares = 2.0 * _tf.math.divide_no_nan(squares, _tf.maximum(count - 1, 0))
    of_total = 2.0 * _tf.math.divide_no_nan(_tf.square(total), _tf.maximum(count * (count - 1), 0))
    loss = _tf.reduce_sum((of_squares - of_total) * weights)
    loss = _tf.where(_tf.reduce_sum(count) > 0, loss, _tf.zeros_like(loss))
    add_loss(loss, loss_collection)
    return loss


def sigmoid_cross_entropy(multi_class_labels, logits, weights=1.0, label_smoothing=0, scope=None,
                          loss_collection=_LOSSES, reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):  # fmt: skip
    """Cross entropy of each class by itself. TF: `tf.compat.v1.losses.sigmoid_cross_entropy`."""
    logits = _tf.convert_to_tensor(logits)
    labels = _tf.cast(multi_class_labels, logits.dtype)
    logits.shape.assert_is_compatible_with(labels.shape)
    if label_smoothing > 0:
        labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
    losses = _tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(onehot_labels, logits, weights=1.0, label_smoothing=0, scope=None, loss_collection=_LOSSES,
                          reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):  # fmt: skip
    """Cross entropy of one-hot labels, which get no gradient. TF: `tf.compat.v1.losses.softmax_cross_entropy`."""
    logits = _tf.convert_to_tensor(logits)
    labels = _tf.cast(onehot_labels, logits.dtype)
    logits.shape.assert_is_compatible_with(labels.shape)
    if label_smoothing > 0:
        labels = labels * (1 - label_smoothing) + label_smoothing / _tf.cast(_tf.shape(labels)[-1], logits.dtype)
    losses = _tf.nn.softmax_cross_entropy_with_logits(labels=_tf.stop_gradient(labels), logits=logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sparse_softmax_cross_entropy(labels, logits, weights=1.0, scope=None, loss_collection=_LOSSES,
                                 reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):  # fmt: skip
    """Cross entropy of classes by number. TF: `tf.compat.v1.losses.sparse_softmax_cross_entropy`."""
    logits = _tf.convert_to_tensor(logits)
    labels, logits = _remove_squeezable_dimensions(_tf.convert_to_tensor(labels), logits, expected_rank_diff=1)
    weights = _tf.convert_to_tensor(weights)
    if weights.shape.rank and weights.shape.rank == labels.shape.rank + 1:
        weights = _tf.squeeze(weights, [-1])
    losses = _tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def add_loss(loss, loss_collection=_LOSSES):
    """Adds a loss to a collection of the graph that is built; eagerly TF keeps no losses either.

    TF: `tf.compat.v1.losses.add_loss`.
    """
    if loss_collection and not _tf.executing_eagerly():
        _tf.compat.v1.add_to_collection(loss_collection, loss)


def get_losses(scope=None, loss_collection=_LOSSES):
    """What `tf.compat.v1.add_to_collection` has put there. TF: `tf.compat.v1.losses.get_losses`."""
    return _tf.compat.v1.get_collection(loss_collection, scope)


def get_regularization_losses(scope=None):
    """As `get_losses` for "regularization_losses". TF: `tf.compat.v1.losses.get_regularization_losses`."""
    return _tf.compat.v1.get_collection(_REGULARIZATION, scope)


def get_regularization_loss(scope=None, name="total_regularization_loss"):
    """The sum of `get_regularization_losses`. TF: `tf.compat.v1.losses.get_regularization_loss`."""
    losses = get_regularization_losses(scope)
    return _tf.add_n(losses) if losses else _tf.constant(0.0)


def get_total_loss(add_regularization_losses=True, name="total_loss", scope=None):
    """The sum of all. TF: `tf.compat.v1.losses.get_total_loss`."""
    return _tf.add_n(get_losses(scope) + (get_regularization_losses(scope) if add_regularization_losses else []))
