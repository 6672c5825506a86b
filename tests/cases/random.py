"""tf.random: the same numbers for the same seeds."""

import numpy as np

from cases._case import Case, bf16, f16, f32, f64, i32, i64, using

FLOATS = ("float16", "bfloat16", "float32", "float64")
SHAPES = ([], [1], [7], [3, 5], [0], [2, 0, 3])


def exact(case):
    return case.set(rtol=0.0, atol=0.0, reason="TensorFlow's numbers bit for bit")


UNIFORM = [
    *(exact(Case("tf.random.uniform", shape).set(seed=1)) for shape in SHAPES),
    *(exact(Case("tf.random.uniform", [23], dtype=dtype).set(seed=2)) for dtype in FLOATS),
    *(exact(Case("tf.random.uniform", [1001], -0.37, 0.91, dtype).set(seed=3)) for dtype in FLOATS),
    *(Case("tf.random.uniform", [23], -7, 12, dtype).set(seed=4) for dtype in ("int32", "int64")),
    Case("tf.random.uniform", [9], -(2**31), 2**31 - 1, "int32").set(seed=4),
    Case("tf.random.uniform", [9], -(2**63), 2**63 - 1, "int64").set(seed=4),
    Case("tf.random.uniform", [3, 2], maxval=i32(value=10), dtype="int32").set(seed=4),
    Case("tf.random.uniform", i64(value=[2, 3]), maxval=10, dtype="int32").set(seed=4),
    exact(Case("tf.random.uniform", np.array([2, 3])).set(seed=4)),
    exact(Case("tf.random.uniform", using(lambda tf: tf.TensorShape([2, 3]))).set(seed=4)),
    exact(Case("tf.random.uniform", (i32(value=2), 3)).set(seed=4)),
    exact(Case("tf.random.uniform", [5], 0, 3).set(seed=4)),
    exact(Case("tf.random.uniform", [5], 2, 1).set(seed=4)),
    exact(Case("tf.random.uniform", [2, 3], f32(3), f32(2, 1)).set(seed=4)),
    exact(Case("tf.random.uniform", [4], seed=9).set(seed=4)),
    exact(Case("tf.random.uniform", [4], seed=0).set(seed=0)),
    exact(Case("tf.random.uniform", [4], seed=-3).set(seed=-5)),
    exact(Case("tf.random.uniform", [4], seed=2**31 + 5).set(seed=2**40)),
    exact(Case("tf.random.uniform", [4]).set(seed=12345678901234567890)),
    Case("tf.random.uniform", [2], dtype="int32").raises(),
    Case("tf.random.uniform", [2], 0, 0, "int32").raises(),
    Case("tf.random.uniform", [0], 0, 0, "int32").set(seed=1),
    Case("tf.random.uniform", [2], 5, 1, "int32").raises(),
    Case("tf.random.uniform", [2], 0, 1.5, "int32").raises(),
    Case("tf.random.uniform", [2], 0, [1, 2], "int32").raises(),
    Case("tf.random.uniform", [2], None, 3).raises(),
    Case("tf.random.uniform", [2], 0, 3, "uint32").raises(),
    Case("tf.random.uniform", [2], 0, 3, "int8").raises(),
    Case("tf.random.uniform", [2], 0, i32(value=3), "int64").raises(),
    Case("tf.random.uniform", [-1]).raises(),
    Case("tf.random.uniform", 3).raises(),
    Case("tf.random.uniform", [[2]]).raises(),
    Case("tf.random.uniform", [2, None]).raises(),
    Case("tf.random.uniform", [2.0]).raises(),
    Case("tf.random.uniform", [2], f32(3), f32(3)).raises(),
]

