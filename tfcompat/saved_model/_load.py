"""`tf.saved_model.load`: arrays and StableHLO back into a module."""

import functools
import inspect
from typing import Any

import jax

from tfcompat import dtypes, engine, nest
from tfcompat._core import graphs
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import wrap
from tfcompat._core.variable import Variable, take_each
from tfcompat._core.variable_context import VariableAggregation, VariableSynchronization
from tfcompat._formats.damage import refusing
from tfcompat._tracing.assertions import Report
from tfcompat.engine import function_trace
from tfcompat.errors import DataLossError, InvalidArgumentError, UnimplementedError
from tfcompat.saved_model import _exported
from tfcompat.saved_model._files import FORMAT, MANIFEST, VERSION, Folder
from tfcompat.saved_model._graph_files import has_other_variables
from tfcompat.saved_model._graph_load import FILE, load_graph
from tfcompat.saved_model._nest_as_json import decode, decode_text
from tfcompat.saved_model._options import LoadOptions
from tfcompat.saved_model._restored import (
    CallableUserObject,
    Concrete,
    RestoredFunction,
    Signature,
    SignatureMap,
    UserObject,
)
from tfcompat.saved_model._traces import of_all_ranks


def load(export_dir, tags=None, options=None) -> Any:
    """Loads what `tf.saved_model.save` wrote.

    Args:
      export_dir: the directory.
      tags: None or "serve", the tag that all models have.
      options: LoadOptions.

    Returns:
      tf.Module with the saved attributes; functions take the signatures that were saved.

    Raises:
      OSError: there is no saved model, or its manifest cannot be read.
      RuntimeError: other tags.
      tf.errors.NotFoundError, tf.errors.DataLossError: a file of it is missing, or damaged.
      tf.errors.UnimplementedError: it is one of TensorFlow's own files, or of a newer version.

    TF: `tf.saved_model.load`.
    """
    folder, options = Folder(export_dir), options or LoadOptions()
    with_aliases = options.experimental_load_function_aliases
    if not folder.has(MANIFEST) and _is_of_tensorflow(folder):
        return load_graph(str(folder), tags, options.run_stablehlo, with_aliases)
    manifest = folder.manifest()
    if manifest.get("format") != FORMAT or manifest.get("version") not in range(1, VERSION + 1):
        raise UnimplementedError(
            None, None,
            f"tf.saved_model.load: {folder} is of format {manifest.get('format')!r} version "
            f"{manifest.get('version')!r}, this tfcompat reads {FORMAT!r} up to version {VERSION}",
        )  # fmt: skip
    if _is_of_tensorflow(folder) and has_other_variables(str(folder)):
        return load_graph(str(folder), tags, options.run_stablehlo, with_aliases)
    if tags is not None and tags != "serve" and list(tags) != ["serve"]:
        raise RuntimeError(f"MetaGraphDef associated with tags {tags} could not be found in SavedModel.")
    with refusing(f"Cannot parse file {folder}/{MANIFEST}: it", OSError, TypeError, ValueError):
        return _Reader(folder, manifest).root(with_aliases)


def contains_saved_model(export_dir):
    """Whether the directory holds a saved model of tfcompat. TF: `tf.saved_model.contains_saved_model`."""
    folder = Folder(export_dir)
    return folder.has(MANIFEST) or _is_of_tensorflow(folder)


def _is_of_tensorflow(folder):
    return folder.has(FILE) or folder.has(f"{FILE}txt")


class _Reader:
    """Builds the objects of a manifest."""

    def __init__(self, folder, manifest):
        self.folder, self.entries = folder, manifest["objects"]
        self.signatures, self.files = manifest["signatures"], manifest["files"]
        self.aliases = manifest.get("aliases", {})
        self.arrays = folder.get_arrays(manifest["variables"])
        self.objects: dict = {}
        self._makers = {
            "variable": self._variable, "module": self._module, "dict": self._dict, "list": self._list,
            "tuple": self._tuple, "function": self._function, "report": self._report,
        }  # fmt: skip

    def root(self, with_aliases):
        root = self.object(0)
        if with_aliases:
            vars(root)["function_aliases"] = {name: self.object(number) for name, number in self.aliases.items()}
        root.signatures = SignatureMap({k: Signature(self.object(n)) for k, n in self.signatures.items()})
        return root

    def object(self, number):
        if number not in self.objects:
            entry = self.entries[number]
            self._makers[entry["kind"]](number, entry)
        return self.objects[number]

    def _variable(self, number, entry):
        name = entry["name"].removesuffix(":0")
        value = decode_text(entry["text"]) if "text" in entry else self.arrays[f"variable/{number}"]
        synchronization = VariableSynchronization(entry.get("synchronization", VariableSynchronization.AUTO.value))
        variable = self.objects[number] = Variable(
            value, entry["trainable"], name=name, dtype=dtypes.as_dtype(entry["dtype"]),
            shape=TensorShape(entry["shape"]), synchronization=synchronization,
            aggregation=VariableAggregation(entry.get("aggregation", VariableAggregation.NONE.value)),
        )  # fmt: skip
        if synchronization is VariableSynchronization.ON_READ:
            variable.assign(value)  # of a sum each replica gets its part
        variable._name = name

    def _module(self, number, entry):
        children = entry["children"]
        module = self.objects[number] = CallableUserObject() if "__call__" in children else UserObject()
        vars(module).update({name: self.object(child) for name, child in children.items()})

    def _dict(self, number, entry):
        result = self.objects[number] = {}
        result.update((k, self.object(v)) for k, v in entry["children"])

    def _list(self, number, entry):
        result = self.objects[number] = []
        result.extend(None if v is None else self.object(v) for v in entry["children"])

    def _tuple(self, number, entry):
        self.objects[number] = tuple(None if v is None else self.object(v) for v in entry["children"])

    def _report(self, number, entry):
        sites = {code: engine.conditions.site(*rest) for code, *rest in entry["sites"]}
        self.objects[number] = Report(sites, entry["at_once"])

    def _function(self, number, entry):
        function = self.objects[number] = RestoredFunction(entry["name"], _signature(entry["parameters"]))
        function._concrete.extend(_Concrete(self, concrete, entry["name"]) for concrete in entry["concrete"])


