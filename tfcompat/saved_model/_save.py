"""`tf.saved_model.save`: TensorFlow's files; and where these do not say all, a JSON manifest, StableHLO, safetensors.

Nodes are the better form: the first call of what is loaded costs less (six layers: 0.01 s of processor time, as
StableHLO 0.17 s), they are differentiated to any order, and no parser of XLA reads a file. The manifest is for what
they do not hold: StableHLO, which is run on request only where it comes without one; functions that are left out;
containers that TensorFlow's files know otherwise.

The manifest holds the tree of objects: modules, containers and variables; for each function its signatures, and for
each of these which variables it reads and writes, and its file. Nothing in it is executed as code but StableHLO.
"""

import functools
import inspect

import jax

from tfcompat import dtypes, engine
from tfcompat._core.dependencies import Trackable
from tfcompat._core.graphs import in_session
from tfcompat._core.module import Module
from tfcompat._core.spec import TypeSpec
from tfcompat._core.variable import Variable
from tfcompat._package.logging import logger
from tfcompat._tracing.assertions import Report
from tfcompat._tracing.effects import Effects
from tfcompat._version import __version__
from tfcompat.errors import UnimplementedError
from tfcompat.function import ConcreteFunction, Function
from tfcompat.saved_model._files import FORMAT, VERSION, Folder
from tfcompat.saved_model._graph_load import Asset, Resource
from tfcompat.saved_model._graph_save import GraphWriter
from tfcompat.saved_model._nest_as_json import encode, encode_text
from tfcompat.saved_model._options import SaveOptions
from tfcompat.saved_model._restored import RestoredConcreteFunction, RestoredFunction, UserObject
from tfcompat.saved_model._traces import Traces, identity, variable_saved
from tfcompat.train._checkpoint import Checkpoint
from tfcompat.train._objects import children, is_trackable

_PLATFORMS = ("cpu", "cuda", "tpu")
_FUNCTIONS = Function | ConcreteFunction | RestoredFunction
_OBJECTS = Module | Trackable | Checkpoint


@in_session
def save(obj, export_dir, signatures=None, options=None):
    """Saves a module: its variables, and its `tf.function`s as they have been traced or as their signatures say.

    Args:
      obj: tf.Module, tf.train.Checkpoint, Keras model, or a Keras 3 model or export archive. Its attributes are saved
        as far as they are variables, modules, `tf.function`s, or lists, tuples and dicts of these.
      export_dir: directory, made if it is missing. A model that it holds is replaced once all is written.
      signatures: function or dict of functions with an input_signature, found as `loaded.signatures`. By default the
        one function among the attributes that has an `input_signature` and returns tensors, if there is only one; of a
        Keras model that has been called or built, the forward pass.
      options: SaveOptions.

    Raises:
      ValueError: `obj` is not a module; a signature is no `tf.function`.
      tf.errors.UnimplementedError: a function cannot be exported for the unknown sizes in its signature, or takes
        or returns something that cannot be saved.

    TF: `tf.saved_model.save`. What TF's files cannot hold is left out of them, named in the log at level INFO, and with
    the reason in the manifest under `not_for_tensorflow`.
    """
    if not isinstance(obj, _OBJECTS):
        raise ValueError(
            "Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the `Trackable` "
            f"class, for export. Got {obj} with type {type(obj)}."
        )
    if hasattr(obj, "_save_as_saved_model") and obj._save_as_saved_model(export_dir, signatures, options):
        return
    folder, options = Folder(export_dir), options or SaveOptions()
    traces = Traces()
    graph = GraphWriter(obj, _children_in_graph, traces, options.gradient_order, options.experimental_custom_gradients)
    signatures = _all_signatures(obj, signatures, traces)
    graph.sign(signatures)
    names = {graph.alias(_aliased(name, function)): name for name, function in options.function_aliases.items()}
    names.pop(None, None)  # of functions that are left out
    writer, numbers = None, {}
    if not graph.is_whole:
        writer = _Writer(options, traces)
        try:
            writer.add(obj)
            numbers = {name: writer.add(function) for name, function in signatures.items()}
            aliases = {name: writer.add(function) for name, function in options.function_aliases.items()}
        except UnimplementedError as error:
            if graph.left_out and graph.has_steps:
                name, reason = next(iter(graph.left_out.items()))
                raise UnimplementedError(
                    None, None, f"{error.message}, and TensorFlow has no nodes for {name}: {reason}"
                ) from None
            if graph.left_out or not (graph.is_copy or graph.has_steps):
                raise
            writer = None  # StableHLO does not hold it, but TensorFlow's nodes do
    for name, reason in graph.left_out.items():
        logger.info("tf.saved_model.save: TensorFlow will not find %s in %s: %s", name, folder, reason)
    # Only the disk can fail from here on.
    with folder.saving():
        if writer is None:
            graph.write(str(folder), names)
            folder.finish(None)
            return
        files = {name: folder.put("functions", ".stablehlo", data) for name, data in writer.files.items()}
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "tfcompat": __version__,
            "jax": jax.__version__,
            "variables": folder.put_arrays(writer.arrays),
            "files": files,
            "signatures": numbers,
            "objects": writer.objects,
            "not_for_tensorflow": graph.left_out,
        }
        if aliases:
            manifest["aliases"] = aliases
        folder.finish(manifest)  # the new model counts
        graph.write(str(folder), names)