NORMAL = [
    *(exact(Case("tf.random.normal", shape).set(seed=1)) for shape in SHAPES),
    *(exact(Case("tf.random.normal", [1001], dtype=dtype).set(seed=2)) for dtype in FLOATS),
    *(exact(Case("tf.random.normal", [23], 0.3, 1.7, dtype).set(seed=3)) for dtype in FLOATS),
    exact(Case("tf.random.normal", [2, 3], f32(3), f32(2, 1)).set(seed=3)),
    exact(Case("tf.random.normal", [2, 1], f64(3), 2.0, "float64").set(seed=3)),
    exact(Case("tf.random.normal", [2, 3], stddev=f32()).set(seed=3)),
    exact(Case("tf.random.normal", [4], seed=9).set(seed=4)),
    Case("tf.random.normal", [2], dtype="int32").raises(),
    Case("tf.random.normal", [2], 0, 1, "int32").raises(),
    Case("tf.random.normal", [2], dtype="complex64").raises(),
    Case("tf.random.normal", [2], f32(3)).raises(),
    Case("tf.random.normal", [2], f64(2)).raises(),
    Case("tf.random.normal", [-1]).raises(),
    Case("tf.random.normal", 3).raises(),
    *(exact(Case("tf.random.truncated_normal", shape).set(seed=1)) for shape in ([], [3, 5], [0])),
    *(exact(Case("tf.random.truncated_normal", [1001], 0.3, 1.7, dtype).set(seed=2)) for dtype in FLOATS),
    exact(Case("tf.random.truncated_normal", [2, 3], f32(3), f32(2, 1)).set(seed=3)),
    Case("tf.random.truncated_normal", [2], dtype="int32").raises(),
]

OTHERS = [
    *(Case("tf.random.shuffle", i32(count, low=0, high=99)).set(seed=1) for count in (0, 1, 2, 3, 50)),
    Case("tf.random.shuffle", f32(5, 2)).set(seed=1),
    Case("tf.random.shuffle", 3).set(seed=1),
    Case("tf.random.shuffle", ["a", "b", "c", "d"], seed=3).set(seed=1),
    Case("tf.random.shuffle", [[True], [False], [False]], seed=3).set(seed=1),
    *(Case("tf.random.categorical", f32(3, 4), count).set(seed=1) for count in (0, 1, 2, 9)),
    Case("tf.random.categorical", f64(2, 5), 7, "int32", 3).set(seed=1),
    Case("tf.random.categorical", f16(2, 5), 7).set(seed=1),
    Case("tf.random.categorical", bf16(2, 5), 7).set(seed=1),
    Case("tf.random.categorical", np.float32([[-np.inf, 0.0, np.nan, 1.0, np.inf]]), 9).set(seed=1),
    Case("tf.random.categorical", np.float32([[-np.inf, -np.inf]]), 2).set(seed=1),
    Case("tf.random.categorical", f32(0, 3), 2).set(seed=1),
    Case("tf.random.categorical", f32(3), 2).raises(),
    Case("tf.random.categorical", i32(2, 3), 2).raises(),
    Case("tf.random.categorical", f32(2, 3), -1).raises(),
    Case("tf.random.categorical", f32(2, 3), [2]).raises(),
    Case("tf.random.categorical", f32(2, 0), 2).raises(),
    Case("tf.random.categorical", f32(2, 3), 2, "float32").raises(),
    Case("tf.random.gamma", [9], f32(value=[0.1, 0.9, 1.0, 1.5, 30.0])).set(seed=1, order=1),
    Case("tf.random.gamma", [2], f32(3, 1, low=0.5), f32(2, low=0.5, high=3)).set(seed=1, order=0),
    Case("tf.random.gamma", [99], [0.4, 0.0, -1.0], dtype="float64").set(seed=1),
    Case("tf.random.gamma", [99], 2.5, dtype="float16").set(seed=1),
    Case("tf.random.gamma", [0], 1.0).set(seed=1),
    Case("tf.random.gamma", [], f32(0)).set(seed=1, order=0),
    Case("tf.random.gamma", [2], f32(2, low=0.5), f32(3, low=0.5)).raises(),
    Case("tf.random.gamma", 2, 1.0).raises(),
    Case("tf.random.gamma", [2], 1.0, dtype="int32").raises(),
    Case("tf.random.poisson", [9], f32(value=[0.0, 0.5, 3.0, 9.99, 10.0, 55.0, 1e4, -1.0])).set(seed=1),
    Case("tf.random.poisson", [200], 20.0, "int64").set(seed=1),
    Case("tf.random.poisson", [2, 3], [4, 40], "float16").set(seed=1),
    Case("tf.random.poisson", [0], 1.0).set(seed=1),
    Case("tf.random.poisson", [3], bf16(2)).raises(),
]

