"""StableHLO as TensorFlow 2.21 reads it.

JAX writes the newest version, and composites. TensorFlow reads versions up to 1.13.7, and no composites: these become
calls of their decompositions. The program is written for the oldest version that holds it.
"""


import jax
from jax._src.interpreters import mlir
from jax._src.lib import _jax
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from tfcompat.errors import UnimplementedError

_VERSIONS = ("1.8.0", "1.10.0", "1.13.0")


def portable(exported):
    """The bytes of an exported program.

    Raises:
      tf.errors.UnimplementedError: it calls LAPACK, which TensorFlow's XLA does not, or needs a newer version.
    """
    context = mlir.make_ir_context()
    with context, ir.Location.unknown(context):
        module = stablehlo.deserialize_portable_artifact(context, exported.mlir_module_serialized)
        composites, foreign = [], set()

        def visit(op):
            if op.name == "stablehlo.composite":
                composites.append(op)
            elif op.name == "stablehlo.custom_call":
                target = ir.StringAttr(op.attributes["call_target_name"]).value
                if target.startswith(("lapack_", "cu", "cusolver", "cublas", "hipsolver", "xla_python", "xla_ffi")):
                    foreign.add(target)
            return ir.WalkResult.ADVANCE

        module.operation.walk(visit)
        if foreign:
            raise UnimplementedError(
                None, None, f"it calls {', '.join(sorted(foreign))}, which TensorFlow's XLA does not have"
            )
        for op in composites:  # the decomposition is a function of the module
            with ir.InsertionPoint(op):
                call = ir.Operation.create(
                    "func.call", results=[r.type for r in op.results], operands=list(op.operands),
                    attributes={"callee": op.attributes["decomposition"]},
                )  # fmt: skip
            for old, new in zip(op.results, call.results, strict=True):
                old.replace_all_uses_with(new)
            op.erase()
        module.operation.verify()
        return _for_the_oldest(module)


def _for_the_oldest(module):
    for version in _VERSIONS:
        try:
            return bytes(_jax.mlir.serialize_portable_artifact(module, version, True))
        except Exception as error:  # MLIR's errors have no common class
            last = error
    raise UnimplementedError(None, None, f"StableHLO {_VERSIONS[-1]} does not hold it: {last}")




def exported(fn, avals):
    """`jax.export` of a function for all platforms if it can be, else for this one."""
    inputs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
    return jax.export.export(jax.jit(fn), platforms=("cpu",))(*inputs)