def _aliased(name, function):
    if not isinstance(function, _FUNCTIONS):
        raise TypeError(
            f"tf.saved_model.save: function_aliases[{name!r}] must be a tf.function or a concrete function, got "
            f"{function!r}"
        )
    return function


def _named_signatures(signatures):
    named = dict(signatures) if isinstance(signatures, dict) else {"serving_default": signatures}
    for name, function in named.items():
        if isinstance(function, RestoredConcreteFunction):
            named[name] = function = function._function
        if not isinstance(function, _FUNCTIONS):
            raise ValueError(
                "Expected a TensorFlow function for which to generate a signature, but got "
                f"{function} of type {type(function).__name__} for signature {name!r}. Decorate it with @tf.function."
            )
        if isinstance(function, Function) and function.input_signature is None:
            if len(function._signatures()) != 1:
                raise ValueError(
                    f"The function for signature {name!r} needs an input_signature, or exactly one trace; it has "
                    f"{len(function._signatures())}. Pass f.get_concrete_function(...)."
                )
    return named


def _all_signatures(obj, signatures, traces):
    """Dict from names to the functions that are signatures: those given, else those found."""
    if signatures is None:
        signatures = _default_signature(obj)
    return _named_signatures(signatures) if signatures is not None else _only_signature(obj, traces)


def _only_signature(obj, traces):
    """The function that is the signature of a module without others, by the name of this signature."""
    found = []
    for _, function in _children(obj):
        has_signature = isinstance(function, Function) and function.input_signature is not None
        if has_signature or isinstance(function, ConcreteFunction):
            ((args, kwargs),) = traces.signatures(function)
            results = traces.by_rank(function, args, kwargs, lambda shapes, arguments, traced: traced.specs())
            if _is_result_of_signature(next(iter(results.values()))):
                found.append(function)
    return {"serving_default": found[0]} if len(found) == 1 else {}


def _default_signature(obj):
    """The function that a Keras 3 model names as its signature; None if asking for it raises, as in TF."""
    try:
        function = getattr(obj, "_default_save_signature", None)
        fits = not isinstance(function, Function) or function._python_signature is not None  # TypeError if not
        return function if fits else None
    except Exception:
        return None


