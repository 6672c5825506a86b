"""Printed forms of tensors, and the Python protocols they answer."""

from rows import printed, raised, row, row_for

SHAPES = {
    "scalar": (),
    "empty": (0,),
    "vector": (3,),
    "matrix": (2, 3),
    "cube": (2, 2, 2),
    "one": (1, 1),
    "hollow": (2, 0),
}


@row_for(shape=tuple(SHAPES), dtype=("float32", "float64", "int32"))
def tensor(tf, np, shape, dtype):
    size = int(np.prod(SHAPES[shape], dtype=int))
    t = tf.constant(np.arange(size).reshape(SHAPES[shape]) * 2 - 1, dtype)
    return str(t), repr(t)


@row_for(
    dtype=(
        "bool",
        "int8",
        "uint8",
        "int16",
        "int64",
        "uint32",
        "float16",
        "bfloat16",
        "complex64",
        "complex128",
    )
)
def dtype(tf, np, dtype):
    t = tf.cast([0, 1], getattr(tf, dtype))
    return str(t), repr(t), str(t[1]), repr(t[1])


@row
def string(tf, np):
    t, s = tf.constant(["a", "bc\n"]), tf.constant("é")
    return str(t), repr(t), str(s), repr(s), s.numpy() == "é".encode()


@row
def float_values(tf, np):
    values = [0.0, 1.0, 0.1, 1 / 3, 1e10, 1e-10, 123456789.0, float("nan"), float("inf"), -float("inf")]
    return (
        [str(tf.constant(v)) for v in values],
        str(tf.constant(values)),
        [repr(tf.constant(v, tf.float64)) for v in values],
    )


@row
def long_and_wide(tf, np):
    return str(tf.range(2000)), repr(tf.reshape(tf.range(60.0), [2, 30])), str(tf.zeros([50, 50]))


@row
def numpy_print_options(tf, np):
    t = tf.constant([1 / 3, 2 / 3])
    with np.printoptions(precision=2):
        short = str(t), repr(t)
    return short, str(t)


@row
def result_of_an_op(tf, np):
    x = tf.constant([1.0, 2.0])
    return (
        repr(x + 1.0),
        str(tf.reduce_sum(x)),
        repr(x > 1.5),
        repr(tf.argmax(x)),
        repr(tf.shape(x)),
        str(x[0]),
    )


@row
def in_lists_and_dicts(tf, np):
    x = tf.constant(1.0)
    return printed(lambda: print([x, None])), str({"x": x}), f"{[x]}"


@row
def several_prints(tf, np):
    x = tf.constant([1, 2])
    return printed(lambda: print("x:", x, x.shape, x.dtype, sep="|"))


@row
def format_strings(tf, np):
    x, m = tf.constant(1.5), tf.constant([1.0, 2.0])
    return (
        f"{x}",
        f"{m}",
        f"{x!r}",
        "%s" % m,  # noqa: UP031
        f"{x:.3f}",
        raised(lambda: f"{m:.2f}"),
        f"{x.numpy():.2f}",
        f"{float(x):6.3f}",
        "%.2f" % x,  # noqa: UP031
        f"{tf.constant(3):d}",
        f"{tf.constant(3):03d}",
    )


@row
def shapes_and_dtypes(tf, np):
    x = tf.zeros([2, 3])
    return (
        str(x.shape),
        repr(x.shape),
        str(x.dtype),
        repr(x.dtype),
        repr(tf.TensorShape([None, 2])),
        str(tf.TensorShape(None)),
        repr(tf.TensorShape(None)),
        repr(tf.TensorSpec([2], tf.float32)),
        repr(tf.TensorSpec(None, tf.int32, name="n")),
    )


@row
def type_names(tf, np):
    x = tf.constant(1.0)
    return (
        type(x).__name__,
        isinstance(x, tf.Tensor),
        tf.is_tensor(x),
        tf.is_tensor(1.0),
        tf.is_tensor(np.ones(2)),
    )


@row
def numpy_method(tf, np):
    return (
        tf.constant(1.5).numpy(),
        tf.constant([1, 2]).numpy(),
        tf.constant(True).numpy(),
        type(tf.constant(1.5).numpy()).__name__,
        type(tf.constant([1.5]).numpy()).__name__,
        type(tf.constant("a").numpy()).__name__,
        tf.constant([[1.0]]).numpy().tolist(),
        tf.cast(1.5, tf.bfloat16).numpy().dtype.name,
    )


@row
def numpy_arrays_are_copies(tf, np):
    x = tf.constant([1.0, 2.0])
    y = x + 0.0
    array = np.array(y)
    array[0] = 100.0
    return y, array


@row
def numpy_functions(tf, np):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    return (
        np.asarray(x),
        np.mean(x),
        np.sum(x, axis=0),
        np.array(x, dtype=np.int32),
        np.add(x, 1),
        np.stack([x[0], x[1]]),
    )


@row
def numbers(tf, np):
    return (
        float(tf.constant(1.5)),
        int(tf.constant(3)),
        int(tf.constant(3.7)),
        float(tf.constant(3)),
        complex(tf.constant(1 + 2j)),
        float(tf.constant([2.5])[0]),
        round(float(tf.constant(2.567)), 2),
    ) == (1.5, 3, 3, 3.0, 1 + 2j, 2.5, 2.57)


