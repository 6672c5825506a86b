"""Positions of iterators in checkpoints that TensorFlow has written."""

import logging

import tfcompat as tf
from tfcompat.train import _objects


def test_a_position_of_tensorflow_is_not_passed_over_in_silence(tmp_path, monkeypatch, caplog):
    path = str(tmp_path / "checkpoint")
    iterator, weight = iter(tf.data.Dataset.range(5)), tf.Variable(1.0)
    next(iterator)
    with monkeypatch.context() as patch:
        patch.setattr(_objects, "VALUE", "ITERATOR")  # the attribute that TensorFlow uses, for an iterator
        tf.train.Checkpoint(iterator=iterator).write(path)
    fresh = iter(tf.data.Dataset.range(5))
    with caplog.at_level(logging.WARNING):
        tf.train.Checkpoint(iterator=fresh, weight=weight).read(path)
    assert sum("starts from the beginning" in message for message in caplog.messages) == 1
    assert int(next(fresh)) == 0
