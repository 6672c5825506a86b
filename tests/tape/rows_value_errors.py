"""Values that an op refuses: one line a case, run in each of the ways in which a program may come to such values.

A case is the call, its arguments and what the message says. Where the message is not worth matching, the text is empty.
"""

from rows import raised, row_for

F = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
V = [1.0, 2.0, 3.0]
NAN = [[1.0, float("nan")], [float("nan"), 2.0]]
ALL_NAN = [[float("nan")] * 2] * 2
INF = [[float("inf"), 1.0], [1.0, 2.0]]
SINGULAR = [[1.0, 2.0], [2.0, 4.0]]
ZEROS = [[0.0, 0.0], [0.0, 0.0]]


class Wide(list):
    """Integers of 64 bits."""


def _variable(tf):
    return tf.Variable(V)


def _embedding(tf):
    layer = tf.keras.layers.Embedding(3, 2)
    layer.build([None])
    return layer


def _scattered(how):
    def call(tf, v, i, updates):
        if how.startswith("scatter_nd"):
            getattr(v, how)(i, updates)
        else:
            getattr(v, how)(tf.IndexedSlices(updates, i))
        return v.read_value()

    return call


def _sparse(tf, i, values, shape=(2, 2)):
    return tf.SparseTensor(tf.cast(i, tf.int64), values, shape)


def _lookup_sparse(tf, x, i):
    ids = tf.SparseTensor(tf.constant([[0, 0], [1, 0]], tf.int64), i, [2, 2])
    return tf.nn.embedding_lookup_sparse(x, ids, None, combiner="sum")


def _optimizer(name):
    def make(tf):
        v, optimizer = tf.Variable(V), getattr(tf.keras.optimizers, name)(0.1)
        optimizer.build([v])
        return v, optimizer

    return make


def _optimized(tf, made, i, updates):
    v, optimizer = made
    optimizer.apply_gradients([(tf.IndexedSlices(updates, i), v)])
    return v.read_value()


def _read(tf, x, i):
    return tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x).read(i)


