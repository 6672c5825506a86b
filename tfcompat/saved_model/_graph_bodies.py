"""Traced functions as TensorFlow's FunctionDefs: recorded calls become nodes, or StableHLO where no nodes say the same.

A call is written by a rule of its own, by the rules of the primitives that JAX makes of it, or as StableHLO in an
`XlaCallModule`. TensorFlow differentiates neither that nor custom gradients: their results pass an `IdentityN` with a
gradient function of its own, which is written in the same way, up to the order that is asked for.
"""

import itertools
import re

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat import dtypes, engine
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec
from tfcompat._core.symbolic_sizes import known_or_none
from tfcompat._core.text_hash import fingerprint
from tfcompat._core.variable import Variable
from tfcompat._formats.graphs import ArgAttrs, ArgDef, FunctionDef, OpDef
from tfcompat._tracing.assertions import Report
from tfcompat._tracing.effects import Effects
from tfcompat.engine import program_behind
from tfcompat.errors import UnimplementedError
from tfcompat.function._trace import is_stream
from tfcompat.saved_model import _layer_rules as _layer_rules  # its rules
from tfcompat.saved_model import _linalg_rules as _linalg_rules  # its rules
from tfcompat.saved_model import _sparse_rules as _sparse_rules  # its rules
from tfcompat.saved_model import _stablehlo
from tfcompat.saved_model._body import Body, NotNodes, Value, attribute, attribute_list
from tfcompat.saved_model._control_nodes import control_nodes
from tfcompat.saved_model._messages import SavedConcreteFunction
from tfcompat.saved_model._node_rules import nodes_of
from tfcompat.saved_model._primitive_rules import flat, primitive_nodes
from tfcompat.saved_model._step_rules import nodes_of_step
from tfcompat.saved_model._structured import encode, sizes_of

_PICK = "Pick"


def _moves(aval):
    return aval.dtype != jax.dtypes.float0 and jnp.issubdtype(aval.dtype, jnp.inexact)


def _dtype(aval):
    return dtypes.bool if aval.dtype == jax.dtypes.float0 else dtypes.from_numpy(np.dtype(aval.dtype))


def _spec_shape(shape):
    return [size if type(size) is int else None for size in shape]


class Written:
    """The functions that are written.

    Attributes:
      functions: FunctionDefs.
      concrete: dict from names to SavedConcreteFunctions, whose `bound_inputs` are objects, to be numbered later.
      bound: dict from names to what they take after their arguments: variables and `CapturedValue`s.
      results: dict from names to (TensorSpecs of arguments, args, kwargs, result), of those that signatures may call.
      gradients: list of (mark of nodes, name of the gradient function).
      foreign: ops that StableHLO stands for, with how often.
      unchecked: names of checks that no nodes make.
    """

    def __init__(self):
        self.functions, self.concrete, self.bound, self.results, self.gradients = [], {}, {}, {}, []
        self.foreign: dict = {}
        self.unchecked: set = set()
        self.taken: set = set()
        self._numbers = itertools.count()
        self._tables: dict = {}  # id of the owner of a table -> SavedTable

    def name(self, base):
        """A name for a function, which no other has."""
        base = "".join(c if c.isalnum() and c.isascii() else "_" for c in base)
        while True:
            name = f"__inference_{base}_{next(self._numbers)}"
            if name not in self.taken:
                self.taken.add(name)
                return name


    def state(self):
        """What `restore` takes to forget what was written since."""
        return len(self.functions), len(self.gradients), dict(self.concrete), dict(self.bound), dict(self.foreign)

    def restore(self, state):
        """Forgets what was written since `state`."""
        functions, gradients, self.concrete, self.bound, self.foreign = state
        del self.functions[functions:], self.gradients[gradients:]

    def table(self, owner, table):
        """The SavedTable of a table that `owner` holds."""
        if id(owner) not in self._tables:
            names = [self.name(f"{what}_table") for what in ("create", "fill", "destroy")]
            made = self._tables[id(owner)] = SavedTable(owner, table, *names)
            kinds = {"key_dtype": table.key_dtype, "value_dtype": table.value_dtype}
            body = Body()
            # Tables of one name are one table to TensorFlow: those that hold the same may be.
            content = repr((table.keys.tolist(), table.values.tolist(), kinds)).encode()
            handle = body.effect("HashTableV2", shared_name=f"hash_table_{fingerprint(content)}", **kinds)
            self.add(made.create, [], body, [("output_0", handle)])
            body, handle = Body(), Value("table", dtypes.resource)
            keys, values = body.constant(table.keys, table.key_dtype), body.constant(table.values, table.value_dtype)
            body.effect("LookupTableImportV2", handle, keys, values)
            done = body.op("Identity", body.constant(1, dtypes.int32), after=body.effects)
            self.add(made.fill, [("table", dtypes.resource, None)], body, [("output_0", done)])
            body = Body()
            self.add(made.destroy, [], body, [("output_0", body.constant(1, dtypes.int32))])
        return self._tables[id(owner)]

    def add(self, name, arguments, body, outputs, names=()):
        """Adds a FunctionDef.

        Args:
          name: of the function.
          arguments: list of (name, DType, list of sizes or None).
          body: Body.
          outputs: list of (name, Value).
          names: what the program calls the arguments.
        """
        effects = list(dict.fromkeys(body.effects))
        signature = OpDef(
            name=name, is_stateful=bool(effects), control_output=effects,
            input_arg=[ArgDef(name=n, type=dtype.as_datatype_enum) for n, dtype, _ in arguments],
            output_arg=[ArgDef(name=n, type=value.dtype.as_datatype_enum) for n, value in outputs],
        )  # fmt: skip
        made = FunctionDef(
            signature=signature, node_def=body.nodes, ret={n: value.source for n, value in outputs},
            control_ret={effect: effect for effect in effects},
        )  # fmt: skip
        for i, (argument, dtype, shape) in enumerate(arguments):
            attrs = {}
            if dtype is not dtypes.resource:
                attrs["_output_shapes"] = attribute_list("shape", [shape])
                attrs["_user_specified_name"] = attribute("string", names[i] if i < len(names) else argument)
            dict.__setitem__(made.arg_attr, i, ArgAttrs(attr=attrs))
        self.functions.append(made)


