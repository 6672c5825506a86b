"""The imports of the package, read from its source: which module imports which, where, and why inside a function."""

import ast
import functools
import pathlib
import tomllib
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tfcompat"
STOREYS = pathlib.Path(__file__).with_name("storeys.toml")


class Import(NamedTuple):
    """One imported name.

    Attributes:
      importer, imported: full names of modules; a package's name stands for its `__init__.py`.
      line: int, in the importer's file.
      hidden: bool, whether the statement is inside a function.
      reason: str, the comment beside a hidden one, or "".
    """

    importer: str
    imported: str
    line: int
    hidden: bool
    reason: str

    def __str__(self):
        return f"{self.importer}:{self.line} imports {self.imported}"


@functools.cache
def modules():
    """Dict from the full name of each module of the package to its file."""
    names = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        names[".".join(parts).removesuffix(".__init__")] = file
    return names


def room(module):
    """The folder or module of the package's root that a module belongs to; "face" for `tfcompat` itself."""
    return (module.split(".") + ["face"])[1]


def storeys():
    """The table, from the ground up."""
    return tomllib.loads(STOREYS.read_text(encoding="utf-8"))["storey"]


@functools.cache
def statements():
    """(list of Import within the package, number of import statements of any kind, number of hidden ones)."""
    imports, total, hidden = [], 0, 0
    for name, file in modules().items():
        text = file.read_text(encoding="utf-8")
        for node, is_hidden in _import_nodes(ast.parse(text), False):
            total += 1
            hidden += is_hidden
            reason = _reason(text.splitlines(), node) if is_hidden else ""
            for imported in _imported(node):
                if imported in modules() and imported != name:
                    imports.append(Import(name, imported, node.lineno, is_hidden, reason))
    return imports, total, hidden


def _import_nodes(node, inside):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue  # for type checkers only: names that the face brings when they are asked for
        if isinstance(child, ast.Import | ast.ImportFrom) or _is_dynamic(child):
            yield child, inside
        yield from _import_nodes(child, inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))


def _is_dynamic(node):
    """Whether it is `import_module("a.name")`, an import by another name."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or not isinstance(node.args[0], ast.Constant):
        return False
    return ast.unparse(node.func).rpartition(".")[2] in ("import_module", "__import__")


def _imported(node):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.Call):
        return [ast.literal_eval(node.args[0])]
    assert not node.level, "imports are absolute"
    below = [f"{node.module}.{alias.name}" for alias in node.names]
    return [name if name in modules() else node.module for name in below]


def _reason(lines, node):
    """The comment at the end of the statement, or above it or the import statements right before it."""
    for line in lines[node.lineno - 1 : node.end_lineno]:
        if "#" in line:
            return line.partition("#")[2].strip()
    above = node.lineno - 2
    while lines[above].strip().startswith(("import ", "from ")) and "#" not in lines[above]:
        above -= 1
    return lines[above].partition("#")[2].strip()


def circles(imports):
    """The sets of modules that import each other in a circle, largest first: Tarjan's strongly connected components."""
    graph = {}
    for each in imports:
        graph.setdefault(each.importer, set()).add(each.imported)
    index, low, stack, result = {}, {}, [], []

    def visit(module):
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in graph.get(module, ()):
            if other not in index:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], index[other])
        if low[module] == index[module]:
            circle = stack[stack.index(module) :]
            del stack[-len(circle) :]
            if len(circle) > 1:
                result.append(circle)

    for module in graph:
        if module not in index:
            visit(module)
    return sorted(result, key=len, reverse=True)
