"""The files that the TensorBoard callback writes, read as TensorBoard reads them."""

import glob
import os
import struct

import numpy as np
import pytest

import tfcompat as tf
from tfcompat.summary._messages import Event

X = np.random.default_rng(0).normal(size=(16, 3)).astype(np.float32)


def events(folder):
    """{(tag, plugin, step): bytes of a tensor} of the event files in a folder."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "events.out.tfevents.*"))):
        with open(path, "rb") as file:
            data = file.read()
        while data:
            (size,) = struct.unpack("<Q", data[:8])
            event, data = data[12 : 12 + size], data[16 + size :]
            event = Event.FromString(event)
            for value in event.summary.value:
                plugin = value.metadata.plugin_data.plugin_name
                found[value.tag, plugin, event.step] = value.tensor
    return found


def fitted(folder, rate=0.1, **options):
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, name="one"), Told(), tf.keras.layers.Dense(1, name="two")])
    model.compile(tf.keras.optimizers.SGD(rate), "mse")
    callback = tf.keras.callbacks.TensorBoard(folder, **options)
    history = model.fit(
        X, X[:, :1], batch_size=4, epochs=2, verbose=0, validation_data=(X[:4], X[:4, :1]), callbacks=[callback]
    )
    return history.history


class Told(tf.keras.layers.Layer):
    def call(self, x):
        tf.summary.scalar("told", tf.reduce_sum(x))
        return x


def number(tensor):
    return np.frombuffer(tensor.tensor_content, np.float32)[0]


def test_epochs(tmp_path):
    history = fitted(tmp_path)
    train, validation = events(tmp_path / "train"), events(tmp_path / "validation")
    assert [number(train["epoch_loss", "scalars", epoch]) for epoch in (0, 1)] == pytest.approx(history["loss"])
    losses = [number(validation["epoch_loss", "scalars", epoch]) for epoch in (0, 1)]
    assert losses == pytest.approx(history["val_loss"])
    steps = [number(validation["evaluation_loss_vs_iterations", "scalars", step]) for step in (4, 8)]
    assert steps == pytest.approx(history["val_loss"])
    assert {tag for tag, _, _ in train} == {"epoch_loss", "keras"} - ({"keras"} if len(train) == 2 else set())


def test_batches_weights_and_rates(tmp_path):
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 4, 0.5)
    options = {"histogram_freq": 1, "write_images": True, "write_steps_per_second": True}
    fitted(tmp_path, schedule, update_freq=2, **options)
    train = events(tmp_path / "train")
    assert [step for tag, _, step in train if tag == "batch_loss"] == [2, 4, 6, 8]
    assert [step for tag, _, step in train if tag.endswith("told")] == [0, 2, 4, 6]
    rates = [number(train["epoch_learning_rate", "scalars", epoch]) for epoch in (0, 1)]
    assert rates == pytest.approx([0.05, 0.025])
    assert ("one/kernel_0/histogram", "histograms", 1) in train and ("one/kernel_0/image", "images", 0) in train
    assert ("epoch_steps_per_second", "scalars", 1) in train


def test_embeddings_and_a_graph_of_layers(tmp_path):
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Embedding(4, 2, input_length=2, name="words"), layers.Flatten()])
    model.compile("sgd", "mse")
    options = {"embeddings_freq": 1, "embeddings_metadata": {"words": "words.tsv"}}
    model.fit(
        np.ones((2, 2)), np.ones((2, 4)), verbose=0, callbacks=[tf.keras.callbacks.TensorBoard(tmp_path, **options)]
    )
    assert 'metadata_path: "words.tsv"' in (tmp_path / "projector_config.pbtxt").read_text()
    assert (tmp_path / "train" / "keras_embedding.ckpt-0.index").exists()
    (text,) = events(tmp_path / "train")["keras", "graph_keras_model", 0].string_val
    assert b'"Sequential"' in text


def test_refused():
    with pytest.raises(ValueError, match="Unrecognized arguments"):
        tf.keras.callbacks.TensorBoard(often=1)
    with pytest.raises(ValueError, match="profile_batch must be"):
        tf.keras.callbacks.TensorBoard(profile_batch=(3, 2))
    with pytest.raises(ValueError, match="Unrecognized `Embedding`"):
        tf.keras.callbacks.TensorBoard(embeddings_freq=1, embeddings_metadata={"a": "b"}).set_model(
            tf.keras.Sequential()
        )
