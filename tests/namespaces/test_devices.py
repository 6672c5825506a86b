"""`tf.device` and `tf.config`."""

import os
import subprocess
import sys

import numpy as np
import pytest

import tfcompat as tf
from tfcompat import engine

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


@pytest.mark.parametrize(
    "name",
    ["/CPU:0", "CPU", "cpu:0", "/cpu", "/device:CPU:0", "/device:CPU:*", CPU, "/job:localhost/device:CPU:0", "", None],
)
def test_names_of_the_cpu(name, execution):
    with tf.device(name):
        x = tf.constant([1.0, 2.0]) * 2.0
        v = tf.Variable(x)
    np.testing.assert_allclose(x + v, [4.0, 8.0])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nonsense///", "Unknown attribute 'nonsense' is encountered while parsing the device spec"),
        ("/physical_device:CPU:0", "Unknown attribute 'physical_device' is encountered while parsing the device spec"),
        (3, "Expecting a string device name"),
        ("/device:", "Unknown attribute 'device' is encountered while parsing the device spec"),
        ("CPU:x", r"invalid literal for int\(\) with base 10: 'x'"),
    ],
)
def test_malformed_names(name, message):
    with pytest.raises(ValueError, match=message):
        tf.device(name)


@pytest.mark.parametrize("name", ["/CPU:99", "/device:XYZ:0", "TPU:99"])
def test_the_default_device_stands_in_for_missing_ones(name):
    assert tf.config.get_soft_device_placement()
    with tf.device(name):
        assert float(tf.constant(1.0) + 1.0) == 2.0
    tf.config.set_soft_device_placement(False)
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Could not satisfy device specification"):
            tf.device(name)
    finally:
        tf.config.set_soft_device_placement(True)


def test_contexts_nest_and_are_used_again():
    context = tf.device("/CPU:0")
    with context, tf.device(None), context:
        x = tf.constant(1.0) * 2.0
    with context:
        assert float(x) == 2.0


def test_inside_functions():
    @tf.function
    def f(x):
        with tf.device("/CPU:0"):
            return x * 2.0

    assert f(tf.constant(1.0)).device == CPU or tf.config.list_physical_devices("GPU")


PROGRAM = """
import tfcompat as tf
print([d.name for d in tf.config.list_physical_devices()])
with tf.device("/CPU:1"):
    x = tf.constant([1.0, 2.0]) * 3.0
    w = tf.Variable(x)
with tf.GradientTape() as tape:
    y = tf.reduce_sum(w * w)
g = tape.gradient(y, w)
print(x.numpy(), x.device, g.numpy(), w.device)
y = tf.constant(1.0) + 1.0
print(y.numpy(), y.device)
"""


HIDDEN = """
import tfcompat as tf
cpus = tf.config.list_physical_devices("CPU")
tf.config.set_visible_devices(cpus[1], "CPU")
print([d.name for d in tf.config.get_visible_devices()], tf.config.list_logical_devices(), len(cpus))
x = tf.Variable([1.0, 2.0]) * 3.0
print(x.numpy(), x.device, next(iter(x._node.value.devices())).id)
with tf.device("/CPU:0"):
    print((x + 1.0).numpy(), tf.config.list_logical_devices("GPU"))
tf.config.set_visible_devices([], "GPU")
try:
    tf.config.set_visible_devices(cpus, "GPU")
except ValueError as error:
    print(error)
tf.config.set_visible_devices(cpus)
y = tf.ones(2) + 1.0
print(y.numpy(), next(iter(y._node.value.devices())).id)
"""


