"""`tf.train`: checkpoints that TensorFlow wrote are read, and written as it writes them; damage, crashes, old files."""

import json
import os
import pathlib
import shutil

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._formats import crc32c
from tfcompat.train import _bundle, _table
from train.checkpoint_objects import build
from train.continued_training import keras_trainer, module_trainer, train

GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "checkpoint" / "ckpt-1"


# --- both ways ----------------------------------------------------------------------------------------------------


def test_reads_what_tensorflow_wrote():
    wanted, found = build(tf, 1), build(tf, 2)
    status = found.restore(str(GOLDEN))
    status.assert_consumed().assert_existing_objects_matched().assert_nontrivial_match()
    assert found.step.numpy() == 1 and found.save_counter.numpy() == 1
    for a, b in zip(found.stack.variables + found.model.variables, wanted.stack.variables + wanted.model.variables,
                    strict=True):  # fmt: skip
        np.testing.assert_array_equal(a, b)
    parts = found.parts
    assert parts.text.numpy() == b"text" and parts.texts.numpy().tolist() == [b"", b"a", b"ab" * 100]
    assert parts.half.dtype == tf.bfloat16 and parts.complex.numpy() == 1 + 2j
    assert parts.flags.numpy().tolist() == [True, False] and parts.large.numpy()[-1] == 8999.0


def test_writes_as_tensorflow_writes(tmp_path):
    """`record_checkpoint.py` has TensorFlow read such files."""
    checkpoint = build(tf, 1)
    path = checkpoint.save(tmp_path / "ckpt")
    assert path == str(tmp_path / "ckpt-1") == tf.train.latest_checkpoint(tmp_path)
    assert (tmp_path / "checkpoint").read_text() == (GOLDEN.parent / "checkpoint").read_text()
    ours, theirs = _bundle.Reader(path), _bundle.Reader(GOLDEN)
    assert tf.train.list_variables(path) == tf.train.list_variables(str(GOLDEN))
    for key in ours.keys():
        assert ours.dtype(key) is theirs.dtype(key)
        if key != "_CHECKPOINTABLE_OBJECT_GRAPH" and not key.startswith(("optimizer", "parts")):
            np.testing.assert_array_equal(ours.read(key), theirs.read(key))


def test_training_goes_on_as_if_never_stopped(tmp_path):
    x, y = tf.constant([[1.0, 2.0], [3.0, -1.0]]), tf.constant([[1.0], [0.0]])

    def made():
        model = tf.keras.Sequential([tf.keras.layers.Dense(3, activation="tanh"), tf.keras.layers.Dense(1)])
        optimizer = tf.keras.optimizers.Adam(0.05)
        return tf.train.Checkpoint(model=model, optimizer=optimizer)

    def steps(checkpoint, count):
        losses = []
        for _ in range(count):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((checkpoint.model(x) - y) ** 2)
            variables = checkpoint.model.trainable_variables
            checkpoint.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
            losses.append(float(loss))
        return losses

    first = made()
    steps(first, 3)
    path = first.write(tmp_path / "c")
    expected = steps(first, 3)
    second = made()
    status = second.read(path)
    second.model(x)  # the layers' variables get their values as they are made
    second.optimizer.build(second.model.trainable_variables)
    status.assert_consumed()
    np.testing.assert_allclose(steps(second, 3), expected, rtol=1e-6)


def test_training_goes_on_where_tensorflow_stopped():
    """`record_continued.py` has TensorFlow train on what tfcompat saved."""
    folder = GOLDEN.parent.parent / "continued"
    losses = json.loads((folder / "losses.json").read_text())
    checkpoint, step = keras_trainer(tf)
    checkpoint.read(folder / "checkpoint" / "ckpt").assert_consumed()
    np.testing.assert_allclose(train(tf, step, 10, 20), losses["keras"], rtol=1e-4)
    net = module_trainer(tf)
    tf.train.Checkpoint(net).restore(folder / "saved_model").assert_nontrivial_match()
    np.testing.assert_allclose(train(tf, net.step, 10, 20), losses["module"], rtol=1e-4)
    assert net.step.experimental_get_tracing_count() == 1
    with pytest.raises(RuntimeError, match="could not be found in SavedModel"):  # the file is empty
        tf.saved_model.load(folder / "saved_model")


def test_looking_into_files(tmp_path):
    reader = tf.train.load_checkpoint(str(GOLDEN))
    key = "step/.ATTRIBUTES/VARIABLE_VALUE"
    assert reader.has_tensor(key) and not reader.has_tensor("other")
    assert reader.get_tensor(key) == 1 and reader.get_variable_to_dtype_map()[key] == tf.int64
    assert reader.get_variable_to_shape_map()["parts/half/.ATTRIBUTES/VARIABLE_VALUE"] == [2, 3]
    assert tf.train.load_variable(str(GOLDEN.parent), key) == 1
    with pytest.raises(tf.errors.NotFoundError, match="Key other not found in checkpoint"):
        reader.get_tensor("other")
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files"):
        tf.train.list_variables(str(tmp_path / "none"))
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file"):
        tf.train.load_checkpoint(str(tmp_path))


