"""TensorFlow's own SavedModels: the objects and functions of `saved_model.pb`."""

import functools
import inspect
import os
import re
import warnings

import numpy as np

from tfcompat import dtypes, nest
from tfcompat._core.convert import convert_to_tensor, host_constant
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor, wrap
from tfcompat._core.variable import Variable
from tfcompat._core.variable_context import VariableAggregation, VariableSynchronization
from tfcompat._formats.damage import refusing
from tfcompat._formats.texts import from_text
from tfcompat.errors import DataLossError, InvalidArgumentError, NotFoundError, UnimplementedError
from tfcompat.function import Function
from tfcompat.raw_ops._tables import HashTable
from tfcompat.saved_model import _graph_files
from tfcompat.saved_model._frames import name_of
from tfcompat.saved_model._graph_files import CHECKPOINT, FILE
from tfcompat.saved_model._graph_functions import Captured, Library, array_of, in_order, run_nodes
from tfcompat.saved_model._messages import SavedModel
from tfcompat.saved_model._restored import (
    CallableUserObject,
    Concrete,
    RestoredFunction,
    Signature,
    SignatureMap,
    UserObject,
)
from tfcompat.saved_model._structured import decode, to_shape
from tfcompat.train._bundle import Reader
from tfcompat.train._objects import GRAPH_KEY, VALUE, parsed

INITIALIZER = "__saved_model_init_op"  # the signature of what initializes tables
_LIMIT = 2 << 30  # bytes of the file, that of protocol buffers
_LISTS = {"trackable_list_wrapper", "trackable_tuple_wrapper", "trackable_dict_wrapper"}
# Ops that compute on the host, or whose results have sizes that depend on values or are not told by a rule: a function
# of them is not traced.
ON_HOST = re.compile(
    ".*String.*|.*Regex.*|.*HashTable.*|LookupTable.*|InitializeTable.*|Unicode.*|AsString|ReduceJoin|Decode.*|Parse.*|"
    "RaggedTensorTo.*|Unique.*|Where|ListDiff|XlaCallModule"
)


def read(path):
    """The message of a file, or of one in the text form beside it; OSError if it is none.

    A save that was interrupted is finished first.
    """
    _graph_files.complete(os.path.dirname(path))
    is_text = not os.path.exists(path) and os.path.exists(path + "txt")
    path += "txt" if is_text else ""
    try:
        if os.path.getsize(path) > _LIMIT:
            raise ValueError("it is too large")
        with open(path, "rb") as file:
            data = file.read()
        return from_text(SavedModel, data.decode()) if is_text else SavedModel.FromString(data)
    except FileNotFoundError:
        raise OSError(f"SavedModel file does not exist at: {os.path.dirname(path)}") from None
    except ValueError as error:
        raise OSError(f"Cannot parse file {path}: {error}.") from error


def asset_path(folder, name):
    """The path of a file in the folder `assets` of a model; OSError if it leads out of that."""
    root = os.path.normpath(os.path.join(folder, "assets"))
    path = os.path.normpath(os.path.join(root, name))
    inside = os.path.realpath(path).startswith(os.path.realpath(root) + os.sep)
    if not path.startswith(root + os.sep) or not inside:
        raise OSError(f"Cannot parse file {folder}/{FILE}: the asset {name!r} is not in its folder.")
    return path


