"""Runs a case on whatever module plays `tf`: the real one when recording, tfcompat when comparing.

Only TensorFlow's own API is used here, so that both sides do literally the same.
"""

import dataclasses
import re

import numpy as np

from cases._case import build_inputs, leaves, materialize, resolve


@dataclasses.dataclass
class Strings:
    """The value of a string tensor."""

    shape: list
    values: list


@dataclasses.dataclass
class Plain:
    """A result that is no tensor: a Python number, a dtype, a shape..."""

    text: str


@dataclasses.dataclass
class Failure:
    """An exception: its type's name and the text."""

    type: str
    message: str


def failure(error):
    text = " ".join(str(error).split())
    text = re.split(r" (?:defined at|Traceback) \(most recent call last\)", text)[0]  # no paths
    return Failure(type(error).__name__, text[:300])


@dataclasses.dataclass
class Outcome:
    """What a case gave. Holds tensors until `collect` turns them into arrays.

    The three derivative fields are None where there is nothing to differentiate, a `Failure` where
    differentiating raised, otherwise lists: `gradients` and `second` by source, `jvp` by floating output.
    """

    error: Failure | None = None
    structure: str | None = None
    values: list | None = None
    gradients: list | Failure | None = None
    slices: list | None = None
    jvp: list | Failure | None = None
    second: list | Failure | None = None


DERIVATIVES = ("gradients", "jvp", "second")


def pattern(shape, dtype, phase):
    """Fixed weights for cotangents and tangents: a cosine, no two alike, none zero."""
    steps = np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.float64).reshape(shape)
    values = np.cos(phase + 0.7 * steps)
    if dtype.kind == "c":
        values = values + 1j * np.sin(phase + 1.3 * steps)
    return values.astype(dtype)


def evaluate(tf, case, case_id, parts=DERIVATIVES, within=None):
    """The outcome of a case on module `tf`, its derivatives limited to `parts`.

    `within(call)` makes the call, in a function for instance. What the call of a case marked `.raises()` raises becomes
    part of the outcome; anything else propagates.
    """
    inputs = build_inputs(case, case_id)
    outcome = Outcome()
    try:
        result = _call(tf, case, _tensors(tf, case, inputs), within)
        outcome.structure = structure(tf, result)
        outcome.values = _flatten(tf, result)
    except Exception as error:
        if case.expect_error:
            # Some errors only show when the value is looked at.
            outcome.error = failure(error)
            return outcome
        raise
    if case.expect_error:
        try:
            collect(outcome)
        except Exception as error:
            return Outcome(error=failure(error))
        return outcome
    sources = _sources(case)
    if not case.options.order or not sources or not any(_is_target(value) for value in outcome.values):
        return outcome
    if "gradients" in parts:
        _reverse(tf, case, inputs, sources, outcome, case.options.order > 1 and "second" in parts, within)
    if "jvp" in parts:
        _forward(tf, case, inputs, sources, outcome, within)
    return outcome


def _tensors(tf, case, inputs):
    made = []
    for leaf, array in zip(leaves(case), inputs, strict=True):
        value = array.tolist() if array.dtype == object else array
        made.append(tf.Variable(value) if leaf.is_variable else tf.constant(value))
    return made


def _call(tf, case, tensors, within=None):
    if within is not None:
        return within(lambda: _call(tf, case, tensors))
    if case.options.seed is not None:
        tf.random.set_seed(case.options.seed)
    args, kwargs = materialize(case, tensors, tf)
    owner, _, name = case.symbol.rpartition(".")
    if isinstance(resolve(tf, owner), type):
        result = getattr(args[0], name)(*args[1:], **kwargs)
    else:
        result = resolve(tf, case.symbol)(*args, **kwargs)
    return case.post(tf, result, *args) if case.post else result


def _sources(case):
    every = leaves(case)
    if case.options.wrt is not None:
        return list(case.options.wrt)
    return [number for number, leaf in enumerate(every) if leaf.differentiable]


def _is_tensor(value):
    return hasattr(value, "numpy") and hasattr(value, "dtype")


