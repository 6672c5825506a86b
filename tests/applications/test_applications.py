"""Models of ImageNet: their layers, weights and results are those of tf_keras."""

import json
import pathlib

import numpy as np
import pytest

import tfcompat as tf
from tests.applications import models

RECORDED = json.loads((pathlib.Path(__file__).parents[1] / "golden" / "applications.json").read_text(encoding="utf-8"))


# Each model is another program, made at the same line.
@pytest.mark.filterwarnings("ignore:tfcompat keeps compiling")
@pytest.mark.parametrize("row", [f"{name} {json.dumps(arguments)}" for name, arguments in models.QUICK])
def test_model(row):
    lines, results = models.told(tf, *models.ROWS[row])
    structure, numbers = RECORDED[row]
    assert models.digest(lines) == structure
    np.testing.assert_allclose(results, numbers, 1e-3, 1e-4)


@pytest.mark.parametrize("row", [f"{name} {json.dumps(arguments)}" for name, arguments in models.BUILT])
def test_structure(row):
    lines, _ = models.told(tf, *models.ROWS[row], images=False)
    assert models.digest(lines) == RECORDED[row][0]


def test_every_row_is_recorded():
    assert RECORDED.keys() == models.ROWS.keys()


@pytest.mark.parametrize("name", ["ConvNeXtTiny", "RegNetX002"])
def test_a_model_comes_back_from_its_configuration(name):
    model = getattr(tf.keras.applications, name)(weights=None, include_top=False, input_shape=(32, 32, 3))
    for other in (tf.keras.models.model_from_json(model.to_json()), tf.keras.models.clone_model(model)):
        assert list(map(models.layer_text, other.layers)) == list(map(models.layer_text, model.layers))
        assert models.weight_texts(other) == models.weight_texts(model)
