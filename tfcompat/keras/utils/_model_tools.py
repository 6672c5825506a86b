"""`tf.keras.utils.get_source_inputs` and `warmstart_embedding_matrix`."""

import os

import numpy as np

from tfcompat import array, nest
from tfcompat._core.tensor import Tensor
from tfcompat.layers import initializers
from tfcompat.layers._symbolic.keras_tensor import KerasTensor


def get_source_inputs(tensor, layer=None, node_index=None):
    """The inputs from which a KerasTensor is computed.

    Args:
      tensor: KerasTensor.
      layer: the layer that it comes from; found by default.
      node_index: int, which call of the layer.

    Returns:
      list of KerasTensors; `tensor` itself where it is none.

    TF: `tf.keras.utils.get_source_inputs`; no known difference.
    """
    if not isinstance(tensor, KerasTensor):
        return tensor
    if layer is None or node_index:
        layer, node_index, _ = tensor._keras_history
    if not layer._inbound_nodes:
        return [tensor]
    inputs, seen, stack = {}, set(), [layer._inbound_nodes[node_index]]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.is_input:
            inputs.update((id(x), x) for x in nest.flatten(node.outputs))
        histories = [x._keras_history for x in reversed(node.keras_inputs)]
        stack.extend(h.layer._inbound_nodes[h.node_index] for h in histories)
    return list(inputs.values())


def warmstart_embedding_matrix(
    base_vocabulary, new_vocabulary, base_embeddings, new_embeddings_initializer="uniform"
):
    """Embeddings for a new vocabulary: rows of words that were in the old one are taken over.

    Args:
      base_vocabulary: array, tensor, list or tuple of words, or the path of a file with a word in each line.
      new_vocabulary: the same.
      base_embeddings: array or tensor [words of `base_vocabulary`, size].
      new_embeddings_initializer: initializer of the rows of other words.

    Returns:
      Tensor [words of `new_vocabulary`, size].

    Raises:
      ValueError: a vocabulary is empty, no such file, or something else.

    TF: `tf.keras.utils.warmstart_embedding_matrix`; no known difference.
    """
    base, new = _words(base_vocabulary), _words(new_vocabulary)
    made = initializers.get(new_embeddings_initializer)(
        shape=(len(new), base_embeddings.shape[1]), dtype=base_embeddings.dtype
    )
    places = {word: i for i, word in enumerate(base)}
    shared_rows = [i for i, word in enumerate(new) if word in places]
    if not shared_rows:
        return made
    rows = array.gather(base_embeddings, [places[new[i]] for i in shared_rows])
    return array.tensor_scatter_nd_update(made, np.array(shared_rows)[:, None], rows)


def _words(vocabulary):
    if isinstance(vocabulary, Tensor):
        words = list(vocabulary.numpy())
    elif isinstance(vocabulary, np.ndarray | tuple | list):
        words = list(vocabulary)
    elif isinstance(vocabulary, str):
        if not os.path.exists(vocabulary):
            raise ValueError(f"Vocabulary file {vocabulary} does not exist.")
        with open(vocabulary, encoding="utf-8") as file:
            words = file.read().splitlines()
    else:
        raise ValueError(
            "Vocabulary is expected to be either a NumPy array, list, 1D tensor or a vocabulary text file. Instead "
            f"type {type(vocabulary)} was received."
        )
    if not words:
        raise ValueError("A vocabulary needs at least one token. Received 0 instead.")
    return words
