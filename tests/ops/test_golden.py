"""Every case gives what TensorFlow gave: value, dtype, shape, derivatives to second order, exception type."""

import collections
import itertools
import os
import sys

import numpy as np
import pytest
from _sampling import WHOLE, one_in
from _steering import interpreted_for, steered
from cases import _golden
from cases._evaluate import DERIVATIVES, Failure, Plain, Strings, collect, evaluate

import tfcompat as tf
from tfcompat import engine
from tfcompat.engine import _policy as policy

# Largest difference allowed, relative to the golden's element, and to its largest element (bounded). Derivatives of
# results of a less exact dtype are no more exact than those: some processors compute in float16, others in float32.
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
PROGRAMS_KEPT = 100  # compiled programs pile up over thousands of cases
ALL_COMPILED = os.environ.get("TFCOMPAT_TIERS") == "compiled"  # what CI leaves out
EAGER_ONLY = {  # what functions refuse, in TensorFlow, too
    ("array", "tf.fill([2],f32(1))"),
    ("array", "tf.reverse(f32(0),[1])"),
    ("dtypes", "tf.range(int32=[3])"),
}
MADE_OF_OPS = {"linear_operators", "raw_ops_arrays", "raw_ops_sparse"}  # which have cases of their own


def _parameters():
    """The first case of a symbol and one in three of its others, most of them interpreted, as any program is at first.

    One symbol in three runs in all ways: compiled, immediate, and with derivatives in forward mode, which is what JAX
    derives reverse mode from. Compiled are also all numbers at the edge of their dtypes and, instead, one other case in
    eight, of raw ops one in 24; immediate, all that raise.
    """
    seen: dict = {}
    others = collections.Counter()
    for number, ((module, case_id), case) in enumerate(CASES.items()):
        known = case.symbol in seen
        others[case.symbol] += known
        if known and others[case.symbol] % one_in(3):
            continue
        first = seen.setdefault(case.symbol, len(seen)) % one_in(3) == 0 and not known
        parts = DERIVATIVES if first else ("gradients", "second")
        raw = module.startswith("raw_ops_") and module in MADE_OF_OPS
        edge = first or module == "edges"
        compiled = edge and not raw or number % (24 if raw else 8) == 0 or ALL_COMPILED
        if not compiled or edge or ALL_COMPILED or WHOLE:
            yield pytest.param("interpreted", parts, module, case_id, id=f"interpreted:{module}:{case_id}")
        if compiled:
            yield pytest.param("compiled", parts, module, case_id, id=f"compiled:{module}:{case_id}")
        if first and module not in MADE_OF_OPS or case.expect_error or WHOLE:
            yield pytest.param("immediate", ("gradients",), module, case_id, id=f"immediate:{module}:{case_id}")
        if WHOLE and _has_a_function(module, case_id, case):
            yield pytest.param("function", ("gradients", "second"), module, case_id, id=f"function:{module}:{case_id}")


def _has_a_function(module, case_id, case):
    """Whether a function gives what the call gives: no other exception, no other random numbers, and only tensors."""
    outcome = _golden.load(module)[0].get(case_id)
    drawn = case.options.seed is not None or "random" in case.symbol
    if not outcome or outcome.error or drawn or (module, case_id) in EAGER_ONLY:
        return False
    return "ndarray" not in outcome.structure and not any(isinstance(value, Plain) for value in outcome.values)


@pytest.fixture(scope="module", autouse=True)
def few_programs():
    with steered(policy.KEEPING, programs=PROGRAMS_KEPT):
        yield


@pytest.mark.parametrize("mode, parts, module, case_id", list(_parameters()))
def test_golden(mode, parts, module, case_id):
    outcomes, digests = _golden.load(module)
    case = CASES[module, case_id]
    recorded = digests.get(case_id) == _golden.digest(case, case_id)
    if case.post and sys.version_info[:2] != _golden.RECORDED_ON:
        recorded = case_id in digests
    assert recorded, "no golden of this case: python tests/record.py golden"
    # Entering an outermost tape cuts the recording; under this one, all of the case becomes one program.
    runs = {"interpreted": 1 << 30, "function": 1 << 30}.get(mode, 0)
    within = (lambda call: tf.function(call, autograph=False)()) if mode == "function" else None
    execution = "immediate" if mode == "immediate" else "deferred"
    with interpreted_for(runs), engine.execution_mode(execution), tf.GradientTape(watch_accessed_variables=False):
        try:
            got = collect(evaluate(tf, case, case_id, parts, within))
        except tf.errors.UnimplementedError as error:
            if mode != "function":
                raise
            pytest.xfail(f"refused in functions: {error}")
    if mode == "function":
        got.slices = outcomes[case_id].slices  # of functions they are dense, see differences.toml
    complaints = list(_unexpected(case, _differences(case, outcomes[case_id], got, parts), parts))
    assert not complaints, "\n".join(complaints)


