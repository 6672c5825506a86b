"""Functions of sparse tensors of unknown sizes are saved as TensorFlow's nodes, and come back."""

import numpy as np
import pytest

import tfcompat as tf


def _sparse(values=(1.0, 2.0, -3.0), places=((0, 1), (1, 0), (1, 2))):
    return tf.SparseTensor(np.int64(places), tf.constant(values), [2, 4])


def _matrix(x):
    """A dense tensor of a dense or sparse one."""
    return tf.sparse.to_dense(x) if isinstance(x, tf.SparseTensor) else x


def _numbered(x):
    """The columns of the elements, as elements."""
    return tf.SparseTensor(x.indices, x.indices[:, 1], x.dense_shape)


FUNCTIONS = {
    "to_dense": lambda x: tf.sparse.to_dense(x, 7.0),
    "reduce_sum": lambda x: tf.sparse.reduce_sum(x, 1, keepdims=True),
    "reduce_sum_of_all": tf.sparse.reduce_sum,
    "reduce_max": lambda x: tf.sparse.reduce_max(x, [0]),
    "matmul": lambda x: tf.sparse.sparse_dense_matmul(x, tf.reshape(tf.range(8.0), [4, 2])),
    "matmul_of_adjoint": lambda x: tf.sparse.sparse_dense_matmul(x, tf.ones([3, 2]), True, True),
    "add": lambda x: _matrix(tf.sparse.add(x, x)),
    "add_dense": lambda x: tf.sparse.add(tf.ones([2, 4]), x),
    "concat": lambda x: _matrix(tf.sparse.concat(-1, [x, x])),
    "slice": lambda x: _matrix(tf.sparse.slice(x, [0, 1], [2, 2])),
    "transpose": lambda x: _matrix(tf.sparse.transpose(x)),
    "reshape": lambda x: _matrix(tf.sparse.reshape(x, [-1, 2])),
    "softmax": lambda x: _matrix(tf.sparse.softmax(x)),
    "fill_empty_rows": lambda x: _matrix(tf.sparse.fill_empty_rows(x, 9.0)[0]),
    "retain": lambda x: _matrix(tf.sparse.retain(x, x.values > 1.0)),
    "maximum": lambda x: _matrix(tf.sparse.maximum(x, x)),
    "embedding_sum": lambda x: tf.nn.embedding_lookup_sparse(tf.reshape(tf.range(8.0), [4, 2]), _numbered(x), None,
                                                             combiner="sum") * tf.reduce_sum(x.values),
    "embedding_mean": lambda x: tf.nn.embedding_lookup_sparse(tf.reshape(tf.range(8.0), [4, 2]), _numbered(x), None)
    * tf.reduce_sum(x.values),
    "reorder": lambda x: _matrix(tf.sparse.reorder(x)),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_comes_back(name, tmp_path):
    module, x = tf.Module(), _sparse()
    module.f = tf.function(FUNCTIONS[name], input_signature=[tf.SparseTensorSpec([None, None], tf.float32)])
    tf.saved_model.save(module, str(tmp_path), signatures=module.f)
    loaded = tf.saved_model.load(str(tmp_path))
    results = []
    for f in (FUNCTIONS[name], loaded.f):
        values = tf.constant([1.0, 2.0, -3.0])
        with tf.GradientTape() as tape:
            tape.watch(values)
            y = f(tf.SparseTensor(x.indices, values, x.dense_shape))
        grad = None if name == "maximum" else tf.convert_to_tensor(tape.gradient(y, values))  # it has no gradient in TF
        results.append((y, y if grad is None else grad))
    for found, expected in zip(*results[::-1], strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    signature = loaded.signatures["serving_default"]
    (served,) = signature(**_by_name(signature, x)).values()
    np.testing.assert_allclose(served, results[0][0], rtol=1e-6)


def _by_name(signature, x):
    """The parts of a sparse tensor by the names that a signature has for them."""
    specs = signature.structured_input_signature[1]
    return {
        name: x.values if spec.dtype is tf.float32 else x.indices if spec.shape.rank == 2 else x.dense_shape
        for name, spec in specs.items()
    }


def test_places_are_checked_in_functions_that_come_back(tmp_path):
    module = tf.Module()
    module.f = tf.function(tf.sparse.to_dense, input_signature=[tf.SparseTensorSpec([None, None], tf.float32)])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    for f in (module.f, loaded.f):
        with pytest.raises(tf.errors.InvalidArgumentError, match="out of order"):
            f(_sparse(places=[[1, 0], [0, 1], [1, 2]])).numpy()
        with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
            f(_sparse(places=[[0, 0], [0, 1], [1, 4]])).numpy()
