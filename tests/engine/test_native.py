"""Compiled twins do what their Python functions do: `tfcompat._native.TWINS` names the test of each."""

import contextlib
import gc
import inspect
import operator
import os
import subprocess
import sys
import threading
import types
import weakref

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given

import tfcompat as tf
from tfcompat import _native, engine
from tfcompat._core.tensor import wrap
from tfcompat._native import PYTHON, TWINS
from tfcompat.distribute._values import Mirrored, PerReplica
from tfcompat.engine import _graph, _program, _structure
from tfcompat.engine.compile import unrolling

pytestmark = pytest.mark.usefixtures("compiled_at_once")

native = _native.compiled
built = pytest.mark.skipif(native is None, reason=f"no compiled twins: {_native.missing}")

X = np.linspace(-1.0, 1.0, 12, dtype=np.float32).reshape(3, 4)
N = np.array([3, 1, 2], np.int32)


class Tape(tf.GradientTape):
    """A subclass, whose own methods count."""

    def observe(self, *entry):
        self.observed = getattr(self, "observed", 0) + 1
        super().observe(*entry)


def _tape(x, v, body, tape=tf.GradientTape, **arguments):
    with tape(**arguments) as t:
        t.watch(x)
        y = body(x, v)
    return t, y


def _gradient(x, v, body, sources, tape=tf.GradientTape, **arguments):
    t, y = _tape(x, v, body, tape)
    return t.gradient(y, sources, **arguments)


def _persistent(x, v):
    with tf.GradientTape(persistent=1) as t:
        y = tf.exp(v * v)
        inside = t.gradient(y, v)
    return inside, t.gradient(y, [v]), t.gradient(y, v), t.watched_variables()


def _twice(x, v):
    t, y = _tape(x, v, lambda x, v: x * v)
    return t.gradient(y, [x, v]), t.gradient(y, x)


def _nested(x, v):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.nn.relu(x @ tf.transpose(v)) ** 2)
        slope = inner.gradient(y, v)
    return slope, outer.gradient(slope, [v])


def _forward(x, v):
    with tf.autodiff.ForwardAccumulator(v, tf.ones_like(v)) as forward, tf.GradientTape() as tape:
        y = tf.reduce_sum(v**3)
        slope = tape.gradient(y, v)
    return forward.jvp(slope), forward.jvp(y)


def _stopped(x, v):
    with tf.GradientTape() as t:
        y = v * v
        with t.stop_recording():
            z = y * v
        again = z * v
    return t.gradient([y, again], v)


def _assignments(x, v):
    before = v + 0.0
    results = [before]
    for value in (x, 2.0, np.ones((3, 4), np.float32), tf.Variable(X)):
        results += [v.assign(value) + 0.0, v.assign_add(x) + 0.0, v.assign_sub(value) + 0.0]
    results.append(v.assign_sub(x, read_value=False))
    v.assign(before)
    return results


def _assigned_under_a_tape(x, v):
    with tf.GradientTape() as t:
        y = v * x
        v.assign_add(x)
        y = tf.reduce_sum(y * v)
    slope = t.gradient(y, v)
    v.assign_sub(x)
    return slope


def _counter(x, v):
    count = tf.Variable(3)
    count.assign_add(2)
    count.assign(count * 2)
    return count + 0, count.read_value()


def _in_a_function(x, v):
    @tf.function
    def function(a, b=2.0):
        v.assign_add(a)
        with tf.GradientTape() as t:
            t.watch(a)
            y = tf.tanh(a * b) + v
        return t.gradient(y, a), [y]

    results = function(x), function(x), function(x, 3.0), function(a=x, b=-0.0)
    for _ in results:
        v.assign_sub(x)
    return results


def _of_jax(x, v):
    return tf.constant(jax.jit(lambda a: (tf.tanh(tf.constant(a)) * v + 1.0).__jax_array__())(X))


def _slots_of_tensors(x, v):
    y = x + 1.0
    y.note = "kept"
    return y.note, hash(y.ref()) == hash(y.ref())


def _renamed(**arguments):
    """The arguments under equal names that are other objects, as names that were read from a file are."""
    return {"".join(list(name)): value for name, value in arguments.items()}


