"""tensorflow/python/framework/test_util.py: decorators that run a test in a graph and eagerly."""

import unittest

import tfcompat as _tf
from tfcompat._private import tf_decorator as _tf_decorator

TensorFlowTestCase = _tf.test.TestCase


def run_in_graph_and_eager_modes(func=None, config=None, use_gpu=True, assert_no_eager_garbage=False):
    """Decorator of a method of a `tf.test.TestCase`: it runs in a new `tf.Graph`, then eagerly, each behind a `setUp`.

    Args:
      func: the method; None: the decorator is returned.
      config: of the session of the graph.
      use_gpu, assert_no_eager_garbage: change nothing.

    Raises:
      ValueError: `func` is a class.
    """

    def decorate(test):
        if isinstance(test, type):
            raise ValueError(
                "`run_in_graph_and_eager_modes` only supports test methods. "
                "Did you mean to use `run_all_in_graph_and_eager_modes`?"
            )

        def both(self, *args, **kwargs):
            _tf.keras.backend.reset_uids()  # as each graph of TensorFlow counts the names of layers from the start
            try:
                with _tf.Graph().as_default(), self.subTest("graph_mode"), self.test_session(config=config):
                    test(self, *args, **kwargs)
            except unittest.SkipTest:
                pass
            self.tearDown()
            _tf.keras.backend.reset_uids()
            with self.subTest("eager_mode"):
                self.setUp()
                test(self, *args, **kwargs)

        return _tf_decorator.make_decorator(test, both)

    return decorate if func is None else decorate(func)


def run_all_in_graph_and_eager_modes(cls):
    """Decorator of a `tf.test.TestCase`: `run_in_graph_and_eager_modes` for each of its tests."""
    for name in dir(cls):
        test = getattr(cls, name)
        skipped = name.startswith(("testSkipEager", "test_skip_eager")) or name in ("test_session", "test_scope")
        if name.startswith(unittest.TestLoader.testMethodPrefix) and not skipped and callable(test):
            setattr(cls, name, run_in_graph_and_eager_modes(test))
    return cls


def _with_tests(cls, decorate, *others):
    """A class whose own tests, and methods of these `others` names, are decorated."""
    for name, value in list(vars(cls).items()):
        if callable(value) and (name in others or name.startswith(unittest.TestLoader.testMethodPrefix)):
            setattr(cls, name, decorate(value))
    return cls


def deprecated_graph_mode_only(func):
    """Decorator of a test, or of a class for all of its tests and its `setUp`: it runs in a `tf.Graph`."""
    if isinstance(func, type):
        return _with_tests(func, deprecated_graph_mode_only, "setUp")

    def in_graph(self, *args, **kwargs):
        if not _tf.executing_eagerly():
            return func(self, *args, **kwargs)
        with _tf.Graph().as_default():
            return func(self, *args, **kwargs)

    return _tf_decorator.make_decorator(func, in_graph)


run_deprecated_v1 = deprecated_graph_mode_only


def enable_control_flow_v2(fn):
    """Decorator of a test; tfcompat has one form of control flow, so it gives `fn`."""
    return fn


def run_v1_only(reason, func=None):
    """Decorator of a test, or of a class for all of its tests: it is skipped with this reason, as in TensorFlow 2."""

    def decorate(test):
        if isinstance(test, type):
            return _with_tests(test, decorate)
        return _tf_decorator.make_decorator(test, lambda self, *args, **kwargs: self.skipTest(reason))

    if not isinstance(reason, str):
        raise ValueError(f"'reason' should be string, got {type(reason)}")
    return decorate if func is None else decorate(func)


def run_v2_only(func=None, reason=None):
    """Decorator of a test of TensorFlow 2, which is what runs here."""
    return (lambda test: test) if func is None else func


def disable_xla(description):
    """Decorator of a test that TensorFlow does not run by XLA; here all run by XLA or NumPy, and so does this one."""
    return lambda test: test
