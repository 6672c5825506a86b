"""`LossScaleOptimizer`: gradients of a loss that is made larger, so that they do not vanish in 16 bits."""

from typing import Any

from tfcompat._control import cond
from tfcompat._core import restoring as _restoring
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat._core.name_scope import name_scope
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat._package.logging import logger
from tfcompat.array import cast, identity
from tfcompat.distribute import in_cross_replica_context
from tfcompat.function import init_scope
from tfcompat.keras.optimizers import _legacy
from tfcompat.keras.optimizers._base import Optimizer, outside_of_replicas, with_gradients
from tfcompat.keras.optimizers._registry import deserialize, serialize
from tfcompat.layers._layer.registry import register_keras_objects
from tfcompat.math import is_finite, logical_and, maximum, reduce_all
from tfcompat.tape import GradientTape
from tfcompat.train._objects import children

_INITIAL, _GROWTH_STEPS = 2**15, 2000


class _DynamicScale:
    """A scale that doubles after so many steps with finite gradients, and halves after one without."""

    def __init__(self, initial, growth_steps):
        self.initial, self.growth_steps = float(initial), int(growth_steps)
        with init_scope():
            self.current = Variable(self.initial, trainable=False, name="current_loss_scale", dtype="float32")
            self.counter = Variable(0, trainable=False, name="good_steps", dtype="int64")

    def _checkpoint_children(self):
        return [("current_loss_scale", self.current), ("good_steps", self.counter)]

    def update(self, gradients):
        """Takes note of a step's gradients; returns whether they are all finite, a bool tensor."""
        finite = convert_to_tensor(True)
        for gradient in gradients:
            values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
            finite = logical_and(finite, reduce_all(is_finite(values)))

        def grown():
            larger = self.current * 2.0
            self.current.assign(cond(is_finite(larger), lambda: larger, lambda: identity(self.current)))
            self.counter.assign(0)

        def counted():
            self.counter.assign_add(1)

        def lowered():
            self.counter.assign(0)
            self.current.assign(maximum(self.current / 2.0, 1.0))

        cond(finite, lambda: cond(self.counter + 1 >= self.growth_steps, grown, counted), lowered)
        return finite


class _Named(type):
    """The class of the wrapper goes by that of the optimizer."""

    def __call__(cls, inner_optimizer, *args, **kwargs):
        if cls is not LossScaleOptimizer:
            return super().__call__(inner_optimizer, *args, **kwargs)
        if isinstance(inner_optimizer, _legacy.Optimizer):
            return _OfLegacy(inner_optimizer, *args, **kwargs)
        if isinstance(inner_optimizer, Optimizer):
            return LossScaleOptimizerV3(inner_optimizer, *args, **kwargs)
        raise TypeError(
            '"inner_optimizer" must be an instance of `tf.keras.optimizers.Optimizer` or '
            f"`tf.keras.optimizers.experimental.Optimizer`, but got: {inner_optimizer}."
        )


