"""Rows: what subclasses in published packages override of optimizers, callbacks, models, metrics and schedules."""

import copy
import os
import tempfile

import numpy as np
from rows import ones, raised, row

X, Y = np.ones((6, 2), np.float32), np.ones((6, 1), np.float32)


def trained(tf, optimizer, steps=3, **keywords):
    """Two variables after some steps; the gradient of one is IndexedSlices."""
    v = tf.Variable([1.0, 2.0, 3.0], name="v")
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], name="w")
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v**2) + tf.reduce_sum(tf.gather(w, [0, 2, 0]) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, [v, w]), [v, w], strict=True), **keywords)
    return v.numpy(), w.numpy(), int(optimizer.iterations)


def small(tf, name="a"):
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), name=name)])
    model.compile("sgd", "mse")
    return model


@row
def parts_of_an_optimizers_step(tf):
    optimizers, log = tf.keras.optimizers, []

    class Decay(optimizers.Adam):
        def _apply_weight_decay(self, variables):
            for x in variables:
                x.assign_sub(0.1 * x)

    class Inner(optimizers.SGD):
        def _internal_apply_gradients(self, pairs):
            log.append(len(pairs))
            return super()._internal_apply_gradients(pairs[:1])

    class Aggregated(optimizers.SGD):
        def aggregate_gradients(self, pairs):
            log.append("aggregate")
            return [pair for pair in super().aggregate_gradients(pairs) if pair[1].name == "v:0"]

    class Unique(optimizers.RMSprop):
        def _deduplicate_sparse_grad(self, grads):
            found = super()._deduplicate_sparse_grad(grads)
            log.append([g.indices.numpy().tolist() for g in found if isinstance(g, tf.IndexedSlices)])
            return found

    class Overwritten(optimizers.SGD):
        def _overwrite_model_variables_with_average_value(self, variables):
            log.append("overwrite")
            for x in variables:
                x.assign(x * 0.5)

    class Step(optimizers.Adam):
        def _update_step(self, gradient, variable):
            log.append(variable.name)
            super()._update_step(gradient, variable)

    class Spread(optimizers.SGD):
        def _distributed_apply_gradients_fn(self, distribution, pairs, **kwargs):
            return super()._distributed_apply_gradients_fn(distribution, pairs[:1], **kwargs)

    class Made(optimizers.SGD):
        def _create_iteration_variable(self):
            log.append("iteration")
            super()._create_iteration_variable()

        def _process_kwargs(self, kwargs):
            log.append(sorted(kwargs))

        def _build_index_dict(self, variables):
            log.append(len(variables))
            super()._build_index_dict(variables)

    class Nesterov(optimizers.Nadam):
        def _apply_weight_decay(self, variables):
            super()._apply_weight_decay(variables)

    return [
        trained(tf, Decay(0.1)), trained(tf, Inner(0.1)), trained(tf, Aggregated(0.1)),
        trained(tf, Aggregated(0.1), skip_gradients_aggregation=True),
        trained(tf, Aggregated(0.1), experimental_aggregate_gradients=False), trained(tf, Unique(0.1)),
        trained(tf, Overwritten(0.1, use_ema=True, ema_overwrite_frequency=2), 5), trained(tf, Step(0.1)),
        trained(tf, Spread(0.1)), trained(tf, Made(0.1, more=1)), trained(tf, Nesterov(0.1)),
    ], log  # fmt: skip


@row
def hyperparameters_of_older_optimizers_keep_their_dtype(tf):
    class Own(tf.keras.optimizers.legacy.Optimizer):
        def __init__(self, **hypers):
            super().__init__("Own")
            for name, value in hypers.items():
                self._set_hyper(name, value)

        def _resource_apply_dense(self, grad, var, apply_state=None):
            return var.assign_sub(grad)

        def get_config(self):
            return {}

    own = Own(a=5, b=True, c=1.5, d=np.float64(2.5), e=np.float32(1), f=np.int64(7), g=np.float16(2))
    own.apply_gradients([(ones(2), tf.Variable([1.0, 2.0]))])
    own.a, own.c = 7, 3
    hypers = [own._get_hyper(name) for name in "abcdefg"]
    return [(x.dtype.name, x.numpy().item()) for x in hypers], own._dense_apply_args, own._get_hyper("a", "float32")


