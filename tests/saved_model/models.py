"""Models that go from tfcompat to TensorFlow and back: a row each.

A row is a function of (tf, np) that returns a module and a function of tensors; it runs on TensorFlow and on tfcompat
alike. `MODELS` has them by name. `tests/record.py saved_models` records what TensorFlow saves and computes;
`tests/saved_model/both_ways.py` takes them both ways where TensorFlow is installed.
"""

import numpy as np

MODELS: dict = {}
BATCHES = (1, 3, 4)


class Row:
    """A model.

    Attributes:
      name, build: of the row.
      inputs: list of (shape without the batch, or None for no batch; dtype; name).
      order: how many derivatives are compared.
      signature: whether the function is a signature, and tensors are enough to call it.
      lite: whether TensorFlow Lite converts it with its own ops alone.
      reload: whether TensorFlow differentiates what it has loaded of its own (not loops with variables).
    """

    def __init__(self, name, build, inputs, order, signature, lite, data, batches, reload):
        self.reload = reload
        self.name, self.build, self.inputs, self.order = name, build, inputs, order
        self.signature, self.lite, self.data, self.batches = signature, lite, data, batches

    def specs(self, tf):
        """The input signature."""
        return [
            tf.TensorSpec(shape if fixed else [None, *shape], tf.as_dtype(dtype), name)
            for shape, dtype, name, fixed in self.inputs
        ]

    def make(self, tf):
        """The module, with the function in its attribute `f`."""
        module, function = self.build(tf, np)
        module.f = tf.function(function, input_signature=self.specs(tf))
        return module

    def arrays(self, batch):
        """Inputs of this batch size."""
        if self.data is not None:
            return self.data(batch, np)
        random = np.random.RandomState(sum(map(ord, self.name)) + batch)
        arrays = []
        for shape, dtype, _, fixed in self.inputs:
            shape = shape if fixed else [batch, *shape]
            values = random.randint(0, 9, shape) if "int" in dtype else random.standard_normal(shape)
            arrays.append(np.asarray(values, dtype))
        return arrays

    def results(self, tf, function, batch, order=None):
        """What the function returns, and derivatives by inputs and variables, as arrays by name."""
        arrays = self.arrays(batch)
        tensors = [tf.constant(x) for x in arrays]
        outputs = tf.nest.flatten(function(*tensors), expand_composites=True)
        found = {f"y{i}": np.asarray(y) for i, y in enumerate(outputs)}
        floats = [x for x in tensors if x.dtype.is_floating]
        order = self.order if order is None else order
        if order:
            with tf.GradientTape() as outer:
                for x in floats:
                    outer.watch(x)
                with tf.GradientTape() as tape:
                    for x in floats:
                        tape.watch(x)
                    flat = tf.nest.flatten(function(*tensors), expand_composites=True)
                    loss = sum(tf.reduce_sum(tf.sin(tf.cast(y, tf.float32))) for y in flat if y.dtype.is_floating)
                variables = sorted(tape.watched_variables(), key=lambda v: (v.name, v.shape.as_list()))
                grads = tape.gradient(loss, [*floats, *variables])
                dense = [tf.convert_to_tensor(g) for g in grads if g is not None]
                second = sum(tf.reduce_sum(tf.square(tf.cast(g, tf.float32))) for g in dense)
            found |= {f"d{i}": np.asarray(g) for i, g in enumerate(dense)}
            if order > 1:
                again = outer.gradient(second, floats)
                found |= {f"h{i}": np.asarray(g) for i, g in enumerate(again) if g is not None}
        return found


def row(*inputs, order=2, signature=True, lite=True, data=None, batches=BATCHES, reload=True):
    """Decorator of a row.

    Args:
      *inputs: shape without the batch; or (shape, dtype), (shape, dtype, "fixed") for one without a batch.
      order, signature, lite, data, batches, reload: see `Row`.
    """

    def decorate(build):
        described = []
        for i, each in enumerate(inputs):
            shape, dtype, *fixed = each if isinstance(each, tuple) else (each, "float32")
            described.append((list(shape), dtype, f"x{i}" if len(inputs) > 1 else "x", bool(fixed)))
        MODELS[build.__name__] = Row(build.__name__, build, described, order, signature, lite, data, batches, reload)
        return build

    return decorate


