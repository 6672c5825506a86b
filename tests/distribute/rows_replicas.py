"""The functions of replicas: where they are, how they meet, and derivatives through what they exchange."""

from rows import raised, row, row_for

from distribute._replicas import COUNT, each, new, number, of, variable


def _context(tf):
    return tf.distribute.get_replica_context()


def _run(tf, function, replicas=COUNT):
    strategy = of(tf, replicas)
    return each(strategy, strategy.run(lambda: function(_context(tf))))


@row_for(op=["SUM", "MEAN"], replicas=[2, 4])
def all_reduced(tf, op, replicas):
    return _run(tf, lambda context: context.all_reduce(op, number(tf) + [1.0, 2.0]), replicas)


@row
def all_reduced_nests(tf):
    return _run(tf, lambda c: c.all_reduce("SUM", {"a": number(tf), "b": [number(tf) * [1.0, 2.0], number(tf) + 1.0]}))


@row
def all_reduced_integers(tf):
    return _run(
        tf, lambda c: (c.all_reduce("MEAN", number(tf, tf.int32) + 3), c.all_reduce("SUM", number(tf, tf.int64)))
    )


@row
def all_reduced_slices(tf):
    strategy = of(tf)

    def replica():
        slices = tf.IndexedSlices(number(tf) + [[1.0, 2.0]], tf.constant([1]), tf.constant([3, 2]))
        total = _context(tf).all_reduce("SUM", slices)
        return total.values, total.indices

    return each(strategy, strategy.run(replica))


@row
def all_reduced_arrays(tf, np):
    return _run(tf, lambda context: context.all_reduce("SUM", np.float32([1, 2])))


@row
def all_reduced_badly(tf):
    strategy = of(tf)
    return (
        raised(lambda: strategy.run(lambda: _context(tf).all_reduce("MAX", number(tf))), "'MAX' is not a valid"),
        raised(lambda: strategy.run(lambda: _context(tf).all_reduce("SUM", 1)), "has no attribute 'dtype'"),
    )


@row_for(axis=[0, 1])
def all_gathered(tf, axis):
    return _run(tf, lambda context: context.all_gather(number(tf) + [[1.0, 2.0], [3.0, 4.0]], axis=axis))


@row
def all_gathered_sizes(tf):
    return _run(tf, lambda context: context.all_gather(tf.fill([int(number(tf)) + 1, 2], number(tf)), axis=0))


@row
def all_gathered_nests(tf):
    return _run(tf, lambda c: c.all_gather([number(tf)[None], {"a": number(tf) * [[1.0, 2.0]]}], axis=0))


@row
def all_gathered_badly(tf):
    strategy = of(tf)
    return [
        raised(lambda x=x, axis=axis: strategy.run(lambda: _context(tf).all_gather(number(tf) * x, axis=axis)))
        for x, axis in ((tf.ones([2, 1]), -1), (1.0, 0), (tf.ones([2]), 1))
    ]


def _derivatives(tf, strategy, v):
    context = _context(tf)
    scale = number(tf) + 1.0
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(v * v) * scale
        total = context.all_reduce("SUM", y)
        mean = context.all_reduce("MEAN", v * scale)
        gathered = context.all_gather(v * scale, 0)
        of_gathered = tf.reduce_sum(gathered * gathered) * scale
    return [tape.gradient(target, v) for target in (y, total, mean, of_gathered)], [total, mean, gathered]


@row_for(way=["eager", "inside", "outside"])
def derivatives_of_collectives(tf, way):
    strategy = of(tf)
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])

    def replica():
        return _derivatives(tf, strategy, v)

    def step():
        return strategy.run(replica)

    if way == "inside":
        return each(strategy, strategy.run(tf.function(replica)))
    return each(strategy, tf.function(step)() if way == "outside" else step())


@row_for(way=["eager", "function"])
def second_derivatives_of_collectives(tf, way):
    strategy = of(tf)

    def replica():
        x = number(tf) + 2.0
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = _context(tf).all_reduce("SUM", x**3) ** 2
            first = inner.gradient(y, x)
        return y, first, outer.gradient(first, x)

    return each(strategy, (tf.function(strategy.run) if way == "function" else strategy.run)(replica))


@row
def tangents_of_collectives(tf):
    strategy = of(tf)

    def replica():
        x = number(tf) + 2.0
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
            y = _context(tf).all_reduce("MEAN", x * x)
        return y, accumulator.jvp(y)

    return each(strategy, strategy.run(replica))