DIVIDED = """
import tfcompat as tf
config = tf.config
(cpu,) = config.list_physical_devices()
with tf.device("/CPU:0"), tf.device("/GPU:0"):
    v = tf.Variable([1.0])
print(config.get_logical_device_configuration(cpu), config.list_logical_devices("TPU"))
config.set_logical_device_configuration(cpu, [config.LogicalDeviceConfiguration()] * 2)
print(len(config.experimental.get_virtual_device_configuration(cpu)), config.list_physical_devices() == [cpu])
print([d.name for d in config.list_logical_devices()])
with tf.device("/CPU:1"):
    x = tf.constant(1.0) + 1.0
print(float(x), x.device[-5:], (x + v).device[-5:])
config.set_logical_device_configuration(cpu, [config.LogicalDeviceConfiguration()] * 2)
try:
    config.set_logical_device_configuration(cpu, [config.LogicalDeviceConfiguration()] * 3)
except RuntimeError as error:
    print(error)
"""


def _printed(program):
    """The lines that a program prints in a process of its own, on a CPU."""
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    output = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=99)  # noqa: E501
    assert output.returncode == 0, output.stderr
    return output.stdout.splitlines()


def test_a_cpu_is_divided_after_it_was_listed():
    """As TensorFlow 2.21 prints it."""
    assert _printed(DIVIDED) == [
        "[] []",
        "2 True",
        "['/device:CPU:0', '/device:CPU:1']",
        "2.0 CPU:1 CPU:0",
        "Virtual devices cannot be modified after being initialized",
    ]


INVISIBLE = """
import tfcompat as tf
cpu = tf.config.list_physical_devices("CPU")[0]
def refused(*devices):
    try:
        tf.config.set_visible_devices(*devices)
    except (ValueError, RuntimeError, tf.errors.OpError) as error:
        print(type(error).__name__, str(error).partition("name=")[0].partition(": tf.")[0])
refused([])
refused([], "CPU")
refused(None)
refused("CPU:0")
refused([cpu], "GPU")
refused([[cpu]])
print(float(tf.constant(1.0) + 1.0), tf.config.get_visible_devices() == [cpu])
refused([])
refused(cpu)
"""


def test_a_cpu_has_to_be_visible():
    """TensorFlow 2.21 raises the first two when an operation runs, and the others as here."""
    assert _printed(INVISIBLE) == [
        *["NotFoundError No CPU devices are available in this process"] * 2,
        "ValueError Unrecognized device: None",
        "ValueError Unrecognized device: 'CPU:0'",
        "ValueError Unrecognized device: PhysicalDevice(",
        "ValueError Unrecognized device: [PhysicalDevice(",
        "2.0 True",
        "RuntimeError Visible devices cannot be modified after being initialized",
    ]


LATE = """
import os, time
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
import tfcompat as tf
from tfcompat._core import device
device._PATIENCE = "--xla_cpu_collective_call_terminate_timeout_seconds=1"
before = os.environ["XLA_FLAGS"]
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
assert os.environ["XLA_FLAGS"] == before
mesh = Mesh(np.array(jax.devices()), ("r",))
def late(x, number):
    time.sleep(8 * int(number))
    return np.asarray(x)
def sums(x):
    x = jax.pure_callback(late, jax.ShapeDtypeStruct(x.shape, x.dtype), x, jax.lax.axis_index("r"))
    return jax.lax.psum(x, "r")
x = jax.device_put(np.float32([1, 2]), NamedSharding(mesh, P("r")))
print(np.asarray(jax.jit(jax.shard_map(sums, mesh=mesh, in_specs=P("r"), out_specs=P(), check_vma=False))(x)))
"""


@pytest.mark.parametrize("flag", ["", " --xla_cpu_collective_call_terminate_timeout_seconds=99"])
def test_xla_waits_for_devices_as_long_as_it_is_told(flag):
    """A device that comes late ends the process when that time is over. What XLA_FLAGS says goes first."""
    flags = "--xla_cpu_collective_call_warn_stuck_timeout_seconds=1" + flag
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}
    output = subprocess.run(
        [sys.executable, "-c", LATE], env=environment, capture_output=True, text=True, timeout=300
    )
    if flag:
        assert output.stdout == "[3.]\n", output.stderr
    else:
        assert output.returncode and "of 1 seconds exceeded" in output.stderr, output.stderr


