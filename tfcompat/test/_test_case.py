"""TestCase, and the way to run it."""

import contextlib
import functools
import os
import random
import re
import tempfile
import unittest
from typing import Any

import numpy as np

from tfcompat import dtypes, errors, nest
from tfcompat._core import graphs
from tfcompat._core.convert import convert_to_tensor, is_tensor
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat._core.tensor import EagerTensor
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.random import set_seed

try:
    from absl.testing.absltest import TestCase as _Base  # what TensorFlow's derives from
except ImportError:
    _Base = unittest.TestCase

_SEED = 87654321  # with which each test begins, as in TF
_LOOSE = {"float16": "half", "bfloat16": "bfloat16", "float32": "float", "complex64": "float"}


def main(argv=None):
    """Runs the tests of the main module, as `unittest.main`. TF: `tf.test.main`."""
    unittest.main(argv=argv)


def disable_with_predicate(pred, skip_message):
    """Decorator of a test: it is skipped if `pred()`, and `skip_message` says why.

    TF: `tf.test.disable_with_predicate`.
    """

    def decorate(test):
        @functools.wraps(test)
        def wrapper(self, *args, **kwargs):
            if pred():
                self.skipTest(skip_message)
            return test(self, *args, **kwargs)

        return wrapper

    return decorate