class _Variant:
    """The program for one combination of ranks."""

    def __init__(self, reader, entry, name):
        data = reader.folder.get(reader.files[entry["file"]])
        self.operation = _operation(data, name, entry["gradient"])
        self.gradient = entry["gradient"]
        self.reads = [reader.object(n) for n in entry["reads"]]
        self.writes = [reader.object(n) for n in entry["writes"]]
        self.assigned = [] if any(isinstance(v, Report) for v in self.writes) else self.writes
        self.replaced = [entry["reads"].index(n) for n in entry["writes"][: len(self.assigned)]]
        self.constants = [engine.leaf(reader.arrays[key]) for key in entry["constants"]]
        self.result = decode(entry["result"])

    def __call__(self, nodes):
        if not self.gradient:
            trace = function_trace(engine.state.graph)
            if trace is not None:
                trace.has_custom_gradient = True
        # In a run of a graph, those of the session.
        assigned, writes = (list(map(graphs.resolved, each)) for each in (self.assigned, self.writes))
        cut = True
        while True:  # until no other thread assigns one of the variables between reading and assigning them
            read = [v._as_node() for v in self.reads]
            results = engine.apply(self.operation, (*nodes, *read, *self.constants))
            written = results[len(results) - len(self.writes) :]
            if take_each(assigned, written[: len(assigned)], [read[i] for i in self.replaced], cut):
                break
            cut = False
        for variable, node in zip(writes[len(assigned) :], written[len(assigned) :], strict=True):
            variable._take(node)
        tensors = iter(results)
        specs = nest.flatten(self.result, expand_composites=True)
        flat = [wrap(next(tensors)) if isinstance(s, TensorSpec) else s for s in specs]
        return nest.pack_sequence_as(self.result, flat, expand_composites=True)


class _Concrete(Concrete):
    """One signature of a function of a manifest."""

    def __init__(self, reader, entry, name):
        self.args, self.kwargs = decode(entry["args"])
        self.variants = {tuple(v["ranks"]): _Variant(reader, v, name) for v in entry["variants"]}
        by_identity = {id(v): v for variant in self.variants.values() for v in variant.reads}
        self.variables = tuple(v for v in by_identity.values() if isinstance(v, Variable))
        self.constants = next(iter(self.variants.values())).constants

    @property
    def result(self):
        """The result with TensorSpecs in place of tensors."""
        return of_all_ranks([variant.result for variant in self.variants.values()])

    def call(self, nodes):
        ranks = tuple(len(n.aval.shape) for n in nodes)
        variant = self.variants.get(ranks)
        if variant is None:
            known = ", ".join(map(str, map(list, self.variants)))
            raise UnimplementedError(
                None, None,
                f"this function was saved for tensors of unknown rank, that is for the ranks {known}, and got "
                f"{list(ranks)}",
            )  # fmt: skip
        return variant(nodes)


def _operation(data, name, with_gradient):
    try:
        exported = jax.export.deserialize(bytearray(data))
    except Exception as error:  # errors of the parser have no common class
        message = f"tf.saved_model.load: the program of {name} is damaged: {type(error).__name__}: {error}"
        raise DataLossError(None, None, message) from error

    def fn(*arrays):
        return tuple(exported.call(*arrays))

    def translate(error, avals):
        if not isinstance(error, ValueError):
            return error
        return InvalidArgumentError(None, None, f"{name} of a saved model does not take such sizes: {error}")

    if with_gradient:
        return engine.Operation(name, functools.partial(_exported.call, exported), translate=translate)

    def error():
        return LookupError(
            f"No gradient defined for operation '{name}' (op type: {name}). The function was saved without its custom "
            "gradients, or uses an op that has none."
        )

    return engine.Operation(name, engine.refusing(fn, error), unavoidable=True, translate=translate)


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
