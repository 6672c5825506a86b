"""`tf.saved_model.load`: arrays and StableHLO back into a module."""

import functools
import inspect
import itertools
import os
from typing import Any

import jax

from tfcompat import dtypes, engine, nest
from tfcompat._core.convert import to_node
from tfcompat._core.extension_type.types import is_extension
from tfcompat._core.module import Module
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor, dtype_of, shape_of, wrap
from tfcompat._core.variable import Variable, take_each
from tfcompat._formats.damage import refusing
from tfcompat._tracing.assertions import Report
from tfcompat.engine import function_trace
from tfcompat.errors import DataLossError, InvalidArgumentError, UnimplementedError
from tfcompat.function import _tracing_types
from tfcompat.function._concrete import output_specs
from tfcompat.function._signature_text import SignatureText, parameters_of, with_names
from tfcompat.function._trace import ConcreteOperation
from tfcompat.saved_model import _exported
from tfcompat.saved_model._files import FORMAT, MANIFEST, VERSION, Folder
from tfcompat.saved_model._nest_as_json import decode, decode_text


def load(export_dir, tags=None, options=None):
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
    folder = Folder(export_dir)
    if not folder.has(MANIFEST) and folder.has("saved_model.pb"):
        raise UnimplementedError(
            None, None,
            f"tf.saved_model.load: {folder} was saved by TensorFlow itself, whose graphs tfcompat does not run. Its "
            f"variables are read: tf.train.list_variables({os.path.join(str(folder), 'variables', 'variables')!r}) "
            "names them, and tf.train.Checkpoint(module).restore(folder) assigns them to a module made by your "
            "Python code, which can be saved then",
        )  # fmt: skip
    manifest = folder.manifest()
    if manifest.get("format") != FORMAT or manifest.get("version") not in range(1, VERSION + 1):
        raise UnimplementedError(
            None, None,
            f"tf.saved_model.load: {folder} is of format {manifest.get('format')!r} version "
            f"{manifest.get('version')!r}, this tfcompat reads {FORMAT!r} up to version {VERSION}",
        )  # fmt: skip
    if tags is not None and tags != "serve" and list(tags) != ["serve"]:
        raise RuntimeError(f"MetaGraphDef associated with tags {tags} could not be found in SavedModel.")
    with refusing(f"Cannot parse file {folder}/{MANIFEST}: it", OSError, TypeError, ValueError):
        return _Reader(folder, manifest).root(options is not None and options.experimental_load_function_aliases)


def contains_saved_model(export_dir):
    """Whether the directory holds a saved model of tfcompat. TF: `tf.saved_model.contains_saved_model`."""
    return Folder(export_dir).has(MANIFEST)


class _UserObject(Module):
    """A loaded module: its variables, submodules and functions, without its Python code."""


class _CallableUserObject(_UserObject):
    def __call__(self, *args, **kwargs):
        return vars(self)["__call__"](*args, **kwargs)


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
        root.signatures = _SignatureMap({k: _Signature(self.object(n)) for k, n in self.signatures.items()})
        return root

    def object(self, number):
        if number not in self.objects:
            entry = self.entries[number]
            self._makers[entry["kind"]](number, entry)
        return self.objects[number]

    def _variable(self, number, entry):
        name = entry["name"].removesuffix(":0")
        value = decode_text(entry["text"]) if "text" in entry else self.arrays[f"variable/{number}"]
        variable = self.objects[number] = Variable(
            value, entry["trainable"], name=name, dtype=dtypes.as_dtype(entry["dtype"]),
            shape=TensorShape(entry["shape"]),
        )  # fmt: skip
        variable._name = name

    def _module(self, number, entry):
        children = entry["children"]
        module = self.objects[number] = _CallableUserObject() if "__call__" in children else _UserObject()
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
        cut = True
        while True:  # until no other thread assigns one of the variables between reading and assigning them
            read = [v._as_node() for v in self.reads]
            results = engine.apply(self.operation, (*nodes, *read, *self.constants))
            written = results[len(results) - len(self.writes) :]
            if take_each(self.assigned, written[: len(self.assigned)], [read[i] for i in self.replaced], cut):
                break
            cut = False
        for variable, node in zip(self.writes[len(self.assigned) :], written[len(self.assigned) :], strict=True):
            variable._take(node)
        tensors = iter(results)
        specs = nest.flatten(self.result, expand_composites=True)
        flat = [wrap(next(tensors)) if isinstance(s, TensorSpec) else s for s in specs]
        return nest.pack_sequence_as(self.result, flat, expand_composites=True)


