"""Numbers that steer execution stand in `engine/_policy.py`, each with what it is for."""

import ast
import dataclasses
import pathlib

import pytest

import tfcompat
from tfcompat.engine import _policy

PACKAGE = pathlib.Path(tfcompat.__file__).parent
HELD = ["engine", "tape", "_core", "function", "_control"]
NO_POLICY = {  # constants of formats, of libraries, of TensorFlow, or that trade nothing off
    "engine/_graph.py": {"NOWHERE"},
    "engine/compile/memory.py": {"_M_TRIM_THRESHOLD", "_M_TOP_PAD", "_M_MMAP_THRESHOLD", "_M_ARENA_MAX"},
    "_core/text_hash.py": {"_MASK", "_HIGHEST_INT64", "_FACTOR", "_CROSS_KEY", "_K0", "_K1", "_K2"},
    "tape/_explain/layout.py": {"CHARACTER", "LINE", "PADDING", "GAP_X", "GAP_Y", "MARGIN"},  # pixels
    "_core/trial.py": {"MORE"},
    "_core/new_sizes.py": {"_LARGE", "_SMALL", "_TURNS"},
    "function/_retracing.py": {"_CALLS", "_TRACINGS", "_WARNINGS"},
}
GROUPS = [value for value in vars(_policy).values() if dataclasses.is_dataclass(value) and not isinstance(value, type)]


def _is_number(node):
    if isinstance(node, ast.Tuple):
        return any(map(_is_number, node.elts))
    if isinstance(node, ast.BinOp):
        return _is_number(node.left) and _is_number(node.right)
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _numbers(path):
    """Names of numbers in capitals that a module defines."""
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value and _is_number(statement.value):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for name in (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)):
                if name.isupper():
                    yield name


@pytest.mark.parametrize("folder", HELD)
def test_no_module_has_numbers_of_its_own(folder):
    numbers = {}
    for path in sorted((PACKAGE / folder).rglob("*.py")):
        place = path.relative_to(PACKAGE).as_posix()
        others = set(_numbers(path)) - NO_POLICY.get(place, set())
        if others:
            numbers[place] = others
    assert numbers == {}


def test_exceptions_are_still_there():
    for place, names in NO_POLICY.items():
        assert names <= set(_numbers(PACKAGE / place)), place


def test_numbers_are_frozen_and_explained():
    source = pathlib.Path(_policy.__file__).read_text(encoding="utf-8").splitlines()
    assert len(GROUPS) > 10
    for group in GROUPS:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(group, dataclasses.fields(group)[0].name, 0)
        for field in dataclasses.fields(group):
            lines = [line for line in source if line.startswith(f"    {field.name}: ")]
            assert lines and all(" # " in line for line in lines), field.name


def test_each_number_is_read():
    text = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    text += "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.[ch]"))
    unread = []
    for name, group in vars(_policy).items():
        if group in GROUPS:
            unread += [
                f"{name}.{field.name}" for field in dataclasses.fields(group)
                if f"{name}.{field.name}" not in text and f'"{field.name}"' not in text
            ]  # fmt: skip
    assert unread == []
