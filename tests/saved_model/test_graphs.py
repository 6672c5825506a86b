"""`ConcreteFunction.graph`: a function as a graph of TensorFlow's operations."""

import pytest

import tfcompat as tf
from tfcompat._formats.graphs import GraphDef


def _graph():
    w = tf.Variable([[1.0], [2.0]], name="w")
    function = tf.function(lambda x: tf.nn.relu(tf.matmul(x, w)))
    return function.get_concrete_function(tf.TensorSpec([None, 2], name="x")).graph


def test_operations():
    graph = _graph()
    assert [operation.type for operation in graph.get_operations()] == [
        "Placeholder", "Placeholder", "ReadVariableOp", "MatMul", "Relu", "Identity"
    ]  # fmt: skip
    assert graph.inputs[0].name == "x:0" and graph.inputs[0].shape.as_list() == [None, 2]
    assert [spec.name for spec in graph.outputs] == ["Identity:0"]
    product = graph.get_operation_by_name("MatMul")
    assert product.inputs == ("x:0", "ReadVariableOp:0") and product.get_attr("T") is tf.float32
    assert graph.get_tensor_by_name("x:0").dtype is tf.float32
    with pytest.raises(KeyError, match="not in the graph"):
        graph.get_operation_by_name("y")
    with pytest.raises(ValueError, match="has no attr named 'Q'"):
        product.get_attr("Q")


def test_graph_def_in_files(tmp_path):
    graph = _graph()
    graph_def = graph.as_graph_def()
    assert [node.op for node in graph_def.node][-2:] == ["Relu", "Identity"]
    path = tf.io.write_graph(graph_def, tmp_path / "g", "graph.pb", as_text=False)
    with open(path, "rb") as file:
        assert GraphDef.FromString(file.read()) == graph_def
    text = (tmp_path / "graph.pbtxt")
    tf.io.write_graph(graph, tmp_path, "graph.pbtxt")
    assert 'op: "MatMul"' in text.read_text()


def test_loops_and_branches_are_functions_of_the_library():
    @tf.function
    def f(x):
        for _ in tf.range(3):
            x = x * 2.0
        return x

    graph = f.get_concrete_function(tf.TensorSpec([2])).graph
    assert "StatelessWhile" in [operation.type for operation in graph.get_operations()]
    names = {function.signature.name for function in graph.as_graph_def().library.function}
    assert len(names) == 2


def test_functions_without_a_graph():
    f = tf.function(lambda x: x)
    with pytest.raises(tf.errors.UnimplementedError, match="text or a tensor of unknown rank"):
        f.get_concrete_function(tf.TensorSpec(None)).graph  # noqa: B018
