"""Models that TensorFlow saved: what `tf.lite` makes of them computes the same."""

import numpy as np
import pytest
from recording.saved_models import FILE, NOT_KEPT
from saved_model._archives import unpacked
from saved_model.models import MODELS

import tfcompat as tf
from tfcompat.lite._errors import ConverterError

for _package in ("litert_converter", "ai_edge_litert"):
    pytest.importorskip(_package, reason="pip install 'tfcompat[lite]'")

# What assigns variables or draws random numbers is not converted here.
REFUSED = ["counter", "moving_average", "random_numbers"]
OF_LITE = [name for name, row in MODELS.items() if row.lite and row.signature and name not in NOT_KEPT]
NAMES = [name for name in OF_LITE if name not in REFUSED]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The models as TensorFlow saved them."""
    return unpacked(FILE, tmp_path_factory.mktemp("saved_models"))


@pytest.mark.filterwarnings("ignore:tf.saved_model.load")
@pytest.mark.parametrize("name", NAMES)
def test_model_of_tensorflow_is_converted(folder, name):
    row = MODELS[name]
    signature = tf.saved_model.load(str(folder / name)).signatures["serving_default"]
    data = tf.lite.TFLiteConverter.from_saved_model(str(folder / name)).convert()
    interpreter = tf.lite.Interpreter(model_content=data)
    named = {spec.name: x for spec, x in zip(row.specs(tf), row.arrays(1), strict=True)}
    got = interpreter.get_signature_runner()(**named)
    want = signature(**{name: tf.constant(x) for name, x in named.items()})
    assert got.keys() == want.keys()
    for key, value in want.items():
        np.testing.assert_allclose(got[key], value.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.filterwarnings("ignore:tf.saved_model.load")
@pytest.mark.parametrize("name", REFUSED)
def test_model_of_tensorflow_is_refused(folder, name):
    assert name in OF_LITE
    with pytest.raises(ConverterError):
        tf.lite.TFLiteConverter.from_saved_model(str(folder / name)).convert()
