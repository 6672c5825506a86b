"""`tf.compat.v1.metrics`: what two batches give."""

from rows import raised, row, row_for

from tape.rows_v1_graphs import graph_and_session

LABELS = [[1, 0, 1, 1], [0, 0, 1, 2]]
PREDICTIONS = [[1, 1, 0, 1], [0, 1, 1, 1]]


def batches(tf, make, weighted):
    """The metric before, the update of each batch with the metric after it, and the names of the variables."""
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        labels, predictions = v.placeholder(tf.int64, [None]), v.placeholder(tf.int64, [None])
        weights = v.placeholder(tf.float32, [None]) if weighted else None
        value, update = make(v.metrics, labels, predictions, weights)
        s.run(v.local_variables_initializer())
        seen = [s.run(value)]
        for one, other in zip(LABELS, PREDICTIONS):  # noqa: B905
            feed = {labels: one, predictions: other}
            if weighted:
                feed[weights] = [0.5, 1.0, 0.0, 2.0]
            seen.append(s.run(update, feed))
            seen.append(s.run(value))
        return seen, sorted(x.name for x in v.local_variables()), len(v.global_variables())


METRICS = {
    "mean": lambda m, y, p, w: m.mean(p, w),
    "accuracy": lambda m, y, p, w: m.accuracy(y, p, w),
    "percentage_below": lambda m, y, p, w: m.percentage_below(p, 1, w),
    "mean_squared_error": lambda m, y, p, w: m.mean_squared_error(y, p, w),
    "root_mean_squared_error": lambda m, y, p, w: m.root_mean_squared_error(y, p, w),
    "mean_absolute_error": lambda m, y, p, w: m.mean_absolute_error(y, p, w),
    "true_positives": lambda m, y, p, w: m.true_positives(y, p, w),
    "true_negatives": lambda m, y, p, w: m.true_negatives(y, p, w),
    "false_positives": lambda m, y, p, w: m.false_positives(y, p, w),
    "false_negatives": lambda m, y, p, w: m.false_negatives(y, p, w),
    "precision": lambda m, y, p, w: m.precision(y, p, w),
    "recall": lambda m, y, p, w: m.recall(y, p, w),
    "mean_iou": lambda m, y, p, w: m.mean_iou(y, p, 3, w),
    "mean_per_class_accuracy": lambda m, y, p, w: m.mean_per_class_accuracy(y, p, 3, w),
}


@row_for(name=list(METRICS), weighted=[False, True])
def metrics_of_batches(tf, name, weighted):
    return batches(tf, METRICS[name], weighted)


@row
def means_of_elements(tf):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [2])
        value, update = v.metrics.mean_tensor(x)
        s.run(v.local_variables_initializer())
        return [s.run(update, {x: [1.0, 2.0]}), s.run(update, {x: [3.0, 4.0]}), s.run(value)]


@row
def differences_by_a_normalizer(tf):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        value, update = v.metrics.mean_relative_error([1.0, 2.0, 3.0], [2.0, 2.0, 1.0], [1.0, 2.0, 0.0])
        s.run(v.local_variables_initializer())
        return [s.run(update), s.run(value)]


@row
def collections_and_names(tf):
    v = tf.compat.v1
    with graph_and_session(tf):
        v.metrics.mean([1.0, 2.0], None, ["values"], "updates", "average")
        v.metrics.mean([1.0, 2.0])
        v.metrics.mean([1.0, 2.0])
        names = [x.name for x in v.local_variables()]
        return names, len(v.get_collection("values")), len(v.get_collection("updates")), len(
            v.get_collection(v.GraphKeys.METRIC_VARIABLES)
        )


@row
def shapes_must_fit(tf):
    v = tf.compat.v1
    with graph_and_session(tf):
        return raised(lambda: v.metrics.accuracy([1, 2, 3], [1, 2]))


