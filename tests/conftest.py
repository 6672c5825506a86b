"""What all tests share: both execution modes, reproducible property tests, programs compiled quickly."""

import collections
import contextlib
import fcntl
import os
import sys

import _collecting
import _compiling
import hypothesis
import pytest
from _sampling import one_in
from _steering import interpreted_for, steered

os.environ.setdefault("TFCOMPAT_CACHE", "off")  # tests leave nothing in the home folder
# Thousands of tests raise on purpose. JAX would take 10 ms each time to take its own frames out of the traceback.
os.environ.setdefault("JAX_TRACEBACK_FILTERING", "off")
# Tests start Python about a hundred times. Without bytecode on disk each process compiles the whole package.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

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


_COMPILED_CODE_KEPT_FOR = 1500  # tests; a worker's memory would otherwise grow by gigabytes
_finished = 0


def pytest_runtest_teardown():
    global _finished
    _finished += 1
    if _finished % _COMPILED_CODE_KEPT_FOR == 0:
        import jax

        jax.clear_caches()


def pytest_addoption(parser):
    parser.addoption("--optimized", action="store_true", help="compile all programs as XLA does by default")
    parser.addoption("--interpreted", action="store_true", help="compile no program, however often it runs")
    parser.addoption("--one-in", type=int, default=1, metavar="N", help="run one test in N")


def pytest_xdist_auto_num_workers(config):
    """One process more than there are processors: some tests wait for processes that they have started."""
    return 1 + (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


_CHOICES_ONE_IN = one_in(3)
_IMMEDIATE_ROWS_ONE_IN = one_in(8)


def pytest_collection_modifyitems(config, items):
    """Chooses one test in N.

    Where many run, one in three of the choices of a row runs, the first one among them, and one in eight of the rows
    runs immediately that run deferred as well.
    """
    chosen, immediate, choices, are_many = [], 0, collections.Counter(), len(items) > 1000
    for i, item in enumerate(items):
        if are_many and _is_immediate_row(item):
            immediate += 1
            if immediate % _IMMEDIATE_ROWS_ONE_IN:
                continue
        elif are_many and getattr(item, "originalname", None) in ("test_row", "test_row_of_traced_code"):
            row, _, choice = item.callspec.id.partition("[")
            choices[item.originalname, row] += 1
            if choice and (choices[item.originalname, row] - 1) % _CHOICES_ONE_IN:
                continue
        if i % config.option.one_in == 0:
            chosen.append(item)
    kept = set(map(id, chosen))
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
    items[:] = chosen


def _is_immediate_row(item):
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    return getattr(item, "originalname", None) == "test_row" and parameters.get("execution") == "immediate"


def pytest_configure(config):
    config.addinivalue_line("markers", "optimized: compile as XLA does by default; for programs that run for long")


def pytest_collection_finish(session):
    _collecting.collect_seldom()
    if not session.config.option.optimized and not session.config.option.collectonly and session.items:
        _compiling.compile_quickly()
    if session.config.option.interpreted:
        from tfcompat.engine import _policy

        _policy.interpreted_runs = lambda *_: 1 << 30


@pytest.fixture(scope="session")
def made_once(tmp_path_factory, worker_id):
    """made_once(name, make): the text that `make()` gives, made by one of pytest's processes for all of them."""
    folder = tmp_path_factory.getbasetemp()
    folder = folder if worker_id == "master" else folder.parent

    def text(name, make):
        with (folder / name).open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            known = file.read()
            if not known:
                known = make()
                file.write(known)
        return known

    return text


@pytest.fixture
def steer():
    """steer(group, **numbers): sets numbers of a group of `engine._policy` for the test."""
    with contextlib.ExitStack() as stack:
        yield lambda group, **numbers: stack.enter_context(steered(group, **numbers))


@pytest.fixture
def compiled_at_once():
    """Programs are compiled before they run for the first time; otherwise new ones are interpreted."""
    with interpreted_for(0):
        yield


@pytest.fixture
def interpreted():
    """Programs are never compiled."""
    with interpreted_for(1 << 30):
        yield


def pytest_runtest_setup(item):
    _compiling.quick = item.get_closest_marker("optimized") is None