INDICES = {
    "gather": (lambda tf, x, i: tf.gather(x, i), (F, [0, 7]), "indices[1] = 7 is not in [0, 3)"),
    "gather negative": (lambda tf, x, i: tf.gather(x, i), (F, [-1]), "indices[0] = -1 is not in [0, 3)"),
    "gather scalar": (lambda tf, x, i: tf.gather(x, i), (F, 3), "indices = 3 is not in [0, 3)"),
    "gather int64": (lambda tf, x, i: tf.gather(x, i), (F, Wide([3])), "indices[0] = 3 is not in [0, 3)"),
    "gather axis": (lambda tf, x, i: tf.gather(x, i, axis=1), (F, [0, 2]), "indices[1] = 2 is not in [0, 2)"),
    "gather last axis": (lambda tf, x, i: tf.gather(x, i, axis=-1), (F, [5]), "indices[0] = 5 is not in [0, 2)"),
    "gather batch": (lambda tf, x, i: tf.gather(x, i, batch_dims=1), (F, [[0], [1], [5]]), "indices[2,0] = 5 is not"),
    "gather integers": (lambda tf, x, i: tf.gather(x, i), ([1, 2], [2]), "indices[0] = 2 is not in [0, 2)"),
    "gather_nd": (
        lambda tf, x, i: tf.gather_nd(x, i), (F, [[0, 0], [7, 1]]), "indices[1] = [7, 1] does not index into"),
    "gather_nd row": (lambda tf, x, i: tf.gather_nd(x, i), (F, [[3]]), "indices[0] = [3] does not index into"),
    "gather_nd batch": (
        lambda tf, x, i: tf.gather_nd(x, i, batch_dims=1), (F, [[0], [1], [2]]), "does not index into"),
    "embedding_lookup": (lambda tf, x, i: tf.nn.embedding_lookup(x, i), (F, [[0, 7]]), "indices[0,1] = 7 is not in"),
    "embedding_lookup_sparse": (_lookup_sparse, (F, [1, 7]), "indices[1] ="),
    "Embedding": (lambda tf, layer, i: layer(i), (_embedding, [[0, 7]]), "indices[0,1] = 7 is not in [0, 3)"),
    "x[i]": (lambda tf, x, i: x[i], (F, 3), "slice index 3 of dimension 0 out of bounds."),
    "x[i] negative": (lambda tf, x, i: x[i], (F, -4), "slice index -1 of dimension 0 out of bounds."),
    "x[:, i]": (lambda tf, x, i: x[:, i], (F, 2), "slice index 2 of dimension 1 out of bounds."),
    "x[..., i]": (lambda tf, x, i: x[..., i], (F, 5), "slice index 5 of dimension 1 out of bounds."),
    "x[i, j]": (lambda tf, x, i, j: x[i, j], (F, 1, 9), "slice index 9 of dimension 1 out of bounds."),
    "x[i, 1:]": (lambda tf, x, i: x[i, 1:], (F, 4), "slice index 4 of dimension 0 out of bounds."),
    "x[None, i]": (lambda tf, x, i: x[None, i], (F, 4), "out of bounds."),
    "x[::s]": (lambda tf, x, s: x[::s], (F, 0), "strides[0] must be non-zero"),
    "slice begin": (lambda tf, x, i: tf.slice(x, i, [1, 1]), (F, [3, 0]), "Expected size[0] in [0, 0], but got 1"),
    "slice begin past": (
        lambda tf, x, i: tf.slice(x, i, [1, 1]), (F, [4, 0]), "Expected begin[0] in [0, 3], but got 4"),
    "slice begin negative": (lambda tf, x, i: tf.slice(x, i, [1, 1]), (F, [-1, 0]), "Expected begin[0] in [0, 3]"),
    "slice begin -1": (lambda tf, x, i: tf.slice(x, i, [-1, -1]), (F, [4, 0]), "Expected begin[0] in [0, 3]"),
    "slice size": (lambda tf, x, n: tf.slice(x, [1, 0], n), (F, [3, 2]), "Expected size[0] in [0, 2], but got 3"),
    "slice size negative": (lambda tf, x, n: tf.slice(x, [1, 0], n), (F, [-2, 2]), "Expected size[0] in [0, 2]"),
    "scatter_nd": (lambda tf, i, u: tf.scatter_nd(i, u, [4]), ([[7]], [1.0]), "indices[0] = [7] does not index into"),
    "scatter_nd rows": (lambda tf, i, u: tf.scatter_nd(i, u, [2, 2]), ([[1], [-1]], F[:2]), "[-1] does not index into"),
    **{
        f"tensor_scatter_nd_{how}": (
            lambda tf, x, i, u, how=how: getattr(tf, f"tensor_scatter_nd_{how}")(x, i, u),
            (V, [[3]], [1.0]), "indices[0] = [3] does not index into shape [3]")
        for how in ("update", "add", "sub", "min", "max")
    },
    **{
        f"Variable.{how}": (_scattered(how), (_variable, [3], [1.0]), "indices[0] = 3 is not in [0, 3)")
        for how in ("scatter_update", "scatter_add", "scatter_sub", "scatter_min", "scatter_max",
                    "scatter_mul", "scatter_div")
    },
    "Variable.scatter_add negative": (
        _scattered("scatter_add"), (_variable, [0, -1], [1.0, 1.0]), "indices[1] = -1 is not in [0, 3)"),
    **{
        f"Variable.{how}": (
            _scattered(how), (_variable, [[3]], [1.0]), "indices[0] = [3] does not index into shape [3]")
        for how in ("scatter_nd_add", "scatter_nd_sub", "scatter_nd_update")
    },
    "Variable.sparse_read": (lambda tf, v, i: v.sparse_read(i), (_variable, [3]), "indices[0] = 3 is not in [0, 3)"),
    "Variable.gather_nd": (lambda tf, v, i: v.gather_nd(i), (_variable, [[3]]), "does not index into"),
    "one_hot": (lambda tf, i, n: tf.one_hot(i, n), ([1], -1), "depth must be non-negative, got: -1"),
    "invert_permutation": (lambda tf, i: tf.math.invert_permutation(i), ([0, 3, 1],), "3 is not between 0 and 3"),
    "invert_permutation again": (lambda tf, i: tf.math.invert_permutation(i), ([0, 1, 1],), "1 is duplicated in the"),
    "dynamic_partition": (
        lambda tf, x, i: tf.dynamic_partition(x, i, 2), (V, [0, 1, 2]), "partitions[2] = 2 is not in [0, 2)"),
    "dynamic_stitch": (lambda tf, i, x: tf.dynamic_stitch([i], [x]), ([0, -1, 1], V), "indices[1] is out of range"),
    "unravel_index": (lambda tf, i: tf.unravel_index(i, [2, 2]), ([5],), "index is out of bound as with dims"),
    "crop_and_resize": (
        lambda tf, x, i: tf.image.crop_and_resize(x[None, :, :, None], [[0.0, 0.0, 1.0, 1.0]], i, [2, 2]),
        (F, [1]), "box_index has values outside [0, batch_size)"),
    "crop_and_resize negative": (
        lambda tf, x, i: tf.image.crop_and_resize(x[None, :, :, None], [[0.0, 0.0, 1.0, 1.0]], i, [2, 2]),
        (F, [-1]), "box_index has values outside [0, batch_size)"),
    "TensorArray.read": (_read, (V, 5), ""),
    "TensorArray.read negative": (_read, (V, -1), ""),
    "TensorArray.gather": (
        lambda tf, x, i: tf.TensorArray(tf.float32, 3).unstack(x).gather(i), (V, [5]), ""),
    "TensorArray.write": (
        lambda tf, x, i: tf.TensorArray(tf.float32, 3).unstack(x).write(i, 1.0).stack(), (V, 5), ""),
    "SGD": (_optimized, (_optimizer("SGD"), [3], [1.0]), "indices[0] = 3 is not in [0, 3)"),
    "Adagrad": (_optimized, (_optimizer("Adagrad"), [3], [1.0]), "indices[0] = 3 is not in [0, 3)"),
    "Adam": (_optimized, (_optimizer("Adam"), [3], [1.0]), "indices[0] = 3 is not in [0, 3)"),
}


def _segment(name, *sizes, **options):
    return lambda tf, x, i: getattr(tf.math, name)(x, i, *sizes, **options)


def _sparse_segment(name, **options):
    return lambda tf, x, i, s: getattr(tf.sparse, name)(x, i, s, **options)