def _scores(tf, make, weighted):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        labels, scores = v.placeholder(tf.int64, [None]), v.placeholder(tf.float32, [None])
        weights = v.placeholder(tf.float32, [None]) if weighted else None
        value, update = make(v.metrics, labels, scores, weights)
        s.run(v.local_variables_initializer())
        seen = [s.run(value)]
        several = ([1, 0, 1, 1, 0], [0.9, 0.4, 0.35, 1.0, 0.0]), ([0, 0, 1, 0, 1], [0.1, 0.6, 0.55, 0.2, 0.7])
        for one, other in several:
            feed = {labels: one, scores: other} | ({weights: [0.5, 1.0, 0.25, 2.0, 1.0]} if weighted else {})
            seen += [s.run(update, feed), s.run(value)]
        return seen, sorted(x.name for x in v.local_variables())


@row_for(
    curve=["ROC", "PR"], method=["trapezoidal", "careful_interpolation", "minoring", "majoring"], weighted=[False, True]
)
def areas_under_curves(tf, curve, method, weighted):
    def make(m, y, p, w):
        return m.auc(y, p, w, num_thresholds=11, curve=curve, summation_method=method)

    return _scores(tf, make, weighted)


_COUNTS = ["true_positives", "true_negatives", "false_positives", "false_negatives", "precision", "recall"]


@row_for(name=_COUNTS, weighted=[False, True])
def metrics_at_thresholds(tf, name, weighted):
    return _scores(tf, lambda m, y, p, w: getattr(m, f"{name}_at_thresholds")(y, p, [0.25, 0.5, 0.75], w), weighted)


@row
def areas_of_other_arguments(tf):
    v = tf.compat.v1
    y = [1, 0, 1]
    with graph_and_session(tf) as s:
        p = tf.constant([0.3, 0.2, 0.8])
        default, of_thresholds = v.metrics.auc(y, p), v.metrics.auc(y, p, None, 7, ["a"], ["b"], thresholds=[0.5, 0.1])
        fed = v.placeholder(tf.float32, [3])
        outside = v.metrics.auc(y, fed)
        s.run(v.local_variables_initializer())
        return [
            s.run(default[1]), s.run(of_thresholds[1]), len(v.get_collection("a")), len(v.get_collection("b")),
            raised(lambda: s.run(outside[1], {fed: [0.3, 1.2, 0.8]}), "predictions must be in [0, 1]"),
            raised(lambda: v.metrics.auc(y, p, curve="other"), "Curve must be either ROC or PR"),
            raised(lambda: v.metrics.auc(y, p, summation_method="other"), "summation_method"),
        ]  # fmt: skip


@row
def a_graph_with_assertions_is_written(tf):
    v = tf.compat.v1
    with graph_and_session(tf):
        x = v.placeholder(tf.float32, [3], name="x")
        with v.control_dependencies([v.assert_greater_equal(x, 0.0)]):
            tf.multiply(tf.identity(x), 2.0, name="y")
        written = v.get_default_graph().as_graph_def()
    with graph_and_session(tf) as s:
        (y,) = v.import_graph_def(written, return_elements=["y:0"], name="again")
        return s.run(y, {"again/x:0": [1.0, 2.0, 3.0]})


SCORES = [[[0.1, 0.5, 0.2, 0.9], [0.7, 0.2, 0.1, 0.4]], [[0.3, 0.2, 0.8, 0.1], [0.2, 0.9, 0.7, 0.3]]]
ROWS = [[[3, 1], [1, 1]], [[0, 2], [3, 2]]]
OF_RANKS = {
    "recall_at_k": lambda m, y, p, w: m.recall_at_k(y, p, 2, weights=w),
    "recall_at_1": lambda m, y, p, w: m.recall_at_k(y, p, 1, None, w),
    "recall_of_a_class": lambda m, y, p, w: m.recall_at_k(y, p, 2, 1, w),
    "precision_at_k": lambda m, y, p, w: m.precision_at_k(y, p, 2, weights=w),
    "precision_of_a_class": lambda m, y, p, w: m.precision_at_k(y, p, 3, class_id=2, weights=w),
    "average_precision_at_k": lambda m, y, p, w: m.average_precision_at_k(y, p, 3, w),
    "sparse_precision_at_k": lambda m, y, p, w: m.sparse_precision_at_k(y, p, 2, weights=w),
    "sparse_average_precision_at_k": lambda m, y, p, w: m.sparse_average_precision_at_k(y, p, 2, w),
}


