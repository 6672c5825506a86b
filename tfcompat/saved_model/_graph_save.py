"""`saved_model.pb` for TensorFlow: objects, functions, signatures, and a graph for loaders of TensorFlow 1."""

import copy
import itertools
import os

import numpy as np

from tfcompat import dtypes, engine, nest
from tfcompat._core.spec import TensorSpec, TypeSpec
from tfcompat._core.variable import Variable
from tfcompat._formats.graphs import (
    GraphDef,
    RegisteredGradient,
    VersionDef,
)
from tfcompat._formats.tensors import proto_of
from tfcompat.autograph._errors import cause_of
from tfcompat.errors import UnimplementedError
from tfcompat.function import ConcreteFunction, Function
from tfcompat.saved_model import _graph_files
from tfcompat.saved_model._body import Body, Value
from tfcompat.saved_model._graph_bodies import (
    CapturedValue,
    SavedTable,
    Written,
    write_for_ranks,
    write_traced,
)
from tfcompat.saved_model._graph_functions import STABLEHLO, Captured
from tfcompat.saved_model._graph_load import INITIALIZER, Asset, GraphConcrete, Resource
from tfcompat.saved_model._messages import (
    AssetFileDef,
    CapturedTensor,
    CompositeTensorInfo,
    CooSparse,
    FunctionSpec,
    MetaGraphDef,
    MetaInfoDef,
    NamedTupleOfValues,
    Pair,
    SavedAsset,
    SavedBareConcreteFunction,
    SavedConcreteFunction,
    SavedConstant,
    SavedFunction,
    SavedModel,
    SavedObject,
    SavedObjectGraph,
    SavedResource,
    SavedUserObject,
    SavedVariable,
    SaverDef,
    SignatureDef,
    TensorInfo,
)
from tfcompat.saved_model._restored import RestoredFunction, named_results, names_of_inputs
from tfcompat.saved_model._structured import encode, shape_message, sizes_of
from tfcompat.saved_model._traces import identity, of_all_ranks, specs_in, variable_saved
from tfcompat.sparse._tensor import SparseTensorSpec
from tfcompat.train._objects import GRAPH_KEY, VALUE, ObjectReference, object_graph_of

PRODUCER = 2414  # the version of graphs that TensorFlow 2.21 writes
_VERSION = VersionDef(producer=1, min_consumer=1)


