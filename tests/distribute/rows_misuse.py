"""What goes wrong with strategies: structures that differ, devices that are not there, variables, models and metrics of
another scope, batches that do not divide."""

import contextlib

from rows import raised, row, row_for, row_that_differs

from distribute._replicas import each, new, number, of


def _ran(tf, way, function, *args):
    """What `function` gives, called as it is, or from a `tf.function`."""
    return (tf.function(function) if way == "function" else function)(*args)


def _by_number(tf, one, other):
    """A function of replicas: the first one returns what `one` gives, the others what `other` gives."""
    return lambda: (other if int(tf.get_static_value(number(tf, tf.int32))) else one)()


def _one(tf):
    return tf.constant(1.0)


STRUCTURES = {
    "longer tuple": (lambda x: (x(),), lambda x: (x(), x()), "Values to regroup had different lengths: len(v) == 2"),
    "longer list": (lambda x: [x()], lambda x: [x(), x()], "len(v) == 2, len(v0) == 1"),
    "longer list in a dict": (lambda x: {"a": [x()]}, lambda x: {"a": [x(), x()]}, "len(v) == 2, len(v0) == 1"),
    "list for a tuple": (lambda x: (x(),), lambda x: [x()], ""),
    "tensor for a tuple": (lambda x: (x(), x()), lambda x: x(), ""),
    "other keys": (lambda x: {"b": x()}, lambda x: {"a": x()}, "v[0].keys: {'b'}  v[i].keys: {'a'}"),
    "missing key": (lambda x: {"a": x(), "b": x()}, lambda x: {"a": x()}, "v[i].keys: {'a'}"),
    "list for a dict": (lambda x: {"a": x()}, lambda x: [x()], "v[0]: {'a': <tf.Tensor"),
    "list for None in a dict": (lambda x: {"a": [x()]}, lambda x: {"a": None}, ""),
}


@row_for(way=["eager", "function"], kind=STRUCTURES)
def replicas_return_other_structures(tf, way, kind):
    first, second, text = STRUCTURES[kind]
    strategy = new(tf)
    replica = _by_number(tf, lambda: first(lambda: _one(tf)), lambda: second(lambda: _one(tf)))
    return raised(lambda: _ran(tf, way, lambda: strategy.run(replica)), text)


@row_for(
    way=["eager", "function"],
    kind=["None second", "None first", "dtypes", "shapes", "named tuple", "numbers", "a tuple second"],
)
def replicas_return_others_that_are_fine(tf, np, way, kind):
    import collections

    strategy, one = new(tf), lambda: _one(tf)
    pair = collections.namedtuple("pair", "a b")
    first, second = {
        "None second": (one, lambda: None),
        "None first": (lambda: None, one),
        "dtypes": (one, lambda: tf.constant(1)),
        "shapes": (one, lambda: tf.constant([1.0, 2.0])),
        "named tuple": (lambda: pair(one(), one()), lambda: (one(), one())),
        "numbers": (lambda: 2, lambda: 2),
        "a tuple second": (one, lambda: (one(), one())),
    }[kind]
    call = lambda: strategy.run(_by_number(tf, first, second))  # noqa: E731
    if way == "function" and kind == "a tuple second":
        return raised(tf.function(call), "Could not build a TypeSpec for", "of unsupported type <class 'tuple'>")
    result = _ran(tf, way, call)
    return type(result).__name__, each(strategy, result)


@row_for(what=["shapes", "dtypes", "None", "a tuple"])
def replicas_return_what_has_no_sum(tf, what):
    strategy, one = new(tf), lambda: _one(tf)
    second = {"shapes": lambda: tf.ones([2]), "dtypes": lambda: tf.constant(1), "None": lambda: None,
              "a tuple": lambda: (one(), one())}[what]  # fmt: skip
    value = strategy.run(_by_number(tf, one, second))
    text = "has no attribute 'device'" if what in ("None", "a tuple") else ""
    return raised(lambda: strategy.reduce("SUM", value, axis=None), text)


@row
def replicas_return_what_cannot_be_gathered(tf):
    strategy = new(tf)
    value = strategy.run(_by_number(tf, lambda: tf.ones([1]), lambda: tf.ones([1, 1])))
    return raised(lambda: strategy.gather(value, 0), "Ranks of all input tensors should match: shape[0] = [1]")


