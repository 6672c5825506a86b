"""`tf.edit_distance`, of sequences in sparse tensors."""

import numpy as np

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, known_values
from tfcompat.array._arguments import check_dtype, invalid
from tfcompat.sparse._tensor import SparseTensor


@takes_composites("tf.edit_distance")
def edit_distance(hypothesis, truth, normalize=True, name="edit_distance"):
    """Levenshtein distance between sequences.

    Args:
      hypothesis: SparseTensor, a sequence along the last axis.
      truth: SparseTensor of that dtype and rank.
      normalize: whether to divide by the length of the truth.
      name: ignored.

    Returns:
      float32 tensor of the outer shape; infinite where the truth is empty and `normalize`, unless both are.

    Raises:
      TypeError: an argument is no SparseTensor.
      tf.errors.InvalidArgumentError: their dtypes or ranks differ.

    TF: `tf.edit_distance`; no known difference.
    """
    for role, argument in (("Hypothesis", hypothesis), ("Truth", truth)):
        if not isinstance(argument, SparseTensor):
            raise TypeError(f"{role} must be a SparseTensor.")
    check_dtype(truth.values, (hypothesis.dtype,), "EditDistance")
    if len(hypothesis.sizes()) != len(truth.sizes()):
        raise invalid("truth_shape and hypothesis_shape must have the same rank")
    outer = tuple(np.maximum(hypothesis.sizes()[:-1], truth.sizes()[:-1]).tolist())
    rows = [_sequences(sparse) for sparse in (hypothesis, truth)]
    result = np.zeros(outer, np.float32)
    for place in np.ndindex(*outer):
        mine, its = (by_row.get(place, []) for by_row in rows)
        distance = _distance(mine, its)
        if normalize:
            distance = distance / len(its) if its else (np.inf if mine else 0.0)
        result[place] = distance
    return convert_to_tensor(result)


def _sequences(sparse):
    by_row: dict = {}
    values = known_values(sparse.values, "call it outside").tolist()
    for place, value in zip(sparse.places().tolist(), values, strict=True):
        by_row.setdefault(tuple(place[:-1]), []).append(value)
    return by_row


def _distance(first, second):
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(second, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]
