"""Malformed calls, made of the calls in `cases/`: one argument of a good call is given another rank, dtype or value.

`rows(name)` are those of a module of cases that TensorFlow refused, recorded in `golden/malformed.json` by
`tests/record.py malformed`: the identity of the case, the change, and the type of the exception.
"""

import functools
import gzip
import json
import pathlib

import numpy as np
from cases._case import build_inputs, leaves, materialize, resolve
from cases._golden import cases_of

GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "malformed.json"
WHOLE = GOLDEN.with_name("malformed_whole.json.gz")
_DTYPES = ("string", "complex64", "bool", "int32", "float64", "uint8")
_AXES = ("axis", "axes", "batch_dims")


def rows(name):
    """List of `[case id, change, type of the exception]`."""
    return json.loads(GOLDEN.read_text(encoding="utf-8"))[name]


@functools.cache
def whole():
    """All calls that can be made: dict from a module of cases to lists of `[case id, change, TensorFlow, tfcompat]`.

    The last two are types of exceptions, None where there is none. The last is missing where both are the same.
    """
    return json.loads(gzip.decompress(WHOLE.read_bytes()))


def changes(tf, case, arrays):
    """What can be changed in a call: dict from a name to `(arrays, dtypes, argument)`.

    `arrays` and `dtypes` replace those of the inputs of these numbers, `argument` is a position or keyword and its
    value.
    """
    found = {}
    for i, array in enumerate(arrays):
        if array.ndim:
            found[f"{i} a scalar"] = {i: array.reshape(-1)[0] if array.size else np.zeros((), array.dtype)}, {}, None
            found[f"{i} without last elements"] = {i: array[..., :0]}, {}, None
            found[f"{i} twice as long"] = {i: np.concatenate([array, array])}, {}, None
        found[f"{i} of a higher rank"] = {i: array[None]}, {}, None
        if array.dtype == object:
            found[f"{i} int32"] = {i: np.zeros(array.shape, np.int32)}, {}, None
        else:
            for dtype in _DTYPES:
                if dtype != array.dtype.name:
                    found[f"{i} {dtype}"] = {}, {i: dtype}, None
    if len(arrays) > 1 and all(array.dtype != object for array in arrays):
        for dtype in _DTYPES:
            found[f"all {dtype}"] = {}, dict.fromkeys(range(len(arrays)), dtype), None
    for key, value in [*enumerate(case.args), *case.kwargs.items()]:
        for other in _others(value):
            found[f"{key}={other!r}"] = {}, {}, (key, other)
    names = [key for key in _AXES if key in _parameters(tf, case) and key not in case.kwargs]
    for key in names:
        if _parameters(tf, case).index(key) >= len(case.args):
            for other in (99, -99):
                found[f"{key}={other!r}"] = {}, {}, (key, other)
    return found


def _parameters(tf, case):
    from inspect import signature

    try:
        return list(signature(resolve(tf, case.symbol)).parameters)
    except (TypeError, ValueError, AttributeError):
        return []


def _others(value):
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, int):
        return [99, -99, None]
    if isinstance(value, str):
        return ["bogus"]
    if isinstance(value, list | tuple) and value and all(type(x) is int for x in value):
        return [[99] * len(value), [-99] * len(value), [*value, 1], list(value)[:-1]]
    return []


def refused(tf, case, case_id, change):
    """The type of the exception that the changed call raises, as text; None if it raises none."""
    inputs = build_inputs(case, case_id)
    arrays, dtypes, argument = changes(tf, case, inputs)[change]
    tensors = []
    for i, (leaf, array) in enumerate(zip(leaves(case), inputs, strict=True)):
        array = np.asarray(arrays.get(i, array), array.dtype)
        if dtypes.get(i) == "string" or array.dtype == object:
            array = np.asarray(array).astype(str).tolist() if i in dtypes else np.asarray(array).tolist()
        elif i in dtypes:
            array = (array if dtypes[i] == "complex64" else np.real(array)).astype(dtypes[i])
        tensors.append(tf.Variable(array) if leaf.is_variable else tf.constant(array))
    if case.options.seed is not None:
        tf.random.set_seed(case.options.seed)
    try:
        args, kwargs = materialize(case, tensors, tf)
        if argument is not None:
            key, value = argument
            if isinstance(key, int):
                args = [*args[:key], value, *args[key + 1 :]]
            else:
                kwargs = {**kwargs, key: value}
        owner, _, name = case.symbol.rpartition(".")
        call = getattr(args[0], name) if isinstance(resolve(tf, owner), type) else resolve(tf, case.symbol)
        call(*(args[1:] if isinstance(resolve(tf, owner), type) else args), **kwargs)
        (tf.constant(1.0) + 1.0).numpy()  # errors in values are raised where a value is read
    except Exception as error:
        return type(error).__name__
    return None


def good_calls(name):
    """A call of each symbol of a module of cases, `(case id, case)`: the one with the most tensors."""
    calls = {}
    for case_id, case in cases_of(name).items():
        if case.expect_error or case.symbol.startswith("tf.keras"):
            continue
        best = calls.get(case.symbol)
        if best is None or (-len(leaves(case)), len(case_id)) < (-len(leaves(best[1])), len(best[0])):
            calls[case.symbol] = case_id, case
    return list(calls.values())


def recorded_errors(name):
    """How many cases of a module, by symbol, are recorded to raise."""
    counts = {}
    for case in cases_of(name).values():
        counts[case.symbol] = counts.get(case.symbol, 0) + case.expect_error
    return counts
