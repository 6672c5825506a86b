"""Connectionist temporal classification: its loss, and decoders."""

import functools
import heapq
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import dtypes, engine
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import INDEX, REAL, op
from tfcompat._core.steps import sizes_of, step
from tfcompat.array import where, zeros_like
from tfcompat.array._arguments import check_dtype, invalid
from tfcompat.array._cast import cast
from tfcompat.errors import FailedPreconditionError, UnimplementedError
from tfcompat.math._activation import log_probabilities
from tfcompat.sparse import _unknown_sizes as unknown_sizes
from tfcompat.sparse._ops import to_dense
from tfcompat.sparse._tensor import SparseTensor, made
from tfcompat.tape import stop_gradient

_FLOATS = frozenset({dtypes.float32, dtypes.float64})
_HALVES = frozenset({dtypes.float16, dtypes.bfloat16})
_LABELS = INDEX | {dtypes.uint8, dtypes.int8}
# Finite, so that labels that cannot be emitted have a finite loss, as in TF.
# https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/ctc_ops.py
_LOG_ZERO = -707.0
_ADVICE = "call it outside"


def _one_loss(log, labels, label_length, logit_length, blank):
    """Loss of one sequence: `log` of shape [time, classes], labels between blanks."""
    count = labels.shape[0]
    if blank:
        labels = jnp.where(labels == blank, blank - 1, labels)  # what TF, which puts the blank first, finds there
    states = jnp.full(2 * count + 1, blank, labels.dtype).at[1::2].set(labels)
    zero = jnp.asarray(_LOG_ZERO, log.dtype)
    is_class = (states >= 0) & (states < log.shape[1])
    emitted = jnp.where(is_class, log[:, states], 0)  # an unknown class is certain, as in TF
    is_label = np.arange(2 * count + 1) % 2 == 1
    before = jnp.concatenate([jnp.full(2, -1, states.dtype), states])[:-2]
    may_skip = is_label & (states != before)

    def shifted(x, by):
        return jnp.concatenate([jnp.full(by, zero), x])[:-by]

    def step(alpha, inputs):
        time, scores = inputs
        stay = jnp.logaddexp(alpha, shifted(alpha, 1))
        moved = jnp.logaddexp(stay, jnp.where(may_skip, shifted(alpha, 2), zero))
        return jnp.where(time < logit_length, moved + scores, alpha), None

    first = jnp.where(np.arange(2 * count + 1) < 2, emitted[0], zero)
    alpha, _ = lax.scan(step, first, (jnp.arange(1, log.shape[0]), emitted[1:]))
    last = 2 * label_length
    ended = jnp.where((last >= 0) & (last <= 2 * count), alpha[last], zero)
    if not count:
        return -ended
    return -jnp.where(label_length > 0, jnp.logaddexp(ended, alpha[jnp.maximum(last - 1, 0)]), ended)


_DTYPES = {"logits": _FLOATS, "labels": _LABELS, "label_length": _LABELS, "logit_length": REAL}
_TENSORS = ("logits", "labels", "label_length", "logit_length")


@op("_ctc_loss", kernel="CTCLossV2", tensors=_TENSORS, same=("logits",), dtypes=_DTYPES)
def _ctc_loss(logits, labels, label_length, logit_length, time_major, blank):
    if logits.ndim != 3:
        raise invalid(f"logits must be of rank 3, got {logits.ndim}")
    batch_axis = 1 if time_major else 0
    rows = (logits.shape[batch_axis], labels.shape[0], *label_length.shape, *logit_length.shape)
    if labels.ndim != 2 or len(rows) != 4 or any(n != rows[0] for n in rows):
        raise invalid(f"Incompatible shapes: {rows[0]} rows of logits, labels of {labels.shape}, lengths of {rows[2:]}")
    log = log_probabilities(logits, 2)
    labels = labels.astype(np.promote_types(labels.dtype, np.int32))
    return jax.vmap(_one_loss, in_axes=(batch_axis, 0, 0, 0, None))(log, labels, label_length, logit_length, blank)


def _without_blank(labels, label_length, classes, blank):
    """Labels as TF's kernel for sparse ones counts them, the blank last; and whether each counts.

    Those from the first on that is no class do not. What is the blank counts as the class before it, as in TF.
    """
    labels = labels.astype(np.promote_types(labels.dtype, np.int32))
    moved = jnp.where(labels < blank, labels, labels - 1)
    inside = np.arange(labels.shape[1]) < jnp.reshape(label_length, (-1, 1))
    return moved, inside, inside & (jnp.cumsum(inside & (moved >= classes - 1), 1) == 0)


