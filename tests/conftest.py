"""What all tests share: both execution modes, reproducible property tests."""

import os

import hypothesis
import pytest

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