SEGMENTS = {
    **{
        f"segment_{how}": (_segment(f"segment_{how}"), (V, [0, 1, 0]), "segment ids are not increasing")
        for how in ("sum", "mean", "max", "min", "prod")
    },
    **{
        f"segment_{how} negative": (_segment(f"segment_{how}"), (V, [-1, 0, 1]), "Segment id -1 out of range [0, 2)")
        for how in ("sum", "mean", "max")
    },
    **{
        f"unsorted_segment_{how}": (
            _segment(f"unsorted_segment_{how}", 2), (V, [0, 1, 2]), "segment_ids[2] = 2 is out of range [0, 2)")
        for how in ("sum", "max", "min", "prod")
    },
    **{
        f"unsorted_segment_{how}": (_segment(f"unsorted_segment_{how}", 2), (V, [0, 1, 2]), "")
        for how in ("mean", "sqrt_n")
    },
    "unsorted_segment_sum rows": (
        _segment("unsorted_segment_sum", 2), (F, [0, 5, 1]), "segment_ids[1] = 5 is out of range [0, 2)"),
    "unsorted_segment_sum pairs": (
        _segment("unsorted_segment_sum", 2), (F, [[0, 1], [1, 2], [0, 0]]), "segment_ids[1,1] = 2 is out of range"),
    **{
        f"sparse.segment_{how}": (
            _sparse_segment(f"segment_{how}"), (F, [0, 7], [0, 0]), "indices[1] == 7 out of range [0, 3)")
        for how in ("sum", "mean", "sqrt_n")
    },
    **{
        f"sparse.segment_{how} ids": (
            _sparse_segment(f"segment_{how}"), (F, [0, 1], [1, 0]), "segment ids are not increasing")
        for how in ("sum", "mean", "sqrt_n")
    },
    "sparse.segment_sum num_segments": (
        _sparse_segment("segment_sum", num_segments=1), (F, [0, 1], [0, 1]), "segment ids must be < num_segments"),
    "reverse_sequence": (
        lambda tf, x, n: tf.reverse_sequence(x, n, seq_axis=1), (F, [1, 5, 2]), "seq_lens(1) > input.dims(1)"),
    "reverse_sequence negative": (
        lambda tf, x, n: tf.reverse_sequence(x, n, seq_axis=1), (F, [1, -1, 2]), ""),
    "sequence_mask": (lambda tf, n, m: tf.sequence_mask(n, m), ([1], -1), ""),
    "histogram_fixed_width": (
        lambda tf, x, r: tf.histogram_fixed_width(x, r, 5), (V, [2.0, 1.0]),
        "value_range should satisfy value_range[0]"),
    "histogram_fixed_width of nan": (
        lambda tf, x: tf.histogram_fixed_width(x, [0.0, 1.0], 5), ([0.5, float("nan")],),
        "Histogram values must not contain NaN"),
    "histogram_fixed_width bins": (
        lambda tf, x, n: tf.histogram_fixed_width(x, [0.0, 1.0], n), (V, 0), "nbins should be a positive number"),
    "confusion_matrix": (
        lambda tf, a, b: tf.math.confusion_matrix(a, b, 2), ([0, 2], [0, 1]), "`labels` out of bound"),
    "confusion_matrix predictions": (
        lambda tf, a, b: tf.math.confusion_matrix(a, b, 2), ([0, 1], [3, 1]), "`predictions` out of bound"),
    "confusion_matrix negative": (
        lambda tf, a, b: tf.math.confusion_matrix(a, b, 2), ([0, -1], [0, 1]), "`labels` contains negative values"),
    "bincount": (lambda tf, i: tf.math.bincount(i, minlength=3, maxlength=3), ([1, -1],), ""),
    "top_k": (lambda tf, x, k: tf.math.top_k(x, k).values, (V, 4), "input must have at least k columns"),
    "top_k negative": (lambda tf, x, k: tf.math.top_k(x, k).values, (V, -1), "Need k >= 0, got -1"),
    "sparse cross entropy": (
        lambda tf, i, x: tf.nn.sparse_softmax_cross_entropy_with_logits(i, x), ([0, 5, 1], F),
        "Received a label value of 5 which is outside the valid range of [0, 2)"),
    "sparse cross entropy negative": (
        lambda tf, i, x: tf.nn.sparse_softmax_cross_entropy_with_logits(i, x), (Wide([0, -1, 1]), F),
        "Received a label value of -1 which is outside the valid range of [0, 2)"),
    "SparseCategoricalCrossentropy": (
        lambda tf, i, x: tf.keras.losses.SparseCategoricalCrossentropy()(i, x), ([0, 5, 1], F),
        "Received a label value of 5 which is outside the valid range of [0, 2)"),
    "CategoryEncoding": (
        lambda tf, i: tf.keras.layers.CategoryEncoding(num_tokens=2, output_mode="multi_hot")(i), ([[0, 2]],), ""),
}