@functools.lru_cache
def _fits_beside_cotangent(time_major, blank):
    """`_fits` as the derivative by the logits takes it: TF's kernel computes the gradient together with the loss."""
    return lambda change, labels, label_length, logit_length: _fits(
        change, labels, label_length, logit_length, time_major, blank
    )


def _fits(logits, labels, label_length, logit_length, time_major, blank):
    """What TF's kernel requires of sparse labels."""
    if logits.ndim != 3 or labels.ndim != 2 or 0 in labels.shape:
        return []
    moved, inside, counts = _without_blank(labels, label_length, logits.shape[2], blank)
    steps, last = logits.shape[0 if time_major else 1], logits.shape[2] - 1
    needed = inside.sum(1)
    batch = jnp.arange(labels.shape[0])
    return [
        engine.require(logit_length >= 0, "seq_len({0}) < 0", batch),
        engine.require(logit_length <= steps, f"sequence_length({{0}}) <= {steps}", batch),
        engine.require(jnp.reshape(label_length, -1) > 0, "Labels length is zero in batch {0}", batch),
        engine.require(counts | ~inside | (moved >= last), "Saw a non-null label following a null label"),
        engine.require((moved >= 0) | ~counts, "All labels must be nonnegative integers, got {0}", moved),
        engine.require(
            needed <= logit_length, "Not enough time for target transition sequence (required: {0}, available: {1})",
            needed, logit_length.astype(np.int64),
        ),
    ]  # fmt: skip


@op("_ctc_loss_of_sparse", kernel="CTCLoss", tensors=_TENSORS, same=("logits",), dtypes=_DTYPES, requires=_fits,
    requires_of="f", conditional=True)  # fmt: skip
def _ctc_loss_of_sparse(logits, labels, label_length, logit_length, time_major, blank):
    if logits.ndim != 3:
        raise invalid(f"inputs is not a 3-Tensor, but of rank {logits.ndim}")
    logits = engine.marked(logits, _fits_beside_cotangent(time_major, blank), labels, label_length, logit_length)
    moved, _, counts = _without_blank(labels, label_length, logits.shape[2], blank)
    labels = jnp.where(moved < blank, moved, moved + 1)
    losses = _ctc_loss.raw(logits, labels, counts.sum(1), logit_length, time_major, blank)
    steps = counts.sum(1) + (counts[:, 1:] & (moved[:, 1:] == moved[:, :-1])).sum(1)
    # As in TF's kernel, what no path leads to has an infinite loss, whose gradient is the softmax.
    totals = jax.nn.logsumexp(logits, 2) if time_major else jax.nn.logsumexp(logits, 2).T
    inside = np.arange(totals.shape[0])[:, None] < logit_length
    total = jnp.where(inside, totals, jnp.zeros((), logits.dtype)).sum(0)
    return jnp.where(steps > logit_length, total - lax.stop_gradient(total) + np.array(np.inf, logits.dtype), losses)


@takes_composites("tf.nn.ctc_loss")
def ctc_loss(labels, logits, label_length, logit_length, logits_time_major=True, unique=None, blank_index=None,
             name=None):  # fmt: skip
    """Loss of connectionist temporal classification.

    Args:
      labels: integer tensor of shape `[batch, labels]`, or a SparseTensor of that shape.
      logits: floating tensor of shape `[time, batch, classes]`; halves are computed with in float32.
      label_length: integers of shape `[batch]`; None for sparse labels.
      logit_length: numbers of shape `[batch]`.
      logits_time_major: False for logits of shape `[batch, time, classes]`.
      unique: result of `ctc_unique_labels`, which is not needed.
      blank_index: the class that stands for no label, counted from the end if negative; 0 for dense labels if None.
      name: ignored.

    Returns:
      Tensor of shape `[batch]` and the dtype of `logits`.

    Raises:
      ValueError: no `blank_index` for sparse labels, or one that is no class.
      tf.errors.InvalidArgumentError: of sparse labels, a sequence without labels or too short for them, a negative
        label, a length that is negative or larger than `time`.

    An unknown class in dense labels counts as certain. TF: `tf.nn.ctc_loss`.
    """
    logits = convert_to_tensor(logits)
    classes = logits.shape[-1]
    loss = _ctc_loss
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError("Argument `blank_index` must be provided when `labels` is a `SparseTensor`.")
        lengths = np.bincount(labels.places()[:, 0], minlength=labels.sizes()[0])
        label_length, labels, loss = host_constant(lengths), to_dense(labels), _ctc_loss_of_sparse
    blank = 0 if blank_index is None else static_value(blank_index)
    blank = blank + classes if blank < 0 else blank
    if blank >= classes:
        raise ValueError("Argument `blank_index` must be in the range of classes")
    precise = cast(logits, dtypes.float32) if logits.dtype in _HALVES else logits
    losses = loss(precise, labels, label_length, stop_gradient(logit_length), bool(logits_time_major), blank)
    return cast(losses, logits.dtype)


