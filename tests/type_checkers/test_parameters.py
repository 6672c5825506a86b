"""The types of parameters take every argument that the recorded calls of ops have, which TensorFlow takes."""

import importlib
import inspect
import pathlib
import sys
from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from cases._case import build_inputs, case_ids, materialize, resolve

import tfcompat as tf

sys.path.append(str(pathlib.Path(tf.__file__).parents[1] / "stubs"))
from parameters import types_of  # noqa: E402

CASES = pathlib.Path(__file__).parents[1] / "cases"
TENSORS = (tf.Tensor, tf.Variable, tf.IndexedSlices, tf.RaggedTensor, tf.SparseTensor, tf.TensorShape)


def _has(value, *names):
    return any(hasattr(type(value), name) for name in names)


# What parameters.py writes, as a test of a value.
TAKES = {
    "None": lambda v: v is None,
    "_p.TensorLike": lambda v: isinstance(v, (complex, str, bytes, Sequence, *TENSORS))
    or _has(v, "__array__", "__index__", "__float__"),
    "_p.Flag": lambda v: _has(v, "__index__", "__array__"),
    "_p.Int": lambda v: _has(v, "__index__", "__int__", "__array__"),
    "_p.ShapeLike": lambda v: isinstance(v, Iterable) or _has(v, "__index__", "__array__"),
    "_p.DTypeLike": lambda v: isinstance(v, tf.DType | str | type | np.dtype | int),
    "_builtins.str": lambda v: isinstance(v, str),
    "_t.Callable[..., _t.Any]": callable,
}


@pytest.mark.parametrize("namespace", sorted(path.stem for path in CASES.glob("[a-z]*.py")))
def test_types_take_what_is_recorded(namespace):
    cases = importlib.import_module(f"cases.{namespace}").CASES
    refused = []
    for case, name in zip(cases, case_ids(cases), strict=True):
        namespace, _, last = case.symbol.rpartition(".")
        function = getattr(resolve(tf, namespace), last, None)
        if case.expect_error or not (inspect.isfunction(function) or inspect.isclass(function)):
            continue
        args, kwargs = materialize(case, [tf.constant(x) for x in build_inputs(case, name)], tf)
        try:
            bound = inspect.signature(function).bind(*args, **kwargs).arguments
        except (TypeError, ValueError):
            continue
        for parameter, kind in types_of(function).items():
            if parameter in bound and not any(TAKES[each](bound[parameter]) for each in kind.split(" | ")):
                refused.append(f"{name}: {parameter}={bound[parameter]!r:.60} is no {kind}")
    assert not refused
