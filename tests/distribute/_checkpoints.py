"""Writes a checkpoint of variables of several replicas and of a model that was trained, or reads it.

    python tests/distribute/_checkpoints.py MODULE REPLICAS WAY PATH

MODULE is tensorflow or tfcompat, WAY write or read. Prints as JSON what the variables hold.
"""

import importlib
import json
import os
import sys

import numpy as np

READ_LATER = ["SUM", "MEAN", "ONLY_FIRST_REPLICA"]


def main(module, replicas, way, path):
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    tf = importlib.import_module(module)
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * replicas)
    strategy = tf.distribute.MirroredStrategy([f"/cpu:{n}" for n in range(replicas)])
    tf.keras.utils.set_random_seed(3)
    layers = tf.keras.layers
    with strategy.scope():
        mirrored = tf.Variable([1.0, 2.0])
        later = {
            kind: tf.Variable(
                0.0, trainable=False, synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=getattr(tf.VariableAggregation, kind),
            )
            for kind in READ_LATER
        }  # fmt: skip
        model = tf.keras.Sequential([layers.Dense(4), layers.BatchNormalization(), layers.Dense(2)])
        model.compile(tf.keras.optimizers.Adam(0.1), "mse")
        model.build((None, 3))
        model.optimizer.build(model.trainable_variables)
    checkpoint = tf.train.Checkpoint(mirrored=mirrored, later=later, model=model, optimizer=model.optimizer)
    if way == "write":
        random = np.random.RandomState(0)
        model.fit(random.randn(8, 3).astype("f"), random.randn(8, 2).astype("f"), batch_size=8, verbose=0)

        def replica():
            number = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
            for variable in later.values():
                variable.assign_add(number + 2.0)

        strategy.run(replica)
        mirrored.assign([3.0, 4.0])
        checkpoint.write(path)
    else:
        checkpoint.read(path).assert_consumed()
    values = [mirrored, *(later[kind].read_value() for kind in READ_LATER), *model.weights, *model.optimizer.variables]
    print(json.dumps([np.asarray(value).tolist() for value in values]))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
