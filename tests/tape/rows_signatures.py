"""Signatures of functions: as text, with names, called flat; warnings about retracing; what XLA makes of them."""

import collections
import functools
import re

from rows import logged, raised, row

Pair = collections.namedtuple("Pair", "a b")


def without_addresses(text):
    return re.sub(r"0x[0-9a-fA-F]+", "0x", text)


@row
def signatures_as_text(tf, np):
    @tf.function
    def f(x, y=2, *, z=None):
        return x * y

    f(tf.constant([1.0]), 3, z="a")
    f(tf.constant(1))
    f(tf.constant(2))
    return f.pretty_printed_concrete_signatures(), f.pretty_printed_concrete_signatures(verbose=False)


@row
def signatures_of_structures_as_text(tf, np):
    @tf.function
    def f(d, t, p=None):
        return {"r": d["a"], "s": (t[0], [t[1], None]), "p": p}

    f({"a": tf.constant(1.0), "b": 3}, [tf.constant(1), tf.constant([2.0])], Pair(tf.constant(True), 1.5))
    return f.pretty_printed_concrete_signatures()


@row
def signatures_of_variadic_functions_as_text(tf, np):
    @tf.function
    def f(first, *rest, k, **named):
        return rest

    concrete = f.get_concrete_function(tf.TensorSpec([2]), tf.TensorSpec([]), 1, k=2, z=tf.TensorSpec([1]))
    return (
        concrete.pretty_printed_signature(),
        concrete.pretty_printed_signature(verbose=False),
        repr(concrete.structured_input_signature),
    )


@row
def signatures_with_variables_as_text(tf, np):
    v, w = tf.Variable(1.0), tf.Variable([1, 2], trainable=False)

    @tf.function
    def f(a, b, c):
        return a + 1.0

    f(v, w, v)
    return f.pretty_printed_concrete_signatures()


@row
def signatures_of_methods_as_text(tf, np):
    class Module(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 3], name="batch")])
        def f(self, x):
            return tf.reduce_sum(x, 0)

    module = Module()
    concrete = module.f.get_concrete_function()
    return concrete.pretty_printed_signature(), str(concrete), without_addresses(repr(concrete))


@row
def names_of_arguments(tf, np):
    @tf.function
    def f(d, t, n=None):
        return d["a"]

    concrete = f.get_concrete_function(
        {"a": tf.TensorSpec([2]), "b": 3}, [tf.TensorSpec([], tf.int32), Pair(tf.TensorSpec([None]), 1)], n="x"
    )
    named = f.get_concrete_function({"a": tf.TensorSpec([2], name="given")}, (np.ones(3), 1.5))
    return repr(concrete.structured_input_signature), repr(named.structured_input_signature)


@row
def concrete_functions_called_flat(tf, np):
    @tf.function
    def f(a, b=3):
        return a * tf.cast(b, tf.float32)

    @tf.function
    def g(a, c):
        return a + c

    x, y = tf.constant(2.0), tf.constant(5.0)
    scaled = f.get_concrete_function(tf.TensorSpec([], name="first"), 4)
    added = g.get_concrete_function(tf.TensorSpec([]), c=tf.TensorSpec([], name="last"))
    return (
        scaled(x),
        scaled(first=x),
        scaled(x, 4),
        scaled(x, b=4),
        raised(lambda: scaled(x, 5), "Can not cast 5 to Literal[4]"),
        raised(lambda: scaled(x, x)),
        raised(lambda: scaled(tf.constant(1)), "input #0(zero-based) was expected to be a float tensor but is a int32"),
        added(x, y),
        added(x, last=y),
        added(x, c=y),
        added(a=x, c=y),
        raised(lambda: added(x)),
        raised(lambda: added(x, y, x, y)),
    )


@row
def shapes_and_dtypes_of_results(tf, np):
    @tf.function
    def f(x):
        return {"sum": tf.reduce_sum(x, 1), "none": None, "both": (x, tf.shape(x)[1:])}

    known = f.get_concrete_function(tf.TensorSpec([2, 3]))
    unknown = f.get_concrete_function(tf.TensorSpec([None, 3]))
    return [
        (repr(c.output_shapes["sum"]), repr(c.output_shapes["both"]), repr(c.output_dtypes["both"]))
        for c in (known, unknown)
    ]


