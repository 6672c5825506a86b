"""`tf.experimental.ExtensionType`: fields, specs, functions, loops, datasets."""

from collections.abc import Mapping
from typing import List, Optional, Tuple, Union  # noqa: UP035 - what programs write

from rows import raised, row


def _masked(tf, base=None, **contents):
    annotations = {"values": tf.Tensor, "mask": tf.Tensor}
    contents = {"__annotations__": annotations, "__module__": __name__, "__qualname__": "Masked", **contents}
    base = base or tf.experimental.ExtensionType
    return type(base)("Masked", (base,), contents)


def _pair(tf, base=None):
    class Pair(base or tf.experimental.ExtensionType):
        first: tf.Tensor
        second: tf.Tensor
        scale: float = 1.0

    return Pair


@row
def fields_are_converted(tf, np):
    class Fields(tf.experimental.ExtensionType):
        a: tf.Tensor
        b: Tuple[int, ...] = (1, 2)  # noqa: UP006
        c: Mapping[str, tf.Tensor] = {}  # noqa: RUF012
        d: tf.TensorShape = tf.TensorShape([None])
        e: tf.DType = tf.float32
        f: Optional[tf.Tensor] = None  # noqa: UP045
        g: Union[int, str] = "x"  # noqa: UP007
        h: tuple[int, float] = (1, 2.0)

    one = Fields([1.0, 2.0])
    other = Fields(np.ones(1), b=[3], c={"k": [1, 2]}, d=[2], e="int32", f=4, g=5)
    shown = [repr(x).replace(type(x).__qualname__, "Fields") for x in (one, other)]
    wrong = [
        raised(lambda: Fields(), "missing a required argument: 'a'"),
        raised(lambda: Fields(1, 2, 3, 4, 5, 6, 7, 8, 9), "too many positional arguments"),
        raised(lambda: Fields(None), "a: expected a Tensor, got 'NoneType'"),
        raised(lambda: Fields(1, b=3), "b: expected tuple, got 'int'"),
        raised(lambda: Fields(1, b=(1, "a")), "b[1]: expected 'int', got 'str'"),
        raised(lambda: Fields(1, c=3), "c: expected mapping, got 'int'"),
        raised(lambda: Fields(1, c={1: 1}), "c[<key>]: expected 'str', got 'int'"),
        raised(lambda: Fields(1, c={"k": None}), "c['k']: expected a Tensor, got 'NoneType'"),
        raised(lambda: Fields(1, e="nothing"), "e: expected 'tf.DType', got 'str'"),
        raised(lambda: Fields(1, g=[]), "g: expected typing.Union[int, str], got 'list'"),
        raised(lambda: Fields(1, h=(1,)), "h: expected tuple with length 2, got 'tuple'"),
    ]
    return shown, list(other.c), wrong


@row
def annotations_that_fields_cannot_have(tf, np):
    def define(annotations, **contents):
        base = tf.experimental.ExtensionType
        contents = {"__annotations__": annotations, "__module__": __name__, "__qualname__": "Bad", **contents}
        return lambda: type(base)("Bad", (base,), contents)

    return [
        raised(define({"x": list}), "In field 'x': Unsupported type annotation 'list'"),
        raised(define({"x": List[int]}), "In field 'x': Unsupported type annotation typing.List[int]"),  # noqa: UP006
        raised(define({"x": object}), "In field 'x': Unsupported type annotation 'object'"),
        raised(define({"x": int | None}), "In field 'x': Unsupported type annotation int | None"),
        raised(define({"x": Mapping[tf.Tensor, int]}), "Mapping had a key 'Tensor' with type 'type'"),
        raised(define({"x": int}, x="s"), "default value for x: expected 'int', got 'str'"),
        raised(define({}, y=3), "Field y is missing a type annotation."),
        raised(define({"_type_spec": int}), "Field '_type_spec' is reserved."),
        raised(define({"Spec": int}), "Field 'Spec' is reserved."),
        raised(define({"x": int}, Spec=3), "Bad.Spec must be a nested class; got 3."),
        raised(lambda: tf.experimental.ExtensionType(), "ExtensionType is an abstract base class."),
    ]