class _Concrete:
    """One signature of a restored function."""

    def __init__(self, reader, entry, name):
        self.args, self.kwargs = decode(entry["args"])
        self.variants = {tuple(v["ranks"]): _Variant(reader, v, name) for v in entry["variants"]}

    @property
    def result(self):
        """The result with TensorSpecs in place of tensors."""
        results = [variant.result for variant in self.variants.values()]
        return nest.map_structure(_of_all_ranks, *results, expand_composites=True)

    def match(self, args, kwargs, may_convert=True):
        """The nodes of the tensors if the arguments fit this signature, else None.

        Args:
          args, kwargs: of the call.
          may_convert: whether numbers, arrays and lists of them are taken for tensors.
        """
        try:
            values = _up_to((self.args, self.kwargs), (args, kwargs))
        except (LookupError, TypeError, ValueError):
            return None
        nodes = []
        specs = nest.flatten((self.args, self.kwargs), expand_composites=True)
        tensors = [x for x, spec in zip(values, specs, strict=True) if isinstance(spec, TensorSpec)]
        if not may_convert and not all(isinstance(x, Tensor | Variable | TensorSpec) for x in tensors):
            return None
        for value, spec in zip(values, specs, strict=True):
            if not isinstance(spec, TensorSpec):
                if type(value) is not type(spec) or value != spec:
                    return None
                continue
            if isinstance(value, TensorSpec):  # in get_concrete_function
                if value.dtype != spec.dtype or not value.shape.is_subtype_of(spec.shape):
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


def _up_to(structure, value):
    """The parts of `value` in the places of the leaves of `structure`.

    Raises:
      KeyError, TypeError, ValueError: it is not made so.
    """
    if is_extension(structure):
        if not structure.is_compatible_with(value):
            raise TypeError("another type")
        return nest.flatten(value, expand_composites=True)
    if not nest.is_nested(structure):
        return [value]
    if isinstance(structure, dict):
        if structure.keys() != value.keys():
            raise ValueError("other keys")
        pairs = [(structure[k], value[k]) for k in sorted(structure)]
    else:
        if not isinstance(value, list | tuple):
            raise TypeError("no list")
        pairs = list(zip(structure, value, strict=True))
    return [leaf for pair in pairs for leaf in _up_to(*pair)]


def _of_all_ranks(*results):
    """A leaf of the results for tensors of several ranks as one spec."""
    if not isinstance(results[0], TensorSpec):
        return results[0]
    first, *others = (x.shape for x in results)
    return TensorSpec(first.most_specific_common_supertype(others), results[0].dtype)


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
    refusing = jax.custom_jvp(fn)

    @refusing.defjvp
    def no_gradient(primals, tangents):
        raise LookupError(
            f"No gradient defined for operation '{name}' (op type: {name}). The function was saved without its custom "
            "gradients, or uses an op that has none."
        )

    return engine.Operation(name, refusing, unavoidable=True, translate=translate)