@row
def tapes_around_replicas(tf):
    strategy = of(tf)
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        total = strategy.reduce("SUM", strategy.run(lambda: v * number(tf)), axis=None)
    with tf.GradientTape() as other:
        outside = tf.reduce_sum(v * 3.0)
    return tape.gradient(total, v), other.gradient(outside, v)


@row
def watched_variables(tf):
    strategy = of(tf)
    with strategy.scope():
        v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="w")

    def replica():
        with tf.GradientTape() as tape:
            y = v * w
        return [x.name for x in tape.watched_variables()], tape.gradient(y, {"v": v, "w": w})

    return each(strategy, strategy.run(replica)[1]), strategy.run(replica)[0]


@row
def where_replicas_are(tf):
    strategy = of(tf)
    distribute = tf.distribute

    def replica():
        context = _context(tf)
        return (
            distribute.in_cross_replica_context(), distribute.has_strategy(), distribute.get_strategy() is strategy,
            context.num_replicas_in_sync, repr(context.replica_id_in_sync_group), context.strategy is strategy,
        )  # fmt: skip

    return each(strategy, list(strategy.run(replica)))


@row
def where_scopes_are(tf):
    strategy = of(tf)
    distribute = tf.distribute
    with strategy.scope() as entered:
        inside = distribute.in_cross_replica_context(), distribute.has_strategy(), _context(tf) is None
        with strategy.scope():
            again = distribute.get_strategy() is strategy
    return entered is strategy, inside, again, distribute.in_cross_replica_context(), distribute.has_strategy()


@row
def merged(tf):
    strategy = of(tf)

    def merge(over, a, b=None):
        return repr(a), repr(b), tf.distribute.in_cross_replica_context(), over is strategy, a

    result = strategy.run(lambda: _context(tf).merge_call(merge, args=(number(tf),), kwargs={"b": [3, number(tf)]}))
    nothing = strategy.run(lambda: _context(tf).merge_call(lambda over: None))
    return result[:4], each(strategy, result[4]), nothing


@row_for(way=["eager", "function"])
def merged_into_what_all_have(tf, way):
    """Replicas that return what was sent to all of them return a value each; what one place has is one value."""
    strategy = new(tf)
    v = variable(tf, strategy, "NONE", False)
    extended = strategy.extended
    merges = [
        lambda over, x: extended.reduce_to("SUM", x, v), lambda over, x: extended.reduce_to("SUM", x, "/cpu:0"),
        lambda over, x: extended.batch_reduce_to("MEAN", [(x, v)])[0], lambda over, x: strategy.reduce("SUM", x, None),
        lambda over, x: extended.broadcast_to(tf.constant(2.0), v), lambda over, x: extended.update(v, lambda y: y + 1),
        lambda over, x: extended.read_var(v), lambda over, x: strategy.experimental_local_results(x)[1],
    ]  # fmt: skip

    def step():
        return strategy.run(lambda: [_context(tf).merge_call(merge, (number(tf) + 1.0,)) for merge in merges])

    return [each(strategy, x) for x in (tf.function(step) if way == "function" else step)()]


@row
def merged_badly(tf):
    strategy = of(tf)

    def twice():
        context = _context(tf)
        return context.merge_call(lambda over: context.merge_call(lambda again: 1))

    def first_only():
        if int(number(tf)) == 0:
            _context(tf).all_reduce("SUM", number(tf))
        return 1

    def second_only():
        if int(number(tf)) == 1:
            _context(tf).all_reduce("SUM", number(tf))
        return 1

    unequal = "Some replicas made a different number of replica_context().merge_call() calls"
    return (
        raised(lambda: strategy.run(twice), "Need to be inside `call_for_each_replica()`"),
        raised(lambda: strategy.run(first_only), unequal), raised(lambda: strategy.run(second_only), unequal),
    )  # fmt: skip


@row
def merged_in_a_branch(tf):
    strategy = of(tf)

    @tf.function
    def step():
        def replica():
            context = _context(tf)
            return tf.cond(number(tf) > 5.0, lambda: 0.0, lambda: context.all_reduce("SUM", number(tf)))

        return strategy.run(replica)

    return raised(step, "`merge_call` called while defining a new graph or a tf.function")