@row
def immutable(tf, np):
    value = _masked(tf)([1, 2], [True, False])

    def delete():
        del value.mask

    return [
        raised(lambda: setattr(value, "mask", 1), "Cannot mutate attribute `mask` outside the custom constructor"),
        raised(lambda: setattr(value, "other", 1), "Cannot mutate attribute `other` outside the custom constructor"),
        raised(delete, "Cannot mutate attribute `mask` outside the custom constructor of ExtensionType."),
        raised(lambda: setattr(value._type_spec, "mask", 1), "outside the custom constructor of ExtensionTypeSpec."),
        raised(lambda: value.nothing, "'Masked' object has no attribute 'nothing'"),
        raised(lambda: hash(value), "unhashable type: 'Masked'"),
        raised(lambda: tf.convert_to_tensor(value), "with an unsupported type"),
        raised(lambda: tf.abs(value), "with an unsupported type"),
    ]


@row
def own_constructor_and_checks(tf, np):
    class Checked(tf.experimental.ExtensionType):
        name: str
        price: tf.Tensor

        def __init__(self, name, price, discount=0):
            self.name = name
            self.price = price * (1 - discount)

        def __validate__(self):
            self.price.shape.assert_has_rank(0)

        @property
        def doubled(self):
            return self.price * 2

        @staticmethod
        def free():
            return Checked("free", 0.0)

    value = Checked("ball", 5.0, discount=0.25)
    return (
        value.name, value.price, value.doubled, Checked.free().price,
        raised(lambda: Checked("ball", tf.ones([2])), "Shape (2,) must have rank 0"),
    )  # fmt: skip


@row
def equality(tf, np):
    Masked = _masked(tf)
    a = Masked([1, 2], [True, False])
    return (
        a == Masked([1, 2], [True, False]), a == Masked([1, 3], [True, False]), a != Masked([1, 3], [True, False]),
        a == Masked([[1, 2]], [True, False]), a == a.values, a != a.values,
    )  # fmt: skip


@row
def inheritance(tf, np):
    class Graph(tf.experimental.ExtensionType):
        size: tf.Tensor
        edges: tf.Tensor = 3

    class Named(Graph):
        name: str

        def scaled(self):
            return Named(self.size * 2, self.edges, name=self.name)

    value = Named(2, name="n").scaled()
    return value.size, value.edges, value.name, isinstance(value, Graph), raised(lambda: Named(1, 2, "n"), "too many")


@row
def specs(tf, np):
    class Player(tf.experimental.ExtensionType):
        name: tf.Tensor
        attributes: Mapping[str, tf.Tensor]

    spec = tf.type_spec_from_value(Player("Anne", {"height": 8.3, "speed": 28.1}))
    made = Player.Spec(name=tf.TensorSpec([], tf.float32), attributes={})
    shown = [repr(x).replace(type(x).__qualname__, "Player.Spec") for x in (spec, made)]
    Masked = _masked(tf)
    exact = Masked([1.0], [2.0])._type_spec
    loose = Masked.Spec(tf.TensorSpec([None]), tf.TensorSpec(None))
    return (
        shown, repr(spec.attributes), repr(loose), exact == Masked([3.0], [4.0])._type_spec, exact == loose,
        hash(exact) == hash(Masked([3.0], [4.0])._type_spec), loose.is_compatible_with(Masked([3.0], 1.0)),
        loose.is_compatible_with(Masked([3], 1.0)), exact.is_subtype_of(loose), loose.is_subtype_of(exact),
        repr(exact.most_specific_common_supertype([Masked([1.0, 2.0], [2.0])._type_spec])),
        raised(lambda: Masked.Spec(tf.TensorSpec([])), "missing a required argument: 'mask'"),
        raised(lambda: Masked.Spec(3, tf.TensorSpec([])), "values: expected a TensorSpec, got 'int'"),
    )  # fmt: skip


@row
def own_spec(tf, np):
    class Spec:
        def __init__(self, shape, dtype=tf.float32):
            self.values = tf.TensorSpec(shape, dtype)
            self.mask = tf.TensorSpec(shape, tf.bool)

        def __repr__(self):
            return f"Masked.Spec({self.shape}, {self.dtype})"

        shape = property(lambda self: self.values.shape)
        dtype = property(lambda self: self.values.dtype)

    Masked = _masked(tf, Spec=Spec)
    f = tf.function(lambda x: x.values, input_signature=[Masked.Spec([None])])
    return repr(Masked.Spec([2, None])), repr(Masked([1], [True])._type_spec), f(Masked([1.0, 2.0], [True, False]))


