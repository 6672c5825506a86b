"""`python -m tfcompat check`: which names a program uses, and what becomes of them."""

import json
import subprocess
import sys
import textwrap

import pytest

from tfcompat._tools import _check, _sources, _uses, _verdict

JUDGE = _verdict.Judge()


def used(program):
    """The uses in a program: `line symbol`."""
    source = _sources.Source("program.py", textwrap.dedent(program).lstrip("\n"))
    assert source.error is None
    return [f"{use.line} {use.symbol}" for use in _uses.uses(source.tree, JUDGE.names_of)[0]]


def judged(program):
    """Dict from symbols to the verdicts on them."""
    source = _sources.Source("program.py", textwrap.dedent(program).lstrip("\n"))
    return {f.symbol: f for f in _check._checked(source, JUDGE).findings}


# --- which names are used ---------------------------------------------------------------------------------------------


def test_names_are_followed_through_imports_and_aliases():
    assert used("""
        import tensorflow as tf
        import tensorflow.keras.backend as K
        from tensorflow.keras import layers, optimizers as opt
        from tensorflow.keras.layers import Dense
        L = tf.keras.layers
        Dense(3), layers.Conv2D, L.Dropout(0.1), opt.SGD, K.clear_session()
        tf.math.add
    """) == [
        "2 tf.keras.backend",
        "3 tf.keras.layers", "3 tf.keras.optimizers",
        "4 tf.keras.layers.Dense",
        "5 tf.keras.layers",
        "6 tf.keras.layers.Dense", "6 tf.keras.layers.Conv2D", "6 tf.keras.layers.Dropout", "6 tf.keras.optimizers.SGD",
        "6 tf.keras.backend.clear_session",
        "7 tf.math.add",
    ]  # fmt: skip


def test_plain_import_binds_the_top_level_name():
    assert used("import tensorflow.keras\ntensorflow.nn.relu") == ["1 tf.keras", "2 tf.nn.relu"]


def test_names_that_mean_something_else_are_none():
    assert used("""
        import tensorflow as tf
        def f(tf):
            return tf.anything
        class Other:
            tf.constant
        def g():
            import numpy as tf
            return tf.linalg.norm
        import os as layers
        layers.path
    """) == ["5 tf.constant"]


def test_instances_are_followed_one_step():
    assert used("""
        import tensorflow as tf
        class Net(tf.keras.Model):
            def __init__(self):
                self.dense = tf.keras.layers.Dense(1)
            def extra(self):
                return self.dense.get_weights(), self.trainable_variables
        net = Net()
        net.fit(), net.extra()
        with tf.GradientTape() as tape:
            pass
        tape.gradient(1, 2)
        x = tf.Variable(1.0) if net else tf.Variable(2.0)
        x.assign(3.0)
        y = 1
        y = tf.Variable(1.0)
        y.real
    """) == [
        "2 tf.keras.Model",
        "4 tf.keras.layers.Dense",
        "6 tf.keras.layers.Dense.get_weights", "6 tf.keras.Model.trainable_variables",
        "8 tf.keras.Model.fit",
        "9 tf.GradientTape",
        "11 tf.GradientTape.gradient",
        "12 tf.Variable", "12 tf.Variable",
        "13 tf.Variable.assign",
        "15 tf.Variable",
    ]  # fmt: skip


def test_star_imports_bring_the_names_of_the_module():
    assert used("from tensorflow.keras.layers import *\nDense(1), LSTMCell(2), print") == [
        "1 tf.keras.layers", "2 tf.keras.layers.Dense", "2 tf.keras.layers.LSTMCell",
    ]  # fmt: skip


def test_import_that_may_fail_is_an_import():
    assert used("""
        try:
            import tensorflow as tf
        except ImportError:
            tf = None
        tf.constant(1)
    """) == ["5 tf.constant"]


def test_packages_that_need_tensorflow_are_named():
    tree = _sources.Source("p.py", "import tensorflow_text as text\nimport sonnet\nfrom tf_slim import x\n").tree
    assert _uses.uses(tree)[1] == {"tensorflow_text": [1], "tf_slim": [3]}


def test_keras_by_itself_is_that_of_tensorflow():
    assert used("import keras\nfrom tf_keras import layers\nkeras.Model, layers.Dense(1)\nimport keras.losses") == [
        "1 tf.keras", "2 tf.keras.layers", "3 tf.keras.Model", "3 tf.keras.layers.Dense", "4 tf.keras.losses",
    ]  # fmt: skip


