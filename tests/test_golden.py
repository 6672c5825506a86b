"""Every case gives what TensorFlow gave: value, dtype, shape, derivatives to second order, exception type."""

import functools

import numpy as np
import pytest
from cases import _golden
from cases._evaluate import DERIVATIVES, Failure, Plain, Strings, collect, evaluate

import tfcompat as tf

# Largest difference allowed, relative to the golden's element, and to its largest element (bounded).
TOLERANCE = {
    "bfloat16": 2e-2,
    "float16": 2e-3,
    "float32": 2e-5,
    "float64": 1e-9,
    "complex64": 2e-5,
    "complex128": 1e-9,
}
SECOND_ORDER = 10  # a second derivative may be this much less exact

CASES = {
    (module, case_id): case
    for module in _golden.modules()
    for case_id, case in _golden.cases_of(module).items()
}
goldens = functools.cache(_golden.load)


PARAMETERS = [pytest.param(*key, id=":".join(key)) for key in CASES]


@pytest.mark.parametrize("module, case_id", PARAMETERS)
def test_golden(module, case_id, execution):
    outcomes, digests = goldens(module)
    case = CASES[module, case_id]
    recorded = digests.get(case_id) == _golden.digest(case, case_id)
    assert recorded, "no golden of this case: run record_golden.py"
    parts = DERIVATIVES if execution == "deferred" else ("gradients",)
    got = collect(evaluate(tf, case, case_id, parts))
    complaints = list(_differences(case, outcomes[case_id], got, parts))
    assert not complaints, "\n".join(complaints)


def _differences(case, golden, got, parts):
    """What differs, one line each."""
    if golden.error or got.error:
        if not golden.error or not got.error or golden.error.type != got.error.type:
            yield f"raises: expected {golden.error}, got {got.error}"
        return
    if golden.structure != got.structure:
        yield f"structure: expected {golden.structure}, got {got.structure}"
        return
    for number, (expected, value) in enumerate(zip(golden.values, got.values, strict=True)):
        yield from _difference(case, f"value {number}", expected, value, 1)
    if (golden.slices or []) != (got.slices or []) and not isinstance(got.gradients, Failure):
        yield f"gradients that are IndexedSlices: expected those of {golden.slices}, got {got.slices}"
    for part in parts:
        expected, derivative = getattr(golden, part), getattr(got, part)
        if isinstance(expected, Failure):
            # Where TensorFlow has no second derivative, or no JVP for want of one, nothing is compared.
            missing = isinstance(golden.gradients, Failure)
            if missing and (not isinstance(derivative, Failure) or derivative.type != expected.type):
                yield f"{part}: expected {expected}, got {_brief(derivative)}"
        elif isinstance(derivative, Failure) or (expected is None) != (derivative is None):
            yield f"{part}: expected {_brief(expected)}, got {_brief(derivative)}"
        elif expected is not None:
            factor = SECOND_ORDER if part == "second" else 1
            for number, (one, other) in enumerate(zip(expected, derivative, strict=True)):
                yield from _difference(case, f"{part} {number}", one, other, factor)


def _brief(part):
    return part if isinstance(part, Failure) or part is None else "values"


def _difference(case, what, expected, got, factor):
    if not isinstance(expected, np.ndarray) or not isinstance(got, np.ndarray):
        same = type(expected) is type(got) and (expected is None or vars(expected) == vars(got))
        if not same:
            yield f"{what}: expected {_show(expected)}, got {_show(got)}"
        return
    if expected.dtype != got.dtype or expected.shape != got.shape:
        yield f"{what}: expected {_show(expected)}, got {_show(got)}"
        return
    tolerance = TOLERANCE.get(expected.dtype.name, 0) * factor
    relative = tolerance if case.options.rtol is None else case.options.rtol
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64 if tolerance else expected.dtype
    one, other = expected.astype(wide), got.astype(wide)
    finite = np.abs(one[np.isfinite(one)]) if tolerance else np.zeros(0)
    absolute = tolerance * min(max(1.0, finite.max(initial=0.0)), 1e3)
    if case.options.atol is not None:
        absolute = case.options.atol
    close = (
        np.isclose(other, one, rtol=relative, atol=absolute, equal_nan=True) if tolerance else one == other
    )
    if not close.all():
        at = np.unravel_index(np.argmin(close), close.shape)
        yield (
            f"{what}: {np.size(close) - np.count_nonzero(close)} of {np.size(close)} differ, first at "
            f"{tuple(map(int, at))}: expected {one[at]}, got {other[at]}"
        )


def _show(value):
    if isinstance(value, np.ndarray):
        return f"{value.dtype.name}{list(value.shape)}"
    return value.values if isinstance(value, Strings) else value.text if isinstance(value, Plain) else value


def test_every_case_has_a_golden():
    for module in _golden.modules():
        outcomes, _ = goldens(module)
        assert set(outcomes) == set(_golden.cases_of(module)), f"run record_golden.py {module}"
