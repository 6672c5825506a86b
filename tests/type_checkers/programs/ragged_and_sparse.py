"""Ragged and sparse tensors, text."""

from typing import reveal_type

import tfcompat as tf

ragged = tf.ragged.constant([[1, 2], [3]])
rows = tf.RaggedTensor.from_row_lengths(tf.range(3), [1, 2])
print(ragged.row_lengths(), ragged.to_tensor(default_value=0), ragged.values, ragged.bounding_shape(), rows + 1)
for row in ragged:
    print(row)
sparse = tf.sparse.SparseTensor(indices=[[0, 1]], values=[1.0], dense_shape=[2, 2])
dense = tf.sparse.to_dense(sparse)
product = tf.sparse.sparse_dense_matmul(sparse, dense)
words = tf.strings.split(["a b", "c"])
lengths = tf.strings.length(tf.constant(["abc"]), unit="UTF8_CHAR")
print(words, lengths, sparse.indices, sparse.dense_shape, product)
unique = tf.unique(tf.constant([1, 1, 2]))
top = tf.math.top_k(tf.constant([1.0, 3.0]), k=1)
print(unique.y, unique.idx, top.values, top.indices)
reveal_type(ragged)  # RaggedTensor
reveal_type(dense)  # Tensor
reveal_type(lengths)  # Tensor
reveal_type(sparse)  # SparseTensor
