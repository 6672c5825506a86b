"""Datasets, files and queues give what TensorFlow gave."""

import gc
import pathlib
import threading
import time
from typing import Any

import jax
import numpy as np
import pytest
from rows import check_row, load_rows, recorded_rows

import tfcompat as tf

RECORDED = recorded_rows("data")
ROWS = load_rows("data")


@pytest.mark.parametrize("name", ROWS)
def test_row(name):
    if name.startswith("jpeg."):
        pytest.importorskip("simplejpeg")
    check_row(ROWS[name], RECORDED, tf)


def test_nothing_recorded_is_gone():
    assert RECORDED.keys() == ROWS.keys()


def test_no_thread_outlives_its_iterator():
    gc.collect()
    others = set(threading.enumerate())  # of iterators that other tests in this process have not let go of

    def threads():
        gc.collect()
        return [t for t in threading.enumerate() if t not in others and t.name.startswith("tf.data")]

    def threads_after_a_while():
        for _ in range(100):
            if not threads():
                break
            time.sleep(0.05)  # one may be between two elements, on a busy machine
        return threads()

    def slow(x):
        if x == 5:
            raise KeyError("five")
        return x

    dataset = tf.data.Dataset.range(100).map(
        lambda x: tf.numpy_function(slow, [x], tf.int64), num_parallel_calls=2
    ).prefetch(3)  # fmt: skip
    iterator = iter(dataset)
    assert int(next(iterator)) == 0
    assert threads()
    del iterator
    assert not threads_after_a_while()
    with pytest.raises(tf.errors.OpError, match="KeyError"):
        list(dataset)
    assert not threads_after_a_while()


def test_prefetch_is_bounded_and_runs_ahead():
    made = []

    def generate():
        for i in range(1000):
            made.append(i)
            yield i

    signature = tf.TensorSpec([], tf.int32)
    iterator = iter(tf.data.Dataset.from_generator(generate, output_signature=signature).prefetch(4))
    next(iterator)
    for _ in range(200):
        if len(made) >= 5:
            break
        time.sleep(0.01)
    time.sleep(0.05)
    assert 5 <= len(made) <= 7


def test_map_of_known_shapes_is_traced_once_and_runs_in_blocks():
    traced = []

    def function(x):
        traced.append(type(x).__name__)
        return x * 2

    dataset = tf.data.Dataset.range(200).map(function)
    assert traced == ["SymbolicTensor"]
    assert [int(x) for x in dataset] == list(range(0, 400, 2))
    assert len(traced) == 1


def test_functions_over_datasets_run_eagerly():
    kinds = []

    @tf.function
    def total(dataset):
        found: Any = tf.constant(0, tf.int64)
        for x in dataset:
            kinds.append(type(found).__name__)
            found += x
        return found

    @tf.function
    def outer(dataset):
        result: Any = total(dataset)
        return result + 1

    assert outer(tf.data.Dataset.range(5)).numpy() == 11
    assert kinds == ["EagerTensor"] * 5
    with pytest.raises(tf.errors.UnimplementedError, match="runs as plain Python"):
        total.get_concrete_function(tf.data.Dataset.range(5))


def test_iterators_are_checkpointed(tmp_path):
    def dataset(seed):
        return tf.data.Dataset.range(20).shuffle(5, seed=seed).map(lambda x: x + 1).batch(3).repeat()

    iterator = iter(dataset(1))
    for _ in range(4):
        next(iterator)
    path = tf.train.Checkpoint(iterator=iterator).save(tmp_path / "ckpt")
    wanted = [next(iterator).numpy().tolist() for _ in range(9)]
    other = iter(dataset(None))
    next(other)
    tf.train.Checkpoint(iterator=other).restore(path).assert_consumed()
    assert [next(other).numpy().tolist() for _ in range(9)] == wanted
    with pytest.raises(ValueError, match="another dataset"):
        tf.train.Checkpoint(iterator=iter(tf.data.Dataset.range(3))).restore(path)


def test_fit_takes_datasets():
    x, y = np.random.default_rng(0).normal(size=(64, 3)).astype("float32"), np.ones((64, 1), "float32")
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(64, seed=0).batch(16).prefetch(2)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    history = model.fit(dataset, epochs=2, validation_data=dataset, verbose=0)
    assert history.history["loss"][1] < history.history["loss"][0]
    assert model.predict(dataset.map(lambda x, y: x), verbose=0).shape == (64, 1)
    model.fit(dataset.repeat(), epochs=2, steps_per_epoch=2, verbose=0)
    with pytest.raises(ValueError, match="infinitely repeating"):
        model.fit(dataset.repeat(), verbose=0)


def test_no_derivative_flows_through():
    x: Any = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        (y,) = tf.data.Dataset.from_tensors(x * 2)
        z = tf.reduce_sum(y * y)
    assert tape.gradient(z, x) is None


def test_cache_file_is_read_again(tmp_path):
    def dataset(source):
        return source.map(lambda x: (x, tf.as_string(x))).cache(str(tmp_path / "cache"))

    wanted = list(dataset(tf.data.Dataset.range(3)).as_numpy_iterator())
    assert list(dataset(tf.data.Dataset.range(100, 200)).as_numpy_iterator()) == wanted