def load_graph(folder, tags=None, stablehlo=False, with_aliases=False):
    """The objects of a model that TensorFlow saved.

    Args:
      folder: path of the directory.
      tags: None, a tag or a list of them.
      stablehlo: whether StableHLO programs in it are run.
      with_aliases: whether the functions that have an alias are in the attribute `function_aliases`, by these names.

    Raises:
      OSError: its file cannot be read.
      RuntimeError: there is no graph with these tags.
    """
    path = os.path.join(folder, FILE)
    graphs = read(path).meta_graphs
    wanted = None if tags is None else {tags} if isinstance(tags, str) else set(tags)
    if wanted is not None:
        graphs = [graph for graph in graphs if set(graph.meta_info_def.tags) == wanted]
    if not graphs:
        raise RuntimeError(f"MetaGraphDef associated with tags {tags} could not be found in SavedModel.")
    if wanted is None and len(graphs) > 1:
        all_tags = [list(graph.meta_info_def.tags) for graph in graphs]
        raise ValueError(f"Importing a SavedModel with tf.saved_model.load requires a `tags=` argument: {all_tags}")
    with refusing(f"Cannot parse file {path}: it", OSError, TypeError, ValueError):
        reader = _Reader(folder, graphs[0], stablehlo)
        if not graphs[0].object_graph_def.nodes:
            return reader.root_of_v1()
        root = reader.root()
        if with_aliases:
            vars(root)["function_aliases"] = reader.aliases()
        return root


def checkpoint_keys(folder, graph):
    """Dict from names of the variables of a MetaGraphDef with objects to their keys in the checkpoint."""
    reader = _Reader(folder, graph, False)
    return {
        node.variable.name: reader._keys[number][VALUE]
        for number, node in enumerate(reader.nodes)
        if node.WhichOneof("kind") == "variable" and VALUE in reader._keys.get(number, {})
    }


_NOT_TRACED = (dtypes.string, dtypes.resource, dtypes.variant)


class GraphConcrete(Concrete):
    """One signature of a function of a graph.

    Args:
      library: Library.
      name: of the function in it.
      args, kwargs: with TensorSpecs in place of tensors.
      result: with TensorSpecs in place of tensors.
      captured: function without arguments that lists what the function takes after its arguments.
      reader: what has read the graph; None for a signature of TensorFlow 1.
    """

    def __init__(self, library, name, args, kwargs, result, captured, reader=None):
        self.name, self.args, self.kwargs, self.result = name, args, kwargs, result
        self._library, self._captured, self.reader = library, captured, reader
        specs = nest.flatten((args, kwargs), expand_composites=True)
        self._specs = [x for x in specs if isinstance(x, TensorSpec)]

    @functools.cached_property
    def captured(self):
        """What the function takes after its arguments: variables, tables, tensors."""
        return self._captured()

    @property
    def variables(self):
        """The variables that it takes."""
        return tuple(x for x in self.captured if isinstance(x, Variable))

    @property
    def constants(self):
        """The nodes of the tensors that it takes."""
        return [x._node for x in self.captured if isinstance(x, Tensor)]

    @functools.cached_property
    def _function(self):
        def run(*tensors):
            return tuple(self._library.call(self.name, [*tensors, *self.captured]))

        run.__name__ = self.name
        types = [x.dtype for x in nest.flatten((self._specs, self.result), expand_composites=True)
                 if isinstance(x, TensorSpec)]  # fmt: skip
        ops = self._library._ops_of(self.name)
        if any(dtype in _NOT_TRACED for dtype in types) or any(map(ON_HOST.fullmatch, ops)):
            return run
        return Function(run, [TensorSpec(spec.shape, spec.dtype) for spec in self._specs], autograph=False)

    def call(self, nodes):
        """The result for the nodes of the tensors."""
        try:
            results = iter(self._function(*map(wrap, nodes)))
        except ValueError as error:  # of a trace for sizes that the signature allows, but not the ops
            if isinstance(error.__cause__, InvalidArgumentError):
                raise error.__cause__ from None
            raise
        leaves = nest.flatten(self.result, expand_composites=True)
        flat = [next(results) if isinstance(leaf, TensorSpec) else leaf for leaf in leaves]
        return nest.pack_sequence_as(self.result, flat, expand_composites=True)


class Asset:
    """A file beside the graph. TF: `tf.saved_model.Asset`."""

    def __init__(self, path):
        self.path = path
        self.asset_path = host_constant(np.array(path.encode(), object))


class Resource:
    """A table that functions of the model have made and filled; `functions` are these, by name."""

    def __init__(self, handle, functions):
        self.resource_handle, self.functions = handle, functions


