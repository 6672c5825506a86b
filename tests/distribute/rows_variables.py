"""Variables of replicas: by aggregation and synchronization, in replicas and outside."""

from rows import raised, row, row_for

from distribute._replicas import each, new, number, of, variable

AGGREGATIONS = ["NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"]
METHODS = ["assign", "assign_add", "assign_sub"]


def _read(v):
    return raised(v.numpy) if _fails(v) else v.numpy()


def _fails(v):
    try:
        v.numpy()
    except ValueError:
        return True
    return False


@row_for(on_read=[False, True], aggregation=AGGREGATIONS, method=METHODS)
def assigned_in_replicas(tf, on_read, aggregation, method):
    strategy = of(tf)
    v = variable(tf, strategy, aggregation, on_read)
    result = strategy.run(lambda: getattr(v, method)(number(tf) + 2.0))
    return each(strategy, result), [part.numpy() for part in v.values], _read(v)


@row_for(on_read=[False, True], aggregation=AGGREGATIONS, method=METHODS)
def assigned_outside(tf, on_read, aggregation, method):
    strategy = of(tf)
    v = variable(tf, strategy, aggregation, on_read)
    strategy.run(lambda: v.assign_add(number(tf))) if on_read else None
    refused = on_read and (aggregation == "NONE" or aggregation == "SUM" and method != "assign")
    result = raised(lambda: getattr(v, method)(4.0)) if refused else getattr(v, method)(4.0)
    return each(strategy, result), [part.numpy() for part in v.values], _read(v)


@row_for(on_read=[False, True], aggregation=AGGREGATIONS)
def read_outside(tf, on_read, aggregation):
    strategy = of(tf)
    v = variable(tf, strategy, aggregation, on_read, [1.0, 2.0])
    strategy.run(lambda: v.assign_add(number(tf) * [1.0, 10.0]))
    if aggregation == "NONE" and on_read:
        return [raised(f, "Could not convert") for f in (v.read_value, v.value, lambda: v + 1.0, lambda: v[0])]
    with strategy.scope():
        inside = v.read_value()
    return inside, v.value(), v + 1.0, v[0], tf.reduce_sum(v), tf.convert_to_tensor(v)


@row_for(aggregation=AGGREGATIONS)
def read_in_replicas(tf, aggregation):
    strategy = of(tf)
    v = variable(tf, strategy, aggregation, True, [1.0, 2.0])
    strategy.run(lambda: v.assign_add(number(tf) * [1.0, 10.0]))
    return each(strategy, strategy.run(lambda: (v.read_value(), v * 2.0, tf.reduce_sum(v), v[1])))


@row_for(aggregation=["SUM", "MEAN"])
def numbers_that_all_replicas_have(tf, aggregation):
    strategy = of(tf)
    v = variable(tf, strategy, aggregation, False)
    if aggregation == "SUM":
        return raised(
            lambda: strategy.run(lambda: v.assign_add(1.0)), "A non-DistributedValues value 1.0 cannot be reduced"
        )
    return each(strategy, strategy.run(lambda: v.assign_add(1.0)))


@row
def what_a_mirrored_variable_is(tf):
    strategy = of(tf)
    with strategy.scope():
        v = tf.Variable([1.0, 2.0], name="weights")
    return (
        repr(v), str(v), v.name, [part.name for part in v.values], v.device, [part.device for part in v.values],
        v.shape.as_list(), v.dtype.name, v.trainable, isinstance(v, tf.Variable),
        isinstance(v, tf.distribute.DistributedValues), strategy.extended.variable_created_in_scope(v),
    )  # fmt: skip


@row
def what_a_variable_read_later_is(tf):
    v = variable(tf, of(tf), "SUM", True)
    return repr(v), v.trainable, [part.name for part in v.values]


@row
def synchronizations_that_are_refused(tf):
    strategy = of(tf)
    with strategy.scope():
        return (
            raised(lambda: tf.Variable(1.0, synchronization=tf.VariableSynchronization.NONE), "`NONE` variable"),
            raised(lambda: tf.Variable(1.0, synchronization=3), "Invalid variable synchronization mode: 3"),
            raised(lambda: tf.Variable(1.0, aggregation=1), "Invalid variable aggregation mode: 1"),
        )


@row
def initial_values_are_computed_once(tf):
    calls = []

    def first():
        calls.append(1)
        return tf.ones([2])

    with of(tf).scope():
        v = tf.Variable(first)
    return len(calls), [part.numpy() for part in v.values]


@row
def creators_see_a_variable_once(tf):
    names = []

    def creator(make, **kwargs):
        names.append(kwargs["name"])
        return make(**kwargs)

    with of(tf).scope(), tf.variable_creator_scope(creator):
        v = tf.Variable(1.0, name="v")
    return names, type(v).__name__


@row
def made_in_replicas(tf):
    strategy, made = of(tf), []

    def replica():
        if not made:
            made.append(tf.Variable(number(tf) + 3.0))
        return made[0] * 2.0

    result = strategy.run(replica)
    return each(strategy, result), [part.numpy() for part in made[0].values]