class _Writer:
    """Collects the tree of objects, their arrays and the exported functions."""

    def __init__(self, options, traces):
        self.options, self._traces = options, traces
        self.objects, self.arrays, self.files = [], {}, {}
        self._numbers, self._alive = {}, []
        self._sites: list = []  # of the conditions in the functions: code, and what else is known of each

    def add(self, obj):
        """The number of an object in the manifest."""
        obj = variable_saved(obj)
        known = self._numbers.get(identity(obj))
        if known is not None:
            return known
        number = self._numbers[identity(obj)] = len(self.objects)
        self._alive.append(obj)
        entry: dict = {}
        self.objects.append(entry)
        if isinstance(obj, Variable):
            self._variable(entry, obj, number)
        elif isinstance(obj, _FUNCTIONS):
            self._function(entry, obj)
        elif isinstance(obj, Report):
            entry.update(kind="report", at_once=obj.at_once, sites=self._sites)
        elif isinstance(obj, dict):
            children = [[_key(k), self.add(v)] for k, v in obj.items() if _is_tracked(v)]
            entry.update(kind="dict", children=children)
        elif isinstance(obj, list | tuple):
            kind = "list" if isinstance(obj, list) else "tuple"
            entry.update(kind=kind, children=[self.add(v) if _is_tracked(v) else None for v in obj])
        else:
            children: dict = {}
            entry.update(kind="module", children=children)
            # Exporting a function may create variables.
            while new := [(k, v) for k, v in _children(obj) if k not in children]:
                children.update((k, self.add(v)) for k, v in new)
        return number

    def _variable(self, entry, variable, number):
        shape = variable.shape
        entry.update(
            kind="variable", name=variable.name, dtype=variable.dtype.name, trainable=variable.trainable,
            shape=None if shape.rank is None else shape.as_list(),
            synchronization=variable.synchronization.value, aggregation=variable.aggregation.value,
        )  # fmt: skip
        value = engine.array_of(variable._current_node())
        if variable.dtype is dtypes.string:
            entry["text"] = encode_text(value)
        else:
            self.arrays[f"variable/{number}"] = value

    def _function(self, entry, function):
        entry.update(kind="function", name=function.name, parameters=_parameters(function), concrete=[])
        for args, kwargs in self._traces.signatures(function):
            entry["concrete"].append(self._concrete(function, args, kwargs))

    def _concrete(self, function, args, kwargs):
        arguments = encode((args, kwargs), f"the signature of {function.name}")

        def export(gradient, shapes, arguments, traced):
            return self._export(function, shapes, arguments, traced, gradient)

        # JAX cannot differentiate every loop for unknown sizes.
        uses = [functools.partial(export, gradient) for gradient in (True, False)]
        variants = list(self._traces.by_rank(function, args, kwargs, *uses).values())
        return {"args": arguments, "variants": variants}

    def _export(self, function, shapes, arguments, traced, gradient):
        if any(isinstance(v, Effects) for v in traced.variables):
            raise UnimplementedError(
                None, None,
                f"tf.saved_model.save: {function.name} calls Python (tf.py_function, tf.numpy_function, a print in "
                "a branch or loop), which cannot be exported",
            )  # fmt: skip
        if traced.operation.step is not None:
            raise UnimplementedError(
                None, None, f"tf.saved_model.save: {function.name} has text, or sizes that depend on values, which "
                "StableHLO cannot have"
            )  # fmt: skip
        constants = [engine.array_of(node) for node in traced.captures]
        avals = [*arguments.avals, *(v._current_node().aval for v in traced.variables), *constants]
        inputs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
        with jax.enable_x64(True):
            with engine.conditions.noting_codes() as codes:
                exported = _exported(traced.operation.fn, inputs)
            known = {site[0] for site in self._sites}
            self._sites += [[code, *engine.conditions.sites[code]] for code in sorted(codes - known)]
            data, gradient = self._serialized(exported, traced.has_custom_gradient, gradient)
        name = str(len(self.files))
        self.files[name] = bytes(data)
        numbers = []
        for constant in constants:
            numbers.append(f"constant/{len(self.arrays)}")
            self.arrays[numbers[-1]] = constant
        return {
            "file": name,
            "ranks": [len(s) for s in shapes],
            "reads": [self.add(v) for v in traced.variables],
            "writes": [self.add(v) for v in traced.assigned],
            "constants": numbers,
            "result": encode(traced.specs(), f"the result of {function.name}"),
            "gradient": gradient,
        }

    def _serialized(self, exported, has_custom_gradient, gradient):
        """(bytes, whether the function can be differentiated, which is tried if `gradient`)."""
        if gradient and (self.options.experimental_custom_gradients or not has_custom_gradient):
            try:
                return exported.serialize(vjp_order=self.options.gradient_order), True
            except (LookupError, NotImplementedError):
                pass  # an op in it has no gradient
        return exported.serialize(vjp_order=0), False


