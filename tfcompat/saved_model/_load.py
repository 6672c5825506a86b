"""`tf.saved_model.load`: arrays and StableHLO back into a module."""
import inspect
import json
import os

import jax
import ml_dtypes
import numpy as np
import safetensors

from tfcompat import dtypes, engine, nest
from tfcompat._convert import to_node
from tfcompat._module import Module
from tfcompat._op import _without_gradient
from tfcompat._shape import TensorShape
from tfcompat._spec import TensorSpec
from tfcompat._tensor import dtype_of, shape_of, wrap
from tfcompat._variable import Variable
from tfcompat.errors import UnimplementedError
from tfcompat.saved_model._save import FORMAT, VERSION
from tfcompat.saved_model._structure import decode


class _UserObject(Module):
    """What a saved module is loaded as: its variables, submodules and functions, without its Python code."""


def load(export_dir, tags=None, options=None):
    """Loads what `tf.saved_model.save` wrote.

    Args:
      export_dir: the directory.
      tags: accepted if None; tfcompat saves no tags.
      options: LoadOptions.

    Returns:
      tf.Module with the saved attributes; functions take the signatures that were saved.

    Raises:
      OSError: there is no saved model.
      tf.errors.UnimplementedError: it is one of TensorFlow's own files, or of a newer version.

    TF: `tf.saved_model.load`.
    """
    if tags is not None:
        raise UnimplementedError(None, None, "tf.saved_model.load: tags are not available in tfcompat")
    export_dir = os.fspath(export_dir)
    path = os.path.join(export_dir, "manifest.json")
    if not os.path.exists(path):
        if os.path.exists(os.path.join(export_dir, "saved_model.pb")):
            raise UnimplementedError(
                None, None,
                f"tf.saved_model.load: {export_dir} was saved by TensorFlow itself, whose graphs tfcompat does not run: "
                "load the variables there and save them again from Python code run by tfcompat",
            )  # fmt: skip
        raise OSError(f"SavedModel file does not exist at: {export_dir}/manifest.json")
    with open(path) as file:
        manifest = json.load(file)
    if manifest.get("format") != FORMAT or manifest.get("version", 0) > VERSION:
        raise UnimplementedError(
            None, None,
            f"tf.saved_model.load: {path} is of format {manifest.get('format')!r} version {manifest.get('version')}, "
            f"this tfcompat reads {FORMAT!r} up to version {VERSION}",
        )  # fmt: skip
    return _Reader(export_dir, manifest).root()


def contains_saved_model(export_dir):
    """Whether the directory holds a saved model of tfcompat. TF: `tf.saved_model.contains_saved_model`."""
    return os.path.exists(os.path.join(os.fspath(export_dir), "manifest.json"))


class _Reader:
    """Builds the objects of a manifest."""

    def __init__(self, directory, manifest):
        self.directory, self.entries = directory, manifest["objects"]
        self.signatures = manifest["signatures"]
        self.arrays = _read_arrays(os.path.join(directory, "variables.safetensors"))
        self.objects: dict = {}

    def root(self):
        root = self.object(0)
        root.signatures = _SignatureMap({k: _Signature(self.object(n)) for k, n in self.signatures.items()})
        return root

    def object(self, number):
        if number not in self.objects:
            entry = self.entries[number]
            getattr(self, "_" + entry["kind"])(number, entry)
        return self.objects[number]

    def _variable(self, number, entry):
        name = entry["name"].removesuffix(":0")
        self.objects[number] = Variable(
            self.arrays[f"variable/{number}"], entry["trainable"], name=name, dtype=dtypes.as_dtype(entry["dtype"]),
            shape=TensorShape(entry["shape"]),
        )  # fmt: skip
        self.objects[number]._name = name

    def _module(self, number, entry):
        module = self.objects[number] = _UserObject()
        for name, child in entry["children"].items():
            object.__setattr__(module, name, self.object(child))

    def _dict(self, number, entry):
        result = self.objects[number] = {}
        result.update((k, self.object(v)) for k, v in entry["children"].items())

    def _list(self, number, entry):
        result = self.objects[number] = []
        result.extend(self.object(v) for v in entry["children"])

    def _function(self, number, entry):
        function = self.objects[number] = RestoredFunction(entry)
        for concrete in entry["concrete"]:
            function._concrete.append(_Concrete(self, concrete, entry["name"]))


def _read_arrays(path):
    with safetensors.safe_open(path, "np") as file:
        arrays = {key: file.get_tensor(key) for key in file.keys()}
        metadata = file.metadata() or {}
    for key, value in metadata.items():
        name, shape = json.loads(value)
        arrays[key] = arrays[key].view(np.dtype(getattr(ml_dtypes, name, name))).reshape(shape)
    return arrays


