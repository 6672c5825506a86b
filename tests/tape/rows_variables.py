"""`tf.Variable`: making, naming, reading, assigning, what is refused."""

import copy
import pickle

from rows import raised, row, row_for


@row
def forms(tf, np):
    x = tf.Variable([1.0, 2.0], name="x")
    n = tf.Variable(3)
    return (
        repr(x),
        str(x),
        repr(n),
        x.name,
        n.name,
        type(x).__name__,
        isinstance(x, tf.Variable),
        isinstance(x, tf.Tensor),
    )


@row
def printing(tf, np):
    v = tf.Variable([[1.0, 2.5], [3.0, 4.0]], name="kernel", dtype=tf.float64)
    return f"{v}", str(v.numpy()), str(v.shape), str(v.dtype), repr(v.dtype), repr(v.shape)


@row
def names(tf, np):
    a, b = tf.Variable(1.0, name="v"), tf.Variable(1.0, name="v")
    with tf.name_scope("outer"):
        c = tf.Variable(1.0, name="w")
        with tf.name_scope("inner"):
            d = tf.Variable(1.0)
    return [v.name for v in (a, b, c, d)]


@row
def dtype_of_the_initial_value(tf, np):
    values = [1, 1.5, True, 1j, "text", [1, 2.0], np.float64(1.0), np.ones(2), np.arange(2), np.float16(1.0)]
    return [tf.Variable(value).dtype.name for value in values]


@row
def initial_value_as_a_function(tf, np):
    calls = []

    def start():
        calls.append(1)
        return tf.ones([2])

    return tf.Variable(start), tf.Variable(lambda: 3.0, dtype=tf.float64), len(calls)


@row
def initial_value_from_variable_and_tensor(tf, np):
    a = tf.Variable([1.0, 2.0])
    b = tf.Variable(a)
    c = tf.Variable(tf.constant([3.0]) * 2.0)
    a.assign([9.0, 9.0])
    return a, b, c


@row
def initial_value_is_copied(tf, np):
    array = np.array([1.0, 2.0], np.float32)
    v, t = tf.Variable(array), tf.constant(array)
    array[0] = 100.0
    seen = v.numpy()
    return v, t, seen


@row
def without_an_initial_value(tf, np):
    return raised(lambda: tf.Variable(), "initial_value"), raised(lambda: tf.Variable(None))


@row
def bad_initial_values(tf, np):
    return (
        raised(lambda: tf.Variable([1.0, [2.0]])),
        raised(lambda: tf.Variable(object())),
        raised(lambda: tf.Variable(1.5, dtype=tf.int32)),
        raised(lambda: tf.Variable("a", dtype=tf.float32)),
        raised(lambda: tf.Variable(tf.constant(1.0), dtype=tf.float64), "float64", "float32"),
    )


@row
def properties(tf, np):
    v = tf.Variable([[1.0, 2.0]], trainable=False, name="v")
    return (
        v.trainable,
        v.shape.as_list(),
        v.dtype.name,
        v.shape.rank,
        tf.Variable(1.0).trainable,
        tf.Variable(1).trainable,
    )


@row
def assign(tf, np):
    v = tf.Variable([1.0, 2.0])
    results = [
        tf.identity(v.assign([3.0, 4.0])),
        tf.identity(v.assign_add([1.0, 1.0])),
        tf.identity(v.assign_sub([0.5, 0.5])),
    ]
    return results, v


@row
def assign_returns_the_variable(tf, np):
    v = tf.Variable(1.0)
    out = v.assign(2.0)
    out.assign_add(5.0)
    return v, out, v.assign(1.0, read_value=False), v.assign_add(1.0).assign_add(1.0)


@row
def assign_kinds_of_value(tf, np):
    v = tf.Variable([1.0, 2.0])
    seen = []
    for value in ([3, 4], np.array([5.0, 6.0]), tf.constant([7.0, 8.0]), tf.Variable([9.0, 1.0]), (2, 3.5)):
        v.assign(value)
        seen.append(tf.identity(v))
    return seen