def _weights(tf, np, *shapes, seed=0, scale=0.4):
    random = np.random.RandomState(seed)
    return [tf.Variable((random.standard_normal(s) * scale).astype("float32"), name=f"w{i}")
            for i, s in enumerate(shapes)]  # fmt: skip


def _set(model, np, seed=3):
    """Weights that follow from a seed."""
    random = np.random.RandomState(seed)
    for v in model.variables:
        if v.dtype.is_floating:
            value = np.abs(random.standard_normal(v.shape)) * 0.3 + 0.05
            sign = 1 if "variance" in v.name or "gamma" in v.name else random.choice([-1, 1], v.shape)
            v.assign((value * sign).astype(v.dtype.as_numpy_dtype))
    return model


def _of_keras(tf, np, model):
    module = tf.Module()
    module.model = _set(model, np)
    return module, lambda x: module.model(x, training=False)


@row([4])
def mlp(tf, np):
    m = tf.Module()
    m.w = _weights(tf, np, [4, 8], [8], [8, 3])
    return m, lambda x: tf.nn.softmax(tf.tanh(x @ m.w[0] + m.w[1]) @ m.w[2])


@row([4])
def relu_mlp(tf, np):
    m = tf.Module()
    m.layers = {"first": _weights(tf, np, [4, 8], [8]), "second": _weights(tf, np, [8, 2], seed=1)}

    def f(x):
        hidden = tf.nn.relu(tf.matmul(x, m.layers["first"][0]) + m.layers["first"][1])
        return {"logits": hidden @ m.layers["second"][0], "hidden": hidden}

    return m, f


@row([8, 8, 2], order=1)
def cnn(tf, np):
    m = tf.Module()
    m.w = _weights(tf, np, [3, 3, 2, 4], [4], [4])

    def f(x):
        y = tf.nn.conv2d(x, m.w[0], 1, "SAME")
        mean, variance = tf.nn.moments(y, [1, 2], keepdims=True)
        y = tf.nn.relu(tf.nn.batch_normalization(y, mean, variance, m.w[1], m.w[2], 1e-3))
        return tf.reduce_mean(tf.nn.max_pool2d(y, 2, 2, "VALID"), [1, 2])

    return m, f


@row([8, 8, 2], order=1)
def cnn_strided(tf, np):
    m = tf.Module()
    m.w = _weights(tf, np, [3, 3, 2, 4], [3, 3, 4, 1])

    def f(x):
        y = tf.nn.bias_add(tf.nn.conv2d(x, m.w[0], 2, "SAME"), tf.constant([0.1, 0.2, 0.3, 0.4]))
        y = tf.nn.depthwise_conv2d(tf.nn.relu6(y), m.w[1], [1, 1, 1, 1], "VALID")
        return tf.nn.avg_pool2d(y, 2, 1, "SAME")

    return m, f


@row([8, 8, 2], order=1)
def keras_cnn(tf, np):
    layers = tf.keras.layers
    return _of_keras(tf, np, tf.keras.Sequential([
        tf.keras.Input((8, 8, 2)), layers.Conv2D(4, 3, activation="relu"), layers.BatchNormalization(),
        layers.DepthwiseConv2D(3, padding="same"), layers.MaxPooling2D(), layers.Conv2DTranspose(3, 3, strides=2),
        layers.GlobalAveragePooling2D(), layers.Dropout(0.5), layers.Dense(2),
    ]))  # fmt: skip


@row([4])
def keras_mlp(tf, np):
    layers = tf.keras.layers
    return _of_keras(tf, np, tf.keras.Sequential([
        tf.keras.Input((4,)), layers.Dense(8, "gelu"), layers.LayerNormalization(), layers.Dense(3, "softmax")
    ]))  # fmt: skip


@row([5, 3], order=1)
def keras_lstm(tf, np):
    layers = tf.keras.layers
    return _of_keras(tf, np, tf.keras.Sequential([tf.keras.Input((5, 3)), layers.LSTM(4), layers.Dense(1)]))