class GraphWriter:
    """Collects what `saved_model.pb` and the checkpoint hold.

    Args:
      root: the object that is saved.
      children: function of an object that lists (name, object) of what is saved of it.
      traces: Traces.
      order: how often StableHLO in functions can be differentiated.
      custom_gradients: whether functions with custom gradients can be.

    Attributes:
      left_out: dict from names of functions that TensorFlow's files cannot hold to reasons.
    """

    def __init__(self, root, children, traces, order, custom_gradients=True):
        self._children_of, self._traces, self._order = children, traces, order
        self._custom_gradients = custom_gradients
        self.written = Written()
        self.left_out: dict = {}
        self.is_copy = False  # whether functions were taken over from a graph that was read
        self.has_steps = False  # whether functions have steps, such as ops of text, which StableHLO cannot have
        self._nodes: list = []     # SavedObjects
        self._numbers: dict = {}   # id of an object -> its number
        self._alive: list = []
        self._variables: dict = {} # number -> Variable
        self._functions: dict = {} # number -> names of concrete functions
        self._graph = Body()
        self._constants, self._assets = itertools.count(), []
        self._copied: dict = {}    # name of a function that was read -> its name here
        self._is_exact = True      # whether containers are read as they are
        self.add(root)

    @property
    def is_whole(self):
        """Whether TensorFlow's nodes say all: nothing is left out, and there is no StableHLO, which tfcompat does not
        run unless it is asked to."""
        return self._is_exact and not (self.left_out or self.written.foreign or self.written.unchecked)

    # --- objects --------------------------------------------------------------------------------------------------

    def add(self, obj):
        """The number of an object; None for a function that is left out."""
        obj = variable_saved(obj)
        key = identity(obj)
        if key in self._numbers:
            return self._numbers[key]
        self._alive.append(obj)
        if isinstance(obj, Function | ConcreteFunction | RestoredFunction):
            return self._function(key, obj)
        number = self._numbers[key] = self._node()
        node = self._nodes[number]
        if isinstance(obj, Variable):
            self._variable(number, node, obj)
        elif isinstance(obj, Resource):
            node.resource.CopyFrom(SavedResource(device=""))
            self._attach(number, obj.functions.items())
        elif isinstance(obj, SavedTable):
            self._table(number, node, obj)
        elif isinstance(obj, Asset):
            self._asset(node, obj)
        else:
            kind = next((n for t, n in _CONTAINERS if isinstance(obj, t)), "_generic_user_object")
            node.user_object.CopyFrom(SavedUserObject(identifier=kind, version=_VERSION))
            children = self._children_of(obj)
            self._attach(number, children)
            # Tracing a function may have created variables.
            self._attach(number, self._children_of(obj))
            if isinstance(obj, dict):  # the file has no keys of another type
                self._is_exact &= all(type(key) is str for key in obj)
            elif isinstance(obj, list | tuple):  # and no places of what is not saved
                self._is_exact &= len(children) == len(obj)
        return number

    def _node(self):
        self._nodes.append(SavedObject())
        return len(self._nodes) - 1

    def _attach(self, number, children):
        names = {child.local_name for child in self._nodes[number].children}
        for name, child in children:
            if str(name) not in names:
                at = self.add(child)
                if at is not None:
                    self._nodes[number].children.append(ObjectReference(node_id=at, local_name=str(name)))

    def _variable(self, number, node, variable):
        if variable.dtype.np is None:
            raise UnimplementedError(None, None, f"tf.saved_model.save: variables of {variable.dtype.name}")
        name = variable.name.removesuffix(":0")
        node.variable.CopyFrom(SavedVariable(
            dtype=variable.dtype.as_datatype_enum, shape=shape_message(sizes_of(variable.shape)),
            trainable=variable.trainable, name=name, synchronization=variable.synchronization.value,
            aggregation=variable.aggregation.value,
        ))  # fmt: skip
        self._variables[number] = variable

    def _table(self, number, node, table):
        node.resource.CopyFrom(SavedResource(device=""))
        scalar = [("_create_resource", table.create, dtypes.resource), ("_initialize", table.fill, dtypes.int32),
                  ("_destroy_resource", table.destroy, dtypes.int32)]  # fmt: skip
        for attribute, name, dtype in scalar:
            self.written.concrete[name] = SavedConcreteFunction(
                canonicalized_input_signature=encode(((), {})), output_signature=encode(TensorSpec([], dtype))
            )
            self.written.bound[name] = [table] if name == table.fill else []
            at = self._node()
            self._nodes[at].function.CopyFrom(
                SavedFunction(concrete_functions=[name], function_spec=_spec_of_names([]))
            )
            node.children.append(ObjectReference(node_id=at, local_name=attribute))

    def _asset(self, node, asset):
        name = os.path.basename(asset.path)
        taken = {each.filename for each, _ in self._assets}
        name = _not_taken(name, taken)
        path = self._graph.constant(np.array(f"assets/{name}".encode(), object), dtypes.string)
        info = TensorInfo(name=_graph_name(path), dtype=dtypes.string.as_datatype_enum, tensor_shape=shape_message([]))
        node.asset.CopyFrom(SavedAsset(asset_file_def_index=len(self._assets)))
        self._assets.append((AssetFileDef(tensor_info=info, filename=name), asset.path))

    def _constant(self, array, dtype):
        """The number of an object that is a tensor."""
        value = self._graph.op("Const", dtype=dtype, value=proto_of(np.asarray(array), dtype))
        number = self._node()
        self._nodes[number].constant.CopyFrom(SavedConstant(operation=value.source.partition(":")[0]))
        return number

    # --- functions ------------------------------------------------------------------------------------------------

    def _function(self, key, function):
        names, signatures = [], self._traces.signatures(function)
        for args, kwargs in signatures:
            try:
                names.append(self._concrete(function, args, kwargs))
            except Exception as error:  # of tracing the user's code, or of JAX
                reason = cause_of(error).strip().splitlines() or [type(error).__name__]
                self.left_out[function.name] = reason[0]
        if signatures and not names:
            self._numbers[key] = None
            return None
        number = self._numbers[key] = self._node()
        spec = _function_spec(function._python_signature)
        self._nodes[number].function.CopyFrom(SavedFunction(concrete_functions=names, function_spec=spec))
        self._functions[number] = names
        return number

    def _concrete(self, function, args, kwargs):
        concretes = getattr(function, "_concrete", None)
        for concrete in concretes if isinstance(concretes, list) else ():
            if concrete.args is args and isinstance(concrete, GraphConcrete) and concrete.reader is not None:
                return self._copy(concrete)
        specs = specs_in(args, kwargs)
        signature = encode((_with_defaults(function._python_signature, args, kwargs), kwargs))

        def write(shapes, arguments, traced):
            self.has_steps |= traced.operation.step is not None
            order = self._order if self._custom_gradients or not traced.has_custom_gradient else 0
            before = self.written.state()
            try:
                name = write_traced(self.written, function.name, traced, arguments.avals, specs, order)
            except Exception:
                self.written.restore(before)
                raise
            return name, traced.specs()

        written = self._traces.by_rank(function, args, kwargs, write)
        result = of_all_ranks([result for _, result in written.values()])
        if None in written:
            name = written[None][0]
        else:
            flat = [x for x in nest.flatten(result, expand_composites=True) if isinstance(x, TensorSpec)]
            variants = {rank: name for rank, (name, _) in written.items()}
            name = write_for_ranks(self.written, function.name, variants, specs, flat)
        self._describe(name, signature, encode(result), (specs, args, kwargs, result))
        return name

    def _describe(self, name, signature, result, for_signatures):
        self.written.concrete[name] = SavedConcreteFunction(
            canonicalized_input_signature=signature, output_signature=result
        )
        self.written.results[name] = for_signatures

    # --- functions that TensorFlow wrote ----------------------------------------------------------------------------

    def _copy(self, concrete):
        """Takes a function that was read, and those that it calls, as they are."""
        self.is_copy = True
        library, reader = concrete._library, concrete.reader
        name = self._copy_function(library, reader, concrete.name)
        if name not in self.written.concrete:
            source = reader.concrete[concrete.name]
            self._describe(
                name, source.canonicalized_input_signature, source.output_signature,
                (concrete._specs, concrete.args, concrete.kwargs, concrete.result),
            )  # fmt: skip
            self.written.bound[name] = reader.bound(concrete.name)
        return name

    def _copy_function(self, library, reader, name):
        key = (id(library), name)
        if key in self._copied:
            return self._copied[key]
        self._alive.append(library)
        taken = self.written.taken
        new = _not_taken(name, taken)
        self._copied[key] = new
        taken.add(new)
        function = library.functions[name]
        calls = {called for node in function.node_def for called in library._called(node)}
        if any(node.op == STABLEHLO for node in function.node_def):
            self.written.foreign[name] = 1
        renamed = {called: self._copy_function(library, reader, called) for called in sorted(calls)}
        renamed[name] = new
        if any(old != now for old, now in renamed.items()):
            function = copy.deepcopy(function)
            function.signature.name = new
            _rename(function.node_def, renamed)
        self.written.functions.append(function)
        marks = {library._gradients[m]: m for m in library._gradients}
        for called in calls & marks.keys():
            if called in reader.concrete and renamed[called] not in self.written.bound:
                source = reader.concrete[called]
                self.written.concrete[renamed[called]] = SavedConcreteFunction(
                    canonicalized_input_signature=source.canonicalized_input_signature,
                    output_signature=source.output_signature,
                )
                self.written.bound[renamed[called]] = [
                    CapturedValue(x.name, new) if isinstance(x, Captured) else x for x in reader.bound(called)
                ]
                self.written.gradients.append((marks[called], renamed[called]))
        return new

    # --- signatures -----------------------------------------------------------------------------------------------

    def sign(self, signatures):
        """Adds signatures: dict from names to functions."""
        children = []
        self._handles: dict = {}
        self._signatures: dict = {}
        self._initializers: list = []
        for key, function in signatures.items():
            number = self.add(function)
            if number is None:
                continue
            name = self._functions[number][0]
            try:
                children.append((key, self._signature(key, name, function)))
            except UnimplementedError as error:
                self.left_out[f"the signature {key}"] = error.message
        number = self._node()
        node = self._nodes[number]
        node.user_object.CopyFrom(SavedUserObject(identifier="signature_map", version=_VERSION))
        for key, child in children:
            node.children.append(ObjectReference(node_id=child, local_name=key))
        self._nodes[0].children.append(ObjectReference(node_id=number, local_name="signatures"))

    def _signature(self, key, inner, function):
        specs, args, kwargs, result = self.written.results[inner]
        names = names_of_inputs(function._python_signature, args, kwargs)
        outputs = named_results(result)
        outputs = {name: outputs[name] for name in sorted(outputs)} if isinstance(result, dict) else outputs
        if not all(isinstance(x, TypeSpec) for x in outputs.values()):
            raise UnimplementedError(None, None, "the results of a signature are tensors, by name or in a list")
        flat = nest.flatten(list(outputs.values()), expand_composites=True)
        order = sorted(range(len(names)), key=names.__getitem__)
        bound = self.written.bound[inner]
        body, wrapper = Body(), self.written.name(f"signature_wrapper_{inner.removeprefix('__inference_')}")
        arguments = [(f"args_{i}", specs[i].dtype, sizes_of(specs[i].shape)) for i in order]
        arguments += [(f"unknown_{i}", _dtype_of_bound(x), None) for i, x in enumerate(bound)]
        values = {name: Value(name, dtype) for name, dtype, _ in arguments}
        inputs = [values[f"args_{i}"] for i in range(len(specs))]
        inputs += [values[f"unknown_{i}"] for i in range(len(bound))]
        kinds = [spec.dtype for spec in flat]
        results = body.effect("StatefulPartitionedCall", inputs, Tout=kinds, f=inner)
        made = [(f"output_{i}", body.op("Identity", value)) for i, value in enumerate(results)]
        self.written.add(wrapper, arguments, body, made, [names[i] for i in order])
        named = {names[i]: TensorSpec(specs[i].shape, specs[i].dtype, names[i]) for i in order}
        answers = {
            name: TensorSpec(spec.shape, spec.dtype, name) if isinstance(spec, TensorSpec) else spec
            for name, spec in outputs.items()
        }
        self.written.concrete[wrapper] = SavedConcreteFunction(
            canonicalized_input_signature=encode(((), named)), output_signature=encode(answers)
        )
        self.written.bound[wrapper] = bound
        number = self._node()
        self._nodes[number].bare_concrete_function.CopyFrom(SavedBareConcreteFunction(
            concrete_function_name=wrapper, argument_keywords=sorted(names), allowed_positional_arguments=len(names),
            function_spec=_spec_of_names(sorted(names)),
        ))  # fmt: skip
        self._in_graph(key, wrapper, [(names[i], specs[i]) for i in order], bound, kinds, answers)
        return number

    def _in_graph(self, key, wrapper, named, bound, kinds, answers):
        """The signature in the graph that loaders of TensorFlow 1 and TensorFlow Serving run."""
        graph = self._graph
        fed = [graph.op("Placeholder", dtype=spec.dtype, shape=spec.shape) for _, spec in named]
        for node, (name, _) in zip(graph.nodes[-len(fed):] if fed else (), named, strict=True):
            node.name = graph.name("".join(c if c.isalnum() else "_" for c in f"{key}_{name}"))
        fed = [Value(f"{node.name}:output:0", value.dtype)
               for node, value in zip(graph.nodes[-len(fed):] if fed else (), fed, strict=True)]  # fmt: skip
        results = graph.op(
            "StatefulPartitionedCall", [*fed, *[self._handle(x) for x in bound]], Tout=kinds, f=wrapper
        )
        results = iter(results)
        self._signatures[key] = SignatureDef(
            inputs={name: _info([value], spec) for (name, spec), value in zip(named, fed, strict=True)},
            outputs={
                name: _info([next(results) for _ in nest.flatten(spec, expand_composites=True)], spec)
                for name, spec in answers.items()
            },
            method_name="tensorflow/serving/predict",
        )

    def _handle(self, obj):
        """What stands for an object in the graph."""
        key = id(obj)
        if key in self._handles:
            return self._handles[key]
        graph = self._graph
        if isinstance(obj, Variable):
            number = self.add(obj)
            name = f"variable_{number}"
            made = graph.op("VarHandleOp", dtype=obj.dtype, shape=obj.shape, shared_name=name)
            graph.nodes[-1].name = name  # as converters expect
            made = Value(f"{name}:resource:0", dtypes.resource)
        elif isinstance(obj, Resource):
            create = obj.functions["_create_resource"]._concrete[0]
            (made,) = graph.op("StatefulPartitionedCall", [], Tout=[dtypes.resource], f=self._copy(create))
            fill = obj.functions.get("_initialize")
            if fill is not None:
                self._handles[key] = made
                concrete = fill._concrete[0]
                taken = [self._handle(x) for x in concrete.reader.bound(concrete.name)]
                results = [x for x in nest.flatten(concrete.result) if isinstance(x, TensorSpec)]
                kinds = [x.dtype for x in results]
                graph.op("StatefulPartitionedCall", taken, Tout=kinds, f=self._copy(concrete))
                self._initializers.append(graph.nodes[-1].name)
        elif isinstance(obj, SavedTable):
            (made,) = graph.op("StatefulPartitionedCall", [], Tout=[dtypes.resource], f=obj.create)
            graph.op("StatefulPartitionedCall", [made], Tout=[dtypes.int32], f=obj.fill)
            self._initializers.append(graph.nodes[-1].name)
        elif isinstance(obj, Asset):
            made = graph.constant(np.array(obj.path.encode(), object), dtypes.string)
        else:
            made = graph.constant(obj.numpy(), obj.dtype)
        self._handles[key] = made
        return made

    # --- files ----------------------------------------------------------------------------------------------------

    def finish(self, aliases):
        """(SavedModel, dict from keys of the checkpoint to (DType, array))."""
        self._bind()
        keys = self._checkpoint_keys()
        tensors = {
            keys[number]: (v.dtype, engine.array_of(v._current_node())) for number, v in self._variables.items()
        }
        parents = [[(c.local_name, c.node_id) for c in node.children] for node in self._nodes]
        names = {n: v.name.removesuffix(":0") for n, v in self._variables.items()}
        tensors[GRAPH_KEY] = (dtypes.string, np.array(object_graph_of(parents, keys, names), object))
        saver = self._saver(keys)
        graph = GraphDef(node=list(map(_with_graph_names, self._graph.nodes)), versions=VersionDef(producer=PRODUCER))
        graph.library.function.extend(self.written.functions)
        for mark, name in self.written.gradients:
            graph.library.registered_gradients.append(
                RegisteredGradient(gradient_func=name, registered_op_type=mark)
            )
        meta = MetaGraphDef(
            meta_info_def=MetaInfoDef(
                tags=["serve"], tensorflow_version="2.21.0", tensorflow_git_version="tfcompat",
                function_aliases=aliases,
            ),
            graph_def=graph, saver_def=saver, signature_def=self._signatures,
            asset_file_def=[asset for asset, _ in self._assets],
            object_graph_def=SavedObjectGraph(nodes=self._nodes, concrete_functions=self.written.concrete),
        )  # fmt: skip
        return SavedModel(saved_model_schema_version=1, meta_graphs=[meta]), tensors

    def _bind(self):
        """Numbers what functions take after their arguments."""
        done: set = set()
        while done != self.written.concrete.keys():  # what is added may be functions
            for name, concrete in list(self.written.concrete.items()):
                if name not in done:
                    concrete.bound_inputs.extend(self._bound_number(x) for x in self.written.bound[name])
                    done.add(name)

    def _bound_number(self, obj):
        if isinstance(obj, CapturedValue):
            number = self._node()
            name = obj.source
            parts = name.split(":")
            name = name if len(parts) == 2 else f"{parts[0]}:{parts[2]}" if len(parts) == 3 else f"{name}:0"
            self._nodes[number].captured_tensor.CopyFrom(CapturedTensor(name=name, concrete_function=obj.function))
            return number
        if isinstance(obj, Variable):
            return self.add(obj)
        if isinstance(obj, Resource | SavedTable | Asset):
            known = id(obj) in self._numbers
            number = self.add(obj)
            if not known:  # no attribute leads to it
                self._nodes[0].children.append(ObjectReference(node_id=number, local_name=f"_resource_{number}"))
            return number
        if id(obj) not in self._numbers:
            self._alive.append(obj)
            self._numbers[id(obj)] = self._constant(obj.numpy(), obj.dtype)
        return self._numbers[id(obj)]

    def _checkpoint_keys(self):
        """Dict from numbers of variables to keys, made of the shortest path."""
        paths, todo = {0: ()}, [0]
        while todo:
            number = todo.pop(0)
            for child in self._nodes[number].children:
                if child.node_id not in paths:
                    paths[child.node_id] = (*paths[number], child.local_name)
                    todo.append(child.node_id)
        for number in sorted(self._variables.keys() - paths.keys()):  # no attribute leads to them
            paths[number] = (f"_variable_{number}",)
            self._nodes[0].children.append(ObjectReference(node_id=number, local_name=paths[number][0]))
        escaped = {n: [part.replace(".", "..").replace("/", ".S") for part in paths[n]] for n in self._variables}
        return {number: "/".join([*path, ".ATTRIBUTES", VALUE]) for number, path in escaped.items()}

    def _saver(self, keys):
        """The nodes that save and restore the variables, and the one that initializes; the SaverDef."""
        graph = self._graph
        numbers = list(self._variables)
        handles = [self._handle(self._variables[n]) for n in numbers]
        path = graph.op("Placeholder", dtype=dtypes.string, shape=[])
        after_save, after_restore = [], []
        if numbers:
            names = graph.constant(np.array([keys[n].encode() for n in numbers], object), dtypes.string)
            slices = graph.constant(np.array([b""] * len(numbers), object), dtypes.string)
            kinds = [self._variables[n].dtype for n in numbers]
            restored = graph.op("RestoreV2", path, names, slices, dtypes=kinds)
            for handle, value, kind in zip(handles, restored, kinds, strict=True):
                graph.op("AssignVariableOp", handle, value, dtype=kind)
                after_restore.append(graph.nodes[-1].name)
            values = [graph.op("ReadVariableOp", h, dtype=k) for h, k in zip(handles, kinds, strict=True)]
            graph.op("SaveV2", path, names, slices, values)
            after_save = [graph.nodes[-1].name]
        saved = graph.op("Identity", path, after=after_save)
        graph.op("NoOp", after=after_restore)
        restore = graph.nodes[-1].name
        graph.op("NoOp", after=self._initializers)
        self._signatures[INITIALIZER] = SignatureDef(
            outputs={INITIALIZER: TensorInfo(name=graph.nodes[-1].name, tensor_shape=shape_message(None))}
        )
        return SaverDef(
            filename_tensor_name=_graph_name(path), save_tensor_name=_graph_name(saved), restore_op_name=restore,
            version=2,
        )  # fmt: skip

    def write(self, folder, aliases):
        """Writes the files; `aliases` is a dict from names of functions in the library to other names."""
        model, tensors = self.finish(aliases)
        assets = [(asset.filename, path) for asset, path in self._assets]
        _graph_files.write(folder, model.SerializeToString(deterministic=True), tensors, assets)

    def alias(self, function):
        """The name in the library of a function's first signature; None if it is left out."""
        number = self.add(function)
        return None if number is None else self._functions[number][0]