def _exported(fn, inputs):
    try:
        return jax.export.export(jax.jit(fn), platforms=_PLATFORMS)(*inputs)
    except NotImplementedError:  # an operation that some platform lacks
        return jax.export.export(jax.jit(fn))(*inputs)


def _is_result_of_signature(result):
    """Whether results are tensors by name, or in a list."""
    if hasattr(result, "_asdict"):
        result = result._asdict()
    if not isinstance(result, dict):
        result = {f"output_{i}": x for i, x in enumerate(result if isinstance(result, list | tuple) else [result])}
    return bool(result) and all(isinstance(k, str) and isinstance(x, TypeSpec) for k, x in result.items())


def _is_tracked(value):
    if isinstance(value, dict):
        return any(map(_is_tracked, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_is_tracked, value))
    return isinstance(value, Variable | _OBJECTS | _FUNCTIONS)


def _key(key):
    if type(key) not in (str, int, bool, float):
        raise ValueError(f"tf.saved_model.save: keys of dicts must be strings or numbers, got {key!r}")
    return key


def own_functions(obj):
    """(name, function) for each of an object's functions that are saved."""
    return [(name, value) for name, value in _children(obj) if isinstance(value, _FUNCTIONS)]


def _children(module):
    """Attributes that are saved: functions of the class, variables, modules, containers of these."""
    if isinstance(module, Trackable):
        for name, value in sorted(module._trackable_children("savedmodel", cache={}).items()):
            if _is_tracked(value):
                yield name, value
        return
    for name in sorted({n for cls in type(module).__mro__ for n in vars(cls)}):
        if isinstance(inspect.getattr_static(module, name), Function):
            yield name, getattr(module, name)
    attributes = vars(module)
    if isinstance(module, Checkpoint):
        attributes = {
            name: value for name, value in attributes.items() if not name.startswith("_") or name == "__call__"
        }
        if module._root is not None:
            attributes.update(_children(module._root))
    untracked = vars(module).get("_untracked_names", ())
    for name, value in sorted(attributes.items()):
        if name not in untracked and _is_tracked(value):
            yield name, value


def _parameters(function):
    """The Python signature: name, kind and, where it can be saved, default of each parameter."""
    signature = function._python_signature
    if signature is None:
        return None
    result = []
    for p in signature.parameters.values():
        entry = {"name": p.name, "kind": int(p.kind)}
        if p.default is not p.empty:
            try:
                entry["default"] = encode(p.default, "a default")
            except UnimplementedError:
                pass
        result.append(entry)
    return result


def _children_in_graph(obj):
    """(name, object) of what TensorFlow's file holds of an object: also tables and files of a model that was read."""
    if isinstance(obj, dict):
        pairs = [(k, v) for k, v in obj.items() if isinstance(k, str) and _is_in_graph(v)]
    elif isinstance(obj, list | tuple):
        pairs = [(str(i), v) for i, v in enumerate(obj) if _is_in_graph(v)]
    else:
        pairs = list(_children(obj)) if isinstance(obj, _OBJECTS) else []
        if not isinstance(obj, Checkpoint):  # what a checkpoint holds, under the names that it has there
            names = {name for name, _ in pairs}
            pairs += [(name, child) for name, child in children(obj) if name not in names]
        if isinstance(obj, UserObject):
            pairs += [(k, v) for k, v in vars(obj).items() if isinstance(v, Asset | Resource)]
    return pairs


def _is_in_graph(value):
    return isinstance(value, Asset | Resource) or _is_tracked(value) or is_trackable(value)
