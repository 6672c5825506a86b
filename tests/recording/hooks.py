"""What tf_keras's layers call on themselves, and subclasses can override: `golden/hooks.json`.

For each class, the name of a method and that of the class that defines it; those of `Layer` stand there only.
"""

import ast
import inspect
import json
import pathlib
import textwrap

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden" / "hooks.json"


def record(tf, options):
    layers = tf.keras.layers
    base = layers.Layer
    found = {"Layer": hooks_of(base, "tf_keras")}
    for name in dir(layers):
        value = getattr(layers, name)
        if inspect.isclass(value) and issubclass(value, base) and value.__name__ == name and value is not base:
            own = hooks_of(value, "tf_keras")
            found[name] = {hook: owner for hook, owner in own.items() if found["Layer"].get(hook) != owner}
    entries = ",\n".join(f"{json.dumps(name)}: {json.dumps(hooks)}" for name, hooks in found.items())
    GOLDEN.write_text(f"{{\n{entries}\n}}\n", encoding="utf-8")


def hooks_of(cls, package):
    """{method: class that defines it} of the methods that the code of a class takes from `self`.

    The code is that of the methods which an instance has, and of those that they call by `super()`.
    """
    classes = [each for each in cls.__mro__ if each.__module__.partition(".")[0] == package]
    left = [(name, 0) for name in {name for each in classes for name in each.__dict__}]
    seen, taken = set(), set()
    while left:
        name, start = left.pop()
        place = next((i for i in range(start, len(classes)) if name in classes[i].__dict__), None)
        if place is None or (name, place) in seen:
            continue
        seen.add((name, place))
        own, of_parents = taken_from_self(_function(classes[place].__dict__[name]))
        taken |= own
        left += [(other, place + 1) for other in of_parents]
    owners = {name: next((each for each in classes if name in each.__dict__), None) for name in sorted(taken)}
    return {
        name: owner.__name__
        for name, owner in owners.items()
        if owner is not None and not name.startswith("__") and inspect.isfunction(_function(owner.__dict__[name]))
        if not isinstance(owner.__dict__[name], property)
    }


def _function(value):
    value = getattr(value, "fget", value) if isinstance(value, property) else value
    return inspect.unwrap(getattr(value, "__func__", getattr(value, "python_function", value)))


def taken_from_self(function):
    """The names of what a function takes from `self` or `cls`, and from `super()`."""
    own, of_parents = set(), set()
    if inspect.isfunction(function):
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
                    own.add(node.attr)
                elif isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "super":
                    of_parents.add(node.attr)
    return own, of_parents
