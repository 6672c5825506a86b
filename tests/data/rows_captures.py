"""Functions of datasets read the Python variables of the moment at which they are passed on."""

import functools

import numpy as np
from rows import row, row_for

from ._elements import elements

SOURCES = {
    "numbers": lambda D: D.range(4),
    "text": lambda D: D.from_tensor_slices(["0", "1", "2", "3"]),
    "sizes": lambda D: D.range(4).map(lambda x: x[None]).padded_batch(2, [None]).unbatch(),
}

# Each takes (D, source, f): `f` is a function of an element to the int64 of a variable that changes afterwards.
TRANSFORMATIONS = {
    "map": lambda D, d, f: d.map(f),
    "parallel_map": lambda D, d, f: d.map(f, num_parallel_calls=2),
    "map_of_what_it_calls": lambda D, d, f: d.map(lambda x: _called(f, x)),
    "filter": lambda D, d, f: D.zip(D.range(4), d).filter(lambda i, x: i > f(x)).map(lambda i, x: i),
    "take_while": lambda D, d, f: D.zip(D.range(4), d).take_while(lambda i, x: i < f(x)).map(lambda i, x: i),
    "flat_map": lambda D, d, f: d.flat_map(lambda x: D.from_tensors(f(x))),
    "flat_map_of_map": lambda D, d, f: d.flat_map(lambda x: D.from_tensors(x).map(f)),
    "interleave": lambda D, d, f: d.interleave(lambda x: D.from_tensors(f(x)), cycle_length=2),
    "parallel_interleave": lambda D, d, f: d.interleave(
        lambda x: D.from_tensors(f(x)), cycle_length=2, num_parallel_calls=2
    ),
    "scan": lambda D, d, f: d.scan(np.int64(1), lambda state, x: (state + f(x), state)),
    "group_by_window_key": lambda D, d, f: d.group_by_window(
        lambda x: f(x), lambda key, group: D.from_tensors(key), window_size=2
    ),
    "group_by_window_reduce": lambda D, d, f: d.group_by_window(
        lambda x: np.int64(0), lambda key, group: group.map(f), window_size=2
    ),
    "group_by_window_size": lambda D, d, f: d.group_by_window(
        lambda x: np.int64(0),
        lambda key, group: group.map(lambda x: np.int64(7)).batch(4),
        window_size_func=lambda key: f(key) + 1,
    ),
    "bucket": lambda D, d, f: d.map(lambda x: ([1, 2], x)).bucket_by_sequence_length(
        lambda row, x: f(x, np.int32), [1, 2], [1, 2, 3], no_padding=True
    ).map(lambda row, x: row),
}  # fmt: skip


def _called(f, x):
    return f(x)


@row_for(source=[*SOURCES], transformation=[*TRANSFORMATIONS])
def loop_variable(tf, source, transformation):
    made = []
    for i in range(3):
        made.append(TRANSFORMATIONS[transformation](  # noqa: PERF401
            tf.data.Dataset, SOURCES[source](tf.data.Dataset), lambda x, dtype=np.int64: tf.cast(i, dtype)  # noqa: B023
        ))  # fmt: skip
    return [elements(dataset) for dataset in made]


NUMBER = 0
NUMBERS = [0]
ARRAY = np.array([0])


def _helper():
    return NUMBER


def _of_global(tf):
    def f(x):
        return tf.cast(NUMBER, tf.int64)

    return f


def _of_helper(tf):
    def f(x):
        return tf.cast(_helper(), tf.int64)

    return f


def _of_list(tf):
    return lambda x: tf.cast(NUMBERS[0], tf.int64)


def _of_array(tf):
    return lambda x: tf.cast(ARRAY, tf.int64)[0]


def _of_default(tf):
    def f(x, numbers=NUMBERS, *, more=NUMBERS):
        return tf.cast(numbers[0], tf.int64) * 10 + more[0]

    return f


def _of_partial(tf):
    return functools.partial(lambda x, numbers: tf.cast(numbers[0], tf.int64), numbers=NUMBERS)


def _of_branch(tf):
    def f(x):
        if tf.size(x) > 0:
            return tf.cast(NUMBER, tf.int64)
        return tf.cast(-NUMBER, tf.int64)

    return f


def _of_recursion(tf):
    number = NUMBERS

    def f(x, depth=2):
        return f(x, depth - 1) if depth else tf.cast(number[0], tf.int64)

    return lambda x: f(x)