STATELESS = [
    *(exact(Case("tf.random.stateless_uniform", shape, [1, 2])) for shape in SHAPES),
    *(exact(Case("tf.random.stateless_uniform", [23], [3, -4], dtype=dtype)) for dtype in FLOATS),
    *(exact(Case("tf.random.stateless_uniform", [101], [3, -4], -0.37, 0.91, dtype)) for dtype in FLOATS),
    *(
        Case("tf.random.stateless_uniform", [23], i64(value=[2**40, -3]), None, None, dtype)
        for dtype in ("int32", "int64", "uint32", "uint64")
    ),
    *(Case("tf.random.stateless_uniform", [23], [5, 6], -7, 12, dtype) for dtype in ("int32", "int64")),
    exact(Case("tf.random.stateless_uniform", [3], [1, 2], alg="philox")),
    exact(Case("tf.random.stateless_uniform", [3], [1, 2], alg=1)),
    exact(Case("tf.random.stateless_uniform", [3], [1, 2], alg=None)),
    exact(Case("tf.random.stateless_uniform", [3], [1, 2], alg=using(lambda tf: tf.random.Algorithm.PHILOX))),
    exact(Case("tf.random.stateless_uniform", [2, 3], [1, 2], f32(3), f32(2, 1))),
    Case("tf.random.stateless_uniform", [2], [1, 2], alg="threefry").raises(),
    Case("tf.random.stateless_uniform", [2], [1, 2], alg="other").raises(),
    Case("tf.random.stateless_uniform", [2], [1, 2], alg=7).raises(),
    Case("tf.random.stateless_uniform", [2], [1, 2], alg=1.5).raises(),
    Case("tf.random.stateless_uniform", [2], [1, 2, 3]).raises(),
    Case("tf.random.stateless_uniform", [2], 1).raises(),
    Case("tf.random.stateless_uniform", [2], [1.0, 2.0]).raises(),
    Case("tf.random.stateless_uniform", [2], [1, 2], dtype="int32").raises(),
    Case("tf.random.stateless_uniform", [2], [1, 2], 0, 3, "uint32").raises(),
    Case("tf.random.stateless_uniform", [2], [1, 2], None, None).raises(),
    Case("tf.random.stateless_uniform", [2], [1, 2], 3, 3, "int32").raises(),
    Case("tf.random.stateless_uniform", [2], [1, 2], dtype="int8").raises(),
    *(exact(Case("tf.random.stateless_normal", shape, [1, 2])) for shape in SHAPES),
    *(exact(Case("tf.random.stateless_normal", [101], [3, 4], 0.3, 1.7, dtype)) for dtype in FLOATS),
    exact(Case("tf.random.stateless_normal", [2, 3], [1, 2], f32(3), f32(2, 1))),
    Case("tf.random.stateless_normal", [2], [1, 2], dtype="int32").raises(),
    *(exact(Case("tf.random.stateless_truncated_normal", [101], [3, 4], dtype=dtype)) for dtype in FLOATS),
    exact(Case("tf.random.stateless_truncated_normal", [2, 3], [1, 2], f32(3), f32(2, 1))),
    *(Case("tf.random.stateless_categorical", f32(3, 4), count, [1, 2]) for count in (0, 1, 2, 9)),
    Case("tf.random.stateless_categorical", f64(2, 5), 7, [1, 2], "int32"),
    Case("tf.random.stateless_categorical", f32(2, 5), 7, [1, 2, 3]).raises(),
    Case("tf.random.stateless_categorical", f32(2, 5), 7, [1, 2], "float32").raises(),
    Case("tf.random.stateless_gamma", [9, 5], [1, 2], f32(value=[0.1, 0.9, 1.0, 1.5, 30.0])).set(order=1),
    Case("tf.random.stateless_gamma", [4, 3, 2], [1, 2], f32(3, 1, low=0.5), f32(2, low=0.5, high=3)).set(
        order=0
    ),
    Case("tf.random.stateless_gamma", [3], [1, 2], f32(2, low=0.5)).raises(),
    Case("tf.random.stateless_poisson", [9, 7], [1, 2], f32(value=[0.0, 0.5, 3.0, 9.99, 10.0, 55.0, 1e4])),
    Case("tf.random.stateless_poisson", [3], [1, 2], [3.0, 4.0]).raises(),
    Case(
        "tf.random.stateless_binomial",
        [50, 9],
        [1, 2],
        f32(value=[1, 10, 40, 100, 1000, 0, 5, 50, 300]),
        f32(value=[0.5, 0.2, 0.7, 0.03, 0.4, 0.3, 1.0, 0.999, 0.5]),
    ),
    Case("tf.random.stateless_binomial", [4, 3], [1, 2], f64(3, low=1, high=90), f64(value=0.5), "float64"),
    Case("tf.random.stateless_binomial", [3], [1, 2], [10.0, 2.0], 0.5).raises(),
    Case("tf.random.stateless_parameterized_truncated_normal", [3], [1, 2], [0.0, 1.0]).raises(),
    Case("tf.random.stateless_parameterized_truncated_normal", [3], [1, 2], 0.0, 1.0, 1.0, -1.0).raises(),
    Case("tf.random.stateless_parameterized_truncated_normal", [3], [1, 2], 0.0, -1.0).raises(),
    Case("tf.random.split", [1, 2], 3),
    Case("tf.random.split", i64(value=[1, 2])),
    Case("tf.random.split", [1.0, 2.0]).raises(),
    Case("tf.random.fold_in", [1, 2], 3),
    Case("tf.random.fold_in", [1, 2], i64(value=3)),
    Case("tf.random.fold_in", [1, 2], 3.0).raises(),
    Case("tf.random.experimental.stateless_split", [5, 6], 2),
    Case("tf.random.experimental.stateless_fold_in", [5, 6], 2),
    *(
        Case("tf.random.experimental.stateless_shuffle", i32(count, low=0, high=99), [1, 2])
        for count in (1, 2, 50)
    ),
    Case("tf.random.experimental.stateless_shuffle", f32(5, 2), [1, 2]),
    Case("tf.random.experimental.stateless_shuffle", ["a", "b", "c"], [1, 2]),
    *(
        Case("tf.random.experimental.index_shuffle", np.arange(10, dtype=np.int32), [1, 2], largest)
        for largest in (9, 10, 100, 70000)
    ),
    Case("tf.random.experimental.index_shuffle", np.arange(5), i64(value=[-1, 2]), 2**40),
    Case("tf.random.experimental.index_shuffle", 0, [1, 2], 0),
    Case("tf.random.experimental.index_shuffle", 3, [1, 2], 1 << 20),
    Case("tf.random.experimental.index_shuffle", 11, [1, 2], 10).raises(),
    Case("tf.random.experimental.index_shuffle", 3, [1, 2, 3], 10).raises(),
    Case("tf.random.experimental.index_shuffle", [[0, 1]], [1, 2], 10).raises(),
    Case("tf.random.experimental.index_shuffle", [0, 1], [[1, 2], [3, 4]], 10).raises(),
    Case("tf.random_index_shuffle", [0, 1], [[1, 2, 3], [3, 4, 5]], [10, 20], 8),
    Case("tf.random_index_shuffle", 3, [1, 2, 3], 1000, rounds=4),
    Case("tf.random_index_shuffle", 3, [1, 2], 1000).raises(),
]


