"""`python -m tfcompat`: options of run, notebooks, translate, info."""

import ast
import json
import os
import pathlib
import re
import subprocess
import sys
import traceback

import pytest

from tfcompat._tools import _info, _run, _traceback, _translate

ROOT = pathlib.Path(__file__).resolve().parents[2]


def tfcompat(*arguments, cwd):
    command = [sys.executable, "-m", "tfcompat", *map(str, arguments)]
    return subprocess.run(command, text=True, capture_output=True, cwd=cwd, timeout=240)


# --- run --------------------------------------------------------------------------------------------------------------

PROGRAM = """\
import sys
import numpy as np
import tensorflow as tf
x = tf.Variable(np.ones(3))
with tf.GradientTape() as tape:
    y = tf.reduce_sum(x * tf.constant(2.0, tf.float64))
g = tape.gradient(y, x)
print(x.dtype.name, g.dtype.name, tf.cast(g, tf.float64).numpy().dtype, tf.constant(1j).dtype.name)
print(tf.config.get_execution(), sys.argv[1:], str(tape.explain(y, x).reasons[0].kind))
"""


def test_options_of_run(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = tfcompat("run", "--immediate", "--x32", "--stats", "--debug", "program.py", "--stats", "x", cwd=tmp_path)
    assert done.stdout == (
        "float32 float32 float32 complex64\nimmediate ['--stats', 'x'] connected\n"
    ), done.stderr
    assert re.fullmatch(
        r"tfcompat: \d+\.\d\d s: \d+\.\d\d s compiling \(0 programs, \d+ single operations\), \d+\.\d\d s running "
        r"\(0 programs\), \d+\.\d\d s Python \([1-9]\d* operations recorded\)\n",
        done.stderr,
    )


def test_run_divides_the_cpu(tmp_path):
    (tmp_path / "program.py").write_text("import tensorflow as tf\nprint(len(tf.config.list_logical_devices('CPU')))")
    done = tfcompat("run", "--devices", "3", "program.py", cwd=tmp_path)
    assert done.stdout == "3\n", done.stderr
    refused = tfcompat("run", "--devices", "many", "program.py", cwd=tmp_path)
    assert refused.returncode == 2 and "not 'many'" in refused.stderr


HOSTS = """
import os, sys
import tensorflow as tf
if os.environ["TF_CONFIG"].endswith('"index": 1}}') and "fails" in sys.argv:
    sys.exit(3)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
number = strategy.cluster_resolver.task_id
total = strategy.reduce("SUM", strategy.run(lambda: tf.constant(number + 1.0)), axis=None)
sys.stdout.write(f"{strategy.num_replicas_in_sync} {number} {float(total)} {sys.argv[1:]}\\n")
sys.stdout.flush()
"""


def test_run_starts_a_process_for_each_host(tmp_path):
    (tmp_path / "program.py").write_text(HOSTS)
    done = tfcompat("run", "--hosts", "2", "--devices", "2", "program.py", "--hosts", cwd=tmp_path)
    # gloo prints, too, perhaps on the same line
    assert re.search(r"4 0 6\.0 \['--hosts'\]$", done.stdout, re.MULTILINE), done.stdout + done.stderr
    assert re.search(r"^\[1\] .*4 1 6\.0 \['--hosts'\]$", done.stdout, re.MULTILINE), done.stdout + done.stderr
    assert done.returncode == 0


def test_hosts_end_where_one_fails(tmp_path):
    (tmp_path / "program.py").write_text(HOSTS)
    done = tfcompat("run", "--hosts", "2", "program.py", "fails", cwd=tmp_path)
    assert done.returncode == 3 and done.stdout == ""
    assert "tfcompat: process 1 has ended with status 3; the others end" in done.stderr
    refused = tfcompat("run", "--hosts", "0", "program.py", cwd=tmp_path)
    assert refused.returncode == 2 and "--hosts takes how many there are to be, not '0'" in refused.stderr
    refused = tfcompat("explain", "--hosts", "2", "program.py", cwd=tmp_path)
    assert refused.returncode == 2 and "--hosts is not for `explain`" in refused.stderr
    refused = tfcompat("run", "--hosts", "2", "program.ipynb", cwd=tmp_path)
    assert refused.returncode == 2 and "--hosts is not for a notebook" in refused.stderr


def test_error_shows_the_users_frames_only(tmp_path):
    (tmp_path / "program.py").write_text(
        "import tensorflow as tf\ndef f(x):\n    return tf.matmul(x, x)\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n"
        "    f(tf.ones(2))\n"
    )
    done = tfcompat("run", "program.py", cwd=tmp_path)
    assert done.returncode == 1
    files = re.findall(r'File "(.*?)"', done.stderr)
    assert {pathlib.Path(name).name for name in files} == {"program.py"}
    assert "ZeroDivisionError" in done.stderr  # what the user's code did before is told
    assert "JAX has removed" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("(frames of tfcompat and JAX are left out; TFCOMPAT_TRACEBACK=full")


def test_full_traceback_on_demand(monkeypatch):
    import tfcompat as tf

    def trimmed():
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            tf.matmul(tf.ones(2), tf.ones(2))
        _traceback.trim(caught.value)
        return "".join(traceback.format_exception(caught.value))

    assert f"_core{os.sep}op.py" not in trimmed()
    monkeypatch.setenv("TFCOMPAT_TRACEBACK", "full")
    assert f"_core{os.sep}op.py" in trimmed()


def notebook(*cells):
    cells = [
        {"cell_type": kind, "id": f"cell-{i}", "metadata": {}, "source": source}
        | ({"outputs": [], "execution_count": None} if kind == "code" else {})
        for i, (kind, source) in enumerate(cells)
    ]
    kernel = {"name": "of_another_machine", "display_name": "Python", "language": "python"}
    content = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1) + "\n"


