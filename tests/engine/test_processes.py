"""Forked processes compute, or say why not; subinterpreters and an old JAX are refused."""

import math
import os
import pathlib
import subprocess
import sys
import tomllib

import pytest

from tfcompat._package.interpreters import OLDEST_JAX

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked on POSIX only")

WORK = """
import faulthandler, multiprocessing, os, sys, warnings
import numpy as np
import tfcompat as tf

warnings.simplefilter("ignore")  # JAX warns of the fork

def work(_=None):
    v = tf.Variable(tf.ones([3]))
    @tf.function
    def dot(x):
        return tf.reduce_sum(x * v)
    for _ in range(5):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.sin(v) * v)
        v.assign_sub(0.1 * tape.gradient(y, v))
    data = tf.data.Dataset.range(10).map(lambda x: x * 2).batch(3).prefetch(2)
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, kernel_initializer="ones")])
    model.compile("sgd", "mse")
    model.fit(np.ones([8, 3]), np.ones([8, 2]), verbose=0)
    weight = float(model.weights[0][0, 0])
    return round(float(dot(tf.ones([3]))), 4), sum(int(x) for b in data for x in b), round(weight, 4)

def in_child(function):
    sys.stdout.flush()
    child = os.fork()
    if not child:
        faulthandler.dump_traceback_later(100, exit=True)  # tells where it hangs, if it does
        try:
            print(*function())
        except Exception as error:
            print(type(error).__name__, error)
        sys.stdout.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, "the child does not end"
"""
FORKED = """
if sys.argv[1] != "imported":
    work()
if sys.argv[1] == "computing":
    x = tf.ones([600, 600])
    for _ in range(3):  # threads of XLA have worked, and are working
        y = x
        for _ in range(12):
            y = tf.sin(y @ x) * 0.01
        total = tf.reduce_sum(y)
    tf.Variable(total).assign(total)
    from tfcompat import engine
    engine.flush(engine.state.pending)
    print(*work())
    in_child(lambda: (*work(), np.isfinite(total.numpy())))
else:
    in_child(work)
print(*work())
"""
COMPILING = """
from tfcompat.engine.compile import tiers

def step(x):
    for k in range(40):
        x = tf.tanh(x @ x) + tf.reduce_mean(tf.sort(x, axis=k % 2), 0) * 0.1
    return tf.reduce_sum(x)

x = tf.random.stateless_normal([24, 24], [1, 2])
for _ in range(20000):
    value = float(step(x))
    if tiers.is_compiling():
        break
else:
    raise AssertionError("nothing is compiled by another thread")
in_child(lambda: (abs(float(step(x)) - value) < 1e-3 * abs(value) + 1e-3, *work()))
print(*work())
"""
HELD = """
import functools, threading

def other():
    x = tf.Variable(tf.fill([7, 11], 0.1))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.cumsum(tf.tanh(x @ tf.ones([11, 5])), 1))
    return float(tf.reduce_sum(tape.gradient(y, x))), *work()

work()
locks = [
    x.lock for name, module in list(sys.modules.items()) if name.startswith("jax.")
    for kind in vars(module).values() if isinstance(kind, type)
    for x in vars(kind).values() if type(x) is functools.cached_property and hasattr(x, "lock")
]
held = threading.Event()

def hold():
    for lock in locks:
        lock.acquire()
    held.set()
    threading.Event().wait()

threading.Thread(target=hold, daemon=True).start()
held.wait()
in_child(other)
"""
REFUSED = """
from tfcompat.engine import host

def without_rules():
    host.kernel_of = lambda call: None
    return [tf.math.erf(x).numpy()]

x = tf.ones([3])
x.numpy()
in_child(lambda: [tf.tan(x).numpy()])
in_child(without_rules)
"""
STARTED = """
if __name__ == "__main__":
    print(*work())
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        print(*pool.map(work, [0])[0])
"""


def _output(program, *arguments, **environment):
    environment = os.environ | {"TFCOMPAT_CACHE": "off"} | environment
    done = subprocess.run(
        [sys.executable, *([program] if program.endswith(".py") else ["-c", program]), *arguments],
        env=environment, capture_output=True, text=True, timeout=400,
    )  # fmt: skip
    assert not done.returncode, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("tiers", ["all", "compiled"])
@pytest.mark.parametrize("state", ["imported", "used", "computing"])
def test_a_forked_process_computes(state, tiers):
    *lines, last = _output(WORK + FORKED, state, TFCOMPAT_TIERS=tiers)
    child = lines[-1]
    assert child == last + (" True" if state == "computing" else "")
    assert last.split()[1] == "90"


def test_a_process_forked_while_a_thread_compiles_computes():
    child, last = _output(WORK + COMPILING)
    assert child == f"True {last}"


def test_a_process_forked_while_a_thread_holds_locks_of_jax_computes():
    """Those of its cached properties, which Python has up to 3.11."""
    (child,) = _output(WORK + HELD)
    total, *_, text, _ = child.split()
    assert float(total) == pytest.approx(7 * 11 * 15 * (1 - math.tanh(1.1) ** 2), rel=1e-5) and text == "90"


def test_a_forked_process_refuses_what_numpy_cannot_do():
    first, second = _output(WORK + REFUSED)
    assert first.startswith("[1.557")
    assert second.startswith("RuntimeError Erf cannot be computed in this process: it was forked after XLA was used")


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_of_multiprocessing_compute(method, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(WORK + STARTED)
    here, there = _output(str(program), method)
    assert here == there


def test_subinterpreters_are_refused():
    program = """
try:
    import _interpreters as interpreters
    run = interpreters.exec
except ImportError:
    import _xxsubinterpreters as interpreters
    run = interpreters.run_string
code = "try:\\n import tfcompat\\nexcept ImportError as error:\\n print(error)"
for imported in (False, True):
    if imported:
        import tfcompat
    interpreter = interpreters.create()
    run(interpreter, code)
    interpreters.destroy(interpreter)
print(tfcompat.sin(0.0).numpy())
"""
    *refusals, value = _output(program)
    assert [line.partition(":")[0] for line in refusals] == ["tfcompat cannot be imported in a subinterpreter"] * 2
    assert value == "0.0"


def test_a_jax_that_is_too_old_is_refused():
    program = """
import jax
jax.__version__, jax.__version_info__ = "0.7.2", (0, 7, 2)
try:
    import tfcompat
except ImportError as error:
    print(error)
"""
    (refusal,) = _output(program)
    assert refusal.startswith(f"tfcompat needs JAX {OLDEST_JAX} or newer, and this process has imported JAX 0.7.2.")
    project = tomllib.loads(pathlib.Path(__file__).parents[2].joinpath("pyproject.toml").read_text())["project"]
    assert {f"jax>={OLDEST_JAX}", f"jaxlib>={OLDEST_JAX}"} < set(project["dependencies"])