@row
def updates_of_subclasses_of_older_optimizers(tf):
    legacy, seen = tf.keras.optimizers.legacy, []

    def told(cls):
        class Told(cls):
            def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
                seen.append(np.array(indices).tolist())
                return super()._resource_apply_sparse(grad * 0.5, var, indices, apply_state)

            def _resource_apply_dense(self, grad, var, apply_state=None):
                found = apply_state[var.device, var.dtype.base_dtype]
                seen.append({k: x for k, x in sorted(found.items()) if not k.startswith("m_schedule")})
                return super()._resource_apply_dense(grad * 0.5, var, apply_state)

        return Told

    return [
        trained(tf, told(legacy.SGD)(0.1), 2), trained(tf, told(legacy.SGD)(0.1, momentum=0.9, nesterov=True), 2),
        trained(tf, told(legacy.Adam)(0.1), 2), trained(tf, told(legacy.RMSprop)(0.1), 2),
        trained(tf, told(legacy.RMSprop)(0.1, momentum=0.9, centered=True), 2),
        trained(tf, told(legacy.Adagrad)(0.1), 2), trained(tf, told(legacy.Adadelta)(0.1), 2),
        trained(tf, told(legacy.Adamax)(0.1), 2), trained(tf, told(legacy.Nadam)(0.1), 2),
        trained(tf, told(legacy.Ftrl)(0.1, l2_shrinkage_regularization_strength=0.1), 2),
    ], seen  # fmt: skip


@row
def what_a_step_of_older_optimizers_shares(tf):
    class Own(tf.keras.optimizers.legacy.Adam):
        def _prepare_local(self, device, dtype, state):
            super()._prepare_local(device, dtype, state)
            own = state[device, dtype]
            own.update(lr_t=own["lr_t"] * 2, beta_1_t=tf.constant(0.5), epsilon=tf.constant(0.1))

    class Parts(tf.keras.optimizers.legacy.SGD):
        def _decayed_lr(self, dtype):
            return super()._decayed_lr(dtype) * 10

        def _assert_valid_dtypes(self, tensors):
            log.append([t.name for t in tensors])

        def _distributed_apply(self, distribution, grads_and_vars, apply_state, name):
            log.append(name)
            return super()._distributed_apply(distribution, grads_and_vars, apply_state, name)

    log = []
    x = tf.Variable([1.0, 2.0], name="x")
    Parts(0.1).minimize(lambda: x[0] ** 2, [x])
    own, v = Own(0.1), tf.Variable([1.0, 2.0])
    for _ in range(3):
        own.apply_gradients([(tf.constant([1.0, -0.3]), v)])

    @tf.function
    def gradients():
        return tf.keras.optimizers.legacy.SGD(0.1).get_gradients(x * x, [x])

    sgd, s = tf.keras.optimizers.legacy.SGD(0.1), tf.Variable([1.0, 2.0, 3.0])
    rows = [sgd._resource_scatter_add(s, [0, 2], [1.0, 1.0]), sgd._resource_scatter_update(s, [1], [9.0])]
    return x, v, log, gradients(), rows, s, sorted(d.name for d in sgd._valid_dtypes())


