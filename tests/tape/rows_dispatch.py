"""`tf.experimental.dispatch_for_api` and the like: what ops do with a program's own types."""

from typing import Dict, List, Union  # noqa: UP035 - what programs write

from rows import raised, row

from .rows_extension_types import _masked


def _as_masked(tf, Masked, x):
    return x if isinstance(x, Masked) else Masked(x, tf.ones_like(x, tf.bool))


def _parts(x):
    return x.values, x.mask


@row
def one_api(tf, np):
    Masked = _masked(tf)
    x, y = Masked([1, 2], [True, False]), Masked([3, 4], [True, True])

    @tf.experimental.dispatch_for_api(tf.stack)
    def stack(values: List[Masked], axis=0):  # noqa: UP006
        return Masked(tf.stack([v.values for v in values], axis), tf.stack([v.mask for v in values], axis))

    @tf.experimental.dispatch_for_api(tf.add, {"x": Masked}, {1: Masked})
    def add(x, y, name="none"):
        return name

    @tf.experimental.dispatch_for_api(tf.reduce_sum, {"input_tensor": Masked})
    def total(input_tensor, axis=None, keepdims=False):
        return tf.reduce_sum(tf.where(input_tensor.mask, input_tensor.values, 0), axis, keepdims)

    results = [
        _parts(tf.stack([x, y])), _parts(tf.stack(values=[x, y], axis=1, name="q")), tf.stack([x.values, y.values]),
        raised(lambda: tf.stack([x, y.values])), tf.add(x, 1), tf.math.add(1, y, name="n"), tf.add(1, 2),
        tf.reduce_sum(x), tf.math.reduce_sum(y, 0, True), tf.reduce_sum(x, keepdims=True, name="z"),
        tf.function(lambda x: tf.reduce_sum(x))(x),
    ]  # fmt: skip
    for target in (stack, add, total):
        tf.experimental.unregister_dispatch_for(target)
    return results, raised(lambda: tf.add(x, y)), raised(lambda: tf.reduce_sum(x)), raised(lambda: tf.stack([x, y]))


@row
def unions(tf, np):
    Masked = _masked(tf)
    x = Masked([1, 2], [True, False])

    @tf.experimental.dispatch_for_api(tf.concat)
    def concat(values: List[Union[Masked, tf.Tensor]], axis):  # noqa: UP006, UP007
        values = [_as_masked(tf, Masked, v) for v in values]
        return Masked(tf.concat([v.values for v in values], axis), tf.concat([v.mask for v in values], axis))

    results = _parts(tf.concat([x, x.values, x], 0)), tf.concat([x.values, x.values], 0)
    tf.experimental.unregister_dispatch_for(concat)
    return results


@row
def unary_elementwise(tf, np):
    Masked = _masked(tf)

    @tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
    def handler(api, x):
        return Masked(api(x.values), x.mask)

    x, z = Masked([1, -2], [True, False]), Masked([0.5, -0.5], [True, False])
    results = [
        _parts(tf.abs(x)), _parts(tf.ones_like(x, dtype=tf.float32)), _parts(tf.zeros_like(x)),
        tf.cast(x, "int8").values, tf.nn.relu(z).values, tf.clip_by_value(x, -1, 1).values, tf.sigmoid(z).values,
        tf.strings.as_string(x).values,
        tf.nn.silu(z).values, tf.math.round(z, name="r").values, tf.math.is_nan(x=z).values, tf.nn.gelu(z, True).values,
        tf.math.special.dawsn(z).values, raised(lambda: tf.reduce_sum(x)), raised(lambda: tf.add(x, x)),
        raised(lambda: tf.experimental.dispatch_for_unary_elementwise_apis(Masked)(handler), "already been registered"),
    ]  # fmt: skip
    tf.experimental.unregister_dispatch_for(handler)
    return results, raised(lambda: tf.abs(x)), raised(lambda: tf.strings.as_string(x))


@row
def binary_elementwise(tf, np):
    Masked = _masked(tf)

    @tf.experimental.dispatch_for_binary_elementwise_apis(Union[Masked, tf.Tensor], Union[Masked, tf.Tensor])  # noqa: UP007
    def handler(api, x, y):
        x, y = _as_masked(tf, Masked, x), _as_masked(tf, Masked, y)
        return Masked(api(x.values, y.values), x.mask & y.mask)

    x, y, z = Masked([1, -2], [True, False]), Masked([[4], [5]], [[True], [False]]), tf.constant([3, 4])
    results = [
        _parts(tf.math.add(x, y)), tf.maximum(x, z).values, tf.subtract(z, x).values, tf.math.equal(x, z).values,
        tf.truediv(x, z).values, tf.math.divide_no_nan(x, y, name="n").values, tf.math.floormod(y=z, x=x).values,
        (z < x).values, (z >= x).values, raised(lambda: z + x), raised(lambda: x + z), raised(lambda: x * 2),
        raised(lambda: tf.add(x, [1, 2])), tf.add(z, z), tf.function(tf.add)(x, z).values,
    ]  # fmt: skip
    tf.experimental.unregister_dispatch_for(handler)
    return results, raised(lambda: tf.add(x, z)), raised(lambda: z < x)


@row
def assertions(tf, np):
    Masked = _masked(tf)

    @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
    def handler(api, x, y):
        both = x.mask & y.mask
        return api(tf.boolean_mask(x.values, both), tf.boolean_mask(y.values, both))

    x = Masked([1, -2], [True, False])
    return [  # TensorFlow cannot unregister such a handler
        tf.debugging.assert_equal(x, Masked([1, 5], [True, True])),
        raised(lambda: tf.debugging.assert_equal(x, Masked([2, 5], [True, True]))),
        raised(lambda: tf.debugging.assert_greater(x, Masked([2, 5], [True, True]), message="said")),
        raised(lambda: tf.debugging.assert_equal(x, x.values)),
    ]


@row
def what_is_refused(tf, np):
    Masked, api = _masked(tf), tf.experimental.dispatch_for_api
    return [
        raised(lambda: api(len), "does not support dispatch."),
        raised(lambda: api(tf.abs)(lambda x: x), "must be called with at least one signature"),
        raised(lambda: api(tf.abs, {"z": Masked}), "signature includes annotation for unknown parameter 'z'."),
        raised(lambda: api(tf.abs, {"x": Masked})(lambda y: y), "does not match API's signature (x, name=None)."),
        raised(lambda: api(tf.abs, {"x": Dict[str, Masked]}), "is not currently supported by dispatch."),  # noqa: UP006
        raised(lambda: api(tf.abs, 3), "signatures must be dictionaries mapping parameter names to type annotations."),
        raised(lambda: api(tf.abs, {0: Masked})(3), "Expected dispatch_target to be callable; got 3"),
        raised(lambda: tf.experimental.unregister_dispatch_for(len), "was not registered using"),
    ]


@row
def two_for_the_same(tf, np):
    Masked = _masked(tf)

    @tf.experimental.dispatch_for_api(tf.square, {0: Masked})
    def one(x):
        return 1

    @tf.experimental.dispatch_for_api(tf.square)
    def two(x: Masked):
        return 2

    x = Masked([1], [True])
    both = raised(lambda: tf.square(x), "Multiple dispatch targets that were registered with tf.dispatch_for")
    tf.experimental.unregister_dispatch_for(two)
    left = tf.square(x)
    tf.experimental.unregister_dispatch_for(one)
    return both, left, raised(lambda: tf.square(x))