# --- what does not fit --------------------------------------------------------------------------------------------


def test_objects_that_do_not_match(tmp_path):
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=[tf.Variable(2.0)]).save(tmp_path / "c")
    checkpoint = tf.train.Checkpoint(a=tf.Variable(5.0), c=tf.Variable(6.0))
    status = checkpoint.restore(path)
    assert checkpoint.a.numpy() == 1.0 and status.expect_partial() is status
    for check in (status.assert_consumed, status.assert_existing_objects_matched):
        with pytest.raises(AssertionError, match="Found 1 Python objects that were not bound"):
            check()
    checkpoint.b = [tf.Variable(0.0)]
    with pytest.raises(AssertionError, match="Found 1 Python objects"):
        status.assert_consumed()
    assert checkpoint.b[0].numpy() == 2.0
    with pytest.raises(AssertionError, match="No checkpoint specified"):
        checkpoint.restore(None).assert_consumed()
    with pytest.raises(ValueError, match="expecting a to be a trackable object"):
        tf.train.Checkpoint(a=3)
    with pytest.raises(tf.errors.NotFoundError, match="You may be missing the checkpoint suffix"):
        checkpoint.restore(str(tmp_path / "c"))


@pytest.mark.parametrize(
    ("error", "initial"), [(ValueError, [1.0, 2.0]), (tf.errors.InvalidArgumentError, np.float64(1.0))]
)
def test_variables_keep_their_values_where_one_does_not_fit(tmp_path, error, initial):
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).save(tmp_path / "c")
    other = tf.train.Checkpoint(a=tf.Variable(5.0), b=tf.Variable(initial))
    with pytest.raises(error):
        other.restore(path)
    assert other.a.numpy() == 5.0


def test_paths_out_of_the_folder_are_left_out(tmp_path, caplog):
    tf.train.Checkpoint(a=tf.Variable(1.0)).save(tmp_path / "inside" / "c")
    outside = tf.train.Checkpoint(a=tf.Variable(1.0)).save(tmp_path / "c")
    for path in (outside, "../c-1", "/c-1"):
        (tmp_path / "inside" / "checkpoint").write_text(f'model_checkpoint_path: "{path}"\n')
        assert tf.train.latest_checkpoint(tmp_path / "inside") is None
    assert "is not in this folder" in caplog.text


# --- damage -------------------------------------------------------------------------------------------------------


@pytest.fixture
def small(tmp_path):
    checkpoint = tf.train.Checkpoint(a=tf.Variable([1.0, 2.0]), b=tf.Variable(["text", "more"]))
    return checkpoint, pathlib.Path(checkpoint.write(tmp_path / "c"))


@pytest.mark.parametrize("ending", [".index", ".data-00000-of-00001"])
def test_every_damaged_byte_is_noticed(small, ending):
    checkpoint, path = small
    file = pathlib.Path(f"{path}{ending}")
    good = file.read_bytes()
    checkpoint.a.assign([7.0, 8.0])
    unused = 0
    for place in range(len(good)):
        file.write_bytes(good[:place] + bytes([good[place] ^ 0x10]) + good[place + 1 :])
        try:
            checkpoint.read(path)
        except (tf.errors.DataLossError, tf.errors.UnimplementedError) as error:
            assert file.name in str(error) or path.name in str(error)
            np.testing.assert_array_equal(checkpoint.a, [7.0, 8.0])
        else:
            unused += 1  # in the padding of the footer
            checkpoint.a.assign([7.0, 8.0])
    assert unused <= 40
    for size in range(0, len(good), 7):
        file.write_bytes(good[:size])
        with pytest.raises(tf.errors.DataLossError, match=file.name.replace(".", r"\.")):
            checkpoint.read(path)


def test_missing_files(small):
    checkpoint, path = small
    os.remove(f"{path}.data-00000-of-00001")
    with pytest.raises(tf.errors.DataLossError, match="No such file"):
        checkpoint.read(path)


# --- managers -----------------------------------------------------------------------------------------------------


