"""Which names of TensorFlow a program uses, read off its syntax tree.

Names are followed through imports, aliases (`layers = tf.keras.layers`), attribute chains, and, one step further,
through instances: `tape` in `with tf.GradientTape() as tape`, `self.dense` assigned in a constructor, a class of the
user's derived from one of TensorFlow's. What a call returns is not known otherwise, so methods of tensors are not seen.
"""

import ast
import dataclasses

# Packages that are this one while a program runs, and where below `tf` they are.
ROOTS = {"tensorflow": (), "tf_keras": ("keras",), "keras": ("keras",)}
# Packages that are made for TensorFlow itself, and what to do about them.
DEPENDENT = {
    "tensorflow_text": "process the text beforehand, with another tokenizer",
    "tensorflow_io": "read the data as NumPy arrays",
    "tensorflow_federated": "it drives TensorFlow's own runtime",
    "tensorflow_privacy": "it imports tf.estimator, which TensorFlow 2.21 does not have either",
    "tf_slim": "write the layers with tf.keras.layers",
}
_CATCHES_IMPORT = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"})


@dataclasses.dataclass(frozen=True)
class Use:
    """One use of a name: its dotted path from `tf`, where it stands, and how.

    `instance` is the number of leading parts that name a class, where the rest is an attribute of an instance of it.
    `keywords` are the keyword arguments of a call, `positional` tells whether there are others. `guarded` says that a
    failure would be caught.
    """

    symbol: str
    line: int
    column: int
    instance: int = 0
    keywords: tuple = ()
    guarded: bool = False
    positional: bool = False


@dataclasses.dataclass(frozen=True)
class _Name:
    """A value that is known: the TF name `path`, or an instance of it; `own` are attributes defined by the user."""

    path: tuple
    instance: bool = False
    own: frozenset = frozenset()
    user_class: bool = False

    def made(self):
        return _Name(self.path, True, self.own)


def uses(tree, stars=()):
    """The uses of TensorFlow in a syntax tree, in the order of the text.

    Args:
      tree: ast.Module.
      stars: function from a dotted name to the names that `from it import *` gives.

    Returns:
      (list of Use, dict from packages that depend on TensorFlow to the lines of their imports).
    """
    module = _Scope(tree, None, stars or (lambda path: ()))
    reader = _Reader(module)
    reader.body(tree.body, module)
    # One place may be seen twice, as a callee and as an attribute; the one that knows the arguments is kept.
    best: dict = {}
    for use in reader.found:
        key = (use.symbol, use.line, use.column)
        if key not in best or use.keywords or use.positional:
            best[key] = use
    return sorted(best.values(), key=lambda u: (u.line, u.column)), reader.dependent