@row
def made_in_a_function(tf):
    strategy = of(tf)
    made = []

    @tf.function
    def step():
        if not made:
            with strategy.scope():
                made.append(tf.Variable(2.0, aggregation=tf.VariableAggregation.SUM))
        strategy.run(lambda: made[0].assign_add(number(tf) + 1.0))
        return made[0] + 1.0

    return step(), step(), [part.numpy() for part in made[0].values]


@row_for(method=["scatter_add", "scatter_sub", "scatter_update", "scatter_max", "scatter_mul"])
def scattered(tf, method):
    strategy = of(tf)
    v = variable(tf, strategy, "NONE", False, [1.0, 2.0, 3.0])
    getattr(v, method)(tf.IndexedSlices(tf.constant([5.0]), tf.constant([1])))
    strategy.run(lambda: getattr(v, method)(tf.IndexedSlices(number(tf)[None] + 4.0, tf.constant([2]))))
    return [part.numpy() for part in v.values]


@row
def scattered_with_an_aggregation(tf):
    strategy = of(tf)
    v = variable(tf, strategy, "SUM", False, [1.0, 2.0, 3.0])
    strategy.run(lambda: v.scatter_add(tf.IndexedSlices(number(tf)[None] + 4.0, tf.constant([2]))))
    return [part.numpy() for part in v.values]


@row
def shapes_that_do_not_fit(tf):
    strategy = of(tf)
    v = variable(tf, strategy, "NONE", False, [1.0, 2.0])
    return raised(lambda: v.assign([1.0])), raised(lambda: strategy.run(lambda: v.assign_add([1.0, 2.0, 3.0])))


@row
def operators_of_what_assigning_returns(tf):
    v = variable(tf, of(tf), "MEAN", False)
    result = v.assign_add(1.0)
    return result + 1.0, 2.0 * result, result.numpy(), type(result).__name__, tf.reduce_sum(result)


@row
def of_central_storage(tf):
    strategy = tf.distribute.experimental.CentralStorageStrategy(["/cpu:0", "/cpu:1"], "/cpu:0")
    v, w = variable(tf, strategy, "NONE", False), variable(tf, strategy, "SUM", False)
    read = each(strategy, strategy.run(lambda: v + number(tf)))
    strategy.run(lambda: w.assign_add(number(tf) + 1.0))
    error = raised(lambda: strategy.run(lambda: v.assign_add(1.0)), "You must specify an aggregation method")
    v.assign(5.0)
    return read, w.numpy(), error, v.numpy(), strategy.num_replicas_in_sync


@row
def in_a_checkpoint(tf, folder):
    strategy = of(tf)
    a, b = variable(tf, strategy, "NONE", False, [1.0, 2.0]), variable(tf, strategy, "SUM", True)
    c = variable(tf, strategy, "MEAN", True)
    checkpoint = tf.train.Checkpoint(a=a, b=b, c=c)
    strategy.run(lambda: (b.assign_add(number(tf)), c.assign_add(number(tf))))
    path = checkpoint.write(f"{folder}/x")
    held = [tf.train.load_variable(path, f"{name}/.ATTRIBUTES/VARIABLE_VALUE") for name in "abc"]
    a.assign([5.0, 6.0])
    strategy.run(lambda: (b.assign(9.0), c.assign(9.0)))
    checkpoint.read(path).assert_consumed()
    four = of(tf, 4)
    d = variable(tf, four, "NONE", False, [0.0, 0.0]), variable(tf, four, "SUM", True), tf.Variable(0.0)
    tf.train.Checkpoint(a=d[0], b=d[1], c=d[2]).read(path).assert_consumed()
    return held, [[part.numpy() for part in v.values] for v in (a, b, c, d[0], d[1])], d[2].numpy(), b.numpy()


@row_for(optimizer=["Adam", "legacy.Adam"], way=["eager", "function"])
def restored_within_replicas(tf, folder, optimizer, way):
    """What a checkpoint has for variables that the first step makes, all replicas get."""
    strategy = new(tf)

    def trained(steps, path=None):
        made = tf.keras.optimizers
        for name in optimizer.split("."):
            made = getattr(made, name)
        with strategy.scope():
            v, adam = tf.Variable([1.0, 2.0]), made(0.1)
        checkpoint = tf.train.Checkpoint(v=v, adam=adam)
        if path:
            checkpoint.restore(path)

        def step():
            strategy.run(lambda: adam.apply_gradients([((number(tf) + 1.0) * v, v)]))

        step = tf.function(step) if way == "function" else step
        for _ in range(steps):
            step()
        slots = adam.variables if optimizer == "Adam" else adam.variables()
        slots = sorted(slots, key=lambda x: x.shape.rank)
        return checkpoint, [[part.numpy() for part in x.values] for x in [v, *slots]]

    return trained(3, trained(2)[0].save(folder + "/x"))[1]


@row_for(aggregation=["NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"])
def parts_are_reduced(tf, aggregation):
    strategy = of(tf)
    v = variable(tf, strategy, aggregation, True)
    strategy.run(lambda: v.assign_add(number(tf) + 1.0))
    return strategy.reduce("SUM", v, axis=None), strategy.reduce("MEAN", v, axis=None)


@row
def plain_variables_in_replicas(tf):
    v = tf.Variable(1.0)
    strategy = of(tf)
    strategy.run(lambda: v.assign_add(number(tf) + 1.0))
    return v.numpy()
