"""Operations in functions whose results have the size that values decide, where constants determine these values."""

from rows import raised, row, row_for


def halves(tf):
    return tf.sqrt(tf.constant([1.0, 4.0, 1.0, 9.0]))


def numbers(tf):
    return tf.cast(halves(tf), tf.int32)


def finite(tf):
    return tf.math.is_finite(tf.constant([1.0, float("inf"), 3.0, 1.0]))


DECIDED = {
    "where": lambda tf: tf.where(finite(tf)),
    "where_rank_2": lambda tf: tf.where(tf.reshape(finite(tf), [2, 2])),
    "where_of_floats": lambda tf: tf.where(halves(tf) - 1.0),
    "boolean_mask": lambda tf: tf.boolean_mask(tf.constant([1.0, 2.0, 3.0, 4.0]), finite(tf)),
    "boolean_mask_rank_2": lambda tf: tf.boolean_mask([[1, 2], [3, 4]], tf.reshape(finite(tf), [2, 2])),
    "index_by_mask": lambda tf: tf.constant([1, 2, 3, 4])[finite(tf)],
    "mean_of_mask": lambda tf: tf.reduce_mean(tf.boolean_mask(halves(tf), finite(tf))),
    "size": lambda tf: (tf.size(tf.where(finite(tf))), tf.shape(tf.boolean_mask(halves(tf), finite(tf)))),
    "unique": lambda tf: tuple(tf.unique(halves(tf))),
    "unique_of_integers": lambda tf: tuple(tf.unique(numbers(tf), tf.int64)),
    "unique_with_counts": lambda tf: tuple(tf.unique_with_counts(halves(tf))),
    "dynamic_partition": lambda tf: tf.dynamic_partition(halves(tf), numbers(tf) - 1, 3),
    "dynamic_stitch": lambda tf: tf.dynamic_stitch([numbers(tf)[:2] - 1], [tf.constant([5.0, 6.0])]),
    "bincount": lambda tf: tf.math.bincount(numbers(tf)),
    "confusion_matrix": lambda tf: tf.math.confusion_matrix(numbers(tf) - 1, numbers(tf) - 1),
    "segment_sum": lambda tf: tf.math.segment_sum(halves(tf), tf.sort(numbers(tf)) - 1),
    "repeat": lambda tf: tf.repeat(tf.constant([1, 2]), numbers(tf)[:2]),
    "sequence_mask": lambda tf: tf.sequence_mask(numbers(tf)),
    "set_difference": lambda tf: tf.sets.difference(numbers(tf)[None], tf.constant([[1]])).values,
    "sparse_indices": lambda tf: tf.sparse.from_dense(halves(tf) - 1.0).indices,
    "edit_distance": lambda tf: tf.edit_distance(
        tf.sparse.from_dense(numbers(tf)[None]), tf.sparse.from_dense(numbers(tf)[None] % 3)
    ),
    "ragged_mask": lambda tf: tf.ragged.boolean_mask([[1, 2], [3, 4]], tf.reshape(finite(tf), [2, 2])).flat_values,
    "numpy_nonzero": lambda tf: tf.experimental.numpy.nonzero(finite(tf)),
}


@row_for(name=tuple(DECIDED))
def decided_by_constants(tf, np, name):
    return [tf.function(lambda: DECIDED[name](tf), autograph=autograph)() for autograph in (True, False)]


@row
def mask_of_constants_in_the_loss(tf, np):
    v = tf.Variable([1.0, 2.0, 3.0, 4.0])

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.boolean_mask(v, finite(tf)) ** 2)
        return loss, tape.gradient(loss, v)

    return step()


def filled(tf):
    @tf.custom_gradient
    def f(x, sizes, seed=None):
        sizes = tf.convert_to_tensor(sizes, dtype=tf.int32)
        shape = tf.concat([sizes, tf.shape(x)], axis=-1)

        def grad(dy):
            return tf.reduce_sum(dy, axis=tf.range(tf.size(sizes))) * 3.0, None

        return tf.ones(shape) * x, grad

    return f