class _Reader:
    """Builds the objects of a graph."""

    def __init__(self, folder, graph, stablehlo):
        self.folder, self.graph = folder, graph
        self.nodes = graph.object_graph_def.nodes
        self.library = Library(graph.graph_def, os.path.join(folder, FILE), stablehlo)
        self.concrete = graph.object_graph_def.concrete_functions
        self._graph_nodes = {node.name: node for node in graph.graph_def.node}
        self.objects: dict = {}
        self._functions, self._left_out = [], {}
        prefix = os.path.join(folder, CHECKPOINT)
        self._reader = Reader(prefix) if os.path.exists(prefix + ".index") else None
        self._keys = self._checkpoint_keys()
        for name, concrete in self.concrete.items():
            self.library.gradient_inputs[name] = functools.partial(self._bound, name)
            result = concrete.output_signature
            if result.WhichOneof("kind") in ("list_value", "tuple_value"):
                values = getattr(result, result.WhichOneof("kind")).values
                self.library.gradient_structure[name] = [v.WhichOneof("kind") != "none_value" for v in values]

    # --- values of variables --------------------------------------------------------------------------------------

    def _checkpoint_keys(self):
        """Dict from numbers of objects to dicts from names of their parts to keys of the checkpoint."""
        if self._reader is None or GRAPH_KEY not in self._reader or not self.nodes:
            return {}
        saved = parsed(self._reader.read(GRAPH_KEY).item())
        keys: dict = {}
        todo, seen = [(0, 0)], set()
        while todo:
            number, place = todo.pop()
            if number in seen:
                continue
            seen.add(number)
            keys[number] = saved[place].attributes
            children = saved[place].children
            for child in self._node(number).children:
                if child.local_name in children:
                    todo.append((child.node_id, children[child.local_name]))
            slots = {(of, name): slot for of, name, slot in saved[place].slots}
            for slot in self._node(number).slot_variables:
                for (of, name), at in slots.items():
                    if name == slot.slot_name and self._same(of, slot.original_variable_node_id, saved, keys):
                        todo.append((slot.slot_variable_node_id, at))
        return keys

    def _same(self, place, number, saved, keys):
        return number in keys and saved[place].attributes == keys[number]

    def _node(self, number):
        if not 0 <= number < len(self.nodes):
            raise OSError(f"Cannot parse file {self.folder}/{FILE}: there is no object {number}.")
        return self.nodes[number]

    # --- objects --------------------------------------------------------------------------------------------------

    def root(self):
        root = self.object(0)
        if not isinstance(root, UserObject):
            holder = UserObject()
            vars(holder)["root"] = root
            root = holder
        signatures = vars(root).get("signatures")
        root.signatures = SignatureMap(signatures if isinstance(signatures, dict) else {})
        root.tensorflow_version = self.graph.meta_info_def.tensorflow_version
        root.tensorflow_git_version = self.graph.meta_info_def.tensorflow_git_version
        self._run_initializer()
        self._tell_of_missing()
        return root

    def aliases(self):
        """Dict from aliases to functions."""
        named = self.graph.meta_info_def.function_aliases
        return {
            named[name]: self.object(number)
            for number, node in enumerate(self.nodes) if node.WhichOneof("kind") == "function"
            for name in node.function.concrete_functions if name in named
        }  # fmt: skip

    def object(self, number):
        """The object with this number."""
        if number not in self.objects:
            node = self._node(number)
            kind = node.WhichOneof("kind") or "user_object"
            getattr(self, f"_{kind}")(number, node, getattr(node, kind))
        return self.objects[number]

    def _user_object(self, number, node, user_object):
        identifier = user_object.identifier
        children = [(child.local_name, child.node_id) for child in node.children]
        if identifier in _LISTS:
            return self._container(number, identifier, children)
        if identifier == "signature_map":
            result = self.objects[number] = {}
            for name, child in children:
                result[name] = Signature(self.object(child))
            return None
        names = {name for name, _ in children}
        made = self.objects[number] = CallableUserObject() if "__call__" in names else UserObject()
        for name, child in children:
            vars(made)[name] = self.object(child)
        return None

    def _container(self, number, identifier, children):
        if identifier == "trackable_dict_wrapper":
            result = self.objects[number] = {}
            result.update((name, self.object(child)) for name, child in children)
            return
        items = sorted((int(name), child) for name, child in children if name.isdigit())
        result = self.objects[number] = []
        result += [self.object(child) for _, child in items]
        if identifier == "trackable_tuple_wrapper":
            self.objects[number] = tuple(result)

    def _variable(self, number, node, variable):
        dtype, name = dtypes.as_dtype(variable.dtype), variable.name
        key = self._keys.get(number, {}).get(VALUE)
        if self._reader is None:
            path = os.path.join(self.folder, CHECKPOINT)
            raise NotFoundError(None, None, f"tf.saved_model.load: {path}.index is missing")
        if key is None:
            raise DataLossError(None, None, f"tf.saved_model.load: the variable {name!r} is not in the checkpoint")
        value = host_constant(self._reader.read(key))
        synchronization = VariableSynchronization(variable.synchronization)
        made = self.objects[number] = Variable(
            value, variable.trainable, name=name or None, dtype=dtype, shape=to_shape(variable.shape),
            synchronization=synchronization, aggregation=VariableAggregation(variable.aggregation),
        )  # fmt: skip
        if synchronization is VariableSynchronization.ON_READ:
            made.assign(value)  # of a sum each replica gets its part
        made._name = name or made._name

    def _constant(self, number, node, constant):
        found = self._graph_nodes.get(constant.operation)
        if found is None:
            raise OSError(f"Cannot parse file {self.folder}/{FILE}: there is no node {constant.operation!r}.")
        self.objects[number] = convert_to_tensor(array_of(found.attr["value"].tensor))

    def _asset(self, number, node, asset):
        self.objects[number] = Asset(self._asset_path(asset.asset_file_def_index))

    def _asset_path(self, index):
        """The path of a file in the folder `assets`."""
        files = self.graph.asset_file_def
        if not 0 <= index < len(files):
            raise OSError(f"Cannot parse file {self.folder}/{FILE}: there is no asset {index}.")
        return asset_path(self.folder, files[index].filename)

    def _resource(self, number, node, resource):
        children = {child.local_name: child.node_id for child in node.children}
        if "_create_resource" not in children:
            raise UnimplementedError(None, None, f"tf.saved_model.load: the resource {number} has nothing to make it")
        made = self.object(children["_create_resource"])()
        handle = made[0] if isinstance(made, list | tuple) else made
        made = self.objects[number] = Resource(handle, {})
        made.functions.update((name, self.object(child)) for name, child in children.items())
        if "_initialize" in children:
            made.functions["_initialize"]()
        keys = self._keys.get(number, {})
        if isinstance(handle, HashTable) and self._reader is not None:
            for key in keys.values():
                base = key.removesuffix("-keys").removesuffix("-values")
                if base + "-keys" in self._reader:
                    handle.items = None if handle.static else {}
                    handle.insert(self._reader.read(base + "-keys"), self._reader.read(base + "-values"))
                    break

    def _captured_tensor(self, number, node, captured):
        self.objects[number] = Captured(captured.name)

    def bound(self, name):
        """The objects that the function takes after its arguments."""
        return [self.object(number) for number in self.concrete[name].bound_inputs]

    def _bound(self, name):
        """What stands for these objects in a call."""
        handles = {Resource: "resource_handle", Asset: "asset_path"}
        return [getattr(x, handles[type(x)]) if type(x) in handles else x for x in self.bound(name)]

    # --- functions ------------------------------------------------------------------------------------------------

    def _function(self, number, node, saved):
        names = list(saved.concrete_functions)
        function = self.objects[number] = RestoredFunction(_name(names), _signature_of(saved.function_spec))
        for name in names:
            try:
                function._concrete.append(self._concrete_function(name))
            except UnimplementedError as error:  # an iterator, or a type that this program does not define
                self._left_out[f"{error.message}"] = [name]

    def _bare_concrete_function(self, number, node, saved):
        name = saved.concrete_function_name
        function = self.objects[number] = RestoredFunction(_name([name]), None)
        function._concrete.append(self._concrete_function(name))

    def _concrete_function(self, name):
        concrete = self.concrete.get(name)
        if concrete is None or name not in self.library.functions:
            raise OSError(f"Cannot parse file {self.folder}/{FILE}: there is no function {name!r}.")
        self._functions.append(name)
        args, kwargs = decode(concrete.canonicalized_input_signature) or ((), {})
        result = decode(concrete.output_signature)
        return GraphConcrete(self.library, name, args, kwargs, result, functools.partial(self._bound, name), self)

    def _tell_of_missing(self):
        missing = self._left_out | self.library.missing_from(dict.fromkeys(self._functions))
        for op in self.library.refused.keys() & missing.keys():
            missing[f"{op} (refused: {self.library.refused[op]})"] = missing.pop(op)
        if missing:
            lines = "".join(f"\n  {op}: {', '.join(names)}" for op, names in sorted(missing.items()))
            warnings.warn(
                f"tf.saved_model.load: {self.folder} has functions with ops that are not available in tfcompat, which "
                f"raise UnimplementedError when they are called; others work:{lines}", stacklevel=4,
            )  # fmt: skip

    def _run_initializer(self):
        """Runs the function, or the node, that the model has for it."""
        signature = self.graph.signature_def.get(INITIALIZER)
        if signature is None or self.nodes:
            return  # resources are filled when they are made
        for info in signature.outputs.values():
            self._run_node(info.name.partition(":")[0])

    # --- graphs of TensorFlow 1 -----------------------------------------------------------------------------------

    def root_of_v1(self):
        """A module with the signatures of a graph without objects."""
        root = UserObject()
        self._states = self._variables_of_graph()
        signatures = {}
        for key, signature in self.graph.signature_def.items():
            if not key.startswith("__"):
                signatures[key] = self._v1_signature(key, signature)
        for key, signature in signatures.items():
            for op in signature._concrete._library._ops_of(key):
                if not self.library.has_op(op):
                    self._left_out.setdefault(op, []).append(key)
        self._tell_of_missing()
        for name in self._initializers():
            self._run_node(name)
        root.variables_ = [v for v in self._states.values() if isinstance(v, Variable)]
        root.signatures = SignatureMap(signatures)
        root.graph_variables = root.variables_
        root.tensorflow_version = self.graph.meta_info_def.tensorflow_version
        return root

    def _initializers(self):
        for key in ("saved_model_main_op", "legacy_init_op"):
            if key in self.graph.collection_def:
                yield from self.graph.collection_def[key].node_list.value
        if INITIALIZER in self.graph.signature_def:
            for info in self.graph.signature_def[INITIALIZER].outputs.values():
                yield info.name.partition(":")[0]

    def _variables_of_graph(self):
        """Dict from names of nodes that hold variables to the variables."""
        states: dict = {}
        for node in self.graph.graph_def.node:
            if node.op in ("VarHandleOp", "VariableV2", "Variable"):
                key = node.attr["shared_name"].s.decode() or node.name if node.op == "VarHandleOp" else node.name
                if self._reader is None or key not in self._reader:
                    continue
                states[node.name] = Variable(self._reader.read(key), name=key)
            elif node.op in ("HashTableV2", "MutableHashTableV2", "HashTable", "MutableHashTable"):
                (states[node.name],) = self.library.node(node, 0)[0]([])
        return states

    def _v1_signature(self, key, signature):
        inputs = {name: signature.inputs[name] for name in sorted(signature.inputs)}
        specs = {n: TensorSpec(to_shape(i.tensor_shape), dtypes.as_dtype(i.dtype), n) for n, i in inputs.items()}
        outputs = {n: TensorSpec(to_shape(i.tensor_shape), dtypes.as_dtype(i.dtype), n)
                   for n, i in sorted(signature.outputs.items())}  # fmt: skip
        fed = [info.name for info in inputs.values()]
        wanted = [signature.outputs[name].name for name in outputs]
        function = RestoredFunction(key, None)
        library = _V1Function(self, fed, wanted)
        function._concrete.append(GraphConcrete(library, key, (), specs, outputs, list))
        return Signature(function)

    def _run_node(self, name):
        """Runs a node with effects, of an initializer."""
        arguments = {n: i for i, n in enumerate(self._states)} if hasattr(self, "_states") else {}
        nodes = in_order(self.library, self._v1_nodes(arguments), arguments, [], [name])
        run_nodes(self.library, nodes, [], [self._states[n] for n in arguments])

    def _v1_nodes(self, arguments):
        return [node for node in self.graph.graph_def.node if node.name not in arguments]


