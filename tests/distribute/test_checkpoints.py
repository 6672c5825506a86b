"""Checkpoints do not depend on the number of replicas, and are TensorFlow's."""

import json

import numpy as np
import pytest
from recording.replicas_checkpoint import FOLDER, printed


@pytest.mark.parametrize("replicas", [1, 8])
def test_one_of_tensorflow_is_read(replicas):
    """`record.py replicas_checkpoint` has TensorFlow read one of eight replicas."""
    held = json.loads((FOLDER / "held.json").read_text(encoding="utf-8"))
    read = printed("tfcompat", replicas, "read", FOLDER / "ckpt")
    assert len(read) == len(held)
    for one, other in zip(read, held, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
