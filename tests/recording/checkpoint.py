"""A checkpoint of TensorFlow, `golden/checkpoint`; TensorFlow also reads what tfcompat writes."""

import os
import pathlib
import tempfile

from train.checkpoint_objects import build

import tfcompat

FOLDER = pathlib.Path(__file__).parents[1] / "golden" / "checkpoint"


def record(tf, options):
    build(tf, 1).save(str(FOLDER / "ckpt"))
    with tempfile.TemporaryDirectory() as folder:
        ours = build(tfcompat, 5)
        path = ours.save(folder + "/ckpt")
        theirs = build(tf, 7)
        theirs.restore(tf.train.latest_checkpoint(folder)).assert_consumed()
        assert theirs.step.numpy() == 5
        for a, b in zip(theirs.stack.variables, ours.stack.variables, strict=True):
            assert (a.numpy() == b.numpy()).all()
        for name, shape in tf.train.list_variables(path):
            one, other = tf.train.load_variable(path, name), tfcompat.train.load_variable(path, name)
            assert (one == other).all() if shape else one == other, name
        ours.write(path)  # over the old one, in files of other names
        assert build(tf).restore(path).assert_consumed() and len(os.listdir(folder)) == 3
    print(f"{FOLDER.name}: written; TensorFlow {tf.__version__} reads ours")
