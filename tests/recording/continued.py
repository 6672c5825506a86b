"""What TensorFlow trains and saves for `train/test_checkpoint.py` to go on with; and the other way round."""

import json
import pathlib
import shutil
import tempfile

import numpy as np
from train.continued_training import keras_trainer, module_trainer, train

import tfcompat

FOLDER = pathlib.Path(__file__).parents[1] / "golden" / "continued"


def record(tf, options):
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
