"""Losses over very many classes, computed with a sample of them."""

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor
from tfcompat.array import cast, concat, expand_dims, ones_like, reshape, shape, slice, zeros
from tfcompat.linalg import matmul
from tfcompat.math import divide, equal, log, reduce_any, reduce_sum
from tfcompat.nn._embedding import embedding_lookup
from tfcompat.nn._loss import sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits
from tfcompat.random import log_uniform_candidate_sampler
from tfcompat.tape import stop_gradient

_LOWEST = float(np.finfo(np.float32).min)


def _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
                    remove_accidental_hits, seed):  # fmt: skip
    """Logits and labels of the true classes followed by the drawn ones, each less the log of its expected count."""
    labels = convert_to_tensor(labels)
    if labels.dtype != dtypes.int64:
        labels = cast(labels, dtypes.int64)
    inputs = convert_to_tensor(inputs)
    flat = reshape(labels, [-1])
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(
            labels, num_true, num_sampled, unique=True, range_max=num_classes, seed=seed
        )
    drawn, true_count, drawn_count = (stop_gradient(value) for value in sampled_values)
    drawn = cast(drawn, dtypes.int64)
    ids = concat([flat, drawn], 0)
    rows = embedding_lookup(weights, ids)
    if rows.dtype != inputs.dtype:
        rows = cast(rows, inputs.dtype)
    offsets = embedding_lookup(biases, ids)
    if offsets.dtype != inputs.dtype:
        offsets = cast(offsets, inputs.dtype)
    first, width = shape(flat)[0], shape(rows)[1]
    true_rows, drawn_rows = slice(rows, [0, 0], [first, -1]), slice(rows, [first, 0], [-1, -1])
    true_logits = reduce_sum(expand_dims(inputs, 1) * reshape(true_rows, [-1, num_true, width]), -1)
    true_logits = reshape(true_logits, [-1, num_true]) + reshape(slice(offsets, [0], [first]), [-1, num_true])
    drawn_logits = matmul(inputs, drawn_rows, transpose_b=True) + slice(offsets, [first], [-1])
    if remove_accidental_hits:
        hits = reduce_any(equal(labels[:, :, None], drawn), 1)
        drawn_logits = drawn_logits + cast(hits, drawn_logits.dtype) * cast(_LOWEST, drawn_logits.dtype)
    true_logits = true_logits - log(true_count)
    drawn_logits = drawn_logits - log(drawn_count)
    out_labels = concat(
        [divide(ones_like(true_logits), num_true), zeros(shape(drawn_logits), drawn_logits.dtype)], 1
    )
    return concat([true_logits, drawn_logits], 1), out_labels


def nce_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
             remove_accidental_hits=False, name="nce_loss"):  # fmt: skip
    """Noise-contrastive estimation: tells the true classes from drawn ones.

    Args:
      weights: tensor of shape `[num_classes, dim]`, or a list of such that hold its rows.
      biases: tensor of shape `[num_classes]`.
      labels: integer tensor of shape `[batch, num_true]`.
      inputs: floating tensor of shape `[batch, dim]`; float32 for the candidates that a sampler draws.
      num_sampled: int, how many classes are drawn, for the whole batch.
      num_classes: int.
      num_true: int, how many classes each example has.
      sampled_values: what a function like `tf.random.log_uniform_candidate_sampler` returned; by default that one
        is called, with `unique=True`.
      remove_accidental_hits: whether drawn classes that an example has are left out.
      name: ignored.

    Returns:
      Tensor of shape `[batch]`, dtype of `inputs`.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit, or counts of another dtype than `inputs`.

    Gradient: with respect to `weights` and `biases` a `tf.IndexedSlices`.
    TF: `tf.nn.nce_loss`; no known difference, the same classes are drawn for the same seeds.
    """
    logits, targets = _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true,
                                      sampled_values, remove_accidental_hits, None)  # fmt: skip
    return reduce_sum(sigmoid_cross_entropy_with_logits(labels=targets, logits=logits), 1)


def sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
                         remove_accidental_hits=True, seed=None, name="sampled_softmax_loss"):  # fmt: skip
    """Softmax cross-entropy over the true classes and drawn ones.

    Args:
      weights: tensor of shape `[num_classes, dim]`, or a list of such that hold its rows.
      biases: tensor of shape `[num_classes]`.
      labels: integer tensor of shape `[batch, num_true]`.
      inputs: floating tensor of shape `[batch, dim]`; float32 for the candidates that a sampler draws.
      num_sampled: int, how many classes are drawn, for the whole batch.
      num_classes: int.
      num_true: int, how many classes each example has.
      sampled_values: what a function like `tf.random.log_uniform_candidate_sampler` returned; by default that one
        is called, with `unique=True`.
      remove_accidental_hits: whether drawn classes that an example has are left out.
      seed: int, of the sampler; see `tf.random.set_seed`.
      name: ignored.

    Returns:
      Tensor of shape `[batch]`, dtype of `inputs`.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit, or counts of another dtype than `inputs`.

    Gradient: with respect to `weights` and `biases` a `tf.IndexedSlices`.
    TF: `tf.nn.sampled_softmax_loss`; no known difference, the same classes are drawn for the same seeds.
    """
    logits, targets = _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true,
                                      sampled_values, remove_accidental_hits, seed)  # fmt: skip
    return softmax_cross_entropy_with_logits(stop_gradient(targets), logits)
