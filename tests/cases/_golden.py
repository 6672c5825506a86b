"""Golden files: for each module of cases a readable `<name>.json` and the numbers in `<name>.npz`.

The manifest lists the outcome of each case with dtype and shape in place of each array. The arrays themselves
are laid end to end, in the order of the manifest, in one flat array a dtype.
"""

import dataclasses
import functools
import hashlib
import importlib
import json
import pathlib

import ml_dtypes
import numpy as np

from cases._case import build_inputs, case_ids, numpy_dtype
from cases._evaluate import DERIVATIVES, Failure, Outcome, Plain, Strings

RECORDED_ON = (3, 11)  # the version of Python
GOLDEN = pathlib.Path(__file__).parent.parent / "golden"


def modules():
    """Names of the modules of cases."""
    return sorted(path.stem for path in pathlib.Path(__file__).parent.glob("[a-z]*.py"))


@functools.cache  # many files of tests ask while they are collected
def cases_of(name):
    """Cases of one module by id; not to be changed."""
    cases = importlib.import_module(f"cases.{name}").CASES
    return dict(zip(case_ids(cases), cases, strict=True))


def digest(case, case_id):
    """Changes with anything that can change a case's golden: the call, its options, its input data.

    That of a case with a function after the call holds for RECORDED_ON only: it is made from the function's bytecode.
    """
    options = dataclasses.asdict(case.options)
    text = [case.description, options["order"], options["wrt"], options["seed"], case.expect_error]
    if case.post:
        text.append(case.post.__code__.co_code.hex() + repr(case.post.__code__.co_names))
    state = hashlib.sha256(repr(text).encode())
    for array in build_inputs(case, case_id):
        state.update(repr((array.dtype.name, array.shape)).encode())
        state.update(repr(array.tolist()).encode() if array.dtype == object else array.tobytes())
    return state.hexdigest()[:16]


def save(name, header, outcomes, digests):
    """Writes the golden files of one module; `outcomes` and `digests` by case id."""
    flat, lines = {}, []
    for case_id in sorted(outcomes):
        entry = {"digest": digests[case_id], **_encode(outcomes[case_id], flat)}
        lines.append(f"  {json.dumps(case_id)}: {json.dumps(entry, sort_keys=False)}")
    head = json.dumps(header, sort_keys=True)
    text = f'{{"recorded": {head},\n "cases": {{\n' + ",\n".join(lines) + "\n}}\n"
    (GOLDEN / f"{name}.json").write_text(text, encoding="utf-8")
    arrays = {dtype: np.concatenate(parts) for dtype, parts in sorted(flat.items())}
    np.savez_compressed(GOLDEN / f"{name}.npz", **arrays)


@functools.cache
def load(name):
    """`(outcomes, digests)` of one module by case id, not to be changed; both empty when it was never recorded."""
    path = GOLDEN / f"{name}.json"
    if not path.exists():
        return {}, {}
    manifest = json.loads(path.read_text(encoding="utf-8"))
    with np.load(GOLDEN / f"{name}.npz", allow_pickle=False) as arrays:
        supply = {dtype: _Reader(arrays[dtype]) for dtype in arrays.files}
    outcomes = {case_id: _decode(entry, supply) for case_id, entry in manifest["cases"].items()}
    return outcomes, {case_id: entry["digest"] for case_id, entry in manifest["cases"].items()}


class _Reader:
    def __init__(self, array):
        self.array, self.position = array, 0

    def take(self, count):
        self.position += count
        return self.array[self.position - count : self.position]


def _encode(outcome, flat):
    def leaf(value):
        if value is None:
            return None
        if isinstance(value, Strings):
            return {"strings": value.values, "shape": value.shape}
        if isinstance(value, Plain):
            return {"plain": value.text}
        stored = value.view(np.uint16) if value.dtype == ml_dtypes.bfloat16 else value
        flat.setdefault(value.dtype.name, []).append(stored.ravel())
        return [value.dtype.name, list(value.shape)]

    entry = {}
    for field in ("error", "structure", "values", "gradients", "slices", "jvp", "second"):
        held = getattr(outcome, field)
        if isinstance(held, Failure):
            entry[field] = {"raises": held.type, "message": held.message}
        elif field == "values" or (field in DERIVATIVES and held is not None):
            entry[field] = None if held is None else [leaf(value) for value in held]
        elif held:
            entry[field] = held
    return {field: value for field, value in entry.items() if value is not None}


def _decode(entry, supply):
    def leaf(value):
        if value is None:
            return None
        if isinstance(value, dict):
            return Plain(value["plain"]) if "plain" in value else Strings(value["shape"], value["strings"])
        dtype, shape = value
        array = supply[dtype].take(int(np.prod(shape, dtype=np.int64)))
        return array.view(numpy_dtype(dtype)).reshape(shape)

    fields = {}
    for field, held in entry.items():
        if field == "digest":
            continue
        if isinstance(held, dict):
            fields[field] = Failure(held["raises"], held["message"])
        elif field == "values" or field in DERIVATIVES:
            fields[field] = [leaf(value) for value in held]
        else:
            fields[field] = held
    return Outcome(**fields)