@row
def assign_a_wrong_shape(tf, np):
    v = tf.Variable([1.0, 2.0], name="v")
    return (
        raised(
            lambda: v.assign([1.0, 2.0, 3.0]),
            "Cannot assign value to variable ' v:0': Shape mismatch.",
            "(2,)",
            "(3,)",
        ),
        raised(lambda: v.assign(1.0), "Shape mismatch"),
        raised(lambda: v.assign_add([1.0, 2.0, 3.0])),
        v,
    )


@row
def assign_a_wrong_dtype(tf, np):
    v, n = tf.Variable([1.0, 2.0]), tf.Variable(3)
    return (
        raised(
            lambda: v.assign(tf.constant([1, 2])),
            "Tensor conversion requested dtype float32 for Tensor with dtype int32",
        ),
        raised(lambda: v.assign(tf.constant([1.0, 2.0], tf.float64)), "float64"),
        raised(lambda: n.assign(1.5)),
        raised(lambda: v.assign("ab")),
        raised(lambda: n.assign_add(0.5)),
        v,
        n,
    )


@row
def assign_a_value_that_broadcasts(tf, np):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    return raised(lambda: v.assign_add([1.0, 1.0])), raised(lambda: v.assign_sub(1.0)), v


@row
def shape_none_allows_other_shapes(tf, np):
    v = tf.Variable([1.0, 2.0], shape=tf.TensorShape(None))
    w = tf.Variable([[1.0, 2.0]], shape=[None, 2])
    before = str(v.shape), str(w.shape)
    v.assign([[1.0, 2.0, 3.0]])
    w.assign([[1.0, 2.0], [3.0, 4.0]])
    return before, v, w, raised(lambda: w.assign([[1.0]])), tf.shape(v), v * 2.0


@row
def shape_none_gradient(tf, np):
    v = tf.Variable([1.0, 2.0], shape=tf.TensorShape(None))
    grads = []
    for value in ([1.0, 2.0, 3.0], [[4.0]]):
        v.assign(value)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v * v)
        grads.append(tape.gradient(y, v))
    return grads


@row
def shape_incompatible_with_the_value(tf, np):
    return raised(lambda: tf.Variable([1.0, 2.0], shape=[3]))


@row
def scatter(tf, np):
    v = tf.Variable([1.0, 2.0, 3.0, 4.0])

    def slices(values, indices):
        return tf.IndexedSlices(tf.constant(values), tf.constant(indices))

    seen = []
    for name in (
        "scatter_add",
        "scatter_sub",
        "scatter_mul",
        "scatter_div",
        "scatter_max",
        "scatter_min",
        "scatter_update",
    ):
        getattr(v, name)(slices([2.0, 8.0], [1, 3]))
        seen.append((name, tf.identity(v)))
    return seen


@row
def scatter_nd(tf, np):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    v.scatter_nd_add([[0, 1]], [10.0])
    first = tf.identity(v)
    v.scatter_nd_sub([[1]], [[1.0, 1.0]])
    second = tf.identity(v)
    v.scatter_nd_update([[0, 0], [1, 1]], [7.0, 8.0])
    return first, second, v


@row
def batch_scatter_update(tf, np):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    v.batch_scatter_update(tf.IndexedSlices(tf.constant([[9.0], [8.0]]), tf.constant([[0], [1]])))
    return v


@row
def python_protocols(tf, np):
    v, m = tf.Variable(2.5), tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    return (
        float(v),
        int(v),
        bool(v),
        [row.numpy().tolist() for row in m],
        len(list(m)),
        raised(lambda: len(m)),
        m.numpy().tolist(),
        np.asarray(m).shape,
        f"{v.numpy():.2f}",
        raised(lambda: f"{v:.2f}"),
    )


@row
def index_protocol(tf, np):
    v = tf.Variable(2)
    return (
        raised(lambda: [10, 20, 30][v]),
        raised(lambda: range(v)),
        [10, 20, 30][v.numpy()],
        [10, 20, 30][int(v)],
    )


@row
def identity_hash_and_equality(tf, np):
    a, b = tf.Variable(1.0), tf.Variable(1.0)
    refs = {a.ref(): "a", b.ref(): "b"}
    return (
        a == b,
        a != b,
        a is a,
        raised(lambda: hash(a), "Variable is unhashable. Instead, use variable.ref() as the key."),
        refs[a.ref()],
        a.ref() == a.ref(),
        a.ref().deref() is a,
        any(a is v for v in [b, a]),
    )


