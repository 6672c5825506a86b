"""The Python text of scripts, packages and notebooks, and where each of its lines stands."""

import ast
import json
import os
import pathlib
import re
import tokenize
import warnings

SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules", "build", "dist", "venv", "env", "site-packages"})
SUFFIXES = (".py", ".pyw", ".ipynb")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_MAGIC = re.compile(r"^\s*([%!]|\?)|\?\s*$")
_ASSIGNED_MAGIC = re.compile(r"^(\s*[\w, ]+=\s*)[%!].*$")
_PYTHON_CELL_MAGICS = frozenset({"%%time", "%%timeit", "%%capture", "%%prun"})


class Source:
    """One file to be read.

    `tree` is its syntax tree, None where `error` says why there is none; `place(line)` names a line for people.
    """

    def __init__(self, path, text, cells=None, error=None):
        self.path, self.text, self.cells = path, text, cells
        self.tree, self.error, self.error_line = None, error, None
        if error is None:
            self._parse()

    def _parse(self):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # escapes in the user's strings are the user's affair
                self.tree = ast.parse(self.text, str(self.path))
        except SyntaxError as error:
            self.error, self.error_line = f"SyntaxError: {error.msg}", error.lineno or 1
            if "print" in str(error.msg) and "parentheses" in str(error.msg):
                self.error += " (a program for Python 2?)"
        except (ValueError, RecursionError, MemoryError) as error:
            self.error, self.error_line = f"{type(error).__name__}: {error}", 1

    def cell_of(self, line):
        """(number of the cell, line in it), both from 1; None where the file is no notebook."""
        if self.cells is None:
            return None
        number, first = next(((n, start) for n, start in reversed(self.cells) if start <= line), (1, 1))
        return number, line - first + 1

    def place(self, line):
        """The line as text: `12`, or `cell 3, line 2`."""
        cell = self.cell_of(line)
        return str(line) if cell is None else f"cell {cell[0]}, line {cell[1]}"

    def line(self, number):
        """The text of a line."""
        lines = lines_of(self.text)
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def lines_of(text):
    """The lines of a program with their ends, counted as Python counts them: a form feed ends none."""
    return _LINE.findall(text)


def read(path):
    """The Source of one file; what cannot be read becomes its `error`."""
    path = pathlib.Path(path)
    try:
        if path.suffix == ".ipynb":
            return _notebook(path)
        with tokenize.open(path) as file:
            return Source(path, file.read())
    except (OSError, SyntaxError, UnicodeDecodeError, ValueError) as error:
        return Source(path, "", error=f"{type(error).__name__}: {error}")


def find(paths):
    """The files under `paths`, each once: those named, and in folders all Python files and notebooks.

    Raises:
      FileNotFoundError: a path does not exist.
    """
    found: dict = {}
    for path in map(pathlib.Path, paths):
        if not path.exists():
            raise FileNotFoundError(f"no such file or folder: {path}")
        if path.is_file():
            found[path] = None
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS and not f.startswith("."))
            found.update({pathlib.Path(folder, name): None for name in sorted(names) if name.endswith(SUFFIXES)})
    return list(found)


def _notebook(path):
    """The code cells of a notebook as one program; what is IPython's and not Python's becomes a comment."""
    content = json.loads(path.read_text(encoding="utf-8"))
    # Notebooks of format 3 have their cells in worksheets.
    cells = content.get("cells") or [c for sheet in content.get("worksheets", ()) for c in sheet.get("cells", ())]
    lines, starts = [], []
    for number, cell in enumerate(cells, 1):
        if cell.get("cell_type") != "code":
            continue
        text = cell.get("source", cell.get("input", ""))
        starts.append((number, len(lines) + 1))
        lines += python_lines("".join(text) if isinstance(text, list) else text)
    return Source(path, "\n".join(lines) + "\n", starts)


def python_lines(text):
    """The lines of a cell, with magics and shell commands replaced by comments and `pass`."""
    lines = text.splitlines()
    if lines and lines[0].startswith("%%") and lines[0].split()[0] not in _PYTHON_CELL_MAGICS:
        return ["# " + line for line in lines]
    result = []
    for line in lines:
        if line.startswith("%%") or _MAGIC.search(line) and not _is_python(line):
            indent = line[: len(line) - len(line.lstrip())]
            result.append(f"{indent}pass  # {line.strip()}")
        else:
            assigned = _ASSIGNED_MAGIC.match(line)
            result.append(f"{assigned[1]}None  # {line.strip()}" if assigned else line)
    return result


def _is_python(line):
    """Whether a line that looks like a magic ends a comment or string, or continues an expression."""
    text = line.strip()
    return not text.startswith(("%", "!", "?")) and ("#" in text or "'" in text or '"' in text) or (
        text.startswith("% ") or text.startswith("!=")
    )
