"""`compile`, `fit`, `evaluate`, `predict`, and the steps that a model may override."""

import contextlib
import functools
import warnings
from typing import Any

import numpy as np

from tfcompat import config, nest
from tfcompat._core import graphs
from tfcompat._core.variable import ResourceVariable
from tfcompat._package.logging import logger
from tfcompat._tracing.eagerly import CannotBeTraced, needs_values
from tfcompat.array import concat
from tfcompat.engine import cut, function_trace, leaf, state
from tfcompat.errors import UnimplementedError
from tfcompat.function import function
from tfcompat.keras import callbacks as callbacks_module
from tfcompat.keras import optimizers
from tfcompat.keras._training import data as _data
from tfcompat.keras._training._replicas import divided_first, replicated
from tfcompat.keras._training.ends import Epoch
from tfcompat.keras._training.outputs import LossesContainer, MetricsContainer
from tfcompat.keras.callbacks._logs import synced
from tfcompat.keras.callbacks._messages import is_interactive_logging_enabled
from tfcompat.keras.optimizers._loss_scale import LossScaleOptimizer
from tfcompat.layers._layer.call_context import call_context
from tfcompat.tape import GradientTape


def _in_scope(method):
    """A method that runs in the scope of the model's strategy, if that has several replicas; see also `in_session`."""

    @graphs.in_session
    @functools.wraps(method)
    def wrapped(self, *args, **kwargs):
        strategy = self.distribute_strategy
        if strategy.num_replicas_in_sync == 1:
            return method(self, *args, **kwargs)
        with strategy.scope():
            return method(self, *args, **kwargs)

    return wrapped


_OLD_KEYWORDS = ("cloning", "experimental_run_tf_function", "sample_weight_mode")


