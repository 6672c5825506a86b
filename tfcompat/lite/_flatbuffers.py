"""StableHLO as TensorFlow Lite's flatbuffers, by LiteRT's converter (`pip install litert-converter`)."""

import jax

from tfcompat import engine
from tfcompat.lite._errors import ConverterError, needed

# Of StableHLO, the interpreter has these.
_IN_INTERPRETER = {
    "add", "case", "cbrt", "composite", "gather", "maximum", "minimum", "multiply", "pad", "reduce_window", "return",
    "rng_bit_generator", "scatter", "shift_left",
}  # fmt: skip


def converted(functions):
    """The bytes of a model.

    Args:
      functions: list of (name, function of arrays that returns a list of them, dict from names of arguments to
        ShapeDtypeStructs, names of results).

    Raises:
      ConverterError: the converter does not take what is computed.
    """
    api, ir, passmanager, stablehlo = _converter()
    context = ir.Context()
    api.prepare_mlir_context(context)
    with context, ir.Location.unknown(context):
        try:
            modules = [_module(api, stablehlo, context, *function) for function in functions]
            module = modules[0] if len(modules) == 1 else api.merge_modules(modules)
            config = api.ConvertToTFLConfig()
            config.model_origin_framework = "JAX"
            config.unsafe_fuse_dynamic_shaped_broadcast = True
            api.run_convert_to_tfl_passes(module, passmanager.PassManager(), config)
            _mend_slices(ir, module)
            _mend_scatters(ir, module)
            _outline_loops(ir, module)
            _check_operations(ir, module)
            return api.export_flatbuffer_to_bytes(module.operation)
        except (ValueError, ir.MLIRError) as error:
            raise ConverterError(f"Could not convert to TensorFlow Lite: {error}") from error


def _converter():
    with needed("litert_converter"):
        from litert_converter import converter_api_ext  # pyright: ignore[reportAttributeAccessIssue]
        from litert_converter.mlir import ir, passmanager
        from litert_converter.mlir.dialects import stablehlo
    return converter_api_ext, ir, passmanager, stablehlo


def _module(api, stablehlo, context, name, function, arguments, results):
    with jax.enable_x64(True), engine.conditions.unchecked():
        # Lowered for a CPU, convolutions and the like take forms that are not recognized.
        exported = jax.export.export(jax.jit(function, keep_unused=True), platforms=("tpu",))(*arguments.values())
    module = stablehlo.deserialize_portable_artifact(context, exported.mlir_module_serialized)
    api.set_signature(module.operation, name, list(arguments), list(results))
    return module


def _check_operations(ir, module):
    """Raises ConverterError if operations are left that an interpreter does not have."""
    left = set()

    def visit(op):
        dialect, _, name = op.name.partition(".")
        if dialect in ("stablehlo", "vhlo", "mhlo", "chlo", "tf") and name.removesuffix("_v1") not in _IN_INTERPRETER:
            left.add(op.name)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    if left:
        raise ConverterError(f"Could not convert to TensorFlow Lite: it has no {', '.join(sorted(left))}")


def _all_of(ir, module, name):
    """The operations of a name, those in others first."""
    found = []

    def visit(op):
        if op.name == name:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.POST_ORDER)
    return found


def _mend_slices(ir, module):
    """Gives the begin of slices the dtype of their sizes: the interpreter takes both for one."""
    for op in _all_of(ir, module, "tfl.slice"):
        _, begin, size = op.operands
        if begin.type != size.type:
            cast = ir.Operation.create("tfl.cast", [size.type], [begin], loc=op.location, ip=ir.InsertionPoint(op))
            op.replace_uses_of_with(begin, cast.results[0])