@row
def parts_of_callbacks(tf):
    callbacks, log = tf.keras.callbacks, []

    class Stopping(callbacks.EarlyStopping):
        def _is_improvement(self, monitor_value, reference_value):
            log.append("improvement")
            return False

    class Saving(callbacks.ModelCheckpoint):
        def _should_save_on_batch(self, batch):
            log.append(("should", batch))
            return super()._should_save_on_batch(batch)

        def _save_model(self, epoch, batch, logs):
            log.append(("save", epoch, batch, sorted(logs)))
            super()._save_model(epoch, batch, logs)

        def _get_file_path(self, epoch, batch, logs):
            path = super()._get_file_path(epoch, batch, logs)
            log.append(os.path.basename(path))
            return path

        def _save_handler(self, filepath):
            log.append("handler")
            super()._save_handler(filepath)

    class Bar(callbacks.ProgbarLogger):
        def _batch_update_progbar(self, batch, logs=None):
            log.append(("bar", batch))

        def _finalize_progbar(self, logs, counter):
            log.append(("end of bar", sorted(logs), counter is None))

        def _maybe_init_progbar(self):
            log.append("begin of bar")
            super()._maybe_init_progbar()

    class List(callbacks.CallbackList):
        def _call_batch_hook(self, mode, hook, batch, logs=None):
            log.append((mode, hook, batch))
            super()._call_batch_hook(mode, hook, batch, logs=logs)

        def _process_logs(self, logs, is_batch_hook=False):
            log.append(is_batch_hook)
            return super()._process_logs(logs, is_batch_hook)

    model = small(tf)
    history = model.fit(X, Y, batch_size=3, epochs=5, verbose=0, callbacks=[Stopping("loss", patience=2)])
    with tempfile.TemporaryDirectory() as folder:
        often = Saving(folder + "/{epoch}_{batch}.weights.h5", save_weights_only=True, save_freq=2)
        model.fit(X, Y, batch_size=2, epochs=2, verbose=0, callbacks=[often])
        best = Saving(folder + "/{epoch}.weights.h5", "loss", save_best_only=True, save_weights_only=True)
        model.fit(X, Y, batch_size=2, epochs=2, verbose=0, callbacks=[best])
        files = sorted(os.listdir(folder))
    model.fit(X, Y, batch_size=3, verbose=1, callbacks=[Bar("steps")])
    told = callbacks.LambdaCallback(on_batch_end=lambda batch, logs: None)
    model.fit(X, Y, batch_size=3, callbacks=List([told], True, model=model, epochs=1, verbose=0, steps=2))
    return len(history.epoch), files, log


@row
def parts_of_compile_and_of_the_loops(tf):
    log = []

    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.d = tf.keras.layers.Dense(1)

        def call(self, x):
            return self.d(x)

        def _validate_compile(self, optimizer, metrics, **kwargs):
            log.append((optimizer, metrics, sorted(kwargs)))
            super()._validate_compile(optimizer, metrics, **kwargs)

        def _get_optimizer(self, optimizer):
            log.append("optimizer")
            return super()._get_optimizer(optimizer)

        def _reset_compile_cache(self):
            log.append("reset")
            super()._reset_compile_cache()

        def _should_eval(self, epoch, validation_freq):
            log.append((epoch, validation_freq))
            return epoch == 1

        def _assert_compile_was_called(self):
            log.append("compiled")
            super()._assert_compile_was_called()

        def _check_call_args(self, method_name):
            log.append(method_name)
            super()._check_call_args(method_name)

        def _validate_and_get_metrics_result(self, logs):
            return {**super()._validate_and_get_metrics_result(logs), "more": 1.0}

        def _set_save_spec(self, inputs, args=None, kwargs=None):
            log.append("spec")
            super()._set_save_spec(inputs, args, kwargs)

        def _check_sample_weight_warning(self, x, sample_weight):
            log.append(sample_weight is None)

    class Two(tf.keras.Model):
        def call(self, a, b):
            return a

    model, two = Own(), Two()
    log.clear()
    model.compile("sgd", "mse", metrics=["mae"], sample_weight_mode=None)
    history = model.fit(X, Y, batch_size=3, epochs=2, verbose=0, validation_data=(X, Y)).history
    model.evaluate(X, Y, verbose=0)
    model.predict(X, verbose=0)
    model.train_on_batch(X, Y)
    model.predict_on_batch(X)
    two.compile("sgd", "mse")
    named = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), name="q")])
    named.compile("sgd", {"q": "mse"}, {"q": "mae"})
    names = sorted(named.fit(X, {"q": Y}, verbose=0).history)
    frozen = small(tf)
    state = frozen._get_trainable_state()
    frozen.trainable = False
    frozen._set_trainable_state(state)
    return [
        {name: len(values) for name, values in sorted(history.items())}, log, names,
        raised(lambda: two.fit(X, Y, verbose=0), "Models passed to `fit` can only have `training`"),
        (frozen.trainable, len(frozen.trainable_weights)),
    ]  # fmt: skip