class SavedTable:
    """A table that functions take, with the names of the functions that make and fill it."""

    def __init__(self, owner, table, create, fill, destroy):
        self.owner, self.table, self.create, self.fill, self.destroy = owner, table, create, fill, destroy


class CapturedValue:
    """A tensor in the body of a function, which a gradient function takes."""

    def __init__(self, source, function):
        self.source, self.function = source, function


class Writer:
    """Writes the body of one traced function."""

    def __init__(self, written, name, order, body):
        self.written, self.name, self.order, self.body = written, name, order, body
        self.variables: dict = {}  # number -> (name of its argument, the variable)
        self.last: dict = {}       # number of a variable -> names of nodes that come before its next assignment
        self.assigned: dict = {}   # number of a variable -> Value that was read after its last assignment
        self.tables: dict = {}     # id of a table -> (Value of its handle, SavedTable)
        self.checked: set = set()  # (call of a check, sources of what it looks at) that nodes do themselves
        self.is_part = False

    def within(self, name, body):
        """A writer of a part of the function, a function of its own."""
        part = Writer(self.written, name, self.order, body)
        part.is_part = True
        return part

    def table(self, owner, table):
        """The Value of the handle of the table that `owner` holds."""
        if self.is_part:
            raise UnimplementedError(None, None, "a table in a branch or loop is not written")
        if id(owner) not in self.tables:
            handle = Value(f"table_{len(self.tables)}", dtypes.resource)
            self.tables[id(owner)] = handle, self.written.table(owner, table)
        return self.tables[id(owner)][0]

    # --- variables ------------------------------------------------------------------------------------------------

    def read(self, number):
        """The value of a variable as it is now."""
        argument, variable = self.variables[number]
        # TensorFlow does not know the shapes of what arguments hold, and gradients of some nodes need ranks.
        shape = attribute_list("shape", [sizes_of(variable.shape)])
        value = self.body.op(
            "ReadVariableOp", Value(argument, dtypes.resource), dtype=variable.dtype, after=self._assignments(number),
            marks={"_output_shapes": shape},
        )  # fmt: skip
        node = value.source.partition(":")[0]
        self.last.setdefault(number, []).append(node)
        self.body.effects.append(node)
        return Value(value.source, variable.dtype, number)

    def _assignments(self, number):
        return [name for name in self.last.get(number, ()) if "AssignVariableOp" in name.rpartition("/")[2]]

    def assign(self, number, value):
        """Assigns a variable."""
        argument, variable = self.variables[number]
        self.body.op("AssignVariableOp", Value(argument, dtypes.resource), value, dtype=variable.dtype,
                     after=self.last.get(number, ()))  # fmt: skip
        node = self.body.nodes[-1].name
        self.last[number] = [node]
        self.body.effects.append(node)

    # --- calls ----------------------------------------------------------------------------------------------------

    def program(self, program, inputs, wanted=None):
        """The Values of the outputs of a recorded program; of those at the places `wanted`, if given."""
        steps, outputs = program.steps, program.outputs
        if wanted is not None:
            outputs = [outputs[i] for i in wanted]
        needed = _needed(steps, outputs)
        results: dict = {}
        for i, (call, refs) in enumerate(steps):
            if i in needed:
                results[i] = self.call(call, [results[r] if r >= 0 else inputs[~r] for r in refs])
        return [results[r] if r >= 0 else inputs[~r] for r in outputs]

    def inputs_of(self, traced):
        """The Values that a traced function takes after its arguments: of variables, and captured tensors."""
        # A variable is read where its value is first used, so that what only some results need is not read for others.
        values = [
            self.read(i) if i in self.variables else _standing_in(self.body, variable)
            for i, variable in enumerate(traced.variables)
        ]
        return values + [self.body.constant(engine.array_of(node)) for node in traced.captures]

    def traced(self, program, traced, arguments):
        """The Values of the results of a traced function; variables are assigned.

        Args:
          program: that of `traced`.
          traced: ConcreteOperation; `variables` has the places of those of its variables that are saved.
          arguments: Values of its arguments.
        """
        inputs = [*arguments, *self.inputs_of(traced)]
        places = {id(v): i for i, v in enumerate(traced.variables)}
        wanted, count = list(range(len(traced._output_avals))), traced._first_written
        states = [(i, places[id(v)]) for i, v in enumerate(traced.assigned) if places.get(id(v)) in self.variables]
        # The report is wanted for the checks in it.
        reports = [count + i for i, v in enumerate(traced.assigned) if isinstance(v, Report)]
        results = self.program(program, inputs, wanted + [count + i for i, _ in states] + reports)
        for (_, number), value in zip(states, results[len(wanted) :], strict=False):
            if self.assigned.get(number) is not value:
                self.assign(number, value)
        return results[: len(wanted)]

    def call(self, call, inputs):
        """The Value, or list of Values, of a recorded call."""
        if call.operation.name == _PICK:
            return call.fn(inputs[0])
        inner = program_behind(call)
        if inner is None and hasattr(call.fn, "recorded"):  # a function for all sizes, with symbols of its own
            self.body.know_sizes(call.fn.avals, inputs)
            inner = program_behind(call.fn.recorded)
        if inner is not None:
            return self.program(inner, inputs)
        if call.operation.name == "AssignVariableOp" and len(inputs) == 2:
            return self._rebound(*inputs)
        if engine.conditions.is_check(call):
            return self._check(call, inputs)
        several = type(call.aval) is engine.TupleAval
        made = _random(self.body, call, inputs) or control_nodes(self, call, inputs)
        made = made or self._or_none(lambda: nodes_of(self.body, call, inputs))
        if made is not None and call.check is not None:
            self.checked.add((call.check, _sources(inputs)))
        if made is None and call.operation.step is not None:
            made = nodes_of_step(self, call, inputs)
        if call.operation.step is not None:
            self.body.know_sizes(call.aval.parts if several else [call.aval], made if several else [made])
        if made is None:
            made = self._primitives(call, inputs)
        if made is None:
            self.written.foreign[call.operation.name] = self.written.foreign.get(call.operation.name, 0) + 1
            made = self.stablehlo(call.fn, call.in_avals, inputs)
        return made[0] if type(made) is list and not several else made

    def _primitives(self, call, inputs):
        """The Values of a recorded call's results, by its primitives; None if not all of them are nodes."""
        return self._or_none(lambda: primitive_nodes(self, call.fn, call.in_avals, inputs.__getitem__))

    def _or_none(self, write):
        """What `write` makes; None, and nothing written, if it raises NotNodes."""
        before = self.written.state(), self.body.state()
        try:
            return write()
        except NotNodes:
            self.written.restore(before[0])
            self.body.restore(before[1])
            return None

    def _check(self, call, inputs):
        """The report after a check, for which any Value stands: TensorFlow raises where the condition is broken."""
        sources = _sources(inputs[1:])  # what is looked at: the inputs, and results after them
        is_done = any((call, sources[:count]) in self.checked for count in range(len(sources) + 1))
        if not is_done and self._primitives(call, inputs) is None:
            self.written.unchecked.add(call.operation.name)
        return inputs[0]

    def _rebound(self, value, start):
        if start.variable is None:
            return value
        self.assign(start.variable, value)
        made = self.assigned[start.variable] = self.read(start.variable)
        return made

    # --- StableHLO ------------------------------------------------------------------------------------------------

    def stablehlo(self, fn, avals, inputs):
        """The Values that a JAX function of Values returns, as a node of StableHLO."""
        with jax.enable_x64(True):
            exported = _stablehlo.exported(lambda *arrays: flat(fn(*arrays)), avals)
        return self.module(exported, inputs)

    def module(self, exported, inputs):
        """The Values of an exported program's results.

        Args:
          exported: `jax.export.Exported`.
          inputs: Values; None for inputs that it does not keep.
        """
        kept = [inputs[i] for i in exported.module_kept_var_idx]
        kept_avals = [exported.in_avals[i] for i in exported.module_kept_var_idx]
        kinds = [_dtype(aval) for aval in exported.out_avals]
        results = self.body.op(
            "XlaCallModule", kept, version=exported.calling_convention_version, module=_stablehlo.portable(exported),
            Sout=[_spec_shape(aval.shape) for aval in exported.out_avals], Tout=kinds,
            platforms=[platform.upper() for platform in exported.platforms], function_list=[], dim_args_spec=[],
            has_token_input_output=False, disabled_checks=[],
            use_shardy_partitioner=bool(jax.config.jax_use_shardy_partitioner),
        )  # fmt: skip
        if not self.order or not any(map(_moves, exported.out_avals)):
            return results
        try:
            with jax.enable_x64(True):
                back = exported.vjp()
        except (LookupError, NotImplementedError):  # an op in it has no gradient, as in TensorFlow
            return results
        used = set(back.module_kept_var_idx)

        def pull(writer, cotangents, captured):
            taken = [captured(value) if i in used else None for i, value in enumerate(inputs)]
            for i, (cotangent, result) in enumerate(zip(cotangents, results, strict=True), len(inputs)):
                if cotangent is None and i in used:
                    zeros = writer.body.op("ZerosLike", captured(result))
                    cotangent = writer.body.op("Cast", zeros, DstT=dtypes.bool)
                taken.append(cotangent)
            pulled = writer.module(back, taken)
            return [pulled[i] for i in exported.module_kept_var_idx]

        return self.with_gradient(results, exported.out_avals, kept, kept_avals, pull)

    def with_gradient(self, results, result_avals, inputs, input_avals, pull):
        """The Values of results that were computed from inputs, with a gradient of their own.

        Args:
          results, inputs: lists of Values; a result need not depend on all inputs.
          result_avals, input_avals: of these.
          pull: function of (Writer of the gradient function, list of cotangents, function from Values of this body to
            Values there) to the list of the inputs' cotangents. None stands for none, as for a result that is no float.
        """
        mark = name = self.written.name("gradient")
        marked = self.body.op("IdentityN", [*results, *inputs], marks={"_gradient_op_type": attribute("string", mark)})
        if not self.order:
            return marked[: len(results)]  # who asks for a gradient that nothing registers is told so
        avals = [*result_avals, *input_avals]
        arguments = [(f"g{i}", _dtype(aval), _spec_shape(aval.shape)) for i, aval in enumerate(avals)]
        body, bound = Body(), []
        body.know_sizes(avals, [Value(argument, dtype) for argument, dtype, _ in arguments])
        taken: dict = {}

        def captured(value):
            if value.source not in taken:
                bound.append(CapturedValue(value.source, self.name))
                arguments.append((f"c{len(bound)}", value.dtype, None))
                taken[value.source] = Value(f"c{len(bound)}", value.dtype)
            return taken[value.source]

        cotangents = [
            Value(argument, dtype) if _moves(aval) else None
            for (argument, dtype, _), aval in zip(arguments, result_avals, strict=False)
        ]
        before = self.written.state()
        try:
            pulled = pull(Writer(self.written, name, self.order - 1, body), cotangents, captured)
        except (LookupError, NotImplementedError):  # something in it has no gradient
            self.written.restore(before)
            return marked[: len(results)]
        self.written.gradients.append((mark, name))
        outputs, structure = [], [None] * len(results)
        for i, (aval, cotangent) in enumerate(zip(input_avals, pulled, strict=True)):
            there = cotangent is not None and _moves(aval)
            structure.append(TensorSpec(_spec_shape(aval.shape), _dtype(aval)) if there else None)
            if there:
                outputs.append((f"d{i}", body.op("Identity", cotangent)))
        specs = tuple(TensorSpec(shape, dtype, name) for name, dtype, shape in arguments[: len(avals)])
        self.written.add(name, arguments, body, outputs)
        self.written.concrete[name] = SavedConcreteFunction(
            canonicalized_input_signature=encode((specs, {})), output_signature=encode(structure)
        )
        self.written.bound[name] = bound
        return marked[: len(results)]


