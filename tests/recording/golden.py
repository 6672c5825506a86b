"""What TensorFlow answers to the cases in `cases/`; parts are modules of cases.

Every case that has no golden, or an outdated one, is recorded; with `--all` each.
"""

import platform

import numpy as np
from cases import _golden
from cases._evaluate import collect, evaluate
from cases._golden import cases_of, modules


def record(tf, options):
    complaints = []
    for name in options.parts or modules():
        complaints += _record_module(tf, name, options.all)
    return complaints


def check(options):
    """Says which cases have no golden or an outdated one, and which goldens have no case."""
    return [complaint for name in options.parts or modules() for complaint in _missing(name)]


def _record_module(tf, name, everything):
    """Records one module; returns the complaints."""
    cases = cases_of(name)
    digests = {case_id: _golden.digest(case, case_id) for case_id, case in cases.items()}
    loaded, known = _golden.load(name)
    outcomes = dict(loaded)
    wanted = [case_id for case_id in cases if everything or known.get(case_id) != digests[case_id]]
    leftover = set(outcomes) - set(cases)
    if not wanted and not leftover:
        return []
    complaints = []
    for case_id in wanted:
        outcomes.pop(case_id, None)
        try:
            outcome = collect(evaluate(tf, cases[case_id], case_id))
        except Exception as error:
            complaints.append(
                f"{name}: {case_id}: {type(error).__name__}: {' '.join(str(error).split())[:300]}"
            )
            continue
        if cases[case_id].expect_error and outcome.error is None:
            complaints.append(f"{name}: {case_id}: marked .raises(), but TensorFlow accepts it")
            continue
        outcomes[case_id] = outcome
    for case_id in leftover:
        del outcomes[case_id]
    header = {
        "tensorflow": tf.__version__,
        "numpy": np.__version__,
        "platform": f"{platform.system()}-{platform.machine()}",
    }
    _golden.save(name, header, outcomes, digests)
    print(
        f"{name}: {len(wanted) - len(complaints)} recorded, {len(leftover)} dropped, {len(outcomes)} in all"
    )
    return complaints


def _missing(name):
    """Says which cases of a module have no golden, an outdated one, or which goldens have no case."""
    cases = cases_of(name)
    outcomes, known = _golden.load(name)
    found = [f"{name}: missing: {case_id}" for case_id in cases if case_id not in known]
    found += [
        f"{name}: outdated: {case_id}"
        for case_id, case in cases.items()
        if case_id in known and known[case_id] != _golden.digest(case, case_id)
    ]
    return found + [f"{name}: left over: {case_id}" for case_id in outcomes if case_id not in cases]