def test_private_names_that_are_answered_are_supported():
    found = judged("from tensorflow.python.framework import ops, no_such_module\nops.convert_to_tensor, ops.nothing\n")
    assert {name.rpartition(".")[2]: f.status for name, f in found.items()} == {
        "ops": "supported", "no_such_module": "missing", "convert_to_tensor": "supported", "nothing": "missing",
    }  # fmt: skip


# --- what becomes of them ---------------------------------------------------------------------------------------------


def test_verdicts_on_names():
    found = judged("""
        import tensorflow as tf
        tf.reduce_sum
        tf.estimator.Estimator(1)
        tf.matmull
        tf.compiler.xla
        tf.keras.Sequential().distribute_reduction_method()
        tf.gather([1], [0], no_such_argument=1)
        try:
            tf.contrib.layers
        except AttributeError:
            pass
    """)
    assert {name: f.status for name, f in found.items()} == {
        "tf.reduce_sum": "supported", "tf.estimator.Estimator": "missing", "tf.matmull": "missing",
        "tf.compiler.xla": "missing", "tf.keras.Sequential": "supported",
        "tf.keras.Sequential.distribute_reduction_method": "missing",
        "tf.gather(no_such_argument=...)": "missing", "tf.contrib.layers": "missing",
    }  # fmt: skip
    assert "tf.GradientTape" in found["tf.estimator.Estimator"].text
    assert "misspelt" in found["tf.matmull"].text
    assert "public name" in found["tf.compiler.xla"].text
    assert [name for name, f in found.items() if f.guarded] == ["tf.contrib.layers"]


def test_attributes_that_only_instances_have_are_found():
    found = judged("""
        import tensorflow as tf
        options = tf.data.Options()
        options.experimental_optimization.noop_elimination = True
        adam = tf.keras.optimizers.Adam()
        adam.learning_rate, adam.iterations, adam.no_such
        class Net(tf.keras.Model):
            def call(self, x):
                return self.undefined(self.name, self.trainable_weights)
    """)
    assert not [name for name, f in found.items() if f.status == "missing"]


def test_differences_are_those_that_apply():
    program = "import tensorflow as tf\ntf.sort, tf.linalg.pinv(1), tf.cond\n"
    found = judged(program)
    assert found["tf.linalg.pinv"].differences == ("pinv-equal-singular-values",)
    assert found["tf.sort"].status == "differs"
    assert found["tf.cond"].status == "supported"  # but not inside a tf.function:
    assert judged(program + "tf.function(print)")["tf.cond"].status == "differs"
    plain, compiled = (judged(f"import tensorflow as tf\ntf.function({x})") for x in ("f", "jit_compile=True"))
    assert "function-jit-compile" not in plain["tf.function"].differences
    assert "function-jit-compile" in compiled["tf.function"].differences


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [("tf.a.b, tf.c", [("tf.a.b", [], ""), ("tf.c", [], "")]),
     ("tf.function(jit_compile=..., x=1)", [("tf.function", ["jit_compile", "x"], "")]),
     ("tf.keras.Model(inputs, outputs)", [("tf.keras.Model", ["*", "inputs", "outputs"], "")]),
     ("tf.V.assign, assign_add", [("tf.V.assign", [], ""), ("tf.V.assign_add", [], "")]),
     ("tf.a, tf.b inside tf.f", [("tf.a", [], "inside tf.f"), ("tf.b", [], "inside tf.f")]),
     ("tf.s with x; tf.t", [("tf.s", [], "with x"), ("tf.t", [], "")]),
     ("masks in tf.keras layers", []), ("tf.nn.pool*", [("tf.nn.pool*", [], "")])],
)  # fmt: skip
def test_symbols_of_differences_are_read(symbol, expected):
    found = _verdict.applies_to(symbol, lambda name: name == "tf.V.assign_add")
    assert [(name, sorted(arguments), condition) for name, arguments, condition in found] == expected


def test_every_difference_that_begins_with_a_name_is_matched():
    entries = [entry for entry in _verdict.differences() if entry["symbol"].startswith("tf.")]
    assert [entry["symbol"] for entry in entries if not _verdict.applies_to(entry["symbol"])] == []


# --- files ------------------------------------------------------------------------------------------------------------


def notebook(*cells):
    return json.dumps({"cells": [{"cell_type": kind, "source": source} for kind, source in cells]})


