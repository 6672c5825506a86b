"""`python -m tfcompat translate`: rewrites the imports of TensorFlow in a program, and nothing else."""

import argparse
import ast
import difflib
import importlib
import io
import json
import pathlib
import re
import sys
import tokenize
from types import ModuleType

import tfcompat
from tfcompat._tools import _sources, _uses

DESCRIPTION = """\
Rewrites `import tensorflow` to `import tfcompat` (and `tf_keras` to `tfcompat.keras`) in scripts, packages and
notebooks, and shows the changes as a diff. Nothing else is rewritten, and nothing is written without --write or --to.
If a module of TensorFlow has another name here, the import gets that name. A new folder gets programs only, no data.

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
    edits, notes, lines = [], [], _sources.lines_of(text)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _is_tensorflow(alias.name):
                    edits.append((_start(alias), _end(alias), _plain(alias, notes, node.lineno)))
                _note_keras(alias.name, notes, node.lineno)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            if _is_tensorflow(node.module or ""):
                start, end = _module_of(node, lines)
                edits.append((start, end, _module(node.module, notes, node.lineno)))
            _note_keras(node.module or "", notes, node.lineno)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_tensorflow(node.value):
            notes.append(f"line {node.lineno}: the string {node.value!r} is unchanged")
    for (row, first), (end_row, last), new in sorted(edits, reverse=True):
        # Columns count bytes; a name of a module lies within a line.
        assert row == end_row
        line = lines[row - 1].encode()
        lines[row - 1] = (line[:first] + new.encode() + line[last:]).decode()
    return "".join(lines), notes


def _is_tensorflow(name):
    return name.partition(".")[0] in ("tensorflow", "tf_keras") and " " not in name


def _note_keras(name, notes, line):
    if name.partition(".")[0] == "keras":
        ours = name.replace("keras", "tfcompat.keras", 1)
        notes.append(f"line {line}: {name} is unchanged; if Keras 2 is meant, write {ours}")


def _start(node):
    return node.lineno, node.col_offset


def _end(node):
    return node.end_lineno, node.end_col_offset


def _plain(alias, notes, line):
    """What stands for `tensorflow.a.b as c` in an import statement."""
    if alias.asname is not None:
        return f"{_module(alias.name, notes, line)} as {alias.asname}"
    # `import tensorflow.keras` binds `tensorflow`, and tfcompat has its modules as attributes.
    top = alias.name.partition(".")[0]
    return f"{_module(top, notes, line)} as {top}"


def _module_of(node, lines):
    """Where the module's name stands in a `from` statement."""
    line = lines[node.lineno - 1].encode()
    first = line.index(node.module.encode(), node.col_offset + len("from"))
    return (node.lineno, first), (node.lineno, first + len(node.module.encode()))


def _module(name, notes, line):
    """The module here that `tensorflow.a.b` means, under a name by which it can be imported."""
    root, *parts = name.split(".")
    target, parts = tfcompat, [*_uses.ROOTS[root], *parts]
    if parts and parts[0] in ("python", "core"):
        notes.append(f"line {line}: {name} is private to TensorFlow and unchanged; tfcompat.install() has some of it")
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
    """A notebook's text with the imports in its code cells rewritten; notes; and (title, old, new) of these cells."""
    content = json.loads(text)
    notes, changes = [], []
    for number, cell in enumerate(content.get("cells", ()), 1):
        if cell.get("cell_type") != "code":
            continue
        given = cell.get("source", "")
        source = "".join(given)
        hidden = "\n".join(_sources.python_lines(source))
        new, found = translated(hidden)
        notes += [f"cell {number}, {note}" for note in found]
        if new == hidden:
            continue
        # Magics were replaced line by line, so all other lines can be taken over.
        pairs = zip(source.splitlines(), hidden.splitlines(), new.splitlines(), strict=True)
        changed = "\n".join(changed if changed != python else old for old, python, changed in pairs)
        changes.append((f" (cell {number})", source, changed))
        cell["source"] = changed if isinstance(given, str) else changed.splitlines(keepends=True)
    if not changes:
        return text, notes, changes
    indented = re.match(r"\{\r?\n( +)", text)
    written = json.dumps(content, indent=len(indented[1]) if indented else None, ensure_ascii=False)
    return written + ("\n" if text.endswith("\n") else ""), notes, changes


def _translated_file(path):
    """(old bytes, new bytes, notes, changes) of a file; its encoding and line breaks stay."""
    old = path.read_bytes()
    if path.suffix == ".ipynb":
        new, notes, changes = _translated_notebook(old.decode("utf-8"))
        return old, new.encode("utf-8"), notes, changes
    encoding, _ = tokenize.detect_encoding(io.BytesIO(old).readline)
    text = old.decode(encoding)
    new, notes = translated(text)
    return old, new.encode(encoding), notes, [("", text, new)]


def main(arguments):
    """Runs the command; returns the exit status."""
    parser = argparse.ArgumentParser(
        "tfcompat translate", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a script, a notebook, or a folder of them")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--write", action="store_true", help="change the files where they are")
    where.add_argument("--to", metavar="FOLDER", help="write all these files, changed where needed, to a new folder")
    options = parser.parse_args(arguments)
    try:
        files = _found(options.paths, options.to)
    except FileNotFoundError as error:
        print(f"tfcompat translate: {error}", file=sys.stderr)
        return 2
    changed, status = 0, 0
    for base, path in files:
        try:
            old, new, notes, changes = _translated_file(path)
        except (OSError, SyntaxError, ValueError, RecursionError) as error:
            print(f"tfcompat translate: {path}: {type(error).__name__}: {error}", file=sys.stderr)
            status = 1
            continue
        for note in notes:
            print(f"{path}: {note}", file=sys.stderr)
        if new != old:
            changed += 1
            for title, before, after in changes:
                sys.stdout.writelines(_difference(f"{path}{title}", before, after))
        if options.to:
            target = pathlib.Path(options.to, path.name if base.is_file() else _name(base) / path.relative_to(base))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(new)
        elif options.write and new != old:
            path.write_bytes(new)
    done = "changed" if options.write else "would change (--write or --to FOLDER applies it)"
    done = f"changed; all written to {options.to}" if options.to else done
    print(f"{changed} of {len(files)} files {done}", file=sys.stderr)
    return status


def _found(paths, to):
    """list of (path given, file); what is in the folder `to` already is left out."""
    found = [(base, path) for base in map(pathlib.Path, paths) for path in _sources.find([base])]
    if to is None:
        return found
    target = pathlib.Path(to).resolve()
    return [(base, path) for base, path in found if not path.resolve().is_relative_to(target)]


def _name(folder):
    """What a folder is called in a new place; nothing for `.` and `..`."""
    return pathlib.Path("" if folder.name == ".." else folder.name)


def _difference(path, old, new):
    lines = (_sources.lines_of(text) for text in (old, new))
    for line in difflib.unified_diff(*lines, f"a/{path}", f"b/{path}"):
        yield line if line.endswith("\n") else line + "\n"