class _Concrete:
    """One signature of a restored function."""

    def __init__(self, reader, entry, name):
        self.args, self.kwargs = decode(entry["args"])
        self.specs = [s for s in nest.flatten((self.args, self.kwargs)) if isinstance(s, TensorSpec)]
        self.result = decode(entry["result"])
        self.variants = {}
        for variant in entry["variants"]:
            self.variants[tuple(variant["ranks"])] = (
                _operation(os.path.join(reader.directory, "functions", variant["file"]), name, entry["gradient"]),
                [reader.object(n) for n in variant["reads"]],
                [reader.object(n) for n in variant["writes"]],
                [engine.leaf(reader.arrays[key]) for key in variant["constants"]],
            )

    def match(self, args, kwargs):
        """The nodes of the tensors if the arguments fit this signature, else None."""
        try:
            nest.assert_same_structure((args, kwargs), (self.args, self.kwargs))
        except (TypeError, ValueError):
            return None
        nodes = []
        for value, spec in zip(nest.flatten((args, kwargs)), nest.flatten((self.args, self.kwargs)), strict=True):
            if not isinstance(spec, TensorSpec):
                if not (type(value) is type(spec) and value == spec):
                    return None
                continue
            try:
                node = to_node(value, hint=spec.dtype)
            except (TypeError, ValueError):
                return None
            if dtype_of(node) != spec.dtype or not spec.shape.is_compatible_with(shape_of(node)):
                return None
            nodes.append(node)
        return nodes

    def call(self, nodes):
        variant = self.variants.get(tuple(len(n.aval.shape) for n in nodes))
        if variant is None:
            raise UnimplementedError(
                None, None,
                f"a function saved for tensors of unknown rank takes ranks 0 to {max(map(max, self.variants))}, got "
                f"{[len(n.aval.shape) for n in nodes]}",
            )  # fmt: skip
        operation, reads, writes, constants = variant
        results = engine.apply(operation, (*nodes, *[v._as_node() for v in reads], *constants))
        results = list(results) if type(results) is tuple else [results]
        written = results[len(results) - len(writes):]
        for variable, node in zip(writes, written, strict=True):
            variable._set(node)
        tensors = iter(results)
        flat = [wrap(next(tensors)) if isinstance(s, TensorSpec) else s for s in nest.flatten(self.result)]
        return nest.pack_sequence_as(self.result, flat)


def _operation(path, name, with_gradient):
    with open(path, "rb") as file:
        exported = jax.export.deserialize(bytearray(file.read()))

    def fn(*arrays):
        return tuple(exported.call(*arrays))

    return engine.Operation(name, fn if with_gradient else _without_gradient(fn, name))


class RestoredFunction:
    """A function of a loaded model: it takes the signatures that were saved."""

    def __init__(self, entry):
        self._name = entry["name"]
        self._signature = _signature(entry["parameters"])
        self._concrete = []

    def __call__(self, *args, **kwargs):
        if self._signature is not None:
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        for concrete in self._concrete:
            nodes = concrete.match(args, kwargs)
            if nodes is not None:
                return concrete.call(nodes)
        options = "\n".join(f"  {c.args}, {c.kwargs}" for c in self._concrete)
        raise ValueError(
            "Could not find matching concrete function to call loaded from the SavedModel. Got:\n"
            f"  {args}, {kwargs}\nExpected these arguments to match one of the following "
            f"{len(self._concrete)} option(s):\n{options}"
        )


def _signature(parameters):
    if parameters is None:
        return None
    return inspect.Signature([
        inspect.Parameter(
            p["name"], inspect._ParameterKind(p["kind"]),
            default=decode(p["default"]) if "default" in p else inspect.Parameter.empty,
        )
        for p in parameters
    ])  # fmt: skip


class _SignatureMap(dict):
    def __repr__(self):
        return f"_SignatureMap({dict(self)!r})"


class _Signature:
    """An entry of `loaded.signatures`: takes tensors by name, returns a dict of tensors."""

    def __init__(self, function):
        self._function = function

    @property
    def structured_outputs(self):
        """TensorSpecs of the results by name."""
        return _named(self._function._concrete[0].result)

    def __call__(self, *args, **kwargs):
        return _named(self._function(*args, **kwargs))


def _named(result):
    if isinstance(result, dict):
        return result
    return {f"output_{i}": x for i, x in enumerate(nest.flatten(result))}