@row([5, 3], order=1, lite=False)
def keras_gru(tf, np):
    layers = tf.keras.layers
    return _of_keras(tf, np, tf.keras.Sequential([
        tf.keras.Input((5, 3)), layers.Bidirectional(layers.GRU(3, return_sequences=True)), layers.Dense(1)
    ]))  # fmt: skip


@row([5, 4])
def keras_transformer(tf, np):
    layers = tf.keras.layers
    x = tf.keras.Input((5, 4))
    y = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 3)(x, x))
    return _of_keras(tf, np, tf.keras.Model(x, layers.LayerNormalization()(y + layers.Dense(4, "tanh")(y))))


@row(([6], "int32"), order=1)
def keras_embedding(tf, np):
    layers = tf.keras.layers
    x = tf.keras.Input((6,), dtype="int32")
    y = layers.GlobalMaxPooling1D()(layers.Conv1D(4, 3, padding="same")(layers.Embedding(9, 4)(x)))
    return _of_keras(tf, np, tf.keras.Model(x, layers.Dense(2)(y)))


@row([32, 32, 3], order=0, batches=(1, 2))
def keras_mobilenet(tf, np):
    return _of_keras(tf, np, tf.keras.applications.MobileNet(
        (32, 32, 3), 0.25, include_top=False, weights=None, pooling="avg"
    ))  # fmt: skip


@row([4])
def residual(tf, np):
    m = tf.Module()
    m.w = _weights(tf, np, [4, 4], [4, 4])

    def f(x):
        for w in m.w:
            x = x + tf.nn.elu(x @ w)
        return x

    return m, f


@row([6, 4])
def attention(tf, np):
    m = tf.Module()
    (m.q,) = _weights(tf, np, [4, 4])

    def f(x):
        q = tf.einsum("btd,de->bte", x, m.q)
        weights = tf.nn.softmax(tf.matmul(q, x, transpose_b=True) / 2.0)
        y = tf.matmul(weights, x)
        mean, variance = tf.nn.moments(y, -1, keepdims=True)
        return tf.nn.gelu((y - mean) * tf.math.rsqrt(variance + 1e-5))

    return m, f


@row([5, 3])
def rnn_unrolled(tf, np):
    m = tf.Module()
    m.w = _weights(tf, np, [3, 4], [4, 4])

    def f(x):
        h = tf.zeros([tf.shape(x)[0], 4])
        for t in range(5):
            h = tf.tanh(x[:, t] @ m.w[0] + h @ m.w[1])
        return h

    return m, f


@row([5, 3], order=1, reload=False)
def rnn_loop(tf, np):
    m = tf.Module()
    m.w = _weights(tf, np, [3, 4], [4, 4])

    def f(x):
        h = tf.zeros([tf.shape(x)[0], 4])
        for t in tf.range(5):
            h = tf.tanh(x[:, t] @ m.w[0] + h @ m.w[1])
        return h

    return m, f


@row([3], order=1, reload=False)
def while_loop(tf, np):
    m = tf.Module()
    m.v = tf.Variable(2.0)

    def f(x):
        steps = tf.constant(0)
        while tf.reduce_sum(tf.square(x)) < 100.0:
            x = x * m.v
            steps += 1
        return {"x": x, "steps": steps}

    return m, f


@row([3])
def cond(tf, np):
    m = tf.Module()
    m.v = tf.Variable(2.0)

    def f(x):
        if tf.reduce_sum(x) > 0.0:
            y = tf.sin(x) * m.v
        else:
            y = x * x
        return y

    return m, f


@row([3], ([], "int32", "fixed"), order=1, lite=False)
def switch(tf, np):
    m = tf.Module()

    def f(x, n):
        return tf.switch_case(n, [lambda: x + 1.0, lambda: x * x, lambda: tf.exp(x)])

    return m, f


@row([3])
def custom_gradient(tf, np):
    m = tf.Module()
    m.w = tf.Variable([1.0, 2.0, 3.0])

    @tf.custom_gradient
    def steep(z):
        return tf.exp(z), lambda d: d * 10.0 * tf.sin(z)

    return m, lambda x: steep(x * m.w)


