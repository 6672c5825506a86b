"""What needs pydot, Graphviz, SciPy or pandas, with and without them."""

import sys

import numpy as np
import pytest

import tfcompat as tf
from tfcompat.keras.utils import _plot


def model():
    return tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])


def test_a_picture_of_a_model_is_written(monkeypatch):
    pydot, written = pytest.importorskip("pydot"), []
    monkeypatch.setattr(_plot, "_can_draw", lambda: True)
    monkeypatch.setattr(pydot.Dot, "write", lambda dot, path, format: written.append((path, format)))
    tf.keras.utils.plot_model(model(), "model.pdf", show_shapes=True)
    assert written == [("model.pdf", "pdf")]


def test_what_is_said_without_pydot(monkeypatch, capsys):
    monkeypatch.setattr(_plot, "_pydot", lambda: None)
    with pytest.raises(ImportError, match=r"You must install pydot \(`pip install pydot`\) for model_to_dot to work"):
        tf.keras.utils.model_to_dot(model())
    with pytest.raises(ImportError, match="install graphviz .* for plot_model to work"):
        tf.keras.utils.plot_model(model())
    monkeypatch.setitem(sys.modules, "IPython.core.magics.namespace", sys)
    assert tf.keras.utils.plot_model(model()) is None
    assert "for plot_model to work" in capsys.readouterr().out
    with pytest.raises(ValueError, match="has not yet been built"):
        tf.keras.utils.plot_model(tf.keras.Sequential([tf.keras.layers.Dense(1)]))


def test_what_is_said_without_scipy(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(ImportError, match="Image transformations require SciPy. Install SciPy."):
        tf.keras.preprocessing.image.apply_affine_transform(np.zeros((3, 2, 2)), 1)


def test_batches_of_the_files_in_a_table(tmp_path):
    pandas = pytest.importorskip("pandas")
    for name in "abcd":
        tf.keras.utils.save_img(tmp_path / f"{name}.png", np.full((2, 2, 3), ord(name)), scale=False)
    table = pandas.DataFrame({
        "filename": [f"{name}.png" for name in "abxcd"], "class": list("xyxzy"), "a": range(5), "b": np.arange(5) * 0.5,
        "many": [["x"], ["x", "y"], ["z"], ["w"], ["y"]],
    })  # fmt: skip

    def flow(**options):
        made = tf.keras.preprocessing.image.ImageDataGenerator(validation_split=0.5).flow_from_dataframe
        with pytest.warns(UserWarning, match="Found 1 invalid image filename"):
            return made(table, tmp_path, target_size=(1, 1), shuffle=False, **options)

    # As tf_keras 2.21 answers.
    x, y = next(flow())
    assert x.ravel()[::3].tolist() == [97.0, 98.0, 99.0, 100.0]
    assert y.tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    x, y, weights = next(flow(class_mode="sparse", classes=["y", "x"], weight_col="b"))
    assert (y.tolist(), weights.tolist()) == ([1.0, 0.0, 0.0], [0.0, 0.5, 2.0])
    raw = next(flow(class_mode="raw", y_col=["a", "b"]))[1]
    assert raw.tolist() == [[0.0, 0.0], [1.0, 0.5], [3.0, 1.5], [4.0, 2.0]]
    assert [part.tolist() for part in next(flow(class_mode="multi_output", y_col=["a", "b"]))[1]] == [
        [0, 1, 3, 4], [0.0, 0.5, 1.5, 2.0]
    ]  # fmt: skip
    assert next(flow(y_col="many", classes=["x", "w"]))[1].tolist() == [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    assert flow(subset="training").filenames == ["c.png", "d.png"]
    assert next(flow(class_mode=None)).shape == (4, 1, 1, 3)
    with pytest.raises(TypeError, match="must be strings"):
        tf.keras.preprocessing.image.ImageDataGenerator().flow_from_dataframe(table, tmp_path, "a")
    with pytest.raises(ValueError, match="there must be 2 classes"):
        tf.keras.preprocessing.image.ImageDataGenerator().flow_from_dataframe(table, tmp_path, class_mode="binary")