class RestoredFunction(_tracing_types.PolymorphicFunction):
    """A function of a loaded model, which takes the saved signatures."""

    function_type: Any = None

    def __init__(self, name, signature):
        self.name = self.__name__ = name
        self.function_type = self._python_signature = signature
        self.input_signature = None
        self._concrete = []

    def __call__(self, *args, **kwargs):
        args, kwargs = self._bound(args, kwargs)
        for may_convert in (False, True):
            for concrete in self._concrete:
                nodes = self._match(concrete, args, kwargs, may_convert)
                if nodes is not None:
                    return concrete.call(nodes)
        return self._no_match(args, kwargs)

    def _no_match(self, args, kwargs):
        if not self._concrete:
            raise ValueError(
                f"Found zero restored functions for {self.name}: it had no input_signature and had not been called "
                "when it was saved."
            )
        options = "\n".join(f"  {c.args}, {c.kwargs}" for c in self._concrete)
        raise ValueError(
            "Could not find matching concrete function to call loaded from the SavedModel. Got:\n"
            f"  {args}, {kwargs}\nExpected these arguments to match one of the following "
            f"{len(self._concrete)} option(s):\n{options}"
        )

    @property
    def concrete_functions(self):
        """The function for each of the signatures that were saved."""
        return [RestoredConcreteFunction(self, concrete) for concrete in self._concrete]

    def get_concrete_function(self, *args, **kwargs):
        """The function for one of the signatures that were saved.

        Args:
          *args, **kwargs: tensors, TensorSpecs or Python values.

        Raises:
          ValueError: no signature fits.
        """
        args, kwargs = self._bound(args, kwargs)
        return next(
            (RestoredConcreteFunction(self, c) for c in self._concrete if self._match(c, args, kwargs) is not None),
            None,
        ) or self._no_match(args, kwargs)

    def experimental_get_tracing_count(self):
        """How many signatures were saved."""
        return len(self._concrete)

    def pretty_printed_concrete_signatures(self, verbose=True):
        """The signatures as text: of several lines each, or of one if `verbose` is False."""
        return ("\n\n" if verbose else "\n").join(
            c.pretty_printed_signature(verbose) for c in self.concrete_functions
        )

    def _bound(self, args, kwargs):
        if self.function_type is None:
            return args, kwargs
        bound = self.function_type.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def _match(self, concrete, args, kwargs, may_convert=True):
        """As `concrete.match`; the signature may leave out parameters that have their defaults in the call."""
        if self.function_type is not None:
            parameters = self.function_type.parameters
            argument_count = len(concrete.args)
            left_out = [*parameters.values()][argument_count : len(args)]
            if len(left_out) == len(args) - argument_count and all(map(_is_default, left_out, args[argument_count:])):
                args = args[:argument_count]
            kwargs = {
                name: value for name, value in kwargs.items()
                if name in concrete.kwargs or name not in parameters or not _is_default(parameters[name], value)
            }  # fmt: skip
        return concrete.match(args, kwargs, may_convert)

    # --- what saving it again needs ---------------------------------------------------------------------------

    def _signatures(self):
        return [(c.args, c.kwargs) for c in self._concrete]

    def _trace(self, arguments):
        return ConcreteOperation(self, arguments, self.name)

    def __repr__(self):
        return f"<tfcompat.saved_model.RestoredFunction {self.name}>"


def _is_default(parameter, value):
    default = parameter.default
    return value is default or type(value) is type(default) and not hasattr(value, "shape") and value == default


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


