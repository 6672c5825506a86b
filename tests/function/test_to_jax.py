"""JAX both ways: `to_jax`, `from_jax`, modules as pytrees."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfcompat as tf

X = np.float32([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
Y = np.float32([1.0, 0.0, 2.0])


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([0.5, -0.5], name="w")
        self.parts = [tf.Variable(0.0, name="b"), {"steps": tf.Variable(0, trainable=False, name="steps")}]

    def __call__(self, x):
        return tf.linalg.matvec(x, self.w) + self.parts[0]

    def step(self, x, y, rate=0.1):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x) - y) ** 2)
        variables = [self.w, self.parts[0]]
        for v, g in zip(variables, tape.gradient(loss, variables), strict=True):
            if tf.norm(g) > 1.0:
                g = g / tf.norm(g)
            v.assign_sub(rate * g)
        self.parts[1]["steps"].assign_add(1)
        return loss


def trained(steps):
    model = Model()
    losses = [float(model.step(tf.constant(X), tf.constant(Y))) for _ in range(steps)]
    return losses, model.w.numpy()


# --- to_jax -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variables", ["found", "list", "module", "nest"])
def test_training_step_as_a_pure_function(variables):
    model = Model()
    given = {
        "found": None, "list": list(model.variables), "module": model,
        "nest": {"w": model.w, "rest": [model.parts[0], model.parts[1]["steps"]]},
    }[variables]  # fmt: skip
    step = tf.to_jax(model.step, given)
    state = start = step.state(X, Y)
    compiled = jax.jit(step)
    losses = []
    for _ in range(3):
        loss, state = compiled(state, X, Y)
        losses.append(float(loss))
    expected, w = trained(3)
    np.testing.assert_allclose(losses, expected, rtol=1e-6)
    np.testing.assert_array_equal(model.w, [0.5, -0.5])
    assert jax.tree.structure(start) == jax.tree.structure(state)
    step.restore(state)
    np.testing.assert_allclose(model.w, w, rtol=1e-6)
    assert model.parts[1]["steps"].numpy() == 3


def test_state_is_a_dict_by_name():
    step = tf.to_jax(Model().step)
    state = step.state(X, Y)
    assert {name: (x.shape, x.dtype.name) for name, x in state.items()} == {
        "w": ((2,), "float32"), "b": ((), "float32"), "steps": ((), "int32")
    }  # fmt: skip


def test_jax_transforms_pure_functions():
    model = Model()
    predict = tf.to_jax(lambda x: tf.nn.softplus(model(x)), {"w": model.w})
    state = predict.state()

    def reference(state, x):
        return jnp.sum(jax.nn.softplus(x @ state["w"]) ** 2)

    def loss(state, x):
        return jnp.sum(predict(state, x)[0] ** 2)

    def close(a, b):
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6), a, b)

    close(jax.grad(loss)(state, X), jax.grad(reference)(state, X))
    close(jax.hessian(loss)(state, X), jax.hessian(reference)(state, X))
    close(jax.jacfwd(loss, 1)(state, X), jax.jacfwd(reference, 1)(state, X))
    each = jax.vmap(lambda x: loss(state, x[None]))(X)
    close(each, jax.vmap(lambda x: reference(state, x[None]))(X))
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("rows",))
    spec = jax.sharding.PartitionSpec
    sharded = jax.shard_map(
        lambda s, x: predict(s, x)[0], mesh=mesh, in_specs=(spec(), spec("rows")), out_specs=spec("rows")
    )
    close(sharded(state, X), predict(state, X)[0])


def test_variables_that_are_not_in_the_state():
    v, w = tf.Variable(2.0, name="v"), tf.Variable(3.0, name="w")
    read = tf.to_jax(lambda x: x * v * w, [v])
    assert float(read([jnp.float32(5.0)], jnp.float32(1.0))[0]) == 15.0
    with pytest.raises(ValueError, match="assigns the variable w, which is not in the state"):
        tf.to_jax(lambda x: w.assign(x), [v])([1.0], jnp.float32(1.0))
    with pytest.raises(ValueError, match=r"the state has \['other'\]"):
        tf.to_jax(lambda x: x)({"other": 1.0}, jnp.float32(1.0))


def test_variables_of_one_name():
    a, b = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="v")
    f = tf.to_jax(lambda x: x * a + b)
    state = f.state(1.0)
    assert {name: float(x) for name, x in state.items()} == {"v": 1.0, "v_1": 2.0}


def test_assertions_and_prints_happen_when_it_runs(capsys):
    def f(x):
        tf.debugging.assert_positive(x)
        tf.print("x is", x)
        return {"y": x * 2.0, "none": None}

    pure = tf.to_jax(f)
    result, state = jax.jit(pure)({}, jnp.float32(3.0))
    jax.effects_barrier()
    assert float(result["y"]) == 6.0 and result["none"] is None and state == {}
    assert capsys.readouterr().err == "x is 3\n"
    with pytest.raises(tf.errors.InvalidArgumentError):
        pure({}, jnp.float32(-1.0))


# --- from_jax -----------------------------------------------------------------------------------------------------


@tf.from_jax
def normalized(x, order=2, *, scale=1.0):
    return scale * x / jnp.sum(jnp.abs(x) ** order) ** (1.0 / order)


@pytest.mark.usefixtures("execution")
@pytest.mark.parametrize("inside", [False, True])
def test_jax_functions_have_derivatives(inside):
    run = tf.function(normalized) if inside else normalized
    x = tf.Variable([3.0, 4.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            y = run(x)
        jacobian = tape.jacobian(y, x) if not inside else tape.gradient(y, x)
        total = tf.reduce_sum(jacobian**2)
    second = outer.gradient(total, x)

    def reference(x):
        f = normalized.__wrapped__
        slope = jax.grad(lambda x: f(x).sum()) if inside else jax.jacrev(f)
        return jnp.sum(slope(x) ** 2)

    np.testing.assert_allclose(y, [0.6, 0.8], rtol=1e-6)
    np.testing.assert_allclose(total, reference(jnp.float32([3.0, 4.0])), rtol=1e-5)
    np.testing.assert_allclose(second, jax.grad(reference)(jnp.float32([3.0, 4.0])), rtol=1e-4, atol=1e-6)
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as accumulator:
        y = run(x)
    expected = jax.jvp(normalized.__wrapped__, (jnp.float32([3.0, 4.0]),), (jnp.float32([1.0, 0.0]),))[1]
    np.testing.assert_allclose(accumulator.jvp(y), expected, rtol=1e-5)


def test_structures_and_python_values():
    @tf.from_jax
    def f(inputs, mode, n=1):
        assert mode == "sum"
        return {"sum": sum(inputs["parts"]) * n, "rest": (inputs["x"], None, 3)}

    result = f({"parts": [tf.constant(1.0), tf.Variable(2.0)], "x": np.int32([1, 2])}, "sum", n=10)
    assert float(result["sum"]) == 30.0
    assert result["rest"][0].dtype == tf.int32 and result["rest"][1] is None
    assert isinstance(result["rest"][2], tf.Tensor) and int(result["rest"][2]) == 3
    assert f.__name__ == "f"


def test_dtypes_are_those_of_jax():
    def zeros(x):
        return x + jnp.zeros(2), jnp.arange(2)

    f = tf.from_jax(zeros)
    assert [y.dtype for y in f(tf.ones([2]))] == [tf.float32, tf.int32]
    assert f(tf.ones([2], tf.float64))[0].dtype == tf.float64


def test_text_is_refused():
    with pytest.raises(tf.errors.UnimplementedError, match="text"):
        normalized(tf.constant("a"))


def test_arrays_are_not_copied():
    x = jnp.ones([2000])
    tensor = tf.convert_to_tensor(x)
    assert tensor.__jax_array__() is x
    assert tf.from_jax(lambda x: x)(tensor).numpy().sum() == 2000.0


# --- modules ------------------------------------------------------------------------------------------------------


def test_modules_are_pytrees():
    model = Model()
    leaves, tree = jax.tree.flatten(model)
    assert [x.shape for x in leaves] == [v.shape for v in model.variables]
    other = jax.tree.unflatten(tree, leaves)
    assert isinstance(other, Model) and other.w is not model.w and other.parts[1]["steps"].trainable is False
    assert jax.tree.structure(other) == tree != jax.tree.structure(Model())
    np.testing.assert_array_equal(other(X), model(X))


def test_training_modules_as_jax_does():
    class Linear(tf.Module):
        def __init__(self):
            super().__init__()
            self.w, self.b = tf.Variable([0.5, -0.5]), tf.Variable(0.0)

        @tf.function
        def __call__(self, x):
            return tf.linalg.matvec(x, self.w) + self.b

    def loss(model, x, y):
        return jnp.mean((model(x).__jax_array__() - y) ** 2)

    traces = []

    @jax.jit
    def step(model, x, y):
        traces.append("trace")
        value, gradient = jax.value_and_grad(loss)(model, x, y)
        return value, jax.tree.map(lambda v, g: v - 0.1 * g, model, gradient)

    model = start = Linear()
    values = []
    for _ in range(3):
        value, model = step(model, X, Y)
        values.append(float(value))
    assert values[0] > values[1] > values[2] > 0.0
    np.testing.assert_array_equal(start.w, [0.5, -0.5])
    assert len(traces) == 1


def test_assignments_inside_jit_are_those_of_the_copy():
    model = Model()

    @jax.jit
    def count(model):
        model.parts[1]["steps"].assign_add(1)
        return model

    counted = count(count(model))
    assert counted.parts[1]["steps"].numpy() == 2 and model.parts[1]["steps"].numpy() == 0


def test_layers_are_pytrees():
    layer = tf.keras.layers.Dense(2)
    layer(tf.constant(X))
    doubled = jax.tree.map(lambda x: 2 * x, layer)
    np.testing.assert_allclose(doubled(tf.constant(X)), 2 * layer(tf.constant(X)).numpy(), rtol=1e-6)