@row([3], order=1, lite=False)
def made_of_primitives(tf, np):
    """Ops that no node of TensorFlow's says as a whole. TensorFlow Lite confuses the names of so many outputs."""
    m = tf.Module()
    m.w = tf.Variable([0.5, -0.25, 1.0])
    losses = tf.keras.losses

    def f(x):
        x = x * m.w
        p = tf.nn.softmax(x)
        labels = tf.nn.softmax(2.0 * x[:, ::-1])
        image = x[:, None, :, None] * tf.ones([1, 3, 1, 1])
        return [
            tf.clip_by_norm(x, 0.5), tf.clip_by_norm(x, 0.5, axes=[1]), tf.linalg.global_norm([x, p]),
            losses.mean_squared_error(x, p), losses.mean_absolute_error(x, p), losses.huber(x, p),
            losses.log_cosh(x, p), losses.squared_hinge(x, p), losses.cosine_similarity(x, labels),
            losses.binary_crossentropy(labels, p), losses.categorical_crossentropy(labels, p),
            losses.categorical_crossentropy(labels, x, from_logits=True), losses.kl_divergence(labels, p),
            tf.reduce_logsumexp(x, -1), tf.nn.weighted_cross_entropy_with_logits(labels, x, 2.0), tf.nn.crelu(x),
            tf.roll(x, 1, 1), tf.nn.zero_fraction(tf.nn.relu(x)), tf.math.count_nonzero(x > 0.0),
            tf.math.logical_xor(x > 0.0, p > 0.3), tf.saturate_cast(400.0 * x, tf.uint8),
            tf.sequence_mask(tf.cast(tf.abs(3.0 * x[:, 0]), tf.int32), 4), tf.linspace(x[0, 0], x[0, 1], 5),
            *tf.meshgrid(x[0], x[:, 0]), tf.math.reciprocal_no_nan(x), tf.image.total_variation(image),
            tf.image.sobel_edges(image), tf.stop_gradient(tf.image.adjust_contrast(image * tf.ones([3]), 2.0)),
            tf.pow(tf.abs(x), p), tf.nn.weighted_moments(x, [1], p)[1], tf.math.polyval([2.0, 1.0, x], p),
        ]  # fmt: skip

    return m, f


@row([3, 3], order=1, lite=False)
def made_of_decompositions(tf, np):
    m = tf.Module()
    m.w = tf.Variable([0.5, -0.25, 1.0])

    def f(x):
        x = x * m.w
        definite = tf.matmul(x, x, transpose_b=True) + tf.eye(3)
        return [
            tf.linalg.logdet(definite), *tf.linalg.slogdet(x), tf.stop_gradient(tf.linalg.lu(x)[0]),
            tf.linalg.pinv(definite), tf.linalg.matrix_rank(x), tf.math.real(tf.linalg.eigvals(definite)[:, 0]) > 0.0,
        ]  # fmt: skip

    return m, f


@row([3], order=1, lite=False)
def cosine_transform(tf, np):
    m = tf.Module()
    m.w = tf.Variable([1.0, 2.0, 3.0])
    return m, lambda x: tf.tanh(tf.signal.dct(x * m.w))


@row([3], lite=False)
def sorted_columns(tf, np):
    m = tf.Module()
    m.w = tf.Variable([1.0, 2.0, 3.0])
    return m, lambda x: tf.tanh(tf.sort((x * m.w)[:, :, None], 1))


@row([3])
def sorted_slopes(tf, np):
    m = tf.Module()
    m.w = tf.Variable([1.0, 2.0, 3.0])

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(tf.sort(x * m.w)) * [1.0, 3.0, 2.0]
        return tape.gradient(y, x) * m.w

    return m, f


@row([3])
def row_by_row(tf, np):
    m = tf.Module()
    m.w = tf.Variable([1.0, 2.0, 3.0])
    return m, lambda x: tf.vectorized_map(lambda r: tf.tanh(r) * tf.reduce_sum(r), x) * m.w


@row([3], order=1)
def stopped(tf, np):
    m = tf.Module()
    m.w = tf.Variable([1.0, 2.0, 3.0])
    return m, lambda x: tf.stop_gradient(x) * m.w + x


@row(([2], "int32"), order=0)
def counter(tf, np):
    m = tf.Module()
    m.total = tf.Variable(0)

    def f(x):
        m.total.assign_add(tf.reduce_sum(x))
        return m.total.read_value()

    return m, f


