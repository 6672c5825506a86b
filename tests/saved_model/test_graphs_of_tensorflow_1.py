"""Graphs that TensorFlow 1 wrote, in graphs and sessions; what of them is not run; damaged ones."""

import os
import random

import numpy as np
import pytest
from recording.saved_models import FILE_1

import tfcompat as tf
from tfcompat.compat._frozen import convert_variables_to_constants_v2
from tfcompat.saved_model._graph_load import read

from ._archives import recorded, unpacked
from .both_ways import TOLERANCE, difference
from .graphs_of_tensorflow_1 import GRAPHS, inputs

v1 = tf.compat.v1


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return unpacked(FILE_1, tmp_path_factory.mktemp("graphs"))


@pytest.mark.parametrize("name", GRAPHS)
def test_session_computes_what_tensorflow_computes(folder, name):
    with tf.Graph().as_default(), v1.Session() as session:
        signature = v1.saved_model.load(session, ["serve"], str(folder / name)).signature_def["serving_default"]
        outputs = {key: info.name for key, info in signature.outputs.items()}
        y, x = (session.graph.get_tensor_by_name(name) for name in (outputs["y"], signature.inputs["x"].name))
        outputs["gradient"] = tf.gradients(y, x)[0]
        for batch in (1, 3):
            fed = {info.name: inputs(batch)[key] for key, info in signature.inputs.items()}
            arrays = recorded(folder, name)
            wanted = {key.partition("/")[2]: x for key, x in arrays.items() if key.startswith(f"{batch}/")}
            off, why = difference(session.run(outputs, fed), wanted)
            assert off <= TOLERANCE, why
        again = v1.get_default_graph().as_graph_def()
    with tf.Graph().as_default():
        tf.import_graph_def(again, name="")
        assert len(v1.get_default_graph().get_operations()) > 2


def _graph_def(*nodes):
    made = v1.GraphDef()
    for name, op, sources, attributes in nodes:
        node = made.node.add()
        node.name, node.op = name, op
        node.input.extend(sources)
        for key, value in attributes.items():
            node.attr[key].CopyFrom(v1.AttrValue(**value))
    return made


@pytest.mark.parametrize("op", ["ReadFile", "PyFunc", "WriteFile"])
def test_nodes_that_reach_outside_are_not_run(tmp_path, op):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    text = {"tensor": tf.make_tensor_proto(str(secret))}
    kinds = {"list": v1.AttrValue().list.__class__(type=[7])}
    attributes = {"ReadFile": {}, "WriteFile": {}, "PyFunc": {"token": {"s": b"0"}, "Tin": kinds, "Tout": kinds}}[op]
    graph_def = _graph_def(
        ("path", "Const", [], {"value": text, "dtype": {"type": 7}}),
        ("out", op, ["path", "path"] if op == "WriteFile" else ["path"], attributes),
    )
    with tf.Graph().as_default(), v1.Session() as session:
        tf.import_graph_def(graph_def, name="")
        with pytest.raises(tf.errors.UnimplementedError, match=f"{op}, which is not run"):
            session.run("out")
    assert secret.read_text() == "secret"


def test_a_long_chain_needs_no_deep_stack():
    nodes = [("n0", "Placeholder", [], {"dtype": {"type": 1}})]
    nodes += [(f"n{i}", "Neg", [f"n{i - 1}"], {"T": {"type": 1}}) for i in range(1, 1201)]
    with tf.Graph().as_default() as graph, v1.Session() as session:
        tf.import_graph_def(_graph_def(*nodes[::-1]), name="")
        assert graph.get_tensor_by_name("n1200:0").shape.rank is None
        assert session.run("n40:0", {"n0:0": [2.0]}) == [2.0]


def test_a_constant_larger_than_its_file_is_refused():
    huge = tf.make_tensor_proto(np.zeros(1, "float32"))
    huge.tensor_shape.dim[0].size = 1 << 40
    graph_def = _graph_def(("c", "Const", [], {"value": {"tensor": huge}, "dtype": {"type": 1}}))
    with tf.Graph().as_default(), pytest.raises(ValueError, match="a constant of"):
        tf.import_graph_def(graph_def)


EXPECTED = (OSError, ValueError, TypeError, KeyError, tf.errors.OpError, OverflowError)


@pytest.mark.parametrize("seed", range(30))
def test_a_damaged_graph_raises_what_programs_expect(folder, seed):
    rng = random.Random(seed)
    name = rng.choice(sorted(GRAPHS))
    data = bytearray(read(os.path.join(folder, name, "saved_model.pb")).meta_graphs[0].SerializeToString())
    for _ in range(rng.randint(1, 8)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    try:
        meta = v1.MetaGraphDef.FromString(bytes(data))
        with tf.Graph().as_default(), v1.Session() as session:
            v1.train.import_meta_graph(meta)
            session.run(meta.signature_def["serving_default"].outputs["y"].name, {"x:0": np.ones((2, 3), "float32")})
    except EXPECTED:
        pass


def test_a_concrete_function_with_constants_for_variables(tmp_path):
    weights = tf.Variable(np.ones((4, 2), "float32"))
    function = tf.function(lambda x: tf.matmul(x, weights) * 2.0)
    frozen = convert_variables_to_constants_v2(
        function.get_concrete_function(tf.TensorSpec([None, 4], tf.float32, name="x"))
    )
    weights.assign(weights * 5.0)
    np.testing.assert_array_equal(frozen(tf.ones([1, 4]))[0], [[8.0, 8.0]])
    path = tf.io.write_graph(frozen.graph, str(tmp_path), "frozen.pb", as_text=False)
    with open(path, "rb") as file:
        graph_def = v1.GraphDef.FromString(file.read())
    assert not {node.op for node in graph_def.node} & {"VarHandleOp", "ReadVariableOp"}
    assert [x.name for x in frozen.inputs] == ["x:0"]
    with tf.Graph().as_default(), v1.Session() as session:
        (y,) = tf.import_graph_def(graph_def, return_elements=[frozen.outputs[0].name])
        np.testing.assert_array_equal(session.run(y, {"import/x:0": np.ones([1, 4])}), [[8.0, 8.0]])