SEEDED = using(lambda tf: tf.random.Generator.from_seed(5))
FROM_STATE = using(lambda tf: tf.random.Generator.from_state([2**64 - 100, -1, 7], "philox"))

GENERATOR = [
    *(exact(Case("tf.random.Generator.normal", SEEDED, shape)) for shape in SHAPES),
    exact(Case("tf.random.Generator.normal", SEEDED, [2, 3], f32(3), f32(2, 1))),
    exact(Case("tf.random.Generator.normal", FROM_STATE, [500])),
    exact(Case("tf.random.Generator.truncated_normal", SEEDED, [50], dtype="float64")),
    exact(Case("tf.random.Generator.truncated_normal", FROM_STATE, [50], 1.0, 2.0)),
    exact(Case("tf.random.Generator.uniform", SEEDED, [50])),
    exact(Case("tf.random.Generator.uniform", FROM_STATE, [500], -0.37, 0.91)),
    Case("tf.random.Generator.uniform", SEEDED, [9], -3, 12, "int32"),
    Case("tf.random.Generator.uniform", SEEDED, [9], None, None, "int64"),
    Case("tf.random.Generator.uniform", SEEDED, [9], 3, dtype="int32").raises(),
    Case("tf.random.Generator.uniform", SEEDED, [9], 3, 3, "int32").raises(),
    Case("tf.random.Generator.uniform", SEEDED, [9], None).raises(),
    Case("tf.random.Generator.uniform", SEEDED, [9], 0, 3, "uint32").raises(),
    Case("tf.random.Generator.uniform_full_int", SEEDED, [9]),
    Case("tf.random.Generator.uniform_full_int", SEEDED, [9], "int32"),
    Case("tf.random.Generator.uniform_full_int", SEEDED, [9], "int8").raises(),
    Case("tf.random.Generator.binomial", SEEDED, [40, 3], f32(value=[10, 20, 300]), [0.5]).set(order=1),
    Case("tf.random.Generator.binomial", SEEDED, [3, 2], 10.0, 0.5).then(lambda tf, x, g, *_: [x, g.state]),
    Case("tf.random.Generator.make_seeds", SEEDED, 3),
    Case("tf.random.Generator.split", SEEDED, 2).then(
        lambda tf, new, g, *_: [g.state, *(one.state for one in new)]
    ),
    Case("tf.random.Generator.split", SEEDED, 0),
    Case("tf.random.Generator.skip", SEEDED, 5).then(lambda tf, before, g, *_: [before, g.state]),
    Case("tf.random.Generator.skip", SEEDED, -1).then(lambda tf, before, g, *_: [before, g.state]),
    Case("tf.random.Generator.skip", FROM_STATE, i32(value=3)).then(
        lambda tf, before, g, *_: [before, g.state]
    ),
    Case("tf.random.Generator.reset", SEEDED, [1, 2, 2**64 - 1]).then(
        lambda tf, none, g, *_: [g.state, g.key]
    ),
    Case("tf.random.Generator.reset", SEEDED, [1, 2]).raises(),
    Case("tf.random.Generator.reset_from_seed", SEEDED, 9).then(lambda tf, none, g, *_: g.state),
    Case("tf.random.Generator.reset_from_key_counter", SEEDED, 1, [2, 3]).then(
        lambda tf, none, g, *_: g.state
    ),
    Case("tf.random.Generator.reset_from_key_counter", SEEDED, [1], [2, 3]).raises(),
    Case("tf.random.Generator", SEEDED).then(lambda tf, copy, g: [copy.state, copy.normal([2]), g.state]),
    Case("tf.random.Generator").raises(),
    Case("tf.random.Generator", SEEDED, alg=1).raises(),
    Case("tf.random.Generator.from_state", [1, 2], 1).raises(),
    Case("tf.random.Generator.from_seed", 1, "other").raises(),
    Case("tf.random.Generator.from_seed", 1, "threefry").then(lambda tf, g, *_: g.normal([2])).raises(),
    *(
        Case("tf.random.create_rng_state", seed, alg)
        for seed, alg in [
            (1, "philox"),
            (2**65 + 3, "philox"),
            (-1, "philox"),
            (2**200, 1),
            ([1, 2, 3, 4], "philox"),
            ([1], 1),
            (1, "threefry"),
            (1, "AUTO_SELECT"),
            (1.5, "philox"),
            (i32(value=[3, 4]), 1),
        ]
    ),
]