class TestCase(_Base):
    """A test case whose assertions take tensors, arrays, numbers, and nests of them.

    Random numbers begin with the same seeds in each test. Where a graph is built, its tensors are evaluated in a
    session that lasts for the test. Elsewhere `session()` and `cached_session()` give what evaluates tensors.
    Where absl-py is installed, its assertions are there, too.

    TF: `tf.test.TestCase`.
    """

    _temporary = _session = None
    __test__ = False  # the class itself, to pytest; derived classes are tests

    def __init__(self, methodName="runTest"):
        super().__init__(methodName)

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "__test__" not in vars(cls):
            cls.__test__ = True

    def setUp(self):
        super().setUp()
        random.seed(_SEED)
        np.random.seed(_SEED)
        set_seed(_SEED)
        if graphs.current() is None:
            graphs.reset_eager_graph()

    def get_temp_dir(self):
        """An empty folder, the same for the whole test, which is removed behind it."""
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory()
            self.addCleanup(self._temporary.cleanup)
        return self._temporary.name

    def evaluate(self, tensors):
        """The nest with NumPy arrays in place of tensors and variables; eagerly, functions in it are called first."""
        if graphs.current() is None:
            return nest.map_structure(lambda leaf: self.evaluate(leaf()) if callable(leaf) else _array(leaf), tensors)
        session = graphs.upstairs.default_session()
        if session is not None:
            return session.run(tensors)
        with self.cached_session() as session:
            return session.run(tensors)

    @contextlib.contextmanager
    def session(self, graph=None, config=None, use_gpu=True, force_gpu=False):
        """Context with a new session of a graph, by default of the one that is built; else with what evaluates."""
        if graph is None and graphs.current() is None:
            yield _Evaluating(self)
        else:
            with graphs.upstairs.session(graph=graph, config=config) as session:
                yield session

    @contextlib.contextmanager
    def cached_session(self, graph=None, config=None, use_gpu=True, force_gpu=False):
        """As `session`, with the same session of a graph each time in a test; ValueError for another graph."""
        if graph is None and graphs.current() is None:
            yield _Evaluating(self)
            return
        graph = graph or graphs.current()
        if self._session is None:
            self._session = graphs.upstairs.session(graph=graph, config=config)
            self.addCleanup(self._session.close)
        elif self._session.graph is not graph:
            raise ValueError("cached_session: the session of this test is one of another graph; use session()")
        with graph.as_default(), self._session.as_default():
            yield self._session

    def test_session(self, graph=None, config=None, use_gpu=True, force_gpu=False):
        """As `session`, under its old name, by which `unittest` takes it for a test: as such it is skipped."""
        if self.id().endswith(".test_session"):
            self.skipTest("Not a test.")
        return self.cached_session(graph, config, use_gpu, force_gpu)

    @contextlib.contextmanager
    def captureWritesToStream(self, stream):
        """A context in which what is written to a stream goes to a file; its value's `contents()` is the text.

        Args:
          stream: text stream with a file descriptor, such as `sys.stdout`.
        """
        stream.flush()
        number, path = tempfile.mkstemp(dir=self.get_temp_dir())
        before = os.dup(stream.fileno())
        os.dup2(number, stream.fileno())
        try:
            yield CapturedWrites(path)
        finally:
            stream.flush()
            os.dup2(before, stream.fileno())
            os.close(before)
            os.close(number)

    def _GetNdArray(self, a):
        """A tensor, or what NumPy takes, as an array. Test classes of libraries call it."""
        return np.asarray(self.evaluate(a) if is_tensor(a) else _array(a))

    def _known(self, *values):
        """The values, with arrays in place of the tensors of a graph in them."""
        if graphs.current() is None:
            return values
        return nest.map_structure(
            lambda x: self.evaluate(x) if is_tensor(x) and not isinstance(x, EagerTensor) else x, values
        )

    # --- equality -----------------------------------------------------------------------------------------------

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        """The elements of two nests differ by at most `atol + rtol * |b|`; equal NaNs count as close.

        The tolerances are numbers, or arrays that broadcast to the shape of the values.
        """
        a, b, rtol, atol = self._known(a, b, rtol, atol)
        if isinstance(a, RaggedTensor) or isinstance(b, RaggedTensor):
            a, b = _rows(a), _rows(b)
        else:
            a, b = _nest_of(a), _nest_of(b)
        self.assertEqual(_form(a), _form(b), _joined("structures differ", msg))
        for one, other in zip(_flat(a), _flat(b), strict=True):
            self._assert_close(one, other, rtol, atol, msg)

    def _assert_close(self, a, b, rtol, atol, msg):
        a, b = np.asarray(a), np.asarray(b)
        self.assertEqual(a.shape, b.shape, _joined("shapes differ", msg))
        if a.dtype.kind not in "biufc" and a.dtype.name != "bfloat16":
            return self.assertAllEqual(a, b, msg)
        wide = np.complex128 if "c" in (a.dtype.kind, b.dtype.kind) else np.float64
        a, b = a.astype(wide), b.astype(wide)
        if np.ndim(rtol) or np.ndim(atol):
            near = np.isclose(a, b, rtol, atol, equal_nan=True)
            self.assertTrue(np.all(near), _joined(f"{a[~near]} differ from {b[~near]} by more than allowed", msg))
        else:
            np.testing.assert_allclose(a, b, rtol, atol, err_msg=msg or "")

    def assertAllCloseAccordingToType(self, a, b, rtol=1e-6, atol=1e-6, float_rtol=1e-6, float_atol=1e-6,
                                      half_rtol=1e-3, half_atol=1e-3, bfloat16_rtol=1e-2, bfloat16_atol=1e-2,
                                      msg=None):  # fmt: skip
        """As `assertAllClose`, with the larger of the tolerances for the dtypes of `a` and `b`."""
        tolerances = {"half": (half_rtol, half_atol), "bfloat16": (bfloat16_rtol, bfloat16_atol)}
        tolerances["float"] = float_rtol, float_atol
        a, b = self._known(a, b)
        for array in (_array(a), _array(b)):
            wide = tolerances.get(_LOOSE.get(np.asarray(array).dtype.name, ""), (rtol, atol))
            rtol, atol = max(rtol, wide[0]), max(atol, wide[1])
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNotAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        """`assertAllClose` would fail."""
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        raise self.failureException(_joined("the two values are close at all elements", msg))

    def assertAllEqual(self, a, b, msg=None):
        """Shapes and all elements are equal; equal NaNs count as equal."""
        a, b = self._known(a, b)
        if isinstance(a, RaggedTensor) or isinstance(b, RaggedTensor):
            a, b = _rows(a), _rows(b)
            self.assertEqual(_form(a), _form(b), _joined("structures differ", msg))
            a, b = _flat(a), _flat(b)
        a, b = _array(a), _array(b)
        if isinstance(a, np.ndarray | np.generic) and a.dtype.kind == "O" or np.asarray(b).dtype.kind in "OSU":
            a, b = _bytes(a), _bytes(b)
        np.testing.assert_array_equal(a, b, err_msg=msg or "", strict=False)
        self.assertEqual(np.shape(a), np.shape(b), _joined("shapes differ", msg))

    def assertNotAllEqual(self, a, b, msg=None):
        """`assertAllEqual` would fail."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise self.failureException(_joined("the two values are equal at all elements", msg))

    def assertNear(self, f1, f2, err, msg=None):
        """Two numbers differ by at most `err`."""
        f1, f2 = map(_array, self._known(f1, f2))
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, _joined(f"{f1} != {f2} +/- {err}", msg))

    def assertArrayNear(self, farray1, farray2, err, msg=None):
        """Two lists of numbers differ by at most `err`."""
        farray1, farray2 = self._known(farray1, farray2)
        self.assertEqual(len(farray1), len(farray2), msg)
        for one, other in zip(farray1, farray2, strict=True):
            self.assertNear(one, other, err, msg)

    def assertNDArrayNear(self, ndarray1, ndarray2, err, msg=None):
        """The norm of the difference of two arrays is below `err`."""
        norm = np.linalg.norm(self._GetNdArray(ndarray1) - self._GetNdArray(ndarray2))
        self.assertLess(norm, err, msg)

    # --- order and ranges ---------------------------------------------------------------------------------------

    def assertAllGreater(self, a, comparison_target):
        """All elements are greater."""
        self.assertGreater(np.min(self._GetNdArray(a)), *self._known(comparison_target))

    def assertAllLess(self, a, comparison_target):
        """All elements are less."""
        self.assertLess(np.max(self._GetNdArray(a)), *self._known(comparison_target))

    def assertAllGreaterEqual(self, a, comparison_target):
        """All elements are greater or equal."""
        self.assertGreaterEqual(np.min(self._GetNdArray(a)), *self._known(comparison_target))

    def assertAllLessEqual(self, a, comparison_target):
        """All elements are less or equal."""
        self.assertLessEqual(np.max(self._GetNdArray(a)), *self._known(comparison_target))

    def assertAllInRange(self, target, lower_bound, upper_bound, open_lower_bound=False, open_upper_bound=False):
        """All elements lie between the bounds, which belong to the range unless they are open."""
        (self.assertAllGreater if open_lower_bound else self.assertAllGreaterEqual)(target, lower_bound)
        (self.assertAllLess if open_upper_bound else self.assertAllLessEqual)(target, upper_bound)

    def assertAllInSet(self, target, expected_set):
        """All elements are among those of `expected_set`."""
        others = set(self._GetNdArray(target).ravel().tolist()) - set(expected_set)
        self.assertFalse(others, f"not in {expected_set}: {others}")

    # --- what tensors are ---------------------------------------------------------------------------------------

    def assertShapeEqual(self, input_a, input_b, msg=None):
        """Two tensors or arrays have the same shape."""
        self.assertEqual(np.shape(self._GetNdArray(input_a)), np.shape(self._GetNdArray(input_b)), msg)

    def assertDTypeEqual(self, target, expected_dtype):
        """A tensor or array has a dtype."""
        actual = dtypes.from_numpy(self._GetNdArray(target).dtype)
        self.assertEqual(actual, dtypes.as_dtype(expected_dtype))

    def assertStartsWith(self, actual, expected_start, msg=None):
        """A text begins so."""
        self.assertTrue(actual.startswith(expected_start), _joined(f"{actual!r} does not start with "
                                                                   f"{expected_start!r}", msg))  # fmt: skip

    # --- errors -------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type, expected_err_re_or_predicate):
        """Context that raises an exception for which a predicate holds, or whose text a regular expression finds."""
        expected = expected_err_re_or_predicate
        with self.assertRaises(exception_type) as caught:
            yield
        error = caught.exception
        if callable(expected):
            holds = expected(error)
        else:
            holds = re.search(expected, error.message if isinstance(error, errors.OpError) else str(error))
        self.assertTrue(holds, f"exception of the expected type that does not match: {error!r}")

    def assertRaisesOpError(self, expected_err_re_or_predicate):
        """As `assertRaisesWithPredicateMatch` of `tf.errors.OpError`."""
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)


class _Evaluating:
    """What stands for a session: it evaluates tensors."""

    def __init__(self, case):
        self._case = case

    def run(self, fetches, feed_dict=None):
        if feed_dict:
            raise errors.UnimplementedError(None, None, "session.run with feed_dict: use function arguments")
        return self._case.evaluate(fetches)


class CapturedWrites:
    """What `TestCase.captureWritesToStream` has captured, in a file."""

    def __init__(self, path):
        self._path = path

    def contents(self):
        """The text written so far."""
        with open(self._path, encoding="utf-8") as file:
            return file.read()


def _array(value: Any) -> Any:
    """The NumPy value of a tensor, variable or IndexedSlices; anything else as it is."""
    if isinstance(value, IndexedSlices):
        value = convert_to_tensor(value)
    if hasattr(value, "numpy"):
        return value.numpy()
    if not isinstance(value, list | tuple):
        return value
    try:
        return np.asarray(value)
    except ValueError:  # rows of several shapes
        return np.asarray(value, object)


def _bytes(value):
    flat = [x.encode() if isinstance(x, str) else x for x in np.asarray(value, object).ravel().tolist()]
    return np.array(flat, object).reshape(np.shape(value))


def _nest_of(value: Any) -> Any:
    """Lists of plain numbers as arrays; what is nested otherwise stays so."""
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        try:
            array = np.array([np.asarray(_array(x)) for x in value])
        except ValueError:  # rows of several shapes
            array = np.array(None)
        if array.dtype.kind != "O" and not any(isinstance(x, dict) for x in value):
            return array
        return [_nest_of(x) for x in value]
    if isinstance(value, dict):
        return {key: _nest_of(x) for key, x in value.items()}
    if hasattr(value, "_fields"):
        return {name: _nest_of(getattr(value, name)) for name in value._fields}
    return _array(value)


def _rows(value):
    """A ragged tensor, a tensor or what NumPy takes, as lists of rows."""
    if isinstance(value, RaggedTensor):
        return value.to_list()
    if isinstance(value, list | tuple):
        return [_rows(x) for x in value]
    return np.asarray(_array(value)).tolist()


def _form(value):
    if isinstance(value, dict):
        return {key: _form(x) for key, x in value.items()}
    return [_form(x) for x in value] if isinstance(value, list) else None


def _flat(value):
    if isinstance(value, dict):
        return [leaf for _, x in sorted(value.items(), key=lambda item: repr(item[0])) for leaf in _flat(x)]
    return [leaf for x in value for leaf in _flat(x)] if isinstance(value, list) else [value]


def _joined(text, msg):
    return f"{text}. {msg}" if msg else text