def _unexpected(case, found, parts):
    """The differences found, less those that the case declares; and declarations that are no longer true."""
    declared = dict.fromkeys(case.differences, False)
    for part, complaint in found:
        if part in declared:
            declared[part] = True
        else:
            yield f"{part}: {complaint}"
    for part, seen in declared.items():
        if not seen and (part in parts or part not in DERIVATIVES):
            yield f"{part}: said to differ from TensorFlow, but does not"


def _differences(case, golden, got, parts):
    """What differs, as pairs of the part concerned and one line."""
    if golden.error or got.error:
        if not golden.error or not got.error or golden.error.type != got.error.type:
            yield "error", f"expected {golden.error}, got {got.error}"
        return
    if golden.structure != got.structure:
        yield "value", f"expected the structure {golden.structure}, got {got.structure}"
        return
    for number, (expected, value) in enumerate(zip(golden.values, got.values, strict=True)):
        yield from _difference(case, "value", number, expected, value)
    of_results = max([_tolerance(value) or 0 for value in golden.values], default=0)
    if (golden.slices or []) != (got.slices or []) and isinstance(golden.gradients, list):
        yield "gradients", f"expected IndexedSlices at {golden.slices}, got them at {got.slices}"
    for part in parts:
        expected, derivative = getattr(golden, part), getattr(got, part)
        if isinstance(expected, Failure):
            # Where TensorFlow has no second derivative, or no JVP for want of one, nothing is compared.
            missing = isinstance(golden.gradients, Failure)
            if missing and (not isinstance(derivative, Failure) or derivative.type != expected.type):
                yield part, f"expected {expected}, got {_brief(derivative)}"
        elif isinstance(derivative, Failure):
            yield part, f"expected {_brief(expected)}, got {derivative}"
        elif part == "gradients" and (expected is None) != (derivative is None):
            yield part, f"expected {_brief(expected)}, got {_brief(derivative)}"
        else:
            for number, (one, other) in enumerate(itertools.zip_longest(expected or [], derivative or [])):
                if part == "gradients" or not _both_vanish(one, other):
                    yield from _difference(case, part, number, one, other, of_results)


def _both_vanish(one, other):
    """Whether one is None and the other zeros.

    TensorFlow's gradient is None exactly where no path leads to the source, and so is ours. In its forward
    and second derivatives either may stand for the other, as its gradients happen to be composed.
    """
    present = other if one is None else one
    return (one is None) != (other is None) and isinstance(present, np.ndarray) and not present.any()


def _brief(part):
    return part if isinstance(part, Failure) or part is None else "values"


def _tolerance(value):
    """The largest difference allowed for the dtype of an array; None for other values."""
    return TOLERANCE.get(value.dtype.name) if isinstance(value, np.ndarray) else None


def _difference(case, part, number, expected, got, least=0):
    if not isinstance(expected, np.ndarray) or not isinstance(got, np.ndarray):
        same = type(expected) is type(got) and (expected is None or vars(expected) == vars(got))
        if not same:
            yield part, f"number {number}: expected {_show(expected)}, got {_show(got)}"
        return
    if expected.dtype != got.dtype or expected.shape != got.shape:
        yield part, f"number {number}: expected {_show(expected)}, got {_show(got)}"
        return
    usual = _tolerance(expected)
    if usual is None:
        close = expected == got
    else:
        usual = max(usual, least)
        wide = np.complex128 if expected.dtype.kind == "c" else np.float64
        expected, got = expected.astype(wide), got.astype(wide)
        largest = np.abs(expected[np.isfinite(expected)]).max(initial=1.0)
        options, factor = case.options, SECOND_ORDER if part == "second" else 1
        relative = factor * (usual if options.rtol is None else options.rtol)
        absolute = factor * (usual * min(largest, 1e3) if options.atol is None else options.atol)
        close = np.isclose(got, expected, rtol=relative, atol=absolute, equal_nan=True)
    if not close.all():
        at = np.unravel_index(np.argmin(close), close.shape)
        yield (
            part,
            (
                f"number {number}: {np.count_nonzero(~close)} of {close.size} differ, first at "
                f"{tuple(map(int, at))}: expected {expected[at]}, got {got[at]}"
            ),
        )


def _show(value):
    if isinstance(value, np.ndarray):
        return f"{value.dtype.name}{list(value.shape)}"
    return value.values if isinstance(value, Strings) else value.text if isinstance(value, Plain) else value


def test_every_case_has_a_golden():
    for module in _golden.modules():
        outcomes, _ = _golden.load(module)
        assert set(outcomes) == set(_golden.cases_of(module)), f"python tests/record.py golden {module}"
