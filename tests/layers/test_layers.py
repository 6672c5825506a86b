"""Every layer gives what tf_keras gave, and keeps the promises that all layers make."""

import copy
import dataclasses
import json
import pathlib
import re

import numpy as np
import pytest
from rows import check_row, load_rows

import tfcompat as tf

from ._cases import TABLES, every_case, first_cases
from ._evaluate import evaluate
from .rows_conformance import prepared_names

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
CASES = every_case()
RECORDED: dict = {"layers": {}, "rows": {}}
ARRAYS = {}
for _table in TABLES:
    for _kind, _entries in json.loads((GOLDEN / f"{_table}.json").read_text(encoding="utf-8")).items():
        if _kind in ("layers", "rows"):
            RECORDED[_kind] |= _entries
    ARRAYS |= np.load(GOLDEN / f"{_table}.npz")
ROWS = load_rows("layers")
SEQUENCES = {case.name for table in ("sequences", "windows") for case in TABLES[f"layers_of_{table}"]()}

# Relative and absolute. Results in half precision were rounded at every step.
TOLERANCES = {
    "float64": (1e-9, 1e-9),
    "float32": (2e-5, 2e-5),
    "bfloat16": (3e-2, 3e-2),
    "float16": (4e-3, 4e-3),
}

# TensorFlow refuses them where it has no gradient of a gradient; tfcompat may have them.
SECOND_ORDER = {"second", "jvp"}

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)

_FIRST = {re.sub("[123]D", "", case.name.partition(" ")[0]): case for case in first_cases()}
for _name in ("SimpleRNN", "LSTM", "RNN", "TimeDistributed", "Masked", "AdditiveAttention", "Bidirectional"):
    del _FIRST[_name]  # the others are like them, and compile as long
every_layer = pytest.mark.parametrize("case", [_FIRST[name] for name in sorted(_FIRST)], ids=sorted(_FIRST))


def made(case):
    """The layer of a case, called once, and its inputs."""
    tf.keras.backend.clear_session()
    layer = case.make(tf)
    inputs = [tf.constant(case.array(f"input {i}", shape)) for i, shape in enumerate(case.shapes)]
    inputs = inputs[0] if len(inputs) == 1 else inputs
    layer(inputs)
    return layer, inputs


@every_case
def test_layer_as_in_keras(case, execution):
    if execution == "immediate" and (re.match(r"\w+[13]D", case.name) or case.name in SEQUENCES - {"GRU"}):
        pytest.skip("its sibling of rank 2, or one layer with a loop, is enough")
    wanted_facts = dict(RECORDED["layers"][case.name])
    prefix = f"{case.name}|"
    wanted = {key.removeprefix(prefix): array for key, array in ARRAYS.items() if key.startswith(prefix)}
    if execution == "immediate":  # derivatives of second order are those of the same operations
        case = dataclasses.replace(case, order=1)
        wanted = {what: array for what, array in wanted.items() if not what.startswith(tuple(SECOND_ORDER))}
    facts, arrays = evaluate(case, tf)
    for order in SECOND_ORDER & wanted_facts.keys() - facts.keys():
        del wanted_facts[order]
        arrays = {what: array for what, array in arrays.items() if not what.startswith(order)}
    assert facts == wanted_facts
    assert arrays.keys() == wanted.keys()
    rtol, atol = TOLERANCES[facts["dtypes"][1]]
    for what, want in wanted.items():
        assert arrays[what].dtype == want.dtype, what
        np.testing.assert_allclose(
            arrays[what], want, rtol, atol * max(1.0, np.abs(want).max(initial=0)), err_msg=what
        )


@pytest.mark.parametrize("name", ROWS)
def test_row(name, execution):
    if execution == "immediate" and name.startswith(("sequences.", "windows.", "conformance.")):
        pytest.skip("loops compile alike")
    check_row(ROWS[name], RECORDED["rows"], tf)


def test_nothing_recorded_is_gone():
    assert RECORDED["layers"].keys() == {case.name for case in CASES}
    assert RECORDED["rows"].keys() == ROWS.keys()


def test_every_layer_has_a_case():
    used = {type(each).__name__ for case in CASES for each in made(case)[0]._flatten_layers()}
    public = {
        value.__name__
        for value in vars(tf.keras.layers).values()
        if isinstance(value, type) and issubclass(value, tf.keras.layers.Layer)
    }
    assert public - used - prepared_names(tf) == {"AbstractRNNCell", "DenseFeatures", "Layer", "Wrapper"}


