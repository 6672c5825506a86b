"""Rows: layers that prepare text, categories and pictures."""

import numpy as np
from rows import raised, row

_PICTURES = ((np.arange(24) * 37) % 101).astype(np.float32).reshape(2, 3, 4, 1)


def _plain(x):
    """A configuration or vocabulary with plain lists, texts and numbers, in alphabetical order."""
    if isinstance(x, dict):
        return {key: _plain(x[key]) for key in sorted(x)}
    if isinstance(x, list | tuple):
        return [_plain(value) for value in x]
    return x.item() if isinstance(x, np.generic) else x


def _sparse(x):
    return x.indices, x.values, [int(size) for size in x.dense_shape]


@row
def lookup_of_text(tf):
    layer = tf.keras.layers.StringLookup
    words = tf.constant([["a", "q", ""], ["b", "a", "r"]])
    plain, masked = layer(vocabulary=["a", "b"]), layer(vocabulary=["", "[UNK]", "a"], mask_token="")
    hashed = layer(vocabulary=["a"], num_oov_indices=4, mask_token="")
    back = layer(vocabulary=plain.get_vocabulary(), invert=True)
    vocabularies = [_plain(x.get_vocabulary()) for x in (plain, masked, hashed, back)]
    ragged = plain(tf.ragged.constant([["a"], ["z", "b"]]))
    return (
        [x(words) for x in (plain, masked, hashed)], back(plain(words)), vocabularies, ragged.to_list(), plain("b"),
        _plain(plain.get_vocabulary(False)), plain.vocabulary_size(), _plain(back.get_config()),
        _sparse(plain(tf.sparse.from_dense(words))), type(layer.from_config(plain.get_config())).__name__,
    )  # fmt: skip


@row
def lookup_as_rows(tf):
    layer = tf.keras.layers.StringLookup
    words = tf.constant([["a", "q", ""], ["b", "a", "a"]])

    def made(mode, **options):
        return layer(vocabulary=["a", "b"], mask_token="", output_mode=mode, **options)

    return (
        made("multi_hot")(words), made("count", max_tokens=5, pad_to_max_tokens=True)(words), made("one_hot")(words[0]),
        made("tf_idf", idf_weights=[0.5, 2.0])(words), _sparse(made("count", sparse=True)(words)), made("one_hot")("b"),
        made("count")(tf.ragged.constant([["a"], ["a", "z", "a"]])),
    )  # fmt: skip


@row
def lookup_adapted(tf):
    layers = tf.keras.layers
    data = tf.data.Dataset.from_tensor_slices(["a b b", "c b d"]).map(tf.strings.split)
    text, weighed, integers = layers.StringLookup(max_tokens=4), layers.StringLookup(output_mode="tf_idf"), None
    text.adapt(data)
    weighed.adapt(np.array([["a", "b"], ["a", "c"], ["c", "a"]]))
    integers = layers.IntegerLookup()
    integers.adapt([3, 3, 1, 9])
    mapped = [x.numpy().tolist() for x in data.map(text)]
    vocabularies = [_plain(x.get_vocabulary()) for x in (text, weighed, integers)]
    return vocabularies, mapped, weighed(["a", "z"]), integers([3, 1, 8]), _plain(text.get_config())


@row
def lookup_of_integers(tf):
    layer = tf.keras.layers.IntegerLookup
    values = tf.constant([[0, 1, 5], [10, 7, -4]])
    counted = layer(vocabulary=[5, 7], output_mode="count")
    return (
        layer(vocabulary=[10, 1, 5], num_oov_indices=3, mask_token=0)(values), counted(values),
        tf.function(counted)(values), layer(vocabulary=[10, 1, 5], invert=True, mask_token=0)(values),
        layer(vocabulary=[4, 2], output_mode="one_hot")(tf.constant([[2], [9]])),
    )  # fmt: skip


@row
def lookup_refusals(tf):
    layer = tf.keras.layers.StringLookup
    fixed = layer(vocabulary=["x"])
    return [
        raised(call) for call in (
            lambda: layer(vocabulary=["a"], num_oov_indices=0)(["a", "z"]), lambda: layer()(["a"]),
            lambda: layer(output_mode="count")(["a"]), lambda: layer(vocabulary=["a", "a"]),
            lambda: layer(vocabulary=["b", "", "a"], mask_token=""), lambda: layer(dtype="float32"),
            lambda: layer(output_mode="other"), lambda: layer(max_tokens=1), lambda: layer(vocabulary="no such file"),
            lambda: fixed.adapt(["a"]), lambda: layer(vocabulary=["a"], max_tokens=2, num_oov_indices=2),
            lambda: layer(sparse=True), lambda: layer(invert=True, output_mode="count"), lambda: fixed([1, 3]),
        )
    ]  # fmt: skip


@row
def text_vectorization(tf):
    layer = tf.keras.layers.TextVectorization
    adapted, cut = layer(), layer(max_tokens=4, output_sequence_length=3)
    adapted.adapt(["a b.", "B c!"])
    cut.adapt(tf.data.Dataset.from_tensor_slices(["x y y", "y z x", "q"]).batch(2))
    weighed = layer(output_mode="tf_idf", max_tokens=8, pad_to_max_tokens=True)
    weighed.adapt(["a b", "b c", "d"])
    own = layer(
        standardize=tf.strings.upper, split=lambda text: tf.strings.split(text, "-"), vocabulary=["A", "B"],
        output_mode="count",
    )  # fmt: skip
    return (
        _plain(adapted.get_vocabulary()), adapted(["b d", "a"]), adapted("b a"), _plain(adapted.get_config()),
        cut(["x y y z y", "q"]), weighed(["a b b", "q"]), own(["a-b-c", "b"]),
        layer(output_mode="multi_hot", vocabulary=["x", "y"], ngrams=2)(["x y", "y x x"]),
        layer(ngrams=(2,), output_mode=None)(["x y z"]).to_tensor(),
        layer(split="character", vocabulary=list("abc"), ragged=True)(["ab", "C!a"]).to_list(),
        layer(split=None, vocabulary=["a b", "c"], output_sequence_length=3)([["a b", "q"], ["c", "c"]]),
        [raised(lambda k=k: layer(**k)) for k in (
            {"standardize": "x"}, {"split": 3}, {"ngrams": "a"}, {"output_mode": "one_hot"}, {"dtype": "int32"},
            {"ragged": True, "output_mode": "count"}, {"output_sequence_length": 3, "output_mode": "count"},
        )],
    )  # fmt: skip