def loss_of_sparse(logits, indices, values, lengths, collapse, ignore_longer, blank):
    """The losses as the raw op has them, of labels as the components of a sparse tensor, whose places are known.

    Args:
      logits: tensor of shape `[time, batch, classes]`.
      indices, values: places and values of labels.
      lengths: of the sequences, int32 vector.
      collapse: whether neighbouring equal labels count once.
      ignore_longer: whether sequences that are too short for their labels have the loss 0; otherwise they are errors.
      blank: the class that stands for no label.

    Raises:
      tf.errors.InvalidArgumentError: a sequence without labels or too short for them; a label behind no class.
    """
    places, numbers, times = (known_values(convert_to_tensor(x), _ADVICE) for x in (indices, values, lengths))
    if logits.shape.rank != 3 or times.shape != (logits.shape[1],) or places.shape != (len(numbers), 2):
        raise invalid(f"inputs of the shape {logits.shape}, lengths of {times.shape} and labels do not fit")
    if 0 in (logits.shape[0], logits.shape[1]):
        raise invalid("Max time and batch size must not be 0")
    rows, needed = [], []
    for n in range(logits.shape[1]):
        row = numbers[places[:, 0] == n].tolist()
        needed.append(len(row))  # equal neighbours need more time: without it the loss is infinite
        rows.append([x for k, x in enumerate(row) if not (collapse and k and x == row[k - 1])])
    fits = np.array(needed) <= times
    if not ignore_longer and not fits.all():
        n = int(np.argmin(fits))
        raise invalid(f"Not enough time for target transition sequence (required: {needed[n]}, available: {times[n]})")
    rows = [row if fit else row[:1] for row, fit in zip(rows, fits, strict=True)]
    table = np.zeros((len(rows), max(1, *map(len, rows))), np.int32)
    for n, row in enumerate(rows):
        table[n, : len(row)] = row
    table += table >= blank  # such labels are none, and the op takes the number of the blank for the class before it
    counts = host_constant(np.array([len(row) for row in rows], np.int32))
    times = host_constant(np.where(fits, times, logits.shape[0]).astype(np.int32))
    losses = _ctc_loss_of_sparse(logits, host_constant(table), counts, times, True, blank)
    return where(host_constant(fits), losses, zeros_like(losses))


def _without_repetition(decoded):
    """A SparseTensor of label sequences without what repeats."""
    rows = [[] for _ in range(decoded.sizes()[0])]
    for (row, _), label in zip(decoded.places().tolist(), known_values(decoded.values).tolist(), strict=True):
        if not rows[row] or rows[row][-1] != label:
            rows[row].append(label)
    return _decoded(rows)


@takes_composites("tf.nn.ctc_unique_labels")
def ctc_unique_labels(labels, name=None):
    """The different labels of each sequence, and which each label is.

    Args:
      labels: integer tensor of shape `[batch, labels]`.
      name: ignored.

    Returns:
      List of an int64 tensor of the labels, padded with 0, and an int32 tensor of their numbers.

    TF: `tf.nn.ctc_unique_labels`; no known difference.
    """
    labels = convert_to_tensor(labels)
    if labels.dtype == dtypes.string:
        raise UnimplementedError(None, None, "Cast string to int64 is not supported [Op:Cast]")
    rows = known_values(labels, _ADVICE)
    if rows.ndim != 2:
        raise invalid(f"unique expects a 1D vector, of each row of a matrix; got labels of rank {rows.ndim}")
    unique, numbers = np.zeros(rows.shape, np.int64), np.zeros(rows.shape, np.int32)
    for place, row in enumerate(rows.tolist()):
        order = list(dict.fromkeys(row))
        unique[place, : len(order)] = order
        numbers[place] = [order.index(label) for label in row]
    return [host_constant(unique), host_constant(numbers)]


def _sequences(inputs, sequence_length, kernel):
    inputs = convert_to_tensor(inputs)
    check_dtype(inputs, (dtypes.float32, dtypes.float64), kernel)
    values = known_values(inputs, _ADVICE)
    lengths = known_values(convert_to_tensor(sequence_length), _ADVICE)
    if values.ndim != 3:
        raise invalid("inputs is not a 3-Tensor")
    if lengths.shape != values.shape[1:2]:
        raise FailedPreconditionError(None, None, "len(sequence_length) != batch_size")
    for place, length in enumerate(lengths):
        if length > values.shape[0]:
            raise FailedPreconditionError(None, None, f"sequence_length({place}) <= {values.shape[0]}")
    return values, lengths