def _needed(steps, outputs):
    """The set of the numbers of the steps that some outputs need, and of those that tell the sizes of these."""
    telling = [(i, call) for i, (call, _) in enumerate(steps) if call.operation.step is not None]
    tellers: dict = {}
    for i, call in telling:
        for aval in _avals(call):
            for size in aval.shape:
                tellers.setdefault(str(size), i)
    needed = engine.needed_steps(steps, outputs)
    while tellers:
        calls = [steps[i][0] for i in needed]
        told = [(_attributes(call), [aval.shape for aval in _avals(call)]) for call in calls]
        names = set(re.findall(r"\w+", str(told)))
        more = engine.needed_steps(steps, [tellers.pop(name) for name in names & tellers.keys()])
        if more <= needed:
            break
        needed |= more
    return needed


def _attributes(call):
    """The static attributes of a call, none of what takes one of several results."""
    return call.attributes.values if type(call) is engine.Call else ()


def _avals(call):
    """The avals of a call's results."""
    return call.aval.parts if type(call.aval) is engine.TupleAval else [call.aval]


def _sources(values):
    return tuple([value.source for value in values])


def write_traced(written, name, traced, avals, specs, order):
    """Writes a traced function; its name in the library.

    Args:
      written: Written.
      name: of the Python function.
      traced: ConcreteOperation.
      avals: of the tensors among the arguments.
      specs: TensorSpecs of these.
      order: how often StableHLO can be differentiated.

    Raises:
      tf.errors.UnimplementedError: it cannot be written.
    """
    name = written.name(name)
    program = program_behind(traced.recorded)
    if program is None:
        raise UnimplementedError(None, None, f"{name} was not recorded")
    arguments = [(f"args_{i}", spec.dtype, sizes_of(spec.shape)) for i, spec in enumerate(specs)]
    inputs = [Value(argument, dtype) for argument, dtype, _ in arguments]
    body = Body()
    for i, (aval, spec) in enumerate(zip(avals, specs, strict=True)):
        sizes = known_or_none(aval.shape)
        if spec.shape.rank is not None and sizes != spec.shape.as_list():  # a size that the function needs was found
            inputs[i] = body.op("EnsureShape", inputs[i], shape=TensorShape(sizes))
    body.know_sizes(avals, inputs)
    writer = Writer(written, name, order, body)
    bound = []
    for i, variable in enumerate(traced.variables):
        if isinstance(variable, Variable) and not is_stream(variable):
            argument = f"unknown_{i}"
            arguments.append((argument, dtypes.resource, None))
            writer.variables[i] = (argument, variable)
            bound.append(variable)
    results = writer.traced(program, traced, inputs)
    for handle, table in writer.tables.values():
        arguments.append((handle.source, dtypes.resource, None))
        bound.append(table)
    outputs = []
    for i, value in enumerate(results):
        outputs.append((f"output_{i}", body.op("Identity", value, after=dict.fromkeys(body.effects))))
    names = [spec.name or f"args_{i}" for i, spec in enumerate(specs)]
    written.add(name, arguments, body, outputs, names)
    written.bound[name] = bound
    return name


