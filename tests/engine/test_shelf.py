"""What is known of families of calls is kept as text: with the package, and from one process to the next."""

import json
import subprocess
import sys

import jax
import numpy as np
import pytest

from tfcompat import engine, extend
from tfcompat.engine.host import Plan, own_texts, shelf

EVERY = 40  # programs of which one is traced anew


def test_shipped_texts_are_what_traces_tell_now():
    program = f"""
import json, sys
from tfcompat._tools import plans
from tfcompat.engine.host import shelf
texts = plans.texts(list(plans.programs())[::{EVERY}])
shipped = dict(line.split("\\t", 1) for line in shelf.SHIPPED.read_text().splitlines())
both = texts.keys() & shipped.keys()  # an operation that failed for symbols too often is tried no more
assert len(both) > 100, len(both)
for key in both:
    shipped_now, told = json.loads(shipped[key]), json.loads(texts[key])
    for name in shipped_now.keys() & told.keys():  # what nobody has asked for is not told
        assert shipped_now[name] == told[name], f"{{key}}: run python -m tfcompat._tools.plans"
"""
    if jax.__version_info__ >= (0, 11):
        pytest.skip("traces of JAX 0.10 ship; another version's may be other steps to the same numbers")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert not done.returncode, done.stderr


def test_a_text_is_found_whatever_its_place(tmp_path):
    texts = {f"key {n} of {'x' * (n % 7)}": json.dumps([n] * (n % 11)) for n in range(500)}
    shelf.write(tmp_path / "texts", texts)
    content = (tmp_path / "texts").read_bytes()
    for key, text in texts.items():
        assert shelf._found(content, key.encode()) == text.encode()
    for key in ("", "a", "key", "key 1", "zzz"):
        assert shelf._found(content, key.encode()) is None


@pytest.mark.parametrize("content", [b"", b"\n\n\n", b"no tab\n", b"key\t{broken\n", bytes(range(256)), b"key\t"])
def test_what_cannot_be_read_is_as_good_as_none(content, tmp_path):
    (tmp_path / "plans.txt").write_bytes(content)
    assert shelf.Shelf("plans", 10, 100, tmp_path / "plans.txt").get("key") is None


def test_a_plan_survives_its_text():
    operation = engine.Operation("softly", lambda x: jax.nn.softmax(x @ x.T, axis=0)[1:], identity="softly")
    plan = Plan.of(operation.bind(engine.NO_ATTRIBUTES, (engine.Aval((7, 5), np.dtype("float32")),)).jaxpr())
    again = shelf.plan_of(json.loads(json.dumps(shelf.data_of(plan))))
    x = np.random.default_rng(0).normal(size=(7, 5)).astype("float32")
    np.testing.assert_array_equal(plan.sized({})(x)[0], again.sized({})(x)[0])
    np.testing.assert_allclose(plan.sized({})(x)[0], operation.fn(x), rtol=1e-5)


def test_a_second_process_traces_nothing(tmp_path):
    program = """
import numpy as np
import tfcompat as tf
from tfcompat.engine import _bind, _families
traced = []
own = _bind.Call._traced, _bind.Call.jaxpr
_bind.Call._traced = lambda call, *shapes: traced.append(call) or own[0](call, *shapes)
_bind.Call.jaxpr = lambda call: traced.append(call) or own[1](call)
general, sized = _families.attempted, _families._attempted
_families.attempted = lambda *arguments: traced.append(arguments) or general(*arguments)
_families._attempted = lambda *arguments: traced.append(arguments) or sized(*arguments)
with tf.GradientTape() as tape:
    x = tf.constant(np.ones((6, 9, 2, 3, 4), "float32"))
    tape.watch(x)
    images = tf.nn.conv2d(x[:, :, :, :, 0], tf.ones([2, 2, 3, 5]), 1, "SAME")
    y = tf.reduce_sum(tf.cumsum(x, 2)[:, ::3] * 2.0) + tf.reduce_sum(tf.nn.max_pool2d(images, 2, 2, "SAME"))
w = tf.Variable([[0.1, 0.2], [0.3, 0.4]])
with tf.GradientTape(persistent=True) as outer:
    with tf.GradientTape() as inner:
        z = tf.tanh(tf.tanh(w @ w) @ w)
    slope = inner.gradient(z, w)
second = outer.jacobian(slope, w)
print(y.numpy(), tape.gradient(y, x).numpy().sum(), second.numpy().sum(), len(traced))
"""
    environment = {"TFCOMPAT_CACHE": str(tmp_path)}
    runs = [subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
            for _ in range(2)]  # fmt: skip
    assert not any(run.returncode for run in runs), runs[0].stderr
    first, second = (run.stdout.split() for run in runs)
    assert first[:3] == second[:3]
    assert int(first[3]) > 0
    assert int(second[3]) == 0