def _decoded(rows):
    places = [(n, place) for n, row in enumerate(rows) for place in range(len(row))]
    flat = np.array([label for row in rows for label in row], np.int64)
    return made(places, host_constant(flat), (len(rows), max((len(row) for row in rows), default=0)))


def _best_paths(new, inputs, count):
    inputs = convert_to_tensor(inputs)
    return [unknown_sizes.sparse_like(new, dtypes.int64, [None, None]) for _ in range(count)], new(
        [sizes_of(inputs)[1], count], inputs.dtype
    )


@takes_composites("tf.nn.ctc_greedy_decoder")
@step("CTCGreedyDecoder", lambda new, inputs, *args, **kwargs: _best_paths(new, inputs, 1), underived=True)
def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True, blank_index=None):
    """The labels of the likeliest class at each time.

    Args:
      inputs: float32 or float64 tensor of shape `[time, batch, classes]`, logits.
      sequence_length: int32 vector of shape `[batch]`.
      merge_repeated: whether a class that repeats without a blank between counts once.
      blank_index: the class that stands for no label; the last one if None.

    Returns:
      `([decoded], neg_sum_logits)`: an int64 SparseTensor of shape `[batch, labels]`, and the negated sums of the
      largest logits, of shape `[batch, 1]`.

    Raises:
      tf.errors.InvalidArgumentError: another dtype, or another class for the blank.
      tf.errors.FailedPreconditionError: a sequence longer than `inputs`.
      tf.errors.UnimplementedError: the values are not known while a function is traced.

    TF: `tf.nn.ctc_greedy_decoder`; no known difference.
    """
    values, lengths = _sequences(inputs, sequence_length, "CTCGreedyDecoder")
    classes = values.shape[2]
    blank = classes - 1 if blank_index is None else static_value(blank_index)
    if not -classes <= blank < classes:
        raise when_run(f"blank_index expected to be between {-classes} and {classes - 1} but was {blank}")
    blank = blank + classes if blank < 0 else blank
    rows, sums = [], np.zeros((values.shape[1], 1), values.dtype)
    for n, length in enumerate(lengths):
        length = max(length, 0)
        best, row, previous = values[:length, n].argmax(-1).tolist(), [], None
        sums[n] = -values[:length, n].max(-1).sum()
        for label in best:
            if label != blank and not (merge_repeated and label == previous):
                row.append(label)
            previous = label
        rows.append(row)
    return [_decoded(rows)], convert_to_tensor(sums)


class _Prefix:
    """A sequence of labels in a beam search, with logarithms of its probabilities.

    `new` and `old` are those of now and of the time before: of having ended with a blank, with a label, and with any. A
    prefix that is not in the beam has no probability, and what it had is not added when it comes back.
    """

    __slots__ = ("parent", "label", "children", "new", "old")

    def __init__(self, parent=None, label=None):
        self.parent, self.label, self.children = parent, label, {}
        self.new = self.old = _IMPOSSIBLE

    def labels(self):
        return () if self.parent is None else (*self.parent.labels(), self.label)

    def before(self, label):
        """The probability of the time before from which `label` makes another prefix."""
        return self.old[0 if label == self.label else 2]


_IMPOSSIBLE = -math.inf, -math.inf, -math.inf


def _beam_search(log, width, blank):
    """The likeliest label sequences of one input, with the logarithms of their probabilities."""
    root = _Prefix()
    root.new = 0.0, -math.inf, 0.0
    beam = [root]
    for scores in log.tolist():
        for prefix in beam:
            prefix.old = prefix.new
        leaves = []  # a heap, the least likely first; the number of a leaf decides among equal ones
        for prefix in beam:
            ends_label = prefix.new[1]
            if prefix.parent is not None:
                if prefix.parent.new[2] != -math.inf:
                    ends_label = np.logaddexp(ends_label, prefix.parent.before(prefix.label))
                ends_label += scores[prefix.label]
            ends_blank = prefix.old[2] + scores[blank]
            prefix.new = ends_blank, ends_label, np.logaddexp(ends_blank, ends_label)
            heapq.heappush(leaves, (prefix.new[2], -len(leaves), prefix))
        count = len(leaves)
        for prefix in beam:
            if len(leaves) == width and prefix.old[2] <= leaves[0][0]:
                continue
            for label, score in enumerate(scores):
                if label == blank:
                    continue
                child = prefix.children.get(label)
                if child is None:
                    child = prefix.children[label] = _Prefix(prefix, label)
                elif child.new[2] != -math.inf:
                    continue
                total = prefix.before(label) + score
                if total == -math.inf or len(leaves) == width and total <= leaves[0][0]:
                    child.old = _IMPOSSIBLE
                    continue
                child.new = -math.inf, total, total
                entry, count = (total, -count, child), count + 1
                if len(leaves) == width:
                    heapq.heapreplace(leaves, entry)[2].new = _IMPOSSIBLE
                else:
                    heapq.heappush(leaves, entry)
        beam = [prefix for *_, prefix in sorted(leaves, reverse=True)]
    return [(prefix.new[2], prefix.labels()) for prefix in beam]


