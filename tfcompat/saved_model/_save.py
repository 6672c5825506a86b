"""`tf.saved_model.save`: StableHLO through `jax.export`, arrays in safetensors, a JSON manifest.

Layout of a directory: `manifest.json` (the tree of objects; for each function its signatures, which variables it
reads and writes, and its files), `variables.safetensors`, `functions/*.stablehlo`. Nothing in it is executed as code
but StableHLO.
"""
import inspect
import itertools
import json
import os
import tempfile

import jax
import numpy as np
import safetensors.numpy

from tfcompat import engine, nest
from tfcompat._module import Module
from tfcompat._spec import TensorSpec
from tfcompat._variable import Variable
from tfcompat._version import __version__
from tfcompat.errors import UnimplementedError
from tfcompat.function import Function
from tfcompat.function._trace import ConcreteOperation
from tfcompat.saved_model._options import SaveOptions
from tfcompat.saved_model._structure import encode

FORMAT, VERSION = "tfcompat.saved_model", 1
MAX_RANK = 5  # a TensorSpec of unknown rank is saved for ranks 0 to this
_PLATFORMS = ("cpu", "cuda", "tpu")


def save(obj, export_dir, signatures=None, options=None):
    """Saves a module: its variables, and its `tf.function`s as they have been traced or as their signatures say.

    Args:
      obj: tf.Module.
      export_dir: directory, made if it is missing. What it held is replaced only once everything is written.
      signatures: function or dict of functions with an input_signature, found as `loaded.signatures`.
      options: SaveOptions.

    Raises:
      ValueError: `obj` is not a module.
      tf.errors.UnimplementedError: a function cannot be exported for the unknown sizes in its signature.

    TF: `tf.saved_model.save`; the files are tfcompat's own, not TF's.
    """
    if not isinstance(obj, Module):
        raise ValueError(
            "Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the `Trackable` class, for "
            f"export. Got {obj} with type {type(obj)}."
        )
    writer = _Writer(options or SaveOptions())
    writer.add(obj)
    named = signatures if isinstance(signatures, dict) else {"serving_default": signatures} if signatures else {}
    functions = {name: writer.add(getattr(f, "_function", f)) for name, f in named.items()}
    export_dir = os.fspath(export_dir)
    os.makedirs(os.path.join(export_dir, "functions"), exist_ok=True)
    for name, data in writer.files.items():
        _write(os.path.join(export_dir, "functions", name), data)
    _write(os.path.join(export_dir, "variables.safetensors"), safetensors.numpy.save(*_for_safetensors(writer.arrays)))
    manifest = {
        "format": FORMAT, "version": VERSION, "tfcompat": __version__, "objects": writer.objects,
        "signatures": functions,
    }  # fmt: skip
    # Written last: a directory without a manifest is not a model.
    _write(os.path.join(export_dir, "manifest.json"), json.dumps(manifest, indent=1).encode())


def _for_safetensors(arrays):
    """Arrays as safetensors' NumPy writer takes them, and metadata: dtype and shape where it has no word for the dtype."""
    plain, metadata = {}, {}
    for key, array in arrays.items():
        if array.dtype.kind in "Vc":
            metadata[key] = json.dumps([array.dtype.name, array.shape])
            array = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        plain[key] = np.ascontiguousarray(array).reshape(array.shape)
    return plain, metadata


def _write(path, data):
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path))
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.replace(temporary, path)


