"""What is written for TensorFlow: `saved_model.pb` holds its own nodes, and computes what the functions do.

These tests run it by tfcompat's own reader of TensorFlow's graphs. `both_ways.py` has TensorFlow itself load it, where
it is installed.
"""

import json
import logging

import numpy as np
import pytest
from _sampling import one_in

import tfcompat as tf
from tfcompat._core.text_hash import fingerprint
from tfcompat.saved_model._graph_load import load_graph, read
from tfcompat.saved_model._messages import FingerprintDef
from tfcompat.train._bundle import Reader

from .both_ways import TOLERANCE, difference
from .models import MODELS

# What no node of TensorFlow's says is StableHLO, which only TensorFlow runs.
STABLEHLO = {"sorted_slopes", "random_numbers"}
NAMES = [name for name in MODELS if name not in STABLEHLO | {"keras_mobilenet"}]


def _saved(name, folder):
    row = MODELS[name]
    module = row.make(tf)
    tf.saved_model.save(module, str(folder), signatures=module.f)
    return row, module


@pytest.mark.parametrize("name", NAMES[:: one_in(2)])
def test_nodes_compute_what_the_function_computes(name, tmp_path):
    row, module = _saved(name, tmp_path)
    loaded = load_graph(str(tmp_path))
    ops = {node.op for f in read(f"{tmp_path}/saved_model.pb").meta_graphs[0].graph_def.library.function
           for node in f.node_def}  # fmt: skip
    assert "XlaCallModule" not in ops
    batch = row.batches[1]
    expected, found = row.results(tf, module.f, batch), row.results(tf, loaded.f, batch)
    off, why = difference(found, expected)
    assert off <= TOLERANCE, why


@pytest.mark.parametrize("name", sorted(STABLEHLO))
def test_stablehlo_stands_for_the_rest(name, tmp_path):
    _saved(name, tmp_path)
    assert json.loads((tmp_path / "manifest.json").read_text())["not_for_tensorflow"] == {}
    graph = read(f"{tmp_path}/saved_model.pb").meta_graphs[0]
    nodes = [node for f in graph.graph_def.library.function for node in f.node_def if node.op == "XlaCallModule"]
    assert nodes and all(node.attr["module"].s[:4] == b"ML\xefR" for node in nodes)


def test_functions_computed_again_for_their_gradient_are_nodes(tmp_path):
    module = tf.Module()
    module.f = tf.function(tf.recompute_grad(lambda x: tf.sin(x) * x), input_signature=[tf.TensorSpec([None])])
    assert {node.type for node in module.f.get_concrete_function().graph.get_operations()} == {
        "Placeholder", "Sin", "Mul", "Identity"
    }  # fmt: skip


def test_gradients_that_were_not_saved_are_refused(tmp_path):
    module = MODELS["custom_gradient"].make(tf)
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    tf.saved_model.save(module, str(tmp_path), options=options)
    loaded, x = load_graph(str(tmp_path)), tf.ones([2, 3])
    np.testing.assert_allclose(loaded.f(x), module.f(x), rtol=1e-6)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded.f(x)
    with pytest.raises(LookupError, match="No gradient defined for operation"):
        tape.gradient(y, x)