# --- devices ------------------------------------------------------------------------------------------------------


@row_for(way=["eager", "function"], make=["MirroredStrategy", "OneDeviceStrategy", "CentralStorageStrategy"],
         name=["CPU:7", "/gpu:0", "/job:localhost/replica:0/task:0/device:CPU:9"])  # fmt: skip
def a_strategy_of_a_device_that_is_not_there(tf, way, make, name):
    strategy = {
        "MirroredStrategy": lambda: tf.distribute.MirroredStrategy([name]),
        "OneDeviceStrategy": lambda: tf.distribute.OneDeviceStrategy(name),
        "CentralStorageStrategy": lambda: tf.distribute.experimental.CentralStorageStrategy([name]),
    }[make]()
    with strategy.scope():
        v = tf.Variable(1.0)

    def step():
        v.assign_add(1.0)
        return v * 2.0

    return strategy.num_replicas_in_sync, _ran(tf, way, lambda: strategy.run(step)), v.read_value()


@row_that_differs("each of several replicas needs a device that is there")
def a_strategy_of_devices_some_of_which_are_not_there(tf):
    results = []
    for devices in (["/cpu:0", "/cpu:7"], ["GPU:0", "GPU:1"], ["CPU:0", "GPU:0"]):
        try:
            results.append(tf.distribute.MirroredStrategy(devices).num_replicas_in_sync)
        except tf.errors.InvalidArgumentError:
            results.append("refused")
    return results


NO_NAMES = {"text": "/cpu:0", "number": [3], "numbers": 3, "list": [["CPU:0"]]}


@row_for(make=["MirroredStrategy", "CentralStorageStrategy", "OneDeviceStrategy"], what=[*NO_NAMES])
def a_strategy_of_what_is_no_name(tf, make, what):
    devices = NO_NAMES[what]
    if make == "CentralStorageStrategy":
        return raised(lambda: tf.distribute.experimental.CentralStorageStrategy(devices))
    if make == "OneDeviceStrategy":
        return raised(lambda: tf.distribute.OneDeviceStrategy(["CPU:0"] if what == "text" else devices))
    return raised(lambda: tf.distribute.MirroredStrategy(devices))


@row_for(device=[None, ""])
def a_strategy_of_no_name(tf, device):
    strategies = tf.distribute.OneDeviceStrategy(device), tf.distribute.MirroredStrategy([device])
    return [(x.num_replicas_in_sync, x.extended.worker_devices, x.run(lambda: 2.0 * tf.ones([]))) for x in strategies]


@row
def how_many_replicas_central_storage_has(tf):
    made = tf.distribute.experimental.CentralStorageStrategy
    return made().num_replicas_in_sync, made(parameter_device="CPU:7").num_replicas_in_sync


# --- arguments ----------------------------------------------------------------------------------------------------


@row_for(reduce_op=[None, 3, "PRODUCT", b"SUM"])
def another_reduction(tf, reduce_op):
    return raised(lambda: new(tf).reduce(reduce_op, tf.constant(1.0), axis=None))


@row_for(axis=["0", 0.0, 3, -3])
def a_reduction_along_no_axis(tf, axis):
    strategy = new(tf)
    values = strategy.run(lambda: tf.constant([1.0, 2.0]))
    return raised(lambda: strategy.reduce("SUM", values, axis=axis))


@row
def a_gather_along_none(tf):
    strategy = new(tf)
    return raised(lambda: strategy.gather(strategy.run(lambda: tf.constant([[1.0]])), None))


@row_for(kinds=["integers", "other floats"])
def a_gather_of_other_dtypes(tf, kinds):
    strategy = new(tf)
    other = tf.constant([1]) if kinds == "integers" else tf.constant([1.0], tf.float64)
    values = strategy.run(_by_number(tf, lambda: tf.constant([1.0]), lambda: other))
    return raised(lambda: strategy.gather(values, 0))


@row_for(made=["none", "list"])
def a_function_that_makes_no_dataset(tf, made):
    strategy = new(tf)
    return raised(
        lambda: list(strategy.distribute_datasets_from_function(lambda context: None if made == "none" else [1, 2])),
        "has no attribute 'element_spec'",
    )


@row
def several_workers_of_what_is_no_cluster(tf):
    make = tf.distribute.MultiWorkerMirroredStrategy
    return (
        raised(lambda: make(cluster_resolver=3), "cluster_resolver must be an instance of"),
        raised(lambda: make(communication_options=3), "communication_options must be an instance of"),
    )


