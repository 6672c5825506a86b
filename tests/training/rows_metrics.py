"""Rows: metrics by name, their configurations, state, errors, and metrics of one's own."""

import copy

import numpy as np
from rows import names, ones, raised, row


@row
def metrics_by_name(tf):
    metrics = tf.keras.metrics
    listed = "mse mae accuracy acc binary_accuracy sparse_categorical_accuracy binary_crossentropy hinge".split()
    return (
        [metrics.get(name).__name__ for name in listed],
        [type(metrics.get(name)).__name__ for name in ("MeanSquaredError", "AUC", "Precision")],
        [metrics.Precision().name, metrics.Precision().name, metrics.AUC().name],
        raised(lambda: metrics.get(3), "Could not interpret metric identifier: 3"),
    )


@row
def metrics_written_down(tf):
    metrics = tf.keras.metrics
    made = [metrics.Mean(), metrics.AUC(name="a"), metrics.BinaryAccuracy(threshold=0.25), metrics.MeanIoU(3, name="i")]
    return (
        [metrics.serialize(metric) for metric in made],
        [metrics.deserialize(metrics.serialize(metric)).get_config() for metric in made],
        [str(metric) for metric in made[:3]],
    )


@row
def state(tf):
    mean = tf.keras.metrics.Mean()
    found = [mean.result(), mean(2.0), mean([3.0, 7.0]), mean(1.0, sample_weight=0.5), mean.result()]
    duplicate = copy.deepcopy(mean)
    other = tf.keras.metrics.Mean("other")
    other.update_state([[100.0]])
    other.merge_state([mean, mean])
    mean.reset_state()
    return (
        found,
        mean.variables,
        duplicate.result(),
        other.variables,
        mean.dtype,
        mean.stateful,
        [v.trainable for v in mean.variables],
        raised(lambda: mean.merge_state([tf.keras.metrics.Sum()]), "is not compatible with"),
    )


@row
def values_of_other_kinds(tf):
    mean = tf.keras.metrics.Mean()
    mean.update_state(tf.constant([1, 2], tf.int64))
    mean.update_state(np.float64(3.0))
    mean.update_state([True, False])
    return mean.result(), raised(lambda: mean.update_state({"a": 1.0}), "can only be a single Tensor")


@row
def inside_a_model(tf):
    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(2)
            self.mean = tf.keras.metrics.Mean(name="own")
            self.others = [tf.keras.metrics.Sum()]

        def call(self, inputs):
            return self.dense(inputs)

    net = Net()
    net(ones(1, 3))
    return (
        names(net.layers),
        names(net.weights),
        names(net.metrics),
        names(net.trainable_weights),
        net.metrics_names,
    )


@row
def own_metrics(tf):
    class Half(tf.keras.metrics.Metric):
        def __init__(self, name="half", **options):
            super().__init__(name=name, **options)
            self.total = self.add_weight("total", initializer="zeros")

        def update_state(self, y_true, y_pred, sample_weight=None):
            self.total.assign_add(tf.reduce_sum(tf.subtract(y_true, y_pred)))

        def result(self):
            return self.total / 2.0

    class Two(Half):
        def result(self):
            return {"one": self.total, "two": self.total * 2.0}

    half, two = Half(), Two(name="two")
    return [
        half([3.0], [1.0]),
        half(y_true=[3.0], y_pred=[0.0]),
        half.result(),
        {key: value for key, value in two([1.0], [0.0]).items()},
        names(half.variables),
        half.get_config(),
        raised(lambda: tf.keras.metrics.Metric.update_state(half, 1.0), "Must be implemented in subclasses"),
    ]


@row
def in_a_function(tf):
    mean, auc = tf.keras.metrics.Mean(), tf.keras.metrics.AUC(name="auc")

    @tf.function
    def step(x):
        mean.update_state(x)
        auc.update_state([0.0, 1.0], [0.5, 0.25])
        return mean.result()

    return [step(tf.constant(1.0)), step(tf.constant(2.0)), mean.result(), auc.result()]


@row
def metrics_out_of_range(tf):
    metrics = tf.keras.metrics
    return [
        raised(lambda: metrics.AUC(num_thresholds=1), "must be an integer > 1"),
        raised(lambda: metrics.AUC(curve="x"), 'Invalid AUC curve value: "x"'),
        raised(lambda: metrics.AUC(summation_method="x"), "Invalid AUC summation method value"),
        raised(lambda: metrics.AUC(num_labels=2), "needed only when `multi_label` is True"),
        raised(lambda: metrics.Precision(thresholds=[2.0]), "Threshold values must be in [0, 1]"),
        raised(lambda: metrics.SensitivityAtSpecificity(2.0), "must be in the range [0, 1]"),
        raised(lambda: metrics.PrecisionAtRecall(0.5, 0), "must be an integer > 0"),
        raised(lambda: metrics.IoU(2, [2]), "Target class id 2 is out of range"),
        raised(lambda: metrics.FBetaScore(beta=1), "It should be a Python float"),
        raised(lambda: metrics.F1Score(average="x"), "Invalid `average` argument value"),
        raised(lambda: metrics.R2Score("x"), "Invalid value for argument `class_aggregation`"),
        raised(lambda: metrics.MeanTensor().result(), "does not have any value yet"),
        raised(lambda: metrics.Precision()([0.0, 1.0], [[0.5, 0.5]]), "are incompatible"),
    ]


@row
def functions(tf):
    metrics = tf.keras.metrics
    onehot, scores = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], [[0.1, 0.8, 0.1], [0.2, 0.3, 0.5]]
    return [
        metrics.binary_accuracy([[0.0, 1.0]], [[0.4, 0.4]]),
        metrics.categorical_accuracy(onehot, scores),
        metrics.sparse_categorical_accuracy([1, 0], scores),
        metrics.sparse_categorical_accuracy([[1.0], [0.0]], scores),
        metrics.top_k_categorical_accuracy(onehot, scores, k=2),
        metrics.sparse_top_k_categorical_accuracy([1, 0], scores, k=3),
        metrics.mean_squared_error(onehot, scores),
    ]


@row
def accuracy_of_scores_that_are_nan(tf):
    scores = [[1.0, np.nan, 3.0, 2.0], [np.nan, 1.0, 0.0, 5.0], [np.nan] * 4, [1.0, 2.0, np.nan, np.nan]]
    metric = tf.keras.metrics.SparseCategoricalAccuracy()
    metric.update_state([2, 3, 1, 1], scores)
    return tf.keras.metrics.sparse_categorical_accuracy([2, 3, 0, 1], scores), metric.result()


@row
def order_of_what_configurations_have(tf):
    metrics, legacy = tf.keras.metrics, tf.keras.optimizers.legacy
    made = [
        metrics.IoU(2, [0]), metrics.BinaryIoU(), metrics.MeanIoU(2), metrics.OneHotIoU(2, [0]),
        metrics.OneHotMeanIoU(2), metrics.FBetaScore(), metrics.AUC(), metrics.TopKCategoricalAccuracy(),
        metrics.MeanRelativeError([1.0]), legacy.Ftrl(), legacy.Adam(), legacy.SGD(), legacy.RMSprop(),
    ]  # fmt: skip
    return [list(one.get_config()) for one in made]
