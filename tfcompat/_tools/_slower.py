"""What in a program runs slower than it could, or is compiled again at each turn of a loop; read off its syntax tree.

Loops of Python outside of functions that are compiled are looked at. A name is taken for a tensor where a call of
TensorFlow, or arithmetic with tensors, is assigned to it.
"""

import ast
import dataclasses

from tfcompat._tools._uses import ROOTS

# What is said, by the kind of finding.
TEXTS = {
    "read in a loop": "the value is read at each turn, so each turn waits and runs by itself: read it after the loop, "
    "or once in many turns (`if step % 100 == 0:`)",
    "elements one by one": "a Python loop over the elements of a tensor: use ops on the whole tensor, or "
    "tf.vectorized_map",
    "grows in a loop": "the tensor has another shape at each turn, and each shape is compiled: append to a list, and "
    "tf.concat or tf.stack it after the loop",
    "shape of a loop": "a Python number of the loop decides on a shape, and each shape is compiled: pad to one size, "
    "or use a mask",
    "traced at each turn": "a Python number is another signature of a tf.function at each turn, so it is traced and "
    "compiled again: pass tf.constant(number)",
    "made at each turn": "a tf.function made in a loop is traced and compiled at each turn: make it before the loop",
}
_PACKAGES = {*ROOTS, "tfcompat"}
_OF_OPS = frozenset({"math", "nn", "linalg", "random", "image", "signal", "strings", "bitwise"})
_NO_TENSORS = frozenset({"split", "unstack", "function", "group", "gradients", "hessians", "device", "name_scope"})
_NUMBERS = frozenset({"range", "enumerate"})
_SHAPED = frozenset({"ones", "zeros", "fill", "range", "eye", "normal", "uniform", "reshape", "one_hot", "linspace"})
_READERS = frozenset({"float", "int", "bool", "print", "str"})


@dataclasses.dataclass(frozen=True)
class Slow:
    """What runs slower: a key of `TEXTS`, and where."""

    kind: str
    line: int


def slow(tree):
    """What runs slower than it could in a program.

    Args:
      tree: ast.Module.

    Returns:
      list of Slow, in the order of the lines.
    """
    reader = _Reader(tree)
    reader.statements(tree.body)
    return sorted(reader.found, key=lambda each: (each.line, each.kind))


class _Reader(ast.NodeVisitor):
    def __init__(self, tree):
        self.roots, self.compiled = set(), set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self.roots |= {(a.asname or a.name).partition(".")[0] for a in node.names
                               if a.name.partition(".")[0] in _PACKAGES}  # fmt: skip
            elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in _PACKAGES:
                self.roots |= {a.asname or a.name for a in node.names}
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and any(map(self._is_function, node.decorator_list)):
                self.compiled.add(node.name)
            elif isinstance(node, ast.Assign) and self._is_function(node.value):
                self.compiled |= {t.id for t in node.targets if isinstance(t, ast.Name)}
        self.tensors: set = set()
        self.numbers: set = set()  # the Python numbers that loops count with
        self.depth = 0             # of the loops around
        self.found: set = set()

    def statements(self, body):
        for statement in body:
            self.visit(statement)

    # --- what an expression is ------------------------------------------------------------------------------------

    def _called(self, node):
        """The name of the op that is called, without its namespace, or None."""
        function, path = node.func if isinstance(node, ast.Call) else None, []
        while isinstance(function, ast.Attribute):
            path.insert(0, function.attr)
            function = function.value
        if not isinstance(function, ast.Name) or function.id not in self.roots:
            return None
        *namespace, name = path or [function.id]
        is_op = name == "Variable" or name[:1].islower() and name not in _NO_TENSORS
        return name if is_op and _OF_OPS.issuperset(namespace) else None

    def _is_function(self, node):
        """Whether a decorator or a value is `tf.function`, or a call of it."""
        name = node.func if isinstance(node, ast.Call) else node
        return isinstance(name, ast.Attribute) and name.attr == "function" and (
            isinstance(name.value, ast.Name) and name.value.id in self.roots
        )

    def _is_tensor(self, node):
        if isinstance(node, ast.Name):
            return node.id in self.tensors
        if isinstance(node, ast.BinOp):
            return self._is_tensor(node.left) or self._is_tensor(node.right)
        if isinstance(node, ast.UnaryOp | ast.Subscript):
            return self._is_tensor(node.operand if isinstance(node, ast.UnaryOp) else node.value)
        if self._called(node) is not None:
            return True
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.compiled

    def _counts(self, node):
        """Whether an expression contains a number that a loop counts with."""
        return any(isinstance(each, ast.Name) and each.id in self.numbers for each in ast.walk(node))

    # --- reading --------------------------------------------------------------------------------------------------

    def visit_FunctionDef(self, node):
        if any(map(self._is_function, node.decorator_list)):
            if self.depth:
                self._note("made at each turn", node)
            return
        outside = self.tensors, self.numbers, self.depth
        self.tensors, self.numbers, self.depth = set(self.tensors), set(), 0
        self.statements(node.body)
        self.tensors, self.numbers, self.depth = outside

    def visit_For(self, node):
        numbers = set()
        if self._is_tensor(node.iter):
            self._note("elements one by one", node)
        elif isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name) and node.iter.func.id in _NUMBERS:
            target = node.target
            if isinstance(target, ast.Tuple) and node.iter.func.id == "enumerate":
                target = target.elts[0]
            numbers = {target.id} if isinstance(target, ast.Name) else set()
        self.visit(node.iter)
        self.numbers |= numbers
        self._loop(node)
        self.numbers -= numbers

    def visit_While(self, node):
        self._loop(node)

    def _loop(self, node):
        self.depth += 1
        self.statements(node.body)
        self.depth -= 1
        self.statements(node.orelse)

    def visit_If(self, node):
        """What a loop does only now and then is not looked at."""
        if self.depth and any(isinstance(each, ast.Mod) for each in ast.walk(node.test)):
            return
        self.generic_visit(node)

    def visit_Assign(self, node):
        self.generic_visit(node)
        names = {t.id for t in node.targets if isinstance(t, ast.Name)}
        if self.depth and self._called(node.value) in ("concat", "stack"):
            if any(isinstance(each, ast.Name) and each.id in names for each in ast.walk(node.value)):
                self._note("grows in a loop", node)
        self.tensors = self.tensors | names if self._is_tensor(node.value) else self.tensors - names

    def visit_Call(self, node):
        self.generic_visit(node)
        if not self.depth:
            return
        called, name = self._called(node), getattr(node.func, "id", None)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "numpy" and not node.args:
            self._note("read in a loop", node)
        elif name in _READERS and any(map(self._is_tensor, node.args)):
            self._note("read in a loop", node)
        elif self._is_function(node):
            self._note("made at each turn", node)
        elif name in self.compiled and any(isinstance(a, ast.Name) and a.id in self.numbers for a in node.args):
            self._note("traced at each turn", node)
        elif called in _SHAPED and node.args and self._counts(node.args[0]) and not isinstance(node.args[0], ast.Name):
            self._note("shape of a loop", node)

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if not self.depth or not isinstance(node.ctx, ast.Load) or not self._is_tensor(node.value):
            return
        if isinstance(node.slice, ast.Slice) and any(
            isinstance(bound, ast.Name) and bound.id in self.numbers for bound in (node.slice.lower, node.slice.upper)
        ):
            self._note("shape of a loop", node)
        elif isinstance(node.slice, ast.Name) and node.slice.id in self.numbers:
            self._note("elements one by one", node)

    def _note(self, kind, node):
        self.found.add(Slow(kind, node.lineno))