@pytest.mark.filterwarnings("ignore")
def test_notebook_runs_and_is_saved_with_its_outputs(tmp_path):
    pytest.importorskip("nbclient")
    (tmp_path / "inner").mkdir()
    text = notebook(
        ("markdown", "# Title"), ("code", "%tensorflow_version 2.x\nimport sys, os\nimport tensorflow as tf"),
        ("code", "print(tf.__name__, sys.argv[1:], os.path.basename(os.getcwd()))\ntf.add(1, 2)"),
        ("code", "def f():\n    return tf.ones(2) + tf.ones(3)\nf()"), ("code", "print('not reached')"),
    )  # fmt: skip
    (tmp_path / "inner" / "book.ipynb").write_text(text)
    done = tfcompat("run", "--stats", "inner/book.ipynb", "one", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("inner/book.ipynb, cell 4:\n")
    assert "InvalidArgumentError: Incompatible shapes: [2] vs. [3]" in done.stderr
    assert f"_core{os.sep}op.py" not in done.stderr
    assert (tmp_path / "inner" / "book.ipynb").read_text() == text
    cells = json.loads((tmp_path / "inner" / "book-tfcompat.ipynb").read_text())["cells"]
    assert len(cells) == 5
    assert "".join(cells[2]["outputs"][0]["text"]) == "tfcompat ['one'] inner\n"
    assert cells[2]["outputs"][1]["data"]["text/plain"] == ["<tf.Tensor: shape=(), dtype=int32, numpy=3>"]
    assert [o["output_type"] for o in cells[3]["outputs"]] == ["error"]
    assert cells[4]["outputs"] == []


@pytest.mark.parametrize(
    ("arguments", "text"),
    [(["--sta", "x.py"], "cannot understand: run --sta"), (["--output", "y", "x.py"], "--output is only for notebooks"),
     (["--stats"], "usage:")],
)  # fmt: skip
def test_what_run_cannot_do_is_said(capsys, arguments, text):
    assert _run.main(arguments) == 2
    assert text in capsys.readouterr().err


# --- translate --------------------------------------------------------------------------------------------------------


def test_imports_are_rewritten_and_nothing_else():
    old = (
        "# import tensorflow as tf\r\n"
        "import os, tensorflow as tf  # über\r\n"
        "import tensorflow\n"
        "import tensorflow.keras\n"
        "import tensorflow.keras.backend as K\n"
        "from tensorflow import keras\n"
        "from tensorflow.keras.layers import (\n    Dense,\n)\n"
        "é = 1; from   tensorflow.linalg import inv\n"
        "import tensorflow_probability, tensorflowing\n"
        "from . import tensorflow\n"
        "name = 'import tensorflow as tf'\n"
    )
    new, notes = _translate.translated(old)
    assert new == (
        "# import tensorflow as tf\r\n"
        "import os, tfcompat as tf  # über\r\n"
        "import tfcompat as tensorflow\n"
        "import tfcompat as tensorflow\n"
        "import tfcompat.keras.backend as K\n"
        "from tfcompat import keras\n"
        "from tfcompat.keras.layers import (\n    Dense,\n)\n"
        "é = 1; from   tfcompat.linalg import inv\n"
        "import tensorflow_probability, tensorflowing\n"
        "from . import tensorflow\n"
        "name = 'import tensorflow as tf'\n"
    )
    assert notes == []
    assert _translate.translated(new) == (new, [])


def test_keras_by_itself_is_rewritten_where_it_is_keras_2():
    old = "import tf_keras\nimport tf_keras.layers as L, os\nfrom tf_keras import Model\nimport keras\n"
    new, notes = _translate.translated(old)
    assert new.splitlines() == [
        "import tfcompat.keras as tf_keras", "import tfcompat.keras.layers as L, os",
        "from tfcompat.keras import Model", "import keras",
    ]  # fmt: skip
    assert notes == ["line 4: keras is unchanged; if Keras 2 is meant, write tfcompat.keras"]


def test_lines_are_counted_as_python_counts_them():
    old = "x = 1\x0c\n# a\x1cb\u2028\rimport tensorflow as tf"
    assert _translate.translated(old)[0] == old.replace("tensorflow", "tfcompat")


@pytest.mark.parametrize("head", [b"\xef\xbb\xbf", b"# coding: latin-1\n# \xe9\r\n"])
def test_encoding_and_line_breaks_stay(tmp_path, head):
    path = tmp_path / "a.py"
    path.write_bytes(head + b"import tensorflow as tf\r\n")
    assert _translate.main([str(path), "--write"]) == 0
    assert path.read_bytes() == head + b"import tfcompat as tf\r\n"


def test_every_module_that_a_program_may_import_is_one_here():
    modules = """
        keras keras.layers keras.models keras.optimizers keras.losses keras.backend keras.utils keras.callbacks
        keras.initializers math nn linalg random compat.v1 experimental.numpy
    """.split()
    text = "".join(f"import tensorflow.{name} as m{i}\n" for i, name in enumerate(modules))
    new, notes = _translate.translated(text)
    assert notes == []
    for line, i in zip(ast.parse(new).body, range(len(modules)), strict=True):
        space = {}
        exec(compile(ast.Module([line], []), "x", "exec"), space)
        assert f"m{i}" in space


def test_what_must_be_looked_at_is_noted():
    program = "import importlib\nimportlib.import_module('tensorflow')\nfrom tensorflow.no import x\n"
    _, notes = _translate.translated(program)
    assert sorted(notes) == [
        "line 2: the string 'tensorflow' is unchanged", "line 3: tensorflow.no is not available in tfcompat",
    ]  # fmt: skip


def test_translate_shows_writes_or_copies(tmp_path, capsys):
    folder = tmp_path / "project"
    (folder / "sub").mkdir(parents=True)
    script, book = folder / "sub" / "a.py", folder / "b.ipynb"
    script.write_text("import tensorflow as tf\n")
    (folder / "c.py").write_text("x = 1\n")
    (folder / "d.py").write_text("x = = 1\n")
    code = "%matplotlib inline\nimport tensorflow as tf\n!ls"
    book.write_text(notebook(("code", code), ("markdown", "import tensorflow")))
    before = book.read_text()
    assert _translate.main([str(folder)]) == 1  # d.py cannot be read
    shown = capsys.readouterr()
    assert "-import tensorflow as tf\n+import tfcompat as tf\n" in shown.out
    assert f"+++ b/{book} (cell 1)\n@@ -1,3 +1,3 @@\n %matplotlib inline\n-import tensorflow as tf\n" in shown.out
    assert "2 of 4 files would change" in shown.err
    assert "d.py: SyntaxError" in shown.err
    assert (script.read_text(), book.read_text()) == ("import tensorflow as tf\n", before)
    _translate.main([str(folder), "--to", str(tmp_path / "new")])
    assert (tmp_path / "new" / "project" / "sub" / "a.py").read_text() == "import tfcompat as tf\n"
    written = (tmp_path / "new" / "project" / "b.ipynb").read_text()
    assert written == before.replace("inline\\nimport tensorflow", "inline\\nimport tfcompat")
    assert (tmp_path / "new" / "project" / "c.py").exists()  # a package is written whole
    assert [path for path in (tmp_path / "new").rglob("*") if path.name == "d.py"] == []
    _translate.main([str(tmp_path), "--to", str(tmp_path / "new")])
    assert not (tmp_path / "new" / tmp_path.name / "new").exists()
    assert _translate.main([str(script), "--write"]) == 0
    assert script.read_text() == "import tfcompat as tf\n"


# --- info -------------------------------------------------------------------------------------------------------------


def test_info_says_what_a_report_needs(capsys, monkeypatch):
    monkeypatch.setenv("TFCOMPAT_EXPLAIN", "0")
    assert _info.main([]) == 0
    lines = dict(line.split(":", 1) for line in capsys.readouterr().out.splitlines())
    assert {"tfcompat", "Python", "jax", "devices", "compiled programs", "TFCOMPAT_EXPLAIN"} <= lines.keys()
    assert _info.main(["--verbose"]) == 2


def test_every_environment_variable_is_in_the_tables():
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "tfcompat").rglob("*.py")]
    used = set(re.findall(r'environ(?:\.get\(|\[)"(TFCOMPAT_\w+)"', "".join(texts)))
    assert used == set(_info.VARIABLES)
    page = (ROOT / "migration_guide" / "debugging.md").read_text(encoding="utf-8")
    for name, meaning in _info.VARIABLES.items():
        assert f"| `{name}` | {meaning} |" in page