def test_functions_of_unknown_sizes_are_traced_by_the_first_process(tmp_path):
    program = """
import sys
import numpy as np
import tfcompat as tf
from tfcompat.engine import _bind
traced, own = [], _bind.Call._traced
_bind.Call._traced = lambda call, *shapes: traced.append(call) or own(call, *shapes)

@tf.function(input_signature=[tf.TensorSpec([None, 3])])
def mean_of_powers(x):
    rows = tf.cast(tf.shape(x)[0], tf.float32)
    i, total = 0, tf.zeros([3])
    while i < 3:
        total += tf.reduce_sum(x, 0) / rows
        x = tf.cond(rows > 4.0, lambda: x * x, lambda: -x)
        i += 1
    return total

results = []
for rows in map(int, sys.argv[1:]):
    x = tf.constant(np.arange(3.0 * rows).reshape(rows, 3) / rows, tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = mean_of_powers(x)
    results += [*y.numpy(), *tape.gradient(y, x).numpy()[1]]
print(len([call for call in traced if call.weight > 1]), *np.round(results, 4))
"""
    environment = {"TFCOMPAT_CACHE": str(tmp_path)}

    def run(*sizes):
        command = [sys.executable, "-c", program, *sizes]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert not done.returncode, done.stderr
        traces, *numbers = map(float, done.stdout.split())
        return traces, numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]

    first, of_six, of_four = run("6", "4")
    again, of_four_again, of_six_again = run("4", "6")
    assert first > again == 0
    assert (of_six, of_four) == (of_six_again, of_four_again)
    new, of_five, of_six_again = run("5", "6")
    assert new > 0
    assert of_six_again == of_six
    assert of_five[0] == pytest.approx(sum(np.mean((np.arange(0, 15, 3) / 5) ** p) for p in (1, 2, 4)), rel=1e-3)


def _gradient_of(attributes):
    """The call of the derivative of a captured graph, in which a call has `attributes`."""
    scaled = engine.Operation("scaled", lambda x, by: x * by, ("by",), identity="scaled by")
    aval = engine.Aval((2, 3), np.dtype("float32"))
    with engine.Capture() as capture:
        node = capture.placeholder(aval)
        result = engine.record(scaled.bind(engine.attributes_of(attributes), (aval,)), (node,))
        operation, _ = capture.operation([result], "captured")
    return operation.bind(engine.NO_ATTRIBUTES, (aval,)).vjp((0,), (True,))


def test_calls_of_no_family_are_told_apart():
    keys = [own_texts.Told(_gradient_of(by))._key for by in (2.0, 2.0, 3.0)]
    assert keys[0] is not None
    assert keys[0] == keys[1] != keys[2]


@pytest.mark.parametrize("data", [{"results": 1}, {"results": [[2], "no dtype"], "depends": 3}, {"plan": [1]}, [], 5])
def test_what_is_damaged_of_a_call_is_told_anew(data, monkeypatch):
    monkeypatch.setattr(shelf.OWN, "get", lambda key: data)
    call = _gradient_of(7.0)
    assert call.aval.shape == (2, 3)
    assert own_texts.Told(call).plan(call).sized({})(np.ones((2, 3), "f"), np.ones((2, 3), "f"))[0].max() == 7.0


@extend.op("my.plus", kernel="Plus", tensors=("x",), dtypes=extend.FLOATING)
def _plus(x):
    return x + 1.0


@pytest.mark.parametrize("operation", [engine.Operation("of a user", lambda x: x + 1.0), _plus.spec.operation])
def test_what_users_wrote_has_no_text(operation):
    attributes = engine.attributes_of((1,)) if operation.attribute_names else engine.NO_ATTRIBUTES
    call = operation.bind(attributes, (engine.Aval((), np.dtype("float32")),))
    assert own_texts.Told(call)._key is None
    assert call.member is None  # what is known of families is kept as well
