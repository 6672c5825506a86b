"""`python -m tfcompat check`: what it says of programs that run slower than they could."""

import textwrap

import pytest

from tests.tools.test_check import judged
from tfcompat._tools import _slower

START = "import tensorflow as tf\nx = tf.ones([8, 3])\n"
DOUBLE = START + "@tf.function\ndef double(n):\n    return n * 2\n"
ROWS = {
    "a value read at each turn": (
        START + "for _ in range(9):\n    y = tf.reduce_sum(x)\n    print(y.numpy())", "read in a loop 5"
    ),
    "a number made of a tensor": (START + "while True:\n    total = float(tf.reduce_sum(x))", "read in a loop 4"),
    "a value read now and then": (
        START + "for step in range(9):\n    if step % 3 == 0:\n        print(tf.reduce_sum(x).numpy())", ""
    ),
    "a value read after the loop": (START + "for _ in range(9):\n    x = x + 1\nprint(x.numpy())", ""),
    "rows in a loop": (START + "for row in x:\n    tf.reduce_sum(row)", "elements one by one 3"),
    "elements by their numbers": (START + "for i in range(8):\n    tf.sin(x[i])", "elements one by one 4"),
    "rows of a list": (START + "for row in [x, x]:\n    tf.reduce_sum(row)", ""),
    "batches of a dataset": (
        "import tensorflow as tf\nfor x in tf.data.Dataset.range(3).batch(2):\n    tf.reduce_sum(x)", ""
    ),
    "batches of a dataset that has a name": (
        "import tensorflow as tf\ndata = tf.data.Dataset.range(3)\nfor x in data:\n    tf.reduce_sum(x)", ""
    ),
    "files": ("import tensorflow as tf\nfor name in tf.io.gfile.glob('*'):\n    tf.print(name)", ""),
    "parts": (START + "for part in tf.split(x, 3, axis=1):\n    tf.reduce_sum(part)", ""),
    "a variable": ("import tensorflow as tf\nv = tf.Variable(1.0)\nwhile True:\n    float(v + 1)", "read in a loop 4"),
    "a list that is stacked": (
        START + "rows = []\nfor _ in range(9):\n    rows.append(x)\nx = tf.concat(rows, 0)", ""
    ),
    "a tensor that grows": (START + "for _ in range(9):\n    x = tf.concat([x, x[:1]], 0)", "grows in a loop 4"),
    "a slice of growing length": (START + "for n in range(9):\n    tf.reduce_sum(x[:n])", "shape of a loop 4"),
    "a shape by the number of the turn": (START + "for n in range(9):\n    tf.zeros([n, 3])", "shape of a loop 4"),
    "a shape that stays": (START + "for n in range(9):\n    tf.zeros([4, 3]) * n", ""),
    "a function of the number of the turn": (DOUBLE + "for n in range(9):\n    double(n)", "traced at each turn 7"),
    "a function of a tensor of it": (DOUBLE + "for n in range(9):\n    double(tf.constant(n))", ""),
    "a function made by assignment": (
        START + "f = tf.function(lambda n: n)\nfor i, row in enumerate([x]):\n    f(i)", "traced at each turn 5"
    ),
    "a function made at each turn": (
        START + "for _ in range(9):\n    tf.function(lambda: x)()", "made at each turn 4"
    ),
    "one defined at each turn": (
        START + "for _ in range(9):\n    @tf.function\n    def f():\n        return x", "made at each turn 5"
    ),
    "a loop inside a function": (DOUBLE + "@tf.function\ndef f():\n    for row in x:\n        double(row)", ""),
    "a loop in a Python function": (
        START + "def f():\n    for i in range(8):\n        y = x[i] * 2\n    return y", "elements one by one 5"
    ),
    "names of another package": ("import numpy as np\nx = np.ones(3)\nfor y in x:\n    print(float(y))", ""),
    "names imported by themselves": (
        "from tensorflow import ones, reduce_sum\nx = ones([3])\nfor _ in range(3):\n    int(reduce_sum(x))",
        "read in a loop 4",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_what_is_slow_is_said(name):
    program, expected = ROWS[name]
    said = [f"{f.symbol} {line}" for f in judged(program).values() if f.status == "slower" for line in f.lines]
    assert ", ".join(said) == expected


def test_each_text_is_said_of_some_program():
    assert {expected.rpartition(" ")[0] for _, expected in ROWS.values()} - {""} == set(_slower.TEXTS)


def test_what_is_slow_still_runs(tmp_path, capsys):
    from tfcompat._tools import _check

    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(ROWS["a tensor that grows"][0]))
    page = tmp_path / "report.html"
    assert _check.main([str(program), "--html", str(page)]) == 0
    assert "slower    grows in a loop  line 4" in capsys.readouterr().out
    assert "grows in a loop" in page.read_text()