@row
def operators_give_tensors(tf, np):
    v = tf.Variable([1.0, 2.0])
    return v + 1, 1 - v, v * v, v / 2, 2 / v, v**2, 2**v, -v, abs(-v), v // 2, v % 2, v > 1.0, v <= [1.0, 1.0]


@row
def augmented_assignment_is_refused(tf, np):
    v = tf.Variable([1.0, 2.0])

    def add():
        w = v
        w += 1.0

    def multiply():
        w = v
        w *= 2.0

    text = "with `tf.Variable`s is not supported"
    return (
        raised(add, f"`variable += value` {text}", "`variable.assign_add(value)`"),
        raised(multiply, text),
        v,
    )


@row
def indexing_and_slice_assignment(tf, np):
    v = tf.Variable([1.0, 2.0, 3.0])
    v[1].assign(20.0)
    first = tf.identity(v)
    v[:1].assign([7.0])

    def bad():
        v[0] = 1.0

    return first, v, raised(bad, "does not support item assignment")


@row
def as_numpy_and_constants(tf, np):
    v = tf.Variable([1.0, 2.0])
    return np.mean(v), np.array(v), tf.constant(v.numpy()), v.numpy().dtype.name, np.asarray(v, np.float64)


@row
def value_methods(tf, np):
    v = tf.Variable([1.0, 2.0])
    return v.value(), v.read_value(), tf.convert_to_tensor(v), tf.identity(v), type(v.value()).__name__


@row
def deleted_variable_keeps_its_gradient(tf, np):
    v = tf.Variable([1.0, 2.0])
    w = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * w
    del v
    return tape.gradient(y, w)


@row
def device_and_shape(tf, np):
    v = tf.Variable([1.0])
    device = v.device.startswith("/job:localhost/replica:0/task:0/device:")
    return device, v.get_shape().as_list(), v.shape.rank, v.shape == [1], v.shape[0]


@row
def form_of_an_assignment(tf, np):
    v = tf.Variable([1.0, 2.0], name="v")
    return repr(v.assign([3.0, 4.0])), str(v.assign_add([1.0, 1.0])), v.assign([0.0, 0.0]).numpy()


@row
def tuple_of_variables_in_a_module(tf, np):
    class Block(tf.Module):
        def __init__(self, name=None):
            super().__init__(name=name)
            with self.name_scope:
                self.items = [tf.Variable(float(i), name=f"v{i}") for i in range(3)]
                self.frozen = tf.Variable(5.0, trainable=False, name="frozen")

    class Net(tf.Module):
        def __init__(self):
            super().__init__(name="net")
            with self.name_scope:
                self.block = Block()
                self.w = tf.Variable(1.0, name="w")

    net = Net()
    return (
        [v.name for v in net.variables],
        [v.name for v in net.trainable_variables],
        [v.name for v in net.non_trainable_variables],
        [m.name for m in net.submodules],
        net.name,
    )


@row
def in_place_updates_between_reads(tf, np):
    v = tf.Variable([0.0, 0.0])
    history = []
    for i in range(4):
        v.assign_add([1.0, float(i)])
        history.append(v.read_value())
    return history


@row_for(dtype=("bool", "int8", "uint8", "int32", "int64", "float16", "bfloat16", "float64", "complex64", "string"))
def dtypes(tf, np, dtype):
    if dtype == "string":
        v = tf.Variable(["a", "bc"])
        v.assign(["d", "ef"])
    else:
        v = tf.Variable(tf.cast([0, 1], getattr(tf, dtype)))
        v.assign(tf.cast([1, 0], getattr(tf, dtype)))
    return v, repr(v)