@row
def options_of_communication_and_runs(tf):
    options = tf.distribute.experimental.CommunicationOptions(1, 2.0, "RING")
    runs = tf.distribute.RunOptions(experimental_xla_options=None)
    result = new(tf).run(lambda: tf.constant(1.0), options=runs)
    return str(options), tuple(runs), runs._fields, each(new(tf), result)


@row
def a_strategy_of_what_names_no_device(tf):
    return (
        raised(lambda: tf.distribute.MirroredStrategy(["banana"]), "Unknown attribute 'banana' is encountered"),
        raised(lambda: tf.distribute.OneDeviceStrategy("banana"), "Unknown attribute 'banana' is encountered"),
        tf.distribute.MirroredStrategy([]).num_replicas_in_sync,
    )


@row_for(way=["eager", "function"], where=["alone", "in a replica", "around run"])
def a_device_that_is_not_there(tf, way, where):
    strategy = new(tf)

    def on_device():
        with tf.device("CPU:7"):
            return tf.constant(1.0) + 1.0

    if where == "alone":
        return _ran(tf, way, on_device)
    if where == "in a replica":
        return each(strategy, _ran(tf, way, lambda: strategy.run(on_device)))
    with tf.device("/gpu:3"):
        return each(strategy, _ran(tf, way, lambda: strategy.run(lambda: number(tf) + 1.0)))


@row_for(what=["constant", "variable", "op", "function"])
def a_device_that_is_not_there_without_soft_placement(tf, what):
    x = tf.constant(1.0)
    make = {"constant": lambda: tf.constant([1.0]), "variable": lambda: tf.Variable(1.0), "op": lambda: x + 1.0,
            "function": tf.function(lambda: tf.constant(1.0) + 1.0)}[what]  # fmt: skip

    def on_device():
        with tf.device("CPU:7"):
            return make()

    tf.config.set_soft_device_placement(False)
    try:
        return raised(on_device, "" if what == "function" else "Could not satisfy device specification")
    finally:
        tf.config.set_soft_device_placement(True)


# --- variables, models, metrics and optimizers of another scope --------------------------------------------------


@row_for(way=["eager", "function"], what=["read", "assign", "assign_add", "assign numbers"])
def a_variable_created_outside_of_the_scope(tf, way, what):
    strategy, v = new(tf), tf.Variable(1.0)
    replica = {
        "read": lambda: v * (number(tf) + 1.0),
        "assign": lambda: v.assign(3.0).read_value() if way == "eager" else v.assign(3.0) + 0.0,
        "assign_add": lambda: v.assign_add(1.0) + 0.0,
        "assign numbers": lambda: v.assign_add(number(tf) + 1.0) * 0.0,
    }[what]
    return each(strategy, _ran(tf, way, lambda: strategy.run(replica))), v.read_value()


@row
def a_variable_created_outside_of_the_scope_in_cross_replica_context(tf):
    strategy, v = new(tf), tf.Variable(1.0)

    def located():
        with strategy.scope(), strategy.extended.colocate_vars_with(v):
            pass

    return (
        strategy.extended.variable_created_in_scope(v), raised(lambda: strategy.reduce("SUM", v, axis=None)),
        raised(lambda: strategy.extended.update(v, lambda x: x.assign_add(1.0))),
        raised(located, "`colocate_vars_with` must only be passed a variable created in this"), v.read_value(),
    )  # fmt: skip


@row_for(way=["eager", "function"], inside=["optimizer", "variable", "nothing"], kind=["SGD", "Adam"])
def an_optimizer_of_another_scope(tf, way, inside, kind):
    strategy = new(tf)
    with strategy.scope() if inside == "variable" else contextlib.nullcontext():
        v = tf.Variable(2.0)
    with strategy.scope() if inside == "optimizer" else contextlib.nullcontext():
        optimizer = getattr(tf.keras.optimizers, kind)(0.1)

    def replica():
        with tf.GradientTape() as tape:
            loss = v * v
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])

    call = lambda: _ran(tf, way, lambda: strategy.run(replica))  # noqa: E731
    if inside != "variable":
        text = "`colocate_vars_with` must only be passed a variable created in this tf.distribute.Strategy.scope()"
        return raised(call, text), v.read_value()
    call()
    return v.numpy(), optimizer.iterations.read_value()


