"""Numerical gradient checks of the ops themselves, in float64, both modes, to second order.

One smooth case an op: the goldens compare every case with TensorFlow; this reaches the derivatives which
TensorFlow does not have.
"""

import jax
import numpy as np
import pytest
from cases import _golden
from cases._case import build_inputs, leaves, materialize
from jax.test_util import check_grads

import tfcompat as tf
from tfcompat import _op


def _is_smooth(case):
    found = leaves(case)
    wanted = not case.expect_error and case.options.order and case.options.smooth and case.post is None
    kinds = {leaf.dtype.kind for leaf in found}
    return (
        wanted and all(leaf.smooth and leaf.shape is not None for leaf in found) and "f" in kinds - {"c", "O"}
    )


def _candidates():
    """The first smooth case of each op that is differentiable."""
    chosen = {}
    for module in _golden.modules():
        for case_id, case in _golden.cases_of(module).items():
            op = _op.OPS.get(case.symbol)
            if op is not None and op.operation.differentiable and id(op) not in chosen and _is_smooth(case):
                chosen[id(op)] = pytest.param(case, case_id, id=case_id)
    return list(chosen.values())


def _pure(case, case_id):
    """`(function, arguments)`: the op's body as a function of the case's floating inputs, in float64."""
    op = _op.OPS[case.symbol]
    arrays = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in build_inputs(case, case_id)]
    varied = [number for number, array in enumerate(arrays) if array.dtype.kind == "f"]
    if case.options.wrt is not None:
        varied = [number for number in varied if number in case.options.wrt]

    def function(*values):
        given = list(arrays)
        for number, value in zip(varied, values, strict=True):
            given[number] = value
        args, kwargs = materialize(case, given, tf)
        result = op.raw(**_bound(op.spec, args, kwargs))
        results = result if isinstance(result, tuple | list) else [result]
        return [r for r in results if r.dtype == np.float64]

    return function, [arrays[number] for number in varied]


def _bound(spec, args, kwargs):
    bound = spec.signature.bind(*args, **kwargs)
    bound.apply_defaults()
    bound.arguments.pop("name", None)
    arguments = dict(bound.arguments)
    for name, value in arguments.items():
        if name in spec.lists:
            arguments[name] = tuple(map(_array, value))
        elif name in spec.tensors:
            arguments[name] = None if value is None else _array(value)
        else:
            arguments[name] = _op._normal(value)
    return arguments


def _array(value):
    if isinstance(value, jax.Array | np.ndarray):
        return value
    array = np.asarray(value)
    return array.astype(np.int32) if array.dtype == np.int64 else array


@pytest.mark.parametrize("case, case_id", _candidates())
def test_body_matches_finite_differences(case, case_id):
    with jax.enable_x64(True):
        function, arguments = _pure(case, case_id)
        function = jax.jit(function)
        if not function(*arguments):
            pytest.skip("no float64 result to differentiate")
        check_grads(function, arguments, order=2, modes=("fwd", "rev"), atol=1e-3, rtol=1e-3, eps=1e-4)
