"""An op of `tf.raw_ops` is a node of TensorFlow's graphs as well: both compute the same."""

import numpy as np
import pytest
from cases._case import build_inputs, materialize
from cases._golden import cases_of

import tfcompat as tf
from tfcompat._formats.graphs import ArgDef, FunctionDef, FunctionDefLibrary, GraphDef, OpDef
from tfcompat.raw_ops._definitions import definition
from tfcompat.saved_model._body import Body, Value
from tfcompat.saved_model._frames import KINDS
from tfcompat.saved_model._graph_functions import REFUSED, Library

_MODULES = ("raw_ops_arrays", "raw_ops_sparse", "raw_ops_text")
# One of each op, but those whose result is left to chance.
CASES = {
    case.symbol.rpartition(".")[2]: (case_id, case) for module in _MODULES for case_id, case in cases_of(module).items()
    if case.symbol.startswith("tf.raw_ops.") and not case.expect_error
}  # fmt: skip
_BY_CHANCE = {"NonDeterministicInts"}


def _tensors(known, kwargs):
    """For each input of a definition the tensor, handle or list of these that a call gives."""
    dtypes, result = {}, []
    for each in known.inputs:
        if isinstance(kwargs[each.parameter], tf.Tensor):
            dtypes.setdefault(each.type_attr, kwargs[each.parameter].dtype)
    for each in known.inputs:
        value, dtype = kwargs[each.parameter], each.type or dtypes.get(each.type_attr)
        if dtype is None and each.type_attr in known.attributes:
            default = known.attributes[each.type_attr].default
            dtype = default if isinstance(default, tf.DType) and not each.is_list else None
        if each.is_list:
            result.append([tf.convert_to_tensor(x, dtype) for x in value])
        else:
            result.append(value if isinstance(value, tf.SparseTensor) else tf.convert_to_tensor(value, dtype))
    return result


def _run(name, known, tensors, attributes):
    """The results of a function of one node."""
    body, arguments, values = Body(), [], []
    for tensor in tensors:
        taken = []
        for one in tensor if isinstance(tensor, list) else [tensor]:
            dtype = tf.variant if isinstance(one, tf.SparseTensor) else one.dtype
            taken.append(Value(f"argument{len(arguments)}", dtype))
            arguments.append(one)
        values.append(taken if isinstance(tensor, list) else taken[0])
    results = body.op(name, *values, **attributes)
    results = results if isinstance(results, list) else [results]
    signature = OpDef(
        name="f", input_arg=[ArgDef(name=f"argument{i}") for i in range(len(arguments))],
        output_arg=[ArgDef(name=f"result{i}") for i in range(len(results))],
    )  # fmt: skip
    function = FunctionDef(signature=signature, node_def=body.nodes)
    for i, result in enumerate(results):
        dict.__setitem__(function.ret, f"result{i}", result.source)
    library = Library(GraphDef(library=FunctionDefLibrary(function=[function])), "here")
    return library.function("f")(*arguments)


def _flat(results):
    """Arrays of a result: of a tensor, a sparse matrix or a nest of them."""
    if isinstance(results, tf.SparseTensor):
        results = [results.indices, results.values, results.dense_shape]
    if isinstance(results, list | tuple):
        return [array for one in results for array in _flat(one)]
    return [] if results is None else [np.asarray(results.numpy())]


@pytest.mark.parametrize("name", [name for name in CASES if name not in _BY_CHANCE | REFUSED | KINDS])
def test_node_computes_what_the_function_does(name):
    case_id, case = CASES[name]
    arrays = build_inputs(case, case_id)
    inputs = [tf.constant(array.tolist() if array.dtype == object else array) for array in arrays]
    _, kwargs = materialize(case, inputs, tf)
    known = definition(name)
    tf.random.set_seed(1)
    wanted = _flat(getattr(tf.raw_ops, name)(**kwargs))
    attributes = {each.name: kwargs[each.parameter] for each in known.given if each.parameter in kwargs}
    tf.random.set_seed(1)
    found = _flat(_run(name, known, _tensors(known, kwargs), attributes))
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("op", sorted(REFUSED))
def test_nodes_that_touch_files_or_run_code_are_not_run(op):
    assert not Library(GraphDef(), "here").has_op(op)


def test_old_ops_and_references_are_nodes():
    """TensorFlow lets no program call them any more; nodes of old graphs do."""
    matrix = tf.constant([[4.0, 1.0], [1.0, 3.0]])
    for old, new in (("BatchCholesky", "Cholesky"), ("BatchMatrixInverse", "MatrixInverse")):
        (found,) = _run(old, definition(old), [matrix], {})
        np.testing.assert_array_equal(found, getattr(tf.raw_ops, new)(input=matrix))
    values, vectors = tf.linalg.eigh(matrix)
    (joined,) = _run("SelfAdjointEig", definition("SelfAdjointEig"), [matrix], {})
    np.testing.assert_array_equal(joined, tf.concat([values[None], vectors], 0))
    v = tf.Variable([1.0, 2.0])
    _run("ScatterAdd", definition("ScatterAdd"), [v, tf.constant([1]), tf.constant([5.0])], {})
    _run("ApplyGradientDescent", definition("ApplyGradientDescent"), [v, tf.constant(0.5), tf.constant([2.0, 4.0])], {})
    (read,) = _run("AssignAdd", definition("AssignAdd"), [v, tf.constant([1.0, 1.0])], {})
    np.testing.assert_array_equal(read, [1.0, 6.0])
    np.testing.assert_array_equal(v, [1.0, 6.0])