@row([3], order=1)
def moving_average(tf, np):
    m = tf.Module()
    m.mean = tf.Variable([0.0, 0.0, 0.0], trainable=False)

    def f(x):
        m.mean.assign(0.9 * m.mean + 0.1 * tf.reduce_mean(x, 0))
        return x - m.mean

    return m, f


@row([4, 4], lite=False, order=1)
def gaussian_process(tf, np):
    m = tf.Module()
    m.scale = tf.Variable(1.5)

    def f(x):
        squared = tf.reduce_sum(tf.square(x[:, :, None] - x[:, None]), -1)
        kernel = tf.exp(-squared / m.scale) + 0.1 * tf.eye(4)
        factor = tf.linalg.cholesky(kernel)
        return tf.linalg.cholesky_solve(factor, x), tf.reduce_sum(tf.math.log(tf.linalg.diag_part(factor)), -1)

    return m, f


@row([4, 4], lite=False, order=1)
def linear_algebra(tf, np):
    m = tf.Module()

    def f(x):
        a = 0.1 * tf.matmul(x, x, transpose_b=True) + tf.eye(4)
        return tf.linalg.solve(a, x), tf.linalg.inv(a), tf.linalg.det(a)

    return m, f


@row([4, 4], lite=False, order=0)
def decompositions(tf, np):
    m = tf.Module()

    def f(x):
        a = tf.matmul(x, x, transpose_b=True) + 4.0 * tf.eye(4)
        return tf.linalg.eigvalsh(a), tf.abs(tf.linalg.qr(a)[1]), tf.linalg.svd(a, compute_uv=False)

    return m, f


@row([6], order=1)
def sorting(tf, np):
    m = tf.Module()
    return m, lambda x: (tf.sort(x, -1), tf.math.top_k(x, 2).values, tf.argmax(x, -1), tf.cumsum(x, -1))


@row([8], order=1)
def spectrum(tf, np):
    m = tf.Module()
    return m, lambda x: tf.abs(tf.signal.rfft(x))


@row([4], lite=False, order=1)
def special_functions(tf, np):
    m = tf.Module()

    def f(x):
        p = tf.square(x) + 0.5
        return tf.math.erf(x) + tf.math.lgamma(p) + tf.math.digamma(p) + tf.math.xlogy(p, p)

    return m, f


@row([4], order=0)
def random_numbers(tf, np):
    m = tf.Module()
    return m, lambda x: x + tf.random.stateless_uniform([4], [1, 2]) + tf.random.stateless_normal([4], [3, 4])


@row([6, 4, 2], order=1)
def resizing(tf, np):
    m = tf.Module()
    return m, lambda x: tf.image.resize(x, [8, 8])


@row([6], order=1)
def slicing(tf, np):
    m = tf.Module()

    def f(x):
        parts = tf.split(x, 3, -1)
        joined = tf.concat([parts[2], parts[0]], -1)
        return tf.stack([joined, x[:, 1:5]], 1), tf.reverse(x, [1])[:, ::2], tf.pad(x, [[0, 0], [1, 2]])

    return m, f


@row([4, 2], ([3], "int32"), order=1)
def gathering(tf, np):
    m = tf.Module()
    m.table = tf.Variable(np.arange(20, dtype="float32").reshape(10, 2))

    def f(x, i):
        rows = tf.gather(m.table, i)
        return tf.reduce_sum(rows, 1) + tf.reduce_mean(x, 1), tf.one_hot(i, 4), tf.gather_nd(x, [[0, 1]])

    return m, f


@row([4], order=1)
def segments(tf, np):
    m = tf.Module()
    return m, lambda x: tf.math.unsorted_segment_sum(tf.transpose(x), [0, 1, 0, 2], 3)


@row([5], order=1)
def masks(tf, np):
    m = tf.Module()

    def f(x):
        positive = tf.where(x > 0, x, tf.zeros_like(x))
        clipped = tf.clip_by_value(x, -0.5, 0.5)
        return positive, clipped, tf.cast(x > 0, tf.int32), tf.math.reduce_any(x > 0.0, -1)

    return m, f


