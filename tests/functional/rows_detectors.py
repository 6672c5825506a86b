"""Rows: what detectors do with KerasTensors: a batch that can only be of one, boxes, metrics of the model."""

import numpy as np
from rows import ones, printed, raised, row


def shape(x):
    return x.shape.as_list()


def counted(*sizes):
    return np.arange(1, 1 + np.prod(sizes), dtype="float32").reshape(sizes) / 8


def of_one(tf, make):
    """The static shape of `make` in a Lambda and of an op, and what models of them give for a batch of one."""
    found = []
    for wrapped in (tf.keras.layers.Lambda(make), make):
        x = tf.keras.Input((3, 4))
        y = wrapped(x)
        y = y[0] if isinstance(y, list | tuple) else y
        found += [shape(y), tf.keras.Model(x, y)(counted(1, 3, 4))]
    return found


@row
def a_batch_that_must_be_of_one(tf):
    return [
        of_one(tf, lambda x: tf.squeeze(x, 0)), of_one(tf, lambda x: tf.squeeze(x, -3)),
        of_one(tf, lambda x: tf.squeeze(x[:, :1], [0, 1])), of_one(tf, lambda x: tf.keras.backend.squeeze(x, 0)),
        of_one(tf, lambda x: tf.unstack(x, 1)),
        of_one(tf, lambda x: tf.ensure_shape(x, [1, 3, 4])), of_one(tf, lambda x: tf.reshape(x, [3, 4])),
        of_one(tf, lambda x: tf.concat([x, tf.ones([1, 3, 1])], 2)),
        of_one(tf, lambda x: tf.stack([x, tf.ones([1, 3, 4])])),
        of_one(tf, lambda x: tf.reverse_sequence(x, [2], seq_axis=1)),
        of_one(tf, lambda x: tf.math.unsorted_segment_sum(x, [1], 3)),
        of_one(tf, lambda x: tf.scatter_nd([[1]], x, [3, 3, 4])),
        of_one(tf, lambda x: tf.tensordot(tf.ones([1, 2]), x, [[0], [0]])),
        of_one(tf, lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([[1, 2, 3]], x)),
        of_one(tf, lambda x: tf.dynamic_stitch([[0]], [x])),
    ]  # fmt: skip


@row
def a_larger_batch_is_refused_when_it_comes(tf):
    x = tf.keras.Input((3, 4))
    model = tf.keras.Model(x, tf.squeeze(x, 0))
    return [model.predict(ones(1, 3, 4), verbose=0).shape, raised(lambda: model(ones(2, 3, 4)))]


@row
def unknown_sizes_are_those_of_another_input(tf):
    a, b = tf.keras.Input((None, None, 3)), tf.keras.Input((4, 4, 3))

    def chosen(pair):
        places = tf.where(pair[0] > 2.0)
        return tf.reduce_sum(tf.gather_nd(pair[0], places) - tf.gather_nd(pair[1], places))

    y = tf.keras.layers.Lambda(chosen)([a, b])
    return [shape(y), tf.keras.Model([a, b], y)([counted(2, 4, 4, 3), ones(2, 4, 4, 3)])]


@row
def boxes_of_symbols(tf):
    image, values = tf.image, np.sort(np.random.RandomState(0).rand(6, 2, 2), 1).reshape(6, 4).astype("float32")
    boxes, scores = tf.keras.Input((4,), batch_size=6), tf.keras.Input((), batch_size=6)
    count, least = tf.keras.Input((), batch_size=1, dtype="int32"), tf.keras.Input((), batch_size=1)
    kept, found = image.non_max_suppression_with_scores(boxes, scores, count[0], score_threshold=least[0])
    plain = image.non_max_suppression(boxes, scores, 3)
    combined = image.combined_non_max_suppression(boxes[None, :, None], scores[None, :, None], 2, 3)
    outputs = [kept, found, tf.gather(boxes, kept), plain, combined[0], combined[3]]
    model = tf.keras.Model([boxes, scores, count, least], outputs)
    data = [values, np.linspace(0, 1, 6).astype("float32"), np.array([2], "int32"), np.array([0.3], "float32")]
    return [[shape(x) for x in outputs], model(data), [layer.name for layer in model.layers]]


@row
def functions_of_symbols(tf):
    x = tf.keras.Input((4, 4, 3), batch_size=2)
    made = [
        tf.image.rgb_to_yuv(x), tf.image.psnr(x, ones(2, 4, 4, 3), 1.0), tf.image.crop_to_bounding_box(x, 1, 1, 2, 2),
        tf.image.pad_to_bounding_box(x, 1, 1, 6, 6), tf.image.adjust_gamma(x, 2.0),
        tf.clip_by_global_norm([x], 1.0)[0][0],
        tf.unique(tf.reshape(x, [-1]))[0], tf.scan(lambda a, b: a + b, x), tf.foldl(lambda a, b: a + b, x),
        tf.dynamic_partition(x, [1, 0], 2)[1], tf.nn.weighted_moments(x, [0], ones(2, 1, 1, 1))[0],
        tf.signal.fftshift(x),
        tf.signal.overlap_and_add(x, 1), tf.nn.max_pool_with_argmax(x, 2, 2, "VALID")[0], tf.identity_n([x])[0],
        tf.math.polyval([1.0, x], 2.0), tf.nn.compute_average_loss(x), tf.math.accumulate_n([x, x]),
    ]  # fmt: skip
    model = tf.keras.Model(x, made)
    names = [layer.name for layer in model.layers if layer.__class__.__name__ == "TFOpLambda"]
    return [model(counted(2, 4, 4, 3) / 96), [n for n in names if "crop" in n or "yuv" in n or "norm" in n]]


@row
def metrics_of_symbols(tf):
    x = tf.keras.Input((4,), name="x")
    z = tf.keras.layers.Dense(3, kernel_initializer="ones", name="z")(x)
    model = tf.keras.Model(x, tf.keras.layers.Dense(1, kernel_initializer="ones", name="y")(z))
    divergence = tf.reduce_mean(z**2)
    model.add_loss(divergence / 8)
    model.add_metric(divergence, name="divergence", aggregation="mean")
    model.add_metric(tf.reduce_sum(z, -1), name="sums")
    model.compile("sgd", "mse", metrics=["mae"])
    history = model.fit(counted(6, 4) / 8, counted(6), 4, 2, verbose=0, shuffle=False).history
    again = tf.keras.Model.from_config(model.get_config())
    return [
        printed(lambda: model.summary()), list(history.items()), model.evaluate(counted(6, 4), counted(6), verbose=0),
        model.metrics_names, [metric.name for metric in again.metrics], [layer.name for layer in again.layers],
        model.layers[-1].get_config(), raised(lambda: model.add_metric(divergence)),
    ]  # fmt: skip


@row
def layers_that_return_more_than_tensors(tf):
    class Two(tf.keras.Model):
        def __init__(self, more):
            super().__init__()
            self.dense, self.more = tf.keras.layers.Dense(2, kernel_initializer="ones"), more

        def call(self, x):
            y = self.dense(x)
            return {"y": y, "more": None} if self.more else (y, None)

    found = []
    for more in (False, True):
        built = Two(more)
        built.build((None, 3))
        x = tf.keras.Input((3,))
        y = Two(more)(x)
        y = y["y"] if more else y[0]
        found += [[w.shape.as_list() for w in built.weights], shape(y), tf.keras.Model(x, y)(ones(2, 3))]
    return found