def stream(tf, first, shape):
    """Calls that share a kernel's counter, or do not."""
    return [
        first,
        tf.random.uniform([2], seed=1),
        tf.random.normal([2], seed=1),
        tf.random.uniform([3], seed=1, dtype="float64"),
        tf.random.uniform(tf.constant([3], tf.int64), seed=1),
        tf.random.uniform([3], 5, 9, seed=1),
        tf.random.uniform([3], 5, 9, "int32", seed=1),
        tf.random.uniform([3], 5, 90, "int32", seed=1),
        tf.random.uniform([0], seed=1),
        tf.random.uniform([1], seed=1),
        tf.random.truncated_normal([2], seed=1),
        tf.random.truncated_normal([2], seed=1),
    ]


def chain(tf, first, shape):
    """Calls without a seed, and what uses up their chain."""
    rest = [tf.random.uniform([2]), tf.random.normal([2])]
    try:
        tf.random.uniform([2], 3, 1, "int32")
    except tf.errors.InvalidArgumentError:
        pass
    rest += [
        tf.random.shuffle([1, 2, 3, 4, 5]),
        tf.random.categorical([[0.0, 1.0]], 5),
        tf.random.poisson([5], 3.0),
    ]
    rest += [tf.random.uniform([2], seed=4), tf.random.gamma([5], 3.0), tf.random.uniform([2])]
    tf.random.set_seed(7)
    return [first, *rest, tf.random.uniform([2])]