def write_for_ranks(written, name, variants, specs, results):
    """Writes a function that calls another one for each rank of its arguments; its name in the library.

    Args:
      written: Written.
      name: of the Python function.
      variants: dict from ranks to names of functions that were written.
      specs: TensorSpecs of the arguments, some of unknown rank.
      results: TensorSpecs of the results.

    Raises:
      tf.errors.UnimplementedError: they use different variables.
    """
    bound, *others = (written.bound[variant] for variant in variants.values())
    if any([*map(id, other)] != [*map(id, bound)] for other in others):
        raise UnimplementedError(None, None, f"{name} uses other variables for tensors of other ranks")
    name, body = written.name(name), Body()
    arguments = [(f"args_{i}", spec.dtype, sizes_of(spec.shape)) for i, spec in enumerate(specs)]
    arguments += [(f"unknown_{i}", dtypes.resource, None) for i in range(len(bound))]
    values = [Value(argument, dtype) for argument, dtype, _ in arguments]
    rank = body.op("Rank", values[next(i for i, spec in enumerate(specs) if spec.shape.rank is None)])
    last, order = max(variants) + 1, list(variants)
    table = body.constant([order.index(r) if r in variants else -1 for r in range(last + 1)], "int32")
    rank = body.op("Minimum", rank, body.constant(last, "int32"))
    branch = body.op("GatherV2", table, rank, body.constant(0, "int32"))
    text = np.array(f"The function was saved for tensors of the ranks {order}".encode(), object)
    body.effect("Assert", body.op("GreaterEqual", branch, body.constant(0, "int32")), [body.constant(text, "string")])
    made = body.effect(
        "Case", branch, values, after=body.effects, branches=list(variants.values()),
        Tout=[spec.dtype for spec in results], output_shapes=[spec.shape for spec in results],
    )  # fmt: skip
    outputs = [(f"output_{i}", body.op("Identity", value)) for i, value in enumerate(made)]
    names = [spec.name or f"args_{i}" for i, spec in enumerate(specs)]
    written.add(name, arguments, body, outputs, names)
    written.bound[name] = bound
    return name


