"""`tf.experimental.dtensor` where TensorFlow has no answer: one device, several processes, what is refused."""

import copy
import json
import os
import pathlib
import socket
import subprocess
import sys

import numpy as np
import pytest

import tfcompat as tf

dtensor = tf.experimental.dtensor
PROGRAM = pathlib.Path(__file__).with_name("_clients.py")


def test_two_processes_of_two_devices():
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        jobs = ",".join(f"127.0.0.1:{server.getsockname()[1]}" for server in (one, other))
    processes = [
        subprocess.Popen(
            [sys.executable, str(PROGRAM)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=os.environ | {"JAX_PLATFORMS": "cpu", "DTENSOR_JOBS": jobs, "DTENSOR_CLIENT_ID": str(number)},
        )
        for number in range(2)
    ]  # fmt: skip
    try:
        for number, process in enumerate(processes):
            out, err = process.communicate(timeout=180)
            assert process.returncode == 0, err
            got = json.loads(out.splitlines()[-1])
            assert (got["kind"], got["clients"], got["replicated"]) == ("CPU", 2, True)
            assert got["local"] == [2 * number, 2 * number + 1]
            assert got["parts"] == [[[n, n]] for n in got["local"]]
            rows = np.arange(4.0)
            np.testing.assert_allclose(got["loss"], ((3 * rows) ** 2).sum(), rtol=1e-6)
            np.testing.assert_allclose(got["w"], np.float32([1, 2]) - 0.01 * (2 * 3 * rows * rows).sum(), rtol=1e-5)
    finally:
        for process in processes:
            process.kill()


def test_a_mesh_of_one_device():
    mesh = dtensor.create_mesh({"x": 1})
    x = dtensor.relayout([[1.0, 2.0]], dtensor.Layout(["x", "unsharded"], mesh))
    v = dtensor.DVariable(x)
    v.assign_add(x)
    assert dtensor.is_dtensor(x) and v.layout == dtensor.fetch_layout(x)
    np.testing.assert_array_equal(v, [[2.0, 4.0]])
    assert copy.deepcopy(v).layout == v.layout
    np.testing.assert_array_equal(dtensor.unpack(x)[0], [[1.0, 2.0]])


def test_datasets_of_batches():
    layout = dtensor.Layout(["x"], dtensor.create_mesh({"x": 1}))
    data = tf.data.Dataset.range(5).batch(2, drop_remainder=True)
    spread = dtensor.DTensorDataset(
        data, mesh=layout.mesh, layouts=layout, global_batch_size=2, dataset_already_batched=True, batch_dim="x",
        prefetch=2,
    )  # fmt: skip
    assert spread.element_spec == tf.TensorSpec([2], tf.int64)
    assert [batch.numpy().tolist() for batch in spread] == [[0, 1], [2, 3]]


def test_what_is_refused_is_named():
    mesh = dtensor.create_mesh({"x": 1})
    layout = dtensor.Layout(["x"], mesh)
    with pytest.raises(tf.errors.UnimplementedError, match="use to_string"):
        mesh.as_proto()
    with pytest.raises(tf.errors.UnimplementedError, match=r"Layout.to_parted is not available in tfcompat"):
        layout.to_parted()
    with pytest.raises(tf.errors.UnimplementedError, match="text stays on the host"):
        dtensor.relayout(["a"], layout)
    with pytest.raises(tf.errors.UnimplementedError, match="SparseTensors are not available"):
        dtensor.pack([tf.sparse.from_dense([1.0])], layout)
    with pytest.raises(tf.errors.UnimplementedError, match="device twice"):
        dtensor.relayout([1.0, 2.0], dtensor.Layout(["x"], dtensor.create_mesh({"x": 2}, devices=["CPU:0", "CPU:0"])))
    with pytest.raises(tf.errors.InvalidArgumentError, match="no device .*CPU:9"):
        dtensor.relayout([1.0], dtensor.Layout(["x"], dtensor.create_mesh({"x": 1}, devices=["CPU:9"])))
    with pytest.raises(AttributeError, match="sharded_save is not available in tfcompat: use .*DTensorCheck"):
        _ = dtensor.sharded_save
    with pytest.raises(tf.errors.UnimplementedError, match="save_as_bf16"):
        dtensor.DVariable([1.0], layout=layout).save_as_bf16 = True
    with pytest.raises(NotImplementedError, match="several processes"):
        dtensor.DTensorDataset(
            tf.data.Dataset.range(2), mesh=mesh, layouts=layout, global_batch_size=1, tf_data_service_config=1
        )


def test_derivatives_through_a_relayout():
    layout = dtensor.Layout(["x", "unsharded"], dtensor.create_mesh({"x": 1}))
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = dtensor.relayout(x**2, layout)
        gradient = tape.gradient(y, x)
    np.testing.assert_array_equal(accumulator.jvp(y), 2 * x)
    np.testing.assert_array_equal(accumulator.jvp(gradient), tf.fill([2, 2], 2.0))
    np.testing.assert_array_equal(tape.batch_jacobian(y, x), tf.linalg.diag(2 * x))
    np.testing.assert_array_equal(tape.jacobian(y, x), tf.reshape(tf.linalg.diag(tf.reshape(2 * x, [4])), [2, 2, 2, 2]))