def test_manager_keeps_the_last(tmp_path):
    v = tf.Variable(0.0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path, max_to_keep=2)
    assert manager.latest_checkpoint is None and manager.restore_or_initialize() is None
    paths = []
    for i in range(4):
        v.assign(i)
        paths.append(manager.save())
    assert paths == [str(tmp_path / f"ckpt-{i}") for i in range(1, 5)]
    assert manager.checkpoints == paths[2:] and manager.latest_checkpoint == paths[3]
    files = {p.name for p in tmp_path.iterdir()}
    assert files == {"checkpoint"} | {f"ckpt-{i}.{e}" for i in (3, 4) for e in ("index", "data-00000-of-00001")}
    lines = (tmp_path / "checkpoint").read_text().splitlines()
    assert lines[0] == 'model_checkpoint_path: "ckpt-4"'
    assert lines[1:3] == [f'all_model_checkpoint_paths: "ckpt-{i}"' for i in (3, 4)]
    w = tf.Variable(9.0)
    again = tf.train.CheckpointManager(tf.train.Checkpoint(v=w), tmp_path, max_to_keep=3)
    assert again.checkpoints == paths[2:] and again.restore_or_initialize() == paths[3] and w.numpy() == 3.0
    assert again.save() == str(tmp_path / "ckpt-5") and len(again.checkpoints) == 3
    moved = tmp_path / "moved"
    shutil.copytree(tmp_path, moved)
    assert tf.train.latest_checkpoint(moved) == str(moved / "ckpt-5")


def test_manager_saves_at_intervals(tmp_path):
    step = tf.Variable(0)
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(step=step), tmp_path, None, step_counter=step, checkpoint_interval=3, checkpoint_name="c",
        init_fn=lambda: step.assign(10),
    )  # fmt: skip
    assert manager.restore_or_initialize() is None and step.numpy() == 10
    saved = []
    for _ in range(5):
        saved.append(manager.save() is not None)
        step.assign_add(1)
    assert saved == [True, False, False, True, False]
    assert manager.save(checkpoint_number=7, check_interval=False) == str(tmp_path / "c-7")
    assert manager.save(check_interval=False) is None  # there is one of this step
    step.assign_add(1)
    assert manager.save(check_interval=False) == str(tmp_path / "c-4")  # the fourth, whatever their numbers were
    with pytest.raises(ValueError, match="max_to_keep"):
        tf.train.CheckpointManager(tf.train.Checkpoint(step=step), tmp_path, 0)


def test_options(tmp_path):
    seen = []
    options = tf.train.CheckpointOptions(
        experimental_io_device="/job:localhost", enable_async=True,
        experimental_write_callbacks=[seen.append, lambda: seen.append(tf.train.latest_checkpoint(tmp_path))],
    )  # fmt: skip
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    first = checkpoint.save(tmp_path / "c", options)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 1)
    second = manager.save(options=options)
    assert seen == [first, None, second, first]  # called as soon as the files are there
    checkpoint.restore(second, options).assert_consumed()
    for refused in ({"experimental_io_device": "/job:worker"}, {"experimental_skip_slot_variables": True}):
        with pytest.raises(tf.errors.UnimplementedError, match=next(iter(refused))):
            tf.train.CheckpointOptions(**refused)
    with pytest.raises(AssertionError):
        tf.train.CheckpointOptions(experimental_write_callbacks=[lambda path, more: None])


def test_checkpoints_as_they_come(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    assert not [*tf.train.checkpoints_iterator(tmp_path, timeout=0)]
    first = checkpoint.save(tmp_path / "c")
    assert [*tf.train.checkpoints_iterator(tmp_path, timeout=0)] == [first]
    found, ends = [], iter([False, False, True])
    for path in tf.train.checkpoints_iterator(tmp_path, timeout=0, timeout_fn=lambda: next(ends)):
        found.append(path)
        checkpoint.save(tmp_path / "c")
    assert found == [first, str(tmp_path / "c-2"), str(tmp_path / "c-3")]


# --- formats ------------------------------------------------------------------------------------------------------


def test_checksums():
    assert crc32c.extend(0, b"123456789") == 0xE3069283
    data = np.random.default_rng(0).bytes(200_001)
    by_parts = 0
    for i in range(0, len(data), 1000):
        by_parts = crc32c.extend(by_parts, data[i : i + 1000])
    assert crc32c.extend(0, data) == by_parts == crc32c.extend(crc32c.extend(0, data[:70000]), data[70000:])


def test_tables_of_many_blocks():
    items = [(f"key/{i:06d}".encode(), bytes([i % 256]) * (i % 50)) for i in range(20_000)]
    assert list(_table.read(_table.written(items)).items()) == items


def test_snappy():
    # "abcd" literal, a copy of 12 bytes from 4 back, then a literal.
    assert _table.uncompressed(bytes([18, 3 << 2]) + b"abcd" + bytes([11 << 2 | 2, 4, 0, 1 << 2]) + b"xy") == (
        b"abcd" * 4 + b"xy"
    )
    with pytest.raises(ValueError, match="refers to what is not there"):
        _table.uncompressed(bytes([4, 1, 4]))
