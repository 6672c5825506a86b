"""`experimental_get_compiler_ir`: the program that XLA compiles for a function."""

import jax

from tfcompat.errors import UnimplementedError

_STAGES = ("hlo", "hlo_serialized", "optimized_hlo", "optimized_hlo_serialized", "optimized_hlo_dot")


def compiler_ir(concrete, arguments, stage="hlo", device_name=None, platform_name=None):
    """See `Function.experimental_get_compiler_ir`.

    Args:
      concrete: ConcreteOperation.
      arguments: Arguments that it was traced with.

    Raises:
      ValueError: unknown `stage`.
      tf.errors.UnimplementedError: `device_name` is given, or the stage is "optimized_hlo_dot".
    """
    if stage not in _STAGES:
        stages = ", ".join(repr(s) for s in _STAGES)
        raise ValueError(f"Invalid stage selected: '{stage}'. Valid values are: {stages}")
    if device_name is not None:
        raise UnimplementedError(None, None, "experimental_get_compiler_ir: device_name; use platform_name")
    if stage == "optimized_hlo_dot":
        raise UnimplementedError(None, None, 'stage="optimized_hlo_dot"; use "optimized_hlo"')
    variables = [arguments.variables[v] if type(v) is int else v for v in concrete.variables]
    nodes = [*(v._current_node() for v in variables), *concrete.captures]
    inputs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in (*arguments.avals, *(n.aval for n in nodes))]
    platforms = None if platform_name is None else ({"GPU": "cuda"}.get(platform_name, platform_name.lower()),)
    with jax.enable_x64(True):
        lowered = jax.jit(concrete.operation.fn).trace(*inputs).lower(lowering_platforms=platforms)
        if stage == "hlo":
            return lowered.as_text(dialect="hlo")
        if stage == "hlo_serialized":
            return lowered.compiler_ir(dialect="hlo").as_serialized_hlo_module_proto()
        compiled = lowered.compile()
        if stage == "optimized_hlo":
            return compiled.as_text()
        return compiled.runtime_executable().hlo_modules()[0].as_serialized_hlo_module_proto()