def warnings_of(calls):
    found = logged(calls)
    return [without_addresses(message) for message in found["log"]]


@row
def warnings_about_retracing(tf, np):
    @tf.function
    def shapes(x):
        return x

    @tf.function
    def numbers(n):
        return tf.constant(n)

    @tf.function
    def seldom(x):
        return x

    def call_seldom():
        for i in range(6):
            for _ in range(4):
                seldom(tf.zeros([i]))

    def in_a_loop():
        for _ in range(7):
            tf.function(lambda x: x + 1.0)(tf.constant(1.0))

    return (
        warnings_of(lambda: [shapes(tf.zeros([i])) for i in range(8)]),
        warnings_of(lambda: [numbers(i) for i in range(6)]),
        warnings_of(call_seldom),
        warnings_of(in_a_loop),
    )


@row
def compiler_ir(tf, np):
    @tf.function(jit_compile=True)
    def f(x):
        return x * 2.0

    x = tf.constant([1.0])
    ir = f.experimental_get_compiler_ir(x)
    return (
        [ir().startswith("HloModule"), "multiply" in ir(stage="hlo"), "ENTRY" in ir(stage="optimized_hlo")],
        [type(ir(stage=stage)).__name__ for stage in ("hlo_serialized", "optimized_hlo_serialized")],
        raised(lambda: ir(stage="other"), "Invalid stage selected: 'other'. Valid values are: 'hlo', 'hlo_serialized'"),
        raised(lambda: tf.function(lambda x: x).experimental_get_compiler_ir(x), "marked with 'jit_compile=True'"),
    )


@row
def recursion_over_a_tensor(tf, np):
    @tf.function
    def f(x):
        if x > 0.0:
            return f(x - 1.0)
        return x

    return raised(lambda: f(tf.constant(3.0))).error is not None


@row
def counts_of_tracing(tf, np):
    @tf.function
    def f(x, n=1):
        return x

    counts = []
    for args in ((tf.constant(1),), (tf.constant(2),), (tf.constant(1), 2), (tf.constant([1]),), (tf.constant(1), 1)):
        f(*args)
        counts.append(f.experimental_get_tracing_count())
    f.get_concrete_function(tf.TensorSpec([], tf.int32))
    counts.append(f.experimental_get_tracing_count())
    f.get_concrete_function(tf.TensorSpec([3], tf.int32))
    counts.append(f.experimental_get_tracing_count())
    f(tf.constant([1, 2, 3]))
    return counts, f.experimental_get_tracing_count()


@row
def init_scope_inside(tf, np):
    seen, v = [], tf.Variable(5.0)

    @tf.function
    def f(x):
        with tf.init_scope():
            y = tf.constant(3.0) * 2.0
            seen.append((tf.executing_eagerly(), y.numpy()))
        if x > 0.0:
            with tf.init_scope():
                seen.append(v.assign_add(1.0).numpy())
        return x * y + v

    return f(tf.constant(1.0)), f(tf.constant(2.0)), seen


@row
def eager_functions_in_functions(tf, np):
    seen = []

    @tf.function
    def inner(x):
        seen.append(tf.executing_eagerly())
        return x * 2.0 if x > 0.0 else x

    @tf.function
    def outer(x):
        seen.append(tf.executing_eagerly())
        return inner(x) + 1.0

    tf.config.run_functions_eagerly(True)
    try:
        first = outer(tf.constant(1.0))
    finally:
        tf.config.run_functions_eagerly(False)
    return first, outer(tf.constant(1.0)), seen


@row
def types_of_functions(tf, np):
    types, v = tf.types.experimental, tf.Variable([1.0, 2.0])

    @tf.function
    def f(x, y, n=2):
        return {"a": x * v, "b": (y, None)}

    c = f.get_concrete_function(tf.TensorSpec([2], tf.float32), y=tf.TensorSpec([None], tf.float32, name="why"))
    kinds = types.Callable, types.ConcreteFunction, types.PolymorphicFunction, types.GenericFunction
    values = f, c, len, v, tf.constant(1), [1.0, [v]], "text", np.ones(2), object()
    return (
        [x.name for x in c.inputs[:2]],
        [(x.shape.as_list(), x.dtype.name) for x in c.inputs],
        [(x.name, x.shape.as_list(), x.dtype.name) for x in c.outputs],
        repr(c.output_shapes),
        len(c.captured_inputs),
        [x is v for x in c.variables + c.trainable_variables],
        str(c.function_type),
        list(c.function_type.parameters),
        [[isinstance(x, kind) for kind in kinds] for x in values[:3]],
        [isinstance(x, types.TensorLike) for x in values],
        [isinstance(x, types.TraceType) for x in (tf.TensorSpec([]), 1)],
    )