class _Writer:
    """Collects the tree of objects, their arrays and the exported functions."""

    def __init__(self, options):
        self.options = options
        self.objects, self.arrays, self.files = [], {}, {}
        self._ids, self._alive = {}, []

    def add(self, obj):
        """The number of an object in the manifest."""
        known = self._ids.get(id(obj))
        if known is not None:
            return known
        number = self._ids[id(obj)] = len(self.objects)
        self._alive.append(obj)
        entry: dict = {}
        self.objects.append(entry)
        if isinstance(obj, Variable):
            self._variable(entry, obj, number)
        elif isinstance(obj, Function):
            self._function(entry, obj)
        elif isinstance(obj, dict):
            entry.update(kind="dict", children={str(k): self.add(v) for k, v in obj.items() if _is_tracked(v)})
        elif isinstance(obj, list | tuple):
            entry.update(kind="list", children=[self.add(v) for v in obj if _is_tracked(v)])
        else:
            entry.update(kind="module", children={k: self.add(v) for k, v in _children(obj)})
        return number

    def _variable(self, entry, variable, number):
        shape = variable.shape
        self.arrays[f"variable/{number}"] = variable.numpy() if shape.rank else np.asarray(variable.numpy())
        entry.update(
            kind="variable", name=variable.name, dtype=variable.dtype.name, trainable=variable.trainable,
            shape=None if shape.rank is None else shape.as_list(),
        )  # fmt: skip

    def _function(self, entry, function):
        entry.update(kind="function", name=function.name, parameters=_parameters(function), concrete=[])
        for args, kwargs in function._signatures():
            entry["concrete"].append(self._concrete(function, args, kwargs))

    def _concrete(self, function, args, kwargs):
        flat = nest.flatten((args, kwargs))
        specs = [s for s in flat if isinstance(s, TensorSpec)]
        unknown = [s for s in specs if s.shape.rank is None]
        variants = []
        for rank in range(MAX_RANK + 1) if unknown else (None,):
            shapes = [[None] * rank if s.shape.rank is None else s.shape.as_list() for s in specs]
            variants.append(self._variant(function, args, kwargs, specs, shapes))
        first = variants[0]
        return {
            "args": encode((args, kwargs), function.name), "result": first.pop("result"),
            "gradient": first.pop("gradient"),
            "variants": [{k: v for k, v in x.items() if k not in ("result", "gradient")} for x in variants],
        }  # fmt: skip

    def _variant(self, function, args, kwargs, specs, shapes):
        error = None
        for shared in (False, True):  # sizes that must agree are given one name, if different names do not do
            try:
                return self._export(function, args, kwargs, specs, _symbolic(shapes, shared))
            except Exception as e:  # whatever JAX raises for sizes that it cannot compare
                error = error or e
                if not any(d is None for s in shapes for d in s):
                    raise
        raise UnimplementedError(
            None, None,
            f"tf.saved_model.save: {function.name} cannot be exported for unknown sizes {specs}: "
            f"{str(error).splitlines()[0]}. Give sizes in the input_signature.",
        ) from error  # fmt: skip

    def _export(self, function, args, kwargs, specs, shapes):
        flat = nest.flatten((args, kwargs))
        avals = [engine.Aval(tuple(s), spec.dtype.np) for s, spec in zip(shapes, specs, strict=True)]

        def filled(tensors):
            tensors = iter(tensors)
            packed = [next(tensors) if isinstance(x, TensorSpec) else x for x in flat]
            return nest.pack_sequence_as((args, kwargs), packed)

        traced = ConcreteOperation(
            function.python_function, lambda t: filled(t)[0], lambda t: filled(t)[1], avals, function.name
        )
        inputs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
        inputs += [jax.ShapeDtypeStruct(n.aval.shape, n.aval.dtype) for n in (v._node for v in traced.variables)]
        constants = [np.asarray(engine.value_of(node)) for node in traced.captures]
        inputs += [jax.ShapeDtypeStruct(c.shape, c.dtype) for c in constants]
        with_gradient = self.options.experimental_custom_gradients or not traced.has_custom_gradient
        with jax.enable_x64(True):
            data = _exported(traced.operation.fn, inputs).serialize(vjp_order=2 if with_gradient else 0)
        name = f"{len(self.files):03d}.stablehlo"
        self.files[name] = bytes(data)
        numbers = []
        for constant in constants:
            key = f"constant/{len(self.arrays)}"
            self.arrays[key] = constant
            numbers.append(key)
        return {
            "file": name,
            "ranks": [len(s) for s in shapes],
            "reads": [self.add(v) for v in traced.variables],
            "writes": [self.add(v) for v in traced.assigned],
            "constants": numbers,
            "result": encode(traced.specs(), function.name),
            "gradient": with_gradient,
        }  # fmt: skip


def _exported(fn, inputs):
    try:
        return jax.export.export(jax.jit(fn), platforms=_PLATFORMS)(*inputs)
    except NotImplementedError:  # an operation that not every platform has
        return jax.export.export(jax.jit(fn))(*inputs)


def _symbolic(shapes, shared):
    """Shapes with a symbol for every unknown size."""
    if not any(d is None for s in shapes for d in s):
        return shapes
    scope = jax.export.SymbolicScope()
    counter = itertools.count()
    result = []
    for shape in shapes:
        names = [f"d{axis if shared else next(counter)}" if d is None else str(d) for axis, d in enumerate(shape)]
        result.append(jax.export.symbolic_shape(",".join(names) if names else "", scope=scope) if names else ())
    return result


def _is_tracked(value):
    if isinstance(value, dict):
        return any(map(_is_tracked, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_is_tracked, value))
    return isinstance(value, Variable | Module | Function)


def _children(module):
    """Attributes that are saved: variables, modules, containers of these, and functions of the class."""
    for name, value in sorted(vars(module).items()):
        if _is_tracked(value):
            yield name, value
    for name in sorted({n for cls in type(module).__mro__ for n in vars(cls)}):
        if isinstance(inspect.getattr_static(module, name), Function):
            yield name, getattr(module, name)


def _parameters(function):
    """The Python signature: name, kind and, where it can be saved, default of each parameter."""
    if function._signature is None:
        return None
    result = []
    for p in function._signature.parameters.values():
        entry = {"name": p.name, "kind": int(p.kind)}
        if p.default is not inspect.Parameter.empty:
            try:
                entry["default"] = encode(p.default, function.name)
            except UnimplementedError:
                pass
        result.append(entry)
    return result
