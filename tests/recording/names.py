"""The public names of TensorFlow, which `python -m tfcompat check` tells from names that no TensorFlow has.

Writes tfcompat/_package/tensorflow_names.json: the names of each module (reached under its first name only), and of
each class the members of its own and of private classes above it, with the public class that it inherits the others
from; of each module in tf.compat.v1 the names that are the same in tf; of each module of tf.keras the names that only
Keras 3 has. Writes tests/golden/names_in_v1.json: the names of each module of tf.compat.v1.
"""

import importlib
import inspect
import json
import pathlib

TARGET = pathlib.Path(__file__).resolve().parents[2] / "tfcompat" / "_package" / "tensorflow_names.json"
TARGET_OF_V1 = pathlib.Path(__file__).resolve().parents[1] / "golden" / "names_in_v1.json"
NOT_FOLLOWED = {"tf.compat", "tf.raw_ops", "tf.lite", "tf.mlir", "tf.security", "tf.tools"}


def public(owner):
    """The public names of a module, modules of Python that happen to be there left out."""
    names = [name for name in dir(owner) if not name.startswith("_")]
    values = {name: getattr(owner, name, None) for name in names}
    return {n: v for n, v in values.items() if not inspect.ismodule(v) or _is_api(v)}


def _is_api(module):
    return "._api." in module.__name__ or module.__name__.startswith(("tf_keras.api.", "tensorflow.compat"))


def modules(tf):
    """Dict from dotted names to the names in that module, breadth first."""
    found, aliases, seen, queue = {}, {}, {}, [("tf", tf)]
    while queue:
        name, module = queue.pop(0)
        if id(module) in seen:
            aliases[name] = seen[id(module)]
            continue
        seen[id(module)] = name
        found[name] = public(module)
        if name in NOT_FOLLOWED:
            continue
        for child, value in found[name].items():
            if inspect.ismodule(value):
                queue.append((f"{name}.{child}", value))
    return found, aliases


def classes(tf, found):
    """Dict from the first dotted name of each class to [base, own members]; and the other names of classes."""
    first, aliases = {}, {}
    for module, values in found.items():
        for name, value in values.items():
            if inspect.isclass(value):
                dotted = f"{module}.{name}"
                if first.setdefault(value, dotted) is not dotted:
                    aliases[dotted] = first[value]
    first[type(tf.constant(0))] = first[tf.Tensor]
    described = {}
    for cls, dotted in first.items():
        own, base = set(), None
        for above in cls.__mro__[:-1]:
            if above is not cls and above in first and first[above] != dotted:
                base = first[above]
                break
            own.update(name for name in vars(above) if not name.startswith("_"))
        known = described.get(dotted, [base, []])
        described[dotted] = [base, sorted(own | set(known[1]))]
    return described, aliases


NOT_OF_V1 = {"keras", "compat", "estimator", "raw_ops", "lite", "mlir", "app", "flags", "mock"}


def _same(one, other):
    """Whether two objects are the same, or the same function in other wrappings."""
    code = getattr(inspect.unwrap(one), "__code__", None) if callable(one) else None
    return one is other or code is not None and (
        code is getattr(inspect.unwrap(other), "__code__", None) and inspect.signature(one) == inspect.signature(other)
    )


def same_in_v1(old, new, name=""):
    """Dict from names of modules, empty for tf.compat.v1 itself, to what is the same in tf."""
    values = {n: v for n, v in public(old).items() if n not in NOT_OF_V1 and hasattr(new, n)}
    found = {name: sorted(n for n, v in values.items() if not inspect.ismodule(v) and _same(v, getattr(new, n)))}
    for child, value in values.items():
        if inspect.ismodule(value) and inspect.ismodule(getattr(new, child)):
            found |= same_in_v1(value, getattr(new, child), f"{name}.{child}" if name else child)
    return {module: names for module, names in found.items() if names}


def public_callables(module, found, name=""):
    """Fills a dict from paths to what can be called in a module and those in it, but for what is no part of `tf.`"""
    for n, value in public(module).items():
        path = f"{name}.{n}" if name else n
        if n in NOT_OF_V1 | {"experimental", "losses", "optimizers", "metrics", "initializers"} or path.count(".") > 2:
            continue
        if inspect.ismodule(value):
            public_callables(value, found, path)
        elif callable(value):
            found[path] = value
    return found


def elsewhere_in_v1(tf):
    """Dict from names in tf.compat.v1 to that of the same object in tf, where this is another name."""
    names = {}
    for path, value in public_callables(tf, {}).items():
        names.setdefault(id(value), []).append(path)
    found = {}
    for path, value in public_callables(tf.compat.v1, {}).items():
        others = names.get(id(value), [path])
        if path not in others:
            found[path] = min(others, key=lambda other: (other.count("."), len(other), other))
    return found


def only_in_keras_3(tf):
    """Dict from modules of tf.keras, as it is with TF_USE_LEGACY_KERAS=0, to the names that Keras 2 has not."""
    keras = importlib.import_module("keras._tf_keras").keras
    names, queue = {}, [("tf.keras", keras, tf.keras)]
    while queue:
        name, module, old = queue.pop(0)
        values = {n: getattr(module, n) for n in dir(module) if not n.startswith("_")}
        names[name] = sorted(n for n in values if not hasattr(old, n))
        queue += [
            (f"{name}.{n}", value, getattr(old, n, None)) for n, value in values.items()
            if inspect.ismodule(value) and value.__name__.endswith(f".{n}") and ".src" not in value.__name__
        ]  # fmt: skip
    return {name: only for name, only in names.items() if only}


def names_in_v1(module, name="tf.compat.v1"):
    """Dict from the names of tf.compat.v1 and the modules in it to the names that each has."""
    values = {n: v for n, v in public(module).items() if n != "compat"}
    names = {name: sorted(values)}
    for child, value in values.items():
        if inspect.ismodule(value):
            names |= names_in_v1(value, f"{name}.{child}")
    return names


def record(tf, options):
    of_v1 = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(names_in_v1(tf.compat.v1).items()))
    TARGET_OF_V1.write_text(f"{{\n{of_v1}\n}}\n", encoding="utf-8")
    found, module_aliases = modules(tf)
    described, class_aliases = classes(tf, found)
    entries = {
        "tensorflow": tf.__version__,
        "aliases": module_aliases | class_aliases,
        "modules": {name: sorted(values) for name, values in found.items() if values},
        "classes": {name: entry for name, entry in described.items() if entry[1] or entry[0]},
        "same_in_v1": same_in_v1(tf.compat.v1, tf),
        "elsewhere_in_v1": elsewhere_in_v1(tf),
        "only_in_keras_3": only_in_keras_3(tf),
    }
    lines = [f'"tensorflow": {json.dumps(entries["tensorflow"])}']
    for part in ("aliases", "modules", "classes", "same_in_v1", "elsewhere_in_v1", "only_in_keras_3"):
        rows = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(entries[part].items()))
        lines.append(f'"{part}": {{\n{rows}\n}}')
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print({part: len(entries[part]) for part in ("aliases", "modules", "classes")}, TARGET.stat().st_size)