class RestoredConcreteFunction(_tracing_types.ConcreteFunction):
    """A function of a loaded model for one of its signatures. TF: `tf.types.experimental.ConcreteFunction`."""

    def __init__(self, function, concrete):
        self._function, self._concrete = function, concrete

    name = property(lambda self: self._function.name, doc="The name of the Python function that was saved.")

    @property
    def variables(self):
        """The variables that the function reads."""
        by_identity = {id(v): v for variant in self._concrete.variants.values() for v in variant.reads}
        return tuple(v for v in by_identity.values() if isinstance(v, Variable))

    @property
    def structured_input_signature(self):
        """(args, kwargs) with a TensorSpec for each tensor."""
        return with_names(self._function.function_type, self._concrete.args, self._concrete.kwargs)

    @property
    def structured_outputs(self):
        """The result, with a TensorSpec for each tensor."""
        return self._concrete.result

    @property
    def captured_inputs(self):
        """The variables and tensors that the function reads."""
        constants = next(iter(self._concrete.variants.values())).constants
        return [*self.variables, *map(wrap, constants)]

    @property
    def inputs(self):
        """A TensorSpec for each tensor among the arguments, and then for each of `captured_inputs`."""
        leaves = nest.flatten(self.structured_input_signature, expand_composites=True)
        specs = [x for x in leaves if isinstance(x, TensorSpec)]
        return [TensorSpec(x.shape, x.dtype, f"{x.name}:0") for x in specs] + self._specs_of_captures()

    @property
    def outputs(self):
        """A TensorSpec for each tensor in the result."""
        return output_specs(self.structured_outputs)

    def _rows(self):
        return parameters_of(self._function.function_type, self._concrete.args, self._concrete.kwargs)

    @property
    def function_type(self):
        """The parameters and the result with their types, an `inspect.Signature`."""
        return _tracing_types.FunctionType.of(
            self._rows(), self.structured_outputs, self.pretty_printed_signature(False)
        )

    def pretty_printed_signature(self, verbose=True):
        """The signature as text: of several lines, or of one if `verbose` is False."""
        captures = [(id(v), repr(TensorSpec([], dtypes.resource))) for v in self.variables]
        text = SignatureText(None, (), {}, (self.structured_outputs,), captures, list(self._rows()))
        return text.long() if verbose else text.short()

    def __call__(self, *args, **kwargs):
        args, kwargs = self._function._bound(args, kwargs)
        nodes = self._function._match(self._concrete, args, kwargs)
        return self._function._no_match(args, kwargs) if nodes is None else self._concrete.call(nodes)


class _Signature(RestoredConcreteFunction):
    """An entry of `loaded.signatures`: takes tensors by name, returns a dict of tensors."""

    def __init__(self, function):
        super().__init__(function, function._concrete[0])

    @property
    def structured_outputs(self):
        """TensorSpecs of the results by name."""
        specs = _named(self._concrete.result)
        return {k: TensorSpec(x.shape, x.dtype, k) if isinstance(x, TensorSpec) else x for k, x in specs.items()}

    @property
    def structured_input_signature(self):
        """((), TensorSpecs of the arguments by name): that of the spec or of its parameter, with a number if taken."""
        args, kwargs = self._concrete.args, self._concrete.kwargs
        parameters = {id(value): parameter for parameter, _, value in super()._rows()}
        specs = {}
        # In the order of `nest.flatten`, which calls rely on.
        for value in (*args, *(kwargs[name] for name in sorted(kwargs))):
            parameter = parameters[id(value)]
            for spec in nest.flatten(value):
                if isinstance(spec, TensorSpec):
                    name = unique = spec.name or parameter
                    for number in itertools.count(1):
                        if unique not in specs:
                            break
                        unique = f"{name}_{number}"
                    specs[unique] = TensorSpec(spec.shape, spec.dtype, unique)
        return (), specs

    def _rows(self):
        return [(name, "KEYWORD_ONLY", spec) for name, spec in self.structured_input_signature[1].items()]

    def __call__(self, *args, **kwargs):
        names = list(self.structured_input_signature[1])
        given = dict(zip(names, args, strict=False), **kwargs)
        missing = [name for name in names if name not in given]
        strange = [name for name in kwargs if name not in names]
        if missing or strange or len(args) > len(names):
            problem = (
                f"missing a required argument: '{missing[0]}'" if missing
                else f"got an unexpected keyword argument '{strange[0]}'" if strange
                else "too many positional arguments"
            )  # fmt: skip
            raise TypeError(
                f"Binding inputs to tf.function failed due to `{problem}`. Received args: {args} and kwargs: {kwargs} "
                f"for signature: {self.pretty_printed_signature(False)}."
            )
        filled = iter([given[name] for name in names])
        flat = [
            next(filled) if isinstance(x, TensorSpec) else x
            for x in nest.flatten((self._concrete.args, self._concrete.kwargs), expand_composites=True)
        ]
        args, kwargs = nest.pack_sequence_as(
            (self._concrete.args, self._concrete.kwargs), flat, expand_composites=True
        )
        return _named(self._function(*args, **kwargs))


def _named(result):
    if isinstance(result, dict):
        return result
    return {f"output_{i}": x for i, x in enumerate(nest.flatten(result))}
