"""Type checkers read programs that use `tf`: no errors, the types that programs name, and every public name."""

import json
import os
import pathlib
import re
import subprocess
import sys
from types import ModuleType

import pytest

import tfcompat as tf

PACKAGE = pathlib.Path(tf.__file__).parent
STUBS = PACKAGE.parent / "stubs"
PROGRAMS = sorted(pathlib.Path(__file__).with_name("programs").glob("*.py"))
WRONG_CALLS = pathlib.Path(__file__).with_name("wrong_calls.py")
REVEALED = re.compile(r"reveal_type\(.*\)  # (.+)$")
ANY_NAME = ("tf.compat.v1", "tf.raw_ops", "tf.engine")  # as in stubs/render.py


def _public_names():
    """A program that names everything that `dir` gives, from `tf` on."""
    lines, seen, waiting = ["import tfcompat as tf", ""], set(), [("tf", tf)]
    while waiting:
        namespace, module = waiting.pop()
        if module.__name__ in seen or namespace in ANY_NAME:
            continue
        seen.add(module.__name__)
        for name in dir(module):
            if not name.startswith("_"):
                lines.append(f"print({namespace}.{name})")
                value = getattr(module, name)
                if isinstance(value, ModuleType) and value.__name__.startswith("tfcompat."):
                    waiting.append((f"{namespace}.{name}", value))
    return "\n".join(lines) + "\n"


def test_stubs_are_current(tmp_path):
    command = [sys.executable, str(STUBS / "render.py"), str(tmp_path)]
    subprocess.run(command, env=os.environ | {"PYTHONPATH": str(PACKAGE.parent)}, check=True, timeout=300)
    rendered, present = _texts(tmp_path), _texts(STUBS / "tfcompat-stubs")
    assert rendered.keys() == present.keys(), "remove stubs/tfcompat-stubs and run stubs/render.py"
    assert not [path for path in rendered if rendered[path] != present[path]], "run stubs/render.py"


def _texts(folder):
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("*.pyi")}


@pytest.fixture(scope="module")
def diagnostics(tmp_path_factory):
    """Dict from names of programs to what pyright says of them: lists of (severity, line, message)."""
    pytest.importorskip("pyright", reason="pyright is of `tfcompat[dev]`")
    folder = tmp_path_factory.mktemp("programs")
    for program in (*PROGRAMS, WRONG_CALLS):
        (folder / program.name).write_text(program.read_text(encoding="utf-8"), encoding="utf-8")
    # In a process of its own: other tests may have asked for namespaces that `dir` does not show.
    names = "from tests.type_checkers import test_programs; print(test_programs._public_names())"
    done = subprocess.run(
        [sys.executable, "-c", names], cwd=PACKAGE.parent, capture_output=True, text=True, timeout=300, check=True
    )
    (folder / "public_names.py").write_text(done.stdout, encoding="utf-8")
    (folder / "typings").mkdir()
    (folder / "typings" / "tensorflow").symlink_to(STUBS / "tfcompat-stubs")
    settings = {
        "include": ["*.py"], "extraPaths": [str(STUBS), str(PACKAGE.parent)], "pythonVersion": "3.11",
        "typeCheckingMode": "basic", "reportMissingModuleSource": False,
    }  # fmt: skip
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--project", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    said: dict = {path.name: [] for path in folder.glob("*.py")}
    for each in json.loads(done.stdout)["generalDiagnostics"]:
        said[pathlib.Path(each["file"]).name].append(
            (each["severity"], each["range"]["start"]["line"], each["message"])
        )
    return said


@pytest.mark.parametrize("program", [*(path.name for path in PROGRAMS), "public_names.py"])
def test_there_are_no_errors(program, diagnostics):
    assert not [each for each in diagnostics[program] if each[0] != "information"]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_types_are_those_that_the_program_names(program, diagnostics):
    lines = program.read_text(encoding="utf-8").splitlines()
    expected = {number: match[1] for number, line in enumerate(lines) if (match := REVEALED.search(line))}
    told = {line: message.partition('" is ')[2].strip('"') for kind, line, message in diagnostics[program.name]
            if kind == "information"}  # fmt: skip
    assert told == expected and expected


def test_wrong_calls_are_errors(diagnostics):
    lines = WRONG_CALLS.read_text(encoding="utf-8").splitlines()
    wrong = {number for number, line in enumerate(lines) if line.endswith("# wrong")}
    assert wrong and {line for kind, line, _ in diagnostics[WRONG_CALLS.name] if kind == "error"} == wrong


def test_the_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").is_file()