@row([4], order=1, lite=False)
def half_precision(tf, np):
    m = tf.Module()
    m.w = tf.Variable(tf.constant(np.linspace(0, 1, 8).reshape(4, 2), tf.float32))
    return m, lambda x: tf.cast(tf.matmul(tf.cast(x, tf.float16), tf.cast(m.w, tf.float16)), tf.float32)


@row(([3], "float64"), lite=False)
def double_precision(tf, np):
    m = tf.Module()
    m.w = tf.Variable(np.eye(3))
    return m, lambda x: tf.math.log1p(tf.square(x @ m.w))


@row([3], [3])
def two_inputs(tf, np):
    m = tf.Module()
    return m, lambda x, y: {"sum": x + y, "product": x * y, "norm": tf.norm(x - y, axis=-1)}


@row([3], order=1)
def nested_functions(tf, np):
    m = tf.Module()
    m.w = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def inner(x):
        return tf.sin(x) * m.w

    return m, lambda x: inner(inner(x))


@row([4], order=1)
def gan(tf, np):
    m = tf.Module()
    m.generator = _weights(tf, np, [4, 8], [8, 6])
    m.critic = _weights(tf, np, [6, 8], [8, 1], seed=1)

    def f(z):
        fake = tf.tanh(tf.nn.leaky_relu(z @ m.generator[0]) @ m.generator[1])
        return {"picture": fake, "score": tf.nn.leaky_relu(fake @ m.critic[0]) @ m.critic[1]}

    return m, f


@row([3], order=1, lite=False)
def losses(tf, np):
    m = tf.Module()

    def f(x):
        labels = tf.zeros([tf.shape(x)[0]], tf.int32)
        dense = tf.one_hot(labels, 3)
        return (
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x),
            tf.nn.softmax_cross_entropy_with_logits(dense, x), tf.nn.sigmoid_cross_entropy_with_logits(dense, x),
        )  # fmt: skip

    return m, f


@row(([], "string"), order=0, lite=False, data=lambda batch, np: [np.array([b"b", b"zz", b"a", b"c"][:batch], object)])
def table(tf, np):
    m = tf.Module()
    m.table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "b", "c"]), tf.constant([1, 2, 3], tf.int64)), -1
    )
    return m, lambda x: m.table.lookup(x)


@row(
    ([], "string"), order=0, lite=False,
    data=lambda batch, np: [np.array([b"the dog sat", b"Unknown, cat!", b"", b"cat"][:batch], object)],
)  # fmt: skip
def text(tf, np):
    m = tf.Module()
    layer = tf.keras.layers.TextVectorization(max_tokens=20, output_sequence_length=4)
    layer.adapt(["the cat sat", "on the mat", "a dog ran"])
    m.layer = layer
    m.embedding = tf.Variable(np.random.RandomState(1).standard_normal((20, 3)).astype("float32"))
    return m, lambda x: tf.reduce_mean(tf.gather(m.embedding, m.layer(x)), 1)


@row(
    ([], "string"), order=0, lite=False,
    data=lambda batch, np: [np.array([b"the dog sat", b"Unknown, cat!", b"", b"a b"][:batch], object)],
)  # fmt: skip
def words(tf, np):
    m = tf.Module()
    keys = tf.constant(["dog", "cat"])
    m.buckets = tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(keys, tf.constant([0, 1], tf.int64)), 3
    )
    m.names = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(tf.constant([0, 1], tf.int64), keys), "?")

    def f(x):
        parts = tf.strings.split(tf.strings.regex_replace(tf.strings.lower(x), "[^a-z ]", ""))
        ids = m.buckets.lookup(parts)
        chosen = tf.cond(tf.equal(x[0], "the dog sat"), lambda: tf.strings.upper(x), lambda: x + "!")
        return {
            "ids": ids.to_tensor(-1), "names": m.names.lookup(ids).to_tensor(),
            "pairs": tf.strings.ngrams(parts, 2).values, "joined": tf.strings.reduce_join(parts, -1, separator="_"),
            "lengths": parts.row_lengths(), "chosen": chosen,
            "characters": tf.strings.unicode_split(x, "UTF-8").values, "hash": tf.strings.to_hash_bucket_fast(x, 97),
            "first": tf.strings.substr(x, 0, 2), "stacked": tf.stack([x, x], 1),
        }  # fmt: skip

    return m, f


