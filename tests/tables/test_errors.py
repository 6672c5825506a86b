"""The tree of exceptions and what each of them tells."""

import pickle

import pytest

import tfcompat as tf
from tables import _table
from tfcompat import errors

CODED = errors._CodedError.__subclasses__()


@_table.parametrize("errors")
def test_is_as_in_tensorflow(expression, outcome):
    assert _table.outcome_of(expression, _table.tfcompat_names()) == outcome


@pytest.mark.parametrize("error_class", CODED)
def test_is_found_by_its_code(error_class):
    error = error_class(None, None, "text")
    assert errors.exception_type_from_error_code(error.error_code) is error_class
    with pytest.raises(errors.OpError, match="text"):
        raise error


@pytest.mark.parametrize(
    "error", [errors.AbortedError("node", None, "text"), errors.OpError("node", None, "text", 77)]
)
def test_survives_being_copied_to_another_process(error):
    copied = pickle.loads(pickle.dumps(error))
    assert type(copied) is type(error)
    assert (copied.message, copied.node_def, copied.error_code) == ("text", "node", error.error_code)


class _Other:
    """Is no tensor, and knows what to do with one."""

    def __radd__(self, tensor):
        return tensor.shape.rank

    def __rsub__(self, tensor):
        return NotImplemented

    def __rmul__(self, tensor):
        raise ValueError("no")

    def __gt__(self, tensor):
        return True


@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_operand_that_is_not_converted_is_asked(make):
    x = make([[1.0]])
    assert x + _Other() == 2
    for use in (lambda: x - _Other(), lambda: x * _Other(), lambda: x < _Other()):
        with pytest.raises(ValueError, match="_Other"):
            use()


@pytest.mark.parametrize("method", ["nearest", "bilinear", "area", "lanczos3", "bicubic"])
def test_picture_of_nothing_is_not_resized(method):
    with pytest.raises(errors.InvalidArgumentError, match="non-zero size"):
        tf.image.resize(tf.zeros([1, 0, 4, 1]), [2, 2], method)
