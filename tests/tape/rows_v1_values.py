"""Values that `tf.compat.v1` makes otherwise than TensorFlow 2, and views of checkpoints."""

from rows import raised, row, row_for


@row_for(centered=[True, False], normalized=[True, False])
def first_version_of_glimpses(tf, np, centered, normalized):
    images = np.arange(72, dtype=np.float32).reshape(2, 6, 6, 1)
    inside = [[0.3, 0.4], [0.5, 0.5]] if normalized else [[2.0, 2.5], [3.0, 2.0]]
    taken = tf.compat.v1.image.extract_glimpse(images, [2, 3], inside, centered, normalized, uniform_noise=False)
    outside = tf.compat.v1.image.extract_glimpse(images, [1, 1], [[-9.0, 0.0], [9.0, 9.0]], centered, normalized)
    return taken, outside.shape.as_list()


@row_for(value=[[[1, 2], [3]], [[1.0], []], [["a", "bc"], []], [[True], []], [[[1], [2, 3]], []], [1, 2], [[2**40], []],
                [[], []]])  # fmt: skip
def ragged_constants_have_the_dtypes_of_numpy(tf, value):
    made = tf.compat.v1.ragged.constant_value(value)
    return repr(made), repr(getattr(getattr(made, "flat_values", made), "dtype", None)), made.shape


@row
def ragged_constants_of_other_dtypes(tf, np):
    of = tf.compat.v1.ragged.constant_value
    made = [
        of([[1, 2], [3]], dtype=np.float32, row_splits_dtype="int32"), of([[1, 2], [3]], tf.int32),
        of([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1), of([np.array([1, 2]), [3]]),
    ]  # fmt: skip
    return [repr(each) for each in made], [raised(lambda: of([1, [2]])), raised(lambda: of([[1]], ragged_rank=3))]


_SHAPES = {"vector": ([1, 2, 3], [2, 3]), "matrix": ([[1, 2], [3, 4]], [2, 3]), "empty": ([], [2, 3]), "one": ([7], [])}


@row_for(kind=list(_SHAPES))
def short_constants_fill_up_variables_of_graphs(tf, kind):
    value, shape = _SHAPES[kind]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        initializer = tf.compat.v1.constant_initializer(value)
        x = tf.compat.v1.get_variable("x", shape, initializer=initializer)
        session.run(tf.compat.v1.global_variables_initializer())
        return session.run([x, initializer(shape)])


@row
def constants_that_do_not_fit_variables(tf):
    def of_graph(value, shape, **options):
        with tf.Graph().as_default():
            initializer = tf.compat.v1.constant_initializer(value, **options)
            return tf.compat.v1.get_variable("x", shape, initializer=initializer)

    return [
        raised(lambda: of_graph(list(range(8)), [2, 3]), "Too many elements provided. Takes at most 6, but got 8."),
        raised(lambda: of_graph([1, 2], []), "Too many elements provided. Takes at most 1, but got 2."),
        raised(lambda: of_graph([1, 2], [3], verify_shape=True), "Expected Tensor's shape: (3,), but got (2,)."),
        raised(lambda: tf.compat.v1.constant_initializer([1, 2, 3])([2, 3]), "unsupported shape"),
    ]


@row
def placeholders_of_keras(tf):
    of = tf.keras.backend.placeholder
    made = [
        of(ndim=2, sparse=True), of((None, 3), sparse=True, dtype="int32"), of((None, None), ragged=True),
        of((None, None, 3), ragged=True),
    ]  # fmt: skip
    seen = [(repr(x.type_spec), tf.keras.backend.is_keras_tensor(x), tf.keras.backend.is_sparse(x)) for x in made]
    return seen, raised(lambda: of((None, None), sparse=True, ragged=True), "Cannot set both sparse and ragged to True")


def _tree(tf, **others):
    inner = tf.train.Checkpoint(x=tf.Variable([1.0, 2.0]))
    return tf.train.Checkpoint(a=inner, b=inner, c=[tf.Variable(1), inner], d=tf.Variable(3), **others)


@row
def views_of_checkpoints(tf, folder):
    root = _tree(tf)
    path = root.save(f"{folder}/saved")
    view = tf.train.CheckpointView(path)
    other = tf.train.Checkpoint(a=tf.train.Checkpoint(y=tf.Variable(1)), d=tf.Variable(5), q=tf.Variable(7))

    def values(objects):
        return [x if isinstance(x, tf.Variable) else "object" for x in objects]

    matched, only_saved, only_here = view.diff(other)
    whole = view.match(root)
    return [
        view.descendants(), [sorted(view.children(number).items()) for number in view.descendants()],
        list(whole), values(whole.values()), list(matched), values(matched.values()), only_saved, values(only_here),
        raised(lambda: view.children(99)), raised(lambda: view.match(view), "Expected a Trackable, got"),
        raised(lambda: tf.train.CheckpointView(f"{folder}/nothing"), "Failed to find any matching files for"),
        raised(lambda: tf.train.CheckpointView(3)),
    ]  # fmt: skip


@row
def counted_up(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        count = v1.get_variable("count", shape=(), dtype=tf.int32, initializer=v1.zeros_initializer())
        step = v1.count_up_to(count, 2)
        session.run(v1.global_variables_initializer())
        found = [session.run(step), session.run(step), raised(lambda: session.run(step)), session.run(count)]
    eager = tf.Variable(3)
    return found, v1.count_up_to(eager, 4), eager, raised(lambda: v1.count_up_to(eager, 4))
