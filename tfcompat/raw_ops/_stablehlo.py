"""`XlaCallModule`: StableHLO programs in TensorFlow's graphs, as `jax2tf` and Keras on JAX write them.

MLIR's parser is not made for bytes that somebody made on purpose: some damaged programs end the process. So
`tf.saved_model.load` runs these nodes only if it is asked to.
"""

import dataclasses
import functools
import re

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax._src.interpreters import mlir
from jax._src.lib import _jax
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import stablehlo

from tfcompat import engine
from tfcompat._core.convert import to_node
from tfcompat._core.symbolic_sizes import NeedsValues, are_known
from tfcompat._core.tensor import wrap
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.raw_ops._registry import raw

_CONVENTIONS = range(9, 11)  # how the program takes its arguments, by version of XlaCallModule
# What a program may call of the process: kernels that only compute. Others call Python, or take addresses.
_KERNELS = re.compile(
    r"lapack_\w+|cu_threefry2x32_ffi|hip_threefry2x32_ffi|cusolver_\w+|cublas_\w+|hipsolver_\w+|cu_lu_pivots_to_\w+|"
    r"Sharding|SPMDFullToShardShape|SPMDShardToFullShape|annotate_device_placement|shape_assertion|Eigh|Qr|"
    r"ProductOfElementaryHouseholderReflectors|LuDecomposition|ApproxTopK|AllocateBuffer|"
    r"stablehlo\.(dynamic_approx_top_k|dynamic_reduce_window|dynamic_rng_bit_generator|dynamic_top_k|"
    r"shape_refinement_operand_wrapper)|mhlo\.\w+|chlo\.\w+"
)

_DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
    + [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]
)  # fmt: skip


@functools.cache
def _passes():
    stablehlo.register_stablehlo_passes()


def _checked(module):
    """Raises if a program calls something that does more than compute."""
    targets = set()

    def visit(op):
        if op.name == "stablehlo.custom_call":
            targets.add(ir.StringAttr(op.attributes["call_target_name"]).value)
        return ir.WalkResult.ADVANCE

    module.operation.verify()
    module.operation.walk(visit)
    for target in sorted(targets):
        if not _KERNELS.fullmatch(target):
            raise UnimplementedError(None, None, f"XlaCallModule: the program calls {target!r}, which is not run")


def _type(aval):
    kind = mlir.dtype_to_ir_type(np.dtype(aval.dtype))
    return f"tensor<{''.join(f'{size}x' for size in aval.shape)}{kind}>"


@functools.lru_cache(maxsize=256)
def _program(data, platforms, version, avals):
    """The program for arguments of these avals, as `jax.export.Exported`.

    Raises:
      ValueError: the bytes are no such program, or it does not take these arguments.
    """
    _passes()
    context = mlir.make_ir_context()
    with context, ir.Location.unknown(context):
        module = stablehlo.deserialize_portable_artifact(context, data)
        _checked(module)
        types = ["tensor<i32>"] * (len(platforms) > 1) + [_type(aval) for aval in avals]
        passmanager.PassManager.parse(
            f"builtin.module(stablehlo-refine-arguments{{types={','.join(types)}}})"
        ).run(module.operation)
        refined = _jax.mlir.refine_polymorphic_shapes(mlir.module_to_bytecode(module), True, True, False)
        module = ir.Module.parse(refined)
        results = ir.SymbolTable(module.operation)["main"].type.results
        kinds = {str(mlir.dtype_to_ir_type(kind)): kind for kind in map(np.dtype, _DTYPES)}
        shapes = [jax.ShapeDtypeStruct(r.shape, kinds[str(r.element_type)]) for r in results]
        static = bytes(_jax.mlir.serialize_portable_artifact(module, stablehlo.get_current_version(), True))
    inputs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
    like = jax.export.export(
        jax.jit(lambda *_: tuple(jnp.zeros(s.shape, s.dtype) for s in shapes)), platforms=platforms
    )(*inputs)  # fmt: skip
    return dataclasses.replace(
        like, mlir_module_serialized=static, module_kept_var_idx=tuple(range(len(avals))), _get_vjp=None,
        calling_convention_version=version, uses_global_constants=False,
    )  # fmt: skip


def _run(*arrays, data, platforms, version):
    exported = _program(data, platforms, version, tuple(jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arrays))
    return tuple(exported.call(*arrays))


def _no_gradient():
    return LookupError("No gradient defined for operation 'XlaCallModule' (op type: XlaCallModule)")


_CALL = engine.Operation(
    "XlaCallModule", engine.refusing(_run, _no_gradient), ("data", "platforms", "version"), unavoidable=True
)  # fmt: skip


@raw("XlaCallModule", ignored=("Sout", "Tout", "disabled_checks", "use_shardy_partitioner"))
def call_module(args, version, module, platforms=()):
    """The list of results of a StableHLO program."""
    nodes = [to_node(x) for x in args]
    platforms = tuple(platform.lower() for platform in platforms) or ("cpu",)
    if version not in _CONVENTIONS:
        raise UnimplementedError(
            None, None,
            f"XlaCallModule: version {version} is not available in tfcompat, only {_CONVENTIONS.start} to "
            f"{_CONVENTIONS.stop - 1}: export the model with a newer JAX",
        )  # fmt: skip
    if not all(are_known(node.aval.shape) for node in nodes):
        raise NeedsValues(None, None, "XlaCallModule: the sizes of its arguments must be known")
    attributes = engine.attributes_of(module, platforms, version)
    try:
        return [wrap(node) for node in engine.apply(_CALL, tuple(nodes), attributes)]
    except (ValueError, ir.MLIRError) as error:
        raise InvalidArgumentError(None, None, f"XlaCallModule: {error}") from error