class _V1Function:
    """A signature of a graph without functions, as a library of one function."""

    def __init__(self, reader, fed, wanted):
        self._reader, self._fed, self._wanted = reader, fed, wanted

    @functools.cached_property
    def _prepared(self):
        with refusing(f"{self._reader.folder}: the graph", ValueError):
            return self._prepare()

    def _prepare(self):
        reader = self._reader
        names = [*[name.partition(":")[0] for name in self._fed], *reader._states]
        arguments = {name: i for i, name in enumerate(names)}
        nodes = in_order(reader.library, reader._v1_nodes(arguments), arguments, self._wanted, [])
        places = {node.name: i for i, node in enumerate(nodes)}
        results = []
        for name in self._wanted:
            node, _, number = name.partition(":")
            results.append((-1, arguments[node]) if node in arguments else (places[node], int(number or 0)))
        return nodes, results

    def call(self, name, arguments):
        """The list of results."""
        nodes, results = self._prepared
        return run_nodes(self._reader.library, nodes, results, [*arguments, *self._reader._states.values()])

    def _ops_of(self, name):
        """The ops that it needs, also within functions."""
        reader, ops, seen = self._reader, set(), set()
        todo = [source.partition(":")[0] for source in self._wanted]
        while todo:
            node = reader._graph_nodes.get(todo.pop())
            if node is None or node.name in seen or node.name in reader._states:
                continue
            seen.add(node.name)
            ops.add(node.op)
            ops.update(*map(reader.library._ops_of, reader.library._called(node)))
            todo += [name_of(source) for source in node.input]
        return ops