@row
def what_packages_read_of_a_model(tf):
    layers = tf.keras.layers

    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.d, self.more = layers.Dense(3), [layers.Dense(2)]
            self.w = tf.Variable(1.0)

        def call(self, x, y=None, training=None):
            return self.more[0](self.d(x))

    class Dict(tf.keras.Model):
        def call(self, x):
            return x["a"]

    own, by_name, of_dict = Own(), Own(), Dict()
    before = own.save_spec(), own.jit_compile, own.steps_per_execution, own.train_tf_function
    own(tf.zeros([2, 4]), tf.zeros([3]), training=True)
    by_name(np.zeros([2, 4], np.float32), y=tf.zeros([3]))
    of_dict({"a": tf.zeros([2, 3]), "b": tf.zeros([2], tf.int32)})
    fixed = tf.keras.Input((4,), batch_size=3, name="fixed")
    functional = tf.keras.Model(fixed, layers.Dense(2, name="x")(fixed))
    later = tf.keras.Sequential([layers.Dense(2, name="later")])
    unbuilt = later.input_names, later.output_names, later.save_spec()
    later(tf.zeros([2, 4]))
    specs = [str(m.save_spec()) for m in (own, by_name, of_dict, functional, later)] + [str(own.save_spec(False))]
    own.compile("sgd", "mse", steps_per_execution=3, jit_compile=False)
    compiled = own.jit_compile, int(own.steps_per_execution), own._in_multi_worker_mode()
    own.steps_per_execution = 2
    layer = layers.Dense(2, dtype="mixed_float16")
    return [
        before, unbuilt, specs, compiled, int(own.steps_per_execution),
        [sorted(m.get_weight_paths()) for m in (own, functional, later)],
        (later.input_names, later.output_names, [each.name for each in later._input_layers + later._output_layers]),
        (layer._dtype, layer._compute_dtype, tf.keras.metrics.Mean(dtype="float64")._dtype, tf.zeros([2, 3])._rank()),
        {k: v for k, v in functional._updated_config().items() if k not in ("config", "keras_version")},
    ]  # fmt: skip


@row
def parts_of_metrics_and_schedules(tf):
    schedules, log = tf.keras.optimizers.schedules, []

    class Area(tf.keras.metrics.AUC):
        def interpolate_pr_auc(self):
            return super().interpolate_pr_auc() + 1.0

    class Highest(tf.keras.metrics.PrecisionAtRecall):
        def _find_max_under_constraint(self, constrained, dependent, predicate):
            log.append(predicate.__name__)
            return super()._find_max_under_constraint(constrained, dependent, tf.less)

    class Twice(schedules.CosineDecay):
        def _decay_function(self, step, decay_steps, decay_from_lr, dtype):
            return super()._decay_function(step, decay_steps, decay_from_lr, dtype) * 2

    class Warm(schedules.CosineDecay):
        def _warmup_function(self, step, warmup_steps, warmup_target, initial_learning_rate):
            return super()._warmup_function(step, warmup_steps, warmup_target, initial_learning_rate) + 1.0

    results = []
    for metric in (Area(curve="PR"), Area(), Highest(0.5)):
        metric.update_state([0, 1, 1, 0], [0.1, 0.4, 0.8, 0.6])
        results.append(metric.result())
    warm = {"warmup_target": 1.0, "warmup_steps": 4}
    made = Twice(0.5, 10), Twice(0.1, 10, **warm), Warm(0.1, 10, 0.1, **warm)
    return results, log, [[made_one(step) for step in (0, 1, 3, 4, 7, 12, 20)] for made_one in made]


