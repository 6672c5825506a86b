"""Files of `Dataset.save`: what is refused, and what damaged files raise."""

import json
import pathlib

import pytest

import tfcompat as tf


def _saved(folder):
    path = folder / "saved"
    tf.data.Dataset.from_tensor_slices((["a", "bc"], [1.0, 2.0])).save(str(path))
    return path


@pytest.mark.parametrize("change", [
    lambda told: told.pop("element_spec"),
    lambda told: told.update(element_spec={"kind": "tuple"}),
    lambda told: told.update(element_spec={"kind": "tensor", "shape": [1], "dtype": "no"}),
    lambda told: told.update(shards=3),
    lambda told: told["shards"][0].update(folder="../../elsewhere"),
    lambda told: told["shards"][0].update(counts=[-1]),
    lambda told: told.update(version=99),
    lambda told: told.update(format="another"),
])  # fmt: skip
def test_description_that_is_damaged(tmp_path, change):
    path = _saved(tmp_path)
    told = json.loads((path / "dataset.json").read_text())
    change(told)
    (path / "dataset.json").write_text(json.dumps(told))
    with pytest.raises(tf.errors.DataLossError):
        list(tf.data.Dataset.load(str(path)))


def test_elements_that_are_damaged(tmp_path):
    path = _saved(tmp_path)
    (file,) = pathlib.Path(path).rglob("*.npz")
    good = file.read_bytes()
    for data in (b"", good[:100], good.replace(b"abc", b"ab"), b"no" * 100):
        file.write_bytes(data)
        with pytest.raises(tf.errors.DataLossError):
            list(tf.data.Dataset.load(str(path)))
    told = json.loads((path / "dataset.json").read_text())
    told["shards"][0]["counts"] = [3]
    (path / "dataset.json").write_text(json.dumps(told))
    file.write_bytes(good)
    with pytest.raises(tf.errors.DataLossError, match="elements"):
        list(tf.data.Dataset.load(str(path)))
    file.unlink()
    with pytest.raises(tf.errors.NotFoundError):
        list(tf.data.Dataset.load(str(path)))


def test_what_is_refused(tmp_path):
    dataset, path = tf.data.Dataset.range(3), str(tmp_path / "x")
    refused = tf.errors.UnimplementedError
    with pytest.raises(refused, match="checkpoint_args"):
        dataset.save(path, checkpoint_args={"directory": path})
    with pytest.raises(refused, match="compression"):
        dataset.save(path, compression="LZMA")
    with pytest.raises(refused, match="tensors"):
        dataset.window(2).save(path)
    with pytest.raises(refused, match="wait"):
        tf.data.Dataset.load(path, wait=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="reader_func"):
        dataset.save(path)
        tf.data.Dataset.load(path, reader_func=lambda shards: 3)
    (tmp_path / "tf").mkdir()
    (tmp_path / "tf" / "dataset_spec.pb").write_bytes(b"")
    with pytest.raises(refused, match="TensorFlow"):
        tf.data.Dataset.load(str(tmp_path / "tf"))


def test_many_elements_are_several_files(tmp_path):
    path = tmp_path / "many"
    tf.data.Dataset.range(2500).save(str(path))
    assert len(list(path.rglob("*.npz"))) == 3
    loaded = tf.data.Dataset.load(str(path))
    assert [int(x) for x in loaded.batch(500).map(lambda x: x[0])] == [0, 500, 1000, 1500, 2000]
    assert int(loaded.reduce(tf.constant(0, tf.int64), lambda a, b: a + b)) == 2500 * 2499 // 2