@row
def moving_averages(tf, np):
    average = tf.train.ExponentialMovingAverage(0.9)
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(3.0, dtype=tf.float64, name="w")
    before = average.average(v), average.average_name(v)
    average.apply([v, w])
    v.assign([2.0, 4.0])
    with tf.GradientTape() as tape:
        average.apply([v, w])
        y = 2.0 * average.average(v)
    early = tf.train.ExponentialMovingAverage(0.9, num_updates=tf.Variable(2), name="Early")
    early.apply([w])
    w.assign(7.0)
    early.apply([w])
    return (
        before,
        repr(average.average(v)),
        average.average(v).trainable,
        average.average(w),
        average.name,
        {name: variable.name for name, variable in average.variables_to_restore([v, w]).items()},
        tape.gradient(y, v),
        early.average(w),
        early.average_name(w),
        raised(lambda: average.apply([tf.Variable(1)])),
        raised(lambda: average.apply([tf.constant(1.0)])),
    )


@row
def moving_averages_in_a_function(tf, np):
    average = tf.train.ExponentialMovingAverage(tf.Variable(0.5), zero_debias=True)
    v = tf.Variable(3.0)

    @tf.function
    def update():
        average.apply([v])
        return average.average(v)

    results = [update()]
    v.assign(7.0)
    return [*results, update(), average.average(v).numpy()]


@row
def weights_of_a_getter(tf, np):
    class Given(tf.keras.layers.Layer):
        def __init__(self, weight, **kwargs):
            super().__init__(**kwargs)
            self.add_weight(
                name="w", shape=weight.shape, dtype=weight.dtype, trainable=True, experimental_autocast=False,
                getter=lambda *_, **__: weight,
            )  # fmt: skip
            self.made = self.add_weight("made", [2], initializer="ones", trainable=False, getter=self.make)
            self.given = weight

        def make(self, name, shape, dtype, initializer, trainable, **kwargs):
            return tf.Variable(initializer(shape, dtype) * 3.0, name=name, trainable=trainable)

        def call(self, inputs):
            return inputs @ self.given * self.made

        def compute_output_shape(self, input_shape):
            raise AssertionError("nobody asks")

    weight = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    layer = Given(weight, input_shape=(2,))
    model = tf.keras.Sequential([layer, tf.keras.layers.Dense(1, kernel_initializer="ones")])
    return (
        model(tf.ones([1, 2])), model.layers[1].input_shape[-1], layer.trainable_weights[0] is weight,
        [w.shape.as_list() for w in model.weights], [w.name for w in layer.weights[1:]],
    )  # fmt: skip


@row_for(name=("SGD", "Adam", "legacy.Adam", "legacy.SGD"), inside=(False, True))
def variables_made_of_a_variable(tf, np, name, inside):
    class Rounded(tf.Variable):
        def __init__(self, latent):
            self.latent = latent

        def value(self):
            return self.latent + tf.stop_gradient(tf.round(self.latent) - self.latent)

        def read_value(self):
            return self.value()

        def __tf_tensor__(self, dtype=None, name=None):
            return self.value()

        def _dense_var_to_tensor(self, dtype=None, name=None, as_ref=False):
            return self.value()

        def _should_act_as_resource_variable(self):
            pass

        def assign_sub(self, delta, use_locking=None, name=None, read_value=True):
            return self.latent.assign_sub(delta, use_locking, name, read_value)

        def assign_add(self, delta, use_locking=None, name=None, read_value=True):
            return self.latent.assign_add(delta, use_locking, name, read_value)

        def assign(self, value, use_locking=None, name=None, read_value=True):
            return self.latent.assign(value, use_locking, name, read_value)

        def __getattr__(self, name):
            return getattr(self.latent, name)

        def __repr__(self):
            return "Rounded"

        shape = property(lambda self: self.latent.shape)
        dtype = property(lambda self: self.latent.dtype)
        name = property(lambda self: self.latent.name)
        trainable = property(lambda self: True)
        constraint = property(lambda self: None)
        device = property(lambda self: self.latent.device)

    Rounded._OverloadAllOperators()
    v = tf.Variable([0.75, -2.25])
    x = Rounded(v)

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x * tf.constant([1.0, 3.0]) + tf.square(x))
        gradient = tape.gradient(loss, x)
        optimizer.apply_gradients([(gradient, x)])
        return loss, gradient

    space, _, last = name.rpartition(".")
    optimizers = tf.keras.optimizers
    optimizer = getattr(optimizers.legacy if space else optimizers, last)(0.5)
    step = tf.function(step) if inside else step
    return step(), step(), v, x + 1.0, x[0], tf.convert_to_tensor(x), isinstance(x, tf.Variable)


