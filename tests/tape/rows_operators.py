"""Operators and conversions: what Python and NumPy values become, and what may not be mixed."""

from rows import raised, row, row_for


@row
def arithmetic(tf, np):
    x, y = tf.constant([1.0, 2.0, -3.0]), tf.constant([4.0, -0.5, 2.0])
    return x + y, x - y, x * y, x / y, x // y, x % y, y**2.0, -x, abs(x)


@row
def integer_arithmetic(tf, np):
    x, y = tf.constant([7, -7, 8]), tf.constant([2, 2, -3])
    return x + y, x - y, x * y, x / y, x // y, x % y, x**2, -x, abs(x)


@row
def reflected(tf, np):
    x = tf.constant([1.0, 2.0])
    return (
        1 + x,
        1 - x,
        2 * x,
        1 / x,
        3 // x,
        3 % x,
        2**x,
        [1.0, 1.0] - x,
        np.array([5.0, 5.0], np.float32) - x,
    )


@row
def comparisons(tf, np):
    x = tf.constant([1.0, 2.0, 3.0])
    return x < 2, x <= 2, x > 2, x >= 2, 2 < x, x == 2, x != 2


@row
def boolean_operators(tf, np):
    a, b = tf.constant([True, False, True]), tf.constant([True, True, False])
    return a & b, a | b, a ^ b, ~a, True & a, a | False, a == b


@row
def integer_bit_operators(tf, np):
    a, b = tf.constant([6, 5]), tf.constant([3, 1])
    return (
        a & b,
        a | b,
        a ^ b,
        ~a,
        raised(lambda: tf.constant([1.0]) & tf.constant([1.0])),
        raised(lambda: a << b),
    )


@row
def matmul_operator(tf, np):
    a, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0], [1.0]])
    return (
        a @ b,
        [[1.0, 1.0]] @ a,
        a @ np.ones((2, 1), np.float32),
        raised(lambda: a @ tf.constant([1.0, 1.0])),
        raised(lambda: a @ tf.constant([[1.0, 1.0]]), "Matrix size-incompatible"),
        raised(lambda: a @ 2.0),
    )


@row_for(dtype=("int32", "int64", "float16", "float32", "float64", "complex64"))
def python_scalars_take_the_tensor_dtype(tf, np, dtype):
    x = tf.cast([1, 2], getattr(tf, dtype))
    results = [x + 1, 2 * x, 1 - x]
    if not dtype.startswith("int"):
        results += [x + 0.5, 0.5 * x, x / 2]
    return results


@row
def fraction_with_an_integer_tensor(tf, np):
    n = tf.constant([1, 2])
    return (
        raised(lambda: n + 0.5),
        raised(lambda: 0.5 * n),
        raised(lambda: n * 1j),
        n / 2,
        raised(lambda: n**0.5),
    )


@row
def complex_with_a_float_tensor(tf, np):
    x = tf.constant([1.0, 2.0])
    return raised(lambda: x + 1j), tf.cast(x, tf.complex64) + 1j, raised(lambda: 1j * x)


@row
def booleans_with_numbers(tf, np):
    x, n, b = tf.constant([1.0]), tf.constant([1]), tf.constant([True])
    return x + True, n + True, raised(lambda: b + b), b * b, b * True, raised(lambda: -b), raised(lambda: x + b)


@row
def numpy_scalars(tf, np):
    x = tf.constant([1.0, 2.0])
    return (
        x * np.float32(2),
        x * np.float64(2),
        x * np.int64(2),
        x * np.float16(2),
        np.float32(2) * x,
        np.float64(2) * x,
        x + np.array(2.0),
        x * np.bool_(True),
    )


@row
def numpy_arrays_of_another_dtype(tf, np):
    x, n = tf.constant([1.0, 2.0]), tf.constant([1, 2])
    return (
        x + np.array([1.0, 2.0]),
        x + np.array([1, 2]),
        n + np.array([1, 2]),
        n + np.array([1.0, 2.5]),
        np.array([1.0, 2.0]) + x,
        type(np.array([1.0, 2.0]) + x).__name__,
        x.dtype.name,
    )


@row
def lists(tf, np):
    x = tf.constant([1.0, 2.0])
    return (
        x + [1, 2],
        [1, 2.5] * x,
        x - (3.0, 4),
        x * [[1], [2]],
        raised(lambda: x + [1, "a"]),
        raised(lambda: x + [1, 2, 3]),
    )


@row
def lists_of_tensors(tf, np):
    a = tf.constant(2.0)
    x = tf.constant([1.0, 2.0])
    return x + [a, 3.0], tf.convert_to_tensor([a, a * 2]), tf.reduce_sum([a, 1.0, x[1]]), x * [a, a]