@row([4], order=0, lite=False)
def chosen(tf, np):
    m = tf.Module()
    m.w = tf.Variable([[1.0], [2.0], [-1.0], [0.5]])

    def f(x):
        mask = tf.squeeze(x @ m.w, 1) > -0.5
        rows = tf.boolean_mask(x, mask)
        return rows, tf.where(x > 0.5), tf.reduce_sum(rows @ m.w), tf.boolean_mask(x, x > 0.0)

    return m, f


EXAMPLES = (
    b"\n0\n\x11\n\x01x\x12\x0c\x12\n\n\x08\x00\x00\xc0?\x00\x00\x80?\n\n\n\x01n\x12\x05\x1a\x03\n\x01\x03\n\x0f\n\x04word\x12\x07\n\x05\n\x03cat",
    b"\n-\n\x11\n\x01x\x12\x0c\x12\n\n\x08\x00\x00\x00\xc0\x00\x00\x80?\n\x07\n\x01n\x12\x02\x1a\x00\n\x0f\n\x04word\x12\x07\n\x05\n\x03dog",
    b"\n1\n\x11\n\x01x\x12\x0c\x12\n\n\x08\x00\x00\x80>\x00\x00\x80?\n\x0b\n\x01n\x12\x06\x1a\x04\n\x02\x07\x08\n\x0f\n\x04word\x12\x07\n\x05"
    b"\n\x03cat",
)


@row(([], "string"), order=0, lite=False, data=lambda batch, np: [np.array((EXAMPLES * 2)[:batch], object)])
def examples(tf, np):
    m = tf.Module()
    m.w = tf.Variable([[1.0], [-2.0]])
    features = {
        "x": tf.io.FixedLenFeature([2], tf.float32), "n": tf.io.VarLenFeature(tf.int64),
        "word": tf.io.FixedLenFeature([], tf.string), "missing": tf.io.FixedLenFeature([], tf.float32, 4.0),
        "all": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
    }  # fmt: skip

    def f(x):
        parsed = tf.io.parse_example(x, features)
        words = tf.strings.join([parsed["word"], tf.strings.as_string(parsed["x"][:, 0], precision=2)], ",")
        name, number = tf.io.decode_csv(words, ["", 0.0])
        raw = tf.io.decode_raw(parsed["word"], tf.uint8, fixed_length=4)
        return parsed["x"] @ m.w, parsed["n"].values, parsed["missing"], parsed["all"], name, number, raw

    return m, f


@row([5, 2], order=1, reload=False)
def mapped(tf, np):
    m = tf.Module()
    m.w = tf.Variable([1.0, -2.0])
    return m, lambda x: tf.map_fn(lambda r: tf.nn.softmax(r * m.w), x)


@row([5, 2], order=1, lite=False)
def scanned(tf, np):
    m = tf.Module()

    def f(x):
        rows = tf.transpose(x, [1, 0, 2])
        return tf.scan(lambda a, r: tf.tanh(a + r), rows, tf.zeros_like(rows[0]))

    return m, f


def composites(tf, np):
    """A module with functions of ragged and sparse tensors, and functions without arguments that call them."""
    m = tf.Module()
    m.ragged = tf.function(lambda x: tf.reduce_sum(x * 2.0, 1), [tf.RaggedTensorSpec([None, None], tf.float32)])
    m.sparse = tf.function(
        lambda x: tf.sparse.sparse_dense_matmul(x, tf.ones([3, 2])), [tf.SparseTensorSpec([None, 3], tf.float32)]
    )
    m.rows = tf.function(lambda x: tf.RaggedTensor.from_row_lengths(x, [2, 1]), [tf.TensorSpec([3], tf.float32)])
    return m


def composite_results(tf, module):
    """What these functions return."""
    return [
        module.ragged(tf.ragged.constant([[1.0, 2.0], [3.0]])),
        module.sparse(tf.SparseTensor([[0, 1], [1, 2]], [1.0, 2.0], [2, 3])), module.rows(tf.constant([1.0, 2.0, 3.0])),
    ]  # fmt: skip