def _mend_scatters(ir, module):
    """Gives scatters the operations by which the interpreter knows what they do; the passes have changed them."""
    known = {f"tfl.{ours}": f"stablehlo.{theirs}" for ours, theirs in (
        ("add", "add"), ("mul", "multiply"), ("maximum", "maximum"), ("minimum", "minimum"),
    )}  # fmt: skip
    for scatter in _all_of(ir, module, "stablehlo.scatter"):
        for op in list(scatter.regions[0].blocks[0].operations):
            name = op.operation.name
            if name in known:
                types, point = [x.type for x in op.operation.results], ir.InsertionPoint(op)
                made = ir.Operation.create(known[name], types, list(op.operation.operands), loc=op.location, ip=point)
                op.operation.results[0].replace_all_uses_with(made.results[0])
                op.operation.erase()
            elif name != "stablehlo.return":
                raise ConverterError(f"Could not convert to TensorFlow Lite: it has no scatter by {name}")


def _outline_loops(ir, module):
    """Makes functions of the conditions and bodies of loops: a flatbuffer has no other loops.

    Constants of outside are copied into them; other values of outside become further loop variables.
    """
    for number, loop in enumerate(_all_of(ir, module, "tfl.while")):
        _outline(ir, module, loop, number)


def _outline(ir, module, loop, number):
    uses = [use for region in loop.regions for use in _taken_from_outside(ir, region)]
    constants = {value for _, value in uses if _is_constant(value)}
    carried = [value for value in dict.fromkeys(value for _, value in uses) if value not in constants]
    types = [value.type for value in [*loop.operands, *carried]]
    somewhere = ir.Location.unknown()
    new = ir.Operation.create(
        "tfl.while", results=types, operands=[*loop.operands, *carried], regions=2, loc=loop.location,
        attributes={"is_stateless": ir.BoolAttr.get(False)}, ip=ir.InsertionPoint(loop),
    )  # fmt: skip
    for place, (region, calling) in enumerate(zip(loop.regions, new.regions, strict=True)):
        name = f"while_{number}_{('condition', 'body')[place]}"
        taken = _taken_from_outside(ir, region)
        (block,) = region.blocks
        known = {value: block.add_argument(value.type, somewhere) for value in carried}
        for value in {value: None for _, value in taken if value in constants}:
            known[value] = value.owner.clone(ip=ir.InsertionPoint.at_block_begin(block)).results[0]
        for op, value in taken:
            op.replace_uses_of_with(value, known[value])
        last = block.operations[len(block.operations) - 1]
        results = [*last.operands, *(known[value] for value in carried if place)]
        ir.Operation.create("func.return", operands=results, ip=ir.InsertionPoint(last))
        last.erase()
        kind = ir.FunctionType.get(types, [value.type for value in results])
        function = ir.Operation.create(
            "func.func", regions=1, ip=ir.InsertionPoint(module.body), attributes={
                "sym_name": ir.StringAttr.get(name), "function_type": ir.TypeAttr.get(kind),
                "sym_visibility": ir.StringAttr.get("private"),
            },
        )  # fmt: skip
        block.append_to(function.regions[0])
        caller = ir.Block.create_at_start(calling, types, [somewhere] * len(types))
        with ir.InsertionPoint(caller):
            callee = {"callee": ir.FlatSymbolRefAttr.get(name)}
            made = ir.Operation.create("func.call", kind.results, list(caller.arguments), callee)
            ir.Operation.create("tfl.yield", operands=list(made.results))
    for old, made in zip(loop.results, new.results, strict=False):
        old.replace_all_uses_with(made)
    loop.erase()


def _taken_from_outside(ir, region):
    """List of (operation in a region, value that it takes from outside)."""
    operations, blocks = [], []

    def within(region):
        for block in region.blocks:
            blocks.append(block)
            for op in block.operations:
                operations.append(op.operation)
                for inner in op.operation.regions:
                    within(inner)

    within(region)
    owned = {value for block in blocks for value in block.arguments}
    owned |= {value for op in operations for value in op.results}
    return [(op, value) for op in operations for value in op.operands if value not in owned]


def _is_constant(value):
    name = getattr(getattr(value.owner, "operation", value.owner), "name", None)
    return name in ("arith.constant", "tfl.no_value", "tfl.pseudo_const", "tfl.pseudo_qconst")