def test_a_gradient_takes_what_no_result_needs(tmp_path):
    module = tf.Module()

    @tf.custom_gradient
    def steep(x):
        slope = tf.cos(x)
        return tf.sin(x), lambda d: d * slope

    module.f = tf.function(lambda x: 2.0 * steep(x), input_signature=[tf.TensorSpec([None])])
    tf.saved_model.save(module, str(tmp_path))
    loaded, x = load_graph(str(tmp_path)), tf.constant([0.5, 1.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loaded.f(x)
        slope = tape.gradient(y, x)
    np.testing.assert_allclose(slope, 2.0 * np.cos(x), rtol=1e-6)
    np.testing.assert_allclose(outer.gradient(slope, x), -2.0 * np.sin(x), rtol=1e-6)


def test_what_the_folder_holds(tmp_path):
    _saved("mlp", tmp_path)
    graph = read(f"{tmp_path}/saved_model.pb").meta_graphs[0]
    assert graph.meta_info_def.tags == ["serve"]
    signature = graph.signature_def["serving_default"]
    assert signature.inputs.keys() == {"x"} and signature.outputs.keys() == {"output_0"}
    assert signature.method_name == "tensorflow/serving/predict"
    assert graph.saver_def.restore_op_name and "__saved_model_init_op" in graph.signature_def
    names = {node.name for node in graph.graph_def.node}
    for info in [*signature.inputs.values(), *signature.outputs.values()]:
        assert info.name.partition(":")[0] in names
    reader = Reader(f"{tmp_path}/variables/variables")
    assert reader.shape("w/0/.ATTRIBUTES/VARIABLE_VALUE") == [4, 8]
    hashes = FingerprintDef.FromString((tmp_path / "fingerprint.pb").read_bytes())
    assert hashes.saved_model_checksum == fingerprint((tmp_path / "saved_model.pb").read_bytes())
    assert hashes.checkpoint_hash == fingerprint((tmp_path / "variables" / "variables.index").read_bytes())


def test_models_of_tensorflow_are_saved_as_they_were(tmp_path):
    _saved("relu_mlp", tmp_path / "first")
    loaded = load_graph(str(tmp_path / "first"))
    loaded.layers["second"][0].assign_add(tf.ones([8, 2]))
    tf.saved_model.save(loaded, str(tmp_path / "second"), signatures=loaded.signatures)
    again = load_graph(str(tmp_path / "second"))
    x = tf.ones([2, 4])
    for name, value in loaded.f(x).items():
        np.testing.assert_array_equal(again.signatures["serving_default"](x=x)[name], value)
    with_manifest = tf.saved_model.load(str(tmp_path / "second"))
    np.testing.assert_allclose(with_manifest.f(x)["logits"], loaded.f(x)["logits"], rtol=1e-6)


def test_saving_traces_a_function_once(tmp_path):
    module, traces = tf.Module(), []

    def double(x):
        traces.append(x.shape)
        return x * 2.0

    module.f = tf.function(double, [tf.TensorSpec([None])])
    tf.saved_model.save(module, str(tmp_path), signatures=module.f)
    assert len(traces) == 1


def test_aliases_and_defaults(tmp_path):
    module = tf.Module()

    @tf.function
    def scaled(x, by=3.0, *, flip=False):
        return -x * by if flip else x * by

    module.f, spec = scaled, tf.TensorSpec([None])
    scaled.get_concrete_function(spec), scaled.get_concrete_function(spec, flip=True)  # noqa: B018
    options = tf.saved_model.SaveOptions(function_aliases={"other": scaled})
    tf.saved_model.save(module, str(tmp_path), options=options)
    loaded = load_graph(str(tmp_path), with_aliases=True)
    assert loaded.function_aliases == {"other": loaded.f}
    x = tf.constant([1.0, 2.0])
    found = [loaded.f(x), loaded.f(x, 3.0), loaded.f(x, flip=True)]
    np.testing.assert_array_equal(found, [[3.0, 6.0], [3.0, 6.0], [-3.0, -6.0]])
    with pytest.raises(ValueError, match="Could not find matching concrete function"):
        loaded.f(x, 4.0)


class Tagged(tf.experimental.ExtensionType):
    __name__ = "tests.saved_model.Tagged"
    x: tf.Tensor
    tag: str = "t"


RAGGED = tf.RaggedTensorSpec([None, None])
COMPOSITES = {
    "sums of rows": (lambda x: tf.reduce_sum(x * 2.0, 1), [RAGGED], [tf.ragged.constant([[1.0, 2.0], [], [3.0]])]),
    "ragged rows": (lambda x, y: {"r": x + y}, [RAGGED, tf.TensorSpec([])], [tf.ragged.constant([[1.0], [2.0]]), 3.0]),
    "an extension type": (
        lambda p: Tagged(p.x * 2.0, p.tag), [Tagged.Spec(tf.TensorSpec([None]), "t")], [Tagged([1.0, 2.0])]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPOSITES)
def test_composite_tensors(name, tmp_path):
    module = tf.Module()
    function, specs, arguments = COMPOSITES[name]
    module.f = tf.function(function, specs)
    tf.saved_model.save(module, str(tmp_path))
    loaded = load_graph(str(tmp_path))
    expected, found = module.f(*arguments), loaded.f(*arguments)
    flat = [tf.nest.flatten(each, expand_composites=True) for each in (expected, found)]
    for one, other in zip(*flat, strict=True):
        np.testing.assert_array_equal(one, other)
    signature = loaded.signatures["serving_default"]
    taken = tf.nest.flatten(arguments, expand_composites=True)
    named = dict(zip(signature.structured_input_signature[1], taken, strict=True))
    by_name = tf.nest.flatten(list(signature(**named).values()), expand_composites=True)
    for one, other in zip(by_name, flat[0], strict=True):
        np.testing.assert_array_equal(one, other)


def test_unknown_rank(tmp_path):
    module = tf.Module()
    module.w = tf.Variable(tf.ones([3, 2]))
    module.f = tf.function(lambda x: tf.tensordot(x, module.w, 1), [tf.TensorSpec(None)])
    tf.saved_model.save(module, str(tmp_path))
    loaded = load_graph(str(tmp_path))
    for shape in ([3], [2, 3], [1, 2, 3]):
        x = tf.random.stateless_uniform(shape, [1, 2])
        with tf.GradientTape() as tape:
            y = loaded.f(x)
        np.testing.assert_allclose(y, module.f(x), rtol=1e-6)
        assert tape.gradient(y, loaded.w).shape == [3, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="ranks \\[1, 2, 3, 4, 5\\]"):
        loaded.f(tf.constant(1.0))


def test_functions_that_tensorflow_cannot_have_are_named(tmp_path, caplog):
    module = tf.Module()
    module.f = tf.function(lambda x: {1: x * 2.0}, input_signature=[tf.TensorSpec([])])
    with caplog.at_level(logging.INFO):
        tf.saved_model.save(module, str(tmp_path))
    assert "TensorFlow will not find <lambda>" in caplog.text
    assert {record.levelname for record in caplog.records} == {"INFO"}
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["not_for_tensorflow"]["<lambda>"].startswith("UnimplementedError")
    assert float(tf.saved_model.load(str(tmp_path)).f(tf.constant(2.0))[1]) == 4.0


ONES, INT32 = tf.TensorSpec([None]), tf.TensorSpec([None], tf.int32)
WEIGHTS = tf.Variable(np.float32([1, 2, 3]))
LARGE = tf.Variable(tf.ones([1000, 300]))


def asserting(x):
    tf.debugging.assert_positive(x, message="of x")
    return x * 2.0


def asserting_in_a_branch(x):
    return tf.cond(tf.reduce_sum(x) > 0.0, lambda: asserting(x), lambda: -x)


def asserting_in_a_loop(x):
    return tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, asserting(x) - 3.0), (0, x))[1]


def asserting_in_rows(x):
    return tf.map_fn(asserting, x)


def looking_up_in_a_loop(i):
    return tf.scan(lambda total, k: total + WEIGHTS[k], i, tf.constant(0.0))


def updating(i):
    LARGE.scatter_update(tf.IndexedSlices(tf.zeros([tf.shape(i)[0], 300]), i))
    return tf.reduce_sum(LARGE)


@pytest.mark.parametrize(("function", "spec", "good", "bad"), [
    (asserting, ONES, [1.0, 2.0], [1.0, -2.0]),
    (asserting_in_a_branch, ONES, [1.0, 2.0], [3.0, -1.0]),
    (asserting_in_a_branch, ONES, [-1.0, -2.0], [3.0, 0.0]),
    (asserting_in_a_loop, ONES, [3.0, 5.0], [3.0, 2.0]),
    (asserting_in_rows, ONES, [1.0, 2.0], [1.0, -2.0]),
    (looking_up_in_a_loop, INT32, [1, 2], [1, 3]),
    (lambda i: tf.gather(WEIGHTS, i), INT32, [1, 2], [1, -3]),
    (lambda i: tf.gather_nd(WEIGHTS, i[:, None]), INT32, [1, 2], [1, -3]),
    (lambda i: tf.scatter_nd(i[:, None], tf.ones_like(i), [4]), INT32, [1, 2], [1, 7]),
    (lambda i: tf.math.unsorted_segment_sum(tf.ones_like(i), i, 3), INT32, [1, 2], [1, 3]),
    (lambda i: 6 // i, INT32, [1, 2], [1, 0]),
    (lambda i: tf.pow(2, i), INT32, [1, 2], [1, -1]),
    (lambda x: tf.debugging.check_numerics(x, "x"), ONES, [1.0], [np.nan]),
    (lambda x: tf.linalg.inv(tf.linalg.diag(x)), ONES, [1.0, 2.0], [1.0, 0.0]),
    (updating, INT32, [1, 2], [1, 1000]),
])  # fmt: skip
def test_what_is_checked_is_checked_by_nodes(tmp_path, function, spec, good, bad):
    module = tf.Module()
    module.weights, module.large = WEIGHTS, LARGE
    module.f = tf.function(function, [spec])
    tf.saved_model.save(module, str(tmp_path))
    assert not (tmp_path / "manifest.json").exists()
    loaded = tf.saved_model.load(str(tmp_path))
    good, bad = tf.constant(good, spec.dtype), tf.constant(bad, spec.dtype)
    np.testing.assert_allclose(loaded.f(good), module.f(good), rtol=1e-6)
    errors = []
    for f in (module.f, loaded.f):
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            f(bad).numpy()
        errors.append(caught.value)
    if function.__name__.startswith("asserting"):
        assert str(errors[0]) == str(errors[1])
    if spec is ONES:
        gradients = []
        for f in (module.f, loaded.f):
            with tf.GradientTape() as tape:
                tape.watch(good)
                y = f(good)
            gradients.append(tape.gradient(y, good))
        np.testing.assert_allclose(*gradients, rtol=1e-6)


def test_a_function_is_found_by_all_its_arguments(tmp_path):
    """TensorFlow compares a call, with the defaults of the function, with what was saved."""
    module = tf.Module()
    module.f = tf.function(lambda x, training=None, scale=2.0: x * scale, input_signature=[tf.TensorSpec([None])])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    (concrete,) = loaded.f.concrete_functions
    assert concrete.structured_input_signature[0][1:] == (None, 2.0)
    np.testing.assert_array_equal(loaded.f(tf.constant([1.0, 2.0])), [2.0, 4.0])
    np.testing.assert_array_equal(loaded.f(tf.constant([1.0, 2.0]), None), [2.0, 4.0])
