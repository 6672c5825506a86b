"""Models of ImageNet: their layers, weights and results are those of tf_keras."""

import json
import pathlib

import numpy as np
import pytest

import tfcompat as tf
from tfcompat.keras.applications._models import frame, imagenet

from . import models

RECORDED = json.loads((pathlib.Path(__file__).parents[1] / "golden" / "applications.json").read_text(encoding="utf-8"))


@pytest.mark.filterwarnings("ignore:tfcompat keeps compiling")  # every model is compiled, each for one call
@pytest.mark.parametrize("row", [f"{name} {json.dumps(arguments)}" for name, arguments in models.QUICK])
def test_model(row):
    lines, results = models.told(tf, *models.ROWS[row])
    structure, numbers = RECORDED[row]
    assert models.digest(lines) == structure
    np.testing.assert_allclose(results, numbers, 1e-3, 1e-4)


@pytest.mark.parametrize("row", [f"{name} {json.dumps(arguments)}" for name, arguments in models.BUILT])
def test_layers(row):
    assert models.digest(models.told(tf, *models.ROWS[row], images=False)[0]) == RECORDED[row][0]


def test_every_row_is_recorded():
    assert RECORDED.keys() == models.ROWS.keys()


@pytest.mark.parametrize("name", ["ConvNeXtTiny", "RegNetX002"])
def test_a_model_comes_back_from_its_configuration(name):
    model = getattr(tf.keras.applications, name)(weights=None, include_top=False, input_shape=(32, 32, 3))
    for other in (tf.keras.models.model_from_json(model.to_json()), tf.keras.models.clone_model(model)):
        assert list(map(models.layer_text, other.layers)) == list(map(models.layer_text, model.layers))
        assert models.weight_texts(other) == models.weight_texts(model)


def test_names_of_classes_are_fetched_once(monkeypatch, tmp_path):
    fetched = []
    names = {str(i): [f"n{i:08}", f"thing_{i}"] for i in range(1000)}
    (tmp_path / "names.json").write_text(json.dumps(names), encoding="utf-8")

    def get_file(name, origin, cache_subdir, file_hash):
        fetched.append((name, origin.rpartition("/")[2], cache_subdir, file_hash))
        return str(tmp_path / "names.json")

    monkeypatch.setattr(imagenet, "get_file", get_file)
    imagenet._names.cache_clear()
    scores = np.zeros((2, 1000), "float32")
    scores[0, [7, 3, 999]] = [0.25, 0.5, 0.125]
    scores[1, 5] = 1.0
    try:
        first, second = tf.keras.applications.resnet50.decode_predictions(scores, top=3)
        assert first == [(*names[str(i)], scores[0, i]) for i in (3, 7, 999)]
        assert second[0] == ("n00000005", "thing_5", 1.0) and len(second) == 3
        assert len(tf.keras.applications.mobilenet_v3.decode_predictions(scores)[0]) == 5
    finally:
        imagenet._names.cache_clear()
    name = "imagenet_class_index.json"
    assert fetched == [(name, name, "models", "c2c37ea517e94d9795004a39431a14cb")]


FILES = [
    ("MobileNetV2", {"alpha": 0.35, "include_top": False, "input_shape": (96, 96, 3)},
     "mobilenet_v2/mobilenet_v2_weights_tf_dim_ordering_tf_kernels_0.35_96_no_top.h5", None),
    ("MobileNet", {"alpha": 0.25, "input_shape": (128, 128, 3)}, "mobilenet/mobilenet_2_5_128_tf.h5", None),
    ("ResNet50", {"include_top": False}, "resnet/resnet50_weights_tf_dim_ordering_tf_kernels_notop.h5",
     "4d473c1dd8becc155b73f8504c6f6626"),
    ("MobileNetV3Small", {"alpha": 0.75},
     "mobilenet_v3/weights_mobilenet_v3_small_224_0.75_float.h5", "cb65d4e5be93758266aa0a7f2c6708b7"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "file", "file_hash"), FILES)
def test_weights_are_fetched_from_where_tensorflow_has_them(monkeypatch, name, arguments, file, file_hash):
    fetched, loaded = [], []
    monkeypatch.setattr(frame, "get_file", lambda *args, **kwargs: fetched.append((args, kwargs)) or "the file")
    monkeypatch.setattr(tf.keras.Model, "load_weights", lambda self, path: loaded.append(path))
    getattr(tf.keras.applications, name)(**arguments)
    folder = "https://storage.googleapis.com/tensorflow/keras-applications/"
    assert fetched == [
        ((file.rpartition("/")[2], folder + file), {"cache_subdir": "models", "file_hash": file_hash}),
    ]  # fmt: skip
    assert loaded == ["the file"]