_CONTAINERS = (
    (list, "trackable_list_wrapper"), (dict, "trackable_dict_wrapper"), (tuple, "trackable_tuple_wrapper"),
)  # fmt: skip


def _not_taken(name, taken):
    """A name, with a number if it is taken."""
    root, ending = os.path.splitext(name)
    return next(n for i in itertools.count() if (n := f"{root}_{i}{ending}" if i else name) not in taken)


def _dtype_of_bound(obj):
    if isinstance(obj, Variable | Resource | SavedTable):
        return dtypes.resource
    return dtypes.string if isinstance(obj, Asset) else obj.dtype


def _graph_name(value):
    """How signatures refer to a tensor: `node:number`."""
    parts = value.source.split(":")
    return f"{parts[0]}:{parts[-1] if len(parts) > 1 else 0}"


def _info(values, spec):
    """The TensorInfo of the tensors that a spec consists of."""
    if isinstance(spec, SparseTensorSpec):
        indices, elements, shape = map(_graph_name, values)
        kind = CooSparse(indices_tensor_name=indices, values_tensor_name=elements, dense_shape_tensor_name=shape)
        sizes = shape_message(sizes_of(spec.shape))
        return TensorInfo(coo_sparse=kind, dtype=spec.dtype.as_datatype_enum, tensor_shape=sizes)
    if not isinstance(spec, TensorSpec):
        parts = nest.flatten(spec, expand_composites=True)
        components = [_info([value], part) for value, part in zip(values, parts, strict=True)]
        type_spec = encode(spec).type_spec_value
        return TensorInfo(composite_tensor=CompositeTensorInfo(type_spec=type_spec, components=components))
    return TensorInfo(
        name=_graph_name(values[0]), dtype=spec.dtype.as_datatype_enum, tensor_shape=shape_message(sizes_of(spec.shape))
    )


