"""How programs are compiled while tests run: quickly, since most run once."""

# Most of the time of the tests would be XLA's, spent on optimizing thousands of programs that run once. The tests
# marked `optimized` compile as users' programs do, and so do all with `pytest --optimized`.
_QUICK = {
    "xla_backend_optimization_level": 0,
    "xla_cpu_use_fusion_emitters": False,
    "xla_cpu_parallel_codegen_split_count": 1,
}
_WITH_EMITTERS = {"xla_disable_hlo_passes": "fusion"}  # where fusions cannot be compiled in the simple way
quick = True  # whether the running test wants it so


def compile_quickly():
    """Makes XLA compile with the options above, those of them that this version of it has, while `quick` is set, and
    always in the processes that are started from here on."""
    import os

    import jax
    from jax._src import compiler

    from tfcompat.engine.compile import tiers

    tiers.enabled = False

    def known(name, value):
        try:
            jax.jit(lambda: 0, compiler_options={name: value})()
        except jax.errors.JaxRuntimeError:
            return False
        return True

    if jax.default_backend() != "cpu":
        return
    usual = compiler.get_compile_options
    options = {name: value for name, value in _QUICK.items() if known(name, value)}
    if "xla_cpu_use_fusion_emitters" not in options:
        options |= _WITH_EMITTERS
    flags = [f"--{name}={str(value).lower()}" for name, value in options.items()]
    os.environ["XLA_FLAGS"] = " ".join([*os.environ.get("XLA_FLAGS", "").split(), *flags])

    def get_compile_options(*args, env_options_overrides=None, **kwargs):
        overrides = {**(options if quick else {}), **(env_options_overrides or {})}
        return usual(*args, env_options_overrides=overrides, **kwargs)

    compiler.get_compile_options = get_compile_options