@row
def arguments_that_tell_their_types(tf, np):
    traced = []

    class Kind(tf.types.experimental.TraceType):
        def __init__(self, fruit, is_ripe):
            self.fruit, self.is_ripe = fruit, is_ripe

        def is_subtype_of(self, other):
            return type(other) is Kind and self.fruit is other.fruit and self.is_ripe >= other.is_ripe

        def most_specific_common_supertype(self, others):
            return None

        def placeholder_value(self, placeholder_context):
            return self.fruit(self.is_ripe)

        def __eq__(self, other):
            return type(other) is Kind and (self.fruit, self.is_ripe) == (other.fruit, other.is_ripe)

        def __hash__(self):
            return hash((self.fruit, self.is_ripe))

        def __repr__(self):
            return f"{self.fruit.__name__}({self.is_ripe})"

    class Fruit:
        def __init__(self, is_ripe):
            self.is_ripe = is_ripe

        def __tf_tracing_type__(self, context):
            return Kind(type(self), self.is_ripe)

    class Mango(Fruit):
        pass

    @tf.function
    def f(fruit, x):
        traced.append((type(fruit).__name__, fruit.is_ripe, fruit in given))
        return x * (2.0 if fruit.is_ripe else 3.0)

    x, given = tf.constant(1.0), [Fruit(False), Fruit(False), Fruit(True), Mango(False), Mango(True)]
    results = [f(fruit, x) for fruit in given]
    both = isinstance(given[0], tf.types.experimental.SupportsTracingProtocol), isinstance(f.get_concrete_function(
        given[0], x), tf.types.experimental.ConcreteFunction)  # fmt: skip
    return results, traced, both, f.experimental_get_tracing_count(), f.pretty_printed_concrete_signatures()


@row
def keyword_only_arguments_and_defaults(tf):
    @tf.function
    def f(x, *args, y=1, z=None, **others):
        return x + y if z is None else x + z

    one, two = tf.constant(1), tf.constant(2)
    results = f(one), f(one, y=2), f(one, z=two), f(one, two, q=one), f(one, y=1)
    number = tf.TensorSpec([], tf.int32)
    concrete = f.get_concrete_function(number, z=number, q=number)
    return (
        results, f.experimental_get_tracing_count(), f.pretty_printed_concrete_signatures(),
        str(concrete.structured_input_signature),
        raised(lambda: f.get_concrete_function(number, y=number)(one), "missing a required argument: 'y'"),
    )  # fmt: skip


@row
def keyword_only_arguments_of_input_signatures(tf):
    @tf.function(input_signature=[tf.TensorSpec([None], name="first")])
    def f(x, *, scale=2.0):
        return x * scale

    concrete = f.get_concrete_function()
    return (
        f([1.0]), f([1.0, 2.0], scale=2.0), concrete.pretty_printed_signature(),
        str(concrete.structured_input_signature),
        raised(lambda: f([1.0], scale=3.0), r"Can not cast 3.0 to Literal[2.0]"),
    )  # fmt: skip


@row
def defaults_of_partial_functions(tf):
    def g(a, b=2, *, c=3.0):
        return a * b * c

    keywords = tf.function(functools.partial(g, b=5, c=tf.constant(2.0)))
    leading = tf.function(functools.partial(g, tf.constant(2.0)))
    signed = tf.function(functools.partial(g, c=1.0), input_signature=[tf.TensorSpec([])])
    one = tf.constant(1.0)
    return (
        keywords(one), keywords(one, b=3), keywords.pretty_printed_concrete_signatures(),
        str(keywords.get_concrete_function(tf.TensorSpec([])).structured_input_signature),
        leading(), leading(4.0), leading(b=4.0, c=1.0), leading.experimental_get_tracing_count(), signed(3.0),
    )  # fmt: skip
