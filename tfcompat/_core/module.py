"""`Module`: an object that finds the variables and modules in its attributes."""

import copy
import functools
import re
import weakref

import jax

from tfcompat import engine, nest
from tfcompat._core import restoring as _restoring
from tfcompat._core.containers import wrapped
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.dependencies import Dependent, NoDependency, note_dependency
from tfcompat._core.name_scope import name_scope
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable


class Module(Dependent):
    """Base of objects that own variables.

    Args:
      name: a valid Python identifier; by default the class name in snake case.

    Raises:
      ValueError: `name` is no identifier.

    Attributes are searched when asked, in the order of their sorted names: first what is in this module's
    own attributes and in lists, tuples and dicts in them, then the modules found, likewise. Nothing is
    listed twice.

    TF: `tf.Module`. Lists and dicts assigned to attributes are wrapped, see `containers`.
    """

    # Attributes that `_flatten` passes over; subclasses add to it.
    _TF_MODULE_IGNORED_PROPERTIES = frozenset()
    _unsaved_attributes = Dependent._unsaved_attributes | {"_pytree_template"}

    def __init_subclass__(cls, **kwargs):
        # A module is a pytree of its variables. Unflattening makes a copy of it with other values.
        super().__init_subclass__(**kwargs)
        jax.tree_util.register_pytree_node(cls, _tree_flatten, _tree_unflatten)

    def __setattr__(self, name, value):
        if type(value) is NoDependency or "_untracked_names" in self.__dict__:
            note_dependency(self, name, value)
        object.__setattr__(self, name, wrapped(value))
        _restoring.has_attribute(self, name)

    def _no_dependency(self, value):
        """What to set an attribute to so that it becomes `value` itself, not wrapped."""
        return NoDependency(value)

    def __init__(self, name=None):
        if name is None:
            name = camel_to_snake(type(self).__name__)
        elif not (name.isidentifier() and name.isascii()):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python identifiers "
                "(e.g. a valid class name)."
            )
        self._name = name
        with name_scope(name) as scope:
            self._name_scope = name_scope(scope)

    @property
    def name(self):
        """The module's name, without the scope it was made in."""
        return self._name

    @property
    def name_scope(self):
        """The `tf.name_scope` of this module: the one it was made in, extended by its name."""
        return self._name_scope

    @property
    def variables(self):
        """Tuple of the variables of this module and of its submodules."""
        return tuple(self._flatten(predicate=_is_variable, expand_composites=True))

    @property
    def trainable_variables(self):
        """Tuple of those variables that are trainable."""
        return tuple(self._flatten(predicate=_is_trainable_variable, expand_composites=True))

    @property
    def non_trainable_variables(self):
        """Tuple of those variables that are not trainable."""
        return tuple(self._flatten(predicate=_is_non_trainable_variable, expand_composites=True))

    @property
    def submodules(self):
        """Tuple of all modules in this one, those in its own attributes first."""
        return tuple(self._flatten(predicate=_is_module))

    @classmethod
    def with_name_scope(cls, method):
        """Decorator of a method: runs it in the module's name scope."""

        @functools.wraps(method)
        def method_with_name_scope(self, *args, **kwargs):
            with self.name_scope:
                return method(self, *args, **kwargs)

        return method_with_name_scope

    def _flatten(
        self,
        recursive=True,
        predicate=None,
        attribute_traversal_key=None,
        with_path=False,
        expand_composites=False,
    ):
        """Yields the leaves in this module's attributes.

        Args:
          recursive: whether to search modules found, too.
          predicate: tells of a leaf whether to yield it; by default all are.
          attribute_traversal_key: sort key for attribute names.
          with_path: whether to yield `(path, leaf)`, a leaf then once for each path.
          expand_composites: as in `tf.nest.flatten`.
        """
        search = _Search(predicate, attribute_traversal_key, with_path, expand_composites)
        return search.walk(self, (), (), {id(self)}, recursive)