class Trainer:
    """Keras's training loop, a part of `Model`."""

    # Of Model and Layer.
    losses: Any
    trainable_variables: Any
    output_names: Any
    optimizer: Any
    stop_training: bool
    history: Any
    dtype_policy: Any
    _flatten_layers: Any
    _call_signature: Any
    _get_trainable_state: Any
    _set_trainable_state: Any
    _configure_steps_per_execution: Any
    distribute_strategy: Any
    weights: Any
    steps_per_execution: Any
    _is_compiled = False
    compiled_loss: Any = None
    compiled_metrics: Any = None
    train_function: Any = None
    test_function: Any = None
    predict_function: Any = None

    @_in_scope
    def compile(
        self,
        optimizer="rmsprop",
        loss=None,
        metrics=None,
        loss_weights=None,
        weighted_metrics=None,
        run_eagerly=None,
        steps_per_execution=None,
        jit_compile=None,
        pss_evaluation_shards=0,
        **kwargs,
    ):
        """Configures the training of the model.

        Args:
          optimizer: name or optimizer.
          loss: name, function of targets and predictions, or `tf.keras.losses.Loss`; list or dict of these for several
            outputs; None for a model with a `train_step` or with losses of its own.
          metrics: list of names, functions or `tf.keras.metrics.Metric`s; a list or dict of lists for several outputs.
            "accuracy" means the accuracy that fits loss and shapes.
          loss_weights: list or dict of factors of the losses of several outputs.
          weighted_metrics: metrics that count sample weights.
          run_eagerly: bool, whether the steps run outside of a `tf.function`.
          steps_per_execution: int, how many batches pass between two calls of batch-level callbacks.
          jit_compile: bool; everything is compiled.
          pss_evaluation_shards: must be 0, as there is no parameter server.

        Raises:
          ValueError: an unknown name.
          TypeError: unknown keyword.

        TF: `tf.keras.Model.compile`.
        """
        arguments = {
            "optimizer": optimizer, "loss": loss, "metrics": metrics, "loss_weights": loss_weights,
            "weighted_metrics": weighted_metrics, "run_eagerly": run_eagerly,
            "steps_per_execution": steps_per_execution, "jit_compile": jit_compile,
        }  # fmt: skip
        steps_per_execution = steps_per_execution or kwargs.pop("experimental_steps_per_execution", None) or 1
        from_serialized = kwargs.pop("from_serialized", False)
        self._validate_compile(optimizer, metrics, **kwargs)
        if pss_evaluation_shards or steps_per_execution == "auto":
            raise UnimplementedError(
                None, None,
                "tf.keras.Model.compile: `pss_evaluation_shards` and steps_per_execution='auto' are not available in "
                "tfcompat: use a number of steps",
            )  # fmt: skip
        if run_eagerly and jit_compile:
            raise ValueError("You cannot enable `run_eagerly` and `jit_compile` at the same time.")
        self._set_optimizer(self._get_optimizer(optimizer))
        strategy = self.distribute_strategy
        self.__dict__.update(
            compiled_loss=LossesContainer(loss, loss_weights, self.output_names),
            compiled_metrics=MetricsContainer(metrics, weighted_metrics, self.output_names, from_serialized),
            loss=loss or {},
            _run_eagerly=run_eagerly,
            _jit_compile=jit_compile,
            _is_compiled=True,
            _compiled_strategy=strategy if strategy.num_replicas_in_sync > 1 else None,
            _compile_config=arguments,
        )
        self._configure_steps_per_execution(int(steps_per_execution))
        self._reset_compile_cache()

    def _validate_compile(self, optimizer, metrics, **kwargs):
        """Raises for keywords that `compile` does not take, and for variables made outside of the strategy's scope."""
        strategy = self.distribute_strategy
        for variable in self.weights if strategy.num_replicas_in_sync > 1 and self.__dict__.get("built") else ():
            if not strategy.extended.variable_created_in_scope(variable):
                raise ValueError(
                    f"Variable ({variable!r}) was not created in the distribution strategy scope of ({strategy}). It "
                    "is most likely because some layers, model, or optimizer was being created outside the "
                    "distribution strategy scope."
                )
        for kind, made, name in (("Metric", metrics, "variables"), ("Optimizer", optimizer, "_weights")):
            for each in nest.flatten(made) if strategy.num_replicas_in_sync > 1 else ():
                if not all(map(strategy.extended.variable_created_in_scope, getattr(each, name, None) or ())):
                    raise ValueError(
                        f"{kind} ({each}) passed to `model.compile` was created inside a different distribution "
                        f"strategy scope than the model. All {kind.lower()}s must be created in the same distribution "
                        f"strategy scope as the model (in this case {strategy}). If you pass in a string identifier "
                        f"for a {kind.lower()} to compile, it will automatically be created in the correct "
                        "distribution strategy scope."
                    )
        for keyword in ("distribute", "target_tensors"):
            if kwargs.pop(keyword, None) is not None:
                raise ValueError(f"`{keyword}` argument in compile is not available in TF 2.0.")
        invalid = set(kwargs) - set(_OLD_KEYWORDS)
        if invalid:
            raise TypeError(
                f"Invalid keyword argument(s) in `compile()`: {(invalid,)}. Valid keyword arguments include "
                '"cloning", "experimental_run_tf_function", "distribute", "target_tensors", or "sample_weight_mode".'
            )

    def _reset_compile_cache(self):
        for name in ("train", "test", "predict"):
            self.__dict__[f"{name}_function"] = None
        self.__dict__["_compiled_trainable_state"] = self._get_trainable_state()

    def _set_optimizer(self, optimizer):
        if hasattr(type(self), "optimizer"):  # a property of the program's own
            self.optimizer = optimizer
        else:
            self.__dict__["optimizer"] = optimizer

    def _get_optimizer(self, optimizer):
        return nest.map_structure(self._optimizer_of, optimizer)

    def _optimizer_of(self, identifier):
        """The optimizer that an identifier stands for; its loss is scaled if the model computes in float16."""
        optimizer = optimizers.get(identifier)
        if self.dtype_policy.name != "mixed_float16" or isinstance(optimizer, LossScaleOptimizer):
            return optimizer
        return LossScaleOptimizer(optimizer)

    @property
    def _train_counter(self):
        return self._counter("train")

    @property
    def _test_counter(self):
        return self._counter("test")

    @property
    def _predict_counter(self):
        return self._counter("predict")

    def _counter(self, kind, afresh=False):
        """An int64 variable that counts steps; on the host, so that counting is no operation.

        Args:
          kind: str, of what steps.
          afresh: whether it counts from zero. To assign zero is an operation.
        """
        counters = self.__dict__.setdefault("_step_counters", {})
        if kind not in counters:
            counters[kind] = ResourceVariable(np.int64(0), trainable=False, name=f"{kind}_counter")
        if afresh:
            counters[kind]._own(leaf(np.zeros((), np.int64)))
        return counters[kind]

    @contextlib.contextmanager
    def _as_compiled(self):
        """A context in which those layers train that trained when the model was compiled."""
        now = self._get_trainable_state()
        try:
            self._set_trainable_state(self.__dict__["_compiled_trainable_state"])
            yield
        finally:
            self._set_trainable_state(now)

    @property
    def run_eagerly(self):
        """Whether the steps run outside of a `tf.function`."""
        run_eagerly = self.__dict__.get("_run_eagerly")
        if self.dynamic:
            if run_eagerly is False:
                raise ValueError(
                    "Your model contains layers that can only be successfully run in eager execution (layers "
                    "constructed with `dynamic=True`). You cannot set `run_eagerly=False`."
                )
            return True
        return bool(run_eagerly or config.functions_run_eagerly() and run_eagerly is None)

    @run_eagerly.setter
    def run_eagerly(self, value):
        self.__dict__["_run_eagerly"] = value

    @property
    def metrics(self):
        """The means of the losses, the metrics given to `compile`, those in attributes of the model and its layers."""
        metrics = []
        if self._is_compiled:
            metrics = [*self.compiled_loss.metrics, *self.compiled_metrics.metrics]
        return metrics + [metric for layer in self._flatten_layers() for metric in layer.__dict__.get("_metrics", ())]

    def reset_metrics(self):
        """Resets the state of all `metrics`."""
        for metric in self.metrics:
            metric.reset_state()

    def get_metrics_result(self):
        """Dict of the results of all `metrics`."""
        results = {}
        for metric in self.metrics:
            result = metric.result()
            results.update(result if isinstance(result, dict) else {metric.name: result})
        return results

    # --- steps, to be overridden --------------------------------------------------------------------------------------

    def train_step(self, data):
        """One step of `fit`.

        Args:
          data: structure of tensors, as `fit` was given it.

        Returns:
          Dict from names to values, which callbacks see.
        """
        x, y, sample_weight = _data.unpack_x_y_sample_weight(data)
        with GradientTape() as tape:
            y_pred = self(x, training=True)  # pyright: ignore
            loss = self.compute_loss(x, y, y_pred, sample_weight)
        self._validate_target_and_loss(y, loss)
        self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def test_step(self, data):
        """One step of `evaluate`; see `train_step`."""
        x, y, sample_weight = _data.unpack_x_y_sample_weight(data)
        y_pred = self(x, training=False)  # pyright: ignore
        self.compute_loss(x, y, y_pred, sample_weight)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def predict_step(self, data):
        """One step of `predict`; returns the outputs."""
        return self(_data.unpack_x_y_sample_weight(data)[0], training=False)  # pyright: ignore

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None) -> Any:
        """The total loss of a batch: those given to `compile`, and the model's own."""
        return self.compiled_loss(y, y_pred, sample_weight, regularization_losses=self.losses)

    def compute_metrics(self, x, y, y_pred, sample_weight):
        """Updates the metrics given to `compile`; returns the results of all."""
        self.compiled_metrics.update_state(y, y_pred, sample_weight)
        return self.get_metrics_result()

    def _validate_target_and_loss(self, y, loss):
        if self.__dict__.get("loss") and y is None:
            raise ValueError(
                f"Target data is missing. Your model was compiled with loss={self.__dict__['loss']}, and therefore "
                "expects target data to be provided in `fit()`."
            )
        if loss is None:
            raise ValueError(
                "No loss found. You may have forgotten to provide a `loss` argument in the `compile()` method."
            )

    def _make(self, kind, force):
        name = f"{kind}_function"
        if self.__dict__.get(name) is None or force:
            step = getattr(self, f"{kind}_step")

            def run(data):
                with call_context.batches(self.__dict__.get("_batch_size_is_unknown", False)):
                    return step(nest.map_structure(lambda x: x, data))  # a copy, since the step may change it

            several = self.distribute_strategy.num_replicas_in_sync > 1
            call = replicated(self.distribute_strategy, run, kind == "predict") if several else run
            # The batches of replicas have known sizes: only replicas of one size are one program.
            traced: Any = function(call, reduce_retracing=not several)
            traced.takes_all_sizes, traced.warns = True, False
            made = call if self.run_eagerly else traced
            self.__dict__[name] = divided_first(self.distribute_strategy, made) if several else made
            self.__dict__["_untraced"] = None if self.run_eagerly or several else traced
        return self.__dict__[name]

    def make_train_function(self, force=False):
        """The function of a batch that `fit` calls. TF's takes an iterator."""
        return self._make("train", force)

    def make_test_function(self, force=False):
        """The function of a batch that `evaluate` calls. TF's takes an iterator."""
        return self._make("test", force)

    def make_predict_function(self, force=False):
        """The function of a batch that `predict` calls. TF's takes an iterator."""
        return self._make("predict", force)

    # --- loops --------------------------------------------------------------------------------------------------------

    @_in_scope
    def fit(
        self,
        x=None,
        y=None,
        batch_size=None,
        epochs=1,
        verbose: Any = "auto",
        callbacks: Any = None,
        validation_split=0.0,
        validation_data: Any = None,
        shuffle=True,
        class_weight=None,
        sample_weight=None,
        initial_epoch=0,
        steps_per_epoch=None,
        validation_steps=None,
        validation_batch_size=None,
        validation_freq: Any = 1,
        max_queue_size=10,
        workers=1,
        use_multiprocessing=False,
    ) -> callbacks_module.History:
        """Trains the model.

        Args:
          x: array or tensor, list or dict of these, or iterable of batches `x`, `(x, y)` or `(x, y, sample_weight)`.
          y: targets, where `x` holds arrays.
          batch_size: int, 32 by default.
          epochs: int, the number of the last epoch.
          verbose: 0 for silence, 1 or "auto" for a progress bar, 2 for a line for each epoch.
          callbacks: list of `tf.keras.callbacks.Callback`.
          validation_split: float, the share of the samples at the end that is kept for validation.
          validation_data: tuple of arrays, or iterable of batches.
          shuffle: bool, whether samples are shuffled before each epoch; in TF's order for the same seed.
          class_weight: dict from classes, which are numbers from 0, to weights of their samples.
          sample_weight: array of weights of the samples.
          initial_epoch: int, the number of epochs done before.
          steps_per_epoch: int, batches in an epoch; all by default.
          validation_steps: int, batches for validation.
          validation_batch_size: int, `batch_size` by default.
          validation_freq: int, or list of epochs: when to validate.
          max_queue_size, workers, use_multiprocessing: without effect.

        Returns:
          `tf.keras.callbacks.History`.

        Raises:
          RuntimeError: the model is not compiled; inside of a `tf.function`.
          ValueError: the data does not fit.

        TF: `tf.keras.Model.fit`.
        """
        self._check_loop("fit")
        verbose = _verbosity(verbose)
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = _data.train_validation_split(
                (x, y, sample_weight), validation_split
            )
        with self._as_compiled():
            batches = _data.Batches(
                x, y, sample_weight, batch_size, steps_per_epoch, epochs - initial_epoch, shuffle, class_weight
            )
            callbacks = self._callback_list(callbacks, verbose, epochs, batches.steps)
            self.stop_training = False
            train = self.make_train_function()
            self._counter("train", afresh=True)
            callbacks.on_train_begin()
            last_logs, first, of_steps = None, 0, None  # those of the last step: an epoch may have none
            if "_training_state" in self.__dict__:
                initial_epoch, first = self.__dict__["_training_state"].first_step(batches.steps, initial_epoch)
            for epoch in range(initial_epoch, epochs):
                if batches.ran_out:
                    break
                self.reset_metrics()
                callbacks.on_epoch_begin(epoch)
                until_its_end = Epoch(self) if batches.may_end else None
                logs = self._run_epoch(
                    train, batches, callbacks.on_train_batch_begin, callbacks.on_train_batch_end, self._train_counter,
                    first,
                )  # fmt: skip
                if until_its_end is not None and batches.ended_after:
                    until_its_end.end(batches.ended_after)
                first = 0
                logs: Any = of_steps if logs is None else synced(logs)
                of_steps = logs
                if logs is None:
                    raise ValueError(
                        "Unexpected result of `train_function` (Empty logs). This could be due to issues in input "
                        "pipeline that resulted in an empty dataset. Otherwise, please use `Model.compile(..., "
                        "run_eagerly=True)`, or `tf.config.run_functions_eagerly(True)` for more information of where "
                        "went wrong, or file a issue/bug to `tf.keras`."
                    )
                epoch_logs = dict(self._validate_and_get_metrics_result(logs))
                if validation_data is not None and self._should_eval(epoch, validation_freq):
                    if isinstance(validation_data, tuple | list) and not _data.is_arrays(validation_data):
                        val = _data.unpack_x_y_sample_weight(validation_data)
                    elif isinstance(validation_data, tuple | list):
                        val = _data.unpack_x_y_sample_weight(tuple(validation_data))
                    else:
                        val = validation_data, None, None
                    size = validation_batch_size or batch_size if _data.is_arrays(val[0]) else None
                    val_logs = self.evaluate(
                        *val[:2], size, sample_weight=val[2], steps=validation_steps, callbacks=callbacks,
                        return_dict=True,
                    )  # fmt: skip
                    callbacks.validated_on = val[0]
                    epoch_logs.update({f"val_{name}": value for name, value in val_logs.items()})
                callbacks.on_epoch_end(epoch, epoch_logs)
                last_logs = epoch_logs
                if self.stop_training:
                    break
                batches.end_epoch()
            if isinstance(self.optimizer, optimizers.Optimizer) and epochs > 0:
                self.optimizer.finalize_variable_values(self.trainable_variables)
            callbacks.on_train_end(logs=last_logs)
            return self.history

    def _run_epoch(self, step, batches, begin, end, counter, number=0):
        """The logs of the last batch of an epoch, whose batches are numbered from `number`."""
        logs, later = None, number > 0
        group = 1 if self.steps_per_execution is None else int(self.steps_per_execution)
        if group > 1 and batches.steps is None:
            raise ValueError(
                "Could not infer the size of the data. With `steps_per_execution > 1`, you must specify the number of "
                "steps to run."
            )
        self.__dict__["_batch_size_is_unknown"] = batches.size_is_unknown
        for batch in batches.epoch():
            if number % group == 0:
                begin(number)
            if self.__dict__.get("_untraced") is step:
                # Initial values are computed separately, so that the first step is the same program as the next.
                self.__dict__["_untraced"] = None
                try:
                    step.get_concrete_function(batches.described(batch))
                except Exception as error:
                    if not isinstance(error, CannotBeTraced) and not needs_values(error):
                        raise  # otherwise it runs as plain Python
                cut()
            logs = step(batch)
            _count(counter)
            number += 1
            if number % group == 0 or number == batches.steps:
                end(number - 1, logs)
                if self.stop_training or later and number == batches.steps:
                    break
        return logs

    def _validate_and_get_metrics_result(self, logs):
        """The results of the metrics, if they are what the step returned."""
        if isinstance(logs, dict):
            results = self.get_metrics_result()
            if logs.keys() == results.keys():
                return synced(results)
        return logs

    @_in_scope
    def evaluate(
        self,
        x=None,
        y=None,
        batch_size=None,
        verbose: Any = "auto",
        sample_weight=None,
        steps=None,
        callbacks: Any = None,
        max_queue_size=10,
        workers=1,
        use_multiprocessing=False,
        return_dict=False,
        **kwargs,
    ) -> Any:
        """The loss and the metrics on data.

        Args:
          x, y, batch_size, verbose, sample_weight, callbacks: as for `fit`.
          steps: int, number of batches; all by default.
          max_queue_size, workers, use_multiprocessing: without effect.
          return_dict: bool, whether to return a dict.

        Returns:
          The loss as a float, a list of the loss and the metrics, or a dict.

        Raises:
          RuntimeError: the model is not compiled; inside of a `tf.function`.

        TF: `tf.keras.Model.evaluate`.
        """
        self._check_loop("evaluate")
        if kwargs:
            raise TypeError(f"Invalid keyword arguments: {list(kwargs.keys())}")
        self._check_sample_weight_warning(x, sample_weight)
        # `fit` has one list of callbacks for all its validations, of which TF peeks at the data but once.
        batches = _data.Batches(
            x, y, sample_weight, batch_size, steps, peek=getattr(callbacks, "validated_on", None) is not x
        )
        callbacks = self._callback_list(callbacks, _verbosity(verbose), 1, batches.steps)
        test = self.make_test_function()
        self._counter("test", afresh=True)
        callbacks.on_test_begin()
        self.reset_metrics()
        stopped, self.stop_training = self.stop_training, False
        begin, end = callbacks.on_test_batch_begin, callbacks.on_test_batch_end
        logs = self._run_epoch(test, batches, begin, end, self._test_counter)
        batches.end_epoch()
        self.stop_training = stopped or self.stop_training
        logs = self._validate_and_get_metrics_result(synced(logs or {}))
        callbacks.on_test_end(logs=logs)
        return logs if return_dict else _in_order(logs, self.metrics)

    @_in_scope
    def predict(
        self,
        x,
        batch_size=None,
        verbose: Any = "auto",
        steps=None,
        callbacks: Any = None,
        max_queue_size=10,
        workers=1,
        use_multiprocessing=False,
    ):
        """The outputs for data, batch by batch.

        Args:
          x: as for `fit`; targets among batches are passed over.
          batch_size, verbose, callbacks: as for `fit`.
          steps: int, number of batches; all by default.
          max_queue_size, workers, use_multiprocessing: without effect.

        Returns:
          NumPy array, or structure of these.

        TF: `tf.keras.Model.predict`.
        """
        _refuse_in_function("predict")
        self._check_call_args("predict")
        batches = _data.Batches(x, None, None, batch_size, steps)
        callbacks = self._callback_list(callbacks, _verbosity(verbose), 1, batches.steps)
        predict = self.make_predict_function()
        self.__dict__["_batch_size_is_unknown"] = batches.size_is_unknown
        self._counter("predict", afresh=True)
        callbacks.on_predict_begin()
        outputs = []
        for number, batch in enumerate(batches.epoch()):
            callbacks.on_predict_batch_begin(number)
            outputs.append(predict(batch))
            _count(self._predict_counter)
            callbacks.on_predict_batch_end(number, {"outputs": outputs[-1]})
        batches.end_epoch()
        if not outputs:
            raise ValueError(
                "Unexpected result of `predict_function` (Empty batch_outputs). Please use `Model.compile(..., "
                "run_eagerly=True)`, or `tf.config.run_functions_eagerly(True)` for more information of where went "
                "wrong, or file a issue/bug to `tf.keras`."
            )
        callbacks.on_predict_end()
        return synced(nest.map_structure(lambda *parts: concat(parts, 0), *outputs))

    # --- single batches -----------------------------------------------------------------------------------------------

    def fit_generator(self, generator, steps_per_epoch=None, epochs=1, verbose=1, callbacks=None, validation_data=None,
                      validation_steps=None, validation_freq=1, class_weight=None, max_queue_size=10, workers=1,
                      use_multiprocessing=False, shuffle=True, initial_epoch=0):  # fmt: skip
        """As `fit`, by a deprecated name. TF: `tf.keras.Model.fit_generator`."""
        _deprecated("fit_generator", "fit")
        return self.fit(
            generator, steps_per_epoch=steps_per_epoch, epochs=epochs, verbose=verbose, callbacks=callbacks,
            validation_data=validation_data, validation_steps=validation_steps, validation_freq=validation_freq,
            class_weight=class_weight, max_queue_size=max_queue_size, workers=workers,
            use_multiprocessing=use_multiprocessing, shuffle=shuffle, initial_epoch=initial_epoch,
        )  # fmt: skip

    def evaluate_generator(self, generator, steps=None, callbacks=None, max_queue_size=10, workers=1,
                           use_multiprocessing=False, verbose=0):  # fmt: skip
        """As `evaluate`, by a deprecated name. TF: `tf.keras.Model.evaluate_generator`."""
        _deprecated("evaluate_generator", "evaluate")
        return self.evaluate(
            generator, steps=steps, max_queue_size=max_queue_size, workers=workers,
            use_multiprocessing=use_multiprocessing, verbose=verbose, callbacks=callbacks,
        )  # fmt: skip

    def predict_generator(self, generator, steps=None, callbacks=None, max_queue_size=10, workers=1,
                          use_multiprocessing=False, verbose=0):  # fmt: skip
        """As `predict`, by a deprecated name. TF: `tf.keras.Model.predict_generator`."""
        _deprecated("predict_generator", "predict")
        return self.predict(
            generator, steps=steps, max_queue_size=max_queue_size, workers=workers,
            use_multiprocessing=use_multiprocessing, verbose=verbose, callbacks=callbacks,
        )  # fmt: skip

    @_in_scope
    def train_on_batch(
        self, x, y=None, sample_weight=None, class_weight=None, reset_metrics=True, return_dict=False
    ) -> Any:
        """One step of training; returns loss and metrics as `evaluate` does. TF: `tf.keras.Model.train_on_batch`."""
        self._check_loop("train_on_batch")
        if reset_metrics:
            self.reset_metrics()
        with self._as_compiled():
            logs = synced(self.make_train_function()(_data.single_batch(x, y, sample_weight, class_weight)))
        return logs if return_dict else _in_order(logs, self.metrics)

    @_in_scope
    def test_on_batch(self, x, y=None, sample_weight=None, reset_metrics=True, return_dict=False) -> Any:
        """Loss and metrics of one batch, as from `evaluate`. TF: `tf.keras.Model.test_on_batch`."""
        self._check_loop("test_on_batch")
        if reset_metrics:
            self.reset_metrics()
        logs = synced(self.make_test_function()(_data.single_batch(x, y, sample_weight)))
        return logs if return_dict else _in_order(logs, self.metrics)

    @_in_scope
    def predict_on_batch(self, x):
        """The outputs for one batch, as NumPy arrays. TF: `tf.keras.Model.predict_on_batch`."""
        _refuse_in_function("predict_on_batch")
        self._check_call_args("predict_on_batch")
        return synced(self.make_predict_function()(_data.single_batch(x)))

    def _check_loop(self, method):
        _refuse_in_function(method)
        self._assert_compile_was_called()
        strategy = self.__dict__.get("_compiled_strategy")
        if strategy is not None and strategy is not self.distribute_strategy:
            raise ValueError(
                "SyncOnReadVariable does not support `assign_add` in cross-replica context when aggregation is set to "
                f"`tf.VariableAggregation.SUM`: this model was compiled in the scope of {strategy}, so its metrics are "
                f"of several replicas, and made outside of it. Make the model in that scope, or call `{method}` in it"
            )
        self._check_call_args(method)

    def _assert_compile_was_called(self):
        if not self._is_compiled:
            raise RuntimeError(
                "You must compile your model before training/testing. Use `model.compile(optimizer, loss)`."
            )

    def _check_call_args(self, method_name):
        extra = [name for name in self._call_signature.required if name != "training"]
        if extra:
            raise ValueError(
                f"Models passed to `{method_name}` can only have `training` and the first argument in `call()` as "
                f"positional arguments, found: {extra}."
            )

    def _check_sample_weight_warning(self, x, sample_weight):
        from tfcompat.data import Dataset  # not at the top: a fit of arrays does without tf.data

        present = sample_weight is not None
        if isinstance(x, Dataset) and isinstance(x.element_spec, tuple):
            present = present or len(x.element_spec) == 3
        if present and self.compiled_metrics._user_weighted_metrics is None:
            logger.warning(
                "`evaluate()` received a value for `sample_weight`, but `weighted_metrics` were not provided.  Did you "
                "mean to pass metrics to `weighted_metrics` in `compile()`?  If this is intentional you can pass "
                "`weighted_metrics=[]` to `compile()` in order to silence this warning."
            )

    def _should_eval(self, epoch, validation_freq):
        epoch += 1
        if isinstance(validation_freq, int):
            return epoch % validation_freq == 0
        if isinstance(validation_freq, list | tuple | set):
            return epoch in validation_freq
        raise ValueError(
            "Expected `validation_freq` to be a list or int. Received: "
            f"validation_freq={validation_freq} of the type {type(validation_freq)}."
        )

    def _callback_list(self, callbacks, verbose, epochs, steps):
        if isinstance(callbacks, callbacks_module.CallbackList):
            return callbacks
        return callbacks_module.CallbackList(
            callbacks, add_history=True, add_progbar=verbose != 0, model=self, verbose=verbose, epochs=epochs,
            steps=steps,
        )  # fmt: skip


