"""Code that is traced for symbols in place of sizes must not ask whether sizes are equal: JAX says no.

`compared_sizes.toml` names the places that ask all the same, and why the answer does not matter there. Operations that
take other ways for certain sizes belong into `_families.BRANCHING`.
"""

import pathlib
import random
import re
import sys
import tomllib

import jax
import pytest
from _sampling import one_in
from cases import _golden
from cases._evaluate import collect, evaluate

import tfcompat as tf
from tfcompat import engine
from tfcompat._core.op import OPS
from tfcompat.engine import _families, _sizes
from tfcompat.engine.host.shelf import SHELF

HARMLESS = tomllib.loads(pathlib.Path(__file__).with_name("compared_sizes.toml").read_text(encoding="utf-8"))
# Where JAX looks for what it has traced, or for one type in place of another: a wrong no costs a trace.
CACHES = ("/jax/_src/core.py", "/jax/_src/pjit.py", "/jax/_src/util.py", "/jax/_src/tree_util.py", "/weakref.py",
          "/jax/_src/interpreters/", "/jax/_src/export/", "/jax/_src/linear_util.py", "/jax/_src/named_sharding.py",
          "/jax/_src/mesh.py", "/jax/_src/traceback_util.py", "/jax/_src/ad_util.py", "/jax/_src/lax/utils.py",
          "/contextlib.py", "/functools.py", "/dataclasses.py", "test_compared_sizes.py")  # fmt: skip


def _first_cases():
    """One case of each symbol, by module; in CI of one symbol in eight."""
    seen = set()
    for module in sorted(_golden.modules(), key=lambda module: module == "edges"):  # of odd sizes: last
        cases = []
        for case_id, case in _golden.cases_of(module).items():
            if case.symbol not in seen and not case.expect_error:
                seen.add(case.symbol)
                if len(seen) % one_in(8) == 0:
                    cases.append((case_id, case))
        if cases:
            yield pytest.param(cases, id=module)


def _may_be_zero(difference, least):
    """Whether an expression of symbols is zero for some sizes."""
    names = sorted(set(re.findall(r"\bv\d+\b", str(difference))))
    for seed in range(200):
        sizes = random.Random(seed).sample(range(least, least + 10 + len(names)), len(names))
        if _sizes.evaluated(str(difference), dict(zip(names, sizes, strict=True))) == 0:
            return True
    return False


class _Watch:
    """Notes where code compares sizes while something is traced for symbols, and the answer depends on the sizes."""

    def __init__(self):
        self.places = {}
        self.operation = None
        self.enabled = False

    def compare(self, plain, one, other):
        result = plain(one, other)
        if result or not self.enabled or not isinstance(other, int | type(one)):
            return result
        self.enabled = False
        try:
            difference = one - other
            by_axis = self.operation.startswith(_families.BY_AXIS)
            if jax.export.is_symbolic_dim(difference) and _may_be_zero(difference, 1 if by_axis else 2):
                place = self._place()
                if place is not None:
                    self.places.setdefault(place, f"{self.operation}: {one} == {other}")
        finally:
            self.enabled = True
        return result

    def _place(self):
        frame = sys._getframe(3)
        while frame.f_code.co_filename == "<string>":  # what `dataclasses` generates
            frame = frame.f_back
        code = frame.f_code
        path = code.co_filename
        if any(part in path for part in CACHES):
            return None
        path = path[path.rfind("/site-packages/") + 1 :].removeprefix("site-packages/")
        return f"{path[path.rfind('/tfcompat/') + 1 :] if '/tfcompat/' in path else path}:{code.co_qualname}"


@pytest.fixture
def watch(monkeypatch):
    """A `_Watch` of everything that is traced; what other tests have traced is put aside."""
    watch = _Watch()
    kind = type(next(iter(_families._SYMBOLS.values())))
    plain, attempted, founded = kind.__eq__, _families.attempted, _families.Family.__init__
    monkeypatch.setattr(kind, "__eq__", lambda one, other: watch.compare(plain, one, other))

    def watched(trace, *arguments):
        outer, watch.enabled = watch.enabled, True
        try:
            return attempted(trace, *arguments)
        finally:
            watch.enabled = outer

    def family(self, make_general, key, general=None):
        def made():
            watch.operation = (key or "").split(" ")[0]
            return make_general()

        founded(self, made, key, general)

    monkeypatch.setattr(_families, "attempted", watched)
    monkeypatch.setattr(_families.Family, "__init__", family)
    monkeypatch.setattr(SHELF, "get", lambda key: None)
    monkeypatch.setattr(SHELF, "put", lambda key, data: None)
    operations = {op.operation for op in OPS.values() if hasattr(op, "operation")}
    engine.flush(engine.state.pending)
    before = {operation: dict(operation.calls) for operation in operations}
    for operation in operations:
        operation.calls.clear()
        operation.families.clear()
    yield watch
    for operation, calls in before.items():
        operation.calls.clear()
        operation.calls.update(calls)
        operation.families.clear()


@pytest.mark.parametrize("cases", list(_first_cases()))
def test_sizes_are_compared_only_where_it_does_not_matter(cases, watch):
    for case_id, case in cases:
        with engine.execution_mode("immediate"):
            collect(evaluate(tf, case, case_id, ("gradients",)))
    harmless = tuple(HARMLESS["harmless"])
    unknown = {place: example for place, example in watch.places.items() if not place.startswith(harmless)}
    assert not unknown, "\n".join(f"{place}  {example}" for place, example in sorted(unknown.items()))