ARITHMETIC = {
    "x // 0": (lambda tf, x, y: x // y, ([1, 2], [1, 0]), "Integer division by zero"),
    "x % 0": (lambda tf, x, y: x % y, ([1, 2], [1, 0]), "Integer division by zero"),
    "x // 0 int64": (lambda tf, x, y: x // y, (Wide([1, 2]), Wide([1, 0])), "Integer division by zero"),
    "x // 0 scalar": (lambda tf, x, y: x // y, (5, 0), "Integer division by zero"),
    "floormod": (lambda tf, x, y: tf.math.floormod(x, y), ([1, 2], 0), "Integer division by zero"),
    "truncatediv": (lambda tf, x, y: tf.truncatediv(x, y), ([1, 2], [1, 0]), "Unexpected error in binary operator"),
    "truncatemod": (lambda tf, x, y: tf.truncatemod(x, y), ([1, 2], [1, 0]), "Unexpected error in binary operator"),
    "numpy power": (
        lambda tf, x, y: tf.experimental.numpy.power(x, y), ([1, 2], [1, -1]),
        "Integers to negative integer powers are not allowed"),
    "pow": (lambda tf, x, y: x**y, ([1, 2], [1, -1]), "Integers to negative integer powers are not allowed"),
    "assert_equal": (lambda tf, x, y: _asserted(tf, "equal", x, y), (V, [1.0, 2.0, 4.0]), ""),
    "assert_less": (lambda tf, x, y: _asserted(tf, "less", x, y), (V, [1.0, 2.0, 4.0]), ""),
    "assert_greater_equal": (lambda tf, x, y: _asserted(tf, "greater_equal", x, y), (V, [1.0, 2.0, 4.0]), ""),
    "assert_near": (lambda tf, x, y: _asserted(tf, "near", x, y), (V, [1.0, 2.0, 4.0]), ""),
    "assert_positive": (lambda tf, x: _asserted(tf, "positive", x), ([1.0, -1.0],), ""),
    "assert_non_negative": (lambda tf, x: _asserted(tf, "non_negative", x), ([1.0, -1.0],), ""),
    "check_numerics": (
        lambda tf, x: tf.debugging.check_numerics(x, "a message"), ([1.0, float("nan")],),
        "a message : Tensor had NaN"),
    "check_numerics inf": (
        lambda tf, x: tf.debugging.check_numerics(x, "a message"), ([1.0, float("inf")],), "a message : Tensor had"),
    "check_numerics of gradient": (
        lambda tf, x: tf.sqrt(tf.debugging.check_numerics(x, "a message")), ([1.0, 0.0],), ""),
    "check_numerics of tangent": (
        lambda tf, x: tf.debugging.check_numerics(tf.sqrt(x), "a message"), ([1.0, 0.0],), ""),
    "assert_all_finite": (
        lambda tf, x: tf.debugging.assert_all_finite(x, "a message"), ([1.0, float("nan")],), "a message : Tensor had"),
    "case exclusive": (
        lambda tf, b: tf.case([(b, lambda: 1.0), (b, lambda: 2.0)], default=lambda: 3.0, exclusive=True),
        (True,), "Input error: exclusive=True: more than 1 conditions ("),
    "random.uniform": (
        lambda tf, a: tf.random.uniform([2], a, 1, tf.int32), (5,), "Need minval < maxval, got 5 >= 1"),
    "stateless_uniform": (
        lambda tf, a: tf.random.stateless_uniform([2], [1, 2], a, 1, tf.int32), (5,),
        "Need minval < maxval, got 5 >= 1"),
    "categorical samples": (lambda tf, x, n: tf.random.categorical(x, n), (F, -1), ""),
    "gather after": (lambda tf, x, n: tf.gather(tf.clip_by_norm(x, 1.0), n), (V, 3), "indices = 3 is not in"),
    "non_max_suppression": (
        lambda tf, t: tf.image.non_max_suppression([[0.0, 0.0, 1.0, 1.0]], [0.5], 1, t), (2.0,),
        "iou_threshold must be in [0, 1]"),
}


def _asserted(tf, how, x, *y):
    getattr(tf.debugging, f"assert_{how}")(x, *y)
    return x + 1.0


MATRICES = {
    "inv": (lambda tf, x: tf.linalg.inv(x), (SINGULAR,), "Input is not invertible."),
    "inv zeros": (lambda tf, x: tf.linalg.inv(x), (ZEROS,), "Input is not invertible."),
    "inv adjoint": (lambda tf, x: tf.linalg.inv(x, adjoint=True), (ZEROS,), "Input is not invertible."),
    "inv batch": (lambda tf, x: tf.linalg.inv(tf.stack([tf.eye(2), x])), (SINGULAR,), "Input is not invertible."),
    "inv nan": (lambda tf, x: tf.linalg.inv(x), (NAN,), ""),
    "inv all nan": (lambda tf, x: tf.linalg.inv(x), (ALL_NAN,), "Input is not invertible."),
    "solve all nan": (
        lambda tf, x, y: tf.linalg.solve(x, y), (ALL_NAN, F[:2]), "Input matrix is not invertible."),
    "lu all nan": (lambda tf, x: tf.stop_gradient(tf.linalg.lu(x).lu), (ALL_NAN,), "Input is not invertible."),
    "solve": (lambda tf, x, y: tf.linalg.solve(x, y), (SINGULAR, F[:2]), "Input matrix is not invertible."),
    "solve zeros": (lambda tf, x, y: tf.linalg.solve(x, y), (ZEROS, F[:2]), "Input matrix is not invertible."),
    "solve adjoint": (
        lambda tf, x, y: tf.linalg.solve(x, y, adjoint=True), (SINGULAR, F[:2]), "Input matrix is not invertible."),
    "matrix_solve_ls slow": (lambda tf, x, y: tf.linalg.lstsq(x, y, fast=False), (SINGULAR, F[:2]), ""),
    "lstsq": (lambda tf, x, y: tf.linalg.lstsq(x, y), (ZEROS, F[:2]), ""),
    "cholesky": (lambda tf, x: tf.linalg.cholesky(x), ([[1.0, 2.0], [2.0, 1.0]],), ""),
    "cholesky negative": (lambda tf, x: tf.linalg.cholesky(x), ([[-1.0, 0.0], [0.0, 1.0]],), ""),
    "lu": (lambda tf, x: tf.stop_gradient(tf.linalg.lu(x).lu), (ZEROS,), "Input is not invertible."),
    "lu singular": (lambda tf, x: tf.stop_gradient(tf.linalg.lu(x).lu), (SINGULAR,), "Input is not invertible."),
    "eigh": (lambda tf, x: tf.linalg.eigh(x)[0], (NAN,), "Self-adjoint eigen decomposition was not successful."),
    "eigvalsh": (lambda tf, x: tf.linalg.eigvalsh(x), (NAN,), "Self-adjoint eigen decomposition was not successful."),
    "eigvalsh inf": (lambda tf, x: tf.linalg.eigvalsh(x), (INF,), ""),
    "eigvalsh inf beside": (
        lambda tf, x: tf.linalg.eigvalsh(x), ([[1.0, float("inf")], [float("inf"), 1.0]],),
        "Self-adjoint eigen decomposition was not successful."),
    "eigvalsh one": (lambda tf, x: tf.linalg.eigvalsh(x), ([[float("nan")]],), ""),
    "eigvalsh three": (
        lambda tf, x: tf.linalg.eigvalsh(tf.linalg.diag(x)), ([1.0, float("inf"), 1.0],),
        "Self-adjoint eigen decomposition was not successful."),
    "eig": (lambda tf, x: tf.math.real(tf.linalg.eig(x)[0]), (NAN,), ""),
    "svd": (lambda tf, x: tf.linalg.svd(x, compute_uv=False), (NAN,), ""),
    "qr": (lambda tf, x: tf.linalg.qr(x)[1], (NAN,), ""),
    "det": (lambda tf, x: tf.linalg.det(x), (SINGULAR,), ""),
    "det batch": (lambda tf, x: tf.linalg.det(tf.stack([tf.eye(2), x])), (SINGULAR,), ""),
    "det of complex": (lambda tf, x: tf.math.real(tf.linalg.det(tf.complex(x, x))), (SINGULAR,), ""),
    "det of operator": (lambda tf, x: tf.linalg.LinearOperatorFullMatrix(x).determinant(), (SINGULAR,), ""),
    "det apart": (lambda tf, x: tf.stop_gradient(tf.linalg.det(x)) + x, (SINGULAR,), ""),
    "logdet": (lambda tf, x: tf.linalg.logdet(x), (SINGULAR,), ""),
    "slogdet": (lambda tf, x: tf.linalg.slogdet(x)[1], (ZEROS,), ""),
    "slogdet sign": (lambda tf, x: tf.linalg.slogdet(x)[0], (SINGULAR,), ""),
    "triangular_solve": (lambda tf, x, y: tf.linalg.triangular_solve(x, y), (ZEROS, F[:2]), ""),
    "tridiagonal_solve": (
        lambda tf, x, y: tf.linalg.tridiagonal_solve(tf.stack([x, x, x]), y), ([0.0, 0.0, 0.0], V), ""),
    "tridiagonal_solve pivoting": (
        lambda tf, x, y: tf.linalg.tridiagonal_solve(tf.stack([x, x, x]), y, partial_pivoting=False),
        ([0.0, 0.0, 0.0], V), ""),
    "expm": (lambda tf, x: tf.linalg.expm(x), (NAN,), ""),
    "sqrtm triangular": (lambda tf, x: tf.linalg.sqrtm(x), ([[0.0, 0.0], [1.0, 2.0]],), ""),
    "banded_triangular_solve": (
        lambda tf, x, y: tf.linalg.banded_triangular_solve(x, y), ([[1.0, 0.0], [1.0, 1.0]], F[:2]),
        "Input matrix is not invertible."),
    "banded_triangular_solve upper": (
        lambda tf, x, y: tf.linalg.banded_triangular_solve(x, y, lower=False), ([[1.0, 0.0], [1.0, 0.0]], F[:2]),
        "Input matrix is not invertible."),
    "sqrtm": (lambda tf, x: tf.linalg.sqrtm(x), ([[0.0, 1.0], [0.0, 0.0]],), ""),
    "pinv": (lambda tf, x: tf.linalg.pinv(x), (NAN,), ""),
    "inv of operator": (
        lambda tf, x: tf.linalg.LinearOperatorFullMatrix(x).solve(tf.ones([2, 1])), (SINGULAR,), ""),
}

SPARSE = {
    "to_dense": (
        lambda tf, i, x: tf.sparse.to_dense(_sparse(tf, i, x)), ([[0, 0], [5, 0]], [1.0, 2.0]), "is out of bounds"),
    "to_dense order": (
        lambda tf, i, x: tf.sparse.to_dense(_sparse(tf, i, x)), ([[1, 0], [0, 0]], [1.0, 2.0]), "is out of order"),
    "to_dense again": (
        lambda tf, i, x: tf.sparse.to_dense(_sparse(tf, i, x)), ([[0, 0], [0, 0]], [1.0, 2.0]), "is repeated"),
    "sparse_dense_matmul": (
        lambda tf, i, x, y: tf.sparse.sparse_dense_matmul(_sparse(tf, i, x), y),
        ([[0, 0], [1, 7]], [1.0, 2.0], F[:2]), ""),
    "sparse_dense_matmul rows": (
        lambda tf, i, x, y: tf.sparse.sparse_dense_matmul(_sparse(tf, i, x), y),
        ([[0, 0], [7, 1]], [1.0, 2.0], F[:2]), ""),
    "sparse_dense_matmul adjoint": (
        lambda tf, i, x, y: tf.sparse.sparse_dense_matmul(_sparse(tf, i, x), y, adjoint_a=True),
        ([[0, 0], [1, 7]], [1.0, 2.0], F[:2]), ""),
    "sparse.add dense": (
        lambda tf, i, x, y: tf.sparse.add(_sparse(tf, i, x), y), ([[0, 0], [1, 7]], [1.0, 2.0], F[:2]), ""),
    "sparse.add": (
        lambda tf, i, x: tf.sparse.add(_sparse(tf, i, x), _sparse(tf, [[0, 0]], [1.0])).values,
        ([[0, 0], [1, 7]], [1.0, 2.0]), ""),
    "sparse.reorder": (
        lambda tf, i, x: tf.sparse.reorder(_sparse(tf, i, x)).values, ([[0, 0], [1, 7]], [1.0, 2.0]), ""),
    "sparse.reduce_sum": (
        lambda tf, i, x: tf.sparse.reduce_sum(_sparse(tf, i, x), 0), ([[0, 0], [1, 7]], [1.0, 2.0]), ""),
    "sparse.reduce_max": (
        lambda tf, i, x: tf.sparse.reduce_max(_sparse(tf, i, x), 0), ([[0, 0], [1, 7]], [1.0, 2.0]), ""),
    "sparse times dense": (
        lambda tf, i, x, y: (_sparse(tf, i, x) * y).values, ([[0, 0], [1, 7]], [1.0, 2.0], F[:2]), ""),
    "sparse / dense": (
        lambda tf, i, x, y: (_sparse(tf, i, x) / y).values, ([[0, 0], [1, 7]], [1.0, 2.0], F[:2]), ""),
    "sparse.softmax": (
        lambda tf, i, x: tf.sparse.softmax(_sparse(tf, i, x)).values, ([[0, 0], [7, 1]], [1.0, 2.0]), ""),
    "sparse.softmax column": (
        lambda tf, i, x: tf.sparse.softmax(_sparse(tf, i, x)).values, ([[0, 0], [0, 7]], [1.0, 2.0]), ""),
    "sparse.transpose": (
        lambda tf, i, x: tf.sparse.transpose(_sparse(tf, i, x)).values, ([[0, 0], [7, 1]], [1.0, 2.0]), ""),
    "sparse.reshape": (
        lambda tf, i, x: tf.sparse.reshape(_sparse(tf, i, x), [4]).values, ([[0, 0], [7, 1]], [1.0, 2.0]), ""),
    "sparse.concat": (
        lambda tf, i, x: tf.sparse.concat(0, [_sparse(tf, i, x), _sparse(tf, i, x)]).values,
        ([[0, 0], [7, 1]], [1.0, 2.0]), ""),
    "sparse.slice": (
        lambda tf, i, x: tf.sparse.slice(_sparse(tf, i, x), [0, 0], [1, 1]).values, ([[0, 0], [7, 1]], [1.0, 2.0]), ""),
    "sparse.minimum": (
        lambda tf, i, x: tf.sparse.minimum(_sparse(tf, i, x), _sparse(tf, i, x)).values,
        ([[0, 0], [7, 1]], [1.0, 2.0]), ""),
    "sparse.fill_empty_rows": (
        lambda tf, i, x: tf.sparse.fill_empty_rows(_sparse(tf, i, x), 0.0)[0].values,
        ([[0, 0], [7, 1]], [1.0, 2.0]), ""),
    "sparse.to_indicator": (
        lambda tf, x: tf.sparse.to_indicator(_sparse(tf, [[0, 0], [1, 1]], x), 3), (Wide([1, 7]),), ""),
    "sparse.reset_shape": (
        lambda tf, i, x: tf.sparse.to_dense(tf.sparse.reset_shape(_sparse(tf, i, x), [3, 1])),
        ([[0, 0], [1, 1]], [1.0, 2.0]), ""),
}

SIZES = {
    "zeros": (lambda tf, n: tf.zeros(n), ([2, -1],), ""),
    "ones": (lambda tf, n: tf.ones(n), ([2, -1],), ""),
    "fill": (lambda tf, n: tf.fill(n, 1.0), ([2, -1],), ""),
    "random.normal": (lambda tf, n: tf.random.normal(n), ([2, -1],), ""),
    "random.uniform size": (lambda tf, n: tf.random.uniform(n), ([2, -1],), ""),
    "truncated_normal": (lambda tf, n: tf.random.truncated_normal(n), ([2, -1],), ""),
    "stateless_normal": (lambda tf, n: tf.random.stateless_normal(n, [1, 2]), ([2, -1],), ""),
    "reshape": (lambda tf, x, n: tf.reshape(x, n), (F, [4]), ""),
    "reshape -2": (lambda tf, x, n: tf.reshape(x, n), (F, [-2, 3]), ""),
    "reshape -1 -1": (lambda tf, x, n: tf.reshape(x, n), (F, [-1, -1]), ""),
    "broadcast_to": (lambda tf, x, n: tf.broadcast_to(x, n), (F, [2, 2]), ""),
    "tile": (lambda tf, x, n: tf.tile(x, n), (F, [1, -1]), ""),
    "pad": (lambda tf, x, n: tf.pad(x, n), (F, [[0, -1], [0, 0]]), ""),
    "pad reflect": (lambda tf, x, n: tf.pad(x, n, "REFLECT"), (F, [[3, 0], [0, 0]]), ""),
    "pad symmetric": (lambda tf, x, n: tf.pad(x, n, "SYMMETRIC"), (F, [[4, 0], [0, 0]]), ""),
    "split": (lambda tf, x, n: tf.split(x, n)[0], (F, [1, 1]), ""),
    "split negative": (lambda tf, x, n: tf.split(x, n)[0], (F, [4, -1]), ""),
    "range": (lambda tf, d: tf.range(0, 3, d), (0,), ""),
    "range backwards": (lambda tf, d: tf.range(0, 3, d), (-1,), ""),
    "linspace": (lambda tf, n: tf.linspace(0.0, 1.0, n), (0,), ""),
    "repeat": (lambda tf, x, n: tf.repeat(x, n), (V, [1, -1, 1]), ""),
    "eye": (lambda tf, n: tf.eye(n), (-1,), ""),
    "transpose": (lambda tf, x, a: tf.transpose(x, a), (F, [0, 2]), ""),
    "transpose again": (lambda tf, x, a: tf.transpose(x, a), (F, [0, 0]), ""),
    "argmax": (lambda tf, x, a: tf.argmax(x, a), (F, 2), ""),
    "cumsum": (lambda tf, x, a: tf.cumsum(x, a), (F, 2), ""),
    "concat": (lambda tf, x, a: tf.concat([x, x], a), (F, 2), ""),
    "roll": (lambda tf, x, a: tf.roll(x, 1, a), (F, 2), ""),
    "reverse": (lambda tf, x, a: tf.reverse(x, a), (F, [2]), ""),
    "reverse again": (lambda tf, x, a: tf.reverse(x, a), (F, [0, 0]), ""),
    "expand_dims": (lambda tf, x, a: tf.expand_dims(x, a), (F, 4), ""),
    "reduce_sum": (lambda tf, x, a: tf.reduce_sum(x, a), (F, 2), ""),
    "reduce_max": (lambda tf, x, a: tf.reduce_max(x, [0, a]), (F, -3), ""),
    "diag": (lambda tf, x, k: tf.linalg.diag(x, k=k), (V, [1, 0]), ""),
    "diag_part": (lambda tf, x, k: tf.linalg.diag_part(x, k=k), (F, 5), ""),
    "band_part": (lambda tf, x, k: tf.linalg.band_part(x, k, 0), (F, 7), ""),
    "batch_to_space": (
        lambda tf, x, c: tf.batch_to_space(x[:, None, :, None], [1, 3], c), (F, [[0, 0], [9, 0]]), ""),
    "space_to_batch": (
        lambda tf, x, c: tf.space_to_batch(x[:, None, :, None], [1, 3], c), (F, [[0, 0], [0, 0]]), ""),
    "image.resize": (lambda tf, x, n: tf.image.resize(x[:, :, None], n), (F, [0, 2]), ""),
    "crop_and_resize size": (
        lambda tf, x, n: tf.image.crop_and_resize(x[None, :, :, None], [[0.0, 0.0, 1.0, 1.0]], [0], n),
        (F, [0, 2]), ""),
    "crop_to_bounding_box": (
        lambda tf, x, n: tf.image.crop_to_bounding_box(x[:, :, None], n, 0, 2, 2), (F, 2), ""),
    "crop_to_bounding_box negative": (
        lambda tf, x, n: tf.image.crop_to_bounding_box(x[:, :, None], n, 0, 2, 2), (F, -1), ""),
    "pad_to_bounding_box": (
        lambda tf, x, n: tf.image.pad_to_bounding_box(x[:, :, None], n, 0, 4, 4), (F, 2), ""),
    "random_crop": (lambda tf, x, n: tf.image.random_crop(x, n), (F, [4, 1]), ""),
    "from_row_splits": (lambda tf, x, s: tf.RaggedTensor.from_row_splits(x, s).values, (V, [0, 2]), ""),
    "from_row_splits order": (lambda tf, x, s: tf.RaggedTensor.from_row_splits(x, s).values, (V, [0, 2, 1, 3]), ""),
    "from_row_lengths": (lambda tf, x, s: tf.RaggedTensor.from_row_lengths(x, s).values, (V, [1, 1]), ""),
    "from_value_rowids": (lambda tf, x, s: tf.RaggedTensor.from_value_rowids(x, s).values, (V, [0, 1, 0]), ""),
    "ragged gather": (
        lambda tf, x, i: tf.gather(tf.RaggedTensor.from_row_splits(x, [0, 1, 3]), i).values, (V, [2]), ""),
    "ensure_shape": (lambda tf, x, n: tf.ensure_shape(tf.boolean_mask(x, x > n), [3]), (V, 1.0), ""),
}

CASES = {**INDICES, **SEGMENTS, **ARITHMETIC, **MATRICES, **SPARSE, **SIZES}


def _constant(tf, value):
    if callable(value):
        return value(tf)
    dtype = tf.int64 if isinstance(value, Wide) else None
    return tf.constant(list(value) if dtype else value, dtype)


def _computed(tf, value):
    """A tensor that is known only when it has been computed."""
    constant = _constant(tf, value)
    if callable(value):
        return constant
    if constant.dtype.is_floating:
        return constant + 0.0
    if constant.dtype.is_integer:
        return tf.cast(tf.cast(constant, tf.float32) + 0.0, constant.dtype)
    return tf.cast(constant, tf.float32) + 0.0 > 0.5


def _total(tf, result):
    return tf.add_n([tf.reduce_sum(tf.cast(part, tf.float32)) for part in tf.nest.flatten(result)])


def _constants(tf, call, values):
    return call(tf, *[_constant(tf, value) for value in values])


def _eager(tf, call, values):
    return call(tf, *[_computed(tf, value) for value in values])


def _function(tf, call, values):
    return tf.function(lambda *tensors: call(tf, *tensors))(*[_computed(tf, value) for value in values])


def _loop(tf, call, values):
    def sums(*tensors):
        def turn(i, total):
            return i + 1, total + _total(tf, call(tf, *tensors))

        return tf.while_loop(lambda i, total: i < 2, turn, (0, 0.0))

    return tf.function(sums)(*[_computed(tf, value) for value in values])


def _gradient(tf, call, values):
    tensors = [_computed(tf, value) for value in values]
    sources = [tf.constant(1.0), *[t for t in tensors if tf.is_tensor(t) and t.dtype.is_floating]]
    with tf.GradientTape() as tape:
        tape.watch([source for source in sources if not isinstance(source, tf.Variable)])
        y = sources[0] * _total(tf, call(tf, *tensors))
    return tape.gradient(y, sources)


WAYS = {
    "constants": _constants, "eager": _eager, "gradient": _gradient, "function": _function, "loop": _loop,
}  # fmt: skip


def _moving(tf, values):
    """Computed tensors, and those of them that derivatives are taken of."""
    tensors = [_computed(tf, value) for value in values]
    return tensors, [t for t in tensors if tf.is_tensor(t) and t.dtype.is_floating]


def _of_outside(make):
    """The derivative, by a tape outside, of what `make` makes of the function that adds up a call's results."""
    def run(tf, call, values):
        tensors, sources = _moving(tf, values)
        with tf.GradientTape() as tape:
            tape.watch(sources)
            y = make(tf, lambda *tensors: _total(tf, call(tf, *tensors)))(*tensors)
        return y, tape.gradient(y, sources)

    return run


def _branch(tf, total):
    return tf.function(lambda *tensors: tf.cond(tf.reduce_all(tensors[0] == tensors[0]) | True,
                                                lambda: total(*tensors), lambda: 0.0))


def _in_loop(tf, total):
    def turns(*tensors):
        return tf.while_loop(lambda i, sum_: i < 2, lambda i, sum_: (i + 1, sum_ + total(*tensors)), (0, 0.0))[1]

    return tf.function(turns)


def _fold(tf, total):
    return tf.function(lambda *tensors: tf.foldl(lambda sum_, i: sum_ + total(*tensors), tf.zeros([2]), 0.0))


def _forward(tf, call, values):
    tensors, sources = _moving(tf, values)
    with tf.autodiff.ForwardAccumulator(sources, [tf.ones_like(x) for x in sources]) as accumulator:
        y = _total(tf, call(tf, *tensors))
    return y, accumulator.jvp(y)


def _jacobian(tf, call, values):
    tensors, sources = _moving(tf, values)
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = tf.stack([_total(tf, call(tf, *tensors)), 1.0])
    return y, tape.jacobian(y, sources)


def _mapped(tf, call, values):
    rows = tuple([tf.stack([tensor, tensor]) for tensor in (_computed(tf, value) for value in values)])
    return tf.vectorized_map(lambda row: _total(tf, call(tf, *row)), rows)


DERIVATIVES = {
    "gradient of a function": _of_outside(lambda tf, total: tf.function(total)),
    "gradient of a branch": _of_outside(_branch),
    "gradient of a loop": _of_outside(_in_loop),
    "gradient of a fold": _of_outside(_fold),
    "forward mode": _forward, "jacobian": _jacobian,
}  # fmt: skip


_NOT_COMPUTED = "TensorFlow's graph optimizer leaves the wrong op out."
DIFFERING = {
    ("broadcast_to", "function"): _NOT_COMPUTED,
    ("broadcast_to", "loop"): _NOT_COMPUTED,
    ("reduce_max", "function"): _NOT_COMPUTED,
    ("reduce_max", "loop"): _NOT_COMPUTED,
}


# What is differentiated and mapped in further ways.
DERIVED = [
    "inv", "inv all nan", "solve", "cholesky", "eigvalsh inf", "eig", "svd", "qr", "det", "det batch", "det of complex",
    "det of operator", "det apart", "logdet", "slogdet", "slogdet sign", "triangular_solve", "banded_triangular_solve",
    "lstsq", "pinv", "expm", "sqrtm triangular", "sqrtm", "check_numerics", "check_numerics of gradient",
    "check_numerics of tangent", "gather", "Variable.scatter_mul", "Embedding", "unsorted_segment_sum",
    "sparse cross entropy", "x // 0", "assert_less", "sparse_dense_matmul", "sparse.softmax",
    "sparse.softmax column",
]  # fmt: skip


@row_for(case=list(CASES), way=list(WAYS), differing=DIFFERING)
def refused(tf, case, way):
    call, values, text = CASES[case]

    def run():
        for part in tf.nest.flatten(WAYS[way](tf, call, values)):
            if part is not None:
                tf.convert_to_tensor(part).numpy()

    return raised(run, *[text] * bool(text))


_NO_FORWARD_MODE = "TensorFlow has no forward mode for this op."


@row_for(case=DERIVED, way=list(DERIVATIVES), differing={
    ("sparse.softmax", "forward mode"): _NO_FORWARD_MODE, ("sparse.softmax column", "forward mode"): _NO_FORWARD_MODE,
})
def refused_in_derivatives(tf, case, way):
    call, values, text = CASES[case]

    def run():
        for part in tf.nest.flatten(DERIVATIVES[way](tf, call, values)):
            if part is not None:
                tf.convert_to_tensor(part).numpy()

    return raised(run, *[text] * bool(text))


_BY_KNOWN_PLACES = "sparse.softmax", "sparse.softmax column"  # those of a row are computed


@row_for(case=[case for case in DERIVED if case not in _BY_KNOWN_PLACES and not any(map(callable, CASES[case][1]))])
def refused_in_rows(tf, case):
    call, values, _ = CASES[case]
    return raised(lambda: _mapped(tf, call, values).numpy())


# Nothing is computed of these values, so TensorFlow does not look at them.
UNUSED = {
    "pow": lambda tf, x: tf.pow(tf.zeros([0], tf.int32), x - 1), "x // 0": lambda tf, x: tf.zeros([0], tf.int32) // x,
    "x % 0": lambda tf, x: tf.zeros([0], tf.int32) % x,
    "truncatediv": lambda tf, x: tf.truncatediv(tf.zeros([0], tf.int32), x),
    "gather": lambda tf, x: tf.gather(tf.zeros([3, 0]), x + 5),
    "gather of an axis": lambda tf, x: tf.gather(tf.zeros([0, 3]), x + 5, axis=1),
    "embedding_lookup": lambda tf, x: tf.nn.embedding_lookup(tf.zeros([3, 0]), x + 5),
    "unsorted_segment_sum": lambda tf, x: tf.math.unsorted_segment_sum(tf.zeros([1, 0]), x + 5, 2),
    "solve": lambda tf, x: tf.linalg.solve(tf.cast([x], tf.float32), tf.zeros([1, 0])),
}  # fmt: skip


@row_for(case=list(UNUSED), way=["constants", "eager", "function"])
def not_looked_at(tf, case, way):
    return WAYS[way](tf, UNUSED[case], ([0],))


# --- lists whose entries have different shapes ----------------------------------------------------------------------

UNEVEN = {
    "tensors": lambda tf, np: [tf.zeros(2), tf.zeros(3)],
    "of different ranks": lambda tf, np: [tf.zeros(2), tf.zeros([2, 2])],
    "a tensor and a number": lambda tf, np: [tf.zeros(2), 1.0],
    "a tensor and a list": lambda tf, np: [tf.zeros(2), [1.0, 2.0, 3.0]],
    "a variable and a tensor": lambda tf, np: (tf.Variable([1.0]), tf.zeros(3)),
    "deep down": lambda tf, np: [[[tf.zeros(2)]], [[tf.zeros(3)]]],
    "texts": lambda tf, np: [tf.constant(["a"]), tf.constant(["a", "b"])],
    "arrays": lambda tf, np: [np.zeros(2, np.float32), np.zeros(3, np.float32)],
    "lists of numbers": lambda tf, np: [[1.0, 2.0], [3.0]],
}


@row_for(what=list(UNEVEN), way=["convert_to_tensor", "constant", "stack", "identity", "reduce_sum"])
def a_list_of_different_shapes(tf, np, what, way):
    return raised(lambda: getattr(tf, way)(UNEVEN[what](tf, np)))
