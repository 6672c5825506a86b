"""`python -m tfcompat explain`: which functions are traced again, and why."""

import subprocess
import sys

import pytest

PROGRAM = """
import tensorflow as tf

@tf.function
def scaled(x, n, training=False):
    return x * n

for call in CALLS:
    scaled(*call)
print("done")
"""


def explained(folder, program):
    """(standard output, lines of standard error) of a program that is explained."""
    (folder / "program.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "-m", "tfcompat", "explain", str(folder / "program.py")], capture_output=True, text=True,
        timeout=120, check=True,
    )  # fmt: skip
    return done.stdout, [line for line in done.stderr.splitlines() if "calls to <function" not in line]


@pytest.mark.parametrize(
    ("calls", "said", "advised"),
    [
        ("[(tf.ones([2]), 1), (tf.ones([2]), 2), (tf.ones([2]), 2)]", "n is 2, it was 1", "another Python value of n"),
        ("[(tf.ones([2]), 1), (tf.ones([3]), 1)]", "x has shape (3,), it had (2,)", "another shape of x"),
        ("[(tf.ones([2]), 1), (tf.ones([2], 'int32'), 1)]", "x is int32, it was float32", "another dtype of x"),
        ("[(tf.ones([2]), 1), (tf.ones([2]), tf.ones([]))]", "n is a tensor, it was a Python value", "once a tensor"),
        ("[(tf.ones([2]), 1), (tf.ones([2]), 1, True)]", "training is True, it was False", "value of training"),
        ("[(tf.ones([2]), 1), ([tf.ones([2])], 1)]", "the arguments are nested otherwise: x[0]", "another structure"),
        ("[(tf.ones([2]), 1)] * 3", None, "no tf.function was traced again"),
    ],
)
def test_the_argument_is_named(tmp_path, calls, said, advised):
    out, lines = explained(tmp_path, PROGRAM.replace("CALLS", calls).replace("x * n", "(x, n)"))
    assert out == "done\n"
    again = [line for line in lines if " again: " in line]
    assert len(again) == (said is not None)
    if said is not None:
        assert again[0].startswith(f"tfcompat: at program.py:9: tracing scaled (program.py:4) again: {said}")
        assert "scaled (program.py:4) was traced again:" in lines
    assert advised in lines[-1]


def test_functions_made_again_are_named(tmp_path):
    program = "import tensorflow as tf\nfor i in range(3):\n    tf.function(lambda x: x + 1)(tf.ones([2]))\n"
    _, lines = explained(tmp_path, program)
    assert sum("another tf.function of the same code" in line for line in lines) == 2
    assert lines[-1] == "  2 times: made again from the same code: make the tf.function once, outside of the loop"


def test_help_and_misuse(capsys):
    from tfcompat._tools import _cli

    assert _cli.main(["explain", "--help"]) == 0 and "traced again" in capsys.readouterr().out
    assert _cli.main(["explain"]) == 2 and "usage" in capsys.readouterr().err
