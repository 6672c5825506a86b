"""Trains and saves with TensorFlow what `test_checkpoint.py` trains on; has TensorFlow train on what tfcompat saved.

    python tests/record_continued.py
"""

import json
import os
import pathlib
import shutil
import sys
import tempfile

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1", TF_USE_LEGACY_KERAS="1")

import numpy as np
import tensorflow as tf
from train.continued_training import keras_trainer, module_trainer, train

import tfcompat

FOLDER = pathlib.Path(__file__).parent / "golden" / "continued"


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    losses = {}
    checkpoint, step = keras_trainer(tf)
    train(tf, step, 0, 10)
    checkpoint.write(str(FOLDER / "checkpoint" / "ckpt"))
    losses["keras"] = train(tf, step, 10, 20)
    net = module_trainer(tf)
    train(tf, net.step, 0, 10)
    tf.saved_model.save(net, str(FOLDER / "saved_model"))
    (FOLDER / "saved_model" / "fingerprint.pb").unlink()
    (FOLDER / "saved_model" / "saved_model.pb").write_bytes(b"")  # the graph, of which nothing is read
    losses["module"] = train(tf, net.step, 10, 20)
    (FOLDER / "losses.json").write_text(json.dumps(losses, indent=1) + "\n")

    with tempfile.TemporaryDirectory() as folder:  # and back
        ours, our_step = keras_trainer(tfcompat)
        train(tfcompat, our_step, 0, 10)
        path = ours.write(folder + "/ckpt")
        expected = train(tfcompat, our_step, 10, 20)
        theirs, their_step = keras_trainer(tf)
        theirs.read(path).assert_consumed()
        np.testing.assert_allclose(train(tf, their_step, 10, 20), expected, rtol=1e-4)
    print(f"{FOLDER.name}: written; TensorFlow {tf.__version__} trains on what tfcompat saved, with the same losses")


if __name__ == "__main__":
    sys.exit(main())
