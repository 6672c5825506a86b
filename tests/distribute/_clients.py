"""A step on a mesh of two processes with two devices each; prints as JSON what came of it: `_clients.py`.

DTENSOR_JOBS and DTENSOR_CLIENT_ID say which processes there are.
"""

import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import tfcompat as tf  # noqa: E402

dtensor = tf.experimental.dtensor


def main():
    kind = dtensor.initialize_accelerator_system("CPU", num_logical_cpu_devices=2)
    mesh = dtensor.create_distributed_mesh({"x": 4})
    client = dtensor.client_id()
    rows = [tf.fill([1, 2], float(2 * client + n)) for n in range(2)]
    x = dtensor.pack(rows, dtensor.Layout.batch_sharded(mesh, "x", 2))
    w = dtensor.DVariable(np.float32([1.0, 2.0]), layout=dtensor.Layout.replicated(mesh, 1))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.linalg.matvec(x, w) ** 2)
    w.assign_sub(0.01 * tape.gradient(loss, w))
    dtensor.barrier(mesh)
    print(json.dumps({
        "kind": kind, "local": mesh.local_device_ids(), "clients": dtensor.num_clients(), "loss": float(loss),
        "parts": [part.numpy().tolist() for part in dtensor.unpack(x)], "w": w.numpy().tolist(),
        "replicated": dtensor.fetch_layout(w.read_value()).is_fully_replicated(),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
