"""What is written for TensorFlow: `saved_model.pb` holds its own nodes, and computes what the functions do.

These tests run it by tfcompat's own reader of TensorFlow's graphs. `both_ways.py` has TensorFlow itself load it, where
it is installed.
"""

import logging

import numpy as np
import pytest

import tfcompat as tf
from tfcompat.saved_model._graph_load import load_graph, read
from tfcompat.train._bundle import Reader

from .both_ways import TOLERANCE, difference
from .models import MODELS

# What no node of TensorFlow's says is StableHLO, which only TensorFlow runs.
STABLEHLO = {"custom_gradient", "random_numbers"}
NAMES = [name for name in MODELS if name not in STABLEHLO | {"keras_mobilenet"}]


def _saved(name, folder):
    row = MODELS[name]
    module = row.make(tf)
    tf.saved_model.save(module, str(folder), signatures=module.f)
    return row, module


@pytest.mark.parametrize("name", NAMES)
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
def test_stablehlo_stands_for_the_rest(name, tmp_path, caplog):
    with caplog.at_level(logging.WARNING, "tfcompat"):
        _saved(name, tmp_path)
    assert "TensorFlow will not find" not in caplog.text
    graph = read(f"{tmp_path}/saved_model.pb").meta_graphs[0]
    nodes = [node for f in graph.graph_def.library.function for node in f.node_def if node.op == "XlaCallModule"]
    assert nodes and all(node.attr["module"].s[:4] == b"ML\xefR" for node in nodes)


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
    assert (tmp_path / "fingerprint.pb").stat().st_size > 10


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


def test_functions_that_tensorflow_cannot_have_are_named(tmp_path, caplog):
    module = tf.Module()
    module.f = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec(None)])
    with caplog.at_level(logging.WARNING):
        tf.saved_model.save(module, str(tmp_path))
    assert "unknown rank" in caplog.text
    assert float(tf.saved_model.load(str(tmp_path)).f(tf.constant(2.0))) == 4.0