def _model(tf):
    return tf.keras.Sequential([tf.keras.layers.Dense(2, kernel_initializer="ones", input_shape=(3,))])


@row_for(call=["fit", "train_step", "evaluate", "predict", "call"])
def a_model_of_another_scope(tf, np, call):
    strategy, model = new(tf), _model(tf)
    x, y = np.ones([4, 3], np.float32), np.ones([4, 2], np.float32)
    model.compile("sgd", "mse")
    text = "`colocate_vars_with` must only be passed a variable created in this tf.distribute.Strategy.scope()"
    if call == "train_step":
        return raised(lambda: strategy.run(lambda: model.train_step((tf.constant(x), tf.constant(y)))), text)
    if call == "call":
        return each(strategy, strategy.run(lambda: model(tf.constant(x))))
    with strategy.scope():
        if call == "fit":
            return raised(lambda: model.fit(x, y, verbose=0), text)
        return model.evaluate(x, y, verbose=0) if call == "evaluate" else model.predict(x, verbose=0)


@row_for(kind=["sequential", "subclass"], call=["fit", "evaluate", "train_on_batch", "predict", "in its scope"])
def a_model_that_is_built_in_no_scope(tf, np, kind, call):
    strategy = new(tf)

    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.inner = tf.keras.layers.Dense(2, kernel_initializer="ones")

        def call(self, x):
            return self.inner(x)

    plain = tf.keras.Sequential([tf.keras.layers.Dense(2, kernel_initializer="ones")])
    model = Model() if kind == "subclass" else plain
    x, y = np.ones([4, 3], np.float32), np.ones([4, 2], np.float32)
    with strategy.scope():
        model.compile("sgd", "mse")
    text = "SyncOnReadVariable does not support `assign_add` in cross-replica context"
    if call == "predict":
        return model.predict(x, verbose=0)
    if call == "in its scope":
        with strategy.scope():
            return model.fit(x, y, batch_size=4, verbose=0).history["loss"]
    if call == "train_on_batch":
        return raised(lambda: model.train_on_batch(x, y), text)
    return raised(lambda: getattr(model, call)(x, y, verbose=0), text)


@row
def a_model_compiled_in_another_scope(tf, np):
    strategy, x, y = new(tf), np.ones([4, 3], np.float32), np.ones([4, 2], np.float32)
    with strategy.scope():
        model = _model(tf)
        shared = tf.keras.Sequential([model.layers[0]])
    outside, metric = _model(tf), tf.keras.metrics.MeanSquaredError()
    model.compile("sgd", "mse")
    losses = model.fit(x, y, batch_size=4, epochs=2, verbose=0).history["loss"]
    optimizer = tf.keras.optimizers.SGD(0.1)
    with strategy.scope():
        texts = (
            raised(lambda: outside.compile("sgd", "mse"), "was not created in the distribution strategy scope of"),
            raised(lambda: shared.compile("sgd", "mse", metrics=[metric]), "Metric (MeanSquaredError",
                   "was created inside a different distribution strategy scope than the model"),
        )  # fmt: skip
        shared.compile(optimizer, "mse")
    shared.fit(x, y, batch_size=4, verbose=0)
    return losses, texts, optimizer.iterations.read_value(), shared.get_weights()


@row
def a_model_with_a_layer_of_another_scope(tf, np):
    strategy, x, y = new(tf), np.ones([4, 3], np.float32), np.ones([4, 2], np.float32)
    layer = tf.keras.layers.Dense(2)
    layer.build((None, 3))
    with strategy.scope():
        model = tf.keras.Sequential([layer])
        model.compile("sgd", "mse")
    return raised(lambda: model.fit(x, y, batch_size=4, verbose=0), "`colocate_vars_with` must only be passed")


@row
def a_metric_of_another_scope(tf):
    strategy, metric = new(tf), tf.keras.metrics.Mean()
    strategy.run(lambda: metric.update_state(number(tf)))
    return metric.result()


# --- batches that do not divide ------------------------------------------------------------------------------------


def _batches(tf, dataset, replicas):
    strategy = new(tf, replicas)
    return [each(strategy, batch) for batch in strategy.experimental_distribute_dataset(dataset)]