class LossScaleOptimizer(metaclass=_Named):
    """An optimizer that scales the loss, so that small gradients do not vanish in float16.

    Args:
      inner_optimizer: the optimizer that does the updates; wrapped once only.
      dynamic: bool, whether the scale changes: it doubles after `dynamic_growth_steps` steps with finite gradients; a
        step whose gradients are not all finite is passed over, and halves it.
      initial_scale: float, the scale at first, 2 ** 15 by default; must be given unless `dynamic`.
      dynamic_growth_steps: int, 2000 by default; must be None unless `dynamic`.

    Raises:
      TypeError: `inner_optimizer` is no optimizer, or is a LossScaleOptimizer; `dynamic` is no bool.
      ValueError: `inner_optimizer` is wrapped already; `initial_scale` is missing.

    `minimize` does it all. With a tape of one's own:

        with tf.GradientTape() as tape:
            loss = optimizer.get_scaled_loss(compute_loss())
        gradients = optimizer.get_unscaled_gradients(tape.gradient(loss, variables))
        optimizer.apply_gradients(zip(gradients, variables))

    `compile` wraps the optimizers of models of policy `mixed_float16`.
    TF: `tf.keras.mixed_precision.LossScaleOptimizer`; no known difference.
    """

    _optimizer: Any
    _loss_scale: Any

    def __init__(self, inner_optimizer, dynamic=True, initial_scale=None, dynamic_growth_steps=None):
        attributes = self.__dict__
        if not isinstance(dynamic, bool):
            raise TypeError(f'"dynamic" argument to LossScaleOptimizer.__init__ must be a bool, but got: {dynamic!r}')
        if isinstance(inner_optimizer, LossScaleOptimizer):
            raise TypeError(f"LossScaleOptimizer cannot wrap another LossScaleOptimizer, but got: {inner_optimizer}")
        if inner_optimizer.__dict__.get("_is_wrapped_by_loss_scale_optimizer"):
            raise ValueError(
                '"inner_optimizer" is already wrapped by a LossScaleOptimizer. An optimizer can only be wrapped by a '
                "single LossScaleOptimizer"
            )
        if dynamic:
            attributes["_loss_scale"] = _DynamicScale(
                _INITIAL if initial_scale is None else initial_scale,
                _GROWTH_STEPS if dynamic_growth_steps is None else dynamic_growth_steps,
            )
        else:
            if initial_scale is None:
                raise ValueError('"initial_scale" must be specified if "dynamic" is False')
            if dynamic_growth_steps is not None:
                raise ValueError(
                    f'"dynamic_growth_steps" must be None if "dynamic" is False, but got: {dynamic_growth_steps}'
                )
            attributes["_loss_scale"] = float(initial_scale)
        attributes["_optimizer"] = inner_optimizer
        inner_optimizer.__dict__["_is_wrapped_by_loss_scale_optimizer"] = True
        attributes["_loss_has_been_scaled"] = attributes["_gradients_have_been_unscaled"] = False

    dynamic = property(
        lambda self: isinstance(self._loss_scale, _DynamicScale), doc="Whether the scale changes by itself."
    )
    inner_optimizer = property(lambda self: self._optimizer, doc="The optimizer that is wrapped.")

    @property
    def loss_scale(self):
        """The scale, a float32 tensor."""
        return convert_to_tensor(self._loss_scale.current if self.dynamic else self._loss_scale)

    @property
    def dynamic_counter(self):
        """int64 variable: steps with finite gradients since the scale changed; None for a fixed scale."""
        return self._loss_scale.counter if self.dynamic else None

    @property
    def initial_scale(self):
        """The scale at first."""
        return self._loss_scale.initial if self.dynamic else self._loss_scale

    @property
    def dynamic_growth_steps(self):
        """How many steps with finite gradients double the scale; None for a fixed scale."""
        return self._loss_scale.growth_steps if self.dynamic else None

    def get_scaled_loss(self, loss: Any):
        """The loss times `loss_scale`, in its dtype; a function that returns that for a function."""
        self.__dict__["_loss_has_been_scaled"] = True
        if callable(loss) and not isinstance(loss, Tensor | Variable):
            function = loss

            def scaled():
                value = function()
                return value * cast(self.loss_scale, value.dtype)

            return scaled
        return loss * cast(self.loss_scale, loss.dtype)

    def get_unscaled_gradients(self, grads):
        """A list of the gradients divided by `loss_scale`; None stays None."""
        self.__dict__["_gradients_have_been_unscaled"] = True
        factor = 1.0 / self.loss_scale
        return [None if gradient is None else _multiplied(gradient, factor) for gradient in grads]

    def _unscaled_pairs(self, compute, loss, var_list, tape):
        tape = GradientTape() if tape is None else tape
        with tape:
            loss = self.get_scaled_loss(loss)
        pairs = compute(loss, var_list, tape=tape)
        gradients = self.get_unscaled_gradients([gradient for gradient, _ in pairs])
        return list(zip(gradients, [variable for _, variable in pairs], strict=True))

    def _warn_about_scaling(self):
        missing = [
            name
            for name, done in (
                ("get_scaled_loss()", self.__dict__["_loss_has_been_scaled"]),
                ("get_unscaled_gradients()", self.__dict__["_gradients_have_been_unscaled"]),
            )
            if not done
        ]
        if missing:
            logger.warning(
                "You forgot to call LossScaleOptimizer.%s before calling LossScaleOptimizer.apply_gradients(). This "
                "will likely result in worse model quality, so please call it in the correct place: "
                "scaled_loss = opt.get_scaled_loss(loss) under the tape, and grads = opt.get_unscaled_gradients("
                "scaled_grads) after it", " and LossScaleOptimizer.".join(missing),
            )  # fmt: skip

    def _apply_if_finite(self, pairs, apply):
        def skipped():
            self._optimizer.iterations.assign_add(1)

        def applied():
            apply(pairs)

        if self.dynamic:
            cond(self._loss_scale.update([gradient for gradient, _ in pairs]), applied, skipped)
        else:
            applied()

    def _checkpoint_children(self):
        scale = [("loss_scale", self._loss_scale)] if self.dynamic else []
        return [*children(self._optimizer), *scale]

    def get_config(self):
        """The constructor's arguments, as a dict that `from_config` takes."""
        return {
            "inner_optimizer": serialize(self._optimizer),
            "dynamic": self.dynamic,
            "initial_scale": self.initial_scale,
            "dynamic_growth_steps": self.dynamic_growth_steps,
        }

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The optimizer that `config`, from `get_config`, describes, with new variables."""
        config = dict(config)
        inner = config.pop("inner_optimizer")
        if isinstance(inner, dict):
            inner = deserialize(inner, custom_objects)
        return LossScaleOptimizer(inner, **config)


class LossScaleOptimizerV3(LossScaleOptimizer, Optimizer):
    """The wrapper of today's optimizers."""

    def compute_gradients(self, loss, var_list, tape=None):
        """List of (gradient, variable) pairs, of the loss scaled, unscaled again."""
        return self._unscaled_pairs(self._optimizer.compute_gradients, loss, var_list, tape)

    def apply_gradients(self, grads_and_vars, name=None, skip_gradients_aggregation=False, **kwargs):
        """One step by the wrapped optimizer, if all gradients are finite; see `Optimizer.apply_gradients`.

        Raises:
          ValueError: in the scope of a strategy, outside of its `run`.
        """
        if in_cross_replica_context():
            raise outside_of_replicas(ValueError)
        pairs = list(grads_and_vars)
        if not self._optimizer._built:
            with init_scope():
                self._optimizer.build([variable for _, variable in pairs])
                _restoring.resume()
        self._warn_about_scaling()
        pairs = with_gradients(pairs)
        if not skip_gradients_aggregation and kwargs.pop("experimental_aggregate_gradients", True):
            pairs = list(self._optimizer.aggregate_gradients(pairs))
        apply = lambda pairs: self._optimizer.apply_gradients(pairs, name, True, **kwargs)  # noqa: E731
        self._apply_if_finite(pairs, apply)

    def build(self, var_list):
        """Makes the slots of the wrapped optimizer."""
        self._optimizer.build(var_list)

    def finalize_variable_values(self, var_list):
        """As the wrapped optimizer's."""
        self._optimizer.finalize_variable_values(var_list)

    def __getattr__(self, name):
        # The attributes that a base class would have set from the constructor's arguments are the wrapped optimizer's.
        if name in ("name", "_variables", "_built", "weight_decay", "clipnorm", "clipvalue", "global_clipnorm"):
            return getattr(self._optimizer, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def _delegated(name):
    def setter(self, value):
        setattr(self._optimizer, name, value)

    return property(lambda self: getattr(self._optimizer, name), setter, doc=f"`{name}` of the wrapped optimizer.")


for _name in ("iterations", "variables", "learning_rate", "lr", "use_ema", "ema_momentum"):
    setattr(LossScaleOptimizerV3, _name, _delegated(_name))


class _OfLegacy(LossScaleOptimizer, _legacy.Optimizer):
    """The wrapper of the older optimizers, whose hyperparameters are its own."""

    iterations: Any = _delegated("iterations")
    weights: Any = _delegated("weights")
    clipnorm: Any = _delegated("clipnorm")
    clipvalue: Any = _delegated("clipvalue")
    global_clipnorm: Any = _delegated("global_clipnorm")

    @property
    def _hyper(self):
        return self._optimizer._hyper

    def __getattr__(self, name):
        name = "learning_rate" if name == "lr" else name
        inner = self.__dict__.get("_optimizer")
        if inner is not None and (name in inner._hyper or name in ("_slots", "_slot_names", "_name")):
            return getattr(inner, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        name = "learning_rate" if name == "lr" else name
        if name in self._optimizer._hyper:
            setattr(self._optimizer, name, value)
        else:
            object.__setattr__(self, name, value)

    def _compute_gradients(self, loss, var_list, grad_loss=None, tape=None):
        def compute(loss, var_list, tape):
            return self._optimizer._compute_gradients(loss, var_list, grad_loss, tape)

        return self._unscaled_pairs(compute, loss, var_list, tape)

    def _create_all_weights(self, var_list):
        self._optimizer._create_all_weights(var_list)

    def apply_gradients(self, grads_and_vars, name=None, experimental_aggregate_gradients=True):
        """One step by the wrapped optimizer, if all gradients are finite; see `Optimizer.apply_gradients`.

        Raises:
          ValueError: in the scope of a strategy, outside of its `run`.
        """
        if in_cross_replica_context():
            raise outside_of_replicas(ValueError)
        self._warn_about_scaling()
        pairs = with_gradients(list(grads_and_vars))
        with name_scope(self._name), init_scope():
            self._optimizer._create_all_weights([variable for _, variable in pairs])
            _restoring.resume()
        self._apply_if_finite(
            pairs, lambda pairs: self._optimizer.apply_gradients(
                pairs, name=name, experimental_aggregate_gradients=experimental_aggregate_gradients
            )
        )

    def variables(self):
        """As the wrapped optimizer's."""
        return self._optimizer.variables()

    def _checkpoint_slots(self):
        return self._optimizer._slots

    def get_slot(self, var, slot_name):
        """The slot of a variable, of the wrapped optimizer."""
        return self._optimizer.get_slot(var, slot_name)

    def get_slot_names(self):
        """The names of slots of the wrapped optimizer."""
        return self._optimizer.get_slot_names()

    def add_slot(self, var, slot_name, initializer: Any = "zeros", shape=None):
        """Makes a slot of the wrapped optimizer."""
        return self._optimizer.add_slot(var, slot_name, initializer)


_OfLegacy.__name__ = _OfLegacy.__qualname__ = "LossScaleOptimizer"


def _multiplied(gradient, factor):
    if isinstance(gradient, IndexedSlices):
        values = gradient.values * cast(factor, gradient.values.dtype)
        return IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return gradient * cast(factor, gradient.dtype)


register_keras_objects(
    "optimizer", {"lossscaleoptimizer": LossScaleOptimizer, "lossscaleoptimizerv3": LossScaleOptimizerV3}
)