def test_a_wrapper_builds_and_describes_its_layer():
    class Doubled(tf.keras.layers.Wrapper):
        def call(self, inputs):
            return 2 * self.layer(inputs)

    doubled = Doubled(tf.keras.layers.Dense(2, kernel_initializer="ones", activity_regularizer="l2"))
    assert doubled(tf.ones((1, 3))).numpy().tolist() == [[6.0, 6.0]]
    assert len(doubled.weights) == 2 and doubled.activity_regularizer is doubled.layer.activity_regularizer
    again = Doubled.from_config(doubled.get_config())
    assert type(again.layer) is tf.keras.layers.Dense and again.layer.units == 2
    with pytest.raises(ValueError, match="not a supported layer type"):
        Doubled(lambda x: x)


def assert_close(one, other):
    """Equal but for last digits, which move with what is fused into one program."""
    np.testing.assert_allclose(one.astype(np.float64), other.astype(np.float64), 1e-5, 1e-5)


@every_layer
def test_weights_are_made_once(case):
    layer, inputs = made(case)
    before = [id(weight) for weight in layer.weights]
    layer(inputs)
    assert [id(weight) for weight in layer.weights] == before


@every_layer
def test_get_and_set_weights(case):
    layer, _ = made(case)
    values = [
        case.array(f"other {i}", weight.shape, "float64") for i, weight in enumerate(layer.get_weights())
    ]
    layer.set_weights(values)
    for weight, variable, value in zip(layer.get_weights(), layer.weights, values, strict=True):
        np.testing.assert_array_equal(weight, value.astype(variable.dtype.as_numpy_dtype))
    with pytest.raises(ValueError, match="weight list of length"):
        layer.set_weights([*values, 0.0])
    if values:
        wrong = [np.zeros((7, *values[0].shape))] + values[1:]
        with pytest.raises(ValueError, match="not compatible with provided weight shape"):
            layer.set_weights(wrong)
        np.testing.assert_array_equal(
            layer.get_weights()[0], values[0].astype(layer.weights[0].dtype.as_numpy_dtype)
        )


@every_layer
def test_configuration_makes_an_equal_layer(case):
    layer, inputs = made(case)
    if case.name.startswith(("Model", "Lambda")):
        pytest.skip("its configuration is not enough to make it")
    config = layer.get_config()
    json.dumps(config, default=np.ndarray.tolist)
    again = type(layer).from_config(copy.deepcopy(config))
    inner = config.get("layer")
    if isinstance(inner, dict):  # Keras's own layers inside are not built
        inner.pop("build_config", None)
    assert repr(again.get_config()) == repr(config)
    again(inputs)
    again.set_weights(layer.get_weights())
    assert_close(again(inputs).numpy(), layer(inputs).numpy())


@every_layer
def test_copy_has_weights_of_its_own(case):
    layer, inputs = made(case)
    duplicate = copy.deepcopy(layer)
    assert_close(duplicate(inputs).numpy(), layer(inputs).numpy())
    for one, other in zip(duplicate.weights, layer.weights, strict=True):
        assert one is not other
        assert one.name == other.name


@every_layer
def test_not_trainable(case):
    layer, inputs = made(case)
    everything = {id(weight) for weight in layer.weights}
    layer.trainable = False
    assert layer.trainable_weights == []
    assert {id(weight) for weight in layer.non_trainable_weights} == everything
    assert not any(each.trainable for each in layer._flatten_layers())


@every_layer
def test_inside_a_function(case):
    layer, inputs = made(case)
    state = layer.get_weights()
    eager = layer(inputs).numpy()
    layer.set_weights(state)
    traced = tf.function(layer)(inputs).numpy()
    assert_close(traced, eager)


@every_layer
def test_passes_training_down(case):
    """The value passed to a layer around this one reaches it, as if passed to it itself."""

    class Around(tf.keras.layers.Layer):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def call(self, inputs):
            return self.inner(inputs)

    layer, inputs = made(case)
    state = layer.get_weights()
    results = []
    for call in (layer, Around(layer)):
        layer.set_weights(state)
        for each in layer._flatten_layers():
            if hasattr(each, "_next_seed"):
                each._next_seed = getattr(each, "seed", None)
        tf.random.set_seed(3)
        results.append([call(inputs, training=True).numpy(), *layer.get_weights()])
    for one, other in zip(*results, strict=True):
        assert_close(one, other)
