"""Gradients inside functions, branches and loops are those of the same calls made eagerly: None, or the same numbers.

The calls are the golden cases, for which `test_golden.py` compares eager gradients with TensorFlow. A sample is
tested, each case in one place; with TFCOMPAT_TESTS=whole, one case of each symbol in all places.
"""


import numpy as np
import pytest
from _sampling import WHOLE, one_in
from cases import _golden
from cases._case import build_inputs, leaves
from cases._evaluate import _call, _flatten, _patterns, _sources

import tfcompat as tf

EVERY = one_in(5)
TOLERANCE = {"float16": 5e-2, "bfloat16": 2e-1, "float32": 1e-3, "complex64": 1e-3, "float64": 1e-8, "complex128": 1e-8}


def _function(f, *arguments):
    return tf.function(f, autograph=False)(*arguments)


def _eager(compute, sources):
    return compute(*sources)


def _argument(compute, sources):
    return _function(compute, *sources)


def _captured(compute, sources):
    return _function(lambda: compute(*sources))


def _nested(compute, sources):
    return _function(lambda: _function(compute, *sources))


def _branch(compute, sources):
    return _function(
        lambda p: tf.cond(p, lambda: compute(*sources), lambda: compute(*sources)), tf.constant(True)
    )  # fmt: skip


def _loop(compute, sources):
    def loop(count):
        start = [tf.zeros(t.shape, t.dtype) for t in compute(*sources)]
        return tf.while_loop(
            lambda i, *_: i < count, lambda i, *_: [i + 1, *compute(*sources)], [0, *start]
        )[1:]  # fmt: skip

    return _function(loop, tf.constant(1))


PLACES = {
    "argument": _argument, "captured": _captured, "variable": _captured, "nested": _nested, "branch": _branch,
    "loop": _loop,
}  # fmt: skip


def _gradients(case, inputs, place, variables=False):
    wanted, tensors = _sources(case), []
    for number, (leaf, array) in enumerate(zip(leaves(case), inputs, strict=True)):
        value = array.tolist() if array.dtype == object else array
        is_variable = leaf.is_variable or variables and number in wanted
        tensors.append(tf.Variable(value) if is_variable else tf.constant(value))
    sources = [tensors[number] for number in wanted]

    def compute(*values):
        arguments = list(tensors)
        for number, value in zip(wanted, values, strict=True):
            arguments[number] = value
        results = [x for x in _flatten(tf, _call(tf, case, arguments)) if tf.is_tensor(x)]
        return [x for x in results if x.dtype.is_floating or x.dtype.is_complex]

    with tf.GradientTape() as tape:
        tape.watch(sources)
        results = tf.nest.flatten(place(compute, sources))
    gradients = tape.gradient(results, sources, output_gradients=_patterns(tf, results, 0.3))
    return [None if g is None else tf.convert_to_tensor(g).numpy() for g in gradients]


# In functions these raise, as in TensorFlow: a variable may not be made there, and a tensor of a trace is no constant.
EAGER_ONLY = {"tf.random.Generator.normal", "tf.constant"}


def _parameters():
    seen, names = set(), list(PLACES)
    for module in _golden.modules():
        outcomes, _ = _golden.load(module)
        for case_id, case in _golden.cases_of(module).items():
            if case.symbol in seen | EAGER_ONLY or not isinstance(outcomes[case_id].gradients, list):
                continue
            seen.add(case.symbol)
            number = len(seen)
            for name in names if WHOLE else [names[number // EVERY % len(names)]] * (number % EVERY == 0):
                yield pytest.param(name, case, case_id, id=f"{name}:{module}:{case_id}")


@pytest.mark.parametrize("name, case, case_id", list(_parameters()))
@pytest.mark.usefixtures("interpreted")
def test_as_eagerly(name, case, case_id):
    inputs = build_inputs(case, case_id)
    expected = _gradients(case, inputs, _eager)
    gradients = _gradients(case, inputs, PLACES[name], name == "variable")
    for number, (one, other) in enumerate(zip(gradients, expected, strict=True)):
        if name == "loop" and other is None:  # as in TensorFlow
            assert one is None or not one.any(), f"gradient {number}"
            continue
        assert (one is None) == (other is None), f"gradient {number}: is {one}, eagerly {other}"
        if one is not None and not _is_drawn(case):
            assert (one.dtype, one.shape) == (other.dtype, other.shape), f"gradient {number}"
            _assert_close(one, other, f"gradient {number}")


def _is_drawn(case):
    """Whether there are random numbers in it, which are others in each place."""
    return case.options.seed is not None or "random" in case.symbol or "Generator" in repr(case)


def _assert_close(one, other, what):
    room = TOLERANCE[other.dtype.name]
    one, other = one.astype(np.complex128), other.astype(np.complex128)
    largest = np.abs(other[np.isfinite(other)]).max(initial=1.0)
    assert np.allclose(one, other, rtol=room, atol=room * largest, equal_nan=True), f"{what}: {one}, eagerly {other}"