def of_two_devices(program):
    environment = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    output = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | environment, capture_output=True, text=True, timeout=300
    )
    assert output.returncode == 0, output.stderr
    return output.stdout.splitlines()


def test_several_devices():
    other = CPU.replace("CPU:0", "CPU:1")
    assert of_two_devices(PROGRAM) == [
        "['/physical_device:CPU:0', '/physical_device:CPU:1']",
        f"[3. 6.] {other} [ 6. 12.] {other}",
        f"2.0 {CPU}",
    ]


def test_operations_run_on_what_is_visible():
    assert of_two_devices(HIDDEN) == [
        "['/physical_device:CPU:1'] [LogicalDevice(name='/device:CPU:0', device_type='CPU')] 2",
        f"[3. 6.] {CPU} 1",
        "[4. 7.] []",
        "Unrecognized device: PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')",
        "[2. 2.] 0",
    ]


def test_lists_of_devices():
    devices = tf.config.list_physical_devices("CPU")
    assert [tuple(d) for d in devices] == [("/physical_device:CPU:0", "CPU")]
    assert tf.config.list_physical_devices("XYZ") == []
    assert [tuple(d) for d in tf.config.list_logical_devices("CPU")] == [("/device:CPU:0", "CPU")]
    assert tf.config.experimental.list_physical_devices("CPU") == devices
    assert tf.config.get_visible_devices("CPU") == devices
    assert tf.config.experimental.get_device_details(devices[0]) == {}
    assert tf.config.experimental.get_memory_info("CPU:0").keys() == {"current", "peak"}


def test_what_scripts_ask_for_first():
    cpu = tf.config.list_physical_devices("CPU")
    for gpu in tf.config.list_physical_devices("XYZ"):
        tf.config.experimental.set_memory_growth(gpu, True)
    with pytest.raises(ValueError, match="non-GPU"):
        tf.config.experimental.set_memory_growth(cpu[0], True)
    tf.config.set_visible_devices(cpu, "CPU")
    tf.config.set_visible_devices(cpu[0], "CPU")
    tf.config.set_logical_device_configuration(cpu[0], [tf.config.LogicalDeviceConfiguration()])
    with pytest.raises(ValueError, match="memory limit on CPU"):
        tf.config.set_logical_device_configuration(cpu[0], [tf.config.LogicalDeviceConfiguration(memory_limit=10)])
    float(tf.ones(2)[0] + 1.0)
    with pytest.raises(RuntimeError, match="Virtual devices cannot be modified after being initialized"):
        tf.config.set_logical_device_configuration(cpu[0], [tf.config.LogicalDeviceConfiguration()] * 2)
    with pytest.raises(RuntimeError, match="Visible devices cannot be modified after being initialized"):
        tf.config.set_visible_devices([], "CPU")
    with pytest.raises(ValueError, match="Unrecognized device: 3"):
        tf.config.get_logical_device_configuration(3)
    tf.config.threading.set_inter_op_parallelism_threads(2)
    assert tf.config.threading.get_inter_op_parallelism_threads() == 2
    tf.config.optimizer.set_jit(True)
    assert tf.config.optimizer.get_jit() == "autoclustering"
    tf.config.optimizer.set_jit(False)
    tf.config.optimizer.set_experimental_options({"layout_optimizer": False})
    assert tf.config.optimizer.get_experimental_options() == {"layout_optimizer": False}


def test_execution():
    assert tf.config.get_execution() in ("deferred", "immediate")
    with engine.execution_mode("immediate"):
        assert tf.config.get_execution() == "immediate"
    with pytest.raises(ValueError, match="deferred"):
        tf.config.set_execution("lazy")


def test_build_info_is_that_of_the_machine():
    info = tf.sysconfig.get_build_info()
    assert info["is_cuda_build"] == ("cuda_compute_capabilities" in info)
    if not tf.config.list_physical_devices("GPU"):
        assert not any(info.values())
    with pytest.raises(AttributeError, match="no C\\+\\+ library"):
        tf.sysconfig.get_compile_flags()