# name: function of a float32 tensor and a variable, both [3, 4]
PROGRAMS = {
    "one": lambda x, v: (tf.tanh(x), tf.tanh(v), tf.tanh(x=x), tf.tanh(X), tf.negative(2.0)),
    "two": lambda x, v: (tf.multiply(x, v), tf.multiply(x, y=v), tf.multiply(y=x, x=v), tf.multiply(X, v)),
    "numbers": lambda x, v: (tf.multiply(x, 2.0), tf.multiply(2.0, v), tf.add(x, 1), tf.add(2, 3), tf.add(1.5, x)),
    "zeros": lambda x, v: (1.0 / (x * 0.0), tf.divide(1.0, x * 0.0 - 0.0), x / 0.0, x / -0.0,
                            x * 0, tf.divide(x, -0.0)),
    "several": lambda x, v: (tf.clip_by_value(x, -0.5, 0.5), tf.clip_by_value(x, v, 0.5), tf.where(x > 0, x, v)),
    "static": lambda x, v: (tf.reduce_sum(x), tf.reduce_sum(x, 1), tf.reduce_sum(x, axis=[0, 1], keepdims=True),
                            tf.reduce_sum(x, axis=-1), tf.cast(x, tf.float64), tf.reduce_sum(v, (0,), name="sum")),
    "static_of_two": lambda x, v: (tf.matmul(x, v, transpose_b=True), tf.matmul(x, v, False, True),
                                   tf.matmul(a=x, b=v, transpose_a=True)),
    "names_made_at_run_time": lambda x, v: [
        (tf.reduce_sum(**_renamed(input_tensor=x, axis=1, keepdims=True)),
         tf.matmul(x, **_renamed(b=v, transpose_b=True)),
         tf.clip_by_value(**_renamed(t=x, clip_value_min=-0.5, clip_value_max=0.5, name="clip")),
         tf.concat(**_renamed(values=[x, v], axis=0, name="both")))
        for _ in range(64)],
    "labels": lambda x, v: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.constant(N), logits=x),
    "lists": lambda x, v: (tf.concat([x, x], 0), tf.concat((x, v), axis=1), tf.stack([x, x]), tf.add_n([x, v]),
                           tf.concat([x], -1), tf.stack([x, X], axis=1)),
    "several_results": lambda x, v: (tf.unstack(x), tf.split(v, 2, axis=1), tf.nn.moments(x, [0]),
                                     tf.math.top_k(x, 2)),
    "operators": lambda x, v: (x + v, v + x, v - v, x * v, x / v, x @ tf.transpose(v), x > v, x <= 0.5, x == v,
                               -x, abs(v)),
    "operators_with_numbers": lambda x, v: (x + 1, 1 + x, v - 2.5, 2.5 - v, x * 2, 2 * v, x / 4, 4 / x, x % 0.3,
                                            x // 1),
    "powers": lambda x, v: (x**2, v**2, x**0.5, x**-1, 2.0**x, x**v, x**0, x**1),
    "operators_with_arrays": lambda x, v: (x + X, X + x, v * X, x * [1.0, 2.0, 3.0, 4.0], x + True),
    "integers": lambda x, v: (tf.constant(N) + 1, tf.constant(N) * tf.constant(N), tf.shape(x)[0] * 2,
                              tf.constant(N) // 2, tf.gather(x, tf.constant(N) - 1), tf.constant(3) + 0.5),
    "broadcast": lambda x, v: (x + x[:1], x[:, :1] * v, x + tf.constant(1.0)),
    "shapes": lambda x, v: x + tf.ones([2, 2]),
    "dtypes": lambda x, v: x + tf.cast(v, tf.float64),
    "dtypes_of_numbers": lambda x, v: tf.constant(N) * 0.5,
    "too_many": lambda x, v: tf.tanh(x, "name", 3),
    "unknown": lambda x, v: tf.tanh(x, axis=1),
    "missing": lambda x, v: tf.multiply(x),
    "twice": lambda x, v: tf.multiply(x, v, x=v),
    "text": lambda x, v: tf.strings.join([tf.constant("a"), "b"]),
    "others": lambda x, v: (tf.tanh(None)),
    "gradient": lambda x, v: _gradient(x, v, lambda x, v: tf.reduce_sum(tf.tanh(x * v)), [x, v]),
    "gradient_of_one": lambda x, v: _gradient(x, v, lambda x, v: tf.tanh(x * v), v),
    "gradient_of_tuple": lambda x, v: _gradient(x, v, lambda x, v: tf.tanh(x * v), (v, {"x": x})),
    "gradient_of_none": lambda x, v: _gradient(x, v, lambda x, v: tf.tanh(x), [x, v]),
    "gradient_of_zeros": lambda x, v: _gradient(x, v, lambda x, v: x * 1.0, [v], unconnected_gradients="zero"),
    "gradient_of_itself": lambda x, v: _gradient(x, v, lambda x, v: x, [x]),
    "gradient_of_constant": lambda x, v: _gradient(x, v, lambda x, v: tf.constant(X), [x]),
    "gradient_of_list": lambda x, v: _gradient(x, v, lambda x, v: [x * x, v], [x, v]),
    "gradient_with_seeds": lambda x, v: _gradient(x, v, lambda x, v: x * v, [v], output_gradients=tf.constant(X)),
    "gradient_of_integers": lambda x, v: _gradient(x, v, lambda x, v: tf.argmax(x, 1), [x]),
    "gradient_of_gather": lambda x, v: _gradient(x, v, lambda x, v: tf.gather(v, [0, 0, 1]) * 2.0, v),
    "gradient_of_a_subclass": lambda x, v: _gradient(x, v, lambda x, v: x * v, [x, v], Tape),
    "gradient_unused": lambda x, v: _tape(x, v, lambda x, v: x * v)[0].watched_variables(),
    "not_watched": lambda x, v: _tape(x, v, lambda x, v: x * v, watch_accessed_variables=False)[0].watched_variables(),
    "persistent": _persistent,
    "used_twice": _twice,
    "nested": _nested,
    "forward": _forward,
    "stopped": _stopped,
    "assignments": _assignments,
    "assigned_under_a_tape": _assigned_under_a_tape,
    "assigned_shape": lambda x, v: v.assign(x[:2]),
    "assigned_dtype": lambda x, v: v.assign_add(tf.cast(x, tf.float64)),
    "counter": _counter,
    "function": _in_a_function,
    "traced": _of_jax,
    "jacobian": lambda x, v: (lambda t, y: t.jacobian(y, [x, v]))(*_tape(x, v, lambda x, v: tf.reduce_sum(x * v, 1))),
    "notes": _slots_of_tensors,
}  # fmt: skip


def _shown(result):
    if isinstance(result, list | tuple):
        return [_shown(each) for each in result]
    if isinstance(result, dict):
        return {key: _shown(each) for key, each in result.items()}
    if isinstance(result, tf.IndexedSlices):
        return _shown([result.values, result.indices])
    if isinstance(result, tf.Tensor | tf.Variable):
        array = np.asarray(result.numpy())
        return type(result).__name__, str(result.dtype), array.shape, array.tobytes()
    return result


def _outcome(program, in_python):
    """What is recorded by a program, and its results, of five runs; in the last all that comes again is known."""
    x, v = tf.constant(X), tf.Variable(np.cos(X), name="v")
    outcomes = []
    _native.hand_over(debugging=in_python)
    try:
        for _ in range(5):
            engine.flush(engine.state.pending)
            try:
                result = program(x, v)
            except Exception as error:
                outcomes.append((type(error), str(error)))
                continue
            nodes = engine.state.pending.nodes
            recorded = tuple(_structure.encode(engine.state.pending, nodes[:], [])[0])
            outcomes.append((recorded, _shown(result)))
    finally:
        _native.hand_over(debugging=False)
        engine.state.context.watchers = ()
    return outcomes


def _assert_alike(program):
    in_python, compiled = _outcome(program, True), _outcome(program, False)
    assert compiled[-1] == in_python[-1]
    assert [outcome[1] for outcome in compiled] == [outcome[1] for outcome in in_python]


@built
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_recorded_is_what_python_records(name):
    _assert_alike(PROGRAMS[name])


_STEPS = st.lists(
    st.tuples(st.sampled_from(["tanh", "add", "mul", "scale", "square", "read", "assign", "relu"]), st.integers(0, 9)),
    min_size=1, max_size=12,
)  # fmt: skip


@built
@given(steps=_STEPS, count=st.integers(1, 3))
def test_programs_of_any_form_are_recorded_alike(steps, count):
    def program(x, v):
        slopes = []
        for _ in range(count):
            with tf.GradientTape(persistent=len(steps) % 2 == 0) as tape:
                tape.watch(x)
                values = [x, v * 1.0]
                for kind, which in steps:
                    a, b = values[which % len(values)], values[-1]
                    if kind == "assign":
                        v.assign_sub(0.5 * b)
                        continue
                    values.append({
                        "tanh": lambda a, b: tf.tanh(a), "add": lambda a, b: a + b, "mul": lambda a, b: a * b,
                        "scale": lambda a, b: 0.5 * a, "square": lambda a, b: a**2, "read": lambda a, b: a + v,
                        "relu": lambda a, b: tf.nn.relu(b),
                    }[kind](a, b))  # fmt: skip
            slopes.append(tape.gradient(values[-1], [x, v]))
            v.assign(tf.clip_by_value(v, -1.0, 1.0))
        return slopes, v + 0.0

    _assert_alike(program)


def _take_steps(values, steps):
    """Adds to a list of tensors what is computed of them."""
    for kind, which in steps:
        values.append(tf.tanh(values[-1]) if kind == "tanh" else values[which % len(values)] * values[-1])


@built
@given(steps=_STEPS, held=st.sets(st.integers(0, 12)), taped=st.booleans())
def test_what_others_hold_is_counted_as_python_does(steps, held, taped):
    x, v = tf.constant(X), tf.Variable(X)
    engine.flush(engine.state.pending)
    with tf.GradientTape() if taped else contextlib.nullcontext():
        values = [x, v * 1.0]
        _take_steps(values, steps)
        kept = [value for i, value in enumerate(values) if i in held]
        del values
        graph = engine.state.pending
        count = _structure.many_wanted(graph)
        assert count == PYTHON["tfcompat.engine._structure.many_wanted"](graph) >= len(held & {1})
    assert len(kept) <= len(held)


@built
@given(steps=_STEPS, held=st.sets(st.integers(0, 12)), cut=st.integers(0, 12))
def test_what_nobody_holds_is_taken_out(steps, held, cut):
    x = tf.constant(X)

    def left(take_unwanted):
        engine.flush(engine.state.pending)
        values = [x, x * 1.0]
        _take_steps(values, steps)
        kept = [value for i, value in enumerate(values) if i in held]
        del values
        graph = engine.state.pending
        graph.cut_point = min(cut, len(graph.nodes))
        taken = take_unwanted(graph)
        calls = _structure.calls_of(graph.nodes, 0, len(graph.nodes))
        return taken, graph.cut_point, calls, [value.numpy().tolist() for value in kept]

    assert left(_structure.take_unwanted) == left(PYTHON["tfcompat.engine._structure.take_unwanted"])


@built
def test_nothing_is_kept_of_what_is_recorded():
    x, v = tf.constant(X), tf.Variable(X)
    function = tf.function(lambda a: (a * v, v.assign_add(0.0 * a))[0])

    def turn():
        with tf.GradientTape() as outer:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(tf.tanh(tf.matmul(x, v, transpose_b=True)) ** 2 + 0.5, axis=1)
                y = tf.concat([y, y], 0) + tf.concat([y, y], axis=0)
            slope = tape.gradient(y, [x, v])
        tf.unstack(outer.gradient(slope[1], v))
        v.assign_sub(0.0 * slope[1])
        function(x)
        kept.append(weakref.ref(y))
        return y.numpy()

    kept: list = []
    counted = [x, x._node, v, x._node.aval, tf.tanh.operation, engine.NO_ATTRIBUTES, wrap]
    for _ in range(100):  # all is compiled
        turn()
    engine.flush(engine.state.pending)
    gc.collect()
    counts, objects = [sys.getrefcount(each) for each in counted], len(gc.get_objects())
    for _ in range(100):
        turn()
    engine.flush(engine.state.pending)
    gc.collect()
    assert [reference for reference in kept if reference() is not None] == []
    assert [sys.getrefcount(each) for each in counted] == counts
    assert len(gc.get_objects()) <= objects + 120  # the weak references among them


@built
def test_errors_of_watchers_come_through():
    class Refuses:
        def observe(self, call, inputs, outputs):
            raise ZeroDivisionError(call.operation.name)

        def variable_accessed(self, variable, node):
            raise LookupError(variable.name)

    x, v = tf.constant(X), tf.Variable(X, name="looked_at")
    tf.tanh(x)
    for program, kind, text in (
        (lambda: tf.tanh(x), ZeroDivisionError, "Tanh"), (lambda: x + 1.0, ZeroDivisionError, "Add"),
        (lambda: x + v, LookupError, "looked_at"), (lambda: tf.multiply(x, v), LookupError, "looked_at"),
    ):  # fmt: skip
        program()
        with engine.watching((Refuses(),)), pytest.raises(kind, match=text):
            program()


# --- each twin beside its Python function ----------------------------------------------------------------------------


def _twin(name):
    """What the name of a row of `TWINS` stands for."""
    module = max((m for m in sys.modules if name.startswith(m + ".")), key=len)
    return operator.attrgetter(name[len(module) + 1 :])(sys.modules[module])


def _described(value):
    """A value that can be compared: nodes by what they are made of."""
    if type(value) in (_graph.Node, PYTHON["tfcompat.engine._graph.Node"]):
        made_of = [getattr(value, slot, None) for slot in ("call", "inputs", "aval", "value", "graph", "index", "copy")]
        return [repr(value), *map(id, made_of[:1]), *map(_described, made_of[1:])]
    if isinstance(value, tf.Tensor):
        return type(value), value._node
    return [type(value), *map(_described, value)] if isinstance(value, list | tuple) else value


def _nodes(count):
    return [engine.leaf(np.full((2,), i, np.float32)) for i in range(count)]


def _pending(count):
    """Nodes of a graph of their own, each of the one before and of a leaf."""
    graph, leaves = _graph.Graph(), _nodes(2)
    for k in range(count):
        before = graph.nodes[-1] if k else leaves[0]
        graph.nodes.append(_graph.new_node(_call(), (before, leaves[1]), before.aval, None, graph))
    return leaves, graph.nodes


def _call():
    aval = _nodes(1)[0].aval
    return tf.add.operation.bind(tf.add.spec.plain, (aval, aval))


def _of_node(make):
    node, (leaf,) = make(), _nodes(1)
    for slot in ("call", "inputs", "aval", "value", "graph", "index"):
        setattr(node, slot, getattr(leaf, slot))
    del node.index
    return _described(node)


def _of_wiring(make):
    a, b, c = _nodes(3)
    wiring = make((0, 1, 0, 2))
    return [
        node and [(a, b, c).index(x) for x in node]
        for node in map(wiring.match, [(a, b, a, c), (b, c, b, a), (a, b, b, c), (a, a, a, c), (c, a, c, a)])
    ]


def _of_inputs_of(function):
    (a, b), nodes = _pending(3)
    wiring = _structure.Wiring((0, 1, 2, 3, 4, 0, 4, 1, 4))
    same = [_graph.new_node(_call(), (x, b), a.aval, None, None) for x in (a, nodes[0], b)]
    assert function(wiring, nodes) == (a, b)
    return function(wiring, same), function(_structure.Wiring((0, 1, 2, 3, 4, 0, 3, 1, 4)), nodes)


def _of_seen(function):
    (a, b), nodes = _pending(3)
    inputs = (a, b)
    before = function(nodes, inputs, (0,))
    assert function(nodes, inputs, (0,)) == before and function(nodes, (a, nodes[0]), ()) is None
    differ = []
    for held in (lambda: nodes[0], lambda: nodes[1].inputs, lambda: a, lambda: a.value, lambda: b):
        kept = held()
        differ.append(function(nodes, inputs, (0,)) != before)
        del kept
    assert function(nodes, inputs, (0,)) == before
    return differ


def _of_arrays(function):
    known, pending = _nodes(2), _pending(1)[1]
    failed = engine.leaf(np.zeros(()))
    failed.value = _program.Failure(ValueError())
    return [
        [np.asarray(x).tolist() for x in function(known)], [np.asarray(x).tolist() for x in function(tuple(known))],
        function([*known, *pending])[2:] if function.__name__ == "arrays_of" else function([*known, *pending]),
        type(function([failed])), function([]),
    ]  # fmt: skip


def _of_arrays_for_replicas(function):
    (known,), (pending,) = _nodes(1), _pending(1)[1]
    small, large = (engine.leaf(np.zeros(size, "f")) for size in (1, 4096))
    return [
        [x is node.value for x, node in zip(function(nodes), nodes, strict=True)]
        for nodes in ([known, small, pending], (small,), [])
    ], [type(x) is np.ndarray for x in (*function((small, large)), large.value)]  # fmt: skip


def _of_give(function):
    _, nodes = _pending(3)
    function(nodes, (0, 2), ["first", "third"])
    return [(node.value, len(node.inputs)) for node in nodes]


def _of_flattened(function):
    leaves, nodes = _pending(2)
    records = [(node.call, node.inputs, (node,)) for node in nodes]
    key, flat = function(records, [(nodes[1], None), (nodes[0], leaves[0])], [[leaves[1]], {leaves[0]: None}], "kind")
    return list(map(id, key[1:3])), [key[0], *key[3:]], [(leaves + nodes).index(node) for node in flat]


def _of_plain_key(function):
    x = tf.constant(X)
    return [
        (key, [node is x._node for node in nodes]) for key, nodes in (
            function((x, 1, 2.0, True, None, "text"), {"a": x, "b": -0.0}), function((x, 0), {}), function((), {}),
            function(((x, [1]), PerReplica([x, x])), {"b": (x, (None,))}), function((), {"a": np.zeros(1)}),
            function(((x, {1: 2}),), {}), function((PerReplica([x, np.zeros(1)]),), {}),
            function((Mirrored([x, x]),), {}),
        )
    ]  # fmt: skip


def _of_wrap(function):
    node = engine.leaf(X)
    with engine.Capture() as capture:
        symbol = capture.placeholder(node.aval)
        return [(type(tensor), tensor._node in (node, symbol)) for tensor in (function(node), function(symbol))]


def _of_parts_of(function):
    wholes = [jnp.zeros(2), jnp.ones(3)]
    parts = function(wholes, [(1, None, 0), (0, 1, 1), (1, 0, 2)], 7)
    return [
        (type(x), [x.whole is whole for whole in wholes], x.number, x.place, x._index, x.is_divided, x._taken)
        for x in parts
    ]  # fmt: skip


def _of_wholes_of(function):
    a, b, c = jnp.zeros(2), jnp.ones(2), np.zeros(2)
    arrays = (
        engine.Part(a, 0, 7, 0), engine.Part(a, 1, 7, 1), engine.Part(b, None, 7, 0), engine.Part(b, None, 7, 0),
        engine.Part(c, 0, 7, 0, True), engine.Part(c, 1, 7, 1, True), engine.Part(a, 0, 8, 0), c,
    )  # fmt: skip
    places = [(0, 1), (1, 0), (2, 3), (4, 5), (0, 5), (6, 1), (6, 6), (7, 7), (7, 1), (0, 7), (0, 0), (2, 2)]
    known = [None] * (len(places) - 3) + [((arrays[0], c), a), ((arrays[0], arrays[0]), b), ((arrays[0], c), b)]
    wholes, divided, others = function(arrays, places, 7, known)
    names = {id(a): "a", id(b): "b", id(c): "c", id(None): "none"}
    return [names[id(whole)] for whole in wholes], divided, others


def _of_in_order(function):
    nodes = list("abcdefgh")
    return [
        function(nodes, starts, keys)
        for starts, keys in (([0], [0]), ([0, 2, 2, 5, 7], [0, 2, 1, 0, 2]), ([0, 3, 4, 8], [6, 5, 5, 0]))
    ]


def _of_values_now(function):
    first, second, third = threading.local(), threading.local(), threading.local()
    first.a, first.b, third.c = [1, 2], (3,), "d"
    values = function([first, second, third])
    return [[first, second, third].index(state) for state, _ in values], [each for _, each in values], [
        each.get("a") is first.a for _, each in values
    ]  # fmt: skip


def _of_select_replica(function):
    x, y = tf.constant(X), tf.constant(N)
    both, odd = PerReplica([x, y]), PerReplica([None, (x, 5)])
    values = [x, both, (both, x), {"a": both, "b": {"c": odd}}, [both, odd], (), None, 7, (both, [odd, (both,)])]

    def named(value):
        if isinstance(value, (list, tuple)):
            return type(value)(map(named, value))
        if isinstance(value, dict):
            return {key: named(each) for key, each in value.items()}
        return "x" if value is x else "y" if value is y else value

    return [[named(function(replica, value)) for value in values] for replica in (0, 1)]


def _of_exchange(function):
    variables = [tf.Variable(X), tf.Variable(N)]
    before, after = [v._node for v in variables], tuple(_nodes(2))
    outcomes = []
    for present, nodes in ((before, after), (before, tuple(before)), ([after[0], before[1]], after), (None, after)):
        outcomes.append(function(variables, present, nodes))
        outcomes.append([v._node in after for v in variables])
    return outcomes


# The name of a row in `TWINS` -> function of the twin, or of its Python function, that says what it does.
VALUES = {
    "tfcompat.engine._graph.Node": _of_node,
    "tfcompat.engine._record._leaves": lambda f: _described(f((_nodes(1)[0].aval,) * 2, [X, X])),
    "tfcompat.engine._structure.Wiring": _of_wiring,
    "tfcompat.engine._structure.inputs_of": _of_inputs_of,
    "tfcompat.engine._structure.seen": _of_seen,
    "tfcompat.engine._structure.calls_of": lambda f: [
        list(map(id, f(_pending(4)[1], start, stop))) for start, stop in ((0, 4), (1, 3), (2, 2))
    ],
    "tfcompat.engine._flush._set_values": _of_give,
    "tfcompat.engine._parts.parts_of": _of_parts_of,
    "tfcompat.engine._parts.wholes_of": _of_wholes_of,
    "tfcompat.engine._gathering.in_order": _of_in_order,
    "tfcompat.distribute._values.select_replica": _of_select_replica,
    "tfcompat.distribute._lockstep.values_now": _of_values_now,
    "tfcompat.engine._program.arrays_of": _of_arrays,
    "tfcompat.engine._program.arrays_for_replicas": _of_arrays_for_replicas,
    "tfcompat.engine._program.known_arrays": _of_arrays,
    "tfcompat._core.tensor.wrap": _of_wrap,
    "tfcompat._core.variable._exchange": _of_exchange,
    "tfcompat.tape._walk.flattened": _of_flattened,
    "tfcompat.function._function._plain_key": _of_plain_key,
}


@built
@pytest.mark.parametrize("name", VALUES)
def test_functions_do_the_same(name):
    described = VALUES[name]
    assert _twin(name) is not PYTHON[name]
    assert repr(described(_twin(name))) == repr(described(PYTHON[name]))


@built
def test_turns_of_a_loop_are_gathered_alike(monkeypatch):
    name = "tfcompat.engine._record.next_iteration"
    engine.cut()
    graph, outcomes = engine.state.pending, []
    for next_iteration in (_twin(name), PYTHON[name]):
        x = tf.constant(X)
        loop = graph.loop = unrolling.UnrolledLoop((tf.tanh(x)._node.call,))
        loop._pending_from, loop._max_pending = 2, 4
        graph.nodes.clear()
        steps = []
        for k in range(6):
            x = tf.tanh(x) if k < 5 else tf.exp(x)
            next_iteration()
            ends = list(graph.iteration_ends)
            steps.append((len(graph.nodes), ends, graph.limit, loop._iterations, graph.loop is loop))
        outcomes.append(steps)
        engine.cut()
        graph.loop = None
    assert outcomes[0] == outcomes[1]
    assert any(ends for _, ends, *_ in outcomes[0])


_IN_REPLICAS = """
import json
import tfcompat as tf
from tfcompat import engine
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 3)
strategy = tf.distribute.MirroredStrategy()
kinds = tf.VariableAggregation
with strategy.scope():
    v, w, m = (tf.Variable([1.0, 2.0], aggregation=kind) for kind in (kinds.SUM, kinds.SUM, kinds.MEAN))
x = strategy.experimental_distribute_values_from_function(lambda c: tf.constant([1.0, c.replica_id_in_sync_group]))
def replica(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((v * x + w) ** 2 * m)
    slopes = tape.gradient(loss, [v, w])
    kept = v.assign_sub(0.1 * slopes[0])
    w.assign_add(delta=slopes[1])
    with tf.GradientTape() as tape:
        m.assign(slopes[0] + kept)
        again = v.assign(w * m, read_value=True)
    w.assign_sub(again, read_value=False)
    m.assign_sub(tf.constant([1.0, 1.0]))
    return loss, again, tape.watched_variables() == ()
for turn in range(3):
    results = strategy.run(replica, args=(x,))
    graph = engine.state.pending
    flat, uses, _ = engine._structure.encode(graph, graph.nodes, [])
    print([k if type(k) is int else (k.operation.name, str(k.aval)) for k in flat], uses)
    print([[part.numpy().tolist() for part in strategy.experimental_local_results(each)] for each in results[:2]])
    print([part.numpy().tolist() for each in (v, w, m) for part in each.values], results[2])
"""


@built
def test_variables_of_replicas_are_assigned_alike():
    outcomes = []
    for recorder in ("", "off"):
        environment = os.environ | {"JAX_PLATFORMS": "cpu", "TFCOMPAT_NATIVE": recorder}
        command = [sys.executable, "-c", _IN_REPLICAS]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        outcomes.append(done.stdout)
    assert outcomes[0] == outcomes[1]
    assert outcomes[0].count("CollectiveReduceV2") == 6 * 3


def test_every_row_has_its_test():
    assert TWINS.keys() <= PYTHON.keys()
    for name, twin in TWINS.items():
        assert callable(globals().get(twin.test)), f"{name}: there is no {twin.test}"
        assert (twin.test == "test_functions_do_the_same") == (name in VALUES), name


@built
def test_the_table_has_all_that_is_compiled():
    assert {twin.compiled for twin in TWINS.values()} == set(native.NAMES)
    assert native.HANDED_OVER == _native.HANDED_OVER
    assert native.missing() == []
    assert {name for name in TWINS if "<locals>" not in name and _twin(name) is PYTHON[name]} == set()


@built
@pytest.mark.parametrize("name", [name for name, twin in TWINS.items() if "<locals>" not in name])
def test_unfit_arguments_are_left_to_python(name):
    function, python = _twin(name), PYTHON[name]
    if isinstance(function, type) or function is engine.next_iteration:
        return
    for arguments in (
        lambda: (), lambda: (1, 2), lambda: (None,), lambda: (object(), object()), lambda: (object(), (), ()),
        lambda: ([1], [1], [1]), lambda: ([1], [1], [1], [1]), lambda: ([], [1], [], None),
        lambda: ([], [], [1], None), lambda: ([1, 2], (3,), (4,)),
        lambda: (tf.constant(X), tf.constant(X)), lambda: (tf.constant(X),) * 4, lambda: ([tf.constant(X)],),
    ):  # fmt: skip
        outcomes = []
        for each in (function, python):
            try:
                each(*arguments())
                outcomes.append(None)
            except Exception as error:
                outcomes.append((type(error), str(error).split(" at 0x")[0]))
        assert outcomes[0] == outcomes[1]


@built
def test_unfit_arguments_are_errors_not_crashes():
    x = tf.constant(X)
    for call in (
        lambda: native.Wiring((0,)).match([x]), lambda: native.Wiring(("a",)), lambda: native.Wiring((0,)).match(()),
        lambda: native.register(Tensor=1), lambda: native.register(1),
        lambda: native.register(Graph=int), lambda: native.KnownCall(1), lambda: native.Operator({}),
        lambda: native.Twin("record"), lambda: native.Wiring([x]), lambda: native.Indexing(x),
    ):  # fmt: skip
        with pytest.raises((TypeError, AttributeError)):
            call()
    with pytest.raises(ValueError, match="no compiled nothing"):
        native.Twin("nothing", len)
    for numbers in ((1,), (0, 2), (-1,)):
        with pytest.raises(ValueError, match="numbered as they come"):
            native.Wiring(numbers)


@built
def test_a_twin_shows_as_its_python_function():
    for method in (tf.GradientTape.gradient, tf.Variable.assign, tf.Tensor.__add__):
        assert inspect.isfunction(method) and inspect.isfunction(method.python)
        assert inspect.signature(method) == inspect.signature(method.python)
        assert repr(method) == repr(method.python) and method.__doc__ == method.python.__doc__
    assert type(tf.add) is types.FunctionType


@built
def test_the_default_mode_reaches_the_compiled_parts():
    before = _graph.default_immediate
    try:
        _graph.set_default_mode("immediate")
        assert (tf.constant(X) + 1.0)._node.value is not None
        _graph.set_default_mode("deferred")
        assert (tf.constant(X) + 1.0)._node.value is None
    finally:
        _graph.set_default_mode("immediate" if before else "deferred")