def test_notebooks_magics_and_places():
    lines = _sources.python_lines("import os\n%matplotlib inline\nfiles = !ls\nx = 7 % 3\ntf.constant?\ny")
    assert lines[1:3] == ["pass  # %matplotlib inline", "files = None  # files = !ls"]
    assert lines[3:5] == ["x = 7 % 3", "pass  # tf.constant?"]
    assert _sources.python_lines("%%bash\nls") == ["# %%bash", "# ls"]
    assert _sources.python_lines("%%time\nx = 1") == ["pass  # %%time", "x = 1"]


@pytest.fixture
def project(tmp_path):
    (tmp_path / "good.py").write_text("import tensorflow as tf\nprint(tf.add(1, 2))\n")
    (tmp_path / "old.py").write_text("import tensorflow as tf\nprint 'x'\n")
    (tmp_path / "other.py").write_text("import os\n")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "bad.py").write_text("import tensorflow as tf\n\ntf.matmull\ntf.matmull\n")
    (tmp_path / "package" / "latin.py").write_bytes(b"# \xe9\n")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "x.py").write_text("import tensorflow.nothing\n")
    (tmp_path / "book.ipynb").write_text(
        notebook(("markdown", "# A"), ("code", ["import tensorflow as tf\n", "%pip list"]), ("code", "1\ntf.matmull"))
    )
    (tmp_path / "broken.ipynb").write_text("{")
    return tmp_path


def test_folder_is_read_whole_and_one_bad_file_stops_nothing(project):
    files = {file.source.path.name: file for file in _check.check([project])}
    assert sorted(files) == ["bad.py", "book.ipynb", "broken.ipynb", "good.py", "latin.py", "old.py", "other.py"]
    assert [name for name, file in files.items() if file.runs] == ["good.py", "other.py"]
    assert files["good.py"].uses == {"supported": 1}
    assert files["bad.py"].findings[0].lines == [3, 4]
    assert files["old.py"].source.error_line == 2
    assert "Python 2" in files["old.py"].source.error
    assert files["book.ipynb"].source.place(files["book.ipynb"].findings[0].lines[0]) == "cell 3, line 2"
    text = _check.as_text(list(files.values()))
    assert "  missing   tf.matmull  lines 3, 4\n" in text
    assert text.splitlines()[-1] == (
        "1 of 4 uses supported; 0 differ; 3 missing (3 files of 7 with TensorFlow); 3 files could not be read"
    )


def test_long_program_is_read_quickly(tmp_path):
    lines = 8_000
    (tmp_path / "long.py").write_text("import tensorflow as tf\nx = tf.one\n" + "x = tf.linalg.pinv(x)\n" * lines)
    [file] = _check.check([tmp_path])
    assert file.uses == {"missing": 1, "differs": lines}
    assert "lines 3, 4, " in _check.as_text([file])
    assert f" and {lines - 20} more\n" in _check.as_text([file])


def test_folder_without_programs_says_so(tmp_path, capsys):
    assert _check.main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == "no scripts or notebooks found\n"


def test_page_and_json_say_the_same(project):
    files = _check.check([project])
    content = json.loads(_check.as_json(files))
    assert (content["runs"], content["uses"]["missing"], content["summary"]) == (False, 3, _check.summary(files))
    book = next(f for f in content["files"] if f["path"].endswith("book.ipynb"))
    assert book["names"][0]["places"] == [{"line": 2, "cell": 3}]
    from tfcompat._tools._check_html import as_html

    page = as_html(files)
    assert content["summary"] in page
    assert "http" not in page  # nothing from outside
    assert "print &#x27;x" not in page
    assert page.count("<dl>") == page.count("</dl>")
    (project / "good.py").write_text("import tensorflow as tf\ntf.linalg.pinv(1)\n")
    assert "More: migration_guide/differences.md#pinv-equal-singular-values" in as_html(_check.check([project]))


def test_command(project):
    command = [sys.executable, "-m", "tfcompat", "check"]
    done = subprocess.run(
        [*command, "good.py", "package", "--json", "--html", "page.html"],
        text=True, capture_output=True, cwd=project, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["uses"]["supported"] == 1
    assert (project / "page.html").read_text().startswith("<!doctype html>")


def test_exit_status(project, capsys):
    assert _check.main([str(project / "good.py")]) == 0
    assert capsys.readouterr().out == "1 of 1 use supported; 0 differ; 0 missing (1 file of 1 with TensorFlow)\n"
    assert _check.main([str(project / "absent.py")]) == 2
    assert "no such file" in capsys.readouterr().err