class Named:
    def __init__(self, a=1):
        self.a = a

    def get_config(self):
        return {"a": self.a}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


@row
def objects_as_they_were_written_down_before(tf):
    legacy = tf.keras.utils.legacy
    known, config = {"Named": Named, "raised": raised}, {"class_name": "Named", "config": {"a": 3}}
    deserialize = legacy.deserialize_keras_object
    return [
        deserialize(config, known).a, deserialize("Named", known).a, deserialize("raised", known) is raised,
        deserialize(config, custom_objects={"Named": Named}).a, deserialize(None),
        tf.keras.utils.deserialize_keras_object(config, module_objects=known, printable_module_name="thing").a,
        raised(lambda: deserialize("Other", known, printable_module_name="thing"), "Unknown thing: 'Other'"),
        raised(lambda: deserialize({**config, "class_name": "Other"}, known), "Unknown object: 'Other'"),
        raised(lambda: deserialize({"a": 1}, known), "Improper config format"),
        raised(lambda: deserialize(3, known), "Could not interpret serialized object: 3"),
        legacy.serialize_keras_object(Named(3)), legacy.serialize_keras_object(raised),
        legacy.serialize_keras_object(tf.keras.regularizers.L2(0.5)), raised(lambda: legacy.serialize_keras_object(3)),
    ]  # fmt: skip


@row
def raw_ops_that_change_variables(tf):
    raw, found = tf.raw_ops, []
    grad, sparse = tf.constant([1.0, -2.0, 3.0]), tf.constant([1.0, -2.0])

    def of(change):
        a, b = tf.Variable([0.01, -0.02, 3.0]), tf.Variable([0.1, 0.2, 0.3])
        change(a.handle, b.handle)
        found.append((a.numpy(), b.numpy()))

    for nesterov in (False, True):
        keywords = {"lr": 0.1, "momentum": 0.9, "use_nesterov": nesterov}
        of(lambda a, b: raw.ResourceApplyKerasMomentum(var=a, accum=b, grad=grad, **keywords))  # noqa: B023
        of(lambda a, b: raw.ResourceApplyMomentum(var=a, accum=b, grad=grad, **keywords))  # noqa: B023
        of(
            lambda a, b: raw.ResourceSparseApplyKerasMomentum(
                var=a, accum=b, grad=sparse, indices=[0, 2], **keywords  # noqa: B023
            )
        )
    for l1, l2 in ((0.2, 0.3), (0.2, 0.0), (0.0, 0.5)):
        of(lambda a, b: raw.ResourceApplyProximalAdagrad(var=a, accum=b, lr=0.1, l1=l1, l2=l2, grad=grad))  # noqa: B023
    of(lambda a, b: raw.ResourceScatterUpdate(resource=a, indices=[0, 2], updates=[5.0, 6.0]))
    of(lambda a, b: raw.ResourceScatterUpdate(resource=a, indices=1, updates=5.0))
    of(lambda a, b: raw.ResourceScatterSub(resource=a, indices=[0, 2, 0], updates=[5.0, 6.0, 1.0]))
    of(lambda a, b: raw.ResourceScatterAdd(resource=a, indices=[0, 2, 0], updates=[5.0, 6.0, 1.0]))
    of(lambda a, b: raw.ResourceApplyGradientDescent(var=a, alpha=0.1, delta=grad))
    return found


