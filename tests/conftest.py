"""What all tests share: both execution modes, reproducible property tests, programs compiled quickly."""

import contextlib
import gc
import os

import hypothesis
import pytest
from _steering import steered

os.environ.setdefault("TFCOMPAT_CACHE", "off")  # tests leave nothing in the home folder

hypothesis.settings.register_profile(
    "tfcompat", derandomize=True, database=None, max_examples=6, deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture],
)  # fmt: skip
hypothesis.settings.load_profile("tfcompat")


@pytest.fixture(params=["deferred", "immediate"])
def execution(request):
    """Runs the test in deferred, then in immediate execution."""
    from tfcompat import engine

    with engine.execution_mode(request.param):
        yield request.param


_COMPILED_CODE_KEPT_FOR = 300  # tests; a worker's memory would otherwise grow by gigabytes
_finished = 0


def pytest_runtest_teardown():
    global _finished
    _finished += 1
    if _finished % _COMPILED_CODE_KEPT_FOR == 0:
        import jax

        jax.clear_caches()


# Most of the time of the tests would be XLA's, spent on optimizing thousands of programs that run once. Processes that
# tests start compile as users' do, and so do the tests marked `optimized`, and all with `pytest --optimized`.
_QUICK = {
    "xla_backend_optimization_level": 0,
    "xla_cpu_use_fusion_emitters": False,
    "xla_cpu_parallel_codegen_split_count": 1,
}
_quick = False


def pytest_addoption(parser):
    parser.addoption("--optimized", action="store_true", help="compile all programs as XLA does by default")


def pytest_configure(config):
    config.addinivalue_line("markers", "optimized: compile as XLA does by default; for programs that run for long")


def pytest_collection_finish(session):
    gc.freeze()  # what thousands of tests are made of stays; garbage is looked for elsewhere
    if not session.config.option.optimized and not session.config.option.collectonly and session.items:
        _compile_quickly()


@pytest.fixture
def steer():
    """steer(group, **numbers): sets numbers of a group of `engine._policy` for the test."""
    with contextlib.ExitStack() as stack:
        yield lambda group, **numbers: stack.enter_context(steered(group, **numbers))


@pytest.fixture
def compiled_at_once(monkeypatch):
    """Programs are compiled before they run for the first time; otherwise new ones are interpreted."""
    from tfcompat.engine import _policy

    monkeypatch.setattr(_policy, "interpreted_runs", lambda *_: 0)


def pytest_runtest_setup(item):
    global _quick
    _quick = item.get_closest_marker("optimized") is None


def _compile_quickly():
    """Makes XLA compile with the options above, those of them that this version of it has, while `_quick` is set."""
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
    usual, options = compiler.get_compile_options, {name: value for name, value in _QUICK.items() if known(name, value)}

    def get_compile_options(*args, env_options_overrides=None, **kwargs):
        overrides = {**(options if _quick else {}), **(env_options_overrides or {})}
        return usual(*args, env_options_overrides=overrides, **kwargs)

    compiler.get_compile_options = get_compile_options