@row
def turns(tf):
    strategy, log = of(tf), []

    def replica():
        log.append(("a", int(number(tf))))
        _context(tf).merge_call(lambda over: log.append("merged"))
        log.append(("b", int(number(tf))))
        _context(tf).merge_call(lambda over: log.append("merged"))

    strategy.run(replica)
    return log


@row
def failing(tf):
    strategy, calls = of(tf, 4), []

    def replica(when):
        calls.append(int(number(tf)))
        if calls[-1] == when:
            raise KeyError("x")
        _context(tf).merge_call(lambda over: None)
        if calls[-1] == when + 10:
            raise KeyError("y")

    first = raised(lambda: strategy.run(replica, args=(0,)), "x"), list(calls)
    calls.clear()
    return first, raised(lambda: strategy.run(replica, args=(2,)), "x"), list(calls), strategy.run(lambda: 3)


@row
def not_in_replicas(tf):
    strategy = of(tf)
    text = "Method requires being in cross-replica context, use get_replica_context().merge_call()"
    return [
        raised(lambda f=f: strategy.run(f), text)
        for f in (
            lambda: strategy.run(lambda: 1), lambda: strategy.reduce("SUM", number(tf), axis=None),
            lambda: strategy.scope().__enter__(),
        )
    ]  # fmt: skip


@row
def two_strategies(tf):
    one, other = of(tf), new(tf)
    with one.scope():
        v = tf.Variable(1.0)
    value = one.run(lambda: number(tf))

    def in_scope(f):
        with one.scope():
            return f()

    def enter():
        with other.scope():
            pass

    def assign():
        with other.scope():
            v.assign(2.0)

    text = "Mixing different tf.distribute.Strategy objects"
    return (
        raised(lambda: in_scope(enter), text), raised(lambda: in_scope(lambda: other.run(lambda: 1)), text),
        raised(lambda: in_scope(lambda: other.reduce("SUM", value, axis=None)), text), raised(assign, text),
        each(other, other.run(lambda: v + 1.0)),
    )  # fmt: skip


@row
def malformed_calls(tf):
    strategy = of(tf)
    return (
        raised(lambda: strategy.run(3)),
        raised(lambda: strategy.run(lambda: 1, args=3), "positional args must be a list or tuple"),
    )


@row_for(way=["inside", "outside"])
def functions_are_traced_once(tf, way):
    strategy, calls = of(tf), []
    with strategy.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)

    def replica(x):
        calls.append(1)
        v.assign_add(x)
        return v * x

    if way == "inside":
        step = tf.function(replica)
        results = [strategy.run(step, args=(strategy.run(lambda: number(tf) + 1.0),)) for _ in range(3)]
    else:
        step = tf.function(lambda x: strategy.run(replica, args=(x,)))
        results = [step(strategy.run(lambda: number(tf) + 1.0)) for _ in range(3)]
    return [each(strategy, result) for result in results], len(calls), v.numpy()


@row
def eager_calls_are_counted(tf):
    strategy, calls = of(tf, 4), []
    for _ in range(3):
        strategy.run(lambda: calls.append(1))
    return len(calls)


@row
def functions_in_replicas(tf):
    strategy, traces = of(tf), []

    @tf.function
    def inner(x):
        traces.append(1)
        return x * 2.0 + number(tf)

    results = [each(strategy, strategy.run(lambda: inner(number(tf) + 1.0))) for _ in range(2)]
    return results, len(traces)


@row
def control_flow_is_converted(tf):
    strategy = of(tf)

    @tf.function
    def step(x):
        def replica(x):
            if x > 1.0:
                y = x * 10.0
            else:
                y = x - 10.0
            return y

        return strategy.run(replica, args=(x,))

    return each(strategy, step(strategy.run(lambda: number(tf) + 1.0)))


@row
def results_of_functions(tf):
    strategy = of(tf)

    @tf.function
    def step():
        value = strategy.run(lambda: number(tf) + 1.0)
        return value, strategy.reduce("SUM", value, axis=None), strategy.experimental_local_results(value)

    value, total, results = step()
    return each(strategy, value), total, results