@row
def nested_and_flattened(tf, np):
    Pair = _pair(tf)

    class Outer(tf.experimental.ExtensionType):
        pair: Pair
        ragged: tf.RaggedTensor
        named: Mapping[str, tf.Tensor]
        several: Tuple[Pair, ...] = ()  # noqa: UP006

    value = Outer(Pair(1, 2), tf.ragged.constant([[1.0], [2.0, 3.0]]), {"b": 3, "a": 4}, [Pair(5, 6), Pair(7, 8)])
    mapped = tf.nest.map_structure(lambda x: x * 2, value, expand_composites=True)
    f = tf.function(lambda v: Outer(v.pair, v.ragged * 2.0, v.named, v.several[:1]))
    return (
        tf.nest.flatten(value, expand_composites=True), mapped.named["a"], mapped.several[1].second,
        len(tf.nest.flatten(value)), f(value).ragged.to_list(), len(f(value).several),
        raised(lambda: tf.nest.assert_same_structure(value, Pair(1, 2), expand_composites=True)),
        raised(lambda: Outer(1, None, {}), "pair: expected 'Pair', got 'int'"),
    )  # fmt: skip


@row
def functions(tf, np):
    Pair, traced = _pair(tf), []

    @tf.function
    def f(x, y=2.0):
        traced.append(1)
        return Pair(x.first * y, x.second, x.scale + 1), x.scale

    calls = [f(Pair([1.0], 2.0)), f(Pair([3.0], 4.0)), f(Pair([3.0, 4.0], 4.0)), f(Pair([1.0], 2.0, 3.0))]
    captured = Pair(tf.constant([5.0]), 6.0)
    g = tf.function(lambda: captured)
    spec = Pair.Spec(tf.TensorSpec([None]), tf.TensorSpec([]), 1.0)
    signed = tf.function(lambda x: x.first + x.second, input_signature=[spec])
    concrete = tf.function(lambda x: x.first * 3.0).get_concrete_function(spec)
    return (
        len(traced), [(x.first, x.second, x.scale, scale) for x, scale in calls], g().first,
        signed(Pair([1.0], 2.0)), signed(Pair([1.0, 2.0], 2.0)), concrete(Pair([1.0, 2.0], 2.0)),
        raised(lambda: signed(Pair([1], 2.0))), raised(lambda: signed(Pair([1.0], 2.0, 3.0))),
    )  # fmt: skip


@row
def printed_signature(tf, np):
    Masked = _masked(tf)
    concrete = tf.function(lambda x: x).get_concrete_function(Masked([1], [True]))
    return str(concrete.pretty_printed_signature()), repr(concrete.structured_input_signature)


@row
def conditions_and_loops(tf, np):
    Pair = _pair(tf)
    a, b = Pair([1.0, 2.0], 3.0), Pair([4.0, 5.0], 6.0)

    @tf.function
    def chosen(which):
        if which:
            x = Pair(a.first * 2.0, a.second)
        else:
            x = b
        for _ in tf.range(5 if which else 7):
            x = Pair(x.first + 0.5, x.second, x.scale)
        return x

    @tf.function
    def until(x):
        turns = 0
        while tf.reduce_sum(x.first) < 10.0:
            x = Pair(x.first + 1.0, x.second)
            turns += 1
        return x.first, turns

    @tf.function
    def broken(x):
        for i in tf.range(10):
            if tf.reduce_sum(x.first) > 20.0:
                break
            x = Pair(x.first * 2.0, x.second + tf.cast(i, tf.float32))
        return x.first, x.second

    def condition(i, _):
        return i < 4

    def body(i, x):
        return i + 1, Pair(x.first + 1.0, x.second)

    loop = tf.while_loop(condition, body, [0, b])[1]
    in_function = tf.function(lambda: tf.while_loop(condition, body, [0, b])[1].first)
    cond = tf.function(lambda c: tf.cond(c, lambda: a, lambda: b).first)
    return (
        [chosen(tf.constant(c)).first for c in (True, False)], until(a), broken(a), loop.first, in_function(),
        cond(tf.constant(False)), tf.cond(tf.constant(True), lambda: a, lambda: b).first,
        tf.case([(tf.constant(False), lambda: a)], default=lambda: b).first, tf.identity(a).first,
    )  # fmt: skip