def _with_graph_names(node):
    """A node whose inputs are named as in graphs, not as in functions."""
    for i, source in enumerate(node.input):
        if not source.startswith("^"):
            parts = source.split(":")
            number = parts[-1] if len(parts) == 3 else "0"
            node.input[i] = parts[0] if number == "0" else f"{parts[0]}:{number}"
    return node


def _rename(nodes, renamed):
    for node in nodes:
        if node.op in renamed:
            node.op = renamed[node.op]
        for value in node.attr.values():
            kind = value.WhichOneof("value")
            functions = [value.func] if kind == "func" else value.list.func if kind == "list" else ()
            for function in functions:
                function.name = renamed.get(function.name, function.name)


def _with_defaults(signature, args, kwargs):
    """Positional arguments with the defaults of those that follow: TensorFlow looks for a function by all of them."""
    args = tuple(args)
    if signature is None:
        return args
    named = [p for p in signature.parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    defaults = [p.default for p in named if p.default is not p.empty]
    rest = named[len(args) :]
    if any(p.default is p.empty or p.name in kwargs for p in rest):
        return args
    try:
        encode(defaults)
    except UnimplementedError:  # the function is described without defaults then
        return args
    return (*args, *[p.default for p in rest])


def _function_spec(signature):
    if signature is None:
        return _spec_of_names([], is_named=False)
    empty = [p for p in signature.parameters.values()]
    positional = [p for p in empty if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    only = [p for p in empty if p.kind is p.KEYWORD_ONLY]
    varargs = next((p.name for p in empty if p.kind is p.VAR_POSITIONAL), None)
    varkw = next((p.name for p in empty if p.kind is p.VAR_KEYWORD), None)
    try:
        defaults = [p.default for p in positional if p.default is not p.empty]
        encode(defaults)
        fixed = {p.name: p.default for p in only if p.default is not p.empty}
        encode(fixed)
    except UnimplementedError:
        defaults, fixed = [], {}
    return _spec([p.name for p in positional], varargs, varkw, defaults or None, [p.name for p in only], fixed or None)


def _spec_of_names(names, is_named=True):
    if not is_named:
        return _spec([], "args", "kwargs", None, [], None)
    return _spec([], None, None, None, names, None)


def _spec(args, varargs, varkw, defaults, only, fixed):
    fields = {
        "args": list(args), "varargs": varargs, "varkw": varkw, "defaults": defaults and tuple(defaults),
        "kwonlyargs": list(only), "kwonlydefaults": fixed, "annotations": {},
    }  # fmt: skip
    pairs = [Pair(key=key, value=encode(value)) for key, value in fields.items()]
    full = encode(None)
    full.named_tuple_value.CopyFrom(NamedTupleOfValues(name="FullArgSpec", values=pairs))
    full.ClearField("none_value")
    return FunctionSpec(fullargspec=full, input_signature=encode(None))