@row
def training_by_hand(tf, np):
    strategy = of(tf)
    x = np.random.RandomState(0).randn(8, 3).astype("float32")
    y = np.random.RandomState(1).randn(8, 1).astype("float32")
    with strategy.scope():
        w = tf.Variable(np.ones((3, 1), "float32"), aggregation=tf.VariableAggregation.SUM)
        b = tf.Variable(np.zeros(1, "float32"), aggregation=tf.VariableAggregation.SUM)
    data = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((x, y)).batch(3).repeat(2))

    @tf.function
    def step(batch):
        def replica(x, y):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((x @ w + b - y) ** 2) / 3.0
            for v, g in zip((w, b), tape.gradient(loss, (w, b)), strict=True):
                v.assign_sub(0.1 * g)
            return loss

        return strategy.reduce("SUM", strategy.run(replica, args=batch), axis=None)

    return [step(batch) for batch in data], w.numpy(), b.numpy()


@row
def default_strategy(tf):
    strategy, context = tf.distribute.get_strategy(), _context(tf)
    return (
        strategy.num_replicas_in_sync, context.replica_id_in_sync_group, context.all_reduce("SUM", 2.0),
        strategy.run(lambda: 3), strategy.reduce("SUM", tf.constant([1.0, 2.0]), axis=0),
        strategy.extended.update(tf.Variable(1.0), lambda v: v.assign_add(1.0)).numpy(),
    )  # fmt: skip


@row_for(replicas=[2, 4])
def average_losses(tf, replicas):
    def replica(context):
        losses = number(tf) + [1.0, 2.0, 6.0]
        average = tf.nn.compute_average_loss
        return (
            average(losses), average(losses, sample_weight=[1.0, 0.5, 2.0]), average(losses, global_batch_size=5),
            tf.nn.scale_regularization_loss(losses),
        )  # fmt: skip

    return _run(tf, replica, replicas)


@row
def average_losses_outside(tf):
    with of(tf).scope():
        return (
            raised(lambda: tf.nn.compute_average_loss([1.0, 2.0]), "in cross replica context"),
            raised(lambda: tf.nn.scale_regularization_loss([1.0, 2.0]), "in cross replica context"),
        )


def _collective(tf, kind, x):
    context = _context(tf)
    return context.all_gather(x[None], 0)[0] * 2.0 if kind == "gather" else context.all_reduce(kind, x)


@row_for(
    differing={("function", kind): "tangents of collectives are those of eager mode" for kind in ("SUM", "MEAN")},
    way=["eager", "function"], kind=["SUM", "MEAN"],
)  # fmt: skip
def forward_over_reverse(tf, way, kind):
    strategy = of(tf)

    def replica():
        x = tf.constant([1.0, 2.0]) + number(tf)
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, -1.0]) * (1 + number(tf))) as accumulator:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = _collective(tf, kind, x**2) * x
            gradient = tape.gradient(y, x)
        return y, accumulator.jvp(y), gradient, accumulator.jvp(gradient)

    run = tf.function(lambda: strategy.run(replica)) if way == "function" else lambda: strategy.run(replica)
    return each(strategy, run())


@row_for(kind=["SUM", "gather"], batch=[False, True])
def jacobians_of_collectives(tf, kind, batch):
    strategy = of(tf)

    def replica():
        x = tf.constant([[1.0, 2.0]]) + number(tf)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = _collective(tf, kind, x**2) * x
        return tape.batch_jacobian(y, x) if batch else tape.jacobian(y, x)

    return raised(lambda: strategy.run(replica), "`merge_call` called while defining a new graph or a tf.function")


@row
def jacobians_beside_collectives(tf):
    strategy = of(tf)

    def replica():
        x = tf.constant([1.0, 2.0]) + number(tf)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**2
        return _context(tf).all_reduce("SUM", tape.jacobian(y, x))

    return each(strategy, strategy.run(replica))


@row_for(way=["eager", "inside", "outside"])
def devices_of_tensors(tf, np, way):
    strategy, seen = of(tf), {}
    kinds = tf.VariableAggregation
    with strategy.scope():
        weight = tf.Variable(1.0, aggregation=kinds.SUM)
        part = tf.Variable(
            1.0, trainable=False, synchronization=tf.VariableSynchronization.ON_READ, aggregation=kinds.SUM
        )

    def replica(x):
        context = tf.distribute.get_replica_context()
        own = tf.constant(1.0)
        with tf.GradientTape() as tape:
            y = weight * own
        with tf.device("/cpu:3"):
            elsewhere = (tf.constant(1.0) + 1.0).device
        tensors = [
            own, own + 1.0, x * 2.0, weight, weight.read_value(), weight + 1.0, part, part * 1.0, tf.zeros([2]),
            context.all_reduce("SUM", x), context.all_gather(x, 0), context.replica_id_in_sync_group,
            tf.constant(3) + 1, tf.random.stateless_uniform([2], [1, 2]), tape.gradient(y, weight),
            weight.assign_add(x[0]), tf.strings.length("abc"),
        ]  # fmt: skip
        seen[len(seen)] = [elsewhere, *(tensor.device for tensor in tensors)]
        return x * 2.0

    replica = tf.function(replica) if way == "inside" else replica
    run = lambda x: strategy.run(replica, args=(x,))  # noqa: E731
    data = tf.data.Dataset.from_tensors(np.float32([1, 2, 3, 4]))
    (batch,) = strategy.experimental_distribute_dataset(data)
    (tf.function(run) if way == "outside" else run)(batch)
    return seen[0], seen[1]