@row
def text_in_models(tf):
    layers = tf.keras.layers
    words = layers.TextVectorization(output_sequence_length=3)
    words.adapt(["x y y", "y z x", "q"])
    model = tf.keras.Sequential(
        [words, layers.Embedding(6, 2, mask_zero=True, embeddings_initializer="ones"), layers.GlobalMaxPooling1D()]
    )
    inputs = tf.keras.Input((1,), dtype=tf.string)
    rows = layers.TextVectorization(vocabulary=["x", "y"], output_mode="multi_hot")(inputs)
    functional = tf.keras.Model(inputs, layers.Dense(1, kernel_initializer="ones")(rows))
    shapes = [x.shape.as_list() for x in (rows, layers.StringLookup()(inputs), layers.Hashing(3)(inputs))]
    return model(tf.constant(["x y", "q"])), functional(tf.constant([["x y"], ["q"]])), shapes


@row
def categories(tf):
    layers = tf.keras.layers
    encoding, hashing, bins = layers.CategoryEncoding, layers.Hashing, layers.Discretization
    learned = bins(num_bins=3, epsilon=0.1)
    learned.adapt(np.arange(50.0) ** 1.5)
    several = tf.constant(["A", "B"]), tf.constant([101, 102])
    return (
        encoding(3)([1, 2]), encoding(3, "one_hot")([1, 2]), encoding(4)([[0, 1], [0, 0]]),
        encoding(4, "count")([[0, 1], [0, 0]], count_weights=np.array([[0.1, 0.2], [0.1, 0.1]])),
        _sparse(encoding(3, "count", sparse=True)([[0, 1], [0, 0]])), raised(lambda: encoding(3)([1, 5])),
        raised(encoding), raised(lambda: encoding(3, "int")), bins([0.0, 1.0, 2.0])([[-1.5, 1.0], [3.4, 0.5]]),
        bins([0.0, 1.0], output_mode="multi_hot")([[-1.0, 5.0]]), learned(np.array([3.0, 100.0, 300.0])),
        np.round(learned.bin_boundaries, 4).tolist(), hashing(3)([["A"], ["B"]]), hashing(3, mask_value="")(["A", ""]),
        hashing(5, salt=[133, 137])(["A", "B"]), hashing(5, salt=7, output_mode="one_hot")(["A", "B"]),
        hashing(4)([1, 2, 30]), raised(lambda: hashing(0)), layers.HashedCrossing(5)(several),
        layers.HashedCrossing(5, "one_hot")(several), raised(lambda: layers.HashedCrossing(5)(several[:1])),
    )  # fmt: skip


@row
def pictures_changed_at_random(tf):
    layers = tf.keras.layers
    flip = layers.RandomFlip(seed=3)
    return (
        flip(_PICTURES), flip(_PICTURES), flip(_PICTURES, training=False), len(flip.weights), _plain(flip.get_config()),
        layers.RandomRotation(0.2, seed=1)(_PICTURES),
        layers.RandomZoom((-0.4, 0.3), 0.2, fill_mode="constant", fill_value=2.0, seed=1)(_PICTURES),
        layers.RandomTranslation(0.3, (-0.2, 0.5), "wrap", "nearest", seed=1)(_PICTURES),
        layers.RandomContrast(0.3, seed=1)(_PICTURES), layers.RandomBrightness(0.3, seed=1)(_PICTURES),
        _plain(layers.RandomZoom(0.1).get_config()), raised(lambda: layers.RandomZoom(0.1, fill_mode="x")),
        raised(lambda: layers.RandomZoom(2.0)), raised(lambda: layers.RandomFlip("x")),
        raised(lambda: layers.RandomContrast(-1.0)), raised(lambda: layers.RandomBrightness(2.0)),
        raised(lambda: layers.RandomRotation(-0.1)),
    )  # fmt: skip


@row
def pictures_resized(tf):
    layers = tf.keras.layers
    crop = layers.RandomCrop(2, 3, seed=3)
    return (
        layers.Resizing(2, 3)(_PICTURES), layers.Resizing(2, 2, crop_to_aspect_ratio=True)(_PICTURES),
        layers.Resizing(2, 2, "nearest")(_PICTURES[0].astype(np.uint8)), layers.CenterCrop(2, 2)(_PICTURES),
        layers.CenterCrop(4, 2)(_PICTURES), crop(_PICTURES), crop(_PICTURES), crop(_PICTURES, training=False),
        layers.RandomHeight(0.4, seed=1)(_PICTURES), layers.RandomWidth((0.1, 0.9), seed=2)(_PICTURES),
        layers.RandomWidth(0.3)(_PICTURES, training=False), raised(lambda: layers.Resizing(2, 2, "x")),
        raised(lambda: layers.RandomHeight((-3, 1))), _plain(crop.get_config()),
    )  # fmt: skip