@row_for(other=("int32", "float64", "bool", "float16", "complex64"))
def mixed_dtypes(tf, np, other):
    x, y = tf.constant([1.0, 2.0]), tf.cast([1, 2], getattr(tf, other))
    return (
        raised(lambda: x + y, "cannot compute AddV2 as input #1(zero-based) was expected to be a float tensor"),
        raised(lambda: y + x),
        raised(lambda: tf.maximum(x, y), "Maximum"),
        raised(lambda: tf.concat([x, y], 0), "ConcatV2"),
        raised(lambda: tf.stack([x, y])).error is not None,
        raised(lambda: tf.matmul(x[None], y[:, None])).error is not None,
    )


@row
def incompatible_shapes(tf, np):
    x, y = tf.ones([2, 3]), tf.ones([4])
    return (
        raised(lambda: x + y, "Incompatible shapes: [2,3] vs. [4]", "[Op:AddV2]"),
        raised(lambda: x * y, "Incompatible shapes: [2,3] vs. [4]", "[Op:Mul]"),
        raised(lambda: x - y, "Incompatible shapes"),
        raised(lambda: x / y, "Incompatible shapes"),
        raised(lambda: x > y, "Incompatible shapes"),
        raised(
            lambda: tf.reshape(x, [4]),
            "Input to reshape is a tensor with 6 values, but the requested shape has 4",
        ),
        raised(lambda: tf.concat([x, tf.ones([2])], 0)),
        raised(lambda: x[5], "slice index 5 of dimension 0 out of bounds"),
        raised(lambda: tf.gather(x, 7)),
        raised(lambda: tf.squeeze(x, 0)),
        raised(lambda: tf.reduce_sum(x, axis=5)),
    )


@row
def bad_indices(tf, np):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    return (
        raised(lambda: x[1.0], "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`)"),
        raised(lambda: x["a"]),
        raised(lambda: x[0:"a"]),
        raised(lambda: x[0, 0, 0]),
        raised(lambda: x[::0]),
    )


@row
def unsupported_operands(tf, np):
    x = tf.constant([1.0])
    return (
        raised(lambda: x + None),
        raised(lambda: x + "a"),
        raised(lambda: x + object()),
        raised(lambda: None * x),
        raised(lambda: x + {}),
        raised(lambda: tf.constant("a") + 1),
        tf.constant("a") + "b",
    )


@row
def constants(tf, np):
    return (
        tf.constant(1),
        tf.constant(1.0),
        tf.constant(True),
        tf.constant(1j),
        tf.constant([1, 2.0]),
        tf.constant([[1, 2], [3, 4]]),
        tf.constant(np.float64(1.5)),
        tf.constant(np.arange(3)),
        tf.constant([]),
        tf.constant([[]]),
        tf.constant((1, 2)),
        tf.constant(range(3)),
        tf.constant(2**31),
        tf.constant(-(2**31)),
        tf.constant([np.float32(1.0), np.float32(2.0)]),
        tf.constant([np.float64(1.0), 2.0]),
        tf.constant("a"),
        tf.constant([b"a", "b"]),
    )


@row
def constants_of_a_dtype_and_shape(tf, np):
    return (
        tf.constant(1, tf.float32),
        tf.constant([1, 2], dtype=tf.float64),
        tf.constant(1.0, "float16"),
        tf.constant(0.5, shape=[2, 2]),
        tf.constant([1, 2, 3, 4], shape=(2, 2)),
        tf.constant(np.array([1.5, 2.5]), tf.float32),
        tf.constant(1, tf.complex64),
        tf.constant([True, False], tf.bool),
        tf.constant(3, np.int16),
        tf.constant(1.0, float),
        tf.constant(300, tf.uint8),
        tf.constant(-1, tf.uint8),
        tf.constant(True, tf.float32),
        raised(lambda: tf.constant(1, int)),
    )


@row
def constants_refused(tf, np):
    return (
        raised(lambda: tf.constant(1.5, tf.int32), "Cannot convert 1.5 to EagerTensor of dtype int32"),
        raised(lambda: tf.constant("a", tf.float32), "Cannot convert 'a' to EagerTensor of dtype float"),
        raised(lambda: tf.constant([1, "a"])),
        raised(lambda: tf.constant([[1, 2], [3]])),
        raised(lambda: tf.constant(None), "None"),
        raised(lambda: tf.constant(object())),
        raised(lambda: tf.constant(2**65)),
        raised(lambda: tf.constant([1, 2, 3], shape=[2, 2])),
        raised(lambda: tf.constant(1.0, "float99")),
        raised(lambda: tf.constant(1.0, tf.bool)),
        raised(lambda: tf.constant({"a": 1})),
    )