def _is_target(value):
    return _is_tensor(value) and (value.dtype.is_floating or value.dtype.is_complex)


def _targets(tf, result):
    return [value for value in _flatten(tf, result) if _is_target(value)]


def _flatten(tf, result):
    flat = []
    for value in tf.nest.flatten(result):
        if isinstance(value, tf.Variable):
            flat.append(tf.convert_to_tensor(value))
        else:
            flat += tf.nest.flatten(value, expand_composites=True)
    return flat


def _patterns(tf, values, phase):
    return [
        tf.constant(pattern(value.shape.as_list(), np.dtype(value.dtype.as_numpy_dtype), phase + number))
        for number, value in enumerate(values)
    ]


def _reverse(tf, case, inputs, sources, outcome, second, within):
    tensors = _tensors(tf, case, inputs)
    chosen = [tensors[number] for number in sources]
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(chosen)
        try:
            with tf.GradientTape() as inner:
                inner.watch(chosen)
                targets = _targets(tf, _call(tf, case, tensors, within))
            gradients = inner.gradient(targets, chosen, output_gradients=_patterns(tf, targets, 0.3))
        except Exception as error:
            outcome.gradients = failure(error)
            return
        outcome.slices = [n for n, gradient in enumerate(gradients) if isinstance(gradient, tf.IndexedSlices)]
        gradients = [None if gradient is None else tf.convert_to_tensor(gradient) for gradient in gradients]
    outcome.gradients = gradients
    connected = [gradient for gradient in gradients if gradient is not None]
    if not second or not connected:
        return
    try:
        again = outer.gradient(connected, chosen, output_gradients=_patterns(tf, connected, 1.1))
        outcome.second = [None if value is None else tf.convert_to_tensor(value) for value in again]
    except Exception as error:
        outcome.second = failure(error)


def _forward(tf, case, inputs, sources, outcome, within):
    tensors = _tensors(tf, case, inputs)
    chosen = [tensors[number] for number in sources]
    try:
        with tf.autodiff.ForwardAccumulator(chosen, _patterns(tf, chosen, 2.0)) as accumulator:
            targets = _targets(tf, _call(tf, case, tensors, within))
        tangents = [accumulator.jvp(target) for target in targets]
        outcome.jvp = [None if tangent is None else tf.convert_to_tensor(tangent) for tangent in tangents]
    except Exception as error:
        outcome.jvp = failure(error)


def collect(outcome):
    """The outcome with every tensor replaced by its value: an array, `Strings` or `Plain`."""
    changes = {}
    for field in ("values", *DERIVATIVES):
        held = getattr(outcome, field)
        if isinstance(held, list):
            changes[field] = [_collect(value) for value in held]
    return dataclasses.replace(outcome, **changes)


def _collect(value):
    if value is None:
        return None
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value)
    if not _is_tensor(value):
        return Plain(_plain_text(value))
    array = value.numpy()
    if value.dtype.name == "string":
        array = np.asarray(array, dtype=object)
        return Strings(list(array.shape), [item.decode("utf-8", "surrogateescape") for item in array.ravel()])
    return np.asarray(array)


def _plain_text(value):
    for name in ("as_list", "name"):  # TensorShape, DType
        if hasattr(value, name):
            got = getattr(value, name)
            return f"{type(value).__name__}({got() if callable(got) else got})"
    return repr(value) if isinstance(value, (bool, int, float, complex, str, bytes)) else type(value).__name__


def structure(tf, value):
    """Nesting of a result as text: `*` a tensor, `[...]`, `(...)`, `Name(field=...)`, `{key:...}`."""
    if value is None:
        return "None"
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{structure(tf, value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        fields = ",".join(
            f"{name}={structure(tf, item)}" for name, item in zip(value._fields, value, strict=True)
        )
        return f"{type(value).__name__}({fields})"
    if isinstance(value, (list, tuple)):
        left, right = "[]" if isinstance(value, list) else "()"
        return left + ",".join(structure(tf, item) for item in value) + right
    if isinstance(value, np.ndarray):
        return "ndarray"
    return "*" if _is_tensor(value) else type(value).__name__