@row
def what_loops_refuse(tf, np):
    Pair = _pair(tf)

    @tf.function
    def grows(x):
        for _ in tf.range(3):
            x = Pair(tf.concat([x.first, x.first], 0), x.second)
        return x

    @tf.function
    def changes_type(x):
        for _ in tf.range(3):
            x = x.first
        return x

    @tf.function
    def branches(c, x):
        if c:
            x = Pair(x.first, x.second, 5.0)
        return x

    x = Pair([1.0], 2.0)
    return raised(lambda: grows(x)), raised(lambda: changes_type(x)), raised(lambda: branches(tf.constant(True), x))


@row
def gradients(tf, np):
    Pair = _pair(tf)
    x = Pair([1.0, 2.0], 3.0)
    f = tf.function(lambda x: Pair(x.first**2 * x.second, x.second))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
        z = tf.reduce_sum(y.first)
    return (
        tape.gradient(z, [x.first, x.second]), tape.gradient(y.first, tf.nest.flatten(x, expand_composites=True)),
        raised(lambda: tape.gradient(z, x), "Type Pair is not supported as a gradient source or gradient target."),
    )  # fmt: skip


@row
def datasets(tf, np):
    Pair = _pair(tf, tf.experimental.BatchableExtensionType)
    pairs = Pair([[1, 2], [3, 4], [5, 6]], [7, 8, 9])
    rows = tf.data.Dataset.from_tensor_slices(pairs)
    batched = rows.batch(2)

    def parts(dataset):
        return [(x.first, x.second, x.scale) for x in dataset]

    def generator():
        for i in range(3):
            yield Pair([i, i], i)

    made = tf.data.Dataset.from_generator(
        generator, output_signature=Pair.Spec(tf.TensorSpec([2], tf.int32), tf.TensorSpec([], tf.int32), 1.0)
    )
    NotBatchable = _masked(tf)
    return (
        repr(rows.element_spec).replace(Pair.__qualname__, "Pair"), parts(rows),
        repr(batched.element_spec).replace(Pair.__qualname__, "Pair"), parts(batched), parts(batched.unbatch()),
        parts(rows.map(lambda x: Pair(x.first * 2, x.second, 4.0))), list(rows.map(lambda x: x.first).batch(3)),
        parts(made.batch(2)), [(x.first, y) for x, y in tf.data.Dataset.zip((rows, tf.data.Dataset.range(3)))],
        parts(rows.filter(lambda x: x.second > 7).repeat(2)), rows.reduce(0, lambda total, x: total + x.second),
        parts(tf.data.Dataset.from_tensors(pairs)), next(iter(rows)).second,
        raised(lambda: tf.data.Dataset.from_tensor_slices(NotBatchable([1], [True]))),
        raised(lambda: tf.data.Dataset.from_tensors(NotBatchable([1], [True])).batch(2)),
    )  # fmt: skip


