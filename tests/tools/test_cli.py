"""`python -m tfcompat`: a program runs as it would under `python`, on tfcompat."""

import subprocess
import sys
import textwrap

import pytest

import tfcompat
from tfcompat._tools import _cli


@pytest.fixture
def command(tmp_path):
    """Runs `python -m tfcompat <arguments>` in a folder of its own."""

    def run(*arguments, python=(), **options):
        return subprocess.run(
            [sys.executable, *python, "-m", "tfcompat", *map(str, arguments)],
            text=True, capture_output=True, cwd=tmp_path, timeout=120, **options,
        )  # fmt: skip

    return run


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text))
    return path


def test_script_finds_tfcompat_under_tensorflows_name(command, tmp_path):
    write(tmp_path / "program.py", """
        import tensorflow as tf

        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = x * x
        print(tape.gradient(y, x))
        print(tf.__name__)
    """)
    done = command("run", "program.py")
    assert done.stdout == "tf.Tensor(6.0, shape=(), dtype=float32)\ntfcompat\n", done.stderr
    assert done.returncode == 0


def test_script_sees_what_python_would_show_it(command, tmp_path):
    write(tmp_path / "scripts" / "helper.py", "import tensorflow as tf\nname = tf.__name__\n")
    script = write(tmp_path / "scripts" / "program.py", """
        import os, sys, __main__
        import helper
        assert __name__ == "__main__"
        here = 1
        assert __main__.here == 1
        assert __spec__ is None and __package__ is None
        print(sys.argv)
        print(os.path.basename(__file__), os.path.isabs(__file__))
        print(os.path.basename(sys.path[0]), helper.name)
    """)
    done = command("run", "scripts/program.py", "--flag", "-m", "two words")
    assert done.stdout.splitlines() == [
        "['scripts/program.py', '--flag', '-m', 'two words']",
        "program.py True",
        f"{script.parent.name} tfcompat",
    ], done.stderr


def test_module_runs_as_main_with_the_current_folder_first(command, tmp_path):
    write(tmp_path / "package" / "__init__.py", "")
    write(tmp_path / "package" / "other.py", "import tensorflow as tf\n")
    write(tmp_path / "package" / "program.py", """
        import os, sys
        from .other import tf
        print(__name__, __package__, tf.__name__, sys.argv[1:])
        print(os.path.samefile(sys.path[0], os.getcwd()), os.path.basename(sys.argv[0]))
    """)
    done = command("run", "-m", "package.program", "-x", "1")
    assert done.stdout.splitlines() == [
        "__main__ package tfcompat ['-x', '1']",
        "True program.py",
    ], done.stderr


def test_folder_with_a_main_file_runs(command, tmp_path):
    write(tmp_path / "app" / "__main__.py", "import tensorflow as tf, sibling\nprint(tf.__name__, sibling.x)")
    write(tmp_path / "app" / "sibling.py", "x = 5\n")
    done = command("run", "app")
    assert done.stdout == "tfcompat 5\n", done.stderr


def test_exit_status_is_the_programs(command, tmp_path):
    # Each ending in a fork of the program, which saves importing everything for each.
    write(tmp_path / "program.py", """
        import os, sys

        def end(number):
            if number == 0:
                sys.exit(3)
            if number == 1:
                sys.exit()
            if number == 2:
                sys.exit("a message")
            if number == 3:
                raise ValueError("x")
            if number == 4:
                raise KeyboardInterrupt

        statuses = []
        for number in range(5):
            child = os.fork()
            if not child:
                end(number)
                break
            statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        else:
            print(statuses)
            sys.exit(7)
    """)
    done = command("run", "program.py")
    assert done.stdout == "[3, 0, 1, 1, 130]\n", done.stderr
    assert done.returncode == 7


def test_traceback_shows_the_users_lines_and_none_of_the_runner(command, tmp_path):
    write(tmp_path / "program.py", """
        import tensorflow as tf

        def broken():
            return tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0])

        broken()
    """)
    done = command("run", "program.py")
    assert done.returncode == 1
    # What the error was translated from, if anything, is shown before it.
    lines = done.stderr.rpartition("Traceback (most recent call last):\n")[2].splitlines()
    assert 'program.py", line 7, in <module>' in lines[0]
    assert "    broken()" in lines
    assert "    return tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0])" in lines
    assert "_cli.py" not in done.stderr
    assert "runpy" not in done.stderr


@pytest.mark.parametrize("how", ["script", "module"])
def test_syntax_error_points_at_the_line_only(command, tmp_path, how):
    write(tmp_path / "program.py", "x = 1\ny = = 2\n")
    done = command("run", *(["program.py"] if how == "script" else ["-m", "program"]))
    assert done.returncode == 1
    assert 'program.py", line 2' in done.stderr
    assert "SyntaxError" in done.stderr
    assert "_cli.py" not in done.stderr


def test_programs_own_excepthook_is_called(command, tmp_path):
    write(tmp_path / "program.py", """
        import sys
        sys.excepthook = lambda kind, value, trace: print("hooked", kind.__name__, trace.tb_lineno)
        raise OSError
    """)
    done = command("run", "program.py")
    assert (done.stdout, done.returncode) == ("hooked OSError 4\n", 1)


def test_main_module_outlives_the_script(command, tmp_path):
    write(tmp_path / "program.py", """
        import atexit, sys
        value = "still here"
        atexit.register(lambda: print(sys.modules["__main__"].value))
    """)
    assert command("run", "program.py").stdout == "still here\n"


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [(["run", "missing.py"], 2, "can't open file"),
     (["run", "-m", "missing_module"], 1, "No module named missing_module"),
     (["run", "-m", "missing.module"], 1, "Error while finding module specification")],
)  # fmt: skip
def test_what_cannot_be_run_is_named(command, arguments, status, text):
    done = command(*arguments)
    assert done.returncode == status
    assert text in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "text"),
    [([], "usage:"), (["run"], "usage:"), (["walk", "x.py"], "cannot understand: walk x.py"),
     (["run", "--fast", "x.py"], "cannot understand: run --fast")],
)  # fmt: skip
def test_what_is_not_understood_is_named(capsys, arguments, text):
    assert _cli.main(arguments) == 2
    shown = capsys.readouterr()
    assert text in shown.err and not shown.out


def test_version_and_help(command, capsys):
    version = command("--version")
    assert version.returncode == 0
    assert version.stdout.split()[:2] == ["tfcompat", tfcompat.version.TFCOMPAT_VERSION]
    assert "JAX" in version.stdout
    assert _cli.main(["--help"]) == 0
    assert "python -m tfcompat run [OPTION ...] SCRIPT" in capsys.readouterr().out