# Replicas go on past sums; what makes them stop does not show.


@row_for(which=[None, 0, 1, 3])
def values_read_by_one(tf, which):
    strategy = of(tf, 4)
    v, w, own = (variable(tf, strategy, "SUM", on_read) for on_read in (False, False, True))

    def replica():
        me = number(tf)
        v.assign_add(me + 1.0)
        own.assign_add(v * me)
        seen = float(v + 0.0) if int(me) == which else -1.0
        w.assign_add(v * (me + 1.0))
        own.assign_sub(w)
        return seen, _context(tf).all_reduce("SUM", w + me), _context(tf).all_reduce("MEAN", [own, me])

    results = [each(strategy, strategy.run(replica)) for _ in range(2)]
    return results, v.numpy(), w.numpy(), each(strategy, own), own.numpy()


@row_for(kind=["SUM", "MEAN", "ONLY_FIRST_REPLICA"], method=["assign", "assign_add", "assign_sub"])
def assigned_again_and_again(tf, kind, method):
    strategy = of(tf)
    v = variable(tf, strategy, kind, False, [1.0, 2.0])

    def replica():
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(number(tf))
            result = getattr(v, method)([0.5, 1.0] + number(tf))
            other = v * 2.0
            getattr(v, method)(other + number(tf))
        return result, other, v * (number(tf) + 1.0), tape.watched_variables() == ()

    results = [each(strategy, strategy.run(replica)) for _ in range(3)]
    return results, v.numpy()


@row_for(replicas=[2, 4])
def failing_before_a_sum(tf, replicas):
    strategy = of(tf, replicas)
    v, own = variable(tf, strategy, "SUM", False), variable(tf, strategy, "SUM", True)
    plain = tf.Variable(1.0)

    def replica(fails):
        own.assign_add(1.0)
        v.assign_add(number(tf) + 1.0)
        if fails and int(number(tf)) == replicas - 1:
            raise KeyError("x")
        v.assign_sub(1.0 * v)
        own.assign_add(v + 10.0)
        plain.assign_add(v + 1.0)

    results = []
    for fails in (False, True, False):
        results.append(raised(lambda fails=fails: strategy.run(replica, args=(fails,)), "x") if fails else
                       strategy.run(replica, args=(fails,)))  # fmt: skip
        results.append((v.numpy(), each(strategy, v), plain.numpy()))
    return results, each(strategy, own)


@row
def random_numbers_between_sums(tf):
    strategy = of(tf)
    tf.random.set_seed(3)

    def replica():
        first = tf.random.uniform([2])
        total = _context(tf).all_reduce("SUM", first)
        second = tf.random.uniform([2])
        return first, second, _context(tf).all_reduce("MEAN", second * total), tf.random.normal([2])

    return [each(strategy, strategy.run(replica)) for _ in range(2)]


@row
def elements_taken_between_sums(tf):
    strategy = of(tf)
    elements = iter(tf.data.Dataset.range(20).map(lambda x: tf.cast(x, tf.float32)))
    v = variable(tf, strategy, "SUM", False)

    def replica():
        taken = []
        for _ in range(3):
            taken.append(next(elements))
            v.assign_add(taken[-1])
        return taken

    return [each(strategy, strategy.run(replica)) for _ in range(2)], v.numpy()


@row
def checks_between_sums(tf):
    strategy = of(tf)
    v = variable(tf, strategy, "SUM", False, [1.0, 2.0, 3.0])

    def replica():
        place = number(tf, tf.int32)
        v.assign_add(tf.one_hot(place, 3))
        largest = tf.argmax(v, output_type=tf.int32)
        row = tf.gather(v, largest - place)
        v.assign_add(tf.fill([3], row))
        return row, tf.gather(v, place)

    return [each(strategy, strategy.run(replica)) for _ in range(2)], v.numpy()


