"""SavedModels of TensorFlow's run here, with the same results and derivatives: the rows of `models.py`."""


import numpy as np
import pytest
from recording.saved_models import FILE, FILE_1, NOT_KEPT

import tfcompat as tf

from ._archives import recorded, unpacked
from .both_ways import TOLERANCE, difference
from .graphs_of_tensorflow_1 import GRAPHS, inputs
from .models import MODELS, composite_results, composites

NAMES = [name for name in MODELS if name not in NOT_KEPT]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The models as TensorFlow saved them."""
    return unpacked(FILE, tmp_path_factory.mktemp("saved_models"))


@pytest.mark.filterwarnings("ignore:tf.saved_model.load")
@pytest.mark.parametrize("name", NAMES)
def test_model_computes_what_tensorflow_computes(folder, name):
    row = MODELS[name]
    loaded = tf.saved_model.load(str(folder / name))
    off, why = difference(row.results(tf, loaded.f, row.batches[1]), recorded(folder, name))
    assert off <= TOLERANCE, why


@pytest.mark.parametrize("name", ["mlp", "relu_mlp", "two_inputs", "table", "losses"])
def test_signatures(folder, name):
    row = MODELS[name]
    loaded = tf.saved_model.load(str(folder / name))
    signature = loaded.signatures["serving_default"]
    arrays = row.arrays(2)
    named = {spec.name: tf.constant(x) for spec, x in zip(row.specs(tf), arrays, strict=True)}
    by_name = signature(**named)
    assert by_name.keys() == signature.structured_outputs.keys()
    direct = tf.nest.flatten(loaded.f(*named.values()))
    for one, other in zip(tf.nest.flatten(by_name), direct, strict=True):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))


def test_training_goes_on(folder):
    loaded = tf.saved_model.load(str(folder / "mlp"))
    x, losses = tf.ones([3, 4]), []
    optimizer = tf.keras.optimizers.SGD(0.5)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(loaded.f(x)[:, 0] - 1.0))
        variables = tape.watched_variables()
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    losses = [float(step()) for _ in range(5)]
    assert losses == sorted(losses, reverse=True) and losses[-1] < losses[0]


def test_state_and_checkpoints_of_loaded_models(folder):
    loaded = tf.saved_model.load(str(folder / "counter"))
    before = int(loaded.total)
    assert int(loaded.f(tf.constant([[1, 2]]))) == before + 3 == int(loaded.total)


def test_ragged_and_sparse_signatures(folder):
    loaded = tf.saved_model.load(str(folder / "composites"))
    direct, found = (composite_results(tf, each) for each in (composites(tf, np), loaded))
    for one, other in zip(tf.nest.flatten(found, expand_composites=True),
                          tf.nest.flatten(direct, expand_composites=True), strict=True):  # fmt: skip
        np.testing.assert_array_equal(one, other)


def test_signatures_of_tensorflow_1(folder):
    signature = tf.saved_model.load(str(folder / "of_tensorflow_1")).signatures["serving_default"]
    x = tf.ones([2, 3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = signature(x=x)["y"]
    np.testing.assert_allclose(y, [[7.0, 10.0]] * 2)  # [[0, 1], [2, 3], [4, 5]] and a bias of ones
    np.testing.assert_allclose(tape.gradient(y, x), [[1.0, 5.0, 9.0]] * 2)


@pytest.mark.parametrize("name", [*GRAPHS, "in_a_function"])
def test_loops_and_branches_of_tensorflow_1(name, tmp_path):
    computed = "branch_in_loop" if name == "in_a_function" else name
    unpacked(FILE_1, tmp_path, f"{name}/", f"{computed}.npz")
    signature = tf.saved_model.load(str(tmp_path / name)).signatures["serving_default"]
    arrays, names = recorded(tmp_path, computed), signature.structured_input_signature[1]
    for batch in (1, 3):
        named = {key: tf.constant(x) for key, x in inputs(batch).items() if key in names}
        with tf.GradientTape() as tape:
            tape.watch(named["x"])
            results = signature(**named)
        results["gradient"] = tape.gradient(results["y"], named["x"])
        found = {key: y.numpy() for key, y in results.items()}
        wanted = {key.partition("/")[2]: x for key, x in arrays.items() if key.startswith(f"{batch}/")}
        off, why = difference(found, wanted)
        assert off <= TOLERANCE, why


def test_what_graphs_of_tensorflow_1_lack_is_told(tmp_path):
    unpacked(FILE_1, tmp_path, "loop/")
    path = tmp_path / "loop" / "saved_model.pb"
    path.write_bytes(path.read_bytes().replace(b"Tanh", b"Tann"))
    with pytest.warns(UserWarning, match="not available in tfcompat.*\n  Tann: serving_default"):
        loaded = tf.saved_model.load(str(path.parent))
    with pytest.raises(tf.errors.UnimplementedError, match="Tann"):
        loaded.signatures["serving_default"](x=tf.ones([1, 3]))


def test_other_arguments_are_refused(folder):
    loaded = tf.saved_model.load(str(folder / "mlp"))
    with pytest.raises(ValueError, match="Could not find matching concrete function"):
        loaded.f(tf.ones([2, 5]))
    with pytest.raises(RuntimeError, match="could not be found in SavedModel"):
        tf.saved_model.load(str(folder / "mlp"), tags=["other"])
    assert tf.saved_model.contains_saved_model(str(folder / "mlp"))