def _count(counter):
    """Adds one to a counter of steps; no operation as long as its value is on the host."""
    value = counter._node.value
    if type(value) is np.ndarray:
        counter._own(leaf(np.asarray(value + 1)))
    else:
        counter.assign_add(1)


def _refuse_in_function(method):
    if function_trace(state.graph) is not None:
        raise RuntimeError(
            f"Detected a call to `Model.{method}` inside a `tf.function`. `Model.{method} is a high-level endpoint "
            f"that manages its own `tf.function`. Please move the call to `Model.{method}` outside of all enclosing "
            "`tf.function`s. Note that you can call a `Model` directly on `Tensor`s inside a `tf.function` like: "
            "`model(x)`."
        )


def _verbosity(verbose):
    """The number for "auto"."""
    return verbose if verbose != "auto" else 1 if is_interactive_logging_enabled() else 2


def _in_order(logs, metrics):
    """The values of logs, those of metrics first; one alone as itself."""
    names = [metric.name for metric in metrics]
    results = [logs[name] for name in names if name in logs]
    results += [logs[name] for name in sorted(logs) if name not in names]
    return results[0] if len(results) == 1 else results


def _deprecated(name, instead):
    warnings.warn(
        f"`Model.{name}` is deprecated and will be removed in a future version. Please use `Model.{instead}`, which "
        "supports generators.", stacklevel=3,
    )  # fmt: skip
