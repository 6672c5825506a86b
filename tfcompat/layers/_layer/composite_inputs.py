"""Ragged and sparse inputs of layers, where layers treat them differently from ops."""

from typing import Any

from tfcompat.array import cast, concat, reverse, sequence_mask
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.sparse import concat as sparse_concat
from tfcompat.sparse import sparse_dense_matmul, to_dense
from tfcompat.sparse._tensor import SparseTensor


def multiplied(layer, inputs: Any):
    """The output of a Dense layer for a sparse matrix, or for a ragged tensor, which stays ragged.

    Raises:
      ValueError: the last axis of a ragged tensor is ragged.
    """
    if isinstance(inputs, RaggedTensor):
        if inputs.shape[-1] is None:
            raise ValueError(
                "Dense layer only supports RaggedTensors when the innermost dimension is non-ragged. Received: "
                f"inputs.shape={tuple(inputs.shape.as_list())}"
            )
        # Where the last axis is uniform, the layer works on the flat values; otherwise rows become a dense tensor
        # first.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/layers/core/dense.py
        if inputs.flat_values.shape.rank > 1:
            return inputs.with_flat_values(layer.call(inputs.flat_values))
        return RaggedTensor.from_tensor(layer.call(inputs.to_tensor()), ragged_rank=inputs.ragged_rank)
    outputs = sparse_dense_matmul(cast(inputs, layer._compute_dtype_object), layer.kernel)
    if layer.use_bias:
        outputs = outputs + layer.bias
    return outputs if layer.activation is None else layer.activation(outputs)


def joined(inputs, axis):
    """Tensors joined along an axis. The result is sparse if all of them are, else dense."""
    sparse = [isinstance(x, SparseTensor) for x in inputs]
    if all(sparse):
        return sparse_concat(axis, inputs)
    return concat([to_dense(x) if is_sparse else x for x, is_sparse in zip(inputs, sparse, strict=True)], axis=axis)


def run_over_rows(layer, inputs: Any, mask, run) -> Any:
    """The output of a recurrent layer for a ragged tensor: it runs over each row, and sequences of outputs are ragged.

    Args:
      layer: the layer.
      inputs: RaggedTensor.
      mask: must be None.
      run: function of a dense tensor and its mask, to the outputs of the layer.

    Raises:
      ValueError: there is a mask; the layer is unrolled.
    """
    if mask is not None:
        raise ValueError(
            f"The mask that was passed in was {mask}, which cannot be applied to RaggedTensor inputs. Please make sure "
            "that there is no mask injected by upstream layers."
        )
    if layer.unroll:
        raise ValueError(
            "The input received contains RaggedTensors and does not support unrolling. Disable unrolling by passing "
            "`unroll=False` in the RNN Layer constructor."
        )
    dense, lengths = inputs.to_tensor(), inputs.row_lengths()
    outputs = run(dense, sequence_mask(lengths, dense.shape[1]))
    if not layer.return_sequences:
        return outputs
    several = layer.return_state
    sequence = outputs[0] if several else outputs
    if layer.go_backwards:  # the padding comes first
        sequence = reverse(RaggedTensor.from_tensor(reverse(sequence, [1]), lengths=lengths), [1])
    else:
        sequence = RaggedTensor.from_tensor(sequence, lengths=lengths)
    return [sequence, *outputs[1:]] if several else sequence