@row
def variables_are_abstract(tf, np):
    import abc

    class Base(metaclass=abc.ABCMeta):  # noqa: B024
        def __init__(self, **kwargs):
            raise AssertionError("the class of variables comes first")

    class Own(tf.Variable):
        pass

    class Mixed(type(tf.Variable(0.0)), Base, metaclass=type(tf.Variable)):
        pass

    return raised(lambda: Own(1.0)), Mixed(initial_value=2.0) + 1.0


@row
def a_cast_to_its_own_dtype_is_the_variable(tf):
    v = tf.Variable([1.0, 2.0])
    cast = tf.cast(v, v.dtype)
    v.assign([3.0, 4.0])
    with tf.GradientTape() as tape:
        y = tf.cast(v, tf.float32) * 2
    return cast is v, cast, tape.gradient(y, v)


@row
def a_cast_to_its_own_dtype_in_a_function(tf):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f():
        cast = tf.cast(v, v.dtype)
        v.assign_add([1.0, 1.0])
        return cast + 0

    return f(), v


@row
def what_is_the_same_object(tf):
    v, x = tf.Variable([1.0, 2.0]), tf.constant([1.0, 2.0])
    return [
        tf.cast(x, tf.float32) is x, tf.constant(x) is x, tf.convert_to_tensor(x) is x, copy.copy(x) is x,
        copy.copy(v) is v, copy.deepcopy(v) is v, tf.identity(x) is x, tf.identity(v) is v,
        tf.convert_to_tensor(v) is v, tf.add_n([x]) is x, tf.add_n([v]) is v, tf.stop_gradient(x) is x,
        tf.reshape(x, [2]) is x, tf.ensure_shape(x, [2]) is x, tf.math.real(x) is x, tf.math.conj(x) is x,
    ]  # fmt: skip


@row
def a_tensor_of_a_trace_is_no_constant(tf):
    return raised(lambda: tf.function(lambda x: tf.constant(x))(tf.ones([2])), "Expected any non-tensor type, but got")


@row
def there_is_no_unary_plus(tf):
    return raised(lambda: +tf.ones([2]), "bad operand type for unary +"), raised(lambda: +tf.Variable(1.0))


@row_for(how=["copy", "deepcopy", "pickle"])
def copied(tf, np, how):
    copies = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda x: pickle.loads(pickle.dumps(x))}
    copied = copies[how]
    tensor, text, variable = tf.constant([1.0, 2.0]), tf.constant("a"), tf.Variable([1.0, 2.0], name="v")
    module = tf.Module("m")
    module.v, module.list = tf.Variable([3.0]), [tf.Variable(1), variable]
    other, other_module = copied(variable), copied(module)
    other.assign_add([1.0, 1.0])
    other_module.v.assign([5.0])
    return {
        "tensors": [copied(tensor), copied(tensor) is tensor, copied(text), copied(text) is text],
        "variable": [variable, other, other is variable, other.name, other.trainable],
        "module": [module.v, other_module.v, other_module.list[1] is module.list[1], other_module.name],
        "others": [copied(x) == x for x in (tf.TensorShape([1, None]), tf.TensorSpec([2]), tf.int8)],
    }


@row
def what_an_assignment_returns_is_read_later(tf):
    v = tf.Variable(1.0)
    u = v.assign(2.0)
    v.assign(3.0)
    w = u.assign_add(5.0)
    return u, v, w, u.name, type(u).__name__, u is v, u.ref() == v.ref(), isinstance(u, tf.Variable)


@row
def gradient_of_what_an_assignment_returns(tf):
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        u = v.assign([1.0, 1.0])
        v.assign([7.0, 7.0])
        y = u * u
    return tape.gradient(y, [v, u])


@row
def what_an_assignment_returns_in_a_function(tf):
    v = tf.Variable(1.0, name="w")
    seen = []

    @tf.function
    def f():
        u = v.assign_add(1.0)
        seen.append((repr(u), repr(v), type(u).__name__))
        return u, u + v

    return f(), seen