def _of_comprehension(tf):
    return lambda x: tf.add_n([tf.cast(NUMBERS[0] * n, tf.int64) for n in range(3)])


def _set(value):
    global NUMBER
    NUMBER = value
    NUMBERS[0] = value
    ARRAY[0] = value


VARIABLES = {
    "global": _of_global,
    "global_of_what_it_calls": _of_helper,
    "list": _of_list,
    "array": _of_array,
    "default": _of_default,
    "partial": _of_partial,
    "branch": _of_branch,
    "recursion": _of_recursion,
    "comprehension": _of_comprehension,
}


@row_for(source=[*SOURCES], variable=[*VARIABLES])
def other_variable(tf, source, variable):
    made = []
    for value in range(3):
        _set(value)
        made.append(SOURCES[source](tf.data.Dataset).map(VARIABLES[variable](tf)))
    _set(0)
    return [elements(dataset) for dataset in made]


@row_for(source=[*SOURCES])
def variables_of_py_function_are_read_late(tf, source):
    made = []
    seen = []
    for i in range(3):

        def inner(x):
            seen.append(NUMBER)
            return np.int64(i)  # noqa: B023

        def outer(x):
            def defined_in_it(x):
                seen.append(i)  # noqa: B023
                return np.int64(i)  # noqa: B023

            first = tf.py_function(inner, [x], tf.int64)  # noqa: B023
            second = tf.numpy_function(defined_in_it, [x], tf.int64)
            return first, second

        made.append(SOURCES[source](tf.data.Dataset).map(outer))
    _set(5)
    found = [elements(dataset) for dataset in made]
    _set(0)
    return found, sorted(seen)


@row
def tf_variables_are_read_late(tf):
    v = tf.Variable(1, dtype=tf.int64)
    made = [SOURCES[source](tf.data.Dataset).map(lambda x: v + 1) for source in SOURCES]
    v.assign(5)
    return [elements(dataset) for dataset in made]


@row
def generators_read_late(tf):
    numbers = [1]

    def generator():
        yield from numbers

    made = tf.data.Dataset.range(2).flat_map(lambda x: tf.data.Dataset.from_generator(generator, tf.int64))
    numbers.append(2)
    return elements(made)


@row_for(source=[*SOURCES])
def a_function_that_changes_its_variable(tf, source):
    number = 0

    def f(x):
        nonlocal number
        number += 1
        return tf.cast(0, tf.int64)

    return elements(SOURCES[source](tf.data.Dataset).map(f))


@row_for(source=[*SOURCES])
def tf_function_of_a_loop(tf, source):
    made = []
    for i in range(3):

        @tf.function
        def f(x):
            return tf.cast(i, tf.int64)  # noqa: B023

        made.append(SOURCES[source](tf.data.Dataset).map(f))
    return [elements(dataset) for dataset in made]


@row
def a_traced_tf_function(tf):
    """Its traces are shared with the dataset: those of the dataset serve later calls."""
    number = 1

    @tf.function
    def f(x):
        return tf.cast(number, tf.int64)

    first = f(tf.constant(1.0))
    number = 2
    made = tf.data.Dataset.from_tensor_slices(["a", "b"]).map(lambda x: (f(x), f(1.0)))
    number = 3
    return elements(made), first, f(tf.constant("a")), f(tf.constant(2.0)), f(tf.constant([1])), number


@row
def methods(tf):
    class Parser:
        def __init__(self, numbers):
            self.numbers = numbers

        def parse(self, x, more=NUMBERS):
            return tf.cast(NUMBER + self.numbers[0], tf.int64)

    made = []
    for value in range(3):
        _set(value)
        made.append(tf.data.Dataset.from_tensor_slices(["a", "b"]).map(Parser([10]).parse))
    _set(0)
    return [elements(dataset) for dataset in made]


@row
def nested_datasets(tf):
    made = []
    for i in range(2):

        def rows(x):
            labels = tf.data.Dataset.from_tensors(x).map(lambda x: i)  # noqa: B023
            return labels.concatenate(tf.data.Dataset.from_generator(lambda: [i], tf.int32))  # noqa: B023

        made.append(tf.data.Dataset.from_tensor_slices(["a", "b"]).interleave(rows))
    return [elements(dataset) for dataset in made]