@row_for(where=("eager", "function"))
def custom_gradient_of_sizes(tf, np, where):
    f, x = filled(tf), tf.Variable([1.0, 2.0])

    def step():
        with tf.GradientTape() as tape:
            y = f(x, np.array([2, 3], np.int32))
        return y, tape.gradient(y, x)

    return (tf.function(step) if where == "function" else step)()


@row_for(where=("eager", "function"))
def custom_gradient_by_keyword(tf, np, where):
    f, x = filled(tf), tf.constant([1.0, 2.0])
    if where == "eager":
        return f(x, sizes=np.array([2], np.int32))

    @tf.function
    def step():
        return f(x, sizes=np.array([2], np.int32))

    return raised(step, "only when eager execution is enabled.")


RANGES = {
    "reduce_mean": lambda tf, x: tf.reduce_mean(x, range(1, 3)),
    "reduce_any": lambda tf, x: tf.reduce_any(x > 1.0, axis=range(2)),
    "no_axes": lambda tf, x: tf.reduce_sum(x, range(0)),
    "variance": lambda tf, x: tf.math.reduce_variance(x, range(2)),
    "count": lambda tf, x: tf.math.count_nonzero(x, range(1, 3)),
    "normalize": lambda tf, x: tf.nn.l2_normalize(x, range(1, 3)),
    "transpose": lambda tf, x: tf.transpose(x, range(2, -1, -1)),
    "reshape": lambda tf, x: tf.reshape(x[0, 0, :2], range(1, 3)),
    "tile": lambda tf, x: tf.tile(x, range(1, 4)),
    "reverse": lambda tf, x: tf.reverse(x, range(1, 2)),
    "roll": lambda tf, x: tf.roll(x, range(2), range(2)),
    "tensordot": lambda tf, x: tf.tensordot(x, x, [range(3), range(3)]),
    "broadcast": lambda tf, x: tf.broadcast_to(1.5, range(1, 3)),
    "zeros": lambda tf, x: tf.zeros(range(1, 3)),
    "random": lambda tf, x: tf.random.stateless_uniform(range(1, 3), (1, 2)),
}


@row_for(name=tuple(RANGES), inside=(False, True))
def ranges_as_axes_and_sizes(tf, np, name, inside):
    def call(x):
        return RANGES[name](tf, x)

    return (tf.function(call) if inside else call)(tf.reshape(tf.range(24.0), [2, 3, 4]))


@row
def sizes_of_linear_operators_of_unknown_batches(tf, np):
    operators = tf.linalg

    @tf.function(input_signature=[tf.TensorSpec([None, 2, 2])])
    def sizes(x):
        made = [
            operators.LinearOperatorDiag(x[..., 0]), operators.LinearOperatorFullMatrix(x),
            operators.LinearOperatorScaledIdentity(3, x[..., 0, 0]),
            operators.LinearOperatorAdjoint(operators.LinearOperatorLowerTriangular(x)),
        ]  # fmt: skip
        return [
            (o.shape_tensor(), o.batch_shape_tensor(), o.domain_dimension_tensor(), o.range_dimension_tensor())
            for o in made
        ]

    return sizes(tf.ones([3, 2, 2])), sizes(tf.ones([1, 2, 2]))


@row_for(size=((None, 1), (None, 3), (2, None)))
def broadcast_shapes_of_unknown_sizes(tf, np, size):
    @tf.function(input_signature=[tf.TensorSpec(size), tf.TensorSpec([None, 3])])
    def broadcast(x, y):
        shape = tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(y))
        return shape, tf.broadcast_to(x, shape), tf.reduce_prod(shape)

    return broadcast(tf.ones([size[0] or 2, size[1] or 3]), tf.ones([2, 3]))
