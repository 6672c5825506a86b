"""Calls of `tf.TensorArray`, right and wrong ones: eagerly, in functions, and in functions of unknown sizes."""

from rows import raised, row_for

# `new` makes an array of float32, `x` is [3, 2], `n` is 3, and `i` is [2, 0, 1].
CALLS = """
    new(3).unstack(x).stack()
    new(n).unstack(x).stack()
    new(tf.shape(x)[0]).unstack(x).stack()
    new(0, dynamic_size=True).unstack(x).stack()
    new(2).unstack(x).stack()
    new(4).unstack(x).size()
    new(n).size()
    new(n, element_shape=[2]).stack()
    new(3, element_shape=[2]).unstack(x).element_shape
    new(3, element_shape=[5]).write(0, x[0])
    new(3).write(0, x[0]).write(1, x).stack()
    new(3, infer_shape=False).write(0, x[0]).write(1, x).read(1)
    new(2, infer_shape=False).write(0, x[0]).write(1, x).stack()
    new(2, infer_shape=False).write(0, x[:1]).write(1, x).concat()
    new(2).write(0, x[:1]).write(1, x).concat()
    new(2).write(0, tf.constant(1))
    array(tf.int32, size=2).write(0, 1.5)
    new(2).write(5, 1.0).stack()
    new(2).write(-1, 1.0).stack()
    new(2).read(0)
    new(2, element_shape=[2]).read(0)
    new(2).read(7)
    new(0, dynamic_size=True).read(0)
    new(0, dynamic_size=True).write(3, 1.0).stack()
    new(0, dynamic_size=True).write(3, 1.0).size()
    new(0, dynamic_size=True, element_shape=[2]).stack()
    new(0).concat()
    new(2).write(0, 1.0).write(0, 2.0).stack()
    new(2, clear_after_read=False).write(0, 1.0).write(0, 2.0).stack()
    new(3).scatter([0, 2], x[:2]).stack()
    new(3).scatter([0, 2, 4], x).stack()
    new(3).scatter([0, 1], x).stack()
    new(3).scatter([0, 0, 1], x).stack()
    new(0, dynamic_size=True).scatter([0, 5, 1], x).size()
    new(3).scatter(i, x).stack()
    new(3).scatter([[0, 1, 2]], x).stack()
    new(3).scatter(0, x).stack()
    new(3).unstack(x).gather([0, 2])
    new(3).unstack(x).gather([0, 0])
    new(3).unstack(x).gather([3])
    new(3).unstack(x).gather(i)
    new(3).unstack(x).gather([])
    new(2).split(x, [1, 2]).read(0)
    new(2, infer_shape=False).split(x, [1, 2]).read(1)
    new(2, infer_shape=False).split(x, [1, 2]).concat()
    new(2).split(x, [1, 1]).concat()
    new(2).split(x, [2, 2]).concat()
    new(3).split(x, [1, 2]).concat()
    new(3).split(x, [1, 1, 1]).stack()
    new(1, dynamic_size=True, infer_shape=False).split(x, [1, 2]).concat()
    new(2).split(1.0, [1])
    new(2).split(x, 1)
    new(2).unstack(1.0)
    new(2).identity().size()
    new(-1)
    array(tf.float32)
    array('float32', size=1).dtype
    new(1).element_shape
    new(1).flow is None
    new(1, element_shape=[None]).write(0, x[0]).write(0, x[0, :1]).read(0)
    new(1, tensor_array_name='a').write(0, 1.).stack()
    array(tf.string, size=2).write(0, 'a').write(1, 'b').stack()
    array(tf.string, size=2).write(0, 'a').stack()
    array(tf.bool, size=2).write(0, True).stack()
    new(2).write(0, [1., 2.]).stack()
    new(2).write(tf.constant(0), [1., 2.]).stack()
    new(2).write(tf.constant(0, tf.int64), [1., 2.]).stack()
    new(2).write('a', [1., 2.]).stack()
    new(2).write(0.0, [1., 2.]).stack()
    new(n).scatter(tf.range(n), x).stack()
    new(n).split(x, tf.ones(n, tf.int32)).stack()
    rloop2(new(n).unstack(x), n, x)
    new(2, dynamic_size=None).write(4, 1.0)
    new(1.5)
    new(None)
    new(n, element_shape=[None]).write(0, x[0]).write(1, x[0, :1]).read(1)
"""
WAYS = ("eager", "function", "unknown", "gradient")


def called(tf, text, way):
    """What a call gives, or raises."""

    def f(x, n, i):
        def new(size=0, dtype=tf.float32, **kwargs):
            return tf.TensorArray(dtype, size, **kwargs)

        result = eval(text, {"tf": tf, "new": new, "array": tf.TensorArray, "x": x, "n": n, "i": i})
        return result.size() if isinstance(result, tf.TensorArray) else result

    x, n, i = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), tf.constant(3), tf.constant([2, 0, 1])
    if way == "gradient":
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, n, i)
        return y if isinstance(y, bool | tf.TensorShape | tf.DType) else tape.gradient(y, x)
    if way == "unknown":
        specs = [tf.TensorSpec([None, 2]), tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.int32)]
        return tf.function(f, input_signature=specs)(x, n, i)
    return (tf.function(f) if way == "function" else f)(x, n, i)


UNUSED = "TensorFlow drops ops that nothing reads, here all but the size, and what they would have raised."
DIFFERING = {
    (call, way): UNUSED
    for call in (
        "array(tf.int32, size=2).write(0, 1.5)", "new(-1)", "new(2).unstack(1.0)", "new(2).write(0, tf.constant(1))",
        "new(2, dynamic_size=None).write(4, 1.0)",
    )
    for way in ("function", "unknown")
}  # fmt: skip
DIFFERING |= {
    ("new(3).unstack(x).gather([])", way): "The shape is that of eager TensorFlow." for way in ("function", "unknown")
}


@row_for(differing=DIFFERING, call=[each.strip() for each in CALLS.strip().splitlines()], way=WAYS)
def result(tf, call, way):
    results = []
    refused = raised(lambda: results.append(called(tf, call, way)))
    if refused.error:
        return refused
    return str(results[0]) if isinstance(results[0], tf.TensorShape | tf.DType) else results[0]