@row
def many_sums(tf):
    strategy = of(tf)
    v = variable(tf, strategy, "SUM", False)

    def replica():
        for _ in range(700):
            v.assign_add(0.25 * (number(tf) + 1.0) - 0.125)
        return v * 1.0

    return each(strategy, strategy.run(replica)), v.numpy()


@row
def shapes_that_differ(tf):
    strategy = of(tf)
    v = variable(tf, strategy, "SUM", False)
    return (
        raised(lambda: strategy.run(lambda: _context(tf).all_reduce("SUM", tf.ones([int(number(tf)) + 1])))),
        strategy.run(lambda: None), v.numpy(),
    )  # fmt: skip


def _given(tf, strategy, values):
    """The value of each replica, of a list."""
    return strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(values[context.replica_id_in_sync_group])
    )


@row_for(way=["eager", "function"])
def steps_of_an_embedding(tf, np, way):
    strategy = of(tf)
    random = np.random.RandomState(0)
    with strategy.scope():
        table = tf.Variable(random.randn(7, 3).astype("f"))
        dense = tf.Variable(random.randn(3, 1).astype("f"))
        optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.5)

    def replica(rows):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.embedding_lookup(table, rows) @ dense) ** 2
        slopes = tape.gradient(loss, [table, dense])
        optimizer.apply_gradients(zip(slopes, [table, dense], strict=True))
        return loss, tf.gather(table, rows)

    def step(rows):
        return strategy.run(replica, args=(rows,))

    step = tf.function(step) if way == "function" else step
    batches = [[[0, 1], [2, 1]], [[3, 3], [3, 4]], [[5, 0], [6, 6]], [[1, 2], [1, 0]]]
    results = [each(strategy, step(_given(tf, strategy, batch))) for batch in batches]
    return results, table.numpy(), dense.numpy()


@row
def gathered_of_one_size_and_of_others(tf):
    strategy = of(tf)
    v = variable(tf, strategy, "SUM", False, [1.0, 2.0])

    def replica(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            joined = _context(tf).all_gather(x * v[0], 0)
            loss = tf.reduce_sum(joined**2)
        v.assign_add(tf.stack([0.5, tf.cast(tf.shape(joined)[0], tf.float32)]))
        return joined, tape.gradient(loss, x), _context(tf).all_reduce("SUM", loss)

    sizes = [(2, 2), (2, 2), (2, 2), (2, 1), (2, 2), (1, 3), (1, 1), (1, 1)]
    values = [[[1.0 + n for n in range(a)], [3.0 * n for n in range(b)]] for a, b in sizes]
    return [each(strategy, strategy.run(replica, args=(_given(tf, strategy, x),))) for x in values], v.numpy()


@row
def checks_before_and_after_many_sums(tf):
    strategy = of(tf)
    v = variable(tf, strategy, "SUM", False, [1.0, 2.0, 3.0])
    w = variable(tf, strategy, "MEAN", False, 1.0)

    def replica(place):
        first = tf.gather(v, place)
        v.assign_add(tf.one_hot(place, 3) * w)
        second = tf.gather(v, (place + 1) % 3)
        w.assign(second - first)
        total = _context(tf).all_reduce("SUM", second)
        return first, second, total, tf.gather(v, tf.cast(tf.abs(total), tf.int32) % 3)

    turns = [[0, 1], [2, 0], [1, 1], [0, 2]]
    return [each(strategy, strategy.run(replica, args=(_given(tf, strategy, x),))) for x in turns], v.numpy(), w.numpy()


@row
def a_broken_check_after_sums(tf):
    strategy = of(tf)
    v = variable(tf, strategy, "SUM", False, [1.0, 2.0, 3.0])

    def replica(place):
        v.assign_add(tf.one_hot(place % 3, 3))
        total = _context(tf).all_reduce("SUM", tf.gather(v, place % 3))
        return total, tf.gather(v, place + tf.cast(total * 0.0, tf.int32))

    def step(places):
        results = strategy.run(replica, args=(_given(tf, strategy, places),))
        return [x.numpy() for of_all in each(strategy, list(results)) for x in of_all]

    return step([0, 1]), raised(lambda: step([1, 5])), step([2, 2])[:2]
