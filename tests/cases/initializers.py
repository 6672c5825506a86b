"""tf.keras.initializers and tf.*_initializer: the same numbers for the same seeds."""

from cases._case import Case, using

SHAPES = ([], [3], [3, 4], [3, 3, 2, 4])


def exact(case):
    return case.set(rtol=0.0, atol=0.0, reason="TensorFlow's numbers bit for bit")


def rounded(case):
    return case.set(rtol=2e-6, atol=2e-6, reason="a decomposition in the last place")


def _of(name, *args, **kwargs):
    """An initializer made anew for each call."""

    def make(tf):
        return getattr(tf.keras.initializers, name)(*args, **kwargs)

    make.__name__ = f"{name}{args}{kwargs}".replace(" ", "")
    return f"tf.keras.initializers.{name}.__call__", using(make)


VALUES = [
    *(
        Case(*_of(name), [2, 3], dtype)
        for name in ("Zeros", "Ones")
        for dtype in (None, "bool", "float64", "int32")
    ),
    Case(*_of("Zeros"), [2], "string").raises(),
    Case(*_of("Zeros"), [2], foo=3).raises(),
    Case(*_of("Zeros"), [2], partition_shape=[1]),
    Case(*_of("Constant", 3), [2], "int32"),
    Case(*_of("Constant", [1.0, 2.0]), [2, 1]),
    Case(*_of("Constant", [1.0, 2.0]), [3]).raises(),
    Case(*_of("Identity", 2.0), [2, 3]),
    Case(*_of("Identity"), [2]).raises(),
    Case(*_of("Identity"), [2, 2], "int32").raises(),
    Case(*_of("Identity"), [2, 2], partition_shape=[1]).raises(),
]

RANDOM = [
    *(
        exact(Case(*_of(name, seed=1), shape))
        for name in (
            "GlorotUniform",
            "GlorotNormal",
            "HeUniform",
            "HeNormal",
            "LecunUniform",
            "LecunNormal",
            "RandomUniform",
            "RandomNormal",
            "TruncatedNormal",
        )
        for shape in SHAPES
    ),
    *(
        exact(Case(*_of("VarianceScaling", 2.0, mode, kind, seed=3), [5, 7], dtype))
        for mode in ("fan_in", "fan_out", "fan_avg")
        for kind, dtype in (("normal", None), ("uniform", "float64"), ("untruncated_normal", "float16"))
    ),
    Case(*_of("RandomUniform", 0, 10, seed=1), [9], "int32"),
    Case(*_of("RandomUniform"), [2], "bool").raises(),
    Case(*_of("RandomUniform"), [2], "int32").raises(),
    Case(*_of("RandomNormal"), [2], "int32").raises(),
    exact(Case(*_of("GlorotUniform", seed=1), [3, 4], partition_shape=[2, 4], partition_offset=(1, 0))),
    *(rounded(Case(*_of("Orthogonal", 2.0, seed=1), shape)) for shape in ([3, 4], [4, 3], [2, 2, 3], [5, 5])),
    Case(*_of("Orthogonal", seed=1), [3]).raises(),
    Case(*_of("Orthogonal", seed=1), [3, 3], partition_shape=[1]).raises(),
    Case("tf.keras.initializers.VarianceScaling", -1.0).raises(),
    Case("tf.keras.initializers.VarianceScaling", mode="other").raises(),
    Case("tf.keras.initializers.VarianceScaling", distribution="other").raises(),
]


def seeded(tf, none, seed):
    """Unseeded initializers after `set_random_seed`."""
    initializer = tf.keras.initializers.HeNormal()
    return [
        tf.keras.initializers.GlorotUniform()([2, 3]),
        initializer([2, 2]),
        tf.keras.initializers.get("random_normal")([3]),
        tf.random.uniform([2]),
    ]


NAMES = """
    Zeros zeros zero ones one Constant constant RandomNormal random_normal normal uniform truncated_normal
    variance_scaling VarianceScaling glorot_uniform GlorotNormal glorot_uniformV2 GlorotUniformV2 he_normal
    HeUniform lecun_normal LecunUniform orthogonal Identity
""".split()

LOOKUP = [
    Case("tf.keras.utils.set_random_seed", 1).set(rtol=2e-6, atol=2e-6, reason="rounding").then(seeded),
    Case("tf.keras.utils.set_random_seed", 1.5).raises(),
    *(
        Case("tf.keras.initializers.get", name).then(lambda tf, found, name: type(found).__name__)
        for name in NAMES
    ),
    Case("tf.keras.initializers.get", None),
    Case("tf.keras.initializers.get", using(lambda tf: tf.keras.initializers.Zeros)),
    Case(
        "tf.keras.initializers.get", {"class_name": "RandomNormal", "config": {"stddev": 2.0, "seed": 3}}
    ).then(lambda tf, found, config: found.get_config()),
    Case("tf.keras.initializers.get", "other").raises(),
    Case("tf.keras.initializers.get", 3).raises(),
    *(
        Case("tf.keras.initializers.serialize", _of(name, **config)[1])
        for name, config in [
            ("Zeros", {}),
            ("Constant", {"value": 3}),
            ("RandomUniform", {"seed": 2}),
            ("VarianceScaling", {"mode": "fan_out"}),
            ("HeNormal", {"seed": 5}),
            ("Orthogonal", {"gain": 3.0}),
        ]
    ),
    Case("tf.keras.initializers.serialize", _of("HeNormal", seed=5)[1], use_legacy_format=True),
    Case("tf.keras.initializers.serialize", None),
    Case("tf.keras.initializers.serialize", _of("HeNormal", seed=5)[1]).then(
        lambda tf, found, old: tf.keras.initializers.deserialize(found).get_config()
    ),
]

TENSORFLOW = [
    Case("tf.zeros_initializer").then(lambda tf, made: [made([2]), made([2], tf.int32)]),
    Case("tf.ones_initializer").then(lambda tf, made: [made([2]), made([2], tf.bool)]),
    Case("tf.zeros_initializer").then(lambda tf, made: made([2], tf.string)).raises(),
    Case("tf.zeros_initializer").then(lambda tf, made: made([2], foo=3)).raises(),
    Case("tf.constant_initializer", [1, 2]).then(
        lambda tf, made, value: [made([2]), made([2, 1], tf.float32)]
    ),
    Case("tf.constant_initializer", None).raises(),
    Case("tf.constant_initializer", 3.0)
    .then(lambda tf, made, value: made([2], partition_shape=[1]))
    .raises(),
    Case("tf.constant_initializer", 3.0, True).then(lambda tf, made, *_: made([2], partition_shape=[1])),
    *(
        rounded(
            Case(f"tf.random_{kind}_initializer", seed=seed)
            .set(seed=1)
            .then(lambda tf, made: [made([2]), made([2])])
        )
        for kind in ("normal", "uniform")
        for seed in (None, 0, 1)
    ),
    Case("tf.random_uniform_initializer", 0, None, 1).then(lambda tf, made, *_: made([3])),
    Case("tf.random_uniform_initializer", 0, 9, 1).then(lambda tf, made, *_: made([3], tf.int32)),
    Case("tf.random_uniform_initializer").then(lambda tf, made, *_: made([3], tf.bool)).raises(),
    Case("tf.random_normal_initializer").then(lambda tf, made, *_: made([3], tf.int32)).raises(),
    Case("tf.random_normal_initializer", 1.0, 2.0, 3).then(lambda tf, made, *_: made.get_config()),
]

CASES = [*VALUES, *RANDOM, *LOOKUP, *TENSORFLOW]