@row_for(replicas=[2, 4], size=[1, 3, 5], drop=[False, True])
def batches_that_do_not_divide(tf, replicas, size, drop):
    return _batches(tf, tf.data.Dataset.range(7).batch(size, drop_remainder=drop), replicas)


@row
def batches_that_must_divide(tf):
    make, context = tf.data.Dataset, tf.distribute.InputContext(1, 0, 2)
    return (
        raised(lambda: context.get_per_replica_batch_size(3)), context.get_per_replica_batch_size(4),
        raised(lambda: _batches(tf, make.range(5), 2)), raised(lambda: _batches(tf, make.from_tensors(1.0), 2)),
    )  # fmt: skip


@row_for(way=["eager", "function"])
def batches_of_other_sizes_in_one_element(tf, way):
    strategy = new(tf)
    dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensors((tf.ones([4]), tf.ones([3]))))
    (batch,) = dataset
    product = lambda x, y: tf.reduce_sum(x[: len(y)] * y)  # noqa: E731
    both = lambda: strategy.run(lambda x, y: x + y, args=batch)  # noqa: E731
    return (
        each(strategy, batch), each(strategy, _ran(tf, way, lambda: strategy.run(product, args=batch))),
        raised(lambda: each(strategy, _ran(tf, way, both))),
    )  # fmt: skip


@row_for(size=[3, 4], drop=[False, True])
def fit_on_batches_that_do_not_divide(tf, np, size, drop):
    with new(tf).scope():
        model = _model(tf)
        model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    x, y = np.arange(21, dtype=np.float32).reshape(7, 3) / 20, np.ones([7, 2], np.float32)
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(size, drop_remainder=drop)
    return model.fit(dataset, epochs=2, verbose=0).history["loss"], model.get_weights()


@row
def fit_on_single_rows(tf, np):
    with new(tf).scope():
        model = _model(tf)
        model.compile("sgd", "mse")
    dataset = tf.data.Dataset.from_tensor_slices((np.ones([4, 3], np.float32), np.ones([4, 2], np.float32)))
    return raised(lambda: model.fit(dataset, verbose=0), "expected min_ndim=2, found ndim=1. Full shape received:")


@row_for(way=["eager", "function"], axis=[-1, -2, 2, -3], ops=["default", "on one device"])
def gathered_along_an_axis_from_the_end(tf, way, axis, ops):
    strategy = of(tf) if ops == "default" else new(tf)
    value = strategy.run(lambda: tf.ones([2, 2]))
    return raised(lambda: _ran(tf, way, lambda: strategy.gather(value, axis=axis)))


OPTIMIZERS = {
    "optimizer": lambda tf: tf.keras.optimizers.SGD(0.5),
    "legacy": lambda tf: tf.keras.optimizers.legacy.SGD(0.5),
    "loss scale": lambda tf: tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5)),
}


@row_for(way=["eager", "function"], kind=OPTIMIZERS, count=[1, 2])
def applied_outside_of_replicas(tf, way, kind, count):
    strategy = new(tf, count)
    with strategy.scope():
        variable, optimizer = tf.Variable([1.0, 2.0]), OPTIMIZERS[kind](tf)

        def step():
            optimizer.apply_gradients([(tf.constant([1.0, 1.0]), variable)])

        refused = raised(lambda: _ran(tf, way, step))
        nothing = raised(lambda: optimizer.apply_gradients([(None, variable)]))
    step()  # outside of the scope, as without a strategy
    return refused, nothing, variable.numpy()


MAKERS = {
    "default": lambda tf: tf.distribute.get_strategy(),
    "two": lambda tf: of(tf),
    "one": lambda tf: tf.distribute.MirroredStrategy(["/cpu:0"]),
    "one device": lambda tf: tf.distribute.OneDeviceStrategy("/cpu:1"),
}


@row_for(outer=["two", "one", "one device"], inner=["the same", *MAKERS], where=["scope", "run"])
def a_strategy_within_another(tf, outer, inner, where):
    within = MAKERS[outer](tf)
    strategy = within if inner == "the same" else MAKERS[inner](tf)

    def entered():
        with strategy.scope():
            return 1

    calls = [
        entered, lambda: each(strategy, strategy.run(lambda: tf.constant(1.0))),
        lambda: strategy.reduce("MEAN", 1.0, None), lambda: strategy.extended.reduce_to("MEAN", 1.0, None),
    ]  # fmt: skip

    def tried(call):
        def inside():
            with within.scope():
                return call()

        return raised_or(inside if where == "scope" else lambda: each(within, within.run(call)))

    return [tried(call) for call in calls]


