"""`DType`, `as_dtype`: what TensorFlow gives, and the look-up from NumPy."""

import copy
import pickle

import numpy as np
import pytest

from tables import _table
from tfcompat import dtypes


@_table.parametrize("dtypes")
def test_is_as_in_tensorflow(expression, outcome):
    assert _table.outcome_of(expression, _table.tfcompat_names()) == outcome


@pytest.mark.parametrize("number", range(1, 34))
def test_there_is_one_object_of_each_type(number):
    dtype = dtypes.as_dtype(number)
    assert dtypes.DType(number) is dtype
    assert dtypes.as_dtype(dtype.name) is dtype
    assert copy.deepcopy(dtype) is dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert getattr(dtypes, dtype.name) is dtype


@pytest.mark.parametrize(
    ("numpy_dtype", "dtype"),
    [
        (np.dtype("float32"), dtypes.float32),
        (np.dtype(">f8"), dtypes.float64),
        (np.dtype("longlong"), dtypes.int64),
        (np.dtype("ulonglong"), dtypes.uint64),
        (np.dtype(bool), dtypes.bool),
        (np.dtype(object), dtypes.string),
        (np.dtype("U7"), dtypes.string),
        (np.dtype("S1"), dtypes.string),
        (dtypes.bfloat16.np, dtypes.bfloat16),
        (dtypes.qint8.np, dtypes.qint8),
    ],
)
def test_from_numpy(numpy_dtype, dtype):
    assert dtypes.from_numpy(numpy_dtype) is dtype


@pytest.mark.parametrize("numpy_dtype", ["V3", "datetime64[s]", "f4,f4", "longdouble"])
def test_from_numpy_refuses_what_tensors_cannot_hold(numpy_dtype):
    with pytest.raises(TypeError, match="to a TensorFlow DType"):
        dtypes.from_numpy(np.dtype(numpy_dtype))


def test_numpy_dtype_of_each_type_leads_back():
    for dtype in map(dtypes.as_dtype, range(1, 34)):
        if dtype.np is not None:
            assert dtypes.from_numpy(dtype.np) is dtype