def _name(names):
    """The Python name of a function, as far as TensorFlow's names tell."""
    name = names[0] if names else "function"
    name = name.removeprefix("__inference_").removeprefix("signature_wrapper_")
    base, _, number = name.rpartition("_")
    return base if base and number.isdigit() else name


def _signature_of(spec):
    """The inspect.Signature of a FunctionSpec; None if it is not known."""
    full = decode(spec.fullargspec)
    if not hasattr(full, "args"):
        return None
    names = list(full.args)
    if names[:1] == ["self"]:
        names = names[1:]
    defaults = list(full.defaults or ())
    empty, kind = inspect.Parameter.empty, inspect.Parameter
    padded = [empty] * (len(names) - len(defaults)) + defaults[-len(names) :] if names else []
    try:
        parameters = [
            kind(name, kind.POSITIONAL_OR_KEYWORD, default=default)
            for name, default in zip(names, padded, strict=True)
        ]
        if full.varargs:
            parameters.append(kind(full.varargs, kind.VAR_POSITIONAL))
        fixed = full.kwonlydefaults or {}
        parameters += [
            kind(name, kind.KEYWORD_ONLY, default=fixed.get(name, empty)) for name in full.kwonlyargs or ()
        ]
        if full.varkw:
            parameters.append(kind(full.varkw, kind.VAR_KEYWORD))
        return inspect.Signature(parameters)
    except (TypeError, ValueError):
        return None
