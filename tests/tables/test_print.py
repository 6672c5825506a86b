"""`tf.print`: what TensorFlow prints, and where it goes."""

import logging
import sys

import jax
import pytest

from tables import _table
from tfcompat import errors
from tfcompat._core.convert import constant
from tfcompat.strings._print import logger
from tfcompat.strings._print import print as tf_print


@_table.parametrize("print")
def test_is_as_in_tensorflow(expression, outcome):
    assert _table.outcome_of(expression, _table.tfcompat_names()) == outcome


def test_goes_to_standard_error_by_default(capsys):
    assert tf_print("a", constant([1, 2])) is None
    assert capsys.readouterr() == ("", "a [1 2]\n")


def test_goes_to_standard_output(capsys):
    tf_print("a", end="!", output_stream=sys.stdout)
    assert capsys.readouterr() == ("a!", "")


def _like_absl():
    """A function like absl.logging.warning, which need not be installed."""


_like_absl.__module__, _like_absl.__name__ = "absl.logging", "warning"


# -1 is absl.logging.WARNING.
@pytest.mark.parametrize("stream", [logging.WARNING, logger.warning, -1, _like_absl])
def test_goes_to_the_log(stream, caplog):
    tf_print("100%", constant(1), output_stream=stream)
    assert [(record.levelname, record.message) for record in caplog.records] == [("WARNING", "100% 1")]


def test_a_file_is_appended_to(tmp_path):
    for i in range(2):
        tf_print(i, output_stream=f"file://{tmp_path / 'printed'}")
    assert (tmp_path / "printed").read_text() == "0\n1\n"


def test_a_file_needs_a_name():
    with pytest.raises(errors.InvalidArgumentError, match="Unknown output stream"):
        tf_print(1, output_stream="file://")


def test_bytes_that_are_no_text(capsys, tmp_path):
    tf_print(constant(b"a\xff"), output_stream=f"file://{tmp_path / 'printed'}")
    assert (tmp_path / "printed").read_bytes() == b"a\xff\n"
    tf_print(constant(b"a\xff"))
    assert capsys.readouterr().err == "a\N{REPLACEMENT CHARACTER}\n"


def test_complex_numbers(capsys):
    tf_print(constant([1 + 2j, 1.5 - 0.1j]))  # TensorFlow prints [? ?]
    assert capsys.readouterr().err == "[1+2j 1.5-0.1j]\n"


def test_prints_when_jax_compiles(capsys):
    @jax.jit
    def doubled(x):
        tf_print("got", constant(x))
        return 2 * x

    doubled(jax.numpy.ones(2)).block_until_ready()
    jax.effects_barrier()
    assert capsys.readouterr().err == "got [1 1]\n"