def _of_ranks(tf, make, weighted, one_label=False, sparse=False):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        scores = v.placeholder(tf.float32, [None, 4])
        labels = v.placeholder(tf.int64, [None] if one_label else [None, 2])
        weights = v.placeholder(tf.float32, [None]) if weighted else None
        value, update = make(v.metrics, tf.sparse.from_dense(labels) if sparse else labels, scores, weights)
        s.run(v.local_variables_initializer())
        seen = [s.run(value)]
        for rows, one in zip(ROWS, SCORES):  # noqa: B905
            feed = {scores: one, labels: [row[0] for row in rows] if one_label else rows}
            if weighted:
                feed[weights] = [0.5, 2.0]
            seen += [s.run(update, feed), s.run(value)]
        return seen, sorted(x.name for x in v.local_variables())


@row_for(name=list(OF_RANKS), weighted=[False, True])
def metrics_of_ranks(tf, name, weighted):
    return _of_ranks(tf, OF_RANKS[name], weighted)


@row_for(name=["recall_at_k", "precision_at_k", "average_precision_at_k"], labels=["one", "sparse"])
def labels_of_ranks(tf, name, labels):
    return _of_ranks(tf, OF_RANKS[name], False, labels == "one", labels == "sparse")


@row_for(name=["recall_at_top_k", "precision_at_top_k"])
def metrics_of_chosen(tf, name):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        labels, chosen = (tf.constant(x, tf.int64) for x in ([[0, 1], [2, 2]], [[1, 3], [2, 0]]))
        made = [getattr(v.metrics, name)(labels, chosen, k) for k in (2, None)]
        s.run(v.local_variables_initializer())
        return [s.run(update) for _, update in made], sorted(x.name for x in v.local_variables())


POINTS = {
    "sensitivity_at_specificity": lambda m, y, p, w, at: m.sensitivity_at_specificity(y, p, at, w, 20),
    "specificity_at_sensitivity": lambda m, y, p, w, at: m.specificity_at_sensitivity(y, p, at, w, 20),
}


@row_for(name=list(POINTS), at=[0.3, 0.7, 1.0], weighted=[False, True])
def points_of_a_curve(tf, np, name, at, weighted):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        random = np.random.RandomState(1)
        labels, predictions = v.placeholder(tf.int64, [None]), v.placeholder(tf.float32, [None])
        weights = v.placeholder(tf.float32, [None]) if weighted else None
        value, update = POINTS[name](v.metrics, labels, predictions, weights, at)
        s.run(v.local_variables_initializer())
        seen = [s.run(value)]
        for _ in range(2):
            feed = {labels: random.randint(0, 2, 30), predictions: random.rand(30)}
            if weighted:
                feed[weights] = random.rand(30)
            seen += [s.run(update, feed), s.run(value)]
        return seen, sorted(x.name for x in v.local_variables())


@row_for(name=list(POINTS))
def wrong_points(tf, name):
    v = tf.compat.v1
    with graph_and_session(tf):
        return raised(lambda: POINTS[name](v.metrics, [1, 0], [0.5, 0.2], None, 1.5), "must be in the range [0, 1]")


@row_for(weighted=[False, True])
def cosine_distances(tf, weighted):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        weights = [[0.5], [2.0]] if weighted else None
        value, update = v.metrics.mean_cosine_distance([[1.0, 0.0], [0.6, 0.8]], [[0.8, 0.6], [0.0, 1.0]], 1, weights)
        s.run(v.local_variables_initializer())
        return s.run(update), s.run(value), sorted(x.name for x in v.local_variables())