@row
def shapes_in_batches(tf, np):
    class Shaped(tf.experimental.BatchableExtensionType):
        shape: tf.TensorShape
        work: tf.Tensor

        def __init__(self, work):
            self.work = tf.convert_to_tensor(work)
            self.shape = self.work.shape[:-1]

    rows = tf.data.Dataset.from_tensor_slices(Shaped([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    mapped = tf.map_fn(lambda x: Shaped(x.work * 2.0), Shaped([[1.0, 2.0], [3.0, 4.0]]))
    return (
        [str(x.shape) for x in rows], [(str(x.shape), x.work) for x in rows.batch(2)],
        [str(x.shape) for x in rows.batch(3, drop_remainder=True)], str(mapped.shape), mapped.work,
    )  # fmt: skip


@row
def map_fn(tf, np):
    Pair = _pair(tf, tf.experimental.BatchableExtensionType)
    pairs = Pair([[1.0, 2.0], [3.0, 4.0]], [7.0, 8.0])
    single = Pair.Spec(tf.TensorSpec([2]), tf.TensorSpec([]), 1.0)

    def changed(x):
        return Pair(x.first + x.second, x.second)

    same = tf.map_fn(changed, pairs)
    in_function = tf.function(lambda x: tf.map_fn(changed, x))(pairs)
    made = tf.map_fn(lambda x: Pair([x, x], x), tf.constant([1.0, 2.0]), fn_output_signature=single)
    with tf.GradientTape() as tape:
        tape.watch(pairs.first)
        total = tf.reduce_sum(tf.map_fn(lambda x: x.first**2 * x.second, pairs, fn_output_signature=tf.float32))
    return (
        same.first, in_function.first, in_function.second, made.first, made.second, tape.gradient(total, pairs.first),
        raised(lambda: tf.map_fn(lambda x: x, _pair(tf)([1.0], [2.0]))),
    )  # fmt: skip


@row
def own_batch_encoder(tf, np):
    class Encoder(tf.experimental.ExtensionTypeBatchEncoder):
        def batch(self, spec, batch_size):
            return Sum.Spec(tf.TensorSpec([batch_size, *spec.a.shape]), tf.TensorSpec([batch_size, *spec.b.shape]))

        def unbatch(self, spec):
            return Sum.Spec(tf.TensorSpec(spec.a.shape[1:]), tf.TensorSpec(spec.b.shape[1:]))

        def encode(self, spec, value, minimum_rank=0):
            return [value.a + value.b, value.a - value.b]

        def decode(self, spec, encoded_value):
            both, difference = encoded_value
            return Sum((both + difference) / 2.0, (both - difference) / 2.0)

        def encoding_specs(self, spec):
            return [spec.a, spec.b]

    class Sum(tf.experimental.BatchableExtensionType):
        a: tf.Tensor
        b: tf.Tensor
        __batch_encoder__ = Encoder()

    sums = Sum([1.0, 2.0], [5.0, 7.0])
    rows = tf.data.Dataset.from_tensor_slices(sums)
    mapped = tf.map_fn(lambda x: Sum(x.a + 1.0, x.b), sums)
    return (
        [(x.a, x.b) for x in rows], [(x.a, x.b) for x in rows.batch(2)], mapped.a, mapped.b,
        raised(lambda: _masked(tf, __batch_encoder__=Encoder()), "only be defined for BatchableExtensionType classes"),
    )  # fmt: skip


@row
def python_calls(tf, np):
    Pair = _pair(tf)
    x, spec = Pair([1.0, 2.0], 3.0), Pair.Spec(tf.TensorSpec([2]), tf.TensorSpec([]), 1.0)

    def call(x):
        total = tf.py_function(lambda p: tf.reduce_sum(p.first), [x], tf.float32)
        made = tf.py_function(lambda p: Pair(p.first * 2.0, p.second), [x], spec)
        return total, made.first, made.second

    return call(x), tf.function(call)(x)


@row
def modules(tf, np):
    Pair = _pair(tf)

    class Holder(tf.Module):
        def __init__(self):
            super().__init__()
            self.pair, self.pairs, self.v = Pair([1.0], 2.0), [Pair(1.0, 2.0)], tf.Variable(3.0)

        @tf.function
        def __call__(self):
            return Pair(self.pair.first * self.v, self.pairs[0].second)

    holder = Holder()
    return holder().first, holder().second, len(holder.trainable_variables), tf.is_tensor(holder.pair)


@row
def models(tf, np):
    class Pair(tf.experimental.BatchableExtensionType):
        first: tf.Tensor
        second: tf.Tensor
        shape = property(lambda self: self.first.shape)

        class Spec:
            shape = property(lambda self: self.first.shape)

    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")

        def call(self, inputs):
            x = inputs.first * inputs.second[:, None] if isinstance(inputs, Pair) else tf.reduce_sum(inputs, 1)[:, None]
            return self.dense(x)

    pairs, labels = Pair([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0.1, 0.2, 0.3]), tf.constant([[1.0], [2.0], [3.0]])
    ragged = tf.ragged.constant([[0.1], [0.2, 0.3], [0.4]])
    found = []
    for x in (pairs, ragged):
        model = Model()
        model.compile(tf.keras.optimizers.SGD(0.1), "mse")
        batches = tf.data.Dataset.from_tensor_slices((x, labels)).batch(2)
        found.append([
            model(x), model.fit(x, labels, batch_size=2, shuffle=False, epochs=2, verbose=0).history,
            model.fit(batches, epochs=2, verbose=0).history, model.predict(x, batch_size=2, verbose=0),
            model.evaluate(x, labels, verbose=0),
        ])  # fmt: skip
    return found


@row
def a_type_of_one_tensor_passes_a_function(tf, np):
    class One(tf.experimental.ExtensionType):
        x: tf.Tensor
        tag: str = "t"

    f = tf.function(lambda one: One(one.x * 2.0, one.tag + "!"))
    results = [f(One([1.0, 2.0])) for _ in range(2)]
    return [type(result).__name__ for result in results], [(result.x, result.tag) for result in results]