@row
def what_waits_in_a_checkpoint_is_not_drawn(tf):
    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.d = tf.keras.layers.Dense(2, kernel_initializer=Told())

        def call(self, x):
            return self.d(x)

    class Told(tf.keras.initializers.Initializer):
        def __call__(self, shape, dtype=None, **kwargs):
            calls.append(tuple(shape))
            return tf.ones(shape) * len(calls)

    calls = []
    with tempfile.TemporaryDirectory() as folder:
        first, again = Own(), Own()
        first(ones(1, 3))
        first.save_weights(folder + "/w")
        again.load_weights(folder + "/w")
        again(ones(1, 3))
        tf.keras.utils.set_random_seed(1)
        drawn = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
        drawn.save_weights(folder + "/d")
        tf.keras.utils.set_random_seed(2)
        other = tf.keras.Sequential([tf.keras.layers.Dense(2)])
        other.load_weights(folder + "/d").expect_partial()
        other(ones(1, 3))
        after = tf.keras.layers.Dense(3)
        after.build((None, 2))
    return calls, again.d.kernel, other.get_weights()[0] == drawn.get_weights()[0], after.kernel


@row
def functions_and_objects_in_former_configurations(tf):
    keras = tf.keras

    @keras.utils.register_keras_serializable("rows")
    def double(x):
        return 2 * x

    @keras.utils.register_keras_serializable("rows")
    class Scaled(keras.losses.Loss):
        def __init__(self, function=double, inner=None, name="scaled", **kwargs):
            super().__init__(name=name, **kwargs)
            self.function, self.inner = function, inner

        def call(self, y_true, y_pred):
            return self.function(y_pred) if self.inner is None else self.function(self.inner(y_true, y_pred))

        def get_config(self):
            return {**super().get_config(), "function": self.function, "inner": self.inner}

    loss = Scaled(inner=Scaled(name="rows>double"))
    config = keras.utils.legacy.serialize_keras_object(loss)
    as_loss = keras.losses.serialize(loss, use_legacy_format=True)
    objects = {"rows>Scaled": Scaled}
    again = keras.utils.legacy.deserialize_keras_object(copy.deepcopy(config), objects)
    x = tf.constant([[1.0, 2.0]])
    return config, as_loss, again(x, x), again.inner.name, again.function is double, config["config"]["name"]


@row
def legacy_optimizers_that_count_in_the_default_graph(tf):
    legacy, v1 = tf.keras.optimizers.legacy, tf.compat.v1

    class Several(legacy.Optimizer):
        def __init__(self, inner):
            super().__init__("several")
            self.inner = inner

        def apply_gradients(self, grads_and_vars, name=None, **kwargs):
            made = tf.group([self.inner.apply_gradients(grads_and_vars)])
            with v1.get_default_graph().as_default(), tf.control_dependencies([made]):
                return self.iterations.assign_add(1, read_value=False)

        def get_config(self):
            return {}

    optimizer = Several(legacy.SGD(0.5))
    variable = tf.Variable(3.0)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = variable * variable
        optimizer.apply_gradients([(tape.gradient(loss, variable), variable)], name="x")
        return loss

    return step(), step(), tf.convert_to_tensor(variable), int(optimizer.iterations), int(optimizer.inner.iterations)


@row
def optimizers_that_take_few_arguments_by_position(tf):
    class Few(tf.keras.optimizers.legacy.SGD):
        def apply_gradients(self, grads_and_vars, name=None, **kwargs):
            found.append(sorted(kwargs))
            return super().apply_gradients(grads_and_vars, name, **kwargs)

    found: list = []
    optimizer = tf.keras.mixed_precision.LossScaleOptimizer(Few(0.5))
    variable = tf.Variable(3.0)
    optimizer.apply_gradients([(tf.constant(1.0), variable)])
    return found[0], tf.convert_to_tensor(variable)