def counters(tf, first, shape):
    """How far each kind of kernel moves on."""
    results = [first]
    for _ in range(3):
        results += [
            tf.random.shuffle([1, 2, 3, 4, 5, 6], seed=2),
            tf.random.categorical([[0.0, 1.0, 1.0], [2.0, 1.0, 0.0]], 5, seed=2),
            tf.random.poisson([5], [3.0, 20.0], seed=2),
            tf.random.gamma([5], [3.0, 0.2], seed=2),
        ]
    return results


def functions(tf, first, shape):
    """Random ops in functions: kernels of their own, set back by the seed."""

    @tf.function
    def draw():
        plain, seeded = tf.random.uniform([2]), tf.random.uniform([2], seed=1)
        return (
            plain,
            tf.random.uniform([2]),
            seeded,
            tf.random.uniform([2], seed=1),
            tf.random.shuffle([1, 2, 3, 4]),
        )

    generator = tf.random.Generator.from_seed(3)

    @tf.function
    def draw_from_generator():
        return generator.uniform([2]), generator.uniform([1], 0, 100, tf.int32)

    results = [first, draw(), draw(), draw_from_generator(), draw_from_generator(), generator.uniform([2])]
    tf.random.set_seed(7)
    results += [draw(), tf.random.uniform([2])]
    tf.random.set_seed(8)
    return [*results, draw(), tf.random.uniform([2])]


SEQUENCES = [
    exact(Case("tf.random.uniform", [2], seed=1).set(seed=7).then(stream)),
    exact(Case("tf.random.uniform", [2]).set(seed=7).then(chain)),
    exact(Case("tf.random.uniform", [2]).set(seed=7).then(counters)),
    exact(Case("tf.random.uniform", [2]).set(seed=7).then(functions)),
]

CASES = [*UNIFORM, *NORMAL, *OTHERS, *STATELESS, *GENERATOR, *SEQUENCES]