@row
def numbers_from_arrays(tf, np):
    return (
        raised(lambda: float(tf.constant([1.0, 2.0]))),
        raised(lambda: int(tf.constant([1, 2]))),
        raised(lambda: float(tf.constant("a"))),
    )


@row
def truth(tf, np):
    return (
        bool(tf.constant(True)),
        bool(tf.constant(0.0)),
        bool(tf.constant([1])),
        bool(tf.constant([[0.0]])),
        raised(lambda: bool(tf.constant([1, 2]))),
        not tf.constant(0),
    )


@row
def length_and_iteration(tf, np):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    a, b = x
    return (
        len(x),
        list(x),
        (a, b),
        [float(v) for row in x for v in row],
        raised(lambda: len(tf.constant(1.0)), "Scalar tensor has no `len()`"),
        raised(lambda: list(tf.constant(1.0)), "Cannot iterate over a scalar tensor."),
    )


@row
def index_protocol(tf, np):
    n = tf.constant(2)
    return [10, 20, 30][n], list(range(n)), [1, 2, 3][:n], np.zeros(n).shape


@row
def hashing(tf, np):
    x, y = tf.constant(1.0), tf.constant(1.0)
    return (
        raised(lambda: hash(x), "Tensor is unhashable. Instead, use tensor.ref() as the key."),
        raised(lambda: {x: 1}, "unhashable"),
        x.ref() == x.ref(),
        x.ref() == y.ref(),
        len({x.ref(), x.ref(), y.ref()}),
        x.ref().deref() is x,
    )


@row
def equality(tf, np):
    x = tf.constant([1.0, 2.0])
    return (
        x == [1.0, 5.0],
        x != x,
        x == 1.0,
        tf.constant(1) == 1,
        x == tf.constant([1.0, 2.0, 3.0]),
        x != tf.constant([1.0, 2.0, 3.0]),
        raised(lambda: x == tf.constant([1, 2])),
        tf.constant(1.0) == None,  # noqa: E711
        tf.constant(1.0) != None,  # noqa: E711
    )


@row
def membership(tf, np):
    x, y, v = tf.constant(1.0), tf.constant(2.0), tf.constant([1.0, 2.0])
    return (
        x in [y, x],
        y in (x,),
        any(t is x for t in [y, x]),
        raised(lambda: v in [tf.constant([1.0, 3.0])]),
        raised(lambda: 1.0 in v),
    )


@row
def identity_of_objects(tf, np):
    x = tf.constant(1.0)
    return (
        x is x,
        tf.identity(x) is x,
        tf.convert_to_tensor(x) is x,
        (x + 0.0) is x,
        tf.constant(1.0) is tf.constant(1.0),
    )


@row
def attributes(tf, np):
    x = tf.constant([[1.0, 2.0, 3.0]])
    return (
        x.shape.as_list(),
        tuple(x.shape),
        x.ndim,
        x.get_shape().rank,
        x.dtype == tf.float32,
        x.dtype == "float32",
        x.device.startswith("/job:localhost/replica:0/task:0/device:"),
        x.shape.num_elements(),
        x.shape[1],
        x.shape[-2:].as_list(),
        x.shape == (1, 3),
    )


@row
def missing_attributes(tf, np):
    x = tf.constant([1.0])
    return [raised(lambda name=name: getattr(x, name)) for name in ("T", "size", "reshape", "nonsense", "astype")]


@row
def set_shape(tf, np):
    x = tf.zeros([2, 3])
    x.set_shape([2, None])
    return x.shape.as_list(), raised(
        lambda: x.set_shape([3, 3]), "Tensor's shape (2, 3) is not compatible with supplied shape (3, 3)."
    )


@row
def item_assignment(tf, np):
    x = tf.constant([1.0, 2.0])

    def assign():
        x[0] = 5.0

    def delete():
        del x[0]

    return raised(assign, "object does not support item assignment"), raised(delete)


@row
def copies_and_pickles(tf, np):
    import copy

    x, v = tf.constant([1.0, 2.0]), tf.Variable([1.0])
    y, z, w = copy.copy(x), copy.deepcopy(x), copy.deepcopy(v)
    v.assign([9.0])
    return y, z, z is x, w


@row
def gradient_forms(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x**2
    g = tape.gradient(y, x)
    return printed(lambda: print("dy_dx:", g)), printed(lambda: print(g.numpy())), repr(g.numpy()), f"{g:.1f}"


@row
def types(tf, np):
    """Libraries tell by these whose tensors they are."""
    seen = []
    tf.function(lambda x: seen.append(type(x)) or x)(tf.constant(1.0))
    seen += [type(tf.constant(1.0)), type(tf.Variable(1.0)), tf.Tensor, tf.DType, tf.TensorShape]
    return [str(each) for each in seen]


@row
def pickled(tf, np):
    import pickle

    some = [tf.constant([1.0, 2.0]), tf.Variable(3.0, name="a"), tf.float32, tf.TensorShape([2, None])]
    return [repr(pickle.loads(pickle.dumps(each))) for each in some]