class _Search:
    """One run of `Module._flatten`."""

    def __init__(self, predicate, attribute_traversal_key, with_path, expand_composites):
        self.predicate = predicate or (lambda _: True)
        self.attribute_traversal_key = attribute_traversal_key
        self.with_path = with_path
        self.expand_composites = expand_composites

    def walk(self, module, path, enclosing, seen, recursive):
        """Yields the leaves of `module`, then those of modules in it.

        `path` leads to the module, through the modules `enclosing`.
        """
        submodules = []
        for name in sorted(vars(module), key=self.attribute_traversal_key):
            if name in module._TF_MODULE_IGNORED_PROPERTIES or name in (_TEMPLATE, "_dependencies"):
                continue
            for leaf_path, leaf in self.leaves_of(module, name):
                if not self.with_path:
                    if id(leaf) in seen:
                        continue
                    seen.add(id(leaf))
                leaf_path = (*path, name, *leaf_path)
                if self.predicate(leaf):
                    yield (leaf_path, leaf) if self.with_path else leaf
                if recursive and _is_module(leaf):
                    submodules.append((leaf_path, leaf))
        enclosing = (*enclosing, module)
        for leaf_path, submodule in submodules:
            # A module inside itself shows its own leaves once more, but the search ends there.
            inside_itself = any(submodule is each for each in enclosing)
            yield from self.walk(submodule, leaf_path, enclosing, seen, not inside_itself)

    def leaves_of(self, module, name):
        """List of `(path, leaf)` in one attribute."""
        value = vars(module)[name]
        try:
            return nest.flatten_with_paths(value, self.expand_composites)
        except Exception as cause:
            raise ValueError(f"Error processing property {name!r} of {value!r}") from cause


class _Template:
    """The module that a pytree was made of. Copies made of the tree have the same template."""

    __slots__ = ("module", "hash")

    def __init__(self, module):
        self.module = weakref.ref(module)
        self.hash = id(module)

    def __hash__(self):
        return self.hash

    def __eq__(self, other):
        return isinstance(other, _Template) and self.module() is other.module()


_TEMPLATE = "_pytree_template"


def _tree_flatten(module):
    """(values of the variables, the template to build a module from them)."""
    template = vars(module).get(_TEMPLATE)
    children = []
    for v in module.variables:
        node = v._node
        children.append(engine.value_of(v._current_node()) if isinstance(node, engine.Node) else node)
    return children, _Template(module if template is None else template)


def _tree_unflatten(template, children):
    """A copy of the module whose variables have the values `children`."""
    module = template.module()
    if module is None:
        raise ValueError("the tf.Module that this pytree was made of is no more")
    memo = {}
    for v, value in zip(module.variables, children, strict=True):
        clone = object.__new__(type(v))
        clone.__dict__.update(v.__dict__)
        # JAX also unflattens trees of placeholders: https://docs.jax.dev/en/latest/custom_pytrees.html
        is_value = hasattr(value, "shape") and hasattr(value, "dtype")
        if isinstance(value, Tensor | Variable):
            clone._node = convert_to_tensor(value)._node
        else:
            clone._node = engine.leaf(value) if is_value else value
        memo[id(v)] = clone
    result = copy.deepcopy(module, memo)
    object.__setattr__(result, _TEMPLATE, module)
    return result


jax.tree_util.register_pytree_node(Module, _tree_flatten, _tree_unflatten)


def camel_to_snake(name):
    """`HTTPServer2Test` -> `http_server2_test`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=.)(?=[A-Z][a-z])", "_", name).lower()


def _is_module(value):
    return isinstance(value, Module)


def _is_variable(value):
    return isinstance(value, Variable)


def _is_trainable_variable(value):
    return _is_variable(value) and value.trainable


def _is_non_trainable_variable(value):
    return _is_variable(value) and not value.trainable
