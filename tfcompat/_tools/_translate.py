"""`python -m tfcompat translate`: rewrites the imports of TensorFlow in a program, and nothing else."""

import argparse
import ast
import difflib
import importlib
import json
import pathlib
import sys
from types import ModuleType

from tfcompat._tools import _sources

DESCRIPTION = """\
Rewrites `import tensorflow` to `import tfcompat` in scripts, packages and notebooks, and nothing else, and shows what
changes as a diff. Without --write or --to that is all. Where TensorFlow's module has another name here, the import
names the module here.

Exit status: 0, or 1 if a file cannot be read, or 2 if a path does not exist.
"""


def translated(text):
    """The text of a program with its imports rewritten; line breaks and layout stay.

    Args:
      text: str, Python.

    Returns:
      (str, list of str): the new text; notes on what a person must look at, each with a line number.

    Raises:
      SyntaxError: it is not Python.
    """
    edits, notes = [], []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _is_tensorflow(alias.name):
                    edits.append((_start(alias), _end(alias), _plain(alias, notes, node.lineno)))
        elif isinstance(node, ast.ImportFrom) and not node.level and _is_tensorflow(node.module or ""):
            start, end = _module_of(node, text)
            edits.append((start, end, _module(node.module, notes, node.lineno)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_tensorflow(node.value):
            notes.append(f"line {node.lineno}: the text {node.value!r} is left as it is")
    lines = text.splitlines(keepends=True)
    for (row, first), (end_row, last), new in sorted(edits, reverse=True):
        # Columns count bytes; a name of a module lies within a line.
        assert row == end_row
        line = lines[row - 1].encode()
        lines[row - 1] = (line[:first] + new.encode() + line[last:]).decode()
    return "".join(lines), notes


def _is_tensorflow(name):
    return name == "tensorflow" or name.startswith("tensorflow.") and " " not in name


def _start(node):
    return node.lineno, node.col_offset


def _end(node):
    return node.end_lineno, node.end_col_offset


def _plain(alias, notes, line):
    """What stands for `tensorflow.a.b as c` in an import statement."""
    if alias.asname is not None:
        return f"{_module(alias.name, notes, line)} as {alias.asname}"
    # `import tensorflow.keras` binds `tensorflow`, and tfcompat has its modules as attributes.
    return "tfcompat as tensorflow"


def _module_of(node, text):
    """Where the module's name stands in a `from` statement."""
    line = text.splitlines()[node.lineno - 1].encode()
    first = line.index(node.module.encode(), node.col_offset + len("from"))
    return (node.lineno, first), (node.lineno, first + len(node.module.encode()))


def _module(name, notes, line):
    """The module here that `tensorflow.a.b` means, under a name by which it can be imported."""
    import tfcompat

    target, parts = tfcompat, name.split(".")[1:]
    if parts and parts[0] in ("python", "core"):
        notes.append(f"line {line}: {name} is private to TensorFlow and left as it is; tfcompat.install() answers some")
        return name
    ours = ".".join(["tfcompat", *parts])
    for part in parts:
        try:
            target = getattr(target, part)
        except AttributeError:
            notes.append(f"line {line}: {name} is not available in tfcompat")
            return ours
    try:
        if importlib.import_module(ours) is target:
            return ours
    except ImportError:
        pass
    return target.__name__ if isinstance(target, ModuleType) else ours


def _translated_notebook(text):
    """A notebook's text with the imports in its code cells rewritten."""
    content = json.loads(text)
    notes = []
    for number, cell in enumerate(content.get("cells", ()), 1):
        if cell.get("cell_type") != "code":
            continue
        source = "".join(cell["source"])
        hidden = "\n".join(_sources.python_lines(source))
        new, found = translated(hidden)
        if new == hidden:
            continue
        notes += [f"cell {number}, {note}" for note in found]
        # Magics were replaced line by line, so all other lines can be taken over.
        pairs = zip(source.splitlines(), hidden.splitlines(), new.splitlines(), strict=True)
        lines = [changed if changed != python else old for old, python, changed in pairs]
        cell["source"] = "\n".join(lines).splitlines(keepends=True)
    indent = 1 if text.startswith("{\n ") else None
    return json.dumps(content, indent=indent, ensure_ascii=False) + ("\n" if text.endswith("\n") else ""), notes


def main(arguments):
    """Runs the command; returns the exit status."""
    parser = argparse.ArgumentParser(
        "tfcompat translate", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a script, a notebook, or a folder of them")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--write", action="store_true", help="change the files where they are")
    where.add_argument("--to", metavar="FOLDER", help="write the changed files to a new folder")
    options = parser.parse_args(arguments)
    try:
        files = [(base, path) for base in map(pathlib.Path, options.paths) for path in _sources.find([base])]
    except FileNotFoundError as error:
        print(f"tfcompat translate: {error}", file=sys.stderr)
        return 2
    changed, status = 0, 0
    for base, path in files:
        try:
            old = path.read_bytes().decode("utf-8")
            new, notes = (_translated_notebook if path.suffix == ".ipynb" else translated)(old)
        except (OSError, SyntaxError, ValueError) as error:
            print(f"tfcompat translate: {path}: {type(error).__name__}: {error}", file=sys.stderr)
            status = 1
            continue
        for note in notes:
            print(f"{path}: {note}", file=sys.stderr)
        if new == old:
            continue
        changed += 1
        sys.stdout.writelines(_difference(path, old, new))
        if options.write or options.to:
            inside = path.name if base.is_file() else path.relative_to(base.parent)
            target = path if options.write else pathlib.Path(options.to, inside)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(new.encode("utf-8"))
    done = "changed" if options.write else "would change (--write or --to FOLDER does it)"
    print(f"{changed} of {len(files)} files {f'written to {options.to}' if options.to else done}", file=sys.stderr)
    return status


def _difference(path, old, new):
    lines = (text.splitlines(keepends=True) for text in (old, new))
    for line in difflib.unified_diff(*lines, f"a/{path}", f"b/{path}"):
        yield line if line.endswith("\n") else line + "\n"