class _Scope:
    """The names bound in a module, function or class body."""

    def __init__(self, node, parent, stars):
        self.parent, self.stars = parent, stars
        self.is_class = isinstance(node, ast.ClassDef)
        self.bindings: dict = {}
        self.known: dict = {}  # what names were found to stand for
        self.attributes = parent.attributes if parent is not None else {}  # of `self` in the class around
        self.self_name: str | None = None
        self.self_value: _Name | None = None
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            given = node.args
            for a in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
                if a is not None:
                    self.bindings[a.arg] = [None]
        body = node.body if isinstance(node.body, list) else []
        for statement in body:
            self._collect(statement)

    def _collect(self, node):
        """Notes what the statements of this scope bind, in their order; nested scopes are left alone."""
        bind = self._bind
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                if root not in ROOTS:
                    bind(alias.asname or root, None)
                elif alias.asname:
                    bind(alias.asname, _Name(_path(alias.name)))
                else:
                    bind(root, _Name(_path(root)))
            return
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            ours = not node.level and module.partition(".")[0] in ROOTS
            for alias in node.names:
                if alias.name == "*":
                    for name in self.stars(".".join(_path(module))) if ours else ():
                        bind(name, _Name((*_path(module), name)))
                else:
                    bind(alias.asname or alias.name, _Name((*_path(module), alias.name)) if ours else None)
            return
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            bind(node.name, None)
            return
        if isinstance(node, ast.ClassDef):
            bind(node.name, node)
            return
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            self._assign(node.target, node.value)
        elif isinstance(node, ast.AugAssign):
            self._assign(node.target, None)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            self._assign(node.target, None)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                if item.optional_vars is not None:
                    self._assign(item.optional_vars, item.context_expr)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bind(node.name, None)
        if isinstance(node, ast.Lambda):
            return
        for child in ast.iter_child_nodes(node):
            self._collect(child)

    def _assign(self, target, value):
        if isinstance(target, ast.Name):
            self._bind(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
            if len(values) != len(target.elts):
                values = [None] * len(target.elts)
            for each, one in zip(target.elts, values, strict=True):
                self._assign(each, one)
        elif isinstance(target, ast.Starred):
            self._assign(target.value, None)

    def _bind(self, name, value):
        self.bindings.setdefault(name, []).append(value)


def _path(module):
    root, *below = module.split(".")
    return ("tf", *ROOTS[root], *below)


class _Reader:
    """Walks the scopes and notes uses."""

    def __init__(self, module):
        self.module = module
        self.found: list = []
        self.dependent: dict = {}
        self.guards = 0
        self._resolving: set = set()

    # --- what an expression is ------------------------------------------------------------------------------------

    def value_of(self, node, scope):
        """The _Name that an expression stands for; None if it is not known to be of TensorFlow."""
        if isinstance(node, ast.Name):
            return self._look_up(node.id, scope)
        if isinstance(node, ast.Attribute):
            owner = self.value_of(node.value, scope)
            if owner is not None and not owner.instance and node.attr not in owner.own:
                return _Name((*owner.path, node.attr))
            if isinstance(node.value, ast.Name) and self._is_self(node.value.id, scope):
                return self._of_bindings(("self", node.attr), scope.attributes.get(node.attr, ()), scope)
            return None
        if isinstance(node, ast.Call):
            called = self.value_of(node.func, scope)
            return called.made() if called is not None and not called.instance and _is_class(called) else None
        if isinstance(node, ast.IfExp):
            return self.value_of(node.body, scope) or self.value_of(node.orelse, scope)
        return None

    def _look_up(self, name, scope):
        at = scope
        while at is not None:
            if name in at.bindings and not (at.is_class and at is not scope):
                if name in at.known:
                    return at.known[name]
                whole = not self._resolving  # else a name that is being looked up already may be missing
                value = self._of_bindings((id(at), name), at.bindings[name], at)
                if whole:
                    at.known[name] = value
                return value
            if name == at.self_name:
                return at.self_value
            at = at.parent
        return None

    def _is_self(self, name, scope):
        while scope is not None and scope.self_name is None:
            scope = scope.parent
        return scope is not None and scope.self_name == name

    def _of_bindings(self, key, bindings, scope):
        """What all assignments of a name agree on; imports win over others (`try: import ... except: tf = None`)."""
        for binding in bindings:
            if isinstance(binding, _Name):
                return binding
        if key in self._resolving:
            return None
        self._resolving.add(key)
        try:
            values = set()
            for binding in bindings:
                values.add(self._user_class(binding, scope) if isinstance(binding, ast.ClassDef)
                           else self.value_of(binding, scope) if binding is not None else None)  # fmt: skip
            return values.pop() if len(values) == 1 else None
        finally:
            self._resolving.discard(key)

    def _user_class(self, node, scope):
        """A class of the user's that is derived from one of TensorFlow's: that one, and what the user adds."""
        own = {n.name for n in node.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
        own |= {t.id for n in node.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
        own |= {n.target.id for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
        own |= set(_assigned_attributes(node))
        if len(node.bases) != 1 or any(n.startswith("__getattr") for n in own):
            return None
        base = self.value_of(node.bases[0], scope)
        if base is None or base.instance:
            return None
        return _Name(base.path, False, frozenset(own | base.own), user_class=True)

    # --- reading --------------------------------------------------------------------------------------------------

    def body(self, statements, scope):
        for statement in statements:
            self.visit(statement, scope)

    def visit(self, node, scope):
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node)
            return
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for outside in (*node.decorator_list, node.args, node.returns):
                if outside is not None:
                    self.visit(outside, scope)
            self.body(node.body, self._function_scope(node, scope))
            return
        if isinstance(node, ast.Lambda):
            self.visit(node.args, scope)
            self.visit(node.body, self._function_scope(node, scope))
            return
        if isinstance(node, ast.ClassDef):
            for outside in (*node.decorator_list, *node.bases, *(k.value for k in node.keywords)):
                self.visit(outside, scope)
            inner = _Scope(node, scope, scope.stars)
            inner.attributes = _assigned_attributes(node)
            inner.self_value = self._user_class(node, scope)
            self.body(node.body, inner)
            return
        if isinstance(node, ast.Try):
            guarded = any(_catches_import(handler) for handler in node.handlers)
            self.guards += guarded
            self.body(node.body, scope)
            self.guards -= guarded
            for rest in (*node.handlers, *node.orelse, *node.finalbody):
                self.visit(rest, scope)
            return
        if isinstance(node, ast.Call):
            self._use(node.func, scope, tuple(k.arg for k in node.keywords if k.arg), bool(node.args))
            self._visit_inner(node.func, scope)
            for rest in (*node.args, *node.keywords):
                self.visit(rest, scope)
            return
        if isinstance(node, ast.Attribute | ast.Name):
            if isinstance(node.ctx, ast.Load):
                self._use(node, scope)
            self._visit_inner(node, scope)
            return
        for child in ast.iter_child_nodes(node):
            self.visit(child, scope)

    def _visit_inner(self, node, scope):
        """The parts of a chain that are not names: `f(x).y` contains the call `f(x)`."""
        while isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Attribute) and self.value_of(node, scope) is None:
                self._use(node.value, scope)  # `self.tape.gradient.x`: the known part in front
            node = node.value
        if not isinstance(node, ast.Name):
            self.visit(node, scope)

    def _function_scope(self, node, scope):
        inner = _Scope(node, scope, scope.stars)
        arguments = [*node.args.posonlyargs, *node.args.args]
        decorators = getattr(node, "decorator_list", ())
        static = any(isinstance(d, ast.Name) and d.id in ("staticmethod", "classmethod") for d in decorators)
        if scope.is_class and arguments and not static:
            inner.self_name = arguments[0].arg
            inner.bindings.pop(inner.self_name, None)
            inner.self_value = scope.self_value.made() if scope.self_value is not None else None
        return inner

    def _use(self, node, scope, keywords=(), positional=False):
        """Notes a chain of attributes, if it starts at a name of TensorFlow."""
        if not isinstance(node, ast.Attribute | ast.Name):
            return
        value = self.value_of(node, scope)
        if value is not None:
            if not value.instance and not value.user_class and len(value.path) > 1:
                self._note(node, value.path, 0, keywords, positional)
            elif value.instance and isinstance(node, ast.Attribute):
                self._attribute_of_instance(node, scope, keywords, positional)
            return
        if isinstance(node, ast.Attribute):
            self._attribute_of_instance(node, scope, keywords, positional)

    def _attribute_of_instance(self, node, scope, keywords, positional):
        owner = self.value_of(node.value, scope)
        if owner is not None and owner.instance and node.attr not in owner.own:
            self._note(node, (*owner.path, node.attr), len(owner.path), keywords, positional)

    def _note(self, node, path, instance, keywords=(), positional=False):
        line, column = getattr(node, "end_lineno", node.lineno) or node.lineno, node.col_offset
        self.found.append(Use(".".join(path), line, column, instance, keywords, self.guards > 0, positional))

    def _import(self, node):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        if isinstance(node, ast.ImportFrom) and node.level:
            return
        for name in names:
            root = name.partition(".")[0]
            if root in DEPENDENT and not self.guards:
                self.dependent.setdefault(root, []).append(node.lineno)
            if root not in ROOTS:
                continue
            path = _path(name)
            given = [a.name for a in node.names if a.name != "*"] if isinstance(node, ast.ImportFrom) else []
            for last in given:
                self._note(node, (*path, last), 0)
            if not given and len(path) > 1:
                self._note(node, path, 0)


def _is_class(name):
    """Whether a name is that of a class: one of the user's, or by TF's spelling (`GradientTape`, not `constant`)."""
    return name.user_class or name.path[-1][:1].isupper() and len(name.path) > 1


def _assigned_attributes(node):
    """Dict from the attributes that the methods of a class assign on `self` to the expressions assigned."""
    found: dict = {}
    for method in node.body:
        if not isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) or not method.args.args:
            continue
        own = method.args.args[0].arg
        for each in ast.walk(method):
            if isinstance(each, ast.Assign):
                targets, value = each.targets, each.value
            elif isinstance(each, ast.AnnAssign | ast.AugAssign):
                targets, value = [each.target], each.value
            else:
                continue
            for target in targets:
                flat = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
                for t in flat:
                    if isinstance(t, ast.Attribute) and isinstance(t.value, ast.Name) and t.value.id == own:
                        known = value if len(flat) == 1 and isinstance(value, ast.Call) else None
                        found.setdefault(t.attr, []).append(known)
    return found


def _catches_import(handler):
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(k, ast.Name) and k.id in _CATCHES_IMPORT for k in kinds)