@row
def convert_to_tensor(tf, np):
    x = tf.constant([1.0, 2.0])
    return (
        tf.convert_to_tensor(1.0),
        tf.convert_to_tensor([1, 2], dtype_hint=tf.float32),
        tf.convert_to_tensor(1.5, dtype_hint=tf.int32),
        tf.convert_to_tensor(np.ones(2)),
        tf.convert_to_tensor(np.ones(2), tf.float32),
        tf.convert_to_tensor(x, tf.float32) is x,
        tf.convert_to_tensor(x, dtype_hint=tf.float64).dtype.name,
        tf.convert_to_tensor(tf.Variable(3.0)),
        tf.convert_to_tensor([x, [3.0, 4.0]]),
        tf.convert_to_tensor(tf.TensorShape([2, 3])),
        tf.convert_to_tensor(x.shape, tf.int64),
        tf.convert_to_tensor([tf.Variable(1.0), 2.0]),
        tf.convert_to_tensor(np.array([1.5, -2.5]), tf.int32),
    )


@row
def convert_to_tensor_refused(tf, np):
    x = tf.constant([1.0, 2.0])
    text = "Tensor conversion requested dtype int32 for Tensor with dtype float32"
    return (
        raised(lambda: tf.convert_to_tensor(x, tf.int32), text),
        raised(
            lambda: tf.convert_to_tensor(x, tf.float64),
            "requested dtype float64 for Tensor with dtype float32",
        ),
        raised(lambda: tf.convert_to_tensor(tf.Variable(1.0), tf.float64)),
        raised(lambda: tf.convert_to_tensor(None), "None"),
        raised(lambda: tf.convert_to_tensor(object())),
        raised(lambda: tf.convert_to_tensor("a", tf.int32)),
        raised(lambda: tf.convert_to_tensor([1.5], tf.int32)),
        raised(lambda: tf.convert_to_tensor(tf.TensorShape([None]))),
        raised(lambda: tf.convert_to_tensor([x, [3.0]])),
        raised(lambda: tf.convert_to_tensor([x, tf.constant([1, 2])])),
    )


@row
def casting(tf, np):
    x = tf.constant([1.7, -2.2, 0.0])
    return (
        tf.cast(x, tf.int32),
        tf.cast(x, tf.bool),
        tf.cast([True, False], tf.float32),
        tf.cast(3, tf.float64),
        tf.cast(x, x.dtype) is x,
        tf.cast(1 + 2j, tf.complex64),
        raised(lambda: tf.cast("a", tf.float32)),
        raised(lambda: tf.cast(x, "nonsense")),
    )


@row
def python_min_max_sum(tf, np):
    xs = [tf.constant(3.0), tf.constant(1.0), tf.constant(2.0)]
    return sum(xs), max(xs), min(xs), sorted(xs), sum(xs) / len(xs)


@row
def augmented_assignment_rebinds(tf, np):
    x = tf.constant([1.0, 2.0])
    y = x
    y += 1
    y *= 2
    y -= [1.0, 1.0]
    y /= 2
    return x, y


@row
def power(tf, np):
    x = tf.constant([1.0, 2.0, -3.0])
    n = tf.constant([2, 3])
    return (
        x**2,
        x**-1,
        x**0.5,
        n**3,
        2**n,
        x ** tf.constant([2.0, 0.0, 3.0]),
        raised(lambda: n ** tf.constant(-1)),
    )


@row
def division(tf, np):
    x, n = tf.constant([1.0, 0.0]), tf.constant([7, -7])
    return (
        x / 0,
        tf.math.divide_no_nan(x, 0.0),
        n / 2,
        n // 2,
        n % 5,
        raised(lambda: n // 0),
        tf.constant(1, tf.int8) / tf.constant(2, tf.int8),
    )


@row
def errors_leave_everything_usable(tf, np):
    x, v = tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0])
    y = x * 2.0
    errors = [
        raised(lambda: y + tf.constant([1, 2])),
        raised(lambda: y @ y),
        raised(lambda: v.assign([1.0])),
        raised(lambda: tf.reshape(y, [3])),
    ]
    v.assign_add(y)
    return errors, y, v, y + v


@row
def op_names_in_messages(tf, np):
    x, n = tf.constant([1.0]), tf.constant([1])
    ops = {
        "Sub": lambda: x - n,
        "Mul": lambda: x * n,
        "RealDiv": lambda: tf.realdiv(x, n),
        "FloorDiv": lambda: x // n,
        "FloorMod": lambda: x % n,
        "Pow": lambda: x**n,
        "Less": lambda: x < n,
        "Minimum": lambda: tf.minimum(x, n),
        "MatMul": lambda: tf.matmul(x[None], n[None]),
        "SelectV2": lambda: tf.where(x > 0.0, x, n),
    }
    return [raised(op, f"Op:{name}") for name, op in ops.items()]