def test_pictures_without_pillow_say_what_to_do(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(tf.errors.UnimplementedError, match="pip install"):
        tf.io.decode_png(tf.io.encode_png(np.zeros((2, 2, 3), np.uint8)))


def test_benchmark_runs(monkeypatch):
    monkeypatch.syspath_prepend(str(pathlib.Path(__file__).resolve().parents[2]))
    from benchmarks import data

    rates = data.measure(tf, 64)
    assert len(rates) == 5
    assert all(rate > 0 for rate in rates.values())


def test_damaged_examples_and_tensors_raise_as_such():
    feature = {"x": tf.train.Feature(float_list=tf.train.FloatList(value=[1, 2]))}
    feature["y"] = tf.train.Feature(int64_list=tf.train.Int64List(value=[3, -1]))
    example = tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()
    tensor = tf.io.serialize_tensor(np.ones((2, 3), "float32")).numpy()
    features = {"x": tf.io.FixedLenFeature([2], tf.float32), "y": tf.io.VarLenFeature(tf.int64)}
    rng = np.random.default_rng(0)
    for i in range(400):
        damaged = bytearray(example if i % 2 else tensor)
        for place in rng.integers(0, len(damaged), 2):
            damaged[place] = rng.integers(0, 256)
        for parse in (
            lambda data: tf.io.parse_single_example(data, features),
            lambda data: tf.io.parse_tensor(data, tf.float32),
            tf.train.Example.FromString,
        ):
            try:
                parse(bytes(damaged))
            except (tf.errors.InvalidArgumentError, ValueError):
                pass


def test_queue_waits_for_another_thread():
    queue = tf.queue.FIFOQueue(1, tf.int32, shapes=[[]])
    thread = threading.Thread(target=lambda: [queue.enqueue(i) for i in range(4)], daemon=True)
    thread.start()
    found: Any = queue.dequeue_many(4)
    assert found.numpy().tolist() == [0, 1, 2, 3]
    thread.join(timeout=10)
    assert not thread.is_alive()


def test_pictures_of_ever_other_sizes_are_not_compiled_for():
    pictures = [np.full((5 + n, 40 - n, 3), n, "uint8") for n in range(30)]
    spec = tf.TensorSpec((None, None, 3), tf.uint8)
    data = tf.data.Dataset.from_generator(lambda: iter(pictures), output_signature=spec)
    compiled = []

    def listener(event, duration, **kwargs):
        if "backend_compile" in event:
            compiled.append(event)

    jax.monitoring.register_event_duration_secs_listener(listener)
    try:
        made = [float(x) for x in data.map(lambda x: tf.reduce_max(tf.image.resize(x, [4, 4])) / 2.0)]
    finally:
        jax.monitoring.unregister_event_duration_listener(listener)
    assert made == [n / 2 for n in range(30)]
    assert len(compiled) <= 10


@pytest.mark.parametrize("runs", [0, 1, 5, 64, 70, 1000])
def test_mapped_functions_go_on_when_they_are_compiled(runs, monkeypatch):
    cold = iter([True] * runs)
    monkeypatch.setattr(tf.engine, "is_cold", lambda operation, several: next(cold, False))
    tf.random.set_seed(5)
    numbers = tf.data.Dataset.range(150).map(lambda x: tf.random.uniform([2]) + tf.cast(x, tf.float32) / 3)
    plain = tf.data.Dataset.range(150).map(lambda x: tf.cast(x, tf.float32) / 3)
    drawn = np.array([*numbers]) - np.array([*plain])[:, None]
    tf.random.set_seed(5)
    monkeypatch.setattr(tf.engine, "is_cold", lambda operation, several: False)
    expected = np.array([*tf.data.Dataset.range(150).map(lambda x: tf.random.uniform([2]))])
    np.testing.assert_allclose(drawn, expected, atol=2e-5)


@pytest.mark.parametrize("is_cold", [True, False])
def test_elements_that_fail_are_found_in_both_tiers(is_cold, monkeypatch):
    def fails(x):
        tf.debugging.assert_less(x % 10, np.int64(8))
        return x * 2

    monkeypatch.setattr(tf.engine, "is_cold", lambda operation, several: is_cold)
    numbers = tf.data.Dataset.range(100).map(fails)
    with pytest.raises(tf.errors.InvalidArgumentError, match="x < y"):
        list(numbers)
    assert [int(x) for x in numbers.ignore_errors()] == [2 * n for n in range(100) if n % 10 < 8]


def test_an_iterator_goes_on_after_an_interrupt():
    interrupts = [7, 3]  # elements that are interrupted, once each, the last first

    def element(x):
        if interrupts and int(x) == interrupts[-1]:
            interrupts.pop()
            raise KeyboardInterrupt
        return x

    dataset = tf.data.Dataset.range(10).map(lambda x: tf.numpy_function(element, [x], tf.int64))
    iterator, values = iter(dataset.shuffle(4, seed=1)), []
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            while True:
                values.append(int(next(iterator)))
    values += [int(value) for value in iterator]
    assert sorted(values) == list(range(10))
    assert values != sorted(values)