def _standing_in(body, variable):
    """What stands for the state of something that is not saved: of random numbers, which begin anew; of reports."""
    if isinstance(variable, Effects):
        raise UnimplementedError(None, None, "it calls Python, or prints in a branch or loop")
    aval = variable._current_node().aval
    if is_stream(variable):
        return _RandomState(body, aval, variable.seeds)
    return body.constant(np.zeros(aval.shape, aval.dtype))


class _RandomState(Value):
    """The state of a random op: TensorFlow's has one of its own; others take a number as if it were drawn before."""

    __slots__ = ("seeds", "_body", "_aval", "_source")

    def __init__(self, body, aval, seeds):
        self.seeds, self._body, self._aval, self._source = seeds, body, aval, None
        self.dtype, self.variable = dtypes.from_numpy(aval.dtype), None

    def in_function(self, body):
        """The state that the op has in the body of a function."""
        return _RandomState(body, self._aval, self.seeds)

    @property
    def source(self):  # pyright: ignore
        if self._source is None:
            bounds = (self._body.constant(0, dtypes.int64), self._body.constant(1 << 62, dtypes.int64))
            self._source = self._body.op("RandomUniformInt", self._body.sizes(self._aval.shape), *bounds).source
        return self._source


def _random(body, call, inputs):
    """The Value that a random op draws, as a node; None if it is no such op, or its state is not its own."""
    kind = call.operation.name
    if not inputs or type(inputs[0]) is not _RandomState:
        return None
    state, *affine = inputs
    if kind == "RngReadAndSkip":
        return state  # TensorFlow's op goes on by itself
    if kind not in _RANDOM:
        return None
    seeds = dict(zip(("seed", "seed2"), (seed or 0 for seed in state.seeds), strict=True))
    dtype = dtypes.from_numpy(call.aval.dtype)
    if kind == "Multinomial":
        return body.op(kind, *affine, body.size(call.aval.shape[1]), output_dtype=dtype, **seeds)
    if kind == "RandomUniformInt":
        return body.op(kind, body.sizes(call.aval.shape), *affine, **seeds)
    drawn = body.op(kind, body.sizes(call.aval.shape), dtype=dtype, **seeds)
    if affine:
        scale, offset = affine if kind != "RandomUniform" else (body.op("Sub", affine[1], affine[0]), affine[0])
        drawn = body.op("AddV2", body.op("Mul", drawn, scale), offset)
    return drawn


_RANDOM = ("RandomUniform", "RandomUniformInt", "RandomStandardNormal", "TruncatedNormal", "Multinomial")