def _best_beams(new, inputs, sequence_length, beam_width=100, top_paths=1):
    return _best_paths(new, inputs, int(static_value(top_paths)))


@takes_composites("tf.nn.ctc_beam_search_decoder")
@step("CTCBeamSearchDecoder", _best_beams, underived=True)
def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1):
    """The likeliest sequences of labels, by a search that keeps the best prefixes.

    Args:
      inputs: float32 or float64 tensor of shape `[time, batch, classes]`, logits; the last class is the blank.
      sequence_length: int32 vector of shape `[batch]`.
      beam_width: how many prefixes are kept.
      top_paths: how many sequences to return.

    Returns:
      `(decoded, log_probability)`: a list of `top_paths` int64 SparseTensors of shape `[batch, labels]`, and the
      logarithms of their probabilities, of shape `[batch, top_paths]`.

    Raises:
      tf.errors.InvalidArgumentError: more paths than `beam_width`, or another dtype.
      tf.errors.FailedPreconditionError: a sequence longer than `inputs`.
      tf.errors.UnimplementedError: the values are not known while a function is traced.

    TF: `tf.nn.ctc_beam_search_decoder`; no known difference.
    """
    for count, name in ((beam_width, "beam_width"), (top_paths, "top_paths")):
        if count < 1:
            raise invalid(f"Value for attr '{name}' of {count} must be at least minimum 1")
    if top_paths > beam_width:
        raise when_run("requested more paths than the beam width.")
    values, lengths = _sequences(inputs, sequence_length, "CTCBeamSearchDecoder")
    log = values.astype(np.float64)
    log = log - log.max(-1, keepdims=True)
    log = log - np.log(np.exp(log).sum(-1, keepdims=True))
    best_paths = [
        _beam_search(log[: max(length, 0), n], beam_width, values.shape[2] - 1)[:top_paths]
        for n, length in enumerate(lengths)
    ]
    if any(len(paths) < top_paths for paths in best_paths):
        raise when_run("Less leaves in the beam search than requested.")
    scores = np.array([[score for score, _ in paths] for paths in best_paths], values.dtype)
    return [_decoded([paths[k][1] for paths in best_paths]) for k in range(top_paths)], convert_to_tensor(scores)


def beams_without_repetition(*args):
    """As `ctc_beam_search_decoder`, with sequences in which no label repeats, as TensorFlow 1 and Keras give them."""
    decoded, scores = ctc_beam_search_decoder(*args)
    return [_without_repetition(one) for one in decoded], scores


@takes_composites("tf.nn.collapse_repeated")
def collapse_repeated(labels, seq_length, name=None):
    """Label sequences without what repeats.

    Args:
      labels: integer tensor of shape `[batch, labels]`.
      seq_length: integers of shape `[batch]`.
      name: ignored.

    Returns:
      `(labels, lengths)`: padded with 0, and how many labels remain.

    TF: `tf.nn.collapse_repeated`; no known difference.
    """
    tensor, sizes = convert_to_tensor(labels), convert_to_tensor(seq_length)
    rows, lengths = known_values(tensor, _ADVICE), known_values(sizes, _ADVICE)
    if lengths.shape != rows.shape[:1]:
        raise invalid(f"Incompatible shapes: {list(rows.shape)} vs. {[*lengths.shape, rows.shape[-1]]}")
    collapsed = []
    for row, length in zip(rows.tolist(), lengths, strict=True):
        row = row[: max(length, 0)]
        collapsed.append([label for place, label in enumerate(row) if not place or label != row[place - 1]])
    result = np.zeros((len(collapsed), max(map(len, collapsed), default=0)), rows.dtype)
    for place, row in enumerate(collapsed):
        result[place, : len(row)] = row
    return host_constant(result), host_constant(np.array([len(row) for row in collapsed], lengths.dtype))