def raised_or(call):
    """The beginning of the RuntimeError that a call raises, or what it gives."""
    try:
        return call()
    except RuntimeError as error:
        return str(error)[:40]


@row_for(way=["eager", "function"], group=[True, False])
def a_variable_is_updated_by_the_strategy_in_replicas(tf, way, group):
    strategy = of(tf)
    with strategy.scope():
        variable = tf.Variable(1.0)

    def replica():
        def add(x, y):
            return x.assign_add(y).read_value() if hasattr(x, "assign_add") else x

        result = strategy.extended.update(variable, add, args=(number(tf) + 1.0,), group=group)
        return result if group else result[0]

    result = _ran(tf, way, lambda: strategy.run(replica))
    return each(strategy, result), [part.numpy() for part in variable.values]


@row
def a_variable_of_another_scope_is_updated_in_replicas(tf):
    strategy, variable = of(tf), tf.Variable(1.0)
    return raised(lambda: strategy.run(lambda: strategy.extended.update(variable, lambda x: x.read_value())))


@row
def reductions_of_aggregations(tf):
    reduction, kinds = tf.distribute.ReduceOp.from_variable_aggregation, tf.VariableAggregation
    return [
        [str(reduction(kind)) for kind in (kinds.SUM, kinds.MEAN)],
        *[raised(lambda kind=kind: reduction(kind)) for kind in (kinds.NONE, kinds.ONLY_FIRST_REPLICA, "SUM")],
    ]


@row
def no_resolver_of_a_tpu(tf):
    return raised(lambda: tf.distribute.TPUStrategy(3))


# --- values that are none of replicas' ----------------------------------------------------------------------------

VALUES = {
    "list": [1.0, 2.0], "tuple": (1.0, 2.0), "dict": {"a": 1.0}, "number": 1.0, "text": "x", "none": None,
    "empty": [], "rows": [[1.0, 2.0], [3.0, 4.0]],
}  # fmt: skip
STRATEGIES = {
    "mirrored": of,
    "central": lambda tf: tf.distribute.experimental.CentralStorageStrategy(["/cpu:0", "/cpu:1"]),
    "central of one": lambda tf: tf.distribute.experimental.CentralStorageStrategy(["/cpu:0"]),
    "one device": lambda tf: tf.distribute.OneDeviceStrategy("/cpu:0"),
    "default": lambda tf: tf.distribute.get_strategy(),
}


@row_for(kind=list(STRATEGIES), what=list(VALUES))
def plain_values_are_reduced(tf, kind, what):
    strategy, value = STRATEGIES[kind](tf), VALUES[what]
    return [
        _result_of(lambda how=how, axis=axis: strategy.reduce(how, value, axis=axis))
        for how in ("SUM", "MEAN") for axis in (None, 0)
    ]  # fmt: skip


def _result_of(call):
    results = []
    error = raised(lambda: results.append(call()))
    return results[0] if results else error


@row_for(inside=["eager", "function"])
def gathered_along_an_axis_that_is_not_there(tf, inside):
    strategy = new(tf)

    def gathered(shape, axis):
        context = tf.distribute.get_replica_context

        def call():
            return strategy.run(lambda: context().all_gather(tf.ones(shape), axis=axis))

        return each(strategy, tf.function(call)() if inside == "function" else call())

    return [
        _result_of(lambda shape=shape, axis=axis: gathered(shape, axis))
        for shape, axis in (([2, 1], 2), ([2], 1), ([], 0), ([2], -1), ([2, 3], -1), ([2, 3], -3), ([2, 3], None))
    ]


@row
def python_numbers_are_gathered(tf):
    strategy = new(tf)
    context = tf.distribute.get_replica_context
    return [each(strategy, strategy.run(lambda x=x: context().all_gather(x, axis=0))) for x in (1.0, [1.0, 2])]


@row
def broadcast_to_what_is_no_variable(tf):
    strategy = of(tf)
    with strategy.scope():
        v = tf.Variable(1.0)
    to = strategy.extended.broadcast_to
    return [raised(lambda d=d: to(1.0, d)) for d in (None, ["/cpu:0"], ("/cpu:0", "/cpu:1"))], to(2.0, v)
